/* view-status.c: how things stand, and what will fire when. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/view.h"
#include "schedule/duration.h"

static void print_running(const struct view *v, const json_t *s)
{
	char up[DURATION_TEXT_MAX];

	if (!json_is_true(json_object_get(s, "running"))) {
		style_add(v->out, v->style, TINT_WARN, "no daemon is running");
		buf_add_str(v->out, ": nothing fires (belfry daemon start)\n");
		return;
	}
	duration_format_short(view_int(s, "uptime_s") * USEC_PER_SEC, up);
	if (*view_text(s, "trouble"))
		style_add(v->out, v->style, TINT_BAD, "running, but nothing fires");
	else
		style_add(v->out, v->style, TINT_GOOD, "running");
	buf_printf(v->out, "  belfry %s, pid %" PRId64 ", up %s\n", view_text(s, "version"),
		   view_int(s, "pid"), up);
}

static void print_counts(const struct view *v, const json_t *s)
{
	static const char *const words[] = {"active", "paused", "completed", "cancelled"};
	const json_t *counts = json_object_get(s, "reminders");
	bool any = false;

	view_label(v, "reminders");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!view_int(counts, words[i]))
			continue;
		buf_printf(v->out, "%s%" PRId64 " %s", any ? ", " : "", view_int(counts, words[i]),
			   words[i]);
		any = true;
	}
	if (json_is_true(json_object_get(counts, "or_more")))
		buf_add_str(v->out, ", or more");
	buf_add_str(v->out, any ? "\n" : "none\n");
}

static void print_store(const struct view *v, const json_t *s)
{
	const char *at = view_text(s, "store_at"), *configured = view_text(s, "store_configured");

	view_field(v, "store", *at ? at : view_text(s, "store"));
	if (!*configured)
		return;
	view_label(v, "");
	style_add(v->out, v->style, TINT_BAD, "another store is set now: ");
	visible_line(v->out, configured);
	buf_add_str(v->out,
		    " (to use it: belfry daemon stop, then belfry daemon start --switch-store)\n");
}

static void print_next_fire(const struct view *v, const json_t *s)
{
	const json_t *next = json_object_get(s, "next_fire");
	usec_t at = view_instant(next, "at");
	const struct zone *zone = v->zone;
	struct error err = {0};

	view_label(v, "next fire");
	if (at == USEC_NONE) {
		buf_add_str(v->out, "none\n");
		return;
	}
	zone_get(view_text(s, "zone"), &zone, &err);
	view_when(v, at, zone);
	buf_printf(v->out, ": %s ", view_text(next, "id"));
	visible_line(v->out, view_text(next, "name"));
	buf_add_str(v->out, *view_text(next, "name") ? " for " : "for ");
	visible_line(v->out, view_text(next, "agent"));
	buf_add_char(v->out, '\n');
}

static void print_queues(const struct view *v, const json_t *s)
{
	const json_t *queues = json_object_get(s, "queues");

	view_label(v, "queued");
	for (size_t i = 0; i < json_array_size(queues); i++) {
		const json_t *q = json_array_get(queues, i);

		buf_printf(v->out, "%s%" PRId64 "%s for ", i ? ", " : "", view_int(q, "queued"),
			   json_is_true(json_object_get(q, "or_more")) ? " or more" : "");
		visible_line(v->out, view_text(q, "agent"));
	}
	buf_add_str(v->out, json_array_size(queues) ? "\n" : "none\n");
}

static void print_missions(const struct view *v, const json_t *s)
{
	const json_t *m = json_object_get(s, "missions");

	if (!json_is_object(m))
		return;
	view_label(v, "missions");
	buf_printf(v->out, "%" PRId64 " of %" PRId64 " running, %" PRId64 " waiting\n",
		   view_int(m, "running"), view_int(m, "max_concurrent"), view_int(m, "waiting"));
}

/* Only when there is something: an empty inbox is no news. */
static void print_inbox(const struct view *v, const json_t *s)
{
	const json_t *inbox = json_object_get(s, "inbox");
	int64_t unread = view_int(inbox, "unread"), asks = view_int(inbox, "asks");

	if (!unread && !asks)
		return;
	view_label(v, "inbox");
	if (unread)
		buf_printf(v->out, "%" PRId64 " unread", unread);
	if (asks)
		style_printf(v->out, v->style, TINT_WARN, "%s%" PRId64 " question%s",
			     unread ? ", " : "", asks, asks == 1 ? "" : "s");
	buf_add_char(v->out, '\n');
}

/* Only when it is wanted: most people have no use for it. */
static void print_http(const struct view *v, const json_t *s)
{
	if (*view_text(s, "http"))
		view_field(v, "http", view_text(s, "http"));
	if (!*view_text(s, "http_error"))
		return;
	view_label(v, "http");
	style_add(v->out, v->style, TINT_BAD, "off: ");
	visible_line(v->out, view_text(s, "http_error"));
	buf_add_char(v->out, '\n');
}

/* Reading goes on: all the rest is as it says. */
static void print_trouble(const struct view *v, const json_t *s)
{
	if (!*view_text(s, "trouble"))
		return;
	view_field(v, "error", view_text(s, "trouble"));
	view_label(v, "since");
	view_when(v, view_instant(s, "trouble_since"), v->zone);
	buf_add_char(v->out, '\n');
	if (*view_text(s, "trouble_hint"))
		view_field(v, "hint", view_text(s, "trouble_hint"));
}

