#pragma once
/*
 * The signals that end a daemon: SIGTERM, SIGINT and SIGQUIT. They are the process's, not a life's: what comes while
 * one life leaves and before the next one listens is kept for whoever asks.
 */
#include <stdbool.h>

/* From now on they are kept, for good; again is fine. Before, they end the process, as they end any program. */
void halt_keep(void);

/* Readable while there is one that halt_take() has not answered. */
int halt_fd(void);

/* The number of the next one, or 0. */
int halt_take(void);

/* Whether there ever was one, taken or not. */
bool halt_is_asked(void);

/* Whether a loop takes them. While none does, the second ends the process at once: what it waits for may hang. */
void halt_attend(bool attended);
