/*
 * test-tools-time.c: the tools about time, as users' agents call them, on every store there is.
 *
 * The document behind C19 names 27 tests. Their counterparts:
 *
 *	store_add_and_list                            here, by the tool
 *	store_persists_to_disk_and_survives_reload    here (tool_set_persists_to_disk); test/e2e, test/crash
 *	store_cancel_persists_removal_to_disk         here
 *	store_take_due_persists_to_disk               here: what has fired is not fired by the next process
 *	store_loads_empty_when_no_file                here: a new store has none
 *	store_take_due_removes_past_reminders         here
 *	store_cancel_removes_by_id                    here
 *	store_cancel_returns_false_for_unknown_id     here
 *	store_next_fire_time                          here: engine_next_wake()
 *	store_list_filters_by_user                    here
 *	resolve_delivery_* (six)                      test-store-callers.c: caller_targets()
 *	tool_set_creates_reminder                     here
 *	tool_set_persists_to_disk                     here
 *	tool_set_rejects_past_time                    here
 *	tool_set_rejects_no_delivery_channel          here
 *	tool_list_shows_pending_reminders             here
 *	tool_cancel_removes_reminder                  here
 *	tool_rejects_low_trust                        here
 *	scheduler_fires_due_reminders                 here: the agent's run; that its answer reaches the
 *	                                              inbox, the one channel there is: test/e2e/tools-time.bats
 *	scheduler_fires_late_reminders_on_startup     here
 *	scheduler_wakes_for_new_reminder              here; test/e2e/fire.bats against the clock
 *	reminder_dispatch_failure_delivers_fallback_text
 *	                                              test/e2e/tools-time.bats
 */
#include "tools-fixture.h"

#include "store/mission.h"
#include "store/policy.h"

#define HOUR USEC_PER_HOUR
#define MINUTE USEC_PER_MINUTE

static const char yaml[] =
	"timezone: America/Los_Angeles\n"
	"agents:\n"
	"  ada: {adapter: claude, directory: /srv}\n"
	"  cyd: {adapter: claude, directory: /srv}\n"
	"  mute: {directory: /srv}\n"
	"defaultAgent: ada\n"
	"users:\n"
	"  alice: {trust: inner, match: [\"terminal:default\", \"signal:alice-uuid\"]}\n"
	"  bob: {trust: full, match: [\"signal:bob-uuid\"], timezone: Europe/Berlin}\n"
	"  tess: {trust: inner, match: [\"terminal:tess\"]}\n"
	"  fay: {trust: familiar, match: [\"signal:fay\"]}\n";

/* Nobody who can be run. */
static const char quiet_yaml[] =
	"timezone: UTC\nagents:\n  mute: {directory: /srv}\n"
	"users:\n  alice: {trust: inner, match: [\"signal:alice-uuid\"]}\n";

static struct reminder *load(struct world *w, const char *id)
{
	struct reminder *r = NULL;
	struct error err = {0};

	ok(reminder_find(w->db, id, &r, &err));
	return r;
}

static struct slot *newest_slot(struct world *w, const char *id)
{
	AUTO(reminder_free) struct reminder *r = load(w, id);
	AUTO_SLOTS struct slot_list page = {0};
	struct error err = {0};

	ok(slot_list(w->db, r->key, 0, 1, &page, &err));
	assert_int_equal(page.count, 1);
	return steal_ptr(&page.items[0]);
}

/* Set one, and forget its words. *ret_id is freed by the caller. */
static char *set(struct world *w, const char *user, const char *args)
{
	AUTO_REPLY struct reply r = world_call(w, user, "reminder", args);

	said(&r, "Reminder scheduled (id: rem_");
	return mem_strdup(of(&r, "id"));
}

static void call_about(struct world *w, const char *user, const char *fmt, const char *id,
		       struct reply *ret)
{
	AUTO_BUF struct buf args = {0};
	const char *hole = strstr(fmt, "ID");

	buf_add(&args, fmt, (size_t)(hole - fmt));
	buf_add_str(&args, id);
	buf_add_str(&args, hole + 2);
	*ret = world_call(w, user, "reminder", buf_text(&args));
}

static size_t count_of(struct world *w, const char *user)
{
	AUTO_REPLY struct reply r = world_call(w, user, "reminder", "{'action': 'list'}");

	said(&r, "");
	return json_array_size(json_object_get(r.result, "reminders"));
}

#define WORLD(config)                                                                              \
	__attribute__((cleanup(world_close))) struct world w;                                      \
	world_open(&w, db, config)

/* --- set --- */

static void test_set(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply r = world_call(&w, "alice", "reminder",
					       "{'action': 'set', 'in': '30m',"
					       " 'message': 'call the dentist'}");
	AUTO(reminder_free) struct reminder *row = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	struct error err = {0};

	said(&r, ") for Feb 4, 2026 3:15 PM PST (in 30 minutes)");
	assert_int_equal(strlen(of(&r, "id")), 4 + 32);
	assert_int_equal(strspn(of(&r, "id") + 4, "0123456789abcdef"), 32);
	assert_string_equal(of(&r, "fire_at"), "2026-02-04T15:15:00-08:00");
	assert_string_equal(of(&r, "local_time"), "Feb 4, 2026 3:15 PM PST");
	assert_string_equal(of(&r, "message"), "call the dentist");
	assert_string_equal(of(&r, "user"), "alice");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(r.result, "delivery"), 0)),
		"signal:alice-uuid");
	assert_string_equal(of(&r, "now"), "2026-02-04T14:45:00-08:00");
	assert_string_equal(of(&r, "timezone"), "America/Los_Angeles");
	assert_string_equal(of(&r, "timezone_source"), "config");
	assert_true(json_is_true(json_object_get(r.result, "scheduler_running")));
	assert_int_equal(count_of(&w, "alice"), 1);
	row = load(&w, of(&r, "id"));
	assert_string_equal(row->message, "call the dentist");
	assert_int_equal(row->action, ACTION_RUN);
	ok(policy_get(db, row->key, &p, &err));
	assert_int_equal(p->door, DOOR_REMINDER);
}

/* Also between two seconds. */
static void test_span(struct db *db)
{
	WORLD(yaml);
	struct request rq = {.engine = w.engine,
			     .now = w.now + 300 * USEC_PER_MSEC,
			     .caller = {.user = "me", .trust = TRUST_FULL}};
	AUTO(json_decref)
	json_t *args = json_pack("{s:s, s:s, s:s, s:s}", "agent", "me", "message", "x", "cron",
				 "0 15 * * *", "tz", "America/Los_Angeles");
	AUTO_REPLY struct reply r = {0};
	struct error err = {0};

	ok(db_begin(db, &err));
	ok(request_run(request_find("reminder add"), &rq, args, &r.result, &err));
	ok(db_commit(db, &err));
	assert_string_equal(
		of(&r, "understood"),
		"at 3:00 PM every day; next at Feb 4, 2026 3:00 PM PST (-08:00), in 15m");
}

