/*
 * db.c: one face over two databases. Chooses the driver by the URL, hands every call on to it, and
 * keeps the order of transactions: misuse (a commit without a begin) is a bug here, not an error.
 */
#include "store/db.h"

#include <assert.h>
#include <string.h>

#include "store/driver.h"

static const char *after_prefix(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

static int open_url(const char *url, bool reads, struct db **ret, struct error *err)
{
	const char *path = after_prefix(url, "sqlite:");

	if (path && *path)
		return sqlite_open(path, reads, ret, err);
	if (after_prefix(url, "postgres://") || after_prefix(url, "postgresql://"))
		return postgres_open(url, reads, ret, err);
	/* Not shown: a misspelt PostgreSQL URL has a password in it like any other. */
	error_set(err, ERR_INVALID, "the store's url names no known database");
	return error_hint(err, "write 'sqlite:PATH' or 'postgres://USER@HOST/DATABASE'");
}

int db_open(const char *url, struct db **ret, struct error *err)
{
	return open_url(url, false, ret, err);
}

int db_open_reader(const char *url, struct db **ret, struct error *err)
{
	return open_url(url, true, ret, err);
}

static void (*on_wait)(usec_t since);

void db_on_wait(void (*hook)(usec_t since))
{
	on_wait = hook;
}

void db_say_waits(usec_t since)
{
	if (on_wait)
		on_wait(since);
}

void db_close(struct db *db)
{
	if (!db)
		return;
	db_rollback(db);
	db->driver->close(db);
}

enum db_kind db_kind(const struct db *db)
{
	return db->kind;
}

int db_exec(struct db *db, const char *sql, const struct db_value *args, size_t count,
	    struct error *err)
{
	assert(count <= DB_ARGS_MAX);
	db->statements++;
	return db->driver->exec(db, sql, args, count, NULL, err);
}

int db_exec_count(struct db *db, const char *sql, const struct db_value *args, size_t count,
		  int64_t *ret_changed, struct error *err)
{
	assert(count <= DB_ARGS_MAX);
	db->statements++;
	return db->driver->exec(db, sql, args, count, ret_changed, err);
}

int db_insert(struct db *db, enum db_sequence sequence, const char *sql, struct db_value *args,
	      size_t count, int64_t *ret_key, int64_t *ret_changed, struct error *err)
{
	assert(count > 0 && count <= DB_ARGS_MAX);
	db->statements++;
	return db->driver->insert(db, sequence, sql, args, count, ret_key, ret_changed, err);
}

int db_query(struct db *db, const char *sql, const struct db_value *args, size_t count,
	     struct db_rows *ret, struct error *err)
{
	assert(count <= DB_ARGS_MAX);
	return db->driver->query(db, sql, args, count, ret, err);
}

int db_rows_next(struct db_rows *rows, struct error *err)
{
	return rows->handle ? rows->db->driver->next(rows, err) : 0;
}

void db_rows_end(struct db_rows *rows)
{
	if (rows->handle)
		rows->db->driver->end(rows);
	rows->handle = NULL;
}

bool db_is_null(const struct db_rows *rows, int column)
{
	return rows->db->driver->is_null(rows, column);
}

int64_t db_int(const struct db_rows *rows, int column)
{
	return rows->db->driver->number(rows, column);
}

const char *db_text(const struct db_rows *rows, int column)
{
	return rows->db->driver->text(rows, column);
}

int db_script(struct db *db, const char *text, struct error *err)
{
	return db->driver->script(db, text, err);
}

int db_backup(struct db *db, const char *suffix, struct error *err)
{
	return db->driver->backup(db, suffix, err);
}

int db_claim(struct db *db, struct error *err)
{
	return db->driver->claim(db, err);
}

int db_end_claimer(struct db *db, struct error *err)
{
	return db->driver->end_claimer(db, err);
}

void db_tidy(struct db *db, bool quiet)
{
	if (db->driver->tidy)
		db->driver->tidy(db, quiet);
}

bool db_has_moved(struct db *db)
{
	return db->driver->has_moved(db);
}

bool db_is_exposed(struct db *db)
{
	return db->driver->is_exposed && db->driver->is_exposed(db);
}

const char *db_account(struct db *db)
{
	return db->driver->account ? db->driver->account(db) : NULL;
}

int db_notice_fd(struct db *db)
{
	assert(!db->in_transaction);
	return db->driver->notice_fd(db);
}

int db_notices(struct db *db, bool *ret_changed, struct error *err)
{
	assert(!db->in_transaction);
	return db->driver->notices(db, ret_changed, err);
}

void db_rest_notices(struct db *db)
{
	if (db->driver->rest_notices)
		db->driver->rest_notices(db);
}

int db_begin(struct db *db, struct error *err)
{
	int r;

	assert(!db->in_transaction);
	db->last_slot = 0;
	r = db->driver->control(db, DB_BEGIN, err);
	db->in_transaction = r == 0;
	return r;
}

int db_commit(struct db *db, struct error *err)
{
	int r;

	assert(db->in_transaction && !db->in_savepoint);
	db->commit_undone = false;
	r = db->driver->control(db, DB_COMMIT, err);
	if (r < 0)
		db_rollback(db);
	db->in_transaction = false;
	return r;
}

int64_t db_changes(struct db *db)
{
	return db->driver->changes ? db->driver->changes(db) : db->statements;
}

bool db_commit_is_undone(const struct db *db)
{
	return db->commit_undone;
}

void db_rollback(struct db *db)
{
	struct error ignored = {0};

	/* What cannot be rolled back is rolled back by closing: nothing is left to report. */
	if (db->in_transaction)
		(void)db->driver->control(db, DB_ROLLBACK, &ignored);
	db->in_transaction = false;
	db->in_savepoint = false;
}

int db_savepoint(struct db *db, struct error *err)
{
	int r;

	assert(db->in_transaction && !db->in_savepoint);
	r = db->driver->control(db, DB_SAVEPOINT, err);
	db->in_savepoint = r == 0;
	return r;
}

int db_release(struct db *db, struct error *err)
{
	int r;

	assert(db->in_savepoint);
	r = db->driver->control(db, DB_RELEASE, err);
	/* A release that failed leaves the savepoint, so that the caller can roll back to it. */
	db->in_savepoint = r < 0;
	return r;
}

int db_rollback_to(struct db *db, struct error *err)
{
	assert(db->in_savepoint);
	db->in_savepoint = false;
	return db->driver->control(db, DB_ROLLBACK_TO, err);
}
