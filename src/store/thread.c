/*
 * thread.c: threads as rows. The list is read from its index, newest first, without sorting; the
 * archived ones have an index of their own, and a list of both is merged from one page of each.
 */
#include "store/thread.h"

#include <stdio.h>

#include "base/random.h"
#include "store/driver.h"
#include "store/mail-row.h"
#include "store/row.h"

#define ID_LETTERS 6
#define ID_TRIES 16

#define COLUMNS                                                                                    \
	"key, id, place, mission, agent, title, messages, unread, asks, waiting, wanted, last_at," \
	" last_sender, preview, archived_at, tries, retry_at"

void thread_free(struct thread *t)
{
	if (!t)
		return;
	free(t->place);
	free(t->agent);
	free(t->title);
	free(t->preview);
	free(t);
}

static int read_row(const struct db_rows *rows, struct thread **ret, struct error *err)
{
	AUTO(thread_free) struct thread *t = mem_zalloc(sizeof(*t));
	struct row row = {.rows = rows};

	t->key = row_int(&row);
	snprintf(t->id, sizeof(t->id), "%s", db_text(rows, row.column++));
	t->place = row_text(&row);
	t->mission = row_int(&row);
	t->agent = row_text(&row);
	t->title = row_text(&row);
	t->messages = row_int(&row);
	t->unread = row_int(&row);
	t->asks = row_int(&row);
	t->waiting = row_int(&row);
	t->wanted = row_int(&row) != 0;
	t->last_at = row_int(&row);
	t->last_sender = row_word(&row, sender_of);
	t->preview = row_text(&row);
	t->archived_at = row_time(&row);
	t->tries = row_int(&row);
	t->retry_at = row_time(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "thread '%s' is damaged in the store", t->id);
	*ret = steal_ptr(&t);
	return 0;
}

DEFINE_ROW_LISTS(thread)

/* 1 and t->key, or 0 when the id is taken. */
static int insert_row(struct db *db, struct thread *t, struct error *err)
{
	static const char sql[] = "INSERT INTO threads (" COLUMNS ") VALUES ($1, $2, $3, $4, $5,"
				  " $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
				  " ON CONFLICT (id) DO NOTHING";
	struct db_value args[] = {
		DB_NULL,
		DB_TEXT(t->id),
		DB_TEXT(t->place),
		DB_KEY(t->mission),
		DB_TEXT(t->agent),
		DB_TEXT(t->title),
		DB_INT(t->messages),
		DB_INT(t->unread),
		DB_INT(t->asks),
		DB_INT(t->waiting),
		DB_INT(t->wanted),
		DB_INT(t->last_at),
		DB_TEXT(sender_word(t->last_sender)),
		DB_TEXT(t->preview),
		DB_TIME(t->archived_at),
		DB_INT(t->tries),
		DB_TIME(t->retry_at),
	};
	int64_t key = 0, inserted = 0;
	int r = db_insert(db, DB_SEQUENCE_THREADS, sql, DB_ARGS(args), &key, &inserted, err);

	if (r < 0 || inserted == 0)
		return r;
	t->key = key;
	return 1;
}

int thread_insert(struct db *db, struct thread *t, struct error *err)
{
	bool made = t->id[0] == '\0';
	int tries = made ? ID_TRIES : 1, done = 0;

	for (; done == 0 && tries > 0; tries--) {
		if (made)
			random_id("thr-", ID_LETTERS, t->id);
		done = insert_row(db, t, err);
	}
	if (done == 0)
		error_set(err, ERR_CONFLICT, "thread '%s' already exists", t->id);
	if (done <= 0 && made)
		t->id[0] = '\0';
	return done > 0 ? 0 : err->code;
}

