#pragma once
/*
 * Reading what people and programs say about a reminder, in one place for `add`, `edit`, `import`
 * and `next`: the keys are add's long flags. Every error names the key, the value and the remedy.
 */
#include "agent/order.h"
#include "config/config.h"
#include "request/request.h"
#include "schedule/phrase.h"
#include "schedule/schedule.h"
#include "store/policy.h"
#include "store/reminder.h"

/* The zone that applies and who said so: item, user, config, TZ, the machine. */
int read_zone(const struct request *rq, const char *item, const struct zone **ret,
	      const char **ret_source, struct error *err);

/* The same where it is only for looks: one that was found wrong elsewhere is the machine's. */
const struct zone *read_own_zone(const struct request *rq);

/*
 * Exactly one of at, in, every, cron, rrule, idle: its kind, its canonical text (owned by the
 * caller) and its anchor. Returns 1, or 0 when there is none and `optional`.
 */
struct read_schedule {
	enum schedule_kind kind;
	char *text;
	usec_t anchor;
	const json_t *args; /* where a rule's dtstart is looked for */
};
int read_schedule(const struct request *rq, const json_t *args, const struct zone *zone,
		  bool optional, struct read_schedule *ret, struct error *err);

/*
 * What a span begins or ends with, seen from rq->now. Returns 1 when a whole day was named, else 0;
 * where nothing was given *ret stays as it is.
 */
struct read_bound {
	const char *key;
	enum phrase_use use;
	const struct zone *zone;
};
int read_bound(const struct request *rq, const json_t *args, const struct read_bound *bound,
	       usec_t *ret, struct error *err);

/*
 * Where a point in time that a person named does not exist, a sentence about it; else NULL. And the same
 * among the warnings of an answer.
 */
char *read_gap(const struct request *rq, const json_t *args, const char *key,
	       const struct zone *zone);
void read_warn_gap(const struct request *rq, const json_t *args, const struct zone *zone,
		   json_t *answer);
/* A clock that is not set is told with what was just set by it. */
void read_warn_clock(const struct request *rq, json_t *answer);

/* Fill a new reminder, zeroed but for nothing, from the arguments of `add`. */
int read_new_reminder(const struct request *rq, const json_t *args, struct reminder *r,
		      struct error *err);
/* Change a loaded one by the arguments of `edit`. */
int read_edit(const struct request *rq, const json_t *args, struct reminder *r,
	      bool *ret_reschedule, struct error *err);

/*
 * add.c: a name is one reminder of its owner, else nobody could be meant by it. ERR_CONFLICT that names the
 * first one; one that has no name, or is that very row, is fine.
 */
int read_refuse_twin(const struct request *rq, const struct reminder *r, struct error *err);

/* add.c: one that was saved and could never fire. */
int read_refuse_silent(const struct request *rq, const struct reminder *r, struct error *err);

/* Text of bounded size without control characters; `what` names it in errors. */
int read_check_text(const char *what, const char *text, size_t limit, struct error *err);

/* How its fires are run: timeout, overlap, max_attempts, over what is there already. */
int read_policy(const json_t *args, struct policy *p, struct error *err);
/* Whether any of these was given. */
bool read_policy_given(const json_t *args);
/* An agent that has no adapter can be reminded, not run. */
int read_refuse_agent(const struct config *config, const struct config_agent *agent,
		      struct error *err);
