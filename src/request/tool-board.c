/* tool-board.c: for agents: the status board. */
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

const struct request_row tool_board_set_row = {
	.name = "tool board_set",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "board_set",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};

const struct request_row tool_board_show_row = {
	.name = "tool board_show",
	.summary = "not built yet",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_missing,
	.tool = &(const struct request_tool){.name = "board_show",
					     .title = "not built yet",
					     .description = "not built yet",
					     .trust = TRUST_INNER,
					     .output = "{\"type\":\"object\"}",
					     .say = say_missing},
};
