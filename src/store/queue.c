/*
 * queue.c: messages as rows.
 * The head of a line is found by one probe of the index for each priority, so that a line of a
 * million messages costs no more than one of ten.
 */
#include "store/queue.h"

#include <stdio.h>

#include "base/random.h"
#include "store/driver.h"
#include "store/row.h"

#define ID_LETTERS 8
#define ID_TRIES 8

#define COLUMNS                                                                                    \
	"key, id, slot, reminder, agent, body, priority, state, attempts, attempt_at, queued_at,"  \
	" offered_at, done_at, last_error, sender, session, printed, owner,"                       \
	" earlier, earlier_at, returned_at"

void message_free(struct message *m)
{
	if (!m)
		return;
	free(m->sender);
	free(m->agent);
	free(m->body);
	free(m->last_error);
	free(m->session);
	free(m->owner);
	free(m);
}

static int read_row(const struct db_rows *rows, struct message **ret, struct error *err)
{
	AUTO(message_free) struct message *m = mem_zalloc(sizeof(*m));
	struct row row = {.rows = rows};

	m->key = row_int(&row);
	snprintf(m->id, sizeof(m->id), "%s", db_text(rows, row.column++));
	m->slot = row_int(&row);
	m->reminder = row_int(&row);
	m->agent = row_text(&row);
	m->body = row_text(&row);
	m->priority = row_word(&row, priority_of);
	m->state = row_word(&row, delivery_of);
	m->attempts = row_int(&row);
	m->attempt_at = row_time(&row);
	m->queued_at = row_time(&row);
	m->offered_at = row_time(&row);
	m->done_at = row_time(&row);
	m->last_error = row_text(&row);
	m->sender = row_text(&row);
	m->session = row_text(&row);
	m->printed = row_int(&row) != 0;
	m->owner = row_text(&row);
	m->earlier = row_int(&row);
	m->earlier_at = row_time(&row);
	m->returned_at = row_time(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "message '%s' is damaged in the store", m->id);
	*ret = steal_ptr(&m);
	return 0;
}

DEFINE_ROW_LISTS(message)

static int insert_row(struct db *db, struct message *m, struct error *err)
{
	static const char sql[] =
		"INSERT INTO queue (" COLUMNS ") VALUES"
		" ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, "
		"$18, 0, NULL, NULL)";
	struct db_value args[] = {
		DB_NULL,
		DB_TEXT(m->id),
		DB_KEY(m->slot),
		DB_KEY(m->reminder),
		DB_TEXT(m->agent),
		DB_TEXT(m->body),
		DB_TEXT(priority_word(m->priority)),
		DB_TEXT(delivery_word(m->state)),
		DB_INT(m->attempts),
		DB_TIME(m->attempt_at),
		DB_TIME(m->queued_at),
		DB_TIME(m->offered_at),
		DB_TIME(m->done_at),
		DB_TEXT(m->last_error),
		DB_TEXT(m->sender),
		DB_TEXT(m->session),
		DB_INT(m->printed),
		DB_TEXT(m->owner),
	};

	return db_insert(db, DB_SEQUENCE_QUEUE, sql, DB_ARGS(args), &m->key, NULL, err);
}

static bool id_is_taken(struct db *db, const char *id)
{
	struct db_value args[] = {DB_TEXT(id)};
	struct error ignored = {0};
	int64_t key;

	return row_ask_int(db, "SELECT key FROM queue WHERE id = $1", DB_ARGS(args), &key,
			   &ignored) > 0;
}

/*
 * A conflict is nearly always the slot's, which has its message already. Once in a million million
 * it is the id that we made; sent later on PostgreSQL, that one fails the turn, and the next try
 * makes another.
 */
int queue_insert(struct db *db, struct message *m, struct error *err)
{
	bool made = m->id[0] == '\0';
	int r = ERR_CONFLICT;

	m->returned_at = USEC_NONE;
	if (!made)
		return insert_row(db, m, err);
	for (int tries = 0; r == ERR_CONFLICT && tries < ID_TRIES; tries++) {
		random_id("m-", ID_LETTERS, m->id);
		r = insert_row(db, m, err);
		if (r == ERR_CONFLICT && !id_is_taken(db, m->id))
			break;
	}
	if (r < 0)
		m->id[0] = '\0';
	return r;
}

