#pragma once
/* A daemon in the background: started when there is none, stopped and waited for. */
#include <stdbool.h>

#include "cli/client.h"

/*
 * Connect to the daemon; when nobody answers, start one and wait until it does. *ret_started is
 * whether it was us. Failure: ERR_UNAVAILABLE with what the daemon's log says.
 */
int start_connect(const struct home *h, struct client **ret, bool *ret_started, struct error *err);
/* `option`: of `daemon run`, NULL for none: "--take-over" a store that another home had before, or begin "--fresh". */
int start_connect_as(const struct home *h, const char *option, struct client **ret,
		     bool *ret_started, struct error *err);

/* Wait until a process is gone; ERR_UNAVAILABLE when it is still there after the time. */
int start_wait_gone(pid_t pid, int timeout_ms, struct error *err);

/* Whether no daemon may be started: BELFRY_NO_AUTOSTART (not empty and not "0") forbids it, and so
 * does being part of a mission's run, with which it would end. */
bool start_is_forbidden(void);
