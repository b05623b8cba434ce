/*
 * caller-may.c: what a caller may ask at all. The rows say it themselves:
 *
 *	a tool             the trust that it needs, by whichever door
 *	REQUEST_ADMIN      the person at the command line; no run, no tool
 *	REQUEST_OWN        other users too, from inner trust on: they meet only what is theirs
 *	REQUEST_HOOK       the hooks of any user's client
 *	anything else      the person and what works for them: it knows nothing of users
 *
 * So a row that says nothing is closed to others. doc/decisions/0006-callers.md has the whole list.
 */
#include <stdio.h>

#include "request/caller.h"

#define OWN_TRUST TRUST_INNER /* what other users need for REQUEST_OWN */
#define WHO_MAX 160

static const char *what(const struct request_row *row)
{
	return row->tool ? row->tool->name : row->name;
}

static const char *who(const struct caller *c, char ret[WHO_MAX])
{
	if (c->mission)
		snprintf(ret, WHO_MAX, "mission '%s' of user '%s'", c->mission, c->user);
	else
		snprintf(ret, WHO_MAX, "user '%s'", c->user);
	return ret;
}

static int need(const struct caller *c, const struct request_row *row, enum trust least,
		struct error *err)
{
	char asks[WHO_MAX];

	if (c->trust >= least)
		return 0;
	error_set(err, ERR_DENIED, "'%s' needs %s trust, and %s has %s trust", what(row),
		  least == TRUST_FULL	 ? "full"
		  : least == TRUST_INNER ? "inner or full"
					 : trust_word(least),
		  who(c, asks), trust_word(c->trust));
	if (c->mission)
		return error_hint(err, "a run has no more trust than what ordered it had, and its "
				       "user has now ('users' in config.yml)");
	return error_hint(err,
			  "the person at this machine can give it: '%.64s: {trust: %s}' under "
			  "'users' in config.yml",
			  c->user, trust_word(least));
}

static int refuse_admin(const struct caller *c, const struct request_row *row, struct error *err)
{
	char asks[WHO_MAX];

	error_set(err, ERR_DENIED,
		  "%s may not '%s': no trust is enough, it is for the person alone", who(c, asks),
		  what(row));
	return error_hint(err, "ask them (belfry message send --ask); they run it outside of any "
			       "mission");
}

static int refuse_shared(const struct caller *c, const struct request_row *row, struct error *err)
{
	char asks[WHO_MAX];

	error_set(err, ERR_DENIED,
		  "%s may not '%s': it shows or changes what is not theirs alone, "
		  "and no trust is enough",
		  who(c, asks), what(row));
	return error_hint(err,
			  "their own: belfry reminder list, belfry task list, belfry mission ls");
}

int caller_may(const struct caller *c, const struct request_row *row, struct error *err)
{
	bool person = caller_is_person(c);

	if (row->tool)
		return need(c, row, row->tool->trust, err);
	if (row->flags & REQUEST_ADMIN)
		return person && !c->mission && c->surface == SURFACE_CLI
			       ? 0
			       : refuse_admin(c, row, err);
	if (person || (row->flags & REQUEST_PURE) ||
	    ((row->flags & REQUEST_HOOK) && c->surface == SURFACE_HOOK))
		return 0;
	return row->flags & REQUEST_OWN ? need(c, row, OWN_TRUST, err) : refuse_shared(c, row, err);
}
