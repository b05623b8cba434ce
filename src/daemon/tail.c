/* tail.c: a bounded buffer of the newest bytes, and its cleaning. */
#include "daemon/tail.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void tail_add(struct buf *tail, const char *bytes, size_t len)
{
	if (len > TAIL_MAX) {
		bytes += len - TAIL_MAX;
		len = TAIL_MAX;
	}
	buf_add(tail, bytes, len);
	/* Twice the size before anything moves: a byte is copied once, not at every write. */
	if (tail->len > 2 * TAIL_MAX)
		buf_drop_front(tail, tail->len - TAIL_MAX);
}

/* The length of the character at `p`, 0 when there is none. */
static size_t character(const char *p, size_t len)
{
	for (size_t n = 1; n <= 4 && n <= len; n++)
		if (text_is_utf8(p, n))
			return n;
	return 0;
}

static bool is_control(const char *p, size_t n)
{
	char one[5] = "";

	memcpy(one, p, n);
	return !*one || text_find_control(one) != NULL;
}

static void trim(struct buf *text)
{
	size_t start = strspn(buf_text(text), " \t\n");

	buf_drop_front(text, start);
	while (text->len && strchr(" \t\n", text->data[text->len - 1]))
		text->data[--text->len] = '\0';
}

char *tail_text(const struct buf *tail)
{
	size_t skip = tail->len > TAIL_MAX ? tail->len - TAIL_MAX : 0;
	const char *p = buf_text(tail) + skip;
	size_t left = tail->len - skip;
	AUTO_BUF struct buf text = {0};

	/* Cut in the middle of a character: its rest is not worth a '?'. */
	while (skip && left && (*p & 0xc0) == 0x80) {
		p++;
		left--;
	}
	while (left) {
		size_t n = character(p, left);

		if (n == 0 || is_control(p, n))
			buf_add_char(&text, '?');
		else
			buf_add(&text, p, n);
		p += n ? n : 1;
		left -= n ? n : 1;
	}
	trim(&text);
	return buf_steal(&text);
}
