/* view-queue.c: messages on their way. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"

/* clang-format off */
static const struct table_column message_columns[] = {
	{"ID", 0, false}, {"AGENT", 20, false}, {"PRIORITY", 0, false}, {"STATE", 0, false},
	{"QUEUED", 0, false}, {"TRIES", 0, true}, {"TEXT", 40, false},
};
/* clang-format on */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void add_number(struct table *t, const json_t *item, const char *key)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, view_int(item, key));
	table_add(t, TINT_NONE, text);
}

static void add_message(const struct view *v, const json_t *m, struct table *t)
{
	char when[INSTANT_TEXT_MAX] = "-";
	usec_t queued = view_instant(m, "queued_at");
	AUTO(free) char *body = mem_strdup(view_text(m, "body"));

	for (char *p = body; *p; p++)
		if (*p == '\n')
			*p = ' ';
	if (queued != USEC_NONE)
		instant_format_near(queued, v->now, v->zone, when);
	table_add(t, TINT_NONE, view_text(m, "id"));
	table_add(t, TINT_NONE, view_text(m, "agent"));
	table_add(t, TINT_NONE, view_text(m, "priority"));
	table_add(t, view_status_tint(view_text(m, "state")),
		  *view_text(m, "note") ? "typed in" : view_text(m, "state"));
	table_add(t, TINT_NONE, when);
	add_number(t, m, "attempts");
	table_add(t, TINT_NONE, body);
}

const struct view_list view_messages = {"messages", message_columns, COUNT(message_columns),
					add_message, "no messages are queued"};

static void print_instant(const struct view *v, const json_t *m, const char *label, const char *key)
{
	usec_t at = view_instant(m, key);

	if (at == USEC_NONE)
		return;
	view_label(v, label);
	view_when(v, at, v->zone);
	buf_add_char(v->out, '\n');
}

static void print_body(const struct view *v, const json_t *m, const char *indent)
{
	buf_add_str(v->out, indent);
	visible_block(v->out, view_text(m, "body"), indent);
	if (v->out->data[v->out->len - 1] != '\n')
		buf_add_char(v->out, '\n');
}

void view_message(const struct view *v, const json_t *m)
{
	style_add(v->out, v->style, TINT_BOLD, view_text(m, "id"));
	buf_add_str(v->out, "  for ");
	visible_line(v->out, view_text(m, "agent"));
	buf_add_char(v->out, '\n');
	if (*view_text(m, "sender"))
		view_field(v, "from", view_text(m, "sender"));
	view_label(v, "state");
	buf_printf(v->out, "%s%s%s\n", view_text(m, "state"), *view_text(m, "note") ? ": " : "",
		   view_text(m, "note"));
	view_field(v, "priority", view_text(m, "priority"));
	if (*view_text(m, "reminder"))
		view_field(v, "reminder", view_text(m, "reminder"));
	print_instant(v, m, "queued", "queued_at");
	print_instant(v, m, "offered", "offered_at");
	print_instant(v, m, "done", "done_at");
	if (view_int(m, "attempts")) {
		view_label(v, "attempts");
		buf_printf(v->out, "%" PRId64 "\n", view_int(m, "attempts"));
	}
	print_instant(v, m, "next try", "attempt_at");
	if (*view_text(m, "last_error"))
		view_field(v, "last error", view_text(m, "last_error"));
	buf_add_char(v->out, '\n');
	print_body(v, m, "  ");
}

/* A program gets the text and nothing else; a person also a line about where it came from. */
void view_taken(const struct view *v, const json_t *m)
{
	const char *reminder = view_text(m, "reminder"), *body = view_text(m, "body");
	char when[INSTANT_TEXT_MAX] = "";
	usec_t queued = view_instant(m, "queued_at");

	if (!v->style->terminal) {
		buf_add_str(v->out, body);
		if (!*body || body[strlen(body) - 1] != '\n')
			buf_add_char(v->out, '\n');
		return;
	}
	if (queued != USEC_NONE)
		instant_format_near(queued, v->now, v->zone, when);
	style_printf(v->out, v->style, TINT_DIM, "%s%s%s, queued %s", view_text(m, "id"),
		     *reminder ? " from " : "", reminder, when);
	buf_add_char(v->out, '\n');
	print_body(v, m, "");
}
