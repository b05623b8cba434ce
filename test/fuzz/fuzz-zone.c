/*
 * fuzz-zone.c: the bytes of a zone file are refused with a reason, or make a zone that keeps its
 * word: spans follow one another without holes and hold what was asked, and from an instant to
 * local time and back comes out the same instant or an earlier pass of the same local time.
 */
#include <string.h>

#include "fuzz.h"
#include "schedule/instant.h"
#include "schedule/zone-file.h"

#define SPANS_MAX 300

static void check_way_back(const struct zone *zone, int64_t t)
{
	local_t local;
	int64_t back;

	if (t < INSTANT_MIN / USEC_PER_SEC || t > INSTANT_MAX / USEC_PER_SEC)
		return;
	local = zone_local(zone, t * USEC_PER_SEC);
	back = zone_instant(zone, local) / USEC_PER_SEC;
	FUZZ_CHECK(back <= t);
	FUZZ_CHECK(zone_local(zone, back * USEC_PER_SEC) == local);
	/* A time that may have been skipped: all that is known is that it has some instant. */
	zone_instant(zone, local - 1);
}

static void check_span(const struct zone *zone, int64_t t, struct zone_span *ret)
{
	struct zone_span again;

	zone_span_at(zone, t, ret);
	FUZZ_CHECK(ret->start <= t && (t < ret->end || ret->end == INT64_MAX));
	FUZZ_CHECK(ret->offset > -26 * 3600 && ret->offset < 26 * 3600);
	FUZZ_CHECK(strlen(ret->abbreviation) < 1 << 20);
	zone_span_at(zone, t, &again);
	FUZZ_CHECK(again.start == ret->start && again.end == ret->end);
	check_way_back(zone, t);
}

static void walk(const struct zone *zone, int64_t from)
{
	struct zone_span span, next;

	check_span(zone, from, &span);
	for (int i = 0; i < SPANS_MAX && span.end != INT64_MAX; i++) {
		check_way_back(zone, span.end - 1);
		check_span(zone, span.end, &next);
		FUZZ_CHECK(next.end > span.end);
		check_way_back(zone, span.end + 3600);
		span = next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t moments[] = {INT64_MIN,	 -5000000000, 0,
					  2145916800,	 32503680000, LOCAL_MAX,
					  INT64_MAX - 1, INT64_MAX};
	AUTO(zone_free) struct zone *zone = NULL;
	struct error err = {0};
	struct zone_span span;
	int r = zone_parse(data, size, "Fuzz", &zone, &err);

	if (r < 0) {
		FUZZ_CHECK(r == ERR_INVALID && !zone && *err.message);
		return 0;
	}
	walk(zone, INT64_MIN);
	walk(zone, 2145916800);
	for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++)
		check_span(zone, moments[i], &span);
	return 0;
}
