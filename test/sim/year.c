/*
 * year.c: a year of crons in zones that change their clocks, run to the end. The ledger has to hold
 * each occurrence once, and those are found without our own zone files: the C library says what the
 * clock on the wall shows, minute by minute.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/random.h"
#include "store/policy.h"
#include "store/slot.h"

#define YEAR_START ((usec_t)1767225600 * USEC_PER_SEC) /* 2026-01-01T00:00:00Z */
#define YEAR_END (YEAR_START + 365 * USEC_PER_DAY)
#define STEP (10 * USEC_PER_MINUTE)
#define CONFIG 2 /* whose maxConcurrent, by crons_limit(), is 3 */

/* clang-format off */
static const struct year_cron {
	const char *name, *zone, *schedule, *more;
	int hour;
	int minutes[3]; /* -1: no more */
	bool workdays;
} crons[] = {
	{"york",    "America/New_York",   "30 2 * * *",        "overlap: skip",              2,  {30, -1},     false},
	{"berlin",  "Europe/Berlin",      "0,20,40 2 * * *",   "overlap: queue",             2,  {0, 20, 40},  false},
	{"howe",    "Australia/Lord_Howe", "15,45 2 * * *",    "overlap: replace",           2,  {15, 45, -1}, false},
	{"london",  "Europe/London",      "30 1 * * *",        "overlap: skip",              1,  {30, -1},     false},
	{"sydney",  "Australia/Sydney",   "30 14 * * 1-5",     "overlap: allow",             14, {30, -1},     true},
	{"kolkata", "Asia/Kolkata",       "5,15,25 9 * * 1-5", "overlap: allow",             9,  {5, 15, 25},  true},
	{"santiago", "America/Santiago",  "30 0 * * *",        "max_attempts: 2",            0,  {30, -1},     false},
};
/* clang-format on */
#define CRONS (sizeof(crons) / sizeof(crons[0]))

struct instants {
	usec_t *list;
	size_t count;
};

static void add_instant(struct instants *to, time_t at)
{
	to->list = mem_grow(to->list, to->count + 1, sizeof(*to->list));
	to->list[to->count++] = (usec_t)at * USEC_PER_SEC;
}

static int by_time(const void *a, const void *b)
{
	usec_t x = *(const usec_t *)a, y = *(const usec_t *)b;

	return x < y ? -1 : x > y;
}

/* What the clock on the wall shows, as seconds of a day that has no zone. */
static time_t wall_at(time_t t)
{
	struct tm tm;

	localtime_r(&t, &tm);
	return timegm(&tm);
}

static bool matches(const struct year_cron *c, time_t wall)
{
	struct tm tm;
	bool minute = false;

	gmtime_r(&wall, &tm);
	for (int i = 0; i < 3 && c->minutes[i] >= 0; i++)
		minute |= c->minutes[i] == tm.tm_min;
	return minute && tm.tm_hour == c->hour &&
	       (!c->workdays || (tm.tm_wday >= 1 && tm.tm_wday <= 5));
}

/* Lord Howe's gap of half an hour moves 02:15 onto 02:45, which is one instant and one occurrence. */
static void drop_doubles(struct instants *of)
{
	size_t kept = 0;

	for (size_t i = 0; i < of->count; i++)
		if (!kept || of->list[kept - 1] != of->list[i])
			of->list[kept++] = of->list[i];
	of->count = kept;
}

/*
 * In a gap, later by its length: 02:30 is 03:30. In an overlap the first pass only: a time on the wall
 * that is not later than the latest one so far was shown before.
 */
static void expect(const struct year_cron *c, struct instants *ret)
{
	time_t from = (time_t)(YEAR_START / USEC_PER_SEC), to = (time_t)(YEAR_END / USEC_PER_SEC);
	time_t latest;

	setenv("TZ", c->zone, 1);
	tzset();
	latest = wall_at(from);
	for (time_t t = from + 60; t <= to; t += 60) {
		time_t wall = wall_at(t);

		for (time_t skipped = latest + 60; skipped < wall; skipped += 60)
			if (matches(c, skipped))
				add_instant(ret, t + (skipped - latest - 60));
		if (wall > latest && matches(c, wall))
			add_instant(ret, t);
		latest = wall > latest ? wall : latest;
	}
	unsetenv("TZ");
	tzset();
	qsort(ret->list, ret->count, sizeof(*ret->list), by_time);
	drop_doubles(ret);
}

