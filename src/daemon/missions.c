/*
 * missions.c: wrappers, from the wish for one to its end.
 *
 *	ASKED   the nursery is to fork it
 *	GATED   it waits at its gate; the next turn records its process, if the run is still wanted
 *	OPEN    that is committed, and it was let go; or it was found alive after a start of ours
 *	ENDED   it is gone, or never was; the next turn hears how it ended
 *
 * GATED and ENDED are inputs: they stand in a list until a turn that decided them is committed. A
 * turn that fails changes nothing here, and they are decided again. A wrapper stays known until
 * its end is committed, so a run that is looked for in between is not taken for a lost one.
 */
#include "daemon/missions.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#define SESSION_READ_MAX 256

enum stage { ASKED, GATED, OPEN, ENDED };

struct wrapper {
	struct wrapper *next, *next_input;
	struct missions *m;
	int64_t run;
	char *name; /* "mis-k3f9x2/1" */
	enum stage stage;
	bool interactive; /* a person's own process: not ours to end */
	bool wanted;	  /* GATED: the turn's answer */
	bool adopted;	  /* we do not know whether its gate was ever opened */
	bool told;	  /* a signal was sent: another would cut short the time it has to end */
	bool killed;	  /* it did not end when we did */
	struct process_id process;
	int gate, pidfd;
	uv_poll_t poll;
	bool watched;
	struct end end; /* ENDED */
	bool has_end, never_ran;
	char *start_error, *session;
};

struct missions {
	uv_loop_t *loop;
	char *folder;
	missions_on_input *on_input;
	void *data;
	struct nursery *nursery;
	struct wrapper *all;
	struct wrapper *inputs, **inputs_end;
	bool stopping, leaving;
};

/* --- wrappers ----------------------------------------------------------------------------- */

static struct wrapper *find(const struct missions *m, int64_t run)
{
	struct wrapper *w = m->all;

	while (w && w->run != run)
		w = w->next;
	return w;
}

static struct wrapper *wrapper_new(struct missions *m, const struct job *job)
{
	struct wrapper *w = mem_zalloc(sizeof(*w));

	w->m = m;
	w->run = job->key;
	w->name = mem_strdup(job->run);
	w->interactive = job->interactive;
	w->process = job->process;
	w->gate = w->pidfd = -1;
	w->next = m->all;
	m->all = w;
	return w;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(steal_fd(fd));
}

static void wrapper_release(struct wrapper *w)
{
	close_fd(&w->gate);
	close_fd(&w->pidfd);
	end_fini(&w->end);
	free(w->start_error);
	free(w->session);
	free(w->name);
	free(w);
}

static void on_poll_closed(uv_handle_t *handle)
{
	wrapper_release(handle->data);
}

static void remove_input(struct wrapper *w)
{
	struct wrapper **slot = &w->m->inputs;

	while (*slot && *slot != w)
		slot = &(*slot)->next_input;
	if (!*slot)
		return;
	*slot = w->next_input;
	if (!*slot)
		w->m->inputs_end = slot;
}

/* It is not known any more. Closing its gate ends it, if it waits there. */
static void wrapper_forget(struct wrapper *w)
{
	struct wrapper **slot = &w->m->all;

	remove_input(w);
	while (*slot != w)
		slot = &(*slot)->next;
	*slot = w->next;
	close_fd(&w->gate);
	if (w->stage == ASKED)
		nursery_cancel(w->m->nursery, w);
	if (w->watched)
		uv_close((uv_handle_t *)&w->poll, on_poll_closed);
	else
		wrapper_release(w);
}

static void add_input(struct wrapper *w, enum stage stage)
{
	struct missions *m = w->m;

	/* One that died at its gate stands in the list already. */
	if (w->stage != GATED) {
		w->next_input = NULL;
		*m->inputs_end = w;
		m->inputs_end = &w->next_input;
	}
	w->stage = stage;
	m->on_input(m->data);
}

/* --- ends --------------------------------------------------------------------------------- */

