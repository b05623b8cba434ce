/*
 * slot.c: the ledger as rows. The unique key over reminder, generation and nominal instant is what
 * makes a second fire of the same occurrence impossible; ERR_CONFLICT here is that refusal.
 */
#include "store/slot.h"

#include "store/driver.h"
#include "store/row.h"

#define COLUMNS                                                                                    \
	"key, reminder, generation, nominal, first_nominal, occurrences, more, outcome, reason,"   \
	" decided_at, lateness, missed_before, attempts, verdict, verdict_detail, again_at,"       \
	" ordered"
#define SLOT "SELECT " COLUMNS ", early FROM slots"

void slot_free(struct slot *s)
{
	if (!s)
		return;
	free(s->reason);
	free(s->verdict_detail);
	free(s);
}

static int read_row(const struct db_rows *rows, struct slot **ret, struct error *err)
{
	AUTO(slot_free) struct slot *s = mem_zalloc(sizeof(*s));
	struct row row = {.rows = rows};

	s->key = row_int(&row);
	s->reminder = row_int(&row);
	s->generation = row_int(&row);
	s->nominal = row_int(&row);
	s->first_nominal = row_int(&row);
	s->occurrences = row_int(&row);
	s->more = row_int(&row) != 0;
	s->outcome = row_word(&row, outcome_of);
	s->reason = row_text(&row);
	s->decided_at = row_int(&row);
	s->lateness = row_int(&row);
	s->missed_before = row_int(&row);
	s->attempts = row_int(&row);
	s->verdict = row_word(&row, verdict_of);
	s->verdict_detail = row_text(&row);
	s->again_at = row_time(&row);
	s->ordered = row_int(&row) != 0;
	s->early = row_int(&row);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "slot '%lld' is damaged in the store",
				 (long long)s->key);
	*ret = steal_ptr(&s);
	return 0;
}

DEFINE_ROW_LISTS(slot)

int slot_insert(struct db *db, struct slot *s, struct error *err)
{
	static const char sql[] =
		"INSERT INTO slots (" COLUMNS ") VALUES"
		" ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
	struct db_value args[] = {
		DB_NULL,
		DB_INT(s->reminder),
		DB_INT(s->generation),
		DB_INT(s->nominal),
		DB_INT(s->first_nominal),
		DB_INT(s->occurrences),
		DB_INT(s->more),
		DB_TEXT(outcome_word(s->outcome)),
		DB_TEXT(s->reason),
		DB_INT(s->decided_at),
		DB_INT(s->lateness),
		DB_INT(s->missed_before),
		DB_INT(s->attempts),
		DB_TEXT(verdict_word(s->verdict)),
		DB_TEXT(s->verdict_detail),
		DB_NULL, /* nothing begins by waiting */
		DB_INT(s->ordered),
	};

	int r = db_insert(db, DB_SEQUENCE_SLOTS, sql, DB_ARGS(args), &s->key, NULL, err);

	if (r == 0)
		db->last_slot = s->key;
	return r;
}

int64_t slot_last_inserted(const struct db *db)
{
	return db->last_slot;
}

int slot_newest(struct db *db, int64_t *ret, struct error *err)
{
	int r;

	*ret = 0;
	r = row_ask_int(db, "SELECT coalesce(max(key), 0) FROM slots", DB_NO_ARGS, ret, err);
	return r < 0 ? r : 0;
}

int slot_update(struct db *db, const struct slot *s, struct error *err)
{
	struct db_value args[] = {
		DB_INT(s->key),
		DB_TEXT(outcome_word(s->outcome)),
		DB_TEXT(s->reason),
		DB_INT(s->decided_at),
		DB_INT(s->attempts),
		DB_TEXT(verdict_word(s->verdict)),
		DB_TEXT(s->verdict_detail),
		DB_INT(s->lateness),
		DB_TIME(s->outcome == OUTCOME_CHECKING && s->again_at ? s->again_at : USEC_NONE),
		DB_INT(s->ordered),
	};

	return db_exec(
		db,
		"UPDATE slots SET outcome = $2, reason = $3, decided_at = $4, attempts = $5,"
		" verdict = $6, verdict_detail = $7, lateness = $8, again_at = $9, ordered = $10"
		" WHERE key = $1",
		DB_ARGS(args), err);
}

