/*
 * face.c: what the screens of the inbox share.
 * Nothing is shown of what the daemon answers before it went through visible_line(): titles, names
 * and errors have words of agents in them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/start.h"
#include "inbox/parts.h"

#define LINES_LEAST 5
#define COLUMNS_LEAST 20
#define NOTE_LINES 3
#define HELP_KEY 12    /* columns of a key */
#define RIGHT_LEAST 20 /* columns left for the keys beside what is at the right */

int face_open(const struct cli *c, struct face *f, struct error *err)
{
	*f = (struct face){.c = c, .observer = {c->home, c->zone, NULL}};
	return screen_open(&f->screen, err);
}

void face_close(struct face *f)
{
	observer_fini(&f->observer);
	screen_close(f->screen);
	f->screen = NULL;
}

/* --- asking --- */

/* Whoever forbade the daemon is answered by the store, which is let go of at once. */
static int ask_here(const struct face *f, const char *request, const json_t *args, json_t **ret,
		    struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	int r = session_open(f->c->home, f->c->zone, false, &s, err);

	if (r == 0)
		r = session_ask(s, request, args, ret, err);
	return r < 0 ? r : 1;
}

int face_ask(struct face *f, const char *request, const json_t *args, json_t **ret,
	     struct error *err)
{
	int r = observer_ask(&f->observer, request, args, ret, err);

	if (r == 0 && start_is_forbidden())
		r = ask_here(f, request, args, ret, err);
	f->gone = r == 0;
	return r;
}

bool face_do(struct face *f, const char *request, json_t *args, json_t **ret)
{
	AUTO(json_decref) json_t *owned = args, *result = NULL;
	struct error err = {0};
	int r = face_ask(f, request, owned, &result, &err);

	if (r < 0)
		face_note_error(f, &err);
	else if (r == 0)
		face_note(f, TINT_BAD, "no daemon is running: nothing was done");
	if (r > 0 && ret)
		*ret = steal_ptr(&result);
	return r > 0;
}

void face_note(struct face *f, enum tint tint, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->note, sizeof(f->note), fmt, ap);
	va_end(ap);
	f->note_tint = tint;
}

void face_note_error(struct face *f, const struct error *err)
{
	face_note(f, TINT_BAD, "%s%s%s%s", err->message, *err->hint ? " (" : "", err->hint,
		  *err->hint ? ")" : "");
}

int face_key(struct face *f)
{
	usec_t left = f->look_at - clock_monotonic();
	int key = left > 0 ? screen_key(f->screen, (int)(left / USEC_PER_MSEC) + 1)
			   : screen_key(f->screen, 0);

	if (key == KEY_NONE)
		f->look_at = clock_monotonic() + FACE_LOOK_MS * USEC_PER_MSEC;
	else if (key != KEY_RESIZED)
		f->note[0] = '\0';
	return key;
}

/* --- pictures --- */

struct style face_style(const struct face *f, size_t *ret_lines)
{
	struct style style = style_of(1);

	screen_size(f->screen, ret_lines, &style.width);
	return style;
}

bool face_is_too_small(struct face *f)
{
	AUTO_BUF struct buf out = {0};
	size_t lines;
	struct style style = face_style(f, &lines);

	if (lines >= LINES_LEAST && style.width >= COLUMNS_LEAST)
		return false;
	text_cut(&out, "too small", style.width);
	screen_draw(f->screen, &out);
	return true;
}

void add_blanks(struct buf *out, size_t count)
{
	buf_printf(out, "%*s", (int)count, "");
}

void add_cell(struct buf *out, const struct style *style, enum tint tint, const char *text,
	      size_t width)
{
	AUTO_BUF struct buf line = {0}, shown = {0};
	size_t used;

	visible_line(&line, text);
	text_cut(&shown, buf_text(&line), width);
	used = text_width(buf_text(&shown));
	style_add(out, style, tint, buf_text(&shown));
	add_blanks(out, width > used ? width - used : 0);
}

void add_rule(struct buf *out, const struct style *style, size_t width)
{
	AUTO_BUF struct buf rule = {0};

	while (width--)
		buf_add_str(&rule, "─");
	style_add(out, style, TINT_DIM, buf_text(&rule));
}

void add_chosen(struct buf *out, const struct style *style, bool on)
{
	if (style->colour)
		buf_add_str(out, on ? "\033[7m" : "\033[0m");
}

