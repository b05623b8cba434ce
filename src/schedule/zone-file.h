#pragma once
/* A zone as it lies in memory, and how it gets there. Internal to the zone files, see zone.h. */
#include <time.h>

#include <stddef.h>

#include "base/auto.h"
#include "schedule/zone-rule.h"
#include "schedule/zone.h"

/* From `at` on, until the next edge, clocks show this type. */
struct zone_edge {
	int64_t at;
	const struct zone_type *type;
};

struct zone {
	char *name;
	struct zone_span recent[2]; /* the last two answers; empty at first */
	unsigned recent_older;	    /* the one to forget first */

	struct zone_edge *edges; /* ascending; the first is at INT64_MIN; no two neighbours alike */
	size_t edge_count;	 /* at least one */
	struct zone_type *types;
	char *abbreviations;

	struct zone_rule rule;
	struct timespec changed; /* of its file, when it was read */
	int64_t rule_from;	 /* where the rule takes over from the edges; INT64_MAX: never */
};

/*
 * Make a zone of the bytes of a zone file. Success: 0, *ret is the caller's. Failure: ERR_INVALID
 * naming the zone and what is wrong with its file; a damaged file is never more than an error.
 */
int zone_parse(const void *bytes, size_t len, const char *name, struct zone **ret,
	       struct error *err);
void zone_free(struct zone *zone);
DEFINE_AUTO(struct zone, zone_free)
