/*
 * test-markdown.c: Markdown as a person sees it, and what no text may do: be wider than the
 * terminal, reach it with a control character of its own, or take long.
 */
#include "rows.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "terminal/markdown.h"

#define B "\033[1m"
#define D "\033[2m"
#define I "\033[3m"
#define U "\033[4m"
#define S "\033[9m"
#define C "\033[36m"
#define O "\033[0m"

#define PLAIN false
#define COLOUR true

/* clang-format off */
static const struct render_case {
	const char *name, *text;
	size_t width;
	bool colour;
	const char *want;
} render_cases[] = {
	{"A23: nothing is nothing", "", 80, PLAIN, ""},
	{"A23: a paragraph is filled", "one two\nthree four", 9, PLAIN, "one two\nthree\nfour\n"},
	{"A23: paragraphs are apart", "a\n\nb", 80, PLAIN, "a\n\nb\n"},
	{"A23: a hard break", "a  \nb\\\nc", 80, PLAIN, "a\nb\nc\n"},
	{"A23: a word wider than the line is cut", "abcdefgh ij", 3, PLAIN, "abc\ndef\ngh\nij\n"},
	{"A23: a line may be just as wide", "abc def", 7, PLAIN, "abc def\n"},

	{"A23: headings keep their marks without colours", "# A\n## B\n###### C\n", 80, PLAIN, "# A\n\n## B\n\n###### C\n"},
	{"A23: headings with colours", "# Top\n## B\n### C\n", 80, COLOUR,
	 B "Top" O "\n" D "───" O "\n\n" B "B" O "\n\n\033[1;2mC" O "\n"},
	{"A23: a heading's line is no wider than the terminal", "# ab cd", 3, COLOUR, B "ab" O "\n" B "cd" O "\n" D "──" O "\n"},
	{"A23: emphasis in a heading", "## a *b*", 80, COLOUR, B "a " O "\033[1;3mb" O "\n"},

	{"A23: emphasis keeps its marks without colours", "_a_ **b** ~~c~~ `d`", 80, PLAIN, "*a* **b** ~~c~~ `d`\n"},
	{"A23: emphasis with colours", "*a* __b__ ~~c~~ `d`", 80, COLOUR, I "a" O " " B "b" O " " S "c" O " " C "d" O "\n"},
	{"A23: emphasis goes on in the next line", "**aa bb**", 3, COLOUR, B "aa" O "\n" B "bb" O "\n"},
	{"A23: emphasis in emphasis", "**a *b* c**", 80, COLOUR, B "a " O "\033[1;3mb" O B " c" O "\n"},
	{"A23: code of two lines is one", "`a\nb`", 80, PLAIN, "`a b`\n"},

	{"A23: bullets", "- a\n- b\n", 80, PLAIN, "• a\n• b\n"},
	{"A23: items hang", "- aa bb\n", 5, PLAIN, "• aa\n  bb\n"},
	{"A23: nested lists", "- a\n  - b\n    1. c\n- d\n", 80, PLAIN, "• a\n  • b\n    1. c\n• d\n"},
	{"A23: a loose list", "- a\n\n- b\n\n  c\n", 80, PLAIN, "• a\n\n• b\n\n  c\n"},
	{"A23: numbers", "9) a\n1) b\n", 80, PLAIN, "9) a\n10) b\n"},
	{"A23: an item without anything", "- \n- a\n", 80, PLAIN, "•\n• a\n"},
	{"A23: lists in one line", "- - 1. x", 80, PLAIN, "• • 1. x\n"},
	{"A23: tasks", "- [x] a\n- [ ] bb cc\n", 8, PLAIN, "[x] a\n[ ] bb\n    cc\n"},
	{"A23: text after a list", "- a\n\nb\n", 80, PLAIN, "• a\n\nb\n"},
	{"A23: a paragraph before a list", "b\n- a\n", 80, PLAIN, "b\n\n• a\n"},
	{"A23: code in an item", "- a\n  ```\n  x\n  ```\n- b\n", 80, PLAIN, "• a\n      x\n• b\n"},
	{"A23: a heading in an item", "- # a\n", 80, PLAIN, "• # a\n"},
	{"A23: where there is no room, marks are words", "- - - - - x y", 8, PLAIN, "• • • •\n    • x\n    y\n"},

	{"A23: quotes without colours", "> a\n>\n> b\n", 80, PLAIN, "> a\n>\n> b\n"},
	{"A23: quotes with colours", "> aa bb\n", 4, COLOUR, D "│" O " aa\n" D "│" O " bb\n"},
	{"A23: a quote after a paragraph", "a\n\n> b\n\nc\n", 80, PLAIN, "a\n\n> b\n\nc\n"},
	{"A23: a list in a quote", "> - a\n>   > b\n", 80, PLAIN, "> • a\n>   > b\n"},
	{"A23: two paragraphs in a quote in a tight item", "- > a\n  >\n  > b\n- c", 80, PLAIN, "• > a\n  >\n  > b\n• c\n"},

	{"A23: code", "```c\nint  a;\n\n\tb\n```\n", 80, PLAIN, "    int  a;\n\n        b\n"},
	{"A23: tabs in code", "```\na\tb\n日本\tc\n```\n", 80, PLAIN, "    a   b\n    日本    c\n"},
	{"A23: code with colours", "    a\n", 80, COLOUR, "    " C "a" O "\n"},
	{"A23: code is cut anywhere, with a mark", "```\nabcde fghijklmnopq\n```\n", 16, PLAIN, "    abcde fghij↵\n    klmnopq\n"},
	{"A23: code that just fits has none", "```\nabcdefghijkl\n```\n", 16, PLAIN, "    abcdefghijkl\n"},
	{"A23: marks in code are text", "```\n**a** [b](c) &amp;\n```", 80, PLAIN, "    **a** [b](c) &amp;\n"},

	{"A23: a link shows where it leads", "[a](http://b.c/d)", 80, PLAIN, "a (http://b.c/d)\n"},
	{"A23: a link with colours", "[a](http://b.c/d)", 80, COLOUR, U "a" O D " (http://b.c/d)" O "\n"},
	{"A23: a link that says it already", "<http://b.c/d> http://e.f/ www.g.h i@j.kl", 80, PLAIN, "http://b.c/d http://e.f/ www.g.h i@j.kl\n"},
	{"A23: a link that says another", "[http://good.com](http://evil.com)", 80, PLAIN, "http://good.com (http://evil.com)\n"},
	{"A23: a link by reference", "[a]\n\n[a]: http://b.c 'title'", 80, PLAIN, "a (http://b.c)\n"},
	{"A23: an image", "![a b](c.png)", 80, PLAIN, "[image: a b] (c.png)\n"},
	{"A23: an image in a link", "[![a](b)](c)", 80, PLAIN, "[image: a] (b) (c)\n"},

	{"A23: a rule without colours", "a\n\n---\nb", 80, PLAIN, "a\n\n---\n\nb\n"},
	{"A23: a rule with colours", "---", 5, COLOUR, D "─────" O "\n"},
	{"A23: HTML is text", "<b>a</b>\n\n<script>x</script>\n", 80, PLAIN, "<b>a</b>\n\n<script>x</script>\n"},
	{"A23: entities", "&amp;&lt;&copy;&#x41;&nosuch;", 80, PLAIN, "&<©A&nosuch;\n"},

	{"A23: a table without colours", "|a|b|\n|---|--:|\n|cc|d|\n", 80, PLAIN, "| a  |  b |\n|----|----|\n| cc |  d |\n"},
	{"A23: a table with colours", "|a|b|\n|---|---|\n|cc|d|\n", 80, COLOUR,
	 D "┌────┬────┐" O "\n" D "│" O " " B "a" O "  " D "│" O " " B "b" O "  " D "│" O "\n" D "├────┼────┤" O "\n"
	 D "│" O " cc " D "│" O " d  " D "│" O "\n" D "└────┴────┘" O "\n"},
	{"A23: a centred column", "|aaaa|\n|:--:|\n|b|\n", 80, PLAIN, "| aaaa |\n|------|\n|  b   |\n"},
	{"A23: cells are wrapped", "|a|b|\n|---|---|\n|c|ddd ddd ddd|\n", 16, PLAIN,
	 "| a  | b       |\n|----|---------|\n| c  | ddd ddd |\n|    | ddd     |\n"},
	{"A23: a table that does not fit is a list", "|n|text|\n|---|---|\n|1|one two three|\n|2|four|\n", 12, PLAIN,
	 "n: 1\ntext: one\ntwo three\n\nn: 2\ntext: four\n"},
	{"A23: emphasis in a cell", "|a|\n|---|\n|**b**|\n", 80, PLAIN, "| a     |\n|-------|\n| **b** |\n"},
	{"A23: wide cells are in line", "|a|b|\n|---|---|\n|日本|x|\n|e\xcc\x81|y|\n", 80, PLAIN,
	 "| a    | b  |\n|------|----|\n| 日本 | x  |\n| e\xcc\x81    | y  |\n"},
	{"A23: a table in a quote", "> |a|\n> |---|\n> |b|\n", 80, PLAIN, "> | a  |\n> |----|\n> | b  |\n"},
	{"A23: a row with cells that are missing", "|a|b|\n|---|---|\n|c|\n", 80, PLAIN, "| a  | b  |\n|----|----|\n| c  |    |\n"},

	{"A23: a table right below its words", "see:\n|a|b|\n|-|-|\n|c|d|\n", 80, PLAIN, "see:\n\n| a  | b  |\n|----|----|\n| c  | d  |\n"},
	{"A23: a bar that is none", "|a|\n|---|\n|`b\\|c`|\n", 80, PLAIN, "| a     |\n|-------|\n| `b|c` |\n"},
	{"A23: a paragraph goes on without its mark", "> a\nb\n- c\nd\n", 80, PLAIN, "> a b\n\n• c d\n"},
	{"A23: a heading below its text", "a\nb\n===\nc\n---\n", 80, PLAIN, "# a b\n\n## c\n"},
	{"A23: seven marks are no heading", "####### a\n#b", 80, PLAIN, "####### a #b\n"},
	{"A23: a number in a text begins no list", "in\n2025. it was", 80, PLAIN, "in 2025. it was\n"},
	{"A23: another mark is another list", "- a\n* b\n", 80, PLAIN, "• a\n\n• b\n"},
	{"A23: a fence ends with its block", "> ```\n> a\nb", 80, PLAIN, ">     a\n\nb\n"},
	{"A23: a fence that never ends", "````\na\n```\nb", 80, PLAIN, "    a\n    ```\n    b\n"},
	{"A23: underscores in words", "snake_case_name __init__", 80, PLAIN, "snake_case_name **init**\n"},
	{"A23: three stars", "***a** b*", 80, PLAIN, "***a** b*\n"},
	{"A23: marks without an end", "*a **b `c [d ~e", 80, PLAIN, "*a **b `c [d ~e\n"},
	{"A23: marks that are escaped", "\\*a\\* \\`b\\` \\[c]", 80, PLAIN, "*a* `b` [c]\n"},
	{"A23: ticks in code", "`` a`b ``", 80, PLAIN, "`a`b`\n"},
	{"A23: brackets that are no link", "[a] b[0] (c) [d]", 80, PLAIN, "[a] b[0] (c) [d]\n"},
	{"A23: a link with brackets in its address", "[a](b(c)d) [e](<f g> \"h\")", 80, PLAIN, "a (b(c)d) e (f g)\n"},
	{"A23: references in all their forms", "[a][X] [x][] [x]\n\n[x]: y\n[x]: z\n", 80, PLAIN, "a (y) x (y) x (y)\n"},
	{"A23: an address ends before its sentence does", "(see http://a.b/c_(d)). www.e.f, g@h.ij.", 80, PLAIN, "(see http://a.b/c_(d)). www.e.f, g@h.ij.\n"},
	{"A23: an address with underscores", "http://a.b/c_d_e *f*", 80, PLAIN, "http://a.b/c_d_e *f*\n"},
	{"A23: lines of other systems", "# a\r\n\r\nb\r\nc\r\n", 80, PLAIN, "# a\n\nb c\n"},
	{"A23: several blanks are one", "a   b", 80, PLAIN, "a b\n"},
	{"A23: wide characters break anywhere", "日本語", 4, PLAIN, "日本\n語\n"},
	{"A23: a full stop stays with its word", "日本。", 4, PLAIN, "日\n本。\n"},
	{"A23: combining characters are no width", "e\xcc\x81" "e\xcc\x81 a", 4, PLAIN, "e\xcc\x81" "e\xcc\x81 a\n"},
	{"A23: a joined emoji is one", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb" "a", 3, PLAIN, "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb" "a\n"},
	{"A23: nothing wide in a single column", "日a", 1, PLAIN, "?\na\n"},

	{"A23: an escape sequence is visible", "a\033[2Jb", 80, COLOUR, "a^[[2Jb\n"},
	{"A23: an entity is no way around", "&#27;[2J&#x9b;2J", 80, COLOUR, "^[[2J<9b>2J\n"},
	{"A23: nor is an address", "[a](<b\033]8;;c\007>)", 80, PLAIN, "a (b^[]8;;c^G)\n"},
	{"A23: nor is code", "```\na\033[31m\r\n\x0e```\n```\n", 80, PLAIN, "    a^[[31m\n    ^N```\n"},
	{"A23: nor is a table", "|\033c|\n|---|\n|\xc2\x9b|\n", 80, PLAIN, "| ^[c  |\n|------|\n| <9b> |\n"},
	{"A23: bytes that are no characters", "a\xff \xed\xa0\x80 \xc0\x80", 80, PLAIN, "a<ff> <ed><a0><80> <c0><80>\n"},
	{"A23: directions are visible", "a\xe2\x80\xae" "b \xe2\x81\xa6 \xe2\x80\xa8", 80, PLAIN, "a<U+202E>b <U+2066> <U+2028>\n"},
	{"A23: joiners that join nothing are visible", "a\xe2\x80\x8d" "b \xe2\x80\x8b", 80, PLAIN, "a<U+200D>b <U+200B>\n"},
	{"A23: a byte order mark is none of the text", "\xef\xbb\xbf# a", 80, PLAIN, "# a\n"},
};
/* clang-format on */

static void test_render(void **state)
{
	const struct render_case *c = *state;
	struct style style = {true, c->colour, c->width};
	AUTO_BUF struct buf out = {0};

	markdown_render(c->text, strlen(c->text), &style, 0, &out);
	assert_string_equal(buf_text(&out), c->want);
}

static void test_nul(void **state)
{
	struct style style = {true, false, 80};
	AUTO_BUF struct buf out = {0};

	(void)state;
	markdown_render("a\0b", 3, &style, 0, &out);
	assert_string_equal(buf_text(&out), "a^@b\n");
}

static void test_indent(void **state)
{
	struct style style = {true, false, 8};
	AUTO_BUF struct buf out = {0};

	(void)state;
	buf_add_str(&out, "before\n");
	markdown_render("aa bb cc\n\n> d", 13, &style, 2, &out);
	assert_string_equal(buf_text(&out), "before\n  aa bb\n  cc\n\n  > d\n");
}

/* clang-format off */
static const struct preview_case {
	const char *name, *text;
	size_t max;
	const char *want;
} preview_cases[] = {
	{"A23: a preview has no marks", "# Done\n\n**All** is [well](http://x).\n\n- a\n- `b`\n", 80, "Done All is well. a b"},
	{"A23: a preview is one line", "a\n\tb  \nc\r\n\r\nd", 80, "a b c d"},
	{"A23: a preview has so many bytes", "abcdef", 3, "abc"},
	{"A23: a preview has no half character", "abé", 3, "ab"},
	{"A23: a preview is harmless", "a\033[2J&#27;", 80, "a^[[2J^["},
	{"A23: a preview of a table", "|a|b|\n|---|---|\n|c|d|", 80, "a b c d"},
	{"A23: a preview of code", "```sh\nls -l\n```", 80, "ls -l"},
	{"A23: a preview joins what belongs together", "a**b**c &lt;d", 80, "abc <d"},
	{"A23: a preview of nothing", "\n \n", 80, ""},
};
/* clang-format on */

static void test_preview(void **state)
{
	const struct preview_case *c = *state;
	AUTO_BUF struct buf out = {0};

	buf_add_str(&out, "> ");
	markdown_preview(c->text, strlen(c->text), c->max, &out);
	assert_memory_equal(buf_text(&out), "> ", 2);
	assert_string_equal(buf_text(&out) + 2, c->want);
}

/* One line: no control characters but our own colours, none of them left on, not too wide. */
static void check_line(const char *line, size_t len, const struct style *style)
{
	AUTO_BUF struct buf bare = {0};
	bool on = false;

	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\033') {
			size_t n = strspn(line + i + 2, "0123456789;");

			assert_true(style->colour && line[i + 1] == '[' && line[i + 2 + n] == 'm');
			on = strncmp(line + i, O, strlen(O)) != 0;
			i += n + 2;
			continue;
		}
		buf_add_char(&bare, line[i]);
	}
	assert_false(on);
	assert_true(text_is_utf8(buf_text(&bare), bare.len));
	assert_int_equal(strlen(buf_text(&bare)), bare.len);
	assert_null(text_find_control(buf_text(&bare)));
	assert_null(strchr(buf_text(&bare), '\t'));
	if (text_width(buf_text(&bare)) > style->width)
		fail_msg("wider than %zu: '%s'", style->width, buf_text(&bare));
}

