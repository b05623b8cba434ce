/*
 * pick-terminal.c: a picker on a terminal.
 * fzf where it is installed and works, since whoever has it knows its keys; else our own, drawn
 * below the cursor and wiped when it is done; else, on a terminal that can only write lines, a list
 * with numbers. Raw mode is on only while the picker is: a signal that ends the program in between
 * restores the terminal first.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "terminal/ask.h"
#include "terminal/fzf.h"
#include "terminal/pick.h"

#define ROWS_MOST 10
#define ESCAPE_MS 50 /* an Esc that nothing follows within this is the key itself */
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

static struct termios saved;
static volatile sig_atomic_t is_raw;

static void restore(void)
{
	if (!is_raw)
		return;
	is_raw = 0;
	tcsetattr(0, TCSANOW, &saved);
}

static void on_fatal(int signal)
{
	restore();
	raise(signal); /* SA_RESETHAND: the default action follows */
}

static int make_raw(void)
{
	struct sigaction act = {.sa_handler = on_fatal, .sa_flags = SA_RESETHAND | SA_NODEFER};
	struct termios raw;

	if (tcgetattr(0, &saved) < 0)
		return -1;
	raw = saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	is_raw = 1;
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	return tcsetattr(0, TCSAFLUSH, &raw);
}

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

/* More bytes that are already there, or come at once: a key may be several. */
static size_t read_keys(char *bytes, size_t room)
{
	struct pollfd more = {.fd = 0, .events = POLLIN};
	ssize_t n = read(0, bytes, room);
	size_t len = n > 0 ? (size_t)n : 0;

	while (len == 1 && bytes[0] == '\033' && poll(&more, 1, ESCAPE_MS) > 0) {
		n = read(0, bytes + len, room - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return n < 0 && errno == EINTR ? SIZE_MAX : len;
}

static enum pick_state feed(struct picker *p, const char *bytes, size_t len)
{
	enum pick_state state = PICK_OPEN;

	for (size_t i = 0, used; i < len && state == PICK_OPEN; i += used) {
		int key = pick_decode(bytes + i, len - i, &used);

		state = picker_key(p, key);
	}
	return state;
}

static int pick_raw(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	enum pick_state state = PICK_OPEN;
	struct picker p;

	fflush(stdout);
	if (make_raw() < 0) {
		is_raw = 0;
		return PICK_UNUSABLE;
	}
	picker_init(&p, items, count);
	while (state == PICK_OPEN) {
		char bytes[64];
		size_t len;

		show(&p, title);
		len = read_keys(bytes, sizeof(bytes));
		if (len == SIZE_MAX)
			continue; /* the window changed, for example */
		state = len ? feed(&p, bytes, len) : PICK_CANCELLED;
	}
	if (state == PICK_CHOSEN)
		*ret = p.matches[p.at];
	picker_fini(&p);
	restore();
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
