/*
 * tool-condition.c: for agents that got a reminder with a condition they have to look at themselves:
 * closing it once that is met (H10), and telling what they found, which `belfry why` shows.
 */
#include "engine/change.h"
#include "request/caller.h"
#include "request/rows.h"
#include "request/tool.h"

#define DETAIL_MAX 2000

static void put(const struct reminder *r, json_t *o)
{
	json_put_text(o, "id", r->id);
	json_put_text(o, "name", r->name);
	json_put_text(o, "status", status_word(r->status));
}

/* clang-format off */
#define CONDITION_PROPERTIES \
	"\"id\":{\"type\":\"string\"},\"name\":{\"type\":[\"string\",\"null\"]}," \
	"\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"paused\",\"cancelled\",\"completed\"]}," \
	TOOL_NOW_PROPERTIES
#define CONDITION_REQUIRED "\"id\",\"name\",\"status\"," TOOL_NOW_REQUIRED
/* clang-format on */

static int find(const struct request *rq, const json_t *args, struct reminder **ret,
		struct error *err)
{
	const char *id = json_string_value(json_object_get(args, "id"));
	int rc = tool_find_own(rq, "Reminder", id, ret, err);

	if (rc < 0 || (*ret)->condition_kind == CONDITION_PROMPT)
		return rc;
	error_set(err, ERR_CONFLICT, "reminder '%s' has no condition for an agent to look at",
		  (*ret)->id);
	return error_hint(err, "to close any reminder of the user: reminder with action complete");
}

static int answer(const struct request *rq, const struct reminder *r, json_t **ret,
		  struct error *err)
{
	AUTO(json_decref) json_t *o = json_object();
	int rc = tool_put_now(rq, NULL, o, err);

	if (rc < 0)
		return rc;
	put(r, o);
	*ret = json_incref(o);
	return 0;
}

static int exec_complete(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = find(rq, args, &r, err);

	/* Said twice, or its last fire was this one: it is closed, and that is what was wanted. */
	if (rc >= 0 && r->status != STATUS_COMPLETED &&
	    (rc = caller_check_reminder(rq, r, "complete", err)) >= 0)
		rc = engine_complete(rq->engine, r, rq->now, "condition met, says its agent", err);
	return rc < 0 ? rc : answer(rq, r, ret, err);
}

static void say_complete(const json_t *o, struct buf *out)
{
	buf_printf(out, "Reminder %s completed: it will not fire again.",
		   json_string_value(json_object_get(o, "id")));
}

const struct request_row tool_reminder_complete_row = {
	.name = "tool reminder_complete",
	.summary = "close a reminder whose condition is met",
	.args = (const struct request_arg[]){{"id", 0, ARG_TEXT, "ID",
					      "the id or the name that the reminder's text gives",
					      NULL, false, true},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_complete,
	.tool =
		&(const struct request_tool){
			.name = "reminder_complete",
			.title = "Close a reminder whose condition is met",
			.description =
				"Close a reminder that told you to look whether a condition holds "
				"(\"First look whether this condition holds\") and to close it "
				"when it "
				"does. Use it only once you have looked and the condition is met; "
				"the "
				"reminder then never fires again.",
			.trust = TRUST_INNER,
			.hints = TOOL_DESTROYS | TOOL_IDEMPOTENT,
			.output = "{\"type\":\"object\",\"additionalProperties\":false,"
				  "\"required\":[" CONDITION_REQUIRED
				  "],\"properties\":{" CONDITION_PROPERTIES "}}",
			.say = say_complete},
};

static int exec_report(const struct request *rq, const json_t *args, json_t **ret,
		       struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	const char *detail = json_string_value(json_object_get(args, "detail"));
	bool met = json_is_true(json_object_get(args, "met"));
	int rc = find(rq, args, &r, err);

	if (rc < 0 || (detail && (rc = read_check_text("'detail'", detail, DETAIL_MAX, err)) < 0) ||
	    (rc = caller_check_reminder(rq, r, "report", err)) < 0 ||
	    (rc = engine_report_condition(rq->engine, r, met, detail && *detail ? detail : NULL,
					  rq->now, err)) < 0 ||
	    (rc = answer(rq, r, ret, err)) < 0)
		return rc;
	json_put_bool(*ret, "met", met);
	return 0;
}

static void say_report(const json_t *o, struct buf *out)
{
	const char *status = json_string_value(json_object_get(o, "status"));

	buf_printf(out, "Noted for reminder %s: the condition is %smet. The reminder is %s.",
		   json_string_value(json_object_get(o, "id")),
		   json_is_true(json_object_get(o, "met")) ? "" : "not ", status);
}

const struct request_row tool_condition_report_row = {
	.name = "tool condition_report",
	.summary = "tell whether the condition of a reminder that fired holds",
	.args =
		(const struct request_arg[]){
			{"id", 0, ARG_TEXT, "ID",
			 "the id or the name that the reminder's text gives", NULL, false, true},
			{"met", 0, ARG_FLAG, NULL, "whether the condition holds", NULL, false,
			 true},
			{"detail", 0, ARG_TEXT, "TEXT",
			 "what you saw, in a sentence, for the person who asks why", NULL, false,
			 false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_report,
	.tool =
		&(const struct request_tool){
			.name = "condition_report",
			.title = "Report on a reminder's condition",
			.description =
				"Tell what you found when a reminder asked you to look whether a "
				"condition holds (\"First look whether this condition holds\"). "
				"Call "
				"it once for each time you are reminded, also when you skip the "
				"task. "
				"The person can then see why nothing was done. A reminder that "
				"lives "
				"until its condition is met is closed by reporting that it is.",
			.trust = TRUST_INNER,
			.hints = TOOL_DESTROYS,
			.output = "{\"type\":\"object\",\"additionalProperties\":false,"
				  "\"required\":[\"met\"," CONDITION_REQUIRED
				  "],\"properties\":{\"met\":{\"type\":\"boolean\"}"
				  "," CONDITION_PROPERTIES "}}",
			.say = say_report},
};
