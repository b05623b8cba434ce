/*
 * supervise.c: start children, watch them, and end them without leaving anything behind.
 * A child is a command below a keeper, a process that the nursery forks for it (agent/chore.c). What we hold of
 * it is the gate: a byte there lets it begin, its end comes back there, and when we close our side, or die, it ends
 * with everything it has started. So a job runs once at a time and within its limit, whatever becomes of us.
 *
 *	asked    the nursery is to fork its keeper
 *	runs     the keeper is known, and was let go
 *	swept    the keeper was killed: what it left is ended by another, and only then is the end reported
 */
#include "daemon/supervise.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#define TERM_GRACE (2 * USEC_PER_SEC)
#define SWEEP_LIMIT (20 * USEC_PER_SEC)

struct child {
	struct child *next;
	struct supervise *s;
	struct job *job;
	struct process_id keeper;
	int gate; /* -1: asked */
	uv_poll_t poll;
	bool swept, forgotten;
};

struct waiting {
	struct waiting *next;
	struct job *job;
};

struct supervise {
	uv_loop_t *loop;
	struct nursery *nursery;
	supervise_on_end *on_end;
	void *data;
	struct child *children;
	struct waiting *line, **line_end;
	size_t running, queued;
	bool starting, draining;
};

void child_end_free(struct child_end *end)
{
	if (!end)
		return;
	free(end->start_error);
	free(end->output_tail);
	free(end);
}

/* --- orders ------------------------------------------------------------------------------- */

static char *home_folder(void)
{
	const char *home = getenv("HOME");
	const struct passwd *pw;

	if (home && *home == '/')
		return mem_strdup(home);
	pw = getpwuid(geteuid());
	return mem_strdup(pw ? pw->pw_dir : "/");
}

/* What is somebody's ends with us; our own helpers finish what they are at, and can be run again. */
static bool is_ours(const struct job *job)
{
	return job->kind != JOB_CHECK && job->kind != JOB_DELIVER;
}

static char *order_of(const struct job *job)
{
	AUTO(free) char *home = job->directory ? NULL : home_folder();
	const struct chore chore = {.argv = job->argv,
				    .environment = job->environment,
				    .directory = home ? home : job->directory,
				    .input = job->input,
				    .time_limit = job->time_limit,
				    /* A condition has nothing to tidy up; a delivery may have. */
				    .grace = job->kind == JOB_CHECK ? 0 : TERM_GRACE,
				    .leashed = !is_ours(job)};

	return chore_format(&chore);
}

static char *sweep_order(void)
{
	char *argv[] = {(char[]){"/proc/self/exe"}, (char[]){"wrapper"}, (char[]){"sweep"},
			(char[]){CHORE_SWEEP}, NULL};
	const struct chore chore = {
		.argv = argv, .directory = (char[]){"/"}, .time_limit = SWEEP_LIMIT};

	return chore_format(&chore);
}

/* --- ends --------------------------------------------------------------------------------- */

static void child_free(struct child *c)
{
	if (c->gate >= 0)
		close(c->gate);
	job_free(c->job);
	free(c);
}

static void on_poll_closed(uv_handle_t *handle)
{
	child_free(handle->data);
}

/* It is not known any more. Closing its gate ends what is still there of it. */
static void forget(struct child *c)
{
	struct child **slot = &c->s->children;

	while (*slot != c)
		slot = &(*slot)->next;
	*slot = c->next;
	c->s->running--;
	if (c->gate >= 0) {
		uv_close((uv_handle_t *)&c->poll, on_poll_closed);
		return;
	}
	nursery_cancel(c->s->nursery, c);
	child_free(c);
}

static void start_waiting(struct supervise *s);

static struct child_end *end_of(const struct job *job, const struct chore_end *e)
{
	struct child_end *end = mem_zalloc(sizeof(*end));

	if (e->started)
		end->output_tail = mem_strdup(e->text);
	else
		end->start_error = mem_strdup(e->text);
	end->end = (struct job_end){.kind = job->kind,
				    .key = job->key,
				    .exit_status = e->exit_status,
				    .signal = e->signal,
				    .timed_out = e->timed_out,
				    .start_error = end->start_error,
				    .output_tail = e->started ? end->output_tail : ""};
	return end;
}

static void finish(struct child *c, const struct chore_end *e)
{
	static const struct chore_end killed = {.started = true, .signal = SIGKILL};
	struct supervise *s = c->s;

	/* How a sweep ended matters to nobody: that is not the job's end. */
	if (!c->forgotten)
		s->on_end(end_of(c->job, c->swept ? &killed : e), s->data);
	forget(c);
	start_waiting(s);
}

/* --- starts ------------------------------------------------------------------------------- */

static void start_child(struct supervise *s, struct job *job, bool sweep);

