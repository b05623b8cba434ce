/*
 * test-store-mission.c: the contracts of mission.h, policy.h and board.h. Each row is one test on
 * every database.
 */
#include "store-fixture.h"

#include <sqlite3.h>

#include "base/buf.h"
#include "store/board.h"
#include "store/mission.h"
#include "store/policy.h"

static struct mission mission_sample(enum phase phase)
{
	return (struct mission){
		.door = DOOR_HAND,
		.agent = (char *)"builder",
		.prompt = (char *)"build it",
		.phase = phase,
		.nominal = 10,
		.ready_at = 10,
		.wait_until = USEC_NONE,
		.max_attempts = 1,
		.created_at = 10,
		.started_at = USEC_NONE,
		.ended_at = phase == PHASE_ENDED ? 50 : USEC_NONE,
		.archived_at = USEC_NONE,
	};
}

static struct run run_sample(int64_t mission, int64_t number)
{
	return (struct run){
		.mission = mission,
		.number = number,
		.attempt = number,
		.begun_at = 10,
		.started_at = USEC_NONE,
		.finished_at = USEC_NONE,
		.overdue_at = USEC_NONE,
		.exit_code = -1,
		.cost = -1,
	};
}

/* Insert a sample of a reminder; its nominal instant names it in the lists below. */
static int64_t add_mission(struct db *db, int64_t reminder, usec_t nominal, enum phase phase)
{
	struct mission m = mission_sample(phase);
	struct error err = {0};

	m.reminder = reminder, m.nominal = nominal;
	ok(mission_insert(db, &m, &err));
	return m.key;
}

static void assert_missions(const struct mission_list *list, const char *want)
{
	AUTO_BUF struct buf got = {0};

	for (size_t i = 0; i < list->count; i++)
		buf_printf(&got, "%s%lld", i ? " " : "", (long long)list->items[i]->nominal);
	assert_string_equal(buf_text(&got), want);
}

static void assert_same_mission(const struct mission *a, const struct mission *b)
{
	assert_string_equal(a->id, b->id);
	SAME(key), SAME(reminder), SAME(slot), SAME(door), SAME(phase), SAME(outcome);
	SAME(nominal), SAME(ready_at), SAME(wait_until), SAME(time_limit), SAME(max_attempts);
	SAME(retry_on), SAME(backoff), SAME(attempts), SAME(runs), SAME(cost), SAME(created_at);
	SAME(started_at), SAME(ended_at), SAME(archived_at);
	SAME_TEXT(origin);
	SAME_TEXT(agent);
	SAME_TEXT(prompt);
	SAME_TEXT(git);
	SAME_TEXT(reason);
	SAME_TEXT(stop_reason);
	SAME_TEXT(session);
}

static void test_mission(struct db *db)
{
	int64_t reminder = add_reminder(db, "r-1", NULL, 10, STATUS_ACTIVE);
	struct slot slot = slot_sample(reminder, 10);
	struct mission m = mission_sample(PHASE_BEHIND);
	AUTO(mission_free) struct mission *first = NULL, *second = NULL;
	struct error err = {0};

	slot.outcome = OUTCOME_RUNNING;
	ok(slot_insert(db, &slot, &err));
	m.reminder = reminder, m.slot = slot.key, m.door = DOOR_CRON;
	m.origin = (char *)"nightly", m.git = (char *)"site";
	ok(mission_insert(db, &m, &err));
	assert_int_equal(strlen(m.id), 10);
	assert_memory_equal(m.id, "mis-", 4);
	ok(mission_get(db, m.key, &first, &err));
	assert_same_mission(&m, first);
	m.phase = PHASE_RUNNING, m.outcome = ENDING_TIMEOUT, m.reason = (char *)"1 of 3";
	m.stop_reason = (char *)"by hand", m.nominal = 11, m.ready_at = 12, m.wait_until = 13;
	m.time_limit = 14, m.max_attempts = 15, m.retry_on = RETRY_ALL, m.backoff = 16;
	m.attempts = 17, m.runs = 18, m.session = (char *)"s-1", m.cost = 19, m.started_at = 20;
	m.ended_at = 21, m.archived_at = 22;
	ok(mission_update(db, &m, &err));
	ok(mission_get(db, m.key, &second, &err));
	assert_same_mission(&m, second);
	assert_int_equal(mission_get(db, m.key + 1000, &second, &err), ERR_NOT_FOUND);
}

