/*
 * cmd-cron.c: what the command line does for crons beside asking: it opens an editor, and finds the
 * log of the newest mission. Also the board, where the environment says who is speaking.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/wizard.h"
#include "terminal/ask.h"

int cmd_cron_add(const struct cli *c, struct error *err)
{
	if (!c->json && ask_is_possible() && wizard_is_needed(c->args))
		return wizard_cron_add(c, err);
	return cmd_request(c, err);
}

/* --- edit --- */

#define HEAD_LINES 2 /* always so many, so that line numbers in errors stay right */

/* The text without the lines that we put above it. */
static const char *below_head(const char *text)
{
	for (int i = 0; i < HEAD_LINES && *text == '#'; i++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

static void set_text(struct buf *text, const char *above, const char *hint, const char *body)
{
	AUTO_BUF struct buf whole = {0};

	buf_add_str(&whole, "# ");
	visible_line(&whole, above);
	buf_add_str(&whole, "\n# ");
	visible_line(&whole, hint);
	buf_printf(&whole, "\n%s", body);
	buf_clear(text);
	buf_add(text, whole.data, whole.len);
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\r\n")];
}

/* Once: open the editor and ask. Returns 0 when done, 1 when it is to be opened again. */
static int edit_once(const struct cli *c, const char *name, struct buf *text, json_t **ret,
		     struct error *err)
{
	AUTO(free) char *before = mem_strdup(below_head(buf_text(text)));
	AUTO(json_decref) json_t *args = json_object();
	const char *after;
	int r = ask_editor(text, ".yml", err);

	if (r < 0)
		return r;
	after = below_head(buf_text(text));
	if (is_blank(after) || strcmp(after, before) == 0)
		return 0;
	json_put_text(args, "name", name);
	json_put_text(args, "text", buf_text(text));
	r = cli_ask(c, "cron edit", args, ret, err);
	if (r != ERR_INVALID)
		return r;
	mem_replace(&before, after);
	set_text(text, err->message,
		 *err->hint ? err->hint : "mend it and save, or leave it as it is to give up",
		 before);
	return 1;
}

static int edit_in_editor(const struct cli *c, const char *name, struct error *err)
{
	AUTO(json_decref) json_t *cron = NULL, *result = NULL;
	AUTO_BUF struct buf text = {0};
	int r = cli_ask(c, "cron show", c->args, &cron, err);

	if (r < 0)
		return r;
	if (!*view_text(cron, "yaml")) {
		error_set(err, ERR_UNAVAILABLE, "config.yml cannot be read as it is now");
		return error_hint(err, "look: belfry config check");
	}
	set_text(&text, "save and leave the editor to apply; empty it to change nothing",
		 "only what you change here is changed in config.yml", view_text(cron, "yaml"));
	do
		r = edit_once(c, name, &text, &result, err);
	while (r == 1);
	if (r < 0)
		return r;
	if (!result) {
		/* Left as it was: after an error that means giving up. */
		if (err->code)
			return err->code;
		puts("nothing was changed");
		return 0;
	}
	cli_print(c, "cron edit", result);
	return 0;
}

int cmd_cron_edit(const struct cli *c, struct error *err)
{
	if (json_object_size(c->args) > 1 || c->json || !ask_is_possible())
		return cmd_request(c, err);
	return edit_in_editor(c, view_text(c->args, "name"), err);
}

/* --- logs --- */

int cmd_cron_logs(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_object(), *result = NULL;
	const char *name = view_text(c->args, "name"), *mission;
	int r;

	json_put_text(args, "name", name);
	r = cli_ask(c, "cron history", args, &result, err);
	if (r < 0)
		return r;
	mission = view_text(result, "mission");
	if (!*mission) {
		error_set(err, ERR_NOT_FOUND, "cron '%s' has not run yet", name);
		return error_hint(err, "run it now: belfry cron run %s", name);
	}
	return mission_logs(c, mission, json_is_true(json_object_get(c->args, "follow")), 0, -1,
			    err);
}

/* --- board --- */

/* An agent that writes on the board need not say who it is: its run's environment does. */
int cmd_board(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args);
	const char *agent = getenv("BELFRY_AGENT");
	struct cli asked = *c;

	if (agent && *agent && !json_object_get(args, "agent"))
		json_put_text(args, "agent", agent);
	asked.args = args;
	return cmd_request(&asked, err);
}
