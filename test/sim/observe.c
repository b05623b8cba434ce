/*
 * observe.c: what the oracle looks at after every commit: cheap, over the reminders, and over the
 * slots that are new. What it finds here is kept for the great check of oracle.c.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"

static struct generation *current(struct memory *m)
{
	return &m->generations[m->generation_count - 1];
}

/* Those that are active now have to decide, in this turn, all that is due by now. */
void oracle_before_fire(struct world *w)
{
	for (size_t i = 0; i < w->model.count; i++) {
		struct memory *m = &w->model.reminders[i];

		if (m->seen && m->visible && m->status == STATUS_ACTIVE &&
		    w->now > current(m)->fire_seen)
			current(m)->fire_seen = w->now;
	}
}

/* --- a clock that was wrong ----------------------------------------------------------------- */

#define SMALL_STEP (5 * USEC_PER_MINUTE)
#define FIRST_YEAR ((usec_t)1767225600 * USEC_PER_SEC) /* no clock is right before 2026 */

void oracle_clock(struct world *w)
{
	w->clock_most = w->now > w->clock_most ? w->now : w->clock_most;
}

static usec_t lesser(usec_t a, usec_t b)
{
	return a < b ? a : b;
}

/* What it had decided by a clock that was ahead counts no more, but for what had fired. */
static void rewind_generation(const struct world *w, const struct memory *m, struct generation *g)
{
	struct spec *s = &g->spec;

	g->fire_seen = lesser(g->fire_seen, w->now);
	g->settled = lesser(g->settled, w->now);
	g->reached = lesser(g->reached, w->now);
	g->start = lesser(g->start, w->now);
	if (s->kind == SCHEDULE_EVERY && s->anchor > w->now)
		s->anchor -= (s->anchor - w->now + s->every - 1) / s->every * s->every;
	if (s->kind == SCHEDULE_RRULE && !s->starts && m->created > w->now &&
	    zone_instant(naive_zone(s->zone), s->dtstart) > w->now) {
		naive_anchor(s, w->now);
		g->rederived = true;
	}
}

static void come_back(struct world *w, struct memory *m, usec_t cursor)
{
	tell(w, "'%s' comes back from %lld", m->id, (long long)m->cursor);
	if (w->now < FIRST_YEAR || w->now >= w->clock_most - SMALL_STEP)
		broke(w, "K1: '%s' goes back, and the clock did not", m->id);
	if (cursor != w->now)
		broke(w, "K1: '%s' goes back to another time than now", m->id);
	w->came_back = true;
	rewind_generation(w, m, current(m));
}

/* The promise: after a clock came back, nothing waits for the wrong time to come again. */
static void check_silence(struct world *w, const struct memory *m)
{
	bool behind =
		w->looked && w->now < w->decided_most - 2 * SMALL_STEP && w->now >= FIRST_YEAR;

	if (behind && m->status == STATUS_ACTIVE && m->cursor > w->now &&
	    current((struct memory *)m)->spec.kind != SCHEDULE_AT)
		broke(w, "K1: '%s' is silent until %lld", m->id, (long long)m->cursor);
}

static usec_t time_at(const struct db_rows *rows, int column)
{
	return db_is_null(rows, column) ? USEC_NONE : db_int(rows, column);
}

/* As it was last seen. */
static bool ended_by_time(const struct memory *m)
{
	return strcmp(m->end_reason, "no occurrence is left") == 0 ||
	       strcmp(m->end_reason, "its only time has come") == 0;
}

static void check_status(struct world *w, const struct memory *m, enum status status)
{
	bool fine = status == m->wanted;

	if (m->wanted == STATUS_ACTIVE && status == STATUS_COMPLETED)
		fine = true;
	/* A clock that was ahead had ended it, and is back; in the same turn it may be removed. */
	if (m->status == STATUS_COMPLETED && ended_by_time(m) &&
	    (status == STATUS_ACTIVE || status == m->wanted) && w->now < w->clock_most - SMALL_STEP)
		return;
	if (m->seen && m->status != status &&
	    (m->status == STATUS_COMPLETED || m->status == STATUS_CANCELLED))
		fine = false;
	if (!fine)
		broke(w, "H4: '%s' was %s, is wanted %s, and is %s", m->id,
		      m->seen ? status_word(m->status) : "new", status_word(m->wanted),
		      status_word(status));
}

