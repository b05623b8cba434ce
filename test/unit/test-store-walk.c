/*
 * test-store-walk.c: every row that writes, hidden ones too, is asked about what is somebody else's, by every kind of
 * caller that is not the person. Each has to be refused, or to change nothing of it. The arguments are made from the
 * row itself: a new row is walked as soon as it is in the table. The person asks the same, and has to get somewhere:
 * so it is seen that the arguments reach what they are about.
 */
#include "store-fixture.h"

#include "base/buf.h"
#include "config/config.h"
#include "engine/change.h"
#include "engine/engine.h"
#include "engine/internal.h"
#include "engine/seed.h"
#include "request/caller.h"
#include "request/json.h"
#include "store/agent-session.h"
#include "store/boundary.h"
#include "store/mission.h"
#include "store/thread.h"

#define NOW (1770000000 * USEC_PER_SEC)
#define ARGS_MOST 64
#define CONFIG                                                                                     \
	"agents: {builder: {command: [x]}, critic: {command: [y]}}\n"                              \
	"defaultAgent: builder\n"                                                                  \
	"users: {bob: {trust: full}}\n"                                                            \
	"crons: {c1: {agent: critic, schedule: '0 9 * * *', prompt: x}}\n"

struct world {
	struct db *db;
	struct config *config;
	struct engine *engine;
	int64_t run_of_me, run_of_bob;
};

/* clang-format off */

/* Rows that even the person cannot be shown to change something by, in this test alone, and why. */
static const struct {
	const char *row, *why;
} unreached[] = {
	{"cron add", "writes config.yml, and there is none"},
	{"cron edit", "writes config.yml"},
	{"cron enable", "writes config.yml"},
	{"cron disable", "writes config.yml"},
	{"cron rm", "writes config.yml"},
	{"apply", "reads config.yml"},
	{"import rows", "of a batch that was begun"},
	{"import commit", "of a batch that was begun"},
	{"import abort", "of a batch that was begun"},
	{"mission resume", "needs a client that keeps a conversation"},
	{"tool condition_report", "of a fire that waits for it"},
	{"tool inbox_replies", "of an answer that waits"},
	{"hook printed", "of an offer that was made"},
	{"queue settle", "of an offer that was made; A21 has its own test"},
	{"live stop", "of an agent that runs"},
	{"live remove", "of an agent that runs"},
	{"live host", "is for a window of tmux"},
	{"token check", "needs a secret"},
};

static const struct walker {
	const char *name, *victim;
	struct caller_process process;
	bool acts_only; /* the things are its own user's */
} walkers[] = {
	{"a run of me", "bob", {.known = true, .mission = 1}},
	{"a run of bob", "me", {.known = true, .mission = 2}},
	{"a command of me whose mission is gone", "bob", {.known = true, .command = true, .user = "me", .trust = TRUST_FULL, .mission = 999}},
	{"a command of bob whose mission is gone", "me", {.known = true, .command = true, .user = "bob", .trust = TRUST_FULL, .mission = 999}},
	{"a run of me", "me", {.known = true, .mission = 1}, true},
	{"a command of me whose mission is gone", "me", {.known = true, .command = true, .user = "me", .trust = TRUST_FULL, .mission = 999}, true},
	{"a stray", "me", {.known = true, .stray = true}},
	{"a stray", "bob", {.known = true, .stray = true}},
	{"one that is gone", "me", {.known = true, .gone = true}},
	{"one that is gone", "bob", {.known = true, .gone = true}},
};

