#pragma once
/*
 * Recurrence rules of RFC 5545, expanded by ourselves, in local time. The text is either a bare
 * rule ("FREQ=DAILY;BYHOUR=9") or lines/words of iCalendar: DTSTART[;TZID=ZONE]:…, RRULE:…,
 * EXDATE[;TZID=…]:…, RDATE[;TZID=…]:…, separated by newlines or white space, case ignored.
 * A seek costs the same a week and ten years after DTSTART; impossible rules answer "none" at once.
 */
#include <stdbool.h>

#include "base/auto.h"
#include "base/error.h"
#include "schedule/calendar.h"
#include "schedule/zone.h"

struct rrule;

/*
 * `zone` and `dtstart` serve where the text names none; a TZID in the text wins. Instants in UTC
 * form (UNTIL=…Z, EXDATE:…Z) are turned into local times of the rule's zone.
 * Failure: ERR_INVALID naming part, value and column.
 */
int rrule_parse(const char *text, const struct zone *zone, local_t dtstart, struct rrule **ret,
		struct error *err);
void rrule_free(struct rrule *rule);
DEFINE_AUTO(struct rrule, rrule_free)

/* The first occurrence strictly after `after`, with COUNT, UNTIL, EXDATE and RDATE applied. */
bool rrule_next_local(const struct rrule *rule, local_t after, local_t *ret);

const struct zone *rrule_zone(const struct rrule *rule);
local_t rrule_dtstart(const struct rrule *rule);

/* FREQ HOURLY and finer follow real local times across a clock change instead of being shifted. */
bool rrule_is_subdaily(const struct rrule *rule);

/* "daily", "weekly", … for a list. */
const char *rrule_freq_word(const struct rrule *rule);

/* Whether the text itself fixes the time of day (DTSTART or BYHOUR, or BYMINUTE for HOURLY …);
 * when not, it is inherited from the moment of creation, which deserves a warning. */
bool rrule_fixes_time(const struct rrule *rule);