int queue_update(struct db *db, const struct message *m, struct error *err)
{
	struct db_value args[] = {
		DB_INT(m->key),		DB_TEXT(delivery_word(m->state)),
		DB_INT(m->attempts),	DB_TIME(m->attempt_at),
		DB_TIME(m->offered_at), DB_TIME(m->done_at),
		DB_TEXT(m->last_error), DB_TEXT(m->session),
		DB_INT(m->printed),	DB_TIME(m->returned_at),
	};

	return db_exec(db,
		       "UPDATE queue SET state = $2, attempts = $3, attempt_at = $4,"
		       " offered_at = $5, done_at = $6, last_error = $7, session = $8,"
		       " printed = $9, returned_at = $10 WHERE key = $1",
		       DB_ARGS(args), err);
}

int queue_replace(struct db *db, const struct message *m, struct error *err)
{
	struct db_value args[] = {DB_INT(m->key),     DB_KEY(m->slot),
				  DB_TEXT(m->body),   DB_TEXT(priority_word(m->priority)),
				  DB_INT(m->earlier), DB_TIME(m->earlier_at)};

	return db_exec(db,
		       "UPDATE queue SET slot = $2, body = $3, priority = $4, earlier = $5,"
		       " earlier_at = $6 WHERE key = $1",
		       DB_ARGS(args), err);
}

int queue_get(struct db *db, int64_t key, struct message **ret, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	struct db_value args[] = {DB_INT(key)};
	int r = query_one(db, "SELECT " COLUMNS " FROM queue WHERE key = $1", DB_ARGS(args), &m,
			  err);

	if (r < 0)
		return r;
	if (!m)
		return error_set(err, ERR_NOT_FOUND, "no message with key '%lld'", (long long)key);
	*ret = steal_ptr(&m);
	return 0;
}

int queue_find(struct db *db, const char *ref, struct message **ret, struct error *err)
{
	int64_t key = 0;
	int r = row_find(
		db, "SELECT key, id FROM queue WHERE id = $1",
		"SELECT key, id FROM queue WHERE id >= $1 AND id <= $2 ORDER BY id LIMIT 6", ref,
		&key, err);

	if (r == 0) {
		error_set(err, ERR_NOT_FOUND, "no message '%s'", ref);
		return error_hint(err, "'belfry queue list --all' shows them all");
	}
	return r < 0 ? r : queue_get(db, key, ret, err);
}

int queue_of_slot(struct db *db, int64_t slot, struct message **ret, struct error *err)
{
	struct db_value args[] = {DB_INT(slot)};

	return query_one(db, "SELECT " COLUMNS " FROM queue WHERE slot = $1", DB_ARGS(args), ret,
			 err);
}

/* clang-format off */
#define OWNED " AND coalesce(owner, 'me') = $2"
#define FIRST_OF(rank, word, direction, more)                                                      \
	"SELECT * FROM (SELECT " COLUMNS ", " rank " AS line FROM queue WHERE agent = $1"          \
	" AND state = 'queued' AND priority = '" word "'" more " ORDER BY key " direction          \
	" LIMIT 1) AS head" rank
#define UP_TO_INTERRUPT(more) FIRST_OF("0", "interrupt", "ASC", more)
#define UP_TO_NORMAL(more) UP_TO_INTERRUPT(more) " UNION ALL " FIRST_OF("1", "normal", "ASC", more)
#define UP_TO_IDLE_FIRST(more) UP_TO_NORMAL(more) " UNION ALL " FIRST_OF("2", "idle-first", "DESC", more)
#define UP_TO_IDLE(more) UP_TO_IDLE_FIRST(more) " UNION ALL " FIRST_OF("3", "idle", "ASC", more)
#define FIRST " ORDER BY line LIMIT 1"
#define HEADS(more) {                                                                              \
	[PRIORITY_INTERRUPT] = UP_TO_INTERRUPT(more) FIRST,                                        \
	[PRIORITY_NORMAL] = UP_TO_NORMAL(more) FIRST,                                              \
	[PRIORITY_IDLE_FIRST] = UP_TO_IDLE_FIRST(more) FIRST,                                      \
	[PRIORITY_IDLE] = UP_TO_IDLE(more) FIRST}
/* clang-format on */

int queue_head_of(struct db *db, const char *agent, enum priority lowest, struct message **ret,
		  struct error *err)
{
	static const char *const texts[] = HEADS("");
	struct db_value args[] = {DB_TEXT(agent)};

	return query_one(db, texts[lowest], DB_ARGS(args), ret, err);
}

int queue_head_for(struct db *db, const char *agent, const char *owner, enum priority lowest,
		   struct message **ret, struct error *err)
{
	static const char *const texts[] = HEADS(OWNED);
	struct db_value args[] = {DB_TEXT(agent), DB_TEXT(owner)};

	return query_one(db, texts[lowest], DB_ARGS(args), ret, err);
}

