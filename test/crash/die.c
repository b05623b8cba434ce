/*
 * die.c: a library that ends processes at a chosen system call, for LD_PRELOAD into the daemon.
 *
 *	CRASH_CALL  fdatasync (default), fsync, pwrite64, ftruncate64, rename, send, sendmsg,
 *	            recvmsg, read, write, close, fork (and vfork, which is one here)
 *	CRASH_AT    which one of them, counted from 1
 *	CRASH_FORKS count only after so many children were started (default 0)
 *	CRASH_FILE  count only calls on a file whose name ends so (for rename: its new name; not for
 *	            send and fork); "pipe:" and "socket:" are any of those
 *	CRASH_ARM   count only while this file is there
 *	CRASH_ONCE  a file that is made when it happens; it happens to nobody who finds it there
 *	CRASH_WHEN  before  the call has not happened
 *	            after   it has, and nothing after it
 *	            lost    before, and the power failed: whatever was not synced is gone
 *	            torn    the same, but the older half of it had reached the disk
 *	CRASH_FAIL  nobody ends: the next fdatasync fails that finds this file, and takes it away
 *	CRASH_IN    daemon (default), nursery, wrapper: whose calls are counted
 *	CRASH_WHOM  who ends, several with commas: daemon nursery wrapper; unless told, whose call it
 *	            is. Others have ended before the caller goes on.
 *
 * A killed process leaves its writes with the kernel, so a plain kill cannot tell a program that
 * syncs from one that does not. For `lost` and `torn` every write to the store is preceded by a
 * note of what it replaces; a sync forgets the notes of its file; at the end what is left of them
 * is put back, newest first. The -shm file is not noted: SQLite makes it anew after a crash.
 *
 * Children must not die of it: the variables are taken out of the environment at the start. Only
 * when it is not about the daemon they stay there for the nursery, from which wrappers are forked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
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

enum role { ROLE_DAEMON, ROLE_NURSERY, ROLE_WRAPPER, ROLE_OTHER };
static const char *const role_words[] = {"daemon", "nursery", "wrapper"};

static struct {
	char call[32], file[64], arm[4096], once[4096], fail[4096], whom[64];
	long at, seen, forks;
	enum when when;
	enum role in, role;	/* whose calls are counted, and who we are */
	pid_t pids[ROLE_OTHER]; /* those we know */
	struct note *notes;	/* newest first */
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
	ssize_t (*sendmsg)(int fd, const struct msghdr *message, int flags);
	ssize_t (*recvmsg)(int fd, struct msghdr *message, int flags);
	ssize_t (*read)(int fd, void *bytes, size_t len);
	ssize_t (*write)(int fd, const void *bytes, size_t len);
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

static void find_all(void)
{
	find("fdatasync", &real.fdatasync);
	find("fsync", &real.fsync);
	find("pwrite64", &real.pwrite64);
	find("ftruncate64", &real.ftruncate64);
	find("fork", &real.fork);
	find("close", &real.close);
	find("rename", &real.rename);
	find("send", &real.send);
	find("sendmsg", &real.sendmsg);
	find("recvmsg", &real.recvmsg);
	find("read", &real.read);
	find("write", &real.write);
}

static enum role role_of(const char *word)
{
	for (int i = 0; i < ROLE_OTHER; i++)
		if (strcmp(word, role_words[i]) == 0)
			return (enum role)i;
	fprintf(stderr, "die: CRASH_IN '%s' is not daemon, nursery or wrapper\n", word);
	abort();
}

static bool is_nursery(void)
{
	static const char words[] = "belfry\0wrapper\0nursery";
	char line[sizeof(words)] = "";
	FILE *f = fopen("/proc/self/cmdline", "r");
	size_t len = f ? fread(line, 1, sizeof(line), f) : 0;

	if (f)
		fclose(f);
	return len == sizeof(words) && memcmp(line, words, len) == 0;
}

static void take_all(void)
{
	char at[32], forks[32], when[32], in[32];

	take("CRASH_CALL", "fdatasync", crash.call, sizeof(crash.call));
	take("CRASH_FILE", "", crash.file, sizeof(crash.file));
	take("CRASH_ARM", "", crash.arm, sizeof(crash.arm));
	take("CRASH_ONCE", "", crash.once, sizeof(crash.once));
	take("CRASH_FAIL", "", crash.fail, sizeof(crash.fail));
	take("CRASH_AT", "0", at, sizeof(at));
	take("CRASH_FORKS", "0", forks, sizeof(forks));
	take("CRASH_WHEN", "before", when, sizeof(when));
	take("CRASH_IN", "daemon", in, sizeof(in));
	take("CRASH_WHOM", in, crash.whom, sizeof(crash.whom));
	crash.at = strtol(at, NULL, 10);
	crash.forks = strtol(forks, NULL, 10);
	crash.when = when_of(when);
	crash.in = role_of(in);
	unsetenv("CRASH_DAEMON");
	unsetenv("LD_PRELOAD");
}

