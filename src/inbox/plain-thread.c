/* plain-thread.c: a thread in words: its messages said, a reply in lines, what else there is to do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/spool.h"
#include "inbox/plain.h"
#include "terminal/ask.h"
#include "terminal/program.h"

#define PAGE_MESSAGES 5
#define QUESTIONS_AMONG 200 /* messages that are looked through for open questions */
#define MOST_MESSAGES 50    /* unread ones that are read out at once */

static json_t *thread_args(const char *thread)
{
	json_t *args = json_object();

	json_put_text(args, "thread", thread);
	return args;
}

struct talk {
	struct plain *p;
	const char *id;
	json_t *shown;	     /* the last answer of `inbox show` with the newest messages */
	int64_t first, last; /* numbers of the first and the last message that were said */
	int64_t question;    /* the one that is being answered; 0: the only one, if there is one */
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
	buf_printf(&out, ": %" PRId64 " message%s", messages, plain_s(messages));
	if (json_is_object(mission))
		buf_printf(&out, "; the mission's state is %s", view_thread_state(t));
	buf_add_str(&out, ".\n");
	(void)p;
	cli_write(&out);
}

static void say_messages(struct talk *r, const json_t *shown)
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

static void mark_read(const struct talk *r)
{
	AUTO(json_decref) json_t *answer = NULL;
	json_t *args = thread_args(r->id);

	json_put_int(args, "up_to", r->last);
	plain_ask(r->p, "inbox read", args, &answer);
}

/* The newest messages, and those before them that are unread; later only what is new. */
static int say_newest(struct talk *r)
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
	result = plain_ask(r->p, "inbox show", args, &shown);
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

static void say_older(struct talk *r)
{
	AUTO(json_decref) json_t *shown = NULL;
	json_t *args = thread_args(r->id);

	json_put_bool(args, "peek", true);
	json_put_int(args, "before", r->first);
	json_put_int(args, "last", PAGE_MESSAGES);
	if (plain_ask(r->p, "inbox show", args, &shown) < 0)
		return;
	if (json_array_size(json_object_get(shown, "messages")))
		say_messages(r, shown);
	else
		puts("There are no messages before these.");
}

/* --- answering --- */

/* Where the agent goes on is the person's choice, unless it waits for the answer. */
static int ask_run(const struct talk *r, bool *ret)
{
	const json_t *t = json_object_get(r->shown, "thread");
	const json_t *mission = json_object_get(t, "mission");

	*ret = false;
	if (!json_is_object(mission) || view_int(t, "asks"))
		return 0;
	return ask_yes("Go on with the mission at once", false, ret);
}

/* Returns 0 when it was sent. */
static int send_reply(const struct talk *r, const struct buf *text)
{
	AUTO(free) char *name = question_name(r->id, r->question);
	AUTO(json_decref) json_t *args = thread_args(name), *answer = NULL;
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
	if (r->question == QUESTION_ALL)
		json_put_bool(args, "all", true);
	if (spool_text(s, buf_text(text), text->len, args, &err) < 0 ||
	    cli_ask(r->p->c, "inbox reply", args, &answer, &err) < 0) {
		plain_say_error(&err);
		return -1;
	}
	view_of("inbox reply")(&v, answer);
	cli_write(&out);
	return 0;
}

static void reply_in_lines(struct talk *r)
{
	AUTO_BUF struct buf text = {0}, asked = {0};

	if (r->question > 0) {
		question_line(json_object_get(r->shown, "question"), &asked);
		printf("Your answer to #%" PRId64 ": %s\n", r->question, buf_text(&asked));
	}
	puts("Write your reply. A line with a single dot ends it, Ctrl-C discards it.");
	if (ask_lines(&text) != 0) {
		ask_begin(); /* Ctrl-C was about the reply only */
		puts("Discarded, nothing was sent.");
	} else if (!buf_text(&text)[strspn(buf_text(&text), " \t\r\n")])
		puts("Nothing was written, nothing is sent.");
	else
		send_reply(r, &text);
}

static void reply_in_editor(struct talk *r)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	int got;

	got = compose_reply(r->p->c, r->shown, &text, &err);
	if (got < 0)
		plain_say_error(&err);
	else if (got == 0)
		puts("Nothing was written, nothing is sent.");
	else if (send_reply(r, &text) == 0)
		compose_sent(r->p->c, r->id, r->question);
}

