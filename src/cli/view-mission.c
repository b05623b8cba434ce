/*
 * view-mission.c: missions as a list, one in full, and what was done to one.
 * The state is the word people look for, so it carries the colour and, while the agent works, how
 * long it has.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/order.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/view.h"
#include "schedule/duration.h"

#define FROM_MOST 24
#define PROMPT_MOST 160
#define PROMPT_LEAST 16
#define RUN_INDENT "      "
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct table_column columns[] = {
	{"ID", 0, false}, {"AGENT", 24, false, 8, 5}, {"FROM", FROM_MOST, false, 12, 2},
	{"STATE", 0, false}, {"STARTED", 0, false, 0, 4}, {"TOOK", 0, true, 0, 3},
	{"COST", 0, true, 0, 1},
	{"PROMPT", PROMPT_MOST, false, PROMPT_LEAST},
};

static const struct { const char *state; enum tint tint; } tints[] = {
	{"success", TINT_GOOD}, {"running", TINT_GOOD}, {"starting", TINT_GOOD},
	{"error", TINT_BAD}, {"timeout", TINT_BAD}, {"orphaned", TINT_BAD},
	{"waiting", TINT_WARN}, {"stopping", TINT_WARN},
	{"killed", TINT_WARN}, {"daemon_shutdown", TINT_WARN},
};

/* What a mission came from, where it has no name. */
static const struct { const char *door, *words; } doors[] = {
	{"hand", "by hand"}, {"task", "task"}, {"heartbeat", "heartbeat"}, {"cron", "cron"},
	{"reminder", "reminder"},
};
/* clang-format on */

enum tint view_mission_tint(const char *state)
{
	for (size_t i = 0; i < COUNT(tints); i++)
		if (strcmp(tints[i].state, state) == 0)
			return tints[i].tint;
	return TINT_DIM;
}

/* A cron, a reminder and a run that ordered it by their names, the others by their kind. */
static const char *from_of(const json_t *m)
{
	const char *door = view_text(m, "door"), *origin = view_text(m, "origin");
	bool named = strcmp(door, "cron") == 0 || strcmp(door, "reminder") == 0 ||
		     strcmp(door, "hand") == 0;

	if (named && *origin)
		return origin;
	for (size_t i = 0; i < COUNT(doors); i++)
		if (strcmp(doors[i].door, door) == 0)
			return doors[i].words;
	return *door ? door : "-";
}

static bool is_at_work(const char *state)
{
	return strcmp(state, "running") == 0 || strcmp(state, "stopping") == 0;
}

/* Its time is up, and it has not ended yet. */
static bool is_ending(const struct view *v, const json_t *m)
{
	usec_t limit = view_instant(m, "limit_at");

	return strcmp(view_text(m, "state"), "running") == 0 && limit != USEC_NONE &&
	       limit <= v->now;
}

static bool ended_well(const json_t *m)
{
	return strcmp(view_text(m, "state"), "success") == 0;
}

static bool asks(const json_t *m)
{
	return view_int(m, "asks") || view_int(json_object_get(m, "thread"), "asks");
}

/* "running 3m", "success", "asks", "success, 3 denied", "ending: timeout" */
static void format_state(const struct view *v, const json_t *m, char *ret, size_t size)
{
	const char *state = view_text(m, "state");
	usec_t since = view_instant(m, "run_started_at");
	char text[DURATION_TEXT_MAX];

	if (ended_well(m) && asks(m))
		state = "asks";
	snprintf(ret, size, "%s", *state ? state : "?");
	if (is_ending(v, m))
		snprintf(ret, size, "ending: timeout");
	if (ended_well(m) && view_int(m, "denied"))
		snprintf(ret, size, "%s, %" PRId64 " denied", state, view_int(m, "denied"));
	if (!is_at_work(state) || since == USEC_NONE || is_ending(v, m))
		return;
	duration_format_short(v->now > since ? (v->now - since) / USEC_PER_SEC * USEC_PER_SEC : 0,
			      text);
	snprintf(ret, size, "%s %s", state, text);
}

static enum tint state_tint(const struct view *v, const json_t *m)
{
	if (is_ending(v, m) || (ended_well(m) && (asks(m) || view_int(m, "denied"))))
		return TINT_WARN;
	return view_mission_tint(view_text(m, "state"));
}

