/*
 * change.c: add, edit, pause, resume, complete, cancel, run.
 * The rule behind them all: no occurrence vanishes. Whatever lies between the cursor and now and
 * was not decided (a backlog after a start, or a pause) gets one row that says why it did not fire,
 * before the cursor moves over it.
 */
#include "engine/change.h"

#include <string.h>

#include "base/mem.h"
#include "engine/internal.h"

static bool is_once(const struct reminder *r)
{
	return strcmp(r->schedule_kind, "at") == 0;
}

/* Begin counting at `now`; a single instant is never in the past of its own cursor. */
static void begin_at(struct reminder *r, const struct schedule *s, usec_t now)
{
	usec_t only;

	r->cursor = now;
	if (is_once(r) && schedule_next(s, INSTANT_MIN, &only))
		r->cursor = only - 1;
}

/* One row for the undecided occurrences up to now, and the cursor behind them. */
static int settle(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		  enum outcome outcome, const char *reason, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	usec_t upto = r->until != USEC_NONE && r->until < now ? r->until : now;
	usec_t first, last;
	int rc;

	if (!schedule_next(s, r->cursor, &first) || first > upto ||
	    !schedule_prev(s, r->cursor, upto, &last))
		return 0;
	slot = mem_zalloc(sizeof(*slot));
	slot->reminder = r->key;
	slot->generation = r->generation;
	slot->first_nominal = first;
	slot->nominal = last;
	slot->occurrences = schedule_count(s, r->cursor, last, COUNT_LIMIT);
	slot->more = slot->occurrences >= COUNT_LIMIT && schedule_kind(s) != SCHEDULE_EVERY;
	slot->outcome = outcome;
	slot->reason = mem_strdup(reason);
	slot->decided_at = now;
	slot->lateness = now - last;
	rc = slot_insert(e->db, slot, err);
	if (rc >= 0)
		r->cursor = last;
	return rc;
}

static int settle_before(struct engine *e, struct reminder *r, usec_t now, enum outcome outcome,
			 const char *reason, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};

	if (engine_schedule(r, &s, &unreadable) < 0)
		return 0; /* set aside: it has no occurrences anybody could name */
	if (r->status == STATUS_PAUSED)
		return settle(e, r, s, now, OUTCOME_SKIPPED, "paused", err);
	return settle(e, r, s, now, outcome, reason, err);
}

/* Jitter is a hash of the id, which the store may only now have made. */
static int insert(struct engine *e, struct reminder *r, const struct schedule *s, struct error *err)
{
	bool made = r->id[0] == '\0';
	int rc = reminder_insert(e->db, r, err);

	if (rc < 0 || !made || !r->jitter || r->nominal_at == USEC_NONE)
		return rc;
	plan_next(r, s);
	return reminder_update_state(e->db, r, err);
}

int engine_fire_now(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	const struct occurrence at_once = {.nominal = now, .due = now};
	int rc = gate_slot(e, r, &at_once, now, err);

	if (rc < 0)
		return rc;
	plan_end_if_spent(r, now);
	return reminder_update_state(e->db, r, err);
}

int engine_add(struct engine *e, struct reminder *r, usec_t now, bool fire_now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc = engine_schedule(r, &s, err);

	if (rc < 0)
		return rc;
	r->status = STATUS_ACTIVE;
	r->generation = 1;
	r->created_at = r->updated_at = now;
	r->last_fired_at = r->ended_at = USEC_NONE;
	begin_at(r, s, now);
	plan_next(r, s);
	rc = insert(e, r, s, err);
	return rc < 0 || !fire_now ? rc : engine_fire_now(e, r, now, err);
}

int engine_restore(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc = engine_schedule(r, &s, err);

	if (rc < 0)
		return rc;
	r->generation = 1;
	if (r->cursor == USEC_NONE)
		begin_at(r, s, now);
	plan_nothing(r);
	if (r->status == STATUS_ACTIVE || r->status == STATUS_PAUSED)
		plan_next(r, s);
	if (r->status == STATUS_ACTIVE && r->count_max && r->fire_count >= r->count_max)
		plan_end_if_spent(r, now);
	return insert(e, r, s, err);
}

int engine_edit(struct engine *e, struct reminder *r, bool reschedule, usec_t now,
		struct error *err)
{
	AUTO(reminder_free) struct reminder *old = NULL;
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc = engine_schedule(r, &s, err);

