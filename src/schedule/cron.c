/*
 * cron.c: find the next minute a cron line matches, on a clock that knows no zones.
 *
 * A month is one 32-bit mask of its matching days. It depends on two things only, how long the
 * month is and which weekday it begins with, so a day is found by counting zeros and a month that
 * does not fit costs a few instructions; nothing is tried minute by minute. Lines in which weekdays
 * alone decide (most lines) do not even need the date.
 *
 * How far is far enough: a year is one of 14 kinds (leap or not, seven weekdays to begin with) and
 * two years of one kind have the same matching days. Without a century in between, years repeat
 * every 28, and any 28 in a row hold all 14 kinds; so a line that matches nothing in 2001 to 2028
 * never matches, and cron_finish() knows it from those 336 months. The rarest kind comes back after
 * 40 years at most: a leap year of some weekday follows another by 28 years, or, where a century
 * drops its leap day, by 12 or 40. A search of 41 years is therefore complete.
 *
 * Day of month and day of week, as in Vixie cron: when both fields are restricted, either one
 * matching is enough; when one of them starts with '*' (alone or with a step), both must match.
 */
#include "schedule/cron-parts.h"

#define DAY_MINUTES 1440
#define SEARCH_MONTHS (41 * 12)

/* The days of a month (from bit 1) that fall on one of the weekdays in `mask`. */
static uint32_t days_on_weekdays(uint32_t mask, int first_weekday)
{
	uint32_t week = ((mask | mask << 7) >> first_weekday) & CRON_ALL_WEEKDAYS;

	/* The product lays five copies of the week side by side. */
	return (uint32_t)(week * UINT64_C(0x10204081) << 1);
}

/* "dW": Saturday moves to Friday, Sunday to Monday, but never out of the month. */
static int nearest_working_day(int day, int length, int first_weekday)
{
	int weekday = (first_weekday + day - 1) % 7;

	if (weekday == 5)
		return day > 1 ? day - 1 : day + 2;
	if (weekday == 6)
		return day < length ? day + 1 : day - 2;
	return day;
}

static int last_working_day(int length, int first_weekday)
{
	int weekday = (first_weekday + length - 1) % 7;

	return length - (weekday > 4 ? weekday - 4 : 0);
}

static uint32_t days_by_date(const struct cron *c, int length, int first_weekday)
{
	uint32_t days = c->days;

	for (uint32_t rest = c->days_from_end; rest; rest &= rest - 1) {
		int day = length - __builtin_ctz(rest);

		days |= day > 0 ? 1u << day : 0;
	}
	for (uint32_t rest = c->days_nearest; rest; rest &= rest - 1) {
		int day = __builtin_ctz(rest);

		days |= day <= length ? 1u << nearest_working_day(day, length, first_weekday) : 0;
	}
	if (c->last_working_day)
		days |= 1u << last_working_day(length, first_weekday);
	return days;
}

static uint32_t days_by_weekday(const struct cron *c, int length, int first_weekday)
{
	uint32_t days = days_on_weekdays(c->weekdays, first_weekday);

	for (int n = 0; n < CRON_NTH_MAX; n++) {
		if (c->weekdays_nth[n]) /* rare, and the product is not free */
			days |= days_on_weekdays(c->weekdays_nth[n], first_weekday) &
				(CRON_ALL_WEEKDAYS << (7 * n + 1));
	}
	days |= days_on_weekdays(c->weekdays_last, first_weekday) &
		(CRON_ALL_WEEKDAYS << (length - 6));
	return days;
}

/* The matching days of the month that is `length` days long and begins at day `first`. */
static uint32_t days_of_month(const struct cron *c, int length, int64_t first)
{
	uint32_t real = (2u << length) - 2, by_date, by_weekday;
	int first_weekday;

	if (c->plain_dates)
		return real & c->days;
	first_weekday = weekday_of_days(first);
	by_date = days_by_date(c, length, first_weekday);
	by_weekday = days_by_weekday(c, length, first_weekday);
	return real &
	       (c->days_star || c->weekdays_star ? by_date & by_weekday : by_date | by_weekday);
}

