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
const struct request_row *const cli_own_rows[] = {&generate_man, &generate_completion, NULL};

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
	{"generate man", cmd_generate_man, NULL},
	{"generate completion", cmd_generate_completion, NULL},
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