/* "mis-k3f9x2/1" is missions/mis-k3f9x2/runs/1. */
static char *run_folder(const struct wrapper *w)
{
	const char *slash = strchr(w->name, '/');

	return slash ? mem_printf("%s/%.*s/runs/%s", w->m->folder, (int)(slash - w->name), w->name,
				  slash + 1)
		     : mem_printf("%s/%s", w->m->folder, w->name);
}

/* The id of its conversation, which it noted when it passed by; NULL: none. */
static char *read_session(const char *folder)
{
	AUTO(free) char *path = mem_printf("%s/" SESSION_FILE, folder);
	AUTO_BUF struct buf id = {0};
	struct error none = {0};

	if (file_read(path, SESSION_READ_MAX, &id, &none) < 0 || !adapter_session_ok(buf_text(&id)))
		return NULL;
	return buf_steal(&id);
}

/*
 * It is gone: what did it leave? Without its pid file it did not come to starting the agent, unless
 * the machine went down since: that takes files that were not synced, so such a run counts as lost.
 */
static void collect(struct wrapper *w)
{
	AUTO(free) char *folder = run_folder(w);
	AUTO(free) char *pid_file = mem_printf("%s/pid", folder);
	struct error err = {0};
	int r = end_read(folder, &w->end, &err);

	w->has_end = r == 0;
	if (r < 0 && r != ERR_NOT_FOUND)
		log_warning("run %s: %s", w->name, err.message);
	w->never_ran = r < 0 && process_is_of_this_boot(&w->process) &&
		       access(pid_file, F_OK) < 0 && errno == ENOENT;
	/* Not by our doing: it would be so again and again, at once. That is a failed attempt. */
	if (w->never_ran && !w->adopted && !w->told)
		w->start_error = mem_strdup("its wrapper ended before it began; "
					    "the daemon's log may say why");
	if (!w->has_end)
		w->session = read_session(folder);
	add_input(w, ENDED);
}

static void on_gone(uv_poll_t *poll, int status, int events)
{
	struct wrapper *w = poll->data;

	(void)status;
	(void)events;
	/* Its descriptor stays until the handle is closed: libuv would take a new one of the same
	 * number out of its poll with it. */
	uv_poll_stop(poll);
	collect(w);
}

static void watch(struct wrapper *w)
{
	uv_poll_init(w->m->loop, &w->poll, w->pidfd);
	w->poll.data = w;
	w->watched = true;
	uv_poll_start(&w->poll, UV_READABLE, on_gone);
}

/* --- jobs --------------------------------------------------------------------------------- */

static void on_born(const struct newborn *born, void *asker)
{
	struct wrapper *w = asker;

	if (born->error) {
		w->start_error = mem_strdup(born->error);
		add_input(w, ENDED);
		return;
	}
	w->process = born->process;
	w->pidfd = born->pidfd;
	w->gate = born->gate;
	watch(w);
	add_input(w, GATED);
}

static void start(struct missions *m, const struct job *job)
{
	/* The row says `starting` and has no process: the next daemon starts it. */
	if (m->stopping || find(m, job->key))
		return;
	nursery_order(m->nursery, job->key, job->input, on_born, wrapper_new(m, job));
}

static void adopt(struct missions *m, const struct job *job)
{
	struct wrapper *w;

	if (find(m, job->key))
		return;
	w = wrapper_new(m, job);
	w->stage = OPEN;
	w->adopted = true;
	w->pidfd = process_open(&job->process);
	if (w->pidfd >= 0)
		watch(w);
	else if (errno == ESRCH)
		collect(w);
	else /* it may well be alive: better a run nobody watches than one that is run twice */
		log_error("run %s cannot be watched until the next start: %s", w->name,
			  strerror(errno));
}

static void send_signal(struct wrapper *w, int number)
{
	/* It may be a zombie by now; then its end is on its way. */
	if (w->stage != OPEN || w->pidfd < 0)
		return;
	pidfd_send_signal(w->pidfd, number, NULL, 0);
	w->told = true;
}

