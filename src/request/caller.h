#pragma once
/*
 * Who asks. A surface hands in a claim, made of how the asking process was started:
 *
 *	{"surface": "mcp", "user": "alice", "session": "…", "agent": "builder",
 *	 "mission": "mis-k3f9x2", "process": {"pid": 1, "pid_start": 2, "boot": "…"}}
 *
 * Every key may be missing; none at all is the person at the command line. `mission` wins: a run works
 * for the user of its mission, and with no more trust than that carries. `process` is the client's, which
 * finds the session its hooks have told of, also after the client began another one; a session of a
 * channel (its name has a ':') is taken as it is said.
 */
#include <string.h>

#include "request/request.h"

/*
 * Fill in *ret, whose texts are owned by `keep` (a JSON object made here; the caller frees it when the
 * request is done). Inside a turn. A claim that names a mission that is not there is ERR_DENIED for a
 * tool, and ERR_NOT_FOUND elsewhere.
 */
int caller_resolve(struct engine *e, const json_t *claim, usec_t now, json_t **ret_keep,
		   struct caller *ret, struct error *err);

/* Whether this caller may use this row at all: ERR_DENIED, and the error mentions trust. */
int caller_may(const struct caller *c, const struct request_row *row, struct error *err);

/* Whether it works for the person at this machine, themselves or by a run or a tool. */
static inline bool caller_is_person(const struct caller *c)
{
	return strcmp(c->user, "me") == 0;
}

/* Whose rows it may see: its user, or NULL for all of them. */
static inline const char *caller_scope(const struct caller *c)
{
	return c->scoped ? c->user : NULL;
}

/*
 * A new reminder of this caller, whose agent is set: owner, trust, session, made_by, source, and the
 * targets of its deliveries, frozen here. A run that has made too many is ERR_CONFLICT
 * (CALLER_PENDING_MAX, CALLER_RATE_MAX), and one for another agent without full trust ERR_DENIED.
 */
struct reminder;
struct mission;
struct config;
int caller_stamp(const struct request *rq, struct reminder *r, struct error *err);
/* The same of a mission that is ordered by hand: owner, trust, made_by. */
int caller_stamp_mission(const struct request *rq, struct mission *m, struct error *err);
/* Whether it may schedule for this agent; before an edit gives something to another. */
int caller_check_agent(const struct request *rq, const char *agent, struct error *err);
#define CALLER_PENDING_MAX 50 /* active reminders that runs have made for one user */
#define CALLER_RATE_MAX 30    /* reminders and missions that they have made in an hour */

/*
 * Where the answers to what a user (NULL: nobody known) asked for in a session (NULL: in none) go:
 * "channel:target", a JSON array.
 * A direct conversation ("AGENT:dm:CHANNEL:TARGET") is its own target; else all of the user's
 * patterns that are no terminal; else, for the person at this machine, their inbox ("inbox:me").
 */
json_t *caller_targets(const struct config *config, const char *session, const char *user);
