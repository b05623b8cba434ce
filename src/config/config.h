#pragma once
/*
 * config.yml, read whole and checked whole: unknown keys, wrong types, bad zones and durations are
 * errors with line and column. A missing file is the default configuration.
 *
 *	timezone: Europe/Berlin
 *	store: postgres://belfry@db/belfry      # default: sqlite in the state folder
 *	retention: 90d                          # how long ended history is kept
 *	defaultAgent: builder                   # who runs tasks that name nobody
 *	agents:
 *	  builder:
 *	    adapter: claude                     # how it is run; a name of adapters: or a built-in one
 *	    command: [my-agent, --quick]        # instead: a program that gets the prompt on stdin
 *	    args: [--model, opus]               # further arguments, where the adapter has {args}
 *	    directory: ~/src/app                # where it runs, and its conditions and commands
 *	    template: github.com/me/builder     # instead: copied into every mission
 *	    environment: {CI: "1"}
 *	    inheritEnvironment: [SSH_AUTH_SOCK, MY_*]  # more of the daemon's; or all, or none
 *	    secrets: [op, run, --env-file, secrets.env, --]  # put in front of its command
 *	    timeout: 1h                         # of its runs, where nothing else says so
 *	    maxConcurrent: 2                    # of its runs at once
 *	    heartbeat: {every: 30m, prompt: "Look around."}  # or {idle: 5m, message: …}, or none
 *	    role: monitor                       # what roles/monitor.yml says, where nothing is said here
 *	    deliver:
 *	      command: [notify, --from, belfry] # gets the text on stdin
 *	      timeout: 30s
 *	      attempts: 5
 *	agentTemplates:                         # each is also an agent of that name
 *	  github.com/me/builder: {source: https://github.com/me/builder, adapter: claude}
 *	  local-one: {source: ~/templates/one}
 *	syncedRepos:                            # or a list of names
 *	  github.com/me/lib: {source: https://github.com/me/lib}
 *	adapters:
 *	  mine: {headless: [mine, -p], resume: [mine, -r, "{session}"], session: read, output: json,
 *	         session_path: session_id, answer_path: result, error_path: is_error, cost_path: cost,
 *	         instructions: [--system, "{instructions}"]}  # they stand where a template has "{role}"
 *	crons:
 *	  maxConcurrent: 5                      # of all headless runs at once; default 10
 *	  nightly: {schedule: "0 9 * * *", agent: builder, prompt: "Check all repositories"}
 *	http: {port: 7467}                      # /mcp on loopback; off when not given; 0: any free port
 *	users:                                  # who agents act for; `me` is the person at this machine
 *	  alice: {trust: inner, match: ["signal:alice-id", "terminal:default"], timezone: Europe/Berlin}
 *	promptReminders:                        # told by hooks when a prompt matches, unless suppressed
 *	  - {match: "fix|implement", say: "Write the failing test first.", agent: builder}
 *
 * A cron that cannot work (unknown agent, bad schedule) does not refuse the file: it is kept with
 * its problem, named at start, and never fires.
 *
 * Beside it is the folder roles/, one file a role:
 *
 *	name: monitor                           # if given, that of the file
 *	description: CI/CD monitoring agent
 *	instructions: "You monitor CI/CD pipelines and fix issues."
 *	adapter: claude                         # settings of an agent, as above; paths as above
 *	heartbeat: 5m                           # {idle: 5m, message: …}: told so when idle for so long
 *	reminders:
 *	  - name: check-ci
 *	    message: "Check the CI pipeline."
 *	    schedule: {every: 30m}              # or at, cron, rrule, idle; and timezone
 *	    priority: idle                      # interrupt normal idle-first idle
 *	    condition: {command: "ci-failed", mode: each, timeout: 10s}  # or prompt: TEXT
 *	    catchup: once
 *	    count: 10
 *	    fallback: wait                      # or run, start: when its agent has no session
 *	    enabled: true
 *
 * A role that cannot be read refuses neither config.yml nor the other roles, and one reminder of it
 * that cannot work does not refuse the role.
 */
#include <stdbool.h>
#include <stddef.h>

