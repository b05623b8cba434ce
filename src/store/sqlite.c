/*
 * sqlite.c: the driver for one file.
 * Durable before fast: WAL with synchronous=FULL, so a commit that returned survives a power cut.
 * The file is looked at before it is touched: a database of another program is refused as it is.
 * Statements are kept prepared; one that is asked again while its rows are still being read gets a
 * second copy for the time. After an error that leaves the file in doubt (a failed write or sync)
 * the connection answers nothing but that error: the caller opens a new one, which recovers.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/driver.h"
#include "store/schema.h"
#include "store/statements.h"

/* The WAL is copied back at 16 MiB: pages that many turns change are then copied once. Where nothing
 * else happens it is done much earlier, so that it is seldom done while something is due. */
#define WAL_PAGES_MOST 4000
#define WAL_PAGES_QUIET 500
#define BUSY_TIMEOUT_MS 500

/* All zero: not looked at yet, or nothing is there. */
struct file_id {
	dev_t dev;
	ino_t ino;
};

struct sqlite {
	struct db base;
	sqlite3 *handle;
	char *path;
	struct statements statements;
	bool reads;		  /* it was opened to read alone */
	struct error broken;	  /* code 0 while the connection is sound */
	int notices;		  /* inotify of the WAL; -1 while nobody watches */
	int64_t version;	  /* of the data, as seen by the last db_notices() */
	int claim;		  /* a lock on the file, of ours alone; -1: none */
	int wal_pages;		  /* in the WAL, after the last commit */
	struct file_id file, wal; /* what was at the paths when they were opened */
};

struct statement {
	struct sqlite *owner;
	sqlite3_stmt *stmt;
	const char *sql;
	int parameters, place[DB_ARGS_MAX + 1]; /* place[3]: SQLite's index of $3 */
	int first;				/* the result of the step the query made */
	bool busy, spare;
};

/* The words for the ways a file can fail; the caller has seen that rc is not a constraint. */
static int fail_file(struct sqlite *s, int rc, struct error *err)
{
	int os_errno = sqlite3_system_errno(s->handle);

	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		error_set(err, ERR_UNAVAILABLE, "store '%s' is locked by another program", s->path);
		return error_hint(err, "end the program that holds the database open for writing");
	case SQLITE_FULL:
		error_set(err, ERR_UNAVAILABLE, "store '%s': the disk is full", s->path);
		return error_hint(err, "free some disk space and try again");
	case SQLITE_NOTADB:
		error_set(err, ERR_INVALID, "store '%s' is not a database", s->path);
		return error_hint(err, "'belfry doctor' says more; restore a backup of the file or "
				       "move it away to start afresh");
	case SQLITE_CORRUPT:
		error_set(err, ERR_SYSTEM, "store '%s' is damaged: %s", s->path,
			  sqlite3_errmsg(s->handle));
		return error_hint(err, "run 'belfry doctor' and restore a backup of the file");
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		error_set(err, ERR_UNAVAILABLE, "cannot write store '%s': %s", s->path,
			  os_errno ? strerror(os_errno) : sqlite3_errstr(rc));
		err->os_errno = os_errno;
		return error_hint(err, "the file and its folder must be writable");
	default:
		error_set(err, ERR_UNAVAILABLE, "store '%s' cannot be read or written: %s", s->path,
			  os_errno ? strerror(os_errno) : sqlite3_errmsg(s->handle));
		err->os_errno = os_errno;
		return error_hint(err, "check the disk; what was committed before is safe");
	}
}

