/*
 * test-store-error.c: what can be wrong with a database, and what the store says about it.
 * Each failure has its code, words a person can act on, and leaves the database as it was.
 */
#include "store-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/file.h"
#include "store/kv.h"

static char *path_of(const struct fixture *f, const char *name)
{
	return mem_printf("%s/%s", f->dir, name);
}

static void write_bytes(const char *path, const char *bytes, size_t len, off_t at)
{
	AUTO_CLOSE int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, at), (ssize_t)len);
}

/* A statement by the plain library, as another program would. */
static void raw_sql(const char *path, const char *sql)
{
	sqlite3 *handle = NULL;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(handle);
}

static void assert_refused(const char *url, int code, const char *message, const char *hint)
{
	AUTO(db_close) struct db *db = NULL;
	struct error err = {0};

	assert_int_equal(store_open(url, &db, &err), code);
	assert_null(db);
	if (!strstr(err.message, message) || !strstr(err.hint, hint))
		fail_msg("message '%s', hint '%s'", err.message, err.hint);
}

static void test_garbage(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	char text[4096];

	memset(text, 'g', sizeof(text));
	write_bytes(path, text, sizeof(text), 0);
	assert_refused(f->url, ERR_INVALID, "is not a database", "belfry doctor");
}

/* Half of the pages overwritten: found by the check, and when they are read. */
static void test_damaged(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	AUTO_REMINDERS struct reminder_list list = {0};
	AUTO_BUF struct buf found = {0};
	struct error err = {0};
	struct stat st;
	char text[4096];
	int r;

	ok(store_open(f->url, &f->db, &err));
	ok(db_begin(f->db, &err));
	for (int i = 0; i < 1000; i++)
		add_reminder(f->db, "", "name", i, STATUS_ACTIVE);
	ok(db_commit(f->db, &err));
	db_close(steal_ptr(&f->db));
	assert_int_equal(stat(path, &st), 0);
	memset(text, 0xee, sizeof(text));
	/* The tables themselves are described in front of that, or it could not even be opened. */
	for (off_t at = st.st_size / 4096 * 3 / 4 * 4096; at < st.st_size; at += 4096)
		write_bytes(path, text, sizeof(text), at);
	ok(store_open(f->url, &f->db, &err));
	r = store_check(f->db, &found, &err);
	assert_true(r < 0 || found.len > 0);
	assert_int_equal(
		reminder_list(f->db, &(struct reminder_filter){.limit = 1000}, &list, &err),
		ERR_SYSTEM);
	assert_non_null(strstr(err.hint, "belfry doctor"));
}

static void test_newer(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	struct error err = {0};

	ok(store_open(f->url, &f->db, &err));
	db_close(steal_ptr(&f->db));
	raw_sql(path, "PRAGMA user_version = 99");
	assert_refused(f->url, ERR_INVALID, "99", "made by a newer belfry");
}

static const struct foreign_case {
	const char *name, *sql;
} foreign_cases[] = {
	{"C8 a database of another program", "PRAGMA application_id = 1234; CREATE TABLE t (x)"},
	{"C8 a database of nobody in particular", "CREATE TABLE reminders (id)"},
	{"C8 an empty database of another program", "PRAGMA application_id = 99"},
};

/* Refused, and not a byte of it changed. */
static void test_foreign(struct fixture *f, const struct foreign_case *c)
{
	AUTO(free) char *path = path_of(f, "belfry.db"), *wal = path_of(f, "belfry.db-wal");
	AUTO_BUF struct buf before = {0}, after = {0};
	struct error err = {0};

	raw_sql(path, c->sql);
	ok(file_read(path, 1 << 20, &before, &err));
	assert_refused(f->url, ERR_INVALID, "another program", "belfry's own");
	ok(file_read(path, 1 << 20, &after, &err));
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, before.len);
	assert_int_equal(access(wal, F_OK), -1);
}

