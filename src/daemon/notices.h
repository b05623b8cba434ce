#pragma once
/*
 * Other writers: whoever writes the store beside us, with SQL or from another machine, has done
 * something we may have to act on. The store's descriptor says so, and nobody polls.
 */
#include <uv.h>

#include "store/db.h"

struct notices;
typedef void notices_on_change(void *data);

struct notices *notices_new(uv_loop_t *loop, notices_on_change *on_change, void *data);
void notices_close(struct notices *n);
void notices_free(struct notices *n); /* after the loop has run its last */

/* Listen to this store, unless it is listened to already. */
void notices_follow(struct notices *n, struct db *db);
/* It is about to be closed. */
void notices_leave(struct notices *n);
