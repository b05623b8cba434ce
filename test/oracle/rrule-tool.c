/*
 * rrule-tool.c: rrule.h by lines, for an oracle to compare. A question is four fields with tabs
 * between them, DTSTART, text, AFTER and N; its answer is a line with the next N local times after
 * AFTER, or "error MESSAGE". Times are in seconds, in UTC.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/rrule.h"

static void answer(const char *text, local_t dtstart, local_t after, long n)
{
	AUTO(rrule_free) struct rrule *rule = NULL;
	struct error err = {0};

	if (rrule_parse(text, zone_utc(), dtstart, &rule, &err) < 0) {
		printf("error %s\n", err.message);
		return;
	}
	for (long i = 0; i < n && rrule_next_local(rule, after, &after); i++)
		printf("%s%" PRId64, i ? " " : "", after);
	putchar('\n');
}

int main(void)
{
	char line[16384];

	while (fgets(line, sizeof(line), stdin)) {
		char *rest = line;
		const char *dtstart = strsep(&rest, "\t"), *text = strsep(&rest, "\t");
		const char *after = strsep(&rest, "\t"), *n = strsep(&rest, "\t");

		if (!n) {
			fprintf(stderr, "rrule-tool: a line without four fields\n");
			return 2;
		}
		answer(text, strtoll(dtstart, NULL, 10), strtoll(after, NULL, 10),
		       strtol(n, NULL, 10));
	}
	return 0;
}