void view_status(const struct view *v, const json_t *s)
{
	const char *yours = view_text(s, "your_zone");
	bool other = *yours && strcmp(yours, view_text(s, "zone")) != 0;
	AUTO(free)
	char *zone = mem_printf(
		"%s (%s)%s%s%s%s%s", view_text(s, "zone"), view_text(s, "zone_source"),
		other ? " of the daemon; yours is " : "", other ? yours : "", other ? " (" : "",
		other ? view_text(s, "your_zone_source") : "", other ? ")" : "");

	print_running(v, s);
	print_trouble(v, s);
	if (*view_text(s, "clock")) {
		view_label(v, "clock");
		style_add(v->out, v->style, TINT_BAD, view_text(s, "clock"));
		buf_add_char(v->out, '\n');
	}
	if (*view_text(s, "home"))
		view_field(v, "home", view_text(s, "home"));
	print_store(v, s);
	view_field(v, "zone", zone);
	print_counts(v, s);
	print_next_fire(v, s);
	print_queues(v, s);
	print_missions(v, s);
	print_inbox(v, s);
	print_http(v, s);
	if (*view_text(s, "config_error")) {
		style_add(v->out, v->style, TINT_BAD, "config.yml cannot be used");
		buf_add_str(v->out, ", the one before it is still in force: ");
		visible_line(v->out, view_text(s, "config_error"));
		buf_add_char(v->out, '\n');
	}
}

void view_store_away(const struct view *v, const json_t *s)
{
	usec_t since = view_instant(s, "store_away_since");
	const json_t *error = json_object_get(s, "error");

	style_add(v->out, v->style, TINT_BAD, "running, but nothing fires");
	buf_printf(v->out, "  the store is away, pid %" PRId64 "\n", view_int(s, "pid"));
	view_label(v, "away");
	buf_add_str(v->out, "since ");
	view_when(v, since, v->zone);
	buf_add_char(v->out, '\n');
	view_field(v, "error", view_text(error, "message"));
	if (*view_text(error, "hint"))
		view_field(v, "hint", view_text(error, "hint"));
}

void view_next(const struct view *v, const json_t *result)
{
	const json_t *fires = json_object_get(result, "fires");
	const struct zone *zone = v->zone;
	struct error err = {0};

	zone_get(view_text(result, "zone"), &zone, &err);
	visible_line(v->out, view_text(result, "describe"));
	buf_printf(v->out, ", %s\n", view_text(result, "zone"));
	if (json_array_size(fires) == 0)
		buf_add_str(v->out, json_is_true(json_object_get(result, "passed"))
					    ? "  has passed: a reminder fires at once\n"
					    : "  never\n");
	for (size_t i = 0; i < json_array_size(fires); i++) {
		usec_t at = view_instant_of(json_array_get(fires, i));

		if (at != USEC_NONE)
			view_fire(v, at, zone);
	}
}

/* clang-format off */
static const struct table_column fire_columns[] = {
	{"AT", 0, false}, {"ID", 0, false}, {"NAME", 30, false}, {"AGENT", 20, false},
};
/* clang-format on */

void view_simulation(const struct view *v, const json_t *result)
{
	const json_t *fires = json_object_get(result, "fires");
	AUTO(table_free)
	struct table *t = table_new(fire_columns, sizeof(fire_columns) / sizeof(fire_columns[0]));
	usec_t from = view_instant(result, "from"), to = view_instant(result, "to");
	char text[VIEW_EXACT_MAX];

	for (size_t i = 0; i < json_array_size(fires); i++) {
		const json_t *fire = json_array_get(fires, i);
		AUTO(free) char *name = view_name(fire);

		view_exact(view_instant(fire, "at"), v->zone, text);
		table_add(t, TINT_NONE, text);
		table_add(t, TINT_NONE, view_text(fire, "id"));
		table_add(t, TINT_NONE, name);
		table_add(t, TINT_NONE, view_text(fire, "agent"));
	}
	if (table_rows(t))
		table_print(t, v->style, v->out);
	buf_printf(v->out, "%zu fire%s", table_rows(t), table_rows(t) == 1 ? "" : "s");
	if (from != USEC_NONE && to != USEC_NONE) {
		view_exact(from, v->zone, text);
		buf_printf(v->out, " from %s", text);
		view_exact(to, v->zone, text);
		buf_printf(v->out, " to %s", text);
	}
	buf_add_char(v->out, '\n');
}

void view_store_check(const struct view *v, const json_t *result)
{
	const char *wrong = view_text(result, "wrong");

	if (!*wrong) {
		buf_add_str(v->out, "the store opens and is sound\n");
		return;
	}
	style_add(v->out, v->style, TINT_BAD, "the store is damaged");
	buf_add_str(v->out, ":\n  ");
	visible_block(v->out, wrong, "  ");
	buf_add_str(v->out, v->out->data[v->out->len - 1] == '\n' ? "" : "\n");
	buf_add_str(v->out, "save what can be read with 'belfry reminder export', then restore a "
			    "backup\n");
}
