/*
 * tasks.c: scheduled_tasks, the table any program that speaks SQL can schedule with.
 * It is a view of the reminders that came in by the door `task`. An INSERT makes the complete
 * reminder, exactly as `belfry task add` would have, with its policy; an UPDATE of the status to
 * 'cancelled' and a DELETE cancel one that still waits for its time. Whatever else is tried is
 * refused with words, not ignored.
 *
 * SQLite's triggers have no variables and know only constant messages, and an INSERT OR REPLACE or
 * OR IGNORE of the caller reaches into their statements: so everything is checked first, and
 * nothing below a check can conflict. An id made here is longer than others, since a trigger
 * cannot try again.
 */
#include "store/tasks.h"

/* clang-format off */

/* The years 1900 to 9998, in seconds: beyond them nothing fires. */
#define FIRST_SECOND "-2208988800"
#define LAST_SECOND "253370764800"

/* The newest mission of a task says how it goes; without one, its newest slot does. */
#define TASKS(fire_at, created_at) \
	"CREATE VIEW scheduled_tasks AS SELECT" \
	" r.id AS id," \
	" " fire_at " AS fire_at," \
	" r.message AS prompt," \
	" CASE" \
	" WHEN r.status = 'cancelled' THEN 'cancelled'" \
	" WHEN m.phase IN ('behind', 'waiting') THEN 'pending'" \
	" WHEN m.phase IN ('starting', 'running') THEN 'running'" \
	" WHEN m.outcome = 'killed' OR (m.outcome = 'none' AND m.stop_reason IS NOT NULL)" \
	" THEN 'cancelled'" \
	" WHEN m.outcome = 'success' THEN 'completed'" \
	" WHEN m.key IS NOT NULL THEN 'failed'" \
	" WHEN r.status <> 'completed' THEN 'pending'" \
	" WHEN s.outcome = 'cancelled' THEN 'cancelled'" \
	" WHEN s.outcome IN ('failed', 'missed', 'skipped') THEN 'failed'" \
	" ELSE 'completed' END AS status," \
	" coalesce(m.attempts, 0) AS attempts," \
	" p.max_attempts AS max_attempts," \
	" CASE WHEN m.outcome = 'success' THEN NULL" \
	" WHEN u.error IS NOT NULL THEN u.error" \
	" WHEN m.phase = 'ended' THEN m.reason" \
	" WHEN m.key IS NULL AND s.outcome IN ('failed', 'missed', 'skipped') THEN s.reason" \
	" END AS last_error," \
	" " created_at " AS created_at," \
	" r.agent AS agent" \
	" FROM policies p JOIN reminders r ON r.key = p.reminder" \
	" LEFT JOIN missions m ON m.key = (SELECT max(key) FROM missions WHERE reminder = r.key)" \
	" LEFT JOIN runs u ON u.key = (SELECT key FROM runs WHERE mission = m.key" \
	" AND finished_at IS NOT NULL ORDER BY number DESC LIMIT 1)" \
	" LEFT JOIN slots s ON s.key = (SELECT max(key) FROM slots WHERE reminder = r.key)" \
	" WHERE p.door = 'task' AND r.batch IS NULL;"

/* What both triggers write, after the columns that differ; the values follow in this order. */
#define REMINDER_COLUMNS \
	"id, schedule, anchor, created_at, updated_at, cursor, nominal_at, due_at, agent, message," \
	" priority, source, action, schedule_kind, zone, zone_source, count_max, catchup," \
	" catchup_max, start_deadline, jitter, condition_kind, mode, condition_limit, status," \
	" generation, fire_count"
#define REMINDER_CONSTANTS \
	" 'idle', 'import', 'run', 'at', 'UTC', 'item', 0, 'once', 10, 0, 0, 'none', 'each'," \
	" 30000000, 'active', 1, 0"
#define POLICY_COLUMNS \
	"reminder, max_attempts, door, overlap, time_limit, retry_on, backoff, wait_limit," \
	" retention, pause_after, failures"
#define POLICY_CONSTANTS " 'task', 'allow', 3600000000, 7, 30000000, 0, 0, 0, 0"

