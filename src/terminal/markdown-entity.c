/* markdown-entity.c: "&amp;" and its kind. Those that people and agents write; others stay. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/markdown-parse.h"

#define REPLACEMENT 0xfffd
#define NAME_MAX_LEN 15

/* clang-format off */
static const struct {
	const char *name, *text;
} entities[] = {
	{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", "\u00a0"},
	{"hellip", "…"}, {"mdash", "—"}, {"ndash", "–"}, {"lsquo", "‘"}, {"rsquo", "’"},
	{"ldquo", "“"}, {"rdquo", "”"}, {"bdquo", "„"}, {"laquo", "«"}, {"raquo", "»"},
	{"bull", "•"}, {"middot", "·"}, {"copy", "©"}, {"reg", "®"}, {"trade", "™"},
	{"sect", "§"}, {"para", "¶"}, {"deg", "°"}, {"plusmn", "±"}, {"times", "×"},
	{"divide", "÷"}, {"minus", "−"}, {"frac12", "½"}, {"micro", "µ"}, {"le", "≤"}, {"ge", "≥"},
	{"ne", "≠"}, {"asymp", "≈"}, {"infin", "∞"}, {"euro", "€"}, {"pound", "£"}, {"yen", "¥"},
	{"larr", "←"}, {"rarr", "→"}, {"uarr", "↑"}, {"darr", "↓"}, {"harr", "↔"}, {"rArr", "⇒"},
	{"check", "✓"}, {"cross", "✗"}, {"auml", "ä"}, {"ouml", "ö"}, {"uuml", "ü"},
	{"Auml", "Ä"}, {"Ouml", "Ö"}, {"Uuml", "Ü"}, {"szlig", "ß"}, {"eacute", "é"},
	{"lbrace", "{"}, {"rbrace", "}"}, {"lbrack", "["}, {"rbrack", "]"}, {"vert", "|"},
	{"ast", "*"}, {"lowbar", "_"}, {"grave", "`"}, {"num", "#"}, {"bsol", "\\"},
};
/* clang-format on */

static void add_character(struct buf *out, unsigned long c)
{
	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = REPLACEMENT;
	if (c < 0x80) {
		buf_add_char(out, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_add_char(out, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_add_char(out, (char)(0xe0 | c >> 12));
		} else {
			buf_add_char(out, (char)(0xf0 | c >> 18));
			buf_add_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_add_char(out, (char)(0x80 | (c & 0x3f)));
}

size_t entity_len(const char *text, size_t len)
{
	size_t at = 1, start;
	bool number = len > 2 && text[1] == '#', hex = number && (text[2] == 'x' || text[2] == 'X');

	if (!len || *text != '&')
		return 0;
	at += number + hex;
	for (start = at; at < len && at - start < NAME_MAX_LEN; at++) {
		unsigned char c = (unsigned char)text[at];

		if (!(hex ? isxdigit(c) : number ? isdigit(c) : isalnum(c)))
			break;
	}
	/* Numbers have up to seven digits, so that none is too large to be read. */
	if (at == start || (number && at - start > 7) || at >= len || text[at] != ';')
		return 0;
	return at + 1;
}

void entity_add(struct buf *out, const char *text, size_t len)
{
	char name[NAME_MAX_LEN + 4] = "";

	memcpy(name, text + 1, len - 2);
	if (name[0] == '#') {
		bool hex = name[1] == 'x' || name[1] == 'X';

		add_character(out, strtoul(name + 1 + hex, NULL, hex ? 16 : 10));
		return;
	}
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (strcmp(entities[i].name, name) == 0) {
			buf_add_str(out, entities[i].text);
			return;
		}
	buf_add(out, text, len);
}
