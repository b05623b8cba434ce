/*
 * view-agent.c: the agents, what each is doing, and what was done about it.
 * The state is the word people look for: it has the colour, and beside it stands how we know.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"
#include "schedule/duration.h"

#define AT_DAEMON " once a daemon runs"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct table_column columns[] = {
	{"NAME", 40, false}, {"STATE", 0, false}, {"SINCE", 0, true, 0, 3},
	{"EVIDENCE", 48, false, 12}, {"QUEUED", 0, true},
	{"ROLE", 20, false, 8, 2}, {"ADAPTER", 20, false, 8, 1},
};
static const struct table_column verbose_columns[] = {
	{"NAME", 40, false}, {"RUNS BY", 20, false}, {"DELIVERY", 30, false},
	{"DIRECTORY", 30, false},
	{"REMINDERS", 0, true}, {"QUEUED", 0, true},
};

static const struct { const char *state; enum tint tint; } tints[] = {
	{"idle", TINT_GOOD}, {"busy", TINT_WARN}, {"blocked", TINT_BAD}, {"starting", TINT_NONE},
};

/* What becomes of a message, by what the agent does; the first row that fits is said. */
#define ANY NULL
static const struct { const char *state, *priority, *words, *interrupt; } prospects[] = {
	{"idle",     ANY,         " is idle: it is told now"},
	{"busy",     "interrupt", " is busy, and is not interrupted: it would forget what it was told. It is told now, "
				  "and takes it up after what it is doing", "forgets"},
	{"busy",     "interrupt", " is busy, and no key is known that interrupts it: it is told now, and takes it up "
				  "when it comes to it", "none"},
	{"busy",     "interrupt", " is busy: it is interrupted, and told now"},
	{"busy",     "normal",    " is busy: it is told now, and takes it up when it comes to it"},
	{"busy",     ANY,         " is busy: it is told when it is idle"},
	{"blocked",  "interrupt", " asks something, which is not turned down: it would forget what it was told. It is told "
				  "once somebody has answered that", "forgets"},
	{"blocked",  "interrupt", " asks something: it is told once somebody has answered that", "none"},
	{"blocked",  "interrupt", " asks something: it is interrupted where that is safe, and told then"},
	{"blocked",  ANY,         " asks something: it is told once somebody has answered that"},
	{"starting", ANY,         " is starting: it is told when it is ready"},
};
/* clang-format on */

static bool is(const json_t *o, const char *key, const char *word)
{
	return strcmp(view_text(o, key), word) == 0;
}

/* One that somebody started and nobody stopped is missed. */
static enum tint state_tint(const json_t *a)
{
	for (size_t i = 0; i < COUNT(tints); i++)
		if (is(a, "state", tints[i].state))
			return tints[i].tint;
	return is(a, "state", "gone") && json_is_true(json_object_get(a, "wanted")) ? TINT_BAD
										    : TINT_DIM;
}

static const char *or_none(const char *text)
{
	return *text ? text : "-";
}

static void add_number(struct table *t, const json_t *item, const char *key)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, view_int(item, key));
	table_add(t, TINT_NONE, text);
}

static void add_queued(struct table *t, const json_t *a)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64 "%s", view_int(a, "queued"),
		 json_is_true(json_object_get(a, "queued_or_more")) ? "+" : "");
	table_add(t, TINT_NONE, text);
}

static void add_row(const struct view *v, const json_t *a, struct table *t)
{
	char since[DURATION_TEXT_MAX] = "-";
	usec_t at = view_instant(a, "since");
	/* Of one that is gone it is more to the point why. */
	const char *ended = is(a, "state", "gone") ? view_text(a, "end_reason") : "";
	const char *evidence = *ended ? ended : view_text(a, "evidence");

	if (*view_text(a, "state") && at != USEC_NONE)
		duration_format_short(v->now > at ? (v->now - at) / USEC_PER_SEC * USEC_PER_SEC : 0,
				      since);
	table_add(t, TINT_NONE, view_text(a, "name"));
	table_add(t, state_tint(a), or_none(view_text(a, "state")));
	table_add(t, TINT_NONE, since);
	table_add(t, TINT_DIM, or_none(evidence));
	add_queued(t, a);
	table_add(t, TINT_NONE, or_none(view_text(a, "role")));
	table_add(t, TINT_NONE, or_none(view_text(a, "adapter")));
}

static void add_verbose_row(const struct view *v, const json_t *a, struct table *t)
{
	const json_t *command = json_object_get(a, "command");
	AUTO_BUF struct buf line = {0};
	bool runs = json_is_true(json_object_get(a, "can_run"));

	(void)v;
	for (size_t i = 0; i < json_array_size(command); i++)
		buf_printf(&line, "%s%s", i ? " " : "",
			   json_string_value(json_array_get(command, i)));
	if (json_is_string(command))
		buf_add_str(&line, json_string_value(command));
	table_add(t, TINT_NONE, view_text(a, "name"));
	table_add(t, runs ? TINT_NONE : TINT_DIM, runs ? view_text(a, "adapter") : "-");
	table_add(t, TINT_NONE, line.len ? buf_text(&line) : view_text(a, "deliver"));
	/* Without one, a run has a folder of its own; conditions and commands are at home. */
	table_add(t, TINT_NONE,
		  *view_text(a, "directory") ? view_text(a, "directory")
		  : runs		     ? "its mission's"
					     : "~");
	add_number(t, a, "reminders");
	add_queued(t, a);
}

#define NO_AGENTS "no agents; add them to config.yml"
const struct view_list view_agents = {"agents", columns, COUNT(columns), add_row, NO_AGENTS};
static const struct view_list view_agents_verbose = {
	"agents", verbose_columns, COUNT(verbose_columns), add_verbose_row, NO_AGENTS};

