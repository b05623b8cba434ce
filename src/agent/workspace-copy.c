/*
 * workspace-copy.c: a folder, copied and deleted, without ever leaving it.
 * Every step is relative to an open folder and follows no link, so that a link swapped in meanwhile
 * leads nowhere. Links are copied as links. Pipes, sockets and devices are refused: a copy of one
 * would be the thing itself. Permission bits are kept, set-user-id and the like are not.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "agent/wrapper-parts.h"
#include "base/mem.h"

#define DEPTH_MAX 200 /* two descriptors a level */
#define PIECE ((size_t)16 * 1024 * 1024)

struct copy {
	struct wrapper *w;
	struct stat target; /* the folder being made: it must not be copied into itself */
	struct buf path;    /* of what is being copied, for errors */
};

static int copy_bytes(int from, int to)
{
	ssize_t n;

	/* Shares blocks where the file system can; not every one does it, and not to another. */
	while ((n = copy_file_range(from, NULL, to, NULL, PIECE, 0)) > 0)
		;
	if (n < 0 && errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS)
		return -1;
	/* Files of /proc and the like end at once above and still have something to say. */
	while ((n = sendfile(to, from, NULL, PIECE)) > 0)
		;
	return n < 0 ? -1 : 0;
}

static int copy_file(struct copy *c, int from_dir, int to_dir, const char *name, struct error *err)
{
	AUTO_CLOSE int from =
		openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	AUTO_CLOSE int to = -1;
	struct stat st;

	if (from < 0 || fstat(from, &st) < 0)
		return error_set_errno(err, errno, "cannot read '%s'", buf_text(&c->path));
	to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0 || copy_bytes(from, to) < 0 || fchmod(to, st.st_mode & 0777) < 0 ||
	    futimens(to, (struct timespec[]){st.st_atim, st.st_mtim}) < 0)
		return error_set_errno(err, errno, "cannot copy '%s'", buf_text(&c->path));
	return 0;
}

static int copy_link(struct copy *c, int from_dir, int to_dir, const char *name, struct error *err)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from_dir, name, target, sizeof(target) - 1);

	if (n >= 0) {
		target[n] = '\0';
		if (symlinkat(target, to_dir, name) == 0)
			return 0;
	}
	return error_set_errno(err, errno, "cannot copy the link '%s'", buf_text(&c->path));
}

static int copy_inside(struct copy *c, int from, int to, int depth, struct error *err);

static int copy_folder(struct copy *c, int from_dir, int to_dir, const char *name, int depth,
		       struct error *err)
{
	AUTO_CLOSE int from =
		openat(from_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	AUTO_CLOSE int to = -1;
	struct stat st;
	int r;

	if (from < 0 || fstat(from, &st) < 0)
		return error_set_errno(err, errno, "cannot enter '%s'", buf_text(&c->path));
	if (st.st_dev == c->target.st_dev && st.st_ino == c->target.st_ino)
		return error_set(err, ERR_INVALID, "'%s' is inside of what is to be copied into it",
				 buf_text(&c->path));
	if (depth > DEPTH_MAX)
		return error_set(err, ERR_INVALID, "'%s' is deeper than %d folders",
				 buf_text(&c->path), DEPTH_MAX);
	if (mkdirat(to_dir, name, 0700) == 0)
		to = openat(to_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to < 0)
		return error_set_errno(err, errno, "cannot copy '%s'", buf_text(&c->path));
	r = copy_inside(c, from, to, depth, err);
	if (r < 0)
		return r;
	/* Last: one that may not be written could not have been filled. */
	if (fchmod(to, st.st_mode & 0777) < 0)
		return error_set_errno(err, errno, "cannot copy '%s'", buf_text(&c->path));
	return 0;
}

static int copy_one(struct copy *c, int from, int to, const char *name, int depth,
		    struct error *err)
{
	struct stat st;
	int r = wrapper_check(c->w, err);

