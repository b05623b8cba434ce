/*
 * wrapper.c: the processes of missions, as they would be outside of the daemon. They come to their
 * gate late, get through it only after a commit, end in every way, die without an end or before
 * their agent, and live on when the daemon crashes. What only the daemon knows (who is wished for,
 * who is watched) is lost with it.
 */
#include "sim.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static struct process *new_process(struct world *w, int64_t run)
{
	struct process *p = &w->processes[w->process_count];

	if (w->process_count == PROCESSES_MAX) {
		broke(w, "more than %d processes at once", PROCESSES_MAX);
		return &w->processes[0];
	}
	w->process_count++;
	*p = (struct process){.run = run, .pid = 1000 + w->pids++, .alive = true};
	return p;
}

static void drop_process(struct world *w, size_t at)
{
	w->processes[at] = w->processes[--w->process_count];
}

static struct process *known_process(struct world *w, int64_t run)
{
	for (size_t i = 0; i < w->process_count; i++)
		if (w->processes[i].run == run && w->processes[i].known)
			return &w->processes[i];
	return NULL;
}

struct run_memory *run_memory(struct world *w, int64_t run)
{
	for (size_t i = 0; i < w->run_count; i++)
		if (w->runs[i].run == run)
			return &w->runs[i];
	w->runs = mem_grow(w->runs, w->run_count + 1, sizeof(*w->runs));
	w->runs[w->run_count] = (struct run_memory){.run = run, .limit = w->concurrent};
	return &w->runs[w->run_count++];
}

/* --- their lives -------------------------------------------------------------------------- */

static const char *random_reason(struct world *w, const struct process *p, bool kind)
{
	int64_t fate = chance_below(&w->chance, 100);

	if (p->signal)
		return fate < 75 ? "killed" : fate < 85 ? "success" : fate < 92 ? "error" : NULL;
	if (kind)
		return fate < 80 ? "success" : "error";
	if (fate < 45)
		return "success";
	if (fate < 68)
		return "error";
	if (fate < 78)
		return "timeout";
	if (fate < 83)
		return "killed";
	return fate < 88 ? "daemon_shutdown" : NULL;
}

/* It leaves its end, or nothing. */
static void end_process(struct world *w, struct process *p, bool kind)
{
	const char *reason = random_reason(w, p, kind);

	p->alive = false;
	tell(w, "process %d of run %lld ends: %s", p->pid, (long long)p->run,
	     reason ? reason : "without a word");
	if (!reason)
		return;
	p->has_end = true;
	p->end = (struct end){.started_at = p->started_at, .finished_at = w->now, .cost = 10};
	snprintf(p->end.reason, sizeof(p->end.reason), "%s", reason);
	p->end.told = p->interactive && chance_percent(&w->chance, 60);
	if (chance_percent(&w->chance, 60))
		p->end.session = (char *)"conversation";
}

static void live(struct world *w, int percent, bool kind)
{
	for (size_t i = 0; i < w->process_count; i++) {
		struct process *p = &w->processes[i];

		if (p->alive && p->open && !p->pending && chance_percent(&w->chance, percent))
			end_process(w, p, kind);
	}
}

/* --- the turn ----------------------------------------------------------------------------- */

static int report_ends(struct world *w, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < w->process_count; i++) {
		struct process *p = &w->processes[i];
		struct run_end end = {.run = p->run, .end = p->has_end ? &p->end : NULL};

		if (p->alive || !p->known || p->reported)
			continue;
		end.never_ran = !p->ran;
		end.shutdown = p->ran && !p->has_end && chance_percent(&w->chance, 20);
		p->reported = true;
		if (w->mutant == MUTANT_IGNORED_END && !w->mutated && p->ran) {
			w->mutated = true;
			continue;
		}
		rc = engine_run_ended(w->engine, w->now, &end, err);
	}
	return rc;
}

/* The wrapper that was wished for is there, or cannot be. */
static int come_to_gate(struct world *w, int64_t run, bool kind, struct error *err)
{
	struct run_start start = {.run = run};
	struct run_end failed = {.run = run, .start_error = "no more processes"};
	struct process *p;
	int rc;

	if (!kind && chance_percent(&w->chance, 4))
		return engine_run_ended(w->engine, w->now, &failed, err);
	p = new_process(w, run);
	p->at_gate = true;
	start.process = (struct process_id){.pid = p->pid, .boot = "boot"};
	rc = engine_run_started(w->engine, w->now, &start, err);
	p->go = rc > 0;
	if (rc == 0 && w->mutant == MUTANT_NO_GATE) {
		w->mutated = true;
		p->go = true;
	}
	tell(w, "process %d comes to the gate of run %lld: %s", p->pid, (long long)run,
	     p->go ? "go" : "no-go");
	return rc;
}

int wrapper_inputs(struct world *w, const struct turn_plan *plan, struct error *err)
{
	size_t kept = 0;
	int rc;

	live(w, plan->end_percent / 2, plan->kind);
	rc = report_ends(w, err);
	for (size_t i = 0; i < w->start_count; i++) {
		bool comes = rc >= 0 && (plan->kind || chance_percent(&w->chance, 60));

		if (comes)
			rc = come_to_gate(w, w->starts[i], plan->kind, err);
		else
			w->starts[kept++] = w->starts[i];
	}
	w->start_count = kept;
	return rc;
}

