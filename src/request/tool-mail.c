/* tool-mail.c: for agents: messages to people and to each other, and what came back. */
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

const struct request_row tool_message_send_row = {
	.name = "tool message_send",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "message_send",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_inbox_replies_row = {
	.name = "tool inbox_replies",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "inbox_replies",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};
