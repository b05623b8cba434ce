/*
 * tool-reminder.c: for agents: reminders that their users ask for, in one tool with an action.
 *
 * What fires is a full turn of an agent in a session of its own, whose answer goes to where the user
 * is reached: that is worked out when the reminder is set, and frozen. Where no agent can be run the
 * inbox of the person gets the text itself. Ids are "rem_" and 32 hexadecimal digits.
 *
 * Snoozing moves the next fire. One that has fired already, and the next fire of one that repeats,
 * become a reminder of their own, and the series goes on behind it.
 * What a model reads of all this is in tool-reminder-row.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/change.h"
#include "engine/mission.h"
#include "engine/preview.h"
#include "request/caller.h"
#include "request/declared.h"
#include "request/json.h"
#include "request/tool-reminder.h"
#include "request/tool.h"
#include "schedule/instant.h"
#include "schedule/schedule.h"
#include "store/owned.h"

#define LIST_MAX 100
#define LIST_MESSAGE_MAX 2000 /* bytes of each message in a list */
#define TAKEN_BACK "cancelled by the user's agent"

static bool repeats(const struct reminder *r)
{
	return strcmp(r->schedule_kind, "at") != 0;
}

/* --- answers --- */

static char *repeat_words(const struct reminder *r)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	struct error unreadable = {0};

	return repeats(r) && engine_schedule(r, &s, &unreadable) == 0 ? schedule_describe(s) : NULL;
}

static json_t *json_targets(const struct reminder *r)
{
	struct error unreadable = {0};
	json_t *targets = NULL;

	if (r->targets)
		json_parse(r->targets, strlen(r->targets), &targets, &unreadable);
	return targets ? targets : json_array();
}

static void put_reminder(const struct request *rq, const struct reminder *r, size_t message_max,
			 json_t *o)
{
	AUTO(free) char *words = repeat_words(r);

	json_put_text(o, "id", r->id);
	json_put_text(o, "name", r->name);
	json_put(o, "message", tool_excerpt(r->message, message_max));
	tool_put_when(rq, r->due_at, reminder_zone(r), o);
	json_put_text(o, "repeats", words);
	if (r->until != USEC_NONE) {
		char until[INSTANT_TEXT_MAX];

		instant_format_long(r->until, reminder_zone(r), until);
		json_put_text(o, "until", until);
	}
	json_put_text(o, "status", status_word(r->status));
	json_put_text(o, "user", r->owner ? r->owner : rq->caller.user);
	json_put(o, "delivery", json_targets(r));
	json_put_text(o, "agent", r->agent);
	json_put_bool(o, "runs_agent", r->action == ACTION_RUN);
}

/* About one reminder: local times are in the zone it lives in. */
static int answer(const struct request *rq, const char *action, const struct reminder *r,
		  json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *o = json_object();
	int rc;

	json_put_text(o, "action", action);
	put_reminder(rq, r, SIZE_MAX, o);
	if ((rc = tool_put_now(rq, r->zone, o, err)) < 0)
		return rc;
	json_put_text(o, "timezone_source", r->zone_source);
	*ret = json_incref(o);
	return 0;
}

/* --- set --- */

static const char *const schedule_keys[] = {"time", "in", "every", "cron", "rrule"};
#define SCHEDULE_KEYS (sizeof(schedule_keys) / sizeof(schedule_keys[0]))

/* Exactly one; 0 when there is none. */
static int count_schedules(const json_t *args, struct error *err)
{
	const char *first = NULL;

	for (size_t i = 0; i < SCHEDULE_KEYS; i++) {
		if (!json_object_get(args, schedule_keys[i]))
			continue;
		if (first) {
			error_set(err, ERR_INVALID, "two times: '%s' and '%s'", first,
				  schedule_keys[i]);
			return error_hint(err, "give exactly one of time, in, every, cron, rrule");
		}
		first = schedule_keys[i];
	}
	return first != NULL;
}

/* `count` and `until` bound what repeats. */
static int check_bounds(const json_t *args, bool repeating, struct error *err)
{
	static const char *const bounds[] = {"count", "until"};

	for (size_t i = 0; i < 2 && !repeating; i++) {
		if (!json_object_get(args, bounds[i]))
			continue;
		error_set(err, ERR_INVALID, "'%s' is for reminders that repeat", bounds[i]);
		return error_hint(err, "leave it out, or give 'every', 'cron' or 'rrule'");
	}
	return 0;
}

