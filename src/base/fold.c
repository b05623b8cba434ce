/*
 * fold.c: see fold.h.
 * Accents of the Latin letters up to U+017F are in the table, combining ones are skipped; others
 * only match themselves. That is enough to mark what a search has found; the search itself is the
 * store's.
 */
#include "base/fold.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define TABLE_FIRST 0xc0
#define COMBINING_FIRST 0x300
#define COMBINING_LAST 0x36f

/* From U+00C0 to U+017F, in small letters; '?' stays what it is. */
static const char plain[] = "aaaaaa?ceeeeiiii?nooooo?ouuuuy??"
			    "aaaaaa?ceeeeiiii?nooooo?ouuuuy?y"
			    "aaaaaaccccccccddddeeeeeeeeeegggg"
			    "gggghhhhiiiiiiiiii??jjkk?lllllll"
			    "lllnnnnnn???oooooo??rrrrrrssssss"
			    "ssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/* One character, folded. Returns its bytes; a byte that is none counts as itself. */
static size_t fold(const char *p, wint_t *ret)
{
	mbstate_t state = {0};
	wchar_t c = 0;
	size_t n = mbrtowc(&c, p, strlen(p), &state);

	if (n == 0 || n > 4) {
		*ret = (unsigned char)*p;
		return 1;
	}
	*ret = towlower((wint_t)c);
	if (*ret >= TABLE_FIRST && *ret < TABLE_FIRST + sizeof(plain) - 1 &&
	    plain[*ret - TABLE_FIRST] != '?')
		*ret = (wint_t)plain[*ret - TABLE_FIRST];
	return n;
}

static bool is_combining(wint_t c)
{
	return c >= COMBINING_FIRST && c <= COMBINING_LAST;
}

/* How many bytes of text the word takes, if it begins there; 0 when it does not. */
static size_t match(const char *text, const char *word)
{
	const char *p = text;
	wint_t a, b;

	while (*word) {
		size_t n = fold(word, &b);

		word += n;
		if (is_combining(b))
			continue;
		if (!*p)
			return 0;
		p += fold(p, &a);
		if (a != b)
			return 0;
		for (size_t more; *p && (more = fold(p, &a), is_combining(a)); p += more)
			;
	}
	return (size_t)(p - text);
}

static bool is_part(char c)
{
	return (unsigned char)c >= 0x80 || isalnum((unsigned char)c);
}

const char *fold_find(const char *text, const char *word, size_t *ret_len)
{
	for (const char *p = text; *word && *p; p++) {
		size_t len;

		if (!is_part(*p) || (p > text && is_part(p[-1])))
			continue;
		len = match(p, word);
		if (len) {
			*ret_len = len;
			return p;
		}
	}
	return NULL;
}
