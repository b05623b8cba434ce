/*
 * maintain.c: slow work in small steps, at the end of a turn: imports are shown or dropped, new zone
 * files are taken into account, and what ended longer ago than the retention is deleted, once a day.
 */
#include "engine/internal.h"

#define PRUNE_EVERY (24 * USEC_PER_HOUR)
#define PRUNE_ROWS 500
#define PRUNE_MISSIONS 20 /* each is a folder to delete */

static int (*const prunes[])(struct db *, usec_t, int, int64_t *, struct error *) = {
	queue_prune,
	slot_prune,
	reminder_prune,
	thread_prune,
	mail_prune,
};

/* Returns 1 when there is more to delete. */
static int prune(struct engine *e, usec_t now, struct error *err)
{
	usec_t before = now - e->config->retention;
	int64_t removing = 0;
	int rc = mission_prune(e, before, PRUNE_MISSIONS, now, &removing, err);

	if (rc < 0)
		return rc;
	if (removing == PRUNE_MISSIONS)
		return 1;
	for (size_t i = 0; i < sizeof(prunes) / sizeof(prunes[0]); i++) {
		int64_t deleted = 0;

		rc = prunes[i](e->db, before, PRUNE_ROWS, &deleted, err);

		if (rc < 0)
			return rc;
		if (deleted == PRUNE_ROWS)
			return 1;
	}
	e->prune_at = now + PRUNE_EVERY;
	return 0;
}

int engine_maintain(struct engine *e, usec_t now, struct error *err)
{
	int rc = import_step(e, err);

	if (rc == 0)
		rc = replan_step(e, now, err);
	if (rc != 0)
		return rc;
	/* Not in the first hour: a start after a long absence has more urgent things to do. */
	if (e->prune_at == USEC_NONE || e->prune_at > now + PRUNE_EVERY)
		e->prune_at = now + USEC_PER_HOUR;
	return now >= e->prune_at ? prune(e, now, err) : 0;
}

int maintain_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)err;
	*ret = e->imports_open || e->replanning ? now : e->prune_at;
	return 0;
}
