/*
 * reminder.c: reminders as rows.
 * Every query a person or the timer can cause leaves out rows whose import is not complete (batch
 * is not NULL). "batch IS NULL" and "due_at IS NOT NULL" are spelt out where the partial indexes
 * need them: neither planner infers the one, and only one of them the other.
 */
#include "store/reminder.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "store/driver.h"
#include "store/reminder-row.h"
#include "store/row.h"
#include "store/tally.h"

#define ID_BLOCK_LETTERS 3
#define ID_BLOCK_SIZE 8000 /* of 46,656: few are tried twice */
#define ID_LETTERS 6
#define ID_TRIES 16

#define COLUMNS REMINDER_COLUMNS
#define LIVE REMINDER_LIVE

void reminder_free(struct reminder *r)
{
	if (!r)
		return;
	free(r->name);
	free(r->agent);
	free(r->message);
	free(r->schedule_kind);
	free(r->schedule);
	free(r->zone);
	free(r->zone_source);
	free(r->condition);
	free(r->end_reason);
	free(r->owner);
	free(r->targets);
	free(r->session);
	free(r->transcript);
	free(r);
}

static void read_when(struct row *row, struct reminder *r)
{
	r->schedule_kind = row_text(row);
	r->schedule = row_text(row);
	r->zone = row_text(row);
	r->zone_source = row_text(row);
	r->anchor = row_time(row);
	r->count_max = row_int(row);
	r->until = row_time(row);
	r->catchup = row_word(row, catchup_of);
	r->catchup_max = row_int(row);
	r->start_deadline = row_int(row);
	r->jitter = row_int(row);
}

static void read_if(struct row *row, struct reminder *r)
{
	r->condition_kind = row_word(row, condition_of);
	r->condition = row_text(row);
	r->mode = row_word(row, mode_of);
	r->condition_limit = row_int(row);
}

static void read_state(struct row *row, struct reminder *r)
{
	r->status = row_word(row, status_of);
	r->end_reason = row_text(row);
	r->generation = row_int(row);
	r->cursor = row_time(row);
	r->nominal_at = row_time(row);
	r->due_at = row_time(row);
	r->open_slot = row_int(row);
	r->fire_count = row_int(row);
	r->last_fired_at = row_time(row);
	r->created_at = row_time(row);
	r->updated_at = row_time(row);
	r->ended_at = row_time(row);
	r->batch = row_int(row);
}

static void read_whose(struct row *row, struct reminder *r)
{
	r->owner = row_text(row);
	r->trust = row_word(row, trust_of);
	r->targets = row_text(row);
	r->session = row_text(row);
	r->transcript = row_text(row);
	r->made_by = row_int(row);
	r->persons = row_int(row);
}

static int read_row(const struct db_rows *rows, struct reminder **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = mem_zalloc(sizeof(*r));
	struct row row = {.rows = rows};

	r->key = row_int(&row);
	snprintf(r->id, sizeof(r->id), "%s", db_text(rows, row.column++));
	r->name = row_text(&row);
	r->agent = row_text(&row);
	r->message = row_text(&row);
	r->priority = row_word(&row, priority_of);
	r->source = row_word(&row, source_of);
	r->action = row_word(&row, action_of);
	r->fallback = row_word(&row, fallback_of);
	read_when(&row, r);
	read_if(&row, r);
	read_state(&row, r);
	read_whose(&row, r);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "reminder '%s' is damaged in the store", r->id);
	*ret = steal_ptr(&r);
	return 0;
}

DEFINE_ROW_LISTS(reminder)

int reminder_query_list(struct db *db, const char *sql, const struct db_value *args, size_t count,
			struct reminder_list *ret, struct error *err)
{
	return query_list(db, sql, args, count, ret, err);
}

