/* test-instant.c: instants, read and written (H21, H22). */
#include "rows.h"

#include <string.h>

#include "schedule/instant.h"

/* clang-format off */
static const struct parse_case {
	const char *name, *text, *zone, *want; /* want: as written in UTC */
} parse_cases[] = {
	{"H21 RFC 3339 offset",   "2026-03-08T03:30:00-04:00", "UTC", "2026-03-08T07:30:00+00:00"},
	{"H21 RFC 3339 Z",        "2026-03-08T03:30:00+00:00", "Asia/Tokyo", "2026-03-08T03:30:00+00:00"},
	{"H21 local date-time",   "2026-02-20 15:00", "America/New_York", "2026-02-20T20:00:00+00:00"},
	{"local with seconds",    "2026-02-20T15:00:07", "America/New_York", "2026-02-20T20:00:07+00:00"},
	{"date alone",            "2026-02-20", "Europe/Berlin", "2026-02-19T23:00:00+00:00"},
	{"small letters",         "2026-02-20t15:00:00z", "UTC", "2026-02-20T15:00:00+00:00"},
	{"fraction",              "2026-02-20T15:00:00.25+00:00", "UTC", "2026-02-20T15:00:00.250000+00:00"},
	{"nanoseconds",           "2026-02-20T15:00:00.123456789+00:00", "UTC", "2026-02-20T15:00:00.123456+00:00"},
	{"fraction before 1970",  "1969-12-31T23:59:59.5+00:00", "UTC", "1969-12-31T23:59:59.500000+00:00"},
	{"offset east",           "2026-02-20T15:00+05:30", "UTC", "2026-02-20T09:30:00+00:00"},
	{"offset across the year", "2026-01-01T00:00:00+14:00", "UTC", "2025-12-31T10:00:00+00:00"},
	{"unknown offset",        "2026-02-20T15:00:00-00:00", "UTC", "2026-02-20T15:00:00+00:00"},
	{"leap day",              "2028-02-29", "UTC", "2028-02-29T00:00:00+00:00"},
	{"gap shifts",            "2026-03-08 02:30", "America/New_York", "2026-03-08T07:30:00+00:00"},
	{"overlap first",         "2026-11-01 01:30", "America/New_York", "2026-11-01T05:30:00+00:00"},
	{"midnight in a gap",     "2026-09-06", "America/Santiago", "2026-09-06T04:00:00+00:00"},
	{"day skipped",           "2011-12-30 12:00", "Pacific/Apia", "2011-12-30T22:00:00+00:00"},
	{"spaces around",         "  2026-02-20 15:00 ", "UTC", "2026-02-20T15:00:00+00:00"},
	{"first",                 "1900-01-01T00:00:00+00:00", "UTC", "1900-01-01T00:00:00+00:00"},
	{"last",                  "9998-12-31T23:59:59+00:00", "UTC", "9998-12-31T23:59:59+00:00"},
};

static const struct refuse_case {
	const char *name, *text, *message, *hint;
} refuse_cases[] = {
	{"empty",           "",                     "no year of four digits at column 1", "look like"},
	{"month 13",        "2026-13-01",           "bad month '13' at column 6", "1 to 12"},
	{"day 0",           "2026-01-00",           "bad day '00' at column 9", "1 to 31"},
	{"february 30",     "2026-02-30",           "no such date '2026-02-30' at column 1", "28 days"},
	{"no leap day",     "2100-02-29 12:00",     "no such date '2100-02-29'", "28 days"},
	{"hour 24",         "2026-02-20T24:00:00Z", "bad hour '24' at column 12", "0 to 23"},
	{"leap second",     "2016-12-31T23:59:60Z", "bad second '60' at column 18", "0 to 59"},
	{"one digit",       "2026-2-20",            "no month but '2-20' at column 6", "look like"},
	{"no colon",        "2026-02-20T1500",      "no ':' but '00' at column 14", "look like"},
	{"short offset",    "2026-02-20T15:00:00+02", "no ':' in the offset at column 23", "look like"},
	{"offset hour",     "2026-02-20T15:00:00+24:00", "bad hour of the offset '24' at column 21", "0 to 23"},
	{"empty fraction",  "2026-02-20T15:00:00.Z", "no fraction of a second but 'Z' at column 21", "look like"},
	{"long fraction",   "2026-02-20T15:00:00.1234567890Z", "no end of the fraction", "look like"},
	{"more behind",     "2026-02-20 15:00 pm",  "no end of the date but 'pm' at column 18", "look like"},
	{"zone name",       "2026-02-20T15:00[UTC]", "'[UTC]' at column 17", "look like"},
	{"offset, no time", "2026-02-20Z",          "no end of the date but 'Z' at column 11", "look like"},
	{"before 1900",     "1899-12-31T23:59:59+00:00", "year '1899' is too far away", "1900 to 9998"},
	{"year 9999",       "9999-01-01T00:00:01+00:00", "year '9999' is too far away", "1900 to 9998"},
	{"words",           "tomorrow",             "no year of four digits but 'tomorrow'", "look like"},
};

