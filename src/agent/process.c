/*
 * process.c: one very process, however often its number is given out again.
 * A number, the tick it began at and the boot it began in name a process for good. A descriptor of
 * a process stays with it, so: open first, then compare, then ask whether it has ended meanwhile.
 * If the number changed hands between the first two steps, the third one says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "agent/order.h"

#define STAT_MAX 1024
#define PARENT_FIELD 4
#define START_FIELD 22

/* A small file of the kernel's, in one read. -1 and errno on failure. */
static int read_small(const char *path, char *ret, size_t size)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (n < 0)
		return -1;
	ret[n] = '\0';
	return 0;
}

static int read_boot(char *ret, size_t size)
{
	const char *given = getenv("BELFRY_BOOT_ID");
	char text[64] = "";

	if (!given && read_small("/proc/sys/kernel/random/boot_id", text, sizeof(text)) < 0)
		return -1;
	snprintf(ret, size, "%s", given ? given : text);
	ret[strcspn(ret, " \n")] = '\0';
	return 0;
}

/* The name in the second field may hold anything, also ") 1 2 3": the last bracket ends it. */
static int read_field(const char *text, int wanted, int64_t *ret)
{
	const char *p = strrchr(text, ')');
	char *end;

	for (int field = 2; p && field < wanted; field++) {
		p = strchr(p, ' ');
		if (p)
			p++;
	}
	errno = ESRCH; /* an empty file is how a process looks that is just going */
	if (!p)
		return -1;
	*ret = strtoll(p, &end, 10);
	return end == p ? -1 : 0;
}

static int read_stat(pid_t pid, char ret[static STAT_MAX])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return read_small(path, ret, STAT_MAX);
}

static int read_start(pid_t pid, int64_t *ret)
{
	char text[STAT_MAX];

	return read_stat(pid, text) < 0 ? -1 : read_field(text, START_FIELD, ret);
}

int process_parent(pid_t pid, pid_t *ret, int64_t *ret_start)
{
	char text[STAT_MAX];
	int64_t parent = 0;

	if (read_stat(pid, text) < 0 || read_field(text, PARENT_FIELD, &parent) < 0 ||
	    read_field(text, START_FIELD, ret_start) < 0)
		return -1;
	*ret = (pid_t)parent;
	return 0;
}

int process_identify(pid_t pid, struct process_id *ret, struct error *err)
{
	struct process_id id = {.pid = pid};

	if (read_boot(id.boot, sizeof(id.boot)) < 0)
		return error_set_errno(err, errno, "cannot read the boot id");
	errno = ESRCH;
	if (pid <= 0 || read_start(pid, &id.start) < 0) {
		error_set_errno(err, errno, "cannot look at process %d", (int)pid);
		if (err->os_errno == ENOENT || err->os_errno == ESRCH)
			error_set(err, ERR_NOT_FOUND, "process %d is gone", (int)pid);
		return err->code;
	}
	*ret = id;
	return 0;
}

static bool same(const struct process_id *a, const struct process_id *b)
{
	return a->pid == b->pid && a->start == b->start && strcmp(a->boot, b->boot) == 0;
}

int process_open(const struct process_id *id)
{
	AUTO_CLOSE int fd = id->pid > 0 ? pidfd_open(id->pid, 0) : -1;
	struct pollfd ended = {.fd = fd, .events = POLLIN};
	struct process_id now;
	struct error err = {0};
	int r;

	if (fd < 0) {
		/* EINVAL: the number is a thread's now, so the process is gone too */
		if (id->pid <= 0 || errno == EINVAL)
			errno = ESRCH;
		return -1;
	}
	r = process_identify(id->pid, &now, &err);
	if (r < 0 && r != ERR_NOT_FOUND) {
		errno = err.os_errno;
		return -1;
	}
	if (r < 0 || !same(id, &now) || poll(&ended, 1, 0) != 0) {
		errno = ESRCH;
		return -1;
	}
	return steal_fd(&fd);
}

bool process_is_of_this_boot(const struct process_id *id)
{
	char boot[sizeof(id->boot)];

	return read_boot(boot, sizeof(boot)) == 0 && strcmp(id->boot, boot) == 0;
}

bool process_lives(const struct process_id *id)
{
	AUTO_CLOSE int fd = process_open(id);

	if (fd >= 0 || errno == ESRCH)
		return fd >= 0;
	/*
	 * It could not be looked at (no descriptor left, say). To hold a living process for dead
	 * would kill it, so this much is enough to spare it.
	 */
	return kill(id->pid, 0) == 0 || errno == EPERM;
}
