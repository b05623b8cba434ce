/*
 * config-agents.c: agents, the templates that are agents too, and the settings of roles.
 * Keys that depend on each other (adapter and command, template and directory, args and a place for
 * them) are only noted while the mapping is walked, and decided when all of it is known, so their
 * order in the file does not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/path.h"
#include "config/read.h"

#define DELIVER_TIMEOUT_DEFAULT (30 * USEC_PER_SEC)
#define DELIVER_ATTEMPTS_DEFAULT 5
#define DELIVER_ATTEMPTS_MAX 20
#define TIME_LIMIT_MAX (30 * USEC_PER_DAY)
#define CONCURRENT_MAX 1000
#define TEMPLATE_ADAPTER "claude"

void config_agent_init(struct config_agent *agent, const char *name)
{
	*agent = (struct config_agent){
		.name = mem_strdup(name),
		.deliver_timeout = DELIVER_TIMEOUT_DEFAULT,
		.deliver_attempts = DELIVER_ATTEMPTS_DEFAULT,
	};
}

void config_agent_fini(struct config_agent *agent)
{
	free(agent->name);
	if (agent->adapter)
		adapter_free(agent->adapter);
	mem_free_list(agent->args);
	free(agent->template);
	mem_free_list(agent->secrets);
	free(agent->heartbeat_prompt);
	free(agent->directory);
	mem_free_list(agent->environment);
	free(agent->inherit);
	mem_free_list(agent->deliver);
	free(agent->role);
	free(agent->instructions);
	free(agent->idle_message);
	mem_free_list(agent->own_environment);
	free(agent->file_role);
}

/* deliver */

static int set_deliver_command(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;

	return read_command(r, value, "command", &agent->deliver);
}

static int set_deliver_timeout(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;

	return read_duration(r, value, USEC_PER_SEC, USEC_PER_HOUR, &agent->deliver_timeout);
}

static int set_attempts(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = target;

	return read_number(r, value, "attempts", 1, DELIVER_ATTEMPTS_MAX, &agent->deliver_attempts);
}

/* clang-format off */
static const struct key deliver_keys[] = {
	{"command",  TAKES_LIST, set_deliver_command},
	{"timeout",  TAKES_TEXT, set_deliver_timeout},
	{"attempts", TAKES_TEXT, set_attempts},
};
/* clang-format on */
PUBLISH_KEYS(deliver_keys);

static int set_deliver(struct reader *r, const struct yaml_node *value, void *target)
{
	struct agent_reading *a = target;
	int result = read_mapping(r, value, KEYS(deliver_keys), a->agent);

	if (result < 0 || a->agent->deliver)
		return result;
	read_fail(r, value, "'deliver' of %s '%s' has no command", a->what, a->name);
	return error_hint(r->err, "add 'command: [PROGRAM, ARGUMENT...]', or leave 'deliver' out");
}

/* environment */

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
		read_fail(r, name, "'%s' is not a name for an environment variable", name->text);
		return error_hint(r->err, "letters, digits and '_', not beginning with a digit");
	}
	if (strncmp(name->text, "BELFRY_", 7) == 0) {
		read_fail(r, name, "'%s' cannot be set here", name->text);
		return error_hint(r->err, "variables that begin with BELFRY_ are belfry's own");
	}
	if (value->kind == YAML_EMPTY) {
		read_fail(r, name, "'%s' has no value", name->text);
		return error_hint(r->err, "write \"\" for an empty one");
	}
	return read_kind(r, name->text, name, value, TAKES_TEXT);
}

static int set_environment(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_agent *agent = ((struct agent_reading *)target)->agent;

	if (value->count == 0)
		return 0;
	agent->own_environment = mem_array(value->count / 2 + 1, sizeof(char *));
	for (size_t i = 0; i < value->count; i += 2) {
		const struct yaml_node *name = value->items[i], *text = value->items[i + 1];
		int result = check_variable(r, name, text);

		if (result < 0)
			return result;
		agent->own_environment[i / 2] = mem_printf("%s=%s", name->text, text->text);
	}
	return 0;
}

