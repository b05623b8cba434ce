#include "store/mission.h"

void run_free(struct run *r)
{
	(void)r;
}

int run_insert(struct db *db, struct run *r, struct error *err)
{
	(void)db;
	(void)r;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int run_update(struct db *db, const struct run *r, struct error *err)
{
	(void)db;
	(void)r;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int run_get(struct db *db, int64_t key, struct run **ret, struct error *err)
{
	(void)db;
	(void)key;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int run_list(struct db *db, int64_t mission, struct run_list *ret, struct error *err)
{
	(void)db;
	(void)mission;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int run_last(struct db *db, int64_t mission, struct run **ret, struct error *err)
{
	(void)db;
	(void)mission;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int run_open(struct db *db, struct run_list *ret, struct error *err)
{
	(void)db;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int run_overdue(struct db *db, usec_t now, struct run_list *ret, struct error *err)
{
	(void)db;
	(void)now;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int run_next_overdue(struct db *db, usec_t *ret, struct error *err)
{
	(void)db;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
void run_list_fini(struct run_list *list)
{
	(void)list;
}
