/*
 * feed.c: the list of threads as lines for fzf: the id, and what is shown, with tabs around the time:
 * that is not searched, since its digits fit nearly everything that is typed. All of it is asked
 * for only when a look at the newest threads, which is cheap, shows something new.
 */
#include "inbox/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define LOOK_THREADS 50	   /* news show in the newest of them, or in the sums */
#define MOST_THREADS 10000 /* older ones are found by the search; questions are always there */
#define PAGE_THREADS 500
#define TITLE_LEAST 16
#define TITLE_MOST 32
#define TIME_COLUMNS 16				     /* "2026-01-15 09:02" */
#define REST_COLUMNS (5 + 2 + TIME_COLUMNS + 2 + 14) /* all but the title: a bit of the preview */
#define BESIDE 100 /* so wide is a terminal that has the thread beside the list */
#define PREVIEW_COLUMNS 200

/* --- the list --- */

static json_t *list_args(int64_t limit, const char *after)
{
	json_t *args = json_object();

	json_put_int(args, "limit", limit);
	if (after)
		json_put_text(args, "after", after);
	return args;
}

static int ask_list(const struct cli *c, int64_t limit, bool asks, const char *after, json_t **ret,
		    struct error *err)
{
	AUTO(json_decref) json_t *args = list_args(limit, after);

	if (asks)
		json_put_bool(args, "asks", true);

	return cli_ask(c, "inbox list", args, ret, err);
}

/* The threads of the pages that follow, behind those of the first. */
static int ask_rest(const struct cli *c, json_t *list, struct error *err)
{
	json_t *threads = json_object_get(list, "threads");
	AUTO(free) char *more = mem_strdup(view_text(list, "more"));

	while (*more && json_array_size(threads) < MOST_THREADS) {
		AUTO(json_decref) json_t *page = NULL;
		int r = ask_list(c, PAGE_THREADS, false, more, &page, err);

		if (r < 0)
			return r;
		json_array_extend(threads, json_object_get(page, "threads"));
		mem_replace(&more, view_text(page, "more"));
	}
	json_put_text(list, "more", *more ? more : NULL);
	return 0;
}

static void take_out(json_t *threads, const json_t *thread)
{
	for (size_t i = json_array_size(threads); i-- > 0;)
		if (strcmp(view_text(json_array_get(threads, i), "id"), view_text(thread, "id")) ==
		    0)
			json_array_remove(threads, i);
}

/* Those that wait for an answer come first, however old they are. */
static int put_asking_first(const struct cli *c, json_t *list, struct error *err)
{
	json_t *threads = json_object_get(list, "threads"), *thread;
	AUTO(free) char *more = mem_strdup("");
	size_t at = 0, i;

	do {
		AUTO(json_decref) json_t *page = NULL;
		int r = ask_list(c, PAGE_THREADS, true, *more ? more : NULL, &page, err);

		if (r < 0)
			return r;
		json_array_foreach(json_object_get(page, "threads"), i, thread)
		{
			if (json_is_true(json_object_get(thread, "archived")))
				continue;
			take_out(threads, thread);
			json_array_insert(threads, at++, thread);
		}
		mem_replace(&more, view_text(page, "more"));
	} while (*more);
	return 0;
}

/* --- a line --- */

static void add_padded(struct buf *out, const char *text, size_t columns)
{
	AUTO_BUF struct buf whole = {0}, cut = {0};

	visible_line(&whole, text);
	text_cut(&cut, buf_text(&whole), columns);
	buf_printf(out, "%s%*s", buf_text(&cut), (int)(columns - text_width(buf_text(&cut))), "");
}

static void add_mark(const struct view *v, const json_t *thread)
{
	int64_t unread = view_int(thread, "unread");
	AUTO(free)
	char *count = unread > 99 ? mem_strdup("99+") : mem_printf("%3lld", (long long)unread);

	style_add(v->out, v->style, TINT_WARN, view_int(thread, "asks") ? "?" : " ");
	style_printf(v->out, v->style, TINT_BOLD, "%s ", unread ? count : "   ");
}

static size_t title_columns(size_t width)
{
	size_t list = width < BESIDE ? width : width * 45 / 100;

	if (list < REST_COLUMNS + TITLE_LEAST)
		return TITLE_LEAST;
	return list > REST_COLUMNS + TITLE_MOST ? TITLE_MOST : list - REST_COLUMNS;
}

