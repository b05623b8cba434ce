/*
 * die.c: a library that ends its process at a chosen system call, for LD_PRELOAD.
 *
 *	CRASH_CALL  fdatasync (default), fsync, pwrite64, ftruncate64, rename, send
 *	CRASH_AT    which one of them, counted from 1
 *	CRASH_FORKS count only after so many children were started (default 0)
 *	CRASH_FILE  count only calls on a file whose name ends so (not for rename and send)
 *	CRASH_WHEN  before  the call has not happened
 *	            after   it has, and nothing after it
 *	            lost    before, and the power failed: whatever was not synced is gone
 *	            torn    the same, but the older half of it had reached the disk
 *
 * A killed process leaves its writes with the kernel, so a plain kill cannot tell a program that
 * syncs from one that does not. For `lost` and `torn` every write to the store is preceded by a
 * note of what it replaces; a sync forgets the notes of its file; at the end what is left of them
 * is put back, newest first. The -shm file is not noted: SQLite makes it anew after a crash.
 *
 * Children must not die of it: the variables are taken out of the environment at the start.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* What a write replaced: bytes at an offset, and how long the file was. */
struct note {
	struct note *older;
	int fd;
	off_t size, offset;
	size_t len;
	char bytes[];
};

enum when { WHEN_BEFORE, WHEN_AFTER, WHEN_LOST, WHEN_TORN };

static struct {
	char call[32], file[64];
	long at, seen, forks;
	enum when when;
	struct note *notes; /* newest first */
} crash;

/* The C library's own functions, under ours. */
static struct {
	int (*fdatasync)(int fd);
	int (*fsync)(int fd);
	ssize_t (*pwrite64)(int fd, const void *bytes, size_t len, off_t offset);
	int (*ftruncate64)(int fd, off_t size);
	pid_t (*fork)(void);
	int (*close)(int fd);
	int (*rename)(const char *from, const char *to);
	ssize_t (*send)(int fd, const void *bytes, size_t len, int flags);
} real;

static enum when when_of(const char *word)
{
	static const char *const words[] = {"before", "after", "lost", "torn"};

	for (int i = 0; i < 4; i++)
		if (strcmp(word, words[i]) == 0)
			return (enum when)i;
	fprintf(stderr, "die: CRASH_WHEN '%s' is not before, after, lost or torn\n", word);
	abort();
}

static void take(const char *name, const char *otherwise, char *ret, size_t room)
{
	const char *value = getenv(name);

	snprintf(ret, room, "%s", value ? value : otherwise);
	unsetenv(name);
}

/* What dlsym() answers is data to the language and code to us. */
static void find(const char *name, void *slot)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	memcpy(slot, &found, sizeof(found));
}

__attribute__((constructor)) static void begin(void)
{
	char at[32], forks[32], when[32];

	find("fdatasync", &real.fdatasync);
	find("fsync", &real.fsync);
	find("pwrite64", &real.pwrite64);
	find("ftruncate64", &real.ftruncate64);
	find("fork", &real.fork);
	find("close", &real.close);
	find("rename", &real.rename);
	find("send", &real.send);
	take("CRASH_CALL", "fdatasync", crash.call, sizeof(crash.call));
	take("CRASH_FILE", "", crash.file, sizeof(crash.file));
	take("CRASH_AT", "0", at, sizeof(at));
	take("CRASH_FORKS", "0", forks, sizeof(forks));
	take("CRASH_WHEN", "before", when, sizeof(when));
	crash.at = strtol(at, NULL, 10);
	crash.forks = strtol(forks, NULL, 10);
	crash.when = when_of(when);
	unsetenv("LD_PRELOAD");
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static bool file_is(int fd, const char *end)
{
	char link[64], path[4096];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	return ends_with(path, end);
}

/* --- what is not on the disk yet ---------------------------------------------------------- */

static bool is_noted(int fd)
{
	return crash.when >= WHEN_LOST &&
	       (file_is(fd, "belfry.db") || file_is(fd, "belfry.db-wal") ||
		file_is(fd, "belfry.db-journal"));
}

static void note(int fd, off_t offset, off_t end)
{
	struct note *n;
	struct stat st;

	if (!is_noted(fd) || fstat(fd, &st) < 0)
		return;
	if (end > st.st_size)
		end = st.st_size;
	if (offset > end)
		offset = end;
	n = malloc(sizeof(*n) + (size_t)(end - offset));
	if (!n)
		abort();
	*n = (struct note){crash.notes, fd, st.st_size, offset, (size_t)(end - offset)};
	if (pread(fd, n->bytes, n->len, offset) != (ssize_t)n->len)
		abort();
	crash.notes = n;
}

static void forget(int fd)
{
	struct note **slot = &crash.notes, *n;

	while ((n = *slot)) {
		if (n->fd != fd) {
			slot = &n->older;
			continue;
		}
		*slot = n->older;
		free(n);
	}
}

static void lose(void)
{
	size_t count = 0;

	for (struct note *n = crash.notes; n; n = n->older)
		count++;
	if (crash.when == WHEN_TORN)
		count = (count + 1) / 2;
	for (struct note *n = crash.notes; n && count > 0; n = n->older, count--)
		if (real.pwrite64(n->fd, n->bytes, n->len, n->offset) != (ssize_t)n->len ||
		    real.ftruncate64(n->fd, n->size) < 0)
			abort();
}

/* --- the count ---------------------------------------------------------------------------- */

static bool is_the_one(const char *call, int fd)
{
	if (!crash.at || crash.forks > 0 || strcmp(call, crash.call) != 0)
		return false;
	if (fd >= 0 && *crash.file && !file_is(fd, crash.file))
		return false;
	return ++crash.seen == crash.at;
}

static void die(void)
{
	if (crash.when >= WHEN_LOST)
		lose();
	kill(getpid(), SIGKILL);
	pause();
}

/* Around every call: die before it, or answer whether to die after it. */
static bool arrive(const char *call, int fd)
{
	if (!is_the_one(call, fd))
		return false;
	if (crash.when != WHEN_AFTER)
		die();
	return true;
}

int fdatasync(int fd)
{
	bool last = arrive("fdatasync", fd);
	int r = real.fdatasync(fd);

	forget(fd);
	if (last)
		die();
	return r;
}

int fsync(int fd)
{
	bool last = arrive("fsync", fd);
	int r = real.fsync(fd);

	forget(fd);
	if (last)
		die();
	return r;
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset)
{
	bool last = arrive("pwrite64", fd);
	ssize_t r;

	note(fd, offset, offset + (off_t)len);
	r = real.pwrite64(fd, bytes, len, offset);
	if (last)
		die();
	return r;
}

int ftruncate64(int fd, off_t size)
{
	bool last = arrive("ftruncate64", fd);
	struct stat st;
	int r;

	if (fstat(fd, &st) == 0)
		note(fd, size, st.st_size);
	r = real.ftruncate64(fd, size);
	if (last)
		die();
	return r;
}

pid_t fork(void)
{
	pid_t pid = real.fork();

	if (pid > 0)
		crash.forks--;
	return pid;
}

/* The number may soon be another file's. SQLite syncs whatever it still needs of this one. */
int close(int fd)
{
	forget(fd);
	return real.close(fd);
}

int rename(const char *from, const char *to)
{
	bool last = arrive("rename", -1);
	int r = real.rename(from, to);

	if (last)
		die();
	return r;
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	bool last = arrive("send", -1);
	ssize_t r = real.send(fd, bytes, len, flags);

	if (last)
		die();
	return r;
}
