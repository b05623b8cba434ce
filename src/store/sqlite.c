/*
 * sqlite.c: the driver for one file.
 * Durable before fast: WAL with synchronous=FULL, so a commit that returned survives a power cut.
 * The file is looked at before it is touched: a database of another program is refused as it is.
 * Statements are kept prepared; one that is asked again while its rows are still being read gets a
 * second copy for the time. After an error that leaves the file in doubt (a failed write or sync)
 * the connection answers nothing but that error: the caller opens a new one, which recovers.
 *
 * A backup that is copied over the file leaves it where it was, and SQLite with pages of another past in
 * memory. So whoever has the claim watches who writes the file: it is written by checkpoints alone. What
 * somebody else wrote is not gone on with. Its WAL belongs to the file that was there, and would undo the
 * backup, or damage it: it is set aside, unless the writer was SQLite, which says so in the shared memory.
 *
 * Files whose names were deleted are still whole in our descriptors. Where it is the WAL or the shared memory,
 * the WAL is copied back, and the file has everything again. Where it is the file itself, or another one was put
 * in its place, what we have is copied beside it. A person is told either (db_account()).
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "store/driver.h"
#include "store/schema.h"
#include "store/sqlite-copy.h"
#include "store/sqlite-gather.h"
#include "store/sqlite-known.h"
#include "store/statements.h"

/* The WAL is copied back at 16 MiB: pages that many turns change are then copied once. Where nothing
 * else happens it is done much earlier, so that it is seldom done while something is due. */
#define WAL_PAGES_MOST 4000
#define WAL_PAGES_QUIET 500
#define BUSY_TIMEOUT_MS 500
#define WAL_KEPT "-wal.before-"
#define CHECK_SUFFIX "-check" /* beside the file: it is to be checked */

/* In the shared memory, as SQLite has documented it: the salts of the WAL, how far it is copied back, and how far
 * somebody began to. */
#define SHM_SALTS 32
#define SHM_COPIED 96
#define SHM_ATTEMPTED 128
#define SHM_SIZE 136

/* What tells who wrote the file. */
struct file_mark {
	off_t size;
	struct timespec written;
	unsigned char salts[8], copied[4], attempted[4];
};

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
	bool reads;			  /* it was opened to read alone, or is another's */
	struct error broken;		  /* code 0 while the connection is sound */
	int notices;			  /* inotify of the WAL; -1 while nobody watches */
	int wal_watch;			  /* its name of the WAL; -1 while that rests */
	int64_t version;		  /* of the data, as seen by the last db_notices() */
	int claim;			  /* a lock on the file, of ours alone; -1: none */
	int wal_pages;			  /* in the WAL, after the last commit */
	struct file_id file, wal, memory; /* what was at the paths when they were opened */
	int events;   /* inotify of the three files, while we have the claim; -1 */
	bool written; /* it said that somebody wrote the file, us or another */
	bool named;   /* WAL and shared memory are watched too, and were there at the last look */
	int shm;      /* its shared memory, to look at; -1 */
	const void *shm_map;   /* its beginning; NULL */
	struct file_mark mark; /* as of the last look */
	bool overwritten;      /* somebody else wrote the file */
	bool foreign_wal;      /* and the WAL is not of what is there now */
	bool rescued;	       /* the WAL lost its name, and is copied back */
	bool was_kept;	       /* what the file had is saved, or could not be */
	char *kept;	       /* where; NULL: nowhere */
	char *account;	       /* for a person; NULL: nothing happened */
};

/* What became of the files while we have them open. */
enum fate {
	FATE_NONE,
	FATE_OVERWRITTEN,
	FATE_DELETED,
	FATE_REPLACED,
	FATE_OTHER_WAL, /* one that somebody else has written */
	FATE_EXPOSED,	/* the WAL or the shared memory have no name any more */
};

struct statement {
	struct sqlite *owner;
	sqlite3_stmt *stmt;
	const char *sql;
	int parameters, place[DB_ARGS_MAX + 1]; /* place[3]: SQLite's index of $3 */
	int first;				/* the result of the step the query made */
	bool busy, spare;
};

