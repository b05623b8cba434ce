/*
 * gate.c: what becomes of one occurrence that goes on. The gates stand in a fixed order (paused and
 * out-of-bounds reminders are never due; the start deadline was looked at in due.c), and the first
 * that refuses is the slot's reason:
 *
 *	overlap of a condition with its own previous check → condition → fire
 *
 * A fire leaves a message in the queue (deliver.c) or orders a mission (mission.c), where two more
 * gates stand: overlap with the mission before it, and the line. One that would leave a message for
 * an agent without a session may order a mission instead, or the session (its fallback).
 */
#include "engine/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "schedule/duration.h"

/* Short enough to be nobody's business: the time a turn takes. */
#define LATE (60 * USEC_PER_SEC)
#define ON_TIME (1 * USEC_PER_SEC)

static struct slot *new_slot(const struct reminder *r, const struct occurrence *o, usec_t now)
{
	struct slot *slot = mem_zalloc(sizeof(*slot));

	slot->reminder = r->key;
	slot->generation = r->generation;
	slot->nominal = slot->first_nominal = o->nominal;
	slot->occurrences = 1;
	slot->missed_before = o->missed;
	slot->decided_at = now;
	slot->lateness = now > o->due ? now - o->due : 0;
	return slot;
}

/* Write the end of a slot, which may be a new row or one that was being checked. */
int gate_write(struct engine *e, struct slot *slot, struct error *err)
{
	return slot->key ? slot_update(e->db, slot, err) : slot_insert(e->db, slot, err);
}

static char *fired_reason(const struct slot *slot, enum fallback fallback)
{
	const char *more = fallback == FALLBACK_START
				   ? "; its agent had no session, so that was to be started"
				   : "";
	char late[DURATION_TEXT_MAX];

	if (slot->lateness < ON_TIME)
		return mem_printf("fired on time%s", more);
	duration_format_short(slot->lateness, late);
	return mem_printf("fired %s late%s", late, more);
}

void gate_count(struct reminder *r, usec_t now)
{
	r->fire_count++;
	r->last_fired_at = now;
	if (r->count_max && r->fire_count >= r->count_max)
		plan_end(r, STATUS_COMPLETED, now, "fired as many times as asked");
}

int gate_fallback(struct engine *e, const struct reminder *r, enum fallback *ret, struct error *err)
{
	const struct config_agent *agent;
	struct error unknown = {0};
	bool present = true;
	int rc;

	*ret = FALLBACK_WAIT;
	if (r->action == ACTION_RUN || r->fallback == FALLBACK_WAIT)
		return 0;
	agent = config_agent(e->config, r->agent, &unknown);
	if (!agent || agent->deliver)
		return 0;
	rc = live_is_present(e, r->agent, &present, err);
	if (rc >= 0 && !present)
		*ret = r->fallback;
	return rc;
}

/* One line a turn: after a night of sleep everything is late. */
static void tell_late(struct engine *e, const struct reminder *r, const struct slot *slot)
{
	char late[DURATION_TEXT_MAX];

	if (slot->lateness <= LATE || e->late_told)
		return;
	e->late_told = true;
	duration_format_short(slot->lateness, late);
	log_warning("reminder '%s' fired %s late", r->name ? r->name : r->id, late);
}

int gate_fire(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
	      struct error *err)
{
	enum fallback fallback = FALLBACK_WAIT;
	int rc = gate_fallback(e, r, &fallback, err);

	if (rc < 0)
		return rc;
	if (r->action == ACTION_RUN || fallback == FALLBACK_RUN) {
		rc = mission_fire(e, r, slot, now, err);
		if (slot->ordered)
			tell_late(e, r, slot);
		return rc;
	}
	tell_late(e, r, slot);
	slot->outcome = OUTCOME_FIRED;
	free(slot->reason);
	slot->reason = fired_reason(slot, fallback);
	slot->decided_at = now;
	rc = gate_write(e, slot, err);
	if (rc < 0)
		return rc;
	gate_count(r, now);
	rc = deliver_enqueue(e, r, slot, now, err);
	return rc < 0 || fallback != FALLBACK_START ? rc : live_start_for(e, r, now, err);
}

int gate_slot(struct engine *e, struct reminder *r, const struct occurrence *o, usec_t now,
	      struct error *err)
{
	AUTO(slot_free) struct slot *slot = new_slot(r, o, now);

	e->decided++;
	if (r->open_slot) {
		slot->outcome = OUTCOME_SKIPPED;
		slot->reason = mem_strdup("the condition was still being checked for an earlier "
					  "occurrence");
		return slot_insert(e->db, slot, err);
	}
	if (r->condition_kind == CONDITION_COMMAND)
		return check_begin(e, r, slot, err);
	return gate_fire(e, r, slot, now, err);
}
