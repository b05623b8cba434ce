/*
 * tool-schedule.c: for agents: tasks, which run an agent once at a time.
 * The work is that of `belfry task`; what differs is told here: a time that has
 * passed is refused, only the caller's own tasks are there, and times are told in words as well.
 */
#include <string.h>

#include "engine/engine.h"
#include "request/declared.h"
#include "request/json-cron.h"
#include "request/rows.h"
#include "request/tool.h"
#include "schedule/instant.h"
#include "store/owned.h"

#define LIST_DEFAULT 20
#define LIST_MAX 100
#define LIST_LOOK 500	     /* past tasks that a list looks through */
#define LIST_PROMPT_MAX 2000 /* bytes of each prompt in a list */

/* clang-format off */
#define TASK_PROPERTIES \
	"\"id\":{\"type\":\"string\"}," \
	"\"name\":{\"type\":[\"string\",\"null\"]}," \
	"\"agent\":{\"type\":\"string\"}," \
	"\"prompt\":{\"type\":\"string\"}," \
	TOOL_WHEN_PROPERTIES "," \
	"\"status\":{\"type\":\"string\",\"enum\":[\"pending\",\"running\",\"completed\",\"failed\",\"cancelled\"]}," \
	"\"attempts\":{\"type\":\"integer\"}," \
	"\"max_attempts\":{\"type\":\"integer\"}," \
	"\"last_error\":{\"type\":[\"string\",\"null\"]}," \
	"\"mission\":{\"type\":[\"string\",\"null\"],\"description\":\"the run that became of it\"}"
#define TASK_REQUIRED \
	"\"id\",\"name\",\"agent\",\"prompt\"," TOOL_WHEN_REQUIRED \
	",\"status\",\"attempts\",\"max_attempts\",\"last_error\",\"mission\""
static const char task_output[] =
	"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" TASK_REQUIRED "," TOOL_NOW_REQUIRED "],"
	"\"properties\":{" TASK_PROPERTIES "," TOOL_NOTE_PROPERTY "," TOOL_NOW_PROPERTIES "}}";

#define WHEN_ARGS \
	{"at", 0, ARG_TIME, "TIME", "when, as the user said it: '3pm', 'tomorrow 9am', '2026-02-04 15:15' (local time) or RFC 3339 with an offset; must be in the future", NULL, false, false, .also = "time"}, \
	{"in", 0, ARG_DURATION, "DURATION", "instead of at, a span from now: '30m', '2h', '1h30m'; use this for every relative time", NULL, false, false}
#define TASK_ARGS \
	{"agent", 0, ARG_AGENT, "AGENT", "who is run (default: you, or the default agent)", NULL, false, false}, \
	{"timezone", 0, ARG_ZONE, "ZONE", "IANA zone of local times, like Europe/Berlin", NULL, false, false}, \
	{"name", 0, ARG_TEXT, "NAME", "a short name to find it by", NULL, false, false}, \
	{"max_attempts", 0, ARG_INT, "N", "how often it is tried when it fails (default 3)", NULL, false, false}
#define ID_ARG \
	{"id", 0, ARG_TEXT, "ID", "which task, as schedule and schedule_list tell it", NULL, false, true}
/* clang-format on */

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* --- one task --- */

static const struct tool_key shown[] = {
	{"id", "id"},
	{"name", "name"},
	{"agent", "agent"},
	{"status", "status"},
	{"attempts", "attempts"},
	{"max_attempts", "max_attempts"},
	{"last_error", "last_error"},
	{"mission", "mission"},
	{0},
};

/* As json_task() has it, with its time in words. */
static void put_task(const struct request *rq, const json_t *task, size_t prompt_max, json_t *o)
{
	struct error unknown = {0};
	const struct zone *zone = NULL;
	usec_t at = USEC_NONE;

	if (zone_get(text_of(task, "tz"), &zone, &unknown) < 0)
		zone = zone_utc();
	if (instant_parse(text_of(task, "fire_at"), zone, &at, &unknown) < 0)
		at = USEC_NONE;
	tool_copy(task, shown, o);
	json_put(o, "prompt", tool_excerpt(text_of(task, "prompt"), prompt_max));
	tool_put_when(rq, at, zone, o);
}

