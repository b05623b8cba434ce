/* config-http.c: where HTTP listens, on loopback. */
#include "config/read.h"

static int set_port(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	return read_number(r, value, "port", 0, 65535, &c->http_port);
}

static const struct key http_keys[] = {{"port", TAKES_TEXT, set_port}};
PUBLISH_KEYS(http_keys);

int read_http(struct reader *r, const struct yaml_node *value, void *target)
{
	return read_mapping(r, value, KEYS(http_keys), target);
}
