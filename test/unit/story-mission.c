/* story-mission.c: the steps of a story that are about missions, and how those are told. */
#include "story-parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/change.h"
#include "engine/mission.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "store/board.h"

/* ada has conversations that are chosen, bob does one thing at a time, cyd any number. */
static const char agents[] = "agents:\n"
			     "  ada: {adapter: claude, directory: /srv/ada}\n"
			     "  bob: {command: [work], maxConcurrent: 1}\n"
			     "  cyd: {command: [work], environment: {CI: \"1\"}}\n"
			     "  mute: {directory: /srv}\n";

/* --- configuration ------------------------------------------------------------------------ */

static void new_config(struct story *s, const char *yaml)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};

	if (s->config_count == CONFIGS_MAX)
		abort();
	buf_add_str(&text, strstr(yaml, "timezone:") ? "" : "timezone: UTC\n");
	buf_add_str(&text, strstr(yaml, "agents:") ? "" : agents);
	buf_printf(&text, "%s\n", yaml);
	story_check(config_parse(buf_text(&text), text.len, "config.yml",
				 &s->configs[s->config_count], &err),
		    &err);
	story_set_config(s, s->config_count++);
}

/* --- wrappers ----------------------------------------------------------------------------- */

static void add_wrapper(struct story *s, const struct job *job, usec_t started_at)
{
	struct story_wrapper *w = &s->wrappers[s->wrapper_count++];

	if (s->wrapper_count == JOBS_MAX)
		abort();
	w->run = job->key;
	w->started_at = started_at;
	snprintf(w->name, sizeof(w->name), "%s", job->run);
}

static int find_wrapper(const struct story *s, int64_t run)
{
	for (size_t i = 0; i < s->wrapper_count; i++)
		if (s->wrappers[i].run == run)
			return (int)i;
	return -1;
}

void story_take_wrapper_job(struct story *s, struct job *stolen)
{
	AUTO(job_free) struct job *job = stolen;

	if (job->kind == JOB_STOP) {
		buf_printf(&s->told, "* signal %d to %s\n", job->signal, job->run);
		return;
	}
	if (job->kind == JOB_ADOPT) {
		buf_printf(&s->told, "* adopt %s, process %d\n", job->run, (int)job->process.pid);
		if (find_wrapper(s, job->key) < 0)
			add_wrapper(s, job, s->now);
		return;
	}
	if (s->start_count == JOBS_MAX)
		abort();
	s->starts[s->start_count++] = steal_ptr(&job);
}

void story_drop_starts(struct story *s)
{
	while (s->start_count)
		job_free(s->starts[--s->start_count]);
}

static struct job *take_start(struct story *s)
{
	struct job *job = s->starts[0];

	if (!s->start_count)
		abort();
	memmove(s->starts, s->starts + 1, --s->start_count * sizeof(*s->starts));
	s->last_start = job->key;
	return job;
}

/* A process waits at the gate of that run. */
static bool at_gate(struct story *s, int64_t run)
{
	struct run_start start = {.run = run, .process = {.pid = 101 + s->processes++}};
	struct story_input input = {.start = &start};

	snprintf(start.process.boot, sizeof(start.process.boot), "boot");
	story_turn(s, &input);
	return input.go;
}

static void step_start(struct story *s, char *rest)
{
	int count = *rest ? atoi(rest) : 1;

	while (count-- > 0) {
		AUTO(job_free) struct job *job = take_start(s);
		bool go = at_gate(s, job->key);

		buf_printf(&s->told, "* %s %s\n", go ? "go" : "no-go", job->run);
		if (go)
			add_wrapper(s, job, s->now);
	}
}

/* A second wrapper for the run that was started last. */
static void step_double(struct story *s, char *rest)
{
	(void)rest;
	buf_printf(&s->told, "* a second one: %s\n", at_gate(s, s->last_start) ? "go" : "no-go");
}

/* The wrapper of "m2", or the oldest. */
static struct story_wrapper take_wrapper(struct story *s, const char *name)
{
	struct story_wrapper found;
	size_t at = 0;

