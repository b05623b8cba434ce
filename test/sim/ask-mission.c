/*
 * ask-mission.c: what people ask of missions, reminders that run with random policies, and the
 * crons that configurations have, lack and change.
 */
#include "sim.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "store/policy.h"

/* --- configurations ----------------------------------------------------------------------- */

int64_t crons_limit(int config)
{
	return 1 + config % 3;
}

/* Names keep their overlap, so that nothing an earlier configuration allowed has to be known. */
static void put_cron(struct buf *out, const char *name, const char *schedule, const char *more)
{
	buf_printf(out, "  %s: {schedule: \"%s\", agent: helper, prompt: go, %s}\n", name, schedule,
		   more);
}

void put_crons(struct world *w, struct buf *out, int config)
{
	static const char *const schedules[] = {"5,35 * * * *", "10 */3 * * *", "30 2 * * *",
						"0 0 * * 1"};
	bool second = config & 1, third = config & 2;

	(void)w;
	buf_printf(out, "    command: [work]\n    maxConcurrent: %d\n", 1 + (config & 1));
	buf_printf(out, "crons:\n  maxConcurrent: %d\n", (int)crons_limit(config));
	if (config & 4)
		return;
	put_cron(out, "skips", schedules[config], "max_attempts: 3, backoff: 2m");
	if (second)
		put_cron(out, "queues", schedules[0],
			 third ? "overlap: queue, enabled: false" : "overlap: queue");
	if (third)
		put_cron(out, "replaces", second ? "61 * * * *" : schedules[1],
			 "overlap: replace, pause_after: 2, retention: 1");
}

/* --- reminders that run ------------------------------------------------------------------- */

static void choose_policy(struct world *w, struct policy *p)
{
	struct chance *c = &w->chance;

	p->overlap = (enum overlap)chance_below(c, 4);
	p->max_attempts = chance_between(c, 1, 3);
	p->retry_on = chance_percent(c, 50) ? RETRY_ALL : chance_below(c, 8);
	p->backoff = chance_between(c, 0, 600) * USEC_PER_SEC;
	p->wait_limit = chance_percent(c, 50) ? chance_between(c, 1, 7200) * USEC_PER_SEC : 0;
	p->retention = chance_below(c, 4);
	p->pause_after = chance_percent(c, 20) ? 2 : 0;
	p->time_limit = chance_percent(c, 50) ? USEC_PER_HOUR : 0;
}

/* What was added to deliver is to run instead, before it first fires. */
static int make_run(struct world *w, const char *id, struct error *err)
{
	static const enum door doors[] = {DOOR_REMINDER, DOOR_TASK};
	AUTO(reminder_free) struct reminder *r = NULL;
	struct policy p = {0};
	int rc = reminder_find(w->db, id, &r, err);

	if (rc < 0)
		return rc;
	engine_policy_defaults(w->engine, doors[chance_below(&w->chance, 2)], r->agent, &p);
	choose_policy(w, &p);
	p.reminder = r->key;
	r->action = ACTION_RUN;
	rc = reminder_update(w->db, r, err);
	return rc < 0 ? rc : policy_insert(w->db, &p, err);
}

void ask_make_run(struct world *w, struct memory *m, const char *id)
{
	struct error err = {0};

	if (make_run(w, id, &err) < 0)
		broke(w, "'%s' cannot be made to run: %s", id, err.message);
	m->runs = true;
}

/* --- what people ask ---------------------------------------------------------------------- */

static struct mission *pick(struct world *w)
{
	AUTO_MISSIONS struct mission_list newest = {0};
	struct mission_filter all = {.door = -1, .archived = true, .limit = 12};
	struct error err = {0};

	if (mission_list(w->db, &all, &newest, &err) < 0 || !newest.count)
		return NULL;
	return steal_ptr(&newest.items[chance_below(&w->chance, (int64_t)newest.count)]);
}

static int new_by_hand(struct world *w, struct error *err)
{
	AUTO(mission_free) struct mission *m = mem_zalloc(sizeof(*m));

	m->agent = mem_strdup(chance_percent(&w->chance, 50) ? "builder" : "helper");
	m->prompt = mem_strdup("by hand");
	m->max_attempts = chance_between(&w->chance, 1, 2);
	m->retry_on = RETRY_ALL;
	m->backoff = 10 * USEC_PER_SEC;
	return engine_mission_new(w->engine, m, w->now, err);
}

static int change(struct world *w, struct mission *m, int64_t what, struct error *err)
{
	if (what < 40)
		return engine_mission_stop(w->engine, m, "enough", w->now, err);
	if (what < 60)
		return engine_mission_resume(w->engine, m, "go on", w->now, err);
	if (what < 75)
		return wrapper_attach(w, m, err);
	if (what < 88)
		return engine_mission_archive(w->engine, m, chance_percent(&w->chance, 60), w->now,
					      err);
	return engine_mission_remove(w->engine, m, w->now, err);
}

void ask_mission(struct world *w)
{
	AUTO(mission_free) struct mission *m = pick(w);
	int64_t what = chance_below(&w->chance, 100);
	size_t jobs = engine_job_count(w->engine);
	struct error err = {0}, undo = {0};
	int rc;

	if (db_savepoint(w->db, &undo) < 0)
		broke(w, "savepoint: %s", undo.message);
	if (chance_percent(&w->chance, 35))
		rc = ask_inbox(w, m, &err);
	else if (!m || chance_percent(&w->chance, 25))
		rc = new_by_hand(w, &err);
	else
		rc = change(w, m, what, &err);
	tell(w, "mission %s, %d: %s", m ? m->id : "new", (int)what, rc < 0 ? err.message : "done");
	if (rc < 0)
		engine_undo_jobs(w->engine, jobs);
	if ((rc < 0 ? db_rollback_to(w->db, &undo) : db_release(w->db, &undo)) < 0)
		broke(w, "savepoint: %s", undo.message);
	if (rc < 0 && (err.code == ERR_SYSTEM || err.code == ERR_UNAVAILABLE))
		broke(w, "a mission could not be changed: %s", err.message);
}
