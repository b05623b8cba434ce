/*
 * markdown-span.c: what is inside a paragraph: code, links, emphasis, breaks.
 * One pass makes tokens; brackets and runs of stars wait for their ends, which change the token they
 * began with. Then the tokens are told in order. A mark that found no end is text.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "terminal/markdown-spans.h"

#define TICKS_MAX 64 /* a longer run of them is text */

struct token *token_add(struct spans *s, enum token_type type, size_t start, size_t stop)
{
	if (s->count == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->tokens = mem_grow(s->tokens, s->cap, sizeof(*s->tokens));
	}
	s->tokens[s->count] = (struct token){.type = type, .start = start, .stop = stop};
	return &s->tokens[s->count++];
}

static void add_text(struct spans *s, size_t start, size_t stop)
{
	struct token *last = s->count ? &s->tokens[s->count - 1] : NULL;

	if (last && last->type == TOKEN_TEXT && last->stop == start && s->text[start - 1] != '\n')
		last->stop = stop;
	else
		token_add(s, TOKEN_TEXT, start, stop);
	s->at = stop;
}

static void add_break(struct spans *s)
{
	struct token *last = s->count ? &s->tokens[s->count - 1] : NULL;
	size_t blanks = 0;

	while (last && last->type == TOKEN_TEXT && last->stop == s->at - blanks &&
	       last->stop > last->start && s->text[last->stop - 1] == ' ') {
		last->stop--;
		blanks++;
	}
	token_add(s, blanks >= 2 ? TOKEN_BREAK : TOKEN_TEXT, s->at, s->at + 1);
	s->at++;
}

static void read_backslash(struct spans *s)
{
	char next = s->at + 1 < s->len ? s->text[s->at + 1] : '\0';

	if (next == '\n') {
		token_add(s, TOKEN_BREAK, s->at, s->at + 2);
		s->at += 2;
	} else if (ispunct((unsigned char)next)) {
		add_text(s, s->at + 1, s->at + 2);
	} else {
		add_text(s, s->at, s->at + 1);
	}
}

/* `missing` has a bit for each length of which there is none from here to the end. */
static void read_code(struct spans *s, uint64_t *missing)
{
	size_t start = s->at, ticks = 0, at, n;

	while (start + ticks < s->len && s->text[start + ticks] == '`')
		ticks++;
	for (at = start + ticks; ticks <= TICKS_MAX && !(*missing >> (ticks - 1) & 1); at += n) {
		const char *next = memchr(s->text + at, '`', s->len - at);

		if (!next) {
			*missing |= (uint64_t)1 << (ticks - 1);
			break;
		}
		at = (size_t)(next - s->text);
		for (n = 0; at + n < s->len && s->text[at + n] == '`';)
			n++;
		if (n == ticks) {
			token_add(s, TOKEN_CODE, start + ticks, at);
			s->at = at + n;
			return;
		}
	}
	add_text(s, start, start + ticks);
}

static void read_angle(struct spans *s)
{
	size_t stop = link_angle(s->text, s->len, s->at);

	if (!stop) {
		add_text(s, s->at, s->at + 1);
		return;
	}
	token_add(s, TOKEN_ADDRESS, s->at + 1, stop - 1);
	s->at = stop;
}

static void read_entity(struct spans *s)
{
	size_t n = entity_len(s->text + s->at, s->len - s->at);

	if (!n) {
		add_text(s, s->at, s->at + 1);
		return;
	}
	token_add(s, TOKEN_ENTITY, s->at, s->at + n);
	s->at += n;
}

static void open_bracket(struct spans *s, bool image)
{
	if (s->bracket_count == s->bracket_cap) {
		s->bracket_cap = s->bracket_cap ? s->bracket_cap * 2 : 16;
		s->brackets = mem_grow(s->brackets, s->bracket_cap, sizeof(*s->brackets));
	}
	if (s->bracket_count)
		s->brackets[s->bracket_count - 1].has_bracket = true;
	s->brackets[s->bracket_count++] = (struct bracket){.token = s->count, .run = s->run_count};
	token_add(s, TOKEN_BRACKET, s->at, s->at + 1 + image)->image = image;
	s->at += 1 + (size_t)image;
}

static size_t skip_space(const struct spans *s, size_t at)
{
	while (at < s->len && (s->text[at] == ' ' || s->text[at] == '\n'))
		at++;
	return at;
}

