/*
 * config.c: config.yml as a whole.
 * Its chapters are files of their own (config-agents.c, config-crons.c, …) over the walk of read.c.
 * Nothing is half used: the first mistake refuses the file, with its line and column, and the
 * configuration before it stays in force. Only a cron's own mistakes stay with that cron, and those
 * in the file of a role with that role. Roles may use adapters and templates, and agents and crons
 * may use roles, so they are read in between.
 */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "config/guard.h"
#include "config/path.h"
#include "config/read.h"
#include "config/yaml.h"
#include "schedule/duration.h"

#define FILE_MAX ((size_t)1024 * 1024)
#define RETENTION_DEFAULT (90 * USEC_PER_DAY)

static int set_timezone(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	if (read_timezone(r, value) < 0)
		return r->err->code;
	c->timezone = mem_strdup(value->text);
	return 0;
}

static int set_store(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	if (path_store_url(value->text, r->folder, &c->store, r->err) < 0)
		return read_place(r, value);
	return 0;
}

static int set_retention(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	return read_duration(r, value, USEC_PER_DAY, DURATION_MAX, &c->retention);
}

static int set_default_agent(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	if (read_runner(r, value) < 0)
		return r->err->code;
	c->default_agent = mem_strdup(value->text);
	return 0;
}

static int set_inherit(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_inherit(r, value, &((struct config *)target)->inherit);
}

/* In this order they are read, wherever they stand: later ones refer to earlier ones. */
/* clang-format off */
static const struct key config_keys[] = {
	{"timezone",       TAKES_TEXT,             set_timezone},
	{"store",          TAKES_TEXT,             set_store},
	{"retention",      TAKES_TEXT,             set_retention},
	{"inheritEnvironment", TAKES_TEXT | TAKES_LIST, set_inherit},
	{"adapters",       TAKES_MAP,              read_adapters},
	{"agentTemplates", TAKES_MAP,              read_templates},
	{"syncedRepos",    TAKES_LIST | TAKES_MAP, read_repos},
	{NULL,             0,                      read_roles},
	{"agents",         TAKES_MAP,              read_agents},
	{NULL,             0,                      read_role_agents},
	{"defaultAgent",   TAKES_TEXT,             set_default_agent},
	{"crons",          TAKES_MAP,              read_crons},
	{"http",           TAKES_MAP,              read_http},
	{"users",          TAKES_MAP,              read_users},
	{"promptReminders", TAKES_LIST,            read_patterns},
};
/* clang-format on */
PUBLISH_KEYS(config_keys);

static struct config *config_new(const char *path)
{
	struct config *c = mem_zalloc(sizeof(*c));

	c->path = mem_strdup(path);
	c->retention = RETENTION_DEFAULT;
	c->http_port = -1;
	c->agents = mem_array(1, sizeof(*c->agents));
	c->agent_count = 1;
	c->max_concurrent = CONFIG_CONCURRENT_DEFAULT;
	config_agent_init(&c->agents[0], "me");
	return c;
}

/* The folder a file is in, absolute. */
static int folder_of(const char *path, char **ret, struct error *err)
{
	AUTO(free) char *full = NULL;
	char *slash;
	int r = path_absolute(path, NULL, &full, err);

	if (r < 0)
		return r;
	slash = strrchr(full, '/');
	slash[slash == full] = '\0';
	*ret = steal_ptr(&full);
	return 0;
}

static int parse(const char *text, size_t len, const char *path, const json_t *kept_roles,
		 const json_t *roles_before, struct config **ret, struct error *err)
{
	AUTO(config_free) struct config *c = config_new(path);
	AUTO(yaml_free) struct yaml *yaml = NULL;
	AUTO(free) char *folder = NULL;
	struct reader r = {.config = c,
			   .path = path,
			   .kept_roles = kept_roles,
			   .roles_before = roles_before,
			   .err = err};
	int result;

	if (len > FILE_MAX)
		return error_set(err, ERR_INVALID, "'%s' is larger than %zu bytes", path, FILE_MAX);
	result = folder_of(path, &folder, err);
	if (result < 0)
		return result;
	result = yaml_parse(text, len, path, &yaml, err);
	if (result < 0)
		return result;
	r.folder = folder;
	if (yaml_root(yaml)->kind != YAML_EMPTY && yaml_root(yaml)->kind != YAML_MAP) {
		read_fail(&r, yaml_root(yaml), "a configuration is a mapping");
		return error_hint(err, "expected 'key: value', as in 'timezone: Europe/Berlin'");
	}
	result = read_in_order(&r, yaml_root(yaml), KEYS(config_keys), c);
	if (result < 0)
		return result;
	c->text = mem_strndup(text, len);
	*ret = steal_ptr(&c);
	return 0;
}

