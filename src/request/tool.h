#pragma once
/* What the rows for agents (tool-*.c) share. */
#include "request/read.h"
#include "request/request.h"

/*
 * What every answer about times also says: `now`, `timezone` (the zone that applies; `item` is one the
 * arguments name, or NULL), `timezone_source`, `scheduler_running`.
 */
int tool_put_now(const struct request *rq, const char *item, json_t *result, struct error *err);
/* The same for output schemas: properties, and names for `required`. */
#define TOOL_NOW_PROPERTIES                                                                        \
	"\"now\":{\"type\":\"string\",\"description\":\"the time of this answer, RFC 3339\"},"     \
	"\"timezone\":{\"type\":\"string\",\"description\":\"in which local times were read\"},"   \
	"\"timezone_source\":{\"type\":\"string\",\"description\":\"who said so: item, user, "     \
	"config, TZ, system or default\"},"                                                        \
	"\"scheduler_running\":{\"type\":\"boolean\",\"description\":\"false: it is saved, but "   \
	"nothing fires until a daemon runs\"}"
#define TOOL_NOW_REQUIRED "\"now\",\"timezone\",\"timezone_source\",\"scheduler_running\""
