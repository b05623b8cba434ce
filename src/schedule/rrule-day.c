/*
 * rrule-day.c: which days match, month by month.
 * All parts about days are one predicate, kept as masks of a month's days: a month costs a few
 * table look-ups, whatever the lists held, and the first match in it is one bit operation. Months
 * that INTERVAL or BYMONTH rule out are jumped over, so even a search that finds nothing looks at
 * no more than the 4,800 months of one cycle of the calendar.
 */
#include "schedule/rrule-internal.h"

/* Beyond the calendar: no month has this number. */
#define MONTH_NONE ((int64_t)10000 * 12)

int64_t rrule_week_of(const struct rrule *r, int64_t day)
{
	return floor_div(day + 3 - r->wkst, 7); /* 1970-01-01 was a Thursday */
}

int64_t rrule_week_start(const struct rrule *r, int64_t week)
{
	return week * 7 - 3 + r->wkst;
}

/* Up to 31 bits of a year from day n (from 0) on; what lies past the month is masked later. */
static uint32_t bits_slice(const struct rrule_bits *b, int n)
{
	uint64_t low = b->word[n / 64] >> (n % 64);
	uint64_t high = n % 64 && n / 64 + 1 < RRULE_BITS_WORDS ? b->word[n / 64 + 1] : 0;

	return (uint32_t)(n % 64 ? low | high << (64 - n % 64) : low);
}

static int year_len(int year)
{
	return 365 + year_is_leap(year);
}

/* The days of a week that begins `offset` days into the month (or before it) as a mask. */
static uint32_t week_mask(int64_t offset)
{
	return offset < 0 ? UINT32_C(127) >> -offset : UINT32_C(127) << offset;
}

/*
 * BYWEEKNO. A week belongs to the year that holds its fourth day, and its number counts such days;
 * the number from the end counts those still to come.
 */
static uint32_t weekno_days(const struct rrule_walk *w, int64_t new_year)
{
	const struct rrule_set *set = &w->rule->year->weekno;
	int64_t start = rrule_week_start(w->rule, rrule_week_of(w->rule, w->first));
	uint32_t days = 0;

	for (; start < w->first + w->len; start += 7) {
		int64_t place = start + 3 - new_year;
		int len = year_len(w->year);

		if (place < 0) {
			len = year_len(w->year - 1);
			place += len;
		} else if (place >= len) {
			place -= len;
			len = year_len(w->year + 1);
		}
		if (rrule_bits_has(&set->plus, (int)(place / 7 + 1)) ||
		    rrule_bits_has(&set->minus, (int)((len - 1 - place) / 7 + 1)))
			days |= week_mask(start - w->first);
	}
	return days;
}

/* What depends on the place in the year: BYDAY=20MO, BYYEARDAY, BYWEEKNO. */
static uint32_t year_days(const struct rrule_walk *w, uint32_t days)
{
	static const short before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	const struct rrule_year *parts = w->rule->year;
	bool leap = year_is_leap(w->year);
	int place = before[w->month - 1] + (leap && w->month > 2);

	if (parts->has_nth) {
		int weekday = (w->weekday + 53 * 7 - place) % 7;

		days |= bits_slice(&parts->nth[leap][weekday], place);
	}
	if (parts->has_yearday)
		days &= bits_slice(&parts->yearday[leap], place);
	if (parts->has_weekno && days)
		days &= weekno_days(w, w->first - place);
	return days;
}

/* The days of the month in phase, DAILY and WEEKLY. */
static uint32_t phase_days(const struct rrule_walk *w)
{
	const struct rrule *r = w->rule;
	int64_t start = 0, week = 0;
	uint32_t days = 0;

	if (r->freq == RRULE_DAILY) {
		start = floor_mod(r->phase - w->first, r->interval);
		return start < w->len ? r->stride << start : 0;
	}
	week = rrule_week_of(r, w->first);
	start = rrule_week_start(r, week + floor_mod(r->phase - week, r->interval));
	for (; start < w->first + w->len; start += 7 * r->interval)
		days |= week_mask(start - w->first);
	return days;
}

