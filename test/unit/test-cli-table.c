/* test-cli-table.c: columns, widths, colours, and text that must not reach a terminal as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "terminal/table.h"

/* clang-format off */
static const struct table_column columns[] = {
	{"ID", 0, false}, {"NAME", 12, false}, {"FIRES", 0, true},
};
/* clang-format on */

static void fill(struct table *t, const char *name, const char *fires)
{
	table_add(t, TINT_NONE, "r-1");
	table_add(t, TINT_GOOD, name);
	table_add(t, TINT_NONE, fires);
}

static void expect(const char *name, struct style style, const char *want)
{
	AUTO(table_free) struct table *t = table_new(columns, 3);
	AUTO_BUF struct buf out = {0};

	fill(t, name, "7");
	table_print(t, &style, &out);
	assert_string_equal(buf_text(&out), want);
}

/* clang-format off */
static const struct table_case {
	const char *name, *cell;
	struct style style;
	const char *want;
} cases[] = {
	{"H22 plain", "check", {false, false, 80}, "ID   NAME   FIRES\nr-1  check      7\n"},
	{"H22 a long name is cut", "a-very-long-name", {false, false, 80}, "ID   NAME          FIRES\nr-1  a-very-long…      7\n"},
	{"wide characters count two", "日本", {false, false, 80}, "ID   NAME  FIRES\nr-1  日本      7\n"},
	{"wide characters are cut whole", "日本語日本語日", {false, false, 80}, "ID   NAME         FIRES\nr-1  日本語日本…      7\n"},
	{"combining characters count none", "e\xcc\x81t", {false, false, 80}, "ID   NAME  FIRES\nr-1  e\xcc\x81t        7\n"},
	{"an escape sequence is visible", "a\033[2J", {false, false, 80}, "ID   NAME    FIRES\nr-1  a^[[2J      7\n"},
	{"a newline is visible", "a\nb", {false, false, 80}, "ID   NAME  FIRES\nr-1  a^Jb      7\n"},
	{"colour is no width", "ok", {true, true, 80}, "\033[1mID\033[0m   \033[1mNAME\033[0m  \033[1mFIRES\033[0m\nr-1  \033[32mok\033[0m        7\n"},
	{"a narrow terminal", "twelve-chars", {true, false, 21}, "ID   NAME        FIRES\nr-1  twelve-ch…      7\n"},
};
/* clang-format on */

static void test_table(void **state)
{
	const struct table_case *c = *state;

	expect(c->cell, c->style, c->want);
}

/* clang-format off */
static const struct visible_case {
	const char *name, *text, *line, *block;
} visible_cases[] = {
	{"plain", "größe ✓", "größe ✓", "größe ✓"},
	{"escape", "\033]0;x\007", "^[]0;x^G", "^[]0;x^G"},
	{"lines", "a\nb\n", "a^Jb^J", "a\n  b\n"},
	{"tab", "a\tb", "a b", "a b"},
	{"delete", "a\177", "a^?", "a^?"},
	{"C1 control", "a\xc2\x9b" "2J", "a<9b>2J", "a<9b>2J"},
	{"lone byte", "a\xff", "a<ff>", "a<ff>"},
	{"cut character", "a\xe2\x82", "a<e2><82>", "a<e2><82>"},
	{"right to left override", "a\xe2\x80\xae" "b", "a<U+202E>b", "a<U+202E>b"},
	{"isolate", "\xe2\x81\xa6", "<U+2066>", "<U+2066>"},
	{"carriage return", "a\rb", "a^Mb", "a^Mb"},
	{"A23: a surrogate", "\xed\xa0\x80", "<ed><a0><80>", "<ed><a0><80>"},
	{"A23: an overlong form", "\xc0\xaf", "<c0><af>", "<c0><af>"},
	{"A23: no width is known", "\xef\xbf\xbe \xcd\xb8", "<U+FFFE> <U+0378>", "<U+FFFE> <U+0378>"},
	{"A23: nothing to see", "a\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\xa1", "a<U+200B><U+FEFF><U+E0061>", "a<U+200B><U+FEFF><U+E0061>"},
	{"nothing to see: all that is ignorable", "\xc2\xad\xcd\x8f\xe1\x85\x9f\xe3\x85\xa4\xef\xbe\xa0\xe1\x9e\xb4",
	 "<U+00AD><U+034F><U+115F><U+3164><U+FFA0><U+17B4>", "<U+00AD><U+034F><U+115F><U+3164><U+FFA0><U+17B4>"},
	{"a selector behind a letter", "a\xef\xb8\x8f" "b", "a<U+FE0F>b", "a<U+FE0F>b"},
	{"a selector behind an emoji, and before a keycap", "\xe2\x9d\xa4\xef\xb8\x8f 1\xef\xb8\x8f\xe2\x83\xa3",
	 "\xe2\x9d\xa4\xef\xb8\x8f 1\xef\xb8\x8f\xe2\x83\xa3", "\xe2\x9d\xa4\xef\xb8\x8f 1\xef\xb8\x8f\xe2\x83\xa3"},
	{"A23: an Arabic letter mark", "\xd8\x9c", "<U+061C>", "<U+061C>"},
	{"A23: a joiner that joins nothing", "a\xe2\x80\x8d" "b", "a<U+200D>b", "a<U+200D>b"},
	{"A23: a joiner at the end", "é\xe2\x80\x8d", "é<U+200D>", "é<U+200D>"},
	{"A23: a joiner of emoji", "👩\xe2\x80\x8d💻", "👩\xe2\x80\x8d💻", "👩\xe2\x80\x8d💻"},
	{"A23: a non-joiner of Persian", "\xd9\x85\xe2\x80\x8c\xdb\x8c", "\xd9\x85\xe2\x80\x8c\xdb\x8c", "\xd9\x85\xe2\x80\x8c\xdb\x8c"},
	{"A23: empty lines", "a\n\nb", "a^J^Jb", "a\n\n  b"},
};
/* clang-format on */

