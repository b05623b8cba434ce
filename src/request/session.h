#pragma once
/*
 * Which sessions a caller reaches: its user's, and a run only its own run's. Whoever is below a run or a command of
 * Belfry's may say any name, of a session or of a process that has one; so what was said is checked once, after
 * caller_resolve(), and a name that is not its own is as good as none.
 */
#include "request/caller.h"

/* Of a run or a command, and nobody knows of which run: it reaches no session. */
static inline bool session_is_stray(const struct caller *c)
{
	return c->unknown || (c->lent && !c->mission_key);
}

/* Forget the session that a run named when that is in other hands; `session_refused` has its name. Inside a turn. */
int session_restrict(struct engine *e, struct caller *c, struct error *err);
