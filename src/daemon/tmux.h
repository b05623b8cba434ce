#pragma once
/*
 * The private tmux server, spoken to in control mode: one window a live agent, all in one session,
 * so that one connection hears of all of them. It survives us. It is started when the first window
 * is opened and ends with the last one; without live agents there is neither server nor connection.
 */
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "base/error.h"

#define TMUX_SESSION "belfry"

struct tmux;

struct tmux_calls {
	/* Something new is shown in a pane. */
	void (*on_output)(const char *pane, void *data);
	/* A pane is there no more. */
	void (*on_closed)(const char *pane, void *data);
	/*
	 * The connection is gone, and what was asked has been answered with an error. It is made
	 * again by itself; if the server is gone too, each pane is told as closed.
	 */
	void (*on_lost)(const char *why, void *data);
};
/*
 * `socket` is where the server listens, however long that path is: tmux is started in its folder, and
 * told the name alone. `mask` is the umask of what runs in it. Nothing is called after tmux_close().
 */
struct tmux *tmux_new(uv_loop_t *loop, const char *socket, mode_t mask,
		      const struct tmux_calls *calls, void *data);
void tmux_close(struct tmux *t); /* the server stays; what was asked is done first */
void tmux_free(struct tmux *t);	 /* after the loop has run its last */

/*
 * An answer: what the command printed, or why it failed (`error` not NULL). It may come before the
 * asking function returns.
 */
typedef void tmux_on_answer(const char *output, size_t len, const char *error, void *data);

/*
 * Open a window of that name, running argv (two words or more: one alone would be a line for a shell)
 * in `directory`; the answer is its pane, "%3". Starts the
 * server when there is none. Missing or too old (before 3.2) is an error that says what to do.
 */
void tmux_open(struct tmux *t, const char *name, const char *directory, char *const *argv,
	       tmux_on_answer *on_answer, void *data);
/* Run one command, given as words; they are quoted here. The server must be there. */
void tmux_ask(struct tmux *t, char *const *words, tmux_on_answer *on_answer, void *data);
/* Two commands, between which nothing can change what either of them shows. */
void tmux_ask_both(struct tmux *t, char *const *const words[2], tmux_on_answer *const on_answer[2],
		   void *data);
/* Whether an error came from a server on its way out: asked again, there is none, or another. */
bool tmux_was_ending(const char *error);
/*
 * The panes that are there, one "PANE PID NAME COMMAND" a line, the command being what it was opened
 * with, as tmux writes it; nothing when there is no server.
 */
void tmux_panes(struct tmux *t, tmux_on_answer *on_answer, void *data);
/* Whoever asked with this `data` is gone: it is not answered. What was asked may still be done. */
void tmux_cancel(struct tmux *t, const void *data);
