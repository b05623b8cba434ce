/* inbox.c: a person reads and answers. */
#include "engine/inbox.h"
#include "request/json-inbox.h"
#include "request/rows.h"

static int exec_none(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	(void)rq;
	(void)args;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not there yet");
}

#define THREAD_ARG                                                                                 \
	{                                                                                          \
		"thread", 0, ARG_THREAD, "THREAD",                                                 \
			"id of the thread or its mission, or a unique prefix of one", NULL, true,  \
			true                                                                       \
	}

const struct request_row inbox_row = {
	.name = "inbox",
	.summary = "read what agents wrote, and answer, on the whole terminal",
	.details = "Threads, newest first; Enter opens one, ? shows all keys. Without a terminal, "
		   "or with --json, the same as `belfry inbox list`.",
	.args = (const struct request_arg[]){{"thread", 0, ARG_THREAD, "THREAD",
					      "open this one at once", NULL, false, false},
					     {"plain", 0, ARG_FLAG, NULL,
					      "lines and questions only, for screen readers", NULL,
					      false, false},
					     {0}},
	.flags = REQUEST_LOCAL,
};

const struct request_row inbox_list_row = {
	.name = "inbox list",
	.summary = "list threads, newest first",
	.examples = "belfry inbox list --unread\n"
		    "belfry inbox list --asks --json | jq -r '.threads[].id'",
	.args =
		(const struct request_arg[]){
			{"unread", 'u', ARG_FLAG, NULL, "only those with something unread", NULL,
			 false, false},
			{"asks", 0, ARG_FLAG, NULL, "only those that wait for an answer", NULL,
			 false, false},
			{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, false, false},
			{"cron", 0, ARG_CRON, "CRON", "only of this cron", NULL, false, false},
			{"all", 'a', ARG_FLAG, NULL, "archived ones too", NULL, false, false},
			{"limit", 'n', ARG_INT, "N", "at most so many", NULL, false, false},
			{"after", 0, ARG_TEXT, "CURSOR", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_none,
};

const struct request_row inbox_show_row = {
	.name = "inbox show",
	.summary = "print a thread, oldest message first, and mark it read",
	.args =
		(const struct request_arg[]){
			THREAD_ARG,
			{"peek", 0, ARG_FLAG, NULL, "leave it unread", NULL, false, false},
			{"last", 'n', ARG_INT, "N", "only the last N messages", NULL, false, false},
			{"message", 'm', ARG_INT, "SEQ", "only this message, all of it", NULL,
			 false, false},
			{"raw", 0, ARG_FLAG, NULL, "bodies as they were written, byte for byte",
			 NULL, false, false},
			{"before", 0, ARG_INT, "SEQ", NULL, NULL, false, false},
			{"after", 0, ARG_INT, "SEQ", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_none,
};

const struct request_row inbox_reply_row = {
	.name = "inbox reply",
	.summary = "answer in a thread",
	.details =
		"The agent gets it when its mission goes on: at once when it had asked, or with "
		"--run; else with the next `belfry mission resume`. An agent without a mission "
		"finds it in its queue. Without BODY, on a terminal, it is written in $VISUAL or "
		"$EDITOR.",
	.examples = "belfry inbox reply mis-k3f9x2 'yes, go ahead'\n"
		    "belfry inbox reply mis-k3f9x2 --run < answer.md",
	.args =
		(const struct request_arg[]){
			THREAD_ARG,
			{"body", 0, ARG_BODY, "BODY", "the answer; - reads standard input", NULL,
			 true, false},
			{"run", 0, ARG_FLAG, NULL, "go on with the mission at once, headless", NULL,
			 false, false},
			{"priority", 0, ARG_CHOICE, "PRIORITY", "of an agent without a mission",
			 "interrupt normal idle-first idle", false, false},
			{"attach", 0, ARG_FILES, "FILE",
			 "copy a file into the message; may be given several "
			 "times",
			 NULL, false, false},
			{"spool", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{"spooled-files", 0, ARG_TEXT, NULL, NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES,
	.exec = exec_none,
};

const struct request_row inbox_read_row = {
	.name = "inbox read",
	.summary = "mark a thread read",
	.args = (const struct request_arg[]){THREAD_ARG,
					     {"up-to", 0, ARG_INT, "SEQ", "only up to this message",
					      NULL, false, false},
					     {0}},
	.flags = REQUEST_WRITES,
	.exec = exec_none,
};

const struct request_row inbox_unread_row = {
	.name = "inbox unread",
	.summary = "mark a thread unread",
	.args = (const struct request_arg[]){THREAD_ARG, {0}},
	.flags = REQUEST_WRITES,
	.exec = exec_none,
};

const struct request_row inbox_archive_row = {
	.name = "inbox archive",
	.summary = "put a thread away; a new message brings it back",
	.args = (const struct request_arg[]){THREAD_ARG, {0}},
	.flags = REQUEST_WRITES,
	.exec = exec_none,
};

const struct request_row inbox_unarchive_row = {
	.name = "inbox unarchive",
	.summary = "bring a thread back into the inbox",
	.args = (const struct request_arg[]){THREAD_ARG, {0}},
	.flags = REQUEST_WRITES,
	.exec = exec_none,
};

const struct request_row inbox_search_row = {
	.name = "inbox search",
	.summary = "find messages by their words, newest first",
	.details =
		"All words have to be there; the last one may be a beginning; \"in quotes\" is a "
		"phrase. Capitals and accents do not matter.",
	.examples = "belfry inbox search deploy failed\n"
		    "belfry inbox search '\"rate limit\"' --all",
	.args =
		(const struct request_arg[]){
			{"words", 0, ARG_TEXT, "WORDS", "what to look for", NULL, true, true},
			{"all", 'a', ARG_FLAG, NULL, "archived threads too", NULL, false, false},
			{"limit", 'n', ARG_INT, "N", "at most so many; default 50", NULL, false,
			 false},
			{"after", 0, ARG_TEXT, "CURSOR", NULL, NULL, false, false},
			{0}},
	.flags = REQUEST_READS,
	.exec = exec_none,
};
