/* view-apply.c: what the files changed, one line each. */
#include <string.h>

#include "cli/view.h"

/* clang-format off */
static const struct {
	const char *change, *sign;
	enum tint tint;
	const char *lead; /* before the detail */
} signs[] = {
	{"created",   "+", TINT_GOOD, ""},
	{"changed",   "~", TINT_WARN, ""},
	{"completed", "-", TINT_DIM,  ""},
	{"broken",    "!", TINT_BAD,  "cannot work: "},
};
/* clang-format on */
#define SIGN_COUNT (sizeof(signs) / sizeof(signs[0]))

static void print_change(const struct view *v, const json_t *change)
{
	const char *id = view_text(change, "id"), *agent = view_text(change, "agent");
	size_t kind = 0;

	while (kind + 1 < SIGN_COUNT &&
	       strcmp(signs[kind].change, view_text(change, "change")) != 0)
		kind++;
	style_add(v->out, v->style, signs[kind].tint, signs[kind].sign);
	buf_printf(v->out, " %s ", view_text(change, "what"));
	style_add(v->out, v->style, TINT_BOLD, view_text(change, "name"));
	if (*agent)
		buf_printf(v->out, " of %s", agent);
	if (*id)
		style_printf(v->out, v->style, TINT_DIM, " (%s)", id);
	buf_printf(v->out, ": %s",
		   strcmp(view_text(change, "what"), "agent") == 0 ? "" : signs[kind].lead);
	visible_line(v->out, view_text(change, "detail"));
	buf_add_char(v->out, '\n');
}

static void print_changes(const struct view *v, const json_t *changes)
{
	const json_t *change;
	size_t i;

	json_array_foreach(changes, i, change)
	{
		print_change(v, change);
	}
}

static bool has_work(const json_t *changes)
{
	const json_t *change;
	size_t i;

	json_array_foreach(changes, i, change)
	{
		if (strcmp(view_text(change, "change"), "broken") != 0)
			return true;
	}
	return false;
}

/* A daemon was quicker: say what it did. What cannot work was said just now. */
static void print_last(const struct view *v, const json_t *last)
{
	char span[VIEW_SPAN_MAX];
	const json_t *change;
	size_t i;

	view_span(v, view_instant(last, "at"), span);
	style_printf(v->out, v->style, TINT_DIM, "the daemon has applied the files already (%s):\n",
		     span);
	json_array_foreach(json_object_get(last, "changes"), i, change)
	{
		if (strcmp(view_text(change, "change"), "broken") != 0)
			print_change(v, change);
	}
}

void view_apply(const struct view *v, const json_t *result)
{
	const json_t *changes = json_object_get(result, "changes");
	const json_t *last = json_object_get(result, "last");
	bool dry = json_is_true(json_object_get(result, "dry_run"));

	print_changes(v, changes);
	if (has_work(changes)) {
		if (dry)
			style_add(v->out, v->style, TINT_DIM, "nothing was changed: --dry-run\n");
		return;
	}
	buf_add_str(v->out, "nothing left to do\n");
	if (json_is_object(last))
		print_last(v, last);
}
