#pragma once
/*
 * The rule at the end of a zone file: a POSIX TZ string ("CET-1CEST,M3.5.0,M10.5.0/3") that goes on
 * where the table of clock changes stops. Internal to the zone files, see zone.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A kind of local time: what a clock shows, not when. */
struct zone_type {
	int32_t offset; /* seconds east of UTC */
	bool dst;
	const char *abbreviation;
};

enum zone_day_kind { ZONE_DAY_JULIAN, ZONE_DAY_ZERO, ZONE_DAY_WEEK };

/* A day of every year, and a time of day that may lie days before or after it. */
struct zone_day {
	enum zone_day_kind kind;
	int month, week, day; /* day: 1-365 (Julian), 0-365 (zero), 0-6 from Sunday (week) */
	int32_t seconds;
};

enum zone_rule_year { ZONE_ALL_STANDARD, ZONE_ALL_DST, ZONE_DST_INSIDE, ZONE_STANDARD_INSIDE };

struct zone_rule {
	enum zone_rule_year year; /* what lies inside the two days of a year */
	struct zone_type standard, dst;
	struct zone_day start, end; /* of DST */
};

struct zone_rule_span {
	int64_t start, end; /* INT64_MIN and INT64_MAX where it has no edge */
	bool dst;
};

/*
 * Parse `len` bytes of rule. The abbreviations are copied to `names`, which has room for len + 2
 * bytes and must outlive the rule. Failure: ERR_INVALID with the column.
 */
int zone_rule_parse(const char *text, size_t len, char *names, struct zone_rule *ret,
		    struct error *err);

/* The stretch around an instant in which the rule says the same. Total, and constant in work. */
struct zone_rule_span zone_rule_span_at(const struct zone_rule *rule, int64_t utc_seconds);
