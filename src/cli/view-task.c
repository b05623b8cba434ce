/* view-task.c: scheduled tasks, as a list and one in full. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const struct table_column columns[] = {
	{"ID", 0, false}, {"FIRE AT", 0, false}, {"STATUS", 0, false}, {"ATTEMPTS", 0, true},
	{"AGENT", 20, false}, {"PROMPT", 60, false},
};
/* clang-format on */

/* "1/3": how often it was tried, of how many. */
static char *attempts_of(const json_t *t)
{
	return mem_printf("%" PRId64 "/%" PRId64, view_int(t, "attempts"),
			  view_int(t, "max_attempts"));
}

/* A paused one is pending by the words of its table (B1), but does not run. */
static const char *status_of(const json_t *task)
{
	return json_is_true(json_object_get(task, "paused")) ? "paused" : view_text(task, "status");
}

static void add_task(const struct view *v, const json_t *task, struct table *t)
{
	AUTO(free) char *prompt = mem_strdup(view_text(task, "prompt")), *tries = attempts_of(task);
	const char *status = status_of(task), *error = view_text(task, "last_error");
	char when[INSTANT_TEXT_MAX] = "-";
	usec_t at = view_instant(task, "fire_at");

	/* In the reader's zone, whatever zone each of them was said in: so they can be compared. */
	if (at != USEC_NONE)
		instant_format_long(at, v->zone, when);
	for (char *p = prompt; *p; p++)
		*p = *p == '\n' ? ' ' : *p;
	table_add(t, TINT_NONE, view_text(task, "id"));
	table_add(t, TINT_NONE, when);
	table_add(t, view_status_tint(status), status);
	table_add(t, TINT_NONE, tries);
	table_add(t, TINT_NONE, view_text(task, "agent"));
	table_add(t, TINT_NONE, prompt);
	if (*error && strcmp(status, "completed") != 0)
		table_note(t, strcmp(status, "failed") == 0 ? TINT_BAD : TINT_WARN, error);
}

const struct view_list view_tasks = {
	"tasks", columns, COUNT(columns), add_task,
	"no tasks; add one: belfry task add 'Summarise the open issues' --at 'tomorrow 9am'"};

void view_task_change(const struct view *v, const json_t *t)
{
	const char *understood = view_text(t, "understood");

	style_add(v->out, v->style, TINT_BOLD, view_text(t, "id"));
	buf_add_str(v->out, "  ");
	if (*understood) {
		visible_line(v->out, understood);
		buf_printf(v->out, "; run by %s", view_text(t, "agent"));
	} else {
		visible_line(v->out, status_of(t));
	}
	buf_add_char(v->out, '\n');
}

static void print_instant(const struct view *v, const json_t *t, const char *label, const char *key)
{
	usec_t at = view_instant(t, key);

	if (at == USEC_NONE)
		return;
	view_label(v, label);
	view_when(v, at, view_zone(t));
	buf_add_char(v->out, '\n');
}

void view_task(const struct view *v, const json_t *t)
{
	const char *status = status_of(t);
	AUTO(free) char *tries = attempts_of(t);

	style_add(v->out, v->style, TINT_BOLD, view_text(t, "id"));
	if (*view_text(t, "name"))
		buf_add_str(v->out, "  ");
	visible_line(v->out, view_text(t, "name"));
	buf_add_char(v->out, '\n');
	view_label(v, "status");
	style_add(v->out, v->style, view_status_tint(status), status);
	buf_add_char(v->out, '\n');
	print_instant(v, t, "fire at", "fire_at");
	view_field(v, "agent", view_text(t, "agent"));
	if (*view_text(t, "user") && strcmp(view_text(t, "user"), "me") != 0)
		view_field(v, "for", view_text(t, "user"));
	view_field(v, "attempts", tries);
	print_instant(v, t, "next try", "next_try");
	view_field(v, "time limit", *view_text(t, "timeout") ? view_text(t, "timeout") : "none");
	if (*view_text(t, "last_error"))
		view_field(v, "last error", view_text(t, "last_error"));
	view_mission_of(v, t);
	print_instant(v, t, "created", "created_at");
	buf_add_str(v->out, "\n  ");
	visible_block(v->out, view_text(t, "prompt"), "  ");
	buf_add_char(v->out, '\n');
}
