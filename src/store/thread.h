#pragma once
/*
 * Threads and their messages: what agents and Belfry write to the person, and what the person
 * answers. A thread is about one thing, which `place` names once and for all:
 *
 *	mission:ID         a mission; the thread has its id, and is deleted with it
 *	reminder:ID        what a reminder tells `me`, and what Belfry has to say about it
 *	agent:NAME         an agent that writes outside of any mission
 *	session:USER:ID    a session outside of any mission, for that user
 *	belfry:missed      occurrences that passed while nothing could fire
 *	belfry             everything else
 *
 * Counts and the preview are kept with the thread, so that a list of threads reads nothing else.
 * A message here is struct mail; struct message is one in an agent's queue.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/db.h"
#include "store/words.h"

#define THREAD_ID_MAX 16
#define MAIL_TEXT_MAX ((size_t)64 * 1024) /* bytes of a body kept in the row */
#define MAIL_PREVIEW_MAX 200		  /* bytes of a preview */

struct thread {
	int64_t key;
	char id[THREAD_ID_MAX]; /* of its mission, else "thr-" and six characters */
	char *place;
	int64_t mission;  /* 0: none */
	char *agent;	  /* who answers in it; NULL: nobody does */
	char *title;	  /* one line: the cron's name, or how the prompt begins */
	int64_t messages; /* the number of the last one; retention may have deleted others */
	int64_t unread;
	int64_t asks;	 /* questions that wait for an answer */
	int64_t waiting; /* replies that the agent does not have yet */
	bool wanted;	 /* go on with the mission as soon as it can be: a reply waits */
	int64_t tries;	 /* how often an answer was taken along and its run failed */
	usec_t retry_at; /* `wanted`, but not before; USEC_NONE: at once */
	usec_t last_at;
	enum sender last_sender;
	char *preview;	    /* of the last message; one line */
	usec_t archived_at; /* USEC_NONE: it is in the inbox */
};
void thread_free(struct thread *t);
DEFINE_AUTO(struct thread, thread_free)

struct thread_list {
	struct thread **items;
	size_t count;
};
void thread_list_fini(struct thread_list *list);
#define AUTO_THREADS __attribute__((cleanup(thread_list_fini)))

/* Sets key, and id if "". ERR_CONFLICT: the place or the id has a thread. */
int thread_insert(struct db *db, struct thread *t, struct error *err);
/* Write everything but key, id, place, mission. */
int thread_update(struct db *db, const struct thread *t, struct error *err);
/* Nobody else writes what these found before the transaction ends. */
int thread_get(struct db *db, int64_t key, struct thread **ret, struct error *err);
int thread_at(struct db *db, const char *place, struct thread **ret,
	      struct error *err); /* or NULL */
/* By id or unique prefix of one; ERR_NOT_FOUND, ERR_CONFLICT as mission_find(). */
int thread_find(struct db *db, const char *ref, struct thread **ret, struct error *err);

struct thread_filter {
	bool archived; /* archived ones too */
	bool archived_only;
	bool unread_only;  /* only those with something unread */
	bool asks_only;	   /* only those that wait for an answer, wherever they are */
	bool settled_only; /* only those that are read and wait for no answer */
	const char *agent; /* NULL: all */
	const char *title; /* exactly this one (a cron's name); NULL: all */
	usec_t before_at; /* the last row of the page before: its last_at and key; USEC_NONE: first */
	int64_t before_key;
	int limit;
};
/* Newest first, by last_at and then key. */
int thread_list(struct db *db, const struct thread_filter *f, struct thread_list *ret,
		struct error *err);
/* Unread messages of all threads that are not archived, and open questions of all. */
int thread_totals(struct db *db, int64_t *ret_unread, int64_t *ret_asks, struct error *err);
/* Those of a mission's thread; 0 where it has none. */
int thread_counts_of_mission(struct db *db, int64_t mission, int64_t *ret_unread, int64_t *ret_asks,
			     struct error *err);
/* Those with `wanted` whose time has come, oldest last_at first; and when the next one's does
 * (USEC_NONE: never). */
int thread_wanted(struct db *db, usec_t now, int limit, struct thread_list *ret, struct error *err);
int thread_next_retry(struct db *db, usec_t *ret, struct error *err);
/* No retry is later than `most`: one that is was planned by a clock that has been set back. */
int thread_mend_retries(struct db *db, usec_t now, usec_t most, struct error *err);
/* Without a mission, all read, nothing asked or waiting, and older than `before`: deleted, with
 * their messages. *ret are those that are gone now; files of theirs are the caller's to delete. */
int thread_prune(struct db *db, usec_t before, int limit, struct thread_list *ret,
		 struct error *err);

