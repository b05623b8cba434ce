/*
 * test-store-tasks.c: the view scheduled_tasks, as a program sees it that only speaks SQL. Each row
 * is one test on every database. What such a program writes is complete for the engine.
 */
#include "store-fixture.h"

#include "base/buf.h"
#include "store/mission.h"
#include "store/policy.h"

/* 2026-02-04T15:15:00Z */
#define FIRE_AT (INT64_C(1770218100) * USEC_PER_SEC)
#define NEW_TASK                                                                                   \
	"INSERT INTO scheduled_tasks (id, fire_at, prompt) VALUES"                                 \
	" ('task-1', '2026-02-04 15:15:00Z', 'go')"

static void do_sql(struct db *db, const char *sql)
{
	struct error err = {0};

	ok(db_script(db, sql, &err));
}

static void assert_refused(struct db *db, const char *sql, const char *words)
{
	struct error err = {0};
	int r = db_script(db, sql, &err);

	if (r >= 0 || !strstr(err.message, words))
		fail_msg("%s: %s", sql, r < 0 ? err.message : "accepted");
}

static void assert_sound(struct db *db)
{
	AUTO_BUF struct buf found = {0};
	struct error err = {0};

	ok(store_check(db, &found, &err));
	assert_string_equal(buf_text(&found), "");
}

/* The one row of a query, as text. */
static void assert_row(struct db *db, const char *sql, int columns, const char *want)
{
	AUTO_ROWS struct db_rows rows = {0};
	AUTO_BUF struct buf got = {0};
	struct error err = {0};

	ok(db_query(db, sql, DB_NO_ARGS, &rows, &err));
	assert_int_equal(db_rows_next(&rows, &err), 1);
	for (int i = 0; i < columns; i++)
		buf_printf(&got, "%s%s", i ? "|" : "",
			   db_is_null(&rows, i) ? "-" : db_text(&rows, i));
	if (strcmp(buf_text(&got), want) != 0)
		fail_msg("%s: '%s', not '%s'", sql, buf_text(&got), want);
}

static struct reminder *task_of(struct db *db, const char *id)
{
	struct reminder *r = NULL;
	struct error err = {0};

	ok(reminder_find(db, id, &r, &err));
	return r;
}

/* Everything `reminder add --at` writes is there. */
static void test_insert(struct db *db)
{
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO_REMINDERS struct reminder_list due = {0};
	usec_t now = clock_now();
	struct error err = {0};

	do_sql(db, NEW_TASK);
	r = task_of(db, "task-1");
	assert_string_equal(r->schedule_kind, "at");
	assert_string_equal(r->schedule, "2026-02-04T15:15:00+00:00");
	assert_string_equal(r->zone, "UTC");
	assert_string_equal(r->message, "go");
	assert_string_equal(r->agent, "");
	assert_null(r->name);
	assert_null(r->condition);
	assert_null(r->end_reason);
	assert_true(r->cursor == FIRE_AT - 1 && r->nominal_at == FIRE_AT && r->due_at == FIRE_AT);
	assert_int_equal(r->action, ACTION_RUN);
	assert_int_equal(r->source, SOURCE_IMPORT);
	assert_int_equal(r->priority, PRIORITY_IDLE);
	assert_int_equal(r->catchup, CATCHUP_ONCE);
	assert_int_equal(r->status, STATUS_ACTIVE);
	assert_true(r->generation == 1 && r->count_max == 0 && r->batch == 0 && r->open_slot == 0);
	assert_true(r->until == USEC_NONE && r->last_fired_at == USEC_NONE);
	assert_true(r->ended_at == USEC_NONE && r->jitter == 0 && r->start_deadline == 0);
	assert_true(r->created_at > now - USEC_PER_SEC && r->created_at < now + USEC_PER_MINUTE);
	assert_true(r->anchor == r->created_at && r->updated_at == r->created_at);
	ok(policy_get(db, r->key, &p, &err));
	assert_int_equal(p->door, DOOR_TASK);
	assert_int_equal(p->overlap, OVERLAP_ALLOW);
	assert_true(p->time_limit == USEC_PER_HOUR && p->backoff == 30 * USEC_PER_SEC);
	assert_true(p->max_attempts == 3 && p->retry_on == RETRY_ALL && p->failures == 0);
	assert_true(p->wait_limit == 0 && p->retention == 0 && p->pause_after == 0);
	ok(reminder_due(db, FIRE_AT, 9, &due, &err));
	assert_int_equal(due.count, 1);
	assert_sound(db);
}

