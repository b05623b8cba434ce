/*
 * caller.c: who asks.
 * The kernel says which process asks, and so whether it belongs to a run (caller-process.c). Beyond that, a
 * claim is what the process says of itself, and is believed only where that takes something away: whoever names a mission works for its user, with no more trust than it carries, whatever else
 * is claimed. One that is not there is refused rather than taken for the person, who may do more.
 */
#include "request/caller.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "engine/trust.h"
#include "store/agent-session.h"
#include "store/mission.h"

#define TERMINAL "terminal:default" /* where a client asks from that names no user */
#define NOBODY "?"		    /* not a name that a user could have */

struct claim {
	const char *surface, *user, *session, *agent, *mission; /* NULL: not said */
	const json_t *process;
};

static const char *const surface_words[] = {
	[SURFACE_CLI] = "cli", [SURFACE_MCP] = "mcp", [SURFACE_HOOK] = "hook"};

static int read_surface(const char *word, enum surface *ret, struct error *err)
{
	*ret = SURFACE_CLI;
	for (size_t i = 0; i < sizeof(surface_words) / sizeof(surface_words[0]); i++)
		if (!word || strcmp(word, surface_words[i]) == 0) {
			*ret = (enum surface)i;
			return 0;
		}
	error_set(err, ERR_INVALID, "caller: there is no surface '%.40s'", word);
	return error_hint(err, "one of: cli, mcp, hook");
}

static int check_user(const char *user, struct error *err)
{
	if (!user || text_is_name(user))
		return 0;
	error_set(err, ERR_INVALID, "caller: '%.80s' is not a name for a user", user);
	return error_hint(err, "BELFRY_USER or --user is a name of 'users' in config.yml, or 'me'");
}

static int check_session(const char *session, struct error *err)
{
	if (!session || (strlen(session) < SESSION_ID_MAX && !text_find_control(session) &&
			 !strpbrk(session, "\t\n")))
		return 0;
	error_set(err, ERR_INVALID, "caller: '%.80s' cannot be a session", session);
	return error_hint(err, "BELFRY_SESSION or --session has less than %d bytes, in one line",
			  SESSION_ID_MAX);
}

static int read_claim(const json_t *claim, struct claim *ret, struct error *err)
{
	struct {
		const char *key;
		const char **text;
	} texts[] = {{"surface", &ret->surface},
		     {"user", &ret->user},
		     {"session", &ret->session},
		     {"agent", &ret->agent},
		     {"mission", &ret->mission}};
	int r = 0;

	*ret = (struct claim){.process = json_object_get(claim, "process")};
	for (size_t i = 0; r >= 0 && i < sizeof(texts) / sizeof(texts[0]); i++)
		r = json_get_text(claim, texts[i].key, texts[i].text, err);
	if (r < 0)
		return error_prefix(err, "caller");
	r = check_user(ret->user, err);
	return r < 0 ? r : check_session(ret->session, err);
}

/* A text that lives as long as the request does. */
static const char *keep_text(json_t *keep, const char *key, const char *text)
{
	if (!text)
		return NULL;
	json_put_text(keep, key, text);
	return json_string_value(json_object_get(keep, key));
}

/* --- for whom --- */

/* A person's stale shell is told at once; a client has been denied what its launch promised. */
static int refuse_mission(const struct caller *c, const char *id, struct error *err)
{
	error_set(err, c->surface == SURFACE_MCP ? ERR_DENIED : ERR_NOT_FOUND, "no mission '%.80s'",
		  id);
	return error_hint(err,
			  "BELFRY_MISSION_ID says which run asks, and has no trust without its "
			  "mission; unset it to ask as yourself");
}

/* `key` is that of the run the process belongs to; 0: none, and the mission it names counts. */
static int set_mission(struct engine *e, int64_t key, const char *id, json_t *keep,
		       struct caller *ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int r = key ? mission_get(engine_db(e), key, &m, err)
		    : mission_of_id(engine_db(e), id, &m, err);

	if (r == ERR_NOT_FOUND && ret->lent)
		return 0; /* removed since: what it made is still not the person's */
	if (r < 0)
		return r;
	if (!m)
		return refuse_mission(ret, id, err);
	ret->mission = keep_text(keep, "mission", m->id);
	ret->mission_key = m->key;
	ret->user = keep_text(keep, "user", m->owner);
	ret->trust = trust_least(m->trust, trust_in(engine_config(e), m->owner));
	ret->agent = keep_text(keep, "agent", *m->agent ? m->agent : NULL);
	return 0;
}

/* Below a command: whoever it runs for, whatever is claimed. */
static int set_lender(struct engine *e, const struct caller_process *p, json_t *keep,
		      struct caller *ret, struct error *err)
{
	ret->lent = true;
	ret->user = keep_text(keep, "user", p->user);
	ret->trust = trust_least(p->trust, trust_in(engine_config(e), p->user));
	return p->mission ? set_mission(e, p->mission, NULL, keep, ret, err) : 0;
}

static void set_user(const struct config *config, const struct claim *claim, json_t *keep,
		     struct caller *ret)
{
	const struct config_user *here =
		ret->surface == SURFACE_CLI ? NULL : config_user_matching(config, TERMINAL);
	struct error unknown = {0};

	ret->user = keep_text(keep, "user", claim->user ? claim->user : here ? here->name : "me");
	ret->trust = trust_in(config, ret->user);
	if (claim->agent && config_agent(config, claim->agent, &unknown))
		ret->agent = keep_text(keep, "agent", claim->agent);
}

