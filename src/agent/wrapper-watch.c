/*
 * wrapper-watch.c: the loop above one child.
 * What wakes it: a signal (ours, or SIGCHLD), the timer, the child's two streams, and the leash of one that
 * must not outlive whoever wanted it. It ends
 * with the child, not with its output: a program left in the background may hold the pipes for ever.
 * So first everything below us is ended, and then what is still in the pipes is read.
 *
 *	runs      until it exits, its time is up, or we are told to end it
 *	asked     SIGTERM (or what we were told) to all of it; the grace period runs
 *	killed    stop, kill, look again, until nothing is below us
 * The timer counts suspend (CLOCK_BOOTTIME): a limit of an hour is an hour of the wall.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#define READS_A_WAKEUP 16		    /* so that a chatty agent cannot starve the timer */
#define DRAIN_MAX ((size_t)4 * 1024 * 1024) /* more than any pipe holds */
#define CHATTY ((uint64_t)256 * 1024)	    /* from here on a larger pipe is worth its memory */
#define CHATTY_PIPE (1024 * 1024)
#define HUNT_LIMIT (10 * USEC_PER_SEC)

struct watch {
	struct wrapper *w;
	const struct launch *launch;
	struct child *child;
	int timer;
	usec_t limit_at, grace_at; /* 0: not set */
	bool has_settings;	   /* there is a terminal, and it was like this: */
	struct termios settings;
};

/* clang-format off */
static const struct {
	int signal;
	enum cause cause, cause_on_terminal; /* there, Ctrl-C is the person and not the daemon */
} endings[] = {
	{SIGTERM, CAUSE_KILLED,   CAUSE_KILLED},
	{SIGINT,  CAUSE_SHUTDOWN, CAUSE_KILLED},
	{SIGHUP,  CAUSE_KILLED,   CAUSE_KILLED},
};
/* clang-format on */

static enum cause cause_of(int sig, bool interactive)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (endings[i].signal == sig)
			return interactive ? endings[i].cause_on_terminal : endings[i].cause;
	return CAUSE_NONE;
}

int wrapper_take_signals(struct wrapper *w, bool *ret_child)
{
	struct signalfd_siginfo si;
	int asked = 0;

	while (read(w->signals, &si, sizeof(si)) == sizeof(si)) {
		enum cause cause = cause_of((int)si.ssi_signo, w->order->interactive);

		if (si.ssi_signo == SIGCHLD)
			*ret_child = true;
		if (cause == CAUSE_NONE)
			continue;
		if (w->asked == CAUSE_NONE)
			w->asked = cause;
		asked++;
	}
	return asked;
}

static void beat(struct wrapper *w, usec_t now)
{
	if (!w->beat_at || now < w->beat_at)
		return;
	futimens(w->heartbeat, NULL);
	w->beat_at = now + w->beat_every;
}

int wrapper_check(struct wrapper *w, struct error *err)
{
	usec_t now = clock_monotonic();
	bool child = false;

	wrapper_take_signals(w, &child);
	beat(w, now);
	if (w->asked == CAUSE_NONE && w->limit_at && now >= w->limit_at)
		w->asked = CAUSE_TIMEOUT;
	if (w->asked == CAUSE_NONE)
		return 0;
	if (w->asked == CAUSE_TIMEOUT)
		return error_set(err, ERR_CONFLICT, "its time limit passed");
	return error_set(err, ERR_CONFLICT, "it was ended before the agent was started");
}

