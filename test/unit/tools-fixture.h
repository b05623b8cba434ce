#pragma once
/*
 * Tools as a client of MCP meets them: a real engine on a store, callers as the daemon works them out, and
 * every answer checked against the schema that its tool declares.
 */
#include "agent/order.h"
#include "engine/engine.h"
#include "request/caller.h"
#include "request/request.h"
#include "schedule/instant.h"
#include "store-fixture.h"

/* 2026-02-04T22:45:00Z: 2:45 PM in Los Angeles, on a Wednesday */
#define TOOLS_NOW ((usec_t)1770245100 * USEC_PER_SEC)

struct world {
	struct db *db;
	struct config *config;
	struct engine *engine;
	usec_t now;
	bool stopped; /* no daemon */
};

/* What came of a call: words and structure, or an error. */
struct reply {
	char *text;
	json_t *result;
	struct error err;
};

/* Inside a turn of its own; recovered, so that it may fire. */
void world_open(struct world *w, struct db *db, const char *yaml);
void world_close(struct world *w);
/* The program starts again on the same store. */
void world_restart(struct world *w);
/* It is that instant; whatever is due fires. *ret_order (NULL: not wanted) is that of the first run. */
void world_at(struct world *w, usec_t now, struct order **ret_order);

/*
 * `user` calls `tool`; the arguments are JSON with ' for ". More of the claim, like "'session': 'x'", may
 * follow the user after a space. What failed has left nothing behind.
 */
struct reply world_call(struct world *w, const char *user, const char *tool, const char *args);
void reply_fini(struct reply *r);
#define AUTO_REPLY __attribute__((cleanup(reply_fini)))

/* It worked, and its words contain `text`. */
void said(const struct reply *r, const char *text);
/* It was refused, and the message or the hint contains `text`. */
void refused(const struct reply *r, const char *text);
/* A text of the result; "" when null or missing. */
const char *of(const struct reply *r, const char *key);

/* The first place where a value is not what a schema (of the few words that tools use) says; NULL: none.
 * The caller frees. */
char *schema_mismatch(const json_t *schema, const json_t *value, const char *where);
