/*
 * mail.c: messages of threads as rows. A text can be long, and stands at the end of its row, so
 * that whoever wants the rest does not read it.
 */
#include <string.h>

#include "store/driver.h"
#include "store/mail-row.h"
#include "store/row.h"

#define COLUMNS MAIL_COLUMNS

void mail_free(struct mail *m)
{
	if (!m)
		return;
	free(m->author);
	free(m->title);
	free(m->text);
	free(m->file);
	json_decref(m->attachments);
	free(m->ask_default);
	free(m->terms);
	free(m);
}

static void read_attachments(struct row *row, struct mail *m)
{
	const char *text = db_text(row->rows, row->column++);
	struct error ignored = {0};

	if (text && json_parse(text, strlen(text), &m->attachments, &ignored) < 0)
		row->damaged = true;
}

static void read_state(struct row *row, struct mail *m)
{
	m->run = row_int(row);
	m->ask = row_word(row, asking_of);
	m->ask_until = row_time(row);
	m->ask_default = row_text(row);
	m->answered_by = row_int(row);
	m->reply = row_word(row, handover_of);
	m->carrier = row_int(row);
	m->queue = row_int(row);
	m->unprinted_at = row_time(row);
	m->read_at = row_time(row);
	m->created_at = row_int(row);
}

static int read_row(const struct db_rows *rows, struct mail **ret, struct error *err)
{
	AUTO(mail_free) struct mail *m = mem_zalloc(sizeof(*m));
	struct row row = {.rows = rows};

	m->key = row_int(&row);
	m->thread = row_int(&row);
	m->seq = row_int(&row);
	m->sender = row_word(&row, sender_of);
	m->author = row_text(&row);
	m->title = row_text(&row);
	m->size = row_int(&row);
	m->file = row_text(&row);
	read_attachments(&row, m);
	read_state(&row, m);
	m->text = row_text(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM,
				 "message %lld of thread %lld is damaged in the store",
				 (long long)m->seq, (long long)m->thread);
	*ret = steal_ptr(&m);
	return 0;
}

DEFINE_ROW_LISTS(mail)

int mail_query_list(struct db *db, const char *sql, const struct db_value *args, size_t count,
		    struct mail_list *ret, struct error *err)
{
	return query_list(db, sql, args, count, ret, err);
}

int mail_insert(struct db *db, struct mail *m, struct error *err)
{
	static const char sql[] = "INSERT INTO messages (" COLUMNS ", terms) VALUES ($1, $2, $3,"
				  " $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,"
				  " $17, $18, $19, $20, $21, $22)";
	AUTO(free) char *attachments = m->attachments ? json_text(m->attachments) : NULL;
	AUTO(free) char *terms = search_terms(m);
	struct db_value args[] = {
		DB_NULL,
		DB_INT(m->thread),
		DB_INT(m->seq),
		DB_TEXT(sender_word(m->sender)),
		DB_TEXT(m->author),
		DB_TEXT(m->title),
		DB_INT(m->size),
		DB_TEXT(m->file),
		DB_TEXT(attachments),
		DB_INT(m->run),
		DB_TEXT(asking_word(m->ask)),
		DB_TIME(m->ask_until),
		DB_TEXT(m->ask_default),
		DB_KEY(m->answered_by),
		DB_TEXT(handover_word(m->reply)),
		DB_KEY(m->carrier),
		DB_KEY(m->queue),
		DB_NULL, /* nobody was given it yet */
		DB_TIME(m->read_at),
		DB_INT(m->created_at),
		DB_TEXT(m->text),
		DB_TEXT(terms),
	};
	int r;

	m->unprinted_at = USEC_NONE;
	r = db_insert(db, DB_SEQUENCE_MESSAGES, sql, DB_ARGS(args), &m->key, NULL, err);

	return r < 0 ? r : search_add(db, m, terms, err);
}

int mail_update(struct db *db, const struct mail *m, struct error *err)
{
	struct db_value args[] = {
		DB_INT(m->key),
		DB_TEXT(m->title),
		DB_TEXT(m->text),
		DB_INT(m->size),
		DB_TEXT(asking_word(m->ask)),
		DB_TIME(m->ask_until),
		DB_TEXT(handover_word(m->reply)),
		DB_KEY(m->carrier),
		DB_KEY(m->queue),
		DB_TIME(m->read_at),
		DB_TIME(m->unprinted_at),
		DB_KEY(m->answered_by),
	};
	int r = search_change(db, m, err);

	if (r < 0)
		return r;
	return db_exec(db,
		       "UPDATE messages SET title = $2, text = $3, size = $4, ask = $5,"
		       " ask_until = $6, reply = $7, carrier = $8, queue = $9, read_at = $10,"
		       " unprinted_at = $11, answered_by = $12"
		       " WHERE key = $1",
		       DB_ARGS(args), err);
}

