/*
 * hand.c: in whose hands a session is. It is of its user, and of the run that it began in, or of no run: then it is
 * the person's, or that other user's, in a terminal of their own.
 *
 *	no run ──Belfry resumes that conversation in a mission──▶ of that mission
 *	no run ◀──somebody who is in no run goes on with it────── of a mission
 *
 * Nothing else moves it. A run that names another session, or forges the hook of one, is not heard: whoever speaks
 * in a session is believed there, and what is told to one is not told to the other.
 *
 * A run may have named a session that its user's own client uses only later. So what it set goes along only where
 * its agent told that name as that of its conversation; else the session begins anew.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/hook-parts.h"

/* Whether the agent of that mission calls, or called, its conversation so. */
static int is_conversation(struct engine *e, int64_t mission, const char *id, bool *ret,
			   struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO_RUNS struct run_list runs = {0};
	int rc = mission_get(e->db, mission, &m, err);

	*ret = false;
	if (rc < 0)
		return rc == ERR_NOT_FOUND ? 0 : rc;
	if ((rc = run_list(e->db, mission, &runs, err)) < 0)
		return rc;
	*ret = m->session && strcmp(m->session, id) == 0;
	for (size_t i = 0; i < runs.count; i++)
		*ret |= runs.items[i]->session && strcmp(runs.items[i]->session, id) == 0;
	return 0;
}

int engine_session_is_of(struct engine *e, const char *id, const struct agent_session *s,
			 int64_t mission, bool *ret, struct error *err)
{
	*ret = mission && s && s->mission == mission;
	return *ret || !mission ? 0 : is_conversation(e, mission, id, ret, err);
}

int session_may_be(struct engine *e, const struct mission *m, const char *id, bool *ret,
		   struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc = agent_session_find(e->db, id, m->owner, &s, err);

	*ret = true;
	return rc < 0 || !s ? rc : engine_session_is_of(e, id, s, m->key, ret, err);
}

/* As if nobody had spoken of it yet. */
static int begin_anew(struct telling *t, struct error *err)
{
	struct agent_session *s = t->session;
	int64_t cleared;

	mem_replace(&s->directory, NULL);
	mem_replace(&s->transcript, NULL);
	mem_replace(&s->heard, NULL);
	s->calls = 0;
	return engine_boundary_clear(t->e, s->id, s->owner, t->now, &cleared, err);
}

/* Whoever is in no run goes on with what was a run's. */
static int leave_run(struct telling *t, struct error *err)
{
	struct agent_session *s = t->session;
	bool known = false;
	int rc = is_conversation(t->e, s->mission, s->id, &known, err);

	if (rc < 0 || (!known && (rc = begin_anew(t, err)) < 0))
		return rc;
	s->mission = s->pid = s->pid_start = 0;
	mem_replace(&s->boot, NULL);
	mem_replace(&s->agent, NULL);
	return 0;
}

int telling_take_over(struct telling *t, bool *ret, struct error *err)
{
	const struct hook_event *ev = t->event;
	struct agent_session *s = t->session;
	int rc;

	*ret = !ev->stray;
	if (ev->stray || s->mission == ev->mission)
		return 0;
	if (!ev->mission)
		return leave_run(t, err);
	rc = engine_session_is_of(t->e, s->id, s, ev->mission, ret, err);
	if (rc >= 0 && *ret)
		s->mission = ev->mission;
	return rc;
}
