/* cmd-small.c: commands of a few lines: check the configuration, write manual and completions. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/manual.h"
#include "config/config.h"
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

static void print_check(const struct config *config, const json_t *bad)
{
	AUTO_BUF struct buf line = {0};
	const json_t *cron;
	size_t i;

	buf_printf(&line, "config.yml is fine: %zu agent%s", config->agent_count,
		   config->agent_count == 1 ? "" : "s");
	if (config->cron_count > 0)
		buf_printf(&line, ", %zu cron%s", config->cron_count,
			   config->cron_count == 1 ? "" : "s");
	if (json_array_size(bad) > 0)
		buf_printf(&line, " (%zu will not fire)", json_array_size(bad));
	puts(buf_text(&line));
	json_array_foreach(bad, i, cron)
	{
		AUTO_BUF struct buf name = {0}, problem = {0};

		visible_line(&name, json_string_value(json_object_get(cron, "name")));
		visible_line(&problem, json_string_value(json_object_get(cron, "problem")));
		fprintf(stderr, "warning: cron '%s' will not fire: %s\n", buf_text(&name),
			buf_text(&problem));
	}
}

/* A cron that cannot work is a warning: the file is good, and so are the other crons. */
int cmd_config_check(const struct cli *c, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(json_decref) json_t *result = json_object();
	json_t *bad = json_array();
	int r;

	json_put(result, "bad_crons", bad);
	r = config_load(c->home->config_file, &config, err);
	if (r < 0)
		return r;
	list_bad_crons(config, bad);
	json_put_bool(result, "ok", true);
	json_put_text(result, "path", c->home->config_file);
	json_put_int(result, "agents", (int64_t)config->agent_count);
	json_put_int(result, "crons", (int64_t)config->cron_count);
	if (c->json)
		cli_write_json(result);
	else
		print_check(config, bad);
	return 0;
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
