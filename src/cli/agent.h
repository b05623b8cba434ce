#pragma once
/* What the commands around live agents share. */
#include "cli/cli.h"

/* The row of an agent in the answer to "agent list", borrowed; NULL when there is none. */
const json_t *agent_in(const json_t *all, const char *name);
/* Whether it has a session now: starting, idle, busy or blocked. */
bool agent_is_present(const json_t *row);
/* The row of an agent, as the daemon has it. ERR_NOT_FOUND with the nearest name. */
int agent_ask(const struct cli *c, const char *name, json_t **ret, struct error *err);
/* The same, and it has a session: ERR_CONFLICT, with how it gets one. */
int agent_ask_present(const struct cli *c, const char *name, json_t **ret, struct error *err);
/* The same, also of one that only has a window: its session is of a store that was put back since. */
int agent_ask_window(const struct cli *c, const char *name, json_t **ret, struct error *err);
/* Sessions are opened and ended by a daemon; where none may be started, there must be one. */
int agent_need_daemon(const struct cli *c, const char *why, struct error *err);

/*
 * Its window in the private tmux server. A person looks at it with a client and a session of their
 * own, so that everybody sees the window they chose.
 */
struct agent_window {
	char *id, *pane; /* of tmux: "@2", "%3" */
};
void agent_window_fini(struct agent_window *w);
#define AUTO_WINDOW __attribute__((cleanup(agent_window_fini)))
/* "tmux 3.3a"; ERR_UNAVAILABLE when it is not installed, or cannot say. */
int agent_tmux_version(const struct home *h, char **ret, struct error *err);
/* Of an agent's row. ERR_UNAVAILABLE when it is not there, or tmux is not installed. */
int agent_window_find(const struct home *h, const json_t *row, struct agent_window *ret,
		      struct error *err);
/* What it shows, as text; and so many lines above it. Empty lines at the end are left out. */
int agent_window_text(const struct home *h, const struct agent_window *w, int64_t above,
		      struct buf *ret, struct error *err);
/* Show it on this terminal until the person leaves, or it has ended. Returns tmux's exit status. */
int agent_window_attach(const struct home *h, const struct agent_window *w, bool read_only,
			struct error *err);

/*
 * Look at an agent that has a session, on this terminal, until the person leaves or it has ended;
 * which of them it was is told. Returns the exit status.
 */
int agent_attach(const struct cli *c, const json_t *row, bool read_only, struct error *err);
/* Refuse unless both input and output are a terminal; the hint is what to do without one. */
int agent_need_terminal(const char *what, const char *hint, struct error *err);
