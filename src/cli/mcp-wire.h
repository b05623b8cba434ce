#pragma once
/* Messages as lines: in by one descriptor, out by another. */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

struct wire {
	int in, out;
	struct buf read; /* what came in */
	size_t at;	 /* what lies before it was returned already */
	size_t scanned;	 /* bytes after `at` known to hold no newline */
	bool skipping;	 /* inside of a line that is too long: its start is kept, the rest is not */
	bool ended;
};
void wire_fini(struct wire *w);

/*
 * The next line that is not blank, without its newline; good until the next call. Returns 1, 0 at the
 * end, or negative. Of one longer than `max` there come max + 1 bytes.
 */
int wire_next(struct wire *w, size_t max, const char **ret, size_t *ret_len, struct error *err);

/* Whether something comes in within so many milliseconds, its end included, or is there already. */
bool wire_is_busy(const struct wire *w, int timeout_ms);

/* Returns 1, 0 when nobody reads any more, or negative. */
int wire_send(struct wire *w, const json_t *message, struct error *err);