static void test_mission_ids(struct db *db)
{
	struct mission one = mission_sample(PHASE_WAITING), two = one, given = one;
	AUTO(mission_free) struct mission *found = NULL, *again = NULL, *none = NULL;
	struct error err = {0};
	char prefix[8];

	/* The same random numbers again: the first try is taken. */
	random_seed(3);
	ok(mission_insert(db, &one, &err));
	random_seed(3);
	ok(mission_insert(db, &two, &err));
	assert_string_not_equal(one.id, two.id);
	snprintf(given.id, sizeof(given.id), "%s", one.id);
	assert_int_equal(mission_insert(db, &given, &err), ERR_CONFLICT);
	ok(mission_find(db, two.id, &found, &err));
	assert_true(found->key == two.key);
	snprintf(prefix, sizeof(prefix), "%.7s", one.id);
	ok(mission_find(db, prefix, &again, &err));
	assert_true(again->key == one.key);
	assert_int_equal(mission_find(db, "mis-", &none, &err), ERR_CONFLICT);
	assert_non_null(strstr(err.message, one.id));
	assert_int_equal(mission_find(db, "mis-!", &none, &err), ERR_NOT_FOUND);
	assert_int_equal(mission_find(db, "", &none, &err), ERR_NOT_FOUND);
	assert_null(none);
}

/* One mission a slot; it outlives both its slot and its reminder. */
static void test_mission_slot(struct db *db)
{
	int64_t reminder = add_reminder(db, "r-1", NULL, 10, STATUS_ACTIVE);
	struct slot slot = slot_sample(reminder, 10);
	struct mission m = mission_sample(PHASE_WAITING), twin = m;
	AUTO(mission_free) struct mission *found = NULL, *none = NULL, *left = NULL;
	struct error err = {0};

	ok(slot_insert(db, &slot, &err));
	m.reminder = reminder, m.slot = twin.slot = slot.key;
	ok(mission_insert(db, &m, &err));
	assert_int_equal(mission_insert(db, &twin, &err), ERR_CONFLICT);
	assert_string_equal(twin.id, "");
	ok(mission_of_slot(db, slot.key, &found, &err));
	assert_true(found->key == m.key);
	ok(mission_of_slot(db, slot.key + 1, &none, &err));
	assert_null(none);
	ok(db_exec(db, "DELETE FROM reminders", DB_NO_ARGS, &err));
	ok(mission_get(db, m.key, &left, &err));
	assert_true(left->slot == 0 && left->reminder == reminder);
}

static void test_mission_delete(struct db *db)
{
	int64_t key = add_mission(db, 0, 1, PHASE_REMOVING), other = add_mission(db, 0, 2, 0);
	struct run r = run_sample(key, 1), kept = run_sample(other, 1);
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(run_free) struct run *gone = NULL;
	struct error err = {0};

	ok(run_insert(db, &r, &err));
	ok(run_insert(db, &kept, &err));
	ok(mission_delete(db, key, &err));
	assert_int_equal(mission_get(db, key, &m, &err), ERR_NOT_FOUND);
	assert_int_equal(run_get(db, r.key, &gone, &err), ERR_NOT_FOUND);
	ok(run_get(db, kept.key, &gone, &err));
	/* Its number is not given out again: somebody may still wait for its end. */
	assert_true(add_mission(db, 0, 3, PHASE_WAITING) > other);
}

static void assert_listed(struct db *db, struct mission_filter f, const char *want)
{
	AUTO_MISSIONS struct mission_list list = {0};
	struct error err = {0};

	f.limit = f.limit ? f.limit : 100;
	ok(mission_list(db, &f, &list, &err));
	assert_missions(&list, want);
}

