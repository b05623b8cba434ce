/*
 * hooks.c: the settings that make a client tell us what it does.
 * Claude Code reads them from a file named by --settings, beside the person's own ones, whose hooks run as
 * well. Each event calls `belfry hook EVENT`, which appends to the mission's journal (events.c).
 */
#include <stdlib.h>
#include <string.h>

#include "agent/presence.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#define HOOKS_FILE "hooks.json"

const char *const hooks_words[] = {"claude", NULL};

const char *const hooks_claude_events[] = {
	"SessionStart",	     "UserPromptSubmit", "PreToolUse", "PostToolUse",
	"PermissionRequest", "Notification",	 "PreCompact", "Stop",
	"StopFailure",	     "SessionEnd",	 NULL,
};

/* The client has a shell run it: a word of it, whatever the path has in it. */
static void add_quoted(struct buf *out, const char *word)
{
	buf_add_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_add_str(out, "'\\''");
		else
			buf_add_char(out, *word);
	}
	buf_add_char(out, '\'');
}

void hooks_command(struct buf *out, const char *program, const char *event)
{
	add_quoted(out, program);
	buf_printf(out, " hook %s", event);
}

/* "Stop": [{"hooks": [{"type": "command", "command": …, "timeout": …}]}] */
static json_t *claude_hook(const char *program, const char *event)
{
	AUTO_BUF struct buf command = {0};

	hooks_command(&command, program, event);
	return json_pack("[{s:[{s:s, s:s, s:i}]}]", "hooks", "type", "command", "command",
			 buf_text(&command), "timeout", HOOKS_TIMEOUT);
}

/*
 * What is too long to be typed it is told to read (daemon/live-type.c), and must not have to ask for that.
 * NULL for a folder that is no UTF-8: then it asks.
 */
static json_t *claude_permissions(const char *folder)
{
	AUTO(free) char *rule = mem_printf("Read(/%s/inbox/**)", folder); /* "//": from the root */

	return json_pack("{s:[s]}", "allow", rule);
}

int hooks_write(const struct adapter *a, const char *folder, const char *program, char **ret,
		struct error *err)
{
	AUTO(json_decref) json_t *settings = NULL;
	AUTO(free) char *path = NULL, *text = NULL;
	json_t *hooks, *permissions;
	int r;

	*ret = NULL;
	if (!program || !a->live.hooks || strcmp(a->live.hooks, "claude") != 0)
		return 0;
	hooks = json_object();
	for (const char *const *event = hooks_claude_events; *event; event++) {
		json_t *hook = claude_hook(program, *event);

		if (!hook) {
			json_decref(hooks);
			return error_set(err, ERR_INVALID, "'%s' is no UTF-8, as hooks need it",
					 program);
		}
		json_put(hooks, *event, hook);
	}
	settings = json_object();
	json_put(settings, "hooks", hooks);
	if ((permissions = claude_permissions(folder)))
		json_put(settings, "permissions", permissions);
	text = json_text(settings);
	path = mem_printf("%s/" HOOKS_FILE, folder);
	r = file_write(path, text, strlen(text), err);
	if (r < 0)
		return r;
	*ret = steal_ptr(&path);
	return 0;
}
