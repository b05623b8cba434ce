/*
 * roles.c: the folder of roles, and how an agent has one.
 * An agent's own settings stay apart from what it has from its role (`given` says which are its
 * own), so that it can take another one later: when it is started with it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/read.h"

#define ROLES_MAX 1000
#define SUFFIX ".yml"
#define OTHER_SUFFIX ".yaml"

void config_role_fini(struct config_role *role)
{
	free(role->name);
	free(role->path);
	free(role->problem);
	free(role->mistake);
	free(role->text);
	free(role->description);
	free(role->instructions);
	config_agent_fini(&role->settings);
	for (size_t i = 0; i < role->reminder_count; i++)
		config_reminder_fini(&role->reminders[i]);
	free(role->reminders);
}

/* --- the folder --------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len > tail && strcmp(name + len - tail, suffix) == 0;
}

/* Other files, and the hidden ones of editors, are none of ours. */
static int is_role_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (ends_with(entry->d_name, SUFFIX) || ends_with(entry->d_name, OTHER_SUFFIX));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static const char *text_before(const struct reader *r, const char *file)
{
	const json_t *before;
	size_t i;

	json_array_foreach(r->roles_before, i, before)
	{
		const char *name = json_string_value(json_object_get(before, "file"));

		if (name && strcmp(name, file) == 0)
			return json_string_value(json_object_get(before, "text"));
	}
	return NULL;
}

/* As config.yml: a mistake in the file takes nothing away that was there before it. */
static void read_or_keep(struct reader *r, struct config_role *role, const char *file)
{
	const char *before = text_before(r, file);
	char *mistake;

	read_role_file(r, role, NULL);
	if (!role->problem || !before)
		return;
	mistake = role->problem;
	role->problem = NULL;
	read_role_file(r, role, before);
	if (role->problem) {
		free(role->problem);
		role->problem = mistake;
	} else {
		role->mistake = mistake;
	}
}

/* `kept`: what was noted of it, while it was in force; NULL: it is read now. */
static void add_role(struct reader *r, const char *folder, const char *file, const json_t *kept)
{
	struct config_role *role = &r->config->roles[r->config->role_count];
	struct error none = {0};
	bool other = ends_with(file, OTHER_SUFFIX);
	size_t len = strlen(file) - strlen(other ? OTHER_SUFFIX : SUFFIX);

	*role = (struct config_role){
		.name = mem_strndup(file, len),
		.path = mem_printf("%s/%s", folder, file),
	};
	config_agent_init(&role->settings, NULL);
	if (json_string_value(json_object_get(kept, "problem")))
		role->problem = mem_strdup(json_string_value(json_object_get(kept, "problem")));
	else if (kept && !other)
		read_role_file(r, role, json_string_value(json_object_get(kept, "text")));
	else if (!other)
		read_or_keep(r, role, file);
	else
		role->problem = mem_printf("%s is not read; rename it to %s" SUFFIX, role->path,
					   role->name);
	/* monitor.yaml beside monitor.yml would be two of one name. */
	if (config_role(r->config, role->name, &none))
		config_role_fini(role);
	else
		r->config->role_count++;
}

static int compare_roles(const void *a, const void *b)
{
	return strcmp(((const struct config_role *)a)->name, ((const struct config_role *)b)->name);
}

static int scan(struct reader *r, const char *folder, struct dirent ***ret)
{
	int count = scandir(folder, ret, is_role_file, by_name);

	if (count >= 0 && count <= ROLES_MAX)
		return count;
	if (count < 0 && errno == ENOENT)
		return 0;
	if (count < 0)
		return error_set_errno(r->err, errno, "cannot read the folder '%s'", folder);
	for (int i = 0; i < count; i++)
		free((*ret)[i]);
	free(*ret);
	return error_set(r->err, ERR_INVALID, "'%s' has %d roles, at most %d", folder, count,
			 ROLES_MAX);
}

static int read_kept_roles(struct reader *r, const char *folder)
{
	size_t count = json_array_size(r->kept_roles);

	r->config->roles = mem_array(count + 1, sizeof(*r->config->roles));
	for (size_t i = 0; i < count; i++) {
		const json_t *kept = json_array_get(r->kept_roles, i);
		const char *file = json_string_value(json_object_get(kept, "file"));

		if (file && (ends_with(file, SUFFIX) || ends_with(file, OTHER_SUFFIX)))
			add_role(r, folder, file, kept);
	}
	return 0;
}

