#pragma once
/*
 * Boundaries: reminders that an agent set for its own session, after so many prompts or minutes. While one
 * waits, pattern reminders are suppressed in that session.
 *	waiting     it holds
 *	offered     its hook was given the block; `printed`: and has printed it. The next event of the
 *	            session proves that it went on: delivered. Not printed: it is offered again
 *	queued      put in the queue of the live agent that its session is
 *	delivered, passed (it had nothing to say), cleared      ends
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/words.h"

#define BOUNDARY_ID_MAX 16

struct boundary_row {
	int64_t key;
	char id[BOUNDARY_ID_MAX]; /* "b-" and eight characters */
	char *session, *owner;
	char *host;		     /* the live agent that its session is; NULL: none */
	int64_t set_call;	     /* the session's calls when it was set */
	int64_t due_call;	     /* -1: not by calls */
	usec_t due_at;		     /* USEC_NONE: not by time */
	char *message, *step, *note; /* NULL: none */
	char *lessons;		     /* ["a", "b"], JSON; NULL: none */
	enum boundary state;
	bool printed;
	int64_t queue; /* the row it became; 0 */
	usec_t created_at, updated_at, offered_at, ended_at;
};
void boundary_row_free(struct boundary_row *b);
DEFINE_AUTO(struct boundary_row, boundary_row_free)

struct boundary_row_list {
	struct boundary_row **items;
	size_t count;
};
void boundary_row_list_fini(struct boundary_row_list *list);
#define AUTO_BOUNDARIES __attribute__((cleanup(boundary_row_list_fini)))

int boundary_insert(struct db *db, struct boundary_row *b, struct error *err); /* sets key and id */
/* Write state, printed, queue, updated_at, offered_at, ended_at, host. */
int boundary_update(struct db *db, const struct boundary_row *b, struct error *err);
/* Of a session, not ended, oldest first. */
int boundary_pending(struct db *db, const char *session, struct boundary_row_list *ret,
		     struct error *err);
/* Of all sessions of a user (NULL: of everybody), not ended, by session and then oldest first. */
int boundary_pending_of(struct db *db, const char *owner, int limit, struct boundary_row_list *ret,
			struct error *err);
/* Of hosted sessions, waiting and due by time; and when the next one is, or USEC_NONE. */
int boundary_due(struct db *db, usec_t now, int limit, struct boundary_row_list *ret,
		 struct error *err);
int boundary_next_due(struct db *db, usec_t *ret, struct error *err);
/* In the queue of that live agent, or the last that was heard of them, oldest first. */
int boundary_queued(struct db *db, const char *host, struct boundary_row_list *ret,
		    struct error *err);
/* Those that wait in sessions of a mission are that live agent's now. */
int boundary_set_host(struct db *db, int64_t mission, const char *host, usec_t now,
		      struct error *err);
int boundary_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err);
/* Of a session, not ended, oldest first: those that this user set there, since anybody may say the name of a session. */
int boundary_pending_by(struct db *db, const char *session, const char *owner,
			struct boundary_row_list *ret, struct error *err);
