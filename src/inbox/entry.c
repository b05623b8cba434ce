/* entry.c: a line that is typed at the bottom: a filter, words to look for. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "inbox/parts.h"

#define ENTRY_MAX 200

void entry_begin(struct entry *l, const char *label)
{
	l->label = label;
	buf_clear(&l->text);
}

void entry_fini(struct entry *l)
{
	buf_fini(&l->text);
	l->label = NULL;
}

void entry_paste(struct entry *l, const char *text)
{
	AUTO_BUF struct buf line = {0};
	size_t len = strcspn(text, "\r\n");
	AUTO(free) char *first = mem_strndup(text, len);

	visible_line(&line, first);
	if (l->text.len < ENTRY_MAX)
		buf_add(&l->text, buf_text(&line),
			text_fit(buf_text(&line), ENTRY_MAX - l->text.len));
}

enum entry_state entry_key(struct entry *l, int key)
{
	if (key == KEY_ENTER)
		return ENTRY_DONE;
	if (key == KEY_ESCAPE || key == KEY_CTRL_C)
		return ENTRY_CANCELLED;
	key_edit(&l->text, key, ENTRY_MAX);
	return ENTRY_OPEN;
}

/* The end is what is being typed: a line too long loses its beginning. */
void add_entry(struct buf *out, const struct entry *l, const struct style *style)
{
	AUTO_BUF struct buf shown = {0};
	size_t label = text_width(l->label) + 1;
	size_t room = style->width > label + 1 ? style->width - label - 1 : 1;
	const char *text;

	visible_line(&shown, buf_text(&l->text));
	text = buf_text(&shown);
	while (text_width(text) > room)
		do
			text++;
		while ((*text & 0xc0) == 0x80);
	style_add(out, style, TINT_BOLD, l->label);
	buf_printf(out, " %s", text);
	add_chosen(out, style, true);
	buf_add_str(out, style->colour ? " " : "_");
	add_chosen(out, style, false);
}
