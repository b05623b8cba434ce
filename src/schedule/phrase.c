/*
 * phrase.c: points in time as people say them.
 * The text is cut into words. Words fill two places, the day and the time of day, each at most
 * once and in either order; 'at', 'on' and commas are noise. Only when all words have found their
 * place is the phrase resolved against now, so the meaning never depends on where reading stopped.
 * Two forms are handed on whole: "in ..." to duration.c, and dates with everything in digits to
 * instant.c. Every refusal quotes the word it stumbled over and its column.
 */
#include "schedule/phrase.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/quote.h"

#define WORDS_MAX 12
#define SPACES " \t\r\n,"
#define EXAMPLES "try '15:30', 'tomorrow 9am', 'monday 10:00', 'feb 20 3pm' or 'in 2h'"
#define MORNING (9 * 3600) /* the time of a day that came without one */
#define MISTYPED_SAME 3	   /* letters that a mistyped word shares with the one that is meant */
#define MISTYPED_LONG 5
#define LEAP_DAY_YEARS 8 /* February 29th is never further away */

enum word_kind {
	WORD_NOISE,
	WORD_IN,
	WORD_NOW,
	WORD_DAY,  /* value: days from today */
	WORD_NEXT, /* before a weekday */
	WORD_TIME, /* value: seconds of the day */
	WORD_HALF, /* value: hours to add */
	WORD_WEEKDAY,
	WORD_MONTH,
};

/* clang-format off */
static const struct word_row {
	const char *word;
	enum word_kind kind;
	int value;
} vocabulary[] = {
	{"tomorrow", WORD_DAY, 1},   {"today", WORD_DAY, 0},      {"now", WORD_NOW, 0},
	{"noon", WORD_TIME, 43200},  {"midnight", WORD_TIME, 0},  {"in", WORD_IN, 0},
	{"next", WORD_NEXT, 0},      {"at", WORD_NOISE, 0},       {"on", WORD_NOISE, 0},
	{"am", WORD_HALF, 0},        {"pm", WORD_HALF, 12},
	{"monday", WORD_WEEKDAY, 0}, {"tuesday", WORD_WEEKDAY, 1},  {"wednesday", WORD_WEEKDAY, 2},
	{"thursday", WORD_WEEKDAY, 3}, {"friday", WORD_WEEKDAY, 4}, {"saturday", WORD_WEEKDAY, 5},
	{"sunday", WORD_WEEKDAY, 6},
	{"mon", WORD_WEEKDAY, 0},    {"tue", WORD_WEEKDAY, 1},    {"tues", WORD_WEEKDAY, 1},
	{"wed", WORD_WEEKDAY, 2},    {"thu", WORD_WEEKDAY, 3},    {"thur", WORD_WEEKDAY, 3},
	{"thurs", WORD_WEEKDAY, 3},  {"fri", WORD_WEEKDAY, 4},    {"sat", WORD_WEEKDAY, 5},
	{"sun", WORD_WEEKDAY, 6},
	{"january", WORD_MONTH, 1},  {"february", WORD_MONTH, 2}, {"march", WORD_MONTH, 3},
	{"april", WORD_MONTH, 4},    {"may", WORD_MONTH, 5},      {"june", WORD_MONTH, 6},
	{"july", WORD_MONTH, 7},     {"august", WORD_MONTH, 8},   {"september", WORD_MONTH, 9},
	{"october", WORD_MONTH, 10}, {"november", WORD_MONTH, 11}, {"december", WORD_MONTH, 12},
	{"jan", WORD_MONTH, 1},      {"feb", WORD_MONTH, 2},      {"mar", WORD_MONTH, 3},
	{"apr", WORD_MONTH, 4},      {"jun", WORD_MONTH, 6},      {"jul", WORD_MONTH, 7},
	{"aug", WORD_MONTH, 8},      {"sep", WORD_MONTH, 9},      {"sept", WORD_MONTH, 9},
	{"oct", WORD_MONTH, 10},     {"nov", WORD_MONTH, 11},     {"dec", WORD_MONTH, 12},
};
/* clang-format on */
#define VOCABULARY_COUNT (sizeof(vocabulary) / sizeof(vocabulary[0]))

struct word {
	char text[QUOTE_MAX + 1];
	int column;
	const struct word_row *row; /* NULL: not in the vocabulary */
};