/* heartbeat */

static int read_every(struct reader *r, const struct yaml_node *value, usec_t *ret)
{
	return read_duration(r, value, USEC_PER_SEC, 366 * USEC_PER_DAY, ret);
}

/* What stands in the mapping; what may stand together is decided when all of it is known. */
struct heartbeat_reading {
	const struct yaml_node *every, *prompt, *idle, *message;
};

static int keep_node(struct reader *r, const struct yaml_node *value, const struct yaml_node **ret)
{
	*ret = value;
	if (value->text[strspn(value->text, " \t\n")])
		return 0;
	return read_fail(r, value, "a heartbeat with an empty text");
}

static int set_every(struct reader *r, const struct yaml_node *value, void *target)
{
	return keep_node(r, value, &((struct heartbeat_reading *)target)->every);
}

static int set_heartbeat_prompt(struct reader *r, const struct yaml_node *value, void *target)
{
	struct heartbeat_reading *h = target;

	return value->text[0] ? keep_node(r, value, &h->prompt)
			      : read_fail(r, value, "'prompt' is empty");
}

static int set_idle(struct reader *r, const struct yaml_node *value, void *target)
{
	return keep_node(r, value, &((struct heartbeat_reading *)target)->idle);
}

static int set_idle_message(struct reader *r, const struct yaml_node *value, void *target)
{
	return keep_node(r, value, &((struct heartbeat_reading *)target)->message);
}

/* clang-format off */
static const struct key heartbeat_keys[] = {
	{"every",   TAKES_TEXT, set_every},
	{"prompt",  TAKES_TEXT, set_heartbeat_prompt},
	{"idle",    TAKES_TEXT, set_idle},
	{"message", TAKES_TEXT, set_idle_message},
};
/* clang-format on */
PUBLISH_KEYS(heartbeat_keys);

static int fail_heartbeat(struct reader *r, const struct yaml_node *value, const char *one,
			  const char *other)
{
	read_fail(r, value, "a heartbeat cannot have '%s' %s", one, other);
	return error_hint(r->err, "{every: 30m, prompt: TEXT} runs the agent; {idle: 5m, message: "
				  "TEXT} tells its session when it is idle");
}

static int read_heartbeat_mapping(struct reader *r, const struct yaml_node *value,
				  struct config_agent *agent)
{
	struct heartbeat_reading h = {0};
	int result = read_mapping(r, value, KEYS(heartbeat_keys), &h);

	if (result < 0)
		return result;
	if (h.idle && (h.every || h.prompt))
		return fail_heartbeat(r, h.idle, "idle", h.every ? "and 'every'" : "and 'prompt'");
	if (h.message && !h.idle)
		return fail_heartbeat(r, h.message, "message", "without 'idle'");
	if (h.message)
		mem_replace(&agent->idle_message, h.message->text);
	if (h.idle)
		return read_every(r, h.idle, &agent->idle_heartbeat);
	if (h.prompt)
		mem_replace(&agent->heartbeat_prompt, h.prompt->text);
	agent->heartbeat = CONFIG_HEARTBEAT_DEFAULT;
	return h.every ? read_every(r, h.every, &agent->heartbeat) : 0;
}

static int read_heartbeat(struct reader *r, const struct yaml_node *value, struct agent_reading *a,
			  usec_t *bare)
{
	a->heartbeat = value;
	if (value->kind != YAML_TEXT)
		return read_heartbeat_mapping(r, value, a->agent);
	return strcmp(value->text, "none") == 0 ? 0 : read_every(r, value, bare);
}

static int set_heartbeat(struct reader *r, const struct yaml_node *value, void *target)
{
	struct agent_reading *a = target;

	return read_heartbeat(r, value, a, &a->agent->heartbeat);
}

/* Roles are for live agents first: there a bare duration is one of idleness. */
static int set_role_heartbeat(struct reader *r, const struct yaml_node *value, void *target)
{
	struct agent_reading *a = target;

	return read_heartbeat(r, value, a, &a->agent->idle_heartbeat);
}

/* how it is run */

