/*
 * maintain.c: slow work in small steps, at the end of a turn: imports are shown or dropped, new zone
 * files are taken into account, and what ended longer ago than the retention is deleted, once a day.
 */
#include "engine/internal.h"
#include "store/agent-session.h"
#include "store/boundary.h"
#include "store/trouble.h"

#define PRUNE_EVERY (24 * USEC_PER_HOUR)
#define PRUNE_FIRST (5 * USEC_PER_MINUTE) /* after a start, which has better things to do */
#define PRUNE_LATE (5 * USEC_PER_MINUTE)
#define PRUNE_SLACK                                                                                \
	USEC_PER_MINUTE /* whoever wakes anyway until then does it, and nobody wakes for it */
#define PRUNE_ROWS 500
#define PRUNE_FOLDERS 20 /* missions, and threads: each is a folder to delete */

static int (*const prunes[])(struct db *, usec_t, int, int64_t *, struct error *) = {
	queue_prune,   slot_prune,     reminder_prune,
	mail_prune,    boundary_prune, agent_session_prune, /* after what keeps a session */
	trouble_prune,
};

/* Returns 1 when there is more to delete, as all of these do. */
static int prune_folders(struct engine *e, usec_t before, usec_t now, struct error *err)
{
	int64_t missions = 0, threads = 0;
	int rc;

	if ((rc = mission_prune(e, before, PRUNE_FOLDERS, now, &missions, err)) < 0 ||
	    (rc = inbox_prune(e, before, PRUNE_FOLDERS, &threads, err)) < 0)
		return rc;
	return missions == PRUNE_FOLDERS || threads == PRUNE_FOLDERS;
}

static int prune_rows(struct engine *e, usec_t before, struct error *err)
{
	for (size_t i = 0; i < sizeof(prunes) / sizeof(prunes[0]); i++) {
		int64_t deleted = 0;
		int rc = prunes[i](e->db, before, PRUNE_ROWS, &deleted, err);

		if (rc < 0)
			return rc;
		if (deleted == PRUNE_ROWS)
			return 1;
	}
	return 0;
}

static int prune(struct engine *e, usec_t now, struct error *err)
{
	usec_t before = now - e->config->retention;
	int rc = prune_folders(e, before, now, err);

	if (rc == 0)
		rc = prune_rows(e, before, err);
	if (rc == 0)
		rc = import_sweep(e, now, err);
	if (rc == 0)
		e->prune_at = now + PRUNE_EVERY;
	return rc;
}

int engine_maintain(struct engine *e, usec_t now, struct error *err)
{
	int rc = import_step(e, now, err);

	if (rc == 0)
		rc = clock_step(e, now, err);
	if (rc == 0)
		rc = replan_step(e, now, err);
	if (rc != 0)
		return rc;
	/* Not at once: a start after a long absence has more urgent things to do. */
	if (e->prune_at == USEC_NONE || e->prune_at > now + PRUNE_EVERY)
		e->prune_at = now + PRUNE_FIRST;
	/*
	 * Nor when its time passed long ago: the machine slept, or the clock is ahead. A clock that is
	 * wrong for a moment must not make everything old.
	 */
	if (now - e->prune_at > PRUNE_LATE)
		e->prune_at = now + (now - e->prune_at > PRUNE_EVERY ? PRUNE_EVERY : USEC_PER_HOUR);
	return now >= e->prune_at ? prune(e, now, err) : 0;
}

int maintain_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)err;
	*ret = e->prune_at == USEC_NONE ? USEC_NONE : e->prune_at + PRUNE_SLACK;
	if (e->imports_open || e->replanning || e->clock_mending)
		*ret = now;
	return 0;
}
