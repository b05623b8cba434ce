/*
 * markdown-link.c: labels, addresses, titles.
 * Whatever is looked for ends at a character that could begin the next of its kind, or after a
 * number of them, so that a text of nothing but beginnings is not read again for each.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "terminal/markdown-parse.h"

#define LABEL_MAX 999
#define PARENTHESES_MAX 32
#define TITLE_MAX 2000

static bool is_escaped(const char *text, size_t len, size_t at)
{
	return text[at] == '\\' && at + 1 < len && ispunct((unsigned char)text[at + 1]);
}

void link_unescape(struct buf *out, const char *text, size_t len)
{
	for (size_t at = 0, n; at < len; at += n) {
		if (is_escaped(text, len, at)) {
			buf_add_char(out, text[at + 1]);
			n = 2;
		} else if ((n = entity_len(text + at, len - at))) {
			entity_add(out, text + at, n);
		} else {
			n = 1;
			buf_add_char(out, text[at]);
		}
	}
}

char *link_name(const char *label, size_t len)
{
	struct buf name = {0};
	bool apart = false;

	for (size_t i = 0; i < len; i++) {
		if (isspace((unsigned char)label[i])) {
			apart = name.len > 0;
			continue;
		}
		if (apart)
			buf_add_char(&name, ' ');
		apart = false;
		buf_add_char(&name, (char)tolower((unsigned char)label[i]));
	}
	return buf_steal(&name);
}

size_t link_label(const char *text, size_t len, size_t at)
{
	size_t start = ++at;
	bool said = false;

	while (at < len && text[at] != ']') {
		if (text[at] == '[' || at - start > LABEL_MAX)
			return 0;
		said = said || !isspace((unsigned char)text[at]);
		at += is_escaped(text, len, at) ? 2 : 1;
	}
	return at < len && said ? at + 1 : 0;
}

/* In angle brackets, where it may have blanks. */
static size_t bracketed(const char *text, size_t len, size_t at, size_t *start, size_t *end)
{
	*start = ++at;
	while (at < len && text[at] != '>') {
		if (text[at] == '\n' || text[at] == '<')
			return 0;
		at += is_escaped(text, len, at) ? 2 : 1;
	}
	*end = at;
	return at < len ? at + 1 : 0;
}

size_t link_destination(const char *text, size_t len, size_t at, size_t *start, size_t *end)
{
	size_t depth = 0;

	if (at < len && text[at] == '<')
		return bracketed(text, len, at, start, end);
	*start = at;
	while (at < len && (unsigned char)text[at] > ' ' && !(text[at] == ')' && !depth)) {
		if (text[at] == '(' && ++depth > PARENTHESES_MAX)
			return 0;
		if (text[at] == ')')
			depth--;
		at += is_escaped(text, len, at) ? 2 : 1;
	}
	*end = at;
	return depth ? 0 : at;
}

size_t link_title(const char *text, size_t len, size_t at)
{
	char close = at >= len ? 0 : text[at] == '(' ? ')' : text[at];
	size_t start = at++;

	if (close != ')' && close != '"' && close != '\'')
		return 0;
	while (at < len && text[at] != close) {
		if ((close == ')' && text[at] == '(') || at - start > TITLE_MAX)
			return 0;
		at += is_escaped(text, len, at) ? 2 : 1;
	}
	return at < len ? at + 1 : 0;
}

size_t link_mail(const char *text, size_t len, size_t at)
{
	size_t start = at, dot = 0;

	while (at < len &&
	       (isalnum((unsigned char)text[at]) || (text[at] && strchr("._+-", text[at]))))
		at++;
	if (at == start || at >= len || text[at] != '@')
		return 0;
	start = ++at;
	while (at < len &&
	       (isalnum((unsigned char)text[at]) || text[at] == '-' || text[at] == '.')) {
		if (text[at] == '.')
			dot = at;
		at++;
	}
	while (at > start && !isalnum((unsigned char)text[at - 1]))
		at--;
	return dot > start && dot + 1 < at ? at : 0;
}

/* "scheme:" */
static size_t scheme(const char *text, size_t len, size_t at)
{
	size_t start = at;

	while (at < len && at - start < 32 &&
	       (isalnum((unsigned char)text[at]) || (text[at] && strchr("+.-", text[at]))))
		at++;
	return at - start >= 2 && at < len && text[at] == ':' && isalpha((unsigned char)text[start])
		       ? at + 1
		       : 0;
}

size_t link_angle(const char *text, size_t len, size_t at)
{
	size_t end = link_mail(text, len, ++at);

	if (end && end < len && text[end] == '>')
		return end + 1;
	at = scheme(text, len, at);
	if (!at)
		return 0;
	while (at < len && (unsigned char)text[at] > ' ' && text[at] != '<' && text[at] != '>')
		at++;
	return at < len && text[at] == '>' ? at + 1 : 0;
}

static bool starts(const char *text, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && strncasecmp(text, with, n) == 0;
}

/* What ends a sentence is not part of the address in it; a bracket is, when it began there. */
static size_t without_sentence(const char *text, size_t start, size_t end)
{
	long open = 0;

	for (size_t i = start; i < end; i++)
		open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
	while (end > start && strchr("?!.,:;*_~'\")", text[end - 1])) {
		if (text[end - 1] == ')' && open++ >= 0)
			break;
		end--;
	}
	return end;
}

size_t link_bare(const char *text, size_t len, size_t at)
{
	static const char *const begins[] = {"http://", "https://", "www.", "ftp://"};
	size_t end = at, host = 0;

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]) && !host; i++)
		if (starts(text + at, len - at, begins[i]))
			host = at + strlen(begins[i]);
	if (!host)
		return 0;
	while (end < len && (unsigned char)text[end] > ' ' && !strchr("<>[]`\"|", text[end]))
		end++;
	end = without_sentence(text, at, end);
	return end > host ? end : 0;
}