/* C7: what is kept, and that it does not follow the configuration. */
static void test_record(struct db *db)
{
	WORLD(yaml);
	AUTO(free)
	char *id = set(&w, "alice 'session': 'ada:dm:telegram:alice-tg'",
		       "{'action': 'set', 'time': '2026-02-04T15:15', 'message': 'tea'}");
	AUTO(reminder_free) struct reminder *r = load(&w, id);

	assert_true(r->due_at == TOOLS_NOW + 30 * MINUTE);
	assert_true(r->created_at == TOOLS_NOW);
	assert_string_equal(r->owner, "alice");
	assert_string_equal(r->targets, "[\"telegram:alice-tg\"]");
	assert_string_equal(r->session, "ada:dm:telegram:alice-tg");
	assert_int_equal(r->source, SOURCE_MCP);
	assert_int_equal(r->trust, TRUST_INNER);
}

static void test_persists(struct db *db)
{
	struct fixture f;
	struct error err = {0};
	struct world w;

	(void)db;
	fixture_open(&f, BACKEND_FILE);
	world_open(&w, f.db, yaml);
	free(set(&w, "alice", "{'action': 'set', 'in': '1h', 'message': 'persisted reminder'}"));
	world_close(&w);
	db_close(f.db);
	ok(store_open(f.url, &f.db, &err));
	world_open(&w, f.db, yaml);
	{
		AUTO_REPLY struct reply r =
			world_call(&w, "alice", "reminder", "{'action': 'list'}");

		said(&r, "→ \"persisted reminder\"");
	}
	world_close(&w);
	fixture_fini(&f);
}

/* Each error names what is wrong; none leaves anything behind. */
static const struct refusal {
	const char *user, *tool, *args, *words;
} refusals[] = {
	/* C1 */
	{"alice", "reminder", "{}", "missing required parameter: action"},
	{"alice", "reminder", "{'action': null}", "missing required parameter: action"},
	{"alice", "reminder", "{'action': 'explode'}", "unknown action: explode"},
	{"alice", "reminder", "{'action': 'list', 'colour': 'red'}",
	 "'reminder' takes no argument 'colour'"},
	{"alice", "reminder", "{'action': 'list', 'massage': 'red'}", "did you mean 'message'?"},
	{"alice", "reminder", "{'action': 7}", "'action' must be a string"},
	{"alice", "reminder", "{'action': 'list', 'message': 'x'}",
	 "'message' does not belong to the action 'list'"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'message': 'x', 'id': 'y'}",
	 "'id' does not belong"},
	{"alice", "reminder", "{'action': 'cancel', 'id': 'y', 'in': '1h'}",
	 "'in' does not belong"},
	/* C2 */
	{"alice", "reminder", "{'action': 'set', 'message': 'x'}",
	 "missing required parameter: time"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h'}",
	 "missing required parameter: message"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'message': ' '}",
	 "'message' is empty"},
	{"alice", "reminder", "{'action': 'set', 'time': 'soonish', 'message': 'x'}",
	 "invalid time: "},
	{"alice", "reminder", "{'action': 'set', 'time': 'feb 30', 'message': 'x'}",
	 "invalid time: "},
	{"alice", "reminder", "{'action': 'set', 'in': 'soon', 'message': 'x'}", "invalid in: "},
	{"alice", "reminder", "{'action': 'set', 'in': '30', 'message': 'x'}", "invalid in: "},
	{"alice", "reminder",
	 "{'action': 'set', 'time': '2026-02-04T14:45:00-08:00', 'message': 'x'}", "future"},
	{"alice", "reminder", "{'action': 'set', 'time': 'now', 'message': 'x'}", "future"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'time': '3pm', 'message': 'x'}",
	 "two times: 'time' and 'in'"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'every': '1h', 'message': 'x'}",
	 "exactly one of"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'count': 3, 'message': 'x'}",
	 "'count' is for reminders that repeat"},
	{"alice", "reminder",
	 "{'action': 'set', 'in': '1h', 'timezone': 'Mars/Base', 'message': 'x'}",
	 "invalid timezone: "},
	{"alice", "reminder", "{'action': 'set', 'cron': '0 9 * *', 'message': 'x'}", "cron: "},
	{"alice", "reminder", "{'action': 'set', 'cron': '0 0 31 2 *', 'message': 'x'}",
	 "never fires"},
	{"alice", "reminder", "{'action': 'set', 'every': '1h', 'count': -1, 'message': 'x'}",
	 "count -1 is outside"},
	{"alice", "reminder",
	 "{'action': 'set', 'every': '1h', 'until': 'today 3pm', 'message': 'x'}",
	 "choose a later until"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'agent': 'nobody', 'message': 'x'}",
	 "no agent 'nobody'"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'agent': 'mute', 'message': 'x'}",
	 "has no adapter"},
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'agent': 'me', 'message': 'x'}",
	 "has no inbox"},
	{"tess", "reminder", "{'action': 'set', 'in': '1h', 'message': 'x'}",
	 "no delivery channel"},
	{"tess", "reminder", "{'action': 'set', 'in': '1h', 'message': 'x'}", "match"},
	{"alice", "reminder", "{'action': 'cancel'}", "missing required parameter: id"},
	{"alice", "reminder", "{'action': 'cancel', 'id': 'rem_nonexistent'}",
	 "Reminder rem_nonexistent not found."},
	{"alice", "reminder", "{'action': 'snooze', 'id': 'rem_0', 'in': '1h'}",
	 "Reminder rem_0 not found."},
	{"alice", "reminder", "{'action': 'edit', 'id': ''}", "missing required parameter: id"},
	{"alice", "reminder", "{'action': ''}",
	 "action is one of: set list cancel snooze edit complete"},
	/* T19: in words of the tool's arguments */
	{"alice", "reminder", "{'action': 'set', 'in': '1h', 'message': ' '}",
	 "'message' is empty"},
	{"alice", "schedule", "{'prompt': ' ', 'in': '1h'}", "in 'prompt'"},
	/* B2 */
	{"alice", "schedule", "{'prompt': 'x'}", "missing required parameter: at"},
	{"alice", "schedule", "{'in': '1h'}", "missing required parameter: prompt"},
	{"alice", "schedule", "{'prompt': ' ', 'in': '1h'}", "the prompt is empty"},
	{"alice", "schedule", "{'prompt': 'x', 'at': '2026-02-04T14:00'}", "future"},
	{"alice", "schedule", "{'prompt': 'x', 'at': 'whenever'}", "invalid at: "},
	{"alice", "schedule", "{'prompt': 'x', 'in': '1h', 'max_attempts': 0}",
	 "max_attempts 0 is outside"},
	{"alice", "schedule", "{'prompt': 'x', 'in': '1h', 'agent': 'mute'}", "has no adapter"},
	{"alice", "schedule", "{'prompt': 'x', 'in': '1h', 'user': 'bob'}",
	 "'schedule' takes no argument 'user'"},
	{"alice", "schedule_list", "{'status': 'lost'}", "unknown status: lost"},
	{"alice", "schedule_list", "{'limit': 0}", "'limit' 0 is outside 1 to 100"},
	{"alice", "schedule_edit", "{'id': 'r-000000'}", "nothing to change"},
	{"alice", "schedule_edit", "{'id': 'r-000000', 'in': '1h'}", "Task r-000000 not found."},
	{"alice", "schedule_cancel", "{'id': 'r-000000'}", "Task r-000000 not found."},
	{"alice", "schedule_cancel", "{'id': ''}", "The id is empty."}, /* N65 */
	{"alice", "schedule_preview", "{}", "missing required parameter: cron"},
	{"alice", "schedule_preview", "{'cron': '0 9 * * *', 'every': '1h'}",
	 "two schedules: 'cron' and 'every'"},
	{"alice", "schedule_preview", "{'cron': '0 25 * * *'}", "cron: "},
	{"alice", "schedule_preview", "{'every': '1h', 'count': 101}",
	 "'count' 101 is outside 1 to 100"},
	{"alice", "reminder_complete", "{}", "missing required parameter: id"},
	{"alice", "condition_report", "{'id': 'x'}", "missing required parameter: met"},
	{"alice", "condition_report", "{'id': 'x', 'met': 'yes'}", "'met' must be true or false"},
	/* M1; what is for people alone is not named */
	{"alice 'session': 's-1'", "set_reminder_boundary", "{'zzz': 1}",
	 "it takes: suppress_for_calls, suppress_for_minutes, message, lesson_ids, workflow_step, "
	 "note"},
	{"alice 'session': 's-1'", "set_reminder_boundary", "{'suppress_for_calls': 0}",
	 "give suppress_for_calls (1 or more), suppress_for_minutes, or both"},
	{"alice 'session': 's-1'", "set_reminder_boundary", "{'suppress_for_minutes': 99999999}",
	 "suppress_for_minutes is at most"},
};

