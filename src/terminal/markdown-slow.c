/*
 * markdown-slow.c: texts that are made to keep the parser busy.
 * md4c 0.4.8 looks for the end of a link's address from its paragraph's first line on, for each
 * link; at all open brackets for each bracket; and at the rest of a word for each "www" in it.
 * Nobody writes a text in which this counts.
 */
#include <string.h>

#include "terminal/markdown-parts.h"

#define LINKS_BY_LINES_MAX 4000000 /* some 30 ms */
#define BRACKETS_MAX 50000
#define NAMES_BY_WORD_MAX 20000000 /* some 10 ms */

/* What was seen since the last blank line, and since the last blank. */
struct seen {
	size_t lines, links, brackets;
	size_t names, word;
};

static void see(struct seen *s, const char *text, const char *end)
{
	if (*text == ' ') {
		s->names = s->word = 0;
		return;
	}
	s->word++;
	s->brackets += *text == '[';
	s->links += *text == ']' && text + 1 < end && text[1] == '(';
	s->names += *text == 'w' && end - text >= 4 && memcmp(text, "www.", 4) == 0;
}

static bool is_much(const struct seen *s)
{
	return s->links * s->lines > LINKS_BY_LINES_MAX || s->brackets > BRACKETS_MAX ||
	       s->names * s->word > NAMES_BY_WORD_MAX;
}

static bool is_blank(const char *line, const char *end)
{
	while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
		line++;
	return line == end;
}

bool markdown_is_slow(const char *text, size_t len)
{
	struct seen seen = {0};

	for (const char *end = text + len, *eol; text < end; text = eol + 1) {
		eol = memchr(text, '\n', (size_t)(end - text));
		eol = eol ? eol : end;
		if (is_blank(text, eol))
			seen = (struct seen){0};
		seen.lines++;
		seen.names = seen.word = 0;
		for (; text < eol; text++) {
			see(&seen, text, eol);
			if (is_much(&seen))
				return true;
		}
	}
	return false;
}