/* Whoever it was: no user has this name, nothing is theirs, and whatever is claimed is not believed. */
static void set_nobody(json_t *keep, struct caller *ret)
{
	ret->user = keep_text(keep, "user", NOBODY);
	ret->trust = TRUST_PUBLIC;
	ret->scoped = true;
}

/* --- from which conversation --- */

static int session_of_process(struct db *db, const json_t *process, const char *owner,
			      struct agent_session **ret, struct error *err)
{
	int64_t pid = 0, start = 0;
	const char *boot = NULL;
	int r;

	if (!json_is_object(process))
		return 0;
	if ((r = json_get_int(process, "pid", &pid, err)) < 0 ||
	    (r = json_get_int(process, "pid_start", &start, err)) < 0 ||
	    (r = json_get_text(process, "boot", &boot, err)) < 0)
		return error_prefix(err, "caller: process");
	if (pid <= 0 || !boot)
		return 0;
	return agent_session_of_process(db, pid, start, boot, owner, ret, err);
}

/*
 * Who launched a client seldom says which agent it is, and over HTTP nobody can; its hooks told us. A run is its
 * mission's agent, whatever session it names.
 */
static void set_agent_of(const struct config *config, const struct agent_session *s, json_t *keep,
			 struct caller *ret)
{
	struct error unknown = {0};

	if (ret->surface == SURFACE_MCP && !caller_is_run(ret) && !ret->agent && s && s->agent &&
	    config_agent(config, s->agent, &unknown))
		ret->agent = keep_text(keep, "agent", s->agent);
}

/* A channel's is its user's when the address in it is, or a token says so; the person's is what they say. */
static bool is_own_channel(const struct config *config, const struct claim *claim,
			   const struct caller *c)
{
	const char *address = caller_address(claim->session);
	const struct config_user *user = address ? config_user_matching(config, address) : NULL;

	return c->bound || caller_is_person(c) || (user && strcmp(user->name, c->user) == 0);
}

/* The same words for one that is another's and one that is not there. */
static int refuse_channel(const char *session, const struct caller *c, struct error *err)
{
	error_set(err, ERR_DENIED, "session '%.80s' is not known as one of user '%s'", session,
		  c->user);
	return error_hint(err, "a channel's session needs a token made for it (belfry token add "
			       "--session), or its address under 'match' of that user");
}

/*
 * The one that the process has now, by its hooks: its client may have begun another since it started
 * us. One of a channel ("AGENT:dm:CHANNEL:TARGET") was given by whoever carries that channel, and no
 * hook knows better.
 */
static int set_session(struct engine *e, const struct claim *claim, json_t *keep,
		       struct caller *ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	bool of_channel = claim->session && strchr(claim->session, ':');
	int r = of_channel ? 0
			   : session_of_process(engine_db(e), claim->process, ret->user, &s, err);

	if (of_channel && !is_own_channel(engine_config(e), claim, ret))
		return refuse_channel(claim->session, ret, err);
	if (r == 0 && !s && claim->session)
		r = agent_session_find(engine_db(e), claim->session, ret->user, &s, err);
	if (r < 0)
		return r;
	ret->session = keep_text(keep, "session", s ? s->id : claim->session);
	ret->may_learn = claim->process != NULL;
	/* A name is easily said: until a hook has spoken of it, nothing is known by it. */
	if (s && !agent_session_is_told(s))
		agent_session_free(steal_ptr(&s));
	ret->session_known = s || of_channel || ret->bound;
	ret->transcript = keep_text(keep, "transcript", s ? s->transcript : NULL);
	set_agent_of(engine_config(e), s, keep, ret);
	return 0;
}

char *caller_did(const struct caller *c, const char *done)
{
	if (c->mission)
		return mem_printf("%s by mission %s", done, c->mission);
	if (!caller_is_person(c))
		return mem_printf("%s by user %s", done, c->user);
	if (c->lent)
		return mem_printf("%s by a command that Belfry ran", done);
	return mem_printf(c->surface == SURFACE_CLI ? "%s by hand" : "%s by an agent of yours",
			  done);
}

int caller_resolve(struct engine *e, const json_t *claim, usec_t now, json_t **ret_keep,
		   struct caller *ret, struct error *err)
{
	AUTO(json_decref) json_t *keep = json_object();
	const struct config *config = engine_config(e);
	const struct config_user *user;
	int64_t run = 0;
	struct claim said;
	int r;

	(void)now;
	if ((r = read_claim(claim, &said, err)) < 0 ||
	    (r = read_surface(said.surface, &ret->surface, err)) < 0 ||
	    (r = ret->process ? caller_process_look(engine_db(e), ret->process, err) : 0) < 0)
		return r;
	ret->unknown =
		ret->process && (ret->process->gone || ret->process->stray || ret->process->blind);
	if (ret->unknown) {
		set_nobody(keep, ret);
		*ret_keep = json_incref(keep);
		return 0;
	}
	run = ret->process ? ret->process->mission : 0;
	if (ret->process && ret->process->command)
		r = set_lender(e, ret->process, keep, ret, err);
	else if (!run && !said.mission)
		set_user(config, &said, keep, ret);
	else
		r = set_mission(e, run, said.mission, keep, ret, err);
	if (r < 0)
		return r;
	r = set_session(e, &said, keep, ret, err);
	if (r < 0)
		return r;
	ret->scoped = ret->surface == SURFACE_MCP || !caller_is_person(ret) || caller_is_run(ret);
	user = config_user(config, ret->user);
	ret->zone = keep_text(keep, "zone", user ? user->timezone : NULL);
	*ret_keep = json_incref(keep);
	return 0;
}
