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
	{"Tab", "question", "the next thread that waits for your answer"},
	{"n", NULL, "the next thread with something unread"},
	{"e", "archive", "put the thread away; a new message brings it back"},
	{"z", NULL, "bring back what was put away last, then what was before it"},
	{"v", NULL, "what was put away, and back; e brings a thread back from there"},
	{"?", "help", "this page"},
	{"q", "quit", "leave; also Esc and Ctrl-C"},
	{0},
};

/* Of what was put away: the same keys, but for what they do there. */
const struct face_hint list_archived_hints[] = {
	{"Enter", "open", "open the thread"},
	{"↑ ↓", NULL, "choose; also j and k, PgUp and PgDn, Home and End, g and G"},
	{"/", "filter", "only threads that have these letters, in this order"},
	{"s", "search", "look for words in all messages"},
	{"u", "unread", "mark unread, or read"},
	{"Tab", NULL, "the next thread that waits for your answer"},
	{"n", NULL, "the next thread with something unread"},
	{"e", "bring back", "the thread is in the inbox again"},
	{"v", "inbox", "back to the inbox; also Esc"},
	{"?", "help", "this page"},
	{"q", "quit", "leave; also Ctrl-C"},
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
	AUTO(free) char *id = mem_strdup(view_text(t, "id"));

	if (t &&
	    face_do(l->f, view_int(t, "unread") ? "inbox read" : "inbox unread", args_of(id), NULL))
		list_update(l, id);
}

static void draw(void *data)
{
	list_draw(data);
}

static void archive(struct list *l)
{
	const json_t *t = list_chosen(l);
	AUTO(free) char *id = mem_strdup(view_text(t, "id"));

	if (t && json_is_true(json_object_get(t, "archived"))) {
		if (face_do(l->f, "inbox unarchive", args_of(id), NULL))
			face_note(l->f, TINT_NONE, "back in the inbox: %s", view_text(t, "title"));
		list_update(l, id);
	} else if (t && face_archive(l->f, t, draw, l)) {
		list_update(l, id);
	}
}

static void unarchive(struct list *l)
{
	AUTO(free) char *id = NULL;

	if (!face_unarchive(l->f, &id))
		return;
	list_load(l);
	list_choose(l, id);
}

static void change_view(struct list *l)
{
	l->archived = !l->archived;
	json_decref(l->threads);
	json_decref(l->more);
	json_decref(l->asking);
	l->threads = l->more = l->asking = NULL;
	l->shown_count = 0;
	l->choice.at = 0;
	list_load(l);
}

/* A question that was put away is reached, too. */
static void next_question(struct list *l, bool landed)
{
	/* The cursor came to it by itself, so it has not been passed over yet. */
	if (landed && view_int(list_chosen(l), "asks")) {
		face_note(l->f, TINT_NONE, "this is the next question");
		return;
	}
	if (list_choose_next(l, "asks"))
		return;
	if (!l->asks) {
		face_note(l->f, TINT_NONE, "nobody waits for an answer");
		return;
	}
	change_view(l);
	if (list_choose_next(l, "asks"))
		face_note(l->f, TINT_NONE,
			  l->archived ? "this one was put away; v goes back" : "back in the inbox");
}

static void next_unread(struct list *l)
{
	bool found = list_choose_next(l, "unread");

	for (size_t before = 0; !found && l->more && json_array_size(l->threads) > before;) {
		before = json_array_size(l->threads);
		list_load_more(l);
		found = list_choose_next(l, "unread");
	}
	if (!found)
		face_note(l->f, TINT_NONE, "nothing is unread here");
}

/* Words on the bottom line. False when the person thought better of it. */
static bool ask_words(struct list *l, struct buf *ret)
{
	struct entry filter = l->filter;
	bool given;

	l->filter = (struct entry){0};
	l->filtering = true;
	given = face_words(l->f, &l->filter, "search:", draw, l);
	buf_add_str(ret, buf_text(&l->filter.text));
	entry_fini(&l->filter);
	l->filter = filter;
	l->filtering = false;
	return given;
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
	AUTO(json_decref) json_t *before = list_shown(l);
	enum face_end end = *id ? thread_screen(l->f, id, 0) : FACE_BACK;

	if (!*id || end != FACE_BACK)
		return end;
	list_update(l, id);
	if (strcmp(l->f->read, id) != 0)
		list_update(l, l->f->read);
	l->landed = list_come_back(l, before, l->f->read);
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
	if (key == KEY_PASTE)
		entry_paste(&l->filter, screen_pasted(l->f->screen));
	state = entry_key(&l->filter, key);
	if (state == ENTRY_CANCELLED) {
		end_filter(l);
	} else if (state == ENTRY_DONE) {
		l->filtering = false;
		return open_chosen(l);
	} else if (key < KEY_NONE || key == KEY_BACKSPACE || key == KEY_CTRL_U ||
		   key == KEY_CTRL_W || key == KEY_PASTE) {
		l->choice.at = 0;
		list_filter(l);
	}
	return FACE_BACK;
}

static void move(struct list *l, int key)
{
	if ((key == KEY_END || key == 'G') && !l->filter.text.len)
		list_load_all(l);
	choice_key(&l->choice, key);
	if (l->choice.at + l->choice.scroll.room >= l->shown_count && !l->filter.text.len)
		list_load_more(l);
}

static enum face_end list_key(struct list *l, int key)
{
	bool landed = l->landed;

	l->landed = false;
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
	case 'v':
		change_view(l);
		break;
	case 'n':
		next_unread(l);
		break;
	case KEY_TAB:
		next_question(l, landed);
		break;
	case KEY_PASTE:
		face_note(l->f, TINT_NONE, "what is pasted here is not taken for keys");
		break;
	case '?':
		face_help(l->f, "Keys of the list", l->archived ? list_archived_hints : list_hints);
		break;
	case KEY_ESCAPE:
		if (!l->filter.text.len && !l->archived)
			return FACE_LEAVE;
		if (l->filter.text.len)
			end_filter(l);
		else
			change_view(l);
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

enum face_end list_screen(struct face *f, bool archived)
{
	struct list l = {.f = f, .archived = archived, .choice = {.scroll = {.room = 1}}};
	enum face_end end = FACE_BACK;

	list_load(&l);
	while (end == FACE_BACK)
		end = step(&l);
	list_fini(&l);
	return end;
}