/* "(address "title")" at the place: where it ends, or 0. */
static size_t inline_link(const struct spans *s, size_t at, struct token *ret)
{
	size_t start, stop, title;
	struct buf address = {0};

	at = link_destination(s->text, s->len, skip_space(s, at + 1), &start, &stop);
	if (!at)
		return 0;
	title = skip_space(s, at);
	if (title > at && title < s->len && s->text[title] != ')') {
		title = link_title(s->text, s->len, title);
		if (!title)
			return 0;
		title = skip_space(s, title);
	}
	if (title >= s->len || s->text[title] != ')')
		return 0;
	link_unescape(&address, s->text + start, stop - start);
	ret->address = ret->own_address = buf_steal(&address);
	return title + 1;
}

/* "[name]", "[]" or nothing behind the bracket that ends at `at`. */
static size_t reference_link(const struct spans *s, const struct bracket *b, size_t at,
			     struct token *ret)
{
	size_t start = s->tokens[b->token].stop, stop = at, end = at + 1, label = 0;

	if (!s->blocks->reference_count)
		return 0;
	if (end + 1 < s->len && s->text[end] == '[' && s->text[end + 1] == ']')
		end += 2;
	else if (end < s->len && s->text[end] == '[')
		label = link_label(s->text, s->len, end);
	if (label) {
		start = end + 1;
		stop = label - 1;
		end = label;
	} else if (b->has_bracket) {
		return 0;
	}
	ret->address = blocks_find(s->blocks, s->text + start, stop - start);
	return ret->address ? end : 0;
}

/* The link whose bracket ends here: where it ends, or 0. */
static size_t find_link(const struct spans *s, const struct bracket *b, struct token *ret)
{
	size_t end = 0;

	*ret = (struct token){.type = TOKEN_END, .image = s->tokens[b->token].image};
	if (s->bracket_count < s->dead && !ret->image)
		return 0;
	if (s->at + 1 < s->len && s->text[s->at + 1] == '(')
		end = inline_link(s, s->at + 1, ret);
	return end ? end : reference_link(s, b, s->at, ret);
}

static void close_bracket(struct spans *s)
{
	struct bracket b;
	struct token link;
	size_t end = 0;

	if (s->bracket_count) {
		b = s->brackets[--s->bracket_count];
		end = find_link(s, &b, &link);
		s->dead = s->dead > s->bracket_count ? s->bracket_count : s->dead;
	}
	if (!end) {
		add_text(s, s->at, s->at + 1);
		return;
	}
	emphasis_resolve(s, b.run);
	s->tokens[b.token].type = TOKEN_LINK;
	*token_add(s, TOKEN_END, s->at, end) = link;
	if (!link.image)
		s->dead = s->bracket_count;
	s->at = end;
}

static bool is_word_part(unsigned char c)
{
	return isalnum(c) || (c && strchr(".+-@/:", c));
}

/* A word, which may be an address. All of it at once: no part of it begins another. */
static void read_word(struct spans *s)
{
	size_t start = s->at, stop = 0;
	unsigned char before = start ? (unsigned char)s->text[start - 1] : ' ';

	if (!is_word_part(before))
		stop = link_bare(s->text, s->len, start);
	if (!stop && !is_word_part(before) && before != '_')
		stop = link_mail(s->text, s->len, start);
	if (stop) {
		token_add(s, TOKEN_ADDRESS, start, stop);
		s->at = stop;
		return;
	}
	for (stop = start; stop < s->len && isalnum((unsigned char)s->text[stop]);)
		stop++;
	add_text(s, start, stop);
}

static void read_spans(struct spans *s)
{
	uint64_t missing = 0;

	while (s->at < s->len) {
		unsigned char c = (unsigned char)s->text[s->at];
		bool image = c == '!' && s->at + 1 < s->len && s->text[s->at + 1] == '[';

		if (c == '\\')
			read_backslash(s);
		else if (c == '`')
			read_code(s, &missing);
		else if (c == '<')
			read_angle(s);
		else if (c == '&')
			read_entity(s);
		else if (c == '[' || image)
			open_bracket(s, image);
		else if (c == ']')
			close_bracket(s);
		else if (c == '*' || c == '_' || c == '~')
			emphasis_read(s);
		else if (c == '\n')
			add_break(s);
		else if (isalnum(c))
			read_word(s);
		else
			add_text(s, s->at, s->at + 1);
	}
	emphasis_resolve(s, 0);
}

