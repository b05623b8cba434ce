/*
 * unsure.c: see unsure.h.
 * All of it may fail quietly: then the same request is a new one, as it would have been without.
 */
#include "cli/unsure.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"

#define KEPT_SECONDS 3000 /* a little less than answers are kept (request/answered.c) */

static char *folder_of(const struct unsure *u)
{
	return mem_printf("%s/unsure", u->home->state_dir);
}

/* By everything that makes it the same request of the same caller. */
static char *path_of(const struct unsure *u)
{
	json_t *none = json_null();
	AUTO(json_decref)
	json_t *all = json_pack("[s, O, O]", u->request, u->args ? u->args : none,
				u->claim ? u->claim : none);
	AUTO(free) char *text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
	char hash[SHA256_HEX_MAX];

	sha256_hex(text ? text : "", text ? strlen(text) : 0, hash);
	return mem_printf("%s/unsure/%.32s", u->home->state_dir, hash);
}

/* Nobody asks the same again so much later, or it is not the same any more. */
static void sweep(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *e;
	struct stat st;

	while (dir && (e = readdir(dir)))
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && time(NULL) - st.st_mtime > KEPT_SECONDS)
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder); /* when that was the last */
}

bool unsure_recall(const struct unsure *u, char ret[static UNSURE_ID_MAX])
{
	AUTO(free) char *folder = folder_of(u), *path = NULL;
	AUTO_BUF struct buf text = {0};
	struct error err = {0};

	if (access(folder, F_OK) < 0)
		return false;
	sweep(folder);
	path = path_of(u);
	if (file_read(path, UNSURE_ID_MAX - 1, &text, &err) < 0 || !text.len)
		return false;
	snprintf(ret, UNSURE_ID_MAX, "%s", buf_text(&text));
	return true;
}

void unsure_remember(const struct unsure *u, const char *id)
{
	AUTO(free) char *folder = folder_of(u), *path = path_of(u);
	struct error err = {0};

	if (dir_make_private(folder, &err) == 0)
		file_write(path, id, strlen(id), &err);
}

void unsure_forget(const struct unsure *u)
{
	AUTO(free) char *folder = folder_of(u), *path = path_of(u);

	unlink(path);
	rmdir(folder); /* when that was the last */
}
