/*
 * store-mark.c: see store-mark.h.
 * A file inside the home is noted by its name alone, so that a home may be moved. A home of an older belfry has no
 * mark; that it was used shows in what its missions and messages left.
 *
 * A store that went back in time, as a backup does that is put back, is told by two numbers. Every commit moves one of
 * them: it counts on in the store, or, when it only fired, it has a slot with a new key, so that a fire writes no page
 * for this. After the commit both are noted here with its instant: in store.last, one record that is written in place
 * and not synced, so that it survives whatever ends the daemon, short of the machine. The store is never behind it,
 * unless it went back; a record that a power failure took makes it look newer, which is nothing. When another store is
 * used, the record goes into store.mark.
 */
#include "daemon/store-mark.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/text.h"
#include "store/kv.h"
#include "store/mission.h"
#include "store/slot.h"

#define MARK_FILE "store.mark"
#define MARK_MAX 8192
#define SERVER "server "
#define COUNT "store.mark"
#define LAST_FILE "store.last"
#define LAST_SIZE 96
#define LAST_FORMAT "belfry 1 %16.16s %019" PRId64 " %019" PRId64 " %019" PRId64

/* How far a store is: its count, and the key of the newest slot, where nothing but fires followed that count (else 0). */
struct extent {
	int64_t count, slot;
	usec_t at;
};

struct store_mark {
	const struct home *home;
	char *url;
	char store[SHA256_HEX_MAX]; /* its name, as the record has it */
	struct db *db;
	int fd;		      /* of the record; -1: this store is not noted */
	struct extent noted;  /* as of the last commit */
	struct extent next;   /* as of the one under way; count 0: it writes nothing */
	int64_t changes;      /* by db_changes(), when it began */
	bool older, settling; /* it went back; and this commit puts that right */
};

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
	return mem_printf(SERVER "%.16s", hash);
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

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

/* As people know it; NULL: it is the one at `url`, or nothing is noted of it, as by an older belfry. */
static char *other_last(const struct home *h, const char *url)
{
	AUTO(json_decref) json_t *mark = read_mark(h);
	const char *last = json_string_value(json_object_get(mark, "last"));
	AUTO(free) char *name = name_of(h, url), *path = NULL;

	if (!last || strcmp(last, name) == 0)
		return NULL;
	if (strncmp(last, SERVER, strlen(SERVER)) == 0)
		return mem_strdup(json_string_value(json_object_get(mark, "shown")));
	path = last[0] == '/' ? mem_strdup(last) : mem_printf("%s/%s", h->state_dir, last);
	return file_of(url) && is_same_file(path, file_of(url)) ? NULL : steal_ptr(&path);
}

int store_mark_check_last(const struct home *h, const char *url, struct error *err)
{
	AUTO(free) char *last = other_last(h, url);
	AUTO(free) char *shown = last ? text_store_shown(url) : NULL;

	if (!last)
		return 0;
	error_set(err, ERR_DENIED, "this home last used the store '%s', and now '%s' would be used",
		  last, shown);
	return error_hint(err, "put 'store:' or BELFRY_STORE back; or, to go on with this one: "
			       "belfry daemon start --switch-store");
}

static bool has(const struct home *h, const char *name)
{
	AUTO(free) char *path = mem_printf("%s/%s", h->state_dir, name);
	struct stat st;

	return stat(path, &st) == 0;
}

bool store_mark_was_used(const struct home *h, const char *url)
{
	AUTO(json_decref) json_t *entry = read_entry(h, url), *mark = read_mark(h);

	if (entry || mark || !file_of(url))
		return entry != NULL;
	/* One that cannot be read shows as much. */
	return strcmp(file_of(url), h->database) == 0 &&
	       (has(h, MARK_FILE) ||
		(has(h, "home.id") && (has(h, "missions") || has(h, "threads"))));
}

