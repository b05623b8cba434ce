/* fake-request.c: the requests by which a test drives a daemon with the fake engine. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "fake/fake-state.h"
#include "request/caller.h"
#include "request/session.h"

int caller_resolve(struct engine *e, const json_t *claim, usec_t now, json_t **ret_keep,
		   struct caller *ret, struct error *err)
{
	(void)e;
	(void)claim;
	(void)now;
	(void)err;
	*ret_keep = NULL;
	ret->user = "me";
	ret->trust = TRUST_FULL;
	return 0;
}

int session_restrict(struct engine *e, struct caller *c, struct error *err)
{
	(void)e;
	(void)c;
	(void)err;
	return 0;
}

int caller_process_look(struct db *db, struct caller_process *p, struct error *err)
{
	(void)db;
	(void)p;
	(void)err;
	return 0;
}

static int exec_echo(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)err;
	*ret = json_deep_copy(args);
	json_put_text(*ret, "user", rq->caller.login);
	json_put_text(*ret, "zone", rq->zone);
	json_put_bool(*ret, "scheduler_running", rq->scheduler_running);
	json_put_text(*ret, "config_error", rq->config_error);
	return 0;
}

static int exec_save(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)args;
	fake_save(engine_db(rq->engine));
	*ret = json_true();
	return fake_step("save", err);
}

static int exec_save_and_fail(const struct request *rq, const json_t *args, json_t **ret,
			      struct error *err)
{
	(void)args;
	(void)ret;
	fake_save(engine_db(rq->engine));
	return error_set(err, ERR_CONFLICT, "failed as it should");
}

static int exec_read(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	int r = fake_step("read", err);

	(void)rq;
	(void)args;
	if (r == 0)
		*ret = json_true();
	return r;
}

static int exec_state(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)args;
	(void)err;
	*ret = json_object();
	json_put_int(*ret, "opens", fake.opens);
	json_put_int(*ret, "begins", fake.begins);
	json_put_int(*ret, "rollbacks", fake.rollbacks);
	json_put_int(*ret, "syncs", fake.syncs);
	json_put_int(*ret, "saved", fake.saved);
	json_put_int(*ret, "recovers", fake.recovers);
	json_put_int(*ret, "engines", fake.engines);
	json_put_int(*ret, "fired", fake.fired);
	json_put_int(*ret, "aborted", fake.aborted);
	json_put_int(*ret, "lateness", fake.lateness);
	json_put_int(*ret, "looks", fake.looks);
	json_put_int(*ret, "missions", (int64_t)rq->missions);
	json_put(*ret, "ends", json_deep_copy(fake.ends));
	json_put(*ret, "starts", json_deep_copy(fake.starts));
	json_put(*ret, "run_ends", json_deep_copy(fake.run_ends));
	return 0;
}

static char **texts(const json_t *array)
{
	size_t count = json_array_size(array);
	char **all;

	if (!array)
		return NULL;
	all = mem_array(count + 1, sizeof(*all));
	for (size_t i = 0; i < count; i++)
		all[i] = mem_strdup(json_string_value(json_array_get(array, i)));
	return all;
}

static int exec_job(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	struct job *job = mem_zalloc(sizeof(*job));
	const char *kind = json_string_value(json_object_get(args, "kind"));
	int64_t limit_ms = 10000;

	(void)err;
	json_get_int(args, "limit_ms", &limit_ms, err);
	job->kind = kind && strcmp(kind, "deliver") == 0 ? JOB_DELIVER : JOB_CHECK;
	job->key = json_integer_value(json_object_get(args, "key"));
	job->argv = texts(json_object_get(args, "argv"));
	job->environment = texts(json_object_get(args, "environment"));
	job->directory = mem_strdup(json_string_value(json_object_get(args, "directory")));
	job->input = mem_strdup(json_string_value(json_object_get(args, "input")));
	job->time_limit = limit_ms * USEC_PER_MSEC;
	fake_wish(rq->engine, job);
	*ret = json_true();
	return 0;
}

static int64_t int_of(const json_t *args, const char *name)
{
	return json_integer_value(json_object_get(args, name));
}

static const char *text_of(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

static int exec_start(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	struct job *job = fake_run_job(JOB_START, int_of(args, "key"));

	(void)err;
	job->input = mem_strdup(text_of(args, "order"));
	if (json_is_true(json_object_get(args, "again"))) {
		fake.again = job->key;
		mem_replace(&fake.again_order, job->input);
	}
	fake_wish(rq->engine, job);
	*ret = json_true();
	return 0;
}

static int exec_adopt(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	struct job *job = fake_run_job(JOB_ADOPT, int_of(args, "key"));

	(void)err;
	job->process.pid = (pid_t)int_of(args, "pid");
	job->process.start = int_of(args, "start");
	snprintf(job->process.boot, sizeof(job->process.boot), "%s", text_of(args, "boot"));
	job->interactive = json_is_true(json_object_get(args, "interactive"));
	fake_wish(rq->engine, job);
	*ret = json_true();
	return 0;
}

static int exec_stop_run(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	struct job *job = fake_run_job(JOB_STOP, int_of(args, "key"));

	(void)err;
	job->signal = (int)int_of(args, "signal");
	fake_wish(rq->engine, job);
	*ret = json_true();
	return 0;
}

static int exec_unwanted(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	(void)rq;
	(void)args;
	(void)err;
	fake.unwanted = true;
	*ret = json_true();
	return 0;
}

static int exec_wake(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)err;
	fake.wake_at = rq->now + json_integer_value(json_object_get(args, "in_ms")) * USEC_PER_MSEC;
	*ret = json_true();
	return 0;
}

static int exec_due(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)rq;
	(void)err;
	fake.due += json_integer_value(json_object_get(args, "count"));
	*ret = json_true();
	return 0;
}

static int exec_break(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *step = json_string_value(json_object_get(args, "step"));
	const char *code = json_string_value(json_object_get(args, "code"));
	struct fake_break *b;

	(void)rq;
	*ret = json_true();
	if (json_integer_value(json_object_get(args, "count")) == 0) {
		/* From now on it works. */
		for (size_t i = 0; i < fake.break_count; i++)
			if (strcmp(fake.breaks[i].step, step) == 0)
				fake.breaks[i].count = 0;
		return 0;
	}
	if (fake.break_count == FAKE_BREAKS)
		return error_set(err, ERR_INVALID, "too many breaks");
	b = &fake.breaks[fake.break_count++];
	snprintf(b->step, sizeof(b->step), "%s", step);
	b->count = json_integer_value(json_object_get(args, "count"));
	b->code = error_code_of(code);
	return 0;
}

