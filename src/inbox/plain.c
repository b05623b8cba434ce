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
#include "cli/spool.h"
#include "inbox/inbox.h"
#include "terminal/ask.h"
#include "terminal/program.h"

#define PAGE_THREADS 20
#define PAGE_MESSAGES 5
#define MOST_MESSAGES 50 /* unread ones that are read out at once */

struct plain {
	const struct cli *c;
	struct style style;
	bool unread_only;
	json_t *threads; /* as they are numbered */
	char *more;	 /* where the next page begins; "" when there is none */
};

static struct view plain_view(const struct plain *p, struct buf *out)
{
	struct view v = cli_view(p->c, out);

	v.style = &p->style;
	return v;
}

/* What went wrong is said, and the next question asked. */
static void say_error(const struct error *err)
{
	AUTO_BUF struct buf line = {0};

	visible_line(&line, err->message);
	printf("That did not work: %s.\n", buf_text(&line));
	buf_clear(&line);
	visible_line(&line, err->hint);
	if (line.len)
		printf("Hint: %s.\n", buf_text(&line));
}

static const char *s_of(int64_t count)
{
	return count == 1 ? "" : "s";
}

static json_t *thread_args(const char *thread)
{
	json_t *args = json_object();

	json_put_text(args, "thread", thread);
	return args;
}

/* Returns 0 and the answer, or says why there is none. `args` is released. */
static int ask(const struct plain *p, const char *request, json_t *args, json_t **ret)
{
	AUTO(json_decref) json_t *owned = args;
	struct error err = {0};
	int r = cli_ask(p->c, request, owned, ret, &err);

	if (r < 0)
		say_error(&err);
	return r;
}

/* --- a thread --- */

struct reading {
	struct plain *p;
	const char *id;
	json_t *shown;	     /* the last answer of `inbox show` with the newest messages */
	int64_t first, last; /* numbers of the first and the last message that were said */
};

static void say_thread(const struct plain *p, const json_t *t)
{
	const json_t *mission = json_object_get(t, "mission");
	AUTO_BUF struct buf out = {0};
	int64_t messages = view_int(t, "messages");

	visible_line(&out, view_text(t, "title"));
	buf_printf(&out, ", thread %s", view_text(t, "id"));
	if (*view_text(t, "agent")) {
		buf_add_str(&out, ", with ");
		visible_line(&out, view_text(t, "agent"));
	}
	buf_printf(&out, ": %" PRId64 " message%s", messages, s_of(messages));
	if (json_is_object(mission))
		buf_printf(&out, "; the mission's state is %s", view_text(mission, "state"));
	buf_add_str(&out, ".\n");
	(void)p;
	cli_write(&out);
}

static void say_messages(struct reading *r, const json_t *shown)
{
	const json_t *messages = json_object_get(shown, "messages"), *m;
	int64_t total = view_int(json_object_get(shown, "thread"), "messages");
	AUTO_BUF struct buf out = {0};
	struct view v = plain_view(r->p, &out);
	size_t i;

	json_array_foreach(messages, i, m)
	{
		int64_t seq = view_int(m, "seq");

		buf_printf(&out, "\nMessage %" PRId64 " of %" PRId64 "%s. ", seq, total,
			   json_is_false(json_object_get(m, "read")) ? ", new" : "");
		view_mail(&v, m);
		if (!r->first || seq < r->first)
			r->first = seq;
		if (seq > r->last)
			r->last = seq;
	}
	cli_write(&out);
	putchar('\n');
	fflush(stdout);
}

static void mark_read(const struct reading *r)
{
	AUTO(json_decref) json_t *answer = NULL;
	json_t *args = thread_args(r->id);

	json_put_int(args, "up_to", r->last);
	ask(r->p, "inbox read", args, &answer);
}

