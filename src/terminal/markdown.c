/*
 * markdown.c: Markdown on a terminal.
 * The text is read into blocks first (markdown-block.c). Then each block's text is read
 * (markdown-span.c) into a flow, which goes to the page behind the quotes and lists it is in.
 * The parser is our own: what agents write is hostile until shown otherwise, and it is read by the
 * person's own process. md4c, as Debian 12 has it, reads outside its memory for ten bytes of text.
 */
#include "terminal/markdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "terminal/markdown-parts.h"

#define ADDRESSES_BY_TEXT 8 /* bytes of addresses a text may show, by its own */
#define ADDRESSES_LEAST 65536
#define CODE_INDENT 4

/* What blocks are in: a list, or a quote, which has no marks of its own. */
struct box {
	bool ordered, tight;
	unsigned next; /* number */
	char delimiter;
};

struct reader {
	struct page page;
	struct flow flow;
	struct grid grid;
	struct box boxes[BLOCK_DEPTH_MAX];
	size_t box_count;
	unsigned bold, italic, strike, code, link; /* spans we are in */
	size_t link_start;
	bool in_table;
	size_t addresses_left; /* one definition may serve any number of links */
};

static void reader_fini(struct reader *r)
{
	page_fini(&r->page);
	flow_fini(&r->flow);
	grid_fini(&r->grid);
}

/* Blocks are apart, but for those in a list that was written without blank lines. */
static void block_done(struct reader *r)
{
	r->page.gap = !r->box_count || !r->boxes[r->box_count - 1].tight;
}

static unsigned look_now(const struct reader *r)
{
	return (r->bold ? LOOK_BOLD : 0) | (r->italic ? LOOK_ITALIC : 0) |
	       (r->strike ? LOOK_STRIKE : 0) | (r->code ? LOOK_CODE : 0) |
	       (r->link ? LOOK_UNDERLINE : 0);
}

static void on_text(void *data, const char *text, size_t len)
{
	struct reader *r = data;

	flow_add(&r->flow, text, len, look_now(r));
}

static void on_break(void *data)
{
	struct reader *r = data;

	flow_put(&r->flow, r->in_table ? " " : "\n", 0);
}

/* Without colours the marks of emphasis stay. */
static void put_emphasis(struct reader *r, enum span span, unsigned step)
{
	static const char *const marks[] = {"*", "**", "~~", "`"};
	unsigned *const depths[] = {&r->italic, &r->bold, &r->strike, &r->code};

	*depths[span] += step;
	if (!r->page.style->colour)
		flow_put(&r->flow, marks[span], 0);
}

static void on_enter(void *data, enum span span)
{
	struct reader *r = data;

	if (span == SPAN_LINK) {
		r->link++;
		r->link_start = r->flow.text.len;
	} else if (span == SPAN_IMAGE) {
		flow_put(&r->flow, "[image: ", look_now(r));
	} else {
		put_emphasis(r, span, 1);
	}
}

/* "a@b.c" for mailto:a@b.c, "www.a.b" for http://www.a.b. */
static bool is_said(const char *address, const char *text)
{
	static const char *const implied[] = {"", "mailto:", "http://"};

	for (size_t i = 0; i < sizeof(implied) / sizeof(implied[0]); i++) {
		size_t len = strlen(implied[i]);

		if (strncmp(address, implied[i], len) == 0 && strcmp(address + len, text) == 0)
			return true;
	}
	return false;
}

/* Where it leads, unless the text since `start` says so already. */
static void put_address(struct reader *r, const char *address, size_t start)
{
	AUTO_BUF struct buf shown = {0};
	size_t len = strlen(address);

	if (len > r->addresses_left) {
		flow_put(&r->flow, " (…)", LOOK_DIM);
		return;
	}
	r->addresses_left -= len;
	visible_line(&shown, address);
	if (is_said(buf_text(&shown), buf_text(&r->flow.text) + start))
		return;
	flow_put(&r->flow, " (", LOOK_DIM);
	flow_add(&r->flow, address, len, LOOK_DIM);
	flow_put(&r->flow, ")", LOOK_DIM);
}

static void on_leave(void *data, enum span span, const char *address)
{
	struct reader *r = data;

	if (span == SPAN_LINK) {
		r->link--;
		put_address(r, address, r->link_start);
	} else if (span == SPAN_IMAGE) {
		flow_put(&r->flow, "]", look_now(r));
		put_address(r, address, r->flow.text.len);
	} else {
		put_emphasis(r, span, -1U);
	}
}

static void read_text(struct reader *r, const struct blocks *b, const struct block *block)
{
	const struct span_reader spans = {r, on_text, on_break, on_enter, on_leave};

	spans_read(b, buf_text(&b->text) + block->start, block->stop - block->start, &spans);
}

/* Returns the columns of the widest line. */
static size_t put_words(struct reader *r)
{
	size_t widest = page_words(&r->page, &r->flow);

	flow_clear(&r->flow);
	block_done(r);
	return widest;
}

static void put_paragraph(struct reader *r, const struct blocks *b, const struct block *block)
{
	page_take_marks(&r->page, &r->flow);
	read_text(r, b, block);
	put_words(r);
}