static int is_copy(const struct dirent *e)
{
	const char *at = strstr(e->d_name, ".saved-");

	return at && at[strlen(".saved-") + strspn(at + strlen(".saved-"), "0123456789")] == '\0';
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
	if ((there && st.st_size > 0) || !store_mark_was_used(h, url))
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

/* --- store.mark: an entry for each store --------------------------------------------------------- */

static void write_mark(const struct home *h, const json_t *mark)
{
	AUTO(free) char *path = mark_path(h);
	struct error err = {0};
	AUTO(free) char *text = json_dumps(mark, JSON_COMPACT | JSON_SORT_KEYS);

	if (file_write(path, text, strlen(text), &err) < 0)
		log_warning("%s", err.message);
}

/* One that cannot be read begins anew. */
static json_t *mark_to_change(const struct home *h)
{
	json_t *mark = read_mark(h);

	if (!json_is_object(mark)) {
		json_decref(mark);
		mark = json_object();
	}
	if (!json_is_object(json_object_get(mark, "stores")))
		json_put(mark, "stores", json_object());
	return mark;
}

/* True: another one was. The name of a server does not tell which it is. */
static bool put_last(json_t *mark, const char *name, const char *url)
{
	const char *last = json_string_value(json_object_get(mark, "last"));
	AUTO(free) char *shown = text_store_shown(url);

	if (last && strcmp(last, name) == 0)
		return false;
	json_put_text(mark, "last", name);
	json_put_text(mark, "shown", shown);
	return true;
}

static struct extent extent_of(const json_t *entry)
{
	return (struct extent){.count = json_integer_value(json_object_get(entry, "count")),
			       .slot = json_integer_value(json_object_get(entry, "slot")),
			       .at = json_integer_value(json_object_get(entry, "at"))};
}

static void put_extent(json_t *entry, const struct extent *x)
{
	json_put_int(entry, "count", x->count);
	json_put_int(entry, "slot", x->slot);
	json_put_int(entry, "at", x->at);
}

static bool is_before(const struct extent *a, const struct extent *b)
{
	return a->count < b->count || (a->count == b->count && a->slot < b->slot);
}

/* --- store.last: the record of the last commit --------------------------------------------------- */

static int format_record(const char *store, const struct extent *x, char ret[static LAST_SIZE + 1])
{
	int len = snprintf(ret, LAST_SIZE + 1, LAST_FORMAT, store, x->count, x->slot, x->at);

	return snprintf(ret + len, (size_t)(LAST_SIZE + 1 - len), " %08" PRIx64 "\n",
			hash_bytes(ret, (size_t)len, 0) & 0xffffffff) +
	       len;
}

/* False: there is none, or it is not whole. */
static bool read_record(const struct home *h, char ret_store[static SHA256_HEX_MAX],
			struct extent *ret)
{
	AUTO(free) char *path = mem_printf("%s/" LAST_FILE, h->state_dir);
	char again[LAST_SIZE + 1];
	AUTO_BUF struct buf text = {0};
	struct error none = {0};

	if (file_read(path, LAST_SIZE, &text, &none) < 0)
		return false;
	/* NOLINTNEXTLINE(cert-err34-c): compared with what it would be */
	if (sscanf(buf_text(&text), "belfry 1 %16s %" SCNd64 " %" SCNd64 " %" SCNd64, ret_store,
		   &ret->count, &ret->slot, &ret->at) != 4)
		return false;
	format_record(ret_store, ret, again);
	return strcmp(again, buf_text(&text)) == 0;
}

static void write_record(const struct store_mark *m)
{
	char text[LAST_SIZE + 1];
	int len = format_record(m->store, &m->noted, text);

	if (m->fd >= 0 && pwrite(m->fd, text, (size_t)len, 0) != len)
		log_warning("cannot write '%s/" LAST_FILE "'", m->home->state_dir);
}

static void name_store(const char *name, char ret[static SHA256_HEX_MAX])
{
	sha256_hex(name, strlen(name), ret);
	ret[16] = '\0';
}

/* The record goes to the entry of its store. True: that is not the one in use now, which will take its place. */
static bool keep_record(const struct home *h, json_t *stores, const char *ours)
{
	char store[SHA256_HEX_MAX] = "", hash[SHA256_HEX_MAX];
	struct extent last = {0};
	const char *name;
	json_t *entry;

	if (!read_record(h, store, &last))
		return false;
	json_object_foreach(stores, name, entry)
	{
		struct extent known = extent_of(entry);

		name_store(name, hash);
		if (strcmp(hash, store) == 0 && is_before(&known, &last))
			put_extent(entry, &last);
	}
	return strcmp(store, ours) != 0;
}

/* --- the store that is open ---------------------------------------------------------------------- */

static int read_count(struct db *db, int64_t *ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	int r = kv_get(db, COUNT, &text, err);

	*ret = text ? strtoll(text, NULL, 10) : 0;
	return r;
}

/* Compare, and note it as in use from now on. */
static int compare(struct store_mark *m, bool is_new, struct error *err)
{
	AUTO(json_decref) json_t *mark = mark_to_change(m->home);
	AUTO(free) char *name = name_of(m->home, m->url);
	json_t *stores = json_object_get(mark, "stores"), *entry = json_object_get(stores, name);
	struct extent found = {0};
	bool changed = !entry;
	int r = read_count(m->db, &found.count, err);

	if (r < 0 || (r = slot_newest(m->db, &found.slot, err)) < 0)
		return r;
	if (!entry) {
		entry = json_object();
		json_put(stores, name, entry);
	}
	name_store(name, m->store);
	changed |= keep_record(m->home, stores, m->store);
	changed |= put_last(mark, name, m->url);
	m->noted = extent_of(entry);
	if (is_new) {
		m->noted = (struct extent){0};
		put_extent(entry, &m->noted);
		changed = true;
	}
	m->older = is_before(&found, &m->noted);
	if (!m->older) {
		m->noted.count = found.count;
		m->noted.slot = 0;
	}
	if (changed)
		write_mark(m->home, mark);
	return 0;
}

int store_mark_open(const struct home *h, const char *url, struct db *db, bool is_new,
		    struct store_mark **ret, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/" LAST_FILE, h->state_dir);
	AUTO(store_mark_close) struct store_mark *m = mem_zalloc(sizeof(*m));
	struct error none = {0};
	int r;

	m->home = h;
	m->url = mem_strdup(url);
	m->db = db;
	m->fd = -1;
	if (strcmp(url, "sqlite::memory:") != 0) {
		if ((r = compare(m, is_new, err)) < 0)
			return r;
		/* Where it cannot be written, the entries alone have to do. */
		m->fd = file_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, &none);
		if (!m->older)
			write_record(m);
	}
	*ret = steal_ptr(&m);
	return 0;
}

