/*
 * control.c: who may talk to the daemon, and how many at a time.
 * The socket's folder and its mode keep other users out; the kernel's word on who connected
 * (SO_PEERCRED) is the check that does not depend on either. It also names the process, whose
 * descriptor is taken at once: what is found out about it later is about no other.
 *
 * Nobody can take all the places: one process has a few of them, and when none is left the connection that has
 * been silent longest gives way, one of the process that has the most first. Who loses it so connects again when
 * it has something to ask (cli/session.c), and nothing that was asked is lost.
 */
#include "daemon/control.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/listener.h"
#include "daemon/peer.h"

#define PEERS_MAX 256
#define PEERS_OF_PROCESS 64
#define FILES_OF_PEER 2 /* its socket and its process */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

struct control {
	struct listener *listener;
	struct turn *turn;
	struct peer *peers;
	size_t count;
	char *own_user, *root_user; /* names by user id, looked up once */
	bool stopped;
	size_t most;	/* connections at once */
	usec_t told_at; /* when the log was told that clients cannot be served; 0: never */
};

static void on_peer_gone(struct peer *p, void *data)
{
	struct control *c = data;

	for (struct peer **slot = &c->peers; *slot; slot = peer_link(*slot)) {
		if (*slot != p)
			continue;
		*slot = *peer_link(p);
		c->count--;
		return;
	}
}

static char *user_name(uid_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw ? mem_strdup(pw->pw_name) : mem_printf("%u", uid);
}

static const char *known_user(struct control *c, uid_t uid)
{
	char **slot = uid == geteuid() ? &c->own_user : &c->root_user;

	if (!*slot)
		*slot = user_name(uid);
	return *slot;
}

/* Only what runs a text of somebody's counts; our own helpers ask nothing. */
static bool find_command(void *data, pid_t keeper, int64_t start, struct caller_process *ret)
{
	const struct job *job = supervise_job(turn_supervise(data), keeper, start);

	if (!job || (job->kind != JOB_CHECK && job->kind != JOB_DELIVER))
		return false;
	ret->mission = job->whose.mission;
	ret->trust = job->whose.trust;
	snprintf(ret->user, sizeof(ret->user), "%s", job->whose.user);
	return true;
}

/* What fails for one fails for all: a line a minute is enough. */
static void log_rarely(struct control *c, const char *what, const char *why)
{
	usec_t now = clock_monotonic();

	if (c->told_at && now - c->told_at < USEC_PER_MINUTE)
		return;
	c->told_at = now;
	log_error("%s: %s", what, why);
}

/* An older kernel has only the number, which can be another's only if its process ended just now. */
static void identify(struct control *c, const struct peer *p, pid_t pid, struct caller_process *ret)
{
	int fd = -1;
	socklen_t len = sizeof(fd);

	*ret = (struct caller_process){.pid = pid,
				       .pidfd = -1,
				       .home = turn_home(c->turn),
				       .brand = turn_brand(c->turn),
				       .find_command = find_command,
				       .find_data = c->turn};
	if (pid <= 0)
		return;
	/* Only where the kernel knows no better way: the number may be another's by now. */
	if (getsockopt(peer_fd(p), SOL_SOCKET, SO_PEERPIDFD, &fd, &len) < 0)
		fd = errno == ENOPROTOOPT ? pidfd_open(pid, 0) : -1;
	ret->pidfd = fd;
	ret->known = fd < 0;
	if (fd < 0)
		caller_process_blind(ret, errno);
	ret->gone = fd < 0 && !ret->blind;
	if (ret->blind)
		log_rarely(c, "cannot see who connects", strerror(ret->blind));
}

static int check_peer(struct control *c, const struct peer *p, const char **ret_user,
		      struct caller_process *ret, struct error *err)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(peer_fd(p), SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return error_set_errno(err, errno, "cannot tell who connected");
	if (cred.uid != geteuid() && cred.uid != 0) {
		log_warning("user %u (process %d) was refused", cred.uid, (int)cred.pid);
		return error_set(err, ERR_DENIED, "this daemon belongs to user %u, not to %u",
				 geteuid(), cred.uid);
	}
	*ret_user = known_user(c, cred.uid);
	identify(c, p, cred.pid, ret);
	return 0;
}

