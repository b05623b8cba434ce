/*
 * live-type.c: a message is typed into a session.
 *
 *	CHECK    only what was offered before: is it there already? Sent: done. Typed: Enter. Where no input line is
 *	         known, what was sent need not be read: live-line.c finds that out
 *	CALM     an interrupt for one that works: its adapter's key, never to an idle one; where a
 *	         question wants another key, that one, once; none where that would end it, or make it
 *	         forget what it was told
 *	SETTLE   after that, until it works no more; a prompt that came back is taken out, and when that
 *	         was a message of ours, it is queued again
 *	YIELD    somebody has begun to type, or there is no input line: wait, but not for ever; and for
 *	         what is typed once, not again for each message behind it
 *	ASK      where no input line is known: the terminal shows what stands in its line (live-unsent.c)
 *	CLEAR    what is in the input line is cut, until nothing is left: Ctrl-U takes one line, or less
 *	PASTE    the message is pasted, and a moment passes: some programs take what comes in one go with
 *	         the Enter for a paste that has one
 *	CONFIRM  Enter; then its hook says that it got this message, or the screen shows that it did:
 *	         its id is no more in the input line, and is elsewhere. One that worked when Enter came has
 *	         put it into a line of its own, and one with hooks may have others that block it: whatever hook
 *	         or screen say, live-line.c sees to it
 *
 * Where the adapter knows the input line, nothing is typed unless that is on the screen, and Enter is
 * pressed only when that begins with the message's id and has nothing behind the message: anything else may
 * be a question, which Enter would answer, or what a person types, which it would send. That is taken out
 * with the message, kept, and the message is pasted again. What could not be typed for such a reason waits;
 * that is nobody's failure.
 *
 * Where it does not, and there are no hooks either, Enter is pressed only when the message was seen on the
 * screen after the paste. That may be the terminal's own echo: so it counts as sent when the program has read
 * it, too, and none of it waits in the terminal. The id on the screen says nothing of Enter: whether that came is
 * written at the pane. And nothing is typed behind what somebody else may have typed.
 *
 * Each step looks at the screen again and again until what it waits for is there, or its time is up. Even then
 * it is looked at once more: a machine that was busy elsewhere for so long has shown us nothing yet.
 * In the end what was cut is pasted back, without Enter; when it cannot be now, after the next one. It takes
 * a moment to be drawn: until it is seen, an empty line is not believed (is_given_back()). A question that
 * comes up in between gets neither the message nor the Enter: that would be its answer. A daemon that dies anywhere in here leaves a
 * message that is offered again, and CHECK finds out how far it got.
 *
 * Everything reaches the pane by paste-buffer, keys too: keys that are sent would be taken by tmux
 * itself while a person has scrolled up in that window.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/live-parts.h"
#include "engine/live.h"

#define CTRL_U "\025\025\025\025" /* at the beginning of a line it joins it to the one above */
#define CTRL_K "\013"
/* Where that does not join lines, the key that takes one character back does. */
#define BACK "\177\025\177\025\177\025\177\025"
#define ENTER "\r"

#define AGAIN_LOOKS 3			   /* so often not on the screen: it was not typed */
#define SAME_LOOKS 4			   /* so often unchanged: Ctrl-U does nothing there */
#define IDLE_LOOKS 3			   /* so often idle on the screen: no interrupt */
#define SETTLE_LEAST (300 * USEC_PER_MSEC) /* what the key does is not shown at once */
#define SILENCE (500 * USEC_PER_MSEC)	   /* settled, when its screen says nothing to us */
#define YIELD_LONGEST (60 * USEC_PER_SEC)
#define YIELD_INTERRUPT (5 * USEC_PER_SEC) /* an interrupt waits less for a person */
#define YIELD_ABANDONED (3 * USEC_PER_SEC) /* nobody looks, and nothing changed for so long */
#define PASTE_SHOWN (1500 * USEC_PER_MSEC) /* what is not there by then is not shown at all */
#define PASTE_RESTS (500 * USEC_PER_MSEC)  /* Gemini takes an earlier Enter for a part of it */
#define HOOKS_FIRST (1500 * USEC_PER_MSEC) /* so long only its hooks are believed */
#define BUSY_IS_PROOF USEC_PER_SEC	   /* it was idle, we typed, and now it works */
#define ENTER_AGAIN (1500 * USEC_PER_MSEC) /* it is still in the input line */
#define ENTERS_MAX 4
#define UNREAD (2 * USEC_PER_SEC)	   /* by then whoever waits for input has read it */
#define GIVEN_SHOWN (1500 * USEC_PER_MSEC) /* so long a draft that came back may take to be seen */
#define ROW_STAYS USEC_PER_SEC		   /* whoever types goes on within it */
#define MIXES_MAX 3			   /* so often taken out again: somebody goes on typing */
#define LAST_LOOK (10 * USEC_PER_SEC)	   /* so long the look may take that ends a step */
#define MARK "[belfry m-"

enum step_name { CHECK, CALM, SETTLE, YIELD, ASK, CLEAR, PASTE, CONFIRM };

