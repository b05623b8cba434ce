/*
 * naive.c: the occurrences of a schedule found the slow way, sharing nothing with schedule_next():
 * every local day is looked at for fixed times, every real minute for hourly ones. Only the zone
 * itself is trusted, which has an oracle of its own.
 */
#include "sim.h"

#include <stdlib.h>

#include "base/mem.h"

#define MARGIN_DAYS 3 /* no clock is further from UTC, and no gap is wider */

static void add(struct naive *n, usec_t instant, usec_t upto)
{
	if (instant <= n->start || instant > upto)
		return;
	if (n->count == n->cap) {
		n->cap = n->cap ? n->cap * 2 : 64;
		n->list = mem_grow(n->list, n->cap, sizeof(*n->list));
	}
	n->list[n->count++] = instant;
}

const struct zone *naive_zone(const char *name)
{
	const struct zone *zone = zone_utc();
	struct error err = {0};

	zone_get(name, &zone, &err);
	return zone;
}

static void add_local(struct naive *n, const struct zone *zone, local_t local, usec_t upto)
{
	usec_t instant = zone_instant(zone, local);

	/* By the clock on the wall: a gap may move the first of a day behind the second. */
	if (instant > n->start && (n->first == INSTANT_MAX || local < n->first_local)) {
		n->first = instant;
		n->first_local = local;
	}
	add(n, instant, upto);
}

static bool day_fits(const struct spec *s, int64_t day)
{
	struct civil date = {0};
	bool by_week = s->weekdays >> weekday_of_days(day) & 1, by_month;

	civil_from_days(day, &date.year, &date.month, &date.day);
	by_month = s->monthdays >> date.day & 1;
	/* Cron fires on either when both are given. */
	if (s->monthdays && s->weekdays)
		return by_week || by_month;
	return (!s->monthdays || by_month) && (!s->weekdays || by_week);
}

static bool rule_day_fits(const struct spec *s, int64_t day)
{
	int64_t first = floor_div(s->dtstart, DAY_SECONDS);
	int64_t monday = day - weekday_of_days(day);
	int64_t first_monday = first - weekday_of_days(first);

	if (s->freq == FREQ_DAILY)
		return floor_mod(day - first, s->interval) == 0 && day_fits(s, day);
	if (floor_mod(monday - first_monday, 7 * s->interval) != 0)
		return false;
	return s->weekdays ? day_fits(s, day) : weekday_of_days(day) == weekday_of_days(first);
}

/*
 * What a rule leaves open comes from DTSTART; without one, from the moment of creation, but then
 * a named hour is the full hour and a named minute the full minute.
 */
static struct civil open_parts(const struct spec *s)
{
	struct civil from = civil_from_local(s->dtstart);

	if (!s->starts && s->hours)
		from.minute = from.second = 0;
	if (!s->starts && s->minutes)
		from.second = 0;
	return from;
}

/* The times of day, each at most once; `second` of them all. */
static void fixed_day(struct naive *n, const struct zone *zone, int64_t day, usec_t upto,
		      int64_t *counted)
{
	const struct spec *s = n->spec;
	bool rule = s->kind == SCHEDULE_RRULE;
	struct civil from = open_parts(s);

	for (int hour = 0; hour < 24; hour++) {
		if (s->hours ? !(s->hours >> hour & 1) : rule && hour != from.hour)
			continue;
		for (int minute = 0; minute < 60; minute++) {
			local_t local = day * DAY_SECONDS + hour * 3600 + minute * 60;

			if (s->minutes ? !(s->minutes >> minute & 1)
				       : rule && minute != from.minute)
				continue;
			if (rule && (local += from.second) < s->dtstart)
				continue;
			if (rule && s->count && ++*counted > s->count)
				return;
			add_local(n, zone, local, upto);
		}
	}
}