static void test_visible(void **state)
{
	const struct visible_case *c = *state;
	AUTO_BUF struct buf line = {0}, block = {0};

	visible_line(&line, c->text);
	visible_block(&block, c->text, "  ");
	assert_string_equal(buf_text(&line), c->line);
	assert_string_equal(buf_text(&block), c->block);
}

/* clang-format off */
/* As measured in tmux 3.3. */
static const struct width_case {
	const char *name, *text;
	size_t width;
	const char *cut; /* in two columns */
} width_cases[] = {
	{"A23: plain width", "abc", 3, "a…"},
	{"A23: it just fits", "ab", 2, "ab"},
	{"A23: wide", "日本", 4, "…"},
	{"A23: wide, just fits", "日", 2, "日"},
	{"A23: combining", "e\xcc\x81" "bc", 3, "e\xcc\x81…"},
	{"A23: emoji joined", "👩\xe2\x80\x8d💻", 2, "👩\xe2\x80\x8d💻"},
	{"A23: family", "👨\xe2\x80\x8d👩\xe2\x80\x8d👧\xe2\x80\x8d👦" "a", 3, "…"},
	{"A23: a skin tone stands beside", "👍🏽", 4, "…"},
	{"A23: variation selector", "❤\xef\xb8\x8f", 1, "❤\xef\xb8\x8f"},
	{"A23: keycap", "1\xef\xb8\x8f\xe2\x83\xa3", 1, "1\xef\xb8\x8f\xe2\x83\xa3"},
	{"A23: flag", "🇩🇪", 2, "🇩🇪"},
	{"A23: Hangul in parts", "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2, "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"},
	{"A23: a joiner joins nothing to nothing", "\xef\xb8\x8f\xe2\x80\x8d👩", 2, "\xef\xb8\x8f\xe2\x80\x8d👩"},
	{"A23: no width", "", 0, ""},
};
/* clang-format on */

static void test_width(void **state)
{
	const struct width_case *c = *state;
	AUTO_BUF struct buf cut = {0};

	assert_int_equal(text_width(c->text), c->width);
	text_cut(&cut, c->text, 2);
	assert_string_equal(buf_text(&cut), c->cut);
}

/* clang-format off */
static const struct table_column wide_columns[] = {
	{"ID", 0, false}, {"FROM", 20, false, 6, 2}, {"COST", 0, true, 0, 1}, {"TEXT", 40, false, 8},
};
static const struct { size_t width; const char *want; } widths[] = {
	{60, "ID   FROM        COST  TEXT\nr-1  nightly-up  $0.1  a text of many words\n"},
	{40, "ID   FROM        COST  TEXT\nr-1  nightly-up  $0.1  a text of many w…\n"},
	{26, "ID   FROM       TEXT\nr-1  nightly-…  a text of…\n"},
	{20, "ID   TEXT\nr-1  a text of many…\n"},
	{5, "ID   TEXT\nr-1  a text …\n"},
};
/* clang-format on */

/* A column is left out before the others are cut below what they need. */
static void test_leave_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		AUTO(table_free) struct table *t = table_new(wide_columns, 4);
		struct style style = {true, false, widths[i].width};
		AUTO_BUF struct buf out = {0};

		for (const char *const *cell = (const char *const[]){"r-1", "nightly-up", "$0.1",
								     "a text of many words", NULL};
		     *cell; cell++)
			table_add(t, TINT_NONE, *cell);
		table_print(t, &style, &out);
		assert_string_equal(buf_text(&out), widths[i].want);
	}
}

