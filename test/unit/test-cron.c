/* test-cron.c: cron lines in local time; the zone's share is in test-schedule.c. */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/cron.h"

/* clang-format off */
static const struct next_case {
	const char *name, *line, *after, *want; /* want: up to three that follow; NULL: never */
} next_cases[] = {
	{"every minute", "* * * * *", "2026-01-01T00:00:00", "2026-01-01T00:01 2026-01-01T00:02"},
	{"strictly after, with seconds", "* * * * *", "2026-01-01T00:00:59", "2026-01-01T00:01"},
	{"before the epoch", "*/15 * * * *", "1969-12-31T23:46:00", "1970-01-01T00:00 1970-01-01T00:15"},
	{"before the epoch, seconds", "0 0 * * *", "1960-02-28T23:59:59", "1960-02-29T00:00 1960-03-01T00:00"},
	{"step", "*/5 * * * *", "2025-01-01T00:00:01", "2025-01-01T00:05 2025-01-01T00:10"},
	{"step of a range", "10-40/15 3 * * *", "2025-01-01T00:00:00", "2025-01-01T03:10 2025-01-01T03:25 2025-01-01T03:40"},
	{"step from a value", "50/5 3 * * *", "2025-01-01T00:00:00", "2025-01-01T03:50 2025-01-01T03:55 2025-01-02T03:50"},
	{"list", "0 9,17 * * *", "2025-01-01T09:00:00", "2025-01-01T17:00 2025-01-02T09:00"},
	{"unsorted list with repeats", "30,0,30 9,9 * * *", "2025-01-01T00:00:00", "2025-01-01T09:00 2025-01-01T09:30 2025-01-02T09:00"},
	{"weekdays", "0 9 * * 1-5", "2026-01-02T09:00:00", "2026-01-05T09:00 2026-01-06T09:00"},
	{"weekday names", "0 9 * * Mon,WED-fri", "2026-01-02T10:00:00", "2026-01-05T09:00 2026-01-07T09:00 2026-01-08T09:00"},
	{"Sunday is 0", "0 0 * * 0", "2026-01-01T00:00:00", "2026-01-04T00:00"},
	{"Sunday is 7", "0 0 * * 7", "2026-01-01T00:00:00", "2026-01-04T00:00"},
	{"range through 7", "0 0 * * 5-7", "2026-01-01T00:00:00", "2026-01-02T00:00 2026-01-03T00:00 2026-01-04T00:00"},
	{"range through Sunday", "0 0 * * fri-sun", "2026-01-03T00:00:00", "2026-01-04T00:00 2026-01-09T00:00"},
	{"range from Sunday", "0 0 * * sun-mon", "2026-01-01T00:00:00", "2026-01-04T00:00 2026-01-05T00:00 2026-01-11T00:00"},
	{"months", "0 0 1 jan,JUL *", "2026-01-01T00:00:00", "2026-07-01T00:00 2027-01-01T00:00"},
	{"month range and step", "0 0 1 2-8/3 *", "2026-01-01T00:00:00", "2026-02-01T00:00 2026-05-01T00:00 2026-08-01T00:00"},
	{"month ends", "0 0 31 * *", "2026-01-31T00:00:00", "2026-03-31T00:00 2026-05-31T00:00 2026-07-31T00:00"},
	{"day or weekday, both restricted", "0 0 13 * 5", "2026-02-01T00:00:00", "2026-02-06T00:00 2026-02-13T00:00 2026-02-20T00:00"},
	{"day and weekday, star step in day", "0 0 */2 * 5", "2026-01-01T00:00:00", "2026-01-09T00:00 2026-01-23T00:00 2026-02-13T00:00"},
	{"day and weekday, star step in weekday", "0 0 13 * */6", "2026-01-01T00:00:00", "2026-06-13T00:00 2026-09-13T00:00 2026-12-13T00:00"},
	{"question mark", "0 0 ? * 1", "2026-01-01T00:00:00", "2026-01-05T00:00 2026-01-12T00:00"},
	{"question mark in weekday", "0 0 15 * ?", "2026-01-01T00:00:00", "2026-01-15T00:00 2026-02-15T00:00"},
	{"last day", "0 0 L * *", "2028-01-31T00:00:00", "2028-02-29T00:00 2028-03-31T00:00 2028-04-30T00:00"},
	{"last day, century", "0 0 L 2 *", "2096-12-31T00:00:00", "2097-02-28T00:00"},
	{"third from the end", "0 0 L-3 2 *", "2026-01-01T00:00:00", "2026-02-25T00:00 2027-02-25T00:00 2028-02-26T00:00"},
	{"L-30 is the first of long months", "0 0 L-30 * *", "2026-01-01T00:00:00", "2026-03-01T00:00 2026-05-01T00:00 2026-07-01T00:00"},
	{"L-28 in February of leap years only", "0 0 L-28 2 *", "2026-01-01T00:00:00", "2028-02-01T00:00 2032-02-01T00:00"},
	{"first and last", "0 0 1,L * *", "2026-01-15T00:00:00", "2026-01-31T00:00 2026-02-01T00:00 2026-02-28T00:00"},
	{"nearest weekday, Saturday to Friday", "0 0 15W 8 *", "2026-01-01T00:00:00", "2026-08-14T00:00"},
	{"nearest weekday, Sunday to Monday", "0 0 15w 11 *", "2026-01-01T00:00:00", "2026-11-16T00:00"},
	{"nearest weekday, weekday stays", "0 0 15W 7 *", "2026-01-01T00:00:00", "2026-07-15T00:00"},
	{"nearest weekday, 1st on a Saturday", "0 0 1W 8 *", "2026-01-01T00:00:00", "2026-08-03T00:00"},
	{"nearest weekday, 31st on a Sunday", "0 0 31W 5 *", "2026-01-01T00:00:00", "2026-05-29T00:00"},
	{"nearest weekday, no such day", "0 0 31W 4,7 *", "2026-01-01T00:00:00", "2026-07-31T00:00 2027-07-30T00:00"},
	{"last weekday of the month", "0 0 LW * *", "2026-01-01T00:00:00", "2026-01-30T00:00 2026-02-27T00:00 2026-03-31T00:00"},
	{"last Friday by name", "0 17 * * friL", "2026-01-01T00:00:00", "2026-01-30T17:00 2026-02-27T17:00 2026-03-27T17:00"},
	{"last Friday by number", "0 17 * * 5l", "2026-01-30T17:00:00", "2026-02-27T17:00"},
	{"last Sunday as 7", "0 17 * * 7L", "2026-01-01T00:00:00", "2026-01-25T17:00 2026-02-22T17:00"},
	{"second Friday", "0 0 * * fri#2", "2026-01-01T00:00:00", "2026-01-09T00:00 2026-02-13T00:00"},
	{"fifth Friday", "0 0 * * 5#5", "2026-01-01T00:00:00", "2026-01-30T00:00 2026-05-29T00:00 2026-07-31T00:00"},
	{"first Monday or the 20th", "0 0 20 * 1#1", "2026-01-01T00:00:00", "2026-01-05T00:00 2026-01-20T00:00 2026-02-02T00:00"},
	{"leap day", "0 0 29 2 *", "2024-02-29T00:00:00", "2028-02-29T00:00 2032-02-29T00:00"},
	{"leap day across 2100", "0 0 29 2 *", "2096-02-29T00:00:00", "2104-02-29T00:00"},
	{"leap day on a Sunday", "0 0 29 2 */7", "2026-01-01T00:00:00", "2032-02-29T00:00 2060-02-29T00:00"},
	{"forty years to a leap-day Sunday", "0 0 29 2 */7", "2088-02-29T00:00:00", "2128-02-29T00:00"},
	{"fifth Monday of February", "0 0 * 2 mon#5", "2026-01-01T00:00:00", "2044-02-29T00:00 2072-02-29T00:00"},
	{"last minute of the year", "59 23 31 12 *", "2025-12-31T23:59:00", "2026-12-31T23:59 2027-12-31T23:59"},
	{"tabs and spaces", " \t0\t9  * *\t1 ", "2026-01-01T00:00:00", "2026-01-05T09:00"},
	{"@hourly", "@hourly", "2026-01-01T00:00:00", "2026-01-01T01:00 2026-01-01T02:00"},
	{"@daily", "@daily", "2026-01-01T00:00:00", "2026-01-02T00:00"},
	{"@midnight", "@Midnight", "2026-01-01T00:00:00", "2026-01-02T00:00"},
	{"@weekly", " @weekly ", "2026-01-01T00:00:00", "2026-01-04T00:00"},
	{"@monthly", "@monthly", "2026-01-01T00:00:00", "2026-02-01T00:00"},
	{"@yearly", "@yearly", "2026-01-01T00:00:00", "2027-01-01T00:00"},
	{"@annually", "@annually", "2026-01-01T00:00:00", "2027-01-01T00:00"},
	{"never: February 31st", "0 0 31 2 *", "2026-01-01T00:00:00", NULL},
	{"never: February 30th", "0 0 30 2 *", "2026-01-01T00:00:00", NULL},
	{"never: short months", "0 0 31 4,6,9,11 *", "2026-01-01T00:00:00", NULL},
	{"never: a 31st near April's end", "0 0 31W 4 *", "2026-01-01T00:00:00", NULL},
	{"never: February has no 31 days to count back", "0 0 L-30 2 *", "2026-01-01T00:00:00", NULL},
	{"never: after the last year", "0 0 * * *", "9999-12-31T12:00:00", NULL},
	{"the last day there is", "0 0 * * *", "9999-12-30T12:00:00", "9999-12-31T00:00"},
};

