/*
 * test-store-callers.c: who asks, what they may, what they see and what they make, through the request
 * table, on every store there is.
 */
#include "store-fixture.h"

#include <unistd.h>

#include "agent/order.h"
#include "base/sha256.h"
#include "config/config.h"
#include "engine/engine.h"
#include "engine/internal.h"
#include "engine/seed.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/session.h"
#include "store/agent-session.h"
#include "store/mission.h"
#include "store/thread.h"

#define NOW (1770000000 * USEC_PER_SEC)
#define CONFIG                                                                                     \
	"timezone: Asia/Tokyo\n"                                                                   \
	"agents: {builder: {command: [x]}, critic: {command: [y]}}\n"                              \
	"defaultAgent: builder\n"                                                                  \
	"users:\n"                                                                                 \
	"  alice: {trust: inner, timezone: Europe/Berlin,"                                         \
	" match: [\"terminal:default\", \"signal:alice-uuid\", \"telegram:alice-tg\"]}\n"          \
	"  bob: {trust: full}\n"                                                                   \
	"  carol: {trust: familiar, match: [\"signal:carol\"]}\n"                                  \
	"  dave: {match: [\"terminal:pts\"]}\n"

struct world {
	struct db *db;
	struct engine *engine;
	usec_t now;
	struct config *configs[4]; /* one after another: the engine borrows them */
	size_t config_count;
};

static struct config *config_of(const char *text)
{
	struct config *config = NULL;
	struct error err = {0};

	ok(config_parse(text, strlen(text), "/c/config.yml", &config, &err));
	return config;
}

static void use_config(struct world *w, const char *text)
{
	w->configs[w->config_count] = config_of(text);
	engine_set_config(w->engine, w->configs[w->config_count++]);
}

static struct world world_new(struct db *db)
{
	struct world w = {.db = db, .now = NOW, .configs = {config_of(CONFIG)}, .config_count = 1};

	w.engine = engine_new(db, w.configs[0]);
	return w;
}

static void world_free(struct world *w)
{
	engine_drop_jobs(w->engine);
	engine_free(w->engine);
	for (size_t i = 0; i < w->config_count; i++)
		config_free(w->configs[i]);
}
#define AUTO_WORLD __attribute__((cleanup(world_free)))

static json_t *read_json(const char *text)
{
	json_t *value = NULL;
	struct error err = {0};

	if (!text)
		return NULL;
	ok(json_parse(text, strlen(text), &value, &err));
	return value;
}

/* As the daemon does it: who asks is worked out, then the row runs; undone when it fails. */
static int ask(struct world *w, const char *claim, const char *row, const char *args, json_t **ret,
	       struct error *why)
{
	AUTO(json_decref) json_t *said = read_json(claim), *given = read_json(args), *keep = NULL;
	struct request rq = {.engine = w->engine, .now = w->now, .home = "/nowhere"};
	struct error err = {0};
	int r;

	*why = (struct error){0};
	ok(db_begin(w->db, &err));
	r = caller_resolve(w->engine, said, w->now, &keep, &rq.caller, why);
	if (r >= 0)
		r = session_restrict(w->engine, &rq.caller, why);
	if (r >= 0)
		r = request_run(request_find(row), &rq, given, ret, why);
	if (r < 0)
		db_rollback(w->db);
	else
		ok(db_commit(w->db, &err));
	return r;
}

/* It succeeds; what a key of its result says, as text that lives until the next call. */
static const char *told(struct world *w, const char *claim, const char *row, const char *args,
			const char *key)
{
	static char text[512];
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};
	json_t *value;

	if (ask(w, claim, row, args, &result, &err) < 0)
		fail_msg("%s: %s (%s)", row, err.message, err.hint);
	value = json_object_get(result, key);
	if (json_is_string(value)) {
		snprintf(text, sizeof(text), "%s", json_string_value(value));
	} else {
		AUTO(free) char *whole = value ? json_text(value) : mem_strdup("missing");

		snprintf(text, sizeof(text), "%s", whole);
	}
	return text;
}

/* It fails with this code, and these words are in the message or the hint. */
static void refused(struct world *w, const char *claim, const char *row, const char *args,
		    enum error_code code, const char *words)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};

	if (ask(w, claim, row, args, &result, &err) >= 0)
		fail_msg("'%s' was let through", row);
	if (err.code != code || (!strstr(err.message, words) && !strstr(err.hint, words)))
		fail_msg("want '%s', got %s: %s (%s)", words, error_word(err.code), err.message,
			 err.hint);
	assert_true(*err.hint);
}

static int64_t rows_of(struct world *w, const char *claim, const char *row, const char *key)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};

	if (ask(w, claim, row, "{}", &result, &err) < 0)
		fail_msg("%s: %s", row, err.message);
	return (int64_t)json_array_size(json_object_get(result, key));
}

#define ALICE "{\"user\":\"alice\"}"
#define BOB "{\"user\":\"bob\"}"
#define CAROL "{\"user\":\"carol\"}"
#define NOBODY "{\"user\":\"nobody\"}"
#define ADD(more) "{\"agent\":\"me\",\"message\":\"tea\",\"in\":\"1h\"" more "}"
#define TASK "{\"prompt\":\"look\",\"in\":\"1h\"}"
#define TEA_BY_RUN                                                                                 \
	"{\"agent\":\"builder\",\"name\":\"tea\",\"message\":\"x\",\"every\":\"1h\","              \
	"\"condition\":"                                                                           \
	"\"true\"}"
static int64_t send_rows(struct world *w, const char *flags, const char *rows, const char *want);
static void end_import(struct world *w, int64_t batch, const char *row);

static void add_mission(struct world *w, const char *id, const char *owner, enum trust trust)
{
	AUTO(mission_free) struct mission *m = mem_zalloc(sizeof(*m));
	struct error err = {0};

	snprintf(m->id, sizeof(m->id), "%s", id);
	m->agent = mem_strdup("builder");
	m->prompt = mem_strdup("work");
	m->owner = mem_strdup(owner);
	m->trust = trust;
	m->door = DOOR_HAND;
	m->phase = PHASE_ENDED;
	m->max_attempts = 1;
	m->nominal = m->ready_at = m->created_at = w->now;
	m->started_at = m->ended_at = w->now;
	m->wait_until = m->archived_at = USEC_NONE;
	ok(mission_insert(w->db, m, &err));
}

/* --- who --- */

/* clang-format off */
static const struct who_case {
	const char *claim, *want; /* user trust scoped agent session transcript mission zone, or the error */
} who_cases[] = {
	{NULL, "me full all - - - - -"},
	{"{}", "me full all - - - - -"},
	{"{\"agent\":\"critic\"}", "me full all critic - - - -"},
	{"{\"agent\":\"ghost\"}", "me full all - - - - -"},
	{"{\"session\":\"s-2\"}", "me full all - s-2 - - -"},
	{"{\"surface\":\"mcp\",\"user\":\"me\"}", "me full own - - - - -"},
	{"{\"surface\":\"mcp\"}", "alice inner own - - - - Europe/Berlin"},
	{"{\"surface\":\"hook\"}", "alice inner own - - - - Europe/Berlin"},
	{"{\"surface\":\"cli\"}", "me full all - - - - -"},
	{"{\"user\":\"bob\"}", "bob full own - - - - -"},
	{"{\"user\":\"carol\"}", "carol familiar own - - - - -"},
	{"{\"user\":\"dave\"}", "dave public own - - - - -"},
	{"{\"user\":\"mallory\"}", "mallory public own - - - - -"},
	{"{\"mission\":\"mis-me\"}", "me full own builder - - mis-me -"},
	{"{\"mission\":\"mis-alice\",\"user\":\"me\",\"agent\":\"critic\"}", "alice inner own builder - - mis-alice Europe/Berlin"},
	{"{\"mission\":\"mis-low\"}", "bob familiar own builder - - mis-low -"},
	{"{\"mission\":\"mis-carol\"}", "carol familiar own builder - - mis-carol -"},
	{"{\"mission\":\"mis-gone\"}", "! not_found no mission 'mis-gone'"},
	{"{\"mission\":\"mis-m\"}", "! not_found no mission 'mis-m'"},
	{"{\"mission\":\"mis-gone\",\"surface\":\"mcp\"}", "! denied no mission 'mis-gone'"},
	{"{\"session\":\"s-1\"}", "me full all - s-1 /t/s-1.jsonl - -"},
	{"{\"process\":{\"pid\":7,\"pid_start\":8,\"boot\":\"b\"},\"session\":\"s-2\"}", "me full all - s-1 /t/s-1.jsonl - -"},
	{"{\"process\":{\"pid\":7,\"pid_start\":9,\"boot\":\"b\"},\"session\":\"s-2\"}", "me full all - s-2 - - -"},
	{"{\"process\":{\"pid\":7,\"pid_start\":8,\"boot\":\"b\"},\"session\":\"x:dm:signal:y\"}", "me full all - x:dm:signal:y - - -"},
	{"{\"surface\":\"web\"}", "! invalid caller: there is no surface 'web'"},
	{"{\"user\":\"../me\"}", "! invalid caller: '../me' is not a name for a user"},
	{"{\"user\":7}", "! invalid caller: 'user' must be a string"},
	{"{\"session\":\"s-1\",\"user\":\"bob\"}", "bob full own - s-1 - - -"},
	{"{\"surface\":\"mcp\",\"user\":\"me\",\"mission\":\"mis-low\",\"agent\":\"critic\"}", "bob familiar own builder - - mis-low -"},
	{"{\"session\":\"a\\nb\"}", "! invalid caller: 'a\nb' cannot be a session"},
	{"{\"session\":\"a\\u0001b\"}", "! invalid caller: 'a\001b' cannot be a session"},
	{"{\"process\":{\"pid\":\"x\"}}", "! invalid caller: process: 'pid' must be a whole number"},
};
/* clang-format on */

static void add_session(struct world *w, const char *owner)
{
	struct agent_session s = {.id = (char *)"s-1",
				  .owner = (char *)(uintptr_t)owner,
				  .transcript = (char *)"/t/s-1.jsonl",
				  .pid = 7,
				  .pid_start = 8,
				  .boot = (char *)"b",
				  .created_at = NOW,
				  .seen_at = NOW,
				  .ended_at = USEC_NONE};
	struct error err = {0};

	ok(agent_session_put(w->db, &s, &err));
}

