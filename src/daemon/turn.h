#pragma once
/*
 * The turn: everything that arrives is an input, and every turn does the same with what is there.
 * See turn.c.
 */
#include <stdbool.h>
#include <uv.h>

#include "base/error.h"
#include "daemon/ask.h"
#include "daemon/missions.h"
#include "daemon/seat.h"
#include "daemon/supervise.h"

struct turn;

/* The store is damaged: going on would do harm. Told once; no turn follows. */
typedef void turn_on_fatal(const struct error *err, void *data);

/* The seat outlives the turn. `mask` is the umask of children. */
int turn_new(uv_loop_t *loop, struct seat *seat, mode_t mask, turn_on_fatal *on_fatal, void *data,
	     struct turn **ret, struct error *err);
void turn_close(struct turn *t); /* closes its handles; memory goes with turn_free() */
void turn_free(struct turn *t);	 /* after the loop has run its last */

/*
 * The first turn: what a crash left half-way goes on. Before anything else. `waits`: a store that cannot be
 * used now is no failure; the turns to come try again.
 */
int turn_recover(struct turn *t, bool waits, struct error *err);
/* Whether that has happened: everything is as it should be. */
bool turn_has_recovered(const struct turn *t);

/* Inputs. Each is taken, and wants a turn. */
void turn_add_ask(struct turn *t, struct ask *ask);
void turn_add_end(struct turn *t, struct child_end *end);

/* What the next turn tells the person's inbox, of Belfry itself. */
void turn_add_news(struct turn *t, const char *text);

/* Turns go on, but nothing new fires or starts; children and missions are asked to end. */
void turn_stop(struct turn *t, bool leave_missions);
bool turn_is_wanted(const struct turn *t);
struct supervise *turn_supervise(struct turn *t);
const struct home *turn_home(const struct turn *t);
int64_t turn_brand(const struct turn *t); /* of all that was started here (agent/brand.h) */
struct missions *turn_missions(struct turn *t);
