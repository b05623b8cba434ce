#pragma once
/*
 * The one table that Belfry has in a TOML file: [mcp_servers.belfry]. All of the file is read, so that
 * brackets inside strings are no tables, and what cannot be read is refused with its place.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "setup/draft.h"

enum toml_server {
	TOML_ABSENT,
	TOML_SAME,    /* starts this program */
	TOML_OURS,    /* starts a belfry, in another place or with other approvals */
	TOML_FOREIGN, /* something else has the name */
};
/* What is there. ERR_CONFLICT: it is written where a command cannot change it. */
int toml_look(const char *text, size_t len, const char *program, bool runs, enum toml_server *ret,
	      struct error *err);
/* Add it, or have it start `program`; a foreign one is replaced. `runs`: every tool needs no question, else those
 * of SETUP_TOOLS. */
int toml_set(struct draft *d, const char *program, bool runs, struct error *err);
/* Take it out with its sub-tables; nothing when it is not there. */
int toml_remove(struct draft *d, struct error *err);
