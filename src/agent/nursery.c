/*
 * nursery.c: where wrappers come from, and the keepers of commands.
 * A small process that has loaded the program and touched little of it, so that each fork copies few
 * pages. It keeps nothing: wrappers are reaped by the kernel, and their requester holds a descriptor
 * of each. What it cannot understand is answered with an error, never by an end of its own.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/wrapper-parts.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

#define FDS_MAX 8 /* more than are wanted, so that too many are noticed and closed */

struct letter {
	struct nursery_request request;
	int fds[FDS_MAX];
	size_t count;
	bool is_whole; /* a request with its two descriptors */
};
enum { FD_ORDER, FD_GATE, FD_WANTED };

static void letter_fini(struct letter *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->fds[i] >= 0)
			close(l->fds[i]);
}

static void take_fds(struct msghdr *m, struct letter *l)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		if (n > FDS_MAX - l->count)
			n = FDS_MAX - l->count;
		memcpy(l->fds + l->count, CMSG_DATA(c), n * sizeof(int));
		l->count += n;
	}
}

/* 1: a letter, whole or not; 0: the socket has ended. */
static int receive(int socket_fd, struct letter *ret)
{
	union {
		char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {&ret->request, sizeof(ret->request)};
	struct msghdr m = {.msg_iov = &part,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	ssize_t n;

	*ret = (struct letter){0};
	do
		n = recvmsg(socket_fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	/* An empty letter cannot be told from the end; nobody has a reason to send one. */
	if (n <= 0)
		return 0;
	take_fds(&m, ret);
	ret->is_whole = n == sizeof(ret->request) && ret->count == FD_WANTED &&
			!(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC));
	return 1;
}

static void answer(int socket_fd, const struct nursery_reply *reply, int pidfd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {(void *)reply, sizeof(*reply)};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (pidfd >= 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		control.align = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(sizeof(int))};
		memcpy(CMSG_DATA(&control.align), &pidfd, sizeof(int));
	}
	while (sendmsg(socket_fd, &m, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static int read_order(int fd, struct buf *text, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_set_errno(err, errno, "cannot look at the order");
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || (size_t)st.st_size > ORDER_MAX)
		return error_set(err, ERR_INVALID, "an order is a file of 1 to %zu bytes",
				 ORDER_MAX);
	buf_reserve(text, (size_t)st.st_size);
	while (text->len < (size_t)st.st_size) {
		ssize_t n = pread(fd, text->data + text->len, (size_t)st.st_size - text->len,
				  (off_t)text->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set_errno(err, n < 0 ? errno : EIO, "cannot read the order");
		text->len += (size_t)n;
	}
	return 0;
}

/*
 * The child: read the order while the requester commits our pid, then wait at the gate. One whose
 * order is none waits there too: were it gone at once, nobody could say which process it had been.
 */
static _Noreturn void be_born(struct letter *l, const struct wrapper_place *place)
{
	AUTO(order_free) struct order *order = NULL;
	AUTO(chore_free) struct chore *chore = NULL;
	AUTO_BUF struct buf text = {0};
	bool is_chore = l->request.run == NURSERY_CHORE;
	int status = EXIT_FAILURE;
	struct error err = {0};

	setsid();
	signal(SIGCHLD, SIG_DFL);
	if (read_order(l->fds[FD_ORDER], &text, &err) < 0 ||
	    (is_chore ? chore_parse(text.data, text.len, &chore, &err)
		      : order_parse(text.data, text.len, &order, &err)) < 0)
		log_error("run %lld: %s", (long long)l->request.run, err.message);
	close(l->fds[FD_ORDER]);
	buf_fini(&text);
	if (order)
		status = wrapper_run(order, place, l->fds[FD_GATE]);
	else if (chore)
		chore_run(chore, place, l->fds[FD_GATE]);
	else
		gate_opens(l->fds[FD_GATE]);
	_exit(status);
}

static void serve(int socket_fd, struct letter *l, const struct wrapper_place *place)
{
	struct nursery_reply reply = {.run = l->is_whole ? l->request.run : 0};
	AUTO_CLOSE int pidfd = -1;
	struct error err = {0};
	pid_t pid = -1;

	if (l->is_whole) {
		pid = fork();
		if (pid == 0) {
			close(socket_fd);
			be_born(l, place);
		}
		reply.os_errno = pid < 0 ? errno : 0;
	} else {
		reply.os_errno = EBADMSG;
	}
	if (pid > 0) {
		pidfd = pidfd_open(pid, 0);
		if (pidfd < 0)
			reply.os_errno = errno;
		else if (process_identify(pid, &reply.process, &err) < 0)
			reply.os_errno = err.os_errno ? err.os_errno : ESRCH;
	}
	answer(socket_fd, &reply, reply.os_errno ? -1 : pidfd);
}

/* Wrappers answer to these, and the daemon's end is ours by the socket: Ctrl-C is for the daemon. */
static void be_deaf(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	/* Blocked, not ignored: what a new wrapper gets before it listens stays there for it. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_IGN);
}

/* What our starter added to the environment is not for agents. */
static void forget_binding(void)
{
	const char *set = getenv(NURSERY_BINDING_NAME);

	if (set && strcmp(set, NURSERY_BINDING_VALUE) == 0)
		unsetenv(NURSERY_BINDING_NAME);
}

int nursery_main(int socket_fd, const struct wrapper_place *place)
{
	struct letter l;

	be_deaf();
	/* What a run leaves when its wrapper is killed becomes our child, and is known by that. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	cgroup_look();
	forget_binding();
	malloc_trim(0);
	while (receive(socket_fd, &l)) {
		serve(socket_fd, &l, place);
		letter_fini(&l);
	}
	close(socket_fd);
	/* Wrappers go on without a daemon, and so do we above them. Nobody has to be reaped: it ends with the last. */
	while (wait(NULL) >= 0 || errno == EINTR)
		;
	return 0;
}
