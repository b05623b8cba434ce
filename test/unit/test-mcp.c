/*
 * test-mcp.c: the protocol without a wire: what is said to which message, in each revision.
 * A row is a message and a part of its reply. The tools are those of the request table, whatever they are.
 */
#include "rows.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/mcp.h"

#define MODERN                                                                                     \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define ASK(method, params)                                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":" params "}"
#define INIT(version) ASK("initialize", "{\"protocolVersion\":\"" version "\",\"capabilities\":{}}")
#define ERROR(code) "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" #code "}}"
#define ERROR_NULL(code) "{\"id\":null,\"error\":{\"code\":" #code "}}"

/* Whether all of `want` is in `have`; a text that begins with '~' is to be a part of the other, "!" stands for
 * what is not there. */
static bool contains(const json_t *have, const json_t *want)
{
	const char *key;
	json_t *each;
	size_t i;

	if (json_is_string(want) && strcmp(json_string_value(want), "!") == 0)
		return !have;
	if (json_is_string(want) && *json_string_value(want) == '~')
		return json_is_string(have) &&
		       strstr(json_string_value(have), json_string_value(want) + 1);
	if (json_is_object(want)) {
		json_object_foreach((json_t *)(uintptr_t)want, key, each)
		{
			if (!contains(json_object_get(have, key), each))
				return false;
		}
		return json_is_object(have);
	}
	if (!json_is_array(want))
		return json_equal(have, want);
	if (json_array_size(have) != json_array_size(want))
		return false;
	json_array_foreach((json_t *)(uintptr_t)want, i, each)
	{
		if (!contains(json_array_get(have, i), each))
			return false;
	}
	return true;
}

static void expect(const json_t *reply, const char *text)
{
	AUTO(json_decref) json_t *want = json_loads(text, JSON_DECODE_ANY, NULL);
	AUTO(free) char *have = reply ? json_text(reply) : mem_strdup("nothing");

	if (!want)
		fail_msg("the test itself is no JSON: %s", text);
	if (!contains(reply, want))
		fail_msg("want %s\n in  %s", text, have);
}

/* --- one text in, at most one reply out --- */

static json_t *reply_to(struct mcp *m, const char *text, size_t len)
{
	struct mcp_call *calls = NULL;
	json_t *reply = NULL;
	size_t count = 0;
	bool batch = true;

	mcp_take_text(m, text, len, &calls, &count, &batch);
	assert_int_equal(count, 1);
	assert_false(batch);
	if (calls[0].row)
		mcp_finish(m, &calls[0], NULL, &(struct error){.message = "ran"});
	reply = json_incref(calls[0].reply);
	mcp_calls_free(calls, count);
	return reply;
}

static struct mcp *agreed(const char *revision)
{
	AUTO(free)
	char *text =
		mem_printf("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
			   "{\"protocolVersion\":\"%s\"}}",
			   revision);
	struct mcp *m = mcp_new();

	json_decref(reply_to(m, text, strlen(text)));
	assert_string_equal(mcp_revision(m), revision);
	return m;
}

