/*
 * test-store-migrate.c: databases that older programs made. Nothing they hold is lost, and after
 * the migration they cannot be told from new ones.
 */
#include "store-alone.h"

#include <sqlite3.h>

#include "base/buf.h"
#include "store-version-1.h"
#include "store/kv.h"
#include "store/mission.h"
#include "store/thread.h"

/* Made by hand, as that program made it: nothing of today's schema takes part. */
static void make_version_1(struct fixture *f)
{
	AUTO(db_close) struct db *db = NULL;
	struct error err = {0};

	ok(db_open(f->url, &db, &err));
	ok(db_begin(db, &err));
	if (f->backend == BACKEND_FILE) {
		ok(db_script(db, version_1_sqlite, &err));
		ok(db_script(db, version_1_tally, &err));
	} else {
		ok(db_script(db, version_1_postgres, &err));
	}
	ok(db_script(db, version_1_rows, &err));
	ok(db_commit(db, &err));
}

/* Every row of a query, as text. */
static void add_rows(struct db *db, const char *sql, int columns, struct buf *ret)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};

	ok(db_query(db, sql, DB_NO_ARGS, &rows, &err));
	while (db_rows_next(&rows, &err) > 0) {
		for (int i = 0; i < columns; i++)
			buf_printf(ret, "%s|", db_is_null(&rows, i) ? "-" : db_text(&rows, i));
		buf_add_char(ret, '\n');
	}
}

static void add_everything(struct db *db, struct buf *ret)
{
	static const struct {
		const char *sql;
		int columns;
	} tables[] = {
		{"SELECT key, id, name, agent, message, priority, source, schedule_kind, schedule,"
		 " zone, zone_source, anchor, count_max, until, catchup, catchup_max,"
		 " start_deadline, jitter, condition_kind, condition, mode, condition_limit,"
		 " status, end_reason, generation, cursor, nominal_at, due_at, open_slot,"
		 " fire_count, last_fired_at, created_at, updated_at, ended_at, batch"
		 " FROM reminders ORDER BY key",
		 35},
		{"SELECT key, reminder, generation, nominal, first_nominal, occurrences, more,"
		 " outcome, reason, decided_at, lateness, missed_before, attempts, verdict,"
		 " verdict_detail FROM slots ORDER BY key",
		 15},
		{"SELECT key, id, slot, reminder, agent, body, priority, state, attempts,"
		 " attempt_at, queued_at, offered_at, done_at, last_error FROM queue ORDER BY key",
		 14},
		{"SELECT name, text FROM kv ORDER BY name", 2},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		add_rows(db, tables[i].sql, tables[i].columns, ret);
	if (db_kind(db) == DB_SQLITE)
		add_rows(db, "SELECT agent, status, count FROM tally ORDER BY agent, status", 3,
			 ret);
}

static void assert_sound(struct db *db)
{
	AUTO_BUF struct buf found = {0};
	struct error err = {0};

	ok(store_check(db, &found, &err));
	assert_string_equal(buf_text(&found), "");
}

static void test_rows(struct fixture *f)
{
	AUTO_BUF struct buf before = {0}, after = {0};
	AUTO(reminder_free) struct reminder *r = NULL;
	struct error err = {0};

	make_version_1(f);
	ok(db_open(f->url, &f->db, &err));
	add_everything(f->db, &before);
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	add_everything(f->db, &after);
	assert_non_null(strstr(buf_text(&before), "r-new"));
	assert_non_null(strstr(buf_text(&before), "2025b"));
	assert_string_equal(buf_text(&after), buf_text(&before));
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM queue JOIN slots"
					  " ON slots.key = queue.slot"),
			 2);
	assert_sound(f->db);
	ok(reminder_find(f->db, "r-one", &r, &err));
	assert_int_equal(r->action, ACTION_DELIVER);
	r->action = ACTION_RUN;
	ok(reminder_update(f->db, r, &err));
}

/* What was made before there were users is the person's, who is trusted. */
static void test_whose(struct fixture *f)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	struct error err = {0};

	/* Up to version 4, with a mission in it, and from there on. */
	make_version_1(f);
	ok(db_open(f->url, &f->db, &err));
	ok(schema_migrate(f->db, schema_steps, 4, &err));
	ok(db_exec(f->db,
		   "INSERT INTO missions (id, door, agent, prompt, phase, outcome, nominal,"
		   " ready_at, time_limit, max_attempts, retry_on, backoff, attempts, runs, cost,"
		   " created_at) VALUES ('mis-old', 'hand', 'builder', 'x', 'ended', 'success', 1,"
		   " 1, 0, 1, 0, 0, 1, 1, 0, 1)",
		   DB_NO_ARGS, &err));
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	ok(reminder_find_of(f->db, "me", "r-one", &r, &err));
	assert_string_equal(r->owner, "me");
	assert_int_equal(r->trust, TRUST_FULL);
	assert_null(r->targets);
	assert_int_equal(r->made_by, 0);
	ok(mission_find_of(f->db, "me", "mis-old", &m, &err));
	assert_string_equal(m->owner, "me");
	assert_int_equal(m->trust, TRUST_FULL);
	assert_int_equal(reminder_find_of(f->db, "alice", "r-one", &r, &err), ERR_NOT_FOUND);
	assert_sound(f->db);
}

