/* test-screen.c: what a terminal sends as keys, and where keys lead in something long. */
#include <string.h>

#include "inbox/scroll.h"
#include "rows.h"
#include "terminal/screen.h"

#define MORE (-1) /* the bytes are the beginning of a key */

/* clang-format off */
static const struct key_case {
	const char *name, *bytes;
	bool all;        /* nothing follows */
	int keys[8];     /* ends with 0 */
} key_cases[] = {
	{"A23: letters", "rq?", false, {'r', 'q', '?'}},
	{"A23: arrows", "\033[A\033[B\033[C\033[D", false, {KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT}},
	{"A23: arrows of the other kind", "\033OA\033OB", false, {KEY_UP, KEY_DOWN}},
	{"A23: pages", "\033[5~\033[6~", false, {KEY_PAGE_UP, KEY_PAGE_DOWN}},
	{"A23: home and end, all kinds", "\033[H\033OF\033[1~\033[4~\033[7~\033[8~", false,
	 {KEY_HOME, KEY_END, KEY_HOME, KEY_END, KEY_HOME, KEY_END}},
	{"A23: Enter and Backspace", "\r\n\177\b", false, {KEY_ENTER, KEY_ENTER, KEY_BACKSPACE, KEY_BACKSPACE}},
	{"A23: Ctrl-C and Ctrl-D leave", "\003\004", false, {KEY_CTRL_C, KEY_CTRL_D}},
	{"Ctrl-U and Ctrl-W", "\025\027", false, {KEY_CTRL_U, KEY_CTRL_W}},
	{"A22: Esc alone waits", "\033", false, {MORE}},
	{"A22: Esc that nothing follows", "\033", true, {KEY_ESCAPE}},
	{"A22: Esc twice", "\033\033", true, {KEY_ESCAPE, KEY_ESCAPE}},
	{"A22: a sequence in two parts waits", "\033[5", false, {MORE}},
	{"A22: half a sequence is no letter", "\033[5", true, {KEY_OTHER}},
	{"A22: a sequence nobody knows is taken whole", "\033[1;5Cq", false, {KEY_OTHER, 'q'}},
	{"A22: a mouse report is taken whole", "\033[<0;12;34Mq", false, {KEY_OTHER, 'q'}},
	{"A22: Alt and a letter is not the letter", "\033eq", false, {KEY_OTHER, 'q'}},
	{"A22: a sequence without end is bounded", "\033[11111111111111111111111111111111111q", true,
	 {KEY_OTHER, '1', '1', '1', '1', '1', 'q'}},
	{"A22: two bytes", "\xc3\xa9", false, {0xe9}},
	{"A22: three bytes", "\xe6\x97\xa5", false, {0x65e5}},
	{"A22: four bytes", "\xf0\x9f\x94\x94", false, {0x1f514}},
	{"A22: half a character waits", "\xe6\x97", false, {MORE}},
	{"A22: bytes that are none", "\xff\x80q", true, {KEY_OTHER, KEY_OTHER, 'q'}},
	{"A22: a surrogate is none", "\xed\xa0\x80", true, {KEY_OTHER, KEY_OTHER, KEY_OTHER}},
	{"A22: controls of eight bits are none", "\xc2\x9bq", false, {KEY_OTHER, 'q'}},
};