int thread_update(struct db *db, const struct thread *t, struct error *err)
{
	struct db_value args[] = {
		DB_INT(t->key),	     DB_TEXT(t->agent),
		DB_TEXT(t->title),   DB_INT(t->messages),
		DB_INT(t->unread),   DB_INT(t->asks),
		DB_INT(t->waiting),  DB_INT(t->wanted),
		DB_INT(t->last_at),  DB_TEXT(sender_word(t->last_sender)),
		DB_TEXT(t->preview), DB_TIME(t->archived_at),
		DB_INT(t->tries),    DB_TIME(t->retry_at),
	};

	return db_exec(db,
		       "UPDATE threads SET agent = $2, title = $3, messages = $4, unread = $5,"
		       " asks = $6, waiting = $7, wanted = $8, last_at = $9, last_sender = $10,"
		       " preview = $11, archived_at = $12, tries = $13, retry_at = $14"
		       " WHERE key = $1",
		       DB_ARGS(args), err);
}

/*
 * Whoever reads one thread may be about to count in it: on PostgreSQL, where several nodes do, it is
 * theirs until the end of the transaction.
 */
#define ONE(by) "SELECT " COLUMNS " FROM threads WHERE " by " = $1"

static int get_one(struct db *db, const char *const *texts, struct db_value arg,
		   struct thread **ret, struct error *err)
{
	return query_one(db, texts[db_kind(db)], &arg, 1, ret, err);
}

int thread_get(struct db *db, int64_t key, struct thread **ret, struct error *err)
{
	static const char *const texts[] = {
		[DB_SQLITE] = ONE("key"),
		[DB_POSTGRES] = ONE("key") " FOR UPDATE",
	};
	AUTO(thread_free) struct thread *t = NULL;
	int r = get_one(db, texts, DB_INT(key), &t, err);

	if (r == 0 && !t)
		r = error_set(err, ERR_NOT_FOUND, "no thread with key '%lld'", (long long)key);
	if (r == 0)
		*ret = steal_ptr(&t);
	return r;
}

int thread_at(struct db *db, const char *place, struct thread **ret, struct error *err)
{
	static const char *const texts[] = {
		[DB_SQLITE] = ONE("place"),
		[DB_POSTGRES] = ONE("place") " FOR UPDATE",
	};

	return get_one(db, texts, DB_TEXT(place), ret, err);
}

int thread_find(struct db *db, const char *ref, struct thread **ret, struct error *err)
{
	int64_t key = 0;
	int r = row_find(
		db, "SELECT key, id FROM threads WHERE id = $1",
		"SELECT key, id FROM threads WHERE id >= $1 AND id <= $2 ORDER BY id LIMIT 6", ref,
		&key, err);

	if (r == 0) {
		error_set(err, ERR_NOT_FOUND, "no thread '%s'", ref);
		return error_hint(err, "'belfry inbox list --all' shows them all");
	}
	return r < 0 ? r : thread_get(db, key, ret, err);
}

/*
 * `last_at <= $1` alone is what the index can begin at; the rest is for those of the same instant.
 * A comparison comes before the test for NULL, as in mission_list().
 */
#define NEWEST_FIRST " ORDER BY last_at DESC, key DESC LIMIT $3"
#define PAGE(which)                                                                                \
	"SELECT " COLUMNS " FROM threads WHERE " which                                             \
	" AND last_at <= $1 AND (last_at < $1 OR key < $2)"                                        \
	" AND (agent = $4 OR $4 IS NULL) AND (title = $5 OR $5 IS NULL)"                           \
	" AND unread >= $6 AND asks >= $7 AND unread + asks <= $8" NEWEST_FIRST

enum which { HERE, AWAY, ASKING, EVERYWHERE };

int thread_list(struct db *db, const struct thread_filter *f, struct thread_list *ret,
		struct error *err)
{
	/* clang-format off */
	static const char *const texts[] = {
		[HERE] = PAGE("archived_at IS NULL"),
		[AWAY] = PAGE("archived_at IS NOT NULL"),
		[ASKING] = PAGE("asks > 0"),
		[EVERYWHERE] = "SELECT * FROM (SELECT * FROM (" PAGE("archived_at IS NULL") ") AS here"
		" UNION ALL SELECT * FROM (" PAGE("archived_at IS NOT NULL") ") AS away) AS every" NEWEST_FIRST,
	};
	enum which which = f->archived_only ? AWAY : f->asks_only ? ASKING : f->archived ? EVERYWHERE : HERE;
	/* clang-format on */
	struct db_value args[] = {
		DB_INT(f->before_at == USEC_NONE ? INT64_MAX : f->before_at),
		DB_INT(f->before_at == USEC_NONE ? INT64_MAX : f->before_key),
		DB_INT(f->limit),
		DB_TEXT(f->agent),
		DB_TEXT(f->title),
		DB_INT(f->unread_only),
		DB_INT(f->asks_only),
		DB_INT(f->settled_only ? 0 : INT64_MAX),
	};

