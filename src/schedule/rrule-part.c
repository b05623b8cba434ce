/*
 * rrule-part.c: the value of RRULE, "FREQ=MONTHLY;BYDAY=-1FR".
 * Strict on purpose: a part that is misread fires at the wrong time for years, so everything that
 * RFC 5545 does not allow is refused, with the part, the value and the column. Lists become sets
 * at once, which sorts them and drops what is said twice.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "schedule/quote.h"
#include "schedule/rrule-internal.h"

static const char *const freq_names[RRULE_FREQS] = {
	"SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY",
};

/* clang-format off */
static const char *const part_names[RRULE_PARTS] = {
	[RRULE_BYMONTH] = "BYMONTH", [RRULE_BYWEEKNO] = "BYWEEKNO", [RRULE_BYYEARDAY] = "BYYEARDAY",
	[RRULE_BYMONTHDAY] = "BYMONTHDAY", [RRULE_BYHOUR] = "BYHOUR", [RRULE_BYMINUTE] = "BYMINUTE",
	[RRULE_BYSECOND] = "BYSECOND", [RRULE_BYSETPOS] = "BYSETPOS", [RRULE_PART_FREQ] = "FREQ",
	[RRULE_PART_INTERVAL] = "INTERVAL", [RRULE_PART_COUNT] = "COUNT",
	[RRULE_PART_UNTIL] = "UNTIL", [RRULE_PART_WKST] = "WKST", [RRULE_PART_BYDAY] = "BYDAY",
};

static const struct list_row {
	int least, most;
	bool both_ends; /* may be negative, and never 0 */
	const char *hint;
} list_rows[RRULE_BY_LISTS] = {
	[RRULE_BYMONTH]    = {1, 12,  false, "months run from 1 to 12"},
	[RRULE_BYWEEKNO]   = {1, 53,  true,  "weeks run from 1 to 53, or -1 to -53 from the year's end"},
	[RRULE_BYYEARDAY]  = {1, 366, true,  "days run from 1 to 366, or -1 to -366 from the year's end"},
	[RRULE_BYMONTHDAY] = {1, 31,  true,  "days run from 1 to 31, or -1 to -31 from the month's end"},
	[RRULE_BYHOUR]     = {0, 23,  false, "hours run from 0 to 23"},
	[RRULE_BYMINUTE]   = {0, 59,  false, "minutes run from 0 to 59"},
	[RRULE_BYSECOND]   = {0, 60,  false, "seconds run from 0 to 59 (60 is the last of a minute)"},
	[RRULE_BYSETPOS]   = {1, 366, true,  "positions run from 1 to 366, or -1 to -366 from the end"},
};
/* clang-format on */

static bool slice_is(struct rrule_slice s, const char *word)
{
	return s.len == strlen(word) && strncasecmp(s.at, word, s.len) == 0;
}

static int bad_value(const struct rrule_text *t, enum rrule_part part, struct rrule_slice s,
		     const char *hint)
{
	char what[32];

	snprintf(what, sizeof(what), "bad %s", part_names[part]);
	return rrule_bad(t, what, s, hint);
}

/* Cut the text up to `end` off the front of *rest; the cut character itself is dropped. */
static struct rrule_slice slice_cut(struct rrule_slice *rest, char end)
{
	const char *cut = memchr(rest->at, end, rest->len);
	struct rrule_slice head = *rest;

	if (cut)
		head.len = (size_t)(cut - rest->at);
	rest->at += head.len + (cut != NULL);
	rest->len -= head.len + (cut != NULL);
	return head;
}

/* Whether a whole slice is digits that fit; no sign, no space. */
static bool read_number(struct rrule_slice s, int64_t *ret)
{
	int64_t value = 0;

	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.at[i] < '0' || s.at[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, s.at[i] - '0', &value))
			return false;
	}
	*ret = value;
	return true;
}

/* Take a sign off the front. */
static bool read_sign(struct rrule_slice *s)
{
	bool minus = s->len > 0 && s->at[0] == '-';

	if (s->len > 0 && (s->at[0] == '-' || s->at[0] == '+')) {
		s->at++;
		s->len--;
	}
	return minus;
}

static int parse_list_item(const struct rrule_text *t, enum rrule_part part,
			   struct rrule_slice item, struct rrule_set *set)
{
	const struct list_row *row = &list_rows[part];
	struct rrule_slice digits = item;
	bool minus = row->both_ends && read_sign(&digits);
	int64_t n = 0;

