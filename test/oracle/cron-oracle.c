/*
 * cron-oracle.c: cron schedules beside the slowest and plainest reading of the rules.
 *
 * The oracle has its own reader of cron fields, which looks at the text again for every value, and
 * its own walk, minute by minute of UTC through a window, applying the two rules for clock changes
 * literally: real local times fire whenever the wall shows them; fixed ones fire once, when the
 * wall first shows them, or, if the clock jumps over them, that long after the jump. It shares with
 * the program only zone_span_at(), which has an oracle of its own.
 *
 *	cron-oracle [SEED [ROUNDS]]   every clock change of 2024 to 2028 in every zone, those of
 *	                              1980 to 2029 with fewer lines, then random lines in random
 *	                              zones over random months
 */
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "schedule/schedule.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WINDOW_MAX (40 * 1440)
#define DAY 86400
#define ZONE_FOLDER "/usr/share/zoneinfo"

/* A line in a zone over a window passes when all its answers are right. */
static long passed, failed, answers, wrong;

/* ---- does a local minute match? ---- */

struct line {
	char text[5][64];
	bool minute[60], hour[24], month[13];
	time_t day; /* the day `day_fits` speaks of */
	bool day_fits;
};

static int value_of(const char *text, char **end)
{
	static const char names[] = "sunmontuewedthufrisat";
	static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	if (isdigit((unsigned char)*text))
		return (int)strtol(text, end, 10);
	*end = (char *)text + 3;
	for (int i = 0; i < 7; i++) {
		if (strncasecmp(text, names + 3 * i, 3) == 0)
			return i;
	}
	for (int i = 0; i < 12; i++) {
		if (strncasecmp(text, months + 3 * i, 3) == 0)
			return i + 1;
	}
	fprintf(stderr, "the oracle cannot read '%s'\n", text);
	exit(2);
}

/* A list of values, ranges and steps. `value` and, for Sundays, `twin` are the same thing. */
static bool plain_item_fits(const char *item, int value, int twin, int min, int max)
{
	int low = min, high = max, step = 1;
	char *end = (char *)item + 1;

	if (*item != '*' && *item != '?') {
		low = high = value_of(item, &end);
		if (*end == '-') {
			high = value_of(end + 1, &end);
			if (high == 0 && low > 0)
				high = 7;
		} else if (*end == '/') {
			high = max;
		}
	}
	if (*end == '/')
		step = atoi(end + 1);
	for (int v = low; v <= high; v += step) {
		if (v == value || v == twin)
			return true;
	}
	return false;
}

static bool list_fits(const char *list, int value, int min, int max)
{
	char copy[64], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", list);
	for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		if (plain_item_fits(item, value, value, min, max))
			return true;
	}
	return false;
}

static struct tm date_of(time_t day)
{
	struct tm tm;

	gmtime_r(&day, &tm);
	return tm;
}

static bool is_working_day(time_t day)
{
	struct tm tm = date_of(day);

	return tm.tm_wday >= 1 && tm.tm_wday <= 5;
}

static int last_of_month(time_t day)
{
	int last = date_of(day).tm_mday;

	for (time_t t = day + DAY; date_of(t).tm_mday > last; t += DAY)
		last = date_of(t).tm_mday;
	return last;
}

/* Whether the working day nearest to day `wanted` of the month is this one. */
static bool is_nearest(time_t day, int wanted)
{
	static const int tries[] = {0, -1, 1, -2, 2};
	int of_month = date_of(day).tm_mday, last = last_of_month(day);

	if (wanted > last)
		return false;
	for (size_t i = 0; i < COUNT(tries); i++) {
		int candidate = wanted + tries[i];

		if (candidate >= 1 && candidate <= last &&
		    is_working_day(day + (candidate - of_month) * DAY))
			return candidate == of_month;
	}
	return false;
}

static bool date_item_fits(const char *item, time_t day)
{
	int of_month = date_of(day).tm_mday, last = last_of_month(day);

	if (strcasecmp(item, "LW") == 0) {
		for (int d = of_month + 1; d <= last; d++) {
			if (is_working_day(day + (d - of_month) * DAY))
				return false;
		}
		return is_working_day(day);
	}
	if (toupper((unsigned char)*item) == 'L')
		return of_month == last - (item[1] == '-' ? atoi(item + 2) : 0);
	if (toupper((unsigned char)item[strlen(item) - 1]) == 'W')
		return is_nearest(day, atoi(item));
	return plain_item_fits(item, of_month, of_month, 1, 31);
}

