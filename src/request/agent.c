/*
 * agent.c: the commands around live agents, as people type them.
 * All are a face's own work: they wait, or have the terminal. What they ask the daemon is in live.c.
 */
#include "request/rows.h"

#define AGENT_ARG(help)                                                                            \
	{                                                                                          \
		"agent", 0, ARG_AGENT, "NAME", help, NULL, true, true                              \
	}
#define ROLE_ARG                                                                                   \
	{                                                                                          \
		"role", 0, ARG_ROLE, "ROLE", "of roles/ROLE.yml; default: the one it had", NULL,   \
			false, false                                                               \
	}

const struct request_row agent_start_row = {
	.name = "agent start",
	.summary = "start a live agent: it runs until it is stopped, and is told what is for it",
	.details =
		"The agent runs interactively in a window of a private tmux server. It outlives "
		"the "
		"daemon and this terminal. What is queued for it is typed in when it can hear it: "
		"'interrupt' at once, 'normal' while it works, too, the others when it is idle.\n\n"
		"On a terminal you are attached to it; Ctrl-B d leaves, and it goes on. Without a "
		"terminal, and with --detach, this returns when the agent is there. An agent that "
		"had a conversation goes on with it.\n\n"
		"With --role it is what roles/ROLE.yml says, and has the reminders of that role, "
		"until it is removed or started with another. Instructions that its program has no "
		"place for are the first message it gets.",
	.examples = "belfry agent start builder\n"
		    "belfry agent start critic --role reviewer --detach",
	.args =
		(const struct request_arg[]){
			AGENT_ARG("an agent of config.yml, or a new name with --role"),
			ROLE_ARG,
			{"detach", 'd', ARG_FLAG, NULL, "do not attach this terminal to it", NULL,
			 false, false},
			{"fresh", 0, ARG_FLAG, NULL,
			 "in a new conversation, even when there is one to go on with", NULL, false,
			 false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_LOCAL,
};

const struct request_row run_row = {
	.name = "run",
	.summary = "attach to a live agent, started when it is not there",
	.details = "The same as `belfry agent start NAME`, and `belfry agent attach NAME` when it "
		   "runs already. Ctrl-B d leaves, and it goes on.",
	.examples = "belfry run builder\nbelfry run critic --role reviewer",
	.args = (const struct request_arg[]){AGENT_ARG("an agent of config.yml, or a new name "
						       "with --role"),
					     ROLE_ARG,
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_LOCAL,
};

const struct request_row agent_attach_row = {
	.name = "agent attach",
	.summary = "look at a live agent, and type to it",
	.details = "Ctrl-B d leaves, and the agent goes on; Ctrl-B n is the next agent, Ctrl-B w "
		   "lists them. Any number of people may be attached, each at the agent they "
		   "chose. What Belfry types waits while you are typing.",
	.examples = "belfry agent attach builder\nbelfry agent attach builder --read-only",
	.args = (const struct request_arg[]){AGENT_ARG("one that has a session"),
					     {"read-only", 'r', ARG_FLAG, NULL,
					      "only look: keys do not reach it", NULL, false,
					      false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};

const struct request_row agent_ls_row = {
	.name = "agent ls",
	.summary = "list the agents, what each is doing, and what waits for it",
	.details =
		"States: starting, idle, busy, blocked (it waits for a permission, which a person "
		"gives: `belfry agent attach`), gone (it has ended; why is beside it). - is an "
		"agent that never had a session. EVIDENCE is how Belfry knows.",
	.examples = "belfry agent ls\nbelfry agent ls --watch\n"
		    "belfry agent ls --json | jq -r '.[] | select(.state == \"idle\") | .name'",
	.args =
		(const struct request_arg[]){
			{"verbose", 'v', ARG_FLAG, NULL, "how each is run and reached instead",
			 NULL, false, false},
			{"watch", 'w', ARG_FLAG, NULL, "keep it on the screen, up to date, until q",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};

const struct request_row agent_peek_row = {
	.name = "agent peek",
	.summary = "print what a live agent shows, as text",
	.details = "Without colours and other sequences; empty lines at the end are left out. With "
		   "--lines also what has scrolled away.",
	.examples = "belfry agent peek builder\nbelfry agent peek builder --lines 500 | less",
	.args = (const struct request_arg[]){AGENT_ARG("one that has a session"),
					     {"lines", 'n', ARG_INT, "N",
					      "the last so many lines; default: its screen", NULL,
					      false, false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};

const struct request_row agent_send_row = {
	.name = "agent send",
	.summary = "tell an agent something: it is typed in when the agent can hear it",
	.details =
		"The text is the second argument, or standard input when that is '-' or when there "
		"is none and it is not a terminal. Long texts reach the agent as a file to read. "
		"An agent without a session gets it when it has one; one with a deliver command, "
		"by that. An agent may send to another: the sender is named, and how much it may "
		"send is bounded.\n\n"
		"With --wait the exit status is 0 when it was delivered, and 1 when it was not.",
	.examples = "belfry agent send builder 'look at the failing tests'\n"
		    "belfry agent send builder --priority interrupt 'stop: wrong branch'\n"
		    "git diff | belfry agent send critic --wait --timeout 5m",
	.args =
		(const struct request_arg[]){
			AGENT_ARG("who is told"),
			{"text", 0, ARG_BODY, "TEXT", "what; - reads standard input", NULL, true,
			 false},
			{"priority", 'p', ARG_CHOICE, "PRIORITY", "default normal",
			 "interrupt normal idle-first idle", false, false},
			{"wait", 0, ARG_FLAG, NULL, "wait until it was delivered, or given up",
			 NULL, false, false},
			{"timeout", 0, ARG_DURATION, "DURATION",
			 "of --wait: so long at most; the message stays queued", NULL, false,
			 false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_LOCAL,
};

const struct request_row agent_stop_row = {
	.name = "agent stop",
	.summary = "end a live agent; a later start goes on in its conversation, if it can",
	.details = "The agent and everything it started are asked first (SIGTERM), and killed when "
		   "they are still there after 30 seconds. This returns when it has ended. What "
		   "comes for it meanwhile waits.",
	.examples = "belfry agent stop builder",
	.args = (const struct request_arg[]){AGENT_ARG("one that has a session"), {0}},
	.flags = REQUEST_WRITES | REQUEST_LOCAL,
};

const struct request_row agent_restart_row = {
	.name = "agent restart",
	.summary = "end a live agent and start it again, in the same conversation if it can",
	.details = "This returns when it is there again. Useful after a change of its role, of "
		   "config.yml or of its program. One that has ended is just started. Claude Code "
		   "goes on in its conversation; others do when their hooks told which one it is "
		   "('belfry setup codex'), and else begin a new one, which is said.",
	.examples = "belfry agent restart builder",
	.args = (const struct request_arg[]){AGENT_ARG("one that was started before"), {0}},
	.flags = REQUEST_WRITES | REQUEST_LOCAL,
};

const struct request_row agent_remove_row = {
	.name = "agent rm",
	.summary = "end a live agent and forget it; its reminders stay",
	.details = "This returns when it has ended. Its missions, messages and reminders are kept, "
		   "unless --with-reminders cancels those. What config.yml or a role says of it "
		   "stays as well; one that only `agent start --role` declared is unknown again.",
	.examples = "belfry agent rm critic\nbelfry agent rm critic --with-reminders",
	.args = (const struct request_arg[]){AGENT_ARG("one that was started before"),
					     {"with-reminders", 0, ARG_FLAG, NULL,
					      "cancel the reminders for it, too", NULL, false,
					      false},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_LOCAL,
};
