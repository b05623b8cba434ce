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
 * meanwhile; only a new schedule begins anew. Only a clock that is set back moves anchor and cursor
 * back; an instant that had a slot before is then given to the next microsecond.
 *
 * A heartbeat makes its agent work, and so ends the idleness that it came from. An agent with nothing
 * to do would be woken by nothing else for ever: after PINGS of them in a row, with no other message for
 * the agent in between, its span is doubled each time, up to a day.
 */
#include "engine/internal.h"

#include <string.h>

#include "store/live.h"
#include "store/queue.h"

#define PINGS 3
#define PINGS_MOST 12 /* that are counted */

/* The clock was set back: it has been idle since just before now, not since a time to come. */
static usec_t mend_idle_at(usec_t idle_at, usec_t now)
{
	return idle_at > now ? now - 1 : idle_at;
}

/*
 * The clock was set back: what lies ahead of it lies at now instead, so that an agent that would be
 * silent until it is told something is not forgotten until the clock has caught up. Whether
 * something was decided in this idleness stays as it was. *idle_at may be USEC_NONE.
 */
static void mend(struct reminder *r, usec_t *idle_at, usec_t now)
{
	bool decided = r->cursor > *idle_at;

	*idle_at = mend_idle_at(*idle_at, now);
	if (r->anchor > now)
		r->anchor = now;
	if (r->cursor > now)
		r->cursor = !decided ? *idle_at : *idle_at == now ? now + 1 : now;
}

/* How long its agent has to be idle now. */
static int find_span(struct engine *e, const struct reminder *r, const struct schedule *s,
		     usec_t *ret, struct error *err)
{
	static const char prefix[] = "heartbeat-";
	AUTO_MESSAGES struct message_list newest = {0};
	size_t pings = 0;
	int rc;

	*ret = schedule_span(s);
	if (!r->name || strncmp(r->name, prefix, strlen(prefix)) != 0 ||
	    strcmp(r->name + strlen(prefix), r->agent) != 0)
		return 0;
	rc = queue_recent(e->db, r->agent, NULL, PINGS_MOST, &newest, err);
	while (rc >= 0 && pings < newest.count && newest.items[pings]->reminder == r->key)
		pings++;
	for (; pings >= PINGS && *ret < USEC_PER_DAY; pings--)
		*ret = *ret * 2 < USEC_PER_DAY ? *ret * 2 : USEC_PER_DAY;
	return rc;
}

/* By what its agent does; l is NULL when that never had a session. */
static void arm(struct reminder *r, const struct schedule *s, const struct live *l, usec_t span,
		usec_t now)
{
	usec_t idle_at = l && l->state == PRESENCE_IDLE ? l->idle_at : USEC_NONE, at;

	mend(r, &idle_at, now);
	plan_nothing(r);
	if (r->status != STATUS_ACTIVE || idle_at == USEC_NONE || r->cursor > idle_at)
		return;
	at = (idle_at > r->anchor ? idle_at : r->anchor) + span;
	if (r->until == USEC_NONE || at <= r->until) {
		r->nominal_at = at;
		r->due_at = plan_due(r, s, at);
	} else if (!r->open_slot) { /* whatever comes is later still */
		plan_end(r, STATUS_COMPLETED, now, PLAN_NONE_LEFT);
	}
}

int idle_plan(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
	      struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	usec_t span;
	int rc;

	/* One that nobody sees yet is planned when its import is complete. */
	if (r->batch) {
		plan_nothing(r);
		return 0;
	}
	rc = live_find(e->db, r->agent, &l, err);
	if (rc >= 0 && (rc = find_span(e, r, s, &span, err)) >= 0)
		arm(r, s, l, span, now);
	return rc;
}

int idle_choose_instant(struct engine *e, struct reminder *r, struct error *err)
{
	usec_t jitter = r->due_at - r->nominal_at;
	int rc = slot_free_instant(e->db, r->key, r->generation, &r->nominal_at, err);

	r->due_at = r->nominal_at + jitter;
	return rc;
}

static int follow(struct engine *e, struct reminder *r, const struct live *l, usec_t now,
		  struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};
	const struct reminder before = *r; /* its numbers */
	usec_t span;
	int rc;

	if (engine_schedule(r, &s, &unreadable) < 0)
		return 0; /* set aside when it comes due, which it never does */
	if ((rc = find_span(e, r, s, &span, err)) < 0)
		return rc;
	arm(r, s, l, span, now);
	plan_end_if_spent(r, now);
	if (r->anchor != before.anchor)
		return reminder_update(e->db, r, err);
	if (r->status == before.status && r->cursor == before.cursor &&
	    r->nominal_at == before.nominal_at && r->due_at == before.due_at)
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

	for (size_t i = 0; rc >= 0 && i < all.count; i++) {
		struct live *l = all.items[i];

		rc = idle_changed(e, l, now, err);
		if (rc < 0 || l->idle_at <= now)
			continue;
		l->idle_at = l->since = mend_idle_at(l->idle_at, now);
		rc = live_put(e->db, l, err);
	}
	if (rc >= 0)
		e->idle_stale = false;
	return rc;
}
