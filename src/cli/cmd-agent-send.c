/*
 * cmd-agent-send.c: `agent send`.
 * The text is the operand, or standard input when that is "-" or missing. Inside an agent the
 * sender is that agent, by its environment. --wait looks at the message until its end is known, and says
 * what keeps it. One whose agent has no session is not waited for, unless it was said how long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/agent.h"
#include "cli/args.h"
#include "cli/observe.h"
#include "schedule/duration.h"

#define POLL_FIRST_MS 20
#define POLL_MOST_MS 400
#define GONE_MOST (10 * USEC_PER_SEC) /* how long a restart of the daemon may take */
#define LOOK_EVERY USEC_PER_SEC	      /* at what the agent does */
#define EXIT_NOT_DELIVERED 1

static bool waits(const struct cli *c)
{
	return json_is_true(json_object_get(c->args, "wait"));
}

/* --- what is asked --- */

static int put_text(const struct cli *c, json_t *args, struct error *err)
{
	json_t *typed = json_object_get(c->args, "text");
	AUTO_BUF struct buf text = {0};
	int r;

	if (typed) {
		json_put(args, "text", json_incref(typed));
		return 0;
	}
	if (isatty(0)) {
		error_set(err, ERR_INVALID, "TEXT is missing");
		return error_hint(err, "belfry agent send %s 'look at the failing tests'",
				  view_text(c->args, "agent"));
	}
	r = args_read_text(0, "TEXT", &text, err);
	if (r == 0)
		json_put(args, "text", json_stringn(buf_text(&text), text.len));
	return r;
}

static int read_limit(const struct cli *c, usec_t *ret, struct error *err)
{
	const char *text = NULL;
	int r = json_get_text(c->args, "timeout", &text, err);

	*ret = USEC_NONE;
	if (r < 0 || !text)
		return r;
	if (!waits(c)) {
		error_set(err, ERR_INVALID, "--timeout is for --wait");
		return error_hint(err, "add --wait, or leave it out");
	}
	r = duration_parse(text, ret, err);
	return r < 0 ? error_prefix(err, "--timeout") : 0;
}

/* The answer's `state` is the agent's; everywhere else a message's is its own. */
static void tell_states_apart(json_t *m)
{
	json_t *delivery = json_object_get(m, "delivery");

	if (!delivery)
		return;
	json_put(m, "agent_state", json_incref(json_object_get(m, "state")));
	json_put(m, "state", json_incref(delivery));
	json_object_del(m, "delivery");
}

/* What a terminal would obey does not reach an agent: whoever sends it should know. */
static void say_changed(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		bool control = (*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f ||
			       (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0);

		if (!control || (p[0] == '\r' && p[1] == '\n'))
			continue;
		fputs("belfry: control characters of the text reach the agent as '?'\n", stderr);
		return;
	}
}

static int ask(const struct cli *c, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("agent", view_text(c->args, "agent"));
	AUTO(session_free) struct session *s = NULL;
	const char *sender = getenv("BELFRY_AGENT");
	int r = put_text(c, args, err);

	if (json_object_get(c->args, "priority"))
		json_put(args, "priority", json_incref(json_object_get(c->args, "priority")));
	if (sender && *sender)
		json_put_text(args, "from", sender);
	if (r == 0)
		r = session_open(c->home, c->zone, true, &s, err);
	if (r == 0)
		r = session_ask(s, "live send", args, ret, err);
	if (r == 0)
		tell_states_apart(*ret);
	if (r == 0) {
		session_warn(s);
		say_changed(view_text(args, "text"));
	}
	return r;
}

/* --- what is told --- */

/* The message beside its agent, from which a person is told what will happen. */
static void say(const struct cli *c, const json_t *m)
{
	AUTO(json_decref) json_t *row = NULL, *both = json_object();
	AUTO_BUF struct buf out = {0};
	struct view v = cli_view(c, &out);
	struct error unknown = {0};

	json_put(both, "message", json_incref((json_t *)(uintptr_t)m));
	if (agent_ask(c, view_text(m, "agent"), &row, &unknown) == 0)
		json_put(both, "agent", json_incref(row));
	view_agent_sent(&v, both);
	if (!waits(c)) {
		cli_write(&out);
		return;
	}
	if (isatty(2))
		fprintf(stderr, "%sCtrl-C stops waiting, not the message\n", buf_text(&out));
}

static int say_undelivered(const json_t *m, const char *why)
{
	AUTO_BUF struct buf line = {0};

	buf_printf(&line, "belfry: %s was not delivered: ", view_text(m, "id"));
	visible_line(&line, why);
	fprintf(stderr, "%s\nhint: belfry queue show %s\n", buf_text(&line), view_text(m, "id"));
	return EXIT_NOT_DELIVERED;
}

/* --- waiting --- */

static bool is_over(const json_t *m)
{
	const char *state = view_text(m, "state");

	return strcmp(state, "delivered") == 0 || strcmp(state, "failed") == 0;
}

