/* json.c: what the store holds, as every surface shows it. */
#include "request/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "engine/live.h"
#include "engine/preview.h"
#include "schedule/duration.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"
#include "store/trouble.h"

json_t *json_instant(usec_t instant, const struct zone *zone)
{
	char text[INSTANT_TEXT_MAX];

	if (instant == USEC_NONE)
		return json_null();
	instant_format(instant, zone, text);
	return json_string(text);
}

json_t *json_duration(usec_t duration)
{
	char text[DURATION_TEXT_MAX];

	if (!duration)
		return json_null();
	duration_format(duration, text);
	return json_string(text);
}

const struct zone *reminder_zone(const struct reminder *r)
{
	const struct zone *zone;
	struct error unknown = {0};

	return zone_get(r->zone, &zone, &unknown) < 0 ? zone_utc() : zone;
}

static json_t *json_condition(const struct reminder *r)
{
	json_t *condition;

	if (r->condition_kind == CONDITION_NONE)
		return json_null();
	condition = json_object();
	json_put_text(condition, condition_word(r->condition_kind), r->condition);
	json_put_text(condition, "mode", mode_word(r->mode));
	json_put(condition, "timeout", json_duration(r->condition_limit));
	return condition;
}

#define LOCAL_TEXT strlen("2026-02-20T15:00:00")

static json_t *json_catchup(const struct reminder *r)
{
	if (r->catchup != CATCHUP_ALL)
		return json_string(catchup_word(r->catchup));
	return json_sprintf("all:%d", (int)r->catchup_max);
}

/* A single time always with its offset, also when it is kept as a local one. */
static json_t *schedule_text(const struct reminder *r)
{
	const struct zone *zone = reminder_zone(r);
	struct error unreadable = {0};
	char text[INSTANT_TEXT_MAX];
	usec_t at;

	if (strcmp(r->schedule_kind, "at") != 0 || strlen(r->schedule) > LOCAL_TEXT ||
	    instant_parse(r->schedule, zone, &at, &unreadable) < 0)
		return json_string(r->schedule);
	instant_format(at, zone, text);
	return json_string(text);
}

static void put_spec(json_t *o, const struct reminder *r, const struct zone *zone)
{
	json_t *schedule = json_object();

	json_put(schedule, r->schedule_kind, schedule_text(r));
	json_put_text(o, "id", r->id);
	json_put_text(o, "name", r->name);
	json_put_text(o, "agent", r->agent);
	json_put_text(o, "message", r->message);
	json_put_text(o, "action", action_word(r->action));
	json_put_text(o, "fallback",
		      r->action == ACTION_DELIVER ? fallback_word(r->fallback) : NULL);
	json_put_text(o, "priority", priority_word(r->priority));
	json_put(o, "schedule", schedule);
	json_put_text(o, "tz", r->zone);
	json_put_text(o, "tz_source", r->zone_source);
	json_put(o, "condition", json_condition(r));
	json_put(o, "count", r->count_max ? json_integer(r->count_max) : json_null());
	json_put(o, "until", json_instant(r->until, zone));
	json_put(o, "catchup", json_catchup(r));
	json_put(o, "start_deadline", json_duration(r->start_deadline));
	json_put(o, "jitter", json_duration(r->jitter));
	json_put_text(o, "source", source_word(r->source));
}

/* The store has them as text; one that cannot be read is none. */
static json_t *json_targets(const struct reminder *r)
{
	struct error unreadable = {0};
	json_t *targets = NULL;

	if (!r->targets || json_parse(r->targets, strlen(r->targets), &targets, &unreadable) < 0)
		return json_array();
	return targets;
}

static void put_whose(json_t *o, const struct reminder *r)
{
	json_put_text(o, "user", r->owner);
	json_put_text(o, "trust", trust_word(r->trust));
	json_put(o, "delivery", json_targets(r));
	json_put_text(o, "source_session", r->session);
	json_put_text(o, "transcript", r->transcript);
}

