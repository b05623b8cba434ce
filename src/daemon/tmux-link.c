/*
 * tmux-link.c: a process of tmux, its input, its output and its complaints.
 * It ends when the process has, and both pipes are read to their end: what it said last is often
 * why. It leads a session of its own, so that Ctrl-C at a daemon's terminal does not reach it.
 */
#include "daemon/tmux-link.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"

#define COMPLAINT_MAX 400

enum { INPUT, OUTPUT, COMPLAINTS, PIPES };

struct tmux_link {
	uv_process_t process;
	uv_pipe_t pipes[PIPES];
	struct tmux_link_calls calls;
	void *data;
	struct buf complaint;
	int status;
	int left; /* the process, and the pipes that we read */
	int open; /* handles that are not closed yet */
	bool runs, closed;
};

static void one_ended(struct tmux_link *l)
{
	if (--l->left == 0 && !l->closed)
		l->calls.on_end(l->status, buf_text(&l->complaint), l->data);
}

static void on_gone(uv_process_t *process, int64_t status, int signal)
{
	struct tmux_link *l = process->data;

	l->runs = false;
	l->status = signal ? 128 + signal : (int)status;
	one_ended(l);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
	static char room[64 * 1024]; /* one loop, one thread: it is used up in the same call */

	(void)handle;
	(void)suggested;
	*ret = uv_buf_init(room, sizeof(room));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *bytes)
{
	struct tmux_link *l = stream->data;
	bool is_output = stream == (uv_stream_t *)&l->pipes[OUTPUT];

	if (n < 0) {
		uv_read_stop(stream);
		one_ended(l);
	} else if (is_output && n > 0) {
		l->calls.on_bytes(bytes->base, (size_t)n, l->data);
	} else if (n > 0 && l->complaint.len < COMPLAINT_MAX) {
		size_t room = COMPLAINT_MAX - l->complaint.len;

		buf_add(&l->complaint, bytes->base, (size_t)n < room ? (size_t)n : room);
	}
}

static int spawn(uv_loop_t *loop, const struct tmux_link_order *o, struct tmux_link *l)
{
	uv_stdio_container_t stdio[PIPES];
	uv_process_options_t options = {
		.exit_cb = on_gone,
		.file = o->argv[0],
		.args = (char **)(uintptr_t)o->argv,
		.env = (char **)(uintptr_t)o->environment,
		.cwd = o->folder,
		.flags = UV_PROCESS_DETACHED,
		.stdio_count = PIPES,
		.stdio = stdio,
	};
	mode_t own;
	int rc;

	for (int i = 0; i < PIPES; i++) {
		/* As seen by the child. */
		stdio[i].flags =
			UV_CREATE_PIPE | (i == INPUT ? UV_READABLE_PIPE : UV_WRITABLE_PIPE);
		stdio[i].data.stream = (uv_stream_t *)&l->pipes[i];
	}
	own = umask(o->mask);
	rc = uv_spawn(loop, &l->process, &options);
	umask(own);
	return rc;
}

static int explain(int rc, const char *program, struct error *err)
{
	error_set_errno(err, -rc, "cannot start '%s', which live agents need", program);
	if (rc == UV_ENOENT)
		error_hint(err, "install it: apt-get install tmux");
	return err->code;
}

int tmux_link_start(uv_loop_t *loop, const struct tmux_link_order *order,
		    const struct tmux_link_calls *calls, void *data, struct tmux_link **ret,
		    struct error *err)
{
	struct tmux_link *l = mem_zalloc(sizeof(*l));
	struct stat st;
	int rc;

	/* uv_spawn() answers the same for a folder that is missing. */
	if (stat(order->folder, &st) < 0) {
		free(l);
		return error_set_errno(err, errno, "cannot enter folder '%s'", order->folder);
	}
	l->calls = *calls;
	l->data = data;
	l->process.data = l;
	for (int i = 0; i < PIPES; i++) {
		uv_pipe_init(loop, &l->pipes[i], 0);
		l->pipes[i].data = l;
	}
	l->open = PIPES + 1;
	l->left = 3;
	rc = spawn(loop, order, l);
	if (rc < 0) {
		tmux_link_close(l);
		return explain(rc, order->argv[0], err);
	}
	l->runs = true;
	uv_read_start((uv_stream_t *)&l->pipes[OUTPUT], on_room, on_read);
	uv_read_start((uv_stream_t *)&l->pipes[COMPLAINTS], on_room, on_read);
	*ret = l;
	return 0;
}

struct writing {
	uv_write_t request;
	char bytes[];
};

static void on_written(uv_write_t *request, int status)
{
	(void)status; /* whoever does not read any more has ended: that is told */
	free(request);
}

pid_t tmux_link_pid(const struct tmux_link *l)
{
	return l->process.pid;
}

void tmux_link_write(struct tmux_link *l, const char *bytes, size_t len)
{
	struct writing *w = mem_alloc(sizeof(*w) + len);
	uv_buf_t buf;

	for (size_t i = 0; i < len; i++)
		w->bytes[i] = bytes[i];
	buf = uv_buf_init(w->bytes, (unsigned)len);
	if (uv_write(&w->request, (uv_stream_t *)&l->pipes[INPUT], &buf, 1, on_written) < 0)
		free(w);
}

static void on_closed(uv_handle_t *handle)
{
	struct tmux_link *l = handle->data;

	if (--l->open)
		return;
	buf_fini(&l->complaint);
	free(l);
}

void tmux_link_close(struct tmux_link *l)
{
	if (!l || l->closed)
		return;
	l->closed = true;
	/* That we read no more does not end a connection that has something to say: the server would
	 * keep it, and with it all that is shown from then on. */
	if (l->runs)
		uv_process_kill(&l->process, SIGKILL);
	for (int i = 0; i < PIPES; i++)
		uv_close((uv_handle_t *)&l->pipes[i], on_closed);
	uv_close((uv_handle_t *)&l->process, on_closed);
}
