#pragma once
/* The daemon: one thread, one loop, one turn after another. */
#include "base/error.h"
#include "config/home.h"

/*
 * Serve `h` until SIGTERM, SIGINT or SIGQUIT (the request "daemon halt" sends one); SIGQUIT
 * leaves missions running. When it is ready, one byte goes to `ready_fd`, which is closed (-1:
 * nobody waits). ERR_CONFLICT when another daemon serves it.
 */
int daemon_run(const struct home *h, int ready_fd, struct error *err);