static bool is_repeating(const json_t *args)
{
	return json_object_get(args, "every") || json_object_get(args, "cron") ||
	       json_object_get(args, "rrule");
}

static const struct tool_key spec_keys[] = {
	{"timezone", "tz"}, {"every", "every"},	    {"cron", "cron"},
	{"rrule", "rrule"}, {"message", "message"}, {"count", "count"},
	{"until", "until"}, {"name", "name"},	    {0}};

/* The arguments as those of `reminder add` and `edit`. *ret is owned by the caller. */
static int read_spec(const struct request *rq, const json_t *args, const struct zone *zone,
		     json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *plain = json_object();
	int rc = tool_read_when(rq, args, "time", zone, plain, err);

	if (rc < 0)
		return rc;
	tool_copy(args, spec_keys, plain);
	*ret = json_incref(plain);
	return 0;
}

static int refuse_channel(const struct request *rq, struct error *err)
{
	error_set(err, ERR_INVALID, "no delivery channel for user '%s': nobody would be told",
		  rq->caller.user);
	return error_hint(err,
			  "a person has to give the user a channel that is no terminal, as a match "
			  "pattern like 'match: [\"signal:ID\"]' under 'users:' in config.yml");
}

static bool has_inbox(const json_t *targets)
{
	for (size_t i = 0; i < json_array_size(targets); i++) {
		const char *target = json_string_value(json_array_get(targets, i));

		if (target && strncmp(target, "inbox:", 6) == 0)
			return true;
	}
	return false;
}

/*
 * Who does it when it fires; *ret_note says that nobody can, and the inbox gets the text. `me`
 * cannot be run: naming it asks for that.
 */
static int choose_agent(const struct request *rq, const json_t *args, const json_t *targets,
			const char **ret, const char **ret_note, struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "agent"));
	const struct config_agent *agent = NULL;

	if (!name || strcmp(name, "me") != 0)
		agent = tool_agent(rq, args, err);
	if (agent) {
		*ret = agent->name;
		return 0;
	}
	if (name && strcmp(name, "me") == 0 && !has_inbox(targets)) {
		error_set(err, ERR_INVALID, "user '%s' has no inbox at this machine",
			  rq->caller.user);
		return error_hint(err, "leave 'agent' out");
	}
	if (!has_inbox(targets) || (name && strcmp(name, "me") != 0))
		return err->code;
	*ret = "me";
	*ret_note = name ? "The text itself is put into the inbox; no agent acts on it."
			 : "No agent can be run here, so the text itself is put into the inbox "
			   "and nothing is done about it.";
	return 0;
}

static void set_id(struct reminder *r)
{
	snprintf(r->id, sizeof(r->id), "rem_%016llx%016llx", (unsigned long long)random_next(),
		 (unsigned long long)random_next());
}

/* Whose it is, and to whom its answers go: `targets`, or those it was stamped with. */
static int stamp(const struct request *rq, const json_t *targets, struct reminder *r,
		 struct error *err)
{
	int rc = caller_stamp(rq, r, err);

	if (rc < 0)
		return rc;
	if (!r->targets)
		r->targets = json_text(targets);
	return 0;
}

/* What could never fire is not saved. */
static int refuse_silent(const struct request *rq, const struct reminder *r, struct error *err)
{
	int rc = read_refuse_silent(rq, r, err);

	if (rc < 0 && strstr(err->hint, "belfry next"))
		error_hint(err, "look at it with the tool schedule_preview");
	return rc;
}

/* Save it: an agent is run by `p`, or with NULL, the text is delivered. */
static int save(const struct request *rq, struct reminder *r, struct policy *p, struct error *err)
{
	int rc = p ? engine_add_run(rq->engine, r, p, rq->now, false, err)
		   : engine_add(rq->engine, r, rq->now, false, err);

	return rc < 0 ? rc : refuse_silent(rq, r, err);
}

static int save_new(const struct request *rq, struct reminder *r, struct error *err)
{
	struct policy p = {0};

	if (strcmp(r->agent, "me") == 0)
		return save(rq, r, NULL, err);
	engine_policy_defaults(rq->engine, DOOR_REMINDER, r->agent, &p);
	/* A single one that waits in line is late, never dropped. */
	if (!repeats(r))
		p.wait_limit = 0;
	return save(rq, r, &p, err);
}

