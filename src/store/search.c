/* search.c: messages by their words, the one place where the two databases differ in that. */
#include "store/thread.h"

int mail_search(struct db *db, const struct mail_search *s, struct mail_list *ret,
		struct error *err)
{
	(void)db;
	(void)s;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "mail_search is not there yet");
}
