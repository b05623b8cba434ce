/*
 * markdown-table.c: tables.
 * Columns are as wide as their cells; where that is too wide the widest give way and their cells
 * are wrapped. Where a column would be left with less than a few characters, there is no table any
 * more: every cell becomes a line "head: cell", and a blank line ends the row.
 * With colours a table has a frame; without, it is the table of Markdown, with its cells in line.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "terminal/markdown-parts.h"

#define COLUMN_LEAST 6 /* a column that gives way keeps so much */

void grid_fini(struct grid *g)
{
	free(g->cells);
	*g = (struct grid){0};
}

void grid_begin(struct grid *g, size_t columns)
{
	g->columns = columns;
	g->count = 0;
}

void grid_cell_begin(struct grid *g, const struct flow *f, enum block_align align)
{
	if (g->count == g->cap) {
		g->cap = g->cap ? g->cap * 2 : 64;
		g->cells = mem_grow(g->cells, g->cap, sizeof(*g->cells));
	}
	g->align[g->count % g->columns] = align;
	g->cells[g->count++] = (struct grid_cell){f->text.len, f->text.len};
}

void grid_cell_end(struct grid *g, const struct flow *f)
{
	g->cells[g->count - 1].end = f->text.len;
}

static size_t least_of(size_t width)
{
	return width < COLUMN_LEAST ? width : COLUMN_LEAST;
}

/* The columns of lines and blanks around and between the cells. */
static size_t frame_width(const struct grid *g)
{
	return 3 * g->columns + 1;
}

/* An empty column has a column too, and a wide character fits into each. */
static void measure(const struct grid *g, const struct flow *f, size_t *widths)
{
	for (size_t i = 0; i < g->columns; i++)
		widths[i] = 2;
	for (size_t i = 0; i < g->count; i++) {
		size_t w = flow_width(f, g->cells[i].start, g->cells[i].end);

		if (w > widths[i % g->columns])
			widths[i % g->columns] = w;
	}
}

/* Take from the widest until all fit. Returns false when they cannot. */
static bool fit(const struct grid *g, size_t *widths, size_t room)
{
	size_t total = frame_width(g), least = total;

	for (size_t i = 0; i < g->columns; i++) {
		least += least_of(widths[i]);
		if (widths[i] > room)
			widths[i] = room;
		total += widths[i];
	}
	if (least > room)
		return false;
	while (total > room) {
		size_t widest = 0;

		for (size_t i = 1; i < g->columns; i++)
			if (widths[i] > widths[widest])
				widest = i;
		widths[widest]--;
		total--;
	}
	return true;
}

static void add_blanks(struct buf *out, size_t count)
{
	buf_printf(out, "%*s", (int)count, "");
}

static void print_piece(const struct flow *f, const struct piece *piece, size_t width,
			enum block_align align, struct page *page)
{
	size_t pad = width - piece->width, left = 0;

	if (align == ALIGN_RIGHT)
		left = pad;
	else if (align == ALIGN_CENTER)
		left = pad / 2;
	add_blanks(page->out, left);
	flow_print(f, piece, page->style, page->out);
	add_blanks(page->out, pad - left);
}

/* One line of a row: what is left of each cell, from places[] on. Returns whether all are done. */
static bool print_line(const struct grid *g, const struct flow *f, size_t row, size_t *places,
		       const size_t *widths, struct page *page)
{
	const char *bar = page->style->colour ? "│" : "|";
	bool done = true;

	page_begin(page);
	for (size_t i = 0; i < g->columns; i++) {
		const struct grid_cell *cell = &g->cells[row * g->columns + i];
		struct piece piece = {.start = cell->end, .end = cell->end};

		if (!flow_words(f, &places[i], cell->end, widths[i], &piece))
			piece = (struct piece){cell->end, cell->end, 0, false};
		style_add(page->out, page->style, TINT_DIM, bar);
		add_blanks(page->out, 1);
		print_piece(f, &piece, widths[i], g->align[i], page);
		add_blanks(page->out, 1);
		done = done && places[i] >= cell->end;
	}
	style_add(page->out, page->style, TINT_DIM, bar);
	page_end(page);
	return done;
}

