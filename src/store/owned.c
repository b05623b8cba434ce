/*
 * owned.c: reminders of one user. What is due is read off the index that is the timer, so that the
 * first few of a million cost as much as the first few.
 */
#include "store/owned.h"

#include "store/reminder-row.h"

/* The index of owners leaves out `me`, whose rows are most of them: a statement has to say so. */
#define OF_ME "owner = $1"
#define OF_OTHER "owner = $1 AND owner <> 'me'"

#define DUE(whose, kind)                                                                           \
	"SELECT " REMINDER_COLUMNS " FROM reminders WHERE " whose " AND due_at IS NOT NULL"        \
	" AND batch IS NULL AND " kind " ORDER BY due_at, key LIMIT $2"
#define OF_DOOR(door) "EXISTS (SELECT 1 FROM policies WHERE reminder = key AND door = '" door "')"
#define REMINDERS                                                                                  \
	"source IN ('cli', 'mcp', 'import') AND (action = 'deliver' OR " OF_DOOR("reminder") ")"
#define TASKS "action = 'run' AND " OF_DOOR("task")

static bool is_other(const char *owner)
{
	return strcmp(owner, "me") != 0;
}

int owned_due(struct db *db, const char *owner, bool tasks, int limit, struct reminder_list *ret,
	      struct error *err)
{
	static const char *const texts[2][2] = {
		{DUE(OF_ME, REMINDERS), DUE(OF_ME, TASKS)},
		{DUE(OF_OTHER, REMINDERS), DUE(OF_OTHER, TASKS)},
	};
	struct db_value args[] = {DB_TEXT(owner), DB_INT(limit)};

	return reminder_query_list(db, texts[is_other(owner)][tasks], DB_ARGS(args), ret, err);
}

#define PAST(whose)                                                                                \
	"SELECT " REMINDER_COLUMNS " FROM policies JOIN reminders ON key = reminder"               \
	" WHERE door = 'task' AND reminder < $2 AND " whose " AND batch IS NULL"                   \
	" AND due_at IS NULL ORDER BY reminder DESC LIMIT $3"

int owned_past_tasks(struct db *db, const char *owner, int64_t before, int limit,
		     struct reminder_list *ret, struct error *err)
{
	static const char *const texts[] = {PAST(OF_ME), PAST(OF_OTHER)};
	struct db_value args[] = {DB_TEXT(owner), DB_INT(before), DB_INT(limit)};

	return reminder_query_list(db, texts[is_other(owner)], DB_ARGS(args), ret, err);
}
