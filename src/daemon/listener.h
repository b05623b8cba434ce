#pragma once
/* The socket the daemon listens at, made again when somebody has removed it. */
#include <uv.h>

#include "base/error.h"
#include "daemon/seat.h"

struct listener;

/* Somebody has come: uv_accept() from `listener`, whose data is yours. */
int listener_open(uv_loop_t *loop, const struct seat *seat, uv_connection_cb on_connection,
		  void *data, struct listener **ret, struct error *err);
/* Whether the socket is still there; if not, it is made again. Cheap: to be called whenever the loop turns. */
void listener_look(struct listener *d);
/* Remove the socket and accept nobody more; memory goes with the loop's last run. */
void listener_close(struct listener *d);
