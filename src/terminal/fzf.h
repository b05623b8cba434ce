#pragma once
/*
 * fzf, where it is installed: lines in, one of them out. Whoever has it knows its keys. The person's
 * own defaults (FZF_DEFAULT_OPTS) hold unless an argument says otherwise.
 */
#include <stdbool.h>

#include "base/buf.h"

#define FZF_UNUSABLE (-1) /* not installed, too old for the arguments, or it failed */

struct fzf {
	const char *const *args;	/* behind its name; ends with NULL */
	const char *const *environment; /* NAME, value, NAME, value, …, NULL; or NULL */
	const struct buf *lines;
	size_t answer_max; /* of bytes it may write; 0: those of a line that was chosen */
	/* Called about every `tick_ms` and when `wake_fd` has something to read, while it runs. */
	bool (*on_tick)(void *data); /* NULL: never. True: it is to end, as if it was left */
	void *data;
	int wake_fd;
	int tick_ms;
};

/* Returns 0 and the line that was chosen, ASK_CANCELLED, or FZF_UNUSABLE. */
int fzf_run(const struct fzf *f, struct buf *ret);

/* Its version as 38 for "0.38.0"; 1000 times as much for what is before the point; 0: unknown. */
int fzf_version(void);
