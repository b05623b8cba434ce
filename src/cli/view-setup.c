/* view-setup.c: what a setup did, whether it works, and what to do next. */
#include <string.h>

#include "cli/view.h"

/* clang-format off */
static const struct {
	const char *change, *sign, *word;
	enum tint tint;
} signs[] = {
	{"created",   "+", "new",       TINT_GOOD},
	{"changed",   "~", "changed",   TINT_WARN},
	{"deleted",   "-", "deleted",   TINT_DIM},
	{"unchanged", "=", "as it was", TINT_DIM},
};
static const struct {
	const char *key, *one, *many;
} things[] = {
	{"server",      "the MCP server", "MCP servers"},
	{"permissions", "permission",     "permissions"},
	{"hooks",       "hook",           "hooks"},
	{"agent",       "an agent that reminders can start", "agents"},
};
/* clang-format on */

/* "the MCP server, 10 hooks" */
static void print_things(const struct view *v, const json_t *what)
{
	const char *lead = ": ";

	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		int64_t count = view_int(what, things[i].key);
		bool named = strchr(things[i].one, ' ');

		if (count == 0)
			continue;
		buf_add_str(v->out, lead);
		if (count > 1 || !named)
			buf_printf(v->out, "%d ", (int)count);
		buf_add_str(v->out, count > 1 ? things[i].many : things[i].one);
		lead = ", ";
	}
}

static void print_file(const struct view *v, const json_t *file)
{
	size_t kind = 0;

	while (kind + 1 < sizeof(signs) / sizeof(signs[0]) &&
	       strcmp(signs[kind].change, view_text(file, "change")) != 0)
		kind++;
	style_add(v->out, v->style, signs[kind].tint, signs[kind].sign);
	buf_add_char(v->out, ' ');
	visible_line(v->out, view_text(file, "path"));
	style_printf(v->out, v->style, TINT_DIM, " (%s)", signs[kind].word);
	print_things(v, json_object_get(file, "what"));
	buf_add_char(v->out, '\n');
}

static void print_diff_line(const struct view *v, const char *line, size_t len)
{
	enum tint tint = *line == '+'	? TINT_GOOD
			 : *line == '-' ? TINT_BAD
			 : *line == '@' ? TINT_DIM
					: TINT_NONE;
	AUTO_BUF struct buf text = {0};

	/* A pipe gets the bytes, for patch(1); a terminal nothing that moves its cursor. */
	if (v->style->terminal) {
		visible_bytes(&text, line, len);
		style_add(v->out, v->style, tint, buf_text(&text));
	} else {
		buf_add(v->out, line, len);
	}
	buf_add_char(v->out, '\n');
}

static void print_diff(const struct view *v, const char *diff)
{
	while (*diff) {
		size_t len = strcspn(diff, "\n");

		print_diff_line(v, diff, len);
		diff += len + (diff[len] == '\n');
	}
}

static void print_checks(const struct view *v, const json_t *checks)
{
	const json_t *check;
	size_t i;

	json_array_foreach(checks, i, check)
	{
		bool ok = json_is_true(json_object_get(check, "ok"));
		const char *hint = view_text(check, "hint");

		style_add(v->out, v->style, ok ? TINT_GOOD : TINT_BAD, ok ? "✓" : "✗");
		buf_add_char(v->out, ' ');
		visible_line(v->out, view_text(check, "detail"));
		buf_add_char(v->out, '\n');
		if (*hint) {
			buf_add_str(v->out, "  hint: ");
			visible_line(v->out, hint);
			buf_add_char(v->out, '\n');
		}
	}
}

static void print_names(const struct view *v, const char *lead, const json_t *names)
{
	const json_t *name;
	size_t i;

	json_array_foreach(names, i, name)
	{
		buf_printf(v->out, "%s%s", i ? ", " : lead, json_string_value(name));
	}
}

