/*
 * claim.c: the store of one process.
 * Two daemons on one database would each run and deliver what the other is at, and end the reminders
 * that only the other's configuration has. So whoever works on it has the claim (db_claim()): a lock
 * that ends with its connection or its process, however that ends. Who it is stands beside it, for
 * people: a daemon says so when it has the claim, and takes it back when it leaves.
 *
 * A claim that is free says nothing about what still runs: a daemon that was killed, or has lost its server
 * for a moment, leaves missions which only its own home can find again. So a store also knows the home that had it
 * last, and another one is refused. A home is known by its id, which moves with it.
 */
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/kv.h"
#include "store/schema.h"
#include "store/store.h"

#define HOLDER "store.holder"
#define HOME "store.home"
#define CLAIM_TRIES 40
#define CLAIM_PAUSE_NS (50 * 1000 * 1000)

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
	const char *x = json_string_value(json_object_get(a, key));
	const char *y = json_string_value(json_object_get(b, key));

	return x && y && strcmp(x, y) == 0;
}

/* By its id, which moves with the folder; or by its place, where that was lost. */
static bool same_home(const json_t *a, const json_t *b)
{
	return same_text(a, b, "id") || (same_text(a, b, "home") && same_text(a, b, "host"));
}

/* Also a life before this one, in the same process. */
static bool is_self(const char *holder, const char *self)
{
	AUTO(json_decref) json_t *a = json_loads(holder, 0, NULL);
	AUTO(json_decref) json_t *b = json_loads(self, 0, NULL);

	return same_home(a, b) && same_text(a, b, "host") &&
	       json_equal(json_object_get(a, "pid"), json_object_get(b, "pid"));
}

/* *ret NULL: it is ours, or nobody's yet. */
static int find_other_home(struct db *db, const char *self, char **ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	AUTO(json_decref) json_t *last = NULL, *ours = NULL;
	int r = 0;

	/* A belfry before this one left only a holder that did not leave. */
	if ((r = kv_get(db, HOME, &text, err)) < 0 ||
	    (!text && (r = kv_get(db, HOLDER, &text, err)) < 0))
		return r;
	last = text ? json_loads(text, 0, NULL) : NULL;
	ours = json_loads(self, 0, NULL);
	if (last && !same_home(last, ours))
		*ret = steal_ptr(&text);
	return 0;
}

int store_settle(struct db *db, const char *self, char **ret_before, struct error *err)
{
	int r = find_other_home(db, self, ret_before, err);

	return r < 0 ? r : kv_set(db, HOME, self, err);
}

/* A connection of ours that broke may still have the claim, where the server has not noticed. */
static int claim_again(struct db *db, struct error *err)
{
	const struct timespec pause = {.tv_nsec = CLAIM_PAUSE_NS};
	int r = db_end_claimer(db, err);

	for (int i = 0; r == 0 && i < CLAIM_TRIES; i++) {
		r = db_claim(db, err);
		if (r != ERR_CONFLICT)
			return r;
		nanosleep(&pause, NULL);
		r = 0;
	}
	return r < 0 ? r : error_set(err, ERR_CONFLICT, "the store is still in use");
}

static int claim(struct db *db, const char *self, char **ret_holder, struct error *err)
{
	struct error unknown = {0};
	int r = db_claim(db, err);

	/* The tables may not be there yet. */
	if (r == ERR_CONFLICT && kv_get(db, HOLDER, ret_holder, &unknown) == 0 && *ret_holder &&
	    self && is_self(*ret_holder, self))
		r = claim_again(db, err);
	return r;
}

/* The tables may not be there yet, or not be readable: the migration says so. */
static int refuse_other_home(struct db *db, const char *self, char **ret_holder, struct error *err)
{
	struct error unknown = {0};

	if (find_other_home(db, self, ret_holder, &unknown) == 0 && *ret_holder)
		return error_set(err, ERR_DENIED, "the store belongs to another home");
	return 0;
}

/* As its file is when it is gone: a new one in its place would forget everything without a word. */
static int refuse_empty(struct db *db, const char *url, struct error *err)
{
	AUTO(free) char *shown = NULL;
	bool empty = false;
	int r = schema_is_empty(db, &empty, err);

	if (r < 0 || !empty)
		return r;
	shown = text_store_shown(url);
	error_set(err, ERR_NOT_FOUND, "store '%s' is empty, and this home was in use", shown);
	return error_hint(
		err, "put a backup there; or, to begin with nothing: belfry daemon start --fresh");
}

int store_open_alone(const char *url, const char *self, bool take_over, bool used, struct db **ret,
		     char **ret_holder, struct error *err)
{
	AUTO(db_close) struct db *db = NULL;
	struct error full = {0};
	int r = db_open(url, &db, err);

	if (r < 0 || (used && (r = refuse_empty(db, url, err)) < 0) ||
	    (r = claim(db, self, ret_holder, err)) < 0)
		return r;
	if (self && !take_over && (r = refuse_other_home(db, self, ret_holder, err)) < 0)
		return r;
	r = schema_migrate(db, schema_steps, schema_version, err);
	if (r < 0)
		return r;
	/* Only for people: whoever cannot write will hear of it soon enough. */
	if (self)
		(void)kv_set(db, HOLDER, self, &full);
	*ret = steal_ptr(&db);
	return 0;
}

void store_leave(struct db *db)
{
	struct error ignored = {0};

	(void)kv_set(db, HOLDER, NULL, &ignored);
}
