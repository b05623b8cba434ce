#pragma once
/*
 * The Model Context Protocol, without a wire: JSON-RPC messages in, replies out. What a tool does is a
 * request (request.h), which whoever holds the wire has carried out: over the control socket by
 * `belfry mcp`, in a turn by the daemon's /mcp.
 *
 * Revisions 2025-11-25, 2025-06-18 and 2025-03-26 by `initialize`, and 2026-07-28, in which every request
 * stands alone and says its revision in `_meta`.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/json.h"
#include "request/request.h"

#define MCP_MESSAGE_MAX ((size_t)4 * 1024 * 1024)
#define MCP_DEPTH_MAX 64

struct mcp; /* one connection, or one session of HTTP: its revision, and how far it got */
struct mcp *mcp_new(void);
void mcp_free(struct mcp *m);
DEFINE_AUTO(struct mcp, mcp_free)
/* The revision that was agreed on, "2025-11-25"; NULL before that. */
const char *mcp_revision(const struct mcp *m);

/* One message, on its way. */
struct mcp_call {
	json_t *id;		       /* owned; NULL: a notification */
	const struct request_row *row; /* to be run with `args`, then mcp_finish(); NULL: no need */
	json_t *args;		       /* owned */
	json_t *reply;		       /* owned; to be sent; NULL: nothing is, or not yet */
	char revision[16];	       /* that it is answered in */
};
void mcp_call_fini(struct mcp_call *c);
#define AUTO_MCP_CALL __attribute__((cleanup(mcp_call_fini)))

/*
 * Take one message. What is no JSON, no request, or of an unknown method gets its error as `reply` at
 * once. Never fails. `message` is one of a batch, too.
 */
void mcp_take(struct mcp *m, const json_t *message, struct mcp_call *ret);
/* The same of a text that is to be one message, or (2025-03-26) a batch: *ret_count calls, which the caller
 * finishes one by one and then frees. *ret_batch: the replies are sent as one array. */
void mcp_take_text(struct mcp *m, const char *text, size_t len, struct mcp_call **ret,
		   size_t *ret_count, bool *ret_batch);

/* The request was carried out (result), or refused (err): sets c->reply. */
void mcp_finish(const struct mcp *m, struct mcp_call *c, const json_t *result,
		const struct error *err);
