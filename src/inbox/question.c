/*
 * question.c: which question an answer is for, and whether it is still open when the answer was
 * written: that may take hours, and a default does not wait.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "inbox/inbox.h"
#include "terminal/ask.h"

#define LINE_COLUMNS 70

bool question_is_open(const json_t *message)
{
	return strcmp(view_text(message, "ask"), "open") == 0;
}

size_t question_count(const json_t *shown, int64_t *ret_last)
{
	const json_t *messages = json_object_get(shown, "messages"), *m;
	size_t i, count = 0;

	json_array_foreach(messages, i, m)
	{
		if (!question_is_open(m))
			continue;
		*ret_last = view_int(m, "seq");
		count++;
	}
	return count;
}

void question_put(json_t *shown, int64_t seq)
{
	const json_t *messages = json_object_get(shown, "messages");
	json_t *m;
	size_t i;

	json_object_del(shown, "question");
	json_put_int(shown, "answers", seq);
	json_array_foreach(messages, i, m)
	{
		if (seq > 0 && view_int(m, "seq") == seq)
			json_put(shown, "question", json_incref(m));
	}
}

char *question_name(const char *thread, int64_t seq)
{
	if (seq == QUESTION_NONE)
		seq = 0;
	else if (seq <= 0)
		return mem_strdup(thread);
	return mem_printf("%s#%" PRId64, thread, seq);
}

void question_fate(const json_t *message, struct buf *out)
{
	const char *answer = view_text(message, "ask_default");
	bool expired = strcmp(view_text(message, "ask"), "expired") == 0;

	if (expired && *answer)
		buf_printf(out, "the default was already given: %s", answer);
	else
		buf_add_str(out,
			    expired ? "the time for an answer is over, and the agent was told so"
				    : "it was answered already");
}

void question_line(const json_t *message, struct buf *out)
{
	const char *title = view_text(message, "title");
	AUTO_BUF struct buf line = {0};

	title = *title ? title : view_text(message, "text");
	title += strspn(title, " \t\r\n");
	visible_bytes(&line, title, strcspn(title, "\n"));
	text_cut(out, buf_text(&line), LINE_COLUMNS);
}

static void say_questions(const json_t *shown)
{
	const json_t *messages = json_object_get(shown, "messages"), *m;
	size_t i;

	puts("Several questions are open:");
	json_array_foreach(messages, i, m)
	{
		AUTO_BUF struct buf line = {0};

		if (!question_is_open(m))
			continue;
		question_line(m, &line);
		printf("  %" PRId64 "  %s\n", view_int(m, "seq"), buf_text(&line));
	}
}

static bool has_open(const json_t *shown, int64_t seq)
{
	const json_t *messages = json_object_get(shown, "messages"), *m;
	size_t i;

	json_array_foreach(messages, i, m)
	{
		if (view_int(m, "seq") == seq && question_is_open(m))
			return true;
	}
	return false;
}

int question_ask(const json_t *shown, int64_t *ret)
{
	int r = 0;

	say_questions(shown);
	while (r == 0) {
		AUTO(free) char *word = NULL;
		char *end = NULL;

		r = ask_line("Which one do you answer? Its number, or all", NULL, &word);
		if (r != 0)
			break;
		*ret = strcmp(word, "all") == 0 ? QUESTION_ALL : strtoll(word, &end, 10);
		if (*ret == QUESTION_ALL || (end && !*end && has_open(shown, *ret)))
			return 0;
	}
	return r;
}
