/* list.c: see inbox.h. */
#include "inbox/inbox.h"

int list_by_screen(const struct cli *c, char **ret, struct error *err)
{
	(void)c;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "list_by_screen is not there yet");
}
