/* mail.c: messages of threads as rows. */
#include "store/thread.h"

void mail_free(struct mail *m)
{
	(void)m;
}

void mail_list_fini(struct mail_list *list)
{
	(void)list;
}

int mail_insert(struct db *db, struct mail *m, struct error *err)
{
	(void)db;
	(void)m;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_insert is not there yet");
}

int mail_update(struct db *db, const struct mail *m, struct error *err)
{
	(void)db;
	(void)m;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_update is not there yet");
}

int mail_get(struct db *db, int64_t thread, int64_t seq, struct mail **ret, struct error *err)
{
	(void)db;
	(void)thread;
	(void)seq;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_get is not there yet");
}

int mail_of_queue(struct db *db, int64_t queue, struct mail **ret, struct error *err)
{
	(void)db;
	(void)queue;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_of_queue is not there yet");
}

int mail_list(struct db *db, int64_t thread, const struct mail_page *page, struct mail_list *ret,
	      struct error *err)
{
	(void)db;
	(void)thread;
	(void)page;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_list is not there yet");
}

int mail_mark(struct db *db, int64_t thread, bool read, int64_t up_to, usec_t now, int64_t *ret,
	      struct error *err)
{
	(void)db;
	(void)thread;
	(void)read;
	(void)up_to;
	(void)now;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_mark is not there yet");
}

int mail_unread_queued(struct db *db, int64_t thread, int64_t up_to, struct mail_list *ret,
		       struct error *err)
{
	(void)db;
	(void)thread;
	(void)up_to;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_unread_queued is not there yet");
}

int mail_undelivered(struct db *db, int64_t thread, struct mail_list *ret, struct error *err)
{
	(void)db;
	(void)thread;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_undelivered is not there yet");
}

int mail_open_asks(struct db *db, int64_t thread, struct mail_list *ret, struct error *err)
{
	(void)db;
	(void)thread;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_open_asks is not there yet");
}

int mail_expired_asks(struct db *db, usec_t now, int limit, struct mail_list *ret,
		      struct error *err)
{
	(void)db;
	(void)now;
	(void)limit;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_expired_asks is not there yet");
}

int mail_next_expiry(struct db *db, usec_t *ret, struct error *err)
{
	(void)db;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_next_expiry is not there yet");
}

int mail_run_wrote(struct db *db, int64_t thread, int64_t run, bool *ret, struct error *err)
{
	(void)db;
	(void)thread;
	(void)run;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_run_wrote is not there yet");
}
