/*
 * zone-rule.c: the POSIX rule that continues a zone's table for ever.
 * A rule names two days of every year. Whichever comes first opens an interval of that year and the
 * other closes it: DST inside the interval in the north, standard time in the south. Intervals of
 * neighbouring years may touch (DST all year is written that way), and times of -167 to 167 hours
 * can move an edge into the year before or after, so a question about an instant looks at the
 * intervals of two years on either side. The calendar repeats after 400 years, which is how
 * instants outside the years of calendar.h are answered: by their twin inside.
 */
#include "schedule/zone-rule.h"

#include <ctype.h>
#include <string.h>

#include "schedule/calendar.h"

#define CYCLE_SECONDS ((int64_t)146097 * DAY_SECONDS)
#define CYCLE_YEARS 400
#define FAR_AWAY ((int64_t)1 << 62)
#define HOURS_MAX 167
#define NAME_MIN 3

struct cursor {
	const char *text, *p, *end;
	char *names; /* where the next abbreviation goes */
	struct error *err;
};

static int refuse(const struct cursor *c, const char *wanted)
{
	return error_set(c->err, ERR_INVALID, "bad rule: no %s at column %d", wanted,
			 (int)(c->p - c->text) + 1);
}

static bool take(struct cursor *c, char wanted)
{
	if (c->p == c->end || *c->p != wanted)
		return false;
	c->p++;
	return true;
}

static int take_number(struct cursor *c, int min, int max, const char *what, int *ret)
{
	const char *start = c->p;
	int value = 0;

	for (; c->p < c->end && isdigit((unsigned char)*c->p) && value <= max; c->p++)
		value = value * 10 + (*c->p - '0');
	if (c->p == start || value < min || value > max) {
		c->p = start;
		return refuse(c, what);
	}
	*ret = value;
	return 0;
}

/* "CET", or "<+03>" when it has more than letters. */
static int take_name(struct cursor *c, const char **ret)
{
	bool quoted = take(c, '<');
	const char *start = c->p;
	size_t len;

	while (c->p < c->end &&
	       (isalpha((unsigned char)*c->p) ||
		(quoted && (isdigit((unsigned char)*c->p) || *c->p == '+' || *c->p == '-'))))
		c->p++;
	len = (size_t)(c->p - start);
	if (len < NAME_MIN || (quoted && !take(c, '>')))
		return refuse(c, "abbreviation");
	memcpy(c->names, start, len);
	c->names[len] = '\0';
	*ret = c->names;
	c->names += len + 1;
	return 0;
}

/* [+-]hh[:mm[:ss]] as seconds. */
static int take_time(struct cursor *c, int hours_max, int32_t *ret)
{
	int sign = take(c, '-') ? -1 : 1;
	int hour = 0, minute = 0, second = 0, r;

	if (sign > 0)
		take(c, '+');
	r = take_number(c, 0, hours_max, "hour", &hour);
	if (r == 0 && take(c, ':')) {
		r = take_number(c, 0, 59, "minute", &minute);
		if (r == 0 && take(c, ':'))
			r = take_number(c, 0, 59, "second", &second);
	}
	*ret = sign * (hour * 3600 + minute * 60 + second);
	return r;
}

static int take_week_day(struct cursor *c, struct zone_day *ret)
{
	int r = take_number(c, 1, 12, "month", &ret->month);

	if (r < 0)
		return r;
	if (!take(c, '.'))
		return refuse(c, "'.'");
	r = take_number(c, 1, 5, "week", &ret->week);
	if (r < 0)
		return r;
	if (!take(c, '.'))
		return refuse(c, "'.'");
	return take_number(c, 0, 6, "weekday", &ret->day);
}

/* ",J60", ",59" or ",M3.2.0", each with an optional "/time". */
static int take_day(struct cursor *c, struct zone_day *ret)
{
	int r;

	if (!take(c, ','))
		return refuse(c, "','");
	ret->seconds = 2 * 3600;
	if (take(c, 'M')) {
		ret->kind = ZONE_DAY_WEEK;
		r = take_week_day(c, ret);
	} else if (take(c, 'J')) {
		ret->kind = ZONE_DAY_JULIAN;
		r = take_number(c, 1, 365, "day of the year", &ret->day);
	} else {
		ret->kind = ZONE_DAY_ZERO;
		r = take_number(c, 0, 365, "day of the year", &ret->day);
	}
	if (r == 0 && take(c, '/'))
		r = take_time(c, HOURS_MAX, &ret->seconds);
	return r;
}

/* A name and how far east it lies; the text counts west as positive. */
static int take_type(struct cursor *c, bool dst, int32_t offset_default, struct zone_type *ret)
{
	int32_t west;
	int r = take_name(c, &ret->abbreviation);

	if (r < 0)
		return r;
	ret->dst = dst;
	ret->offset = offset_default;
	if (dst && (c->p == c->end || *c->p == ','))
		return 0;
	r = take_time(c, 24, &west);
	ret->offset = -west;
	return r;
}

