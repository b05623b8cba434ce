/*
 * plan.c: when a reminder is due next. The truth is the schedule and the cursor (everything at or
 * before it has been decided); nominal_at and due_at are worked out from them and can be thrown away.
 *
 * Jitter moves an occurrence by a hash of the reminder and the nominal instant, so that every node
 * and every restart agrees, and never past the next occurrence, so that order is kept.
 */
#include "engine/internal.h"

#include <string.h>

#include "base/mem.h"
#include "base/random.h"

int engine_schedule(const struct reminder *r, struct schedule **ret, struct error *err)
{
	struct schedule_spec spec = {.text = r->schedule, .anchor = r->anchor};
	int kind = schedule_kind_of(r->schedule_kind);
	int rc;

	if (kind < 0)
		return error_set(err, ERR_INVALID, "unknown kind of schedule '%s'",
				 r->schedule_kind);
	spec.kind = (enum schedule_kind)kind;
	rc = zone_get(r->zone, &spec.zone, err);
	return rc < 0 ? rc : schedule_parse(&spec, ret, err);
}

usec_t plan_due(const struct reminder *r, const struct schedule *s, usec_t nominal)
{
	usec_t room = r->jitter, following;

	if (r->jitter <= 0)
		return nominal;
	if (schedule_next(s, nominal, &following) && following - nominal < room)
		room = following - nominal;
	return nominal +
	       (usec_t)(hash_bytes(r->id, strlen(r->id), (uint64_t)nominal) % (uint64_t)room);
}

#define PACE_LEAST USEC_PER_MINUTE
#define PACE_LOOKS 64 /* a rule may have its crowd somewhere in between */

static bool starts_runs(const struct reminder *r)
{
	return r->action == ACTION_RUN || r->fallback == FALLBACK_RUN;
}

int plan_check_pace(const struct reminder *r, const struct schedule *s, usec_t now,
		    struct error *err)
{
	bool others = r->made_by || (r->owner && strcmp(r->owner, "me") != 0);
	usec_t at, following;

	if (!others || !starts_runs(r) || reminder_is_idle(r) || !schedule_next(s, now, &at))
		return 0;
	for (int i = 0; i < PACE_LOOKS && schedule_next(s, at, &following); i++, at = following) {
		if (following - at >= PACE_LEAST)
			continue;
		error_set(err, ERR_INVALID,
			  "'%s' starts a run more often than every minute, which only the person "
			  "at this machine may set",
			  r->schedule);
		return error_hint(err, "leave at least a minute between two runs: every 1m");
	}
	return 0;
}

void plan_nothing(struct reminder *r)
{
	r->nominal_at = USEC_NONE;
	r->due_at = USEC_NONE;
}

void plan_next(struct reminder *r, const struct schedule *s)
{
	usec_t nominal;

	plan_nothing(r);
	/* One that is paused may have: the resume ends it. */
	if (r->count_max && r->fire_count >= r->count_max)
		return;
	if (!schedule_next(s, r->cursor, &nominal))
		return;
	if (r->until != USEC_NONE && nominal > r->until)
		return;
	r->nominal_at = nominal;
	if (r->status == STATUS_ACTIVE)
		r->due_at = plan_due(r, s, nominal);
}

int plan_again(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
	       struct error *err)
{
	if (reminder_is_idle(r))
		return idle_plan(e, r, s, now, err);
	plan_next(r, s);
	return 0;
}

void plan_end(struct reminder *r, enum status status, usec_t now, const char *reason)
{
	r->status = status;
	r->ended_at = now;
	r->open_slot = 0;
	mem_replace(&r->end_reason, reason);
	plan_nothing(r);
}

/* One that waits for its agent to be idle has something left as long as it may fire at all. */
static bool is_over(const struct reminder *r, usec_t now)
{
	if (r->nominal_at != USEC_NONE)
		return false;
	return !reminder_is_idle(r) || (r->until != USEC_NONE && now > r->until);
}

/*
 * An active reminder that has nothing left to do and waits for nothing is completed. One that has
 * fired as many times as asked does not wait for a check either: it may not fire whatever that says.
 */
void plan_end_if_spent(struct reminder *r, usec_t now)
{
	if (r->status != STATUS_ACTIVE)
		return;
	if (r->count_max && r->fire_count >= r->count_max)
		plan_end(r, STATUS_COMPLETED, now, "fired as many times as asked");
	else if (!r->open_slot && is_over(r, now))
		plan_end(r, STATUS_COMPLETED, now,
			 strcmp(r->schedule_kind, "at") == 0 ? PLAN_ONLY_TIME : PLAN_NONE_LEFT);
}
