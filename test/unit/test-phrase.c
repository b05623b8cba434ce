/* test-phrase.c: points in time as people say them (H21). */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "schedule/instant.h"
#include "schedule/phrase.h"

/* A Wednesday morning in New York, unless a row has its own now. */
#define NOW "2026-02-04T10:15:30.5-05:00"

/* clang-format off */
static const struct phrase_case {
	const char *name, *text, *want; /* want: as written in New York */
	const char *now;                /* NULL: NOW */
} phrase_cases[] = {
	{"H21 RFC 3339",              "2026-02-20T15:00:00+00:00",      "2026-02-20T10:00:00-05:00"},
	{"H21 RFC 3339 with offset",  "2026-02-20T15:00:00+01:00", "2026-02-20T09:00:00-05:00"},
	{"H21 RFC 3339 with a space", "2026-02-20 15:00:00+00:00",      "2026-02-20T10:00:00-05:00"},
	{"H21 local date-time",       "2026-02-20 15:00",          "2026-02-20T15:00:00-05:00"},
	{"H21 local date-time, T",    "2026-02-20T15:00",          "2026-02-20T15:00:00-05:00"},
	{"H21 15:30",                 "15:30",                     "2026-02-04T15:30:00-05:00"},
	{"H21 3pm",                   "3pm",                       "2026-02-04T15:00:00-05:00"},
	{"H21 tomorrow 9am",          "tomorrow 9am",              "2026-02-05T09:00:00-05:00"},
	{"H21 monday 10:00",          "monday 10:00",              "2026-02-09T10:00:00-05:00"},
	{"H21 next friday noon",      "next friday noon",          "2026-02-06T12:00:00-05:00"},
	{"H21 feb 20 3pm",            "feb 20 3pm",                "2026-02-20T15:00:00-05:00"},
	{"H21 in 2h",                 "in 2h",                     "2026-02-04T12:15:30.500000-05:00"},
	{"H21 in 2 hours",            "in 2 hours",                "2026-02-04T12:15:30.500000-05:00"},
	{"H21 in 1h30m",              "in 1h30m",                  "2026-02-04T11:45:30.500000-05:00"},
	{"now",                       "now",                       "2026-02-04T10:15:30.500000-05:00"},
	{"K10 a date alone is 9 AM",  "2026-02-20",                "2026-02-20T09:00:00-05:00"},
	{"date in the past",          "2020-01-01",                "2020-01-01T09:00:00-05:00"},
	{"date and 3pm",              "2026-02-20 3pm",            "2026-02-20T15:00:00-05:00"},
	{"date at noon",              "on 2026-02-20 at noon",     "2026-02-20T12:00:00-05:00"},
	{"time with seconds",         "15:30:05",                  "2026-02-04T15:30:05-05:00"},
	{"3:30 pm",                   "3:30 pm",                   "2026-02-04T15:30:00-05:00"},
	{"3:30pm",                    "3:30pm",                    "2026-02-04T15:30:00-05:00"},
	{"3 pm",                      "3 pm",                      "2026-02-04T15:00:00-05:00"},
	{"12am is midnight",          "12am",                      "2026-02-05T00:00:00-05:00"},
	{"12pm is noon",              "12pm",                      "2026-02-04T12:00:00-05:00"},
	{"noon",                      "noon",                      "2026-02-04T12:00:00-05:00"},
	{"midnight is the coming one", "midnight",                 "2026-02-05T00:00:00-05:00"},
	{"a time that has passed",    "9am",                       "2026-02-05T09:00:00-05:00"},
	{"a time that is now",        "10:15", "2026-02-05T10:15:00-05:00", "2026-02-04T10:15:00-05:00"},
	{"one digit hour",            "9:05",                      "2026-02-05T09:05:00-05:00"},
	{"today 5pm",                 "today 5pm",                 "2026-02-04T17:00:00-05:00"},
	{"today, passed",             "today 9am",                 "2026-02-04T09:00:00-05:00"},
	{"today 00:00",               "today 00:00",               "2026-02-04T00:00:00-05:00"},
	{"today before nine",         "today", "2026-02-04T09:00:00-05:00", "2026-02-04T08:00:00-05:00"},
	{"tomorrow is nine",          "tomorrow",                  "2026-02-05T09:00:00-05:00"},
	{"time before day",           "9am tomorrow",              "2026-02-05T09:00:00-05:00"},
	{"noise and commas",          "On Monday, at 10:00",       "2026-02-09T10:00:00-05:00"},
	{"any case",                  "NEXT FRIDAY NOON",          "2026-02-06T12:00:00-05:00"},
	{"spaces around",             "  tomorrow   9am ",         "2026-02-05T09:00:00-05:00"},
	{"mon",                       "mon",                       "2026-02-09T09:00:00-05:00"},
	{"weekday today, to come",    "wed 11:00",                 "2026-02-04T11:00:00-05:00"},
	{"weekday today, passed",     "wednesday 10:00",           "2026-02-11T10:00:00-05:00"},
	{"weekday alone, nine passed", "wed",                      "2026-02-11T09:00:00-05:00"},
	{"next weekday is not today", "next wed 11:00",            "2026-02-11T11:00:00-05:00"},
	{"next weekday is nine",      "next thu",                  "2026-02-05T09:00:00-05:00"},
	{"sunday",                    "sunday 8pm",                "2026-02-08T20:00:00-05:00"},
	{"day month year time",       "20 feb 2027 15:00",         "2027-02-20T15:00:00-05:00"},
	{"month day year time",       "feb 20, 2027, 3pm",         "2027-02-20T15:00:00-05:00"},
	{"february 20th",             "february 20th",             "2026-02-20T09:00:00-05:00"},
	{"1st 2nd 3rd",               "3rd march 8am",             "2026-03-03T08:00:00-05:00"},
	{"11th",                      "march 11th 8am",            "2026-03-11T08:00:00-04:00"},
	{"date that has passed",      "jan 20 3pm",                "2027-01-20T15:00:00-05:00"},
	{"date today, to come",       "feb 4 11am",                "2026-02-04T11:00:00-05:00"},
	{"time before date",          "3pm feb 20",                "2026-02-20T15:00:00-05:00"},
	{"leap day",                  "feb 29",                    "2028-02-29T09:00:00-05:00"},
	{"leap day over 2100",        "feb 29 noon", "2104-02-29T12:00:00-05:00", "2096-03-01T12:00:00+00:00"},
	{"year in the past",          "feb 20 2020 noon",          "2020-02-20T12:00:00-05:00"},
	{"may is a month",            "may 1",                     "2026-05-01T09:00:00-04:00"},
	{"gap shifts",                "2:30am", "2026-03-08T03:30:00-04:00", "2026-03-08T01:00:00-05:00"},
	{"gap tomorrow",              "tomorrow 2:30", "2026-03-08T03:30:00-04:00", "2026-03-07T12:00:00-05:00"},
	{"overlap first",             "1:30", "2026-11-01T01:30:00-04:00", "2026-11-01T00:00:00-04:00"},
	{"overlap, first gone",       "1:30", "2026-11-02T01:30:00-05:00", "2026-11-01T01:40:00-04:00"},
	{"tomorrow over new year",    "tomorrow 9am", "2027-01-01T09:00:00-05:00", "2026-12-31T22:00:00-05:00"},
	{"today is the zone's day",   "today 11pm", "2026-02-03T23:00:00-05:00", "2026-02-04T02:00:00+00:00"},
};

