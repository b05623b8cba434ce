#pragma once
/* Small questions about text that several layers ask. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode the character at `text`: its length in bytes, or 0 for bytes that are none. */
size_t text_decode(const char *text, size_t len, uint32_t *ret);

bool text_is_utf8(const char *text, size_t len); /* strict: no overlong forms, no surrogates */

/* The first control character other than tab and newline, or NULL. */
const char *text_find_control(const char *text);

/*
 * Any bytes made safe to store and to show: control characters but newline and tab, and bytes that
 * are no characters, become '?'; a carriage return before a newline goes, and so does white space
 * around it all. Never NULL; the caller frees.
 */
char *text_clean(const char *bytes, size_t len);

/* The same for what a program has printed, which may have been meant for a terminal: its colours, titles and
 * other escape sequences go. */
char *text_clean_output(const char *bytes, size_t len);

/* The same for Markdown: how far the first line is indented means something, and stays. */
char *text_clean_block(const char *bytes, size_t len);

/* As one line: line breaks of any kind and control characters become a blank, several of those one. What
 * somebody wrote cannot look like a heading of whoever quotes it. The caller frees. */
char *text_one_line(const char *text);
/* Every line but the first moved in by two blanks, for the same reason. The caller frees. */
char *text_indent(const char *text);

/* In place, same length: every byte that belongs to no character becomes '?'. */
void text_mend_utf8(char *text, size_t len);

/* The length of the longest start of `text` that has at most `max` bytes and no half character. */
size_t text_fit(const char *text, size_t max);

/* A name: 1 to 64 characters of letters, digits, '.', '_', '-', not starting with '.' or '-'. */
bool text_is_name(const char *text);

/* Whether `word` is one of `words`, which are separated by blanks. "" is none. */
bool text_has_word(const char *words, const char *word);

/* Edits (insert, delete, change, swap of neighbours) between two words, ignoring case. */
size_t text_distance(const char *a, const char *b);
/* The candidate nearest to `word` by edits, or NULL when none is near enough to be meant. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

/*
 * Columns a terminal needs for UTF-8 text: wide characters count two, combining ones none, and a
 * character joined to another by U+200D none either. That is what tmux 3.3 does with the widths of
 * glibc: a variation selector changes no width, a skin tone stands beside its hand, the two letters
 * of a flag are two columns. The locale must be a UTF-8 one.
 */
size_t text_width(const char *text);

/*
 * The bytes of the first character and of all that is drawn with it, and its columns: what a line
 * is cut between. At least 1 byte unless len is 0.
 */
size_t text_cluster(const char *text, size_t len, size_t *ret_width);

/* What may be shown of a store's url: the path of a file, or a server's host and database, without user, password and
 * options. Caller frees. */
char *text_store_shown(const char *url);
