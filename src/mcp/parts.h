#pragma once
/* What the files of the protocol share. */
#include "mcp/mcp.h"

enum revision_flags {
	REVISION_BATCHES = 1,	 /* several messages in one array */
	REVISION_STRUCTURED = 2, /* titles, outputSchema, structuredContent */
	REVISION_STATELESS = 4,	 /* no initialize: every request says all there is to know */
};
struct revision {
	const char *name;
	unsigned flags;
};
/* Newest first; ends with a NULL name. */
extern const struct revision revisions[];
const struct revision *revision_find(const char *name); /* NULL: not ours */
const struct revision *revision_of(const struct mcp_call *c);
const struct revision *revision_newest_agreed(void); /* of those that begin with `initialize` */
json_t *revision_names(void);

struct mcp {
	const struct revision *revision; /* NULL before `initialize` */
	char client[64];		 /* what the client calls itself; "" if it does not say */
};

/* Any bytes as a JSON string: errors quote what was sent, and are cut at a byte. */
json_t *reply_text(const char *text);
/* Set c->reply, if whoever sent it waits for one. Take `result`, `data`. */
void reply_result(struct mcp_call *c, json_t *result);
void reply_error(struct mcp_call *c, enum mcp_code code, json_t *data, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Who we are, as the revision knows it. */
json_t *reply_server(const struct revision *r);

/* methods.c */
enum method_flags {
	AGREED = 1,    /* of the revisions that begin with `initialize` */
	STATELESS = 2, /* of those in which requests stand alone */
	EARLY = 4,     /* may be asked before anything was agreed on */
	PAGED = 8,     /* a list: it takes a cursor */
	CACHED = 16,   /* where requests stand alone, it says how long it may be kept */
};
struct method {
	const char *name;
	void (*run)(struct mcp *m, const json_t *params, struct mcp_call *c);
	unsigned flags;
};
const struct method *method_find(const char *name);

/* tools.c */
void tools_list(const char *client, struct mcp_call *c);
void tools_call(const json_t *params, struct mcp_call *c);
/* schema.c: what a tool takes, as JSON Schema. */
json_t *schema_of(const struct request_row *row);
/* What it answers, with the `summary` that tools.c adds; NULL: the tool does not say. */
json_t *schema_of_answer(const struct request_tool *tool);