static void check_lines(const struct buf *out, const struct style *style)
{
	const char *line = buf_text(out), *eol;

	for (; (eol = strchr(line, '\n')); line = eol + 1)
		check_line(line, (size_t)(eol - line), style);
	assert_int_equal(line - buf_text(out), out->len);
}

/* A line may have a prefix of half its width, each column of it with its colours. */
static size_t output_most(size_t len, size_t width)
{
	return (len + 16) * (8 * width + 64);
}

static const char *const parts[] = {
	"# ",
	"## ",
	"- ",
	"  - ",
	"1. ",
	"99) ",
	"> ",
	"    ",
	"```\n",
	"~~~\n",
	"\n",
	"\n",
	"\n\n",
	"\n\n",
	"*",
	"**",
	"_",
	"~~",
	"`",
	"``",
	"[",
	"](",
	")",
	"![",
	"<",
	">",
	"|",
	"|---|",
	"|:-:|",
	"\n|---|---|\n",
	"a",
	"word",
	" ",
	" ",
	"  \n",
	"\\",
	"&amp;",
	"&#27;",
	"\t",
	"[x] ",
	"- [ ] ",
	"---",
	"===",
	"日",
	"本語",
	"é",
	"e\xcc\x81",
	"👩\xe2\x80\x8d💻",
	"\xef\xb8\x8f",
	"\xe2\x80\x8d",
	"\033[1m",
	"\x9b",
	"\xc2\x9b",
	"\xff",
	"\xe2\x80\xae",
	"http://a.b/c",
	"www.a.b",
	"a@b.cd",
	"[a]: b\n",
	"\r\n",
	"a long line of many words that has to be wrapped ",
	"<b>",
	"verylongwordwithoutanyblanks",
};

