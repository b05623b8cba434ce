#pragma once
/*
 * What tmux is asked, in the order of asking: lists of commands that wait to be sent, or to be answered.
 * An ask belongs to the list it is in; whoever takes it answers it, which frees it.
 */
#include "daemon/tmux.h"

enum tmux_ask_kind { ASK_WORDS, ASK_OPEN, ASK_PANES };

struct tmux_asked {
	struct tmux_asked *next;
	enum tmux_ask_kind kind;
	char **words; /* of the command; of ASK_OPEN, without the command's name; may be NULL */
	tmux_on_answer *on_answer; /* NULL: nobody wants to know */
	void *data;
	unsigned losses; /* the connection was lost before it was answered */
};
struct tmux_asked *tmux_asked_new(enum tmux_ask_kind kind, tmux_on_answer *on_answer, void *data);
void tmux_asked_free(struct tmux_asked *ask); /* without an answer */
void tmux_asked_answer(struct tmux_asked *ask, const char *output, size_t len, const char *error);
/* Whoever asked with this `data` is gone. NULL is fine. */
void tmux_asked_cancel(struct tmux_asked *ask, const void *data);
/* Somebody asked, and does not want to know. */
void tmux_asked_nobody(const char *output, size_t len, const char *error, void *data);

struct tmux_asks {
	struct tmux_asked *first, **end;
};
void tmux_asks_init(struct tmux_asks *a);
void tmux_asks_fini(struct tmux_asks *a);
void tmux_asks_add(struct tmux_asks *a, struct tmux_asked *ask);
void tmux_asks_move(struct tmux_asks *from, struct tmux_asks *to); /* all of them, to its end */
struct tmux_asked *tmux_asks_take(struct tmux_asks *a);		   /* the first, or NULL */
struct tmux_asked *tmux_asks_take_open(struct tmux_asks *a);	   /* the first ASK_OPEN, or NULL */
void tmux_asks_cancel(struct tmux_asks *a, const void *data);
