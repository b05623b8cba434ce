/*
 * import.c: many reminders, all or none, without stopping the clock.
 * One transaction for a million rows would hold up every fire for half a minute. Instead rows
 * arrive over many turns, marked with the number of their batch, which makes them invisible; one
 * small commit decides; then maintenance takes the mark off, a few thousand rows a turn. A crash
 * before the decision drops the batch, a crash after it goes on showing it.
 *
 * A row that takes the place of a reminder is no row of its own: that reminder is edited to be like
 * it, and keeps its id, its counters and its history.
 *
 * The state of a batch is the fact "import.N" in kv: loading, replacing, showing, dropping; absent
 * when done.
 */
#include "engine/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/internal.h"
#include "store/kv.h"

#define STEP_ROWS 4000
#define REPLACE_ROWS 500
#define ABANDONED (6 * USEC_PER_HOUR) /* a pipe may be slow */
#define PREFIX "import."
#define NAME_ROOM 40

static void name_of(int64_t batch, char name[NAME_ROOM])
{
	snprintf(name, NAME_ROOM, PREFIX "%020lld", (long long)batch);
}

static int set_state(struct engine *e, int64_t batch, const char *state, struct error *err)
{
	char name[NAME_ROOM];

	name_of(batch, name);
	e->imports_open = true;
	return kv_set(e->db, name, state, err);
}

static int get_state(struct engine *e, int64_t batch, char **ret, struct error *err)
{
	char name[NAME_ROOM];

	name_of(batch, name);
	return kv_get(e->db, name, ret, err);
}

int engine_import_begin(struct engine *e, usec_t now, int64_t *ret_batch, struct error *err)
{
	AUTO(free) char *taken = NULL;
	int64_t batch = now;
	int rc;

	/* The clock may have been set back onto an older batch. */
	while ((rc = get_state(e, batch, &taken, err)) >= 0 && taken) {
		free(steal_ptr(&taken));
		batch++;
	}
	if (rc < 0)
		return rc;
	*ret_batch = batch;
	e->import_seen = now;
	return set_state(e, batch, "loading", err);
}

static int expect_loading(struct engine *e, int64_t batch, struct error *err)
{
	bool open = false;
	int rc = engine_import_is_open(e, batch, &open, err);

	if (rc < 0)
		return rc;
	return open ? 0 : error_set(err, ERR_CONFLICT, "import %lld is not open", (long long)batch);
}

int engine_import_hear(struct engine *e, int64_t batch, usec_t now, struct error *err)
{
	int rc = expect_loading(e, batch, err);

	if (rc >= 0)
		e->import_seen = now;
	return rc;
}

int engine_import_commit(struct engine *e, int64_t batch, struct error *err)
{
	int rc = expect_loading(e, batch, err);

	return rc < 0 ? rc : set_state(e, batch, "replacing", err);
}

int engine_import_abort(struct engine *e, int64_t batch, struct error *err)
{
	int rc = expect_loading(e, batch, err);

	return rc < 0 ? rc : set_state(e, batch, "dropping", err);
}

int engine_import_is_open(struct engine *e, int64_t batch, bool *ret, struct error *err)
{
	AUTO(free) char *state = NULL;
	int rc = get_state(e, batch, &state, err);

	*ret = rc >= 0 && state && strcmp(state, "loading") == 0;
	return rc;
}

int engine_import_is_done(struct engine *e, int64_t batch, bool *ret, struct error *err)
{
	AUTO(free) char *state = NULL;
	int rc = get_state(e, batch, &state, err);

	*ret = rc >= 0 && !state;
	return rc;
}

/* The first batch in a state, 0 when there is none. */
struct search {
	const char *state;
	int64_t batch;
};

static void on_fact(const char *name, const char *text, void *data)
{
	struct search *search = data;

	if (!search->batch && strcmp(text, search->state) == 0)
		search->batch = strtoll(name + strlen(PREFIX), NULL, 10);
}

static int find_batch(struct engine *e, const char *state, int64_t *ret, struct error *err)
{
	struct search search = {.state = state};
	int rc = kv_each(e->db, PREFIX, on_fact, &search, err);

	*ret = search.batch;
	return rc;
}

int import_recover(struct engine *e, struct error *err)
{
	int64_t batch = 0;
	int rc;

	/* Whoever was sending it is gone with the daemon that received it. */
	while ((rc = find_batch(e, "loading", &batch, err)) >= 0 && batch)
		if ((rc = set_state(e, batch, "dropping", err)) < 0)
			return rc;
	e->imports_open = true;
	return rc;
}

/* Whoever gave up could not always say so: on a full disk even that fails. */
int import_sweep(struct engine *e, usec_t now, struct error *err)
{
	/* The clock was set back: how long nobody was heard cannot be known, so it begins now. */
	if (now < e->import_seen)
		e->import_seen = now;
	return now - e->import_seen < ABANDONED ? 0 : import_recover(e, err);
}

