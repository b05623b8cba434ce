/*
 * feed.c: the list of threads as lines for fzf: the id, and what is shown, with tabs around the time:
 * that is not searched, since its digits fit nearly everything that is typed. All of it is asked
 * for only when a look at the newest threads, which is cheap, shows something new.
 *
 * fzf's cursor is a line of those that fit what is typed, whatever is in it. So that it stays at its
 * thread, that one keeps its line among them: fzf itself is asked which these are (--filter).
 */
#include "inbox/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "terminal/fzf.h"

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

#define KEYS "Alt: U unread, E archive, Z undo, V archived, S search"

/* The first two lines are above the list and not in it: fzf's --header-lines. */
static void add_head(const struct view *v, const json_t *list, const char *note)
{
	AUTO_BUF struct buf line = {0};

	long long unread = (long long)view_int(list, "unread");
	long long asks = (long long)view_int(list, "asks");
	size_t count = json_array_size(json_object_get(list, "threads"));

	visible_line(&line, note ? note : KEYS);
	buf_add_str(v->out, "-\t");
	style_add(v->out, v->style, note ? TINT_BOLD : TINT_NONE, buf_text(&line));
	buf_printf(v->out, "\n-\t%zu%s thread%s, %lld unread", count,
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

static void set_lines(struct feed *f, const json_t *threads)
{
	struct view v = cli_view(f->c, &f->lines);
	size_t title_width = title_column(threads, v.style->width);

	buf_clear(&f->lines);
	add_head(&v, f->all, f->note);
	for (size_t i = 0; i < json_array_size(threads); i++)
		if (text_is_name(view_text(json_array_get(threads, i), "id")))
			add_line(&v, json_array_get(threads, i), title_width);
}

/* --- the place --- */

/* The id in front of each line; those above the list have none. */
static char **ids_of(const struct buf *lines)
{
	AUTO(free) char *text = mem_strdup(buf_text(lines));
	char *rest = text, *line;
	size_t count = 0, room = 1;

	for (const char *at = text; *at; at++)
		room += *at == '\n';
	char **ids = mem_array(room + 1, sizeof(*ids));

	while ((line = strsep(&rest, "\n"))) {
		size_t len = strcspn(line, "\t");

		if (line[len] != '\t' || strncmp(line, "-\t", 2) == 0)
			continue;
		ids[count++] = mem_strndup(line, len);
	}
	return ids;
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those of `ids` that are among `some`. */
static void keep_some(char **ids, char **some)
{
	size_t count = 0, kept = 0;

	while (some[count])
		count++;
	if (count)
		qsort(some, count, sizeof(*some), compare_ids);
	for (size_t i = 0; ids[i]; i++) {
		char *id = ids[i];

		ids[i] = NULL;
		if (count && bsearch(&id, some, count, sizeof(*some), compare_ids))
			ids[kept++] = id;
		else
			free(id);
	}
}

/* The lines that fit what is typed. fzf knows which these are; it prints them in an order of its own. */
static char **find_shown(const struct feed *f)
{
	AUTO(free) char *filter = mem_printf("--filter=%s", f->query);
	const char *const args[] = {FEED_ARGS, "--sync", filter, NULL};
	struct fzf fzf = {.args = args, .lines = &f->lines, .answer_max = f->lines.len + 1};
	AUTO_BUF struct buf found = {0};
	char **ids = ids_of(&f->lines);

	if (*f->query && fzf_run(&fzf, &found) != FZF_UNUSABLE) {
		AUTO(mem_free_list) char **fit = ids_of(&found);

		keep_some(ids, fit);
	}
	return ids;
}

const char *feed_place(char *const *before, const char *id, char *const *now)
{
	size_t was = feed_index(before, id), i;

	if (now[i = feed_index(now, id)])
		return now[i];
	if (!before || !before[was])
		return NULL;
	for (size_t below = was + 1; before[below]; below++)
		if (now[i = feed_index(now, before[below])])
			return now[i];
	for (size_t above = was; above-- > 0;)
		if (now[i = feed_index(now, before[above])])
			return now[i];
	return NULL;
}

static size_t thread_index(const json_t *threads, const char *id)
{
	size_t i = 0;

	while (i < json_array_size(threads) &&
	       strcmp(view_text(json_array_get(threads, i), "id"), id) != 0)
		i++;
	return i;
}

/* Move it to before another one, or with NULL to the end. */
static void move_before(json_t *threads, const char *id, const char *other)
{
	json_t *thread = json_incref(json_array_get(threads, thread_index(threads, id)));

	json_array_remove(threads, thread_index(threads, id));
	if (other)
		json_array_insert_new(threads, thread_index(threads, other), thread);
	else
		json_array_append_new(threads, thread);
}

/* All lines, newest first, but for the one under the cursor, or what takes its place: the cursor's line is its. */
static void update(struct feed *f)
{
	AUTO(json_decref) json_t *threads = json_copy(json_object_get(f->all, "threads"));
	AUTO(mem_free_list) char **before = steal_ptr(&f->shown);
	size_t line = feed_index(before, f->at), last = 0, from;
	const char *keeps;

	set_lines(f, threads);
	f->shown = find_shown(f);
	keeps = feed_place(before, f->at, f->shown);
	if (!keeps)
		return;
	snprintf(f->at, sizeof(f->at), "%s",
		 keeps); /* fzf does not tell of another in the same line */
	while (f->shown[last + 1])
		last++;
	from = feed_index(f->shown, keeps);
	line = line < last ? line : last;
	if (line == from)
		return;
	/* Those behind its place of today move up by one when it is taken out. */
	line += line > from;
	move_before(threads, keeps, f->shown[line]);
	set_lines(f, threads);
	mem_free_list(f->shown);
	f->shown = find_shown(f);
}

void feed_see(struct feed *f)
{
	mem_free_list(f->shown);
	f->shown = find_shown(f);
}

void feed_note(struct feed *f, const char *note)
{
	mem_replace(&f->note, note);
	update(f);
	f->fresh = true;
}

void feed_lead(struct feed *f, const char *id)
{
	json_t *threads = json_object_get(f->all, "threads");

	if (feed_thread(f, id) && json_array_size(threads) > 1 && thread_index(threads, id) > 0)
		move_before(threads, id, view_text(json_array_get(threads, 0), "id"));
	set_lines(f, threads);
}

const json_t *feed_thread(const struct feed *f, const char *id)
{
	const json_t *threads = json_object_get(f->all, "threads");

	return json_array_get(threads, thread_index(threads, id));
}

/* --- keeping it up to date --- */

/* A list of its own with the same threads: questions change their order. */
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
	json_decref(f->all);
	f->all = steal_ptr(&all);
	update(f);
	f->fresh = true;
	return 0;
}

void feed_fini(struct feed *f)
{
	json_decref(f->look);
	json_decref(f->all);
	mem_free_list(f->shown);
	free(f->note);
	buf_fini(&f->lines);
}