/* `task` is what a request about it has answered; stolen. */
static int answer(const struct request *rq, json_t *task, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *whole = task;
	AUTO(json_decref) json_t *o = json_object();
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = tool_put_now(rq, text_of(task, "tz"), o, err);

	if (rc < 0 || (rc = tool_find_own(rq, "Task", text_of(task, "id"), &r, err)) < 0)
		return rc;
	json_put_text(o, "timezone_source", r->zone_source);
	put_task(rq, whole, SIZE_MAX, o);
	*ret = json_incref(o);
	return 0;
}

static const struct tool_key task_keys[] = {{"prompt", "prompt"},
					    {"timezone", "tz"},
					    {"name", "name"},
					    {"max_attempts", "max_attempts"},
					    {0}};

/* --- schedule --- */

static int exec_schedule(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	AUTO(json_decref) json_t *given = tool_given(args);
	AUTO(json_decref) json_t *plain = json_object();
	const struct config_agent *agent;
	const struct zone *zone = NULL;
	json_t *task = NULL;
	int rc;

	if ((rc = tool_read_zone(rq, given, &zone, err)) < 0 ||
	    (rc = tool_read_when(rq, given, "at", zone, plain, err)) < 0)
		return rc;
	if (rc == 0)
		return tool_refuse_missing("at",
					   "give 'in' for a span from now (\"30m\"), or 'at' for a "
					   "point in time",
					   err);
	agent = tool_agent(rq, given, err);
	if (!agent)
		return err->code;
	json_put_text(plain, "agent", agent->name);
	tool_copy(given, task_keys, plain);
	rc = task_add_row.exec(rq, plain, &task, err);
	if (rc < 0 || (rc = answer(rq, task, ret, err)) < 0)
		return rc;
	tool_note_gap(rq, given, "at", zone, *ret);
	return 0;
}

static void say_schedule(const json_t *o, struct buf *out)
{
	buf_printf(out, "Scheduled (id: %s) for ", text_of(o, "id"));
	tool_say_when(o, out);
	buf_printf(out, "; %s is run then.", text_of(o, "agent"));
	tool_say_note(o, out);
	tool_say_scheduler(o, out);
}

