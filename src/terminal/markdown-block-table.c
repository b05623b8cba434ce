/*
 * markdown-block-table.c: a line of cells with a line of dashes below it.
 * A row has as many cells as the head, however many it is written with. Rows that leave out most of
 * theirs would make much of little: all tables together have no more cells than the text has bytes.
 */
#include <string.h>

#include "terminal/markdown-blocks.h"

/* A line's cells: the bars around it are none. */
struct row {
	const char *text;
	size_t len;
};

static struct row row_of(const char *text, size_t len)
{
	while (len && *text == ' ') {
		text++;
		len--;
	}
	while (len && text[len - 1] == ' ')
		len--;
	if (len && *text == '|') {
		text++;
		len--;
	}
	if (len && text[len - 1] == '|' && (len < 2 || text[len - 2] != '\\'))
		len--;
	return (struct row){text, len};
}

/* The length of the first cell. An escaped bar is part of it. */
static size_t cell_len(const struct row *row)
{
	size_t n = 0;

	while (n < row->len && row->text[n] != '|')
		n += row->text[n] == '\\' && n + 1 < row->len ? 2 : 1;
	return n;
}

/* Returns false when there is no next one. */
static bool next_cell(struct row *row, size_t n)
{
	if (n >= row->len)
		return false;
	row->text += n + 1;
	row->len -= n + 1;
	return true;
}

static size_t count_cells(struct row row)
{
	size_t count = 1;

	while (next_cell(&row, cell_len(&row)))
		count++;
	return count;
}

/* ":--", ":-:", "--:" or "---". */
static bool read_align(const char *text, size_t len, enum block_align *ret)
{
	bool left, right;

	while (len && *text == ' ') {
		text++;
		len--;
	}
	while (len && text[len - 1] == ' ')
		len--;
	if (!len)
		return false;
	left = *text == ':';
	right = text[len - 1] == ':' && len > 1;
	*ret = right ? (left ? ALIGN_CENTER : ALIGN_RIGHT) : ALIGN_LEFT;
	len -= (size_t)left + right;
	text += left;
	for (size_t i = 0; i < len; i++)
		if (text[i] != '-')
			return false;
	return len > 0;
}

static bool read_aligns(struct parser *p, struct row row)
{
	for (p->columns = 0; p->columns < TABLE_COLUMNS_MAX;) {
		size_t n = cell_len(&row);

		if (!read_align(row.text, n, &p->align[p->columns++]))
			return false;
		if (!next_cell(&row, n))
			return true;
	}
	return false;
}

static void add_cell(struct parser *p, const char *text, size_t len, enum block_align align)
{
	struct block *block = block_add(p, BLOCK_CELL);
	struct buf *out = &p->out->text;

	while (len && *text == ' ') {
		text++;
		len--;
	}
	while (len && text[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len; i++)
		if (text[i] != '\\' || i + 1 == len || text[i + 1] != '|')
			buf_add_char(out, text[i]);
	block->stop = out->len;
	block->align = align;
}

static void add_row(struct parser *p, struct row row)
{
	bool more = true;

	for (unsigned i = 0; i < p->columns; i++) {
		size_t n = more ? cell_len(&row) : 0;

		add_cell(p, row.text, n, p->align[i]);
		more = more && next_cell(&row, n);
		if (!more)
			row.len = 0;
	}
	p->cells_left -= p->columns;
}

bool table_begin(struct parser *p)
{
	struct buf *text = &p->out->text, head = {0};
	const char *line = p->line + p->pos, *last = buf_text(text) + p->last_line;
	size_t len = p->len - p->pos;
	struct row row = row_of(last, text->len - p->last_line);

	/* Dashes alone are a heading's. */
	if ((!memchr(line, '|', len) && !memchr(last, '|', text->len - p->last_line)) ||
	    strspn(line, " |:-") < len || !read_aligns(p, row_of(line, len)) ||
	    count_cells(row) != p->columns || p->cells_left < p->columns)
		return false;
	/* What the paragraph says before is a paragraph. */
	buf_add(&head, row.text, row.len);
	text->len = p->last_line > p->leaf_start ? p->last_line - 1 : p->leaf_start;
	block_close(p, p->count);
	block_add(p, BLOCK_TABLE)->number = p->columns;
	add_row(p, (struct row){buf_text(&head), head.len});
	buf_fini(&head);
	p->leaf = LEAF_TABLE;
	return true;
}

bool table_row(struct parser *p)
{
	if (p->cells_left < p->columns)
		return false;
	add_row(p, row_of(p->line + p->pos, p->len - p->pos));
	return true;
}
