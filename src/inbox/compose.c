/* compose.c: see inbox.h. */
#include "inbox/inbox.h"

int compose_reply(const struct cli *c, const json_t *shown, struct buf *ret, struct error *err)
{
	(void)c;
	(void)shown;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "compose_reply is not there yet");
}

void compose_sent(const struct cli *c, const char *thread)
{
	(void)c;
	(void)thread;
}

bool compose_has_draft(const struct cli *c, const char *thread)
{
	(void)c;
	(void)thread;
	return false;
}

void compose_template(const json_t *shown, const struct zone *zone, const char *draft,
		      struct buf *out)
{
	(void)shown;
	(void)zone;
	(void)draft;
	(void)out;
}

void compose_extract(const char *text, struct buf *out)
{
	(void)text;
	(void)out;
}
