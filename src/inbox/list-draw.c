/*
 * list-draw.c: the list of threads as a picture.
 *
 *	Inbox  3 unread, 1 question
 *
 *	> [3 unread]  ? daily-git-sync  2026-01-15 09:02  Checked 12 repositories…
 *	                weekly-review   2026-01-14 10:00  You: Looks good
 *
 * Where it is wide the chosen thread's last messages are beside it, where it is high below it. What
 * does not fit goes in this order: the preview, the date, the words of the count.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "inbox/list.h"

#define WIDE 140 /* columns from which the messages are beside the list */
#define HIGH 30	 /* lines from which they are below it */
#define LOW 10	 /* lines below which nothing is left empty */
#define GAP 2
#define MARK 2 /* "> " */
#define TITLE_MOST 32
#define TITLE_USUAL 16
#define TITLE_LEAST 10
#define PREVIEW_LEAST 12
#define MINUTE 16      /* "2026-01-15 09:02" */
#define MINUTE_SHORT 5 /* "09:02", "01-15" */
#define BADGE_MAX 32

struct columns {
	size_t badge, ask, title, time, preview; /* 0: left out */
	bool short_badge;
};

struct frame {
	size_t lines, columns;
	size_t top;		      /* lines above the rows */
	size_t rows, width;	      /* of the list */
	size_t pane_rows, pane_width; /* 0: no room for messages */
	bool beside;
};

static struct frame frame_of(size_t lines, size_t columns, size_t bottom)
{
	struct frame f = {.lines = lines, .columns = columns, .top = lines < LOW ? 1 : 2};
	size_t frame = f.top + bottom + (lines < LOW ? 0 : 1);
	size_t room = lines > frame ? lines - frame : 1;

	f.rows = room;
	f.width = columns;
	if (columns >= WIDE) {
		f.beside = true;
		f.width = columns * 45 / 100;
		f.pane_width = columns - f.width - 3;
		f.pane_rows = room;
	} else if (lines >= HIGH) {
		f.rows = room * 2 / 5;
		f.pane_rows = room - f.rows - 1;
		f.pane_width = columns;
	}
	return f;
}

/* --- one thread --- */

static void format_badge(const json_t *thread, bool is_short, char *ret)
{
	int64_t unread = view_int(thread, "unread");

	*ret = '\0';
	if (unread > 0)
		snprintf(ret, BADGE_MAX, is_short ? "(%" PRId64 ")" : "[%" PRId64 " unread]",
			 unread);
}

static size_t widest_badge(const struct list *l, bool is_short)
{
	size_t most = 0;

	for (size_t i = 0; i < l->shown_count; i++) {
		char badge[BADGE_MAX];

		format_badge(l->shown[i], is_short, badge);
		most = strlen(badge) > most ? strlen(badge) : most;
	}
	return most;
}

static size_t widest_title(const struct list *l, size_t width)
{
	size_t most = TITLE_LEAST, limit = width * 3 / 10;

	for (size_t i = 0; i < l->shown_count; i++) {
		AUTO_BUF struct buf title = {0};
		size_t w;

		visible_line(&title, view_text(l->shown[i], "title"));
		w = text_width(buf_text(&title));
		most = w > most ? w : most;
	}
	limit = limit > TITLE_MOST ? TITLE_MOST : limit < TITLE_USUAL ? TITLE_USUAL : limit;
	return most < limit ? most : limit;
}

static size_t taken(const struct columns *c)
{
	return MARK + (c->badge ? c->badge + GAP : 0) + c->ask + c->title +
	       (c->time ? c->time + GAP : 0) + (c->preview ? c->preview + GAP : 0);
}

/* Each part that is too much goes, until the title has what it needs. */
static struct columns columns_of(const struct list *l, size_t width)
{
	size_t title = widest_title(l, width);
	struct columns c = {widest_badge(l, false), l->asks ? 2 : 0, title, MINUTE, 0, false};

