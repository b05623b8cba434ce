/*
 * fuzz-schedule.c: any kind of schedule in any of some difficult zones. Firings follow each other
 * upwards within the limits of time; looking back and counting agree with looking forward; every
 * schedule that parses can be put into words.
 * Input: a byte for the kind, one for the zone, eight for the anchor, eight to ask from, the text.
 */
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"

#define HEADER 18
#define STEPS 6

static const char *const zones[] = {
	"UTC",
	"Europe/Berlin",
	"America/New_York",
	"Australia/Lord_Howe",
	"Pacific/Apia",
	"Africa/Casablanca",
	"Europe/Dublin",
	"Pacific/Kwajalein",
	"Asia/Beirut",
	"America/St_Johns",
	"Asia/Kathmandu",
	"Antarctica/Troll",
	"Africa/Monrovia",
};

static usec_t within_time(const uint8_t *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return INSTANT_MIN + (usec_t)(number % (uint64_t)(INSTANT_MAX - INSTANT_MIN + 1));
}

static void check_words(const struct schedule *s)
{
	AUTO(free) char *label = schedule_label(s);
	AUTO(free) char *words = schedule_describe(s);
	AUTO(free) char *warning = schedule_warning(s);

	FUZZ_CHECK(label && *label && words && *words && warning);
	FUZZ_CHECK(!strchr(words, '\n'));
}

static void check_firings(const struct schedule *s, usec_t start)
{
	usec_t at = start, last = start, got;

	for (int64_t n = 0; n < STEPS && schedule_next(s, at, &at); n++) {
		FUZZ_CHECK(at > last && at >= INSTANT_MIN && at <= INSTANT_MAX);
		FUZZ_CHECK(schedule_next(s, at - 1, &got) && got == at);
		FUZZ_CHECK(schedule_next(s, last + (at - last) / 2, &got) &&
			   (got == at || at - last < 2));
		FUZZ_CHECK(schedule_prev(s, start, at, &got) && got == at);
		FUZZ_CHECK(schedule_prev(s, start, at - 1, &got) == (n > 0));
		FUZZ_CHECK(n == 0 || got == last);
		FUZZ_CHECK(schedule_count(s, start, at, STEPS) == n + 1);
		last = at;
	}
	if (schedule_prev(s, INT64_MIN, start, &got)) {
		FUZZ_CHECK(got <= start && got >= INSTANT_MIN);
		FUZZ_CHECK(!schedule_next(s, got, &at) || at > start);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schedule_spec spec = {0};
	AUTO(schedule_free) struct schedule *s = NULL;
	AUTO(free) char *text = NULL;
	struct error err = {0};
	int r;

	if (size < HEADER)
		return 0;
	/* The corpus was made when there were four. */
	spec.kind = data[0] == 255 ? SCHEDULE_IDLE : (enum schedule_kind)(data[0] % SCHEDULE_IDLE);
	FUZZ_CHECK(zone_get(zones[data[1] % (sizeof(zones) / sizeof(zones[0]))], &spec.zone,
			    &err) == 0);
	spec.anchor = within_time(data + 2);
	spec.text = text = mem_strndup((const char *)data + HEADER, size - HEADER);
	r = schedule_parse(&spec, &s, &err);
	if (r < 0) {
		FUZZ_CHECK(r == ERR_INVALID && !s && *err.message);
		return 0;
	}
	check_words(s);
	check_firings(s, within_time(data + 10));
	check_firings(s, spec.anchor);
	return 0;
}
