/*
 * postgres.c: the driver for a server.
 * The connection is always in pipeline mode. Inside a transaction a statement nobody waits for is
 * only put on its way, and the answers are collected at the next query, savepoint or commit: a turn
 * of hundreds of writes costs a few round trips. At most PENDING_MAX statements are under way
 * before their answers are read, so that neither side can end up waiting for the other to read.
 * The first failure of a transaction is remembered and is the answer to everything until the
 * caller rolls back. A lost connection stays lost: the caller opens another.
 *
 * Keys are reserved from their sequences in growing blocks, and what is left
 * of a block is let go with the transaction, so that over several nodes keys still follow time.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "store/driver.h"
#include "store/libpq.h"
#include "store/statements.h"

#define PENDING_MAX 128 /* statements on their way */
#define RESERVE_FIRST 8
#define RESERVE_MAX 512
#define NUMBER_MAX 24
#define LOCK_LIMIT "2s"
#define PATIENCE_MS 2000 /* with a server that does not answer, until that is said */
#define LONG_MS 5000	 /* and until that is said again */

struct statement {
	char name[16];
	const char *sql;
	bool prepared;
};

/* One answer that is still to come. */
struct pending {
	struct statement *statement;
	bool prepare; /* of its preparation, not of a run */
};

struct reserve {
	int64_t keys[RESERVE_MAX];
	int next, count, block;
};

struct postgres {
	struct db base;
	const struct libpq *pq;
	PGconn *conn;
	char *label; /* "postgres://HOST:PORT/DATABASE": what may be shown of the URL */
	struct statements statements;
	struct pending pending[2 * PENDING_MAX + 8];
	size_t pending_count;
	struct error failed; /* of this transaction; code 0 when none */
	struct error broken; /* of the connection */
	struct reserve reserves[DB_SEQUENCE_COUNT];
	int watch;    /* what others wait at: the connection, or the bell; -1 while nobody does */
	int bell;     /* rung for a notice that came along with an answer */
	bool noticed; /* another connection's, since the last db_notices() */
};

static void discard_notice(void *data, const PGresult *result)
{
	(void)data;
	(void)result;
}

/* libpq ends its messages with a newline and may write several lines. */
static void add_line(struct buf *b, const char *text)
{
	for (; *text; text++)
		if (*text != '\n')
			buf_add_char(b, *text);
		else if (text[1])
			buf_add_str(b, "; ");
}

