/* cmd-small.c: commands of a few lines: check the configuration, write manual and completions. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/manual.h"
#include "config/config.h"

int cmd_config_check(const struct cli *c, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(json_decref) json_t *result = json_object();
	int r = config_load(c->home->config_file, &config, err);

	if (r < 0)
		return r;
	json_put_bool(result, "ok", true);
	json_put_text(result, "path", c->home->config_file);
	json_put_int(result, "agents", (int64_t)config->agent_count);
	if (c->json)
		cli_write_json(result);
	else
		printf("config.yml is fine: %zu agent%s\n", config->agent_count,
		       config->agent_count == 1 ? "" : "s");
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
