/* live.c: live agents as rows. */
#include "store/live.h"

#include <stdlib.h>

#include "store/row.h"

#define COLUMNS                                                                                    \
	"agent, role, mission, pane, state, evidence, since, idle_at, wanted, again, end_reason,"  \
	" starts, created_at, started_at, ended_at, told_at"

void live_free(struct live *l)
{
	if (!l)
		return;
	free(l->agent);
	free(l->role);
	free(l->pane);
	free(l->evidence);
	free(l->end_reason);
	free(l);
}

static int read_row(const struct db_rows *rows, struct live **ret, struct error *err)
{
	AUTO(live_free) struct live *l = mem_zalloc(sizeof(*l));
	struct row row = {.rows = rows};

	l->agent = row_text(&row);
	l->role = row_text(&row);
	l->mission = row_int(&row);
	l->pane = row_text(&row);
	l->state = row_word(&row, presence_of);
	l->evidence = row_text(&row);
	l->since = row_time(&row);
	l->idle_at = row_time(&row);
	l->wanted = row_int(&row) != 0;
	l->again = row_int(&row) != 0;
	l->end_reason = row_text(&row);
	l->starts = row_int(&row);
	l->created_at = row_time(&row);
	l->started_at = row_time(&row);
	l->ended_at = row_time(&row);
	l->told_at = row_time(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "live agent '%s' is damaged in the store",
				 l->agent);
	*ret = steal_ptr(&l);
	return 0;
}

DEFINE_ROW_LISTS(live)

int live_put(struct db *db, const struct live *l, struct error *err)
{
	struct db_value args[] = {
		DB_TEXT(l->agent),
		DB_TEXT(l->role),
		DB_KEY(l->mission),
		DB_TEXT(l->pane),
		DB_TEXT(presence_word(l->state)),
		DB_TEXT(l->evidence ? l->evidence : ""),
		DB_INT(l->since),
		DB_TIME(l->idle_at),
		DB_INT(l->wanted),
		DB_INT(l->again),
		DB_TEXT(l->end_reason),
		DB_INT(l->starts),
		DB_INT(l->created_at),
		DB_TIME(l->started_at),
		DB_TIME(l->ended_at),
		DB_TIME(l->told_at),
	};

	return db_exec(db,
		       "INSERT INTO live (" COLUMNS ") VALUES"
		       " ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
		       " ON CONFLICT (agent) DO UPDATE SET role = excluded.role,"
		       " mission = excluded.mission, pane = excluded.pane, state = excluded.state,"
		       " evidence = excluded.evidence, since = excluded.since,"
		       " idle_at = excluded.idle_at, wanted = excluded.wanted,"
		       " again = excluded.again,"
		       " end_reason = excluded.end_reason, starts = excluded.starts,"
		       " started_at = excluded.started_at, ended_at = excluded.ended_at,"
		       " told_at = excluded.told_at",
		       DB_ARGS(args), err);
}

int live_find(struct db *db, const char *agent, struct live **ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};

	return query_one(db, "SELECT " COLUMNS " FROM live WHERE agent = $1", DB_ARGS(args), ret,
			 err);
}

int live_of_mission(struct db *db, int64_t mission, struct live **ret, struct error *err)
{
	struct db_value args[] = {DB_INT(mission)};

	return query_one(db, "SELECT " COLUMNS " FROM live WHERE mission = $1", DB_ARGS(args), ret,
			 err);
}

int live_list(struct db *db, bool present, struct live_list *ret, struct error *err)
{
	return query_list(db,
			  present ? "SELECT " COLUMNS
				    " FROM live WHERE state <> 'gone' ORDER BY agent"
				  : "SELECT " COLUMNS " FROM live ORDER BY agent",
			  DB_NO_ARGS, ret, err);
}

int live_list_waiting(struct db *db, bool offered, struct live_list *ret, struct error *err)
{
#define WAITING(not )                                                                              \
	"SELECT " COLUMNS " FROM live"                                                             \
	" WHERE state NOT IN ('gone', 'starting') AND pane IS NOT NULL"                            \
	" AND EXISTS (SELECT 1 FROM queue WHERE queue.agent = live.agent"                          \
	" AND queue.state = 'queued')"                                                             \
	" AND " not "EXISTS (SELECT 1 FROM queue WHERE queue.agent = live.agent"                   \
		    " AND queue.state = 'offered' AND queue.session IS NULL)"                      \
		    " ORDER BY agent"
	return query_list(db, offered ? WAITING("") : WAITING("NOT "), DB_NO_ARGS, ret, err);
#undef WAITING
}

int live_list_starting(struct db *db, struct live_list *ret, struct error *err)
{
	return query_list(db,
			  "SELECT " COLUMNS " FROM live WHERE state = 'starting'"
			  " AND started_at IS NULL ORDER BY agent",
			  DB_NO_ARGS, ret, err);
}

int live_list_left(struct db *db, struct live_list *ret, struct error *err)
{
	return query_list(db,
			  "SELECT " COLUMNS " FROM live WHERE state = 'gone' AND wanted = 0"
			  " AND told_at IS NULL AND EXISTS (SELECT 1 FROM queue"
			  " WHERE queue.agent = live.agent AND queue.state = 'queued')"
			  " ORDER BY agent",
			  DB_NO_ARGS, ret, err);
}

int live_delete(struct db *db, const char *agent, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};

	return db_exec(db, "DELETE FROM live WHERE agent = $1", DB_ARGS(args), err);
}
