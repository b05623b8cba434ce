#pragma once
/* Files that Belfry obeys. */
#include "base/error.h"

/* ERR_DENIED when another login could have written this file; one that is not there is fine. */
int guard_check(const char *path, struct error *err);
