/* cmd-small.c: commands of a few lines: check the configuration, write manual and completions. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/manual.h"
#include "config/config.h"
#include "config/library.h"
#include "terminal/style.h"

static void list_bad_crons(const struct config *config, json_t *list)
{
	for (size_t i = 0; i < config->cron_count; i++) {
		const struct config_cron *cron = &config->crons[i];

		if (cron->problem)
			json_array_append_new(list,
					      json_pack("{s:s, s:i, s:i, s:s}", "name", cron->name,
							"line", cron->line, "column", cron->column,
							"problem", cron->problem));
	}
}

static void list_bad_reminders(const struct config_role *role, json_t *list)
{
	for (size_t i = 0; i < role->reminder_count; i++) {
		const struct config_reminder *r = &role->reminders[i];

		if (r->problem)
			json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:s}", "role",
							      role->name, "name", r->name, "line",
							      r->line, "column", r->column,
							      "problem", r->problem));
	}
}

/* A file that cannot be read is an error, as config.yml is; the others are named all the same. */
static int check_roles(const struct config *config, json_t *bad, struct error *err)
{
	const char *last = NULL;

	for (size_t i = 0; i < config->role_count; i++) {
		const struct config_role *role = &config->roles[i];

		list_bad_reminders(role, bad);
		if (!role->problem)
			continue;
		if (last)
			fprintf(stderr, "belfry: %s\n", last);
		last = role->problem;
	}
	return last ? error_set(err, ERR_INVALID, "%s", last) : 0;
}

static void print_bad(const json_t *bad, const char *what)
{
	const json_t *one;
	size_t i;

	json_array_foreach(bad, i, one)
	{
		AUTO_BUF struct buf name = {0}, problem = {0};

		visible_line(&name, view_text(one, "name"));
		visible_line(&problem, view_text(one, "problem"));
		fprintf(stderr, "warning: %s '%s' will not fire: %s\n", what, buf_text(&name),
			buf_text(&problem));
	}
}

static void list_bad_pages(const char *what, const struct library *all, json_t *list)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->pages[i].problem)
			json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "what", what,
							      "name", all->pages[i].id, "problem",
							      all->pages[i].problem));
}

/* Like crons that cannot work: the others can be read. */
static int check_pages(const char *folder, json_t *bad, struct error *err)
{
	AUTO_LIBRARY struct library lessons = {0}, workflows = {0};
	int r;

	if ((r = library_lessons(folder, true, &lessons, err)) < 0 ||
	    (r = library_workflows(folder, true, &workflows, err)) < 0)
		return r;
	list_bad_pages("lesson", &lessons, bad);
	list_bad_pages("workflow", &workflows, bad);
	return 0;
}

static void print_bad_pages(const json_t *bad)
{
	const json_t *one;
	size_t i;

	json_array_foreach(bad, i, one)
	{
		AUTO_BUF struct buf line = {0};

		visible_line(&line, view_text(one, "name"));
		buf_add_str(&line, "' cannot be read: ");
		visible_line(&line, view_text(one, "problem"));
		fprintf(stderr, "warning: %s '%s\n", view_text(one, "what"), buf_text(&line));
	}
}

/* Those that are meant to fire: what is disabled can be mended later. */
static size_t count_silent(const struct config *config)
{
	size_t count = 0;

	for (size_t i = 0; i < config->cron_count; i++)
		count += config->crons[i].problem && config->crons[i].enabled;
	return count;
}

static size_t count_silent_reminders(const struct config *config, size_t *ret_all)
{
	size_t count = 0;

	*ret_all = 0;
	for (size_t i = 0; i < config->role_count; i++) {
		const struct config_role *role = &config->roles[i];

		for (size_t j = 0; j < role->reminder_count; j++)
			count += role->reminders[j].problem && role->reminders[j].enabled;
		*ret_all += role->reminder_count;
	}
	return count;
}

/* "1 of 2 crons and 1 of 3 reminders will not fire"; nothing when all will. */
static void describe_silent(const struct config *config, struct buf *ret)
{
	size_t all, crons = count_silent(config), reminders = count_silent_reminders(config, &all);

	if (crons)
		buf_printf(ret, "%zu of %zu crons", crons, config->cron_count);
	if (reminders)
		buf_printf(ret, "%s%zu of %zu reminders", crons ? " and " : "", reminders, all);
	if (crons || reminders)
		buf_add_str(ret, " will not fire");
}