static void put_state(json_t *o, const struct reminder *r, const struct zone *zone)
{
	json_put_text(o, "status", status_word(r->status));
	json_put_int(o, "fire_count", r->fire_count);
	json_put(o, "created_at", json_instant(r->created_at, zone));
	json_put(o, "updated_at", json_instant(r->updated_at, zone));
	json_put(o, "last_fired_at", json_instant(r->last_fired_at, zone));
	json_put(o, "ended_at", json_instant(r->ended_at, zone));
	json_put_text(o, "end_reason", r->end_reason);
}

json_t *json_reminder_export(const struct reminder *r)
{
	const struct zone *zone = reminder_zone(r);
	json_t *o = json_object();

	put_spec(o, r, zone);
	put_state(o, r, zone);
	put_whose(o, r);
	json_put(o, "anchor", json_instant(r->anchor, zone));
	/* Nothing was decided yet of one that waits for idleness. */
	json_put(o, "cursor",
		 r->cursor == INSTANT_MIN ? json_null() : json_instant(r->cursor, zone));
	return o;
}

/* `s` is its schedule, NULL when that cannot be read. */
static json_t *with_schedule(const struct reminder *r, const struct schedule *s)
{
	AUTO(free) char *label = s ? schedule_label(s) : NULL;
	AUTO(free) char *words = s ? schedule_describe(s) : NULL;
	const struct zone *zone = reminder_zone(r);
	json_t *o = json_object();

	put_spec(o, r, zone);
	json_put_text(o, "label", label ? label : "unreadable");
	json_put_text(o, "describe", words ? words : "by a schedule that cannot be read");
	json_put(o, "next_fire", json_instant(r->due_at, zone));
	/* Of a single time also when that is over. */
	json_put(o, "fire_at",
		 strcmp(r->schedule_kind, "at") == 0 ? schedule_text(r)
						     : json_instant(r->due_at, zone));
	put_state(o, r, zone);
	put_whose(o, r);
	return o;
}

json_t *json_reminder(const struct reminder *r)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};

	engine_schedule(r, &s, &unreadable);
	return with_schedule(r, s);
}

#define SET_ASIDE "set aside: "

static void put_state_of_trouble(json_t *o, const char *state, const char *text)
{
	json_put_text(o, "state", state);
	json_put_text(o, "trouble", text);
}

void json_put_trouble(const struct trouble_list *troubles, const struct reminder *r, json_t *o)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};

	if (r->status != STATUS_ACTIVE && r->status != STATUS_PAUSED)
		return;
	for (size_t i = 0; i < troubles->count; i++)
		if (troubles->items[i]->reminder == r->key)
			put_state_of_trouble(o, "failing", troubles->items[i]->what);
	if (r->end_reason && strncmp(r->end_reason, SET_ASIDE, strlen(SET_ASIDE)) == 0)
		put_state_of_trouble(o, "set aside", r->end_reason + strlen(SET_ASIDE));
	else if (r->end_reason && strncmp(r->end_reason, TROUBLE_HELD, strlen(TROUBLE_HELD)) == 0)
		put_state_of_trouble(o, "broken", r->end_reason + strlen(TROUBLE_HELD));
	else if (strcmp(json_string_value(json_object_get(o, "label")), "unreadable") == 0 &&
		 engine_schedule(r, &s, &unreadable) < 0)
		put_state_of_trouble(o, "unreadable", unreadable.message);
}

/* It will be due, but nobody knows when. */
static bool waits_for_idleness(const struct reminder *r)
{
	return reminder_is_idle(r) && r->status == STATUS_ACTIVE && r->due_at == USEC_NONE;
}

