/*
 * view-why.c: what a reminder did and why, as a story.
 * One line a slot, newest first: when it was due, what became of it, and only then, where it
 * differs from the plain case, why, how late, and what was missed before. Then what comes next.
 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/view.h"
#include "schedule/duration.h"

#define WHEN_WIDTH 22
#define OUTCOME_WIDTH 10
#define DETAIL_INDENT "      "

static void headline(const struct view *v, const json_t *r)
{
	AUTO(free) char *name = view_name(r);
	int64_t fires = view_int(r, "fire_count");

	style_add(v->out, v->style, TINT_BOLD, view_text(r, "id"));
	buf_add_str(v->out, "  ");
	visible_line(v->out, name);
	buf_add_str(v->out, " for ");
	visible_line(v->out, view_text(r, "agent"));
	buf_add_str(v->out, "\n");
	visible_line(v->out, view_text(r, "describe"));
	/* A single instant names its zone already, and idleness has none. */
	if (!json_object_get(json_object_get(r, "schedule"), "at") &&
	    !json_object_get(json_object_get(r, "schedule"), "idle"))
		buf_printf(v->out, ", %s", view_text(r, "tz"));
	buf_add_str(v->out, "; ");
	style_add(v->out, v->style, view_status_tint(view_text(r, "status")),
		  view_text(r, "status"));
	buf_printf(v->out, fires == 1 ? ", fired once\n" : ", fired %" PRId64 " times\n", fires);
	if (*view_text(r, "made_by")) {
		buf_add_str(v->out, "made or changed by a run: ");
		visible_line(v->out, view_maker(r));
		buf_add_char(v->out, '\n');
	}
	if (*view_text(r, "end_reason")) {
		bool paused = strcmp(view_text(r, "status"), "paused") == 0;
		const char *reason = view_text(r, "end_reason");

		/* "paused after 5 failures in a row" says it by itself */
		if (!paused || strncmp(reason, "paused", strlen("paused")) != 0)
			buf_add_str(v->out, paused ? "paused: " : "ended: ");
		visible_line(v->out, reason);
		buf_add_char(v->out, '\n');
	}
}

/* "; 20m late", with the separator that fits. */
static void add_part(const struct view *v, bool *first, const char *text)
{
	buf_add_str(v->out, *first ? "" : "; ");
	visible_line(v->out, text);
	*first = false;
}

static void add_run(const struct view *v, const json_t *slot, const struct zone *zone, bool *first)
{
	char since[INSTANT_TEXT_MAX];
	AUTO(free) char *text = NULL;
	usec_t begin = view_instant(slot, "first_nominal");

	if (view_int(slot, "occurrences") < 2 || begin == USEC_NONE)
		return;
	instant_format_near(begin, v->now, zone, since);
	text = mem_printf("%s%" PRId64 " occurrences since %s",
			  json_is_true(json_object_get(slot, "more")) ? "at least " : "",
			  view_int(slot, "occurrences"), since);
	add_part(v, first, text);
}

static void add_numbers(const struct view *v, const json_t *slot, bool *first)
{
	usec_t late = view_int(slot, "lateness_us");
	char text[DURATION_TEXT_MAX + 64];

	if (late >= USEC_PER_SEC && !strstr(view_text(slot, "reason"), " late")) {
		duration_format_short(late, text);
		strcat(text, " late");
		add_part(v, first, text);
	}
	if (view_int(slot, "early_us")) {
		AUTO(free) char *early = NULL;

		duration_format_short(view_int(slot, "early_us"), text);
		early = mem_printf(json_is_true(json_object_get(slot, "taken_back"))
					   ? "counts no more: the clock was %s ahead"
					   : "fired by a clock that was %s ahead",
				   text);
		add_part(v, first, early);
	}
	if (view_int(slot, "missed_before")) {
		snprintf(text, sizeof(text), "%" PRId64 " missed before",
			 view_int(slot, "missed_before"));
		add_part(v, first, text);
	}
	/* Of a mission they are its attempts, which its own line tells. */
	if (view_int(slot, "attempts") > 1 && !json_is_object(json_object_get(slot, "mission"))) {
		snprintf(text, sizeof(text), "checked %" PRId64 " times",
			 view_int(slot, "attempts"));
		add_part(v, first, text);
	}
	if (json_is_true(json_object_get(slot, "by_hand")) &&
	    strncmp(view_text(slot, "reason"), "run by ", strlen("run by ")) != 0)
		add_part(v, first, "run on request");
}

/* The reason, without what the lines about the condition and the mission say again. */
static void add_reason(const struct view *v, const json_t *slot, bool *first)
{
	const char *outcome = view_text(slot, "outcome"), *reason = view_text(slot, "reason");
	const char *detail = view_text(slot, "verdict_detail");
	const char *again = *detail ? strstr(reason, detail) : NULL;
	const char *mission = view_text(json_object_get(slot, "mission"), "id");
	AUTO(free) char *text = mem_strdup(reason);

	if (again && again - reason > 2 && strncmp(again - 2, ": ", 2) == 0)
		text[again - reason - 2] = '\0';
	if (*text && strcmp(text, outcome) != 0 && !(*mission && strstr(text, mission)))
		add_part(v, first, text);
}

