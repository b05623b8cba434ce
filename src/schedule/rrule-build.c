/*
 * rrule-build.c: from the parts of a rule and DTSTART to masks that a search can use.
 * Whatever the rule leaves open comes from DTSTART. Where the text has no DTSTART of its own, the
 * moment of creation stands in, and then a named hour means the full hour and a named minute the
 * full minute: nobody who writes BYHOUR=9 wants 9:37:22.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "schedule/rrule-internal.h"

static const struct rrule_bits no_bits;

static bool given(const struct rrule_parts *p, enum rrule_part part)
{
	return p->column[part] != 0;
}

/* Place numbers that count from either end into `len` places; what does not fit is dropped. */
static void set_place(const struct rrule_set *set, int len, struct rrule_bits *ret)
{
	for (int n = rrule_bits_next(&set->plus, 1); n > 0 && n <= len;
	     n = rrule_bits_next(&set->plus, n + 1))
		rrule_bits_add(ret, n - 1);
	for (int n = rrule_bits_next(&set->minus, 1); n > 0 && n <= len;
	     n = rrule_bits_next(&set->minus, n + 1))
		rrule_bits_add(ret, len - n);
}

/* Place numbered weekdays into a month or year of `len` days whose first has `weekday`. */
static void nth_place(const struct rrule_set nth[7], int weekday, int len, struct rrule_bits *ret)
{
	for (int day = 0; day < 7; day++) {
		int first = (day - weekday + 7) % 7;
		struct rrule_bits weeks = no_bits;

		set_place(&nth[day], (len - 1 - first) / 7 + 1, &weeks);
		for (int n = rrule_bits_next(&weeks, 0); n >= 0; n = rrule_bits_next(&weeks, n + 1))
			rrule_bits_add(ret, first + n * 7);
	}
}

/* Numbered weekdays count in the year only when YEARLY stands without BYMONTH. */
static bool nth_in_year(const struct rrule_parts *p)
{
	return p->has_nth && p->freq == RRULE_YEARLY && !given(p, RRULE_BYMONTH);
}

static void build_weekdays(struct rrule *r, const struct rrule_parts *p, unsigned weekdays)
{
	bool all = !given(p, RRULE_PART_BYDAY) && weekdays == 0;

	for (int first = 0; first < 7; first++)
		for (int len = 28; len <= 31; len++) {
			struct rrule_bits days = no_bits;

			for (int day = 0; day < len; day++)
				if (all || weekdays >> (first + day) % 7 & 1)
					rrule_bits_add(&days, day);
			if (p->has_nth && !nth_in_year(p))
				nth_place(p->nth, first, len, &days);
			r->weekdays[first][len - 28] = (uint32_t)days.word[0];
		}
}

static void build_monthdays(struct rrule *r, const struct rrule_set *set)
{
	for (int len = 28; len <= 31; len++) {
		struct rrule_bits days = no_bits;

		if (!set)
			days.word[0] = (UINT64_C(1) << len) - 1;
		else
			set_place(set, len, &days);
		r->monthdays[len - 28] = (uint32_t)days.word[0];
	}
}

static void build_year(struct rrule *r, const struct rrule_parts *p)
{
	struct rrule_year *y = NULL;

	if (!given(p, RRULE_BYYEARDAY) && !given(p, RRULE_BYWEEKNO) && !nth_in_year(p))
		return;
	r->year = y = mem_zalloc(sizeof(*y));
	y->has_yearday = given(p, RRULE_BYYEARDAY);
	y->has_weekno = given(p, RRULE_BYWEEKNO);
	y->has_nth = nth_in_year(p);
	y->weekno = p->by[RRULE_BYWEEKNO];
	for (int leap = 0; leap < 2; leap++) {
		set_place(&p->by[RRULE_BYYEARDAY], 365 + leap, &y->yearday[leap]);
		for (int weekday = 0; weekday < 7 && y->has_nth; weekday++)
			nth_place(p->nth, weekday, 365 + leap, &y->nth[leap][weekday]);
	}
}

