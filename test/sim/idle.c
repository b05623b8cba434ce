/*
 * idle.c: an agent that is idle now and then, and reminders that wait for it to be, under random work,
 * changes, crashes, lost turns and clocks that are set. What is promised:
 *
 *	never before the agent has been idle for so long, as its clock ran forwards
 *	at most one fire for each time of idleness and each schedule
 *	and one, once the agent has been idle for so long since the clock was last set back
 *
 * The oracle adds up how far the clock went; it knows nothing of anchors and cursors.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "engine/internal.h"
#include "request/request.h"
#include "store/live.h"

#define BEGIN ((usec_t)1772409600 * USEC_PER_SEC) /* 2026-03-02T00:00:00Z */
#define STEPS 150
#define REMINDERS 3

struct waiter {
	char name[8];
	usec_t span;
	usec_t counted;	   /* how far the clock went since it counts: idleness, creation, … */
	usec_t straight;   /* the same, since the clock was set back as well */
	int64_t fires;	   /* in all, as seen in the store */
	bool paused, done; /* done: it fired in this idleness, by this schedule */
};

struct place {
	struct chance chance;
	bool verbose;
	struct db *db;
	struct config *config;
	struct engine *engine;
	usec_t now;
	enum presence state;
	struct waiter waiters[REMINDERS];
	char *broken;
};

__attribute__((format(printf, 2, 3))) static void object(struct place *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!p->broken && vasprintf(&p->broken, fmt, args) < 0)
		abort();
	va_end(args);
}

static void must(struct place *p, int rc, const struct error *err)
{
	if (rc < 0)
		object(p, "failed: %s", err->message);
}

/* --- the world ---------------------------------------------------------------------------- */

/* One turn; false when it is lost. */
static void turn(struct place *p, bool lose)
{
	struct error err = {0};
	struct job *job;

	must(p, db_begin(p->db, &err), &err);
	must(p, engine_fire_due(p->engine, p->now, &err), &err);
	must(p, engine_dispatch(p->engine, p->now, &err), &err);
	must(p, engine_maintain(p->engine, p->now, &err), &err);
	if (lose) {
		db_rollback(p->db);
		engine_drop_jobs(p->engine);
		return;
	}
	must(p, db_commit(p->db, &err), &err);
	while ((job = engine_take_job(p->engine)))
		job_free(job);
}

static void start(struct place *p)
{
	struct error err = {0};

	engine_free(p->engine);
	p->engine = engine_new(p->db, p->config);
	must(p, db_begin(p->db, &err), &err);
	must(p, engine_recover(p->engine, p->now, &err), &err);
	must(p, db_commit(p->db, &err), &err);
}

static void ask(struct place *p, const char *row, json_t *stolen)
{
	AUTO(json_decref) json_t *args = stolen, *answer = NULL;
	struct request rq = {.engine = p->engine,
			     .now = p->now,
			     .scheduler_running = true,
			     .caller = {.user = "me", .trust = TRUST_FULL}};
	struct error err = {0};

	must(p, db_begin(p->db, &err), &err);
	must(p, request_run(request_find(row), &rq, args, &answer, &err), &err);
	must(p, db_commit(p->db, &err), &err);
}

static void see(struct place *p, enum presence state)
{
	struct live l = {.agent = (char *)"builder",
			 .pane = (char *)"%1",
			 .evidence = (char *)"",
			 .state = state,
			 .since = p->now,
			 .idle_at = state == PRESENCE_IDLE ? p->now : USEC_NONE,
			 .wanted = true,
			 .created_at = BEGIN,
			 .started_at = BEGIN,
			 .ended_at = USEC_NONE};
	struct error err = {0};

	must(p, db_begin(p->db, &err), &err);
	must(p, live_put(p->db, &l, &err), &err);
	must(p, idle_changed(p->engine, &l, p->now, &err), &err);
	must(p, db_commit(p->db, &err), &err);
	p->state = state;
	for (int i = 0; i < REMINDERS; i++) {
		p->waiters[i].done = false;
		p->waiters[i].counted = p->waiters[i].straight = 0;
	}
}

/* The clock goes on, or is set: forwards is as good as idle, backwards begins a part of it anew. */
static void pass(struct place *p, usec_t by)
{
	p->now += by;
	for (int i = 0; i < REMINDERS; i++) {
		struct waiter *w = &p->waiters[i];

		w->counted += by > 0 ? by : 0;
		w->straight = by > 0 ? w->straight + by : 0;
	}
}

/* --- what was promised -------------------------------------------------------------------- */

