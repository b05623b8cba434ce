/* fzf.c: see inbox.h. */
#include "inbox/inbox.h"

int list_by_fzf(const struct cli *c, char **ret, struct error *err)
{
	(void)c;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "list_by_fzf is not there yet");
}
