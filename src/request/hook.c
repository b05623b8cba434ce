/* hook.c: what an agent's own hooks call. The command line does it, without a daemon. */
#include "request/rows.h"

const struct request_row hook_row = {
	.name = "hook",
	.summary = "what an agent's hooks call, so that Belfry knows what it is doing",
	.details =
		"For hooks of agents; a live agent gets them by itself. EVENT is the client's own "
		"name of it, as UserPromptSubmit or Stop, and standard input the JSON that the "
		"client gives to its hooks. The event is noted in the mission it belongs to "
		"(BELFRY_MISSION_ID), for the daemon to read. Outside of a mission nothing "
		"happens.\n\n"
		"It prints nothing, needs no daemon, and its exit status is always 0: an agent "
		"must "
		"not fail because of it. With BELFRY_HOOK_DEBUG=1 it says on standard error why "
		"nothing was noted.",
	.examples = "belfry hook Stop < event.json",
	.args = (const struct request_arg[]){{"event", 0, ARG_TEXT, "EVENT",
					      "what happened, as the client calls it", NULL, true,
					      true},
					     {0}},
	.flags = REQUEST_LOCAL,
};
