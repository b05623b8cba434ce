/*
 * cmd-cron-wizard.c: `belfry cron add` for a person.
 * A table of questions, each of which puts its answer among the arguments of the request. What can
 * be checked at once is, so that nobody answers ten questions for nothing; the rest is checked by
 * the request itself, whose error names the flag: that one question is asked again. Until the last
 * yes nothing is changed.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/wizard.h"
#include "config/config.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "store/words.h"
#include "terminal/ask.h"
#include "terminal/pick.h"

#define NAME_WIDTH 14

struct wizard {
	const struct cli *c;
	struct config *config;
	json_t *args;	  /* the answers so far */
	json_t *defaults; /* what the chosen agent's crons are like; NULL before it is chosen */
};

struct question {
	const char *key, *flag, *name, *label;
	bool optional;
	/* Puts its answer into w->args. 0, ASK_CANCELLED, or negative: it cannot be asked. */
	int (*ask)(struct wizard *w, const struct question *q, struct error *err);
	/* Whether a line is an answer; NULL: any is. Says what is wrong itself. */
	bool (*check)(struct wizard *w, const char *text, struct error *err);
	const char *default_key; /* in w->defaults */
	const char *otherwise;	 /* shown as the default where w->defaults has none */
};

static void complain(const struct error *err)
{
	AUTO_BUF struct buf text = {0};

	buf_add_str(&text, "  ");
	visible_line(&text, err->message);
	if (*err->hint) {
		buf_add_str(&text, "\n  ");
		visible_line(&text, err->hint);
	}
	puts(buf_text(&text));
}

/* --- what is an answer --- */

static bool check_name(struct wizard *w, const char *text, struct error *err)
{
	const struct config_cron *taken = config_cron(w->config, text);

	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-", *p)) {
			error_set(err, ERR_INVALID, "'%s' is not a name for a cron", text);
			error_hint(err, "letters, digits, '_' and '-', like nightly-sync");
			return false;
		}
	if (taken)
		error_set(err, ERR_CONFLICT, "there is a cron '%s' already, in line %d of %s", text,
			  taken->line, w->config->path);
	return !taken;
}

/* The next five fires, in words and dates, or why there are none. */
static int preview(struct wizard *w, const char *line, struct error *err)
{
	struct request rq = {.now = clock_now(),
			     .caller = {.user = "me", .trust = TRUST_FULL},
			     .zone = w->c->zone};
	AUTO(json_decref) json_t *args = json_object(), *result = NULL;
	const char *zone = view_text(w->args, "tz");
	int r;

	json_put_text(args, "cron", line);
	if (*zone)
		json_put_text(args, "tz", zone);
	r = request_run(request_find("next"), &rq, args, &result, err);
	if (r < 0)
		return r;
	if (!json_array_size(json_object_get(result, "fires")))
		return error_set(err, ERR_INVALID, "'%s' never fires", line);
	cli_print(w->c, "next", result);
	return 0;
}

static bool check_schedule(struct wizard *w, const char *text, struct error *err)
{
	static const char flag[] = "--cron: ";

	if (preview(w, text, err) == 0)
		return true;
	/* Nobody typed a flag here. */
	if (strncmp(err->message, flag, strlen(flag)) == 0)
		memmove(err->message, err->message + strlen(flag),
			strlen(err->message + strlen(flag)) + 1);
	if (!*err->hint)
		error_hint(err, "five fields: minute hour day month weekday; '0 9 * * 1-5' is 9 AM "
				"on weekdays");
	return false;
}

static bool check_duration(struct wizard *w, const char *text, struct error *err)
{
	usec_t span;

	(void)w;
	return strcmp(text, "none") == 0 || duration_parse(text, &span, err) == 0;
}

static bool check_overlap(struct wizard *w, const char *text, struct error *err)
{
	static const char *const words[] = {"skip", "queue", "allow", "replace"};

	(void)w;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	error_set(err, ERR_INVALID, "'%s' is not one of skip, queue, allow, replace", text);
	return false;
}

static bool check_zone(struct wizard *w, const char *text, struct error *err)
{
	const struct zone *zone;

	(void)w;
	return zone_get(text, &zone, err) == 0;
}

static bool check_count(struct wizard *w, const char *text, struct error *err)
{
	(void)w;
	if (!text[strspn(text, "0123456789")] && strtol(text, NULL, 10) >= 1)
		return true;
	error_set(err, ERR_INVALID, "'%s' must be 1 or more", text);
	return false;
}