/* What is a user's. */
static const char *const things[] = {
	"SELECT id || '|' || status || '|' || message || '|' || agent || '|' || coalesce(condition, '') || '|' || generation || '|' || coalesce(due_at, 0) || '|' || coalesce(made_by, 0) || '|' || coalesce(name, '') FROM reminders WHERE owner = $1 ORDER BY id",
	"SELECT id || '|' || phase || '|' || prompt || '|' || runs || '|' || coalesce(reason, '') || '|' || coalesce(archived_at, 0) FROM missions WHERE owner = $1 ORDER BY id",
	"SELECT r.pid || '|' || r.number || '|' || coalesce(r.finished_at, 0) FROM runs r JOIN missions m ON m.key = r.mission WHERE m.owner = $1 ORDER BY r.key",
	"SELECT id || '|' || state || '|' || agent || '|' || body || '|' || attempts || '|' || printed FROM queue WHERE coalesce(owner, 'me') = $1 ORDER BY id",
	"SELECT id || '|' || calls || '|' || pid || '|' || coalesce(agent, '') || '|' || coalesce(directory, '') || '|' || coalesce(ended_at, 0) FROM sessions WHERE owner = $1 ORDER BY id",
	"SELECT agent || '|' || status FROM board WHERE owner = $1 ORDER BY agent",
	"SELECT id || '|' || state || '|' || printed FROM boundaries WHERE owner = $1 ORDER BY id",
	"SELECT s.outcome || '|' || s.attempts || '|' || s.verdict FROM slots s JOIN reminders r ON r.key = s.reminder WHERE r.owner = $1 ORDER BY s.key",
	"SELECT id || '|' || messages || '|' || unread || '|' || asks || '|' || waiting || '|' || coalesce(archived_at, 0) FROM threads WHERE id IN ('mis-v' || $1, 'mis-w' || $1, 'mis-x' || $1) ORDER BY id",
};

/* What no run does, its user's or not: acts of the person, and in the name of another agent. */
static const char *const acts[] = {
	"SELECT id || '|' || coalesce(archived_at, 0) FROM missions WHERE id IN ('mis-vme', 'mis-vbob', 'mis-wme', 'mis-wbob', 'mis-xme', 'mis-xbob') ORDER BY id",
	"SELECT id || '|' || state || '|' || printed || '|' || coalesce(session, '') FROM queue WHERE body = 'for critic' ORDER BY id",
	"SELECT agent || '|' || status FROM board WHERE agent = 'critic'",
	"SELECT id || '|' || unread || '|' || asks || '|' || waiting || '|' || coalesce(archived_at, 0) FROM threads WHERE id IN ('mis-vme', 'mis-vbob', 'mis-wme', 'mis-wbob', 'mis-xme', 'mis-xbob') ORDER BY id",
	"SELECT id || '|' || owner FROM tokens ORDER BY id",
	"SELECT name FROM kv WHERE name LIKE 'import.%' ORDER BY name",
};
/* clang-format on */

/* --- a store with something of everything, of two users --- */

/* By the letter of its id: v has ended, w waits, x has been put away. */
static int64_t add_mission(struct world *w, const char *id, const char *owner, const char *agent)
{
	AUTO(mission_free) struct mission *m = mem_zalloc(sizeof(*m));
	struct error err = {0};

	snprintf(m->id, sizeof(m->id), "%s", id);
	m->agent = mem_strdup(agent);
	m->prompt = mem_strdup("work");
	m->session = mem_strdup("conversation");
	m->owner = mem_strdup(owner);
	m->trust = TRUST_FULL;
	m->door = DOOR_HAND;
	m->phase = PHASE_ENDED;
	m->max_attempts = 1;
	m->nominal = m->ready_at = m->created_at = m->started_at = m->ended_at = NOW;
	m->wait_until = m->archived_at = USEC_NONE;
	if (id[4] == 'w') {
		m->phase = PHASE_WAITING;
		m->started_at = m->ended_at = USEC_NONE;
	}
	if (id[4] == 'x')
		m->archived_at = NOW;
	ok(mission_insert(w->db, m, &err));
	return m->key;
}

static void add_thread(struct world *w, const char *id, int64_t mission)
{
	struct thread t = {.place = mem_printf("mission:%s", id),
			   .mission = mission,
			   .agent = (char *)"critic",
			   .title = (char *)"work",
			   .messages = 1,
			   .unread = 1,
			   .retry_at = USEC_NONE,
			   .last_at = NOW,
			   .preview = (char *)"?",
			   .archived_at = id[4] == 'x' ? NOW : USEC_NONE};
	struct mail m = {.seq = 1,
			 .sender = SENDER_AGENT,
			 .author = (char *)"critic",
			 .text = (char *)"hello",
			 .size = 5,
			 .ask_until = USEC_NONE,
			 .unprinted_at = USEC_NONE,
			 .read_at = USEC_NONE,
			 .created_at = NOW};
	struct error err = {0};

	if (id[4] == 'x') {
		t.unread = 0;
		m.read_at = NOW;
	}
	snprintf(t.id, sizeof(t.id), "%s", id);
	ok(thread_insert(w->db, &t, &err));
	m.thread = t.key;
	ok(mail_insert(w->db, &m, &err));
	free(t.place);
}

