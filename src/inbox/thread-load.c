/*
 * thread-load.c: the messages of a thread, kept up to date.
 * The window has no hole: each page begins where it ends. Numbers may have gaps, where retention
 * deleted something, so the daemon says whether something older is there; the newest message always
 * is, and its number is the thread's. Once a second only the thread itself is asked for; the newest
 * page is, when that has changed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inbox/thread.h"

#define PAGE 50
#define CONTEXT 5 /* messages above the one that is looked for */
#define PAGES_FOR_UNREAD 8

static void piece_fini(struct piece *p)
{
	json_decref(p->message);
	buf_fini(&p->text);
}

static void drop_all(struct reading *r)
{
	for (size_t i = 0; i < r->count; i++)
		piece_fini(&r->pieces[i]);
	r->count = 0;
	r->at = 0;
	r->scroll.top = 0;
}

void reading_fini(struct reading *r)
{
	drop_all(r);
	free(r->pieces);
	json_decref(r->thread);
}

int64_t reading_total(const struct reading *r)
{
	return view_int(r->thread, "messages");
}

static int64_t first_seq(const struct reading *r)
{
	return r->count ? r->pieces[0].seq : 0;
}

static int64_t last_seq(const struct reading *r)
{
	return r->count ? r->pieces[r->count - 1].seq : 0;
}

/* --- asking --- */

static void keep_thread(struct reading *r, const json_t *answer)
{
	json_t *thread = json_object_get(answer, "thread");

	if (!json_is_object(thread))
		return;
	json_decref(r->thread);
	r->thread = json_incref(thread);
}

/* What a page before something, or the newest one, says about those before itself. */
static bool has_older(const json_t *answer)
{
	return json_is_integer(json_object_get(answer, "more"));
}

/* As face_ask(). `key` is "before", "after" or NULL for the newest. */
static int ask_page(struct reading *r, const char *key, int64_t seq, int64_t limit, json_t **ret)
{
	AUTO(json_decref) json_t *args = observer_args("thread", r->id);
	struct error err = {0};
	int got;

	json_put_bool(args, "peek", true);
	json_put_int(args, "last", limit);
	if (key)
		json_put_int(args, key, seq);
	got = face_ask(r->f, "inbox show", args, ret, &err);
	if (got < 0)
		face_note_error(r->f, &err);
	r->lost = got < 0 && err.code == ERR_NOT_FOUND;
	return got;
}

/* --- the window --- */

static void insert(struct reading *r, size_t at, json_t *message)
{
	struct piece piece = {.message = json_incref(message), .seq = view_int(message, "seq")};

	r->pieces = mem_grow(r->pieces, r->count + 1, sizeof(*r->pieces));
	memmove(r->pieces + at + 1, r->pieces + at, (r->count - at) * sizeof(*r->pieces));
	r->pieces[at] = piece;
	r->count++;
}

static void replace(struct piece *p, json_t *message)
{
	if (json_equal(p->message, message))
		return;
	json_decref(p->message);
	p->message = json_incref(message);
	p->width = 0;
}

/* Those before the window, in front of it; the current place stays where it is. */
static void put_before(struct reading *r, const json_t *messages)
{
	size_t added = 0;

	for (size_t i = 0; i < json_array_size(messages); i++) {
		json_t *m = json_array_get(messages, i);

		if (r->count == added || view_int(m, "seq") < r->pieces[added].seq)
			insert(r, added++, m);
	}
	r->at += added;
}

struct piece *reading_piece(const struct reading *r, int64_t seq)
{
	for (size_t i = r->count; i-- > 0 && r->pieces[i].seq >= seq;)
		if (r->pieces[i].seq == seq)
			return &r->pieces[i];
	return NULL;
}

static void put_behind(struct reading *r, const json_t *messages)
{
	for (size_t i = 0; i < json_array_size(messages); i++) {
		json_t *m = json_array_get(messages, i);
		int64_t seq = view_int(m, "seq");
		struct piece *known = reading_piece(r, seq);

		if (known)
			replace(known, m);
		else if (seq > last_seq(r))
			insert(r, r->count, m);
	}
}

