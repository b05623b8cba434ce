/*
 * schedule-bench.c: what one schedule_next() costs, already parsed, with its zone.
 * Every figure is the fastest of several runs, in CPU time, since whatever else the machine does
 * can only add to it. "in a row" asks from the answer before, as the engine does; "scattered" asks
 * from random instants of one year instead, so that no answer helps with the next. Nothing here
 * passes or fails.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "schedule/schedule.h"

#define RUNS 25
#define QUESTIONS 100000
#define YEAR (365 * USEC_PER_DAY)
#define START ((usec_t)1767225600 * USEC_PER_SEC) /* 2026-01-01 */

/* clang-format off */
static const struct bench {
	const char *name;
	enum schedule_kind kind;
	const char *text, *zone;
	usec_t from; /* how long after START the questions begin */
} benches[] = {
	{"cron, UTC",                    SCHEDULE_CRON,  "30 2 * * *",        "UTC", 0},
	{"cron, daily",                  SCHEDULE_CRON,  "30 2 * * *",        "Europe/Berlin", 0},
	{"cron, weekdays",               SCHEDULE_CRON,  "0 9 * * 1-5",       "America/New_York", 0},
	{"cron, every 15 minutes",       SCHEDULE_CRON,  "*/15 * * * *",      "Europe/Berlin", 0},
	{"cron, working hours",          SCHEDULE_CRON,  "*/10 9-17 * * 1-5", "America/New_York", 0},
	{"cron, first of the month",     SCHEDULE_CRON,  "0 0 1 * *",         "Asia/Tokyo", 0},
	{"cron, last Friday",            SCHEDULE_CRON,  "0 17 * * friL",     "America/New_York", 0},
	{"cron, leap day",               SCHEDULE_CRON,  "0 0 29 2 *",        "Europe/Berlin", 0},
	{"every",                        SCHEDULE_EVERY, "30m",               "UTC", 0},
	{"rrule daily, near",            SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "Europe/Berlin", 0},
	{"rrule daily, ten years on",    SCHEDULE_RRULE, "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "Europe/Berlin", 10 * YEAR},
	{"rrule weekly, near",           SCHEDULE_RRULE, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR", "America/New_York", 0},
	{"rrule weekly, ten years on",   SCHEDULE_RRULE, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR", "America/New_York", 10 * YEAR},
	{"rrule monthly, near",          SCHEDULE_RRULE, "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17", "America/New_York", 0},
	{"rrule monthly, ten years on",  SCHEDULE_RRULE, "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17", "America/New_York", 10 * YEAR},
	{"rrule minutely, near",         SCHEDULE_RRULE, "FREQ=MINUTELY;INTERVAL=30", "Europe/Berlin", 0},
	{"rrule minutely, ten years on", SCHEDULE_RRULE, "FREQ=MINUTELY;INTERVAL=30", "Europe/Berlin", 10 * YEAR},
};
/* clang-format on */

/* In a row, but within the decade: what lies at the end of time is not what anybody waits for. */
static usec_t ask_in_a_row(const struct schedule *s, usec_t from, uint64_t *random)
{
	usec_t at = from, next;

	(void)random;
	for (int i = 0; i < QUESTIONS; i++)
		at = schedule_next(s, at, &next) && next < from + 10 * YEAR ? next : from;
	return at;
}

static usec_t ask_scattered(const struct schedule *s, usec_t from, uint64_t *random)
{
	usec_t sum = 0, next = 0;

	for (int i = 0; i < QUESTIONS; i++) {
		*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		schedule_next(s, from + (usec_t)((*random >> 16) % (uint64_t)YEAR), &next);
		sum ^= next;
	}
	return sum;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure(const struct schedule *s, usec_t from,
		      usec_t (*ask)(const struct schedule *, usec_t, uint64_t *))
{
	static volatile usec_t sink; /* so that the answers are needed */
	double best = 0;
	uint64_t random = 1;

	for (int i = 0; i < RUNS; i++) {
		double begin = cpu_ns(), took;

		sink = ask(s, from, &random);
		took = (cpu_ns() - begin) / QUESTIONS;
		best = i == 0 || took < best ? took : best;
	}
	(void)sink;
	return best;
}

int main(void)
{
	printf("%-30s %12s %12s\n", "ns per schedule_next()", "in a row", "scattered");
	for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
		const struct bench *b = &benches[i];
		struct schedule_spec spec = {b->kind, b->text, NULL, START};
		AUTO(schedule_free) struct schedule *s = NULL;
		struct error err = {0};

		if (zone_get(b->zone, &spec.zone, &err) < 0 ||
		    schedule_parse(&spec, &s, &err) < 0) {
			fprintf(stderr, "%s: %s\n", b->name, err.message);
			return 1;
		}
		printf("%-30s %12.1f %12.1f\n", b->name, measure(s, START + b->from, ask_in_a_row),
		       measure(s, START + b->from, ask_scattered));
	}
	return 0;
}
