/*
 * markdown-block.c: lines become blocks.
 * A line first goes on with the quotes and items that are open, as far as its marks and indent
 * allow; then it may open new ones; what is left is text of the innermost. A paragraph also goes on
 * without its marks. Only one block that has text is open at a time, so all text is in one buffer
 * and a block is a part of it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "terminal/markdown-blocks.h"

#define TAB 4
#define CODE_INDENT 4

struct block *block_add(struct parser *p, enum block_type type)
{
	struct blocks *b = p->out;

	if (b->count == b->cap) {
		b->cap = b->cap ? b->cap * 2 : 64;
		b->list = mem_grow(b->list, b->cap, sizeof(*b->list));
	}
	b->list[b->count] = (struct block){.type = type, .start = b->text.len, .stop = b->text.len};
	return &b->list[b->count++];
}

size_t parser_indent(const struct parser *p)
{
	size_t n = 0;

	while (p->pos + n < p->len && p->line[p->pos + n] == ' ')
		n++;
	return n;
}

bool line_is_blank(const struct parser *p)
{
	return p->pos + parser_indent(p) >= p->len;
}

void leaf_add_line(struct parser *p, const char *text, size_t len)
{
	struct buf *out = &p->out->text;

	if (out->len > p->leaf_start || p->leaf == LEAF_FENCED || p->leaf == LEAF_INDENTED)
		buf_add_char(out, '\n');
	p->last_line = out->len;
	buf_add(out, text, len);
}

/* Every line of code begins with its newline, which the first does not need. */
static void end_code(struct parser *p)
{
	struct buf *text = &p->out->text;
	size_t stop = text->len, start = p->leaf_start + (stop > p->leaf_start);
	struct block *block;

	while (p->leaf == LEAF_INDENTED && stop > start && text->data[stop - 1] == '\n')
		stop--;
	block = block_add(p, BLOCK_CODE);
	block->start = start;
	block->stop = stop;
}

static void end_leaf(struct parser *p)
{
	if (p->leaf == LEAF_PARAGRAPH) {
		references_take(p);
		if (p->leaf_start < p->out->text.len)
			block_add(p, BLOCK_PARAGRAPH)->start = p->leaf_start;
	} else if (p->leaf == LEAF_FENCED || p->leaf == LEAF_INDENTED) {
		end_code(p);
	} else if (p->leaf == LEAF_TABLE) {
		block_add(p, BLOCK_TABLE)->end = true;
	}
	p->leaf = LEAF_NONE;
}

static void pop(struct parser *p)
{
	block_add(p, p->open[--p->count].type)->end = true;
}

void block_close(struct parser *p, size_t matched)
{
	end_leaf(p);
	while (p->count > matched)
		pop(p);
}

static struct container *innermost(struct parser *p)
{
	return p->count ? &p->open[p->count - 1] : NULL;
}

/* A blank line between the blocks of an item makes its list loose: its list is the one around it. */
static void note_block(struct parser *p)
{
	struct container *item = innermost(p);

	if (!item || item->type != BLOCK_ITEM)
		return;
	if (p->was_blank && item->has_blocks)
		p->out->list[p->open[p->count - 2].at].tight = false;
	item->has_blocks = true;
}

/* A block begins that is no item: a list that waited for its next item ends. */
static void begin_block(struct parser *p, size_t matched)
{
	block_close(p, matched);
	if (p->count && innermost(p)->type == BLOCK_LIST)
		pop(p);
	note_block(p);
}

static void begin_leaf(struct parser *p, size_t matched, enum leaf leaf)
{
	begin_block(p, matched);
	p->leaf = leaf;
	p->leaf_start = p->last_line = p->out->text.len;
}

static void push(struct parser *p, enum block_type type, size_t indent)
{
	p->open[p->count++] =
		(struct container){.type = type, .indent = indent, .at = p->out->count};
	block_add(p, type);
}

/* How many of the open containers the line goes on with. */
static size_t match(struct parser *p)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		const struct container *c = &p->open[i];
		size_t indent = parser_indent(p);

		if (c->type == BLOCK_QUOTE) {
			if (indent >= CODE_INDENT || p->pos + indent >= p->len ||
			    p->line[p->pos + indent] != '>')
				break;
			p->pos += indent + 1;
			p->pos += p->pos < p->len && p->line[p->pos] == ' ';
		} else if (c->type == BLOCK_ITEM) {
			if (line_is_blank(p) ? !c->has_blocks : indent < c->indent)
				break;
			p->pos += indent < c->indent ? indent : c->indent;
		}
	}
	/* A list goes on only by an item of it, which may be a new one. */
	return i;
}

/* Three or more of one of the characters, with blanks between them at most. */
static bool is_rule(const char *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] != *text && text[i] != ' ')
			return false;
		count += text[i] == *text;
	}
	return count >= 3 && *text && strchr("*-_", *text);
}

/* The level of the heading that the line below a paragraph makes of it, or 0. */
static unsigned underline_level(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] == *text)
		n++;
	while (n < len && text[n] == ' ')
		n++;
	return n < len ? 0 : *text == '=' ? 1 : *text == '-' ? 2 : 0;
}

