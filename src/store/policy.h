#pragma once
/*
 * How a reminder with the action `run`, or the fallback `run`, is carried out: one row beside it.
 * Reminders that only deliver have none, so a million of them pay nothing for it.
 */
#include "base/auto.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/mission.h"
#include "store/reminder.h"

struct policy {
	int64_t reminder; /* reminder.key */
	enum door door;
	char *description, *git; /* NULL when none */
	enum overlap overlap;
	usec_t time_limit; /* 0: none */
	int64_t max_attempts, retry_on;
	usec_t backoff;
	usec_t wait_limit;   /* how long a fire may wait for its turn; 0: for ever */
	int64_t retention;   /* missions kept in sight, older ones are archived; 0: all */
	int64_t pause_after; /* failed occurrences in a row that pause it; 0: never */
	int64_t failures;    /* in a row so far */
	char *denied;	     /* tool calls that were denied, as the person was last told; NULL */
};
void policy_free(struct policy *p);
DEFINE_AUTO(struct policy, policy_free)

int policy_insert(struct db *db, const struct policy *p, struct error *err);
int policy_update(struct db *db, const struct policy *p, struct error *err);
int policy_get(struct db *db, int64_t reminder, struct policy **ret, struct error *err);

/* The reminder of that door and name that is active or paused; *ret NULL when there is none. */
int policy_find(struct db *db, enum door door, const char *name, struct reminder **ret,
		struct error *err);
/* Reminders of a door, in order of creation, by pages; `ended`: cancelled and completed too. */
int policy_reminders(struct db *db, enum door door, bool ended, int64_t after, int limit,
		     struct reminder_list *ret, struct error *err);
/* The same among what belongs to `owner`; NULL: everything. */
int policy_reminders_of(struct db *db, const char *owner, enum door door, bool ended, int64_t after,
			int limit, struct reminder_list *ret, struct error *err);
