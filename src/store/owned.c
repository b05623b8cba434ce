/*
 * owned.c: reminders of one user. What is due is read off the index that is the timer, so that the
 * first few of a million cost as much as the first few.
 */
#include "store/owned.h"

#include "store/reminder-row.h"

#define DUE(kind)                                                                                  \
	"SELECT " REMINDER_COLUMNS " FROM reminders WHERE owner = $1 AND due_at IS NOT NULL"       \
	" AND batch IS NULL AND " kind " ORDER BY due_at, key LIMIT $2"
#define OF_DOOR(door) "EXISTS (SELECT 1 FROM policies WHERE reminder = key AND door = '" door "')"

int owned_due(struct db *db, const char *owner, bool tasks, int limit, struct reminder_list *ret,
	      struct error *err)
{
	static const char *const texts[] = {
		DUE("source IN ('cli', 'mcp', 'import')"
		    " AND (action = 'deliver' OR " OF_DOOR("reminder") ")"),
		DUE("action = 'run' AND " OF_DOOR("task")),
	};
	struct db_value args[] = {DB_TEXT(owner), DB_INT(limit)};

	return reminder_query_list(db, texts[tasks], DB_ARGS(args), ret, err);
}

int owned_past_tasks(struct db *db, const char *owner, int64_t before, int limit,
		     struct reminder_list *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(owner), DB_INT(before), DB_INT(limit)};

	return reminder_query_list(
		db,
		"SELECT " REMINDER_COLUMNS " FROM policies JOIN reminders ON key = reminder"
		" WHERE door = 'task' AND reminder < $2 AND owner = $1 AND batch IS NULL"
		" AND due_at IS NULL ORDER BY reminder DESC LIMIT $3",
		DB_ARGS(args), ret, err);
}
