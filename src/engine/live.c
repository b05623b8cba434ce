/* live.c: sessions that run until somebody stops them, and how they are told things. */
#include "engine/live.h"

#include "engine/internal.h"

static int not_yet(struct error *err)
{
	return error_set(err, ERR_UNAVAILABLE, "live agents are not there yet");
}

int engine_live_start(struct engine *e, const char *agent, const char *role, bool fresh, usec_t now,
		      struct live **ret, struct error *err)
{
	(void)e, (void)agent, (void)role, (void)fresh, (void)now, (void)ret;
	return not_yet(err);
}

int engine_live_stop(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	(void)e, (void)agent, (void)why, (void)now;
	return not_yet(err);
}

int engine_live_restart(struct engine *e, const char *agent, usec_t now, struct live **ret,
			struct error *err)
{
	(void)e, (void)agent, (void)now, (void)ret;
	return not_yet(err);
}

int engine_live_remove(struct engine *e, const char *agent, bool with_reminders, usec_t now,
		       int64_t *ret_count, struct error *err)
{
	(void)e, (void)agent, (void)with_reminders, (void)now, (void)ret_count;
	return not_yet(err);
}

int engine_live_host(struct engine *e, const char *agent, const struct process_id *host, usec_t now,
		     char **ret, struct error *err)
{
	(void)e, (void)agent, (void)host, (void)now, (void)ret;
	return not_yet(err);
}

int engine_live_send(struct engine *e, const char *agent, const char *sender, const char *text,
		     enum priority priority, usec_t now, struct message **ret, struct error *err)
{
	(void)e, (void)agent, (void)sender, (void)text, (void)priority, (void)now, (void)ret;
	return not_yet(err);
}

int engine_live_opened(struct engine *e, const char *agent, const char *pane, usec_t now,
		       struct error *err)
{
	(void)e, (void)agent, (void)pane, (void)now;
	return not_yet(err);
}

int engine_live_lost(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	(void)e, (void)agent, (void)why, (void)now;
	return not_yet(err);
}

int engine_live_seen(struct engine *e, const char *agent, enum presence state, const char *evidence,
		     usec_t since, usec_t now, struct error *err)
{
	(void)e, (void)agent, (void)state, (void)evidence, (void)since, (void)now;
	return not_yet(err);
}

int live_is_present(struct engine *e, const char *agent, bool *ret, struct error *err)
{
	(void)e, (void)agent, (void)err;
	*ret = false;
	return 0;
}

void live_touch(struct engine *e)
{
	(void)e;
}

int live_dispatch(struct engine *e, usec_t now, struct error *err)
{
	(void)e, (void)now, (void)err;
	return 0;
}

int live_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)e, (void)now, (void)err;
	*ret = USEC_NONE;
	return 0;
}

int live_recover(struct engine *e, usec_t now, struct error *err)
{
	(void)e, (void)now, (void)err;
	return 0;
}

int live_typed(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	(void)e, (void)now, (void)end, (void)err;
	return 0;
}

int live_run_ended(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		   struct error *err)
{
	(void)e, (void)m, (void)run, (void)now, (void)err;
	return 0;
}

int live_start_for(struct engine *e, const struct reminder *r, usec_t now, struct error *err)
{
	(void)e, (void)r, (void)now, (void)err;
	return 0;
}
