#pragma once
/*
 * How the engine rests while the store fails: not at all the first time, since a connection that
 * was merely cut works again when reopened, then 1 s, and twice as long each time, up to 30 s.
 */
#include <stdbool.h>

#include "base/clock.h"
#include "base/error.h"

/* All zero: there is no trouble. */
struct rest {
	unsigned failures;  /* in a row */
	struct error error; /* the last one */
	usec_t until;	    /* by clock_monotonic() */
};

/* It failed (again). */
void rest_begin(struct rest *r, const struct error *err);
/* The trouble has this name now; the diary gets each name once. */
void rest_note(struct rest *r, const struct error *err);
/* It works (again). */
void rest_end(struct rest *r);

bool rest_is_over(const struct rest *r);
usec_t rest_left(const struct rest *r); /* of the pause; 0 when there is no trouble */