/* How many connections are open, or with a process, how many of its own. */
static size_t count_open(const struct control *c, pid_t pid)
{
	size_t count = 0;

	for (struct peer *p = c->peers; p; p = *peer_link(p))
		count += peer_is_open(p) && (!pid || peer_pid(p) == pid);
	return count;
}

/* The one that is needed least. NULL when all have work under way. */
static struct peer *least_needed(const struct control *c, const struct peer *newest)
{
	struct peer *found = NULL;
	size_t most = 0;

	for (struct peer *p = c->peers; p; p = *peer_link(p)) {
		size_t count;

		if (p == newest || peer_silence_ms(p) < 0)
			continue;
		count = peer_pid(p) ? count_open(c, peer_pid(p)) : 1;
		if (found && (count < most ||
			      (count == most && peer_silence_ms(p) < peer_silence_ms(found))))
			continue;
		found = p;
		most = count;
	}
	return found;
}

static int make_room(const struct control *c, const struct peer *newest, pid_t pid,
		     struct error *err)
{
	struct peer *least;

	if (pid && count_open(c, pid) >= PEERS_OF_PROCESS) {
		error_set(err, ERR_UNAVAILABLE,
			  "process %d has %d connections to the daemon already: nothing was done",
			  (int)pid, PEERS_OF_PROCESS);
		return error_hint(err, "close some of them, or use one for many requests");
	}
	if (count_open(c, 0) <= c->most)
		return 0;
	least = least_needed(c, newest);
	if (least) {
		peer_close(least);
		return 0;
	}
	error_set(err, ERR_UNAVAILABLE,
		  "%zu clients with work under way are connected already: nothing was done",
		  c->most);
	return error_hint(err, "try again in a moment");
}

static int admit(struct control *c, const struct peer *p, const char **ret_user,
		 struct caller_process *ret, struct error *err)
{
	int r = check_peer(c, p, ret_user, ret, err);

	if (r == 0 && (r = make_room(c, p, ret->pid, err)) < 0 && ret->pidfd >= 0)
		close(ret->pidfd);
	return r;
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct control *c = listener->data;
	const char *user = NULL;
	struct caller_process process;
	struct error err = {0};
	struct peer *p;

	if (status < 0) {
		log_rarely(c, "cannot accept a client", uv_strerror(status));
		return;
	}
	p = peer_accept(listener, c->turn, on_peer_gone, c);
	if (!p)
		return;
	*peer_link(p) = c->peers;
	c->peers = p;
	c->count++;
	if (admit(c, p, &user, &process, &err) < 0)
		peer_refuse(p, &err);
	else
		peer_serve(p, user, &process);
}

int control_listen(uv_loop_t *loop, const struct seat *seat, struct turn *turn,
		   struct control **ret, struct error *err)
{
	struct control *c = mem_zalloc(sizeof(*c));

	c->turn = turn;
	c->most = files_room(FILES_OF_PEER, PEERS_MAX);
	*ret = c;
	return listener_open(loop, seat, on_connection, c, &c->listener, err);
}

void control_look(struct control *c)
{
	if (!c->stopped)
		listener_look(c->listener);
}

void control_stop(struct control *c)
{
	struct peer *next;

	if (c->stopped)
		return;
	c->stopped = true;
	listener_close(c->listener);
	for (struct peer *p = c->peers; p; p = next) {
		next = *peer_link(p);
		peer_stop(p);
	}
}

bool control_has_output(const struct control *c)
{
	for (struct peer *p = c->peers; p; p = *peer_link(p))
		if (peer_has_output(p))
			return true;
	return false;
}

void control_close(struct control *c)
{
	struct peer *next;

	control_stop(c);
	for (struct peer *p = c->peers; p; p = next) {
		next = *peer_link(p);
		peer_close(p);
	}
}

void control_free(struct control *c)
{
	if (!c)
		return;
	free(c->own_user);
	free(c->root_user);
	free(c);
}
