/*
 * describe.c: a schedule in words, for people.
 * Plain words where they say exactly what will happen, and the text as it was given where they
 * would not: a description must never be nearly right. The words of cron lines and rules are in
 * files of their own; here are the words they share and the kinds that need few.
 */
#include "schedule/describe.h"

#include <string.h>

#include "base/mem.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/schedule-parts.h"

#define WORKING_DAYS 0x1fu
#define WEEKEND_DAYS 0x60u

const char *words_weekday(int weekday)
{
	static const char *const names[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
					    "Friday", "Saturday", "Sunday"};

	return names[weekday];
}

const char *words_month(int month)
{
	static const char *const names[] = {"January",	 "February", "March",	 "April",
					    "May",	 "June",     "July",	 "August",
					    "September", "October",  "November", "December"};

	return names[month - 1];
}

const char *words_place(int place)
{
	static const char *const names[] = {"last",  "",       "first", "second",
					    "third", "fourth", "fifth"};

	return names[place + 1];
}

void words_add_ordinal(struct buf *out, int number)
{
	int last = number % 100 / 10 == 1 ? 0 : number % 10;

	buf_printf(out, "%d%s", number,
		   last == 1   ? "st"
		   : last == 2 ? "nd"
		   : last == 3 ? "rd"
			       : "th");
}

void words_add_comma(struct buf *out, int i, int count)
{
	if (i > 0)
		buf_add_str(out, i == count - 1 ? " and " : ", ");
}

void words_add_clock(struct buf *out, int second_of_day)
{
	int hour = second_of_day / 3600, minute = second_of_day / 60 % 60;

	buf_printf(out, "%d:%02d", hour % 12 ? hour % 12 : 12, minute);
	if (second_of_day % 60)
		buf_printf(out, ":%02d", second_of_day % 60);
	buf_add_str(out, hour < 12 ? " AM" : " PM");
}

void words_add_weekdays(struct buf *out, uint32_t mask)
{
	int count = __builtin_popcount(mask), i = 0;

	if (mask == WORKING_DAYS || mask == WEEKEND_DAYS) {
		buf_add_str(out, mask == WORKING_DAYS ? "weekdays" : "weekends");
		return;
	}
	for (; mask; mask &= mask - 1) {
		words_add_comma(out, i++, count);
		buf_add_str(out, words_weekday(__builtin_ctz(mask)));
	}
}

void words_add_every(struct buf *out, int64_t count, const char *unit)
{
	if (count == 1)
		buf_printf(out, "every %s", unit);
	else
		buf_printf(out, "every %lld %ss", (long long)count, unit);
}

/*
 * "every 90 minutes" stays in one unit; "every 1h30m" would hide which it is. A day here is 24 hours, whatever the
 * clocks do meanwhile, and must not be told as one of the calendar.
 */
static void describe_interval(usec_t interval, struct buf *out)
{
	static const struct {
		usec_t length;
		const char *name;
	} units[] = {{USEC_PER_HOUR, "hour"},
		     {USEC_PER_DAY, "day"},
		     {USEC_PER_MINUTE, "minute"},
		     {USEC_PER_SEC, "second"}};
	char text[DURATION_TEXT_MAX];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		/* Past a hundred of a unit the canonical text is easier: "every 1d1h". */
		if (interval % units[i].length == 0 && interval / units[i].length < 100) {
			words_add_every(out, interval / units[i].length, units[i].name);
			if (units[i].length == USEC_PER_DAY)
				buf_add_str(out, " of 24 hours");
			return;
		}
	}
	duration_format(interval, text);
	buf_printf(out, "every %s", text);
}

static void describe_instant(const struct schedule *s, struct buf *out)
{
	char text[INSTANT_TEXT_MAX];

	instant_format_long(s->at, s->zone, text);
	buf_printf(out, "once at %s", text);
}

/* The text as it was given, on one line. */
static void add_text(struct buf *out, const char *what, const char *text)
{
	buf_printf(out, "by the %s '", what);
	for (; *text; text++)
		buf_add_char(out, *text == '\n' || *text == '\r' || *text == '\t' ? ' ' : *text);
	buf_add_char(out, '\'');
}

char *schedule_describe(const struct schedule *s)
{
	AUTO_BUF struct buf out = {0};
	char span[DURATION_TEXT_MAX];

	switch (s->kind) {
	case SCHEDULE_AT:
		describe_instant(s, &out);
		break;
	case SCHEDULE_EVERY:
		describe_interval(s->interval, &out);
		break;
	case SCHEDULE_CRON:
		if (!describe_cron(s->cron, &out))
			add_text(&out, "cron line", s->text);
		break;
	case SCHEDULE_RRULE:
		if (!describe_rrule(s->rrule, s->text, &out))
			add_text(&out, "rule", s->text);
		break;
	case SCHEDULE_IDLE:
		duration_format(s->interval, span);
		buf_printf(&out, "when idle for %s", span);
		break;
	}
	return buf_steal(&out);
}

char *schedule_label(const struct schedule *s)
{
	char text[DURATION_TEXT_MAX];

	switch (s->kind) {
	case SCHEDULE_EVERY:
		duration_format(s->interval, text);
		return mem_printf("every %s", text);
	case SCHEDULE_CRON:
		return mem_printf("cron %s", s->text);
	case SCHEDULE_RRULE:
		return mem_printf("RRULE(%s)", rrule_freq_word(s->rrule));
	case SCHEDULE_IDLE:
		duration_format(s->interval, text);
		return mem_printf("idle %s", text);
	default:
		return mem_strdup("once");
	}
}

static char *warn_about_time(const struct schedule *s)
{
	AUTO_BUF struct buf out = {0};

	buf_add_str(&out, "the rule names no time of day, so ");
	words_add_clock(&out, (int)floor_mod(rrule_dtstart(s->rrule), DAY_SECONDS));
	buf_add_str(&out, " was taken from now; BYHOUR and BYMINUTE would fix it");
	return buf_steal(&out);
}

char *schedule_warning(const struct schedule *s)
{
	usec_t first;

	if (s->kind == SCHEDULE_IDLE)
		return mem_strdup("");
	if (!schedule_next(s, USEC_NONE, &first))
		return mem_strdup("this schedule never fires: no date fits it");
	if (s->rrule && !rrule_is_subdaily(s->rrule) && !rrule_fixes_time(s->rrule))
		return warn_about_time(s);
	if (s->cron && !s->cron->days_star && !s->cron->weekdays_star)
		return mem_strdup("fires when either the day of month or the day of week fits, "
				  "not only when both do");
	return mem_strdup("");
}
