#pragma once
/*
 * Points in time as people say them, seen from `now` in a zone (H21): RFC 3339, a local date-time
 * ("2026-02-20 15:00", "2026-02-20"), "15:30", "3pm", "3:30 pm", "noon", "midnight", "now",
 * "today 5pm", "tomorrow 9am", "tomorrow", "monday 10:00", "mon", "next friday noon",
 * "feb 20 3pm", "20 feb 2027 15:00", "february 20th", and "in 2h" / "in 2 hours".
 *
 * A time of day alone is its next occurrence (later today, else tomorrow). A weekday alone is the
 * next such day after today, or today when its time is still to come; "next friday" is never today.
 * A month and day without a year is the next such date. A day without a time is 09:00, but where it
 * bounds a span: there it is the whole day, from its beginning or to its last microsecond, and a
 * weekday or date is today's as long as today lasts.
 * Failure: ERR_INVALID that quotes the offending word and gives its column, and a hint with the
 * nearest word or examples. Nothing is guessed: "13pm", "feb 30", "monday tuesday" are errors.
 */
#include "base/error.h"
#include "schedule/zone.h"

enum phrase_use { PHRASE_MOMENT, PHRASE_BEGIN, PHRASE_END };

int phrase_parse(const char *text, usec_t now, const struct zone *zone, usec_t *ret,
		 struct error *err);

/* The same for what a span begins or ends with. Returns 1 when a whole day was named, else 0. */
int phrase_parse_bound(const char *text, enum phrase_use use, usec_t now, const struct zone *zone,
		       usec_t *ret, struct error *err);

/*
 * When it names a local time that a clock change skips: a sentence that says so and what is meant
 * instead. NULL for everything else.
 */
char *phrase_gap(const char *text, usec_t now, const struct zone *zone);
