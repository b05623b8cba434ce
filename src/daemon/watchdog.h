#pragma once
/*
 * A daemon that hangs is ended and started again: by a timer of the kernel, which needs neither the loop nor
 * another process. Where nobody called watchdog_start() all of this does nothing.
 */
#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "base/clock.h"

/*
 * From here on, beginning with the start itself, work that does not end within the limit (60 s; BELFRY_HANG_LIMIT_MS is for tests and
 * debuggers, 0 turns it off) makes this process the same daemon again. `mask` is the umask it had.
 */
void watchdog_start(mode_t mask);
/* The work waits for the server that has the store, from now on or no more: then that is what it hangs in. */
void watchdog_on_store(bool waits);
/* Since when the daemon before us in this process waited for that, until it was ended; by clock_now(). 0: it did not. */
usec_t watchdog_store_since(void);

/* What the daemon before us in this process hung in, for its log and the inbox; NULL: it did not. */
const char *watchdog_report(void);

/*
 * The loop works, on `step`: "request", "firing". `name` says which, or is NULL. Both stay where they are,
 * for they are read when nothing else can be any more.
 */
void watchdog_at(const char *step, const char *name);
/* The loop is about to wait: nothing hangs. */
void watchdog_rest(void);

/* What goes on from here on, until it is told otherwise, may take any time: that is told, and not ended. */
void watchdog_wait(bool patient);

/* From here on a hang is the end: nobody wants it back. */
void watchdog_stopping(void);

/* Children of the daemon before us are ours, and libuv does not know them: their ends are taken. */
void watchdog_adopt(uv_loop_t *loop);
void watchdog_close(void);
