/*
 * log-reader.c: one stream out of files that move.
 * The wrapper rotates by renaming, so a file is known by its inode, which cannot be given out again
 * while we hold it open. At the end of a file its name says what comes next: still output.log means
 * that more may be added; anything older is complete, and its successor has the name one younger.
 * A rotation between two looks is noticed by looking twice.
 */
#include "cli/log-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/order.h"
#include "base/file.h"
#include "base/mem.h"

#define FILES 4 /* output.log, .1, .2, .3 */
#define BLOCK ((size_t)64 * 1024)
#define TRIES 8

struct log_reader {
	char *names[FILES]; /* youngest first */
	int fd;
	struct stat id; /* of fd */
	bool complete;	/* nothing is added to fd any more */
	int ahead
		[FILES]; /* younger files, held so that no rotation takes them away; oldest first */
	int ahead_count;
	int64_t at;    /* how far into the output we are; -1: that is not known */
	char note[96]; /* of ours, to be read before anything else */
};

static void drop_ahead(struct log_reader *l)
{
	while (l->ahead_count)
		close(l->ahead[--l->ahead_count]);
}

struct log_reader *log_reader_new(const char *folder)
{
	struct log_reader *l = mem_zalloc(sizeof(*l));

	l->fd = -1;
	l->at = -1;
	l->names[0] = mem_printf("%s/output.log", folder);
	for (int i = 1; i < FILES; i++)
		l->names[i] = mem_printf("%s/output.log.%d", folder, i);
	return l;
}

void log_reader_free(struct log_reader *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	drop_ahead(l);
	for (int i = 0; i < FILES; i++)
		free(l->names[i]);
	free(l);
}

/* Which name our file has now, or -1 when it was rotated away altogether. */
static int place_of(const struct log_reader *l)
{
	struct stat st;

	for (int i = 0; i < FILES; i++)
		if (stat(l->names[i], &st) == 0 && st.st_ino == l->id.st_ino &&
		    st.st_dev == l->id.st_dev)
			return i;
	return -1;
}

