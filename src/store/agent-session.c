/* agent-session.c: sessions of agents as rows, by the id that their client gave them. */
#include "store/agent-session.h"

#include "store/row.h"

#define COLUMNS                                                                                    \
	"id, owner, agent, mission, directory, transcript, pid, pid_start, boot, calls,"           \
	" created_at, seen_at, ended_at, heard"

void agent_session_free(struct agent_session *s)
{
	if (!s)
		return;
	free(s->id);
	free(s->owner);
	free(s->agent);
	free(s->directory);
	free(s->transcript);
	free(s->boot);
	free(s->heard);
	free(s);
}

bool agent_session_is_told(const struct agent_session *s)
{
	return s->pid || s->directory || s->transcript || s->calls || s->heard;
}

static void read_row(const struct db_rows *rows, struct agent_session *s)
{
	struct row row = {.rows = rows};

	s->id = row_text(&row);
	s->owner = row_text(&row);
	s->agent = row_text(&row);
	s->mission = row_int(&row);
	s->directory = row_text(&row);
	s->transcript = row_text(&row);
	s->pid = row_int(&row);
	s->pid_start = row_int(&row);
	s->boot = row_text(&row);
	s->calls = row_int(&row);
	s->created_at = row_time(&row);
	s->seen_at = row_time(&row);
	s->ended_at = row_time(&row);
	s->heard = row_text(&row);
}

static int query_one(struct db *db, const char *sql, const struct db_value *args, size_t count,
		     struct agent_session **ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(db, sql, args, count, &rows, err);

	if (r >= 0)
		r = db_rows_next(&rows, err);
	if (r < 0)
		return r;
	*ret = NULL;
	if (r > 0) {
		*ret = mem_zalloc(sizeof(**ret));
		read_row(&rows, *ret);
	}
	return 0;
}

int agent_session_find(struct db *db, const char *id, const char *owner, struct agent_session **ret,
		       struct error *err)
{
	struct db_value args[] = {DB_TEXT(id), DB_TEXT(owner)};

	if (!owner)
		return query_one(db,
				 "SELECT " COLUMNS " FROM sessions WHERE id = $1"
				 " ORDER BY seen_at DESC, owner LIMIT 1",
				 args, 1, ret, err);
	return query_one(db, "SELECT " COLUMNS " FROM sessions WHERE id = $1 AND owner = $2",
			 DB_ARGS(args), ret, err);
}

/* A number of a process is used again, after a while and after every boot: all three have to be the same. */
int agent_session_of_process(struct db *db, int64_t pid, int64_t pid_start, const char *boot,
			     const char *owner, struct agent_session **ret, struct error *err)
{
	struct db_value args[] = {DB_INT(pid), DB_INT(pid_start), DB_TEXT(boot ? boot : ""),
				  DB_TEXT(owner)};

	if (pid <= 0) {
		*ret = NULL;
		return 0;
	}
	return query_one(db,
			 "SELECT " COLUMNS " FROM sessions WHERE pid = $1 AND pid > 0"
			 " AND pid_start = $2 AND coalesce(boot, '') = $3 AND owner = $4"
			 " ORDER BY seen_at DESC, id LIMIT 1",
			 DB_ARGS(args), ret, err);
}

int agent_session_of_mission(struct db *db, int64_t mission, usec_t since,
			     struct agent_session **ret, struct error *err)
{
	struct db_value args[] = {DB_INT(mission), DB_INT(since)};

	return query_one(db,
			 "SELECT " COLUMNS " FROM sessions WHERE mission = $1"
			 " AND seen_at >= $2 ORDER BY seen_at DESC LIMIT 1",
			 DB_ARGS(args), ret, err);
}

int agent_session_put(struct db *db, const struct agent_session *s, struct error *err)
{
	struct db_value args[] = {
		DB_TEXT(s->id),	      DB_TEXT(s->owner),     DB_TEXT(s->agent),
		DB_KEY(s->mission),   DB_TEXT(s->directory), DB_TEXT(s->transcript),
		DB_INT(s->pid),	      DB_INT(s->pid_start),  DB_TEXT(s->boot),
		DB_INT(s->calls),     DB_INT(s->created_at), DB_INT(s->seen_at),
		DB_TIME(s->ended_at), DB_TEXT(s->heard),
	};

	return db_exec(db,
		       "INSERT INTO sessions (" COLUMNS ") VALUES"
		       " ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
		       " ON CONFLICT (id, owner) DO UPDATE SET"
		       " agent = excluded.agent, mission = excluded.mission,"
		       " directory = excluded.directory, transcript = excluded.transcript,"
		       " pid = excluded.pid, pid_start = excluded.pid_start, boot = excluded.boot,"
		       " calls = excluded.calls, seen_at = excluded.seen_at,"
		       " ended_at = excluded.ended_at, heard = excluded.heard",
		       DB_ARGS(args), err);
}

/* What is pending, or was offered and may have to be offered again, keeps its session. */
int agent_session_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};

	return db_exec_count(
		db,
		"DELETE FROM sessions WHERE (id, owner) IN (SELECT id, owner FROM sessions"
		" WHERE seen_at < $1"
		" AND NOT EXISTS (SELECT 1 FROM boundaries WHERE"
		" boundaries.session = sessions.id AND boundaries.ended_at IS NULL)"
		" AND NOT EXISTS (SELECT 1 FROM queue WHERE"
		" queue.session = sessions.id AND queue.state = 'offered')"
		" ORDER BY seen_at LIMIT $2)",
		DB_ARGS(args), ret, err);
}
