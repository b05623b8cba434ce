/*
 * fuzz-look.c: any bytes are a screen, and looking at it ends.
 * The first two bytes say where the cursor is; the rest is a screen, and a title too.
 */
#include <locale.h>
#include <string.h>

#include "agent/presence.h"
#include "base/mem.h"
#include "base/text.h"
#include "fuzz.h"

static void check_plain(const char *screen)
{
	AUTO(free) char *plain = look_plain(screen), *again = look_plain(plain);

	FUZZ_CHECK(text_is_utf8(plain, strlen(plain)));
	FUZZ_CHECK(!text_find_control(plain) && !strchr(plain, '\t'));
	FUZZ_CHECK(strlen(plain) <= strlen(screen) + 1);
	FUZZ_CHECK(strcmp(plain, again) == 0);
}

static void check_look(const struct adapter_live *rules, const char *screen, int x, int y)
{
	struct look got;

	look_read(rules, screen, screen, x, y, &got);
	FUZZ_CHECK(got.look != LOOK_TYPED || (got.typed && *got.typed));
	FUZZ_CHECK(got.look != LOOK_IDLE || (got.typed && !*got.typed));
	FUZZ_CHECK(!got.typed || text_is_utf8(got.typed, strlen(got.typed)));
	/* A message that is found in the input line needs one. */
	if (look_find(rules, screen, 0, y, "m-abcd1234") == WHERE_TYPED)
		FUZZ_CHECK(got.typed);
	look_fini(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(adapter_free) struct adapter *a = NULL;
	AUTO(free) char *screen = NULL;
	static char input[] = "^> (.*)$", busy[] = "esc to interrupt", blocked[] = "Allow .*\\?";
	const struct adapter_live plain = {.input = input, .busy = busy, .blocked = blocked};

	if (size < 2)
		return 0;
	setlocale(LC_CTYPE, "C.UTF-8");
	a = adapter_built_in("claude");
	screen = mem_strndup((const char *)data + 2, strnlen((const char *)data + 2, size - 2));
	check_plain(screen);
	/* "0" is the first line or column in the corpus, so that it can be read */
	check_look(&a->live, screen, data[0] - '0', data[1] - '0');
	check_look(&plain, screen, data[0] - '0', data[1] - '0');
	return 0;
}
