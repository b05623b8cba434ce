/* inbox.c: the inbox on a terminal. */
#include "inbox/inbox.h"

int cmd_inbox(const struct cli *c, struct error *err)
{
	(void)c;
	return error_set(err, ERR_UNAVAILABLE, "the inbox is not there yet");
}