/* 1 and r->key, or 0 when the id is taken. */
static int insert_row(struct db *db, struct reminder *r, struct error *err)
{
	static const char sql[] =
		"INSERT INTO reminders (" COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,"
		" $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,"
		" $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, "
		"$42, $43, $44)"
		" ON CONFLICT (id) DO NOTHING";
	struct db_value args[] = {
		DB_NULL,
		DB_TEXT(r->id),
		DB_TEXT(r->name),
		DB_TEXT(r->agent),
		DB_TEXT(r->message),
		DB_TEXT(priority_word(r->priority)),
		DB_TEXT(source_word(r->source)),
		DB_TEXT(action_word(r->action)),
		DB_TEXT(fallback_word(r->fallback)),
		DB_TEXT(r->schedule_kind),
		DB_TEXT(r->schedule),
		DB_TEXT(r->zone),
		DB_TEXT(r->zone_source),
		DB_TIME(r->anchor),
		DB_INT(r->count_max),
		DB_TIME(r->until),
		DB_TEXT(catchup_word(r->catchup)),
		DB_INT(r->catchup_max),
		DB_INT(r->start_deadline),
		DB_INT(r->jitter),
		DB_TEXT(condition_word(r->condition_kind)),
		DB_TEXT(r->condition),
		DB_TEXT(mode_word(r->mode)),
		DB_INT(r->condition_limit),
		DB_TEXT(status_word(r->status)),
		DB_TEXT(r->end_reason),
		DB_INT(r->generation),
		DB_TIME(r->cursor),
		DB_TIME(r->nominal_at),
		DB_TIME(r->due_at),
		DB_KEY(r->open_slot),
		DB_INT(r->fire_count),
		DB_TIME(r->last_fired_at),
		DB_TIME(r->created_at),
		DB_TIME(r->updated_at),
		DB_TIME(r->ended_at),
		DB_KEY(r->batch),
		DB_TEXT(r->owner ? r->owner : "me"),
		/* Whoever says nothing of an owner is the person, who is trusted. */
		DB_TEXT(trust_word(r->owner ? r->trust : TRUST_FULL)),
		DB_TEXT(r->targets),
		DB_TEXT(r->session),
		DB_TEXT(r->transcript),
		DB_KEY(r->made_by),
		DB_KEY(r->persons),
	};
	int64_t key = 0, inserted = 0;
	int result = db_insert(db, DB_SEQUENCE_REMINDERS, sql, DB_ARGS(args), &key, &inserted, err);

	if (result < 0 || inserted == 0)
		return result;
	r->key = key;
	return 1;
}

/*
 * Any id will do for one reminder. Those of an import share their first letters by the thousand, so
 * that a million of them are written side by side and not each onto a page of its own.
 */
static void make_id(int64_t batch, char *ret)
{
	static char block[ID_BLOCK_LETTERS + 3];
	static int64_t block_batch, used;

	if (!batch) {
		random_id("r-", ID_LETTERS, ret);
		return;
	}
	if (batch != block_batch || used++ % ID_BLOCK_SIZE == 0) {
		random_id("r-", ID_BLOCK_LETTERS, block);
		block_batch = batch;
	}
	random_id(block, ID_LETTERS - ID_BLOCK_LETTERS, ret);
}

int reminder_insert(struct db *db, struct reminder *r, struct error *err)
{
	int tries = r->id[0] ? 1 : ID_TRIES, done = 0;
	bool made = !r->id[0];

	for (; done == 0 && tries > 0; tries--) {
		if (made)
			make_id(r->batch, r->id);
		done = insert_row(db, r, err);
	}
	if (done == 0)
		error_set(err, ERR_CONFLICT, "reminder '%s' already exists", r->id);
	if (done > 0 && !r->batch && tally_new(db, r->agent, r->status, err) < 0)
		done = err->code;
	if (done <= 0 && made)
		r->id[0] = '\0';
	return done > 0 ? 0 : err->code;
}