static int exec_big(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	size_t len = (size_t)json_integer_value(json_object_get(args, "bytes"));
	AUTO(free) char *text = mem_alloc(len + 1);

	(void)rq;
	(void)err;
	memset(text, 'x', len);
	*ret = json_stringn(text, len);
	return 0;
}

static int exec_begin(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)rq;
	(void)args;
	(void)err;
	*ret = json_pack("{s:I}", "batch", (json_int_t)++fake.batches);
	return 0;
}

static int exec_commit(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	(void)rq;
	(void)args;
	(void)err;
	*ret = json_true();
	return 0;
}

static int exec_abort(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)rq;
	(void)err;
	fake.aborted = json_integer_value(json_object_get(args, "batch"));
	*ret = json_true();
	return 0;
}

static int exec_stop(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	bool leave = json_is_true(json_object_get(args, "leave_missions"));

	(void)rq;
	(void)err;
	*ret = json_pack("{s:i}", "pid", (int)getpid());
	kill(getpid(), leave ? SIGQUIT : SIGTERM);
	return 0;
}

/* clang-format off */
static const struct request_row rows[] = {
	{.name = "echo",          .flags = REQUEST_READS,  .exec = exec_echo},
	{.name = "pure",          .flags = REQUEST_PURE,   .exec = exec_echo},
	{.name = "read",          .flags = REQUEST_READS,  .exec = exec_read},
	{.name = "save",          .flags = REQUEST_WRITES, .exec = exec_save},
	{.name = "save-and-fail", .flags = REQUEST_WRITES, .exec = exec_save_and_fail},
	{.name = "state",         .flags = REQUEST_READS,  .exec = exec_state},
	{.name = "job",           .flags = REQUEST_WRITES, .exec = exec_job},
	{.name = "wake",          .flags = REQUEST_WRITES, .exec = exec_wake},
	{.name = "due",           .flags = REQUEST_WRITES, .exec = exec_due},
	{.name = "break",         .flags = REQUEST_READS,  .exec = exec_break},
	{.name = "big",           .flags = REQUEST_READS,  .exec = exec_big},
	{.name = "import begin",  .flags = REQUEST_WRITES, .exec = exec_begin},
	{.name = "import commit", .flags = REQUEST_WRITES, .exec = exec_commit},
	{.name = "import abort",  .flags = REQUEST_WRITES, .exec = exec_abort},
	{.name = "daemon halt",   .flags = REQUEST_READS,  .exec = exec_stop},
	{.name = "doctor",        .flags = REQUEST_LOCAL},
	{.name = "start",         .flags = REQUEST_WRITES, .exec = exec_start},
	{.name = "adopt",         .flags = REQUEST_WRITES, .exec = exec_adopt},
	{.name = "stop run",      .flags = REQUEST_WRITES, .exec = exec_stop_run},
	{.name = "unwanted",      .flags = REQUEST_WRITES, .exec = exec_unwanted},
};
#define R(n) &rows[n]
const struct request_row *const request_rows[] = {
	R(0), R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13), R(14),
	R(15), R(16), R(17), R(18), R(19), NULL,
};
/* clang-format on */

const struct request_row *request_find(const char *name)
{
	for (const struct request_row *const *row = request_rows; *row; row++)
		if (strcmp((*row)->name, name) == 0)
			return *row;
	return NULL;
}

int request_run(const struct request_row *row, const struct request *rq, const json_t *args,
		json_t **ret, struct error *err)
{
	json_t *result = NULL;
	int r = row->exec(rq, args, &result, err);

	if (r < 0)
		json_decref(result);
	else
		*ret = result;
	return r;
}

int request_run_once(const struct request_row *row, const struct request *rq, const char *id,
		     const json_t *args, json_t **ret, bool *ret_earlier, struct error *err)
{
	(void)id;
	*ret_earlier = false;
	return request_run(row, rq, args, ret, err);
}

const struct request_row *request_find_tool(const char *name)
{
	(void)name;
	return NULL;
}
