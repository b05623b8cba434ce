/*
 * spool.c: see spool.h.
 * Nothing is ever in memory as a whole: the first 64 KiB decide whether a body fits into the
 * request, the rest goes from descriptor to descriptor.
 */
#include "cli/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "request/mail-file.h"

#define CHUNK ((size_t)64 * 1024)
#define NAME_LEN 20
#define SWEEP_MOST 1000
#define SWEEP_AGE (24 * 60 * 60)

struct spool {
	char *folder;
	char **names;
	size_t count;
};

struct spool *spool_new(const struct home *h)
{
	struct spool *s = mem_zalloc(sizeof(*s));

	s->folder = mem_printf("%s/spool", h->state_dir);
	return s;
}

void spool_free(struct spool *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		AUTO(free) char *path = mem_printf("%s/%s", s->folder, s->names[i]);

		unlink(path);
		free(s->names[i]);
	}
	free(s->names);
	free(s->folder);
	free(s);
}

/* A new file of our own; its name is the last of s->names. */
static int add_file(struct spool *s, int *ret_fd, struct error *err)
{
	char name[NAME_LEN + 3];
	AUTO(free) char *path = NULL;
	int fd, r = dir_make_private(s->folder, err);

	if (r < 0)
		return r;
	random_id("s-", NAME_LEN, name);
	path = mem_printf("%s/%s", s->folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set_errno(err, errno, "cannot write '%s'", path);
	s->names = mem_grow(s->names, s->count + 1, sizeof(*s->names));
	s->names[s->count++] = mem_strdup(name);
	*ret_fd = fd;
	return 0;
}

static ssize_t read_some(int fd, char *ret, size_t len)
{
	ssize_t n;

	do
		n = read(fd, ret, len);
	while (n < 0 && errno == EINTR);
	return n;
}

/* --- the body --- */

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!text[i] || !strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

static int refuse_blank(struct error *err)
{
	error_set(err, ERR_INVALID, "the message is empty");
	return error_hint(err, "give its text as BODY, or on standard input");
}

/* Up to `max` bytes; fewer only when there are no more. */
static int read_head(int fd, size_t max, struct buf *ret, struct error *err)
{
	buf_reserve(ret, max);
	while (ret->len < max) {
		ssize_t n = read_some(fd, ret->data + ret->len, max - ret->len);

		if (n < 0)
			return error_set_errno(err, errno, "cannot read standard input");
		if (n == 0)
			break;
		ret->len += (size_t)n;
	}
	ret->data[ret->len] = '\0';
	return 0;
}

/* What JSON cannot carry as it is goes by file, whatever its size. */
static bool fits_request(const char *text, size_t len)
{
	return len <= MAIL_BODY_INLINE && !memchr(text, '\0', len) && text_is_utf8(text, len);
}

static int cannot_spool(const struct spool *s, struct error *err)
{
	return error_set_errno(err, errno, "cannot write into '%s'", s->folder);
}

/* The beginning that was read already, and the rest of `from` (-1: there is none). */
static int spool_rest(struct spool *s, const struct buf *head, int from, json_t *args,
		      struct error *err)
{
	bool blank = is_blank(buf_text(head), head->len);
	AUTO(free) char *chunk = mem_alloc(CHUNK);
	AUTO_CLOSE int fd = -1;
	ssize_t n = 0;
	int r = add_file(s, &fd, err);

	if (r < 0)
		return r;
	if (fd_write_all(fd, buf_text(head), head->len) < 0)
		return cannot_spool(s, err);
	while (from >= 0 && (n = read_some(from, chunk, CHUNK)) > 0) {
		blank = blank && is_blank(chunk, (size_t)n);
		if (fd_write_all(fd, chunk, (size_t)n) < 0)
			return cannot_spool(s, err);
	}
	if (n < 0)
		return error_set_errno(err, errno, "cannot read standard input");
	if (blank)
		return refuse_blank(err);
	if (fsync(fd) < 0)
		return cannot_spool(s, err);
	json_object_del(args, "body");
	json_put_text(args, "spool", s->names[s->count - 1]);
	return 0;
}

int spool_text(struct spool *s, const char *text, size_t len, json_t *args, struct error *err)
{
	struct buf head = {.data = (char *)(uintptr_t)text, .len = len};

	if (is_blank(text, len))
		return refuse_blank(err);
	if (!fits_request(text, len))
		return spool_rest(s, &head, -1, args, err);
	json_put(args, "body", json_stringn(text, len));
	return 0;
}

int spool_stream(struct spool *s, int fd, json_t *args, struct error *err)
{
	AUTO_BUF struct buf head = {0};
	int r = read_head(fd, MAIL_BODY_INLINE + 1, &head, err);

	if (r < 0)
		return r;
	if (head.len <= MAIL_BODY_INLINE)
		return spool_text(s, buf_text(&head), head.len, args, err);
	return spool_rest(s, &head, fd, args, err);
}

/* --- attachments --- */

static int refuse_file(const char *path, const char *why, struct error *err)
{
	error_set(err, ERR_INVALID, "cannot attach '%s': %s", path, why);
	return error_hint(err, "attach plain files of at most 25 MB");
}

static int open_attachment(const char *path, struct error *err)
{
	/* Not blocking: a pipe without a writer must not hold us up. */
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		error_set_errno(err, errno, "cannot attach '%s'", path);
		if (err->os_errno == ENOENT)
			err->code = ERR_NOT_FOUND;
		return *err->hint ? err->code : error_hint(err, "give files that can be read");
	}
	if (S_ISDIR(st.st_mode))
		return refuse_file(path, "it is a folder", err);
	if (!S_ISREG(st.st_mode))
		return refuse_file(path, "it is no plain file", err);
	if (st.st_size > MAIL_FILE_MAX)
		return refuse_file(path, "it is larger than 25 MB", err);
	return steal_fd(&fd);
}

