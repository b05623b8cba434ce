/*
 * inbox.c: the inbox on a terminal: which of its faces, and what follows what.
 * A daemon is started for whoever opens it, as for every other command, but only then: one that is
 * stopped while the inbox is open was meant to be, and the inbox waits until there is one again.
 */
#include "inbox/inbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "inbox/parts.h"
#include "terminal/program.h"

/* Without somebody to show it to it is the plain command. */
static int as_command(const struct cli *c, const char *thread, struct error *err)
{
	AUTO(json_decref) json_t *args = thread ? observer_args("thread", thread) : json_object();
	struct cli plain = *c;
	cli_command *own;

	plain.row = request_find(thread ? "inbox show" : "inbox list");
	plain.args = args;
	own = cli_own_command(&plain);
	return own ? own(&plain, err) : cmd_request(&plain, err);
}

/* The whole id of a thread that a person named, or why there is none. */
static int find_thread(const struct cli *c, const char *ref, char **ret, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("thread", ref), *answer = NULL;
	int r;

	json_put_bool(args, "peek", true);
	json_put_int(args, "last", 1);
	r = cli_ask(c, "inbox show", args, &answer, err);
	if (r == 0)
		*ret = mem_strdup(view_text(json_object_get(answer, "thread"), "id"));
	return r;
}

static int start(const struct cli *c, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;

	return session_open(c->home, c->zone, true, &s, err);
}

/* One thread, and then the list; or just the one, where another program shows the list. */
static int on_screen(const struct cli *c, const char *thread, bool list, enum face_end *end,
		     struct error *err)
{
	struct face f;
	int r = face_open(c, &f, err);

	if (r < 0)
		return r;
	*end = thread ? thread_screen(&f, thread, 0) : FACE_BACK;
	if (*end == FACE_BACK && list)
		*end = list_screen(&f, false);
	face_close(&f);
	return 0;
}

/* --- what fzf's keys ask for --- */

struct words_screen {
	struct face *f;
	struct entry entry;
};

static void draw_words(void *data)
{
	struct words_screen *w = data;
	AUTO_BUF struct buf out = {0};
	size_t lines;
	struct style style = face_style(w->f, &lines);

	while (--lines)
		buf_add_char(&out, '\n');
	if (w->entry.label)
		add_entry(&out, &w->entry, &style);
	else
		add_footer(&out, w->f, &style, (const struct face_hint[]){{0}}, "");
	screen_draw(w->f->screen, &out);
}

static enum face_end search(struct face *f)
{
	struct words_screen w = {.f = f};
	enum face_end end = FACE_BACK;

	if (face_words(f, &w.entry, "search:", draw_words, &w))
		end = search_screen(f, buf_text(&w.entry.text));
	entry_fini(&w.entry);
	return end;
}

static void change(struct face *f, const char *thread, enum list_wish wish)
{
	struct words_screen w = {.f = f};
	json_t *args = observer_args("thread", thread);
	AUTO(json_decref) json_t *shown = NULL;
	const json_t *t;

	json_put_int(args, "last", 1);
	if (!face_do(f, "inbox show", args, &shown))
		return;
	t = json_object_get(shown, "thread");
	if (wish == LIST_ARCHIVE)
		face_archive(f, t, draw_words, &w);
	else if (face_do(f, view_int(t, "unread") ? "inbox read" : "inbox unread",
			 observer_args("thread", view_text(t, "id")), NULL))
		face_note(f, TINT_NONE, "%s: %s", view_int(t, "unread") ? "read" : "unread",
			  view_text(t, "title"));
}

/* What was put away stays known from one time to the next. */
static int obey(const struct cli *c, struct list_memory *memory, const char *thread,
		enum list_wish wish, enum face_end *end, struct error *err)
{
	AUTO(free) char *back = NULL;
	struct face f;
	int r = face_open(c, &f, err);

	if (r < 0)
		return r;
	f.put_away = steal_ptr(&memory->put_away);
	if (wish == LIST_SEARCH)
		*end = search(&f);
	else if (wish == LIST_ARCHIVED)
		list_screen(&f, true); /* its way out leads back to fzf */
	else if (wish == LIST_UNARCHIVE)
		face_unarchive(&f, &back);
	else if (wish == LIST_OPEN)
		*end = thread_screen(&f, thread, 0);
	else
		change(&f, thread, wish);
	memory->put_away = f.put_away ? steal_ptr(&f.put_away) : json_array();
	snprintf(memory->note, sizeof(memory->note), "%s", f.note);
	face_close(&f);
	return 0;
}

/* fzf where it is installed and works, since whoever has it knows its keys; else a list of our own. */
static int show(const struct cli *c, const char *thread, struct error *err)
{
	bool own = !program_is_installed("fzf") || json_is_true(json_object_get(c->args, "no_fzf"));
	static struct list_memory memory;
	enum face_end end = FACE_BACK;
	int r = 0;

	if (!memory.put_away)
		memory.put_away = json_array();
	if (own || thread)
		r = on_screen(c, thread, own, &end, err);
	while (r == 0 && end == FACE_BACK && !own) {
		AUTO(free) char *next = NULL;
		enum list_wish wish = LIST_OPEN;

		r = list_by_fzf(c, &memory, &next, &wish, err);
		if (r == INBOX_UNUSABLE)
			return on_screen(c, NULL, true, &end, err);
		if (r <= 0)
			return r;
		r = obey(c, &memory, next, wish, &end, err);
		if (end == FACE_LEAVE)
			break;
		end = FACE_BACK;
	}
	return r;
}

int cmd_inbox(const struct cli *c, struct error *err)
{
	const char *ref = json_string_value(json_object_get(c->args, "thread"));
	AUTO(free) char *thread = NULL;
	int r;

	if (c->json || !isatty(0) || !isatty(1))
		return as_command(c, ref, err);
	r = start(c, err);
	if (r == 0 && ref)
		r = find_thread(c, ref, &thread, err);
	if (r < 0)
		return r;
	if (json_is_true(json_object_get(c->args, "plain")) || !screen_is_possible())
		return inbox_plain(c, thread, err);
	return show(c, thread, err);
}
