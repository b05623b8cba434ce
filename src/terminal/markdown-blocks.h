#pragma once
/* The state of reading blocks, for markdown-block*.c. */
#include "terminal/markdown-parse.h"

enum leaf { LEAF_NONE, LEAF_PARAGRAPH, LEAF_TABLE, LEAF_FENCED, LEAF_INDENTED };

/* A quote, a list or an item that the line may go on with. */
struct container {
	enum block_type type;
	size_t indent;	 /* an item: columns before its text */
	size_t at;	 /* a list: its block */
	bool has_blocks; /* an item */
};

struct parser {
	struct blocks *out;
	struct container open[BLOCK_DEPTH_MAX];
	size_t count;
	/* The line: without its newline, tabs expanded; `pos` is behind what was read of it. */
	const char *line;
	size_t len, pos;
	bool was_blank; /* the line before */
	/* The block without blocks in it that is open in the innermost container. */
	enum leaf leaf;
	size_t leaf_start, last_line; /* in out->text */
	char fence;
	size_t fence_len, fence_indent;
	/* Of the table. */
	unsigned columns;
	enum block_align align[TABLE_COLUMNS_MAX];
	size_t cells_left; /* of all tables: a row may leave out all its cells but one */
};

struct block *block_add(struct parser *p, enum block_type type);
/* End the leaf, and the containers behind the first `matched`. */
void block_close(struct parser *p, size_t matched);
size_t parser_indent(const struct parser *p); /* blanks from pos on */
bool line_is_blank(const struct parser *p);
void leaf_add_line(struct parser *p, const char *text, size_t len);

/* markdown-block-table.c: the line below a table's head, and all others. */
bool table_begin(struct parser *p); /* the last line of the paragraph is the head */
bool table_row(struct parser *p);   /* false: there were too many */

/* markdown-reference.c: definitions at the beginning of the paragraph go to the references. */
void references_take(struct parser *p);
void references_sort(struct blocks *b);