static bool weekday_item_fits(const char *item, time_t day)
{
	struct tm tm = date_of(day);
	const char *hash = strchr(item, '#');
	char *end;

	if (hash)
		return value_of(item, &end) % 7 == tm.tm_wday &&
		       (tm.tm_mday - 1) / 7 + 1 == atoi(hash + 1);
	if (toupper((unsigned char)item[strlen(item) - 1]) == 'L')
		return value_of(item, &end) % 7 == tm.tm_wday &&
		       tm.tm_mday + 7 > last_of_month(day);
	return plain_item_fits(item, tm.tm_wday, tm.tm_wday ? tm.tm_wday : 7, 0, 6);
}

static bool days_fit(const char *list, time_t day, bool (*fits)(const char *, time_t))
{
	char copy[64], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", list);
	for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		if (fits(item, day))
			return true;
	}
	return false;
}

static bool day_fits(const struct line *line, time_t day)
{
	bool date = days_fit(line->text[2], day, date_item_fits);
	bool weekday = days_fit(line->text[4], day, weekday_item_fits);
	bool star = strchr("*?", line->text[2][0]) || strchr("*?", line->text[4][0]);

	return line->month[date_of(day).tm_mon + 1] && (star ? date && weekday : date || weekday);
}

static bool minute_fits(struct line *line, time_t local)
{
	time_t of_day = local % DAY;

	if (line->day != local - of_day) {
		line->day = local - of_day;
		line->day_fits = day_fits(line, line->day);
	}
	return line->day_fits && line->hour[of_day / 3600] && line->minute[of_day / 60 % 60];
}

static void line_init(struct line *line, const char *text)
{
	memset(line, 0, sizeof(*line));
	line->day = -1;
	sscanf(text, "%63s %63s %63s %63s %63s", line->text[0], line->text[1], line->text[2],
	       line->text[3], line->text[4]);
	for (int i = 0; i < 60; i++)
		line->minute[i] = list_fits(line->text[0], i, 0, 59);
	for (int i = 0; i < 24; i++)
		line->hour[i] = list_fits(line->text[1], i, 0, 23);
	for (int i = 1; i <= 12; i++)
		line->month[i] = list_fits(line->text[3], i, 1, 12);
}

/* ---- when does it fire? ---- */

static int64_t fires[4 * WINDOW_MAX];
static int fire_count;

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sort_fires(void)
{
	int kept = 0;

	qsort(fires, (size_t)fire_count, sizeof(fires[0]), compare);
	for (int i = 0; i < fire_count; i++) {
		if (kept == 0 || fires[kept - 1] != fires[i])
			fires[kept++] = fires[i];
	}
	fire_count = kept;
}

/* All firings from `from` to before `to`; the walk begins early enough to know the wall's past. */
static void walk_minutes(struct line *line, const struct zone *zone, int64_t from, int64_t to)
{
	bool real = line->text[1][0] == '*';
	struct zone_span span = {0};
	int64_t shown = INT64_MIN; /* the wall has shown all before this */
	int64_t offset_before = 0;

	fire_count = 0;
	for (int64_t t = from - 2 * DAY; t < to; t += 60) {
		offset_before = span.offset;
		if (t >= span.end)
			zone_span_at(zone, t, &span);
		int64_t local = t + span.offset;
		if (real) {
			if (t >= from && minute_fits(line, local))
				fires[fire_count++] = t;
			continue;
		}
		for (int64_t l = shown; shown != INT64_MIN && l < local; l += 60) {
			if (l - offset_before >= from && l - offset_before < to &&
			    minute_fits(line, l))
				fires[fire_count++] = l - offset_before;
		}
		if (local >= shown) {
			if (t >= from && minute_fits(line, local))
				fires[fire_count++] = t;
			shown = local + 60;
		}
	}
	sort_fires();
}

