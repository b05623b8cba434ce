/*
 * oracle-mission.c: the promises about missions. It knows the processes as they are, which the engine
 * does not, and reads the store with statements of its own.
 */
#include "sim.h"

#include <string.h>

#include "base/mem.h"

/* The first row of a question about one key; false when there is none. */
static bool ask_row(struct world *w, const char *sql, int64_t key, struct db_rows *ret)
{
	struct db_value args[] = {DB_INT(key)};
	struct error err = {0};
	int rc = db_query(w->db, sql, DB_ARGS(args), ret, &err);

	if (rc >= 0)
		rc = db_rows_next(ret, &err);
	if (rc < 0)
		broke(w, "cannot ask the store: %s", err.message);
	return rc > 0;
}

/* Which slots ordered a mission: it may be removed later. */
void oracle_sightings(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(w->missions_seen)};
	struct error err = {0};
	int rc = db_query(w->db, "SELECT key, slot FROM missions WHERE key > $1 ORDER BY key",
			  DB_ARGS(args), &rows, &err);

	while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0) {
		struct sighting *seen = sighting_of(w, db_int(&rows, 1));

		w->missions_seen = db_int(&rows, 0);
		if (seen)
			seen->mission = true;
	}
	if (rc < 0)
		broke(w, "cannot read missions: %s", err.message);
}

/* --- the gate ----------------------------------------------------------------------------- */

static void check_company(struct world *w, const struct process *p)
{
	int64_t others = 0;

	for (size_t i = 0; i < w->process_count; i++) {
		const struct process *other = &w->processes[i];

		if (other == p || !other->alive || !other->open || !other->attempt)
			continue;
		others++;
		if (p->exclusive && other->exclusive && other->reminder == p->reminder)
			broke(w, "A10: two missions of one reminder are at work (processes %d, %d)",
			      other->pid, p->pid);
	}
	if (p->attempt && others >= run_memory(w, p->run)->limit)
		broke(w, "A11: %lld runs are at work, at most %lld are right",
		      (long long)others + 1, (long long)run_memory(w, p->run)->limit);
}

void oracle_gate(struct world *w, struct process *p)
{
	AUTO_ROWS struct db_rows rows = {0};

	if (!ask_row(w,
		     "SELECT runs.kind, runs.pid, runs.finished_at, missions.reminder,"
		     " slots.generation, policies.overlap, missions.phase FROM runs"
		     " JOIN missions ON missions.key = runs.mission"
		     " LEFT JOIN slots ON slots.key = missions.slot"
		     " LEFT JOIN policies ON policies.reminder = missions.reminder"
		     " WHERE runs.key = $1",
		     p->run, &rows) ||
	    db_int(&rows, 1) != p->pid || !db_is_null(&rows, 2) ||
	    strcmp(db_text(&rows, 6), "running") != 0) {
		broke(w, "A13: process %d got through the gate of run %lld, which is not its own",
		      p->pid, (long long)p->run);
		return;
	}
	p->attempt = strcmp(db_text(&rows, 0), "attempt") == 0;
	p->reminder = db_int(&rows, 3);
	p->exclusive = p->attempt && p->reminder && db_int(&rows, 4) > 0 && !db_is_null(&rows, 5) &&
		       strcmp(db_text(&rows, 5), "allow") != 0;
	if (p->ran && run_memory(w, p->run)->ran++)
		broke(w, "A13: run %lld ran twice", (long long)p->run);
	check_company(w, p);
}

/* --- the line ----------------------------------------------------------------------------- */

static int64_t agent_limit(const struct world *w, const char *agent)
{
	return strcmp(agent, "helper") == 0 ? 1 + (w->config & 1) : INT64_MAX;
}

static int64_t agent_runs(struct world *w, const char *agent)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_TEXT(agent)};
	struct error err = {0};
	int rc = db_query(w->db,
			  "SELECT count(*) FROM runs JOIN missions ON missions.key = mission"
			  " WHERE agent = $1 AND finished_at IS NULL AND kind <> 'interactive'",
			  DB_ARGS(args), &rows, &err);

	if (rc < 0 || db_rows_next(&rows, &err) < 1)
		broke(w, "cannot ask the store: %s", err.message);
	return db_int(&rows, 0);
}

/*
 * It became ready only while the line moved: the one before it failed at once, or it did so itself and
 * its next attempt follows without a wait. Then it has its turn when the line moves again. The run
 * tells, not the end of a mission: one that was heard of in this turn ended before the line moved.
 */