	return query_list(db, texts[which], DB_ARGS(args), ret, err);
}

int thread_totals(struct db *db, int64_t *ret_unread, int64_t *ret_asks, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(
		db,
		"SELECT sum(CASE WHEN archived_at IS NULL THEN unread ELSE 0 END), sum(asks)"
		" FROM threads WHERE unread > 0 OR asks > 0",
		DB_NO_ARGS, &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	*ret_unread = db_int(&rows, 0);
	*ret_asks = db_int(&rows, 1);
	return 0;
}

int thread_counts_of_mission(struct db *db, int64_t mission, int64_t *ret_unread, int64_t *ret_asks,
			     struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(mission)};
	int r = db_query(db, "SELECT unread, asks FROM threads WHERE mission = $1", DB_ARGS(args),
			 &rows, err);

	*ret_unread = *ret_asks = 0;
	if (r < 0 || (r = db_rows_next(&rows, err)) <= 0)
		return r;
	*ret_unread = db_int(&rows, 0);
	*ret_asks = db_int(&rows, 1);
	return 0;
}

/* Claimed on PostgreSQL, as reminder_due() does. */
#define WANTED                                                                                     \
	"SELECT " COLUMNS " FROM threads WHERE wanted = 1"                                         \
	" AND (retry_at IS NULL OR retry_at <= $1) ORDER BY last_at, key LIMIT $2"

int thread_wanted(struct db *db, usec_t now, int limit, struct thread_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? WANTED " FOR UPDATE SKIP LOCKED" : WANTED;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

int thread_next_retry(struct db *db, usec_t *ret, struct error *err)
{
	int64_t at = USEC_NONE;
	int r = row_ask_int(db,
			    "SELECT retry_at FROM threads WHERE wanted = 1 AND retry_at IS NOT NULL"
			    " ORDER BY retry_at LIMIT 1",
			    DB_NO_ARGS, &at, err);

	if (r >= 0)
		*ret = at;
	return r < 0 ? r : 0;
}

int thread_mend_retries(struct db *db, usec_t now, usec_t most, struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(most)};

	return db_exec(db, "UPDATE threads SET retry_at = $1 WHERE wanted = 1 AND retry_at > $2",
		       DB_ARGS(args), err);
}

/* Claimed, too: nobody writes into one that is about to go. */
#define QUIET                                                                                      \
	"SELECT " COLUMNS " FROM threads WHERE last_at < $1 AND mission IS NULL AND unread = 0"    \
	" AND asks = 0 AND waiting = 0 ORDER BY last_at, key LIMIT $2"

static int delete_thread(struct db *db, int64_t key, struct error *err)
{
	struct db_value args[] = {DB_INT(key)};
	int r = search_forget(db, SEARCH_FORGET("SELECT key FROM messages WHERE thread = $1"),
			      DB_ARGS(args), err);

	return r < 0 ? r : db_exec(db, "DELETE FROM threads WHERE key = $1", DB_ARGS(args), err);
}

int thread_prune(struct db *db, usec_t before, int limit, struct thread_list *ret,
		 struct error *err)
{
	AUTO_THREADS struct thread_list list = {0};
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? QUIET " FOR UPDATE SKIP LOCKED" : QUIET;
	int r = query_list(db, sql, DB_ARGS(args), &list, err);

	for (size_t i = 0; r >= 0 && i < list.count; i++)
		r = delete_thread(db, list.items[i]->key, err);
	if (r < 0)
		return r;
	*ret = list;
	list = (struct thread_list){0};
	return 0;
}
