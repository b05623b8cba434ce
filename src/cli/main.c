/*
 * main.c: the command line.
 * argv becomes a row and its arguments (args.c); the row says who does the work: the command line
 * itself (own.c), this process without a store, or the daemon (request.c). Errors come back here as
 * values, and this is the only place that prints one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/launcher.h"
#include "config/config.h"
#include "request/caller.h"

#define ROWS_MAX 256
#define CONFIG_BYTES_MAX ((size_t)1024 * 1024)

/* The request table and the command line's own rows, as one. */
static const struct request_row *const *all_rows(void)
{
	static const struct request_row *rows[ROWS_MAX];
	size_t count = 0;

	for (size_t i = 0; request_rows[i] && count + 1 < ROWS_MAX; i++)
		rows[count++] = request_rows[i];
	for (size_t i = 0; cli_own_rows[i] && count + 1 < ROWS_MAX; i++)
		rows[count++] = cli_own_rows[i];
	return rows;
}

static const char *known_zone(const char *name)
{
	const struct zone *zone;
	struct error err = {0};

	if (!name || !*name)
		return NULL;
	return zone_get(name[0] == ':' ? name + 1 : name, &zone, &err) < 0 ? NULL : zone_name(zone);
}

/* `timezone:` of a file that is no good as a whole. */
static const char *zone_in_lines(const char *path)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	const char *name = NULL;
	char *rest, *line;

	if (file_read(path, CONFIG_BYTES_MAX, &text, &err) < 0)
		return NULL;
	buf_text(&text);
	rest = text.data;
	while (!name && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, "timezone:", strlen("timezone:")) != 0)
			continue;
		line += strlen("timezone:");
		line += strspn(line, " \t\"'");
		line[strcspn(line, " \t\r\"'#")] = '\0';
		name = known_zone(line);
	}
	return name;
}

/* Where a mistake in config.yml is the very subject, or told by the command itself, or for no person. */
static bool tells_mistake(const struct request_row *row)
{
	static const char *const own[] = {
		"doctor",    "config check", "daemon run",  "daemon start", "mcp",  "cron add",
		"cron edit", "cron rm",	     "cron enable", "cron disable", "apply"};
	const char *mission = getenv("BELFRY_MISSION_ID");

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(row->name, own[i]) == 0)
			return true;
	return (row->flags & REQUEST_HIDDEN) || (mission && *mission);
}

/* While config.yml has a mistake the daemon goes on with what was before it, and so do we. */
static const char *zone_in_force(const struct cli *c)
{
	AUTO(json_decref) json_t *status = client_status(c->home, known_zone(getenv("TZ")));
	const char *name = known_zone(view_text(status, "your_zone"));

	if (name && !tells_mistake(c->row))
		fputs("belfry: warning: config.yml has a mistake: the daemon uses the settings "
		      "from before it (belfry config check)\n",
		      stderr);
	else if (!name && (c->row->flags & REQUEST_PURE))
		fputs("belfry: warning: config.yml has a mistake (belfry config check)\n", stderr);
	return name ? name : zone_in_lines(c->home->config_file);
}

/* The zone of config.yml, else of $TZ, or NULL. */
static const char *caller_zone(const struct cli *c)
{
	AUTO(config_free) struct config *config = NULL;
	struct error err = {0};
	const char *name;

	if (config_load(c->home->config_file, &config, &err) == 0)
		name = known_zone(config->timezone);
	else
		name = zone_in_force(c);
	return name ? name : known_zone(getenv("TZ"));
}

/* Times that somebody types would be read in another zone than they think. Two say so themselves. */
static void warn_zone(const struct cli *c)
{
	const char *unknown = c->zone ? NULL : zone_unknown_tz(), *source;
	AUTO_BUF struct buf line = {0};

	if (!unknown || (c->row->flags & REQUEST_HIDDEN) || strcmp(c->row->name, "doctor") == 0 ||
	    strcmp(c->row->name, "daemon run") == 0)
		return;
	visible_line(&line, unknown);
	fprintf(stderr, "warning: there is no zone '%s', which TZ names: times are read in %s\n",
		buf_text(&line), zone_name(zone_of_machine(&source)));
}

