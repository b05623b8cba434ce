/*
 * task.c: scheduled tasks: one run of an agent at one time. A task is a reminder whose door is
 * `task`; what became of it is the mission it turned into.
 */
#include <string.h>

#include "base/mem.h"
#include "engine/change.h"
#include "engine/mission.h"
#include "request/caller.h"
#include "request/declared.h"
#include "request/json-cron.h"
#include "request/read.h"
#include "request/rows.h"

#define PAGE_ROWS 200

#define TASK_ARG                                                                                   \
	{                                                                                          \
		"task", 0, ARG_TASK, "TASK", "id, unique prefix of one, or name", NULL, true, true \
	}

/* clang-format off */
#define WHEN_ARGS \
	{"at",           0, ARG_TIME,     "TIME",     "at TIME: '15:30', 'tomorrow 9am', 'feb 20 3pm', RFC 3339", NULL, false, false}, \
	{"in",           0, ARG_DURATION, "DURATION", "after DURATION: 90s, 30m, 1h30m, 2d", NULL, false, false}, \
	{"agent",        0, ARG_AGENT,    "AGENT",    "who is run (default: config.yml's defaultAgent)", NULL, false, false}, \
	{"max-attempts", 0, ARG_INT,      "N",        "how often it is tried (default 3)", NULL, false, false}, \
	{"timeout",      0, ARG_TEXT,     "DURATION", "the longest a run may take, or none (default 1h)", NULL, false, false}
/* clang-format on */

static int answer(const struct request *rq, const json_t *args, const struct reminder *r,
		  json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *words = json_reminder_answer(rq, r);
	int rc = json_task(rq, r, ret, err);

	if (rc < 0)
		return rc;
	json_object_set(*ret, "understood", json_object_get(words, "understood"));
	json_put_bool(*ret, "scheduler_running", rq->scheduler_running);
	read_warn_gap(rq, args, reminder_zone(r), *ret);
	return 0;
}

/* The arguments of a task as those of the reminder that it is. */
static json_t *as_reminder(const json_t *args)
{
	static const char *const same[] = {"at", "in", "tz", "name", "agent"};
	json_t *plain = json_object(), *prompt = json_object_get(args, "prompt");

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (json_object_get(args, same[i]))
			json_object_set(plain, same[i], json_object_get(args, same[i]));
	if (prompt)
		json_object_set(plain, "message", prompt);
	return plain;
}

static int check_when(const json_t *args, struct error *err)
{
	bool at = json_is_string(json_object_get(args, "at"));
	bool in = json_is_string(json_object_get(args, "in"));

	if (at != in)
		return 0;
	error_set(err, ERR_INVALID, at ? "two times: --at and --in" : "when? no time is given");
	return error_hint(err, "give exactly one of --at, --in");
}

static int check_prompt(const struct request *rq, const json_t *args, struct error *err)
{
	const char *prompt = json_string_value(json_object_get(args, "prompt"));

	if (!prompt || prompt[strspn(prompt, " \t\n")])
		return 0;
	error_set(err, ERR_INVALID, "the prompt is empty");
	return error_hint(err, "say what is to be done%s",
			  rq->caller.surface == SURFACE_MCP
				  ? " in 'prompt'"
				  : ", or - to read it from standard input");
}

/* Who runs it: named, or the one the configuration names. */
static int set_agent(const struct request *rq, json_t *plain, struct error *err)
{
	const struct config *config = engine_config(rq->engine);
	const char *name = json_string_value(json_object_get(plain, "agent"));
	const struct config_agent *agent =
		name ? config_agent(config, name, err) : config_default_agent(config, err);

	if (!agent)
		return err->code;
	if (!agent->adapter)
		return read_refuse_agent(config, agent, err);
	json_put_text(plain, "agent", agent->name);
	return 0;
}

static int exec_add(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *plain = as_reminder(args);
	AUTO(reminder_free) struct reminder *r = mem_zalloc(sizeof(*r));
	struct policy p = {0};
	int rc;

	if ((rc = check_when(args, err)) < 0 || (rc = check_prompt(rq, args, err)) < 0 ||
	    (rc = set_agent(rq, plain, err)) < 0 || (rc = read_new_reminder(rq, plain, r, err)) < 0)
		return rc;
	r->priority = PRIORITY_NORMAL;
	engine_policy_defaults(rq->engine, DOOR_TASK, r->agent, &p);
	if ((rc = read_policy(args, &p, err)) < 0 || (rc = caller_stamp(rq, r, err)) < 0 ||
	    (rc = engine_add_run(rq->engine, r, &p, rq->now, false, err)) < 0)
		return rc;
	return answer(rq, args, r, ret, err);
}

