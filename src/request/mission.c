/*
 * mission.c: missions by hand, and what people do with those there are.
 * A caller who has a terminal may be the wrapper of a run itself: it says so by its own number (pid; the
 * kernel has to agree), and the answer has the order it carries out. Only the command line does that.
 */
#include <string.h>

#include "base/mem.h"
#include "engine/mission.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "schedule/duration.h"
#include "store/agent-session.h"
#include "store/thread.h"

#define PAGE_ROWS 500
#define UNREAD_MOST 1000
#define ATTEMPTS_MOST 20

#define MISSION_ARG                                                                                \
	{                                                                                          \
		"mission", 0, ARG_MISSION, "MISSION", "id, or unique prefix of one", NULL, true,   \
			true                                                                       \
	}
#define MISSIONS_ARG                                                                               \
	{                                                                                          \
		"mission", 0, ARG_MISSION, "MISSION", "id, or unique prefix of one", NULL, true,   \
			true, .many = true                                                         \
	}
#define CALLER_ARGS                                                                                \
	{"pid", 0, ARG_INT, "PID", NULL, NULL, false, false},                                      \
		{"pid-start", 0, ARG_INT, "TICKS", NULL, NULL, false, false},                      \
	{                                                                                          \
		"boot", 0, ARG_TEXT, "ID", NULL, NULL, false, false                                \
	}

static int find(const struct request *rq, const json_t *args, struct mission **ret,
		struct error *err)
{
	const char *ref = json_string_value(json_object_get(args, "mission"));
	AUTO(mission_free) struct mission *m = NULL;
	int rc = mission_find_of(engine_db(rq->engine), caller_scope(&rq->caller), ref, &m, err);

	if (rc < 0)
		return rc;
	/* Its row is there until its folder is gone, but nobody is to go on with it. */
	if (m->phase == PHASE_REMOVING) {
		error_set(err, ERR_NOT_FOUND, "mission '%s' has been removed", m->id);
		return error_hint(err, "belfry mission ls --all");
	}
	*ret = steal_ptr(&m);
	return 0;
}

/* --- lists --- */

static int read_filter(const struct request *rq, const json_t *args, struct mission_filter *f,
		       struct error *err)
{
	const char *cron = NULL;
	int64_t limit = PAGE_ROWS;
	int rc;

	*f = (struct mission_filter){.door = -1, .owner = caller_scope(&rq->caller)};
	if ((rc = json_get_text(args, "agent", &f->agent, err)) < 0 ||
	    (rc = json_get_text(args, "cron", &cron, err)) < 0 ||
	    (rc = json_get_bool(args, "all", &f->archived, err)) < 0 ||
	    (rc = json_get_bool(args, "open", &f->open_only, err)) < 0 ||
	    (rc = json_get_int(args, "limit", &limit, err)) < 0 ||
	    (rc = json_get_int(args, "after", &f->before, err)) < 0)
		return rc;
	f->limit = limit < 1 ? 1 : limit > PAGE_ROWS ? PAGE_ROWS : (int)limit;
	if (cron) {
		f->origin = cron;
		f->door = DOOR_CRON;
	}
	return 0;
}

/* Nothing was found: perhaps because it was misspelled. Those that are gone keep their missions. */
static int check_names(const struct request *rq, const struct mission_filter *f, struct error *err)
{
	AUTO(reminder_free) struct reminder *cron = NULL;

	/* Which crons there are is the person's. */
	if (!caller_is_person(&rq->caller))
		return 0;
	if (f->agent && !config_agent(engine_config(rq->engine), f->agent, err))
		return err->code;
	return f->origin ? engine_find_cron(rq->engine, f->origin, &cron, err) : 0;
}

/*
 * Those that were tried again or resumed are few, and so are those at work, of which only the run says whether it
 * has a limit; of the others the mission itself says it all.
 */
static int json_of(const struct request *rq, const struct mission *m, bool brief, json_t **ret,
		   struct error *err)
{
	AUTO(run_free) struct run *last = NULL;
	bool wants_run = m->runs > 1 || (m->runs && m->phase == PHASE_RUNNING);
	int rc = wants_run ? run_last(engine_db(rq->engine), m->key, &last, err) : 0;

