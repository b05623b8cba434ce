/*
 * rrule-clock.c: which times of day match.
 * Times are a product of hours, minutes and seconds, so next, rank and the n-th are bit operations
 * and nothing is ever listed. The one exception is BYSETPOS within a day or an hour: its choice
 * is the same in every period, is made once (rrule-build.c) and kept as a sorted list, the picks.
 */
#include "schedule/rrule-internal.h"

int rrule_bits_next(const struct rrule_bits *b, int n)
{
	for (int i = n / 64; i < RRULE_BITS_WORDS; i++) {
		uint64_t left = b->word[i];

		if (i == n / 64)
			left &= ~UINT64_C(0) << (n % 64);
		if (left)
			return i * 64 + __builtin_ctzll(left);
	}
	return -1;
}

int rrule_bits_prev(const struct rrule_bits *b, int n)
{
	for (int i = n / 64; i >= 0; i--) {
		uint64_t left = b->word[i];

		if (i == n / 64)
			left &= ~UINT64_C(0) >> (63 - n % 64);
		if (left)
			return i * 64 + 63 - __builtin_clzll(left);
	}
	return -1;
}

/* The members of `set` from n on; n may be just past the last bit. */
static uint64_t bits_from(uint64_t set, int n)
{
	return n < 64 ? set & ~UINT64_C(0) << n : 0;
}

static int bits_below(uint64_t set, int n)
{
	return __builtin_popcountll(set & ~(~UINT64_C(0) << n));
}

static int bits_nth(uint64_t set, int64_t n)
{
	while (n-- > 0)
		set &= set - 1;
	return __builtin_ctzll(set);
}

int rrule_clock_next(const struct rrule_clock *c, int t)
{
	int hour = t / 3600, minute = t / 60 % 60;
	uint64_t left = 0;

	/* The three cases: a later second in this minute, minute in this hour, hour in this day. */
	if (c->hours >> hour & 1) {
		if (c->minutes >> minute & 1 && (left = bits_from(c->seconds, t % 60)))
			return hour * 3600 + minute * 60 + __builtin_ctzll(left);
		if ((left = bits_from(c->minutes, minute + 1)))
			return hour * 3600 + __builtin_ctzll(left) * 60 +
			       __builtin_ctzll(c->seconds);
	}
	if (!(left = bits_from(c->hours, hour + 1)))
		return -1;
	return __builtin_ctzll(left) * 3600 + __builtin_ctzll(c->minutes) * 60 +
	       __builtin_ctzll(c->seconds);
}

int64_t rrule_clock_count(const struct rrule_clock *c)
{
	return (int64_t)__builtin_popcount(c->hours) * __builtin_popcountll(c->minutes) *
	       __builtin_popcountll(c->seconds);
}

int64_t rrule_clock_rank(const struct rrule_clock *c, int t)
{
	int hour = t / 3600, minute = t / 60 % 60;
	int64_t seconds = __builtin_popcountll(c->seconds);
	int64_t rank = bits_below(c->hours, hour) * __builtin_popcountll(c->minutes) * seconds;

	if (!(c->hours >> hour & 1))
		return rank;
	rank += bits_below(c->minutes, minute) * seconds;
	return c->minutes >> minute & 1 ? rank + bits_below(c->seconds, t % 60) : rank;
}

int rrule_clock_at(const struct rrule_clock *c, int64_t n)
{
	int64_t seconds = __builtin_popcountll(c->seconds);
	int64_t hourly = __builtin_popcountll(c->minutes) * seconds;

	return bits_nth(c->hours, n / hourly) * 3600 +
	       bits_nth(c->minutes, n % hourly / seconds) * 60 + bits_nth(c->seconds, n % seconds);
}

static const struct rrule_clock *rule_clock(const struct rrule *r)
{
	return r->by_unit ? &r->inner : &r->clock;
}

int64_t rrule_time_rank(const struct rrule *r, int t)
{
	size_t low = 0, high = r->picks_len;

	if (!r->picks)
		return rrule_clock_rank(rule_clock(r), t);
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (r->picks[middle] < t)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low;
}

int rrule_time_next(const struct rrule *r, int t)
{
	int64_t rank = 0;

	if (!r->picks)
		return rrule_clock_next(rule_clock(r), t);
	rank = rrule_time_rank(r, t);
	return rank < (int64_t)r->picks_len ? r->picks[rank] : -1;
}

int64_t rrule_time_count(const struct rrule *r)
{
	return r->picks ? (int64_t)r->picks_len : rrule_clock_count(rule_clock(r));
}

int rrule_time_at(const struct rrule *r, int64_t n)
{
	return r->picks ? r->picks[n] : rrule_clock_at(rule_clock(r), n);
}
