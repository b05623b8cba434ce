/*
 * peer.c: a client of the control socket, trusted to be the right person and nothing more.
 * It may send any bytes, stop in the middle, never read, or vanish. Bounds: the length of a line,
 * the requests of one turn, the replies it has not fetched. While the last two are reached it is
 * simply not read, so that a fast client waits and others are not hurt.
 *
 * The memory outlives the connection until its last request was answered, since a turn holds it.
 * Imports belong to their connection: one that is still open at the end is aborted in its name.
 */
#include "daemon/peer.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "daemon/watchdog.h"

#define LINE_MAX_BYTES ((size_t)8 * 1024 * 1024)
#define ASKS_MAX 64
#define OUTPUT_PAUSE ((size_t)1024 * 1024)
#define OUTPUT_MAX ((size_t)64 * 1024 * 1024)
/* Most requests are small; one that is not is read in larger steps. */
#define READ_FIRST ((size_t)4 * 1024)
#define READ_MORE ((size_t)64 * 1024)
/* After so long without a byte, an answer that is not fetched and an import that does not go on are no work. */
#define STALLED_MS 30000

struct peer {
	uv_pipe_t pipe;
	struct turn *turn;
	peer_on_gone *on_gone;
	void *data;
	struct peer *next;
	const char *user;
	struct caller_process process; /* that connected */
	struct buf in;		       /* what was read and is no whole line yet, or has to wait */
	size_t scanned;		       /* so much of it is known to hold no newline */
	struct buf out;		       /* replies of this turn */
	size_t asks;		       /* on their way through a turn */
	uint64_t heard;		       /* when something last came from it, or went to it */
	int64_t *imports;
	size_t import_count;
	bool reading;
	bool ended;   /* no more requests: it said so, or we did */
	bool closing; /* uv_close() was called */
	bool closed;  /* and is done */
};

static void read_on(struct peer *p);

/* --- the one buffer of all that read nothing now ------------------------------------------- */

/* Between two requests a connection costs no buffer, and the next request of any takes this one. */
static struct buf spare;

static void take_spare(struct peer *p)
{
	if (p->in.data)
		return;
	p->in = spare;
	spare = (struct buf){0};
}

static void give_spare(struct peer *p)
{
	if (p->in.cap <= 2 * READ_FIRST && !spare.data) {
		spare = p->in;
		p->in = (struct buf){0};
	}
	buf_fini(&p->in);
}

/* --- imports ------------------------------------------------------------------------------ */

static void import_began(struct peer *p, int64_t batch)
{
	p->imports = mem_grow(p->imports, p->import_count + 1, sizeof(*p->imports));
	p->imports[p->import_count++] = batch;
}

static void import_ended(struct peer *p, int64_t batch)
{
	for (size_t i = 0; i < p->import_count; i++)
		if (p->imports[i] == batch)
			p->imports[i--] = p->imports[--p->import_count];
}

/* What a request that succeeded means for the imports of its connection. */
static void follow_import(struct peer *p, const struct ask *ask)
{
	const char *name = ask->row->name;

	if (strcmp(name, "import begin") == 0)
		import_began(p, json_integer_value(json_object_get(ask->result, "batch")));
	else if (strcmp(name, "import commit") == 0 || strcmp(name, "import abort") == 0)
		import_ended(p, json_integer_value(json_object_get(ask->args, "batch")));
}

static void abort_imports(struct peer *p)
{
	for (size_t i = 0; i < p->import_count; i++) {
		json_t *args = json_object();
		struct ask *ask;

		json_put_int(args, "batch", p->imports[i]);
		ask = ask_new("import abort", args);
		ask->user = p->user;
		turn_add_ask(p->turn, ask);
	}
	p->import_count = 0;
}

/* --- the end ------------------------------------------------------------------------------ */

static void maybe_gone(struct peer *p)
{
	if (!p->closed || p->asks)
		return;
	abort_imports(p);
	p->on_gone(p, p->data);
	buf_fini(&p->in);
	buf_fini(&p->out);
	free(p->imports);
	if (p->process.pidfd >= 0)
		close(p->process.pidfd);
	free(p);
}