/* Whoever opens it next looks whether it is sound: a damage is not always met at once. */
static void want_check(const struct sqlite *s)
{
	AUTO(free) char *path = mem_printf("%s" CHECK_SUFFIX, s->path);
	AUTO_CLOSE int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	(void)fd;
}

/* The words for the ways a file can fail; the caller has seen that rc is not a constraint. */
static int fail_file(struct sqlite *s, int rc, struct error *err)
{
	int os_errno = sqlite3_system_errno(s->handle);

	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		error_set(err, ERR_UNAVAILABLE, "store '%s' is locked by another program", s->path);
		err->os_errno = EBUSY;
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
		return error_hint(err, "run 'belfry doctor' and restore a backup of the file; "
				       "where one was just put there, delete its '-wal'");
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
	if (primary == SQLITE_CORRUPT && !s->reads)
		want_check(s);
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

/* From here on nothing is read or written, and closing it copies no WAL back either. */
static int leave_alone(struct sqlite *s, const struct error *why)
{
	sqlite3_db_config(s->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	s->broken = *why;
	return why->code;
}

/* --- whether the file is still ours --- */

static struct file_id look_at(const char *path)
{
	struct file_id none = {0};
	struct stat st;

	if (stat(path, &st) < 0)
		return none;
	return (struct file_id){st.st_dev, st.st_ino};
}

static bool is_same(struct file_id a, struct file_id b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

static bool is_memory(const struct sqlite *s)
{
	return strcmp(s->path, ":memory:") == 0;
}

/* Names that came, went or were given to another file: each is a change of what has them. */
#define NAME_EVENTS (IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)

/*
 * Takes what is known of the three files since the last time. Silence means that their names are where they
 * were; a folder above them may be another one all the same, which only a look at the path can tell.
 */
static void take_events(struct sqlite *s)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t n;

	while (s->events >= 0 && (n = read(s->events, bytes, sizeof(bytes))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const void *)(bytes + at);

			s->written |= event->mask & (IN_MODIFY | IN_Q_OVERFLOW);
			s->named &= (event->mask & ~(uint32_t)IN_MODIFY) == 0;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
}

/* They are made by the first who reads, and never replaced while we have the database open. */
static enum fate side_fate(struct sqlite *s)
{
	AUTO(free) char *wal = mem_printf("%s-wal", s->path);
	AUTO(free) char *shm = mem_printf("%s-shm", s->path);
	/* Watched before they are looked at: what happens in between is then looked at once more. */
	bool watched = s->events >= 0 && inotify_add_watch(s->events, wal, NAME_EVENTS) >= 0 &&
		       inotify_add_watch(s->events, shm, NAME_EVENTS) >= 0;
	struct file_id wal_now = look_at(wal), shm_now = look_at(shm);
	struct stat st;

	if (!s->wal.ino)
		s->wal = wal_now;
	if (!s->memory.ino)
		s->memory = shm_now;
	if (!is_same(wal_now, s->wal))
		/* Whoever only opened the database has made an empty one. */
		return stat(wal, &st) == 0 && st.st_size > 0 ? FATE_OTHER_WAL : FATE_EXPOSED;
	if (!is_same(shm_now, s->memory))
		return FATE_EXPOSED;
	s->named = watched && wal_now.ino && shm_now.ino;
	return FATE_NONE;
}

static struct file_mark mark_of(const struct sqlite *s, const struct stat *st)
{
	struct file_mark m = {.size = st->st_size, .written = st->st_mtim};

	if (s->shm_map) {
		memcpy(m.salts, (const char *)s->shm_map + SHM_SALTS, sizeof(m.salts));
		memcpy(m.copied, (const char *)s->shm_map + SHM_COPIED, sizeof(m.copied));
		memcpy(m.attempted, (const char *)s->shm_map + SHM_ATTEMPTED, sizeof(m.attempted));
	}
	return m;
}

/* What was written until now was written by us, or is known. */
static void note_writes(struct sqlite *s)
{
	struct stat st = {0};

	take_events(s);
	s->written = false;
	if (stat(s->path, &st) < 0)
		st = (struct stat){0};
	s->mark = mark_of(s, &st);
	if (s->claim >= 0)
		sqlite_known_note(s->path, s->claim);
}

/* The descriptor stays: closing it would give up the locks that SQLite has on the same file. */
static void map_shm(struct sqlite *s)
{
	AUTO(free) char *path = mem_printf("%s-shm", s->path);
	struct stat st;
	void *map;

	s->shm = open(path, O_RDONLY | O_CLOEXEC);
	if (s->shm < 0 || fstat(s->shm, &st) < 0 || st.st_size < SHM_SIZE)
		return;
	map = mmap(NULL, SHM_SIZE, PROT_READ, MAP_SHARED, s->shm, 0);
	s->shm_map = map == MAP_FAILED ? NULL : map;
}

static void watch_writes(struct sqlite *s)
{
	map_shm(s);
	s->events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (s->events >= 0 && inotify_add_watch(s->events, s->path, IN_MODIFY | NAME_EVENTS) < 0) {
		close(s->events);
		s->events = -1;
	}
	note_writes(s);
}

/*
 * Another connection of SQLite may copy the WAL back at any time: a thousand pages written through SQL are
 * enough. It says so in the memory that all connections share, before its first write and after its last; a
 * program that copies a file over ours does not.
 */
static bool was_copied_back(const struct file_mark *before, const struct file_mark *now)
{
	return memcmp(now->salts, before->salts, sizeof(now->salts)) != 0 ||
	       memcmp(now->attempted, before->attempted, sizeof(now->attempted)) != 0 ||
	       memcmp(now->copied, before->copied, sizeof(now->copied)) != 0 ||
	       memcmp(before->copied, before->attempted, sizeof(before->copied)) != 0;
}

/* Of the two signs each alone may mean nothing: a time can be set, and a write be our own. */
static bool was_overwritten(struct sqlite *s, const struct stat *st)
{
	struct file_mark now = mark_of(s, st);

	if (s->overwritten || s->events < 0)
		return s->overwritten;
	if ((now.size == s->mark.size && now.written.tv_sec == s->mark.written.tv_sec &&
	     now.written.tv_nsec == s->mark.written.tv_nsec) ||
	    !s->written || was_copied_back(&s->mark, &now)) {
		s->mark = now;
		return false;
	}
	s->overwritten = s->foreign_wal = true;
	return true;
}

/* Twice a turn: one look at the path, and a question to inotify, while all is well. */
static enum fate fate_of(struct sqlite *s)
{
	struct stat now;

	if (!s->file.ino)
		return FATE_NONE;
	/* Looked at first: what is written after that is told by now, or with the next look. */
	if (stat(s->path, &now) < 0)
		now = (struct stat){0};
	take_events(s);
	if (was_overwritten(s, &now))
		return FATE_OVERWRITTEN;
	if (!now.st_ino)
		return FATE_DELETED;
	if (now.st_ino != s->file.ino || now.st_dev != s->file.dev)
		return FATE_REPLACED;
	return s->named ? FATE_NONE : side_fate(s);
}

static bool sqlite_has_moved(struct db *db)
{
	enum fate fate = fate_of((struct sqlite *)db);

	return fate != FATE_NONE && fate != FATE_EXPOSED;
}

static bool sqlite_is_exposed(struct db *db)
{
	struct sqlite *s = (struct sqlite *)db;

	return fate_of(s) == FATE_EXPOSED && !s->rescued && !s->reads;
}

/* --- what is saved of it --- */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* SQLITE_OK: all of the WAL is in the file now, and synced there. */
static int copy_back(struct sqlite *s)
{
	int frames = 0, copied = 0, rc;

	sqlite_known_forget(s->path);
	rc = sqlite3_wal_checkpoint_v2(s->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

	/* Whoever reads keeps it from being emptied, which need not be. */
	if ((rc & 0xff) == SQLITE_BUSY)
		rc = sqlite3_wal_checkpoint_v2(s->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, &frames,
					       &copied);
	if (rc == SQLITE_OK && copied < frames)
		rc = SQLITE_BUSY;
	note_writes(s);
	return rc;
}

static int rescue(struct sqlite *s, struct error *err)
{
	int rc = s->rescued || s->reads ? SQLITE_OK : copy_back(s);

	if (rc != SQLITE_OK) {
		fail_file(s, rc, err);
		return error_prefix(err, "'%s-wal' was deleted while it was in use",
				    name_of(s->path));
	}
	if (!s->account)
		s->account = mem_printf(
			"'%s-wal' or '%s-shm', which belong to the database, were deleted while it "
			"was in use. Nothing is lost: what they held is in '%s' now. They are to "
			"be left alone while Belfry runs.",
			s->path, name_of(s->path), name_of(s->path));
	s->rescued = true;
	return 0;
}

static off_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : 0;
}

/* A WAL alone has only what was not in the file yet. */
static bool kept_wal(const struct sqlite *s)
{
	return s->kept && strstr(s->kept, WAL_KEPT);
}

static const char *words_of_kept(const struct sqlite *s)
{
	return kept_wal(s) ? "What was not in the file yet" : "What it had until then";
}

/* Of a file that was overwritten only the WAL is left, unless that has every page there is. */
static void keep(struct sqlite *s, enum fate fate)
{
	long long at = time(NULL);
	AUTO(free) char *copy = mem_printf("%s.saved-%lld", s->path, at);
	bool emptied = fate == FATE_OVERWRITTEN && size_of(s->path) == 0;
	struct error err = {0};

	if (s->was_kept || s->reads || !sqlite3_get_autocommit(s->handle))
		return;
	s->was_kept = true;
	if ((fate != FATE_OVERWRITTEN || emptied) && !s->broken.code &&
	    sqlite_copy(s->handle, copy, emptied, &err) == 0) {
		s->kept = steal_ptr(&copy);
		sqlite_prune_copies(s->path);
	} else if (fate == FATE_OVERWRITTEN && s->foreign_wal)
		s->kept = mem_printf("%s" WAL_KEPT "%lld", s->path, at);
	if (s->kept)
		s->account = mem_printf("%s is kept in '%s'.", words_of_kept(s), s->kept);
	else if (fate != FATE_OVERWRITTEN || s->foreign_wal)
		s->account = mem_printf("What it had until then could not be kept: %s.",
					*err.message ? err.message : s->broken.message);
}

static const char *sqlite_account(struct db *db)
{
	struct sqlite *s = (struct sqlite *)db;
	enum fate fate = fate_of(s);

	if (fate != FATE_NONE && fate != FATE_EXPOSED)
		keep(s, fate);
	return s->account;
}

static int refuse_exposed(struct sqlite *s, struct error *err)
{
	/* At the end of a transaction there is nothing to do but to undo it; the next one begins here. */
	if (sqlite3_get_autocommit(s->handle) && rescue(s, err) < 0)
		return err->code;
	error_set(err, ERR_UNAVAILABLE, "'%s-wal' or '-shm' were deleted while they were in use",
		  s->path);
	return error_hint(err, "what they held is not lost; ask again");
}

/* Whoever puts a backup back, or deletes the file, would never hear of what we go on to write. */
static int refuse_moved(struct sqlite *s, struct error *err)
{
	/* clang-format off */
	static const char *const words[] = {
		[FATE_OVERWRITTEN] = "overwritten", [FATE_DELETED] = "deleted", [FATE_REPLACED] = "replaced",
		[FATE_OTHER_WAL] = "given another WAL",
	};
	/* clang-format on */
	enum fate fate = fate_of(s);

	if (fate == FATE_NONE)
		return 0;
	if (fate == FATE_EXPOSED)
		return refuse_exposed(s, err);
	keep(s, fate);
	error_set(err, ERR_UNAVAILABLE, "store '%s' was %s while it was in use", s->path,
		  words[fate]);
	if (s->kept)
		error_hint(err, "%s is kept in '%.60s'",
			   kept_wal(s) ? "what was not in it yet" : "what it had",
			   name_of(s->kept));
	else
		error_hint(err,
			   fate == FATE_DELETED
				   ? "put a backup there"
				   : "nothing was written; ask again, for the file that is there");
	/* Pages in memory are of another past. */
	return s->overwritten ? leave_alone(s, err) : err->code;
}

/*
 * What we find in the WAL may be of a commit whose sync failed: it can be read, and may never have reached the
 * disk; and a sync that succeeds later says nothing about it. So it is written anew, into the file, before anybody
 * is told that it was done. A disk that is full has to be readable, and fails otherwise.
 */
static int settle_wal(struct sqlite *s, struct error *err)
{
	AUTO(free) char *wal = mem_printf("%s-wal", s->path);
	int rc = size_of(wal) > 0 ? copy_back(s) : SQLITE_OK;

	return rc == SQLITE_OK || (rc & 0xff) == SQLITE_FULL ? 0 : fail(s, rc, "checkpoint", err);
}

/* The lock is on a descriptor of its own, which is closed after SQLite's: closing one gives up the
 * locks that SQLite has on the same file. */
static int sqlite_claim(struct db *db, struct error *err)
{
	struct sqlite *s = (struct sqlite *)db;

	if (is_memory(s) || s->claim >= 0)
		return 0;
	s->claim = file_open(s->path, O_RDONLY, err);
	if (s->claim < 0)
		return err->code;
	if (flock(s->claim, LOCK_EX | LOCK_NB) == 0) {
		if (sqlite_known_check(s->path, s->claim, err) < 0)
			return leave_alone(s, err);
		watch_writes(s);
		return settle_wal(s, err);
	}
	if (errno == EWOULDBLOCK) {
		/* Whoever has it minds its WAL, and takes it for another's work when we write the file. */
		s->reads = true;
		sqlite3_db_config(s->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		return error_set(err, ERR_CONFLICT, "store '%s' is in use", s->path);
	}
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
	/*
	 * No room for a frame of the WAL: the one that commits is the last, so it was not written whole. A sync that
	 * fails, and memory that cannot be shared, are errors of another kind.
	 */
	if (r < 0 && what == DB_COMMIT)
		db->commit_undone = (sqlite3_errcode(s->handle) & 0xff) == SQLITE_FULL;
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
	r = sqlite_make_private(partial, err);
	if (r == 0)
		r = run(s, "VACUUM INTO $1", DB_ARGS(args), err);
	if (r == 0)
		r = sqlite_settle(partial, final, err);
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
	AUTO(free) char *shm = mem_printf("%s-shm", s->path);

	/* A name that goes away is a change of what has it. */
	(void)inotify_add_watch(s->notices, s->path, IN_ATTRIB | IN_MOVE_SELF);
	(void)inotify_add_watch(s->notices, shm, IN_ATTRIB | IN_MOVE_SELF);
	s->wal_watch = inotify_add_watch(s->notices, wal,
					 IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF);
	return s->wal_watch;
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

static bool drain(int fd)
{
	char events[4096];
	bool any = false;

	while (fd >= 0 && read(fd, events, sizeof(events)) > 0)
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
	/* Watched before it is asked: what comes after that is told. Nothing was, meanwhile. */
	bool rested = s->notices >= 0 && s->wal_watch < 0, lost = rested && watch_wal(s) < 0;
	bool woken = drain(s->notices) || rested;
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
	*ret_changed = lost || version != s->version;
	s->version = version;
	return 0;
}

/* Each write to a file that is watched makes an event, and a commit is a dozen writes. */
static void sqlite_rest_notices(struct db *db)
{
	struct sqlite *s = (struct sqlite *)db;

	if (s->notices >= 0 && s->wal_watch >= 0)
		inotify_rm_watch(s->notices, s->wal_watch);
	s->wal_watch = -1;
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
	if (fate_of(s) == FATE_OVERWRITTEN)
		return;
	s->wal_pages = 0;
	sqlite_known_forget(s->path);
	sqlite3_wal_checkpoint_v2(s->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	note_writes(s);
}

static int64_t sqlite_changes(struct db *db)
{
	return sqlite3_total_changes64(((struct sqlite *)db)->handle);
}

/* It is kept: perhaps somebody wants what was in it after all. */
static void set_wal_aside(const struct sqlite *s)
{
	AUTO(free) char *wal = mem_printf("%s-wal", s->path);
	AUTO(free) char *shm = mem_printf("%s-shm", s->path);
	AUTO(free) char *aside = mem_printf("%s" WAL_KEPT "%lld", s->path, (long long)time(NULL));
	const char *kept = kept_wal(s) ? s->kept : aside;

	if (size_of(wal) > 0 && rename(wal, kept) == 0)
		(void)unlink(shm);
}

/* The last look at what only our descriptors may have. */
static void save_before_close(struct sqlite *s)
{
	enum fate fate = fate_of(s);
	struct error err = {0};

	if (fate == FATE_OVERWRITTEN) {
		(void)refuse_moved(s, &err);
		want_check(s);
		sqlite_known_forget(s->path); /* what came of it is seen here, and told */
	} else if (fate == FATE_EXPOSED ? rescue(s, &err) < 0 : fate != FATE_NONE) {
		keep(s, fate);
	}
	/* A WAL at our path that is not ours belongs to the file that is there now. */
	if (fate == FATE_OTHER_WAL)
		sqlite3_db_config(s->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	else if (!s->broken.code && !s->reads) {
		sqlite_known_forget(s->path);
		if (!s->rescued)
			sqlite3_wal_checkpoint_v2(s->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
						  NULL);
	}
}

static void sqlite_close(struct db *db)
{
	struct sqlite *s = (struct sqlite *)db;

	if (s->notices >= 0)
		close(s->notices);
	statements_fini(&s->statements, statement_free);
	if (s->handle)
		save_before_close(s);
	sqlite3_close(s->handle);
	if (s->foreign_wal)
		set_wal_aside(s);
	if (s->events >= 0)
		close(s->events);
	if (s->shm_map)
		munmap((void *)(uintptr_t)s->shm_map, SHM_SIZE);
	if (s->shm >= 0)
		close(s->shm);
	if (s->claim >= 0)
		close(s->claim);
	free(s->kept);
	free(s->account);
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
	.is_exposed = sqlite_is_exposed,
	.account = sqlite_account,
	.tidy = sqlite_tidy,
	.changes = sqlite_changes,
	.notice_fd = sqlite_notice_fd,
	.notices = sqlite_notices,
	.rest_notices = sqlite_rest_notices,
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
	return leave_alone(s, err);
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

/* After it was damaged, or written by somebody else: a sound one is used as ever. */
static int check_if_wanted(struct sqlite *s, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s" CHECK_SUFFIX, s->path);
	AUTO_ROWS struct db_rows rows = {0};
	int r;

	if (access(path, F_OK) < 0)
		return 0;
	if ((r = db_query(&s->base, "PRAGMA quick_check(1)", DB_NO_ARGS, &rows, err)) < 0 ||
	    (r = db_rows_next(&rows, err)) < 0)
		return r;
	if (r == 0 || strcmp(db_text(&rows, 0), "ok") != 0) {
		error_set(err, ERR_SYSTEM, "store '%s' is damaged: %s", s->path,
			  r ? db_text(&rows, 0) : "it cannot be checked");
		error_hint(err, "run 'belfry doctor' and restore a backup of the file");
		return leave_alone(s, err);
	}
	(void)unlink(path);
	return 0;
}

/* A file made looser by hand, or a backup: -wal and -shm took their mode from it. */
static void make_private(const struct sqlite *s)
{
	AUTO(free) char *wal = mem_printf("%s-wal", s->path);
	AUTO(free) char *shm = mem_printf("%s-shm", s->path);

	(void)!chmod(s->path, 0600);
	(void)!chmod(wal, 0600);
	(void)!chmod(shm, 0600);
}

static int open_file(struct sqlite *s, struct error *err)
{
	bool memory = is_memory(s);
	int r = memory ? 0 : sqlite_make_private(s->path, err), rc;

	if (r < 0)
		return r;
	rc = sqlite3_open_v2(s->path, &s->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			     sqlite_gather());
	if (rc != SQLITE_OK)
		return fail(s, rc, "open", err);
	harden(s->handle);
	r = check_identity(s, err);
	if (r < 0)
		return r;
	/* SQLite silently falls back to reading only when it may not write. */
	if (sqlite3_db_readonly(s->handle, "main") == 1)
		return fail(s, SQLITE_READONLY, "open", err);
	if (!memory)
		make_private(s);
	if (!memory)
		s->file = look_at(s->path);
	r = configure(s, err);
	if (r == 0 && !memory)
		r = check_if_wanted(s, err);
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
	s->notices = s->wal_watch = s->claim = s->events = s->shm = -1;
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