	if (rc < 0)
		return rc;
	*ret = brief ? json_mission_brief(m, last) : json_mission(m, last, rq->home);
	return 0;
}

/* Threads with something unread, or that ask, are few: one look at them serves the whole page. */
static int busy_threads(struct db *db, bool asks, struct thread_list *ret, struct error *err)
{
	const struct thread_filter filter = {.archived = true,
					     .unread_only = !asks,
					     .asks_only = asks,
					     .before_at = USEC_NONE,
					     .limit = UNREAD_MOST};

	return thread_list(db, &filter, ret, err);
}

static const struct thread *thread_of(const struct thread_list *threads, const struct mission *m)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->items[i]->mission == m->key)
			return threads->items[i];
	return NULL;
}

/* "asks" is how people read one that ended well and waits for an answer. */
static bool has_state(const struct mission *m, const struct thread_list *asking, const char *state)
{
	const char *is = mission_state(m);

	return strcmp(state, is) == 0 ||
	       (strcmp(state, "asks") == 0 && strcmp(is, "success") == 0 && thread_of(asking, m));
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_MISSIONS struct mission_list page = {0};
	AUTO_THREADS struct thread_list unread = {0}, asking = {0};
	struct mission_filter filter;
	AUTO(json_decref) json_t *rows = json_array();
	const char *state = NULL;
	bool brief = false, count = false;
	int64_t total = 0;
	int rc;

	if ((rc = read_filter(rq, args, &filter, err)) < 0 ||
	    (rc = json_get_bool(args, "brief", &brief, err)) < 0 ||
	    (rc = json_get_bool(args, "count", &count, err)) < 0 ||
	    (rc = json_get_text(args, "state", &state, err)) < 0 ||
	    (rc = mission_list(engine_db(rq->engine), &filter, &page, err)) < 0 ||
	    (rc = busy_threads(engine_db(rq->engine), false, &unread, err)) < 0 ||
	    (rc = busy_threads(engine_db(rq->engine), true, &asking, err)) < 0)
		return rc;
	if (!page.count && !filter.before && (rc = check_names(rq, &filter, err)) < 0)
		return rc;
	for (size_t i = 0; i < page.count; i++) {
		const struct thread *t = thread_of(&unread, page.items[i]);
		json_t *row = NULL;

		if (state && !has_state(page.items[i], &asking, state))
			continue;
		rc = json_of(rq, page.items[i], brief, &row, err);
		if (rc < 0)
			return rc;
		json_put_int(row, "unread", t ? t->unread : 0);
		t = thread_of(&asking, page.items[i]);
		json_put_int(row, "asks", t ? t->asks : 0);
		json_array_append_new(rows, row);
	}
	if (count && !state &&
	    (rc = mission_count(engine_db(rq->engine), &filter, &total, err)) < 0)
		return rc;
	*ret = json_object();
	json_put(*ret, "missions", json_incref(rows));
	/* A state is made of several columns: how many are in one is known once all were looked at. */
	if (count && !state)
		json_put_int(*ret, "total", total);
	json_put(*ret, "more",
		 page.count == (size_t)filter.limit ? json_integer(page.items[page.count - 1]->key)
						    : json_null());
	return 0;
}

/* As mission_state() says them, and has_state(). */
#define STATE_CHOICES                                                                              \
	"behind waiting starting running stopping success error timeout killed orphaned "          \
	"daemon_shutdown not_run asks"

