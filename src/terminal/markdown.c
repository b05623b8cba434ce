/*
 * markdown.c: Markdown on a terminal.
 * md4c reads the text and calls for every block, span and piece of text. Words are gathered in a
 * flow until their block ends and then go to the page, behind the quotes and lists they are in.
 * The text may be hostile, so there are limits that honest text does not meet: a table with very
 * many cells is shown as it is written, and so is a text that md4c would need long for, or whose
 * links share so few long addresses that the text would become many times itself.
 */
#include "terminal/markdown.h"

#include <md4c.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "terminal/markdown-parts.h"

#define TEXT_MAX ((size_t)64 << 20) /* longer texts are shown as they are */
#define ADDRESSES_BY_TEXT 8	    /* bytes of addresses a text may show, by its own */
#define ADDRESSES_LEAST 65536
#define GIVE_UP -1 /* md4c goes on after what is positive */
#define CODE_INDENT 4
#define TAB 4 /* as md4c has it at the beginning of a line */
#define FLAGS (MD_DIALECT_GITHUB | MD_FLAG_NOHTML | MD_FLAG_COLLAPSEWHITESPACE)

/* What blocks are in: a list, or (with no mark of its own) a quote. */
struct box {
	bool ordered, tight;
	unsigned next; /* number */
	char delimiter;
};

struct reader {
	struct page page;
	struct flow flow;
	struct grid grid;
	struct box *boxes;
	size_t box_count, box_cap;
	unsigned bold, italic, strike, code, link; /* spans we are in */
	size_t link_start;
	bool in_table, in_code; /* the block */
	size_t code_column;
	size_t cells_left, addresses_left;
};

static void reader_fini(struct reader *r)
{
	page_fini(&r->page);
	flow_fini(&r->flow);
	grid_fini(&r->grid);
	free(r->boxes);
}

static void push_box(struct reader *r, struct box box)
{
	if (r->box_count == r->box_cap) {
		r->box_cap = r->box_cap ? r->box_cap * 2 : 16;
		r->boxes = mem_grow(r->boxes, r->box_cap, sizeof(*r->boxes));
	}
	r->boxes[r->box_count++] = box;
}

/* Blocks are apart, but for those in a list that was written without blank lines. */
static void block_done(struct reader *r)
{
	r->page.gap = !r->box_count || !r->boxes[r->box_count - 1].tight;
}

static void begin_words(struct reader *r)
{
	if (!r->flow.text.len && !r->in_table)
		page_take_marks(&r->page, &r->flow);
}

/* Returns the columns of the widest line. */
static size_t end_words(struct reader *r)
{
	size_t widest = 0;

	if (!r->flow.text.len)
		return 0;
	widest = page_words(&r->page, &r->flow);
	flow_clear(&r->flow);
	block_done(r);
	return widest;
}

static void push_item(struct reader *r, const MD_BLOCK_LI_DETAIL *item)
{
	struct box *box = &r->boxes[r->box_count - 1];
	char mark[PAGE_MARK_MAX];

	if (item->is_task)
		snprintf(mark, sizeof(mark), "[%c] ", item->task_mark == ' ' ? ' ' : 'x');
	else if (box->ordered)
		snprintf(mark, sizeof(mark), "%u%c ", box->next, box->delimiter);
	else
		snprintf(mark, sizeof(mark), "• ");
	box->next++;
	page_push(&r->page, mark);
}

static void begin_heading(struct reader *r, unsigned level)
{
	begin_words(r);
	if (r->page.style->colour)
		return;
	for (unsigned i = 0; i < level; i++)
		flow_put(&r->flow, "#", 0);
	flow_put(&r->flow, " ", 0);
}

static void end_heading(struct reader *r, unsigned level)
{
	size_t widest;

	for (size_t i = 0; i < r->flow.looks.len; i++)
		r->flow.looks.data[i] |= LOOK_BOLD | (level > 2 ? LOOK_DIM : 0);
	widest = end_words(r);
	if (level == 1 && widest && r->page.style->colour)
		page_rule(&r->page, "─", widest);
}

/* A tab goes on to the next column that can be divided by four. */
static void add_code(struct reader *r, const char *text, size_t len)
{
	while (len) {
		size_t n = 0, from = r->flow.text.len;

		while (n < len && text[n] != '\t' && text[n] != '\n')
			n++;
		flow_add(&r->flow, text, n, LOOK_CODE);
		r->code_column += flow_width(&r->flow, from, r->flow.text.len);
		if (n < len && text[n] == '\n') {
			flow_put(&r->flow, "\n", 0);
			r->code_column = 0;
			n++;
		} else if (n < len) {
			do
				flow_put(&r->flow, " ", LOOK_CODE);
			while (++r->code_column % TAB);
			n++;
		}
		text += n;
		len -= n;
	}
}

