/* fake-engine.c: an engine that fires what it is told to and remembers how jobs ended. */
#include "engine/engine.h"
#include "engine/inbox.h"
#include "engine/live.h"
#include "engine/seed.h"

#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "fake/fake-state.h"
#include "schedule/instant.h"

#define JOBS_MAX 256

struct engine {
	struct db *db;
	const struct config *config;
	struct job *jobs[JOBS_MAX];
	size_t first, last;
};

struct engine *engine_new(struct db *db, struct config *config)
{
	struct engine *e = mem_zalloc(sizeof(*e));

	e->db = db;
	e->config = config;
	fake.engines++;
	if (!fake.ends) {
		fake.ends = json_array();
		fake.starts = json_array();
		fake.run_ends = json_array();
		fake.wake_at = USEC_NONE;
	}
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	engine_drop_jobs(e);
	free(e);
}

struct db *engine_db(struct engine *e)
{
	return e->db;
}

const struct config *engine_config(const struct engine *e)
{
	return e->config;
}

void engine_set_state_dir(struct engine *e, const char *path)
{
	(void)e;
	(void)path;
}

void engine_set_config(struct engine *e, struct config *config)
{
	e->config = config;
}

int engine_bind(struct engine *e, struct error *err)
{
	(void)e;
	(void)err;
	return 0;
}

static void free_texts(char **texts)
{
	for (char **p = texts; p && *p; p++)
		free(*p);
	free(texts);
}

void job_free(struct job *job)
{
	free_texts(job->argv);
	free_texts(job->environment);
	free(job->directory);
	free(job->input);
	free(job->run);
	free(job);
}

void fake_wish(struct engine *e, struct job *job)
{
	e->jobs[e->last++ % JOBS_MAX] = job;
}

struct job *fake_run_job(enum job_kind kind, int64_t key)
{
	struct job *job = mem_zalloc(sizeof(*job));

	job->kind = kind;
	job->key = key;
	job->run = mem_printf("mis-%06d/1", (int)key);
	return job;
}

/* The start that a recovery finds half-way. */
static void wish_again(struct engine *e)
{
	struct job *job;

	if (!fake.again_order)
		return;
	job = fake_run_job(JOB_START, fake.again);
	job->input = mem_strdup(fake.again_order);
	fake_wish(e, job);
}

int engine_put_back(struct engine *e, usec_t upto, int64_t unknown, usec_t now, struct error *err)
{
	(void)e;
	(void)upto;
	(void)unknown;
	(void)now;
	(void)err;
	return 0;
}

int engine_take_over(struct engine *e, const char *from, usec_t now, struct error *err)
{
	(void)e;
	(void)from;
	(void)now;
	(void)err;
	return 0;
}

int engine_recover(struct engine *e, usec_t now, struct error *err)
{
	(void)e;
	(void)now;
	fake.recovers++;
	wish_again(e);
	return fake_step("recover", err);
}

int engine_fire_due(struct engine *e, usec_t now, struct error *err)
{
	int r = fake_step("fire", err);

	if (r < 0)
		return r;
	if (fake.wake_at != USEC_NONE && fake.wake_at <= now) {
		fake.lateness = now - fake.wake_at;
		fake.wake_at = USEC_NONE;
		fake.due++;
	}
	if (!fake.due)
		return 0;
	fake.due--;
	fake.fired++;
	log_info("fired");
	fake_save(e->db);
	return fake.due > 0;
}

int engine_job_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	int r = fake_step("ended", err);
	json_t *o;

	(void)now;
	if (r < 0)
		return r;
	o = json_object();
	json_put_int(o, "kind", end->kind);
	json_put_int(o, "key", end->key);
	json_put_int(o, "exit_status", end->exit_status);
	json_put_int(o, "signal", end->signal);
	json_put_bool(o, "timed_out", end->timed_out);
	json_put_text(o, "start_error", end->start_error);
	json_put_text(o, "tail", end->output_tail);
	json_array_append_new(fake.ends, o);
	if (end->kind == JOB_SWEEP)
		log_info("swept %d", (int)end->key);
	fake_save(e->db);
	return 0;
}

int engine_run_started(struct engine *e, usec_t now, const struct run_start *start,
		       struct error *err)
{
	int r = fake_step("started", err);
	json_t *o;