	for (; name && at < s->wrapper_count; at++) {
		AUTO(free) char *called = story_name_missions(s, mem_strdup(s->wrappers[at].name));
		size_t len = strlen(name);

		if (strncmp(called, name, len) == 0 && called[len] == '/')
			break;
	}
	if (at == s->wrapper_count) {
		fprintf(stderr, "story: no wrapper %s\n", name ? name : "at all");
		abort();
	}
	found = s->wrappers[at];
	memmove(s->wrappers + at, s->wrappers + at + 1,
		(--s->wrapper_count - at) * sizeof(*s->wrappers));
	return found;
}

static void run_gone(struct story *s, const struct run_end *gone)
{
	story_turn(s, &(struct story_input){.gone = gone});
}

/* end REASON [MISSION] [ERROR] */
static void step_end(struct story *s, char *rest)
{
	const char *reason = story_word(&rest);
	struct story_wrapper w = take_wrapper(s, story_word(&rest));
	struct end end = {
		.exit_code = strcmp(reason, "success") == 0 ? 0 : 1,
		.started_at = w.started_at,
		.finished_at = s->now,
		.error = story_word(&rest),
		.answer = s->answer,
		.cost = 1000,
		.denied = s->denied ? 2 : 0,
		.denied_calls = s->denied,
		.told = s->prompted,
	};

	snprintf(end.reason, sizeof(end.reason), "%s", reason);
	run_gone(s, &(struct run_end){.run = w.run, .end = &end});
	mem_replace(&s->answer, NULL);
	mem_replace(&s->denied, NULL);
	s->prompted = false;
}

/* gone [MISSION] [shutdown | SESSION] */
static void step_gone(struct story *s, char *rest)
{
	struct story_wrapper w = take_wrapper(s, story_word(&rest));
	const char *word = story_word(&rest);
	bool shutdown = word && strcmp(word, "shutdown") == 0;

	run_gone(s, &(struct run_end){
			    .run = w.run, .shutdown = shutdown, .session = shutdown ? NULL : word});
}

static void step_neverran(struct story *s, char *rest)
{
	run_gone(s, &(struct run_end){.run = take_wrapper(s, story_word(&rest)).run,
				      .never_ran = true});
}

static void step_nowrapper(struct story *s, char *rest)
{
	AUTO(job_free) struct job *job = take_start(s);

	(void)rest;
	run_gone(s, &(struct run_end){.run = job->key, .start_error = "no more processes"});
}

/* --- what people ask for ------------------------------------------------------------------ */

/* The value of KEY=VALUE among the words, or NULL. `words` ends with NULL. */
static const char *value_of(char *const *words, const char *key)
{
	size_t len = strlen(key);

	for (; *words; words++)
		if (strncmp(*words, key, len) == 0 && (*words)[len] == '=')
			return *words + len + 1;
	return NULL;
}

static int64_t number_of(char *const *words, const char *key, int64_t unless)
{
	const char *value = value_of(words, key);

	return value ? atoll(value) : unless;
}

static usec_t span_of(char *const *words, const char *key, usec_t unless)
{
	const char *value = value_of(words, key);
	struct error err = {0};
	usec_t span = unless;

	if (value && strcmp(value, "0") == 0)
		return 0;
	if (value)
		story_check(duration_parse(value, &span, &err), &err);
	return span;
}

static const char *text_of(char *const *words, const char *key, const char *unless)
{
	const char *value = value_of(words, key);

	return value ? value : unless;
}

#define WORDS_MAX 24
static void split(char *rest, char *words[WORDS_MAX])
{
	size_t count = 0;

	while (count < WORDS_MAX - 1 && (words[count] = story_word(&rest)))
		count++;
	words[count] = NULL;
}

static int64_t retry_bits(const char *text)
{
	int64_t bits = 0;

	bits |= strstr(text, "failure") ? RETRY_FAILURE : 0;
	bits |= strstr(text, "timeout") ? RETRY_TIMEOUT : 0;
	bits |= strstr(text, "lost") ? RETRY_LOST : 0;
	return bits;
}

