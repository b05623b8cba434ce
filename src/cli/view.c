/*
 * view.c: which printer shows which result, and what the printers share.
 * Times are shown in the zone of their reminder, since that is the clock the person meant; only
 * where several reminders share a page is it the reader's own.
 */
#include "cli/view.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "schedule/duration.h"
#include "terminal/markdown.h"

#define LABEL_WIDTH 11
#define EXCERPT_MAX 40

const char *view_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

const char *view_maker(const json_t *reminder)
{
	const char *maker = view_text(reminder, "made_by");

	return strcmp(maker, "unknown") == 0 ? "of a mission that is gone" : maker;
}

int64_t view_int(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

usec_t view_instant_of(const json_t *text)
{
	struct error err = {0};
	usec_t instant = USEC_NONE;

	if (json_is_string(text) &&
	    instant_parse(json_string_value(text), zone_utc(), &instant, &err) < 0)
		return USEC_NONE;
	return instant;
}

usec_t view_instant(const json_t *object, const char *key)
{
	return view_instant_of(json_object_get(object, key));
}

const struct zone *view_zone(const json_t *reminder)
{
	const struct zone *zone = zone_utc();
	struct error err = {0};

	zone_get(view_text(reminder, "tz"), &zone, &err);
	return zone;
}

void view_span(const struct view *v, usec_t instant, char *ret)
{
	usec_t span = instant - v->now;
	char text[DURATION_TEXT_MAX];

	/* The moment that passed since it was asked for is nobody's business. */
	span = (span + (span < 0 ? -1 : 1) * USEC_PER_SEC / 2) / USEC_PER_SEC * USEC_PER_SEC;
	duration_format_short(span < 0 ? -span : span, text);
	if (span > -USEC_PER_SEC && span < USEC_PER_SEC)
		snprintf(ret, VIEW_SPAN_MAX, "now");
	else
		snprintf(ret, VIEW_SPAN_MAX, span < 0 ? "%s ago" : "in %s", text);
}

/* "Feb 4, 2026 3:15:30 PM PST": the long form, with seconds where they matter. */
void view_exact(usec_t instant, const struct zone *zone, char *ret)
{
	char text[INSTANT_TEXT_MAX];
	int seconds = (int)((instant / USEC_PER_SEC % 60 + 60) % 60);
	char *half;

	instant_format_long(instant, zone, text);
	half = strstr(text, " AM");
	if (!half)
		half = strstr(text, " PM");
	/* Of whole seconds the long form shows them itself. */
	if (!seconds || !half || instant % USEC_PER_SEC == 0)
		snprintf(ret, VIEW_EXACT_MAX, "%s", text);
	else
		snprintf(ret, VIEW_EXACT_MAX, "%.*s:%02d%s", (int)(half - text), text, seconds,
			 half);
}

void view_fire(const struct view *v, usec_t instant, const struct zone *zone)
{
	char text[VIEW_EXACT_MAX], span[VIEW_SPAN_MAX];

	view_exact(instant, zone, text);
	view_span(v, instant, span);
	buf_printf(v->out, "  %s", text);
	style_printf(v->out, v->style, TINT_DIM, ", %s", span);
	buf_add_char(v->out, '\n');
}

void view_when(const struct view *v, usec_t instant, const struct zone *zone)
{
	char text[INSTANT_TEXT_MAX], span[VIEW_SPAN_MAX];

	instant_format_long(instant, zone, text);
	view_span(v, instant, span);
	buf_add_str(v->out, text);
	style_printf(v->out, v->style, TINT_DIM, ", %s", span);
}

void view_label(const struct view *v, const char *label)
{
	buf_add_str(v->out, "  ");
	style_add(v->out, v->style, TINT_DIM, label);
	buf_printf(v->out, "%*s", LABEL_WIDTH - (int)text_width(label), "");
}

void view_field(const struct view *v, const char *label, const char *text)
{
	view_label(v, label);
	visible_line(v->out, text);
	buf_add_char(v->out, '\n');
}

void view_mission_of(const struct view *v, const json_t *o)
{
	const char *id = view_text(o, "mission");

	if (!*id)
		return;
	view_label(v, "mission");
	buf_printf(v->out, "%s; its answer: belfry mission show %s\n", id, id);
}

void view_markdown(const struct view *v, const char *text)
{
	if (v->style->terminal)
		markdown_render(text, strlen(text), v->style, 0, v->out);
	else
		visible_block(v->out, text, "");
	if (v->out->len && v->out->data[v->out->len - 1] != '\n')
		buf_add_char(v->out, '\n');
}

/* clang-format off */
static const struct {
	enum tint tint;
	const char *words;
} status_tints[] = {
	{TINT_GOOD, "active fired delivered success completed ran"},
	{TINT_BAD, "failed invalid timeout orphaned killed"},
	{TINT_WARN, "paused missed checking offered waiting skipped running daemon_shutdown"},
};
/* clang-format on */

enum tint view_status_tint(const char *status)
{
	for (size_t i = 0; i < sizeof(status_tints) / sizeof(status_tints[0]); i++)
		if (text_has_word(status_tints[i].words, status))
			return status_tints[i].tint;
	return TINT_DIM;
}

char *view_name(const json_t *reminder)
{
	const char *name = view_text(reminder, "name"), *message = view_text(reminder, "message");
	AUTO_BUF struct buf excerpt = {0};
	AUTO(free) char *line = NULL;

	if (*name || !*message)
		return mem_strdup(*name ? name : "-");
	line = mem_strdup(message);
	for (char *p = line; *p; p++)
		if (*p == '\n')
			*p = ' ';
	buf_add_char(&excerpt, '"');
	text_cut(&excerpt, line, EXCERPT_MAX);
	buf_add_char(&excerpt, '"');
	return buf_steal(&excerpt);
}

static void print_value(const struct view *v, const json_t *value)
{
	AUTO(free)
	char *text =
		json_is_string(value) ? mem_strdup(json_string_value(value)) : json_text(value);

	visible_block(v->out, text, "             ");
	buf_add_char(v->out, '\n');
}

/* A result no printer knows: its keys and values. */
void view_generic(const struct view *v, const json_t *result)
{
	const char *key;
	json_t *value;

	if (!json_is_object(result)) {
		print_value(v, result);
		return;
	}
	json_object_foreach((json_t *)(uintptr_t)result, key, value)
	{
		view_label(v, key);
		print_value(v, value);
	}
}

/* clang-format off */
static const struct {
	const char *request;
	view_print *print;
} printers[] = {
	{"reminder add", view_change}, {"reminder edit", view_change},
	{"reminder pause", view_change}, {"reminder resume", view_change},
	{"reminder complete", view_change}, {"reminder remove", view_change},
	{"reminder run", view_run}, {"reminder show", view_reminder},
	{"why", view_why}, {"simulate", view_simulation}, {"next", view_next},
	{"queue show", view_message}, {"queue take", view_taken}, {"status", view_status},
	{"cron add", view_cron_change}, {"cron edit", view_cron_change},
	{"cron enable", view_cron_change}, {"cron disable", view_cron_change},
	{"cron rm", view_cron_change}, {"cron run", view_cron_run}, {"cron show", view_cron},
	{"task add", view_task_change}, {"task edit", view_task_change},
	{"task cancel", view_task_change}, {"task show", view_task},
	{"board set", view_board_change}, {"board clear", view_board_change},
	{"mission new", view_mission_new}, {"mission resume", view_mission_new},
	{"mission show", view_mission}, {"mission stop", view_mission_change},
	{"mission archive", view_mission_change}, {"mission unarchive", view_mission_change},
	{"mission rm", view_mission_removed},
	{"inbox list", view_threads}, {"inbox search", view_found},
	{"inbox read", view_thread_change}, {"inbox unread", view_thread_change},
	{"inbox archive", view_thread_change}, {"inbox unarchive", view_thread_change},
	{"apply", view_apply}, {"inbox reply", view_replied}, {"message send", view_sent},
	{"agent start", view_agent_started}, {"agent stop", view_agent_stopped},
	{"agent restart", view_agent_started}, {"agent rm", view_agent_removed},
	{"agent send", view_agent_sent},
	{"lesson show", view_lesson}, {"workflow show", view_workflow},
	{"setup", view_setup},
	{"boundary set", view_boundary_set}, {"boundary show", view_boundaries},
	{"boundary clear", view_boundary_cleared},
	{"store check", view_store_check},
	{"token add", view_token_made}, {"token rm", view_token_removed},
};
static const struct {
	const char *request;
	const struct view_list *list;
} lists[] = {
	{"reminder list", &view_reminders}, {"queue list", &view_messages},
	{"agent ls", &view_agents}, {"agent list", &view_agents}, {"cron ls", &view_crons}, {"cron history", &view_history},
	{"task list", &view_tasks}, {"board show", &view_board},
	{"mission ls", &view_missions}, {"token ls", &view_tokens},
	{"lesson list", &view_lessons}, {"workflow list", &view_workflows},
};
/* clang-format on */

view_print *view_of(const char *request)
{
	for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]); i++)
		if (strcmp(printers[i].request, request) == 0)
			return printers[i].print;
	return view_generic;
}

const struct view_list *view_list_of(const struct view *v, const char *request)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (strcmp(lists[i].request, request) != 0)
			continue;
		if (lists[i].list == &view_reminders && v->one_agent)
			return &view_reminders_of_one;
		if (lists[i].list == &view_crons)
			return view_crons_of(v);
		if (lists[i].list == &view_agents)
			return view_agents_of(v);
		return lists[i].list;
	}
	return NULL;
}
