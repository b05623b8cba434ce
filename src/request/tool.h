#pragma once
/* What the rows for agents (tool-*.c) share. */
#include "request/read.h"
#include "request/request.h"

/*
 * What every answer about times also says: `now`, `timezone` (the zone that applies; `item` is one the
 * arguments name, or NULL), `timezone_source`, `scheduler_running`.
 */
int tool_put_now(const struct request *rq, const char *item, json_t *result, struct error *err);