static const struct input_case {
	const char *name;
	bool lines;
	const char *reads[4]; /* what comes together; ends with NULL */
	const char *want;     /* keys as they are, others as <N>, what is pasted in {} */
} input_cases[] = {
	{"N43 one key", false, {"e"}, "e"},
	{"N43 a word at once is no keys", false, {"every"}, "{every}"},
	{"N43 in two pieces", false, {"e", "very"}, "{every}"},
	{"N43 its last letter alone", false, {"ever", "y"}, "{every}"},
	{"N43 a letter and Enter at once", false, {"e\r"}, "{e/}"},
	{"N43 a key that is held down", false, {"jjjj"}, "jjjj"},
	{"N43 arrows, also with Enter", false, {"\033[B\033[B\r"}, "<down><down><enter>"},
	{"N43 half of a character", false, {"\xc3", "\xa9"}, "\xc3\xa9"},
	{"N43 control characters of it are none", false, {"a\003b\033[Bc\td"}, "{abc\td}"},
	{"N39 between marks", false, {"\033[200~every\033[201~q"}, "{every}q"},
	{"N39 marks in pieces", false, {"\033[20", "0~eve\033[2", "01~q"}, "{eve}q"},
	{"N39 line ends and controls", false, {"\033[200~a\rb\r\nc\n\003\tx\xc2\x9bq\033[201~"}, "{a/b/c/\txq}"},
	{"N39 a mark that never comes", false, {"\033[200~every"}, "{every}"},
	{"N39 a line that is typed", true, {"12\r"}, "12<enter>"},
	{"N39 lines at once", true, {"1\rr\r"}, "{1/r/}"},
	{"N39 a line, then another", true, {"1\r", "r\r"}, "1<enter>r<enter>"},
	{"N39 Enter held down", true, {"\r\r"}, "<enter><enter>"},
};

static const struct scroll_case {
	const char *name;
	struct scroll from;
	int keys[6]; /* ends with 0 */
	size_t top;
} scroll_cases[] = {
	{"A23: down a line", {100, 10, 0}, {KEY_DOWN, 'j'}, 2},
	{"A23: up stops at the top", {100, 10, 1}, {KEY_UP, 'k', KEY_UP}, 0},
	{"A23: a page leaves a line in sight", {100, 10, 0}, {KEY_PAGE_DOWN}, 9},
	{"A23: Space and b", {100, 10, 0}, {' ', ' ', 'b'}, 9},
	{"A23: pages stop at the end", {25, 10, 0}, {' ', ' ', ' ', ' '}, 15},
	{"A23: End and Home", {100, 10, 50}, {KEY_END, KEY_HOME}, 0},
	{"A23: G is the end", {100, 10, 50}, {'G'}, 90},
	{"A23: all in sight does not move", {5, 10, 0}, {KEY_DOWN, ' ', 'G'}, 0},
	{"A23: other keys do nothing", {100, 10, 50}, {'r', 'x', KEY_LEFT}, 50},
	{"A22: one line of room", {3, 1, 0}, {' ', ' ', ' '}, 2},
};

static const struct choice_case {
	const char *name;
	size_t count, room, at;
	int keys[6];
	size_t want_at, want_top;
} choice_cases[] = {
	{"A22: down within the screen", 20, 5, 0, {KEY_DOWN, 'j'}, 2, 0},
	{"A22: down past the screen scrolls by one", 20, 5, 4, {KEY_DOWN}, 5, 1},
	{"A22: the last stays the last", 3, 5, 2, {KEY_DOWN, 'j'}, 2, 0},
	{"A22: End and then up keeps the screen", 20, 5, 0, {KEY_END, KEY_UP}, 18, 15},
	{"A22: a page", 20, 5, 0, {KEY_PAGE_DOWN}, 4, 0},
	{"A22: Home", 20, 5, 19, {'g'}, 0, 0},
	{"A22: nothing to choose from", 0, 5, 0, {KEY_DOWN, 'G', ' '}, 0, 0},
	{"A22: what was chosen is gone", 3, 5, 9, {KEY_NONE}, 2, 0},
	{"A22: one line of room", 9, 1, 0, {'j', 'j'}, 2, 2},
};

static const struct show_case {
	const char *name;
	struct scroll from;
	size_t line, lines, top;
} show_cases[] = {
	{"A23: in sight, nothing moves", {100, 10, 20}, 22, 3, 20},
	{"A23: below, just so far", {100, 10, 20}, 35, 5, 30},
	{"A23: above, to its first line", {100, 10, 20}, 5, 3, 5},
	{"A23: longer than the screen shows its beginning", {100, 10, 20}, 60, 30, 60},
	{"A23: at the end there is no more", {100, 10, 0}, 99, 5, 90},
};
/* clang-format on */