static void check_due(struct world *w, const struct memory *m, const struct db_rows *row)
{
	bool active = m->status == STATUS_ACTIVE;
	bool ended = m->status == STATUS_COMPLETED || m->status == STATUS_CANCELLED;

	if (!active && m->due_at != USEC_NONE)
		broke(w, "'%s' is %s and due", m->id, status_word(m->status));
	if (ended && (db_is_null(row, 9) || db_is_null(row, 10)))
		broke(w, "'%s' ended without a reason or a time", m->id);
	if (active && m->due_at == USEC_NONE && !m->open_slot)
		broke(w, "'%s' is active, waits for nothing and is never due", m->id);
	if (active && m->due_at != USEC_NONE &&
	    (m->due_at < m->nominal_at || m->due_at > m->nominal_at + m->jitter_most))
		broke(w, "'%s' is due before its nominal instant or after its jitter", m->id);
	if (active && m->visible && m->due_at != USEC_NONE &&
	    (w->wake == USEC_NONE || w->wake > m->due_at))
		broke(w, "'%s' is due before the engine wants to be woken", m->id);
}

/* Fires of one turn: by the catch-up, one by a verdict, one by `--now`. */
static void check_fires(struct world *w, const struct memory *m, int64_t fire_count)
{
	int64_t fires = fire_count - m->fire_count;
	int64_t most = m->catch_most + (m->open_slot ? 1 : 0);

	if (!m->seen) {
		fires = fire_count - m->fires_before;
		most = m->generations[0].extra != USEC_NONE;
	}
	if (fires < 0 || fires > most)
		broke(w, "'%s' fired %lld times in one turn, at most %lld are right", m->id,
		      (long long)fires, (long long)most);
	w->fires += fires;
}

static void check_batch(struct world *w, struct memory *m, bool visible)
{
	if (visible && (m->batch_state == BATCH_LOADING || m->batch_state == BATCH_DROPPING))
		broke(w, "an import that is not complete shows '%s'", m->id);
	if (!visible && m->batch_state == BATCH_NONE)
		broke(w, "'%s' became invisible", m->id);
	m->visible = visible;
	if (visible)
		m->batch_state = BATCH_NONE;
}

/*
 * Whether the engine went back before an edit ended this generation, in the same turn. A crash may have
 * lost what it had seen of the clock, so the time does not tell: a row ahead that is not marked does.
 */
static bool went_back(struct world *w, const struct memory *m)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	struct db_value args[] = {DB_INT(m->key), DB_INT(m->generation), DB_INT(w->now)};
	int rc;

	if (m->cursor <= w->now || !w->looked || w->now >= w->clock_most - SMALL_STEP ||
	    w->now < FIRST_YEAR)
		return false;
	rc = db_query(w->db,
		      "SELECT 1 FROM slots WHERE reminder = $1 AND generation = $2"
		      " AND nominal > $3 AND early IS NULL",
		      DB_ARGS(args), &rows, &err);
	if (rc >= 0)
		rc = db_rows_next(&rows, &err);
	if (rc < 0)
		broke(w, "cannot read slots: %s", err.message);
	return rc == 0;
}

static void observe_row(struct world *w, const struct db_rows *row, bool *found)
{
	struct memory *m = model_find(w, db_text(row, 1));
	enum status status = (enum status)status_of(db_text(row, 2));
	const char *why = db_text(row, 9);

	if (strcmp(db_text(row, 12), "config") == 0) /* oracle-mission.c looks at those */
		return;
	if (m && m->runs && m->wanted == STATUS_ACTIVE && status == STATUS_PAUSED && why &&
	    strncmp(why, "paused after", 12) == 0)
		m->wanted = STATUS_PAUSED;
	if (!m) {
		broke(w, "a reminder '%s' that nobody added", db_text(row, 1));
		return;
	}
	found[m - w->model.reminders] = true;
	check_status(w, m, status);
	check_fires(w, m, db_int(row, 8));
	check_batch(w, m, db_is_null(row, 11));
	m->key = db_int(row, 0);
	m->status = status;
	if (m->seen && m->generation == db_int(row, 3) && time_at(row, 4) < m->cursor)
		come_back(w, m, time_at(row, 4));
	if (m->seen && m->generation < db_int(row, 3) && went_back(w, m))
		rewind_generation(w, m, &m->generations[m->generation - 1]);
	m->generation = db_int(row, 3);
	m->cursor = time_at(row, 4);
	m->nominal_at = time_at(row, 5);
	m->due_at = time_at(row, 6);
	m->open_slot = db_int(row, 7);
	m->fire_count = db_int(row, 8);
	snprintf(m->end_reason, sizeof(m->end_reason), "%s",
		 db_is_null(row, 9) ? "" : db_text(row, 9));
	if (m->generation != (int64_t)m->generation_count)
		broke(w, "'%s' has generation %lld, not %zu", m->id, (long long)m->generation,
		      m->generation_count);
	m->seen = true;
	check_due(w, m, row);
	check_silence(w, m);
}

