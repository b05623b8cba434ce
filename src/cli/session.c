/*
 * session.c: one way to ask, two ways to be answered.
 * A reading request whose answer was lost with its daemon is asked once more of the next one; a
 * writing one never is, since nobody knows whether it was saved.
 */
#include "cli/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/claim.h"
#include "cli/start.h"
#include "daemon/local.h"
#include "request/request.h"

struct answer {
	json_t *result; /* NULL: the error counts */
	struct error err;
};

struct session {
	const struct home *home;
	const char *zone;
	bool may_start;
	int answer_seconds; /* 0: as ever */
	json_t *claim;
	struct client *client; /* NULL: without a daemon */
	struct local *local;
	/* of a session without a daemon: answers that nobody received yet */
	struct answer answers[SESSION_IN_FLIGHT];
	size_t first, count;
};

static int connect_daemon(struct session *s, struct error *err)
{
	bool started;
	int r = s->may_start ? start_connect(s->home, &s->client, &started, err)
			     : client_connect(s->home, &s->client, err);

	if (r < 0)
		return r;
	if (s->client)
		client_claim(s->client, json_incref(s->claim));
	if (s->client && s->answer_seconds)
		client_limit(s->client, s->answer_seconds);
	return 0;
}

int session_open(const struct home *h, const char *zone, bool may_start, struct session **ret,
		 struct error *err)
{
	AUTO(session_free) struct session *s = mem_zalloc(sizeof(*s));
	int r;

	s->home = h;
	s->claim = claim_make("cli");
	s->zone = zone;
	s->may_start = may_start && !start_is_forbidden();
	r = connect_daemon(s, err);
	if (r == 0 && !s->client)
		r = local_open(h, &s->local, err);
	if (r < 0)
		return r;
	*ret = steal_ptr(&s);
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	client_free(s->client);
	if (s->local)
		local_close(s->local);
	for (size_t i = 0; i < SESSION_IN_FLIGHT; i++)
		json_decref(s->answers[i].result);
	json_decref(s->claim);
	free(s);
}

void session_claim(struct session *s, json_t *claim)
{
	json_decref(s->claim);
	s->claim = claim;
	if (s->client)
		client_claim(s->client, json_incref(claim));
}

void session_limit(struct session *s, int seconds)
{
	s->answer_seconds = seconds;
	if (s->client)
		client_limit(s->client, seconds);
}

bool session_is_usable(const struct session *s)
{
	return s->client && client_is_usable(s->client);
}

bool session_is_unsure(const struct session *s)
{
	return s->client && client_is_unsure(s->client);
}

void session_warn(const struct session *s)
{
	if (!s->client)
		fputs("belfry: warning: no daemon is running: saved, but nothing will fire until "
		      "one runs (belfry daemon start)\n",
		      stderr);
}

static void answer_here(struct session *s, const char *request, const json_t *args,
			struct answer *ret)
{
	const struct request_row *row = request_find(request);

	*ret = (struct answer){0};
	if (!row)
		error_set(&ret->err, ERR_NOT_FOUND, "unknown request '%s'", request);
	else
		local_ask(s->local, row, args, s->zone, s->claim, &ret->result, &ret->err);
}

int session_send(struct session *s, const char *request, const json_t *args, struct error *err)
{
	if (s->client)
		return client_send(s->client, request, args, s->zone, err);
	answer_here(s, request, args, &s->answers[(s->first + s->count++) % SESSION_IN_FLIGHT]);
	return 0;
}

int session_receive(struct session *s, json_t **ret, struct error *err)
{
	struct answer *a = &s->answers[s->first];

	if (s->client)
		return client_receive(s->client, ret, err);
	s->first = (s->first + 1) % SESSION_IN_FLIGHT;
	s->count--;
	if (!a->result) {
		*err = a->err;
		return err->code;
	}
	*ret = steal_ptr(&a->result);
	return 0;
}

static bool may_ask_again(const struct session *s, const char *request)
{
	const struct request_row *row = request_find(request);

	return s->client && client_was_lost(s->client) && row && (row->flags & REQUEST_READS);
}

static int ask_once(struct session *s, const char *request, const json_t *args, json_t **ret,
		    struct error *err)
{
	int r = session_send(s, request, args, err);

	return r < 0 ? r : session_receive(s, ret, err);
}

/* After `r`: the next daemon is asked the same, where that is allowed. */
static int or_ask_again(struct session *s, int r, const char *request, const json_t *args,
			json_t **ret, struct error *err)
{
	if (r == 0 || !may_ask_again(s, request))
		return r;
	client_free(s->client);
	s->client = NULL;
	r = connect_daemon(s, err);
	if (r == 0 && !s->client)
		r = local_open(s->home, &s->local, err);
	return r < 0 ? r : ask_once(s, request, args, ret, err);
}

int session_ask(struct session *s, const char *request, const json_t *args, json_t **ret,
		struct error *err)
{
	int r = ask_once(s, request, args, ret, err);

	return or_ask_again(s, r, request, args, ret, err);
}

/* The answer to what was sent ahead; `sent` is what became of that. */
static int receive_page(struct session *s, int sent, const char *request, const json_t *args,
			json_t **ret, struct error *err)
{
	int r = sent < 0 ? sent : session_receive(s, ret, err);

	return or_ask_again(s, r, request, args, ret, err);
}

/* The daemon makes the next page while this one is used. */
int session_ask_pages(struct session *s, const char *request, const json_t *args,
		      session_page *each, void *data, struct error *err)
{
	AUTO(json_decref) json_t *asked = json_copy((json_t *)(uintptr_t)args);
	int sent = session_send(s, request, asked, err), r;
	bool last = false;

	while (!last) {
		AUTO(json_decref) json_t *result = NULL;
		json_t *more;

		r = receive_page(s, sent, request, asked, &result, err);
		if (r < 0)
			return r;
		more = json_object_get(result, "more");
		last = !more || json_is_null(more);
		if (!last) {
			json_put(asked, "after", json_incref(more));
			sent = session_send(s, request, asked, err);
		}
		r = each(result, data, err);
		if (r < 0)
			return r;
	}
	return 0;
}
