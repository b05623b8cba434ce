/*
 * claim.c: the store of one process.
 * Two daemons on one database would each run and deliver what the other is at, and end the reminders
 * that only the other's configuration has. So whoever works on it has the claim (db_claim()): a lock
 * that ends with its connection or its process, however that ends. Who it is stands beside it, for
 * people: a daemon says so when it has the claim, and takes it back when it leaves.
 */
#include <string.h>
#include <time.h>

#include "store/kv.h"
#include "store/schema.h"
#include "store/store.h"

#define HOLDER "store.holder"
#define CLAIM_TRIES 40
#define CLAIM_PAUSE_NS (50 * 1000 * 1000)

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
	    self && strcmp(*ret_holder, self) == 0)
		r = claim_again(db, err);
	return r;
}

int store_open_alone(const char *url, const char *self, struct db **ret, char **ret_holder,
		     struct error *err)
{
	AUTO(db_close) struct db *db = NULL;
	struct error full = {0};
	int r = db_open(url, &db, err);

	if (r < 0 || (r = claim(db, self, ret_holder, err)) < 0 ||
	    (r = schema_migrate(db, schema_steps, schema_version, err)) < 0)
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
