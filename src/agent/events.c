/* events.c: what an agent's hooks tell, in a file that needs no daemon. */
#include <stdlib.h>

#include "agent/presence.h"

void event_fini(struct event *e)
{
	free(e->transcript);
}

int event_read_hook(const char *name, const char *json, size_t len, usec_t now, struct event *ret,
		    struct error *err)
{
	(void)json, (void)len, (void)now, (void)ret;
	return error_set(err, ERR_INVALID, "no event '%s'", name);
}

int event_append(const char *folder, const struct event *e, struct error *err)
{
	(void)folder, (void)e, (void)err;
	return 0;
}

int event_parse(const char *line, size_t len, struct event *ret, struct error *err)
{
	(void)line, (void)len, (void)ret;
	return error_set(err, ERR_INVALID, "no event");
}

int hooks_write(const struct adapter *a, const char *folder, const char *program, char **ret,
		struct error *err)
{
	(void)a, (void)folder, (void)program, (void)err;
	*ret = NULL;
	return 0;
}
