/* session.c: what a run names as its session, and is not. In whose hands one is: engine/hand.c. */
#include "request/session.h"

#include "base/auto.h"
#include "engine/boundary.h"
#include "engine/engine.h"
#include "store/mission.h"

/* The agent that a caller was taken for because of its session; what its mission says stays. */
static int forget_agent(struct engine *e, struct caller *c, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = c->mission_key ? mission_get(engine_db(e), c->mission_key, &m, err) : 0;

	if (rc >= 0 && (!m || !*m->agent))
		c->agent = NULL;
	return rc < 0 ? rc : 0;
}

static int is_own(struct engine *e, const struct caller *c, bool *ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc;

	*ret = false;
	if (session_is_stray(c))
		return 0;
	rc = agent_session_find(engine_db(e), c->session, c->user, &s, err);
	if (rc >= 0 && s)
		return engine_session_is_of(e, c->session, s, c->mission_key, ret, err);
	*ret = true; /* nobody has spoken of it yet: it may be its own */
	return rc;
}

int session_restrict(struct engine *e, struct caller *c, struct error *err)
{
	bool own = true;
	int rc = c->session && caller_is_run(c) ? is_own(e, c, &own, err) : 0;

	if (rc < 0 || own)
		return rc;
	c->session_refused = c->session;
	c->session = c->transcript = NULL;
	c->session_known = c->may_learn = false;
	return forget_agent(e, c, err);
}