/* Which question, where several are open; all of them are looked at. */
static bool choose_question(struct talk *r)
{
	json_t *args = thread_args(r->id);
	AUTO(json_decref) json_t *all = NULL;

	r->question = 0;
	json_put_bool(args, "peek", true);
	json_put_int(args, "last", QUESTIONS_AMONG);
	if (plain_ask(r->p, "inbox show", args, &all) < 0)
		return false;
	if (question_count(all, &r->question) >= 2 && question_ask(all, &r->question) != 0)
		return false;
	question_put(all, r->question);
	json_decref(r->shown);
	r->shown = steal_ptr(&all);
	return true;
}

static void reply(struct talk *r, bool editor)
{
	const json_t *t = json_object_get(r->shown, "thread");

	if (!json_is_object(json_object_get(t, "mission")) && !*view_text(t, "agent"))
		puts("Nobody would hear an answer here: these are messages from Belfry.");
	else if (!choose_question(r))
		puts("Nothing is sent.");
	else if (editor)
		reply_in_editor(r);
	else
		reply_in_lines(r);
}

/* A process of its own is the wrapper of the run; what it has to say it says itself. */
static void attach(struct talk *r)
{
	const json_t *mission = json_object_get(json_object_get(r->shown, "thread"), "mission");
	AUTO(free) char *self = program_self();
	const char *const argv[] = {self, "mission", "resume", view_text(mission, "id"), NULL};

	if (!json_is_object(mission)) {
		puts("This thread is of no mission: there is nothing to go on with.");
		return;
	}
	puts("The mission goes on here, until you leave its agent.");
	if (program_run(argv) < 0)
		puts("That did not work: no process could be started.");
	else
		puts("You are back in the inbox.");
}

/* Returns whether it was put away, or brought back. */
static bool put_away(struct talk *r)
{
	AUTO(json_decref) json_t *now = NULL, *answer = NULL;
	json_t *args = thread_args(r->id), *look = thread_args(r->id);
	bool back, yes = false;
	int64_t asks;

	/* An answer may have been given since it was said. */
	json_put_bool(look, "peek", true);
	json_put_int(look, "last", 1);
	if (plain_ask(r->p, "inbox show", look, &now) < 0) {
		json_decref(args);
		return false;
	}
	asks = view_int(json_object_get(now, "thread"), "asks");
	back = json_is_true(json_object_get(json_object_get(now, "thread"), "archived"));
	if (asks && !back) {
		printf("%" PRId64 " question%s for your answer.\n", asks,
		       asks == 1 ? " waits" : "s wait");
		if (ask_yes("Put it away all the same", false, &yes) != 0 || !yes) {
			json_decref(args);
			return false;
		}
		json_put_bool(args, "force", true);
	}
	if (plain_ask(r->p, back ? "inbox unarchive" : "inbox archive", args, &answer) < 0)
		return false;
	puts(back ? "It is in the inbox again." : "It is put away; z in the list brings it back.");
	mem_replace(&r->p->put_away, back ? "" : r->id);
	return true;
}

/* Returns whether to stay. */
static bool do_in_thread(struct talk *r, const char *word)
{
	AUTO(json_decref) json_t *answer = NULL;

	if (!*word)
		return say_newest(r) == 0;
	if (strcmp(word, "r") == 0 || strcmp(word, "w") == 0) {
		reply(r, *word == 'w');
	} else if (strcmp(word, "e") == 0) {
		return !put_away(r);
	} else if (strcmp(word, "p") == 0) {
		say_older(r);
	} else if (strcmp(word, "a") == 0) {
		attach(r);
	} else if (strcmp(word, "u") == 0) {
		if (plain_ask(r->p, "inbox unread", thread_args(r->id), &answer) == 0)
			puts("It is unread again.");
		return false;
	} else if (strcmp(word, "q") == 0) {
		return false;
	} else {
		puts("r replies, in lines that end with a single dot; w writes the reply in your "
		     "editor; p says the messages before; a goes on with the mission in this "
		     "terminal; u marks the thread unread and goes back; e puts it away, or "
		     "brings it back, and goes back; q goes back; an empty line looks for new "
		     "messages.");
	}
	return true;
}

int plain_thread(struct plain *p, const json_t *thread, const char *id)
{
	struct talk r = {.p = p, .id = id};
	bool stay;
	int result = 0;

	/* How many are unread says how many are said. */
	r.shown = json_object();
	if (thread)
		json_object_set(r.shown, "thread", (json_t *)(uintptr_t)thread);
	stay = say_newest(&r) == 0;
	while (stay && result == 0) {
		AUTO(free) char *word = NULL;

		result = ask_line("r reply, w write it in the editor, p previous messages, u mark "
				  "unread, e archive, a attach, q back",
				  NULL, &word);
		stay = result == 0 && do_in_thread(&r, word);
	}
	json_decref(r.shown);
	return result;
}