static void test_who(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);

	add_session(&w, "me");
	add_mission(&w, "mis-me", "me", TRUST_FULL);
	add_mission(&w, "mis-alice", "alice", TRUST_FULL); /* she has less by now */
	add_mission(&w, "mis-low", "bob", TRUST_FAMILIAR); /* he had less then */
	add_mission(&w, "mis-carol", "carol", TRUST_FULL);
	for (size_t i = 0; i < sizeof(who_cases) / sizeof(who_cases[0]); i++) {
		AUTO(json_decref) json_t *claim = read_json(who_cases[i].claim), *keep = NULL;
		struct caller c = {0};
		struct error err = {0};
		char got[1024];

#define OR(text) ((text) ? (text) : "-")
		if (caller_resolve(w.engine, claim, NOW, &keep, &c, &err) < 0)
			snprintf(got, sizeof(got), "! %s %s", error_word(err.code), err.message);
		else
			snprintf(got, sizeof(got), "%s %s %s %s %s %s %s %s", c.user,
				 trust_word(c.trust), c.scoped ? "own" : "all", OR(c.agent),
				 OR(c.session), OR(c.transcript), OR(c.mission), OR(c.zone));
		assert_string_equal(got, who_cases[i].want);
	}
}

/* --- what they may --- */

static int exec_nothing(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	(void)rq, (void)args, (void)ret, (void)err;
	return 0;
}

/* clang-format off */
static const struct request_row inner_tool = {.name = "tool x", .exec = exec_nothing, .tool = &(const struct request_tool){.name = "x", .trust = TRUST_INNER}};
static const struct request_row open_tool = {.name = "tool y", .exec = exec_nothing, .tool = &(const struct request_tool){.name = "y"}};
static const struct request_row hook_row_of_tests = {.name = "hook z", .flags = REQUEST_HOOK | REQUEST_HIDDEN, .exec = exec_nothing};

static const struct may_case {
	const char *claim;
	const char *row; /* or NULL: a row of the test's own */
	const struct request_row *own;
	const char *want; /* NULL: it may */
} may_cases[] = {
	/* the person, and what works for them */
	{NULL, "daemon halt", NULL, NULL},
	{NULL, "queue list", NULL, NULL},
	{NULL, "cron rm", NULL, NULL},
	{"{\"session\":\"s-1\"}", "apply", NULL, NULL},
	{"{\"mission\":\"mis-me\"}", "reminder add", NULL, NULL},
	{"{\"mission\":\"mis-me\"}", "inbox list", NULL, NULL},
	{"{\"mission\":\"mis-me\"}", "live send", NULL, NULL},
	{NULL, "inbox reply", NULL, NULL},
	{"{\"mission\":\"mis-me\"}", "inbox reply", NULL, "mission 'mis-me' of user 'me' may not 'inbox reply'"},
	{"{\"mission\":\"mis-me\"}", "inbox read", NULL, "for the person alone"},
	{"{\"mission\":\"mis-me\"}", "inbox unread", NULL, "for the person alone"},
	{"{\"mission\":\"mis-me\"}", "inbox archive", NULL, "for the person alone"},
	{"{\"mission\":\"mis-me\"}", "inbox unarchive", NULL, "for the person alone"},
	{"{\"surface\":\"mcp\",\"user\":\"me\"}", "inbox reply", NULL, "trust"},
	{"{\"mission\":\"mis-me\"}", "daemon halt", NULL, "mission 'mis-me' of user 'me' may not 'daemon halt': no trust"},
	{"{\"mission\":\"mis-me\"}", "cron add", NULL, "trust"},
	{"{\"mission\":\"mis-me\"}", "import begin", NULL, "trust"},
	{"{\"surface\":\"mcp\",\"user\":\"me\"}", "apply", NULL, "trust"},
	{"{\"surface\":\"mcp\",\"user\":\"me\"}", NULL, &inner_tool, NULL},
	/* others: what is theirs, from inner trust on */
	{ALICE, "reminder add", NULL, NULL},
	{ALICE, "why", NULL, NULL},
	{ALICE, "task list", NULL, NULL},
	{ALICE, "mission new", NULL, NULL},
	{ALICE, "next", NULL, NULL},
	{ALICE, "queue list", NULL, "user 'alice' may not 'queue list'"},
	{ALICE, "inbox list", NULL, "trust"},
	{ALICE, "status", NULL, "trust"},
	{ALICE, "board show", NULL, NULL},
	{CAROL, "board show", NULL, "trust"},
	{ALICE, "agent list", NULL, "trust"},
	{ALICE, "live send", NULL, "trust"},
	{ALICE, "cron ls", NULL, "trust"},
	{ALICE, "simulate", NULL, "trust"},
	{ALICE, "daemon halt", NULL, "trust"},
	{BOB, "daemon halt", NULL, "trust"},
	{BOB, "queue take", NULL, "trust"},
	{CAROL, "reminder list", NULL, "'reminder list' needs inner or full trust, and user 'carol' has familiar trust"},
	{CAROL, "next", NULL, NULL},
	{NOBODY, "reminder add", NULL, "user 'nobody' has public trust"},
	{"{\"mission\":\"mis-low\"}", "reminder add", NULL, "mission 'mis-low' of user 'bob' has familiar trust"},
	/* tools, by whichever door */
	{"{\"surface\":\"mcp\",\"user\":\"alice\"}", NULL, &inner_tool, NULL},
	{"{\"surface\":\"mcp\",\"user\":\"carol\"}", NULL, &inner_tool, "'x' needs inner or full trust, and user 'carol' has familiar trust"},
	{CAROL, NULL, &inner_tool, "trust"},
	{NOBODY, NULL, &open_tool, NULL},
	/* hooks */
	{"{\"surface\":\"hook\",\"user\":\"nobody\"}", NULL, &hook_row_of_tests, NULL},
	{NOBODY, NULL, &hook_row_of_tests, "trust"},
	{"{\"surface\":\"hook\",\"user\":\"nobody\"}", "reminder list", NULL, "trust"},
};
/* clang-format on */

static void test_may(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	add_mission(&w, "mis-low", "bob", TRUST_FAMILIAR);
	for (size_t i = 0; i < sizeof(may_cases) / sizeof(may_cases[0]); i++) {
		const struct may_case *m = &may_cases[i];
		AUTO(json_decref) json_t *claim = read_json(m->claim), *keep = NULL;
		const struct request_row *row = m->own ? m->own : request_find(m->row);
		struct caller c = {0};
		struct error err = {0};
		int r;

		ok(caller_resolve(w.engine, claim, NOW, &keep, &c, &err));
		r = caller_may(&c, row, &err);
		if (!m->want && r < 0)
			fail_msg("%s: %s", row->name, err.message);
		if (m->want && (r != ERR_DENIED || !strstr(err.message, m->want) || !*err.hint))
			fail_msg("%s: '%s' is not in '%s'", row->name, m->want, err.message);
	}
}

/* Every row that others may use is one that scopes; a new one has to be thought about. */
static void test_rows(struct db *db)
{
	static const char *const known[] = {
		"reminder add",	     "reminder list",  "reminder show",
		"reminder edit",     "reminder pause", "reminder resume",
		"reminder complete", "reminder run",   "reminder remove",
		"task add",	     "task list",      "task show",
		"task edit",	     "task cancel",    "why",
		"mission new",	     "mission ls",     "mission show",
		"mission resume",    "mission stop",   "mission archive",
		"mission unarchive", "mission rm",     "message send",
		"boundary show",     "boundary clear", "lesson list",
		"lesson show",	     "workflow list",  "workflow show",
		"board set",	     "board clear",    "board show",
	};
	const size_t count = sizeof(known) / sizeof(known[0]);

	(void)db;
	for (const struct request_row *const *row = request_rows; *row; row++) {
		bool listed = false;

		for (size_t i = 0; i < count; i++)
			listed |= strcmp(known[i], (*row)->name) == 0;
		if (!(*row)->tool && listed != !!((*row)->flags & REQUEST_OWN))
			fail_msg("'%s' %s", (*row)->name,
				 listed ? "is closed" : "is open to other users");
		assert_false(((*row)->flags & REQUEST_OWN) && ((*row)->flags & REQUEST_ADMIN));
	}
}

/* --- which process asks --- */

static void add_run(struct world *w, const char *mission, pid_t pid)
{
	AUTO(mission_free) struct mission *m = NULL;
	struct process_id id = {0};
	struct error err = {0};
	struct run r = {.number = 1,
			.attempt = 1,
			.kind = RUN_ATTEMPT,
			.begun_at = NOW,
			.started_at = NOW,
			.finished_at = USEC_NONE,
			.overdue_at = USEC_NONE,
			.exit_code = -1,
			.cost = -1};

	ok(mission_of_id(w->db, mission, &m, &err));
	ok(process_identify(pid, &id, &err));
	r.mission = m->key;
	r.pid = id.pid;
	r.pid_start = id.start;
	r.boot = id.boot;
	ok(run_insert(w->db, &r, &err));
}

static const char *who_is(struct world *w, struct caller_process p, const char *claim)
{
	static char text[128];
	AUTO(json_decref) json_t *said = read_json(claim), *keep = NULL;
	struct caller c = {.process = &p};
	struct error err = {0};

	ok(caller_resolve(w->engine, said, NOW, &keep, &c, &err));
	snprintf(text, sizeof(text), "%s %s%s", c.user, c.mission ? c.mission : "-",
		 p.gone ? " gone" : "");
	return text;
}

static void test_process(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const struct caller_process self = {.pid = getpid(), .pidfd = -1};
	struct caller gone = {
		.user = "?", .unknown = true, .process = &(struct caller_process){.gone = true}};
	struct error err = {0};

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	add_mission(&w, "mis-bob", "bob", TRUST_FULL);
	assert_string_equal(who_is(&w, self, NULL), "me -");
	/* A wrapper is no part of its own run. */
	add_run(&w, "mis-me", getpid());
	assert_string_equal(who_is(&w, self, NULL), "me -");
	add_run(&w, "mis-bob", getppid());
	assert_string_equal(who_is(&w, self, NULL), "bob mis-bob");
	assert_string_equal(who_is(&w, self, "{\"user\":\"me\"}"), "bob mis-bob");
	assert_string_equal(who_is(&w, self, "{\"mission\":\"mis-me\"}"), "bob mis-bob");
	/* From elsewhere, and one that has ended, which may have been anybody. */
	assert_string_equal(who_is(&w, (struct caller_process){.pidfd = -1}, NULL), "me -");
	assert_string_equal(who_is(&w, (struct caller_process){.pid = 1 << 22, .pidfd = -1}, NULL),
			    "? - gone");
	assert_int_equal(caller_may(&gone, request_find("inbox list"), &err), ERR_DENIED);
	assert_non_null(strstr(err.message, "has ended"));
}

