/*
 * agent.c: what the commands around live agents share: who is there, and looking at one.
 * tmux says only that a client has detached or exited. Whether the agent goes on, or why it has ended,
 * is in its row a moment later; whoever looked is told that.
 */
#include "cli/agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/observe.h"
#include "cli/start.h"

#define NAMES_MAX 256
#define NOTICE_MS 50 /* between looks at what became of it */
#define NOTICE_MOST 60

const json_t *agent_in(const json_t *all, const char *name)
{
	const json_t *rows = json_object_get(all, "agents");

	for (size_t i = 0; i < json_array_size(rows); i++)
		if (strcmp(view_text(json_array_get(rows, i), "name"), name) == 0)
			return json_array_get(rows, i);
	return NULL;
}

bool agent_is_present(const json_t *row)
{
	const char *state = view_text(row, "state");

	return *state && strcmp(state, "gone") != 0;
}

static int unknown_agent(const json_t *all, const char *name, struct error *err)
{
	const json_t *rows = json_object_get(all, "agents");
	const char *names[NAMES_MAX], *nearest;
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(rows) && count < NAMES_MAX; i++)
		names[count++] = view_text(json_array_get(rows, i), "name");
	nearest = text_nearest(name, names, count);
	error_set(err, ERR_NOT_FOUND, "there is no agent '%s'", name);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(err, "belfry agent ls lists them");
}

int agent_ask(const struct cli *c, const char *name, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *all = NULL;
	const json_t *row;
	int r = cli_ask(c, "agent list", NULL, &all, err);

	if (r < 0)
		return r;
	row = agent_in(all, name);
	if (!row)
		return unknown_agent(all, name, err);
	*ret = json_incref((json_t *)(uintptr_t)row);
	return 0;
}

int agent_ask_present(const struct cli *c, const char *name, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *row = NULL;
	int r = agent_ask(c, name, &row, err);

	if (r < 0)
		return r;
	if (!agent_is_present(row)) {
		const char *why = view_text(row, "end_reason");

		error_set(err, ERR_CONFLICT, "agent '%s' has no session%s%s", name,
			  *why ? ": " : "", why);
		return error_hint(err, "belfry agent start %s", name);
	}
	*ret = steal_ptr(&row);
	return 0;
}

int agent_ask_window(const struct cli *c, const char *name, json_t **ret, struct error *err)
{
	AUTO_WINDOW struct agent_window w = {0};
	AUTO(json_decref) json_t *row = json_object();
	struct error none = {0};
	int r = agent_ask_present(c, name, ret, err);

	json_put_text(row, "name", name);
	if ((r != ERR_CONFLICT && r != ERR_NOT_FOUND) ||
	    agent_window_find(c->home, row, &w, &none) < 0)
		return r;
	*err = (struct error){0};
	*ret = steal_ptr(&row);
	return 0;
}

int agent_need_daemon(const struct cli *c, const char *why, struct error *err)
{
	AUTO(client_free) struct client *client = NULL;
	int r;

	if (!start_is_forbidden())
		return 0;
	r = client_connect(c->home, &client, err);
	if (r != 0)
		return r < 0 ? r : 0;
	error_set(err, ERR_UNAVAILABLE, "no daemon is running: %s", why);
	return error_hint(err, "belfry daemon start");
}

int agent_need_terminal(const char *what, const char *hint, struct error *err)
{
	if (isatty(0) && isatty(1))
		return 0;
	error_set(err, ERR_INVALID, "%s needs a terminal", what);
	return error_hint(err, "without one: %s", hint);
}

/* An agent that looks at its own window would see itself look, and so on. */
static int refuse_own(const char *name, struct error *err)
{
	const char *self = getenv("BELFRY_AGENT");

	if (!self || strcmp(self, name) != 0 || !getenv("BELFRY_RUN"))
		return 0;
	error_set(err, ERR_CONFLICT, "this is the terminal of '%s' already", name);
	return error_hint(err, "what it shows, as text: belfry agent peek %s", name);
}

static void say_after(const char *name, const json_t *row)
{
	AUTO_BUF struct buf line = {0};
	const char *why = view_text(row, "end_reason");

	visible_line(&line, name);
	if (agent_is_present(row)) {
		buf_add_str(&line, " goes on; to come back: belfry agent attach ");
	} else {
		buf_add_str(&line, *why ? " has ended: " : " has ended");
		visible_line(&line, why);
		buf_add_str(&line, "; to start it again: belfry agent start ");
	}
	visible_line(&line, name);
	buf_add_char(&line, '\n');
	cli_write(&line);
}

/* Its window is there, or its row says that it has ended. Without a daemon nobody knows. */
static void tell_after(const struct cli *c, const char *name)
{
	AUTO_OBSERVER struct observer o = {c->home, c->zone, NULL};

	for (int i = 0; i < NOTICE_MOST; i++) {
		AUTO(json_decref) json_t *all = NULL;
		AUTO_WINDOW struct agent_window w = {0};
		struct error unused = {0};
		const json_t *row;

		if (observer_ask(&o, "agent list", NULL, &all, &unused) <= 0)
			return;
		row = agent_in(all, name);
		if (!agent_is_present(row) || agent_window_find(c->home, row, &w, &unused) == 0) {
			say_after(name, row);
			return;
		}
		observer_pause(NOTICE_MS);
	}
}

int agent_attach(const struct cli *c, const json_t *row, bool read_only, struct error *err)
{
	AUTO(json_decref) json_t *allowed = NULL;
	AUTO_WINDOW struct agent_window w = {0};
	const char *name = view_text(row, "name");
	int r = refuse_own(name, err);

	if (r == 0)
		r = cli_ask(c, "live attach", NULL, &allowed, err);
	if (r == 0)
		r = agent_window_find(c->home, row, &w, err);
	if (r < 0)
		return r;
	if (getenv("TMUX"))
		fputs("belfry: this is inside tmux already: its keys come first, so type the "
		      "prefix twice (as C-b C-b d) to leave the agent\n",
		      stderr);
	r = agent_window_attach(c->home, &w, read_only, err);
	if (r == 0)
		tell_after(c, name);
	return r;
}
