#pragma once
/*
 * The Model Context Protocol, without a wire: JSON-RPC messages in, replies out. What a tool does is a
 * request (request.h), which whoever holds the wire has carried out: over the control socket by
 * `belfry mcp`, in a turn by the daemon's /mcp.
 *
 * Revisions 2025-11-25, 2025-06-18 and 2025-03-26 by `initialize`, and 2026-07-28, in which every request
 * stands alone and says its revision in `_meta`. One connection may carry both.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/json.h"
#include "request/request.h"

#define MCP_MESSAGE_MAX ((size_t)4 * 1024 * 1024)
#define MCP_DEPTH_MAX 64  /* arrays and objects inside each other, the message itself included */
#define MCP_BATCH_MAX 100 /* messages */

/* The numbers of errors. Of a tool that refuses there is none: that is a result, for the model. */
enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_UNKNOWN_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_NO_RESOURCE = -32002,      /* before 2026-07-28, where it is MCP_INVALID_PARAMS */
	MCP_HEADER_MISMATCH = -32020,  /* of HTTP, from 2026-07-28 on */
	MCP_UNKNOWN_REVISION = -32022, /* `_meta` names one that we do not speak */
};

struct mcp; /* one connection, or one session of HTTP: its revision, and how far it got */
struct mcp *mcp_new(void);
void mcp_free(struct mcp *m);
DEFINE_AUTO(struct mcp, mcp_free)
/* The revision that was agreed on, "2025-11-25"; NULL before that, and for whoever never asks. */
const char *mcp_revision(const struct mcp *m);
/* Whether this is a revision that we speak. */
bool mcp_knows_revision(const char *revision);
/* Whether requests of this revision stand alone (2026-07-28). */
bool mcp_is_stateless(const char *revision);

/* One message, on its way. */
struct mcp_call {
	json_t *id;		       /* owned; NULL: a notification, or it cannot be known */
	const struct request_row *row; /* to be run with `args`, then mcp_finish(); NULL: no need */
	json_t *args;		       /* owned */
	json_t *reply;	   /* owned; to be sent; NULL: nothing is, or not yet. With `row`: it is
					* made less by what that answers */
	char revision[16]; /* that it is answered in */
};
void mcp_call_fini(struct mcp_call *c);
#define AUTO_MCP_CALL __attribute__((cleanup(mcp_call_fini)))

/*
 * Take one message. What is no JSON, no request, or of an unknown method gets its error as `reply` at
 * once. Never fails. `message` is one of a batch, too.
 */
void mcp_take(struct mcp *m, const json_t *message, struct mcp_call *ret);
/* The same of a text that is to be one message, or (2025-03-26) a batch: *ret_count calls, at least one, which
 * the caller finishes one by one and then frees. *ret_batch: the replies are sent as one array, and nothing when
 * there are none. A text longer than MCP_MESSAGE_MAX is refused unread. */
void mcp_take_text(struct mcp *m, const char *text, size_t len, struct mcp_call **ret,
		   size_t *ret_count, bool *ret_batch);
void mcp_calls_free(struct mcp_call *calls, size_t count);

/* The request was carried out (result), or refused (result is NULL, and err says why): sets c->reply. */
void mcp_finish(const struct mcp *m, struct mcp_call *c, const json_t *result,
		const struct error *err);

/* An error as a whole reply. id NULL: null; takes `data`, which may be NULL. Any bytes do for `message`. */
json_t *mcp_error(const json_t *id, enum mcp_code code, const char *message, json_t *data);
