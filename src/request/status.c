/* status.c: how Belfry itself is doing; and the commands that only a command line can carry out. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/seed.h"
#include "request/json-cron.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/instant.h"
#include "store/store.h"
#include "store/thread.h"

static int put_next_fire(struct db *db, json_t *o, struct error *err)
{
	AUTO_REMINDERS struct reminder_list first = {0};
	json_t *next;
	int rc = reminder_due(db, INSTANT_MAX, 1, &first, err);

	if (rc < 0)
		return rc;
	if (!first.count) {
		json_put(o, "next_fire", json_null());
		return 0;
	}
	next = json_object();
	json_put_text(next, "id", first.items[0]->id);
	json_put_text(next, "name", first.items[0]->name);
	json_put_text(next, "agent", first.items[0]->agent);
	json_put(next, "at", json_instant(first.items[0]->due_at, reminder_zone(first.items[0])));
	json_put(o, "next_fire", next);
	return 0;
}

static void on_queue(const char *agent, int64_t queued, bool more, void *data)
{
	json_t *row = json_pack("{s:s, s:I}", "agent", agent, "queued", (json_int_t)queued);

	if (more)
		json_put_bool(row, "or_more", true);
	json_array_append_new(data, row);
}

static int put_missions(const struct request *rq, json_t *o, struct error *err)
{
	struct db *db = engine_db(rq->engine);
	int64_t running = 0, waiting = 0;
	json_t *missions;
	int rc;

	if ((rc = mission_count_running(db, NULL, &running, err)) < 0 ||
	    (rc = mission_count_waiting(db, &waiting, err)) < 0)
		return rc;
	missions = json_object();
	json_put_int(missions, "running", running);
	json_put_int(missions, "max_concurrent", engine_config(rq->engine)->max_concurrent);
	json_put_int(missions, "waiting", waiting);
	json_put(o, "missions", missions);
	return 0;
}

static int put_inbox(struct db *db, json_t *o, struct error *err)
{
	int64_t unread = 0, asks = 0;
	int rc = thread_totals(db, &unread, &asks, err);

	if (rc == 0)
		json_put(o, "inbox",
			 json_pack("{s:I, s:I}", "unread", (json_int_t)unread, "asks",
				   (json_int_t)asks));
	return rc;
}

/* Those of crons without one, and beside them those that times of whoever asks are read in. */
static void put_zones(const struct request *rq, json_t *o)
{
	const struct zone *zone = NULL;
	const char *source = NULL;
	struct error unknown = {0};

	zone = cron_zone(engine_config(rq->engine), NULL, &source);
	json_put_text(o, "zone", zone_name(zone));
	json_put_text(o, "zone_source", source);
	/* One that is gone from the machine is named with the configuration; the rest is told in another. */
	if (read_zone(rq, NULL, &zone, &source, &unknown) < 0)
		zone = zone_of_machine(&source);
	json_put_text(o, "your_zone", zone_name(zone));
	json_put_text(o, "your_zone_source", source);
}

/* Agents that reminders fire for, and that nobody declares. */
static int put_strangers(const struct request *rq, json_t *o, struct error *err)
{
	AUTO_STRANGERS struct stranger_list list = {0};
	json_t *rows = json_array();
	int rc = engine_strangers(rq->engine, &list, err);

	for (size_t i = 0; i < list.count; i++)
		if (list.items[i].reminders)
			json_array_append_new(rows, json_pack("{s:s, s:I}", "agent",
							      list.items[i].agent, "reminders",
							      (json_int_t)list.items[i].reminders));
	json_put(o, "undeclared_agents", rows);
	return rc;
}

/* Which it is, and which the next daemon would use, without their passwords. */
static void put_stores(const struct request *rq, json_t *o)
{
	AUTO(free) char *used = rq->store ? text_store_shown(rq->store) : NULL;
	AUTO(free) char *other = rq->other_store ? text_store_shown(rq->other_store) : NULL;

	json_put_text(o, "store",
		      db_kind(engine_db(rq->engine)) == DB_SQLITE ? "sqlite" : "postgres");
	json_put_text(o, "store_at", used);
	json_put_text(o, "store_configured", other);
}