/* The newest messages, and those before them that are unread; later only what is new. */
static int say_newest(struct reading *r)
{
	json_t *args = thread_args(r->id), *shown = NULL;
	const json_t *t = json_object_get(r->shown, "thread");
	int64_t unread = view_int(t, "unread");
	int result;

	json_put_bool(args, "peek", true);
	if (r->last)
		json_put_int(args, "after", r->last);
	else
		json_put_int(args, "last",
			     unread < PAGE_MESSAGES   ? PAGE_MESSAGES
			     : unread > MOST_MESSAGES ? MOST_MESSAGES
						      : unread);
	result = ask(r->p, "inbox show", args, &shown);
	if (result < 0)
		return result;
	if (!r->last)
		say_thread(r->p, json_object_get(shown, "thread"));
	if (r->last && !json_array_size(json_object_get(shown, "messages")))
		puts("Nothing new.");
	say_messages(r, shown);
	json_decref(r->shown);
	r->shown = shown;
	if (view_int(json_object_get(shown, "thread"), "unread"))
		mark_read(r);
	return 0;
}

static void say_older(struct reading *r)
{
	AUTO(json_decref) json_t *shown = NULL;
	json_t *args = thread_args(r->id);

	if (r->first <= 1) {
		json_decref(args);
		puts("There are no messages before these.");
		return;
	}
	json_put_bool(args, "peek", true);
	json_put_int(args, "before", r->first);
	json_put_int(args, "last", PAGE_MESSAGES);
	if (ask(r->p, "inbox show", args, &shown) == 0)
		say_messages(r, shown);
}

/* --- answering --- */

/* Where the agent goes on is the person's choice, unless it waits for the answer. */
static int ask_run(const struct reading *r, bool *ret)
{
	const json_t *t = json_object_get(r->shown, "thread");
	const json_t *mission = json_object_get(t, "mission");

	*ret = false;
	if (!json_is_object(mission) || view_int(t, "asks"))
		return 0;
	return ask_yes("Go on with the mission at once", false, ret);
}

/* Returns 0 when it was sent. */
static int send_reply(const struct reading *r, const struct buf *text)
{
	AUTO(json_decref) json_t *args = thread_args(r->id), *answer = NULL;
	AUTO(spool_free) struct spool *s = spool_new(r->p->c->home);
	AUTO_BUF struct buf out = {0};
	struct view v = plain_view(r->p, &out);
	struct error err = {0};
	bool run;

	if (ask_run(r, &run) != 0) {
		puts("Not sent.");
		return -1;
	}
	if (run)
		json_put_bool(args, "run", true);
	if (spool_text(s, buf_text(text), text->len, args, &err) < 0 ||
	    cli_ask(r->p->c, "inbox reply", args, &answer, &err) < 0) {
		say_error(&err);
		return -1;
	}
	view_of("inbox reply")(&v, answer);
	cli_write(&out);
	return 0;
}

static void reply_in_lines(struct reading *r)
{
	AUTO_BUF struct buf text = {0};

	puts("Write your reply. A line with a single dot ends it, Ctrl-C discards it.");
	if (ask_lines(&text) != 0) {
		ask_begin(); /* Ctrl-C was about the reply only */
		puts("Discarded, nothing was sent.");
	} else if (!buf_text(&text)[strspn(buf_text(&text), " \t\r\n")])
		puts("Nothing was written, nothing is sent.");
	else
		send_reply(r, &text);
}

static void reply_in_editor(struct reading *r)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	int got = compose_reply(r->p->c, r->shown, &text, &err);

	if (got < 0)
		say_error(&err);
	else if (got == 0)
		puts("Nothing was written, nothing is sent.");
	else if (send_reply(r, &text) == 0)
		compose_sent(r->p->c, r->id);
}

static void reply(struct reading *r, bool editor)
{
	const json_t *t = json_object_get(r->shown, "thread");

	if (!json_is_object(json_object_get(t, "mission")) && !*view_text(t, "agent"))
		puts("Nobody would hear an answer here: these are messages from Belfry.");
	else if (editor)
		reply_in_editor(r);
	else
		reply_in_lines(r);
}

/* A process of its own is the wrapper of the run; what it has to say it says itself. */
static void attach(struct reading *r)
{
	const json_t *mission = json_object_get(json_object_get(r->shown, "thread"), "mission");
	AUTO(free) char *self = program_self();
	const char *const argv[] = {self, "mission", "resume", view_text(mission, "id"), NULL};

	if (!json_is_object(mission))
		puts("This thread is of no mission: there is nothing to go on with.");
	else if (program_run(argv) < 0)
		puts("That did not work: no process could be started.");
	else
		puts("You are back in the inbox.");
}

