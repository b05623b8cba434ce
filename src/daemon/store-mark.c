/*
 * store-mark.c: see store-mark.h.
 * A file inside the home is noted by its name alone, so that a home may be moved. A home of an older belfry has no
 * mark; that it was used shows in what its missions and messages left.
 *
 * A number is counted on at starts and stops, and now and then between, in the store first: the file is never
 * ahead, unless the store went back.
 */
#include "daemon/store-mark.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "schedule/instant.h"
#include "schedule/zone.h"
#include "store/kv.h"
#include "store/mission.h"

#define MARK_FILE "store.mark"
#define MARK_MAX 8192
#define COUNT "store.mark"

static char *mark_path(const struct home *h)
{
	return mem_printf("%s/" MARK_FILE, h->state_dir);
}

static const char *file_of(const char *url)
{
	return strncmp(url, "sqlite:", 7) == 0 && strcmp(url + 7, ":memory:") != 0 ? url + 7 : NULL;
}

/* The caller frees. A URL of a server may hold a password: of that only a hash is kept, of what is behind it. */
static char *name_of(const struct home *h, const char *url)
{
	const char *file = file_of(url), *at = strrchr(url, '@');
	size_t len = strlen(h->state_dir);
	char hash[SHA256_HEX_MAX];

	if (file && strncmp(file, h->state_dir, len) == 0 && file[len] == '/')
		return mem_strdup(file + len + 1);
	if (file)
		return mem_strdup(file);
	at = at ? at : url;
	sha256_hex(at, strlen(at), hash);
	return mem_printf("server %.16s", hash);
}

static json_t *read_mark(const struct home *h)
{
	AUTO(free) char *path = mark_path(h);
	AUTO_BUF struct buf text = {0};
	struct error none = {0};

	return file_read(path, MARK_MAX, &text, &none) < 0 ? NULL
							   : json_loads(buf_text(&text), 0, NULL);
}

/* What is noted of a store: a new reference, or NULL. */
static json_t *read_entry(const struct home *h, const char *url)
{
	AUTO(json_decref) json_t *mark = read_mark(h);
	AUTO(free) char *name = name_of(h, url);

	return json_incref(json_object_get(json_object_get(mark, "stores"), name));
}

static bool has(const struct home *h, const char *name)
{
	AUTO(free) char *path = mem_printf("%s/%s", h->state_dir, name);
	struct stat st;

	return stat(path, &st) == 0;
}

static bool was_used(const struct home *h, const char *url)
{
	AUTO(json_decref) json_t *entry = read_entry(h, url), *mark = read_mark(h);

	if (entry || mark)
		return entry != NULL;
	/* One that cannot be read shows as much. */
	return strcmp(file_of(url), h->database) == 0 &&
	       (has(h, MARK_FILE) ||
		(has(h, "home.id") && (has(h, "missions") || has(h, "threads"))));
}

static int is_copy(const struct dirent *e)
{
	return strstr(e->d_name, ".saved-") && !strstr(e->d_name, ".partial");
}