static const struct refuse_case {
	const char *name, *text, *message, *hint;
} refuse_cases[] = {
	{"empty",             "",                 "the time is empty", "try"},
	{"only commas",       " , ",              "the time is empty", "try"},
	{"H21 13pm",          "13pm",             "bad time '13pm' at column 1", "1 to 12"},
	{"H21 0am",           "tomorrow 0am",     "bad time '0am' at column 10", "1 to 12"},
	{"H21 feb 30",        "feb 30",           "bad day '30' at column 5", "feb has 29 days"},
	{"H21 two days",      "monday tuesday",   "second day 'tuesday' at column 8, after 'monday'", "one day"},
	{"H21 two times",     "3pm 4pm",          "second time '4pm' at column 5, after '3pm'", "one time"},
	{"H21 near miss",     "tommorow 9am",     "unknown word 'tommorow' at column 1", "did you mean 'tomorrow'?"},
	{"H21 second word",   "next frday noon",  "no weekday but 'frday' at column 6", "next friday noon"},
	{"H21 unknown",       "whenever",         "unknown word 'whenever' at column 1", "try"},
	{"next alone",        "next",             "no weekday after 'next' at column 1", "before a weekday"},
	{"next week",         "next week",        "no weekday but 'week' at column 6", "before a weekday"},
	{"hour 25",           "25:00",            "bad time '25:00' at column 1", "0 to 23"},
	{"hour 24",           "monday 24:00",     "bad time '24:00' at column 8", "0 to 23"},
	{"minute 60",         "9:60",             "bad time '9:60' at column 1", "00 to 59"},
	{"one digit minute",  "9:5",              "bad time '9:5' at column 1", "two digits"},
	{"bare number",       "tomorrow 9",       "bare number '9' at column 10", "'9am' or '9pm'"},
	{"bare 15",           "15",               "bare number '15' at column 1", "write '15:00'"},
	{"three digits",      "930",              "bad time '930' at column 1", "15:30"},
	{"pm alone",          "tomorrow pm",      "no hour before 'pm' at column 10", "3pm"},
	{"15:30 pm",          "15:30 pm",         "bad time '15:30' at column 1", "1 to 12"},
	{"month alone",       "feb",              "no day after month 'feb' at column 1", "which day"},
	{"month and time",    "feb noon",         "no day after month 'feb' at column 1", "which day"},
	{"month and year",    "feb 2027",         "bad day '2027' at column 5", "days"},
	{"wrong ending",      "feb 20rd",         "bad day '20rd' at column 5", "days"},
	{"no leap day",       "feb 29 2027",      "bad day '29' at column 5", "feb has 28 days"},
	{"31 june",           "31 june 9am",      "bad day '31' at column 1", "june has 30 days"},
	{"year 1500",         "feb 20 1500",      "bad year '1500' at column 8", "1900 to 9998"},
	{"bad ISO date",      "2026-02-30 3pm",   "bad date '2026-02-30' at column 1", "28 days"},
	{"bad ISO month",     "2026-13-01",       "bad month '13' at column 6", "1 to 12"},
	{"ISO twice",         "2026-02-20 2026-02-21", "'2026-02-21' at column 12", ""},
	{"nothing after at",  "tomorrow at",      "nothing after 'at' at column 10", "try"},
	{"only noise",        "at",               "nothing after 'at' at column 1", "try"},
	{"now and more",      "now 3pm",          "unexpected 'now' at column 1", "no other"},
	{"in, late",          "tomorrow in 2h",   "unexpected 'in' at column 10", "no other"},
	{"in nothing",        "in",               "the duration is empty", "durations look like"},
	{"in 5",              "in 5",             "number '5' at column 4", "'5s' or '5m'"},
	{"in, unknown unit",  "in 2 huors",       "unknown unit 'huors' at column 6", "'hours'"},
	{"duration without in", "2 hours",        "bare number '2' at column 1", "'in 2 hours'"},
	{"2h without in",     "2h",               "unknown word '2h' at column 1", "did you mean 'in 2h'?"},
	{"a span from now", "1 hour from now", "bare number '1' at column 1", "did you mean 'in 1 hour'?"},
	{"today, nine passed", "today",           "no time after 'today' at column 1", "9 AM has passed"},
	{"today midnight",    "today midnight",   "today began with 'midnight' at column 7", "'midnight' alone"},
	{"zone word",         "3pm UTC",          "unknown word 'UTC' at column 5", ""},
	{"too many words",    "at at at at at at at at at at at at at 3pm", "too many words", "try"},
	{"endless word",      "mondaymondaymondaymondaymondaymondaymonday", "unknown word", "try"},
	{"too far",           "in 100y",          "unknown unit 'y' at column 7", "days or weeks"},
	{"K8 tonight is not midnight", "tonight", "unknown word 'tonight' at column 1", "try"},
	{"K8 this is not tues", "this friday",    "unknown word 'this' at column 1", "try"},
	{"K8 asap is not sat", "asap",            "unknown word 'asap' at column 1", "try"},
	{"K8 the is not tue", "the 20th",         "unknown word 'the' at column 1", "try"},
	{"K8 eod is not now", "eod",              "unknown word 'eod' at column 1", "try"},
	{"K8 yesterday is not wednesday", "yesterday 5pm", "unknown word 'yesterday' at column 1", "try"},
	{"K8 a mistyped word", "frday 5pm",       "unknown word 'frday' at column 1", "'friday'"},
	{"K8 today's date, its time has passed", "feb 4 9am", "'feb' at column 1 is today, and that time has passed", "2027"},
	{"K8 today's date, nine has passed", "feb 4", "'feb' at column 1 is today, and 9:00 AM", "2027"},
	{"bytes",             "t\xc3\xb6morrow",  "unknown word 't\xc3\xb6morrow' at column 1", "tomorrow"},
};
/* clang-format on */

