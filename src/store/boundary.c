/* boundary.c: what agents set for their own sessions, as rows. */
#include "store/boundary.h"

#include <stdio.h>

#include "base/random.h"
#include "store/driver.h"
#include "store/row.h"

#define ID_LETTERS 8
#define ID_TRIES 8
#define NO_CALL (-1)

#define COLUMNS                                                                                    \
	"key, id, session, owner, host, set_call, due_call, due_at, message, lessons, step, note," \
	" state, printed, queue, created_at, updated_at, offered_at, ended_at"

void boundary_row_free(struct boundary_row *b)
{
	if (!b)
		return;
	free(b->session);
	free(b->owner);
	free(b->host);
	free(b->message);
	free(b->lessons);
	free(b->step);
	free(b->note);
	free(b);
}

static int64_t read_call(struct row *row)
{
	int column = row->column++;

	return db_is_null(row->rows, column) ? NO_CALL : db_int(row->rows, column);
}

static int read_row(const struct db_rows *rows, struct boundary_row **ret, struct error *err)
{
	AUTO(boundary_row_free) struct boundary_row *b = mem_zalloc(sizeof(*b));
	struct row row = {.rows = rows};

	b->key = row_int(&row);
	snprintf(b->id, sizeof(b->id), "%s", db_text(rows, row.column++));
	b->session = row_text(&row);
	b->owner = row_text(&row);
	b->host = row_text(&row);
	b->set_call = row_int(&row);
	b->due_call = read_call(&row);
	b->due_at = row_time(&row);
	b->message = row_text(&row);
	b->lessons = row_text(&row);
	b->step = row_text(&row);
	b->note = row_text(&row);
	b->state = row_word(&row, boundary_of);
	b->printed = row_int(&row) != 0;
	b->queue = row_int(&row);
	b->created_at = row_time(&row);
	b->updated_at = row_time(&row);
	b->offered_at = row_time(&row);
	b->ended_at = row_time(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "boundary '%s' is damaged in the store", b->id);
	*ret = steal_ptr(&b);
	return 0;
}

DEFINE_ROW_LISTS(boundary_row)

static int insert_row(struct db *db, struct boundary_row *b, int64_t *ret_inserted,
		      struct error *err)
{
	static const char sql[] =
		"INSERT INTO boundaries (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,"
		" $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT (id) DO NOTHING";
	struct db_value args[] = {
		DB_NULL,
		DB_TEXT(b->id),
		DB_TEXT(b->session),
		DB_TEXT(b->owner),
		DB_TEXT(b->host),
		DB_INT(b->set_call),
		db_value_unless(b->due_call, NO_CALL),
		DB_TIME(b->due_at),
		DB_TEXT(b->message),
		DB_TEXT(b->lessons),
		DB_TEXT(b->step),
		DB_TEXT(b->note),
		DB_TEXT(boundary_word(b->state)),
		DB_INT(b->printed),
		DB_KEY(b->queue),
		DB_INT(b->created_at),
		DB_INT(b->updated_at),
		DB_TIME(b->offered_at),
		DB_TIME(b->ended_at),
	};

	return db_insert(db, DB_SEQUENCE_BOUNDARIES, sql, DB_ARGS(args), &b->key, ret_inserted,
			 err);
}

int boundary_insert(struct db *db, struct boundary_row *b, struct error *err)
{
	for (int tries = 0; tries < ID_TRIES; tries++) {
		int64_t inserted = 0;
		int r;

		random_id("b-", ID_LETTERS, b->id);
		if ((r = insert_row(db, b, &inserted, err)) < 0 || inserted)
			return r;
	}
	return error_set(err, ERR_CONFLICT, "no id for a boundary is free");
}

int boundary_update(struct db *db, const struct boundary_row *b, struct error *err)
{
	struct db_value args[] = {
		DB_INT(b->key),	       DB_TEXT(boundary_word(b->state)),
		DB_INT(b->printed),    DB_KEY(b->queue),
		DB_INT(b->updated_at), DB_TIME(b->offered_at),
		DB_TIME(b->ended_at),  DB_TEXT(b->host),
	};

	return db_exec(db,
		       "UPDATE boundaries SET state = $2, printed = $3, queue = $4,"
		       " updated_at = $5, offered_at = $6, ended_at = $7, host = $8 WHERE key = $1",
		       DB_ARGS(args), err);
}

int boundary_pending(struct db *db, const char *session, struct boundary_row_list *ret,
		     struct error *err)
{
	struct db_value args[] = {DB_TEXT(session)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM boundaries WHERE session = $1"
			  " AND ended_at IS NULL ORDER BY key",
			  DB_ARGS(args), ret, err);
}

int boundary_pending_of(struct db *db, const char *owner, int limit, struct boundary_row_list *ret,
			struct error *err)
{
	struct db_value args[] = {DB_TEXT(owner ? owner : ""), DB_INT(limit)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM boundaries WHERE ended_at IS NULL"
			  " AND ($1 = '' OR owner = $1) ORDER BY session, owner, key LIMIT $2",
			  DB_ARGS(args), ret, err);
}

/* Claimed on PostgreSQL, as reminder_due() does. */
#define TIMED " state = 'waiting' AND host IS NOT NULL AND due_at IS NOT NULL"
#define DUE                                                                                        \
	"SELECT " COLUMNS " FROM boundaries WHERE" TIMED                                           \
	" AND due_at <= $1 ORDER BY due_at, key LIMIT $2"

int boundary_due(struct db *db, usec_t now, int limit, struct boundary_row_list *ret,
		 struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? DUE " FOR UPDATE SKIP LOCKED" : DUE;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

int boundary_next_due(struct db *db, usec_t *ret, struct error *err)
{
	int64_t at = USEC_NONE;
	int r = row_ask_int(db,
			    "SELECT due_at FROM boundaries WHERE" TIMED " ORDER BY due_at LIMIT 1",
			    DB_NO_ARGS, &at, err);

	if (r < 0)
		return r;
	*ret = at;
	return 0;
}

int boundary_queued(struct db *db, const char *host, struct boundary_row_list *ret,
		    struct error *err)
{
	struct db_value args[] = {DB_TEXT(host)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM boundaries WHERE host = $1"
			  " AND state = 'queued' ORDER BY key",
			  DB_ARGS(args), ret, err);
}

int boundary_set_host(struct db *db, int64_t mission, const char *host, usec_t now,
		      struct error *err)
{
	struct db_value args[] = {DB_INT(mission), DB_TEXT(host), DB_INT(now)};

	return db_exec(db,
		       "UPDATE boundaries SET host = $2, updated_at = $3"
		       " WHERE ended_at IS NULL AND state = 'waiting'"
		       " AND EXISTS (SELECT 1 FROM sessions WHERE mission = $1"
		       " AND id = boundaries.session AND sessions.owner = boundaries.owner)",
		       DB_ARGS(args), err);
}

int boundary_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};

	return db_exec_count(db,
			     "DELETE FROM boundaries WHERE key IN (SELECT key FROM boundaries"
			     " WHERE ended_at < $1 AND ended_at IS NOT NULL"
			     " ORDER BY ended_at LIMIT $2)",
			     DB_ARGS(args), ret, err);
}

int boundary_pending_by(struct db *db, const char *session, const char *owner,
			struct boundary_row_list *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(session), DB_TEXT(owner)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM boundaries WHERE session = $1"
			  " AND ended_at IS NULL AND owner = $2 ORDER BY key",
			  DB_ARGS(args), ret, err);
}