int mail_get(struct db *db, int64_t thread, int64_t seq, struct mail **ret, struct error *err)
{
	AUTO(mail_free) struct mail *m = NULL;
	struct db_value args[] = {DB_INT(thread), DB_INT(seq)};
	int r = query_one(db, "SELECT " COLUMNS " FROM messages WHERE thread = $1 AND seq = $2",
			  DB_ARGS(args), &m, err);

	if (r == 0 && !m)
		r = error_set(err, ERR_NOT_FOUND, "the thread has no message %lld", (long long)seq);
	if (r == 0)
		*ret = steal_ptr(&m);
	return r;
}

int mail_of_queue(struct db *db, int64_t queue, struct mail **ret, struct error *err)
{
	struct db_value args[] = {DB_INT(queue)};

	return query_one(db, "SELECT " COLUMNS " FROM messages WHERE queue = $1", DB_ARGS(args),
			 ret, err);
}

/*
 * Which numbers the page has, by size: 1 and the first and last of them, or 0 when it is empty.
 * Asked before any text is read, since PostgreSQL would send them all.
 */
static int bound_page(struct db *db, int64_t thread, const struct mail_page *page,
		      int64_t *ret_first, int64_t *ret_last, struct error *err)
{
	static const char *const texts[] = {
		"SELECT seq, size FROM messages WHERE thread = $1 AND seq < $2"
		" ORDER BY seq DESC LIMIT $3",
		"SELECT seq, size FROM messages WHERE thread = $1 AND seq > $2"
		" ORDER BY seq LIMIT $3",
	};
	AUTO_ROWS struct db_rows rows = {0};
	bool forward = page->after >= 0;
	struct db_value args[] = {
		DB_INT(thread),
		DB_INT(forward	      ? page->after
		       : page->before ? page->before
				      : INT64_MAX),
		DB_INT(page->limit),
	};
	int64_t first = 0, last = 0;
	size_t bytes = 0;
	int r = db_query(db, texts[forward], DB_ARGS(args), &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0) {
		int64_t seq = db_int(&rows, 0), size = db_int(&rows, 1);

		bytes += size > (int64_t)MAIL_TEXT_MAX ? MAIL_TEXT_MAX : (size_t)size;
		if (first && bytes > page->bytes)
			break;
		first = first == 0 || seq < first ? seq : first;
		last = seq > last ? seq : last;
	}
	*ret_first = first;
	*ret_last = last;
	return r < 0 ? r : first != 0;
}

int mail_list(struct db *db, int64_t thread, const struct mail_page *page, struct mail_list *ret,
	      struct error *err)
{
	int64_t first = 0, last = 0;
	int r = bound_page(db, thread, page, &first, &last, err);
	struct db_value args[] = {DB_INT(thread), DB_INT(first), DB_INT(last)};

	if (r < 0)
		return r;
	if (r == 0) {
		*ret = (struct mail_list){0};
		return 0;
	}
	return query_list(db,
			  "SELECT " COLUMNS " FROM messages WHERE thread = $1"
			  " AND seq BETWEEN $2 AND $3 ORDER BY seq",
			  DB_ARGS(args), ret, err);
}

int mail_mark(struct db *db, int64_t thread, bool read, int64_t up_to, usec_t now, int64_t *ret,
	      struct error *err)
{
	struct db_value args[] = {DB_INT(thread), DB_INT(up_to ? up_to : INT64_MAX), DB_INT(now)};

	if (read)
		return db_exec_count(db,
				     "UPDATE messages SET read_at = $3 WHERE thread = $1"
				     " AND seq <= $2 AND read_at IS NULL",
				     DB_ARGS(args), ret, err);
	return db_exec_count(db,
			     "UPDATE messages SET read_at = NULL WHERE thread = $1"
			     " AND read_at IS NOT NULL AND sender <> 'person'",
			     args, 1, ret, err);
}

int mail_unread_queued(struct db *db, int64_t thread, int64_t up_to, struct mail_list *ret,
		       struct error *err)
{
	struct db_value args[] = {DB_INT(thread), DB_INT(up_to ? up_to : INT64_MAX)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM messages WHERE thread = $1 AND seq <= $2"
			  " AND read_at IS NULL AND queue IS NOT NULL ORDER BY seq",
			  DB_ARGS(args), ret, err);
}

int mail_undelivered(struct db *db, int64_t thread, struct mail_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(thread)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM messages WHERE thread = $1"
			  " AND reply IN ('waiting', 'offered') ORDER BY seq",
			  DB_ARGS(args), ret, err);
}

int mail_open_asks(struct db *db, int64_t thread, struct mail_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(thread)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM messages WHERE thread = $1 AND ask = 'open'"
			  " ORDER BY seq",
			  DB_ARGS(args), ret, err);
}

int mail_answered_by(struct db *db, int64_t thread, int64_t reply, struct mail_list *ret,
		     struct error *err)
{
	struct db_value args[] = {DB_INT(thread), DB_INT(reply)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM messages WHERE thread = $1 AND answered_by = $2"
			  " ORDER BY seq",
			  DB_ARGS(args), ret, err);
}

