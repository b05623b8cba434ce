#pragma once
/*
 * What setups did, in setup.json beside the store: for every file the steps that take it back, and what of
 * it was new. An undo takes out what is named here, and nothing else: without it there is nothing to undo.
 *
 *	{"files": {"claude /home/me/.claude/settings.json": {"sum": "…", "steps": […],
 *	           "added": ["hooks.Stop"], "made": ["hooks"], "created": true, "folders": []}}}
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include <stdbool.h>

/* Never fails for what is in it: a record that cannot be read is an empty one. */
json_t *record_load(const char *folder);
/* Whether a client was set up here. */
bool record_is_there(const char *folder);
int record_save(const char *folder, const json_t *record, struct error *err);
/* Of one file; NULL: nothing is known. Borrowed. */
json_t *record_get(const json_t *record, const char *client, const char *path);
/* entry NULL: forget it. */
void record_put(json_t *record, const char *client, const char *path, json_t *entry);
/* What a text is recognised by. The caller frees. */
char *record_sum(const char *text, size_t len);
bool record_is_of(const json_t *entry, const struct buf *text);
/* Whether a list of texts in an entry has that one. */
bool record_has(const json_t *entry, const char *list, const char *text);
