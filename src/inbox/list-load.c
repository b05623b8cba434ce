/*
 * list-load.c: the threads, kept up to date.
 * Asked again every second is only the newest page: a thread in which something happens comes to
 * the top. What was loaded beyond it stays as it was then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inbox/list.h"
#include "terminal/pick.h"

#define PAGE 100
#define BIG_PAGE 500	  /* where all of them are wanted */
#define LOADED_MOST 20000 /* threads; whoever looks for an older one searches */
#define PEEK_MESSAGES 5

void list_fini(struct list *l)
{
	json_decref(l->threads);
	json_decref(l->asking);
	json_decref(l->more);
	json_decref(l->peeked);
	json_decref(l->peeked_of);
	free(l->shown);
	entry_fini(&l->filter);
}

const json_t *list_chosen(const struct list *l)
{
	return l->choice.at < l->shown_count ? l->shown[l->choice.at] : NULL;
}

/* A set of ids: lists are long, and are compared every second. */
static json_t *ids_of(const json_t *threads)
{
	json_t *ids = json_object();

	for (size_t i = 0; i < json_array_size(threads); i++)
		json_object_set_new(ids, view_text(json_array_get(threads, i), "id"), json_true());
	return ids;
}

static bool has(const json_t *ids, const json_t *thread)
{
	return json_object_get(ids, view_text(thread, "id")) != NULL;
}

/* --- which of them fit --- */

static int score_of(const struct list *l, const json_t *thread)
{
	AUTO(free)
	char *words = mem_printf("%s %s %s", view_text(thread, "title"), view_text(thread, "agent"),
				 view_text(thread, "preview"));

	return pick_score(buf_text(&l->filter.text), words);
}

/* Best first; those that fit equally well stay in their order. */
static void insert_by_score(struct list *l, int *scores, json_t *thread, int score)
{
	size_t to = l->shown_count++;

	for (; l->filter.text.len && to && scores[to - 1] < score; to--) {
		scores[to] = scores[to - 1];
		l->shown[to] = l->shown[to - 1];
	}
	scores[to] = score;
	l->shown[to] = thread;
}

static void filter_in(struct list *l, int *scores, json_t *thread)
{
	int score = l->filter.text.len ? score_of(l, thread) : 0;

	if (score >= 0)
		insert_by_score(l, scores, thread, score);
}

void list_filter(struct list *l)
{
	size_t first = json_array_size(l->asking), count = json_array_size(l->threads);
	AUTO(json_decref) json_t *known = ids_of(l->asking);
	int *scores = mem_array(first + count + 1, sizeof(*scores));

	l->shown = mem_grow(l->shown, first + count + 1, sizeof(json_t *));
	l->shown_count = 0;
	for (size_t i = 0; i < first; i++)
		filter_in(l, scores, json_array_get(l->asking, i));
	for (size_t i = 0; i < count; i++) {
		json_t *thread = json_array_get(l->threads, i);

		if (!has(known, thread))
			filter_in(l, scores, thread);
	}
	free(scores);
	choice_fit(&l->choice, l->shown_count, l->choice.scroll.room);
}

/* --- pages --- */

void list_choose(struct list *l, const char *id)
{
	for (size_t i = 0; i < l->shown_count; i++)
		if (strcmp(view_text(l->shown[i], "id"), id) == 0)
			l->choice.at = i;
	choice_fit(&l->choice, l->shown_count, l->choice.scroll.room);
}

json_t *list_shown(const struct list *l)
{
	json_t *threads = json_array();

	for (size_t i = 0; i < l->shown_count; i++)
		json_array_append(threads, l->shown[i]);
	return threads;
}

static bool asks_now(const struct list *l, const char *id)
{
	for (size_t i = 0; i < l->shown_count; i++)
		if (strcmp(view_text(l->shown[i], "id"), id) == 0)
			return view_int(l->shown[i], "asks") > 0;
	return false;
}

bool list_come_back(struct list *l, const json_t *before, const char *id)
{
	size_t was = 0, count = json_array_size(before);

	while (was < count && strcmp(view_text(json_array_get(before, was), "id"), id) != 0)
		was++;
	list_choose(l, id);
	if (was == count || !view_int(json_array_get(before, was), "asks") || asks_now(l, id))
		return false;
	for (size_t i = was + 1; i < count; i++) {
		const char *next = view_text(json_array_get(before, i), "id");

		if (!view_int(json_array_get(before, i), "asks") || !asks_now(l, next))
			continue;
		list_choose(l, next);
		return true;
	}
	l->choice.at = was;
	choice_fit(&l->choice, l->shown_count, l->choice.scroll.room);
	return false;
}

static void keep_more(struct list *l, const json_t *answer)
{
	json_t *more = json_object_get(answer, "more");

	json_decref(l->more);
	l->more = json_is_null(more) ? NULL : json_incref(more);
}

static void keep_totals(struct list *l, const json_t *answer)
{
	l->unread = view_int(answer, "unread");
	l->asks = view_int(answer, "asks");
}

/* What is behind the page stays; without one behind it, the page is all there is. */
static json_t *put_over(const struct list *l, const json_t *answer)
{
	json_t *page = json_copy(json_object_get(answer, "threads"));
	AUTO(json_decref) json_t *known = ids_of(page);
	size_t first = json_array_size(page), count = json_array_size(l->threads);
	usec_t end = view_instant(json_array_get(page, first ? first - 1 : 0), "last_at");

	if (json_is_null(json_object_get(answer, "more")))
		return page;
	for (size_t i = 0; i < count; i++) {
		json_t *old = json_array_get(l->threads, i);

		if (view_instant(old, "last_at") <= end && !has(known, old))
			json_array_append(page, old);
	}
	return page;
}

