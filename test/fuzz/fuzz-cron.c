/*
 * fuzz-cron.c: a line is refused with a reason, or its minutes follow each other upwards, the same
 * from wherever one asks; a line that never matches says so from everywhere.
 */
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "schedule/cron.h"

static const local_t starts[] = {
	INT64_MIN,  LOCAL_MIN, -62135596800, -1,	0,	   1767225600,
	4107542400, 951782399, 253370764800, LOCAL_MAX, INT64_MAX,
};

static bool follow(const struct cron *cron, local_t at)
{
	local_t next = INT64_MIN, again;
	bool found = false;

	for (int i = 0; i < 6 && cron_next_local(cron, at, &next); i++) {
		FUZZ_CHECK(next > at && next >= LOCAL_MIN && next <= LOCAL_MAX);
		FUZZ_CHECK(floor_mod(next, 60) == 0);
		/* From anywhere in between it is the same one. */
		FUZZ_CHECK(cron_next_local(cron, next - 1, &again) && again == next);
		if (at >= LOCAL_MIN) {
			FUZZ_CHECK(cron_next_local(cron, at + (next - at) / 2, &again));
			FUZZ_CHECK(again == next || (next - at < 2 && again > next));
		}
		at = next;
		found = true;
	}
	return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(free) char *text = mem_strndup((const char *)data, size);
	struct cron *cron = NULL;
	struct error err = {0};
	int r = cron_parse(text, &cron, &err);
	bool ever;

	if (r < 0) {
		FUZZ_CHECK(r == ERR_INVALID && !cron && *err.message);
		return 0;
	}
	ever = follow(cron, INT64_MIN);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		bool found = follow(cron, starts[i]);

		/* The calendar repeats: only its very end may have none where there are some. */
		FUZZ_CHECK(found == ever || (ever && starts[i] >= 251000000000));
	}
	free(cron);
	return 0;
}
