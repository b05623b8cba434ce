/*
 * mutate.c: damage done behind the engine's back, so that the oracle can show that it objects.
 * The faults of a turn itself (a lost commit, a lost job, no recovery) are in turn.c.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

const char *const mutant_words[MUTANT_COUNT] = {
	[MUTANT_NONE] = "none",
	[MUTANT_LOST_COMMIT] = "a commit that is lost",
	[MUTANT_SECOND_FIRE] = "a second fire of one occurrence",
	[MUTANT_LOST_JOB] = "a job that is not started",
	[MUTANT_CURSOR_AHEAD] = "a cursor that jumps ahead",
	[MUTANT_LOST_SLOT] = "a row of the ledger that is gone",
	[MUTANT_LOST_MESSAGE] = "a message that is gone",
	[MUTANT_EXTRA_MESSAGE] = "a message that no fire left",
	[MUTANT_EARLY] = "a fire before its time",
	[MUTANT_NEVER_DUE] = "an active reminder that is never due",
	[MUTANT_UNCOUNTED] = "a fire that is not counted",
	[MUTANT_HALF_IMPORT] = "half an import that is visible",
	[MUTANT_NO_RECOVERY] = "a start without recovery",
	[MUTANT_LOST_START] = "a wrapper that is not started",
	[MUTANT_NO_GATE] = "a gate that lets everybody through",
	[MUTANT_IGNORED_END] = "an end of a run that is ignored",
	[MUTANT_NO_LIMIT] = "more runs than maxConcurrent",
	[MUTANT_OVERLAP] = "two missions of one reminder at work",
	[MUTANT_LOST_MISSION] = "a mission that is gone",
	[MUTANT_WRONG_OUTCOME] = "a slot that tells another end than its mission",
	[MUTANT_KEPT_WAITING] = "a mission that is kept from its turn",
	[MUTANT_LOST_MAIL] = "a fire that is not in the inbox",
	[MUTANT_LOST_ANSWER] = "an answer that nobody got",
	[MUTANT_TOLD_TWICE] = "an answer that is told again",
};

#define LAST_FIRED "(SELECT max(key) FROM slots WHERE outcome = 'fired' AND generation > 0)"
#define SOME_DUE                                                                                   \
	"(SELECT min(key) FROM reminders WHERE status = 'active' AND due_at IS NOT NULL"           \
	" AND batch IS NULL)"

/* The first statement says whether there was anything to damage. */
static const char *const statements[MUTANT_COUNT][3] = {
	[MUTANT_SECOND_FIRE] =
		{"INSERT INTO slots (reminder, generation, nominal, first_nominal, occurrences, "
		 "more,"
		 " outcome, reason, decided_at, lateness, missed_before, attempts, verdict) SELECT"
		 " reminder, generation, nominal + 1, nominal + 1, occurrences, more, outcome,"
		 " reason, decided_at, lateness, 0, attempts, verdict FROM slots WHERE"
		 " key = " LAST_FIRED,
		 "INSERT INTO queue (id, slot, reminder, agent, body, priority, state, attempts,"
		 " queued_at, done_at) SELECT 'm-again', (SELECT max(key) FROM slots), reminder,"
		 " agent, body, priority, 'delivered', 1, queued_at, queued_at FROM queue"
		 " ORDER BY key DESC LIMIT 1",
		 "UPDATE reminders SET fire_count = fire_count + 1 WHERE key ="
		 " (SELECT reminder FROM slots ORDER BY key DESC LIMIT 1)"},
	[MUTANT_CURSOR_AHEAD] = {"UPDATE reminders SET cursor = cursor + 259200000000,"
				 " nominal_at = nominal_at + 259200000000,"
				 " due_at = due_at + 259200000000 WHERE key = " SOME_DUE},
	[MUTANT_LOST_SLOT] = {"DELETE FROM slots WHERE key = (SELECT min(key) FROM slots WHERE"
			      " generation > 0 AND outcome IN ('missed', 'skipped', 'failed'))"},
	[MUTANT_LOST_MESSAGE] = {"DELETE FROM queue WHERE key = (SELECT max(key) FROM queue)"},
	[MUTANT_EXTRA_MESSAGE] =
		{"INSERT INTO queue (id, agent, body, priority, state, attempts,"
		 " queued_at) VALUES ('m-extra', 'me', '', 'idle', 'queued', 0, 0)"},
	[MUTANT_EARLY] =
		{"UPDATE reminders SET due_at = nominal_at - 1000000 WHERE key = " SOME_DUE},
	[MUTANT_NEVER_DUE] = {"UPDATE reminders SET due_at = NULL WHERE key = " SOME_DUE},
	[MUTANT_UNCOUNTED] = {"UPDATE reminders SET fire_count = fire_count - 1 WHERE"
			      " fire_count > 0 AND status = 'active'"},
	[MUTANT_HALF_IMPORT] = {"UPDATE reminders SET batch = NULL WHERE batch IS NOT NULL"},
	[MUTANT_OVERLAP] = {"UPDATE missions SET phase = 'waiting', ready_at = 0 WHERE"
			    " phase = 'behind'"},
	[MUTANT_LOST_MISSION] = {"DELETE FROM missions WHERE phase IN ('waiting', 'behind')"},
	[MUTANT_WRONG_OUTCOME] = {"UPDATE slots SET outcome = 'ran' WHERE outcome = 'failed' AND"
				  " key IN (SELECT slot FROM missions)"},
	[MUTANT_KEPT_WAITING] = {"UPDATE missions SET ready_at = ready_at + 86400000000 WHERE"
				 " phase = 'waiting'"},
	[MUTANT_LOST_MAIL] = {"UPDATE messages SET queue = NULL WHERE queue IS NOT NULL"},
	[MUTANT_LOST_ANSWER] = {"UPDATE messages SET reply = 'delivered' WHERE reply = 'waiting'",
				"UPDATE threads SET waiting = (SELECT count(*) FROM messages WHERE"
				" thread = threads.key AND reply IN ('waiting', 'offered'))"},
	[MUTANT_TOLD_TWICE] = {"UPDATE messages SET reply = 'waiting', carrier = NULL WHERE"
			       " reply = 'delivered'",
			       "UPDATE threads SET waiting = (SELECT count(*) FROM messages WHERE"
			       " thread = threads.key AND reply IN ('waiting', 'offered'))"},
};

static void fail(const struct error *err)
{
	fprintf(stderr, "sim: the damage itself failed: %s\n", err->message);
	exit(2);
}

bool mutate(struct world *w)
{
	struct error err = {0};
	int64_t changed = 0, ignored;

	if (w->mutant == MUTANT_NO_LIMIT) {
		for (int i = 0; i < CONFIGS; i++)
			w->configs[i]->max_concurrent = 50;
		return true;
	}
	if (!statements[w->mutant][0])
		return false;
	if (db_begin(w->db, &err) < 0)
		return false;
	if (db_exec_count(w->db, statements[w->mutant][0], DB_NO_ARGS, &changed, &err) < 0)
		fail(&err);
	for (int i = 1; i < 3 && changed && statements[w->mutant][i]; i++)
		if (db_exec_count(w->db, statements[w->mutant][i], DB_NO_ARGS, &ignored, &err) < 0)
			fail(&err);
	if (db_commit(w->db, &err) < 0)
		fail(&err);
	return changed > 0;
}
