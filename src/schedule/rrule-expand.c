/*
 * rrule-expand.c: the next occurrence of a rule.
 * Three ways, each a seek that does not care how far DTSTART is:
 *
 *	by day     most rules: the first matching day, then the first matching time in it
 *	by unit    HOURLY and finer with an INTERVAL: on a matching day, the first unit in phase is
 *a remainder, and wanted units and units in phase leap over each other until they meet by period
 *BYSETPOS from WEEKLY up: how many times the period holds is counted, not listed, and a position is
 *turned back into a day and a time
 *
 * No search looks further than the limit it is given, at most RRULE_HORIZON away, and EXDATE shares
 * that limit with what it makes the search skip, so the work of one call is bounded.
 */
#include "schedule/rrule-internal.h"

static bool next_by_day(const struct rrule *r, struct rrule_walk *w, local_t from, local_t *ret)
{
	int64_t start = floor_div(from, DAY_SECONDS), day = 0;
	int time = 0;

	if (!rrule_walk_day(w, start, &day))
		return false;
	time = rrule_time_next(r, day == start ? (int)(from - start * DAY_SECONDS) : 0);
	if (time < 0) { /* today's are over */
		if (!rrule_walk_day(w, day + 1, &day))
			return false;
		time = rrule_time_next(r, 0);
	}
	*ret = day * DAY_SECONDS + time;
	return true;
}

/* The first second >= t of the day that begins a unit in phase; `first` is the day's first. */
static int64_t in_phase(const struct rrule *r, int64_t first, int64_t t)
{
	return t <= first ? first : first + (t - first + r->step - 1) / r->step * r->step;
}

/* The first occurrence at or after second t of a day whose first unit in phase begins at `first`.
 * -1 when there is none that day. */
static int64_t unit_in_day(const struct rrule *r, struct rrule_walk *w, int64_t first, int64_t t)
{
	int64_t wanted = 0;

	for (int64_t at = in_phase(r, first, t - t % r->unit); at < DAY_SECONDS;
	     at = in_phase(r, first, wanted)) {
		w->steps++;
		wanted = rrule_clock_next(&r->units, (int)at);
		if (wanted < 0)
			return -1;
		if (wanted == at) {
			int inner = rrule_time_next(r, t > at ? (int)(t - at) : 0);

			if (inner >= 0)
				return at + inner;
			wanted = at + 1;
		}
	}
	return -1;
}

/*
 * Search the rest of the walk's month. From one day to the next the first unit in phase moves by
 * the same amount, so a day that cannot match costs a subtraction and a bit.
 */
static bool unit_in_month(const struct rrule *r, struct rrule_walk *w, int64_t day, local_t from,
			  local_t *ret)
{
	const int64_t units = DAY_SECONDS / r->unit, end = w->first + w->len;
	int64_t first = floor_mod((r->phase - day * DAY_SECONDS) / r->unit, r->interval);

	for (const int64_t shift = units % r->interval; day < end; day++) {
		if (first >= units) {
			day += first / units;
			first %= units;
			if (day >= end)
				return false;
		}
		w->steps++;
		if (w->mask >> (day - w->first) & 1 && rrule_phase_has(r, first)) {
			local_t midnight = day * DAY_SECONDS;
			int64_t time = unit_in_day(r, w, first * r->unit,
						   from > midnight ? from - midnight : 0);

			*ret = midnight + time;
			if (time >= 0)
				return true;
		}
		first -= shift;
		if (first < 0)
			first += r->interval;
	}
	return false;
}

static bool next_by_unit(const struct rrule *r, struct rrule_walk *w, local_t from, local_t *ret)
{
	int64_t day = floor_div(from, DAY_SECONDS);

	while (rrule_walk_day(w, day, &day)) {
		if (unit_in_month(r, w, day, from, ret))
			return true;
		day = w->first + w->len;
	}
	return false;
}

/* The days of one period that match, in the months it touches. */
struct period {
	int64_t start, end; /* [start, end) */
	int64_t first[12];
	uint32_t mask[12];
	int len;
	int64_t days;
};

static void period_bounds(const struct rrule_walk *w, int64_t day, struct period *p)
{
	p->start = w->first;
	p->end = w->first + w->len;
	if (w->rule->freq == RRULE_WEEKLY) {
		p->start = rrule_week_start(w->rule, rrule_week_of(w->rule, day));
		p->end = p->start + 7;
	} else if (w->rule->freq == RRULE_YEARLY) {
		p->start = days_from_civil(w->year, 1, 1);
		p->end = days_from_civil(w->year + 1, 1, 1);
	}
}

/* Collect the period of `day`, a matching day in the walk's month. */
static void period_collect(struct rrule_walk *w, int64_t day, struct period *p)
{
	struct rrule_walk inside;

	p->len = 0;
	p->days = 0;
	period_bounds(w, day, p);
	if (w->rule->freq == RRULE_MONTHLY) {
		p->first[p->len] = w->first;
		p->mask[p->len++] = w->mask;
		p->days = __builtin_popcount(w->mask);
		return;
	}
	rrule_walk_init(&inside, w->rule, p->start, p->end - 1);
	for (day = p->start; rrule_walk_month(&inside, day); day = inside.first + inside.len) {
		uint32_t mask = inside.mask;

		if (p->start > inside.first)
			mask &= ~UINT32_C(0) << (p->start - inside.first);
		if (p->end < inside.first + inside.len)
			mask &= ~(~UINT32_C(0) << (p->end - inside.first));
		p->first[p->len] = inside.first;
		p->mask[p->len++] = mask;
		p->days += __builtin_popcount(mask);
	}
	w->steps += inside.steps;
}

