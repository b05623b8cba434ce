#pragma once
/*
 * The queue: every fire leaves exactly one message here (unique by slot). Messages of an agent with
 * a deliver command are handed over one at a time: only the head of such an agent's line has an
 * `attempt_at`, and the smallest one is a timer beside the reminders' due_at.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/words.h"

#define MESSAGE_ID_MAX 16

struct message {
	int64_t key;
	char id[MESSAGE_ID_MAX]; /* "m-" and eight characters; stable over every attempt */
	int64_t slot;		 /* 0 when it came from no slot */
	int64_t reminder;	 /* 0 likewise */
	char *owner;  /* the user it is for the agents of; NULL: the person at this machine */
	char *sender; /* the agent that wrote it; NULL: Belfry, or a person */
	char *agent, *body;
	char *session; /* that it was offered to by its hook; NULL: to none */
	bool printed;  /* and that hook has written all of it to its client */
	enum priority priority;
	enum delivery state;
	int64_t attempts;
	usec_t attempt_at; /* when to hand it over next; USEC_NONE: it waits to be taken or its turn */
	usec_t queued_at, offered_at, done_at; /* USEC_NONE while not yet */
	/* It was delivered, and taken back by an interrupt before it was read: what said so before this
	 * instant counts no more. USEC_NONE: it was not. */
	usec_t returned_at;
	char *last_error; /* why the last attempt failed; NULL when none did */
	int64_t earlier;  /* fires before this one whose place it took, since nobody had got them */
	usec_t earlier_at; /* when the first of them was due; USEC_NONE: there are none */
};

void message_free(struct message *m);
DEFINE_AUTO(struct message, message_free)

struct message_list {
	struct message **items;
	size_t count;
};
void message_list_fini(struct message_list *list);
#define AUTO_MESSAGES __attribute__((cleanup(message_list_fini)))

/* Sets m->key, and m->id when it is empty. */
int queue_insert(struct db *db, struct message *m, struct error *err);
/* Write state, attempts, attempt_at, offered_at, done_at, last_error, session, printed, returned_at. */
int queue_update(struct db *db, const struct message *m, struct error *err);
/* A later fire takes its place: write slot, body, priority, earlier, earlier_at. */
int queue_replace(struct db *db, const struct message *m, struct error *err);
int queue_get(struct db *db, int64_t key, struct message **ret, struct error *err);
/* By id or unique prefix of one; ERR_NOT_FOUND, ERR_CONFLICT as reminder_find(). */
int queue_find(struct db *db, const char *ref, struct message **ret, struct error *err);

/* The message a slot left, *ret NULL when there is none. */
int queue_of_slot(struct db *db, int64_t slot, struct message **ret, struct error *err);

/*
 * The next message to hand over: interrupt, normal, idle-first (newest first), idle; else oldest
 * first. *ret is NULL when nothing is queued.
 */
int queue_head(struct db *db, const char *agent, struct message **ret, struct error *err);
/* The same among those at least as urgent as `lowest`. */
int queue_head_of(struct db *db, const char *agent, enum priority lowest, struct message **ret,
		  struct error *err);
/* The same among those of one owner. */
int queue_head_for(struct db *db, const char *agent, const char *owner, enum priority lowest,
		   struct message **ret, struct error *err);
/* It is this user's. */
int queue_give(struct db *db, struct message *m, const char *owner, struct error *err);
/* When an agent wrote the last but `nth` of what it wrote after `since`, to `agent` (NULL: to
 * anybody); USEC_NONE when that is fewer than nth + 1. */
int queue_nth_sent(struct db *db, const char *sender, const char *agent, usec_t since, int nth,
		   usec_t *ret, struct error *err);
/* What is being handed to an agent, but by a hook; *ret is NULL when nothing is. */
int queue_offered_to(struct db *db, const char *agent, struct message **ret, struct error *err);
/* Whether some message of the agent is offered or has an attempt_at: its line has a head. */
int queue_has_head(struct db *db, const char *agent, bool *ret, struct error *err);

struct queue_filter {
	const char *agent; /* NULL: all */
	const char *state; /* only those in it; NULL: see `done` */
	bool done;	   /* delivered and failed too */
	int64_t after;	   /* key of the last row of the page before */
	int limit;
};
int queue_list(struct db *db, const struct queue_filter *filter, struct message_list *ret,
	       struct error *err); /* oldest first */
/* After which key only the newest so many are left; filter->after when there are no more than that. */
int queue_before_newest(struct db *db, const struct queue_filter *filter, int64_t newest,
			int64_t *ret, struct error *err);
/* How many there are, on all pages. */
int queue_count(struct db *db, const struct queue_filter *filter, int64_t *ret, struct error *err);

/* The newest of an agent, whatever became of them, newest first; of one user alone, NULL: of all. */
int queue_recent(struct db *db, const char *agent, const char *owner, int limit,
		 struct message_list *ret, struct error *err);

int queue_due(struct db *db, usec_t now, int limit, struct message_list *ret, struct error *err);
int queue_next_attempt(struct db *db, usec_t *ret, struct error *err); /* USEC_NONE: none */
/* Everything offered, for recovery after a crash. */
int queue_list_offered(struct db *db, struct message_list *ret, struct error *err);

/* What hooks have offered to a session; and to any, without having printed it, longest ago first. */
int queue_offered_to_session(struct db *db, const char *session, const char *owner,
			     struct message_list *ret, struct error *err);
int queue_unprinted(struct db *db, int limit, struct message_list *ret, struct error *err);

/* How many of an owner's are queued for an agent, counted up to `most`. */
int queue_waiting(struct db *db, const char *agent, const char *owner, int most, int64_t *ret,
		  struct error *err);

/*
 * Agents that have queued messages, with how many: `each` is called once an agent. Nobody waits for a million to
 * be counted: `more` says that there are more than that.
 */
#define QUEUE_COUNTED 10000
typedef void queue_counted(const char *agent, int64_t queued, bool more, void *data);
int queue_counts(struct db *db, queue_counted *each, void *data, struct error *err);
int queue_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err);