/* What can be read, and not written. */
static void put_trouble(const struct request *rq, json_t *o)
{
	json_put_text(o, "trouble", rq->trouble);
	if (!rq->trouble)
		return;
	json_put_text(o, "trouble_hint", rq->trouble_hint);
	json_put(o, "trouble_since", json_instant(rq->trouble_since, zone_utc()));
}

/* PostgreSQL counts up to a limit only. */
static void put_more(const struct db *db, json_t *counts, const int64_t count[4])
{
	for (int i = STATUS_ACTIVE; i <= STATUS_COMPLETED; i++)
		if (db_kind(db) == DB_POSTGRES && count[i] > REMINDER_COUNTED) {
			json_put_int(counts, status_word((enum status)i), REMINDER_COUNTED);
			json_put_bool(counts, "or_more", true);
		}
}

static int exec_status(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(json_decref) json_t *o = json_object();
	json_t *counts = json_object(), *queues = json_array();
	struct db *db = engine_db(rq->engine);
	AUTO(free) char *trouble = NULL;
	int64_t count[4] = {0};
	int rc;

	(void)args;
	if ((rc = engine_clock_trouble(rq->engine, rq->now, &trouble, err)) < 0)
		return rc;
	json_put_text(o, "clock", trouble);
	json_put_bool(o, "running", rq->scheduler_running);
	json_put(o, "pid", rq->scheduler_running ? json_integer(getpid()) : json_null());
	json_put_text(o, "version", BELFRY_VERSION);
	json_put_int(o, "uptime_s", rq->uptime / USEC_PER_SEC);
	json_put_text(o, "home", rq->home);
	put_stores(rq, o);
	put_trouble(rq, o);
	json_put_text(o, "config_error", rq->config_error);
	json_put_text(o, "http", rq->http);
	json_put_text(o, "http_error", rq->http_error);
	json_put(o, "reminders", counts);
	json_put(o, "queues", queues);
	if ((rc = reminder_count(db, count, err)) < 0 || (rc = put_next_fire(db, o, err)) < 0 ||
	    (rc = queue_counts(db, on_queue, queues, err)) < 0 ||
	    (rc = put_missions(rq, o, err)) < 0 || (rc = put_inbox(db, o, err)) < 0 ||
	    (rc = put_strangers(rq, o, err)) < 0)
		return rc;
	put_zones(rq, o);
	for (int i = STATUS_ACTIVE; i <= STATUS_COMPLETED; i++)
		json_put_int(counts, status_word((enum status)i), count[i]);
	put_more(db, counts, count);
	*ret = json_incref(o);
	return 0;
}

const struct request_row status_row = {
	.name = "status",
	.summary = "show how Belfry is doing: daemon, reminders, queues, the next fire",
	.details = "Where the daemon's store is away, or cannot be written, it says since when and "
		   "why nothing fires; the exit status is then 6.",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS,
	.exec = exec_status,
};

/* A large store takes seconds to check, and nothing would fire meanwhile: a daemon only says where it
 * is. */
static int exec_store_check(const struct request *rq, const json_t *args, json_t **ret,
			    struct error *err)
{
	AUTO_BUF struct buf wrong = {0};
	bool is_file = db_kind(engine_db(rq->engine)) == DB_SQLITE;
	int rc;

	(void)args;
	if (rq->scheduler_running) {
		AUTO(free) char *shown = text_store_shown(rq->store);

		*ret = json_pack("{s:s}", "store", is_file ? rq->store : shown);
		return 0;
	}
	rc = store_check(engine_db(rq->engine), &wrong, err);
	if (rc < 0)
		return rc;
	*ret = json_pack("{s:s}", "wrong", buf_text(&wrong));
	return 0;
}

const struct request_row store_check_row = {
	.name = "store check",
	.summary = "check the store's integrity; of a daemon's, say where it is",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_store_check,
};

#define LEAVE_MISSIONS                                                                             \
	{                                                                                          \
		"leave-missions", 0, ARG_FLAG, NULL, "leave missions running", NULL, false, false  \
	}