/* "4m 3s" between two instants of an object; "-" when one is missing. */
static void format_took(const json_t *o, const char *from, const char *to, char *ret)
{
	usec_t begin = view_instant(o, from), end = view_instant(o, to);

	if (begin == USEC_NONE || end == USEC_NONE || end < begin)
		snprintf(ret, DURATION_TEXT_MAX, "-");
	else
		duration_format_short(end - begin, ret);
}

/* Cents, or a fraction of one where it was less. */
static void format_cost(const json_t *o, char *ret, size_t size)
{
	const json_t *cost = json_object_get(o, "cost_usd");
	double dollars = json_number_value(cost);

	if (!json_is_number(cost) || !isfinite(dollars))
		snprintf(ret, size, "-");
	else
		snprintf(ret, size, "$%.*f", dollars < 0.01 ? 4 : 2, dollars);
}

static char *one_line(const char *text)
{
	AUTO_BUF struct buf line = {0};

	text += strspn(text, " \t\r\n");
	for (; *text; text++) {
		bool blank = strchr(" \t\r\n", *text);

		if (!blank)
			buf_add_char(&line, *text);
		else if (line.data[line.len - 1] != ' ')
			buf_add_char(&line, ' ');
	}
	return buf_steal(&line);
}

/* As in the other lists, but of today the time alone: at 80 columns there is no room for more. */
static void format_started(const struct view *v, usec_t started, char *ret)
{
	char today[INSTANT_TEXT_MAX];
	const size_t date = strlen("2026-11-14 ");

	view_minute(v, v->now, today);
	view_minute(v, started, ret);
	if (strncmp(ret, today, date) == 0)
		memmove(ret, ret + date, strlen(ret + date) + 1);
}

static void add_row(const struct view *v, const json_t *m, struct table *t)
{
	AUTO(free) char *prompt = one_line(view_text(m, "prompt"));
	char state[64], when[INSTANT_TEXT_MAX], took[DURATION_TEXT_MAX], cost[32];

	format_state(v, m, state, sizeof(state));
	format_took(m, "run_started_at", "ended_at", took);
	format_cost(m, cost, sizeof(cost));
	format_started(v, view_instant(m, "run_started_at"), when);
	table_add(t, TINT_NONE, view_text(m, "id"));
	table_add(t, TINT_NONE, view_text(m, "agent"));
	table_add(t, TINT_NONE, from_of(m));
	table_add(t, state_tint(v, m), state);
	table_add(t, TINT_NONE, when);
	table_add(t, TINT_NONE, took);
	table_add(t, TINT_NONE, cost);
	table_add(t, TINT_NONE, prompt);
}

const struct view_list view_missions = {
	"missions", columns, COUNT(columns), add_row,
	"no missions; start one: belfry mission new AGENT 'look at the failing tests'"};

/* --- what was done --- */

static void headline(const struct view *v, const json_t *m)
{
	style_add(v->out, v->style, TINT_BOLD, view_text(m, "id"));
	buf_add_str(v->out, "  ");
	style_add(v->out, v->style, view_mission_tint(view_text(m, "state")),
		  view_text(m, "state"));
}

/* "mis-k3f9x2  waiting: 10 of 10 missions run", and where its log will be. */
void view_mission_change(const struct view *v, const json_t *m)
{
	headline(v, m);
	if (*view_text(m, "reason")) {
		buf_add_str(v->out, ": ");
		visible_line(v->out, view_text(m, "reason"));
	}
	if (view_instant(m, "archived_at") != USEC_NONE)
		buf_add_str(v->out, ", archived");
	buf_add_char(v->out, '\n');
}

void view_mission_new(const struct view *v, const json_t *m)
{
	view_mission_change(v, m);
	view_field(v, "log", view_text(m, "log"));
}

void view_mission_removed(const struct view *v, const json_t *m)
{
	style_add(v->out, v->style, TINT_BOLD, view_text(m, "id"));
	buf_add_str(v->out, json_is_true(json_object_get(m, "removed"))
				    ? "  removed\n"
				    : "  is being stopped; remove it once it has ended\n");
}

/* --- one in full --- */

static void print_instant(const struct view *v, const json_t *o, const char *label, const char *key)
{
	usec_t at = view_instant(o, key);

	if (at == USEC_NONE)
		return;
	view_label(v, label);
	view_when(v, at, v->zone);
	buf_add_char(v->out, '\n');
}

/* The wrapper's last sign of life, of the run that is open. */
static void print_heartbeat(const struct view *v, const json_t *runs)
{
	size_t count = json_array_size(runs);
	usec_t at = view_instant(json_array_get(runs, count ? count - 1 : 0), "heartbeat_at");
	char span[VIEW_SPAN_MAX];

	if (at == USEC_NONE)
		return;
	view_span(v, at > v->now ? v->now : at, span);
	view_field(v, "heartbeat", span);
}

