/* lesson.c: lessons and workflows: Markdown that agents are told to read when it matters. */
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

const struct request_row tool_get_lesson_row = {
	.name = "tool get_lesson",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "get_lesson",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_get_workflow_step_row = {
	.name = "tool get_workflow_step",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "get_workflow_step",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};
