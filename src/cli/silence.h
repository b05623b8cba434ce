#pragma once
/*
 * Whether a daemon that has not answered for a while is busy, stopped, or hangs. A request may take
 * long, and while it does nobody else is answered either, so silence alone says nothing: a process that uses the
 * processor, or waits for a disk, is at work. One that is stopped, or sleeps, does not come back by itself.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"

struct silence {
	pid_t pid; /* 0: it cannot be seen from here */
	usec_t began, alive_at;
	unsigned long long ticks; /* of the processor that it has used */
};

enum silence_kind { SILENCE_BUSY, SILENCE_STOPPED, SILENCE_HUNG };

/*
 * How often a process has gone to sleep by itself: a number that stays the same while it is stopped or hangs. 0: it
 * cannot be seen. Safe in the handler of a signal.
 */
unsigned long long silence_naps(pid_t pid);

struct silence silence_begin(pid_t pid);
/* Looks at the process, and says what it is by now; `patience` is how long it may sleep. */
enum silence_kind silence_look(struct silence *s, usec_t patience);
