#pragma once
/*
 * What the agent of a run wrote: output.log and the older output.log.1 to .3 of the run's folder,
 * read as one stream, oldest first, also while the wrapper goes on writing and rotating them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/auto.h"
#include "base/json.h"

struct run_log;

/* Opens nothing yet: there may be no log so far. */
struct run_log *run_log_new(const char *folder);
void run_log_free(struct run_log *l);
DEFINE_AUTO(struct run_log, run_log_free)

/* Begin with the last so many lines instead of the oldest there is. Before the first read. */
void run_log_begin_at(struct run_log *l, int64_t lines);

/*
 * The next bytes. 0: there is nothing more so far; -1 and errno. Something that was rotated away
 * before it could be read is left out.
 */
ssize_t run_log_read(struct run_log *l, char *ret, size_t size);

bool run_log_exists(const char *folder);
/* The paths there are, oldest first. */
json_t *run_log_files(const char *folder);
