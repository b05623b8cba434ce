/* silence.c: see silence.h. */
#include "cli/silence.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define STOPPED_USEC (2 * USEC_PER_SEC) /* a debugger may stop it for a moment */
#define STAT_MAX 4096

/* The state, and the time it has used, of /proc/PID/stat; false: there is no such process. */
static bool look(pid_t pid, char *ret_state, unsigned long long *ret_ticks)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	unsigned long long user, kernel;
	const char *rest;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read(path, STAT_MAX, &text, &err) < 0)
		return false;
	/* Its name is in brackets, and may have any. */
	rest = strrchr(buf_text(&text), ')');
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes it */
	if (!rest || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
			    ret_state, &user, &kernel) != 3)
		return false;
	*ret_ticks = user + kernel;
	return true;
}

unsigned long long silence_naps(pid_t pid)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char path[32] = "/proc/", text[STAT_MAX], digits[16];
	size_t len = strlen(path), n = 0;
	const char *found = NULL;
	ssize_t got = -1;
	int fd;

	/* By hand: printf is not for handlers. */
	for (; pid > 0; pid /= 10)
		digits[n++] = (char)('0' + pid % 10);
	while (n)
		path[len++] = digits[--n];
	memcpy(path + len, "/status", sizeof("/status"));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (got > 0) {
		text[got] = '\0';
		found = strstr(text, key);
	}
	return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

struct silence silence_begin(pid_t pid)
{
	usec_t now = clock_monotonic();

	return (struct silence){.pid = pid, .began = now, .alive_at = now};
}

enum silence_kind silence_look(struct silence *s, usec_t patience)
{
	usec_t now = clock_monotonic();
	unsigned long long ticks = 0;
	char state = 0;

	if (!s->pid || !look(s->pid, &state, &ticks))
		return SILENCE_BUSY;
	if (state == 'T' || state == 't')
		return now - s->began >= STOPPED_USEC ? SILENCE_STOPPED : SILENCE_BUSY;
	if (state == 'R' || state == 'D' || ticks != s->ticks)
		s->alive_at = now;
	s->ticks = ticks;
	return now - s->alive_at >= patience ? SILENCE_HUNG : SILENCE_BUSY;
}