static void add_message(struct world *w, const char *id, const char *owner)
{
	struct message m = {.agent = (char *)"critic",
			    .owner = (char *)(uintptr_t)owner,
			    .body = (char *)"for critic",
			    .state = DELIVERY_QUEUED,
			    .attempt_at = USEC_NONE,
			    .queued_at = NOW,
			    .offered_at = USEC_NONE,
			    .done_at = USEC_NONE,
			    .earlier_at = USEC_NONE,
			    .returned_at = USEC_NONE};
	struct error err = {0};

	snprintf(m.id, sizeof(m.id), "%s", id);
	ok(queue_insert(w->db, &m, &err));
}

static void add_session(struct world *w, const char *id, const char *owner)
{
	struct agent_session s = {.id = (char *)(uintptr_t)id,
				  .owner = (char *)(uintptr_t)owner,
				  .agent = (char *)"critic",
				  .pid = 7,
				  .pid_start = 8,
				  .boot = (char *)"b",
				  .created_at = NOW,
				  .seen_at = NOW,
				  .ended_at = USEC_NONE};
	struct error err = {0};

	ok(agent_session_put(w->db, &s, &err));
}

static int ask(struct world *w, const struct caller_process *process, const char *claim,
	       const struct request_row *row, const json_t *args, struct error *why)
{
	struct caller_process own = process ? *process : (struct caller_process){0};
	AUTO(json_decref) json_t *said = json_loads(claim, 0, NULL), *keep = NULL, *ret = NULL;
	struct request rq = {.engine = w->engine,
			     .now = NOW,
			     .home = "/nowhere",
			     .scheduler_running = true,
			     .caller = {.process = process ? &own : NULL}};
	int r;

	*why = (struct error){0};
	r = caller_resolve(w->engine, said, NOW, &keep, &rq.caller, why);
	return r < 0 ? r : request_run(row, &rq, args, &ret, why);
}

/* Made by its user, so that it is in every table that it should be in. */
static void make(struct world *w, const char *user, const char *row, const char *args)
{
	AUTO(free)
	char *claim = mem_printf("{\"user\":\"%s\",\"session\":\"s-%s\",\"agent\":\"critic\"}",
				 user, user);
	AUTO(json_decref) json_t *given = json_loads(args, 0, NULL);
	struct error err = {0};

	if (ask(w, NULL, claim, request_find(row), given, &err) < 0)
		fail_msg("%s: %s", row, err.message);
}

static void add_things(struct world *w, const char *user)
{
	AUTO(free) char *mission = mem_printf("mis-v%s", user), *session = mem_printf("s-%s", user);
	AUTO(free) char *message = mem_printf("m-%s", user);
	AUTO(free)
	char *named = mem_printf(
		"{\"agent\":\"critic\",\"message\":\"x\",\"every\":\"1h\",\"name\":\"r-of-%s\","
		"\"condition_prompt\":\"it rains\"}",
		user);
	AUTO(free)
	char *task = mem_printf(
		"{\"agent\":\"critic\",\"prompt\":\"x\",\"in\":\"1h\",\"name\":\"t-of-%s\"}", user);

	AUTO(free)
	char *paused = mem_printf(
		"{\"agent\":\"critic\",\"message\":\"x\",\"every\":\"1h\",\"name\":\"p-of-%s\"}",
		user);
	AUTO(free) char *pause = mem_printf("{\"reminder\":\"p-of-%s\"}", user);

	for (const char *state = "vwx"; *state; state++) {
		mission[4] = *state;
		add_thread(w, mission, add_mission(w, mission, user, "critic"));
	}
	add_session(w, session, user);
	add_message(w, message, strcmp(user, "me") == 0 ? NULL : user);
	make(w, user, "reminder add", named);
	make(w, user, "task add", task);
	make(w, user, "reminder add", paused);
	make(w, user, "reminder pause", pause);
	make(w, user, "boundary set", "{\"suppress_for_calls\":2,\"message\":\"x\"}");
}

static char token[64]; /* the id of the one there is */

static void note_token(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};

	ok(db_query(w->db, "SELECT id FROM tokens", DB_NO_ARGS, &rows, &err));
	assert_int_equal(db_rows_next(&rows, &err), 1);
	snprintf(token, sizeof(token), "%s", db_text(&rows, 0));
}

