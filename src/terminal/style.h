#pragma once
/* How text looks: colours and width of one stream, decided once. */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum tint { TINT_NONE, TINT_BOLD, TINT_DIM, TINT_GOOD, TINT_WARN, TINT_BAD };

struct style {
	bool terminal; /* somebody is looking */
	bool colour;
	size_t width; /* columns to fill; 80 where there is no terminal to ask */
};

/* A terminal has colours unless NO_COLOR is set (and not empty) or TERM is dumb or missing. */
struct style style_of(int fd);

/* The text as it is, inside the tint's colour where there are colours. */
void style_add(struct buf *out, const struct style *style, enum tint tint, const char *text);
void style_printf(struct buf *out, const struct style *style, enum tint tint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Text from outside, harmless on a terminal: control characters, bytes that are no characters, and
 * characters that show nothing, turn the direction or have no known width become visible ("^[",
 * "<9b>", "<U+202E>"). Joiners stay where they join two characters of a script or of an emoji.
 * visible_line() makes newlines visible too; visible_block() keeps them and puts `indent` after
 * each. Tabs become spaces.
 */
void visible_line(struct buf *out, const char *text);
void visible_bytes(struct buf *out, const char *text, size_t len); /* as visible_line() */
void visible_block(struct buf *out, const char *text, const char *indent);

/* The text in at most `columns`, cut with an ellipsis; for text that is visible already. */
void text_cut(struct buf *out, const char *text, size_t columns);

/* Words filled to style->width behind `indent`; the first line continues what is at column `at`. */
void text_fill(struct buf *out, const char *text, size_t at, size_t indent, size_t width);
