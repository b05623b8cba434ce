#pragma once
/*
 * The walk over config.yml that its chapters share. A mapping is described by one table: the keys it
 * may have, what kinds of value each takes, and the function that reads it. The walk is the same for
 * all of them and finds what does not belong, so a new setting is one row and one setter.
 * Everything that fails is ERR_INVALID with path, line and column in front.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "config/config.h"
#include "config/yaml.h"

struct reader {
	struct config *config;
	const char *path; /* of the file that is read, for errors */
	char *folder;	  /* of config.yml: relative paths begin here */
	const json_t
		*kept_roles; /* what is read was in force once (kept.c), and so were these; NULL */
	const json_t *roles_before; /* those in force, in place of files with a mistake; NULL */
	struct error *err;
};

/* What a key takes: one or several kinds. Where a mapping is taken, nothing at all is one too. */
#define KIND(kind) (1u << (kind))
#define TAKES_TEXT KIND(YAML_TEXT)
#define TAKES_LIST KIND(YAML_LIST)
#define TAKES_MAP KIND(YAML_MAP)

struct key {
	const char *name; /* NULL: a step between keys, for read_in_order(); it gets no value */
	unsigned takes;
	/* Gets a value of a right kind, and what it belongs to. */
	int (*set)(struct reader *r, const struct yaml_node *value, void *target);
};

struct keys {
	const struct key *rows;
	size_t count;
};
#define KEYS(table) ((struct keys){(table), sizeof(table) / sizeof((table)[0])})
/* Behind a table: the reference (reference.c) has its keys too. */
#define PUBLISH_KEYS(table)                                                                        \
	const struct keys published_##table = {(table), sizeof(table) / sizeof((table)[0])}
extern const struct keys published_adapter_keys, published_agent_keys, published_condition_keys,
	published_config_keys, published_cron_keys, published_deliver_keys,
	published_heartbeat_keys, published_http_keys, published_live_keys, published_pattern_keys,
	published_reminder_keys, published_repo_keys, published_role_keys, published_schedule_keys,
	published_template_keys, published_user_keys;

