#pragma once
/*
 * How many reminders each agent has of each status, kept beside the reminders, so that `status`
 * does not read a million rows to say how many there are. reminder.c keeps it right, inside the
 * transaction of every change; rows of an unfinished import do not count.
 */
#include "store/db.h"
#include "store/words.h"

/* A new row; what it is now; what it will not be any more: before and after a change. */
int tally_new(struct db *db, const char *agent, enum status status, struct error *err);
int tally_put(struct db *db, int64_t reminder, struct error *err);
int tally_take(struct db *db, int64_t reminder, struct error *err);
/* Before rows of a batch are shown, and before ended ones are deleted: as reminder.c chooses them.
 */
int tally_put_batch(struct db *db, int64_t batch, int limit, struct error *err);
int tally_take_ended(struct db *db, int64_t before, int limit, struct error *err);

int tally_of_status(struct db *db, int64_t ret[4], struct error *err); /* by enum status */
int tally_live(struct db *db, const char *agent, int64_t *ret, struct error *err);
