/*
 * markdown-emphasis.c: which stars, underscores and tildes belong together.
 * The rules are CommonMark's. Runs that may begin something wait on a stack; one that may end
 * something looks for its beginning from the top. What was looked for in vain is remembered by kind
 * of run, so that nothing is looked for there again.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "terminal/markdown-spans.h"

#define KINDS 18

/* What is beside a run: a blank (or the end), punctuation, or a letter. */
enum beside { BESIDE_BLANK, BESIDE_PUNCTUATION, BESIDE_LETTER };

/* U+00A0, U+2000 to U+206F and U+3000 to U+303F: blanks and punctuation of other scripts. */
static enum beside beside_wide(uint32_t c)
{
	if (c == 0xa0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200a))
		return BESIDE_BLANK;
	if ((c >= 0x2010 && c <= 0x206f) || (c >= 0x3001 && c <= 0x303f) || c == 0xa7 ||
	    c == 0xab || c == 0xbb || c == 0xb7 || (c >= 0xff01 && c <= 0xff0f))
		return BESIDE_PUNCTUATION;
	return BESIDE_LETTER;
}

static enum beside beside_of(const struct spans *s, size_t at)
{
	unsigned char byte = (unsigned char)s->text[at];
	uint32_t c = 0;

	if (byte >= 0x80)
		return text_decode(s->text + at, s->len - at, &c) ? beside_wide(c) : BESIDE_LETTER;
	return isspace(byte) ? BESIDE_BLANK : ispunct(byte) ? BESIDE_PUNCTUATION : BESIDE_LETTER;
}

static enum beside beside_before(const struct spans *s, size_t at)
{
	if (!at)
		return BESIDE_BLANK;
	for (at--; at && (s->text[at] & 0xc0) == 0x80;)
		at--;
	return beside_of(s, at);
}

static void push_run(struct spans *s, size_t token)
{
	if (s->run_count == s->run_cap) {
		s->run_cap = s->run_cap ? s->run_cap * 2 : 32;
		s->runs = mem_grow(s->runs, s->run_cap, sizeof(*s->runs));
	}
	s->runs[s->run_count++] = token;
}

void emphasis_read(struct spans *s)
{
	size_t start = s->at, stop = start;
	enum beside before, after;
	bool left, right;
	struct token *t;

	while (stop < s->len && s->text[stop] == s->text[start])
		stop++;
	s->at = stop;
	t = token_add(s, TOKEN_RUN, start, stop);
	t->mark = s->text[start];
	t->left = t->total = stop - start;
	if (t->mark == '~' && t->total > 2)
		return;
	before = beside_before(s, start);
	after = stop < s->len ? beside_of(s, stop) : BESIDE_BLANK;
	left = after == BESIDE_LETTER || (after == BESIDE_PUNCTUATION && before != BESIDE_LETTER);
	right = before == BESIDE_LETTER || (before == BESIDE_PUNCTUATION && after != BESIDE_LETTER);
	/* Underscores are part of many words. */
	t->can_open = left && (t->mark != '_' || !right || before == BESIDE_PUNCTUATION);
	t->can_close = right && (t->mark != '_' || !left || after == BESIDE_PUNCTUATION);
	if (t->can_open || t->can_close)
		push_run(s, s->count - 1);
}

static size_t kind_of(const struct token *t)
{
	size_t mark = t->mark == '*' ? 0 : t->mark == '_' ? 1 : 2;

	return mark * 6 + (t->can_open ? 3 : 0) + t->total % 3;
}

static bool fits(const struct token *opener, const struct token *closer)
{
	if (opener->mark != closer->mark)
		return false;
	if (closer->mark == '~')
		return opener->total == closer->total && opener->left;
	return !(opener->can_close || closer->can_open) ||
	       (opener->total + closer->total) % 3 != 0 ||
	       (opener->total % 3 == 0 && closer->total % 3 == 0);
}

static size_t add_pair(struct spans *s, enum span span, size_t next)
{
	if (s->pair_count == s->pair_cap) {
		s->pair_cap = s->pair_cap ? s->pair_cap * 2 : 32;
		s->pairs = mem_grow(s->pairs, s->pair_cap, sizeof(*s->pairs));
	}
	if (!s->pair_count)
		s->pairs[s->pair_count++] = (struct pair){0};
	s->pairs[s->pair_count] = (struct pair){span, next};
	return s->pair_count++;
}

/* What begins last ends first: beginnings are kept from the outermost on, ends from the innermost. */
static void join(struct spans *s, struct token *opener, struct token *closer)
{
	size_t used = closer->mark == '~' ? closer->left
					  : (opener->left >= 2 && closer->left >= 2 ? 2 : 1);
	enum span span = closer->mark == '~' ? SPAN_STRIKE
			 : used == 2	     ? SPAN_STRONG
					     : SPAN_EMPHASIS;
	size_t pair;

	opener->opens = add_pair(s, span, opener->opens);
	pair = add_pair(s, span, 0);
	if (closer->last_close)
		s->pairs[closer->last_close].next = pair;
	else
		closer->closes = pair;
	closer->last_close = pair;
	opener->left -= used;
	closer->left -= used;
}

/* The stack was cut: what was looked for above is worth looking for again. */
static void lower(size_t *floors, size_t height)
{
	for (size_t i = 0; i < KINDS; i++)
		if (floors[i] > height)
			floors[i] = height;
}

/* End as much as the run can. Returns the height of the stack after it. */
static size_t close_run(struct spans *s, struct token *closer, size_t height, size_t *floors)
{
	size_t *floor = &floors[kind_of(closer)];

	while (closer->left) {
		size_t i = height;
		struct token *opener;

		while (i > *floor && !fits(&s->tokens[s->open[i - 1]], closer))
			i--;
		if (i <= *floor) {
			*floor = height;
			break;
		}
		opener = &s->tokens[s->open[i - 1]];
		join(s, opener, closer);
		height = opener->left ? i : i - 1;
		lower(floors, height);
	}
	return height;
}

void emphasis_resolve(struct spans *s, size_t first)
{
	size_t floors[KINDS] = {0}, height = 0;

	if (s->open_cap < s->run_count) {
		s->open_cap = s->run_cap;
		s->open = mem_grow(s->open, s->open_cap, sizeof(*s->open));
	}
	for (size_t i = first; i < s->run_count; i++) {
		struct token *t = &s->tokens[s->runs[i]];

		if (t->can_close)
			height = close_run(s, t, height, floors);
		if (t->can_open && t->left)
			s->open[height++] = s->runs[i];
	}
	s->run_count = first;
}