int read_roles(struct reader *r, const struct yaml_node *none, void *target)
{
	AUTO(free)
	char *folder = mem_printf("%s/roles", strcmp(r->folder, "/") == 0 ? "" : r->folder);
	struct config *c = target;
	struct dirent **files = NULL;
	int count = r->kept_roles ? read_kept_roles(r, folder) : scan(r, folder, &files);

	(void)none;
	if (count <= 0)
		return count;
	c->roles = mem_array((size_t)count, sizeof(*c->roles));
	/* In two passes, so that NAME.yml is there before NAME.yaml. */
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < count; i++)
			if (ends_with(files[i]->d_name, pass ? OTHER_SUFFIX : SUFFIX))
				add_role(r, folder, files[i]->d_name, NULL);
	for (int i = 0; i < count; i++)
		free(files[i]);
	free(files);
	qsort(c->roles, c->role_count, sizeof(*c->roles), compare_roles);
	return 0;
}

static const struct config_role *find_role(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->role_count; i++)
		if (strcmp(c->roles[i].name, name) == 0)
			return &c->roles[i];
	return NULL;
}

const struct config_role *config_role(const struct config *c, const char *name, struct error *err)
{
	const struct config_role *role = find_role(c, name);
	const char **names, *near;

	if (role)
		return role;
	names = mem_array(c->role_count + 1, sizeof(char *));
	for (size_t i = 0; i < c->role_count; i++)
		names[i] = c->roles[i].name;
	near = text_nearest(name, names, c->role_count);
	free(names);
	error_set(err, ERR_NOT_FOUND, "no role '%s'", name);
	if (near)
		error_hint(err, "did you mean '%s'?", near);
	else
		error_hint(err, "a role is a file, 'roles/%s" SUFFIX "' beside '%s'", name,
			   c->path);
	return NULL;
}

/* --- an agent and its role ---------------------------------------------------------------- */

static char **copy(char *const *list)
{
	return mem_strdup_list((const char *const *)list);
}

static void replace_list(char ***slot, char *const *with)
{
	mem_free_list(*slot);
	*slot = copy(with);
}

static bool sets(char *const *environment, const char *variable)
{
	size_t len = strcspn(variable, "=") + 1;

	for (; environment && *environment; environment++)
		if (strncmp(*environment, variable, len) == 0)
			return true;
	return false;
}

