/* snippet.c: see snippet.h. */
#include "request/snippet.h"

#include <ctype.h>
#include <string.h>

#include "base/fold.h"
#include "base/mem.h"
#include "base/text.h"

#define BEFORE 40 /* bytes in front of the word */

static bool is_part(char c)
{
	return (unsigned char)c >= 0x80 || isalnum((unsigned char)c);
}

json_t *snippet_words(const char *typed)
{
	json_t *words = json_array();

	while (*typed) {
		size_t len = 0;

		while (typed[len] && is_part(typed[len]))
			len++;
		if (len)
			json_array_append_new(words, json_stringn(typed, len));
		typed += len + (typed[len] != '\0');
	}
	return words;
}

static const char *first_of(const char *text, const json_t *words)
{
	const char *first = NULL;
	const json_t *word;
	size_t i, len;

	json_array_foreach(words, i, word)
	{
		const char *at = fold_find(text, json_string_value(word), &len);

		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

/* A little before the word, at the beginning of a word. */
static const char *begin(const char *text, const char *word)
{
	const char *p = word - text > BEFORE ? word - BEFORE : text;

	if (p == text)
		return p;
	while (p < word && !strchr(" \t\n", *p))
		p++;
	return p;
}

static void add_line(struct buf *out, const char *text)
{
	size_t max = SNIPPET_MAX;

	for (; *text && max; text++, max--) {
		bool blank = strchr(" \t\n", *text);

		if (!blank)
			buf_add_char(out, *text);
		else if (out->len && out->data[out->len - 1] != ' ')
			buf_add_char(out, ' ');
	}
	/* not half a character */
	if (*text)
		while (out->len && ((unsigned char)*text & 0xc0) == 0x80) {
			text--;
			out->data[--out->len] = '\0';
		}
}

void snippet_of(const char *title, const char *text, const json_t *words, struct buf *out)
{
	const char *at = first_of(text, words);

	if (!at && title && first_of(title, words)) {
		add_line(out, title);
		return;
	}
	at = at ? begin(text, at) : text;
	if (at > text)
		buf_add_str(out, "…");
	add_line(out, at + strspn(at, " \t\n"));
	if (strlen(at) > SNIPPET_MAX)
		buf_add_str(out, "…");
}
