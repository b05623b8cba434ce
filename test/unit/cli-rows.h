#pragma once
/* A small request table for the tests of the command line: every kind of argument, once. */
#include "request/request.h"

/* clang-format off */
static const struct request_arg sample_add_args[] = {
	{"agent", 0, ARG_AGENT, "AGENT", "who is reminded", NULL, true, true},
	{"message", 'm', ARG_BODY, "TEXT", "what the agent is told; '-' reads standard input", NULL, false, true},
	{"note", 0, ARG_BODY, "TEXT", "a second text", NULL, false, false},
	{"at", 0, ARG_TIME, "TIME", "once, at a point in time", NULL, false, false},
	{"count", 'n', ARG_INT, "N", "at most so many fires", NULL, false, false},
	{"priority", 0, ARG_CHOICE, "PRIORITY", "how urgent it is", "interrupt normal idle-first idle", false, false},
	{"start-deadline", 0, ARG_DURATION, "DURATION", "how late a fire may still begin, after which it is missed and told as such", NULL, false, false},
	{"now", 0, ARG_FLAG, NULL, "also fire at once", NULL, false, false},
	{"verbose", 'v', ARG_FLAG, NULL, "say more", NULL, false, false},
	{0},
};
static const struct request_arg sample_list_args[] = {
	{"agent", 0, ARG_AGENT, "AGENT", "only this agent's", NULL, true, false},
	{"all", 'a', ARG_FLAG, NULL, "ended ones too", NULL, false, false},
	{0},
};
static const struct request_arg sample_why_args[] = {
	{"reminder", 0, ARG_REMINDER, "ID", "which one", NULL, true, true},
	{0},
};
static const struct request_row sample_add = {
	"reminder add", "remind an agent of something",
	"Exactly one schedule is given. It is read in the zone of the reminder.\n\n"
	"A second paragraph, e.g. about times:\n\n  .dotted example 'quoted' \\ back\n  next line\n\nand an end.",
	"belfry reminder add me -m 'stand up' --at 3pm  # once",
	sample_add_args, REQUEST_WRITES, NULL,
};
static const struct request_row sample_list = {
	"reminder list", "show reminders", NULL, NULL, sample_list_args, REQUEST_READS, NULL,
};
static const struct request_row sample_why = {
	"why", "explain what a reminder did", NULL, NULL, sample_why_args, REQUEST_READS, NULL,
};
static const struct request_row sample_status = {
	"status", "show how things stand", NULL, NULL, NULL, REQUEST_READS, NULL,
};
static const struct request_row sample_hidden = {
	"import begin", "a part of import", NULL, NULL, NULL, REQUEST_WRITES | REQUEST_HIDDEN, NULL,
};
static const struct request_arg sample_send_args[] = {
	{"thread", 0, ARG_THREAD, "THREAD", "which one", NULL, true, true},
	{"body", 0, ARG_MAIL, "BODY", "text of any size", NULL, true, false},
	{"attach", 0, ARG_FILES, "FILE", "several of them", NULL, false, false},
	{0},
};
static const struct request_row sample_send = {
	"inbox reply", "answer", NULL, NULL, sample_send_args, REQUEST_WRITES | REQUEST_HIDDEN, NULL,
};
static const struct request_arg sample_search_args[] = {
	{"words", 0, ARG_WORDS, "WORDS", "what to look for", NULL, true, true},
	{"all", 'a', ARG_FLAG, NULL, "ended ones too", NULL, false, false},
	{0},
};
static const struct request_row sample_search = {
	"inbox search", "find", NULL, NULL, sample_search_args, REQUEST_READS | REQUEST_HIDDEN, NULL,
};
static const struct request_row *const sample_rows[] = {
	&sample_add, &sample_list, &sample_why, &sample_status, &sample_hidden, &sample_send,
	&sample_search, NULL,
};
/* clang-format on */