static int daemon_is_gone(const char *id, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE, "the daemon is gone, and '%s' waits in the queue", id);
	return error_hint(err, "belfry daemon start; then: belfry queue show %s", id);
}

struct awaited {
	struct observer o;
	const char *id;
	usec_t limit;	  /* USEC_NONE: none */
	usec_t looked_at; /* at its agent; 0: not yet */
	char *said;	  /* what keeps it, as it was told last; NULL: nothing yet */
	bool gone;	  /* its agent has no session */
};

/* Whoever waits is told what for, when that is news. */
static void say_reason(struct awaited *a, const char *why)
{
	AUTO_BUF struct buf line = {0};

	if (!*why || (a->said && strcmp(a->said, why) == 0))
		return;
	mem_replace(&a->said, why);
	visible_line(&line, why);
	fprintf(stderr, "belfry: %s: %s\n", a->id, buf_text(&line));
}

/* What is queued has no one to go to while its agent is gone. A deliver command needs no session. */
static int look_at_agent(struct awaited *a, const json_t *m, struct error *err)
{
	AUTO(json_decref) json_t *all = NULL;
	AUTO(free) char *words = NULL;
	const char *name = view_text(m, "agent"), *why;
	const json_t *row;
	usec_t now = clock_monotonic();
	int r;

	if (strcmp(view_text(m, "state"), "queued") != 0 ||
	    (a->looked_at && now - a->looked_at < LOOK_EVERY))
		return 0;
	a->looked_at = now;
	r = observer_ask(&a->o, "agent list", NULL, &all, err);
	if (r <= 0)
		return r;
	row = agent_in(all, name);
	a->gone = row && strcmp(view_text(row, "state"), "gone") == 0 &&
		  strcmp(view_text(row, "deliver"), "command") != 0;
	why = view_text(row, "end_reason");
	if (!a->gone)
		return 0;
	words = mem_printf("%s has no session%s%s%s; the message waits in its queue until: belfry "
			   "agent start %s",
			   name, *why ? " (" : "", why, *why ? ")" : "", name);
	say_reason(a, words);
	return 0;
}

static void look_at_message(struct awaited *a, const json_t *m)
{
	if (*view_text(m, "note"))
		say_reason(a, view_text(m, "note"));
	else if (!is_over(m) && !a->gone)
		say_reason(a, view_text(m, "last_error"));
}

/* Until it is over, or the time is: *ret is how it was last seen. */
static int wait_until_over(struct awaited *a, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("message", a->id);
	usec_t began = clock_monotonic(), seen = began;

	for (int ms = POLL_FIRST_MS;; ms = ms * 2 > POLL_MOST_MS ? POLL_MOST_MS : ms * 2) {
		AUTO(json_decref) json_t *m = NULL;
		int r = observer_ask(&a->o, "queue show", args, &m, err);
		usec_t now = clock_monotonic();

		if (r < 0)
			return r;
		if (r > 0) {
			seen = now;
			if ((r = look_at_agent(a, m, err)) < 0)
				return r;
			look_at_message(a, m);
		}
		if (m && (is_over(m) || (a->gone && a->limit == USEC_NONE) ||
			  (a->limit != USEC_NONE && now - began >= a->limit))) {
			*ret = json_incref(m);
			return 0;
		}
		if (now - seen > GONE_MOST)
			return daemon_is_gone(a->id, err);
		observer_pause(ms);
	}
}

static int await_delivery(const struct cli *c, const char *id, usec_t limit, struct error *err)
{
	struct awaited a = {.o = {c->home, c->zone, NULL}, .id = id, .limit = limit};
	AUTO(json_decref) json_t *m = NULL;
	const char *state, *why;
	int r = wait_until_over(&a, &m, err);

	observer_fini(&a.o);
	free(a.said);
	if (r < 0)
		return r;
	state = view_text(m, "state");
	why = view_text(m, "last_error");
	if (c->json)
		cli_write_json(m);
	else if (strcmp(state, "delivered") == 0)
		printf("%s  delivered\n", id);
	fflush(stdout);
	if (strcmp(state, "delivered") == 0)
		return 0;
	if (strcmp(state, "failed") == 0)
		return say_undelivered(m, *why ? why : "it was given up");
	return say_undelivered(m, a.gone ? "its agent has no session; it stays in the queue"
				  : *view_text(m, "note")
					  ? view_text(m, "note")
					  : "not within the time; it stays in the queue");
}

int cmd_agent_send(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *m = NULL;
	usec_t limit;
	int r = read_limit(c, &limit, err);

	if (r == 0 && waits(c))
		r = agent_need_daemon(c, "it is what delivers messages", err);
	if (r == 0)
		r = ask(c, &m, err);
	if (r < 0)
		return r;
	if (!c->json)
		say(c, m);
	else if (!waits(c))
		cli_write_json(m);
	return waits(c) ? await_delivery(c, view_text(m, "id"), limit, err) : 0;
}
