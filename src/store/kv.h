#pragma once
/* A few facts that are not rows of anything else: names to texts. */
#include "store/db.h"

int kv_get(struct db *db, const char *name, char **ret, struct error *err); /* *ret NULL: absent */
int kv_set(struct db *db, const char *name, const char *text, struct error *err); /* NULL deletes */
/* Every name that starts with `prefix`, in order. */
int kv_each(struct db *db, const char *prefix,
	    void (*each)(const char *name, const char *text, void *data), void *data,
	    struct error *err);
