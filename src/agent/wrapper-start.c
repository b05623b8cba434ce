/*
 * wrapper-start.c: fork and exec, with nothing of ours left in the child.
 * The child leads a session of its own (on a terminal: a group of its own, in the foreground) and
 * dies with us. It is made by vfork(): to copy our memory for a program that throws it away would
 * cost more than everything else in a start. So until its program runs, the child works in our
 * memory while we wait: what it writes there we see. That is how it says what went wrong, and "not
 * found" is known here and not guessed from an exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/brand.h"
#include "agent/wrapper-parts.h"
#include "base/mem.h"

#define SAID_MAX ((size_t)1024 * 1024) /* of standard output; an answer is looked for in it */
#define ERROR_SAID_MAX ((size_t)64 * 1024)

enum stage { STAGE_PARENT, STAGE_FOLDER, STAGE_COMMAND };
struct mishap {
	enum stage stage;
	int os_errno;
};

struct ends { /* of the pipes, both sides */
	int out[2], err[2];
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(steal_fd(fd));
}

static void ends_fini(struct ends *e)
{
	for (int i = 0; i < 2; i++) {
		close_one(&e->out[i]);
		close_one(&e->err[i]);
	}
}

void child_fini(struct child *c)
{
	for (int i = 0; i < 2; i++) {
		close_one(&c->streams[i]);
		ring_fini(&c->said[i]);
	}
	adapter_hearing_fini(&c->heard);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		if (s != SIGKILL && s != SIGSTOP)
			signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void enter_cgroup(const char *path)
{
	AUTO(free) char *file = mem_printf("%s/cgroup.procs", path);
	AUTO_CLOSE int fd = open(file, O_WRONLY | O_CLOEXEC);

	/* Without it the tree of parents still holds. */
	if (fd >= 0)
		(void)!write(fd, "0", 1);
}

/* Both sides do this, whoever comes first: the terminal must be the child's before it reads. */
static void take_terminal(pid_t group)
{
	if (isatty(STDIN_FILENO))
		tcsetpgrp(STDIN_FILENO, group);
}

static void connect_streams(const struct launch *l, const struct ends *e)
{
	int input = l->input, output = e->out[1];

	if (l->interactive)
		return;
	if (input < 0)
		input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (output < 0)
		output = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(e->err[1], STDERR_FILENO);
}

static _Noreturn void give_up(volatile struct mishap *m, enum stage stage, int os_errno)
{
	m->stage = stage;
	m->os_errno = os_errno;
	_exit(127);
}

/* In the child, in our memory: it must leave nothing changed there but `m` and environ. */
static _Noreturn void become(const struct launch *l, const struct ends *e, pid_t parent,
			     volatile struct mishap *m)
{
	if (l->interactive) {
		setpgid(0, 0);
		take_terminal(getpid()); /* while SIGTTOU is still blocked */
	} else {
		setsid();
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it went before it could be noticed */
		give_up(m, STAGE_PARENT, ESRCH);
	if (l->cgroup)
		enter_cgroup(l->cgroup);
	brand_wear(brand_below(brand_of_self()));
	if (chdir(l->directory) < 0)
		give_up(m, STAGE_FOLDER, errno);
	connect_streams(l, e);
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	reset_signals();
	environ = (char **)l->environment; /* its PATH is the one that counts */
	execvp(l->argv[0], (char *const *)l->argv);
	give_up(m, STAGE_COMMAND, errno);
}

static int explain(const struct mishap *m, const struct launch *l, struct error *err)
{
	if (m->stage == STAGE_FOLDER) {
		error_set_errno(err, m->os_errno, "cannot enter folder '%s'", l->directory);
		return error_hint(err, "the agent's `directory` in config.yml has to exist");
	}
	error_set_errno(err, m->os_errno, "cannot start '%s'", l->argv[0]);
	if (m->os_errno == ENOENT)
		error_hint(err, "it is not installed, or not in the PATH that the daemon has");
	else if (m->os_errno == E2BIG)
		error_hint(err, "arguments and environment are too long together");
	return err->code;
}

static int open_pipes(const struct launch *l, struct ends *e, struct error *err)
{
	if (l->interactive)
		return 0;
	if ((!l->no_output && pipe2(e->out, O_CLOEXEC) < 0) || pipe2(e->err, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot make a pipe");
	/* Only our ends: the agent's own writes wait, as those of any program do. */
	if (!l->no_output)
		fcntl(e->out[0], F_SETFL, O_NONBLOCK);
	fcntl(e->err[0], F_SETFL, O_NONBLOCK);
	return 0;
}

/* Its process, or -1; comes back when its program runs or it has given up. */
static pid_t start_process(const struct launch *l, const struct ends *e, struct mishap *ret)
{
	volatile struct mishap m = {STAGE_PARENT, 0};
	char **own = environ;
	pid_t parent = getpid(), pid;

	/* NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork): see the top */
	pid = vfork();
	if (pid == 0)
		become(l, e, parent, &m);
	environ = own;
	*ret = (struct mishap){m.stage, m.os_errno};
	return pid;
}

int child_start(const struct launch *l, struct child *ret, struct error *err)
{
	__attribute__((cleanup(ends_fini))) struct ends e = {{-1, -1}, {-1, -1}};
	struct mishap m;
	pid_t pid;
	int r = open_pipes(l, &e, err);

	*ret = (struct child){.streams = {-1, -1},
			      .said = {{.size = SAID_MAX}, {.size = ERROR_SAID_MAX}}};
	if (r < 0)
		return r;
	if (l->adapter)
		adapter_hearing_init(&ret->heard, l->adapter);
	pid = start_process(l, &e, &m);
	if (pid < 0)
		return error_set_errno(err, errno, "cannot fork");
	if (m.os_errno) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return explain(&m, l, err);
	}
	if (l->interactive) {
		setpgid(pid, pid);
		take_terminal(pid);
	}
	ret->pid = pid;
	ret->streams[0] = steal_fd(&e.out[0]);
	ret->streams[1] = steal_fd(&e.err[0]);
	return 0;
}
