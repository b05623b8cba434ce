/*
 * turn.c: one turn of the engine, in the order of the daemon's: begin, fire what is due, take the
 * ends of jobs, serve requests (each in a savepoint), dispatch, maintain, commit, and only then
 * start jobs. A crash throws away everything that is not in the store.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/change.h"

#define SPIN_MAX 40 /* turns in a row that may be asked for at the same instant */

static void forget_running(struct world *w)
{
	for (size_t i = 0; i < w->running_count; i++)
		job_free(w->running[i].job);
	w->running_count = 0;
}

static void forget_loading(struct world *w)
{
	for (size_t i = 0; i < w->model.count; i++)
		if (w->model.reminders[i].batch_state == BATCH_LOADING)
			w->model.reminders[i].batch_state = BATCH_DROPPING;
	w->model.batch = 0;
}

/* An import that nobody has heard of for hours is given up with the daily cleaning, and not before. */
static void follow_sweep(struct world *w)
{
	struct error err = {0};
	bool open = false;

	if (!w->model.batch)
		return;
	if (w->now < w->import_seen)
		w->import_seen = w->now;
	if (engine_import_is_open(w->engine, w->model.batch, &open, &err) < 0)
		broke(w, "an import: %s", err.message);
	if (open)
		return;
	if (w->now - w->import_seen < IMPORT_PATIENCE)
		broke(w, "an open import was given up");
	forget_loading(w);
}

static void start_job(struct world *w, struct job *job)
{
	struct running *slot = &w->running[w->running_count];

	if (w->running_count == RUNNING_MAX) {
		broke(w, "more than %d jobs run at once", RUNNING_MAX);
		job_free(job);
		return;
	}
	*slot = (struct running){.job = job};
	for (char **p = job->environment; p && *p; p++)
		if (strncmp(*p, "BELFRY_MESSAGE_ID=", 18) == 0)
			snprintf(slot->message_id, sizeof(slot->message_id), "%s", *p + 18);
	w->running_count++;
	oracle_started(w, slot);
}

static void take_jobs(struct world *w)
{
	struct job *job;

	while ((job = engine_take_job(w->engine))) {
		if (wrapper_job(w, job)) {
			job_free(job);
			continue;
		}
		tell(w, "starts %s of %lld", job->kind == JOB_CHECK ? "check" : "delivery",
		     (long long)job->key);
		if (w->mutant == MUTANT_LOST_JOB && !w->mutated) {
			w->mutated = true;
			job_free(job);
		} else {
			start_job(w, job);
		}
	}
}

/* Each way a child can end; `kind` leaves out those that are nobody's decision. */
static struct job_end random_end(struct world *w, const struct job *job, bool kind)
{
	struct job_end end = {.kind = job->kind, .key = job->key, .output_tail = "tail"};
	int64_t fate = chance_below(&w->chance, 100);

	if (job->kind == JOB_SWEEP || job->kind == JOB_REMOVE || job->kind == JOB_REMOVE_THREAD)
		end.exit_status = fate < 90 ? 0 : 1;
	else if (job->kind == JOB_DELIVER)
		end.exit_status = fate < (kind ? 95 : 70) ? 0 : 1;
	else if (fate < 80)
		end.exit_status = fate < 40 ? 0 : (int)chance_between(&w->chance, 1, 125);
	else if (fate < 85)
		end.exit_status = 127;
	else if (fate < 90)
		end.signal = 9;
	else if (fate < 95)
		end.timed_out = true;
	else
		end.start_error = "no such program";
	return end;
}

static int end_jobs(struct world *w, const struct turn_plan *plan, bool *ended, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < w->running_count; i++) {
		struct job_end end;

		ended[i] = chance_percent(&w->chance, plan->end_percent);
		if (!ended[i])
			continue;
		end = random_end(w, w->running[i].job, plan->kind);
		tell(w, "job of %lld ends: %d", (long long)end.key, end.exit_status);
		rc = engine_job_ended(w->engine, w->now, &end, err);
	}
	return rc;
}

static void forget_ended(struct world *w, const bool *ended)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->running_count; i++) {
		if (ended[i])
			job_free(w->running[i].job);
		else
			w->running[kept++] = w->running[i];
	}
	w->running_count = kept;
}

static int decide(struct world *w, const struct turn_plan *plan, bool *ended, bool *more,
		  struct error *err)
{
	int rc;

