/* observe.c: one connection for many questions, made anew when the daemon is another one. */
#include "cli/observe.h"

#include <time.h>

void observer_fini(struct observer *o)
{
	client_free(o->client);
	o->client = NULL;
}

static int ask(struct observer *o, const char *request, const json_t *args, json_t **ret,
	       struct error *err)
{
	int r;

	if (!o->client && (r = client_connect(o->home, &o->client, err)) <= 0)
		return r;
	r = client_send(o->client, request, args, o->zone, err);
	if (r == 0)
		r = client_receive(o->client, ret, err);
	return r < 0 ? r : 1;
}

int observer_ask(struct observer *o, const char *request, const json_t *args, json_t **ret,
		 struct error *err)
{
	int r = ask(o, request, args, ret, err);

	if (r >= 0 || !o->client || !client_was_lost(o->client))
		return r;
	/* The daemon went away; the next question finds its successor, if there is one. */
	observer_fini(o);
	*err = (struct error){0};
	return 0;
}

json_t *observer_args(const char *key, const char *value)
{
	json_t *args = json_object();

	json_put_text(args, key, value);
	return args;
}

void observer_pause(int ms)
{
	struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	nanosleep(&span, NULL);
}