/* What the server says to whom it does not let in has no code, only words. */
static const char *lost_hint(const char *why)
{
	static const struct {
		const char *word, *also, *hint;
	} rows[] = {
		{"role \"", "does not exist",
		 "make the role, as 'createuser NAME' does, or name another in the store's url"},
		{"database \"", "does not exist",
		 "make the database, as 'createdb NAME' does, or name another in the store's url"},
		{"authentication failed", "", "check the user and the password in the store's url"},
		{"no password supplied", "",
		 "write the password into the store's url, or ~/.pgpass"},
		{"pg_hba.conf", "", "allow this user and this machine in the server's pg_hba.conf"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strstr(why, rows[i].word) && strstr(why, rows[i].also))
			return rows[i].hint;
	return "see that the PostgreSQL server runs and can be reached";
}

static int break_connection(struct postgres *p, const char *why, struct error *err)
{
	AUTO_BUF struct buf line = {0};

	add_line(&line, why && *why ? why : "the connection was closed");
	error_set(err, ERR_UNAVAILABLE, "store '%s': %s", p->label, buf_text(&line));
	error_hint(err, "%s", lost_hint(buf_text(&line)));
	p->broken = *err;
	p->pending_count = 0;
	return err->code;
}

static bool is_lost(struct postgres *p)
{
	return p->pq->PQstatus(p->conn) == CONNECTION_BAD;
}

#define CHANGED_HINT                                                                               \
	"its tables were changed by another program, as a restore does; ask again in a moment"

static const struct state_row {
	const char *prefix; /* of the SQLSTATE */
	enum error_code code;
	const char *hint;
	bool ends; /* the connection is of no more use */
} state_rows[] = {
	{"23505", ERR_CONFLICT, ""},
	{"53", ERR_UNAVAILABLE, "the PostgreSQL server is out of disk, memory or connections"},
	/* FATAL: the server hangs up after it. */
	{"57P", ERR_UNAVAILABLE, "the PostgreSQL server is shutting down or starting", true},
	{"08", ERR_UNAVAILABLE, "see that the PostgreSQL server runs and can be reached"},
	{"40", ERR_UNAVAILABLE, "another node got in the way; try again"},
	{"55P03", ERR_UNAVAILABLE,
	 "another program holds a lock on its tables; ask again when it is done"},
	{"25006", ERR_UNAVAILABLE, "the server only reads: name the primary in the store's url"},
	{"42P01", ERR_UNAVAILABLE, "its tables are gone: put a backup there"},
	{"3F000", ERR_UNAVAILABLE, "its tables are gone: put a backup there"},
	/* What we prepared was for other tables, as after a backup was put back: a new connection knows these. */
	{"0A000", ERR_UNAVAILABLE, CHANGED_HINT, true},
	{"26000", ERR_UNAVAILABLE, CHANGED_HINT, true},
	{"XX000", ERR_UNAVAILABLE, CHANGED_HINT, true}, /* "could not open relation with OID …" */
	/* Not these: before the tables are made, one asks for them and goes on. */
	{"42703", ERR_UNAVAILABLE, CHANGED_HINT},
	{"42883", ERR_UNAVAILABLE, CHANGED_HINT},
	{"42501", ERR_UNAVAILABLE, "grant the store's user the right to create and use tables"},
	{"", ERR_SYSTEM, ""},
};

static const struct state_row *state_row_of(const char *state)
{
	const struct state_row *row = state_rows;

	while (strncmp(state, row->prefix, strlen(row->prefix)) != 0)
		row++;
	return row;
}

static int fail_result(struct postgres *p, const PGresult *result, const char *sql,
		       struct error *err)
{
	const char *state = p->pq->PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message = p->pq->PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	const struct state_row *row;

	if (!state || is_lost(p))
		return break_connection(p, p->pq->PQresultErrorMessage(result), err);
	row = state_row_of(state);
	error_set(err, row->code, "store '%s': %s in '%.60s'", p->label, message, sql);
	error_hint(err, "%s", row->hint);
	if (row->ends)
		p->broken = *err;
	return err->code;
}

static int guard(struct postgres *p, struct error *err)
{
	if (!p->broken.code && !p->failed.code)
		return 0;
	*err = p->broken.code ? p->broken : p->failed;
	return err->code;
}

/* Notices come along with answers, and then the connection has nothing more to read: ring. */
static void take_notices(struct postgres *p)
{
	PGnotify *notice;

	while (p->watch >= 0 && (notice = p->pq->PQnotifies(p->conn))) {
		if (notice->be_pid != p->pq->PQbackendPID(p->conn)) {
			p->noticed = true;
			(void)eventfd_write(p->bell, 1);
		}
		p->pq->PQfreemem(notice);
	}
}

/* What became of one statement; *ret takes the last good answer. */
static void take_answer(struct postgres *p, const struct pending *of, PGresult *result,
			PGresult **ret, struct error *first)
{
	ExecStatusType status = p->pq->PQresultStatus(result);
	bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;

	/* What follows a failure is answered with PGRES_PIPELINE_ABORTED: it was not run. */
	if (!good && of->prepare)
		of->statement->prepared = false;
	if (!good && status != PGRES_PIPELINE_ABORTED && !first->code)
		fail_result(p, result, of->statement->sql, first);
	if (!good || of->prepare) {
		p->pq->PQclear(result);
		return;
	}
	p->pq->PQclear(*ret);
	*ret = result;
}

/* Until there is an answer, or nothing more to come. Whoever is asked meanwhile should know what we wait for. */
static void await(struct postgres *p)
{
	struct pollfd wait = {.fd = p->pq->PQsocket(p->conn), .events = POLLIN};
	static const int patience[] = {PATIENCE_MS, LONG_MS - PATIENCE_MS, -1};
	usec_t since = clock_monotonic();
	size_t said = 0;

	while (p->pq->PQisBusy(p->conn) && p->pq->PQflush(p->conn) == 0) {
		int r = poll(&wait, 1, patience[said]);

		if (r == 0) {
			said++;
			db_say_waits(since);
		}
		if ((r < 0 && errno != EINTR) || (r > 0 && !p->pq->PQconsumeInput(p->conn)))
			break;
	}
	if (said)
		db_say_waits(0);
}

/*
 * Collect every answer still to come. *ret, when wanted, is the last statement's, owned by the
 * caller. One failure aborts the rest, so the first is the one that matters.
 */
static int collect(struct postgres *p, PGresult **ret, struct error *err)
{
	PGresult *result, *last = NULL;
	struct error first = {0};
	size_t i = 0;

	if (!p->pq->PQpipelineSync(p->conn))
		return break_connection(p, p->pq->PQerrorMessage(p->conn), err);
	for (;;) {
		await(p);
		result = p->pq->PQgetResult(p->conn);
		if (!result && (i++ >= p->pending_count || is_lost(p))) {
			p->pq->PQclear(last);
			if (p->broken.code)
				return guard(p, err);
			return break_connection(p, p->pq->PQerrorMessage(p->conn), err);
		}
		if (!result)
			continue;
		if (p->pq->PQresultStatus(result) == PGRES_PIPELINE_SYNC)
			break;
		assert(i < p->pending_count || is_lost(p));
		take_answer(p, &p->pending[i < p->pending_count ? i : 0], result, &last, &first);
	}
	p->pq->PQclear(result);
	p->pending_count = 0;
	take_notices(p);
	if (first.code || !ret)
		p->pq->PQclear(last);
	else
		*ret = last;
	if (first.code && p->base.in_transaction)
		p->failed = first;
	if (first.code)
		*err = first;
	return first.code;
}

static struct statement *statement_of(struct postgres *p, const char *sql)
{
	void **kept = statements_at(&p->statements, sql);
	struct statement *st = *kept;

	if (!st) {
		st = mem_zalloc(sizeof(*st));
		snprintf(st->name, sizeof(st->name), "b%zu", p->statements.count);
		st->sql = sql;
		*kept = st;
	}
	return st;
}

static int prepare(struct postgres *p, struct statement *st, struct error *err)
{
	if (st->prepared)
		return 0;
	if (!p->pq->PQsendPrepare(p->conn, st->name, st->sql, 0, NULL))
		return break_connection(p, p->pq->PQerrorMessage(p->conn), err);
	p->pending[p->pending_count++] = (struct pending){.statement = st, .prepare = true};
	st->prepared = true;
	return 0;
}

static int send(struct postgres *p, const char *sql, const struct db_value *args, size_t count,
		struct error *err)
{
	struct statement *st = statement_of(p, sql);
	const char *values[DB_ARGS_MAX];
	char numbers[DB_ARGS_MAX][NUMBER_MAX];
	int r = prepare(p, st, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		values[i] = args[i].type == DB_TYPE_TEXT ? args[i].text : NULL;
		if (args[i].type != DB_TYPE_INT)
			continue;
		snprintf(numbers[i], NUMBER_MAX, "%" PRId64, args[i].number);
		values[i] = numbers[i];
	}
	if (!p->pq->PQsendQueryPrepared(p->conn, st->name, (int)count, values, NULL, NULL, 0))
		return break_connection(p, p->pq->PQerrorMessage(p->conn), err);
	p->pending[p->pending_count++] = (struct pending){.statement = st};
	return 0;
}

/* Send and wait: everything before it has been answered too. */
static int ask(struct postgres *p, const char *sql, const struct db_value *args, size_t count,
	       PGresult **ret, struct error *err)
{
	int r = guard(p, err);

	if (r == 0)
		r = send(p, sql, args, count, err);
	return r < 0 ? r : collect(p, ret, err);
}

static int postgres_exec(struct db *db, const char *sql, const struct db_value *args, size_t count,
			 int64_t *ret_changed, struct error *err)
{
	struct postgres *p = (struct postgres *)db;
	PGresult *result = NULL;
	int r;

	if (!ret_changed && db->in_transaction) {
		r = guard(p, err);
		if (r == 0)
			r = send(p, sql, args, count, err);
		return r == 0 && p->pending_count >= PENDING_MAX ? collect(p, NULL, err) : r;
	}
	r = ask(p, sql, args, count, &result, err);
	if (r == 0 && ret_changed)
		*ret_changed = strtoll(p->pq->PQcmdTuples(result), NULL, 10);
	p->pq->PQclear(result);
	return r;
}

static int postgres_query(struct db *db, const char *sql, const struct db_value *args, size_t count,
			  struct db_rows *ret, struct error *err)
{
	struct postgres *p = (struct postgres *)db;
	PGresult *result = NULL;
	int r = ask(p, sql, args, count, &result, err);

	if (r == 0)
		*ret = (struct db_rows){.db = db, .handle = result, .row = -1};
	return r;
}

static const struct libpq *pq_of(const struct db_rows *rows)
{
	return ((struct postgres *)rows->db)->pq;
}

static int postgres_next(struct db_rows *rows, struct error *err)
{
	(void)err;
	if (++rows->row < pq_of(rows)->PQntuples(rows->handle))
		return 1;
	db_rows_end(rows);
	return 0;
}

static void postgres_end(struct db_rows *rows)
{
	pq_of(rows)->PQclear(rows->handle);
}

static bool postgres_is_null(const struct db_rows *rows, int column)
{
	return pq_of(rows)->PQgetisnull(rows->handle, rows->row, column);
}

static const char *postgres_text(const struct db_rows *rows, int column)
{
	return postgres_is_null(rows, column)
		       ? NULL
		       : pq_of(rows)->PQgetvalue(rows->handle, rows->row, column);
}

static int64_t postgres_number(const struct db_rows *rows, int column)
{
	return strtoll(pq_of(rows)->PQgetvalue(rows->handle, rows->row, column), NULL, 10);
}

static int reserve_more(struct postgres *p, enum db_sequence sequence, struct error *err)
{
	static const char *const texts[] = {
		[DB_SEQUENCE_REMINDERS] =
			"SELECT nextval('reminders_key_seq') FROM generate_series(1, $1)",
		[DB_SEQUENCE_SLOTS] = "SELECT nextval('slots_key_seq') FROM generate_series(1, $1)",
		[DB_SEQUENCE_QUEUE] = "SELECT nextval('queue_key_seq') FROM generate_series(1, $1)",
		[DB_SEQUENCE_MISSIONS] =
			"SELECT nextval('missions_key_seq') FROM generate_series(1, $1)",
		[DB_SEQUENCE_RUNS] = "SELECT nextval('runs_key_seq') FROM generate_series(1, $1)",
		[DB_SEQUENCE_THREADS] =
			"SELECT nextval('threads_key_seq') FROM generate_series(1, $1)",
		[DB_SEQUENCE_MESSAGES] =
			"SELECT nextval('messages_key_seq') FROM generate_series(1, $1)",
		[DB_SEQUENCE_BOUNDARIES] =
			"SELECT nextval('boundaries_key_seq') FROM generate_series(1, $1)",
	};
	AUTO_ROWS struct db_rows rows = {0};
	struct reserve *reserve = &p->reserves[sequence];
	int want = reserve->block ? reserve->block * 4 : RESERVE_FIRST, r;
	struct db_value args[1];

	if (want > RESERVE_MAX)
		want = RESERVE_MAX;
	args[0] = DB_INT(p->base.in_transaction ? want : 1);
	r = postgres_query(&p->base, texts[sequence], DB_ARGS(args), &rows, err);
	if (r < 0)
		return r;
	*reserve = (struct reserve){.block = want};
	while (db_rows_next(&rows, err) > 0)
		reserve->keys[reserve->count++] = db_int(&rows, 0);
	return 0;
}

static void drop_reserves(struct postgres *p)
{
	for (int i = 0; i < DB_SEQUENCE_COUNT; i++)
		p->reserves[i].next = p->reserves[i].count = p->reserves[i].block = 0;
}

static int postgres_insert(struct db *db, enum db_sequence sequence, const char *sql,
			   struct db_value *args, size_t count, int64_t *ret_key,
			   int64_t *ret_changed, struct error *err)
{
	struct postgres *p = (struct postgres *)db;
	struct reserve *reserve = &p->reserves[sequence];
	int r = guard(p, err);

	if (r == 0 && reserve->next == reserve->count)
		r = reserve_more(p, sequence, err);
	if (r < 0)
		return r;
	args[0] = DB_INT(reserve->keys[reserve->next++]);
	r = postgres_exec(db, sql, args, count, ret_changed, err);
	if (r == 0)
		*ret_key = args[0].number;
	return r;
}

/* COMMIT of a failed transaction succeeds, as a rollback; only the tag of the answer says so. */
static int commit(struct postgres *p, struct error *err)
{
	PGresult *result = NULL;
	int r = ask(p, "COMMIT", DB_NO_ARGS, &result, err);

	if (r == 0 && strcmp(p->pq->PQcmdStatus(result), "COMMIT") != 0)
		r = error_set(err, ERR_SYSTEM, "store '%s' rolled back instead of committing",
			      p->label);
	p->pq->PQclear(result);
	return r;
}

/* Whatever is on its way is answered first, and its failure is no longer of interest. */
static int roll_back(struct postgres *p, const char *sql, struct error *err)
{
	struct error ignored = {0};

	if (p->pending_count && !p->broken.code)
		(void)collect(p, NULL, &ignored);
	p->failed = (struct error){0};
	return ask(p, sql, DB_NO_ARGS, NULL, err);
}

static int postgres_control(struct db *db, enum db_control what, struct error *err)
{
	struct postgres *p = (struct postgres *)db;
	int r = 0;

	switch (what) {
	case DB_BEGIN:
		p->failed = (struct error){0};
		r = guard(p, err);
		return r < 0 ? r : send(p, "BEGIN", DB_NO_ARGS, err);
	case DB_COMMIT:
		r = commit(p, err);
		break;
	case DB_SAVEPOINT:
		/* Failures before it are not the next request's. */
		if ((r = guard(p, err)) == 0 && p->pending_count)
			r = collect(p, NULL, err);
		return r < 0 ? r : send(p, "SAVEPOINT request", DB_NO_ARGS, err);
	case DB_RELEASE:
		return ask(p, "RELEASE SAVEPOINT request", DB_NO_ARGS, NULL, err);
	case DB_ROLLBACK_TO:
		r = roll_back(p, "ROLLBACK TO SAVEPOINT request", err);
		return r < 0 ? r : send(p, "RELEASE SAVEPOINT request", DB_NO_ARGS, err);
	case DB_ROLLBACK:
		r = roll_back(p, "ROLLBACK", err);
		break;
	}
	drop_reserves(p);
	return r;
}

/* Several statements in one text are not for pipeline mode. */
static int postgres_script(struct db *db, const char *text, struct error *err)
{
	struct postgres *p = (struct postgres *)db;
	ExecStatusType status;
	PGresult *result;
	int r = guard(p, err);

	if (r == 0 && p->pending_count)
		r = collect(p, NULL, err);
	if (r < 0)
		return r;
	if (!p->pq->PQexitPipelineMode(p->conn))
		return break_connection(p, p->pq->PQerrorMessage(p->conn), err);
	result = p->pq->PQexec(p->conn, text);
	status = p->pq->PQresultStatus(result);
	/* A text without a statement is no failure. */
	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY)
		r = fail_result(p, result, text, err);
	p->pq->PQclear(result);
	if (r < 0 && db->in_transaction)
		p->failed = *err;
	if (!p->pq->PQenterPipelineMode(p->conn))
		return break_connection(p, p->pq->PQerrorMessage(p->conn), err);
	return r;
}