static int check_set(const json_t *args, struct error *err)
{
	int rc = count_schedules(args, err);

	if (rc < 0)
		return rc;
	if (rc == 0)
		return tool_refuse_missing("time",
					   "give 'in' for a span from now (\"30m\"), 'time' for a "
					   "point in time, or 'every', 'cron' or 'rrule' to repeat",
					   err);
	if (!json_object_get(args, "message"))
		return tool_refuse_missing("message",
					   "say what to do or tell when it fires, so that it can "
					   "be understood without this conversation",
					   err);
	return check_bounds(args, is_repeating(args), err);
}

static int do_set(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = mem_zalloc(sizeof(*r));
	AUTO(json_decref) json_t *plain = NULL;
	AUTO(json_decref) json_t *targets = NULL;
	const struct zone *zone = NULL;
	const char *agent = NULL, *note = NULL;
	int rc;

	if ((rc = check_set(args, err)) < 0 || (rc = tool_read_zone(rq, args, &zone, err)) < 0 ||
	    (rc = read_spec(rq, args, zone, &plain, err)) < 0)
		return rc;
	targets = caller_targets(engine_config(rq->engine), rq->caller.session, rq->caller.user);
	if (!json_array_size(targets))
		return refuse_channel(rq, err);
	if ((rc = choose_agent(rq, args, targets, &agent, &note, err)) < 0)
		return rc;
	json_put_text(plain, "agent", agent);
	if ((rc = read_new_reminder(rq, plain, r, err)) < 0)
		return rc;
	set_id(r);
	r->priority = PRIORITY_NORMAL;
	if ((rc = stamp(rq, targets, r, err)) < 0 || (rc = read_refuse_twin(rq, r, err)) < 0 ||
	    (rc = save_new(rq, r, err)) < 0 || (rc = answer(rq, "set", r, ret, err)) < 0)
		return rc;
	if (!note && !has_inbox(targets))
		note = "Nothing at this machine serves the user's channel yet: the answer is put "
		       "into the inbox of the person here.";
	if (note)
		json_put_text(*ret, "note", note);
	tool_note_gap(rq, args, "time", zone, *ret);
	return 0;
}

/* --- list --- */