/* The days: what the rule says, and from DTSTART what its FREQ needs besides. */
static void build_days(struct rrule *r, const struct rrule_parts *p, const struct civil *start)
{
	struct rrule_set mday = {0};
	const struct rrule_set *monthdays =
		given(p, RRULE_BYMONTHDAY) ? &p->by[RRULE_BYMONTHDAY] : NULL;
	bool has_day = given(p, RRULE_PART_BYDAY) || monthdays || given(p, RRULE_BYYEARDAY);
	bool by_week = p->freq == RRULE_WEEKLY || given(p, RRULE_BYWEEKNO);
	unsigned weekdays = p->weekdays;

	r->months = given(p, RRULE_BYMONTH) ? (uint16_t)(p->by[RRULE_BYMONTH].plus.word[0] >> 1)
					    : 0xfff;
	if (!has_day && by_week)
		weekdays = 1U << weekday_of_days(floor_div(r->dtstart, DAY_SECONDS));
	if (!has_day && !by_week && p->freq >= RRULE_MONTHLY) {
		rrule_bits_add(&mday.plus, start->day);
		monthdays = &mday;
		if (p->freq == RRULE_YEARLY && !given(p, RRULE_BYMONTH))
			r->months = (uint16_t)(1U << (start->month - 1));
	}
	build_weekdays(r, p, weekdays);
	build_monthdays(r, monthdays);
	build_year(r, p);
	r->every_day = r->months == 0xfff && !weekdays && !monthdays && !has_day && !r->year;
	for (int64_t day = 0; day < 31; day += r->interval)
		r->stride |= UINT32_C(1) << day;
}

static void build_clock(struct rrule *r, const struct rrule_parts *p, struct civil start,
			bool exact)
{
	const struct rrule_set *by = p->by;
	struct rrule_clock *c = &r->clock;

	if (!exact && given(p, RRULE_BYHOUR))
		start.minute = start.second = 0;
	if (!exact && given(p, RRULE_BYMINUTE))
		start.second = 0;
	c->hours = p->freq >= RRULE_DAILY ? UINT32_C(1) << start.hour : RRULE_HOURS_ALL;
	c->minutes = p->freq >= RRULE_HOURLY ? UINT64_C(1) << start.minute : RRULE_SIXTY_ALL;
	c->seconds = p->freq >= RRULE_MINUTELY ? UINT64_C(1) << start.second : RRULE_SIXTY_ALL;
	if (given(p, RRULE_BYHOUR))
		c->hours = (uint32_t)by[RRULE_BYHOUR].plus.word[0];
	if (given(p, RRULE_BYMINUTE))
		c->minutes = by[RRULE_BYMINUTE].plus.word[0];
	if (given(p, RRULE_BYSECOND))
		c->seconds = by[RRULE_BYSECOND].plus.word[0];
	/* There is no second 60 on our clocks: it is the last one of its minute. */
	if (c->seconds >> 60 & 1)
		c->seconds = (c->seconds | UINT64_C(1) << 59) & RRULE_SIXTY_ALL;
}

static int compare_picks(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Choose by BYSETPOS among the times of one period, which are the same in every period. */
static size_t pick(const struct rrule_clock *c, const struct rrule_set *set, int32_t *ret)
{
	int64_t count = rrule_clock_count(c);
	size_t n = 0, kept = 0;

	for (int p = rrule_bits_next(&set->plus, 1); p > 0 && p <= count;
	     p = rrule_bits_next(&set->plus, p + 1))
		ret[n++] = rrule_clock_at(c, p - 1);
	for (int p = rrule_bits_next(&set->minus, 1); p > 0 && p <= count;
	     p = rrule_bits_next(&set->minus, p + 1))
		ret[n++] = rrule_clock_at(c, count - p);
	qsort(ret, n, sizeof(*ret), compare_picks);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || ret[kept - 1] != ret[i])
			ret[kept++] = ret[i];
	return kept;
}

/* Whether the least position is within what the fullest period could hold. */
static bool position_is_possible(const struct rrule *r)
{
	int plus = rrule_bits_next(&r->positions.plus, 1);
	int minus = rrule_bits_next(&r->positions.minus, 1);
	int least = plus > 0 && (minus < 0 || plus < minus) ? plus : minus;
	int days = r->freq == RRULE_WEEKLY ? __builtin_popcount(r->weekdays[0][0] & 127) : 0;

	for (int i = 0; i < 28 && r->freq == RRULE_MONTHLY; i++) {
		int held = __builtin_popcount(r->weekdays[i / 4][i % 4] & r->monthdays[i % 4]);

		days = held > days ? held : days;
	}
	return r->freq == RRULE_YEARLY || least <= days * rrule_clock_count(&r->clock);
}

/* BYSETPOS. False when no position exists in any period. */
static bool build_positions(struct rrule *r, const struct rrule_parts *p)
{
	const struct rrule_set *set = &p->by[RRULE_BYSETPOS];
	struct rrule_clock period = r->clock;
	int32_t picks[2 * 64 * RRULE_BITS_WORDS];
	size_t n = 0;

	r->positions = *set;
	r->by_period = p->freq >= RRULE_WEEKLY;
	if (r->by_period)
		return position_is_possible(r);
	if (p->freq <= RRULE_HOURLY)
		period.hours = 1;
	if (p->freq <= RRULE_MINUTELY)
		period.minutes = 1;
	if (p->freq == RRULE_SECONDLY)
		period.seconds = 1;
	n = pick(&period, set, picks);
	if (p->freq == RRULE_MINUTELY) {
		r->clock.seconds = 0;
		for (size_t i = 0; i < n; i++)
			r->clock.seconds |= UINT64_C(1) << picks[i];
	} else if (p->freq >= RRULE_HOURLY) {
		r->picks = mem_array(n + 1, sizeof(*r->picks));
		for (size_t i = 0; i < n; i++)
			r->picks[i] = picks[i];
		r->picks_len = n;
	}
	return n > 0;
}

