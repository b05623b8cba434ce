#pragma once
/*
 * What db.c asks of a driver, and the few things only the files of this folder may use. A driver's
 * own struct begins with struct db. db.c keeps the state of the transaction, so a driver need not
 * guard against a commit without a begin.
 */
#include "store/db.h"

#define DB_ARGS_MAX 48

/* Where the keys of new rows come from, when the database does not choose them as it inserts. */
enum db_sequence {
	DB_SEQUENCE_REMINDERS,
	DB_SEQUENCE_SLOTS,
	DB_SEQUENCE_QUEUE,
	DB_SEQUENCE_MISSIONS,
	DB_SEQUENCE_RUNS,
	DB_SEQUENCE_THREADS,
	DB_SEQUENCE_MESSAGES,
	DB_SEQUENCE_BOUNDARIES,
	DB_SEQUENCE_COUNT,
};

enum db_control { DB_BEGIN, DB_COMMIT, DB_SAVEPOINT, DB_RELEASE, DB_ROLLBACK_TO, DB_ROLLBACK };

struct db_driver {
	void (*close)(struct db *db);
	/* ret_changed NULL: nobody waits for the answer. */
	int (*exec)(struct db *db, const char *sql, const struct db_value *args, size_t count,
		    int64_t *ret_changed, struct error *err);
	int (*insert)(struct db *db, enum db_sequence sequence, const char *sql,
		      struct db_value *args, size_t count, int64_t *ret_key, int64_t *ret_changed,
		      struct error *err);
	int (*query)(struct db *db, const char *sql, const struct db_value *args, size_t count,
		     struct db_rows *ret, struct error *err);
	int (*next)(struct db_rows *rows, struct error *err);
	void (*end)(struct db_rows *rows);
	bool (*is_null)(const struct db_rows *rows, int column);
	int64_t (*number)(const struct db_rows *rows, int column);
	const char *(*text)(const struct db_rows *rows, int column);
	int (*control)(struct db *db, enum db_control what, struct error *err);
	int (*script)(struct db *db, const char *text, struct error *err);
	int (*backup)(struct db *db, const char *suffix, struct error *err);
	int (*claim)(struct db *db, struct error *err);
	int (*end_claimer)(struct db *db, struct error *err);
	bool (*has_moved)(struct db *db);
	bool (*is_exposed)(struct db *db);	 /* NULL: it has no files */
	const char *(*account)(struct db *db);	 /* NULL: likewise */
	void (*tidy)(struct db *db, bool quiet); /* NULL: there is nothing to do */
	int64_t (*changes)(struct db *db);	 /* NULL: it cannot be told before the commit */
	int (*notice_fd)(struct db *db);
	int (*notices)(struct db *db, bool *ret_changed, struct error *err);
	void (*rest_notices)(struct db *db); /* NULL: our own commits cost nothing */
};

struct db {
	const struct db_driver *driver;
	enum db_kind kind;
	bool in_transaction, in_savepoint;
	bool commit_undone; /* the last commit failed, and certainly nothing of it is durable */
	int64_t statements; /* that may have written, in the life of this connection */
	int64_t last_slot;  /* the newest that this transaction inserted; 0: none */
};

/* A server is waited for, and for longer than usual; or it has answered: 0. See db_on_wait(). */
void db_say_waits(usec_t since);

int sqlite_open(const char *path, bool reads, struct db **ret, struct error *err);
int postgres_open(const char *url, bool reads, struct db **ret, struct error *err);

/* SQLite's handle, for questions only SQLite can answer. */
struct sqlite3;
struct sqlite3 *sqlite_handle(struct db *db);

/*
 * Insert a row whose key is parameter $1; args[0] is filled in here. SQLite chooses the key as it
 * inserts; on PostgreSQL it comes from keys reserved in advance, so that the insert may be sent
 * later, together with others, unless ret_changed wants to know whether it did insert. Not by
 * RETURNING: SQLite makes a temporary table for it every time, which takes longer than the insert.
 */
int db_insert(struct db *db, enum db_sequence sequence, const char *sql, struct db_value *args,
	      size_t count, int64_t *ret_key, int64_t *ret_changed, struct error *err);
/* Run a text of several statements, which need not be a constant. Migrations only. */
int db_script(struct db *db, const char *text, struct error *err);
/* Copy a database that is a file to PATH and suffix; nothing to do for the others. */
int db_backup(struct db *db, const char *suffix, struct error *err);