struct typing {
	struct watched *w;
	struct job *job;
	enum step_name step;
	usec_t began, changed; /* the step; the input line, as seen (clock_monotonic) */
	uint64_t look_number;  /* looks before this one are of before this step */
	unsigned looks;	       /* in this step */
	char *before;	       /* in the input line when we came */
	char *seen;	       /* in the input line, in YIELD and CLEAR */
	enum presence_look look_before;
	unsigned enters, tries, mixes;
	bool was_pasted, was_typed, declined, pressed_again;
	bool interrupted; /* by our key: what it did before says nothing of what it does */
	bool was_working; /* when Enter came */
	bool is_last;	  /* the time of the step is up: this look decides */
	usec_t last_at;	  /* since when (clock_monotonic) */
	usec_t offered_at;
	uv_timer_t timer;
	/* where no input line is known: */
	char *held;		  /* what is in its line; NULL: not known */
	char *row;		  /* what was shown then, or is waited to stay as it is */
	enum step_name asked_for; /* the step that wants to know */
	char show_key;
	usec_t row_at, yields_since; /* (clock_monotonic) */
};

static void begin(struct typing *t, enum step_name step);
static void on_timer(uv_timer_t *timer);

static const char *id_of(const struct typing *t)
{
	return t->job->live->message;
}

static usec_t elapsed(const struct typing *t)
{
	return clock_monotonic() - t->began;
}

/* "" when the input line is empty, and when nothing is known of it. */
static const char *typed_now(const struct typing *t)
{
	if (unsent_is_unknown(t->w))
		return t->held ? t->held : "";
	return t->w->look.typed ? t->w->look.typed : "";
}

/* --- the end ------------------------------------------------------------------------------ */

static void on_closed(uv_handle_t *handle)
{
	struct typing *t = handle->data;

	job_free(t->job);
	free(t->before);
	free(t->seen);
	free(t->held);
	free(t->row);
	free(t);
}

static void let_go(struct typing *t)
{
	if (t->w->typing == t)
		t->w->typing = NULL;
	tmux_cancel(t->w->l->tmux, t);
	uv_close((uv_handle_t *)&t->timer, on_closed);
}

static void paste(struct typing *t, const char *text, bool bracketed);

/* What a person had typed comes back, once there is a line that it can be in. */
static void give_back(struct typing *t, bool is_sent)
{
	struct watched *w = t->w;

	if (!w->draft || (!is_sent && (!w->look.typed || *w->look.typed ||
				       w->look.look == LOOK_BLOCKED || t->was_pasted)))
		return;
	unsent_mark_typed(w, "draft");
	paste(t, w->draft, true);
	w->given_back_at = clock_monotonic();
	mem_replace(&w->draft, NULL);
}

/* What came back to a person may be on its way still: the line only looks empty. */
static bool is_given_back(struct typing *t)
{
	struct watched *w = t->w;

	if (w->given_back_at &&
	    (*typed_now(t) || clock_monotonic() - w->given_back_at > GIVEN_SHOWN))
		w->given_back_at = 0;
	return w->given_back_at != 0;
}

/* An older one that they have not got back yet stays in front of it. */
static void keep_draft(struct watched *w, const char *text)
{
	AUTO(free) char *both = w->draft && *text ? mem_printf("%s %s", w->draft, text) : NULL;

	if (*text)
		mem_replace(&w->draft, both ? both : text);
}

static void end_typing(struct typing *t, bool is_sent, const char *words)
{
	struct watched *w = t->w;

	w->typing = NULL; /* whatever fails from here on is not told */
	give_back(t, is_sent);
	if (is_sent)
		w->facts.delivered_at = clock_now();
	live_say_typed(w, t->job->key, words);
	let_go(t);
	/* The engine takes it for busy now: it is told again what it does, whatever that is. */
	w->told = false;
	watch_soon(w);
}

static void finish(struct typing *t, const char *error)
{
	if (t->w->typing == t)
		end_typing(t, !error, error);
}

/*
 * It was sent: a client that rested has taken it up by that, unless its hooks can tell us so; one that worked keeps
 * it for later.
 */
static void finish_sent(struct typing *t, bool was_working)
{
	const struct job_live *live = t->job->live;
	bool lined = was_working || t->w->has_hooks || t->w->adapter->live.early;

	if (t->w->typing != t)
		return;
	if (lined)
		line_add(t->w, id_of(t), live->again ? live->queued_at : t->offered_at,
			 !was_working);
	end_typing(t, true, lined ? LIVE_IN_LINE : NULL);
}

/* It could not be typed now, for no fault of anybody: it waits. */
static void wait_for_it(struct typing *t, const char *why)
{
	AUTO(free) char *text = NULL;

	/* What may be in the input line already is looked for before it is typed again. */
	text = mem_printf("%s%s", t->was_pasted || t->job->live->again ? LIVE_UNSENT : LIVE_NOT_NOW,
			  why);
	finish(t, text);
}

void typing_drop(struct watched *w, const char *why)
{
	struct typing *t = w->typing;

	if (!t)
		return;
	if (why)
		live_say_typed(w, t->job->key, why);
	let_go(t);
}