/* The greatest common divisor tells which units INTERVAL ever reaches: does one lead to a match? */
static bool phase_is_possible(const struct rrule *r)
{
	int64_t day = DAY_SECONDS / r->unit, a = r->interval, b = day;

	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	for (int64_t n = floor_mod(r->phase / r->unit, a); n < day && n < r->interval; n += a)
		if (rrule_phase_has(r, n))
			return true;
	return false;
}

/* Each unit wanted marks the n that leads to it; returns how many stay unmarked. */
static int64_t mark_phases(struct rrule *r, int64_t left)
{
	for (uint64_t hours = r->units.hours; hours; hours &= hours - 1)
		for (uint64_t minutes = r->units.minutes; minutes && left; minutes &= minutes - 1) {
			int64_t minute = __builtin_ctzll(hours) * 60 + __builtin_ctzll(minutes);
			int64_t base = minute * 60 / r->unit % r->interval;

			for (uint64_t rest = r->units.seconds; rest; rest &= rest - 1) {
				int64_t n = base + __builtin_ctzll(rest);
				uint64_t bit = 0;

				if (n >= r->interval)
					n %= r->interval;
				bit = UINT64_C(1) << (n % 64);
				left -= !(r->phases[n / 64] & bit);
				r->phases[n / 64] |= bit;
			}
		}
	return left;
}

/*
 * Which units of a day are in phase follows from the first of them, so remember the firsts that
 * lead to a match: most days are then judged by one bit. Nothing is remembered when all lead to
 * one.
 */
static void build_phases(struct rrule *r)
{
	int64_t day = DAY_SECONDS / r->unit, firsts = r->interval < day ? r->interval : day;

	if (rrule_clock_count(&r->units) == day)
		return;
	r->phases = mem_array((size_t)firsts / 64 + 1, sizeof(*r->phases));
	if (mark_phases(r, firsts) == 0) {
		free(r->phases);
		r->phases = NULL;
	}
}

/* HOURLY and finer. False when INTERVAL never reaches a wanted time of day. */
static bool build_units(struct rrule *r)
{
	static const int lengths[] = {1, 60, 3600};

	r->by_unit = r->freq <= RRULE_HOURLY && (r->interval > 1 || r->picks);
	if (!r->by_unit)
		return true;
	r->unit = lengths[r->freq];
	r->step = r->unit * r->interval;
	r->units = r->clock;
	r->inner = r->clock;
	r->inner.hours = 1;
	if (r->freq == RRULE_HOURLY)
		r->units.minutes = 1;
	else
		r->inner.minutes = 1;
	if (r->freq != RRULE_SECONDLY)
		r->units.seconds = 1;
	else
		r->inner.seconds = 1;
	build_phases(r);
	return phase_is_possible(r);
}

static int64_t period_of_start(const struct rrule *r, const struct civil *start)
{
	int64_t day = floor_div(r->dtstart, DAY_SECONDS);

	switch (r->freq) {
	case RRULE_YEARLY:
		return start->year;
	case RRULE_MONTHLY:
		return (int64_t)start->year * 12 + start->month - 1;
	case RRULE_WEEKLY:
		return rrule_week_of(r, day);
	case RRULE_DAILY:
		return day;
	case RRULE_HOURLY:
		return r->dtstart - floor_mod(r->dtstart, 3600);
	case RRULE_MINUTELY:
		return r->dtstart - floor_mod(r->dtstart, 60);
	default:
		return r->dtstart;
	}
}

bool rrule_build(struct rrule *r, const struct rrule_parts *parts, bool own_dtstart)
{
	struct civil start = civil_from_local(r->dtstart);

	r->has_rule = true;
	r->freq = parts->freq;
	r->interval = parts->interval < RRULE_INTERVAL_MAX ? parts->interval : RRULE_INTERVAL_MAX;
	r->wkst = parts->wkst;
	r->phase = period_of_start(r, &start);
	build_days(r, parts, &start);
	build_clock(r, parts, start, own_dtstart);
	if (given(parts, RRULE_BYSETPOS) && !build_positions(r, parts))
		return false;
	return build_units(r);
}
