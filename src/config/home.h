#pragma once
/*
 * Where things are. BELFRY_HOME holds everything when set; else XDG: configuration, state and
 * runtime folders of their own. Children of ours are told those three by name, in BELFRY_CONFIG_DIR,
 * BELFRY_STATE_DIR and BELFRY_RUNTIME_DIR, since agents may have a HOME of their own. Folders are
 * 0700, files 0600.
 */
#include <stdbool.h>

#include "base/auto.h"
#include "base/error.h"

struct home {
	char *config_dir, *state_dir, *runtime_dir;
	char *config_file; /* config.yml */
	char *database;	   /* belfry.db */
	char *lock_file;   /* belfry.lock, beside the database: whoever holds it owns the store */
	char *socket;	   /* belfry.sock in the runtime folder */
	char *log_file;	   /* daemon.log, for a daemon started in the background */
	bool whole;	   /* BELFRY_HOME named it: one folder has everything */
};

/* Work out the paths from the environment. Touches nothing. */
int home_find(struct home **ret, struct error *err);
/*
 * What a child is told, as a new list of "NAME=VALUE", so that its `belfry` finds the same home:
 * also one with another HOME, or in another folder.
 */
char **home_environment(const struct home *h);
/* Make the state and runtime folders. */
int home_prepare(const struct home *h, struct error *err);
void home_free(struct home *h);
DEFINE_AUTO(struct home, home_free)

/*
 * Where the private tmux server of live agents listens: tmux.sock in the runtime folder. It may be
 * longer than the address of a socket can be; whoever calls tmux with it then does so from that
 * folder, by the name alone. Caller frees.
 */
char *home_tmux_socket(const struct home *h);

/* BELFRY_STORE, else the configuration's `store`, else sqlite in the state folder. Caller frees. */
struct config;
char *home_store_url(const struct home *h, const struct config *c);
