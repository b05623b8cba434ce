/* absence.c: three clocks, compared. */
#include "daemon/absence.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "schedule/duration.h"

#define WORTH_TELLING (2 * USEC_PER_SEC)

static usec_t awake_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (usec_t)ts.tv_sec * USEC_PER_SEC + ts.tv_nsec / 1000;
}

const char *absence_look(struct absence *a, const struct rest *rest)
{
	usec_t boot = clock_monotonic() - a->boot, awake = awake_now() - a->awake;
	usec_t set = clock_now() - a->wall - boot, slept = boot - awake;
	char span[DURATION_TEXT_MAX];

	if (!a->started)
		return "the daemon was not running";
	if (rest->failures) {
		snprintf(a->why, sizeof(a->why), "the store could not be used: %.120s",
			 rest->error.message);
		return a->why;
	}
	if (llabs(set) > WORTH_TELLING && llabs(set) >= slept) {
		duration_format_short(llabs(set), span);
		snprintf(a->why, sizeof(a->why), "the clock was set %s by %s",
			 set > 0 ? "forward" : "back", span);
		return a->why;
	}
	if (slept > WORTH_TELLING)
		return "the machine was asleep";
	return awake > WORTH_TELLING ? "the daemon was busy or stopped" : NULL;
}

void absence_end(struct absence *a)
{
	*a = (struct absence){.wall = clock_now(),
			      .boot = clock_monotonic(),
			      .awake = awake_now(),
			      .started = true};
}
