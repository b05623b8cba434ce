/*
 * fuzz-duration.c: a text is refused with a reason, or its canonical form means the same; and any
 * number within the limits survives being written and read.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fuzz.h"
#include "schedule/duration.h"

static void check_formats(usec_t duration)
{
	char text[DURATION_TEXT_MAX];
	struct error err = {0};
	usec_t again = -1;

	duration_format_short(duration, text);
	FUZZ_CHECK(strlen(text) >= 2 && strlen(text) < DURATION_TEXT_MAX);
	duration_format(duration, text);
	FUZZ_CHECK(strlen(text) >= 2 && strlen(text) < DURATION_TEXT_MAX);
	if (duration < 0 || duration > DURATION_MAX) {
		FUZZ_CHECK(duration_parse(text, &again, &err) == ERR_INVALID);
		return;
	}
	FUZZ_CHECK(duration_parse(text, &again, &err) == 0);
	FUZZ_CHECK(again == duration);
}

static void check_text(char *text)
{
	struct error err = {0};
	usec_t got = -1, upper = -1;
	int r = duration_parse(text, &got, &err);

	if (r < 0) {
		FUZZ_CHECK(r == ERR_INVALID && got == -1);
		FUZZ_CHECK(*err.message && *err.hint);
		FUZZ_CHECK(!text_is_utf8(text, strlen(text)) ||
			   text_is_utf8(err.message, strlen(err.message)));
		FUZZ_CHECK(!text_is_utf8(text, strlen(text)) ||
			   text_is_utf8(err.hint, strlen(err.hint)));
		return;
	}
	FUZZ_CHECK(r == 0 && got >= 0 && got <= DURATION_MAX);
	check_formats(got);
	for (char *p = text; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	FUZZ_CHECK(duration_parse(text, &upper, &err) == 0 && upper == got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(free) char *text = mem_strndup((const char *)data, size);
	usec_t number;

	if (size >= sizeof(number)) {
		memcpy(&number, data, sizeof(number));
		check_formats(number);
		check_formats(number & (((usec_t)1 << 51) - 1));
	}
	check_text(text);
	return 0;
}
