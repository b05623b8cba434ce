#pragma once
/*
 * Where a rule begins that does not say so. COUNT counts what will fire and BYSETPOS counts in
 * periods, so the moment somebody wrote the rule down is no beginning: its first occurrence is.
 */
#include <stdbool.h>

#include "schedule/calendar.h"
#include "schedule/zone.h"

/*
 * The text to keep of a rule as somebody gave it at `now`, and its anchor. A rule with a DTSTART is
 * kept as it is, and so is one that cannot be read, for whoever parses the whole to tell. The caller
 * frees.
 */
char *start_rule(const char *rule, const struct zone *zone, usec_t now, usec_t *ret_anchor);

/* The rule with its start in front, which then counts as said, not as inherited. Caller frees. */
char *start_rule_at(const char *rule, const struct zone *zone, local_t start);

/*
 * What was said of a rule that start_rule() kept with this anchor: without a start that only the
 * text could hold. A DTSTART that somebody gave stays. The caller frees.
 */
char *start_said(const char *kept, const struct zone *zone, usec_t anchor);

/* The text to keep when its zone is another one: a start that only the text holds moves along, as a
 * local time. A DTSTART that somebody gave stays where it is. The caller frees. */
char *start_move(const char *kept, const struct zone *to, usec_t *anchor);

/* Whether `kept` is what start_rule() may have made of `rule`, at whatever moment. */
bool start_is_of_rule(const char *kept, const char *rule);
