#pragma once
/* Spans of time as people write them: "90s", "30m", "1h30m", "2d", "1w", "250ms". */
#include "base/clock.h"
#include "base/error.h"

#define DURATION_TEXT_MAX 48
#define DURATION_MAX ((usec_t)100 * 366 * USEC_PER_DAY)

/*
 * One or more number+unit pairs, largest unit first, each unit once: w d h m s ms us, and the words
 * week(s) day(s) hour(s) hr(s) minute(s) min(s) second(s) sec(s); spaces between are allowed, and a
 * decimal fraction in the last ("1.5h"). A bare number, a negative one, zero units, or more than a
 * hundred years is ERR_INVALID naming the place, with a hint.
 */
int duration_parse(const char *text, usec_t *ret, struct error *err);

/* The canonical text, exact: "1h30m", "2d", "1w", "250ms"; "0s" for zero. Parses back equal. */
void duration_format(usec_t duration, char *ret);

/* For people, at most two units and rounded down: "20m", "1h 5m", "3d 4h", "45s", "80ms". */
void duration_format_short(usec_t duration, char *ret);