	oracle_clock(w);
	oracle_before_fire(w);
	if ((rc = engine_fire_due(w->engine, w->now, err)) < 0)
		return rc;
	*more = rc > 0;
	w->looked = true;
	if ((rc = end_jobs(w, plan, ended, err)) < 0 || (rc = wrapper_inputs(w, plan, err)) < 0)
		return rc;
	if (plan->pause_all)
		ask_pause_all(w);
	for (int i = 0; i < plan->requests && !w->broken; i++)
		ask_random(w);
	if ((rc = engine_dispatch(w->engine, w->now, err)) < 0 ||
	    (rc = engine_maintain(w->engine, w->now, err)) < 0)
		return rc;
	*more |= rc > 0;
	return engine_next_wake(w->engine, w->now, &w->wake, err);
}

/* A new process on the same store. */
static void restart(struct world *w)
{
	struct error err = {0};
	int rc;

	forget_running(w);
	forget_loading(w);
	wrapper_crash(w);
	engine_free(w->engine);
	w->engine = engine_new(w->db, w->configs[w->config]);
	w->wake = INSTANT_MIN; /* a turn is wanted at once */
	w->crashes++;
	w->looked = false;
	if (w->mutant == MUTANT_NO_RECOVERY) {
		w->mutated = true;
		return;
	}
	rc = db_begin(w->db, &err);
	if (rc >= 0)
		rc = engine_recover(w->engine, w->now, &err);
	if (rc >= 0)
		rc = db_commit(w->db, &err);
	if (rc < 0)
		broke(w, "recovery failed: %s", err.message);
	oracle_observe(w);
	w->recovering = true;
	take_jobs(w);
	w->recovering = false;
	wrapper_recovered(w);
	oracle_running(w);
}

void turn_crash(struct world *w)
{
	tell(w, "crash");
	restart(w);
}

static void roll_back(struct world *w, const struct model *before, uint64_t fingerprint)
{
	db_rollback(w->db);
	w->model = *before;
	if (oracle_fingerprint(w) != fingerprint)
		broke(w, "H16: a turn that was rolled back left something behind");
	tell(w, "crash before commit");
	restart(w);
}

static void commit(struct world *w, struct error *err)
{
	if (w->mutant == MUTANT_LOST_COMMIT && !w->mutated && chance_percent(&w->chance, 5)) {
		db_rollback(w->db);
		w->mutated = true;
	} else if (db_commit(w->db, err) < 0) {
		broke(w, "commit: %s", err->message);
	}
}

static bool fail(struct world *w, const struct error *err)
{
	db_rollback(w->db);
	engine_drop_jobs(w->engine);
	broke(w, "the turn failed: %s", err->message);
	return false;
}

/* False when the turn ended in a crash or a fault. */
static bool one_turn(struct world *w, const struct turn_plan *plan, bool *more)
{
	AUTO(free) char *memory = NULL;
	struct model *before = NULL;
	struct error err = {0};
	bool ended[RUNNING_MAX] = {false};
	uint64_t fingerprint = 0;
	usec_t clock_most = w->clock_most;

	w->turns++;
	if (plan->crash == CRASH_BEFORE_COMMIT) {
		before = (void *)(memory = mem_alloc(sizeof(*before)));
		*before = w->model;
		fingerprint = oracle_fingerprint(w);
	}
	if (db_begin(w->db, &err) < 0 || decide(w, plan, ended, more, &err) < 0)
		return fail(w, &err);
	if (before) {
		w->clock_most = clock_most; /* nobody remembers what this turn saw */
		roll_back(w, before, fingerprint);
		return false;
	}
	commit(w, &err);
	forget_ended(w, ended);
	wrapper_committed(w);
	follow_sweep(w);
	oracle_observe(w);
	if (plan->crash == CRASH_BEFORE_JOBS) {
		turn_crash(w);
		return false;
	}
	wrapper_act(w);
	take_jobs(w);
	oracle_running(w);
	oracle_missions(w);
	if (plan->crash == CRASH_AFTER_JOBS) {
		turn_crash(w);
		return false;
	}
	return !w->broken;
}

void turn_run(struct world *w, const struct turn_plan *plan)
{
	bool more = false;

	one_turn(w, plan, &more);
}

void turn_settle(struct world *w, const struct turn_plan *plan)
{
	struct turn_plan quiet = {.end_percent = plan->end_percent, .kind = plan->kind};
	bool more = false;

	if (!one_turn(w, plan, &more))
		return;
	for (int spins = 0; more || (w->wake != USEC_NONE && w->wake <= w->now); spins++) {
		if (spins == SPIN_MAX) {
			broke(w, "the engine asks for one turn after another and does nothing");
			return;
		}
		more = false;
		quiet.end_percent = 0;
		if (!one_turn(w, &quiet, &more))
			return;
	}
}
