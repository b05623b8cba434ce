/*
 * test-zone.c: zones by name, their spans, and local time to instants and back. Every zone of the
 * system is compared with another reader in test/oracle; here are the stories one can read, and
 * the files and rules that no system has.
 */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "schedule/instant.h"
#include "schedule/zone-file.h"

/* clang-format off */
static const struct local_case {
	const char *name, *zone, *local, *want; /* local: written as if it were UTC */
} local_cases[] = {
	{"gap shifts",              "America/New_York",  "2026-03-08T02:30:00+00:00", "2026-03-08T07:30:00+00:00"},
	{"gap, first second",       "America/New_York",  "2026-03-08T02:00:00+00:00", "2026-03-08T07:00:00+00:00"},
	{"before the gap",          "America/New_York",  "2026-03-08T01:59:59+00:00", "2026-03-08T06:59:59+00:00"},
	{"after the gap",           "America/New_York",  "2026-03-08T03:00:00+00:00", "2026-03-08T07:00:00+00:00"},
	{"overlap first",           "America/New_York",  "2026-11-01T01:30:00+00:00", "2026-11-01T05:30:00+00:00"},
	{"overlap, first second",   "America/New_York",  "2026-11-01T01:00:00+00:00", "2026-11-01T05:00:00+00:00"},
	{"after the overlap",       "America/New_York",  "2026-11-01T02:00:00+00:00", "2026-11-01T07:00:00+00:00"},
	{"gap by the rule",         "America/New_York",  "2526-03-10T02:30:00+00:00", "2526-03-10T07:30:00+00:00"},
	{"overlap by the rule",     "America/New_York",  "2526-11-03T01:30:00+00:00", "2526-11-03T05:30:00+00:00"},
	{"Lord Howe gap of 30 min", "Australia/Lord_Howe", "2026-10-04T02:15:00+00:00", "2026-10-03T15:45:00+00:00"},
	{"Lord Howe overlap",       "Australia/Lord_Howe", "2026-04-05T01:45:00+00:00", "2026-04-04T14:45:00+00:00"},
	{"Apia's skipped day",      "Pacific/Apia",      "2011-12-30T12:00:00+00:00", "2011-12-30T22:00:00+00:00"},
	{"Apia the day before",     "Pacific/Apia",      "2011-12-29T23:59:59+00:00", "2011-12-30T09:59:59+00:00"},
	{"Apia the day after",      "Pacific/Apia",      "2011-12-31T00:00:00+00:00", "2011-12-30T10:00:00+00:00"},
	{"Casablanca, Ramadan gap", "Africa/Casablanca", "2026-03-22T02:30:00+00:00", "2026-03-22T02:30:00+00:00"},
	{"Casablanca, repeated",    "Africa/Casablanca", "2026-02-15T02:30:00+00:00", "2026-02-15T01:30:00+00:00"},
	{"Dublin gap",              "Europe/Dublin",     "2026-03-29T01:30:00+00:00", "2026-03-29T01:30:00+00:00"},
	{"Dublin overlap",          "Europe/Dublin",     "2026-10-25T01:30:00+00:00", "2026-10-25T00:30:00+00:00"},
	{"Kiritimati skipped",      "Pacific/Kiritimati", "1994-12-31T12:00:00+00:00", "1994-12-31T22:00:00+00:00"},
	{"UTC",                     "UTC",               "2026-03-08T02:30:00+00:00", "2026-03-08T02:30:00+00:00"},
};

