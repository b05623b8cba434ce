/*
 * describe-rrule.c: the common shapes of recurrence rules in words.
 * Works from the text of a rule that rrule_parse() has accepted, so it only has to recognise, not
 * to check: a part it does not know makes it give up, and the text speaks for itself. What the rule
 * leaves out (time of day, weekday, date) comes from DTSTART, as in the expansion; where that is
 * the moment of creation, a named hour means the full hour and a named minute the full minute.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "schedule/describe.h"

#define LIST_MAX 4 /* in one list; more than that nobody reads */

struct numbers {
	int count;
	int values[LIST_MAX];
};

struct parts {
	const char *freq;
	long interval;
	struct numbers month, month_day, hour, minute, second;
	uint32_t weekdays;	   /* bit 0 is Monday */
	int place, placed_weekday; /* "-1FR": -1 and 4; place 0: none */
	long count;
	const char *until;
	struct civil start;
};

static bool has_number(const struct numbers *list, int value)
{
	for (int i = 0; i < list->count; i++) {
		if (list->values[i] == value)
			return true;
	}
	return false;
}

/* Repeated values once; false when there are more than anybody would read. */
static bool read_numbers(const char *text, struct numbers *ret)
{
	for (ret->count = 0;; text++) {
		char *end;
		int value = (int)strtol(text, &end, 10);

		if (end == text || (*end && *end != ','))
			return false;
		if (!has_number(ret, value)) {
			if (ret->count == LIST_MAX)
				return false;
			ret->values[ret->count++] = value;
		}
		text = end;
		if (!*end)
			return true;
	}
}

static int weekday_of_code(const char *code)
{
	static const char codes[] = "MOTUWETHFRSASU";

	for (int i = 0; i < 7; i++) {
		if (strncasecmp(code, codes + 2 * (size_t)i, 2) == 0)
			return i;
	}
	return -1;
}

/* Plain weekdays ("MO,FR"), or a single one with its place ("-1FR"). */
static bool read_weekdays(const char *text, struct parts *p)
{
	for (; *text; text += *text == ',') {
		char *code;
		long place = strtol(text, &code, 10);
		int weekday = weekday_of_code(code);

		if (weekday < 0 || place < -1 || place > 5)
			return false;
		if (place && (p->place || p->weekdays || code[2]))
			return false;
		p->place = (int)place;
		p->placed_weekday = weekday;
		if (!place)
			p->weekdays |= 1u << weekday;
		text = code + 2;
	}
	return true;
}

static bool read_part(const char *name, char *value, struct parts *p)
{
	struct {
		const char *name;
		struct numbers *list;
	} lists[] = {{"BYMONTH", &p->month},
		     {"BYMONTHDAY", &p->month_day},
		     {"BYHOUR", &p->hour},
		     {"BYMINUTE", &p->minute},
		     {"BYSECOND", &p->second}};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (strcasecmp(name, lists[i].name) == 0)
			return read_numbers(value, lists[i].list);
	}
	if (strcasecmp(name, "FREQ") == 0)
		p->freq = value;
	else if (strcasecmp(name, "INTERVAL") == 0)
		p->interval = strtol(value, NULL, 10);
	else if (strcasecmp(name, "COUNT") == 0)
		p->count = strtol(value, NULL, 10);
	else if (strcasecmp(name, "UNTIL") == 0)
		p->until = value;
	else if (strcasecmp(name, "BYDAY") == 0)
		return read_weekdays(value, p);
	else
		return strcasecmp(name, "WKST") == 0;
	return true;
}

/* Cut the rule's parts out of `rule`, which they go on pointing into. */
static bool read_rule(char *rule, struct parts *p)
{
	char *save = NULL;

	for (char *part = strtok_r(rule, ";", &save); part; part = strtok_r(NULL, ";", &save)) {
		char *value = strchr(part, '=');

		if (!value)
			return false;
		*value++ = '\0';
		if (!read_part(part, value, p))
			return false;
	}
	return p->freq && p->interval > 0;
}

