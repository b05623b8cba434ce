/* fake-engine.c: an engine that fires what it is told to and remembers how jobs ended. */
#include "engine/engine.h"

#include <string.h>

#include "base/json.h"
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

struct engine *engine_new(struct db *db, const struct config *config)
{
	struct engine *e = mem_zalloc(sizeof(*e));

	e->db = db;
	e->config = config;
	fake.engines++;
	if (!fake.ends) {
		fake.ends = json_array();
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

void engine_set_config(struct engine *e, const struct config *config)
{
	e->config = config;
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
	free(job);
}

void fake_wish(struct engine *e, struct job *job)
{
	e->jobs[e->last++ % JOBS_MAX] = job;
}

int engine_recover(struct engine *e, usec_t now, struct error *err)
{
	(void)e;
	(void)now;
	fake.recovers++;
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
	fake_save(e->db);
	return 0;
}

int engine_dispatch(struct engine *e, usec_t now, struct error *err)
{
	(void)e;
	(void)now;
	return fake_step("dispatch", err);
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
