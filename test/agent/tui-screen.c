/*
 * tui-screen.c: what tui-agent shows. Lines that stay scroll up, as of the clients it stands for;
 * below them, drawn anew with every change, are a line with what it does and the one that is typed
 * in. We break lines ourselves, one column before the terminal would, so that we always know in
 * which row the cursor is.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "tui.h"

#define PRINTED_ROWS_MAX 60 /* of one text; the rest of it is not worth a screen */
#define KEPT_MAX 20	    /* texts that are shown again on a screen of another size */

static struct {
	struct termios before;
	bool open, title;
	unsigned row; /* of the cursor, below the first row that is drawn anew */
	struct {
		const char *prefix;
		struct text text;
	} kept[KEPT_MAX];
	size_t kept_count;
} screen;

bool screen_size(unsigned *ret_columns, unsigned *ret_lines)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row) {
		*ret_columns = 80;
		*ret_lines = 24;
		return false;
	}
	*ret_columns = size.ws_col;
	*ret_lines = size.ws_row;
	return true;
}

static void put(struct text *out, const char *words)
{
	text_add(out, words, strlen(words));
}

/* One character as it is shown: *ret_len bytes were used, what is shown is in `shown`. */
static unsigned show_char(const char *bytes, size_t len, size_t *ret_len, char shown[16])
{
	unsigned char c = (unsigned char)*bytes;
	mbstate_t state = {0};
	wchar_t wide;
	size_t used;
	int width;

	*ret_len = 1;
	if (c < 0x20 || c == 0x7f) {
		snprintf(shown, 16, c == '\t' ? "    " : "^%c", c ^ 0x40);
		return c == '\t' ? 4 : 2;
	}
	used = mbrtowc(&wide, bytes, len, &state);
	if (used == (size_t)-1 || used == (size_t)-2 || used == 0 || (width = wcwidth(wide)) < 0) {
		strcpy(shown, "?");
		return 1;
	}
	memcpy(shown, bytes, used);
	shown[used] = '\0';
	*ret_len = used;
	return (unsigned)width;
}

/* A text in rows of the screen's width, behind `prefix`. Returns how many rows were begun. */
static unsigned put_rows(struct text *out, const char *prefix, const char *bytes, size_t len,
			 unsigned most)
{
	unsigned columns, lines, column = (unsigned)strlen(prefix), rows = 1;

	screen_size(&columns, &lines);
	put(out, prefix);
	for (size_t i = 0, used; i < len; i += used) {
		char shown[16] = "";
		unsigned width = 0;
		bool broken = bytes[i] == '\n';

		used = 1;
		if (!broken) {
			width = show_char(bytes + i, len - i, &used, shown);
			broken = column + width > columns - 1;
		}
		if (broken) {
			if (rows == most)
				break;
			put(out, "\r\n  ");
			column = 2;
			rows++;
		}
		put(out, shown);
		column += width;
	}
	return rows;
}

static void put_erase(struct text *out)
{
	char up[32];

	if (screen.row) {
		snprintf(up, sizeof(up), "\033[%uA", screen.row);
		put(out, up);
	}
	put(out, "\r\033[J");
	screen.row = 0;
}

static void flush(struct text *out)
{
	write_all(STDOUT_FILENO, out->data, out->len);
	text_clear(out);
}

static void print(const char *prefix, const char *bytes, size_t len)
{
	struct text out = {0};

	put_erase(&out);
	put_rows(&out, prefix, bytes, len, PRINTED_ROWS_MAX);
	put(&out, "\r\n");
	flush(&out);
}

void screen_print(const char *prefix, const char *bytes, size_t len)
{
	if (screen.kept_count == KEPT_MAX) {
		text_clear(&screen.kept[0].text);
		memmove(screen.kept, screen.kept + 1, --screen.kept_count * sizeof(screen.kept[0]));
		screen.kept[screen.kept_count].text = (struct text){0};
	}
	screen.kept[screen.kept_count].prefix = prefix;
	text_add(&screen.kept[screen.kept_count++].text, bytes, len);
	print(prefix, bytes, len);
}

void screen_draw(const struct screen_look *look)
{
	unsigned columns, lines, rows = 0;
	struct text out = {0};
	char waiting[64];

	screen_size(&columns, &lines);
	put_erase(&out);
	if (look->status) {
		rows += put_rows(&out, "", look->status, strlen(look->status), 2);
		put(&out, "\r\n");
	}
	if (look->queued) {
		snprintf(waiting, sizeof(waiting), "%zu queued", look->queued);
		rows += put_rows(&out, "  ", waiting, strlen(waiting), 1);
		put(&out, "\r\n");
	}
	rows += put_rows(&out, "> ", look->input->data, look->echo ? look->input->len : 0,
			 lines > rows + 2 ? lines - rows - 1 : 1);
	screen.row = rows - 1;
	flush(&out);
}

/* The terminal has wrapped what was there anew, nobody knows how: all of it again, on an empty one. */
void screen_resized(void)
{
	write_all(STDOUT_FILENO, "\033[H\033[2J", 7);
	screen.row = 0;
	for (size_t i = 0; i < screen.kept_count; i++)
		print(screen.kept[i].prefix, screen.kept[i].text.data, screen.kept[i].text.len);
}

void screen_title(bool busy)
{
	const char *words = busy ? "\033]2;\u25d0 tui-agent\007" : "\033]2;\u2733 tui-agent\007";

	if (screen.open && screen.title)
		write_all(STDOUT_FILENO, words, strlen(words));
}

void screen_open(bool paste, bool title)
{
	struct termios raw;

	setlocale(LC_CTYPE, "C.UTF-8");
	if (tcgetattr(STDIN_FILENO, &screen.before) < 0)
		die("tui-agent: standard input is no terminal; -p takes a prompt from it\n");
	raw = screen.before;
	cfmakeraw(&raw);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	screen.open = true;
	screen.title = title;
	if (paste)
		write_all(STDOUT_FILENO, "\033[?2004h", 8);
	screen_title(false);
}

void screen_close(void)
{
	if (!screen.open)
		return;
	write_all(STDOUT_FILENO, "\033[?2004l\r\n", 10);
	tcsetattr(STDIN_FILENO, TCSANOW, &screen.before);
	screen.open = false;
}