int queue_give(struct db *db, struct message *m, const char *owner, struct error *err)
{
	struct db_value args[] = {DB_INT(m->key), DB_TEXT(owner)};

	mem_replace(&m->owner, owner);
	return db_exec(db, "UPDATE queue SET owner = $2 WHERE key = $1", DB_ARGS(args), err);
}

int queue_head(struct db *db, const char *agent, struct message **ret, struct error *err)
{
	return queue_head_of(db, agent, PRIORITY_IDLE, ret, err);
}

int queue_nth_sent(struct db *db, const char *sender, const char *agent, usec_t since, int nth,
		   usec_t *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(sender), DB_INT(since), DB_INT(nth), DB_TEXT(agent)};
	int64_t at = USEC_NONE;
	int r = agent ? row_ask_int(db,
				    "SELECT queued_at FROM queue WHERE sender = $1"
				    " AND queued_at > $2 AND agent = $4"
				    " ORDER BY queued_at DESC LIMIT 1 OFFSET $3",
				    args, 4, &at, err)
		      : row_ask_int(db,
				    "SELECT queued_at FROM queue WHERE sender = $1"
				    " AND queued_at > $2"
				    " ORDER BY queued_at DESC LIMIT 1 OFFSET $3",
				    args, 3, &at, err);

	if (r < 0)
		return r;
	*ret = at;
	return 0;
}

int queue_offered_to(struct db *db, const char *agent, struct message **ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};

	return query_one(db,
			 "SELECT " COLUMNS " FROM queue WHERE agent = $1 AND state = 'offered'"
			 " AND session IS NULL ORDER BY key LIMIT 1",
			 DB_ARGS(args), ret, err);
}

int queue_has_head(struct db *db, const char *agent, bool *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};
	int64_t one;
	int r = row_ask_int(db,
			    "SELECT 1 FROM queue WHERE agent = $1 AND state = 'offered'"
			    " AND session IS NULL UNION ALL"
			    " SELECT 1 FROM queue WHERE agent = $1 AND attempt_at IS NOT NULL"
			    " LIMIT 1",
			    DB_ARGS(args), &one, err);

	if (r < 0)
		return r;
	*ret = r > 0;
	return 0;
}

#define PAGE(more) "SELECT " COLUMNS " FROM queue WHERE key > $1" more " ORDER BY key LIMIT $2"
#define NUMBER(more) "SELECT count(*) FROM queue WHERE key > $1 AND $2 >= 0" more
#define BEFORE(more)                                                                               \
	"SELECT key FROM queue WHERE key > $1" more " ORDER BY key DESC LIMIT 1 OFFSET $2"
#define OF_AGENT " AND agent = $3"
#define OPEN " AND state NOT IN ('delivered', 'failed')"
#define IN_STATE(n) " AND state = $" n
#define TEXTS(of)                                                                                  \
	{                                                                                          \
		{of(OPEN), of(""), of(IN_STATE("3"))},                                             \
		{                                                                                  \
			of(OF_AGENT OPEN), of(OF_AGENT), of(OF_AGENT IN_STATE("4"))                \
		}                                                                                  \
	}

/* What both take; returns how many of the arguments there are. */
static size_t filter_args(const struct queue_filter *f, struct db_value ret[4])
{
	size_t count = 0;

	ret[count++] = DB_INT(f->after);
	ret[count++] = DB_INT(f->limit);
	if (f->agent)
		ret[count++] = DB_TEXT(f->agent);
	if (f->state)
		ret[count++] = DB_TEXT(f->state);
	return count;
}

static size_t filter_states(const struct queue_filter *f)
{
	return f->state ? 2 : f->done;
}

int queue_list(struct db *db, const struct queue_filter *filter, struct message_list *ret,
	       struct error *err)
{
	static const char *const texts[2][3] = TEXTS(PAGE);
	struct db_value args[4];
	size_t count = filter_args(filter, args);

	return query_list(db, texts[filter->agent != NULL][filter_states(filter)], args, count, ret,
			  err);
}

int queue_before_newest(struct db *db, const struct queue_filter *filter, int64_t newest,
			int64_t *ret, struct error *err)
{
	static const char *const texts[2][3] = TEXTS(BEFORE);
	struct queue_filter skip = *filter;
	struct db_value args[4];
	size_t count;
	int r;

	skip.limit = newest > INT32_MAX ? INT32_MAX : (int)newest;
	count = filter_args(&skip, args);
	*ret = filter->after;
	r = row_ask_int(db, texts[filter->agent != NULL][filter_states(filter)], args, count, ret,
			err);
	return r < 0 ? r : 0;
}