#define CANCEL(now) \
	"UPDATE reminders SET status = 'cancelled', end_reason = 'cancelled by SQL'," \
	" ended_at = " now ", updated_at = " now ", nominal_at = NULL, due_at = NULL" \
	" WHERE id = OLD.id"
#define STILL_WAITS "status IN ('active', 'paused') AND open_slot IS NULL"

/* SQLite */

#define MICROS(text) \
	"(strftime('%s', " text ") * 1000000" \
	" + CAST(substr(strftime('%f', " text "), 4) AS INTEGER) * 1000)"
#define NOW MICROS("'now'")
#define DATE "substr(NEW.fire_at, 1, 10)"

/*
 * The instant of NEW.fire_at, NULL when it is none. A text begins with a date that exists: what
 * SQLite would also take (a time of today in the year 2000, a Julian day, the 30th of February)
 * nobody means.
 */
#define FIRE_AT \
	"CASE typeof(NEW.fire_at)" \
	" WHEN 'integer' THEN CASE WHEN NEW.fire_at BETWEEN " FIRST_SECOND " AND " LAST_SECOND \
	" THEN NEW.fire_at * 1000000 END" \
	" WHEN 'real' THEN CASE WHEN NEW.fire_at BETWEEN " FIRST_SECOND " AND " LAST_SECOND \
	" THEN CAST(round(NEW.fire_at * 1000000) AS INTEGER) END" \
	" WHEN 'text' THEN CASE WHEN NEW.fire_at = 'now' OR" \
	" (NEW.fire_at GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'" \
	" AND date(" DATE ", '+0 days') = " DATE \
	" AND CAST(strftime('%s', NEW.fire_at) AS INTEGER)" \
	" BETWEEN " FIRST_SECOND " AND " LAST_SECOND ")" \
	" THEN " MICROS("NEW.fire_at") " END END"

/* An instant in RFC 3339, with microseconds only when there are any, up to where the zone goes. */
#define FRACTION(at) "((" at " % 1000000 + 1000000) % 1000000)"
#define LOCAL_TEXT(at) \
	"strftime('%Y-%m-%dT%H:%M:%S', (" at " - " FRACTION(at) ") / 1000000, 'unixepoch')" \
	" || CASE WHEN " FRACTION(at) " = 0 THEN '' ELSE printf('.%06d', " FRACTION(at) ") END"

/* Of the schedule's canonical text; SQLite itself would round the microseconds, even upwards. */
#define SCHEDULE_TEXT \
	"strftime('%Y-%m-%dT%H:%M:%S', substr(r.schedule, 1, 19) || substr(r.schedule, -6))" \
	" || CASE WHEN substr(r.schedule, 20, 1) = '.' THEN substr(r.schedule, 20, 7) ELSE '' END"

#define UNLESS(allowed, complaint) \
	" SELECT RAISE(ABORT, '" complaint "') WHERE NOT (" allowed ");"
/* A statement of the caller may carry OR REPLACE in here, which an upsert would not survive. */
#define COUNT(agent, status, change) \
	" INSERT INTO tally (agent, status, count) SELECT " agent ", " status ", 0" \
	" WHERE NOT EXISTS (SELECT 1 FROM tally t WHERE t.agent = " agent \
	" AND t.status = " status ");" \
	" UPDATE tally SET count = count " change " WHERE agent = " agent " AND status = " status ";"
#define NEW_AGENT "coalesce(CAST(NEW.agent AS TEXT), '')"
#define OLD_STATUS "(SELECT r.status FROM reminders r WHERE r.id = OLD.id)"
#define CANCEL_WAITING \
	UNLESS("EXISTS (SELECT 1 FROM reminders WHERE id = OLD.id AND " STILL_WAITS ")", NOT_WAITING) \
	COUNT("OLD.agent", OLD_STATUS, "- 1") \
	COUNT("OLD.agent", "'cancelled'", "+ 1") \
	CANCEL(NOW) ";"

