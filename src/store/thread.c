/* thread.c: threads as rows. */
#include "store/thread.h"

void thread_free(struct thread *t)
{
	(void)t;
}

void thread_list_fini(struct thread_list *list)
{
	(void)list;
}

int thread_insert(struct db *db, struct thread *t, struct error *err)
{
	(void)db;
	(void)t;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_insert is not there yet");
}

int thread_update(struct db *db, const struct thread *t, struct error *err)
{
	(void)db;
	(void)t;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_update is not there yet");
}

int thread_get(struct db *db, int64_t key, struct thread **ret, struct error *err)
{
	(void)db;
	(void)key;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_get is not there yet");
}

int thread_at(struct db *db, const char *place, struct thread **ret, struct error *err)
{
	(void)db;
	(void)place;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_at is not there yet");
}

int thread_find(struct db *db, const char *ref, struct thread **ret, struct error *err)
{
	(void)db;
	(void)ref;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_find is not there yet");
}

int thread_list(struct db *db, const struct thread_filter *f, struct thread_list *ret,
		struct error *err)
{
	(void)db;
	(void)f;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_list is not there yet");
}

int thread_totals(struct db *db, int64_t *ret_unread, int64_t *ret_asks, struct error *err)
{
	(void)db;
	(void)ret_unread;
	(void)ret_asks;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_totals is not there yet");
}

int thread_wanted(struct db *db, int limit, struct thread_list *ret, struct error *err)
{
	(void)db;
	(void)limit;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_wanted is not there yet");
}

int thread_prune(struct db *db, usec_t before, int limit, int64_t *ret, struct error *err)
{
	(void)db;
	(void)before;
	(void)limit;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_prune is not there yet");
}
