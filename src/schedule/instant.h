#pragma once
/* Instants as people and programs write them. */
#include <stddef.h>

#include "base/clock.h"
#include "base/error.h"
#include "schedule/zone.h"

/* Nothing we schedule lies outside the years 1900 to 9998; arithmetic inside cannot overflow. */
#define INSTANT_MIN ((usec_t)-2208988800 * USEC_PER_SEC)
#define INSTANT_MAX ((usec_t)253370764800 * USEC_PER_SEC)

#define INSTANT_TEXT_MAX 80

/*
 * Parse RFC 3339 with an offset or Z ("2026-03-08T03:30:00-04:00", 'T' or space, fractions to
 * microseconds), or without one, as a local time in `zone` (seconds may be left out, and so may the
 * time: then midnight). Failure: ERR_INVALID naming the column.
 */
int instant_parse(const char *text, const struct zone *zone, usec_t *ret, struct error *err);

/* "2026-03-08T03:30:00-04:00"; microseconds only when there are any. `ret` has INSTANT_TEXT_MAX. */
void instant_format(usec_t instant, const struct zone *zone, char *ret);

/* "Feb 4, 2026 3:15 PM PST", for people; seconds where somebody asked for them. */
void instant_format_long(usec_t instant, const struct zone *zone, char *ret);

/*
 * As short as a person in `zone` at `now` needs: "12:30 PM" today, "tomorrow 9:00 AM", "yesterday
 * 9:00 AM", "Feb 20 3:00 PM" within the year, "Feb 20, 2027 3:00 PM" beyond. Seconds are shown
 * ("12:30:05 PM") only when they are not zero, and somebody asked for them (there are no microseconds) or
 * the instant is within an hour of now.
 */
void instant_format_near(usec_t instant, usec_t now, const struct zone *zone, char *ret);
