#pragma once
/*
 * The inbox on a terminal, a part of the command line. What it shows it asks for like any other
 * command; what a person does becomes requests. Each screen is a file:
 *	inbox.c     which of them, and what follows what
 *	list*.c     threads, on a screen of our own; search.c: messages by their words
 *	fzf.c       threads, by fzf with the thread in its preview; feed.c: its lines
 *	thread*.c   one thread
 *	compose.c   an answer in the person's editor: the draft, its lock
 *	reply.c     `inbox reply`, by argument, pipe or editor
 *	question.c  which question it is for, where several are open
 *	answer.c    the text of it: what is quoted below, and what is taken out
 *	plain*.c    all of it in lines and questions, for screen readers and dumb terminals
 * What the screens share is in parts.h.
 */
#include "cli/cli.h"
#include "terminal/screen.h"

#define INBOX_UNUSABLE 2 /* this way of showing it does not work here: try the next */

/* What is to be done with a thread, or with none (search, what was put away). */
enum list_wish {
	LIST_OPEN,
	LIST_UNREAD, /* or read, where it is unread */
	LIST_ARCHIVE,
	LIST_UNARCHIVE, /* the last that was put away */
	LIST_SEARCH,
	LIST_ARCHIVED
};
/* What stays from one list to the next: what was put away, and what was done last. */
struct list_memory {
	json_t *put_away; /* threads, the last at the end */
	char note[400];
};
/* Choose a thread. Returns 1 and its id (caller frees), 0 when the person left, INBOX_UNUSABLE. */
int list_by_fzf(const struct cli *c, struct list_memory *memory, char **ret,
		enum list_wish *ret_wish, struct error *err);

/* Everything in lines and questions. */
int inbox_plain(const struct cli *c, const char *thread, struct error *err);

/*
 * Let the person write an answer in $VISUAL or $EDITOR; the screen is not ours meanwhile. `shown` is the
 * answer of `inbox show`, and what is answered is in it (question_put()). The draft is a file of its own
 * in drafts/, one for each question: an editor that fails or crashes leaves it, and the next answer to
 * that question begins with it.
 * Returns 1 (*ret is what is to be sent), 0 when it was blank and nothing is kept, or negative.
 */
int compose_reply(const struct cli *c, const json_t *shown, struct buf *ret, struct error *err);
/* It was sent, as the answer to this one: the draft is not needed any more. */
void compose_sent(const struct cli *c, const char *thread, int64_t question);
/* Whether there is a draft for it. */
bool compose_has_draft(const struct cli *c, const char *thread, int64_t question);

/* Questions; `shown` is the answer of `inbox show`, and a message one of its. */
#define QUESTION_ALL (-1)
#define QUESTION_NONE (-2) /* it is no answer to what is open */
bool question_is_open(const json_t *message);
size_t question_count(const json_t *shown, int64_t *ret_last); /* those that are open */
/* What is answered goes into `shown`: "answers" (`seq`), and "question", when that is one it has. */
void question_put(json_t *shown, int64_t seq);
void question_line(const json_t *message, struct buf *out); /* what it asks, in one line */
/* "mis-k3f9x2#3", or the thread alone; the caller frees. */
char *question_name(const char *thread, int64_t seq);
/* Why one is not open any more. */
void question_fate(const json_t *message, struct buf *out);
/* Which of the open ones; on a terminal. Returns 0, or ASK_CANCELLED. */
int question_ask(const json_t *shown, int64_t *ret);

/* The parts of it that need no editor. `zone` is the reader's. */
void compose_template(const json_t *shown, const struct zone *zone, const char *draft,
		      struct buf *out);
/*
 * The answer: what is above the line, without blanks around it; "" when there is nothing. `given` is
 * the text the editor began with; NULL when that is not known. ERR_INVALID when it cannot be told
 * what is the answer: *out then has the lines that were not given, which make a good draft.
 */
int compose_extract(const char *text, const char *given, struct buf *out, struct error *err);