static int postgres_backup(struct db *db, const char *suffix, struct error *err)
{
	/* Migrations are transactions there, and backups the business of who runs the server. */
	(void)db;
	(void)suffix;
	(void)err;
	return 0;
}

/*
 * The lock is the session's: the server gives it up when the connection ends, and of a machine that
 * went down it hears within half a minute.
 */
#define CLAIM_KEYS "1114400370, hashtext(coalesce(current_schema(), ''))" /* "Blfr" */

static int postgres_claim(struct db *db, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error ignored = {0};
	int r;

	(void)postgres_script(db,
			      "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;"
			      " SET tcp_keepalives_count = 3",
			      &ignored);
	r = postgres_query(db, "SELECT pg_try_advisory_lock(" CLAIM_KEYS ")::int", DB_NO_ARGS,
			   &rows, err);
	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	return db_int(&rows, 0) ? 0
				: error_set(err, ERR_CONFLICT, "store '%s' is in use",
					    ((struct postgres *)db)->label);
}

static int postgres_end_claimer(struct db *db, struct error *err)
{
	return postgres_exec(db,
			     "SELECT pg_terminate_backend(pid) FROM pg_locks"
			     " WHERE locktype = 'advisory' AND granted AND objsubid = 2"
			     " AND database = (SELECT oid FROM pg_database"
			     " WHERE datname = current_database())"
			     " AND (classid::bigint, objid::bigint) = (1114400370,"
			     " hashtext(coalesce(current_schema(), ''))::bigint & 4294967295)",
			     DB_NO_ARGS, NULL, err);
}