	if (!read_number(digits, &n) || n < row->least || n > row->most)
		return bad_value(t, part, item, row->hint);
	rrule_bits_add(minus ? &set->minus : &set->plus, (int)n);
	return 0;
}

static int weekday_of(struct rrule_slice s)
{
	static const char names[] = "MOTUWETHFRSASU";

	for (int day = 0; day < 7 && s.len == 2; day++)
		if (strncasecmp(s.at, names + 2 * day, 2) == 0)
			return day;
	return -1;
}

static int parse_day_item(const struct rrule_text *t, struct rrule_slice item,
			  struct rrule_parts *p)
{
	static const char hint[] = "write a weekday, MO TU WE TH FR SA SU, or the n-th of them: "
				   "1MO is the first Monday, -1FR the last Friday";
	struct rrule_slice digits = item;
	int day = item.len < 2 ? -1 : weekday_of((struct rrule_slice){item.at + item.len - 2, 2});
	bool minus = read_sign(&digits);
	int64_t n = 0;

	if (day < 0)
		return bad_value(t, RRULE_PART_BYDAY, item, hint);
	if (item.len == 2) {
		p->weekdays |= 1U << day;
		return 0;
	}
	digits.len -= 2;
	if (!read_number(digits, &n) || n < 1 || n > 53)
		return bad_value(t, RRULE_PART_BYDAY, item, hint);
	rrule_bits_add(minus ? &p->nth[day].minus : &p->nth[day].plus, (int)n);
	p->has_nth = true;
	return 0;
}

static int parse_list(const struct rrule_text *t, enum rrule_part part, struct rrule_slice value,
		      struct rrule_parts *p)
{
	struct rrule_slice rest = value;

	for (int items = 1;; items++) {
		struct rrule_slice item = slice_cut(&rest, ',');
		bool more = item.at + item.len < value.at + value.len;
		int r = 0;

		if (items > RRULE_LIST_MAX)
			return bad_value(t, part, item, "a list holds at most 1000 items");
		if (item.len == 0)
			return bad_value(t, part, item, "the list has an empty item");
		r = part == RRULE_PART_BYDAY ? parse_day_item(t, item, p)
					     : parse_list_item(t, part, item, &p->by[part]);
		if (r < 0 || !more)
			return r;
	}
}

static int parse_freq(const struct rrule_text *t, struct rrule_slice value, struct rrule_parts *p)
{
	for (int i = 0; i < RRULE_FREQS; i++)
		if (slice_is(value, freq_names[i])) {
			p->freq = (enum rrule_freq)i;
			return 0;
		}
	return bad_value(t, RRULE_PART_FREQ, value,
			 "one of SECONDLY MINUTELY HOURLY DAILY WEEKLY MONTHLY YEARLY");
}

static int parse_positive(const struct rrule_text *t, enum rrule_part part,
			  struct rrule_slice value, int64_t *ret)
{
	if (!read_number(value, ret) || *ret < 1)
		return bad_value(t, part, value, "a whole number from 1 up");
	return 0;
}

static int parse_value(const struct rrule_text *t, enum rrule_part part, struct rrule_slice value,
		       struct rrule_parts *p)
{
	switch (part) {
	case RRULE_PART_FREQ:
		return parse_freq(t, value, p);
	case RRULE_PART_INTERVAL:
		return parse_positive(t, part, value, &p->interval);
	case RRULE_PART_COUNT:
		return parse_positive(t, part, value, &p->count);
	case RRULE_PART_UNTIL:
		return rrule_stamp_parse(t, "UNTIL", value, &p->until);
	case RRULE_PART_WKST:
		p->wkst = weekday_of(value);
		if (p->wkst < 0)
			return bad_value(t, part, value, "one of MO TU WE TH FR SA SU");
		return 0;
	default:
		return parse_list(t, part, value, p);
	}
}

static int unknown_part(const struct rrule_text *t, struct rrule_slice name)
{
	char word[QUOTE_MAX + 1] = "";
	const char *near = NULL;

	memcpy(word, name.at, (size_t)quote_len(name.at, name.len));
	near = text_nearest(word, part_names, RRULE_PARTS);
	error_set(t->err, ERR_INVALID, "rrule: unknown part '%s' at column %d", word,
		  rrule_column(t, name.at));
	if (name.len == 0)
		return error_hint(t->err, "parts look like 'NAME=VALUE' with one ';' between them");
	if (near)
		return error_hint(t->err, "did you mean '%s'?", near);
	return error_hint(t->err,
			  "parts: FREQ INTERVAL COUNT UNTIL WKST BYMONTH BYWEEKNO BYYEARDAY "
			  "BYMONTHDAY BYDAY BYHOUR BYMINUTE BYSECOND BYSETPOS");
}

