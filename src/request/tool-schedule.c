/* tool-schedule.c: for agents: prompts that run later. */
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

const struct request_row tool_schedule_row = {
	.name = "tool schedule",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "schedule",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_schedule_list_row = {
	.name = "tool schedule_list",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "schedule_list",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_schedule_edit_row = {
	.name = "tool schedule_edit",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "schedule_edit",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_schedule_cancel_row = {
	.name = "tool schedule_cancel",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "schedule_cancel",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_schedule_preview_row = {
	.name = "tool schedule_preview",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "schedule_preview",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};
