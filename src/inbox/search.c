/* search.c: messages that have the words, newest first; Enter opens the thread at the message. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "inbox/parts.h"

#define LIMIT 200
#define MINUTE 16
#define TITLE_MOST 28
#define NARROW 60 /* columns below which the date is left out */

struct search {
	struct face *f;
	const char *words;
	json_t *found;
	json_t *more; /* where the next page begins; NULL: there is none */
	struct choice choice;
};

/* clang-format off */
static const struct face_hint hints[] = {
	{"Enter", "open", "open the thread at this message"},
	{"↑ ↓", NULL, "choose; also j and k, PgUp and PgDn, Home and End, g and G"},
	{"?", "help", "this page"},
	{"q", "back", "back to the list; also Esc"},
	{"Ctrl-C", NULL, "leave"},
	{0},
};
/* clang-format on */

/* The first page, or the one behind what is there. */
static bool load(struct search *s)
{
	json_t *args = observer_args("words", s->words), *more;
	AUTO(json_decref) json_t *answer = NULL;

	json_put_int(args, "limit", LIMIT);
	if (s->more)
		json_put(args, "after", json_incref(s->more));
	if (!face_do(s->f, "inbox search", args, &answer))
		return false;
	if (!s->found)
		s->found = json_array();
	json_array_extend(s->found, json_object_get(answer, "messages"));
	more = json_object_get(answer, "more");
	json_decref(s->more);
	s->more = json_is_null(more) ? NULL : json_incref(more);
	return true;
}

static void move(struct search *s, int key)
{
	choice_key(&s->choice, key);
	if (s->more && s->choice.at + s->choice.scroll.room >= json_array_size(s->found))
		load(s);
}

/* "  2026-01-15 09:02  daily-git-sync  builder: Checked 12 repositories…" */
static void add_found(const struct search *s, const struct style *style, size_t i, struct buf *out)
{
	const json_t *m = json_array_get(s->found, i);
	struct style plain = *style;
	const struct style *in = i == s->choice.at ? &plain : style;
	AUTO_BUF struct buf when = {0}, what = {0};
	size_t title = style->width / 4 < TITLE_MOST ? style->width / 4 : TITLE_MOST, used = 2;

	plain.colour = false;
	add_minute(&when, s->f, m, "at");
	buf_printf(&what, "%s: ", view_author(m));
	if (*view_text(m, "title"))
		buf_printf(&what, "%s: ", view_text(m, "title"));
	buf_add_str(&what, view_text(m, "snippet"));
	add_chosen(out, style, i == s->choice.at);
	buf_add_str(out, i == s->choice.at ? "> " : "  ");
	if (style->width >= NARROW) {
		add_cell(out, in, TINT_DIM, buf_text(&when), MINUTE + 2);
		used += MINUTE + 2;
	}
	add_cell(out, in, TINT_BOLD, view_text(m, "thread_title"), title);
	add_blanks(out, 2);
	add_cell(out, in, TINT_NONE, buf_text(&what), style->width - used - title - 2);
	if (i == s->choice.at)
		add_chosen(out, style, false);
	buf_add_char(out, '\n');
}

static void draw(struct search *s)
{
	AUTO_BUF struct buf out = {0}, title = {0};
	size_t lines, count = json_array_size(s->found);
	struct style style = face_style(s->f, &lines);

	if (face_is_too_small(s->f))
		return;
	choice_fit(&s->choice, count, lines - 1 - footer_lines(s->f, &style));
	buf_printf(&title, "Search  %zu%s message%s with: %s", count, s->more ? "+" : "",
		   count == 1 ? "" : "s", s->words);
	add_cell(&out, &style, TINT_BOLD, buf_text(&title), style.width);
	buf_add_char(&out, '\n');
	for (size_t row = 0; row < s->choice.scroll.room; row++) {
		size_t i = s->choice.scroll.top + row;

		if (i < count)
			add_found(s, &style, i, &out);
		else
			buf_add_char(&out, '\n');
	}
	add_footer(&out, s->f, &style, hints, "");
	screen_draw(s->f->screen, &out);
}

static enum face_end open_chosen(struct search *s)
{
	const json_t *m = json_array_get(s->found, s->choice.at);

	return m ? thread_screen(s->f, view_text(m, "thread"), view_int(m, "seq")) : FACE_BACK;
}

/* Whether to go on; *end is how it ends. */
static bool step(struct search *s, enum face_end *end)
{
	int key;

	draw(s);
	key = face_key(s->f);
	if (key == KEY_ENTER || key == KEY_RIGHT)
		*end = open_chosen(s);
	else if (key == '?')
		face_help(s->f, "Keys of the search", hints);
	else if (key == KEY_CTRL_C || key == KEY_ENDED)
		*end = FACE_LEAVE;
	else
		move(s, key);
	return *end != FACE_LEAVE && key != 'q' && key != KEY_ESCAPE && key != KEY_LEFT;
}

enum face_end search_screen(struct face *f, const char *words)
{
	struct search s = {.f = f, .words = words, .choice = {.scroll = {.room = 1}}};
	enum face_end end = FACE_BACK;

	if (!load(&s))
		return FACE_BACK;
	if (!json_array_size(s.found))
		face_note(f, TINT_NONE, "no message has: %s", words);
	while (json_array_size(s.found) && step(&s, &end))
		;
	json_decref(s.found);
	json_decref(s.more);
	return end;
}
