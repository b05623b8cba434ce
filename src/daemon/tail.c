/* tail.c: a bounded buffer of the newest bytes, and its cleaning. */
#include "daemon/tail.h"

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

char *tail_text(const struct buf *tail)
{
	size_t skip = tail->len > TAIL_MAX ? tail->len - TAIL_MAX : 0;
	const char *p = buf_text(tail) + skip;
	size_t left = tail->len - skip;

	/* Cut in the middle of a character: its rest is not worth a '?'. */
	while (skip && left && (*p & 0xc0) == 0x80) {
		p++;
		left--;
	}
	return text_clean(p, left);
}
