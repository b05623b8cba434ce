#pragma once
/*
 * Who asks. A surface hands in a claim, made of how the asking process was started:
 *
 *	{"surface": "mcp", "user": "alice", "session": "…", "agent": "builder",
 *	 "mission": "mis-k3f9x2", "process": {"pid": 1, "pid_start": 2, "boot": "…"}}
 *
 * Every key may be missing; none at all is the person at the command line. The mission whose run the
 * process is part of, by the kernel's word, wins over the claim, and `mission` over the rest of that: a run
 * works for the user of its mission, and with no more trust than that carries. `process` is the client's, which
 * finds the session its hooks have told of, also after the client began another one. A session of a
 * channel (its name has a ':') is another user's only with a token that is bound to it, or where the address
 * in it is one of theirs.
 */
#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "request/request.h"

struct config;
struct db;
struct home;
struct mission;
struct reminder;

#define CALLER_USER_MAX 80 /* a name has 64 bytes */

/*
 * The process that asks, as the kernel names it. Whoever is below a run is that run, whatever its
 * environment says. What was found is kept: the parents of a process do not become others, but for those
 * that were above it before.
 */
struct caller_process;
/* For whom the command below this process runs: fills in `trust` and what follows it. False: it keeps none. */
typedef bool caller_find_command(void *data, pid_t keeper, int64_t start,
				 struct caller_process *ret);
struct caller_process {
	pid_t pid; /* 0: from elsewhere, so of no run here */
	int pidfd; /* of that very process; -1: it is this one, which cannot be gone */
	const struct home *home; /* whose nursery and windows are ours; NULL: not known */
	int64_t brand; /* so, or deeper, all are branded that come from us; 0: none are (agent/brand.h) */
	caller_find_command *find_command; /* NULL: no daemon asks */
	void *find_data;
	bool known; /* the rest was found out */
	bool gone;  /* it ended before it could be looked at: it may have been anybody */
	int blind;  /* the errno that kept us from looking at it: it may be anybody; 0 */
	bool stray; /* it comes from something we started, and nobody knows from what */
	bool window; /* a stray that Belfry's tmux has started: the host of a live agent, as in every window */
	bool command; /* it is below a command that Belfry runs, and asks for whoever that is run for */
	enum trust trust;	    /* then: what the command carries */
	char user[CALLER_USER_MAX]; /* likewise */
	int64_t mission;	    /* whose run it belongs to, or whose command; 0: none */
};
/* Find that out, once. Inside a turn. */
int caller_process_look(struct db *db, struct caller_process *p, struct error *err);
/* Looking failed so: where that says nothing of the process (too many open files), it is noted. */
static inline void caller_process_blind(struct caller_process *p, int os_errno)
{
	if (os_errno == EMFILE || os_errno == ENFILE || os_errno == ENOMEM)
		p->blind = os_errno;
}
/* Its number, start and boot, by the kernel. False when it has ended, or is on no machine of ours. */
struct process_id;
bool caller_process_name(const struct caller_process *p, struct process_id *ret);

/*
 * Fill in *ret, whose `login`, `process` and `bound` are set already, and whose texts are owned by `keep` (a JSON object made here; the caller frees it when the
 * request is done). Inside a turn. A claim that names a mission that is not there is ERR_DENIED for a
 * tool, and ERR_NOT_FOUND elsewhere.
 */
int caller_resolve(struct engine *e, const json_t *claim, usec_t now, json_t **ret_keep,
		   struct caller *ret, struct error *err);

/* Whether this caller may use this row at all: ERR_DENIED, and the error mentions trust. */
int caller_may(const struct caller *c, const struct request_row *row, struct error *err);

/* Whether it works for the person at this machine, themselves or by a run or a tool. */
static inline bool caller_is_person(const struct caller *c)
{
	return strcmp(c->user, "me") == 0;
}

/*
 * Whether it is a run, a command that Belfry runs for one or for another user, or something of which nobody
 * knows whose it is. Such a caller has what is its own, and no act of the person's: all checks ask this.
 */
static inline bool caller_is_run(const struct caller *c)
{
	return c->mission || c->lent || c->unknown;
}

/* Who it is by `made_by` of what it makes: the key of its mission, MADE_BY_SOME, or 0 for no run. */
int64_t caller_maker(const struct caller *c);

/* "stopped by hand" of the person themselves; else it names the run, or the user. The caller frees. */
char *caller_did(const struct caller *c, const char *done);

/* Whose rows it may see: its user, or NULL for all of them. */
static inline const char *caller_scope(const struct caller *c)
{
	return c->scoped ? c->user : NULL;
}

/*
 * A new reminder of this caller, whose agent is set: owner, trust, session, made_by, source, and the
 * targets of its deliveries, frozen here. A run that has made too many is ERR_CONFLICT
 * (CALLER_PENDING_MAX, CALLER_RATE_MAX), and one for another agent without full trust ERR_DENIED.
 */
int caller_stamp(const struct request *rq, struct reminder *r, struct error *err);
/* The same of a mission that is ordered by hand: owner, trust, made_by. */
int caller_stamp_mission(const struct request *rq, struct mission *m, struct error *err);
/*
 * What a run may do to what is not its own, in caller-may.c; nobody else is refused anything here.
 * Schedule for this agent, or change what is scheduled for it: its own, others with full trust.
 */
int caller_check_agent(const struct request *rq, const char *agent, struct error *err);
/*
 * Change this reminder, by "pause", "edit" or whatever the verb is: the same; what the run's own mission has made is
 * its own, and what a file declares the person's. They are told of what was theirs, and what it was. Once a change.
 */
int caller_check_reminder(const struct request *rq, const struct reminder *r, const char *verb,
			  struct error *err);
/* Stop this mission; stop or restart this live agent: of its own agent, others with full trust; and likewise told. */
int caller_check_stop(const struct request *rq, const struct mission *m, struct error *err);
int caller_check_live(const struct request *rq, const char *agent, const char *verb,
		      struct error *err);
/* Go on with this mission: the same; never while the person is asked something there. */
int caller_check_resume(const struct request *rq, const struct mission *m, struct error *err);
/* Speak or take in the name of this agent: only of its own, whatever the trust. */
int caller_check_voice(const struct request *rq, const char *agent, struct error *err);
/*
 * It wants to be the wrapper of a run, and says so by `pid` (mission.c). Returns 1 and who it is by the kernel, 0
 * when it does not want to. ERR_DENIED: it names another process than its own, or is of a run itself.
 */
int caller_attends(const struct request *rq, const json_t *args, struct process_id *ret,
		   struct error *err);
/* Put this mission away: only one that its own mission has ordered, whatever the trust. */
int caller_check_mission(const struct request *rq, const struct mission *m, struct error *err);
#define CALLER_PENDING_MAX 50 /* active reminders that runs have made for one user */
#define CALLER_RATE_MAX 30    /* reminders and missions that they have made in an hour */

/*
 * Where the answers to what a user (NULL: nobody known) asked for in a session (NULL: in none) go:
 * "channel:target", a JSON array.
 * For the person at this machine it is their inbox ("inbox:me"). Of others it is where they are found: a
 * direct conversation ("AGENT:dm:CHANNEL:TARGET") is its own target, else all of the user's patterns that
 * are no terminal. Nothing serves those yet: what would go there is put into the inbox, and says so.
 */
json_t *caller_targets(const struct config *config, const char *session, const char *user);
/* "CHANNEL:TARGET" of "AGENT:dm:CHANNEL:TARGET"; NULL when it names none that can be written to. */
const char *caller_address(const char *session);
