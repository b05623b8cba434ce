/* thread.c: see inbox.h. */
#include "inbox/inbox.h"

int thread_view(const struct cli *c, const char *thread, struct error *err)
{
	(void)c;
	(void)thread;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "thread_view is not there yet");
}
