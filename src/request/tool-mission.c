/*
 * tool-mission.c: for agents: runs of agents, and what came of them.
 * A mission belongs to the user it works for. What belongs to another is not there for this caller: not in
 * lists, not by id, and not by what an error says.
 */
#include <string.h>

#include "base/mem.h"
#include "engine/mission.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/rows.h"
#include "request/tool.h"

#define LIST_USUAL 20
#define LIST_MOST 100

/* --- start one ---------------------------------------------------------------------------- */

static int check_prompt(const json_t *args, struct error *err)
{
	const char *prompt = json_string_value(json_object_get(args, "prompt"));

	if (prompt[strspn(prompt, " \t\r\n")])
		return 0;
	error_set(err, ERR_INVALID, "'prompt' is empty");
	return error_hint(err, "say all that the agent needs to know, and what it is to do");
}

static int exec_run(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *own = json_copy((json_t *)(uintptr_t)args);
	AUTO(json_decref) json_t *made = NULL, *o = json_object();
	const struct config_agent *agent;
	int rc = check_prompt(args, err);

	if (rc < 0)
		return rc;
	agent = tool_agent(rq, args, err);
	if (!agent)
		return err->code;
	json_put_text(own, "agent", agent->name);
	/* Which agents it may have run, and how many runs may order: as of any mission. */
	if ((rc = mission_new_row.exec(rq, own, &made, err)) < 0)
		return rc;
	json_put(o, "mission", json_incref(json_object_get(made, "id")));
	json_put(o, "agent", json_incref(json_object_get(made, "agent")));
	json_put(o, "state", json_incref(json_object_get(made, "state")));
	if ((rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

static void say_run(const json_t *result, struct buf *out)
{
	const char *id = json_string_value(json_object_get(result, "mission"));

	buf_printf(out,
		   "Mission %s of agent '%s' is %s. Its answer, later: mission_result(\"%s\").", id,
		   json_string_value(json_object_get(result, "agent")),
		   json_string_value(json_object_get(result, "state")), id);
	if (!json_is_true(json_object_get(result, "scheduler_running")))
		buf_add_str(out, " No daemon is running: it starts when one does.");
}

#define STATES                                                                                     \
	"\"enum\":[\"behind\",\"waiting\",\"starting\",\"running\",\"stopping\",\"not_run\","      \
	"\"success\",\"error\",\"timeout\",\"killed\",\"orphaned\",\"daemon_shutdown\"]"

const struct request_row tool_mission_run_row = {
	.name = "tool mission_run",
	.summary = "run an agent once, now",
	.args =
		(const struct request_arg[]){
			{"prompt", 0, ARG_BODY, "PROMPT",
			 "what it is to do; it does not know this conversation, "
			 "so the prompt says all that is needed",
			 NULL, false, true},
			{"agent", 0, ARG_AGENT, "AGENT",
			 "who does it, a name of config.yml; without it you yourself where "
			 "Belfry can run you, else the default agent",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_run,
	.tool =
		&(const struct request_tool){
			.name = "mission_run",
			.title = "Run an agent once",
			.description =
				"Start a mission: an agent works on the prompt by itself, now, in "
				"a "
				"folder and a conversation of its own. It returns at once; ask for "
				"the outcome with mission_result. To run something later, use "
				"schedule instead. Confirm with the person first when the work "
				"costs "
				"money or changes things outside.",
			.trust = TRUST_INNER,
			.hints = TOOL_OUTSIDE,
			.output =
				"{\"type\":\"object\",\"properties\":{"
				"\"mission\":{\"type\":\"string\",\"description\":\"its id\"},"
				"\"agent\":{\"type\":\"string\"},"
				"\"state\":{\"type\":\"string\"," STATES "}," TOOL_NOW_PROPERTIES
				"},\"required\":[\"mission\",\"agent\",\"state\"," TOOL_NOW_REQUIRED
				"],\"additionalProperties\":false}",
			.say = say_run},
};

/* --- those there are ---------------------------------------------------------------------- */

static int read_list(const struct request *rq, const json_t *args, struct mission_filter *f,
		     struct error *err)
{
	const char *status = NULL;
	int64_t limit = LIST_USUAL;
	int rc;

	if ((rc = json_get_text(args, "status", &status, err)) < 0 ||
	    (rc = tool_read_limit(args, "limit", LIST_MOST, &limit, err)) < 0)
		return rc;
	*f = (struct mission_filter){.door = -1,
				     .owner = caller_scope(&rq->caller),
				     .open_only = status && strcmp(status, "open") == 0,
				     .ended_only = status && strcmp(status, "ended") == 0,
				     .limit = (int)limit + 1}; /* one that tells of more */
	return 0;
}

static json_t *json_item(const struct mission *m, const struct zone *zone)
{
	AUTO(json_decref) json_t *brief = json_mission_brief(m, NULL);
	json_t *o = json_object();

	json_put_text(o, "mission", m->id);
	json_put_text(o, "agent", m->agent);
	json_put_text(o, "state", mission_state(m));
	json_put(o, "prompt", json_incref(json_object_get(brief, "prompt")));
	json_put_text(o, "origin", m->origin);
	json_put(o, "created_at", json_instant(m->created_at, zone));
	json_put(o, "ended_at", json_instant(m->ended_at, zone));
	return o;
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_MISSIONS struct mission_list page = {0};
	AUTO(json_decref) json_t *o = json_object();
	const struct zone *zone = read_own_zone(rq);
	json_t *rows = json_array();
	struct mission_filter filter;
	int rc = read_list(rq, args, &filter, err);

	json_put(o, "missions", rows);
	if (rc < 0 || (rc = mission_list(engine_db(rq->engine), &filter, &page, err)) < 0)
		return rc;
	for (size_t i = 0; i < page.count && (int)i + 1 < filter.limit; i++)
		json_array_append_new(rows, json_item(page.items[i], zone));
	json_put_bool(o, "more", page.count == (size_t)filter.limit);
	if ((rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

static void say_list(const json_t *result, struct buf *out)
{
	const json_t *m, *rows = json_object_get(result, "missions");
	size_t i;

	json_array_foreach(rows, i, m)
	{
		const char *prompt = json_string_value(json_object_get(m, "prompt"));

		buf_printf(out, "%s- [%s] %s, %s: %.*s", i ? "\n" : "",
			   json_string_value(json_object_get(m, "mission")),
			   json_string_value(json_object_get(m, "agent")),
			   json_string_value(json_object_get(m, "state")),
			   (int)strcspn(prompt, "\n"), prompt);
	}
	if (!json_array_size(rows))
		buf_add_str(out, "No missions.");
	if (json_is_true(json_object_get(result, "more")))
		buf_add_str(out, "\nThere are more; 'limit' shows more of them.");
}

const struct request_row tool_mission_list_row = {
	.name = "tool mission_list",
	.summary = "list missions",
	.args = (const struct request_arg[]){{"status", 0, ARG_CHOICE, "STATUS",
					      "only those that have not ended (open), or have",
					      "open ended", false, false},
					     {"limit", 0, ARG_INT, "N",
					      "at most so many, to 100; default 20", NULL, false,
					      false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_list,
	.tool =
		&(const struct request_tool){
			.name = "mission_list",
			.title = "List missions",
			.description =
				"List the missions (runs of agents) of the user you work for, "
				"newest first, with what each is about and how it stands. "
				"Archived ones are left out.",
			.trust = TRUST_INNER,
			.hints = TOOL_READS | TOOL_IDEMPOTENT,
			.output =
				"{\"type\":\"object\",\"properties\":{\"missions\":{\"type\":"
				"\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
				"\"mission\":{\"type\":\"string\"},"
				"\"agent\":{\"type\":\"string\"},"
				"\"state\":{\"type\":\"string\"," STATES "},"
				"\"prompt\":{\"type\":\"string\",\"description\":\"how it "
				"begins\"},"
				"\"origin\":{\"type\":[\"string\",\"null\"],\"description\":\"the "
				"cron, task or reminder that ordered it\"},"
				"\"created_at\":{\"type\":\"string\"},"
				"\"ended_at\":{\"type\":[\"string\",\"null\"]}},"
				"\"required\":[\"mission\",\"agent\",\"state\",\"prompt\","
				"\"origin\",\"created_at\",\"ended_at\"],"
				"\"additionalProperties\":false}},"
				"\"more\":{\"type\":\"boolean\"}," TOOL_NOW_PROPERTIES
				"},\"required\":[\"missions\",\"more\"," TOOL_NOW_REQUIRED
				"],\"additionalProperties\":false}",
			.say = say_list},
};

/* --- what came of one --------------------------------------------------------------------- */

static int find(const struct request *rq, const char *id, struct mission **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = mission_find_of(engine_db(rq->engine), caller_scope(&rq->caller), id, &m, err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (rc == 0 && m->phase != PHASE_REMOVING) {
		*ret = steal_ptr(&m);
		return 0;
	}
	error_set(err, ERR_NOT_FOUND, "mission '%.80s' not found", id);
	return error_hint(err, "mission_list shows those there are");
}

/* The answer is that of the last run that has ended; so is the error, unless that went well. */
static int put_end(const struct request *rq, const struct mission *m, json_t *o, struct error *err)
{
	AUTO_RUNS struct run_list runs = {0};
	int rc = run_list(engine_db(rq->engine), m->key, &runs, err);
	const struct run *last = NULL;

	if (rc < 0)
		return rc;
	for (size_t i = 0; !last && i < runs.count; i++) /* newest first */
		if (runs.items[i]->finished_at != USEC_NONE)
			last = runs.items[i];
	json_put_text(o, "answer", last ? last->answer : NULL);
	json_put_text(o, "error", last && last->ending != ENDING_SUCCESS ? last->error : NULL);
	json_put_int(o, "runs", m->runs);
	return 0;
}

static int exec_result(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	const char *id = json_string_value(json_object_get(args, "mission"));
	const struct zone *zone = read_own_zone(rq);
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(json_decref) json_t *o = json_object();
	int rc = find(rq, id, &m, err);

	if (rc < 0)
		return rc;
	json_put_text(o, "mission", m->id);
	json_put_text(o, "agent", m->agent);
	json_put_text(o, "state", mission_state(m));
	json_put_bool(o, "ended", m->phase == PHASE_ENDED);
	json_put_text(o, "reason", m->reason);
	json_put(o, "cost_usd", m->cost > 0 ? json_real((double)m->cost / 1e6) : json_null());
	json_put(o, "created_at", json_instant(m->created_at, zone));
	json_put(o, "started_at", json_instant(m->started_at, zone));
	json_put(o, "ended_at", json_instant(m->ended_at, zone));
	if ((rc = put_end(rq, m, o, err)) < 0 || (rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

static void say_result(const json_t *result, struct buf *out)
{
	const char *id = json_string_value(json_object_get(result, "mission"));
	const char *state = json_string_value(json_object_get(result, "state"));
	const char *reason = json_string_value(json_object_get(result, "reason"));
	const char *answer = json_string_value(json_object_get(result, "answer"));
	const char *error = json_string_value(json_object_get(result, "error"));
	bool ended = json_is_true(json_object_get(result, "ended"));

	buf_printf(out, "Mission %s has %s (%s", id, ended ? "ended" : "not ended yet", state);
	buf_printf(out, "%s%s).", reason ? ": " : "", reason ? reason : "");
	if (!ended)
		buf_add_str(out, " Ask again later.");
	if (error)
		buf_printf(out, "\n\nError: %s", error);
	if (answer)
		buf_printf(out, "\n\n%s%s", ended ? "" : "Its answer so far:\n", answer);
}

const struct request_row tool_mission_result_row = {
	.name = "tool mission_result",
	.summary = "what came of a mission",
	.args =
		(const struct request_arg[]){
			{"mission", 0, ARG_MISSION, "MISSION",
			 "its whole id, as mission_run and mission_list tell it", NULL, false,
			 true},
			{0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_result,
	.tool =
		&(const struct request_tool){
			.name = "mission_result",
			.title = "Get the result of a mission",
			.description =
				"Get what came of a mission: how it stands, its answer, its error, "
				"its cost and times. It does not wait: while `ended` is false, go "
				"on "
				"with other work and ask again later.",
			.trust = TRUST_INNER,
			.hints = TOOL_READS | TOOL_IDEMPOTENT,
			.output =
				"{\"type\":\"object\",\"properties\":{"
				"\"mission\":{\"type\":\"string\"},"
				"\"agent\":{\"type\":\"string\"},"
				"\"state\":{\"type\":\"string\"," STATES "},"
				"\"ended\":{\"type\":\"boolean\"},"
				"\"reason\":{\"type\":[\"string\",\"null\"],\"description\":\"why "
				"it "
				"waits, or how it ended\"},"
				"\"answer\":{\"type\":[\"string\",\"null\"],\"description\":\"what "
				"the "
				"agent said in the end\"},"
				"\"error\":{\"type\":[\"string\",\"null\"]},"
				"\"cost_usd\":{\"type\":[\"number\",\"null\"]},"
				"\"runs\":{\"type\":\"integer\",\"description\":\"attempts and "
				"resumes so far\"},"
				"\"created_at\":{\"type\":\"string\"},"
				"\"started_at\":{\"type\":[\"string\",\"null\"]},"
				"\"ended_at\":{\"type\":[\"string\",\"null\"]}," TOOL_NOW_PROPERTIES
				"},\"required\":[\"mission\",\"agent\",\"state\",\"ended\","
				"\"reason\","
				"\"answer\",\"error\",\"cost_usd\",\"runs\",\"created_at\","
				"\"started_at\",\"ended_at\"," TOOL_NOW_REQUIRED
				"],\"additionalProperties\":false}",
			.say = say_result},
};