static void test_insert_all(struct db *db)
{
	struct error err = {0};
	int64_t live = 0;

	do_sql(db,
	       "INSERT INTO scheduled_tasks (id, fire_at, prompt, status, attempts,"
	       " max_attempts, last_error, created_at, agent) VALUES ('task_2',"
	       " '2026-02-04 15:15:00.25-08:00', 'go', 'pending', 0, 7, NULL, NULL, 'builder')");
	do_sql(db, "INSERT INTO scheduled_tasks (fire_at, prompt, agent) VALUES"
		   " ('2030-01-01', 'a', 'builder'), ('2030-01-02T00:00', 'b', NULL)");
	assert_row(db,
		   "SELECT prompt, status, attempts, max_attempts, last_error, agent"
		   " FROM scheduled_tasks WHERE id = 'task_2'",
		   6, "go|pending|0|7|-|builder");
	assert_row(db, "SELECT schedule FROM reminders WHERE id = 'task_2'", 1,
		   "2026-02-04T23:15:00.250000+00:00");
	assert_int_equal(number_of(db, "SELECT count(*) FROM scheduled_tasks WHERE id LIKE 'r-%'"
				       " AND length(id) = 14"),
			 2);
	ok(reminder_count_live(db, "builder", &live, &err));
	assert_int_equal(live, 2);
	/* What SQLite cannot: the row as it was made. */
	if (db_kind(db) == DB_POSTGRES)
		assert_row(
			db,
			"INSERT INTO scheduled_tasks (fire_at, prompt) VALUES ('2030-01-01', 'c')"
			" RETURNING length(id), status, attempts, max_attempts, agent,"
			" created_at <= clock_timestamp()",
			6, "14|pending|0|3||t");
	assert_sound(db);
}

/* What the columns look like: instants of their database, and those of a time with an offset. */
static void test_columns(struct db *db)
{
	const char *sql = "SELECT fire_at, created_at FROM scheduled_tasks WHERE id = 'task-1'";

	do_sql(db, NEW_TASK);
	do_sql(db, "UPDATE reminders SET created_at = -1500000");
	if (db_kind(db) == DB_POSTGRES)
		do_sql(db, "SET TIME ZONE 'Asia/Tokyo'");
	if (db_kind(db) == DB_SQLITE)
		assert_row(db, sql, 2, "2026-02-04T15:15:00Z|1969-12-31T23:59:58.500000Z");
	else
		assert_row(db, sql, 2, "2026-02-05 00:15:00+09|1970-01-01 08:59:58.5+09");
	do_sql(db, "UPDATE reminders SET schedule = '2026-02-04T23:59:59.999999-01:30'");
	if (db_kind(db) == DB_SQLITE)
		assert_row(db, sql, 1, "2026-02-05T01:29:59.999999Z");
	else
		assert_row(db, sql, 1, "2026-02-05 10:29:59.999999+09");
	/* Once it has fired, nominal_at is gone and fire_at is not. */
	do_sql(db, "UPDATE reminders SET due_at = NULL, nominal_at = NULL, status = 'completed'");
	if (db_kind(db) == DB_SQLITE)
		assert_row(db, sql, 1, "2026-02-05T01:29:59.999999Z");
}

