/*
 * table.c: all commands, in the order --help shows them, and the one way to run one.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/engine.h"
#include "request/caller.h"
#include "request/json.h"
#include "request/rows.h"
#include "request/tool.h"

#define SHORT_MAX 4096 /* bytes */
#define MANY_MAX 200   /* of what one request is done for: a turn is short */

#ifdef __SANITIZE_ADDRESS__
/* For tests of the watchdog: no build that anybody uses has it. */
static int exec_hang(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	int64_t ms = 0;
	int r = json_get_int(args, "ms", &ms, err);

	(void)ret;
	if (r == 0 && ms)
		poll(NULL, 0, (int)ms);
	while (r == 0 && rq && !ms)
		pause();
	return r;
}

static const struct request_row daemon_hang_row = {
	.name = "daemon hang",
	.summary = "hang, for ever or so long",
	.args = (const struct request_arg[]){{"ms", 0, ARG_INT, "MS", NULL, NULL, false, false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_hang,
};
#endif

const struct request_row *const request_rows[] = {
	&reminder_add_row,
	&reminder_list_row,
	&reminder_show_row,
	&reminder_edit_row,
	&reminder_pause_row,
	&reminder_resume_row,
	&reminder_complete_row,
	&reminder_run_row,
	&reminder_remove_row,
	&reminder_export_row,
	&reminder_import_row,
	&cron_add_row,
	&cron_ls_row,
	&cron_show_row,
	&cron_edit_row,
	&cron_enable_row,
	&cron_disable_row,
	&cron_run_row,
	&cron_logs_row,
	&cron_history_row,
	&cron_rm_row,
	&task_add_row,
	&task_list_row,
	&task_show_row,
	&task_edit_row,
	&task_cancel_row,
	&board_set_row,
	&board_clear_row,
	&board_show_row,
	&why_row,
	&next_row,
	&simulate_row,
	&queue_list_row,
	&queue_show_row,
	&queue_take_row,
	&agent_start_row,
	&agent_attach_row,
	&agent_ls_row,
	&agent_peek_row,
	&agent_send_row,
	&agent_stop_row,
	&agent_restart_row,
	&agent_remove_row,
	&agent_list_row,
	&live_attach_row,
	&run_row,
	&mission_new_row,
	&mission_list_row,
	&mission_show_row,
	&mission_logs_row,
	&mission_resume_row,
	&mission_stop_row,
	&mission_archive_row,
	&mission_unarchive_row,
	&mission_remove_row,
	&inbox_row,
	&inbox_list_row,
	&inbox_show_row,
	&inbox_reply_row,
	&inbox_read_row,
	&inbox_unread_row,
	&inbox_archive_row,
	&inbox_unarchive_row,
	&inbox_search_row,
	&message_send_row,
	&lesson_list_row,
	&lesson_show_row,
	&workflow_list_row,
	&workflow_show_row,
	&boundary_set_row,
	&boundary_show_row,
	&boundary_clear_row,
	&setup_row,
	&mcp_row,
	&hook_row,
	&token_add_row,
	&token_ls_row,
	&token_rm_row,
	&status_row,
	&doctor_row,
	&config_check_row,
	&apply_row,
	&daemon_run_row,
	&daemon_start_row,
	&daemon_stop_row,
	&daemon_status_row,
	&token_check_row,
	&tool_reminder_row,
	&tool_reminder_complete_row,
	&tool_condition_report_row,
	&tool_schedule_row,
	&tool_schedule_list_row,
	&tool_schedule_edit_row,
	&tool_schedule_cancel_row,
	&tool_schedule_preview_row,
	&tool_message_send_row,
	&tool_agent_send_row,
	&tool_inbox_replies_row,
	&tool_mission_run_row,
	&tool_mission_list_row,
	&tool_mission_result_row,
	&tool_board_set_row,
	&tool_board_show_row,
	&tool_get_lesson_row,
	&tool_get_workflow_step_row,
	&hook_event_row,
	&hook_printed_row,
	&tools_list_row,
	&cron_defaults_row,
	&import_begin_row,
	&import_rows_row,
	&import_commit_row,
	&import_abort_row,
	&import_status_row,
	&live_start_row,
	&live_stop_row,
	&live_restart_row,
	&live_remove_row,
	&live_send_row,
	&live_host_row,
	&queue_offer_row,
	&queue_settle_row,
	&store_check_row,
	&daemon_halt_row,
#ifdef __SANITIZE_ADDRESS__
	&daemon_hang_row,
#endif
	NULL,
};

const struct request_row *request_find(const char *name)
{
	for (const struct request_row *const *row = request_rows; *row; row++)
		if (strcmp((*row)->name, name) == 0)
			return *row;
	return NULL;
}

const struct request_row *request_find_tool(const char *name)
{
	for (const struct request_row *const *row = request_rows; *row; row++)
		if ((*row)->tool && strcmp((*row)->tool->name, name) == 0)
			return *row;
	return NULL;
}

/* "start-deadline" is the key "start_deadline". */
static bool same_key(const char *arg, const char *key)
{
	for (; *arg && *key; arg++, key++)
		if ((*arg == '-' ? '_' : *arg) != *key)
			return false;
	return *arg == *key;
}

static const struct request_arg *find_arg(const struct request_row *row, const char *key)
{
	for (const struct request_arg *arg = row->args; arg->name; arg++)
		if (same_key(arg->name, key))
			return arg;
	return NULL;
}

static char *key_of(const char *arg)
{
	char *key = mem_strdup(arg);

	for (char *p = key; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return key;
}

/* What whoever asks calls the row. */
static const char *name_of(const struct request_row *row, bool tool)
{
	return tool ? row->tool->name : row->name;
}

static int unknown_key(const struct request_row *row, const char *key, bool tool, struct error *err)
{
	const char *names[64] = {0};
	const char *nearest;
	size_t count = 0;

	for (const struct request_arg *arg = row->args; arg->name && count < 64; arg++)
		if (!(tool && arg->for_people))
			names[count++] = arg->name;
	nearest = text_nearest(key, names, count);
	error_set(err, ERR_INVALID, "'%s' takes no argument '%.64s'", name_of(row, tool), key);
	if (nearest) {
		AUTO(free) char *meant = tool ? key_of(nearest) : mem_strdup(nearest);

		return error_hint(err, "did you mean '%s'?", meant);
	}
	return tool ? tool_hint_args(row, err) : err->code;
}

/* "a,b", or ["a", "b"] */
static bool is_list(const json_t *value)
{
	const json_t *item;
	size_t i;

	json_array_foreach(value, i, item)
	{
		if (!json_is_string(item))
			return false;
	}
	return json_is_string(value) || json_is_array(value);
}

/* Names, times and words to look for are short. What takes long texts has its own limit. */
static bool is_short(enum request_arg_type type)
{
	return type != ARG_TEXT && type != ARG_BODY && type != ARG_MAIL && type != ARG_LIST;
}

static const struct request_arg *many_of(const struct request_row *row, const json_t *args)
{
	for (const struct request_arg *arg = row->args; arg->name; arg++)
		if (arg->many && json_is_array(json_object_get(args, arg->name)))
			return arg;
	return NULL;
}

static int check_value(const struct request_arg *arg, const json_t *value, bool tool,
		       struct error *err);

static int check_many(const struct request_arg *arg, const json_t *values, struct error *err)
{
	size_t count = json_array_size(values), i;
	const json_t *value;

	if (!count || count > MANY_MAX)
		return error_set(err, ERR_INVALID,
				 "'%s' is given %zu times: at least once, at most %d", arg->name,
				 count, MANY_MAX);
	json_array_foreach(values, i, value)
	{
		int rc = json_is_array(value) || json_is_null(value)
				 ? error_set(err, ERR_INVALID, "'%s' must be strings", arg->name)
				 : check_value(arg, value, false, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_value(const struct request_arg *arg, const json_t *value, bool tool,
		       struct error *err)
{
	bool fits = arg->type == ARG_FLAG    ? json_is_boolean(value)
		    : arg->type == ARG_INT   ? json_is_integer(value)
		    : arg->type == ARG_FILES ? json_is_array(value)
		    : arg->type == ARG_LIST  ? is_list(value)
					     : json_is_string(value);

	if (arg->many && json_is_array(value) && !tool)
		return check_many(arg, value, err);
	/* Arguments without a place on a command line (parts of other commands) check themselves. */
	if (json_is_null(value) || !arg->help)
		return 0;
	AUTO(free) char *name = tool ? key_of(arg->name) : mem_strdup(arg->name);

	if (!fits)
		return error_set(err, ERR_INVALID, "'%s' must be %s", name,
				 arg->type == ARG_FLAG	  ? "true or false"
				 : arg->type == ARG_INT	  ? "a whole number"
				 : arg->type == ARG_FILES ? "a list"
				 : arg->type == ARG_LIST  ? "a string or a list of strings"
							  : "a string");
	if (is_short(arg->type) && json_string_length(value) > SHORT_MAX) {
		error_set(err, ERR_INVALID, "'%s' is too long: %zu bytes, at most %d", name,
			  json_string_length(value), SHORT_MAX);
		return error_hint(err, "only messages, prompts and conditions may be long");
	}
	if (arg->type == ARG_CHOICE && !text_has_word(arg->choices, json_string_value(value))) {
		error_set(err, ERR_INVALID, tool ? "unknown %s: %s" : "'%s' cannot be '%s'", name,
			  json_string_value(value));
		return error_hint(err, "one of: %s", arg->choices);
	}
	return 0;
}

static int refuse_missing(const struct request_row *row, const struct request_arg *arg,
			  const char *key, bool tool, struct error *err)
{
	if (!tool)
		return error_set(err, ERR_INVALID, "'%s' needs %s", row->name,
				 arg->operand ? arg->value : arg->name);
	error_set(err, ERR_INVALID, "missing required parameter: %s", key);
	if (arg->type == ARG_CHOICE)
		return error_hint(err, "%s is one of: %s", key, arg->choices);
	return arg->help ? error_hint(err, "%s: %s", key, arg->help) : err->code;
}

/* Whether the value says "nothing". A model fills what it does not need with "", whatever its kind. */
static bool is_nothing(const struct request_arg *arg, const json_t *value, bool tool)
{
	if (!json_is_string(value) || json_string_length(value))
		return false;
	return !request_arg_may_be_empty(arg) || (tool && !arg->required);
}

/* 3.0 and "3" are whole numbers, too: JSON Schema calls the first one so, and models write the second. */
static json_t *whole_number(const json_t *value)
{
	const char *text = json_string_value(value);
	double real = json_real_value(value), whole;
	char *end = NULL;
	long long number;

	if (json_is_real(value) && modf(real, &whole) == 0.0 && fabs(whole) < 0x1p63)
		return json_integer((json_int_t)whole);
	if (!text || !isdigit((unsigned char)text[*text == '-']))
		return NULL;
	errno = 0;
	number = strtoll(text, &end, 10);
	return *end || errno ? NULL : json_integer(number);
}

/* What can be meant in one way only is taken as that. */
static void settle_args(const struct request_row *row, json_t *args, bool tool)
{
	const char *key;
	json_t *value, *whole;
	void *next;

	for (const struct request_arg *arg = row->args; arg->name; arg++) {
		value = arg->also ? json_object_get(args, arg->also) : NULL;
		if (!value || json_object_get(args, arg->name))
			continue;
		json_object_set(args, arg->name, value);
		json_object_del(args, arg->also);
	}
	json_object_foreach_safe(args, next, key, value)
	{
		const struct request_arg *arg = find_arg(row, key);

		if (arg && is_nothing(arg, value, tool))
			json_object_del(args, key);
		else if (arg && arg->type == ARG_INT && (whole = whole_number(value)))
			json_object_set_new(args, key, whole);
	}
}

static int check_args(const struct request_row *row, const json_t *args, bool tool,
		      struct error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)args, key, value)
	{
		const struct request_arg *arg = find_arg(row, key);
		bool known = arg && !(arg->for_people && tool);
		int rc = known ? check_value(arg, value, tool, err)
			       : unknown_key(row, key, tool, err);

		if (rc < 0)
			return rc;
	}
	for (const struct request_arg *arg = row->args; arg->name; arg++) {
		AUTO(free) char *wanted = arg->required ? key_of(arg->name) : NULL;

		value = wanted ? json_object_get(args, wanted) : NULL;
		if (arg->required && (!value || json_is_null(value)))
			return refuse_missing(row, arg, wanted, tool, err);
	}
	return 0;
}

/* Where the person keeps their files is nothing for others: of what is below there they get the name. */
static void hide_folder(char *text, const char *folder)
{
	size_t len = folder ? strlen(folder) : 0;

	for (char *p = text; len > 1 && (p = strstr(p, folder));)
		if (p[len] == '/')
			memmove(p, p + len + 1, strlen(p + len + 1) + 1);
		else
			p += len;
}

static void hide_paths(const struct request *rq, struct error *err)
{
	const char *path = rq->engine ? engine_config(rq->engine)->path : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;
	AUTO(free) char *folder = slash ? mem_strndup(path, (size_t)(slash - path)) : NULL;

	hide_folder(err->message, folder);
	hide_folder(err->message, rq->home);
	hide_folder(err->hint, folder);
	hide_folder(err->hint, rq->home);
}

/* One after the other; the first that fails is the answer, and what was done before is undone. */
static int run_each(const struct request_row *row, const struct request *rq, const json_t *args,
		    json_t **ret, struct error *err)
{
	const struct request_arg *arg = many_of(row, args);
	AUTO(json_decref) json_t *results = json_array();
	json_t *value;
	size_t i;

	if (!arg)
		return row->exec(rq, args, ret, err);
	json_array_foreach(json_object_get(args, arg->name), i, value)
	{
		AUTO(json_decref) json_t *one = json_copy((json_t *)(uintptr_t)args);
		json_t *result = NULL;
		int rc;

		json_object_set(one, arg->name, value);
		rc = row->exec(rq, one, &result, err);
		if (rc < 0)
			return rc;
		json_array_append_new(results, result);
	}
	*ret = json_pack("{s:O}", "results", results);
	return 0;
}

int request_run(const struct request_row *row, const struct request *rq, const json_t *args,
		json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *plain = NULL;
	size_t jobs = rq->engine ? engine_job_count(rq->engine) : 0;
	bool tool = row->tool && rq->caller.surface == SURFACE_MCP;
	int rc;

	if (!row->exec)
		return error_set(err, ERR_INVALID, "'%s' is only for the command line", row->name);
	if (!json_is_object(args))
		return error_set(err, ERR_INVALID, "the arguments of '%s' must be an object",
				 row->name);
	plain = json_plain_keys(args);
	settle_args(row, plain, tool);
	rc = caller_may(&rq->caller, row, err);
	if (rc >= 0)
		rc = check_args(row, plain, tool, err);
	if (rc >= 0)
		rc = run_each(row, rq, plain, ret, err);
	if (rc < 0 && !caller_is_person(&rq->caller))
		hide_paths(rq, err);
	if (rc < 0 && tool)
		tool_plain_error(err);
	/* Its rows are undone by the caller; a job that outlived them would answer for others. */
	if (rc < 0 && rq->engine)
		engine_undo_jobs(rq->engine, jobs);
	return rc;
}
