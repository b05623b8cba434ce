#pragma once
/*
 * Reminders as rows. `due_at` is the timer: the smallest one over visible active rows is when the
 * daemon wakes next. It is derived from the schedule and the cursor, never the truth.
 */
#include <stdbool.h>
#include <string.h>

#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/words.h"

#define REMINDER_ID_MAX 40
#define MADE_BY_SOME (-1) /* a run, of a mission that is not known here */

struct reminder {
	int64_t key; /* the row; ids are for people */
	char id[REMINDER_ID_MAX];
	char *name; /* NULL when none */
	char *agent, *message;
	enum priority priority;
	enum source source;
	enum action action;	/* run: how is in its policy (policy.h) */
	enum fallback fallback; /* of deliver, when its agent has no session; run: by its policy */

	/* when */
	char *schedule_kind, *schedule; /* "cron", "0 9 * * *"; "idle", "5m" */
	char *zone, *zone_source; /* IANA name, and who said so: item, user, config, TZ, … */
	usec_t anchor;	   /* every: the grid's origin; idle: idleness counts from there on */
	int64_t count_max; /* at most so many fires; 0: no bound */
	usec_t until;	   /* no occurrence after it; USEC_NONE: no bound */
	enum catchup catchup;
	int64_t catchup_max;	       /* for CATCHUP_ALL */
	usec_t start_deadline, jitter; /* 0: none */

	/* if */
	enum condition condition_kind;
	char *condition; /* NULL when CONDITION_NONE */
	enum mode mode;
	usec_t condition_limit;

	/* state */
	enum status status;
	char *end_reason;   /* why completed or cancelled */
	int64_t generation; /* goes up when an edit re-derives the schedule; starts at 1 */
	usec_t cursor;	    /* everything at or before it has been decided */
	usec_t nominal_at;  /* the next occurrence; USEC_NONE when none */
	usec_t due_at;	    /* nominal_at plus jitter while active, else USEC_NONE */
	int64_t open_slot;  /* the slot whose condition is being checked, 0 when none */
	int64_t fire_count;
	usec_t last_fired_at, created_at, updated_at, ended_at;
	/* whose, and for whom */
	char *owner;	  /* the user; NULL when inserted: `me`, the person at this machine */
	enum trust trust; /* in its owner when it was made; what fires has no more */
	char *targets;	  /* ["signal:alice"], JSON, resolved when it was made; NULL: none */
	char *session;	  /* the conversation it was made in; NULL: none */
	char *transcript; /* the file of that conversation; NULL: not known */
	bool persons;	  /* made_by has only written into it: it is the person's all the same */
	int64_t made_by;  /* the mission whose run made it, or MADE_BY_SOME; 0: none */
	int64_t batch; /* the import it belongs to while that is not complete: invisible; else 0 */
};

void reminder_free(struct reminder *r); /* NULL is fine */
DEFINE_AUTO(struct reminder, reminder_free)

/* It waits for its agent to be idle: due when somebody sees that, not by its schedule. */
static inline bool reminder_is_idle(const struct reminder *r)
{
	return strcmp(r->schedule_kind, "idle") == 0;
}

struct reminder_list {
	struct reminder **items;
	size_t count;
};
void reminder_list_fini(struct reminder_list *list);
#define AUTO_REMINDERS __attribute__((cleanup(reminder_list_fini)))

/* Insert r; sets r->key. With an empty id one is made ("r-" and six characters). An id that is
 * taken is ERR_CONFLICT. */
int reminder_insert(struct db *db, struct reminder *r, struct error *err);
/* Write every field but key, id, created_at, source, batch and whose it is. */
int reminder_update(struct db *db, const struct reminder *r, struct error *err);
/* Write the state alone (the section above): the hot path of a fire. */
int reminder_update_state(struct db *db, const struct reminder *r, struct error *err);

int reminder_get(struct db *db, int64_t key, struct reminder **ret, struct error *err);

/*
 * By id, by unique prefix of an id, or by unique name; an id wins over a prefix, a prefix over a
 * name. Among names, those still active or paused are preferred over ended ones.
 * ERR_NOT_FOUND with the nearest name as hint; ERR_CONFLICT, naming up to five candidates.
 */
int reminder_find(struct db *db, const char *ref, struct reminder **ret, struct error *err);
/* The same among what belongs to `owner` (NULL: everything): as if there were nothing else. */
int reminder_find_of(struct db *db, const char *owner, const char *ref, struct reminder **ret,
		     struct error *err);