/* All of it stands below, with its run. */
static void add_first_line(const struct view *v, const char *text)
{
	size_t len = strcspn(text, "\n");
	AUTO(free) char *line = mem_strndup(text, len);

	visible_line(v->out, line);
	buf_add_str(v->out, text[len] ? " …" : "");
}

static void print_state(const struct view *v, const json_t *m)
{
	const char *reason = view_text(m, "reason"), *stop = view_text(m, "stop_reason");
	char state[64];

	format_state(v, m, state, sizeof(state));
	view_label(v, "state");
	style_add(v->out, v->style, state_tint(v, m), state);
	if (*reason && strcmp(reason, view_text(m, "state")) != 0) {
		buf_add_str(v->out, ": ");
		add_first_line(v, reason);
	}
	if (*stop && strcmp(stop, reason) != 0) {
		buf_add_str(v->out, ", ");
		visible_line(v->out, stop);
	}
	buf_add_char(v->out, '\n');
}

/* What a mission in line waits for, beside its reason. */
static void print_waiting(const struct view *v, const json_t *m)
{
	const char *phase = view_text(m, "phase");
	usec_t ready = view_instant(m, "ready_at");

	if (strcmp(phase, "waiting") != 0 && strcmp(phase, "behind") != 0)
		return;
	if (ready != USEC_NONE && ready > v->now)
		print_instant(v, m, "not before", "ready_at");
	print_instant(v, m, "gives up", "wait_until");
}

static void print_bounds(const struct view *v, const json_t *m)
{
	const char *timeout = view_text(m, "timeout");
	int64_t most = view_int(m, "max_attempts");
	const json_t *runs = json_object_get(m, "runs");
	const json_t *last = json_array_get(runs, json_array_size(runs) - 1);
	AUTO(free) char *line = NULL;

	/* A session has neither: a person ends it. */
	if (strcmp(view_text(last, "kind"), "interactive") == 0)
		return;
	line = mem_printf("%s%s", *timeout ? timeout : "none", *timeout ? " a run" : "");
	view_field(v, "time limit", line);
	view_label(v, "attempts");
	buf_printf(v->out, "%" PRId64 " of %" PRId64 "\n", view_int(m, "attempts"), most);
}

/* "3, 1 unread, 1 question: belfry inbox show mis-k3f9x2" */
static void print_messages(const struct view *v, const json_t *m)
{
	const json_t *t = json_object_get(m, "thread");

	if (!view_int(t, "messages"))
		return;
	view_label(v, "messages");
	buf_printf(v->out, "%" PRId64, view_int(t, "messages"));
	if (view_int(t, "unread"))
		buf_printf(v->out, ", %" PRId64 " unread", view_int(t, "unread"));
	if (view_int(t, "asks"))
		style_printf(v->out, v->style, TINT_WARN, ", waits for an answer");
	buf_printf(v->out, ": belfry inbox show %s\n", view_text(m, "id"));
}

/* Whom it works for, where that is not the person who reads this. */
static void print_user(const struct view *v, const json_t *m)
{
	const char *user = view_text(m, "user");

	if (!*user || strcmp(user, "me") == 0)
		return;
	view_label(v, "for");
	visible_line(v->out, user);
	buf_printf(v->out, ", %s trust\n", view_text(m, "trust"));
}

static void print_facts(const struct view *v, const json_t *m)
{
	/* clang-format off */
	static const char *const fields[][2] = {
		{"reminder", "reminder"}, {"repository", "git"}, {"session", "session"},
		{"folder", "folder"},
	};
	/* clang-format on */
	char cost[32];

	print_instant(v, m, "created", "created_at");
	print_instant(v, m, "started", "started_at");
	print_instant(v, m, "ended", "ended_at");
	print_instant(v, m, "archived", "archived_at");
	format_cost(m, cost, sizeof(cost));
	if (strcmp(cost, "-") != 0)
		view_field(v, "cost", cost);
	print_bounds(v, m);
	print_messages(v, m);
	for (size_t i = 0; i < COUNT(fields); i++)
		if (*view_text(m, fields[i][1]))
			view_field(v, fields[i][0], view_text(m, fields[i][1]));
}

static void print_block(const struct view *v, const char *text, const char *indent)
{
	buf_add_str(v->out, indent);
	visible_block(v->out, text, indent);
	if (v->out->data[v->out->len - 1] != '\n')
		buf_add_char(v->out, '\n');
}

