#pragma once
/* How many files this process may have open at once (RLIMIT_NOFILE). */
#include <stddef.h>

#include "base/error.h"

#define FILES_LEAST 64 /* a daemon at rest has about thirty */

/* ERR_UNAVAILABLE when even the hard limit is too small for a daemon. */
int files_check(struct error *err);
/* As many as a daemon needs, as far as the hard limit lets it. Nothing but system calls. -1 and errno. */
int files_raise(void);
/* How many things that need so many files each there may be, beside the daemon's own; at most `most`. */
size_t files_room(size_t files_of_one, size_t most);