enum day_kind { DAY_NONE, DAY_FROM_TODAY, DAY_WEEKDAY, DAY_NEXT_WEEKDAY, DAY_OF_YEAR, DAY_DATE };

struct phrase {
	const char *text;
	struct word words[WORDS_MAX];
	size_t count, at; /* `at` is the next word to be read */

	enum day_kind day;
	int day_value; /* days from today, or a weekday */
	int year, month, month_day;
	const struct word *day_word, *time_word; /* for what is wrong with them */
	bool has_time;
	int second_of_day;
	enum phrase_use use;
	struct error *err;
};

static int refuse(const struct phrase *p, const struct word *w, const char *why)
{
	error_set(p->err, ERR_INVALID, "%s '%s' at column %d", why, w->text, w->column);
	return error_hint(p->err, EXAMPLES);
}

/* "2 hours" lacks its "in", and "2 hours from now" says it otherwise. */
static bool hint_duration(const struct phrase *p)
{
	static const char *const ends[] = {" from now", " from today"};
	AUTO(free) char *span = mem_strdup(p->text + strspn(p->text, SPACES));
	usec_t ignored;
	struct error other;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t len = strlen(span), end = strlen(ends[i]);

		if (len > end && strcasecmp(span + len - end, ends[i]) == 0)
			span[len - end] = '\0';
	}
	if (duration_parse(span, &ignored, &other) < 0)
		return false;
	error_hint(p->err, "did you mean 'in %.60s'?", span);
	return true;
}

/*
 * Whether a word is another mistyped: the same first letter, and what differs is one letter, two that
 * are swapped, or in a long word a little more. What is merely similar means something else.
 */
static bool is_mistyped(const char *text, const char *word)
{
	size_t len = strlen(text), other = strlen(word), head = 0, tail = 0;
	bool swapped;

	while (head < len && head < other &&
	       tolower((unsigned char)text[head]) == (unsigned char)word[head])
		head++;
	while (tail < len - head && tail < other - head &&
	       tolower((unsigned char)text[len - 1 - tail]) ==
		       (unsigned char)word[other - 1 - tail])
		tail++;
	len -= head + tail;
	other -= head + tail;
	swapped = len == 2 && other == 2 &&
		  tolower((unsigned char)text[head]) == (unsigned char)word[head + 1] &&
		  tolower((unsigned char)text[head + 1]) == (unsigned char)word[head];
	if (head == 0 || head + tail < MISTYPED_SAME)
		return false;
	return (len <= 1 && other <= 1) || swapped ||
	       (head + tail >= MISTYPED_LONG && len <= 2 && other <= 2);
}

static int refuse_unknown(const struct phrase *p, const struct word *w)
{
	refuse(p, w, "unknown word");
	if (hint_duration(p))
		return p->err->code;
	for (size_t i = 0; i < VOCABULARY_COUNT; i++)
		if (is_mistyped(w->text, vocabulary[i].word))
			return error_hint(p->err, "did you mean '%s'?", vocabulary[i].word);
	return p->err->code;
}

static const struct word_row *find_row(const char *text)
{
	for (size_t i = 0; i < VOCABULARY_COUNT; i++)
		if (strcasecmp(text, vocabulary[i].word) == 0)
			return &vocabulary[i];
	return NULL;
}

static int split(struct phrase *p)
{
	const char *start = p->text + strspn(p->text, SPACES);

	while (*start) {
		size_t len = strcspn(start, SPACES);
		struct word *w = &p->words[p->count < WORDS_MAX ? p->count : WORDS_MAX - 1];

		snprintf(w->text, sizeof(w->text), "%.*s", quote_len(start, len), start);
		w->column = (int)(start - p->text) + 1;
		if (p->count == WORDS_MAX)
			return refuse(p, w, "too many words:");
		if (len > QUOTE_MAX)
			return refuse(p, w, "unknown word");
		w->row = find_row(w->text);
		p->count++;
		start += len + strspn(start + len, SPACES);
	}
	if (p->count > 0)
		return 0;
	error_set(p->err, ERR_INVALID, "the time is empty");
	return error_hint(p->err, EXAMPLES);
}

static const struct word *peek(const struct phrase *p)
{
	return p->at < p->count ? &p->words[p->at] : NULL;
}

