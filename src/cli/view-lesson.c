/* view-lesson.c: lessons and workflows, for people. */
#include <stdlib.h>
#include <string.h>

#include "cli/view.h"

/* clang-format off */
static const struct table_column lesson_columns[] = {
	{"ID", 40, false}, {"TITLE", 40, false}, {"SUMMARY", 60, false},
};
static const struct table_column workflow_columns[] = {
	{"NAME", 40, false}, {"STEPS", 0, true}, {"TITLE", 40, false}, {"SUMMARY", 60, false},
};
/* clang-format on */

/* What it says, or why it cannot be read. */
static void add_summary(const json_t *page, struct table *t)
{
	const char *problem = view_text(page, "problem");

	table_add(t, TINT_NONE, view_text(page, "title"));
	table_add(t, *problem ? TINT_BAD : TINT_DIM,
		  *problem ? problem : view_text(page, "summary"));
}

static void add_lesson(const struct view *v, const json_t *page, struct table *t)
{
	(void)v;
	table_add(t, TINT_BOLD, view_text(page, "id"));
	add_summary(page, t);
}

static void add_workflow(const struct view *v, const json_t *page, struct table *t)
{
	char steps[24];

	(void)v;
	snprintf(steps, sizeof(steps), "%lld", (long long)view_int(page, "steps"));
	table_add(t, TINT_BOLD, view_text(page, "name"));
	table_add(t, TINT_NONE, steps);
	add_summary(page, t);
}

const struct view_list view_lessons = {
	"lessons", lesson_columns, sizeof(lesson_columns) / sizeof(lesson_columns[0]), add_lesson,
	"no lessons; one is a file of Markdown, lessons/ID.md beside config.yml"};

const struct view_list view_workflows = {"workflows", workflow_columns,
					 sizeof(workflow_columns) / sizeof(workflow_columns[0]),
					 add_workflow,
					 "no workflows; one is a file of Markdown, "
					 "workflows/NAME.md beside config.yml, with a heading "
					 "'## plan' for each step"};

void view_lesson(const struct view *v, const json_t *page)
{
	view_markdown(v, view_text(page, "text"));
}

static void print_steps(const struct view *v, const json_t *steps)
{
	const struct buf *out = v->out;
	const json_t *step;
	size_t i;

	if (out->len > 1 && out->data[out->len - 2] != '\n')
		buf_add_char(v->out, '\n');
	json_array_foreach(steps, i, step)
	{
		const char *problem = view_text(step, "problem");

		buf_printf(v->out, "%zu. ", i + 1);
		style_add(v->out, v->style, TINT_BOLD, view_text(step, "step"));
		if (*view_text(step, "title") || *problem) {
			buf_add_str(v->out, "  ");
			visible_line(v->out, *problem ? problem : view_text(step, "title"));
		}
		buf_add_char(v->out, '\n');
	}
}

/* A workflow with its steps, or one of these. */
void view_workflow(const struct view *v, const json_t *page)
{
	const json_t *steps = json_object_get(page, "steps");
	const char *next = view_text(page, "next"), *text = view_text(page, "text");

	view_markdown(v, *text ? text : view_text(page, "title"));
	if (steps)
		print_steps(v, steps);
	else if (*next)
		style_printf(v->out, v->style, TINT_DIM, "\nnext: %s\n", next);
}
