#pragma once
/* Copies of a database that is a file: private, whole, and synced before they have their name. */
#include <stdbool.h>

#include "base/error.h"

struct sqlite3;

/* Make an empty file of our own, mode 0600, or leave the one that is there. */
int sqlite_make_private(const char *path, struct error *err);
/* The file's bytes, then its name `to`. */
int sqlite_settle(const char *from, const char *to, struct error *err);
/*
 * Put at `to` what an open connection sees, also when its files have no name any more. `check`: pages may be
 * missing; then there is no copy, and an error. Not inside a transaction.
 */
int sqlite_copy(struct sqlite3 *from, const char *to, bool check, struct error *err);
/* Of what was saved of `path` before, as PATH.saved-TIME, the newest few stay. */
void sqlite_prune_copies(const char *path);