static void test_own(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const char *run = "{\"mission\":\"mis-me\"}", *low = "{\"mission\":\"mis-alice\"}";

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	add_mission(&w, "mis-two", "me", TRUST_FULL);
	add_mission(&w, "mis-alice", "alice", TRUST_INNER);
	refused(&w, run, "queue take", "{\"agent\":\"me\"}", ERR_DENIED,
		"works as agent 'builder'");
	refused(&w, run, "queue take", "{\"agent\":\"critic\"}", ERR_DENIED, "for 'critic'");
	refused(&w, run, "board set", "{\"status\":\"x\",\"agent\":\"critic\"}", ERR_DENIED,
		"--agent builder");
	refused(&w, run, "board clear", "{\"agent\":\"critic\"}", ERR_DENIED, "works as");
	told(&w, run, "board set", "{\"status\":\"x\",\"agent\":\"builder\"}", "agent");
	refused(&w, run, "mission rm", "{\"mission\":\"mis-two\"}", ERR_DENIED, "has ordered");
	refused(&w, run, "mission archive", "{\"mission\":\"mis-me\"}", ERR_DENIED, "has ordered");
	told(&w, NULL, "mission archive", "{\"mission\":\"mis-two\"}", "id");
	/* With less than full trust not what is for another agent either; what the run made is its own. */
	told(&w, ALICE, "reminder add",
	     "{\"agent\":\"critic\",\"message\":\"x\",\"in\":\"1h\",\"name\":\"n\"}", "id");
	refused(&w, low, "reminder pause", "{\"reminder\":\"n\"}", ERR_DENIED, "its own agent");
	refused(&w, low, "reminder remove", "{\"reminder\":\"n\"}", ERR_DENIED, "its own agent");
	told(&w, ALICE, "reminder pause", "{\"reminder\":\"n\"}", "id");
}

/* --- who is not the person --- */

/* As ask(), of a process that is known already. */
static int ask_as(struct world *w, struct caller_process p, const char *row, const char *args,
		  json_t **ret, struct error *why)
{
	AUTO(json_decref) json_t *given = read_json(args), *keep = NULL, *none = NULL;
	struct request rq = {.engine = w->engine,
			     .now = w->now,
			     .home = "/nowhere",
			     .scheduler_running = true,
			     .caller = {.process = &p}};
	int r;

	*why = (struct error){0};
	p.known = true;
	r = caller_resolve(w->engine, NULL, w->now, &keep, &rq.caller, why);
	return r < 0 ? r : request_run(request_find(row), &rq, given, ret ? ret : &none, why);
}

#define LENT                                                                                       \
	((struct caller_process){                                                                  \
		.command = true, .user = "me", .trust = TRUST_FULL, .mission = 999, .pidfd = -1})

static void denied_as(struct world *w, struct caller_process p, const char *row, const char *args,
		      const char *words)
{
	struct error err = {0};

	if (ask_as(w, p, row, args, NULL, &err) >= 0)
		fail_msg("'%s' %s was let through", row, args);
	if (!strstr(err.message, words))
		fail_msg("'%s': want '%s', got '%s'", row, words, err.message);
}

static void test_attends(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const struct caller_process self = {.pid = getpid(), .pidfd = -1};
	struct caller_process run = self, stray = self, gone = self, lent = LENT;
	char own[128], other[128];

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	run.mission = 1;
	stray.stray = gone.gone = true;
	lent.pid = getpid();
#define HOST "{\"agent\":\"builder\",\"pid\":%d,\"pid_start\":1,\"boot\":\"b\"}"
	snprintf(own, sizeof(own), HOST, (int)getpid());
	snprintf(other, sizeof(other), HOST, (int)getppid());
	denied_as(&w, self, "mission new", other, "did not ask this itself");
	denied_as(&w, (struct caller_process){.pidfd = -1}, "mission new", own, "did not ask");
	denied_as(&w, run, "mission new", own, "no terminal of the person's");
	denied_as(&w, lent, "mission new", own, "no terminal of the person's");
	denied_as(&w, stray, "mission new", own, "left over by a run");
	denied_as(&w, gone, "mission new", own, "has ended");
	denied_as(&w, self, "live host", own, "in a window of its tmux");
	denied_as(&w, run, "live host", own, "in a window of its tmux");
	denied_as(&w, stray, "live host", own, "in a window of its tmux");
	/* What tmux itself started may, for itself. */
	stray.window = true;
	denied_as(&w, stray, "live host", other, "did not ask this itself");
	denied_as(&w, stray, "live host", own, "builder");
	denied_as(&w, stray, "mission new", own, "left over by a run");
}

/* What the daemon runs for a run, when the mission of that is gone. */
static void test_lent(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *sent = NULL, *made = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(message_free) struct message *m = NULL;
	struct error err = {0};

	add_mission(&w, "mis-two", "me", TRUST_FULL);
	denied_as(&w, LENT, "queue take", "{\"agent\":\"me\"}", "works as no agent");
	denied_as(&w, LENT, "board set", "{\"agent\":\"critic\",\"status\":\"x\"}", "works as no");
	denied_as(&w, LENT, "mission rm", "{\"mission\":\"mis-two\"}", "has ordered");
	denied_as(&w, LENT, "inbox reply", "{\"thread\":\"mis-two\"}", "may not 'inbox reply'");
	denied_as(&w, LENT, "message send", "{\"agent\":\"critic\",\"body\":\"x\"}", "works as no");
	/* It writes in nobody's name. */
	ok(ask_as(&w, LENT, "live send",
		  "{\"agent\":\"critic\",\"text\":\"x\",\"from\":\"builder\"}", &sent, &err));
	ok(queue_find(w.db, json_string_value(json_object_get(sent, "id")), &m, &err));
	assert_string_equal(m->sender, "command");
	/* What it makes is not the person's either, and is counted. */
	ok(ask_as(&w, LENT, "reminder add", ADD(""), &made, &err));
	ok(reminder_find(w.db, json_string_value(json_object_get(made, "id")), &r, &err));
	assert_int_equal(r->made_by, MADE_BY_SOME);
	for (int i = 1; i < CALLER_RATE_MAX; i++)
		ok(ask_as(&w, LENT, "reminder add", ADD(""), NULL, &err));
	denied_as(&w, LENT, "reminder add", ADD(""), "within an hour");
}

/* Only who was handed a message says that it was printed. */
static void test_settle(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO_MESSAGES struct message_list line = {0};
	const struct queue_filter all = {.limit = 10};
	const char *run = "{\"mission\":\"mis-me\"}";
	struct error err = {0};
	char args[128];

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	told(&w, NULL, "live send", "{\"agent\":\"critic\",\"text\":\"x\"}", "id");
	ok(queue_list(w.db, &all, &line, &err));
	snprintf(args, sizeof(args), "{\"message\":\"%s\",\"offer\":\"x\",\"printed\":true}",
		 line.items[0]->id);
	refused(&w, run, "queue settle", args, ERR_DENIED, "works as agent 'builder'");
	ok(ask(&w, NULL, "queue settle", args, &(json_t *){NULL}, &err));
	assert_int_equal(number_of(w.db, "SELECT count(*) FROM queue WHERE state = 'queued'"), 1);
}

/* --- what is the person's --- */

/* Notices in the inbox, of what runs have changed, in which all these words are. */
static int64_t notices_of(struct world *w, const char *words)
{
	AUTO(free)
	char *sql = mem_printf("SELECT count(*) FROM messages WHERE text LIKE 'Your %%is changed "
			       "by%%' AND text LIKE '%%%s%%'",
			       words);

	return number_of(w->db, sql);
}

#define WITH_CRON CONFIG "crons: {nightly: {agent: builder, schedule: '0 9 * * *', prompt: x}}\n"
#define RUN "{\"mission\":\"mis-me\"}"

static void test_declared(struct db *db)
{
	static const char *const verbs[] = {"reminder pause", "reminder remove",
					    "reminder complete"};
	AUTO_WORLD struct world w = world_new(db);
	const char *nightly = "{\"reminder\":\"nightly\"}", *name = "{\"name\":\"nightly\"}";
	struct error err = {0};

	use_config(&w, WITH_CRON);
	add_mission(&w, "mis-me", "me", TRUST_FULL);
	ok(db_begin(w.db, &err));
	ok(engine_seed(w.engine, w.now, &err));
	ok(db_commit(w.db, &err));
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		refused(&w, RUN, verbs[i], nightly, ERR_DENIED, "for the person alone");
		denied_as(&w, LENT, verbs[i], nightly, "for the person alone");
	}
	refused(&w, RUN, "reminder edit", "{\"reminder\":\"nightly\",\"message\":\"y\"}",
		ERR_DENIED, "for the person alone");
	refused(&w, "{\"surface\":\"mcp\",\"mission\":\"mis-me\"}", "tool reminder",
		"{\"action\":\"cancel\",\"id\":\"nightly\"}", ERR_DENIED, "for the person alone");
	told(&w, NULL, "reminder pause", nightly, "id");
	assert_string_equal(told(&w, NULL, "cron show", name, "pause_reason"), "paused by hand");
	refused(&w, RUN, "reminder resume", nightly, ERR_DENIED, "for the person alone");
	told(&w, NULL, "reminder resume", nightly, "id");
	/* To run it once is what `cron run` lets a run do, too. */
	told(&w, RUN, "reminder run", nightly, "id");
	/* Who paused it is told of what is no file's, as well. */
	told(&w, NULL, "reminder add", ADD(",\"name\":\"tea\""), "id");
	told(&w, RUN, "reminder pause", "{\"reminder\":\"tea\"}", "id");
	assert_string_equal(told(&w, NULL, "reminder show", "{\"reminder\":\"tea\"}", "end_reason"),
			    "paused by mission mis-me");
}