int reminder_update(struct db *db, const struct reminder *r, struct error *err)
{
	static const char sql[] =
		"UPDATE reminders SET name = $2, agent = $3, message = $4, priority = $5,"
		" schedule_kind = $6, schedule = $7, zone = $8, zone_source = $9, anchor = $10,"
		" count_max = $11, until = $12, catchup = $13, catchup_max = $14,"
		" start_deadline = $15, jitter = $16, condition_kind = $17, condition = $18,"
		" mode = $19, condition_limit = $20, status = $21, end_reason = $22,"
		" generation = $23, cursor = $24, nominal_at = $25, due_at = $26, open_slot = $27,"
		" fire_count = $28, last_fired_at = $29, updated_at = $30, ended_at = $31,"
		" action = $32, fallback = $33, made_by = $34, persons = $35"
		" WHERE key = $1";
	struct db_value args[] = {
		DB_INT(r->key),
		DB_TEXT(r->name),
		DB_TEXT(r->agent),
		DB_TEXT(r->message),
		DB_TEXT(priority_word(r->priority)),
		DB_TEXT(r->schedule_kind),
		DB_TEXT(r->schedule),
		DB_TEXT(r->zone),
		DB_TEXT(r->zone_source),
		DB_TIME(r->anchor),
		DB_INT(r->count_max),
		DB_TIME(r->until),
		DB_TEXT(catchup_word(r->catchup)),
		DB_INT(r->catchup_max),
		DB_INT(r->start_deadline),
		DB_INT(r->jitter),
		DB_TEXT(condition_word(r->condition_kind)),
		DB_TEXT(r->condition),
		DB_TEXT(mode_word(r->mode)),
		DB_INT(r->condition_limit),
		DB_TEXT(status_word(r->status)),
		DB_TEXT(r->end_reason),
		DB_INT(r->generation),
		DB_TIME(r->cursor),
		DB_TIME(r->nominal_at),
		DB_TIME(r->due_at),
		DB_KEY(r->open_slot),
		DB_INT(r->fire_count),
		DB_TIME(r->last_fired_at),
		DB_TIME(r->updated_at),
		DB_TIME(r->ended_at),
		DB_TEXT(action_word(r->action)),
		DB_TEXT(fallback_word(r->fallback)),
		DB_KEY(r->made_by),
		DB_KEY(r->persons),
	};

	int result = tally_take(db, r->key, err);

	if (result < 0 || (result = db_exec(db, sql, DB_ARGS(args), err)) < 0)
		return result;
	return tally_put(db, r->key, err);
}

/*
 * A fire seldom changes the status, and SQLite rewrites the index of every column that is set, also
 * to the same value: half of what a fire costs. So there the status is first left alone where it is
 * the same. PostgreSQL writes all indexes anew in any case and would have to be waited for.
 */
#define SET_STATE(status)                                                                          \
	"UPDATE reminders SET end_reason = $3, generation = $4, cursor = $5, nominal_at = $6,"     \
	" due_at = $7, open_slot = $8, fire_count = $9, last_fired_at = $10, updated_at = $11,"    \
	" ended_at = $12" status

int reminder_update_state(struct db *db, const struct reminder *r, struct error *err)
{
	struct db_value args[] = {
		DB_INT(r->key),		DB_TEXT(status_word(r->status)),
		DB_TEXT(r->end_reason), DB_INT(r->generation),
		DB_TIME(r->cursor),	DB_TIME(r->nominal_at),
		DB_TIME(r->due_at),	DB_KEY(r->open_slot),
		DB_INT(r->fire_count),	DB_TIME(r->last_fired_at),
		DB_TIME(r->updated_at), DB_TIME(r->ended_at),
	};
	int64_t changed = 0;
	int result = 0;

	if (db_kind(db) == DB_SQLITE)
		result = db_exec_count(db, SET_STATE(" WHERE key = $1 AND status = $2"),
				       DB_ARGS(args), &changed, err);
	if (result < 0 || changed)
		return result;
	if ((result = tally_take(db, r->key, err)) < 0 ||
	    (result = db_exec(db, SET_STATE(", status = $2 WHERE key = $1"), DB_ARGS(args), err)) <
		    0)
		return result;
	return tally_put(db, r->key, err);
}

int reminder_get(struct db *db, int64_t key, struct reminder **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *one = NULL;
	struct db_value args[] = {DB_INT(key)};
	int r = query_one(db, "SELECT " COLUMNS " FROM reminders WHERE key = $1", DB_ARGS(args),
			  &one, err);

	if (r == 0 && !one)
		r = error_set(err, ERR_NOT_FOUND, "no reminder with key '%lld'", (long long)key);
	if (r == 0)
		*ret = steal_ptr(&one);
	return r;
}

