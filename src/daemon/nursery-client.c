/*
 * nursery-client.c: ask the nursery for wrappers and keepers.
 * Orders stand in one line. The first few of it have been sent, the others wait, so that neither
 * the socket nor the table of descriptors can be filled by a turn that starts hundreds. The nursery
 * answers in the order it was asked.
 * The gate is ours from the moment it is made. Whatever happens to the nursery, a wrapper it forked
 * without our learning of it finds its gate closed and ends: so an order that was sent and not
 * answered may be sent again.
 */
#include "daemon/nursery-client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#define SENT_MAX 32
#define TRIES_MAX 2
#define NURSERY_FD 3

struct birth {
	struct birth *next;
	int64_t run;
	char *order;
	nursery_on_born *on_born;
	void *asker; /* NULL: nobody waits for it any more */
	int gate;    /* -1 while it has not been sent */
	bool sent;
	int tries;
};

/* One nursery process. Its handles outlive our use of it by a turn of the loop. */
struct nest {
	struct nursery *n;
	uv_process_t process;
	uv_poll_t poll;
	int fd;
	int open_handles;
};

struct nursery {
	uv_loop_t *loop;
	char *home;
	mode_t mask;
	struct nest *nest; /* NULL: none runs */
	struct birth *line, **line_end;
	size_t sent;
};

/* --- the line ----------------------------------------------------------------------------- */

static struct birth *take(struct nursery *n, struct birth *b)
{
	struct birth **slot = &n->line;

	while (*slot != b)
		slot = &(*slot)->next;
	*slot = b->next;
	if (!*slot)
		n->line_end = slot;
	n->sent -= b->sent;
	return b;
}

static void close_gate(struct birth *b)
{
	if (b->gate >= 0)
		close(steal_fd(&b->gate));
}

static void birth_free(struct birth *b)
{
	close_gate(b);
	free(b->order);
	free(b);
}

static void answer(struct birth *b, struct newborn *born)
{
	if (b->asker) {
		born->gate = born->error ? -1 : steal_fd(&b->gate);
		b->on_born(born, b->asker);
	} else if (born->pidfd >= 0) {
		close(born->pidfd);
	}
	birth_free(b);
}

static void fail_first(struct nursery *n, const char *why)
{
	struct newborn born = {.pidfd = -1, .gate = -1, .error = why};

	answer(take(n, n->line), &born);
}

/* --- the process -------------------------------------------------------------------------- */

static void on_handle_closed(uv_handle_t *handle)
{
	struct nest *nest = handle->data;

	if (--nest->open_handles)
		return;
	if (nest->fd >= 0)
		close(nest->fd);
	free(nest);
}

static void nest_close(struct nest *nest)
{
	nest->n->nest = NULL;
	nest->open_handles = 2;
	uv_close((uv_handle_t *)&nest->process, on_handle_closed);
	uv_close((uv_handle_t *)&nest->poll, on_handle_closed);
}

/* Its socket says the same, and says it after the last answer. */
static void on_nursery_exit(uv_process_t *process, int64_t status, int signal)
{
	(void)process;
	log_warning("the nursery ended (status %d, signal %d)", (int)status, signal);
}

static uv_stdio_container_t inherit(int fd)
{
	return (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = fd};
}

static int spawn(struct nursery *n, uv_process_t *process, int fd)
{
	char *args[] = {(char[]){"belfry"}, (char[]){"wrapper"}, (char[]){"nursery"},
			(char[]){"--fd"},   (char[]){"3"},	 NULL};
	uv_stdio_container_t stdio[NURSERY_FD + 1] = {
		[STDERR_FILENO] = inherit(STDERR_FILENO), [NURSERY_FD] = inherit(fd)};
	/* The file itself, not its name: an upgrade may have put another program there. */
	uv_process_options_t options = {
		.exit_cb = on_nursery_exit,
		.file = "/proc/self/exe",
		.args = args,
		.cwd = n->home,
		.flags = UV_PROCESS_DETACHED,
		.stdio_count = NURSERY_FD + 1,
		.stdio = stdio,
	};
	bool bound = getenv(NURSERY_BINDING_NAME); /* by a person: it does the same, and stays */
	mode_t own = umask(n->mask);
	int rc;

	if (!bound)
		setenv(NURSERY_BINDING_NAME, NURSERY_BINDING_VALUE, 1);
	rc = uv_spawn(n->loop, process, &options);
	if (!bound)
		unsetenv(NURSERY_BINDING_NAME);
	umask(own);
	return rc;
}