/* --- keys --------------------------------------------------------------------------------- */

static void on_put(const char *output, size_t len, const char *error, void *data)
{
	struct typing *t = data;
	AUTO(free) char *why = error ? mem_printf("it could not be typed: %s", error) : NULL;

	(void)output, (void)len;
	if (error)
		finish(t, why);
}

static void paste(struct typing *t, const char *text, bool bracketed)
{
	struct watched *w = t->w;
	AUTO(free) char *name = mem_printf("belfry-%s", w->agent);
	AUTO(free) char *flags = mem_strdup(bracketed ? "-rp" : "-r");
	char *set[] = {(char[]){"set-buffer"}, (char[]){"-b"},		name,
		       (char[]){"--"},	       (char *)(uintptr_t)text, NULL};
	/* -r: a newline stays one. As Enter it would send each line by itself. */
	char *put[] = {(char[]){"paste-buffer"}, (char[]){"-d"}, (char[]){"-b"}, name,
		       (char[]){"-t"},		 w->pane,	 flags,		 NULL};

	if (!*text)
		return;
	tmux_ask(w->l->tmux, set, on_put, t);
	tmux_ask(w->l->tmux, put, on_put, t);
	if (w->typing != t) /* it failed at once, or it is over: t is soon no more */
		tmux_cancel(w->l->tmux, t);
}

static void press(struct typing *t, const char *key)
{
	paste(t, key, false);
}

/* --- the steps ---------------------------------------------------------------------------- */

static enum look_where where(const struct typing *t)
{
	const struct watched *w = t->w;

	return look_find(&w->adapter->live, w->screen, w->cursor_x, w->screen_row, id_of(t));
}

/* "[belfry ID[Pasted Text: 12 lines]": what follows that; NULL: it is no such. */
static const char *behind_word(const char *typed)
{
	const char *at = typed + 1 + strcspn(typed + 1, "[]");

	return strncmp(at, "[Pasted ", 8) == 0 && (at = strchr(at, ']')) ? at + 1 : NULL;
}

/* What is in the input line beside the message, in front of it or behind; NULL: nothing. */
static char *others_text(const struct typing *t)
{
	AUTO(free) char *mark = mem_printf("[belfry %s", id_of(t));
	const char *typed = typed_now(t), *at = typed, *behind;
	AUTO_BUF struct buf text = {0};

	while ((at = strchr(at, '[')) && !look_behind(at, mark))
		at++;
	if (!at)
		return NULL;
	buf_add(&text, typed, (size_t)(at - typed));
	behind = look_behind(at, t->job->live->text);
	if (!behind)
		behind = behind_word(at);
	if (behind)
		buf_add_str(&text, behind);
	return strspn(buf_text(&text), " \n") < text.len ? buf_steal(&text) : NULL;
}

/* Enter would send what a person types, too: both are taken out, and theirs comes back afterwards. */
static bool take_out(struct typing *t)
{
	AUTO(free) char *text = others_text(t);

	if (!text)
		return false;
	/* Of a row only what is seen to leave it was typed: clear_row() keeps that. */
	if (!unsent_is_unknown(t->w) || unsent_terminal_edits(t->w))
		keep_draft(t->w, text);
	t->mixes++;
	begin(t, CLEAR);
	return true;
}

/* Without one on the screen, whatever is typed may answer a question. */
static bool line_is_there(const struct typing *t)
{
	return !t->w->adapter->live.input || t->w->look.typed;
}

static bool looks_idle(const struct watched *w)
{
	return w->look.look == LOOK_IDLE || w->look.look == LOOK_TYPED;
}

static bool is_working(const struct watched *w)
{
	return w->verdict.is == IS_BUSY || w->verdict.is == IS_BLOCKED ||
	       w->look.look == LOOK_BUSY || w->look.look == LOOK_BLOCKED;
}

static void ask_terminal(struct typing *t, enum step_name wants)
{
	t->asked_for = wants;
	begin(t, ASK);
}

static const char *message_in(const struct typing *t, const char *text)
{
	AUTO(free) char *mark = mem_printf("[belfry %s", id_of(t));

	return strstr(text, mark);
}

/*
 * Of a program that edits its line by itself: the row is all there is. Whether our message is in it; `before` is
 * what it showed without that, NULL when nobody knows.
 */
static bool row_has_it(struct typing *t, const char *before)
{
	AUTO(free) char *row = unsent_row(t->w);
	const char *at = message_in(t, row);
	size_t len = before ? strlen(before) : 0;

	if (!at)
		return false;
	mem_replace(&t->held, len && strncmp(row, before, len) == 0 ? row + len : at);
	mem_replace(&t->row, row);
	return true;
}

/* Enter when it stands there, and nothing beside it; else all of it is taken out. */
static void finish_typed(struct typing *t)
{
	if (take_out(t))
		return;
	t->was_pasted = true;
	begin(t, CONFIRM);
}

