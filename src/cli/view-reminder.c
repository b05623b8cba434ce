/* view-reminder.c: reminders as a list, one in full, and what a change did. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"
#include "schedule/duration.h"

#define NAME_MOST 30
#define SCHEDULE_MOST 30

/* clang-format off */
static const struct table_column all_columns[] = {
	{"ID", 0, false}, {"NAME", NAME_MOST, false}, {"AGENT", 20, false},
	{"SCHEDULE", SCHEDULE_MOST, false}, {"NEXT FIRE", 0, false}, {"STATUS", 0, false},
	{"FIRES", 0, true, .leave = 1},
};
static const struct table_column one_columns[] = {
	{"ID", 0, false}, {"NAME", NAME_MOST, false}, {"SCHEDULE", SCHEDULE_MOST, false},
	{"NEXT FIRE", 0, false}, {"STATUS", 0, false}, {"FIRES", 0, true, .leave = 1},
};
/* clang-format on */

/* A clock other than the reader's own is named: "tomorrow 9:00 AM EST". */
static void format_next(const struct view *v, usec_t next, const struct zone *zone, char *ret)
{
	int64_t seconds = floor_div(next, USEC_PER_SEC);
	struct zone_span theirs, own;
	size_t used;

	instant_format_near(next, v->now, zone, ret);
	zone_span_at(zone, seconds, &theirs);
	zone_span_at(v->zone, seconds, &own);
	used = strlen(ret);
	if (theirs.offset != own.offset)
		snprintf(ret + used, INSTANT_TEXT_MAX - used, " %s", theirs.abbreviation);
}

/* One that runs the agent says so, by the door it came in, in front where no cut reaches it. */
static char *marked_name(const json_t *r)
{
	AUTO(free) char *name = view_name(r);
	const char *door = view_text(r, "door");

	if (strcmp(view_text(r, "action"), "run") != 0)
		return steal_ptr(&name);
	return mem_printf("[%s] %s", *door && strcmp(door, "reminder") != 0 ? door : "run", name);
}

