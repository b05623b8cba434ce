/* markdown.c: Markdown on a terminal. */
#include "terminal/markdown.h"

void markdown_render(const char *text, size_t len, const struct style *style, size_t indent,
		     struct buf *out)
{
	(void)style;
	(void)indent;
	buf_add(out, text, len);
}

void markdown_preview(const char *text, size_t len, size_t max, struct buf *out)
{
	buf_add(out, text, len < max ? len : max);
}
