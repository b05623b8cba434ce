#pragma once
/* What the engine's own files share. */
#include "base/buf.h"
#include "engine/change.h"
#include "engine/engine.h"
#include "engine/preview.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"
#include "store/mission.h"
#include "store/policy.h"
#include "store/queue.h"
#include "store/reminder.h"
#include "store/slot.h"
#include "store/thread.h"

#define FIRE_BATCH 256	  /* reminders claimed by one turn */
#define FIRE_SLOTS 2000	  /* occurrences decided by one turn, and what the last one brings */
#define COUNT_LIMIT 10000 /* missed occurrences are counted up to here, then "or more" */
#define SKIP_GRACE (60 * USEC_PER_SEC) /* catch-up `skip` still fires what is no later than this */

#define TAKES_KEPT 64
struct take_offer {
	int64_t message;
	char name[TAKE_NAME_MAX];
};

struct engine {
	struct db *db;
	struct config *config;
	bool imports_open;  /* some import has still to be shown or dropped */
	usec_t import_seen; /* when an import was last heard of */
	/* clock.c: a clock that was wrong */
	bool clock_known;   /* the three below are those of the store */
	usec_t clock_seen;  /* the latest time that was noted */
	usec_t clock_ahead; /* up to there may be rows in front of a cursor; USEC_NONE */
	bool clock_mending;
	usec_t clock_at, clock_before; /* the latest this process has seen, and at the last turn */
	bool clock_warned;
	usec_t clock_low,
		clock_low_at;	/* the last look at a clock that was not set, and `counter` then */
	usec_t clock_low_noted; /* the same as in the store; USEC_NONE: none, or it is over */
	usec_t clock_leap;	/* how far the clock was off until it was set; USEC_NONE */
	usec_t counter;		/* counts real time, whatever the clock is set to */
	usec_t prune_at;  /* when retention is looked at next; USEC_NONE before the first look */
	bool zone_stale;  /* `timezone:` may have changed */
	usec_t zones_at;  /* the last look at the zone files; USEC_NONE */
	usec_t moved_at;  /* when new ones moved something into the past; USEC_NONE */
	bool replanning;  /* new zone files: some reminders have still to be planned anew */
	bool late_told;	  /* in this fire_due */
	size_t decided;	  /* occurrences that went on in this fire_due */
	bool heads_stale; /* some queue may lack its head: after a start or a new configuration */
	bool line_stale;  /* some mission may have to start, or to be given up */
	bool waits_stale; /* the clock may have been set back while missions waited */
	usec_t line_at; /* when the line is looked at next, if nothing happens before; USEC_NONE */
	bool inbox_stale;  /* some reply may have a mission to go on with */
	bool asks_stale;   /* the clock may have been set back while questions waited */
	usec_t asks_at;	   /* when the next question expires, or an answer goes again; USEC_NONE */
	struct buf missed; /* lines of this turn, not yet told */
	size_t missed_count; /* how many there would be */
	bool live_stale;     /* some live agent may have to be told something, or to be given up */
	usec_t live_at;	     /* when the next start is given up; USEC_NONE */
	char *absence;	     /* why nothing was looked at before this turn; NULL: nobody knows */
	char *state_dir;     /* where files of messages are; NULL: nobody said */
	bool seed_stale;     /* the configuration has not been seeded yet */
	struct seed_report *seeded; /* the last seeding that changed something; NULL: none did */
	bool idle_stale;	    /* reminders may not be planned by what their agents do */
	usec_t fired_at;	    /* the last look at what is due, like dispatched_at */
	usec_t dispatched_at;	    /* the last dispatch: a clock set back shows itself */
	bool hooks_stale;	    /* something was offered by a hook: it may have to go back */
	usec_t hooks_at;	    /* when the next such offer is given up; USEC_NONE */
	bool checks_stale;	    /* some condition may have to be looked at once more */
	usec_t checks_at;	    /* when the next of those is; USEC_NONE */
	char *looped, *looped_who;  /* an agent that was refused to write, to be told; NULL */
	struct take_offer takes[TAKES_KEPT]; /* take.c: handed out last, a ring */
	size_t take_count;
	struct job **jobs;
	size_t job_count, job_cap, job_taken;
};

static inline usec_t usec_earlier(usec_t a, usec_t b)
{
	if (a == USEC_NONE)
		return b;
	return b == USEC_NONE || a < b ? a : b;
}

