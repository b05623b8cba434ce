/* mcp.c: the tools for agents, on standard input and output. The command line does it; see src/mcp/. */
#include <string.h>

#include "request/caller.h"
#include "request/rows.h"

/* clang-format off */
const struct request_row mcp_row = {
	.name = "mcp",
	.summary = "serve Belfry's tools to an agent, over standard input and output",
	.details =
		"For clients that speak the Model Context Protocol: they start this command and write to it, "
		"one JSON message a line, and read its answers. It starts a daemon when a tool is first "
		"called, if none runs.\n\n"
		"Who asks is decided here, by how it was started, and by nothing a model says: by --user, "
		"--session and --agent, else by BELFRY_USER, BELFRY_SESSION and BELFRY_AGENT in the environment, or "
		"by what the client calls its conversation there. In a mission it works for the mission's user.\n\n"
		"It ends with its standard input. Standard output has nothing but the protocol.",
	.examples =
		"claude mcp add belfry -- belfry mcp   # Claude Code gets the tools\n"
		"belfry mcp --user alice               # what is asked for is alice's",
	.args = (const struct request_arg[]){
		{"user", 0, ARG_TEXT, "NAME", "for whom it asks", NULL, false, false},
		{"session", 0, ARG_TEXT, "ID", "the conversation it asks from", NULL, false, false},
		{"agent", 0, ARG_AGENT, "AGENT", "the agent that asks", NULL, false, false},
		{0},
	},
	.flags = REQUEST_LOCAL,
};
/* clang-format on */

/* --- which of them a caller has --- */

/* Clients that have hooks, as they call themselves: how their names begin. */
static const char *const with_hooks[] = {"claude-code", "codex", "gemini"};

static bool has_hooks(const char *client)
{
	for (size_t i = 0; client && i < sizeof(with_hooks) / sizeof(with_hooks[0]); i++)
		if (strncmp(client, with_hooks[i], strlen(with_hooks[i])) == 0)
			return true;
	return false;
}

/* A client's hooks may say who it is after it has listed the tools. Without hooks nothing ever will. */
static bool could_work(const struct caller *c, const char *client, const struct request_tool *tool)
{
	bool known = c->session || (c->may_learn && has_hooks(client));

	return (!(tool->hints & TOOL_IN_SESSION) || known) &&
	       (!(tool->hints & TOOL_AS_AGENT) || c->agent || known) &&
	       (!(tool->hints & TOOL_HEARD) || c->mission || c->agent || known);
}

json_t *request_tools_for(const struct caller *c, const char *client)
{
	json_t *names = json_array(), *all = json_object();

	for (const struct request_row *const *row = request_rows; *row; row++) {
		struct error no = {0};

		if ((*row)->tool && caller_may(c, *row, &no) >= 0 &&
		    could_work(c, client, (*row)->tool))
			json_array_append_new(names, json_string((*row)->tool->name));
	}
	json_put(all, "tools", names);
	return all;
}

static int exec_list(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)err;
	*ret = request_tools_for(&rq->caller, json_string_value(json_object_get(args, "client")));
	return 0;
}

const struct request_row tools_list_row = {
	.name = "tools list",
	.summary = "say which tools a caller may use",
	.args =
		(const struct request_arg[]){
			{"client", 0, ARG_TEXT, "NAME", "what the caller's program calls itself",
			 NULL, false, false},
			{0},
		},
	.flags = REQUEST_READS | REQUEST_HIDDEN | REQUEST_ANYBODY,
	.exec = exec_list,
};