static void check_absent(struct world *w, const bool *found)
{
	for (size_t i = 0; i < w->model.count; i++) {
		struct memory *m = &w->model.reminders[i];
		bool may = m->batch_state == BATCH_DROPPING;

		if (found[i])
			continue;
		if (w->prunes && (m->status == STATUS_COMPLETED || m->status == STATUS_CANCELLED))
			may = true;
		if (!may)
			broke(w, "'%s' is gone", m->id);
		m->seen = false;
	}
}

/* A batch is shown as a whole. */
static void check_whole(struct world *w)
{
	for (size_t i = 0; i < w->model.count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct memory *a = &w->model.reminders[i];
			const struct memory *b = &w->model.reminders[j];

			if (a->batch && a->batch == b->batch && a->seen && b->seen &&
			    a->visible != b->visible)
				broke(w, "an import shows '%s' and not '%s'",
				      a->visible ? a->id : b->id, a->visible ? b->id : a->id);
		}
}

static void see_slot(struct world *w, const struct db_rows *row)
{
	const char *outcome = db_text(row, 4);
	bool goes_on = strcmp(outcome, "fired") == 0 || strcmp(outcome, "checking") == 0 ||
		       strcmp(outcome, "running") == 0;

	if (w->sighting_count == w->sighting_cap) {
		w->sighting_cap = w->sighting_cap ? w->sighting_cap * 2 : 64;
		w->sightings = mem_grow(w->sightings, w->sighting_cap, sizeof(*w->sightings));
	}
	w->sightings[w->sighting_count++] =
		(struct sighting){.key = db_int(row, 0), .begun = w->now};
	w->slots_seen = db_int(row, 0);
	w->decided_most = w->now > w->decided_most ? w->now : w->decided_most;
	tell(w, "slot %lld of %lld: %s, nominal %lld, first %lld", (long long)db_int(row, 0),
	     (long long)db_int(row, 1), outcome, (long long)db_int(row, 2),
	     (long long)db_int(row, 6));
	if (db_int(row, 5) != w->now)
		broke(w, "slot %lld was decided at another time than now",
		      (long long)db_int(row, 0));
	if (goes_on && db_int(row, 3) > 0 && db_int(row, 2) > w->now)
		broke(w, "slot %lld began before its nominal instant", (long long)db_int(row, 0));
}

static void observe_slots(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	struct db_value args[] = {DB_INT(w->slots_seen)};
	int rc = db_query(w->db,
			  "SELECT key, reminder, nominal, generation, outcome, decided_at,"
			  " first_nominal FROM slots WHERE key > $1 ORDER BY key",
			  DB_ARGS(args), &rows, &err);

	while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0)
		see_slot(w, &rows);
	if (rc < 0)
		broke(w, "cannot read slots: %s", err.message);
}

void oracle_observe(struct world *w)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	bool found[REMINDERS_MAX] = {false};
	int rc = db_query(
		w->db,
		"SELECT key, id, status, generation, cursor, nominal_at, due_at,"
		" open_slot, fire_count, end_reason, ended_at, batch, source FROM reminders"
		" ORDER BY key",
		DB_NO_ARGS, &rows, &err);

	while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0)
		observe_row(w, &rows, found);
	db_rows_end(&rows);
	if (rc < 0)
		broke(w, "cannot read reminders: %s", err.message);
	check_absent(w, found);
	check_whole(w);
	if (!w->prunes)
		observe_slots(w);
	if (w->missions && !w->prunes)
		oracle_sightings(w);
	/*
	 * What is seen is noted now and then, and a crash loses the rest: a step back of a few minutes
	 * may be none to the engine, or one that no reminder shows. Then either time may be its own.
	 */
	if (w->came_back ||
	    (w->looked && w->now < w->decided_most - 2 * SMALL_STEP && w->now >= FIRST_YEAR))
		w->clock_most = w->decided_most = w->now;
	if (w->now < w->clock_most - SMALL_STEP)
		w->decided_most = lesser(w->decided_most, w->now);
	/*
	 * But once it has looked it knows of no time later than a small step from now: it went back, or
	 * it had not noted more. Else the next small step would be taken for the one before it (K36).
	 */
	if (w->looked && w->now >= FIRST_YEAR)
		w->clock_most = lesser(w->clock_most, w->now + SMALL_STEP);
	w->came_back = false;
}

static bool same_agent(const struct running *a, const struct running *b)
{
	const char *name = "BELFRY_AGENT=";
	const char *of[2] = {NULL, NULL};

	for (int i = 0; i < 2; i++)
		for (char **p = (i ? b : a)->job->environment; p && *p; p++)
			if (strncmp(*p, name, strlen(name)) == 0)
				of[i] = *p;
	return of[0] && of[1] && strcmp(of[0], of[1]) == 0;
}

