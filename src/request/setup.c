/* setup.c: configuring the clients of agents. The command line does it: it is about this person's files. */
#include "request/rows.h"

/* clang-format off */
const struct request_row setup_row = {
	.name = "setup",
	.summary = "make Claude Code, Codex, Gemini CLI or opencode use Belfry",
	.details =
		"Writes Belfry's MCP server, its hooks (where the client has hooks) and the permission to use "
		"them into the client's own configuration. Everything else in those files stays as it is, "
		"comments and all. Doing it again changes nothing, or corrects the path of this program. What "
		"cannot be read or written is refused before any file is changed.\n\n"
		"With --user (the default) it is your own configuration, for every folder you work in; with "
		"--project that of the current folder, which a team may share. When config.yml has no agent "
		"that can be run, --user also adds one for the client, so that reminders can start it.\n\n"
		"Tools that read, tell you something, or touch only what is the agent's own need no question each time. "
		"Those that start, steer or schedule an agent, or cancel what is scheduled (agent_send, mission_run, reminder, "
		"schedule, schedule_cancel, schedule_edit) do: it would work with its own rights, whatever had talked the "
		"client into it. --allow-runs takes that question away, too; on a "
		"terminal you are asked. opencode asks for nothing by itself: it gets a \"permission\" of each of those tools, "
		"unless yours has a word about it.\n\n"
		"Afterwards it is tried: the server has to answer, and a hook has to end well. The exit status is "
		"6 when it does not.",
	.examples =
		"belfry setup                    # which clients there are\n"
		"belfry setup claude             # then: 'remind yourself in 5m to stretch'\n"
		"belfry setup claude --dry-run   # show what would change\n"
		"belfry setup codex --undo       # take it out again",
	.args = (const struct request_arg[]){
		{"client", 0, ARG_CHOICE, "CLIENT", "claude, codex, gemini or opencode; without one, which of them are here", "claude codex gemini opencode", true, false},
		{"user", 0, ARG_FLAG, NULL, "your own configuration (the default)", NULL, false, false},
		{"project", 0, ARG_FLAG, NULL, "the configuration of the current folder", NULL, false, false},
		{"undo", 0, ARG_FLAG, NULL, "take out what was put in, and nothing else", NULL, false, false},
		{"dry-run", 0, ARG_FLAG, NULL, "only show what would change", NULL, false, false},
		{"force", 0, ARG_FLAG, NULL, "replace an MCP server called belfry that is something else", NULL, false, false},
		{"allow-runs", 0, ARG_FLAG, NULL, "the client need not ask before a tool starts, steers or schedules an agent", NULL, false, false},
		{"no-check", 0, ARG_FLAG, NULL, "do not try whether it works", NULL, false, false},
		{"program", 0, ARG_FILE, "FILE", "the belfry that the client is to start, instead of this one", NULL, false, false},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_ADMIN,
};
/* clang-format on */