/* job.c */
bool job_succeeded(const struct job_end *end);
char *job_end_words(const struct job_end *end, usec_t limit);

/* engine.c */
void engine_add_job(struct engine *e, struct job *stolen);
/* A command of this reminder: of whoever made it. */
void job_is_for(struct job *job, const struct reminder *r);

/* plan.c: when a reminder is due next */
usec_t plan_due(const struct reminder *r, const struct schedule *s, usec_t nominal);
void plan_next(struct reminder *r, const struct schedule *s);
/* What another user or a run has set, and what starts runs, repeats at most every minute: ERR_INVALID. */
int plan_check_pace(const struct reminder *r, const struct schedule *s, usec_t now,
		    struct error *err);
/* The same of every kind: what waits for its agent to be idle looks at what that does. */
int plan_again(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
	       struct error *err);
void plan_nothing(struct reminder *r);
void plan_end(struct reminder *r, enum status status, usec_t now, const char *reason);
void plan_end_if_spent(struct reminder *r, usec_t now);
/* Why it ended by itself: its times have passed. */
#define PLAN_ONLY_TIME "its only time has come"
#define PLAN_NONE_LEFT "no occurrence is left"

/* due.c: occurrences that are due at or before `upto` become one `missed` row with that reason, and the cursor moves on
 * beyond them; the caller writes the state. 1; 0: it could not be read, and is set aside. */
int due_pass_over(struct engine *e, struct reminder *r, usec_t upto, const char *reason, usec_t now,
		  usec_t *ret_last, struct error *err);

/* run.c: what a backup does not know, but the folders of runs do: its process, or that it has run since. */
int run_find_since(struct engine *e, const char *why, struct buf *ret_names, usec_t now,
		   struct error *err);

/* clock.c: a wall clock that was wrong for a while */
/* At the beginning of a turn: whether the clock is behind what was seen, and what follows. */
int clock_look(struct engine *e, usec_t now, struct error *err);
/* Something is due: that the clock was seen there is worth a note. */
int clock_decides(struct engine *e, usec_t now, struct error *err);
/* A page of what follows; returns 1 when it did something. */
int clock_step(struct engine *e, usec_t now, struct error *err);
/* The turn was rolled back. */
void clock_undo(struct engine *e);
/* There may be rows in front of cursors, up to then. */
int clock_expect_rows(struct engine *e, usec_t until, struct error *err);
/* The first occurrence behind `after` that has a row already; USEC_NONE: none. */
int clock_next_decided(struct engine *e, const struct reminder *r, usec_t after, usec_t *ret,
		       struct error *err);
/*
 * One is due that was set for some time after a moment of a clock that was not set: it is due so long after that
 * moment, by the clock as it is now. *s is another then.
 */
int clock_follow_leap(struct engine *e, struct reminder *r, struct schedule **s, usec_t now,
		      struct error *err);
/*
 * One is due: steps over occurrences that have rows already. Returns 0: those up to *ret_upto are to
 * be decided; 1: none now, but its state is to be written.
 */
int clock_pass_decided(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
		       usec_t *ret_upto, struct error *err);

/* gate.c: what becomes of one occurrence */
struct occurrence {
	usec_t nominal, due; /* due is nominal plus jitter */
	int64_t missed;	     /* earlier ones that collapsed into it */
};
int gate_slot(struct engine *e, struct reminder *r, const struct occurrence *o, usec_t now,
	      struct error *err);
int gate_fire(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
	      struct error *err);
/* What a fire does instead of waiting in the queue of an agent that has no session; wait: nothing. */
int gate_fallback(struct engine *e, const struct reminder *r, enum fallback *ret,
		  struct error *err);
/* Write the end of a slot, which may be a new row or one that was open. */
int gate_write(struct engine *e, struct slot *slot, struct error *err);
/* It fired: once more, and perhaps for the last time. */
void gate_count(struct reminder *r, usec_t now);

/* check.c: command conditions */
int check_begin(struct engine *e, struct reminder *r, struct slot *slot, struct error *err);
int check_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err);
int check_recover(struct engine *e, usec_t now, struct error *err);

/* Conditions that are to be looked at once more, and when that is next. */
int check_dispatch(struct engine *e, usec_t now, struct error *err);
int check_next(struct engine *e, usec_t now, usec_t *ret, struct error *err);

