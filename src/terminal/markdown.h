#pragma once
/*
 * Markdown as lines for a terminal: headings, lists, code, tables, quotes, emphasis, links, as in
 * CommonMark with GitHub's tables, task lists and strikethrough. The text is data from outside:
 * whatever it holds, no control character of it reaches the terminal, and no line is wider than
 * style->width columns, by the widths of wide, combining and zero-width characters.
 */
#include "base/buf.h"
#include "terminal/style.h"

/*
 * Add the lines, each behind `indent` blanks and ended by a newline. Every line stands alone: the
 * colours it begins with are its own, and none is left on behind it, so any part of them can be
 * drawn. Links show where they lead, beside their text; HTML is text. Where there is little room,
 * indents shrink (the given one too), and a table becomes lines "head: cell".
 * Without colours it reads like Markdown again, which is best to pipe and to hear: headings keep
 * their "#", emphasis its marks, quotes their ">", tables their "|"; nothing is drawn with lines.
 * Work and memory are bounded by the length of the text; one that is made to need more is shown as
 * it is written.
 */
void markdown_render(const char *text, size_t len, const struct style *style, size_t indent,
		     struct buf *out);

/*
 * The text without its marks, in one line, at most `max` bytes: a preview. Never half a character,
 * never a control character. Looks only at the beginning of a long text.
 */
void markdown_preview(const char *text, size_t len, size_t max, struct buf *out);
