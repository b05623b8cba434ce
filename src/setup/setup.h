#pragma once
/*
 * Setting up a client: its own configuration gets Belfry's MCP server, hooks and permissions, and everything
 * else in it stays byte for byte. Doing it again changes nothing; undoing it leaves what was there before.
 */
#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "config/home.h"
#include "setup/client.h"

struct setup_wish {
	const struct client *client;
	bool project; /* the current folder's files, else the person's */
	bool undo, dry_run, force;
	bool runs;	     /* agents may be started and scheduled without asking */
	const char *program; /* that clients are to start: absolute */
	const struct home *home;
};
/*
 * All of it or nothing: what cannot be read or written is refused before any file is changed. *ret:
 * {"client", "scope", "changed", "files": [{"path", "change": created changed deleted unchanged, "what":
 * {"server": 1, "hooks": 10, …}, "diff"}], "allowed": names of tools that need no question, or ["all"],
 * "asked": of those that need one, "own": of those that should, but the person's own rules say what}; "diff" with
 * dry_run, which changes nothing.
 */
int setup_run(const struct setup_wish *w, json_t **ret, struct error *err);

/* Whether the person's own configuration of that client starts a belfry; false when nobody can say. */
bool setup_is_done(const struct client *client, const struct home *home);

/* Where PATH has that client's program; NULL: nowhere. */
char *setup_client_path(const struct client *client);

/*
 * Whether what was set up works: the server answers a client, a hook ends well, the client is there.
 * A list of {"name", "ok", "detail", "hint"}. Takes a minute at most, usually a moment.
 */
json_t *setup_check(const struct client *client, const char *program);
