/* view-board.c: what the agents say they are doing. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"

/* clang-format off */
static const struct table_column columns[] = {
	{"AGENT", 24, false}, {"STATUS", 40, false}, {"SINCE", 0, false}, {"DETAIL", 60, false},
};
/* clang-format on */

static void add_row(const struct view *v, const json_t *b, struct table *t)
{
	AUTO(free) char *detail = mem_strdup(view_text(b, "detail"));
	const char *user = view_text(b, "user");
	bool others = *user && strcmp(user, "me") != 0;
	AUTO(free)
	char *agent = mem_printf(others ? "%s of %s" : "%s", view_text(b, "agent"), user);
	char span[VIEW_SPAN_MAX] = "-";
	usec_t at = view_instant(b, "at");

	for (char *p = detail; *p; p++)
		*p = *p == '\n' ? ' ' : *p;
	if (at != USEC_NONE)
		view_span(v, at, span);
	table_add(t, TINT_NONE, agent);
	table_add(t, TINT_NONE, view_text(b, "status"));
	table_add(t, TINT_DIM, span);
	table_add(t, TINT_NONE, detail);
}

const struct view_list view_board = {
	"board", columns, sizeof(columns) / sizeof(columns[0]), add_row,
	"the board is empty; an agent writes on it: belfry board set STATUS"};

void view_board_change(const struct view *v, const json_t *b)
{
	const char *status = view_text(b, "status"), *detail = view_text(b, "detail");

	style_add(v->out, v->style, TINT_BOLD, view_text(b, "agent"));
	if (!*status) {
		buf_add_str(v->out, "  is off the board\n");
		return;
	}
	buf_add_str(v->out, "  ");
	visible_line(v->out, status);
	if (*detail) {
		buf_add_str(v->out, ": ");
		visible_line(v->out, detail);
	}
	buf_add_char(v->out, '\n');
}
