/*
 * style.c: colours where they are wanted, and text that cannot take over the terminal.
 * A reminder's text, a name or the last line of a failed command come from anywhere, also from a
 * hostile agent: nothing of it reaches the screen before it went through visible_*().
 */
#include "terminal/style.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

#define WIDTH_DEFAULT 80
#define WIDTH_LEAST 40
#define WINDOW_LEAST 10
#define WINDOW_MOST 1000

static const char *const tint_codes[] = {
	[TINT_BOLD] = "1",  [TINT_DIM] = "2",  [TINT_GOOD] = "32",
	[TINT_WARN] = "33", [TINT_BAD] = "31",
};

/* CLICOLOR_FORCE, by which programs are told that whoever reads their pipe shows colours. */
static bool colours_are_forced(void)
{
	const char *force = getenv("CLICOLOR_FORCE");

	return force && *force && strcmp(force, "0") != 0;
}

/* fzf shows what a command prints in a window of its own, and says how wide that is. */
static size_t window_width(void)
{
	const char *columns = getenv("FZF_PREVIEW_COLUMNS");
	int width = columns ? atoi(columns) : 0;

	return width >= WINDOW_LEAST && width <= WINDOW_MOST ? (size_t)width : WIDTH_DEFAULT;
}

struct style style_of(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct style style = {.terminal = isatty(fd), .width = WIDTH_DEFAULT};
	struct winsize size;

	style.colour = (style.terminal || colours_are_forced()) && !(no_color && *no_color) &&
		       term && *term && strcmp(term, "dumb") != 0;
	if (!style.terminal)
		style.width = window_width();
	else if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		style.width = size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
	return style;
}

void style_add(struct buf *out, const struct style *style, enum tint tint, const char *text)
{
	if (!style->colour || tint == TINT_NONE || !*text)
		buf_add_str(out, text);
	else
		buf_printf(out, "\033[%sm%s\033[0m", tint_codes[tint], text);
}

void style_printf(struct buf *out, const struct style *style, enum tint tint, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	va_end(ap);
	style_add(out, style, tint, text);
}

/* The bytes of the character at p; 1 for a byte that begins none. */
static size_t char_len(const unsigned char *p)
{
	size_t need = p[0] < 0xc0 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	for (size_t i = 1; i < need; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 1;
	return need;
}

/* Characters that reorder the line they stand in: a name could pretend to be another. */
static bool is_direction(const unsigned char *p)
{
	if (p[0] != 0xe2)
		return false;
	return (p[1] == 0x80 && (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae))) ||
	       (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

static void add_visible(struct buf *out, const unsigned char *p, size_t len)
{
	if (*p == '\t')
		buf_add_char(out, ' ');
	else if (*p < 0x20 || *p == 0x7f)
		buf_printf(out, "^%c", *p ^ 0x40);
	else if (len == 1 && *p >= 0x80)
		buf_printf(out, "<%02x>", *p);
	else if (*p == 0xc2 && p[1] < 0xa0)
		buf_printf(out, "<%02x>", p[1]);
	else if (is_direction(p))
		buf_printf(out, "<U+%04X>", 0x2000 | (p[1] & 0x3f) << 6 | (p[2] & 0x3f));
	else
		buf_add(out, p, len);
}

/* How many characters that need no second look begin here. */
static size_t plain_len(const unsigned char *p)
{
	size_t len = 0;

	while (p[len] >= 0x20 && p[len] < 0x7f)
		len++;
	return len;
}

void visible_line(struct buf *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t len = plain_len(p);

		if (len) {
			buf_add(out, p, len);
		} else {
			len = char_len(p);
			add_visible(out, p, len);
		}
		p += len;
	}
}

void visible_block(struct buf *out, const char *text, const char *indent)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t len = char_len(p);

		if (*p == '\n')
			buf_printf(out, "\n%s", p[1] ? indent : "");
		else
			add_visible(out, p, len);
		p += len;
	}
}

void text_cut(struct buf *out, const char *text, size_t columns)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t used = 0;

	if (text_width(text) <= columns) {
		buf_add_str(out, text);
		return;
	}
	while (*p) {
		size_t len = char_len(p);
		char one[8] = "";
		size_t w;

		memcpy(one, p, len);
		w = text_width(one);
		if (used + w + 1 > columns)
			break;
		buf_add(out, p, len);
		used += w;
		p += len;
	}
	if (columns)
		buf_add_str(out, "…");
}

void text_fill(struct buf *out, const char *text, size_t at, size_t indent, size_t width)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " \n");
		AUTO(free) char *word = mem_strndup(text, len);
		size_t w = text_width(word);

		if (len && !first && at + 1 + w > width) {
			buf_printf(out, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		if (len) {
			buf_printf(out, "%s%s", first ? "" : " ", word);
			at += w + !first;
			first = false;
		}
		text += len;
		text += strspn(text, " \n");
	}
}
