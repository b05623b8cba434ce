#pragma once
/*
 * The ledger: one row for each due occurrence of a reminder, or for a run of them that shared one
 * fate (missed, or skipped while paused). Unique by reminder, generation and nominal instant, so a
 * double fire is impossible, not merely unlikely. Generation 0 holds runs by hand; one below 0 is a row
 * that counts no more, since the clock was ahead.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/words.h"

struct slot {
	int64_t key;
	int64_t reminder; /* reminder.key */
	int64_t generation;
	usec_t nominal;	      /* of a run of occurrences: the last */
	usec_t first_nominal; /* of a run of occurrences: the first; else the same as nominal */
	int64_t occurrences;  /* how many this row explains, at least 1 */
	bool more;	      /* the count was cut off: at least so many */
	enum outcome outcome;
	char *reason; /* for people: "fired", "condition was false", "start deadline 5m passed" */
	usec_t decided_at;     /* when the outcome came; of a checking one, when it began */
	usec_t lateness;       /* decided or begun minus due, never negative */
	int64_t missed_before; /* occurrences that collapsed into this fire */
	int64_t attempts;      /* condition checks begun, at least 1 once it got that far */
	usec_t again_at; /* of a checking one: when its condition is looked at once more; USEC_NONE:
			    it is being looked at */
	enum verdict verdict;
	char *verdict_detail; /* exit status and the tail of stderr; NULL when there is none */
	bool ordered;	      /* a mission was ordered for it, which may be gone by now */
	usec_t early;	      /* it began before its time: so far ahead was the clock; else 0 */
};

void slot_free(struct slot *s);
DEFINE_AUTO(struct slot, slot_free)

struct slot_list {
	struct slot **items;
	size_t count;
};
void slot_list_fini(struct slot_list *list);
#define AUTO_SLOTS __attribute__((cleanup(slot_list_fini)))

int slot_insert(struct db *db, struct slot *s, struct error *err); /* sets s->key */
/* The key of the last one that this transaction inserted, or the one before it where none began since; 0: none. */
int64_t slot_last_inserted(const struct db *db);
int slot_newest(struct db *db, int64_t *ret, struct error *err); /* the largest key; 0: none */
/* Write outcome, reason, decided_at, attempts, lateness, verdict, verdict_detail, again_at,
 * ordered. */
int slot_update(struct db *db, const struct slot *s, struct error *err);
/* The first instant at or after *nominal that has no row yet in that generation. */
int slot_free_instant(struct db *db, int64_t reminder, int64_t generation, usec_t *nominal,
		      struct error *err);
int slot_get(struct db *db, int64_t key, struct slot **ret, struct error *err);

/* Newest decision first; `before` is the key of the last row of the page before, 0 for the first. */
int slot_list(struct db *db, int64_t reminder, int64_t before, int limit, struct slot_list *ret,
	      struct error *err);
/* Everything still being checked, for recovery after a crash. */
int slot_list_checking(struct db *db, struct slot_list *ret, struct error *err);

/*
 * What a clock that is back at `now` had decided of one generation, of occurrences that are still to
 * come. slot_take_back() lets what nothing was done for count no more, by a generation below 0;
 * slot_mark_early() says of the rest that it was early; slot_cut() is the run of occurrences (or NULL) that began before now and ends behind it.
 */
int slot_take_back(struct db *db, int64_t reminder, int64_t generation, usec_t now, usec_t ahead,
		   struct error *err);
int slot_mark_early(struct db *db, int64_t reminder, int64_t generation, usec_t now, usec_t ahead,
		    struct error *err);
int slot_cut(struct db *db, int64_t reminder, int64_t generation, usec_t now, struct slot **ret,
	     struct error *err);
/* Such a run is shorter than it was: writes nominal, occurrences, more, lateness. */
int slot_shorten(struct db *db, const struct slot *s, struct error *err);
/* The first row of that generation behind `after`; USEC_NONE when there is none. */
int slot_first_after(struct db *db, int64_t reminder, int64_t generation, usec_t after, usec_t *ret,
		     struct error *err);
/* The last occurrence behind `now` that was decided by then, like a snoozed one; USEC_NONE: none. */
int slot_last_ahead(struct db *db, int64_t reminder, int64_t generation, usec_t now, usec_t *ret,
		    struct error *err);
/*
 * How many active reminders wait for a time behind `now` that nobody chose: their cursor is there. Of those that
 * wait longest, SILENT_LOOKED_AT are looked at and no more.
 */
#define SILENT_LOOKED_AT 1000
int slot_count_silent(struct db *db, usec_t now, int64_t *ret, struct error *err);
/* The latest decision of all; USEC_NONE when there is none. */
int slot_latest_decision(struct db *db, usec_t *ret, struct error *err);
/* Names (or ids) of reminders with slots marked early that were decided after `since`. */
int slot_each_early(struct db *db, usec_t since, void (*each)(const char *name, void *data),
		    void *data, struct error *err);

/* Retention: delete up to `limit` ended rows decided before `before`; *ret is how many. */
int slot_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err);
