#pragma once
/*
 * Who asks. A surface hands in a claim, made of how the asking process was started:
 *
 *	{"surface": "mcp", "user": "alice", "session": "…", "agent": "builder",
 *	 "mission": "mis-k3f9x2", "process": {"pid": 1, "pid_start": 2, "boot": "…"}}
 *
 * Every key may be missing; none at all is the person at the command line. `mission` wins: a run works
 * for the user of its mission, and with no more trust than that carries. `process` is the client's, which
 * finds the session its hooks have told of, also after the client began another one.
 */
#include "request/request.h"

/*
 * Fill in *ret, whose texts are owned by `keep` (a JSON object made here; the caller frees it when the
 * request is done). Inside a turn. A claim that names a mission that is not there is ERR_DENIED.
 */
int caller_resolve(struct engine *e, const json_t *claim, usec_t now, json_t **ret_keep,
		   struct caller *ret, struct error *err);

/* Whether this caller may use this row at all: ERR_DENIED, and the error mentions trust. */
int caller_may(const struct caller *c, const struct request_row *row, struct error *err);

/* Whose rows it may see: its user, or NULL for all of them. */
static inline const char *caller_scope(const struct caller *c)
{
	return c->scoped ? c->user : NULL;
}

/*
 * A new reminder of this caller: owner, trust, session, made_by, source, and the targets of its
 * deliveries, frozen here. A run that has made too many is ERR_CONFLICT (CALLER_PENDING_MAX,
 * CALLER_RATE_MAX).
 */
struct reminder;
struct config;
int caller_stamp(const struct request *rq, struct reminder *r, struct error *err);
#define CALLER_PENDING_MAX 50 /* active reminders that runs have made for one user */
#define CALLER_RATE_MAX 30    /* that they have made in an hour */

/*
 * Where the answers to what a user asked for in a session go: "channel:target", a JSON array.
 * A direct conversation ("AGENT:dm:CHANNEL:TARGET") is its own target; else all of the user's
 * patterns that are no terminal; else, for the person at this machine, their inbox ("inbox:me").
 */
json_t *caller_targets(const struct config *config, const char *session, const char *user);
