/*
 * describe-cron.c: the common shapes of cron lines in words.
 * A line is a set of times of the day and a set of days; each gets a phrase, and a line is
 * described only when both have one: "at 9:00 AM" + "on weekdays". Interval phrases ("every 15
 * minutes") need no word for "every day"; times of the day do.
 */
#include "schedule/describe.h"

#define ALL_MINUTES ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS 0xffffffu
#define TIMES_MAX 4 /* in one list; more than that nobody reads */

/* n when the bits are 0, n, 2n … below `count` and n divides it, else 0. */
static int even_step(uint64_t bits, int count)
{
	for (int step = 1; step <= count; step++) {
		uint64_t want = 0;

		for (int i = 0; i < count; i += step)
			want |= UINT64_C(1) << i;
		if (bits == want)
			return count % step == 0 ? step : 0;
	}
	return 0;
}

static bool is_single(uint64_t bits)
{
	return (bits & (bits - 1)) == 0;
}

static void add_clock_times(const struct cron *c, struct buf *out)
{
	int count = __builtin_popcount(c->hours) * __builtin_popcountll(c->minutes), i = 0;

	buf_add_str(out, "at ");
	for (uint32_t hours = c->hours; hours; hours &= hours - 1) {
		for (uint64_t minutes = c->minutes; minutes; minutes &= minutes - 1) {
			words_add_comma(out, i++, count);
			words_add_clock(out, __builtin_ctz(hours) * 3600 +
						     __builtin_ctzll(minutes) * 60);
		}
	}
}

/* One minute of every hour, or of every second, third … hour. */
static bool add_hours(const struct cron *c, int hour_step, struct buf *out)
{
	if (!hour_step || hour_step == 24 || !is_single(c->minutes))
		return false;
	if (hour_step == 1 && c->first_of_hour) {
		buf_printf(out, "hourly at :%02d", c->first_of_hour);
		return true;
	}
	words_add_every(out, hour_step, "hour");
	if (c->first_of_hour)
		buf_printf(out, " at :%02d", c->first_of_hour);
	return true;
}

/* Every few minutes, all day or in one stretch of hours. */
static bool add_minutes(const struct cron *c, int minute_step, struct buf *out)
{
	int first = __builtin_ctz(c->hours), last = 31 - __builtin_clz(c->hours);

	if (!minute_step || minute_step == 60)
		return false;
	if (c->hours == ALL_HOURS) {
		words_add_every(out, minute_step, "minute");
		return true;
	}
	if (__builtin_popcount(c->hours) != last - first + 1)
		return false;
	words_add_every(out, minute_step, "minute");
	buf_add_str(out, " from ");
	words_add_clock(out, first * 3600);
	buf_add_str(out, " to ");
	words_add_clock(out, last * 3600 + (60 - minute_step) * 60);
	return true;
}

/* The times of a day. *ret_interval: they are spread over it, "every day" would say nothing. */
static bool add_times(const struct cron *c, struct buf *out, bool *ret_interval)
{
	int times = __builtin_popcount(c->hours) * __builtin_popcountll(c->minutes);
	int minute_step = even_step(c->minutes, 60), hour_step = even_step(c->hours, 24);

	*ret_interval = c->hourly || times > TIMES_MAX;
	if (*ret_interval && (add_hours(c, hour_step, out) || add_minutes(c, minute_step, out)))
		return true;
	*ret_interval = false;
	if (times > TIMES_MAX)
		return false;
	add_clock_times(c, out);
	return true;
}

static void add_months(const struct cron *c, const char *before, struct buf *out)
{
	int count = __builtin_popcount(c->months), i = 0;

	buf_add_str(out, before);
	for (uint32_t months = c->months; months; months &= months - 1) {
		words_add_comma(out, i++, count);
		buf_add_str(out, words_month(__builtin_ctz(months)));
	}
}

/* How the day of month is restricted, as one of a few kinds; false for mixtures of them. */
static bool add_dates(const struct cron *c, struct buf *out)
{
	int count = __builtin_popcount(c->days), i = 0;
	int kinds = (c->days != 0) + (c->days_from_end != 0) + (c->days_nearest != 0) +
		    c->last_working_day;

	if (kinds != 1 || c->days_from_end > 1 || !is_single(c->days_nearest) || count > TIMES_MAX)
		return false;
	if (c->last_working_day)
		buf_add_str(out, "last weekday");
	if (c->days_from_end)
		buf_add_str(out, "last day");
	if (c->days_nearest) {
		buf_add_str(out, "weekday nearest the ");
		words_add_ordinal(out, __builtin_ctz(c->days_nearest));
	}
	for (uint32_t days = c->days; days; days &= days - 1) {
		words_add_comma(out, i++, count);
		words_add_ordinal(out, __builtin_ctz(days));
	}
	return true;
}

/* "second Friday", when that is all the day of week says. */
static bool add_placed_weekday(const struct cron *c, struct buf *out)
{
	int place = c->weekdays_last ? -1 : 0, kinds = c->weekdays_last != 0;
	uint32_t mask = c->weekdays_last;

	for (int n = 0; n < CRON_NTH_MAX; n++) {
		if (c->weekdays_nth[n]) {
			mask = c->weekdays_nth[n];
			place = n + 1;
			kinds++;
		}
	}
	if (kinds != 1 || c->weekdays || !is_single(mask))
		return false;
	buf_printf(out, "%s %s", words_place(place), words_weekday(__builtin_ctz(mask)));
	return true;
}

/* A date once a year: "every year on January 1st". */
static bool add_yearly(const struct cron *c, struct buf *out)
{
	if (!is_single(c->months) || !is_single(c->days) || !c->days || c->days_from_end ||
	    c->days_nearest || c->last_working_day)
		return false;
	add_months(c, " every year on ", out);
	buf_add_char(out, ' ');
	words_add_ordinal(out, __builtin_ctz(c->days));
	return true;
}

/* The restricted one of day of month and day of week; false when both are, or no words fit. */
static bool add_restricted_days(const struct cron *c, bool any_date, bool any_weekday,
				struct buf *out)
{
	bool placed = c->weekdays_last;

	for (int n = 0; n < CRON_NTH_MAX; n++)
		placed |= c->weekdays_nth[n] != 0;
	if (any_date && !placed) {
		buf_add_str(out, " on ");
		words_add_weekdays(out, c->weekdays);
		if (c->months != CRON_ALL_MONTHS)
			add_months(c, " in ", out);
		return true;
	}
	if (any_weekday && add_yearly(c, out))
		return true;
	buf_add_str(out, " on the ");
	if (!(any_weekday && add_dates(c, out)) && !(any_date && add_placed_weekday(c, out)))
		return false;
	if (c->months == CRON_ALL_MONTHS)
		buf_add_str(out, " of the month");
	else
		add_months(c, " of ", out);
	return true;
}

static bool add_days(const struct cron *c, bool interval, struct buf *out)
{
	bool any_date = c->days == CRON_ALL_DAYS && c->days_star;
	bool any_weekday = c->weekdays == CRON_ALL_WEEKDAYS && c->weekdays_star;

	if (!any_date || !any_weekday)
		return add_restricted_days(c, any_date, any_weekday, out);
	if (!interval)
		buf_add_str(out, " every day");
	if (c->months != CRON_ALL_MONTHS)
		add_months(c, " in ", out);
	return true;
}

bool describe_cron(const struct cron *cron, struct buf *out)
{
	AUTO_BUF struct buf words = {0};
	bool interval;

	if (cron->never || !add_times(cron, &words, &interval) || !add_days(cron, interval, &words))
		return false;
	buf_add_str(out, buf_text(&words));
	return true;
}