/* The server minds its files. */
static bool postgres_has_moved(struct db *db)
{
	(void)db;
	return false;
}

static int begin_watch(struct postgres *p)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct error ignored = {0};

	p->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->watch = epoll_create1(EPOLL_CLOEXEC);
	if (p->bell < 0 || p->watch < 0 || epoll_ctl(p->watch, EPOLL_CTL_ADD, p->bell, &event) < 0)
		return -1;
	if (epoll_ctl(p->watch, EPOLL_CTL_ADD, p->pq->PQsocket(p->conn), &event) < 0)
		return -1;
	return ask(p, "LISTEN belfry", DB_NO_ARGS, NULL, &ignored);
}

static void end_watch(struct postgres *p)
{
	if (p->watch >= 0)
		close(p->watch);
	if (p->bell >= 0)
		close(p->bell);
	p->watch = p->bell = -1;
}

static int postgres_notice_fd(struct db *db)
{
	struct postgres *p = (struct postgres *)db;

	if (p->watch < 0 && begin_watch(p) < 0)
		end_watch(p);
	return p->watch;
}

static int postgres_notices(struct db *db, bool *ret_changed, struct error *err)
{
	struct postgres *p = (struct postgres *)db;
	eventfd_t rung;
	int r = guard(p, err);

	if (r < 0)
		return r;
	if (p->watch >= 0 && !p->pq->PQconsumeInput(p->conn))
		return break_connection(p, p->pq->PQerrorMessage(p->conn), err);
	take_notices(p);
	if (p->watch >= 0)
		(void)eventfd_read(p->bell, &rung);
	*ret_changed = p->noticed;
	p->noticed = false;
	return 0;
}