static usec_t earlier(usec_t a, usec_t b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

static void arm(const struct watch *x)
{
	usec_t at = earlier(earlier(x->limit_at, x->grace_at), x->w->beat_at);
	struct itimerspec spec = {
		.it_value = {.tv_sec = at / USEC_PER_SEC, .tv_nsec = at % USEC_PER_SEC * 1000}};

	timerfd_settime(x->timer, TFD_TIMER_ABSTIME, &spec, NULL);
}

/* The agent went to sleep on its terminal (Ctrl-Z): the shell above us gets it, then we go on. */
static void sleep_with(const struct watch *x)
{
	if (isatty(STDIN_FILENO))
		tcsetpgrp(STDIN_FILENO, getpgrp());
	raise(SIGTSTP); /* no shell above us: the kernel ignores it, and the agent goes on at once */
	if (isatty(STDIN_FILENO))
		tcsetpgrp(STDIN_FILENO, x->child->pid);
	kill(-x->child->pid, SIGCONT);
}

/* Everybody who died below us; orphans of the agent are our children too. */
static void reap(void *data)
{
	const struct watch *x = data;
	int status, flags = WNOHANG | (x->launch->interactive ? WUNTRACED : 0);
	pid_t pid;

	while ((pid = waitpid(-1, &status, flags)) > 0) {
		if (pid != x->child->pid)
			continue;
		if (WIFSTOPPED(status)) {
			sleep_with(x);
			continue;
		}
		x->child->gone = true;
		x->child->status = status;
	}
}

static void find_below(void *data, struct pid_list *ret)
{
	pid_t own = getpid();
	struct pid_list roots = {&own, 1, 1};
	siginfo_t si;

	(void)data;
	/* No child of any kind means no descendant: all of them come to us in the end. */
	if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
		return;
	tree_below(&roots, ret);
}

static void end_all(struct watch *x)
{
	struct hunt h = {find_below, reap, x};

	if (x->launch->cgroup)
		cgroup_kill(x->launch->cgroup);
	x->child->left = tree_hunt(&h, HUNT_LIMIT);
}

/* The group at once, and those who left it one by one. */
static void ask_all(const struct watch *x, int sig)
{
	AUTO_PIDS struct pid_list below = {0};
	pid_t group = x->child->pid;

	find_below(NULL, &below);
	kill(-group, sig);
	for (size_t i = 0; i < below.count; i++)
		if (getpgid(below.pids[i]) != group)
			kill(below.pids[i], sig);
}

static void ask_to_end(struct watch *x, enum cause cause, int sig)
{
	x->child->cause = cause;
	x->limit_at = 0;
	if (!x->launch->grace) {
		end_all(x);
		return;
	}
	x->grace_at = clock_monotonic() + x->launch->grace;
	ask_all(x, sig);
}

/* Nobody wants it any more, or whoever did is gone: what comes next may come at once. */
static void on_leash(struct watch *x)
{
	if (x->child->cause == CAUSE_NONE)
		x->child->cause = CAUSE_SHUTDOWN;
	end_all(x);
}

static void on_signals(struct watch *x)
{
	bool child = false;
	int asked = wrapper_take_signals(x->w, &child);

	if (child)
		reap(x);
	if (x->child->gone || asked == 0)
		return;
	if (x->child->cause == CAUSE_NONE) {
		ask_to_end(x, x->w->asked, x->w->asked == CAUSE_SHUTDOWN ? SIGINT : SIGTERM);
		asked--;
	}
	if (asked > 0) /* said twice: no more patience */
		x->grace_at = clock_monotonic();
}

static void on_time(struct watch *x)
{
	usec_t now = clock_monotonic();
	uint64_t count;

	(void)!read(x->timer, &count, sizeof(count));
	beat(x->w, now);
	if (x->limit_at && now >= x->limit_at)
		ask_to_end(x, CAUSE_TIMEOUT, SIGTERM);
	if (x->grace_at && now >= x->grace_at) {
		x->grace_at = 0;
		end_all(x);
	}
}

/* The id of its conversation, for whoever finds that we were killed. */
static void keep_session(const struct watch *x)
{
	AUTO(free) char *path = mem_printf("%s/" SESSION_FILE, x->w->folder);
	const char *session = x->child->heard.session;
	struct error err = {0};

	if (file_write(path, session, strlen(session), &err) < 0)
		log_warning("run '%s': %s", x->w->run, err.message);
}

/* One read into the ring and from there into the log. False: there is no more for now. */
static bool pump(const struct watch *x, int i, size_t *total)
{
	struct child *c = x->child;
	size_t len;
	char *space = ring_space(&c->said[i], &len);
	ssize_t n = read(c->streams[i], space, len);

	if (n < 0)
		return errno == EINTR;
	if (n == 0) {
		close(steal_fd(&c->streams[i]));
		return false;
	}
	if (c->said[i].total < CHATTY && c->said[i].total + (uint64_t)n >= CHATTY)
		fcntl(c->streams[i], F_SETPIPE_SZ, CHATTY_PIPE);
	c->said[i].total += (uint64_t)n;
	*total += (size_t)n;
	if (x->w->log && !(x->launch->is_helper && i == 0))
		run_log_add(x->w->log, space, (size_t)n);
	if (x->launch->adapter && adapter_hear(&c->heard, x->launch->adapter, i, space, (size_t)n))
		keep_session(x);
	return true;
}

static void drain(const struct watch *x)
{
	for (int i = 0; i < 2; i++) {
		size_t total = 0;

		while (x->child->streams[i] >= 0 && total < DRAIN_MAX && pump(x, i, &total))
			;
	}
}

static void wait_once(struct watch *x)
{
	struct pollfd fds[] = {{.fd = x->w->signals, .events = POLLIN},
			       {.fd = x->timer, .events = POLLIN},
			       {.fd = x->child->streams[0], .events = POLLIN},
			       {.fd = x->child->streams[1], .events = POLLIN},
			       {.fd = x->w->leashed ? x->w->gate : -1, .events = POLLIN}};
	size_t total = 0;

	arm(x);
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0)
		return;
	if (fds[4].revents)
		on_leash(x);
	if (fds[0].revents)
		on_signals(x);
	if (fds[1].revents && !x->child->gone)
		on_time(x);
	for (int i = 0; i < 2; i++)
		for (int n = 0; fds[2 + i].revents && n < READS_A_WAKEUP; n++)
			if (x->child->streams[i] < 0 || !pump(x, i, &total))
				break;
}

