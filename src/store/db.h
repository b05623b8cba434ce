#pragma once
/*
 * A thin driver over SQLite and PostgreSQL. Statements are written once, for both: $1 parameters,
 * RETURNING, ON CONFLICT, 64-bit integers and text only. What differs is inside the two drivers.
 *
 *	struct db_value args[] = {DB_INT(key), DB_TEXT(name)};
 *	AUTO_ROWS struct db_rows rows = {0};
 *	r = db_query(db, "SELECT id FROM reminders WHERE key = $1", DB_ARGS(args), &rows, err);
 *	while ((r = db_rows_next(&rows, err)) > 0)
 *		use(db_text(&rows, 0));
 *
 * Statement texts are string constants: each is prepared once and kept by its address.
 * Errors: ERR_CONFLICT a unique key is taken; ERR_UNAVAILABLE the store is busy, full, gone or
 * unreachable (hint says what to do); ERR_INVALID not our database, or newer; ERR_SYSTEM the rest.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"

struct db;

enum db_kind { DB_SQLITE, DB_POSTGRES };

struct db_value {
	enum { DB_TYPE_NULL, DB_TYPE_INT, DB_TYPE_TEXT } type;
	int64_t number;
	const char *text;
};
#define DB_INT(n) ((struct db_value){.type = DB_TYPE_INT, .number = (n)})
#define DB_TEXT(s) db_value_text(s) /* NULL is SQL NULL */
#define DB_NULL ((struct db_value){.type = DB_TYPE_NULL})
#define DB_ARGS(array) (array), sizeof(array) / sizeof((array)[0])
#define DB_NO_ARGS NULL, 0

static inline struct db_value db_value_text(const char *text)
{
	return (struct db_value){.type = text ? DB_TYPE_TEXT : DB_TYPE_NULL, .text = text};
}

/* "sqlite:PATH" (PATH may be ":memory:") or "postgres://…"/"postgresql://…". The parent folder
 * exists. Creates nothing but the database itself; schema.h does the rest. */
int db_open(const char *url, struct db **ret, struct error *err);
/* The same, to read what is there: nobody is kept from writing, and nothing is made or changed. */
int db_open_reader(const char *url, struct db **ret, struct error *err);
void db_close(struct db *db);
DEFINE_AUTO(struct db, db_close)
/*
 * Whom to tell when a server does not answer: after two seconds and once more after five, with since when (by
 * clock_monotonic()); and when it does again, with 0. NULL: nobody.
 */
void db_on_wait(void (*hook)(usec_t since));
enum db_kind db_kind(const struct db *db);

/*
 * From now on this connection alone works on the database, until it is closed or its process ends.
 * ERR_CONFLICT when another one does. It binds only those who ask: others read and write as ever.
 */
int db_claim(struct db *db, struct error *err);
/* End the connection that has the claim: it was ours, and the server has not noticed its end yet. */
int db_end_claimer(struct db *db, struct error *err);
/* The file we have open is not the one at its path any more: what is written would be lost. */
bool db_has_moved(struct db *db);
/* Files beside it lost their names, and what they hold is not saved yet: to close it now may lose that. */
bool db_is_exposed(struct db *db);
/* Between transactions: what a person must hear of what became of its files, and of what was saved of them, which
 * is done here. NULL: nothing. */
const char *db_account(struct db *db);
/* Between transactions: upkeep that takes some milliseconds. Quiet: nothing is due soon, so it may as well
 * be done now; else only when it must. */
void db_tidy(struct db *db, bool quiet);

/* Run a statement without rows. On PostgreSQL inside a transaction it may be sent later, together
 * with others: then its error is reported by the next query, savepoint or commit. */
int db_exec(struct db *db, const char *sql, const struct db_value *args, size_t count,
	    struct error *err);
/* The same, waiting for it, and *ret_changed is how many rows it touched. */
int db_exec_count(struct db *db, const char *sql, const struct db_value *args, size_t count,
		  int64_t *ret_changed, struct error *err);

struct db_rows {
	struct db *db;
	void *handle; /* the driver's */
	int row;
};
int db_query(struct db *db, const char *sql, const struct db_value *args, size_t count,
	     struct db_rows *ret, struct error *err);
int db_rows_next(struct db_rows *rows, struct error *err); /* 1 a row, 0 the end, negative error */
void db_rows_end(struct db_rows *rows);			   /* always allowed, also twice */
#define AUTO_ROWS __attribute__((cleanup(db_rows_end)))
bool db_is_null(const struct db_rows *rows, int column);
int64_t db_int(const struct db_rows *rows, int column); /* 0 for NULL */
const char *db_text(const struct db_rows *rows,
		    int column); /* NULL for NULL; until the next step */

/* One transaction at a time. A commit that fails has rolled back; the caller reopens and recovers. */
int db_begin(struct db *db, struct error *err);
int db_commit(struct db *db, struct error *err);
/* A number that is another one when something was written since; on PostgreSQL also when a statement that could
 * have has changed nothing. */
int64_t db_changes(struct db *db);
/* Whether a commit that just failed has certainly left nothing behind; else that is not known. */
bool db_commit_is_undone(const struct db *db);
void db_rollback(struct db *db);

/* One savepoint at a time, inside a transaction: undo one request of a turn, keep the others. */
int db_savepoint(struct db *db, struct error *err);
int db_release(struct db *db, struct error *err);
int db_rollback_to(struct db *db, struct error *err);

/*
 * Other programs may write too; nobody has to poll for it. The descriptor becomes readable when one
 * may have, and also by our own commits; it stays so until db_notices(). -1: there can be no others,
 * or the database cannot tell. It is the db's, the same for its life; the first call begins to
 * watch. Neither is called inside a transaction.
 */
int db_notice_fd(struct db *db);
/* Whether somebody else wrote since the last call (when in doubt, yes). Costs microseconds, unless
 * another writer is half-way through: then it waits for that one as a transaction would. */
int db_notices(struct db *db, bool *ret_changed, struct error *err);
/* Until the next db_notices() nothing makes the descriptor readable, so that our own commits do not pay for it. */
void db_rest_notices(struct db *db);