static int step(struct engine *e, const char *state,
		int (*work)(struct db *, int64_t, int, int64_t *, struct error *),
		struct error *err)
{
	int64_t batch = 0, touched = 0;
	int rc = find_batch(e, state, &batch, err);

	if (rc < 0 || !batch)
		return rc;
	rc = work(e->db, batch, STEP_ROWS, &touched, err);
	if (rc >= 0 && touched < STEP_ROWS)
		rc = set_state(e, batch, NULL, err);
	e->idle_stale |= touched > 0;
	return rc < 0 ? rc : 1;
}

/* --- rows that take the place of a reminder --- */

/* What goes on although the rest is new: who it is, what it did, and whether it is paused. */
static void keep(const struct reminder *old, struct reminder *r)
{
	bool live = old->status == STATUS_ACTIVE || old->status == STATUS_PAUSED;

	r->key = old->key;
	strcpy(r->id, old->id);
	r->generation = old->generation;
	r->fire_count = old->fire_count;
	r->last_fired_at = old->last_fired_at;
	r->created_at = old->created_at;
	r->open_slot = old->open_slot;
	if (live) {
		r->status = old->status;
		mem_replace(&r->end_reason, old->end_reason);
	}
}

static bool is_same_schedule(const struct reminder *a, const struct reminder *b)
{
	return strcmp(a->schedule_kind, b->schedule_kind) == 0 &&
	       strcmp(a->schedule, b->schedule) == 0 && strcmp(a->zone, b->zone) == 0;
}

static int replace_policy(struct engine *e, int64_t from, int64_t to, struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(policy_free) struct policy *there = NULL;
	int rc = policy_get(e->db, from, &p, err);

	if (rc < 0 || (rc = policy_get(e->db, to, &there, err)) < 0)
		return rc;
	p->reminder = to;
	p->failures = there->failures;
	mem_replace(&p->denied, there->denied);
	return policy_update(e->db, p, err);
}

/* Its only time has come, and is on record: a line from before that brings it no second one. */
static bool is_over(const struct reminder *old, const struct reminder *r)
{
	return old->status == STATUS_COMPLETED && old->fire_count &&
	       strcmp(old->schedule_kind, "at") == 0 && is_same_schedule(old, r);
}

static int replace_one(struct engine *e, struct reminder *r, usec_t now, struct error *err)
{
	AUTO(reminder_free) struct reminder *old = NULL;
	int64_t staged = r->key;
	bool again;
	int rc = reminder_get(e->db, strtoll(r->id + strlen(REMINDER_REPLACES), NULL, 10), &old,
			      err);

	if (rc < 0 || is_over(old, r))
		return rc;
	again = r->status == STATUS_ACTIVE && old->status != STATUS_ACTIVE &&
		old->status != STATUS_PAUSED;
	again |= !is_same_schedule(old, r);
	keep(old, r);
	if (!again) {
		r->anchor = old->anchor;
		r->cursor = old->cursor;
	}
	rc = engine_edit(e, r, again, now, err);
	return rc < 0 || r->action != ACTION_RUN ? rc : replace_policy(e, staged, old->key, err);
}

/* What cannot be taken over any more (it is gone, its agent is) is told in the log, not tried for ever. */
static int replace_some(struct engine *e, usec_t now, struct error *err)
{
	AUTO_REMINDERS struct reminder_list rows = {0};
	int64_t batch = 0;
	int rc = find_batch(e, "replacing", &batch, err);

	if (rc < 0 || !batch ||
	    (rc = reminder_batch_replacing(e->db, batch, REPLACE_ROWS, &rows, err)) < 0)
		return rc;
	if (rows.count == 0 && (rc = set_state(e, batch, "showing", err)) < 0)
		return rc;
	for (size_t i = 0; i < rows.count; i++) {
		int64_t staged = rows.items[i]->key;
		struct error why = {0};

		rc = replace_one(e, rows.items[i], now, &why);
		if (rc == ERR_INVALID || rc == ERR_NOT_FOUND)
			log_warning("an imported line was not taken over: %s", why.message);
		else if (rc < 0) {
			*err = why;
			return rc;
		}
		if ((rc = reminder_batch_forget(e->db, staged, err)) < 0)
			return rc;
	}
	e->idle_stale = true;
	return 1;
}

/* Returns 1 when there may be more to do. */
int import_step(struct engine *e, usec_t now, struct error *err)
{
	int rc;

	if (!e->imports_open)
		return 0;
	rc = replace_some(e, now, err);
	if (rc == 0)
		rc = step(e, "showing", reminder_batch_show, err);
	if (rc == 0)
		rc = step(e, "dropping", reminder_batch_drop, err);
	if (rc == 0)
		e->imports_open = false;
	return rc;
}
