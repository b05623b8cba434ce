#pragma once
/*
 * Changes people and programs ask for. Each is called inside a turn, writes the reminder, and
 * leaves a row for every occurrence that the change took away.
 */
#include "engine/engine.h"
#include "store/queue.h"
#include "store/reminder.h"

/*
 * Save a new reminder: its specification is filled in, its state is worked out here. With
 * `fire_now` an occurrence at this very moment comes first. An id that is taken is ERR_CONFLICT.
 */
int engine_add(struct engine *e, struct reminder *r, usec_t now, bool fire_now, struct error *err);

/* An occurrence at this very moment, through all the gates. */
int engine_fire_now(struct engine *e, struct reminder *r, usec_t now, struct error *err);

/*
 * Save an imported one, whose status, counters and cursor were read (cursor USEC_NONE: from now).
 */
int engine_restore(struct engine *e, struct reminder *r, usec_t now, struct error *err);

/*
 * Save one that had ended and goes on, active or paused, as its status says by now. Counters and history
 * stay; the next time is derived from now on, and nothing of the time between is told as missed.
 */
int engine_take_up(struct engine *e, struct reminder *r, usec_t now, struct error *err);

/*
 * Save an edited reminder. `reschedule`: its schedule or zone changed, so the next time is derived
 * from now on, and occurrences that were due but not decided are told as missed.
 */
int engine_edit(struct engine *e, struct reminder *r, bool reschedule, usec_t now,
		struct error *err);

/* Moves between the statuses; a move that is not allowed is ERR_CONFLICT and says which are. */
/* `why` says who did it, for people. */
int engine_pause(struct engine *e, struct reminder *r, const char *why, usec_t now,
		 struct error *err);
/* Pause one that is active or paused, with a reason of its own. */
int engine_hold(struct engine *e, struct reminder *r, const char *why, usec_t now,
		struct error *err);
int engine_resume(struct engine *e, struct reminder *r, usec_t now, struct error *err);
int engine_complete(struct engine *e, struct reminder *r, usec_t now, const char *reason,
		    struct error *err);
int engine_cancel(struct engine *e, struct reminder *r, usec_t now, const char *reason,
		  struct error *err);

/*
 * One that repeats does not fire before `until`: what would have been due up to then is told as
 * skipped. Active ones only.
 */
int engine_snooze(struct engine *e, struct reminder *r, usec_t until, usec_t now,
		  struct error *err);

/*
 * The agent that was told to look first (a prompt condition) says what it found: the verdict of the
 * newest fire, once, and the end of the reminder when its mode says so. `detail` may be NULL.
 * Nothing to report on, or a fire that has its verdict, is ERR_CONFLICT.
 */
int engine_report_condition(struct engine *e, struct reminder *r, bool met, const char *detail,
			    usec_t now, struct error *err);

/* Fire once, at once, because somebody wants it, without asking the condition; schedule and counters stay. */
int engine_run(struct engine *e, struct reminder *r, usec_t now, const char *why,
	       struct error *err);

/*
 * Take the next message of an agent's line: it counts as delivered, and the one behind it comes to
 * the front. ERR_NOT_FOUND when nothing is queued.
 */
int engine_take(struct engine *e, const char *agent, usec_t now, struct message **ret,
		struct error *err);

/*
 * The same in two steps, for whoever has to print it first: offered under a name that is made up here, then
 * settled: delivered when it was printed, else back in the line. Nobody else is offered it meanwhile; after half a
 * minute without a word it goes back by itself. Only what is `owner`'s (NULL: anybody's) is offered, and only the very
 * name that was handed out settles it.
 */
#define TAKE_NAME_MAX 32
int engine_take_offer(struct engine *e, const char *agent, const char *owner, usec_t now,
		      struct message **ret, char ret_name[static TAKE_NAME_MAX], struct error *err);
int engine_take_settle(struct engine *e, const char *id, const char *name, bool printed, usec_t now,
		       struct error *err);

/* Imports: rows arrive in batches that stay invisible until the whole is committed (import.c). */
int engine_import_begin(struct engine *e, usec_t now, int64_t *ret_batch, struct error *err);
/* Somebody sends rows to it, whatever becomes of them; ERR_CONFLICT when it is not open. */
int engine_import_hear(struct engine *e, int64_t batch, usec_t now, struct error *err);
int engine_import_commit(struct engine *e, int64_t batch, struct error *err);
int engine_import_abort(struct engine *e, int64_t batch, struct error *err);
/* Whether rows of a batch may be added, and whether it is still being shown. */
int engine_import_is_open(struct engine *e, int64_t batch, bool *ret, struct error *err);
int engine_import_is_done(struct engine *e, int64_t batch, bool *ret, struct error *err);