static size_t count_of(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

/* Variable by variable: the role's, but for those that the agent sets itself. */
static char **merge_environment(char *const *role, char *const *own)
{
	size_t room = count_of(role) + count_of(own), n = 0;
	char **all;

	if (room == 0)
		return NULL;
	all = mem_array(room + 1, sizeof(*all));
	for (; role && *role; role++)
		if (!sets(own, *role))
			all[n++] = mem_strdup(*role);
	for (; own && *own; own++)
		all[n++] = mem_strdup(*own);
	return all;
}

static void take_run(struct config_agent *agent, const struct config_agent *from)
{
	if (agent->given & GIVEN_RUN)
		return;
	adapter_free(agent->adapter);
	agent->adapter = from->adapter ? adapter_copy(from->adapter) : NULL;
	if (!(agent->given & GIVEN_ARGS))
		replace_list(&agent->args, from->args);
}

static void take_heartbeat(struct config_agent *agent, const struct config_agent *from)
{
	if (agent->given & GIVEN_HEARTBEAT)
		return;
	agent->heartbeat = from->heartbeat;
	agent->idle_heartbeat = from->idle_heartbeat;
	mem_replace(&agent->heartbeat_prompt, from->heartbeat_prompt);
	mem_replace(&agent->idle_message, from->idle_message);
}

static void take_deliver(struct config_agent *agent, const struct config_agent *from)
{
	if (agent->given & GIVEN_DELIVER)
		return;
	replace_list(&agent->deliver, from->deliver);
	agent->deliver_timeout = from->deliver_timeout;
	agent->deliver_attempts = from->deliver_attempts;
}

static void take_settings(struct config_agent *agent, const struct config_agent *from)
{
	take_run(agent, from);
	take_heartbeat(agent, from);
	take_deliver(agent, from);
	if (!(agent->given & GIVEN_PLACE)) {
		mem_replace(&agent->directory, from->directory);
		mem_replace(&agent->template, from->template);
	}
	if (!(agent->given & GIVEN_SECRETS))
		replace_list(&agent->secrets, from->secrets);
	if (!agent->inherit)
		mem_replace(&agent->inherit, from->inherit);
	if (!(agent->given & GIVEN_TIMEOUT))
		agent->time_limit = from->time_limit;
	if (!(agent->given & GIVEN_CONCURRENT))
		agent->max_concurrent = from->max_concurrent;
	mem_free_list(agent->environment);
	agent->environment = merge_environment(from->environment, agent->own_environment);
}

/* Without a word about it, an agent of a template is run as the template itself is. */
static void inherit_adapter(const struct config *c, struct config_agent *agent)
{
	struct error ignored = {0};
	const struct config_agent *template = config_agent(c, agent->template, &ignored);

	if (template && template->adapter)
		agent->adapter = adapter_copy(template->adapter);
}

void config_take_role(const struct config *c, struct config_agent *agent,
		      const struct config_role *role)
{
	struct config_agent nothing = {0};

	config_agent_init(&nothing, NULL);
	take_settings(agent, role ? &role->settings : &nothing);
	mem_replace(&agent->role, role ? role->name : NULL);
	mem_replace(&agent->instructions, role ? role->instructions : NULL);
	if (!agent->adapter && agent->template)
		inherit_adapter(c, agent);
}

static struct config_agent *find_agent(struct config *c, const char *name)
{
	for (size_t i = 0; i < c->agent_count; i++)
		if (strcmp(c->agents[i].name, name) == 0)
			return &c->agents[i];
	return NULL;
}

static struct config_agent *declare(struct config *c, const char *name)
{
	struct config_agent *agent = find_agent(c, name);

	if (agent)
		return agent;
	c->agents = mem_grow(c->agents, c->agent_count + 1, sizeof(*c->agents));
	agent = &c->agents[c->agent_count++];
	config_agent_init(agent, name);
	return agent;
}

int read_role_agents(struct reader *r, const struct yaml_node *none, void *target)
{
	struct config *c = target;

	(void)r, (void)none;
	c->file_agent_count = c->agent_count - 1;
	for (size_t i = 0; i < c->role_count; i++) {
		struct config_agent *agent;

		if (!text_is_name(c->roles[i].name))
			continue;
		agent = declare(c, c->roles[i].name);
		if (!agent->role)
			config_take_role(c, agent, &c->roles[i]);
	}
	return 0;
}

/* What it is without being started; only the first time tells. */
static struct config_agent *declare_bound(struct config *c, const char *name)
{
	bool known = find_agent(c, name);
	struct config_agent *agent = declare(c, name);

	if (agent->bound != BOUND_NOT)
		return agent;
	agent->bound = known ? BOUND_ROLE : BOUND_WHOLLY;
	mem_replace(&agent->file_role, agent->role);
	return agent;
}

int config_bind(struct config *c, const char *agent, const char *role, struct error *err)
{
	const struct config_role *found = role ? config_role(c, role, err) : NULL;
	struct config_agent *bound;

	if (role && !found)
		return err->code;
	bound = declare_bound(c, agent);
	if (!role)
		return 0;
	if (!bound->role || strcmp(bound->role, role) != 0)
		config_take_role(c, bound, found);
	if (!found->problem)
		return 0;
	error_set(err, ERR_INVALID, "role '%s' cannot be used: %s", role, found->problem);
	return error_hint(err, "mend it, then look: belfry config check");
}

void config_unbind(struct config *c, const char *name)
{
	struct config_agent *agent = find_agent(c, name);
	size_t after;

	if (!agent || agent->bound == BOUND_NOT)
		return;
	if (agent->bound == BOUND_ROLE) {
		config_take_role(c, agent,
				 agent->file_role ? find_role(c, agent->file_role) : NULL);
		mem_replace(&agent->file_role, NULL);
		agent->bound = BOUND_NOT;
		return;
	}
	config_agent_fini(agent);
	after = (size_t)(c->agents + c->agent_count - agent) - 1;
	memmove(agent, agent + 1, after * sizeof(*agent));
	c->agent_count--;
}
