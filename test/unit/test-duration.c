/* test-duration.c: spans of time, read and written (H21). */
#include "rows.h"

#include <string.h>

#include "schedule/duration.h"

#define MS USEC_PER_MSEC
#define S USEC_PER_SEC
#define M USEC_PER_MINUTE
#define H USEC_PER_HOUR
#define D USEC_PER_DAY
#define W USEC_PER_WEEK

/* clang-format off */
static const struct parse_case {
	const char *name, *text;
	usec_t want;
} parse_cases[] = {
	{"H21 90s",              "90s",                 90 * S},
	{"H21 30m",              "30m",                 30 * M},
	{"H21 1h30m",            "1h30m",               90 * M},
	{"H21 2d",               "2d",                  2 * D},
	{"H21 1w",               "1w",                  W},
	{"milliseconds",         "250ms",               250 * MS},
	{"microseconds",         "7us",                 7},
	{"zero",                 "0s",                  0},
	{"every unit",           "1w2d3h4m5s6ms7us",    W + 2 * D + 3 * H + 4 * M + 5 * S + 6 * MS + 7},
	{"words",                "2 hours 5 minutes",   2 * H + 5 * M},
	{"short words",          "1hr 2mins 3secs",     H + 2 * M + 3 * S},
	{"one of each word",     "1 week 1 day 1 hour 1 minute 1 second", W + D + H + M + S},
	{"any case",             "2 Hours",             2 * H},
	{"spaces around",        "  1h  30m ",          90 * M},
	{"fraction",             "1.5h",                90 * M},
	{"fraction in the last", "1h 0.5m",             H + 30 * S},
	{"finest fraction",      "0.000001s",           1},
	{"more than a unit",     "100m",                100 * M},
	{"a hundred years",      "36600d",              36600 * D},
};

static const struct refuse_case {
	const char *name, *text, *message, *hint;
} refuse_cases[] = {
	{"empty",           "",        "the duration is empty", "durations look like"},
	{"only spaces",     "  ",      "the duration is empty", "durations look like"},
	{"bare number",     "90",      "number '90' at column 1", "did you mean '90s' or '90m'?"},
	{"bare at the end", "1h30",    "number '30' at column 3", "durations look like"},
	{"negative",        "-5m",     "'-5m' is no duration: it begins with a number", "cannot be negative"},
	{"no number",       "h",       "'h' is no duration", "durations look like"},
	{"unknown unit",    "5x",      "unknown unit 'x' at column 2", "units are"},
	{"near miss",       "5 huors", "unknown unit 'huors' at column 3", "did you mean 'hours'?"},
	{"months",          "2 months", "unknown unit 'months' at column 3", "differ in length"},
	{"wrong order",     "30m1h",   "unit 'h' at column 5 comes after 'm'", "largest unit first"},
	{"twice",           "5m5m",    "unit 'm' at column 4 comes after 'm'", "each once"},
	{"early fraction",  "1.5h10m", "'10m' at column 5 comes after a fraction", "only the last"},
	{"fraction no digits", "1.h",  "bad fraction '.h' at column 2", "decimals"},
	{"fraction too fine",  "1.5us", "finer than a microsecond", "smallest unit"},
	{"too many decimals",  "1.1234567h", "bad fraction", "decimals"},
	{"too long",        "36601d",  "'36601d' at column 1 makes the duration too long", "hundred years"},
	{"too long in sum", "36600d 1us", "'1us' at column 8", "hundred years"},
	{"overflow",        "99999999999999999999w", "too long", "hundred years"},
	{"comma",           "1h,30m",  "',30m' at column 3", "durations look like"},
	{"word inside",     "1h and 5m", "'and' at column 4", "durations look like"},
};

static const struct format_case {
	const char *name;
	usec_t duration;
	const char *exact, *brief;
} format_cases[] = {
	{"format zero",         0,                   "0s",        "0s"},
	{"format 20m",          20 * M,              "20m",       "20m"},
	{"format 1h5m",         65 * M,              "1h5m",      "1h 5m"},
	{"format 3d4h",         76 * H + 59 * M,     "3d4h59m",   "3d 4h"},
	{"format 45s",          45 * S,              "45s",       "45s"},
	{"format 80ms",         80 * MS,             "80ms",      "80ms"},
	{"format 1w",           W,                   "1w",        "7d"},
	{"format no zero unit", 2 * D + 5 * M,       "2d5m",      "2d"},
	{"format 1.5s",         1500 * MS,           "1s500ms",   "1s"},
	{"format 12us",         12,                  "12us",      "12us"},
	{"format 90m",          90 * M,              "1h30m",     "1h 30m"},
	{"format negative",     -90 * S,             "-1m30s",    "-1m 30s"},
	{"format least",        INT64_MIN, "-15250284w3d4h54s775ms808us", "-106751991d 4h"},
};
/* clang-format on */

static void test_parse(void **state)
{
	const struct parse_case *c = *state;
	char text[DURATION_TEXT_MAX];
	struct error err = {0};
	usec_t got = -1, again = -1;

	if (duration_parse(c->text, &got, &err) < 0)
		fail_msg("'%s': %s", c->text, err.message);
	assert_int_equal(got, c->want);
	duration_format(got, text);
	assert_int_equal(duration_parse(text, &again, &err), 0);
	assert_int_equal(again, c->want);
}

static void test_refuse(void **state)
{
	const struct refuse_case *c = *state;
	struct error err = {0};
	usec_t got = -1;

	assert_int_equal(duration_parse(c->text, &got, &err), ERR_INVALID);
	assert_int_equal(got, -1);
	if (!strstr(err.message, c->message) || !strstr(err.hint, c->hint))
		fail_msg("'%s': %s (%s)", c->text, err.message, err.hint);
}

static void test_format(void **state)
{
	const struct format_case *c = *state;
	char text[DURATION_TEXT_MAX];

	duration_format(c->duration, text);
	assert_string_equal(text, c->exact);
	duration_format_short(c->duration, text);
	assert_string_equal(text, c->brief);
}

int main(void)
{
	add_table(test_parse, parse_cases);
	add_table(test_refuse, refuse_cases);
	add_table(test_format, format_cases);
	return run_rows("duration");
}
