#include "store/policy.h"

void policy_free(struct policy *p)
{
	(void)p;
}

int policy_insert(struct db *db, const struct policy *p, struct error *err)
{
	(void)db;
	(void)p;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int policy_update(struct db *db, const struct policy *p, struct error *err)
{
	(void)db;
	(void)p;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int policy_get(struct db *db, int64_t reminder, struct policy **ret, struct error *err)
{
	(void)db;
	(void)reminder;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int policy_find(struct db *db, enum door door, const char *name, struct reminder **ret,
		struct error *err)
{
	(void)db;
	(void)door;
	(void)name;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int policy_reminders(struct db *db, enum door door, bool ended, int64_t after, int limit,
		     struct reminder_list *ret, struct error *err)
{
	(void)db;
	(void)door;
	(void)ended;
	(void)after;
	(void)limit;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