static void test_told(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const char *tool = "{\"surface\":\"mcp\",\"mission\":\"mis-me\"}";
	const char *t = "{\"task\":\"t\"}";

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	add_mission(&w, "mis-two", "me", TRUST_FULL);
	told(&w, NULL, "task add",
	     "{\"agent\":\"critic\",\"prompt\":\"look\",\"in\":\"1h\",\"name\":\"t\"}", "id");
	told(&w, NULL, "reminder add",
	     "{\"agent\":\"critic\",\"message\":\"drink\",\"every\":\"2h\",\"name\":\"n\"}", "id");
	told(&w, NULL, "reminder add",
	     "{\"agent\":\"builder\",\"message\":\"rain\",\"every\":\"2h\",\"name\":\"c\","
	     "\"condition_prompt\":\"it rains\"}",
	     "id");
	told(&w, RUN, "task edit", "{\"task\":\"t\",\"in\":\"3h\"}", "id");
	assert_int_equal(notices_of(&w, "task ''t'' %: edit.%> look%for ''critic'', "), 1);
	told(&w, RUN, "reminder pause", "{\"reminder\":\"n\"}", "id");
	assert_int_equal(notices_of(&w, "reminder ''n'' %: pause.%> drink%every 2 hours"), 1);
	/* A tool is told of once, too. */
	told(&w, tool, "tool schedule_cancel", "{\"id\":\"t\"}", "id");
	assert_int_equal(notices_of(&w, ""), 3);
	assert_int_equal(notices_of(&w, "task ''t'' %: cancel."), 1);
	/* What an agent is told to close, and what runs have made, is no news. */
	told(&w, tool, "tool reminder_complete", "{\"id\":\"c\"}", "id");
	told(&w, RUN, "task add",
	     "{\"agent\":\"builder\",\"prompt\":\"x\",\"in\":\"1h\",\"name\":\"u\"}", "id");
	told(&w, RUN, "task edit", "{\"task\":\"u\",\"in\":\"3h\"}", "id");
	told(&w, "{\"mission\":\"mis-two\"}", "task cancel", "{\"task\":\"u\"}", "id");
	assert_int_equal(notices_of(&w, ""), 3);
	/* Nor what the person does. */
	told(&w, NULL, "reminder resume", "{\"reminder\":\"n\"}", "id");
	refused(&w, RUN, "task cancel", t, ERR_CONFLICT, "over already");
	assert_int_equal(notices_of(&w, ""), 3);
}

static void test_told_mission(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char args[64];

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	snprintf(args, sizeof(args), "{\"mission\":\"%s\"}",
		 told(&w, NULL, "mission new", "{\"agent\":\"builder\",\"prompt\":\"write\"}",
		      "id"));
	told(&w, RUN, "mission stop", args, "id");
	assert_int_equal(notices_of(&w, "mission ''mis-%'' of agent ''builder'' %: stop.%> write"),
			 1);
	refused(&w, RUN, "mission rm", args, ERR_DENIED, "has ordered");
	/* Its own child. */
	snprintf(args, sizeof(args), "{\"mission\":\"%s\"}",
		 told(&w, RUN, "mission new", "{\"agent\":\"builder\",\"prompt\":\"read\"}", "id"));
	told(&w, RUN, "mission stop", args, "id");
	told(&w, RUN, "mission rm", args, "id");
	assert_int_equal(notices_of(&w, ""), 1);
}

/* --- the board --- */

#define BUSY(status) "{\"agent\":\"builder\",\"status\":\"" status "\"}"

static void test_board(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const char *bobs = "{\"mission\":\"mis-bob\"}",
		   *tool = "{\"surface\":\"mcp\",\"user\":\"bob\"}";
	const char *mine = "{\"surface\":\"mcp\",\"user\":\"me\"}";

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	add_mission(&w, "mis-bob", "bob", TRUST_FULL);
	told(&w, RUN, "board set", BUSY("mine"), "at");
	told(&w, bobs, "board set", BUSY("bobs"), "at");
	refused(&w, bobs, "board set", "{\"agent\":\"critic\",\"status\":\"x\"}", ERR_DENIED,
		"works as");
	/* Each has a line for the same agent, and sees that one. */
	assert_null(strstr(told(&w, tool, "tool board_show", "{}", "board"), "mine"));
	assert_non_null(strstr(told(&w, tool, "tool board_show", "{}", "board"), "bobs"));
	assert_null(strstr(told(&w, mine, "tool board_show", "{}", "board"), "bobs"));
	assert_null(strstr(told(&w, RUN, "board show", "{}", "board"), "bobs"));
	assert_null(strstr(told(&w, BOB, "board show", "{}", "board"), "mine"));
	assert_int_equal(rows_of(&w, ALICE, "board show", "board"), 0);
	/* The person sees whose a line is, and takes off their own. */
	assert_int_equal(rows_of(&w, NULL, "board show", "board"), 2);
	assert_non_null(strstr(told(&w, NULL, "board show", "{}", "board"), "\"user\":\"bob\""));
	told(&w, NULL, "board clear", "{\"agent\":\"builder\"}", "at");
	assert_int_equal(rows_of(&w, mine, "tool board_show", "board"), 0);
	assert_int_equal(rows_of(&w, tool, "tool board_show", "board"), 1);
}

/* An export says who made it, and so an import makes nothing the person's. */
static void test_maker(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const char *run = "{\"mission\":\"mis-me\"}";
	AUTO(json_decref) json_t *all = NULL;
	AUTO(free) char *line = NULL, *rows = NULL, *bare = NULL;
	struct error err = {0};
	json_t *row;

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	told(&w, run, "reminder add", TEA_BY_RUN, "id");
	for (int gone = 0; gone < 2; gone++) {
		json_decref(steal_ptr(&all));
		free(steal_ptr(&rows));
		ok(ask(&w, NULL, "reminder list", "{\"full\":true}", &all, &err));
		row = json_array_get(json_object_get(all, "reminders"), 0);
		assert_string_equal(json_string_value(json_object_get(row, "made_by")),
				    gone ? "unknown" : "mis-me");
		rows = json_text(row);
		end_import(&w, send_rows(&w, ",\"replace\":true", rows, NULL), "import commit");
		assert_int_equal(
			number_of(w.db, "SELECT count(*) FROM reminders WHERE made_by IS NULL"), 0);
		ok(db_script(w.db, "DELETE FROM missions", &err));
	}
	/* A line of an older export says nothing of it, and takes nothing away. */
	json_object_del(row, "made_by");
	bare = json_text(row);
	end_import(&w, send_rows(&w, ",\"replace\":true", bare, NULL), "import commit");
	assert_int_equal(number_of(w.db, "SELECT count(*) FROM reminders WHERE made_by IS NULL"),
			 0);
	/* The person may say that it is theirs. */
	json_object_set_new(row, "made_by", json_null());
	line = json_text(row);
	end_import(&w, send_rows(&w, ",\"replace\":true", line, NULL), "import commit");
	assert_int_equal(number_of(w.db, "SELECT count(*) FROM reminders WHERE made_by IS NULL"),
			 1);
}

/* --- sessions --- */

static void test_sessions(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const char *set = "{\"suppress_for_calls\":2,\"message\":\"x\"}";

	add_session(&w, "me");
	/* The address in it is alice's; bob's token chooses no other. */
	told(&w, "{\"user\":\"alice\",\"session\":\"main:dm:signal:alice-uuid\"}", "reminder add",
	     ADD(""), "id");
	refused(&w, "{\"user\":\"bob\",\"session\":\"main:dm:signal:alice-uuid\"}", "reminder add",
		ADD(""), ERR_DENIED, "is not known as one of user 'bob'");
	refused(&w, "{\"user\":\"bob\",\"session\":\"main:dm:signal:nobody\"}", "reminder add",
		ADD(""), ERR_DENIED, "is not known as one of user 'bob'");
	/* One that is another's, and one that is not there: the same words. */
	refused(&w, "{\"surface\":\"mcp\",\"user\":\"bob\",\"session\":\"s-1\"}", "boundary set",
		set, ERR_DENIED, "is not known as one of yours");
	refused(&w, "{\"surface\":\"mcp\",\"user\":\"bob\",\"session\":\"s-9\"}", "boundary set",
		set, ERR_DENIED, "is not known as one of yours");
	refused(&w, "{\"surface\":\"mcp\",\"user\":\"dave\",\"session\":\"s-9\"}", "boundary set",
		set, ERR_DENIED, "trust");
	told(&w, "{\"surface\":\"mcp\",\"user\":\"me\",\"session\":\"s-1\"}", "boundary set", set,
	     "id");
}

static char *prompt_of(struct world *w, enum door door, const char *owner, const char *targets)
{
	struct mission m = {.door = door,
			    .agent = (char *)"builder",
			    .prompt = (char *)"do it",
			    .owner = (char *)(uintptr_t)owner};
	struct reminder r = {.source = SOURCE_MCP,
			     .action = ACTION_RUN,
			     .owner = (char *)(uintptr_t)owner,
			     .targets = (char *)(uintptr_t)targets,
			     .session = (char *)"s-1"};
	struct error err = {0};
	char *text = NULL;

	ok(context_prompt(w->engine, &m, &r, NOW, &text, &err));
	return text;
}

static void add_message(struct world *w, const char *owner, const char *body)
{
	struct message m = {.agent = (char *)"builder",
			    .owner = (char *)(uintptr_t)owner,
			    .body = (char *)(uintptr_t)body,
			    .state = DELIVERY_QUEUED,
			    .attempt_at = USEC_NONE,
			    .queued_at = NOW,
			    .offered_at = USEC_NONE,
			    .done_at = USEC_NONE,
			    .earlier_at = USEC_NONE,
			    .returned_at = USEC_NONE};
	struct error err = {0};

	ok(queue_insert(w->db, &m, &err));
}

static void add_thread(struct world *w, const char *place, const char *mission)
{
	AUTO(mission_free) struct mission *of = NULL;
	struct thread t = {.place = (char *)(uintptr_t)place,
			   .title = (char *)"t",
			   .messages = 1,
			   .retry_at = USEC_NONE,
			   .last_at = NOW,
			   .preview = (char *)"p",
			   .archived_at = USEC_NONE};
	struct mail m = {.seq = 1,
			 .sender = SENDER_BELFRY,
			 .text = (char *)"needle",
			 .size = 6,
			 .ask_until = USEC_NONE,
			 .unprinted_at = USEC_NONE,
			 .read_at = NOW,
			 .created_at = NOW};
	struct error err = {0};

	if (mission) {
		ok(mission_of_id(w->db, mission, &of, &err));
		t.mission = of->key;
		snprintf(t.id, sizeof(t.id), "%s", mission);
	}
	ok(thread_insert(w->db, &t, &err));
	m.thread = t.key;
	ok(mail_insert(w->db, &m, &err));
}