static bool peek_kind(const struct phrase *p, enum word_kind kind)
{
	const struct word *w = peek(p);

	return w && w->row && w->row->kind == kind;
}

/* Up to `max_len` digits, then the end, or with `ret_rest` whatever else. -1 when it is not so. */
static int number_of(const char *text, size_t max_len, const char **ret_rest)
{
	size_t len = strspn(text, "0123456789");
	int value = 0;

	if (len == 0 || len > max_len || (!ret_rest && text[len]))
		return -1;
	for (size_t i = 0; i < len; i++)
		value = value * 10 + (text[i] - '0');
	if (ret_rest)
		*ret_rest = text + len;
	return value;
}

static int set_day(struct phrase *p, const struct word *w, enum day_kind kind, int value)
{
	if (p->day != DAY_NONE) {
		error_set(p->err, ERR_INVALID, "second day '%s' at column %d, after '%s'", w->text,
			  w->column, p->day_word->text);
		return error_hint(p->err, "name one day and one time, as in 'monday 10:00'");
	}
	p->day = kind;
	p->day_value = value;
	p->day_word = w;
	return 0;
}

static int set_time(struct phrase *p, const struct word *w, int second_of_day)
{
	if (p->has_time) {
		error_set(p->err, ERR_INVALID, "second time '%s' at column %d, after '%s'", w->text,
			  w->column, p->time_word->text);
		return error_hint(p->err, "name one day and one time, as in 'monday 10:00'");
	}
	p->has_time = true;
	p->second_of_day = second_of_day;
	p->time_word = w;
	return 0;
}

/* "20", "20th": a day of the month, or -1. */
static int month_day_of(const struct word *w)
{
	static const char *const endings[] = {"th", "st", "nd", "rd"};
	const char *rest;
	int day = number_of(w->text, 2, &rest);
	int ending = day % 10 <= 3 && (day < 11 || day > 13) ? day % 10 : 0;

	if (day < 1 || (*rest && strcasecmp(rest, endings[ending]) != 0))
		return -1;
	return day;
}

static int take_year(struct phrase *p, int *ret)
{
	const struct word *w = peek(p);
	int year = w && strlen(w->text) == 4 ? number_of(w->text, 4, NULL) : -1;

	*ret = 0;
	if (year < 0)
		return 0;
	if (year < 1900 || year > 9998) {
		refuse(p, w, "bad year");
		return error_hint(p->err, "years run from 1900 to 9998");
	}
	p->at++;
	*ret = year;
	return 0;
}

/* A month and its day are known; a year may follow. */
static int take_date(struct phrase *p, const struct word *w, const struct word *day_word,
		     const struct word *month_word)
{
	int month = month_word->row->value;
	int day = month_day_of(day_word);
	int r = set_day(p, w, DAY_OF_YEAR, 0);

	if (r == 0)
		r = take_year(p, &p->year);
	if (r < 0)
		return r;
	if (p->year)
		p->day = DAY_DATE;
	if (day < 0 || day > month_days(p->year ? p->year : 2000, month)) {
		refuse(p, day_word, "bad day");
		return error_hint(p->err, "%s has %d days", month_word->text,
				  month_days(p->year ? p->year : 2000, month));
	}
	p->month = month;
	p->month_day = day;
	return 0;
}

static int take_month(struct phrase *p, const struct word *w)
{
	const struct word *day_word = peek(p);

	if (!day_word || !isdigit((unsigned char)day_word->text[0])) {
		refuse(p, w, "no day after month");
		return error_hint(p->err, "say which day, as in 'feb 20 3pm'");
	}
	p->at++;
	return take_date(p, w, day_word, w);
}

static int take_weekday_after_next(struct phrase *p, const struct word *w)
{
	const struct word *weekday = peek(p);

	if (!peek_kind(p, WORD_WEEKDAY)) {
		refuse(p, weekday ? weekday : w, weekday ? "no weekday but" : "no weekday after");
		return error_hint(p->err, "'next' goes before a weekday, as in 'next friday noon'");
	}
	p->at++;
	return set_day(p, weekday, DAY_NEXT_WEEKDAY, weekday->row->value);
}