int slot_get(struct db *db, int64_t key, struct slot **ret, struct error *err)
{
	AUTO(slot_free) struct slot *s = NULL;
	struct db_value args[] = {DB_INT(key)};
	int r = query_one(db, SLOT " WHERE key = $1", DB_ARGS(args), &s, err);

	if (r == 0 && !s)
		r = error_set(err, ERR_NOT_FOUND, "no slot with key '%lld'", (long long)key);
	if (r == 0)
		*ret = steal_ptr(&s);
	return r;
}

int slot_list(struct db *db, int64_t reminder, int64_t before, int limit, struct slot_list *ret,
	      struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(before ? before : INT64_MAX),
				  DB_INT(limit)};

	return query_list(db,
			  SLOT " WHERE reminder = $1 AND key < $2"
			       " ORDER BY key DESC LIMIT $3",
			  DB_ARGS(args), ret, err);
}

/*
 * On PostgreSQL a dead daemon's last commit may still be under way when the next one recovers: a
 * server goes on with what it was sent. Claiming the rows waits for it and sees what it decided.
 */
#define CHECKING SLOT " WHERE outcome = 'checking' ORDER BY key"

int slot_list_checking(struct db *db, struct slot_list *ret, struct error *err)
{
	const char *sql = db_kind(db) == DB_POSTGRES ? CHECKING " FOR UPDATE" : CHECKING;

	return query_list(db, sql, DB_NO_ARGS, ret, err);
}

int slot_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};

	return db_exec_count(db,
			     "DELETE FROM slots WHERE key IN (SELECT key FROM slots"
			     " WHERE decided_at < $1 AND outcome <> 'checking'"
			     " AND outcome <> 'running' ORDER BY decided_at LIMIT $2)",
			     DB_ARGS(args), ret, err);
}

int slot_free_instant(struct db *db, int64_t reminder, int64_t generation, usec_t *nominal,
		      struct error *err)
{
	static const char sql[] =
		"SELECT nominal FROM slots WHERE reminder = $1 AND generation = $2"
		" AND nominal = $3";
	int64_t taken;
	int r;

	do {
		struct db_value args[] = {DB_INT(reminder), DB_INT(generation), DB_INT(*nominal)};

		r = row_ask_int(db, sql, DB_ARGS(args), &taken, err);
		*nominal += r > 0;
	} while (r > 0);
	return r;
}

/* --- a clock that was ahead ---------------------------------------------------------------- */

#define OF_GENERATION " WHERE reminder = $1 AND generation = $2"
/* What a mission was ordered for is never taken back, also when it never ran or was removed. */
#define DONE "(outcome NOT IN ('missed', 'skipped', 'cancelled') OR ordered = 1)"
#define NOTHING_DONE " AND NOT " DONE
/*
 * Snoozed by the right clock. Its time alone does not tell: a verdict that came after a small step
 * back was decided before the occurrence, too.
 */
#define CHOSEN "(decided_at <= $3 AND outcome = 'skipped' AND attempts = 0)"

/* The key is a generation that no other row has. */
int slot_take_back(struct db *db, int64_t reminder, int64_t generation, usec_t now, usec_t ahead,
		   struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(generation), DB_INT(now), DB_INT(ahead)};

	return db_exec(db,
		       "UPDATE slots SET generation = -key, early = $4" OF_GENERATION
		       " AND nominal > $3 AND first_nominal > $3 AND NOT " CHOSEN NOTHING_DONE,
		       DB_ARGS(args), err);
}

