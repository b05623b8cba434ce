/*
 * supervise.c: start children, watch them, and end them without leaving anything behind.
 * A child's end is the exit of the process we started. Its stderr may still be held open by
 * something it left in the background, so that is not waited for: what is there is read, the rest
 * of the process group is killed, and the end is reported. Signals go to the group, never to the
 * child alone: conditions and deliver commands are shells more often than not.
 */
#include "daemon/supervise.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "daemon/spawn.h"
#include "daemon/tail.h"

#define TERM_GRACE_MS 2000
/* A bound on the last look at stderr: a background process may write for ever. */
#define DRAIN_MAX ((size_t)256 * 1024)

struct child {
	struct child *next;
	struct supervise *s;
	struct job *job;
	uv_process_t process;
	uv_pipe_t errors;
	uv_timer_t limit;
	int open_handles;
	bool timed_out, forgotten;
	struct buf tail;
};

struct waiting {
	struct waiting *next;
	struct job *job;
};

struct supervise {
	uv_loop_t *loop;
	mode_t mask;
	supervise_on_end *on_end;
	void *data;
	struct child *children;
	struct waiting *line, **line_end;
	size_t running, queued;
	bool draining;
	char chunk[4096]; /* where stderr is read to; never kept between two callbacks */
};

void child_end_free(struct child_end *end)
{
	if (!end)
		return;
	free(end->start_error);
	free(end->output_tail);
	free(end);
}

static void report(struct supervise *s, struct child_end *end)
{
	end->end.start_error = end->start_error;
	end->end.output_tail = end->output_tail ? end->output_tail : "";
	s->on_end(end, s->data);
}

static struct child_end *end_of(const struct job *job)
{
	struct child_end *end = mem_zalloc(sizeof(*end));

	end->end.kind = job->kind;
	end->end.key = job->key;
	return end;
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct child *c = handle->data;

	if (--c->open_handles)
		return;
	job_free(c->job);
	buf_fini(&c->tail);
	free(c);
}

static void close_handle(struct child *c, uv_handle_t *handle)
{
	handle->data = c;
	c->open_handles++;
	uv_close(handle, on_handle_closed);
}

static void signal_group(const struct child *c, int signal)
{
	kill(-c->process.pid, signal);
}

static void on_grace_over(uv_timer_t *timer)
{
	signal_group(timer->data, SIGKILL);
}

static void on_limit(uv_timer_t *timer)
{
	struct child *c = timer->data;

	c->timed_out = true;
	/* A condition has nothing to tidy up; a delivery may have. */
	if (c->job->kind == JOB_CHECK) {
		signal_group(c, SIGKILL);
		return;
	}
	signal_group(c, SIGTERM);
	uv_timer_start(timer, on_grace_over, TERM_GRACE_MS, 0);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
	const struct child *c = handle->data;

	(void)suggested;
	*ret = uv_buf_init(c->s->chunk, sizeof(c->s->chunk));
}

static void on_errors(uv_stream_t *stream, ssize_t n, const uv_buf_t *chunk)
{
	struct child *c = stream->data;

	if (n > 0)
		tail_add(&c->tail, chunk->base, (size_t)n);
	else if (n < 0)
		uv_read_stop(stream);
}

/* What the child wrote before it exited may not have been read yet. */
static void drain_errors(struct child *c)
{
	size_t total = 0;
	uv_os_fd_t fd;
	ssize_t n;

	if (uv_fileno((uv_handle_t *)&c->errors, &fd) < 0)
		return;
	while (total < DRAIN_MAX && (n = read(fd, c->s->chunk, sizeof(c->s->chunk))) > 0) {
		tail_add(&c->tail, c->s->chunk, (size_t)n);
		total += (size_t)n;
	}
}

static void unlink_child(struct child *c)
{
	struct child **slot = &c->s->children;

	while (*slot != c)
		slot = &(*slot)->next;
	*slot = c->next;
	c->s->running--;
}

static void close_child(struct child *c)
{
	close_handle(c, (uv_handle_t *)&c->process);
	close_handle(c, (uv_handle_t *)&c->errors);
	close_handle(c, (uv_handle_t *)&c->limit);
}

static void start_waiting(struct supervise *s);

