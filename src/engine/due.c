/*
 * due.c: what is due becomes slots. This is where a fire begins.
 *
 * A due reminder may have one occurrence since its cursor, or, after a suspend, a crash or a clock
 * set forwards, very many. Catch-up and the start deadline decide which of them go on, each as a
 * slot of its own; all earlier ones share one `missed` row with their count. Then the cursor moves
 * past them all, in the same transaction, so that none of them can ever be decided again.
 *
 * One that waits for its agent to be idle has a single occurrence, the instant it was armed for
 * (idle.c); its schedule says "never", so there is nothing to count and nothing follows.
 */
#include "engine/internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/mission.h"
#include "schedule/duration.h"

/* Occurrences of one reminder that are due: all of (cursor, last]. */
struct backlog {
	usec_t first, last;
	int64_t count;
	bool superseded; /* a later one has fired already, by a clock that was ahead */
	bool more;	 /* counting stopped early: at least so many */
	usec_t *keep;	 /* those that go on, oldest first */
	size_t keep_count;
};

/* The deadline that applies, 0 when lateness does not matter. */
static usec_t deadline_of(const struct reminder *r)
{
	if (r->start_deadline)
		return r->start_deadline;
	return r->catchup == CATCHUP_SKIP ? SKIP_GRACE : 0;
}

static bool in_time(const struct reminder *r, const struct schedule *s, usec_t nominal, usec_t now)
{
	usec_t deadline = deadline_of(r);

	return !deadline || now - plan_due(r, s, nominal) <= deadline;
}

/* The last occurrence that is due: the newest one unless its jitter still holds it back. */
static usec_t last_due(const struct reminder *r, const struct schedule *s, usec_t upto, usec_t now)
{
	usec_t following, last = r->nominal_at;

	if (r->until != USEC_NONE && r->until < upto)
		upto = r->until;
	/* The common case costs one look: nothing else has come due since. */
	if (!schedule_next(s, last, &following) || following > upto)
		return last;
	if (!schedule_prev(s, r->cursor, upto, &last))
		return r->nominal_at;
	if (plan_due(r, s, last) > now && !schedule_prev(s, r->cursor, last - 1, &last))
		return r->nominal_at;
	return last;
}

static void find_backlog(const struct reminder *r, const struct schedule *s, usec_t upto,
			 usec_t now, struct backlog *b)
{
	/* None of those in front of one that has fired already. */
	size_t most = upto < now ? 0 : r->catchup == CATCHUP_ALL ? (size_t)r->catchup_max : 1;
	int64_t limit = COUNT_LIMIT + (int64_t)most;
	usec_t nominal;

	b->first = r->nominal_at;
	b->last = nominal = last_due(r, s, upto, now);
	b->count = b->first == b->last ? 1 : schedule_count(s, r->cursor, b->last, limit);
	b->more = b->count >= limit && schedule_kind(s) != SCHEDULE_EVERY;
	b->superseded = upto < now;
	b->keep = mem_array(most + 1, sizeof(*b->keep));
	/* Newest first into the end of the array, then moved to its front. */
	while (b->keep_count < most && in_time(r, s, nominal, now)) {
		b->keep[most - ++b->keep_count] = nominal;
		if (nominal == b->first || !schedule_prev(s, r->cursor, nominal - 1, &nominal))
			break;
	}
	for (size_t i = 0; i < b->keep_count; i++)
		b->keep[i] = b->keep[most - b->keep_count + i];
}

static bool was_moved(const struct engine *e, const struct backlog *b, usec_t now)
{
	return e->moved_at != USEC_NONE && b->last <= e->moved_at &&
	       now - e->moved_at < USEC_PER_MINUTE;
}

static char *missed_reason(const struct engine *e, const struct reminder *r,
			   const struct backlog *b, usec_t now)
{
	const char *why = was_moved(e, b, now) ? "new zone files say that it has passed"
			  : e->absence	       ? e->absence
					       : "daemon down, suspend or clock change";
	char deadline[DURATION_TEXT_MAX];

	if (b->keep_count || b->superseded)
		return mem_printf("its time passed unseen (%s); a later one fired in its place",
				  why);
	if (r->start_deadline) {
		duration_format(r->start_deadline, deadline);
		return e->absence ? mem_printf("later than its start deadline of %s (%s)", deadline,
					       why)
				  : mem_printf("later than its start deadline of %s", deadline);
	}
	return mem_printf("its time passed unseen (%s), and catch-up is skip", why);
}