/* clang-format off */
static const struct take_case {
	const char *name;
	const char *revision; /* agreed on before; NULL: nothing is */
	const char *text;
	const char *want; /* NULL: no reply */
} take_cases[] = {
	/* agreeing on a revision */
	{"2025-11-25", NULL, INIT("2025-11-25"), "{\"result\":{\"protocolVersion\":\"2025-11-25\",\"serverInfo\":{\"name\":\"belfry\",\"title\":\"~Belfry\"},\"instructions\":\"~`in`\"}}"},
	{"2025-06-18", NULL, INIT("2025-06-18"), "{\"result\":{\"protocolVersion\":\"2025-06-18\"}}"},
	{"2025-03-26", NULL, INIT("2025-03-26"), "{\"result\":{\"protocolVersion\":\"2025-03-26\"}}"},
	{"T27 the oldest", NULL, INIT("2024-11-05"), "{\"result\":{\"protocolVersion\":\"2024-11-05\"}}"},
	{"an older revision gets our newest", NULL, INIT("2024-10-07"), "{\"result\":{\"protocolVersion\":\"2025-11-25\"}}"},
	{"a revision nobody knows gets our newest", NULL, INIT("next year"), "{\"result\":{\"protocolVersion\":\"2025-11-25\"}}"},
	{"the stateless one is not agreed on", NULL, INIT("2026-07-28"), "{\"result\":{\"protocolVersion\":\"2025-11-25\"}}"},
	{"again", "2025-03-26", INIT("2025-06-18"), "{\"result\":{\"protocolVersion\":\"2025-06-18\"}}"},
	{"no revision at all", NULL, ASK("initialize", "{}"), ERROR(-32602)},
	{"T26 what we can", NULL, INIT("2025-11-25"), "{\"result\":{\"capabilities\":{\"tools\":{\"listChanged\":false},\"resources\":\"!\",\"prompts\":\"!\",\"logging\":{}}}}"},

	/* before that */
	{"an unknown method, before anything else", NULL, ASK("no/such", "{}"), "{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"~no/such\"}}"},
	{"ping", NULL, ASK("ping", "{}"), "{\"id\":1,\"result\":{}}"},
	{"tools too early", NULL, ASK("tools/list", "{}"), "{\"error\":{\"code\":-32602,\"message\":\"~initialize\"}}"},
	{"a call too early", NULL, ASK("tools/call", "{\"name\":\"reminder\"}"), ERROR(-32602)},

	/* 2026-07-28 */
	{"discover", NULL, ASK("server/discover", "{" MODERN "}"), "{\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"],"
		"\"capabilities\":{\"tools\":{},\"resources\":\"!\",\"logging\":\"!\"},\"instructions\":\"~`in`\",\"ttlMs\":300000,\"cacheScope\":\"private\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"belfry\"}}}}"},
	{"discover as Claude Code asks", NULL, "{\"jsonrpc\":\"2.0\",\"id\":\"server-discover-probe\",\"method\":\"server/discover\",\"params\":{" MODERN "}}", "{\"id\":\"server-discover-probe\",\"result\":{\"resultType\":\"complete\"}}"},
	{"discover without _meta", NULL, ASK("server/discover", "{}"), ERROR(-32602)},
	{"discover without params", NULL, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}", ERROR(-32602)},
	{"discover without capabilities", NULL, ASK("server/discover", "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"), "{\"error\":{\"code\":-32602,\"message\":\"~clientCapabilities\"}}"},
	{"discover in another revision", NULL, ASK("server/discover", "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"v999\"}}"), "{\"error\":{\"code\":-32022,\"data\":{\"requested\":\"v999\",\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"]}}}"},
	{"a revision that is no text", NULL, ASK("tools/list", "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7}}"), ERROR(-32602)},
	{"_meta that is no object", NULL, ASK("tools/list", "{\"_meta\":[]}"), ERROR(-32602)},
	{"tools, standing alone", NULL, ASK("tools/list", "{" MODERN "}"), "{\"result\":{\"resultType\":\"complete\",\"ttlMs\":300000}}"},
	{"a call, standing alone", NULL, ASK("tools/call", "{\"name\":\"reminder\"," MODERN "}"), "{\"result\":{\"resultType\":\"complete\",\"isError\":true}}"},
	{"standing alone beside a session", "2025-03-26", ASK("tools/list", "{" MODERN "}"), "{\"result\":{\"resultType\":\"complete\"}}"},
	{"initialize is gone", NULL, ASK("initialize", "{\"protocolVersion\":\"2026-07-28\"," MODERN "}"), ERROR(-32601)},
	{"ping is gone", NULL, ASK("ping", "{" MODERN "}"), ERROR(-32601)},
	{"setLevel is gone", NULL, ASK("logging/setLevel", "{\"level\":\"info\"," MODERN "}"), ERROR(-32601)},
	{"subscribe is gone", NULL, ASK("resources/subscribe", "{\"uri\":\"a:b\"," MODERN "}"), ERROR(-32601)},
	{"nothing to listen to", NULL, ASK("subscriptions/listen", "{\"notifications\":{}," MODERN "}"), ERROR(-32601)},
	{"an agreed revision in _meta", NULL, ASK("tools/list", "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2025-06-18\"}}"), "{\"id\":1,\"result\":{}}"},
	{"no such resource, since", NULL, ASK("resources/read", "{\"uri\":\"test://x\"," MODERN "}"), "{\"error\":{\"code\":-32602,\"data\":{\"uri\":\"test://x\"}}}"},

	/* what clients list first */
	{"resources", "2025-11-25", ASK("resources/list", "{}"), "{\"result\":{\"resources\":[]}}"},
	{"templates", "2025-11-25", ASK("resources/templates/list", "{}"), "{\"result\":{\"resourceTemplates\":[]}}"},
	{"prompts", "2025-11-25", ASK("prompts/list", "{}"), "{\"result\":{\"prompts\":[]}}"},
	{"prompts, params null", "2025-11-25", ASK("prompts/list", "null"), "{\"result\":{\"prompts\":[]}}"},
	{"subscribe", "2025-11-25", ASK("resources/subscribe", "{\"uri\":\"test://x\"}"), "{\"id\":1,\"result\":{}}"},
	{"unsubscribe", "2025-11-25", ASK("resources/unsubscribe", "{\"uri\":\"test://x\"}"), "{\"id\":1,\"result\":{}}"},
	{"subscribe to nothing", "2025-11-25", ASK("resources/subscribe", "{}"), ERROR(-32602)},
	{"no such resource", "2025-11-25", ASK("resources/read", "{\"uri\":\"test://x\"}"), "{\"error\":{\"code\":-32002,\"data\":{\"uri\":\"test://x\"}}}"},
	{"no such prompt", "2025-11-25", ASK("prompts/get", "{\"name\":\"p\"}"), ERROR(-32602)},
	{"a level", "2025-11-25", ASK("logging/setLevel", "{\"level\":\"notice\"}"), "{\"id\":1,\"result\":{}}"},
	{"no such level", "2025-11-25", ASK("logging/setLevel", "{\"level\":\"loud\"}"), ERROR(-32602)},
	{"completion is not ours", "2025-11-25", ASK("completion/complete", "{}"), ERROR(-32601)},
	{"a cursor that nobody gave", "2025-11-25", ASK("tools/list", "{\"cursor\":\"x\"}"), "{\"error\":{\"code\":-32602,\"message\":\"~cursor\"}}"},
	{"a cursor that is null", "2025-11-25", ASK("prompts/list", "{\"cursor\":null}"), "{\"result\":{\"prompts\":[]}}"},

	/* calls that are none */
	{"no such tool", "2025-11-25", ASK("tools/call", "{\"name\":\"conquer_the_world\"}"), "{\"error\":{\"code\":-32602,\"message\":\"~Unknown tool: conquer_the_world\"}}"},
	{"nearly a tool", "2025-11-25", ASK("tools/call", "{\"name\":\"remindr\"}"), "{\"error\":{\"code\":-32602,\"message\":\"~did you mean 'reminder'\"}}"},
	{"a row that is no tool", "2025-11-25", ASK("tools/call", "{\"name\":\"daemon stop\"}"), ERROR(-32602)},
	{"no name", "2025-11-25", ASK("tools/call", "{}"), ERROR(-32602)},
	{"a name that is a number", "2025-11-25", ASK("tools/call", "{\"name\":5}"), ERROR(-32602)},
	{"arguments that are a list", "2025-11-25", ASK("tools/call", "{\"name\":\"reminder\",\"arguments\":[]}"), ERROR(-32602)},
	{"arguments that are a text", "2025-11-25", ASK("tools/call", "{\"name\":\"reminder\",\"arguments\":\"{}\"}"), ERROR(-32602)},
	{"params by position", "2025-11-25", ASK("tools/call", "[1]"), ERROR(-32602)},

	/* messages that are none */
	{"no JSON", "2025-11-25", "nope", ERROR_NULL(-32700)},
	{"nothing", "2025-11-25", "", ERROR_NULL(-32700)},
	{"half of it", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1,", ERROR(-32700)},
	{"T22 a number too big in it", "2025-11-25", ASK("tools/call", "{\"name\":\"schedule_list\",\"arguments\":{\"id\":\"x\",\"limit\":99999999999999999999}}"), ERROR(-32700)},
	{"T22 an id of text", "2025-11-25", "{\"method\":\"x\\\"id\\\":3,\", \"id\" : \"a\\\"b\" , \"params\":[1e999]}", "{\"id\":\"a\\\"b\",\"error\":{\"code\":-32700}}"},
	{"T22 the id of another", "2025-11-25", "{\"params\":{\"id\":1},\"x\"", ERROR_NULL(-32700)},
	{"T22 half an id", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1", ERROR_NULL(-32700)},
	{"T22 an id that is none", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":[1],", ERROR_NULL(-32700)},
	{"two at once", "2025-11-25", "{} {}", ERROR_NULL(-32700)},
	{"a key twice", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", "{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"~duplicate\"}}"},
	{"bytes that are no characters", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", ERROR(-32700)},
	{"a number too big", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"method\":\"ping\"}", ERROR_NULL(-32700)},
	{"a text alone", "2025-11-25", "\"ping\"", ERROR_NULL(-32600)},
	{"null", "2025-11-25", "null", ERROR_NULL(-32600)},
	{"an empty object", "2025-11-25", "{}", ERROR_NULL(-32600)},
	{"no version", "2025-11-25", "{\"id\":1,\"method\":\"ping\"}", ERROR(-32600)},
	{"version 1", "2025-11-25", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", ERROR(-32600)},
	{"no method", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1}", ERROR(-32600)},
	{"a method that is a number", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", ERROR(-32600)},
	{"a NUL in an argument, with the id", "2025-11-25", ASK("tools/call", "{\"name\":\"reminder\",\"arguments\":{\"message\":\"a\\u0000b\"}}"), "{\"id\":1,\"error\":{\"code\":-32600,\"message\":\"~NUL\"}}"},
	{"a NUL in a key", "2025-11-25", ASK("tools/call", "{\"name\":\"reminder\",\"arguments\":{\"a\\u0000b\":1}}"), ERROR(-32700)},

	/* ids */
	{"an id of text", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":\"a b\",\"method\":\"ping\"}", "{\"id\":\"a b\",\"result\":{}}"},
	{"an empty id", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\"}", "{\"id\":\"\",\"result\":{}}"},
	{"an id below zero", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":-5,\"method\":\"ping\"}", "{\"id\":-5,\"result\":{}}"},
	{"a whole id with a point", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}", "{\"id\":1.0,\"result\":{}}"},
	{"half an id", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", ERROR_NULL(-32600)},
	{"an id that is null", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", ERROR_NULL(-32600)},
	{"an id that is an object", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", ERROR_NULL(-32600)},
	{"an id that is true", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", ERROR_NULL(-32600)},

	/* what gets no reply */
	{"initialized", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", NULL},
	{"cancelled", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":4}}", NULL},
	{"an unknown notification", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}", NULL},
	{"a notification too early", NULL, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", NULL},
	{"a response to nothing", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}", NULL},
	{"an error to nothing", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"x\"}}", NULL},
	{"a call without an id is not carried out", "2025-11-25", "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"reminder\"}}", NULL},

	/* batches, elsewhere */
	{"a batch in 2025-06-18", "2025-06-18", "[" ASK("ping", "{}") "]", ERROR_NULL(-32600)},
	{"a batch before anything", NULL, "[" ASK("ping", "{}") "]", ERROR_NULL(-32600)},
	{"an empty batch", "2025-03-26", "[]", ERROR_NULL(-32600)},
};
/* clang-format on */

static void test_take(void **state)
{
	const struct take_case *c = *state;
	AUTO(mcp_free) struct mcp *m = c->revision ? agreed(c->revision) : mcp_new();
	AUTO(json_decref) json_t *reply = reply_to(m, c->text, strlen(c->text));

	if (c->want)
		expect(reply, c->want);
	else
		assert_null(reply);
}

/* --- sizes --- */

static json_t *reply_to_nested(unsigned levels)
{
	AUTO(mcp_free) struct mcp *m = agreed("2025-11-25");
	AUTO_BUF struct buf text = {0};

	/* the message, params, arguments, and so many lists */
	buf_add_str(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
			   "{\"name\":\"reminder\",\"arguments\":{\"a\":");
	for (unsigned i = 0; i < levels; i++)
		buf_add_char(&text, '[');
	for (unsigned i = 0; i < levels; i++)
		buf_add_char(&text, ']');
	buf_add_str(&text, "}}}");
	return reply_to(m, text.data, text.len);
}

static void test_depth(void **state)
{
	AUTO(json_decref) json_t *most = reply_to_nested(MCP_DEPTH_MAX - 3);
	AUTO(json_decref) json_t *more = reply_to_nested(MCP_DEPTH_MAX - 2);
	AUTO(json_decref) json_t *absurd = reply_to_nested(1000000);

	(void)state;
	expect(most, "{\"id\":1,\"result\":{\"isError\":true}}");
	expect(more, "{\"id\":1,\"error\":{\"code\":-32600,\"message\":\"~64 levels\"}}");
	expect(absurd, "{\"id\":1,\"error\":{\"code\":-32700,\"message\":\"~depth\"}}");
}

static json_t *reply_to_size(size_t size)
{
	static const char start[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
		"{\"name\":\"reminder\",\"arguments\":{\"message\":\"";
	static const char end[] = "\"}}}";
	AUTO(mcp_free) struct mcp *m = agreed("2025-11-25");
	AUTO_BUF struct buf text = {0};

	buf_add_str(&text, start);
	while (text.len + strlen(end) < size)
		buf_add_char(&text, 'x');
	buf_add_str(&text, end);
	return reply_to(m, text.data, text.len);
}

static void test_size(void **state)
{
	AUTO(json_decref) json_t *most = reply_to_size(MCP_MESSAGE_MAX);
	AUTO(json_decref) json_t *more = reply_to_size(MCP_MESSAGE_MAX + 1);

	(void)state;
	expect(most, "{\"id\":1,\"result\":{\"isError\":true}}");
	expect(more, "{\"id\":null,\"error\":{\"code\":-32600,\"message\":\"~4 MiB\"}}");
}

/* --- batches --- */

static void test_batch(void **state)
{
	static const char text[] = "[" ASK(
		"ping",
		"{}") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
		      "7," ASK("tools/call",
			       "{\"name\":\"reminder\",\"arguments\":{\"action\":\"list\"}}") "]";
	AUTO(mcp_free) struct mcp *m = agreed("2025-03-26");
	struct mcp_call *calls = NULL;
	size_t count = 0;
	bool batch = false;

	(void)state;
	mcp_take_text(m, text, strlen(text), &calls, &count, &batch);
	assert_true(batch);
	assert_int_equal(count, 4);
	expect(calls[0].reply, "{\"id\":1,\"result\":{}}");
	assert_null(calls[1].reply);
	expect(calls[2].reply, ERROR_NULL(-32600));
	assert_null(calls[3].reply);
	assert_ptr_equal(calls[3].row, request_find_tool("reminder"));
	expect(calls[3].args, "{\"action\":\"list\"}");
	mcp_calls_free(calls, count);
}

static void test_big_batch(void **state)
{
	AUTO(mcp_free) struct mcp *m = agreed("2025-03-26");
	AUTO_BUF struct buf text = {0};
	AUTO(json_decref) json_t *reply = NULL;

	(void)state;
	for (int i = 0; i <= MCP_BATCH_MAX; i++)
		buf_printf(&text, "%c%s", i ? ',' : '[', ASK("ping", "{}"));
	buf_add_char(&text, ']');
	reply = reply_to(m, text.data, text.len);
	expect(reply, ERROR_NULL(-32600));
}

/* --- tools --- */

static json_t *tools_of(const char *revision)
{
	AUTO(mcp_free) struct mcp *m = agreed(revision);
	static const char text[] = ASK("tools/list", "{}");
	AUTO(json_decref) json_t *reply = reply_to(m, text, strlen(text));

	return json_incref(json_object_get(json_object_get(reply, "result"), "tools"));
}

static void check_tool(const json_t *tool)
{
	const char *name = json_string_value(json_object_get(tool, "name"));
	const struct request_row *row = request_find_tool(name);
	const json_t *input = json_object_get(tool, "inputSchema");
	const json_t *properties = json_object_get(input, "properties");
	size_t count = 0;

	assert_non_null(row);
	assert_true(*json_string_value(json_object_get(tool, "description")));
	expect(input, "{\"type\":\"object\",\"additionalProperties\":false}");
	for (const struct request_arg *arg = row->args; arg->name; arg++) {
		AUTO(free) char *key = mem_strdup(arg->name);
		const json_t *property;

		for (char *p = key; *p; p++)
			*p = *p == '-' ? '_' : *p;
		property = json_object_get(properties, key);
		if (arg->for_people) {
			assert_null(property);
			continue;
		}
		count++;
		if (!json_is_object(property))
			fail_msg("tool '%s': argument '%s' has no schema", name, key);
		if (arg->type == ARG_CHOICE)
			assert_true(json_array_size(json_object_get(property, "enum")) > 0);
		if (arg->type == ARG_LIST)
			expect(property, "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\","
					 "\"items\":{\"type\":\"string\"}}]}");
	}
	assert_int_equal(json_object_size(properties), count);
}

static void test_tools(void **state)
{
	AUTO(json_decref) json_t *tools = tools_of("2025-11-25");
	const json_t *tool;
	size_t i;

	(void)state;
	assert_true(json_array_size(tools) >= 16);
	json_array_foreach(tools, i, tool)
	{
		check_tool(tool);
		/* a mistake in the text of a row's output schema shows here */
		expect(tool, "{\"title\":\"~\",\"outputSchema\":{\"type\":\"object\","
			     "\"properties\":{\"summary\":{\"type\":\"string\"}}},"
			     "\"annotations\":{\"title\":\"~\"}}");
		assert_true(json_is_boolean(
			json_object_get(json_object_get(tool, "annotations"), "destructiveHint")));
	}
}

static void test_old_tools(void **state)
{
	AUTO(json_decref) json_t *tools = tools_of("2025-03-26");
	const json_t *tool;
	size_t i;

	(void)state;
	json_array_foreach(tools, i, tool)
	{
		check_tool(tool);
		assert_null(json_object_get(tool, "outputSchema"));
		assert_null(json_object_get(tool, "title"));
		expect(tool, "{\"annotations\":{\"title\":\"~\"}}");
	}
}

/* --- answers, by a tool of our own --- */

static void say_hello(const json_t *result, struct buf *out)
{
	buf_printf(out, "hello %s", json_string_value(json_object_get(result, "who")));
}

static const struct request_row hello = {
	.name = "tool hello",
	.args = (const struct request_arg[]){{0}},
	.tool = &(const struct request_tool){.name = "hello", .say = say_hello},
};

static json_t *answer_in(const char *revision, const char *result, const struct error *err)
{
	AUTO(json_decref) json_t *value = result ? json_loads(result, 0, NULL) : NULL;
	AUTO_MCP_CALL struct mcp_call c = {.id = json_integer(1), .row = &hello};
	AUTO(mcp_free) struct mcp *m = mcp_new();

	snprintf(c.revision, sizeof(c.revision), "%s", revision);
	mcp_finish(m, &c, value, err);
	return json_incref(c.reply);
}

static void test_answer(void **state)
{
	AUTO(json_decref) json_t *new = answer_in("2025-06-18", "{\"who\":\"you\"}", NULL);
	AUTO(json_decref) json_t *old = answer_in("2025-03-26", "{\"who\":\"you\"}", NULL);

	(void)state;
	expect(new,
	       "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello you\"}],"
	       "\"structuredContent\":{\"who\":\"you\",\"summary\":\"hello "
	       "you\"},\"isError\":false}}");
	expect(old, "{\"result\":{\"content\":[{\"text\":\"hello you\"}]}}");
	assert_null(json_object_get(json_object_get(old, "result"), "structuredContent"));
}

/* Words that are long are not told twice, and a summary that is there stays. */
static void test_summary(void **state)
{
	AUTO(free) char *who = mem_zalloc(3001);
	AUTO(json_decref) json_t *value = NULL;
	AUTO(free) char *result = NULL;
	AUTO(json_decref)
	json_t *own = answer_in("2025-11-25", "{\"who\":\"you\",\"summary\":\"own\"}", NULL);
	AUTO(json_decref) json_t *reply = NULL;
	const char *summary;

	(void)state;
	expect(own, "{\"result\":{\"content\":[{\"text\":\"hello you\"}],"
		    "\"structuredContent\":{\"summary\":\"own\"}}}");
	memset(who, 'x', 3000);
	result = mem_printf("{\"who\":\"%s\"}", who);
	reply = answer_in("2025-11-25", result, NULL);
	value = json_incref(json_object_get(json_object_get(reply, "result"), "structuredContent"));
	summary = json_string_value(json_object_get(value, "summary"));
	assert_int_equal(strlen(summary), 2000 + strlen("…"));
	expect(value, "{\"summary\":\"~x…\"}");
}

static void test_refusal(void **state)
{
	struct error err = {.code = ERR_INVALID, .message = "no time", .hint = "say when"};
	struct error cut = {.code = ERR_INVALID, .message = "no reminder '\xc3"};
	AUTO(json_decref) json_t *reply = answer_in("2025-11-25", NULL, &err);
	AUTO(json_decref) json_t *mended = answer_in("2025-11-25", NULL, &cut);

	(void)state;
	expect(reply,
	       "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no time\\nsay when\"}],"
	       "\"isError\":true}}");
	assert_null(json_object_get(json_object_get(reply, "result"), "structuredContent"));
	expect(mended, "{\"result\":{\"content\":[{\"text\":\"no reminder '?\"}]}}");
}

int main(void)
{
	add_table(test_take, take_cases);
	add_row("depth", test_depth, NULL);
	add_row("size", test_size, NULL);
	add_row("a batch", test_batch, NULL);
	add_row("a batch too big", test_big_batch, NULL);
	add_row("every tool has its schemas", test_tools, NULL);
	add_row("tools as 2025-03-26 knows them", test_old_tools, NULL);
	add_row("an answer", test_answer, NULL);
	add_row("a summary", test_summary, NULL);
	add_row("a refusal", test_refusal, NULL);
	return run_rows("mcp");
}
