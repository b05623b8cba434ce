/* test-fold.c: words as people look for them, and Markdown as it is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "base/fold.h"
#include "base/mem.h"
#include "base/text.h"

/* clang-format off */
static const struct find_case {
	const char *name, *text, *word;
	int at; /* -1: nowhere */
	size_t len;
} find_cases[] = {
	{"A22: a word", "the deploy failed", "deploy", 4, 6},
	{"A22: the beginning of one", "the deployment", "deploy", 4, 6},
	{"A22: not the middle of one", "redeploy", "deploy", -1, 0},
	{"A22: capitals", "The DEPLOY", "deploy", 4, 6},
	{"A22: capitals beyond ASCII", "ÜBER", "über", 0, 5},
	{"A22: accents in the text", "Größe und café", "cafe", 12, 5},
	{"A22: accents in the word", "cafe", "café", 0, 4},
	{"A22: combining accents", "cafe\xcc\x81 x", "cafe", 0, 6},
	{"A22: a combining accent in the word", "cafe", "cafe\xcc\x81", 0, 4},
	{"A22: after punctuation", "(deploy)", "deploy", 1, 6},
	{"A22: at the end, half of it", "deplo", "deploy", -1, 0},
	{"A22: bytes that are no characters", "\xff\xff deploy", "deploy", 3, 6},
	{"A22: a script without capitals", "漢字 test", "漢字", 0, 6},
	{"A22: no word at all", "deploy", "", -1, 0},
	{"A22: no text", "", "deploy", -1, 0},
};
static const struct clean_case {
	const char *name, *bytes;
	size_t len;
	const char *want;
} clean_cases[] = {
	{"A19: nothing to do", "# a\n\n- b", 8, "# a\n\n- b"},
	{"A19: the first line's indentation stays", "\n\n    code\nx\n", 13, "    code\nx"},
	{"A19: CRLF", "a\r\nb\r\n", 6, "a\nb"},
	{"A19: NUL and escapes", "a\0b\033[31m", 8, "a?b?[31m"},
	{"A19: no characters", "\xff\xc3", 2, "??"},
	{"A19: C1 controls", "\xc2\x9b" "2J", 4, "?2J"},
	{"A19: only blanks", " \n\t ", 4, ""},
	{"A19: nothing", "", 0, ""},
	{"A19: half a character at the end", "a\xe2\x82", 3, "a??"},
	{"A19: does not look beyond its end", "  xyz", 2, ""},
};
/* clang-format on */

static void test_find(void **state)
{
	const struct find_case *c = *state;
	size_t len = 0;
	const char *at = fold_find(c->text, c->word, &len);

	assert_int_equal(at ? at - c->text : -1, c->at);
	assert_int_equal(len, c->len);
}

static void test_clean(void **state)
{
	const struct clean_case *c = *state;
	AUTO(free) char *got = text_clean_block(c->bytes, c->len);

	assert_string_equal(got, c->want);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(find_cases) + COUNT(clean_cases)];
	size_t n = 0;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(find_cases); i++)
		tests[n++] = (struct CMUnitTest){find_cases[i].name, test_find, NULL, NULL,
						 (void *)(uintptr_t)&find_cases[i]};
	for (size_t i = 0; i < COUNT(clean_cases); i++)
		tests[n++] = (struct CMUnitTest){clean_cases[i].name, test_clean, NULL, NULL,
						 (void *)(uintptr_t)&clean_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