/* An older message of the same line and priority that has not had its turn; idle-first is apart. */
static void check_order(struct world *w, int64_t key)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	struct db_value args[] = {DB_INT(key)};
	int rc = db_query(w->db,
			  "SELECT old.id, new.id FROM queue AS new JOIN queue AS old"
			  " ON old.agent = new.agent AND old.priority = new.priority"
			  " AND old.key < new.key WHERE new.key = $1 AND new.attempts = 1"
			  " AND new.priority <> 'idle-first' AND old.state = 'queued' LIMIT 1",
			  DB_ARGS(args), &rows, &err);

	if (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0)
		broke(w, "message '%s' waits while '%s', which came later, is handed over",
		      db_text(&rows, 0), db_text(&rows, 1));
	if (rc < 0)
		broke(w, "cannot read the queue: %s", err.message);
}

static void check_offered(struct world *w, const struct running *started)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	struct db_value args[] = {DB_INT(started->job->key)};
	int rc = db_query(w->db, "SELECT id, state FROM queue WHERE key = $1", DB_ARGS(args), &rows,
			  &err);

	if (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0 &&
	    strcmp(db_text(&rows, 0), started->message_id) == 0 &&
	    strcmp(db_text(&rows, 1), "offered") == 0)
		return;
	broke(w, "a delivery for '%s' was started, but no such message is offered",
	      started->message_id);
}

static void check_checking(struct world *w, const struct running *started)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	struct db_value args[] = {DB_INT(started->job->key)};
	int rc = db_query(w->db, "SELECT 1 FROM slots WHERE key = $1 AND outcome = 'checking'",
			  DB_ARGS(args), &rows, &err);

	if (rc < 0 || db_rows_next(&rows, &err) < 1)
		broke(w, "a check was started for slot %lld, which does not wait for one",
		      (long long)started->job->key);
	for (int i = 0; i < 3; i++)
		if (!started->job->argv[i])
			broke(w, "H8: a check without its command");
}

/* Started after the commit, so the store must already know. */
void oracle_started(struct world *w, const struct running *started)
{
	for (const struct running *other = w->running; other < started; other++) {
		if (other->job->kind == started->job->kind && other->job->key == started->job->key)
			broke(w, "the same job runs twice");
		if (started->job->kind == JOB_DELIVER && other->job->kind == JOB_DELIVER &&
		    same_agent(other, started))
			broke(w, "two deliveries of one agent run at once");
	}
	if (started->job->kind == JOB_CHECK)
		check_checking(w, started);
	if (started->job->kind == JOB_DELIVER) {
		check_offered(w, started);
		check_order(w, started->job->key);
	}
}

static void check_running(struct world *w, enum job_kind kind, const char *sql, const char *means)
{
	AUTO_ROWS struct db_rows rows = {0};
	struct error err = {0};
	int rc = db_query(w->db, sql, DB_NO_ARGS, &rows, &err);

	while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0) {
		size_t i = 0;

		while (i < w->running_count && (w->running[i].job->kind != kind ||
						w->running[i].job->key != db_int(&rows, 0)))
			i++;
		if (i == w->running_count)
			broke(w, "%s %lld", means, (long long)db_int(&rows, 0));
	}
	if (rc < 0)
		broke(w, "cannot read the store: %s", err.message);
}

void oracle_running(struct world *w)
{
	check_running(w, JOB_CHECK,
		      "SELECT key FROM slots WHERE outcome = 'checking' AND again_at IS NULL",
		      "no child checks the condition of slot");
	check_running(w, JOB_DELIVER, "SELECT key FROM queue WHERE state = 'offered'",
		      "no child delivers message");
}

uint64_t oracle_fingerprint(struct world *w)
{
	static const char *const texts[] = {
		"SELECT * FROM reminders ORDER BY key",
		"SELECT * FROM slots ORDER BY key",
		"SELECT * FROM queue ORDER BY key",
		"SELECT name, text FROM kv ORDER BY name",
		"SELECT * FROM policies ORDER BY reminder",
		"SELECT * FROM missions ORDER BY key",
		"SELECT * FROM runs ORDER BY key",
		"SELECT * FROM threads ORDER BY key",
		"SELECT * FROM messages ORDER BY key",
	};
	static const int columns[] = {36, 15, 14, 2, 13, 28, 20, 15, 19};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		AUTO_ROWS struct db_rows rows = {0};
		struct error err = {0};
		int rc = db_query(w->db, texts[i], DB_NO_ARGS, &rows, &err);

		while (rc >= 0 && (rc = db_rows_next(&rows, &err)) > 0)
			for (int column = 0; column < columns[i]; column++) {
				const char *text = db_text(&rows, column);

				text = text ? text : "(null)";
				hash = hash_bytes(text, strlen(text), hash + i);
			}
		if (rc < 0)
			broke(w, "cannot read the store: %s", err.message);
	}
	return hash;
}
