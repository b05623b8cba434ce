/*
 * pick-terminal.c: a picker on a terminal.
 * fzf where it is installed and works, since whoever has it knows its keys; else our own, drawn
 * below the cursor and wiped when it is done; else, on a terminal that can only write lines, a list
 * with numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/file.h"
#include "base/mem.h"
#include "terminal/ask.h"
#include "terminal/fzf.h"
#include "terminal/keys.h"
#include "terminal/pick.h"
#include "terminal/raw.h"

#define ROWS_MOST 10
#define PICK_UNUSABLE (-1)

/* --- fzf --- */

/* "3<TAB>name  about": the number says which, whatever the text looks like. */
static void add_items(struct buf *all, const struct pick_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_printf(all, "%zu\t", i);
		visible_line(all, items[i].name);
		buf_add_str(all, "  ");
		visible_line(all, items[i].about ? items[i].about : "");
		buf_add_char(all, '\n');
	}
}

static int pick_by_fzf(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	AUTO(free) char *prompt = mem_printf("--prompt=%s> ", title);
	const char *const args[] = {prompt,
				    "--height=~40%",
				    "--layout=reverse",
				    "--with-nth=2..",
				    "--delimiter=\t",
				    "--no-multi",
				    NULL};
	AUTO_BUF struct buf lines = {0}, chosen = {0};
	unsigned long index;
	char *end;
	int r;

	add_items(&lines, items, count);
	r = fzf_run(&(struct fzf){.args = args, .lines = &lines}, &chosen);
	if (r != 0)
		return r == ASK_CANCELLED ? r : PICK_UNUSABLE;
	index = strtoul(buf_text(&chosen), &end, 10);
	if (end == buf_text(&chosen) || *end != '\t' || index >= count)
		return PICK_UNUSABLE;
	*ret = index;
	return 0;
}

/* --- our own --- */

static size_t rows_for(void)
{
	struct winsize size;

	if (ioctl(1, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return ROWS_MOST;
	if (size.ws_row < 5)
		return 2;
	return size.ws_row - 3U < ROWS_MOST ? size.ws_row - 3U : ROWS_MOST;
}

/* Wipe what was drawn before and draw anew; the cursor stands behind the filter. */
static void show(const struct picker *p, const char *title)
{
	struct style style = style_of(1);
	AUTO_BUF struct buf screen = {0}, out = {0};
	size_t lines = 0, column;

	picker_draw(p, &style, title, rows_for(), &screen);
	for (const char *c = buf_text(&screen); *c; c++)
		lines += *c == '\n';
	column = strcspn(buf_text(&screen), "\n");
	buf_add_str(&out, "\r\033[J");
	for (const char *c = buf_text(&screen); *c; c++)
		*c == '\n' ? buf_add_str(&out, "\r\n") : buf_add_char(&out, *c);
	buf_printf(&out, "\033[%zuA\r", lines);
	/* Characters are not columns: write the line again to stand at its end. */
	buf_add(&out, buf_text(&screen), column);
	if (fd_write_all(1, out.data, out.len) < 0)
		return;
}

static int pick_raw(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	enum pick_state state = PICK_OPEN;
	struct picker p;

	fflush(stdout);
	if (raw_begin() < 0)
		return PICK_UNUSABLE;
	picker_init(&p, items, count);
	while (state == PICK_OPEN) {
		int key;

		show(&p, title);
		key = raw_key();
		if (key == KEY_PASTE)
			picker_paste(&p, raw_pasted());
		state = picker_key(&p, key);
	}
	if (state == PICK_CHOSEN)
		*ret = p.matches[p.at];
	picker_fini(&p);
	raw_end();
	fputs("\r\033[J", stdout);
	printf("%s: %s\n", title, state == PICK_CHOSEN ? items[*ret].name : "");
	return state == PICK_CHOSEN ? 0 : ASK_CANCELLED;
}

/* --- numbers --- */

static int pick_number(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	for (size_t i = 0; i < count; i++) {
		AUTO_BUF struct buf line = {0};

		visible_line(&line, items[i].name);
		buf_add_str(&line, items[i].about && *items[i].about ? "  " : "");
		visible_line(&line, items[i].about ? items[i].about : "");
		printf("  %zu  %s\n", i + 1, buf_text(&line));
	}
	for (;;) {
		AUTO(free) char *text = NULL;
		unsigned long number;
		char *end;

		if (ask_line(title, count == 1 ? "1" : NULL, &text) != 0)
			return ASK_CANCELLED;
		number = *text || count > 1 ? strtoul(text, &end, 10) : (end = text, 1);
		for (size_t i = 0; i < count; i++)
			if (strcmp(items[i].name, text) == 0 || (!*end && number == i + 1)) {
				*ret = i;
				return 0;
			}
		printf("  a number from 1 to %zu, or a name\n", count);
	}
}

int pick(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	const char *term = getenv("TERM");
	int r = PICK_UNUSABLE;

	if (term && *term && strcmp(term, "dumb") != 0) {
		r = pick_by_fzf(title, items, count, ret);
		/* Its list is gone from the screen; the answer stays, as of any other question. */
		if (r == 0)
			printf("%s: %s\n", title, items[*ret].name);
		if (r == PICK_UNUSABLE)
			r = pick_raw(title, items, count, ret);
	}
	return r == PICK_UNUSABLE ? pick_number(title, items, count, ret) : r;
}