static void ask_to_stop(struct missions *m, const struct job *job)
{
	struct wrapper *w = find(m, job->key);

	if (w)
		send_signal(w, job->signal);
}

void missions_carry_out(struct missions *m, struct job *job)
{
	static void (*const by_kind[])(struct missions *, const struct job *) = {
		[JOB_START] = start, [JOB_ADOPT] = adopt, [JOB_STOP] = ask_to_stop};

	by_kind[job->kind](m, job);
	job_free(job);
}

/* --- the turn ----------------------------------------------------------------------------- */

static int decide_one(struct wrapper *w, struct engine *e, usec_t now, struct error *err)
{
	const struct run_start born = {.run = w->run, .process = w->process};
	const struct run_end gone = {.run = w->run,
				     .end = w->has_end ? &w->end : NULL,
				     .never_ran = w->never_ran,
				     .shutdown = w->killed,
				     .start_error = w->start_error,
				     .session = w->session};
	int r;

	if (w->stage == ENDED)
		return engine_run_ended(e, now, &gone, err);
	r = engine_run_started(e, now, &born, err);
	w->wanted = r > 0;
	return r;
}

int missions_decide(struct missions *m, struct engine *e, usec_t now, struct error *err)
{
	for (struct wrapper *w = m->inputs; w; w = w->next_input) {
		int r = decide_one(w, e, now, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static void open_gate(struct wrapper *w)
{
	/* If it died in the meantime, nobody reads this, and its end says the rest. */
	(void)!write(w->gate, "\n", 1);
	/* It stays open: by that the wrapper sees that its end is waited for. */
	w->stage = OPEN;
}

void missions_committed(struct missions *m)
{
	struct wrapper *w = m->inputs, *next;

	m->inputs = NULL;
	m->inputs_end = &m->inputs;
	for (; w; w = next) {
		next = w->next_input;
		if (w->stage == GATED && w->wanted)
			open_gate(w);
		else
			wrapper_forget(w);
	}
}

void missions_drop_gated(struct missions *m)
{
	struct wrapper *next;

	for (struct wrapper *w = m->all; w; w = next) {
		next = w->next;
		if (w->stage == ASKED || w->stage == GATED)
			wrapper_forget(w);
	}
}

/* --- stop --------------------------------------------------------------------------------- */

static bool is_ours_to_stop(const struct wrapper *w)
{
	return w->stage == OPEN && !w->interactive && !w->m->leaving;
}

void missions_stop(struct missions *m, bool leave)
{
	m->stopping = true;
	m->leaving = leave;
	missions_drop_gated(m);
	for (struct wrapper *w = m->all; w; w = w->next)
		if (is_ours_to_stop(w) && !w->told)
			send_signal(w, SIGINT);
}

void missions_kill(struct missions *m)
{
	for (struct wrapper *w = m->all; w; w = w->next)
		if (is_ours_to_stop(w)) {
			log_warning("run %s does not end: killed", w->name);
			w->killed = true;
			send_signal(w, SIGKILL);
		}
}

size_t missions_running(const struct missions *m)
{
	size_t count = 0;

	for (const struct wrapper *w = m->all; w; w = w->next)
		count += is_ours_to_stop(w);
	return count;
}

/* --- life --------------------------------------------------------------------------------- */

struct missions *missions_new(uv_loop_t *loop, const char *home, struct nursery *nursery,
			      missions_on_input *on_input, void *data)
{
	struct missions *m = mem_zalloc(sizeof(*m));

	m->loop = loop;
	m->folder = mem_printf("%s/missions", home);
	m->on_input = on_input;
	m->data = data;
	m->inputs_end = &m->inputs;
	m->nursery = nursery;
	return m;
}

void missions_close(struct missions *m)
{
	while (m->all)
		wrapper_forget(m->all);
}

void missions_free(struct missions *m)
{
	free(m->folder);
	free(m);
}
