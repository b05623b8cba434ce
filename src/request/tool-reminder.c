/* tool-reminder.c: for agents: reminders that users ask them for, in one tool with an action. */
#include "request/rows.h"
#include "request/tool.h"

static int exec_missing(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	(void)rq;
	(void)args;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

static void say_missing(const json_t *result, struct buf *out)
{
	(void)result;
	buf_add_str(out, "not built yet");
}

const struct request_row tool_reminder_row = {
	.name = "tool reminder",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "reminder",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_reminder_complete_row = {
	.name = "tool reminder_complete",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "reminder_complete",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_condition_report_row = {
	.name = "tool condition_report",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "condition_report",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};