/* The id on its screen says that it was typed. What else there is to know is at the pane, and in the terminal. */
static void check_unknown(struct typing *t)
{
	if (unsent_was_sent(t->w, id_of(t)))
		finish_sent(t, true);
	else if (t->looks < AGAIN_LOOKS)
		return; /* what was pasted just before the daemon died may not be drawn yet */
	else if (unsent_show_key(t->w))
		ask_terminal(t, CHECK);
	else if (!unsent_terminal_edits(t->w) && row_has_it(t, t->w->rest))
		finish_typed(t);
	else
		begin(t, CALM);
}

static void check_look(struct typing *t)
{
	if (unsent_is_unknown(t->w)) {
		check_unknown(t);
		return;
	}
	if (!line_is_there(t))
		return;
	switch (where(t)) {
	case WHERE_SENT:
		finish_sent(t, is_working(t->w));
		break;
	case WHERE_TYPED:
	case WHERE_MIXED:
		if (take_out(t))
			break;
		t->was_typed = true;
		begin(t, CONFIRM);
		break;
	case WHERE_NOT:
		/* What was pasted just before the daemon died may not be drawn yet. */
		if (t->looks >= AGAIN_LOOKS)
			begin(t, CALM);
		break;
	}
}

static void unseen(struct typing *t)
{
	if (line_is_there(t))
		finish(t, "its screen could not be read");
	else
		wait_for_it(t, "its input line is not on its screen");
}

/* Once: a second one might be heard by whatever comes after the question. */
static bool decline(struct typing *t)
{
	const char *key = t->w->adapter->live.decline;

	if (!key || t->declined || t->w->look.look != LOOK_BLOCKED || t->w->look.is_fatal)
		return false;
	t->declined = true;
	press(t, key);
	return true;
}

static void calm_look(struct typing *t)
{
	const struct watched *w = t->w;
	const char *key = w->adapter->live.interrupt;

	if (is_given_back(t))
		return;
	mem_replace(&t->before, typed_now(t));
	t->look_before = w->look.look;
	if (!t->job->live->interrupt || !is_working(w) || !key) {
		begin(t, YIELD);
	} else if (w->adapter->live.busy && looks_idle(w)) {
		/* A turn that was interrupted ends without a hook: the screen knows better. */
		if (t->looks >= IDLE_LOOKS)
			begin(t, YIELD);
	} else if (w->look.is_fatal || (w->adapter->live.input && w->look.look == LOOK_UNKNOWN)) {
		wait_for_it(t, "it asks something, and a key to end that might end it");
	} else {
		if (!decline(t))
			press(t, key);
		t->interrupted = true;
		line_interrupted(t->w);
		begin(t, SETTLE);
	}
}

/* Messages whose text came back into the input line are not in the conversation. */
static void queue_returned(struct typing *t, const char *typed)
{
	for (const char *at = typed; (at = strstr(at, MARK)); at++) {
		const char *id = at + strlen("[belfry ");
		AUTO(free) char *name = mem_strndup(id, strcspn(id, " ]"));

		if (strcmp(name, id_of(t)) == 0)
			continue;
		line_remove(t->w, name);
		live_say_returned(t->w, name);
	}
}

static void settled(struct typing *t)
{
	const char *typed = typed_now(t);

	t->look_before = t->w->look.look == LOOK_BUSY ? LOOK_BUSY : LOOK_IDLE;
	if (!*typed || strcmp(typed, t->before) == 0) {
		begin(t, YIELD);
		return;
	}
	queue_returned(t, typed);
	/* A person's own prompt comes back to them, too. */
	if (*t->before || !strstr(typed, MARK))
		mem_replace(&t->w->draft, *t->before ? t->before : typed);
	begin(t, CLEAR);
}

static void settle_look(struct typing *t)
{
	const struct watched *w = t->w;
	usec_t shown = w->facts.output_at;

	if (elapsed(t) < SETTLE_LEAST || decline(t))
		return;
	if (w->adapter->live.twice && w->look.look == LOOK_BUSY && !t->pressed_again) {
		t->pressed_again = true;
		press(t, w->adapter->live.interrupt);
	}
	if (looks_idle(w) ||
	    (w->look.look == LOOK_UNKNOWN && (shown == USEC_NONE || clock_now() - shown > SILENCE)))
		settled(t);
}

/* It has begun to ask something: whatever is typed now would answer that. */
static bool is_asking(struct typing *t)
{
	const struct watched *w = t->w;
	/* The hook comes first; but it does not tell that an interrupt has ended the question. */
	bool heard = w->verdict.is == IS_BLOCKED && !t->job->live->interrupt;

	if (!heard && w->look.look != LOOK_BLOCKED)
		return false;
	wait_for_it(t, "it asks something");
	return true;
}

/* How long what is in the input line is yielded to. */
static usec_t patience(const struct typing *t)
{
	if (!t->w->is_watched)
		return YIELD_ABANDONED;
	return t->job->live->interrupt ? YIELD_INTERRUPT : YIELD_LONGEST;
}

/* For a message before this one, and it is the same still. */
static bool was_yielded_to(const struct typing *t)
{
	const struct watched *w = t->w;

	return w->yielded && strcmp(w->yielded, typed_now(t)) == 0 && w->yielded_for >= patience(t);
}

