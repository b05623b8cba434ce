/*
 * mission.c: missions as rows.
 * A mission outlives its reminder and its slot: it remembers the first by number and name, and the
 * second until that is pruned. The unique index over slots is what makes a second mission for the
 * same occurrence impossible; ERR_CONFLICT here is that refusal.
 */
#include "store/mission.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "store/driver.h"
#include "store/mail-row.h"
#include "store/row.h"

#define ID_LETTERS 6
#define ID_TRIES 16

#define COLUMNS                                                                                    \
	"key, id, reminder, slot, door, origin, agent, prompt, git, phase, outcome, reason,"       \
	" stop_reason, nominal, ready_at, wait_until, time_limit, max_attempts, retry_on,"         \
	" backoff, attempts, runs, session, cost, created_at, started_at, ended_at, archived_at,"  \
	" owner, trust, made_by, denied"

void mission_free(struct mission *m)
{
	if (!m)
		return;
	free(m->origin);
	free(m->agent);
	free(m->prompt);
	free(m->git);
	free(m->reason);
	free(m->stop_reason);
	free(m->session);
	free(m->owner);
	free(m);
}

static void read_what(struct row *row, struct mission *m)
{
	m->reminder = row_int(row);
	m->slot = row_int(row);
	m->door = row_word(row, door_of);
	m->origin = row_text(row);
	m->agent = row_text(row);
	m->prompt = row_text(row);
	m->git = row_text(row);
}

static void read_state(struct row *row, struct mission *m)
{
	m->phase = row_word(row, phase_of);
	m->outcome = row_word(row, ending_of);
	m->reason = row_text(row);
	m->stop_reason = row_text(row);
	m->nominal = row_int(row);
	m->ready_at = row_time(row);
	m->wait_until = row_time(row);
	m->time_limit = row_int(row);
	m->max_attempts = row_int(row);
	m->retry_on = row_int(row);
	m->backoff = row_int(row);
	m->attempts = row_int(row);
	m->runs = row_int(row);
	m->session = row_text(row);
	m->cost = row_int(row);
	m->created_at = row_int(row);
	m->started_at = row_time(row);
	m->ended_at = row_time(row);
	m->archived_at = row_time(row);
	m->owner = row_text(row);
	m->trust = row_word(row, trust_of);
	m->made_by = row_int(row);
	m->denied = row_int(row);
}

static int read_row(const struct db_rows *rows, struct mission **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = mem_zalloc(sizeof(*m));
	struct row row = {.rows = rows};

	m->key = row_int(&row);
	snprintf(m->id, sizeof(m->id), "%s", db_text(rows, row.column++));
	read_what(&row, m);
	read_state(&row, m);
	if (row.damaged)
		return error_set(err, ERR_SYSTEM, "mission '%s' is damaged in the store", m->id);
	*ret = steal_ptr(&m);
	return 0;
}

DEFINE_ROW_LISTS(mission)

/* 1 and m->key, or 0 when the id is taken. */
static int insert_row(struct db *db, struct mission *m, struct error *err)
{
	static const char sql[] = "INSERT INTO missions (" COLUMNS ") VALUES ($1, $2, $3, $4, $5,"
				  " $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,"
				  " $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29,"
				  " $30, $31, $32)"
				  " ON CONFLICT (id) DO NOTHING";
	struct db_value args[] = {
		DB_NULL,
		DB_TEXT(m->id),
		DB_KEY(m->reminder),
		DB_KEY(m->slot),
		DB_TEXT(door_word(m->door)),
		DB_TEXT(m->origin),
		DB_TEXT(m->agent),
		DB_TEXT(m->prompt),
		DB_TEXT(m->git),
		DB_TEXT(phase_word(m->phase)),
		DB_TEXT(ending_word(m->outcome)),
		DB_TEXT(m->reason),
		DB_TEXT(m->stop_reason),
		DB_INT(m->nominal),
		DB_TIME(m->ready_at),
		DB_TIME(m->wait_until),
		DB_INT(m->time_limit),
		DB_INT(m->max_attempts),
		DB_INT(m->retry_on),
		DB_INT(m->backoff),
		DB_INT(m->attempts),
		DB_INT(m->runs),
		DB_TEXT(m->session),
		DB_INT(m->cost),
		DB_INT(m->created_at),
		DB_TIME(m->started_at),
		DB_TIME(m->ended_at),
		DB_TIME(m->archived_at),
		DB_TEXT(m->owner ? m->owner : "me"),
		DB_TEXT(trust_word(m->owner ? m->trust : TRUST_FULL)),
		DB_KEY(m->made_by),
		DB_KEY(m->denied),
	};
	int64_t key = 0, inserted = 0;
	int r = db_insert(db, DB_SEQUENCE_MISSIONS, sql, DB_ARGS(args), &key, &inserted, err);

	if (r < 0 || inserted == 0)
		return r;
	m->key = key;
	return 1;
}

