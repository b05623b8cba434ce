/*
 * brand.c: see brand.h.
 * The sign is a hard limit: whoever has no privilege can lower one, and never raise it again, not in a namespace of
 * their own either. It is that of file locks, which Linux counts no more, so that it limits nothing and nobody else has
 * a use for it. A process with CAP_SYS_RESOURCE, as root mostly has it, can take it off.
 *
 * An agent may itself use a Belfry with a home of its own, to test it for example. There it is the person: so each daemon
 * brands a little deeper than it is branded itself.
 */
#include "agent/brand.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/auto.h"

#define FIRST 1000000000
#define LIMITS_MAX 4096
#define LINE "\nMax file locks "

static int64_t of_limit(rlim_t hard)
{
	return hard >= FIRST * (rlim_t)2 ? BRAND_NONE : (int64_t)hard;
}

int64_t brand_of_self(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_LOCKS, &limit) < 0 ? 0 : of_limit(limit.rlim_max);
}

/* By its file: prlimit() asks for the same groups as well. */
int64_t brand_of(pid_t pid)
{
	char path[32], text[LIMITS_MAX];
	const char *line;
	uint64_t hard;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, LINE);
	if (!line)
		return 0;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes it; the second number is the hard one */
	if (sscanf(line + strlen(LINE), "%*s %" SCNu64, &hard) == 1)
		return of_limit((rlim_t)hard);
	return strstr(line + strlen(LINE), "unlimited") ? BRAND_NONE : 0;
}

int64_t brand_below(int64_t own)
{
	if (own > FIRST)
		return FIRST;
	return own > 1 ? own - 1 : 1;
}

void brand_wear(int64_t brand)
{
	const struct rlimit limit = {.rlim_cur = (rlim_t)brand, .rlim_max = (rlim_t)brand};

	(void)setrlimit(RLIMIT_LOCKS, &limit);
}
