/*
 * schedule.c: one question for all kinds of schedule.
 * `at` and `every` are arithmetic on instants and know no zone; cron lines and rules give local
 * times, and walk.c brings those through the zone. `idle` has no times: when it fires is up to an
 * agent, and the answer here is always "never". Whatever comes in is first brought between
 * INSTANT_MIN and INSTANT_MAX, where no sum below can overflow, and nothing fires outside.
 *
 * Looking back is looking forward, repeatedly: no kind needs a second search that has to agree with
 * the first. The last firing is found by stepping back ever wider until one fires in between, then
 * by halving, some sixty questions at most for the longest reach there is.
 */
#include "schedule/schedule.h"

#include <string.h>

#include "base/mem.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/schedule-parts.h"

#define EVERY_MIN USEC_PER_SEC
#define IDLE_MAX (52 * USEC_PER_WEEK)
#define LAST_INSTANT (INSTANT_MAX / USEC_PER_SEC)
#define TABLES_END ((int64_t)4102444800) /* 2100: zone files list no change behind it */
#define CYCLE ((int64_t)(146097 + 366) * DAY_SECONDS) /* 400 years, and one to spare */

static const char *const kind_words[SCHEDULE_KINDS] = {
	[SCHEDULE_AT] = "at",	    [SCHEDULE_EVERY] = "every", [SCHEDULE_CRON] = "cron",
	[SCHEDULE_RRULE] = "rrule", [SCHEDULE_IDLE] = "idle",
};

const char *schedule_kind_word(enum schedule_kind kind)
{
	return kind_words[kind];
}

int schedule_kind_of(const char *word)
{
	for (int i = 0; i < SCHEDULE_KINDS; i++) {
		if (strcmp(word, kind_words[i]) == 0)
			return i;
	}
	return -1;
}

static bool is_instant(usec_t t)
{
	return t >= INSTANT_MIN && t <= INSTANT_MAX;
}

static int check_anchor(usec_t anchor, struct error *err)
{
	if (is_instant(anchor))
		return 0;
	return error_set(err, ERR_INVALID,
			 "a schedule cannot start outside the years 1900 to 9998");
}

static int parse_at(struct schedule *s, struct error *err)
{
	if (instant_parse(s->text, s->zone, &s->at, err) < 0)
		return err->code;
	if (!is_instant(s->at))
		return error_set(err, ERR_INVALID, "time '%s' is not within the years 1900 to 9998",
				 s->text);
	return 0;
}

static int parse_every(struct schedule *s, struct error *err)
{
	if (duration_parse(s->text, &s->interval, err) < 0 || check_anchor(s->anchor, err) < 0)
		return err->code;
	if (s->interval >= EVERY_MIN)
		return 0;
	error_set(err, ERR_INVALID, "interval '%s' is too short", s->text);
	return error_hint(err, "the shortest interval is 1s");
}

static int parse_idle(struct schedule *s, struct error *err)
{
	if (duration_parse(s->text, &s->interval, err) < 0)
		return err->code;
	if (s->interval >= EVERY_MIN && s->interval <= IDLE_MAX)
		return 0;
	error_set(err, ERR_INVALID, "'%s' of idleness is too %s", s->text,
		  s->interval < EVERY_MIN ? "short" : "long");
	return error_hint(err, "from 1s to 52w");
}

static bool next_of_cron(const void *rule, local_t after, local_t *ret)
{
	return cron_next_local(rule, after, ret);
}

static int parse_cron(struct schedule *s, struct error *err)
{
	if (cron_parse(s->text, &s->cron, err) < 0)
		return err->code;
	s->walk = (struct walk){s->zone, next_of_cron, s->cron, cron_is_hourly(s->cron)};
	return 0;
}

static bool next_of_rrule(const void *rule, local_t after, local_t *ret)
{
	return rrule_next_local(rule, after, ret);
}

static int parse_rrule(struct schedule *s, struct error *err)
{
	if (check_anchor(s->anchor, err) < 0 ||
	    rrule_parse(s->text, s->zone, zone_local(s->zone, s->anchor), &s->rrule, err) < 0)
		return err->code;
	s->zone = rrule_zone(s->rrule);
	s->walk = (struct walk){s->zone, next_of_rrule, s->rrule, rrule_is_subdaily(s->rrule)};
	return 0;
}

int schedule_parse(const struct schedule_spec *spec, struct schedule **ret, struct error *err)
{
	static int (*const parsers[SCHEDULE_KINDS])(struct schedule *, struct error *) = {
		[SCHEDULE_AT] = parse_at,     [SCHEDULE_EVERY] = parse_every,
		[SCHEDULE_CRON] = parse_cron, [SCHEDULE_RRULE] = parse_rrule,
		[SCHEDULE_IDLE] = parse_idle,
	};
	AUTO(schedule_free) struct schedule *s = mem_zalloc(sizeof(*s));

	s->kind = spec->kind;
	s->text = mem_strdup(spec->text);
	s->zone = spec->zone;
	s->anchor = spec->anchor;
	if (parsers[s->kind](s, err) < 0)
		return err->code;
	*ret = steal_ptr(&s);
	return 0;
}