int mission_insert(struct db *db, struct mission *m, struct error *err)
{
	bool made = m->id[0] == '\0';
	int tries = made ? ID_TRIES : 1, done = 0;

	for (; done == 0 && tries > 0; tries--) {
		if (made)
			random_id("mis-", ID_LETTERS, m->id);
		done = insert_row(db, m, err);
	}
	if (done == 0)
		error_set(err, ERR_CONFLICT, "mission '%s' already exists", m->id);
	if (done <= 0 && made)
		m->id[0] = '\0';
	return done > 0 ? 0 : err->code;
}

int mission_update(struct db *db, const struct mission *m, struct error *err)
{
	struct db_value args[] = {
		DB_INT(m->key),
		DB_TEXT(phase_word(m->phase)),
		DB_TEXT(ending_word(m->outcome)),
		DB_TEXT(m->reason),
		DB_TEXT(m->stop_reason),
		DB_INT(m->nominal),
		DB_TIME(m->ready_at),
		DB_TIME(m->wait_until),
		DB_INT(m->time_limit),
		DB_INT(m->max_attempts),
		DB_INT(m->retry_on),
		DB_INT(m->backoff),
		DB_INT(m->attempts),
		DB_INT(m->runs),
		DB_TEXT(m->session),
		DB_INT(m->cost),
		DB_TIME(m->started_at),
		DB_TIME(m->ended_at),
		DB_TIME(m->archived_at),
		DB_KEY(m->denied),
	};

	return db_exec(db,
		       "UPDATE missions SET phase = $2, outcome = $3, reason = $4,"
		       " stop_reason = $5, nominal = $6, ready_at = $7, wait_until = $8,"
		       " time_limit = $9, max_attempts = $10, retry_on = $11, backoff = $12,"
		       " attempts = $13, runs = $14, session = $15, cost = $16, started_at = $17,"
		       " ended_at = $18, archived_at = $19, denied = $20 WHERE key = $1",
		       DB_ARGS(args), err);
}

int mission_get(struct db *db, int64_t key, struct mission **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	struct db_value args[] = {DB_INT(key)};
	int r = query_one(db, "SELECT " COLUMNS " FROM missions WHERE key = $1", DB_ARGS(args), &m,
			  err);

	if (r == 0 && !m)
		r = error_set(err, ERR_NOT_FOUND, "no mission with key '%lld'", (long long)key);
	if (r == 0)
		*ret = steal_ptr(&m);
	return r;
}

#define EXACT(owned) "SELECT key, id FROM missions WHERE id = $1" owned
#define PREFIX(owned)                                                                              \
	"SELECT key, id FROM missions WHERE id >= $1 AND id <= $2" owned " ORDER BY id LIMIT 6"

int mission_find_of(struct db *db, const char *owner, const char *ref, struct mission **ret,
		    struct error *err)
{
	static const char *const exact[] = {EXACT(""), EXACT(" AND owner = $2")};
	static const char *const prefix[] = {PREFIX(""), PREFIX(" AND owner = $3"),
					     PREFIX(" AND owner = $3 AND owner <> 'me'")};
	int whose = !owner ? 0 : strcmp(owner, "me") == 0 ? 1 : 2;
	int64_t key = 0;
	int r = row_find_of(db, owner, exact[owner != NULL], prefix[whose], ref, &key, err);

	if (r == 0) {
		error_set(err, ERR_NOT_FOUND, "no mission '%s'", ref);
		return error_hint(err, "'belfry mission ls --all' shows them all");
	}
	return r < 0 ? r : mission_get(db, key, ret, err);
}

