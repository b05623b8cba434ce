#pragma once
/*
 * HTTP on loopback: /mcp for clients that have a token (see http.c). It is there when config.yml says
 * so, and follows the file. What keeps it from being there is told by `status`, and is no reason for
 * a daemon to stop.
 */
#include <stdbool.h>
#include <uv.h>

#include "daemon/turn.h"

struct http;

/* The seat and the turn outlive it. Listens at once when the configuration wants it. */
struct http *http_new(uv_loop_t *loop, struct seat *seat, struct turn *turn);
/* Accept nothing more, end what only waits. Requests that were read are still answered. */
void http_stop(struct http *h);
bool http_has_output(const struct http *h);
void http_close(struct http *h); /* closes every connection; memory goes with http_free() */
void http_free(struct http *h);	 /* after the loop has run its last; NULL is fine */