/* The same for "## heading". */
static unsigned heading_level(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] == '#')
		n++;
	return n >= 1 && n <= 6 && (n == len || text[n] == ' ') ? (unsigned)n : 0;
}

static void add_heading(struct parser *p, size_t matched, unsigned level, const char *text,
			size_t len)
{
	struct block *block;
	size_t start = level, stop = len;

	while (start < len && text[start] == ' ')
		start++;
	while (stop > start && text[stop - 1] == ' ')
		stop--;
	len = stop;
	while (stop > start && text[stop - 1] == '#')
		stop--;
	if (stop > start && text[stop - 1] != ' ')
		stop = len; /* they belong to a word */
	begin_block(p, matched);
	block = block_add(p, BLOCK_HEADING);
	block->number = level;
	buf_add(&p->out->text, text + start, stop - start);
	block->stop = p->out->text.len;
}

/* The characters of a fence at the place, or 0. */
static size_t fence_len(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] == *text)
		n++;
	if (n < 3 || (*text != '`' && *text != '~'))
		return 0;
	return *text == '`' && memchr(text + n, '`', len - n) ? 0 : n;
}

static void fenced_line(struct parser *p)
{
	size_t indent = parser_indent(p);
	const char *text = p->line + p->pos + indent;
	size_t len = p->len - p->pos - indent, n = 0;

	while (n < len && text[n] == p->fence)
		n++;
	if (indent < CODE_INDENT && n >= p->fence_len && strspn(text + n, " ") >= len - n) {
		end_leaf(p);
		return;
	}
	if (indent > p->fence_indent)
		indent = p->fence_indent;
	leaf_add_line(p, p->line + p->pos + indent, p->len - p->pos - indent);
}

/* The mark of a list's item. */
struct mark {
	bool ordered;
	char delimiter;
	unsigned number;
	size_t len;
};

static bool read_mark(const char *text, size_t len, struct mark *ret)
{
	size_t n = 0;

	*ret = (struct mark){0};
	while (n < len && n < 9 && isdigit((unsigned char)text[n]))
		ret->number = ret->number * 10 + (unsigned)(text[n++] - '0');
	ret->ordered = n > 0;
	if (n >= len || !text[n] || !strchr(ret->ordered ? ".)" : "-+*", text[n]))
		return false;
	ret->delimiter = text[n++];
	ret->len = n;
	return n == len || text[n] == ' ';
}

static bool is_same_list(struct parser *p, const struct mark *mark)
{
	const struct container *list = innermost(p);
	const struct block *block;

	if (!list || list->type != BLOCK_LIST)
		return false;
	block = &p->out->list[list->at];
	return block->ordered == mark->ordered && block->mark == mark->delimiter;
}

static void open_list(struct parser *p, const struct mark *mark)
{
	struct block *block;

	if (is_same_list(p, mark)) {
		block = &p->out->list[innermost(p)->at];
		block->tight = block->tight && !p->was_blank;
		return;
	}
	begin_block(p, p->count);
	push(p, BLOCK_LIST, 0);
	block = &p->out->list[innermost(p)->at];
	block->ordered = mark->ordered;
	block->mark = mark->delimiter;
	block->number = mark->number;
	block->tight = true;
}

/* "[ ] " or "[x] " at the beginning of an item. */
static void take_task(struct parser *p)
{
	const char *text = p->line + p->pos;

	if (p->len - p->pos < 4 || text[0] != '[' || text[2] != ']' || text[3] != ' ' ||
	    (text[1] != ' ' && text[1] != 'x' && text[1] != 'X'))
		return;
	p->out->list[p->out->count - 1].mark = text[1] == ' ' ? ' ' : 'x';
	p->pos += 4;
}

static bool open_item(struct parser *p, size_t matched, size_t indent)
{
	const char *text = p->line + p->pos + indent;
	size_t len = p->len - p->pos - indent, blanks;
	bool in_paragraph = p->leaf == LEAF_PARAGRAPH && matched == p->count, empty;
	struct mark mark;

	if (matched + 2 > BLOCK_DEPTH_MAX || !read_mark(text, len, &mark))
		return false;
	p->pos += indent + mark.len;
	blanks = parser_indent(p);
	empty = p->pos + blanks >= p->len;
	if (in_paragraph && (empty || (mark.ordered && mark.number != 1))) {
		p->pos -= indent + mark.len;
		return false;
	}
	/* More than four blanks are one, and code. */
	blanks = empty || blanks > CODE_INDENT ? 1 : blanks;
	block_close(p, matched);
	open_list(p, &mark);
	push(p, BLOCK_ITEM, indent + mark.len + blanks);
	p->pos += p->pos < p->len ? blanks : 0;
	take_task(p);
	return true;
}

static bool open_quote(struct parser *p, size_t matched, size_t indent)
{
	if (p->line[p->pos + indent] != '>' || matched + 1 > BLOCK_DEPTH_MAX)
		return false;
	begin_block(p, matched);
	push(p, BLOCK_QUOTE, 0);
	p->pos += indent + 1;
	p->pos += p->pos < p->len && p->line[p->pos] == ' ';
	return true;
}