static int take_known(struct phrase *p, const struct word *w)
{
	switch (w->row->kind) {
	case WORD_NOISE:
		return peek(p) ? 0 : refuse(p, w, "nothing after");
	case WORD_IN:
	case WORD_NOW:
		refuse(p, w, "unexpected");
		return error_hint(p->err, "'%s' goes with no other day or time", w->row->word);
	case WORD_HALF:
		refuse(p, w, "no hour before");
		return error_hint(p->err, "write it as '3pm' or '3:30 pm'");
	case WORD_DAY:
		return set_day(p, w, DAY_FROM_TODAY, w->row->value);
	case WORD_NEXT:
		return take_weekday_after_next(p, w);
	case WORD_TIME:
		return set_time(p, w, w->row->value);
	case WORD_WEEKDAY:
		return set_day(p, w, DAY_WEEKDAY, w->row->value);
	case WORD_MONTH:
		return take_month(p, w);
	}
	return refuse_unknown(p, w);
}

static int refuse_time(const struct phrase *p, const struct word *w, const char *hint)
{
	error_set(p->err, ERR_INVALID, "bad time '%s' at column %d", w->text, w->column);
	return error_hint(p->err, "%s", hint);
}

/* Read ":30" or ":30:15" behind an hour. False when it is neither. */
static bool minutes_of(const char **text, int *minute, int *second)
{
	int *fields[] = {minute, second};

	for (int i = 0; i < 2 && **text == ':'; i++) {
		const char *rest = *text;

		if (strspn(*text + 1, "0123456789") != 2)
			return false;
		*fields[i] = number_of(*text + 1, 2, &rest);
		*text = rest;
	}
	return *minute <= 59 && *second <= 59;
}

static int refuse_bare(const struct phrase *p, const struct word *w, int number)
{
	refuse(p, w, "bare number");
	if (hint_duration(p))
		return p->err->code;
	if (number >= 1 && number <= 12)
		error_hint(p->err, "as a time, write '%d:00', '%dam' or '%dpm'", number, number,
			   number);
	else if (number <= 23)
		error_hint(p->err, "as a time, write '%d:00'", number);
	return p->err->code;
}

/* "15:30", "15:30:05", "3pm", "3:30pm"; am or pm may be the next word. */
static int take_clock(struct phrase *p, const struct word *w)
{
	int hour, minute = 0, second = 0;
	const char *rest = w->text;
	const struct word_row *half = NULL;
	bool has_minutes;

	hour = number_of(w->text, 2, &rest);
	has_minutes = *rest == ':';
	if (hour < 0 || !minutes_of(&rest, &minute, &second))
		return refuse_time(p, w,
				   "times look like '15:30' or '3pm', with two digits for "
				   "minutes from 00 to 59");
	if (*rest)
		half = find_row(rest);
	else if (peek_kind(p, WORD_HALF))
		half = p->words[p->at++].row;
	if (*rest && (!half || half->kind != WORD_HALF))
		return refuse_unknown(p, w);
	if (!half && !has_minutes)
		return refuse_bare(p, w, hour);
	if (half && (hour < 1 || hour > 12))
		return refuse_time(p, w, "hours with am and pm run from 1 to 12");
	if (!half && hour > 23)
		return refuse_time(p, w, "hours run from 0 to 23");
	if (half)
		hour = hour % 12 + half->value;
	return set_time(p, w, hour * 3600 + minute * 60 + second);
}

/* Not a day of a month: "15:30", "3pm". */
static bool is_clock(const char *text)
{
	return strchr(text, ':') || tolower((unsigned char)text[strlen(text) - 1]) == 'm';
}

static bool is_iso_date(const char *text)
{
	return strspn(text, "0123456789") == 4 && text[4] == '-';
}

static int take_iso_date(struct phrase *p, const struct word *w)
{
	struct error inner = {.hint = "dates look like '2026-02-20'"};
	usec_t midnight;
	struct civil c;

	if (instant_parse(w->text, zone_utc(), &midnight, &inner) < 0 || strlen(w->text) != 10) {
		refuse(p, w, "bad date");
		return error_hint(p->err, "%s", inner.hint);
	}
	c = civil_from_local(midnight / USEC_PER_SEC);
	p->year = c.year;
	p->month = c.month;
	p->month_day = c.day;
	return set_day(p, w, DAY_DATE, 0);
}

