/*
 * sqlite-known.c: see sqlite-known.h.
 * A daemon that was killed leaves a WAL. When a backup is then put in the place of the file, SQLite replays that WAL into
 * it: pages of another past, and nobody is told. The file is written by our checkpoints alone. So it is noted after
 * each what the file is, and nothing is noted while one goes on: a kill, wherever it strikes, leaves a note that is true,
 * or none.
 *
 * A note is not synced. After a power failure it may be an old one, and only what cannot be by an old one counts: a
 * file that has another inode while its WAL has the same, or a change counter that went back. A home that was copied or
 * restored as a whole has other inodes for both.
 */
#include "store/sqlite-known.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/random.h"

#define SUFFIX "-known"
#define NOTE_MAX 256
#define NOTE_FORMAT                                                                                \
	"belfry 1 %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 ".%09ld %" PRIu32 " %016" PRIx64   \
	" %s\n"
#define HEADER_SIZE 100 /* of a database, as SQLite has documented it */
#define CHANGE_COUNTER 24
#define WAL_HEADER 32 /* and this of a WAL */
#define WAL_PAGE_SIZE 8
#define FRAME_HEADER 24
#define BOOT_FILE "/proc/sys/kernel/random/boot_id"

struct known {
	uint64_t file, wal; /* inodes */
	int64_t size, written;
	long written_ns;
	uint32_t changes; /* SQLite counts those of the first page; the others do not move it */
	uint64_t header;  /* a hash of all of it */
	char boot[40];
};

static char *path_of(const char *path, const char *suffix)
{
	return mem_printf("%s%s", path, suffix);
}

static uint32_t number_at(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* False: there is no WAL of at least so many bytes, or the file cannot be read. */
static bool look(const char *path, int fd, off_t wal_least, struct known *ret)
{
	AUTO(free) char *wal = path_of(path, "-wal");
	AUTO_BUF struct buf boot = {0};
	struct stat st, wal_st;
	unsigned char header[HEADER_SIZE];
	struct error none = {0};

	if (stat(path, &st) < 0 || stat(wal, &wal_st) < 0 || wal_st.st_size < wal_least ||
	    pread(fd, header, sizeof(header), 0) != sizeof(header))
		return false;
	*ret = (struct known){.file = st.st_ino,
			      .wal = wal_st.st_ino,
			      .size = st.st_size,
			      .written = st.st_mtim.tv_sec,
			      .written_ns = st.st_mtim.tv_nsec,
			      .header = hash_bytes(header, sizeof(header), 0)};
	ret->changes = number_at(header + CHANGE_COUNTER);
	if (file_read(BOOT_FILE, sizeof(ret->boot), &boot, &none) < 0)
		return false;
	snprintf(ret->boot, sizeof(ret->boot), "%.*s", (int)strcspn(buf_text(&boot), "\n"),
		 buf_text(&boot));
	return true;
}

static bool read_note(const char *path, struct known *ret)
{
	AUTO(free) char *note = path_of(path, SUFFIX);
	AUTO_BUF struct buf text = {0};
	struct error none = {0};

	/* We wrote it; half of it is none. */
	return file_read(note, NOTE_MAX, &text, &none) == 0 &&
	       /* NOLINTNEXTLINE(cert-err34-c) */
	       sscanf(buf_text(&text),
		      "belfry 1 %" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64 ".%ld %" SCNu32
		      " %" SCNx64 " %39s",
		      &ret->file, &ret->wal, &ret->size, &ret->written, &ret->written_ns,
		      &ret->changes, &ret->header, ret->boot) == 8;
}

void sqlite_known_note(const char *path, int fd)
{
	AUTO(free) char *note = path_of(path, SUFFIX);
	struct known k = {0};
	char text[NOTE_MAX];
	struct error none = {0};
	int len;

	if (!look(path, fd, 0, &k))
		return;
	len = snprintf(text, sizeof(text), NOTE_FORMAT, k.file, k.wal, k.size, k.written,
		       k.written_ns, k.changes, k.header, k.boot);
	AUTO_CLOSE int out = file_open(note, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, &none);

	/* Without one there is nothing to compare with, as before. */
	if (out >= 0 && fd_write_all(out, text, (size_t)len) < 0)
		(void)unlink(note);
}

void sqlite_known_forget(const char *path)
{
	AUTO(free) char *note = path_of(path, SUFFIX);

	(void)unlink(note);
}

/* Whether another program has copied the WAL back, as SQLite does: then the file begins as a first page in it. */
static bool is_of_wal(const char *path, uint64_t header)
{
	AUTO(free) char *wal = path_of(path, "-wal");
	unsigned char head[WAL_HEADER], frame[FRAME_HEADER + HEADER_SIZE];
	AUTO_CLOSE int fd = open(wal, O_RDONLY | O_CLOEXEC);
	off_t step;

	if (fd < 0 || pread(fd, head, sizeof(head), 0) != sizeof(head))
		return false;
	step = FRAME_HEADER + (off_t)number_at(head + WAL_PAGE_SIZE);
	for (off_t at = sizeof(head); pread(fd, frame, sizeof(frame), at) == sizeof(frame);
	     at += step)
		if (number_at(frame) == 1 &&
		    hash_bytes(frame + FRAME_HEADER, HEADER_SIZE, 0) == header)
			return true;
	return false;
}

/* A time alone may have been set by anybody. */
static bool is_another(const char *path, const struct known *was, const struct known *is)
{
	if (is->file != was->file)
		return is->wal == was->wal;
	if (strcmp(is->boot, was->boot) != 0)
		return is->changes < was->changes;
	return (is->written != was->written || is->written_ns != was->written_ns) &&
	       (is->size != was->size || is->header != was->header) && !is_of_wal(path, is->header);
}

int sqlite_known_check(const char *path, int fd, struct error *err)
{
	struct known was = {0}, is = {0};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!read_note(path, &was) || !look(path, fd, 1, &is) || !is_another(path, &was, &is))
		return 0;
	error_set(err, ERR_UNAVAILABLE,
		  "store '%s' was replaced, and '%s-wal' is still that of the one before", path,
		  name);
	return error_hint(
		err,
		"if you put a backup there, delete '%.60s-wal' and '-shm', which would undo "
		"it, and start again; if not, put the file back that was there",
		name);
}
