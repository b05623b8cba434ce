/*
 * session.c: one way to ask, two ways to be answered.
 * A request whose answer was lost with its daemon is asked again of the next one, for some seconds. One that
 * changes something has an id, by which it is done once (request_run_once()). When even that leads to no
 * answer, the id is remembered (unsure.h): the same request again is still the same.
 */
#include "cli/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/random.h"
#include "cli/claim.h"
#include "cli/start.h"
#include "cli/unsure.h"
#include "daemon/local.h"
#include "request/request.h"

#define AGAIN_USEC (10 * USEC_PER_SEC)
#define PAUSE_MS_FIRST 10
#define PAUSE_MS_MOST 200
#define ID_RANDOM 16

struct answer {
	json_t *result; /* NULL: the error counts */
	bool earlier;	/* of an earlier time the same was asked */
	struct error err;
};

struct question {
	const char *request, *id; /* id NULL: it changes nothing */
	const json_t *args;
};

struct session {
	const struct home *home;
	const char *zone;
	bool may_start;
	int answer_seconds; /* 0: as ever */
	json_t *claim;
	struct client *client; /* NULL: without a daemon */
	struct local *local;
	bool unsure;  /* the last one that changes something: nobody knows whether it did */
	bool earlier; /* the last answer is of an earlier time */
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

static void pause_ms(int *ms)
{
	struct timespec span = {0, *ms * 1000000L};

	nanosleep(&span, NULL);
	*ms = *ms * 2 < PAUSE_MS_MOST ? *ms * 2 : PAUSE_MS_MOST;
}

static void hang_up(struct session *s)
{
	client_free(s->client);
	local_close(s->local);
	s->client = NULL;
	s->local = NULL;
}

/* A daemon, or the store itself. A daemon that just began, or ends, has the store and does not answer yet. */
static int open_way(struct session *s, usec_t deadline, struct error *err)
{
	int ms = PAUSE_MS_FIRST, r;

	for (;;) {
		r = connect_daemon(s, err);
		if (r == 0 && !s->client)
			r = local_open(s->home, &s->local, err);
		if (r != ERR_CONFLICT || clock_monotonic() >= deadline)
			return r;
		pause_ms(&ms);
	}
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
	r = open_way(s, clock_monotonic() + AGAIN_USEC, err);
	if (r < 0)
		return r;
	*ret = steal_ptr(&s);
	return 0;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	hang_up(s);
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
	return s->unsure;
}

const char *session_store_away_since(const struct session *s, pid_t *ret_pid)
{
	const char *since = s->client ? client_store_away_since(s->client) : NULL;

	if (since)
		*ret_pid = client_pid(s->client);
	return since;
}

void session_warn(const struct session *s)
{
	if (!s->client)
		fputs("belfry: warning: no daemon is running: saved, but nothing will fire until "
		      "one runs (belfry daemon start)\n",
		      stderr);
}

static void answer_here(struct session *s, const struct question *q, struct answer *ret)
{
	struct local_question asked = {request_find(q->request), q->args, s->zone, q->id, s->claim};

	*ret = (struct answer){0};
	if (!asked.row)
		error_set(&ret->err, ERR_NOT_FOUND, "unknown request '%s'", q->request);
	else
		local_ask(s->local, &asked, &ret->result, &ret->earlier, &ret->err);
}

static int send_question(struct session *s, const struct question *q, struct error *err)
{
	if (s->client)
		return client_send_once(s->client, q->id, q->request, q->args, s->zone, err);
	answer_here(s, q, &s->answers[(s->first + s->count++) % SESSION_IN_FLIGHT]);
	return 0;
}

int session_send(struct session *s, const char *request, const json_t *args, struct error *err)
{
	return send_question(s, &(struct question){.request = request, .args = args}, err);
}

int session_receive(struct session *s, json_t **ret, struct error *err)
{
	struct answer *a = &s->answers[s->first];

	if (s->client) {
		int r = client_receive(s->client, ret, err);

		s->earlier = client_is_earlier(s->client);
		return r;
	}
	s->first = (s->first + 1) % SESSION_IN_FLIGHT;
	s->count--;
	s->earlier = a->earlier;
	if (!a->result) {
		*err = a->err;
		return err->code;
	}
	*ret = steal_ptr(&a->result);
	return 0;
}

static int ask_once(struct session *s, const struct question *q, json_t **ret, struct error *err)
{
	int r = send_question(s, q, err);

	return r < 0 ? r : session_receive(s, ret, err);
}

/* Whether this failure says nothing about what was asked: the store or the daemon is not there. */
static bool is_absent(int r)
{
	return r == ERR_UNAVAILABLE || r == ERR_SYSTEM;
}

/*
 * After `r`, which the daemon's loss may have caused: the next one is asked the same, until one answers. Only an
 * answer of somebody who has the store counts; that it cannot be reached does not.
 */
static int or_ask_again(struct session *s, int r, const struct question *q, json_t **ret,
			struct error *err)
{
	usec_t deadline = clock_monotonic() + AGAIN_USEC;
	int ms = PAUSE_MS_FIRST;