/* What a span begins and ends with: a day is all of it, a time is exact. */
/* clang-format off */
static const struct bound_case {
	const char *name, *text, *begin, *end; /* as written in New York */
	int whole;
} bound_cases[] = {
	{"N33 a date is its whole day", "dec 24", "2026-12-24T00:00:00-05:00", "2026-12-24T23:59:59.999999-05:00", 1},
	{"N33 an ISO date",         "2026-11-20",    "2026-11-20T00:00:00-05:00", "2026-11-20T23:59:59.999999-05:00", 1},
	{"N33 a weekday",           "friday",        "2026-02-06T00:00:00-05:00", "2026-02-06T23:59:59.999999-05:00", 1},
	{"N33 today's weekday, while it lasts", "wed", "2026-02-04T00:00:00-05:00", "2026-02-04T23:59:59.999999-05:00", 1},
	{"N33 next weekday",        "next wed",      "2026-02-11T00:00:00-05:00", "2026-02-11T23:59:59.999999-05:00", 1},
	{"N33 today",               "today",         "2026-02-04T00:00:00-05:00", "2026-02-04T23:59:59.999999-05:00", 1},
	{"N33 today's date",        "feb 4",         "2026-02-04T00:00:00-05:00", "2026-02-04T23:59:59.999999-05:00", 1},
	{"N33 yesterday's date is next year's", "feb 3", "2027-02-03T00:00:00-05:00", "2027-02-03T23:59:59.999999-05:00", 1},
	{"N33 tomorrow",            "tomorrow",      "2026-02-05T00:00:00-05:00", "2026-02-05T23:59:59.999999-05:00", 1},
	{"N33 a day of 23 hours",   "2026-03-08",    "2026-03-08T00:00:00-05:00", "2026-03-08T23:59:59.999999-04:00", 1},
	{"N33 a day of 25 hours",   "2026-11-01",    "2026-11-01T00:00:00-04:00", "2026-11-01T23:59:59.999999-05:00", 1},
	{"N33 a time is exact",     "dec 24 17:00",  "2026-12-24T17:00:00-05:00", "2026-12-24T17:00:00-05:00", 0},
	{"N33 a time alone",        "10:00",         "2026-02-05T10:00:00-05:00", "2026-02-05T10:00:00-05:00", 0},
	{"N33 a span",              "in 2h",         "2026-02-04T12:15:30.500000-05:00", "2026-02-04T12:15:30.500000-05:00", 0},
	{"N33 RFC 3339",            "2026-02-20T15:00:00+00:00", "2026-02-20T10:00:00-05:00", "2026-02-20T10:00:00-05:00", 0},
	{"N33 now",                 "now",           "2026-02-04T10:15:30.500000-05:00", "2026-02-04T10:15:30.500000-05:00", 0},
};
/* clang-format on */