__attribute__((constructor)) static void begin(void)
{
	const char *daemon = getenv("CRASH_DAEMON"), *in = getenv("CRASH_IN");
	char pid[32];

	find_all();
	if (daemon) {
		crash.pids[ROLE_DAEMON] = (pid_t)strtol(daemon, NULL, 10);
		crash.role = is_nursery() ? ROLE_NURSERY : ROLE_OTHER;
	} else if (in && strcmp(in, "daemon") != 0) {
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		setenv("CRASH_DAEMON", pid, 1);
		return; /* it is about one below us */
	}
	if (crash.role < ROLE_OTHER)
		crash.pids[crash.role] = getpid();
	take_all();
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
	if (strchr(path, ':') && strcspn(path, "0123456789") < (size_t)len)
		strchr(path, ':')[1] = '\0'; /* "pipe:[4711]" */
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

static bool is_armed(const char *call)
{
	return crash.at && crash.role == crash.in && crash.forks <= 0 &&
	       strcmp(call, crash.call) == 0 && (!*crash.arm || access(crash.arm, F_OK) == 0);
}

/* Whether this is the one, and nobody was faster. */
static bool is_the_one(void)
{
	int fd;

	if (++crash.seen != crash.at)
		return false;
	if (!*crash.once)
		return true;
	fd = open(crash.once, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		real.close(fd);
	return fd >= 0;
}

static void end_other(pid_t pid)
{
	struct pollfd gone = {.fd = pidfd_open(pid, 0), .events = POLLIN};

	if (gone.fd < 0)
		return;
	pidfd_send_signal(gone.fd, SIGKILL, NULL, 0);
	poll(&gone, 1, -1);
	real.close(gone.fd);
}

static void die(void)
{
	if (crash.when >= WHEN_LOST)
		lose();
	for (int i = 0; i < ROLE_OTHER; i++)
		if (strstr(crash.whom, role_words[i]) && i != (int)crash.role && crash.pids[i])
			end_other(crash.pids[i]);
	if (!strstr(crash.whom, role_words[crash.role]))
		return;
	kill(getpid(), SIGKILL);
	pause();
}

static bool arrive_if(bool counts)
{
	if (!counts || !is_the_one())
		return false;
	if (crash.when == WHEN_AFTER)
		return true;
	die();
	return false;
}

/* Around every call: die before it, or answer whether to die after it. */
static bool arrive(const char *call, int fd)
{
	return arrive_if(is_armed(call) && (fd < 0 || !*crash.file || file_is(fd, crash.file)));
}

int fdatasync(int fd)
{
	bool last = arrive("fdatasync", fd);
	int r = real.fdatasync(fd);

	if (*crash.fail && unlink(crash.fail) == 0) {
		errno = EIO;
		return -1;
	}
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

/* The nursery's child is a wrapper. Anybody else's is soon another program. */
static void begin_child(void)
{
	crash.role = crash.role == ROLE_NURSERY ? ROLE_WRAPPER : ROLE_OTHER;
	crash.seen = 0;
	if (crash.role == ROLE_WRAPPER)
		crash.pids[ROLE_WRAPPER] = getpid();
}

pid_t fork(void)
{
	bool last = arrive("fork", -1);
	pid_t pid = real.fork();

	if (pid == 0) {
		begin_child();
		return 0;
	}
	crash.forks -= pid > 0;
	if (crash.role == ROLE_NURSERY)
		crash.pids[ROLE_WRAPPER] = pid;
	if (last)
		die();
	return pid;
}

/* A vfork() may be a fork(), and nothing else can be put in its place: it must not return twice. */
pid_t vfork(void)
{
	return fork();
}

/* The number may soon be another file's. SQLite syncs whatever it still needs of this one. */
int close(int fd)
{
	bool last = arrive("close", fd);
	int r;

	forget(fd);
	r = real.close(fd);
	if (last)
		die();
	return r;
}

int rename(const char *from, const char *to)
{
	bool last = arrive_if(is_armed("rename") && ends_with(to, crash.file));
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

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	bool last = arrive("sendmsg", fd);
	ssize_t r = real.sendmsg(fd, message, flags);

	if (last)
		die();
	return r;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	bool last = arrive("recvmsg", fd);
	ssize_t r = real.recvmsg(fd, message, flags);

	if (last)
		die();
	return r;
}

/* These two are called before our constructor. */
ssize_t read(int fd, void *bytes, size_t len)
{
	bool last = arrive("read", fd);
	ssize_t r;

	if (!real.read)
		find_all();
	r = real.read(fd, bytes, len);
	if (last)
		die();
	return r;
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	bool last = arrive("write", fd);
	ssize_t r;

	if (!real.write)
		find_all();
	r = real.write(fd, bytes, len);
	if (last)
		die();
	return r;
}
