/*
 * face.c: what the screens of the inbox share.
 * Nothing is shown of what the daemon answers before it went through visible_line(): titles, names
 * and errors have words of agents in them.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
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
	json_decref(f->put_away);
	free(f->read);
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

/* Words on the bottom line of whatever is drawn; false when the person thought better of it. */
bool face_words(struct face *f, struct entry *entry, const char *label, void (*draw)(void *),
		void *data)
{
	enum entry_state state = ENTRY_OPEN;
	int key = KEY_NONE;

	entry_begin(entry, label);
	while (state == ENTRY_OPEN && key != KEY_ENDED) {
		draw(data);
		key = face_key(f);
		if (key == KEY_PASTE)
			entry_paste(entry, screen_pasted(f->screen));
		state = entry_key(entry, key);
	}
	return state == ENTRY_DONE && entry->text.len;
}

bool face_unarchive(struct face *f, char **ret)
{
	size_t last = json_array_size(f->put_away);
	const json_t *t = json_array_get(f->put_away, last ? last - 1 : 0);

	if (!last) {
		face_note(f, TINT_NONE, "nothing was put away just now; v shows what is archived");
		return false;
	}
	if (!face_do(f, "inbox unarchive", observer_args("thread", view_text(t, "id")), NULL))
		return false;
	*ret = mem_strdup(view_text(t, "id"));
	face_note(f, TINT_NONE, "brought back: %s", view_text(t, "title"));
	json_array_remove(f->put_away, last - 1);
	return true;
}

int face_choice(struct face *f, const char *keys, void (*draw)(void *), void *data)
{
	int key;

	do {
		draw(data);
		key = screen_key(f->screen, FACE_LOOK_MS);
		if (key == KEY_CTRL_C || key == KEY_ENDED)
			key = KEY_ESCAPE;
	} while (key != KEY_ESCAPE && (key <= 0 || key >= 0x80 || !strchr(keys, key)));
	f->note[0] = '\0';
	return key;
}

bool face_archive(struct face *f, const json_t *thread, void (*draw)(void *), void *data)
{
	json_t *args = observer_args("thread", view_text(thread, "id"));
	int64_t asks = view_int(thread, "asks");

	if (asks) {
		face_note(f, TINT_WARN,
			  "%" PRId64
			  " question%s for your answer: [y] puts it away all the same, Esc "
			  "leaves it here",
			  asks, asks == 1 ? " waits" : "s wait");
		if (face_choice(f, "y", draw, data) != 'y') {
			json_decref(args);
			return false;
		}
		json_put_bool(args, "force", true);
	}
	if (!face_do(f, "inbox archive", args, NULL))
		return false;
	if (!f->put_away)
		f->put_away = json_array();
	json_array_append(f->put_away, (json_t *)(uintptr_t)thread);
	face_note(f, TINT_NONE, "put away: %s; z brings it back", view_text(thread, "title"));
	return true;
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