/* clang-format off */
static const struct time_case {
	const char *value; /* in SQL */
	usec_t want;	   /* USEC_NONE: refused, with these words */
	const char *words;
} sqlite_times[] = {
	{"'2026-02-04T15:15:00Z'",        FIRE_AT},
	{"'2026-02-04 15:15:00'",         FIRE_AT},
	{"'2026-02-04 15:15'",            FIRE_AT},
	{"'2026-02-04T07:15:00-08:00'",   FIRE_AT},
	{"'2026-02-04T15:15:00.123Z'",    FIRE_AT + 123000},
	{"1770218100",                    FIRE_AT},
	{"1770218100.5",                  FIRE_AT + 500000},
	{"-0.5",                          -500000},
	{"-1.25",                         -1250000},
	{"0",                             0},
	{"'1969-12-31 23:59:59.5'",       -500000},
	{"'9998-12-31 23:59:59'",         INT64_C(253370764799) * USEC_PER_SEC},
	{"'next friday'",                 USEC_NONE, "fire_at cannot be read"},
	{"'15:15'",                       USEC_NONE, "fire_at cannot be read"}, /* SQLite: in the year 2000 */
	{"'2460000.5'",                   USEC_NONE, "fire_at cannot be read"}, /* SQLite: a Julian day */
	{"'20260204'",                    USEC_NONE, "fire_at cannot be read"},
	{"'2026-02-30 10:00'",            USEC_NONE, "fire_at cannot be read"}, /* SQLite: the 2nd of March */
	{"'2026-02-04 25:00'",            USEC_NONE, "fire_at cannot be read"},
	{"'2026-02-04 15:15 PST'",        USEC_NONE, "fire_at cannot be read"},
	{"''",                            USEC_NONE, "fire_at cannot be read"},
	{"x'3230'",                       USEC_NONE, "fire_at cannot be read"},
	{"1770218100000",                 USEC_NONE, "fire_at cannot be read"}, /* milliseconds */
	{"9e99",                          USEC_NONE, "fire_at cannot be read"},
	{"-9e99",                         USEC_NONE, "fire_at cannot be read"},
	{"'1899-12-31 00:00'",            USEC_NONE, "fire_at cannot be read"},
	{"'9999-01-01 00:01'",            USEC_NONE, "fire_at cannot be read"},
}, postgres_times[] = {
	{"'2026-02-04T15:15:00Z'",               FIRE_AT},
	{"'2026-02-04 15:15:00.123456+00'",      FIRE_AT + 123456},
	{"'2026-02-04 07:15 America/Los_Angeles'", FIRE_AT},
	{"to_timestamp(1770218100)",             FIRE_AT},
	{"'1969-12-31 23:59:59.5Z'",             -500000},
	{"'nonsense'",                           USEC_NONE, "nonsense"},
	{"'2026-02-30 10:00Z'",                  USEC_NONE, "2026-02-30"},
	{"'infinity'",                           USEC_NONE, "is not within the years"},
	{"'-infinity'",                          USEC_NONE, "is not within the years"},
	{"'1899-12-31Z'",                        USEC_NONE, "is not within the years"},
};
/* clang-format on */

static void check_time(struct db *db, const struct time_case *c, size_t number)
{
	AUTO(reminder_free) struct reminder *task = NULL;
	struct error err = {0};
	char sql[256], id[16];
	int r;

	snprintf(id, sizeof(id), "time-%zu", number);
	snprintf(sql, sizeof(sql),
		 "INSERT INTO scheduled_tasks (id, fire_at, prompt) VALUES ('%s', %s, 'go')", id,
		 c->value);
	r = db_script(db, sql, &err);
	if ((r < 0) != (c->want == USEC_NONE) || (r < 0 && !strstr(err.message, c->words)))
		fail_msg("%s: %s", c->value, r < 0 ? err.message : "accepted");
	if (r < 0)
		return;
	task = task_of(db, id);
	if (task->due_at != c->want || task->nominal_at != c->want || task->cursor != c->want - 1)
		fail_msg("%s: %lld", c->value, (long long)task->due_at);
}

static void test_times(struct db *db)
{
	bool sqlite = db_kind(db) == DB_SQLITE;
	const struct time_case *cases = sqlite ? sqlite_times : postgres_times;
	size_t count = sqlite ? sizeof(sqlite_times) / sizeof(sqlite_times[0])
			      : sizeof(postgres_times) / sizeof(postgres_times[0]);

	for (size_t i = 0; i < count; i++)
		check_time(db, &cases[i], i);
	assert_sound(db);
}

