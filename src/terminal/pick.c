/*
 * pick.c: the picker. A name fits when it has the typed characters in their order; runs of them and
 * beginnings of words count for more, so the likely one is on top after two or three keys.
 */
#include "terminal/pick.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "terminal/keys.h"

#define SCORE_RUN 4   /* right behind the character before */
#define SCORE_BEGIN 6 /* where a word begins */
#define FILTER_MAX 200

static bool begins_word(const char *name, const char *p)
{
	return p == name || !isalnum((unsigned char)p[-1]);
}

int pick_score(const char *filter, const char *name)
{
	const char *p = name, *last = NULL;
	int score = 0;

	for (; *filter; filter++) {
		if (*filter == ' ')
			continue;
		while (*p && tolower((unsigned char)*p) != tolower((unsigned char)*filter))
			p++;
		if (!*p)
			return -1;
		score += 1 + (last && p == last + 1 ? SCORE_RUN : 0) +
			 (begins_word(name, p) ? SCORE_BEGIN : 0);
		last = p++;
	}
	return score;
}

/* Best first; those that fit equally well stay in their order. */
static void filter_items(struct picker *p)
{
	int *scores = mem_array(p->count + 1, sizeof(*scores));

	p->match_count = 0;
	p->at = 0;
	for (size_t i = 0; i < p->count; i++) {
		int score = pick_score(buf_text(&p->filter), p->items[i].name);
		size_t to = p->match_count;

		if (score < 0)
			continue;
		for (; to && scores[to - 1] < score; to--) {
			scores[to] = scores[to - 1];
			p->matches[to] = p->matches[to - 1];
		}
		scores[to] = score;
		p->matches[to] = i;
		p->match_count++;
	}
	free(scores);
}

void picker_init(struct picker *p, const struct pick_item *items, size_t count)
{
	*p = (struct picker){.items = items, .count = count};
	p->matches = mem_array(count + 1, sizeof(*p->matches));
	filter_items(p);
}

void picker_fini(struct picker *p)
{
	free(p->matches);
	buf_fini(&p->filter);
}

enum pick_state picker_key(struct picker *p, int key)
{
	switch (key) {
	case KEY_ESCAPE:
	case KEY_CTRL_C:
	case KEY_CTRL_D:
	case KEY_ENDED:
		return PICK_CANCELLED;
	case KEY_ENTER:
		return p->match_count ? PICK_CHOSEN : PICK_OPEN;
	case KEY_UP:
		p->at = p->at ? p->at - 1 : 0;
		return PICK_OPEN;
	case KEY_DOWN:
		p->at += p->at + 1 < p->match_count;
		return PICK_OPEN;
	default:
		if (!key_edit(&p->filter, key, FILTER_MAX))
			return PICK_OPEN;
	}
	filter_items(p);
	return PICK_OPEN;
}

void picker_paste(struct picker *p, const char *text)
{
	size_t len = strcspn(text, "\t\n");

	if (p->filter.len < FILTER_MAX)
		buf_add(&p->filter, text,
			text_fit(text, len < FILTER_MAX - p->filter.len
					       ? len
					       : FILTER_MAX - p->filter.len));
	filter_items(p);
}

static void draw_item(const struct pick_item *item, bool chosen, const struct style *style,
		      struct buf *out)
{
	AUTO_BUF struct buf line = {0}, shown = {0};

	visible_line(&line, item->name);
	if (item->about && *item->about) {
		buf_add_str(&line, "  ");
		visible_line(&line, item->about);
	}
	text_cut(&shown, buf_text(&line), style->width - 3);
	buf_add_str(out, chosen ? "> " : "  ");
	style_add(out, style, chosen ? TINT_BOLD : TINT_NONE, buf_text(&shown));
	buf_add_char(out, '\n');
}

void picker_draw(const struct picker *p, const struct style *style, const char *title, size_t rows,
		 struct buf *out)
{
	size_t first = p->at >= rows ? p->at - rows + 1 : 0;

	buf_printf(out, "%s: %s\n", title, buf_text(&p->filter));
	for (size_t i = first; i < p->match_count && i < first + rows; i++)
		draw_item(&p->items[p->matches[i]], i == p->at, style, out);
	if (!p->match_count)
		style_add(out, style, TINT_DIM, "  nothing fits; Backspace takes a letter back\n");
	else if (p->match_count > rows)
		style_printf(out, style, TINT_DIM, "  %zu of %zu fit\n", p->match_count, p->count);
}