/* xorshift: the same texts in every run. */
static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void test_random(void **state)
{
	uint32_t seed = 20250309;

	(void)state;
	for (size_t i = 0; i < 1200; i++) {
		struct style style = {true, i % 2, i / 2 % 120 + 1};
		AUTO_BUF struct buf text = {0}, out = {0};

		for (size_t n = next_random(&seed) % 60; n; n--)
			buf_add_str(&text, parts[next_random(&seed) % COUNT_OF(parts)]);
		markdown_render(buf_text(&text), text.len, &style, i % 7, &out);
		check_lines(&out, &style);
		assert_true(out.len <= output_most(text.len, style.width));
	}
}

/* clang-format off */
/* Texts made to be slow or to become large: a part again and again, 64 KiB of it. */
static const struct hostile_case {
	const char *name, *before, *part, *after;
	size_t count; /* 0: as often as it fits */
} hostile_cases[] = {
	{"A23: 1,000 quotes", "", "> ", "x", 1000},
	{"A23: 1,000 lists", "", "- ", "x", 1000},
	{"A23: as many quotes as fit", "", ">", "x"},
	{"A23: as many lists as fit", "", "- ", "x"},
	{"A23: open brackets", "", "[", ""},
	{"A23: open images", "", "![", ""},
	{"A23: half links", "", "[a](", ""},
	{"A23: half links in lines", "", "[](<\n", ""},
	{"A23: stars", "", "*", ""},
	{"A23: stars and letters", "", "*a ", ""},
	{"A23: emphasis that never ends", "", "a**b ", ""},
	{"A23: addresses in one word", "", "www._", ""},
	{"A23: ticks", "", "`a``b", ""},
	{"A23: lines of a quote", ">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>", "a\\\n", ""},
	{"A23: escapes", "", "\033", ""},
	{"A23: bytes that are none", "", "\xff", ""},
	{"A23: marks on one letter", "a", "\xcc\x81", ""},
	{"A23: one word", "", "a", ""},
	{"A23: rows", "|a|b|\n|---|---|\n", "|x|y|\n", ""},
	{"A23: rows with cells that are missing", "|a|b|c|d|e|f|g|h\n|---|---|---|---|---|---|---|---|\n", "|\n", ""},
	{"A23: code in tabs", "```\n", "\t", ""},
	{"A23: rules", "", "---\n", ""},
};
/* clang-format on */

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Some 100 ms are meant. A machine that is busy may need more, but what is not linear needs much more. */
static void check_hostile(const struct buf *text, size_t width)
{
	struct style style = {true, true, width};
	AUTO_BUF struct buf out = {0};
	double start = milliseconds(), took;

	markdown_render(buf_text(text), text->len, &style, 0, &out);
	took = milliseconds() - start;
	if (took > 1500)
		fail_msg("%zu bytes at %zu columns: %.0f ms", text->len, width, took);
	assert_true(out.len <= output_most(text->len, width));
	check_lines(&out, &style);
}

