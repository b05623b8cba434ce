#pragma once
/*
 * A store of its own for every test: a file in a scratch folder, memory, or a schema of the
 * PostgreSQL server that BELFRY_TEST_POSTGRES names. ok() fails the test with the error's words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "store/driver.h"
#include "store/queue.h"
#include "store/reminder.h"
#include "store/schema.h"
#include "store/slot.h"
#include "store/store.h"

#define ok(call)                                                                                   \
	do {                                                                                       \
		int ok_result_ = (call);                                                           \
		if (ok_result_ < 0)                                                                \
			fail_msg("%s: %s (%s)", #call, err.message, err.hint);                     \
	} while (0)

enum backend { BACKEND_FILE, BACKEND_MEMORY, BACKEND_POSTGRES, BACKEND_COUNT };

struct fixture {
	enum backend backend;
	char dir[64], schema[32], url[512];
	struct db *db;
};

static inline int fixture_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

/* A statement as the server's owner, outside the store under test. */
static inline void fixture_admin(const char *fmt, const char *name)
{
	AUTO(db_close) struct db *admin = NULL;
	struct error err = {0};
	char text[256];

	snprintf(text, sizeof(text), fmt, name);
	ok(db_open(getenv("BELFRY_TEST_POSTGRES"), &admin, &err));
	ok(db_script(admin, text, &err));
}

/* Names the store, but does not open it. */
static inline void fixture_init(struct fixture *f, enum backend backend)
{
	*f = (struct fixture){.backend = backend};
	if (backend == BACKEND_MEMORY)
		snprintf(f->url, sizeof(f->url), "sqlite::memory:");
	if (backend == BACKEND_FILE) {
		snprintf(f->dir, sizeof(f->dir), "/tmp/belfry-store.XXXXXX");
		assert_non_null(mkdtemp(f->dir));
		snprintf(f->url, sizeof(f->url), "sqlite:%s/belfry.db", f->dir);
	}
	if (backend == BACKEND_POSTGRES) {
		snprintf(f->schema, sizeof(f->schema), "t%d_%x", (int)getpid(),
			 (unsigned)random_next());
		fixture_admin("CREATE SCHEMA %s", f->schema);
		snprintf(f->url, sizeof(f->url), "%s?options=-csearch_path%%3D%s",
			 getenv("BELFRY_TEST_POSTGRES"), f->schema);
	}
}

static inline struct fixture *fixture_open(struct fixture *f, enum backend backend)
{
	struct error err = {0};

	fixture_init(f, backend);
	ok(store_open(f->url, &f->db, &err));
	return f;
}

static inline void fixture_fini(struct fixture *f)
{
	db_close(f->db);
	if (f->dir[0])
		nftw(f->dir, fixture_remove, 8, FTW_DEPTH | FTW_PHYS);
	if (f->schema[0])
		fixture_admin("DROP SCHEMA %s CASCADE", f->schema);
	*f = (struct fixture){0};
}
static inline bool fixture_has(enum backend backend)
{
	return backend != BACKEND_POSTGRES || getenv("BELFRY_TEST_POSTGRES");
}

/* The number a query answers with. */
static inline int64_t number_of(struct db *db, const char *sql)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};

	ok(db_query(db, sql, DB_NO_ARGS, &rows, &err));
	assert_int_equal(db_rows_next(&rows, &err), 1);
	return db_int(&rows, 0);
}

/* A reminder with every text filled in, not yet stored; the caller frees. */
static inline struct reminder *reminder_sample(const char *id, usec_t due)
{
	struct reminder *r = mem_zalloc(sizeof(*r));

	snprintf(r->id, sizeof(r->id), "%s", id);
	r->agent = mem_strdup("builder");
	r->message = mem_strdup("look at the build");
	r->priority = PRIORITY_NORMAL;
	r->schedule_kind = mem_strdup("cron");
	r->schedule = mem_strdup("0 9 * * *");
	r->zone = mem_strdup("Europe/Berlin");
	r->zone_source = mem_strdup("config");
	r->until = r->last_fired_at = r->ended_at = USEC_NONE;
	r->generation = 1;
	r->nominal_at = r->due_at = due;
	r->created_at = r->updated_at = 1000;
	return r;
}

static inline int64_t add_reminder(struct db *db, const char *id, const char *name, usec_t due,
				   enum status status)
{
	AUTO(reminder_free) struct reminder *r = reminder_sample(id, due);
	struct error err = {0};

	r->name = mem_strdup(name);
	r->status = status;
	if (status != STATUS_ACTIVE)
		r->due_at = r->nominal_at = USEC_NONE;
	if (status == STATUS_CANCELLED || status == STATUS_COMPLETED)
		r->ended_at = due;
	ok(reminder_insert(db, r, &err));
	return r->key;
}

static inline struct slot slot_sample(int64_t reminder, usec_t nominal)
{
	return (struct slot){.reminder = reminder,
			     .generation = 1,
			     .nominal = nominal,
			     .first_nominal = nominal,
			     .occurrences = 1,
			     .outcome = OUTCOME_FIRED,
			     .decided_at = nominal};
}

static inline struct message message_sample(char *agent, enum priority priority)
{
	return (struct message){.agent = agent,
				.body = (char *)"hello",
				.priority = priority,
				.attempt_at = USEC_NONE,
				.queued_at = 5,
				.offered_at = USEC_NONE,
				.done_at = USEC_NONE};
}

/* Inside a function with `a` and `b` to compare. */
#define SAME_TEXT(field)                                                                           \
	do {                                                                                       \
		assert_int_equal(a->field == NULL, b->field == NULL);                              \
		if (a->field)                                                                      \
			assert_string_equal(a->field, b->field);                                   \
	} while (0)
#define SAME(field) assert_true(a->field == b->field)

/* One row is one test on each database there is. */
struct store_row {
	const char *name;
	void (*test)(struct db *db);
};

struct store_instance {
	char name[256];
	const struct store_row *row;
	enum backend backend;
	struct fixture fixture;
};

static inline int instance_setup(void **state)
{
	struct store_instance *i = *state;

	fixture_open(&i->fixture, i->backend);
	return 0;
}

static inline int instance_teardown(void **state)
{
	struct store_instance *i = *state;

	fixture_fini(&i->fixture);
	return 0;
}

static inline void instance_run(void **state)
{
	struct store_instance *i = *state;

	i->row->test(i->fixture.db);
}

static inline int run_store_rows(const char *group, const struct store_row *rows, size_t row_count)
{
	static const char *const names[] = {"file", "memory", "postgres"};
	struct store_instance *instances = mem_array(row_count * BACKEND_COUNT, sizeof(*instances));
	struct CMUnitTest *tests = mem_array(row_count * BACKEND_COUNT, sizeof(*tests));
	size_t count = 0;
	int failed;

	for (int b = 0; b < BACKEND_COUNT; b++) {
		for (size_t r = 0; fixture_has(b) && r < row_count; r++, count++) {
			struct store_instance *i = &instances[count];

			i->backend = b, i->row = &rows[r];
			snprintf(i->name, sizeof(i->name), "%s: %s", names[b], rows[r].name);
			tests[count] = (struct CMUnitTest){i->name, instance_run, instance_setup,
							   instance_teardown, i};
		}
	}
	failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
	free(instances);
	free(tests);
	return failed;
}