/* What the new version needs works on the old rows: new words, links that are kept or cut. */
static void test_use(struct fixture *f)
{
	struct slot s = slot_sample(1, 40);
	struct error err = {0};
	int64_t done = 0;

	make_version_1(f);
	ok(store_open(f->url, &f->db, &err));
	s.outcome = OUTCOME_RUNNING;
	ok(slot_insert(f->db, &s, &err));
	assert_true(s.key > 4);
	s.outcome = OUTCOME_RAN;
	ok(slot_update(f->db, &s, &err));
	assert_int_equal(db_exec(f->db, "UPDATE slots SET outcome = 'asleep'", DB_NO_ARGS, &err),
			 ERR_SYSTEM);
	assert_int_equal(
		slot_insert(f->db,
			    &(struct slot){
				    .reminder = 1, .generation = 1, .nominal = 5, .occurrences = 1},
			    &err),
		ERR_CONFLICT);
	/* Retention: a slot goes and its message stays; a reminder goes with its slots. */
	ok(slot_prune(f->db, 12, 9, &done, &err));
	assert_int_equal(done, 3);
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM queue WHERE slot IS NULL"), 3);
	ok(reminder_prune(f->db, 13, 9, &done, &err));
	assert_int_equal(done, 1);
	assert_sound(f->db);
}

/* Every table, index, view, trigger and type, as the database itself tells them. */
static void add_shape(struct db *db, struct buf *ret)
{
	if (db_kind(db) == DB_SQLITE) {
		add_rows(db, "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name", 3,
			 ret);
		return;
	}
	add_rows(db,
		 "SELECT table_name, column_name, udt_name, is_nullable,"
		 " replace(column_default, current_schema(), '') FROM information_schema.columns"
		 " WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position",
		 5, ret);
	add_rows(db,
		 "SELECT replace(indexdef, current_schema(), '') FROM pg_indexes"
		 " WHERE schemaname = current_schema() ORDER BY indexname",
		 1, ret);
	add_rows(db,
		 "SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint"
		 " WHERE connamespace = current_schema()::regnamespace ORDER BY conname",
		 2, ret);
	add_rows(db,
		 "SELECT typname, enumlabel FROM pg_enum JOIN pg_type t ON t.oid = enumtypid"
		 " WHERE typnamespace = current_schema()::regnamespace"
		 " ORDER BY typname, enumsortorder",
		 2, ret);
	add_rows(db,
		 "SELECT trigger_name, event_manipulation, action_timing, action_statement"
		 " FROM information_schema.triggers WHERE trigger_schema = current_schema()"
		 " ORDER BY trigger_name",
		 4, ret);
}

static void test_shape(struct fixture *f)
{
	AUTO_BUF struct buf migrated = {0}, fresh = {0};
	struct fixture other;
	struct error err = {0};

	make_version_1(f);
	ok(store_open(f->url, &f->db, &err));
	add_shape(f->db, &migrated);
	fixture_open(&other, f->backend);
	add_shape(other.db, &fresh);
	fixture_fini(&other);
	assert_non_null(strstr(buf_text(&fresh), "runs_overdue"));
	assert_string_equal(buf_text(&migrated), buf_text(&fresh));
}

