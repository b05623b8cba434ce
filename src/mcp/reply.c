/* reply.c: what is sent back: results and errors. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/parts.h"

#define MESSAGE_MAX 512

json_t *reply_text(const char *text)
{
	size_t len = strlen(text);
	json_t *value = json_stringn(text, len);
	AUTO(free) char *mended = NULL;

	if (value)
		return value;
	mended = mem_strndup(text, len);
	text_mend_utf8(mended, len);
	return json_string(mended);
}

static json_t *frame(const json_t *id)
{
	json_t *reply = json_object();

	json_put_text(reply, "jsonrpc", "2.0");
	json_put(reply, "id", id ? json_incref((json_t *)(uintptr_t)id) : json_null());
	return reply;
}

json_t *mcp_error(const json_t *id, enum mcp_code code, const char *message, json_t *data)
{
	json_t *reply = frame(id), *error = json_object();

	json_put_int(error, "code", code);
	json_put(error, "message", reply_text(message));
	if (data)
		json_put(error, "data", data);
	json_put(reply, "error", error);
	return reply;
}

void reply_error(struct mcp_call *c, enum mcp_code code, json_t *data, const char *fmt, ...)
{
	char message[MESSAGE_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	json_decref(c->reply);
	c->reply = mcp_error(c->id, code, message, data);
}

json_t *reply_server(const struct revision *r)
{
	json_t *server = json_object();

	json_put_text(server, "name", "belfry");
	if (r->flags & REVISION_STRUCTURED)
		json_put_text(server, "title", "Belfry: clock and post office of agents");
	json_put_text(server, "version", BELFRY_VERSION);
	return server;
}

/* Where nothing was agreed on before, each result says what it is and whose. */
static void add_envelope(json_t *result, const struct revision *r)
{
	json_t *meta = json_object();

	json_put(meta, "io.modelcontextprotocol/serverInfo", reply_server(r));
	json_put_text(result, "resultType", "complete");
	json_put(result, "_meta", meta);
}

void reply_result(struct mcp_call *c, json_t *result)
{
	const struct revision *r = revision_of(c);

	if (r->flags & REVISION_STATELESS)
		add_envelope(result, r);
	json_decref(c->reply);
	c->reply = frame(c->id);
	json_put(c->reply, "result", result);
}