	if (r < 0)
		return r;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return error_set_errno(err, errno, "cannot look at '%s'", buf_text(&c->path));
	if (S_ISDIR(st.st_mode))
		return copy_folder(c, from, to, name, depth + 1, err);
	if (S_ISREG(st.st_mode))
		return copy_file(c, from, to, name, err);
	if (S_ISLNK(st.st_mode))
		return copy_link(c, from, to, name, err);
	error_set(err, ERR_INVALID, "'%s' is a pipe, a socket or a device", buf_text(&c->path));
	return error_hint(err, "only files, folders and links can be copied");
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
#define AUTO_DIR __attribute__((cleanup(close_dir)))

static DIR *open_dir(int fd)
{
	AUTO_CLOSE int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (dir)
		(void)steal_fd(&copy);
	return dir;
}

static int copy_inside(struct copy *c, int from, int to, int depth, struct error *err)
{
	AUTO_DIR DIR *dir = open_dir(from);
	size_t len = c->path.len;
	const struct dirent *d;
	int r;

	if (!dir)
		return error_set_errno(err, errno, "cannot read '%s'", buf_text(&c->path));
	while ((errno = 0, d = readdir(dir))) {
		if (is_dots(d->d_name))
			continue;
		buf_printf(&c->path, "/%s", d->d_name);
		r = copy_one(c, from, to, d->d_name, depth, err);
		if (r < 0)
			return r;
		c->path.len = len;
		c->path.data[len] = '\0';
	}
	return errno ? error_set_errno(err, errno, "cannot read '%s'", buf_text(&c->path)) : 0;
}

int folder_copy(struct wrapper *w, const char *from, const char *to, struct error *err)
{
	/* The folder itself may be a link: it is what its owner named. */
	AUTO_CLOSE int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int target = -1;
	struct copy c = {.w = w};
	int r;

	if (source < 0)
		return error_set_errno(err, errno, "cannot enter folder '%s'", from);
	if (mkdir(to, 0700) == 0)
		target = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (target < 0 || fstat(target, &c.target) < 0)
		return error_set_errno(err, errno, "cannot create folder '%s'", to);
	buf_add_str(&c.path, from);
	r = copy_inside(&c, source, target, 0, err);
	buf_fini(&c.path);
	return r;
}

/* What is being deleted, and what was too deep in it and has been moved up. */
struct emptying {
	int top;
	unsigned moved;
};

/* Out of the depth: its turn comes when this pass is over. */
static int lift(struct emptying *x, int fd, const char *name)
{
	char to[32];

	do
		snprintf(to, sizeof(to), ".belfry-deep.%u", ++x->moved);
	while (renameat2(fd, name, x->top, to, RENAME_NOREPLACE) < 0 && errno == EEXIST);
	return faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? -1 : 0;
}

static int empty(struct emptying *x, int fd, int depth)
{
	AUTO_DIR DIR *dir = open_dir(fd);
	const struct dirent *d;

	if (!dir)
		return -1;
	while ((d = readdir(dir))) {
		AUTO_CLOSE int sub = -1;

		if (is_dots(d->d_name) || unlinkat(fd, d->d_name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM && errno != EACCES)
			return -1;
		/* A folder, or something in a folder that may not be written: ours all the same. */
		fchmod(fd, 0700);
		sub = openat(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0 && errno == EACCES && fchmodat(fd, d->d_name, 0700, 0) == 0)
			sub = openat(fd, d->d_name,
				     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0 && depth >= DEPTH_MAX) {
			if (lift(x, fd, d->d_name) < 0)
				return -1;
		} else if (sub < 0 ? unlinkat(fd, d->d_name, 0) < 0
				   : empty(x, sub, depth + 1) < 0 ||
					     unlinkat(fd, d->d_name, AT_REMOVEDIR) < 0) {
			return -1;
		}
	}
	return 0;
}

int folder_remove(const char *path, struct error *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct emptying x = {.top = fd};
	unsigned before;
	int r = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	do {
		before = x.moved;
		r = fd < 0 ? -1 : empty(&x, fd, 0);
	} while (r == 0 && x.moved > before);
	if (r < 0 || rmdir(path) < 0)
		return error_set_errno(err, errno, "cannot delete folder '%s'", path);
	return 0;
}