/* A row for a run of occurrences with one fate. */
static struct slot *new_run(const struct reminder *r, usec_t first, usec_t last, int64_t count,
			    usec_t now)
{
	struct slot *slot = mem_zalloc(sizeof(*slot));

	slot->reminder = r->key;
	slot->generation = r->generation;
	slot->first_nominal = first;
	slot->nominal = last;
	slot->occurrences = count;
	slot->decided_at = now;
	slot->lateness = now - last;
	return slot;
}

/* One row for everything in the backlog that does not go on. */
static int write_missed(struct engine *e, const struct reminder *r, const struct schedule *s,
			const struct backlog *b, usec_t now, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	usec_t last = b->last;
	int rc;

	if (b->keep_count && !schedule_prev(s, r->cursor, b->keep[0] - 1, &last))
		last = b->first;
	slot = new_run(r, b->first, last, b->count - (int64_t)b->keep_count, now);
	slot->more = b->more;
	slot->outcome = OUTCOME_MISSED;
	slot->reason = missed_reason(e, r, b, now);
	rc = slot_insert(e->db, slot, err);
	/* A later one that fires says itself how many it stands for. */
	return rc < 0 || b->keep_count ? rc : inbox_missed(e, r, slot, now, err);
}

/* The reminder ended with one of those that went on: one row for those behind it. */
static int write_rest(struct engine *e, const struct reminder *r, const struct backlog *b,
		      size_t from, usec_t now, struct error *err)
{
	AUTO(slot_free)
	struct slot *slot =
		new_run(r, b->keep[from], b->last, (int64_t)(b->keep_count - from), now);

	slot->outcome = OUTCOME_CANCELLED;
	slot->reason = mem_printf("it was over by then: %s", r->end_reason);
	return slot_insert(e->db, slot, err);
}

/* Each occurrence that goes on gets its slot, oldest first, as long as the reminder lives. */
static int go_on(struct engine *e, struct reminder *r, const struct schedule *s,
		 const struct backlog *b, usec_t now, struct error *err)
{
	int64_t missed = b->count - (int64_t)b->keep_count;
	size_t i = 0;
	int rc = 0;

	for (; rc >= 0 && i < b->keep_count && r->status == STATUS_ACTIVE; i++) {
		struct occurrence o = {.nominal = b->keep[i], .missed = i == 0 ? missed : 0};

		o.due = plan_due(r, s, o.nominal);
		rc = gate_slot(e, r, &o, now, err);
	}
	return rc >= 0 && i < b->keep_count ? write_rest(e, r, b, i, now, err) : rc;
}

/* Those up to `upto`, which is now, or before the next that has a row already. */
static int decide(struct engine *e, struct reminder *r, const struct schedule *s, usec_t upto,
		  usec_t now, struct error *err)
{
	struct backlog b = {0};
	int rc = 0;

	find_backlog(r, s, upto, now, &b);
	assert(b.count >= (int64_t)b.keep_count && b.last <= now);
	if (b.count > (int64_t)b.keep_count)
		rc = write_missed(e, r, s, &b, now, err);
	r->cursor = b.last;
	plan_next(r, s);
	if (rc >= 0)
		rc = go_on(e, r, s, &b, now, err);
	free(b.keep);
	if (rc < 0)
		return rc;
	plan_end_if_spent(r, now);
	return reminder_update_state(e->db, r, err);
}

/* A row nobody can read must not stop the others, nor be asked for again and again. */
static int set_aside(struct engine *e, struct reminder *r, usec_t now, const struct error *why,
		     struct error *err)
{
	AUTO(free) char *reason = mem_printf("set aside: %s", why->message);
	AUTO(free)
	char *text =
		mem_printf("Reminder '%s' was due and cannot be read: %s\n\nIt is set aside, and "
			   "does not fire. When that is mended: belfry reminder resume %s",
			   r->name ? r->name : r->id, why->message, r->id);
	int rc;