json_t *json_reminder_brief(const struct reminder *r)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	AUTO(free) char *label = NULL;
	struct error unreadable = {0};
	json_t *o = json_object();

	if (engine_schedule(r, &s, &unreadable) == 0)
		label = schedule_label(s);
	json_put_text(o, "id", r->id);
	/* People are shown its name, or else how the message begins. */
	if (r->name)
		json_put_text(o, "name", r->name);
	else
		json_put_text(o, "message", r->message);
	json_put_text(o, "agent", r->agent);
	json_put_text(o, "tz", r->zone);
	json_put_text(o, "label", label ? label : "unreadable");
	json_put(o, "next_fire", json_instant(r->due_at, reminder_zone(r)));
	if (waits_for_idleness(r))
		json_put_text(o, "next_when", "when idle");
	json_put_text(o, "status", status_word(r->status));
	json_put_int(o, "fire_count", r->fire_count);
	if (r->action == ACTION_RUN)
		json_put_text(o, "action", action_word(r->action));
	return o;
}

/* "; until Dec 24, 2026 11:59 PM PST (-08:00)": what was meant by a day or a time of day. */
static void add_until(const struct reminder *r, struct buf *out)
{
	char when[INSTANT_TEXT_MAX], exact[INSTANT_TEXT_MAX];

	if (r->until == USEC_NONE)
		return;
	instant_format_long(r->until, reminder_zone(r), when);
	instant_format(r->until, reminder_zone(r), exact);
	buf_printf(out, "; until %s (%s)", when, exact + strlen(exact) - strlen("+00:00"));
}

/*
 * One sentence: "every 30 minutes; next at Feb 4, 2026 3:15 PM PST (-08:00), in 30m". A single
 * instant says it once.
 */
static char *understood(const struct request *rq, const struct reminder *r, const char *words)
{
	char when[INSTANT_TEXT_MAX], exact[INSTANT_TEXT_MAX], span[DURATION_TEXT_MAX];
	struct buf out = {0};
	bool once = strcmp(r->schedule_kind, "at") == 0;

	buf_add_str(&out, words);
	if (waits_for_idleness(r)) {
		buf_printf(&out, "; '%s' is not idle now", r->agent);
		add_until(r, &out);
		return buf_steal(&out);
	}
	if (r->due_at == USEC_NONE) {
		buf_printf(&out, "; %s", status_word(r->status));
		return buf_steal(&out);
	}
	instant_format_long(r->due_at, reminder_zone(r), when);
	instant_format(r->due_at, reminder_zone(r), exact);
	if (!once)
		buf_printf(&out, "; next at %s", when);
	buf_printf(&out, " (%s)", exact + strlen(exact) - strlen("+00:00"));
	if (r->due_at > rq->now) {
		usec_t left = r->due_at - rq->now;

		/* A part of a second is not to make "14m 59s" of 15 minutes. */
		if (left > USEC_PER_SEC)
			left = (left + USEC_PER_SEC / 2) / USEC_PER_SEC * USEC_PER_SEC;
		duration_format_short(left, span);
		buf_printf(&out, ", in %s", span);
	} else {
		buf_add_str(&out, ", which has passed: fires at once");
	}
	add_until(r, &out);
	return buf_steal(&out);
}

static void add_warning(json_t *warnings, const char *text)
{
	if (text && *text)
		json_array_append_new(warnings, json_string(text));
}

static json_t *warnings_of(const struct reminder *r, const struct schedule *s)
{
	AUTO(free) char *inherited = schedule_warning(s);
	AUTO(free) char *unknown = engine_unknown_variable(r->message);
	json_t *warnings = json_array();
	bool once = strcmp(r->schedule_kind, "at") == 0;

	add_warning(warnings, inherited);
	if (unknown) {
		AUTO(free)
		char *text = mem_printf("'%s' stands for nothing and stays as it is", unknown);

		add_warning(warnings, text);
	}
	if (once && r->condition_kind != CONDITION_NONE && r->mode != MODE_EACH)
		add_warning(warnings, "a single time with this mode looks at the condition only "
				      "once; use --every to keep looking");
	if (r->condition_kind == CONDITION_PROMPT && r->mode != MODE_EACH) {
		AUTO(free)
		char *bound =
			mem_printf("the agent has to close this reminder itself (belfry reminder "
				   "complete %s); it ends after %lld fire%s at the latest",
				   r->id, (long long)r->count_max, r->count_max == 1 ? "" : "s");
		add_warning(warnings, bound);
	}
	return warnings;
}

