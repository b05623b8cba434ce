/*
 * setup.c: from a plan to files, and back.
 * First every file is read and changed in memory, so that whatever stands in the way is found before
 * anything is written. What was done is kept (record.c): as long as a file is as we left it, it is taken
 * back to the very bytes it had, and a new setup begins from those as well. A file that somebody
 * changed since is changed where our things stand.
 */
#include "setup/setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "setup/diff.h"
#include "setup/draft.h"
#include "setup/item.h"
#include "setup/record.h"
#include "setup/target.h"

/* One file of the plan, on its way. */
struct work {
	struct target target;
	struct draft draft;
	json_t *what;  /* {"hooks": 3}: what came or went */
	json_t *entry; /* for the record; NULL: forget it */
	json_t *made;  /* folders */
	bool delete, written;
};
struct setup {
	const struct setup_wish *wish;
	struct plan *plan;
	json_t *record;
	struct work *works;
};

static void setup_fini(struct setup *s)
{
	for (size_t i = 0; s->plan && i < s->plan->file_count; i++) {
		struct work *w = &s->works[i];

		target_fini(&w->target);
		draft_fini(&w->draft);
		json_decref(w->what);
		json_decref(w->entry);
		json_decref(w->made);
	}
	free(s->works);
	plan_free(s->plan);
	json_decref(s->record);
}
#define AUTO_SETUP __attribute__((cleanup(setup_fini)))

static const char *const kinds[] = {
	[ITEM_SERVER] = "server",      [ITEM_TABLE] = "server",	    [ITEM_RULE] = "permissions",
	[ITEM_OPTION] = "permissions", [ITEM_FILE] = "permissions", [ITEM_HOOK] = "hooks",
	[ITEM_AGENT] = "agent",	       [ITEM_ASK] = "permissions",
};

static void count_what(struct work *w, const struct item *i)
{
	json_int_t now = json_integer_value(json_object_get(w->what, kinds[i->kind]));

	json_put_int(w->what, kinds[i->kind], now + 1);
}

static bool is_changed(const struct work *w)
{
	return w->delete || w->draft.text.len != w->target.text.len ||
	       memcmp(buf_text(&w->draft.text), buf_text(&w->target.text), w->draft.text.len) != 0;
}

/* Where it went wrong, and whose it is to mend. */
static int in_file(struct error *err, const char *path)
{
	error_prefix(err, "%s", path);
	return *err->hint ? err->code : error_hint(err, "mend it there, then try again");
}

/* Setting up */

static int refuse_foreign(const struct setup *s, const struct item *i, struct error *err)
{
	error_set(err, ERR_CONFLICT, "'%s' is there already, and is not Belfry's", i->name);
	return error_hint(err, "rename it, or replace it: belfry setup %s%s --force",
			  s->plan->client->name, s->wish->project ? " --project" : "");
}

/* `list` of `old` is what earlier setups did and is still in the text. */
static int put_items(const struct setup *s, struct work *w, size_t file, const json_t *old,
		     const char *list, struct error *err)
{
	json_t *added = json_object_get(w->entry, "added");
	json_t *carried = json_object_get(w->entry, "carried");
	json_t *made = json_object_get(w->entry, "made");

	for (size_t k = 0; k < s->plan->item_count; k++) {
		const struct item *i = &s->plan->items[k];
		enum item_state state = STATE_ABSENT;
		bool earlier = record_has(old, list, i->name);
		int r;

		if (i->file != file)
			continue;
		if (i->retired) {
			if (!earlier)
				continue;
			/* Whoever takes these steps back finds it there again. */
			json_array_append_new(carried, json_string(i->name));
			r = item_take(s->plan, i, json_object_get(old, "made"), &w->draft, err);
			if (r < 0)
				return r;
			continue;
		}
		r = item_look(s->plan, i, &w->draft.text, &state, err);
		if (r == 0 && state == STATE_FOREIGN && !s->wish->force)
			r = refuse_foreign(s, i, err);
		if (r < 0)
			return r;
		if (earlier || state == STATE_OURS)
			json_array_append_new(carried, json_string(i->name));
		if (state != STATE_SAME && state != STATE_NEEDLESS) {
			item_missing(i, &w->draft.text, made);
			r = item_put(s->plan, i, &w->draft, err);
			if (r < 0)
				return r;
			count_what(w, i);
		} else if (!earlier) {
			continue;
		}
		json_array_append_new(added, json_string(i->name));
	}
	return 0;
}