/* "exit status 2, took 3s, $0.01" */
static void add_run_facts(const struct view *v, const json_t *r)
{
	const json_t *code = json_object_get(r, "exit_code");
	char took[DURATION_TEXT_MAX], cost[32];

	if (json_is_integer(code))
		buf_printf(v->out, ", exit status %" PRId64, view_int(r, "exit_code"));
	if (view_int(r, "signal"))
		buf_printf(v->out, ", signal %" PRId64, view_int(r, "signal"));
	format_took(r, "started_at", "finished_at", took);
	if (strcmp(took, "-") != 0)
		buf_printf(v->out, ", took %s", took);
	format_cost(r, cost, sizeof(cost));
	if (strcmp(cost, "-") != 0)
		buf_printf(v->out, ", %s", cost);
}

/* "1  attempt 1  7:00:00 PM  error, exit status 2, took 3s", and underneath what went wrong. */
static void print_run(const struct view *v, const json_t *m, const json_t *r)
{
	const char *prompt = view_text(r, "prompt");
	const char *ending = view_text(r, "ending"), *kind = view_text(r, "kind");
	usec_t at = view_instant(r, "started_at");
	char when[INSTANT_TEXT_MAX] = "not started";

	if (at != USEC_NONE)
		instant_format_near(at, v->now, v->zone, when);
	buf_printf(v->out, "  %2" PRId64 "  %s", view_int(r, "number"), kind);
	if (view_int(r, "attempt"))
		buf_printf(v->out, " %" PRId64, view_int(r, "attempt"));
	buf_printf(v->out, ", %s: ", when);
	style_add(v->out, v->style, view_mission_tint(*ending ? ending : "running"),
		  *ending ? ending : "open");
	add_run_facts(v, r);
	buf_add_char(v->out, '\n');
	if (*prompt && strcmp(prompt, view_text(m, "prompt")) != 0)
		print_block(v, prompt, RUN_INDENT "> ");
	if (*view_text(r, "error"))
		print_block(v, view_text(r, "error"), RUN_INDENT);
	if (*view_text(r, "denied"))
		print_block(v, view_text(r, "denied"), RUN_INDENT);
}

static void title(const struct view *v, const char *text)
{
	buf_add_char(v->out, '\n');
	style_add(v->out, v->style, TINT_BOLD, text);
	buf_add_char(v->out, '\n');
}

/* What an agent says of its failure is its answer too; once is enough. */
static void print_answer(const struct view *v, const json_t *m, const json_t *runs)
{
	size_t count = json_array_size(runs);
	const json_t *last = json_array_get(runs, count ? count - 1 : 0);
	const char *error = view_text(last, "error");
	const char *answer = view_text(m, "answer");

	if (!*answer || strcmp(answer, error) == 0)
		return;
	title(v, "answer:");
	print_block(v, answer, "  ");
	if (view_int(last, "answer_size") <= (int64_t)strlen(answer))
		return;
	style_printf(
		v->out, v->style, TINT_WARN, "  … only the %s %zu of %" PRId64 " bytes; all of it:",
		strncmp(answer, END_ANSWER_CUT, strlen(END_ANSWER_CUT)) == 0 ? "last" : "first",
		strlen(answer), view_int(last, "answer_size"));
	buf_printf(v->out, " %s/answer.md\n", view_text(last, "folder"));
}

void view_mission(const struct view *v, const json_t *m)
{
	const json_t *runs = json_object_get(m, "runs");

	style_add(v->out, v->style, TINT_BOLD, view_text(m, "id"));
	buf_add_str(v->out, "  ");
	visible_line(v->out, view_text(m, "agent"));
	buf_add_str(v->out, ", ");
	if (*view_text(m, "origin") && from_of(m) == view_text(m, "origin"))
		buf_printf(v->out, "%s ", view_text(m, "door"));
	visible_line(v->out, from_of(m));
	buf_add_char(v->out, '\n');
	print_user(v, m);
	print_state(v, m);
	print_heartbeat(v, runs);
	print_waiting(v, m);
	print_facts(v, m);
	title(v, "prompt:");
	print_block(v, view_text(m, "prompt"), "  ");
	if (json_array_size(runs))
		title(v, "runs:");
	for (size_t i = 0; i < json_array_size(runs); i++)
		print_run(v, m, json_array_get(runs, i));
	print_answer(v, m, runs);
}