static void set_schedule(struct story *s, char *const *words, struct reminder *r)
{
	static const char *const kinds[] = {"every", "cron", "in"};
	const char *text = NULL;
	size_t i = 0;

	while (i < 3 && !(text = value_of(words, kinds[i])))
		i++;
	if (!text)
		abort();
	r->anchor = s->now;
	r->schedule_kind = mem_strdup(i == 2 ? "at" : kinds[i]);
	r->schedule = mem_strdup(text);
	if (i == 2) {
		char at[INSTANT_TEXT_MAX];

		instant_format(s->now + span_of(words, "in", 0), zone_utc(), at);
		free(r->schedule);
		r->schedule = mem_strdup(at);
	}
	r->zone = mem_strdup(text_of(words, "tz", "UTC"));
	r->zone_source = mem_strdup("item");
}

static void set_policy(char *const *words, struct policy *p)
{
	const char *overlap = value_of(words, "overlap"), *retry = value_of(words, "retry");

	if (overlap)
		p->overlap = (enum overlap)overlap_of(overlap);
	if (retry)
		p->retry_on = retry_bits(retry);
	p->time_limit = span_of(words, "limit", p->time_limit);
	p->max_attempts = number_of(words, "attempts", p->max_attempts);
	p->backoff = span_of(words, "backoff", p->backoff);
	p->wait_limit = span_of(words, "wait", p->wait_limit);
	p->retention = number_of(words, "keep", p->retention);
	p->pause_after = number_of(words, "pause", p->pause_after);
}

/* work door=task name=r agent=cyd in=1h …: a reminder that runs */
static int ask_work(struct story *s, char *rest, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = mem_zalloc(sizeof(*r));
	char *words[WORDS_MAX];
	struct policy p = {0};

	split(rest, words);
	set_schedule(s, words, r);
	r->name = mem_strdup(text_of(words, "name", "w"));
	r->agent = mem_strdup(text_of(words, "agent", "cyd"));
	r->message = mem_strdup(text_of(words, "prompt", "do it"));
	r->until = USEC_NONE;
	r->catchup = (enum catchup)catchup_of(text_of(words, "catchup", "once"));
	r->catchup_max = 10;
	r->start_deadline = span_of(words, "deadline", 0);
	r->jitter = span_of(words, "jitter", 0);
	if (value_of(words, "condition")) {
		r->condition_kind = CONDITION_COMMAND;
		r->condition = mem_strdup(value_of(words, "condition"));
		r->condition_limit = 30 * USEC_PER_SEC;
	}
	engine_policy_defaults(s->engine, (enum door)door_of(text_of(words, "door", "reminder")),
			       r->agent, &p);
	set_policy(words, &p);
	return engine_add_run(s->engine, r, &p, s->now, number_of(words, "now", 0), err);
}

static int ask_cron_run(struct story *s, char *rest, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = engine_find_cron(s->engine, rest, &r, err);

	return rc < 0 ? rc : engine_run(s->engine, r, s->now, "run by hand", err);
}

static int ask_seed(struct story *s, char *rest, struct error *err)
{
	int rc = engine_seed(s->engine, s->now, err);

	(void)rest;
	buf_printf(&s->told, "* seeding changed %d\n", rc);
	return rc;
}

static int ask_board(struct story *s, char *rest, struct error *err)
{
	char *words[WORDS_MAX];
	struct board b = {.at = s->now};

	split(rest, words);
	b.agent = (char *)text_of(words, "agent", "ada");
	b.status = (char *)text_of(words, "status", "");
	b.detail = (char *)value_of(words, "detail");
	b.owner = (char *)value_of(words, "owner");
	return board_set(s->db, &b, err);
}

static struct mission *new_mission(char *const *words)
{
	struct mission *m = mem_zalloc(sizeof(*m));

	m->agent = mem_strdup(text_of(words, "agent", "cyd"));
	m->prompt = mem_strdup(text_of(words, "prompt", "by hand"));
	m->git = mem_strdup(value_of(words, "git"));
	m->max_attempts = number_of(words, "attempts", 1);
	m->retry_on = RETRY_ALL;
	m->backoff = span_of(words, "backoff", 30 * USEC_PER_SEC);
	m->time_limit = span_of(words, "limit", USEC_PER_HOUR);
	return m;
}