int read_fail(struct reader *r, const struct yaml_node *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* An inner function refused the value: say where it stands. */
int read_place(struct reader *r, const struct yaml_node *node);
/* "unknown WHAT 'TEXT'", with the nearest of the names, else all of them where there is room. */
int read_fail_unknown(struct reader *r, const struct yaml_node *node, const char *what,
		      const char *const *names, size_t count);

int read_kind(struct reader *r, const char *name, const struct yaml_node *key,
	      const struct yaml_node *value, unsigned takes);
/* One pair of a mapping, and all of them in the order of the file. */
int read_pair(struct reader *r, const struct yaml_node *name, const struct yaml_node *value,
	      struct keys keys, void *target);
int read_mapping(struct reader *r, const struct yaml_node *map, struct keys keys, void *target);
/* The same in the order of the table: for rows that refer to what earlier rows declare. */
int read_in_order(struct reader *r, const struct yaml_node *map, struct keys keys, void *target);

/* The name of a zone. In what was in force once it may be one that is gone. */
int read_timezone(struct reader *r, const struct yaml_node *value);
int read_duration(struct reader *r, const struct yaml_node *value, usec_t least, usec_t most,
		  usec_t *ret);
int read_number(struct reader *r, const struct yaml_node *value, const char *name, long least,
		long most, int *ret);
int read_bool(struct reader *r, const struct yaml_node *value, const char *name, bool *ret);
/* The place of the text among the words (it ends with NULL), or an error that lists them. */
int read_word(struct reader *r, const struct yaml_node *value, const char *name,
	      const char *const *words);
/* A list of texts, NULL-terminated in *ret; frees what stood there. */
/* `inheritEnvironment`: "all", "none", or a list of names and "PREFIX_*", which becomes "NAME,PREFIX_*". */
int read_inherit(struct reader *r, const struct yaml_node *value, char **ret);
int read_texts(struct reader *r, const struct yaml_node *value, const char *name, char ***ret);
/* The same, which must name a program. */
int read_command(struct reader *r, const struct yaml_node *value, const char *name, char ***ret);

/* "once", "skip", "all" or "all:N". */
int read_catchup(struct reader *r, const struct yaml_node *value, char **ret);

/* The chapters: each sets what it is named for in a struct config. */
int read_adapters(struct reader *r, const struct yaml_node *value, void *target);
int read_templates(struct reader *r, const struct yaml_node *value, void *target);
int read_repos(struct reader *r, const struct yaml_node *value, void *target);
int read_agents(struct reader *r, const struct yaml_node *value, void *target);
int read_crons(struct reader *r, const struct yaml_node *value, void *target);
int read_http(struct reader *r, const struct yaml_node *value, void *target);
int read_users(struct reader *r, const struct yaml_node *value, void *target);
int read_patterns(struct reader *r, const struct yaml_node *value, void *target);
/* The steps: the folder of roles, and the agents that only roles declare. */
int read_roles(struct reader *r, const struct yaml_node *none, void *target);
int read_role_agents(struct reader *r, const struct yaml_node *none, void *target);

void config_agent_init(struct config_agent *agent, const char *name);
void config_agent_fini(struct config_agent *agent);
void config_source_fini(struct config_source *source);
void config_cron_fini(struct config_cron *cron);
void config_user_fini(struct config_user *user);
void config_pattern_fini(struct config_pattern *pattern);

/* `source` and `git` of a template or repository, while its mapping is read. */
struct source_reading {
	const struct yaml_node *source;
	bool is_git;
};
int read_set_source(struct reader *r, const struct yaml_node *value, void *target);
int read_set_git(struct reader *r, const struct yaml_node *value, void *target);
/* The settings of an agent, a template or a role while its mapping is read. */
struct agent_reading {
	struct source_reading from; /* of a template; first, for its setters */
	const char *what, *name;    /* "agent" 'builder' */
	struct config_agent *agent;
	const struct yaml_node *adapter, *command, *template, *args, *directory, *heartbeat, *role;
};
struct role_reading {
	struct agent_reading settings; /* first, for its setters */
	struct config_role *role;
};
/* All of a role's file: its settings, and what only roles have. */
int read_role_mapping(struct reader *r, const struct yaml_node *map, struct role_reading *role);
/* role-file.c */
int read_role_name(struct reader *r, const struct yaml_node *value, void *target);
int read_role_description(struct reader *r, const struct yaml_node *value, void *target);
int read_role_instructions(struct reader *r, const struct yaml_node *value, void *target);
/* `kept`: its text of that time; NULL: as it stands in its file. */
void read_role_file(struct reader *r, struct config_role *role, const char *kept);
/* role-reminders.c */
int read_role_reminders(struct reader *r, const struct yaml_node *value, void *target);
void config_reminder_fini(struct config_reminder *reminder);

/* What an agent says itself wins over its role: in these groups, each as a whole. */
enum {
	GIVEN_RUN = 1,	 /* adapter, command */
	GIVEN_ARGS = 2,	 /* of its own adapter, or of its role's */
	GIVEN_PLACE = 4, /* directory, template */
	GIVEN_SECRETS = 8,
	GIVEN_TIMEOUT = 16,
	GIVEN_CONCURRENT = 32,
	GIVEN_HEARTBEAT = 64,
	GIVEN_DELIVER = 128,
};
/* roles.c: what the agent does not say is the role's (NULL: nobody's). */
void config_take_role(const struct config *c, struct config_agent *agent,
		      const struct config_role *role);
void config_role_fini(struct config_role *role);

/* As config_parse(), of what was in force once, with the roles of then. */
int config_parse_kept(const char *text, const char *path, const json_t *roles, struct config **ret,
		      struct error *err);

/* Set the name, and where it comes from; without a source the name itself says it. */
int read_source(struct reader *r, const struct yaml_node *name, const struct source_reading *from,
		struct config_source *ret);
/* A name that can be a folder inside a mission; `what` is "template" or "repository". */
int read_source_name(struct reader *r, const struct yaml_node *name, const char *what);
/* Whether the text names an agent that can be run. */
int read_runner(struct reader *r, const struct yaml_node *value);
/* A copy of the adapter of that name, the file's own first; NULL when there is none. */
struct adapter *config_adapter(const struct config *c, const char *name);
/* The same, with an error at the place. */
struct adapter *read_adapter(struct reader *r, const struct yaml_node *value);