static void test_mission_list(struct db *db)
{
	/* clang-format off */
	static const struct { int64_t reminder; enum door door; const char *origin, *agent;
			      enum phase phase; bool archived; } given[] = {
		{1, DOOR_CRON, "nightly", "builder", PHASE_ENDED,    true},
		{1, DOOR_CRON, "nightly", "builder", PHASE_ENDED,    false},
		{1, DOOR_CRON, "renamed", "writer",  PHASE_RUNNING,  false},
		{2, DOOR_TASK, NULL,      "builder", PHASE_WAITING,  false},
		{0, DOOR_HAND, NULL,      "writer",  PHASE_REMOVING, false},
		{0, DOOR_HAND, NULL,      "writer",  PHASE_ENDED,    false},
	};
	/* clang-format on */
	AUTO_MISSIONS struct mission_list page = {0};
	struct error err = {0};

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct mission m = mission_sample(given[i].phase);

		m.reminder = given[i].reminder, m.door = given[i].door, m.nominal = (usec_t)i + 1;
		m.origin = (char *)given[i].origin, m.agent = (char *)given[i].agent;
		m.archived_at = given[i].archived ? 60 : USEC_NONE;
		ok(mission_insert(db, &m, &err));
	}
	assert_listed(db, (struct mission_filter){.door = -1}, "6 4 3 2");
	assert_listed(db, (struct mission_filter){.door = -1, .archived = true}, "6 4 3 2 1");
	assert_listed(db, (struct mission_filter){.door = -1, .open_only = true}, "4 3");
	assert_listed(db, (struct mission_filter){.door = -1, .ended_only = true}, "6 2");
	assert_listed(db, (struct mission_filter){.door = -1, .reminder = 1, .ended_only = true},
		      "2");
	assert_listed(db, (struct mission_filter){.door = DOOR_CRON}, "3 2");
	assert_listed(db, (struct mission_filter){.door = -1, .agent = "writer"}, "6 3");
	assert_listed(db, (struct mission_filter){.door = -1, .origin = "nightly"}, "2");
	assert_listed(db,
		      (struct mission_filter){.door = -1, .origin = "nightly", .archived = true},
		      "2 1");
	assert_listed(db, (struct mission_filter){.door = -1, .origin = "nobody"}, "");
	assert_listed(db, (struct mission_filter){.door = -1, .reminder = 1}, "3 2");
	assert_listed(db, (struct mission_filter){.door = -1, .reminder = 1, .origin = "renamed"},
		      "3");
	assert_listed(db, (struct mission_filter){.door = -1, .reminder = 1, .open_only = true},
		      "3");
	assert_listed(db, (struct mission_filter){.door = DOOR_TASK, .reminder = 1}, "");
	assert_listed(
		db,
		(struct mission_filter){
			.door = -1, .origin = "renamed", .open_only = true, .agent = "builder"},
		"");
	ok(mission_list(db, &(struct mission_filter){.door = -1, .limit = 2}, &page, &err));
	assert_missions(&page, "6 4");
	assert_listed(db, (struct mission_filter){.door = -1, .before = page.items[1]->key}, "3 2");
}