static bool check_repo(struct wizard *w, const char *text, struct error *err)
{
	if (config_repo(w->config, text))
		return true;
	error_set(err, ERR_INVALID, "no repository '%s' in syncedRepos", text);
	return false;
}

/* --- questions --- */

/* What an empty line stands for, as it is shown; "" for nothing. */
static char *shown_default(const struct wizard *w, const struct question *q)
{
	const json_t *value = q->default_key ? json_object_get(w->defaults, q->default_key) : NULL;

	if (json_is_string(value))
		return mem_strdup(json_string_value(value));
	if (json_is_integer(value))
		return mem_printf("%" PRId64, (int64_t)json_integer_value(value));
	return mem_strdup(q->otherwise ? q->otherwise : "");
}

static int ask_text(struct wizard *w, const struct question *q, struct error *err)
{
	AUTO(free) char *shown = shown_default(w, q);

	for (;;) {
		AUTO(free) char *text = NULL;
		struct error wrong = {0};

		if (ask_line(q->label, *shown ? shown : NULL, &text) != 0)
			return ASK_CANCELLED;
		if (!*text && q->optional) {
			json_object_del(w->args, q->key);
			return 0;
		}
		if (*text && (!q->check || q->check(w, text, &wrong))) {
			json_put_text(w->args, q->key, text);
			return 0;
		}
		if (*text)
			complain(&wrong);
	}
	(void)err;
}

static int ask_repo(struct wizard *w, const struct question *q, struct error *err)
{
	return w->config->repo_count ? ask_text(w, q, err) : 0;
}

static int ask_agent(struct wizard *w, const struct question *q, struct error *err)
{
	struct pick_item *items = mem_array(w->config->agent_count, sizeof(*items));
	size_t count = 0, chosen = 0;
	int r = 0;

	for (size_t i = 0; i < w->config->agent_count; i++) {
		const struct config_agent *a = &w->config->agents[i];

		if (a->adapter)
			items[count++] = (struct pick_item){a->name, a->adapter->name};
	}
	if (!count) {
		error_set(err, ERR_NOT_FOUND, "no agent that can be run");
		r = error_hint(err,
			       "declare one under 'agents:' in '%s', like 'builder: "
			       "{adapter: claude}'",
			       w->config->path);
	} else {
		r = pick(q->label, items, count, &chosen);
	}
	if (r == 0)
		json_put_text(w->args, q->key, items[chosen].name);
	free(items);
	return r;
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\r\n")];
}

static int ask_prompt(struct wizard *w, const struct question *q, struct error *err)
{
	for (;;) {
		AUTO(free) char *text = NULL;
		AUTO_BUF struct buf edited = {0};
		struct error wrong = {0};

		(void)err;
		if (ask_line(q->label, "an empty line opens an editor", &text) != 0)
			return ASK_CANCELLED;
		if (*text) {
			json_put_text(w->args, q->key, text);
			return 0;
		}
		buf_add_str(&edited, view_text(w->args, q->key));
		if (ask_editor(&edited, ".md", &wrong) < 0) {
			complain(&wrong);
		} else if (!is_blank(buf_text(&edited))) {
			json_put_text(w->args, q->key, buf_text(&edited));
			return 0;
		}
		if (ask_was_interrupted())
			return ASK_CANCELLED;
	}
}

/* clang-format off */
static const struct question questions[] = {
	{"name", "NAME", "name", "name", false, ask_text, check_name, NULL, NULL},
	{"schedule", "--schedule", "schedule", "schedule, a cron line like 0 9 * * 1-5", false, ask_text, check_schedule, NULL, NULL},
	{"agent", "--agent", "agent", "agent", false, ask_agent, NULL, NULL, NULL},
	{"prompt", "--prompt", "prompt", "prompt", false, ask_prompt, NULL, NULL, NULL},
	{"description", "--description", "description", "description", true, ask_text, NULL, NULL, "none"},
	{"timeout", "--timeout", "time limit", "time limit of a run", true, ask_text, check_duration, "timeout", "none"},
	{"overlap", "--overlap", "overlap", "when the run before still goes on: skip, queue, allow, replace", true, ask_text, check_overlap, "overlap", "skip"},
	{"max_attempts", "--max-attempts", "attempts", "attempts when it fails", true, ask_text, check_count, "max_attempts", "1"},
	{"git", "--git", "repository", "repository copied into each mission", true, ask_repo, check_repo, NULL, "none"},
	{"tz", "--tz", "time zone", "time zone", true, ask_text, check_zone, "tz", NULL},
	{"retention", "--retention", "keeps", "missions kept in sight", true, ask_text, check_count, "retention", "all"},
};
/* clang-format on */
#define QUESTION_COUNT (sizeof(questions) / sizeof(questions[0]))

