#pragma once
/*
 * The store: one database, opened, checked, migrated. Nouns (reminder.h, slot.h, queue.h, mission.h,
 * policy.h, board.h, kv.h) are written on its db. Only the turn writes, and only between store's begin and commit.
 */
#include "store/db.h"

/*
 * Open "sqlite:PATH" or "postgres://…", create the schema when empty, migrate an older one (each
 * step one transaction, SQLite files are backed up first), refuse a newer or foreign database.
 */
int store_open(const char *url, struct db **ret, struct error *err);

/*
 * The same, for the one process that works on it: what others do in the meantime it would do a second
 * time. ERR_CONFLICT when another has it; then nothing was written, and *ret_holder is what that one
 * has said of itself, or NULL. `self` is what we say of ourselves; NULL: we do not stay.
 *
 * A store belongs to the home whose daemon had it last: what it runs, and the texts of its messages,
 * are there. ERR_NOT_FOUND when it is empty and the home has `used` it: a new one would forget everything. ERR_DENIED when that is not ours, unless we `take_over`; then *ret_holder is that one.
 */
int store_open_alone(const char *url, const char *self, bool take_over, bool used, struct db **ret,
		     char **ret_holder, struct error *err);
/*
 * From this transaction on it belongs to our home. *ret_before is who had it, as that one has said, where it
 * is another; else NULL.
 */
int store_settle(struct db *db, const char *self, char **ret_before, struct error *err);
/* Say that nobody has it any more, before it is closed. */
void store_leave(struct db *db);

/* The whole check `belfry doctor` runs: integrity, foreign keys, version. "" in ret when sound,
 * else what is wrong, one line each. */
struct buf;
int store_check(struct db *db, struct buf *ret, struct error *err);
