/*
 * test-store-notice.c: noticing that another program wrote, on each database that can have one.
 * The other one is a connection of its own, as a program would have it that only speaks SQL.
 */
#include "store-alone.h"

#include <poll.h>
#include <pthread.h>
#include <sqlite3.h>

#include "store/kv.h"

#define SOON_MS 60000 /* never waited for, unless it fails */
#define NEW_TASK                                                                                   \
	"INSERT INTO scheduled_tasks (fire_at, prompt) VALUES ('2030-01-01T00:00:00Z', 'go')"

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) == 1 && p.revents & POLLIN;
}

static bool changed(struct db *db)
{
	struct error err = {0};
	bool ret = false;

	ok(db_notices(db, &ret, &err));
	return ret;
}

static int watch(struct fixture *f)
{
	struct error err = {0};
	int fd;

	ok(store_open(f->url, &f->db, &err));
	fd = db_notice_fd(f->db);
	assert_true(fd >= 0);
	assert_int_equal(db_notice_fd(f->db), fd);
	assert_false(changed(f->db));
	assert_false(is_readable(fd, 0));
	return fd;
}

static struct db *open_other(const struct fixture *f)
{
	struct db *other = NULL;
	struct error err = {0};

	ok(db_open(f->url, &other, &err));
	return other;
}

/* Each time, and not once more than that. */
static void test_other(struct fixture *f)
{
	int fd = watch(f);
	AUTO(db_close) struct db *other = open_other(f);
	struct error err = {0};

	for (int i = 0; i < 3; i++) {
		ok(db_script(other, NEW_TASK, &err));
		assert_true(is_readable(fd, SOON_MS));
		assert_true(changed(f->db));
		assert_int_equal(number_of(f->db, "SELECT count(*) FROM scheduled_tasks"), i + 1);
		assert_false(changed(f->db));
		assert_false(is_readable(fd, 0));
	}
	ok(db_script(other, "DELETE FROM scheduled_tasks", &err));
	assert_true(is_readable(fd, SOON_MS));
	assert_true(changed(f->db));
}

static void test_own(struct fixture *f)
{
	int fd = watch(f);
	struct error err = {0};

	for (int i = 0; i < 3; i++) {
		ok(db_begin(f->db, &err));
		ok(kv_set(f->db, "a", "1", &err));
		ok(db_script(f->db, NEW_TASK, &err));
		ok(db_commit(f->db, &err));
		assert_false(changed(f->db));
		assert_false(is_readable(fd, 0)); /* asking is not itself a reason to ask again */
	}
}

/* What another undid, and what it only read, is nothing. */
static void test_nothing(struct fixture *f)
{
	int fd = watch(f);
	AUTO(db_close) struct db *other = open_other(f);
	struct error err = {0};

	ok(db_begin(other, &err));
	ok(db_script(other, NEW_TASK, &err));
	db_rollback(other);
	assert_int_equal(number_of(other, "SELECT count(*) FROM reminders"), 0);
	(void)is_readable(fd, 100);
	assert_false(changed(f->db));
	assert_false(is_readable(fd, 0));
}

/* It came while we asked something else: the descriptor still says so. */
static void test_between(struct fixture *f)
{
	int fd = watch(f);
	AUTO(db_close) struct db *other = open_other(f);
	struct error err = {0};

	ok(db_script(other, NEW_TASK, &err));
	assert_true(is_readable(fd, SOON_MS));
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM scheduled_tasks"), 1);
	ok(db_begin(f->db, &err));
	ok(kv_set(f->db, "a", "1", &err));
	ok(db_commit(f->db, &err));
	assert_true(is_readable(fd, 0));
	assert_true(changed(f->db));
	assert_false(is_readable(fd, 0));
}

/* A writer that is half-way: woken by what it wrote so far, we must not miss its commit. */
struct half_way {
	sqlite3 *handle;
	int wait_ms;
};

static void *commit_later(void *data)
{
	struct half_way *h = data;

	usleep((useconds_t)h->wait_ms * 1000);
	sqlite3_exec(h->handle, "COMMIT", NULL, NULL, NULL);
	return NULL;
}