/* ---- compare ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static void check(bool ok, const char *line, const struct zone *zone, int64_t after, int64_t want,
		  int64_t got)
{
	answers++;
	if (ok)
		return;
	if (wrong++ < 20)
		printf("FAIL '%s' in %s after %lld: want %lld, got %lld\n", line, zone_name(zone),
		       (long long)after, (long long)want, (long long)got);
}

/* From fire to fire through the window; then from anywhere in it, forwards and back. */
static void compare_window(const struct schedule *s, const char *text, int64_t from, int64_t to)
{
	const struct zone *zone = schedule_zone(s);
	usec_t at = from * USEC_PER_SEC - 1, end = to * USEC_PER_SEC - 1, next, prev;

	for (int i = 0; i <= fire_count; i++) {
		usec_t want = i < fire_count ? fires[i] * USEC_PER_SEC : end + 1;
		int found = schedule_next(s, at, &next);
		bool ok = i < fire_count ? found && next == want : !found || next >= want;

		check(ok, text, zone, at, want, found ? next : -1);
		at = want;
	}
	for (int i = 0; i < 12; i++) {
		int next_index = 0;
		at = (from + random_below((uint32_t)(to - from))) * USEC_PER_SEC +
		     (i % 2 ? random_below(1000000) : 0);
		while (next_index < fire_count && fires[next_index] * USEC_PER_SEC <= at)
			next_index++;
		usec_t want = next_index < fire_count ? fires[next_index] * USEC_PER_SEC : -1;
		if (!schedule_next(s, at, &next) || next > end)
			next = -1;
		check(next == want, text, zone, at, want, next);
		want = next_index > 0 ? fires[next_index - 1] * USEC_PER_SEC : -1;
		if (!schedule_prev(s, from * USEC_PER_SEC - 1, at, &prev))
			prev = -1;
		check(prev == want, text, zone, at, want, prev);
	}
	check(schedule_count(s, from * USEC_PER_SEC - 1, end, INT64_MAX) == fire_count, text, zone,
	      from, fire_count, -1);
}

static void try_line(const char *text, const struct zone *zone, int64_t from, int64_t to)
{
	struct schedule_spec spec = {SCHEDULE_CRON, text, zone, 0};
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error err = {0};
	struct line line;
	long before = wrong;

	if (schedule_parse(&spec, &s, &err) < 0) {
		printf("FAIL '%s': %s\n", text, err.message);
		failed++;
		return;
	}
	line_init(&line, text);
	walk_minutes(&line, zone, from, to);
	compare_window(s, text, from, to);
	if (wrong == before)
		passed++;
	else
		failed++;
}

/* ---- zones ---- */

static const struct zone *zones[2048];
static size_t zone_count;

static int on_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *name = path + sizeof(ZONE_FOLDER);
	const struct zone *zone;
	struct error err;

	(void)st;
	(void)ftw;
	if (type != FTW_F || !isupper((unsigned char)*name) || zone_count == COUNT(zones))
		return 0;
	if (zone_get(name, &zone, &err) == 0)
		zones[zone_count++] = zone;
	return 0;
}

/* The clock changes of a zone between two instants, as one text: zones alike are walked once. */
static char *changes_of(const struct zone *zone, int64_t from, int64_t to)
{
	AUTO_BUF struct buf out = {0};
	struct zone_span span;

	for (int64_t t = from; t < to; t = span.end) {
		zone_span_at(zone, t, &span);
		buf_printf(&out, "%lld:%d ", (long long)(t == from ? 0 : span.start), span.offset);
		if (span.end == INT64_MAX)
			break;
	}
	return buf_steal(&out);
}

/* clang-format off */
static const char *const all_lines[] = {
	"* * * * *", "*/15 * * * *", "*/7 * * * *", "0 * * * *", "30 * * * *", "45 */2 * * *", "0 */2 * * *",
	"0 */3 * * *", "15 */5 * * *", "*/20 */4 * * 0", "0 */24 * * *", "30 */1 L * *",
	"0 0 * * *", "30 0 * * *", "59 23 * * *", "30 1 * * *", "0 1 * * *", "0 2 * * *", "30 2 * * *", "59 2 * * *",
	"0 3 * * *", "15 3 * * *", "30 3 * * *", "15 1,2,3 * * *", "0,15,30,45 2 * * *", "0 0-23 * * *", "*/10 0-4 * * *",
	"30 2,3 * * *", "*/30 2 * * sun", "30 2 L * *", "30 2 * * sunL", "30 2 * * 7#2", "15 2 29,30,31 3 *",
	"0 2 1-7 11 0", "30 1 1W,15W,LW * *", "5 4 L-3 * *", "0 0 * 3,4,9,10,11 sat,sun", "45 23,0,1,2 * * 6-7",
	"* 2 * * *", "17 1/2 * * *", "0 12 */2 * */2", "30 2 13 * 5",
};
/* clang-format on */

/* For the years around: one of each kind, for changes at night and for days that were skipped. */
static const char *const few_lines[] = {"*/20 * * * *", "15 0,1,2,3,23 * * *", "30 2,12 * * *"};