const struct request_row tool_schedule_row = {
	.name = "tool schedule",
	.summary = "run an agent once, at a time",
	.args = (const struct request_arg[]){{"prompt", 0, ARG_TEXT, "TEXT",
					      "what the agent is told then, complete in itself",
					      NULL, false, true},
					     WHEN_ARGS,
					     TASK_ARGS,
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_schedule,
	.tool =
		&(const struct request_tool){
			.name = "schedule",
			.title = "Schedule a task",
			.description =
				"Run an agent once at a later time, in a session of its own that "
				"knows "
				"nothing of this one: for work to be done later, also to continue "
				"your "
				"own. A run that fails is tried again. To tell or remind the user "
				"of "
				"something, or to repeat, use reminder instead.\n\n"
				"Write the prompt so that it can be carried out without this "
				"conversation. Never work out times yourself: give relative times "
				"as "
				"'in' and others in the user's words as 'at'. Read the local time "
				"of "
				"the answer back to the user.",
			.trust = TRUST_INNER,
			.hints = TOOL_OUTSIDE,
			.output = task_output,
			.say = say_schedule},
};

/* --- list --- */

/* Without a word: what is still to be done. */
static bool is_wanted(const json_t *task, const char *status)
{
	const char *is = text_of(task, "status");

	if (!status)
		return strcmp(is, "pending") == 0 || strcmp(is, "running") == 0;
	return strcmp(status, "all") == 0 || strcmp(status, is) == 0;
}

struct listing {
	const struct request *rq;
	const char *status; /* NULL: open ones */
	size_t limit;
	json_t *rows;
	bool more;
};

static int add_page(struct listing *l, const struct reminder_list *page, struct error *err)
{
	for (size_t i = 0; i < page->count && !l->more; i++) {
		AUTO(json_decref) json_t *task = NULL;
		int rc = json_task(l->rq, page->items[i], &task, err);

		if (rc < 0)
			return rc;
		if (!is_wanted(task, l->status))
			continue;
		l->more = json_array_size(l->rows) == l->limit;
		if (l->more)
			break;
		json_t *row = json_object();

		put_task(l->rq, task, LIST_PROMPT_MAX, row);
		json_array_append_new(l->rows, row);
	}
	return 0;
}

/* Those to come, by their time; then those that have begun or are over, the newest first. */
static int add_tasks(struct listing *l, struct error *err)
{
	struct db *db = engine_db(l->rq->engine);
	AUTO_REMINDERS struct reminder_list due = {0}, past = {0};
	int rc;

	if ((rc = owned_due(db, l->rq->caller.user, true, LIST_MAX + 1, &due, err)) < 0 ||
	    (rc = add_page(l, &due, err)) < 0 ||
	    (rc = owned_past_tasks(db, l->rq->caller.user, INT64_MAX, LIST_LOOK, &past, err)) < 0)
		return rc;
	return add_page(l, &past, err);
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *o = json_object();
	struct listing l = {.rq = rq, .rows = json_array()};
	int64_t limit = LIST_DEFAULT;
	int rc;

	json_put(o, "tasks", l.rows);
	if ((rc = json_get_text(args, "status", &l.status, err)) < 0 ||
	    (rc = tool_read_limit(args, "limit", LIST_MAX, &limit, err)) < 0 ||
	    (rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	l.limit = (size_t)limit;
	rc = add_tasks(&l, err);
	if (rc < 0)
		return rc;
	json_put_bool(o, "more", l.more);
	*ret = json_incref(o);
	return 0;
}

static void say_list(const json_t *o, struct buf *out)
{
	const json_t *rows = json_object_get(o, "tasks");

	if (!json_array_size(rows))
		buf_add_str(out, "No tasks.");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		buf_printf(out, "%s- [%s] %s %s, %s → \"", i ? "\n" : "", text_of(row, "id"),
			   text_of(row, "status"), text_of(row, "local_time"),
			   text_of(row, "agent"));
		tool_say_line(text_of(row, "prompt"), out);
		buf_add_char(out, '"');
		if (*text_of(row, "last_error")) {
			buf_add_str(out, " (");
			tool_say_line(text_of(row, "last_error"), out);
			buf_add_char(out, ')');
		}
	}
	if (json_is_true(json_object_get(o, "more")))
		buf_add_str(out, "\nThere are more: ask with a higher limit.");
	tool_say_scheduler(o, out);
}

const struct request_row tool_schedule_list_row = {
	.name = "tool schedule_list",
	.summary = "list the user's tasks",
	.args =
		(const struct request_arg[]){
			{"status", 0, ARG_CHOICE, "STATUS",
			 "only those (default: pending and running)",
			 "pending running completed failed cancelled all", false, false},
			{"limit", 0, ARG_INT, "N", "at most so many, 1 to 100 (default 20)", NULL,
			 false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_list,
	.tool =
		&(const struct request_tool){
			.name = "schedule_list",
			.title = "List scheduled tasks",
			.description = "List the user's scheduled tasks: those to come by their "
				       "time, then those that run or have ended, the newest first. "
				       "Use it to find a task's id, or to see what became of one.",
			.trust = TRUST_INNER,
			.hints = TOOL_READS | TOOL_IDEMPOTENT,
			.output = "{\"type\":\"object\",\"additionalProperties\":false,"
				  "\"required\":[\"tasks\",\"more\"," TOOL_NOW_REQUIRED "],"
				  "\"properties\":{\"tasks\":{\"type\":\"array\",\"items\":{"
				  "\"type\":\"object\",\"additionalProperties\":false,"
				  "\"required\":[" TASK_REQUIRED
				  "],\"properties\":{" TASK_PROPERTIES "}}},"
				  "\"more\":{\"type\":\"boolean\"}," TOOL_NOW_PROPERTIES "}}",
			.say = say_list},
};

/* --- edit, cancel --- */

/* A task of the caller's; a reminder of theirs is named as what it is. */
static int find(const struct request *rq, const json_t *args, const char *verb,
		struct reminder **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	int rc = tool_find_own(rq, "Task", text_of(args, "id"), &r, err);

	if (rc >= 0 && r->action == ACTION_RUN)
		rc = policy_get(engine_db(rq->engine), r->key, &p, err);
	if (rc < 0)
		return rc;
	if (!p || p->door != DOOR_TASK) {
		if ((rc = declared_refuse(rq, r, verb, err)) < 0)
			return rc;
		error_set(err, ERR_NOT_FOUND, "Task %s not found.", r->id);
		return error_hint(err, "it is a reminder: use the tool reminder");
	}
	*ret = steal_ptr(&r);
	return 0;
}

static int edit_agent(const struct request *rq, const json_t *args, json_t *plain,
		      struct error *err)
{
	const struct config_agent *agent;

	if (!json_object_get(args, "agent"))
		return 0;
	agent = tool_agent(rq, args, err);
	if (!agent)
		return err->code;
	json_put_text(plain, "agent", agent->name);
	return 0;
}

static int exec_edit(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(json_decref) json_t *given = tool_given(args);
	AUTO(json_decref) json_t *plain = json_object();
	const struct zone *zone = NULL;
	json_t *task = NULL;
	int rc;

	if (json_object_size(given) == 1) {
		error_set(err, ERR_INVALID, "nothing to change");
		return error_hint(err, "give what is to be different: at, in, prompt, …");
	}
	if ((rc = find(rq, given, "edit", &r, err)) < 0)
		return rc;
	rc = json_object_get(given, "timezone") ? tool_read_zone(rq, given, &zone, err)
						: zone_get(r->zone, &zone, err);
	if (rc < 0 || (rc = tool_read_when(rq, given, "at", zone, plain, err)) < 0 ||
	    (rc = edit_agent(rq, given, plain, err)) < 0)
		return rc;
	json_put_text(plain, "task", r->id);
	tool_copy(given, task_keys, plain);
	rc = task_edit_row.exec(rq, plain, &task, err);
	if (rc < 0 || (rc = answer(rq, task, ret, err)) < 0)
		return rc;
	tool_note_gap(rq, given, "at", zone, *ret);
	return 0;
}

static void say_edit(const json_t *o, struct buf *out)
{
	buf_printf(out, "Task %s changed; it runs at ", text_of(o, "id"));
	tool_say_when(o, out);
	tool_say_note(o, out);
	tool_say_scheduler(o, out);
}

const struct request_row tool_schedule_edit_row = {
	.name = "tool schedule_edit",
	.summary = "change a task whose time has not come",
	.args = (const struct request_arg[]){ID_ARG,
					     WHEN_ARGS,
					     {"prompt", 0, ARG_TEXT, "TEXT",
					      "what the agent is told instead", NULL, false, false},
					     TASK_ARGS,
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_edit,
	.tool = &(const struct request_tool){.name = "schedule_edit",
					     .title = "Change a scheduled task",
					     .description = "Change the time, the prompt or the "
							    "agent of a pending task; what is "
							    "not given stays. One that has begun "
							    "cannot be changed. Read the local "
							    "time of the answer back to the user.",
					     .trust = TRUST_INNER,
					     .hints = TOOL_DESTROYS | TOOL_OUTSIDE,
					     .output = task_output,
					     .say = say_edit},
};

static int exec_cancel(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(json_decref) json_t *plain = json_object();
	json_t *task = NULL;
	int rc = find(rq, args, "remove", &r, err);

	if (rc < 0)
		return rc;
	json_put_text(plain, "task", r->id);
	rc = task_cancel_row.exec(rq, plain, &task, err);
	return rc < 0 ? rc : answer(rq, task, ret, err);
}

static void say_cancel(const json_t *o, struct buf *out)
{
	const char *status = text_of(o, "status");

	/* One that runs is being stopped, which takes a moment. */
	if (strcmp(status, "cancelled") == 0)
		buf_printf(out, "Task %s cancelled.", text_of(o, "id"));
	else
		buf_printf(out, "Task %s is being stopped; it is %s.", text_of(o, "id"), status);
}

const struct request_row tool_schedule_cancel_row = {
	.name = "tool schedule_cancel",
	.summary = "cancel a task, and stop it when it runs",
	.args = (const struct request_arg[]){ID_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_cancel,
	.tool =
		&(const struct request_tool){
			.name = "schedule_cancel",
			.title = "Cancel a scheduled task",
			.description = "Cancel a task of the user's that is still to come, or stop "
				       "one that runs.",
			.trust = TRUST_INNER,
			.hints = TOOL_DESTROYS | TOOL_IDEMPOTENT,
			.output = task_output,
			.say = say_cancel},
};