/* Waiting for their turn: by nominal instant, not before they are ready, not after they gave up. */
static void test_mission_line(struct db *db)
{
	/* clang-format off */
	static const struct { enum phase phase; usec_t nominal, ready_at, wait_until; } given[] = {
		{PHASE_WAITING,  30, 30,  USEC_NONE}, {PHASE_WAITING, 10, 90,  200},
		{PHASE_WAITING,  20, 20,  300},       {PHASE_BEHIND,  5,  5,   150},
		{PHASE_STARTING, 1,  1,   120},       {PHASE_ENDED,   2,  2,   110},
		{PHASE_WAITING,  20, 100, USEC_NONE}, {PHASE_WAITING, 40, USEC_NONE, USEC_NONE},
	};
	/* clang-format on */
	AUTO_MISSIONS struct mission_list ready = {0}, few = {0}, late = {0}, expired = {0};
	AUTO_MISSIONS struct mission_list patient = {0}, one = {0};
	struct error err = {0};
	usec_t at = 0, until = 0;

	ok(mission_next(db, 0, &at, &until, &err));
	assert_true(at == USEC_NONE && until == USEC_NONE);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct mission m = mission_sample(given[i].phase);

		m.nominal = given[i].nominal, m.ready_at = given[i].ready_at;
		m.wait_until = given[i].wait_until;
		ok(mission_insert(db, &m, &err));
	}
	ok(mission_next(db, 0, &at, &until, &err));
	assert_true(at == 20 && until == 150);
	ok(mission_next(db, 30, &at, &until, &err));
	assert_true(at == 90 && until == 150);
	ok(mission_ready(db, 30, 9, &ready, &err));
	assert_missions(&ready, "20 30");
	ok(mission_ready(db, 30, 1, &few, &err));
	assert_missions(&few, "20");
	ok(mission_ready(db, 100, 9, &late, &err));
	assert_missions(&late, "10 20 20 30");
	ok(mission_expired(db, 149, 9, &patient, &err));
	assert_missions(&patient, "");
	ok(mission_expired(db, 200, 9, &expired, &err));
	assert_missions(&expired, "5 10");
	ok(mission_expired(db, 200, 1, &one, &err));
	assert_missions(&one, "5");
}

static void add_running(struct db *db, const char *agent, enum phase phase, enum run_kind kind)
{
	struct mission m = mission_sample(phase);
	struct error err = {0};
	struct run r;

	m.agent = (char *)agent, m.runs = 2;
	ok(mission_insert(db, &m, &err));
	r = run_sample(m.key, 1);
	r.finished_at = 20;
	ok(run_insert(db, &r, &err));
	r = run_sample(m.key, 2);
	r.kind = kind;
	if (phase == PHASE_ENDED || phase == PHASE_WAITING)
		r.finished_at = 30;
	ok(run_insert(db, &r, &err));
}

static void test_mission_running(struct db *db)
{
	struct error err = {0};
	int64_t n = -1;

	ok(mission_count_running(db, NULL, &n, &err));
	assert_int_equal(n, 0);
	add_running(db, "a", PHASE_RUNNING, RUN_ATTEMPT);
	add_running(db, "a", PHASE_STARTING, RUN_RESUME);
	add_running(db, "b", PHASE_RUNNING, RUN_ATTEMPT);
	add_running(db, "a", PHASE_RUNNING, RUN_INTERACTIVE);
	add_running(db, "a", PHASE_ENDED, RUN_ATTEMPT);
	add_running(db, "a", PHASE_WAITING, RUN_ATTEMPT);
	ok(mission_count_running(db, NULL, &n, &err));
	assert_int_equal(n, 3);
	ok(mission_count_running(db, "a", &n, &err));
	assert_int_equal(n, 2);
	ok(mission_count_running(db, "c", &n, &err));
	assert_int_equal(n, 0);
}

static void test_mission_open(struct db *db)
{
	AUTO_MISSIONS struct mission_list of_one = {0}, running = {0}, ended = {0}, none = {0};
	AUTO_MISSIONS struct mission_list removing = {0};
	struct error err = {0};

	for (int i = PHASE_BEHIND; i <= PHASE_REMOVING; i++) {
		add_mission(db, 1, i, (enum phase)i);
		add_mission(db, 2, i + 100, (enum phase)i);
	}
	ok(mission_open_of(db, 1, &of_one, &err));
	assert_missions(&of_one, "0 1 2 3");
	ok(mission_open_of(db, 3, &none, &err));
	assert_missions(&none, "");
	ok(mission_in_phase(db, PHASE_RUNNING, &running, &err));
	assert_missions(&running, "3 103");
	ok(mission_in_phase(db, PHASE_ENDED, &ended, &err));
	assert_missions(&ended, "4 104");
	ok(mission_in_phase(db, PHASE_REMOVING, &removing, &err));
	assert_missions(&removing, "5 105");
}

