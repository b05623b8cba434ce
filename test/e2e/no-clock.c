/* no-clock.c: a library for LD_PRELOAD into the daemon: while the file NO_CLOCK is there, the clock was never set. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *ret)
{
	const char *flag = getenv("NO_CLOCK");

	/* 1970, and as long as the machine runs. */
	if (id == CLOCK_REALTIME && flag && access(flag, F_OK) == 0)
		id = CLOCK_BOOTTIME;
	return (int)syscall(SYS_clock_gettime, id, ret);
}
