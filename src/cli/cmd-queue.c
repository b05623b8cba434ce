/*
 * cmd-queue.c: `queue take`. A message is out of the queue when its text has left, and not before: it is offered,
 * printed and flushed, and then settled. What could not be printed goes back (engine/take.c).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "cli/cli.h"

/* The text, as far as this process can see to it. */
static int print_whole(const struct cli *c, const json_t *message, struct error *err)
{
	cli_print(c, c->row->name, message);
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	error_set_errno(err, errno ? errno : EIO, "cannot write to standard output");
	/* It is told here, and not a second time at the end. */
	clearerr(stdout);
	return error_hint(err, "the message is still in the queue");
}

static int settle(struct session *s, const json_t *offer, bool printed, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)offer), *none = NULL;

	json_put_bool(args, "printed", printed);
	return session_ask(s, "queue settle", args, &none, err);
}

int cmd_queue_take(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *offer = NULL, *message = NULL, *args = NULL;
	AUTO(session_free) struct session *s = NULL;
	struct error later = {0};
	int r = 0;

	if (json_is_true(json_object_get(c->args, "peek")))
		return cmd_request(c, err);
	/* A reader that has gone is an error that can be told, and the message put back. */
	signal(SIGPIPE, SIG_IGN);
	if ((r = session_open(c->home, c->zone, true, &s, err)) < 0 ||
	    (r = session_ask(s, "queue offer", c->args, &offer, err)) < 0)
		return r;
	args = json_pack("{s:O}", "message", json_object_get(offer, "message"));
	r = session_ask(s, "queue show", args, &message, err);
	if (r == 0)
		r = print_whole(c, message, err);
	if (settle(s, offer, r == 0, &later) < 0 && r == 0) {
		*err = later;
		r = error_prefix(err, "the message was printed, and stays in the queue");
	}
	return r;
}