static void note_yielded(struct typing *t)
{
	struct watched *w = t->w;
	bool same = w->yielded && strcmp(w->yielded, typed_now(t)) == 0;

	if (same && w->yielded_for >= elapsed(t))
		return;
	mem_replace(&w->yielded, typed_now(t));
	w->yielded_for = elapsed(t);
}

static void give_way_no_more(struct typing *t)
{
	if (is_asking(t))
		return;
	if (!line_is_there(t)) {
		wait_for_it(t, "its input line is not on its screen");
	} else if (unsent_is_unknown(t->w) && !t->held) {
		wait_for_it(t, LIVE_TYPED_INTO);
	} else if (*typed_now(t) && unsent_is_unknown(t->w) && !unsent_terminal_edits(t->w)) {
		note_yielded(t);
		begin(t, CLEAR); /* what can be taken out of the row is the draft */
	} else if (*typed_now(t)) {
		/* What we have left there ourselves is nobody's draft; what is in front of it, is. */
		const char *ours = strstr(typed_now(t), MARK);
		AUTO(free)
		char *draft = mem_strndup(typed_now(t), ours ? (size_t)(ours - typed_now(t))
							     : strlen(typed_now(t)));

		if (!ours)
			note_yielded(t);
		keep_draft(t->w, draft);
		begin(t, CLEAR);
	} else {
		begin(t, PASTE);
	}
}

/* It is as it was for a while, and nobody presses a key. */
static bool row_stays(struct typing *t)
{
	AUTO(free) char *row = unsent_row(t->w);

	if (!t->row || strcmp(t->row, row) != 0) {
		mem_replace(&t->row, row);
		mem_replace(&t->held, NULL);
		t->row_at = clock_monotonic();
	}
	return clock_monotonic() - t->row_at > ROW_STAYS && !unsent_is_moving(t->w);
}

/* What is in a line that no pattern knows: whether it is known by now. */
static bool is_line_known(struct typing *t)
{
	struct watched *w = t->w;

	if (!unsent_is_doubtful(w) && !unsent_is_moving(w)) {
		mem_replace(&t->held, "");
		return true;
	}
	if (!row_stays(t))
		return false;
	if (t->held)
		return true;
	if (unsent_show_key(w)) {
		ask_terminal(t, YIELD);
		return false;
	}
	if (unsent_terminal_edits(w)) {
		wait_for_it(t, LIVE_UNSHOWN);
		return false;
	}
	/* Without a row to compare it with, all of it may be typed. */
	mem_replace(&t->held, w->rest && strncmp(w->rest, t->row, strlen(w->rest)) == 0
				      ? t->row + strlen(w->rest)
				      : t->row);
	return true;
}

static void yield_look(struct typing *t)
{
	const char *typed;

	if (is_asking(t) || !line_is_there(t) || is_given_back(t) ||
	    (unsent_is_unknown(t->w) && !is_line_known(t)))
		return;
	typed = typed_now(t);
	if (!*typed) {
		mem_replace(&t->w->yielded, NULL);
		begin(t, PASTE);
		return;
	}
	if (t->job->live->again && where(t) == WHERE_TYPED) {
		if (take_out(t))
			return;
		t->was_typed = true;
		begin(t, CONFIRM);
		return;
	}
	if (!t->seen || strcmp(t->seen, typed) != 0) {
		mem_replace(&t->seen, typed);
		t->changed = clock_monotonic();
	}
	if ((!t->w->is_watched && clock_monotonic() - t->changed > YIELD_ABANDONED) ||
	    (t->job->live->interrupt && elapsed(t) > YIELD_INTERRUPT) || was_yielded_to(t))
		give_way_no_more(t);
}

/* --- ASK ---------------------------------------------------------------------------------- */

static void ask_begin(struct typing *t)
{
	char key[2] = {unsent_show_key(t->w), '\0'};

	t->show_key = key[0];
	if (t->show_key)
		press(t, key);
	else
		wait_for_it(t, LIVE_UNSHOWN);
}

static void ask_look(struct typing *t)
{
	AUTO(free) char *held = unsent_shown(t->w, t->show_key);

	if (!held)
		return;
	mem_replace(&t->held, held);
	mem_replace(&t->row, held);
	t->row_at = clock_monotonic();
	if (!*held && t->asked_for == PASTE && t->mixes++ > MIXES_MAX) {
		wait_for_it(t, LIVE_TYPED_INTO);
	} else if (!*held) {
		unsent_is_empty(t->w);
		begin(t, t->asked_for == YIELD ? PASTE : CALM);
	} else if (message_in(t, held)) {
		finish_typed(t);
	} else {
		begin(t, t->asked_for == CHECK ? CALM : YIELD);
	}
}

/* What it prints meanwhile may have come between. */
static void ask_limit(struct typing *t)
{
	wait_for_it(t, is_working(t->w) ? LIVE_TYPED_INTO : LIVE_UNSHOWN);
}

/* --- CLEAR -------------------------------------------------------------------------------- */

