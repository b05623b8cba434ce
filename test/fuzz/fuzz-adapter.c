/*
 * fuzz-adapter.c: any bytes are an agent's output, and what is read from them is clean.
 * The first byte chooses the adapter. The rest is read, and is a prompt too when it can be one.
 */
#include <string.h>

#include "agent/adapter.h"
#include "base/mem.h"
#include "base/text.h"
#include "fuzz.h"

static void check_text(const char *text)
{
	if (!text)
		return;
	FUZZ_CHECK(*text);
	FUZZ_CHECK(text_is_utf8(text, strlen(text)));
	FUZZ_CHECK(!text_find_control(text));
}

static void check_reading(const struct adapter *a, const char *output, size_t len)
{
	struct adapter_reading got;

	adapter_read(a, output, len, &got);
	check_text(got.answer);
	check_text(got.error);
	FUZZ_CHECK(!got.session || adapter_session_ok(got.session));
	FUZZ_CHECK(got.cost >= -1);
	/* Cleaning only replaces and drops, but a replaced byte of an escape is one byte still. */
	FUZZ_CHECK(!got.answer || strlen(got.answer) <= len);
	adapter_reading_fini(&got);
}

/* The prompt is one argument, whole, or it is none. */
static void check_argv(const struct adapter *a, const char *prompt)
{
	struct adapter_values v = {prompt, "s1", NULL};
	struct error err = {0};
	bool in_argv = false, found = false;
	char **argv;

	if (!a->templates[USE_INTERACTIVE])
		return;
	if (adapter_argv(a, USE_INTERACTIVE, &v, &argv, &in_argv, &err) < 0) {
		FUZZ_CHECK(strlen(prompt) > 100000);
		return;
	}
	FUZZ_CHECK(in_argv);
	for (size_t i = 0; argv[i]; i++) {
		const char *equals = strchr(argv[i], '=');

		found |=
			strcmp(argv[i], prompt) == 0 || (equals && strcmp(equals + 1, prompt) == 0);
		free(argv[i]);
	}
	free(argv);
	FUZZ_CHECK(found || !*prompt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(adapter_free) struct adapter *a = NULL;
	AUTO(free) char *prompt = NULL;

	if (size == 0)
		return 0;
	/* "0" to "4" in the corpus, so that it can be read */
	a = adapter_built_in(adapter_names[(data[0] + 2) % 5]);
	check_reading(a, (const char *)data + 1, size - 1);
	prompt = mem_strndup((const char *)data + 1, size - 1);
	check_argv(a, prompt);
	return 0;
}
