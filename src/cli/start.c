/*
 * start.c: the daemon that is there when it is needed, as tmux does it.
 * The child is this very program, in a session of its own, with nothing inherited but a pipe: one
 * byte on it means that the daemon answers, its end without one that the daemon gave up. Two
 * commands may start one at the same moment. The one that loses the store's lock exits as a
 * conflict, and its starter simply tries to connect again; the same holds when the lock is held for
 * a moment by a command that works without a daemon.
 *
 * Whoever needs it first may be an agent, through a tool or in a shell of its own. The daemon outlives that
 * conversation and runs agents of its own, which must not take themselves for it, nor hold its keys: what a
 * client says to its children about one conversation is left out.
 */
#include "cli/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/files.h"
#include "base/mem.h"
#include "cli/holder.h"

#define START_USEC (30 * USEC_PER_SEC)
#define RETRY_MS 50
#define READY_FD 3
#define LOG_TAIL 4096

bool start_is_forbidden(void)
{
	const char *value = getenv("BELFRY_NO_AUTOSTART");

	/* Inside a run: everything that is started there ends with the run, and so would a daemon. */
	if (getenv("BELFRY_RUN"))
		return true;
	return value && *value && strcmp(value, "0") != 0;
}

static int left_ms(usec_t deadline)
{
	usec_t left = deadline - clock_monotonic();

	return left > 0 ? (int)((left + 999) / USEC_PER_MSEC) : 0;
}

static void sleep_ms(int ms)
{
	struct timespec span = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&span, NULL);
}