#include "agent/adapter.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"

#define CONFIG_CONCURRENT_DEFAULT 10
#define CONFIG_TIME_LIMIT_DEFAULT (1 * USEC_PER_HOUR)
#define CONFIG_HEARTBEAT_DEFAULT (30 * USEC_PER_MINUTE)

/* A folder or git repository that missions get a copy of. */
struct config_source {
	char *name;   /* the key in agentTemplates or syncedRepos */
	char *origin; /* an absolute folder, or what git clones */
	bool is_git;
};

struct config_agent {
	char *name;
	struct adapter *adapter; /* NULL: it can be reminded, not run */
	char **args;		 /* NULL-terminated; NULL when none */
	char *template;		 /* a name of agentTemplates; NULL when none */
	char **secrets;		 /* argv put in front of its command; NULL when none */
	usec_t time_limit;	 /* of its runs; 0: not given */
	int max_concurrent;	 /* 0: not given */
	usec_t heartbeat;	 /* every so long it is run; 0: never */
	char *heartbeat_prompt;	 /* NULL when not given */
	char *directory;	 /* absolute; NULL: the person's home */
	char **environment;	 /* "NAME=VALUE", NULL-terminated; NULL when none */
	char *inherit;	/* of the daemon's variables: "all", "none", "NAME,PREFIX_*"; NULL */
	char **deliver; /* argv, NULL-terminated; NULL: messages wait in its queue */
	usec_t deliver_timeout;
	int deliver_attempts;
	char *role;	       /* a name of roles; NULL: none */
	char *instructions;    /* of its role; NULL: none */
	usec_t idle_heartbeat; /* it is told something when idle for so long; 0: never */
	char *idle_message;    /* what; NULL when not given */
	/* What it says itself, and no role changes: bits of read.h, and its own variables. */
	unsigned given;
	char **own_environment;
	/* By config_bind(): what config_unbind() goes back to. */
	enum { BOUND_NOT, BOUND_ROLE, BOUND_WHOLLY } bound; /* not; only its role; all of it */
	char *file_role; /* the role that files give it, while it is bound to another; NULL: none */
};

/* One of a role's reminders. Texts are checked here, as of crons. */
struct config_reminder {
	char *name, *message;
	int line, column;
	char *problem;	       /* why it cannot work, with its place; NULL when it can */
	char *kind, *schedule; /* "every" "30m", as in the store; at: an instant or a local time */
	char *timezone, *priority, *fallback;	   /* NULL: not given */
	char *condition, *condition_prompt, *mode; /* NULL: none */
	usec_t condition_timeout;		   /* 0: not given */
	char *catchup;
	int count; /* 0: no bound */
	bool enabled;
};

/*
 * A role, of roles/NAME.yml: a description, instructions, settings of an agent (as under `agents:`),
 * heartbeat and reminders. An agent of the same name has it, and is declared by it; others are given
 * it (`role:` in config.yml, or `agent start --role`).
 */
struct config_role {
	char *name, *path;
	char *problem; /* why the file cannot be read; NULL when it could: the others still work */
	char *mistake; /* why what stands there is not in force: this is from before it; NULL */
	char *text;    /* what stands in it; NULL with a problem */
	char *description, *instructions;
	struct config_agent settings; /* its name is NULL */
	struct config_reminder *reminders;
	size_t reminder_count;
};

/* Somebody agents act for. */
struct config_user {
	char *name;
	char *trust;	/* public familiar inner full */
	char **match;	/* "channel:target", NULL-terminated; NULL: none */
	char *timezone; /* NULL: not given */
};

/* What hooks tell an agent whose prompt matches. */
struct config_pattern {
	char *match, *say;
	char *agent; /* NULL: any */
	void *regex; /* compiled: extended, any case */
};

enum { /* bits of retry_on, those of store/mission.h */
       CONFIG_RETRY_FAILURE = 1,
       CONFIG_RETRY_TIMEOUT = 2,
       CONFIG_RETRY_LOST = 4,
};

/*
 * Texts are checked here; NULL, 0 or -1 where the file says nothing: the engine has the defaults.
 * A cron with a problem has what could be read of it, which is only good for showing.
 */
