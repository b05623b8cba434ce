/* story-live.c: the steps of a story that are about live agents, and how those are told. */
#include "story-parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/internal.h"
#include "engine/live.h"
#include "request/request.h"

/* Ids are random: "m-k3f9x2ab" becomes "q1", by its row in the queue. */
static char *name_messages(struct story *s, char *stolen)
{
	AUTO(free) char *text = stolen;
	struct buf out = {0};

	for (const char *p = text; *p;) {
		AUTO(message_free) struct message *m = NULL;
		struct error err = {0};
		char id[11] = "";

		snprintf(id, sizeof(id), "%s", p);
		if (strncmp(p, "m-", 2) == 0 && queue_find(s->db, id, &m, &err) == 0) {
			buf_printf(&out, "q%lld", (long long)m->key);
			p += strlen(id);
		} else {
			buf_add_char(&out, *p++);
		}
	}
	return buf_steal(&out);
}

static void tell(struct story *s, char *stolen)
{
	AUTO(free) char *text = name_messages(s, stolen);

	buf_printf(&s->told, "* %s\n", text);
}

/* --- jobs --------------------------------------------------------------------------------- */

static void take_type(struct story *s, struct job *job)
{
	const struct job_live *l = job->live;

	tell(s, mem_printf("type to %s%s%s: %s%s%s", l->agent, l->interrupt ? ", interrupting" : "",
			   l->again ? ", again" : "", l->text, l->file ? " < " : "",
			   l->file ? job->input : ""));
	if (s->type_count == JOBS_MAX)
		abort();
	s->types[s->type_count++] = job;
}

bool story_take_live_job(struct story *s, struct job *job)
{
	static const char *const verbs[] = {[JOB_OPEN] = "open",
					    [JOB_WATCH] = "watch",
					    [JOB_YIELD] = "yield",
					    [JOB_CLOSE] = "close"};

	if (job->kind == JOB_TYPE) {
		take_type(s, job);
		return true;
	}
	if (job->kind < JOB_OPEN || job->kind > JOB_CLOSE)
		return false;
	/* A session has a mission; what STORY_PRESENCE says has none. */
	if (job->kind != JOB_WATCH || job->live->mission)
		tell(s, mem_printf("%s %s%s%s%s%s", verbs[job->kind], job->live->agent,
				   job->live->pane ? " in " : "",
				   job->live->pane ? job->live->pane : "",
				   job->live->mission ? " of " : "",
				   job->live->mission ? job->live->mission : ""));
	job_free(job);
	return true;
}

void story_drop_types(struct story *s)
{
	while (s->type_count)
		job_free(s->types[--s->type_count]);
}

/* typed, typed line, typed WHY: the oldest is there, or in its client's line, or was not seen */
static void step_typed(struct story *s, char *rest)
{
	struct job *job = s->types[0];
	struct job_end end = {.kind = JOB_TYPE, .output_tail = ""};

	if (!s->type_count)
		abort();
	end.key = job->key;
	end.start_error = story_word(&rest);
	if (end.start_error && strcmp(end.start_error, "line") == 0)
		end.start_error = LIVE_IN_LINE;
	memmove(s->types, s->types + 1, --s->type_count * sizeof(*s->types));
	job_free(job);
	story_turn(s, &(struct story_input){.end = &end});
}

/* --- what people ask for ------------------------------------------------------------------ */

/* live VERB AGENT [KEY=VALUE] [FLAG] */
static int ask_live(struct story *s, char *rest, struct error *err)
{
	AUTO(free) char *name = mem_printf("live %s", story_word(&rest));
	AUTO(json_decref) json_t *args = json_object();
	AUTO(json_decref) json_t *answer = NULL;
	struct request rq = {.engine = s->engine,
			     .now = s->now,
			     .scheduler_running = true,
			     .caller = {.user = "me", .trust = TRUST_FULL}};
	char *word;
	int rc;

	json_put_text(args, "agent", story_word(&rest));
	while ((word = story_word(&rest))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (value)
			json_put_text(args, word, value);
		else
			json_put_bool(args, word, true);
	}
	rc = request_run(request_find(name), &rq, args, &answer, err);
	if (rc >= 0 && strcmp(name, "live remove") == 0)
		buf_printf(&s->told, "* %scancelled %lld, kept %lld\n",
			   json_is_true(json_object_get(answer, "ending")) ? "ending, " : "",
			   (long long)json_integer_value(json_object_get(answer, "cancelled")),
			   (long long)json_integer_value(json_object_get(answer, "kept")));
	return rc;
}

/* host AGENT */
static int ask_host(struct story *s, char *rest, struct error *err)
{
	struct process_id caller = {.pid = 900, .boot = "boot"};
	AUTO(free) char *text = NULL;
	AUTO(order_free) struct order *o = NULL;
	const char *agent = story_word(&rest);
	int rc = engine_live_host(s->engine, agent, &caller, s->now, &text, err);

	if (rc < 0)
		return rc;
	story_check(order_parse(text, strlen(text), &o, err), err);
	tell(s, mem_printf("%s/%lld %s%s%s", o->mission, (long long)o->number,
			   adapter_use_words[o->use], *o->prompt ? ": " : "", o->prompt));
	for (char **p = o->environment; p && *p; p++)
		if (strncmp(*p, "BELFRY_AGENT=", 13) == 0 ||
		    strncmp(*p, "BELFRY_MISSION_ID=", 18) == 0)
			buf_printf(&s->told, "  %s\n", *p);
	return 0;
}

/* --- what the daemon sees ----------------------------------------------------------------- */

static int ask_opened(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest);

	return engine_live_opened(s->engine, agent, story_word(&rest), s->now, err);
}

static int ask_lost(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest);

	return engine_live_lost(s->engine, agent, story_word(&rest), s->now, err);
}