int mission_find(struct db *db, const char *ref, struct mission **ret, struct error *err)
{
	return mission_find_of(db, NULL, ref, ret, err);
}

int mission_of_id(struct db *db, const char *id, struct mission **ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(id)};

	return query_one(db, "SELECT " COLUMNS " FROM missions WHERE id = $1", DB_ARGS(args), ret,
			 err);
}

int mission_of_slot(struct db *db, int64_t slot, struct mission **ret, struct error *err)
{
	struct db_value args[] = {DB_INT(slot)};

	return query_one(db, "SELECT " COLUMNS " FROM missions WHERE slot = $1", DB_ARGS(args), ret,
			 err);
}

int mission_delete(struct db *db, int64_t key, struct error *err)
{
	struct db_value args[] = {DB_INT(key)};
	int r = search_forget(db,
			      SEARCH_FORGET("SELECT key FROM messages WHERE thread IN"
					    " (SELECT key FROM threads WHERE mission = $1)"),
			      DB_ARGS(args), err);

	return r < 0 ? r : db_exec(db, "DELETE FROM missions WHERE key = $1", DB_ARGS(args), err);
}

/*
 * A comparison comes before the test for NULL, since PostgreSQL takes the type of a parameter from
 * its first use. What is open is found by its own index, however long the history is; and so is what
 * belongs to others than the person.
 */
#define PAGE(owned, more)                                                                          \
	"SELECT " COLUMNS " FROM missions WHERE key < $1 AND phase <> 'removing'"                  \
	" AND (agent = $3 OR $3 IS NULL) AND (door = $4 OR $4 IS NULL)"                            \
	" AND (archived_at IS NULL OR $5 = 1)" owned more " ORDER BY key DESC LIMIT $2"
#define OPEN " AND key IN (SELECT key FROM missions WHERE phase <> 'ended')"
#define ENDED " AND phase = 'ended'"
#define OF_ORIGIN " AND origin = $7"
#define OF_REMINDER " AND reminder = $7 AND (origin = $8 OR $8 IS NULL)"
#define OF_ANYBODY " AND (owner = $6 OR $6 IS NULL)"
#define OF_OTHER " AND owner = $6 AND owner <> 'me'"
#define STATES(owned, more)                                                                        \
	{                                                                                          \
		PAGE(owned, more), PAGE(owned, more OPEN), PAGE(owned, more ENDED)                 \
	}
#define PAGES(owned)                                                                               \
	{                                                                                          \
		STATES(owned, ""), STATES(owned, OF_ORIGIN), STATES(owned, OF_REMINDER)            \
	}

int mission_list(struct db *db, const struct mission_filter *f, struct mission_list *ret,
		 struct error *err)
{
	static const char *const texts[2][3][3] = {PAGES(OF_ANYBODY), PAGES(OF_OTHER)};
	bool other = f->owner && strcmp(f->owner, "me") != 0;
	int by = f->reminder ? 2 : f->origin ? 1 : 0;
	int in = f->open_only ? 1 : f->ended_only ? 2 : 0;
	struct db_value args[] = {
		DB_INT(f->before ? f->before : INT64_MAX),
		DB_INT(f->limit),
		DB_TEXT(f->agent),
		DB_TEXT(f->door < 0 ? NULL : door_word((enum door)f->door)),
		DB_INT(f->archived),
		DB_TEXT(f->owner),
		f->reminder ? DB_INT(f->reminder) : DB_TEXT(f->origin),
		DB_TEXT(f->origin),
	};

	return query_list(db, texts[other][by][in], args, 6 + (size_t)by, ret, err);
}

/* Claimed on PostgreSQL, as reminder_due() does. */
#define READY                                                                                      \
	"SELECT " COLUMNS " FROM missions WHERE phase = 'waiting' AND ready_at <= $1"              \
	" ORDER BY nominal, key LIMIT $2"