static void print_verdict(const struct view *v, const json_t *slot)
{
	const char *verdict = view_text(slot, "verdict"),
		   *detail = view_text(slot, "verdict_detail");
	bool bad = strcmp(verdict, "error") == 0;

	if (!*verdict)
		return;
	buf_add_str(v->out, DETAIL_INDENT);
	style_printf(v->out, v->style, bad ? TINT_BAD : TINT_DIM, "condition: %s", verdict);
	if (*detail) {
		buf_add_str(v->out, ", ");
		visible_block(v->out, detail, DETAIL_INDENT "  ");
	}
	buf_add_char(v->out, '\n');
}

/* Fired is not yet delivered: what became of the message. */
static void print_message(const struct view *v, const json_t *slot)
{
	const json_t *m = json_object_get(slot, "message");
	const char *state = view_text(m, "state");

	if (!json_is_object(m))
		return;
	buf_printf(v->out, DETAIL_INDENT "message %s: ", view_text(m, "id"));
	style_add(v->out, v->style, view_status_tint(state), state);
	if (view_int(m, "attempts") > 1)
		buf_printf(v->out, " after %" PRId64 " attempts", view_int(m, "attempts"));
	if (*view_text(m, "last_error")) {
		buf_add_str(v->out, ", last error: ");
		visible_block(v->out, view_text(m, "last_error"), DETAIL_INDENT "  ");
	}
	buf_add_char(v->out, '\n');
}

/* What it ordered: `belfry mission show` tells the rest. */
static void print_mission(const struct view *v, const json_t *slot)
{
	const json_t *m = json_object_get(slot, "mission");
	const char *state = view_text(m, "state");

	if (!json_is_object(m))
		return;
	buf_printf(v->out, DETAIL_INDENT "mission %s: ", view_text(m, "id"));
	style_add(v->out, v->style, view_mission_tint(state), state);
	if (view_int(m, "attempts") > 1)
		buf_printf(v->out, " after %" PRId64 " attempts", view_int(m, "attempts"));
	buf_add_char(v->out, '\n');
}

static void print_slot(const struct view *v, const json_t *slot, const struct zone *zone)
{
	const char *outcome = view_text(slot, "outcome");
	usec_t nominal = view_instant(slot, "nominal");
	char when[INSTANT_TEXT_MAX] = "?";
	bool first = true;

	if (nominal != USEC_NONE)
		instant_format_near(nominal, v->now, zone, when);
	buf_printf(v->out, "  %s%*s", when, WHEN_WIDTH - (int)text_width(when), "");
	style_add(v->out, v->style, view_status_tint(outcome), outcome);
	buf_printf(v->out, "%*s", OUTCOME_WIDTH - (int)text_width(outcome), "");
	add_reason(v, slot, &first);
	if (*view_text(slot, "note"))
		add_part(v, &first, view_text(slot, "note"));
	add_run(v, slot, zone, &first);
	add_numbers(v, slot, &first);
	while (v->out->data[v->out->len - 1] == ' ')
		v->out->data[--v->out->len] = '\0';
	buf_add_char(v->out, '\n');
	print_verdict(v, slot);
	print_message(v, slot);
	print_mission(v, slot);
}

static void print_next(const struct view *v, const json_t *result, const struct zone *zone)
{
	const json_t *next = json_object_get(result, "next");
	const json_t *r = json_object_get(result, "reminder");
	bool active = strcmp(view_text(r, "status"), "active") == 0;
	const char *idle = view_text(json_object_get(r, "schedule"), "idle");

	buf_add_char(v->out, '\n');
	style_add(v->out, v->style, TINT_BOLD, "next:");
	if (json_array_size(next) == 0 && active && *idle)
		buf_printf(v->out, " when its agent has been idle for %s", idle);
	else if (json_array_size(next) == 0)
		buf_add_str(v->out, active ? " nothing more is due" : " nothing, it is not active");
	buf_add_char(v->out, '\n');
	for (size_t i = 0; i < json_array_size(next); i++) {
		usec_t at = view_instant_of(json_array_get(next, i));

		if (at != USEC_NONE)
			view_fire(v, at, zone);
	}
}

void view_why(const struct view *v, const json_t *result)
{
	const json_t *r = json_object_get(result, "reminder");
	const json_t *slots = json_object_get(result, "slots");
	const struct zone *zone = view_zone(r);

	headline(v, r);
	buf_add_char(v->out, '\n');
	if (json_array_size(slots) == 0)
		buf_add_str(v->out, "  nothing has been due yet\n");
	for (size_t i = 0; i < json_array_size(slots); i++)
		print_slot(v, json_array_get(slots, i), zone);
	if (json_is_integer(json_object_get(result, "more")))
		buf_add_str(v->out, "  … and earlier ones: --json shows them all\n");
	print_next(v, result, zone);
}
