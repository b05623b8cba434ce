/*
 * zone-name.c: what a zone may be called, and which one was meant when there is none.
 * A hint is only ever a hint: "europe/berlin" is refused with the right spelling, since a name is
 * stored and compared for years. The folder of the zone files is the list of names; it is read
 * only after a failure. Names of the IANA start with a capital and have no dots, which leaves the
 * tables, the leap seconds, and the posix/ and right/ copies aside.
 */
#include "schedule/zone-name.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"

#define FOLDER_DEFAULT "/usr/share/zoneinfo"
#define FOLDER_DEPTH_MAX 3
#define NAMES_MAX 4096
#define NAME_LEN_MAX 100
#define NEAREST_LEN_MIN 4 /* a shorter word is near to everything */

struct names {
	char **list;
	size_t count;
};

/* What people call a zone that only the clock on their wall is called. */
/* clang-format off */
static const struct nickname {
	const char *word, *zone;
} nicknames[] = {
	{"PST",  "America/Los_Angeles"}, {"PDT",  "America/Los_Angeles"},
	{"MDT",  "America/Denver"},      {"CST",  "America/Chicago"},
	{"CDT",  "America/Chicago"},     {"EDT",  "America/New_York"},
	{"AKST", "America/Anchorage"},   {"AKDT", "America/Anchorage"},
	{"BST",  "Europe/London"},       {"CEST", "Europe/Berlin"},
	{"EEST", "Europe/Helsinki"},     {"WEST", "Europe/Lisbon"},
	{"MSK",  "Europe/Moscow"},       {"IST",  "Asia/Kolkata"},
	{"JST",  "Asia/Tokyo"},          {"KST",  "Asia/Seoul"},
	{"SGT",  "Asia/Singapore"},      {"AEST", "Australia/Sydney"},
	{"AEDT", "Australia/Sydney"},    {"NZST", "Pacific/Auckland"},
	{"NZDT", "Pacific/Auckland"},    {"Z",    "UTC"},
};
/* clang-format on */

const char *zone_folder(void)
{
	const char *folder = getenv("TZDIR");

	return folder && *folder ? folder : FOLDER_DEFAULT;
}

bool zone_name_is_plain(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len > NAME_LEN_MAX || name[0] == '/' || name[len - 1] == '/')
		return false;
	if (strstr(name, "..") || strstr(name, "//"))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_+-/.", name[i]))
			return false;
	/* A link out of the folder, to whatever the machine has today. */
	return strcmp(name, "localtime") != 0;
}

static bool entry_is_name(const char *entry, int depth)
{
	return !strchr(entry, '.') && (depth > 0 || isupper((unsigned char)entry[0]));
}

static void collect(const char *folder, const char *prefix, int depth, struct names *names)
{
	AUTO(free) char *path = mem_printf("%s/%s", folder, prefix);
	DIR *dir = opendir(path);
	const struct dirent *e;
	struct stat st;

	while (dir && (e = readdir(dir)) && names->count < NAMES_MAX) {
		AUTO(free) char *name = mem_printf("%s%s%s", prefix, *prefix ? "/" : "", e->d_name);

		if (!entry_is_name(e->d_name, depth) || fstatat(dirfd(dir), e->d_name, &st, 0) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < FOLDER_DEPTH_MAX)
			collect(folder, name, depth + 1, names);
		if (!S_ISREG(st.st_mode))
			continue;
		names->list = mem_grow(names->list, names->count + 1, sizeof(*names->list));
		names->list[names->count++] = steal_ptr(&name);
	}
	if (dir)
		closedir(dir);
}

static void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *city_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* The name of this spelling or city but for case, else the nearest by edits, else NULL. */
static const char *find_nearest(const char *word, const struct names *names)
{
	AUTO(free) char *memory = mem_array(names->count + 1, sizeof(char *));
	const char **cities = (const char **)(void *)memory;
	const char *near;

	for (size_t i = 0; i < names->count; i++)
		if (strcasecmp(word, names->list[i]) == 0)
			return names->list[i];
	for (size_t i = 0; i < names->count; i++)
		if (strcasecmp(word, cities[i] = city_of(names->list[i])) == 0)
			return names->list[i];
	if (strlen(word) < NEAREST_LEN_MIN)
		return NULL;
	near = text_nearest(word, (const char *const *)names->list, names->count);
	if (near || strchr(word, '/'))
		return near;
	near = text_nearest(word, cities, names->count);
	for (size_t i = 0; near && i < names->count; i++)
		if (near == cities[i])
			return names->list[i];
	return NULL;
}

int zone_name_hint(const char *name, struct error *err)
{
	AUTO(free) char *word = mem_strndup(name, NAME_LEN_MAX);
	struct names names = {0};
	const char *near;

	for (size_t i = 0; i < sizeof(nicknames) / sizeof(nicknames[0]); i++)
		if (strcasecmp(word, nicknames[i].word) == 0)
			return error_hint(err, "did you mean '%s'?", nicknames[i].zone);
	for (char *p = word; *p; p++)
		if (*p == ' ')
			*p = '_';
	collect(zone_folder(), "", 0, &names);
	if (names.count == 0) {
		error_hint(err, "no zone files in '%s'; install the package tzdata", zone_folder());
		goto done;
	}
	qsort(names.list, names.count, sizeof(*names.list), compare_names);
	near = find_nearest(word, &names);
	if (near)
		error_hint(err, "did you mean '%s'?", near);
	else
		error_hint(err, "zones have names like 'Europe/Berlin' or 'UTC'");
done:
	names_fini(&names);
	return err->code;
}

const char *zone_name_in_path(const char *path)
{
	size_t len = strlen(zone_folder());
	const char *name = NULL, *usual;

	if (strncmp(path, zone_folder(), len) == 0 && path[len] == '/')
		name = path + len + 1;
	else if ((usual = strstr(path, "/zoneinfo/")))
		name = usual + strlen("/zoneinfo/");
	if (name && strncmp(name, "posix/", 6) == 0)
		name += 6;
	return name && *name ? name : NULL;
}
