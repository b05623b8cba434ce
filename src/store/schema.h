#pragma once
/* The tables, as steps from one version to the next. Apart from store.h so that tests can add one.
 */
#include "store/db.h"

#define SCHEMA_APPLICATION_ID 0x426c6672 /* "Blfr" */

/* steps[v] takes version v to v + 1; count is the newest version. */
/* Whether there is nothing of ours in it yet. */
int schema_is_empty(struct db *db, bool *ret, struct error *err);
int schema_migrate(struct db *db, const char *const *steps, int count, struct error *err);
extern const char *const schema_steps[];
extern const int schema_version;