static void test_refused_inserts(struct db *db)
{
	/* clang-format off */
	static const struct { const char *columns, *values, *words; } cases[] = {
		{"prompt",               "'go'",                             "fire_at is missing"},
		{"fire_at",              "'2026-02-04'",                     "prompt is missing"},
		{"fire_at, prompt",      "'2026-02-04', ''",                 "prompt is missing"},
		{"fire_at, prompt, id",  "'2026-02-04', 'go', 'no spaces'",  "id has 3 to 39"},
		{"fire_at, prompt, id",  "'2026-02-04', 'go', 'ab'",         "id has 3 to 39"},
		{"fire_at, prompt, id",  "'2026-02-04', 'go',"
		 " 'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd'",              "id has 3 to 39"},
		{"fire_at, prompt, max_attempts", "'2026-02-04', 'go', 0",   "max_attempts is a"},
		{"fire_at, prompt, max_attempts", "'2026-02-04', 'go', 'x'", ""},
		{"fire_at, prompt, status", "'2026-02-04', 'go', 'running'", "a new task is pending"},
		{"fire_at, prompt, attempts", "'2026-02-04', 'go', 1",       "a new task is pending"},
		{"fire_at, prompt, last_error", "'2026-02-04', 'go', 'x'",   "a new task is pending"},
	};
	/* clang-format on */
	char sql[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(sql, sizeof(sql), "INSERT INTO scheduled_tasks (%s) VALUES (%s)",
			 cases[i].columns, cases[i].values);
		assert_refused(db, sql, cases[i].words);
	}
	assert_int_equal(number_of(db, "SELECT count(*) FROM reminders"), 0);
	assert_int_equal(number_of(db, "SELECT count(*) FROM policies"), 0);
}

/* An id that is there already, whatever the statement says shall be done then. */
static void test_taken(struct db *db)
{
	static const char *const verbs[] = {"INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE",
					    "INSERT OR FAIL", "REPLACE"};
	char sql[160];

	do_sql(db, NEW_TASK);
	for (size_t i = 0; i < (db_kind(db) == DB_SQLITE ? 5 : 1); i++) {
		snprintf(sql, sizeof(sql),
			 "%s INTO scheduled_tasks (id, fire_at, prompt) VALUES"
			 " ('task-1', '2027-01-01', 'other')",
			 verbs[i]);
		assert_refused(db, sql, db_kind(db) == DB_SQLITE ? "id is taken" : "");
		assert_row(db, "SELECT count(*), max(prompt) FROM scheduled_tasks", 2, "1|go");
	}
	if (db_kind(db) == DB_SQLITE)
		do_sql(db, "INSERT OR REPLACE INTO scheduled_tasks (fire_at, prompt) VALUES"
			   " ('2027-01-01', 'a'), ('2027-01-02', 'b')");
	assert_sound(db);
}

static void assert_cancelled(struct db *db, const char *id)
{
	AUTO(reminder_free) struct reminder *r = task_of(db, id);
	usec_t now = clock_now();

	assert_int_equal(r->status, STATUS_CANCELLED);
	assert_string_equal(r->end_reason, "cancelled by SQL");
	assert_true(r->due_at == USEC_NONE && r->nominal_at == USEC_NONE);
	assert_true(r->ended_at > now - USEC_PER_MINUTE && r->ended_at < now + USEC_PER_MINUTE);
	assert_true(r->updated_at == r->ended_at);
}

static void test_cancel(struct db *db)
{
	int64_t counts[4];
	struct error err = {0};

	do_sql(db, "INSERT INTO scheduled_tasks (id, fire_at, prompt, agent) VALUES"
		   " ('one', '2030-01-01', 'a', 'x'), ('two', '2030-01-01', 'b', 'x'),"
		   " ('three', '2030-01-01', 'c', 'y'), ('four', '2030-01-01', 'c', 'y')");
	do_sql(db, "UPDATE scheduled_tasks SET status = 'cancelled' WHERE id = 'one'");
	do_sql(db, "DELETE FROM scheduled_tasks WHERE id = 'two'");
	assert_cancelled(db, "one");
	assert_cancelled(db, "two");
	assert_row(db, "SELECT status FROM scheduled_tasks WHERE id = 'two'", 1, "cancelled");
	assert_row(db, "SELECT status FROM scheduled_tasks WHERE id = 'three'", 1, "pending");
	ok(reminder_count(db, counts, &err));
	assert_int_equal(counts[STATUS_ACTIVE], 2);
	assert_int_equal(counts[STATUS_CANCELLED], 2);
	assert_sound(db);
	/* A paused one too. */
	do_sql(db, "UPDATE reminders SET due_at = NULL, status = 'paused' WHERE id = 'three'");
	if (db_kind(db) == DB_SQLITE)
		do_sql(db, "UPDATE tally SET count = 0 WHERE agent = 'y' AND status = 'active';"
			   "INSERT INTO tally VALUES ('y', 'paused', 1);"
			   "UPDATE tally SET count = 1 WHERE agent = 'y' AND status = 'active'");
	assert_row(db, "SELECT status FROM scheduled_tasks WHERE id = 'three'", 1, "pending");
	do_sql(db, "DELETE FROM scheduled_tasks WHERE id = 'three'");
	assert_cancelled(db, "three");
	assert_sound(db);
}