/* trouble.c */
/*
 * Something is wrong, by a name of its own, with a reminder (or NULL). `what` says it in a line;
 * `text` is what the person is told, unless they have been.
 */
int trouble_tell(struct engine *e, const char *name, const struct reminder *r, const char *what,
		 const char *text, usec_t now, struct error *err);
/* Something that a person wrote into a file; told again when `what` is another. */
struct mistake {
	const char *name, *what, *title, *text;
};
int trouble_tell_mistake(struct engine *e, const struct mistake *m, usec_t now, struct error *err);
/* It is well (again). */
int trouble_over(struct engine *e, const char *name, struct error *err);

/* deliver.c: the queue's hand-over */
int deliver_enqueue(struct engine *e, const struct reminder *r, const struct slot *slot, usec_t now,
		    struct error *err);
/* From Belfry itself to the person; r may be NULL. */
int deliver_notice(struct engine *e, const struct reminder *r, const struct mission *m,
		   const char *title, const char *text, usec_t now, struct error *err);
/* Into the queue of an agent, from another one (sender), or a person (NULL); *ret is the row. */
int deliver_send(struct engine *e, const char *agent, const char *sender, const char *text,
		 enum priority priority, usec_t now, struct message **ret, struct error *err);
/*
 * What became of an offered message: why it was not handed over (NULL: it was), and after how many
 * attempts (`most`) that is final. Whoever has to know is told, and the next one's turn comes.
 */
int deliver_settle(struct engine *e, struct message *m, const char *why, int64_t most, usec_t now,
		   struct error *err);
/* The person has read it elsewhere. Returns 1 when it waits in `me`'s queue no longer, else 0. */
int deliver_read(struct engine *e, struct message *m, usec_t now, struct error *err);
/* Nobody hands over what is queued for that agent: it waits until somebody takes it. */
/* Whether the agent is handed messages by a command. */
bool deliver_has_command(const struct engine *e, const char *agent);
int deliver_has_no_way(struct engine *e, const char *agent, bool *ret, struct error *err);
int deliver_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err);
int deliver_recover(struct engine *e, usec_t now, struct error *err);
/* What was offered and did not arrive goes back into the line of its agent (hook.c). */
int hook_put_back(struct engine *e, struct message *m, usec_t now, struct error *err);
/* Whether `queue take` has it and is printing it (take.c), and until when that is believed. */
bool take_is_offer(const struct message *m);
usec_t take_ends_at(const struct message *m, usec_t now);

/* mission.c: what becomes of a mission */
int mission_fire(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
		 struct error *err);
int mission_run_by_hand(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
			struct error *err);
/* Its last run ended, as the run says. */
int mission_attempt_ended(struct engine *e, struct mission *m, const struct run *run, usec_t now,
			  struct error *err);
/* It will not run (again): the mission and its slot say why, and whoever was behind it moves up. */
int mission_conclude(struct engine *e, struct mission *m, enum outcome outcome, const char *reason,
		     usec_t now, struct error *err);
/* Whether it could go on: its agent can run, and has told (by its end) which conversation it is. */
int mission_check_resume(const struct engine *e, const struct mission *m, bool ended,
			 struct error *err);
usec_t mission_backoff(const struct mission *m); /* before its next attempt */
int mission_recover(struct engine *e, usec_t now, struct error *err);
int mission_removed(struct engine *e, usec_t now, const struct job_end *end, struct error *err);
/* Retention: begins to remove up to `limit` old ones; *ret is how many. */
int mission_prune(struct engine *e, usec_t before, int limit, usec_t now, int64_t *ret,
		  struct error *err);

/* line.c: who starts when */
int line_advance(struct engine *e, usec_t now, struct error *err);
int line_next(struct engine *e, usec_t now, usec_t *ret, struct error *err);

/* run.c: one process of a mission */
int run_begin(struct engine *e, struct mission *m, enum run_kind kind, const char *prompt,
	      usec_t now, struct error *err);
/* Whether its agent can be used so: ERR_CONFLICT when its adapter has no words for it. */
int run_check_use(const struct engine *e, const struct mission *m, enum adapter_use use,
		  struct error *err);
int run_stop(struct engine *e, const struct mission *m, int signal, struct error *err);
/* The caller is its wrapper, and an agent on the terminal: engine_mission_attach(), whose replies
 * are somebody else's business. */
int run_attach(struct engine *e, struct mission *m, const struct process_id *caller,
	       const char *prompt, usec_t now, char **ret, struct error *err);
