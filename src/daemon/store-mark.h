#pragma once
/*
 * What a home remembers of its stores, outside of them: the file store.mark, with an entry for each. By it a
 * database that is gone is told from one that was never there, and one that is older than the home from the one it
 * used last.
 */
#include <stdbool.h>

#include "base/error.h"
#include "config/home.h"
#include "store/db.h"

/*
 * ERR_UNAVAILABLE when this home has used the store at `url`, and its file is gone or empty: a new one in its place
 * would forget everything without a word.
 */
int store_mark_check(const struct home *h, const char *url, struct error *err);
/* The store at `url` is in use from now on. */
void store_mark_note(const struct home *h, const char *url);

/*
 * In a transaction: count on. *ret_count is for store_mark_write() after its commit. *ret_older is what to tell
 * when the store is from before the last count, as a backup is; else NULL.
 */
int store_mark_count(const struct home *h, const char *url, struct db *db, int64_t *ret_count,
		     char **ret_older, struct error *err);
void store_mark_write(const struct home *h, const char *url, int64_t count);
