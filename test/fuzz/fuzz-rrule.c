/*
 * fuzz-rrule.c: a text is refused with a reason, or its occurrences rise, each is found again from
 * any moment before it, none lies outside DTSTART and the end, and no search takes long.
 */
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "schedule/rrule-internal.h"

#define DTSTART ((local_t)1767258000) /* 2026-01-01T09:00:00 */
#define STEPS_MOST 400000
#define OCCURRENCES 40
#define SPAN_MOST ((local_t)60 * 366 * DAY_SECONDS) /* rare ones are slow to look at many times */

static bool is_added(const struct rrule *r, local_t at)
{
	for (size_t i = 0; i < r->added_len; i++)
		if (r->added[i] == at)
			return true;
	return false;
}

/* `at` is the next after `after`: so it must be from everywhere between. */
static void check_seek(const struct rrule *r, local_t after, local_t at)
{
	const local_t moments[] = {after, at - 1, after + (at - after) / 2,
				   after + (at - after) / 97};
	local_t again = 0;

	for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++)
		FUZZ_CHECK(rrule_next_local(r, moments[i], &again) && again == at);
}

static void check_occurrences(const struct rrule *r, local_t after)
{
	const local_t enough = (after > r->dtstart ? after : r->dtstart) + SPAN_MOST;
	local_t at = 0;

	for (int i = 0; i < OCCURRENCES && after < enough; i++) {
		if (!rrule_next_local(r, after, &at))
			break;
		FUZZ_CHECK(at > after && at <= LOCAL_MAX);
		FUZZ_CHECK(is_added(r, at) || (r->has_rule && at >= r->dtstart && at <= r->last));
		check_seek(r, after, at);
		after = at;
	}
}

static void check_work(const struct rrule *r, local_t from)
{
	local_t limit = from + RRULE_HORIZON < LOCAL_MAX ? from + RRULE_HORIZON : LOCAL_MAX, at = 0;
	int64_t steps = 0;

	if (!r->has_rule || from < r->dtstart || r->last == INT64_MIN)
		return;
	rrule_expand(r, from, limit, &steps, &at);
	FUZZ_CHECK(steps <= STEPS_MOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(free) char *text = mem_strndup((const char *)data, size);
	AUTO(rrule_free) struct rrule *rule = NULL;
	struct error err = {0};
	local_t at = 0;

	if (rrule_parse(text, zone_utc(), DTSTART, &rule, &err) < 0) {
		FUZZ_CHECK(err.code == ERR_INVALID && !rule && *err.message && *err.hint);
		return 0;
	}
	FUZZ_CHECK(rule && rrule_zone(rule) && *rrule_freq_word(rule));
	FUZZ_CHECK(!rrule_next_local(rule, INT64_MAX, &at));
	check_occurrences(rule, LOCAL_MIN);
	check_occurrences(rule, rrule_dtstart(rule) + (local_t)366 * 30 * DAY_SECONDS + 12345);
	check_work(rule, rrule_dtstart(rule));
	check_work(rule, DTSTART + (local_t)1000 * 365 * DAY_SECONDS);
	return 0;
}