static int set_adapter(struct reader *r, const struct yaml_node *value, void *target)
{
	struct agent_reading *a = target;

	a->adapter = value;
	a->agent->adapter = read_adapter(r, value);
	return a->agent->adapter ? 0 : r->err->code;
}

static int set_command(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	((struct agent_reading *)target)->command = value;
	return 0;
}

static int set_args(struct reader *r, const struct yaml_node *value, void *target)
{
	struct agent_reading *a = target;

	if (value->count == 0)
		return 0;
	a->args = value;
	return read_texts(r, value, "args", &a->agent->args);
}

static int set_secrets(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_command(r, value, "secrets", &((struct agent_reading *)target)->agent->secrets);
}

static int set_inherit(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_inherit(r, value, &((struct agent_reading *)target)->agent->inherit);
}

static int set_timeout(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_duration(r, value, USEC_PER_SEC, TIME_LIMIT_MAX,
			     &((struct agent_reading *)target)->agent->time_limit);
}

static int set_max_concurrent(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_number(r, value, "maxConcurrent", 1, CONCURRENT_MAX,
			   &((struct agent_reading *)target)->agent->max_concurrent);
}

static int set_directory(struct reader *r, const struct yaml_node *value, void *target)
{
	struct agent_reading *a = target;

	a->directory = value;
	if (path_absolute(value->text, r->folder, &a->agent->directory, r->err) < 0)
		return read_place(r, value);
	return 0;
}

static int fail_template(struct reader *r, const struct yaml_node *value)
{
	const struct config *c = r->config;
	const char **names = mem_array(c->template_count, sizeof(char *));

	for (size_t i = 0; i < c->template_count; i++)
		names[i] = c->templates[i].name;
	read_fail_unknown(r, value, "template", names, c->template_count);
	free(names);
	return r->err->code;
}

static int set_template(struct reader *r, const struct yaml_node *value, void *target)
{
	struct agent_reading *a = target;

	if (!config_template(r->config, value->text))
		return fail_template(r, value);
	a->template = value;
	a->agent->template = mem_strdup(value->text);
	return 0;
}

static int set_role(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	((struct agent_reading *)target)->role = value;
	return 0;
}

/* clang-format off */
#define RUN_KEYS(set_heartbeat) \
	{"adapter",       TAKES_TEXT,             set_adapter}, \
	{"command",       TAKES_LIST,             set_command}, \
	{"args",          TAKES_LIST,             set_args}, \
	{"environment",   TAKES_MAP,              set_environment}, \
	{"inheritEnvironment", TAKES_TEXT | TAKES_LIST, set_inherit}, \
	{"secrets",       TAKES_LIST,             set_secrets}, \
	{"timeout",       TAKES_TEXT,             set_timeout}, \
	{"maxConcurrent", TAKES_TEXT,             set_max_concurrent}, \
	{"heartbeat",     TAKES_TEXT | TAKES_MAP, set_heartbeat}, \
	{"deliver",       TAKES_MAP,              set_deliver}

static const struct key agent_keys[] = {
	{"directory",     TAKES_TEXT,             set_directory},
	{"template",      TAKES_TEXT,             set_template},
	{"role",          TAKES_TEXT,             set_role},
	RUN_KEYS(set_heartbeat),
};
PUBLISH_KEYS(agent_keys);

static const struct key template_keys[] = {
	{"source",        TAKES_TEXT,             read_set_source},
	{"git",           TAKES_TEXT,             read_set_git},
	RUN_KEYS(set_heartbeat),
};
PUBLISH_KEYS(template_keys);

static const struct key role_keys[] = {
	{"name",          TAKES_TEXT,             read_role_name},
	{"description",   TAKES_TEXT,             read_role_description},
	{"instructions",  TAKES_TEXT,             read_role_instructions},
	{"reminders",     TAKES_LIST,             read_role_reminders},
	{"directory",     TAKES_TEXT,             set_directory},
	{"template",      TAKES_TEXT,             set_template},
	RUN_KEYS(set_role_heartbeat),
};
/* clang-format on */
PUBLISH_KEYS(role_keys);

