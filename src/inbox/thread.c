/* thread.c: one thread on the screen: what the keys do, and what happens meanwhile. */
#include "inbox/thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ASKING_MOST 500 /* threads among which the next one is looked for */

/* clang-format off */
const struct face_hint thread_hints[] = {
	{"r", "reply", "answer in your editor; of several questions, the one that has the >"},
	{"R", NULL, "answer all open questions at once"},
	{"Tab", NULL, "the next question that waits for an answer, here or in the next thread"},
	{"u", "unread", "mark unread and go back"},
	{"a", "attach", "go on with the mission in this terminal"},
	{"e", "archive", "put the thread away and go back; a new message brings it back"},
	{"o", "open", "the whole message in your pager"},
	{"↑ ↓", NULL, "a line; also j and k"},
	{"PgUp PgDn", NULL, "a page; also b and Space"},
	{"Home End", NULL, "the first message, the last one; also g and G"},
	{"n p", NULL, "the next message, the one before; the current one has a >"},
	{"?", "help", "this page"},
	{"q", "back", "back to the list; also Esc"},
	{"Ctrl-C", NULL, "leave"},
	{0},
};
/* clang-format on */

/* --- moving --- */

static void show_current(struct reading *r)
{
	reading_layout(r);
	if (r->count)
		r->scroll.top = r->pieces[r->at].first;
	scroll_fit(&r->scroll, r->scroll.count, r->scroll.room);
	reading_keep_place(r);
}

/* The current message is one of those that are seen. */
static void follow(struct reading *r)
{
	size_t top = r->scroll.top, end = top + r->scroll.room;

	while (r->at + 1 < r->count && r->pieces[r->at].first + r->pieces[r->at].lines <= top + 1)
		r->at++;
	while (r->at > 0 && r->pieces[r->at].first >= end)
		r->at--;
}

/* Older ones are there before the first line comes into sight. */
static void load_around(struct reading *r, int key)
{
	if (key == KEY_HOME || key == 'g' || key == KEY_END || key == 'G')
		reading_load_ends(r, key == KEY_END || key == 'G');
	else if (r->scroll.top <= r->scroll.room)
		reading_load_older(r);
	if (r->scroll.top + 2 * r->scroll.room >= r->scroll.count)
		reading_load_newer(r);
	reading_layout(r);
}

static void move(struct reading *r, int key)
{
	load_around(r, key);
	if (!scroll_key(&r->scroll, key))
		return;
	follow(r);
	if (key == KEY_HOME || key == 'g')
		r->at = 0;
	if (scroll_at_end(&r->scroll) && (key == KEY_END || key == 'G') && r->count)
		r->at = r->count - 1;
	reading_keep_place(r);
}

static void step_message(struct reading *r, bool next)
{
	if (next && r->at + 1 >= r->count)
		reading_load_newer(r);
	if (!next && r->at == 0)
		reading_load_older(r);
	reading_layout(r);
	if (next && r->at + 1 < r->count)
		r->at++;
	else if (!next && r->at > 0)
		r->at--;
	if (r->count)
		scroll_show(&r->scroll, r->pieces[r->at].first, r->pieces[r->at].lines);
	reading_keep_place(r);
}

/* --- meanwhile --- */

/*
 * Whoever is at the end sees what comes, and has read it then. The mark goes along from the last
 * message only: put on a question above, it stays there.
 */
static void look(struct reading *r)
{
	bool at_end = scroll_at_end(&r->scroll), on_last = r->at + 1 >= r->count;
	int64_t last = r->count ? r->pieces[r->count - 1].seq : 0;

	reading_refresh(r);
	reading_layout(r);
	if (!at_end || !r->count || r->pieces[r->count - 1].seq == last)
		return;
	if (!on_last) {
		scroll_key(&r->scroll, KEY_END);
		follow(r);
	} else {
		while (r->at + 1 < r->count && r->pieces[r->at].seq <= last)
			r->at++;
		scroll_show(&r->scroll, r->pieces[r->at].first, r->pieces[r->at].lines);
	}
	reading_keep_place(r);
}

/* --- keys --- */

/* A request that ends the screen when it was done. */
static bool done(struct reading *r, const char *request)
{
	return face_do(r->f, request, observer_args("thread", r->id), NULL);
}

static void draw(void *data)
{
	reading_draw(data);
}

static void show_chosen(struct reading *r)
{
	reading_layout(r);
	scroll_show(&r->scroll, r->pieces[r->at].first, r->pieces[r->at].lines);
	reading_keep_place(r);
}

