#pragma once
/*
 * The simulation: random worlds run through the engine under a virtual clock, with crashes, and an
 * oracle that knows only the specifications. One seed is one world and replays identically: every
 * choice comes from the world's own generator, never from a clock or an address.
 */
#include "base/buf.h"
#include "base/json.h"
#include "engine/engine.h"
#include "engine/mission.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"
#include "store/store.h"
#include "store/words.h"

/* chance.c: the world's own random numbers */
struct chance {
	uint64_t state;
};
uint64_t chance_next(struct chance *c);
int64_t chance_below(struct chance *c, int64_t n);		     /* 0 … n-1 */
int64_t chance_between(struct chance *c, int64_t low, int64_t high); /* both included */
bool chance_percent(struct chance *c, int percent);

/* spec.c: a schedule in its parts, its text, and (naive.c) its occurrences, found the slow way */
enum freq { FREQ_HOURLY, FREQ_DAILY, FREQ_WEEKLY };
struct spec {
	enum schedule_kind kind;
	const char *zone;
	usec_t at, every;
	usec_t anchor;	    /* every: the grid's origin */
	bool real;	    /* cron with '*' or a step of it as hours: real local times */
	uint64_t minutes;   /* bits; of a rule 0: DTSTART's */
	uint32_t hours;	    /* bits; of a rule 0: DTSTART's, or any when hourly */
	uint32_t weekdays;  /* bits, Monday first; 0: any, of a weekly rule DTSTART's */
	uint32_t monthdays; /* bits from 1; 0: any */
	enum freq freq;
	int64_t interval, count; /* count 0: endless */
	local_t dtstart;
	bool starts;	/* DTSTART is in the text: its minute and second count */
	char key[8];	/* the flag of `add`: at, in, every, cron, rrule */
	char text[256]; /* its value */
};
/* `dense_ok`: a line for every minute is fine, since this world makes no jumps of years. */
void spec_random(struct chance *c, usec_t now, bool dense_ok, struct spec *ret);

/* Occurrences after `start`, as ranks: the first has rank 1. */
struct naive {
	const struct spec *spec;
	usec_t start;
	usec_t *list; /* sorted, unique; not for `every` */
	size_t count, cap;
	usec_t first; /* the earliest fixed time, and what the clock on the wall should have shown
	               */
	local_t first_local;
};
void naive_init(struct naive *n, const struct spec *spec, usec_t start, usec_t upto);
const struct zone *naive_zone(const char *name);
void naive_fini(struct naive *n);
int64_t naive_rank(const struct naive *n, usec_t t); /* how many lie in (start, t] */
bool naive_has(const struct naive *n, usec_t t);
/* A rule without DTSTART begins at its own first occurrence after now. */
void naive_anchor(struct spec *spec, usec_t now);

/* What the oracle remembers. Plain memory, so that a turn that rolls back is one copy back. */
#define REMINDERS_MAX 16
#define GENERATIONS_MAX 8

struct generation {
	struct spec spec;
	usec_t start;	  /* occurrences lie after it */
	usec_t extra;	  /* `--now`: one more at the moment of creation; USEC_NONE when not */
	usec_t fire_seen; /* the largest now of a turn that fired while it was active */
	bool rederived;	  /* a clock that was ahead had begun its rule: now it is another */
	usec_t reached;	  /* its cursor when it was last seen, before the next generation */
	usec_t settled;	  /* the largest now at which a change had to account for all before it */
};

enum batch_state { BATCH_NONE, BATCH_LOADING, BATCH_SHOWING, BATCH_DROPPING };

struct memory {
	int64_t key;
	char id[40];
	struct generation generations[GENERATIONS_MAX];
	size_t generation_count;
	/* the specification, and the loosest it ever was since edits change it */
	int64_t count_now, count_most;		   /* 0: no bound */
	usec_t until_now, until_least, until_most; /* INSTANT_MAX: no bound */
	usec_t grace_now, grace_most;		   /* how late it may fire; DURATION_FOREVER: any */
	enum catchup catchup;
	usec_t deadline;
	int64_t catch_most; /* the most fires of one turn */
	usec_t jitter_most;
	int64_t fires_before; /* imported */
	int64_t by_hand;
	usec_t created;
	enum status wanted; /* by the requests made: active may have become completed */
	bool ended_by_request;
	bool runs; /* missions, not messages */
	enum batch_state batch_state;
	int64_t batch;
	/* as last seen in the store */
	bool seen, visible;
	enum status status;
	int64_t generation, fire_count, open_slot;
	usec_t cursor, nominal_at, due_at;
	char end_reason[40];
};
#define DURATION_FOREVER INT64_MAX

struct model {
	struct memory reminders[REMINDERS_MAX];
	size_t count;
	int64_t batch; /* the import being sent, 0 when none */
	int64_t names; /* how many texts were made up so far */
};