/* The first matching minute of the day at or after `minute`, or -1. */
static inline int time_from(const struct cron *c, int minute)
{
	int hour = minute / 60;
	uint32_t later;

	if (c->hours >> hour & 1) {
		uint64_t rest = c->minutes >> (minute % 60);

		if (rest)
			return minute + __builtin_ctzll(rest);
	}
	later = c->hours & ~((2u << hour) - 1);
	return later ? __builtin_ctz(later) * 60 + c->first_of_hour : -1;
}

/* Days from `day` to the next that matches, when weekdays alone decide; 0 is not an answer. */
static inline int64_t weekly_step(const struct cron *c, int weekday)
{
	uint32_t two_weeks = (uint32_t)c->weekdays | (uint32_t)c->weekdays << 7;

	return 1 + __builtin_ctz(two_weeks >> (weekday + 1));
}

static int64_t next_weekly(const struct cron *c, int64_t day, int minute)
{
	int weekday = weekday_of_days(day);

	if (c->weekdays >> weekday & 1) {
		int time = time_from(c, minute);

		if (time >= 0)
			return day * DAY_MINUTES + time;
	}
	return (day + weekly_step(c, weekday)) * DAY_MINUTES + c->first_of_day;
}

/* Go on with the months after this one. */
static int64_t next_by_month(const struct cron *c, int year, int month)
{
	for (int i = 0; i < SEARCH_MONTHS; i++) {
		uint32_t later = c->months & ~((2u << month) - 1), days;
		int64_t first;

		year += !later;
		month = __builtin_ctz(later ? later : c->months);
		first = days_from_civil(year, month, 1);
		days = days_of_month(c, month_days(year, month), first);
		if (days)
			return (first + __builtin_ctz(days) - 1) * DAY_MINUTES + c->first_of_day;
	}
	return INT64_MAX; /* not reached: cron_finish() saw a kind of year that matches */
}

static int64_t next_by_date(const struct cron *c, int64_t day, int minute)
{
	int year, month, of_month;
	uint32_t days = 0;

	civil_from_days(day, &year, &month, &of_month);
	int64_t first = day - of_month + 1;
	if (c->months >> month & 1)
		days = days_of_month(c, month_days(year, month), first);
	if (days >> of_month & 1) {
		int time = time_from(c, minute);

		if (time >= 0)
			return day * DAY_MINUTES + time;
	}
	days &= ~((2u << of_month) - 1);
	if (days)
		return (first + __builtin_ctz(days) - 1) * DAY_MINUTES + c->first_of_day;
	return next_by_month(c, year, month);
}

bool cron_next_local(const struct cron *cron, local_t after, local_t *ret)
{
	int64_t minute, day, next;

	if (cron->never || after >= LOCAL_MAX)
		return false;
	if (after < LOCAL_MIN)
		after = LOCAL_MIN - 1;
	minute = floor_div(after, 60) + 1;
	day = floor_div(minute, DAY_MINUTES);
	minute -= day * DAY_MINUTES;
	next = cron->weekly ? next_weekly(cron, day, (int)minute)
			    : next_by_date(cron, day, (int)minute);
	if (next > LOCAL_MAX / 60)
		return false;
	*ret = next * 60;
	return true;
}

bool cron_is_hourly(const struct cron *cron)
{
	return cron->hourly;
}

static bool matches_some_day(const struct cron *c)
{
	for (int i = 0; i < 28 * 12; i++) {
		int year = 2001 + i / 12, month = i % 12 + 1;

		if (c->months >> month & 1 &&
		    days_of_month(c, month_days(year, month), days_from_civil(year, month, 1)))
			return true;
	}
	return false;
}

void cron_finish(struct cron *cron)
{
	bool plain = cron->weekdays_last == 0; /* weekdays without a place in their month */

	for (int n = 0; n < CRON_NTH_MAX; n++)
		plain &= cron->weekdays_nth[n] == 0;
	cron->weekly = plain && cron->days_star && cron->days == CRON_ALL_DAYS &&
		       cron->months == CRON_ALL_MONTHS;
	cron->plain_dates = cron->weekdays_star && cron->weekdays == CRON_ALL_WEEKDAYS &&
			    !cron->days_from_end && !cron->days_nearest && !cron->last_working_day;
	cron->never = !matches_some_day(cron);
	cron->first_of_hour = __builtin_ctzll(cron->minutes);
	cron->first_of_day = __builtin_ctz(cron->hours) * 60 + cron->first_of_hour;
}