const struct view_list *view_agents_of(const struct view *v)
{
	return v->verbose ? &view_agents_verbose : &view_agents;
}

/* --- what was done ------------------------------------------------------------------------- */

static void add_name(const struct view *v, const json_t *a)
{
	AUTO_BUF struct buf name = {0};

	visible_line(&name, or_none(view_text(a, "name")));
	style_add(v->out, v->style, TINT_BOLD, buf_text(&name));
}

/* "3 reminders", "1 message" */
static void add_count(const struct view *v, int64_t count, const char *noun)
{
	buf_printf(v->out, "%" PRId64 " %s%s", count, noun, count == 1 ? "" : "s");
}

/* Of what was typed into the session that ended. */
static void add_returned(const struct view *v, const json_t *a)
{
	int64_t count = view_int(a, "returned");

	if (!count)
		return;
	buf_add_str(v->out, "  ");
	add_count(v, count, "message");
	buf_add_str(v->out, count == 1
				    ? " that it was not seen to take up goes back into its queue\n"
				    : " that it was not seen to take up go back into its queue\n");
}

/* "builder is idle; to see it: belfry agent attach builder" */
void view_agent_started(const struct view *v, const json_t *a)
{
	const char *name = or_none(view_text(a, "name")), *state = view_text(a, "state");

	add_name(v, a);
	buf_add_str(v->out, " is ");
	style_add(v->out, v->style, state_tint(a), *state ? state : "?");
	if (is(a, "state", "starting"))
		buf_add_str(v->out, ": its window is open, and it has shown nothing yet");
	if (is(a, "state", "blocked"))
		buf_add_str(v->out, ": it asks something");
	buf_add_str(v->out, "; to see it: belfry agent attach ");
	visible_line(v->out, name);
	buf_add_char(v->out, '\n');
	add_returned(v, a);
}

static void add_waiting(const struct view *v, const json_t *a)
{
	int64_t queued = view_int(a, "queued");

	if (!queued)
		return;
	buf_add_str(v->out, "  ");
	add_count(v, queued, "message");
	buf_add_str(v->out, queued == 1 ? " waits for it\n" : " wait for it\n");
}

void view_agent_stopped(const struct view *v, const json_t *a)
{
	add_name(v, a);
	buf_add_str(v->out, " is stopped; to start it again: belfry agent start ");
	visible_line(v->out, or_none(view_text(a, "name")));
	buf_add_char(v->out, '\n');
	add_returned(v, a);
	add_waiting(v, a);
}

void view_agent_removed(const struct view *v, const json_t *a)
{
	int64_t cancelled = view_int(a, "cancelled"), kept = view_int(a, "kept");

	add_name(v, a);
	buf_add_str(v->out, " is removed");
	if (cancelled) {
		buf_add_str(v->out, "; ");
		add_count(v, cancelled, "reminder");
		buf_add_str(v->out,
			    cancelled == 1 ? " for it is cancelled" : " for it are cancelled");
	}
	if (kept) {
		buf_add_str(v->out, "; ");
		add_count(v, kept, "reminder");
		buf_add_str(v->out, kept == 1 ? " for it stays: belfry reminder list "
					      : " for it stay: belfry reminder list ");
		visible_line(v->out, or_none(view_text(a, "name")));
	}
	buf_add_char(v->out, '\n');
}

/* Without a session: its command, the inbox, or nobody for now. */
void view_agent_absent(const struct view *v, const json_t *a, const char *name, bool running)
{
	if (is(a, "deliver", "command"))
		buf_printf(v->out, "the deliver command of %s gets it%s", name,
			   running ? "" : AT_DAEMON);
	else if (is(a, "deliver", "inbox"))
		buf_add_str(v->out, "it is in the inbox: belfry inbox");
	else if (!*view_text(a, "adapter"))
		buf_printf(v->out, "%s takes it with: belfry queue take %s", name, name);
	else
		buf_printf(v->out,
			   "%s has no session: it waits until 'belfry agent start %s', or for "
			   "one of yours in its folder that has Belfry's hooks",
			   name, name);
}

static void add_prospect(const struct view *v, const json_t *m, const json_t *a)
{
	bool running = !json_is_false(json_object_get(m, "scheduler_running"));
	AUTO_BUF struct buf name = {0};

	visible_line(&name, or_none(view_text(m, "agent")));
	for (size_t i = 0; i < COUNT(prospects); i++) {
		if (!is(a, "state", prospects[i].state) ||
		    (prospects[i].priority && !is(m, "priority", prospects[i].priority)) ||
		    (prospects[i].interrupt && !is(a, "interrupt", prospects[i].interrupt)))
			continue;
		buf_printf(v->out, "%s%s", buf_text(&name),
			   running ? prospects[i].words : " is told" AT_DAEMON);
		return;
	}
	view_agent_absent(v, a, buf_text(&name), running);
}

/* "m-k3f9x2ab  builder is busy: it is told when it is idle", of a message and its agent's row. */
void view_agent_sent(const struct view *v, const json_t *both)
{
	const json_t *m = json_object_get(both, "message"), *a = json_object_get(both, "agent");

	style_add(v->out, v->style, TINT_BOLD, or_none(view_text(m, "id")));
	buf_add_str(v->out, "  ");
	if (is(m, "state", "delivered"))
		buf_add_str(v->out, "delivered");
	else if (a)
		add_prospect(v, m, a);
	else
		buf_add_str(v->out, or_none(view_text(m, "state")));
	buf_add_char(v->out, '\n');
}
