/*
 * start.c: a rule without DTSTART begins at its first real occurrence, so that COUNT counts what
 * will fire. That is an anchor beside the text, but for a local time that a clock change skips: no
 * instant shows it, so the text says it.
 */
#include "schedule/start.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "schedule/rrule.h"
#include "schedule/schedule.h"

#define RULE_WORD "RRULE:"

/* The rule without its COUNT part, which ends at ';', white space or the end. */
static char *without_count(const char *rule)
{
	const char *count = strcasestr(rule, "COUNT=");
	const char *rest;

	if (!count)
		return mem_strdup(rule);
	rest = count + strcspn(count, "; \t\n");
	if (*rest == ';')
		rest++;
	else if (count > rule && count[-1] == ';')
		count--;
	return mem_printf("%.*s%s", (int)(count - rule), rule, rest);
}

char *start_rule_at(const char *rule, const struct zone *zone, local_t start)
{
	struct civil c = civil_from_local(start);

	return mem_printf("DTSTART;TZID=%s:%04d%02d%02dT%02d%02d%02d\n%s%s", zone_name(zone),
			  c.year, c.month, c.day, c.hour, c.minute, c.second,
			  strchr(rule, ':') ? "" : RULE_WORD, rule);
}

/*
 * Rules by the day or longer are asked for local times: one that a clock change moves must not move
 * the time of day of all that follow.
 */
char *start_rule(const char *rule, const struct zone *zone, usec_t now, usec_t *ret_anchor)
{
	AUTO(free) char *endless = without_count(rule);
	AUTO(schedule_free) struct schedule *s = NULL;
	AUTO(rrule_free) struct rrule *parsed = NULL;
	usec_t anchor = now - floor_mod(now, USEC_PER_SEC), first;
	struct schedule_spec spec = {SCHEDULE_RRULE, endless, zone, anchor};
	struct error unreadable = {0};
	local_t local = zone_local(zone, anchor);

	*ret_anchor = anchor;
	if (strcasestr(rule, "DTSTART") || schedule_parse(&spec, &s, &unreadable) < 0 ||
	    !schedule_next(s, now, &first) ||
	    rrule_parse(endless, zone, local, &parsed, &unreadable) < 0)
		return mem_strdup(rule);
	*ret_anchor = first;
	if (rrule_is_subdaily(parsed))
		return mem_strdup(rule);
	for (local--; rrule_next_local(parsed, local, &local);)
		if (zone_instant(zone, local) >= first)
			break;
	return zone_local(zone, first) == local ? mem_strdup(rule)
						: start_rule_at(rule, zone, local);
}

/* Behind the start; without the word that start_rule_at() puts before a bare rule. */
static const char *rule_behind(const char *line)
{
	bool bare = strncmp(line, RULE_WORD, strlen(RULE_WORD)) == 0 &&
		    !strchr(line + strlen(RULE_WORD), ':');

	return bare ? line + strlen(RULE_WORD) : line;
}

/* Where in `kept` the rule is, behind a start that start_rule() wrote; NULL when it wrote none. */
static const char *find_said(const char *kept, const struct zone *zone, usec_t anchor,
			     local_t *ret_start)
{
	AUTO(rrule_free) struct rrule *rule = NULL;
	const char *rest = strchr(kept, '\n');
	struct error unreadable = {0};
	usec_t moved;

	if (strncmp(kept, "DTSTART", 7) != 0 || !rest ||
	    rrule_parse(kept, zone, 0, &rule, &unreadable) < 0)
		return NULL;
	zone = rrule_zone(rule);
	*ret_start = rrule_dtstart(rule);
	moved = zone_instant(zone, *ret_start);
	/* In no gap, or anchored at the moment of its creation, as those are that were said. */
	if (zone_local(zone, moved) == *ret_start || anchor > moved ||
	    zone_local(zone, anchor) <= *ret_start)
		return NULL;
	return rule_behind(rest + 1);
}

char *start_said(const char *kept, const struct zone *zone, usec_t anchor)
{
	local_t start;
	const char *said = find_said(kept, zone, anchor, &start);

	return mem_strdup(said ? said : kept);
}

char *start_move(const char *kept, const struct zone *to, usec_t *anchor)
{
	local_t start;
	const char *said = find_said(kept, to, *anchor, &start);

	if (!said)
		return mem_strdup(kept);
	*anchor = zone_instant(to, start);
	return zone_local(to, *anchor) == start ? mem_strdup(said) : start_rule_at(said, to, start);
}

bool start_is_of_rule(const char *kept, const char *rule)
{
	const char *rest = strchr(kept, '\n');

	if (strcmp(kept, rule) == 0)
		return true;
	if (strcasestr(rule, "DTSTART") || strncmp(kept, "DTSTART", 7) != 0 || !rest)
		return false;
	rest++;
	if (!strchr(rule, ':') && strncmp(rest, RULE_WORD, strlen(RULE_WORD)) == 0)
		rest += strlen(RULE_WORD);
	return strcmp(rest, rule) == 0;
}