static const struct refused_case {
	const char *line, *message, *hint; /* message: without its prefix; hint: a part of it */
} refused_cases[] = {
	{"61 * * * *", "bad minute '61' at column 1", "0 to 59"},
	{"60 * * * *", "bad minute '60' at column 1", "0 to 59"},
	{"99999999999999999999 * * * *", "bad minute '99999999999999999999' at column 1", "0 to 59"},
	{"* 24 * * *", "bad hour '24' at column 3", "0 to 23"},
	{"0 9 0 * *", "bad day of month '0' at column 5", "1 to 31"},
	{"0 9 32 * *", "bad day of month '32' at column 5", "1 to 31"},
	{"0 9 * 13 *", "bad month '13' at column 7", "1 to 12"},
	{"0 9 * 0 *", "bad month '0' at column 7", "1 to 12"},
	{"0 9 * foo *", "bad month 'foo' at column 7", "jan to dec"},
	{"0 9 * * 8", "bad day of week '8' at column 9", "0 to 7"},
	{"0 9 * * mom", "bad day of week 'mom' at column 9", "sun to sat"},
	{"0 9 * * monday", "bad day of week 'monday' at column 9", "sun to sat"},
	{"*/0 * * * *", "bad minute '0' at column 3", "from 1"},
	{"*/ * * * *", "empty minute at column 3", "from 1"},
	{"*/-1 * * * *", "bad minute '-1' at column 3", "from 1"},
	{"*/90 * * * *", "bad minute '90' at column 3", "at most 60"},
	{"0 */25 * * *", "bad hour '25' at column 5", "at most 24"},
	{"1,,2 * * * *", "empty minute at column 3", "0 to 59"},
	{"1, * * * *", "empty minute at column 3", "0 to 59"},
	{",1 * * * *", "empty minute at column 1", "0 to 59"},
	{"1- * * * *", "empty minute at column 3", "0 to 59"},
	{"-5 * * * *", "bad minute '-5' at column 1", "0 to 59"},
	{"+5 * * * *", "bad minute '+5' at column 1", "0 to 59"},
	{"5x * * * *", "bad minute '5x' at column 1", "0 to 59"},
	{"*5 * * * *", "bad minute '*5' at column 1", "0 to 59"},
	{"1-2-3 * * * *", "bad minute '1-2-3' at column 1", "0 to 59"},
	{"1/2/3 * * * *", "bad minute '1/2/3' at column 1", "0 to 59"},
	{"? * * * *", "bad minute '?' at column 1", "0 to 59"},
	{"0 22-2 * * *", "bad hour '22-2' at column 3", "'22-23,0-2'"},
	{"0 9 * * fri-mon", "bad day of week 'fri-mon' at column 9", "'5-6,0-1'"},
	{"50-10 * * * *", "bad minute '50-10' at column 1", "'50-59,0-10'"},
	{"L * * * *", "bad minute 'L' at column 1", "0 to 59"},
	{"0 9 L-31 * *", "bad day of month 'L-31' at column 5", "L-30"},
	{"0 9 L- * *", "bad day of month 'L-' at column 5", "L-30"},
	{"0 9 L3 * *", "bad day of month 'L3' at column 5", "15W"},
	{"0 9 1-5W * *", "bad day of month '1-5W' at column 5", "15W"},
	{"0 9 W * *", "bad day of month 'W' at column 5", "15W"},
	{"0 9 * * L", "bad day of week 'L' at column 9", "friL"},
	{"0 9 * * fri#0", "bad day of week 'fri#0' at column 9", "fri#5"},
	{"0 9 * * fri#6", "bad day of week 'fri#6' at column 9", "fri#5"},
	{"0 9 * * fri#", "bad day of week 'fri#' at column 9", "fri#5"},
	{"0 9 * * friL2", "bad day of week 'friL2' at column 9", "friL"},
	{"0 9 * * *\n", "bad day of week '*\n' at column 9", "sun to sat"},
	{"", "0 fields instead of five", "day of month"},
	{"   ", "0 fields instead of five", "day of month"},
	{"5", "1 field instead of five", "day of month"},
	{"0 9 * *", "4 fields instead of five", "day of month"},
	{"0 0 9 * * *", "6 fields instead of five", "drop the first"},
	{"0 0 9 * * * 2026", "7 fields instead of five", "day of month"},
	{"CRON_TZ=Asia/Tokyo 0 9 * * *", "a zone at column 1", "beside"},
	{"@reboot", "unknown word '@reboot' at column 1", "not a time"},
	{"@every 5m", "unknown word '@every 5m' at column 1", "every 30m"},
	{" @dialy", "unknown word '@dialy' at column 2", "'@daily'"},
	{"@", "unknown word '@' at column 1", "@hourly"},
	{"@daily x", "unknown word '@daily x' at column 1", "@"},
};

