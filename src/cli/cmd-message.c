/*
 * cmd-message.c: writing messages: `message send` for agents, `inbox reply` for people.
 * The body is the operand, standard input when that is "-" or missing, or what the person writes in
 * an editor. Who sends a message is in the environment of the run.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/spool.h"
#include "inbox/inbox.h"

#define TEMPLATE_MESSAGES 20

static int body_is_missing(const char *hint, struct error *err)
{
	error_set(err, ERR_INVALID, "BODY is missing");
	return error_hint(err, "%s", hint);
}

/* What was typed, or what comes down a pipe. */
static int read_body(struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *body = json_incref(json_object_get(args, "body"));
	const char *text = json_string_value(body);

	if (text && strcmp(text, "-") != 0)
		return spool_text(s, text, strlen(text), args, err);
	json_object_del(args, "body");
	return spool_stream(s, STDIN_FILENO, args, err);
}

/* Body and attachments on their way, and the answer. What was spooled goes when `s` does. */
static int post(const struct cli *c, struct spool *s, json_t *args, json_t **ret, struct error *err)
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

/* --- agents --- */

static void put_from(json_t *args, const char *key, const char *variable)
{
	const char *value = getenv(variable);

	json_object_del(args, key);
	if (value && *value)
		json_put_text(args, key, value);
}

static int put_sender(json_t *args, struct error *err)
{
	put_from(args, "mission", "BELFRY_MISSION_ID");
	put_from(args, "run", "BELFRY_RUN");
	put_from(args, "agent", "BELFRY_AGENT");
	if (json_object_get(args, "mission")) {
		json_object_del(args, "agent");
		return 0;
	}
	if (json_object_get(args, "agent"))
		return 0;
	error_set(err, ERR_INVALID,
		  "messages are sent by agents, from inside a mission: neither "
		  "BELFRY_MISSION_ID nor BELFRY_AGENT is set");
	return error_hint(err, "a person answers with: belfry inbox reply THREAD");
}

int cmd_message_send(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args), *result = NULL;
	AUTO(spool_free) struct spool *s = spool_new(c->home);
	int r = put_sender(args, err);

	if (r < 0)
		return r;
	if (!json_object_get(args, "body") && isatty(STDIN_FILENO))
		return body_is_missing("say it: belfry message send 'All is well.'", err);
	spool_sweep(c->home);
	r = read_body(s, args, err);
	return r < 0 ? r : post(c, s, args, &result, err);
}

/* --- people --- */

/* Returns 1 when there is an answer in the arguments, 0 when the person thought better of it. */
static int compose(const struct cli *c, struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *shown = NULL, *about = json_object();
	AUTO_BUF struct buf text = {0};
	int r;

	json_put_text(about, "thread", view_text(args, "thread"));
	json_put_int(about, "last", TEMPLATE_MESSAGES);
	r = cli_ask(c, "inbox show", about, &shown, err);
	if (r == 0)
		r = compose_reply(c, shown, &text, err);
	if (r <= 0)
		return r;
	json_put_text(args, "thread", view_text(json_object_get(shown, "thread"), "id"));
	r = spool_text(s, buf_text(&text), text.len, args, err);
	return r < 0 ? r : 1;
}

static int reply_by_editor(const struct cli *c, struct spool *s, json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	int r = compose(c, s, args, err);

	if (r < 0)
		return r;
	if (r == 0) {
		puts("nothing written, nothing sent");
		return 0;
	}
	r = post(c, s, args, &result, err);
	if (r == 0)
		compose_sent(c, view_text(args, "thread"));
	return r;
}

int cmd_inbox_reply(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args), *result = NULL;
	AUTO(spool_free) struct spool *s = spool_new(c->home);
	int r;

	spool_sweep(c->home);
	if (!json_object_get(args, "body") && isatty(STDIN_FILENO)) {
		if (isatty(STDOUT_FILENO))
			return reply_by_editor(c, s, args, err);
		return body_is_missing("give it, pipe it in, or write it on a terminal", err);
	}
	r = read_body(s, args, err);
	return r < 0 ? r : post(c, s, args, &result, err);
}
