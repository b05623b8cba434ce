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

#define SCORE_RUN 4   /* right behind the character before */
#define SCORE_BEGIN 6 /* where a word begins */

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

/* The whole last character, however many bytes it has. */
static void erase(struct buf *text)
{
	while (text->len && (text->data[text->len - 1] & 0xc0) == 0x80)
		text->len--;
	if (text->len)
		text->len--;
	if (text->data)
		text->data[text->len] = '\0';
}

enum pick_state picker_key(struct picker *p, int key)
{
	switch (key) {
	case PICK_CANCEL:
		return PICK_CANCELLED;
	case PICK_ENTER:
		return p->match_count ? PICK_CHOSEN : PICK_OPEN;
	case PICK_UP:
		p->at = p->at ? p->at - 1 : 0;
		return PICK_OPEN;
	case PICK_DOWN:
		p->at += p->at + 1 < p->match_count;
		return PICK_OPEN;
	case PICK_ERASE:
		erase(&p->filter);
		break;
	case PICK_CLEAR:
		buf_clear(&p->filter);
		break;
	case PICK_NONE:
		return PICK_OPEN;
	default:
		buf_add_char(&p->filter, (char)key);
		/* What waits for the rest of its bytes is not a filter yet. */
		if (!text_is_utf8(buf_text(&p->filter), p->filter.len))
			return PICK_OPEN;
	}
	filter_items(p);
	return PICK_OPEN;
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

/* clang-format off */
static const struct {
	const char *bytes;
	int key;
} sequences[] = {
	{"\033[A", PICK_UP}, {"\033[B", PICK_DOWN}, {"\033OA", PICK_UP}, {"\033OB", PICK_DOWN},
	{"\r", PICK_ENTER}, {"\n", PICK_ENTER}, {"\177", PICK_ERASE}, {"\b", PICK_ERASE},
	{"\025", PICK_CLEAR}, {"\020", PICK_UP}, {"\016", PICK_DOWN},
	{"\003", PICK_CANCEL}, {"\004", PICK_CANCEL}, {"\007", PICK_CANCEL},
};
/* clang-format on */

/* How long an escape sequence is that we do not know: up to its letter or '~'. */
static size_t sequence_len(const char *bytes, size_t len)
{
	size_t n = 2;

	if (len < 2 || (bytes[1] != '[' && bytes[1] != 'O'))
		return len < 2 ? len : 2;
	while (n < len && !isalpha((unsigned char)bytes[n]) && bytes[n] != '~')
		n++;
	return n < len ? n + 1 : len;
}

int pick_decode(const char *bytes, size_t len, size_t *used)
{
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		size_t n = strlen(sequences[i].bytes);

		if (n <= len && memcmp(bytes, sequences[i].bytes, n) == 0) {
			*used = n;
			return sequences[i].key;
		}
	}
	*used = 1;
	if (bytes[0] == '\033' && len == 1)
		return PICK_CANCEL;
	if (bytes[0] == '\033') {
		*used = sequence_len(bytes, len);
		return PICK_NONE;
	}
	return (unsigned char)bytes[0] < 0x20 ? PICK_NONE : (unsigned char)bytes[0];
}
