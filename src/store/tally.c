/*
 * tally.c: counting without looking.
 * SQLite has one writer, so a small table of counts costs each change a row or two that are in
 * memory anyway. On PostgreSQL every node would wait for every other at those rows; there the
 * reminders are counted when somebody asks, by the index reminders_status and up to a limit, and the
 * changes here do nothing.
 */
#include "store/tally.h"

#include <string.h>

#include "store/reminder.h"
#include "store/row.h"

#define MORE " ON CONFLICT (agent, status) DO UPDATE SET count = count + excluded.count"

static int change(struct db *db, const char *sql, const struct db_value *args, size_t count,
		  struct error *err)
{
	return db_kind(db) == DB_SQLITE ? db_exec(db, sql, args, count, err) : 0;
}

int tally_new(struct db *db, const char *agent, enum status status, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent), DB_TEXT(status_word(status))};

	return change(db, "INSERT INTO tally (agent, status, count) VALUES ($1, $2, 1)" MORE,
		      DB_ARGS(args), err);
}

/*
 * One row that is there is changed by itself. The statement for one that is not may have to be undone half-way,
 * and for that SQLite first makes the words of all messages of this turn ready to be undone as well, which is
 * the most costly step of a fire.
 */
#define ITS(column) column " = (SELECT " column " FROM reminders WHERE key = $1 AND batch IS NULL)"

static int move(struct db *db, int64_t reminder, int by, struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(by)};
	int64_t changed = 0;
	int r;

	if (db_kind(db) != DB_SQLITE)
		return 0;
	r = db_exec_count(
		db, "UPDATE tally SET count = count + $2 WHERE " ITS("agent") " AND " ITS("status"),
		DB_ARGS(args), &changed, err);
	if (r < 0 || changed)
		return r;
	return db_exec(db,
		       "INSERT INTO tally (agent, status, count) SELECT agent, status, $2"
		       " FROM reminders WHERE key = $1 AND batch IS NULL" MORE,
		       DB_ARGS(args), err);
}

int tally_put(struct db *db, int64_t reminder, struct error *err)
{
	return move(db, reminder, 1, err);
}

int tally_take(struct db *db, int64_t reminder, struct error *err)
{
	return move(db, reminder, -1, err);
}

int tally_put_batch(struct db *db, int64_t batch, int limit, struct error *err)
{
	struct db_value args[] = {DB_INT(batch), DB_INT(limit)};

	return change(db,
		      "INSERT INTO tally (agent, status, count) SELECT agent, status, 1"
		      " FROM reminders WHERE key IN (" REMINDER_OF_BATCH ")" MORE,
		      DB_ARGS(args), err);
}

int tally_take_ended(struct db *db, int64_t before, int limit, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};

	return change(db,
		      "INSERT INTO tally (agent, status, count) SELECT agent, status, -1"
		      " FROM reminders WHERE key IN (" REMINDER_ENDED ")" MORE,
		      DB_ARGS(args), err);
}

#define COUNTED(status)                                                                            \
	"SELECT '" status "', count(*) FROM (SELECT 1 FROM reminders WHERE batch IS NULL"          \
	" AND status = '" status "' LIMIT $1) AS " status

int tally_of_status(struct db *db, int64_t ret[4], struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(REMINDER_COUNTED + 1)};
	/* The tally knows them all; else a turn does not wait for a million to be counted. */
	bool kept = db_kind(db) == DB_SQLITE;
	const char *sql =
		kept ? "SELECT status, sum(count) FROM tally GROUP BY status"
		     : COUNTED("active") " UNION ALL " COUNTED("paused") " UNION ALL " COUNTED(
			       "completed") " UNION ALL " COUNTED("cancelled");
	int64_t counts[4] = {0};
	int r = db_query(db, sql, args, kept ? 0 : 1, &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0) {
		int status = status_of(db_text(&rows, 0));

		if (status >= 0)
			counts[status] = db_int(&rows, 1);
	}
	if (r < 0)
		return r;
	memcpy(ret, counts, sizeof(counts));
	return 0;
}

int tally_live(struct db *db, const char *agent, int64_t *ret, struct error *err)
{
	const char *sql = db_kind(db) == DB_SQLITE
				  ? "SELECT coalesce(sum(count), 0) FROM tally WHERE agent = $1"
				    " AND status IN ('active', 'paused')"
				  : "SELECT count(*) FROM reminders WHERE agent = $1"
				    " AND batch IS NULL AND status IN ('active', 'paused')";
	struct db_value args[] = {DB_TEXT(agent)};
	int r = row_ask_int(db, sql, DB_ARGS(args), ret, err);

	return r < 0 ? r : 0;
}