static void test_mission_retention(struct db *db)
{
	AUTO_MISSIONS struct mission_list surplus = {0}, all = {0}, none = {0}, old = {0};
	AUTO_MISSIONS struct mission_list few = {0};
	struct error err = {0};

	for (int i = 1; i <= 5; i++) {
		struct mission m = mission_sample(i == 5 ? PHASE_RUNNING : PHASE_ENDED);

		m.reminder = 1, m.nominal = i, m.archived_at = i == 1 ? 60 : USEC_NONE;
		m.ended_at = i == 5 ? USEC_NONE : 100 - i;
		ok(mission_insert(db, &m, &err));
		m.id[0] = '\0', m.reminder = 2, m.nominal = i + 10;
		ok(mission_insert(db, &m, &err));
	}
	ok(mission_surplus(db, 1, 1, &surplus, &err));
	assert_missions(&surplus, "3 2");
	ok(mission_surplus(db, 1, 0, &all, &err));
	assert_missions(&all, "4 3 2");
	ok(mission_surplus(db, 1, 3, &none, &err));
	assert_missions(&none, "");
	ok(mission_old(db, 99, 9, &old, &err));
	assert_missions(&old, "4 14 3 13 2 12");
	ok(mission_old(db, 98, 1, &few, &err));
	assert_missions(&few, "4");
}

/* A reminder that has ended is kept while what it began still runs, and the count stays right. */
static void test_reminder_kept(struct db *db)
{
	int64_t key = add_reminder(db, "r-1", NULL, 10, STATUS_COMPLETED), done = 0;
	struct slot running = slot_sample(key, 10);
	AUTO_BUF struct buf found = {0};
	AUTO(mission_free) struct mission *m = NULL;
	struct error err = {0};

	running.outcome = OUTCOME_RUNNING;
	ok(slot_insert(db, &running, &err));
	ok(mission_get(db, add_mission(db, key, 10, PHASE_WAITING), &m, &err));
	ok(slot_prune(db, 100, 9, &done, &err));
	assert_int_equal(done, 0);
	ok(reminder_prune(db, 100, 9, &done, &err));
	assert_int_equal(done, 0);
	m->phase = PHASE_ENDED;
	ok(mission_update(db, m, &err));
	running.outcome = OUTCOME_RAN;
	ok(slot_update(db, &running, &err));
	ok(reminder_prune(db, 100, 9, &done, &err));
	assert_int_equal(done, 1);
	ok(store_check(db, &found, &err));
	assert_string_equal(buf_text(&found), "");
}

/* runs */

static void assert_same_run(const struct run *a, const struct run *b)
{
	SAME(key), SAME(mission), SAME(number), SAME(attempt), SAME(kind), SAME(pid);
	SAME(pid_start), SAME(begun_at), SAME(started_at), SAME(finished_at), SAME(overdue_at);
	SAME(ending), SAME(exit_code), SAME(signal), SAME(cost);
	SAME_TEXT(prompt);
	SAME_TEXT(boot);
	SAME_TEXT(answer);
	SAME_TEXT(error);
	SAME_TEXT(session);
}

static void test_run(struct db *db)
{
	int64_t mission = add_mission(db, 0, 1, PHASE_STARTING);
	struct run r = run_sample(mission, 1), twin = r, again = r;
	AUTO(run_free) struct run *first = NULL, *second = NULL, *last = NULL, *none = NULL;
	AUTO_RUNS struct run_list list = {0};
	struct error err = {0};

	r.kind = RUN_RESUME, r.prompt = (char *)"go on";
	ok(run_insert(db, &r, &err));
	ok(run_get(db, r.key, &first, &err));
	assert_same_run(&r, first);
	/* Two in one conversation lose a turn. */
	twin.number = 2;
	assert_int_equal(run_insert(db, &twin, &err), ERR_CONFLICT);
	r.pid = 4000000000, r.pid_start = 5, r.boot = (char *)"b-1", r.started_at = 11;
	r.finished_at = 12, r.overdue_at = 13, r.ending = ENDING_DAEMON_SHUTDOWN;
	r.exit_code = 3, r.signal = 15, r.answer = (char *)"", r.error = (char *)"no";
	r.session = (char *)"s-1", r.cost = 0;
	ok(run_update(db, &r, &err));
	ok(run_get(db, r.key, &second, &err));
	assert_same_run(&r, second);
	assert_int_equal(run_insert(db, &again, &err), ERR_CONFLICT); /* its number is taken */
	ok(run_insert(db, &twin, &err));
	ok(run_list(db, mission, &list, &err));
	assert_int_equal(list.count, 2);
	assert_true(list.items[0]->number == 2 && list.items[1]->number == 1);
	ok(run_last(db, mission, &last, &err));
	assert_true(last->key == twin.key);
	ok(run_last(db, mission + 1, &none, &err));
	assert_null(none);
	assert_int_equal(run_get(db, r.key + 1000, &none, &err), ERR_NOT_FOUND);
}

