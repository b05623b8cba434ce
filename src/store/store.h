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

/* The whole check `belfry doctor` runs: integrity, foreign keys, version. "" in ret when sound,
 * else what is wrong, one line each. */
struct buf;
int store_check(struct db *db, struct buf *ret, struct error *err);
