#pragma once
/*
 * The parts of the Markdown renderer: a flow is text with its looks, a page is where lines go, a
 * grid is a table. Only for markdown*.c.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "terminal/markdown-parse.h"
#include "terminal/style.h"

/* How a character looks; a set of these. */
enum look {
	LOOK_BOLD = 1,
	LOOK_DIM = 2,
	LOOK_ITALIC = 4,
	LOOK_UNDERLINE = 8,
	LOOK_STRIKE = 16,
	LOOK_CODE = 32,
};

/* Text that is visible already, and a look for each of its bytes. '\n' ends a line, ' ' may. */
struct flow {
	struct buf text, looks;
	bool narrow; /* there is one column: wide characters become '?' */
};
void flow_fini(struct flow *f);
void flow_clear(struct flow *f);
/* Text from outside, made visible on its way. */
void flow_add(struct flow *f, const char *text, size_t len, unsigned look);
/* Our own, as it is. */
void flow_put(struct flow *f, const char *text, unsigned look);

/* A part of a flow, measured. */
struct piece {
	size_t start, end, width;
	bool cut; /* goes on in the next line, in the middle of a word of code */
};
/* The next line of words from *at, which moves on; false at `end`. `columns` is at least 1. */
bool flow_words(const struct flow *f, size_t *at, size_t end, size_t columns, struct piece *ret);
/* The same for code: blanks count, lines are cut anywhere, one column is left for the mark. */
bool flow_code(const struct flow *f, size_t *at, size_t columns, struct piece *ret);
/* No colour is on before it, none after. */
void flow_print(const struct flow *f, const struct piece *p, const struct style *style,
		struct buf *out);
size_t flow_width(const struct flow *f, size_t start, size_t end);

#define PAGE_LEVELS_MAX 64
#define PAGE_MARK_MAX 16

/* A quote or an item that the current line is in. */
struct level {
	size_t width;
	bool quote;
	char mark[PAGE_MARK_MAX]; /* of an item, until it is printed */
};

/*
 * Lines go here, each behind what it is in. No more than half of the width is spent on that: deeper
 * levels are counted only, and their marks become words of the text.
 */
struct page {
	const struct style *style;
	struct buf *out;
	size_t indent, width; /* width is at least 1 */
	struct level levels[PAGE_LEVELS_MAX];
	size_t level_count, hidden;
	size_t prefix;	  /* columns of the indent and all levels */
	struct buf marks; /* of hidden items, for the next text */
	bool begun;	  /* a line was printed */
	bool gap;	  /* a blank line is due before the next */
};
void page_init(struct page *p, const struct style *style, size_t indent, struct buf *out);
void page_fini(struct page *p);
void page_push(struct page *p, const char *mark); /* NULL: a quote */
void page_pop(struct page *p);
size_t page_room(const struct page *p); /* columns behind the prefix; at least 1 */
void page_gap(struct page *p);		/* the blank line that is due, if one is */
/* A line: its prefix, what the caller adds to `out`, and its end without blanks before it. */
void page_begin(struct page *p);
void page_end(struct page *p);
/* A line of `count` times the same, dim. */
void page_rule(struct page *p, const char *unit, size_t count);
/* The flow in as many lines as it needs; returns the columns of the widest. */
size_t page_words(struct page *p, const struct flow *f);
/* Marks of items that wait for their text: into a flow that begins, or in a line of their own. */
void page_take_marks(struct page *p, struct flow *f);
void page_flush_marks(struct page *p);

/* Cells are parts of one flow, row by row; the first row is the head. */
struct grid {
	size_t columns;
	enum block_align align[TABLE_COLUMNS_MAX];
	struct grid_cell {
		size_t start, end;
	} * cells;
	size_t count, cap;
};
void grid_fini(struct grid *g);
void grid_begin(struct grid *g, size_t columns);
void grid_cell_begin(struct grid *g, const struct flow *f, enum block_align align);
void grid_cell_end(struct grid *g, const struct flow *f);
void grid_print(const struct grid *g, const struct flow *f, struct page *page);
