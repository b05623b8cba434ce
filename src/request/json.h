#pragma once
/* Rows of the store as JSON: the shapes every surface shows. All return a new reference. */
#include "base/json.h"
#include "request/request.h"
#include "store/mission.h"
#include "store/queue.h"
#include "store/reminder.h"
#include "store/slot.h"

/* An instant in a zone, or null for USEC_NONE. */
struct zone;
json_t *json_instant(usec_t instant, const struct zone *zone);
json_t *json_duration(usec_t duration); /* "1h30m", null for 0 */

/* The zone a reminder lives in; UTC when it cannot be read. */
const struct zone *reminder_zone(const struct reminder *r);

/* What a reminder is and was told to be, and its state: enough to bring it back (import). */
json_t *json_reminder_export(const struct reminder *r);
/* The same with what is derived for people: label, describe, next_fire. */
json_t *json_reminder(const struct reminder *r);
/* Only what a list for people shows. */
json_t *json_reminder_brief(const struct reminder *r);
/*
 * What keeps it from firing, when something does: in words as `trouble`, and as `state` "failing" (its
 * condition), "set aside", or "unreadable" (its schedule, which will be set aside when it is due).
 */
struct trouble_list;
void json_put_trouble(const struct trouble_list *troubles, const struct reminder *r, json_t *o);
/* The answer to whoever changed it: also understood, scheduler_running, warnings. */
json_t *json_reminder_answer(const struct request *rq, const struct reminder *r);

/* Arguments with '-' in their keys as '_': both spellings of a flag are the same. */
json_t *json_plain_keys(const json_t *args);

json_t *json_slot(const struct slot *slot, const struct zone *zone);
json_t *json_message(const struct message *m, const char *reminder_id);

/* "waiting", "running", "stopping" …, and once it has ended how: "success", "error", "not_run". */
const char *mission_state(const struct mission *m);
/*
 * What a mission is and how far it got; its files are below `state_dir`. `last` is its last run, or
 * NULL when it had one at most: a mission that was resumed days later did not work all the time.
 */
json_t *json_mission(const struct mission *m, const struct run *last, const char *state_dir);
/* Only what a list for people shows. */
json_t *json_mission_brief(const struct mission *m, const struct run *last);
/* With the folder of its own, and the last sign of life of its wrapper. */
json_t *json_run(const struct mission *m, const struct run *r, const char *state_dir);

/* The mission that a slot ordered, as `mission`: id, state and reason; null when it has none. */
int json_put_slot_mission(struct db *db, const struct slot *slot, json_t *o, struct error *err);
/* The mission whose run made a reminder, or wrote into it, as `made_by`; "unknown" when it is gone, null when none
 * did. */
int json_put_maker(struct db *db, const struct reminder *r, json_t *o, struct error *err);
