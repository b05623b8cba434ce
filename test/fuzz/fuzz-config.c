/*
 * fuzz-config.c: any bytes are a configuration or an error that names its place.
 * What is accepted is walked through, so that a wrong pointer in it does not stay hidden.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
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
	if (!text_is_name(a->name) || (a->directory && a->directory[0] != '/'))
		abort();
	if (a->deliver_attempts < 1 || a->deliver_timeout < USEC_PER_SEC)
		abort();
	if (a->deliver && walk_texts(a->deliver) == 0)
		abort();
	walk_texts(a->environment);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(config_free) struct config *c = NULL;
	struct error err = {0};

	if (config_parse((const char *)data, size, "/c", &c, &err) < 0) {
		int line = 0, column = 0;

		if (sscanf(err.message, "/c:%d:%d: ", &line, &column) != 2 || line < 1 ||
		    column < 1)
			abort();
		return 0;
	}
	if (strcmp(c->agents[0].name, "me") != 0)
		abort();
	for (size_t i = 0; i < c->agent_count; i++)
		check_agent(&c->agents[i]);
	return 0;
}