static struct config *make_config(void)
{
	AUTO_BUF struct buf text = {0};
	struct config *config = NULL;
	struct error err = {0};

	buf_printf(&text,
		   "timezone: UTC\nretention: 5000w\nagents: {builder: {command: [work]}}\n"
		   "crons:\n  maxConcurrent: %d\n",
		   (int)crons_limit(CONFIG));
	for (size_t i = 0; i < CRONS; i++)
		buf_printf(&text,
			   "  %s: {schedule: \"%s\", timezone: %s, agent: builder, prompt: go,"
			   " pause_after: 0, %s}\n",
			   crons[i].name, crons[i].schedule, crons[i].zone, crons[i].more);
	if (config_parse(buf_text(&text), text.len, "config.yml", &config, &err) < 0) {
		fprintf(stderr, "sim: its own configuration is wrong: %s\n", err.message);
		exit(2);
	}
	return config;
}

static void compare(struct world *w, const struct year_cron *c)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO_SLOTS struct slot_list slots = {0};
	struct instants want = {0};
	struct error err = {0};
	int64_t outcomes[16] = {0};

	expect(c, &want);
	if (policy_find(w->db, DOOR_CRON, c->name, &r, &err) < 0 || !r ||
	    slot_list(w->db, r->key, 0, 100000, &slots, &err) < 0)
		broke(w, "cron '%s' is not there", c->name);
	else if (slots.count != want.count)
		broke(w, "A2: cron '%s' has %zu occurrences, its wall clock %zu", c->name,
		      slots.count, want.count);
	for (size_t i = 0; !w->broken && i < slots.count; i++) {
		const struct slot *slot = slots.items[slots.count - 1 - i];

		outcomes[slot->outcome]++;
		if (slot->nominal != want.list[i] || slot->occurrences != 1)
			broke(w, "A2: cron '%s' has %lld, its wall clock %lld", c->name,
			      (long long)slot->nominal, (long long)want.list[i]);
	}
	printf("%-9s %4zu occurrences: %lld ran, %lld failed, %lld skipped, %lld cancelled, %lld "
	       "missed\n",
	       c->name, want.count, (long long)outcomes[OUTCOME_RAN],
	       (long long)outcomes[OUTCOME_FAILED], (long long)outcomes[OUTCOME_SKIPPED],
	       (long long)outcomes[OUTCOME_CANCELLED], (long long)outcomes[OUTCOME_MISSED]);
	free(want.list);
}

static void pass_time(struct world *w)
{
	usec_t next = wrapper_idle(w) && !w->running_count ? YEAR_END : w->now + STEP;

	if (w->wake != USEC_NONE && w->wake < next)
		next = w->wake > w->now ? w->wake : w->now;
	w->now = next < YEAR_END ? next : YEAR_END;
}

static void live(struct world *w)
{
	struct turn_plan plan = {.end_percent = 100};

	while (w->now < YEAR_END && !w->broken) {
		pass_time(w);
		plan.crash = chance_percent(&w->chance, 1) ? CRASH_AFTER_JOBS : CRASH_NONE;
		turn_settle(w, &plan);
	}
	plan.kind = true;
	plan.crash = CRASH_NONE;
	while (!w->broken && (!wrapper_idle(w) || w->running_count))
		turn_settle(w, &plan);
}

bool year_run(bool verbose)
{
	struct world *w = mem_zalloc(sizeof(*w));
	struct error err = {0};
	bool fine;

	w->verbose = verbose;
	w->chance.state = 2026;
	w->missions = true;
	w->now = YEAR_START;
	w->config = CONFIG;
	w->concurrent = crons_limit(CONFIG);
	w->configs[CONFIG] = make_config();
	random_seed(1);
	if (store_open("sqlite::memory:", &w->db, &err) < 0)
		broke(w, "cannot open the store: %s", err.message);
	turn_crash(w);
	live(w);
	oracle_missions_check(w, false);
	for (size_t i = 0; i < CRONS && !w->broken; i++)
		compare(w, &crons[i]);
	printf("%lld turns, %lld crashes%s%s\n", (long long)w->turns, (long long)w->crashes,
	       w->broken ? ": " : "", w->broken ? w->broken : "");
	fine = !w->broken;
	engine_free(w->engine);
	db_close(w->db);
	config_free(w->configs[CONFIG]);
	free(w->sightings);
	free(w->runs);
	free(w->broken);
	free(w);
	return fine;
}