/* When a wrapper that begins to count now will have failed itself; USEC_NONE: never. */
usec_t run_overdue_after(const struct mission *m, usec_t now);
int run_swept(struct engine *e, usec_t now, const struct job_end *end, struct error *err);
int run_recover(struct engine *e, usec_t now, struct error *err);
/* Every run that is open is over as far as we can know; adds the names of their missions. */
struct buf;
int run_abandon(struct engine *e, const char *why, struct buf *ret_names, usec_t now,
		struct error *err);
/* The order of a run, for a caller who is its own wrapper. */
int run_order(struct engine *e, struct mission *m, const struct run *run, usec_t now, char **ret,
	      struct error *err);

/*
 * excerpt.c: how a text begins, in one line of at most `max` bytes, behind its title (or NULL).
 * Never half a character. The caller frees.
 */
char *excerpt_text(const char *title, const char *text, size_t max);

/* inbox.c: what Belfry writes into threads */
/* A thread of Belfry's own; made when there is none yet. */
int inbox_thread_of_belfry(struct engine *e, const char *place, const char *title, usec_t now,
			   struct thread **ret, struct error *err);
int inbox_say(struct engine *e, struct thread *t, const char *text, usec_t now, struct error *err);
/* The questions that this reply was for are open again: it did not reach the agent. *ret is how
 * many; the caller writes the thread. */
int inbox_reopen(struct engine *e, struct thread *t, const struct mail *reply, int64_t *ret,
		 struct error *err);
/* The message in the inbox that says the same as a row of `me`'s queue; both NULL: there is none. */
int inbox_linked(struct engine *e, const struct message *queued, struct mail **ret,
		 struct thread **ret_thread, struct error *err);
/* Something for the agent of a thread: by a resume of its mission, or by its queue. */
int inbox_put_reply(struct engine *e, struct thread *t, struct mail *m, enum priority priority,
		    usec_t now, struct error *err);
/* A fire for `me`, or a notice: the message that says the same as this row of `me`'s queue. */
int inbox_add_queued(struct engine *e, const struct reminder *r, const struct mission *m,
		     const char *title, const struct message *queued, usec_t now,
		     struct error *err);
/* It was taken out of its queue: that is reading it, or having got it. */
int inbox_taken(struct engine *e, const struct message *queued, usec_t now, struct error *err);
/* It was handed over, or failed to be for good. Returns 1 when it has a message there: whoever
 * wrote that has been told. */
int inbox_handed(struct engine *e, const struct message *queued, usec_t now, struct error *err);
/* Deletes old threads without a mission, at most `limit`; *ret is how many. */
int inbox_prune(struct engine *e, usec_t before, int limit, int64_t *ret, struct error *err);
void inbox_removed(const struct job_end *end);

/* missed.c */
/* Occurrences of a reminder passed, and nothing came of them: told in one growing message. */
int inbox_missed(struct engine *e, const struct reminder *r, const struct slot *slot, usec_t now,
		 struct error *err);
int missed_tell(struct engine *e, usec_t now, struct error *err); /* at the end of a turn */
void missed_forget(struct engine *e);

/* asks.c */
/* Questions whose time has come, and missions that a reply waits for; when that is next. */
int inbox_dispatch(struct engine *e, usec_t now, struct error *err);
int inbox_next(struct engine *e, usec_t now, usec_t *ret, struct error *err);

/* replies.c: from the person to the agent of a mission */
#define REPLIES_RETRY_MAX (25 * USEC_PER_MINUTE) /* the longest wait before an answer goes again */
/* The questions whose answers this run carried (0: all that wait) are open again; *ret is how
 * many. The caller writes the thread. */
int replies_give_back(struct engine *e, struct thread *t, int64_t carrier, int64_t *ret,
		      struct error *err);
/* One reply as the agent is told it: long ones by their file, and with the question where several
 * were open. The caller frees. */
int replies_text(struct engine *e, const struct mail *m, char **ret, struct error *err);
/*
 * What a run that goes on with a mission is told: its undelivered replies, oldest first, then
 * `prompt` (NULL: nothing more). NULL when there is neither. The caller frees.
 */
int replies_prompt(struct engine *e, const struct mission *m, const char *prompt, char **ret,
		   struct error *err);
