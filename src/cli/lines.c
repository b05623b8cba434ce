/*
 * lines.c: input by lines.
 * Big reads into one buffer, and no more of a line is kept than its limit allows: a file without
 * newlines must not fill the memory.
 */
#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define BOM "\xef\xbb\xbf"
#define READ_SIZE ((size_t)256 * 1024)

struct lines {
	char *path;
	int fd;
	struct buf in;
	size_t at; /* what lies before it was returned already */
	size_t number;
	bool ended;
};

int lines_open(const char *path, struct lines **ret, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	AUTO_CLOSE int fd =
		standard ? fcntl(0, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		error_set_errno(err, errno, "cannot open '%s'", path);
		if (err->os_errno == ENOENT)
			err->code = ERR_NOT_FOUND;
		return err->code;
	}
	*ret = mem_zalloc(sizeof(**ret));
	(*ret)->path = mem_strdup(standard ? "standard input" : path);
	(*ret)->fd = steal_fd(&fd);
	return 0;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	close(l->fd);
	buf_fini(&l->in);
	free(l->path);
	free(l);
}

size_t lines_number(const struct lines *l)
{
	return l->number;
}

static int read_more(struct lines *l, struct error *err)
{
	ssize_t n;

	buf_drop_front(&l->in, l->at);
	l->at = 0;
	buf_reserve(&l->in, READ_SIZE);
	n = read(l->fd, l->in.data + l->in.len, READ_SIZE);
	/* Only who wants to be interrupted has a handler that gets here. */
	if (n < 0 && errno == EINTR)
		return error_set(err, ERR_CONFLICT, "interrupted");
	if (n < 0)
		return error_set_errno(err, errno, "cannot read '%s'", l->path);
	l->in.len += (size_t)n;
	l->ended = n == 0;
	return 0;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
			return false;
	return true;
}

/* Any next line, blank or not. */
static int take_line(struct lines *l, const char **ret, size_t *ret_len, struct error *err)
{
	size_t scanned = 0;

	for (;;) {
		size_t held = l->in.len - l->at;
		const char *start = l->in.data + l->at;
		const char *end = held ? memchr(start + scanned, '\n', held - scanned) : NULL;
		size_t len = end ? (size_t)(end - start) : held;
		int r;

		if (len > LINE_MAX_LEN)
			return error_set(err, ERR_INVALID, "%s: line %zu is longer than 1 MiB",
					 l->path, l->number + 1);
		if (end || (l->ended && held)) {
			*ret = start;
			*ret_len = len;
			l->at += len + (end != NULL);
			/* Some editors begin a file with the mark of its encoding. */
			if (l->number++ == 0 && len >= strlen(BOM) &&
			    memcmp(start, BOM, strlen(BOM)) == 0) {
				*ret += strlen(BOM);
				*ret_len -= strlen(BOM);
			}
			return 1;
		}
		if (l->ended)
			return 0;
		scanned = held;
		r = read_more(l, err);
		if (r < 0)
			return r;
	}
}

int lines_next(struct lines *l, const char **ret, size_t *ret_len, struct error *err)
{
	int r;

	do
		r = take_line(l, ret, ret_len, err);
	while (r > 0 && is_blank(*ret, *ret_len));
	return r;
}