static void test_refusals(struct db *db)
{
	WORLD(yaml);

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const struct refusal *c = &refusals[i];
		AUTO_REPLY struct reply r = world_call(&w, c->user, c->tool, c->args);

		refused(&r, c->words);
		/* A model has no flags. */
		if (strstr(r.err.message, "--") || strstr(r.err.hint, "--") ||
		    strstr(r.err.hint, "-m ") || strstr(r.err.hint, "standard input"))
			fail_msg("%s: %s (%s)", c->args, r.err.message, r.err.hint);
	}
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM reminders"), 0);
}

/* C6: every tool, whatever it is asked. */
static void test_trust(struct db *db)
{
	static const char *const tools[] = {
		"reminder",	 "reminder_complete", "condition_report", "schedule",
		"schedule_list", "schedule_edit",     "schedule_cancel",  "schedule_preview"};
	WORLD(yaml);

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		AUTO_REPLY struct reply familiar = world_call(&w, "fay", tools[i], "{}");
		AUTO_REPLY struct reply unknown = world_call(&w, "mallory", tools[i], "{}");

		refused(&familiar, "trust");
		refused(&unknown, "trust");
		assert_int_equal(familiar.err.code, ERR_DENIED);
	}
	AUTO_REPLY struct reply list = world_call(&w, "fay", "reminder", "{'action': 'list'}");
	refused(&list, "trust");
}