static bool is_file_error(int rc)
{
	static const int codes[] = {
		SQLITE_BUSY,	 SQLITE_LOCKED,	  SQLITE_FULL, SQLITE_NOTADB, SQLITE_CORRUPT,
		SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH,   SQLITE_IOERR,
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if ((rc & 0xff) == codes[i])
			return true;
	return false;
}

static int fail(struct sqlite *s, int rc, const char *sql, struct error *err)
{
	int primary = rc & 0xff;

	if (rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY)
		return error_set(err, ERR_CONFLICT, "store '%s': already there: %s", s->path,
				 sqlite3_errmsg(s->handle));
	if (!is_file_error(rc))
		return error_set(err, ERR_SYSTEM, "store '%s': %s in '%.60s'", s->path,
				 sqlite3_errmsg(s->handle), sql);
	fail_file(s, rc, err);
	if (primary == SQLITE_IOERR || primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) {
		/* Never checkpoint what may not have reached the disk: recovery reads the WAL. */
		sqlite3_db_config(s->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		s->broken = *err;
	}
	return err->code;
}

/*
 * Some errors make SQLite roll back the whole transaction by itself. What the caller goes on to
 * write would then be committed piece by piece; refuse it instead.
 */
static int guard(struct sqlite *s, struct error *err)
{
	if (s->broken.code) {
		*err = s->broken;
		return err->code;
	}
	if (s->base.in_transaction && sqlite3_get_autocommit(s->handle)) {
		error_set(err, ERR_UNAVAILABLE, "store '%s' undid the transaction", s->path);
		return error_hint(err, "an earlier error says why; try again");
	}
	return 0;
}

static void statement_free(void *prepared)
{
	struct statement *st = prepared;

	sqlite3_finalize(st->stmt);
	free(st);
}

static int statement_new(struct sqlite *s, const char *sql, bool keep, struct statement **ret,
			 struct error *err)
{
	struct statement *st;
	sqlite3_stmt *stmt = NULL;
	char name[8];
	int rc = sqlite3_prepare_v3(s->handle, sql, -1, keep ? SQLITE_PREPARE_PERSISTENT : 0, &stmt,
				    NULL);

	if (rc != SQLITE_OK)
		return fail(s, rc, sql, err);
	st = mem_zalloc(sizeof(*st));
	*st = (struct statement){.owner = s, .stmt = stmt, .sql = sql, .spare = !keep};
	st->parameters = sqlite3_bind_parameter_count(stmt);
	assert(st->parameters <= DB_ARGS_MAX);
	for (int i = 1; i <= st->parameters; i++) {
		snprintf(name, sizeof(name), "$%d", i);
		st->place[i] = sqlite3_bind_parameter_index(stmt, name);
	}
	*ret = st;
	return 0;
}

static int statement_take(struct sqlite *s, const char *sql, struct statement **ret,
			  struct error *err)
{
	void **kept = statements_at(&s->statements, sql);
	struct statement *st = *kept;
	int r = 0;

	if (st && st->busy)
		return statement_new(s, sql, false, ret, err);
	if (!st) {
		r = statement_new(s, sql, true, &st, err);
		if (r < 0)
			return r;
		*kept = st;
	}
	*ret = st;
	return 0;
}

static void statement_give_back(struct statement *st)
{
	sqlite3_reset(st->stmt);
	st->busy = false;
	if (st->spare)
		statement_free(st);
}

static int bind_one(sqlite3_stmt *stmt, int place, const struct db_value *v, bool copy)
{
	switch (v->type) {
	case DB_TYPE_INT:
		return sqlite3_bind_int64(stmt, place, v->number);
	case DB_TYPE_TEXT:
		return sqlite3_bind_text(stmt, place, v->text, -1,
					 copy ? SQLITE_TRANSIENT : SQLITE_STATIC);
	default:
		return sqlite3_bind_null(stmt, place);
	}
}

/* `copy`: the arguments may go away before the last row was read. */
static int bind_all(struct statement *st, const struct db_value *args, size_t count, bool copy,
		    struct error *err)
{
	assert((size_t)st->parameters == count);
	for (size_t i = 0; i < count; i++) {
		int rc = bind_one(st->stmt, st->place[i + 1], &args[i], copy);

		if (rc != SQLITE_OK)
			return fail(st->owner, rc, st->sql, err);
	}
	return 0;
}

static int run(struct sqlite *s, const char *sql, const struct db_value *args, size_t count,
	       struct error *err)
{
	struct statement *st = NULL;
	int r = guard(s, err), rc;

	if (r < 0 || (r = statement_take(s, sql, &st, err)) < 0)
		return r;
	r = bind_all(st, args, count, false, err);
	if (r == 0) {
		while ((rc = sqlite3_step(st->stmt)) == SQLITE_ROW)
			;
		if (rc != SQLITE_DONE)
			r = fail(s, rc, sql, err);
	}
	statement_give_back(st);
	return r;
}

static int sqlite_exec(struct db *db, const char *sql, const struct db_value *args, size_t count,
		       int64_t *ret_changed, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;
	int r = run(s, sql, args, count, err);

	if (r == 0 && ret_changed)
		*ret_changed = sqlite3_changes64(s->handle);
	return r;
}

static int sqlite_insert(struct db *db, enum db_sequence sequence, const char *sql,
			 struct db_value *args, size_t count, int64_t *ret_key,
			 int64_t *ret_changed, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;
	int r;

	(void)sequence;
	args[0] = DB_NULL;
	r = sqlite_exec(db, sql, args, count, ret_changed, err);
	if (r == 0)
		*ret_key = sqlite3_last_insert_rowid(s->handle);
	return r;
}

/* Takes the first step at once: a writing statement has written when the query returns. */
static int sqlite_query(struct db *db, const char *sql, const struct db_value *args, size_t count,
			struct db_rows *ret, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;
	struct statement *st = NULL;
	int r = guard(s, err);

	if (r < 0 || (r = statement_take(s, sql, &st, err)) < 0)
		return r;
	r = bind_all(st, args, count, true, err);
	if (r == 0) {
		st->first = sqlite3_step(st->stmt);
		if (st->first != SQLITE_ROW && st->first != SQLITE_DONE)
			r = fail(s, st->first, sql, err);
	}
	if (r < 0) {
		statement_give_back(st);
		return r;
	}
	st->busy = true;
	*ret = (struct db_rows){.db = db, .handle = st, .row = -1};
	return 0;
}

static int sqlite_next(struct db_rows *rows, struct error *err)
{
	struct statement *st = rows->handle;
	int rc = rows->row < 0 ? st->first : sqlite3_step(st->stmt);

	rows->row++;
	if (rc == SQLITE_ROW)
		return 1;
	db_rows_end(rows);
	return rc == SQLITE_DONE ? 0 : fail((struct sqlite *)rows->db, rc, "rows", err);
}

static void sqlite_end(struct db_rows *rows)
{
	statement_give_back(rows->handle);
}

static bool sqlite_is_null(const struct db_rows *rows, int column)
{
	const struct statement *st = rows->handle;

	return sqlite3_column_type(st->stmt, column) == SQLITE_NULL;
}

static int64_t sqlite_number(const struct db_rows *rows, int column)
{
	const struct statement *st = rows->handle;

	return sqlite3_column_int64(st->stmt, column);
}

static const char *sqlite_text(const struct db_rows *rows, int column)
{
	const struct statement *st = rows->handle;

	return (const char *)sqlite3_column_text(st->stmt, column);
}

/* --- whether the file is still ours --- */

static struct file_id look_at(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? (struct file_id){0} : (struct file_id){st.st_dev, st.st_ino};
}

static bool is_same(struct file_id a, struct file_id b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

static bool is_memory(const struct sqlite *s)
{
	return strcmp(s->path, ":memory:") == 0;
}

static bool wal_has_moved(struct sqlite *s)
{
	AUTO(free) char *path = mem_printf("%s-wal", s->path);
	struct file_id now = look_at(path);

	/* It is made by the first who reads, and never replaced while we have the database open. */
	if (!s->wal.ino)
		s->wal = now;
	return !is_same(now, s->wal);
}

static bool sqlite_has_moved(struct db *db)
{
	struct sqlite *s = (struct sqlite *)db;

	return s->file.ino && (!is_same(look_at(s->path), s->file) || wal_has_moved(s));
}

/* Whoever puts a backup back, or deletes the file, would never hear of what we go on to write. */
static int refuse_moved(struct sqlite *s, struct error *err)
{
	bool there = look_at(s->path).ino != 0;

	if (!sqlite_has_moved(&s->base))
		return 0;
	error_set(err, ERR_UNAVAILABLE, "store '%s' was %s while it was in use", s->path,
		  there ? "replaced" : "deleted");
	return error_hint(err, there ? "nothing was written; ask again, for the file that is there"
				     : "put a backup there; what starts now begins with nothing");
}

/* The lock is on a descriptor of its own, which is closed after SQLite's: closing one gives up the
 * locks that SQLite has on the same file. */
static int sqlite_claim(struct db *db, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;

	if (is_memory(s) || s->claim >= 0)
		return 0;
	s->claim = open(s->path, O_RDONLY | O_CLOEXEC);
	if (s->claim >= 0 && flock(s->claim, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (s->claim >= 0 && errno == EWOULDBLOCK)
		return error_set(err, ERR_CONFLICT, "store '%s' is in use", s->path);
	return error_set_errno(err, errno, "cannot lock store '%s'", s->path);
}

/* The kernel knows when a process has ended. */
static int sqlite_end_claimer(struct db *db, struct error *err)
{
	(void)db;
	(void)err;
	return 0;
}

static int sqlite_control(struct db *db, enum db_control what, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;
	static const char *const texts[] = {
		[DB_BEGIN] = "BEGIN IMMEDIATE",		  [DB_COMMIT] = "COMMIT",
		[DB_SAVEPOINT] = "SAVEPOINT request",	  [DB_RELEASE] = "RELEASE request",
		[DB_ROLLBACK_TO] = "ROLLBACK TO request",
	};
	int r;

	if (what == DB_ROLLBACK) {
		/* Also on a broken connection, and when SQLite has already done it. */
		sqlite3_exec(s->handle, "ROLLBACK", NULL, NULL, NULL);
		return 0;
	}
	if ((what == DB_BEGIN || what == DB_COMMIT) && (r = refuse_moved(s, err)) < 0)
		return r;
	r = run(s, texts[what], DB_NO_ARGS, err);
	/* Rolling back to a savepoint leaves it standing. */
	if (r == 0 && what == DB_ROLLBACK_TO)
		r = run(s, texts[DB_RELEASE], DB_NO_ARGS, err);
	return r;
}

static int sqlite_script(struct db *db, const char *text, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;
	int r = guard(s, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_exec(s->handle, text, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : fail(s, rc, text, err);
}

/* Make an empty file of our own, mode 0600, or leave the one that is there. */
static int make_private_file(const char *path, struct error *err)
{
	AUTO_CLOSE int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || errno == EEXIST)
		return 0;
	error_set_errno(err, errno, "cannot create store '%s'", path);
	err->code = ERR_UNAVAILABLE;
	return error_hint(err, "the folder must exist and be writable");
}

/* The file's bytes, then its name: only then may the migration begin. */
static int settle_backup(const char *from, const char *to, struct error *err)
{
	AUTO(free) char *folder = mem_strdup(to);
	AUTO_CLOSE int fd = open(from, O_RDWR | O_CLOEXEC);
	AUTO_CLOSE int dir = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || dir < 0 || fsync(fd) < 0 || rename(from, to) < 0 || fsync(dir) < 0) {
		error_set_errno(err, errno, "cannot keep backup '%s'", to);
		err->code = ERR_UNAVAILABLE;
		return err->code;
	}
	return 0;
}

static int sqlite_backup(struct db *db, const char *suffix, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;
	AUTO(free) char *final = mem_printf("%s%s", s->path, suffix);
	AUTO(free) char *partial = mem_printf("%s%s.partial", s->path, suffix);
	struct db_value args[] = {DB_TEXT(partial)};
	int r;

	if (strcmp(s->path, ":memory:") == 0)
		return 0;
	unlink(partial);
	r = make_private_file(partial, err);
	if (r == 0)
		r = run(s, "VACUUM INTO $1", DB_ARGS(args), err);
	if (r == 0)
		r = settle_backup(partial, final, err);
	if (r < 0) {
		unlink(partial);
		return error_prefix(err, "backup '%s' before the migration", final);
	}
	return 0;
}

static int ask_number(struct sqlite *s, const char *sql, int64_t *ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(&s->base, sql, DB_NO_ARGS, &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	*ret = r ? db_int(&rows, 0) : 0;
	return 0;
}

/* It is never replaced while we have the database open; a writer that goes closes it. */
static int watch_wal(struct sqlite *s)
{
	AUTO(free) char *wal = mem_printf("%s-wal", s->path);

	return inotify_add_watch(s->notices, wal, IN_MODIFY | IN_CLOSE_WRITE);
}

static int sqlite_notice_fd(struct db *db)
{
	struct sqlite *s = (struct sqlite *)db;
	struct error ignored = {0};
	int64_t version;

	if (s->notices >= 0 || is_memory(s))
		return s->notices;
	s->notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	/* The question also makes the WAL, where there was none. */
	if (s->notices >= 0 &&
	    (ask_number(s, "PRAGMA data_version", &version, &ignored) < 0 || watch_wal(s) < 0)) {
		close(s->notices);
		s->notices = -1;
	}
	return s->notices;
}

static bool drain_notices(struct sqlite *s)
{
	char events[4096];
	bool any = false;

	while (s->notices >= 0 && read(s->notices, events, sizeof(events)) > 0)
		any = true;
	return any;
}

/*
 * The version changes by the commits of others alone. But the WAL is written, and we are woken,
 * before a commit can be seen, and nothing wakes us after it: so when the version is still the old
 * one, a writer may be half-way. Having had the write lock for a moment, we know that none is.
 */
static int sqlite_notices(struct db *db, bool *ret_changed, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;
	bool woken = drain_notices(s);
	int64_t version = s->version;
	int r = ask_number(s, "PRAGMA data_version", &version, err);

	if (r == 0 && woken && version == s->version) {
		r = db_begin(db, err);
		if (r == 0)
			r = ask_number(s, "PRAGMA data_version", &version, err);
		db_rollback(db);
		/* Still writing after all that time: there is something to see soon. */
		if (r == ERR_UNAVAILABLE && !s->broken.code) {
			*ret_changed = true;
			return 0;
		}
	}
	if (r < 0)
		return r;
	*ret_changed = version != s->version;
	s->version = version;
	return 0;
}

/* Instead of a checkpoint inside the commit, for which a fire would wait: see sqlite_tidy(). */
static int on_commit(void *data, sqlite3 *handle, const char *name, int pages)
{
	struct sqlite *s = data;

	(void)handle;
	(void)name;
	s->wal_pages = pages;
	return SQLITE_OK;
}

/* What cannot be copied back now is copied another time; what is wrong, the next commit says. */
static void sqlite_tidy(struct db *db, bool quiet)
{
	struct sqlite *s = (struct sqlite *)db;

	if (s->wal_pages < (quiet ? WAL_PAGES_QUIET : WAL_PAGES_MOST) || s->broken.code)
		return;
	s->wal_pages = 0;
	sqlite3_wal_checkpoint_v2(s->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

static void sqlite_close(struct db *db)
{
	struct sqlite *s = (struct sqlite *)db;

	if (s->notices >= 0)
		close(s->notices);
	statements_fini(&s->statements, statement_free);
	/* A WAL at our path that is not ours belongs to the file that is there now. */
	if (s->handle && s->wal.ino && wal_has_moved(s))
		sqlite3_db_config(s->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	else if (s->handle && !s->broken.code && !s->reads)
		sqlite3_wal_checkpoint_v2(s->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_close(s->handle);
	if (s->claim >= 0)
		close(s->claim);
	free(s->path);
	free(s);
}

static const struct db_driver driver = {
	.close = sqlite_close,
	.exec = sqlite_exec,
	.insert = sqlite_insert,
	.query = sqlite_query,
	.next = sqlite_next,
	.end = sqlite_end,
	.is_null = sqlite_is_null,
	.number = sqlite_number,
	.text = sqlite_text,
	.control = sqlite_control,
	.script = sqlite_script,
	.backup = sqlite_backup,
	.claim = sqlite_claim,
	.end_claimer = sqlite_end_claimer,
	.has_moved = sqlite_has_moved,
	.tidy = sqlite_tidy,
	.notice_fd = sqlite_notice_fd,
	.notices = sqlite_notices,
};

/* Ours, or empty: before anything is written, so that a mistyped path harms nobody's data. */
static int check_identity(struct sqlite *s, struct error *err)
{
	int64_t application = 0, objects = 0;
	int r = ask_number(s, "PRAGMA application_id", &application, err);

	if (r < 0 || (r = ask_number(s, "SELECT count(*) FROM sqlite_schema", &objects, err)) < 0)
		return r;
	if (application == SCHEMA_APPLICATION_ID || (application == 0 && objects == 0))
		return 0;
	error_set(err, ERR_INVALID, "store '%s' is the database of another program", s->path);
	error_hint(err, "name a file of belfry's own, or one that does not exist yet");
	s->broken = *err; /* so that closing it does not checkpoint it either */
	sqlite3_db_config(s->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return err->code;
}

/*
 * Up to 16 MiB of cache, taken only as far as there are pages: a small store stays small in memory,
 * and with a million reminders a fire finds the pages it changes.
 */
static int configure(struct sqlite *s, struct error *err)
{
	static const char pragmas[] = "PRAGMA journal_mode = WAL;"
				      "PRAGMA synchronous = FULL;"
				      "PRAGMA foreign_keys = ON;"
				      "PRAGMA mmap_size = 0;"
				      "PRAGMA cache_size = -16384;"
				      "PRAGMA cell_size_check = ON;"
				      "PRAGMA journal_size_limit = 16777216;";

	return sqlite_script(&s->base, pragmas, err);
}

/* Nothing stored in the file may make us run code. */
static void harden(sqlite3 *handle)
{
	sqlite3_extended_result_codes(handle, 1);
	sqlite3_busy_timeout(handle, BUSY_TIMEOUT_MS);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
}

static int open_file(struct sqlite *s, struct error *err)
{
	bool memory = is_memory(s);
	int r = memory ? 0 : make_private_file(s->path, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_open_v2(s->path, &s->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			     NULL);
	if (rc != SQLITE_OK)
		return fail(s, rc, "open", err);
	harden(s->handle);
	r = check_identity(s, err);
	if (r < 0)
		return r;
	/* SQLite silently falls back to reading only when it may not write. */
	if (sqlite3_db_readonly(s->handle, "main") == 1)
		return fail(s, SQLITE_READONLY, "open", err);
	/* A file made looser by hand; -wal and -shm take their mode from it. */
	if (!memory)
		(void)!chmod(s->path, 0600);
	if (!memory)
		s->file = look_at(s->path);
	r = configure(s, err);
	sqlite3_wal_hook(s->handle, on_commit, s);
	return r < 0 ? r : ask_number(s, "PRAGMA data_version", &s->version, err);
}

/* Whoever writes goes on meanwhile; the WAL is theirs to copy back. */
static int open_reader(struct sqlite *s, struct error *err)
{
	int rc = sqlite3_open_v2(s->path, &s->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
				 NULL);

	s->reads = true;
	if (rc != SQLITE_OK)
		return fail(s, rc, "open", err);
	harden(s->handle);
	sqlite3_db_config(s->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return check_identity(s, err);
}

int sqlite_open(const char *path, bool reads, struct db **ret, struct error *err)
{
	struct sqlite *s = mem_zalloc(sizeof(*s));
	int r;

	/* Its bookkeeping takes a lock at every allocation. Refused, harmlessly, after the first.
	 */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	s->base = (struct db){.driver = &driver, .kind = DB_SQLITE};
	s->notices = s->claim = -1;
	s->path = mem_strdup(path);
	r = reads ? open_reader(s, err) : open_file(s, err);
	if (r < 0) {
		sqlite_close(&s->base);
		return r;
	}
	*ret = &s->base;
	return 0;
}

struct sqlite3 *sqlite_handle(struct db *db)
{
	return ((struct sqlite *)db)->handle;
}