/* As wide as the widest title, where there is room. */
static size_t title_column(const json_t *threads, size_t width)
{
	size_t most = title_columns(width), widest = 1;
	const json_t *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		AUTO_BUF struct buf title = {0};

		visible_line(&title, view_text(thread, "title"));
		if (text_width(buf_text(&title)) > widest)
			widest = text_width(buf_text(&title));
	}
	return widest < most ? widest : most;
}

static void add_line(const struct view *v, const json_t *thread, size_t title_width)
{
	AUTO_BUF struct buf title = {0}, preview = {0}, cut = {0};
	char when[INSTANT_TEXT_MAX];

	buf_printf(v->out, "%s\t", view_text(thread, "id"));
	add_mark(v, thread);
	add_padded(&title, view_text(thread, "title"), title_width);
	style_add(v->out, v->style, view_int(thread, "unread") ? TINT_BOLD : TINT_NONE,
		  buf_text(&title));
	view_minute(v, view_instant(thread, "last_at"), when);
	style_printf(v->out, v->style, TINT_DIM, " \t%-*s \t", TIME_COLUMNS, when);
	visible_line(&preview, view_text(thread, "preview"));
	text_cut(&cut, buf_text(&preview), PREVIEW_COLUMNS);
	buf_printf(v->out, "%s\n", buf_text(&cut));
}

/* The first line is above the list and not in it: fzf's --header-lines. */
static void add_head(const struct view *v, const json_t *list)
{
	long long unread = (long long)view_int(list, "unread");
	long long asks = (long long)view_int(list, "asks");
	size_t count = json_array_size(json_object_get(list, "threads"));

	buf_printf(v->out, "-\t%zu%s thread%s, %lld unread", count,
		   *view_text(list, "more") ? " newest" : "", count == 1 ? "" : "s", unread);
	if (asks)
		buf_printf(v->out, ", %lld %s for an answer", asks, asks == 1 ? "waits" : "wait");
	buf_add_char(v->out, '\n');
}

/* The count of them where there is none. */
size_t feed_index(char *const *ids, const char *id)
{
	size_t i = 0;

	while (ids && ids[i] && strcmp(ids[i], id) != 0)
		i++;
	return i;
}

static char **ids_of(const json_t *threads)
{
	size_t count = json_array_size(threads);
	char **ids = mem_array(count + 1, sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		ids[i] = mem_strdup(view_text(json_array_get(threads, i), "id"));
	return ids;
}

/* The thread under the cursor keeps its line. */
static void hold_place(json_t *threads, char *const *before, const char *at)
{
	AUTO(mem_free_list) char **ids = ids_of(threads);
	size_t from = feed_index(ids, at), to = feed_index(before, at);
	size_t count = json_array_size(threads);
	json_t *thread;

	if (from == count || !before || !before[to])
		return;
	thread = json_incref(json_array_get(threads, from));
	json_array_remove(threads, from);
	json_array_insert_new(threads, to < count ? to : count - 1, thread);
}

static void set_lines(struct feed *f, json_t *list)
{
	json_t *threads = json_object_get(list, "threads");
	struct view v = cli_view(f->c, &f->lines);
	size_t title_width = title_column(threads, v.style->width);

	hold_place(threads, f->ids, f->at);
	buf_clear(&f->lines);
	add_head(&v, list);
	for (size_t i = 0; i < json_array_size(threads); i++)
		if (text_is_name(view_text(json_array_get(threads, i), "id")))
			add_line(&v, json_array_get(threads, i), title_width);
	mem_free_list(f->ids);
	f->ids = ids_of(threads);
}

/* --- keeping it up to date --- */

/* A list of its own with the same threads: holding a place changes their order. */
static json_t *copy_list(const json_t *list)
{
	json_t *copy = json_copy((json_t *)(uintptr_t)list);

	json_put(copy, "threads", json_copy(json_object_get(list, "threads")));
	return copy;
}

/* A look at the newest is cheap; only when it shows something new is everything asked for. */
int feed_look(struct feed *f, struct error *err)
{
	AUTO(json_decref) json_t *seen = NULL, *all = NULL;
	int r = ask_list(f->c, LOOK_THREADS, false, NULL, &seen, err);

	if (r < 0 || json_equal(seen, f->look))
		return r;
	all = copy_list(seen);
	if ((r = ask_rest(f->c, all, err)) < 0 ||
	    (r = view_int(all, "asks") ? put_asking_first(f->c, all, err) : 0) < 0)
		return r;
	json_decref(f->look);
	f->look = steal_ptr(&seen);
	set_lines(f, all);
	f->fresh = true;
	return 0;
}

void feed_fini(struct feed *f)
{
	json_decref(f->look);
	mem_free_list(f->ids);
	buf_fini(&f->lines);
}
