#pragma once
/*
 * An order: everything a wrapper has to know to carry out one run, as one JSON object. It is made
 * in the turn that decides the start and handed to the wrapper as a file descriptor, so a wrapper
 * needs neither daemon nor store nor config.yml. What the run left behind is its end.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/adapter.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"

#define ORDER_MAX ((size_t)16 * 1024 * 1024) /* bytes of its JSON */
#define RUN_GRACE (30 * USEC_PER_SEC)	     /* between SIGTERM and SIGKILL */

/* A folder or repository that is copied into the mission. */
struct order_source {
	char *name;   /* as in config.yml */
	char *origin; /* a folder, or what git clones */
	bool is_git;
};

struct order {
	char *mission;	  /* "mis-k3f9x2" */
	int64_t number;	  /* of the run, from 1: its files are in missions/ID/runs/NUMBER */
	bool interactive; /* the terminal is the agent's; no log, no time limit */
	struct adapter *adapter;
	enum adapter_use use;
	char **args;	    /* the agent's own arguments; NULL: none */
	char *prompt;	    /* "" when there is none */
	char *instructions; /* of the agent's role; NULL: none */
	char *session;	    /* of the conversation; NULL: none yet */
	char **environment; /* "NAME=VALUE" beside the inherited ones; NULL: none */
	char **secrets;	    /* a command that is put in front of the agent's; NULL: none */
	char *directory;    /* where it runs; NULL: the mission's own folder missions/ID/agent */
	struct order_source *template; /* copied to missions/ID/agent, once; NULL: none */
	struct order_source *git;      /* copied to missions/ID/agent/NAME, once; NULL: none */
	usec_t time_limit;	       /* 0: none */
	usec_t grace;		       /* SIGTERM to SIGKILL */
};
void order_free(struct order *o);
DEFINE_AUTO(struct order, order_free)

char *order_format(const struct order *o); /* caller frees; texts are UTF-8 */
/* Every field must be there, and no other: an order is whole or refused. */
int order_parse(const char *text, size_t len, struct order **ret, struct error *err);

/*
 * What the daemon runs for the clock and for its queues (a condition, a deliver command), as another JSON object:
 * the process above it (chore.c) knows nothing else.
 */
struct chore {
	char **argv;	    /* argv[0] is looked up in PATH */
	char **environment; /* "NAME=VALUE" beside the inherited ones; NULL: none */
	char *directory;
	char *input;	   /* its standard input; NULL: /dev/null */
	usec_t time_limit; /* then it is ended */
	usec_t grace;	   /* SIGTERM to SIGKILL; 0: it is not asked */
	bool leashed;	   /* it ends with whoever wanted it; else it goes on */
};
char *chore_format(const struct chore *c); /* caller frees; texts are UTF-8 */
int chore_parse(const char *text, size_t len, struct chore **ret, struct error *err);
void chore_free(struct chore *c);
DEFINE_AUTO(struct chore, chore_free)

/* Which process it is: pids are given out again, and so are they after a reboot. */
struct process_id {
	pid_t pid;
	int64_t start; /* clock ticks after boot, field 22 of /proc/PID/stat */
	char boot[40]; /* /proc/sys/kernel/random/boot_id; BELFRY_BOOT_ID overrides it, for tests */
};
int process_identify(pid_t pid, struct process_id *ret,
		     struct error *err); /* ERR_NOT_FOUND: gone */
/* Its parent (0: none that can be seen from here) and when it began itself. -1: it is gone. */
int process_parent(pid_t pid, pid_t *ret, int64_t *ret_start);
bool process_lives(const struct process_id *id); /* that very process, and not a zombie */
/* It began since the machine did. False when that cannot be found out. */
bool process_is_of_this_boot(const struct process_id *id);
/*
 * A descriptor of that very process, or -1 when it is gone. Becomes readable at its end. errno is
 * ESRCH when it is gone; anything else (EMFILE) means that it could not be looked at.
 */
int process_open(const struct process_id *id);

/*
 * How a run ended: runs/NUMBER/end.json. It is renamed into place, so who reads it finds it whole;
 * only a power failure at that moment can leave one that is none, and then reading it fails.
 */
struct end {
	char reason[20]; /* success error timeout killed daemon_shutdown, or not_started */
	int exit_code;	 /* -1 when a signal ended it, or it never began */
	int signal;	 /* 0 when none */
	usec_t started_at, finished_at; /* started_at USEC_NONE: the agent was never started */
	char *answer;	    /* up to END_ANSWER_MAX bytes of it; all of it is in answer.md */
	char *error;	    /* for people; NULL when there is none */
	char *session;	    /* NULL: as ordered */
	int64_t cost;	    /* millionths of a dollar; -1 when unknown */
	int64_t denied;	    /* tool calls that were denied */
	char *denied_calls; /* the first of them; NULL when there were none */
	bool told;	    /* on a terminal: its hooks say that it got a prompt */
};
/* In the run's folder: how many bytes of output came before the present output.log. */
#define LOG_START_FILE "log-start"
#define SESSION_FILE "session" /* in the run's folder: the id, as soon as it was told */
#define END_ANSWER_MAX ((size_t)16 * 1024)
/* How one begins that is the end of a longer text: "[… 4096 bytes before this are in answer.md]". */
#define END_ANSWER_CUT "[… "
void end_fini(struct end *e);
/* Take the room that an end needs, so that an agent that fills the disk can still have one. */
void end_reserve(const char *folder);
/* Write it into the run's folder; `durable`: on disk when this returns. Texts may be any bytes: they are cleaned. */
int end_write(const char *folder, const struct end *e, bool durable, struct error *err);
int end_read(const char *folder, struct end *ret, struct error *err); /* ERR_NOT_FOUND: none yet */
