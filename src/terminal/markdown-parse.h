#pragma once
/*
 * Reading Markdown: first its blocks, which need whole lines, then what is inside a line of text.
 * CommonMark with GitHub's tables, task lists, strikethrough and bare addresses, without HTML: tags
 * are text. Both take time and memory by the length of the text, whatever is in it.
 * Differences that a person hardly meets: nesting ends at BLOCK_DEPTH_MAX, names of references are
 * compared without case only in ASCII, and few named entities are known.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define BLOCK_DEPTH_MAX 100   /* quotes, lists and items in each other */
#define TABLE_COLUMNS_MAX 128 /* more are no table */

enum block_type {
	BLOCK_QUOTE,
	BLOCK_LIST,
	BLOCK_ITEM,
	/* No blocks are in these. */
	BLOCK_PARAGRAPH,
	BLOCK_HEADING,
	BLOCK_CODE,
	BLOCK_RULE,
	BLOCK_TABLE, /* its cells follow, as blocks, up to its end */
	BLOCK_CELL,
};

enum block_align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };

struct block {
	enum block_type type;
	bool end;	     /* of a quote, list, item or table that began before */
	bool ordered, tight; /* a list */
	char mark; /* of an ordered list: '.' or ')'; of an item: its task's ' ' or 'x', or 0 */
	enum block_align align; /* a cell */
	unsigned number;	/* a list's first, a heading's level, a table's columns */
	size_t start, stop;	/* the part of `text` it has */
};

/* What "[name]: address" says. */
struct reference {
	char *name, *address;
	size_t order;
};

struct blocks {
	struct block *list;
	size_t count, cap;
	struct buf text; /* of all blocks, without what marks them */
	struct reference *references;
	size_t reference_count, reference_cap;
};
void blocks_read(struct blocks *b, const char *text, size_t len);
void blocks_fini(struct blocks *b);
/* The address, or NULL. The name is as written between its brackets. */
const char *blocks_find(const struct blocks *b, const char *name, size_t len);

enum span { SPAN_EMPHASIS, SPAN_STRONG, SPAN_STRIKE, SPAN_CODE, SPAN_LINK, SPAN_IMAGE };

/* What is in a text, in order. Text is raw: any bytes, but no newline. */
struct span_reader {
	void *data;
	void (*text)(void *data, const char *text, size_t len);
	void (*line_break)(void *data);
	void (*enter)(void *data, enum span span);
	/* The address of a link or an image. */
	void (*leave)(void *data, enum span span, const char *address);
};
void spans_read(const struct blocks *b, const char *text, size_t len, const struct span_reader *r);

/* The pieces both are made of. Those that look at a place return where it ends, or 0: not one. */
size_t link_destination(const char *text, size_t len, size_t at, size_t *start, size_t *end);
size_t link_title(const char *text, size_t len, size_t at);
size_t link_label(const char *text, size_t len, size_t at); /* "[name]" */
size_t link_angle(const char *text, size_t len, size_t at); /* "<http://a.b>", "<a@b.c>" */
size_t link_bare(const char *text, size_t len, size_t at);  /* "http://a.b" in a text */
size_t link_mail(const char *text, size_t len, size_t at);  /* "a@b.c" */
/* Without escapes, entities decoded. */
void link_unescape(struct buf *out, const char *text, size_t len);
char *link_name(const char *label, size_t len); /* as it is compared */

/* The length of "&name;" or "&#1;" at the place, or 0; entity_add() adds what it stands for. */
size_t entity_len(const char *text, size_t len);
void entity_add(struct buf *out, const char *text, size_t len);