static void fixed_times(struct naive *n, usec_t upto)
{
	const struct spec *s = n->spec;
	const struct zone *zone = naive_zone(s->zone);
	int64_t first = floor_div(zone_local(zone, n->start), DAY_SECONDS) - MARGIN_DAYS;
	int64_t last = floor_div(zone_local(zone, upto), DAY_SECONDS) + MARGIN_DAYS;
	int64_t counted = 0;

	if (s->kind == SCHEDULE_RRULE && s->count) /* counting begins at the beginning */
		first = floor_div(s->dtstart, DAY_SECONDS);
	for (int64_t day = first; day <= last; day++)
		if (s->kind == SCHEDULE_RRULE ? rule_day_fits(s, day) : day_fits(s, day))
			fixed_day(n, zone, day, upto, &counted);
}

/* The day last, since it is the dearest to ask. */
static bool real_minute_fits(const struct spec *s, local_t local)
{
	int64_t second = floor_mod(local, DAY_SECONDS);
	int64_t hour = second / 3600, minute = second / 60 % 60;
	int64_t hours = floor_div(local, 3600) - floor_div(s->dtstart, 3600);

	if (s->hours && !(s->hours >> hour & 1))
		return false;
	if (s->minutes ? !(s->minutes >> minute & 1) : minute != s->dtstart / 60 % 60)
		return false;
	if (s->kind == SCHEDULE_RRULE && (local < s->dtstart || floor_mod(hours, s->interval) != 0))
		return false;
	return day_fits(s, floor_div(local, DAY_SECONDS));
}

/* Offsets are whole minutes in all our zones and years, so the second is the same everywhere. */
static void real_times(struct naive *n, usec_t upto)
{
	const struct spec *s = n->spec;
	const struct zone *zone = naive_zone(s->zone);
	int64_t second = s->kind == SCHEDULE_RRULE ? open_parts(s).second : 0;
	int64_t t = floor_div(n->start / USEC_PER_SEC, 60) * 60 - 60 + second;
	struct zone_span span = {0};

	for (; t * USEC_PER_SEC <= upto; t += 60) {
		if (t >= span.end || t < span.start)
			zone_span_at(zone, t, &span);
		if (real_minute_fits(s, t + span.offset))
			add(n, t * USEC_PER_SEC, upto);
	}
}

static int compare(const void *a, const void *b)
{
	usec_t x = *(const usec_t *)a, y = *(const usec_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_unique(struct naive *n)
{
	size_t kept = 0;

	if (n->count)
		qsort(n->list, n->count, sizeof(*n->list), compare);
	for (size_t i = 0; i < n->count; i++)
		if (!kept || n->list[kept - 1] != n->list[i])
			n->list[kept++] = n->list[i];
	n->count = kept;
}

void naive_init(struct naive *n, const struct spec *spec, usec_t start, usec_t upto)
{
	*n = (struct naive){.spec = spec, .start = start, .first = INSTANT_MAX};
	if (spec->kind == SCHEDULE_EVERY)
		return;
	if (spec->kind == SCHEDULE_AT)
		add(n, spec->at, upto);
	else if (spec->real)
		real_times(n, upto);
	else
		fixed_times(n, upto);
	sort_unique(n);
}

void naive_fini(struct naive *n)
{
	free(n->list);
	*n = (struct naive){0};
}

static int64_t grid(const struct spec *s, usec_t t)
{
	return t <= s->anchor ? 0 : (t - s->anchor) / s->every;
}

int64_t naive_rank(const struct naive *n, usec_t t)
{
	size_t low = 0, high = n->count;

	if (t <= n->start)
		return 0;
	if (n->spec->kind == SCHEDULE_EVERY)
		return grid(n->spec, t) - grid(n->spec, n->start);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (n->list[middle] <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low;
}

bool naive_has(const struct naive *n, usec_t t)
{
	return naive_rank(n, t) == naive_rank(n, t - 1) + 1;
}

/* Local times are walked, not instants: the first may be one that a gap moved. */
void naive_anchor(struct spec *spec, usec_t now)
{
	const struct zone *zone = naive_zone(spec->zone);
	struct naive n;
	struct spec endless = *spec;

	endless.dtstart = zone_local(zone, now);
	endless.count = 0;
	naive_init(&n, &endless, now, now + 60 * USEC_PER_DAY);
	spec->dtstart = endless.dtstart;
	if (n.count)
		spec->dtstart = n.first < INSTANT_MAX ? n.first_local : zone_local(zone, n.list[0]);
	naive_fini(&n);
}
