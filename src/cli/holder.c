/* holder.c: see holder.h. A daemon's own word for what it is at is the name of its process (daemon/daemon.h). */
#include "cli/holder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "daemon/daemon.h"

#define COMMAND_MAX 4096

static bool read_of(pid_t pid, const char *what, struct buf *ret)
{
	struct error err = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return file_read(path, COMMAND_MAX, ret, &err) == 0;
}

/* "belfry daemon run", with any options between. What has ended has no words any more. */
static bool is_daemon(pid_t pid)
{
	AUTO_BUF struct buf words = {0};
	bool daemon = false;

	if (!read_of(pid, "cmdline", &words))
		return false;
	for (size_t at = 0; at < words.len; at += strlen(words.data + at) + 1) {
		if (daemon && strcmp(words.data + at, "run") == 0)
			return true;
		daemon |= at > 0 && strcmp(words.data + at, "daemon") == 0;
	}
	return false;
}

enum holder holder_look(const struct home *h, pid_t *ret_pid)
{
	AUTO_BUF struct buf name = {0};
	pid_t pid = 0;

	if (!file_lock_is_held(h->lock_file, &pid) || pid <= 0 || !is_daemon(pid) ||
	    !read_of(pid, "comm", &name))
		return HOLDER_NONE;
	*ret_pid = pid;
	if (strcmp(buf_text(&name), DAEMON_STARTS "\n") == 0)
		return HOLDER_STARTS;
	return strcmp(buf_text(&name), DAEMON_STOPS "\n") == 0 ? HOLDER_STOPS : HOLDER_SERVES;
}

bool holder_waits_for_store(pid_t pid)
{
	AUTO_BUF struct buf name = {0};

	return read_of(pid, "comm", &name) && strcmp(buf_text(&name), DAEMON_WAITS "\n") == 0;
}

int holder_signal(const struct home *h, int number, pid_t *ret_pid, struct error *err)
{
	AUTO_CLOSE int fd = -1;
	pid_t pid = 0, again = 0;

	if (holder_look(h, &pid) == HOLDER_NONE)
		return 0;
	fd = pidfd_open(pid, 0);
	/* Looked at again, now that the number cannot become another's. */
	if (fd < 0 || holder_look(h, &again) == HOLDER_NONE || again != pid)
		return 0;
	if (pidfd_send_signal(fd, number, NULL, 0) < 0 && errno != ESRCH)
		return error_set_errno(err, errno, "cannot signal the daemon (pid %d)", (int)pid);
	*ret_pid = pid;
	return 1;
}