/* The paragraph becomes a heading, unless it was all references. */
static bool underline(struct parser *p, unsigned level)
{
	struct block *block;

	references_take(p);
	if (!level || p->leaf_start >= p->out->text.len)
		return false;
	block = block_add(p, BLOCK_HEADING);
	block->start = p->leaf_start;
	block->number = level;
	p->leaf = LEAF_NONE;
	return true;
}

/* A block that is one line, or begins with one that is not text. Returns whether there was one. */
static bool take_line(struct parser *p, size_t matched, size_t indent)
{
	const char *text = p->line + p->pos + indent;
	size_t len = p->len - p->pos - indent, n;
	bool in_paragraph = p->leaf == LEAF_PARAGRAPH && matched == p->count;
	unsigned level;

	if (in_paragraph && table_begin(p))
		return true;
	if (in_paragraph && (level = underline_level(text, len)) && underline(p, level))
		return true;
	if ((level = heading_level(text, len))) {
		add_heading(p, matched, level, text, len);
		return true;
	}
	if ((n = fence_len(text, len))) {
		begin_leaf(p, matched, LEAF_FENCED);
		p->fence = *text;
		p->fence_len = n;
		p->fence_indent = indent;
		return true;
	}
	if (is_rule(text, len)) {
		begin_block(p, matched);
		block_add(p, BLOCK_RULE);
		return true;
	}
	return false;
}

/* Code by its indent; the blanks of a paragraph's line are none. */
static bool take_code(struct parser *p, size_t matched)
{
	bool here = matched == p->count;

	if (parser_indent(p) < CODE_INDENT || p->leaf == LEAF_PARAGRAPH ||
	    (p->leaf == LEAF_TABLE && here))
		return false;
	if (p->leaf != LEAF_INDENTED || !here)
		begin_leaf(p, matched, LEAF_INDENTED);
	p->pos += CODE_INDENT;
	leaf_add_line(p, p->line + p->pos, p->len - p->pos);
	return true;
}

static void blank_line(struct parser *p, size_t matched)
{
	bool quoted = matched && p->open[matched - 1].type == BLOCK_QUOTE;

	if (p->leaf == LEAF_INDENTED && matched == p->count) {
		leaf_add_line(p, "", 0);
		p->was_blank = true;
		return;
	}
	block_close(p, matched);
	p->was_blank = !quoted;
}

static void text_line(struct parser *p, size_t matched)
{
	const char *text;
	size_t len;

	p->pos += parser_indent(p);
	text = p->line + p->pos;
	len = p->len - p->pos;
	if (p->leaf == LEAF_TABLE && matched == p->count && table_row(p))
		return;
	if (p->leaf != LEAF_PARAGRAPH)
		begin_leaf(p, matched, LEAF_PARAGRAPH);
	leaf_add_line(p, text, len);
}

static void take(struct parser *p)
{
	size_t matched = match(p);
	bool opened = false;

	if (p->leaf == LEAF_FENCED && matched == p->count) {
		fenced_line(p);
		return;
	}
	for (;;) {
		size_t indent = parser_indent(p);

		if (line_is_blank(p)) {
			blank_line(p, matched);
			/* An item or a quote may begin with nothing behind its mark. */
			p->was_blank = p->was_blank && !opened;
			return;
		}
		if (take_code(p, matched))
			break;
		if (indent >= CODE_INDENT) {
			text_line(p, matched);
			break;
		}
		if (take_line(p, matched, indent))
			break;
		if (!open_quote(p, matched, indent) && !open_item(p, matched, indent)) {
			text_line(p, matched);
			break;
		}
		matched = p->count;
		opened = true;
	}
	p->was_blank = false;
}

/* Tabs become blanks up to every fourth column. */
static void expand(struct buf *out, const char *line, size_t len)
{
	size_t column = 0, w;

	buf_clear(out);
	for (size_t i = 0, n; i < len; i += n) {
		n = text_cluster(line + i, len - i, &w);
		if (line[i] != '\t') {
			buf_add(out, line + i, n);
			column += w;
			continue;
		}
		n = 1;
		do
			buf_add_char(out, ' ');
		while (++column % TAB);
	}
}

void blocks_read(struct blocks *b, const char *text, size_t len)
{
	struct parser p = {.out = b, .cells_left = len};
	AUTO_BUF struct buf line = {0};
	const char *end = text + len, *eol;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3; /* a byte order mark */
	for (; text < end; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		eol = eol ? eol : end;
		len = (size_t)(eol - text);
		expand(&line, text, len && text[len - 1] == '\r' ? len - 1 : len);
		p.line = buf_text(&line);
		p.len = line.len;
		p.pos = 0;
		take(&p);
	}
	block_close(&p, 0);
	references_sort(b);
}

void blocks_fini(struct blocks *b)
{
	for (size_t i = 0; i < b->reference_count; i++) {
		free(b->references[i].name);
		free(b->references[i].address);
	}
	free(b->references);
	free(b->list);
	buf_fini(&b->text);
	*b = (struct blocks){0};
}