static void test_keys(void **state)
{
	const struct key_case *c = *state;
	size_t len = strlen(c->bytes), at = 0, n = 0;

	while (at < len) {
		size_t used = 99;
		int key = key_decode(c->bytes + at, len - at, c->all, &used);

		assert_true(n < COUNT_OF(c->keys) && c->keys[n]);
		if (used == 0) {
			assert_int_equal(key, KEY_NONE);
			assert_int_equal(c->keys[n++], MORE);
			break;
		}
		assert_true(used <= len - at);
		assert_int_equal(key, c->keys[n++]);
		at += used;
	}
	assert_true(n == COUNT_OF(c->keys) || c->keys[n] == 0);
}

static void add_key(struct buf *out, int key, const struct input *in)
{
	if (key == KEY_ENTER || key == KEY_DOWN)
		buf_add_str(out, key == KEY_ENTER ? "<enter>" : "<down>");
	else if (key != KEY_PASTE)
		assert_true(key_edit(out, key, 100));
	for (const char *p = buf_text(&in->paste); key == KEY_PASTE && *p; p++)
		buf_printf(out, "%s%c%s", p == in->paste.data ? "{" : "", *p == '\n' ? '/' : *p,
			   p[1] ? "" : "}");
}

/* What comes is taken in at once; then, for as long as it may take, nothing comes. */
static void test_input(void **state)
{
	const struct input_case *c = *state;
	struct input in = {.lines = c->lines};
	AUTO_BUF struct buf got = {0};
	size_t i = 0;

	/* Behind a line that is whole, the next read is another one. */
	while (c->reads[i] || input_patience(&in)) {
		bool came = c->reads[i] != NULL;
		int key;

		if (came)
			input_feed(&in, c->reads[i], strlen(c->reads[i]));
		i += came;
		key = input_take(&in, !came);
		for (; key != KEY_NONE; key = input_take(&in, !came))
			add_key(&got, key, &in);
	}
	assert_string_equal(buf_text(&got), c->want);
	input_fini(&in);
}

static void test_scroll(void **state)
{
	const struct scroll_case *c = *state;
	struct scroll s = c->from;

	for (size_t i = 0; i < COUNT_OF(c->keys) && c->keys[i]; i++)
		scroll_key(&s, c->keys[i]);
	assert_int_equal(s.top, c->top);
}

static void test_choice(void **state)
{
	const struct choice_case *c = *state;
	struct choice choice = {.at = c->at};

	choice_fit(&choice, c->count, c->room);
	for (size_t i = 0; i < COUNT_OF(c->keys) && c->keys[i]; i++)
		choice_key(&choice, c->keys[i]);
	assert_int_equal(choice.at, c->want_at);
	assert_int_equal(choice.scroll.top, c->want_top);
}

static void test_show(void **state)
{
	const struct show_case *c = *state;
	struct scroll s = c->from;

	scroll_show(&s, c->line, c->lines);
	assert_int_equal(s.top, c->top);
}

static void test_smaller(void **state)
{
	struct scroll s = {100, 10, 90};

	(void)state;
	scroll_fit(&s, 30, 10);
	assert_int_equal(s.top, 20);
	assert_true(scroll_at_end(&s));
	scroll_fit(&s, 30, 40);
	assert_int_equal(s.top, 0);
	scroll_fit(&s, 30, 0);
	assert_int_equal(s.room, 1);
}

int main(void)
{
	add_table(test_keys, key_cases);
	add_table(test_input, input_cases);
	add_table(test_scroll, scroll_cases);
	add_table(test_choice, choice_cases);
	add_table(test_show, show_cases);
	add_row("A22: fewer lines, another height", test_smaller, NULL);
	return run_rows("screen");
}