static const struct format_case {
	const char *name, *instant, *zone, *now, *exact, *full, *near;
} format_cases[] = {
	{"H22 today",       "2026-02-04T20:30:00+00:00", "America/Los_Angeles", "2026-02-04T17:00:00+00:00",
		"2026-02-04T12:30:00-08:00", "Feb 4, 2026 12:30 PM PST", "12:30 PM"},
	{"H22 tomorrow",    "2026-02-05T17:00:00+00:00", "America/Los_Angeles", "2026-02-04T17:00:00+00:00",
		"2026-02-05T09:00:00-08:00", "Feb 5, 2026 9:00 AM PST", "tomorrow 9:00 AM"},
	{"yesterday",       "2026-02-03T17:00:00+00:00", "America/Los_Angeles", "2026-02-04T17:00:00+00:00",
		"2026-02-03T09:00:00-08:00", "Feb 3, 2026 9:00 AM PST", "yesterday 9:00 AM"},
	{"H22 this year",   "2026-02-20T23:00:00+00:00", "America/Los_Angeles", "2026-02-04T17:00:00+00:00",
		"2026-02-20T15:00:00-08:00", "Feb 20, 2026 3:00 PM PST", "Feb 20 3:00 PM"},
	{"H22 next year",   "2027-02-20T23:00:00+00:00", "America/Los_Angeles", "2026-02-04T17:00:00+00:00",
		"2027-02-20T15:00:00-08:00", "Feb 20, 2027 3:00 PM PST", "Feb 20, 2027 3:00 PM"},
	{"tomorrow over new year", "2027-01-01T09:00:00+00:00", "UTC", "2026-12-31T10:00:00+00:00",
		"2027-01-01T09:00:00+00:00", "Jan 1, 2027 9:00 AM UTC", "tomorrow 9:00 AM"},
	{"seconds soon",    "2026-02-04T12:30:05+00:00", "UTC", "2026-02-04T12:00:00+00:00",
		"2026-02-04T12:30:05+00:00", "Feb 4, 2026 12:30:05 PM UTC", "12:30:05 PM"},
	{"K26 seconds later",   "2026-02-04T13:30:05+00:00", "UTC", "2026-02-04T12:00:00+00:00",
		"2026-02-04T13:30:05+00:00", "Feb 4, 2026 1:30:05 PM UTC", "1:30:05 PM"},
	{"seconds before",  "2026-02-04T00:00:05+00:00", "UTC", "2026-02-04T00:30:00+00:00",
		"2026-02-04T00:00:05+00:00", "Feb 4, 2026 12:00:05 AM UTC", "12:00:05 AM"},
	{"microseconds",    "2026-02-04T00:00:00.000001+00:00", "UTC", "2026-02-04T12:00:00+00:00",
		"2026-02-04T00:00:00.000001+00:00", "Feb 4, 2026 12:00 AM UTC", "12:00 AM"},
	{"summer",          "2026-07-04T12:00:00+00:00", "America/New_York", "2026-07-04T12:00:00+00:00",
		"2026-07-04T08:00:00-04:00", "Jul 4, 2026 8:00 AM EDT", "8:00 AM"},
	{"half hour",       "2026-07-04T12:00:00+00:00", "Asia/Kolkata", "2026-07-04T12:00:00+00:00",
		"2026-07-04T17:30:00+05:30", "Jul 4, 2026 5:30 PM IST", "5:30 PM"},
	{"west by half an hour", "2026-07-04T12:00:00+00:00", "America/St_Johns", "2026-07-04T12:00:00+00:00",
		"2026-07-04T09:30:00-02:30", "Jul 4, 2026 9:30 AM NDT", "9:30 AM"},
	{"numeric zone",    "2026-07-04T12:00:00+00:00", "America/Sao_Paulo", "2026-07-04T12:00:00+00:00",
		"2026-07-04T09:00:00-03:00", "Jul 4, 2026 9:00 AM -03", "9:00 AM"},
	{"London winter",   "2026-01-04T12:00:00+00:00", "Europe/London", "2026-01-04T12:00:00+00:00",
		"2026-01-04T12:00:00+00:00", "Jan 4, 2026 12:00 PM GMT", "12:00 PM"},
	{"odd seconds",     "1920-01-01T00:00:00+00:00", "Africa/Monrovia", "1920-01-01T00:00:00+00:00",
		"1920-01-01T00:00:00+00:00", "Dec 31, 1919 11:15:30 PM MMT", "11:15:30 PM"},
};
/* clang-format on */

