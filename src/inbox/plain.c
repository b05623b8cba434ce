/*
 * plain.c: the inbox in lines and questions, for screen readers and for terminals that can do
 * nothing else. Everything is said once, in words, below what was said before: no colours, no
 * boxes, nothing is drawn over, and nothing is written while somebody listens. An empty line at a
 * question looks again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inbox/plain.h"
#include "terminal/ask.h"

#define PAGE_THREADS 20

struct view plain_view(const struct plain *p, struct buf *out)
{
	struct view v = cli_view(p->c, out);

	v.style = &p->style;
	return v;
}

void plain_say_error(const struct error *err)
{
	AUTO_BUF struct buf line = {0};

	visible_line(&line, err->message);
	printf("That did not work: %s.\n", buf_text(&line));
	buf_clear(&line);
	visible_line(&line, err->hint);
	if (line.len)
		printf("Hint: %s.\n", buf_text(&line));
}

const char *plain_s(int64_t count)
{
	return count == 1 ? "" : "s";
}

int plain_ask(const struct plain *p, const char *request, json_t *args, json_t **ret)
{
	AUTO(json_decref) json_t *owned = args;
	struct error err = {0};
	int r = cli_ask(p->c, request, owned, ret, &err);

	if (r < 0)
		plain_say_error(&err);
	return r;
}

/* --- the list --- */

static void add_thread(const struct view *v, size_t number, const json_t *t)
{
	int64_t unread = view_int(t, "unread");
	char when[INSTANT_TEXT_MAX] = "";

	if (view_instant(t, "last_at") != USEC_NONE)
		instant_format_near(view_instant(t, "last_at"), v->now, v->zone, when);
	buf_printf(v->out, "%zu. ", number);
	visible_line(v->out, view_text(t, "title"));
	buf_printf(v->out, ", %s.", when);
	if (unread)
		buf_printf(v->out, " %" PRId64 " unread.", unread);
	if (view_int(t, "asks"))
		buf_add_str(v->out, " Waits for your answer.");
	buf_add_str(v->out, "\n   ");
	visible_line(v->out, view_text(t, "preview"));
	buf_add_char(v->out, '\n');
}

static void say_threads(struct plain *p, const json_t *answer, size_t from)
{
	AUTO_BUF struct buf out = {0};
	struct view v = plain_view(p, &out);
	int64_t unread = view_int(answer, "unread"), asks = view_int(answer, "asks");

	if (!from) {
		buf_printf(&out, "%s: %" PRId64 " unread message%s",
			   p->archived ? "Put away" : "Inbox", unread, plain_s(unread));
		if (asks)
			buf_printf(&out, ", %" PRId64 " question%s for you", asks, plain_s(asks));
		buf_add_str(&out, asks && !p->asks_only ? ". a says only those.\n" : ".\n");
	}
	for (size_t i = from; i < json_array_size(p->threads); i++)
		add_thread(&v, i + 1, json_array_get(p->threads, i));
	if (!json_array_size(p->threads))
		buf_add_str(&out, p->asks_only	   ? "Nobody waits for an answer.\n"
				  : p->unread_only ? "Nothing is unread.\n"
				  : p->archived	   ? "Nothing was put away.\n"
						   : "There are no threads.\n");
	if (*p->more)
		buf_add_str(&out, "There are more; m says them.\n");
	cli_write(&out);
}

/* The first page anew, or the one behind what is there. */
static int list(struct plain *p, bool next)
{
	AUTO(json_decref) json_t *answer = NULL;
	json_t *args = json_object();
	size_t from = next ? json_array_size(p->threads) : 0;
	int r;

	json_put_int(args, "limit", PAGE_THREADS);
	if (p->asks_only)
		json_put_bool(args, "asks", true);
	if (p->unread_only)
		json_put_bool(args, "unread", true);
	if (p->archived)
		json_put_bool(args, "archived", true);
	if (next)
		json_put_text(args, "after", p->more);
	r = plain_ask(p, "inbox list", args, &answer);
	if (r < 0)
		return r;
	if (!next)
		json_array_clear(p->threads);
	json_array_extend(p->threads, json_object_get(answer, "threads"));
	mem_replace(&p->more, view_text(answer, "more"));
	say_threads(p, answer, from);
	return 0;
}

static int open_number(struct plain *p, const char *word)
{
	char *end;
	unsigned long number = strtoul(word, &end, 10);
	AUTO(json_decref) json_t *thread = NULL;
	int r;

	if (*end || number < 1 || number > json_array_size(p->threads)) {
		printf("A number from 1 to %zu opens a thread; u says only unread ones, a only "
		       "those that wait for an answer, v what was put away, or all again; z "
		       "brings back what was put away last; an empty line looks again; q leaves.\n",
		       json_array_size(p->threads));
		return 0;
	}
	thread = json_incref(json_array_get(p->threads, number - 1));
	r = plain_thread(p, thread, view_text(thread, "id"));
	if (r == 0)
		list(p, false);
	return r;
}

static void bring_back(struct plain *p)
{
	AUTO(json_decref) json_t *answer = NULL;
	json_t *args = json_object();

	json_put_text(args, "thread", p->put_away);
	if (!*p->put_away) {
		json_decref(args);
		puts("Nothing was put away just now; v says what is.");
	} else if (plain_ask(p, "inbox unarchive", args, &answer) == 0) {
		puts("It is in the inbox again.");
		mem_replace(&p->put_away, "");
		list(p, false);
	}
}

/* Whether the word changes what is said. */
static bool choose_view(struct plain *p, const char *word)
{
	bool *flag = strcmp(word, "u") == 0   ? &p->unread_only
		     : strcmp(word, "a") == 0 ? &p->asks_only
		     : strcmp(word, "v") == 0 ? &p->archived
					      : NULL;

	if (flag)
		*flag = !*flag;
	return flag;
}

static const char *question(const struct plain *p)
{
	if (p->unread_only)
		return "Number to open, u all threads, q to leave";
	if (p->asks_only)
		return "Number to open, a all threads, q to leave";
	if (p->archived)
		return "Number to open, v the inbox, q to leave";
	return "Number to open, u unread only, a questions only, q to leave";
}

static int converse(struct plain *p)
{
	int r = 0;

	list(p, false);
	while (r == 0) {
		AUTO(free) char *word = NULL;

		r = ask_line(question(p), NULL, &word);
		if (r != 0 || strcmp(word, "q") == 0)
			break;
		if (choose_view(p, word) || !*word)
			list(p, false);
		else if (strcmp(word, "z") == 0)
			bring_back(p);
		else if (strcmp(word, "m") == 0 && *p->more)
			list(p, true);
		else
			r = open_number(p, word);
	}
	return r;
}

int inbox_plain(const struct cli *c, const char *thread, struct error *err)
{
	struct plain p = {.c = c,
			  .threads = json_array(),
			  .more = mem_strdup(""),
			  .put_away = mem_strdup("")};
	int r = 0;

	(void)err;
	p.style = (struct style){.terminal = true, .width = c->style.width};
	ask_begin();
	if (thread)
		r = plain_thread(&p, NULL, thread);
	if (r == 0)
		converse(&p);
	json_decref(p.threads);
	free(p.more);
	free(p.put_away);
	return 0;
}