	log_error("reminder '%s' is set aside: %s", r->id, why->message);
	r->status = STATUS_PAUSED;
	r->updated_at = now;
	mem_replace(&r->end_reason, reason);
	plan_nothing(r);
	rc = reminder_update_state(e->db, r, err);
	return rc < 0 ? rc : deliver_notice(e, r, NULL, "it is set aside", text, now, err);
}

/* In front of each that a clock which was ahead has fired already, those that are due, too. */
static int decide_all(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		      struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < FIRE_SLOTS && r->due_at != USEC_NONE && r->due_at <= now;
	     i++) {
		usec_t upto;

		rc = clock_pass_decided(e, r, s, now, &upto, err);
		if (rc == 0)
			rc = decide(e, r, s, upto, now, err);
		if (rc > 0) {
			plan_end_if_spent(r, now);
			rc = reminder_update_state(e->db, r, err);
		}
	}
	return rc;
}

static int fire_one(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error why = {0};
	int rc;

	if (engine_schedule(r, &s, &why) < 0)
		return set_aside(e, r, now, &why, err);
	if (!reminder_is_idle(r))
		return (rc = clock_follow_leap(e, r, &s, now, err)) < 0
			       ? rc
			       : decide_all(e, r, s, now, err);
	rc = idle_choose_instant(e, r, err);
	if (rc < 0 || r->due_at > now)
		return rc < 0 ? rc : reminder_update_state(e->db, r, err);
	return decide(e, r, s, now, now, err);
}

int due_pass_over(struct engine *e, struct reminder *r, usec_t upto, const char *reason, usec_t now,
		  usec_t *ret_last, struct error *err)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	AUTO(slot_free) struct slot *slot = NULL;
	struct error why = {0};
	int64_t count = 1;
	usec_t last;
	int rc;

	if (engine_schedule(r, &s, &why) < 0)
		return set_aside(e, r, now, &why, err);
	last = reminder_is_idle(r) ? r->nominal_at : last_due(r, s, upto, upto);
	if (last != r->nominal_at)
		count = schedule_count(s, r->cursor, last, COUNT_LIMIT);
	slot = new_run(r, r->nominal_at, last, count, now);
	slot->more = count >= COUNT_LIMIT && schedule_kind(s) != SCHEDULE_EVERY;
	slot->outcome = OUTCOME_MISSED;
	slot->reason = mem_strdup(reason);
	/* A clock that was ahead may have left a row of that very instant. */
	rc = slot_free_instant(e->db, r->key, r->generation, &slot->nominal, err);
	if (rc >= 0)
		rc = slot_insert(e->db, slot, err);
	if (rc < 0)
		return rc;
	r->cursor = *ret_last = last;
	plan_next(r, s);
	return 1;
}

int engine_fire_due(struct engine *e, usec_t now, struct error *err)
{
	AUTO_REMINDERS struct reminder_list due = {0};
	int rc = clock_look(e, now, err);
	size_t i = 0;

	if (rc >= 0)
		rc = replan_look(e, now, err);
	if (rc >= 0 && e->seed_stale)
		rc = engine_seed(e, now, err);
	if (rc >= 0 && (e->idle_stale || now < e->fired_at))
		rc = idle_refresh(e, now, err);
	e->fired_at = now;
	e->late_told = false;
	if (rc >= 0)
		rc = reminder_due(e->db, now, FIRE_BATCH, &due, err);
	if (rc >= 0 && due.count)
		rc = clock_decides(e, now, err);
	if (rc < 0)
		return rc;
	/* Catching up with all of many is a long turn: the others wait for the next one. */
	for (e->decided = 0; i < due.count && e->decided < FIRE_SLOTS; i++) {
		rc = fire_one(e, due.items[i], now, err);
		if (rc < 0)
			return error_prefix(err, "reminder '%s'", due.items[i]->id);
	}
	return i == FIRE_BATCH || i < due.count;
}