#define NO_TIME "fire_at is missing: when shall the task run?"
#define NO_PROMPT "prompt is missing: what shall the agent do?"
#define BAD_ID "id has 3 to 39 characters of a-z, 0-9, _ and -"
#define BAD_ATTEMPTS "max_attempts is a whole number, at least 1"
#define NOT_NEW "a new task is pending: leave status, attempts and last_error out"
#define ONLY_CANCEL \
	"of a task only the status can be set, to cancelled; use belfry task edit for the rest"
#define NOT_WAITING \
	"the task does not wait for its time any more; use belfry task cancel to stop it"

const char tasks_sqlite[] =
	TASKS("CASE r.schedule_kind WHEN 'at' THEN " SCHEDULE_TEXT
	      " ELSE " LOCAL_TEXT("coalesce(r.nominal_at, r.cursor)") " END || 'Z'",
	      LOCAL_TEXT("r.created_at") " || 'Z'")

	"CREATE TRIGGER scheduled_tasks_insert INSTEAD OF INSERT ON scheduled_tasks BEGIN"
	UNLESS("NEW.fire_at IS NOT NULL", NO_TIME)
	UNLESS("(" FIRE_AT ") IS NOT NULL",
	       "fire_at cannot be read: write 2026-02-04T15:15:00Z (UTC without an offset),"
	       " or seconds since 1970 as a number")
	UNLESS("coalesce(NEW.prompt, '') <> ''", NO_PROMPT)
	UNLESS("NEW.id IS NULL OR (length(NEW.id) BETWEEN 3 AND 39"
	       " AND NEW.id NOT GLOB '*[^a-z0-9_-]*')", BAD_ID)
	UNLESS("NOT EXISTS (SELECT 1 FROM reminders WHERE id = CAST(NEW.id AS TEXT))",
	       "id is taken by another task or reminder")
	UNLESS("NEW.max_attempts IS NULL"
	       " OR (typeof(NEW.max_attempts) = 'integer' AND NEW.max_attempts >= 1)", BAD_ATTEMPTS)
	UNLESS("coalesce(NEW.status, 'pending') = 'pending' AND coalesce(NEW.attempts, 0) = 0"
	       " AND NEW.last_error IS NULL", NOT_NEW)
	" INSERT INTO reminders (" REMINDER_COLUMNS ") SELECT"
	" coalesce(CAST(NEW.id AS TEXT), 'r-' || lower(hex(randomblob(6)))),"
	" " LOCAL_TEXT("at") " || '+00:00', now, now, now, at - 1, at, at,"
	" " NEW_AGENT ", CAST(NEW.prompt AS TEXT)," REMINDER_CONSTANTS
	" FROM (SELECT " FIRE_AT " AS at, " NOW " AS now);"
	" INSERT INTO policies (" POLICY_COLUMNS ") SELECT"
	" last_insert_rowid(), coalesce(NEW.max_attempts, 3)," POLICY_CONSTANTS ";"
	COUNT(NEW_AGENT, "'active'", "+ 1")
	" END;"

	"CREATE TRIGGER scheduled_tasks_update INSTEAD OF UPDATE ON scheduled_tasks BEGIN"
	UNLESS("NEW.status IS 'cancelled' AND NEW.id IS OLD.id AND NEW.fire_at IS OLD.fire_at"
	       " AND NEW.prompt IS OLD.prompt AND NEW.attempts IS OLD.attempts"
	       " AND NEW.max_attempts IS OLD.max_attempts AND NEW.last_error IS OLD.last_error"
	       " AND NEW.created_at IS OLD.created_at AND NEW.agent IS OLD.agent", ONLY_CANCEL)
	CANCEL_WAITING
	" END;"

	"CREATE TRIGGER scheduled_tasks_delete INSTEAD OF DELETE ON scheduled_tasks BEGIN"
	CANCEL_WAITING
	" END;";

/* PostgreSQL; the functions find the tables by the search path that found them now. */

#define REFUSE_IF(wrong, complaint) \
	" IF " wrong " THEN RAISE EXCEPTION '" complaint "'; END IF;"
#define FUNCTION(name, variables) \
	"CREATE FUNCTION " name "() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT" \
	" AS $$ DECLARE" variables " moment BIGINT :=" \
	" (extract(epoch FROM clock_timestamp()) * 1000000)::bigint; BEGIN"
