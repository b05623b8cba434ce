#pragma once
/*
 * Time zones, read from the system's zone files (RFC 9636, with the POSIX rule at the end, so that
 * years past the table work). A zone is immutable and lives as long as the process: zone_get()
 * answers the same pointer for the same name, and nobody frees it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "schedule/calendar.h"

struct zone;

/*
 * Find a zone by its IANA name ("Europe/Berlin", "UTC"). Never reads outside the zone folder
 * (/usr/share/zoneinfo, or $TZDIR). Failure: ERR_INVALID naming the zone, with the nearest name as
 * hint where there is one.
 */
int zone_get(const char *name, const struct zone **ret, struct error *err);
const struct zone *zone_utc(void);
const char *zone_name(const struct zone *zone);

/* A stretch of time with one offset: [start, end) in seconds of UTC. */
struct zone_span {
	int64_t start, end; /* INT64_MIN and INT64_MAX where it has no edge */
	int32_t offset;	    /* seconds east of UTC */
	bool dst;
	const char *abbreviation; /* "PST"; borrowed from the zone */
};
void zone_span_at(const struct zone *zone, int64_t utc_seconds, struct zone_span *ret);

/* The clock on the wall at an instant (the microseconds are dropped, rounding down). */
local_t zone_local(const struct zone *zone, usec_t instant);

/*
 * The instant (whole seconds) of a fixed local time, by the rules of time: one skipped by a clock
 * change happens later by the length of the gap (02:30 -> 03:30); one that occurs twice happens
 * the first time.
 */
usec_t zone_instant(const struct zone *zone, local_t local);

/*
 * The machine's zone: $TZ if it names a zone (a leading ':' is allowed), else what /etc/localtime
 * points at, else /etc/timezone, else "UTC". *ret_source is "TZ", "system" or "default".
 * Read when asked, never remembered.
 */
const struct zone *zone_of_machine(const char **ret_source);
/* The same without TZ: "system" or "default". */
const struct zone *zone_of_system(const char **ret_source);
/* The TZ of this process when it names no zone, so that it is not used; else NULL. */
const char *zone_unknown_tz(void);

/* Zones whose files have changed are read again when they are next asked for. Whether there was one. */
bool zone_refresh(void);
/* Those that were asked for and are in force, but UTC. */
size_t zone_known_count(void);
const struct zone *zone_known(size_t i);

/*
 * Which release of the zone files is installed ("# version 2026a"), "" when nothing says so. False: it cannot be read now.
 * When it differs from last time, instants worked out from local times may have moved.
 */
#define ZONE_RELEASE_MAX 64
bool zone_release(char ret[ZONE_RELEASE_MAX]);