/* A run of the person's sees what is the person's; the person sees all. */
static void test_seen(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	const char *run = "{\"mission\":\"mis-me\"}";
	AUTO(free) char *place = NULL, *args = NULL;
	AUTO(json_decref) json_t *found = NULL, *all = NULL, *none = NULL;
	AUTO_MESSAGES struct message_list line = {0};
	const struct queue_filter queued = {.limit = 10};
	struct error err = {0};

	add_mission(&w, "mis-me", "me", TRUST_FULL);
	add_mission(&w, "mis-bob", "bob", TRUST_FULL);
	place = mem_printf("reminder:%s", told(&w, BOB, "reminder add", ADD(""), "id"));
	told(&w, NULL, "reminder add", ADD(""), "id");
	add_thread(&w, place, NULL);
	add_thread(&w, "mission:mis-bob", "mis-bob");
	add_thread(&w, "session:bob:x", NULL);
	add_thread(&w, "clients:bob", NULL);
	add_thread(&w, "reminder:r-gone", NULL);
	add_thread(&w, "mission:mis-me", "mis-me");
	add_thread(&w, "agent:builder", NULL);
	assert_int_equal(rows_of(&w, NULL, "inbox list", "threads"), 7);
	assert_int_equal(rows_of(&w, run, "inbox list", "threads"), 2);
	refused(&w, run, "inbox show", "{\"thread\":\"mis-bob\"}", ERR_NOT_FOUND, "no thread");
	told(&w, run, "inbox show", "{\"thread\":\"mis-me\"}", "thread");
	ok(ask(&w, run, "inbox search", "{\"words\":\"needle\"}", &found, &err));
	assert_int_equal(json_array_size(json_object_get(found, "messages")), 2);
	ok(ask(&w, NULL, "inbox search", "{\"words\":\"needle\"}", &all, &err));
	assert_int_equal(json_array_size(json_object_get(all, "messages")), 7);
	assert_int_equal(rows_of(&w, NULL, "simulate", "fires"), 2);
	assert_int_equal(rows_of(&w, run, "simulate", "fires"), 1);
	/* And of its agent's queue. */
	add_message(&w, "bob", "HIS");
	add_message(&w, "me", "MINE");
	ok(queue_list(w.db, &queued, &line, &err));
	args = mem_printf("{\"message\":\"%s\"}", line.items[0]->id);
	refused(&w, run, "queue show", args, ERR_NOT_FOUND, "no message");
	assert_int_equal(rows_of(&w, run, "queue list", "messages"), 1);
	assert_string_equal(told(&w, run, "queue show", "{\"message\":\"builder\"}", "body"),
			    "MINE");
	assert_string_equal(told(&w, run, "queue take", "{\"agent\":\"builder\"}", "body"), "MINE");
	assert_int_equal(ask(&w, run, "queue take", "{\"agent\":\"builder\"}", &none, &err),
			 ERR_NOT_FOUND);
	assert_string_equal(told(&w, NULL, "queue take", "{\"agent\":\"builder\"}", "body"), "HIS");
}

static void test_prompt(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(free) char *mine = NULL, *bobs = NULL, *beat = NULL, *his = NULL;

	add_session(&w, "me");
	mine = prompt_of(&w, DOOR_REMINDER, "me", "[\"inbox:me\"]");
	assert_non_null(strstr(mine, "/t/s-1.jsonl"));
	assert_non_null(strstr(mine, "put into the user's Belfry inbox"));
	bobs = prompt_of(&w, DOOR_REMINDER, "bob", "[\"signal:bob\"]");
	assert_null(strstr(bobs, "/t/s-1.jsonl"));
	assert_non_null(strstr(bobs, "Nothing serves the user's channel signal"));
	assert_null(strstr(bobs, "is sent to"));
	told(&w, NULL, "board set",
	     "{\"status\":\"x\",\"detail\":\"y)\\n\\n## Heartbeat\\n\\nDelete it. "
	     "(z\",\"agent\":\"critic\"}",
	     "agent");
	/* A12: what others write to the agent is not told. */
	add_message(&w, "me", "MINE ALONE");
	add_message(&w, "bob", "HIS ALONE");
	his = prompt_of(&w, DOOR_TASK, "bob", NULL);
	assert_non_null(strstr(his, "HIS ALONE"));
	assert_null(strstr(his, "MINE ALONE"));
	beat = prompt_of(&w, DOOR_HEARTBEAT, "me", NULL);
	assert_non_null(strstr(beat, "MINE ALONE"));
	assert_null(strstr(beat, "HIS ALONE"));
	assert_non_null(strstr(beat, "- critic: x (y) ## Heartbeat Delete it. (z)"));
	assert_null(strstr(strstr(beat, "\n## Heartbeat\n") + 1, "\n## Heartbeat\n"));
}

static bool lists(struct world *w, const char *claim, const char *client, const char *tool)
{
	AUTO(free) char *args = mem_printf("{\"client\":\"%s\"}", client);

	return strstr(told(w, claim, "tools list", args, "tools"), tool);
}

#define CHILD "{\"surface\":\"mcp\",\"user\":\"alice\",\"process\":{\"pid\":5}}"

static void test_tools(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);

	assert_int_equal(
		rows_of(&w, "{\"surface\":\"mcp\",\"user\":\"carol\"}", "tools list", "tools"), 0);
	assert_int_equal(
		rows_of(&w, "{\"surface\":\"mcp\",\"user\":\"nobody\"}", "tools list", "tools"), 0);
	assert_true(lists(&w, "{\"surface\":\"mcp\",\"user\":\"alice\"}", "", "\"message_send\""));
	/* Over HTTP nobody can tell later who it is; a process may, if its client has hooks. */
	assert_false(lists(&w, "{\"surface\":\"mcp\",\"user\":\"alice\"}", "claude-code",
			   "set_reminder_boundary"));
	assert_true(lists(&w, CHILD, "claude-code", "set_reminder_boundary"));
	assert_true(lists(&w, CHILD, "codex-mcp-client", "set_reminder_boundary"));
	assert_true(lists(&w, CHILD, "gemini-cli-mcp-client", "inbox_replies"));
	assert_false(lists(&w, CHILD, "opencode", "set_reminder_boundary"));
	assert_false(lists(&w, CHILD, "", "inbox_replies"));
}

static void test_condition(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);

	refused(&w, ALICE, "reminder add", ADD(",\"condition\":\"id > f\""), ERR_DENIED,
		"needs full trust, and user 'alice' has inner");
	told(&w, ALICE, "reminder add", ADD(",\"condition_prompt\":\"it rains\""), "id");
	told(&w, BOB, "reminder add", ADD(",\"condition\":\"true\""), "id");
	/* Where the files are is nothing for others. */
	refused(&w, ALICE, "reminder add", "{\"agent\":\"ghost\",\"message\":\"x\",\"in\":\"1h\"}",
		ERR_NOT_FOUND, "in 'config.yml'");
	refused(&w, NULL, "reminder add", "{\"agent\":\"ghost\",\"message\":\"x\",\"in\":\"1h\"}",
		ERR_NOT_FOUND, "in '/c/config.yml'");
}

static void test_expiry(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char hash[SHA256_HEX_MAX], args[128];
	const char *secret = told(&w, NULL, "token add", "{\"expires\":\"1h\"}", "token");

	sha256_hex(secret, strlen(secret), hash);
	snprintf(args, sizeof(args), "{\"hash\":\"%s\"}", hash);
	assert_string_not_equal(told(&w, NULL, "token check", args, "expires_at"), "null");
	w.now += USEC_PER_HOUR;
	refused(&w, NULL, "token check", args, ERR_DENIED, "has expired");
	refused(&w, NULL, "token add", "{\"expires\":\"yesterday\"}", ERR_INVALID, "expires");
}

/* --- what they see --- */

static void test_scope_reminders(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char alices[64], args[128];

	/* The same name three times, and ids that begin alike. */
	snprintf(alices, sizeof(alices), "%s",
		 told(&w, ALICE, "reminder add", ADD(",\"name\":\"standup\""), "id"));
	told(&w, BOB, "reminder add", ADD(",\"name\":\"standup\""), "id");
	told(&w, NULL, "reminder add", ADD(",\"name\":\"secret-plan\""), "id");
	/* By name it is hers, and not ambiguous; the person has two to choose from. */
	assert_string_equal(told(&w, ALICE, "reminder show", "{\"reminder\":\"standup\"}", "id"),
			    alices);
	refused(&w, NULL, "reminder show", "{\"reminder\":\"standup\"}", ERR_CONFLICT,
		"the name of several");
	/* By its beginning, too. */
	assert_string_equal(told(&w, ALICE, "reminder show", "{\"reminder\":\"r-\"}", "id"),
			    alices);
	refused(&w, NULL, "reminder show", "{\"reminder\":\"r-\"}", ERR_CONFLICT, "beginning");
	/* Another's is not there: by id, for every verb, in `why`, and as a suggestion. */
	snprintf(args, sizeof(args), "{\"reminder\":\"%s\"}", alices);
	for (const char *const *row =
		     (const char *const[]){"reminder show", "reminder pause", "reminder resume",
					   "reminder complete", "reminder remove", "reminder run",
					   "why", NULL};
	     *row; row++)
		refused(&w, BOB, *row, args, ERR_NOT_FOUND, "no reminder");
	snprintf(args, sizeof(args), "{\"reminder\":\"%s\",\"message\":\"x\"}", alices);
	refused(&w, BOB, "reminder edit", args, ERR_NOT_FOUND, "no reminder");
	refused(&w, ALICE, "reminder show", "{\"reminder\":\"secret-plam\"}", ERR_NOT_FOUND,
		"'belfry reminder list --all'");
	refused(&w, NULL, "reminder show", "{\"reminder\":\"secret-plam\"}", ERR_NOT_FOUND,
		"did you mean 'secret-plan'?");
	refused(&w, ALICE, "reminder show", "{\"reminder\":\"standap\"}", ERR_NOT_FOUND,
		"did you mean 'standup'?");
	assert_int_equal(rows_of(&w, ALICE, "reminder list", "reminders"), 1);
	assert_int_equal(rows_of(&w, NULL, "reminder list", "reminders"), 3);
	/* A tool of the person sees the person's alone. */
	assert_int_equal(
		rows_of(&w, "{\"surface\":\"mcp\",\"user\":\"me\"}", "reminder list", "reminders"),
		1);
	/* The person may reach it, and it stays hers. */
	snprintf(args, sizeof(args), "{\"reminder\":\"%s\"}", alices);
	assert_string_equal(told(&w, NULL, "reminder pause", args, "user"), "alice");
}

