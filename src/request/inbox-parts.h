#pragma once
/* What inbox.c and inbox-search.c share: pages, and the cursors between them. */
#include "base/json.h"

/* At least 1; whatever is more than `most` is asked for page by page. */
int inbox_read_limit(const json_t *args, const char *key, int usual, int most, int *ret,
		     struct error *err);
/* The number at *at, and what is behind it. */
bool inbox_take_number(const char **at, int64_t *ret);
int inbox_bad_cursor(const char *cursor, struct error *err);