static void add_row(const struct view *v, const json_t *r, struct table *t)
{
	AUTO(free) char *name = marked_name(r);
	const char *state = view_text(r, "state");
	const char *status = *state ? state : view_text(r, "status");
	usec_t next = view_instant(r, "next_fire");
	const char *later = view_text(r, "next_when");
	char when[INSTANT_TEXT_MAX] = "-", fires[32];

	if (next != USEC_NONE)
		format_next(v, next, view_zone(r), when);
	else if (*later)
		snprintf(when, sizeof(when), "%s", later);
	snprintf(fires, sizeof(fires), "%" PRId64, view_int(r, "fire_count"));
	table_add(t, TINT_NONE, view_text(r, "id"));
	table_add(t, TINT_NONE, name);
	if (!v->one_agent)
		table_add(t, TINT_NONE, view_text(r, "agent"));
	table_add(t, TINT_NONE, view_text(r, "label"));
	table_add(t, next == USEC_NONE ? TINT_DIM : TINT_NONE, when);
	table_add(t, *state ? TINT_BAD : view_status_tint(status), status);
	table_add(t, TINT_NONE, fires);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EMPTY "no reminders; add one: belfry reminder add me -m 'stand up and stretch' --every 1h"

const struct view_list view_reminders = {"reminders", all_columns, COUNT(all_columns), add_row,
					 EMPTY};
const struct view_list view_reminders_of_one = {"reminders", one_columns, COUNT(one_columns),
						add_row, EMPTY};

/* "r-k3f9x2  once at Nov 16, 2026 9:00 AM CET (+01:00), in 13h 5m"; warnings go to stderr. */
void view_change(const struct view *v, const json_t *r)
{
	const char *understood = view_text(r, "understood");

	if (!*view_text(r, "id")) {
		view_generic(v, r);
		return;
	}
	style_add(v->out, v->style, TINT_BOLD, view_text(r, "id"));
	buf_add_str(v->out,
		    json_is_true(json_object_get(r, "existed")) ? "  is there already: " : "  ");
	visible_line(v->out, *understood ? understood : view_text(r, "status"));
	buf_add_char(v->out, '\n');
}

/* A run by hand leaves the reminder as it was, so that is not what there is to say. */
void view_run(const struct view *v, const json_t *r)
{
	style_add(v->out, v->style, TINT_BOLD, view_text(r, "id"));
	buf_add_str(v->out, "  fired now; its schedule stays: ");
	visible_line(v->out, view_text(r, "understood"));
	buf_add_char(v->out, '\n');
}

static void print_schedule(const struct view *v, const json_t *r)
{
	const json_t *schedule = json_object_get(r, "schedule");
	const char *kind;
	json_t *text;

	view_label(v, "schedule");
	visible_line(v->out, view_text(r, "describe"));
	json_object_foreach((json_t *)(uintptr_t)schedule, kind, text)
	{
		AUTO_BUF struct buf typed = {0};

		buf_printf(&typed, " (%s ", kind);
		visible_line(&typed, json_string_value(text) ? json_string_value(text) : "");
		buf_add_char(&typed, ')');
		style_add(v->out, v->style, TINT_DIM, buf_text(&typed));
	}
	buf_add_char(v->out, '\n');
}

static void print_condition(const struct view *v, const json_t *r)
{
	const json_t *c = json_object_get(r, "condition");
	bool command = *view_text(c, "command");
	AUTO(free) char *line = NULL;

	if (!json_is_object(c))
		return;
	line = mem_printf("%s: %s", command ? "command" : "prompt",
			  view_text(c, command ? "command" : "prompt"));
	view_field(v, "condition", line);
	free(line);
	line = mem_printf("%s%s%s", view_text(c, "mode"),
			  *view_text(c, "timeout") ? ", time limit " : "", view_text(c, "timeout"));
	view_field(v, "mode", line);
}

static void print_instant(const struct view *v, const json_t *r, const char *label, const char *key)
{
	usec_t instant = view_instant(r, key);

	if (instant == USEC_NONE)
		return;
	view_label(v, label);
	view_when(v, instant, view_zone(r));
	buf_add_char(v->out, '\n');
}

static void print_bounds(const struct view *v, const json_t *r)
{
	/* clang-format off */
	static const char *const keys[][2] = {
		{"catch-up", "catchup"}, {"deadline", "start_deadline"}, {"jitter", "jitter"},
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT(keys); i++)
		if (*view_text(r, keys[i][1]))
			view_field(v, keys[i][0], view_text(r, keys[i][1]));
	if (view_int(r, "count")) {
		view_label(v, "at most");
		buf_printf(v->out, "%" PRId64 " fires\n", view_int(r, "count"));
	}
	print_instant(v, r, "until", "until");
}

/* What a fire does; a message is what reminders are for and needs no word. */
static void print_action(const struct view *v, const json_t *r)
{
	const json_t *p = json_object_get(r, "policy");
	const char *door = view_text(p, "door"), *limit = view_text(p, "timeout");
	AUTO(free) char *line = NULL;

	if (!json_is_object(p))
		return;
	line = mem_printf("runs the agent%s%s; overlap %s, time limit %s, %" PRId64 " attempt%s",
			  strcmp(door, "reminder") == 0 ? "" : ", a ",
			  strcmp(door, "reminder") == 0 ? "" : door, view_text(p, "overlap"),
			  *limit ? limit : "none", view_int(p, "max_attempts"),
			  view_int(p, "max_attempts") == 1 ? "" : "s");
	view_field(v, "action", line);
}

/* What is done when there is nobody to deliver to; to wait is what is expected and needs no word. */
static void print_fallback(const struct view *v, const json_t *r)
{
	const char *fallback = view_text(r, "fallback");

	if (strcmp(fallback, "run") == 0)
		view_field(v, "fallback", "runs a mission when the agent has no session");
	else if (strcmp(fallback, "start") == 0)
		view_field(v, "fallback", "starts the agent's session when it has none");
}

static void print_fires(const struct view *v, const json_t *r)
{
	int64_t fires = view_int(r, "fire_count");
	usec_t last = view_instant(r, "last_fired_at");

	view_label(v, "fired");
	buf_printf(v->out, fires == 1 ? "once" : "%" PRId64 " times", fires);
	if (last != USEC_NONE) {
		buf_add_str(v->out, ", last ");
		view_when(v, last, view_zone(r));
	}
	buf_add_char(v->out, '\n');
}

static void print_last(const struct view *v, const json_t *r)
{
	const json_t *last = json_object_get(r, "last");
	const char *outcome = view_text(last, "outcome"), *reason = view_text(last, "reason");
	const char *mission = view_text(json_object_get(last, "mission"), "id");
	char when[INSTANT_TEXT_MAX];
	usec_t nominal = view_instant(last, "nominal");

	if (!json_is_object(last) || nominal == USEC_NONE)
		return;
	instant_format_near(nominal, v->now, view_zone(r), when);
	view_label(v, "last slot");
	buf_printf(v->out, "%s ", when);
	style_add(v->out, v->style, view_status_tint(outcome), outcome);
	if (*reason && strcmp(reason, outcome) != 0) {
		buf_add_str(v->out, ": ");
		visible_line(v->out, reason);
	}
	if (*mission && !strstr(reason, mission))
		buf_printf(v->out, ", mission %s", mission);
	buf_add_char(v->out, '\n');
	if (!strstr(reason, view_text(last, "verdict_detail"))) {
		view_label(v, "");
		visible_block(v->out, view_text(last, "verdict_detail"), "             ");
		buf_add_char(v->out, '\n');
	}
}

static void print_status(const struct view *v, const json_t *r)
{
	const char *status = view_text(r, "status"), *reason = view_text(r, "end_reason");

	view_label(v, "status");
	style_add(v->out, v->style, view_status_tint(status), status);
	if (*reason) {
		/* "paused by hand" says it by itself */
		size_t same = strncmp(reason, status, strlen(status)) == 0 ? strlen(status) : 0;

		buf_add_str(v->out, same ? "" : ": ");
		visible_line(v->out, reason + same);
	}
	buf_add_char(v->out, '\n');
	if (!*view_text(r, "trouble") || strstr(reason, view_text(r, "trouble")))
		return;
	view_label(v, "trouble");
	style_add(v->out, v->style, TINT_BAD, view_text(r, "state"));
	buf_add_str(v->out, ": ");
	visible_line(v->out, view_text(r, "trouble"));
	buf_add_char(v->out, '\n');
}

/* Whose it is, where that is not the person who reads this, and where its answers go. */
static void print_user(const struct view *v, const json_t *r)
{
	const json_t *delivery = json_object_get(r, "delivery");
	const char *user = view_text(r, "user");

	if (!*user || strcmp(user, "me") == 0)
		return;
	view_label(v, "for");
	visible_line(v->out, user);
	buf_printf(v->out, ", %s trust", view_text(r, "trust"));
	for (size_t i = 0; i < json_array_size(delivery); i++) {
		buf_add_str(v->out, i ? ", " : "; to ");
		visible_line(v->out, json_string_value(json_array_get(delivery, i)));
	}
	buf_add_char(v->out, '\n');
}

void view_reminder(const struct view *v, const json_t *r)
{
	AUTO(free)
	char *zone = mem_printf("%s (%s)", view_text(r, "tz"), view_text(r, "tz_source"));

	style_add(v->out, v->style, TINT_BOLD, view_text(r, "id"));
	buf_add_str(v->out, "  ");
	visible_line(v->out, view_text(r, "name"));
	buf_add_char(v->out, '\n');
	view_field(v, "agent", view_text(r, "agent"));
	print_user(v, r);
	if (*view_text(r, "made_by"))
		view_field(v, "written by", view_maker(r));
	print_status(v, r);
	print_schedule(v, r);
	view_field(v, "zone", zone);
	print_instant(v, r, "next fire", "next_fire");
	print_action(v, r);
	print_fallback(v, r);
	view_field(v, "priority", view_text(r, "priority"));
	print_condition(v, r);
	print_bounds(v, r);
	print_fires(v, r);
	print_last(v, r);
	print_instant(v, r, "created", "created_at");
	print_instant(v, r, "ended", "ended_at");
	view_field(v, "source", view_text(r, "source"));
	buf_add_str(v->out, "\n  ");
	visible_block(v->out, view_text(r, "message"), "  ");
	buf_add_char(v->out, '\n');
}