static void on_closed(uv_handle_t *handle)
{
	struct peer *p = handle->data;

	p->closed = true;
	maybe_gone(p);
}

void peer_close(struct peer *p)
{
	if (p->closing)
		return;
	p->closing = p->ended = true;
	uv_close((uv_handle_t *)&p->pipe, on_closed);
}

/* --- replies ------------------------------------------------------------------------------ */

struct reply {
	uv_write_t write;
	char *text;
};

bool peer_has_output(const struct peer *p)
{
	return !p->closing && uv_stream_get_write_queue_size((const uv_stream_t *)&p->pipe) > 0;
}

/* Nothing more to expect from it and nothing more to send. */
static void close_when_done(struct peer *p)
{
	if (p->ended && !p->asks && !p->out.len && !peer_has_output(p))
		peer_close(p);
}

static void on_written(uv_write_t *write, int status)
{
	struct reply *reply = (struct reply *)write;
	struct peer *p = write->handle->data;

	free(reply->text);
	free(reply);
	p->heard = uv_now(p->pipe.loop);
	if (status < 0)
		peer_close(p);
	if (p->closing)
		return;
	read_on(p);
	close_when_done(p);
}

static void write_later(struct peer *p)
{
	struct reply *reply = mem_zalloc(sizeof(*reply));
	uv_buf_t text = uv_buf_init(p->out.data, (unsigned)p->out.len);

	reply->text = buf_steal(&p->out);
	if (uv_write(&reply->write, (uv_stream_t *)&p->pipe, &text, 1, on_written) == 0)
		return;
	free(reply->text);
	free(reply);
	peer_close(p);
}

static void send_replies(struct peer *p)
{
	uv_buf_t text = uv_buf_init(p->out.data, (unsigned)p->out.len);
	int sent;

	if (p->closing || !p->out.len)
		return;
	sent = uv_try_write((uv_stream_t *)&p->pipe, &text, 1);
	if (sent < 0 && sent != UV_EAGAIN) {
		peer_close(p);
		return;
	}
	buf_drop_front(&p->out, sent < 0 ? 0 : (size_t)sent);
	if (p->out.len)
		write_later(p);
	else if (p->out.cap > READ_FIRST)
		buf_fini(&p->out);
}

static size_t unsent(const struct peer *p)
{
	return p->out.len + uv_stream_get_write_queue_size((const uv_stream_t *)&p->pipe);
}

static void on_done(struct ask *ask)
{
	struct peer *p = ask->data;

	p->asks--;
	if (ask->result)
		follow_import(p, ask);
	if (!p->closing)
		ask_reply(ask, &p->out);
	if (!p->closing && unsent(p) > OUTPUT_MAX) {
		log_warning("a client does not read its replies: closed");
		peer_close(p);
	}
	if (p->asks)
		return;
	/* Its last one of this turn: all replies leave together. */
	send_replies(p);
	if (!p->closing) {
		read_on(p);
		close_when_done(p);
	}
	maybe_gone(p);
}

void peer_refuse(struct peer *p, const struct error *err)
{
	p->ended = true;
	ask_reply_error(err, &p->out);
	if (p->asks)
		return;
	send_replies(p);
	if (!p->closing)
		close_when_done(p);
}

/* --- requests ----------------------------------------------------------------------------- */

static void add_ask(struct peer *p, const char *line, size_t len)
{
	struct ask *ask = ask_read(line, len);

	ask->user = p->user;
	ask->process = &p->process;
	ask->on_done = on_done;
	ask->data = p;
	p->asks++;
	turn_add_ask(p->turn, ask);
}

static bool may_ask(const struct peer *p)
{
	return p->asks < ASKS_MAX && unsent(p) <= OUTPUT_PAUSE;
}

static void stop_reading(struct peer *p)
{
	uv_read_stop((uv_stream_t *)&p->pipe);
	p->reading = false;
}

static void refuse_line(struct peer *p)
{
	struct error err = {0};

	error_set(&err, ERR_INVALID, "a request line is longer than %zu bytes", LINE_MAX_BYTES);
	buf_fini(&p->in);
	p->scanned = 0;
	stop_reading(p);
	peer_refuse(p, &err);
}

