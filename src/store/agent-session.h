#pragma once
/*
 * Sessions of agents: conversations of clients that have Belfry's hooks, hosted by Belfry or not. A row is
 * made by the first hook, or the first boundary, of a session, under the client's own id and its user: whoever
 * else says that id speaks of a session of their own.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/words.h"

#define SESSION_ID_MAX 128

struct agent_session {
	char *id;
	char *owner;		    /* the user; never NULL */
	char *agent;		    /* NULL: none that we know */
	int64_t mission;	    /* whose run it is; 0: not hosted */
	char *directory;	    /* NULL: not known */
	char *transcript;	    /* NULL: not known */
	int64_t pid, pid_start;	    /* of the client; 0: not known */
	char *boot;		    /* NULL: not known */
	int64_t calls;		    /* prompts so far */
	usec_t created_at, seen_at; /* the last event */
	usec_t ended_at;	    /* USEC_NONE: not that we know */
	char *heard; /* its last events, to know them again; NULL: none (hook-once.c) */
};
/* Whether a hook has spoken of it. Until then it is nobody's: whoever names it first does not own it. */
bool agent_session_is_told(const struct agent_session *s);
void agent_session_free(struct agent_session *s);
DEFINE_AUTO(struct agent_session, agent_session_free)

/* That user's; `owner` NULL: whosesoever, seen last. *ret is NULL when there is none. */
int agent_session_find(struct db *db, const char *id, const char *owner, struct agent_session **ret,
		       struct error *err);
/* That process's, of that user, seen last; *ret is NULL when there is none. */
int agent_session_of_process(struct db *db, int64_t pid, int64_t pid_start, const char *boot,
			     const char *owner, struct agent_session **ret, struct error *err);
/* Of a run of that mission, seen since then, the last one; *ret is NULL when there is none. */
int agent_session_of_mission(struct db *db, int64_t mission, usec_t since,
			     struct agent_session **ret, struct error *err);
/* Insert, or replace that user's row with that id. */
int agent_session_put(struct db *db, const struct agent_session *s, struct error *err);
/* Retention: those without pending boundaries, not seen since. */
int agent_session_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err);
