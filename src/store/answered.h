#pragma once
/*
 * Requests that were carried out, by the id their caller gave them, with their answers. Written in the
 * transaction of the request itself: a row is there when, and only when, what was asked is.
 */
#include "base/clock.h"
#include "store/db.h"

struct answered {
	int64_t digest; /* of what was asked */
	char *result;	/* JSON; NULL: it was done, and its answer is not kept */
};
void answered_fini(struct answered *a);
#define AUTO_ANSWERED __attribute__((cleanup(answered_fini)))

/* Returns 1 and sets *ret, 0 when there is none of that id, or negative. */
int answered_find(struct db *db, const char *id, struct answered *ret, struct error *err);
int answered_add(struct db *db, const char *id, const struct answered *a, usec_t now,
		 struct error *err);
/* Forget all but the newest `keep`, and those from before `before`. */
int answered_prune(struct db *db, usec_t before, int keep, struct error *err);