/* Which clock changes to look at, how far around each, and with which lines. */
static const struct sweep {
	const char *years;
	int64_t from, to, around;
	const char *const *lines;
	size_t line_count;
} sweeps[] = {
	{"2024 to 2028", 1704067200, 1861920000, 48 * 3600, all_lines, COUNT(all_lines)},
	{"1980 to 2029", 315532800, 1893456000, 28 * 3600, few_lines, COUNT(few_lines)},
};

static void try_zone(const struct zone *zone, const struct sweep *w)
{
	struct zone_span span;

	for (zone_span_at(zone, w->from, &span); span.end < w->to;
	     zone_span_at(zone, span.end, &span)) {
		for (size_t i = 0; i < w->line_count; i++)
			try_line(w->lines[i], zone, span.end - w->around, span.end + w->around);
	}
}

static void try_all_zones(const struct sweep *w)
{
	char *seen[COUNT(zones)];
	size_t seen_count = 0;

	for (size_t i = 0; i < zone_count; i++) {
		char *changes = changes_of(zones[i], w->from, w->to);
		bool known = false;

		for (size_t j = 0; j < seen_count && !known; j++)
			known = strcmp(seen[j], changes) == 0;
		if (known) {
			free(changes);
			continue;
		}
		seen[seen_count++] = changes;
		try_zone(zones[i], w);
	}
	printf("%s: %zu zones, %zu of them different\n", w->years, zone_count, seen_count);
	while (seen_count > 0)
		free(seen[--seen_count]);
}

/* ---- random lines ---- */

static void add_random_item(struct buf *out, int min, int max)
{
	int low = min + (int)random_below((uint32_t)(max - min + 1));
	int high = low + (int)random_below((uint32_t)(max - low + 1));

	switch (random_below(6)) {
	case 0:
		buf_printf(out, "%d-%d", low, high);
		break;
	case 1:
		buf_printf(out, "%d-%d/%u", low, high, 1 + random_below(5));
		break;
	case 2:
		buf_printf(out, "%d/%u", low, 1 + random_below(6));
		break;
	default:
		buf_printf(out, "%d", low);
	}
}

static void add_random_field(struct buf *out, int min, int max, const char *const *special,
			     uint32_t special_count)
{
	uint32_t kind = random_below(10);

	if (kind < 4) {
		buf_add_char(out, '*');
		if (kind == 0)
			buf_printf(out, "/%u", 1 + random_below((uint32_t)(max - min + 1)));
		return;
	}
	for (uint32_t n = 1 + random_below(3); n > 0; n--) {
		if (special_count && random_below(3) == 0)
			buf_add_str(out, special[random_below(special_count)]);
		else
			add_random_item(out, min, max);
		if (n > 1)
			buf_add_char(out, ',');
	}
}

static void try_random(void)
{
	static const char *const dates[] = {"L", "L-1", "L-5", "LW", "1W", "15W", "31W", "30w"};
	static const char *const weekdays[] = {"friL", "0L",  "7L",	"mon#1",
					       "5#5",  "7#2", "sat-sun"};
	AUTO_BUF struct buf text = {0};
	const struct zone *zone = zones[random_below((uint32_t)zone_count)];
	int64_t from = 157766400 + (int64_t)random_below(120 * 12) * 30 * DAY;

	add_random_field(&text, 0, 59, NULL, 0);
	buf_add_char(&text, ' ');
	add_random_field(&text, 0, 23, NULL, 0);
	buf_add_char(&text, ' ');
	add_random_field(&text, 1, 31, dates, COUNT(dates));
	buf_add_char(&text, ' ');
	add_random_field(&text, 1, 12, NULL, 0);
	buf_add_char(&text, ' ');
	add_random_field(&text, 0, 6, weekdays, COUNT(weekdays));
	try_line(buf_text(&text), zone, from, from + 32 * DAY);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	long rounds = argc > 2 ? atol(argv[2]) : 1500;

	nftw(ZONE_FOLDER, on_file, 16, FTW_PHYS);
	random_state = seed;
	for (size_t i = 0; i < COUNT(sweeps); i++)
		try_all_zones(&sweeps[i]);
	for (long i = 0; i < rounds; i++)
		try_random();
	printf("seed %llu, %ld answers\n", (unsigned long long)seed, answers);
	printf("%ld passed, %ld failed\n", passed, failed);
	return failed || !passed;
}
