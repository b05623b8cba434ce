/*
 * duration.c: spans of time as people write them, and back.
 * A duration is a sum of number and unit pairs with the units falling, so "1h30m" has one meaning
 * and a slip such as "30m1h" or "5m5m" is caught. There are no months and years: they have no
 * length of their own, and a schedule that needs them is a calendar rule.
 */
#include "schedule/duration.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "schedule/quote.h"

#define WORD_MAX 15
#define DECIMALS_MAX 6

#define EXAMPLES "durations look like '90s', '30m', '1h30m', '2d' or '1w'"

/* Largest first: the place in this table is the order of units in a duration. */
/* clang-format off */
static const struct unit {
	usec_t usec;
	const char *words[6]; /* the first is the one we write */
} units[] = {
	{USEC_PER_WEEK,   {"w",  "week",   "weeks"}},
	{USEC_PER_DAY,    {"d",  "day",    "days"}},
	{USEC_PER_HOUR,   {"h",  "hour",   "hours",   "hr",  "hrs"}},
	{USEC_PER_MINUTE, {"m",  "minute", "minutes", "min", "mins"}},
	{USEC_PER_SEC,    {"s",  "second", "seconds", "sec", "secs"}},
	{USEC_PER_MSEC,   {"ms"}},
	{1,               {"us"}},
};
/* clang-format on */
#define UNIT_COUNT ((int)(sizeof(units) / sizeof(units[0])))
#define WORDS_PER_UNIT 6

static const char *const calendar_words[] = {"mo", "month", "months", "y", "yr", "year", "years"};

struct scan {
	const char *text, *p;
	struct error *err;
};

static int column(const struct scan *s, const char *at)
{
	return (int)(at - s->text) + 1;
}

static void skip_spaces(struct scan *s)
{
	while (isspace((unsigned char)*s->p))
		s->p++;
}

/* How much of what stands here to quote. */
static int word_len(const char *p)
{
	return quote_len(p, strcspn(p, " \t\r\n\v\f"));
}

static int refuse_number(const struct scan *s)
{
	if (column(s, s->p) == 1)
		error_set(s->err, ERR_INVALID,
			  "'%.*s' is no duration: it begins with a number, as 5m", word_len(s->p),
			  s->p);
	else
		error_set(s->err, ERR_INVALID, "no number but '%.*s' at column %d of the duration",
			  word_len(s->p), s->p, column(s, s->p));
	if (*s->p == '-')
		return error_hint(s->err, "a duration cannot be negative");
	return error_hint(s->err, EXAMPLES);
}

static int too_long(const struct scan *s, const char *at)
{
	error_set(s->err, ERR_INVALID, "'%.*s' at column %d makes the duration too long",
		  word_len(at), at, column(s, at));
	return error_hint(s->err, "a duration is at most a hundred years");
}

/* A number as whole + decimals / scale. */
struct number {
	int64_t whole, decimals, scale;
	const char *at;
};

static int scan_decimals(struct scan *s, struct number *n)
{
	const char *point = s->p++;
	int count = 0;

	for (; isdigit((unsigned char)*s->p); s->p++, count++) {
		if (count >= DECIMALS_MAX)
			continue;
		n->decimals = n->decimals * 10 + (*s->p - '0');
		n->scale *= 10;
	}
	if (count > 0 && count <= DECIMALS_MAX)
		return 0;
	error_set(s->err, ERR_INVALID, "bad fraction '%.*s' at column %d of the duration",
		  word_len(point), point, column(s, point));
	return error_hint(s->err, "a fraction has one to %d decimals, as in '1.5h'", DECIMALS_MAX);
}

static int scan_number(struct scan *s, struct number *ret)
{
	*ret = (struct number){.scale = 1, .at = s->p};
	if (!isdigit((unsigned char)*s->p))
		return refuse_number(s);
	for (; isdigit((unsigned char)*s->p); s->p++) {
		ret->whole = ret->whole * 10 + (*s->p - '0');
		if (ret->whole > DURATION_MAX)
			return too_long(s, ret->at);
	}
	return *s->p == '.' ? scan_decimals(s, ret) : 0;
}

static int find_unit(const char *word)
{
	for (int i = 0; i < UNIT_COUNT; i++)
		for (int j = 0; j < WORDS_PER_UNIT && units[i].words[j]; j++)
			if (strcasecmp(word, units[i].words[j]) == 0)
				return i;
	return -1;
}

static int hint_unit(const char *word, struct error *err)
{
	const char *words[UNIT_COUNT * WORDS_PER_UNIT];
	const char *near = NULL;
	size_t count = 0;

	for (size_t i = 0; i < sizeof(calendar_words) / sizeof(calendar_words[0]); i++)
		if (strcasecmp(word, calendar_words[i]) == 0)
			return error_hint(err, "months and years differ in length; use days or "
					       "weeks, or a calendar rule");
	for (int i = 0; i < UNIT_COUNT; i++)
		for (int j = 1; j < WORDS_PER_UNIT && units[i].words[j]; j++)
			words[count++] = units[i].words[j];
	if (strlen(word) >= 3)
		near = text_nearest(word, words, count);
	if (near)
		return error_hint(err, "did you mean '%s'?", near);
	return error_hint(err, "units are w, d, h, m, s, ms and us");
}

