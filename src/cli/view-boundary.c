/* view-boundary.c: what a session is to be reminded of by itself. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"

static bool is_given(const json_t *b, const char *key)
{
	const json_t *value = json_object_get(b, key);

	return value && !json_is_null(value);
}

/* "prompt 5 (2 to go), or in 30m" */
static void print_when(const struct view *v, const json_t *b, int64_t calls)
{
	int64_t left = view_int(b, "suppress_until_call") - calls;
	char span[VIEW_SPAN_MAX];

	if (is_given(b, "suppress_until_call") && left > 0)
		buf_printf(v->out, "with prompt %lld, %lld to go",
			   (long long)view_int(b, "suppress_until_call"), (long long)left);
	else if (is_given(b, "suppress_until_call"))
		buf_add_str(v->out, "with the next prompt");
	if (!is_given(b, "suppress_until"))
		return;
	view_span(v, view_instant(b, "suppress_until"), span);
	buf_printf(v->out, "%s%s", is_given(b, "suppress_until_call") ? ", or " : "", span);
}

static char *join_lessons(const json_t *b)
{
	const json_t *list = json_object_get(b, "lesson_ids"), *item;
	struct buf out = {0};
	size_t i;

	json_array_foreach(list, i, item)
	{
		buf_printf(&out, "%s%s", i ? ", " : "", json_string_value(item));
	}
	return buf_steal(&out);
}

static void print_words(const struct view *v, const json_t *b)
{
	AUTO(free) char *lessons = join_lessons(b);
	const struct {
		const char *label, *text;
	} fields[] = {{"message", view_text(b, "reminder_message")},
		      {"step", view_text(b, "workflow_step")},
		      {"lessons", lessons},
		      {"note", view_text(b, "task_note")}};
	bool any = false;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (*fields[i].text)
			view_field(v, fields[i].label, fields[i].text);
		any |= i < 3 && *fields[i].text;
	}
	if (!any)
		view_field(v, "message", "(none: only pattern reminders are held back)");
}

static void print_one(const struct view *v, const json_t *b, int64_t calls)
{
	const char *state = view_text(b, "state");

	style_add(v->out, v->style, TINT_BOLD, view_text(b, "id"));
	buf_add_str(v->out, "  ");
	if (strcmp(state, "waiting") == 0)
		print_when(v, b, calls);
	else
		buf_add_str(v->out, state);
	buf_add_char(v->out, '\n');
	print_words(v, b);
}

void view_boundary_set(const struct view *v, const json_t *b)
{
	print_one(v, b, view_int(b, "current_call_count"));
}

static void print_session(const struct view *v, const json_t *result)
{
	const json_t *list = json_object_get(result, "boundaries"), *b;
	int64_t calls = view_int(result, "current_call_count");
	size_t i;

	buf_add_str(v->out, "session ");
	visible_line(v->out, view_text(result, "session"));
	if (!json_is_true(json_object_get(result, "known")))
		buf_add_str(v->out, ": nothing is known of it yet");
	else
		buf_printf(v->out, ": %lld prompt%s so far%s", (long long)calls,
			   calls == 1 ? "" : "s",
			   json_array_size(list) ? "" : ", nothing is pending");
	if (*view_text(result, "directory")) {
		buf_add_str(v->out, ", in ");
		visible_line(v->out, view_text(result, "directory"));
	}
	buf_add_char(v->out, '\n');
	json_array_foreach(list, i, b)
	{
		print_one(v, b, calls);
	}
}

void view_boundaries(const struct view *v, const json_t *result)
{
	const json_t *sessions = json_object_get(result, "sessions"), *one;
	size_t i;

	if (!sessions)
		print_session(v, result);
	else if (!json_array_size(sessions))
		buf_add_str(v->out, "nothing is pending in any session\n");
	json_array_foreach(sessions, i, one)
	{
		print_session(v, one);
	}
}

void view_boundary_cleared(const struct view *v, const json_t *result)
{
	int64_t count = view_int(result, "cleared");

	if (!count)
		buf_add_str(v->out, "nothing was waiting\n");
	else
		buf_printf(v->out, "%lld taken back\n", (long long)count);
}
