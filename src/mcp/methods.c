/*
 * methods.c: what may be asked, in a table, and the answers.
 * There are no resources and prompts, and none are announced; clients that list them all the same, before
 * anything else, get empty lists.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/parts.h"

static const char instructions[] =
	"Belfry keeps time and post for agents: reminders and scheduled work that outlive this "
	"conversation, "
	"messages to people and other agents, and missions that run on their own. Use it whenever "
	"something "
	"is to happen later, again, or while nobody is here; nothing else you have lasts that "
	"long. Never "
	"compute times yourself: give relative ones as `in` (\"30m\", \"2h\"), local ones as "
	"people say them, "
	"and repeat to the user the time that the answer confirms. What fires later reaches an "
	"agent that "
	"knows nothing of this conversation: write messages that stand alone. When an answer says "
	"scheduler_running false, it is saved but nothing fires until a daemon runs: tell the user "
	"so.";

/* What there is. No list of ours ever changes while we run, so nobody has to be told. */
static json_t *capabilities(const struct revision *r)
{
	json_t *all = json_object();

	json_put(all, "tools", json_pack("{s:b}", "listChanged", 0));
	if (!(r->flags & REVISION_STATELESS))
		json_put(all, "logging", json_object());
	return all;
}

static const char *client_name(const json_t *info)
{
	const json_t *name = json_object_get(info, "name");

	return json_is_string(name) ? json_string_value(name) : "";
}

static void initialize(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	const char *asked = json_string_value(json_object_get(params, "protocolVersion"));
	const struct revision *r;
	json_t *result;

	if (!asked) {
		reply_error(c, MCP_INVALID_PARAMS, NULL,
			    "initialize: 'protocolVersion' must be a string, as \"%s\"",
			    revision_newest_agreed()->name);
		return;
	}
	snprintf(m->client, sizeof(m->client), "%s",
		 client_name(json_object_get(params, "clientInfo")));
	r = revision_find(asked);
	m->revision = r && !(r->flags & REVISION_STATELESS) ? r : revision_newest_agreed();
	snprintf(c->revision, sizeof(c->revision), "%s", m->revision->name);
	result = json_object();
	json_put_text(result, "protocolVersion", m->revision->name);
	json_put(result, "capabilities", capabilities(m->revision));
	json_put(result, "serverInfo", reply_server(m->revision));
	json_put_text(result, "instructions", instructions);
	reply_result(c, result);
}

static void discover(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	json_t *result = json_object();

	(void)m;
	(void)params;
	json_put(result, "supportedVersions", revision_names());
	json_put(result, "capabilities", capabilities(revision_of(c)));
	json_put_text(result, "instructions", instructions);
	reply_result(c, result);
}

static void ping(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	(void)m;
	(void)params;
	reply_result(c, json_object());
}

/* Nothing is logged to clients; those that ask for it are content with less. */
static void set_level(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	static const char *const levels[] = {"debug", "info",	  "notice", "warning",
					     "error", "critical", "alert",  "emergency"};
	const char *level = json_string_value(json_object_get(params, "level"));

	(void)m;
	for (size_t i = 0; level && i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(levels[i], level) == 0) {
			reply_result(c, json_object());
			return;
		}
	}
	reply_error(c, MCP_INVALID_PARAMS, NULL,
		    "logging/setLevel: 'level' must be one of debug, info, notice, warning, error, "
		    "critical, alert, emergency");
}

static void list_tools(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	const json_t *meta = json_object_get(params, "_meta");
	const json_t *info = json_object_get(meta, "io.modelcontextprotocol/clientInfo");

	tools_list(info ? client_name(info) : m->client, c);
}

static void call_tool(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	(void)m;
	tools_call(params, c);
}

static void reply_empty_list(struct mcp_call *c, const char *key)
{
	json_t *result = json_object();

	json_put(result, key, json_array());
	reply_result(c, result);
}

static void list_resources(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	(void)m;
	(void)params;
	reply_empty_list(c, "resources");
}

static void list_templates(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	(void)m;
	(void)params;
	reply_empty_list(c, "resourceTemplates");
}

static void list_prompts(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	(void)m;
	(void)params;
	reply_empty_list(c, "prompts");
}

/* The address that is asked for; NULL: there is none, which has been said. */
static const char *address_of(const json_t *params, struct mcp_call *c)
{
	const char *uri = json_string_value(json_object_get(params, "uri"));

	if (!uri)
		reply_error(c, MCP_INVALID_PARAMS, NULL, "'uri' must be the address of a resource");
	return uri;
}

static void subscribe(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	(void)m;
	if (address_of(params, c))
		reply_result(c, json_object());
}

static void read_resource(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	const char *uri = address_of(params, c);
	bool stateless = revision_of(c)->flags & REVISION_STATELESS;

	(void)m;
	if (uri)
		reply_error(c, stateless ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE,
			    json_pack("{s:s}", "uri", uri), "Resource not found: %.128s", uri);
}

static void get_prompt(struct mcp *m, const json_t *params, struct mcp_call *c)
{
	const char *name = json_string_value(json_object_get(params, "name"));

	(void)m;
	reply_error(c, MCP_INVALID_PARAMS, NULL, "Unknown prompt: %.64s", name ? name : "no name");
}

/* clang-format off */
static const struct method methods[] = {
	{"initialize",               initialize,     AGREED | EARLY},
	{"ping",                     ping,           AGREED | EARLY},
	{"logging/setLevel",         set_level,      AGREED},
	{"resources/subscribe",      subscribe,      AGREED},
	{"resources/unsubscribe",    subscribe,      AGREED},
	{"server/discover",          discover,       STATELESS | CACHED},
	{"tools/list",               list_tools,     AGREED | STATELESS | PAGED | CACHED},
	{"tools/call",               call_tool,      AGREED | STATELESS},
	{"resources/list",           list_resources, AGREED | STATELESS | PAGED | CACHED},
	{"resources/templates/list", list_templates, AGREED | STATELESS | PAGED | CACHED},
	{"resources/read",           read_resource,  AGREED | STATELESS},
	{"prompts/list",             list_prompts,   AGREED | STATELESS | PAGED | CACHED},
	{"prompts/get",              get_prompt,     AGREED | STATELESS},
};
/* clang-format on */

const struct method *method_find(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}