static void on_child_exit(uv_process_t *process, int64_t exit_status, int signal)
{
	struct child *c = process->data;
	struct supervise *s = c->s;
	struct child_end *end;

	/* The group's id stays taken while it has members, so this cannot reach a stranger's. */
	signal_group(c, SIGKILL);
	drain_errors(c);
	unlink_child(c);
	if (!c->forgotten) {
		end = end_of(c->job);
		end->end.exit_status = (int)exit_status;
		end->end.signal = signal;
		end->end.timed_out = c->timed_out;
		end->output_tail = tail_text(&c->tail);
		report(s, end);
	}
	close_child(c);
	start_waiting(s);
}

static void watch_child(struct child *c, int errors_fd)
{
	struct supervise *s = c->s;

	c->next = s->children;
	s->children = c;
	s->running++;
	uv_pipe_init(s->loop, &c->errors, 0);
	c->errors.data = c;
	/* If this failed, stderr would be lost and nothing else: the child runs already. */
	if (uv_pipe_open(&c->errors, errors_fd) == 0)
		uv_read_start((uv_stream_t *)&c->errors, on_alloc, on_errors);
	else
		close(errors_fd);
	/* The turn before us may have taken a while, and timers count from the loop's own time. */
	uv_update_time(s->loop);
	uv_timer_init(s->loop, &c->limit);
	c->limit.data = c;
	uv_timer_start(&c->limit, on_limit,
		       (uint64_t)((c->job->time_limit + USEC_PER_MSEC - 1) / USEC_PER_MSEC), 0);
}

static void start_child(struct supervise *s, struct job *job)
{
	struct child *c = mem_zalloc(sizeof(*c));
	struct child_end *end;
	struct error err = {0};
	int errors_fd = -1;

	c->s = s;
	c->job = job;
	c->process.data = c;
	if (spawn_job(s->loop, job, s->mask, on_child_exit, &c->process, &errors_fd, &err) == 0) {
		watch_child(c, errors_fd);
		return;
	}
	end = end_of(job);
	end->start_error = mem_strdup(err.message);
	if (c->process.type == UV_PROCESS) {
		close_handle(c, (uv_handle_t *)&c->process);
	} else {
		/* It failed before there was a handle. */
		job_free(c->job);
		free(c);
	}
	report(s, end);
}

static void start_waiting(struct supervise *s)
{
	while (s->line && s->running < SUPERVISE_CHILDREN_MAX) {
		struct waiting *w = s->line;

		s->line = w->next;
		if (!s->line)
			s->line_end = &s->line;
		s->queued--;
		start_child(s, w->job);
		free(w);
	}
}

struct supervise *supervise_new(uv_loop_t *loop, mode_t mask, supervise_on_end *on_end, void *data)
{
	struct supervise *s = mem_zalloc(sizeof(*s));

	s->loop = loop;
	s->mask = mask;
	s->on_end = on_end;
	s->data = data;
	s->line_end = &s->line;
	return s;
}

void supervise_free(struct supervise *s)
{
	free(s);
}

void supervise_start(struct supervise *s, struct job *job)
{
	struct waiting *w;

	/* While stopping, only what a mission left behind is still cleared away. */
	if (s->draining && job->kind != JOB_SWEEP) {
		job_free(job);
		return;
	}
	w = mem_zalloc(sizeof(*w));
	w->job = job;
	*s->line_end = w;
	s->line_end = &w->next;
	s->queued++;
	start_waiting(s);
}

const struct job *supervise_job(const struct supervise *s, pid_t pid)
{
	for (const struct child *c = s->children; c; c = c->next)
		if (c->process.pid == pid)
			return c->job;
	return NULL;
}

size_t supervise_count(const struct supervise *s)
{
	return s->running + s->queued;
}

void supervise_drain(struct supervise *s)
{
	struct waiting *w;

	s->draining = true;
	while ((w = s->line)) {
		s->line = w->next;
		job_free(w->job);
		free(w);
	}
	s->line_end = &s->line;
	s->queued = 0;
	for (struct child *c = s->children; c; c = c->next) {
		if (c->job->kind != JOB_CHECK)
			continue;
		c->forgotten = true;
		signal_group(c, SIGKILL);
	}
}

void supervise_abandon(struct supervise *s)
{
	supervise_drain(s);
	for (struct child *c = s->children; c; c = c->next) {
		if (c->job->kind == JOB_SWEEP)
			continue;
		c->forgotten = true;
		signal_group(c, SIGKILL);
	}
}

void supervise_close(struct supervise *s)
{
	struct child *c;

	supervise_drain(s);
	while ((c = s->children)) {
		signal_group(c, SIGKILL);
		unlink_child(c);
		close_child(c);
	}
}