const struct request_row task_add_row = {
	.name = "task add",
	.summary = "run an agent once, at a time",
	.details = "A time that has passed means now. A run that fails is tried again, with a "
		   "growing wait, up to --max-attempts times.\n\n"
		   "What the agent answers is in its mission, which 'belfry task show' names, and "
		   "not in "
		   "your inbox. To have it there, say so in the prompt: 'Send it with belfry "
		   "message send.'\n\n"
		   "A prompt has 1 MiB at most: a longer text goes into a file, which it names.\n\n"
		   "Times are read in the zone of --tz, else of config.yml, of TZ, or of the "
		   "machine.",
	.examples = "belfry task add 'Summarise the open issues' --at 'tomorrow 9am'\n"
		    "belfry task add - --in 2h --agent builder < prompt.md",
	.args =
		(const struct request_arg[]){
			{"prompt", 0, ARG_BODY, "PROMPT",
			 "what the agent is told; - reads standard input", NULL, true, true},
			WHEN_ARGS,
			{"name", 0, ARG_TEXT, "NAME", "a name to find it by", NULL, false, false},
			{"tz", 0, ARG_ZONE, "ZONE", "the time zone of --at, like Europe/Berlin",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_add,
};

/* --- list, show --- */

/* What is still to come, runs, or failed and needs somebody; the rest only when asked. */
static bool is_shown(const json_t *task, bool all)
{
	const char *status = json_string_value(json_object_get(task, "status"));

	return all || (strcmp(status, "completed") != 0 && strcmp(status, "cancelled") != 0);
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *rows = json_array();
	AUTO_REMINDERS struct reminder_list page = {0};
	int64_t after = 0;
	bool all = false;
	int rc;

	if ((rc = json_get_bool(args, "all", &all, err)) < 0 ||
	    (rc = json_get_int(args, "after", &after, err)) < 0 ||
	    (rc = policy_reminders_of(engine_db(rq->engine), caller_scope(&rq->caller), DOOR_TASK,
				      true, after, PAGE_ROWS, &page, err)) < 0)
		return rc;
	for (size_t i = 0; i < page.count; i++) {
		json_t *row = NULL;

		if ((rc = json_task(rq, page.items[i], &row, err)) < 0)
			return rc;
		if (is_shown(row, all))
			json_array_append(rows, row);
		json_decref(row);
	}
	*ret = json_object();
	json_put(*ret, "tasks", json_incref(rows));
	json_put(*ret, "more",
		 page.count == PAGE_ROWS ? json_integer(page.items[page.count - 1]->key)
					 : json_null());
	return 0;
}

const struct request_row task_list_row = {
	.name = "task list",
	.summary = "list tasks: those to come, those that run, and those that failed",
	.args = (const struct request_arg[]){{"all", 'a', ARG_FLAG, NULL,
					      "completed and cancelled ones too", NULL, false,
					      false},
					     {"after", 0, ARG_INT, "KEY", NULL, NULL, false, false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_list,
};

/*
 * The task of that id or name: a reminder of another kind is not one. `verb`: what is to be done to it,
 * for what a file declares; NULL: it is only looked at.
 */
static int find(const struct request *rq, const json_t *args, const char *verb,
		struct reminder **ret, struct policy **ret_policy, struct error *err)
{
	const char *ref = json_string_value(json_object_get(args, "task"));
	struct db *db = engine_db(rq->engine);
	int rc = reminder_find_of(db, caller_scope(&rq->caller), ref, ret, err);

	if (rc < 0)
		return rc;
	rc = (*ret)->action == ACTION_RUN ? policy_get(db, (*ret)->key, ret_policy, err)
					  : ERR_NOT_FOUND;
	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (rc == 0 && (*ret_policy)->door == DOOR_TASK)
		return 0;
	if (verb && declared_refuse(rq, *ret, verb, err) < 0)
		return err->code;
	error_set(err, ERR_NOT_FOUND, "'%s' is a %s, not a task", ref,
		  rc == 0 ? door_word((*ret_policy)->door) : "reminder");
	return error_hint(err, "'belfry task list --all' lists the tasks");
}

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	int rc = find(rq, args, NULL, &r, &p, err);

	return rc < 0 ? rc : json_task(rq, r, ret, err);
}

const struct request_row task_show_row = {
	.name = "task show",
	.summary = "show one task and what became of it",
	.args = (const struct request_arg[]){TASK_ARG, {0}},
	.flags = REQUEST_READS | REQUEST_OWN,
	.exec = exec_show,
};

/* --- edit, cancel --- */

static int refuse(const struct request *rq, const struct reminder *r, const char *verb,
		  const char *hint, struct error *err)
{
	AUTO(json_decref) json_t *task = NULL;
	int rc = json_task(rq, r, &task, err);
	const char *status = json_string_value(json_object_get(task, "status"));

	if (rc < 0)
		return rc;
	if (strcmp(status, "pending") == 0) /* between two attempts */
		error_set(err, ERR_CONFLICT, "cannot %s task '%s': it has begun", verb, r->id);
	else
		error_set(err, ERR_CONFLICT, "cannot %s task '%s': it is %s", verb, r->id, status);
	return error_hint(err, "%s", hint);
}

/* Whether its time is still to come: then it is nothing but a reminder. */
static bool is_ahead(const struct reminder *r, const struct mission *m)
{
	return !m && (r->status == STATUS_ACTIVE || r->status == STATUS_PAUSED);
}

static int edit(const struct request *rq, const json_t *args, struct reminder *r, struct policy *p,
		struct error *err)
{
	AUTO(json_decref) json_t *plain = as_reminder(args);
	bool reschedule = false;
	int rc;

	if (json_object_get(args, "at") && json_object_get(args, "in") &&
	    (rc = check_when(args, err)) < 0)
		return rc;
	if ((rc = check_prompt(rq, args, err)) < 0 ||
	    (json_object_get(plain, "agent") && (rc = set_agent(rq, plain, err)) < 0) ||
	    (rc = read_edit(rq, plain, r, &reschedule, err)) < 0 ||
	    (rc = caller_check_agent(rq, r->agent, err)) < 0 ||
	    (rc = read_policy(args, p, err)) < 0 ||
	    (rc = policy_update(engine_db(rq->engine), p, err)) < 0)
		return rc;
	return engine_edit(rq->engine, r, reschedule, rq->now, err);
}

static int exec_edit(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int rc;

	if (json_object_size(args) == 1) {
		error_set(err, ERR_INVALID, "nothing to change");
		return error_hint(err, "give at least one flag, see: belfry task edit --help");
	}
	if ((rc = find(rq, args, "edit", &r, &p, err)) < 0 ||
	    (rc = caller_check_reminder(rq, r, "edit", err)) < 0 ||
	    (rc = task_mission(engine_db(rq->engine), r, &m, err)) < 0)
		return rc;
	if (!is_ahead(r, m))
		return refuse(rq, r, "edit", "only pending tasks can be edited; add a new one",
			      err);
	rc = edit(rq, args, r, p, err);
	return rc < 0 ? rc : answer(rq, args, r, ret, err);
}

const struct request_row task_edit_row = {
	.name = "task edit",
	.summary = "change a task whose time has not come",
	.examples = "belfry task edit r-k3f9x2 --at 'friday 10:00'",
	.args =
		(const struct request_arg[]){
			TASK_ARG,
			{"prompt", 'p', ARG_BODY, "TEXT",
			 "what the agent is told; - reads standard input", NULL, false, false},
			WHEN_ARGS,
			{"name", 0, ARG_TEXT, "NAME", "a name to find it by", NULL, false, false},
			{"tz", 0, ARG_ZONE, "ZONE", "the time zone of --at", NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_edit,
};

static int exec_cancel(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "cancelled");
	int rc;

	if ((rc = find(rq, args, "remove", &r, &p, err)) < 0 ||
	    (rc = caller_check_reminder(rq, r, "cancel", err)) < 0 ||
	    (rc = task_mission(engine_db(rq->engine), r, &m, err)) < 0)
		return rc;
	if (is_ahead(r, m))
		rc = engine_cancel(rq->engine, r, rq->now, why, err);
	else if (m && m->phase != PHASE_ENDED && m->phase != PHASE_REMOVING)
		rc = engine_mission_stop(rq->engine, m, why, rq->now, err);
	else
		rc = refuse(rq, r, "cancel", "it is over already", err);
	return rc < 0 ? rc : json_task(rq, r, ret, err);
}

const struct request_row task_cancel_row = {
	.name = "task cancel",
	.summary = "cancel a task, and stop it when it runs",
	.args = (const struct request_arg[]){TASK_ARG, {0}},
	.flags = REQUEST_WRITES | REQUEST_OWN,
	.exec = exec_cancel,
};