static int64_t day_of_week_rule(int year, const struct zone_day *d)
{
	int64_t first = days_from_civil(year, d->month, 1);
	int skip = (d->day + 6 - weekday_of_days(first)) % 7 + (d->week - 1) * 7;

	/* Week 5 is the last such weekday, whether the month has four or five of them. */
	return first + (skip < month_days(year, d->month) ? skip : skip - 7);
}

/* When the day's moment comes in `year`, for a clock that runs at `offset` until then. */
static int64_t edge_of(const struct zone_day *d, int year, int32_t offset)
{
	int64_t days;

	if (d->kind == ZONE_DAY_WEEK)
		days = day_of_week_rule(year, d);
	else if (d->kind == ZONE_DAY_ZERO)
		days = days_from_civil(year, 1, 1) + d->day;
	else
		days = days_from_civil(year, 1, 1) + d->day - 1 +
		       (d->day >= 60 && year_is_leap(year));
	return days * DAY_SECONDS + d->seconds - offset;
}

/* The interval of one year: [*from, *to), of DST or of standard time, as rule->year says. */
static void interval_of(const struct zone_rule *rule, int year, int64_t *from, int64_t *to)
{
	int64_t start = edge_of(&rule->start, year, rule->standard.offset);
	int64_t end = edge_of(&rule->end, year, rule->dst.offset);

	*from = rule->year == ZONE_DST_INSIDE ? start : end;
	*to = rule->year == ZONE_DST_INSIDE ? end : start;
}

/* Intervals that touch in every year of the calendar's cycle are no intervals. */
static void find_shape(struct zone_rule *rule)
{
	int touching = 0, empty = 0;
	int64_t from, to, next_from, next_to;

	rule->year = ZONE_DST_INSIDE;
	interval_of(rule, 2000, &from, &to);
	if (from >= to)
		rule->year = ZONE_STANDARD_INSIDE;
	interval_of(rule, 2000, &from, &to);
	for (int year = 2000; year < 2000 + CYCLE_YEARS; year++) {
		interval_of(rule, year + 1, &next_from, &next_to);
		touching += to >= next_from;
		empty += from >= to;
		from = next_from;
		to = next_to;
	}
	if (touching == CYCLE_YEARS)
		rule->year = rule->year == ZONE_DST_INSIDE ? ZONE_ALL_DST : ZONE_ALL_STANDARD;
	else if (empty == CYCLE_YEARS)
		rule->year = rule->year == ZONE_DST_INSIDE ? ZONE_ALL_STANDARD : ZONE_ALL_DST;
}

int zone_rule_parse(const char *text, size_t len, char *names, struct zone_rule *ret,
		    struct error *err)
{
	struct cursor c = {.text = text, .p = text, .end = text + len, .names = names, .err = err};
	struct zone_rule rule = {.year = ZONE_ALL_STANDARD};
	int r = take_type(&c, false, 0, &rule.standard);

	if (r == 0 && c.p < c.end) {
		r = take_type(&c, true, rule.standard.offset + 3600, &rule.dst);
		if (r == 0)
			r = take_day(&c, &rule.start);
		if (r == 0)
			r = take_day(&c, &rule.end);
		if (r == 0)
			find_shape(&rule);
	}
	if (r < 0)
		return r;
	if (c.p != c.end)
		return refuse(&c, "end");
	*ret = rule;
	return 0;
}

static struct zone_rule_span span_in_calendar(const struct zone_rule *rule, int64_t t)
{
	struct zone_rule_span span = {.start = INT64_MIN, .end = INT64_MAX};
	bool dst_inside = rule->year == ZONE_DST_INSIDE;
	int year, month, day;

	civil_from_days(floor_div(t, DAY_SECONDS), &year, &month, &day);
	span.dst = !dst_inside;
	for (int y = year - 2; y <= year + 2; y++) {
		int64_t from, to;

		interval_of(rule, y, &from, &to);
		if (from >= to)
			continue;
		if (t >= from && t < to)
			return (struct zone_rule_span){from, to, dst_inside};
		if (to <= t && to > span.start)
			span.start = to;
		if (from > t && from < span.end)
			span.end = from;
	}
	return span;
}

static int64_t add_saturated(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

struct zone_rule_span zone_rule_span_at(const struct zone_rule *rule, int64_t utc_seconds)
{
	int64_t t = utc_seconds, shift = 0;
	struct zone_rule_span span;

	if (rule->year == ZONE_ALL_STANDARD || rule->year == ZONE_ALL_DST)
		return (struct zone_rule_span){INT64_MIN, INT64_MAX, rule->year == ZONE_ALL_DST};
	if (t < LOCAL_MIN || t > LOCAL_MAX) {
		t = t < -FAR_AWAY ? -FAR_AWAY : t > FAR_AWAY ? FAR_AWAY : t;
		shift = floor_div(t, CYCLE_SECONDS) * CYCLE_SECONDS;
	}
	span = span_in_calendar(rule, t - shift);
	span.start = utc_seconds < -FAR_AWAY ? INT64_MIN : add_saturated(span.start, shift);
	span.end = utc_seconds > FAR_AWAY ? INT64_MAX : add_saturated(span.end, shift);
	return span;
}