#define TAKE_OVER                                                                                  \
	{                                                                                          \
		"take-over", 0, ARG_FLAG, NULL,                                                    \
			"also on a store that belongs to another home, which is not to go on",     \
			NULL, false, false                                                         \
	}

#define FRESH                                                                                      \
	{                                                                                          \
		"fresh", 0, ARG_FLAG, NULL,                                                        \
			"also when the database of this home is gone: begin with nothing", NULL,   \
			false, false                                                               \
	}

#define SWITCH_STORE                                                                               \
	{                                                                                          \
		"switch-store", 0, ARG_FLAG, NULL,                                                 \
			"also on another store than this home used last, and from now on", NULL,   \
			false, false                                                               \
	}

/* The loop notices the signal after it has sent this answer; SIGQUIT leaves missions running. */
static int exec_halt(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	bool leave = json_is_true(json_object_get(args, "leave_missions"));

	if (!rq->scheduler_running)
		return error_set(err, ERR_NOT_FOUND, "no daemon is running");
	*ret = json_pack("{s:i, s:I}", "pid", (int)getpid(), "missions",
			 leave ? 0 : (json_int_t)rq->missions);
	if (kill(getpid(), leave ? SIGQUIT : SIGTERM) < 0)
		return error_set_errno(err, errno, "cannot signal the daemon");
	return 0;
}

const struct request_row daemon_halt_row = {
	.name = "daemon halt",
	.summary = "tell the daemon to stop",
	.args = (const struct request_arg[]){LEAVE_MISSIONS, {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_halt,
};

const struct request_row doctor_row = {
	.name = "doctor",
	.summary = "check folders, configuration, store, zones, clock and daemon",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};

const struct request_row config_check_row = {
	.name = "config check",
	.summary = "check config.yml and the roles, and say where they are wrong",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};

const struct request_row daemon_run_row = {
	.name = "daemon run",
	.summary = "run the daemon in the foreground, until SIGTERM or Ctrl-C",
	.details = "Missions that run are then asked to end and have a minute for it; a second "
		   "signal ends them at once. SIGQUIT stops the daemon alone: missions go on, and "
		   "the next daemon takes them over.",
	.args = (const struct request_arg[]){TAKE_OVER,
					     FRESH,
					     SWITCH_STORE,
					     {"ready-fd", 0, ARG_INT, "FD", NULL, NULL, false,
					      false},
					     {0}},
	.flags = REQUEST_LOCAL,
};

const struct request_row daemon_start_row = {
	.name = "daemon start",
	.summary = "start the daemon in the background, and wait until it answers",
	.details =
		"Other commands start it by themselves when it does not run, unless "
		"BELFRY_NO_AUTOSTART is set. Where one runs that does not answer, it is named, and "
		"the exit status is 6. A store belongs to the home whose "
		"daemon had it last; --take-over moves it to this one. What the other home runs is "
		"then not run again, and the inbox names it. A home whose database is gone or "
		"empty is refused, for a new one would have forgotten everything: put a backup "
		"there, or begin with nothing with --fresh. So is one that used another store last "
		"than 'store:' or BELFRY_STORE name now: put that back, or go on with the other "
		"one "
		"with --switch-store. A home that is a copy of another one "
		"is "
		"refused, for both would fire everything: --fresh begins with nothing and keeps "
		"the "
		"copied database beside it; --take-over is for a copy whose original is no longer "
		"used.",
	.args = (const struct request_arg[]){TAKE_OVER, FRESH, SWITCH_STORE, {0}},
	.flags = REQUEST_LOCAL,
};

const struct request_row daemon_stop_row = {
	.name = "daemon stop",
	.summary = "stop the daemon, and wait until it has ended",
	.details = "Missions that run are asked to end and have a minute for it, then they are "
		   "killed. "
		   "With --leave-missions they go on without a daemon, and the next one takes them "
		   "over.",
	.args = (const struct request_arg[]){LEAVE_MISSIONS, {0}},
	.flags = REQUEST_LOCAL,
};

const struct request_row daemon_status_row = {
	.name = "daemon status",
	.summary = "say whether the daemon runs; exit status 3 when not, 6 when nothing fires",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};