static void test_modes(struct fixture *f)
{
	static const char *const names[] = {"belfry.db", "belfry.db-wal", "belfry.db-shm"};
	struct error err = {0};
	struct stat st;

	umask(0);
	ok(store_open(f->url, &f->db, &err));
	ok(kv_set(f->db, "a", "1", &err));
	for (size_t i = 0; i < 3; i++) {
		AUTO(free) char *path = path_of(f, names[i]);

		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
	}
	umask(022);
}

static void test_settings(struct fixture *f)
{
	/* clang-format off */
	static const struct { const char *sql; int64_t want; } cases[] = {
		{"PRAGMA synchronous", 2}, {"PRAGMA foreign_keys", 1}, {"PRAGMA trusted_schema", 0},
		{"PRAGMA mmap_size", 0}, {"PRAGMA cache_size", -16384},
		{"PRAGMA application_id", SCHEMA_APPLICATION_ID},
		{"SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'", 1},
		{"SELECT count(*) FROM pragma_table_list WHERE schema = 'main'"
		 " AND type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT strict", 0},
	};
	/* clang-format on */
	struct error err = {0};

	ok(store_open(f->url, &f->db, &err));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (number_of(f->db, cases[i].sql) != cases[i].want)
			fail_msg("%s", cases[i].sql);
}

static void test_reopened(struct fixture *f)
{
	AUTO(free) char *text = NULL, *wal = path_of(f, "belfry.db-wal");
	struct error err = {0};

	ok(store_open(f->url, &f->db, &err));
	ok(kv_set(f->db, "a", "1", &err));
	db_close(steal_ptr(&f->db));
	assert_int_equal(access(wal, F_OK), -1);
	ok(store_open(f->url, &f->db, &err));
	ok(kv_get(f->db, "a", &text, &err));
	assert_string_equal(text, "1");
}

/* As long as there is no room: an error each time, and what was there stays. */
static void test_full(struct fixture *f)
{
	AUTO(free) char *text = mem_zalloc(1 << 16), *kept = NULL;
	struct error err = {0};
	int r = 0;

	ok(store_open(f->url, &f->db, &err));
	ok(kv_set(f->db, "kept", "1", &err));
	memset(text, 'x', (1 << 16) - 1);
	assert_int_equal(number_of(f->db, "PRAGMA max_page_count = 120"), 120);
	ok(db_begin(f->db, &err));
	for (int i = 0; r == 0 && i < 10; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%d", i);
		r = kv_set(f->db, name, text, &err);
	}
	assert_int_equal(r, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.hint, "free some disk space"));
	/* SQLite may have undone the transaction by itself: nothing may slip in after that. */
	if (kv_set(f->db, "late", "1", &err) == 0)
		ok(db_commit(f->db, &err));
	else
		db_rollback(f->db);
	number_of(f->db, "PRAGMA max_page_count = 100000");
	ok(kv_get(f->db, "kept", &kept, &err));
	assert_string_equal(kept, "1");
	ok(kv_set(f->db, "roomy", "1", &err));
}

