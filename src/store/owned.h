#pragma once
/* Reminders of one user, in the order that agents are told of them. */
#include "store/reminder.h"

/*
 * Those that will be due, the earliest first, at most `limit`: tasks, or reminders that people and
 * tools have set (crons, heartbeats and what roles declare are nobody's wish of the moment).
 */
int owned_due(struct db *db, const char *owner, bool tasks, int limit, struct reminder_list *ret,
	      struct error *err);

/* Tasks whose time has come, or that were taken back or held: the newest first. `before` is the key
 * of the last row of the page before, INT64_MAX for the first. */
int owned_past_tasks(struct db *db, const char *owner, int64_t before, int limit,
		     struct reminder_list *ret, struct error *err);
