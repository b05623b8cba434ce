/*
 * cmd-agent.c: sessions of live agents, begun and ended.
 * The daemon opens a window and answers at once; what becomes of it is looked at until there is
 * something to attach to, or to tell. Whatever waits here has a limit, and says how far it got.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/agent.h"
#include "cli/observe.h"

#define POLL_FIRST_MS 20
#define POLL_MOST_MS 250
#define OPEN_MOST (40 * USEC_PER_SEC)  /* the daemon gives up on a window after 30 seconds */
#define SETTLE_MOST (5 * USEC_PER_SEC) /* an open window that shows nothing is not waited for */
#define END_MOST (45 * USEC_PER_SEC)   /* 30 seconds of grace, and the kill */
#define SAY_AFTER (1500 * USEC_PER_MSEC)

static bool flag(const struct cli *c, const char *name)
{
	return json_is_true(json_object_get(c->args, name));
}

static const char *agent_of(const struct cli *c)
{
	return view_text(c->args, "agent");
}

static bool is_state(const json_t *row, const char *state)
{
	return strcmp(view_text(row, "state"), state) == 0;
}

/* The arguments of a request: the agent, and those of ours that it takes too. */
static json_t *args_of(const struct cli *c, const char *const *keys)
{
	json_t *args = observer_args("agent", agent_of(c));

	for (; keys && *keys; keys++)
		if (json_object_get(c->args, *keys))
			json_put(args, *keys, json_incref(json_object_get(c->args, *keys)));
	return args;
}

/* --- waiting ------------------------------------------------------------------------------- */

struct awaited {
	const struct cli *c;
	const char *agent;
	const char
		*before; /* of a restart: when the session began that has to end first; or NULL */
	bool window;	 /* its window is enough */
	usec_t began;	 /* of the waiting */
	usec_t open_at;	 /* when its window was first seen; 0: not yet */
	bool said;
};

/* Whoever looks at a terminal that does nothing is told what for. */
static void say_once(struct awaited *a, const char *what)
{
	if (a->said || !isatty(2) || clock_monotonic() - a->began < SAY_AFTER)
		return;
	fprintf(stderr, "%s %s; Ctrl-C stops waiting, nothing else\n", a->agent, what);
	a->said = true;
}

static int start_failed(const struct awaited *a, const json_t *row, struct error *err)
{
	const char *why = view_text(row, "end_reason"), *mission = view_text(row, "mission");

	error_set(err, ERR_UNAVAILABLE, "'%s' was started, and has ended%s%s", a->agent,
		  *why ? ": " : "", why);
	if (*mission)
		return error_hint(err, "belfry mission show %s", mission);
	return error_hint(err, "belfry daemon status, and the daemon's log");
}

static int too_slow(const struct awaited *a, const json_t *row, struct error *err)
{
	if (!row)
		error_set(err, ERR_UNAVAILABLE, "the daemon is gone while '%s' starts", a->agent);
	else
		error_set(err, ERR_UNAVAILABLE, "'%s' is starting, but has no window yet",
			  a->agent);
	return error_hint(err, "belfry daemon status; then: belfry agent ls");
}

static int still_there(const struct awaited *a, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE, "'%s' was told to end, and is still there", a->agent);
	return error_hint(err, "belfry agent peek %s; it is killed in the end", a->agent);
}

/* Returns 1 when it is there, 0 when it has to be waited for, negative when it will not be. */
static int has_started(struct awaited *a, const json_t *row, struct error *err)
{
	usec_t now = clock_monotonic();
	bool open = *view_text(row, "pane");

	if (!row || is_state(row, "gone") || !*view_text(row, "state"))
		return start_failed(a, row, err);
	if (a->before && strcmp(view_text(row, "started_at"), a->before) == 0) {
		if (now - a->began > END_MOST)
			return still_there(a, err);
		say_once(a, "was told to end");
		return 0;
	}
	if (a->before) { /* it has ended: what follows has the time of a start */
		a->before = NULL;
		a->began = now;
	}
	if (!is_state(row, "starting") || (open && a->window))
		return 1;
	if (open && !a->open_at)
		a->open_at = now;
	if (open && now - a->open_at > SETTLE_MOST)
		return 1;
	if (now - a->began > OPEN_MOST)
		return too_slow(a, row, err);
	say_once(a, "is starting");
	return 0;
}

static int has_ended(struct awaited *a, const json_t *row, struct error *err)
{
	if (!agent_is_present(row))
		return 1;
	if (clock_monotonic() - a->began > END_MOST)
		return still_there(a, err);
	say_once(a, "was told to end");
	return 0;
}

typedef int step(struct awaited *a, const json_t *row, struct error *err);

/* Look until `is_there` says so. A restart of the daemon is waited out. *ret may be NULL. */
static int await(struct awaited *a, step *is_there, json_t **ret, struct error *err)
{
	AUTO_OBSERVER struct observer o = {a->c->home, a->c->zone, NULL};
	usec_t seen = a->began = clock_monotonic();

	for (int ms = POLL_FIRST_MS;; ms = ms * 2 > POLL_MOST_MS ? POLL_MOST_MS : ms * 2) {
		AUTO(json_decref) json_t *all = NULL;
		int r = observer_ask(&o, "agent list", NULL, &all, err);

		if (r > 0) {
			const json_t *row = agent_in(all, a->agent);

			seen = clock_monotonic();
			r = is_there(a, row, err);
			if (r > 0)
				*ret = json_incref((json_t *)(uintptr_t)row);
		} else if (r == 0 && clock_monotonic() - seen > OPEN_MOST) {
			return too_slow(a, NULL, err);
		}
		if (r != 0)
			return r < 0 ? r : 0;
		observer_pause(ms);
	}
}

