#pragma once
/*
 * Columns for people: as wide as their widest cell, two spaces apart, nothing after the last.
 * Where it does not fit the terminal, the columns that may be cut give way, the widest first; where
 * they would be cut below their least, columns that may be left out are, in the order of `leave`.
 */
#include "base/auto.h"
#include "base/buf.h"
#include "terminal/style.h"

struct table;

struct table_column {
	const char *title;
	size_t most;  /* columns a cell is cut to; 0: never cut */
	bool right;   /* numbers */
	size_t least; /* a column that is cut keeps at least so much; 0: ten */
	int leave;    /* left out first, second, …; 0: never */
};

struct table *table_new(const struct table_column *columns, size_t count);
void table_free(struct table *t);
DEFINE_AUTO(struct table, table_free)

/* The next cell, row by row; the text is made visible here. */
void table_add(struct table *t, enum tint tint, const char *text);
/* A line of its own below the row that was just added, across all columns; it is never cut. */
void table_note(struct table *t, enum tint tint, const char *text);
size_t table_rows(const struct table *t); /* printed or not */
/*
 * The rows that were added since the last time, the first time with the titles. All at once they fit
 * each other; in parts, a later one may need wider columns.
 */
void table_print(struct table *t, const struct style *style, struct buf *out);