#define TRIGGER(event, function) \
	"CREATE TRIGGER scheduled_tasks_" event " INSTEAD OF " event " ON scheduled_tasks" \
	" FOR EACH ROW EXECUTE FUNCTION " function "();"

const char tasks_postgres[] =
	TASKS("CASE r.schedule_kind WHEN 'at' THEN r.schedule::timestamptz ELSE"
	      " timestamptz 'epoch' + coalesce(r.nominal_at, r.cursor) * interval '1 microsecond' END",
	      "timestamptz 'epoch' + r.created_at * interval '1 microsecond'")

	FUNCTION("belfry_task_insert", " task BIGINT; at BIGINT; utc TIMESTAMP;")
	REFUSE_IF("NEW.fire_at IS NULL", NO_TIME)
	" IF NEW.fire_at NOT BETWEEN to_timestamp(" FIRST_SECOND ") AND to_timestamp(" LAST_SECOND ")"
	" THEN RAISE EXCEPTION 'fire_at % is not within the years 1900 to 9998', NEW.fire_at; END IF;"
	REFUSE_IF("coalesce(NEW.prompt, '') = ''", NO_PROMPT)
	REFUSE_IF("NEW.id !~ '^[a-z0-9_-]+$' OR length(NEW.id) NOT BETWEEN 3 AND 39", BAD_ID)
	REFUSE_IF("NEW.max_attempts < 1", BAD_ATTEMPTS)
	REFUSE_IF("coalesce(NEW.status, 'pending') <> 'pending' OR coalesce(NEW.attempts, 0) <> 0"
		  " OR NEW.last_error IS NOT NULL", NOT_NEW)
	" utc := NEW.fire_at AT TIME ZONE 'UTC';"
	" at := (extract(epoch FROM NEW.fire_at) * 1000000)::bigint;"
	" NEW.id := coalesce(NEW.id, 'r-' || substr(md5(random()::text || moment), 1, 12));"
	" NEW.max_attempts := coalesce(NEW.max_attempts, 3);"
	" NEW.agent := coalesce(NEW.agent, '');"
	" NEW.status := 'pending'; NEW.attempts := 0;"
	" NEW.created_at := timestamptz 'epoch' + moment * interval '1 microsecond';"
	" INSERT INTO reminders (" REMINDER_COLUMNS ") VALUES (NEW.id,"
	" to_char(utc, 'YYYY-MM-DD\"T\"HH24:MI:SS') ||"
	" CASE WHEN at % 1000000 = 0 THEN '' ELSE to_char(utc, '.US') END || '+00:00',"
	" moment, moment, moment, at - 1, at, at, NEW.agent, NEW.prompt," REMINDER_CONSTANTS ")"
	" RETURNING key INTO task;"
	" INSERT INTO policies (" POLICY_COLUMNS ") VALUES (task, NEW.max_attempts," POLICY_CONSTANTS ");"
	" PERFORM pg_notify('belfry', '');"
	" RETURN NEW; END $$;"

	FUNCTION("belfry_task_cancel", "")
	" IF TG_OP = 'UPDATE' THEN"
	REFUSE_IF("NEW.status IS DISTINCT FROM 'cancelled' OR (NEW.id, NEW.fire_at, NEW.prompt,"
		  " NEW.attempts, NEW.max_attempts, NEW.last_error, NEW.created_at, NEW.agent)"
		  " IS DISTINCT FROM (OLD.id, OLD.fire_at, OLD.prompt, OLD.attempts,"
		  " OLD.max_attempts, OLD.last_error, OLD.created_at, OLD.agent)", ONLY_CANCEL)
	" END IF; "
	CANCEL("moment") " AND " STILL_WAITS ";"
	REFUSE_IF("NOT FOUND", NOT_WAITING)
	" PERFORM pg_notify('belfry', '');"
	" IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$;"

	TRIGGER("insert", "belfry_task_insert")
	TRIGGER("update", "belfry_task_cancel")
	TRIGGER("delete", "belfry_task_cancel");
/* clang-format on */
