/*
 * fuzz-config.c: any bytes are a configuration or an error that names its place.
 * What is accepted is walked through, so that a wrong pointer in it does not stay hidden.
 */
#include <string.h>

#include "base/text.h"
#include "config/config.h"
#include "fuzz.h"

const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 forgets a buffer of its own on some broken texts; our leaks still show. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so";
}

static size_t walk_texts(char *const *texts)
{
	size_t sum = 0;

	for (; texts && *texts; texts++)
		sum += strlen(*texts);
	return sum;
}

static void check_agent(const struct config_agent *a)
{
	FUZZ_CHECK(text_is_name(a->name));
	FUZZ_CHECK(!a->directory || a->directory[0] == '/');
	FUZZ_CHECK(a->deliver_attempts >= 1 && a->deliver_attempts <= 20);
	FUZZ_CHECK(a->deliver_timeout >= USEC_PER_SEC && a->deliver_timeout <= USEC_PER_HOUR);
	FUZZ_CHECK(!a->deliver || walk_texts(a->deliver) > 0);
	FUZZ_CHECK(!a->environment || walk_texts(a->environment) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(config_free) struct config *c = NULL;
	struct error err = {0};
	int line = 0, column = 0;

	if (config_parse((const char *)data, size, "/c", &c, &err) < 0) {
		FUZZ_CHECK(sscanf(err.message, "/c:%d:%d: ", &line, &column) == 2);
		FUZZ_CHECK(line >= 1 && column >= 1);
		return 0;
	}
	FUZZ_CHECK(strcmp(c->agents[0].name, "me") == 0);
	FUZZ_CHECK(c->retention >= USEC_PER_DAY);
	for (size_t i = 0; i < c->agent_count; i++)
		check_agent(&c->agents[i]);
	return 0;
}
