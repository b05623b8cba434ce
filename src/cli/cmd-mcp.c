/*
 * cmd-mcp.c: `belfry mcp`, the tools for an agent's client on standard input and output.
 * One message after the other: what is asked of the daemon takes moments, and order is worth more than
 * speed. The way to the daemon is opened when a tool is first called, so that a client which only lists tools
 * starts nothing; it is kept while calls come and the daemon lives, and opened again after that. A daemon has
 * room for so many connections, and agents idle for hours. Without a daemon it is closed after each
 * call: whoever holds the store keeps everybody else out.
 *
 * A request that was sent and not answered is asked again (session.c). When there is still no answer, what it asks
 * for may have been saved. The model is told so, and can look.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/claim.h"
#include "cli/cli.h"
#include "cli/launcher.h"
#include "cli/mcp-wire.h"
#include "mcp/mcp.h"

#define ANSWER_SECONDS 60 /* clients give up at about that; nothing else is answered meanwhile */
#define IDLE_MS 5000

struct server {
	const struct cli *c;
	struct mcp *mcp;
	struct wire wire;
	struct session *session; /* NULL: not open */
	json_t *claim;		 /* who asks */
	int answer_seconds;
};

/* --- who asks --- */

static int put_given(const struct cli *c, const char *key, json_t *claim, struct error *err)
{
	const char *value = NULL;
	int r = json_get_text(c->args, key, &value, err);

	if (r < 0 || !value)
		return r;
	if (!*value) {
		error_set(err, ERR_INVALID, "--%s is empty", key);
		return error_hint(err, "leave it out, or give a name");
	}
	json_put_text(claim, key, value);
	return 0;
}

static void put_launcher(json_t *claim)
{
	json_t *process;
	struct process_id id;

	if (!launcher_find(&id))
		return;
	process = json_object();
	json_put_int(process, "pid", id.pid);
	json_put_int(process, "pid_start", id.start);
	json_put_text(process, "boot", id.boot);
	json_put(claim, "process", process);
}

static int make_claim(const struct cli *c, json_t **ret, struct error *err)
{
	static const char *const given[] = {"user", "session", "agent"};
	AUTO(json_decref) json_t *claim = claim_make("mcp");

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		int r = put_given(c, given[i], claim, err);

		if (r < 0)
			return r;
	}
	put_launcher(claim);
	*ret = steal_ptr(&claim);
	return 0;
}

/* --- asking the daemon --- */

static void close_session(struct server *s)
{
	session_free(s->session);
	s->session = NULL;
}

static int open_session(struct server *s, struct error *err)
{
	int r;

	if (s->session && session_is_usable(s->session))
		return 0;
	close_session(s);
	r = session_open(s->c->home, s->c->zone, true, &s->session, err);
	if (r < 0)
		return r;
	session_claim(s->session, json_incref(s->claim));
	session_limit(s->session, s->answer_seconds);
	return 0;
}

static void say_unsure(struct error *err)
{
	error_hint(err, "look with the tools that list or show it, or repeat exactly this call: "
			"it is not done twice");
}

static int ask(struct server *s, const struct request_row *row, const json_t *args, json_t **ret,
	       struct error *err)
{
	int r = open_session(s, err);

	if (r < 0)
		return r;
	r = session_ask(s->session, row->name, args, ret, err);
	if (r < 0 && (row->flags & REQUEST_WRITES) && session_is_unsure(s->session))
		say_unsure(err);
	if (!session_is_usable(s->session))
		close_session(s);
	return r;
}

static bool is_daemon_there(struct server *s)
{
	AUTO(client_free) struct client *client = NULL;
	struct error err = {0};

	return (s->session && session_is_usable(s->session)) ||
	       client_connect(s->c->home, &client, &err) > 0;
}

/* --- messages --- */

/* A list is no reason to start a daemon. How far a user is trusted only that knows: each tool says it itself. */
static json_t *list_alone(const struct server *s, const json_t *args)
{
	struct caller c = {
		.user = "",
		.trust = TRUST_FULL,
		.session = json_string_value(json_object_get(s->claim, "session")),
		.agent = json_string_value(json_object_get(s->claim, "agent")),
		.mission = json_string_value(json_object_get(s->claim, "mission")),
		.may_learn = json_object_get(s->claim, "process") != NULL,
	};

	return request_tools_for(&c, json_string_value(json_object_get(args, "client")));
}

static void carry_out(struct server *s, struct mcp_call *call)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};

	if (!call->row)
		return;
	if (call->row->tool || is_daemon_there(s))
		ask(s, call->row, call->args, &result, &err);
	else
		result = list_alone(s, call->args);
	mcp_finish(s->mcp, call, result, &err);
}

/* Returns 1, 0 when nobody reads the replies, or negative. */
static int send_replies(struct server *s, const struct mcp_call *calls, size_t count, bool batch,
			struct error *err)
{
	AUTO(json_decref) json_t *all = json_array();

	for (size_t i = 0; i < count; i++)
		if (calls[i].reply)
			json_array_append(all, calls[i].reply);
	if (json_array_size(all) == 0)
		return 1;
	return wire_send(&s->wire, batch ? all : json_array_get(all, 0), err);
}

static int answer(struct server *s, const char *text, size_t len, struct error *err)
{
	struct mcp_call *calls = NULL;
	size_t count = 0;
	bool batch = false;
	int r;

	mcp_take_text(s->mcp, text, len, &calls, &count, &batch);
	for (size_t i = 0; i < count; i++)
		carry_out(s, &calls[i]);
	r = send_replies(s, calls, count, batch, err);
	mcp_calls_free(calls, count);
	return r;
}

static int serve(struct server *s, struct error *err)
{
	for (;;) {
		const char *line;
		size_t len;
		int r;

		if (s->session && !wire_is_busy(&s->wire, IDLE_MS))
			close_session(s);
		r = wire_next(&s->wire, MCP_MESSAGE_MAX, &line, &len, err);
		if (r > 0)
			r = answer(s, line, len, err);
		if (r <= 0)
			return r;
	}
}

/* --- the command --- */

static void on_pipe(int signo)
{
	(void)signo;
}

/* A handler, since what is ignored stays ignored in the daemon that may be started from here. */
static void survive_closed_pipes(void)
{
	struct sigaction act = {.sa_handler = on_pipe};

	sigaction(SIGPIPE, &act, NULL);
}

/* Tests wait for less. */
static int answer_seconds(void)
{
	const char *given = getenv("BELFRY_MCP_ANSWER_SECONDS");
	long seconds = given ? strtol(given, NULL, 10) : 0;

	return seconds > 0 && seconds < ANSWER_SECONDS ? (int)seconds : ANSWER_SECONDS;
}

static void greet_person(void)
{
	if (isatty(STDIN_FILENO))
		fputs("belfry: this waits for an agent's client, which starts it by itself and "
		      "speaks "
		      "JSON to it; Ctrl-D ends it\n"
		      "hint: to give Claude Code the tools: claude mcp add belfry -- belfry mcp\n",
		      stderr);
}

int cmd_mcp(const struct cli *c, struct error *err)
{
	struct server s = {.c = c,
			   .wire = {.in = STDIN_FILENO, .out = STDOUT_FILENO},
			   .answer_seconds = answer_seconds()};
	int r = make_claim(c, &s.claim, err);

	if (r < 0)
		return r;
	survive_closed_pipes();
	greet_person();
	s.mcp = mcp_new();
	r = serve(&s, err);
	close_session(&s);
	mcp_free(s.mcp);
	wire_fini(&s.wire);
	json_decref(s.claim);
	return r;
}
