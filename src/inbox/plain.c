/* plain.c: see inbox.h. */
#include "inbox/inbox.h"

int inbox_plain(const struct cli *c, const char *thread, struct error *err)
{
	(void)c;
	(void)thread;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "inbox_plain is not there yet");
}
