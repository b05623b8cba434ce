/*
 * control.c: who may talk to the daemon, and how many at a time.
 * The socket's folder and its mode keep other users out; the kernel's word on who connected
 * (SO_PEERCRED) is the check that does not depend on either. It also names the process, whose
 * descriptor is taken at once: what is found out about it later is about no other.
 */
#include "daemon/control.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "daemon/address.h"
#include "daemon/peer.h"

#define PEERS_MAX 256
#define BACKLOG 511
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

struct control {
	uv_pipe_t listener;
	char *path;
	struct turn *turn;
	struct peer *peers;
	size_t count;
	char *own_user, *root_user; /* names by user id, looked up once */
	bool stopped;
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

/* An older kernel has only the number, which can be another's only if its process ended just now. */
static void identify(const struct peer *p, pid_t pid, struct caller_process *ret)
{
	int fd = -1;
	socklen_t len = sizeof(fd);

	*ret = (struct caller_process){.pid = pid, .pidfd = -1};
	if (pid <= 0)
		return;
	if (getsockopt(peer_fd(p), SOL_SOCKET, SO_PEERPIDFD, &fd, &len) < 0)
		fd = pidfd_open(pid, 0);
	ret->pidfd = fd;
	ret->known = ret->gone = fd < 0 && errno == ESRCH;
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
	identify(p, cred.pid, ret);
	return 0;
}

static int admit(struct control *c, const struct peer *p, const char **ret_user,
		 struct caller_process *ret, struct error *err)
{
	if (c->count > PEERS_MAX) {
		error_set(err, ERR_UNAVAILABLE, "%d clients are connected already", PEERS_MAX);
		return error_hint(err, "try again in a moment");
	}
	return check_peer(c, p, ret_user, ret, err);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct control *c = listener->data;
	const char *user = NULL;
	struct caller_process process;
	struct error err = {0};
	struct peer *p;

	if (status < 0) {
		log_error("cannot accept a client: %s", uv_strerror(status));
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

int control_listen(uv_loop_t *loop, const char *path, struct turn *turn, struct control **ret,
		   struct error *err)
{
	struct control *c;
	int fd = -1, r = address_bind(path, &fd, err);

	if (r < 0)
		return r;
	c = mem_zalloc(sizeof(*c));
	c->path = mem_strdup(path);
	c->turn = turn;
	uv_pipe_init(loop, &c->listener, 0);
	c->listener.data = c;
	*ret = c;
	r = uv_pipe_open(&c->listener, fd);
	if (r < 0)
		close(fd);
	if (r == 0)
		r = uv_listen((uv_stream_t *)&c->listener, BACKLOG, on_connection);
	if (r < 0)
		return error_set_errno(err, -r, "cannot listen at '%s'", path);
	return 0;
}

void control_stop(struct control *c)
{
	struct peer *next;

	if (c->stopped)
		return;
	c->stopped = true;
	/* Removed while we hold the lock: whoever starts next makes its own. */
	unlink(c->path);
	uv_close((uv_handle_t *)&c->listener, NULL);
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
	free(c->path);
	free(c->own_user);
	free(c->root_user);
	free(c);
}