static void print_error_json(const struct error *err)
{
	AUTO(json_decref) json_t *all = json_object();
	AUTO_BUF struct buf message = {0};
	json_t *e = json_object();

	/* What was typed need not be UTF-8, but JSON must be. */
	visible_line(&message, err->message);
	json_put_text(e, "code", error_word(err->code));
	json_put_text(e, "message", buf_text(&message));
	json_put_text(e, "hint", *err->hint ? err->hint : NULL);
	json_put(all, "error", e);
	cli_write_json(all);
}

static int fail(const struct error *err, bool json)
{
	struct style style = style_of(2);
	AUTO_BUF struct buf out = {0};

	style_add(&out, &style, TINT_BAD, "belfry:");
	buf_add_char(&out, ' ');
	visible_block(&out, err->message, "  ");
	buf_add_char(&out, '\n');
	if (*err->hint) {
		style_add(&out, &style, TINT_BOLD, "hint:");
		buf_add_char(&out, ' ');
		visible_line(&out, err->hint);
		buf_add_char(&out, '\n');
	}
	cli_write_to(stderr, &out);
	if (json)
		print_error_json(err);
	return error_exit_status(err->code);
}

/* What is for the person alone and done here, not by the daemon, is refused to runs and other users here. */
static int may_here(const struct request_row *row, struct error *err)
{
	bool here = (row->flags & REQUEST_LOCAL) && (row->flags & REQUEST_ADMIN);
	const char *user = getenv("BELFRY_USER"), *mission = getenv("BELFRY_MISSION_ID");
	AUTO(free) char *found = here && !(mission && *mission) ? launcher_mission() : NULL;
	const struct caller c = {.surface = SURFACE_CLI,
				 .user = user && *user ? user : "me",
				 .mission = mission && *mission ? mission : found};

	return here ? caller_may(&c, row, err) : 0;
}

static int run(const struct request_row *const *rows, const struct command *command,
	       struct error *err)
{
	AUTO(home_free) struct home *home = NULL;
	struct cli c = {.rows = rows,
			.row = command->row,
			.args = command->args,
			.json = command->json,
			.style = style_of(1)};
	cli_command *own = cli_own_command(&c);
	int r = home_find(&home, err);

	if (r < 0 || (r = may_here(c.row, err)) < 0)
		return r;
	c.home = home;
	/* A daemon reads nothing before it has its lock: one that hangs in a file must not stay beside the next. */
	c.zone = own == cmd_daemon_run ? NULL : caller_zone(&c);
	warn_zone(&c);
	if (!own && (c.row->flags & REQUEST_LOCAL))
		return error_set(err, ERR_INVALID, "'%s' is not for the command line", c.row->name);
	return own ? own(&c, err) : cmd_request(&c, err);
}

static void print_help(const struct request_row *const *rows, const struct command *command)
{
	struct style style = style_of(1);
	AUTO_BUF struct buf out = {0};

	if (command->version)
		buf_printf(&out, "belfry %s\n", BELFRY_VERSION);
	else
		help_print(rows, command, &style, &out);
	cli_write(&out);
}

/* A result that did not get where it was sent is not a success. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "belfry: cannot write to standard output: %s\n", strerror(errno));
	return status ? status : error_exit_status(ERR_SYSTEM);
}

int main(int argc, char **argv)
{
	const struct request_row *const *rows = all_rows();
	AUTO_COMMAND struct command command = {0};
	const char *event, *client;
	struct error err = {0};
	int r;

	cli_follow_locale();
	if (argc > 1 && strcmp(argv[1], "complete-words") == 0) {
		complete_run(rows, (const char *const *)argv + 2, (size_t)argc - 2);
		return finish(0);
	}
	/* An agent waits for it, and takes a failure for an objection: nothing else is done first. */
	if (argc > 2 && strcmp(argv[1], "hook") == 0 &&
	    hook_read_args(argc - 2, argv + 2, &event, &client))
		return hook_main(event, client);
	r = args_parse(rows, argc, argv, 0, &command, &err);
	if (r == 0 && (command.help || command.version || !command.row))
		print_help(rows, &command);
	else if (r == 0)
		r = run(rows, &command, &err);
	/* … nor does one that cannot be understood fail, unless a person typed it. */
	if (r < 0 && hook_forgives(argc, argv, &err))
		return 0;
	return finish(r < 0 ? fail(&err, command.json) : r);
}
