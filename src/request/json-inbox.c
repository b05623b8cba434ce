/* json-inbox.c: threads and messages as JSON. */
#include "request/json-inbox.h"

json_t *json_thread(const struct thread *t, const struct mission *m)
{
	(void)t;
	(void)m;
	return json_object();
}

json_t *json_mail(const struct thread *t, const struct mail *m, const char *state_dir)
{
	(void)t;
	(void)m;
	(void)state_dir;
	return json_object();
}