static struct world world_new(struct db *db)
{
	struct world w = {.db = db};
	struct error err = {0};

	ok(config_parse(CONFIG, strlen(CONFIG), "/nowhere/config.yml", &w.config, &err));
	w.engine = engine_new(db, w.config);
	ok(db_begin(db, &err));
	ok(engine_seed(w.engine, NOW, &err));
	w.run_of_me = add_mission(&w, "mis-me", "me", "builder");
	w.run_of_bob = add_mission(&w, "mis-bob", "bob", "builder");
	add_things(&w, "me");
	add_things(&w, "bob");
	make(&w, "me", "token add", "{\"user\":\"me\"}");
	make(&w, "me", "board set", "{\"agent\":\"critic\",\"status\":\"busy\"}");
	note_token(&w);
	ok(db_commit(db, &err));
	return w;
}

static void world_free(struct world *w)
{
	engine_drop_jobs(w->engine);
	engine_free(w->engine);
	config_free(w->config);
}
#define AUTO_WORLD __attribute__((cleanup(world_free)))

/* --- what is asked --- */

static json_t *text_value(const struct request_arg *arg, const char *victim, size_t n)
{
	static const char *const known[][2] = {
		{"event", "UserPromptSubmit"}, {"every", "2h"},	    {"cron", "0 9 * * *"},
		{"rrule", "FREQ=DAILY"},       {"ask_until", "2h"}, {"ask-until", "2h"},
	};

	if (strcmp(arg->name, "session") == 0)
		return json_sprintf("s-%s", victim);
	if (strcmp(arg->name, "id") == 0)
		return json_sprintf("%c-of-%s", "rpt"[n % 3], victim);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(arg->name, known[i][0]) == 0)
			return json_string(known[i][1]);
	return json_string("x");
}

static json_t *value_of(const struct request_arg *arg, const char *victim, size_t n)
{
	switch (arg->type) {
	case ARG_REMINDER:
		return json_sprintf("%c-of-%s", "rpt"[n % 3], victim);
	case ARG_TASK:
		return json_sprintf("t-of-%s", victim);
	case ARG_MISSION:
	case ARG_THREAD:
		return json_sprintf("mis-%c%s", "vwx"[n % 3], victim);
	case ARG_MESSAGE:
		return json_sprintf("m-%s", victim);
	case ARG_AGENT:
		return json_string("critic");
	case ARG_TOKEN:
		return json_string(token);
	case ARG_CRON:
		return json_string("c1");
	case ARG_TIME:
		return json_string("in 2h");
	case ARG_DURATION:
		return json_string("1h");
	case ARG_ZONE:
		return json_string("UTC");
	case ARG_FLAG:
		return json_true();
	case ARG_INT:
		return json_integer(strcmp(arg->name, "pid") == 0 ? getppid() : 1);
	case ARG_CHOICE:
		return json_stringn(arg->choices, strcspn(arg->choices, " "));
	case ARG_LIST:
	case ARG_FILES:
		return json_pack("[s]", "x");
	default:
		return text_value(arg, victim, n);
	}
}

/* What names the thing that it is about. */
static bool is_thing(const struct request_arg *arg)
{
	return arg->type == ARG_REMINDER || arg->type == ARG_TASK || arg->type == ARG_MISSION ||
	       arg->type == ARG_THREAD || arg->type == ARG_MESSAGE || arg->type == ARG_AGENT ||
	       strcmp(arg->name, "session") == 0 || strcmp(arg->name, "id") == 0;
}

/* A choice by its number where there are several, so that each of them is asked once. */
static void put(json_t *args, const struct request_arg *arg, const char *victim, size_t choice)
{
	AUTO(free) char *key = mem_strdup(arg->name);
	const char *word = arg->choices;

	for (char *p = key; *p; p++)
		*p = *p == '-' ? '_' : *p;
	if (arg->type != ARG_CHOICE) {
		json_object_set_new(args, key, value_of(arg, victim, choice));
		return;
	}
	for (choice /= 2; choice && strchr(word, ' '); choice--)
		word = strchr(word, ' ') + 1;
	json_object_set_new(args, key, json_stringn(word, strcspn(word, " ")));
}