static void postgres_close(struct db *db)
{
	struct postgres *p = (struct postgres *)db;

	end_watch(p);
	statements_fini(&p->statements, free);
	if (p->conn)
		p->pq->PQfinish(p->conn);
	free(p->label);
	free(p);
}

static const struct db_driver driver = {
	.close = postgres_close,
	.exec = postgres_exec,
	.insert = postgres_insert,
	.query = postgres_query,
	.next = postgres_next,
	.end = postgres_end,
	.is_null = postgres_is_null,
	.number = postgres_number,
	.text = postgres_text,
	.control = postgres_control,
	.script = postgres_script,
	.backup = postgres_backup,
	.claim = postgres_claim,
	.end_claimer = postgres_end_claimer,
	.has_moved = postgres_has_moved,
	.notice_fd = postgres_notice_fd,
	.notices = postgres_notices,
};

static const char *option_of(const PQconninfoOption *options, const char *keyword)
{
	for (; options->keyword; options++)
		if (strcmp(options->keyword, keyword) == 0)
			return options->val ? options->val : "";
	return "";
}

/*
 * What of the URL may be shown. libpq's own complaint about a URL it cannot read repeats the URL,
 * password and all, so it is not passed on.
 */
static int make_label(struct postgres *p, const char *url, struct error *err)
{
	char *complaint = NULL;
	PQconninfoOption *options = p->pq->PQconninfoParse(url, &complaint);

	if (complaint)
		p->pq->PQfreemem(complaint);
	if (!options) {
		error_set(err, ERR_INVALID, "the store's PostgreSQL url cannot be read");
		return error_hint(err, "write 'postgres://USER:PASSWORD@HOST:PORT/DATABASE'; "
				       "special characters of a password as %%XX");
	}
	p->label = mem_printf("postgres://%s%s%s/%s", option_of(options, "host"),
			      *option_of(options, "port") ? ":" : "", option_of(options, "port"),
			      option_of(options, "dbname"));
	p->pq->PQconninfoFree(options);
	return 0;
}