static void test_run_open(struct db *db)
{
	AUTO_RUNS struct run_list none = {0}, open = {0}, overdue = {0}, punctual = {0};
	usec_t overdue_at[] = {300, USEC_NONE, 100, 200, 50}, next = 0;
	struct error err = {0};

	ok(run_open(db, &none, &err));
	assert_int_equal(none.count, 0);
	ok(run_next_overdue(db, &next, &err));
	assert_true(next == USEC_NONE);
	for (int i = 0; i < 5; i++) {
		struct run r = run_sample(add_mission(db, 0, i, PHASE_RUNNING), i + 1);

		r.overdue_at = overdue_at[i];
		r.finished_at = i == 4 ? 40 : USEC_NONE;
		ok(run_insert(db, &r, &err));
	}
	ok(run_open(db, &open, &err));
	assert_int_equal(open.count, 4);
	assert_true(open.items[0]->number == 1 && open.items[3]->number == 4);
	ok(run_next_overdue(db, &next, &err));
	assert_true(next == 100);
	ok(run_overdue(db, 99, &punctual, &err));
	assert_int_equal(punctual.count, 0);
	ok(run_overdue(db, 200, &overdue, &err));
	assert_int_equal(overdue.count, 2);
	assert_true(overdue.items[0]->number == 3 && overdue.items[1]->number == 4);
}

/* policy.h */

static void test_policy(struct db *db)
{
	struct policy p = {.reminder = add_reminder(db, "r-1", "nightly", 10, STATUS_ACTIVE),
			   .door = DOOR_CRON,
			   .description = (char *)"builds",
			   .overlap = OVERLAP_REPLACE,
			   .time_limit = 1,
			   .max_attempts = 2,
			   .retry_on = 3,
			   .backoff = 4,
			   .wait_limit = 5,
			   .retention = 6,
			   .pause_after = 7,
			   .failures = 8};
	const struct policy *a = &p;
	AUTO(policy_free) struct policy *b = NULL, *gone = NULL;
	struct error err = {0};

	for (int pass = 0; pass < 2; pass++) {
		ok(pass ? policy_update(db, &p, &err) : policy_insert(db, &p, &err));
		policy_free(b);
		ok(policy_get(db, p.reminder, &b, &err));
		SAME(reminder), SAME(door), SAME(overlap), SAME(time_limit), SAME(max_attempts);
		SAME(retry_on), SAME(backoff), SAME(wait_limit), SAME(retention);
		SAME(pause_after), SAME(failures);
		SAME_TEXT(description);
		SAME_TEXT(git);
		p = (struct policy){.reminder = p.reminder,
				    .door = DOOR_HEARTBEAT,
				    .git = (char *)"site",
				    .overlap = OVERLAP_QUEUE,
				    .time_limit = 11,
				    .max_attempts = 12,
				    .retry_on = 13,
				    .backoff = 14,
				    .wait_limit = 15,
				    .retention = 16,
				    .pause_after = 17,
				    .failures = 18};
	}
	assert_int_equal(policy_insert(db, &p, &err), ERR_CONFLICT);
	ok(db_exec(db, "DELETE FROM reminders", DB_NO_ARGS, &err));
	assert_int_equal(policy_get(db, p.reminder, &gone, &err), ERR_NOT_FOUND);
}

