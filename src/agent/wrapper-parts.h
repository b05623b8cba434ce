#pragma once
/*
 * The parts a wrapper is made of, each a file:
 *	log.c             what a child says: output.log, and the newest bytes in memory
 *	tree.c            everything below a process, found and ended
 *	cgroup.c          the same by the kernel's own means, where it lets us
 *	wrapper-start.c   fork and exec
 *	wrapper-watch.c   the loop above one child, until nothing of it is left
 *	workspace*.c      the mission's folder: copies of a template and of a repository
 *	wrapper-end.c     how it ended, in words
 *	chore.c           the same loop above a command of the daemon's own
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/wrapper.h"
#include "base/buf.h"

/* ---- log.c ---- */

#define LOG_SIZE_MAX ((int64_t)10 * 1000 * 1000) /* then it becomes output.log.1 */
#define LOG_OLDER 3				 /* .1 to .3 */

/* output.log of a run. Writing never fails: what a full disk refuses is counted and noted. */
struct run_log;
int run_log_open(const char *folder, struct run_log **ret, struct error *err);
void run_log_add(struct run_log *log, const char *bytes, size_t len);
/* A line of our own, marked as such. NULL log: onto standard error. */
void run_log_note(struct run_log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_log_close(struct run_log *log); /* NULL is fine */
DEFINE_AUTO(struct run_log, run_log_close)
/*
 * Give room back to a full disk: the oldest file, else the older half of the last one, which says so. False
 * when nothing is left.
 */
bool run_log_make_room(const char *folder);

/* The newest `size` bytes of a stream. It is read into in place, so nothing is copied. */
struct ring {
	char *data; /* NULL until the first byte */
	size_t size;
	uint64_t total; /* ever put in */
};
/* Where the next bytes go, and how many fit there. */
char *ring_space(struct ring *r, size_t *ret_len);
/* The newest at most `max` bytes, in order, onto the end of ret. */
void ring_newest(const struct ring *r, size_t max, struct buf *ret);
void ring_fini(struct ring *r);

/* ---- tree.c ---- */

struct pid_list {
	pid_t *pids;
	size_t count, cap;
};
void pid_list_add(struct pid_list *list, pid_t pid);
void pid_list_fini(struct pid_list *list);
#define AUTO_PIDS __attribute__((cleanup(pid_list_fini)))

/* Processes below those of `roots` (which are not listed), without the dead; parents first. */
void tree_below(const struct pid_list *roots, struct pid_list *ret);
/* The first file that it, or a process below it, holds open whose path matches. The caller frees; NULL: none. */
char *tree_open_file(pid_t root, const char *pattern);

/*
 * End everything `find` finds: all of it is stopped first, so that none can fork away from us, then
 * killed, until nothing is found or `limit` has passed. `tend` is called between looks (NULL: not);
 * who has children reaps them there. Returns how many are left.
 */
struct hunt {
	void (*find)(void *data, struct pid_list *ret);
	void (*tend)(void *data);
	void *data;
};
size_t tree_hunt(const struct hunt *h, usec_t limit);

/* ---- cgroup.c ---- */

/*
 * A control group of the run's own below ours, when ours has been delegated to us. NULL: there is
 * none, which is no error. BELFRY_CGROUP names the folder to make it in, for tests.
 */
char *cgroup_make(const char *run);
/* Find out beforehand where: it takes longer than the rest, and does not change. */
void cgroup_look(void);
/* The same, but only when it is there already: for a sweep. */
char *cgroup_find(const char *run);
void cgroup_kill(const char *path);   /* all in it, at once */
void cgroup_remove(const char *path); /* when it is empty */

/* ---- wrapper-start.c and wrapper-watch.c ---- */

struct launch {
	const char *const *argv;
	char *const *environment; /* all of it */
	const char *directory;
	int input;		       /* its standard input; -1: /dev/null */
	bool interactive;	       /* standard streams are ours */
	bool is_helper;		       /* its output is for us, only its errors are logged */
	bool no_output;		       /* nobody wants it: /dev/null */
	const char *cgroup;	       /* a control group it enters; NULL: none */
	const struct adapter *adapter; /* who is listened to; NULL: nobody */
	usec_t time_limit;	       /* 0: none */
	usec_t grace;		       /* 0: it is not asked, but ended */
};

/* Why we ended it; what it did by itself has no cause. */
enum cause { CAUSE_NONE, CAUSE_TIMEOUT, CAUSE_KILLED, CAUSE_SHUTDOWN };

/* A child, and what became of it. The rings are what it said last. */
struct child {
	pid_t pid;
	int streams[2]; /* what we read: standard output and error; -1: closed */
	struct ring said[2];
	struct adapter_hearing heard; /* of the agent */
	bool gone;
	int status; /* as waitpid() tells it */
	enum cause cause;
	size_t left; /* processes below that could not be ended */
};
void child_fini(struct child *c);
#define AUTO_CHILD __attribute__((cleanup(child_fini)))

/* Start it. Failure says whether its folder or its command was missing; nothing runs then. */
int child_start(const struct launch *l, struct child *ret, struct error *err);

/* What the wrapper knows all along. */
struct wrapper {
	const struct order *order;
	const struct wrapper_place *place;
	char *run;	 /* "mis-k3f9x2/1" */
	char *mission;	 /* missions/ID */
	char *folder;	 /* missions/ID/runs/NUMBER */
	char *workspace; /* missions/ID/agent */
	char **environment;
	char *own[8]; /* of it, what we added */
	char *bin;    /* missions/ID/bin, when the agent's `belfry` has to come from there */
	struct process_id self;
	struct run_log *log;	    /* NULL: interactive */
	int signals;		    /* a signalfd of those we answer to */
	int heartbeat;		    /* the file */
	int gate;		    /* -1: there is none */
	bool leashed;		    /* all of it ends when the other end of the gate is closed */
	usec_t beat_every, beat_at; /* 0: its heart is not looked at */
	enum cause asked;	    /* somebody wants the end of all this */
	usec_t limit_at; /* when its time is up, as clock_monotonic() tells it; 0: never */
};

/* From now on signals wait in the descriptor that wrapper_signals() opens, for -1 and errno on failure. */
void wrapper_block_signals(sigset_t *ret_old);
int wrapper_signals(void);
/* A text as a file to be read: it has no limit, and whoever does not read it blocks nobody. */
int input_file(const char *text, int *ret, struct error *err);
/* Wait at the gate: false when whoever held it went away. */
bool gate_opens(int fd);
/* Whether the daemon that opened the gate still holds it. */
bool wrapper_is_watched(const struct wrapper *w);
/* Take the signals that have arrived; SIGCHLD is only noticed. Returns how many asked for the end. */
int wrapper_take_signals(struct wrapper *w, bool *ret_child);
/* Between two steps of slow work: beats the heart; ERR_CONFLICT when w->asked is set. */
int wrapper_check(struct wrapper *w, struct error *err);
/* Stay until the child and everything below us are gone, and all it said is read. */
void wrapper_watch(struct wrapper *w, const struct launch *l, struct child *c);
/* Start and watch. */
int wrapper_carry_out(struct wrapper *w, const struct launch *l, struct child *ret,
		      struct error *err);

/* ---- wrapper-environment.c ---- */

/* `base`, with what `added` says in its place. New array, borrowed texts. */
char **environment_with(char *const *base, char *const *added);
/* Whether a program that is looked for by `name` in `path` is the file `program`. */
bool path_leads_to(const char *path, const char *name, const char *program);
/* The agent's environment: w->environment, w->own and w->bin. Touches nothing. */
void wrapper_make_environment(struct wrapper *w);
/* Make w->bin, when it is needed. */
int wrapper_make_bin(const struct wrapper *w, struct error *err);

/* ---- workspace*.c ---- */

/* The mission's folder is there, with its copies. ERR_CONFLICT: w->asked was set meanwhile. */
int workspace_prepare(struct wrapper *w, struct error *err);
/* Copy a folder as `to`, which is not there yet. On failure a part of it may be. */
int folder_copy(struct wrapper *w, const char *from, const char *to, struct error *err);
/* Delete a folder and all in it; links are not followed. A missing one is fine. */
int folder_remove(const char *path, struct error *err);
/* A clone of the repository as `to`, by way of the cache. */
int repository_clone(struct wrapper *w, const struct order_source *s, const char *to,
		     struct error *err);

/* ---- wrapper-end.c ---- */

/* Write end.json of an agent that ran, and answer.md. */
int wrapper_write_end(struct wrapper *w, const struct child *c, usec_t started_at,
		      struct error *err);
/* The same of one that never did. */
int wrapper_write_failure(struct wrapper *w, const struct error *why, struct error *err);
/* "mis-", or "thr-", and letters and digits: a name that is safe in a path. */
bool mission_id_is_safe(const char *id);
bool thread_id_is_safe(const char *id);
