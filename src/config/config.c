/*
 * config.c: config.yml against its tables of keys.
 * A mapping is described by one table: the keys it may have, what kind of value each takes, and the
 * function that reads it. The walk is the same for all of them and finds what does not belong, so a
 * new setting is one row and one setter. Nothing is half used: the first mistake refuses the file,
 * with its line and column, and the configuration before it stays in force.
 */
#include "config/config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "config/path.h"
#include "config/yaml.h"
#include "schedule/duration.h"
#include "schedule/zone.h"

#define FILE_MAX ((size_t)1024 * 1024)
#define RETENTION_DEFAULT (90 * USEC_PER_DAY)
#define TIMEOUT_DEFAULT (30 * USEC_PER_SEC)
#define ATTEMPTS_DEFAULT 5
#define ATTEMPTS_MAX 20

struct reader {
	struct config *config;
	char *folder; /* of config.yml: relative paths begin here */
	struct error *err;
};

/* One key of a mapping. The setter gets a value of the right kind, and what it belongs to. */
struct key {
	const char *name;
	enum yaml_kind kind; /* a mapping may also be left empty */
	int (*set)(struct reader *r, const struct yaml_node *value, void *target);
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int fail_at(struct reader *r, const struct yaml_node *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int fail_at(struct reader *r, const struct yaml_node *node, const char *fmt, ...)
{
	char message[sizeof(r->err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return error_set(r->err, ERR_INVALID, "%s:%d:%d: %s", r->config->path, node->line,
			 node->column, message);
}

/* An inner function refused the value: say where it stands. */
static int place(struct reader *r, const struct yaml_node *node)
{
	return error_prefix(r->err, "%s:%d:%d", r->config->path, node->line, node->column);
}

static int fail_unknown(struct reader *r, const struct yaml_node *key, const struct key *keys,
			size_t count)
{
	const char *names[16];
	AUTO_BUF struct buf all = {0};
	const char *near;

	for (size_t i = 0; i < count; i++) {
		names[i] = keys[i].name;
		buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	near = text_nearest(key->text, names, count);
	fail_at(r, key, "unknown key '%s'", key->text);
	if (near)
		return error_hint(r->err, "did you mean '%s'?", near);
	return error_hint(r->err, "keys here: %s", buf_text(&all));
}

static int check_kind(struct reader *r, const char *name, const struct yaml_node *key,
		      const struct yaml_node *value, enum yaml_kind want)
{
	static const char *const words[] = {"nothing", "a text", "a list", "a mapping"};

	if (value->kind == want)
		return 0;
	return fail_at(r, value->kind == YAML_EMPTY ? key : value, "'%s' needs %s, not %s", name,
		       words[want], words[value->kind]);
}

static const struct key *find_key(const char *name, const struct key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

/* Read a mapping by its table. An empty one sets nothing. */
static int read_mapping(struct reader *r, const struct yaml_node *map, const struct key *keys,
			size_t count, void *target)
{
	for (size_t i = 0; i < map->count; i += 2) {
		const struct yaml_node *name = map->items[i], *value = map->items[i + 1];
		const struct key *key = find_key(name->text, keys, count);
		int result;

		if (!key)
			return fail_unknown(r, name, keys, count);
		if (key->kind == YAML_MAP && value->kind == YAML_EMPTY)
			continue;
		result = check_kind(r, key->name, name, value, key->kind);
		if (result >= 0)
			result = key->set(r, value, target);
		if (result < 0)
			return result;
	}
	return 0;
}

static int read_duration(struct reader *r, const struct yaml_node *value, usec_t least, usec_t most,
			 usec_t *ret)
{
	char low[DURATION_TEXT_MAX], high[DURATION_TEXT_MAX];
	usec_t got;

	if (duration_parse(value->text, &got, r->err) < 0)
		return place(r, value);
	if (got >= least && got <= most) {
		*ret = got;
		return 0;
	}
	duration_format(least, low);
	duration_format(most, high);
	if (got < least)
		return fail_at(r, value, "'%s' is shorter than %s", value->text, low);
	return fail_at(r, value, "'%s' is longer than %s", value->text, high);
}

static int set_command(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;

	if (value->count == 0) {
		fail_at(r, value, "'command' is an empty list");
		return error_hint(r->err,
				  "the program and its arguments: [notify, --from, belfry]");
	}
	agent->deliver = mem_array(value->count + 1, sizeof(char *));
	for (size_t i = 0; i < value->count; i++) {
		const struct yaml_node *item = value->items[i];

		if (item->kind != YAML_TEXT)
			return fail_at(r, item, "'command' is a list of texts");
		agent->deliver[i] = mem_strdup(item->text);
	}
	if (!agent->deliver[0][0])
		return fail_at(r, value->items[0], "'command' names no program");
	return 0;
}

static int set_timeout(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;

	return read_duration(r, value, USEC_PER_SEC, USEC_PER_HOUR, &agent->deliver_timeout);
}

static int set_attempts(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;
	size_t digits = strspn(value->text, "0123456789");
	long number = strtol(value->text, NULL, 10);

	if (digits == 0 || value->text[digits])
		return fail_at(r, value, "'attempts' needs a whole number, not '%s'", value->text);
	if (number < 1 || number > ATTEMPTS_MAX) /* LONG_MAX when there were too many digits */
		return fail_at(r, value, "'attempts' runs from 1 to %d, not '%s'", ATTEMPTS_MAX,
			       value->text);
	agent->deliver_attempts = (int)number;
	return 0;
}

/* clang-format off */
static const struct key deliver_keys[] = {
	{"command",  YAML_LIST, set_command},
	{"timeout",  YAML_TEXT, set_timeout},
	{"attempts", YAML_TEXT, set_attempts},
};
/* clang-format on */

static int set_deliver(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;
	int result = read_mapping(r, value, deliver_keys, COUNT(deliver_keys), agent);

	if (result < 0 || agent->deliver)
		return result;
	fail_at(r, value, "'deliver' of agent '%s' has no command", agent->name);
	return error_hint(r->err, "add 'command: [PROGRAM, ARGUMENT...]', or leave 'deliver' out");
}

static int set_directory(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;

	if (path_absolute(value->text, r->folder, &agent->directory, r->err) < 0)
		return place(r, value);
	return 0;
}

static bool is_variable(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
				      "0123456789";

	return name[0] && (name[0] < '0' || name[0] > '9') && !name[strspn(name, allowed)];
}

static int check_variable(struct reader *r, const struct yaml_node *name,
			  const struct yaml_node *value)
{
	if (!is_variable(name->text)) {
		fail_at(r, name, "'%s' is not a name for an environment variable", name->text);
		return error_hint(r->err, "letters, digits and '_', not beginning with a digit");
	}
	if (strncmp(name->text, "BELFRY_", 7) == 0) {
		fail_at(r, name, "'%s' cannot be set here", name->text);
		return error_hint(r->err, "variables that begin with BELFRY_ are belfry's own");
	}
	if (value->kind == YAML_EMPTY) {
		fail_at(r, name, "'%s' has no value", name->text);
		return error_hint(r->err, "write \"\" for an empty one");
	}
	return check_kind(r, name->text, name, value, YAML_TEXT);
}

static int set_environment(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;

	if (value->count == 0)
		return 0;
	agent->environment = mem_array(value->count / 2 + 1, sizeof(char *));
	for (size_t i = 0; i < value->count; i += 2) {
		const struct yaml_node *name = value->items[i], *text = value->items[i + 1];
		int result = check_variable(r, name, text);

		if (result < 0)
			return result;
		agent->environment[i / 2] = mem_printf("%s=%s", name->text, text->text);
	}
	return 0;
}

/* clang-format off */
static const struct key agent_keys[] = {
	{"directory",   YAML_TEXT, set_directory},
	{"environment", YAML_MAP,  set_environment},
	{"deliver",     YAML_MAP,  set_deliver},
};
/* clang-format on */

static void agent_init(struct config_agent *agent, const char *name)
{
	*agent = (struct config_agent){
		.name = mem_strdup(name),
		.deliver_timeout = TIMEOUT_DEFAULT,
		.deliver_attempts = ATTEMPTS_DEFAULT,
	};
}

static int read_agent(struct reader *r, const struct yaml_node *name, const struct yaml_node *value)
{
	struct config *c = r->config;
	struct config_agent *agent = &c->agents[0];

	if (!text_is_name(name->text)) {
		fail_at(r, name, "'%s' is not a name for an agent", name->text);
		return error_hint(r->err, "1 to 64 letters, digits, '.', '_' and '-', "
					  "beginning with a letter, a digit or '_'");
	}
	if (strcmp(name->text, "me") != 0) {
		agent = &c->agents[c->agent_count++];
		agent_init(agent, name->text);
	}
	if (value->kind == YAML_EMPTY)
		return 0;
	if (check_kind(r, name->text, name, value, YAML_MAP) < 0)
		return r->err->code;
	return read_mapping(r, value, agent_keys, COUNT(agent_keys), agent);
}

static int set_agents(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	int result = 0;

	c->agents = mem_grow(c->agents, 1 + value->count / 2, sizeof(*c->agents));
	for (size_t i = 0; i < value->count && result >= 0; i += 2)
		result = read_agent(r, value->items[i], value->items[i + 1]);
	return result;
}

static int set_timezone(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	const struct zone *zone;

	if (zone_get(value->text, &zone, r->err) < 0)
		return place(r, value);
	c->timezone = mem_strdup(value->text);
	return 0;
}

static int set_store(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	if (path_store_url(value->text, r->folder, &c->store, r->err) < 0)
		return place(r, value);
	return 0;
}

static int set_retention(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	return read_duration(r, value, USEC_PER_DAY, DURATION_MAX, &c->retention);
}

/* clang-format off */
static const struct key config_keys[] = {
	{"timezone",  YAML_TEXT, set_timezone},
	{"store",     YAML_TEXT, set_store},
	{"retention", YAML_TEXT, set_retention},
	{"agents",    YAML_MAP,  set_agents},
};
/* clang-format on */

static struct config *config_new(const char *path)
{
	struct config *c = mem_zalloc(sizeof(*c));

	c->path = mem_strdup(path);
	c->retention = RETENTION_DEFAULT;
	c->max_concurrent = CONFIG_CONCURRENT_DEFAULT;
	c->agents = mem_array(1, sizeof(*c->agents));
	c->agent_count = 1;
	agent_init(&c->agents[0], "me");
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

int config_parse(const char *text, size_t len, const char *path, struct config **ret,
		 struct error *err)
{
	AUTO(config_free) struct config *c = config_new(path);
	AUTO(yaml_free) struct yaml *yaml = NULL;
	AUTO(free) char *folder = NULL;
	struct reader r = {.config = c, .err = err};
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
		fail_at(&r, yaml_root(yaml), "a configuration is a mapping");
		return error_hint(err, "expected 'key: value', as in 'timezone: Europe/Berlin'");
	}
	result = read_mapping(&r, yaml_root(yaml), config_keys, COUNT(config_keys), c);
	if (result < 0)
		return result;
	*ret = steal_ptr(&c);
	return 0;
}

int config_load(const char *path, struct config **ret, struct error *err)
{
	AUTO_BUF struct buf text = {0};
	int r = file_read(path, FILE_MAX, &text, err);

	if (r == ERR_NOT_FOUND) {
		*ret = config_new(path);
		return 0;
	}
	return r < 0 ? r : config_parse(buf_text(&text), text.len, path, ret, err);
}

static void free_texts(char **texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		free(texts[i]);
	free(texts);
}

void config_free(struct config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->agent_count; i++) {
		free(c->agents[i].name);
		free(c->agents[i].directory);
		free_texts(c->agents[i].environment);
		free_texts(c->agents[i].deliver);
	}
	free(c->agents);
	free(c->path);
	free(c->timezone);
	free(c->store);
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

const struct config_source *config_template(const struct config *c, const char *name)
{
	(void)c;
	(void)name;
	return NULL;
}

const struct config_source *config_repo(const struct config *c, const char *name)
{
	(void)c;
	(void)name;
	return NULL;
}

const struct config_cron *config_cron(const struct config *c, const char *name)
{
	(void)c;
	(void)name;
	return NULL;
}

const struct config_agent *config_default_agent(const struct config *c, struct error *err)
{
	return config_agent(c, "me", err);
}