/* JO13: a long list is printed while it comes. The titles stand once, and columns only widen. */
static void test_parts(void **state)
{
	AUTO(table_free) struct table *t = table_new(columns, 3);
	struct style style = {false, false, 80};
	AUTO_BUF struct buf out = {0};

	(void)state;
	fill(t, "check", "7");
	table_note(t, TINT_NONE, "a note");
	table_print(t, &style, &out);
	assert_string_equal(buf_text(&out), "ID   NAME   FIRES\nr-1  check      7\n  a note\n");
	buf_clear(&out);
	fill(t, "a-longer", "8");
	fill(t, "b", "9");
	table_print(t, &style, &out);
	assert_string_equal(buf_text(&out), "r-1  a-longer      8\nr-1  b             9\n");
	assert_int_equal(table_rows(t), 3);
	buf_clear(&out);
	table_print(t, &style, &out);
	assert_string_equal(buf_text(&out), "");
}

static void test_fill(void **state)
{
	AUTO_BUF struct buf out = {0};

	(void)state;
	text_fill(&out, "one two  three\nfour", 2, 4, 12);
	assert_string_equal(buf_text(&out), "one two\n    three\n    four");
}

static void test_no_color(void **state)
{
	struct style style;

	(void)state;
	/* A pipe is no terminal, whatever the environment says. */
	setenv("TERM", "xterm", 1);
	style = style_of(-1);
	assert_false(style.colour);
	assert_false(style.terminal);
	assert_int_equal(style.width, 80);
}

/* clang-format off */
static const struct pipe_case {
	const char *name, *force, *columns, *no_color, *term;
	bool terminal, colour;
	size_t width;
} pipe_cases[] = {
	{"A22: a pipe has no colours", NULL, NULL, NULL, "xterm", false, false, 80},
	{"A22: a pipe may be told to have colours", "1", NULL, NULL, "xterm", false, true, 80},
	{"A22: a pipe is told not to", "0", NULL, NULL, "xterm", false, false, 80},
	{"A22: without colours wins", "1", NULL, "1", "xterm", false, false, 80},
	{"A22: a dumb terminal behind it has none", "1", NULL, NULL, "dumb", false, false, 80},
	{"A22: fzf's window is looked at, and has a width", "1", "57", NULL, "xterm", true, true, 57},
	{"A22: a narrow window is as narrow as it is", NULL, "20", NULL, "xterm", true, false, 20},
	{"A22: a window without a size is none", "1", "0", NULL, "xterm", false, true, 80},
	{"A22: nonsense is no size", "1", "x", NULL, "xterm", false, true, 80},
};
/* clang-format on */

static void put(const char *name, const char *value)
{
	value ? setenv(name, value, 1) : unsetenv(name);
}

static void test_pipe(void **state)
{
	const struct pipe_case *c = *state;
	struct style style;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	put("CLICOLOR_FORCE", c->force);
	put("FZF_PREVIEW_COLUMNS", c->columns);
	put("NO_COLOR", c->no_color);
	put("TERM", c->term);
	style = style_of(fds[1]);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(style.terminal, c->terminal);
	assert_int_equal(style.colour, c->colour);
	assert_int_equal(style.width, c->width);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(cases) + COUNT(visible_cases) + COUNT(pipe_cases) +
				COUNT(width_cases) + 3] = {
		cmocka_unit_test(test_fill),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_no_color),
		cmocka_unit_test(test_leave_out),
	};
	size_t n = 3;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(cases); i++)
		tests[n++] = (struct CMUnitTest){cases[i].name, test_table, NULL, NULL,
						 (void *)(uintptr_t)&cases[i]};
	for (size_t i = 0; i < COUNT(visible_cases); i++)
		tests[n++] = (struct CMUnitTest){visible_cases[i].name, test_visible, NULL, NULL,
						 (void *)(uintptr_t)&visible_cases[i]};
	for (size_t i = 0; i < COUNT(pipe_cases); i++)
		tests[n++] = (struct CMUnitTest){pipe_cases[i].name, test_pipe, NULL, NULL,
						 (void *)(uintptr_t)&pipe_cases[i]};
	for (size_t i = 0; i < COUNT(width_cases); i++)
		tests[n++] = (struct CMUnitTest){width_cases[i].name, test_width, NULL, NULL,
						 (void *)(uintptr_t)&width_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
