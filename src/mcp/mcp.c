/*
 * mcp.c: the protocol's messages.
 * A message is looked at in a fixed order: is it one that can be trusted (depth, NUL), is it a request (an id,
 * a method), do we know the method, in which revision is it asked, and may it be asked now. The first
 * objection is the reply. Unknown methods come before everything about revisions: clients find out what a
 * server speaks by asking for what older ones do not know, and wait for the refusal.
 *
 * Ids are strings or whole numbers, also when written as 1.0; null is none. What has no id gets no
 * reply, and is not carried out if it should have had one: nobody would learn of it.
 */
#include "mcp/mcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/parts.h"

#define META_REVISION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define CACHE_MS 300000 /* what is told of ourselves changes only with another version of us */

/* --- a connection --- */

struct mcp *mcp_new(void)
{
	return mem_zalloc(sizeof(struct mcp));
}

void mcp_free(struct mcp *m)
{
	free(m);
}

const char *mcp_revision(const struct mcp *m)
{
	return m->revision ? m->revision->name : NULL;
}

void mcp_call_fini(struct mcp_call *c)
{
	json_decref(c->id);
	json_decref(c->args);
	json_decref(c->reply);
	*c = (struct mcp_call){0};
}

void mcp_calls_free(struct mcp_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mcp_call_fini(&calls[i]);
	free(calls);
}

/* --- in which revision --- */

static void unknown_revision(const char *asked, struct mcp_call *c)
{
	json_t *data = json_object();

	json_put(data, "supported", revision_names());
	json_put(data, "requested", json_string(asked));
	reply_error(c, MCP_UNKNOWN_REVISION, data, "Unsupported protocol version: %.32s", asked);
}

static void use_revision(struct mcp_call *c, const struct revision *r)
{
	snprintf(c->revision, sizeof(c->revision), "%s", r->name);
}

/* By what the request says of itself. */
static bool choose_by_meta(const json_t *meta, struct mcp_call *c)
{
	const json_t *asked = json_object_get(meta, META_REVISION);
	const struct revision *r;

	if (!json_is_string(asked)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL, "_meta: '%s' must be a string",
			    META_REVISION);
		return false;
	}
	r = revision_find(json_string_value(asked));
	if (!r) {
		unknown_revision(json_string_value(asked), c);
		return false;
	}
	use_revision(c, r);
	if ((r->flags & REVISION_STATELESS) &&
	    !json_is_object(json_object_get(meta, META_CAPABILITIES))) {
		reply_error(c, MCP_INVALID_PARAMS, NULL, "_meta: '%s' must be an object",
			    META_CAPABILITIES);
		return false;
	}
	return true;
}

/* By what was agreed on. */
static bool choose_by_connection(const struct mcp *m, const struct method *method,
				 struct mcp_call *c)
{
	if (!(method->flags & AGREED)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL, "%s: '_meta' must say '%s'", method->name,
			    META_REVISION);
		return false;
	}
	if (!m->revision && !(method->flags & EARLY)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL,
			    "%s comes after 'initialize', or says '%s' in '_meta'", method->name,
			    META_REVISION);
		return false;
	}
	return true;
}

static bool choose_revision(const struct mcp *m, const struct method *method, const json_t *params,
			    struct mcp_call *c)
{
	const json_t *meta = json_object_get(params, "_meta");

	if (meta && !json_is_object(meta)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL, "'_meta' must be an object");
		return false;
	}
	if (!json_object_get(meta, META_REVISION))
		return choose_by_connection(m, method, c);
	if (!choose_by_meta(meta, c))
		return false;
	if ((revision_of(c)->flags & REVISION_STATELESS) && !(method->flags & STATELESS)) {
		reply_error(c, MCP_UNKNOWN_METHOD, NULL, "Method not found: %s is not of %s",
			    method->name, c->revision);
		return false;
	}
	return true;
}

/* --- one message --- */