static bool moved_up_late(struct world *w, const struct mission *m)
{
	AUTO_ROWS struct db_rows rows = {0};

	return m->ready_at == w->now &&
	       ask_row(w,
		       "SELECT 1 FROM missions AS m JOIN missions AS front ON front.key = m.key OR"
		       " front.reminder = m.reminder JOIN runs ON runs.mission = front.key WHERE"
		       " m.key = $1 AND begun_at = m.ready_at AND finished_at = m.ready_at",
		       m->key, &rows);
}

/* Those before `nominal` in line that are ready and whose agent has room. */
static bool someone_could_start(struct world *w, usec_t nominal, bool late_too, int64_t *ret)
{
	AUTO_MISSIONS struct mission_list ready = {0};
	struct error err = {0};

	if (mission_ready(w->db, w->now, 10000, &ready, &err) < 0)
		broke(w, "cannot read the line: %s", err.message);
	for (size_t i = 0; i < ready.count && ready.items[i]->nominal < nominal; i++) {
		const struct mission *m = ready.items[i];

		*ret = m->key;
		if (!late_too && moved_up_late(w, m))
			continue;
		if (agent_runs(w, m->agent) < agent_limit(w, m->agent))
			return true;
	}
	return false;
}

static void check_deadline(struct world *w, int64_t mission)
{
	for (size_t i = 0; i < w->waiting_count; i++)
		if (w->waiting[i].mission == mission && w->waiting[i].until != USEC_NONE &&
		    w->waiting[i].until <= w->now)
			broke(w, "A11: mission %lld starts after its deadline", (long long)mission);
}

void oracle_wish(struct world *w, int64_t run)
{
	AUTO_ROWS struct db_rows rows = {0};
	int64_t other = 0, mission;
	usec_t nominal;
	struct run_memory *memory = run_memory(w, run);
	/*
	 * It never ran, and begins again in the place it has. When it was begun does not tell: a clock
	 * that was set back may show that very instant again, and a crash takes no time at all (K36).
	 */
	bool again = memory->wished;

	memory->wished = true;
	if (!ask_row(w,
		     "SELECT missions.key, nominal, kind, pid, finished_at FROM runs"
		     " JOIN missions ON missions.key = mission WHERE runs.key = $1",
		     run, &rows) ||
	    !db_is_null(&rows, 3) || !db_is_null(&rows, 4)) {
		broke(w, "a wrapper is wished for run %lld, which does not want one",
		      (long long)run);
		return;
	}
	mission = db_int(&rows, 0);
	nominal = db_int(&rows, 1);
	for (size_t i = 0; i < w->start_count; i++)
		if (w->starts[i] == run)
			broke(w, "two wrappers are wished for run %lld", (long long)run);
	if (again || w->recovering || strcmp(db_text(&rows, 2), "attempt") != 0)
		return; /* decided before, or by a person */
	db_rows_end(&rows);
	check_deadline(w, mission);
	if (someone_could_start(w, nominal, false, &other))
		broke(w, "A11: mission %lld starts before mission %lld, which was due earlier",
		      (long long)mission, (long long)other);
}

static void remember_waiting(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	int rc = db_query(w->db,
			  "SELECT key, wait_until FROM missions"
			  " WHERE phase IN ('waiting', 'behind') ORDER BY key",
			  DB_NO_ARGS, &rows, &err);

	w->waiting_count = 0;
	while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0) {
		if (w->waiting_count == PROCESSES_MAX)
			break;
		w->waiting[w->waiting_count++] = (struct waiting){
			.mission = db_int(&rows, 0),
			.until = db_is_null(&rows, 1) ? USEC_NONE : db_int(&rows, 1),
		};
	}
	if (rc < 0)
		broke(w, "cannot read missions: %s", err.message);
}

