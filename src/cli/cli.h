#pragma once
/* What every command of the command line gets, and how it answers. */
#include <stdio.h>

#include "cli/session.h"
#include "cli/view.h"
#include "request/request.h"
#include "terminal/style.h"

struct cli {
	const struct request_row *const
		*rows; /* all of them, also those of the command line itself */
	const struct request_row *row;
	const json_t *args;
	bool json;
	struct style style; /* of standard output */
	struct home *home;
	const char *zone; /* the caller's own (config.yml, $TZ), or NULL */
};

/* Returns the exit status, or a negative error code. */
typedef int cli_command(const struct cli *c, struct error *err);

/* The commands that are the command line's own work; NULL when the row is a plain request. */
cli_command *cli_own_command(const struct cli *c);
cli_command cmd_daemon_run, cmd_daemon_start, cmd_daemon_stop, cmd_daemon_status, cmd_config_check,
	cmd_cron_add, cmd_cron_edit, cmd_cron_logs, cmd_board, cmd_next_batch, cmd_export,
	cmd_import, cmd_doctor, cmd_generate_man, cmd_generate_completion, cmd_generate_requests,
	cmd_wrapper_run, cmd_wrapper_nursery, cmd_wrapper_sweep, cmd_wrapper_remove,
	cmd_mission_new, cmd_mission_resume, cmd_mission_logs, cmd_mission_watch,
	cmd_mission_remove, cmd_inbox, cmd_inbox_show, cmd_inbox_reply, cmd_message_send,
	cmd_agent_ls, cmd_agent_start, cmd_run, cmd_agent_stop, cmd_agent_restart, cmd_agent_remove,
	cmd_agent_send, cmd_agent_peek, cmd_agent_attach, cmd_wrapper_host, cmd_hook, cmd_mcp,
	cmd_setup, cmd_queue_take, cmd_inbox_list, cmd_inbox_search, cmd_inbox_read,
	cmd_inbox_archive;

/* What a client's hook is, whatever becomes of it: 0. `client` NULL: Claude Code. */
int hook_main(const char *event, const char *client);
/* EVENT and perhaps --client CLIENT, and nothing else: that needs no parser. */
bool hook_read_args(int argc, char **argv, const char **ret_event, const char **ret_client);
/* Whether a command line that failed is a client's hook: that must not fail. Tells why, where that is wanted. */
bool hook_forgives(int argc, char **argv, const struct error *err);

/*
 * Print what a run of a mission wrote; `run` 0: the last one. lines < 0: all of it, else the last
 * so many. follow: also what is added, until the run has ended, which is told on stderr.
 */
int mission_logs(const struct cli *c, const char *mission, bool follow, int64_t run, int64_t lines,
		 struct error *err);
/* Wait until a mission has ended, and print its answer. Returns the exit status: 0 for success. */
int mission_await(const struct cli *c, const char *mission, struct error *err);
/*
 * Ask for an interactive run and carry it out in this terminal: this process is its wrapper.
 * `args` are those of the request. Returns the exit status: 0 for success.
 */
int mission_attend(const struct cli *c, const char *request, const json_t *args, struct error *err);
/*
 * The same for a live agent, in its window: this process is told to be its host. A refusal stays on
 * the screen for a moment, since the window closes with this process.
 */
int mission_host(const struct cli *c, const char *agent, struct error *err);
/*
 * One question on a connection of its own: whoever waits for a person in between must not hold
 * one. After a change without a daemon it is said that nothing will fire.
 */
int cli_ask(const struct cli *c, const char *request, const json_t *args, json_t **ret,
	    struct error *err);
/* After a request was refused that --force would have done: whether the person at the terminal wants
 * that. Elsewhere nobody is asked, and the error stands. */
bool cli_may_force(const struct cli *c, const struct error *refused, const char *question);
/* A request of the table: asked, and its result printed. */
cli_command cmd_request;

/* Rows of the command line itself, which no other surface has. */
extern const struct request_row *const cli_own_rows[];

/* Onto standard output; main() checks once, at the end, whether it got there. */
void cli_write(const struct buf *text);
void cli_write_to(FILE *stream, const struct buf *text);
void cli_write_json(const json_t *value); /* indented */
void cli_add_json(const json_t *value, int depth, struct buf *out);
/* A terminal of another locale than UTF-8 gets what it can show. First of all. */
void cli_follow_locale(void);
/* The result as the command's words, or as JSON. */
void cli_print(const struct cli *c, const char *request, const json_t *result);
struct view cli_view(const struct cli *c, struct buf *out);