/* How many matching days of the period lie before `day`; *ret_match: whether that one matches. */
static int64_t period_rank(const struct period *p, int64_t day, bool *ret_match)
{
	int64_t rank = 0;

	*ret_match = false;
	for (int i = 0; i < p->len && p->first[i] <= day; i++) {
		int64_t place = day - p->first[i];

		if (place >= 31) {
			rank += __builtin_popcount(p->mask[i]);
			continue;
		}
		rank += __builtin_popcount(p->mask[i] & ~(~UINT32_C(0) << place));
		*ret_match = p->mask[i] >> place & 1;
	}
	return rank;
}

static int64_t period_day(const struct period *p, int64_t n)
{
	int i = 0;
	uint32_t mask = 0;

	for (; n >= __builtin_popcount(p->mask[i]); i++)
		n -= __builtin_popcount(p->mask[i]);
	for (mask = p->mask[i]; n > 0; n--)
		mask &= mask - 1;
	return p->first[i] + __builtin_ctz(mask);
}

/* The least index >= rank, of `count`, that BYSETPOS chooses; -1 when there is none. */
static int64_t position_next(const struct rrule_set *set, int64_t rank, int64_t count)
{
	const int64_t most = 64 * RRULE_BITS_WORDS - 1;
	int64_t left = count - rank;
	int plus = rank < most ? rrule_bits_next(&set->plus, (int)rank + 1) : -1;
	int minus = left > 0 ? rrule_bits_prev(&set->minus, (int)(left < most ? left : most)) : -1;

	if (plus > count)
		plus = -1;
	if (plus > 0 && (minus <= 0 || plus - 1 <= count - minus))
		return plus - 1;
	return minus > 0 ? count - minus : -1;
}

static bool next_by_period(const struct rrule *r, struct rrule_walk *w, local_t from, local_t *ret)
{
	int64_t times = rrule_clock_count(&r->clock);
	int64_t today = floor_div(from, DAY_SECONDS), day = today;

	while (rrule_walk_day(w, day, &day)) {
		struct period p;
		int64_t index = 0;
		bool match = false;

		period_collect(w, day, &p);
		if (p.start <= today) {
			index = period_rank(&p, today, &match) * times;
			if (match)
				index += rrule_clock_rank(&r->clock,
							  (int)(from - today * DAY_SECONDS));
		}
		index = position_next(&r->positions, index, p.days * times);
		if (index >= 0) {
			*ret = period_day(&p, index / times) * DAY_SECONDS +
			       rrule_clock_at(&r->clock, index % times);
			return true;
		}
		day = p.end;
	}
	return false;
}

bool rrule_expand(const struct rrule *r, local_t from, local_t limit, int64_t *steps, local_t *ret)
{
	struct rrule_walk w;
	bool found = false;

	if (from > limit)
		return false;
	rrule_walk_init(&w, r, floor_div(from, DAY_SECONDS), floor_div(limit, DAY_SECONDS));
	if (r->by_period)
		found = next_by_period(r, &w, from, ret);
	else if (r->by_unit)
		found = next_by_unit(r, &w, from, ret);
	else
		found = next_by_day(r, &w, from, ret);
	*steps += w.steps;
	return found && *ret <= limit;
}

/* The EXDATE that covers a time, if any. */
static const struct rrule_span *excluded_find(const struct rrule *r, local_t local)
{
	size_t low = 0, high = r->excluded_len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->excluded[middle].last < local)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->excluded_len && r->excluded[low].first <= local ? &r->excluded[low] : NULL;
}

/* The next of the rule itself, without what EXDATE takes away. */
static bool rule_next(const struct rrule *r, local_t after, local_t *ret)
{
	const struct rrule_span *out = NULL;
	local_t from = after < r->dtstart ? r->dtstart : after + 1;
	local_t limit = r->last - from > RRULE_HORIZON ? from + RRULE_HORIZON : r->last;
	int64_t steps = 0;

	do {
		if (!rrule_expand(r, from, limit, &steps, ret))
			return false;
		out = excluded_find(r, *ret);
		if (out)
			from = out->last + 1;
	} while (out);
	return true;
}

/* The next RDATE that EXDATE does not take away. */
static bool added_next(const struct rrule *r, local_t after, local_t *ret)
{
	size_t low = 0, high = r->added_len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->added[middle] <= after)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < r->added_len)
		*ret = r->added[low];
	return low < r->added_len;
}

bool rrule_next_local(const struct rrule *r, local_t after, local_t *ret)
{
	local_t by_rule = 0, by_date = 0;
	bool has_rule = r->has_rule && after < r->last && rule_next(r, after, &by_rule);
	bool has_date = added_next(r, after, &by_date);

	if (has_rule && (!has_date || by_rule <= by_date))
		*ret = by_rule;
	else if (has_date)
		*ret = by_date;
	return has_rule || has_date;
}