/* Whoever had a conversation and is in another one now has forgotten what it was told. */
static void say_new(const struct cli *c, const json_t *before, const json_t *row)
{
	const char *had = view_text(before, "mission"), *has = view_text(row, "mission");
	AUTO_BUF struct buf line = {0};

	if (!*had || !*has || strcmp(had, has) == 0 || flag(c, "fresh"))
		return;
	buf_add_str(&line, "belfry: ");
	visible_line(&line, agent_of(c));
	buf_printf(&line,
		   " begins a new conversation: the one it had (mission %s) cannot be "
		   "continued\n",
		   had);
	fputs(buf_text(&line), stderr);
}

/* --- start, run ---------------------------------------------------------------------------- */

static int start(const struct cli *c, bool attach, json_t **ret, struct error *err)
{
	static const char *const keys[] = {"role", "fresh", NULL};
	AUTO(json_decref) json_t *args = args_of(c, keys), *begun = NULL, *before = NULL;
	struct awaited a = {.c = c, .agent = agent_of(c), .window = attach};
	struct error unknown = {0};
	int r = agent_need_daemon(c, "it is what opens a session", err);

	if (r == 0)
		agent_ask(c, agent_of(c), &before, &unknown);
	if (r == 0)
		r = cli_ask(c, "live start", args, &begun, err);
	if (r == 0)
		r = await(&a, has_started, ret, err);
	if (r == 0)
		say_new(c, before, *ret);
	return r;
}

int cmd_agent_start(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *row = NULL;
	bool attach = !flag(c, "detach") && !c->json && isatty(0) && isatty(1);
	int r = start(c, attach, &row, err);

	if (r < 0)
		return r;
	if (attach)
		return agent_attach(c, row, false, err);
	cli_print(c, c->row->name, row);
	return 0;
}

/* Somebody who names a role wants that one, not whatever is there. */
static int check_role(const struct cli *c, const json_t *row, struct error *err)
{
	const char *wanted = view_text(c->args, "role"), *has = view_text(row, "role");

	if (!*wanted || strcmp(wanted, has) == 0)
		return 0;
	error_set(err, ERR_CONFLICT, "'%s' is there already, %s%s", agent_of(c),
		  *has ? "as " : "without a role", has);
	return error_hint(err, "belfry agent stop %s, or leave out --role", agent_of(c));
}

int cmd_run(const struct cli *c, struct error *err)
{
	AUTO(free) char *hint = mem_printf("belfry agent start %s --detach", agent_of(c));
	AUTO(json_decref) json_t *row = NULL, *there = NULL;
	struct awaited a = {.c = c, .agent = agent_of(c), .window = true};
	int r = agent_need_terminal("'belfry run'", hint, err);

	if (r < 0)
		return r;
	/* One that only its role will declare is not known yet: the start says what is wrong. */
	if (agent_ask(c, agent_of(c), &there, err) < 0 && err->code != ERR_NOT_FOUND)
		return err->code;
	*err = (struct error){0};
	if (!agent_is_present(there))
		r = start(c, true, &row, err);
	else if ((r = check_role(c, there, err)) == 0)
		r = await(&a, has_started, &row, err);
	return r < 0 ? r : agent_attach(c, row, false, err);
}

/* What a session had not taken up when it was told to end goes back: the answer is from before that. */
static void put_returned(json_t *row, const json_t *told)
{
	json_put_int(row, "returned", view_int(told, "unconfirmed"));
}

/* --- stop, restart, rm --------------------------------------------------------------------- */

int cmd_agent_stop(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = args_of(c, NULL), *told = NULL, *row = NULL;
	struct awaited a = {.c = c, .agent = agent_of(c)};
	int r = agent_need_daemon(c, "it is what ends a session", err);

	if (r == 0)
		r = cli_ask(c, "live stop", args, &told, err);
	/* It has ended when this returns, so that the next command may start it. */
	if (r == 0)
		r = await(&a, has_ended, &row, err);
	if (r < 0)
		return r;
	put_returned(row ? row : told, told);
	cli_print(c, c->row->name, row ? row : told);
	return 0;
}

int cmd_agent_restart(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = args_of(c, NULL), *told = NULL, *row = NULL;
	struct awaited a = {.c = c, .agent = agent_of(c)};
	int r = agent_need_daemon(c, "it is what opens and ends a session", err);

	if (r == 0)
		r = cli_ask(c, "live restart", args, &told, err);
	if (r == 0) {
		/* The answer tells of the session that was there, if one was. */
		a.before = *view_text(told, "started_at") ? view_text(told, "started_at") : NULL;
		r = await(&a, has_started, &row, err);
	}
	if (r < 0)
		return r;
	say_new(c, told, row);
	put_returned(row, told);
	cli_print(c, c->row->name, row);
	return 0;
}

/* One that is there is told to end, and forgotten once it has. */
static int remove_ended(const struct cli *c, json_t **ret, struct error *err)
{
	static const char *const keys[] = {"with_reminders", NULL};
	AUTO(json_decref) json_t *args = args_of(c, keys);
	struct awaited a = {.c = c, .agent = agent_of(c)};

	for (;;) {
		AUTO(json_decref) json_t *ended = NULL;
		int r = cli_ask(c, "live remove", args, ret, err);

		if (r < 0 || !json_is_true(json_object_get(*ret, "ending")))
			return r;
		json_decref(steal_ptr(ret));
		if ((r = await(&a, has_ended, &ended, err)) < 0)
			return r;
	}
}

int cmd_agent_remove(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	int r = agent_need_daemon(c, "it is what ends a session", err);

	if (r == 0)
		r = remove_ended(c, &result, err);
	if (r < 0)
		return r;
	json_put_text(result, "name", agent_of(c));
	cli_print(c, c->row->name, result);
	return 0;
}