static bool is_of_conversation(const char *variable)
{
	static const char *const starts[] = {
		"AI_AGENT=",
		"CLAUDECODE=",
		"CLAUDE_CODE_ENTRYPOINT=",
		"CLAUDE_CODE_MESSAGING_",
		"CLAUDE_CODE_SESSION_ID=",
		"CLAUDE_ENV_FILE=",
		"CLAUDE_PID=",
		"CLAUDE_PLUGIN_",
		"CLAUDE_PROJECT_DIR=",
		"BELFRY_AGENT=",
		"BELFRY_MISSION",
		"BELFRY_SESSION=",
		"BELFRY_USER=",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(variable, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* Ours without those. The texts are borrowed, the array is not. */
static char **daemon_environment(void)
{
	size_t count = 0, n = 0;
	char **list;

	while (environ[count])
		count++;
	list = mem_array(count + 1, sizeof(*list));
	for (char **p = environ; *p; p++)
		if (!is_of_conversation(*p))
			list[n++] = *p;
	return list;
}

/* In the child, between fork and exec: async-signal-safe calls only. */
static _Noreturn void become_daemon(int ready, int log, const char *const *options,
				    char **environment)
{
	char *argv[5 + START_OPTIONS_MAX + 1] = {(char[]){"belfry"}, (char[]){"daemon"},
						 (char[]){"run"}, (char[]){"--ready-fd"},
						 (char[]){"3"}};
	int null = open("/dev/null", O_RDONLY);
	int high;
	sigset_t none;

	for (int i = 0; options[i]; i++)
		argv[5 + i] = (char *)(uintptr_t)options[i];
	(void)files_raise(); /* it says itself when that is not enough */
	/* Out of the way of 0 to 3 first: any of these may be one of those already. */
	high = fcntl(ready, F_DUPFD, 10);
	log = fcntl(log, F_DUPFD, 10);
	null = fcntl(null, F_DUPFD, 10);
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(null, 0) >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0 &&
	    dup2(high, READY_FD) >= 0) {
		/* A daemon that kept the caller's pipes would keep its readers waiting. */
		syscall(SYS_close_range, READY_FD + 1, ~0U, 0);
		environ = environment;
		execv("/proc/self/exe", argv);
	}
	_exit(127);
}

static int launch(const struct home *h, const char *const *options, pid_t *ret_pid, int *ret_ready,
		  off_t *ret_log_size, struct error *err)
{
	AUTO_CLOSE int log = -1, ready = -1, write_end = -1;
	char **environment;
	struct stat st = {0};
	int fds[2];
	pid_t pid;
	int r;

	if ((r = files_check(err)) < 0 || (r = home_prepare(h, err)) < 0)
		return r;
	log = file_open(h->log_file, O_WRONLY | O_APPEND | O_CREAT, err);
	if (log < 0) {
		error_prefix(err, "the log");
		return *err->hint ? err->code
				  : error_hint(err, "the folder must be writable; BELFRY_HOME "
						    "names another");
	}
	if (fstat(log, &st) < 0 || pipe2(fds, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot start a daemon");
	ready = fds[0];
	write_end = fds[1];
	environment = daemon_environment();
	pid = fork();
	if (pid == 0)
		become_daemon(write_end, log, options, environment);
	free(environment);
	if (pid < 0)
		return error_set_errno(err, errno, "cannot start a daemon");
	*ret_pid = pid;
	*ret_ready = steal_fd(&ready);
	*ret_log_size = st.st_size;
	return 0;
}

/* What the log got since it had `from` bytes; of much, the end. */
static void read_log_tail(const struct home *h, off_t from, struct buf *ret)
{
	struct error none = {0};
	AUTO_CLOSE int fd = file_open(h->log_file, O_RDONLY, &none);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	if (st.st_size - from > LOG_TAIL)
		from = st.st_size - LOG_TAIL;
	buf_reserve(ret, LOG_TAIL);
	n = pread(fd, ret->data, LOG_TAIL, from);
	ret->len = n > 0 ? (size_t)n : 0;
	ret->data[ret->len] = '\0';
}

/*
 * The daemon's own error, as main() wrote it into the log: "belfry: MESSAGE" and "hint: HINT".
 * Where it died without one, its last line has to do.
 */
static void quote_log(const struct home *h, char *text, struct error *err)
{
	const char *message = NULL, *hint = NULL, *last = "see its log";
	char *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		last = l;
		if (strncmp(l, "belfry: ", 8) == 0)
			message = l + 8;
		else if (strncmp(l, "hint: ", 6) == 0)
			hint = l + 6;
	}
	error_set(err, ERR_UNAVAILABLE, "the daemon did not start: %s", message ? message : last);
	if (message && hint)
		error_hint(err, "%s", hint);
	else
		error_hint(err, "its log is '%s'; 'belfry daemon run' shows it", h->log_file);
}

/* The daemon ended without a byte. Returns 0 when another try may help. */
static int explain_end(const struct home *h, pid_t pid, off_t log_from, struct error *err)
{
	AUTO_BUF struct buf tail = {0};
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == error_exit_status(ERR_CONFLICT))
		return 0;
	/* Ended by somebody before it could begin: that is no fault of its own. */
	if ((WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM)) ||
	    (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return 0;
	read_log_tail(h, log_from, &tail);
	quote_log(h, tail.data ? tail.data : (char[]){""}, err);
	return err->code;
}

/* One try. Returns 1 when our daemon is ready, 0 when another holds the lock, or negative. */
static int try_start(const struct home *h, const char *const *options, usec_t deadline,
		     struct error *err)
{
	AUTO_CLOSE int ready = -1;
	off_t log_from = 0;
	pid_t pid = 0;
	char byte;
	ssize_t n;
	int r = launch(h, options, &pid, &ready, &log_from, err);

	if (r < 0)
		return r;
	for (;;) {
		struct pollfd wait = {ready, POLLIN, 0};

		r = poll(&wait, 1, left_ms(deadline));
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			error_set(err, ERR_UNAVAILABLE,
				  "the daemon was not ready within %d seconds",
				  (int)(START_USEC / USEC_PER_SEC));
			return error_hint(err, "its log is '%s'", h->log_file);
		}
		n = read(ready, &byte, 1);
		return n == 1 ? 1 : explain_end(h, pid, log_from, err);
	}
}

/* One that begins, or ends, is waited for: a second one could not begin beside it. */
static int wait_for_other(const struct home *h, usec_t deadline, struct error *err)
{
	pid_t pid = 0;
	enum holder holder = holder_look(h, &pid);

	if (holder != HOLDER_STARTS && holder != HOLDER_STOPS)
		return 0;
	if (left_ms(deadline) == 0) {
		error_set(err, ERR_UNAVAILABLE, "the daemon (process %d) is still %s", (int)pid,
			  holder == HOLDER_STARTS ? "starting" : "stopping");
		return error_hint(err, "its log is '%s'", h->log_file);
	}
	sleep_ms(RETRY_MS);
	return 1;
}

int start_connect_as(const struct home *h, const char *const options[START_OPTIONS_MAX + 1],
		     struct client **ret, bool *ret_started, struct error *err)
{
	usec_t deadline = clock_monotonic() + START_USEC;
	bool started = false;

	for (;;) {
		int r = client_connect(h, ret, err);

		if (r < 0)
			return r;
		if (r > 0) {
			*ret_started = started;
			return 0;
		}
		r = wait_for_other(h, deadline, err);
		if (r < 0)
			return r;
		if (r > 0)
			continue;
		if (left_ms(deadline) == 0) {
			error_set(err, ERR_UNAVAILABLE,
				  "the store is locked by another process, which does not answer");
			return error_hint(err, "its process number is in '%s'", h->lock_file);
		}
		r = try_start(h, options, deadline, err);
		if (r < 0)
			return r;
		started = r > 0;
		if (!started)
			sleep_ms(RETRY_MS);
	}
}

int start_connect(const struct home *h, struct client **ret, bool *ret_started, struct error *err)
{
	static const char *const none[START_OPTIONS_MAX + 1] = {NULL};

	return start_connect_as(h, none, ret, ret_started, err);
}

int start_wait_gone(pid_t pid, int timeout_ms, struct error *err)
{
	usec_t deadline = clock_monotonic() + timeout_ms * USEC_PER_MSEC;
	AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0 && errno == ESRCH)
		return 0;
	if (fd < 0)
		return error_set_errno(err, errno, "cannot watch process %d", (int)pid);
	for (;;) {
		struct pollfd wait = {fd, POLLIN, 0};
		int r = poll(&wait, 1, left_ms(deadline));

		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return error_set_errno(err, errno, "cannot watch process %d", (int)pid);
		if (r == 0)
			break;
	}
	error_set(err, ERR_UNAVAILABLE, "the daemon (pid %d) still runs after %d seconds", (int)pid,
		  timeout_ms / 1000);
	return err->code;
}