/* Its keeper was killed, and the command with it, but not what that has started. */
static void on_keeper_lost(struct child *c)
{
	struct supervise *s = c->s;
	struct job *job = c->job;

	if (c->swept || c->forgotten) {
		finish(c, NULL);
		return;
	}
	log_warning("process %d, which kept '%s', was killed", (int)c->keeper.pid, job->argv[0]);
	c->job = NULL;
	forget(c);
	start_child(s, job, !is_ours(job));
}

static void on_gate(uv_poll_t *poll, int status, int events)
{
	struct child *c = poll->data;
	struct chore_end end = {0};
	ssize_t n = recv(c->gate, &end, sizeof(end), MSG_DONTWAIT);

	(void)status;
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	end.text[CHORE_TEXT_MAX] = '\0';
	if (n > (ssize_t)offsetof(struct chore_end, text))
		finish(c, &end);
	else
		on_keeper_lost(c);
}

/* Its number is known before it begins: what it asks us is recognised. */
static void on_born(const struct newborn *born, void *asker)
{
	struct chore_end failed = {0};
	struct child *c = asker;

	if (born->error) {
		snprintf(failed.text, sizeof(failed.text), "cannot start '%s': %s", c->job->argv[0],
			 born->error);
		finish(c, &failed);
		return;
	}
	close(born->pidfd);
	c->keeper = born->process;
	c->gate = born->gate;
	uv_poll_init(c->s->loop, &c->poll, c->gate);
	c->poll.data = c;
	uv_poll_start(&c->poll, UV_READABLE, on_gate);
	/* If it has died in the meantime, the gate says so. */
	(void)!send(c->gate, "\n", 1, MSG_NOSIGNAL);
}

/* Takes the job. `sweep`: it was started, and what its keeper has left of it is ended. */
static void start_child(struct supervise *s, struct job *job, bool sweep)
{
	AUTO(free) char *order = sweep ? sweep_order() : order_of(job);
	struct child *c = mem_zalloc(sizeof(*c));

	c->s = s;
	c->job = job;
	c->gate = -1;
	c->swept = sweep;
	c->next = s->children;
	s->children = c;
	s->running++;
	nursery_order(s->nursery, NURSERY_CHORE, order, on_born, c);
}

static void start_waiting(struct supervise *s)
{
	/* One that cannot be started ends before it is back here: the loop goes on by itself. */
	if (s->starting)
		return;
	s->starting = true;
	while (s->line && s->running < SUPERVISE_CHILDREN_MAX) {
		struct waiting *w = s->line;

		s->line = w->next;
		if (!s->line)
			s->line_end = &s->line;
		s->queued--;
		start_child(s, w->job, false);
		free(w);
	}
	s->starting = false;
}

struct supervise *supervise_new(uv_loop_t *loop, const char *home, struct nursery *nursery,
				supervise_on_end *on_end, void *data)
{
	AUTO(free) char *missions = mem_printf("%s/missions", home);
	struct supervise *s = mem_zalloc(sizeof(*s));

	/* Of a daemon before us, whose keepers were killed with it: nothing is run beside that. */
	if (wrapper_sweep(missions, CHORE_SWEEP))
		log_warning("some of what commands have started could not be ended");
	s->loop = loop;
	s->nursery = nursery;
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

const struct job *supervise_job(const struct supervise *s, pid_t pid, int64_t start)
{
	for (const struct child *c = s->children; c; c = c->next)
		if (c->keeper.pid == pid && c->keeper.start == start && !c->swept)
			return c->job;
	return NULL;
}

size_t supervise_count(const struct supervise *s)
{
	return s->running + s->queued;
}

/* --- stop --------------------------------------------------------------------------------- */

/* Let go of the leash. Our ear stays at the gate: it counts as running until all of it is gone. */
static void kill_and_forget(struct child *c)
{
	c->forgotten = true;
	if (c->gate >= 0 && !c->swept && !is_ours(c->job))
		shutdown(c->gate, SHUT_WR);
	else /* nothing began, or it goes on without us */
		forget(c);
}

void supervise_drain(struct supervise *s)
{
	struct child *next;
	struct waiting *w;

	s->draining = true;
	while ((w = s->line)) {
		s->line = w->next;
		job_free(w->job);
		free(w);
	}
	s->line_end = &s->line;
	s->queued = 0;
	for (struct child *c = s->children; c; c = next) {
		next = c->next;
		if (c->job->kind == JOB_CHECK && !c->swept)
			kill_and_forget(c);
	}
}

void supervise_abandon(struct supervise *s)
{
	struct child *next;

	supervise_drain(s);
	for (struct child *c = s->children; c; c = next) {
		next = c->next;
		if (c->job->kind != JOB_SWEEP)
			kill_and_forget(c);
	}
}

void supervise_close(struct supervise *s)
{
	supervise_drain(s);
	while (s->children)
		forget(s->children);
}
