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

struct log_reader;

/* Opens nothing yet: there may be no log so far. */
struct log_reader *log_reader_new(const char *folder);
void log_reader_free(struct log_reader *l);
DEFINE_AUTO(struct log_reader, log_reader_free)

/* Begin with the last so many lines instead of the oldest there is. Before the first read. */
void log_reader_begin_at(struct log_reader *l, int64_t lines);

/*
 * The next bytes. 0: there is nothing more so far; -1 and errno. What was rotated away before it could
 * be read is left out, and a line says how many bytes that were.
 */
ssize_t log_reader_read(struct log_reader *l, char *ret, size_t size);

bool log_reader_exists(const char *folder);
/* The paths there are, oldest first. */
json_t *log_reader_files(const char *folder);
