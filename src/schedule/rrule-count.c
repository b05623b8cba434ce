/*
 * rrule-count.c: where COUNT ends.
 * A rule with COUNT looks for its last occurrence once, when it is parsed, and from then on is a
 * rule that ends there: no search ever counts again. Days that match hold the same number of times
 * each, so months are counted whole, and where every day or unit matches it is a division. Only
 * BYSETPOS by period and filtered units with an INTERVAL have to be enumerated, within
 * RRULE_COUNT_STEPS.
 */
#include "schedule/rrule-internal.h"

/* Every INTERVAL-th day holds the same: a division. */
static bool last_by_any_day(const struct rrule *r, int64_t count, local_t *ret)
{
	int64_t times = rrule_time_count(r), day = floor_div(r->dtstart, DAY_SECONDS), days = 0;

	count += rrule_time_rank(r, (int)(r->dtstart - day * DAY_SECONDS));
	days = (count - 1) / times;
	if (days <= (LOCAL_MAX - r->dtstart) / DAY_SECONDS / r->interval)
		*ret = (day + days * r->interval) * DAY_SECONDS +
		       rrule_time_at(r, (count - 1) % times);
	return true;
}

static bool last_by_day(const struct rrule *r, int64_t count, local_t *ret)
{
	int64_t times = rrule_time_count(r), day = floor_div(r->dtstart, DAY_SECONDS), match = 0;
	struct rrule_walk w;

	rrule_walk_init(&w, r, day, floor_div(LOCAL_MAX, DAY_SECONDS));
	/* What DTSTART's day held before DTSTART is counted too: then every day counts the same. */
	if (rrule_walk_day(&w, day, &match) && match == day)
		count += rrule_time_rank(r, (int)(r->dtstart - day * DAY_SECONDS));
	while (rrule_walk_day(&w, day, &match)) {
		uint32_t left = w.mask & ~UINT32_C(0) << (match - w.first);
		int64_t days = __builtin_popcount(left);

		if ((count - 1) / times < days) {
			for (int64_t skip = (count - 1) / times; skip > 0; skip--)
				left &= left - 1;
			*ret = (w.first + __builtin_ctz(left)) * DAY_SECONDS +
			       rrule_time_at(r, (count - 1) % times);
			return true;
		}
		count -= days * times;
		day = w.first + w.len;
	}
	return true;
}

static bool last_by_unit(const struct rrule *r, int64_t count, local_t *ret)
{
	int64_t times = rrule_time_count(r), units = 0;

	count += rrule_time_rank(r, (int)(r->dtstart - r->phase));
	units = (count - 1) / times;
	if (units <= (LOCAL_MAX - r->phase) / r->step)
		*ret = r->phase + units * r->step + rrule_time_at(r, (count - 1) % times);
	return true;
}

static bool last_by_search(const struct rrule *r, int64_t count, local_t *ret)
{
	local_t from = r->dtstart, at = 0;
	int64_t steps = 0;

	for (; count > 0; count--) {
		local_t limit = LOCAL_MAX - from > RRULE_HORIZON ? from + RRULE_HORIZON : LOCAL_MAX;

		if (!rrule_expand(r, from, limit, &steps, &at))
			break;
		if (steps > RRULE_COUNT_STEPS)
			return false;
		*ret = at;
		from = at + 1;
	}
	return true;
}

bool rrule_count_last(const struct rrule *r, int64_t count, local_t *ret)
{
	/* No calendar holds this many seconds, and sums of counts stay clear of overflow. */
	if (count > LOCAL_MAX - LOCAL_MIN)
		count = LOCAL_MAX - LOCAL_MIN;
	*ret = LOCAL_MAX;
	if (r->every_day && !r->by_unit)
		return last_by_any_day(r, count, ret);
	if (!r->by_period && !r->by_unit)
		return last_by_day(r, count, ret);
	if (r->by_unit && r->every_day && rrule_clock_count(&r->units) == DAY_SECONDS / r->unit)
		return last_by_unit(r, count, ret);
	return last_by_search(r, count, ret);
}
