/*
 * tools.c: the rows of the request table that are tools: told, called, and their answers.
 * What is wrong with a call as such (no such tool, no object) is an error of the protocol. Whatever the
 * request itself refuses is a result that says so, since the model reads only those and may do better.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/parts.h"

#define TOOLS_MAX 64
#define SUMMARY_MAX ((size_t)2000) /* bytes of the words that stand in a structure */

static const struct {
	const char *name;
	unsigned bit;
} hints[] = {
	{"readOnlyHint", TOOL_READS},
	{"destructiveHint", TOOL_DESTROYS},
	{"idempotentHint", TOOL_IDEMPOTENT},
	{"openWorldHint", TOOL_OUTSIDE},
};

/* All of them are said: what is left out counts as destructive, and as reaching outside. */
static json_t *annotations_of(const struct request_tool *tool)
{
	json_t *all = json_object();

	json_put_text(all, "title", tool->title);
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		json_put_bool(all, hints[i].name, tool->hints & hints[i].bit);
	return all;
}

static json_t *tool_json(const struct request_row *row, const struct revision *r)
{
	const struct request_tool *tool = row->tool;
	json_t *o = json_object();
	json_t *output = (r->flags & REVISION_STRUCTURED) ? schema_of_answer(tool) : NULL;

	json_put_text(o, "name", tool->name);
	if (r->flags & REVISION_STRUCTURED)
		json_put_text(o, "title", tool->title);
	json_put_text(o, "description", tool->description);
	json_put(o, "inputSchema", schema_of(row));
	if (output)
		json_put(o, "outputSchema", output);
	json_put(o, "annotations", annotations_of(tool));
	return o;
}

void tools_list(const char *client, struct mcp_call *c)
{
	json_t *result = json_object(), *tools = json_array();

	for (const struct request_row *const *row = request_rows; *row; row++)
		if ((*row)->tool)
			json_array_append_new(tools, tool_json(*row, revision_of(c)));
	json_put(result, "tools", tools);
	reply_result(c, result);
	/* All there are; whoever carries out the row knows which of them are the caller's. */
	c->row = request_find("tools list");
	c->args = json_object();
	json_put(c->args, "client", reply_text(client));
}

static bool has_name(const json_t *names, const char *name)
{
	const json_t *each;
	size_t i;

	json_array_foreach(names, i, each)
	{
		if (strcmp(json_string_value(each), name) == 0)
			return true;
	}
	return false;
}

/* Nobody could say: then all are told, and each says itself whom it refuses. */
static void keep_own(struct mcp_call *c, const json_t *answer)
{
	const json_t *names = json_object_get(answer, "tools");
	json_t *tools = json_object_get(json_object_get(c->reply, "result"), "tools");

	for (size_t i = json_array_size(tools); names && i-- > 0;)
		if (!has_name(names,
			      json_string_value(json_object_get(json_array_get(tools, i), "name"))))
			json_array_remove(tools, i);
}

static void unknown_tool(const char *name, struct mcp_call *c)
{
	const char *names[TOOLS_MAX], *nearest;
	size_t count = 0;

	for (const struct request_row *const *row = request_rows; *row && count < TOOLS_MAX; row++)
		if ((*row)->tool)
			names[count++] = (*row)->tool->name;
	nearest = text_nearest(name, names, count);
	if (nearest)
		reply_error(c, MCP_INVALID_PARAMS, NULL, "Unknown tool: %.64s (did you mean '%s'?)",
			    name, nearest);
	else
		reply_error(c, MCP_INVALID_PARAMS, NULL,
			    "Unknown tool: %.64s (tools/list has them all)", name);
}

void tools_call(const json_t *params, struct mcp_call *c)
{
	const json_t *name = json_object_get(params, "name");
	json_t *args = json_object_get(params, "arguments");
	const struct request_row *row;

	if (!json_is_string(name)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL,
			    "tools/call: 'name' must be the name of a tool");
		return;
	}
	if (args && !json_is_null(args) && !json_is_object(args)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL,
			    "tools/call: 'arguments' must be an object");
		return;
	}
	row = request_find_tool(json_string_value(name));
	if (!row) {
		unknown_tool(json_string_value(name), c);
		return;
	}
	c->row = row;
	c->args = json_is_object(args) ? json_incref(args) : json_object();
}

/* --- answers --- */

static json_t *content_of(const char *text)
{
	json_t *all = json_array(), *one = json_object();

	json_put_text(one, "type", "text");
	json_put(one, "text", reply_text(text));
	json_array_append_new(all, one);
	return all;
}

static json_t *refusal(const struct error *err)
{
	json_t *result = json_object();
	AUTO_BUF struct buf text = {0};

	buf_add_str(&text, *err->message ? err->message : "it failed, and does not say why");
	if (*err->hint)
		buf_printf(&text, "\n%s", err->hint);
	json_put(result, "content", content_of(buf_text(&text)));
	json_put_bool(result, "isError", true);
	return result;
}

/*
 * There are clients that give the model the structure alone. So the words are in it, too, as far as they
 * are short: a long one (a lesson, an answer, a list) says in words what its other parts say, and twice is too
 * much of a model's memory. A result that has a summary of its own keeps it.
 */
static json_t *structure_of(const json_t *answer, const char *words)
{
	json_t *all = json_copy((json_t *)(uintptr_t)answer);

	if (!json_object_get(all, "summary")) {
		AUTO(free) char *start = mem_strndup(words, text_fit(words, SUMMARY_MAX));
		AUTO_BUF struct buf text = {0};

		buf_printf(&text, "%s%s", start, strlen(start) < strlen(words) ? "…" : "");
		json_put(all, "summary", reply_text(buf_text(&text)));
	}
	return all;
}

static json_t *success(const struct mcp_call *c, const json_t *answer)
{
	json_t *result = json_object();
	AUTO_BUF struct buf text = {0};

	if (c->row->tool->say)
		c->row->tool->say(answer, &text);
	else
		json_add(answer, &text);
	json_put(result, "content", content_of(buf_text(&text)));
	if ((revision_of(c)->flags & REVISION_STRUCTURED) && json_is_object(answer))
		json_put(result, "structuredContent", structure_of(answer, buf_text(&text)));
	json_put_bool(result, "isError", false);
	return result;
}

void mcp_finish(const struct mcp *m, struct mcp_call *c, const json_t *result,
		const struct error *err)
{
	(void)m;
	if (c->row->tool)
		reply_result(c, result ? success(c, result) : refusal(err));
	else
		keep_own(c, result);
}