/* An owner's visible active or paused one of exactly that name; *ret NULL when there is none. */
int reminder_find_named(struct db *db, const char *owner, const char *name, struct reminder **ret,
			struct error *err);
/* By its whole id, hidden ones too; *ret NULL when there is none. */
int reminder_find_id(struct db *db, const char *id, struct reminder **ret, struct error *err);

/* The one that a role or config.yml declares for an agent by that name, to be told and not run, that
 * is active or paused; *ret NULL when there is none. */
/* The newest that has ended of those that a file declared with this one's name, agent and action; or NULL. */
int reminder_find_ended(struct db *db, const struct reminder *like, struct reminder **ret,
			struct error *err);
int reminder_find_declared(struct db *db, const char *agent, const char *name,
			   struct reminder **ret, struct error *err);

/* Visible reminders with due_at <= now, earliest first, at most `limit`. */
int reminder_due(struct db *db, usec_t now, int limit, struct reminder_list *ret,
		 struct error *err);
/* The smallest due_at, or USEC_NONE. */
int reminder_next_due(struct db *db, usec_t *ret, struct error *err);

struct reminder_filter {
	const char *agent; /* NULL: all */
	const char *owner; /* only this user's; NULL: all */
	bool ended;	   /* cancelled and completed too */
	bool hidden;	   /* every row, those of open imports too */
	bool active_only;  /* overrides `ended`: only active ones */
	int64_t after;	   /* key of the last row of the page before, 0 for the first */
	int limit;
};
/* In order of creation, by pages. */
int reminder_list(struct db *db, const struct reminder_filter *filter, struct reminder_list *ret,
		  struct error *err);

/*
 * Visible ones that are due up to `by`, in order of due_at, by pages; those that fire but once, and did so before
 * `since` (USEC_NONE: none), are left out.
 */
struct reminder_span {
	const char *agent; /* NULL: all */
	usec_t by, since;
	usec_t after_due; /* of the last row of the page before; INT64_MIN for the first */
	int64_t after;	  /* and its key */
	int limit;
};
int reminder_list_due(struct db *db, const struct reminder_span *span, struct reminder_list *ret,
		      struct error *err);

/* How many of an owner's active ones runs have made. */
int reminder_count_made(struct db *db, const char *owner, int64_t *ret, struct error *err);
/* When runs made the nth newest (0: the newest) reminder or mission of an owner after `since`;
 * USEC_NONE: there are not so many. */
int reminder_nth_made(struct db *db, const char *owner, usec_t since, int nth, usec_t *ret,
		      struct error *err);

/* Active and paused ones of an agent that wait for it to be idle. */
int reminder_list_idle(struct db *db, const char *agent, struct reminder_list *ret,
		       struct error *err);

/* Which rows a step over a batch touches, and which retention deletes: $2 of them at most. A
 * reminder whose mission still waits or runs is kept until that has ended. */
#define REMINDER_OF_BATCH "SELECT key FROM reminders WHERE batch = $1 ORDER BY key LIMIT $2"
#define REMINDER_ENDED                                                                             \
	"SELECT key FROM reminders WHERE ended_at < $1 AND status NOT IN ('active', 'paused')"     \
	" AND batch IS NULL AND NOT EXISTS (SELECT 1 FROM missions WHERE reminder = reminders.key" \
	" AND phase <> 'ended') ORDER BY ended_at LIMIT $2"

/*
 * How many visible reminders have each status; `ret` has room for the four statuses. More than REMINDER_COUNTED:
 * so many or more.
 */
#define REMINDER_COUNTED 100000
int reminder_count(struct db *db, int64_t ret[4], struct error *err);

/* How many of an agent's reminders are active or paused. */
int reminder_count_live(struct db *db, const char *agent, int64_t *ret, struct error *err);

/* Imports: make up to `limit` rows of a batch visible, or delete them; *ret is how many. */
int reminder_batch_show(struct db *db, int64_t batch, int limit, int64_t *ret, struct error *err);
int reminder_batch_drop(struct db *db, int64_t batch, int limit, int64_t *ret, struct error *err);
/*
 * A row of an import that takes the place of another has this and that one's key as its id; they are
 * found so, and deleted once it is done.
 */
#define REMINDER_REPLACES "replaces-"
int reminder_batch_replacing(struct db *db, int64_t batch, int limit, struct reminder_list *ret,
			     struct error *err);
int reminder_batch_forget(struct db *db, int64_t key, struct error *err);

/* Retention: delete up to `limit` reminders that ended before `before`, with what hangs on them. */
int reminder_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err);
