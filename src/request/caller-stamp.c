/*
 * caller-stamp.c: what a caller makes is its user's, carries its trust, and remembers where it was asked
 * for and where the answer goes. All of that is settled here once: nothing that happens to the
 * configuration later sends it elsewhere or lets it do more.
 * A run may go on for its user, but not without end: what runs have made is counted, however they made it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine.h"
#include "request/caller.h"
#include "request/read.h"
#include "schedule/duration.h"
#include "schedule/instant.h"

#define DIRECT ":dm:" /* in the name of a conversation with one person */
#define TERMINAL "terminal"

/* --- where answers go --- */

static bool is_terminal(const char *address)
{
	return strncmp(address, TERMINAL ":", sizeof(TERMINAL)) == 0;
}

const char *caller_address(const char *session)
{
	const char *found = session ? strstr(session, DIRECT) : NULL;
	const char *address = found ? found + strlen(DIRECT) : "";
	const char *target = strchr(address, ':');

	return target && target > address && target[1] && !is_terminal(address) ? address : NULL;
}

json_t *caller_targets(const struct config *config, const char *session, const char *user)
{
	const char *direct = caller_address(session);
	const struct config_user *found = user ? config_user(config, user) : NULL;
	json_t *targets = json_array();

	/* Whoever sits here has an inbox, whatever the file says of where else they are found. */
	if (user && strcmp(user, "me") == 0) {
		json_array_append_new(targets, json_string("inbox:me"));
		return targets;
	}
	if (direct) {
		json_array_append_new(targets, json_string(direct));
		return targets;
	}
	for (char **p = found ? found->match : NULL; p && *p; p++)
		if (!is_terminal(*p))
			json_array_append_new(targets, json_string(*p));
	return targets;
}

/* --- what runs may --- */

static int refuse_pending(const struct caller *c, struct error *err)
{
	error_set(
		err, ERR_CONFLICT,
		"runs of user '%s' have %d reminders that are still to come, the most there may be",
		c->user, CALLER_PENDING_MAX);
	return error_hint(err, "the next is possible when one of them has ended, or was removed: "
			       "belfry reminder list");
}

static int refuse_rate(const struct request *rq, usec_t again, struct error *err)
{
	char at[INSTANT_TEXT_MAX], span[DURATION_TEXT_MAX];

	instant_format_long(again, read_own_zone(rq), at);
	duration_format_short(again - rq->now, span);
	error_set(err, ERR_CONFLICT,
		  "runs of user '%s' have made %d reminders and missions within an hour, the most "
		  "there may be",
		  rq->caller.user, CALLER_RATE_MAX);
	return error_hint(err, "the next is possible at %s, in %s", at, span);
}

/* `pending`: what is made will be one more that is still to come. */
static int check_limits(const struct request *rq, bool pending, struct error *err)
{
	struct db *db = engine_db(rq->engine);
	int64_t active = 0;
	usec_t since = rq->now - USEC_PER_HOUR, filled = USEC_NONE;
	int r;

	if (!caller_is_run(&rq->caller))
		return 0;
	if (pending && (r = reminder_count_made(db, rq->caller.user, &active, err)) < 0)
		return r;
	if (active >= CALLER_PENDING_MAX)
		return refuse_pending(&rq->caller, err);
	r = reminder_nth_made(db, rq->caller.user, since, CALLER_RATE_MAX - 1, &filled, err);
	if (r < 0 || filled == USEC_NONE)
		return r;
	return refuse_rate(rq, filled + USEC_PER_HOUR, err);
}

/* --- the stamp --- */

int64_t caller_maker(const struct caller *c)
{
	return c->mission_key ? c->mission_key : caller_is_run(c) ? MADE_BY_SOME : 0;
}

static char *targets_text(const struct request *rq)
{
	AUTO(json_decref)
	json_t *targets =
		caller_targets(engine_config(rq->engine), rq->caller.session, rq->caller.user);

	return json_array_size(targets) ? json_text(targets) : NULL;
}

int caller_stamp(const struct request *rq, struct reminder *r, struct error *err)
{
	const struct caller *c = &rq->caller;
	int rc;

	if ((rc = caller_check_agent(rq, r->agent, err)) < 0 ||
	    (rc = check_limits(rq, true, err)) < 0)
		return rc;
	r->source = c->surface == SURFACE_MCP ? SOURCE_MCP : SOURCE_CLI;
	mem_replace(&r->owner, c->user);
	r->trust = c->trust;
	mem_replace(&r->session, c->session);
	mem_replace(&r->transcript, c->transcript);
	r->made_by = caller_maker(c);
	free(r->targets);
	r->targets = targets_text(rq);
	return 0;
}

int caller_stamp_mission(const struct request *rq, struct mission *m, struct error *err)
{
	const struct caller *c = &rq->caller;
	int rc;

	if ((rc = caller_check_agent(rq, m->agent, err)) < 0 ||
	    (rc = check_limits(rq, false, err)) < 0)
		return rc;
	mem_replace(&m->owner, c->user);
	m->trust = c->trust;
	m->made_by = caller_maker(c);
	mem_replace(&m->origin, c->mission);
	return 0;
}
