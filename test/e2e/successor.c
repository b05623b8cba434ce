/*
 * successor.c: a library for LD_PRELOAD into the release build, so that the daemon it starts is
 * another program: the one with the sanitizers in it, named by E2E_DAEMON.
 *
 * A test asks hundreds of times and starts a daemon once or twice. What asks is the same few lines
 * every time, and with sanitizers its start costs ten times what it does; so the many commands are
 * the release build's, and whatever works for longer is watched (see helper.bash). The program starts
 * its daemon from /proc/self/exe, which is what we replace. And a command that is asked as if it were later,
 * by the seconds of E2E_LATER, reads that from its clock: then nobody has to wait for it. Nobody below sees that we were here: the
 * variables are taken out of the environment at the start.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char successor[PATH_MAX];
static long later;
static char
	stuck[PATH_MAX]; /* E2E_STUCK: a file that nobody ever gets open, as on a dead network */
static int (*real_execv)(const char *path, char *const argv[]);

__attribute__((constructor)) static void begin(void)
{
	const char *named = getenv("E2E_DAEMON"), *seconds = getenv("E2E_LATER");
	void *found = dlsym(RTLD_NEXT, "execv");

	if (!found)
		abort();
	/* What dlsym() answers is data to the language and code to us. */
	memcpy(&real_execv, &found, sizeof(found));
	snprintf(successor, sizeof(successor), "%s", named ? named : "");
	snprintf(stuck, sizeof(stuck), "%s", getenv("E2E_STUCK") ? getenv("E2E_STUCK") : "");
	later = seconds ? strtol(seconds, NULL, 10) : 0;
	unsetenv("E2E_DAEMON");
	unsetenv("E2E_LATER");
	unsetenv("E2E_STUCK");
	unsetenv("LD_PRELOAD");
}

int execv(const char *path, char *const argv[])
{
	if (*successor && strcmp(path, "/proc/self/exe") == 0)
		path = successor;
	return real_execv(path, argv);
}

int open64(const char *path, int flags, ...)
{
	unsigned mode = 0;
	va_list ap;

	while (*stuck && strcmp(path, stuck) == 0)
		pause();
	if (flags & O_CREAT) {
		va_start(ap, flags);
		mode = va_arg(ap, unsigned);
		va_end(ap);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (r == 0 && id == CLOCK_REALTIME)
		ret->tv_sec += later;
	return r;
}