static json_t *page_args(const struct list *l, int limit, json_t *after)
{
	json_t *args = json_object();

	json_put_int(args, "limit", limit);
	if (l->archived)
		json_put_bool(args, "archived", true);
	if (after)
		json_put(args, "after", json_incref(after));
	return args;
}

/* Every thread that waits for an answer, however old it is. What was put away is there. */
static void load_asking(struct list *l)
{
	AUTO(json_decref) json_t *all = json_array(), *more = NULL;

	do {
		AUTO(json_decref) json_t *args = page_args(l, BIG_PAGE, more), *answer = NULL;
		const json_t *thread;
		struct error err = {0};
		size_t i;

		json_put_bool(args, "asks", true);
		if (face_ask(l->f, "inbox list", args, &answer, &err) <= 0)
			return;
		json_array_foreach(json_object_get(answer, "threads"), i, thread)
		{
			if (json_is_true(json_object_get(thread, "archived")) == l->archived)
				json_array_append(all, (json_t *)(uintptr_t)thread);
		}
		json_decref(more);
		more = json_incref(json_object_get(answer, "more"));
	} while (json_is_string(more));
	json_decref(l->asking);
	l->asking = json_incref(all);
}

void list_load(struct list *l)
{
	AUTO(json_decref) json_t *args = page_args(l, PAGE, NULL), *answer = NULL, *before = NULL;
	AUTO(free) char *chosen = mem_strdup(view_text(list_chosen(l), "id"));
	struct error err = {0};
	bool whole = json_array_size(l->threads) <= PAGE;
	int r = face_ask(l->f, "inbox list", args, &answer, &err);

	if (r < 0)
		face_note_error(l->f, &err);
	if (r <= 0)
		return;
	keep_totals(l, answer);
	if (l->asks || json_array_size(l->asking))
		load_asking(l);
	/* Where all of it was loaded, the end of the first page is not the end. */
	if (whole || json_is_null(json_object_get(answer, "more")))
		keep_more(l, answer);
	before = l->threads;
	l->threads = put_over(l, answer);
	l->loaded = true;
	list_filter(l);
	list_choose(l, chosen);
}

/* Asked again is only the newest page: what was done to an older thread is looked up. */
void list_update(struct list *l, const char *id)
{
	json_t *args = observer_args("thread", id), *now;
	AUTO(json_decref) json_t *answer = NULL;

	json_put_int(args, "last", 1);
	if (!face_do(l->f, "inbox show", args, &answer))
		return;
	now = json_object_get(answer, "thread");
	for (size_t i = json_array_size(l->threads); i-- > 0;) {
		if (strcmp(view_text(json_array_get(l->threads, i), "id"), id) != 0)
			continue;
		if (json_is_true(json_object_get(now, "archived")) == l->archived)
			json_array_set(l->threads, i, now);
		else
			json_array_remove(l->threads, i);
	}
	list_load(l);
}

static void load_more(struct list *l, int limit)
{
	AUTO(json_decref) json_t *args = NULL, *answer = NULL, *known = NULL;
	AUTO(free) char *chosen = mem_strdup(view_text(list_chosen(l), "id"));
	const json_t *page;
	struct error err = {0};

	if (!l->more || json_array_size(l->threads) >= LOADED_MOST)
		return;
	args = page_args(l, limit, l->more);
	if (face_ask(l->f, "inbox list", args, &answer, &err) <= 0)
		return;
	keep_more(l, answer);
	page = json_object_get(answer, "threads");
	known = ids_of(l->threads);
	for (size_t i = 0; i < json_array_size(page); i++) {
		json_t *thread = json_array_get(page, i);

		if (!has(known, thread))
			json_array_append(l->threads, thread);
	}
	list_filter(l);
	list_choose(l, chosen);
}

void list_load_more(struct list *l)
{
	load_more(l, PAGE);
}

void list_load_all(struct list *l)
{
	size_t before = 0;

	while (l->more && json_array_size(l->threads) > before) {
		before = json_array_size(l->threads);
		load_more(l, BIG_PAGE);
	}
}

bool list_choose_next(struct list *l, const char *key)
{
	for (size_t i = 1; i <= l->shown_count; i++) {
		size_t at = (l->choice.at + i) % l->shown_count;

		if (view_int(l->shown[at], key) <= 0)
			continue;
		l->choice.at = at;
		choice_fit(&l->choice, l->shown_count, l->choice.scroll.room);
		return true;
	}
	return false;
}

void list_peek(struct list *l)
{
	AUTO(json_decref) json_t *args = NULL, *answer = NULL;
	json_t *chosen = (json_t *)(uintptr_t)list_chosen(l);
	struct error err = {0};

	if (!chosen || (l->peeked_of && json_equal(l->peeked_of, chosen)))
		return;
	args = observer_args("thread", view_text(chosen, "id"));
	json_put_bool(args, "peek", true);
	json_put_int(args, "last", PEEK_MESSAGES);
	if (face_ask(l->f, "inbox show", args, &answer, &err) <= 0)
		return;
	json_decref(l->peeked);
	json_decref(l->peeked_of);
	l->peeked = json_incref(json_object_get(answer, "messages"));
	l->peeked_of = json_incref(chosen);
}
