#pragma once
/*
 * Live agents: sessions that run until somebody stops them, and are told what is for them when they
 * can hear it. All are called inside a turn.
 *
 * A session begins in three steps, each of which can be done again after a crash:
 *	start    the row says `starting`, and a window is wished for (JOB_OPEN)
 *	opened   the window is there; in it runs `belfry wrapper host AGENT`
 *	host     that process says who it is, becomes the wrapper of an interactive run, and gets its
 *	         order. Another host of the same agent is refused while this one lives, so that no
 *	         agent ever runs twice.
 * It ends with that run. A window without a host within LIVE_HOST_WAIT is closed and told as failed.
 *
 * What is queued for it is offered one at a time (JOB_TYPE), by what it is doing:
 *	idle        interrupt, normal, idle-first (newest first), idle
 *	busy        interrupt, normal
 *	blocked     interrupt
 *	starting    nothing
 *	gone        nothing; what is queued waits, or its reminder has a fallback
 * After a message was delivered it counts as busy, until there is newer evidence. What was typed while
 * it worked is delivered when it has taken it up, and goes back when its session ends before (live-line.c).
 */
#include "engine/engine.h"
#include "store/live.h"
#include "store/queue.h"

#define LIVE_ENDED_ITSELF                                                                          \
	"it ended by itself" /* as its end_reason: somebody left it at its window */
#define LIVE_HOST_WAIT (30 * USEC_PER_SEC)
#define LIVE_OFFERS_MAX 3 /* unconfirmed so often: failed, and the person is told */
#define LIVE_STARTS_MAX 3 /* by --fallback start, without having become idle in between */
#define LIVE_SENDS_WINDOW (10 * USEC_PER_MINUTE) /* what agents may write to each other, so that */
#define LIVE_SENDS_MAX 60			 /* two that answer each other end at some point */
/* What is longer is a file to read: Claude Code shows a paste of more than 800 characters, or of more
 * than three lines, as a mark, which does not show what it is. */
/* How the end of a JOB_TYPE begins that was nobody's failure: nothing was typed, or no Enter came after
 * it. It waits, and is offered again after LIVE_REST; what gave way to another, at once. */
#define LIVE_NOT_NOW "not typed: "
#define LIVE_UNSENT "not sent: "
/* It was typed and sent while the agent worked: its client keeps it until it has done that. */
#define LIVE_IN_LINE "typed in; its model has not taken it up yet"
#define LIVE_GIVES_WAY "a more urgent one goes first"
#define LIVE_UNSHOWN "its screen does not show what is typed"
#define LIVE_TYPED_INTO "somebody types into its input line"
#define LIVE_REST (15 * USEC_PER_SEC)
#define LIVE_REST_UNSHOWN (5 * USEC_PER_MINUTE) /* each try types into what nobody knows */
#define LIVE_TOLD_AGAIN USEC_PER_DAY /* the person is told of the same question only so often */
#define LIVE_TYPED_MAX 600	     /* bytes */
#define LIVE_TYPED_LINES 3
#define LIVE_WHOLE_MAX ((size_t)64 * 1024) /* of what is pasted whole, where files cannot be read */

/*
 * Somebody starts it. `role` NULL: the one it had, else none. `fresh`: a new conversation even when
 * there is one to go on with. ERR_CONFLICT when it is there already, ERR_INVALID when its adapter
 * cannot be interactive. *ret is its row.
 */
int engine_live_start(struct engine *e, const char *agent, const char *role, bool fresh, usec_t now,
		      struct live **ret, struct error *err);
/* Its run is asked to end (SIGTERM, then SIGKILL). ERR_CONFLICT when it is not there. */
int engine_live_stop(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err);
/* Stop it when it is there, and start it in the same conversation as soon as it has gone. */
int engine_live_restart(struct engine *e, const char *agent, usec_t now, struct live **ret,
			struct error *err);
/*
 * Forget it. Returns 1 when it was there and has been told to end: nothing else has happened yet, ask
 * again until that is 0. `with_reminders`: those for it are cancelled, else they stay. *ret_count is
 * how many were cancelled.
 */
int engine_live_remove(struct engine *e, const char *agent, bool with_reminders, usec_t now,
		       int64_t *ret_count, struct error *err);
/* The process in its window: see above. *ret is its order; the caller frees. */
int engine_live_host(struct engine *e, const char *agent, const struct process_id *host, usec_t now,
		     char **ret, struct error *err);

/*
 * A message for an agent. `sender` is the agent that writes, NULL for a person; that one is bounded
 * by LIVE_SENDS_MAX (ERR_CONFLICT). Only white space is ERR_INVALID. *ret is its row.
 */
int engine_live_send(struct engine *e, const char *agent, const char *sender, const char *text,
		     enum priority priority, usec_t now, struct message **ret, struct error *err);

/* --- what the daemon saw ------------------------------------------------------------------ */

/* Its window is open, or (JOB_WATCH) still there. */
int engine_live_opened(struct engine *e, const char *agent, const char *pane, usec_t now,
		       struct error *err);
/* It could not be opened, or is there no more. A session whose run still lives is ended with it. */
int engine_live_lost(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err);
/*
 * It has waited for an answer for a while; `screen` is what it shows. The person is told once, and of
 * the same question again only after LIVE_TOLD_AGAIN.
 */
int engine_live_asks(struct engine *e, const char *agent, const char *screen, usec_t now,
		     struct error *err);
/* It has taken up a message that stood in its client's own line: that is its delivery. */
int engine_live_taken(struct engine *e, const char *agent, const char *message, usec_t now,
		      struct error *err);
/* Whether a message stands there, and all of an agent's that do. */
bool engine_live_in_line(const struct message *m);
int engine_live_line(struct engine *e, const char *agent, struct message_list *ret,
		     struct error *err);
/* An interrupt put the text of a message back into its input line: it is queued again. */
int engine_live_returned(struct engine *e, const char *agent, const char *message, usec_t now,
			 struct error *err);
/* Its client did not take it up, by a hook that blocked it, say: it is offered again, or given up. */
int engine_live_untaken(struct engine *e, const char *agent, const char *message, const char *why,
			usec_t now, struct error *err);
/* Its hooks told which conversation it is in: a later start goes on with that. */
int engine_live_session(struct engine *e, const char *agent, const char *session, usec_t now,
			struct error *err);
/* A window of it is open, and has been before this daemon began: unless its row knows, the person is told, once. */
int engine_live_stranger(struct engine *e, const char *agent, usec_t now, struct error *err);
/* What it does changed, at `since`; `evidence` is for people. Not called with `gone`. */
int engine_live_seen(struct engine *e, const char *agent, enum presence state, const char *evidence,
		     usec_t since, usec_t now, struct error *err);
