/*
 * oracle.c: the great check. For every reminder and generation the occurrences are found by
 * naive.c, and the ledger has to tile them: each row explains the next occurrence, or the next run
 * of them, without a hole, an overlap or an invention, up to what the past demands.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/preview.h"
#include "store/kv.h"
#include "store/queue.h"
#include "store/slot.h"

#define SLOTS_MAX 100000

static usec_t least(usec_t a, usec_t b)
{
	return a < b ? a : b;
}

static usec_t most(usec_t a, usec_t b)
{
	return a > b ? a : b;
}

struct sighting *sighting_of(const struct world *w, int64_t slot)
{
	size_t low = 0, high = w->sighting_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->sightings[middle].key < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->sighting_count && w->sightings[low].key == slot ? &w->sightings[low] : NULL;
}

static usec_t begun_at(const struct world *w, int64_t key)
{
	const struct sighting *seen = sighting_of(w, key);

	return seen ? seen->begun : USEC_NONE;
}

static int by_instant(const void *a, const void *b)
{
	const struct slot *x = *(struct slot *const *)a, *y = *(struct slot *const *)b;

	if (x->generation != y->generation)
		return x->generation < y->generation ? -1 : 1;
	return x->nominal < y->nominal ? -1 : x->nominal > y->nominal;
}

/* One generation being compared. */
struct tiling {
	struct world *w;
	const struct memory *m;
	const struct generation *g;
	struct naive naive;
	usec_t reach; /* behind it lie only those that a clock which was ahead has fired */
	int64_t rank; /* of the last occurrence that is explained */
	const struct slot *previous;
	int64_t fired;
};

static void complain(const struct tiling *t, const struct slot *slot, const char *what)
{
	broke(t->w, "'%s' (%s %s, %s), slot %lld at %lld, %s: %s", t->m->id, t->g->spec.key,
	      t->g->spec.text, t->g->spec.zone, (long long)slot->key, (long long)slot->nominal,
	      outcome_word(slot->outcome), what);
}

/* Fires and checks: on time, the newest, and what they stand for. */
static void check_fire(struct tiling *t, const struct slot *slot)
{
	usec_t begun = begun_at(t->w, slot->key);
	usec_t seen = least(begun - t->m->jitter_most, t->m->until_least);

	if (begun == USEC_NONE || begun < slot->nominal)
		complain(t, slot, "began before its time");
	if (t->m->grace_most != DURATION_FOREVER &&
	    begun - slot->nominal > t->m->grace_most + t->m->jitter_most)
		complain(t, slot, "began later than its deadline or catch-up allow");
	if (naive_rank(&t->naive, seen) - naive_rank(&t->naive, slot->nominal) >= t->m->catch_most)
		complain(t, slot, "went on although newer ones were due");
	if (slot->missed_before && (!t->previous || t->previous->outcome != OUTCOME_MISSED ||
				    t->previous->occurrences != slot->missed_before))
		complain(t, slot, "H14: does not stand for the missed ones before it");
}

static void check_slot(struct tiling *t, const struct slot *slot)
{
	int64_t first = naive_rank(&t->naive, slot->first_nominal);
	int64_t last = naive_rank(&t->naive, slot->nominal);
	bool run = slot->outcome == OUTCOME_MISSED || slot->outcome == OUTCOME_SKIPPED ||
		   slot->outcome == OUTCOME_CANCELLED;

	if (!naive_has(&t->naive, slot->first_nominal) || !naive_has(&t->naive, slot->nominal))
		complain(t, slot, "explains an instant that is no occurrence");
	else if (first <= t->rank)
		complain(t, slot, "explains an occurrence a second time");
	else if (first > t->rank + 1)
		complain(t, slot, "leaves earlier occurrences without a row");
	else if (slot->more ? slot->occurrences > last - first + 1
			    : slot->occurrences != last - first + 1)
		complain(t, slot, "counts wrongly");
	else if (!run && first != last)
		complain(t, slot, "is one occurrence and explains several");
	if (slot->nominal > t->m->until_most)
		complain(t, slot, "lies after --until");
	t->rank = last;
}

