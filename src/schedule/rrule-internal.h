#pragma once
/*
 * What the files of the recurrence rules share, and nobody else includes:
 *
 *	rrule-parse.c   iCalendar: properties, dates, zones            text -> struct rrule
 *	rrule-text.c    unfolding, columns, one date
 *	rrule-part.c    the value of RRULE: parts, lists, numbers     text -> struct rrule_parts
 *	rrule-build.c   parts and DTSTART to masks                    struct rrule_parts -> struct
 *rrule rrule-day.c     which days match, month by month rrule-clock.c   which times of day match
 *	rrule-expand.c  the next occurrence
 *	rrule-count.c   where COUNT ends
 */
#include <stddef.h>

#include "schedule/rrule.h"

/* Limits on what may be typed. The text bounds the dates of EXDATE and RDATE as well. */
#define RRULE_TEXT_MAX 8192 /* bytes */
#define RRULE_LIST_MAX 1000 /* items of one BY list */

/* An occurrence further away than one cycle of the calendar is taken for none. */
#define RRULE_HORIZON ((int64_t)146097 * DAY_SECONDS)

/* Steps that finding the end of COUNT may take where it must be enumerated. */
#define RRULE_COUNT_STEPS 100000

/* No period lies this many periods away, so a greater INTERVAL means the same. */
#define RRULE_INTERVAL_MAX ((int64_t)1000000000000)

enum rrule_freq {
	RRULE_SECONDLY,
	RRULE_MINUTELY,
	RRULE_HOURLY,
	RRULE_DAILY,
	RRULE_WEEKLY,
	RRULE_MONTHLY,
	RRULE_YEARLY,
};
#define RRULE_FREQS 7

/* A set of numbers from 0 to 383: days of a year, weeks, positions. */
#define RRULE_BITS_WORDS 6
struct rrule_bits {
	uint64_t word[RRULE_BITS_WORDS];
};

static inline void rrule_bits_add(struct rrule_bits *b, int n)
{
	b->word[n / 64] |= UINT64_C(1) << (n % 64);
}

static inline bool rrule_bits_has(const struct rrule_bits *b, int n)
{
	return b->word[n / 64] >> (n % 64) & 1;
}

/* The least member >= n, the greatest <= n; -1 when there is none. */
int rrule_bits_next(const struct rrule_bits *b, int n);
int rrule_bits_prev(const struct rrule_bits *b, int n);

/* A set of numbers that count from the start (+1 …) or from the end (-1 …). */
struct rrule_set {
	struct rrule_bits plus, minus;
};

/* The parts of a rule. Those before RRULE_PART_FREQ are lists of numbers and index by[]. */
enum rrule_part {
	RRULE_BYMONTH,
	RRULE_BYWEEKNO,
	RRULE_BYYEARDAY,
	RRULE_BYMONTHDAY,
	RRULE_BYHOUR,
	RRULE_BYMINUTE,
	RRULE_BYSECOND,
	RRULE_BYSETPOS,
	RRULE_PART_FREQ,
	RRULE_PART_INTERVAL,
	RRULE_PART_COUNT,
	RRULE_PART_UNTIL,
	RRULE_PART_WKST,
	RRULE_PART_BYDAY,
};
#define RRULE_BY_LISTS RRULE_PART_FREQ
#define RRULE_PARTS (RRULE_PART_BYDAY + 1)

/* A date as written; what it means may depend on the rule's zone and DTSTART. */
struct rrule_stamp {
	local_t local;
	bool is_date, is_utc;
};

/* A rule as written. */
struct rrule_parts {
	int column[RRULE_PARTS]; /* 0: the part is not given */
	enum rrule_freq freq;
	int64_t interval, count;
	struct rrule_stamp until;
	int wkst;
	struct rrule_set by[RRULE_BY_LISTS];
	unsigned weekdays;	 /* BYDAY without a number: bit 0 is Monday */
	struct rrule_set nth[7]; /* BYDAY with one, by weekday */
	bool has_nth;
};

/* The text with folds taken out, properties separated by '\n'; where each byte came from. */
struct rrule_text {
	char *text;
	uint16_t *column; /* from 1 */
	struct error *err;
};

struct rrule_slice {
	const char *at;
	size_t len;
};

/* Times of day as a product of sets. Seconds since midnight everywhere. */
struct rrule_clock {
	uint32_t hours;
	uint64_t minutes, seconds;
};
#define RRULE_HOURS_ALL ((UINT32_C(1) << 24) - 1)
#define RRULE_SIXTY_ALL ((UINT64_C(1) << 60) - 1)

/* What depends on the place of a day in its year. */
struct rrule_year {
	bool has_yearday, has_nth, has_weekno;
	struct rrule_bits yearday[2]; /* by leap year */
	struct rrule_bits nth[2][7];  /* by leap year and the weekday of January 1st */
	struct rrule_set weekno;
};

struct rrule_span {
	local_t first, last;
};

struct rrule {
	const struct zone *zone;
	local_t dtstart;
	bool has_rule, fixes_time;