/* What waits becomes rows of the agent's queue: its session begins, or goes on. */
int replies_to_queue(struct engine *e, const struct mission *m, usec_t now, struct error *err);
/* And back: it goes on without one, so what was not typed yet goes with it. */
int replies_from_queue(struct engine *e, const struct mission *m, usec_t now, struct error *err);
/* Takes a reply out of the queue, unless it is being handed over at this moment: then m->queue stays. */
int replies_withdraw(struct engine *e, struct mail *m, const char *why, usec_t now,
		     struct error *err);
/* pull.c: the run in which an agent asked for them has ended: it has them, or they wait again. */
int pull_settle(struct engine *e, struct thread *t, bool success, struct error *err);
/* Nobody has it, or only a hook that has not printed it and will not any more. */
bool pull_is_open(const struct mail *m, usec_t now);
/*
 * It is the agent's now: 1; or 0: it is on another way to it. `offer`: what the hook that got it will confirm;
 * USEC_NONE: it was asked for.
 */
int pull_take(struct engine *e, struct mail *m, usec_t offer, usec_t now, struct error *err);
int pull_printed(struct engine *e, const struct thread *t, usec_t offer, struct error *err);
/* This run carries them now. */
int replies_offer(struct engine *e, const struct mission *m, const struct run *run,
		  struct error *err);
/* The mission is being stopped: it does not go on by itself for what was answered so far. */
int replies_hold(struct engine *e, const struct mission *m, struct error *err);
/* An attempt ended well: what it said is put into the thread, when it was asked for in order to be told. */
int replies_announce(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		     struct error *err);
/* The run of such a reminder failed for good: the person gets at least what it was about. */
int replies_announce_failed(struct engine *e, const struct mission *m, usec_t now,
			    struct error *err);
/* It has ended: the agent has them, or they wait for the next one, and the person is told. What the
 * agent answered is in the thread then. */
/*
 * A hook said that the agent of this mission works: it got its prompt, and with it what its run carries; unless another
 * hook has blocked one since it began.
 */
int replies_heard(struct engine *e, int64_t mission, usec_t blocked_at, struct error *err);
int replies_settle(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		   struct error *err);

/* live.c */
struct live;
/* Whether it has a session now: what is queued for it is typed, and no fallback is needed. */
int live_is_present(struct engine *e, const char *agent, bool *ret, struct error *err);
/* Whether that mission is the conversation of a session that is there. */
int live_hears(struct engine *e, int64_t mission, bool *ret, struct error *err);
/* Something was queued for an agent, or what it does has changed: offers are to be looked at. */
void live_touch(struct engine *e);
/* Gives up starts that failed, and offers what may be offered. */
int live_dispatch(struct engine *e, usec_t now, struct error *err);
int live_next(struct engine *e, usec_t now, usec_t *ret, struct error *err);
int live_recover(struct engine *e, usec_t now, struct error *err);
/* The same for sessions: they are gone, and nobody wants them here. */
int live_abandon(struct engine *e, const char *why, usec_t now, struct error *err);
int live_typed(struct engine *e, usec_t now, const struct job_end *end, struct error *err);
/* live-offer.c: offers what may be offered, to all of them. */
int live_offer(struct engine *e, usec_t now, struct error *err);
#define LIVE_GOT "got " /* the evidence of one that was told something, and the message's id */
/* What the daemon has to know of it. The caller adds it. */
struct job *live_job(struct engine *e, enum job_kind kind, const struct live *l,
		     const struct mission *m);
/* Its process is there, in a conversation that may be new. Instructions that its template has no place
 * for are then the first message it gets. */
int live_instruct(struct engine *e, const struct live *l, const struct mission *m, usec_t now,
		  struct error *err);
/* Its session is gone: what was being typed into it is queued again. */
int live_put_back(struct engine *e, const struct live *l, usec_t now, struct error *err);
/*
 * What is typed of a message: never NULL, clean, beginning with its id. When it is long, or of more
 * lines than this adapter takes, that is to read a file of this name in `folder`, and *ret_body is
 * what has to be in it; else both stay NULL. The caller frees all three.
 */
char *live_words(const struct message *m, const struct adapter *a, const char *folder,
		 char **ret_file, char **ret_body);
/* A run of a mission ended: when it was that of a live agent, that one is gone. */
int live_run_ended(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		   struct error *err);
/* Something is due for an agent without a session, and its reminder says: start it. */
int live_start_for(struct engine *e, const struct reminder *r, usec_t now, struct error *err);

