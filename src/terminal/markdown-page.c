/*
 * markdown-page.c: lines behind the bars of quotes and the marks of lists.
 * What a line is in costs columns. Where the terminal is narrow or the text nested deep, the outer
 * levels keep theirs and the inner ones get none, so there is always room for text, and a line costs
 * no more for a text that is nested a thousand deep.
 */
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "terminal/markdown-parts.h"

#define NARROW 4 /* columns below which nothing is indented */
#define QUOTE_WIDTH 2

static size_t prefix_most(const struct page *p)
{
	return p->width < NARROW ? 0 : p->width / 2;
}

void page_init(struct page *p, const struct style *style, size_t indent, struct buf *out)
{
	*p = (struct page){.style = style, .out = out, .width = style->width ? style->width : 1};
	p->indent = indent < prefix_most(p) ? indent : prefix_most(p);
	p->prefix = p->indent;
}

void page_fini(struct page *p)
{
	buf_fini(&p->marks);
}

void page_push(struct page *p, const char *mark)
{
	size_t width = mark ? text_width(mark) : QUOTE_WIDTH;
	struct level *level = &p->levels[p->level_count];

	if (p->hidden || p->level_count == PAGE_LEVELS_MAX || p->prefix + width > prefix_most(p)) {
		p->hidden++;
		if (mark)
			buf_add_str(&p->marks, mark);
		return;
	}
	*level = (struct level){.width = width, .quote = !mark};
	if (mark) {
		assert(strlen(mark) < sizeof(level->mark));
		strcpy(level->mark, mark);
	}
	p->level_count++;
	p->prefix += width;
}

void page_pop(struct page *p)
{
	if (p->hidden)
		p->hidden--;
	else
		p->prefix -= p->levels[--p->level_count].width;
}

size_t page_room(const struct page *p)
{
	return p->width - p->prefix;
}

static void add_blanks(struct buf *out, size_t count)
{
	buf_printf(out, "%*s", (int)count, "");
}

void page_begin(struct page *p)
{
	p->begun = true;
	add_blanks(p->out, p->indent);
	for (size_t i = 0; i < p->level_count; i++) {
		struct level *level = &p->levels[i];

		if (level->quote) {
			/* Without colours it is Markdown again, which is easier to hear. */
			style_add(p->out, p->style, TINT_DIM, p->style->colour ? "│" : ">");
			add_blanks(p->out, level->width - 1);
		} else if (*level->mark) {
			buf_add_str(p->out, level->mark);
			level->mark[0] = '\0';
		} else {
			add_blanks(p->out, level->width);
		}
	}
}

void page_end(struct page *p)
{
	struct buf *out = p->out;

	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	buf_add_char(out, '\n');
}

void page_gap(struct page *p)
{
	if (p->gap && p->begun) {
		page_begin(p);
		page_end(p);
	}
	p->gap = false;
}

void page_rule(struct page *p, const char *unit, size_t count)
{
	AUTO_BUF struct buf line = {0};

	while (count--)
		buf_add_str(&line, unit);
	page_begin(p);
	style_add(p->out, p->style, TINT_DIM, buf_text(&line));
	page_end(p);
}

size_t page_words(struct page *p, const struct flow *f)
{
	size_t at = 0, widest = 0;
	struct piece piece;

	while (flow_words(f, &at, f->text.len, page_room(p), &piece)) {
		page_begin(p);
		flow_print(f, &piece, p->style, p->out);
		page_end(p);
		widest = piece.width > widest ? piece.width : widest;
	}
	return widest;
}

void page_take_marks(struct page *p, struct flow *f)
{
	flow_put(f, buf_text(&p->marks), 0);
	buf_clear(&p->marks);
}

static bool has_mark(const struct page *p)
{
	for (size_t i = 0; i < p->level_count; i++)
		if (*p->levels[i].mark)
			return true;
	return false;
}

void page_flush_marks(struct page *p)
{
	struct flow f = {0};

	page_take_marks(p, &f);
	if (f.text.len) {
		page_words(p, &f);
	} else if (has_mark(p)) {
		page_begin(p);
		page_end(p);
	}
	flow_fini(&f);
}