const struct request_row mission_list_row = {
	.name = "mission ls",
	.summary = "list missions, newest first: where each is, how it ended, what it cost",
	.details = "Archived ones are shown with --all.",
	.examples = "belfry mission ls --cron nightly\n"
		    "belfry mission ls --state error\n"
		    "belfry mission ls --watch\n"
		    "belfry mission ls --json | jq '.[] | select(.state == \"error\")'",
	.args =
		(const struct request_arg[]){
			{"cron", 0, ARG_TEXT, "NAME", "only those this cron ordered", NULL, false,
			 false},
			{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, false, false},
			{"all", 'a', ARG_FLAG, NULL, "archived ones too", NULL, false, false},
			{"watch", 'w', ARG_FLAG, NULL,
			 "keep showing them as they change, until q or Ctrl-C", NULL, false, false},
			{"open", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{"brief", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{"state", 0, ARG_CHOICE, "STATE", "only those in it", STATE_CHOICES, false,
			 false},
			{"limit", 'n', ARG_INT, "N", "at most so many; 50, and with --json all",
			 NULL, false, false},
			{"count", 0, ARG_FLAG, NULL, NULL, NULL, false, false},
			{"after", 0, ARG_INT, "KEY", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_list,
};

/* --- one of them --- */

static int put_reminder(struct db *db, const struct mission *m, json_t *o, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = m->reminder ? reminder_get(db, m->reminder, &r, err) : 0;

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	json_put_text(o, "reminder", r ? r->id : NULL);
	return 0;
}

/* Runs are told in the order they happened; the answer is that of the last which gave one. */
static int put_runs(const struct request *rq, const struct mission *m, json_t *o, struct error *err)
{
	AUTO_RUNS struct run_list runs = {0};
	int rc = run_list(engine_db(rq->engine), m->key, &runs, err);
	const char *answer = NULL;
	json_t *list;

	if (rc < 0)
		return rc;
	list = json_array();
	for (size_t i = runs.count; i-- > 0;) {
		json_array_append_new(list, json_run(m, runs.items[i], rq->home));
		if (runs.items[i]->finished_at != USEC_NONE)
			answer = runs.items[i]->answer;
	}
	json_put_text(o, "answer", answer);
	json_put(o, "runs", list);
	return 0;
}

/* What it wrote and was told, in numbers; null when it has no thread. */
static int put_thread(struct db *db, const struct mission *m, json_t *o, struct error *err)
{
	AUTO(free) char *place = mem_printf("mission:%s", m->id);
	AUTO(thread_free) struct thread *t = NULL;
	int rc = thread_at(db, place, &t, err);

	if (rc < 0)
		return rc;
	json_put(o, "thread",
		 t ? json_pack("{s:s, s:I, s:I, s:I, s:I}", "id", t->id, "messages",
			       (json_int_t)t->messages, "unread", (json_int_t)t->unread, "asks",
			       (json_int_t)t->asks, "waiting", (json_int_t)t->waiting)
		   : json_null());
	return 0;
}

/* What keeps it in line, as it is at this moment: no row has that. */
static int put_waiting(const struct request *rq, const struct mission *m, json_t *o,
		       struct error *err)
{
	AUTO(free) char *words = NULL;
	int rc = engine_line_words(rq->engine, m, rq->now, &words, err);

	if (rc >= 0 && words)
		json_put_text(o, "reason", words);
	return rc;
}

/* Whether it can be gone on with: also by what the hooks of a run that is still open have told. */
static int put_conversation(const struct request *rq, const struct mission *m, json_t *o,
			    struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc = m->session ? 0
			    : agent_session_of_mission(engine_db(rq->engine), m->key, m->created_at,
						       &s, err);

	json_put_bool(o, "conversation", m->session || s);
	return rc;
}

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(json_decref) json_t *o = NULL;
	int rc = find(rq, args, &m, err);

	if (rc < 0)
		return rc;
	rc = json_of(rq, m, false, &o, err);
	if (rc < 0)
		return rc;
	if ((rc = put_waiting(rq, m, o, err)) < 0 ||
	    (rc = put_reminder(engine_db(rq->engine), m, o, err)) < 0 ||
	    (rc = put_runs(rq, m, o, err)) < 0 || (rc = put_conversation(rq, m, o, err)) < 0 ||
	    (rc = put_thread(engine_db(rq->engine), m, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

const struct request_row mission_show_row = {
	.name = "mission show",
	.summary = "show everything about one mission: its runs, its answer, why it waits",
	.args = (const struct request_arg[]){MISSION_ARG, {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_show,
};

/* --- new ones, and going on with one --- */

static int answer(const struct request *rq, const struct mission *m, const char *order,
		  json_t **ret)
{
	json_t *o = json_mission(m, NULL, rq->home);

	json_put_bool(o, "scheduler_running", rq->scheduler_running);
	if (order)
		json_put_text(o, "order", order);
	*ret = o;
	return 0;
}

static bool is_blank(const char *text)
{
	return !text || text[strspn(text, " \t\r\n")] == '\0';
}

/* Without a daemon nothing is started, and whoever waits would wait for ever. */
static int check_wait(const struct request *rq, const json_t *args, struct error *err)
{
	if (!json_is_true(json_object_get(args, "wait")) || rq->scheduler_running)
		return 0;
	error_set(err, ERR_UNAVAILABLE, "no daemon is running: nobody would start the mission");
	return error_hint(err, "belfry daemon start");
}

static int read_attempts(const json_t *args, int64_t *ret, struct error *err)
{
	int rc = json_get_int(args, "attempts", ret, err);

	if (rc < 0 || (*ret >= 1 && *ret <= ATTEMPTS_MOST))
		return rc;
	error_set(err, ERR_INVALID, "--attempts cannot be %lld", (long long)*ret);
	return error_hint(err, "from 1, which never tries again, to %d", ATTEMPTS_MOST);
}

static int read_timeout(const json_t *args, usec_t *ret, struct error *err)
{
	const char *text = json_string_value(json_object_get(args, "timeout"));
	int rc;

	if (!text)
		return 0;
	if (strcmp(text, "none") == 0) {
		*ret = 0;
		return 0;
	}
	rc = duration_parse(text, ret, err);
	if (rc < 0)
		return error_prefix(err, "--timeout");
	if (*ret < USEC_PER_SEC) {
		error_set(err, ERR_INVALID, "--timeout '%s' is too short", text);
		return error_hint(err, "at least 1s, or 'none'");
	}
	return 0;
}

static int read_new(const struct request *rq, const json_t *args, struct mission *m,
		    struct error *err)
{
	const char *agent = json_string_value(json_object_get(args, "agent"));
	struct policy usual = {0};
	int rc;

	if (!config_agent(engine_config(rq->engine), agent, err))
		return err->code;
	engine_policy_defaults(rq->engine, DOOR_HAND, agent, &usual);
	m->door = DOOR_HAND;
	m->agent = mem_strdup(agent);
	m->git = mem_strdup(json_string_value(json_object_get(args, "git")));
	m->time_limit = usual.time_limit;
	m->max_attempts = usual.max_attempts;
	m->retry_on = usual.retry_on;
	m->backoff = usual.backoff;
	rc = read_timeout(args, &m->time_limit, err);
	return rc < 0 ? rc : read_attempts(args, &m->max_attempts, err);
}

static int need_prompt(const char *prompt, const char *hint, struct error *err)
{
	if (!is_blank(prompt))
		return 0;
	error_set(err, ERR_INVALID, "the prompt is empty");
	return error_hint(err, "%s", hint);
}

static int attend_new(const struct request *rq, struct mission *m, const struct process_id *caller,
		      json_t **ret, struct error *err)
{
	AUTO(free) char *order = NULL;
	int rc = engine_mission_prepare(rq->engine, m, rq->now, err);

	if (rc == 0)
		rc = engine_mission_attach(rq->engine, m, caller,
					   is_blank(m->prompt) ? NULL : m->prompt, rq->now, &order,
					   err);
	return rc < 0 ? rc : answer(rq, m, order, ret);
}

static int exec_new(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = mem_zalloc(sizeof(*m));
	const char *prompt = json_string_value(json_object_get(args, "prompt"));
	struct process_id caller;
	int rc, attended = caller_attends(rq, args, &caller, err);

	if (attended < 0 || (rc = read_new(rq, args, m, err)) < 0 ||
	    (rc = caller_stamp_mission(rq, m, err)) < 0)
		return err->code;
	m->prompt = mem_strdup(prompt ? prompt : "");
	if (attended)
		return attend_new(rq, m, &caller, ret, err);
	if (json_is_true(json_object_get(args, "interactive"))) {
		error_set(err, ERR_INVALID, "an interactive mission needs a terminal");
		return error_hint(err, "on one: belfry mission new %s --interactive", m->agent);
	}
	if ((rc = need_prompt(prompt, "say what it is to do, or use --interactive", err)) < 0 ||
	    (rc = check_wait(rq, args, err)) < 0 ||
	    (rc = engine_mission_new(rq->engine, m, rq->now, err)) < 0)
		return rc;
	return answer(rq, m, NULL, ret);
}

#define WAIT_HELP "wait until it has ended and print its answer"
#define WAIT_DETAILS                                                                               \
	"With --wait the exit status is 0 only when it ended in success, and 1 when it did not."

const struct request_row mission_new_row = {
	.name = "mission new",
	.summary = "run an agent once, now, in a folder of its own",
	.details =
		"The prompt is the second argument, or standard input when that is '-' or when "
		"there is none and it is not a terminal. The mission waits in line with all "
		"others (maxConcurrent) and goes on by itself. " WAIT_DETAILS "\n\n"
		"A prompt has 1 MiB at most: a longer text goes into a file, which it names.\n\n"
		"With --interactive the agent gets this terminal, at once; the prompt may then be "
		"left out. The conversation can be continued with `belfry mission resume`, if the "
		"client tells its name: Claude Code and Gemini always, others by their hooks "
		"(`belfry setup`).",
	.examples =
		"belfry mission new builder 'look at the failing tests' --git github.com/me/app\n"
		"belfry mission new builder --wait < task.md > answer.md\n"
		"belfry mission new builder --interactive",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", "who does it", NULL, true, true},
			{"prompt", 0, ARG_BODY, "PROMPT",
			 "what it is to do; - reads standard input", NULL, true, false},
			{"git", 0, ARG_TEXT, "REPO", "a repository of syncedRepos to copy into it",
			 NULL, false, false},
			{"timeout", 0, ARG_DURATION, "DURATION",
			 "end a run that takes longer, or none; default: the agent's, 1h", NULL,
			 false, false},
			{"attempts", 0, ARG_INT, "N", "try so often until it succeeds; default 1",
			 NULL, false, false},
			{"interactive", 'i', ARG_FLAG, NULL, "in this terminal", NULL, false,
			 false},
			{"wait", 0, ARG_FLAG, NULL, WAIT_HELP, NULL, false, false},
			CALLER_ARGS,
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_new,
};

static int attend_again(const struct request *rq, struct mission *m,
			const struct process_id *caller, const char *prompt, json_t **ret,
			struct error *err)
{
	AUTO(free) char *order = NULL;
	int rc = engine_mission_attach(rq->engine, m, caller, is_blank(prompt) ? NULL : prompt,
				       rq->now, &order, err);

	return rc < 0 ? rc : answer(rq, m, order, ret);
}

static int exec_resume(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	const char *prompt = json_string_value(json_object_get(args, "prompt"));
	struct process_id caller;
	int rc, attended = caller_attends(rq, args, &caller, err);

	if (attended < 0 || (rc = find(rq, args, &m, err)) < 0 ||
	    (rc = caller_check_resume(rq, m, err)) < 0)
		return err->code;
	if (attended)
		return attend_again(rq, m, &caller, prompt, ret, err);
	if ((rc = check_wait(rq, args, err)) < 0 ||
	    (rc = engine_mission_resume(rq->engine, m, prompt, rq->now, err)) < 0)
		return rc;
	return answer(rq, m, NULL, ret);
}

const struct request_row mission_resume_row = {
	.name = "mission resume",
	.summary = "go on with a mission that has ended, in its own conversation",
	.details =
		"With a prompt it runs by itself; without one the agent gets this terminal. "
		"Answers from the inbox that wait for it come first. Where there is no terminal, "
		"and with --wait, they are enough, and it runs by itself with them. "
		"A mission that still runs or waits is refused. " WAIT_DETAILS,
	.examples = "belfry mission resume mis-k3f9x2 'now write the tests' --wait\n"
		    "belfry mission resume mis-k3f9x2",
	.args =
		(const struct request_arg[]){
			MISSION_ARG,
			{"prompt", 0, ARG_BODY, "PROMPT", "how it goes on; - reads standard input",
			 NULL, true, false},
			{"wait", 0, ARG_FLAG, NULL, WAIT_HELP, NULL, false, false},
			CALLER_ARGS,
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_resume,
};

/* --- ends --- */

static int exec_stop(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "stopped");
	int rc = find(rq, args, &m, err);

	if (rc < 0 || (rc = caller_check_stop(rq, m, err)) < 0 ||
	    (rc = engine_mission_stop(rq->engine, m, why, rq->now, err)) < 0)
		return rc;
	return answer(rq, m, NULL, ret);
}

const struct request_row mission_stop_row = {
	.name = "mission stop",
	.summary = "end a mission that runs or waits; it can be resumed",
	.details = "The agent and everything it started are asked first (SIGTERM), and killed when "
		   "they are still there after 30 seconds.",
	.args = (const struct request_arg[]){MISSIONS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_stop,
};

static int put_away(const struct request *rq, const json_t *args, bool archived, json_t **ret,
		    struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = find(rq, args, &m, err);

	if (rc < 0 || (rc = caller_check_mission(rq, m, err)) < 0 ||
	    (rc = engine_mission_archive(rq->engine, m, archived, rq->now, err)) < 0)
		return rc;
	return answer(rq, m, NULL, ret);
}

static int exec_archive(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	return put_away(rq, args, true, ret, err);
}

const struct request_row mission_archive_row = {
	.name = "mission archive",
	.summary = "put an ended mission out of sight; its files stay",
	.args = (const struct request_arg[]){MISSIONS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_archive,
};

static int exec_unarchive(const struct request *rq, const json_t *args, json_t **ret,
			  struct error *err)
{
	return put_away(rq, args, false, ret, err);
}

const struct request_row mission_unarchive_row = {
	.name = "mission unarchive",
	.summary = "bring an archived mission back into the list",
	.args = (const struct request_arg[]){MISSIONS_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_unarchive,
};

static int refuse_open(const struct mission *m, struct error *err)
{
	error_set(err, ERR_CONFLICT, "mission '%s' is %s", m->id, mission_state(m));
	return error_hint(err, "belfry mission stop %s, or --force, which stops it first", m->id);
}

/* What nobody has read, or an agent waits for, does not go without a word. */
static int check_thread(const struct request *rq, const struct mission *m, struct error *err)
{
	int64_t unread = 0, asks = 0;
	int rc = thread_counts_of_mission(engine_db(rq->engine), m->key, &unread, &asks, err);

	if (rc < 0 || (!unread && !asks))
		return rc;
	error_set(err, ERR_CONFLICT,
		  "the thread of mission '%s' has %lld unread message%s and %lld open question%s",
		  m->id, (long long)unread, unread == 1 ? "" : "s", (long long)asks,
		  asks == 1 ? "" : "s");
	return error_hint(err, "belfry inbox show %s; or --force deletes it all the same", m->id);
}

/* What runs cannot be gone at once: then it is only stopped, and `removed` says so. */
static int exec_remove(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "removed");
	bool force = json_is_true(json_object_get(args, "force")), removed;
	int rc = find(rq, args, &m, err);

	if (rc < 0 || (rc = caller_check_mission(rq, m, err)) < 0)
		return rc;
	if (m->phase != PHASE_ENDED && !force)
		return refuse_open(m, err);
	if (!force && (rc = check_thread(rq, m, err)) < 0)
		return rc;
	if (m->phase != PHASE_ENDED &&
	    (rc = engine_mission_stop(rq->engine, m, why, rq->now, err)) < 0)
		return rc;
	removed = m->phase == PHASE_ENDED;
	if (removed && (rc = engine_mission_remove(rq->engine, m, rq->now, err)) < 0)
		return rc;
	answer(rq, m, NULL, ret);
	json_put_bool(*ret, "removed", removed);
	return 0;
}

const struct request_row mission_remove_row = {
	.name = "mission rm",
	.summary = "delete a mission that has ended: its folder, its logs, its runs",
	.args =
		(const struct request_arg[]){
			MISSIONS_ARG,
			{"force", 'f', ARG_FLAG, NULL,
			 "one that runs or waits too: it is stopped first; also one with "
			 "unread messages or an open question",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_remove,
};

const struct request_row mission_logs_row = {
	.name = "mission logs",
	.summary = "print what the agent of a mission wrote while it ran",
	.details = "On a terminal control characters are made visible; a pipe gets the bytes as "
		   "they are. With --follow it goes on until the run has ended, and then says on "
		   "standard error how.",
	.examples = "belfry mission logs mis-k3f9x2 -f\nbelfry mission logs mis-k3f9x2 --lines 20",
	.args =
		(const struct request_arg[]){
			MISSION_ARG,
			{"follow", 'f', ARG_FLAG, NULL, "print what is added, until the run ends",
			 NULL, false, false},
			{"run", 0, ARG_INT, "N", "of this run; default: the last one", NULL, false,
			 false},
			{"lines", 'n', ARG_INT, "N", "only the last so many lines to begin with",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};
