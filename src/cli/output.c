/*
 * output.c: what commands print, made fit for who reads it.
 * Inside the program text is UTF-8, and so it goes into pipes and files. A terminal of another locale would show
 * something else, and take some bytes for commands: what it cannot show is replaced. JSON has an escape for
 * whatever a terminal might obey, and says the same with it.
 */
#include <errno.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/cli.h"

static iconv_t other = (iconv_t)-1; /* to the character set of the locale, when that is another */

/* A locale that nobody has named says nothing about the terminal. */
static bool is_named(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return true;
	}
	return false;
}

void cli_follow_locale(void)
{
	const char *codeset =
		is_named() && setlocale(LC_CTYPE, "") ? nl_langinfo(CODESET) : "UTF-8";

	if (strcasecmp(codeset, "UTF-8") != 0)
		other = iconv_open(codeset, "UTF-8");
	setlocale(LC_CTYPE, "C.UTF-8");
}

static const char *replacement(uint32_t c)
{
	static const struct {
		uint32_t c;
		const char *text;
	} known[] = {{0x2026, "..."}, {0x2713, "ok"}, {0x2717, "x"},  {0x2013, "-"},
		     {0x2014, "-"},   {0x2192, "->"}, {0x2502, "|"},  {0x2500, "-"},
		     {0x2018, "'"},   {0x2019, "'"},  {0x201c, "\""}, {0x201d, "\""}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].c == c)
			return known[i].text;
	return "?";
}

/* One character, or one byte that is none, as the locale has it. */
static size_t add_converted(struct buf *out, const char *text, size_t len)
{
	uint32_t c = 0;
	size_t n = text_decode(text, len, &c), in = n, room = 8;
	char *from = (char *)(uintptr_t)text, made[8], *to = made;

	if (n && iconv(other, &from, &in, &to, &room) != (size_t)-1)
		buf_add(out, made, sizeof(made) - room);
	else
		buf_add_str(out, n ? replacement(c) : "?");
	return n ? n : 1;
}

void cli_write_to(FILE *stream, const struct buf *text)
{
	AUTO_BUF struct buf converted = {0};

	if (text->len && (other == (iconv_t)-1 || !isatty(fileno(stream)))) {
		fwrite(text->data, 1, text->len, stream);
		return;
	}
	for (size_t i = 0; i < text->len;)
		if (text->data[i] & 0x80)
			i += add_converted(&converted, text->data + i, text->len - i);
		else
			buf_add_char(&converted, text->data[i++]);
	if (converted.len)
		fwrite(converted.data, 1, converted.len, stream);
}

void cli_write(const struct buf *text)
{
	cli_write_to(stdout, text);
}

/* --- JSON --- */

/* What a terminal obeys, or what turns the direction of what follows. */
static bool is_obeyed(uint32_t c)
{
	return (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void cli_add_json(const json_t *value, int depth, struct buf *out)
{
	AUTO_BUF struct buf made = {0};
	const char *text;
	size_t len, from = 0;

	json_add_indented(value, depth, &made);
	text = buf_text(&made);
	len = made.len;
	for (size_t i = 0; i < len;) {
		uint32_t c = (unsigned char)text[i];
		size_t n = c < 0x80 ? 1 : text_decode(text + i, len - i, &c);

		n = n ? n : 1;
		if (c >= 0x7f && is_obeyed(c)) {
			buf_add(out, text + from, i - from);
			buf_printf(out, "\\u%04x", (unsigned)c);
			from = i + n;
		}
		i += n;
	}
	buf_add(out, text + from, len - from);
}

void cli_write_json(const json_t *value)
{
	AUTO_BUF struct buf out = {0};

	cli_add_json(value, 0, &out);
	buf_add_char(&out, '\n');
	cli_write(&out);
}
