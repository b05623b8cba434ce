#pragma once
/*
 * The engine decides. Everything it knows is in the store; it reads no clock, starts no process
 * and opens no file but the zone files: `now` and what arrived are handed in, rows and jobs come
 * out. The same code therefore runs under the daemon, in the CLI's own process, and under a
 * simulated clock.
 *
 * All functions that write are called between db_begin() and db_commit() (a turn). Jobs are wishes:
 * they are started only after the commit, and dropped when the turn rolled back.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/order.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "config/config.h"
#include "store/db.h"
#include "store/words.h"

struct engine;

/* Both are borrowed and outlive the engine, which changes nothing in the configuration but by
 * config_bind(). */
struct engine *engine_new(struct db *db, struct config *config);
void engine_free(struct engine *e);
DEFINE_AUTO(struct engine, engine_free)

struct db *engine_db(struct engine *e);
const struct config *engine_config(const struct engine *e);
/* The file changed. The old configuration is not used after this call. */
void engine_set_config(struct engine *e, struct config *config);
/* What is wrong with the clock, or was and is still being put right; NULL: nothing. The caller frees. */
int engine_clock_trouble(struct engine *e, usec_t now, char **ret, struct error *err);
/* The first "{{nope}}" of a message that stands for nothing; NULL: none. The caller frees. */
char *engine_unknown_variable(const char *message);
/* A clock that nobody sets, at the beginning of a turn; 0 where there is none. */
void engine_set_counter(struct engine *e, usec_t counter);
/* Why nothing was looked at until now ("the machine was asleep"), for what was missed; NULL: unknown. */
void engine_set_absence(struct engine *e, const char *why);
/* Where the files of messages are, for agents that are told to read one. */
void engine_set_state_dir(struct engine *e, const char *path);

/* Something somebody has to do after the commit, and how it ended. */
enum job_kind {
	/* a child process: argv, environment, directory, input, time_limit; ends by engine_job_ended() */
	JOB_CHECK,   /* a command condition; key is the slot */
	JOB_DELIVER, /* a deliver command; key is the message */
	/* the same, but the daemon knows the command: */
	JOB_SWEEP, /* the wrapper of a run is gone: kill what it left behind; key is the run, run set */
	JOB_REMOVE,	   /* delete the folder of a mission; key is the mission, run is its id */
	JOB_REMOVE_THREAD, /* the same of a thread, which is gone; key is the thread's, run its id */
	/* wrappers, by key = run; they answer by engine_run_started() and engine_run_ended(): */
	JOB_START, /* start a gated wrapper; run is set, input is its order */
	JOB_ADOPT, /* watch a wrapper we did not start, or did in another life; process and run set */
	JOB_STOP, /* send `signal` to the wrapper; nobody answers */
	/* live agents, by `agent`; the daemon answers by engine_live_*() of engine/live.h: */
	JOB_OPEN,  /* open a window for it, in which its host runs */
	JOB_WATCH, /* a session that is there, or was when somebody last looked: pane, mission set */
	JOB_TYPE,  /* type a message into it; key is the message; ends by engine_job_ended() */
	JOB_YIELD, /* what is only waiting to be typed gives way to a more urgent one */
	JOB_CLOSE, /* forget it, and close its window if that is still open; nobody answers */
};
struct live_lined {
	char id[16];
	usec_t at; /* it was offered; what was said before is not about this time */
};
/* How live agents are looked at: what it needs is copied out of the configuration. */
struct job_live {
	char *agent;
	char *pane;    /* NULL: not known */
	char *mission; /* its id, below missions/ */
	struct adapter *adapter;
	/* of JOB_TYPE */
	char *message; /* its id, "m-k3f9x2ab" */
	char *text;    /* what is typed: one line or more, clean; begins with "[belfry ID …]" */
	char *file; /* "m-k3f9x2ab.md": text says to read it in missions/MISSION/inbox; job->input is
			   what has to be in it, before anything is typed; NULL: text is all */
	bool interrupt;	  /* whatever it does, and by its adapter's key when it is not idle */
	bool again;	  /* it was offered before: it may be there already */
	usec_t queued_at; /* what said before this that it has it counts no more; 0: all counts */
	/* of JOB_WATCH: what was typed, and stands in its client's own line */
	struct live_lined *lined;
	size_t lined_count;
};
/*
 * For whom a command is run. What it starts may do no more than whoever made the reminder, or wrote the
 * message, could have done themselves.
 */
struct job_for {
	int64_t mission; /* whose run is behind it; 0: none that is known */
	char *user;
	enum trust trust; /* of what was made, then */
};