bool wizard_is_needed(const json_t *args)
{
	for (size_t i = 0; i < QUESTION_COUNT; i++)
		if (!questions[i].optional && !json_object_get(args, questions[i].key))
			return true;
	return false;
}

/* What the agent's crons are like, and the zone that a cron has when it names none. */
static int learn_defaults(struct wizard *w, struct error *err)
{
	AUTO(json_decref) json_t *args = json_object();
	const char *zone = w->config->timezone;
	int r;

	json_put_text(args, "agent", view_text(w->args, "agent"));
	r = cli_ask(w->c, "cron defaults", args, &w->defaults, err);
	if (r == 0)
		json_put_text(w->defaults, "tz",
			      zone ? zone : zone_name(zone_of_machine(&(const char *){NULL})));
	return r;
}

/* With flags the person has decided what matters; alone, everything is asked. */
static int ask_all(struct wizard *w, struct error *err)
{
	bool alone = json_object_size(w->args) == 0;
	int r = 0;

	for (size_t i = 0; i < QUESTION_COUNT && r == 0; i++) {
		const struct question *q = &questions[i];

		if (q->optional && !w->defaults && (r = learn_defaults(w, err)) < 0)
			return r;
		if (!json_object_get(w->args, q->key) && (alone || !q->optional))
			r = q->ask(w, q, err);
	}
	return r;
}

static void summarise(struct wizard *w)
{
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(w->c, &out);
	struct error ignored = {0};

	buf_add_char(&out, '\n');
	for (size_t i = 0; i < QUESTION_COUNT; i++) {
		const char *value = view_text(w->args, questions[i].key);

		if (!*value)
			continue;
		buf_add_str(&out, "  ");
		style_add(&out, v.style, TINT_DIM, questions[i].name);
		buf_printf(&out, "%*s", NAME_WIDTH - (int)strlen(questions[i].name), "");
		visible_block(&out, value, "                ");
		if (out.data[out.len - 1] != '\n')
			buf_add_char(&out, '\n');
	}
	cli_write(&out);
	preview(w, view_text(w->args, "schedule"), &ignored);
	fflush(stdout);
}

/* The question an error is about: its message begins with the flag. */
static const struct question *blamed(const struct error *err)
{
	for (size_t i = 0; i < QUESTION_COUNT; i++) {
		size_t len = strlen(questions[i].flag);

		if (strncmp(err->message, questions[i].flag, len) == 0 && err->message[len] == ':')
			return &questions[i];
	}
	return NULL;
}

/* Ask for a yes and add it; where the request refuses, mend that answer and come back. */
static int confirm(struct wizard *w, json_t **ret, struct error *err)
{
	for (;;) {
		const struct question *q;
		bool yes = false;
		int r;

		summarise(w);
		if (ask_yes("add it to config.yml?", true, &yes) != 0 || !yes)
			return ASK_CANCELLED;
		r = cli_ask(w->c, "cron add", w->args, ret, err);
		q = r == ERR_INVALID ? blamed(err) : NULL;
		if (!q)
			return r;
		complain(err);
		r = q->ask(w, q, err);
		if (r != 0)
			return r;
	}
}

static int run(struct wizard *w, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	int r = ask_all(w, err);

	if (r == 0)
		r = confirm(w, &result, err);
	if (r == ASK_CANCELLED) {
		fflush(stdout);
		fputs("nothing was added\n", stderr);
		return ASK_EXIT_STATUS;
	}
	if (r < 0)
		return r;
	cli_print(w->c, "cron add", result);
	return 0;
}

int wizard_cron_add(const struct cli *c, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args);
	struct wizard w = {.c = c, .args = args};
	int r = config_load(c->home->config_file, &config, err);

	if (r < 0)
		return r;
	w.config = config;
	ask_begin();
	r = run(&w, err);
	json_decref(w.defaults);
	return r;
}