static void test_hostile(void **state)
{
	const struct hostile_case *c = *state;
	size_t count = c->count ? c->count : 65536 / strlen(c->part);
	AUTO_BUF struct buf text = {0};

	buf_add_str(&text, c->before);
	while (count--)
		buf_add_str(&text, c->part);
	buf_add_str(&text, c->after);
	check_hostile(&text, 80);
}

static void test_columns(void **state)
{
	AUTO_BUF struct buf text = {0};

	(void)state;
	for (const char *const *cell = (const char *const[]){"|a", "|---", "|b", NULL}; *cell;
	     cell++) {
		for (size_t i = 0; i < 1000; i++)
			buf_add_str(&text, *cell);
		buf_add_char(&text, '\n');
	}
	check_hostile(&text, 80);
}

/* One address, any number of links: the text must not become their product. */
static void test_references(void **state)
{
	AUTO_BUF struct buf text = {0};

	(void)state;
	buf_add_str(&text, "[a]: ");
	for (size_t i = 0; i < 30000; i++)
		buf_add_char(&text, 'b');
	buf_add_str(&text, "\n\n");
	for (size_t i = 0; i < 10000; i++)
		buf_add_str(&text, "[a]");
	check_hostile(&text, 80);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	add_table(test_render, render_cases);
	add_row("A23: a NUL is a character", test_nul, NULL);
	add_row("A23: lines behind an indent, added to what is there", test_indent, NULL);
	add_table(test_preview, preview_cases);
	add_row("A23: any text at any width stays inside it", test_random, NULL);
	add_table(test_hostile, hostile_cases);
	add_row("A23: a table of 1,000 columns", test_columns, NULL);
	add_row("A23: one address for 10,000 links", test_references, NULL);
	return run_rows("markdown");
}