int config_parse(const char *text, size_t len, const char *path, struct config **ret,
		 struct error *err)
{
	return parse(text, len, path, NULL, NULL, ret, err);
}

int config_parse_kept(const char *text, const char *path, const json_t *roles, struct config **ret,
		      struct error *err)
{
	return parse(text, strlen(text), path, roles, NULL, ret, err);
}

int config_load(const char *path, struct config **ret, struct error *err)
{
	return config_load_after(path, NULL, ret, err);
}

int config_load_after(const char *path, const json_t *roles, struct config **ret, struct error *err)
{
	AUTO_BUF struct buf text = {0};
	int r = guard_check(path, err);
	bool absent;

	if (r < 0)
		return r;
	r = file_read(path, FILE_MAX, &text, err);

	/* One that is not there says nothing; there may be roles all the same. */
	if (r < 0 && r != ERR_NOT_FOUND)
		return r;
	absent = r < 0;
	r = parse(buf_text(&text), text.len, path, NULL, roles, ret, err);
	if (r >= 0)
		(*ret)->absent = absent;
	return r;
}

void config_free(struct config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->agent_count; i++)
		config_agent_fini(&c->agents[i]);
	for (size_t i = 0; i < c->template_count; i++)
		config_source_fini(&c->templates[i]);
	for (size_t i = 0; i < c->repo_count; i++)
		config_source_fini(&c->repos[i]);
	for (size_t i = 0; i < c->adapter_count; i++)
		adapter_free(c->adapters[i]);
	for (size_t i = 0; i < c->cron_count; i++)
		config_cron_fini(&c->crons[i]);
	for (size_t i = 0; i < c->user_count; i++)
		config_user_fini(&c->users[i]);
	for (size_t i = 0; i < c->pattern_count; i++)
		config_pattern_fini(&c->patterns[i]);
	free(c->users);
	free(c->patterns);
	for (size_t i = 0; i < c->role_count; i++)
		config_role_fini(&c->roles[i]);
	free(c->agents);
	free(c->templates);
	free(c->repos);
	free(c->adapters);
	free(c->crons);
	free(c->roles);
	free(c->path);
	free(c->text);
	free(c->mistake);
	free(c->timezone);
	free(c->store);
	free(c->default_agent);
	free(c->inherit);
	free(c);
}

static const char *nearest_agent(const struct config *c, const char *name)
{
	const char **names = mem_array(c->agent_count, sizeof(char *));
	const char *near;

	for (size_t i = 0; i < c->agent_count; i++)
		names[i] = c->agents[i].name;
	near = text_nearest(name, names, c->agent_count);
	free(names);
	return near;
}

const struct config_agent *config_agent(const struct config *c, const char *name, struct error *err)
{
	const char *near;

	for (size_t i = 0; i < c->agent_count; i++)
		if (strcmp(c->agents[i].name, name) == 0)
			return &c->agents[i];
	error_set(err, ERR_NOT_FOUND, "no agent '%s'", name);
	near = nearest_agent(c, name);
	if (near)
		error_hint(err, "did you mean '%s'? agents are declared in '%s'", near, c->path);
	else
		error_hint(err, "declare it under 'agents:' in '%s'", c->path);
	return NULL;
}

static const struct config_source *find_source(const struct config_source *sources, size_t count,
					       const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(sources[i].name, name) == 0)
			return &sources[i];
	return NULL;
}

const struct config_source *config_template(const struct config *c, const char *name)
{
	return find_source(c->templates, c->template_count, name);
}

const struct config_source *config_repo(const struct config *c, const char *name)
{
	return find_source(c->repos, c->repo_count, name);
}

const struct config_cron *config_cron(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->cron_count; i++)
		if (strcmp(c->crons[i].name, name) == 0)
			return &c->crons[i];
	return NULL;
}

const struct config_agent *config_default_agent(const struct config *c, struct error *err)
{
	const struct config_agent *only = NULL;
	size_t count = 0;

	if (c->default_agent)
		return config_agent(c, c->default_agent, err);
	for (size_t i = 0; i < c->agent_count; i++) {
		if (!c->agents[i].adapter)
			continue;
		only = &c->agents[i];
		count++;
	}
	if (count == 1)
		return only;
	if (count == 0) {
		error_set(err, ERR_NOT_FOUND, "no agent that can be run");
		error_hint(err, "give one an 'adapter' or a 'command' in '%s'", c->path);
		return NULL;
	}
	error_set(err, ERR_INVALID, "no agent is named, and %zu can be run", count);
	error_hint(err, "name one, or set 'defaultAgent' in '%s'", c->path);
	return NULL;
}
