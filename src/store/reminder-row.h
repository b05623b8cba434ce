#pragma once
/* What other nouns need to read rows of reminders that they found themselves. */
#include "store/reminder.h"

/* None of these is also the name of a column of policies, so that a join need not qualify them. */
#define REMINDER_COLUMNS                                                                           \
	"key, id, name, agent, message, priority, source, action, fallback, schedule_kind, "       \
	"schedule, zone,"                                                                          \
	" zone_source, anchor, count_max, until, catchup, catchup_max, start_deadline, jitter,"    \
	" condition_kind, condition, mode, condition_limit, status, end_reason, generation,"       \
	" cursor, nominal_at, due_at, open_slot, fire_count, last_fired_at, created_at,"           \
	" updated_at, ended_at, batch, owner, trust, targets, session, transcript, made_by,"       \
	" persons"

#define REMINDER_LIVE "status NOT IN ('cancelled', 'completed')"

/* All rows of a statement that selects REMINDER_COLUMNS, or none on failure. */
int reminder_query_list(struct db *db, const char *sql, const struct db_value *args, size_t count,
			struct reminder_list *ret, struct error *err);
