/* absence.c: three clocks, compared. */
#include "daemon/absence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "daemon/watchdog.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/zone.h"

#define WORTH_TELLING (2 * USEC_PER_SEC)
#define AWAY_FILE "store.away"
#define AWAY_MAX 256

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

static char *away_path(const struct home *h)
{
	return mem_printf("%s/" AWAY_FILE, h->state_dir);
}

/* Nobody was here, and whoever was here last had no store, which is the reason as well. */
static const char *say_before(struct absence *a, const struct home *h)
{
	AUTO(free) char *path = away_path(h);
	AUTO_BUF struct buf text = {0};
	struct error none = {0};

	if (file_read(path, AWAY_MAX, &text, &none) < 0 || !text.len)
		return "the daemon was not running";
	snprintf(a->why, sizeof(a->why), "%.180s; then the daemon was not running",
		 buf_text(&text));
	return a->why;
}

void absence_note_away(struct absence *a, const struct rest *rest, const struct home *h)
{
	AUTO(free) char *path = NULL;
	AUTO(free) char *text = NULL;
	char since[INSTANT_TEXT_MAX];
	struct error unwritable = {0};
	const char *source;

	/* Once: the first failure is tried again at once, and may have been a cut connection. */
	if (!a->started || rest->failures != 2)
		return;
	instant_format_long(rest->since, zone_of_machine(&source), since);
	path = away_path(h);
	text = mem_printf("the store could not be used since %s: %.120s", since,
			  rest->error.message);
	a->noted = file_write(path, text, strlen(text), &unwritable) == 0;
}

const char *absence_look(struct absence *a, const struct rest *rest, const struct home *h)
{
	struct absence_clocks now = a->look = clocks_now();
	usec_t boot = now.boot - a->last.boot, awake = now.awake - a->last.awake;
	usec_t set = now.wall - a->last.wall - boot, slept = boot - awake;
	char span[DURATION_TEXT_MAX];

	/* A life after one that hung, as on a store that did not answer: the process was there all the time. */
	if (!a->started && watchdog_report())
		return watchdog_report();
	if (!a->started)
		return say_before(a, h);
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
void absence_end(struct absence *a, const struct home *h)
{
	AUTO(free) char *path = away_path(h);

	if (a->noted || !a->started)
		(void)unlink(path);
	*a = (struct absence){.last = a->look, .started = true, .busy = a->busy_now};
}