static void look_at(struct place *p, struct waiter *w)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	struct error err = {0};
	bool may = p->state == PRESENCE_IDLE && !w->paused;

	must(p, reminder_find(p->db, w->name, &r, &err), &err);
	if (!r)
		return;
	if (r->status != (w->paused ? STATUS_PAUSED : STATUS_ACTIVE))
		object(p, "'%s' is %s", w->name, status_word(r->status));
	if (r->fire_count > w->fires + 1 || (r->fire_count > w->fires && w->done))
		object(p, "'%s' fired twice in one idleness", w->name);
	else if (r->fire_count > w->fires && (!may || w->counted < w->span))
		object(p, "'%s' fired too early", w->name);
	w->done |= r->fire_count > w->fires;
	w->fires = r->fire_count;
	if (may && !w->done && w->straight >= w->span)
		object(p, "'%s' did not fire", w->name);
}

static void look(struct place *p)
{
	for (int i = 0; i < REMINDERS; i++)
		look_at(p, &p->waiters[i]);
}

/* --- chance ------------------------------------------------------------------------------- */

static usec_t random_span(struct place *p)
{
	return chance_between(&p->chance, 1, 600) * USEC_PER_SEC;
}

static json_t *naming(const struct waiter *w)
{
	return json_pack("{s:s}", "reminder", w->name);
}

static void reschedule(struct place *p, struct waiter *w, const char *row, json_t *args)
{
	w->span = random_span(p);
	json_put(args, "idle", json_sprintf("%ds", (int)(w->span / USEC_PER_SEC)));
	ask(p, row, args);
	w->done = false;
	w->counted = w->straight = 0;
}

static void change(struct place *p, struct waiter *w)
{
	json_t *args = naming(w);

	if (chance_percent(&p->chance, 30)) {
		reschedule(p, w, "reminder edit", args);
	} else if (chance_percent(&p->chance, 30)) {
		json_put_text(args, "message", "another text");
		ask(p, "reminder edit", args);
	} else if (w->paused) {
		ask(p, "reminder resume", args);
		w->paused = false;
		w->counted = w->straight = 0;
	} else {
		ask(p, "reminder pause", args);
		w->paused = true;
	}
}

static void step(struct place *p)
{
	static const enum presence states[] = {PRESENCE_IDLE, PRESENCE_IDLE, PRESENCE_BUSY,
					       PRESENCE_BLOCKED, PRESENCE_GONE};
	int64_t what = chance_below(&p->chance, 100);

	if (what < 45)
		pass(p, chance_between(&p->chance, 1, 300) * USEC_PER_SEC);
	else if (what < 70)
		see(p, states[chance_below(&p->chance, 5)]);
	else if (what < 82)
		change(p, &p->waiters[chance_below(&p->chance, REMINDERS)]);
	else if (what < 88)
		pass(p, -chance_between(&p->chance, 1, 2000 * USEC_PER_SEC));
	else if (what < 91)
		pass(p, chance_between(&p->chance, 1, 2000 * USEC_PER_SEC));
	else if (what < 95)
		start(p);
	else
		turn(p, true);
	turn(p, false);
	look(p);
}

static void begin(struct place *p)
{
	static const char yaml[] = "timezone: UTC\nagents: {builder: {adapter: claude}}\n";
	struct error err = {0};

	must(p, config_parse(yaml, strlen(yaml), "config.yml", &p->config, &err), &err);
	must(p, world_store_open(&p->db, &err), &err);
	start(p);
	for (int i = 0; i < REMINDERS; i++) {
		struct waiter *w = &p->waiters[i];

		snprintf(w->name, sizeof(w->name), "w%d", i);
		reschedule(p, w, "reminder add",
			   json_pack("{s:s, s:s, s:s}", "agent", "builder", "message", "next?",
				     "name", w->name));
	}
}

bool idle_run(uint64_t seed, bool verbose, char **ret_broken)
{
	struct place p = {.now = BEGIN, .verbose = verbose, .state = PRESENCE_GONE};
	int64_t fires = 0;

	p.chance.state = seed;
	random_seed(seed);
	begin(&p);
	for (int i = 0; i < STEPS && !p.broken; i++)
		step(&p);
	for (int i = 0; i < REMINDERS; i++)
		fires += p.waiters[i].fires;
	if (verbose)
		printf("%lld fires\n", (long long)fires);
	engine_free(p.engine);
	world_store_close(p.db, !p.broken);
	config_free(p.config);
	*ret_broken = p.broken;
	return !p.broken;
}