void store_mark_close(struct store_mark *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	free(m->url);
	free(m);
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int64_t store_mark_unknown_missions(const struct store_mark *m)
{
	AUTO(free) char *folder = mem_printf("%s/missions", m->home->state_dir);
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_visible, NULL);
	int64_t unknown = 0;

	for (int i = 0; i < count; i++) {
		AUTO(mission_free) struct mission *mission = NULL;
		struct error err = {0};

		unknown += mission_find(m->db, entries[i]->d_name, &mission, &err) == ERR_NOT_FOUND;
		free(entries[i]);
	}
	free(entries);
	return unknown;
}

bool store_mark_is_older(const struct store_mark *m, usec_t *ret_at)
{
	if (m && m->older)
		*ret_at = m->noted.at;
	return m && m->older;
}

void store_mark_begin(struct store_mark *m)
{
	m->changes = db_changes(m->db);
	m->next = (struct extent){0};
	m->settling = false;
}

static int count_on(struct store_mark *m, struct error *err)
{
	char text[24];

	m->next = (struct extent){.count = m->noted.count + 1};
	snprintf(text, sizeof(text), "%" PRId64, m->next.count);
	return kv_set(m->db, COUNT, text, err);
}

int store_mark_settle(struct store_mark *m, struct error *err)
{
	m->settling = true;
	return count_on(m, err);
}

int store_mark_count(struct store_mark *m, bool only_fires, struct error *err)
{
	int64_t slot = only_fires ? slot_last_inserted(m->db) : 0;

	/* Until somebody has put it right, it stays older than what is noted. */
	if (m->fd < 0 || m->older || m->next.count || db_changes(m->db) == m->changes)
		return 0;
	if (!slot)
		return count_on(m, err);
	m->next = (struct extent){.count = m->noted.count, .slot = slot};
	return 0;
}

void store_mark_commit(struct store_mark *m, usec_t now)
{
	m->older &= !m->settling;
	if (m->fd < 0 || m->older || !(m->next.count || m->next.slot))
		return;
	m->noted = m->next;
	m->noted.at = now;
	write_record(m);
}
