/* list.c: threads on a screen of our own: what the keys do. */
#include "inbox/list.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* clang-format off */
const struct face_hint list_hints[] = {
	{"Enter", "open", "open the thread"},
	{"↑ ↓", NULL, "choose; also j and k, PgUp and PgDn, Home and End, g and G"},
	{"/", "filter", "only threads that have these letters, in this order"},
	{"s", "search", "look for words in all messages"},
	{"u", "unread", "mark unread, or read"},
	{"e", "archive", "put the thread away; a new message brings it back"},
	{"z", NULL, "bring back the thread that was put away last"},
	{"?", "help", "this page"},
	{"q", "quit", "leave; also Esc and Ctrl-C"},
	{0},
};
/* clang-format on */

static json_t *args_of(const char *id)
{
	return observer_args("thread", id);
}

static void toggle_unread(struct list *l)
{
	const json_t *t = list_chosen(l);

	if (t && face_do(l->f, view_int(t, "unread") ? "inbox read" : "inbox unread",
			 args_of(view_text(t, "id")), NULL))
		list_load(l);
}

static void archive(struct list *l)
{
	const json_t *t = list_chosen(l);

	if (!t || !face_do(l->f, "inbox archive", args_of(view_text(t, "id")), NULL))
		return;
	mem_replace(&l->last_archived, view_text(t, "id"));
	face_note(l->f, TINT_NONE, "put away: %s; z brings it back", view_text(t, "title"));
	list_load(l);
}

static void unarchive(struct list *l)
{
	if (!l->last_archived) {
		face_note(l->f, TINT_NONE, "nothing was put away just now");
	} else if (face_do(l->f, "inbox unarchive", args_of(l->last_archived), NULL)) {
		list_load(l);
		list_choose(l, l->last_archived);
		mem_replace(&l->last_archived, NULL);
	}
}

/* Words on the bottom line. False when the person thought better of it. */
static bool ask_words(struct list *l, struct buf *ret)
{
	struct entry filter = l->filter;
	enum entry_state state = ENTRY_OPEN;
	int key = KEY_NONE;

	l->filter = (struct entry){0};
	entry_begin(&l->filter, "search:");
	l->filtering = true;
	while (state == ENTRY_OPEN && key != KEY_ENDED) {
		list_draw(l);
		key = face_key(l->f);
		state = entry_key(&l->filter, key);
	}
	buf_add_str(ret, buf_text(&l->filter.text));
	entry_fini(&l->filter);
	l->filter = filter;
	l->filtering = false;
	return state == ENTRY_DONE && ret->len;
}

/* --- keys --- */

static enum face_end search(struct list *l)
{
	AUTO_BUF struct buf words = {0};

	return ask_words(l, &words) ? search_screen(l->f, buf_text(&words)) : FACE_BACK;
}

static enum face_end open_chosen(struct list *l)
{
	AUTO(free) char *id = mem_strdup(view_text(list_chosen(l), "id"));
	enum face_end end = *id ? thread_screen(l->f, id, 0) : FACE_BACK;

	list_load(l);
	return end;
}

static void begin_filter(struct list *l)
{
	entry_begin(&l->filter, "filter:");
	l->filtering = true;
	list_load_all(l);
	list_filter(l);
}

static void end_filter(struct list *l)
{
	AUTO(free) char *chosen = mem_strdup(view_text(list_chosen(l), "id"));

	entry_begin(&l->filter, NULL);
	l->filtering = false;
	list_filter(l);
	list_choose(l, chosen);
}

/* Arrows choose while it is typed, Enter opens what is chosen, Esc shows all again. */
static enum face_end filter_key(struct list *l, int key)
{
	enum entry_state state;

	if (key >= KEY_UP && key <= KEY_END) {
		choice_key(&l->choice, key);
		return FACE_BACK;
	}
	state = entry_key(&l->filter, key);
	if (state == ENTRY_CANCELLED) {
		end_filter(l);
	} else if (state == ENTRY_DONE) {
		l->filtering = false;
		return open_chosen(l);
	} else if (key < KEY_NONE || key == KEY_BACKSPACE) {
		l->choice.at = 0;
		list_filter(l);
	}
	return FACE_BACK;
}

static void move(struct list *l, int key)
{
	choice_key(&l->choice, key);
	if (l->choice.at + l->choice.scroll.room >= l->shown_count && !l->filter.text.len)
		list_load_more(l);
}

static enum face_end list_key(struct list *l, int key)
{
	switch (key) {
	case KEY_ENTER:
	case KEY_RIGHT:
		return open_chosen(l);
	case 's':
		return search(l);
	case '/':
		begin_filter(l);
		break;
	case 'u':
		toggle_unread(l);
		break;
	case 'e':
		archive(l);
		break;
	case 'z':
		unarchive(l);
		break;
	case '?':
		face_help(l->f, "Keys of the list", list_hints);
		break;
	case KEY_ESCAPE:
		if (!l->filter.text.len)
			return FACE_LEAVE;
		end_filter(l);
		break;
	case 'q':
	case KEY_CTRL_C:
		return FACE_LEAVE;
	default:
		move(l, key);
	}
	return FACE_BACK;
}

static enum face_end step(struct list *l)
{
	int key;

	list_draw(l);
	key = face_key(l->f);
	if (key == KEY_ENDED)
		return FACE_LEAVE;
	if (key == KEY_NONE)
		list_load(l);
	if (key == KEY_NONE || key == KEY_RESIZED)
		return FACE_BACK;
	return l->filtering ? filter_key(l, key) : list_key(l, key);
}

enum face_end list_screen(struct face *f)
{
	struct list l = {.f = f, .choice = {.scroll = {.room = 1}}};
	enum face_end end = FACE_BACK;

	list_load(&l);
	while (end == FACE_BACK)
		end = step(&l);
	list_fini(&l);
	return end;
}
