#pragma once
/* Small questions about text that several layers ask. */
#include <stdbool.h>
#include <stddef.h>

bool text_is_utf8(const char *text, size_t len); /* strict: no overlong forms, no surrogates */

/* The first control character other than tab and newline, or NULL. */
const char *text_find_control(const char *text);

/* A name: 1 to 64 characters of letters, digits, '.', '_', '-', not starting with '.' or '-'. */
bool text_is_name(const char *text);

/* The candidate nearest to `word` by edits, or NULL when none is near enough to be meant. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/* Columns a terminal needs for UTF-8 text: wide characters count two, combining ones none. */
size_t text_width(const char *text);