/* By name: "permissions" could be anything. */
static void print_allowed(const struct view *v, const json_t *result)
{
	static const char what[] = "Allowed without a question:", send[] = "'belfry message send'";
	const json_t *allowed = json_object_get(result, "allowed");
	const json_t *asked = json_object_get(result, "asked");
	const json_t *own = json_object_get(result, "own");
	const char *first = json_string_value(json_array_get(allowed, 0));
	bool all = first && strcmp(first, "all") == 0;
	bool silent = json_is_true(json_object_get(result, "asks_to_send"));

	if (all)
		buf_printf(v->out, "%s %s%severy tool of Belfry, also those that start agents\n",
			   what, silent ? "" : send, silent ? "" : " and ");
	else if (first || !silent)
		buf_printf(v->out, "%s %s", what, silent ? "" : send);
	if (!all && first)
		print_names(v, silent ? "the tools " : "; the tools ", allowed);
	if (!all && (first || !silent))
		buf_add_char(v->out, '\n');
	if (silent)
		buf_printf(v->out, "Not %s: your own \"permission\" says otherwise for \"bash\"\n",
			   send);
	print_names(v, "Asked for each time: ", asked);
	if (json_array_size(asked) && !json_array_size(own))
		buf_printf(v->out,
			   ", which start, steer, schedule or cancel (belfry setup %s "
			   "--allow-runs)",
			   view_text(result, "client"));
	buf_add_str(v->out, json_array_size(asked) ? "\n" : "");
	print_names(v, "As your own \"permission\" says, which stays as it is: ", own);
	buf_add_str(v->out, json_array_size(own) ? "\n" : "");
}

static void print_next(const struct view *v, const json_t *result)
{
	const json_t *note;
	size_t i;

	json_array_foreach(json_object_get(result, "notes"), i, note)
	{
		style_printf(v->out, v->style, TINT_DIM, "note: %s\n", json_string_value(note));
	}
	buf_printf(v->out, "Next: start %s anew and say: ", view_text(result, "title"));
	style_add(v->out, v->style, TINT_BOLD,
		  json_is_true(json_object_get(result, "has_hooks"))
			  ? "\"Remind yourself in two prompts to run the tests, with Belfry.\""
			  : "\"Remind me in two minutes to stretch, with Belfry.\"");
	buf_add_char(v->out, '\n');
}

/* Which clients there are, and the next command: for one that is here and has no Belfry yet. */
static void print_clients(const struct view *v, const json_t *clients)
{
	const char *next = NULL;
	const json_t *client;
	size_t i;

	buf_add_str(v->out, "Belfry can be set up in:\n");
	json_array_foreach(clients, i, client)
	{
		bool here = *view_text(client, "path");
		bool done = json_is_true(json_object_get(client, "set_up"));

		buf_printf(v->out, "  %-9s %-12s ", view_text(client, "name"),
			   view_text(client, "title"));
		style_add(v->out, v->style,
			  done	 ? TINT_GOOD
			  : here ? TINT_NONE
				 : TINT_DIM,
			  done	 ? "set up already"
			  : here ? "installed, not set up"
				 : "not in your PATH");
		buf_add_str(v->out, done && !here ? ", but not in your PATH\n" : "\n");
		if (here && !done && !next)
			next = view_text(client, "name");
	}
	buf_printf(v->out, "Next: belfry setup %s (--dry-run shows what it would change)\n",
		   next ? next : "CLIENT");
}

void view_setup(const struct view *v, const json_t *result)
{
	bool changed = json_is_true(json_object_get(result, "changed"));
	bool undo = json_is_true(json_object_get(result, "undo"));
	bool is_recorded = json_is_true(json_object_get(result, "recorded"));
	const json_t *file;
	size_t i;

	if (json_object_get(result, "clients")) {
		print_clients(v, json_object_get(result, "clients"));
		return;
	}
	json_array_foreach(json_object_get(result, "files"), i, file)
	{
		if (json_object_get(file, "diff"))
			print_diff(v, view_text(file, "diff"));
		else
			print_file(v, file);
	}
	if (!changed)
		buf_printf(v->out, "%s %s: nothing to do\n", view_text(result, "title"),
			   !undo	 ? "is set up already"
			   : is_recorded ? "has nothing of Belfry's"
					 : "has no setup on record here");
	if (json_is_true(json_object_get(result, "dry_run"))) {
		if (v->style->terminal && changed)
			style_add(v->out, v->style, TINT_DIM, "nothing was changed: --dry-run\n");
		return;
	}
	if (!undo)
		print_allowed(v, result);
	print_checks(v, json_object_get(result, "checks"));
	if (!undo)
		print_next(v, result);
}