int mail_overtaken(struct db *db, int64_t thread, int64_t reply, struct mail_list *ret,
		   struct error *err)
{
	struct db_value args[] = {DB_INT(thread), DB_INT(reply)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM messages WHERE thread = $1 AND ask = 'expired'"
			  " AND seq < $2 AND COALESCE(answered_by, seq) > COALESCE((SELECT MAX(seq)"
			  " FROM messages WHERE thread = $1 AND sender = 'person' AND seq < $2), 0)"
			  " ORDER BY seq",
			  DB_ARGS(args), ret, err);
}

/* One row or none. */
static int ask_whether(struct db *db, const char *sql, const struct db_value *args, size_t count,
		       bool *ret, struct error *err)
{
	int64_t any = 0;
	int r = row_ask_int(db, sql, args, count, &any, err);

	if (r < 0)
		return r;
	*ret = r > 0;
	return 0;
}

int mail_was_one_of_several(struct db *db, const struct mail *question, int64_t reply, bool *ret,
			    struct error *err)
{
	struct db_value args[] = {DB_INT(question->thread), DB_INT(question->seq), DB_INT(reply)};

	return ask_whether(db,
			   "SELECT seq FROM messages WHERE thread = $1 AND seq <> $2 AND seq < $3"
			   " AND ask <> 'none' AND (ask = 'open' OR answered_by > $2) LIMIT 1",
			   DB_ARGS(args), ret, err);
}

int mail_has_unheard_answer(struct db *db, int64_t thread, bool *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(thread)};

	return ask_whether(db,
			   "SELECT q.seq FROM messages AS r JOIN messages AS q"
			   " ON q.thread = r.thread AND q.answered_by = r.seq WHERE r.thread = $1"
			   " AND r.reply IN ('waiting', 'offered') AND q.ask <> 'open' LIMIT 1",
			   DB_ARGS(args), ret, err);
}

/* Claimed on PostgreSQL, as reminder_due() does. */
#define EXPIRED                                                                                    \
	"SELECT " COLUMNS " FROM messages WHERE ask = 'open' AND ask_until <= $1"                  \
	" AND ask_until IS NOT NULL ORDER BY ask_until, key LIMIT $2"

int mail_expired_asks(struct db *db, usec_t now, int limit, struct mail_list *ret,
		      struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? EXPIRED " FOR UPDATE SKIP LOCKED" : EXPIRED;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

int mail_next_expiry(struct db *db, usec_t *ret, struct error *err)
{
	int64_t at = USEC_NONE;
	int r = row_ask_int(db,
			    "SELECT ask_until FROM messages WHERE ask = 'open'"
			    " AND ask_until IS NOT NULL ORDER BY ask_until LIMIT 1",
			    DB_NO_ARGS, &at, err);

	if (r < 0)
		return r;
	*ret = at;
	return 0;
}

/*
 * From the oldest on, by an index of what may go. CROSS JOIN: SQLite would begin with the threads.
 * On PostgreSQL, what somebody marks unread in this instant stays.
 */
#define OVER                                                                                       \
	"SELECT m.key FROM messages AS m CROSS JOIN threads AS t WHERE t.key = m.thread"           \
	" AND m.created_at < $1 AND m.read_at IS NOT NULL AND m.file IS NULL"                      \
	" AND m.attachments IS NULL AND m.ask <> 'open' AND m.reply NOT IN ('waiting', 'offered')" \
	" AND m.queue IS NULL AND t.mission IS NULL AND m.seq < t.messages"                        \
	" ORDER BY m.created_at, m.key LIMIT $2"
#define DELETE_OVER(lock) "DELETE FROM messages WHERE key IN (" OVER lock ")"

int mail_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	static const char *const texts[] = {
		[DB_SQLITE] = DELETE_OVER(""),
		[DB_POSTGRES] = DELETE_OVER(" FOR UPDATE OF m SKIP LOCKED"),
	};
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};
	int r = search_forget(db, SEARCH_FORGET(OVER), DB_ARGS(args), err);

	return r < 0 ? r : db_exec_count(db, texts[db_kind(db)], DB_ARGS(args), ret, err);
}

int mail_is_first(struct db *db, int64_t thread, int64_t seq, bool *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(thread), DB_INT(seq)};
	int64_t before = 0;
	int r = row_ask_int(db, "SELECT seq FROM messages WHERE thread = $1 AND seq < $2 LIMIT 1",
			    DB_ARGS(args), &before, err);

	if (r < 0)
		return r;
	*ret = r == 0;
	return 0;
}

int mail_run_wrote(struct db *db, int64_t thread, int64_t run, bool *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(thread), DB_INT(run)};
	int64_t seq = 0;
	int r = row_ask_int(db,
			    "SELECT seq FROM messages WHERE thread = $1 AND run = $2"
			    " AND sender = 'agent' LIMIT 1",
			    DB_ARGS(args), &seq, err);

	if (r < 0)
		return r;
	*ret = r > 0;
	return 0;
}
