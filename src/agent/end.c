#include "agent/order.h"

void end_fini(struct end *e)
{
	(void)e;
}

int end_write(const char *folder, const struct end *e, struct error *err)
{
	(void)folder;
	(void)e;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int end_read(const char *folder, struct end *ret, struct error *err)
{
	(void)folder;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