static int refuse_bare(const struct scan *s, const struct number *n, int before)
{
	int len = word_len(n->at);

	error_set(s->err, ERR_INVALID, "number '%.*s' at column %d of the duration has no unit",
		  len, n->at, column(s, n->at));
	if (before >= 0)
		return error_hint(s->err, EXAMPLES);
	return error_hint(s->err, "did you mean '%.*ss' or '%.*sm'?", len, n->at, len, n->at);
}

/* The unit of a number, which must be smaller than the unit before (-1: there was none). */
static int scan_unit(struct scan *s, const struct number *n, int before, int *ret)
{
	char word[WORD_MAX + 1] = "";
	const char *start;
	int len = 0, unit;

	skip_spaces(s);
	start = s->p;
	for (; isalpha((unsigned char)*s->p); s->p++)
		if (len < WORD_MAX)
			word[len++] = *s->p;
	if (s->p == start && (*s->p == '\0' || isdigit((unsigned char)*s->p)))
		return refuse_bare(s, n, before);
	unit = s->p == start || s->p - start > WORD_MAX ? -1 : find_unit(word);
	if (unit < 0) {
		error_set(s->err, ERR_INVALID, "unknown unit '%.*s' at column %d of the duration",
			  s->p > start ? (int)(s->p - start) : word_len(start), start,
			  column(s, start));
		return hint_unit(word, s->err);
	}
	if (unit <= before) {
		error_set(s->err, ERR_INVALID, "unit '%s' at column %d comes after '%s'", word,
			  column(s, start), units[before].words[0]);
		return error_hint(s->err, "largest unit first, each once, as in '1h30m'");
	}
	*ret = unit;
	return 0;
}

static int add_pair(const struct scan *s, const struct number *n, usec_t unit, usec_t *total)
{
	/* Six decimals of a week stay far below 63 bits. */
	usec_t fraction = n->decimals * unit;

	if (fraction % n->scale != 0) {
		error_set(s->err, ERR_INVALID,
			  "number at column %d of the duration is finer than a microsecond",
			  column(s, n->at));
		return error_hint(s->err, "the smallest unit is us");
	}
	if (n->whole > (DURATION_MAX - *total) / unit)
		return too_long(s, n->at);
	*total += n->whole * unit + fraction / n->scale;
	return *total > DURATION_MAX ? too_long(s, n->at) : 0;
}

static int scan_pair(struct scan *s, int *before, bool *fraction, usec_t *total)
{
	struct number n;
	int unit = 0, r;

	if (*fraction) {
		error_set(s->err, ERR_INVALID, "'%.*s' at column %d comes after a fraction",
			  word_len(s->p), s->p, column(s, s->p));
		return error_hint(s->err, "only the last number may have one, as in '1h 1.5m'");
	}
	r = scan_number(s, &n);
	if (r == 0)
		r = scan_unit(s, &n, *before, &unit);
	if (r < 0)
		return r;
	*before = unit;
	*fraction = n.scale > 1;
	return add_pair(s, &n, units[unit].usec, total);
}

int duration_parse(const char *text, usec_t *ret, struct error *err)
{
	struct scan s = {.text = text, .p = text, .err = err};
	bool fraction = false;
	usec_t total = 0;
	int before = -1;

	skip_spaces(&s);
	if (!*s.p) {
		error_set(err, ERR_INVALID, "the duration is empty");
		return error_hint(err, EXAMPLES);
	}
	while (*s.p) {
		int r = scan_pair(&s, &before, &fraction, &total);

		if (r < 0)
			return r;
		skip_spaces(&s);
	}
	*ret = total;
	return 0;
}

/* A negative span has no place in a schedule, but must be seen when something goes wrong. */
static uint64_t write_sign(usec_t duration, char **ret)
{
	if (duration >= 0)
		return (uint64_t)duration;
	*(*ret)++ = '-';
	return -(uint64_t)duration;
}

void duration_format(usec_t duration, char *ret)
{
	char *end = ret + DURATION_TEXT_MAX;
	uint64_t left = write_sign(duration, &ret);

	if (left == 0)
		strcpy(ret, "0s");
	for (int i = 0; i < UNIT_COUNT && left; i++) {
		/* cppcheck-suppress zerodivcond; no unit is zero long */
		uint64_t count = left / (uint64_t)units[i].usec;

		left %= (uint64_t)units[i].usec;
		if (count)
			ret += snprintf(ret, (size_t)(end - ret), "%" PRIu64 "%s", count,
					units[i].words[0]);
	}
}

void duration_format_short(usec_t duration, char *ret)
{
	char *end = ret + DURATION_TEXT_MAX;
	uint64_t left = write_sign(duration, &ret);
	uint64_t unit, next;
	int i = 1; /* days are the largest: "10d" says more than "1w 3d" */

	if (left == 0) {
		strcpy(ret, "0s");
		return;
	}
	while (left < (uint64_t)units[i].usec)
		i++;
	unit = (uint64_t)units[i].usec;
	ret += snprintf(ret, (size_t)(end - ret), "%" PRIu64 "%s", left / unit, units[i].words[0]);
	if (unit <= (uint64_t)USEC_PER_SEC)
		return;
	next = (uint64_t)units[i + 1].usec;
	if (left % unit / next)
		snprintf(ret, (size_t)(end - ret), " %" PRIu64 "%s", left % unit / next,
			 units[i + 1].words[0]);
}
