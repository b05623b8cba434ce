/* message.c: an agent writes to the person. */
#include "engine/inbox.h"
#include "request/json-inbox.h"
#include "request/rows.h"

static int exec_send(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)rq;
	(void)args;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not there yet");
}

const struct request_row message_send_row = {
	.name = "message send",
	.summary = "write to the person: a message in the inbox, in the thread of this mission",
	.details =
		"For agents. The message is Markdown of any size, the argument or standard input. "
		"It belongs to the mission it is sent from (BELFRY_MISSION_ID), or to the agent "
		"(BELFRY_AGENT) outside of one, and is on disk when this returns.\n\n"
		"With --ask the message is a question. End your run: the answer resumes the same "
		"conversation. With --timeout and --default the question is answered by the "
		"default when nobody did.",
	.examples = "belfry message send 'All repositories are clean.'\n"
		    "belfry message send --title 'Weekly report' < report.md\n"
		    "belfry message send --ask 'Deploy now?' --timeout 2h --default 'no'",
	.args =
		(const struct request_arg[]){
			{"body", 0, ARG_BODY, "BODY", "the message; - reads standard input", NULL,
			 true, false},
			{"title", 't', ARG_TEXT, "TITLE", "a subject line", NULL, false, false},
			{"ask", 'a', ARG_FLAG, NULL, "an answer is awaited", NULL, false, false},
			{"timeout", 0, ARG_DURATION, "DURATION",
			 "with --ask: how long to wait for an answer", NULL, false, false},
			{"default", 0, ARG_TEXT, "TEXT",
			 "with --timeout: the answer when there is none", NULL, false, false},
			{"attach", 0, ARG_FILES, "FILE",
			 "copy a file into the message; may be given several times", NULL, false,
			 false},
			/* The command line fills these in: who writes, and what it put into spool/. */
			{"mission", 0, ARG_MISSION, NULL, NULL, NULL, false, false},
			{"agent", 0, ARG_AGENT, NULL, NULL, NULL, false, false},
			{"run", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{"spool", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{"spooled-files", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES,
	.exec = exec_send,
};