/* The terminal is ours again; who was killed could not put its settings back. */
static void restore_terminal(const struct watch *x)
{
	if (!x->has_settings)
		return;
	tcsetpgrp(STDIN_FILENO, getpgrp());
	if (!x->child->gone || WIFSIGNALED(x->child->status))
		tcsetattr(STDIN_FILENO, TCSADRAIN, &x->settings);
}

/* Its window was closed, or tmux ended: an agent that takes that well did not end by itself all the same. */
static bool lost_terminal(const struct watch *x)
{
	struct pollfd terminal = {.fd = STDIN_FILENO};

	return x->has_settings && poll(&terminal, 1, 0) > 0 && (terminal.revents & POLLHUP);
}

void wrapper_watch(struct wrapper *w, const struct launch *l, struct child *c)
{
	struct watch x = {.w = w, .launch = l, .child = c};
	usec_t now = clock_monotonic();

	x.timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	x.has_settings = l->interactive && tcgetattr(STDIN_FILENO, &x.settings) == 0;
	/* The run's own limit counts from its first step: copying is part of it. */
	x.limit_at = earlier(l->time_limit ? now + l->time_limit : 0, w->limit_at);
	/* What was asked while it was being started has its signal behind it. */
	if (w->asked != CAUSE_NONE)
		ask_to_end(&x, w->asked, w->asked == CAUSE_SHUTDOWN ? SIGINT : SIGTERM);
	while (!c->gone && c->left == 0)
		wait_once(&x);
	if (c->cause == CAUSE_NONE && lost_terminal(&x))
		c->cause = CAUSE_KILLED;
	end_all(&x);
	restore_terminal(&x);
	drain(&x);
	if (x.timer >= 0)
		close(x.timer);
}

int wrapper_carry_out(struct wrapper *w, const struct launch *l, struct child *ret,
		      struct error *err)
{
	int r = child_start(l, ret, err);

	if (r == 0)
		wrapper_watch(w, l, ret);
	return r;
}