/* Newlines are blanks; one blank at each end is there to keep a tick apart. */
static void tell_code(const char *text, size_t len, const struct span_reader *r)
{
	AUTO_BUF struct buf code = {0};
	size_t start;

	for (size_t i = 0; i < len; i++)
		buf_add_char(&code, text[i] == '\n' ? ' ' : text[i]);
	start = len > 2 && code.data[0] == ' ' && code.data[len - 1] == ' ' &&
		strspn(code.data, " ") < len;
	r->enter(r->data, SPAN_CODE);
	r->text(r->data, buf_text(&code) + start, len - 2 * start);
	r->leave(r->data, SPAN_CODE, NULL);
}

static void tell_run(const struct spans *s, const struct token *t, const struct span_reader *r)
{
	for (size_t i = t->closes; i; i = s->pairs[i].next)
		r->leave(r->data, s->pairs[i].span, NULL);
	r->text(r->data, s->text + t->start, t->left);
	for (size_t i = t->opens; i; i = s->pairs[i].next)
		r->enter(r->data, s->pairs[i].span);
}

/* No link is in a link: there it is text. */
static void tell_address(const char *text, size_t len, bool in_link, const struct span_reader *r)
{
	AUTO_BUF struct buf address = {0};

	if (in_link) {
		r->text(r->data, text, len);
		return;
	}
	if (strncasecmp(text, "www.", len < 4 ? len : 4) == 0)
		buf_add_str(&address, "http://");
	else if (!memchr(text, ':', len))
		buf_add_str(&address, "mailto:");
	buf_add(&address, text, len);
	r->enter(r->data, SPAN_LINK);
	r->text(r->data, text, len);
	r->leave(r->data, SPAN_LINK, buf_text(&address));
}

static void tell_entity(const char *text, size_t len, const struct span_reader *r)
{
	AUTO_BUF struct buf character = {0};

	entity_add(&character, text, len);
	r->text(r->data, buf_text(&character), character.len);
}

/* Several blanks are one, as in every other place where Markdown is read. */
static void tell_text(const char *text, size_t len, const struct span_reader *r)
{
	size_t start = 0;

	for (size_t i = 1; i < len; i++) {
		if (text[i] != ' ' || text[i - 1] != ' ')
			continue;
		r->text(r->data, text + start, i - start);
		while (i < len && text[i] == ' ')
			i++;
		start = i;
	}
	if (start < len)
		r->text(r->data, text + start, len - start);
}

static void tell(const struct spans *s, const struct span_reader *r)
{
	size_t links = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct token *t = &s->tokens[i];
		const char *text = s->text + t->start;
		size_t len = t->stop - t->start;
		enum span span = t->image ? SPAN_IMAGE : SPAN_LINK;

		if (t->type == TOKEN_CODE) {
			tell_code(text, len, r);
		} else if (t->type == TOKEN_BREAK) {
			r->line_break(r->data);
		} else if (t->type == TOKEN_RUN) {
			tell_run(s, t, r);
		} else if (t->type == TOKEN_LINK) {
			links += span == SPAN_LINK;
			r->enter(r->data, span);
		} else if (t->type == TOKEN_END) {
			links -= span == SPAN_LINK;
			r->leave(r->data, span, t->address);
		} else if (t->type == TOKEN_ADDRESS) {
			tell_address(text, len, links, r);
		} else if (t->type == TOKEN_ENTITY) {
			tell_entity(text, len, r);
		} else if (len == 1 && *text == '\n') {
			r->text(r->data, " ", 1);
		} else {
			tell_text(text, len, r);
		}
	}
}

void spans_read(const struct blocks *b, const char *text, size_t len, const struct span_reader *r)
{
	struct spans s = {.blocks = b, .text = text, .len = len};

	while (s.len && (s.text[s.len - 1] == ' ' || s.text[s.len - 1] == '\n'))
		s.len--;
	read_spans(&s);
	tell(&s, r);
	for (size_t i = 0; i < s.count; i++)
		free(s.tokens[i].own_address);
	free(s.tokens);
	free(s.runs);
	free(s.brackets);
	free(s.pairs);
	free(s.open);
}
