/*
 * fzf.c: the one way to run fzf.
 * It reads the lines from a pipe, draws on the terminal itself and writes what was chosen to another
 * pipe. Ctrl-C is its key while it runs. It ends with us, whatever ends us.
 */
#include "terminal/fzf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "terminal/ask.h"
#include "terminal/program.h"

#define FZF_NOTHING 1
#define FZF_CANCELLED 130
#define ARGS_MAX 64
#define CHOSEN_MAX ((size_t)64 * 1024)

static _Noreturn void become_fzf(const struct fzf *f, int in, int out)
{
	const char *argv[ARGS_MAX] = {"fzf"};

	for (size_t i = 0; f->args && f->args[i] && i + 2 < ARGS_MAX; i++)
		argv[i + 1] = f->args[i];
	for (const char *const *e = f->environment; e && e[0]; e += 2)
		setenv(e[0], e[1], 1);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0)
		execvp("fzf", (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* What it writes until it ends; meanwhile the caller has its ticks. */
static void read_answer(const struct fzf *f, pid_t pid, int fd, struct buf *ret)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN},
			       {.fd = f->on_tick ? f->wake_fd : -1, .events = POLLIN}};

	size_t most = f->answer_max ? f->answer_max : CHOSEN_MAX;

	for (;;) {
		int n = poll(fds, 2, f->on_tick ? f->tick_ms : -1);
		char chunk[4096];
		ssize_t got;

		if (n < 0 && errno != EINTR)
			return;
		if (n >= 0 && f->on_tick && (n == 0 || fds[1].revents) && f->on_tick(f->data))
			kill(pid, SIGTERM);
		if (n <= 0 || !fds[0].revents)
			continue;
		got = read(fd, chunk, sizeof(chunk));
		if (got == 0 || (got < 0 && errno != EINTR))
			return;
		if (got > 0 && ret->len < most)
			buf_add(ret, chunk, (size_t)got);
	}
}

static int answer_of(int status)
{
	if (!WIFEXITED(status))
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT ? ASK_CANCELLED
									 : FZF_UNUSABLE;
	if (WEXITSTATUS(status) == FZF_NOTHING || WEXITSTATUS(status) == FZF_CANCELLED)
		return ASK_CANCELLED;
	return WEXITSTATUS(status) == 0 ? 0 : FZF_UNUSABLE;
}

static int open_pipes(int in[2], int out[2])
{
	if (pipe2(in, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(out, O_CLOEXEC) == 0)
		return 0;
	close(in[0]);
	close(in[1]);
	return -1;
}

int fzf_run(const struct fzf *f, struct buf *ret)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_pipe;
	int in[2], out[2], status = 0;
	pid_t pid;

	if (!program_is_installed("fzf") || open_pipes(in, out) < 0)
		return FZF_UNUSABLE;
	fflush(stdout);
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGPIPE, &ignore, &old_pipe);
	pid = fork();
	if (pid == 0)
		become_fzf(f, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	/* One that ends early has its reasons; its exit status tells them. */
	if (pid > 0 && f->lines && fd_write_all(in[1], f->lines->data, f->lines->len) < 0)
		errno = 0;
	close(in[1]);
	if (pid > 0)
		read_answer(f, pid, out[0], ret);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(out[0]);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
	return pid > 0 ? answer_of(status) : FZF_UNUSABLE;
}

int fzf_version(void)
{
	static const char *const args[] = {"--version", NULL};
	/* The person's options could be wrong; whether they are is seen when it really runs. */
	static const char *const environment[] = {"FZF_DEFAULT_OPTS", "", NULL};
	struct fzf f = {.args = args, .environment = environment};
	AUTO_BUF struct buf text = {0};
	long major, minor;
	char *end;

	if (fzf_run(&f, &text) != 0)
		return 0;
	major = strtol(buf_text(&text), &end, 10);
	if (end == buf_text(&text) || *end != '.')
		return 0;
	minor = strtol(end + 1, NULL, 10);
	if (major < 0 || minor < 0 || major > 1000 || minor > 999)
		return 0;
	return (int)(major * 1000 + minor);
}
