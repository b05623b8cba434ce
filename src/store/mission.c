#include "store/mission.h"

void mission_free(struct mission *m)
{
	(void)m;
}

int mission_insert(struct db *db, struct mission *m, struct error *err)
{
	(void)db;
	(void)m;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_update(struct db *db, const struct mission *m, struct error *err)
{
	(void)db;
	(void)m;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_get(struct db *db, int64_t key, struct mission **ret, struct error *err)
{
	(void)db;
	(void)key;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_find(struct db *db, const char *ref, struct mission **ret, struct error *err)
{
	(void)db;
	(void)ref;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_of_slot(struct db *db, int64_t slot, struct mission **ret, struct error *err)
{
	(void)db;
	(void)slot;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_delete(struct db *db, int64_t key, struct error *err)
{
	(void)db;
	(void)key;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_list(struct db *db, const struct mission_filter *f, struct mission_list *ret,
		 struct error *err)
{
	(void)db;
	(void)f;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_ready(struct db *db, usec_t now, int limit, struct mission_list *ret, struct error *err)
{
	(void)db;
	(void)now;
	(void)limit;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_expired(struct db *db, usec_t now, int limit, struct mission_list *ret,
		    struct error *err)
{
	(void)db;
	(void)now;
	(void)limit;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_next(struct db *db, usec_t *ret_ready, usec_t *ret_until, struct error *err)
{
	(void)db;
	(void)ret_ready;
	(void)ret_until;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_count_running(struct db *db, const char *agent, int64_t *ret, struct error *err)
{
	(void)db;
	(void)agent;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_open_of(struct db *db, int64_t reminder, struct mission_list *ret, struct error *err)
{
	(void)db;
	(void)reminder;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_in_phase(struct db *db, enum phase phase, struct mission_list *ret, struct error *err)
{
	(void)db;
	(void)phase;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_surplus(struct db *db, int64_t reminder, int64_t keep, struct mission_list *ret,
		    struct error *err)
{
	(void)db;
	(void)reminder;
	(void)keep;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int mission_old(struct db *db, usec_t before, int limit, struct mission_list *ret,
		struct error *err)
{
	(void)db;
	(void)before;
	(void)limit;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
void mission_list_fini(struct mission_list *list)
{
	(void)list;
}