/* The newest copy beside it that we saved, or NULL. */
static char *saved_beside(const char *file)
{
	const char *slash = strrchr(file, '/');
	AUTO(free)
	char *folder = slash ? mem_strndup(file, (size_t)(slash - file)) : mem_strdup(".");
	const char *name = slash ? slash + 1 : file;
	struct dirent **entries = NULL;
	char *newest = NULL;
	int count = scandir(folder, &entries, is_copy, alphasort);

	for (int i = 0; i < count; i++) {
		if (strncmp(entries[i]->d_name, name, strlen(name)) == 0)
			mem_replace(&newest, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return newest;
}

int store_mark_check(const struct home *h, const char *url, struct error *err)
{
	AUTO(free) char *saved = NULL;
	const char *file = file_of(url);
	struct stat st = {0};
	bool there;

	if (!file)
		return 0;
	there = stat(file, &st) == 0;
	if ((there && st.st_size > 0) || !was_used(h, url))
		return 0;
	saved = saved_beside(file);
	error_set(err, ERR_UNAVAILABLE, "store '%s' is %s, and this home was in use", file,
		  there ? "empty" : "gone");
	if (saved)
		return error_hint(err,
				  "what it had is in '%.40s': put that there; or, to begin with "
				  "nothing: belfry daemon start --fresh",
				  saved);
	return error_hint(
		err, "put a backup there; or, to begin with nothing: belfry daemon start --fresh");
}

static void write_entry(const struct home *h, const char *url, json_t *entry)
{
	AUTO(json_decref) json_t *read = read_mark(h), *mark = json_object();
	AUTO(free) char *path = mark_path(h), *name = name_of(h, url);
	json_t *stores = json_object_get(read, "stores");

	stores = json_is_object(stores) ? json_incref(stores) : json_object();
	json_put(stores, name, json_incref(entry));
	json_put(mark, "stores", stores);
	AUTO(free) char *text = json_dumps(mark, JSON_COMPACT | JSON_SORT_KEYS);
	struct error err = {0};

	if (file_write(path, text, strlen(text), &err) < 0)
		log_warning("%s", err.message);
}

void store_mark_note(const struct home *h, const char *url)
{
	AUTO(json_decref) json_t *entry = read_entry(h, url), *fresh = json_object();
	struct stat st;

	if (entry || strcmp(url, "sqlite::memory:") == 0 ||
	    (file_of(url) && (stat(file_of(url), &st) < 0 || st.st_size == 0)))
		return;
	write_entry(h, url, fresh);
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Missions that left a folder, and that the store does not know. */
static int64_t unknown_missions(const struct home *h, struct db *db)
{
	AUTO(free) char *folder = mem_printf("%s/missions", h->state_dir);
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_visible, NULL);
	int64_t unknown = 0;

	for (int i = 0; i < count; i++) {
		AUTO(mission_free) struct mission *m = NULL;
		struct error err = {0};

		unknown += mission_find(db, entries[i]->d_name, &m, &err) == ERR_NOT_FOUND;
		free(entries[i]);
	}
	free(entries);
	return unknown;
}

static char *tell_older(const struct home *h, struct db *db, const json_t *entry)
{
	int64_t missions = unknown_missions(h, db);
	char at[INSTANT_TEXT_MAX];
	const char *source;

	instant_format_long(json_integer_value(json_object_get(entry, "at")),
			    zone_of_machine(&source), at);
	return mem_printf("The store is older than this home, as after a backup was put back: the "
			  "one it used until %s knew more. What was set since the backup is not in "
			  "it; what was due since fires again, also what had fired or run. %" PRId64
			  " missions have a folder in '%s/missions' and are not in the store.",
			  at, missions, h->state_dir);
}

int store_mark_count(const struct home *h, const char *url, struct db *db, int64_t *ret_count,
		     char **ret_older, struct error *err)
{
	AUTO(json_decref) json_t *entry = read_entry(h, url);
	int64_t ours = json_integer_value(json_object_get(entry, "count")), theirs;
	AUTO(free) char *text = NULL;
	char next[24];
	int r = kv_get(db, COUNT, &text, err);

	if (r < 0)
		return r;
	theirs = text ? strtoll(text, NULL, 10) : 0;
	if (theirs < ours)
		*ret_older = tell_older(h, db, entry);
	*ret_count = (theirs > ours ? theirs : ours) + 1;
	snprintf(next, sizeof(next), "%" PRId64, *ret_count);
	return kv_set(db, COUNT, next, err);
}

void store_mark_write(const struct home *h, const char *url, int64_t count)
{
	AUTO(json_decref) json_t *entry = read_entry(h, url);

	/* Where it is not noted, as one in memory, there is nothing to compare with. */
	if (!entry)
		return;
	json_put_int(entry, "count", count);
	json_put_int(entry, "at", clock_now());
	write_entry(h, url, entry);
}