static const struct hourly_case {
	const char *line;
	bool hourly;
} hourly_cases[] = {
	{"0 * * * *", true}, {"*/15 * * * *", true}, {"0 */2 * * *", true}, {"@hourly", true},
	{"* 2 * * *", false}, {"0 0-23 * * *", false}, {"0 2,3 * * *", false}, {"@daily", false},
};
/* clang-format on */

static local_t local_of(const char *text)
{
	struct civil c = {0};

	if (sscanf(text, "%d-%d-%dT%d:%d:%d", &c.year, &c.month, &c.day, &c.hour, &c.minute,
		   &c.second) < 5)
		fail_msg("bad test row '%s'", text);
	return local_from_civil(&c);
}

static struct cron *parsed(const char *line)
{
	struct error err = {0};
	struct cron *cron = NULL;

	if (cron_parse(line, &cron, &err) < 0)
		fail_msg("'%s': %s", line, err.message);
	return cron;
}

static void test_next(void **state)
{
	const struct next_case *c = *state;
	struct cron *cron = parsed(c->line);
	local_t at = local_of(c->after), want, got = -1;
	const char *rest = c->want;

	if (!rest)
		assert_false(cron_next_local(cron, at, &got));
	for (; rest; at = got) {
		want = local_of(rest);
		assert_true(cron_next_local(cron, at, &got));
		assert_int_equal(got, want);
		/* The same answer from just before it, and not from it. */
		assert_true(cron_next_local(cron, want - 1, &got));
		assert_int_equal(got, want);
		rest = strchr(rest, ' ');
		rest = rest ? rest + 1 : NULL;
	}
	free(cron);
}

