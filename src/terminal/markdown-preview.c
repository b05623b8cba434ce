/*
 * markdown-preview.c: the words of a text and nothing else.
 * Only as much is read as a preview can need: marks are rarely more than the words between them.
 */
#include <string.h>

#include "base/text.h"
#include "terminal/markdown-parts.h"
#include "terminal/markdown.h"

#define READ_LEAST 4096

struct preview {
	struct buf *out;
	size_t start, max;
	bool apart; /* a blank is due before the next word */
};

static bool is_full(const struct preview *p)
{
	return p->out->len - p->start > p->max;
}

static void on_text(void *data, const char *text, size_t len)
{
	struct preview *p = data;

	for (const char *end = text + len; text < end && !is_full(p);) {
		size_t n = 0;

		while (text + n < end && text[n] != ' ' && text[n] != '\n')
			n++;
		if (n && p->apart && p->out->len > p->start)
			buf_add_char(p->out, ' ');
		visible_bytes(p->out, text, n);
		text += n;
		p->apart = text < end || (p->apart && !n);
		text += text < end;
	}
}

static void on_break(void *data)
{
	struct preview *p = data;

	p->apart = true;
}

static void on_enter(void *data, enum span span)
{
	(void)data;
	(void)span;
}

static void on_leave(void *data, enum span span, const char *address)
{
	(void)data;
	(void)span;
	(void)address;
}

static void read_block(struct preview *p, const struct blocks *b, const struct block *block)
{
	const struct span_reader spans = {p, on_text, on_break, on_enter, on_leave};
	const char *text = buf_text(&b->text) + block->start;

	p->apart = true;
	if (block->type == BLOCK_CODE)
		on_text(p, text, block->stop - block->start);
	else
		spans_read(b, text, block->stop - block->start, &spans);
}

void markdown_preview(const char *text, size_t len, size_t max, struct buf *out)
{
	struct preview p = {.out = out, .start = out->len, .max = max};
	struct blocks blocks = {0};
	size_t most = READ_LEAST + 4 * max;

	if (len > most) {
		len = most;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	blocks_read(&blocks, text, len);
	buf_add(out, "", 0);
	for (size_t i = 0; i < blocks.count && !is_full(&p); i++)
		read_block(&p, &blocks, &blocks.list[i]);
	blocks_fini(&blocks);
	out->len = p.start + text_fit(out->data + p.start, max);
	out->data[out->len] = '\0';
}