static const struct zone *zone(const char *name)
{
	const struct zone *found = NULL;
	struct error err = {0};

	if (zone_get(name, &found, &err) < 0)
		fail_msg("%s", err.message);
	return found;
}

static usec_t instant(const char *text)
{
	usec_t got = 0;
	struct error err = {0};

	if (instant_parse(text, zone_utc(), &got, &err) < 0)
		fail_msg("%s", err.message);
	return got;
}

static void test_parse(void **state)
{
	const struct parse_case *c = *state;
	char text[INSTANT_TEXT_MAX];
	struct error err = {0};
	usec_t got;

	if (instant_parse(c->text, zone(c->zone), &got, &err) < 0)
		fail_msg("'%s': %s", c->text, err.message);
	instant_format(got, zone_utc(), text);
	assert_string_equal(text, c->want);
}

static void test_refuse(void **state)
{
	const struct refuse_case *c = *state;
	struct error err = {0};
	usec_t got = -1;

	assert_int_equal(instant_parse(c->text, zone_utc(), &got, &err), ERR_INVALID);
	assert_int_equal(got, -1);
	if (!strstr(err.message, c->message) || !strstr(err.hint, c->hint))
		fail_msg("'%s': %s (%s)", c->text, err.message, err.hint);
}

static void test_format(void **state)
{
	const struct format_case *c = *state;
	usec_t at = instant(c->instant);
	char text[INSTANT_TEXT_MAX];

	instant_format(at, zone(c->zone), text);
	assert_string_equal(text, c->exact);
	assert_int_equal(instant(text), at);
	instant_format_long(at, zone(c->zone), text);
	assert_string_equal(text, c->full);
	instant_format_near(at, instant(c->now), zone(c->zone), text);
	assert_string_equal(text, c->near);
}

static void test_limits(void **state)
{
	char text[INSTANT_TEXT_MAX];

	(void)state;
	assert_int_equal(instant("1900-01-01T00:00:00+00:00"), INSTANT_MIN);
	assert_int_equal(instant("9999-01-01T00:00:00+00:00"), INSTANT_MAX);
	instant_format(USEC_NONE, zone_utc(), text);
	assert_string_equal(text, "none");
}

int main(void)
{
	add_table(test_parse, parse_cases);
	add_table(test_refuse, refuse_cases);
	add_table(test_format, format_cases);
	add_row("limits and none", test_limits, NULL);
	return run_rows("instant");
}
