/*
 * tool-board.c: for agents: the status board. It is the one of `belfry board`; an agent writes its own line
 * and no other, since who it is comes from the caller.
 */
#include <string.h>

#include "request/rows.h"
#include "request/tool.h"

/* The answer of a row of the board, with the time of it. */
static int finish(const struct request *rq, int rc, json_t *stolen, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *o = stolen;

	if (rc < 0 || (rc = tool_put_now(rq, NULL, o, err)) < 0)
		return rc;
	*ret = json_incref(o);
	return 0;
}

static int exec_set(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *own = json_copy((json_t *)(uintptr_t)args);
	json_t *o = NULL;
	int rc;

	if (!rq->caller.agent) {
		error_set(err, ERR_INVALID,
			  "you have no line on the board: Belfry does not know "
			  "which agent you are");
		return error_hint(err,
				  "the person sets BELFRY_AGENT=NAME, of an agent in config.yml, "
				  "where this client is started");
	}
	json_put_text(own, "agent", rq->caller.agent);
	rc = board_set_row.exec(rq, own, &o, err);
	return finish(rq, rc, o, ret, err);
}

static void say_line(const json_t *line, struct buf *out)
{
	const char *status = json_string_value(json_object_get(line, "status"));
	const char *detail = json_string_value(json_object_get(line, "detail"));

	buf_printf(out, "%s: ", json_string_value(json_object_get(line, "agent")));
	tool_say_line(status ? status : "off the board", out);
	buf_add_str(out, detail ? ": " : "");
	tool_say_line(detail, out);
}

#define LINE_PROPERTIES                                                                            \
	"\"agent\":{\"type\":\"string\"},"                                                         \
	"\"status\":{\"type\":[\"string\",\"null\"],\"description\":\"null: off the board\"},"     \
	"\"detail\":{\"type\":[\"string\",\"null\"]},"                                             \
	"\"at\":{\"type\":\"string\",\"description\":\"since when\"}"
#define LINE_REQUIRED "\"agent\",\"status\",\"detail\",\"at\""

const struct request_row tool_board_set_row = {
	.name = "tool board_set",
	.summary = "put your status on the board",
	.args =
		(const struct request_arg[]){
			{"status", 0, ARG_TEXT, "STATUS",
			 "a few words, one line: \"reviewing PRs\"; \"\" takes you off the board",
			 NULL, false, true},
			{"detail", 0, ARG_TEXT, "DETAIL", "more about it, any number of lines",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN,
	.exec = exec_set,
	.tool =
		&(const struct request_tool){
			.name = "board_set",
			.title = "Say what you are doing",
			.description =
				"Put your status on the board that the person and other agents "
				"see, "
				"in place of the one before. Heartbeat and task runs are told what "
				"stands there. Use it when you begin something longer, and when "
				"you "
				"are done.",
			.trust = TRUST_INNER,
			.hints = TOOL_IDEMPOTENT | TOOL_AS_AGENT,
			.output = "{\"type\":\"object\",\"properties\":{" LINE_PROPERTIES
				  "," TOOL_NOW_PROPERTIES "},\"required\":[" LINE_REQUIRED
				  "," TOOL_NOW_REQUIRED "],\"additionalProperties\":false}",
			.say = say_line},
};

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	json_t *o = NULL;
	int rc = board_show_row.exec(rq, args, &o, err);

	return finish(rq, rc, o, ret, err);
}

static void say_board(const json_t *result, struct buf *out)
{
	const json_t *line, *board = json_object_get(result, "board");
	size_t i;

	json_array_foreach(board, i, line)
	{
		buf_add_str(out, i ? "\n- " : "- ");
		say_line(line, out);
		buf_printf(out, " (since %s)", json_string_value(json_object_get(line, "at")));
	}
	if (!json_array_size(board))
		buf_add_str(out, "The board is empty.");
}

const struct request_row tool_board_show_row = {
	.name = "tool board_show",
	.summary = "see what the agents are doing",
	.args = (const struct request_arg[]){{"agent", 0, ARG_AGENT, "AGENT",
					      "only this agent's line", NULL, false, false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_show,
	.tool =
		&(const struct request_tool){
			.name = "board_show",
			.title = "Show the status board",
			.description = "See what each agent says it is doing, newest first. For "
				       "information: it keeps nothing from running.",
			.trust = TRUST_INNER,
			.hints = TOOL_READS | TOOL_IDEMPOTENT,
			.output =
				"{\"type\":\"object\",\"properties\":{\"board\":{\"type\":"
				"\"array\",\"items\":{\"type\":\"object\","
				"\"properties\":{" LINE_PROPERTIES "},\"required\":[" LINE_REQUIRED
				"],\"additionalProperties\":false}}," TOOL_NOW_PROPERTIES
				"},\"required\":[\"board\"," TOOL_NOW_REQUIRED
				"],\"additionalProperties\":false}",
			.say = say_board},
};