static const struct zone *new_york;

static usec_t instant(const char *text)
{
	usec_t got = 0;
	struct error err = {0};

	if (instant_parse(text, zone_utc(), &got, &err) < 0)
		fail_msg("%s", err.message);
	return got;
}

static void test_phrase(void **state)
{
	const struct phrase_case *c = *state;
	char text[INSTANT_TEXT_MAX];
	struct error err = {0};
	usec_t got = 0;

	if (phrase_parse(c->text, instant(c->now ? c->now : NOW), new_york, &got, &err) < 0)
		fail_msg("'%s': %s (%s)", c->text, err.message, err.hint);
	instant_format(got, new_york, text);
	assert_string_equal(text, c->want);
}

static void test_bound(void **state)
{
	const struct bound_case *c = *state;
	const char *const want[] = {c->begin, c->end};
	const enum phrase_use use[] = {PHRASE_BEGIN, PHRASE_END};

	for (size_t i = 0; i < 2; i++) {
		char text[INSTANT_TEXT_MAX];
		struct error err = {0};
		usec_t got = 0;
		int r = phrase_parse_bound(c->text, use[i], instant(NOW), new_york, &got, &err);

		if (r < 0)
			fail_msg("'%s': %s (%s)", c->text, err.message, err.hint);
		assert_int_equal(r, c->whole);
		instant_format(got, new_york, text);
		assert_string_equal(text, want[i]);
	}
}