/* Nothing in the files says so: the daemon knows who has reminders. */
static void list_strangers(const struct home *h, json_t *list)
{
	AUTO(json_decref) json_t *status = client_status(h, NULL);

	json_array_extend(list, json_object_get(status, "undeclared_agents"));
}

static void print_strangers(const json_t *strangers)
{
	const json_t *row;
	size_t i;

	json_array_foreach(strangers, i, row)
	{
		AUTO_BUF struct buf name = {0};
		int64_t count = view_int(row, "reminders");

		visible_line(&name, view_text(row, "agent"));
		fprintf(stderr,
			"warning: %" PRId64 " reminder%s for '%s', whom nobody declares; declare "
			"'%s', or remove the reminder%s: belfry reminder list %s\n",
			count, count == 1 ? " is" : "s are", buf_text(&name), buf_text(&name),
			count == 1 ? "" : "s", buf_text(&name));
	}
}

static void print_check(const struct config *config, const json_t *bad, const json_t *bad_reminders,
			const json_t *strangers)
{
	AUTO_BUF struct buf line = {0}, but = {0};

	describe_silent(config, &but);
	if (json_array_size(strangers))
		buf_printf(&but, "%sreminders are for %s that nobody declares",
			   but.len ? ", and " : "",
			   json_array_size(strangers) == 1 ? "an agent" : "agents");
	buf_printf(&line, "config.yml %s%s: %zu agent%s", but.len ? "can be used, but " : "is fine",
		   buf_text(&but), config->file_agent_count,
		   config->file_agent_count == 1 ? "" : "s");
	if (config->cron_count > 0)
		buf_printf(&line, ", %zu cron%s", config->cron_count,
			   config->cron_count == 1 ? "" : "s");
	if (json_array_size(bad) > 0 && !count_silent(config))
		buf_printf(&line, " (%zu will not fire)", json_array_size(bad));
	if (config->role_count > 0)
		buf_printf(&line, ", %zu role%s", config->role_count,
			   config->role_count == 1 ? "" : "s");
	puts(buf_text(&line));
	print_bad(bad, "cron");
	print_bad(bad_reminders, "reminder");
	print_strangers(strangers);
}

/* A cron that cannot work is named, and the exit status is that of a mistake; the others work. */
int cmd_config_check(const struct cli *c, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(json_decref) json_t *result = json_object();
	json_t *bad = json_array(), *bad_reminders = json_array(), *bad_pages = json_array();
	json_t *strangers = json_array();
	size_t reminders;
	int r, status = 0;

	json_put(result, "bad_crons", bad);
	json_put(result, "bad_reminders", bad_reminders);
	json_put(result, "bad_pages", bad_pages);
	json_put(result, "undeclared_agents", strangers);
	r = config_load(c->home->config_file, &config, err);
	if (r < 0 || (r = check_roles(config, bad_reminders, err)) < 0 ||
	    (r = check_pages(c->home->config_dir, bad_pages, err)) < 0)
		return r;
	list_bad_crons(config, bad);
	list_strangers(c->home, strangers);
	if (count_silent(config) || count_silent_reminders(config, &reminders) ||
	    json_array_size(strangers))
		status = error_exit_status(ERR_INVALID);
	json_put_bool(result, "ok", status == 0);
	json_put_text(result, "path", c->home->config_file);
	json_put_int(result, "agents", (int64_t)config->file_agent_count);
	json_put_int(result, "crons", (int64_t)config->cron_count);
	json_put_int(result, "roles", (int64_t)config->role_count);
	if (c->json) {
		cli_write_json(result);
		return status;
	}
	print_check(config, bad, bad_reminders, strangers);
	print_bad_pages(bad_pages);
	return status;
}

int cmd_generate_man(const struct cli *c, struct error *err)
{
	return manual_write(c->rows, view_text(c->args, "folder"), err);
}

int cmd_generate_completion(const struct cli *c, struct error *err)
{
	const char *script = complete_script(view_text(c->args, "shell"));

	if (!script)
		return error_set(err, ERR_INVALID, "no completion for shell '%s'",
				 view_text(c->args, "shell"));
	fputs(script, stdout);
	return 0;
}
