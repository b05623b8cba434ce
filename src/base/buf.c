/* buf.c: a growing byte buffer; doubling growth, so that appending is cheap on average. */
#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void buf_reserve(struct buf *b, size_t more)
{
	size_t want = b->len + more + 1;

	if (want <= b->cap)
		return;
	b->cap = want < 64 ? 64 : want + want / 2;
	b->data = mem_grow(b->data, b->cap, 1);
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	buf_reserve(b, len);
	if (len)
		memcpy(b->data + b->len, bytes, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_add_str(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	buf_reserve(b, 64);
	va_start(ap, fmt);
	n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	if ((size_t)n >= b->cap - b->len) {
		buf_reserve(b, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}

void buf_drop_front(struct buf *b, size_t len)
{
	assert(len <= b->len);
	if (!len)
		return;
	memmove(b->data, b->data + len, b->len - len + 1);
	b->len -= len;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}

char *buf_steal(struct buf *b)
{
	char *text = b->data ? b->data : mem_strdup("");

	*b = (struct buf){0};
	return text;
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}