/* seen AGENT STATE EVIDENCE [SECONDS AGO] */
static int ask_seen(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest), *state = story_word(&rest);
	const char *evidence = story_word(&rest), *ago = story_word(&rest);

	return engine_live_seen(s->engine, agent, (enum presence)presence_of(state),
				evidence ? evidence : "screen",
				s->now - (ago ? atoll(ago) * USEC_PER_SEC : 0), s->now, err);
}

/* asks AGENT SCREEN */
static int ask_asks(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest);

	return engine_live_asks(s->engine, agent, story_word(&rest), s->now, err);
}

/* returned AGENT qKEY */
static int ask_returned(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest);
	AUTO(message_free) struct message *m = NULL;
	int rc = queue_get(s->db, atoll(story_word(&rest) + 1), &m, err);

	if (rc < 0)
		return engine_live_returned(s->engine, agent, "m-nothing0", s->now, err);
	return engine_live_returned(s->engine, agent, m->id, s->now, err);
}

/* untaken AGENT qKEY */
static int ask_untaken(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest);
	AUTO(message_free) struct message *m = NULL;
	int rc = queue_get(s->db, atoll(story_word(&rest) + 1), &m, err);

	return rc < 0 ? rc
		      : engine_live_untaken(s->engine, agent, m->id, "a hook blocked it", s->now,
					    err);
}

/* taken AGENT qKEY */
static int ask_taken(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest);
	AUTO(message_free) struct message *m = NULL;
	int rc = queue_get(s->db, atoll(story_word(&rest) + 1), &m, err);

	if (rc < 0)
		return engine_live_taken(s->engine, agent, "m-nothing0", s->now, err);
	return engine_live_taken(s->engine, agent, m->id, s->now, err);
}

/* session AGENT ID */
static int ask_session(struct story *s, char *rest, struct error *err)
{
	const char *agent = story_word(&rest);

	return engine_live_session(s->engine, agent, story_word(&rest), s->now, err);
}

/* fallback NAME: that reminder is due, and its agent has no session */
static int ask_fallback(struct story *s, char *rest, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = reminder_find(s->db, story_word(&rest), &r, err);

	return rc < 0 ? rc : live_start_for(s->engine, r, s->now, err);
}

/* up AGENT: all of the above, until it is idle */
static void step_up(struct story *s, char *rest)
{
	const char *agent = story_word(&rest);
	static const char *const lines[] = {"live start %s", "opened %s %%1", "host %s",
					    "seen %s idle"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[80], *words = line, *verb;

		snprintf(line, sizeof(line), lines[i], agent); /* NOLINT: all of them are here */
		verb = story_word(&words);
		story_live_step(s, verb, words);
	}
}

/* agents: what is told of those that have or had a session */
static void step_agents(struct story *s, char *rest)
{
	AUTO(json_decref) json_t *args = json_object();
	AUTO(json_decref) json_t *answer = NULL;
	struct request rq = {.engine = s->engine,
			     .now = s->now,
			     .scheduler_running = true,
			     .caller = {.user = "me", .trust = TRUST_FULL}};
	struct error err = {0};
	json_t *row;
	size_t i;

	(void)rest;
	story_check(request_run(request_find("agent list"), &rq, args, &answer, &err), &err);
	json_array_foreach(json_object_get(answer, "agents"), i, row)
	{
		AUTO(free) char *text = NULL;

		if (json_is_null(json_object_get(row, "state")))
			continue;
		json_object_del(row, "since"); /* in the zone of the machine */
		json_object_del(row, "idle_at");
		json_object_del(row, "started_at");
		text = json_dumps(row, JSON_COMPACT);
		buf_printf(&s->told, "%s\n", text);
	}
}

/* hush: what was told so far is of no interest */
static void step_hush(struct story *s, char *rest)
{
	(void)rest;
	buf_clear(&s->told);
}

static const struct step {
	const char *verb;
	void (*act)(struct story *s, char *rest);
	int (*ask)(struct story *s, char *rest, struct error *err);
} steps[] = {
	{"live", NULL, ask_live},	{"host", NULL, ask_host},
	{"opened", NULL, ask_opened},	{"vanish", NULL, ask_lost},
	{"seen", NULL, ask_seen},	{"fallback", NULL, ask_fallback},
	{"typed", step_typed, NULL},	{"up", step_up, NULL},
	{"hush", step_hush, NULL},	{"agents", step_agents, NULL},
	{"asks", NULL, ask_asks},	{"returned", NULL, ask_returned},
	{"untaken", NULL, ask_untaken}, {"taken", NULL, ask_taken},
	{"session", NULL, ask_session},
};

bool story_live_step(struct story *s, const char *verb, char *rest)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strcmp(verb, steps[i].verb) != 0)
			continue;
		if (steps[i].act)
			steps[i].act(s, rest);
		else
			story_ask(s, steps[i].ask, rest);
		return true;
	}
	return false;
}

/* --- what came of it ---------------------------------------------------------------------- */

void story_put_lives(struct story *s, struct buf *out)
{
	AUTO_LIVES struct live_list all = {0};
	struct error err = {0};

	story_check(live_list(s->db, false, &all, &err), &err);
	for (size_t i = 0; i < all.count; i++) {
		const struct live *l = all.items[i];
		AUTO(free) char *evidence = NULL;

		if (strcmp(l->evidence, STORY_PRESENCE) == 0)
			continue; /* it is not what that story is about */
		evidence = name_messages(s, mem_strdup(l->evidence));
		buf_printf(out, "~ %s %s%s%s%s: %s\n", l->agent, presence_word(l->state),
			   l->pane ? " in " : "", l->pane ? l->pane : "",
			   l->wanted ? "" : ", not wanted", evidence);
	}
}
