/*
 * client.c: Claude Code, Codex, Gemini CLI and opencode, as their documents say they are configured.
 * Each has a function that lists its files and what is to be in them. Where a client can move its folder
 * by a variable of its environment, that is followed.
 */
#include "setup/client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/presence.h"
#include "base/mem.h"
#include "base/text.h"
#include "config/path.h"

#define SEND "belfry message send"

/* clang-format off */
const struct client setup_clients[] = {
	{"claude",   "Claude Code", "claude",   "claude-code",           NULL, "", true},
	{"codex",    "Codex",       "codex",    "codex-mcp-client",      "Codex asks once whether these hooks are trusted: say yes, or look at /hooks", "", true},
	{"gemini",   "Gemini CLI",  "gemini",   "gemini-cli-mcp-client", NULL, " --client gemini", true},
	{"opencode", "opencode",    "opencode", "opencode",              "opencode has no hooks: reminders reach it through its tools and as messages", "", false},
	{0},
};
/* Gemini has other names; those of Codex are Claude Code's. */
static const char *const codex_events[] = {
	"SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", NULL,
};
static const char *const gemini_events[] = {
	"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd", NULL,
};
/* clang-format on */

#define TOOL_NAME(name) #name,
const char *const setup_tools[] = {SETUP_TOOLS(TOOL_NAME) NULL};
const char *const setup_asked[] = {SETUP_ASKED(TOOL_NAME) NULL};

static const char codex_rules[] = OWN_MARK " codex'; with --undo it goes again.\n"
					   "prefix_rule(\n"
					   "    pattern = [\"belfry\", \"message\", \"send\"],\n"
					   "    decision = \"allow\",\n"
					   ")\n";
#define GEMINI_POLICY                                                                              \
	OWN_MARK " gemini'; with --undo it goes again.\n"                                          \
		 "[[rule]]\n"                                                                      \
		 "toolName = \"run_shell_command\"\n"                                              \
		 "commandPrefix = \"" SEND "\"\n"                                                  \
		 "decision = \"allow\"\n"                                                          \
		 "priority = 100\n"
#define GEMINI_TOOL(name)                                                                          \
	"\n[[rule]]\n"                                                                             \
	"mcpName = \"belfry\"\n"                                                                   \
	"toolName = \"" #name "\"\n"                                                               \
	"decision = \"allow\"\n"                                                                   \
	"priority = 100\n"
static const char gemini_policy[] = GEMINI_POLICY;
static const char gemini_policy_tools[] = GEMINI_POLICY SETUP_TOOLS(GEMINI_TOOL);

