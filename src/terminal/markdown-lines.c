/*
 * markdown-lines.c: text with looks, cut into lines.
 * Every byte has its look beside it, so a line is any part of the text: no state has to be carried
 * from one line to the next, and a word may change its look in its middle. Lines are cut between
 * clusters (text_cluster()), never inside: what is drawn in one cell stays together.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "terminal/markdown-parts.h"

void flow_fini(struct flow *f)
{
	buf_fini(&f->text);
	buf_fini(&f->looks);
}

void flow_clear(struct flow *f)
{
	buf_clear(&f->text);
	buf_clear(&f->looks);
}

/* Give a look to the bytes that have none yet. */
static void paint(struct flow *f, unsigned look)
{
	size_t len = f->text.len - f->looks.len;

	buf_reserve(&f->looks, len);
	memset(f->looks.data + f->looks.len, (int)look, len + 1);
	f->looks.len += len;
}

/* In a single column nothing wide can be shown. */
static void squeeze(struct flow *f, size_t from)
{
	AUTO_BUF struct buf text = {0};
	size_t w;

	buf_add(&text, buf_text(&f->text) + from, f->text.len - from);
	f->text.len = from;
	for (size_t at = 0, n; at < text.len; at += n) {
		n = text_cluster(text.data + at, text.len - at, &w);
		if (w > 1)
			buf_add_char(&f->text, '?');
		else
			buf_add(&f->text, text.data + at, n);
	}
}

void flow_add(struct flow *f, const char *text, size_t len, unsigned look)
{
	size_t from = f->text.len;

	visible_bytes(&f->text, text, len);
	if (f->narrow)
		squeeze(f, from);
	paint(f, look);
}

void flow_put(struct flow *f, const char *text, unsigned look)
{
	buf_add_str(&f->text, text);
	paint(f, look);
}

size_t flow_width(const struct flow *f, size_t start, size_t end)
{
	size_t width = 0, w;

	while (start < end) {
		start += text_cluster(f->text.data + start, end - start, &w);
		width += w;
	}
	return width;
}

/*
 * Whether a line may end before the character at `at`: before blanks, and on both sides of a wide
 * character, as scripts without blanks are written. A comma stays with what it follows.
 */
static bool may_end(const char *text, size_t at, size_t width, size_t width_before)
{
	static const char closing[] = "、。，．：；！？」』）】〉》〕ー";

	if (text[at - 1] == ' ')
		return false;
	/* Each of these has three bytes. */
	for (const char *mark = closing; width > 1 && *mark; mark += 3)
		if (strncmp(text + at, mark, 3) == 0)
			return false;
	return text[at] == ' ' || width > 1 ||
	       (width_before > 1 && !ispunct((unsigned char)text[at]));
}

/* Greedy: `fit` is the last place where the line may end. A word wider than the line is cut. */
bool flow_words(const struct flow *f, size_t *at, size_t end, size_t columns, struct piece *ret)
{
	const char *text = buf_text(&f->text);
	size_t pos, used = 0, w = 0, before = 0;
	struct piece fit;

	while (*at < end && text[*at] == ' ')
		++*at;
	if (*at >= end)
		return false;
	fit = (struct piece){.start = *at, .end = *at};
	for (pos = *at; pos < end && text[pos] != '\n'; before = w) {
		size_t n = text_cluster(text + pos, end - pos, &w);

		if (pos > *at && may_end(text, pos, w, before))
			fit = (struct piece){*at, pos, used, false};
		if (used + w > columns && pos > *at)
			break;
		pos += n;
		used += w;
	}
	if (pos >= end || text[pos] == '\n' || fit.end == *at)
		fit = (struct piece){*at, pos, used, false};
	*at = fit.end + (fit.end < end && text[fit.end] == '\n');
	while (fit.end > fit.start && text[fit.end - 1] == ' ') {
		fit.end--;
		fit.width--;
	}
	*ret = fit;
	return true;
}

bool flow_code(const struct flow *f, size_t *at, size_t columns, struct piece *ret)
{
	const char *text = buf_text(&f->text);
	size_t pos = *at, used = 0, w;
	struct piece marked = {*at, *at, 0, true}; /* the longest that leaves room for the mark */

	if (pos >= f->text.len)
		return false;
	while (pos < f->text.len && text[pos] != '\n') {
		size_t n = text_cluster(text + pos, f->text.len - pos, &w);

		if (used + w > columns && pos > *at)
			break;
		pos += n;
		used += w;
		if (used < columns)
			marked = (struct piece){*at, pos, used, true};
	}
	*ret = (struct piece){*at, pos, used, false};
	if (pos < f->text.len && text[pos] != '\n' && marked.end > *at)
		*ret = marked;
	*at = ret->end + (ret->end < f->text.len && text[ret->end] == '\n');
	return true;
}

static void switch_look(struct buf *out, unsigned from, unsigned to)
{
	static const struct {
		unsigned look;
		const char *code;
	} codes[] = {
		{LOOK_BOLD, "1"},      {LOOK_DIM, "2"},	   {LOOK_ITALIC, "3"},
		{LOOK_UNDERLINE, "4"}, {LOOK_STRIKE, "9"}, {LOOK_CODE, "36"},
	};
	const char *between = "\033[";

	if (from)
		buf_add_str(out, "\033[0m");
	if (!to)
		return;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (!(to & codes[i].look))
			continue;
		buf_add_str(out, between);
		buf_add_str(out, codes[i].code);
		between = ";";
	}
	buf_add_char(out, 'm');
}

void flow_print(const struct flow *f, const struct piece *p, const struct style *style,
		struct buf *out)
{
	const char *text = buf_text(&f->text), *looks = buf_text(&f->looks);
	unsigned now = 0;

	if (!style->colour) {
		buf_add(out, text + p->start, p->end - p->start);
		return;
	}
	for (size_t at = p->start, from = at; from < p->end; from = at) {
		unsigned look = (unsigned char)looks[from];

		while (at < p->end && (unsigned char)looks[at] == look)
			at++;
		if (look != now)
			switch_look(out, now, look);
		buf_add(out, text + from, at - from);
		now = look;
	}
	switch_look(out, now, 0);
}