static int do_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_REMINDERS struct reminder_list page = {0};
	AUTO(json_decref) json_t *o = json_object();
	json_t *rows = json_array();
	int rc;

	(void)args;
	json_put_text(o, "action", "list");
	json_put(o, "reminders", rows);
	if ((rc = owned_due(engine_db(rq->engine), rq->caller.user, false, LIST_MAX + 1, &page,
			    err)) < 0 ||
	    (rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	for (size_t i = 0; i < page.count && i < LIST_MAX; i++) {
		json_t *row = json_object();

		put_reminder(rq, page.items[i], LIST_MESSAGE_MAX, row);
		json_array_append_new(rows, row);
	}
	json_put_bool(o, "more", page.count > LIST_MAX);
	*ret = json_incref(o);
	return 0;
}

/* --- one that is there --- */

/* Of the kind that `list` shows; what has a tool or a file of its own is named in the hint. */
static int find(const struct request *rq, const json_t *args, struct reminder **ret,
		struct error *err)
{
	const char *id = json_string_value(json_object_get(args, "id")), *hint = NULL;
	const char *verb = json_string_value(json_object_get(args, "action"));
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	int rc = tool_find_own(rq, "Reminder", id, &r, err);

	verb = verb ? verb : "edit";
	if (rc >= 0)
		rc = caller_check_reminder(rq, r, verb, err);
	if (rc >= 0 && r->action == ACTION_RUN)
		rc = policy_get(engine_db(rq->engine), r->key, &p, err);
	if (rc < 0 || (rc = declared_refuse(rq, r, verb, err)) < 0)
		return rc;
	if (p && p->door == DOOR_TASK)
		hint = "it is a scheduled task: use schedule_edit or schedule_cancel";
	else if (r->source == SOURCE_CONFIG || r->source == SOURCE_ROLE)
		hint = "it came from a file at this machine: only a person can change it";
	if (!hint) {
		*ret = steal_ptr(&r);
		return 0;
	}
	error_set(err, ERR_NOT_FOUND, "Reminder %s not found.", r->id);
	return error_hint(err, "%s", hint);
}

static bool has_ended(const struct reminder *r)
{
	return r->status == STATUS_COMPLETED || r->status == STATUS_CANCELLED;
}

static int do_cancel(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = find(rq, args, &r, err);

	if (rc < 0)
		return rc;
	if (has_ended(r)) {
		error_set(err, ERR_NOT_FOUND, "Reminder %s not found.", r->id);
		return error_hint(err, "it is not pending any more: it is %s",
				  status_word(r->status));
	}
	rc = engine_cancel(rq->engine, r, rq->now, TAKEN_BACK, err);
	return rc < 0 ? rc : answer(rq, "cancel", r, ret, err);
}

static int do_complete(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = find(rq, args, &r, err);

	if (rc < 0 || (rc = engine_complete(rq->engine, r, rq->now, "completed by the user's agent",
					    err)) < 0)
		return rc;
	return answer(rq, "complete", r, ret, err);
}

/* --- edit --- */

static int refuse_ended(const struct reminder *r, const char *verb, struct error *err)
{
	error_set(err, ERR_CONFLICT, "cannot %s reminder '%s': it is %s", verb, r->id,
		  status_word(r->status));
	return error_hint(err, "set a new one");
}

/* Who does it may change among those that can be run; whether anybody does may not. */
static int edit_agent(const struct request *rq, const json_t *args, const struct reminder *r,
		      json_t *plain, struct error *err)
{
	const struct config_agent *agent;

	if (!json_object_get(args, "agent"))
		return 0;
	if (r->action != ACTION_RUN) {
		error_set(err, ERR_INVALID, "reminder '%s' runs no agent: its text is delivered",
			  r->id);
		return error_hint(err, "cancel it, and set one with 'agent'");
	}
	agent = tool_agent(rq, args, err);
	if (!agent)
		return err->code;
	json_put_text(plain, "agent", agent->name);
	return caller_check_agent(rq, agent->name, err);
}

/* The zone the reminder lives in, unless another one is named. */
static int zone_of(const struct request *rq, const json_t *args, const struct reminder *r,
		   const struct zone **ret, struct error *err)
{
	return json_object_get(args, "timezone") ? tool_read_zone(rq, args, ret, err)
						 : zone_get(r->zone, ret, err);
}

static int check_edit(const json_t *args, const struct reminder *r, struct error *err)
{
	int rc = count_schedules(args, err);

	if (rc < 0)
		return rc;
	if (json_object_size(args) == 2) {
		error_set(err, ERR_INVALID, "nothing to change");
		return error_hint(err, "give what is to be different: time, in, message, …");
	}
	if (has_ended(r))
		return refuse_ended(r, "edit", err);
	return check_bounds(args, is_repeating(args) || (rc == 0 && repeats(r)), err);
}

static int do_edit(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(json_decref) json_t *plain = NULL;
	const struct zone *zone = NULL;
	bool reschedule = false;
	int rc;

	if ((rc = find(rq, args, &r, err)) < 0 || (rc = check_edit(args, r, err)) < 0 ||
	    (rc = zone_of(rq, args, r, &zone, err)) < 0 ||
	    (rc = read_spec(rq, args, zone, &plain, err)) < 0 ||
	    (rc = edit_agent(rq, args, r, plain, err)) < 0 ||
	    (rc = read_edit(rq, plain, r, &reschedule, err)) < 0 ||
	    (json_object_get(args, "name") && (rc = read_refuse_twin(rq, r, err)) < 0) ||
	    (rc = engine_edit(rq->engine, r, reschedule, rq->now, err)) < 0 ||
	    (reschedule && (rc = refuse_silent(rq, r, err)) < 0))
		return rc;
	if ((rc = answer(rq, "edit", r, ret, err)) >= 0)
		tool_note_gap(rq, args, "time", zone, *ret);
	return rc;
}

/* --- snooze --- */

/* The same again, once: for the same user, to the same targets. */
static int copy_once(const struct request *rq, const struct reminder *old, json_t *plain,
		     struct reminder *r, struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(json_decref) json_t *targets = json_targets(old);
	int rc;

	json_put_text(plain, "agent", old->agent);
	json_put_text(plain, "message", old->message);
	json_put_text(plain, "tz", old->zone);
	if ((rc = read_new_reminder(rq, plain, r, err)) < 0 ||
	    (rc = stamp(rq, targets, r, err)) < 0 ||
	    (old->action == ACTION_RUN &&
	     (rc = policy_get(engine_db(rq->engine), old->key, &p, err)) < 0))
		return rc;
	set_id(r);
	r->priority = old->priority;
	r->fallback = old->fallback;
	/* The words are still a run's when somebody else wants to hear them again. */
	if (!r->made_by)
		r->made_by = old->made_by;
	mem_replace(&r->zone_source, old->zone_source);
	if (old->targets)
		mem_replace(&r->targets, old->targets);
	if (p)
		p->failures = 0;
	return save(rq, r, p, err);
}

static int snooze_once(const struct request *rq, const json_t *plain, struct reminder *r,
		       json_t **ret, struct error *err)
{
	bool reschedule = false;
	int rc;

	if ((rc = read_edit(rq, plain, r, &reschedule, err)) < 0 ||
	    (rc = engine_edit(rq->engine, r, reschedule, rq->now, err)) < 0 ||
	    (rc = answer(rq, "snooze", r, ret, err)) < 0)
		return rc;
	json_put(*ret, "snoozed_from", json_null());
	return 0;
}

static int snooze_again(const struct request *rq, json_t *plain, struct reminder *old, json_t **ret,
			struct error *err)
{
	AUTO(reminder_free) struct reminder *r = mem_zalloc(sizeof(*r));
	int rc = copy_once(rq, old, plain, r, err);

	if (rc >= 0 && old->status == STATUS_ACTIVE)
		rc = engine_snooze(rq->engine, old, r->due_at, rq->now, err);
	if (rc < 0 || (rc = answer(rq, "snooze", r, ret, err)) < 0)
		return rc;
	json_put_text(*ret, "snoozed_from", old->id);
	json_put_text(*ret, "note",
		      old->status == STATUS_ACTIVE
			      ? "This is the next one of the series, which goes on after it."
			      : "The reminder had fired, so it was set anew under a new id.");
	return 0;
}

static int do_snooze(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(json_decref) json_t *plain = json_object();
	const struct zone *zone = NULL;
	int rc;

	if ((rc = find(rq, args, &r, err)) < 0 || (rc = zone_of(rq, args, r, &zone, err)) < 0 ||
	    (rc = tool_read_when(rq, args, "time", zone, plain, err)) < 0)
		return rc;
	if (rc == 0)
		return tool_refuse_missing("in", "say until when: in \"10m\", or a 'time'", err);
	if (r->status == STATUS_CANCELLED || r->status == STATUS_PAUSED)
		return refuse_ended(r, "snooze", err);
	rc = r->status == STATUS_ACTIVE && !repeats(r) ? snooze_once(rq, plain, r, ret, err)
						       : snooze_again(rq, plain, r, ret, err);
	if (rc >= 0)
		tool_note_gap(rq, args, "time", zone, *ret);
	return rc;
}

/* --- the tool --- */

/* clang-format off */
static const struct tool_action {
	const char *name, *takes;
	bool needs_id;
	request_exec *exec;
} actions[] = {
	{"set",      "time in message timezone every cron rrule count until agent name",    false, do_set},
	{"list",     "",                                                              false, do_list},
	{"cancel",   "id",                                                            true,  do_cancel},
	{"snooze",   "id time in timezone",                                           true,  do_snooze},
	{"edit",     "id time in message timezone every cron rrule count until agent name", true,  do_edit},
	{"complete", "id",                                                            true,  do_complete},
};
/* clang-format on */

static const struct tool_action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}

static int check_taken(const struct tool_action *action, const json_t *args, struct error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)args, key, value)
	{
		if (strcmp(key, "action") == 0 || text_has_word(action->takes, key))
			continue;
		error_set(err, ERR_INVALID, "'%s' does not belong to the action '%s'", key,
			  action->name);
		return error_hint(err, "%s takes: %s", action->name,
				  *action->takes ? action->takes : "nothing else");
	}
	if (action->needs_id && !json_object_get(args, "id"))
		return tool_refuse_missing("id", "an id from {\"action\": \"list\"}", err);
	return 0;
}

int tool_reminder_exec(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(json_decref) json_t *given = tool_given(args);
	const char *name = json_string_value(json_object_get(given, "action"));
	const struct tool_action *action = name ? find_action(name) : NULL;
	int rc;

	if (!name)
		return tool_refuse_missing("action", "set, list, cancel, snooze, edit or complete",
					   err);
	if (!action) {
		error_set(err, ERR_INVALID, "unknown action: %s", name);
		return error_hint(err, "one of: set list cancel snooze edit complete");
	}
	rc = check_taken(action, given, err);
	return rc < 0 ? rc : action->exec(rq, given, ret, err);
}
