#pragma once
/*
 * What the files of live.c share: the row of a session, and the ways it begins and ends. A row belongs
 * to the caller, who has read it in this turn; these change it and write it.
 *
 *	live-row.c  the row, and what the daemon is told of it
 *	live.c      it begins, is seen, is looked for again
 *	live-end.c  it ends
 *	live-line.c what stands in its client's own line
 */
#include "engine/live.h"

/* live-row.c */
bool live_row_present(const struct live *l); /* NULL is not there */
bool live_row_hosted(const struct live *l);  /* its process has said who it is */
struct live *live_row_new(const char *agent, usec_t now);
/* Not written yet. */
void live_row_set(struct live *l, enum presence state, const char *evidence, usec_t since);
/* Write it. Whoever waits for what it does is told by that, too. */
int live_row_save(struct engine *e, const struct live *l, usec_t now, struct error *err);
/* The row of an agent that is there, or ERR_CONFLICT. */
int live_need(struct engine *e, const char *agent, struct live **ret, struct error *err);
/* The mission of a row; *ret stays NULL when there is none, or that is gone. */
int live_load_mission(struct engine *e, const struct live *l, struct mission **ret,
		      struct error *err);

/* live.c */
/* Who it is: by the configuration, or by the role it is or was given. *ret is the configuration's. */
int live_find_agent(struct engine *e, const struct live *l, const char *role,
		    const struct config_agent **ret, struct error *err);
/* The row says that it starts, and a window is wished for. Nothing is written when it is refused. */
int live_begin(struct engine *e, struct live *l, const char *role, bool fresh, usec_t now,
	       struct error *err);

/* The role it was to have, or had, is its own no more: it has this one (NULL: none). */
void live_bind_as_row(struct engine *e, const char *agent, const char *role);

/* live-end.c */
/* It is there no more, whatever brought that about. `unexpected`: the person is told. */
int live_gone(struct engine *e, struct live *l, const struct mission *m, const char *reason,
	      bool unexpected, usec_t now, struct error *err);

/* Of sessions that ended by themselves, for which something waits now. */
int live_tell_left(struct engine *e, usec_t now, struct error *err);

/* live-line.c */
/* It was typed while its agent worked: it stays offered until it is taken up, or the session ends. */
int live_line_join(struct engine *e, struct message *m, struct error *err);
/* It stands there no more. Not written yet. */
void live_line_leave(struct message *m);
/* The session is gone, and its line with it: all that stood there is queued again. */
int live_line_put_back(struct engine *e, const char *agent, usec_t now, struct error *err);