static bool use(struct log_reader *l, int fd)
{
	if (fd < 0 || fstat(fd, &l->id) < 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (l->fd >= 0)
		close(l->fd);
	l->fd = fd;
	l->complete = false;
	return true;
}

/* How far into the output the present output.log begins; -1: nobody noted it. */
static int64_t newest_start(const struct log_reader *l)
{
	AUTO(free)
	char *path = mem_printf("%.*s/" LOG_START_FILE,
				(int)(strrchr(l->names[0], '/') - l->names[0]), l->names[0]);
	AUTO_BUF struct buf text = {0};
	struct error none = {0};

	if (file_read(path, 64, &text, &none) < 0)
		return access(l->names[1], F_OK) < 0 ? 0 : -1;
	return text.len ? strtoll(text.data, NULL, 10) : -1;
}

/* How far into the output our file begins: what is between it and output.log is in the files. */
static int64_t start_of(const struct log_reader *l)
{
	for (int i = 0; i < TRIES; i++) {
		int64_t start = newest_start(l);
		int place = place_of(l);
		struct stat st;

		for (int n = 1; n <= place && start >= 0; n++)
			start = stat(l->names[n], &st) == 0 ? start - st.st_size : -1;
		/* Neither it nor the note may have changed meanwhile. */
		if (place >= 0 && start >= 0 && place_of(l) == place &&
		    (place == 0 || newest_start(l) >= start))
			return start;
	}
	return -1;
}

/* What lies between where we were and where this file begins was rotated away. */
static void note_gap(struct log_reader *l)
{
	int64_t start = start_of(l);

	if (start >= 0 && l->at >= 0 && start > l->at)
		snprintf(l->note, sizeof(l->note),
			 "\n[belfry: %lld bytes are gone here: they were rotated away]\n",
			 (long long)(start - l->at));
	else if (start < 0)
		snprintf(l->note, sizeof(l->note),
			 "\n[belfry: some of it may be gone here: it was rotated away]\n");
	l->at = start;
}

/* The folder is the agent's, too: what it put there in place of a log is no log. */
static int open_log(const char *path)
{
	struct error why = {0};
	int fd = file_open(path, O_RDONLY, &why);

	if (fd < 0)
		errno = why.os_errno;
	return fd;
}

static bool open_oldest(struct log_reader *l)
{
	bool again = l->fd >= 0;

	for (int i = FILES - 1; i >= 0; i--) {
		if (!use(l, open_log(l->names[i])))
			continue;
		if (again)
			note_gap(l);
		else
			l->at = start_of(l);
		return true;
	}
	return false;
}

/* All younger files, while they are there. Any that moved meanwhile: then none is sure. */
static void hold_ahead(struct log_reader *l)
{
	int place = place_of(l);

	drop_ahead(l);
	for (int i = place - 1; i >= 0; i--) {
		int fd = open_log(l->names[i]);

		if (fd < 0)
			break;
		l->ahead[l->ahead_count++] = fd;
	}
	if (place_of(l) != place)
		drop_ahead(l);
}

static bool take_ahead(struct log_reader *l)
{
	int fd;

	if (!l->ahead_count)
		return false;
	fd = l->ahead[0];
	memmove(l->ahead, l->ahead + 1, (size_t)--l->ahead_count * sizeof(fd));
	return use(l, fd);
}

/* The file after ours. It is the right one only if ours did not move while it was opened. */
static bool open_next(struct log_reader *l)
{
	if (take_ahead(l))
		return true;
	for (int i = 0; i < TRIES; i++) {
		int place = place_of(l), fd;

		if (place < 0)
			return open_oldest(l);
		if (place == 0)
			return false;
		fd = open_log(l->names[place - 1]);
		if (fd < 0)
			return false;
		if (place_of(l) == place)
			return use(l, fd);
		close(fd);
	}
	return false;
}

static ssize_t read_note(struct log_reader *l, char *ret, size_t size)
{
	size_t len = strlen(l->note);

	if (len > size)
		len = size;
	memcpy(ret, l->note, len);
	memmove(l->note, l->note + len, strlen(l->note + len) + 1);
	return (ssize_t)len;
}

ssize_t log_reader_read(struct log_reader *l, char *ret, size_t size)
{
	if (l->fd < 0) {
		if (!open_oldest(l))
			return errno == ENOENT ? 0 : -1;
		hold_ahead(l);
	}
	for (;;) {
		ssize_t n;

		if (*l->note)
			return read_note(l, ret, size);
		n = read(l->fd, ret, size);
		if (n > 0 && l->at >= 0)
			l->at += n;
		if (n != 0)
			return n;
		/* What was added between that end and the rotation is still to be read. */
		if (!l->complete) {
			l->complete = place_of(l) != 0;
			if (!l->complete)
				return 0;
		} else if (!open_next(l)) {
			return 0;
		} else if (!l->ahead_count) {
			hold_ahead(l);
		}
	}
}

/*
 * Go back over newlines until `*left` are found: the place after that one. -1 when the file has
 * not so many. The newline that ends the newest line is none between lines.
 */
static off_t find_back(int fd, off_t size, bool newest, int64_t *left)
{
	AUTO(free) char *block = mem_alloc(BLOCK);
	off_t at = size;

	while (at > 0) {
		off_t from = at > (off_t)BLOCK ? at - (off_t)BLOCK : 0;
		ssize_t n = pread(fd, block, (size_t)(at - from), from);

		for (ssize_t i = n; i-- > 0;) {
			if (block[i] != '\n' || (newest && from + i == size - 1))
				continue;
			if (--*left == 0)
				return from + i + 1;
		}
		if (n <= 0)
			return -1;
		at = from;
	}
	return -1;
}

void log_reader_begin_at(struct log_reader *l, int64_t lines)
{
	for (int i = 0; i < FILES; i++) {
		int fd = open_log(l->names[i]);
		off_t at;

		if (!use(l, fd))
			break;
		at = lines > 0 ? find_back(fd, l->id.st_size, i == 0, &lines) : l->id.st_size;
		if (at >= 0) {
			lseek(fd, at, SEEK_SET);
			l->at = start_of(l);
			l->at = l->at < 0 ? -1 : l->at + at;
			break;
		}
	}
}

bool log_reader_exists(const char *folder)
{
	AUTO(json_decref) json_t *files = log_reader_files(folder);

	return json_array_size(files) > 0;
}

json_t *log_reader_files(const char *folder)
{
	AUTO(log_reader_free) struct log_reader *l = log_reader_new(folder);
	json_t *files = json_array();

	for (int i = FILES - 1; i >= 0; i--)
		if (access(l->names[i], R_OK) == 0)
			json_array_append_new(files, json_string(l->names[i]));
	return files;
}