static const struct span_case {
	const char *name, *zone, *at, *start, *end; /* NULL: no edge */
	int offset;
	bool dst;
	const char *abbreviation;
} span_cases[] = {
	{"UTC has no edges",   "UTC", "2026-01-01T00:00:00+00:00", NULL, NULL, 0, false, "UTC"},
	{"Etc/UTC as well",    "Etc/UTC", "2026-01-01T00:00:00+00:00", NULL, NULL, 0, false, "UTC"},
	{"winter",             "America/Los_Angeles", "2026-02-04T00:00:00+00:00",
		"2025-11-02T09:00:00+00:00", "2026-03-08T10:00:00+00:00", -28800, false, "PST"},
	{"summer",             "America/Los_Angeles", "2026-07-04T00:00:00+00:00",
		"2026-03-08T10:00:00+00:00", "2026-11-01T09:00:00+00:00", -25200, true, "PDT"},
	{"end is outside",     "America/Los_Angeles", "2026-03-08T10:00:00+00:00",
		"2026-03-08T10:00:00+00:00", "2026-11-01T09:00:00+00:00", -25200, true, "PDT"},
	{"last of the table",  "America/Los_Angeles", "2038-01-01T00:00:00+00:00",
		"2037-11-01T09:00:00+00:00", "2038-03-14T10:00:00+00:00", -28800, false, "PST"},
	{"rule over new year", "America/Los_Angeles", "2500-12-31T12:00:00+00:00",
		"2500-11-07T09:00:00+00:00", "2501-03-13T10:00:00+00:00", -28800, false, "PST"},
	{"southern rule",      "Australia/Sydney", "2501-01-01T12:00:00+00:00",
		"2500-10-02T16:00:00+00:00", "2501-04-02T16:00:00+00:00", 39600, true, "AEDT"},
	{"negative DST",       "Europe/Dublin", "2026-01-01T00:00:00+00:00",
		"2025-10-26T01:00:00+00:00", "2026-03-29T01:00:00+00:00", 0, true, "GMT"},
	{"no DST any more",    "America/Sao_Paulo", "2500-01-01T00:00:00+00:00",
		"2019-02-17T02:00:00+00:00", NULL, -10800, false, "-03"},
	{"time before the day", "America/Nuuk", "2026-03-01T00:00:00+00:00",
		"2025-10-26T01:00:00+00:00", "2026-03-29T01:00:00+00:00", -7200, false, "-02"},
};

static const struct name_case {
	const char *name, *asked, *hint;
} name_cases[] = {
	{"unknown zone",        "Nowhere/Land",  "names like"},
	{"near miss",           "Europe/Berln",  "did you mean 'Europe/Berlin'?"},
	{"wrong case",          "europe/berlin", "did you mean 'Europe/Berlin'?"},
	{"utc is UTC",          "utc",           "did you mean 'UTC'?"},
	{"city alone",          "berlin",        "did you mean 'Europe/Berlin'?"},
	{"city with a space",   "New York",      "did you mean 'America/New_York'?"},
	{"abbreviation",        "PST",           "did you mean 'America/Los_Angeles'?"},
	{"folder",              "Europe",        ""},
	{"empty",               "",              "names like"},
	{"way out",             "../../../etc/passwd", ""},
	{"way out in between",  "Europe/../UTC", ""},
	{"absolute",            "/etc/localtime", ""},
	{"link out",            "localtime",     ""},
	{"trailing slash",      "Europe/",       ""},
	{"odd characters",      "Europe/Ber\nlin", ""},
	{"table",               "tzdata.zi",     ""},
	{"leap seconds",        "right/Europe/Berlin", "outside 'right/'"},
};