	if (taken(&c) > width)
		c.title = title < width / 3	    ? title
			  : width / 3 > TITLE_LEAST ? width / 3
						    : TITLE_LEAST;
	if (taken(&c) > width) {
		c.short_badge = true;
		c.badge = widest_badge(l, true);
		c.time = MINUTE_SHORT;
		c.title = title;
	}
	if (taken(&c) > width && width < 2 * TITLE_LEAST + MINUTE_SHORT + 8)
		c.time = 0;
	if (taken(&c) > width) {
		size_t rest = taken(&c) - c.title;

		c.title = width > rest + 1 ? width - rest : 1;
	}
	if (width >= taken(&c) + GAP + PREVIEW_LEAST)
		c.preview = width - taken(&c) - GAP;
	else if (width > taken(&c))
		c.title += width - taken(&c);
	return c;
}

/* Today's threads say the time, others the day. */
static void format_time(const struct list *l, const json_t *thread, size_t room, struct buf *out)
{
	AUTO_BUF struct buf then = {0}, now = {0};
	struct view v = cli_view(l->f->c, &now);
	char today[INSTANT_TEXT_MAX];

	add_minute(&then, l->f, thread, "last_at");
	view_minute(&v, v.now, today);
	if (room >= MINUTE || then.len != MINUTE)
		buf_add_str(out, buf_text(&then));
	else if (strncmp(buf_text(&then), today, strlen("2026-01-15")) == 0)
		buf_add_str(out, buf_text(&then) + strlen("2026-01-15 "));
	else
		buf_printf(out, "%.5s", buf_text(&then) + strlen("2026-"));
}

static void add_preview(const json_t *thread, struct buf *out)
{
	if (strcmp(view_text(thread, "last_sender"), "person") == 0)
		buf_add_str(out, "You: ");
	buf_add_str(out, view_text(thread, "preview"));
}

/* Exactly `width` columns. */
static void add_thread(const struct list *l, const struct style *style, const json_t *thread,
		       bool chosen, const struct columns *c, size_t width, struct buf *out)
{
	/* Inside the reversed line no colour may end it. */
	struct style plain = *style;
	const struct style *in = chosen ? &plain : style;
	AUTO_BUF struct buf time = {0}, preview = {0};
	bool unread = view_int(thread, "unread") > 0;
	char badge[BADGE_MAX];

	plain.colour = false;
	format_badge(thread, c->short_badge, badge);
	format_time(l, thread, c->time, &time);
	add_preview(thread, &preview);
	add_chosen(out, style, chosen);
	buf_add_str(out, chosen ? "> " : "  ");
	if (c->badge) {
		add_cell(out, in, TINT_GOOD, badge, c->badge);
		add_blanks(out, GAP);
	}
	if (c->ask)
		add_cell(out, in, TINT_WARN, view_int(thread, "asks") ? "?" : "", c->ask);
	add_cell(out, in, unread ? TINT_BOLD : TINT_NONE, view_text(thread, "title"), c->title);
	if (c->time) {
		add_blanks(out, GAP);
		add_cell(out, in, TINT_DIM, buf_text(&time), c->time);
	}
	if (c->preview) {
		add_blanks(out, GAP);
		add_cell(out, in, unread ? TINT_NONE : TINT_DIM, buf_text(&preview), c->preview);
	}
	add_blanks(out, width > taken(c) ? width - taken(c) : 0);
	if (chosen)
		add_chosen(out, style, false);
}

/* --- the chosen thread's last messages --- */

/* From its newest message on, or from further above where there is room. */
static const char *pane_start(const struct list *l, const struct style *style, size_t rows,
			      struct buf *text)
{
	size_t count = json_array_size(l->peeked), newest = 0, total, skip;
	const char *p;

	for (size_t i = 0; i < count; i++) {
		newest = count_lines(text);
		message_render(l->f, style, json_array_get(l->peeked, i), false, text);
	}
	total = count_lines(text);
	skip = total > rows ? total - rows : 0;
	skip = skip < newest ? skip : newest;
	p = buf_text(text);
	for (; skip; skip--)
		p = strchr(p, '\n') + 1;
	return p;
}

static void add_pane_line(struct buf *out, const char **at)
{
	size_t len = strcspn(*at, "\n");

	buf_add(out, *at, len);
	*at += len + ((*at)[len] == '\n');
}

/* --- all of it --- */