/* When the engine asks for no further turn now, nobody who could start waits. */
static void check_line(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	int64_t other = 0, running = 0;

	if (w->wake != USEC_NONE && w->wake <= w->now)
		return;
	if (ask_row(w,
		    "SELECT count(*) FROM runs WHERE finished_at IS NULL AND"
		    " kind <> 'interactive' AND key > $1",
		    0, &rows))
		running = db_int(&rows, 0);
	db_rows_end(&rows);
	if (running < w->concurrent && someone_could_start(w, INSTANT_MAX, true, &other))
		broke(w, "mission %lld waits although there is room", (long long)other);
	if (ask_row(w,
		    "SELECT key FROM missions WHERE phase IN ('waiting', 'behind')"
		    " AND wait_until <= $1",
		    w->now, &rows))
		broke(w, "A11: mission %lld waits past its deadline", (long long)db_int(&rows, 0));
	db_rows_end(&rows);
	/* An hour and a tenth is the longest back-off there is. */
	if (ask_row(w,
		    "SELECT key FROM missions WHERE phase = 'waiting' AND"
		    " ready_at > $1 + CASE WHEN attempts > 0 THEN 3960000000 ELSE 0 END",
		    w->now, &rows))
		broke(w, "mission %lld waits longer than its back-off",
		      (long long)db_int(&rows, 0));
	db_rows_end(&rows);
	if (ask_row(w,
		    "SELECT min(at) FROM (SELECT ready_at AS at FROM missions WHERE"
		    " phase = 'waiting' AND ready_at > $1 UNION ALL SELECT wait_until FROM missions"
		    " WHERE phase IN ('waiting', 'behind') AND wait_until IS NOT NULL UNION ALL"
		    " SELECT overdue_at FROM runs WHERE finished_at IS NULL AND overdue_at IS NOT"
		    " NULL) AS times",
		    w->now, &rows) &&
	    !db_is_null(&rows, 0) && (w->wake == USEC_NONE || w->wake > db_int(&rows, 0)))
		broke(w, "the line has something to do before the engine wants to be woken");
}

/* --- after every turn --------------------------------------------------------------------- */

static bool somebody_has(const struct world *w, int64_t run, int64_t pid)
{
	for (size_t i = 0; !pid && i < w->start_count; i++)
		if (w->starts[i] == run)
			return true;
	for (size_t i = 0; pid && i < w->process_count; i++)
		if (w->processes[i].run == run && w->processes[i].pid == pid &&
		    w->processes[i].known)
			return true;
	for (size_t i = 0; pid && i < w->running_count; i++)
		if (w->running[i].job->kind == JOB_SWEEP && w->running[i].job->key == run)
			return true;
	return false;
}

/* Whatever is open in the store is being worked on outside of it. */
static void check_open(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	int rc = db_query(w->db, "SELECT key, pid FROM runs WHERE finished_at IS NULL", DB_NO_ARGS,
			  &rows, &err);

	while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0)
		if (!somebody_has(w, db_int(&rows, 0), db_int(&rows, 1)))
			broke(w, "B8: run %lld is open, and nobody is at it",
			      (long long)db_int(&rows, 0));
	if (rc < 0)
		broke(w, "cannot read runs: %s", err.message);
}

void oracle_missions(struct world *w)
{
	if (!w->missions || w->broken)
		return;
	check_open(w);
	check_line(w);
	remember_waiting(w);
}

/* --- everything --------------------------------------------------------------------------- */

