/*
 * table.c: cells in, aligned lines out.
 * The titles are the first row. Cells are kept as text until the end, since only then the widths
 * are known. Colour is added around the padded text's own characters, so it never counts as width.
 */
#include "cli/table.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

#define GAP 2
#define CUT_LEAST 10 /* a column that gives way keeps at least so much */

struct cell {
	char *text;
	enum tint tint;
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	struct cell *cells;
	size_t count, cap;
};

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i].text);
	free(t->cells);
	free(t);
}

void table_add(struct table *t, enum tint tint, const char *text)
{
	AUTO_BUF struct buf clean = {0}, cut = {0};
	size_t most = t->columns[t->count % t->column_count].most;

	visible_line(&clean, text);
	if (most)
		text_cut(&cut, buf_text(&clean), most);
	if (t->count == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 64;
		t->cells = mem_grow(t->cells, t->cap, sizeof(*t->cells));
	}
	t->cells[t->count++] = (struct cell){buf_steal(most ? &cut : &clean), tint};
}

struct table *table_new(const struct table_column *columns, size_t count)
{
	struct table *t = mem_zalloc(sizeof(*t));

	t->columns = columns;
	t->column_count = count;
	for (size_t i = 0; i < count; i++)
		table_add(t, TINT_BOLD, columns[i].title);
	return t;
}

size_t table_rows(const struct table *t)
{
	return t->count / t->column_count - 1;
}

static void measure(const struct table *t, size_t *widths)
{
	for (size_t i = 0; i < t->count; i++) {
		size_t w = text_width(t->cells[i].text);

		if (w > widths[i % t->column_count])
			widths[i % t->column_count] = w;
	}
}

static void shrink(const struct table *t, size_t *widths, size_t room)
{
	size_t total = GAP * (t->column_count - 1);

	for (size_t i = 0; i < t->column_count; i++)
		total += widths[i];
	while (total > room) {
		size_t widest = t->column_count;

		for (size_t i = 0; i < t->column_count; i++)
			if (t->columns[i].most && widths[i] > CUT_LEAST &&
			    (widest == t->column_count || widths[i] > widths[widest]))
				widest = i;
		if (widest == t->column_count)
			return;
		widths[widest]--;
		total--;
	}
}

static void print_cell(const struct table *t, size_t column, const struct cell *cell, size_t width,
                       const struct style *style, struct buf *out)
{
	AUTO_BUF struct buf text = {0};
	bool last = column + 1 == t->column_count;
	int pad;

	if (t->columns[column].most)
		text_cut(&text, cell->text, width);
	else
		buf_add_str(&text, cell->text);
	pad = (int)(width - text_width(buf_text(&text)));
	if (t->columns[column].right)
		buf_printf(out, "%*s", pad, "");
	style_add(out, style, cell->tint, buf_text(&text));
	if (!last)
		buf_printf(out, "%*s", (t->columns[column].right ? 0 : pad) + GAP, "");
}

/* A row whose last cells are empty must not end in spaces. */
static void end_line(struct buf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	buf_add_char(out, '\n');
}

void table_print(const struct table *t, const struct style *style, struct buf *out)
{
	size_t *widths = mem_array(t->column_count, sizeof(*widths));

	measure(t, widths);
	if (style->terminal)
		shrink(t, widths, style->width);
	for (size_t i = 0; i < t->count; i++) {
		size_t column = i % t->column_count;

		print_cell(t, column, &t->cells[i], widths[column], style, out);
		if (column + 1 == t->column_count)
			end_line(out);
	}
	free(widths);
}
