/* view-cron.c: crons as a list, one in full, what a change did, and what became of the fires. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"
#include "schedule/duration.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define WIDE 120 /* with fewer columns, agent and description are a line of their own */

/* clang-format off */
#define LS_COLUMNS \
	{"NAME", 32, false}, {"SCHEDULE", 24, false, 9, 4}, {"ENABLED", 0, false, 0, 2}, \
	{"LAST RUN", 0, false, 0, 1}, {"STATUS", 0, false, 0, 3}, {"NEXT RUN", 0, false}
static const struct table_column ls_columns[] = {LS_COLUMNS};
static const struct table_column ls_wide_columns[] = {
	LS_COLUMNS, {"AGENT", 24, false}, {"DESCRIPTION", 60, false},
};
static const struct table_column history_columns[] = {
	{"STARTED", 0, false}, {"TOOK", 0, true, 0, 4}, {"STATUS", 0, false}, {"ATTEMPT", 0, true, 0, 2},
	{"EXIT", 0, true, 0, 1}, {"COST", 0, true, 0, 3}, {"MISSION", 0, false, 0, 5},
};
/* clang-format on */

/* "2026-01-15 09:00", in the reader's zone; "-" for none. `ret` has INSTANT_TEXT_MAX. */
void view_minute(const struct view *v, usec_t instant, char *ret)
{
	struct civil c;

	snprintf(ret, INSTANT_TEXT_MAX, "-");
	if (instant == USEC_NONE)
		return;
	c = civil_from_local(zone_local(v->zone, instant));
	snprintf(ret, INSTANT_TEXT_MAX, "%04d-%02d-%02d %02d:%02d", c.year, c.month, c.day, c.hour,
		 c.minute);
}

