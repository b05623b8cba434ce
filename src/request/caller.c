/* caller.c: who asks, and what they may. */
#include "request/caller.h"

#include "engine/engine.h"
#include "store/reminder.h"

int caller_resolve(struct engine *e, const json_t *claim, usec_t now, json_t **ret_keep,
		   struct caller *ret, struct error *err)
{
	const char *surface = json_string_value(json_object_get(claim, "surface"));

	(void)e;
	(void)now;
	(void)err;
	*ret_keep = NULL;
	ret->surface = SURFACE_CLI;
	if (surface && surface[0] == 'm') {
		ret->surface = SURFACE_MCP;
		ret->scoped = true;
	}
	ret->user = "me";
	ret->trust = TRUST_FULL;
	return 0;
}

int caller_may(const struct caller *c, const struct request_row *row, struct error *err)
{
	(void)c;
	(void)row;
	(void)err;
	return 0;
}

int caller_stamp(const struct request *rq, struct reminder *r, struct error *err)
{
	(void)err;
	r->source = rq->caller.surface == SURFACE_MCP ? SOURCE_MCP : SOURCE_CLI;
	return 0;
}

json_t *caller_targets(const struct config *config, const char *session, const char *user)
{
	(void)config;
	(void)session;
	(void)user;
	return json_pack("[s]", "inbox:me");
}
