/* words.c: the tables behind words.h, made from the same lists. */
#include "store/words.h"

#include <stddef.h>
#include <string.h>

static int find(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return (int)i;
	return -1;
}

#define WORD_TEXT(name, text) text,
#define WORD_LIST_TABLE(list, WORDS, step)                                                         \
	static const char *const list##_words[] = {WORDS(WORD_TEXT)};                              \
	const char *list##_word(enum list value)                                                   \
	{                                                                                          \
		return list##_words[value];                                                        \
	}                                                                                          \
	int list##_of(const char *word)                                                            \
	{                                                                                          \
		return find(list##_words, sizeof(list##_words) / sizeof(list##_words[0]), word);   \
	}
WORD_LISTS(WORD_LIST_TABLE)
