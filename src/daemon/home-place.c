/*
 * home-place.c: see home-place.h.
 * The place is the path of the state folder and its inode, noted in home.place. A folder that is moved on its file system
 * keeps the inode; one that is moved to another leaves its old path; one that is restored is at its old path. But whoever
 * comes from a path where there is a home with the same id is one of two: the other was restored there, or was out of sight for
 * a moment. So where it came from stays noted, too.
 */
#include "daemon/home-place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"

#define ID_FILE "home.id"
#define ID_LEN 24
#define PLACE_FILE "home.place"
#define PLACE_MAX 65536
#define PLACES_MAX 8 /* that it came from; a path is at most 4096 bytes */

static char *read_id(const char *folder)
{
	AUTO(free) char *path = mem_printf("%s/" ID_FILE, folder);
	AUTO_BUF struct buf text = {0};
	struct error ignored = {0};

	return file_read(path, ID_LEN, &text, &ignored) == 0 && text.len == ID_LEN
		       ? mem_strdup(buf_text(&text))
		       : NULL;
}

static char *new_id(const struct home *h, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/" ID_FILE, h->state_dir);
	char id[ID_LEN + 1];

	random_id("", ID_LEN, id);
	return file_write(path, id, ID_LEN, err) < 0 ? NULL : mem_strdup(id);
}

char *home_place_id(const struct home *h)
{
	struct error ignored = {0};
	char *id = read_id(h->state_dir);

	return id ? id : new_id(h, &ignored);
}

static json_t *read_place(const struct home *h)
{
	AUTO(free) char *path = mem_printf("%s/" PLACE_FILE, h->state_dir);
	AUTO_BUF struct buf text = {0};
	struct error none = {0};

	return file_read(path, PLACE_MAX, &text, &none) < 0 ? NULL
							    : json_loads(buf_text(&text), 0, NULL);
}

/* `from` is borrowed, and may be NULL. */
static int write_place(const struct home *h, const struct stat *st, json_t *from, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/" PLACE_FILE, h->state_dir);
	AUTO(json_decref) json_t *place = json_object();

	json_put_text(place, "path", h->state_dir);
	if (json_array_size(from))
		json_object_set(place, "from", from);
	json_put_int(place, "dev", (int64_t)st->st_dev);
	json_put_int(place, "ino", (int64_t)st->st_ino);
	AUTO(free) char *text = json_dumps(place, JSON_COMPACT | JSON_SORT_KEYS);

	return file_write(path, text, strlen(text), err);
}

static bool is_noted(const json_t *place, const struct stat *st)
{
	return json_integer_value(json_object_get(place, "ino")) == (int64_t)st->st_ino &&
	       json_integer_value(json_object_get(place, "dev")) == (int64_t)st->st_dev;
}

static bool is_copy_of(const struct home *h, const char *origin, const struct stat *ours)
{
	AUTO(free) char *id = read_id(h->state_dir), *other = NULL;
	struct stat st;

	if (stat(origin, &st) < 0 || (st.st_ino == ours->st_ino && st.st_dev == ours->st_dev))
		return false;
	other = read_id(origin);
	return id && other && strcmp(id, other) == 0;
}

/* Where it was before, the last place last. */
static json_t *places_before(const struct home *h, const json_t *place)
{
	const char *noted = json_string_value(json_object_get(place, "path"));
	json_t *from = json_array(), *known = json_object_get(place, "from"), *one;
	size_t i;

	json_array_foreach(known, i, one)
	{
		const char *path = json_string_value(one);

		if (path && strcmp(path, h->state_dir) != 0 && (!noted || strcmp(path, noted) != 0))
			json_array_append(from, one);
	}
	if (noted && strcmp(noted, h->state_dir) != 0)
		json_array_append_new(from, json_string(noted));
	while (json_array_size(from) > PLACES_MAX)
		json_array_remove(from, 0);
	return from;
}

int home_place_check(const struct home *h, char **ret_origin, struct error *err)
{
	AUTO(json_decref) json_t *place = read_place(h), *from = places_before(h, place);
	const char *noted = json_string_value(json_object_get(place, "path"));
	struct error unwritable = {0};
	struct stat st;

	if (stat(h->state_dir, &st) < 0)
		return 0;
	for (size_t i = json_array_size(from); i > 0; i--) {
		const char *origin = json_string_value(json_array_get(from, i - 1));

		if (!is_copy_of(h, origin, &st))
			continue;
		*ret_origin = mem_strdup(origin);
		error_set(err, ERR_DENIED,
			  "home '%s' is a copy of '%s': both would fire everything", h->state_dir,
			  origin);
		return error_hint(err,
				  "to begin with nothing here: belfry daemon start --fresh; if the "
				  "other home is no longer used: belfry daemon start --take-over");
	}
	/* A disk that is full says so at the first commit. */
	if (!noted || strcmp(noted, h->state_dir) != 0 || !is_noted(place, &st))
		(void)write_place(h, &st, from, &unwritable);
	return 0;
}

int home_place_settle(const struct home *h, struct error *err)
{
	AUTO(free) char *id = NULL;
	struct stat st = {0};
	int r = stat(h->state_dir, &st) < 0 ? 0 : write_place(h, &st, NULL, err);

	if (r < 0)
		return r;
	id = new_id(h, err);
	return id ? 0 : err->code;
}
