#pragma once
/* The control socket: JSON lines from the person this daemon belongs to (see ask.h, peer.h). */
#include <stdbool.h>
#include <uv.h>

#include "daemon/turn.h"

struct control;

/* Listen at the home's socket, which this process owns by its lock. */
int control_listen(uv_loop_t *loop, const struct seat *seat, struct turn *turn,
		   struct control **ret, struct error *err);
/* Whether the socket is still there; if not, it is made again (listener.h). */
void control_look(struct control *c);
/* Accept and read nothing more. Requests that were read are still answered. */
void control_stop(struct control *c);
bool control_has_output(const struct control *c);
/* Close every connection and remove the socket; memory goes with control_free(). */
void control_close(struct control *c);
void control_free(struct control *c); /* after the loop has run its last */