static void clear_begin(struct typing *t)
{
	const char kill[2] = {unsent_is_unknown(t->w) ? unsent_kill_key(t->w) : '\0', '\0'};

	mem_replace(&t->seen, typed_now(t));
	press(t, *kill ? kill : CTRL_U);
}

static void cleared(struct typing *t)
{
	t->was_pasted = false;
	if (unsent_is_unknown(t->w))
		unsent_is_empty(t->w);
	if (t->mixes > MIXES_MAX)
		wait_for_it(t, LIVE_TYPED_INTO);
	else
		begin(t, PASTE);
}

/* Whether there is something behind what its row shows at rest. */
static bool goes_on(const char *rest, const char *row)
{
	return rest && strlen(row) > strlen(rest) && strncmp(rest, row, strlen(rest)) == 0;
}

/* What has left the row was typed: by somebody, or by us. */
static void clear_row(struct typing *t)
{
	AUTO(free) char *row = unsent_row(t->w), *others = NULL;

	if (unsent_terminal_edits(t->w)) { /* it has thrown away all of it */
		cleared(t);
	} else if (strcmp(row, t->row) == 0) {
		/* The key found nothing to take out, or is none there. */
		if (t->looks >= SAME_LOOKS && goes_on(t->w->rest, row))
			wait_for_it(t, LIVE_TYPED_INTO);
		else if (t->looks >= SAME_LOOKS)
			cleared(t);
	} else if (strncmp(t->row, row, strlen(row)) == 0) {
		mem_replace(&t->held, t->row + strlen(row));
		others = message_in(t, t->held) ? others_text(t) : mem_strdup(t->held);
		if (others)
			keep_draft(t->w, others);
		cleared(t);
	} else {
		wait_for_it(t, LIVE_TYPED_INTO);
	}
}

static void clear_look(struct typing *t)
{
	const char *typed = typed_now(t);

	if (is_asking(t) || !line_is_there(t))
		return;
	if (unsent_is_unknown(t->w)) {
		clear_row(t);
	} else if (!*typed) {
		cleared(t);
	} else if (strcmp(typed, t->seen) != 0) {
		mem_replace(&t->seen, typed);
		t->looks = 0;
		press(t, CTRL_U);
	} else if (t->looks >= SAME_LOOKS) {
		t->looks = 0;
		/* It has an empty last line, or the cursor is before it. */
		press(t, t->tries++ % 2 ? CTRL_K : BACK);
	}
}

static void uncleared(struct typing *t)
{
	size_t left = strlen(typed_now(t));
	AUTO(free) char *draft = steal_ptr(&t->w->draft);

	/* What is gone of it is put back, as far as we know where it was. */
	if (draft && line_is_there(t) && strncmp(draft, typed_now(t), left) == 0)
		paste(t, draft + left, true);
	finish(t, "its input line has a text in it that cannot be taken out");
}

/*
 * A client may show a paste as a word about it, which does not have the id: that is a paste of its own. The other
 * one begins with what ends the mark, so that it is never a path, or a command.
 */
static void paste_begin(struct typing *t)
{
	const char *text = t->job->live->text;
	size_t len = t->w->adapter->live.whole ? strcspn(text, "]") : strlen(text);
	AUTO(free) char *first = mem_strndup(text, len);

	t->was_pasted = true;
	t->yields_since = 0;
	if (unsent_is_unknown(t->w)) {
		AUTO(free) char *row = unsent_row(t->w);

		unsent_is_empty(t->w);
		unsent_mark_typed(t->w, id_of(t));
		mem_replace(&t->row, row);
		mem_replace(&t->held, NULL);
	}
	paste(t, first, true);
	if (t->w->typing == t)
		paste(t, text + len, true);
}

/* Somebody pressed keys just now: is it still alone in its line? */
static void paste_mixed(struct typing *t)
{
	if (unsent_show_key(t->w))
		ask_terminal(t, PASTE);
	else if (row_has_it(t, t->row))
		finish_typed(t);
	else
		wait_for_it(t, LIVE_TYPED_INTO);
}

/*
 * Enter comes when the paste is shown, by its id or as a word about it. A program that is slow to
 * draw is waited for: what was never seen in the line cannot be seen to have left it.
 */
static void paste_look(struct typing *t)
{
	enum look_where found;

	if (is_asking(t))
		return;
	found = where(t);
	if ((found == WHERE_TYPED || found == WHERE_MIXED) && take_out(t))
		return;
	if (unsent_is_unknown(t->w) && unsent_has_keys(t->w)) {
		if (found == WHERE_SENT && !unsent_is_moving(t->w))
			paste_mixed(t);
		return;
	}
	t->was_typed = found == WHERE_TYPED;
	if (t->was_typed ? elapsed(t) > PASTE_RESTS
			 /* Where no input line is known, anywhere will do. */
			 : !t->w->adapter->live.input &&
				   (found == WHERE_SENT ||
				    (elapsed(t) > PASTE_SHOWN && !line_is_blind(t->w))))
		begin(t, CONFIRM);
}

