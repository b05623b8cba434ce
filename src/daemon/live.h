#pragma once
/*
 * Live agents as the daemon sees them: windows of the private tmux server. It opens and finds them,
 * watches what they show and what their hooks say, and types. What becomes of that is an input of
 * the turn; see live.c.
 */
#include <stdbool.h>
#include <uv.h>

#include "config/home.h"
#include "daemon/supervise.h"
#include "engine/engine.h"

struct lives;
/* Something has become of a live agent: a turn is wanted. */
typedef void lives_on_input(void *data);

struct lives *lives_new(uv_loop_t *loop, const struct home *h, mode_t mask,
			lives_on_input *on_input, void *data);
void lives_close(struct lives *l); /* sessions are left alone */
void lives_free(struct lives *l);  /* after the loop has run its last */

/* JOB_OPEN, JOB_WATCH, JOB_TYPE and JOB_CLOSE of a committed turn. Takes the job. */
void lives_carry_out(struct lives *l, struct job *job);

/* Inside the turn: hand what arrived to the engine. It stays an input until the commit. */
int lives_decide(struct lives *l, struct engine *e, usec_t now, struct error *err);
void lives_committed(struct lives *l);
/* The engine is about to ask for everything again: what is being typed is let go of. */
void lives_forget(struct lives *l);
