/*
 * fuzz-events.c: any bytes are a hook's JSON and a line of the journal, and what is read from them is
 * clean. The first byte chooses the event.
 */
#include <string.h>

#include "agent/presence.h"
#include "base/text.h"
#include "fuzz.h"

static const char *const names[] = {"UserPromptSubmit", "Notification", "SessionStart", "Stop",
				    "PostToolUse"};

static void check(const struct event *e)
{
	FUZZ_CHECK(e->event >= EVENT_NONE && e->event <= EVENT_ENDED);
	FUZZ_CHECK(e->name[0]);
	FUZZ_CHECK(!*e->session || adapter_session_ok(e->session));
	FUZZ_CHECK(!e->transcript || e->transcript[0] == '/');
	FUZZ_CHECK(text_is_utf8(e->message, strlen(e->message)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct event e;

	if (size == 0)
		return 0;
	FUZZ_CHECK(event_read_hook(names[data[0] % 5], (const char *)data + 1, size - 1, 1, &e,
				   &err) == 0);
	check(&e);
	FUZZ_CHECK(!*e.message || strncmp(e.message, "m-", 2) == 0);
	event_fini(&e);
	if (event_parse((const char *)data + 1, size - 1, &e, &err) == 0) {
		check(&e);
		FUZZ_CHECK(e.at > 0);
		event_fini(&e);
	}
	return 0;
}