/* It may have gone into a question of which nothing is known: Enter would answer that. */
static void unshown(struct typing *t)
{
	/* By its line discipline the terminal itself takes back what is typed; else the key is the program's. */
	if (unsent_terminal_edits(t->w)) {
		press(t, CTRL_U);
		t->was_pasted = false;
		unsent_is_empty(t->w);
	}
	wait_for_it(t, LIVE_UNSHOWN);
}

static void paste_limit(struct typing *t)
{
	if (unsent_is_unknown(t->w) && unsent_has_keys(t->w))
		paste_mixed(t);
	else if (line_is_blind(t->w))
		unshown(t);
	else if (!t->w->adapter->live.input)
		begin(t, CONFIRM);
	else
		finish(t, "its input line does not show the message, so Enter was not pressed");
}

static void confirm_begin(struct typing *t)
{
	t->enters = 1;
	/* After an interrupt only the screen knows: that turn ends without a hook. */
	t->was_working = t->interrupted ? t->w->look.look == LOOK_BUSY : is_working(t->w);
	press(t, ENTER);
	/* After it: who dies in between types it again, and does not take it for sent. */
	if (unsent_is_unknown(t->w))
		unsent_mark_sent(t->w, id_of(t));
	mem_replace(&t->held, NULL);
}

static bool shows_proof(const struct typing *t, enum look_where found)
{
	const struct watched *w = t->w;

	if (!line_is_there(t))
		return false;
	if (found == WHERE_SENT)
		return !line_is_blind(w) || (elapsed(t) > READ_LEAST && !line_is_unread(w));
	/* It was in the line, Enter came, and the line is empty: a busy one may keep it unseen. */
	return found == WHERE_NOT && !*typed_now(t) && elapsed(t) > BUSY_IS_PROOF &&
	       (t->was_typed || (w->look.look == LOOK_BUSY && t->look_before != LOOK_BUSY));
}

/* A question may have come up over the line. */
static bool is_calm(const struct typing *t)
{
	return t->w->look.look != LOOK_BLOCKED && line_is_there(t);
}

static void confirm_look(struct typing *t)
{
	enum look_where found = where(t);

	if (!(t->w->has_hooks && elapsed(t) < HOOKS_FIRST) && shows_proof(t, found)) {
		finish_sent(t, t->was_working);
		return;
	}
	if (found == WHERE_SENT && line_is_blind(t->w) && elapsed(t) > UNREAD) {
		finish_sent(t, true); /* it does something else, and reads it afterwards */
		return;
	}
	t->was_typed |= found == WHERE_TYPED;
	if (found == WHERE_TYPED && is_calm(t) && t->enters < ENTERS_MAX && !t->is_last &&
	    elapsed(t) > t->enters * ENTER_AGAIN && !take_out(t)) {
		t->enters++;
		press(t, ENTER);
	}
}

static void unconfirmed(struct typing *t)
{
	AUTO(free) char *others = NULL;

	if (t->w->screen && where(t) == WHERE_TYPED && is_calm(t)) {
		/* The next one must not be glued to it. */
		others = others_text(t);
		keep_draft(t->w, others ? others : "");
		press(t, CTRL_U);
		press(t, BACK);
		finish(t, "not confirmed: it is in the input line, and Enter does not send it");
	} else {
		finish(t, "not confirmed: neither a hook nor its screen shows that it arrived");
	}
}

/* clang-format off */
static const struct step {
	usec_t limit;
	unsigned first_ms, poll_ms; /* when the screen is looked at */
	size_t depth;               /* lines above the screen */
	void (*on_begin)(struct typing *t);
	void (*on_look)(struct typing *t);
	void (*on_limit)(struct typing *t);
} steps[] = {
	[CHECK]   = {10 * USEC_PER_SEC,   0, 250, 2000, NULL,          check_look,   unseen},
	[CALM]    = {10 * USEC_PER_SEC,   0, 200,    0, NULL,          calm_look,    unseen},
	[SETTLE]  = { 5 * USEC_PER_SEC, 100, 200,    0, NULL,          settle_look,  settled},
	[YIELD]   = {YIELD_LONGEST,       0, 300,    0, NULL,          yield_look,   give_way_no_more},
	[ASK]     = { 3 * USEC_PER_SEC, 100, 100,  100, ask_begin,     ask_look,     ask_limit},
	[CLEAR]   = {10 * USEC_PER_SEC, 100, 150,    0, clear_begin,   clear_look,   uncleared},
	[PASTE]   = { 5 * USEC_PER_SEC, 150, 150,  100, paste_begin,   paste_look,   paste_limit},
	[CONFIRM] = {10 * USEC_PER_SEC,  50, 250,  500, confirm_begin, confirm_look, unconfirmed},
};
/* clang-format on */

/* BELFRY_CONFIRM_MS is for tests, which do not have so long. */
static usec_t limit_of(enum step_name step)
{
	const char *text = step == CONFIRM ? getenv("BELFRY_CONFIRM_MS") : NULL;
	char *end = NULL;
	usec_t limit = text ? (usec_t)strtoul(text, &end, 10) * USEC_PER_MSEC : 0;

	return text && end != text && !*end && limit < steps[step].limit ? limit
									 : steps[step].limit;
}