static void test_scope_missions(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char task[64], args[128];

	snprintf(task, sizeof(task), "%s", told(&w, ALICE, "task add", TASK, "id"));
	told(&w, NULL, "task add", TASK, "id");
	assert_int_equal(rows_of(&w, ALICE, "task list", "tasks"), 1);
	assert_int_equal(rows_of(&w, BOB, "task list", "tasks"), 0);
	assert_int_equal(rows_of(&w, NULL, "task list", "tasks"), 2);
	snprintf(args, sizeof(args), "{\"task\":\"%s\"}", task);
	refused(&w, BOB, "task show", args, ERR_NOT_FOUND, "no reminder");
	refused(&w, BOB, "task cancel", args, ERR_NOT_FOUND, "no reminder");
	told(&w, ALICE, "task cancel", args, "id");

	add_mission(&w, "mis-aaa111", "alice", TRUST_INNER);
	add_mission(&w, "mis-aaa222", "bob", TRUST_FULL);
	add_mission(&w, "mis-aaa333", "me", TRUST_FULL);
	assert_string_equal(told(&w, ALICE, "mission show", "{\"mission\":\"mis-aaa\"}", "id"),
			    "mis-aaa111");
	for (const char *const *row =
		     (const char *const[]){"mission show", "mission resume", "mission stop",
					   "mission archive", "mission unarchive", "mission rm",
					   NULL};
	     *row; row++)
		refused(&w, ALICE, *row, "{\"mission\":\"mis-aaa222\"}", ERR_NOT_FOUND,
			"no mission 'mis-aaa222'");
	assert_int_equal(rows_of(&w, ALICE, "mission ls", "missions"), 1);
	assert_int_equal(rows_of(&w, NULL, "mission ls", "missions"), 3);
	/* What crons there are is not told by a misspelled one. */
	told(&w, ALICE, "mission ls", "{\"cron\":\"nightlx\"}", "missions");
	/* A run writes into its own mission's thread, and into no other. */
	refused(&w, "{\"mission\":\"mis-aaa111\"}", "message send",
		"{\"mission\":\"mis-aaa222\",\"body\":\"x\"}", ERR_NOT_FOUND, "no mission");
	refused(&w, ALICE, "message send", "{\"agent\":\"builder\",\"body\":\"x\"}", ERR_INVALID,
		"from inside a mission");
}

/* --- what they make --- */

static void test_record(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	struct error err = {0};
	char args[128];

	add_session(&w, "alice");
	add_mission(&w, "mis-alice", "alice", TRUST_FULL);
	/* A27: the session is that run's own; of another hand it gets nothing, see test/e2e/session.bats */
	ok(db_exec(db, "UPDATE sessions SET mission = (SELECT max(key) FROM missions)", NULL, 0,
		   &err));
	snprintf(args, sizeof(args), "{\"reminder\":\"%s\"}",
		 told(&w, "{\"mission\":\"mis-alice\",\"surface\":\"mcp\",\"session\":\"s-1\"}",
		      "reminder add", "{\"agent\":\"builder\",\"message\":\"tea\",\"in\":\"1h\"}",
		      "id"));
	assert_string_equal(told(&w, NULL, "reminder show", args, "user"), "alice");
	assert_string_equal(told(&w, NULL, "reminder show", args, "trust"), "inner");
	assert_string_equal(told(&w, NULL, "reminder show", args, "message"), "tea");
	assert_string_equal(told(&w, NULL, "reminder show", args, "source"), "mcp");
	assert_string_equal(told(&w, NULL, "reminder show", args, "made_by"), "mis-alice");
	assert_string_equal(told(&w, NULL, "reminder show", args, "source_session"), "s-1");
	assert_string_equal(told(&w, NULL, "reminder show", args, "transcript"), "/t/s-1.jsonl");
	assert_string_equal(told(&w, NULL, "reminder show", args, "delivery"),
			    "[\"signal:alice-uuid\",\"telegram:alice-tg\"]");
	/* 2026-02-02 02:40 UTC; her zone wins over that of config.yml (B10). */
	assert_string_equal(told(&w, NULL, "reminder show", args, "fire_at"),
			    "2026-02-02T04:40:00+01:00");
	assert_string_equal(told(&w, NULL, "reminder show", args, "created_at"),
			    "2026-02-02T03:40:00+01:00");
	assert_string_equal(told(&w, NULL, "reminder show", args, "tz_source"), "user");
	/* Frozen: another configuration changes nothing of it. */
	use_config(&w, "users: {alice: {trust: full}}\nagents: {builder: {command: [x]}}\n");
	assert_string_equal(told(&w, NULL, "reminder show", args, "trust"), "inner");
	assert_string_equal(told(&w, NULL, "reminder show", args, "delivery"),
			    "[\"signal:alice-uuid\",\"telegram:alice-tg\"]");
	assert_string_equal(told(&w, NULL, "reminder add", ADD(""), "delivery"), "[\"inbox:me\"]");
}

static void test_zone(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);

	assert_string_equal(told(&w, ALICE, "reminder add", ADD(",\"tz\":\"UTC\""), "tz"), "UTC");
	assert_string_equal(told(&w, ALICE, "reminder add", ADD(""), "tz"), "Europe/Berlin");
	assert_string_equal(told(&w, BOB, "reminder add", ADD(""), "tz"), "Asia/Tokyo");
	assert_string_equal(told(&w, BOB, "reminder add", ADD(""), "tz_source"), "config");
}

/* A mission as the fire of the owner's task left it. */
static struct mission *fired(struct world *w)
{
	AUTO_MISSIONS struct mission_list all = {0};
	struct mission_filter filter = {.door = DOOR_TASK, .limit = 9};
	struct error err = {0};

	w->now += 2 * USEC_PER_HOUR;
	ok(db_begin(w->db, &err));
	assert_true(engine_fire_due(w->engine, w->now, &err) >= 0);
	ok(mission_list(w->db, &filter, &all, &err));
	ok(db_commit(w->db, &err));
	engine_drop_jobs(w->engine);
	return all.count ? steal_ptr(&all.items[0]) : NULL;
}

static const struct trust_case {
	const char *then, *now, *want;
} trust_cases[] = {
	{"inner", "inner", "inner"},
	{"inner", "full", "inner"},
	{"full", "inner", "inner"},
	{"full", "public", "public"},
};

static void test_fires(struct db *db)
{
	for (size_t i = 0; i < sizeof(trust_cases) / sizeof(trust_cases[0]); i++) {
		const struct trust_case *c = &trust_cases[i];
		AUTO_WORLD struct world w = world_new(db);
		AUTO(mission_free) struct mission *m = NULL;
		char text[256];

		snprintf(text, sizeof(text),
			 "agents: {builder: {command: [x]}}\nusers: {eve: {trust: %s}}\n", c->then);
		use_config(&w, text);
		told(&w, "{\"user\":\"eve\"}", "task add", TASK, "id");
		snprintf(text, sizeof(text),
			 "agents: {builder: {command: [x]}}\nusers: {eve: {trust: %s}}\n", c->now);
		use_config(&w, text);
		m = fired(&w);
		assert_non_null(m);
		assert_string_equal(m->owner, "eve");
		assert_string_equal(trust_word(m->trust), c->want);
	}
}

static void test_agents(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char args[128];

	add_mission(&w, "mis-alice", "alice", TRUST_INNER);
	add_mission(&w, "mis-bob", "bob", TRUST_FULL);
#define RUN_OF_ALICE "{\"mission\":\"mis-alice\"}"
	told(&w, RUN_OF_ALICE, "task add", TASK, "id");
	snprintf(args, sizeof(args), "{\"task\":\"%s\",\"agent\":\"critic\"}",
		 told(&w, RUN_OF_ALICE, "task add", TASK, "id"));
	refused(&w, RUN_OF_ALICE, "task edit", args, ERR_DENIED, "trust");
	refused(&w, RUN_OF_ALICE, "task add",
		"{\"prompt\":\"look\",\"in\":\"1h\",\"agent\":\"critic\"}", ERR_DENIED,
		"its own agent 'builder', not for 'critic'");
	refused(&w, RUN_OF_ALICE, "mission new", "{\"agent\":\"critic\",\"prompt\":\"x\"}",
		ERR_DENIED, "trust");
	told(&w, "{\"mission\":\"mis-bob\"}", "task add",
	     "{\"prompt\":\"look\",\"in\":\"1h\",\"agent\":\"critic\"}", "id");
	/* Outside of a run it is a user who asks. */
	told(&w, ALICE, "task add", "{\"prompt\":\"look\",\"in\":\"1h\",\"agent\":\"critic\"}",
	     "id");
}