static void print_row(const struct grid *g, const struct flow *f, size_t row, const size_t *widths,
		      struct page *page)
{
	size_t places[TABLE_COLUMNS_MAX];

	for (size_t i = 0; i < g->columns; i++)
		places[i] = g->cells[row * g->columns + i].start;
	while (!print_line(g, f, row, places, widths, page))
		;
}

/* A line of the frame: its left end, the line, where it crosses a column's, its right end. */
static void print_frame(const struct grid *g, const size_t *widths, const char *const parts[4],
			struct page *page)
{
	AUTO_BUF struct buf line = {0};

	for (size_t i = 0; i < g->columns; i++) {
		buf_add_str(&line, parts[i ? 2 : 0]);
		for (size_t n = widths[i] + 2; n; n--)
			buf_add_str(&line, parts[1]);
	}
	buf_add_str(&line, parts[3]);
	page_rule(page, buf_text(&line), 1);
}

static void print_table(const struct grid *g, const struct flow *f, const size_t *widths,
			struct page *page)
{
	static const char *const top[] = {"┌", "─", "┬", "┐"},
				 *const plain[] = {"|", "-", "|", "|"},
				 *const middle[] = {"├", "─", "┼", "┤"},
				 *const bottom[] = {"└", "─", "┴", "┘"};
	bool colour = page->style->colour;

	if (colour)
		print_frame(g, widths, top, page);
	for (size_t row = 0; row < g->count / g->columns; row++) {
		print_row(g, f, row, widths, page);
		if (row == 0)
			print_frame(g, widths, colour ? middle : plain, page);
	}
	if (colour)
		print_frame(g, widths, bottom, page);
}

/* The part of the head's cell that a line of the list begins with: half a line at most. */
static void add_head(const struct grid *g, const struct flow *f, size_t column, size_t room,
		     struct flow *line)
{
	const struct grid_cell *cell = &g->cells[column];
	AUTO_BUF struct buf head = {0}, cut = {0};

	buf_add(&head, buf_text(&f->text) + cell->start, cell->end - cell->start);
	text_cut(&cut, buf_text(&head), room / 2);
	flow_put(line, buf_text(&cut), LOOK_BOLD);
	flow_put(line, cut.len ? ": " : "", LOOK_BOLD);
}

static void print_item(const struct grid *g, const struct flow *f, size_t cell, struct page *page)
{
	const struct grid_cell *c = &g->cells[cell];
	struct flow line = {0};

	if (cell >= g->columns)
		add_head(g, f, cell % g->columns, page_room(page), &line);
	buf_add(&line.text, buf_text(&f->text) + c->start, c->end - c->start);
	buf_add(&line.looks, buf_text(&f->looks) + c->start, c->end - c->start);
	page_words(page, &line);
	flow_fini(&line);
}

/* The head alone is all of a table without rows; otherwise each line has its part of it. */
static void print_list(const struct grid *g, const struct flow *f, struct page *page)
{
	for (size_t i = g->count > g->columns ? g->columns : 0; i < g->count; i++) {
		const struct grid_cell *c = &g->cells[i];

		if (i > g->columns && i % g->columns == 0)
			page->gap = true;
		if (c->start == c->end)
			continue;
		page_gap(page);
		print_item(g, f, i, page);
	}
}

void grid_print(const struct grid *g, const struct flow *f, struct page *page)
{
	size_t widths[TABLE_COLUMNS_MAX];

	if (!g->count || g->count % g->columns)
		return;
	measure(g, f, widths);
	if (fit(g, widths, page_room(page)))
		print_table(g, f, widths, page);
	else
		print_list(g, f, page);
}