static void tell_order(struct story *s, const char *text)
{
	AUTO(order_free) struct order *o = NULL;
	struct error err = {0};

	story_check(order_parse(text, strlen(text), &o, &err), &err);
	buf_printf(&s->told, "* order %s/%lld %s%s in %s for %llds\n", o->mission,
		   (long long)o->number, adapter_use_words[o->use],
		   o->session ? ", with a session," : "",
		   o->directory ? o->directory : "its folder",
		   (long long)(o->time_limit / USEC_PER_SEC));
	/* Of whose it is, only what is not as nearly always; sessions are never the same. */
	for (char **p = o->environment; p && *p; p++)
		if (strcmp(*p, "BELFRY_USER=me") != 0 && strcmp(*p, "BELFRY_TRUST=full") != 0 &&
		    strncmp(*p, "BELFRY_SESSION=", 15) != 0)
			buf_printf(&s->told, "%s\n", *p);
	buf_printf(&s->told, "%s\n", o->prompt);
}

static int attach(struct story *s, struct mission *m, const char *prompt, struct error *err)
{
	struct process_id caller = {.pid = 900, .boot = "boot"};
	AUTO(free) char *order = NULL;
	int rc = engine_mission_attach(s->engine, m, &caller, prompt, s->now, &order, err);

	if (rc >= 0)
		tell_order(s, order);
	return rc;
}

static int make_mission(struct story *s, const char *verb, char *rest, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	char *words[WORDS_MAX];
	int rc;

	split(rest, words);
	m = new_mission(words);
	if (strcmp(verb, "new") == 0)
		return engine_mission_new(s->engine, m, s->now, err);
	rc = engine_mission_prepare(s->engine, m, s->now, err);
	return rc < 0 ? rc : attach(s, m, m->prompt, err);
}

static int change_mission(struct story *s, const char *verb, struct mission *m, const char *text,
			  struct error *err)
{
	if (strcmp(verb, "stop") == 0)
		return engine_mission_stop(s->engine, m, text ? text : "stopped by hand", s->now,
					   err);
	if (strcmp(verb, "resume") == 0)
		return engine_mission_resume(s->engine, m, text ? text : "go on", s->now, err);
	if (strcmp(verb, "attach") == 0)
		return attach(s, m, text, err);
	if (strcmp(verb, "rm") == 0)
		return engine_mission_remove(s->engine, m, s->now, err);
	return engine_mission_archive(s->engine, m, strcmp(verb, "archive") == 0, s->now, err);
}

/* mission new|open|stop|resume|attach|archive|unarchive|rm [m1] [TEXT] */
static int ask_mission(struct story *s, char *rest, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	const char *verb = story_word(&rest), *name;
	int rc;

	if (strcmp(verb, "new") == 0 || strcmp(verb, "open") == 0)
		return make_mission(s, verb, rest, err);
	name = story_word(&rest);
	rc = mission_get(s->db, atoll(name + 1), &m, err);
	return rc < 0 ? rc : change_mission(s, verb, m, story_word(&rest), err);
}

/* --- steps -------------------------------------------------------------------------------- */

static void step_order(struct story *s, char *rest)
{
	(void)rest;
	tell_order(s, s->starts[0]->input);
}

static const struct step {
	const char *verb;
	void (*act)(struct story *s, char *rest);
	int (*ask)(struct story *s, char *rest, struct error *err);
} steps[] = {
	{"start", step_start, NULL},
	{"double", step_double, NULL},
	{"end", step_end, NULL},
	{"gone", step_gone, NULL},
	{"neverran", step_neverran, NULL},
	{"order", step_order, NULL},
	{"nowrapper", step_nowrapper, NULL},
	{"work", NULL, ask_work},
	{"cron-run", NULL, ask_cron_run},
	{"seed", NULL, ask_seed},
	{"board", NULL, ask_board},
	{"mission", NULL, ask_mission},
};