int queue_count(struct db *db, const struct queue_filter *filter, int64_t *ret, struct error *err)
{
	static const char *const texts[2][3] = TEXTS(NUMBER);
	struct db_value args[4];
	size_t count = filter_args(filter, args);
	int r = row_ask_int(db, texts[filter->agent != NULL][filter_states(filter)], args, count,
			    ret, err);

	return r < 0 ? r : 0;
}

/* Backwards by key, and not for ever: an agent's last message may be a million messages ago. */
int queue_recent(struct db *db, const char *agent, const char *owner, int limit,
		 struct message_list *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent), DB_INT(limit), DB_TEXT(owner)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM queue WHERE agent = $1"
			  " AND key > (SELECT coalesce(max(key), 0) - 10000 FROM queue)"
			  " AND coalesce($3, owner, 'me') = coalesce(owner, 'me')"
			  " ORDER BY key DESC LIMIT $2",
			  DB_ARGS(args), ret, err);
}

/* Claimed on PostgreSQL, as reminder_due() does. */
#define DUE                                                                                        \
	"SELECT " COLUMNS " FROM queue WHERE attempt_at <= $1 AND attempt_at IS NOT NULL"          \
	" ORDER BY attempt_at, key LIMIT $2"

int queue_due(struct db *db, usec_t now, int limit, struct message_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? DUE " FOR UPDATE SKIP LOCKED" : DUE;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

int queue_next_attempt(struct db *db, usec_t *ret, struct error *err)
{
	int64_t at = USEC_NONE;
	int r = row_ask_int(db,
			    "SELECT attempt_at FROM queue WHERE attempt_at IS NOT NULL"
			    " ORDER BY attempt_at LIMIT 1",
			    DB_NO_ARGS, &at, err);

	if (r < 0)
		return r;
	*ret = at;
	return 0;
}

/* Claimed on PostgreSQL, as slot_list_checking() does. */
#define OFFERED "SELECT " COLUMNS " FROM queue WHERE state = 'offered' ORDER BY key"

int queue_list_offered(struct db *db, struct message_list *ret, struct error *err)
{
	const char *sql = db_kind(db) == DB_POSTGRES ? OFFERED " FOR UPDATE" : OFFERED;

	return query_list(db, sql, DB_NO_ARGS, ret, err);
}

int queue_offered_to_session(struct db *db, const char *session, const char *owner,
			     struct message_list *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(session), DB_TEXT(owner)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM queue WHERE session = $1"
			  " AND session IS NOT NULL AND state = 'offered'"
			  " AND coalesce($2, owner, 'me') = coalesce(owner, 'me') ORDER BY key",
			  DB_ARGS(args), ret, err);
}

int queue_unprinted(struct db *db, int limit, struct message_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(limit)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM queue WHERE session IS NOT NULL"
			  " AND state = 'offered' AND printed = 0 ORDER BY offered_at LIMIT $1",
			  DB_ARGS(args), ret, err);
}

int queue_waiting(struct db *db, const char *agent, const char *owner, int most, int64_t *ret,
		  struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent), DB_TEXT(owner), DB_INT(most)};

	*ret = 0;
	return row_ask_int(db,
			   "SELECT count(*) FROM (SELECT 1 FROM queue WHERE agent = $1" OWNED
			   " AND state = 'queued' LIMIT $3) AS waiting",
			   DB_ARGS(args), ret, err);
}

int queue_counts(struct db *db, queue_counted *each, void *data, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(QUEUE_COUNTED + 1)};
	/* From agent to agent by the index, and not further in the line of one than it is counted. */
	int r = db_query(
		db,
		"WITH RECURSIVE agents (agent) AS (SELECT min(agent) FROM queue"
		" WHERE state = 'queued' UNION ALL SELECT (SELECT min(agent) FROM queue"
		" WHERE state = 'queued' AND queue.agent > agents.agent) FROM agents"
		" WHERE agents.agent IS NOT NULL)"
		" SELECT agent, (SELECT count(*) FROM (SELECT 1 FROM queue WHERE state = 'queued'"
		" AND queue.agent = agents.agent LIMIT $1) AS line) FROM agents"
		" WHERE agent IS NOT NULL",
		DB_ARGS(args), &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0) {
		int64_t queued = db_int(&rows, 1);
		bool more = queued > QUEUE_COUNTED;

		each(db_text(&rows, 0), more ? QUEUE_COUNTED : queued, more, data);
	}
	return r < 0 ? r : 0;
}

int queue_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};

	return db_exec_count(db,
			     "DELETE FROM queue WHERE key IN (SELECT key FROM queue"
			     " WHERE done_at < $1 AND state IN ('delivered', 'failed')"
			     " ORDER BY done_at LIMIT $2)",
			     DB_ARGS(args), ret, err);
}
