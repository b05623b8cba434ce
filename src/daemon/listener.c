/*
 * listener.c: a socket that stays where people look for it.
 * A tmp cleaner, a login that ends (its runtime folder goes) or an rm takes the file away, and the daemon behind it
 * could be reached no more. So the file is watched, and where it is gone, or another's, a new one is bound in its
 * place: the lock says whose place it is. A folder that vanishes with its mount tells nobody; so each turn looks,
 * too, not more than once a second. Nothing here wakes an idle daemon.
 *
 * A whole folder may be about to go: a moment is waited, so that nothing new is put into it meanwhile.
 */
#include "daemon/listener.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "daemon/address.h"

#define BACKLOG 511
#define GONE_EVENTS (IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
#define EVENTS_SIZE 4096
#define SETTLE_MS 200
#define LOOK_MS 1000

struct listener {
	const struct seat *seat;
	const char *path;
	uv_loop_t *loop;
	uv_pipe_t *pipe;
	uv_connection_cb on_connection;
	void *data;
	dev_t device; /* the socket's file, as we made it */
	ino_t inode;
	uint64_t looked_at; /* by uv_now() */
	bool troubled;	    /* it could not be made again, which is told once */
	int watch_fd, mark; /* inotify's; -1: none */
	uv_poll_t watch;
	uv_timer_t settle;
	int handles; /* still to be closed, with its memory */
};

static void on_pipe_closed(uv_handle_t *handle)
{
	free(handle);
}

static bool is_ours(const struct listener *d)
{
	struct stat st;

	return lstat(d->path, &st) == 0 && st.st_dev == d->device && st.st_ino == d->inode;
}

static void watch_file(struct listener *d)
{
	if (d->watch_fd < 0)
		return;
	if (d->mark >= 0)
		inotify_rm_watch(d->watch_fd, d->mark);
	d->mark = inotify_add_watch(d->watch_fd, d->path, GONE_EVENTS);
}

static int make(struct listener *d, struct error *err)
{
	uv_pipe_t *pipe;
	struct stat st;
	int fd = -1, r = home_prepare(d->seat->home, err);

	if (r < 0 || (r = address_bind(d->path, &fd, err)) < 0)
		return r;
	pipe = mem_zalloc(sizeof(*pipe));
	uv_pipe_init(d->loop, pipe, 0);
	pipe->data = d->data;
	r = uv_pipe_open(pipe, fd);
	if (r < 0)
		close(fd);
	if (r == 0)
		r = uv_listen((uv_stream_t *)pipe, BACKLOG, d->on_connection);
	if (r == 0 && lstat(d->path, &st) < 0)
		r = -errno;
	if (r < 0) {
		uv_close((uv_handle_t *)pipe, on_pipe_closed);
		return error_set_errno(err, -r, "cannot listen at '%s'", d->path);
	}
	if (d->pipe)
		uv_close((uv_handle_t *)d->pipe, on_pipe_closed);
	d->pipe = pipe;
	d->device = st.st_dev;
	d->inode = st.st_ino;
	watch_file(d);
	return 0;
}

static void look_now(struct listener *d)
{
	struct error err = {0};

	d->looked_at = uv_now(d->loop);
	/* Without the lock it is the place of another; the next turn ends for that. */
	if (!d->pipe || is_ours(d) || seat_check_lock(d->seat, &err) < 0)
		return;
	if (make(d, &err) == 0)
		log_warning("socket '%s' was removed; it is made again", d->path);
	else if (!d->troubled)
		log_error("socket '%s' was removed, and cannot be made again: %s", d->path,
			  err.message);
	d->troubled = err.code != 0;
}

static void on_settled(uv_timer_t *timer)
{
	look_now(timer->data);
}

static void on_events(uv_poll_t *poll, int status, int events)
{
	struct listener *d = poll->data;
	_Alignas(struct inotify_event) char bytes[EVENTS_SIZE];

	(void)status;
	(void)events;
	while (read(d->watch_fd, bytes, sizeof(bytes)) > 0)
		;
	if (d->pipe && !is_ours(d)) {
		uv_update_time(d->loop);
		uv_timer_start(&d->settle, on_settled, SETTLE_MS, 0);
	}
}

static void on_closed(uv_handle_t *handle)
{
	struct listener *d = handle->data;

	if (--d->handles)
		return;
	if (d->watch_fd >= 0)
		close(d->watch_fd);
	free(d);
}

int listener_open(uv_loop_t *loop, const struct seat *seat, uv_connection_cb on_connection,
		  void *data, struct listener **ret, struct error *err)
{
	struct listener *d = mem_zalloc(sizeof(*d));

	d->seat = seat;
	d->path = seat->home->socket;
	d->loop = loop;
	d->on_connection = on_connection;
	d->data = data;
	d->mark = -1;
	d->watch_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	uv_timer_init(loop, &d->settle);
	d->settle.data = d->watch.data = d;
	d->handles = 1;
	if (d->watch_fd < 0) {
		log_warning("that its socket is removed is noticed late: %s", strerror(errno));
	} else {
		uv_poll_init(loop, &d->watch, d->watch_fd);
		d->watch.data = d;
		uv_poll_start(&d->watch, UV_READABLE, on_events);
		d->handles++;
	}
	*ret = d;
	return make(d, err);
}

void listener_look(struct listener *d)
{
	if (uv_now(d->loop) - d->looked_at >= LOOK_MS)
		look_now(d);
}

void listener_close(struct listener *d)
{
	/* Removed while we hold the lock: whoever starts next makes its own. */
	if (d->pipe && is_ours(d))
		unlink(d->path);
	if (d->pipe)
		uv_close((uv_handle_t *)d->pipe, on_pipe_closed);
	uv_close((uv_handle_t *)&d->settle, on_closed);
	if (d->watch_fd >= 0)
		uv_close((uv_handle_t *)&d->watch, on_closed);
}