static void test_refused_changes(struct db *db)
{
	static const char only[] = "only the status can be set";
	static const char late[] = "does not wait for its time any more";

	do_sql(db, NEW_TASK);
	assert_refused(db, "UPDATE scheduled_tasks SET prompt = 'other'", only);
	assert_refused(db, "UPDATE scheduled_tasks SET fire_at = '2027-01-01'", only);
	assert_refused(db, "UPDATE scheduled_tasks SET status = 'completed'", only);
	assert_refused(db, "UPDATE scheduled_tasks SET status = NULL", only);
	assert_refused(db, "UPDATE scheduled_tasks SET id = 'other'", only);
	assert_refused(db, "UPDATE scheduled_tasks SET status = 'cancelled', attempts = 5", only);
	do_sql(db, "UPDATE reminders SET open_slot = 1"); /* its condition is being checked */
	assert_refused(db, "DELETE FROM scheduled_tasks", late);
	do_sql(db, "UPDATE reminders SET open_slot = NULL; DELETE FROM scheduled_tasks");
	assert_refused(db, "UPDATE scheduled_tasks SET status = 'cancelled'", late);
	assert_refused(db, "DELETE FROM scheduled_tasks", late);
	assert_sound(db);
}

/* How it goes */

static struct mission mission_of(struct db *db, const char *task)
{
	AUTO(reminder_free) struct reminder *r = task_of(db, task);

	return (struct mission){.reminder = r->key,
				.door = DOOR_TASK,
				.agent = (char *)"x",
				.prompt = (char *)"go",
				.phase = PHASE_WAITING,
				.ready_at = 1,
				.wait_until = USEC_NONE,
				.max_attempts = 3,
				.created_at = 1,
				.started_at = USEC_NONE,
				.ended_at = USEC_NONE,
				.archived_at = USEC_NONE};
}

static void assert_task(struct db *db, const char *want)
{
	assert_row(db, "SELECT status, attempts, last_error FROM scheduled_tasks", 3, want);
}

static void end_run(struct db *db, struct mission *m, enum ending ending, const char *error)
{
	struct run r = {.mission = m->key,
			.number = ++m->runs,
			.attempt = ++m->attempts,
			.begun_at = 1,
			.started_at = 2,
			.finished_at = 3,
			.overdue_at = USEC_NONE,
			.ending = ending,
			.error = (char *)error,
			.cost = -1};
	struct error err = {0};

	ok(run_insert(db, &r, &err));
	m->outcome = ending;
	ok(mission_update(db, m, &err));
}

static void set_phase(struct db *db, struct mission *m, enum phase phase)
{
	struct error err = {0};

	m->phase = phase;
	ok(mission_update(db, m, &err));
}

/* Due, in line, running, failed, in line again, running, done. */
static void test_story(struct db *db)
{
	struct mission m;
	struct error err = {0};

	do_sql(db, NEW_TASK);
	assert_task(db, "pending|0|-");
	do_sql(db, "UPDATE reminders SET due_at = NULL, nominal_at = NULL, status = 'completed'");
	if (db_kind(db) == DB_SQLITE)
		do_sql(db, "UPDATE tally SET status = 'completed'");
	m = mission_of(db, "task-1");
	ok(mission_insert(db, &m, &err));
	assert_task(db, "pending|0|-");
	set_phase(db, &m, PHASE_STARTING);
	assert_task(db, "running|0|-");
	set_phase(db, &m, PHASE_RUNNING);
	end_run(db, &m, ENDING_ERROR, "exit 1");
	assert_task(db, "running|1|exit 1");
	set_phase(db, &m, PHASE_WAITING);
	assert_task(db, "pending|1|exit 1");
	assert_refused(db, "DELETE FROM scheduled_tasks", "does not wait for its time any more");
	set_phase(db, &m, PHASE_RUNNING);
	end_run(db, &m, ENDING_SUCCESS, NULL);
	set_phase(db, &m, PHASE_ENDED);
	assert_task(db, "completed|2|-");
	assert_refused(db, "UPDATE scheduled_tasks SET status = 'cancelled'",
		       "does not wait for its time any more");
}