static usec_t time_left(const struct typing *t)
{
	if (t->is_last)
		return t->last_at + LAST_LOOK - clock_monotonic();
	return limit_of(t->step) - elapsed(t);
}

static void wait_ms(struct typing *t, usec_t ms)
{
	usec_t left = time_left(t) / USEC_PER_MSEC + 1;

	if (left < 1)
		left = 1;
	uv_update_time(t->w->l->loop);
	uv_timer_start(&t->timer, on_timer, (uint64_t)(ms < left ? ms : left), 0);
}

static void look(struct typing *t)
{
	/* The timer now only ends the step: the look comes by itself. */
	wait_ms(t, time_left(t) / USEC_PER_MSEC + 1);
	t->look_number = watch_look(t->w, steps[t->step].depth);
}

static void begin(struct typing *t, enum step_name step)
{
	const struct watched *w = t->w;

	if (w->typing != t)
		return;
	t->step = step;
	t->began = clock_monotonic();
	/* To ask in between is no reason to wait longer. */
	if (step == YIELD && t->yields_since)
		t->began = t->yields_since;
	else if (step == YIELD)
		t->yields_since = t->began;
	t->looks = 0;
	t->is_last = false;
	t->look_number = UINT64_MAX; /* none that is under way counts */
	if (steps[step].on_begin)
		steps[step].on_begin(t);
	if (w->typing != t)
		return;
	if (steps[step].first_ms)
		wait_ms(t, steps[step].first_ms);
	else
		look(t);
}

static void on_timer(uv_timer_t *timer)
{
	struct typing *t = timer->data;

	if (t->is_last) { /* tmux itself does not answer */
		steps[t->step].on_limit(t);
		return;
	}
	if (elapsed(t) >= limit_of(t->step)) {
		t->is_last = true;
		t->last_at = clock_monotonic();
	}
	look(t);
}

void typing_looked(struct watched *w, uint64_t number)
{
	struct typing *t = w->typing;
	enum step_name step = t->step;
	usec_t began = t->began;

	if (number && number < t->look_number)
		return;
	if (number) {
		t->looks++;
		steps[step].on_look(t);
	}
	if (w->typing != t || t->step != step || t->began != began)
		return;
	if (t->is_last) {
		steps[step].on_limit(t);
	} else {
		/* It waits on in the same step; nothing can have failed, it can only not be so yet. */
		t->look_number = UINT64_MAX;
		wait_ms(t, steps[step].poll_ms);
	}
}

void typing_give_way(struct watched *w)
{
	struct typing *t = w->typing;

	if (t && (t->step == CHECK || t->step == CALM || t->step == YIELD))
		wait_for_it(t, LIVE_GIVES_WAY);
}

void typing_heard(struct watched *w, const char *message)
{
	struct typing *t = w->typing;

	if (t && strcmp(id_of(t), message) == 0)
		finish_sent(t, t->step == CONFIRM ? t->was_working : is_working(t->w));
}

/* --- the beginning ------------------------------------------------------------------------ */

/* What is too long to be typed is a file, which the agent is told to read. */
static int write_body(const struct typing *t, struct error *err)
{
	const struct job *job = t->job;
	const char *mission = job->live->mission ? job->live->mission : t->w->mission;
	AUTO(free) char *folder = NULL, *path = NULL;
	struct stat st;
	int r;

	if (!job->live->file || !job->input)
		return 0;
	if (!mission)
		return error_set(err, ERR_CONFLICT, "its session has no folder yet");
	folder = mem_printf("%s/%s/inbox", t->w->l->missions, mission);
	path = mem_printf("%s/%s", folder, job->live->file);
	/* The agent can put a link there, by which we would make private, and write to, what is not its. */
	if (lstat(folder, &st) == 0 && !S_ISDIR(st.st_mode)) {
		error_set(err, ERR_CONFLICT, "'%s' is not a folder", folder);
		return error_hint(err, "remove it: what is too long to be typed is written there");
	}
	r = dir_make_private(folder, err);
	return r < 0 ? r : file_write(path, job->input, strlen(job->input), err);
}

void typing_begin(struct watched *w, struct job *job)
{
	struct typing *t = mem_zalloc(sizeof(*t));
	enum journal_of says = JOURNAL_NOTHING;
	struct error err = {0};

	t->w = w;
	t->job = job;
	t->before = mem_strdup("");
	uv_timer_init(w->l->loop, &t->timer);
	t->timer.data = t;
	t->offered_at = clock_now();
	w->typing = t;
	line_expect(w, job->live->again);
	if (job->live->again)
		says = journal_says(w, id_of(t), job->live->queued_at);
	/* Whether it worked when it got it, nobody knows any more: unless it rests, that is found out. */
	if (says == JOURNAL_TURN && w->verdict.is == IS_IDLE && !w->tells)
		finish(t, NULL);
	else if (says)
		finish_sent(t, w->verdict.is != IS_IDLE);
	else if (write_body(t, &err) < 0)
		finish(t, err.message);
	else
		begin(t, job->live->again ? CHECK : CALM);
}
