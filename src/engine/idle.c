/*
 * idle.c: reminders that wait for their agent to be idle. Such a one has no due time of its own: it
 * gets one when its agent becomes idle, loses it when the agent is at work again, and after it was
 * decided waits for the next time the agent was at work and became idle. All of that is in the rows,
 * so that a crash or a restart changes nothing:
 *
 *	anchor      idleness counts from here on: its creation, its last schedule, its last resume
 *	cursor      the occurrence that was decided last; INSTANT_MIN: none of this schedule
 *	nominal_at  the later of (the agent is idle since, anchor), and its span; none while the agent is
 *	            not idle, and none once something was decided since it became so
 *
 * So there is at most one occurrence for each time of idleness, whatever is paused and resumed
 * meanwhile; only a new schedule begins anew.
 */
#include "engine/internal.h"

#include "store/live.h"

/*
 * The clock was set back behind the beginning of the idleness: that counts from now, unless it has
 * been planned so before. Never at or before what was decided already.
 */
static usec_t armed_after_jump(const struct reminder *r, usec_t span, usec_t now)
{
	usec_t at = now + span;

	if (r->nominal_at != USEC_NONE && r->nominal_at > now && r->nominal_at < at)
		at = r->nominal_at;
	return at > r->cursor ? at : r->cursor + 1;
}

/* The instant it is due at by what its agent does (NULL: it never had a session), or USEC_NONE. */
static usec_t armed_at(const struct reminder *r, usec_t span, const struct live *l, usec_t now)
{
	usec_t begin;

	if (r->status != STATUS_ACTIVE || !l || l->state != PRESENCE_IDLE ||
	    l->idle_at == USEC_NONE || r->cursor >= l->idle_at)
		return USEC_NONE;
	begin = l->idle_at > r->anchor ? l->idle_at : r->anchor;
	return begin <= now ? begin + span : armed_after_jump(r, span, now);
}

static void arm(struct reminder *r, const struct schedule *s, const struct live *l, usec_t now)
{
	usec_t at = armed_at(r, schedule_idle_span(s), l, now);

	plan_nothing(r);
	if (at == USEC_NONE)
		return;
	if (r->until == USEC_NONE || at <= r->until) {
		r->nominal_at = at;
		r->due_at = plan_due(r, s, at);
	} else if (!r->open_slot) { /* whatever comes is later still */
		plan_end(r, STATUS_COMPLETED, now, "no occurrence is left");
	}
}

int idle_plan(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
	      struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc;

	/* One that nobody sees yet is planned when its import is complete. */
	if (r->batch) {
		plan_nothing(r);
		return 0;
	}
	rc = live_find(e->db, r->agent, &l, err);
	if (rc >= 0)
		arm(r, s, l, now);
	return rc;
}

static int follow(struct engine *e, struct reminder *r, const struct live *l, usec_t now,
		  struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};
	usec_t nominal = r->nominal_at, due = r->due_at;

	if (engine_schedule(r, &s, &unreadable) < 0)
		return 0; /* set aside when it comes due, which it never does */
	arm(r, s, l, now);
	plan_end_if_spent(r, now);
	if (r->status == STATUS_ACTIVE && r->nominal_at == nominal && r->due_at == due)
		return 0;
	return reminder_update_state(e->db, r, err);
}

int idle_changed(struct engine *e, const struct live *l, usec_t now, struct error *err)
{
	AUTO_REMINDERS struct reminder_list waiting = {0};
	int rc = reminder_list_idle(e->db, l->agent, &waiting, err);

	for (size_t i = 0; rc >= 0 && i < waiting.count; i++)
		rc = follow(e, waiting.items[i], l, now, err);
	return rc;
}

int idle_refresh(struct engine *e, usec_t now, struct error *err)
{
	AUTO_LIVES struct live_list all = {0};
	int rc = live_list(e->db, false, &all, err);

	for (size_t i = 0; rc >= 0 && i < all.count; i++)
		rc = idle_changed(e, all.items[i], now, err);
	if (rc >= 0)
		e->idle_stale = false;
	return rc;
}