static void put_heading(struct reader *r, const struct blocks *b, const struct block *block)
{
	bool colour = r->page.style->colour;
	size_t widest;

	page_take_marks(&r->page, &r->flow);
	for (unsigned i = 0; i < block->number && !colour; i++)
		flow_put(&r->flow, i + 1 < block->number ? "#" : "# ", 0);
	read_text(r, b, block);
	for (size_t i = 0; i < r->flow.looks.len; i++)
		r->flow.looks.data[i] |= LOOK_BOLD | (block->number > 2 ? LOOK_DIM : 0);
	widest = put_words(r);
	if (block->number == 1 && widest && colour)
		page_rule(&r->page, "─", widest);
}

/* Flow by line: what is visible of a newline would not be one. */
static void read_code(struct reader *r, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		flow_add(&r->flow, text, (size_t)((eol ? eol : end) - text), LOOK_CODE);
		if (eol)
			flow_put(&r->flow, "\n", 0);
		text = eol ? eol + 1 : end;
	}
}

static void put_code(struct reader *r, const struct blocks *b, const struct block *block)
{
	struct page *page = &r->page;
	size_t at = 0, indent = CODE_INDENT, room = page_room(page);
	struct piece piece;

	page_flush_marks(page);
	if (room < 4 * CODE_INDENT)
		indent = room / 8;
	read_code(r, buf_text(&b->text) + block->start, block->stop - block->start);
	while (flow_code(&r->flow, &at, room - indent, &piece)) {
		page_begin(page);
		buf_printf(page->out, "%*s", (int)indent, "");
		flow_print(&r->flow, &piece, page->style, page->out);
		if (piece.cut)
			style_add(page->out, page->style, TINT_DIM, "↵");
		page_end(page);
	}
	flow_clear(&r->flow);
	block_done(r);
}

static void put_rule(struct reader *r)
{
	bool colour = r->page.style->colour;
	size_t room = page_room(&r->page);

	page_flush_marks(&r->page);
	page_rule(&r->page, colour ? "─" : "-", colour || room < 3 ? room : 3);
	block_done(r);
}

static void put_cell(struct reader *r, const struct blocks *b, const struct block *block)
{
	size_t start = r->flow.looks.len;

	grid_cell_begin(&r->grid, &r->flow, block->align);
	read_text(r, b, block);
	grid_cell_end(&r->grid, &r->flow);
	for (size_t i = start; i < r->flow.looks.len && r->grid.count <= r->grid.columns; i++)
		r->flow.looks.data[i] |= LOOK_BOLD;
}

static void begin_table(struct reader *r, const struct block *block)
{
	page_flush_marks(&r->page);
	r->in_table = true;
	grid_begin(&r->grid, block->number);
}

static void end_table(struct reader *r)
{
	grid_print(&r->grid, &r->flow, &r->page);
	flow_clear(&r->flow);
	r->in_table = false;
	block_done(r);
}

static void begin_item(struct reader *r, const struct block *item)
{
	struct box *box = &r->boxes[r->box_count - 1];
	char mark[PAGE_MARK_MAX];

	if (item->mark)
		snprintf(mark, sizeof(mark), "[%c] ", item->mark);
	else if (box->ordered)
		snprintf(mark, sizeof(mark), "%u%c ", box->next, box->delimiter);
	else
		snprintf(mark, sizeof(mark), "• ");
	box->next++;
	page_push(&r->page, mark);
}

static void begin_container(struct reader *r, const struct block *block)
{
	if (block->type == BLOCK_ITEM) {
		begin_item(r, block);
		return;
	}
	r->boxes[r->box_count++] =
		(struct box){block->ordered, block->tight, block->number, block->mark};
	if (block->type == BLOCK_QUOTE)
		page_push(&r->page, NULL);
}

static void end_container(struct reader *r, const struct block *block)
{
	if (block->type == BLOCK_ITEM)
		page_flush_marks(&r->page); /* nothing was in it */
	else
		r->box_count--;
	if (block->type != BLOCK_LIST)
		page_pop(&r->page);
	block_done(r);
}

static void put_block(struct reader *r, const struct blocks *b, const struct block *block)
{
	if (block->type == BLOCK_CELL) {
		put_cell(r, b, block);
		return;
	}
	if (block->end) {
		if (block->type == BLOCK_TABLE)
			end_table(r);
		else
			end_container(r, block);
		return;
	}
	page_gap(&r->page);
	if (block->type == BLOCK_PARAGRAPH)
		put_paragraph(r, b, block);
	else if (block->type == BLOCK_HEADING)
		put_heading(r, b, block);
	else if (block->type == BLOCK_CODE)
		put_code(r, b, block);
	else if (block->type == BLOCK_RULE)
		put_rule(r);
	else if (block->type == BLOCK_TABLE)
		begin_table(r, block);
	else
		begin_container(r, block);
}

void markdown_render(const char *text, size_t len, const struct style *style, size_t indent,
		     struct buf *out)
{
	struct reader r = {.addresses_left = ADDRESSES_BY_TEXT * len + ADDRESSES_LEAST};
	struct blocks blocks = {0};

	blocks_read(&blocks, text, len);
	page_init(&r.page, style, indent, out);
	r.flow.narrow = r.page.width == 1;
	for (size_t i = 0; i < blocks.count; i++)
		put_block(&r, &blocks, &blocks.list[i]);
	reader_fini(&r);
	blocks_fini(&blocks);
}