	enum rrule_freq freq;
	int64_t interval;
	int64_t phase; /* DTSTART's period: year, month, week, day, or the second its unit began */
	int wkst;
	local_t last; /* the rule has no occurrence after this */

	/* Days: bit 0 is the 1st, and tables go by the month's length less 28. */
	bool every_day; /* nothing below excludes any */
	uint16_t months;
	uint32_t monthdays[4];
	uint32_t weekdays[7][4]; /* by the weekday of the 1st */
	uint32_t stride;	 /* DAILY: every INTERVAL-th bit */
	struct rrule_year *year; /* NULL: no such part */

	/* Times of day. */
	struct rrule_clock clock; /* all of them, but for picks */
	int32_t *picks;		  /* DAILY, HOURLY with BYSETPOS: seconds into the period, sorted */
	size_t picks_len;

	/* HOURLY and finer, when not every unit of the clock is in phase. Lengths in seconds. */
	bool by_unit;
	struct rrule_clock units, inner; /* when units begin, and the times within one */
	int64_t unit, step;		 /* one unit; INTERVAL of them */
	uint64_t *phases; /* bit n: a day whose first unit in phase is its n-th has a match */

	/* WEEKLY and coarser with BYSETPOS. */
	bool by_period;
	struct rrule_set positions;

	/* EXDATE and RDATE, sorted, apart. */
	struct rrule_span *excluded;
	local_t *added;
	size_t excluded_len, added_len;
};

/* Whether a day whose first unit in phase is its n-th has a match. */
static inline bool rrule_phase_has(const struct rrule *r, int64_t n)
{
	return !r->phases || r->phases[n / 64] >> (n % 64) & 1;
}

/* rrule-text.c */
#define RRULE_PROPERTIES 5
extern const char *const rrule_property_names[RRULE_PROPERTIES];
int rrule_text_init(struct rrule_text *t, const char *source, struct error *err);
void rrule_text_fini(struct rrule_text *t); /* also after a failure */
int rrule_column(const struct rrule_text *t, const char *at);

/* "20260131", "20260131T090000", "20260131T090000Z". */
int rrule_stamp_parse(const struct rrule_text *t, const char *part, struct rrule_slice value,
		      struct rrule_stamp *ret);

/* ERR_INVALID: what is wrong, with the slice quoted and its column. */
int rrule_bad(const struct rrule_text *t, const char *what, struct rrule_slice s, const char *hint);

/* rrule-part.c: read the value of RRULE and refuse what RFC 5545 forbids to combine. */
int rrule_parts_parse(const struct rrule_text *t, struct rrule_slice value,
		      struct rrule_parts *ret);

/* rrule-build.c: fill in all but dates and end; zone, dtstart are set. `own_dtstart`: the text has
 * a DTSTART, whose time of day then counts to the second. False: the rule can never match. */
bool rrule_build(struct rrule *r, const struct rrule_parts *parts, bool own_dtstart);

/* rrule-clock.c: the first time >= t, or -1; how many there are, how many < t; the n-th from 0. */
int rrule_clock_next(const struct rrule_clock *c, int t);
int64_t rrule_clock_count(const struct rrule_clock *c);
int64_t rrule_clock_rank(const struct rrule_clock *c, int t);
int rrule_clock_at(const struct rrule_clock *c, int64_t n);

/* The same for the times of one day, or of one unit when the rule goes by units. */
int rrule_time_next(const struct rrule *r, int t);
int64_t rrule_time_count(const struct rrule *r);
int64_t rrule_time_rank(const struct rrule *r, int t);
int rrule_time_at(const struct rrule *r, int64_t n);

/* rrule-day.c: a walk over the months that hold matching days, up to a last day. */
struct rrule_walk {
	const struct rrule *rule;
	int64_t last;
	int64_t first; /* the month's first day */
	int year, month, len, weekday;
	uint32_t mask; /* its matching days */
	int64_t steps; /* work done so far */
};
void rrule_walk_init(struct rrule_walk *w, const struct rrule *r, int64_t day, int64_t last);

/* Go to the first month, from that of `day` on, that INTERVAL and BYMONTH allow. */
bool rrule_walk_month(struct rrule_walk *w, int64_t day);

/* Find the first matching day >= `day`. */
bool rrule_walk_day(struct rrule_walk *w, int64_t day, int64_t *ret);

/* The week of a day, counted from 1970 with the rule's WKST, and the first day of a week. */
int64_t rrule_week_of(const struct rrule *r, int64_t day);
int64_t rrule_week_start(const struct rrule *r, int64_t week);

/* rrule-expand.c: the rule's first occurrence in [from, limit], from >= DTSTART; EXDATE and RDATE
 * not applied. *steps grows by the work done. */
bool rrule_expand(const struct rrule *r, local_t from, local_t limit, int64_t *steps, local_t *ret);

/* rrule-count.c: the last of `count` occurrences, LOCAL_MAX if the calendar ends first. False when
 * that would take too long. */
bool rrule_count_last(const struct rrule *r, int64_t count, local_t *ret);