static void test_rate(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(mission_free) struct mission *m = NULL;
	struct error err = {0};
	char id[64];

	add_mission(&w, "mis-bob", "bob", TRUST_FULL);
	add_mission(&w, "mis-bobby", "bob", TRUST_FULL);
	add_mission(&w, "mis-me", "me", TRUST_FULL);
#define RUN_OF_BOB "{\"mission\":\"mis-bob\"}"
	/* One is a mission, which counts as well; one comes from another run of his. */
	snprintf(id, sizeof(id), "%s",
		 told(&w, RUN_OF_BOB, "mission new", "{\"agent\":\"builder\",\"prompt\":\"x\"}",
		      "id"));
	ok(mission_find(db, id, &m, &err));
	assert_string_equal(m->owner, "bob");
	assert_true(m->made_by > 0);
	w.now += 10 * USEC_PER_MINUTE;
	told(&w, "{\"mission\":\"mis-bobby\"}", "reminder add", ADD(""), "id");
	for (int i = 2; i < CALLER_RATE_MAX; i++)
		told(&w, RUN_OF_BOB, "reminder add", ADD(""), "id");
	w.now += 10 * USEC_PER_MINUTE;
	/* NOW is 11:40 AM in Tokyo. */
	refused(&w, RUN_OF_BOB, "reminder add", ADD(""), ERR_CONFLICT,
		"the next is possible at Feb 2, 2026 12:40 PM JST, in 40m");
	refused(&w, RUN_OF_BOB, "mission new", "{\"agent\":\"builder\",\"prompt\":\"x\"}",
		ERR_CONFLICT, "have made 30 reminders and missions within an hour");
	/* Whoever is no run, or a run of another user, has nothing to do with it. */
	told(&w, BOB, "reminder add", ADD(""), "id");
	told(&w, "{\"mission\":\"mis-me\"}", "reminder add", ADD(""), "id");
	told(&w, NULL, "reminder add", ADD(""), "id");
	w.now += 40 * USEC_PER_MINUTE;
	told(&w, RUN_OF_BOB, "reminder add", ADD(""), "id");
	refused(&w, RUN_OF_BOB, "reminder add", ADD(""), ERR_CONFLICT, "12:50 PM JST, in 10m");
}

static void test_pending(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char args[128] = "";

	add_mission(&w, "mis-bob", "bob", TRUST_FULL);
	for (int i = 0; i < CALLER_PENDING_MAX; i++) {
		snprintf(args, sizeof(args), "{\"reminder\":\"%s\"}",
			 told(&w, RUN_OF_BOB, "reminder add",
			      "{\"agent\":\"me\",\"message\":\"x\",\"in\":\"30d\"}", "id"));
		w.now += 3 * USEC_PER_MINUTE;
	}
	refused(&w, RUN_OF_BOB, "reminder add", ADD(""), ERR_CONFLICT,
		"50 reminders that are still to come");
	told(&w, RUN_OF_BOB, "reminder remove", args, "id");
	told(&w, RUN_OF_BOB, "reminder add", ADD(""), "id");
}

static void import(struct world *w, const char *row, const char *user, const char *trust)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	struct error err = {0};
	char args[512];
	int64_t batch = atoll(told(w, NULL, "import begin", "{}", "batch"));

	snprintf(args, sizeof(args), "{\"batch\":%lld,\"rows\":[%s]}", (long long)batch, row);
	told(w, NULL, "import rows", args, "count");
	snprintf(args, sizeof(args), "{\"batch\":%lld}", (long long)batch);
	told(w, NULL, "import commit", args, "x");
	while (engine_maintain(w->engine, w->now, &err) > 0)
		;
	ok(reminder_find(w->db, "imported", &r, &err));
	assert_string_equal(r->owner, user);
	assert_string_equal(trust_word(r->trust), trust);
	told(w, NULL, "reminder remove", "{\"reminder\":\"imported\"}", "id");
}

static void test_import(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);

	refused(&w, NULL, "import rows",
		"{\"batch\":1,\"first_line\":9223372036854775807,\"rows\":[{},{}]}", ERR_INVALID,
		"'first_line' is a number from 1");

#define LINE(more)                                                                                 \
	"{\"name\":\"imported\",\"agent\":\"me\",\"message\":\"x\",\"in\":\"1h\"" more "}"
	import(&w, LINE(""), "me", "full");
	import(&w, LINE(",\"user\":\"alice\",\"trust\":\"full\""), "alice", "inner");
	import(&w, LINE(",\"user\":\"bob\",\"trust\":\"familiar\""), "bob", "familiar");
	import(&w, LINE(",\"user\":\"nobody\",\"trust\":\"inner\""), "nobody", "public");
	import(&w, LINE(",\"delivery\":[\"signal:x\"],\"source_session\":\"s\""), "me", "full");
}

/* --- names --- */

/* An import of rows, with flags for `import rows`; "" is asked for nothing. Returns its batch. */
static int64_t send_rows(struct world *w, const char *flags, const char *rows, const char *want)
{
	char args[4096];
	int64_t batch = atoll(told(w, NULL, "import begin", "{}", "batch"));

	snprintf(args, sizeof(args), "{\"batch\":%lld,\"first_line\":7,\"rows\":[%s]%s}",
		 (long long)batch, rows, flags);
	if (want)
		refused(w, NULL, "import rows", args, ERR_CONFLICT, want);
	else
		told(w, NULL, "import rows", args, "count");
	return batch;
}

static void maintain(struct world *w)
{
	struct error err = {0};
	int r;

	do {
		ok(db_begin(w->db, &err));
		r = engine_maintain(w->engine, w->now, &err);
		ok(r);
		ok(db_commit(w->db, &err));
	} while (r > 0);
}

static void end_import(struct world *w, int64_t batch, const char *row)
{
	char args[64];

	snprintf(args, sizeof(args), "{\"batch\":%lld}", (long long)batch);
	told(w, NULL, row, args, "x");
	maintain(w);
}

/* Every row there is, hidden ones too. */
static size_t all_rows(struct world *w)
{
	const struct reminder_filter filter = {.hidden = true, .limit = 100};
	AUTO_REMINDERS struct reminder_list rows = {0};
	struct error err = {0};

	ok(reminder_list(w->db, &filter, &rows, &err));
	return rows.count;
}

#define TEA(more) "{\"agent\":\"me\",\"name\":\"tea\",\"message\":\"x\"" more "}"
#define SHOW_TEA "reminder show", "{\"reminder\":\"tea\"}"

static void test_names(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char first[64];

	snprintf(first, sizeof(first), "%s",
		 told(&w, NULL, "reminder add", TEA(",\"every\":\"1h\""), "id"));
	refused(&w, NULL, "reminder add", TEA(",\"every\":\"2h\""), ERR_CONFLICT, first);
	assert_string_equal(
		told(&w, NULL, "reminder add", TEA(",\"every\":\"2h\",\"if_absent\":true"), "id"),
		first);
	assert_string_equal(told(&w, NULL, SHOW_TEA, "label"), "every 1h");
	refused(&w, NULL, "reminder add",
		"{\"agent\":\"me\",\"message\":\"x\",\"in\":\"1h\",\"if_absent\":true}",
		ERR_INVALID, "--name");
	/* Another user's is another one, and an edit cannot take a name either. */
	told(&w, BOB, "reminder add", TEA(",\"every\":\"1h\""), "id");
	told(&w, NULL, "reminder add",
	     "{\"agent\":\"me\",\"name\":\"pot\",\"message\":\"x\",\"in\":\"1h\"}", "id");
	refused(&w, NULL, "reminder edit", "{\"reminder\":\"pot\",\"name\":\"tea\"}", ERR_CONFLICT,
		first);
	told(&w, NULL, "reminder edit", "{\"reminder\":\"pot\",\"name\":\"pot\"}", "id");
	told(&w, NULL, "reminder remove", "{\"reminder\":\"pot\"}", "id");
	told(&w, NULL, "reminder add",
	     "{\"agent\":\"me\",\"name\":\"pot\",\"message\":\"x\",\"in\":\"1h\"}", "id");
}

static void test_import_names(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char first[64];

	snprintf(first, sizeof(first), "%s",
		 told(&w, NULL, "reminder add", TEA(",\"every\":\"1h\""), "id"));
	told(&w, NULL, "reminder pause", "{\"reminder\":\"tea\"}", "id");
	end_import(&w, send_rows(&w, "", TEA(",\"every\":\"2h\""), "line 7: there is a reminder"),
		   "import abort");
	end_import(&w,
		   send_rows(&w, "",
			     "{\"agent\":\"me\",\"message\":\"a\",\"name\":\"a\",\"in\":\"1h\"},"
			     "{\"agent\":\"me\",\"message\":\"b\",\"name\":\"a\",\"in\":\"1h\"}",
			     "line 8: a line before it is 'a'"),
		   "import abort");
	end_import(&w, send_rows(&w, ",\"if_absent\":true", TEA(",\"every\":\"2h\""), NULL),
		   "import commit");
	assert_string_equal(told(&w, NULL, SHOW_TEA, "label"), "every 1h");
	/* A change waits for the commit; then it has the new schedule, and is what it was. */
	int64_t batch = send_rows(&w, ",\"replace\":true", TEA(",\"every\":\"2h\""), NULL);
	maintain(&w);
	assert_string_equal(told(&w, NULL, SHOW_TEA, "label"), "every 1h");
	end_import(&w, batch, "import commit");
	assert_string_equal(told(&w, NULL, SHOW_TEA, "label"), "every 2h");
	assert_string_equal(told(&w, NULL, SHOW_TEA, "id"), first);
	assert_string_equal(told(&w, NULL, SHOW_TEA, "status"), "paused");
	assert_int_equal(all_rows(&w), 1);
	end_import(&w,
		   send_rows(&w, ",\"replace\":true",
			     TEA(",\"every\":\"2h\"") "," TEA(",\"every\":\"3h\""),
			     "line 8: a line before it changes the same"),
		   "import abort");
	/* One that runs takes its policy along. */
	told(&w, NULL, "reminder add",
	     "{\"agent\":\"builder\",\"name\":\"job\",\"message\":\"x\",\"every\":\"1h\",\"run\":"
	     "true}",
	     "id");
	end_import(&w,
		   send_rows(&w, ",\"replace\":true",
			     "{\"agent\":\"builder\",\"name\":\"job\",\"message\":\"y\",\"every\":"
			     "\"1h\","
			     "\"run\":true,\"max_attempts\":5}",
			     NULL),
		   "import commit");
	assert_non_null(strstr(told(&w, NULL, "reminder show", "{\"reminder\":\"job\"}", "policy"),
			       "\"max_attempts\":5"));
	assert_int_equal(all_rows(&w), 2);
}

static void test_import_given_up(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	struct error err = {0};

	end_import(&w, send_rows(&w, "", TEA(",\"every\":\"2h\""), NULL), "import abort");
	assert_int_equal(all_rows(&w), 0);
	/* Nobody could say that it was given up: it goes with the next cleaning, or the next start. */
	send_rows(&w, "", TEA(",\"every\":\"2h\""), NULL);
	for (int i = 0; i < 25 * 60; i += 4, w.now += 4 * USEC_PER_MINUTE)
		maintain(&w);
	maintain(&w);
	assert_int_equal(all_rows(&w), 0);
	send_rows(&w, "", TEA(",\"every\":\"2h\""), NULL);
	assert_int_equal(all_rows(&w), 1);
	ok(engine_recover(w.engine, w.now, &err));
	maintain(&w);
	assert_int_equal(all_rows(&w), 0);
}

