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
#include <wchar.h>
#include <wctype.h>

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

/* fzf shows what a command prints in a window of its own, and says how wide that is. 0: it does not. */
static size_t window_width(void)
{
	const char *columns = getenv("FZF_PREVIEW_COLUMNS");
	long width = columns ? strtol(columns, NULL, 10) : 0;

	return width >= WINDOW_LEAST && width <= WINDOW_MOST ? (size_t)width : 0;
}

struct style style_of(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	size_t window = isatty(fd) ? 0 : window_width();
	struct style style = {.terminal = isatty(fd) || window, .width = WIDTH_DEFAULT};
	struct winsize size;

	style.colour = (isatty(fd) || colours_are_forced()) && !(no_color && *no_color) && term &&
		       *term && strcmp(term, "dumb") != 0;
	if (window)
		style.width = window;
	else if (style.terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
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

/* clang-format off */
/*
 * Characters that show nothing, or reorder the line they stand in: a name could pretend to be
 * another. All that Unicode calls default ignorable, but for joiners and selectors, which are
 * looked at with their neighbours; and the ends of lines and marks of annotations.
 */
static const struct { uint32_t first, last; } hidden[] = {
	{0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
	{0x180e, 0x180e},   {0x200b, 0x200b},   {0x200e, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
	{0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a}, {0xe0000, 0xe00ff}, {0xe01f0, 0xe0fff},
};
/* clang-format on */

/* And those without a width, for which every terminal has its own. */
static bool is_hidden(uint32_t c)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return true;
	return wcwidth((wchar_t)c) < 0;
}

/*
 * Variation selectors belong behind a sign, as of an emoji, an ideograph or a Mongolian letter, and
 * between a digit and its keycap. Behind any other letter they show nothing.
 */
static bool is_selector_alone(uint32_t c, uint32_t before, const char *after, size_t after_len)
{
	bool mongolian = (c >= 0x180b && c <= 0x180d) || c == 0x180f;

	if (mongolian)
		return before < 0x1800 || before > 0x18af;
	if ((c < 0xfe00 || c > 0xfe0f) && (c < 0xe0100 || c > 0xe01ef))
		return false;
	if (c == 0xfe0f && after_len >= 3 && memcmp(after, "\xe2\x83\xa3", 3) == 0)
		return false;
	return before < 0x80 || (before < 0x2e80 && iswalpha((wint_t)before));
}

/* Joiners and non-joiners belong between two letters of a script that has them, or two emoji. */
static bool is_joiner_alone(uint32_t c, uint32_t before, const char *after, size_t after_len)
{
	return (c == 0x200c || c == 0x200d) && (before < 0x80 || !after_len || !(*after & 0x80));
}

/* Add the character at `text`, harmless; returns its bytes. *before is the one before it. */
static size_t add_visible(struct buf *out, const char *text, size_t len, uint32_t *before)
{
	unsigned char byte = (unsigned char)*text;
	uint32_t c = 0;
	size_t n = text_decode(text, len, &c);

	if (byte == '\t')
		buf_add_char(out, ' ');
	else if (byte < 0x20 || byte == 0x7f)
		buf_printf(out, "^%c", byte ^ 0x40);
	else if (n == 0 || (c >= 0x80 && c < 0xa0))
		buf_printf(out, "<%02x>", n ? (unsigned)c : byte);
	else if (is_hidden(c) || is_joiner_alone(c, *before, text + n, len - n) ||
		 is_selector_alone(c, *before, text + n, len - n))
		buf_printf(out, "<U+%04X>", (unsigned)c);
	else
		buf_add(out, text, n);
	*before = c;
	return n ? n : 1;
}

/* How many characters that need no second look begin here. */
static size_t plain_len(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= 0x20 && text[n] < 0x7f)
		n++;
	return n;
}

void visible_bytes(struct buf *out, const char *text, size_t len)
{
	uint32_t before = 0;

	while (len) {
		size_t n = plain_len(text, len);

		if (n) {
			buf_add(out, text, n);
			before = 0;
		} else {
			n = add_visible(out, text, len, &before);
		}
		text += n;
		len -= n;
	}
}

void visible_line(struct buf *out, const char *text)
{
	visible_bytes(out, text, strlen(text));
}

void visible_block(struct buf *out, const char *text, const char *indent)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		visible_bytes(out, text, len);
		text += len;
		if (*text != '\n')
			return;
		text++;
		buf_add_char(out, '\n');
		if (*text && *text != '\n')
			buf_add_str(out, indent);
	}
}

/* Looks no further than it has to: a preview may be cut out of a whole book. */
void text_cut(struct buf *out, const char *text, size_t columns)
{
	size_t len = strlen(text), at = 0, used = 0, fits = 0, w;

	while (at < len) {
		size_t n = text_cluster(text + at, len - at, &w);

		if (used + w > columns)
			break;
		at += n;
		used += w;
		if (used < columns)
			fits = at;
	}
	if (at == len) {
		buf_add(out, text, len);
		return;
	}
	buf_add(out, text, fits);
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
