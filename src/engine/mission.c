#include "engine/mission.h"

void engine_policy_defaults(const struct engine *e, enum door door, const char *agent,
			    struct policy *ret)
{
	(void)e;
	(void)door;
	(void)agent;
	(void)ret;
}

int engine_add_run(struct engine *e, struct reminder *r, struct policy *p, usec_t now,
		   bool fire_now, struct error *err)
{
	(void)e;
	(void)r;
	(void)p;
	(void)now;
	(void)fire_now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_mission_new(struct engine *e, struct mission *m, usec_t now, struct error *err)
{
	(void)e;
	(void)m;
	(void)now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_mission_resume(struct engine *e, struct mission *m, const char *prompt, usec_t now,
			  struct error *err)
{
	(void)e;
	(void)m;
	(void)prompt;
	(void)now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_mission_attach(struct engine *e, struct mission *m, const struct process_id *caller,
			  const char *prompt, usec_t now, char **ret, struct error *err)
{
	(void)e;
	(void)m;
	(void)caller;
	(void)prompt;
	(void)now;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_mission_prepare(struct engine *e, struct mission *m, usec_t now, struct error *err)
{
	(void)e;
	(void)m;
	(void)now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_mission_stop(struct engine *e, struct mission *m, const char *why, usec_t now,
			struct error *err)
{
	(void)e;
	(void)m;
	(void)why;
	(void)now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_mission_archive(struct engine *e, struct mission *m, bool archived, usec_t now,
			   struct error *err)
{
	(void)e;
	(void)m;
	(void)archived;
	(void)now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_mission_remove(struct engine *e, struct mission *m, usec_t now, struct error *err)
{
	(void)e;
	(void)m;
	(void)now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_seed(struct engine *e, usec_t now, struct error *err)
{
	(void)e;
	(void)now;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_find_cron(struct engine *e, const char *name, struct reminder **ret, struct error *err)
{
	(void)e;
	(void)name;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_run_started(struct engine *e, usec_t now, const struct run_start *start,
		       struct error *err)
{
	(void)e, (void)now, (void)start;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int engine_run_ended(struct engine *e, usec_t now, const struct run_end *end, struct error *err)
{
	(void)e, (void)now, (void)end;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