static void begin_half_way(struct fixture *f, struct half_way *h)
{
	/* More than its memory holds, so that it writes before the commit. */
	static const char sql[] =
		"PRAGMA cache_size = 2; BEGIN;"
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
		" INSERT INTO kv (name, text) SELECT 'n' || i, hex(zeroblob(1000)) FROM n";

	assert_int_equal(sqlite3_open(strchr(f->url, ':') + 1, &h->handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(h->handle, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void test_half_way(struct fixture *f)
{
	struct half_way h = {.wait_ms = 100};
	int fd = watch(f);
	pthread_t thread;

	begin_half_way(f, &h);
	assert_true(is_readable(fd, SOON_MS));
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM kv"), 0);
	assert_int_equal(pthread_create(&thread, NULL, commit_later, &h), 0);
	assert_true(changed(f->db));
	if (number_of(f->db, "SELECT count(*) FROM kv") == 0) {
		/* It took longer than anybody waits: told in doubt, and told again. */
		pthread_join(thread, NULL);
		assert_true(is_readable(fd, SOON_MS));
		assert_true(changed(f->db));
	} else {
		pthread_join(thread, NULL);
	}
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM kv"), 500);
	sqlite3_close(h.handle);
}

/* One that takes longer than anybody waits: in doubt, yes. */
static void test_slow(struct fixture *f)
{
	struct half_way h = {0};
	int fd = watch(f);

	begin_half_way(f, &h);
	assert_true(is_readable(fd, SOON_MS));
	assert_true(changed(f->db));
	assert_int_equal(sqlite3_exec(h.handle, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_true(is_readable(fd, SOON_MS));
	assert_true(changed(f->db));
	assert_false(changed(f->db));
	sqlite3_close(h.handle);
}

static void test_memory(struct fixture *f)
{
	struct error err = {0};

	ok(store_open(f->url, &f->db, &err));
	assert_int_equal(db_notice_fd(f->db), -1);
	ok(kv_set(f->db, "a", "1", &err));
	assert_false(changed(f->db));
}

/* The descriptor says it, and the question has the error. */
static void test_gone(struct fixture *f)
{
	int fd = watch(f);
	struct error err = {0};
	bool any = false;
	char kill[96];

	snprintf(kill, sizeof(kill), "SELECT pg_terminate_backend(%d)",
		 (int)number_of(f->db, "SELECT pg_backend_pid()"));
	fixture_admin("%s", kill);
	assert_true(is_readable(fd, SOON_MS));
	/* The server's last words may come before the end of the connection. */
	for (int i = 0; i < 100 && db_notices(f->db, &any, &err) == 0; i++)
		(void)is_readable(fd, SOON_MS);
	assert_int_equal(err.code, ERR_UNAVAILABLE);
	assert_int_equal(db_begin(f->db, &err), ERR_UNAVAILABLE);
}

/* clang-format off */
static const struct alone_row rows[] = {
	{"B1 a file: another program wrote",           BACKEND_FILE,     test_other},
	{"B1 a file: we wrote",                        BACKEND_FILE,     test_own},
	{"B1 a file: nobody wrote",                    BACKEND_FILE,     test_nothing},
	{"B1 a file: between two questions",           BACKEND_FILE,     test_between},
	{"B1 a file: a writer half-way",               BACKEND_FILE,     test_half_way},
	{"B1 a file: a writer that takes long",        BACKEND_FILE,     test_slow},
	{"B1 memory: nobody else can",                 BACKEND_MEMORY,   test_memory},
	{"B1 PostgreSQL: another program wrote",       BACKEND_POSTGRES, test_other},
	{"B1 PostgreSQL: we wrote",                    BACKEND_POSTGRES, test_own},
	{"B1 PostgreSQL: nobody wrote",                BACKEND_POSTGRES, test_nothing},
	{"B1 PostgreSQL: between two questions",       BACKEND_POSTGRES, test_between},
	{"B1 PostgreSQL: the connection is lost",      BACKEND_POSTGRES, test_gone},
};
/* clang-format on */

int main(void)
{
	return alone_run("store-notice", rows, sizeof(rows) / sizeof(rows[0]));
}
