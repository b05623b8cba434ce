/*
 * cmd-message.c: `message send`, and what it shares with whoever else writes messages.
 * The body is the operand, or standard input when that is "-" or missing. Who sends a message is in
 * the environment of the run.
 */
#include "cli/mail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

int mail_body_is_missing(const char *hint, struct error *err)
{
	error_set(err, ERR_INVALID, "BODY is missing");
	return error_hint(err, "%s", hint);
}

int mail_read_body(struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *body = json_incref(json_object_get(args, "body"));
	const char *text = json_string_value(body);

	if (text && strcmp(text, "-") != 0)
		return spool_text(s, text, strlen(text), args, err);
	json_object_del(args, "body");
	return spool_stream(s, STDIN_FILENO, args, err);
}

int mail_post(const struct cli *c, struct spool *s, json_t *args, json_t **ret, struct error *err)
{
	AUTO(session_free) struct session *session = NULL;
	int r = spool_attach(s, args, err);

	if (r == 0)
		r = session_open(c->home, c->zone, true, &session, err);
	if (r == 0)
		r = session_ask(session, c->row->name, args, ret, err);
	if (r < 0)
		return r;
	cli_print(c, c->row->name, *ret);
	/* A run must not be told of daemons: it can start none. */
	if (!getenv("BELFRY_RUN"))
		session_warn(session);
	return 0;
}

static void put_from(json_t *args, const char *key, const char *variable)
{
	const char *value = getenv(variable);

	json_object_del(args, key);
	if (value && *value)
		json_put_text(args, key, value);
}

/* Without any of them the daemon says whose process this is, or that it is nobody's. */
static void put_sender(json_t *args)
{
	put_from(args, "mission", "BELFRY_MISSION_ID");
	put_from(args, "run", "BELFRY_RUN");
	put_from(args, "agent", "BELFRY_AGENT");
	if (json_object_get(args, "mission"))
		json_object_del(args, "agent");
}

int cmd_message_send(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args), *result = NULL;
	AUTO(spool_free) struct spool *s = spool_new(c->home);
	int r;

	put_sender(args);
	if (!json_object_get(args, "body") && isatty(STDIN_FILENO))
		return mail_body_is_missing("say it: belfry message send 'All is well.'", err);
	spool_sweep(c->home);
	r = mail_read_body(s, args, err);
	return r < 0 ? r : mail_post(c, s, args, &result, err);
}