/* It may grow while it is read: what counts is what is copied. */
static int copy(struct spool *s, const char *path, int from, int to, struct error *err)
{
	AUTO(free) char *chunk = mem_alloc(CHUNK);
	int64_t size = 0;
	ssize_t n;

	while ((n = read_some(from, chunk, CHUNK)) > 0) {
		size += n;
		if (size > MAIL_FILE_MAX)
			return refuse_file(path, "it is larger than 25 MB", err);
		if (fd_write_all(to, chunk, (size_t)n) < 0)
			return cannot_spool(s, err);
	}
	if (n < 0)
		return error_set_errno(err, errno, "cannot read '%s'", path);
	return fsync(to) < 0 ? cannot_spool(s, err) : 0;
}

static int attach_one(struct spool *s, const char *path, json_t *list, struct error *err)
{
	const char *slash = strrchr(path, '/');
	AUTO_CLOSE int from = open_attachment(path, err), to = -1;
	int r;

	if (from < 0)
		return from;
	if ((r = add_file(s, &to, err)) < 0 || (r = copy(s, path, from, to, err)) < 0)
		return r;
	json_array_append_new(list, json_pack("{s:s, s:s}", "name", slash ? slash + 1 : path,
					      "spool", s->names[s->count - 1]));
	return 0;
}

int spool_attach(struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *paths = json_incref(json_object_get(args, "attach"));
	json_t *list;
	size_t i;
	const json_t *path;

	if (!paths)
		return 0;
	if (json_array_size(paths) > MAIL_FILES_MAX) {
		error_set(err, ERR_INVALID, "%zu files are attached, at most %d can be",
			  json_array_size(paths), MAIL_FILES_MAX);
		return error_hint(err, "send several messages, or one archive");
	}
	list = json_array();
	json_object_del(args, "attach");
	json_put(args, "spooled_files", list);
	json_array_foreach(paths, i, path)
	{
		int r = attach_one(s, json_string_value(path), list, err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* --- what crashes left --- */

size_t spool_sweep(const struct home *h)
{
	AUTO(free) char *folder = mem_printf("%s/spool", h->state_dir);
	DIR *dir = opendir(folder);
	const struct dirent *e;
	size_t looked = 0, removed = 0;
	struct stat st;

	while (dir && looked < SWEEP_MOST && (e = readdir(dir))) {
		looked++;
		if (strncmp(e->d_name, "s-", 2) == 0 &&
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_mtime < time(NULL) - SWEEP_AGE && unlinkat(dirfd(dir), e->d_name, 0) == 0)
			removed++;
	}
	if (dir)
		closedir(dir);
	return removed;
}