/* Deliberate faults, to show that the oracle can object. */
enum mutant {
	MUTANT_NONE,
	MUTANT_LOST_COMMIT,   /* a turn is rolled back and everybody believes it was committed */
	MUTANT_SECOND_FIRE,   /* a fired slot fires again: cursor and due_at are set back */
	MUTANT_LOST_JOB,      /* a job is never started, and nobody crashed */
	MUTANT_CURSOR_AHEAD,  /* an occurrence is jumped over */
	MUTANT_LOST_SLOT,     /* a row of the ledger is deleted */
	MUTANT_LOST_MESSAGE,  /* a queued message is deleted */
	MUTANT_EXTRA_MESSAGE, /* a message that no fire left */
	MUTANT_EARLY,	      /* due_at lies before the nominal instant */
	MUTANT_NEVER_DUE,     /* an active reminder has no due_at */
	MUTANT_UNCOUNTED,     /* fire_count is off by one */
	MUTANT_HALF_IMPORT,   /* a row of an open import becomes visible */
	MUTANT_NO_RECOVERY,   /* after a crash the engine goes on without recovering */
	/* missions */
	MUTANT_LOST_START,    /* a wrapper is never started, and nobody crashed */
	MUTANT_NO_GATE,	      /* a wrapper that nobody wants gets through its gate */
	MUTANT_IGNORED_END,   /* a run ended and the engine is not told */
	MUTANT_NO_LIMIT,      /* maxConcurrent does not hold */
	MUTANT_OVERLAP,	      /* one that is behind another does not wait for it */
	MUTANT_LOST_MISSION,  /* a mission that waits is gone */
	MUTANT_WRONG_OUTCOME, /* a slot tells another end than its mission */
	MUTANT_KEPT_WAITING,  /* one that waits is kept from its turn */
	MUTANT_LOST_MAIL,     /* a fire for me is not in the inbox */
	MUTANT_LOST_ANSWER,   /* an answer counts as delivered, and nobody got it */
	MUTANT_TOLD_TWICE,    /* an answer that was delivered waits again */
	MUTANT_COUNT
};
#define FIRST_MISSION_MUTANT MUTANT_LOST_START
extern const char *const mutant_words[MUTANT_COUNT];

struct running {
	struct job *job;
	char message_id[16];
};
#define RUNNING_MAX 512

/* A wrapper, or a person at a terminal: it lives outside of the daemon. */
struct process {
	int64_t run;
	int pid;
	bool at_gate, go; /* go: its process is written, the gate opens when that is committed */
	bool open, ran;	  /* past the gate; as far as starting its agent */
	bool alive, has_end, interactive;
	bool pending;  /* the turn that knows it is not committed */
	bool known;    /* the daemon watches it */
	bool reported; /* in this turn */
	int signal;
	usec_t started_at;
	struct end end;
	/* by oracle_gate() */
	bool attempt, exclusive; /* exclusive: no other of its reminder may be at work */
	int64_t reminder;
};
#define PROCESSES_MAX 200

struct run_memory {
	int64_t run;
	int64_t limit; /* of runs at once, when its start was decided */
	int ran;       /* processes that got as far as its agent */
	bool wished;   /* for a wrapper: the line has decided on it before */
	bool told;     /* on a terminal: a hook said that the agent got its prompt */
};

/* What waits, as last seen. */
struct waiting {
	int64_t mission;
	usec_t until;
};

/* When a slot was first seen, and as what. */
struct sighting {
	int64_t key;
	usec_t begun;
	bool mission; /* it ordered one */
};

#define CONFIGS 8
#define IMPORT_PATIENCE (6 * USEC_PER_HOUR)
struct world {
	uint64_t seed;
	bool verbose;
	struct chance chance;
	usec_t now;
	usec_t import_seen; /* when one was last heard of, by a clock that may have gone back */
	bool far;	    /* clock changes of years happen */
	bool prunes;	    /* retention is short: rows may be gone */
	bool missions;	    /* some reminders run, and there are crons */
	bool recovering;
	int64_t concurrent; /* maxConcurrent of the configuration, as the oracle knows it */
	struct process processes[PROCESSES_MAX];
	size_t process_count;
	int64_t starts[PROCESSES_MAX]; /* runs that wait for their wrapper */
	size_t start_count;
	int pids;
	struct run_memory *runs;
	size_t run_count;
	struct waiting waiting[PROCESSES_MAX];
	size_t waiting_count;
	struct db *db;
	struct engine *engine;
	/* bit 0: builder has a deliver command; bit 1: helper has; bit 2: no crons */
	struct config *configs[CONFIGS];
	int config;
	struct model model;
	struct running running[RUNNING_MAX];
	size_t running_count;
	usec_t wake;
	int64_t turns, crashes, fires; /* for --verbose */
	bool looked;		       /* the engine had a turn to see the clock in */
	/* Of the clock as it goes now: what the engine may have seen, and surely has by deciding. */
	usec_t clock_most, decided_most;
	bool came_back; /* in this turn a reminder did */
	struct sighting *sightings;
	size_t sighting_count, sighting_cap;
	int64_t slots_seen, missions_seen;
	enum mutant mutant;
	bool mutated;
	char *broken; /* the first promise that was broken; NULL while all hold */
};