int slot_mark_early(struct db *db, int64_t reminder, int64_t generation, usec_t now, usec_t ahead,
		    struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(generation), DB_INT(now), DB_INT(ahead)};

	return db_exec(db,
		       "UPDATE slots SET early = $4, missed_before = 0" OF_GENERATION
		       " AND nominal > $3 AND NOT " CHOSEN " AND early IS NULL AND " DONE,
		       DB_ARGS(args), err);
}

int slot_cut(struct db *db, int64_t reminder, int64_t generation, usec_t now, struct slot **ret,
	     struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(generation), DB_INT(now)};

	return query_one(db,
			 SLOT OF_GENERATION " AND nominal > $3 AND first_nominal <= $3"
					    " AND NOT " CHOSEN NOTHING_DONE " LIMIT 1",
			 DB_ARGS(args), ret, err);
}

int slot_shorten(struct db *db, const struct slot *s, struct error *err)
{
	struct db_value args[] = {DB_INT(s->key), DB_INT(s->nominal), DB_INT(s->occurrences),
				  DB_INT(s->more), DB_INT(s->lateness)};

	return db_exec(db,
		       "UPDATE slots SET nominal = $2, occurrences = $3, more = $4, lateness = $5"
		       " WHERE key = $1",
		       DB_ARGS(args), err);
}

/* The one time that is asked for, which may be NULL. */
static int ask_time(struct db *db, const char *sql, const struct db_value *args, size_t count,
		    usec_t *ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct row row = {.rows = &rows};
	int r = db_query(db, sql, args, count, &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	*ret = r ? row_time(&row) : USEC_NONE;
	return 0;
}

int slot_first_after(struct db *db, int64_t reminder, int64_t generation, usec_t after, usec_t *ret,
		     struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(generation), DB_INT(after)};

	return ask_time(db, "SELECT min(nominal) FROM slots" OF_GENERATION " AND nominal > $3",
			DB_ARGS(args), ret, err);
}

int slot_last_ahead(struct db *db, int64_t reminder, int64_t generation, usec_t now, usec_t *ret,
		    struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(generation), DB_INT(now)};

	return ask_time(db,
			"SELECT max(nominal) FROM slots" OF_GENERATION
			" AND nominal > $3 AND early IS NULL AND " CHOSEN,
			DB_ARGS(args), ret, err);
}

int slot_latest_decision(struct db *db, usec_t *ret, struct error *err)
{
	return ask_time(db, "SELECT max(decided_at) FROM slots", DB_NO_ARGS, ret, err);
}

int slot_each_early(struct db *db, usec_t since, void (*each)(const char *name, void *data),
		    void *data, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct db_value args[] = {DB_INT(since)};
	int r = db_query(db,
			 "SELECT COALESCE(name, id) FROM reminders WHERE key IN (SELECT reminder"
			 " FROM slots WHERE decided_at > $1 AND early IS NOT NULL) ORDER BY key",
			 DB_ARGS(args), &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0)
		each(db_text(&rows, 0), data);
	return r < 0 ? r : 0;
}

int slot_count_silent(struct db *db, usec_t now, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(SILENT_LOOKED_AT)};
	/* A turn asks this, so not every reminder is looked at: those that wait longest. */
	int r = row_ask_int(db,
			    "SELECT count(*) FROM (SELECT key, generation, cursor, schedule_kind"
			    " FROM reminders WHERE due_at > $1 AND due_at IS NOT NULL"
			    " AND batch IS NULL ORDER BY due_at DESC, key DESC LIMIT $2) AS far"
			    " WHERE cursor > $1 AND schedule_kind NOT IN ('at', 'idle')"
			    " AND NOT EXISTS (SELECT 1 FROM slots WHERE reminder = far.key"
			    " AND slots.generation = far.generation"
			    " AND nominal = far.cursor AND decided_at <= $1)",
			    DB_ARGS(args), ret, err);

	return r < 0 ? r : 0;
}
