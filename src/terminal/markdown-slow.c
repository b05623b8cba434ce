/*
 * markdown-slow.c: texts that are made to keep the parser busy.
 * md4c 0.4.8 looks for the end of a link's address from its paragraph's first line on, for each
 * link, and at all open brackets for each bracket. Nobody writes a paragraph for which this counts.
 */
#include <string.h>

#include "terminal/markdown-parts.h"

#define LINKS_BY_LINES_MAX 4000000 /* some 30 ms */
#define BRACKETS_MAX 50000

static bool is_blank(const char *line, size_t len)
{
	while (len && strchr(" \t\r", *line)) {
		line++;
		len--;
	}
	return !len;
}

bool markdown_is_slow(const char *text, size_t len)
{
	size_t lines = 0, links = 0, brackets = 0;

	for (const char *end = text + len; text < end; text++) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		eol = eol ? eol : end;
		lines++;
		if (is_blank(text, (size_t)(eol - text)))
			lines = links = brackets = 0;
		for (; text < eol; text++) {
			brackets += *text == '[';
			links += *text == ']' && text + 1 < eol && text[1] == '(';
		}
		if (links * lines > LINKS_BY_LINES_MAX || brackets > BRACKETS_MAX)
			return true;
	}
	return false;
}