json_t *json_reminder_answer(const struct request *rq, const struct reminder *r)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	AUTO(free) char *sentence = NULL;
	struct error unreadable = {0};
	json_t *o;

	engine_schedule(r, &s, &unreadable);
	o = with_schedule(r, s);
	sentence = understood(rq, r, json_string_value(json_object_get(o, "describe")));
	json_put_text(o, "understood", sentence);
	json_put_bool(o, "scheduler_running", rq->scheduler_running);
	json_put(o, "warnings", s ? warnings_of(r, s) : json_array());
	return o;
}

json_t *json_plain_keys(const json_t *args)
{
	json_t *plain = json_object(), *value;
	const char *key;

	json_object_foreach((json_t *)args, key, value)
	{
		AUTO(free) char *spelled = mem_strdup(key);

		for (char *p = spelled; *p; p++)
			*p = *p == '-' ? '_' : *p;
		json_object_set(plain, spelled, value);
	}
	return plain;
}

json_t *json_slot(const struct slot *slot, const struct zone *zone)
{
	char late[DURATION_TEXT_MAX];
	json_t *o = json_object();

	json_put(o, "nominal", json_instant(slot->nominal, zone));
	json_put(o, "first_nominal", json_instant(slot->first_nominal, zone));
	json_put_int(o, "occurrences", slot->occurrences);
	json_put_bool(o, "more", slot->more);
	json_put_text(o, "outcome", outcome_word(slot->outcome));
	json_put_text(o, "reason", slot->reason);
	json_put(o, "decided_at", json_instant(slot->decided_at, zone));
	duration_format(slot->lateness, late);
	json_put_text(o, "lateness", late);
	json_put_int(o, "lateness_us", slot->lateness);
	json_put_int(o, "attempts", slot->attempts);
	json_put_int(o, "missed_before", slot->missed_before);
	json_put_bool(o, "by_hand", slot->generation == 0);
	if (slot->early)
		json_put_int(o, "early_us", slot->early);
	if (slot->generation < 0)
		json_put_bool(o, "taken_back", true);
	json_put_text(o, "verdict",
		      slot->verdict == VERDICT_NONE ? NULL : verdict_word(slot->verdict));
	json_put_text(o, "verdict_detail", slot->verdict_detail);
	return o;
}

json_t *json_message(const struct message *m, const char *reminder_id)
{
	const struct zone *zone = zone_of_machine(&(const char *){NULL});
	json_t *o = json_object();

	json_put_text(o, "id", m->id);
	json_put_text(o, "agent", m->agent);
	json_put_text(o, "from", m->sender);
	json_put_text(o, "priority", priority_word(m->priority));
	json_put_text(o, "state", delivery_word(m->state));
	/* What is offered is mostly on its way; this one has arrived, and nobody has read it. */
	json_put_text(o, "note", engine_live_in_line(m) ? LIVE_IN_LINE : NULL);
	json_put_text(o, "body", m->body);
	json_put_text(o, "reminder", reminder_id);
	json_put(o, "queued_at", json_instant(m->queued_at, zone));
	json_put(o, "offered_at", json_instant(m->offered_at, zone));
	json_put(o, "done_at", json_instant(m->done_at, zone));
	json_put_int(o, "attempts", m->attempts);
	json_put(o, "attempt_at", json_instant(m->attempt_at, zone));
	json_put_text(o, "last_error", m->last_error);
	json_put_int(o, "earlier", m->earlier);
	return o;
}