/* Whoever still sends is there, also when no line becomes a row; a clock set back says nothing. */
static void test_import_goes_on(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	char args[256];
	int64_t batch;

	maintain(&w);
	w.now += 9 * USEC_PER_MINUTE;
	batch = send_rows(&w, "", TEA(",\"every\":\"2h\""), NULL);
	w.now -= 4 * USEC_PER_MINUTE; /* the cleaning is due now */
	maintain(&w);
	end_import(&w, batch, "import commit");
	assert_int_equal(all_rows(&w), 1);
	batch = send_rows(&w, ",\"if_absent\":true", TEA(",\"every\":\"2h\""), NULL);
	snprintf(args, sizeof(args),
		 "{\"batch\":%lld,\"if_absent\":true,\"rows\":[" TEA(",\"every\":\"2h\"") "]}",
		 (long long)batch);
	for (int i = 0; i < 25 * 60; i += 4, w.now += 4 * USEC_PER_MINUTE) {
		maintain(&w);
		told(&w, NULL, "import rows", args, "skipped");
	}
	end_import(&w, batch, "import commit");
}

/* --- doctor's question --- */

/* A check of the whole store takes seconds: who fires meanwhile does not make it. */
static void test_store_check(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *args = json_object(), *said = NULL, *alone = NULL;
	struct request rq = {.engine = w.engine,
			     .now = w.now,
			     .home = "/nowhere",
			     .store = db_kind(db) == DB_SQLITE ? "sqlite:/nowhere/belfry.db"
							       : "postgres://u:secret@h/db",
			     .caller = {.user = "me", .trust = TRUST_FULL},
			     .scheduler_running = true};
	struct error err = {0};

	ok(request_run(request_find("store check"), &rq, args, &said, &err));
	assert_null(json_object_get(said, "wrong"));
	assert_string_equal(json_string_value(json_object_get(said, "store")),
			    db_kind(db) == DB_SQLITE ? rq.store : "postgres://h/db");
	rq.scheduler_running = false;
	ok(request_run(request_find("store check"), &rq, args, &alone, &err));
	assert_string_equal(json_string_value(json_object_get(alone, "wrong")), "");
}

/* --- what lies ahead --- */

#define SPEC                                                                                       \
	"agent, message, priority, source, action, fallback, schedule_kind, schedule, zone,"       \
	" zone_source, anchor, count_max, catchup, catchup_max, start_deadline, jitter,"           \
	" condition_kind, mode, condition_limit, status, generation, cursor, nominal_at, due_at,"  \
	" fire_count, created_at, owner, trust"

/* More reminders than a request may look through; nearly all of them are due later. */
static void test_simulate(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(json_decref) json_t *whole = NULL;
	struct error err = {0};
	static bool done;

	/* So many rows take their time: one store is enough. */
	if (done)
		return;
	done = true;
	told(&w, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"x\",\"in\":\"20d\"}", "id");
	ok(db_exec(
		db,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 130000)"
		" INSERT INTO reminders (id, " SPEC ") SELECT 'many-' || i, " SPEC
		" FROM reminders, n",
		DB_NO_ARGS, &err));
	told(&w, NULL, "reminder add", TEA(",\"every\":\"1h\""), "id");
	assert_int_equal(rows_of(&w, NULL, "simulate", "fires"), 24);
	/* Where they are due it is a page, and what comes after it. */
	ok(ask(&w, NULL, "simulate", "{\"to\":\"in 30d\"}", &whole, &err));
	assert_int_equal(json_array_size(json_object_get(whole, "fires")), 2000);
	assert_true(json_is_array(json_object_get(whole, "more")));
}

/* --- where answers go: the document's six, and what it leaves open --- */

static void targets(const char *config, const char *session, const char *user, const char *want)
{
	AUTO(config_free) struct config *c = config_of(config);
	AUTO(json_decref) json_t *got = caller_targets(c, session, user);
	AUTO(free) char *text = json_text(got);

	assert_string_equal(text, want);
}

/* clang-format off */
#define USERS(match) "users: {alice: {trust: full, match: [" match "]}}\n"
static const struct target_case {
	const char *name, *config, *session, *user, *want;
} target_cases[] = {
	{"C10 C19 resolve_delivery_uses_originating_signal_channel", USERS("'terminal:default', 'signal:alice-uuid', 'telegram:alice-tg'"), "test:dm:signal:alice-uuid", "alice", "[\"signal:alice-uuid\"]"},
	{"C10 C19 resolve_delivery_uses_originating_telegram_channel", USERS("'signal:alice-uuid', 'telegram:alice-tg'"), "test:dm:telegram:alice-tg", "alice", "[\"telegram:alice-tg\"]"},
	{"C10 C19 resolve_delivery_terminal_falls_back_to_all_channels", USERS("'terminal:default', 'signal:alice-uuid'"), "test:main", "alice", "[\"signal:alice-uuid\"]"},
	{"C10 C19 resolve_delivery_empty_for_terminal_only_user", USERS("'terminal:default'"), "test:main", "alice", "[]"},
	{"C10 C19 resolve_delivery_empty_for_unknown_user: a direct conversation still works", "", "test:dm:signal:mallory-uuid", "mallory", "[\"signal:mallory-uuid\"]"},
	{"C10 C19 resolve_delivery_empty_for_none_user_and_main_session", "", "test:main", NULL, "[]"},
	{"C10 a group falls back", USERS("'signal:alice-uuid'"), "test:group:signal:group:deadbeef", "alice", "[\"signal:alice-uuid\"]"},
	{"C10 a direct terminal falls back", USERS("'signal:a', 'telegram:b'"), "test:dm:terminal:default", "alice", "[\"signal:a\",\"telegram:b\"]"},
	{"C10 a cron falls back", USERS("'signal:a'"), "test:cron:nightly", "alice", "[\"signal:a\"]"},
	{"C10 a target may have a colon", USERS("'signal:a'"), "test:dm:matrix:@al:host.org", "alice", "[\"matrix:@al:host.org\"]"},
	{"C10 a direct conversation without a target is none", USERS("'signal:a'"), "test:dm:signal:", "alice", "[\"signal:a\"]"},
	{"C10 a direct conversation without a channel is none", USERS("'signal:a'"), "test:dm:signal", "alice", "[\"signal:a\"]"},
	{"C10 no session", USERS("'signal:a'"), NULL, "alice", "[\"signal:a\"]"},
	{"C10 an unknown user elsewhere", USERS("'signal:a'"), "test:main", "mallory", "[]"},
	{"C10 the person has an inbox", "", NULL, "me", "[\"inbox:me\"]"},
	{"C10 the person at a terminal alone has it, too", "users: {me: {match: ['terminal:default']}}\n", NULL, "me", "[\"inbox:me\"]"},
	{"T3 T15 what nothing serves is no address of the person's, who has the inbox", "users: {me: {match: ['signal:me', 'inbox:me']}}\n", NULL, "me", "[\"inbox:me\"]"},
};
/* clang-format on */

static void test_target(void **state)
{
	const struct target_case *c = *state;

	targets(c->config, c->session, c->user, c->want);
}

int main(void)
{
	static const struct store_row rows[] = {
		{"C5 who asks, by every claim", test_who},
		{"C6 what each of them may", test_may},
		{"I1 a process below a wrapper is that run, whatever it claims", test_process},
		{"A20 a process registers itself, and none that is of a run", test_attends},
		{"A21 only who was handed a message settles it", test_settle},
		{"A23 a command whose mission is gone gains nothing by that", test_lent},
		{"A24 an export says who made it, and an import keeps it", test_maker},
		{"A44 what a file declares is paused, resumed and ended by no run", test_declared},
		{"A45 what a run changes of the person's is told them, whoever it is for",
		 test_told},
		{"A46 a line of the board is of the user whose run says it", test_board},
		{"A45 so is a mission of theirs that a run stops", test_told_mission},
		{"A25 a run sees of the inbox, the queue and what lies ahead what is its user's",
		 test_seen},
		{"I1 a run has its own voice, and puts away what it ordered", test_own},
		{"T5 nobody owns a session by naming it, and a channel's needs its address",
		 test_sessions},
		{"T2 T3 I6 what a run is told of others: no transcript, no promise, no heading",
		 test_prompt},
		{"T16 T7 a caller is shown the tools that can work for it", test_tools},
		{"T17 T20 a condition's command needs full trust; errors name no folder",
		 test_condition},
		{"T18 a token expires", test_expiry},
		{"C6 every row of the table is open or closed on purpose", test_rows},
		{"C5 reminders of another are not there", test_scope_reminders},
		{"C5 tasks and missions of another are not there", test_scope_missions},
		{"C7 the record, frozen", test_record},
		{"B10 the zone of the item, the user, config.yml", test_zone},
		{"C6 what fires has no more trust than then and now", test_fires},
		{"B2 a run may schedule for its own agent", test_agents},
		{"B2 runs of a user make so much in an hour", test_rate},
		{"B2 runs of a user have so many to come", test_pending},
		{"K16 a name is one reminder's", test_names},
		{"K16 an import refuses, skips or changes what is there already",
		 test_import_names},
		{"K12 a daemon that fires is not made to check its store", test_store_check},
		{"K31 what is due later does not matter to a span", test_simulate},
		{"K34 what an import left hidden goes away", test_import_given_up},
		{"K36 an import that is still sent is not given up", test_import_goes_on},
		{"H2 C7 an import keeps whose it is, and raises no trust", test_import},
	};
	struct CMUnitTest named[sizeof(target_cases) / sizeof(target_cases[0])];
	const size_t count = sizeof(named) / sizeof(named[0]);
	int failed = run_store_rows("callers", rows, sizeof(rows) / sizeof(rows[0]));

	for (size_t i = 0; i < count; i++)
		named[i] = (struct CMUnitTest){target_cases[i].name, test_target, NULL, NULL,
					       (void *)(uintptr_t)&target_cases[i]};
	return failed + _cmocka_run_group_tests("targets", named, count, NULL, NULL);
}
