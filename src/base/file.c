/*
 * file.c: the few file habits everything relies on.
 * A file that matters is never written in place: a crash in the middle leaves the old one whole.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define CHOOSE_ANOTHER "choose another folder with BELFRY_HOME"

static int make_one(const char *path, struct error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	error_set_errno(err, errno, "cannot create folder '%s'", path);
	return error_hint(err, CHOOSE_ANOTHER);
}

int dir_make_private(const char *path, struct error *err)
{
	AUTO(free) char *copy = mem_strdup(path);
	struct stat st;
	int r;

	if (stat(path, &st) < 0) {
		for (char *p = copy + 1; *p; p++) {
			if (*p != '/')
				continue;
			*p = '\0';
			if (stat(copy, &st) < 0 && (r = make_one(copy, err)) < 0)
				return r;
			*p = '/';
		}
		r = make_one(copy, err);
		if (r < 0)
			return r;
		if (stat(path, &st) < 0)
			return error_set_errno(err, errno, "cannot look at folder '%s'", path);
	}
	if (!S_ISDIR(st.st_mode)) {
		error_set(err, ERR_INVALID, "'%s' is not a folder", path);
		return error_hint(err, CHOOSE_ANOTHER);
	}
	if (st.st_uid != geteuid()) {
		error_set(err, ERR_DENIED, "folder '%s' belongs to user %u, not to you (%u)", path,
			  st.st_uid, geteuid());
		return error_hint(err, CHOOSE_ANOTHER);
	}
	if ((st.st_mode & 077) != 0 && chmod(path, 0700) < 0)
		return error_set_errno(err, errno, "cannot make folder '%s' private", path);
	return 0;
}

/* --- reading --------------------------------------------------------------------------------- */

/* What is opened or read now, for whoever finds that it takes for ever; "" between. */
static char busy_with[PATH_MAX];

static void begin(const char *path)
{
	size_t len = strnlen(path, sizeof(busy_with) - 1);

	/* Its beginning last: a handler of a signal finds the whole of it, or nothing. */
	memcpy(busy_with + 1, path + 1, len ? len - 1 : 0);
	busy_with[len] = '\0';
	busy_with[0] = path[0];
}

static void done(void)
{
	busy_with[0] = '\0';
}

const char *file_busy_with(void)
{
	return busy_with;
}

static const char *kind_of(mode_t mode)
{
	return S_ISFIFO(mode)	? "a FIFO"
	       : S_ISDIR(mode)	? "a folder"
	       : S_ISSOCK(mode) ? "a socket"
	       : S_ISLNK(mode)	? "a link"
				: "a device";
}

static int refuse_kind(const char *path, mode_t mode, struct error *err)
{
	error_set(err, ERR_INVALID, "'%s' is %s, not a file", path, kind_of(mode));
	err->os_errno = S_ISDIR(mode) ? EISDIR : EINVAL;
	return error_hint(err, "take it away, or put a file there");
}

static int cannot_open(const char *path, struct error *err)
{
	error_set_errno(err, errno, "cannot open '%s'", path);
	if (err->os_errno == ENOENT)
		err->code = ERR_NOT_FOUND;
	return err->code;
}

static int open_plain(const char *path, int flags, struct error *err)
{
	int look = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
	AUTO_CLOSE int fd = -1;
	struct stat st;

	/* Looked at first, since to open a device may do something; and after, since it may be another by then. */
	if (fstatat(AT_FDCWD, path, &st, look) == 0 && !S_ISREG(st.st_mode))
		return refuse_kind(path, st.st_mode, err);
	fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return cannot_open(path, err);
	return S_ISREG(st.st_mode) ? steal_fd(&fd) : refuse_kind(path, st.st_mode, err);
}

int file_open(const char *path, int flags, struct error *err)
{
	int r;

	begin(path);
	r = open_plain(path, flags, err);
	done();
	return r;
}

int fd_read(int fd, const char *name, size_t limit, struct buf *ret, struct error *err)
{
	size_t start = ret->len;

	for (;;) {
		ssize_t n;

		buf_reserve(ret, 65536);
		n = read(fd, ret->data + ret->len, 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot read '%s'", name);
		if (n == 0)
			break;
		ret->len += (size_t)n;
		if (ret->len - start > limit)
			return error_set(err, ERR_INVALID, "'%s' is larger than %zu bytes", name,
					 limit);
	}
	ret->data[ret->len] = '\0';
	return 0;
}

int file_read(const char *path, size_t limit, struct buf *ret, struct error *err)
{
	AUTO_CLOSE int fd = -1;
	int r;

	begin(path);
	fd = open_plain(path, O_RDONLY, err);
	r = fd < 0 ? fd : fd_read(fd, path, limit, ret, err);
	done();
	return r;
}

int file_sync_parent(const char *path)
{
	AUTO(free) char *copy = mem_strdup(path);
	char *slash = strrchr(copy, '/');
	AUTO_CLOSE int fd = -1;

	if (slash == copy)
		slash++;
	if (slash)
		*slash = '\0';
	fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : fsync(fd);
}

int fd_write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write(const char *path, const void *bytes, size_t len, struct error *err)
{
	AUTO(free) char *temporary = mem_printf("%s.XXXXXX", path);
	AUTO_CLOSE int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, errno, "cannot write beside '%s'", path);
	if (fd_write_all(fd, bytes, len) < 0 || fsync(fd) < 0 || rename(temporary, path) < 0 ||
	    file_sync_parent(path) < 0) {
		error_set_errno(err, errno, "cannot write '%s'", path);
		unlink(temporary);
		return err->code;
	}
	return 0;
}

static pid_t read_owner(int fd)
{
	char text[32] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	return (pid_t)strtol(text, NULL, 10);
}

bool file_lock_is_held(const char *path, pid_t *ret_owner)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return false;
	*ret_owner = read_owner(fd);
	return true;
}

int file_lock(const char *path, int *ret_fd, pid_t *ret_owner, struct error *err)
{
	AUTO_CLOSE int fd = file_open(path, O_RDWR | O_CREAT, err);
	char text[32];
	int len;

	if (fd < 0) {
		error_prefix(err, "the lock");
		return *err->hint ? err->code
				  : error_hint(err, "the folder must be writable; BELFRY_HOME "
						    "names another");
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return error_set_errno(err, errno, "cannot lock '%s'", path);
		*ret_owner = read_owner(fd);
		return error_set(err, ERR_CONFLICT, "'%s' is locked by process %d", path,
				 (int)*ret_owner);
	}
	len = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)len, 0) != len)
		return error_set_errno(err, errno, "cannot write lock '%s'", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}