static void test_refused(void **state)
{
	const struct refused_case *c = *state;
	struct error err = {0};
	struct cron *cron = NULL;

	assert_int_equal(cron_parse(c->line, &cron, &err), ERR_INVALID);
	assert_null(cron);
	if (!strstr(err.message, c->message))
		fail_msg("message is \"%s\"", err.message);
	if (!strstr(err.hint, c->hint))
		fail_msg("hint is \"%s\"", err.hint);
}

static void test_hourly(void **state)
{
	const struct hourly_case *c = *state;
	struct cron *cron = parsed(c->line);

	assert_int_equal(cron_is_hourly(cron), c->hourly);
	free(cron);
}

static void test_extremes(void **state)
{
	struct cron *cron = parsed("0 0 29 2 */7");
	local_t got = 0;

	(void)state;
	assert_true(cron_next_local(cron, INT64_MIN, &got));
	assert_true(got >= LOCAL_MIN);
	assert_false(cron_next_local(cron, INT64_MAX, &got));
	assert_false(cron_next_local(cron, LOCAL_MAX, &got));
	free(cron);
}

static void test_too_long(void **state)
{
	struct error err = {0};
	struct cron *cron = NULL;
	char line[4096];

	(void)state;
	memset(line, '1', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(cron_parse(line, &cron, &err), ERR_INVALID);
	assert_non_null(strstr(err.message, "longer than"));
}

int main(void)
{
	add_table(test_next, next_cases);
	for (size_t i = 0; i < COUNT_OF(refused_cases); i++)
		add_row(refused_cases[i].line, test_refused, &refused_cases[i]);
	for (size_t i = 0; i < COUNT_OF(hourly_cases); i++)
		add_row(hourly_cases[i].line, test_hourly, &hourly_cases[i]);
	add_row("the ends of time", test_extremes, NULL);
	add_row("a line that is too long", test_too_long, NULL);
	return run_rows("cron");
}