/* Without anybody to run, the person's inbox gets the text itself, and the answer says so. */
static void test_plain(struct db *db)
{
	WORLD(quiet_yaml);
	AUTO_REPLY struct reply mine = world_call(
		&w, "me", "reminder", "{'action': 'set', 'in': '30m', 'message': 'stretch'}");
	AUTO_REPLY struct reply hers = world_call(
		&w, "alice", "reminder", "{'action': 'set', 'in': '30m', 'message': 'stretch'}");

	said(&mine, "No agent can be run here");
	assert_true(json_is_false(json_object_get(mine.result, "runs_agent")));
	assert_string_equal(of(&mine, "agent"), "me");
	refused(&hers, "no agent that can be run");
	world_at(&w, TOOLS_NOW + 30 * MINUTE, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM queue WHERE body = 'stretch'"), 1);
}

/* Who acts: the one that is named, else whoever asks, else the default. */
static void test_agent(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply named =
		world_call(&w, "alice 'agent': 'ada'", "reminder",
			   "{'action': 'set', 'in': '1h', 'message': 'x', 'agent': 'cyd'}");
	AUTO_REPLY struct reply self = world_call(&w, "alice 'agent': 'cyd'", "reminder",
						  "{'action': 'set', 'in': '1h', 'message': 'x'}");
	AUTO_REPLY struct reply unable =
		world_call(&w, "alice 'agent': 'mute'", "reminder",
			   "{'action': 'set', 'in': '1h', 'message': 'x'}");

	assert_string_equal(of(&named, "agent"), "cyd");
	assert_string_equal(of(&self, "agent"), "cyd");
	assert_string_equal(of(&unable, "agent"), "ada");
}

/* What can be previewed can be set, by the names that either tool has. */
static void test_rule(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply rule = world_call(
		&w, "alice", "reminder",
		"{'action': 'set', 'message': 'x',"
		" 'rrule': 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;BYHOUR=9;BYMINUTE=0;BYSECOND=0'}");
	AUTO_REPLY struct reply bad =
		world_call(&w, "alice", "reminder",
			   "{'action': 'set', 'message': 'x', 'rrule': 'FREQ=NEVER'}");
	AUTO_REPLY struct reply at = world_call(
		&w, "alice", "reminder", "{'action': 'set', 'message': 'x', 'at': 'tomorrow 9am'}");
	AUTO_REPLY struct reply time =
		world_call(&w, "alice", "schedule", "{'prompt': 'x', 'time': 'tomorrow 9am'}");
	AUTO_REPLY struct reply both =
		world_call(&w, "alice", "schedule",
			   "{'prompt': 'x', 'time': 'tomorrow 9am', 'at': 'tomorrow 10am'}");

	said(&rule, "Tuesday");
	refused(&bad, "rrule");
	said(&at, "9:00 AM");
	said(&time, "9:00 AM");
	refused(&both, "takes no argument 'time'");
}

/* --- list, cancel --- */

static void test_list(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply none = world_call(&w, "alice", "reminder", "{'action': 'list'}");
	AUTO(free)
	char *later = set(&w, "alice", "{'action': 'set', 'in': '2h', 'message': 'two'}");
	AUTO(free)
	char *sooner = set(&w, "alice", "{'action': 'set', 'in': '1h', 'message': 'one'}");
	AUTO(free) char *bobs = set(&w, "bob", "{'action': 'set', 'in': '1h', 'message': 'bobs'}");
	AUTO_REPLY struct reply r = world_call(&w, "alice", "reminder", "{'action': 'list'}");
	AUTO(free)
	char *want = mem_printf("- [%s] Feb 4, 2026 3:45 PM PST → \"one\"\n"
				"- [%s] Feb 4, 2026 4:45 PM PST → \"two\"",
				sooner, later);

	assert_string_equal(none.text, "No pending reminders.");
	assert_string_equal(r.text, want);
	/* Of a user in another zone, in theirs. */
	AUTO_REPLY struct reply his = world_call(&w, "bob", "reminder", "{'action': 'list'}");
	said(&his, bobs);
	said(&his, "] Feb 5, 2026 12:45 AM CET → \"bobs\"");
	assert_string_equal(of(&his, "timezone_source"), "user");
}

/* What people add for the user is listed too; crons, heartbeats and tasks are not. */
static void test_list_kinds(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply task =
		world_call(&w, "me", "schedule", "{'in': '1h', 'prompt': 'a task'}");
	struct request rq = {
		.engine = w.engine, .now = w.now, .caller = {.user = "me", .trust = TRUST_FULL}};
	AUTO(json_decref)
	json_t *args = json_pack("{s:s,s:s,s:s}", "agent", "me", "message", "by hand", "in", "1h");
	AUTO(json_decref) json_t *added = NULL;
	struct error err = {0};

	said(&task, "Scheduled");
	ok(db_begin(db, &err));
	ok(request_run(request_find("reminder add"), &rq, args, &added, &err));
	ok(db_commit(db, &err));
	AUTO_REPLY struct reply r = world_call(&w, "me", "reminder", "{'action': 'list'}");
	said(&r, "→ \"by hand\"");
	assert_int_equal(json_array_size(json_object_get(r.result, "reminders")), 1);
}

static void test_cancel(struct db *db)
{
	WORLD(yaml);
	AUTO(free) char *id = set(&w, "alice", "{'action': 'set', 'in': '1h', 'message': 'x'}");
	AUTO(free) char *done = mem_printf("Reminder %s cancelled.", id);
	AUTO(free) char *gone = mem_printf("Reminder %s not found.", id);
	AUTO_REPLY struct reply r = {0}, again = {0};

	call_about(&w, "alice", "{'action': 'cancel', 'id': 'ID'}", id, &r);
	assert_string_equal(r.text, done);
	assert_int_equal(count_of(&w, "alice"), 0);
	world_restart(&w);
	assert_int_equal(count_of(&w, "alice"), 0);
	call_about(&w, "alice", "{'action': 'cancel', 'id': 'ID'}", id, &again);
	refused(&again, gone);
	world_at(&w, TOOLS_NOW + 2 * HOUR, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM missions"), 0);
}

/* C5: by id, prefix or name, with any action: it is as if it were not there. */
static void test_others(struct db *db)
{
	static const char *const calls[] = {
		"{'action': 'cancel', 'id': 'ID'}", "{'action': 'complete', 'id': 'ID'}",
		"{'action': 'snooze', 'id': 'ID', 'in': '1h'}",
		"{'action': 'edit', 'id': 'ID', 'message': 'mine now'}"};
	WORLD(yaml);
	AUTO(free)
	char *id =
		set(&w, "alice", "{'action': 'set', 'in': '1h', 'message': 'x', 'name': 'secret'}");
	AUTO_REPLY struct reply task =
		world_call(&w, "alice", "schedule", "{'in': '1h', 'prompt': 'x', 'name': 'work'}");

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const char *refs[] = {id, "secret", "rem_"};

		for (size_t j = 0; j < 3; j++) {
			AUTO_REPLY struct reply r = {0};

			call_about(&w, "bob", calls[i], refs[j], &r);
			refused(&r, "not found.");
			assert_int_equal(r.err.code, ERR_NOT_FOUND);
		}
	}
	AUTO_REPLY struct reply edit =
		world_call(&w, "bob", "schedule_edit", "{'id': 'work', 'in': '2h'}");
	AUTO_REPLY struct reply cancel = world_call(&w, "bob", "schedule_cancel", "{'id': 'work'}");
	AUTO_REPLY struct reply list = world_call(&w, "bob", "schedule_list", "{'status': 'all'}");
	AUTO_REPLY struct reply close =
		world_call(&w, "bob", "reminder_complete", "{'id': 'secret'}");
	AUTO_REPLY struct reply report =
		world_call(&w, "bob", "condition_report", "{'id': 'secret', 'met': true}");
	refused(&edit, "Task work not found.");
	refused(&cancel, "Task work not found.");
	refused(&close, "Reminder secret not found.");
	refused(&report, "Reminder secret not found.");
	said(&list, "No tasks.");
	assert_int_equal(count_of(&w, "alice"), 1);
}

/* A task is not a reminder, and the other way round: the hint says which tool to take. */
static void test_kinds(struct db *db)
{
	WORLD(yaml);
	AUTO(free)
	char *id =
		set(&w, "alice", "{'action': 'set', 'in': '1h', 'message': 'x', 'name': 'nudge'}");
	AUTO_REPLY struct reply task =
		world_call(&w, "alice", "schedule", "{'in': '1h', 'prompt': 'x', 'name': 'work'}");
	AUTO_REPLY struct reply cancel =
		world_call(&w, "alice", "reminder", "{'action': 'cancel', 'id': 'work'}");
	AUTO_REPLY struct reply edit =
		world_call(&w, "alice", "schedule_edit", "{'id': 'nudge', 'in': '2h'}");

	assert_true(*id);
	said(&task, "Scheduled");
	refused(&cancel, "use schedule_edit or schedule_cancel");
	refused(&edit, "use the tool reminder");
}

/* N30: what a file declares is changed in the file, whichever tool is asked. */
static void test_declared(struct db *db)
{
	static const char declared[] =
		"timezone: UTC\nagents: {ada: {adapter: claude, directory: /srv}}\n"
		"crons: {nightly: {schedule: \"0 9 * * *\", agent: ada, prompt: p}}\n";
	static const char *const calls[][2] = {
		{"reminder", "{'action': 'cancel', 'id': 'nightly'}"},
		{"reminder", "{'action': 'complete', 'id': 'nightly'}"},
		{"reminder", "{'action': 'snooze', 'id': 'nightly', 'in': '1h'}"},
		{"reminder", "{'action': 'edit', 'id': 'nightly', 'message': 'mine now'}"},
		{"schedule_edit", "{'id': 'nightly', 'in': '2h'}"},
		{"schedule_cancel", "{'id': 'nightly'}"}};
	WORLD(declared);
	AUTO(reminder_free) struct reminder *r = NULL;

	world_at(&w, TOOLS_NOW, NULL);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		AUTO_REPLY struct reply reply = world_call(&w, "me", calls[i][0], calls[i][1]);

		refused(&reply, "'nightly' is declared in a file: 'config.yml' line 3");
		assert_int_equal(reply.err.code, ERR_CONFLICT);
		assert_non_null(strstr(reply.err.hint, "belfry cron "));
	}
	r = load(&w, "nightly");
	assert_int_equal(r->status, STATUS_ACTIVE);
	assert_string_equal(r->message, "p");
}

/* --- snooze, edit, complete, repeat --- */