static void test_backup(struct fixture *f)
{
	AUTO(free) char *backup = mem_printf("%s/belfry.db.backup-v1", f->dir);
	AUTO_BUF struct buf before = {0}, after = {0};
	AUTO(db_close) struct db *old = NULL;
	AUTO(free) char *url = mem_printf("sqlite:%s", backup);
	struct error err = {0};
	struct stat st;

	make_version_1(f);
	ok(db_open(f->url, &f->db, &err));
	add_everything(f->db, &before);
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	assert_int_equal(stat(backup, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	ok(db_open(url, &old, &err));
	assert_int_equal(number_of(old, "PRAGMA user_version"), 1);
	add_everything(old, &after);
	assert_string_equal(buf_text(&after), buf_text(&before));
}

/* A row whose parent is missing already: refused as it is, and foreign keys are on again. */
static void test_stray(struct fixture *f)
{
	AUTO(db_close) struct db *db = NULL;
	struct error err = {0};

	make_version_1(f);
	ok(db_open(f->url, &f->db, &err));
	ok(db_script(f->db,
		     "PRAGMA foreign_keys = OFF; UPDATE slots SET reminder = 99 WHERE key = 4;"
		     "PRAGMA foreign_keys = ON;",
		     &err));
	assert_int_equal(schema_migrate(f->db, schema_steps, schema_version, &err), ERR_SYSTEM);
	assert_non_null(strstr(err.message, "1 rows refer to others"));
	assert_int_equal(number_of(f->db, "PRAGMA user_version"), 1);
	assert_int_equal(number_of(f->db, "PRAGMA foreign_keys"), 1);
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM slots"), 4);
	ok(db_script(f->db, "DELETE FROM slots WHERE key = 4", &err));
	ok(store_open(f->url, &db, &err));
	assert_int_equal(number_of(db, "PRAGMA foreign_keys"), 1);
}

/* Nodes of the new version that start together on an old database. */
static void test_twice(struct fixture *f)
{
	AUTO(db_close) struct db *second = NULL;
	struct error err = {0};

	make_version_1(f);
	ok(store_open(f->url, &f->db, &err));
	ok(store_open(f->url, &second, &err));
	assert_int_equal(number_of(second, "SELECT count(*) FROM slots"), 4);
	assert_sound(second);
}

/* As the program before the inbox left it: what waits for the person and what does not. */
static const char version_2_rows[] =
	"INSERT INTO missions (id, door, agent, prompt, phase, outcome, nominal, time_limit,"
	" max_attempts, retry_on, backoff, attempts, runs, cost, created_at) VALUES"
	" ('mis-1', 'hand', 'builder', 'look', 'ended', 'success', 1, 0, 1, 0, 0, 1, 1, 0, 1);"
	"INSERT INTO queue (id, agent, body, priority, state, attempts, queued_at) VALUES"
	" ('m-4', 'builder', 'not this', 'idle', 'queued', 0, 40),"
	" ('m-5', 'me', 'nor this', 'idle', 'offered', 0, 41),"
	" ('m-6', 'me', 'Größe: the\n\tlantern', 'idle', 'queued', 0, 9);";

/* Version 2: the one before it, and the step that has been the same since. */
static void make_version_2(struct fixture *f)
{
	AUTO(db_close) struct db *db = NULL;
	struct error err = {0};

	make_version_1(f);
	ok(db_open(f->url, &db, &err));
	ok(schema_migrate(db, schema_steps, 2, &err));
	ok(db_script(db, version_2_rows, &err));
}

static void add_inbox(struct db *db, struct buf *ret)
{
	add_rows(db,
		 "SELECT id, place, mission, agent, title, messages, unread, asks, waiting, wanted,"
		 " last_at, last_sender, preview, archived_at FROM threads ORDER BY key",
		 14, ret);
	add_rows(
		db,
		"SELECT (SELECT id FROM queue WHERE key = queue), seq, sender, author, title, text,"
		" size, file, run, ask, ask_until, reply, carrier, read_at, created_at"
		" FROM messages ORDER BY key",
		15, ret);
}

static void test_inbox(struct fixture *f)
{
	AUTO_BUF struct buf before = {0}, after = {0}, inbox = {0}, again = {0};
	AUTO_MAILS struct mail_list found = {0};
	AUTO(thread_free) struct thread *t = NULL;
	struct mail more = {.seq = 3, .text = (char *)"wick", .ask_until = USEC_NONE, .read_at = 1};
	struct error err = {0};

	make_version_2(f);
	ok(db_open(f->url, &f->db, &err));
	add_everything(f->db, &before);
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	add_everything(f->db, &after);
	assert_string_equal(buf_text(&after), buf_text(&before));
	assert_int_equal(number_of(f->db, "SELECT count(*) FROM missions"), 1);
	add_inbox(f->db, &inbox);
	assert_string_equal(buf_text(&inbox),
			    "thr-before|belfry|-|-|Before the inbox|2|2|0|0|0|9|belfry|"
			    "Größe: the  lantern|-|\n"
			    "m-3|1|belfry|-|-|by hand|7|-|0|none|-|none|-|-|8|\n"
			    "m-6|2|belfry|-|-|Größe: the\n\tlantern|21|-|0|none|-|none|-|-|9|\n");
	ok(mail_search(f->db, &(struct mail_search){.words = "lantern", .limit = 9}, &found, &err));
	assert_int_equal(found.count, 1);
	assert_sound(f->db);
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	add_inbox(f->db, &again);
	assert_string_equal(buf_text(&again), buf_text(&inbox));
	/* It goes on where the migration ended. */
	ok(thread_find(f->db, "thr-b", &t, &err));
	more.thread = t->key;
	ok(mail_insert(f->db, &more, &err));
}

/* Nobody waits for the person: the inbox is empty, not a thread without messages. */
static void test_inbox_empty(struct fixture *f)
{
	AUTO_BUF struct buf inbox = {0};
	struct error err = {0};

	make_version_2(f);
	ok(db_open(f->url, &f->db, &err));
	ok(db_exec(f->db, "DELETE FROM queue WHERE agent = 'me'", DB_NO_ARGS, &err));
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	add_inbox(f->db, &inbox);
	assert_string_equal(buf_text(&inbox), "");
	assert_sound(f->db);
}

/* The longest messages there were: what is kept of them fits, and says how long they are. */
static void test_inbox_long(struct fixture *f)
{
	struct error err = {0};

	make_version_2(f);
	ok(db_open(f->url, &f->db, &err));
	ok(db_exec(f->db,
		   "UPDATE queue SET body = replace('                                ', ' ',"
		   " replace('                                ', ' ', 'ü wick, lantern and oil. '))"
		   " WHERE id = 'm-6'",
		   DB_NO_ARGS, &err));
	ok(db_exec(f->db, "UPDATE queue SET body = body || body || body WHERE id = 'm-6'",
		   DB_NO_ARGS, &err));
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	assert_int_equal(number_of(f->db, "SELECT size FROM messages WHERE seq = 2"),
			 32 * 32 * 3 * 26);
	assert_int_equal(number_of(f->db, "SELECT length(text) FROM messages WHERE seq = 2"),
			 16384);
	assert_int_equal(number_of(f->db, "SELECT length(preview) FROM threads"), 50);
	assert_sound(f->db);
}

/* As the program before it left the board, when that knew of no users. */
static void test_board(struct fixture *f)
{
	AUTO_BUF struct buf board = {0};
	struct error err = {0};

	make_version_1(f);
	ok(db_open(f->url, &f->db, &err));
	ok(schema_migrate(f->db, schema_steps, 7, &err));
	ok(db_script(f->db, "INSERT INTO board (agent, status, at) VALUES ('builder', 'busy', 7)",
		     &err));
	db_close(steal_ptr(&f->db));
	ok(store_open(f->url, &f->db, &err));
	ok(db_script(f->db,
		     "INSERT INTO board (agent, owner, status, detail, at) VALUES"
		     " ('builder', 'bob', 'idle', 'x', 8)",
		     &err));
	add_rows(f->db, "SELECT agent, owner, status, detail, at FROM board ORDER BY owner", 5,
		 &board);
	assert_string_equal(buf_text(&board), "builder|bob|idle|x|8|\nbuilder|me|busy|-|7|\n");
	assert_sound(f->db);
}

/* clang-format off */
static const struct alone_row rows[] = {
	{"C8 version 1, a file: every row is kept",         BACKEND_FILE,     test_rows},
	{"C8 version 1, a file: in use",                    BACKEND_FILE,     test_use},
	{"C8 version 1, a file: as if it were new",         BACKEND_FILE,     test_shape},
	{"C8 version 1, a file: its backup",                BACKEND_FILE,     test_backup},
	{"C8 version 1, a file: a stray row",               BACKEND_FILE,     test_stray},
	{"C8 version 1, a file: opened twice",              BACKEND_FILE,     test_twice},
	{"A22 version 2, a file: what waits is in the inbox", BACKEND_FILE,   test_inbox},
	{"A22 version 2, a file: nothing waits",            BACKEND_FILE,     test_inbox_empty},
	{"A22 version 2, a file: very long messages",       BACKEND_FILE,     test_inbox_long},
	{"A22 version 2, PostgreSQL: what waits is in the inbox", BACKEND_POSTGRES, test_inbox},
	{"A22 version 2, PostgreSQL: nothing waits",        BACKEND_POSTGRES, test_inbox_empty},
	{"A22 version 2, PostgreSQL: very long messages",   BACKEND_POSTGRES, test_inbox_long},
	{"C5 version 4, a file: all of it is the person's", BACKEND_FILE,     test_whose},
	{"C5 version 4, PostgreSQL: all of it is the person's", BACKEND_POSTGRES, test_whose},
	{"A46 version 7, a file: the board is the person's", BACKEND_FILE,    test_board},
	{"A46 version 7, PostgreSQL: the board is the person's", BACKEND_POSTGRES, test_board},
	{"B13 version 1, PostgreSQL: every row is kept",    BACKEND_POSTGRES, test_rows},
	{"B13 version 1, PostgreSQL: in use",               BACKEND_POSTGRES, test_use},
	{"B13 version 1, PostgreSQL: as if it were new",    BACKEND_POSTGRES, test_shape},
	{"B13 version 1, PostgreSQL: opened twice",         BACKEND_POSTGRES, test_twice},
};
/* clang-format on */

int main(void)
{
	return alone_run("store-migrate", rows, sizeof(rows) / sizeof(rows[0]));
}
