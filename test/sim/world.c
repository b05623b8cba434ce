/*
 * world.c: one seed. A world begins shortly before a clock change somewhere, lives through steps
 * (time passes, jumps or goes back; requests; crashes), and ends with a crash, a recovery, and
 * quiet turns in which everything half-way has to come to its end.
 */
#include "sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/random.h"
#include "config/config.h"

#define QUIET_TURNS_MAX 4000
#define FIRST_YEAR ((usec_t)1767225600 * USEC_PER_SEC)
#define MISSIONS_EVERY 4 /* so many worlds have no missions to one that has */

void world_broke(struct world *w, char *stolen)
{
	tell(w, "BROKEN: %s", stolen);
	if (w->broken)
		free(stolen);
	else
		w->broken = stolen;
}

void world_tell(const struct world *w, const char *fmt, ...)
{
	char when[INSTANT_TEXT_MAX];
	va_list args;

	instant_format(w->now, zone_utc(), when);
	printf("%s  ", when);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

static struct config *make_config(struct world *w, int number)
{
	static const char command[] = "    deliver:\n      command: [hand-over]\n"
				      "      attempts: 3\n      timeout: 30s\n";
	AUTO_BUF struct buf text = {0};
	struct config *config = NULL;
	struct error err = {0};

	buf_printf(&text, "timezone: UTC\nretention: %s\nagents:\n", w->prunes ? "1d" : "5000w");
	buf_printf(&text, "  builder:\n    directory: /tmp\n%s", number & 1 ? command : "");
	buf_add_str(&text, w->missions ? "    adapter: claude\n" : "");
	buf_printf(&text, "  helper:\n    directory: /tmp\n%s", number & 2 ? command : "");
	if (w->missions)
		put_crons(w, &text, number);
	if (config_parse(buf_text(&text), text.len, "config.yml", &config, &err) < 0) {
		fprintf(stderr, "sim: its own configuration is wrong: %s\n", err.message);
		exit(2);
	}
	return config;
}

/* Days before clock changes, and before the day that Apia left out. */
static usec_t random_beginning(struct chance *c)
{
	static const int64_t days[][3] = {
		{2026, 3, 6},	{2026, 3, 27},	{2026, 4, 3},	{2026, 10, 2},
		{2026, 10, 23}, {2026, 10, 30}, {2011, 12, 28}, {2026, 7, 1},
	};
	const int64_t *day = days[chance_below(c, 8)];
	int64_t seconds = days_from_civil((int)day[0], (int)day[1], (int)day[2]) * DAY_SECONDS;

	seconds += chance_below(c, 2 * DAY_SECONDS);
	return seconds * USEC_PER_SEC + (chance_percent(c, 50) ? chance_below(c, 1000000) : 0);
}

static void open_world(struct world *w)
{
	struct error err = {0};

	w->chance.state = w->seed * 0x2545f4914f6cdd1du + 1;
	random_seed(w->seed);
	w->now = random_beginning(&w->chance);
	w->far = chance_percent(&w->chance, 8);
	w->prunes = w->mutant == MUTANT_NONE && chance_percent(&w->chance, 8);
	w->missions = w->mutant >= FIRST_MISSION_MUTANT ||
		      (w->mutant == MUTANT_NONE && w->seed % MISSIONS_EVERY == 0);
	for (int i = 0; i < CONFIGS; i++)
		w->configs[i] = make_config(w, i);
	w->config = 1;
	w->concurrent = crons_limit(w->config);
	if (world_store_open(&w->db, &err) < 0) {
		broke(w, "cannot open the store: %s", err.message);
		return;
	}
	w->engine = engine_new(w->db, w->configs[w->config]);
	turn_crash(w); /* a first start is a start like any other */
	w->crashes = 0;
}

static void close_world(struct world *w)
{
	for (size_t i = 0; i < w->running_count; i++)
		job_free(w->running[i].job);
	engine_free(w->engine);
	world_store_close(w->db, !w->broken);
	for (int i = 0; i < CONFIGS; i++)
		config_free(w->configs[i]);
	free(w->sightings);
	free(w->runs);
}

static void to_next_wake(struct world *w)
{
	usec_t soon = w->now + chance_between(&w->chance, 1, 3 * 86400) * USEC_PER_SEC;

	if (w->wake != USEC_NONE && w->wake < soon)
		soon = w->wake > w->now ? w->wake : w->now;
	w->now = soon + (chance_percent(&w->chance, 50) ? chance_below(&w->chance, 2000000) : 0);
}

static void pass_time(struct world *w)
{
	static const int backs[] = {5, 600, 7200, 200000};
	struct chance *c = &w->chance;
	int64_t what = chance_below(c, 100);
	usec_t before = w->now;

	if (what < 45)
		to_next_wake(w);
	else if (what < 70)
		w->now += chance_between(c, 1, 600 * USEC_PER_SEC);
	else if (what < 84)
		w->now += chance_between(c, 1, 12 * 3600) * USEC_PER_SEC;
	else if (what < 90)
		w->now += chance_between(c, 1, 4 * 86400) * USEC_PER_SEC;
	else if (what < 97)
		w->now -= chance_between(c, 1, backs[chance_below(c, 4)]) * USEC_PER_SEC;
	else if (!w->far)
		w->now += chance_between(c, 1, 40) * USEC_PER_DAY;
	else
		w->now += chance_between(c, -400, 800) * USEC_PER_DAY;
	if (before >= FIRST_YEAR && w->now < FIRST_YEAR)
		w->now = FIRST_YEAR; /* a time before it is another story */
	tell(w, "time passes: %lld s", (long long)((w->now - before) / USEC_PER_SEC));
}

static void change_config(struct world *w, int number)
{
	w->config = number;
	w->concurrent = crons_limit(number);
	wrapper_new_limit(w);
	engine_set_config(w->engine, w->configs[number]);
	tell(w, "configuration %d", w->config);
}

static enum crash random_crash(struct chance *c)
{
	return chance_percent(c, 6) ? (enum crash)chance_between(c, 1, 3) : CRASH_NONE;
}

static void step(struct world *w)
{
	struct turn_plan plan = {0};

	pass_time(w);
	if (chance_percent(&w->chance, w->missions ? 6 : 2))
		change_config(w, (int)chance_below(&w->chance, w->missions ? CONFIGS : 4));
	plan.requests = chance_percent(&w->chance, 45) ? (int)chance_between(&w->chance, 1, 2) : 0;
	plan.end_percent = chance_percent(&w->chance, 70) ? 80 : 0;
	plan.crash = random_crash(&w->chance);
	turn_settle(w, &plan);
	if (!w->broken && chance_percent(&w->chance, 1))
		oracle_check(w);
}

static void live(struct world *w)
{
	struct turn_plan birth = {.requests = 6};
	int64_t steps = chance_between(&w->chance, 40, 120);

	turn_settle(w, &birth);
	for (int64_t i = 0; i < steps && !w->broken; i++) {
		step(w);
		if (w->mutant && !w->mutated && i > steps / 4)
			w->mutated = mutate(w);
	}
}

/* Nothing new becomes due, every job ends: what is half-way has to come to its end. */
static void come_to_rest(struct world *w)
{
	struct turn_plan plan = {.end_percent = 100, .kind = true, .pause_all = true};

	turn_crash(w);
	if (w->missions)
		change_config(w, w->config | 4); /* crons are dropped, and fire no more */
	for (int i = 0; i < QUIET_TURNS_MAX && !w->broken; i++) {
		/* In each turn: what an import has brought last is shown only now. */
		turn_settle(w, &plan);
		if (w->running_count || !wrapper_idle(w))
			continue;
		/* Retention asks for its turn an hour or a day from now; that can wait. */
		if (w->wake == USEC_NONE || w->wake > w->now + 30 * USEC_PER_MINUTE)
			return;
		w->now = w->wake > w->now ? w->wake : w->now;
	}
	broke(w, "the world did not come to rest");
}

bool world_run(const struct plan *plan, bool *ret_mutated, char **ret_broken)
{
	struct world *w = mem_zalloc(sizeof(*w));
	bool fine;

	w->seed = plan->seed;
	w->mutant = plan->mutant;
	w->verbose = plan->verbose;
	w->wake = USEC_NONE;
	open_world(w);
	if (!w->broken)
		live(w);
	if (!w->broken)
		come_to_rest(w);
	if (!w->broken)
		oracle_final(w);
	tell(w, "%lld turns, %lld crashes, %lld fires, %zu reminders", (long long)w->turns,
	     (long long)w->crashes, (long long)w->fires, w->model.count);
	if (w->broken && plan->keep)
		world_store_keep(w->db, plan->keep);
	close_world(w);
	fine = !w->broken;
	*ret_mutated = w->mutated;
	*ret_broken = steal_ptr(&w->broken);
	free(w);
	return fine;
}
