#pragma once
/*
 * The wrapper: the process above one run of an agent. It needs no daemon to finish well.
 *
 *	gate      it blocks until one byte says that its pid is committed; end-of-file: exit, nothing ran
 *	prepare   folder, pid file, copies of template and repository
 *	run       the agent in a group and session of its own, below a subreaper: nothing it starts escapes
 *	end       everything below it is gone, then end.json is renamed into place
 *
 * SIGTERM: end the run as `killed`. SIGINT: as `daemon_shutdown`. Both are passed on (SIGINT as
 * SIGINT), then the grace period, then SIGKILL of everything below. A second signal ends the grace.
 *
 * Files of a run, in missions/ID/runs/NUMBER (0700, files 0600):
 *	pid         written with O_EXCL before the agent starts: "PID START BOOT\n" of the wrapper;
 *	            a run without it never ran, and a second wrapper on the same run refuses. It
 *	            is not synced: of a run of another boot its absence says nothing
 *	heartbeat   touched every 30 s
 *	output.log  stdout and stderr, .1 to .3 are older ones
 *	log-start   how many bytes came before the present output.log, once it was rotated
 *	session     the id of the conversation, once it was told while it ran
 *	answer.md   the agent's answer
 *	end.json    how it ended; its room on the disk is taken at the start, as end.json.new
 * Of a run on a terminal whose client has hooks, missions/ID has hooks.json, which makes it call `belfry
 * hook`, and the journal that writes: events (see presence.h).
 * When `belfry` in the agent's PATH would be no program, or another one, missions/ID/bin has a link to
 * ours and comes first: so nothing else in the PATH is hidden, as by the folder we are installed in.
 * Every process of the run has BELFRY_RUN=ID/NUMBER in its environment, so that a sweep finds what
 * is left when the wrapper itself was killed.
 */
#include "agent/order.h"

struct wrapper_place {
	const char *missions; /* the folder of all missions */
	const char *repos;    /* the cache of repositories */
	/* How an agent comes back to us: NULL leaves that to what it inherits. */
	const char *program;	  /* the `belfry` it is to find in its PATH */
	char *const *environment; /* "NAME=VALUE" by which that one finds this home */
};

/* Whether runs of that daemon get a control group each: then nothing of a run outlives it. */
bool wrapper_has_groups(pid_t daemon);

/* gate_fd < 0: there is no gate. Returns the exit status: 0 when an end was written. */
int wrapper_run(const struct order *o, const struct wrapper_place *place, int gate_fd);

/* Kill every process of ours that carries BELFRY_RUN=`run` of these missions, until none is left or
 * 10 s passed. Returns how many are left. With CHORE_SWEEP: every one that a killed keeper of theirs has left. */
int wrapper_sweep(const char *missions, const char *run);
#define CHORE_SWEEP "commands"

/*
 * A command below a process of its own, its keeper, which ends everything the command has started: when the
 * command has ended, when its time is up, and (on a leash) at once when the other end of the gate is closed. So
 * it never outlives whoever wanted it. One byte at the gate lets it begin; what became of it comes back as one
 * packet. All below a keeper have BELFRY_COMMAND=PID.START:MISSIONS of it, by which a sweep knows that it is gone.
 */
#define CHORE_TEXT_MAX 2048
struct chore_end {
	int exit_status, signal; /* one of them, when it was started */
	bool started, timed_out;
	/* why it was not, or its last words on standard error; clean */
	char text[CHORE_TEXT_MAX + 1];
};
void chore_run(const struct chore *c, const struct wrapper_place *place, int gate_fd);

/* Kill every process below this one, until none is left or 10 s passed. Returns how many are left. */
size_t wrapper_end_below(void);

/* What the process above a wrapper in the person's terminal calls itself, in the folder of the socket. */
#define KEEPER_NAME "belfry-keeper"

/* Delete the folder of a mission or of a thread, by the shape of its id, following no link.
 * ERR_INVALID for what is the id of neither. */
int wrapper_remove(const char *missions, const char *threads, const char *id, struct error *err);

/*
 * The nursery: a small process that forks wrappers and keepers for the daemon, since a fork without exec
 * costs a fraction of starting a program. It serves one SOCK_SEQPACKET socket and ends with it.
 *	request   struct nursery_request + SCM_RIGHTS {order, gate}   (order: a file to read from 0)
 *	reply     struct nursery_reply + SCM_RIGHTS {pidfd}           (none when it failed)
 */
struct nursery_request {
	int64_t run; /* NURSERY_CHORE: the order is a command's, and its gate a socket of packets */
};
#define NURSERY_CHORE 0
struct nursery_reply {
	int64_t run;
	struct process_id process;
	int os_errno; /* 0: it was forked */
};
/*
 * Who starts a nursery gives it this variable: then the loader finds all functions once, and not
 * each wrapper those it needs. Any value would do; this one says that it is not a person's own.
 */
#define NURSERY_BINDING_NAME "LD_BIND_NOW"
#define NURSERY_BINDING_VALUE "belfry"
int nursery_main(int socket_fd, const struct wrapper_place *place);