static void end_code(struct reader *r)
{
	struct page *page = &r->page;
	size_t at = 0, indent = CODE_INDENT, room = page_room(page);
	struct piece piece;

	r->in_code = false;
	if (room < 4 * CODE_INDENT)
		indent = room / 8;
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

static int begin_table(struct reader *r, const MD_BLOCK_TABLE_DETAIL *table)
{
	if (table->col_count > GRID_COLUMNS_MAX || !table->col_count)
		return GIVE_UP;
	page_flush_marks(&r->page);
	r->in_table = true;
	grid_begin(&r->grid, table->col_count);
	return 0;
}

static int begin_cell(struct reader *r, const MD_BLOCK_TD_DETAIL *cell)
{
	static const enum grid_align aligns[] = {
		[MD_ALIGN_CENTER] = GRID_CENTER,
		[MD_ALIGN_RIGHT] = GRID_RIGHT,
	};

	if (!r->cells_left)
		return GIVE_UP;
	r->cells_left--;
	grid_cell_begin(&r->grid, &r->flow, aligns[cell->align]);
	return 0;
}

static void end_table(struct reader *r)
{
	grid_print(&r->grid, &r->flow, &r->page);
	flow_clear(&r->flow);
	r->in_table = false;
	block_done(r);
}

static void print_rule(struct reader *r)
{
	bool colour = r->page.style->colour;
	size_t room = page_room(&r->page);

	page_flush_marks(&r->page);
	page_rule(&r->page, colour ? "─" : "-", colour || room < 3 ? room : 3);
	block_done(r);
}

static bool is_in_table(MD_BLOCKTYPE type)
{
	return type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY || type == MD_BLOCK_TR ||
	       type == MD_BLOCK_TH || type == MD_BLOCK_TD;
}

static int on_enter_block(MD_BLOCKTYPE type, void *detail, void *data)
{
	const MD_BLOCK_UL_DETAIL *ul = detail;
	const MD_BLOCK_OL_DETAIL *ol = detail;
	const MD_BLOCK_H_DETAIL *heading = detail;
	struct reader *r = data;

	if (type == MD_BLOCK_TH || type == MD_BLOCK_TD)
		return begin_cell(r, detail);
	if (is_in_table(type) || type == MD_BLOCK_DOC)
		return 0;
	end_words(r); /* of the item, when it has no paragraphs */
	page_gap(&r->page);
	if (type == MD_BLOCK_QUOTE) {
		page_push(&r->page, NULL);
		push_box(r, (struct box){0});
	} else if (type == MD_BLOCK_UL) {
		push_box(r, (struct box){.tight = ul->is_tight});
	} else if (type == MD_BLOCK_OL) {
		push_box(r, (struct box){true, ol->is_tight, ol->start, ol->mark_delimiter});
	} else if (type == MD_BLOCK_LI) {
		push_item(r, detail);
	} else if (type == MD_BLOCK_HR) {
		print_rule(r);
	} else if (type == MD_BLOCK_H) {
		begin_heading(r, heading->level);
	} else if (type == MD_BLOCK_CODE) {
		page_flush_marks(&r->page);
		r->in_code = true;
		r->code_column = 0;
	} else if (type == MD_BLOCK_TABLE) {
		return begin_table(r, detail);
	}
	return 0;
}

static int on_leave_block(MD_BLOCKTYPE type, void *detail, void *data)
{
	const MD_BLOCK_H_DETAIL *heading = detail;
	struct reader *r = data;

	if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
		grid_cell_end(&r->grid, &r->flow);
	} else if (type == MD_BLOCK_H) {
		end_heading(r, heading->level);
	} else if (type == MD_BLOCK_CODE) {
		end_code(r);
	} else if (type == MD_BLOCK_TABLE) {
		end_table(r);
	} else if (type == MD_BLOCK_LI) {
		end_words(r);
		page_flush_marks(&r->page); /* nothing was in it */
		page_pop(&r->page);
		block_done(r);
	} else if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) {
		r->box_count--;
		block_done(r);
	} else if (type == MD_BLOCK_QUOTE) {
		end_words(r);
		page_pop(&r->page);
		r->box_count--;
		block_done(r);
	} else if (!is_in_table(type)) {
		end_words(r);
	}
	return 0;
}

static unsigned look_now(const struct reader *r)
{
	return (r->bold ? LOOK_BOLD : 0) | (r->italic ? LOOK_ITALIC : 0) |
	       (r->strike ? LOOK_STRIKE : 0) | (r->code ? LOOK_CODE : 0) |
	       (r->link ? LOOK_UNDERLINE : 0);
}

/* Without colours the marks of emphasis stay. */
static void put_mark(struct reader *r, const char *mark)
{
	if (!r->page.style->colour)
		flow_put(&r->flow, mark, 0);
}

static void put_emphasis(struct reader *r, MD_SPANTYPE type, unsigned step)
{
	if (type == MD_SPAN_EM) {
		r->italic += step;
		put_mark(r, "*");
	} else if (type == MD_SPAN_STRONG) {
		r->bold += step;
		put_mark(r, "**");
	} else if (type == MD_SPAN_DEL) {
		r->strike += step;
		put_mark(r, "~~");
	} else if (type == MD_SPAN_CODE) {
		r->code += step;
		put_mark(r, "`");
	}
}