static void add_minute(const struct view *v, struct table *t, usec_t instant)
{
	char text[INSTANT_TEXT_MAX];

	view_minute(v, instant, text);
	table_add(t, instant == USEC_NONE ? TINT_DIM : TINT_NONE, text);
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static void add_cron(const struct view *v, const json_t *c, struct table *t)
{
	bool enabled = json_is_true(json_object_get(c, "enabled"));
	const char *status = view_text(c, "status");

	table_add(t, TINT_NONE, view_text(c, "name"));
	table_add(t, TINT_NONE, or_dash(view_text(c, "schedule")));
	table_add(t, enabled ? TINT_NONE : TINT_DIM, enabled ? "yes" : "no");
	add_minute(v, t, view_instant(json_object_get(c, "last_run"), "at"));
	table_add(t, view_status_tint(status), or_dash(status));
	add_minute(v, t, view_instant(c, "next_run"));
}

/* "config.yml:18:22: …": people know where the file is. */
static const char *short_problem(const json_t *c)
{
	const char *problem = view_text(c, "problem"), *colon = strchr(problem, ':');
	const char *slash = colon ? memrchr(problem, '/', (size_t)(colon - problem)) : NULL;

	return slash ? slash + 1 : problem;
}

/* What is wrong with it, below it: a cron that never fires must not look like one that does. */
static void note_trouble(const json_t *c, struct table *t)
{
	AUTO(free) char *pause = NULL;

	if (*view_text(c, "problem"))
		table_note(t, TINT_BAD, short_problem(c));
	if (*view_text(c, "differs")) {
		AUTO(free)
		char *line = mem_printf("%s; make it so: belfry apply", view_text(c, "differs"));

		table_note(t, TINT_WARN, line);
	}
	if (!json_is_true(json_object_get(c, "paused")))
		return;
	pause = mem_printf("%s; go on with: belfry cron enable %s",
			   *view_text(c, "pause_reason") ? view_text(c, "pause_reason") : "paused",
			   view_text(c, "name"));
	table_note(t, TINT_WARN, pause);
}

static void add_plain(const struct view *v, const json_t *c, struct table *t)
{
	add_cron(v, c, t);
	note_trouble(c, t);
}

static void add_verbose(const struct view *v, const json_t *c, struct table *t)
{
	AUTO(free)
	char *more =
		mem_printf("%s%s%s", view_text(c, "agent"),
			   *view_text(c, "description") ? ": " : "", view_text(c, "description"));

	add_cron(v, c, t);
	table_note(t, TINT_DIM, more);
	note_trouble(c, t);
}

static void add_wide(const struct view *v, const json_t *c, struct table *t)
{
	add_cron(v, c, t);
	table_add(t, TINT_NONE, or_dash(view_text(c, "agent")));
	table_add(t, TINT_NONE, view_text(c, "description"));
	note_trouble(c, t);
}

#define EMPTY "no crons; add one: belfry cron add"
const struct view_list view_crons = {"crons", ls_columns, COUNT(ls_columns), add_plain, EMPTY};
static const struct view_list verbose_list = {"crons", ls_columns, COUNT(ls_columns), add_verbose,
					      EMPTY};
static const struct view_list wide_list = {"crons", ls_wide_columns, COUNT(ls_wide_columns),
					   add_wide, EMPTY};

const struct view_list *view_crons_of(const struct view *v)
{
	if (!v->verbose)
		return &view_crons;
	return v->style->terminal && v->style->width < WIDE ? &verbose_list : &wide_list;
}

/* --- history --- */

static void add_count(struct table *t, const json_t *row, const char *key)
{
	char text[32] = "-";

	if (json_is_integer(json_object_get(row, key)))
		snprintf(text, sizeof(text), "%" PRId64, view_int(row, key));
	table_add(t, TINT_NONE, text);
}

static void add_attempt(struct table *t, const json_t *row)
{
	char text[64] = "-";

	if (json_is_integer(json_object_get(row, "attempt")))
		snprintf(text, sizeof(text), "%" PRId64 "/%" PRId64, view_int(row, "attempt"),
			 view_int(row, "max_attempts"));
	else if (strcmp(view_text(row, "kind"), "resume") == 0 ||
		 strcmp(view_text(row, "kind"), "interactive") == 0)
		snprintf(text, sizeof(text), "%s", view_text(row, "kind"));
	table_add(t, TINT_NONE, text);
}

static void add_cost(struct table *t, const json_t *row)
{
	const json_t *cost = json_object_get(row, "cost");
	char text[32] = "-";

	if (json_is_number(cost))
		snprintf(text, sizeof(text), "$%.2f", json_number_value(cost));
	table_add(t, TINT_NONE, text);
}

/* "signal 9" says more than an exit status that is not there. */
static void add_exit(struct table *t, const json_t *row)
{
	char text[32];

	if (!view_int(row, "signal")) {
		add_count(t, row, "exit_code");
		return;
	}
	snprintf(text, sizeof(text), "sig %" PRId64, view_int(row, "signal"));
	table_add(t, TINT_NONE, text);
}

static void note_reason(const struct view *v, const json_t *row, struct table *t)
{
	const char *reason = view_text(row, "reason"), *status = view_text(row, "status");
	int64_t count = view_int(row, "occurrences");
	char since[INSTANT_TEXT_MAX];
	AUTO_BUF struct buf line = {0};

	if (*reason && strcmp(reason, status) != 0)
		buf_add_str(&line, reason);
	if (count > 1) {
		view_minute(v, view_instant(row, "first"), since);
		buf_printf(&line, "%s%s%" PRId64 " occurrences since %s", line.len ? "; " : "",
			   json_is_true(json_object_get(row, "more")) ? "at least " : "", count,
			   since);
	}
	if (line.len)
		table_note(t, TINT_DIM, buf_text(&line));
}

static void add_history(const struct view *v, const json_t *row, struct table *t)
{
	char took[DURATION_TEXT_MAX] = "-";
	const char *status = view_text(row, "status");

	if (json_is_integer(json_object_get(row, "took_us")))
		duration_format_short(view_int(row, "took_us"), took);
	add_minute(v, t, view_instant(row, "started"));
	table_add(t, TINT_NONE, took);
	table_add(t, view_status_tint(status), status);
	add_attempt(t, row);
	add_exit(t, row);
	add_cost(t, row);
	table_add(t, TINT_NONE, or_dash(view_text(row, "mission")));
	note_reason(v, row, t);
}

const struct view_list view_history = {"runs", history_columns, COUNT(history_columns), add_history,
				       "it has not run yet, and nothing was missed"};

/* --- one --- */

static void print_next(const struct view *v, const json_t *c)
{
	const json_t *next = json_object_get(c, "next");
	const struct zone *zone = view_zone(c);

	for (size_t i = 0; i < json_array_size(next); i++) {
		usec_t at = view_instant_of(json_array_get(next, i));

		if (at != USEC_NONE)
			view_fire(v, at, zone);
	}
}

static void print_trouble(const struct view *v, const json_t *c)
{
	const char *problem = view_text(c, "problem"), *why = view_text(c, "pause_reason");

	if (*problem)
		view_field(v, "problem", problem);
	if (*view_text(c, "differs")) {
		view_label(v, "differs");
		visible_line(v->out, view_text(c, "differs"));
		buf_add_str(v->out, "; make it so: belfry apply\n");
	}
	if (json_is_true(json_object_get(c, "paused"))) {
		view_label(v, "paused");
		visible_line(v->out, *why ? why : "by command");
		buf_printf(v->out, "; go on with: belfry cron enable %s\n", view_text(c, "name"));
	}
}

/* "nightly  at 9:00 AM every day, Europe/Berlin" and the next fires. */
void view_cron_change(const struct view *v, const json_t *c)
{
	style_add(v->out, v->style, TINT_BOLD, view_text(c, "name"));
	if (json_is_true(json_object_get(c, "removed"))) {
		buf_add_str(v->out, "  removed; its missions stay: belfry mission ls\n");
		return;
	}
	buf_add_str(v->out, "  ");
	visible_line(v->out, view_text(c, "describe"));
	buf_printf(v->out, ", %s", view_text(c, "tz"));
	if (!json_is_true(json_object_get(c, "enabled")))
		style_add(v->out, v->style, TINT_WARN, "; disabled");
	else if (!json_array_size(json_object_get(c, "next")) && !*view_text(c, "differs") &&
		 !json_is_true(json_object_get(c, "paused")))
		style_add(v->out, v->style, TINT_WARN, "; it never fires");
	buf_add_char(v->out, '\n');
	print_trouble(v, c);
	print_next(v, c);
}

void view_cron_run(const struct view *v, const json_t *r)
{
	const char *mission = view_text(r, "mission"), *reason = view_text(r, "reason");

	style_add(v->out, v->style, TINT_BOLD, or_dash(mission));
	buf_add_str(v->out, "  ");
	visible_line(v->out, view_text(r, "name"));
	buf_add_str(v->out, ", run now; its schedule stays\n");
	if (strcmp(view_text(r, "phase"), "behind") == 0)
		view_field(v, "waits", reason);
	buf_printf(v->out, "  watch it: belfry mission logs %s -f\n", mission);
}

static void print_last(const struct view *v, const json_t *c)
{
	const json_t *last = json_object_get(c, "last_run");
	const char *status = view_text(last, "status"), *reason = view_text(last, "reason");

	if (!json_is_object(last))
		return;
	view_label(v, "last run");
	style_add(v->out, v->style, view_status_tint(status), status);
	buf_add_str(v->out, ", ");
	view_when(v, view_instant(last, "at"), view_zone(c));
	buf_add_char(v->out, '\n');
	if (*reason && strcmp(reason, status) != 0)
		view_field(v, "", reason);
}

static void print_policy(const struct view *v, const json_t *c)
{
	const json_t *retry = json_object_get(c, "retry_on");
	AUTO_BUF struct buf line = {0};

	buf_printf(&line, "%s; time limit %s", view_text(c, "overlap"),
		   *view_text(c, "timeout") ? view_text(c, "timeout") : "none");
	view_field(v, "overlap", buf_text(&line));
	buf_clear(&line);
	buf_printf(&line, "%" PRId64, view_int(c, "max_attempts"));
	for (size_t i = 0; view_int(c, "max_attempts") > 1 && i < json_array_size(retry); i++)
		buf_printf(&line, "%s%s", i ? ", " : ", again after ",
			   json_string_value(json_array_get(retry, i)));
	if (view_int(c, "max_attempts") > 1 && *view_text(c, "backoff"))
		buf_printf(&line, "; back-off %s", view_text(c, "backoff"));
	view_field(v, "attempts", buf_text(&line));
}

static void print_rest(const struct view *v, const json_t *c)
{
	/* clang-format off */
	static const char *const texts[][2] = {
		{"catch-up", "catchup"}, {"deadline", "start_deadline"}, {"jitter", "jitter"},
		{"git", "git"}, {"reminder", "reminder"},
	};
	static const char *const counts[][3] = {
		{"keeps", "retention", "missions in sight"},
		{"pauses", "pause_after", "failures in a row"},
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT(texts); i++)
		if (*view_text(c, texts[i][1]))
			view_field(v, texts[i][0], view_text(c, texts[i][1]));
	for (size_t i = 0; i < COUNT(counts); i++) {
		if (!view_int(c, counts[i][1]))
			continue;
		view_label(v, counts[i][0]);
		buf_printf(v->out, "%s%" PRId64 " %s\n", i ? "after " : "",
			   view_int(c, counts[i][1]), counts[i][2]);
	}
	if (view_int(c, "failures")) {
		view_label(v, "failures");
		buf_printf(v->out, "%" PRId64 " in a row\n", view_int(c, "failures"));
	}
}

void view_cron(const struct view *v, const json_t *c)
{
	AUTO(free)
	char *zone = mem_printf("%s (%s)", view_text(c, "tz"), view_text(c, "tz_source"));
	AUTO(free)
	char *when = mem_printf("%s (%s)",
				*view_text(c, "describe") ? view_text(c, "describe") : "unreadable",
				view_text(c, "schedule"));

	style_add(v->out, v->style, TINT_BOLD, view_text(c, "name"));
	if (*view_text(c, "description"))
		buf_add_str(v->out, "  ");
	visible_line(v->out, view_text(c, "description"));
	buf_add_char(v->out, '\n');
	print_trouble(v, c);
	view_field(v, "agent", view_text(c, "agent"));
	view_field(v, "schedule", when);
	view_field(v, "zone", zone);
	view_field(v, "enabled", json_is_true(json_object_get(c, "enabled")) ? "yes" : "no");
	print_last(v, c);
	view_mission_of(v, c);
	print_policy(v, c);
	print_rest(v, c);
	buf_add_str(v->out, "\n  ");
	visible_block(v->out, view_text(c, "prompt"), "  ");
	buf_add_str(v->out, "\n");
	if (json_array_size(json_object_get(c, "next"))) {
		buf_add_char(v->out, '\n');
		style_add(v->out, v->style, TINT_BOLD, "next:");
		buf_add_char(v->out, '\n');
		print_next(v, c);
	}
}
