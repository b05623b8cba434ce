#pragma once
/*
 * config.yml, read whole and checked whole: unknown keys, wrong types, bad zones and durations are
 * errors with line and column. A missing file is the default configuration.
 *
 *	timezone: Europe/Berlin
 *	store: postgres://belfry@db/belfry      # default: sqlite in the state folder
 *	retention: 90d                          # how long ended history is kept
 *	agents:
 *	  builder:
 *	    directory: ~/src/app                # where its conditions and commands run
 *	    environment: {CI: "1"}
 *	    deliver:
 *	      command: [notify, --from, belfry] # gets the text on stdin
 *	      timeout: 30s
 *	      attempts: 5
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"

struct config_agent {
	char *name;
	char *directory;    /* absolute; NULL: the person's home */
	char **environment; /* "NAME=VALUE", NULL-terminated; NULL when none */
	char **deliver;	    /* argv, NULL-terminated; NULL: messages wait in its queue */
	usec_t deliver_timeout;
	int deliver_attempts;
};

struct config {
	char *path;	/* where it was read from, for error hints */
	char *timezone; /* NULL when not given */
	char *store;	/* NULL when not given */
	usec_t retention;
	struct config_agent *agents; /* `me`, the person, is always the first */
	size_t agent_count;
};

int config_load(const char *path, struct config **ret, struct error *err);
/* The same from text; `path` is only for messages. */
int config_parse(const char *text, size_t len, const char *path, struct config **ret,
		 struct error *err);
void config_free(struct config *c);
DEFINE_AUTO(struct config, config_free)

/* The agent of that name, or NULL and err says so with the nearest name and the next step. */
const struct config_agent *config_agent(const struct config *c, const char *name,
					struct error *err);
