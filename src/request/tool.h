#pragma once
/*
 * What the rows for agents (tool-*.c) share. A tool is a thin face of the same requests that people
 * make: it reads times itself, so that its errors speak of its own arguments, and hands the rest on.
 */
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
/* A line of warning when nothing will fire. */
void tool_say_scheduler(const json_t *result, struct buf *out);

/* Properties and names of tool_put_when(): fire_at, local_time, relative; null when never. */
#define TOOL_WHEN_PROPERTIES                                                                       \
	"\"fire_at\":{\"type\":[\"string\",\"null\"],\"description\":\"RFC 3339 with offset\"},"   \
	"\"local_time\":{\"type\":[\"string\",\"null\"],\"description\":\"the same for people, "   \
	"like Feb 4, 2026 3:15 PM PST\"},"                                                         \
	"\"relative\":{\"type\":[\"string\",\"null\"],\"description\":\"seen from now, like in "   \
	"30 minutes\"}"
#define TOOL_WHEN_REQUIRED "\"fire_at\",\"local_time\",\"relative\""
void tool_put_when(const struct request *rq, usec_t at, const struct zone *zone, json_t *o);
/* "Feb 4, 2026 3:15 PM PST (in 30 minutes)", of what tool_put_when() has put. */
void tool_say_when(const json_t *o, struct buf *out);
/* A note that a local time does not exist, after what is noted already; and the note as words. */
#define TOOL_NOTE_PROPERTY                                                                         \
	"\"note\":{\"type\":\"string\",\"description\":\"what the user should know\"}"
void tool_note_gap(const struct request *rq, const json_t *args, const char *key,
		   const struct zone *zone, json_t *o);
void tool_say_note(const json_t *o, struct buf *out);
/* A text of somebody else's among Belfry's own words: one line, so that it cannot pose as them. */
void tool_say_line(const char *text, struct buf *out);
/* "1 hour 30 minutes": two units at most, rounded down. The caller frees. */
char *tool_span_words(usec_t span);

/* A text as it is, or the first `max` bytes of it and "…". A new reference. */
json_t *tool_excerpt(const char *text, size_t max);

/* The arguments without those that are null, which are not given. A new reference. */
json_t *tool_given(const json_t *args);
/* Those of `keys` (ending with NULL) into `into`, under the names after them. */
struct tool_key {
	const char *from, *to;
};
void tool_copy(const json_t *args, const struct tool_key *keys, json_t *into);
/* ERR_INVALID, "missing required parameter: KEY". */
int tool_refuse_missing(const char *key, const char *hint, struct error *err);

/* A number from 1 to `most`; *ret is the default. */
int tool_read_limit(const json_t *args, const char *key, int64_t most, int64_t *ret,
		    struct error *err);
/* The zone of the argument `timezone`, else the one that applies. */
int tool_read_zone(const struct request *rq, const json_t *args, const struct zone **ret,
		   struct error *err);
/*
 * `key` (a point in time) or `in` (a span): the instant, which has to be in the future, put into
 * `plain` as `at`, exactly. Returns 1, or 0 when neither is given.
 */
int tool_read_when(const struct request *rq, const json_t *args, const char *key,
		   const struct zone *zone, json_t *plain, struct error *err);

/* Who runs it: the argument `agent`, else the caller's own if it can be run, else the default one. NULL
 * on failure. */
const struct config_agent *tool_agent(const struct request *rq, const json_t *args,
				      struct error *err);

/*
 * One of the caller's own reminders, by id, unique prefix or name. What belongs to others is not
 * found, like what is not there: "Reminder rem_1 not found."; `what` is its first word.
 */
int tool_find_own(const struct request *rq, const char *what, const char *id, struct reminder **ret,
		  struct error *err);

/* Errors of the requests behind a tool name flags; a model has arguments: "--max-attempts" becomes
 * "max_attempts", but where a command is quoted. */
void tool_plain_error(struct error *err);
/* The hint "it takes: a, b, c". */
int tool_hint_args(const struct request_row *row, struct error *err);

/* lesson.c: words that name which of these lessons (a JSON array of ids as text; NULL: none) are not there; NULL:
 * all are. The caller frees. */
char *lesson_missing(const struct request *rq, const char *ids);
