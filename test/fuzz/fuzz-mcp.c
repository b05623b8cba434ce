/*
 * fuzz-mcp.c: any lines are messages of the protocol, and get at most one reply each, which is a good one.
 * Each input is lines, as `belfry mcp` takes them, on one connection. Half of the calls succeed.
 */
#include <string.h>

#include "base/json.h"
#include "fuzz.h"
#include "mcp/mcp.h"

static void check_reply(const struct mcp_call *c)
{
	AUTO_BUF struct buf line = {0};
	AUTO(json_decref) json_t *again = NULL;
	const json_t *error = json_object_get(c->reply, "error");
	struct error err = {0};

	json_add(c->reply, &line);
	FUZZ_CHECK(!memchr(line.data, '\n', line.len));
	FUZZ_CHECK(json_is_string(json_object_get(c->reply, "jsonrpc")));
	FUZZ_CHECK(!error != !json_object_get(c->reply, "result"));
	FUZZ_CHECK(!error || json_integer_value(json_object_get(error, "code")) < -32000);
	FUZZ_CHECK(c->id ? json_equal(c->id, json_object_get(c->reply, "id"))
			 : json_is_null(json_object_get(c->reply, "id")));
	/* an id may hold a NUL, which comes back as it came */
	if (!json_is_string(c->id))
		FUZZ_CHECK(json_parse(line.data, line.len, &again, &err) == 0);
}

static void finish(const struct mcp *m, struct mcp_call *c, bool well)
{
	AUTO(json_decref) json_t *result = well ? json_object() : NULL;
	struct error err = {.code = ERR_INVALID, .message = "no \xff", .hint = "yes"};

	FUZZ_CHECK(c->id && c->row && (!c->reply || !c->row->tool) &&
		   (c->row->tool || (c->row->flags & REQUEST_ANYBODY)) && json_is_object(c->args));
	mcp_finish(m, c, result, &err);
	FUZZ_CHECK(c->reply);
}

static void take(struct mcp *m, const char *line, size_t len)
{
	struct mcp_call *calls = NULL;
	size_t count = 0;
	bool batch = false;

	mcp_take_text(m, line, len, &calls, &count, &batch);
	FUZZ_CHECK(count >= 1 && count <= MCP_BATCH_MAX && (batch || count == 1));
	for (size_t i = 0; i < count; i++) {
		FUZZ_CHECK(calls[i].revision[0]);
		if (calls[i].row)
			finish(m, &calls[i], (len + i) % 2);
		if (calls[i].reply)
			check_reply(&calls[i]);
	}
	mcp_calls_free(calls, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(mcp_free) struct mcp *m = mcp_new();
	const char *line = (const char *)data, *last = line + size;

	while (line < last) {
		const char *end = memchr(line, '\n', (size_t)(last - line));

		if (!end)
			end = last;
		take(m, line, (size_t)(end - line));
		line = end + 1;
	}
	return 0;
}
