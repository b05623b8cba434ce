#pragma once
/*
 * Who has the home, by its lock. A socket can be removed under a daemon, and one that begins or ends has none; the
 * lock goes only with its process.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "config/home.h"

enum holder {
	HOLDER_NONE,   /* nobody, or a command that works without a daemon */
	HOLDER_STARTS, /* a daemon that does not answer yet */
	HOLDER_SERVES, /* a daemon that should answer */
	HOLDER_STOPS,  /* a daemon that answers no more */
};

/* *ret_pid is set unless nobody has it. */
/* Whether that daemon waits for a server that has its store, and not for us. */
bool holder_waits_for_store(pid_t pid);

enum holder holder_look(const struct home *h, pid_t *ret_pid);

/*
 * Send it a signal, when it is a daemon: to the very process that has the lock, never to another that got its
 * number. Returns 1 and sets *ret_pid, or 0 when there is none (any more).
 */
int holder_signal(const struct home *h, int number, pid_t *ret_pid, struct error *err);