	if (r == 0 || !s->client || !client_may_ask_again(s->client))
		return r;
	do {
		bool open;

		pause_ms(&ms);
		hang_up(s);
		s->first = s->count = 0;
		*err = (struct error){0};
		r = open_way(s, deadline, err);
		open = r == 0;
		if (open)
			r = ask_once(s, q, ret, err);
		if (open ? !is_absent(r) : !is_absent(r) && r != ERR_CONFLICT)
			return r;
	} while (clock_monotonic() < deadline);
	s->unsure = q->id != NULL;
	return r;
}

/* Its time first, so that newer ones are behind older ones in the store. */
static void make_id(char ret[static UNSURE_ID_MAX])
{
	int len = snprintf(ret, UNSURE_ID_MAX, "%012llx", (long long)(clock_now() / USEC_PER_MSEC));

	random_id("-", ID_RANDOM, ret + len);
}

static void say_unsure(struct error *err)
{
	error_prefix(err, "whether this was done is not known");
	if (!*err->hint)
		error_hint(err, "the same again within the hour finds out, and is not done twice");
}

static int ask_to_change(struct session *s, struct question *q, json_t **ret, struct error *err)
{
	const struct unsure u = {s->home, q->request, q->args, s->claim};
	char id[UNSURE_ID_MAX];
	bool recalled = unsure_recall(&u, id);
	int r;

	if (!recalled)
		make_id(id);
	q->id = id;
	r = or_ask_again(s, ask_once(s, q, ret, err), q, ret, err);
	s->unsure |= r < 0 && s->client && client_is_unsure(s->client);
	/* A store that cannot be asked says nothing about the time before. */
	s->unsure |= recalled && is_absent(r);
	if (s->unsure) {
		unsure_remember(&u, id);
		say_unsure(err);
	} else if (recalled) {
		unsure_forget(&u);
		if (s->earlier)
			fputs("belfry: this was done when it was asked before; here is its "
			      "answer\n",
			      stderr);
	}
	return r;
}

int session_ask(struct session *s, const char *request, const json_t *args, json_t **ret,
		struct error *err)
{
	const struct request_row *row = request_find(request);
	struct question q = {.request = request, .args = args};

	s->unsure = false;
	if (row && (row->flags & REQUEST_WRITES))
		return ask_to_change(s, &q, ret, err);
	return or_ask_again(s, ask_once(s, &q, ret, err), &q, ret, err);
}

/* The answer to what was sent ahead; `sent` is what became of that. */
static int receive_page(struct session *s, int sent, const char *request, const json_t *args,
			json_t **ret, struct error *err)
{
	const struct question q = {.request = request, .args = args};
	int r = sent < 0 ? sent : session_receive(s, ret, err);

	return or_ask_again(s, r, &q, ret, err);
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
		if (r != 0)
			return r;
	}
	return 0;
}
