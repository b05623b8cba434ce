/*
 * text.c: the bytes of a message, or of a batch of them.
 * Texts with NUL are let through here, and refused later with the request's own id: a client that gets an
 * error without one does not know which of its calls it may stop waiting for. So the id of what is no JSON at
 * all is looked for, too.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/parts.h"

#define ID_MAX 256

static void refuse(enum mcp_code code, const char *message, struct mcp_call *ret)
{
	ret->reply = mcp_error(ret->id, code, message, NULL);
}

/* --- the id of what cannot be read --- */

/* Behind the string that begins at `p`, or NULL: it does not end. */
static const char *skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p < end ? p + 1 : NULL;
}

static const char *skip_blank(const char *p, const char *end)
{
	while (p < end && *p && strchr(" \t\r\n", *p))
		p++;
	return p;
}

/* A string or a whole number, and nothing else. */
static json_t *read_id(const char *p, const char *end)
{
	const char *from = p;
	json_t *id;

	if (p < end && *p == '"')
		p = skip_string(p, end);
	else
		while (p < end && *p && strchr("-0123456789", *p))
			p++;
	if (!p || p - from > ID_MAX)
		return NULL;
	id = json_loadb(from, (size_t)(p - from), JSON_DECODE_ANY, NULL);
	p = skip_blank(p, end);
	if (id && p < end && (*p == ',' || *p == '}'))
		return id;
	json_decref(id);
	return NULL;
}

/* The `id` of an object that is no good JSON: the one at its top, where there is exactly one. */
static json_t *find_id(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	json_t *id = NULL;
	int depth = 0;

	while (p < end) {
		if (*p != '"') {
			depth += *p == '{' || *p == '[';
			depth -= *p == '}' || *p == ']';
			p++;
			continue;
		}
		const char *key = p;

		p = skip_string(p, end);
		if (!p)
			break;
		if (depth != 1 || p - key != 4 || memcmp(key, "\"id\"", 4) != 0)
			continue;
		p = skip_blank(p, end);
		if (p == end || *p != ':')
			continue;
		if (id) {
			json_decref(id);
			return NULL;
		}
		id = read_id(skip_blank(p + 1, end), end);
	}
	return id;
}

static json_t *parse(const char *text, size_t len, struct mcp_call *ret)
{
	json_error_t why;
	json_t *value = json_loadb(text, len,
				   JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
	AUTO_BUF struct buf message = {0};

	if (value)
		return value;
	buf_printf(&message, "Parse error: bad JSON at line %d, column %d: %s", why.line,
		   why.column, why.text);
	ret->id = find_id(text, len);
	refuse(MCP_PARSE_ERROR, buf_text(&message), ret);
	return NULL;
}

/* Why these cannot be taken as a batch; NULL: they can. */
static const char *batch_objection(const struct mcp *m, const json_t *messages)
{
	if (!m->revision || !(m->revision->flags & REVISION_BATCHES))
		return "Invalid request: batches are only of revision 2025-03-26, after initialize";
	if (json_array_size(messages) == 0)
		return "Invalid request: an empty batch";
	if (json_array_size(messages) > MCP_BATCH_MAX)
		return "Invalid request: more than 100 messages in a batch";
	return NULL;
}

static void take_batch(struct mcp *m, const json_t *messages, struct mcp_call **ret,
		       size_t *ret_count, bool *ret_batch)
{
	const char *objection = batch_objection(m, messages);

	if (objection) {
		refuse(MCP_INVALID_REQUEST, objection, *ret);
		return;
	}
	free(*ret);
	*ret_count = json_array_size(messages);
	*ret = mem_array(*ret_count, sizeof(**ret));
	*ret_batch = true;
	for (size_t i = 0; i < *ret_count; i++)
		mcp_take(m, json_array_get(messages, i), *ret + i);
}

void mcp_take_text(struct mcp *m, const char *text, size_t len, struct mcp_call **ret,
		   size_t *ret_count, bool *ret_batch)
{
	AUTO(json_decref) json_t *value = NULL;

	*ret = mem_zalloc(sizeof(**ret));
	*ret_count = 1;
	*ret_batch = false;
	snprintf((*ret)->revision, sizeof((*ret)->revision), "%s",
		 (m->revision ? m->revision : revision_newest_agreed())->name);
	if (len > MCP_MESSAGE_MAX) {
		refuse(MCP_INVALID_REQUEST, "Invalid request: a message longer than 4 MiB", *ret);
		return;
	}
	value = parse(text, len, *ret);
	if (!value)
		return;
	if (json_is_array(value))
		take_batch(m, value, ret, ret_count, ret_batch);
	else
		mcp_take(m, value, *ret);
}