/* Directly after the commit: what was reported is the store's now. */
void wrapper_committed(struct world *w)
{
	for (size_t i = w->process_count; i-- > 0;) {
		if (w->processes[i].pending)
			run_memory(w, w->processes[i].run)->ran++;
		w->processes[i].pending = false;
		if (w->processes[i].reported && w->processes[i].has_end)
			run_memory(w, w->processes[i].run)->told = w->processes[i].end.told;
		if (w->processes[i].reported)
			drop_process(w, i);
	}
}

static void open_gate(struct world *w, struct process *p)
{
	p->at_gate = false;
	p->open = p->known = true;
	p->started_at = w->now;
	p->ran = p->alive = !chance_percent(&w->chance, 2); /* a full disk, say */
	oracle_gate(w, p);
}

/* The act of the turn: gates open, or those before them go home. */
void wrapper_act(struct world *w)
{
	for (size_t i = w->process_count; i-- > 0;) {
		struct process *p = &w->processes[i];

		if (p->at_gate && p->go)
			open_gate(w, p);
		else if (p->at_gate)
			drop_process(w, i);
	}
}

/* --- jobs --------------------------------------------------------------------------------- */

static void wish(struct world *w, const struct job *job)
{
	struct run_memory *r;

	if (w->mutant == MUTANT_LOST_START && !w->mutated) {
		w->mutated = true;
		return;
	}
	oracle_wish(w, job->key);
	r = run_memory(w, job->key);
	r->limit = r->limit > w->concurrent ? r->limit : w->concurrent;
	if (w->start_count == PROCESSES_MAX)
		broke(w, "more than %d starts at once", PROCESSES_MAX);
	else
		w->starts[w->start_count++] = job->key;
}

static void adopt(struct world *w, const struct job *job)
{
	struct process *p;

	for (size_t i = 0; i < w->process_count; i++)
		if (w->processes[i].run == job->key && w->processes[i].pid == job->process.pid) {
			w->processes[i].known = true;
			return;
		}
	/* It was reported dead, and a crash came before what it left behind was swept. */
	if (run_memory(w, job->key)->ran) {
		p = new_process(w, job->key);
		*p = (struct process){.run = job->key, .pid = job->process.pid};
		p->open = p->ran = p->known = true;
		return;
	}
	broke(w, "run %lld: process %d is adopted, but nobody started it", (long long)job->key,
	      (int)job->process.pid);
}

static void send_signal(struct world *w, const struct job *job)
{
	struct process *p = known_process(w, job->key);

	if (!p)
		return;
	p->signal = job->signal;
	if (job->signal == SIGKILL)
		p->alive = false;
}

bool wrapper_job(struct world *w, const struct job *job)
{
	switch (job->kind) {
	case JOB_START:
		wish(w, job);
		return true;
	case JOB_ADOPT:
		adopt(w, job);
		return true;
	case JOB_STOP:
		send_signal(w, job);
		return true;
	default:
		return false;
	}
}

/* A person's own process goes on with a mission; it is real once that is committed. */
int wrapper_attach(struct world *w, struct mission *m, struct error *err)
{
	struct process *p = new_process(w, 0);
	struct process_id caller = {.pid = p->pid, .boot = "boot"};
	AUTO(run_free) struct run *run = NULL;
	AUTO(free) char *order = NULL;
	int rc = engine_mission_attach(w->engine, m, &caller, NULL, w->now, &order, err);

	if (rc >= 0)
		rc = run_last(w->db, m->key, &run, err);
	if (rc < 0) {
		w->process_count--;
		return rc;
	}
	p->run = run->key;
	p->interactive = p->open = p->ran = p->pending = true;
	p->started_at = w->now;
	return rc;
}

/* Others may overtake those that wait for their wrapper, by the new limit. */
void wrapper_new_limit(struct world *w)
{
	for (size_t i = 0; i < w->start_count; i++) {
		struct run_memory *r = run_memory(w, w->starts[i]);

		r->limit = r->limit > w->concurrent ? r->limit : w->concurrent;
	}
}

/* --- crashes ------------------------------------------------------------------------------ */

void wrapper_crash(struct world *w)
{
	w->start_count = 0;
	for (size_t i = w->process_count; i-- > 0;) {
		struct process *p = &w->processes[i];

		p->known = p->reported = false;
		if (p->at_gate) /* end-of-file at its gate: it goes, and nothing ran */
			p->alive = p->at_gate = false;
		if (p->pending)
			drop_process(w, i);
	}
	live(w, 20, false);
}

/* After recovery: nobody who lives is forgotten, and those who are dead and unknown do not count. */
void wrapper_recovered(struct world *w)
{
	for (size_t i = w->process_count; i-- > 0;) {
		struct process *p = &w->processes[i];

		if (!p->known && p->alive)
			broke(w, "A13: process %d of run %lld lives, and nobody watches it", p->pid,
			      (long long)p->run);
		if (!p->known)
			drop_process(w, i);
	}
}

bool wrapper_idle(const struct world *w)
{
	return !w->start_count && !w->process_count;
}