/* One definition may serve any number of links. Links and images have details of one shape. */
static int spend_address(struct reader *r, const MD_SPAN_A_DETAIL *a)
{
	size_t size = (size_t)a->href.size + a->title.size;

	if (size > r->addresses_left)
		return GIVE_UP;
	r->addresses_left -= size;
	return 0;
}

static int on_enter_span(MD_SPANTYPE type, void *detail, void *data)
{
	struct reader *r = data;

	if ((type == MD_SPAN_A || type == MD_SPAN_IMG) && spend_address(r, detail))
		return GIVE_UP;
	begin_words(r);
	if (type == MD_SPAN_A) {
		r->link++;
		r->link_start = r->flow.text.len;
	} else if (type == MD_SPAN_IMG) {
		flow_put(&r->flow, "[image: ", look_now(r));
	} else {
		put_emphasis(r, type, 1);
	}
	return 0;
}

static void add_attribute(struct buf *out, const MD_ATTRIBUTE *a)
{
	for (size_t i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
		const char *text = a->text + a->substr_offsets[i];
		size_t len = a->substr_offsets[i + 1] - a->substr_offsets[i];

		if (a->substr_types[i] == MD_TEXT_ENTITY)
			entity_add(out, text, len);
		else
			buf_add(out, text, len);
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
static void put_address(struct reader *r, const MD_ATTRIBUTE *address, size_t start)
{
	AUTO_BUF struct buf raw = {0}, shown = {0};

	add_attribute(&raw, address);
	visible_bytes(&shown, buf_text(&raw), raw.len);
	if (is_said(buf_text(&shown), buf_text(&r->flow.text) + start))
		return;
	flow_put(&r->flow, " (", LOOK_DIM);
	flow_add(&r->flow, buf_text(&raw), raw.len, LOOK_DIM);
	flow_put(&r->flow, ")", LOOK_DIM);
}

static int on_leave_span(MD_SPANTYPE type, void *detail, void *data)
{
	const MD_SPAN_A_DETAIL *a = detail;
	const MD_SPAN_IMG_DETAIL *img = detail;
	struct reader *r = data;

	if (type == MD_SPAN_A) {
		r->link--;
		put_address(r, &a->href, r->link_start);
	} else if (type == MD_SPAN_IMG) {
		flow_put(&r->flow, "]", look_now(r));
		put_address(r, &img->src, r->flow.text.len);
	} else {
		put_emphasis(r, type, -1U);
	}
	return 0;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
	struct reader *r = data;
	AUTO_BUF struct buf character = {0};

	if (r->in_code) {
		add_code(r, text, size);
		return 0;
	}
	begin_words(r);
	if (type == MD_TEXT_BR && !r->in_table) {
		flow_put(&r->flow, "\n", 0);
	} else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
		flow_put(&r->flow, " ", look_now(r));
	} else if (type == MD_TEXT_NULLCHAR) {
		flow_put(&r->flow, "�", look_now(r));
	} else if (type == MD_TEXT_ENTITY) {
		entity_add(&character, text, size);
		flow_add(&r->flow, buf_text(&character), character.len, look_now(r));
	} else {
		flow_add(&r->flow, text, size, look_now(r));
	}
	return 0;
}

static int render(const char *text, size_t len, unsigned flags, const struct style *style,
		  size_t indent, struct buf *out)
{
	MD_PARSER parser = {
		.flags = flags,
		.enter_block = on_enter_block,
		.leave_block = on_leave_block,
		.enter_span = on_enter_span,
		.leave_span = on_leave_span,
		.text = on_text,
	};
	struct reader r = {.cells_left = len,
			   .addresses_left = ADDRESSES_BY_TEXT * len + ADDRESSES_LEAST};
	size_t start = out->len;
	int result;

	page_init(&r.page, style, indent, out);
	r.flow.narrow = r.page.width == 1;
	result = md_parse(text, (MD_SIZE)len, &parser, &r);
	reader_fini(&r);
	if (result) {
		out->len = start;
		buf_add(out, "", 0);
	}
	return result;
}

/* Line by line, as it is written. */
static void render_plain(const char *text, size_t len, const struct style *style, size_t indent,
			 struct buf *out)
{
	struct flow f = {0};
	struct page page;

	page_init(&page, style, indent, out);
	f.narrow = page.width == 1;
	for (const char *end = text + len; text < end; text++) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		eol = eol ? eol : end;
		flow_add(&f, text, (size_t)(eol - text), 0);
		flow_put(&f, "\n", 0);
		page_words(&page, &f);
		flow_clear(&f);
		text = eol;
	}
	flow_fini(&f);
	page_fini(&page);
}

void markdown_render(const char *text, size_t len, const struct style *style, size_t indent,
		     struct buf *out)
{
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (len <= TEXT_MAX && !markdown_is_slow(text, len) &&
	    (render(text, len, FLAGS, style, indent, out) == 0 ||
	     render(text, len, FLAGS & ~(unsigned)MD_FLAG_TABLES, style, indent, out) == 0))
		return;
	render_plain(text, len, style, indent, out);
}