static int take_word(struct phrase *p)
{
	const struct word *w = &p->words[p->at++];
	const struct word *month_word;

	if (w->row)
		return take_known(p, w);
	if (is_iso_date(w->text))
		return take_iso_date(p, w);
	if (!isdigit((unsigned char)w->text[0]))
		return refuse_unknown(p, w);
	if (peek_kind(p, WORD_MONTH) && !is_clock(w->text)) {
		month_word = &p->words[p->at++];
		return take_date(p, w, w, month_word);
	}
	return take_clock(p, w);
}

/* A day that came without a time, and bounds a span: all of it is meant. */
static bool is_whole_day(const struct phrase *p)
{
	return p->use != PHRASE_MOMENT && p->day != DAY_NONE && !p->has_time;
}

static usec_t end_of_day(const struct zone *zone, int64_t day)
{
	return zone_instant(zone, (day + 1) * DAY_SECONDS) - 1;
}

/* Where the phrase points when its day is `day` (since 1970). */
static usec_t moment(const struct phrase *p, const struct zone *zone, int64_t day)
{
	int second = p->has_time ? p->second_of_day : MORNING;

	if (is_whole_day(p))
		return p->use == PHRASE_END ? end_of_day(zone, day)
					    : zone_instant(zone, day * DAY_SECONDS);
	return zone_instant(zone, day * DAY_SECONDS + second);
}

/* Whether that is still to come; of a whole day, whether it is not over. */
static bool is_ahead(const struct phrase *p, usec_t now, const struct zone *zone, int64_t day)
{
	return (is_whole_day(p) ? end_of_day(zone, day) : moment(p, zone, day)) > now;
}

static int64_t next_of_year(const struct phrase *p, usec_t now, const struct zone *zone, int year)
{
	int64_t day = 0;

	for (int i = 0; i <= LEAP_DAY_YEARS; i++) {
		if (p->month_day > month_days(year + i, p->month))
			continue;
		day = days_from_civil(year + i, p->month, p->month_day);
		if (is_ahead(p, now, zone, day))
			break;
	}
	return day;
}

/* "nov 18" on that day, when its time has passed: nobody means the same day of another year. */
static int check_date_of_today(const struct phrase *p, usec_t now, const struct zone *zone)
{
	struct civil today = civil_from_local(zone_local(zone, now));

	if (p->day != DAY_OF_YEAR || today.month != p->month || today.day != p->month_day ||
	    is_ahead(p, now, zone, days_from_civil(today.year, today.month, today.day)))
		return 0;
	error_set(p->err, ERR_INVALID, "'%s' at column %d is today, and %s has passed",
		  p->day_word->text, p->day_word->column,
		  p->has_time ? "that time" : "9:00 AM, the time of a day without one,");
	return error_hint(p->err, "say a later time, or the year behind it, as in '… %d'",
			  today.year + 1);
}

static int check_today(const struct phrase *p, usec_t now, usec_t instant)
{
	if (p->day != DAY_FROM_TODAY || p->day_value != 0 || instant > now || is_whole_day(p))
		return 0;
	if (!p->has_time) {
		refuse(p, p->day_word, "no time after");
		return error_hint(p->err, "9 AM has passed; say 'today 5pm' or 'in 2h'");
	}
	if (p->time_word->row && p->second_of_day == 0) {
		refuse(p, p->time_word, "today began with");
		return error_hint(p->err, "the coming one is 'midnight' alone");
	}
	return 0;
}

static int64_t find_day(const struct phrase *p, usec_t now, const struct zone *zone)
{
	local_t local = zone_local(zone, now);
	int64_t today = floor_div(local, DAY_SECONDS);
	int64_t ahead = floor_mod(p->day_value - weekday_of_days(today), 7);

	switch (p->day) {
	case DAY_NONE:
		return is_ahead(p, now, zone, today) ? today : today + 1;
	case DAY_FROM_TODAY:
		return today + p->day_value;
	case DAY_WEEKDAY:
		return ahead == 0 && !is_ahead(p, now, zone, today) ? today + 7 : today + ahead;
	case DAY_NEXT_WEEKDAY:
		return today + (ahead ? ahead : 7);
	case DAY_OF_YEAR:
		return next_of_year(p, now, zone, civil_from_local(local).year);
	case DAY_DATE:
		break;
	}
	return days_from_civil(p->year, p->month, p->month_day);
}