static void on_reply(uv_poll_t *poll, int status, int events);

static int nest_new(struct nursery *n, struct error *err)
{
	AUTO_CLOSE int theirs = -1;
	struct nest *nest;
	int ends[2], rc;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set_errno(err, errno, "cannot make the nursery's socket");
	theirs = ends[1];
	nest = mem_zalloc(sizeof(*nest));
	nest->n = n;
	nest->fd = ends[0];
	nest->process.data = nest->poll.data = nest;
	/* Polling makes our end not blocking; theirs stays as it is. */
	uv_poll_init(n->loop, &nest->poll, nest->fd);
	rc = spawn(n, &nest->process, theirs);
	n->nest = nest;
	if (rc < 0) {
		nest_close(nest);
		return error_set_errno(err, -rc, "cannot start the nursery");
	}
	uv_poll_start(&nest->poll, UV_READABLE, on_reply);
	return 0;
}

/* --- asking ------------------------------------------------------------------------------- */

static int order_file(const char *order, int *ret, struct error *err)
{
	AUTO_CLOSE int fd = memfd_create("belfry-order", MFD_CLOEXEC);

	if (fd < 0 || fd_write_all(fd, order, strlen(order)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_set_errno(err, errno, "cannot keep a process's order");
	*ret = steal_fd(&fd);
	return 0;
}

static int send_request(int socket_fd, int64_t run, const int fds[2])
{
	struct nursery_request request = {.run = run};
	struct iovec bytes = {.iov_base = &request, .iov_len = sizeof(request)};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {0};
	struct msghdr message = {.msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	ssize_t n;

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(rights), fds, 2 * sizeof(int));
	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int send_birth(struct nursery *n, struct birth *b, struct error *err)
{
	AUTO_CLOSE int order = -1;
	AUTO_CLOSE int theirs = -1;
	AUTO_CLOSE int ours = -1;
	int ends[2], r = order_file(b->order, &order, err);

	if (r < 0)
		return r;
	/* The keeper of a command answers there; a wrapper leaves its end in a file. */
	r = b->run == NURSERY_CHORE ? socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)
				    : pipe2(ends, O_CLOEXEC);
	if (r < 0)
		return error_set_errno(err, errno, "cannot make a process's gate");
	theirs = ends[0];
	ours = ends[1];
	b->tries++;
	r = send_request(n->nest->fd, b->run, (const int[]){order, theirs});
	if (r < 0)
		return error_set_errno(err, -r, "cannot ask the nursery for a process");
	b->gate = steal_fd(&ours);
	b->sent = true;
	n->sent++;
	return 0;
}

static struct birth *first_unsent(struct nursery *n)
{
	struct birth *b = n->line;

	while (b && b->sent)
		b = b->next;
	return b;
}

static void on_nursery_lost(struct nursery *n);

/* It ended, and its socket has not told us yet: no fault of what was to be sent. */
static bool is_lost(const struct nursery *n, const struct birth *b, const struct error *err)
{
	return n->nest && b->tries < TRIES_MAX &&
	       (err->os_errno == EPIPE || err->os_errno == ECONNRESET);
}

/*
 * Send what may be sent. When that fails while others are under way, the next answer tries again:
 * each frees descriptors and room. Else nothing would, and the first one is told.
 */
static void send_some(struct nursery *n)
{
	struct birth *b;

	while (n->sent < SENT_MAX && (b = first_unsent(n))) {
		struct error err = {0};

		if (!b->asker) {
			birth_free(take(n, b));
			continue;
		}
		if ((n->nest || nest_new(n, &err) == 0) && send_birth(n, b, &err) == 0)
			continue;
		if (is_lost(n, b, &err)) {
			on_nursery_lost(n);
			return;
		}
		if (n->sent)
			return;
		fail_first(n, err.message);
	}
}

/* --- answers ------------------------------------------------------------------------------ */

/* What was sent is asked again of the next one, unless this happened before. */
static void on_nursery_lost(struct nursery *n)
{
	nest_close(n->nest);
	n->sent = 0;
	for (struct birth *b = n->line; b; b = b->next) {
		b->sent = false;
		close_gate(b);
	}
	/* Those tried most often stand first. */
	while (n->line && n->line->tries >= TRIES_MAX)
		fail_first(n, "the process that starts them ended");
	send_some(n);
}

/* 1 an answer, 0 none yet, negative: this nursery is of no more use. */
static int receive(int socket_fd, struct nursery_reply *reply, int *ret_pidfd)
{
	struct iovec bytes = {.iov_base = reply, .iov_len = sizeof(*reply)};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message = {.msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const struct cmsghdr *rights;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	rights = CMSG_FIRSTHDR(&message);
	if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS)
		memcpy(ret_pidfd, CMSG_DATA(rights), sizeof(int));
	return n == sizeof(*reply) ? 1 : -1;
}

static void take_reply(struct nursery *n, const struct nursery_reply *reply, int *pidfd)
{
	struct newborn born = {.process = reply->process, .pidfd = -1, .gate = -1};
	struct error err = {0};

	if (reply->os_errno || *pidfd < 0) {
		error_set_errno(&err, reply->os_errno ? reply->os_errno : EBADF,
				"cannot start a process for it");
		born.error = err.message;
	} else {
		born.pidfd = steal_fd(pidfd);
	}
	answer(take(n, n->line), &born);
}

static void on_reply(uv_poll_t *poll, int status, int events)
{
	struct nest *nest = poll->data;
	struct nursery *n = nest->n;

	(void)status;
	(void)events;
	for (int i = 0; i < SENT_MAX; i++) {
		struct nursery_reply reply = {0};
		AUTO_CLOSE int pidfd = -1;
		int r = receive(nest->fd, &reply, &pidfd);

		if (r == 0)
			break;
		if (r < 0 || !n->line || !n->line->sent || n->line->run != reply.run) {
			on_nursery_lost(n);
			return;
		}
		take_reply(n, &reply, &pidfd);
		/* Who heard of it may have asked for another, and this one turned out to be gone. */
		if (n->nest != nest)
			return;
	}
	send_some(n);
}

/* --- for missions.c and supervise.c ------------------------------------------------------- */

struct nursery *nursery_new(uv_loop_t *loop, const char *home, mode_t mask)
{
	struct nursery *n = mem_zalloc(sizeof(*n));

	n->loop = loop;
	n->home = mem_strdup(home);
	n->mask = mask;
	n->line_end = &n->line;
	return n;
}

void nursery_close(struct nursery *n)
{
	while (n->line)
		birth_free(take(n, n->line));
	if (n->nest)
		nest_close(n->nest);
}

void nursery_free(struct nursery *n)
{
	free(n->home);
	free(n);
}

void nursery_order(struct nursery *n, int64_t run, const char *order, nursery_on_born *on_born,
		   void *asker)
{
	struct birth *b = mem_zalloc(sizeof(*b));

	b->run = run;
	b->order = mem_strdup(order);
	b->on_born = on_born;
	b->asker = asker;
	b->gate = -1;
	*n->line_end = b;
	n->line_end = &b->next;
	send_some(n);
}

/* One that was sent keeps its place, for the answers come in that order. */
void nursery_cancel(struct nursery *n, const void *asker)
{
	struct birth *b = n->line;

	while (b && b->asker != asker)
		b = b->next;
	if (!b)
		return;
	b->asker = NULL;
	close_gate(b);
	if (!b->sent)
		birth_free(take(n, b));
}
