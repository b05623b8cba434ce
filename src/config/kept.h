#pragma once
/* A copy of the settings in force, in the state folder: what a daemon starts on when the file has a mistake. */
#include "config/config.h"
#include "config/home.h"

/* Note what is in force now; nothing is written where that is there already. */
int config_keep(const struct config *c, const struct home *h, struct error *err);

/* The roles that are in force, for config_load_after(): now, and by what was noted last (NULL: nothing). */
json_t *config_roles(const struct config *c);
json_t *config_kept_roles(const struct home *h);

/* What was noted last, which stands in for a config.yml with this mistake. ERR_NOT_FOUND: nothing was. */
int config_load_kept(const struct home *h, const char *mistake, struct config **ret,
		     struct error *err);