struct mail {
	int64_t key, thread;
	int64_t seq; /* from 1 in its thread */
	enum sender sender;
	char *author;	     /* the agent's name, the person's; NULL: Belfry */
	char *title;	     /* one line; NULL: none */
	char *text;	     /* clean UTF-8, the first MAIL_TEXT_MAX bytes */
	int64_t size;	     /* bytes of the whole body */
	char *file;	     /* all of it, below the state folder; NULL: text is all of it */
	json_t *attachments; /* [{"name", "size", "file"}], file below the state folder; NULL: none */
	int64_t run;	     /* the number of the run that wrote it; 0: none */
	enum asking ask;     /* of an agent: does it wait for an answer? */
	usec_t ask_until;    /* then the default is the answer; USEC_NONE: it waits for ever */
	char *ask_default;   /* NULL: no default, and the agent is told that nobody answered */
	int64_t answered_by; /* the number of the reply to it, or of the default; 0: none */
	enum handover reply; /* of a person: does the agent have it? */
	int64_t carrier;     /* the run (its key) that took or takes it to the agent; 0: none */
	int64_t queue;	     /* the row in somebody's queue that says the same; 0: none */
	usec_t unprinted_at; /* a hook got it then, and has not told it yet; USEC_NONE: none */
	usec_t read_at;	     /* USEC_NONE: unread */
	usec_t created_at;
	char *terms; /* what else it is found by; only written, never read back */
};
void mail_free(struct mail *m);
DEFINE_AUTO(struct mail, mail_free)

struct mail_list {
	struct mail **items;
	size_t count;
};
void mail_list_fini(struct mail_list *list);
#define AUTO_MAILS __attribute__((cleanup(mail_list_fini)))

int mail_insert(struct db *db, struct mail *m, struct error *err); /* sets key; seq is unique */
/* Write title, text, size, ask, ask_until, answered_by, reply, carrier, queue, unprinted_at, read_at. */
int mail_update(struct db *db, const struct mail *m, struct error *err);
int mail_get(struct db *db, int64_t thread, int64_t seq, struct mail **ret, struct error *err);
/* The message that says the same as a row of a queue, or NULL. */
int mail_of_queue(struct db *db, int64_t queue, struct mail **ret, struct error *err);
/*
 * A page of a thread, oldest first: those before `before` (0: the newest), at most `limit`, and no
 * more than about `bytes` of text, but at least one. Or, with `after` >= 0: the oldest ones after
 * that number instead.
 */
struct mail_page {
	int64_t before, after; /* after: -1 for none */
	int limit;
	size_t bytes;
};
int mail_list(struct db *db, int64_t thread, const struct mail_page *page, struct mail_list *ret,
	      struct error *err);
/* Whether none of the thread is before that number: old ones may be gone. */
int mail_is_first(struct db *db, int64_t thread, int64_t seq, bool *ret, struct error *err);
/* Marks read what is unread and not newer than `up_to` (0: all), or unread all that the person did
 * not write, whatever `up_to` is. *ret is how many changed. */
int mail_mark(struct db *db, int64_t thread, bool read, int64_t up_to, usec_t now, int64_t *ret,
	      struct error *err);
/* Unread ones of a thread that say the same as a row of a queue. */
int mail_unread_queued(struct db *db, int64_t thread, int64_t up_to, struct mail_list *ret,
		       struct error *err);
/* Replies of a thread that the agent does not have yet (waiting or offered), oldest first. */
int mail_undelivered(struct db *db, int64_t thread, struct mail_list *ret, struct error *err);
/* Open questions of a thread, oldest first. */
int mail_open_asks(struct db *db, int64_t thread, struct mail_list *ret, struct error *err);
/* The questions that this reply answered, oldest first. */
int mail_answered_by(struct db *db, int64_t thread, int64_t reply, struct mail_list *ret,
		     struct error *err);
/* Questions that ran out of time between the person's last reply before `reply` and that one, oldest first. */
int mail_overtaken(struct db *db, int64_t thread, int64_t reply, struct mail_list *ret,
		   struct error *err);
/* Whether another question of the thread was open beside this one before `reply` was written. */
int mail_was_one_of_several(struct db *db, const struct mail *question, int64_t reply, bool *ret,
			    struct error *err);
/* Whether an answer to a question of the thread has not reached the agent yet. */
int mail_has_unheard_answer(struct db *db, int64_t thread, bool *ret, struct error *err);
/* Open questions whose time has come, and when the next one's does (USEC_NONE: never). */
int mail_expired_asks(struct db *db, usec_t now, int limit, struct mail_list *ret,
		      struct error *err);
int mail_next_expiry(struct db *db, usec_t *ret, struct error *err);
/* Deletes what nobody needs any more of threads without a mission: read, older than `before`, and
 * all of it in its row; no open question, not in a queue or on its way to an agent, and never the
 * newest of its thread. *ret is how many. */
int mail_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err);
/* Whether the run with this number wrote in the thread. */
int mail_run_wrote(struct db *db, int64_t thread, int64_t run, bool *ret, struct error *err);

/* Each word of a text once, with blanks between them, as far as an index takes them: for `terms`.
 * The text is UTF-8; the caller frees. */
char *mail_distinct_words(const char *text, size_t len);

/*
 * Messages that have all the words (in any order; the last one may be a beginning; "in quotes" a
 * phrase), newest first. `before` is the key of the last one of the page before, 0 for the first.
 * ERR_INVALID when there is no word to look for. Words are of letters and digits, everything else
 * is between them: "src/main.c" is a phrase of three. Capitals do not matter. Accents do not on
 * SQLite; on PostgreSQL they do, and capitals beyond ASCII are as its locale has them. Where a
 * script has no blanks, words are found anywhere in what stands together. A message is also found
 * by the title of its thread, and the first one of a mission by what that was told.
 */
struct mail_search {
	const char *words;
	bool archived; /* archived threads too; those with an open question always are */
	int64_t before;
	int limit;
};
int mail_search(struct db *db, const struct mail_search *s, struct mail_list *ret,
		struct error *err);
