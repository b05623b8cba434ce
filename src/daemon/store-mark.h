#pragma once
/*
 * What a home remembers of its stores, outside of them: the file store.mark, with an entry for each and the name of the
 * one it used last, and store.last, with the last commit. By it a database that is gone is told from one that was never there, and one that is older than the
 * home, as a backup is that was put back, from the one it used last.
 */
#include <stdbool.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/home.h"
#include "store/db.h"

/*
 * ERR_DENIED when another store than the one at `url` is what this home used last: a setting that got lost would
 * begin with nothing, without a word.
 */
int store_mark_check_last(const struct home *h, const char *url, struct error *err);

/* Whether this home has used the store at `url`. */
bool store_mark_was_used(const struct home *h, const char *url);
/*
 * ERR_UNAVAILABLE when this home has used the store at `url`, and its file is gone or empty: a new one in its place
 * would forget everything without a word.
 */
int store_mark_check(const struct home *h, const char *url, struct error *err);

/*
 * The store at `url` is open as `db`, and in use from now on. `is_new`: it begins with nothing, on purpose, whatever was
 * there before.
 */
struct store_mark;
int store_mark_open(const struct home *h, const char *url, struct db *db, bool is_new,
		    struct store_mark **ret, struct error *err);
void store_mark_close(struct store_mark *m); /* before the db is; NULL is fine */
DEFINE_AUTO(struct store_mark, store_mark_close)

/* Whether the home has committed to a newer one, until *ret_at. NULL is fine. */
bool store_mark_is_older(const struct store_mark *m, usec_t *ret_at);
/* Missions that left a folder, and that the store does not know. */
int64_t store_mark_unknown_missions(const struct store_mark *m);

/*
 * Around a transaction: after its begin; before its commit, with whether it wrote nothing that people or programs asked
 * for; and after its commit, where it succeeded. settle: this one puts right that the store is older.
 */
void store_mark_begin(struct store_mark *m);
int store_mark_settle(struct store_mark *m, struct error *err);
int store_mark_count(struct store_mark *m, bool only_fires, struct error *err);
void store_mark_commit(struct store_mark *m, usec_t now);