static int64_t add_run_reminder(struct db *db, const char *id, const char *name, enum door door,
				enum status status)
{
	struct policy p = {.reminder = add_reminder(db, id, name, 10, status),
			   .door = door,
			   .max_attempts = 1};
	struct error err = {0};

	ok(policy_insert(db, &p, &err));
	return p.reminder;
}

static void assert_found(struct db *db, enum door door, const char *name, const char *want)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	struct error err = {0};

	ok(policy_find(db, door, name, &r, &err));
	assert_string_equal(r ? r->id : "none", want);
}

static void test_policy_find(struct db *db)
{
	AUTO_REMINDERS struct reminder_list live = {0}, all = {0}, page = {0};
	struct error err = {0};

	add_run_reminder(db, "r-gone", "nightly", DOOR_CRON, STATUS_CANCELLED);
	add_run_reminder(db, "r-task", "nightly", DOOR_TASK, STATUS_ACTIVE);
	add_run_reminder(db, "r-cron", "nightly", DOOR_CRON, STATUS_PAUSED);
	add_reminder(db, "r-plain", "plain", 10, STATUS_ACTIVE);
	add_run_reminder(db, "r-more", "weekly", DOOR_CRON, STATUS_ACTIVE);
	add_run_reminder(db, "r-past", "daily", DOOR_CRON, STATUS_COMPLETED);
	assert_found(db, DOOR_CRON, "nightly", "r-cron");
	assert_found(db, DOOR_TASK, "nightly", "r-task");
	assert_found(db, DOOR_CRON, "plain", "none");
	assert_found(db, DOOR_CRON, "daily", "none");
	ok(policy_reminders(db, DOOR_CRON, false, 0, 9, &live, &err));
	assert_int_equal(live.count, 2);
	assert_string_equal(live.items[0]->id, "r-cron");
	assert_string_equal(live.items[1]->id, "r-more");
	ok(policy_reminders(db, DOOR_CRON, true, 0, 3, &all, &err));
	assert_int_equal(all.count, 3);
	assert_string_equal(all.items[0]->id, "r-gone");
	ok(policy_reminders(db, DOOR_CRON, true, all.items[2]->key, 3, &page, &err));
	assert_int_equal(page.count, 1);
	assert_string_equal(page.items[0]->id, "r-past");
}

/* board.h */

static void test_board(struct db *db)
{
	AUTO_BOARD struct board_list all = {0}, one = {0}, none = {0}, left = {0};
	struct error err = {0};

	ok(board_set(db, &(struct board){(char *)"a", (char *)"busy", (char *)"on it", .at = 1},
		     &err));
	ok(board_set(db, &(struct board){(char *)"b", (char *)"idle", .at = 2}, &err));
	ok(board_set(db, &(struct board){(char *)"a", (char *)"done", .at = 3}, &err));
	ok(board_list(db, NULL, "me", &all, &err));
	assert_int_equal(all.count, 2);
	assert_string_equal(all.items[0]->agent, "a");
	assert_string_equal(all.items[0]->status, "done");
	assert_null(all.items[0]->detail);
	assert_true(all.items[0]->at == 3);
	ok(board_list(db, "b", "me", &one, &err));
	assert_int_equal(one.count, 1);
	assert_string_equal(one.items[0]->status, "idle");
	ok(board_list(db, "c", NULL, &none, &err));
	assert_int_equal(none.count, 0);
	ok(board_set(db, &(struct board){(char *)"a", (char *)"", .at = 4}, &err));
	ok(board_list(db, NULL, NULL, &left, &err));
	assert_int_equal(left.count, 1);
}