#define broke(w, ...) world_broke((w), mem_printf(__VA_ARGS__))
void world_broke(struct world *w, char *stolen);
#define tell(w, ...)                                                                               \
	do {                                                                                       \
		if ((w)->verbose)                                                                  \
			world_tell((w), __VA_ARGS__);                                              \
	} while (0)
void world_tell(const struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* turn.c: like the daemon's */
enum crash { CRASH_NONE, CRASH_BEFORE_COMMIT, CRASH_BEFORE_JOBS, CRASH_AFTER_JOBS };
struct turn_plan {
	enum crash crash;
	int requests;	 /* how many */
	int end_percent; /* how likely each running job ends now */
	bool kind;	 /* deliveries mostly succeed */
	bool pause_all;	 /* nothing is to become due any more */
};
void turn_run(struct world *w, const struct turn_plan *plan);
void turn_crash(struct world *w);
/* Turns at the same instant until the engine asks for none; unbounded asking is a fault. */
void turn_settle(struct world *w, const struct turn_plan *plan);

/* ask.c: requests, and what they mean to the oracle */
void ask_random(struct world *w);
int ask_run(struct world *w, const char *row, json_t *stolen_args, json_t **ret);
void ask_pause_all(struct world *w);
struct memory *model_find(struct world *w, const char *id);

/* oracle.c */
void oracle_before_fire(struct world *w);
void oracle_clock(struct world *w);   /* before every turn */
void oracle_observe(struct world *w); /* after every commit, cheap */
void oracle_check(struct world *w);   /* everything */
void oracle_final(struct world *w);   /* after recovery and quiet turns */
uint64_t oracle_fingerprint(struct world *w);
void oracle_running(struct world *w); /* what waits for a child has one */
void oracle_started(struct world *w, const struct running *started);

/* wrapper.c: processes of missions */
int wrapper_inputs(struct world *w, const struct turn_plan *plan, struct error *err);
void wrapper_committed(struct world *w);
void wrapper_act(struct world *w);
bool wrapper_job(struct world *w, const struct job *job); /* whether it was one for a wrapper */
int wrapper_attach(struct world *w, struct mission *m, struct error *err);
void wrapper_new_limit(struct world *w);
void wrapper_crash(struct world *w);
void wrapper_recovered(struct world *w);
bool wrapper_idle(const struct world *w);
struct run_memory *run_memory(struct world *w, int64_t run);

/* ask-mission.c */
void ask_mission(struct world *w);
void ask_make_run(struct world *w, struct memory *m, const char *id);
int64_t crons_limit(int config); /* its maxConcurrent */
void put_crons(struct world *w, struct buf *out, int config);

/* ask-inbox.c */
int ask_inbox(struct world *w, const struct mission *m, struct error *err);

/* oracle-inbox.c */
void oracle_inbox_check(struct world *w, bool quiet);

/* oracle-mission.c */
void oracle_gate(struct world *w, struct process *p);	 /* it is let through */
void oracle_wish(struct world *w, int64_t run);		 /* its start was decided */
void oracle_missions(struct world *w);			 /* after every commit and its acts */
void oracle_missions_check(struct world *w, bool quiet); /* everything */
void oracle_sightings(struct world *w);
struct sighting *sighting_of(const struct world *w, int64_t slot); /* NULL: never seen */

/* mutate.c: returns whether there was something to damage */
bool mutate(struct world *w);

/* year.c: a year of crons */
bool year_run(bool verbose);

/* idle.c: reminders of an agent that is idle now and then; the caller frees *ret_broken */
bool idle_run(uint64_t seed, bool verbose, char **ret_broken);

/* store.c: a world's store is given back at its end, and the next world gets it emptied. */
int world_store_open(struct db **ret, struct error *err);
void world_store_close(struct db *stolen, bool sound);
void world_store_keep(struct db *db, const char *path); /* a copy, to be looked at */
void world_stores_free(void);

/* world.c: one seed; false when a promise was broken (*ret_broken, the caller frees) */
struct plan {
	uint64_t seed;
	enum mutant mutant;
	bool verbose;
	const char *keep; /* a file for the store of a world that broke; NULL: none */
};
bool world_run(const struct plan *plan, bool *ret_mutated, char **ret_broken);
