#pragma once
/* One connection of the control socket: lines in, replies out, in the same order. */
#include <stdbool.h>
#include <uv.h>

#include "daemon/turn.h"
#include "request/caller.h"

struct peer;

/* Told when the connection is gone, all its requests answered: the memory goes with this call. */
typedef void peer_on_gone(struct peer *p, void *data);

/* Take the next connection of a listening socket. NULL when there was none after all. */
struct peer *peer_accept(uv_stream_t *listener, struct turn *turn, peer_on_gone *on_gone,
			 void *data);

/* Serve its requests as those of `user` (borrowed; outlives the turn) and of that process, whose descriptor
 * it takes. */
void peer_serve(struct peer *p, const char *user, const struct caller_process *process);
/* Answer with an error and close. */
void peer_refuse(struct peer *p, const struct error *err);
/* Read no more requests; those that were read are still answered. */
void peer_stop(struct peer *p);
void peer_close(struct peer *p);

bool peer_has_output(const struct peer *p); /* something it has not been sent yet */
bool peer_is_open(const struct peer *p);
pid_t peer_pid(const struct peer *p); /* the process that connected; 0: not known */
int64_t
peer_silence_ms(const struct peer *p); /* how long it has done nothing; -1: it has work under way */
int peer_fd(const struct peer *p);

/* Its neighbours in the list of the control socket. */
struct peer **peer_link(struct peer *p);
