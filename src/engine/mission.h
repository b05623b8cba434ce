#pragma once
/*
 * Missions people and programs ask for. Each is called inside a turn. Those that reminders order
 * come from gate.c. Errors say in which phase the mission is and what can be done.
 */
#include "engine/engine.h"
#include "engine/seed.h"
#include "store/mission.h"
#include "store/policy.h"

/* What a run is like when nobody says: by door. The caller owns the texts it puts in. */
void engine_policy_defaults(const struct engine *e, enum door door, const char *agent,
			    struct policy *ret);

/* Save a new reminder that runs: engine_add() with its policy beside it. */
int engine_add_run(struct engine *e, struct reminder *r, struct policy *p, usec_t now,
		   bool fire_now, struct error *err);

/*
 * A mission by hand: agent and prompt are set, and git, time_limit, max_attempts, retry_on, backoff
 * where they matter. Everything else is filled in. It waits in line like all others.
 */
int engine_mission_new(struct engine *e, struct mission *m, usec_t now, struct error *err);

/* Whether missions of this agent have conversations that can be gone on with: so that somebody may
 * ask, and get an answer. Of one that is not in the configuration we do not know that they have
 * not. */
bool engine_may_ask(const struct engine *e, const char *agent);

/*
 * Go on with an ended mission in its own conversation, headless, with the replies that wait for it
 * and this prompt (NULL: nothing more; ERR_INVALID when there is neither).
 */
int engine_mission_resume(struct engine *e, struct mission *m, const char *prompt, usec_t now,
			  struct error *err);

/*
 * The same on the caller's own terminal: the caller is the wrapper. Its process is recorded as the
 * run's, and *ret is the order it carries out once this is committed (it frees it). prompt may be
 * NULL; replies that wait come before it. `m` may also be a new mission that engine_mission_prepare() made.
 */
int engine_mission_attach(struct engine *e, struct mission *m, const struct process_id *caller,
			  const char *prompt, usec_t now, char **ret, struct error *err);
/* Like engine_mission_new(), but it does not get into line: for engine_mission_attach(). */
int engine_mission_prepare(struct engine *e, struct mission *m, usec_t now, struct error *err);

/* End what waits or runs; `why` is for people. What runs is asked first (SIGTERM), then killed. */
int engine_mission_stop(struct engine *e, struct mission *m, const char *why, usec_t now,
			struct error *err);
int engine_mission_archive(struct engine *e, struct mission *m, bool archived, usec_t now,
			   struct error *err);
/* Its row is gone once its folder is. */
int engine_mission_remove(struct engine *e, struct mission *m, usec_t now, struct error *err);

/* Why a mission does not start yet: "1 of 1 running, 2 before it"; NULL when nothing is in its way, or
 * its own reason says it. The caller frees. */
int engine_line_words(struct engine *e, const struct mission *m, usec_t now, char **ret,
		      struct error *err);

/* Whether it is paused because the file says so, not by a person or by failures. */
bool engine_is_held(const struct reminder *r);

/* The reminder behind a cron; ERR_NOT_FOUND with the nearest name. */
int engine_find_cron(struct engine *e, const char *name, struct reminder **ret, struct error *err);
