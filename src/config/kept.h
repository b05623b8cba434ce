#pragma once
/* A copy of the settings in force, in the state folder: what a daemon starts on when the file has a mistake. */
#include "config/config.h"
#include "config/home.h"

/* Note what is in force now; nothing is written where that is there already. */
int config_keep(const struct config *c, const struct home *h, struct error *err);

/* What was noted last, which stands in for a config.yml with this mistake. ERR_NOT_FOUND: nothing was. */
int config_load_kept(const struct home *h, const char *mistake, struct config **ret,
		     struct error *err);
