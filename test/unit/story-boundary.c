/* story-boundary.c: the steps of a story that hooks take, and what agents set for themselves. */
#include "story-parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/boundary.h"
#include "engine/internal.h"

/* The value of key= among the words that are left; NULL when it is not there. */
static const char *value_of(char **words, size_t count, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < count; i++)
		if (strncmp(words[i], key, len) == 0 && words[i][len] == '=')
			return words[i] + len + 1;
	return NULL;
}

static bool has_word(char **words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

static size_t split(char *rest, char **words, size_t most)
{
	size_t count = 0;

	while (count < most && (words[count] = story_word(&rest)))
		count++;
	return count;
}

static int64_t number_of(char **words, size_t count, const char *key, int64_t none)
{
	const char *text = value_of(words, count, key);

	return text ? strtoll(text, NULL, 10) : none;
}

static int set_boundary(struct story *s, char *rest, struct error *err)
{
	char *words[12];
	size_t count = split(rest, words, 12);
	const char *lessons = value_of(words, count, "lessons");
	int64_t minutes = number_of(words, count, "minutes", INT64_MIN);
	AUTO(boundary_row_free) struct boundary_row *b = mem_zalloc(sizeof(*b));

	b->session = mem_strdup(words[0]);
	b->owner = mem_strdup("me");
	b->message = mem_strdup(value_of(words, count, "message"));
	b->lessons = lessons ? mem_printf("[\"%s\"]", lessons) : NULL;
	b->step = mem_strdup(value_of(words, count, "step"));
	b->note = mem_strdup(value_of(words, count, "note"));
	b->due_call = number_of(words, count, "calls", -1);
	b->due_at = minutes == INT64_MIN ? USEC_NONE : s->now + minutes * USEC_PER_MINUTE;
	return engine_boundary_set(s->engine, b, number_of(words, count, "mission", 0), s->now,
				   err);
}

static int clear_boundaries(struct story *s, char *rest, struct error *err)
{
	int64_t cleared = 0;
	int rc = engine_boundary_clear(s->engine, rest, "me", s->now, &cleared, err);

	buf_printf(&s->told, "* %lld cleared\n", (long long)cleared);
	return rc;
}

/* Ids are random: "b-k3f9x2ab" becomes "b", "m-k3f9x2ab" becomes "m", and "thr-k3f9x2" becomes "t". */
static void put_text(struct buf *out, const char *text)
{
	for (const char *p = text; *p; p++) {
		bool id = (*p == 'b' || *p == 'm') && p[1] == '-' &&
			  strspn(p + 2, "abcdefghijklmnopqrstuvwxyz0123456789") == 8;

		if (strncmp(p, "thr-", 4) == 0) {
			buf_add_char(out, 't');
			p += 4 + strspn(p + 4, "abcdefghijklmnopqrstuvwxyz0123456789") - 1;
			continue;
		}
		if (*p == '\n')
			buf_add_str(out, *(p + 1) == '\n' ? "" : " / ");
		else
			buf_add_char(out, *p);
		if (id)
			p += 9;
	}
}

static int print_answer(struct story *s, const struct hook_event *ev, const struct hook_answer *a,
			bool drop, struct error *err)
{
	const char *session = ev->session;

	if (!a->context) {
		buf_printf(&s->told, "* %s: nothing\n", session);
		return 0;
	}
	buf_printf(&s->told, "* %s%s: ", session, a->block ? " goes on" : "");
	put_text(&s->told, a->context);
	buf_add_str(&s->told, drop ? " (dropped)\n" : "\n");
	if (strlen(a->context) >= HOOK_TEXT_MAX)
		buf_add_str(&s->told, "! that is too long\n");
	return drop || a->offer == USEC_NONE
		       ? 0
		       : engine_hook_printed(s->engine, ev, a->offer, s->now, err);
}

/* Every event has one of its own, unless it is told `again`, or with id=none. */
static const char *id_of(char **words, size_t count)
{
	static char id[16];
	static int number;
	const char *told = value_of(words, count, "id");

	if (told)
		return strcmp(told, "none") == 0 ? NULL : told;
	number += !has_word(words, count, "again");
	snprintf(id, sizeof(id), "e%d", number);
	return id;
}

static int hear(struct story *s, char *rest, struct error *err)
{
	char *words[12];
	size_t count = split(rest, words, 12);
	const struct hook_event event = {
		.id = id_of(words, count),
		.session = words[0],
		.name = words[1],
		.owner = "me",
		.agent = value_of(words, count, "agent"),
		.mission = number_of(words, count, "mission", 0),
		.directory = value_of(words, count, "dir"),
		.prompt = value_of(words, count, "prompt"),
		.source = value_of(words, count, "source"),
		.stop_hook_active = has_word(words, count, "active"),
		.replied_at = has_word(words, count, "replied") ? s->now : 0,
		.blocked_at = has_word(words, count, "blocked") ? s->now : 0,
	};
	struct hook_answer answer = {0};
	int rc = engine_hook(s->engine, &event, s->now, &answer, err);

	if (rc >= 0)
		rc = print_answer(s, &event, &answer, has_word(words, count, "drop"), err);
	free(answer.context);
	return rc;
}

/* A tool of the turn before, if there is one: nothing else says that the model got its prompt. */
static int see_turn(struct story *s, const char *session, const char *rest, struct error *err)
{
	AUTO(free) char *line = mem_strdup(rest ? rest : "");
	AUTO(agent_session_free) struct agent_session *row = NULL;
	char *words[12];
	size_t count = split(line, words, 12);
	const struct hook_event event = {.id = "tool",
					 .session = session,
					 .name = "PreToolUse",
					 .owner = "me",
					 .mission = number_of(words, count, "mission", 0)};
	struct hook_answer answer = {0};
	int rc = agent_session_find(s->db, session, "me", &row, err);

	if (rc < 0 || !row || has_word(words, count, "unseen") || has_word(words, count, "again"))
		return rc;
	rc = engine_hook(s->engine, &event, s->now, &answer, err);
	free(answer.context);
	return rc;
}

/* `unseen`: nothing was seen of the turn of the prompt before. */
static int hear_prompt(struct story *s, char *rest, struct error *err)
{
	AUTO(free) char *line = NULL;
	const char *session = story_word(&rest);
	int rc = see_turn(s, session, rest, err);

	if (rc < 0)
		return rc;
	line = mem_printf("%s UserPromptSubmit %s", session, rest ? rest : "");
	return hear(s, line, err);
}

static int list_bounds(struct story *s, char *rest, struct error *err)
{
	AUTO_BOUNDARIES struct boundary_row_list list = {0};
	int rc = boundary_pending(s->db, rest, &list, err);

	for (size_t i = 0; rc >= 0 && i < list.count; i++) {
		const struct boundary_row *b = list.items[i];

		buf_printf(&s->told, "%% %s%s", boundary_word(b->state),
			   b->printed ? ", printed" : "");
		if (b->due_call != -1)
			buf_printf(&s->told, " until call %lld", (long long)b->due_call);
		if (b->due_at != USEC_NONE) {
			buf_add_str(&s->told, " until ");
			story_put_time(&s->told, b->due_at);
		}
		buf_printf(&s->told, "%s%s: %s\n", b->host ? " of " : "", b->host ? b->host : "",
			   b->message ? b->message : "");
	}
	return rc;
}

bool story_boundary_step(struct story *s, const char *verb, char *rest)
{
	static const struct {
		const char *verb;
		int (*change)(struct story *s, char *rest, struct error *err);
	} steps[] = {{"boundary", set_boundary},
		     {"clear", clear_boundaries},
		     {"hook", hear},
		     {"prompt", hear_prompt},
		     {"bounds", list_bounds}};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strcmp(steps[i].verb, verb) != 0)
			continue;
		story_ask(s, steps[i].change, rest);
		return true;
	}
	return false;
}