static int set_up_file(const struct setup *s, size_t file, struct error *err)
{
	struct work *w = &s->works[file];
	const char *path = s->plan->files[file].path;
	const json_t *old = record_get(s->record, s->plan->client->name, path);
	bool again = old && record_is_of(old, &w->target.text) &&
		     draft_revert(&w->draft, json_object_get(old, "steps"));
	const json_t *had_made = json_object_get(old, "made");
	const json_t *folders = json_object_get(old, "folders");
	AUTO(free) char *sum = NULL;
	int r;

	w->entry = json_pack("{s:[], s:[], s:[], s:b, s:O?}", "added", "carried", "made", "created",
			     old ? json_is_true(json_object_get(old, "created")) : !w->target.there,
			     "folders", folders);
	if (json_is_array(had_made))
		json_array_extend(json_object_get(w->entry, "made"), (json_t *)(uintptr_t)had_made);
	r = put_items(s, w, file, old, again ? "carried" : "added", err);
	if (r < 0)
		return in_file(err, path);
	sum = record_sum(buf_text(&w->draft.text), w->draft.text.len);
	json_put_text(w->entry, "sum", sum);
	json_put(w->entry, "steps", draft_steps(&w->draft));
	return 0;
}

/* Undoing */

/* Nothing but an empty object, or nothing at all. */
static bool is_void(const struct buf *text)
{
	const char *p = buf_text(text);
	size_t len = 0;
	char left[3] = "";

	for (size_t i = 0; i < text->len; i++) {
		if (strchr(" \t\r\n", p[i]) && p[i])
			continue;
		if (len == 2)
			return false;
		left[len++] = p[i];
	}
	return len == 0 || strcmp(left, "{}") == 0;
}

static int take_items(const struct setup *s, struct work *w, size_t file, const json_t *entry,
		      const char *list, struct error *err)
{
	const json_t *made = json_object_get(entry, "made");

	for (size_t k = 0; k < s->plan->item_count; k++) {
		const struct item *i = &s->plan->items[k];
		size_t count = w->draft.count;
		int r;

		if (i->file != file || !record_has(entry, list, i->name))
			continue;
		r = item_take(s->plan, i, made, &w->draft, err);
		if (r < 0)
			return r;
		if (w->draft.count > count)
			count_what(w, i);
	}
	return 0;
}

static void count_all(const struct setup *s, struct work *w, size_t file, const json_t *entry)
{
	for (size_t k = 0; k < s->plan->item_count; k++)
		if (s->plan->items[k].file == file &&
		    record_has(entry, "added", s->plan->items[k].name))
			count_what(w, &s->plan->items[k]);
}

static int undo_file(const struct setup *s, size_t file, struct error *err)
{
	struct work *w = &s->works[file];
	const char *path = s->plan->files[file].path;
	const json_t *entry = record_get(s->record, s->plan->client->name, path);
	bool exact = entry && record_is_of(entry, &w->target.text) &&
		     draft_revert(&w->draft, json_object_get(entry, "steps"));
	int r;

	/* What no setup is known to have done is the person's, whatever it says. */
	if (!w->target.there || !entry)
		return 0;
	r = take_items(s, w, file, entry, exact ? "carried" : "added", err);
	if (r < 0)
		return in_file(err, path);
	if (exact) {
		json_object_clear(w->what);
		count_all(s, w, file, entry);
	}
	w->delete = is_void(&w->draft.text) &&
		    (json_is_true(json_object_get(entry, "created")) ||
		     (s->plan->files[file].form == FILE_OWN && w->target.text.len));
	return 0;
}

/* Both */

static int open_files(struct setup *s, struct error *err)
{
	s->works = mem_array(s->plan->file_count + 1, sizeof(*s->works));
	for (size_t i = 0; i < s->plan->file_count; i++) {
		struct work *w = &s->works[i];
		const struct plan_file *f = &s->plan->files[i];
		int r;

		w->what = json_object();
		w->made = json_array();
		r = target_open(&w->target, f->path, f->is_private, err);
		if (r < 0)
			return r;
		draft_init(&w->draft, buf_text(&w->target.text), w->target.text.len);
	}
	return 0;
}