/* boundary.c */
struct boundary_row;
struct agent_session;
bool boundary_speaks(const struct boundary_row *b); /* it has something to say */
bool boundary_is_due(const struct boundary_row *b, int64_t calls, usec_t now);
/* Written, with its end when it is one. */
int boundary_set_state(struct engine *e, struct boundary_row *b, enum boundary state, usec_t now,
		       struct error *err);
/* Those of hosted sessions whose time has come are typed into them. */
int boundary_dispatch(struct engine *e, usec_t now, struct error *err);
struct agent_session *session_new(const char *id, const char *owner, usec_t now);
/* The live agent that a mission is the conversation of, while that is there; NULL: none. */
int session_host(struct engine *e, int64_t mission, char **ret, struct error *err);

/* Takes it out of the queue of its host, unless it is being typed or was: its conversation is gone. */
int boundary_withdraw(struct engine *e, struct boundary_row *b, usec_t now, struct error *err);
/* The same, of all that are queued for a live agent. */
int boundary_host_gone(struct engine *e, const char *agent, usec_t now, struct error *err);
/* hand.c: whether a mission may take that for the name of its conversation: not if it is another's session */
int session_may_be(struct engine *e, const struct mission *m, const char *id, bool *ret,
		   struct error *err);
/* hook.c: what was offered to sessions that are not heard of any more goes back */
int hook_dispatch(struct engine *e, usec_t now, struct error *err);
/* When either of both has something to do. */
int hook_next(struct engine *e, usec_t now, usec_t *ret, struct error *err);

/* idle.c */
/* What a live agent does has changed, or a reminder that waits for that has: due times follow. */
int idle_changed(struct engine *e, const struct live *l, usec_t now, struct error *err);
/* The same for all: after a start, an import, a clock set back. */
int idle_refresh(struct engine *e, usec_t now, struct error *err);
/*
 * One is due: its instant is moved to one that has no slot yet, which a clock that was set back may
 * have brought up again. Past now, it fires then.
 */
int idle_choose_instant(struct engine *e, struct reminder *r, struct error *err);
/* When such a reminder is due, for plan_next(); the caller writes it. */
int idle_plan(struct engine *e, struct reminder *r, const struct schedule *s, usec_t now,
	      struct error *err);

/* context.c: what an agent is told when it runs. Caller frees. */
int context_prompt(struct engine *e, const struct mission *m, const struct reminder *r, usec_t now,
		   char **ret, struct error *err);
/* Whether what it answers is for the person's inbox: a tool has set it, and the inbox is a target. */
bool context_is_for_inbox(const struct mission *m, const struct reminder *r);
/* Why an answer to it is told in the inbox and not where it belongs; NULL: it belongs there. The caller frees. */
char *context_unserved(const struct reminder *r);
/* In which local time people are told about a reminder (or NULL). */
const struct zone *context_zone(const struct engine *e, const struct reminder *r);

/* seed-roles.c: an agent is new: what was seeded for it once, and has ended since, may come back */
int seed_forget(struct engine *e, const char *agent, struct error *err);

/* import.c */
int import_recover(struct engine *e, struct error *err);
int import_step(struct engine *e, usec_t now, struct error *err);
/* Now and then: drop imports that nobody goes on with. */
int import_sweep(struct engine *e, usec_t now, struct error *err);

/* replan.c */
int replan_recover(struct engine *e, struct error *err);
/* A start tells of reminders whose zone cannot be read any more: they would be silent until they are due. */
int replan_tell_lost(struct engine *e, usec_t now, struct error *err);
/* At the beginning of a turn: whether zone files or `timezone:` have changed. */
int replan_look(struct engine *e, usec_t now, struct error *err);
int replan_step(struct engine *e, usec_t now, struct error *err);

/* maintain.c */
int maintain_next(struct engine *e, usec_t now, usec_t *ret, struct error *err);

/* words.c: what people and agents read */
char *words_message(const struct reminder *r, const struct slot *slot, usec_t now);
char **words_run_environment(const struct config_agent *agent, const struct reminder *r,
			     const struct slot *slot, const struct mission *m, const char *inherit);
char **words_environment(const struct config_agent *agent, const struct reminder *r,
			 const struct slot *slot, const struct message *m);
/* More for the command of `me`: which kind of news it is, and where it stands in the inbox (NULL:
 * nowhere). */
void words_add_mail(char ***env, const struct message *m, const struct mail *mail,
		    const struct thread *t);
