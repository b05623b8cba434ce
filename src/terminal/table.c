/*
 * table.c: cells in, aligned lines out.
 * The titles are the first row. Cells are kept as text until they are printed, since only then the
 * widths are known. Of a table that is printed in parts, columns can only become wider, and those
 * that were left out stay so. Colour is added around the padded text's own characters, so it never
 * counts as width.
 */
#include "terminal/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define GAP 2
#define NOTE_INDENT 2
#define CUT_LEAST 10 /* a column that gives way keeps at least so much */

struct cell {
	size_t at; /* where its text begins in the table's */
	enum tint tint;
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	struct cell *cells;
	size_t count, cap; /* of those that are not printed yet */
	size_t rows;	   /* whole ones that were, with the titles */
	size_t *widths;	   /* of the columns, as wide as their cells were so far */
	bool *shown;	   /* columns; NULL until it was decided */
	struct note {
		size_t after; /* so many cells */
		struct cell cell;
	} * notes;
	size_t note_count;
	struct buf text; /* of all cells, each with its NUL: a million rows are millions of cells */
};

void table_free(struct table *t)
{
	if (!t)
		return;
	free(t->cells);
	free(t->notes);
	free(t->widths);
	free(t->shown);
	buf_fini(&t->text);
	free(t);
}

void table_add(struct table *t, enum tint tint, const char *text)
{
	AUTO_BUF struct buf clean = {0};
	size_t most = t->columns[t->count % t->column_count].most, at = t->text.len;

	if (most) {
		visible_line(&clean, text);
		text_cut(&t->text, buf_text(&clean), most);
	} else {
		visible_line(&t->text, text);
	}
	buf_add_char(&t->text, '\0');
	if (t->count == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 64;
		t->cells = mem_grow(t->cells, t->cap, sizeof(*t->cells));
	}
	t->cells[t->count++] = (struct cell){at, tint};
}

struct table *table_new(const struct table_column *columns, size_t count)
{
	struct table *t = mem_zalloc(sizeof(*t));

	t->columns = columns;
	t->column_count = count;
	t->widths = mem_array(count, sizeof(*t->widths));
	for (size_t i = 0; i < count; i++)
		table_add(t, TINT_BOLD, columns[i].title);
	return t;
}

void table_note(struct table *t, enum tint tint, const char *text)
{
	t->notes = mem_grow(t->notes, t->note_count + 1, sizeof(*t->notes));
	t->notes[t->note_count++] = (struct note){t->count, {t->text.len, tint}};
	visible_block(&t->text, text, "");
	buf_add_char(&t->text, '\0');
}

size_t table_rows(const struct table *t)
{
	return t->rows + t->count / t->column_count - 1;
}

static const char *text_of(const struct table *t, const struct cell *cell)
{
	return t->text.data + cell->at;
}

static void measure(struct table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		size_t w = text_width(text_of(t, &t->cells[i]));

		if (w > t->widths[i % t->column_count])
			t->widths[i % t->column_count] = w;
	}
}

static size_t least_of(const struct table *t, size_t column, size_t width)
{
	const struct table_column *c = &t->columns[column];
	size_t least = c->least ? c->least : CUT_LEAST;

	return c->most && least < width ? least : width;
}

/* The columns needed when every column that may be cut is; those left out need nothing. */
static size_t least_total(const struct table *t, const size_t *widths, const bool *shown)
{
	size_t total = 0;

	for (size_t i = 0; i < t->column_count; i++)
		if (shown[i])
			total += least_of(t, i, widths[i]) + (total ? GAP : 0);
	return total;
}

static void leave_out(const struct table *t, const size_t *widths, bool *shown, size_t room)
{
	for (int turn = 1; least_total(t, widths, shown) > room; turn++) {
		size_t i = 0;

		while (i < t->column_count && t->columns[i].leave != turn)
			i++;
		if (i == t->column_count)
			return;
		shown[i] = false;
	}
}

static void shrink(const struct table *t, size_t *widths, const bool *shown, size_t room)
{
	size_t total = 0;

	for (size_t i = 0; i < t->column_count; i++)
		if (shown[i])
			total += widths[i] + (total ? GAP : 0);
	while (total > room) {
		size_t widest = t->column_count;

		for (size_t i = 0; i < t->column_count; i++)
			if (shown[i] && widths[i] > least_of(t, i, widths[i]) &&
			    (widest == t->column_count || widths[i] > widths[widest]))
				widest = i;
		if (widest == t->column_count)
			return;
		widths[widest]--;
		total--;
	}
}

static void add_spaces(struct buf *out, size_t count)
{
	while (count--)
		buf_add_char(out, ' ');
}

static void print_cell(const struct table *t, size_t column, const struct cell *cell, size_t width,
		       const struct style *style, struct buf *out)
{
	AUTO_BUF struct buf text = {0};
	bool last = column + 1 == t->column_count;
	size_t pad;

	if (t->columns[column].most)
		text_cut(&text, text_of(t, cell), width);
	else
		buf_add_str(&text, text_of(t, cell));
	pad = width - text_width(buf_text(&text));
	if (t->columns[column].right)
		add_spaces(out, pad);
	style_add(out, style, cell->tint, buf_text(&text));
	if (!last)
		add_spaces(out, (t->columns[column].right ? 0 : pad) + GAP);
}

/* A row whose last cells are empty must not end in spaces. */
static void end_line(struct buf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	buf_add_char(out, '\n');
}

/* Notes are in the order of their rows: `next` is the first that was not printed yet. */
static void print_notes(const struct table *t, size_t cells, size_t *next,
			const struct style *style, struct buf *out)
{
	for (; *next < t->note_count && t->notes[*next].after == cells; (*next)++) {
		const struct cell *cell = &t->notes[*next].cell;
		AUTO_BUF struct buf filled = {0};

		text_fill(&filled, text_of(t, cell), NOTE_INDENT, NOTE_INDENT, style->width);
		add_spaces(out, NOTE_INDENT);
		style_add(out, style, cell->tint, buf_text(&filled));
		buf_add_char(out, '\n');
	}
}

/* How wide each column is printed; the caller frees. */
static size_t *plan_widths(struct table *t, const struct style *style)
{
	size_t *widths = mem_array(t->column_count, sizeof(*widths));
	bool first = !t->shown;

	measure(t);
	memcpy(widths, t->widths, t->column_count * sizeof(*widths));
	if (first)
		t->shown = mem_array(t->column_count, sizeof(*t->shown));
	for (size_t i = 0; first && i < t->column_count; i++)
		t->shown[i] = true;
	if (first && style->terminal)
		leave_out(t, widths, t->shown, style->width);
	if (style->terminal)
		shrink(t, widths, t->shown, style->width);
	return widths;
}

static void forget_printed(struct table *t)
{
	t->rows += t->count / t->column_count;
	t->count = t->note_count = 0;
	buf_clear(&t->text);
}

void table_print(struct table *t, const struct style *style, struct buf *out)
{
	size_t *widths = plan_widths(t, style);
	size_t note = 0;

	for (size_t i = 0; i < t->count; i++) {
		size_t column = i % t->column_count;

		if (t->shown[column])
			print_cell(t, column, &t->cells[i], widths[column], style, out);
		if (column + 1 < t->column_count)
			continue;
		end_line(out);
		print_notes(t, i + 1, &note, style, out);
	}
	free(widths);
	forget_printed(t);
}
