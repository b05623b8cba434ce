/*
 * log.c: output.log, bounded, and the newest bytes of a stream.
 * Ten megabytes a file, three older ones: however much an agent says, a run keeps at most forty.
 * The agent never waits for the disk to have room: what cannot be written is dropped and counted,
 * and the first write that works again is preceded by a line that says how much is missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/mem.h"

#define HALVE_MIN ((off_t)16 * 1024) /* less than that is worth no trouble */
#define RING_READ_MAX ((size_t)128 * 1024)

struct run_log {
	char *path;
	int fd; /* -1: it could not be opened again */
	int64_t size;
	int64_t before; /* bytes of all older files, also of those that are gone */
	uint64_t lost;	/* bytes, since the last note */
	int lost_errno;
};

static char *older(const char *path, int age)
{
	return age ? mem_printf("%s.%d", path, age) : mem_strdup(path);
}

static void open_file(struct run_log *log)
{
	struct error none = {0};
	struct stat st;

	log->fd = file_open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, &none);
	log->size = log->fd >= 0 && fstat(log->fd, &st) == 0 ? st.st_size : 0;
}

/* For whoever follows the log: how far into the output the present output.log begins. */
static void note_start(const struct run_log *log)
{
	AUTO(free)
	char *path = mem_printf("%.*s/" LOG_START_FILE, (int)(strrchr(log->path, '/') - log->path),
				log->path);
	struct error none = {0};
	AUTO_CLOSE int fd = file_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, &none);
	char line[32];
	int len = snprintf(line, sizeof(line), "%" PRId64 "\n", log->before);

	if (fd >= 0)
		(void)!write(fd, line, (size_t)len);
}

static void rotate(struct run_log *log)
{
	if (log->fd >= 0)
		close(steal_fd(&log->fd));
	log->before += log->size;
	for (int age = LOG_OLDER; age > 0; age--) {
		AUTO(free) char *from = older(log->path, age - 1);
		AUTO(free) char *to = older(log->path, age);

		/* A missing one is no trouble, and a folder that cannot be written shows below. */
		(void)rename(from, to);
	}
	note_start(log);
	open_file(log);
}

int run_log_open(const char *folder, struct run_log **ret, struct error *err)
{
	AUTO(run_log_close) struct run_log *log = mem_zalloc(sizeof(*log));

	log->path = mem_printf("%s/output.log", folder);
	open_file(log);
	if (log->fd < 0)
		return error_set_errno(err, errno, "cannot open '%s'", log->path);
	if (log->size >= LOG_SIZE_MAX)
		rotate(log);
	*ret = steal_ptr(&log);
	return 0;
}

static void lose(struct run_log *log, size_t len, int why)
{
	log->lost += len;
	log->lost_errno = why;
}

/* All of it or nothing that anybody counts on: a partial write is kept, its rest is lost. */
static bool put(struct run_log *log, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = log->fd < 0 ? -1 : write(log->fd, bytes, len);

		if (n < 0 && log->fd >= 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			lose(log, len, log->fd < 0 ? ENOENT : errno);
			return false;
		}
		log->size += n;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

static void note_loss(struct run_log *log)
{
	uint64_t lost = log->lost;
	char line[128];
	int len;

	if (!lost)
		return;
	len = snprintf(line, sizeof(line), "\n[belfry: %" PRIu64 " bytes are missing here: %s]\n",
		       lost, strerror(log->lost_errno));
	log->lost = 0;
	if (!put(log, line, (size_t)len))
		log->lost = lost; /* the note itself is no output */
}

/* How much of it still belongs into this file: up to the last line that ends in it. */
static size_t share(const struct run_log *log, const char *bytes, size_t len)
{
	size_t room = log->size < LOG_SIZE_MAX ? (size_t)(LOG_SIZE_MAX - log->size) : 0;
	const char *line;

	if (len <= room)
		return len;
	line = room ? memrchr(bytes, '\n', room) : NULL;
	if (line)
		return (size_t)(line - bytes) + 1;
	/* A line that is longer than what is left goes to the next file, unless it fits in none. */
	return log->size ? 0 : room;
}

void run_log_add(struct run_log *log, const char *bytes, size_t len)
{
	note_loss(log);
	while (len) {
		size_t part = share(log, bytes, len);

		if (part == 0) {
			rotate(log);
			if (log->fd < 0 || log->size >= LOG_SIZE_MAX) {
				lose(log, len, ENOENT);
				return;
			}
			continue;
		}
		if (!put(log, bytes, part)) {
			lose(log, len - part, log->lost_errno);
			return;
		}
		bytes += part;
		len -= part;
	}
}

void run_log_note(struct run_log *log, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	AUTO(free) char *line = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	line = mem_printf("[belfry: %s]\n", text ? text : "?");
	if (log)
		run_log_add(log, line, strlen(line));
	else
		fputs(line, stderr);
}

/* In place, since there is no room for a second file: its newer half, below a line that says so. */
static bool halve(const char *path)
{
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	char bytes[4096], note[128];
	off_t from, to;
	ssize_t n;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < HALVE_MIN)
		return false;
	from = st.st_size - st.st_size / 2;
	to = snprintf(note, sizeof(note),
		      "[belfry: the disk was full: %lld bytes before this are gone]\n",
		      (long long)from);
	if (pwrite(fd, note, (size_t)to, 0) != to)
		return false;
	while ((n = pread(fd, bytes, sizeof(bytes), from)) > 0) {
		if (pwrite(fd, bytes, (size_t)n, to) != n)
			return false;
		from += n;
		to += n;
	}
	return n == 0 && ftruncate(fd, to) == 0;
}

void run_log_close(struct run_log *log)
{
	if (!log)
		return;
	note_loss(log);
	/* That the end of it is missing is worth more than what is old. */
	if (log->lost && halve(log->path))
		note_loss(log);
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
	free(log);
}

bool run_log_make_room(const char *folder)
{
	AUTO(free) char *path = mem_printf("%s/output.log", folder);

	for (int age = LOG_OLDER; age > 0; age--) {
		AUTO(free) char *name = older(path, age);

		if (unlink(name) == 0)
			return true;
	}
	return halve(path) || unlink(path) == 0;
}

char *ring_space(struct ring *r, size_t *ret_len)
{
	size_t at = (size_t)(r->total % r->size);
	size_t room = r->size - at;

	if (!r->data)
		r->data = mem_alloc(r->size);
	*ret_len = room < RING_READ_MAX ? room : RING_READ_MAX;
	return r->data + at;
}

void ring_newest(const struct ring *r, size_t max, struct buf *ret)
{
	size_t have = r->total < r->size ? (size_t)r->total : r->size;
	size_t len = have < max ? have : max;
	size_t end = r->size ? (size_t)(r->total % r->size) : 0;

	if (len > end) /* it goes around */
		buf_add(ret, r->data + r->size - (len - end), len - end);
	if (end && len)
		buf_add(ret, r->data + (len > end ? 0 : end - len), len > end ? end : len);
}

void ring_fini(struct ring *r)
{
	free(r->data);
	*r = (struct ring){0};
}