void add_minute(struct buf *out, const struct face *f, const json_t *o, const char *key)
{
	struct view v = cli_view(f->c, out);
	char text[INSTANT_TEXT_MAX];

	view_minute(&v, view_instant(o, key), text);
	buf_add_str(out, text);
}

/* Help and the way out are always there. */
static bool is_kept(const struct face_hint *h)
{
	return strcmp(h->key, "?") == 0 || strcmp(h->key, "q") == 0;
}

/* With the gap in front of it; 0 for one that only the help has. */
static size_t hint_width(const struct face_hint *h)
{
	return h->words ? text_width(h->key) + text_width(h->words) + 3 : 0;
}

/* As many as fit: a hint that is cut helps nobody, and the help has them all. */
static void add_hints(struct buf *out, const struct style *style, const struct face_hint *hints,
		      size_t room)
{
	size_t used = 0, kept = 0;

	for (const struct face_hint *h = hints; h->key; h++)
		kept += is_kept(h) ? hint_width(h) : 0;
	for (; hints->key; hints++) {
		size_t w = hint_width(hints);

		kept -= is_kept(hints) ? w : 0;
		if (!w || used + w + kept > room + 2)
			continue;
		add_blanks(out, used ? 2 : 0);
		style_add(out, style, TINT_BOLD, hints->key);
		buf_add_char(out, ' ');
		style_add(out, style, TINT_DIM, hints->words);
		used += w;
	}
	add_blanks(out, room + 2 > used ? room + 2 - used : 0);
}

/* The note's lines, cut at their number. */
static size_t fill_note(const struct face *f, size_t width, struct buf *ret)
{
	AUTO_BUF struct buf clean = {0}, filled = {0};
	size_t lines = 0;
	char *rest;

	visible_line(&clean, f->note);
	text_fill(&filled, buf_text(&clean), 0, 0, width);
	for (char *line = strtok_r(filled.data, "\n", &rest); line && lines < NOTE_LINES;
	     line = strtok_r(NULL, "\n", &rest), lines++) {
		buf_add_str(ret, lines ? "\n" : "");
		text_cut(ret, line, width);
	}
	return lines;
}

size_t footer_lines(const struct face *f, const struct style *style)
{
	AUTO_BUF struct buf unused = {0};

	return *f->note ? fill_note(f, style->width, &unused) : 1;
}

static void add_note(struct buf *out, const struct face *f, const struct style *style)
{
	AUTO_BUF struct buf note = {0};
	char *rest;

	fill_note(f, style->width, &note);
	for (char *line = strtok_r(note.data, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		style_add(out, style, f->note_tint, line);
		buf_add_str(out, *rest ? "\n" : "");
	}
}

void add_footer(struct buf *out, const struct face *f, const struct style *style,
		const struct face_hint *hints, const char *right)
{
	size_t width = text_width(right);

	if (*f->note) {
		add_note(out, f, style);
		return;
	}
	/* On a narrow screen the keys matter more. */
	if (width + RIGHT_LEAST > style->width)
		width = 0;
	add_hints(out, style, hints, style->width - width - (width ? 2 : 0));
	if (width) {
		add_blanks(out, 2);
		style_add(out, style, TINT_DIM, right);
	}
}

static void draw_help(const struct face *f, const char *title, const struct face_hint *hints)
{
	AUTO_BUF struct buf out = {0};
	size_t lines, line = 2;
	struct style style = face_style(f, &lines);

	add_cell(&out, &style, TINT_BOLD, title, style.width);
	buf_add_str(&out, "\n");
	for (; hints->key && line < lines; hints++, line++) {
		add_blanks(&out, 2);
		add_cell(&out, &style, TINT_BOLD, hints->key, HELP_KEY);
		add_cell(&out, &style, TINT_NONE, hints->more, style.width - HELP_KEY - 2);
		buf_add_char(&out, '\n');
	}
	add_cell(&out, &style, TINT_DIM, "any key goes back", style.width);
	screen_draw(f->screen, &out);
}

void face_help(struct face *f, const char *title, const struct face_hint *hints)
{
	int key;

	do {
		draw_help(f, title, hints);
		key = screen_key(f->screen, FACE_LOOK_MS);
	} while (key == KEY_NONE || key == KEY_RESIZED);
}
