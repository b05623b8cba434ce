#pragma once
/*
 * From the local times of a rule to instants, across the clock changes of a zone: the one place
 * that knows what a skipped and a repeated hour mean for a schedule. See "Time" in the design.
 */
#include <stdbool.h>
#include <stdint.h>

#include "schedule/zone.h"

struct walk {
	const struct zone *zone;
	/* The rule's first local time strictly after `after`; false when there is none. */
	bool (*next_local)(const void *rule, local_t after, local_t *ret);
	const void *rule;
	/*
	 * True: fire whenever the clock on the wall shows a time of the rule: never for one that is
	 * skipped, twice for one that is repeated. False: fire once for each time of the rule: a
	 * skipped one later by the gap, a repeated one the first time.
	 */
	bool real;
};

/* The first firing strictly after `after`, in seconds of UTC; false when none until `until`. */
bool walk_next(const struct walk *walk, int64_t after, int64_t until, int64_t *ret);
