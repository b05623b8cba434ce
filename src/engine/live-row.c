/*
 * live-row.c: what is known of a session, as the other files of live.c read and write it, and what the
 * daemon is told of it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/internal.h"
#include "engine/live-parts.h"

/* --- the row ------------------------------------------------------------------------------ */

bool live_row_present(const struct live *l)
{
	return l && l->state != PRESENCE_GONE;
}

bool live_row_hosted(const struct live *l)
{
	return l->started_at != USEC_NONE;
}

int live_is_present(struct engine *e, const char *agent, bool *ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_find(e->db, agent, &l, err);

	*ret = live_row_present(l);
	return rc;
}

int live_hears(struct engine *e, int64_t mission, bool *ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_of_mission(e->db, mission, &l, err);

	*ret = live_row_present(l);
	return rc;
}

void live_touch(struct engine *e)
{
	e->live_stale = true;
}

struct live *live_row_new(const char *agent, usec_t now)
{
	struct live *l = mem_zalloc(sizeof(*l));

	l->agent = mem_strdup(agent);
	l->state = PRESENCE_GONE;
	l->evidence = mem_strdup("");
	l->created_at = l->since = now;
	l->idle_at = l->started_at = l->ended_at = l->told_at = USEC_NONE;
	return l;
}

void live_row_set(struct live *l, enum presence state, const char *evidence, usec_t since)
{
	l->state = state;
	l->since = since;
	l->idle_at = state == PRESENCE_IDLE ? since : USEC_NONE;
	mem_replace(&l->evidence, evidence);
}

/* Whoever waits for what it does is told by that, too. */
int live_row_save(struct engine *e, const struct live *l, usec_t now, struct error *err)
{
	int rc = live_put(e->db, l, err);

	live_touch(e);
	return rc < 0 ? rc : idle_changed(e, l, now, err);
}

/* The row of an agent that is there, or ERR_CONFLICT. */
int live_need(struct engine *e, const char *agent, struct live **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0)
		return rc;
	if (!l && !config_agent(e->config, agent, err))
		return err->code;
	if (!live_row_present(l)) {
		error_set(err, ERR_CONFLICT, "agent '%s' has no session%s%s", agent,
			  l && l->end_reason ? ": " : "", l && l->end_reason ? l->end_reason : "");
		return error_hint(err, "belfry agent start %s", agent);
	}
	*ret = steal_ptr(&l);
	return 0;
}

/* The mission of a row; *ret is NULL when there is none, or that is gone. */
int live_load_mission(struct engine *e, const struct live *l, struct mission **ret,
		      struct error *err)
{
	int rc = l->mission ? mission_get(e->db, l->mission, ret, err) : 0;

	if (rc == ERR_NOT_FOUND || (rc >= 0 && *ret && (*ret)->phase == PHASE_REMOVING)) {
		mission_free(steal_ptr(ret));
		return 0;
	}
	return rc;
}

/* --- jobs --------------------------------------------------------------------------------- */

/* One that is in the configuration no more is still watched, as any program would be. */
static struct adapter *adapter_of(const struct engine *e, const char *agent)
{
	struct error unknown = {0};
	const struct config_agent *found = config_agent(e->config, agent, &unknown);

	return found && found->adapter ? adapter_copy(found->adapter) : adapter_built_in("command");
}

struct job *live_job(struct engine *e, enum job_kind kind, const struct live *l,
		     const struct mission *m)
{
	struct job *job = mem_zalloc(sizeof(*job));

	job->kind = kind;
	job->live = mem_zalloc(sizeof(*job->live));
	job->live->agent = mem_strdup(l->agent);
	job->live->pane = mem_strdup(l->pane);
	job->live->mission = mem_strdup(m ? m->id : NULL);
	job->live->adapter = adapter_of(e, l->agent);
	return job;
}
