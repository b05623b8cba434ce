/* absence.c: three clocks, compared. */
#include "daemon/absence.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/watchdog.h"
#include "schedule/duration.h"

#define WORTH_TELLING (2 * USEC_PER_SEC)

static struct absence_clocks clocks_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct absence_clocks){.wall = clock_now(),
				       .boot = clock_monotonic(),
				       .awake = (usec_t)ts.tv_sec * USEC_PER_SEC +
						ts.tv_nsec / 1000};
}

/* Awake, and nobody has set the clock: a request held the turn, or we do not know what did. */
static const char *say_busy(struct absence *a, usec_t awake)
{
	char span[DURATION_TEXT_MAX];

	if (!a->busy.request || a->busy.took < awake / 2)
		return awake > WORTH_TELLING ? "the daemon was busy or stopped"
					     : "the daemon was busy";
	duration_format_short(a->busy.took, span);
	snprintf(a->why, sizeof(a->why), "the daemon was busy for %s with the request '%.60s'",
		 span, a->busy.request);
	return a->why;
}

const char *absence_look(struct absence *a, const struct rest *rest)
{
	struct absence_clocks now = a->look = clocks_now();
	usec_t boot = now.boot - a->last.boot, awake = now.awake - a->last.awake;
	usec_t set = now.wall - a->last.wall - boot, slept = boot - awake;
	char span[DURATION_TEXT_MAX];

	/* A life after one that hung, as on a store that did not answer: the process was there all the time. */
	if (!a->started && watchdog_report())
		return watchdog_report();
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
	return slept > WORTH_TELLING ? "the machine was asleep" : say_busy(a, awake);
}

void absence_note_request(struct absence *a, const char *name, usec_t took)
{
	struct absence_busy *b = &a->busy_now;

	b->took += took;
	if (b->request && b->longest >= took)
		return;
	b->longest = took;
	b->request = name;
}

/* What became due while this turn served requests was not looked at by it: its own look counts, not its end. */
void absence_end(struct absence *a)
{
	*a = (struct absence){.last = a->look, .started = true, .busy = a->busy_now};
}