void reading_load_older(struct reading *r)
{
	AUTO(json_decref) json_t *answer = NULL;

	if (r->older && ask_page(r, "before", first_seq(r), PAGE, &answer) > 0) {
		put_before(r, json_object_get(answer, "messages"));
		r->older = has_older(answer);
	}
}

void reading_load_newer(struct reading *r)
{
	AUTO(json_decref) json_t *answer = NULL;

	if (last_seq(r) < reading_total(r) &&
	    ask_page(r, "after", last_seq(r), PAGE, &answer) > 0) {
		keep_thread(r, answer);
		put_behind(r, json_object_get(answer, "messages"));
	}
}

static bool load_window(struct reading *r, const char *key, int64_t seq)
{
	AUTO(json_decref) json_t *answer = NULL;

	if (ask_page(r, key, seq, PAGE, &answer) <= 0)
		return false;
	drop_all(r);
	keep_thread(r, answer);
	put_behind(r, json_object_get(answer, "messages"));
	/* A page after something says nothing about what is before it; the next look will tell. */
	r->older = key ? seq > 0 : has_older(answer);
	return true;
}

void reading_load_ends(struct reading *r, bool newest)
{
	if (newest ? last_seq(r) < reading_total(r) : r->older)
		load_window(r, newest ? NULL : "after", 0);
	r->at = newest && r->count ? r->count - 1 : 0;
}

/* --- the first unread one --- */

static size_t first_unread(const struct reading *r)
{
	size_t i = 0;

	while (i < r->count && !json_is_false(json_object_get(r->pieces[i].message, "read")))
		i++;
	return i;
}

static int64_t unread_in_window(const struct reading *r)
{
	int64_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		count += json_is_false(json_object_get(r->pieces[i].message, "read"));
	return count;
}

static void go_to_unread(struct reading *r)
{
	size_t i;

	for (int page = 0; page < PAGES_FOR_UNREAD && r->older &&
			   unread_in_window(r) < view_int(r->thread, "unread");
	     page++)
		reading_load_older(r);
	i = first_unread(r);
	if (i < r->count)
		r->fresh_from = r->pieces[i].seq;
	r->at = i < r->count ? i : r->count ? r->count - 1 : 0;
}

bool reading_open(struct reading *r, int64_t seq)
{
	if (seq > 0) {
		int64_t above = seq > CONTEXT ? seq - CONTEXT - 1 : 0;

		if (!load_window(r, "after", above))
			return false;
		while (r->at + 1 < r->count && r->pieces[r->at].seq < seq)
			r->at++;
		return true;
	}
	if (!load_window(r, NULL, 0))
		return false;
	go_to_unread(r);
	return true;
}

/* --- what happens meanwhile --- */

/* A gap between the window and the newest page: the page is the window then. */
static void take_newest(struct reading *r, const json_t *answer)
{
	const json_t *messages = json_object_get(answer, "messages");
	int64_t first = view_int(json_array_get(messages, 0), "seq");

	if (first > last_seq(r) + 1) {
		drop_all(r);
		r->older = has_older(answer);
	}
	put_behind(r, messages);
}

void reading_refresh(struct reading *r)
{
	AUTO(json_decref) json_t *answer = NULL, *page = NULL;
	bool at_newest = last_seq(r) >= reading_total(r);

	if (ask_page(r, NULL, 0, 1, &answer) <= 0)
		return;
	if (json_equal(r->thread, json_object_get(answer, "thread")))
		return;
	keep_thread(r, answer);
	if (at_newest && ask_page(r, NULL, 0, PAGE, &page) > 0) {
		keep_thread(r, page);
		take_newest(r, page);
	}
}

/* Nothing is said when it fails: it is tried again, and the header tells that nobody answers. */
void reading_mark(struct reading *r)
{
	AUTO(json_decref) json_t *args = NULL, *answer = NULL;
	struct error err = {0};

	if (!r->count || view_int(r->thread, "unread") == 0)
		return;
	args = observer_args("thread", r->id);
	json_put_int(args, "up_to", last_seq(r));
	if (face_ask(r->f, "inbox read", args, &answer, &err) > 0)
		keep_thread(r, answer);
}