	if (rc < 0)
		return rc;
	if (reschedule) {
		rc = reminder_get(e->db, r->key, &old, err);
		if (rc < 0)
			return rc;
		rc = settle_before(e, old, now, OUTCOME_MISSED,
				   "its schedule was edited before it could fire", err);
		if (rc < 0)
			return rc;
		r->generation++;
		r->open_slot = 0;
		begin_at(r, s, now);
	}
	r->updated_at = now;
	plan_next(r, s);
	plan_end_if_spent(r, now);
	return reminder_update(e->db, r, err);
}

static int refuse_move(const struct reminder *r, const char *verb, const char *participle,
		       const char *allowed, struct error *err)
{
	error_set(err, ERR_CONFLICT, "cannot %s reminder '%s': it is %s", verb, r->id,
		  status_word(r->status));
	return error_hint(err, "only %s reminders can be %s", allowed, participle);
}

int engine_pause(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	if (r->status != STATUS_ACTIVE)
		return refuse_move(r, "pause", "paused", "active", err);
	r->status = STATUS_PAUSED;
	r->due_at = USEC_NONE;
	r->updated_at = now;
	return reminder_update_state(e->db, r, err);
}

int engine_hold(struct engine *e, struct reminder *r, const char *why, usec_t now,
		struct error *err)
{
	r->status = STATUS_PAUSED;
	r->due_at = USEC_NONE;
	r->updated_at = now;
	mem_replace(&r->end_reason, why);
	return reminder_update_state(e->db, r, err);
}

int engine_resume(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc;

	if (r->status != STATUS_PAUSED)
		return refuse_move(r, "resume", "resumed", "paused", err);
	rc = engine_schedule(r, &s, err);
	if (rc < 0)
		return rc;
	/* A single instant that passed meanwhile is late, not gone: it fires now. */
	if (!is_once(r))
		rc = settle(e, r, s, now, OUTCOME_SKIPPED, "paused", err);
	if (rc < 0)
		return rc;
	r->status = STATUS_ACTIVE;
	r->updated_at = now;
	mem_replace(&r->end_reason, NULL);
	plan_next(r, s);
	plan_end_if_spent(r, now);
	return reminder_update_state(e->db, r, err);
}

int engine_complete(struct engine *e, struct reminder *r, usec_t now, const char *reason,
		    struct error *err)
{
	int rc;

	if (r->status != STATUS_ACTIVE)
		return refuse_move(r, "complete", "completed", "active", err);
	rc = settle_before(e, r, now, OUTCOME_CANCELLED, "completed before it could fire", err);
	if (rc < 0)
		return rc;
	plan_end(r, STATUS_COMPLETED, now, reason);
	r->updated_at = now;
	return reminder_update_state(e->db, r, err);
}

int engine_cancel(struct engine *e, struct reminder *r, usec_t now, const char *reason,
		  struct error *err)
{
	int rc;

	if (r->status != STATUS_ACTIVE && r->status != STATUS_PAUSED)
		return refuse_move(r, "remove", "removed", "active and paused", err);
	rc = settle_before(e, r, now, OUTCOME_CANCELLED, "removed before it could fire", err);
	if (rc < 0)
		return rc;
	plan_end(r, STATUS_CANCELLED, now, reason);
	r->updated_at = now;
	return reminder_update_state(e->db, r, err);
}

/* Generation 0 is for runs by hand; two in one microsecond take neighbouring instants. */
static int insert_by_hand(struct engine *e, const struct reminder *r, usec_t now, struct slot **ret,
			  struct error *err)
{
	AUTO(slot_free) struct slot *slot = mem_zalloc(sizeof(*slot));
	int rc;

	slot->reminder = r->key;
	slot->nominal = now;
	slot->occurrences = 1;
	slot->outcome = r->action == ACTION_RUN ? OUTCOME_RUNNING : OUTCOME_FIRED;
	slot->reason = mem_strdup("run by hand");
	slot->decided_at = now;
	rc = slot_free_instant(e->db, r->key, 0, &slot->nominal, err);
	slot->first_nominal = slot->nominal;
	if (rc >= 0)
		rc = slot_insert(e->db, slot, err);
	if (rc >= 0)
		*ret = steal_ptr(&slot);
	return rc;
}

int engine_run(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	int rc;

	if (r->status != STATUS_ACTIVE && r->status != STATUS_PAUSED)
		return refuse_move(r, "run", "run", "active and paused", err);
	rc = insert_by_hand(e, r, now, &slot, err);
	if (rc < 0)
		return rc;
	return r->action == ACTION_RUN ? mission_run_by_hand(e, r, slot, now, err)
				       : deliver_enqueue(e, r, slot, now, err);
}
