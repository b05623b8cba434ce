/*
 * cmd-requests.c: the request table as JSON.
 * The fuzzer reads it (test/fuzz/requests.py), so that a new row is tried without anybody telling it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/cli.h"

/* clang-format off */
static const char *const types[] = {
	[ARG_TEXT] = "text",         [ARG_BODY] = "body",         [ARG_MAIL] = "mail",
	[ARG_WORDS] = "words",       [ARG_FLAG] = "flag",         [ARG_INT] = "int",
	[ARG_CHOICE] = "choice",     [ARG_TIME] = "time",         [ARG_DURATION] = "duration",
	[ARG_ZONE] = "zone",         [ARG_AGENT] = "agent",       [ARG_ROLE] = "role",
	[ARG_REMINDER] = "reminder", [ARG_MESSAGE] = "message",   [ARG_MISSION] = "mission",
	[ARG_CRON] = "cron",         [ARG_TASK] = "task",         [ARG_THREAD] = "thread",
	[ARG_LESSON] = "lesson",     [ARG_WORKFLOW] = "workflow", [ARG_TOKEN] = "token",
	[ARG_FILE] = "file",         [ARG_LIST] = "list",         [ARG_FILES] = "files",
};
/* clang-format on */

static json_t *arg_json(const struct request_arg *arg)
{
	AUTO(free) char *key = mem_strdup(arg->name);
	json_t *o = json_object();

	for (char *p = key; *p; p++)
		*p = *p == '-' ? '_' : *p;
	json_put_text(o, "key", key);
	json_put_text(o, "type", types[arg->type]);
	json_put_text(o, "choices", arg->choices);
	json_put_bool(o, "required", arg->required);
	json_put_bool(o, "for_people", arg->for_people);
	json_put_bool(o, "many", arg->many);
	return o;
}

static json_t *row_json(const struct request_row *row)
{
	json_t *o = json_object(), *args = json_array();

	json_put_text(o, "name", row->name);
	json_put_text(o, "tool", row->tool ? row->tool->name : NULL);
	json_put_bool(o, "served", row->exec && !(row->flags & REQUEST_LOCAL));
	json_put_bool(o, "writes", row->flags & REQUEST_WRITES);
	for (const struct request_arg *arg = row->args; arg->name; arg++)
		json_array_append_new(args, arg_json(arg));
	json_put(o, "args", args);
	return o;
}

int cmd_generate_requests(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *rows = json_array();

	(void)c;
	(void)err;
	for (const struct request_row *const *row = request_rows; *row; row++)
		json_array_append_new(rows, row_json(*row));
	cli_write_json(rows);
	return 0;
}