static void check_row(struct tiling *t, const struct slot *slot)
{
	bool known = naive_has(&t->naive, slot->nominal);
	bool extra = t->g->extra != USEC_NONE && slot->nominal == t->g->extra;
	const struct sighting *seen = sighting_of(t->w, slot->key);
	bool fired = slot->outcome == OUTCOME_FIRED || (seen && seen->mission);

	if (slot->early && (slot->nominal > t->reach || (t->g->rederived && !known))) {
		if (!known && !extra && !t->g->rederived)
			complain(t, slot, "explains an instant that is no occurrence");
		t->fired += fired;
		return;
	}
	/* Seen from before its creation, that instant may be an occurrence, too. */
	if (!extra || known)
		check_slot(t, slot);
	if (fired || slot->outcome == OUTCOME_CHECKING)
		check_fire(t, slot);
	t->fired += fired;
	t->previous = slot;
}

static bool ended_by_itself(const struct memory *m)
{
	return m->status == STATUS_COMPLETED && !m->ended_by_request;
}

/* How far the past demands an explanation. A count that was reached demands nothing more. */
static void check_reach(struct tiling *t, bool last)
{
	usec_t fired =
		t->g->fire_seen == USEC_NONE ? USEC_NONE : t->g->fire_seen - t->m->jitter_most;
	usec_t reach = least(most(fired, t->g->settled), t->m->until_least);

	if ((last && ended_by_itself(t->m)) || reach == USEC_NONE)
		return;
	if (naive_rank(&t->naive, reach) > t->rank)
		broke(t->w, "'%s' (%s %s, %s): %lld occurrences up to %lld have no row", t->m->id,
		      t->g->spec.key, t->g->spec.text, t->g->spec.zone,
		      (long long)(naive_rank(&t->naive, reach) - t->rank), (long long)reach);
}

/* The cursor and the next time of the generation that counts. */
static void check_next(struct tiling *t)
{
	const struct memory *m = t->m;

	if (naive_rank(&t->naive, m->cursor) != t->rank)
		broke(t->w, "'%s': the cursor is not at the last occurrence that was decided",
		      m->id);
	if (m->status != STATUS_ACTIVE || m->nominal_at == USEC_NONE)
		return;
	if (!naive_has(&t->naive, m->nominal_at) ||
	    naive_rank(&t->naive, m->nominal_at) != t->rank + 1)
		broke(t->w, "'%s' (%s %s, %s) is due for %lld, not its first undecided one", m->id,
		      t->g->spec.key, t->g->spec.text, t->g->spec.zone, (long long)m->nominal_at);
	if (m->nominal_at > m->until_now)
		broke(t->w, "'%s' is due after its --until", m->id);
}

/* The reason a reminder gives for having completed must be true. */
static void check_end(struct tiling *t, usec_t horizon)
{
	const struct memory *m = t->m;

	bool spent = strcmp(m->end_reason, "no occurrence is left") == 0 ||
		     strcmp(m->end_reason, "its only time has come") == 0;

	if (spent && naive_rank(&t->naive, least(m->until_now, horizon)) > t->rank)
		broke(t->w, "'%s' (%s %s, %s) completed with occurrences left", m->id,
		      t->g->spec.key, t->g->spec.text, t->g->spec.zone);
	if (strcmp(m->end_reason, "fired as many times as asked") == 0 &&
	    (!m->count_now || m->fire_count < m->count_now))
		broke(t->w, "'%s' completed before it had fired as many times as asked", m->id);
}