/* No question a turn asks reads a table from end to end, or sorts. */
static void ask_hot(struct db *db, int64_t mission)
{
	AUTO_MISSIONS struct mission_list ready = {0}, expired = {0}, open = {0}, surplus = {0};
	AUTO_MISSIONS struct mission_list old = {0}, of = {0}, from = {0}, newest = {0};
	AUTO_RUNS struct run_list runs = {0}, overdue = {0};
	AUTO_REMINDERS struct reminder_list crons = {0};
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(run_free) struct run *last = NULL;
	struct error err = {0};
	int64_t n;

	ok(mission_ready(db, 50, 5, &ready, &err));
	ok(mission_expired(db, 50, 5, &expired, &err));
	ok(mission_next(db, 50, &n, &n, &err));
	ok(mission_count_running(db, NULL, &n, &err));
	ok(mission_open_of(db, 1, &open, &err));
	ok(mission_surplus(db, 1, 3, &surplus, &err));
	ok(mission_old(db, 20, 5, &old, &err));
	ok(mission_of_slot(db, 1, &m, &err));
	ok(mission_list(db, &(struct mission_filter){.door = -1, .reminder = 1, .limit = 5}, &of,
			&err));
	ok(mission_list(db, &(struct mission_filter){.door = -1, .origin = "c", .limit = 5}, &from,
			&err));
	ok(run_last(db, mission, &last, &err));
	ok(run_list(db, mission, &runs, &err));
	ok(run_overdue(db, 50, &overdue, &err));
	ok(run_next_overdue(db, &n, &err));
	ok(policy_find(db, DOOR_CRON, "r-n1", &r, &err));
	ok(policy_reminders(db, DOOR_CRON, false, 0, 5, &crons, &err));
	ok(reminder_prune(db, 0, 5, &n, &err));
	ok(slot_prune(db, 0, 5, &n, &err));
}

static void assert_no_scans(struct db *db)
{
	sqlite3_stmt *st = NULL;

	while ((st = sqlite3_next_stmt(sqlite_handle(db), st))) {
		int scanned = sqlite3_stmt_status(st, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
		int sorted = sqlite3_stmt_status(st, SQLITE_STMTSTATUS_SORT, 0);

		/* The line and the open runs are read one by one: ten of each, of a hundred rows. */
		if (scanned > 10 || sorted)
			fail_msg("%d steps of a scan, %d sorts: %s", scanned, sorted,
				 sqlite3_sql(st));
	}
}

static void test_plans(struct db *db)
{
	struct error err = {0};
	int64_t key = 0;

	ok(db_begin(db, &err));
	for (int i = 0; i < 100; i++) {
		struct mission m = mission_sample(i % 10 ? PHASE_ENDED : PHASE_WAITING);
		struct run r;
		char id[16];

		snprintf(id, sizeof(id), "r-n%d", i);
		add_run_reminder(db, id, id, i % 2 ? DOOR_CRON : DOOR_TASK, STATUS_ACTIVE);
		m.reminder = i % 3, m.origin = (char *)(i % 2 ? "c" : "d"), m.nominal = i;
		m.wait_until = i % 10 ? USEC_NONE : 10 + i;
		ok(mission_insert(db, &m, &err));
		key = m.key;
		r = run_sample(m.key, 1);
		r.finished_at = i % 20 ? 9 : USEC_NONE;
		r.overdue_at = i;
		ok(run_insert(db, &r, &err));
	}
	ok(db_commit(db, &err));
	ask_hot(db, key);
	if (db_kind(db) == DB_SQLITE)
		assert_no_scans(db);
}

/* clang-format off */
static const struct store_row rows[] = {
	{"A18 a mission",                        test_mission},
	{"A18 ids of missions",                  test_mission_ids},
	{"A10 one mission a slot",               test_mission_slot},
	{"A26 a mission deleted",                test_mission_delete},
	{"A26 missions listed",                  test_mission_list},
	{"A11 the line",                         test_mission_line},
	{"A11 how many run",                     test_mission_running},
	{"A10 open missions",                    test_mission_open},
	{"A11 retention of missions",            test_mission_retention},
	{"A11 a reminder whose mission is open", test_reminder_kept},
	{"A18 a run",                            test_run},
	{"A13 open runs",                        test_run_open},
	{"A2 a policy",                          test_policy},
	{"A6 reminders by their door",           test_policy_find},
	{"B9 the board",                         test_board},
	{"A10 plans use the indexes",            test_plans},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-mission", rows, sizeof(rows) / sizeof(rows[0]));
}