int mission_ready(struct db *db, usec_t now, int limit, struct mission_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? READY " FOR UPDATE SKIP LOCKED" : READY;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

/* Claimed likewise. */
#define EXPIRED                                                                                    \
	"SELECT " COLUMNS " FROM missions WHERE wait_until <= $1 AND wait_until IS NOT NULL"       \
	" AND phase IN ('waiting', 'behind') ORDER BY wait_until, key LIMIT $2"

int mission_expired(struct db *db, usec_t now, int limit, struct mission_list *ret,
		    struct error *err)
{
	struct db_value args[] = {DB_INT(now), DB_INT(limit)};
	const char *sql = db_kind(db) == DB_POSTGRES ? EXPIRED " FOR UPDATE SKIP LOCKED" : EXPIRED;

	return query_list(db, sql, DB_ARGS(args), ret, err);
}

int mission_next(struct db *db, usec_t now, usec_t *ret_ready, usec_t *ret_until, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct row row = {.rows = &rows};
	struct db_value args[] = {DB_INT(now)};
	int r = db_query(db,
			 "SELECT (SELECT ready_at FROM missions WHERE phase = 'waiting'"
			 " AND ready_at > $1 ORDER BY ready_at LIMIT 1),"
			 " (SELECT wait_until FROM missions WHERE wait_until IS NOT NULL"
			 " AND phase IN ('waiting', 'behind') ORDER BY wait_until LIMIT 1)",
			 DB_ARGS(args), &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	*ret_ready = row_time(&row);
	*ret_until = row_time(&row);
	return 0;
}

/* By their open runs: there are never more of those than run. */
#define RUNNING                                                                                    \
	"SELECT count(*) FROM runs JOIN missions ON missions.key = mission"                        \
	" WHERE finished_at IS NULL AND kind <> 'interactive' AND phase IN ('starting', "          \
	"'running')"

int mission_count_running(struct db *db, const char *agent, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(agent)};
	int r = agent ? row_ask_int(db, RUNNING " AND agent = $1", DB_ARGS(args), ret, err)
		      : row_ask_int(db, RUNNING, DB_NO_ARGS, ret, err);

	return r < 0 ? r : 0;
}

int mission_open_of(struct db *db, int64_t reminder, struct mission_list *ret, struct error *err)
{
	struct db_value args[] = {DB_INT(reminder)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM missions WHERE reminder = $1"
			  " AND phase <> 'ended' AND phase <> 'removing' ORDER BY key",
			  DB_ARGS(args), ret, err);
}

/* Claimed on PostgreSQL, as slot_list_checking() does. */
#define IN_PHASE(more) "SELECT " COLUMNS " FROM missions WHERE phase = $1" more " ORDER BY key"

int mission_in_phase(struct db *db, enum phase phase, struct mission_list *ret, struct error *err)
{
	static const char *const texts[2][2] = {
		[DB_SQLITE] = {IN_PHASE(" AND phase <> 'ended'"), IN_PHASE("")},
		[DB_POSTGRES] = {IN_PHASE(" AND phase <> 'ended'") " FOR UPDATE",
				 IN_PHASE("") " FOR UPDATE"},
	};
	struct db_value args[] = {DB_TEXT(phase_word(phase))};

	return query_list(db, texts[db_kind(db)][phase == PHASE_ENDED], DB_ARGS(args), ret, err);
}

int mission_surplus(struct db *db, int64_t reminder, int64_t keep, struct mission_list *ret,
		    struct error *err)
{
	struct db_value args[] = {DB_INT(reminder), DB_INT(keep), DB_INT(INT64_MAX)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM missions WHERE reminder = $1"
			  " AND phase = 'ended' AND archived_at IS NULL"
			  " ORDER BY key DESC LIMIT $3 OFFSET $2",
			  DB_ARGS(args), ret, err);
}

int mission_old(struct db *db, usec_t before, int limit, struct mission_list *ret,
		struct error *err)
{
	struct db_value args[] = {DB_INT(before), DB_INT(limit)};

	return query_list(db,
			  "SELECT " COLUMNS " FROM missions WHERE ended_at < $1"
			  " AND ended_at IS NOT NULL AND phase = 'ended'"
			  " AND NOT EXISTS (SELECT 1 FROM threads WHERE mission = missions.key"
			  " AND ((unread > 0 AND archived_at IS NULL) OR asks > 0 OR waiting > 0))"
			  " ORDER BY ended_at, key LIMIT $2",
			  DB_ARGS(args), ret, err);
}
