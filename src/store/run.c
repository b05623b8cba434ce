/*
 * run.c: runs as rows. The unique index over the open run of a mission is what makes two processes
 * in one conversation impossible; ERR_CONFLICT here is that refusal.
 */
#include "store/driver.h"
#include "store/mission.h"
#include "store/row.h"

#define COLUMNS                                                                                    \
	"key, mission, number, attempt, kind, prompt, pid, pid_start, boot, begun_at, started_at," \
	" finished_at, overdue_at, ending, exit_code, signal, answer, error, session, cost,"       \
	" denied"

void run_free(struct run *r)
{
	if (!r)
		return;
	free(r->prompt);
	free(r->boot);
	free(r->answer);
	free(r->error);
	free(r->session);
	free(r->denied);
	free(r);
}

static int read_row(const struct db_rows *rows, struct run **ret, struct error *err)
{
	AUTO(run_free) struct run *r = mem_zalloc(sizeof(*r));
	struct row row = {.rows = rows};

	r->key = row_int(&row);
	r->mission = row_int(&row);
	r->number = row_int(&row);
	r->attempt = row_int(&row);
	r->kind = row_word(&row, run_kind_of);
	r->prompt = row_text(&row);
	r->pid = row_int(&row);
	r->pid_start = row_int(&row);
	r->boot = row_text(&row);
	r->begun_at = row_int(&row);
	r->started_at = row_time(&row);
	r->finished_at = row_time(&row);
	r->overdue_at = row_time(&row);
	r->ending = row_word(&row, ending_of);
	r->exit_code = row_int(&row);
	r->signal = row_int(&row);
	r->answer = row_text(&row);
	r->error = row_text(&row);
	r->session = row_text(&row);
	r->cost = row_int(&row);
	r->denied = row_text(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "run '%lld' is damaged in the store",
				 (long long)r->key);
	*ret = steal_ptr(&r);
	return 0;
}

DEFINE_ROW_LISTS(run)

int run_insert(struct db *db, struct run *r, struct error *err)
{
	static const char sql[] = "INSERT INTO runs (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6,"
				  " $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,"
				  " $20, $21)";
	struct db_value args[] = {
		DB_NULL,
		DB_INT(r->mission),
		DB_INT(r->number),
		DB_INT(r->attempt),
		DB_TEXT(run_kind_word(r->kind)),
		DB_TEXT(r->prompt),
		DB_KEY(r->pid),
		DB_INT(r->pid_start),
		DB_TEXT(r->boot),
		DB_INT(r->begun_at),
		DB_TIME(r->started_at),
		DB_TIME(r->finished_at),
		DB_TIME(r->overdue_at),
		DB_TEXT(ending_word(r->ending)),
		DB_INT(r->exit_code),
		DB_INT(r->signal),
		DB_TEXT(r->answer),
		DB_TEXT(r->error),
		DB_TEXT(r->session),
		DB_INT(r->cost),
		DB_TEXT(r->denied),
	};

	return db_insert(db, DB_SEQUENCE_RUNS, sql, DB_ARGS(args), &r->key, NULL, err);
}

int run_update(struct db *db, const struct run *r, struct error *err)
{
	struct db_value args[] = {
		DB_INT(r->key),		DB_KEY(r->pid),
		DB_INT(r->pid_start),	DB_TEXT(r->boot),
		DB_TIME(r->started_at), DB_TIME(r->finished_at),
		DB_TIME(r->overdue_at), DB_TEXT(ending_word(r->ending)),
		DB_INT(r->exit_code),	DB_INT(r->signal),
		DB_TEXT(r->answer),	DB_TEXT(r->error),
		DB_TEXT(r->session),	DB_INT(r->cost),
		DB_TEXT(r->denied),
	};

	return db_exec(db,
		       "UPDATE runs SET pid = $2, pid_start = $3, boot = $4, started_at = $5,"
		       " finished_at = $6, overdue_at = $7, ending = $8, exit_code = $9,"
		       " signal = $10, answer = $11, error = $12, session = $13, cost = $14,"
		       " denied = $15"
		       " WHERE key = $1",
		       DB_ARGS(args), err);
}

int run_get(struct db *db, int64_t key, struct run **ret, struct error *err)
{
	AUTO(run_free) struct run *one = NULL;
	struct db_value args[] = {DB_INT(key)};
	int r = query_one(db, "SELECT " COLUMNS " FROM runs WHERE key = $1", DB_ARGS(args), &one,
			  err);

	if (r == 0 && !one)
		r = error_set(err, ERR_NOT_FOUND, "no run with key '%lld'", (long long)key);
	if (r == 0)
		*ret = steal_ptr(&one);
	return r;
}

int run_list(struct db *db, int64_t mission, struct run_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(mission)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM runs WHERE mission = $1 ORDER BY number DESC",
			  DB_ARGS(args), ret, err);
}

int run_last(struct db *db, int64_t mission, struct run **ret, struct error *err)
{
	struct db_value args[] = {DB_INT(mission)};

	return query_one(db,
			 "SELECT " COLUMNS " FROM runs WHERE mission = $1"
			 " ORDER BY number DESC LIMIT 1",
			 DB_ARGS(args), ret, err);
}

/* Claimed on PostgreSQL, as slot_list_checking() does. */
#define OPEN "SELECT " COLUMNS " FROM runs WHERE finished_at IS NULL ORDER BY key"

int run_open(struct db *db, struct run_list *ret, struct error *err)
{
	const char *sql = db_kind(db) == DB_POSTGRES ? OPEN " FOR UPDATE" : OPEN;

	return query_list(db, sql, DB_NO_ARGS, ret, err);
}

int run_living(struct db *db, struct run_list *ret, struct error *err)
{
	return query_list(db,
			  "SELECT " COLUMNS " FROM runs WHERE finished_at IS NULL"
			  " AND pid IS NOT NULL ORDER BY key",
			  DB_NO_ARGS, ret, err);
}

/* Claimed on PostgreSQL, as reminder_due() does. */
#define OVERDUE                                                                                    \
	"SELECT " COLUMNS " FROM runs WHERE finished_at IS NULL AND overdue_at IS NOT NULL"        \
	" AND overdue_at <= $1 ORDER BY overdue_at, key"

int run_overdue(struct db *db, usec_t now, struct run_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(now)};
	const char *sql = db_kind(db) == DB_POSTGRES ? OVERDUE " FOR UPDATE SKIP LOCKED" : OVERDUE;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

int run_next_overdue(struct db *db, usec_t *ret, struct error *err)
{
	int64_t at = USEC_NONE;
	int r = row_ask_int(db,
			    "SELECT overdue_at FROM runs WHERE finished_at IS NULL"
			    " AND overdue_at IS NOT NULL ORDER BY overdue_at LIMIT 1",
			    DB_NO_ARGS, &at, err);

	if (r < 0)
		return r;
	*ret = at;
	return 0;
}
