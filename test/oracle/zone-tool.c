/*
 * zone-tool.c: zone.h by lines, for an oracle to compare. Each line is a question, each answer one
 * line, in the same order:
 *	span ZONE UTC          ->  START END OFFSET DST ABBREVIATION
 *	local ZONE UTC         ->  LOCAL
 *	instant ZONE LOCAL     ->  UTC
 * All in seconds. What cannot be answered is "error MESSAGE".
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schedule/zone.h"

static void print_span(const struct zone *zone, int64_t t)
{
	struct zone_span s;

	zone_span_at(zone, t, &s);
	printf("%" PRId64 " %" PRId64 " %d %d %s\n", s.start, s.end, s.offset, s.dst,
	       s.abbreviation);
}

static void answer(const char *question, const char *zone_name_asked, int64_t t)
{
	const struct zone *zone;
	struct error err;

	if (zone_get(zone_name_asked, &zone, &err) < 0)
		printf("error %s\n", err.message);
	else if (strcmp(question, "span") == 0)
		print_span(zone, t);
	else if (strcmp(question, "local") == 0)
		printf("%" PRId64 "\n", zone_local(zone, t * USEC_PER_SEC));
	else if (strcmp(question, "instant") == 0)
		printf("%" PRId64 "\n", zone_instant(zone, t) / USEC_PER_SEC);
	else
		printf("error unknown question '%s'\n", question);
}

int main(void)
{
	char line[256], question[16], zone[128];
	int64_t t;

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%15s %127s %" SCNd64, question, zone, &t) == 3)
			answer(question, zone, t);
		else
			puts("error bad line");
	}
	return 0;
}