/* Turn the whole lines that were read into requests, as many as it may have. */
static void take_lines(struct peer *p)
{
	size_t used = 0;

	while (p->in.len > used && may_ask(p)) {
		size_t from = p->scanned > used ? p->scanned : used;
		char *start = p->in.data + used;
		char *end = memchr(p->in.data + from, '\n', p->in.len - from);

		if (!end) {
			p->scanned = p->in.len;
			break;
		}
		if ((size_t)(end - start) > LINE_MAX_BYTES)
			break;
		add_ask(p, start, (size_t)(end - start));
		used = (size_t)(end - p->in.data) + 1;
	}
	p->scanned = p->scanned > used ? p->scanned - used : 0;
	buf_drop_front(&p->in, used);
}

/* Whether the line at the head is known to be longer than any may be. */
static bool line_too_long(const struct peer *p)
{
	return p->in.len > LINE_MAX_BYTES && !memchr(p->in.data, '\n', LINE_MAX_BYTES + 1);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
	struct peer *p = handle->data;
	size_t room = p->in.len ? READ_MORE : READ_FIRST;

	(void)suggested;
	take_spare(p);
	buf_reserve(&p->in, room);
	*ret = uv_buf_init(p->in.data + p->in.len, (unsigned)room);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *chunk)
{
	struct peer *p = stream->data;

	(void)chunk;
	watchdog_at("reading a request", NULL);
	p->heard = uv_now(stream->loop);
	if (n > 0) {
		p->in.len += (size_t)n;
		p->in.data[p->in.len] = '\0';
		read_on(p);
	} else if (n == UV_EOF) {
		stop_reading(p);
		p->ended = true;
		close_when_done(p);
	} else if (n < 0) {
		peer_close(p);
	} else if (!p->in.len) {
		give_spare(p);
	}
}

/* Take what may be taken, and read from it only while it may ask more. */
static void read_on(struct peer *p)
{
	bool want;

	take_lines(p);
	if (may_ask(p) && line_too_long(p)) {
		refuse_line(p);
		return;
	}
	want = !p->ended && may_ask(p);
	if (want && !p->reading)
		uv_read_start((uv_stream_t *)&p->pipe, on_alloc, on_read);
	else if (!want && p->reading)
		uv_read_stop((uv_stream_t *)&p->pipe);
	p->reading = want;
	if (!p->in.len)
		give_spare(p);
}

struct peer *peer_accept(uv_stream_t *listener, struct turn *turn, peer_on_gone *on_gone,
			 void *data)
{
	struct peer *p = mem_zalloc(sizeof(*p));

	p->turn = turn;
	p->on_gone = on_gone;
	p->data = data;
	p->process.pidfd = -1;
	uv_pipe_init(listener->loop, &p->pipe, 0);
	p->pipe.data = p;
	p->heard = uv_now(listener->loop);
	if (uv_accept(listener, (uv_stream_t *)&p->pipe) == 0)
		return p;
	peer_close(p);
	return NULL;
}

void peer_serve(struct peer *p, const char *user, const struct caller_process *process)
{
	p->user = user;
	p->process = *process;
	read_on(p);
}

void peer_stop(struct peer *p)
{
	p->ended = true;
	if (p->reading)
		stop_reading(p);
	if (!p->closing)
		close_when_done(p);
}

bool peer_is_open(const struct peer *p)
{
	return !p->closing;
}

pid_t peer_pid(const struct peer *p)
{
	return p->process.pid;
}

int64_t peer_silence_ms(const struct peer *p)
{
	int64_t ms = (int64_t)(uv_now(p->pipe.loop) - p->heard);

	if (p->closing || p->asks)
		return -1;
	return (p->import_count || peer_has_output(p)) && ms < STALLED_MS ? -1 : ms;
}

int peer_fd(const struct peer *p)
{
	uv_os_fd_t fd = -1;

	return uv_fileno((const uv_handle_t *)&p->pipe, &fd) == 0 ? fd : -1;
}

struct peer **peer_link(struct peer *p)
{
	return &p->next;
}
