#include "agent/order.h"

void order_free(struct order *o)
{
	(void)o;
}

char *order_format(const struct order *o)
{
	(void)o;
	return 0;
}

int order_parse(const char *text, size_t len, struct order **ret, struct error *err)
{
	(void)text;
	(void)len;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
