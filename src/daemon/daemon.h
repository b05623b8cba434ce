#pragma once
/* The daemon: one thread, one loop, one turn after another. */
#include <stdbool.h>

#include "base/error.h"
#include "config/home.h"

/* The name of its process (PR_SET_NAME) while it answers nobody; else it has that of the program. */
#define DAEMON_STARTS "belfry-starts"
#define DAEMON_STOPS "belfry-stops"
#define DAEMON_WAITS "belfry-waits" /* for the server that has its store */

/*
 * Serve `h` until SIGTERM, SIGINT or SIGQUIT (the request "daemon halt" sends one); SIGQUIT
 * leaves missions running. ERR_CONFLICT when another daemon serves it.
 */
struct daemon_wish {
	int ready_fd;	   /* gets one byte when it is ready, and is closed; -1: nobody waits */
	bool take_over;	   /* also a store that another home had before */
	bool fresh;	   /* also without the database that was there */
	bool switch_store; /* also with another store than it used last */
};
int daemon_run(const struct home *h, const struct daemon_wish *wish, struct error *err);
