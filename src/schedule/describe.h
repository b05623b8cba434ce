#pragma once
/* How describe.c and its two helpers put times and days into English. */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "schedule/cron-parts.h"
#include "schedule/rrule.h"

/* Both add one clause and answer true, or leave `out` alone when no plain words fit. */
bool describe_cron(const struct cron *cron, struct buf *out);
bool describe_rrule(const struct rrule *rule, const char *text, struct buf *out);

/* "9:00 AM"; seconds only when there are any. */
void words_add_clock(struct buf *out, int second_of_day);

/* "Monday and Friday", "weekdays", "weekends"; bit 0 is Monday. */
void words_add_weekdays(struct buf *out, uint32_t mask);
const char *words_weekday(int weekday); /* "Monday" for 0 */
const char *words_month(int month);	/* "January" for 1 */

/* "1st", "22nd", and "first" to "fifth" for a weekday's place; -1 is "last". */
void words_add_ordinal(struct buf *out, int number);
const char *words_place(int place);

/* ", " or " and " before item `i` of `count`, nothing before the first. */
void words_add_comma(struct buf *out, int i, int count);

/* "every minute", "every 30 minutes". */
void words_add_every(struct buf *out, int64_t count, const char *unit);
