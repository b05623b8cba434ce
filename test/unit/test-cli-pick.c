/* test-cli-pick.c: the picker without a terminal: what fits, what keys do, what is drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "terminal/keys.h"
#include "terminal/pick.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct pick_item agents[] = {
	{"builder", "claude"},
	{"github.com/me/builder", "codex"},
	{"reviewer", NULL},
	{"n\xc3\xa9mo", "command"},
};

/* clang-format off */
static const struct pick_case {
	const char *name, *keys; /* as a terminal sends them */
	enum pick_state state;
	const char *chosen; /* where the mark is; NULL: nothing fits */
} cases[] = {
	{"A5 Enter takes the first", "\r", PICK_CHOSEN, "builder"},
	{"A5 arrows move", "\033[B\033[B\r", PICK_CHOSEN, "reviewer"},
	{"arrows of the other kind", "\033OB\r", PICK_CHOSEN, "github.com/me/builder"},
	{"up stops at the top", "\033[A\033[A\r", PICK_CHOSEN, "builder"},
	{"down stops at the end", "\033[B\033[B\033[B\033[B\033[B\r", PICK_CHOSEN, "n\xc3\xa9mo"},
	{"Ctrl-N and Ctrl-P", "\016\016\020\r", PICK_CHOSEN, "github.com/me/builder"},
	{"A5 typing filters", "rev\r", PICK_CHOSEN, "reviewer"},
	{"letters with others between", "gmb\r", PICK_CHOSEN, "github.com/me/builder"},
	{"upper case is the same", "REV\r", PICK_CHOSEN, "reviewer"},
	{"a character of two bytes", "\xc3\xa9\r", PICK_CHOSEN, "n\xc3\xa9mo"},
	{"Backspace takes it whole", "\xc3\xa9\177rev\r", PICK_CHOSEN, "reviewer"},
	{"Backspace at nothing", "\177\177\r", PICK_CHOSEN, "builder"},
	{"Ctrl-U clears", "zzz\025\r", PICK_CHOSEN, "builder"},
	{"Ctrl-W takes a word", "rev zz\027\r", PICK_CHOSEN, "reviewer"},
	{"Enter on nothing stays", "zzz\r", PICK_OPEN, NULL},
	{"A5 Esc leaves", "re\033", PICK_CANCELLED, "reviewer"},
	{"Ctrl-C leaves", "\003", PICK_CANCELLED, "builder"},
	{"Ctrl-D leaves", "\004", PICK_CANCELLED, "builder"},
	{"keys nobody knows are nothing", "\033[5~\033[1;5C\033x\001\r", PICK_CHOSEN, "builder"},
	{"a filter moves the mark to the top", "\033[B\033[Bbui\r", PICK_CHOSEN, "builder"},
};

static const struct score_case {
	const char *name, *filter, *better, *worse; /* worse NULL: does not fit at all */
} scores[] = {
	{"a run beats scattered letters", "run", "my-run", "a-rxuxn"},
	{"a word's beginning beats its middle", "b", "x-bat", "xbat"},
	{"order matters", "ab", "ab", NULL},
	{"spaces are only for people", "my run", "my-run", NULL},
};
/* clang-format on */

static void test_keys(void **state)
{
	const struct pick_case *c = *state;
	enum pick_state got = PICK_OPEN;
	size_t len = strlen(c->keys);
	struct picker p;

	picker_init(&p, agents, COUNT(agents));
	for (size_t i = 0, used = 0; i < len; i += used) {
		assert_int_equal(got, PICK_OPEN);
		got = picker_key(&p, key_decode(c->keys + i, len - i, true, &used));
		assert_true(used > 0);
	}
	assert_int_equal(got, c->state);
	assert_int_equal(p.match_count > 0, c->chosen != NULL);
	if (c->chosen)
		assert_string_equal(agents[p.matches[p.at]].name, c->chosen);
	picker_fini(&p);
}

static void test_score(void **state)
{
	const struct score_case *c = *state;
	int better = pick_score(c->filter, c->better);

	assert_true(better >= 0);
	assert_true(better >
		    (c->worse ? pick_score(c->filter, c->worse) : pick_score(c->filter, "ba")));
	assert_int_equal(pick_score("ab", "ba"), -1);
}

static void expect_drawn(const char *keys, size_t rows, const char *want)
{
	static const struct style plain = {true, false, 20};
	AUTO_BUF struct buf out = {0};
	struct picker p;

	picker_init(&p, agents, COUNT(agents));
	for (; *keys; keys++)
		picker_key(&p, *keys == '+' ? KEY_DOWN : *keys);
	picker_draw(&p, &plain, "agent", rows, &out);
	assert_string_equal(buf_text(&out), want);
	picker_fini(&p);
}

static void test_draw(void **state)
{
	(void)state;
	expect_drawn("", 9,
		     "agent: \n> builder  claude\n  github.com/me/bu…\n  reviewer\n"
		     "  n\xc3\xa9mo  command\n");
	expect_drawn("rev", 9, "agent: rev\n> reviewer\n");
	expect_drawn("++", 2, "agent: \n  github.com/me/bu…\n> reviewer\n  4 of 4 fit\n");
	expect_drawn("zz", 2, "agent: zz\n  nothing fits; Backspace takes a letter back\n");
}

int main(void)
{
	struct CMUnitTest tests[COUNT(cases) + COUNT(scores) + 1] = {cmocka_unit_test(test_draw)};
	size_t n = 1;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(cases); i++)
		tests[n++] = (struct CMUnitTest){cases[i].name, test_keys, NULL, NULL,
						 (void *)(uintptr_t)&cases[i]};
	for (size_t i = 0; i < COUNT(scores); i++)
		tests[n++] = (struct CMUnitTest){scores[i].name, test_score, NULL, NULL,
						 (void *)(uintptr_t)&scores[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