/* times 65 STEP */
static void repeat(struct story *s, char *rest)
{
	int count = atoi(story_word(&rest));

	while (count-- > 0) {
		AUTO(free) char *line = mem_strdup(rest);
		char *words = line, *verb = story_word(&words);

		if (!story_mission_step(s, verb, words) && !story_live_step(s, verb, words) &&
		    !story_boundary_step(s, verb, words))
			abort();
	}
}

bool story_mission_step(struct story *s, const char *verb, char *rest)
{
	if (strcmp(verb, "times") == 0) {
		repeat(s, rest);
		return true;
	}
	if (strcmp(verb, "yaml") == 0) {
		new_config(s, rest);
		return true;
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strcmp(verb, steps[i].verb) == 0) {
			if (steps[i].act)
				steps[i].act(s, rest);
			else
				story_ask(s, steps[i].ask, rest);
			return true;
		}
	return false;
}

/* --- what came of it ---------------------------------------------------------------------- */

static void put_run(struct buf *out, const struct run *run)
{
	buf_printf(out, "  #%lld %s %s", (long long)run->number, run_kind_word(run->kind),
		   run->finished_at != USEC_NONE ? ending_word(run->ending)
		   : run->pid			 ? "runs"
						 : "begins");
	buf_printf(out, "%s%s\n", run->error ? ": " : "", run->error ? run->error : "");
}

static void put_mission(struct story *s, struct buf *out, const struct mission *m)
{
	AUTO_RUNS struct run_list runs = {0};
	struct error err = {0};

	buf_printf(out, "= %s %s", m->id, phase_word(m->phase));
	if (m->attempts)
		buf_printf(out, " %lld/%lld", (long long)m->attempts, (long long)m->max_attempts);
	if (m->phase == PHASE_WAITING && m->ready_at > s->now) {
		buf_add_str(out, " from ");
		story_put_time(out, m->ready_at);
	}
	buf_printf(out, "%s", m->archived_at != USEC_NONE ? " archived" : "");
	if (m->stop_reason && m->phase != PHASE_ENDED)
		buf_printf(out, " (to stop: %s)", m->stop_reason);
	buf_printf(out, "%s%s\n", m->reason ? ": " : "", m->reason ? m->reason : "");
	story_check(run_list(s->db, m->key, &runs, &err), &err);
	for (size_t i = runs.count; i-- > 0;)
		put_run(out, runs.items[i]);
}

static void list_missions(struct story *s, struct mission_list *ret)
{
	struct mission_filter all = {.door = -1, .archived = true, .limit = 1000};
	struct error err = {0};

	story_check(mission_list(s->db, &all, ret, &err), &err);
}

void story_put_missions(struct story *s, struct buf *out)
{
	AUTO_MISSIONS struct mission_list missions = {0}, removing = {0};
	struct error err = {0};

	list_missions(s, &missions);
	for (size_t i = missions.count; i-- > 0;)
		put_mission(s, out, missions.items[i]);
	story_check(mission_in_phase(s->db, PHASE_REMOVING, &removing, &err), &err);
	for (size_t i = 0; i < removing.count; i++)
		put_mission(s, out, removing.items[i]);
}

char *story_name_missions(struct story *s, char *stolen)
{
	AUTO(free) char *text = stolen;
	struct buf out = {0};

	for (const char *p = text; *p;) {
		AUTO(mission_free) struct mission *m = NULL;
		struct error err = {0};
		char id[MISSION_ID_MAX];

		snprintf(id, 11, "%s", p);
		if (strncmp(p, "mis-", 4) == 0) {
			if (mission_find(s->db, id, &m, &err) == 0)
				buf_printf(&out, "m%lld", (long long)m->key);
			else
				buf_add_str(&out, "m?"); /* removed */
			p += strlen(id);
		} else if (strncmp(p, "thr-", 4) == 0) {
			buf_add_str(&out, "thr-?");
			p += strlen(id);
		} else if (strncmp(p, "(b-", 3) == 0 && strlen(id) == 10) {
			buf_add_str(&out, "(b");
			p += 11;
		} else {
			buf_add_char(&out, *p++);
		}
	}
	return buf_steal(&out);
}