static const struct never {
	const char *sql, *means;
} nevers[] = {
	{"SELECT count(*) FROM slots LEFT JOIN missions ON missions.slot = slots.key WHERE"
	 " slots.outcome = 'running' AND (missions.key IS NULL OR phase IN ('ended', 'removing'))",
	 "a slot that runs without an open mission"},
	{"SELECT count(*) FROM missions JOIN slots ON missions.slot = slots.key WHERE"
	 " phase IN ('waiting', 'behind') AND slots.outcome <> 'running'",
	 "a mission that waits, of a slot that has ended"},
	{"SELECT count(*) FROM missions WHERE attempts > max_attempts",
	 "B4: more attempts than asked for"},
	{"SELECT count(*) FROM (SELECT mission FROM runs WHERE kind = 'attempt' GROUP BY mission"
	 " HAVING count(*) <> (SELECT attempts FROM missions WHERE key = mission)) AS wrong",
	 "attempts and their runs differ"},
	{"SELECT count(*) FROM (SELECT mission FROM runs WHERE finished_at IS NULL GROUP BY mission"
	 " HAVING count(*) > 1) AS doubled",
	 "two open runs of one mission"},
	{"SELECT count(*) FROM missions WHERE phase IN ('starting', 'running') AND NOT EXISTS"
	 " (SELECT 1 FROM runs WHERE mission = missions.key AND finished_at IS NULL)",
	 "a mission at work without a run"},
	{"SELECT count(*) FROM missions WHERE phase NOT IN ('starting', 'running') AND EXISTS"
	 " (SELECT 1 FROM runs WHERE mission = missions.key AND finished_at IS NULL)",
	 "an open run of a mission that is not at work"},
	{"SELECT count(*) FROM missions JOIN slots ON missions.slot = slots.key WHERE phase = "
	 "'ended'"
	 " AND (slots.outcome = 'ran') <> (EXISTS (SELECT 1 FROM runs WHERE mission = missions.key"
	 " AND kind = 'attempt' AND ending = 'success'))",
	 "a slot that tells another end than its mission"},
	{"SELECT count(*) FROM missions JOIN slots ON missions.slot = slots.key WHERE"
	 " slots.outcome = 'failed' AND missions.attempts < max_attempts AND retry_on = 7",
	 "B4: given up with attempts left"},
	{"SELECT count(*) FROM missions JOIN slots ON missions.slot = slots.key WHERE"
	 " slots.outcome = 'missed' AND missions.attempts > 0",
	 "missed, but it ran"},
	{"SELECT count(*) FROM missions WHERE phase = 'behind' AND NOT EXISTS (SELECT 1 FROM "
	 "missions"
	 " AS front WHERE front.reminder = missions.reminder AND front.key <> missions.key"
	 " AND front.phase IN ('waiting', 'starting', 'running'))",
	 "a mission that is behind nobody"},
	{"SELECT count(*) FROM (SELECT reminder FROM missions WHERE phase = 'behind' GROUP BY"
	 " reminder HAVING count(*) > 1) AS deep",
	 "A10: two missions behind one another"},
	{"SELECT count(*) FROM (SELECT name FROM reminders WHERE source = 'config' AND status IN"
	 " ('active', 'paused') GROUP BY name HAVING count(*) > 1) AS doubled",
	 "A5: a cron that is there twice"},
};

static const struct never kept_nevers[] = {
	{"SELECT (SELECT count(*) FROM slots WHERE outcome = 'failed' AND ordered = 1)"
	 " - (SELECT count(*) FROM queue WHERE slot IS NULL"
	 " AND reminder IS NOT NULL AND body LIKE '%What it was to do:%')",
	 "B5: failures and what the person was told differ"},
};

static const struct never quiet_nevers[] = {
	{"SELECT count(*) FROM missions WHERE phase NOT IN ('ended')", "a mission that never ends"},
	{"SELECT count(*) FROM runs WHERE finished_at IS NULL", "a run that never ends"},
	{"SELECT count(*) FROM slots WHERE outcome = 'running'", "a slot that never ends"},
	{"SELECT count(*) FROM reminders WHERE source = 'config' AND status IN ('active', "
	 "'paused')",
	 "A5: a cron that was dropped and is still there"},
};

static void check_nevers(struct world *w, const struct never *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		AUTO_ROWS struct db_rows rows = {0};
		struct error err = {0};
		int rc = db_query(w->db, list[i].sql, DB_NO_ARGS, &rows, &err);

		if (rc < 0 || (rc = db_rows_next(&rows, &err)) < 1)
			broke(w, "cannot ask the store: %s", err.message);
		else if (db_int(&rows, 0))
			broke(w, "%s (%lld)", list[i].means, (long long)db_int(&rows, 0));
	}
}

/*
 * Every cron of the configuration that can work is there, as it is declared: from the first turn of a
 * daemon on. One that has only started, after a turn that was rolled back, has not read it yet.
 */
static void check_seeded(struct world *w)
{
	const struct config *c = w->configs[w->config];

	if (!w->looked)
		return;
	for (size_t i = 0; i < c->cron_count; i++) {
		AUTO(reminder_free) struct reminder *r = NULL;
		struct error err = {0};
		int rc = policy_find(w->db, DOOR_CRON, c->crons[i].name, &r, &err);

		if (rc < 0 || c->crons[i].problem)
			continue;
		if (!r || strcmp(r->schedule, c->crons[i].schedule) != 0)
			broke(w, "A5: cron '%s' is not as it is declared", c->crons[i].name);
		else if (!c->crons[i].enabled && r->status != STATUS_PAUSED)
			broke(w, "A6: cron '%s' is disabled and active", c->crons[i].name);
	}
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
void oracle_missions_check(struct world *w, bool quiet)
{
	if (!w->missions || w->broken)
		return;
	check_nevers(w, nevers, COUNT(nevers));
	if (!w->prunes)
		check_nevers(w, kept_nevers, COUNT(kept_nevers));
	if (quiet)
		check_nevers(w, quiet_nevers, COUNT(quiet_nevers));
	check_seeded(w);
}
