#pragma once
/*
 * Missions as the daemon sees them: wrappers, one a run, started through the nursery or found
 * alive after a start of ours. What becomes of them is an input of the turn; see missions.c.
 */
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "daemon/nursery-client.h"
#include "engine/engine.h"

struct missions;
/* Something has become of a wrapper: a turn is wanted. */
typedef void missions_on_input(void *data);

/* `home` has the folder of all missions in it; the nursery is borrowed. */
struct missions *missions_new(uv_loop_t *loop, const char *home, struct nursery *nursery,
			      missions_on_input *on_input, void *data);
/* Gates that nobody opened are closed, wrappers that run are left alone. */
void missions_close(struct missions *m);
void missions_free(struct missions *m); /* after the loop has run its last */

/* JOB_START, JOB_ADOPT and JOB_STOP of a committed turn. Takes the job. */
void missions_carry_out(struct missions *m, struct job *job);

/* Inside the turn: hand what arrived to the engine. It stays an input until the commit. */
int missions_decide(struct missions *m, struct engine *e, usec_t now, struct error *err);
/* That turn is committed: gates are opened or closed, ends are forgotten. */
void missions_committed(struct missions *m);

/* Close every gate that was not opened: the engine is about to ask for those runs again. */
void missions_drop_gated(struct missions *m);

/*
 * Stop: nothing starts any more, what waits at a gate is dropped, and wrappers are asked to end,
 * unless they are to be left. Those on a person's terminal are left in any case.
 */
void missions_stop(struct missions *m, bool leave);
void missions_kill(struct missions *m); /* those of them that still run */
/* How many run that a stop asks to end. */
size_t missions_running(const struct missions *m);