void schedule_free(struct schedule *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->cron);
	if (s->rrule)
		rrule_free(s->rrule);
	free(s);
}

/* The last point of the grid at or before `upto`: its number k, 0 when none has come yet. */
static int64_t grid_number(const struct schedule *s, usec_t upto)
{
	return upto < s->anchor ? 0 : (upto - s->anchor) / s->interval;
}

/*
 * How far to look. The calendar repeats after 400 years, weekdays included, and with it whatever a
 * cron line says and the rule that continues a zone's table: what has not fired in one such cycle
 * behind the table never will. That is said soon even of a line whose every time is skipped.
 */
static int64_t horizon(const struct schedule *s, int64_t after)
{
	int64_t end = (after > TABLES_END ? after : TABLES_END) + CYCLE;

	return s->cron && end < LAST_INSTANT ? end : LAST_INSTANT;
}

static int next_by_walk(const struct schedule *s, usec_t after, usec_t *ret)
{
	int64_t seconds = floor_div(after, USEC_PER_SEC), next;

	if (!walk_next(&s->walk, seconds, horizon(s, seconds), &next))
		return 0;
	*ret = next * USEC_PER_SEC;
	return 1;
}

int schedule_next(const struct schedule *s, usec_t after, usec_t *ret)
{
	usec_t next;

	if (after >= INSTANT_MAX || s->kind == SCHEDULE_IDLE)
		return 0;
	after = after < INSTANT_MIN ? INSTANT_MIN - 1 : after;
	switch (s->kind) {
	case SCHEDULE_AT:
		next = s->at > after ? s->at : USEC_NONE;
		break;
	case SCHEDULE_EVERY:
		next = s->anchor + (grid_number(s, after) + 1) * s->interval;
		break;
	default:
		return next_by_walk(s, after, ret);
	}
	if (!is_instant(next))
		return 0;
	*ret = next;
	return 1;
}

/* Between a firing `at` and `high`, behind which there is none until the end: the last one. */
static usec_t last_between(const struct schedule *s, usec_t at, usec_t high)
{
	usec_t middle, next;

	while (schedule_next(s, at, &next) && next <= high) {
		at = next;
		middle = at + (high - at) / 2;
		if (schedule_next(s, middle, &next) && next <= high)
			at = next;
		else
			high = middle;
	}
	return at;
}

static int prev_by_search(const struct schedule *s, usec_t floor, usec_t upto, usec_t *ret)
{
	usec_t low = upto, step = USEC_PER_MINUTE, at = 0;
	bool found = false;

	while (!found && low > floor) {
		low = upto - floor > step ? upto - step : floor;
		found = schedule_next(s, low, &at) && at <= upto;
		step *= 4;
	}
	if (!found)
		return 0;
	*ret = last_between(s, at, upto);
	return 1;
}

int schedule_prev(const struct schedule *s, usec_t floor, usec_t upto, usec_t *ret)
{
	usec_t last;

	floor = floor < INSTANT_MIN ? INSTANT_MIN - 1 : floor;
	upto = upto > INSTANT_MAX ? INSTANT_MAX : upto;
	if (upto <= floor || s->kind == SCHEDULE_IDLE)
		return 0;
	if (s->kind == SCHEDULE_AT)
		last = s->at;
	else if (s->kind == SCHEDULE_EVERY)
		last = s->anchor + grid_number(s, upto) * s->interval;
	else
		return prev_by_search(s, floor, upto, ret);
	if (last <= floor || last > upto || (s->kind == SCHEDULE_EVERY && last == s->anchor))
		return 0;
	*ret = last;
	return 1;
}

int64_t schedule_count(const struct schedule *s, usec_t after, usec_t upto, int64_t limit)
{
	int64_t count = 0;
	usec_t at = after < INSTANT_MIN ? INSTANT_MIN - 1 : after;

	upto = upto > INSTANT_MAX ? INSTANT_MAX : upto;
	if (upto <= at)
		return 0;
	if (s->kind == SCHEDULE_AT)
		return s->at > at && s->at <= upto;
	if (s->kind == SCHEDULE_EVERY)
		return grid_number(s, upto) - grid_number(s, at);
	while (count < limit && schedule_next(s, at, &at) && at <= upto)
		count++;
	return count;
}

enum schedule_kind schedule_kind(const struct schedule *s)
{
	return s->kind;
}

usec_t schedule_span(const struct schedule *s)
{
	return s->interval;
}

const struct zone *schedule_zone(const struct schedule *s)
{
	return s->zone;
}