/*
 * The nth way to ask for a row: what is required and what names things, with each choice and each state of the
 * thing; then one more of the others each time. Every second way has a time and a text ("in" of what is scheduled).
 * NULL: there are no more.
 */
#define BARE_WAYS 16
static json_t *args_of(const struct request_row *row, const char *victim, size_t n)
{
	const struct request_arg *extra = NULL;
	size_t others = 0;
	json_t *args;

	for (const struct request_arg *a = row->args; a->name; a++)
		if (!a->required && n >= BARE_WAYS && others++ == (n - BARE_WAYS) / 2)
			extra = a;
	if (n >= BARE_WAYS && !extra)
		return NULL;
	args = json_object();
	for (const struct request_arg *a = row->args; a->name; a++)
		if (a->required || a == extra || (is_thing(a) && (a->type != ARG_AGENT || n % 2)) ||
		    (n % 2 && (strcmp(a->name, "in") == 0 || strcmp(a->name, "message") == 0 ||
			       strcmp(a->name, "prompt") == 0)))
			put(args, a, victim, n);
	if (strcmp(row->name, "reminder edit") == 0 || strcmp(row->name, "task edit") == 0)
		json_object_del(args, "agent");
	return args;
}

/* --- what became of it --- */

static void add_rows(struct world *w, const char *sql, const char *user, struct buf *out)
{
	struct db_value args[] = {DB_TEXT(user)};
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};

	ok(db_query(w->db, sql, args, strstr(sql, "$1") ? 1 : 0, &rows, &err));
	while (db_rows_next(&rows, &err) > 0)
		buf_printf(out, "%s\n", db_text(&rows, 0));
	buf_add_str(out, "--\n");
}

/* What the person has made. A mission that waits for its turn begins by itself. */
static void add_made(struct world *w, struct buf *out)
{
	add_rows(w,
		 "SELECT id || '|' || status || '|' || message || '|' || agent || '|' || "
		 "coalesce(condition, '') || '|' || schedule || '|' || coalesce(name, '') FROM "
		 "reminders WHERE owner = 'me' AND created_at = 1 ORDER BY id",
		 NULL, out);
	add_rows(w,
		 "SELECT id || '|' || phase || '|' || coalesce(archived_at, 0) FROM missions WHERE "
		 "owner = 'me' AND created_at = 1 ORDER BY id",
		 NULL, out);
}

static char *picture(struct world *w, const char *victim, bool acts_only)
{
	AUTO_BUF struct buf out = {0};

	for (size_t i = 0; !acts_only && i < sizeof(things) / sizeof(things[0]); i++)
		add_rows(w, things[i], victim, &out);
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		add_rows(w, acts[i], NULL, &out);
	return buf_steal(&out);
}

/* Whether asking changed something of the victim's; it is undone. */
static bool changes(struct world *w, const struct caller_process *process, const char *claim,
		    const struct request_row *row, const json_t *args, const char *victim,
		    bool acts_only, const char *before)
{
	AUTO(free) char *after = NULL;
	struct error err = {0}, why = {0};
	int r;

	ok(db_begin(w->db, &err));
	r = ask(w, process, claim, row, args, &why);
	if (r >= 0)
		after = picture(w, victim, acts_only);
	engine_drop_jobs(w->engine);
	db_rollback(w->db);
	return after && strcmp(before, after) != 0;
}

static const char *const claims[] = {
	"{\"surface\":\"cli\",\"agent\":\"critic\"}",
	"{\"surface\":\"mcp\",\"user\":\"me\",\"agent\":\"critic\",\"session\":\"s-me\"}",
	"{\"surface\":\"hook\",\"user\":\"me\",\"session\":\"s-me\"}",
	"{\"surface\":\"hook\",\"user\":\"bob\",\"session\":\"s-bob\",\"mission\":\"mis-vbob\"}",
};
#define CLAIMS (sizeof(claims) / sizeof(claims[0]))

static bool is_walked(const struct request_row *row)
{
	return (row->flags & REQUEST_WRITES) && row->exec;
}