/* What stands before `dbname` is a default the URL may override, what follows it is not. */
static PGconn *connect_to(const struct libpq *pq, const char *url, bool reads)
{
	/* clang-format off */
	const char *const options[][2] = {
		{"connect_timeout", reads ? "3" : "10"}, /* whoever only looks waits with a person */
		{"tcp_user_timeout", "15000"}, /* ms until a silent server counts as gone */
		{"keepalives_idle", "10"},
		{"keepalives_interval", "5"},
		{"target_session_attrs", "read-write"}, /* of several hosts, the primary */
		{"application_name", "belfry"},
		{"dbname", url},
		{"client_encoding", "UTF8"},
		{NULL, NULL},
	};
	/* clang-format on */
	const char *keywords[sizeof(options) / sizeof(options[0])];
	const char *values[sizeof(options) / sizeof(options[0])];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		keywords[i] = options[i][0];
		values[i] = options[i][1];
	}
	return pq->PQconnectdbParams(keywords, values, 1);
}

/* A table that somebody has locked is told as that, soon; whoever set another limit meant it. */
static void limit_locks(struct postgres *p)
{
	p->pq->PQclear(p->pq->PQexec(p->conn,
				     "SELECT set_config('lock_timeout', '" LOCK_LIMIT "', false)"
				     " WHERE current_setting('lock_timeout') = '0'"));
}

static int connect_store(struct postgres *p, const char *url, bool reads, struct error *err)
{
	int r = libpq_load(&p->pq, err);

	if (r < 0 || (r = make_label(p, url, err)) < 0)
		return r;
	db_say_waits(clock_monotonic());
	p->conn = connect_to(p->pq, url, reads);
	db_say_waits(0);
	if (is_lost(p)) {
		r = break_connection(p, p->pq->PQerrorMessage(p->conn), err);
		return error_prefix(err, "cannot connect");
	}
	p->pq->PQsetNoticeReceiver(p->conn, discard_notice, NULL);
	limit_locks(p);
	if (!p->pq->PQenterPipelineMode(p->conn))
		r = break_connection(p, p->pq->PQerrorMessage(p->conn), err);
	return r;
}

int postgres_open(const char *url, bool reads, struct db **ret, struct error *err)
{
	struct postgres *p = mem_zalloc(sizeof(*p));
	int r;

	p->base = (struct db){.driver = &driver, .kind = DB_POSTGRES};
	p->watch = p->bell = -1;
	r = connect_store(p, url, reads, err);
	if (r < 0) {
		postgres_close(&p->base);
		return r;
	}
	*ret = &p->base;
	return 0;
}
