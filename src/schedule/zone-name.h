#pragma once
/* Names of zones, right and wrong. Internal to the zone files, see zone.h. */
#include <stdbool.h>

#include "base/error.h"

/* The folder of the zone files: $TZDIR, or the system's. */
const char *zone_folder(void);

/* Whether a name is safe to look up below the folder: no way leads out of it. */
bool zone_name_is_plain(const char *name);

/* Give `err` a hint of which zone was meant. Walks the zone folder: for errors only. */
int zone_name_hint(const char *name, struct error *err);

/* The name in a path to a zone file ("/usr/share/zoneinfo/Europe/Berlin"), or NULL. */
const char *zone_name_in_path(const char *path);
