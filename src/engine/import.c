/*
 * import.c: many reminders, all or none, without stopping the clock.
 * One transaction for a million rows would hold up every fire for half a minute. Instead rows
 * arrive over many turns, marked with the number of their batch, which makes them invisible; one
 * small commit decides; then maintenance takes the mark off, a few thousand rows a turn. A crash
 * before the decision drops the batch, a crash after it goes on showing it.
 *
 * The state of a batch is the fact "import.N" in kv: loading, showing, dropping; absent when done.
 */
#include "engine/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/internal.h"
#include "store/kv.h"

#define STEP_ROWS 4000
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

int engine_import_commit(struct engine *e, int64_t batch, struct error *err)
{
	int rc = expect_loading(e, batch, err);

	return rc < 0 ? rc : set_state(e, batch, "showing", err);
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

/* Returns 1 when there may be more to do. */
int import_step(struct engine *e, struct error *err)
{
	int rc;

	if (!e->imports_open)
		return 0;
	rc = step(e, "showing", reminder_batch_show, err);
	if (rc == 0)
		rc = step(e, "dropping", reminder_batch_drop, err);
	if (rc == 0)
		e->imports_open = false;
	return rc;
}