static void add_title(const struct list *l, const struct style *style, struct buf *out)
{
	AUTO_BUF struct buf words = {0};
	const char *label = l->archived ? "Archived" : "Inbox";
	bool bad = l->f->gone;

	if (bad)
		buf_add_str(&words, "no daemon is running (belfry daemon start)");
	else if (!l->loaded)
		buf_add_str(&words, "…");
	else if (l->archived) /* the sums are the inbox's */
		buf_printf(&words, "%zu%s thread%s", l->shown_count, l->more ? "+" : "",
			   l->shown_count == 1 ? "" : "s");
	else if (l->unread || l->asks)
		buf_printf(&words, "%" PRId64 " unread", l->unread);
	else
		buf_add_str(&words, "nothing unread");
	if (!bad && l->asks && !l->archived)
		buf_printf(&words, ", %" PRId64 " question%s", l->asks, l->asks == 1 ? "" : "s");
	style_add(out, style, TINT_BOLD, label);
	add_blanks(out, GAP);
	add_cell(out, style, bad ? TINT_WARN : TINT_NONE, buf_text(&words),
		 style->width - strlen(label) - GAP);
	buf_add_char(out, '\n');
}

static const char *words_for_none(const struct list *l)
{
	if (!l->loaded)
		return "";
	if (l->filter.text.len)
		return l->more ? "nothing fits of what is loaded; Esc, then s searches everything"
			       : "nothing fits; Esc shows all threads";
	return l->archived ? "Nothing was put away; v goes back."
			   : "No messages. Agents write here with: belfry message send";
}

/* One line of the list, with the messages beside it where they are. */
static void add_row(const struct list *l, const struct style *style, const struct frame *f,
		    const struct columns *c, size_t row, const char **pane, struct buf *out)
{
	size_t i = l->choice.scroll.top + row;

	if (i < l->shown_count)
		add_thread(l, style, l->shown[i], i == l->choice.at, c, f->width, out);
	else
		add_cell(out, style, TINT_DIM, row == 0 ? words_for_none(l) : "", f->width);
	if (f->beside) {
		style_add(out, style, TINT_DIM, " │ ");
		add_pane_line(out, pane);
	}
	buf_add_char(out, '\n');
}

static void add_bottom(const struct list *l, const struct style *style, struct buf *out)
{
	AUTO_BUF struct buf right = {0};

	if (l->filtering) {
		add_entry(out, &l->filter, style);
		return;
	}
	if (l->filter.text.len)
		buf_printf(&right, "%zu of %zu%s fit", l->shown_count, json_array_size(l->threads),
			   l->more ? "+" : "");
	else if (l->shown_count > l->choice.scroll.room)
		buf_printf(&right, "%zu/%zu%s", l->choice.at + 1, l->shown_count,
			   l->more ? "+" : "");
	add_footer(out, l->f, style, l->archived ? list_archived_hints : list_hints,
		   buf_text(&right));
}

void list_draw(struct list *l)
{
	AUTO_BUF struct buf out = {0}, text = {0};
	size_t lines;
	struct style style = face_style(l->f, &lines), narrow = style;
	struct frame f;
	struct columns c;
	const char *pane = "";

	if (face_is_too_small(l->f))
		return;
	f = frame_of(lines, style.width, l->filtering ? 1 : footer_lines(l->f, &style));
	choice_fit(&l->choice, l->shown_count, f.rows);
	c = columns_of(l, f.width);
	narrow.width = f.pane_width;
	if (f.pane_rows && l->shown_count) {
		list_peek(l);
		pane = pane_start(l, &narrow, f.pane_rows, &text);
	}
	add_title(l, &style, &out);
	if (f.top > 1)
		buf_add_char(&out, '\n');
	for (size_t row = 0; row < f.rows; row++)
		add_row(l, &style, &f, &c, row, &pane, &out);
	if (f.pane_rows && !f.beside) {
		add_rule(&out, &style, style.width);
		buf_add_char(&out, '\n');
		for (size_t row = 0; row < f.pane_rows; row++) {
			add_pane_line(&out, &pane);
			buf_add_char(&out, '\n');
		}
	}
	if (lines >= LOW)
		buf_add_char(&out, '\n');
	add_bottom(l, &style, &out);
	screen_draw(l->f->screen, &out);
}
