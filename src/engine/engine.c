/*
 * engine.c: the engine as a whole: its configuration, the jobs a turn wishes for, and when it next
 * has something to do. It has no state of its own that matters: throw it away and make a new one
 * on the same store, and the next turn decides the same.
 */
#include "engine/inbox.h"
#include "engine/internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "engine/seed.h"

/* Nothing is known of what waits in the store: the next turn looks at all of it. */
static void look_again(struct engine *e)
{
	e->heads_stale = true;
	e->imports_open = true;
	e->replanning = true;
	e->zone_stale = true;
	e->line_stale = true;
	e->waits_stale = true;
	e->seed_stale = true;
	e->inbox_stale = true;
	e->asks_stale = true;
	e->live_stale = true;
	e->idle_stale = true;
	e->hooks_stale = true;
	e->checks_stale = true;
}

struct engine *engine_new(struct db *db, struct config *config)
{
	struct engine *e = mem_zalloc(sizeof(*e));

	e->db = db;
	e->config = config;
	e->clock_at = e->clock_before = e->clock_seen = e->clock_ahead = USEC_NONE;
	e->clock_low = e->clock_low_noted = e->clock_leap = USEC_NONE;
	e->zones_at = e->moved_at = USEC_NONE;
	e->prune_at = e->line_at = e->asks_at = e->live_at = e->hooks_at = USEC_NONE;
	e->checks_at = USEC_NONE;
	look_again(e);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	engine_drop_jobs(e);
	free(e->jobs);
	free(e->state_dir);
	free(e->absence);
	if (e->seeded)
		seed_report_fini(e->seeded);
	free(e->seeded);
	buf_fini(&e->missed);
	free(e->looped);
	free(e->looped_who);
	free(e);
}

struct db *engine_db(struct engine *e)
{
	return e->db;
}

const struct config *engine_config(const struct engine *e)
{
	return e->config;
}

void engine_set_config(struct engine *e, struct config *config)
{
	e->config = config;
	e->heads_stale = true;
	e->seed_stale = true;
	e->zone_stale = true;
	e->line_stale = true;
	e->live_stale = true;
}

void engine_set_counter(struct engine *e, usec_t counter)
{
	e->counter = counter;
}

void engine_set_absence(struct engine *e, const char *why)
{
	mem_replace(&e->absence, why);
}

void engine_set_state_dir(struct engine *e, const char *path)
{
	mem_replace(&e->state_dir, path);
}

void engine_add_job(struct engine *e, struct job *stolen)
{
	if (e->job_count == e->job_cap) {
		e->job_cap = e->job_cap ? e->job_cap * 2 : 16;
		e->jobs = mem_grow(e->jobs, e->job_cap, sizeof(*e->jobs));
	}
	e->jobs[e->job_count++] = stolen;
}

struct job *engine_take_job(struct engine *e)
{
	struct job *job;

	if (e->job_taken == e->job_count) {
		e->job_taken = e->job_count = 0;
		return NULL;
	}
	job = e->jobs[e->job_taken];
	e->jobs[e->job_taken++] = NULL;
	return job;
}

size_t engine_job_count(const struct engine *e)
{
	return e->job_count;
}

void engine_undo_jobs(struct engine *e, size_t count)
{
	while (e->job_count > count)
		job_free(e->jobs[--e->job_count]);
}

void engine_drop_jobs(struct engine *e)
{
	struct job *job;

	while ((job = engine_take_job(e)))
		job_free(job);
	/* What the turn thought it had put right was rolled back with it. */
	look_again(e);
	missed_forget(e);
	clock_undo(e);
}

int engine_take_over(struct engine *e, const char *from, usec_t now, struct error *err)
{
	AUTO(free) char *why = mem_printf("the store was taken over from %s", from);
	AUTO_BUF struct buf names = {0}, text = {0};
	int r;

	/* Sessions first: the end of its run would begin one again that waits for that. */
	if ((r = live_abandon(e, why, now, err)) < 0 ||
	    (r = run_abandon(e, why, &names, now, err)) < 0)
		return r;
	buf_printf(&text, "The store was taken over from %s. ", from);
	if (names.len)
		buf_printf(&text,
			   "Whether these missions still run there is not known, and they are not "
			   "run again: %s. ",
			   buf_text(&names));
	buf_add_str(&text,
		    "Crons are now those of the configuration here. Texts of messages and logs "
		    "of missions stay in the other home.");
	return engine_tell(e, buf_text(&text), now, err);
}

int engine_recover(struct engine *e, usec_t now, struct error *err)
{
	int r;

	if ((r = import_recover(e, err)) < 0 || (r = replan_recover(e, err)) < 0 ||
	    (r = replan_tell_lost(e, now, err)) < 0 || (r = check_recover(e, now, err)) < 0)
		return r;
	look_again(e);
	r = mission_recover(e, now, err);
	if (r < 0 || (r = deliver_recover(e, now, err)) < 0)
		return r;
	return live_recover(e, now, err);
}

int engine_job_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	switch (end->kind) {
	case JOB_CHECK:
		return check_ended(e, now, end, err);
	case JOB_DELIVER:
		return deliver_ended(e, now, end, err);
	case JOB_TYPE:
		return live_typed(e, now, end, err);
	case JOB_SWEEP:
		return run_swept(e, now, end, err);
	case JOB_REMOVE:
		return mission_removed(e, now, end, err);
	case JOB_REMOVE_THREAD:
		inbox_removed(end);
		return 0;
	default: /* wrappers answer by engine_run_started() and engine_run_ended() */
		return 0;
	}
}

int engine_next_wake(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	usec_t due = USEC_NONE, attempt = USEC_NONE, line = USEC_NONE, upkeep = USEC_NONE;
	usec_t inbox = USEC_NONE, live = USEC_NONE, hooks = USEC_NONE, checks = USEC_NONE;
	int r;

	if ((r = reminder_next_due(e->db, &due, err)) < 0 ||
	    (r = queue_next_attempt(e->db, &attempt, err)) < 0 ||
	    (r = line_next(e, now, &line, err)) < 0 || (r = inbox_next(e, now, &inbox, err)) < 0 ||
	    (r = live_next(e, now, &live, err)) < 0 || (r = hook_next(e, now, &hooks, err)) < 0 ||
	    (r = check_next(e, now, &checks, err)) < 0 ||
	    (r = maintain_next(e, now, &upkeep, err)) < 0)
		return r;
	*ret = usec_earlier(usec_earlier(due, attempt), usec_earlier(line, upkeep));
	*ret = usec_earlier(usec_earlier(*ret, hooks), usec_earlier(inbox, live));
	*ret = usec_earlier(*ret, checks);
	return 0;
}
