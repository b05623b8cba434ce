#pragma once
/*
 * A buffer that grows: bytes, always followed by a NUL that `len` does not count.
 *	AUTO_BUF struct buf text = {0};
 */
#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *data; /* NULL until something was added */
	size_t len, cap;
};

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_add_str(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_reserve(struct buf *b, size_t more); /* room for `more` bytes beyond len, and the NUL */
void buf_drop_front(struct buf *b, size_t len);
void buf_clear(struct buf *b); /* empty again, memory kept */
void buf_fini(struct buf *b);
char *buf_steal(struct buf *b);		   /* the text, never NULL; the buffer is empty after */
const char *buf_text(const struct buf *b); /* never NULL */

static inline void buf_add_char(struct buf *b, char c)
{
	if (b->len + 2 > b->cap)
		buf_reserve(b, 1);
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

static inline void auto_buf_fini(struct buf *b)
{
	buf_fini(b);
}
#define AUTO_BUF __attribute__((cleanup(auto_buf_fini)))
