/*
 * target.c: files of clients, read and replaced.
 * Whatever could go wrong is looked for before anything is changed: several files belong together. A
 * client may rewrite its file at any time, so it is compared once more before it is replaced.
 */
#include "setup/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/mem.h"

#define ANY_WRITE (S_IWUSR | S_IWGRP | S_IWOTH)

/* By its mode as well: root may write what somebody meant to stay as it is. */
static bool is_writable(const char *path, const struct stat *st)
{
	return (st->st_mode & ANY_WRITE) && access(path, W_OK) == 0;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

/* The nearest folder that is there must let us in. */
static int check_folder(const char *path, struct error *err)
{
	AUTO(free) char *folder = folder_of(path);
	struct stat st;

	while (stat(folder, &st) < 0) {
		char *up;

		if (errno != ENOENT || strcmp(folder, "/") == 0)
			return error_set_errno(err, errno, "cannot look at folder '%s'", folder);
		up = folder_of(folder);
		free(folder);
		folder = up;
	}
	if (!S_ISDIR(st.st_mode)) {
		error_set(err, ERR_CONFLICT, "'%s' is not a folder", folder);
		return error_hint(err, "it stands where '%s' is to be", path);
	}
	if (is_writable(folder, &st))
		return 0;
	error_set(err, ERR_DENIED, "folder '%s' is not writable", folder);
	return error_hint(err, "chmod u+w '%s'", folder);
}

static int check_file(const struct target *t, const struct stat *st, struct error *err)
{
	if (!S_ISREG(st->st_mode)) {
		error_set(err, ERR_CONFLICT, "'%s' is not a regular file", t->path);
		return error_hint(err, "move it away, then try again");
	}
	if (!is_writable(t->real, st)) {
		error_set(err, ERR_DENIED, "'%s' is not writable", t->path);
		return error_hint(err, "chmod u+w '%s'", t->path);
	}
	return 0;
}

int target_open(struct target *t, const char *path, bool is_private, struct error *err)
{
	struct stat st;
	int r;

	*t = (struct target){.path = path, .mode = is_private ? 0600 : 0644};
	if (lstat(path, &st) < 0) {
		if (errno != ENOENT)
			return error_set_errno(err, errno, "cannot look at '%s'", path);
		t->real = mem_strdup(path);
		return check_folder(path, err);
	}
	t->real = realpath(path, NULL);
	if (!t->real || stat(t->real, &st) < 0) {
		error_set_errno(err, errno, "cannot follow '%s'", path);
		return error_hint(err, "it is a link; make what it leads to, or remove it");
	}
	r = check_file(t, &st, err);
	if (r < 0 || (r = check_folder(t->real, err)) < 0)
		return r;
	t->there = true;
	t->mode = st.st_mode & 07777;
	t->uid = st.st_uid;
	t->gid = st.st_gid;
	return file_read(t->real, TARGET_MAX, &t->text, err);
}

void target_fini(struct target *t)
{
	free(t->real);
	buf_fini(&t->text);
}

static int make_folders(const char *path, mode_t mode, json_t *made, struct error *err)
{
	AUTO(free) char *folder = folder_of(path);
	struct stat st;
	int r;

	if (stat(folder, &st) == 0)
		return 0;
	r = make_folders(folder, mode, made, err);
	if (r < 0)
		return r;
	if (mkdir(folder, mode) < 0)
		return error_set_errno(err, errno, "cannot make folder '%s'", folder);
	json_array_append_new(made, json_string(folder));
	return 0;
}

static int check_unchanged(const struct target *t, struct error *err)
{
	AUTO_BUF struct buf now = {0};
	int r = file_read(t->real, TARGET_MAX, &now, err);

	if (r == ERR_NOT_FOUND && !t->there)
		return 0;
	if (r < 0)
		return r;
	if (t->there && now.len == t->text.len &&
	    memcmp(buf_text(&now), buf_text(&t->text), now.len) == 0)
		return 0;
	error_set(err, ERR_CONFLICT, "'%s' was changed by somebody else just now", t->path);
	return error_hint(err, "try again");
}

int target_write(const struct target *t, const char *text, size_t len, json_t *made,
		 struct error *err)
{
	AUTO(free) char *beside = mem_printf("%s.belfry-XXXXXX", t->real);
	AUTO_CLOSE int fd = -1;
	int r = make_folders(t->real, t->mode & 077 ? 0755 : 0700, made, err);

	if (r < 0 || (r = check_unchanged(t, err)) < 0)
		return r;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0)
		return error_set_errno(err, errno, "cannot write beside '%s'", t->path);
	/* An owner that we may not set is ours, as of any file we write. */
	if (t->there && (t->uid != geteuid() || t->gid != getegid()) &&
	    fchown(fd, t->uid, t->gid) < 0)
		errno = 0;
	if (fchmod(fd, t->mode) < 0 || fd_write_all(fd, text, len) < 0 || fsync(fd) < 0 ||
	    rename(beside, t->real) < 0) {
		error_set_errno(err, errno, "cannot write '%s'", t->path);
		unlink(beside);
		return err->code;
	}
	file_sync_parent(t->real);
	return 0;
}

int target_remove(const struct target *t, const json_t *folders, struct error *err)
{
	int r = check_unchanged(t, err);

	if (r < 0)
		return r;
	if (unlink(t->real) < 0)
		return error_set_errno(err, errno, "cannot delete '%s'", t->path);
	for (size_t i = json_array_size(folders); i-- > 0;)
		rmdir(json_string_value(json_array_get(folders, i)));
	return 0;
}