static uint32_t month_days_mask(const struct rrule_walk *w)
{
	const struct rrule *r = w->rule;
	uint32_t days = r->weekdays[w->weekday][w->len - 28];

	if (r->year)
		days = year_days(w, days);
	days &= r->monthdays[w->len - 28];
	if (days && r->interval > 1 && (r->freq == RRULE_DAILY || r->freq == RRULE_WEEKLY))
		days &= phase_days(w);
	return days;
}

static void walk_set(struct rrule_walk *w, int year, int month, int64_t first)
{
	w->year = year;
	w->month = month;
	w->first = first;
	w->len = month_days(year, month);
	w->weekday = weekday_of_days(first);
}

static void walk_set_day(struct rrule_walk *w, int64_t day)
{
	int year = 0, month = 0, mday = 0;

	civil_from_days(day, &year, &month, &mday);
	walk_set(w, year, month, day - mday + 1);
}

/* The number of the month that `day` lies in, if the walk goes that far. */
static int64_t month_of_day(const struct rrule_walk *w, int64_t day)
{
	int year = 0, month = 0, mday = 0;

	if (day > w->last)
		return MONTH_NONE;
	civil_from_days(day, &year, &month, &mday);
	return (int64_t)year * 12 + month - 1;
}

/* The first month >= `index`, that of the walk, that holds a period in phase. */
static int64_t month_in_phase(const struct rrule_walk *w, int64_t index)
{
	const struct rrule *r = w->rule;
	int64_t period = 0, off = 0;

	switch (r->freq) {
	case RRULE_YEARLY:
		off = floor_mod(r->phase - w->year, r->interval);
		return off ? (w->year + off) * 12 : index;
	case RRULE_MONTHLY:
		return index + floor_mod(r->phase - index, r->interval);
	case RRULE_WEEKLY:
		period = rrule_week_of(r, w->first);
		off = floor_mod(r->phase - period, r->interval);
		period = rrule_week_start(r, period + off);
		return period < w->first + w->len ? index : month_of_day(w, period);
	case RRULE_DAILY:
		period = w->first + floor_mod(r->phase - w->first, r->interval);
		return period < w->first + w->len ? index : month_of_day(w, period);
	default:
		return index;
	}
}

/* The first month >= `index`, that of the walk, that BYMONTH allows. */
static int64_t month_allowed(const struct rrule_walk *w, int64_t index)
{
	unsigned later = w->rule->months >> (w->month - 1);

	if (later)
		return index + __builtin_ctz(later);
	return ((int64_t)w->year + 1) * 12 + __builtin_ctz(w->rule->months);
}

/* From the walk's month on, find one that is allowed, and its days. */
static bool walk_settle(struct rrule_walk *w)
{
	while (w->first <= w->last) {
		int64_t index = (int64_t)w->year * 12 + w->month - 1;
		int64_t go = month_allowed(w, index);

		w->steps++;
		if (go == index && w->rule->interval > 1)
			go = month_in_phase(w, index);
		if (go == index) {
			w->mask = month_days_mask(w);
			return true;
		}
		if (go >= MONTH_NONE)
			break;
		walk_set(w, (int)floor_div(go, 12), (int)floor_mod(go, 12) + 1,
			 days_from_civil((int)floor_div(go, 12), (int)floor_mod(go, 12) + 1, 1));
	}
	w->mask = 0;
	return false;
}

void rrule_walk_init(struct rrule_walk *w, const struct rrule *r, int64_t day, int64_t last)
{
	*w = (struct rrule_walk){.rule = r, .last = last};
	walk_set_day(w, day);
	walk_settle(w);
}

bool rrule_walk_month(struct rrule_walk *w, int64_t day)
{
	if (day > w->last || w->first > w->last)
		return false;
	if (day < w->first + w->len)
		return true;
	if (day >= w->first + w->len + 28)
		walk_set_day(w, day);
	else
		walk_set(w, w->year + (w->month == 12), w->month % 12 + 1, w->first + w->len);
	return walk_settle(w);
}

bool rrule_walk_day(struct rrule_walk *w, int64_t day, int64_t *ret)
{
	while (rrule_walk_month(w, day)) {
		uint32_t left =
			day > w->first ? w->mask & ~UINT32_C(0) << (day - w->first) : w->mask;

		w->steps++;
		if (left) {
			*ret = w->first + __builtin_ctz(left);
			return *ret <= w->last;
		}
		day = w->first + w->len;
	}
	return false;
}
