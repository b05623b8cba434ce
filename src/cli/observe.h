#pragma once
/*
 * Asking the daemon the same again and again, to see how something goes on. Unlike a session it
 * never starts a daemon: whoever stops one while somebody watches means it.
 */
#include "cli/client.h"

struct observer {
	const struct home *home;
	const char *zone;
	struct client *client; /* NULL: not connected */
};
void observer_fini(struct observer *o);
#define AUTO_OBSERVER __attribute__((cleanup(observer_fini)))

/* Returns 1 and sets *ret, 0 when no daemon answers now, or negative when it refused. */
int observer_ask(struct observer *o, const char *request, const json_t *args, json_t **ret,
		 struct error *err);

/* One argument, as the object a request takes. */
json_t *observer_args(const char *key, const char *value);

void observer_pause(int ms);
