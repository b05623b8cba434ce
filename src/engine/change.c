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
#include "engine/mission.h"

static bool is_once(const struct reminder *r)
{
	return strcmp(r->schedule_kind, "at") == 0;
}

/* Begin counting at `now`; a single instant is never in the past of its own cursor. */
static void begin_at(struct reminder *r, const struct schedule *s, usec_t now)
{
	usec_t only;

	r->cursor = now;
	if (reminder_is_idle(r)) {
		r->anchor = now;
		r->cursor = INSTANT_MIN; /* its agent may be idle already: nothing is decided yet */
	}
	if (is_once(r) && schedule_next(s, INSTANT_MIN, &only))
		r->cursor = only - 1;
}

/* What is undecided up to `upto`, from the first to the last. */
static bool find_undecided(const struct reminder *r, const struct schedule *s, usec_t upto,
			   usec_t *ret_first, usec_t *ret_last)
{
	if (reminder_is_idle(r)) {
		*ret_first = *ret_last = r->nominal_at;
		return r->nominal_at != USEC_NONE && r->nominal_at <= upto;
	}
	return schedule_next(s, r->cursor, ret_first) && *ret_first <= upto &&
	       schedule_prev(s, r->cursor, upto, ret_last);
}

/* One row for the undecided occurrences up to `end`, and the cursor behind them. */
static int settle_run(struct engine *e, struct reminder *r, const struct schedule *s, usec_t end,
		      usec_t now, enum outcome outcome, const char *reason, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	usec_t first, last;
	int rc;

	if (!find_undecided(r, s, end, &first, &last))
		return 0;
	slot = mem_zalloc(sizeof(*slot));
	slot->reminder = r->key;
	slot->generation = r->generation;
	slot->first_nominal = first;
	slot->nominal = last;
	slot->occurrences = first == last ? 1 : schedule_count(s, r->cursor, last, COUNT_LIMIT);
	slot->more = slot->occurrences >= COUNT_LIMIT && schedule_kind(s) != SCHEDULE_EVERY;
	slot->outcome = outcome;
	slot->reason = mem_strdup(reason);
	slot->decided_at = now;
	slot->lateness = now > last ? now - last : 0;
	rc = slot_insert(e->db, slot, err);
	if (rc >= 0)
		r->cursor = last;
	return rc;
}

/* The same where some of them may have been decided by a clock that was ahead. */
static int settle_to(struct engine *e, struct reminder *r, const struct schedule *s, usec_t end,
		     usec_t now, enum outcome outcome, const char *reason, struct error *err)
{
	usec_t row = USEC_NONE;
	int rc = 0;

	/* Also not what that clock fired behind a bound that was set since. */
	if (r->until != USEC_NONE && r->until < end)
		end = r->until;
	while (rc >= 0 && !reminder_is_idle(r) &&
	       (rc = clock_next_decided(e, r, r->cursor, &row, err)) >= 0 && row != USEC_NONE &&
	       row <= end) {
		rc = settle_run(e, r, s, row - 1, now, outcome, reason, err);
		r->cursor = row;
	}
	return rc < 0 ? rc : settle_run(e, r, s, end, now, outcome, reason, err);
}