struct job {
	enum job_kind kind;
	int64_t key;
	char *run; /* "mis-k3f9x2/1": its folder below missions/, by ID/runs/NUMBER */
	struct process_id process; /* JOB_ADOPT */
	int signal;		   /* JOB_STOP */
	bool interactive;	   /* of wrappers: the run belongs to a person at a terminal */
	char **argv;		   /* NULL-terminated; argv[0] is looked up in PATH */
	char **environment; /* "NAME=VALUE" beside the daemon's own, NULL-terminated; may be NULL */
	char *directory;    /* NULL: the person's home */
	char *input;	    /* standard input; NULL: /dev/null */
	usec_t time_limit;  /* then the whole process group is killed */
	struct job_for whose;  /* of JOB_CHECK and JOB_DELIVER */
	struct job_live *live; /* of live agents; else NULL */
};
void job_free(struct job *job);
DEFINE_AUTO(struct job, job_free)

struct job_end {
	enum job_kind kind;
	int64_t key;
	int exit_status;	 /* meaningful when it was started and no signal ended it */
	int signal;		 /* the signal that ended it, 0 when none */
	bool timed_out;		 /* its time limit passed and we killed it */
	const char *start_error; /* why it could not be started, NULL when it was */
	const char *output_tail; /* the last bytes of its stderr, clean UTF-8; "" when none */
};

/* What became of a wrapper: a start was asked for, and this process waits at its gate. */
struct run_start {
	int64_t run;
	struct process_id process;
};
struct run_end {
	int64_t run;
	const struct end *end; /* what it wrote; NULL when it left nothing */
	/*
	 * It left nothing, and did not get as far as starting the agent: the same attempt begins
	 * again, at once. Only of wrappers that were found dead or that we ended ourselves; one that
	 * fails by itself would do so for ever, and is a start_error.
	 */
	bool never_ran;
	bool shutdown; /* it left nothing, since it was killed for not ending when the daemon did */
	const char *start_error; /* no wrapper could be started; NULL when one was */
	const char
		*session; /* it left nothing but the id of its conversation; NULL: not even that */
};

/*
 * After a start: what a crash left half-way goes on (checks are run again, messages are offered
 * again under their old id, imports are finished or undone), and queues of agents that have a
 * deliver command get their head. Once, in a turn of its own, before any other call.
 */
int engine_recover(struct engine *e, usec_t now, struct error *err);
/*
 * Before that, on a store that another home had (`from`: which, for people): what runs there is no longer ours
 * to know, and is not run here a second time. The inbox is told what it was.
 */
int engine_take_over(struct engine *e, const char *from, usec_t now, struct error *err);
/*
 * Likewise before it, on a store that was put back from a backup: the home has committed to a newer one until `upto`.
 * What was due by then may have fired, so it is recorded as missed and does not fire; what has run since is not run
 * again. The inbox is told, with `unknown` missions that only have a folder.
 */
int engine_put_back(struct engine *e, usec_t upto, int64_t unknown, usec_t now, struct error *err);

/* Fire what is due, at most one batch. Returns 1 when more is due, 0 when not, negative on error. */
int engine_fire_due(struct engine *e, usec_t now, struct error *err);

/* A job ended: a condition's verdict, or a delivery's success or failure. */
int engine_job_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err);

/*
 * A wrapper waits at its gate. Returns 1: open the gate once this turn is committed; 0: nobody wants
 * that run any more, close it.
 */
int engine_run_started(struct engine *e, usec_t now, const struct run_start *start,
		       struct error *err);
/* A wrapper is gone, or could not be started. A run that is not open any more is left alone. */
int engine_run_ended(struct engine *e, usec_t now, const struct run_end *end, struct error *err);

/* Offer messages and start missions whose time has come. At the end of a turn, after all else. */
int engine_dispatch(struct engine *e, usec_t now, struct error *err);

/* Slow work in small steps: finishing imports, retention. Returns 1 when more is to be done now. */
int engine_maintain(struct engine *e, usec_t now, struct error *err);

/* When fire_due, dispatch or maintain will next have something to do; USEC_NONE for never. */
int engine_next_wake(struct engine *e, usec_t now, usec_t *ret, struct error *err);

/* The jobs of this turn, one a call, oldest first; NULL when there is none. The caller frees. */
struct job *engine_take_job(struct engine *e);
/* How many there are so far, and back to so many: one request of the turn was undone. */
size_t engine_job_count(const struct engine *e);
void engine_undo_jobs(struct engine *e, size_t count);
/* The turn rolled back: nothing of it was wished. */
void engine_drop_jobs(struct engine *e);
