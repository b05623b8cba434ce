#pragma once
/*
 * How the engine rests while the store fails: not at all the first time, since a connection that
 * was merely cut works again when reopened, then 1 s, and twice as long each time, up to 30 s.
 * The trouble is over when a whole turn has written: a turn that only read proves nothing, and what
 * is small may fit on a disk that is too full for what is due. The diary has one line when trouble
 * begins, a few for its other names, and one when it is over.
 */
#include <stdbool.h>

#include "base/clock.h"
#include "base/error.h"

/* All zero: there is no trouble. */
struct rest {
	unsigned failures; /* in a row */
	usec_t since; /* by clock_now(): the first of them, or whatever led to it; 0: not known yet */
	unsigned named;	    /* lines the diary has of it */
	bool early;	    /* the try before its time, which makes no pause longer */
	struct error error; /* the last one */
	usec_t until;	    /* by clock_monotonic() */
	usec_t try_at;	    /* likewise: a request may try again */
};

/* It failed (again). */
void rest_begin(struct rest *r, const struct error *err);
/* The trouble has this name now; the diary gets its changes, but not for ever. */
void rest_note(struct rest *r, const struct error *err);
/*
 * Whether the store may be tried for a request before the pause is over, so that nobody is answered with the
 * trouble of half a minute ago. Not more often than once a second, and less often where a try takes long.
 */
bool rest_may_try(const struct rest *r);
/* It was tried, from `since` until now. */
void rest_tried(struct rest *r, usec_t since);
/* A request was served meanwhile, so it may work again: try before the pause is over. */
void rest_hurry(struct rest *r);
/* It works (again). */
void rest_end(struct rest *r);

bool rest_is_over(const struct rest *r);
usec_t rest_left(const struct rest *r); /* of the pause; 0 when there is no trouble */
