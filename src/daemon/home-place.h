#pragma once
/*
 * A home knows its own place, so that a copy of one is told from one that was moved. Both homes would fire everything
 * that is in both.
 */
#include <stdbool.h>

#include "base/error.h"
#include "config/home.h"

/*
 * With the lock of the home. 0: it is where it was, or was moved or restored here; the place is noted. ERR_DENIED: it is
 * a copy of a home that is still there, *ret_origin; then nothing is noted.
 */
int home_place_check(const struct home *h, char **ret_origin, struct error *err);
/* From now on it is a home of its own, with another id. */
int home_place_settle(const struct home *h, struct error *err);

/* What a home is known by where it is moved to another place or machine. NULL: it cannot be told. Caller frees. */
char *home_place_id(const struct home *h);
