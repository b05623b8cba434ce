/*
 * library-file.c: the files of lessons and workflows. A name that an agent gives is walked from the folder on,
 * one part at a time, through folders and plain files only.
 */
#include "config/library-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/guard.h"

/* --- files -------------------------------------------------------------------------------- */

static int refuse(const char *path, const char *why, const char *remedy, struct error *err)
{
	error_set(err, ERR_INVALID, "'%s' %s", path, why);
	return error_hint(err, "%s", remedy);
}

/* The folder itself may be a link: it is the person's to say where it is. -1 and 0: it is not there. */
int shelf_open(const char *config_dir, const char *shelf, int *ret, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/%s", config_dir, shelf);

	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	*ret = -1;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd >= 0) {
		if ((r = guard_check_fd(fd, path, err)) == 0)
			*ret = steal_fd(&fd);
		return r;
	}
	return error_set_errno(err, errno, "cannot read the folder '%s'", path);
}

/* A folder or a plain file below an open folder, by a path without links. */
int shelf_open_below(int top, const char *path, int flags, struct error *err)
{
	AUTO_CLOSE int at = dup(top);
	AUTO(free) char *parts = mem_strdup(path);
	char *part = parts, *slash;

	for (; at >= 0; part = slash + 1) {
		int next;

		slash = strchr(part, '/');
		if (slash)
			*slash = '\0';
		next = openat(at, part,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
				      (slash ? O_DIRECTORY : flags));
		if (next >= 0 && guard_check_fd(next, path, err) < 0) {
			close(next);
			return err->code;
		}
		if (next < 0 || !slash) {
			if (next < 0 && (errno == ELOOP || (errno == ENOTDIR && slash)))
				return refuse(path, "is a link, or below one",
					      "put the file itself into the folder", err);
			return next >= 0 ? next
			       : errno == ENOENT
				       ? error_set(err, ERR_NOT_FOUND, "no file '%s'", path)
				       : error_set_errno(err, errno, "cannot open '%s'", path);
		}
		close(at);
		at = next;
	}
	return error_set_errno(err, errno, "cannot open '%s'", path);
}

static int check_size(const char *path, off_t size, struct error *err)
{
	if (size <= (off_t)LIBRARY_PAGE_MAX)
		return 0;
	error_set(err, ERR_INVALID, "'%s' is too long: %lld bytes, at most %zu", path,
		  (long long)size, LIBRARY_PAGE_MAX);
	return error_hint(err, "make several of it; an agent reads all of one at once");
}

static int read_all(int fd, const char *path, size_t most, struct buf *out, struct error *err)
{
	buf_reserve(out, most);
	while (out->len < most) {
		ssize_t n = read(fd, out->data + out->len, most - out->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read '%s'", path);
		if (n == 0)
			break;
		out->len += (size_t)n;
		out->data[out->len] = '\0';
	}
	return 0;
}

/* At most `most` bytes of a page, never half a character. */
int shelf_read(int top, const char *path, size_t most, struct buf *out, struct error *err)
{
	AUTO_CLOSE int fd = shelf_open_below(top, path, 0, err);
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return error_set_errno(err, errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return refuse(path, "is no plain file", "a page is a file of Markdown", err);
	if ((r = check_size(path, st.st_size, err)) < 0 ||
	    (r = read_all(fd, path, most, out, err)) < 0)
		return r;
	if (out->len == most) {
		out->len = text_fit(buf_text(out), most - 1);
		out->data[out->len] = '\0';
	}
	if (text_is_utf8(buf_text(out), out->len) && !memchr(buf_text(out), '\0', out->len))
		return 0;
	return refuse(path, "is not UTF-8", "save it as UTF-8 text", err);
}

/* --- folders ------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_fini(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i]);
	free(n->items);
}

/* What is in a folder, in order, but for hidden things. Takes over fd. */
int shelf_list(int fd, const char *path, struct names *ret, struct error *err)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *e;
	int r = 0;

	if (!dir) {
		close(fd);
		return error_set_errno(err, errno, "cannot read the folder '%s'", path);
	}
	while (r == 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		if (ret->count >= LIBRARY_PAGES_MAX) {
			r = error_set(err, ERR_INVALID, "'%s' has more than %d files", path,
				      LIBRARY_PAGES_MAX);
			break;
		}
		ret->items = mem_grow(ret->items, ret->count + 1, sizeof(*ret->items));
		ret->items[ret->count++] = mem_strdup(e->d_name);
	}
	closedir(dir);
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), by_name);
	return r;
}

bool shelf_is_folder(int top, const char *path)
{
	struct stat st;

	return fstatat(top, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}
