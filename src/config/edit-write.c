/*
 * edit-write.c: texts as YAML writes them, and changes of a text by bytes.
 * Plain where every reader agrees that it is that text, double quotes else; what has several lines
 * becomes a block after '|' where a block can carry it exactly.
 */
#include <string.h>

#include "base/mem.h"
#include "config/edit-parts.h"

void patch_init(struct patch *p, const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	*p = (struct patch){.text = text, .len = len, .eol = "\n"};
	if (end && end > text && end[-1] == '\r')
		p->eol = "\r\n";
}

void patch_fini(struct patch *p)
{
	for (size_t i = 0; i < PATCH_MAX; i++)
		buf_fini(&p->splices[i].put);
}

struct buf *patch_cut(struct patch *p, size_t at, size_t cut)
{
	size_t i = p->count;

	/* A file that is not what it seemed: the patch fails, and whoever tried it tries another. */
	if (i == PATCH_MAX - 1 || at > p->len || cut > p->len - at) {
		p->bad = true;
		buf_fini(&p->splices[PATCH_MAX - 1].put);
		return &p->splices[PATCH_MAX - 1].put;
	}
	for (p->count++; i > 0 && p->splices[i - 1].at > at; i--)
		p->splices[i] = p->splices[i - 1];
	p->splices[i] = (struct splice){.at = at, .cut = cut};
	return &p->splices[i].put;
}

struct buf *patch_lines(struct patch *p, size_t at)
{
	struct buf *put = patch_cut(p, at, 0);

	if (at == p->len && at > 0 && p->text[at - 1] != '\n')
		buf_add_str(put, p->eol);
	return put;
}

bool patch_apply(const struct patch *p, struct buf *ret)
{
	size_t from = 0;

	for (size_t i = 0; i < p->count && !p->bad; i++) {
		const struct splice *s = &p->splices[i];

		if (s->at < from)
			return false;
		buf_add(ret, p->text + from, s->at - from);
		buf_add_str(ret, buf_text(&s->put));
		from = s->at + s->cut;
	}
	buf_add(ret, p->text + from, p->len - from);
	return !p->bad;
}

size_t line_begin(const struct patch *p, size_t at)
{
	while (at > 0 && p->text[at - 1] != '\n')
		at--;
	return at;
}

size_t edit_next_line(const struct patch *p, size_t at)
{
	const char *end = at < p->len ? memchr(p->text + at, '\n', p->len - at) : NULL;

	return end ? (size_t)(end - p->text) + 1 : p->len;
}

size_t line_indent(const struct patch *p, size_t line, char *ret_first)
{
	size_t at = line;

	while (at < p->len && p->text[at] == ' ')
		at++;
	*ret_first = at < p->len ? p->text[at] : '\n';
	if (*ret_first == '\r' || *ret_first == '\t') /* a tab indents nothing but a blank line */
		*ret_first = '\n';
	return at - line;
}

/* What other readers of YAML would take for a number, a date, a truth or nothing. */
static bool looks_typed(const char *text)
{
	static const char *const words[] = {"null", "true", "false", "yes", "no",   "on",
					    "off",  "y",    "n",     "~",   ".nan", ".inf"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return strchr("0123456789.", text[0]) && !text[strspn(text, "0123456789.+-_:eExXoO")];
}

/* Signs that are invisible or end a line somewhere: they are written by their numbers. */
static size_t hidden_sign(const char *text, const char **ret)
{
	/* clang-format off */
	static const struct { const char *sign, *escape; } signs[] = {
		{"\n", "\\n"}, {"\t", "\\t"}, {"\"", "\\\""}, {"\\", "\\\\"},
		{"\xc2\x85", "\\N"}, {"\xc2\xa0", "\\_"},
		{"\xe2\x80\xa8", "\\L"}, {"\xe2\x80\xa9", "\\P"}, {"\xef\xbb\xbf", "\\uFEFF"},
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t len = strlen(signs[i].sign);

		if (strncmp(text, signs[i].sign, len) == 0) {
			*ret = signs[i].escape;
			return len;
		}
	}
	return 0;
}

static bool is_plain(const char *text, bool flow)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_/.";
	size_t len = strlen(text);
	const char *escape;

	if (len == 0 || ((unsigned char)text[0] < 0x80 && !strchr(first, text[0])))
		return false;
	if (looks_typed(text) || strchr(" :", text[len - 1]) || strstr(text, ": ") ||
	    strstr(text, " #") || (flow && strpbrk(text, ",[]{}:")))
		return false;
	for (; *text; text++)
		if (!strchr("\"\\", *text) && hidden_sign(text, &escape))
			return false;
	return true;
}

static void write_quoted(struct buf *out, const char *text)
{
	buf_add_char(out, '"');
	while (*text) {
		const char *escape;
		size_t len = hidden_sign(text, &escape);

		if (len)
			buf_add_str(out, escape);
		else
			buf_add(out, text, len = 1);
		text += len;
	}
	buf_add_char(out, '"');
}

void write_text(struct buf *out, const char *text, const struct writing *w)
{
	if (!w->quotes && is_plain(text, w->flow))
		buf_add_str(out, text);
	else
		write_quoted(out, text);
}

/* Whether lines after '|' give the text back, in every editor: no line of nothing but spaces, and
 * something in it at all. */
static bool is_block(const char *text)
{
	const char *escape;
	bool any = false;

	if (!strchr(text, '\n'))
		return false;
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (len > 0 && strspn(line, " \t") >= len)
			return false;
		any = any || len > 0;
	}
	for (const char *at = text; *at; at++)
		if (!strchr("\n\t\"\\", *at) && hidden_sign(at, &escape))
			return false;
	return any;
}

/* The sign, how far the lines are in when their first begins with a space, and what ends them. */
static void write_block(const char *text, const struct writing *w, struct buf *head,
			struct buf *body)
{
	size_t len = strlen(text), column = w->indent + w->step;
	const char *first = text + strspn(text, "\n");

	buf_add_char(head, '|');
	if (*first == ' ' || *first == '\t')
		buf_printf(head, "%zu", w->step);
	if (text[len - 1] != '\n')
		buf_add_char(head, '-');
	else if (text[len - 2] ==
		 '\n') /* it has a line that is not empty, so there are two signs */
		buf_add_char(head, '+');
	while (*text) {
		size_t line = strcspn(text, "\n");

		if (line > 0)
			buf_printf(body, "%*s%.*s", (int)column, "", (int)line, text);
		buf_add_str(body, w->eol);
		text += line + (text[line] == '\n');
	}
}

void write_value(const struct edit_setting *setting, const struct writing *w, struct buf *head,
		 struct buf *body)
{
	if (setting->plain)
		buf_add_str(head, setting->value);
	else if (!w->flow && !w->quotes && is_block(setting->value))
		write_block(setting->value, w, head, body);
	else
		write_text(head, setting->value, w);
}