const struct client *client_find(const char *name)
{
	for (const struct client *c = setup_clients; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static size_t add_file(struct plan *p, enum file_form form, char *path)
{
	p->files = mem_grow(p->files, p->file_count + 1, sizeof(*p->files));
	p->files[p->file_count] = (struct plan_file){path, form, !p->project};
	return p->file_count++;
}

static struct item *add_item(struct plan *p, enum item_kind kind, size_t file, char *name,
			     json_t *value)
{
	struct item *i;

	p->items = mem_grow(p->items, p->item_count + 1, sizeof(*p->items));
	i = &p->items[p->item_count++];
	*i = (struct item){.kind = kind, .file = file, .name = name, .value = value};
	return i;
}

static void add_server(struct plan *p, size_t file, const char *section, json_t *value)
{
	struct item *i = add_item(p, ITEM_SERVER, file, mem_printf("%s.belfry", section), value);

	i->path[0] = section;
	i->path[1] = "belfry";
}

static struct item *add_rule(struct plan *p, size_t file, const char *outer, const char *list,
			     const char *rule)
{
	struct item *i = add_item(p, ITEM_RULE, file, mem_printf("%s.%s %s", outer, list, rule),
				  json_string(rule));

	i->path[0] = outer;
	i->path[1] = list;
	return i;
}

static void add_own(struct plan *p, char *path, const char *text)
{
	size_t file = add_file(p, FILE_OWN, path);

	add_item(p, ITEM_FILE, file, mem_strdup("permission to send messages"), NULL)->text = text;
}

/* One a list: the client tells it apart from others by its command. */
static void add_hooks(struct plan *p, size_t file, const char *const *events, int timeout)
{
	for (; *events; events++) {
		AUTO_BUF struct buf command = {0};
		struct item *i;

		hooks_command(&command, p->program, *events);
		buf_add_str(&command, p->client->hook_flags);
		i = add_item(p, ITEM_HOOK, file, mem_printf("hooks.%s", *events),
			     json_pack("{s:[{s:s, s:s, s:i}]}", "hooks", "type", "command",
				       "command", buf_text(&command), "timeout", timeout));
		i->event = *events;
		i->path[0] = "hooks";
		i->path[1] = *events;
	}
}

/* A variable that names a folder, else a folder in the home. */
static int folder(const char *variable, const char *otherwise, char **ret, struct error *err)
{
	const char *named = getenv(variable);
	AUTO(free) char *home = NULL;
	int r;

	if (named && *named)
		return path_absolute(named, NULL, ret, err);
	r = path_home(&home, err);
	if (r == 0)
		*ret = mem_printf("%s/%s", home, otherwise);
	return r;
}

static json_t *server(const char *program)
{
	return json_pack("{s:s, s:[s]}", "command", program, "args", "mcp");
}

static int plan_claude(struct plan *p, const char *here, struct error *err)
{
	AUTO(free) char *own = NULL, *home = NULL;
	const char *moved = getenv("CLAUDE_CONFIG_DIR");
	size_t settings, servers;
	json_t *entry = json_pack("{s:s, s:s, s:[s]}", "type", "stdio", "command", p->program,
				  "args", "mcp");
	int r = folder("CLAUDE_CONFIG_DIR", ".claude", &own, err);

	if (r == 0)
		r = path_home(&home, err);
	if (r < 0) {
		json_decref(entry);
		return r;
	}
	settings = add_file(p, FILE_JSON,
			    p->project ? mem_printf("%s/.claude/settings.json", here)
				       : mem_printf("%s/settings.json", own));
	servers =
		add_file(p, FILE_JSON,
			 p->project ? mem_printf("%s/.mcp.json", here)
				    : mem_printf("%s/.claude.json", moved && *moved ? own : home));
	add_server(p, servers, "mcpServers", entry);
	add_rule(p, settings, "permissions", "allow", "Bash(" SEND ":*)");
	add_rule(p, settings, "permissions", "allow", "mcp__belfry")->retired = !p->runs;
	for (const char *const *tool = setup_tools; *tool; tool++) {
		AUTO(free) char *rule = mem_printf("mcp__belfry__%s", *tool);

		add_rule(p, settings, "permissions", "allow", rule)->retired = p->runs;
	}
	add_hooks(p, settings, hooks_claude_events, HOOKS_TIMEOUT);
	return 0;
}

static int plan_codex(struct plan *p, const char *here, struct error *err)
{
	AUTO(free) char *own = NULL;
	int r = folder("CODEX_HOME", ".codex", &own, err);

	if (r < 0)
		return r;
	if (p->project)
		mem_replace(&own, NULL);
	if (!own)
		own = mem_printf("%s/.codex", here);
	add_item(p, ITEM_TABLE, add_file(p, FILE_TOML, mem_printf("%s/config.toml", own)),
		 mem_strdup("mcp_servers.belfry"), NULL);
	add_hooks(p, add_file(p, FILE_JSON, mem_printf("%s/hooks.json", own)), codex_events,
		  HOOKS_TIMEOUT);
	add_own(p, mem_printf("%s/rules/belfry.rules", own), codex_rules);
	return 0;
}

static int plan_gemini(struct plan *p, const char *here, struct error *err)
{
	AUTO(free) char *home = NULL;
	size_t settings;
	json_t *entry;
	int r = folder("GEMINI_CLI_HOME", "", &home, err);

	if (r < 0)
		return r;
	for (size_t len = strlen(home); len > 1 && home[len - 1] == '/'; len--)
		home[len - 1] = '\0';
	settings = add_file(p, FILE_JSON,
			    mem_printf("%s/.gemini/settings.json", p->project ? here : home));
	entry = server(p->program);
	if (p->runs)
		json_put_bool(entry, "trust", true); /* its tools need no question each time */
	add_server(p, settings, "mcpServers", entry);
	add_hooks(p, settings, gemini_events, HOOKS_TIMEOUT * 1000); /* it counts milliseconds */
	/* It reads no policies of projects; `tools.allowed` it warns about at every start. */
	if (!p->project)
		add_own(p, mem_printf("%s/.gemini/policies/belfry.toml", home),
			p->runs ? gemini_policy : gemini_policy_tools);
	return 0;
}

/* It allows everything unless told otherwise: what is to be asked for has to be named. */
static void add_asked(struct plan *p, size_t file)
{
	for (size_t k = 0; setup_asked[k]; k++) {
		struct item *i = add_item(p, ITEM_ASK, file,
					  mem_printf("permission.belfry_%s", setup_asked[k]),
					  json_string("ask"));

		i->path[0] = "permission";
		i->path[1] = i->name + strlen("permission.");
		i->retired = p->runs;
	}
}

static int plan_opencode(struct plan *p, const char *here, struct error *err)
{
	AUTO(free) char *config = NULL, *plain = NULL, *with_comments = NULL;
	struct item *rule;
	size_t file;
	int r = folder("XDG_CONFIG_HOME", ".config", &config, err);

	if (r < 0)
		return r;
	plain = p->project ? mem_printf("%s/opencode.json", here)
			   : mem_printf("%s/opencode/opencode.json", config);
	with_comments = mem_printf("%sc", plain);
	file = add_file(p, FILE_JSON,
			access(plain, F_OK) < 0 && access(with_comments, F_OK) == 0
				? steal_ptr(&with_comments)
				: steal_ptr(&plain));
	add_server(p, file, "mcp",
		   json_pack("{s:s, s:[s, s]}", "type", "local", "command", p->program, "mcp"));
	rule = add_item(p, ITEM_OPTION, file, mem_strdup("permission.bash " SEND),
			json_string("allow"));
	rule->path[0] = "permission";
	rule->path[1] = "bash";
	rule->path[2] = SEND " *";
	add_asked(p, file);
	return 0;
}

static const struct {
	const char *name;
	int (*fill)(struct plan *p, const char *here, struct error *err);
} plans[] = {
	{"claude", plan_claude},
	{"codex", plan_codex},
	{"gemini", plan_gemini},
	{"opencode", plan_opencode},
};

static int fill(struct plan *p, const char *here, struct error *err)
{
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
		if (strcmp(plans[i].name, p->client->name) == 0)
			return plans[i].fill(p, here, err);
	return error_set(err, ERR_NOT_FOUND, "no client '%s'", p->client->name);
}

int plan_make(const struct client *client, bool project, bool runs, const char *program,
	      const char *config_file, struct plan **ret, struct error *err)
{
	AUTO(plan_free) struct plan *p = mem_zalloc(sizeof(*p));
	AUTO(free) char *here = NULL;
	int r;

	if (!text_is_utf8(program, strlen(program)) || text_find_control(program) ||
	    strchr(program, '\n'))
		return error_set(err, ERR_INVALID,
				 "the path of this program is not plain UTF-8 text");
	*p = (struct plan){.client = client, .project = project, .runs = runs, .program = program};
	r = path_absolute(".", NULL, &here, err);
	if (r < 0 || (r = fill(p, here, err)) < 0)
		return r;
	if (!project && config_file)
		add_item(p, ITEM_AGENT, add_file(p, FILE_YAML, mem_strdup(config_file)),
			 mem_printf("agents.%s", client->name), NULL);
	*ret = steal_ptr(&p);
	return 0;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->file_count; i++)
		free(p->files[i].path);
	for (size_t i = 0; i < p->item_count; i++) {
		free(p->items[i].name);
		json_decref(p->items[i].value);
	}
	free(p->files);
	free(p->items);
	free(p);
}
