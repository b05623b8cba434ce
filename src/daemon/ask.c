/*
 * ask.c: requests as lines of JSON, in and out.
 * A line that cannot be read still becomes an ask: it waits for its turn like the others, so that
 * replies leave in the order of the lines, which is all a client has to match them by.
 */
#include "daemon/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "request/caller.h"
#include "request/session.h"
#include "schedule/instant.h"

#define ROW_NAMES_MAX 256

static int unknown_request(const char *name, struct error *err)
{
	const char *names[ROW_NAMES_MAX], *nearest;
	size_t count = 0;

	for (; count < ROW_NAMES_MAX && request_rows[count]; count++)
		names[count] = request_rows[count]->name;
	error_set(err, ERR_NOT_FOUND, "there is no request '%.64s'", name);
	nearest = text_nearest(name, names, count);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(err, "belfry --help lists them");
}

static int find_row(const char *name, const struct request_row **ret, struct error *err)
{
	const struct request_row *row;

	if (!name)
		return error_set(err, ERR_INVALID, "'request' is missing");
	row = request_find(name);
	if (!row)
		return unknown_request(name, err);
	if ((row->flags & REQUEST_LOCAL) || !row->exec) {
		error_set(err, ERR_INVALID, "'%s' is not a request to the daemon", row->name);
		return error_hint(err, "run belfry %s", row->name);
	}
	*ret = row;
	return 0;
}

static int read_fields(struct ask *ask, const json_t *object)
{
	const char *name = NULL, *zone = NULL, *id = NULL, *store = NULL;
	json_t *args = json_object_get(object, "args");
	json_t *claim = json_object_get(object, "caller");
	int r;

	if (!json_is_object(object))
		return error_set(&ask->err, ERR_INVALID, "a request must be a JSON object");
	if ((r = json_get_text(object, "request", &name, &ask->err)) < 0 ||
	    (r = json_get_text(object, "zone", &zone, &ask->err)) < 0 ||
	    (r = json_get_text(object, "id", &id, &ask->err)) < 0 ||
	    (r = json_get_text(object, "store", &store, &ask->err)) < 0)
		return r;
	if (args && !json_is_null(args) && !json_is_object(args))
		return error_set(&ask->err, ERR_INVALID, "'args' must be an object");
	if (claim && !json_is_null(claim) && !json_is_object(claim))
		return error_set(&ask->err, ERR_INVALID, "'caller' must be an object");
	r = find_row(name, &ask->row, &ask->err);
	if (r < 0)
		return r;
	ask->args = json_is_object(args) ? json_incref(args) : NULL;
	ask->claim = json_is_object(claim) ? json_incref(claim) : NULL;
	ask->zone = mem_strdup(zone);
	ask->id = mem_strdup(id);
	ask->store = mem_strdup(store);
	return 0;
}

struct ask *ask_read(const char *line, size_t len)
{
	struct ask *ask = mem_zalloc(sizeof(*ask));
	AUTO(json_decref) json_t *object = NULL;

	ask->size = len;
	if (json_parse(line, len, &object, &ask->err) < 0 || read_fields(ask, object) < 0)
		ask->decided = true;
	return ask;
}

struct ask *ask_new(const char *name, json_t *args)
{
	struct ask *ask = mem_zalloc(sizeof(*ask));

	ask->args = args;
	if (find_row(name, &ask->row, &ask->err) < 0)
		ask->decided = true;
	return ask;
}

void ask_free(struct ask *ask)
{
	if (!ask)
		return;
	json_decref(ask->args);
	json_decref(ask->claim);
	json_decref(ask->result);
	free(ask->zone);
	free(ask->id);
	free(ask->store);
	free(ask);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

/* Whoever names a store means that one: what is done to another would be a surprise. A daemon can be stopped by any. */
static int check_store(const struct ask *ask, const char *url, struct error *err)
{
	AUTO(free) char *ours = NULL;

	if (!ask->store || !url || strcmp(ask->row->name, "daemon halt") == 0)
		return 0;
	ours = text_store_shown(url);
	if (strcmp(ours, ask->store) == 0 || same_file(ours, ask->store))
		return 0;
	error_set(err, ERR_CONFLICT,
		  "the daemon of this home uses the store '%s', and BELFRY_STORE names '%s'", ours,
		  ask->store);
	return error_hint(err,
			  "unset BELFRY_STORE; or, to use that store: belfry daemon stop; "
			  "belfry daemon start --switch-store; or give it its own BELFRY_HOME");
}

int ask_run(struct ask *ask, const struct request *rq)
{
	AUTO(json_decref) json_t *none = ask->args ? NULL : json_object();
	AUTO(json_decref) json_t *keep = NULL;
	struct request own = *rq;
	int r;

	/* A turn that is tried again starts from nothing. */
	json_decref(ask->result);
	ask->result = NULL;
	ask->err = (struct error){0};
	own.caller =
		(struct caller){.login = ask->user, .process = ask->process, .bound = ask->bound};
	own.zone = ask->zone;
	if ((r = check_store(ask, rq->store, &ask->err)) < 0)
		return r;
	r = caller_resolve(rq->engine, ask->claim, rq->now, &keep, &own.caller, &ask->err);
	if (r < 0 || (r = session_restrict(rq->engine, &own.caller, &ask->err)) < 0)
		return r;
	if (ask->row->flags & REQUEST_PURE)
		own.engine = NULL;
	r = request_run_once(ask->row, &own, ask->id, ask->args ? ask->args : none, &ask->result,
			     &ask->earlier, &ask->err);
	if (r == 0 && !ask->result)
		ask->result = json_null();
	return r;
}

void ask_fail(struct ask *ask, const struct error *err)
{
	json_decref(ask->result);
	ask->result = NULL;
	ask->err = *err;
}

static void add_line(const json_t *object, struct buf *out)
{
	json_add(object, out);
	buf_add_char(out, '\n');
}

/* Messages quote what the caller typed, cut at a byte: what is not UTF-8 must not stop a reply. */
static json_t *error_text(const char *text)
{
	json_t *value = json_string(text);
	AUTO(free) char *clean = NULL;

	if (value)
		return value;
	clean = mem_strdup(text);
	for (char *p = clean; *p; p++)
		if (*p & 0x80)
			*p = '?';
	return json_string(clean);
}

static json_t *error_reply(const struct error *err)
{
	json_t *reply = json_object(), *error = json_object();

	json_put_text(error, "code", error_word(err->code));
	json_put(error, "message", error_text(err->message));
	json_put(error, "hint", error_text(err->hint));
	json_put_bool(reply, "ok", false);
	json_put(reply, "error", error);
	return reply;
}

void ask_reply_error(const struct error *err, struct buf *out)
{
	AUTO(json_decref) json_t *reply = error_reply(err);

	add_line(reply, out);
}

void ask_reply(const struct ask *ask, struct buf *out)
{
	AUTO(json_decref) json_t *reply = NULL;

	reply = ask->result ? json_object() : error_reply(&ask->err);
	if (!ask->result && ask->away_since) {
		char since[INSTANT_TEXT_MAX];

		instant_format(ask->away_since, zone_utc(), since);
		json_put_text(json_object_get(reply, "error"), "since", since);
	}
	if (ask->result) {
		json_put_bool(reply, "ok", true);
		json_put(reply, "result", json_incref(ask->result));
	}
	if (ask->result && ask->earlier)
		json_put_bool(reply, "earlier", true);
	if (!ask->result && ask->again)
		json_put_bool(reply, "again", true);
	add_line(reply, out);
}
