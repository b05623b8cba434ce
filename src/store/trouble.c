/* trouble.c: what is wrong, as rows. A handful, found by name. */
#include "store/trouble.h"

#include "store/row.h"

#define COLUMNS "name, reminder, what, since, told_at, over"

void trouble_free(struct trouble *t)
{
	if (!t)
		return;
	free(t->name);
	free(t->what);
	free(t);
}

static int read_row(const struct db_rows *rows, struct trouble **ret, struct error *err)
{
	struct trouble *t = mem_zalloc(sizeof(*t));
	struct row row = {.rows = rows};

	(void)err;
	t->name = row_text(&row);
	t->reminder = row_int(&row);
	t->what = row_text(&row);
	t->since = row_int(&row);
	t->told_at = row_int(&row);
	t->over = row_int(&row) != 0;
	*ret = t;
	return 0;
}

DEFINE_ROW_LISTS(trouble)

int trouble_find(struct db *db, const char *name, struct trouble **ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(name)};

	return query_one(db, "SELECT " COLUMNS " FROM troubles WHERE name = $1", DB_ARGS(args), ret,
			 err);
}

int trouble_put(struct db *db, const struct trouble *t, struct error *err)
{
	struct db_value args[] = {DB_TEXT(t->name), DB_KEY(t->reminder), DB_TEXT(t->what),
				  DB_INT(t->since), DB_INT(t->told_at),	 DB_INT(t->over)};

	return db_exec(db,
		       "INSERT INTO troubles (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6)"
		       " ON CONFLICT (name) DO UPDATE SET what = excluded.what,"
		       " since = excluded.since, told_at = excluded.told_at, over = excluded.over",
		       DB_ARGS(args), err);
}

int trouble_of(struct db *db, int64_t first, int64_t last, struct trouble_list *ret,
	       struct error *err)
{
	struct db_value args[] = {DB_INT(first), DB_INT(last)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM troubles WHERE reminder >= $1 AND reminder <= $2"
			  " AND over = 0 ORDER BY since",
			  DB_ARGS(args), ret, err);
}

int trouble_named(struct db *db, const char *begin, struct trouble_list *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(begin)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM troubles WHERE over = 0"
			  " AND substr(name, 1, length($1)) = $1",
			  DB_ARGS(args), ret, err);
}

int trouble_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};

	return db_exec_count(db,
			     "DELETE FROM troubles WHERE name IN (SELECT name FROM troubles"
			     " WHERE told_at < $1 AND (over = 1 OR reminder IS NULL) LIMIT $2)",
			     DB_ARGS(args), ret, err);
}

int trouble_each(struct db *db,
		 void (*each)(const char *name, const char *what, bool cron, void *data),
		 void *data, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(db,
			 "SELECT coalesce(r.name, r.id), t.what, 0 FROM troubles AS t"
			 " JOIN reminders AS r ON r.key = t.reminder"
			 " WHERE t.over = 0 AND r.status IN ('active', 'paused') UNION ALL"
			 " SELECT coalesce(name, id), end_reason, (SELECT count(*) FROM policies"
			 " WHERE reminder = reminders.key AND door = 'cron') FROM reminders"
			 " WHERE status = 'paused' AND (end_reason LIKE 'set aside: %'"
			 " OR end_reason LIKE '" TROUBLE_HELD "%'"
			 " OR end_reason LIKE '" TROUBLE_PAUSED "%')",
			 DB_NO_ARGS, &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0)
		each(db_text(&rows, 0), db_text(&rows, 1), db_int(&rows, 2) != 0, data);
	return r < 0 ? r : 0;
}

int trouble_each_soon(struct db *db, int limit,
		      void (*each)(const char *zone, const char *name, void *data), void *data,
		      struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(limit)};
	int r = db_query(
		db,
		"SELECT zone, coalesce(name, id) FROM (SELECT zone, name, id FROM reminders"
		" WHERE due_at IS NOT NULL AND batch IS NULL ORDER BY due_at, key LIMIT $1)"
		" AS soon ORDER BY 1, 2",
		DB_ARGS(args), &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0)
		each(db_text(&rows, 0), db_text(&rows, 1), data);
	return r < 0 ? r : 0;
}

int trouble_each_agent(struct db *db, void (*each)(const char *agent, void *data), void *data,
		       struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	/* From agent to agent by the index: one may have any number of them. */
	int r = db_query(db,
			 "WITH RECURSIVE agents (agent) AS (SELECT min(agent) FROM reminders"
			 " WHERE batch IS NULL UNION ALL SELECT (SELECT min(agent) FROM reminders"
			 " WHERE batch IS NULL AND reminders.agent > agents.agent) FROM agents"
			 " WHERE agents.agent IS NOT NULL)"
			 " SELECT agent FROM agents WHERE agent IS NOT NULL AND agent <> ''",
			 DB_NO_ARGS, &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0)
		each(db_text(&rows, 0), data);
	return r < 0 ? r : 0;
}

int trouble_count_active(struct db *db, const char *agent, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};

	return row_ask_int(db,
			   "SELECT count(*) FROM reminders WHERE agent = $1 AND status = 'active'"
			   " AND batch IS NULL",
			   DB_ARGS(args), ret, err);
}

int trouble_each_zone(struct db *db,
		      void (*each)(const char *zone, int64_t count, const char *name, void *data),
		      void *data, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(db,
			 "SELECT zone, count(*), min(coalesce(name, id)) FROM reminders"
			 " WHERE status = 'active' AND batch IS NULL GROUP BY zone ORDER BY zone",
			 DB_NO_ARGS, &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0)
		each(db_text(&rows, 0), db_int(&rows, 1), db_text(&rows, 2), data);
	return r < 0 ? r : 0;
}