static int change_files(const struct setup *s, struct error *err)
{
	for (size_t i = 0; i < s->plan->file_count; i++) {
		int r = s->wish->undo ? undo_file(s, i, err) : set_up_file(s, i, err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* One of several could not be written: the others are as before. */
static void roll_back(struct setup *s)
{
	for (size_t i = 0; i < s->plan->file_count; i++) {
		struct work *w = &s->works[i];
		struct target now = w->target;
		AUTO(json_decref) json_t *made = json_array();
		struct error ignored = {0};

		if (!w->written)
			continue;
		now.there = !w->delete;
		now.text = w->draft.text; /* not looked at where it was deleted */
		if (w->target.there)
			target_write(&now, buf_text(&w->target.text), w->target.text.len, made,
				     &ignored);
		else
			target_remove(&now, w->made, &ignored);
	}
}

static int write_file(const struct setup *s, size_t file, struct error *err)
{
	struct work *w = &s->works[file];

	if (w->delete)
		return target_remove(&w->target, NULL, err);
	return target_write(&w->target, buf_text(&w->draft.text), w->draft.text.len, w->made, err);
}

static int write_files(struct setup *s, struct error *err)
{
	for (size_t i = 0; i < s->plan->file_count; i++) {
		struct work *w = &s->works[i];
		int r;

		if (!is_changed(w))
			continue;
		r = write_file(s, i, err);
		if (r < 0) {
			roll_back(s);
			return r;
		}
		w->written = true;
		if (json_array_size(w->made) && w->entry)
			json_object_set(w->entry, "folders", w->made);
	}
	return 0;
}

/* Folders that we made, once all is out of them; the inner ones are later, in the lists and among them. */
static void remove_folders(const struct setup *s)
{
	for (size_t i = s->plan->file_count; i-- > 0;) {
		const json_t *entry =
			record_get(s->record, s->plan->client->name, s->plan->files[i].path);
		const json_t *folders = json_object_get(entry, "folders");

		for (size_t k = json_array_size(folders); k-- > 0;)
			rmdir(json_string_value(json_array_get(folders, k)));
	}
}

/* A file that was as it should be keeps its record. */
static int save_record(struct setup *s, struct error *err)
{
	for (size_t i = 0; i < s->plan->file_count; i++) {
		struct work *w = &s->works[i];
		const char *path = s->plan->files[i].path;

		if (s->wish->undo)
			record_put(s->record, s->plan->client->name, path, NULL);
		else if (is_changed(w))
			record_put(s->record, s->plan->client->name, path, json_incref(w->entry));
	}
	return record_save(s->wish->home->state_dir, s->record, err);
}

static json_t *file_json(const struct work *w, bool dry_run)
{
	AUTO_BUF struct buf diff = {0};
	json_t *o = json_object();
	const char *change = !is_changed(w)    ? "unchanged"
			     : w->delete       ? "deleted"
			     : w->target.there ? "changed"
					       : "created";

	json_put_text(o, "path", w->target.path);
	json_put_text(o, "change", change);
	json_put(o, "what", is_changed(w) ? json_incref(w->what) : json_object());
	if (!dry_run)
		return o;
	diff_print(&diff, w->target.path, buf_text(&w->target.text), w->target.text.len,
		   buf_text(&w->draft.text), w->delete ? 0 : w->draft.text.len);
	json_put_text(o, "diff", buf_text(&diff));
	return o;
}

static bool is_opencode(const struct plan *p)
{
	return strcmp(p->client->name, "opencode") == 0;
}

/* What opencode's file says about one thing: the caller frees. */
static char *opencode_word(const struct setup *s, const char *first, const char *second)
{
	const char *path[] = {"permission", first, second, NULL};

	return item_word(path, &s->works[0].draft.text);
}

/* The tools that have this word; where nothing is said, opencode allows. */
static void add_opencode(const struct setup *s, const char *const *tools, const char *word,
			 json_t *list)
{
	for (; *tools; tools++) {
		AUTO(free) char *name = mem_printf("belfry_%s", *tools);
		AUTO(free) char *now = opencode_word(s, name, NULL);

		if (strcmp(now ? now : "allow", word) == 0)
			json_array_append_new(list, json_string(*tools));
	}
}

static void add_names(const char *const *tools, json_t *list)
{
	for (; *tools; tools++)
		json_array_append_new(list, json_string(*tools));
}

static size_t count_names(const char *const *tools)
{
	size_t count = 0;

	while (tools[count])
		count++;
	return count;
}

/* Projects of Gemini have no rules. */
static json_t *allowed(const struct setup *s)
{
	bool none = s->plan->project && strcmp(s->plan->client->name, "gemini") == 0, all;
	json_t *list = json_array();

	if (is_opencode(s->plan)) {
		add_opencode(s, setup_tools, "allow", list);
		add_opencode(s, setup_asked, "allow", list);
	} else if (!none) {
		add_names(setup_tools, list);
	}
	all = is_opencode(s->plan)
		      ? json_array_size(list) == count_names(setup_tools) + count_names(setup_asked)
		      : s->plan->runs;
	if (all) {
		json_array_clear(list);
		json_array_append_new(list, json_string("all"));
	}
	return list;
}

static json_t *asked(const struct setup *s)
{
	json_t *list = json_array();

	if (is_opencode(s->plan)) {
		add_opencode(s, setup_tools, "ask", list);
		add_opencode(s, setup_asked, "ask", list);
	} else if (!s->plan->runs) {
		add_names(setup_asked, list);
	}
	return list;
}

/* What should be asked for, and is not ours to say: the person has. */
static json_t *own(const struct setup *s)
{
	json_t *list = json_array();

	for (size_t k = 0; k < s->plan->item_count; k++) {
		const struct item *i = &s->plan->items[k];
		enum item_state state = STATE_SAME;
		struct error ignored = {0};

		if (i->kind == ITEM_ASK && !i->retired &&
		    item_look(s->plan, i, &s->works[i->file].draft.text, &state, &ignored) == 0 &&
		    state == STATE_NEEDLESS)
			json_array_append_new(list, json_string(i->path[1] + strlen("belfry_")));
	}
	return list;
}

/* Whether `belfry message send` is asked for all the same, by what the person has written. */
static bool asks_to_send(const struct setup *s)
{
	AUTO(free)
	char *word =
		is_opencode(s->plan) ? opencode_word(s, "bash", "belfry message send *") : NULL;

	return word && strcmp(word, "allow") != 0;
}

static json_t *result(const struct setup *s)
{
	json_t *o = json_object(), *files = json_array();
	bool changed = false, recorded = false;

	for (size_t i = 0; i < s->plan->file_count; i++) {
		const struct work *w = &s->works[i];

		if (record_get(s->record, s->plan->client->name, s->plan->files[i].path))
			recorded = true;

		/* Belfry's own is only of interest when something is done to it. */
		if (s->plan->files[i].form == FILE_YAML && !is_changed(w))
			continue;
		if (s->wish->undo && !w->target.there)
			continue;
		changed = changed || is_changed(w);
		json_array_append_new(files, file_json(w, s->wish->dry_run));
	}
	json_put_text(o, "client", s->plan->client->name);
	json_put_text(o, "title", s->plan->client->title);
	json_put_bool(o, "has_hooks", s->plan->client->has_hooks);
	json_put_text(o, "scope", s->plan->project ? "project" : "user");
	json_put_bool(o, "undo", s->wish->undo);
	json_put_bool(o, "dry_run", s->wish->dry_run);
	json_put_bool(o, "changed", changed);
	json_put_bool(o, "recorded", recorded);
	json_put_text(o, "program", s->plan->program);
	json_put(o, "files", files);
	json_put_bool(o, "asks_to_send", asks_to_send(s));
	json_put(o, "allowed", s->wish->undo ? json_array() : allowed(s));
	json_put(o, "asked", s->wish->undo ? json_array() : asked(s));
	json_put(o, "own", s->wish->undo ? json_array() : own(s));
	return o;
}

int setup_run(const struct setup_wish *w, json_t **ret, struct error *err)
{
	AUTO_SETUP struct setup s = {.wish = w};
	int r = plan_make(w->client, w->project, w->runs, w->program, w->home->config_file, &s.plan,
			  err);

	if (r < 0)
		return r;
	s.record = record_load(w->home->state_dir);
	r = open_files(&s, err);
	if (r == 0)
		r = change_files(&s, err);
	if (r == 0 && !w->dry_run)
		r = write_files(&s, err);
	if (r < 0)
		return r;
	*ret = result(&s);
	if (w->undo && !w->dry_run)
		remove_folders(&s);
	return w->dry_run ? 0 : save_record(&s, err);
}

bool setup_is_done(const struct client *client, const struct home *home)
{
	AUTO(plan_free) struct plan *plan = NULL;
	struct error err = {0};

	(void)home;
	if (plan_make(client, false, false, "/belfry", NULL, &plan, &err) < 0)
		return false;
	for (size_t k = 0; k < plan->item_count; k++) {
		const struct item *i = &plan->items[k];
		enum item_state state = STATE_ABSENT;
		AUTO_BUF struct buf text = {0};

		if (i->kind != ITEM_SERVER && i->kind != ITEM_TABLE)
			continue;
		return file_read(plan->files[i->file].path, TARGET_MAX, &text, &err) == 0 &&
		       item_look(plan, i, &text, &state, &err) == 0 &&
		       (state == STATE_OURS || state == STATE_SAME);
	}
	return false;
}
