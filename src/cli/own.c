/* own.c: the commands that are the command line's own work, and the rows only it has. */
#include <string.h>

#include "cli/cli.h"

/* clang-format off */
static const struct request_row generate_man = {
	.name = "generate man",
	.summary = "write the manual pages into a folder",
	.args = (const struct request_arg[]){
		{"folder", 0, ARG_FILE, "DIR", "where they go", NULL, true, true},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
static const struct request_row generate_completion = {
	.name = "generate completion",
	.summary = "print the completion script of a shell",
	.args = (const struct request_arg[]){
		{"shell", 0, ARG_CHOICE, "SHELL", "which shell", "bash zsh fish", true, true},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
static const struct request_row generate_requests = {
	.name = "generate requests",
	.summary = "print the table of requests as JSON, for programs that try them all",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
static const struct request_row wrapper_run_row = {
	.name = "wrapper run",
	.summary = "carry out one order, without a daemon",
	.args = (const struct request_arg[]){
		{"order", 0, ARG_FILE, "FILE", "the order, as JSON", NULL, false, true},
		{"missions", 0, ARG_FILE, "DIR", "the folder of missions", NULL, false, false},
		{"repos", 0, ARG_FILE, "DIR", "the cache of repositories", NULL, false, false},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
static const struct request_row wrapper_nursery_row = {
	.name = "wrapper nursery",
	.summary = "fork wrappers for the daemon",
	.args = (const struct request_arg[]){
		{"fd", 0, ARG_INT, "N", "the socket to serve", NULL, false, true},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
static const struct request_row wrapper_host_row = {
	.name = "wrapper host",
	.summary = "run a live agent in this terminal, for the daemon",
	.args = (const struct request_arg[]){
		{"agent", 0, ARG_AGENT, "AGENT", "whose session this is", NULL, true, true},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
static const struct request_row wrapper_sweep_row = {
	.name = "wrapper sweep",
	.summary = "kill what a run has left behind",
	.args = (const struct request_arg[]){
		{"run", 0, ARG_TEXT, "RUN", "as mis-k3f9x2/1", NULL, true, true},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
static const struct request_row wrapper_remove_row = {
	.name = "wrapper remove",
	.summary = "delete the folder of a mission, or of a thread without one",
	.args = (const struct request_arg[]){
		{"id", 0, ARG_TEXT, "ID", "as mis-k3f9x2, thr-k3f9x2", NULL, true, true},
		{0},
	},
	.flags = REQUEST_LOCAL | REQUEST_HIDDEN,
};
const struct request_row *const cli_own_rows[] = {
	&generate_man, &generate_completion, &generate_requests, &wrapper_run_row,
	&wrapper_nursery_row, &wrapper_host_row, &wrapper_sweep_row, &wrapper_remove_row, NULL,
};

static const struct {
	const char *name;
	cli_command *run;
	const char *only_with; /* the argument that makes it ours; NULL: always */
} commands[] = {
	{"daemon run", cmd_daemon_run, NULL},
	{"daemon start", cmd_daemon_start, NULL},
	{"daemon stop", cmd_daemon_stop, NULL},
	{"daemon status", cmd_daemon_status, NULL},
	{"config check", cmd_config_check, NULL},
	{"next", cmd_next_batch, "batch"},
	{"reminder export", cmd_export, NULL},
	{"reminder import", cmd_import, NULL},
	{"cron add", cmd_cron_add, NULL},
	{"cron edit", cmd_cron_edit, NULL},
	{"cron logs", cmd_cron_logs, NULL},
	{"board set", cmd_board, NULL},
	{"board clear", cmd_board, NULL},
	{"doctor", cmd_doctor, NULL},
	{"hook", cmd_hook, NULL},
	{"mcp", cmd_mcp, NULL},
	{"setup", cmd_setup, NULL},
	{"inbox", cmd_inbox, NULL},
	{"inbox list", cmd_inbox_list, NULL},
	{"inbox search", cmd_inbox_search, NULL},
	{"inbox read", cmd_inbox_read, NULL},
	{"inbox archive", cmd_inbox_archive, NULL},
	{"inbox show", cmd_inbox_show, NULL},
	{"inbox reply", cmd_inbox_reply, NULL},
	{"message send", cmd_message_send, NULL},
	{"queue take", cmd_queue_take, NULL},
	{"mission new", cmd_mission_new, NULL},
	{"mission resume", cmd_mission_resume, NULL},
	{"mission logs", cmd_mission_logs, NULL},
	{"mission ls", cmd_mission_watch, "watch"},
	{"mission rm", cmd_mission_remove, NULL},
	{"agent ls", cmd_agent_ls, NULL},
	{"agent start", cmd_agent_start, NULL},
	{"agent stop", cmd_agent_stop, NULL},
	{"agent restart", cmd_agent_restart, NULL},
	{"agent rm", cmd_agent_remove, NULL},
	{"agent send", cmd_agent_send, NULL},
	{"agent peek", cmd_agent_peek, NULL},
	{"agent attach", cmd_agent_attach, NULL},
	{"run", cmd_run, NULL},
	{"generate man", cmd_generate_man, NULL},
	{"generate completion", cmd_generate_completion, NULL},
	{"generate requests", cmd_generate_requests, NULL},
	{"wrapper run", cmd_wrapper_run, NULL},
	{"wrapper nursery", cmd_wrapper_nursery, NULL},
	{"wrapper host", cmd_wrapper_host, NULL},
	{"wrapper sweep", cmd_wrapper_sweep, NULL},
	{"wrapper remove", cmd_wrapper_remove, NULL},
};
/* clang-format on */

cli_command *cli_own_command(const struct cli *c)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *with = commands[i].only_with;

		if (strcmp(commands[i].name, c->row->name) == 0 &&
		    (!with || json_is_true(json_object_get(c->args, with))))
			return commands[i].run;
	}
	return NULL;
}