int reminder_find_declared(struct db *db, const char *agent, const char *name,
			   struct reminder **ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(name), DB_TEXT(agent)};

	return query_one(db,
			 "SELECT " COLUMNS " FROM reminders WHERE name = $1 AND batch IS NULL"
			 " AND " LIVE " AND agent = $2 AND source IN ('role', 'config')"
			 " AND action = 'deliver' ORDER BY key LIMIT 1",
			 DB_ARGS(args), ret, err);
}

int reminder_find_ended(struct db *db, const struct reminder *like, struct reminder **ret,
			struct error *err)
{
	struct db_value args[] = {DB_TEXT(like->name), DB_TEXT(like->agent),
				  DB_TEXT(action_word(like->action))};

	return query_one(db,
			 "SELECT " COLUMNS " FROM reminders WHERE name = $1 AND batch IS NULL"
			 " AND status IN ('completed', 'cancelled') AND agent = $2"
			 " AND source IN ('role', 'config') AND action = $3"
			 " ORDER BY key DESC LIMIT 1",
			 DB_ARGS(args), ret, err);
}

/*
 * On PostgreSQL the rows are claimed as well: several nodes may ask at the same time, and each gets
 * others until it has committed.
 */
#define DUE                                                                                        \
	"SELECT " COLUMNS " FROM reminders WHERE due_at <= $1 AND due_at IS NOT NULL"              \
	" AND batch IS NULL ORDER BY due_at, key LIMIT $2"

int reminder_due(struct db *db, usec_t now, int limit, struct reminder_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? DUE " FOR UPDATE SKIP LOCKED" : DUE;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

int reminder_next_due(struct db *db, usec_t *ret, struct error *err)
{
	int64_t due = USEC_NONE;
	int r = row_ask_int(db,
			    "SELECT due_at FROM reminders WHERE due_at IS NOT NULL"
			    " AND batch IS NULL ORDER BY due_at LIMIT 1",
			    DB_NO_ARGS, &due, err);

	if (r < 0)
		return r;
	*ret = due;
	return 0;
}

int reminder_list_idle(struct db *db, const char *agent, struct reminder_list *ret,
		       struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM reminders WHERE agent = $1"
			  " AND schedule_kind = 'idle' AND batch IS NULL AND " LIVE " ORDER BY key",
			  DB_ARGS(args), ret, err);
}

int reminder_count(struct db *db, int64_t ret[4], struct error *err)
{
	return tally_of_status(db, ret, err);
}

int reminder_count_live(struct db *db, const char *agent, int64_t *ret, struct error *err)
{
	return tally_live(db, agent, ret, err);
}

int reminder_batch_show(struct db *db, int64_t batch, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(batch), DB_INT(limit)};
	int r = tally_put_batch(db, batch, limit, err);

	if (r < 0)
		return r;
	return db_exec_count(
		db, "UPDATE reminders SET batch = NULL WHERE key IN (" REMINDER_OF_BATCH ")",
		DB_ARGS(args), ret, err);
}

int reminder_batch_drop(struct db *db, int64_t batch, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(batch), DB_INT(limit)};

	return db_exec_count(db, "DELETE FROM reminders WHERE key IN (" REMINDER_OF_BATCH ")",
			     DB_ARGS(args), ret, err);
}

int reminder_batch_replacing(struct db *db, int64_t batch, int limit, struct reminder_list *ret,
			     struct error *err)
{
	struct db_value args[] = {DB_INT(batch), DB_INT(limit)};

	/* '.' comes after '-': the ids that begin so. */
	return reminder_query_list(db,
				   "SELECT " REMINDER_COLUMNS " FROM reminders WHERE batch = $1"
				   " AND id >= 'replaces-' AND id < 'replaces.' LIMIT $2",
				   DB_ARGS(args), ret, err);
}

int reminder_batch_forget(struct db *db, int64_t key, struct error *err)
{
	struct db_value args[] = {DB_INT(key)};

	return db_exec(db, "DELETE FROM reminders WHERE key = $1 AND batch IS NOT NULL",
		       DB_ARGS(args), err);
}

int reminder_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};
	int r = tally_take_ended(db, before, limit, err);

	if (r < 0)
		return r;
	return db_exec_count(db, "DELETE FROM reminders WHERE key IN (" REMINDER_ENDED ")",
			     DB_ARGS(args), ret, err);
}