static void walk_row(struct world *w, const struct walker *who, const struct request_row *row,
		     const char *before)
{
	struct caller_process process = who->process;

	if (process.mission == 1)
		process.mission = w->run_of_me;
	else if (process.mission == 2)
		process.mission = w->run_of_bob;
	process.pid = getpid();
	process.pidfd = -1;
	for (size_t n = 0; n < BARE_WAYS + (size_t)2 * ARGS_MOST; n++) {
		AUTO(json_decref) json_t *args = args_of(row, who->victim, n);

		for (size_t c = 0; args && c < CLAIMS; c++)
			if (changes(w, &process, claims[c], row, args, who->victim, who->acts_only,
				    before)) {
				AUTO(free) char *text = json_text(args);

				fail_msg("%s changed what is %s's by '%s' %s, claiming %s",
					 who->name, who->victim, row->name, text, claims[c]);
			}
	}
}

static void test_walk(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);

	for (size_t i = 0; i < sizeof(walkers) / sizeof(walkers[0]); i++) {
		AUTO(free) char *before = picture(&w, walkers[i].victim, walkers[i].acts_only);

		for (const struct request_row *const *row = request_rows; *row; row++)
			if (is_walked(*row))
				walk_row(&w, &walkers[i], *row, before);
	}
}

/* The person's own, by whichever row a run of theirs changes it: the inbox says so. */
static void test_told(struct db *db)
{
	static const char *const notices =
		"SELECT count(*) FROM messages WHERE text LIKE 'Your %is changed by %'";
	AUTO_WORLD struct world w = world_new(db);
	struct caller_process run = {
		.known = true, .mission = w.run_of_me, .pid = getpid(), .pidfd = -1};
	AUTO_BUF struct buf wrong = {0}, before = {0};
	struct error err = {0};

	/* What the run itself makes is younger. */
	ok(db_script(db, "UPDATE reminders SET created_at = 1; UPDATE missions SET created_at = 1;",
		     &err));
	add_made(&w, &before);
	for (const struct request_row *const *row = request_rows; *row; row++)
		for (size_t n = 0; is_walked(*row) && n < BARE_WAYS + (size_t)2 * ARGS_MOST; n++) {
			AUTO(json_decref) json_t *args = args_of(*row, "me", n);
			AUTO_BUF struct buf after = {0};
			struct error why = {0};

			if (!args)
				break;
			ok(db_begin(db, &err));
			if (ask(&w, &run, "{}", *row, args, &why) >= 0)
				add_made(&w, &after);
			if (after.len && strcmp(buf_text(&before), buf_text(&after)) != 0 &&
			    !number_of(db, notices))
				buf_printf(&wrong, "'%s' told nobody\n", (*row)->name);
			engine_drop_jobs(w.engine);
			db_rollback(db);
		}
	if (wrong.len)
		fail_msg("%s", buf_text(&wrong));
}

static const char *why_unreached(const char *row)
{
	for (size_t i = 0; i < sizeof(unreached) / sizeof(unreached[0]); i++)
		if (strcmp(unreached[i].row, row) == 0)
			return unreached[i].why;
	return NULL;
}

static bool person_gets_there(struct world *w, const struct request_row *row, const char *before)
{
	for (size_t n = 0; n < BARE_WAYS + (size_t)2 * ARGS_MOST; n++) {
		AUTO(json_decref) json_t *args = args_of(row, "me", n);

		for (size_t c = 0; args && c < CLAIMS; c++)
			if (changes(w, NULL, claims[c], row, args, "me", false, before))
				return true;
	}
	return false;
}

static void test_reach(struct db *db)
{
	AUTO_WORLD struct world w = world_new(db);
	AUTO(free) char *before = picture(&w, "me", false);
	AUTO_BUF struct buf wrong = {0};

	for (const struct request_row *const *row = request_rows; *row; row++) {
		const char *why = why_unreached((*row)->name);
		bool there;

		if (!is_walked(*row))
			continue;
		there = person_gets_there(&w, *row, before);
		if (there == !!why)
			buf_printf(&wrong, "'%s' %s\n", (*row)->name,
				   there ? "is reached by now: take it out of the table"
					 : "is not reached by the walk's arguments");
	}
	if (wrong.len)
		fail_msg("%s", buf_text(&wrong));
}

int main(void)
{
	static const struct store_row rows[] = {
		{"A26 who is not the person changes nothing of others, by any row there is",
		 test_walk},
		{"A26 the walk reaches what it is about", test_reach},
		{"A45 what a run changes of the person's is told them, by any row there is",
		 test_told},
	};

	return run_store_rows("walk", rows, sizeof(rows) / sizeof(rows[0]));
}