/* Behind the current one, then from the first: older ones are loaded until it is found. */
bool reading_next_question(struct reading *r)
{
	bool others = view_int(r->thread, "asks") > 1;

	if (!view_int(r->thread, "asks"))
		return false;
	for (;;) {
		size_t count = r->count;

		for (size_t i = 1; i + others <= r->count; i++) {
			size_t at = (r->at + i) % r->count;

			if (!question_is_open(r->pieces[at].message))
				continue;
			r->at = at;
			show_chosen(r);
			return true;
		}
		reading_load_newer(r);
		reading_load_older(r);
		if (r->count == count)
			return false;
	}
}

/*
 * The thread with a question that comes behind this one in the list, as that was when this one was
 * opened: an answer brings it to the top. Behind the last one it is the first again.
 */
static char *next_asking(struct reading *r)
{
	AUTO(json_decref) json_t *args = json_object(), *answer = NULL;
	const json_t *threads, *thread, *next = NULL;
	struct error err = {0};
	size_t i;

	json_put_bool(args, "asks", true);
	json_put_int(args, "limit", ASKING_MOST);
	if (face_ask(r->f, "inbox list", args, &answer, &err) <= 0)
		return NULL;
	threads = json_object_get(answer, "threads");
	json_array_foreach(threads, i, thread)
	{
		if (strcmp(view_text(thread, "id"), r->id) == 0)
			next = json_array_get(threads, i + 1);
		else if (!next && view_instant(thread, "last_at") <= r->place)
			next = thread;
	}
	if (!next)
		next = json_array_get(threads, 0);
	if (!next || strcmp(view_text(next, "id"), r->id) == 0)
		return NULL;
	return mem_strdup(view_text(next, "id"));
}

/* Whether to stay: the next question may be in another thread. */
static bool to_next_question(struct reading *r)
{
	bool here = r->count && question_is_open(r->pieces[r->at].message);

	if (view_int(r->thread, "asks") > here && reading_next_question(r))
		return true;
	r->next = next_asking(r);
	if (!r->next)
		face_note(r->f, TINT_NONE, "no further question waits for an answer");
	return !r->next;
}

/* Whether to stay. */
static bool thread_key(struct reading *r, int key, enum face_end *end)
{
	switch (key) {
	case 'q':
	case KEY_ESCAPE:
	case KEY_LEFT:
		return false;
	case KEY_CTRL_C:
	case KEY_ENDED:
		*end = FACE_LEAVE;
		return false;
	case 'u':
		return !done(r, "inbox unread");
	case 'e':
		return !face_archive(r->f, r->thread, draw, r);
	case 'r':
	case 'R':
		reading_reply(r, key == 'R');
		break;
	case KEY_TAB:
		return to_next_question(r);
	case KEY_PASTE:
		face_note(r->f, TINT_NONE, "what is pasted here is not taken for keys");
		break;
	case 'a':
		reading_attach(r);
		break;
	case 'o':
	case KEY_ENTER:
		reading_page(r);
		break;
	case 'n':
	case 'p':
		step_message(r, key == 'n');
		break;
	case '?':
		face_help(r->f, "Keys of a thread", thread_hints);
		break;
	default:
		move(r, key);
	}
	return true;
}

static bool step(struct reading *r, enum face_end *end)
{
	int key;

	reading_draw(r);
	if (scroll_at_end(&r->scroll) && r->seen >= reading_total(r))
		reading_mark(r);
	key = face_key(r->f);
	if (key == KEY_NONE)
		look(r);
	else if (key != KEY_RESIZED && !thread_key(r, key, end))
		return false;
	return !r->lost;
}

/* *ret_next: the thread that is read then, which the caller frees; or NULL. */
static enum face_end read_one(struct face *f, const char *thread, int64_t seq, char **ret_next)
{
	struct reading r = {.f = f, .id = thread, .scroll = {.room = 1}};
	enum face_end end = FACE_BACK;

	if (reading_open(&r, seq)) {
		r.place = view_instant(r.thread, "last_at");
		show_current(&r);
		r.seen = reading_total(&r);
		if (!seq)
			reading_mark(&r);
		while (step(&r, &end))
			;
	} else if (f->gone) {
		face_note(f, TINT_BAD, "no daemon is running (belfry daemon start)");
	}
	*ret_next = steal_ptr(&r.next);
	reading_fini(&r);
	return end;
}

enum face_end thread_screen(struct face *f, const char *thread, int64_t seq)
{
	AUTO(free) char *next = NULL;
	enum face_end end;

	mem_replace(&f->read, thread);
	end = read_one(f, f->read, seq, &next);
	while (next) {
		mem_replace(&f->read, next);
		free(steal_ptr(&next));
		end = read_one(f, f->read, 0, &next);
	}
	return end;
}