	(void)now;
	if (r < 0)
		return r;
	o = json_object();
	json_put_int(o, "key", start->run);
	json_put_int(o, "pid", start->process.pid);
	json_put_int(o, "start", start->process.start);
	json_put_text(o, "boot", start->process.boot);
	json_array_append_new(fake.starts, o);
	fake_save(e->db);
	return !fake.unwanted;
}

int engine_run_ended(struct engine *e, usec_t now, const struct run_end *end, struct error *err)
{
	int r = fake_step("run_ended", err);
	json_t *o;

	(void)now;
	if (r < 0)
		return r;
	o = json_object();
	json_put_int(o, "key", end->run);
	json_put_text(o, "reason", end->end ? end->end->reason : NULL);
	json_put_text(o, "answer", end->end ? end->end->answer : NULL);
	json_put_bool(o, "never_ran", end->never_ran);
	json_put_text(o, "start_error", end->start_error);
	json_array_append_new(fake.run_ends, o);
	/* What is decided while the daemon stops, nobody can ask for. */
	log_info("run %d ended: %s", (int)end->run, end->end ? end->end->reason : "nothing");
	fake_save(e->db);
	if (!end->end && !end->never_ran && !end->start_error)
		fake_wish(e, fake_run_job(JOB_SWEEP, end->run));
	return 0;
}

int engine_dispatch(struct engine *e, usec_t now, struct error *err)
{
	(void)e;
	(void)now;
	return fake_step("dispatch", err);
}

int engine_tell(struct engine *e, const char *text, usec_t now, struct error *err)
{
	(void)e;
	(void)text;
	(void)now;
	(void)err;
	return 0;
}

int engine_maintain(struct engine *e, usec_t now, struct error *err)
{
	(void)e;
	(void)now;
	(void)err;
	fake.maintains++;
	return 0;
}

int engine_next_wake(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)e;
	(void)now;
	(void)err;
	*ret = fake.wake_at;
	return 0;
}

struct job *engine_take_job(struct engine *e)
{
	return e->first == e->last ? NULL : e->jobs[e->first++ % JOBS_MAX];
}

void engine_drop_jobs(struct engine *e)
{
	struct job *job;

	while ((job = engine_take_job(e)))
		job_free(job);
}

size_t engine_job_count(const struct engine *e)
{
	return e->last - e->first;
}

void engine_undo_jobs(struct engine *e, size_t count)
{
	while (e->last - e->first > count)
		job_free(e->jobs[--e->last % JOBS_MAX]);
}

/* No window is asked for here; see test-typing.c for what live agents do. */
int engine_live_opened(struct engine *e, const char *agent, const char *pane, usec_t now,
		       struct error *err)
{
	(void)e, (void)agent, (void)pane, (void)now, (void)err;
	return 0;
}

int engine_live_lost(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	(void)e, (void)agent, (void)why, (void)now, (void)err;
	return 0;
}

int engine_live_stranger(struct engine *e, const char *agent, usec_t now, struct error *err)
{
	(void)e, (void)agent, (void)now, (void)err;
	return 0;
}

int engine_live_asks(struct engine *e, const char *agent, const char *screen, usec_t now,
		     struct error *err)
{
	(void)e, (void)agent, (void)screen, (void)now, (void)err;
	return 0;
}

int engine_live_returned(struct engine *e, const char *agent, const char *message, usec_t now,
			 struct error *err)
{
	(void)e, (void)agent, (void)message, (void)now, (void)err;
	return 0;
}

int engine_live_taken(struct engine *e, const char *agent, const char *message, usec_t now,
		      struct error *err)
{
	(void)e, (void)agent, (void)message, (void)now, (void)err;
	return 0;
}

int engine_live_untaken(struct engine *e, const char *agent, const char *message, const char *why,
			usec_t now, struct error *err)
{
	(void)e, (void)agent, (void)message, (void)why, (void)now, (void)err;
	return 0;
}

int engine_live_session(struct engine *e, const char *agent, const char *session, usec_t now,
			struct error *err)
{
	(void)e, (void)agent, (void)session, (void)now, (void)err;
	return 0;
}

int engine_live_seen(struct engine *e, const char *agent, enum presence state, const char *evidence,
		     usec_t since, usec_t now, struct error *err)
{
	(void)e, (void)agent, (void)state, (void)evidence, (void)since, (void)now, (void)err;
	return 0;
}

void engine_set_counter(struct engine *e, usec_t counter)
{
	(void)e, (void)counter;
}

void engine_set_absence(struct engine *e, const char *why)
{
	(void)e;
	(void)why;
}
