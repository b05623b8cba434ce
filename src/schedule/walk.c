/*
 * walk.c: walk a zone's stretches of constant offset, and ask the rule in each.
 *
 * Within a stretch, local time and UTC differ by a constant, and the rule's next local time is the
 * answer if it comes before the stretch ends. Otherwise the walk goes on, and since no clock is
 * further than OFFSET_LIMIT from UTC, a local time far ahead lets it jump there instead of visiting
 * every stretch between: the work does not depend on the distance.
 *
 * For times that fire once each (`real` is false) think of the clock's high-water mark, the latest
 * local time it has shown so far. When the mark passes a time of the rule, that time fires. A clock
 * set back runs below its mark for a while and nothing fires. A clock set forward leaves times
 * between the mark and its new reading; those fire counted with the old offset, that is, as far
 * behind the change as they lie in the gap, and they mingle with the times that follow it: 02:30
 * becomes 03:30 and comes after 03:15. Both effects end within NEAR of the change, so far from one
 * nothing of this costs anything.
 */
#include "schedule/walk.h"

#define OFFSET_LIMIT (26 * 3600) /* no clock is further from UTC */
#define NEAR (2 * OFFSET_LIMIT)	 /* nor can two clocks be further apart */
#define FAR INT64_MAX		 /* a time that never comes */

static inline local_t next_or_far(const struct walk *w, local_t after)
{
	local_t local;

	return w->next_local(w->rule, after, &local) ? local : FAR;
}

/* Whether a local time, read with the span's offset, comes before the span ends. */
static inline bool falls_in(const struct zone_span *span, local_t local)
{
	return local != FAR && local - span->offset < span->end;
}

/* The last second before the first in which a later span could show `local`. */
static int64_t jump_before(const struct zone_span *span, local_t local)
{
	int64_t earliest = local == FAR ? FAR : local - OFFSET_LIMIT;

	return (earliest > span->end ? earliest : span->end) - 1;
}

static bool next_real(const struct walk *w, int64_t after, int64_t until, int64_t *ret)
{
	struct zone_span span;

	while (after < until) {
		zone_span_at(w->zone, after + 1, &span);
		local_t local = next_or_far(w, after + span.offset);
		if (falls_in(&span, local)) {
			*ret = local - span.offset;
			return *ret <= until;
		}
		/* So near an end the clock may yet show again what the rule has behind it. */
		after = span.end <= after + NEAR ? span.end - 1 : jump_before(&span, local);
	}
	return false;
}

/* The high-water mark of the clock when the span that begins at `start` begins. */
static local_t mark_at(const struct zone *zone, int64_t start)
{
	struct zone_span earlier;
	local_t mark = INT64_MIN;

	for (int64_t t = start; t > start - NEAR; t = earlier.start) {
		zone_span_at(zone, t - 1, &earlier);
		if (earlier.end + earlier.offset > mark)
			mark = earlier.end + earlier.offset;
		if (earlier.start == INT64_MIN)
			break;
	}
	return mark;
}

/* The first of the times skipped at the start of `span` that fires after `after`, or FAR. */
static int64_t next_skipped(const struct walk *w, const struct zone_span *span, int64_t after)
{
	struct zone_span before;
	local_t mark = mark_at(w->zone, span->start), from, local;

	if (mark >= span->start + span->offset)
		return FAR;
	zone_span_at(w->zone, span->start - 1, &before);
	from = after + before.offset;
	local = next_or_far(w, from < mark ? mark - 1 : from);
	return local < span->start + span->offset ? local - before.offset : FAR;
}

/* The same for all changes of the clock at or before `span` that still matter at `after`. */
static int64_t next_of_gaps(const struct walk *w, const struct zone_span *span, int64_t after)
{
	struct zone_span s = *span;
	int64_t first = FAR;

	while (s.start > after - NEAR) {
		int64_t at = next_skipped(w, &s, after);

		first = at < first ? at : first;
		zone_span_at(w->zone, s.start - 1, &s);
	}
	return first;
}

static bool next_once(const struct walk *w, int64_t after, int64_t until, int64_t *ret)
{
	struct zone_span span;

	while (after < until) {
		int64_t skipped = FAR;
		zone_span_at(w->zone, after + 1, &span);
		local_t from = after + span.offset;
		if (span.start > after - NEAR) {
			local_t mark = mark_at(w->zone, span.start);

			from = from < mark ? mark - 1 : from;
			skipped = next_of_gaps(w, &span, after);
		}
		local_t local = next_or_far(w, from);
		int64_t at = falls_in(&span, local) ? local - span.offset : FAR;
		if (skipped < at)
			at = skipped;
		if (at < span.end) {
			*ret = at;
			return at <= until;
		}
		after = skipped != FAR ? span.end - 1 : jump_before(&span, local);
	}
	return false;
}

bool walk_next(const struct walk *walk, int64_t after, int64_t until, int64_t *ret)
{
	return walk->real ? next_real(walk, after, until, ret) : next_once(walk, after, until, ret);
}