/* Returns whether to stay. */
static bool do_in_thread(struct reading *r, const char *word)
{
	AUTO(json_decref) json_t *answer = NULL;

	if (!*word)
		return say_newest(r) == 0;
	if (strcmp(word, "r") == 0 || strcmp(word, "e") == 0) {
		reply(r, *word == 'e');
	} else if (strcmp(word, "p") == 0) {
		say_older(r);
	} else if (strcmp(word, "a") == 0) {
		attach(r);
	} else if (strcmp(word, "u") == 0) {
		if (ask(r->p, "inbox unread", thread_args(r->id), &answer) == 0)
			puts("It is unread again.");
		return false;
	} else if (strcmp(word, "q") == 0) {
		return false;
	} else {
		puts("r replies, in lines that end with a single dot; e replies in your editor; p "
		     "says the messages before; a goes on with the mission in this terminal; u "
		     "marks the thread unread and goes back; q goes back; an empty line looks for "
		     "new messages.");
	}
	return true;
}

/* Returns ASK_CANCELLED when the person wants to leave altogether. */
static int open_thread(struct plain *p, const json_t *thread, const char *id)
{
	AUTO(json_decref) json_t *about = json_object();
	struct reading r = {.p = p, .id = id};
	bool stay;
	int result = 0;

	/* How many are unread says how many are said. */
	r.shown = json_object();
	if (thread)
		json_object_set(r.shown, "thread", (json_t *)(uintptr_t)thread);
	stay = say_newest(&r) == 0;
	while (stay && result == 0) {
		AUTO(free) char *word = NULL;

		result = ask_line("r reply, e reply in the editor, p previous messages, u mark "
				  "unread, a attach, q back",
				  NULL, &word);
		stay = result == 0 && do_in_thread(&r, word);
	}
	json_decref(r.shown);
	return result;
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
		buf_printf(&out, "Inbox: %" PRId64 " unread message%s", unread, s_of(unread));
		if (asks)
			buf_printf(&out, ", %" PRId64 " question%s for you", asks, s_of(asks));
		buf_add_str(&out, ".\n");
	}
	for (size_t i = from; i < json_array_size(p->threads); i++)
		add_thread(&v, i + 1, json_array_get(p->threads, i));
	if (!json_array_size(p->threads))
		buf_add_str(&out,
			    p->unread_only ? "Nothing is unread.\n" : "There are no threads.\n");
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
	if (p->unread_only)
		json_put_bool(args, "unread", true);
	if (next)
		json_put_text(args, "after", p->more);
	r = ask(p, "inbox list", args, &answer);
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
		printf("A number from 1 to %zu opens a thread; u says only unread ones, or all "
		       "again; an empty line looks again; q leaves.\n",
		       json_array_size(p->threads));
		return 0;
	}
	thread = json_incref(json_array_get(p->threads, number - 1));
	r = open_thread(p, thread, view_text(thread, "id"));
	if (r == 0)
		list(p, false);
	return r;
}

static int converse(struct plain *p)
{
	int r = 0;

	list(p, false);
	while (r == 0) {
		AUTO(free) char *word = NULL;

		r = ask_line(p->unread_only ? "Number to open, u all threads, q to leave"
					    : "Number to open, u unread only, q to leave",
			     NULL, &word);
		if (r != 0 || strcmp(word, "q") == 0)
			break;
		if (strcmp(word, "u") == 0)
			p->unread_only = !p->unread_only;
		if (!*word || strcmp(word, "u") == 0)
			list(p, false);
		else if (strcmp(word, "m") == 0 && *p->more)
			list(p, true);
		else
			r = open_number(p, word);
	}
	return r;
}

int inbox_plain(const struct cli *c, const char *thread, struct error *err)
{
	struct plain p = {.c = c, .threads = json_array(), .more = mem_strdup("")};
	int r = 0;

	(void)err;
	p.style = (struct style){.terminal = true, .width = c->style.width};
	ask_begin();
	if (thread)
		r = open_thread(&p, NULL, thread);
	if (r == 0)
		converse(&p);
	json_decref(p.threads);
	free(p.more);
	return 0;
}
