#pragma once
/*
 * Missions and their runs. A mission is one piece of work for an agent, with a folder of its own;
 * a run is one process that worked on it: an attempt, a further attempt after a failure, a resume.
 * At most one run of a mission is open at a time: two resumes of one conversation lose a turn.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/words.h"

#define MISSION_ID_MAX 16

enum { RETRY_FAILURE = 1, RETRY_TIMEOUT = 2, RETRY_LOST = 4, RETRY_ALL = 7 }; /* bits of retry_on */

struct mission {
	int64_t key;
	char id[MISSION_ID_MAX]; /* "mis-" and six characters */
	int64_t reminder, slot;	 /* 0 when it came from none, or that is gone */
	enum door door;
	char *origin; /* the name of its cron, task or reminder, kept when that is gone; NULL */
	char *agent, *prompt;
	char *git; /* a repository copied into it; NULL */

	enum phase phase;
	enum ending
		outcome; /* of its last run, or killed before the next; none while none has ended */
	char *reason;	 /* for people: why it waits, how it ended */
	char *stop_reason; /* why it is being stopped; NULL when it is not */

	usec_t nominal;	 /* its place in line */
	usec_t ready_at; /* not before (back-off) */
	usec_t wait_until; /* given up when it has not started by then; USEC_NONE: never, or started */
	usec_t time_limit; /* 0: none */
	int64_t max_attempts, retry_on;
	usec_t backoff; /* before the second attempt, twice as long before each further one */

	int64_t attempts; /* begun */
	int64_t runs;	  /* begun, resumes too: the number of the last one */
	char *owner;	  /* the user it works for; NULL when inserted: `me`, fully trusted */
	enum trust trust; /* that it carries: of its reminder, or of its user now if that is less */
	int64_t made_by;  /* the mission whose run ordered it by hand; 0: none */
	char *session;	  /* the agent's name for the conversation; NULL until it is known */
	int64_t cost;	  /* of all runs, in millionths of a dollar; 0 when unknown */
	int64_t denied;	  /* tool calls of its last run that were denied */
	usec_t created_at, started_at, ended_at, archived_at; /* USEC_NONE while not */
};
void mission_free(struct mission *m);
DEFINE_AUTO(struct mission, mission_free)

struct mission_list {
	struct mission **items;
	size_t count;
};
void mission_list_fini(struct mission_list *list);
#define AUTO_MISSIONS __attribute__((cleanup(mission_list_fini)))

int mission_insert(struct db *db, struct mission *m, struct error *err); /* sets key and id */
/* Write everything but key, id, reminder, slot, door, origin, agent, prompt, git, created_at, owner,
 * trust, made_by. */
int mission_update(struct db *db, const struct mission *m, struct error *err);
int mission_get(struct db *db, int64_t key, struct mission **ret, struct error *err);
/* By id or unique prefix of one; ERR_NOT_FOUND, ERR_CONFLICT as reminder_find(). */
int mission_find(struct db *db, const char *ref, struct mission **ret, struct error *err);
/* The same among what belongs to `owner` (NULL: everything): as if there were nothing else. */
int mission_find_of(struct db *db, const char *owner, const char *ref, struct mission **ret,
		    struct error *err);
/* By its whole id; *ret is NULL when there is none. */
int mission_of_id(struct db *db, const char *id, struct mission **ret, struct error *err);
int mission_of_slot(struct db *db, int64_t slot, struct mission **ret,
		    struct error *err); /* or NULL */
int mission_delete(struct db *db, int64_t key,
		   struct error *err); /* with its runs and its thread */

struct mission_filter {
	const char *origin; /* NULL: all */
	const char *owner;  /* only this user's; NULL: all */
	int door;	    /* -1: all */
	const char *agent;  /* NULL: all */
	int64_t reminder;   /* 0: all */
	bool archived;	    /* archived ones too */
	bool open_only;	    /* not ended yet */
	bool ended_only;    /* ended; not with the one before */
	int64_t before;	    /* key of the last row of the page before, 0 for the first */
	int limit;
};
/* Newest first; never those being removed. */
int mission_list(struct db *db, const struct mission_filter *f, struct mission_list *ret,
		 struct error *err);