struct config_cron {
	char *name;
	int line, column;
	char *problem; /* why it cannot work, with its place; NULL when it can */
	char *schedule, *timezone, *agent, *prompt, *description, *git; /* agent: or defaultAgent */
	bool enabled;
	usec_t timeout;				  /* -1: not given; 0: "none" */
	usec_t start_deadline, jitter;		  /* 0: none */
	char *overlap;				  /* skip queue allow replace */
	char *catchup;				  /* once skip all all:N */
	int retention, max_attempts, pause_after; /* -1: not given */
	int retry_on;	/* RETRY_* bits of store/mission.h; -1: not given; on_lost is in it */
	usec_t backoff; /* -1: not given */
};

struct config {
	char *path;    /* where it was read from, for error hints */
	char *text;    /* what stood there */
	char *mistake; /* what stands there now, and is not in force: this is a copy (kept.h); NULL */
	bool absent;   /* there is no such file: all is as by default */
	char *timezone; /* NULL when not given */
	char *store;	/* NULL when not given */
	usec_t retention;
	struct config_agent *agents; /* `me`, the person, is always the first */
	size_t agent_count;
	size_t file_agent_count; /* those that the file names: neither `me` nor a role's */
	char *inherit;		 /* as of an agent, for those that do not say it; NULL */
	char *default_agent;	 /* NULL when not given */
	struct config_source *templates, *repos;
	size_t template_count, repo_count;
	struct adapter **adapters; /* those of the file, over the built-in ones */
	size_t adapter_count;
	struct config_cron *crons; /* in the order of the file */
	size_t cron_count;
	int max_concurrent;	   /* headless runs at once */
	struct config_role *roles; /* by name */
	size_t role_count;
	int http_port;		   /* -1: no HTTP; 0: any free one */
	struct config_user *users; /* in the order of the file */
	size_t user_count;
	struct config_pattern *patterns; /* likewise */
	size_t pattern_count;
};

int config_load(const char *path, struct config **ret, struct error *err);
/* The same, where a role with a problem is what it was among `roles` (config_roles(); NULL: nothing). */
int config_load_after(const char *path, const json_t *roles, struct config **ret,
		      struct error *err);
/* The same from text, as if it stood in that file: roles are beside it. */
int config_parse(const char *text, size_t len, const char *path, struct config **ret,
		 struct error *err);
void config_free(struct config *c);
DEFINE_AUTO(struct config, config_free)

/* The agent of that name, or NULL and err says so with the nearest name and the next step. */
const struct config_agent *config_agent(const struct config *c, const char *name,
					struct error *err);

/* The role of that name, also one with a problem; NULL and err has the nearest name. */
const struct config_role *config_role(const struct config *c, const char *name, struct error *err);
/*
 * This agent was started with that role (NULL: with none). It is declared by that, when nothing else
 * declares it. The only change after loading; done again after every load, from the rows of live
 * agents. Pointers to agents are good no longer. A role with a problem is ERR_INVALID: the agent has
 * it nevertheless, so that it has it again when the file is mended.
 */
int config_bind(struct config *c, const char *agent, const char *role, struct error *err);
/* It is as the files alone declare it, or not at all. */
void config_unbind(struct config *c, const char *agent);

/* The user of that name; NULL when the file declares none such. */
const struct config_user *config_user(const struct config *c, const char *name);
/* The first whose patterns have that "channel:target"; NULL. */
const struct config_user *config_user_matching(const struct config *c, const char *address);

/* Whether it is said to a prompt. The text is bounded by the caller: some expressions take long. */
bool config_pattern_matches(const struct config_pattern *pattern, const char *text);

/* By name; NULL when there is none. */
const struct config_source *config_template(const struct config *c, const char *name);
const struct config_source *config_repo(const struct config *c, const char *name);
const struct config_cron *config_cron(const struct config *c, const char *name);
/* The agent that runs what names none: defaultAgent, else the only one that can run; NULL and err. */
const struct config_agent *config_default_agent(const struct config *c, struct error *err);