/* A write that fails half-way: the connection is given up, a new one has all that was committed. */
static void test_io_error(struct fixture *f)
{
	AUTO(free) char *text = mem_zalloc(1 << 18), *kept = NULL, *lost = NULL;
	struct rlimit limit = {0}, old;
	struct error err = {0}, again = {0};
	int r;

	ok(store_open(f->url, &f->db, &err));
	ok(kv_set(f->db, "kept", "1", &err));
	memset(text, 'x', (1 << 18) - 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_cur = 1 << 17, limit.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(db_begin(f->db, &err));
	r = kv_set(f->db, "lost", text, &err);
	if (r == 0)
		r = db_commit(f->db, &err);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(r, ERR_UNAVAILABLE);
	assert_string_not_equal(err.hint, "");
	db_rollback(f->db);
	assert_int_equal(kv_set(f->db, "more", "1", &again), ERR_UNAVAILABLE);
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	ok(kv_get(f->db, "kept", &kept, &err));
	assert_string_equal(kept, "1");
	ok(kv_get(f->db, "lost", &lost, &err));
	assert_null(lost);
}

/* Root may write anywhere, so a child of nobody's tries. 0: refused as it should be. */
static int refused_as_nobody(const char *url)
{
	struct error err = {0};
	struct db *db = NULL;

	if (geteuid() == 0 && setuid(65534) < 0)
		return 2;
	if (store_open(url, &db, &err) != ERR_UNAVAILABLE)
		return 1;
	return strstr(err.hint, "writable") ? 0 : 3;
}

static void assert_refused_as_nobody(const char *url)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(refused_as_nobody(url));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_read_only(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	struct error err = {0};

	chmod(f->dir, 0555);
	assert_refused_as_nobody(f->url); /* nothing there, and it may not be made */
	chmod(f->dir, 0755);
	ok(store_open(f->url, &f->db, &err));
	db_close(steal_ptr(&f->db));
	chmod(path, 0444);
	chmod(f->dir, 0555);
	assert_refused_as_nobody(f->url); /* there, and may not be written */
	chmod(f->dir, 0755);
	assert_refused("sqlite:/nonexistent/folder/belfry.db", ERR_UNAVAILABLE, "cannot create",
		       "folder");
}

static void test_locked(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	struct error err = {0};
	sqlite3 *other = NULL;

	ok(store_open(f->url, &f->db, &err));
	sqlite3_open(path, &other);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(db_begin(f->db, &err), ERR_UNAVAILABLE);
	assert_non_null(strstr(err.message, "locked by another program"));
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(other);
	ok(db_begin(f->db, &err));
	ok(db_commit(f->db, &err));
}

/* migrations, on both databases */

static void migrate(struct fixture *f, const char *step, int want)
{
	const char **steps = mem_array((size_t)schema_version + 1, sizeof(*steps));
	struct error err = {0};
	char where[64];

	memcpy(steps, schema_steps, (size_t)schema_version * sizeof(*steps));
	steps[schema_version] = step;
	snprintf(where, sizeof(where), "migration from version %d to %d", schema_version,
		 schema_version + 1);
	assert_int_equal(schema_migrate(f->db, steps, schema_version + 1, &err), want);
	if (want < 0)
		assert_non_null(strstr(err.message, where));
	free(steps);
}

static void test_migration(struct fixture *f)
{
	AUTO(free) char *backup = mem_printf("%s/belfry.db.backup-v%d", f->dir, schema_version);
	struct error err = {0};
	struct stat st;

	ok(store_open(f->url, &f->db, &err));
	ok(kv_set(f->db, "kept", "1", &err));
	migrate(f, "ALTER TABLE kv ADD COLUMN since {int}; CREATE TABLE kv (broken {int});",
		ERR_SYSTEM);
	ok(schema_migrate(f->db, schema_steps, schema_version, &err)); /* as before, and whole */
	migrate(f, "ALTER TABLE kv ADD COLUMN since {int};", 0);
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM kv WHERE since IS NULL"), 1);
	assert_int_equal(schema_migrate(f->db, schema_steps, schema_version, &err), ERR_INVALID);
	assert_non_null(strstr(err.hint, "newer belfry"));
	if (f->backend != BACKEND_FILE)
		return;
	assert_int_equal(stat(backup, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	db_close(steal_ptr(&f->db));
	assert_int_equal(rename(backup, strchr(f->url, ':') + 1), 0);
	ok(store_open(f->url, &f->db, &err)); /* the backup is a database of that version */
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM kv WHERE name = 'kept'"), 1);
}

/* urls */

static const struct url_case {
	const char *url;
	int code;
} url_cases[] = {
	{"", ERR_INVALID},
	{"sqlite:", ERR_INVALID},
	{"mysql://u:s3cret@h/d", ERR_INVALID},
	{"postgres://u:s3cret@[h/d", ERR_INVALID},
	{"postgres://u@127.0.0.1/d?password=s3cret&nonsense=1", ERR_INVALID},
	{"postgres://u:s3cret@127.0.0.1:1/d", ERR_UNAVAILABLE},
	{"postgres://u@127.0.0.1:1/d?password=s3cret", ERR_UNAVAILABLE},
};

static void test_urls(struct fixture *f)
{
	(void)f;
	for (size_t i = 0; i < sizeof(url_cases) / sizeof(url_cases[0]); i++) {
		struct error err = {0};
		struct db *db = NULL;

		if (store_open(url_cases[i].url, &db, &err) != url_cases[i].code)
			fail_msg("'%s': %s", url_cases[i].url, err.message);
		assert_null(strstr(err.message, "s3cret"));
		assert_null(strstr(err.hint, "s3cret"));
		assert_string_not_equal(err.hint, "");
	}
}

/* PostgreSQL */

static void test_postgres_gone(struct fixture *f)
{
	AUTO(free) char *kept = NULL, *lost = NULL;
	struct error err = {0};
	char kill[96];

	ok(store_open(f->url, &f->db, &err));
	ok(kv_set(f->db, "kept", "1", &err));
	snprintf(kill, sizeof(kill), "SELECT pg_terminate_backend(%d)",
		 (int)number_of(f->db, "SELECT pg_backend_pid()"));
	ok(db_begin(f->db, &err));
	ok(kv_set(f->db, "lost", "1", &err));
	fixture_admin("%s", kill);
	assert_int_equal(db_commit(f->db, &err), ERR_UNAVAILABLE);
	assert_string_not_equal(err.hint, "");
	assert_int_equal(db_begin(f->db, &err), ERR_UNAVAILABLE);
	assert_int_equal(kv_get(f->db, "kept", &kept, &err), ERR_UNAVAILABLE);
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	ok(kv_get(f->db, "kept", &kept, &err));
	assert_string_equal(kept, "1");
	ok(kv_get(f->db, "lost", &lost, &err));
	assert_null(lost);
}

static void test_postgres_foreign(struct fixture *f)
{
	struct error err = {0};

	ok(db_open(f->url, &f->db, &err));
	ok(db_script(f->db, "CREATE TABLE queue (x int)", &err));
	assert_refused(f->url, ERR_INVALID, "another program", "of its own");
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM queue"), 0);
}

/* Nodes that start at the same moment on an empty database: one makes the tables, all go on. */
static void test_postgres_together(struct fixture *f)
{
	enum { NODES = 6 };
	pid_t pids[NODES];
	int status = 0;

	for (int i = 0; i < NODES; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct error err = {0};
			struct db *db = NULL;
			int r = store_open(f->url, &db, &err);

			if (r < 0)
				fprintf(stderr, "%s\n", err.message);
			_exit(r < 0);
		}
	}
	for (int i = 0; i < NODES; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
}

/* Two nodes ask for what is due: no reminder is given to both, and none twice after the commit. */
static void test_postgres_claims(struct fixture *f)
{
	AUTO(db_close) struct db *other = NULL;
	AUTO_REMINDERS struct reminder_list mine = {0}, theirs = {0}, late = {0};
	struct error err = {0};

	ok(store_open(f->url, &f->db, &err));
	ok(store_open(f->url, &other, &err));
	for (int i = 0; i < 10; i++)
		add_reminder(f->db, "", NULL, i, STATUS_ACTIVE);
	ok(db_begin(f->db, &err));
	ok(db_begin(other, &err));
	ok(reminder_due(f->db, 100, 6, &mine, &err));
	ok(reminder_due(other, 100, 6, &theirs, &err));
	assert_int_equal(mine.count, 6);
	assert_int_equal(theirs.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(theirs.items[i]->due_at == (usec_t)(6 + i));
	for (size_t i = 0; i < 6; i++) {
		mine.items[i]->due_at = 1000;
		ok(reminder_update_state(f->db, mine.items[i], &err));
	}
	ok(db_commit(f->db, &err));
	db_rollback(other);
	ok(reminder_due(other, 100, 9, &late, &err));
	assert_int_equal(late.count, 4);
}

/* --- a file that somebody else writes --- */

/* By another process: closing a descriptor of ours would give up SQLite's locks. */
static void shell(const char *fmt, const char *path)
{
	AUTO(free) char *bak = mem_printf("%s.bak", path);
	AUTO(free) char *line = mem_printf("%s '%s' '%s'", fmt, bak, path);

	assert_int_equal(system(line), 0);
}

static void assert_kv(struct fixture *f, const char *want)
{
	AUTO(free) char *got = NULL, *holder = NULL;
	struct error err = {0};

	ok(store_open_alone(f->url, NULL, false, false, &f->db, &holder, &err));
	ok(kv_get(f->db, "a", &got, &err));
	assert_string_equal(got, want);
}

/* Open, with 1 in a backup and 2 in the WAL. */
static void open_with_backup(struct fixture *f, const char *path)
{
	AUTO(free) char *holder = NULL;
	AUTO(free) char *into = mem_printf("VACUUM INTO '%s.bak'", path);
	struct error err = {0};

	ok(store_open_alone(f->url, NULL, false, false, &f->db, &holder, &err));
	ok(kv_set(f->db, "a", "1", &err));
	raw_sql(path, into);
	ok(kv_set(f->db, "a", "2", &err));
	assert_false(db_has_moved(f->db));
}

static void test_overwritten(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	AUTO(free) char *mark = path_of(f, "belfry.db-check");
	struct error err = {0};

	open_with_backup(f, path);
	shell("touch", path);
	assert_false(db_has_moved(f->db));
	shell("cp", path);
	assert_int_equal(db_begin(f->db, &err), ERR_UNAVAILABLE);
	assert_non_null(strstr(err.message, "was overwritten while it was in use"));
	assert_true(db_has_moved(f->db));
	assert_true(kv_set(f->db, "a", "3", &err) < 0);
	db_close(steal_ptr(&f->db));
	assert_kv(f, "1");
	assert_int_equal(access(mark, F_OK), -1);
}

static void test_checkpointed(struct fixture *f)
{
	static const char *const modes[] = {"PASSIVE", "FULL", "RESTART", "TRUNCATE"};
	AUTO(free) char *path = path_of(f, "belfry.db");
	struct error err = {0};

	open_with_backup(f, path);
	for (size_t i = 0; i < 4; i++) {
		AUTO(free) char *sql = mem_printf("PRAGMA wal_checkpoint(%s)", modes[i]);

		ok(kv_set(f->db, "a", modes[i], &err));
		raw_sql(path, sql);
		assert_false(db_has_moved(f->db));
	}
	/* And what is no checkpoint is still seen. */
	shell("over() { cp \"$2.bak\" \"$2\"; }; over", path);
	assert_true(db_has_moved(f->db));
}

/* Saved, and the next connection has it; what was to be written meanwhile is refused. */
static void test_side_deleted(struct fixture *f, const char *line)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	struct error err = {0};

	open_with_backup(f, path);
	shell(line, path);
	assert_false(db_has_moved(f->db));
	assert_true(db_is_exposed(f->db));
	assert_int_equal(db_begin(f->db, &err), ERR_UNAVAILABLE);
	assert_non_null(strstr(err.message, "were deleted while they were in use"));
	assert_false(db_is_exposed(f->db));
	assert_non_null(strstr(db_account(f->db), "Nothing is lost"));
	db_close(steal_ptr(&f->db));
	assert_kv(f, "2");
	ok(kv_set(f->db, "a", "3", &err));
	assert_null(db_account(f->db));
	db_close(steal_ptr(&f->db));
	assert_kv(f, "3");
}

static void test_wal_deleted(struct fixture *f)
{
	test_side_deleted(f, "del() { rm \"$2-wal\"; }; del");
}

static void test_shm_deleted(struct fixture *f)
{
	test_side_deleted(f, "del() { rm \"$2-shm\"; }; del");
}

static void test_wal_made_again(struct fixture *f)
{
	test_side_deleted(f, "del() { rm \"$2-wal\"; : > \"$2-wal\"; }; del");
}

/* Also when nobody looked before it was closed, and in the middle of a transaction. */
static void test_wal_deleted_late(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	struct error err = {0};

	open_with_backup(f, path);
	ok(db_begin(f->db, &err));
	ok(kv_set(f->db, "a", "3", &err));
	shell("del() { rm \"$2-wal\"; }; del", path);
	assert_int_equal(db_commit(f->db, &err), ERR_UNAVAILABLE);
	db_close(steal_ptr(&f->db));
	assert_kv(f, "2");
}

/* Not ours to go on with; what we had is beside it. */
static void test_other_wal(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	struct error err = {0};

	open_with_backup(f, path);
	shell("del() { rm \"$2-wal\" \"$2-shm\"; echo other > \"$2-wal\"; }; del", path);
	assert_true(db_has_moved(f->db));
	assert_int_equal(db_begin(f->db, &err), ERR_UNAVAILABLE);
	assert_non_null(strstr(err.message, "was given another WAL"));
	assert_non_null(strstr(db_account(f->db), "is kept in '"));
	db_close(steal_ptr(&f->db));
	shell("back() { rm \"$2-wal\"; mv \"$2\".saved-* \"$2\"; }; back", path);
	assert_kv(f, "2");
}

static void test_checked(struct fixture *f)
{
	AUTO(free) char *path = path_of(f, "belfry.db");
	AUTO(free) char *mark = path_of(f, "belfry.db-check");
	struct error err = {0};
	char page[4096];

	ok(store_open(f->url, &f->db, &err));
	db_close(steal_ptr(&f->db));
	memset(page, 0xee, sizeof(page));
	write_bytes(path, page, sizeof(page), 4096 * 8);
	write_bytes(mark, "", 0, 0);
	assert_refused(f->url, ERR_SYSTEM, "is damaged", "restore a backup");
	assert_int_equal(access(mark, F_OK), 0);
}

/* --- homes --- */

#define HOME_A "{\"home\":\"/a\",\"host\":\"h\",\"id\":\"1\",\"pid\":1}"
#define HOME_A_MOVED "{\"home\":\"/c\",\"host\":\"i\",\"id\":\"1\",\"pid\":3}"
#define HOME_B "{\"home\":\"/b\",\"host\":\"h\",\"id\":\"2\",\"pid\":2}"

/* `before`: who had it, "" when it was ours; who is refused is told who has it. */
static void serves(struct fixture *f, const char *self, bool take_over, int want,
		   const char *before)
{
	AUTO(free) char *holder = NULL, *was = NULL;
	struct error err = {0};
	int r = store_open_alone(f->url, self, take_over, false, &f->db, &holder, &err);

	assert_int_equal(r, want);
	if (r < 0) {
		assert_string_equal(holder, before);
		return;
	}
	ok(db_begin(f->db, &err));
	ok(store_settle(f->db, self, &was, &err));
	ok(db_commit(f->db, &err));
	assert_string_equal(was ? was : "", before);
	db_close(steal_ptr(&f->db));
}

static void test_homes(struct fixture *f)
{
	serves(f, HOME_A, false, 0, "");
	serves(f, HOME_A_MOVED, false, 0, "");
	serves(f, HOME_A, false, 0, "");
	serves(f, HOME_B, false, ERR_DENIED, HOME_A);
	serves(f, HOME_B, true, 0, HOME_A);
	serves(f, HOME_B, false, 0, "");
	serves(f, HOME_A, false, ERR_DENIED, HOME_B);
}

/* clang-format off */
static const struct error_row {
	const char *name;
	enum backend backend;
	void (*test)(struct fixture *f);
	void (*foreign)(struct fixture *f, const struct foreign_case *c);
	const struct foreign_case *foreign_case;
} rows[] = {
	{"C8 garbage in the file",             BACKEND_FILE,     test_garbage},
	{"C8 damaged pages",                   BACKEND_FILE,     test_damaged},
	{"C8 a newer version",                 BACKEND_FILE,     test_newer},
	{foreign_cases[0].name,                BACKEND_FILE,     NULL, test_foreign, &foreign_cases[0]},
	{foreign_cases[1].name,                BACKEND_FILE,     NULL, test_foreign, &foreign_cases[1]},
	{foreign_cases[2].name,                BACKEND_FILE,     NULL, test_foreign, &foreign_cases[2]},
	{"C8 private files",                   BACKEND_FILE,     test_modes},
	{"C8 settings",                        BACKEND_FILE,     test_settings},
	{"C8 reopened",                        BACKEND_FILE,     test_reopened},
	{"C8 a full disk",                     BACKEND_FILE,     test_full},
	{"C8 a failed write",                  BACKEND_FILE,     test_io_error},
	{"C8 a read-only folder",              BACKEND_FILE,     test_read_only},
	{"C8 locked by another program",       BACKEND_FILE,     test_locked},
	{"C8 migration of a file",             BACKEND_FILE,     test_migration},
	{"JO3 a backup copied over the file", BACKEND_FILE,      test_overwritten},
	{"JO46 another program copies the WAL back", BACKEND_FILE, test_checkpointed},
	{"JO3 what was damaged is checked",    BACKEND_FILE,     test_checked},
	{"JO15 the WAL is deleted",            BACKEND_FILE,     test_wal_deleted},
	{"JO15 the shared memory is deleted",  BACKEND_FILE,     test_shm_deleted},
	{"JO15 another program opened it since", BACKEND_FILE,   test_wal_made_again},
	{"JO15 the WAL is deleted in a transaction", BACKEND_FILE, test_wal_deleted_late},
	{"JO15 the WAL is another's",          BACKEND_FILE,     test_other_wal},
	{"JO49 a file of another home",        BACKEND_FILE,     test_homes},
	{"JO2 a store of another home",        BACKEND_POSTGRES, test_homes},
	{"B13 urls, without their passwords",  BACKEND_MEMORY,   test_urls},
	{"B13 migration in PostgreSQL",        BACKEND_POSTGRES, test_migration},
	{"B13 the connection is lost",         BACKEND_POSTGRES, test_postgres_gone},
	{"B13 tables of another program",      BACKEND_POSTGRES, test_postgres_foreign},
	{"B13 nodes that start together",      BACKEND_POSTGRES, test_postgres_together},
	{"A10 two nodes claim what is due",    BACKEND_POSTGRES, test_postgres_claims},
};
/* clang-format on */
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct error_instance {
	const struct error_row *row;
	struct fixture fixture;
} instances[ROWS];

static int setup(void **state)
{
	struct error_instance *i = *state;

	fixture_init(&i->fixture, i->row->backend);
	return 0;
}

static int teardown(void **state)
{
	struct error_instance *i = *state;

	fixture_fini(&i->fixture);
	return 0;
}

static void run_row(void **state)
{
	struct error_instance *i = *state;

	if (i->row->foreign)
		i->row->foreign(&i->fixture, i->row->foreign_case);
	else
		i->row->test(&i->fixture);
}

int main(void)
{
	struct CMUnitTest tests[ROWS];
	size_t count = 0;

	for (size_t r = 0; r < ROWS; r++) {
		if (!fixture_has(rows[r].backend))
			continue;
		instances[r].row = &rows[r];
		tests[count++] =
			(struct CMUnitTest){rows[r].name, run_row, setup, teardown, &instances[r]};
	}
	return _cmocka_run_group_tests("store-error", tests, count, NULL, NULL);
}