static int resolve(const struct phrase *p, usec_t now, const struct zone *zone, usec_t *ret)
{
	usec_t instant = moment(p, zone, find_day(p, now, zone));
	int r = check_date_of_today(p, now, zone);

	if (r == 0)
		r = check_today(p, now, instant);
	if (r == 0)
		*ret = instant;
	return r;
}

/* The duration behind "in", whose columns stay those of the whole phrase. */
static int parse_in(const struct phrase *p, usec_t now, usec_t *ret)
{
	AUTO(free) char *text = mem_strdup(p->text);
	size_t in = (size_t)p->words[0].column - 1;
	usec_t duration;
	int r;

	memset(text, ' ', in + 2);
	r = duration_parse(text, &duration, p->err);
	if (r == 0)
		*ret = now + duration;
	return r;
}

/* One date of one word, or with a time that has an offset or a fraction: all for instant.c. */
static bool is_instant(const struct phrase *p)
{
	const char *time = p->words[1].text;

	if (!is_iso_date(p->words[0].text) || p->count > 2)
		return false;
	return p->count == 1 ||
	       (isdigit((unsigned char)time[0]) && !is_iso_date(time) && strpbrk(time, "+-Zz."));
}

static int parse_words(struct phrase *p, usec_t now, const struct zone *zone, usec_t *ret)
{
	const struct word_row *first = p->words[0].row;

	if (first && first->kind == WORD_IN)
		return parse_in(p, now, ret);
	if (first && first->kind == WORD_NOW && p->count == 1) {
		*ret = now;
		return 0;
	}
	if (is_instant(p)) {
		int r = instant_parse(p->text, zone, ret, p->err);

		/* A date alone goes on: its time is that of every day without one. */
		if (r < 0 || p->count > 1 || strlen(p->words[0].text) > strlen("2026-02-20"))
			return r;
	}
	while (p->at < p->count) {
		int r = take_word(p);

		if (r < 0)
			return r;
	}
	return resolve(p, now, zone, ret);
}

int phrase_parse_bound(const char *text, enum phrase_use use, usec_t now, const struct zone *zone,
		       usec_t *ret, struct error *err)
{
	struct phrase p = {.text = text, .use = use, .err = err};
	usec_t instant;
	int r = split(&p);

	if (r == 0)
		r = parse_words(&p, now, zone, &instant);
	if (r < 0)
		return r;
	if (instant < INSTANT_MIN || instant > INSTANT_MAX) {
		error_set(err, ERR_INVALID, "'%s' at column %d is too far away", p.words[0].text,
			  p.words[0].column);
		return error_hint(err, "years run from 1900 to 9998");
	}
	*ret = instant;
	return is_whole_day(&p);
}

int phrase_parse(const char *text, usec_t now, const struct zone *zone, usec_t *ret,
		 struct error *err)
{
	return phrase_parse_bound(text, PHRASE_MOMENT, now, zone, ret, err);
}

char *phrase_gap(const char *text, usec_t now, const struct zone *zone)
{
	char said_text[INSTANT_TEXT_MAX], meant_text[INSTANT_TEXT_MAX];
	struct error ignored = {0};
	usec_t at, said, meant;

	/* The same words where no clock is ever changed; a span is no local time, nor is an offset. */
	if (strncasecmp(text + strspn(text, " \t"), "in ", 3) == 0 ||
	    phrase_parse(text, now, zone, &at, &ignored) < 0 ||
	    phrase_parse(text, zone_local(zone, now) * USEC_PER_SEC, zone_utc(), &said, &ignored) <
		    0 ||
	    said == at ||
	    zone_instant(zone, said / USEC_PER_SEC) / USEC_PER_SEC != at / USEC_PER_SEC)
		return NULL;
	meant = zone_local(zone, at) * USEC_PER_SEC;
	if (meant / USEC_PER_SEC == said / USEC_PER_SEC)
		return NULL;
	instant_format_near(said, said, zone_utc(), said_text);
	instant_format_near(meant, meant, zone_utc(), meant_text);
	return mem_printf(
		"%s does not exist that day in %s, where the clock is put forward; %s is meant",
		said_text, zone_name(zone), meant_text);
}