/* A command is an adapter of its own. */
static int make_command(struct reader *r, struct agent_reading *a)
{
	char **argv = NULL;
	int result = read_command(r, a->command, "command", &argv);

	if (result >= 0)
		a->agent->adapter = adapter_of_command(argv);
	mem_free_list(argv);
	return result;
}

static int decide_adapter(struct reader *r, struct agent_reading *a)
{
	if (a->adapter && a->command) {
		read_fail(r, a->command, "%s '%s' has an adapter and a command", a->what, a->name);
		return error_hint(r->err, "keep one of them; further arguments are 'args'");
	}
	return a->command ? make_command(r, a) : 0;
}

static void note_given(struct agent_reading *a)
{
	struct config_agent *agent = a->agent;

	agent->given = (a->adapter || a->command || agent->adapter ? GIVEN_RUN : 0) |
		       (a->args ? GIVEN_ARGS : 0) |
		       (agent->directory || agent->template ? GIVEN_PLACE : 0) |
		       (agent->secrets ? GIVEN_SECRETS : 0) |
		       (agent->time_limit ? GIVEN_TIMEOUT : 0) |
		       (agent->max_concurrent ? GIVEN_CONCURRENT : 0) |
		       (a->heartbeat ? GIVEN_HEARTBEAT : 0) | (agent->deliver ? GIVEN_DELIVER : 0);
}

static int fail_role(struct reader *r, const struct yaml_node *value)
{
	const struct config *c = r->config;
	const char **names = mem_array(c->role_count + 1, sizeof(char *));

	for (size_t i = 0; i < c->role_count; i++)
		names[i] = c->roles[i].name;
	read_fail_unknown(r, value, "role", names, c->role_count);
	if (c->role_count == 0)
		error_hint(r->err, "a role is a file: '%s/roles/%s.yml'", r->folder, value->text);
	free(names);
	return r->err->code;
}

/* That of its name, unless it names another. */
static int take_role(struct reader *r, struct agent_reading *a)
{
	const struct config_role *role = NULL;
	struct error none = {0};

	if (strcmp(a->what, "role") != 0)
		role = config_role(r->config, a->role ? a->role->text : a->name, &none);
	if (a->role && !role)
		return fail_role(r, a->role);
	config_take_role(r->config, a->agent, role);
	return 0;
}

static bool has_args(char *const *argv)
{
	for (; argv && *argv; argv++)
		if (strcmp(*argv, "{args}") == 0)
			return true;
	return false;
}

/* What only makes sense together. */
static int check_agent(struct reader *r, const struct agent_reading *a)
{
	const struct config_agent *agent = a->agent;
	char *const *headless = agent->adapter ? agent->adapter->templates[USE_HEADLESS] : NULL;

	if (a->template && a->directory) {
		read_fail(r, a->directory, "%s '%s' has a template and a directory", a->what,
			  a->name);
		return error_hint(r->err, "a template is copied into every mission, which is where "
					  "it runs; keep one of them");
	}
	if (a->adapter && !headless) {
		read_fail(r, a->adapter, "adapter '%s' names no program", a->adapter->text);
		return error_hint(r->err, "write 'command: [PROGRAM, ARGUMENT...]' instead");
	}
	if (a->heartbeat && agent->heartbeat && !agent->adapter) {
		read_fail(r, a->heartbeat, "%s '%s' has a heartbeat but cannot be run", a->what,
			  a->name);
		return error_hint(r->err, "add 'adapter:' or 'command:'");
	}
	if (a->args && !has_args(headless)) {
		read_fail(r, a->args, "nothing of %s '%s' takes 'args'", a->what, a->name);
		return error_hint(r->err,
				  "its command needs the word \"{args}\" where they belong");
	}
	return 0;
}

static int finish_agent(struct reader *r, struct agent_reading *a)
{
	int result = decide_adapter(r, a);

	if (result >= 0) {
		note_given(a);
		result = take_role(r, a);
	}
	return result < 0 ? result : check_agent(r, a);
}

