/*
 * fuzz-phrase.c: a phrase is refused with a reason, or it means one instant: the same in capitals,
 * and the same once written as RFC 3339 and read again. Seen from several moments and zones.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fuzz.h"
#include "schedule/instant.h"
#include "schedule/phrase.h"

static const char *const zones[] = {"UTC", "America/New_York", "Pacific/Apia",
				    "Australia/Lord_Howe"};

/* A morning, the eve of a clock change, the end of a year, a leap day, and both limits. */
static const usec_t moments[] = {
	1770218130 * USEC_PER_SEC + 500000,
	1772953199 * USEC_PER_SEC,
	1798761599 * USEC_PER_SEC + 999999,
	1835395200 * USEC_PER_SEC,
	INSTANT_MIN,
	INSTANT_MAX,
};

static void check_written(usec_t instant, usec_t now, const struct zone *zone)
{
	char text[INSTANT_TEXT_MAX];
	struct error err = {0};
	usec_t again = -1;

	instant_format(instant, zone, text);
	FUZZ_CHECK(instant_parse(text, zone_utc(), &again, &err) == 0 && again == instant);
	again = -1;
	FUZZ_CHECK(phrase_parse(text, now, zone, &again, &err) == 0 && again == instant);
	instant_format_long(instant, zone, text);
	FUZZ_CHECK(strlen(text) < INSTANT_TEXT_MAX);
	instant_format_near(instant, now, zone, text);
	FUZZ_CHECK(strlen(text) < INSTANT_TEXT_MAX);
}

static bool check_phrase(const char *text, const char *upper, usec_t now, const struct zone *zone)
{
	struct error err = {0}, upper_err = {0};
	usec_t got = -1, upper_got = -1;
	int r = phrase_parse(text, now, zone, &got, &err);

	FUZZ_CHECK(phrase_parse(upper, now, zone, &upper_got, &upper_err) == r);
	FUZZ_CHECK(upper_got == got);
	if (r < 0) {
		FUZZ_CHECK(r == ERR_INVALID && got == -1);
		FUZZ_CHECK(*err.message && *err.hint);
		FUZZ_CHECK(!text_is_utf8(text, strlen(text)) ||
			   text_is_utf8(err.message, strlen(err.message)));
		FUZZ_CHECK(!text_is_utf8(text, strlen(text)) ||
			   text_is_utf8(err.hint, strlen(err.hint)));
		return false;
	}
	FUZZ_CHECK(r == 0 && got >= INSTANT_MIN && got <= INSTANT_MAX);
	check_written(got, now, zone);
	return true;
}

/* The search for a near word makes refusals slow, and they hardly depend on zone and moment. */
static void check_everywhere(const char *text, const char *upper)
{
	const struct zone *zone;
	struct error err = {0};

	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
		FUZZ_CHECK(zone_get(zones[i], &zone, &err) == 0);
		for (size_t j = 0; j < sizeof(moments) / sizeof(moments[0]); j++)
			if (!check_phrase(text, upper, moments[j], zone) && i + j == 0)
				return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(free) char *text = mem_strndup((const char *)data, size);
	AUTO(free) char *upper = mem_strdup(text);

	for (char *p = upper; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	check_everywhere(text, upper);
	return 0;
}
