/* mcp.c: the tools for agents, on standard input and output. The command line does it; see src/mcp/. */
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