static void test_edit(struct db *db)
{
	WORLD(yaml);
	AUTO(free) char *id = set(&w, "alice", "{'action': 'set', 'in': '1h', 'message': 'x'}");
	AUTO_REPLY struct reply time = {0}, text = {0}, past = {0}, none = {0}, gone = {0};

	call_about(&w, "alice", "{'action': 'edit', 'id': 'ID', 'time': 'tomorrow 9am'}", id,
		   &time);
	said(&time, "changed; it fires at Feb 5, 2026 9:00 AM PST (in 18 hours 15 minutes)");
	call_about(&w, "alice", "{'action': 'edit', 'id': 'ID', 'message': 'y'}", id, &text);
	assert_string_equal(of(&text, "message"), "y");
	assert_string_equal(of(&text, "local_time"), "Feb 5, 2026 9:00 AM PST");
	call_about(&w, "alice", "{'action': 'edit', 'id': 'ID', 'time': '2026-02-04 1pm'}", id,
		   &past);
	refused(&past, "future");
	call_about(&w, "alice", "{'action': 'edit', 'id': 'ID'}", id, &none);
	refused(&none, "nothing to change");
	world_at(&w, TOOLS_NOW + 20 * HOUR, NULL);
	call_about(&w, "alice", "{'action': 'edit', 'id': 'ID', 'message': 'z'}", id, &gone);
	refused(&gone, "it is completed");
}

