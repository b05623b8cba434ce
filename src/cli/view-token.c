/* view-token.c: tokens, and the one time one is shown. */
#include <stdio.h>

#include "cli/view.h"

/* clang-format off */
static const struct table_column columns[] = {
	{"ID", 0, false}, {"USER", 24, false}, {"SESSION", 32, false}, {"MADE", 0, false},
	{"USED", 0, false}, {"EXPIRES", 0, false}, {"LABEL", 40, false},
};
/* clang-format on */

static void add_span(const struct view *v, const json_t *token, const char *key, struct table *t)
{
	usec_t at = view_instant(token, key);
	char span[VIEW_SPAN_MAX] = "never";

	if (at != USEC_NONE)
		view_span(v, at, span);
	table_add(t, TINT_DIM, span);
}

static void add_row(const struct view *v, const json_t *token, struct table *t)
{
	const char *session = view_text(token, "session");

	table_add(t, TINT_NONE, view_text(token, "id"));
	table_add(t, TINT_NONE, view_text(token, "user"));
	table_add(t, TINT_NONE, *session ? session : "-");
	add_span(v, token, "created_at", t);
	add_span(v, token, "used_at", t);
	add_span(v, token, "expires_at", t);
	table_add(t, TINT_NONE, view_text(token, "label"));
}

const struct view_list view_tokens = {"tokens", columns, sizeof(columns) / sizeof(columns[0]),
				      add_row,
				      "no tokens: nobody may use HTTP; make one: belfry token add"};

void view_token_made(const struct view *v, const json_t *t)
{
	const char *url = view_text(t, "url");
	usec_t expires = view_instant(t, "expires_at");

	style_add(v->out, v->style, TINT_BOLD, view_text(t, "id"));
	buf_add_str(v->out, "  stands for ");
	visible_line(v->out, view_text(t, "user"));
	buf_add_str(v->out, "; this is the only time it is shown:\n");
	view_field(v, "token", view_text(t, "token"));
	if (expires != USEC_NONE) {
		view_label(v, "expires");
		view_when(v, expires, v->zone);
		buf_add_char(v->out, '\n');
	}
	if (*url)
		view_field(v, "url", url);
	else
		view_field(v, "url", "HTTP is off; config.yml turns it on: http: {port: 7467}");
}

void view_token_removed(const struct view *v, const json_t *t)
{
	style_add(v->out, v->style, TINT_BOLD, view_text(t, "id"));
	buf_add_str(v->out, "  is taken back\n");
}