int read_role_mapping(struct reader *r, const struct yaml_node *map, struct role_reading *role)
{
	int result = read_mapping(r, map, KEYS(role_keys), role);

	return result < 0 ? result : finish_agent(r, &role->settings);
}

static int read_agent(struct reader *r, const struct yaml_node *name, const struct yaml_node *value)
{
	struct config *c = r->config;
	struct agent_reading a = {.what = "agent", .name = name->text, .agent = &c->agents[0]};
	int result;

	if (!text_is_name(name->text)) {
		read_fail(r, name, "'%s' is not a name for an agent", name->text);
		return error_hint(r->err, "1 to 64 letters, digits, '.', '_' and '-', "
					  "beginning with a letter, a digit or '_'");
	}
	if (config_template(c, name->text)) {
		read_fail(r, name, "agent '%s' is a template already", name->text);
		return error_hint(r->err, "each of 'agentTemplates' is also an agent of that name");
	}
	if (strcmp(name->text, "me") != 0) {
		a.agent = &c->agents[c->agent_count++];
		config_agent_init(a.agent, name->text);
	}
	if (value->kind == YAML_EMPTY)
		return 0;
	if (read_kind(r, name->text, name, value, TAKES_MAP) < 0)
		return r->err->code;
	result = read_mapping(r, value, KEYS(agent_keys), &a);
	return result < 0 ? result : finish_agent(r, &a);
}

int read_agents(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	int result = 0;

	c->agents = mem_grow(c->agents, c->agent_count + value->count / 2, sizeof(*c->agents));
	for (size_t i = 0; i < value->count && result >= 0; i += 2)
		result = read_agent(r, value->items[i], value->items[i + 1]);
	return result;
}

static int read_template(struct reader *r, const struct yaml_node *name,
			 const struct yaml_node *value)
{
	struct config *c = r->config;
	struct agent_reading a = {
		.what = "agent", .name = name->text, .agent = &c->agents[c->agent_count]};
	int result;

	if (read_source_name(r, name, "template") < 0)
		return r->err->code;
	if (value->kind != YAML_EMPTY && read_kind(r, name->text, name, value, TAKES_MAP) < 0)
		return r->err->code;
	config_agent_init(a.agent, name->text);
	a.agent->template = mem_strdup(name->text);
	c->agent_count++;
	result = read_mapping(r, value, KEYS(template_keys), &a);
	if (result >= 0)
		result = read_source(r, name, &a.from, &c->templates[c->template_count++]);
	if (result >= 0 && !a.adapter && !a.command)
		a.agent->adapter = config_adapter(c, TEMPLATE_ADAPTER);
	return result < 0 ? result : finish_agent(r, &a);
}

int read_templates(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;
	int result = 0;

	c->templates = mem_array(value->count / 2, sizeof(*c->templates));
	c->agents = mem_grow(c->agents, c->agent_count + value->count / 2, sizeof(*c->agents));
	for (size_t i = 0; i < value->count && result >= 0; i += 2)
		result = read_template(r, value->items[i], value->items[i + 1]);
	return result;
}

static int fail_agent(struct reader *r, const struct yaml_node *value)
{
	const struct config *c = r->config;
	const char **names = mem_array(c->agent_count, sizeof(char *));
	size_t count = 0;

	for (size_t i = 0; i < c->agent_count; i++)
		if (c->agents[i].adapter)
			names[count++] = c->agents[i].name;
	read_fail_unknown(r, value, "agent", names, count);
	free(names);
	return r->err->code;
}

int read_runner(struct reader *r, const struct yaml_node *value)
{
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(r->config, value->text, &unknown);
	const struct config_role *role;

	if (!agent)
		return fail_agent(r, value);
	if (agent->adapter)
		return 0;
	read_fail(r, value, "agent '%s' cannot be run", agent->name);
	role = agent->role ? config_role(r->config, agent->role, &unknown) : NULL;
	if (role && role->problem)
		return error_hint(r->err, "its role cannot be read: %s", role->problem);
	return error_hint(r->err, "give it an 'adapter' or a 'command'");
}