static size_t check_generation(struct world *w, const struct memory *m, size_t number,
			       const struct slot_list *slots, size_t at, int64_t *fired)
{
	const struct generation *g = &m->generations[number - 1];
	bool last = number == m->generation_count;
	/* After a small step back an edit lies before the cursor: what that has passed is explained. */
	struct tiling t = {
		.w = w, .m = m, .g = g, .reach = last ? m->cursor : most(g->reached, g->settled)};
	usec_t upto = most(most(g->fire_seen, g->settled), w->now);
	size_t end = at;

	while (end < slots->count && slots->items[end]->generation == (int64_t)number)
		upto = most(upto, slots->items[end++]->nominal);
	if (last && m->nominal_at != USEC_NONE)
		upto = most(upto, m->nominal_at);
	if (last && ended_by_itself(m))
		upto = most(upto, w->now + 40 * USEC_PER_DAY);
	naive_init(&t.naive, &g->spec, g->start, upto);
	for (; at < end && !w->broken; at++)
		check_row(&t, slots->items[at]);
	if (!w->broken)
		check_reach(&t, last);
	if (!w->broken && last)
		check_next(&t);
	if (!w->broken && last && ended_by_itself(m))
		check_end(&t, upto);
	naive_fini(&t.naive);
	*fired += t.fired;
	return end;
}

static void check_bounds(struct world *w, const struct memory *m, int64_t fired, int64_t by_hand)
{
	int64_t bound = most(m->count_most, m->fires_before);

	if (m->fire_count != m->fires_before + fired)
		broke(w, "'%s' counts %lld fires, its ledger has %lld", m->id,
		      (long long)m->fire_count, (long long)(m->fires_before + fired));
	if (m->count_most && m->fire_count > bound)
		broke(w, "'%s' fired %lld times, at most %lld were asked for", m->id,
		      (long long)m->fire_count, (long long)bound);
	if (by_hand != m->by_hand)
		broke(w, "'%s' was run %lld times by hand, its ledger has %lld", m->id,
		      (long long)m->by_hand, (long long)by_hand);
}

static void check_reminder(struct world *w, const struct memory *m)
{
	AUTO_SLOTS struct slot_list slots = {0};
	struct error err = {0};
	int64_t fired = 0;
	size_t at = 0;

	if (slot_list(w->db, m->key, 0, SLOTS_MAX, &slots, &err) < 0) {
		broke(w, "cannot read the ledger: %s", err.message);
		return;
	}
	if (slots.count)
		qsort(slots.items, slots.count, sizeof(*slots.items), by_instant);
	size_t back = 0;
	while (back < slots.count && slots.items[back]->generation < 0)
		back++;
	for (at = back; at < slots.count && slots.items[at]->generation == 0;)
		at++;
	int64_t by_hand = (int64_t)(at - back);
	for (size_t n = 1; n <= m->generation_count && !w->broken; n++)
		at = check_generation(w, m, n, &slots, at, &fired);
	if (!w->broken)
		check_bounds(w, m, fired, by_hand);
}

/* What `next` and `why` would tell people is what the timer is set to. */
static void check_preview(struct world *w, const struct memory *m)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO_PREVIEW struct preview ahead = {0};
	struct error err = {0};
	usec_t at = USEC_NONE;

	if (m->status != STATUS_ACTIVE || m->due_at == USEC_NONE)
		return;
	if (reminder_get(w->db, m->key, &r, &err) < 0) {
		broke(w, "cannot read '%s': %s", m->id, err.message);
		return;
	}
	preview_begin(&ahead, r, r->cursor);
	if (!preview_next(&ahead, &at) || at != m->due_at)
		broke(w, "'%s' is due at %lld, the preview says %lld", m->id, (long long)m->due_at,
		      (long long)at);
}

