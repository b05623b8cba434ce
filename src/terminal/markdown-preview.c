/*
 * markdown-preview.c: the words of a text and nothing else.
 * Only as much is read as a preview can need: marks are rarely more than the words between them.
 */
#include <md4c.h>
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

static int preview_add(struct preview *p, const char *text, size_t len)
{
	while (len) {
		size_t n = 0;

		while (n < len && !strchr(" \t\r\n", text[n]))
			n++;
		if (n && p->apart && p->out->len > p->start)
			buf_add_char(p->out, ' ');
		visible_bytes(p->out, text, n);
		p->apart = n < len;
		text += n + (n < len);
		len -= n + (n < len);
	}
	/* md4c goes on after what is positive. */
	return p->out->len - p->start > p->max ? -1 : 0;
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *data)
{
	struct preview *p = data;

	(void)type;
	(void)detail;
	p->apart = true;
	return 0;
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *data)
{
	return on_enter_block(type, detail, data);
}

static int on_span(MD_SPANTYPE type, void *detail, void *data)
{
	(void)type;
	(void)detail;
	(void)data;
	return 0;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
	AUTO_BUF struct buf character = {0};

	if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
		return preview_add(data, " ", 1);
	if (type == MD_TEXT_NULLCHAR)
		return preview_add(data, "�", strlen("�"));
	if (type != MD_TEXT_ENTITY)
		return preview_add(data, text, size);
	entity_add(&character, text, size);
	return preview_add(data, buf_text(&character), character.len);
}

void markdown_preview(const char *text, size_t len, size_t max, struct buf *out)
{
	MD_PARSER parser = {
		.flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML,
		.enter_block = on_enter_block,
		.leave_block = on_leave_block,
		.enter_span = on_span,
		.leave_span = on_span,
		.text = on_text,
	};
	struct preview p = {.out = out, .start = out->len, .max = max};
	size_t most = READ_LEAST + 4 * max;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (len > most) {
		len = most;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	buf_add(out, "", 0);
	md_parse(text, (MD_SIZE)len, &parser, &p);
	out->len = p.start + text_fit(out->data + p.start, max);
	out->data[out->len] = '\0';
}