static void test_snooze(struct db *db)
{
	WORLD(yaml);
	AUTO(free) char *id = set(&w, "alice", "{'action': 'set', 'in': '30m', 'message': 'x'}");
	AUTO_REPLY struct reply ahead = {0}, fired = {0};
	AUTO(reminder_free) struct reminder *copy = NULL;

	call_about(&w, "alice", "{'action': 'snooze', 'id': 'ID', 'in': '1h'}", id, &ahead);
	said(&ahead, "snoozed until Feb 4, 2026 3:45 PM PST (in 1 hour)");
	assert_string_equal(of(&ahead, "id"), id);
	world_at(&w, TOOLS_NOW + 1 * HOUR, NULL);
	assert_int_equal(count_of(&w, "alice"), 0);
	/* It has fired: the same is set anew, for the same user and targets. */
	call_about(&w, "alice 'session': 'ada:dm:telegram:other'",
		   "{'action': 'snooze', 'id': 'ID', 'in': '10m'}", id, &fired);
	said(&fired, "set anew (id: rem_");
	said(&fired, "had fired");
	assert_string_equal(of(&fired, "snoozed_from"), id);
	copy = load(&w, of(&fired, "id"));
	assert_string_equal(copy->message, "x");
	assert_string_equal(copy->owner, "alice");
	assert_string_equal(copy->targets, "[\"signal:alice-uuid\"]");
	world_at(&w, TOOLS_NOW + 70 * MINUTE, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM missions"), 2);
}

/* The next of a series moves; what would have come before it is told as skipped. */
static void test_snooze_series(struct db *db)
{
	WORLD(yaml);
	AUTO(free) char *id = set(&w, "alice", "{'action': 'set', 'every': '10m', 'message': 'x'}");
	AUTO_REPLY struct reply r = {0};
	AUTO(slot_free) struct slot *slot = NULL;
	AUTO(reminder_free) struct reminder *series = NULL;

	call_about(&w, "alice", "{'action': 'snooze', 'id': 'ID', 'in': '35m'}", id, &r);
	said(&r, "goes on after it");
	slot = newest_slot(&w, id);
	assert_string_equal(slot->reason, "snoozed");
	assert_int_equal(slot->occurrences, 3);
	series = load(&w, id);
	assert_true(series->due_at == TOOLS_NOW + 40 * MINUTE);
	world_at(&w, TOOLS_NOW + 34 * MINUTE, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM missions"), 0);
	world_at(&w, TOOLS_NOW + 35 * MINUTE, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM missions"), 1);
	world_at(&w, TOOLS_NOW + 40 * MINUTE, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM missions"), 2);
}

static void test_repeat(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply r = world_call(
		&w, "alice", "reminder",
		"{'action': 'set', 'cron': '0 9 * * 1-5', 'message': 'standup', 'count': 2}");
	AUTO_REPLY struct reply done = {0}, again = {0};

	said(&r, "for Feb 5, 2026 9:00 AM PST (in 18 hours 15 minutes), then ");
	assert_true(*of(&r, "repeats"));
	call_about(&w, "alice", "{'action': 'complete', 'id': 'ID'}", of(&r, "id"), &done);
	said(&done, "completed.");
	assert_string_equal(of(&done, "status"), "completed");
	call_about(&w, "alice", "{'action': 'complete', 'id': 'ID'}", of(&r, "id"), &again);
	refused(&again, "it is completed");
}

/* --- local times --- */

/* clang-format off */
static const struct local_case {
	const char *name, *now, *zone, *args, *want;
} local_cases[] = {
	{"offset",       "2026-02-04T22:45:00Z", "America/Los_Angeles", "'time': '2026-02-05T00:15:00+01:00'",   "Feb 4, 2026 3:15 PM PST (in 30 minutes)"},
	{"UTC",          "2026-02-04T22:45:00Z", "America/Los_Angeles", "'time': '2026-02-04T23:15:00Z'",        "Feb 4, 2026 3:15 PM PST (in 30 minutes)"},
	{"phrase",       "2026-02-04T22:45:00Z", "America/Los_Angeles", "'time': 'next friday noon'",            "Feb 6, 2026 12:00 PM PST (in 1 day 21 hours)"},
	{"evening",      "2026-02-04T22:45:00Z", "Europe/Berlin",       "'time': '3pm'",                         "Feb 5, 2026 3:00 PM CET (in 15 hours 15 minutes)"},
	{"half hour",    "2026-02-04T22:45:00Z", "Asia/Kolkata",        "'time': '2026-02-05 09:00'",            "Feb 5, 2026 9:00 AM IST (in 4 hours 45 minutes)"},
	/* 2026-03-08, 02:00: there is no half past two */
	{"gap",          "2026-03-08T05:00:00Z", "America/New_York",    "'time': '2026-03-08 02:30'",            "Mar 8, 2026 3:30 AM EDT (in 2 hours 30 minutes)"},
	/* 2026-11-01: half past one comes twice; the first counts, and the offset tells which */
	{"overlap",      "2026-11-01T04:00:00Z", "America/New_York",    "'time': '2026-11-01 01:30'",            "Nov 1, 2026 1:30 AM EDT (in 1 hour 30 minutes)"},
	{"second pass",  "2026-11-01T04:00:00Z", "America/New_York",    "'time': '2026-11-01T01:30:00-05:00'",   "Nov 1, 2026 1:30 AM EST (in 2 hours 30 minutes)"},
	/* a span is one of real time, whatever the clocks do */
	{"in across",    "2026-03-29T00:30:00Z", "Europe/Berlin",       "'in': '1h'",                            "Mar 29, 2026 3:30 AM CEST (in 1 hour)"},
	{"tomorrow",     "2026-03-28T12:00:00Z", "Europe/Berlin",       "'time': 'tomorrow 9am'",                "Mar 29, 2026 9:00 AM CEST (in 19 hours)"},
	{"seconds",      "2026-02-04T22:45:00Z", "UTC",                 "'in': '90s'",                           "Feb 4, 2026 10:46:30 PM UTC (in 1 minute 30 seconds)"},
};
/* clang-format on */

static void test_local(struct db *db)
{
	WORLD(yaml);

	for (size_t i = 0; i < sizeof(local_cases) / sizeof(local_cases[0]); i++) {
		const struct local_case *c = &local_cases[i];
		AUTO(free)
		char *args = mem_printf("{'action': 'set', 'message': '%s', 'timezone': '%s', %s}",
					c->name, c->zone, c->args);
		struct error err = {0};

		ok(instant_parse(c->now, zone_utc(), &w.now, &err));
		AUTO_REPLY struct reply r = world_call(&w, "alice", "reminder", args);
		said(&r, c->want);
		assert_string_equal(of(&r, "timezone"), c->zone);
		assert_string_equal(of(&r, "timezone_source"), "item");
	}
}

/* B10: the zone of the user before that of the file. */
static void test_user_zone(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply r = world_call(&w, "bob", "reminder",
					       "{'action': 'set', 'time': '8am', 'message': 'x'}");

	said(&r, "for Feb 5, 2026 8:00 AM CET (in 8 hours 15 minutes)");
	assert_string_equal(of(&r, "timezone"), "Europe/Berlin");
	assert_string_equal(of(&r, "timezone_source"), "user");
}

static void test_stopped(struct db *db)
{
	WORLD(yaml);
	w.stopped = true;
	AUTO_REPLY struct reply r = world_call(&w, "alice", "reminder",
					       "{'action': 'set', 'in': '1h', 'message': 'x'}");

	said(&r, "nothing fires until");
	assert_true(json_is_false(json_object_get(r.result, "scheduler_running")));
}

/* --- firing --- */

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

/* C12: a run of its own, whose prompt says what this is. */
static void test_fires(struct db *db)
{
	WORLD(yaml);
	AUTO(free)
	char *id = set(&w, "alice", "{'action': 'set', 'in': '30m', 'message': 'water it'}");
	AUTO(order_free) struct order *o = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;
	struct error err = {0};

	ok(db_begin(db, &err));
	ok(db_exec(db, "UPDATE reminders SET transcript = '/home/a/talk.jsonl'", DB_NO_ARGS, &err));
	ok(db_commit(db, &err));
	world_at(&w, TOOLS_NOW + 30 * MINUTE, &o);
	assert_non_null(o);
	has(o->prompt, "This is a scheduled reminder");
	has(o->prompt, "for alice");
	has(o->prompt, "signal");
	has(o->prompt, "/home/a/talk.jsonl");
	has(o->prompt, "\nwater it");
	r = load(&w, id);
	assert_int_equal(r->status, STATUS_COMPLETED);
	assert_int_equal(count_of(&w, "alice"), 0);
	world_restart(&w);
	world_at(&w, TOOLS_NOW + 60 * MINUTE, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM missions"), 1);
	assert_int_equal(
		number_of(
			db,
			"SELECT COUNT(*) FROM missions WHERE owner = 'alice' AND trust = 'inner'"),
		1);
}

/* Of a person the inbox is named, and without a conversation no file. */
static void test_fires_me(struct db *db)
{
	WORLD(yaml);
	AUTO(free)
	char *id = set(&w, "me", "{'action': 'set', 'in': '30m', 'message': 'water it'}");
	AUTO(order_free) struct order *o = NULL;

	assert_true(*id);
	world_at(&w, TOOLS_NOW + 30 * MINUTE, &o);
	assert_non_null(o);
	has(o->prompt, "inbox");
	assert_null(strstr(o->prompt, "conversation"));
}

static void test_late(struct db *db)
{
	WORLD(yaml);
	AUTO(free)
	char *id = set(&w, "alice", "{'action': 'set', 'in': '30m', 'message': 'missed'}");
	AUTO(order_free) struct order *o = NULL;

	assert_true(*id);
	w.now = TOOLS_NOW + 60 * MINUTE;
	world_restart(&w);
	world_at(&w, TOOLS_NOW + 60 * MINUTE, &o);
	assert_non_null(o);
	has(o->prompt, "missed");
	has(o->prompt, "30m late");
	assert_int_equal(count_of(&w, "alice"), 0);
}

/* C11: the timer is that of the earliest, however distant the others are. */
static void test_wakes(struct db *db)
{
	WORLD(yaml);
	struct error err = {0};
	usec_t wake = 0;

	free(set(&w, "alice", "{'action': 'set', 'in': '2h', 'message': 'later'}"));
	ok(db_begin(db, &err));
	ok(engine_next_wake(w.engine, w.now, &wake, &err));
	ok(db_commit(db, &err));
	assert_true(wake <= TOOLS_NOW + 2 * HOUR);
	free(set(&w, "bob", "{'action': 'set', 'in': '10m', 'message': 'sooner'}"));
	ok(db_begin(db, &err));
	ok(engine_next_wake(w.engine, w.now, &wake, &err));
	ok(db_commit(db, &err));
	assert_true(wake <= TOOLS_NOW + 10 * MINUTE);
	world_at(&w, TOOLS_NOW + 10 * MINUTE, NULL);
	assert_int_equal(count_of(&w, "bob"), 0);
	assert_int_equal(count_of(&w, "alice"), 1);
}

/* --- conditions --- */

static void add_watch(struct world *w, const char *mode)
{
	struct request rq = {
		.engine = w->engine, .now = w->now, .caller = {.user = "me", .trust = TRUST_FULL}};
	AUTO(json_decref)
	json_t *args = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "agent", "me", "name", "watch",
				 "message", "fix it", "every", "1h", "condition_prompt",
				 "the build is green", "mode", mode);
	AUTO(json_decref) json_t *added = NULL;
	struct error err = {0};

	ok(db_begin(w->db, &err));
	ok(request_run(request_find("reminder add"), &rq, args, &added, &err));
	ok(db_commit(w->db, &err));
}

static void test_report(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply early = {0}, no = {0}, twice = {0}, next = {0};
	AUTO(slot_free) struct slot *slot = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;

	add_watch(&w, "each");
	early = world_call(&w, "me", "condition_report", "{'id': 'watch', 'met': false}");
	refused(&early, "it has not fired yet");
	world_at(&w, TOOLS_NOW + 1 * HOUR, NULL);
	no = world_call(&w, "me", "condition_report",
			"{'id': 'watch', 'met': false, 'detail': 'it is red'}");
	said(&no, "not met");
	slot = newest_slot(&w, "watch");
	assert_int_equal(slot->verdict, VERDICT_FALSE);
	assert_int_equal(slot->outcome, OUTCOME_FIRED);
	assert_string_equal(slot->verdict_detail, "the agent skipped it: it is red");
	twice = world_call(&w, "me", "condition_report", "{'id': 'watch', 'met': true}");
	refused(&twice, "reported on already");
	assert_int_equal(twice.err.code, ERR_CONFLICT);
	world_at(&w, TOOLS_NOW + 2 * HOUR, NULL);
	next = world_call(&w, "me", "condition_report", "{'id': 'watch', 'met': true}");
	said(&next, "is met");
	r = load(&w, "watch");
	assert_int_equal(r->status, STATUS_ACTIVE);
}

/* H10: what lives until its condition is met is closed by that report. */
static void test_report_ends(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply yes = {0}, again = {0};
	AUTO(slot_free) struct slot *slot = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;

	add_watch(&w, "until");
	world_at(&w, TOOLS_NOW + 1 * HOUR, NULL);
	yes = world_call(&w, "me", "condition_report",
			 "{'id': 'watch', 'met': true, 'detail': 'green'}");
	said(&yes, "The reminder is completed.");
	slot = newest_slot(&w, "watch");
	assert_string_equal(slot->verdict_detail, "the agent skipped it: green");
	r = load(&w, "watch");
	assert_string_equal(r->end_reason, "condition met");
	again = world_call(&w, "me", "reminder_complete", "{'id': 'watch'}");
	said(&again, "completed");
}

static void test_complete(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply r = {0}, plain = {0}, report = {0};
	AUTO(reminder_free) struct reminder *row = NULL;

	add_watch(&w, "once");
	world_at(&w, TOOLS_NOW + 1 * HOUR, NULL);
	r = world_call(&w, "me", "reminder_complete", "{'id': 'watch'}");
	said(&r, "will not fire again");
	row = load(&w, "watch");
	assert_int_equal(row->status, STATUS_COMPLETED);
	free(set(&w, "me", "{'action': 'set', 'in': '1h', 'message': 'x', 'name': 'plain'}"));
	plain = world_call(&w, "me", "reminder_complete", "{'id': 'plain'}");
	refused(&plain, "no condition");
	report = world_call(&w, "me", "condition_report", "{'id': 'plain', 'met': true}");
	refused(&report, "no condition");
}

/* --- schedule --- */

static void test_schedule(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply r = world_call(&w, "alice", "schedule",
					       "{'in': '30m', 'prompt': 'sum up', 'name': 'sums'}");
	AUTO_REPLY struct reply other = world_call(
		&w, "alice", "schedule",
		"{'at': 'tomorrow 9am', 'prompt': 'later', 'agent': 'cyd', 'max_attempts': 1}");
	AUTO_REPLY struct reply list = world_call(&w, "alice", "schedule_list", "{}");
	AUTO_REPLY struct reply edit = world_call(
		&w, "alice", "schedule_edit", "{'id': 'sums', 'at': '3:30pm', 'prompt': 'sum'}");
	AUTO_REPLY struct reply past = world_call(&w, "alice", "schedule_edit",
						  "{'id': 'sums', 'at': '2026-02-04 14:00'}");
	AUTO(order_free) struct order *o = NULL;

	said(&r, "Scheduled (id: r-");
	said(&r, ") for Feb 4, 2026 3:15 PM PST (in 30 minutes); ada is run then.");
	assert_string_equal(of(&r, "status"), "pending");
	assert_string_equal(of(&r, "prompt"), "sum up");
	assert_int_equal(json_integer_value(json_object_get(other.result, "max_attempts")), 1);
	assert_string_equal(of(&other, "agent"), "cyd");
	said(&list, "] pending Feb 4, 2026 3:15 PM PST, ada → \"sum up\"\n- [r-");
	said(&edit, "it runs at Feb 4, 2026 3:30 PM PST (in 45 minutes)");
	refused(&past, "future");
	world_at(&w, TOOLS_NOW + 45 * MINUTE, &o);
	assert_non_null(o);
	has(o->prompt, "## Scheduled Task");
	has(o->prompt, "\nsum");
	AUTO_REPLY struct reply all = world_call(&w, "alice", "schedule_list", "{'status': 'all'}");
	AUTO_REPLY struct reply one = world_call(&w, "alice", "schedule_list", "{'limit': 1}");
	assert_int_equal(json_array_size(json_object_get(all.result, "tasks")), 2);
	said(&one, "There are more");
}

/* alice lives in Los Angeles, where the clock is put forward on March 8. */
static void test_gap(struct db *db)
{
	WORLD(yaml);
	const char *want =
		"2:30 AM does not exist that day in America/Los_Angeles, where the clock "
		"is put forward; 3:30 AM is meant.";
	AUTO_REPLY struct reply set =
		world_call(&w, "alice", "reminder",
			   "{'action': 'set', 'time': '2026-03-08 2:30', 'message': 'x'}");
	AUTO_REPLY struct reply task =
		world_call(&w, "alice", "schedule", "{'at': '2026-03-08 2:30', 'prompt': 'x'}");
	AUTO_REPLY struct reply look =
		world_call(&w, "alice", "schedule_preview", "{'at': '2026-03-08 2:30'}");

	said(&set, want);
	said(&task, want);
	said(&look, want);
	assert_string_equal(of(&task, "note"), want);
}

/* What another user sets starts a run a minute at most; what the person sets is theirs to know. */
static void test_rate(struct db *db)
{
	WORLD(yaml);
	static const char *const rapid[] = {
		"{'action': 'set', 'rrule': 'FREQ=SECONDLY', 'message': 'x'}",
		"{'action': 'set', 'rrule': 'FREQ=HOURLY;BYSECOND=0,30', 'message': 'x'}",
		"{'action': 'set', 'every': '1s', 'message': 'x'}",
	};

	for (size_t i = 0; i < sizeof(rapid) / sizeof(rapid[0]); i++) {
		AUTO_REPLY struct reply r = world_call(&w, "alice", "reminder", rapid[i]);

		refused(&r, "more often than every minute");
	}
	free(set(&w, "alice", "{'action': 'set', 'every': '1m', 'message': 'x', 'name': 'tick'}"));
	AUTO_REPLY struct reply edited = world_call(
		&w, "alice", "reminder", "{'action': 'edit', 'id': 'tick', 'every': '10s'}");

	refused(&edited, "more often than every minute");
	free(set(&w, "me", "{'action': 'set', 'every': '1s', 'message': 'x'}"));
}

static void test_schedule_cancel(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply r =
		world_call(&w, "alice", "schedule", "{'in': '30m', 'prompt': 'x', 'name': 'work'}");
	AUTO_REPLY struct reply gone = world_call(&w, "alice", "schedule_cancel", "{'id': 'work'}");
	AUTO_REPLY struct reply again =
		world_call(&w, "alice", "schedule_cancel", "{'id': 'work'}");
	AUTO_REPLY struct reply open = world_call(&w, "alice", "schedule_list", "{}");
	AUTO_REPLY struct reply ended =
		world_call(&w, "alice", "schedule_list", "{'status': 'cancelled'}");

	said(&r, "Scheduled");
	said(&gone, "cancelled.");
	refused(&again, "it is cancelled");
	said(&open, "No tasks.");
	said(&ended, "cancelled Feb 4, 2026 3:15 PM PST");
	world_at(&w, TOOLS_NOW + 1 * HOUR, NULL);
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM missions"), 0);
}

/* Models fill what they do not need with "" or null, and write numbers as they like. */
static void test_nothing(struct db *db)
{
	static const struct {
		const char *tool, *args, *words;
	} rows[] = {
		{"schedule_list", "{'status': ''}", "No tasks."},
		{"schedule_list", "{'status': null, 'limit': ''}", "No tasks."},
		{"schedule_list", "{'limit': 3.0}", "No tasks."},
		{"schedule_list", "{'limit': '3'}", "No tasks."},
		{"mission_list", "{'status': ''}", "No missions"},
		{"board_show", "{'agent': ''}", "The board is empty."},
		{"schedule_preview",
		 "{'every': '1h', 'cron': '', 'rrule': '', 'at': '', 'in': '', "
		 "'count': 3.0, 'timezone': ''}",
		 "2026"},
		{"schedule_preview", "{'every': '1h', 'count': '3', 'timezone': null}", "2026"},
		{"reminder",
		 "{'action': 'set', 'in': '30m', 'time': '', 'message': 'x', 'id': '', "
		 "'every': '', 'cron': '', 'count': '', 'until': '', 'agent': '', 'name': '', "
		 "'timezone': ''}",
		 "Feb 4, 2026 3:15 PM PST"},
	};
	WORLD(yaml);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		AUTO_REPLY struct reply r = world_call(&w, "alice", rows[i].tool, rows[i].args);

		said(&r, rows[i].words);
	}
	AUTO_REPLY struct reply half = world_call(&w, "alice", "schedule_list", "{'limit': 2.5}");
	AUTO_REPLY struct reply word = world_call(&w, "alice", "schedule_list", "{'limit': '3x'}");
	AUTO_REPLY struct reply huge =
		world_call(&w, "alice", "schedule_list", "{'limit': '99999999999999999999'}");

	refused(&half, "'limit' must be a whole number");
	refused(&word, "'limit' must be a whole number");
	refused(&huge, "'limit' must be a whole number");
}

static void test_preview(struct db *db)
{
	WORLD(yaml);
	AUTO_REPLY struct reply cron = world_call(&w, "alice", "schedule_preview",
						  "{'cron': '30 2 * * *', 'count': 3,"
						  " 'timezone': 'America/New_York'}");
	AUTO_REPLY struct reply never =
		world_call(&w, "alice", "schedule_preview", "{'cron': '0 0 31 2 *'}");
	AUTO_REPLY struct reply past =
		world_call(&w, "alice", "schedule_preview", "{'at': '2020-01-01'}");
	AUTO_REPLY struct reply rule = world_call(&w, "alice", "schedule_preview",
						  "{'rrule': 'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17'}");
	AUTO_REPLY struct reply in = world_call(&w, "alice", "schedule_preview", "{'in': '90m'}");

	said(&cron, "\n- Feb 5, 2026 2:30 AM EST (in 8 hours 45 minutes)\n- Feb 6");
	assert_int_equal(json_array_size(json_object_get(cron.result, "fires")), 3);
	assert_string_equal(of(&cron, "timezone"), "America/New_York");
	said(&never, "Never");
	assert_true(json_is_true(json_object_get(never.result, "never")));
	said(&past, "Never");
	assert_int_equal(json_array_size(json_object_get(rule.result, "fires")), 5);
	said(&in, "Feb 4, 2026 4:15 PM PST (in 1 hour 30 minutes)");
	assert_int_equal(number_of(db, "SELECT COUNT(*) FROM reminders"), 0);
}

/* --- what a model reads --- */

static void test_words(struct db *db)
{
	static const char *const needed[] = {"confirm a concrete plan",
					     "ask the user",
					     "knows nothing of this conversation",
					     "Never work out times yourself",
					     "'in'",
					     "read the local time of the answer back"};
	static const struct {
		const char *tool;
		unsigned hints;
	} rows[] = {{"reminder", TOOL_DESTROYS | TOOL_OUTSIDE},
		    {"schedule", TOOL_OUTSIDE},
		    {"schedule_list", TOOL_READS | TOOL_IDEMPOTENT},
		    {"schedule_edit", TOOL_DESTROYS | TOOL_OUTSIDE},
		    {"schedule_cancel", TOOL_DESTROYS | TOOL_IDEMPOTENT},
		    {"schedule_preview", TOOL_READS | TOOL_IDEMPOTENT},
		    {"reminder_complete", TOOL_DESTROYS | TOOL_IDEMPOTENT},
		    {"condition_report", TOOL_DESTROYS}};
	const char *words = request_find_tool("reminder")->tool->description;

	(void)db;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		has(words, needed[i]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct request_row *row = request_find_tool(rows[i].tool);

		assert_int_equal(row->tool->hints, rows[i].hints);
		assert_int_equal(row->tool->trust, TRUST_INNER);
		assert_true(!(rows[i].hints & TOOL_READS) == !(row->flags & REQUEST_READS));
	}
}

static const struct store_row rows[] = {
	{"C19 store_loads_empty_when_no_file, store_list_filters_by_user, tool_list_shows_pending_"
	 "reminders; C3 C4: one line each",
	 test_list},
	{"C19 tool_set_creates_reminder, store_add_and_list; C3 id and time", test_set},
	{"K25 a span is told in whole seconds", test_span},
	{"C19 tool_set_persists_to_disk, store_persists_to_disk_and_survives_reload",
	 test_persists},
	{"C1 C2 B2 T19 C19 tool_set_rejects_past_time, tool_set_rejects_no_delivery_channel, "
	 "store_cancel_"
	 "returns_false_for_unknown_id: every error by name",
	 test_refusals},
	{"C6 C19 tool_rejects_low_trust", test_trust},
	{"C5 C19 tool_cancel_removes_reminder, store_cancel_removes_by_id, "
	 "store_cancel_persists_removal_"
	 "to_disk",
	 test_cancel},
	{"C5 another user's is not found by id, prefix or name", test_others},
	{"C4 what people add is listed, tasks are not", test_list_kinds},
	{"C5 a task is not a reminder", test_kinds},
	{"C7 the record, with targets frozen", test_record},
	{"C12 C19 scheduler_fires_due_reminders, store_take_due_removes_past_reminders, "
	 "store_take_due_"
	 "persists_to_disk: a run of its own that is told so",
	 test_fires},
	{"C12 a person's is answered into the inbox", test_fires_me},
	{"C19 scheduler_fires_late_reminders_on_startup", test_late},
	{"C11 C19 scheduler_wakes_for_new_reminder, store_next_fire_time", test_wakes},
	{"C2 without anybody to run the inbox gets the text", test_plain},
	{"C12 who acts", test_agent},
	{"N30 what a file declares is not changed by a tool", test_declared},
	{"C21 edit", test_edit},
	{"C21 snooze: ahead, and after it fired", test_snooze},
	{"C21 snooze: the next of a series", test_snooze_series},
	{"C21 repeat and complete", test_repeat},
	{"C2 local times, zones and clock changes", test_local},
	{"B10 the user's zone", test_user_zone},
	{"H18 no scheduler: said", test_stopped},
	{"H10 condition_report: a verdict, once a fire", test_report},
	{"H10 condition_report: met, and closed", test_report_ends},
	{"H10 reminder_complete", test_complete},
	{"T12 T13 what can be previewed can be set, by either tool's names", test_rule},
	{"B2 schedule, list, edit: confirmed in local time", test_schedule},
	{"K11 a local time that does not exist is told", test_gap},
	{"B2 schedule_cancel", test_schedule_cancel},
	{"Rate what another user sets starts a run a minute at most", test_rate},
	{"B2 schedule_preview, and never", test_preview},
	{"T1 T14 an empty string is not given, and 3.0 is a whole number", test_nothing},
	{"C17 what the tools say of themselves", test_words},
};

int main(void)
{
	return run_store_rows("tools-time", rows, sizeof(rows) / sizeof(rows[0]));
}