/* Statements that must find nothing, and what it means when they do. */
static const struct never {
	const char *sql, *means;
} nevers[] = {
	{"SELECT count(*) FROM slots LEFT JOIN queue ON queue.slot = slots.key"
	 " WHERE slots.outcome = 'fired' AND queue.key IS NULL"
	 " AND slots.reason NOT LIKE '%took its place'",
	 "H16: a fire without its message"},
	{"SELECT count(*) FROM queue LEFT JOIN slots ON queue.slot = slots.key"
	 " WHERE (slots.key IS NULL OR slots.outcome <> 'fired')"
	 " AND NOT (queue.slot IS NULL AND queue.agent = 'me' AND queue.priority = 'normal')",
	 "H16: a message without its fire"},
	{"SELECT count(*) FROM slots WHERE outcome <> 'checking' AND reason IS NULL",
	 "a slot without its reason"},
	{"SELECT count(*) FROM slots LEFT JOIN missions ON missions.slot = slots.key"
	 " WHERE generation = 0 AND missions.key IS NULL" /* a mission may have been removed */
	 " AND slots.outcome NOT IN ('fired', 'ran', 'failed', 'cancelled')",
	 "a run by hand that did not fire"},
	{"SELECT count(*) FROM queue WHERE state = 'delivered' AND attempts < 1",
	 "a message that was delivered without being handed over"},
	{"SELECT count(*) FROM queue WHERE state = 'offered' AND attempt_at IS NOT NULL",
	 "a message that is offered and about to be offered"},
	{"SELECT count(*) FROM (SELECT agent FROM queue WHERE state = 'offered'"
	 " OR attempt_at IS NOT NULL GROUP BY agent HAVING count(*) > 1) AS lines",
	 "a line with two heads"},
	{"SELECT count(*) FROM slots JOIN reminders ON slots.reminder = reminders.key"
	 " WHERE slots.outcome = 'checking' AND reminders.status = 'active'"
	 " AND slots.generation = reminders.generation AND slots.key <> reminders.open_slot",
	 "two checks of one reminder at once"},
};

static const struct never quiet_nevers[] = {
	{"SELECT count(*) FROM slots WHERE outcome = 'checking'", "H8: a check that never ends"},
	{"SELECT count(*) FROM queue WHERE state = 'offered'", "a message that stays offered"},
	{"SELECT count(*) FROM kv WHERE name LIKE 'import.%'", "an import that never ends"},
	{"SELECT count(*) FROM reminders WHERE batch IS NOT NULL", "an import that left rows"},
};

static void check_never(struct world *w, const struct never *never)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	int rc = db_query(w->db, never->sql, DB_NO_ARGS, &rows, &err);

	if (rc < 0 || (rc = db_rows_next(&rows, &err)) < 1)
		broke(w, "cannot ask the store: %s", err.message);
	else if (db_int(&rows, 0))
		broke(w, "%s (%lld)", never->means, (long long)db_int(&rows, 0));
}

void oracle_check(struct world *w)
{
	for (size_t i = 0; i < w->model.count && !w->broken; i++) {
		const struct memory *m = &w->model.reminders[i];

		if (!m->seen)
			continue;
		if (!w->prunes)
			check_reminder(w, m);
		check_preview(w, m);
	}
	/* Retention takes slots and delivered messages away, each at its own time. */
	oracle_missions_check(w, false);
	oracle_inbox_check(w, false);
	for (size_t i = w->prunes ? 2 : 0; i < sizeof(nevers) / sizeof(nevers[0]); i++)
		check_never(w, &nevers[i]);
}

static void check_line(struct world *w, const char *agent)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	struct db_value args[] = {DB_TEXT(agent)};
	int rc = db_query(w->db, "SELECT id FROM queue WHERE agent = $1 AND state = 'queued'",
			  DB_ARGS(args), &rows, &err);

	if (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0)
		broke(w, "message '%s' for '%s' was never handed over", db_text(&rows, 0), agent);
	if (rc < 0)
		broke(w, "cannot read the queue: %s", err.message);
}

void oracle_final(struct world *w)
{
	AUTO_BUF struct buf wrong = {0};
	struct error err = {0};

	oracle_check(w);
	oracle_missions_check(w, true);
	oracle_inbox_check(w, true);
	for (size_t i = 0; i < sizeof(quiet_nevers) / sizeof(quiet_nevers[0]); i++)
		check_never(w, &quiet_nevers[i]);
	if (w->config & 1)
		check_line(w, "builder");
	if (w->config & 2)
		check_line(w, "helper");
	if (store_check(w->db, &wrong, &err) < 0 || wrong.len)
		broke(w, "store check: %s%s", err.message, buf_text(&wrong));
	for (size_t i = 0; i < w->model.count; i++)
		if (w->model.reminders[i].batch_state != BATCH_NONE && w->model.reminders[i].seen)
			broke(w, "import: '%s' is neither in nor out", w->model.reminders[i].id);
}
