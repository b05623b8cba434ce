#pragma once
/*
 * Cron lines: five fields (minute hour day-of-month month day-of-week), names, lists, ranges,
 * steps, '?' for '*' in the day fields, L W # as in Quartz ("L", "L-3", "15W", "LW", "5L" or
 * "friL", "fri#2"), and @hourly @daily @midnight @weekly @monthly @yearly @annually.
 * Day-of-month OR day-of-week when both are restricted, as Vixie cron does. Sunday is 0 or 7.
 * Pure calendar arithmetic in local time; schedule.c adds the zone.
 */
#include <stdbool.h>

#include "base/error.h"
#include "schedule/calendar.h"

struct cron; /* plain memory in one allocation: free() releases it */

/* Failure: ERR_INVALID that names field, value and column. @reboot is refused, with a reason. */
int cron_parse(const char *text, struct cron **ret, struct error *err);

/* The first matching minute strictly after `after`. False when there is none, ever: at once. */
bool cron_next_local(const struct cron *cron, local_t after, local_t *ret);

/* Whether the hour field is '*' or a step of it: such a line follows real local times across a
 * clock change instead of being shifted. */
bool cron_is_hourly(const struct cron *cron);
