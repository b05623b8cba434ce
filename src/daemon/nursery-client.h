#pragma once
/*
 * The daemon's end of the nursery (agent/wrapper.h): a small process that forks wrappers, and keepers of
 * commands. It is started when the first of them is wanted, and again when it died.
 */
#include <sys/types.h>
#include <uv.h>

#include "agent/wrapper.h"

/*
 * A process that waits at its gate: one byte lets it go, closing the gate ends it. That of a keeper ends whenever
 * the gate is closed, and tells its end there.
 */
struct newborn {
	struct process_id process;
	int pidfd, gate;   /* the taker's; both -1 when it could not be started */
	const char *error; /* then why; NULL when it was */
};
/* Called once an order, also from nursery_order() itself, unless it was cancelled before. */
typedef void nursery_on_born(const struct newborn *born, void *asker);

struct nursery;
/*
 * `home` is the folder it stays in, by which one is known to be of this home. `mask` is the umask of
 * wrappers: ours is stricter than the person's.
 */
struct nursery *nursery_new(uv_loop_t *loop, const char *home, mode_t mask);
void nursery_close(struct nursery *n); /* closes the gates that nobody took; then the loop runs */
void nursery_free(struct nursery *n);

/* Ask for a wrapper of `run`, or a keeper (NURSERY_CHORE). `order` is copied, `asker` comes back with the answer. */
void nursery_order(struct nursery *n, int64_t run, const char *order, nursery_on_born *on_born,
		   void *asker);
/* Nobody waits for it any more: its gate is closed, now or when it is born. */
void nursery_cancel(struct nursery *n, const void *asker);