static void test_refuse(void **state)
{
	const struct refuse_case *c = *state;
	struct error err = {0};
	usec_t got = -1;

	if (phrase_parse(c->text, instant(NOW), new_york, &got, &err) != ERR_INVALID)
		fail_msg("'%s' was understood", c->text);
	assert_int_equal(got, -1);
	if (!strstr(err.message, c->message) || !strstr(err.hint, c->hint))
		fail_msg("'%s': %s (%s)", c->text, err.message, err.hint);
}

/* Seen from the evening before, in New York. */
/* clang-format off */
static const struct gap_case {
	const char *name, *text, *want; /* NULL: nothing to say */
} gap_cases[] = {
	{"K11 a time in the gap", "2026-03-08 2:30", "2:30 AM does not exist that day in America/New_York, where the clock is put forward; 3:30 AM is meant"},
	{"K11 the gap, in words", "tomorrow 2am", "2:00 AM does not exist that day in America/New_York, where the clock is put forward; 3:00 AM is meant"},
	{"K11 before the gap", "2026-03-08 1:59", NULL},
	{"K11 after the gap", "2026-03-08 3:00", NULL},
	{"K11 an offset is no local time", "2026-03-08T02:30:00-05:00", NULL},
	{"K11 a span is none", "in 7h", NULL},
	{"K11 a time that is there twice", "2026-11-01 1:30", NULL},
	{"K11 no time", "soonish", NULL},
};
/* clang-format on */

static void test_gap(void **state)
{
	const struct gap_case *c = *state;
	char *got = phrase_gap(c->text, instant("2026-03-07T19:30:00-05:00"), new_york);

	if (c->want) {
		assert_non_null(got);
		assert_string_equal(got, c->want);
	} else if (got) {
		fail_msg("'%s': %s", c->text, got);
	}
	free(got);
}

static void test_too_far(void **state)
{
	usec_t got = -1;
	struct error err = {0};

	(void)state;
	assert_int_equal(phrase_parse("tomorrow", INSTANT_MAX, zone_utc(), &got, &err),
			 ERR_INVALID);
	assert_int_equal(phrase_parse("in 100w", INSTANT_MAX, zone_utc(), &got, &err), ERR_INVALID);
	assert_int_equal(got, -1);
	assert_non_null(strstr(err.message, "too far away"));
}

int main(void)
{
	struct error err = {0};

	if (zone_get("America/New_York", &new_york, &err) < 0)
		return 1;
	add_table(test_phrase, phrase_cases);
	add_table(test_refuse, refuse_cases);
	add_table(test_bound, bound_cases);
	add_table(test_gap, gap_cases);
	add_row("beyond the last year", test_too_far, NULL);
	return run_rows("phrase");
}
