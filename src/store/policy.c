/*
 * policy.c: how reminders that run are carried out, as rows, and finding reminders by their door.
 * The policy hangs on its reminder and goes with it.
 */
#include "store/policy.h"

#include <string.h>

#include "store/reminder-row.h"
#include "store/row.h"

#define COLUMNS                                                                                    \
	"reminder, door, description, git, overlap, time_limit, max_attempts, retry_on, backoff,"  \
	" wait_limit, retention, pause_after, failures, denied"

void policy_free(struct policy *p)
{
	if (!p)
		return;
	free(p->description);
	free(p->git);
	free(p->denied);
	free(p);
}

static int read_row(const struct db_rows *rows, struct policy **ret, struct error *err)
{
	AUTO(policy_free) struct policy *p = mem_zalloc(sizeof(*p));
	struct row row = {.rows = rows};

	p->reminder = row_int(&row);
	p->door = row_word(&row, door_of);
	p->description = row_text(&row);
	p->git = row_text(&row);
	p->overlap = row_word(&row, overlap_of);
	p->time_limit = row_int(&row);
	p->max_attempts = row_int(&row);
	p->retry_on = row_int(&row);
	p->backoff = row_int(&row);
	p->wait_limit = row_int(&row);
	p->retention = row_int(&row);
	p->pause_after = row_int(&row);
	p->failures = row_int(&row);
	p->denied = row_text(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "policy '%lld' is damaged in the store",
				 (long long)p->reminder);
	*ret = steal_ptr(&p);
	return 0;
}

/* Insert and update take the same arguments, in the order of the columns. */
#define POLICY_ARGS(p)                                                                             \
	{                                                                                          \
		DB_INT((p)->reminder), DB_TEXT(door_word((p)->door)), DB_TEXT((p)->description),   \
			DB_TEXT((p)->git), DB_TEXT(overlap_word((p)->overlap)),                    \
			DB_INT((p)->time_limit), DB_INT((p)->max_attempts), DB_INT((p)->retry_on), \
			DB_INT((p)->backoff), DB_INT((p)->wait_limit), DB_INT((p)->retention),     \
			DB_INT((p)->pause_after), DB_INT((p)->failures), DB_TEXT((p)->denied),     \
	}

int policy_insert(struct db *db, const struct policy *p, struct error *err)
{
	struct db_value args[] = POLICY_ARGS(p);

	return db_exec(db,
		       "INSERT INTO policies (" COLUMNS ") VALUES"
		       " ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
		       DB_ARGS(args), err);
}

int policy_update(struct db *db, const struct policy *p, struct error *err)
{
	struct db_value args[] = POLICY_ARGS(p);

	return db_exec(db,
		       "UPDATE policies SET door = $2, description = $3, git = $4, overlap = $5,"
		       " time_limit = $6, max_attempts = $7, retry_on = $8, backoff = $9,"
		       " wait_limit = $10, retention = $11, pause_after = $12, failures = $13,"
		       " denied = $14"
		       " WHERE reminder = $1",
		       DB_ARGS(args), err);
}

int policy_get(struct db *db, int64_t reminder, struct policy **ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(reminder)};
	int r = db_query(db, "SELECT " COLUMNS " FROM policies WHERE reminder = $1", DB_ARGS(args),
			 &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	if (r == 0)
		return error_set(err, ERR_NOT_FOUND, "no policy of the reminder with key '%lld'",
				 (long long)reminder);
	return read_row(&rows, ret, err);
}

int policy_find(struct db *db, enum door door, const char *name, struct reminder **ret,
		struct error *err)
{
	AUTO_REMINDERS struct reminder_list list = {0};
	struct db_value args[] = {DB_TEXT(name), DB_TEXT(door_word(door))};
	int r = reminder_query_list(db,
				    "SELECT " REMINDER_COLUMNS
				    " FROM reminders JOIN policies ON reminder = key"
				    " WHERE name = $1 AND batch IS NULL AND door = $2"
				    " AND " REMINDER_LIVE " ORDER BY key LIMIT 1",
				    DB_ARGS(args), &list, err);

	if (r < 0)
		return r;
	*ret = list.count ? steal_ptr(&list.items[0]) : NULL;
	return 0;
}

#define PAGE(more)                                                                                 \
	"SELECT " REMINDER_COLUMNS " FROM policies JOIN reminders ON key = reminder"               \
	" WHERE door = $1 AND reminder > $2 AND batch IS NULL" more " ORDER BY reminder LIMIT $3"
/* Reminders first: those of others are few, as in reminder-find.c, and SQLite keeps this order. */
#define PAGE_OF_OTHER(more)                                                                        \
	"SELECT " REMINDER_COLUMNS " FROM reminders CROSS JOIN policies WHERE reminder = key"      \
	" AND door = $1 AND key > $2 AND batch IS NULL AND owner = $4 AND owner <> 'me'" more      \
	" ORDER BY key LIMIT $3"
#define ENDED_TOO(PAGES, more)                                                                     \
	{                                                                                          \
		PAGES(more " AND " REMINDER_LIVE), PAGES(more)                                     \
	}

int policy_reminders_of(struct db *db, const char *owner, enum door door, bool ended, int64_t after,
			int limit, struct reminder_list *ret, struct error *err)
{
	static const char *const texts[3][2] = {
		ENDED_TOO(PAGE, ""),
		ENDED_TOO(PAGE, " AND owner = $4"),
		ENDED_TOO(PAGE_OF_OTHER, ""),
	};
	struct db_value args[] = {DB_TEXT(door_word(door)), DB_INT(after), DB_INT(limit),
				  DB_TEXT(owner)};
	int whose = !owner ? 0 : strcmp(owner, "me") == 0 ? 1 : 2;

	return reminder_query_list(db, texts[whose][ended], args, owner ? 4 : 3, ret, err);
}

int policy_reminders(struct db *db, enum door door, bool ended, int64_t after, int limit,
		     struct reminder_list *ret, struct error *err)
{
	return policy_reminders_of(db, NULL, door, ended, after, limit, ret, err);
}
