/*
 * declared.c: which file declares a reminder, and where.
 * A cron is found by its name, a role's reminder by its name in the role that its agent has now, a
 * heartbeat by its agent. Of a role that cannot be read nobody knows what it declares: what is there
 * of it counts as declared, as it does for seeding.
 */
#include "engine/declared.h"

#include <string.h>

#include "base/mem.h"
#include "engine/internal.h"

static void find_cron(const struct config *c, const char *name, struct declared *ret)
{
	const struct config_cron *cron = name ? config_cron(c, name) : NULL;

	if (!cron)
		return;
	*ret = (struct declared){.as = DECLARED_CRON,
				 .path = c->path,
				 .line = cron->line,
				 .enabled = cron->enabled,
				 .problem = cron->problem};
}

/* An agent's own words come before those of its role: see config/roles.c. */
static void find_heartbeat(const struct config *c, const struct config_agent *agent,
			   const struct config_role *role, struct declared *ret)
{
	bool of_role = role && (role->settings.heartbeat == agent->heartbeat &&
				role->settings.idle_heartbeat == agent->idle_heartbeat);

	*ret = (struct declared){
		.as = DECLARED_HEARTBEAT, .path = of_role ? role->path : c->path, .enabled = true};
}

static void find_of_role(const struct config_role *role, const char *name, struct declared *ret)
{
	if (role->problem)
		*ret = (struct declared){
			.as = DECLARED_REMINDER, .path = role->path, .enabled = true};
	for (size_t i = 0; !role->problem && i < role->reminder_count; i++) {
		const struct config_reminder *d = &role->reminders[i];

		if (strcmp(d->name, name) == 0)
			*ret = (struct declared){.as = DECLARED_REMINDER,
						 .path = role->path,
						 .line = d->line,
						 .enabled = d->enabled,
						 .problem = d->problem};
	}
}

static void find_of_agent(const struct config *c, const struct reminder *r, bool runs,
			  struct declared *ret)
{
	struct error none = {0};
	const struct config_agent *agent = config_agent(c, r->agent, &none);
	const struct config_role *role =
		agent && agent->role ? config_role(c, agent->role, &none) : NULL;
	AUTO(free) char *heartbeat = mem_printf("heartbeat-%s", r->agent);
	bool beats = agent && (runs ? agent->heartbeat : agent->idle_heartbeat);

	if (!agent || !r->name)
		return;
	if (beats && strcmp(r->name, heartbeat) == 0)
		find_heartbeat(c, agent, role, ret);
	else if (role && (!runs || role->problem))
		find_of_role(role, r->name, ret);
}

/* The one that seeding follows: another of its name (of an import, once) is nobody's. */
static int find_followed(struct engine *e, const struct reminder *r, const struct policy *p,
			 struct reminder **ret, struct error *err)
{
	if (p && r->action == ACTION_RUN)
		return policy_find(e->db, p->door, r->name, ret, err);
	return reminder_find_declared(e->db, r->agent, r->name, ret, err);
}

int engine_declared(struct engine *e, const struct reminder *r, struct declared *ret,
		    struct error *err)
{
	AUTO(reminder_free) struct reminder *followed = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	bool runs = r->action == ACTION_RUN;
	int rc;

	*ret = (struct declared){0};
	if (r->source != SOURCE_CONFIG && r->source != SOURCE_ROLE)
		return 0;
	rc = runs && r->key ? policy_get(e->db, r->key, &p, err) : 0;
	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (p && p->door == DOOR_CRON)
		find_cron(e->config, r->name, ret);
	else
		find_of_agent(e->config, r, runs, ret);
	if (ret->as == DECLARED_NOT || !r->key)
		return 0;
	rc = find_followed(e, r, p, &followed, err);
	if (rc >= 0 && followed && followed->key != r->key)
		*ret = (struct declared){0};
	return rc < 0 ? rc : 0;
}
