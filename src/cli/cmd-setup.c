/*
 * cmd-setup.c: `belfry setup CLIENT`.
 * src/setup/ does the work; here it is asked for, tried, and told. The files are written before it is
 * tried: what does not work yet may be mended without doing it again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "config/path.h"
#include "setup/setup.h"
#include "terminal/ask.h"

static bool is_set(const struct cli *c, const char *key)
{
	return json_is_true(json_object_get(c->args, key));
}

static int find_program(const struct cli *c, char **ret, struct error *err)
{
	const char *named = NULL;
	int r = json_get_text(c->args, "program", &named, err);

	if (r < 0 || (named && (r = path_absolute(named, NULL, ret, err)) < 0))
		return r;
	if (!named)
		*ret = path_own_program();
	if (!*ret)
		return error_set(err, ERR_SYSTEM, "cannot find out where this program is");
	if (access(*ret, X_OK) == 0)
		return 0;
	error_set(err, ERR_NOT_FOUND, "'%s' is not a program that can be run", *ret);
	return error_hint(err, "--program names the belfry that the client is to start");
}

static int read_wish(const struct cli *c, struct setup_wish *w, struct error *err)
{
	const char *name = "";
	int r = json_get_text(c->args, "client", &name, err);

	if (r < 0)
		return r;
	if (is_set(c, "user") && is_set(c, "project")) {
		error_set(err, ERR_INVALID, "--user and --project exclude each other");
		return error_hint(err, "one after the other does both");
	}
	w->client = client_find(name);
	if (!w->client) {
		error_set(err, ERR_INVALID, "no client '%s'", name);
		return error_hint(err, "one of: claude codex gemini opencode");
	}
	w->project = is_set(c, "project");
	w->undo = is_set(c, "undo");
	w->dry_run = is_set(c, "dry_run");
	w->force = is_set(c, "force");
	w->runs = is_set(c, "allow_runs");
	w->home = c->home;
	return 0;
}

/* Asked where somebody can answer. */
static int ask_runs(const struct cli *c, struct setup_wish *w)
{
	if (w->runs || w->undo || w->dry_run || c->json || is_set(c, "no_check") ||
	    !ask_is_possible())
		return 0;
	ask_begin();
	printf("Tools that start an agent or schedule one give it its own rights.\n");
	return ask_yes("May they do so without asking you each time?", false, &w->runs);
}

/* What the client has to be started with, and what it will ask. */
static json_t *notes(const struct cli *c, const struct setup_wish *w)
{
	json_t *list = json_array();

	if (w->client->note)
		json_array_append_new(list, json_string(w->client->note));
	if (w->project && strcmp(w->client->name, "opencode") != 0)
		json_array_append_new(
			list, json_string("the client reads this folder's configuration once you "
					  "trust the folder"));
	if (c->home->whole)
		json_array_append_new(list,
				      json_string("BELFRY_HOME is set here: start the client with "
						  "it, too, or it finds another home"));
	return list;
}

static bool all_ok(const json_t *checks)
{
	for (size_t i = 0; i < json_array_size(checks); i++) {
		const json_t *check = json_array_get(checks, i);

		/* A client that is not there is a remark: it may come. */
		if (!json_is_true(json_object_get(check, "ok")) &&
		    strcmp(view_text(check, "name"), "client") != 0)
			return false;
	}
	return true;
}

static json_t *list_clients(const struct cli *c)
{
	json_t *result = json_object(), *list = json_array();

	for (const struct client *client = setup_clients; client->name; client++) {
		AUTO(free) char *path = setup_client_path(client);
		json_t *o = json_object();

		json_put_text(o, "name", client->name);
		json_put_text(o, "title", client->title);
		json_put_text(o, "path", path);
		json_put_bool(o, "set_up", setup_is_done(client, c->home));
		json_array_append_new(list, o);
	}
	json_put(result, "clients", list);
	return result;
}

/* Whoever named none wants to know which there are. Whoever gave a flag meant one. */
static int show_clients(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *result = list_clients(c);

	if (json_object_size(c->args) == 0) {
		cli_print(c, "setup", result);
		return 0;
	}
	error_set(err, ERR_INVALID, "CLIENT is missing");
	return error_hint(err, "one of: claude codex gemini opencode");
}

int cmd_setup(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	AUTO(free) char *program = NULL;
	struct setup_wish w = {0};
	json_t *checks;
	bool ok = true;
	int r;

	if (!json_object_get(c->args, "client"))
		return show_clients(c, err);
	if ((r = read_wish(c, &w, err)) < 0 || (r = find_program(c, &program, err)) < 0)
		return r;
	w.program = program;
	if (ask_runs(c, &w) == ASK_CANCELLED)
		return ASK_EXIT_STATUS;
	r = setup_run(&w, &result, err);
	if (r < 0)
		return r;
	if (!w.undo && !w.dry_run) {
		checks = is_set(c, "no_check") ? json_array() : setup_check(w.client, program);
		ok = all_ok(checks);
		json_put(result, "checks", checks);
		json_put(result, "notes", notes(c, &w));
	}
	cli_print(c, "setup", result);
	return ok ? 0 : error_exit_status(ERR_UNAVAILABLE);
}
