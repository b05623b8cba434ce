/* message.c: one message of a thread as lines: who and when, what is asked, the text, the files. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "inbox/parts.h"
#include "terminal/markdown.h"

size_t count_lines(const struct buf *text)
{
	size_t count = 0;

	for (size_t i = 0; i < text->len; i++)
		count += text->data[i] == '\n';
	return count;
}

static void add_fresh(struct buf *out, const struct style *style)
{
	AUTO_BUF struct buf line = {0};
	size_t used = MESSAGE_INDENT + 7;

	add_blanks(&line, MESSAGE_INDENT);
	buf_add_str(&line, "── new ");
	for (; used < style->width; used++)
		buf_add_str(&line, "─");
	style_add(out, style, TINT_WARN, buf_text(&line));
	buf_add_char(out, '\n');
}

static void add_reply_state(struct buf *out, const struct style *style, const json_t *message,
			    size_t room)
{
	enum tint tint;
	const char *words = view_reply(message, &tint);

	if (words && strlen(words) + 2 <= room)
		style_printf(out, style, tint, "  %s", words);
}

/* "  [2026-01-15 09:02] builder: Weekly report" */
static void add_head(struct buf *out, const struct face *f, const struct style *style,
		     const json_t *message)
{
	AUTO_BUF struct buf when = {0}, name = {0}, who = {0}, title = {0};
	size_t used = MESSAGE_INDENT, room;

	buf_add_char(&when, '[');
	add_minute(&when, f, message, "at");
	buf_add_str(&when, "] ");
	add_blanks(out, MESSAGE_INDENT);
	if (used + when.len + 8 <= style->width) {
		style_add(out, style, TINT_DIM, buf_text(&when));
		used += when.len;
	}
	visible_line(&name, view_author(message));
	room = style->width - used - 1;
	text_cut(&who, buf_text(&name), room);
	buf_add_char(&who, ':');
	used += text_width(buf_text(&who));
	style_add(out, style, TINT_BOLD, buf_text(&who));
	buf_clear(&name);
	visible_line(&name, view_text(message, "title"));
	if (name.len && used + 8 < style->width) {
		buf_add_char(out, ' ');
		text_cut(&title, buf_text(&name), style->width - used - 1);
		used += text_width(buf_text(&title)) + 1;
		style_add(out, style, TINT_BOLD, buf_text(&title));
	}
	add_reply_state(out, style, message, style->width - used);
	buf_add_char(out, '\n');
}

/* A line of our own words with some of the message's in it, filled to the width. */
static void add_remark(struct buf *out, const struct style *style, enum tint tint, const char *text)
{
	AUTO_BUF struct buf clean = {0}, filled = {0};
	char *rest;

	visible_line(&clean, text);
	text_fill(&filled, buf_text(&clean), MESSAGE_INDENT, 0, style->width - MESSAGE_INDENT);
	for (char *line = strtok_r(filled.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		AUTO_BUF struct buf shown = {0};

		text_cut(&shown, line, style->width - MESSAGE_INDENT);
		add_blanks(out, MESSAGE_INDENT);
		style_add(out, style, tint, buf_text(&shown));
		buf_add_char(out, '\n');
	}
}

static void add_question(struct buf *out, const struct face *f, const struct style *style,
			 const json_t *message)
{
	AUTO_BUF struct buf line = {0};
	struct view v;
	bool open;

	buf_add_str(&line, "? ");
	v = cli_view(f->c, &line);
	open = view_question(&v, message);
	if (line.len > strlen("? "))
		add_remark(out, style, open ? TINT_WARN : TINT_DIM, buf_text(&line));
}

/* A path is there to be copied: it is broken where the line ends, and never shortened. */
static void add_path(struct buf *out, const struct style *style, const char *path)
{
	AUTO_BUF struct buf clean = {0}, piece = {0};
	size_t indent = MESSAGE_INDENT + 2;

	visible_line(&clean, path);
	for (const char *p = buf_text(&clean); *p;) {
		buf_clear(&piece);
		do
			buf_add_char(&piece, *p++);
		while (*p && ((*p & 0xc0) == 0x80 ||
			      indent + text_width(piece.data) + 2 <= style->width));
		add_blanks(out, indent);
		style_add(out, style, TINT_DIM, buf_text(&piece));
		buf_add_char(out, '\n');
	}
}

static void add_attachments(struct buf *out, const struct style *style, const json_t *message)
{
	const json_t *all = json_object_get(message, "attachments");

	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *file = json_array_get(all, i);
		AUTO_BUF struct buf line = {0};
		char size[32];

		view_size(view_int(file, "size"), size, sizeof(size));
		buf_printf(&line, "+ %s (%s)", view_text(file, "name"), size);
		add_remark(out, style, TINT_NONE, buf_text(&line));
		add_path(out, style, view_text(file, "file"));
	}
}

static void add_rest(struct buf *out, const struct style *style, const json_t *message)
{
	AUTO_BUF struct buf line = {0};
	char size[32];

	if (!json_is_false(json_object_get(message, "whole")))
		return;
	view_size(view_int(message, "size"), size, sizeof(size));
	buf_printf(&line, "… this is the beginning of %s; o opens all of it", size);
	add_remark(out, style, TINT_WARN, buf_text(&line));
}

void message_render(const struct face *f, const struct style *style, const json_t *message,
		    bool fresh, struct buf *out)
{
	const json_t *text = json_object_get(message, "text");
	struct style narrow = *style;

	if (narrow.width > MESSAGE_WIDTH_MAX)
		narrow.width = MESSAGE_WIDTH_MAX;
	if (fresh)
		add_fresh(out, style);
	add_head(out, f, style, message);
	add_question(out, f, &narrow, message);
	if (json_string_length(text))
		markdown_render(json_string_value(text), json_string_length(text), &narrow,
				MESSAGE_INDENT, out);
	add_rest(out, &narrow, message);
	add_attachments(out, style, message);
	buf_add_char(out, '\n');
}