static int parse_part(const struct rrule_text *t, struct rrule_slice text, struct rrule_parts *p)
{
	struct rrule_slice value = text, name = slice_cut(&value, '=');
	int column = rrule_column(t, text.at), part = 0;

	while (part < RRULE_PARTS && !slice_is(name, part_names[part]))
		part++;
	if (part == RRULE_PARTS)
		return unknown_part(t, name);
	if (p->column[part]) {
		error_set(t->err, ERR_INVALID, "rrule: second %s at column %d", part_names[part],
			  column);
		return error_hint(t->err, "each part may be given once; lists take ','");
	}
	if (value.len == 0) {
		error_set(t->err, ERR_INVALID, "rrule: %s at column %d has no value",
			  part_names[part], column);
		return error_hint(t->err, "write '%s=VALUE'", part_names[part]);
	}
	p->column[part] = column;
	return parse_value(t, (enum rrule_part)part, value, p);
}

static int refuse(const struct rrule_text *t, const struct rrule_parts *p, enum rrule_part part,
		  const char *why, const char *hint)
{
	error_set(t->err, ERR_INVALID, "rrule: %s at column %d %s", part_names[part],
		  p->column[part], why);
	return error_hint(t->err, "%s", hint);
}

static bool has_by_part(const struct rrule_parts *p)
{
	for (int part = 0; part < RRULE_BY_LISTS; part++)
		if (part != RRULE_BYSETPOS && p->column[part])
			return true;
	return p->column[RRULE_PART_BYDAY] != 0;
}

/* What RFC 5545 forbids to say together. */
static int check_parts(const struct rrule_text *t, const struct rrule_parts *p)
{
	const int *has = p->column;
	bool by_day_or_longer = p->freq >= RRULE_DAILY && p->freq <= RRULE_MONTHLY;

	if (has[RRULE_PART_COUNT] && has[RRULE_PART_UNTIL])
		return refuse(t, p, RRULE_PART_UNTIL, "stands beside COUNT", "give one of the two");
	if (has[RRULE_BYWEEKNO] && p->freq != RRULE_YEARLY)
		return refuse(t, p, RRULE_BYWEEKNO, "works with FREQ=YEARLY only",
			      "for other frequencies use BYMONTH or BYDAY");
	if (has[RRULE_BYYEARDAY] && by_day_or_longer)
		return refuse(t, p, RRULE_BYYEARDAY,
			      "does not work with FREQ=DAILY, WEEKLY or MONTHLY",
			      "use FREQ=YEARLY");
	if (has[RRULE_BYMONTHDAY] && p->freq == RRULE_WEEKLY)
		return refuse(t, p, RRULE_BYMONTHDAY, "does not work with FREQ=WEEKLY",
			      "use FREQ=MONTHLY, with BYDAY to keep the weekday");
	if (p->has_nth && p->freq < RRULE_MONTHLY)
		return refuse(t, p, RRULE_PART_BYDAY,
			      "has a number, which works with FREQ=MONTHLY or YEARLY only",
			      "leave out the number, or use FREQ=MONTHLY");
	if (p->has_nth && has[RRULE_BYWEEKNO])
		return refuse(t, p, RRULE_PART_BYDAY, "has a number, which BYWEEKNO does not allow",
			      "a week has one of each weekday: leave out the number");
	if (has[RRULE_BYSETPOS] && !has_by_part(p))
		return refuse(t, p, RRULE_BYSETPOS, "has no other BY part to choose from",
			      "add BYDAY, BYMONTHDAY, BYHOUR …");
	return 0;
}

int rrule_parts_parse(const struct rrule_text *t, struct rrule_slice value, struct rrule_parts *ret)
{
	struct rrule_slice rest = value;
	bool more = true;

	*ret = (struct rrule_parts){.interval = 1};
	while (more) {
		struct rrule_slice part = slice_cut(&rest, ';');
		int r = parse_part(t, part, ret);

		if (r < 0)
			return r;
		more = part.at + part.len < value.at + value.len;
	}
	if (!ret->column[RRULE_PART_FREQ]) {
		error_set(t->err, ERR_INVALID, "rrule: no FREQ in the rule at column %d",
			  rrule_column(t, value.at));
		return error_hint(t->err, "a rule looks like 'FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9'");
	}
	return check_parts(t, ret);
}
