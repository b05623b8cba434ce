#pragma once
/*
 * A schedule answers one question: after a given instant, when does it fire next?
 * Immutable once parsed. The zone belongs to the schedule, never to the caller. Every function is
 * pure and bounded in work, whatever was typed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "schedule/zone.h"

struct schedule;

/* `idle` stands last: it has no times of its own, the others do. */
enum schedule_kind { SCHEDULE_AT, SCHEDULE_EVERY, SCHEDULE_CRON, SCHEDULE_RRULE, SCHEDULE_IDLE };
#define SCHEDULE_KINDS 5

struct schedule_spec {
	enum schedule_kind kind;
	const char *text; /* at: RFC 3339; every, idle: a duration; cron: a line; rrule: a rule */
	const struct zone *zone; /* an rrule's own TZID wins */
	usec_t anchor; /* every: the grid's origin; rrule: DTSTART where the text has none */
};

/* "at", "every", "cron", "rrule", "idle", and back (-1 when unknown). */
const char *schedule_kind_word(enum schedule_kind kind);
int schedule_kind_of(const char *word);

/*
 * Success: 0, *ret is the caller's. Failure: ERR_INVALID that names the place in the text.
 * `every` and `idle` below one second are refused, and so is a year of `idle`. A schedule that can never fire is not an error here.
 */
int schedule_parse(const struct schedule_spec *spec, struct schedule **ret, struct error *err);
void schedule_free(struct schedule *s);
DEFINE_AUTO(struct schedule, schedule_free)

/*
 * Find the first firing strictly after `after`. Returns 1 and sets *ret, or 0 when there is none.
 * Fixed local times skipped by a clock change fire later by the gap, repeated ones fire the first
 * time; hourly cron lines and sub-daily rules follow real local times: none in a gap, both passes
 * of an overlap. Firings at the same instant are one.
 */
int schedule_next(const struct schedule *s, usec_t after, usec_t *ret);

/* The last firing at or before `upto`, searched with schedule_next() in logarithmic steps.
 * Looks no further back than `floor`: returns 0 when there is none in (floor, upto]. */
int schedule_prev(const struct schedule *s, usec_t floor, usec_t upto, usec_t *ret);

/* How many firings lie in (after, upto]; exact for `every` and `at`, else stops at `limit`. */
int64_t schedule_count(const struct schedule *s, usec_t after, usec_t upto, int64_t limit);

enum schedule_kind schedule_kind(const struct schedule *s);
/* Of `every`: its interval. Of `idle`: how long an agent has to be idle; schedule_next() answers for
 * it: never. */
usec_t schedule_span(const struct schedule *s);
const struct zone *schedule_zone(const struct schedule *s);

/* For a list column: "every 30m", "RRULE(daily)", "cron 0 9 * * *", "idle 5m", "once". Caller frees. */
char *schedule_label(const struct schedule *s);

/*
 * For a person, one clause without the zone: "every 30 minutes", "at 9:00 AM on weekdays",
 * "every month on the last Friday at 5:00 PM", "once at Feb 4, 2026 3:15 PM PST", "when idle for 5m"; the bare
 * text when no plain words fit ("by the cron line 5 4 1W * *"). Caller frees.
 */
char *schedule_describe(const struct schedule *s);

/* Things worth telling whoever made this schedule, "" or one sentence: an RRULE by the day whose
 * time of day was inherited from the moment of creation, for example. Caller frees. */
char *schedule_warning(const struct schedule *s);