static void test_endings(struct db *db)
{
	/* clang-format off */
	static const struct { enum ending ending; const char *error, *want; } cases[] = {
		{ENDING_SUCCESS,         NULL,     "completed|1|-"},
		{ENDING_ERROR,           "exit 1", "failed|1|exit 1"},
		{ENDING_TIMEOUT,         NULL,     "failed|1|the mission's reason"},
		{ENDING_ORPHANED,        "lost",   "failed|1|lost"},
		{ENDING_DAEMON_SHUTDOWN, "lost",   "failed|1|lost"},
		{ENDING_KILLED,          "by you", "cancelled|1|by you"},
	};
	/* clang-format on */
	struct error err = {0};

	do_sql(db, NEW_TASK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* The newest counts: as if it had been run by hand again. */
		struct mission m = mission_of(db, "task-1");

		m.reason = (char *)"the mission's reason";
		ok(mission_insert(db, &m, &err));
		end_run(db, &m, cases[i].ending, cases[i].error);
		set_phase(db, &m, PHASE_ENDED);
		assert_task(db, cases[i].want);
	}
}

/* It came to no run: given up in line, stopped in line, or decided against before that. */
static void test_without_run(struct db *db)
{
	struct mission m;
	struct slot s;
	struct error err = {0};

	do_sql(db, NEW_TASK);
	m = mission_of(db, "task-1");
	m.reason = (char *)"waited too long", m.phase = PHASE_ENDED;
	ok(mission_insert(db, &m, &err));
	assert_task(db, "failed|0|waited too long");
	m.stop_reason = (char *)"stopped";
	ok(mission_update(db, &m, &err));
	assert_task(db, "cancelled|0|waited too long");
	ok(mission_delete(db, m.key, &err));
	assert_task(db, "pending|0|-");
	do_sql(db, "UPDATE reminders SET due_at = NULL, status = 'completed'");
	assert_task(db, "completed|0|-");
	s = slot_sample(m.reminder, FIRE_AT);
	s.outcome = OUTCOME_FAILED, s.reason = (char *)"no agent 'x'";
	ok(slot_insert(db, &s, &err));
	assert_task(db, "failed|0|no agent 'x'");
	s.outcome = OUTCOME_RAN, s.reason = NULL;
	ok(slot_update(db, &s, &err));
	assert_task(db, "completed|0|-");
}

/* Other doors and other reminders are not tasks. */
static void test_others(struct db *db)
{
	struct policy p = {.reminder = add_reminder(db, "r-1", NULL, 10, STATUS_ACTIVE),
			   .door = DOOR_CRON,
			   .max_attempts = 1};
	struct error err = {0};

	ok(policy_insert(db, &p, &err));
	add_reminder(db, "r-2", NULL, 10, STATUS_ACTIVE);
	assert_int_equal(number_of(db, "SELECT count(*) FROM scheduled_tasks"), 0);
	do_sql(db, "DELETE FROM scheduled_tasks");
	assert_int_equal(number_of(db, "SELECT count(*) FROM reminders WHERE status = 'active'"),
			 2);
}

/* clang-format off */
static const struct store_row rows[] = {
	{"B1 a task by SQL",                  test_insert},
	{"B1 every column that can be given", test_insert_all},
	{"B1 instants as the database has them", test_columns},
	{"B1 times that can be read",         test_times},
	{"B1 inserts that are refused",       test_refused_inserts},
	{"B1 an id that is taken",            test_taken},
	{"B1 cancelled by SQL",               test_cancel},
	{"B1 changes that are refused",       test_refused_changes},
	{"B1 from pending to completed",      test_story},
	{"B1 how missions end",               test_endings},
	{"B1 it came to no run",              test_without_run},
	{"B1 other doors",                    test_others},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-tasks", rows, sizeof(rows) / sizeof(rows[0]));
}