/* How many there are of an agent, a door and an owner, on all pages. */
int mission_count(struct db *db, const struct mission_filter *f, int64_t *ret, struct error *err);

/* In line and ready, by nominal instant. */
int mission_ready(struct db *db, usec_t now, int limit, struct mission_list *ret,
		  struct error *err);
/* Waiting or behind, and given up by now. */
int mission_expired(struct db *db, usec_t now, int limit, struct mission_list *ret,
		    struct error *err);
/* The smallest ready_at in line after `now`, and the smallest wait_until; USEC_NONE: none. */
int mission_next(struct db *db, usec_t now, usec_t *ret_ready, usec_t *ret_until,
		 struct error *err);
/* Starting or running, not interactive; of one agent, or of all (NULL). */
int mission_count_running(struct db *db, const char *agent, int64_t *ret, struct error *err);
/* Waiting or behind, for status. */
int mission_count_waiting(struct db *db, int64_t *ret, struct error *err);
/* Of a reminder: not ended yet, oldest first. */
int mission_open_of(struct db *db, int64_t reminder, struct mission_list *ret, struct error *err);
/* In that phase, for recovery; oldest first. */
int mission_in_phase(struct db *db, enum phase phase, struct mission_list *ret, struct error *err);
/* Of a reminder, ended and not archived, beyond the newest `keep`: those retention archives. */
int mission_surplus(struct db *db, int64_t reminder, int64_t keep, struct mission_list *ret,
		    struct error *err);
/* Ended before `before`, and nothing in its thread waits for anybody (what is unread does, unless
 * the thread was archived): the oldest `limit`, for retention. */
int mission_old(struct db *db, usec_t before, int limit, struct mission_list *ret,
		struct error *err);

struct run {
	int64_t key, mission;
	int64_t number;	 /* from 1 in its mission: the name of its folder */
	int64_t attempt; /* of the slot; 0 of a resume */
	enum run_kind kind;
	char *prompt; /* of a resume; NULL: the mission's */
	/* The wrapper's process; pid 0 while it is not known: then the run provably never ran. */
	int64_t pid, pid_start;
	char *boot;
	usec_t begun_at;    /* when its start was decided */
	usec_t started_at;  /* of the agent; USEC_NONE while not */
	usec_t finished_at; /* USEC_NONE: it is open */
	usec_t overdue_at; /* a wrapper that still lives then has failed itself; USEC_NONE: no limit */
	enum ending ending;
	int64_t exit_code, signal;	/* exit_code -1 when there is none */
	char *answer, *error, *session; /* NULL when there is none */
	char *denied; /* "2 tool calls were denied: …"; NULL when there were none */
	int64_t cost; /* -1 when unknown */
	bool told;    /* not stored: whether it was seen to get its prompt, on a terminal */
};
void run_free(struct run *r);
DEFINE_AUTO(struct run, run_free)

struct run_list {
	struct run **items;
	size_t count;
};
void run_list_fini(struct run_list *list);
#define AUTO_RUNS __attribute__((cleanup(run_list_fini)))

int run_insert(struct db *db, struct run *r, struct error *err); /* sets key */
/* Write everything but key, mission, number, attempt, kind, prompt, begun_at. */
int run_update(struct db *db, const struct run *r, struct error *err);
int run_get(struct db *db, int64_t key, struct run **ret, struct error *err);
/* Newest first. */
int run_list(struct db *db, int64_t mission, struct run_list *ret, struct error *err);
int run_last(struct db *db, int64_t mission, struct run **ret, struct error *err); /* or NULL */
/* Not finished, for recovery. */
int run_open(struct db *db, struct run_list *ret, struct error *err);
/* The same of those that have a process, only to look at. */
int run_living(struct db *db, struct run_list *ret, struct error *err);
/* Open and overdue by now; the smallest overdue_at of the open ones. */
int run_overdue(struct db *db, usec_t now, struct run_list *ret, struct error *err);
int run_next_overdue(struct db *db, usec_t *ret, struct error *err);