static const struct rule_case {
	const char *name, *rule, *at, *start, *end, *abbreviation; /* abbreviation NULL: refused */
	int offset;
} rule_cases[] = {
	{"no DST",           "EST5", "2026-01-01T00:00:00+00:00", NULL, NULL, "EST", -18000},
	{"quoted",           "<+0330>-3:30", "2026-01-01T00:00:00+00:00", NULL, NULL, "+0330", 12600},
	{"seconds of offset", "ABC-1:02:03", "2026-01-01T00:00:00+00:00", NULL, NULL, "ABC", 3723},
	{"week 5 is last",   "CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01T00:00:00+00:00",
		"2026-03-29T01:00:00+00:00", "2026-10-25T01:00:00+00:00", "CEST", 7200},
	{"Julian skips the leap day", "AAA0BBB,J60/0,J61/0", "2028-03-01T12:00:00+00:00",
		"2028-03-01T00:00:00+00:00", "2028-03-01T23:00:00+00:00", "BBB", 3600},
	{"zero-based counts it", "AAA0BBB,59/0,60/0", "2028-02-29T12:00:00+00:00",
		"2028-02-29T00:00:00+00:00", "2028-02-29T23:00:00+00:00", "BBB", 3600},
	{"negative time",    "AAA0BBB,M3.1.0/-24,M11.1.0", "2026-03-01T12:00:00+00:00",
		"2026-02-28T00:00:00+00:00", "2026-11-01T01:00:00+00:00", "BBB", 3600},
	{"time of days",     "AAA0BBB,M3.1.0/167,M11.1.0", "2026-03-07T12:00:00+00:00",
		"2025-11-02T01:00:00+00:00", "2026-03-07T23:00:00+00:00", "AAA", 0},
	{"DST all year",     "EST5EDT,0/0,J365/25", "2026-01-01T05:00:00+00:00", NULL, NULL, "EDT", -14400},
	{"DST all year, RFC", "XXX3EDT4,0/0,J365/23", "2026-07-01T00:00:00+00:00", NULL, NULL, "EDT", -14400},
	{"never DST",        "AAA0BBB0,J10/0,J10/0", "2026-07-01T00:00:00+00:00", NULL, NULL, "BBB", 0},
	{"DST over new year", "AAA0BBB,J364/0,J2/0", "2026-12-31T12:00:00+00:00",
		"2026-12-30T00:00:00+00:00", "2027-01-01T23:00:00+00:00", "BBB", 3600},
	{"edge in the year before", "AAA0BBB,J1/-48,J10/0", "2026-12-30T12:00:00+00:00",
		"2026-12-30T00:00:00+00:00", "2027-01-09T23:00:00+00:00", "BBB", 3600},
	{"edge in the year after", "AAA0BBB,J200/0,J365/72", "2027-01-02T12:00:00+00:00",
		"2026-07-19T00:00:00+00:00", "2027-01-02T23:00:00+00:00", "BBB", 3600},
	{"southern",         "AAA0BBB,M10.1.0,M4.1.0", "2026-06-01T00:00:00+00:00",
		"2026-04-05T01:00:00+00:00", "2026-10-04T02:00:00+00:00", "AAA", 0},
	{"negative DST",     "IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00+00:00",
		"2025-10-26T01:00:00+00:00", "2026-03-29T01:00:00+00:00", "GMT", 0},
	{"bad: no name",     "5", NULL, NULL, NULL, NULL, 0},
	{"bad: short name",  "AB5", NULL, NULL, NULL, NULL, 0},
	{"bad: no offset",   "ABC", NULL, NULL, NULL, NULL, 0},
	{"bad: no days",     "ABC5DEF", NULL, NULL, NULL, NULL, 0},
	{"bad: one day",     "ABC5DEF,M3.1.0", NULL, NULL, NULL, NULL, 0},
	{"bad: hour 25",     "ABC25", NULL, NULL, NULL, NULL, 0},
	{"bad: hour 168",    "ABC5DEF,J1/168,J5", NULL, NULL, NULL, NULL, 0},
	{"bad: month 13",    "ABC5DEF,M13.1.0,J5", NULL, NULL, NULL, NULL, 0},
	{"bad: week 6",      "ABC5DEF,M3.6.0,J5", NULL, NULL, NULL, NULL, 0},
	{"bad: weekday 7",   "ABC5DEF,M3.1.7,J5", NULL, NULL, NULL, NULL, 0},
	{"bad: J0",          "ABC5DEF,J0,J5", NULL, NULL, NULL, NULL, 0},
	{"bad: day 366",     "ABC5DEF,366,J5", NULL, NULL, NULL, NULL, 0},
	{"bad: open quote",  "<ABC5", NULL, NULL, NULL, NULL, 0},
	{"bad: more behind", "ABC5DEF,J1,J5,J7", NULL, NULL, NULL, NULL, 0},
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

static int64_t seconds(const char *text, int64_t none)
{
	return text ? instant(text) / USEC_PER_SEC : none;
}

static void test_local(void **state)
{
	const struct local_case *c = *state;
	local_t local = seconds(c->local, 0);
	char text[INSTANT_TEXT_MAX];

	instant_format(zone_instant(zone(c->zone), local), zone_utc(), text);
	assert_string_equal(text, c->want);
}

static void assert_span(const struct zone *z, const char *at, const struct zone_span *want)
{
	struct zone_span got;

	zone_span_at(z, seconds(at, 0), &got);
	assert_int_equal(got.start, want->start);
	assert_int_equal(got.end, want->end);
	assert_int_equal(got.offset, want->offset);
	assert_string_equal(got.abbreviation, want->abbreviation);
}

static void test_span(void **state)
{
	const struct span_case *c = *state;
	struct zone_span want = {seconds(c->start, INT64_MIN), seconds(c->end, INT64_MAX),
				 c->offset, c->dst, c->abbreviation};
	struct zone_span got;

	assert_span(zone(c->zone), c->at, &want);
	zone_span_at(zone(c->zone), seconds(c->at, 0), &got);
	assert_int_equal(got.dst, c->dst);
	assert_int_equal(zone_local(zone(c->zone), instant(c->at)), seconds(c->at, 0) + c->offset);
}

static void test_name(void **state)
{
	const struct name_case *c = *state;
	const struct zone *got = NULL;
	struct error err = {0};

	assert_int_equal(zone_get(c->asked, &got, &err), ERR_INVALID);
	assert_null(got);
	if (!strstr(err.message, c->asked) || !strstr(err.hint, c->hint))
		fail_msg("'%s': %s (%s)", c->asked, err.message, err.hint);
}

/* A file without a table, of one type and a rule. */
static void write_file(const char *rule, struct buf *ret)
{
	static const char header[44] = "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
				       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4";

	for (int i = 0; i < 2; i++) {
		buf_add(ret, header, sizeof(header));
		buf_add(ret, "\0\0\0\0\0\0LMT\0", 10);
	}
	buf_printf(ret, "\n%s\n", rule);
}

static void test_rule(void **state)
{
	const struct rule_case *c = *state;
	struct zone_span want = {seconds(c->start, INT64_MIN), seconds(c->end, INT64_MAX),
				 c->offset, false, c->abbreviation};
	AUTO(zone_free) struct zone *z = NULL;
	AUTO_BUF struct buf file = {0};
	struct error err = {0};
	int r;

	write_file(c->rule, &file);
	r = zone_parse(file.data, file.len, "Test/Rule", &z, &err);
	if (!c->abbreviation) {
		assert_int_equal(r, ERR_INVALID);
		assert_non_null(
			strstr(err.message, "zone 'Test/Rule' has a damaged file: bad rule"));
		return;
	}
	if (r < 0)
		fail_msg("'%s': %s", c->rule, err.message);
	assert_span(z, c->at, &want);
}

/* Every prefix of a real file, and every byte of it changed, is an error or a zone, no more. */
static void test_damage(void **state)
{
	AUTO_BUF struct buf file = {0};
	struct error err = {0};
	size_t whole = 0, refused = 0;

	(void)state;
	assert_int_equal(file_read("/usr/share/zoneinfo/Europe/Dublin", 1 << 20, &file, &err), 0);
	for (size_t len = 0; len <= file.len; len++) {
		AUTO(zone_free) struct zone *z = NULL;
		AUTO_BUF struct buf cut = {0}; /* of its own, so that a read past it is seen */

		buf_add(&cut, file.data, len);
		whole += zone_parse(cut.data, len, "Cut", &z, &err) == 0;
	}
	assert_int_equal(whole, 1);
	for (size_t i = 0; i < file.len; i++) {
		AUTO(zone_free) struct zone *z = NULL;
		struct zone_span span;

		file.data[i] ^= 0x55;
		if (zone_parse(file.data, file.len, "Changed", &z, &err) < 0)
			refused++;
		else
			zone_span_at(z, 0, &span);
		file.data[i] ^= 0x55;
	}
	assert_true(refused > 40);
}

static void test_same_pointer(void **state)
{
	(void)state;
	assert_ptr_equal(zone("Europe/Berlin"), zone("Europe/Berlin"));
	assert_ptr_equal(zone("UTC"), zone_utc());
	assert_string_equal(zone_name(zone("Europe/Berlin")), "Europe/Berlin");
}

/* Nothing overflows and every span holds its instant, however far away. */
static void test_extremes(void **state)
{
	static const int64_t moments[] = {INT64_MIN, INT64_MIN + 1, INT64_MIN / 2, LOCAL_MIN, 0,
					  LOCAL_MAX, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
	static const char *const names[] = {"UTC", "Europe/Berlin", "Australia/Lord_Howe",
					    "Asia/Tokyo"};
	struct zone_span s;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		for (size_t j = 0; j < COUNT_OF(moments); j++) {
			zone_span_at(zone(names[i]), moments[j], &s);
			assert_true(s.start <= moments[j]);
			assert_true(s.end > moments[j] || s.end == INT64_MAX);
			zone_instant(zone(names[i]), moments[j]);
		}
		zone_local(zone(names[i]), INT64_MIN);
		zone_local(zone(names[i]), INT64_MAX);
	}
}

static void test_local_rounds_down(void **state)
{
	(void)state;
	assert_int_equal(zone_local(zone_utc(), -1), -1);
	assert_int_equal(zone_local(zone_utc(), 1999999), 1);
}

/* clang-format off */
static const struct machine_case {
	const char *name, *tz, *want; /* want NULL: TZ names no zone, so something else answers */
} machine_cases[] = {
	{"TZ",                  "Asia/Tokyo",  "Asia/Tokyo"},
	{"TZ with colon",       ":Asia/Tokyo", "Asia/Tokyo"},
	{"TZ as a path",        "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"},
	{"TZ empty",            "", NULL},
	{"TZ unknown",          "Nowhere/Land", NULL},
	{"K14 TZ as a rule",    "CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"},
	{"K14 TZ as an offset", "<+0330>-3:30", "<+0330>-3:30"},
	{"K14 TZ as nonsense",  "Nonsense", NULL},
	{"TZ as a way out",     ":../../etc/localtime", NULL},
};
/* clang-format on */

static void test_machine(void **state)
{
	const struct machine_case *c = *state;
	const struct zone *z;
	const char *source = NULL;

	setenv("TZ", c->tz, 1);
	z = zone_of_machine(&source);
	unsetenv("TZ");
	assert_non_null(z);
	if (c->want) {
		assert_string_equal(source, "TZ");
		assert_string_equal(zone_name(z), c->want);
	} else {
		assert_true(strcmp(source, "system") == 0 || strcmp(source, "default") == 0);
	}
}

static void test_folder(void **state)
{
	const struct zone *got = NULL;
	struct error err = {0};

	(void)state;
	setenv("TZDIR", "/nonexistent", 1);
	assert_int_equal(zone_get("Europe/Vaduz", &got, &err), ERR_INVALID);
	assert_non_null(strstr(err.hint, "install the package tzdata"));
	assert_int_equal(zone_get("UTC", &got, &err), 0);
	unsetenv("TZDIR");
	assert_int_equal(zone_get("Europe/Vaduz", &got, &err), 0);
}

static void copy_zone(const char *folder, const char *name)
{
	char command[200];

	snprintf(command, sizeof(command), "cp /usr/share/zoneinfo/%s %s/new && mv %s/new %s/Moved",
		 name, folder, folder, folder);
	assert_int_equal(system(command), 0);
}

static void test_refresh(void **state)
{
	char folder[] = "/tmp/belfry-zone.XXXXXX", command[64];
	const struct zone *before = NULL, *after = NULL;
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("TZDIR", folder, 1);
	copy_zone(folder, "Europe/Berlin");
	assert_int_equal(zone_get("Moved", &before, &err), 0);
	zone_refresh(); /* others are not in this folder: they stay */
	assert_int_equal(zone_get("Moved", &after, &err), 0);
	assert_ptr_equal(before, after);
	copy_zone(folder, "Asia/Tokyo");
	assert_true(zone_refresh());
	assert_int_equal(zone_get("Moved", &after, &err), 0);
	assert_int_equal(zone_local(before, 0), 3600);
	assert_int_equal(zone_local(after, 0), 9 * 3600);
	unsetenv("TZDIR");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	add_table(test_local, local_cases);
	add_table(test_span, span_cases);
	add_table(test_name, name_cases);
	add_table(test_rule, rule_cases);
	add_table(test_machine, machine_cases);
	add_row("damaged files", test_damage, NULL);
	add_row("one pointer a name", test_same_pointer, NULL);
	add_row("extremes", test_extremes, NULL);
	add_row("microseconds round down", test_local_rounds_down, NULL);
	add_row("TZDIR, and no zone files", test_folder, NULL);
	add_row("K7 new zone files are noticed", test_refresh, NULL);
	return run_rows("zone");
}