static void add_cache(struct mcp_call *c)
{
	json_t *result = json_object_get(c->reply, "result");

	if (!result)
		return;
	json_put_int(result, "ttlMs", CACHE_MS);
	json_put_text(result, "cacheScope", "private");
}

static void run_method(struct mcp *m, const char *name, const json_t *params, struct mcp_call *c)
{
	const struct method *method = method_find(name);
	const json_t *cursor = json_object_get(params, "cursor");

	if (!method) {
		reply_error(c, MCP_UNKNOWN_METHOD, NULL, "Method not found: %.64s", name);
		return;
	}
	if (params && !json_is_object(params)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL, "%s: 'params' must be an object", name);
		return;
	}
	if (!choose_revision(m, method, params, c))
		return;
	if ((method->flags & PAGED) && cursor && !json_is_null(cursor)) {
		reply_error(c, MCP_INVALID_PARAMS, NULL,
			    "%s: no such 'cursor': the list has one page", name);
		return;
	}
	method->run(m, params, c);
	if ((method->flags & CACHED) && (revision_of(c)->flags & REVISION_STATELESS))
		add_cache(c);
}

static bool is_id(const json_t *id)
{
	double whole;

	return json_is_string(id) || json_is_integer(id) ||
	       (json_is_real(id) && modf(json_real_value(id), &whole) == 0.0);
}

static const char *find_harm(const json_t *value, unsigned depth);

static const char *find_harm_inside(const json_t *value, unsigned depth)
{
	const char *key, *harm = NULL;
	json_t *all = (json_t *)(uintptr_t)value, *each;
	size_t i;

	if (depth > MCP_DEPTH_MAX)
		return "nested too deeply: at most 64 levels";
	json_array_foreach(all, i, each)
	{
		if ((harm = find_harm(each, depth)))
			return harm;
	}
	json_object_foreach(all, key, each)
	{
		if ((harm = find_harm(each, depth)))
			return harm;
	}
	return NULL;
}

/* What nothing below here is prepared for: too many levels, or a NUL inside of a text. */
static const char *find_harm(const json_t *value, unsigned depth)
{
	if (json_is_string(value) && strlen(json_string_value(value)) != json_string_length(value))
		return "a text with a NUL character (\\u0000) in it";
	if (json_is_object(value) || json_is_array(value))
		return find_harm_inside(value, depth + 1);
	return NULL;
}

/* Whether it is one of requests and notifications; else what is wrong with it has been said. */
static bool is_request(const json_t *message, struct mcp_call *c)
{
	const json_t *id = json_object_get(message, "id");
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));
	const char *wrong = find_harm(message, 0);

	if (is_id(id))
		c->id = json_incref((json_t *)(uintptr_t)id);
	if (!wrong && !json_is_object(message))
		wrong = "a message must be a JSON object";
	if (!wrong && id && !c->id)
		wrong = "'id' must be a string or a whole number";
	if (!wrong && (!version || strcmp(version, "2.0") != 0))
		wrong = "'jsonrpc' must be \"2.0\"";
	if (!wrong && !json_is_string(json_object_get(message, "method")))
		wrong = "'method' must be a string";
	if (wrong)
		reply_error(c, MCP_INVALID_REQUEST, NULL, "Invalid request: %s", wrong);
	return !wrong;
}

/* We ask nothing, so these answer nobody; but an objection to them would be answered in turn. */
static bool is_response(const json_t *message)
{
	return json_is_object(message) && !json_object_get(message, "method") &&
	       (json_object_get(message, "result") || json_object_get(message, "error"));
}

void mcp_take(struct mcp *m, const json_t *message, struct mcp_call *ret)
{
	const json_t *params = json_object_get(message, "params");

	*ret = (struct mcp_call){0};
	use_revision(ret, m->revision ? m->revision : revision_newest_agreed());
	if (is_response(message) || !is_request(message, ret) || !ret->id)
		return;
	run_method(m, json_string_value(json_object_get(message, "method")),
		   json_is_null(params) ? NULL : params, ret);
}
