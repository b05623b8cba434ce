#pragma once
/* Files that Belfry obeys. */
#include "base/error.h"

/* ERR_DENIED when another login could have written this file; one that is not there is fine. */
int guard_check(const char *path, struct error *err);
/* The same of a database, which has tasks in it; one that is not there yet is made in a folder of our own. */
int guard_check_store(const char *path, struct error *err);
/* The same of a file or folder that is open, and that agents obey. `name` is for when its path is not known. */
int guard_check_fd(int fd, const char *name, struct error *err);
