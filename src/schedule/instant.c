/*
 * instant.c: instants as text.
 * What programs exchange is RFC 3339 with an offset, which reads back to the very same instant in
 * any zone. What people type may leave out the offset, the seconds or the time, and then belongs
 * to their zone. Offsets of odd seconds (before 1972, mostly) have no RFC 3339 form; such
 * instants are written in UTC instead of being rounded.
 */
#include "schedule/instant.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/quote.h"

#define EXAMPLES "dates look like '2026-02-20 15:00' or '2026-02-20T15:00:00Z'"
#define DECIMALS_MAX 9 /* nanoseconds are common; what is below a microsecond is dropped */

static const char month_names[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
				      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct scan {
	const char *text, *p;
	struct error *err;
};

static int refuse(const struct scan *s, const char *wanted)
{
	int len = quote_len(s->p, strcspn(s->p, " \t\r\n"));

	if (len == 0)
		error_set(s->err, ERR_INVALID, "no %s at column %d, where the date ends", wanted,
			  (int)(s->p - s->text) + 1);
	else
		error_set(s->err, ERR_INVALID, "no %s but '%.*s' at column %d", wanted, len, s->p,
			  (int)(s->p - s->text) + 1);
	return error_hint(s->err, EXAMPLES);
}

static bool take(struct scan *s, const char *any_of)
{
	if (!*s->p || !strchr(any_of, *s->p))
		return false;
	s->p++;
	return true;
}

static int take_digits(struct scan *s, int count, const char *wanted, int *ret)
{
	int value = 0;

	for (int i = 0; i < count; i++) {
		if (!isdigit((unsigned char)s->p[i]))
			return refuse(s, wanted);
		value = value * 10 + (s->p[i] - '0');
	}
	s->p += count;
	*ret = value;
	return 0;
}

/* Two digits within a range, after a separator that has been taken. */
static int take_field(struct scan *s, const char *what, int min, int max, int *ret)
{
	const char *start = s->p;
	int r = take_digits(s, 2, what, ret);

	if (r < 0 || (*ret >= min && *ret <= max))
		return r;
	error_set(s->err, ERR_INVALID, "bad %s '%.2s' at column %d", what, start,
		  (int)(start - s->text) + 1);
	return error_hint(s->err, "it runs from %d to %d", min, max);
}

static int take_date(struct scan *s, struct civil *c)
{
	const char *start = s->p;
	int r = take_digits(s, 4, "year of four digits", &c->year);

	if (r == 0)
		r = take(s, "-") ? take_field(s, "month", 1, 12, &c->month) : refuse(s, "'-'");
	if (r == 0)
		r = take(s, "-") ? take_field(s, "day", 1, 31, &c->day) : refuse(s, "'-'");
	if (r < 0 || c->day <= month_days(c->year, c->month))
		return r;
	error_set(s->err, ERR_INVALID, "no such date '%.10s' at column %d", start,
		  (int)(start - s->text) + 1);
	return error_hint(s->err, "%s %d has %d days", month_names[c->month - 1], c->year,
			  month_days(c->year, c->month));
}

static int take_fraction(struct scan *s, usec_t *ret)
{
	usec_t unit = USEC_PER_SEC;
	int count = 0;

	for (; isdigit((unsigned char)*s->p); s->p++, count++) {
		if (count == DECIMALS_MAX)
			return refuse(s, "end of the fraction");
		unit /= 10;
		*ret += unit * (*s->p - '0');
	}
	return count ? 0 : refuse(s, "fraction of a second");
}

static int take_time(struct scan *s, struct civil *c, usec_t *fraction)
{
	int r = take_field(s, "hour", 0, 23, &c->hour);

	if (r == 0)
		r = take(s, ":") ? take_field(s, "minute", 0, 59, &c->minute) : refuse(s, "':'");
	if (r == 0 && take(s, ":")) {
		r = take_field(s, "second", 0, 59, &c->second);
		if (r == 0 && take(s, "."))
			r = take_fraction(s, fraction);
	}
	return r;
}

/* "Z" or "+02:00". Not there: *ret_found is false. */
static int take_offset(struct scan *s, bool *ret_found, int *ret)
{
	int sign = *s->p == '-' ? -1 : 1;
	int hour = 0, minute = 0, r;

	*ret_found = take(s, "Zz");
	if (*ret_found || !take(s, "+-"))
		return 0;
	*ret_found = true;
	r = take_field(s, "hour of the offset", 0, 23, &hour);
	if (r == 0)
		r = take(s, ":") ? take_field(s, "minute of the offset", 0, 59, &minute)
				 : refuse(s, "':' in the offset");
	*ret = sign * (hour * 3600 + minute * 60);
	return r;
}

static bool is_separator(const struct scan *s)
{
	return *s->p == 'T' || *s->p == 't' ||
	       (*s->p == ' ' && s->p[1] && !isspace((unsigned char)s->p[1]));
}

int instant_parse(const char *text, const struct zone *zone, usec_t *ret, struct error *err)
{
	struct scan s = {.text = text, .p = text + strspn(text, " \t\r\n"), .err = err};
	struct civil c = {0};
	bool has_offset = false;
	usec_t fraction = 0, instant;
	int offset = 0;
	int r = take_date(&s, &c);

	if (r == 0 && is_separator(&s)) {
		s.p++;
		r = take_time(&s, &c, &fraction);
		if (r == 0)
			r = take_offset(&s, &has_offset, &offset);
	}
	if (r < 0)
		return r;
	if (s.p[strspn(s.p, " \t\r\n")]) {
		s.p += strspn(s.p, " \t\r\n");
		return refuse(&s, "end of the date");
	}
	instant = has_offset ? (local_from_civil(&c) - offset) * USEC_PER_SEC
			     : zone_instant(zone, local_from_civil(&c));
	instant += fraction;
	if (instant < INSTANT_MIN || instant > INSTANT_MAX) {
		error_set(err, ERR_INVALID, "year '%04d' is too far away", c.year);
		return error_hint(err, "years run from 1900 to 9998");
	}
	*ret = instant;
	return 0;
}

/* A local time with what else can be said about it. */
struct wall {
	struct civil c;
	int microsecond;
	struct zone_span span;
	int64_t day; /* since 1970, on this wall */
};

static struct wall wall_at(usec_t instant, const struct zone *zone)
{
	int64_t t = floor_div(instant, USEC_PER_SEC);
	struct wall w = {.microsecond = (int)floor_mod(instant, USEC_PER_SEC)};

	zone_span_at(zone, t, &w.span);
	w.c = civil_from_local(t + w.span.offset);
	w.day = floor_div(t + w.span.offset, DAY_SECONDS);
	return w;
}

static bool is_none(usec_t instant, char *ret)
{
	if (instant == USEC_NONE)
		strcpy(ret, "none");
	return instant == USEC_NONE;
}

/* `digits` digits and what separates them from the next; years end before 10,000. */
static char *put_number(char *p, int value, int digits, char after)
{
	for (int i = digits - 1; i >= 0; i--, value /= 10)
		p[i] = (char)('0' + value % 10);
	p[digits] = after;
	return p + digits + 1;
}

/* By hand: every row of every list has several of them, and snprintf() takes ten times as long. */
void instant_format(usec_t instant, const struct zone *zone, char *ret)
{
	struct wall w;
	char sign;

	if (is_none(instant, ret))
		return;
	w = wall_at(instant, zone);
	if (w.span.offset % 60 != 0)
		w = wall_at(instant, zone_utc());
	sign = w.span.offset < 0 ? '-' : '+';
	ret = put_number(ret, w.c.year, 4, '-');
	ret = put_number(ret, w.c.month, 2, '-');
	ret = put_number(ret, w.c.day, 2, 'T');
	ret = put_number(ret, w.c.hour, 2, ':');
	ret = put_number(ret, w.c.minute, 2, ':');
	ret = put_number(ret, w.c.second, 2, w.microsecond ? '.' : sign);
	if (w.microsecond)
		ret = put_number(ret, w.microsecond, 6, sign);
	ret = put_number(ret, abs(w.span.offset) / 3600, 2, ':');
	put_number(ret, abs(w.span.offset) / 60 % 60, 2, '\0');
}

static void format_time(const struct wall *w, bool seconds, char *ret, size_t size)
{
	int hour = w->c.hour % 12 ? w->c.hour % 12 : 12;
	const char *half = w->c.hour < 12 ? "AM" : "PM";

	if (seconds)
		snprintf(ret, size, "%d:%02d:%02d %s", hour, w->c.minute, w->c.second, half);
	else
		snprintf(ret, size, "%d:%02d %s", hour, w->c.minute, half);
}

/* Somebody asked for them: an instant that a clock gave has microseconds. */
static bool shows_seconds(const struct wall *w)
{
	return w->c.second != 0 && w->microsecond == 0;
}

void instant_format_long(usec_t instant, const struct zone *zone, char *ret)
{
	struct wall w;
	char time[24];

	if (is_none(instant, ret))
		return;
	w = wall_at(instant, zone);
	format_time(&w, shows_seconds(&w), time, sizeof(time));
	snprintf(ret, INSTANT_TEXT_MAX, "%s %d, %d %s %s", month_names[w.c.month - 1], w.c.day,
		 w.c.year, time, w.span.abbreviation);
}

static bool is_within_hour(usec_t instant, usec_t now)
{
	return instant > now - USEC_PER_HOUR && instant < now + USEC_PER_HOUR;
}

void instant_format_near(usec_t instant, usec_t now, const struct zone *zone, char *ret)
{
	struct wall w, today;
	char time[24];

	if (is_none(instant, ret))
		return;
	w = wall_at(instant, zone);
	today = wall_at(now, zone);
	format_time(&w, shows_seconds(&w) || (w.c.second && is_within_hour(instant, now)), time,
		    sizeof(time));
	if (w.day == today.day)
		snprintf(ret, INSTANT_TEXT_MAX, "%s", time);
	else if (w.day == today.day + 1)
		snprintf(ret, INSTANT_TEXT_MAX, "tomorrow %s", time);
	else if (w.day == today.day - 1)
		snprintf(ret, INSTANT_TEXT_MAX, "yesterday %s", time);
	else if (w.c.year == today.c.year)
		snprintf(ret, INSTANT_TEXT_MAX, "%s %d %s", month_names[w.c.month - 1], w.c.day,
			 time);
	else
		snprintf(ret, INSTANT_TEXT_MAX, "%s %d, %d %s", month_names[w.c.month - 1], w.c.day,
			 w.c.year, time);
}
