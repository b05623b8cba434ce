#pragma once
/* A daemon in the background: started when there is none, stopped and waited for. */
#include <stdbool.h>

#include "cli/client.h"

/*
 * Connect to the daemon; when nobody answers, start one and wait until it does. *ret_started is
 * whether it was us. Failure: ERR_UNAVAILABLE with what the daemon's log says.
 */
int start_connect(const struct home *h, struct client **ret, bool *ret_started, struct error *err);
/* The same; with these options of `daemon run`, where it is started: as many of "--take-over", "--fresh" and "--switch-store" as there are before a NULL. */
#define START_OPTIONS_MAX 3
int start_connect_as(const struct home *h, const char *const options[START_OPTIONS_MAX + 1],
		     struct client **ret, bool *ret_started, struct error *err);

/* Wait until a process is gone; ERR_UNAVAILABLE when it is still there after the time. */
int start_wait_gone(pid_t pid, int timeout_ms, struct error *err);

/* Whether no daemon may be started: BELFRY_NO_AUTOSTART (not empty and not "0") forbids it, and so
 * does being part of a mission's run, with which it would end. */
bool start_is_forbidden(void);
