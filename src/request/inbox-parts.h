#pragma once
/* What inbox.c and inbox-search.c share: pages, and the cursors between them. */
#include "base/json.h"
#include "request/request.h"
#include "store/mission.h"
#include "store/thread.h"

/* At least 1; whatever is more than `most` is asked for page by page. */
int inbox_read_limit(const json_t *args, const char *key, int usual, int most, int *ret,
		     struct error *err);
/* The number at *at, and what is behind it. */
bool inbox_take_number(const char **at, int64_t *ret);
/* Whether it is the caller's to see; `m` is its mission, or NULL. A thread is whose what it is about is. */
int inbox_is_seen(const struct request *rq, const struct thread *t, const struct mission *m,
		  bool *ret, struct error *err);
/* Its mission, or NULL when it has none. */
int inbox_mission(const struct request *rq, const struct thread *t, struct mission **ret,
		  struct error *err);
int inbox_bad_cursor(const char *cursor, struct error *err);
