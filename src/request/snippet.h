#pragma once
/* The line of a message in which what was looked for stands. */
#include "base/buf.h"
#include "base/json.h"

#define SNIPPET_MAX 160 /* bytes */

/* What was looked for, word by word, as an array of texts. */
json_t *snippet_words(const char *typed);
/* One line around the first of the words that is in the text; else how the text begins. */
void snippet_of(const char *title, const char *text, const json_t *words, struct buf *out);
