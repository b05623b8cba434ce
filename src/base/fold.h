#pragma once
/* Words as people look for them: capitals and accents do not matter. */
#include <stddef.h>

/*
 * The first place in `text` where a word is `word` or begins with it; *ret_len is how many bytes
 * that takes there. NULL: nowhere.
 */
const char *fold_find(const char *text, const char *word, size_t *ret_len);