/* The rule among the lines of the text; NULL when there are extra or excluded dates. */
static char *find_rule(char *text, bool *ret_has_start)
{
	char *save = NULL, *rule = NULL;

	*ret_has_start = false;
	for (char *word = strtok_r(text, " \t\r\n", &save); word;
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		if (strncasecmp(word, "EXDATE", 6) == 0 || strncasecmp(word, "RDATE", 5) == 0)
			return NULL;
		if (strncasecmp(word, "DTSTART", 7) == 0)
			*ret_has_start = true;
		else
			rule = strncasecmp(word, "RRULE:", 6) == 0 ? word + 6 : word;
	}
	return rule;
}

static void default_to(struct numbers *list, int value)
{
	if (!list->count)
		*list = (struct numbers){1, {value}};
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* "at 9:00 AM and 5:00 PM"; false when there are too many. */
static bool add_times(struct parts *p, struct buf *out)
{
	int times[LIST_MAX * LIST_MAX], count = 0;

	default_to(&p->hour, p->start.hour);
	default_to(&p->minute, p->start.minute);
	default_to(&p->second, p->start.second);
	if (p->second.count != 1 || p->second.values[0] > 59)
		return false;
	for (int h = 0; h < p->hour.count; h++) {
		for (int m = 0; m < p->minute.count; m++)
			times[count++] = p->hour.values[h] * 3600 + p->minute.values[m] * 60 +
					 p->second.values[0];
	}
	qsort(times, (size_t)count, sizeof(times[0]), compare_ints);
	if (count > LIST_MAX)
		return false;
	buf_add_str(out, "at ");
	for (int i = 0; i < count; i++) {
		words_add_comma(out, i, count);
		words_add_clock(out, times[i]);
	}
	return true;
}

static bool has_no_dates(const struct parts *p)
{
	return !p->month.count && !p->month_day.count && !p->place;
}

/* "at 9:00 AM on weekdays"; with an interval "every 2 weeks on Monday at 9:00 AM". */
static bool describe_days(struct parts *p, const char *unit, struct buf *out)
{
	AUTO_BUF struct buf times = {0};
	uint32_t weekdays = p->weekdays ? p->weekdays : CRON_ALL_WEEKDAYS;
	bool all = weekdays == CRON_ALL_WEEKDAYS;

	if (!has_no_dates(p) || !add_times(p, &times))
		return false;
	if (p->interval > 1) {
		words_add_every(out, p->interval, unit);
		buf_add_str(out, all ? "" : " on ");
	} else {
		buf_printf(out, "%s%s", buf_text(&times), all ? " every day" : " on ");
	}
	if (!all)
		words_add_weekdays(out, weekdays);
	if (p->interval > 1)
		buf_printf(out, " %s", buf_text(&times));
	return true;
}

static bool describe_daily(struct parts *p, struct buf *out)
{
	return (p->interval == 1 || !p->weekdays) && describe_days(p, "day", out);
}

static bool describe_weekly(struct parts *p, struct buf *out)
{
	int64_t day = days_from_civil(p->start.year, p->start.month, p->start.day);

	if (!p->weekdays)
		p->weekdays = 1u << weekday_of_days(day);
	/* Every day of every second week has no short words. */
	if (p->interval > 1 && p->weekdays == CRON_ALL_WEEKDAYS)
		return false;
	return describe_days(p, "week", out);
}

/* "the last Friday", "the 1st and 15th", "the last day". */
static bool add_dates(struct parts *p, struct buf *out)
{
	if (p->weekdays || (p->place && p->month_day.count))
		return false;
	buf_add_str(out, "the ");
	if (p->place) {
		buf_printf(out, "%s %s", words_place(p->place), words_weekday(p->placed_weekday));
		return true;
	}
	default_to(&p->month_day, p->start.day);
	qsort(p->month_day.values, (size_t)p->month_day.count, sizeof(int), compare_ints);
	if (p->month_day.count == 1 && p->month_day.values[0] == -1) {
		buf_add_str(out, "last day");
		return true;
	}
	for (int i = 0; i < p->month_day.count; i++) {
		if (p->month_day.values[i] < 1)
			return false;
		words_add_comma(out, i, p->month_day.count);
		words_add_ordinal(out, p->month_day.values[i]);
	}
	return true;
}

static bool describe_monthly(struct parts *p, struct buf *out)
{
	if (p->month.count)
		return false;
	words_add_every(out, p->interval, "month");
	buf_add_str(out, " on ");
	if (!add_dates(p, out))
		return false;
	buf_add_char(out, ' ');
	return add_times(p, out);
}

static bool describe_yearly(struct parts *p, struct buf *out)
{
	/* Without a month, days of the month or of the week are those of every month. */
	if (!p->month.count && (p->month_day.count || p->place || p->weekdays))
		return false;
	default_to(&p->month, p->start.month);
	if (p->month.count != 1)
		return false;
	words_add_every(out, p->interval, "year");
	buf_add_str(out, " on ");
	if (!add_dates(p, out))
		return false;
	buf_printf(out, " of %s ", words_month(p->month.values[0]));
	return add_times(p, out);
}

static bool describe_subdaily(struct parts *p, const char *unit, struct buf *out)
{
	bool hourly = strcmp(unit, "hour") == 0;

	if (!has_no_dates(p) || p->hour.count || p->second.count || p->minute.count > hourly)
		return false;
	words_add_every(out, p->interval, unit);
	if (hourly) {
		default_to(&p->minute, p->start.minute);
		buf_printf(out, " at :%02d", p->minute.values[0]);
	}
	if (p->weekdays) {
		buf_add_str(out, " on ");
		words_add_weekdays(out, p->weekdays);
	}
	return true;
}

static bool describe_freq(struct parts *p, struct buf *out)
{
	if (strcasecmp(p->freq, "YEARLY") == 0)
		return describe_yearly(p, out);
	if (strcasecmp(p->freq, "MONTHLY") == 0)
		return describe_monthly(p, out);
	if (strcasecmp(p->freq, "WEEKLY") == 0)
		return describe_weekly(p, out);
	if (strcasecmp(p->freq, "DAILY") == 0)
		return describe_daily(p, out);
	if (strcasecmp(p->freq, "HOURLY") == 0)
		return describe_subdaily(p, "hour", out);
	return describe_subdaily(p, strcasecmp(p->freq, "MINUTELY") == 0 ? "minute" : "second",
				 out);
}

static void add_end(const struct parts *p, struct buf *out)
{
	if (p->count)
		buf_printf(out, ", %ld time%s", p->count, p->count == 1 ? "" : "s");
	if (!p->until)
		return;
	buf_printf(out, ", until %.4s-%.2s-%.2s", p->until, p->until + 4, p->until + 6);
	if (strlen(p->until) >= 15)
		buf_printf(out, " %.2s:%.2s:%.2s%s", p->until + 9, p->until + 11, p->until + 13,
			   p->until[15] ? " UTC" : "");
}

bool describe_rrule(const struct rrule *rule, const char *text, struct buf *out)
{
	AUTO(free) char *copy = mem_strdup(text);
	AUTO_BUF struct buf words = {0};
	struct parts parts = {.interval = 1, .start = civil_from_local(rrule_dtstart(rule))};
	bool has_start;
	char *found = find_rule(copy, &has_start);

	if (!found || !read_rule(found, &parts))
		return false;
	if (!has_start && parts.hour.count)
		parts.start.minute = 0;
	if (!has_start && (parts.hour.count || parts.minute.count))
		parts.start.second = 0;
	if (!describe_freq(&parts, &words))
		return false;
	add_end(&parts, &words);
	buf_add_str(out, buf_text(&words));
	return true;
}