static int settle(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		  enum outcome outcome, const char *reason, struct error *err)
{
	return settle_to(e, r, s, now, now, outcome, reason, err);
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

/* --- what an agent must be able to do ------------------------------------------------------ */

static int refuse_agent(const struct engine *e, const struct reminder *r, const char *what,
			struct error *err)
{
	error_set(err, ERR_INVALID, "agent '%s' cannot have %s", r->agent, what);
	return error_hint(err, "give it one that can, like 'adapter: claude', in %s",
			  e->config->path);
}

/* What waits for a session, or falls back to something, needs somebody who can have that. */
static int check_agent(const struct engine *e, const struct reminder *r, struct error *err)
{
	bool session = reminder_is_idle(r) || r->fallback == FALLBACK_START;
	const struct config_agent *agent;

	if (r->status == STATUS_COMPLETED || r->status == STATUS_CANCELLED ||
	    (!session && r->fallback == FALLBACK_WAIT))
		return 0;
	if (r->action == ACTION_RUN && r->fallback != FALLBACK_WAIT) {
		error_set(err, ERR_INVALID, "a reminder that runs its agent has no fallback");
		return error_hint(err, "it needs no session: leave --fallback out");
	}
	agent = config_agent(e->config, r->agent, err);
	if (!agent)
		return err->code;
	if (strcmp(r->agent, "me") == 0) {
		error_set(err, ERR_INVALID, "'me' is you, who has no session and is not run");
		return error_hint(err, "--idle and --fallback are for agents; give 'me' a time, "
				       "like --in 5m");
	}
	if (session && (!agent->adapter || !agent->adapter->templates[USE_INTERACTIVE]))
		return refuse_agent(e, r, "a session: its adapter is not interactive", err);
	if (r->fallback == FALLBACK_RUN && !agent->adapter)
		return refuse_agent(e, r, "missions: it has no adapter", err);
	return 0;
}

/* How its fallback is run: like a reminder that runs, by default. */
static int add_policy(struct engine *e, const struct reminder *r, struct error *err)
{
	AUTO(policy_free) struct policy *there = NULL;
	struct policy p = {0};
	int rc;

	if (r->action == ACTION_RUN || r->fallback != FALLBACK_RUN)
		return 0;
	rc = policy_get(e->db, r->key, &there, err);
	if (rc != ERR_NOT_FOUND)
		return rc;
	engine_policy_defaults(e, DOOR_REMINDER, r->agent, &p);
	p.reminder = r->key;
	return policy_insert(e->db, &p, err);
}

/* Jitter is a hash of the id, which the store may only now have made. */
static int insert_row(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		      struct error *err)
{
	bool made = r->id[0] == '\0';
	int rc = reminder_insert(e->db, r, err);

	if (rc < 0 || !made || !r->jitter || r->nominal_at == USEC_NONE)
		return rc;
	rc = plan_again(e, r, s, now, err);
	return rc < 0 ? rc : reminder_update_state(e->db, r, err);
}

static int insert(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		  struct error *err)
{
	int rc = check_agent(e, r, err);

	if (rc < 0 || (rc = insert_row(e, r, s, now, err)) < 0)
		return rc;
	return add_policy(e, r, err);
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
	if ((rc = plan_check_pace(r, s, now, err)) < 0 ||
	    (rc = plan_again(e, r, s, now, err)) < 0 || (rc = insert(e, r, s, now, err)) < 0)
		return rc;
	return !fire_now ? rc : engine_fire_now(e, r, now, err);
}

int engine_restore(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc = engine_schedule(r, &s, err);

	if (rc < 0)
		return rc;
	r->generation = 1;
	/* One time that is active was not decided yet: its condition was being looked at. */
	if (r->cursor == USEC_NONE || (r->status == STATUS_ACTIVE && is_once(r))) {
		usec_t anchor = r->anchor;

		begin_at(r, s, now);
		r->anchor = anchor; /* which it brought */
	}
	plan_nothing(r);
	if (r->status == STATUS_ACTIVE || r->status == STATUS_PAUSED)
		rc = plan_again(e, r, s, now, err);
	if (rc < 0)
		return rc;
	if (r->status == STATUS_ACTIVE && r->count_max && r->fire_count >= r->count_max)
		plan_end_if_spent(r, now);
	return insert(e, r, s, now, err);
}

int engine_edit(struct engine *e, struct reminder *r, bool reschedule, usec_t now,
		struct error *err)
{
	AUTO(reminder_free) struct reminder *old = NULL;
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc = engine_schedule(r, &s, err);

	if (rc < 0 || (rc = check_agent(e, r, err)) < 0 ||
	    (rc = plan_check_pace(r, s, now, err)) < 0 ||
	    (rc = reminder_get(e->db, r->key, &old, err)) < 0)
		return rc;
	/* The idleness of another agent is another one. */
	reschedule |= reminder_is_idle(r) && strcmp(r->agent, old->agent) != 0;
	if (reschedule) {
		rc = settle_before(e, old, now, OUTCOME_MISSED,
				   "its schedule was edited before it could fire", err);
		if (rc < 0)
			return rc;
		r->generation++;
		r->open_slot = 0;
		begin_at(r, s, now);
	}
	r->updated_at = now;
	rc = plan_again(e, r, s, now, err);
	if (rc < 0)
		return rc;
	plan_end_if_spent(r, now);
	rc = reminder_update(e->db, r, err);
	return rc < 0 ? rc : add_policy(e, r, err);
}

int engine_take_up(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc = engine_schedule(r, &s, err);

	if (rc < 0 || (rc = check_agent(e, r, err)) < 0 ||
	    (rc = plan_check_pace(r, s, now, err)) < 0)
		return rc;
	r->ended_at = USEC_NONE;
	r->updated_at = now;
	r->generation++;
	r->open_slot = 0;
	begin_at(r, s, now);
	if ((rc = plan_again(e, r, s, now, err)) < 0)
		return rc;
	plan_end_if_spent(r, now);
	rc = reminder_update(e->db, r, err);
	return rc < 0 ? rc : add_policy(e, r, err);
}

static int refuse_move(const struct reminder *r, const char *verb, const char *participle,
		       const char *allowed, struct error *err)
{
	error_set(err, ERR_CONFLICT, "cannot %s reminder '%s': it is %s", verb, r->id,
		  status_word(r->status));
	return error_hint(err, "only %s reminders can be %s", allowed, participle);
}

/* What waits for idleness is planned anew by a resume; others keep their place. */
static int hold(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	int rc = reminder_is_idle(r) ? settle_before(e, r, now, OUTCOME_SKIPPED,
						     "paused before it could fire", err)
				     : 0;

	if (rc < 0)
		return rc;
	r->status = STATUS_PAUSED;
	r->due_at = USEC_NONE;
	if (reminder_is_idle(r))
		plan_nothing(r);
	r->updated_at = now;
	return reminder_update_state(e->db, r, err);
}

int engine_pause(struct engine *e, struct reminder *r, const char *why, usec_t now,
		 struct error *err)
{
	if (r->status != STATUS_ACTIVE)
		return refuse_move(r, "pause", "paused", "active", err);
	return engine_hold(e, r, why, now, err);
}

int engine_hold(struct engine *e, struct reminder *r, const char *why, usec_t now,
		struct error *err)
{
	mem_replace(&r->end_reason, why);
	return hold(e, r, now, err);
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
	if (reminder_is_idle(r))
		r->anchor = now;
	rc = plan_again(e, r, s, now, err);
	if (rc < 0)
		return rc;
	plan_end_if_spent(r, now);
	return reminder_is_idle(r) ? reminder_update(e->db, r, err)
				   : reminder_update_state(e->db, r, err);
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

int engine_snooze(struct engine *e, struct reminder *r, usec_t until, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	int rc;

	if (r->status != STATUS_ACTIVE)
		return refuse_move(r, "snooze", "snoozed", "active", err);
	if ((rc = engine_schedule(r, &s, err)) < 0 ||
	    (rc = settle_to(e, r, s, until, now, OUTCOME_SKIPPED, "snoozed", err)) < 0 ||
	    (rc = plan_again(e, r, s, now, err)) < 0)
		return rc;
	plan_end_if_spent(r, now);
	r->updated_at = now;
	return reminder_update_state(e->db, r, err);
}

/* Generation 0 is for runs by hand; two in one microsecond take neighbouring instants. */
static int insert_by_hand(struct engine *e, const struct reminder *r, bool runs, usec_t now,
			  const char *why, struct slot **ret, struct error *err)
{
	AUTO(slot_free) struct slot *slot = mem_zalloc(sizeof(*slot));
	int rc;

	slot->reminder = r->key;
	slot->nominal = now;
	slot->occurrences = 1;
	slot->outcome = runs ? OUTCOME_RUNNING : OUTCOME_FIRED;
	slot->ordered = runs;
	slot->reason = mem_strdup(why);
	slot->decided_at = now;
	rc = slot_free_instant(e->db, r->key, 0, &slot->nominal, err);
	slot->first_nominal = slot->nominal;
	if (rc >= 0)
		rc = slot_insert(e->db, slot, err);
	if (rc >= 0)
		*ret = steal_ptr(&slot);
	return rc;
}

int engine_run(struct engine *e, struct reminder *r, usec_t now, const char *why, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	enum fallback fallback;
	bool runs;
	int rc;

	if (r->status != STATUS_ACTIVE && r->status != STATUS_PAUSED)
		return refuse_move(r, "run", "run", "active and paused", err);
	rc = gate_fallback(e, r, &fallback, err);
	if (rc < 0)
		return rc;
	runs = r->action == ACTION_RUN || fallback == FALLBACK_RUN;
	rc = insert_by_hand(e, r, runs, now, why, &slot, err);
	if (rc < 0)
		return rc;
	if (runs)
		return mission_run_by_hand(e, r, slot, now, err);
	rc = deliver_enqueue(e, r, slot, now, err);
	return rc < 0 || fallback != FALLBACK_START ? rc : live_start_for(e, r, now, err);
}
