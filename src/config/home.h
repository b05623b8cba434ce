#pragma once
/*
 * Where things are. BELFRY_HOME holds everything when set; else XDG: configuration, state and
 * runtime folders of their own. Folders are 0700, files 0600.
 */
#include "base/auto.h"
#include "base/error.h"

struct home {
	char *config_dir, *state_dir, *runtime_dir;
	char *config_file; /* config.yml */
	char *database;	   /* belfry.db */
	char *lock_file;   /* belfry.lock, beside the database: whoever holds it owns the store */
	char *socket;	   /* belfry.sock in the runtime folder */
	char *log_file;	   /* daemon.log, for a daemon started in the background */
};

/* Work out the paths from the environment. Touches nothing. */
int home_find(struct home **ret, struct error *err);
/* Make the state and runtime folders. */
int home_prepare(const struct home *h, struct error *err);
void home_free(struct home *h);
DEFINE_AUTO(struct home, home_free)

/* BELFRY_STORE, else the configuration's `store`, else sqlite in the state folder. Caller frees. */
struct config;
char *home_store_url(const struct home *h, const struct config *c);
