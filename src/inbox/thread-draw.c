/*
 * thread-draw.c: a thread as a picture.
 * The lines of all loaded messages stand under each other; a message's are made once for a width.
 * The current place is a message and a line of it, so it survives a new width and messages that are
 * loaded above it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "inbox/thread.h"

#define LOW 10	       /* lines below which nothing is left empty */
#define TITLE_LEAST 10 /* columns of a title beside the mission's state */

/* What the messages do not get: the header, the bottom, and what is empty between. */
static size_t frame_lines(const struct reading *r, const struct style *style, size_t lines)
{
	size_t frame = 1 + footer_lines(r->f, style) + (lines < LOW ? 0 : 2);

	return frame < lines ? frame : lines - 1;
}

/* --- lines --- */

static void make_lines(const struct reading *r, struct piece *p, const struct style *style)
{
	bool fresh = p->seq == r->fresh_from;

	buf_clear(&p->text);
	message_render(r->f, style, p->message, fresh, &p->text);
	p->lines = count_lines(&p->text);
	p->width = style->width;
	p->head = fresh;
}

/* The message that has the line at the top of the screen. */
static size_t top_piece(const struct reading *r)
{
	size_t i = r->count;

	while (i > 1 && r->pieces[i - 1].first > r->scroll.top)
		i--;
	return i ? i - 1 : 0;
}

void reading_keep_place(struct reading *r)
{
	const struct piece *p;

	if (!r->count)
		return;
	p = &r->pieces[top_piece(r)];
	r->top_seq = p->seq;
	r->top_offset = r->scroll.top - p->first;
}

static void find_place(struct reading *r)
{
	const struct piece *p = reading_piece(r, r->top_seq);

	if (!p)
		return;
	r->scroll.top = p->first + (r->top_offset < p->lines ? r->top_offset : p->lines - 1);
}

void reading_layout(struct reading *r)
{
	size_t lines, total = 0;
	struct style style = face_style(r->f, &lines);

	for (size_t i = 0; i < r->count; i++) {
		struct piece *p = &r->pieces[i];

		if (p->width != style.width)
			make_lines(r, p, &style);
		p->first = total;
		total += p->lines;
	}
	r->scroll.count = total;
	find_place(r);
	scroll_fit(&r->scroll, total, lines - frame_lines(r, &style, lines));
	reading_keep_place(r);
}

/* --- the frame --- */

/* " (mission mis-k3f9x2, ended: success)" */
static void add_state(const struct reading *r, struct buf *out)
{
	const json_t *mission = json_object_get(r->thread, "mission");
	const char *state = view_thread_state(r->thread);

	if (json_is_object(mission))
		buf_printf(out, " (mission %s, %s%s)", view_text(mission, "id"),
			   view_mission_is_over(state) && strcmp(state, "asks") != 0 ? "ended: "
										     : "",
			   state);
	if (json_is_true(json_object_get(r->thread, "archived")))
		buf_add_str(out, ", archived");
	if (r->f->gone)
		buf_add_str(out, ", no daemon is running");
}

/* A long title gives way to the state, up to a point. */
static void add_name(const struct reading *r, size_t room, struct buf *out)
{
	AUTO_BUF struct buf title = {0}, state = {0}, both = {0};
	size_t w;

	visible_line(&title, view_text(r->thread, "title"));
	add_state(r, &state);
	w = text_width(buf_text(&state));
	text_cut(&both, buf_text(&title), room > w + TITLE_LEAST ? room - w : room);
	visible_line(&both, buf_text(&state));
	text_cut(out, buf_text(&both), room);
}

static void add_header(const struct reading *r, const struct style *style, struct buf *out)
{
	AUTO_BUF struct buf name = {0};
	size_t used;

	add_name(r, style->width - 6, &name);
	used = 5 + text_width(buf_text(&name));
	add_rule(out, style, 3);
	buf_add_char(out, ' ');
	style_add(out, style, r->f->gone ? TINT_WARN : TINT_BOLD, buf_text(&name));
	buf_add_char(out, ' ');
	add_rule(out, style, style->width > used ? style->width - used : 0);
	buf_add_char(out, '\n');
}

/* --- messages --- */

static const char *line_of(const struct piece *p, size_t line)
{
	const char *at = buf_text(&p->text);

	for (; line; line--)
		at = strchr(at, '\n') + 1;
	return at;
}

/* The current message has a mark in front of its head, where the others have blanks. */
static void add_piece(const struct reading *r, size_t i, size_t from, size_t lines, struct buf *out)
{
	const struct piece *p = &r->pieces[i];
	const char *at = line_of(p, from);

	for (size_t line = from; line < from + lines; line++) {
		size_t len = strcspn(at, "\n");
		bool mark = i == r->at && line == p->head && len >= MESSAGE_INDENT;

		if (mark)
			buf_add_str(out, "> ");
		buf_add(out, at + (mark ? MESSAGE_INDENT : 0), len - (mark ? MESSAGE_INDENT : 0));
		buf_add_char(out, '\n');
		at += len + 1;
	}
}

static void add_messages(const struct reading *r, size_t room, struct buf *out)
{
	size_t i = top_piece(r), offset = r->count ? r->scroll.top - r->pieces[i].first : 0;

	for (; i < r->count && room; i++) {
		size_t lines = r->pieces[i].lines - offset;

		lines = lines < room ? lines : room;
		add_piece(r, i, offset, lines, out);
		room -= lines;
		offset = 0;
	}
	while (room--)
		buf_add_char(out, '\n');
}

static void format_place(const struct reading *r, struct buf *out)
{
	int64_t total = reading_total(r), behind = total - r->seen;

	if (behind > 0 && r->seen)
		buf_printf(out, "%" PRId64 " new below, G  ", behind);
	if (r->count)
		buf_printf(out, "%" PRId64 "/%" PRId64, r->pieces[r->at].seq, total);
}

/* Whoever is at the end has seen what is there. */
static void note_seen(struct reading *r)
{
	int64_t last = r->count ? r->pieces[r->count - 1].seq : 0;

	if (scroll_at_end(&r->scroll) && last > r->seen)
		r->seen = last;
}

void reading_draw(struct reading *r)
{
	AUTO_BUF struct buf out = {0}, place = {0};
	size_t lines;
	struct style style = face_style(r->f, &lines);
	bool low = lines < LOW;

	if (face_is_too_small(r->f))
		return;
	reading_layout(r);
	note_seen(r);
	format_place(r, &place);
	add_header(r, &style, &out);
	if (!low)
		buf_add_char(&out, '\n');
	add_messages(r, r->scroll.room, &out);
	if (!low) {
		add_rule(&out, &style, style.width);
		buf_add_char(&out, '\n');
	}
	add_footer(&out, r->f, &style, thread_hints, buf_text(&place));
	screen_draw(r->f->screen, &out);
}
