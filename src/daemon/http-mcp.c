/*
 * http-mcp.c: what a request to /mcp means.
 * First its token is looked up, in a turn of its own: whom it stands for is the store's to say, at this
 * moment, so that a token that was taken back opens nothing any more. Then the message is taken by the
 * protocol (mcp.h), and what it asks for goes through the next turn as requests in that user's name.
 *
 * Sessions are in memory, as the protocol allows: a client whose session is not known begins another
 * one. Each belongs to the token it was begun with. From revision 2026-07-28 on there are none: such
 * a request repeats in its headers what it says in its body, for whatever stands between, and is
 * refused when the two differ.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "daemon/http-check.h"
#include "daemon/http-parts.h"
#include "request/token.h"

#define SESSION_HEADER "Mcp-Session-Id"
#define REVISION_HEADER "MCP-Protocol-Version"
#define OWN_SESSION_HEADER "Belfry-Session"
#define NO_SESSION (-32001) /* what servers of this protocol call it */

/* --- sessions -------------------------------------------------------------------------------- */

static void session_unref(struct http_session *session)
{
	if (!session || --session->refs)
		return;
	mcp_free(session->mcp);
	free(session->token);
	free(session);
}

void http_session_end(struct http_server *s, struct http_session *session)
{
	for (struct http_session **slot = &s->sessions; *slot; slot = &(*slot)->next) {
		if (*slot != session)
			continue;
		*slot = session->next;
		s->session_count--;
		session->ended = true;
		break;
	}
	for (struct exchange *x = s->exchanges; x; x = x->next)
		if (x->stream && x->session == session)
			exchange_end_stream(x);
	session_unref(session);
}

void http_sessions_end(struct http_server *s, const char *token)
{
	struct http_session *next;

	for (struct http_session *each = s->sessions; each; each = next) {
		next = each->next;
		if (strcmp(each->token, token) == 0)
			http_session_end(s, each);
	}
}

static void put_first(struct http_server *s, struct http_session *session)
{
	session->next = s->sessions;
	s->sessions = session;
}

/* The one of that id and token, which is then the one that was used last; NULL. */
static struct http_session *find_session(struct http_server *s, const char *id, const char *token)
{
	for (struct http_session **slot = &s->sessions; *slot; slot = &(*slot)->next) {
		struct http_session *session = *slot;

		if (strcmp(session->id, id) != 0)
			continue;
		if (strcmp(session->token, token) != 0)
			return NULL;
		*slot = session->next;
		put_first(s, session);
		return session;
	}
	return NULL;
}

/* The last of the list that nobody is in; the last one when there is none such. */
static void drop_oldest(struct http_server *s)
{
	struct http_session *oldest = NULL, *idle = NULL;

	for (struct http_session *each = s->sessions; each; each = each->next) {
		oldest = each;
		if (each->refs == 1)
			idle = each;
	}
	http_session_end(s, idle ? idle : oldest);
}

static int make_id(char ret[static HTTP_SESSION_ID_MAX])
{
	unsigned char bytes[(HTTP_SESSION_ID_MAX - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* What was agreed on in this exchange goes on as a session. */
static void begin_session(struct exchange *x)
{
	struct http_server *s = x->server;
	struct http_session *session = mem_zalloc(sizeof(*session));

	if (make_id(session->id) < 0) {
		log_error("cannot make the id of a session: %s", strerror(errno));
		free(session);
		return;
	}
	session->token = mem_strdup(x->token);
	session->mcp = steal_ptr(&x->alone);
	session->refs = 2; /* the list's, and this exchange's */
	x->session = session;
	memcpy(x->new_session, session->id, sizeof(x->new_session));
	put_first(s, session);
	if (++s->session_count > HTTP_SESSIONS_MAX)
		drop_oldest(s);
}

/* Join the session the request names. False: it names none that is there, which has been said. */
static bool join_session(struct exchange *x)
{
	const char *id = exchange_header(x, SESSION_HEADER);

	x->session = id ? find_session(x->server, id, x->token) : NULL;
	if (x->session)
		x->session->refs++;
	else if (id)
		exchange_refuse(x, MHD_HTTP_NOT_FOUND, NO_SESSION,
				"session not found; begin another one with initialize");
	return x->session || !id;
}

static void refuse_without_session(struct exchange *x)
{
	exchange_refuse(x, MHD_HTTP_BAD_REQUEST, MCP_INVALID_REQUEST,
			"the header " SESSION_HEADER
			" is missing; the answer to initialize has its value");
}

void http_mcp_fini(struct exchange *x)
{
	mcp_calls_free(x->calls, x->call_count);
	x->calls = NULL;
	x->call_count = 0;
	session_unref(x->session);
	x->session = NULL;
	mcp_free(x->alone);
	x->alone = NULL;
}

/* --- the answer ------------------------------------------------------------------------------ */

static void add_reply(const json_t *reply, bool as_event, struct buf *out)
{
	if (as_event)
		buf_add_str(out, "event: message\ndata: ");
	json_add(reply, out);
	if (as_event)
		buf_add_str(out, "\n\n");
}

static json_t *all_replies(const struct exchange *x)
{
	json_t *replies = json_array();

	for (size_t i = 0; i < x->call_count; i++)
		if (x->calls[i].reply)
			json_array_append(replies, x->calls[i].reply);
	return replies;
}

static int error_code(const json_t *reply)
{
	return (int)json_integer_value(json_object_get(json_object_get(reply, "error"), "code"));
}

/*
 * What is no message at all is HTTP's own error, and so is whatever is wrong with a request that
 * stands alone; in a session, errors are answers like others.
 */
static unsigned http_status(const struct exchange *x, const json_t *replies)
{
	const json_t *reply = json_array_get(replies, 0);
	int code = error_code(reply);

	if (!code || x->batch)
		return MHD_HTTP_OK;
	if (code == MCP_PARSE_ERROR || code == MCP_INVALID_REQUEST || code == MCP_UNKNOWN_REVISION)
		return MHD_HTTP_BAD_REQUEST;
	if (x->session)
		return MHD_HTTP_OK;
	return code == MCP_UNKNOWN_METHOD ? MHD_HTTP_NOT_FOUND : MHD_HTTP_BAD_REQUEST;
}

static void answer(struct exchange *x)
{
	AUTO(json_decref) json_t *replies = all_replies(x);
	bool events = !http_accepts(exchange_header(x, "Accept"), "application/json");

	x->status = MHD_HTTP_ACCEPTED;
	if (json_array_size(replies)) {
		x->status = http_status(x, replies);
		x->type = events ? "text/event-stream" : "application/json";
		add_reply(x->batch ? replies : json_array_get(replies, 0), events, &x->answer);
	}
	exchange_answer(x);
}

/* --- the message ----------------------------------------------------------------------------- */

static struct mcp *mcp_of(const struct exchange *x)
{
	return x->session ? x->session->mcp : x->alone;
}

/* A request of one of its calls, on its way through a turn. */
struct errand {
	struct exchange *x;
	size_t call;
};

static void on_errand_done(struct ask *ask)
{
	struct errand *errand = ask->data;
	struct exchange *x = errand->x;

	mcp_finish(mcp_of(x), &x->calls[errand->call], ask->result, ask->result ? NULL : &ask->err);
	free(errand);
	if (--x->errands == 0 && x->connection)
		answer(x);
	exchange_unask(x);
}

/* Who asks, as caller.h has it. What the token says wins over what its holder says. */
static json_t *make_claim(const struct exchange *x)
{
	const char *said = exchange_header(x, OWN_SESSION_HEADER);
	json_t *claim = json_object();

	json_put_text(claim, "surface", "mcp");
	json_put_text(claim, "user", x->owner);
	if (x->token_session || said)
		json_put_text(claim, "session", x->token_session ? x->token_session : said);
	return claim;
}

/* What its client calls it, so that it is done once however often it is sent; one of a batch by its place. */
static char *errand_id(const struct exchange *x, size_t call)
{
	const char *key = exchange_header(x, "Idempotency-Key");

	return key ? mem_printf("http %s %zu", key, call) : NULL;
}

static void run_errands(struct exchange *x)
{
	for (size_t i = 0; i < x->call_count; i++) {
		struct errand *errand;
		struct ask *ask;

		if (!x->calls[i].row)
			continue;
		errand = mem_zalloc(sizeof(*errand));
		*errand = (struct errand){x, i};
		ask = ask_new(x->calls[i].row->name, json_incref(x->calls[i].args));
		ask->claim = make_claim(x);
		ask->id = errand_id(x, i);
		ask->bound = x->token_session != NULL;
		ask->size = x->body.len;
		ask->on_done = on_errand_done;
		ask->data = errand;
		x->asks++;
		x->errands++;
		turn_add_ask(x->server->turn, ask);
	}
	if (!x->errands)
		answer(x);
}

/* --- requests that stand alone --------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *method, *key; /* of params: what Mcp-Name repeats */
} named[] = {
	{"tools/call", "name"}, {"prompts/get", "name"}, {"resources/read", "uri"},
};
/* clang-format on */

static bool is_repeated(const struct exchange *x, const char *header, const char *value)
{
	const char *said = exchange_header(x, header);

	return !value || (said && strcmp(said, value) == 0);
}

/* The revision that a message names and we do not speak; NULL: it does not. */
static const char *unknown_revision(const json_t *reply)
{
	const json_t *error = json_object_get(reply, "error");

	return json_string_value(json_object_get(json_object_get(error, "data"), "requested"));
}

static bool is_other(const char *asked, const char *said)
{
	return asked && strcmp(asked, said) != 0;
}

/* The first header that does not say what the message says; NULL: they all do. */
static const char *find_mismatch(const struct exchange *x)
{
	AUTO(json_decref) json_t *message = json_loadb(x->body.data, x->body.len, 0, NULL);
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *params = json_object_get(message, "params");

	if (!is_repeated(x, REVISION_HEADER, x->calls[0].revision))
		return REVISION_HEADER;
	if (!is_repeated(x, "Mcp-Method", method))
		return "Mcp-Method";
	for (size_t i = 0; method && i < sizeof(named) / sizeof(named[0]); i++)
		if (strcmp(named[i].method, method) == 0 &&
		    !is_repeated(x, "Mcp-Name",
				 json_string_value(json_object_get(params, named[i].key))))
			return "Mcp-Name";
	return NULL;
}

/* In place of what it asks for: the answer is an error, which has its id. */
static void refuse_mismatch(struct exchange *x, const char *header)
{
	struct mcp_call *call = &x->calls[0];
	AUTO(free)
	char *message = mem_printf("the header %s does not say what the message says", header);

	json_decref(call->reply);
	call->reply = mcp_error(call->id, MCP_HEADER_MISMATCH, message, NULL);
	call->row = NULL;
}

static void refuse_revision(struct exchange *x, const char *revision)
{
	exchange_refuse(x, MHD_HTTP_BAD_REQUEST, MCP_UNKNOWN_REVISION,
			REVISION_HEADER ": '%.32s' is not spoken here", revision);
}

/* Whether a message without a session may be one. */
static bool may_stand_alone(struct exchange *x)
{
	const char *revision = exchange_header(x, REVISION_HEADER);
	const struct mcp_call *call = &x->calls[0];
	const char *mismatch = NULL;

	if (mcp_revision(x->alone)) {
		begin_session(x);
		return true;
	}
	if (mcp_is_stateless(call->revision))
		mismatch = find_mismatch(x);
	else if (revision && is_other(unknown_revision(call->reply), revision))
		mismatch = REVISION_HEADER;
	else if (!call->reply && !(revision && mcp_is_stateless(revision)))
		refuse_without_session(x);
	if (mismatch)
		refuse_mismatch(x, mismatch);
	return !x->status;
}

/*
 * A message that names its own revision is judged by that: the same unknown one is refused with those there
 * are, another one is a mismatch. Any other message has only its header.
 */
static bool is_revision_known(struct exchange *x)
{
	const char *revision = exchange_header(x, REVISION_HEADER);
	const struct mcp_call *call = &x->calls[0];

	if (!revision || mcp_knows_revision(revision) || mcp_is_stateless(call->revision) ||
	    unknown_revision(call->reply))
		return true;
	refuse_revision(x, revision);
	return false;
}

/* --- the methods of HTTP --------------------------------------------------------------------- */

static void take_message(struct exchange *x)
{
	const char *accept = exchange_header(x, "Accept");

	if (!http_is_type(exchange_header(x, "Content-Type"), "application/json")) {
		exchange_refuse(x, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, MCP_INVALID_REQUEST,
				"a message is sent as 'Content-Type: application/json'");
		return;
	}
	if (!http_accepts(accept, "application/json") &&
	    !http_accepts(accept, "text/event-stream")) {
		exchange_refuse(x, MHD_HTTP_NOT_ACCEPTABLE, MCP_INVALID_REQUEST,
				"the answer is application/json or text/event-stream");
		return;
	}
	if (!x->session)
		x->alone = mcp_new();
	mcp_take_text(mcp_of(x), buf_text(&x->body), x->body.len, &x->calls, &x->call_count,
		      &x->batch);
	if (is_revision_known(x) && (x->session || may_stand_alone(x)))
		run_errands(x);
}

static void open_stream(struct exchange *x)
{
	if (!x->session) {
		refuse_without_session(x);
	} else if (!http_accepts(exchange_header(x, "Accept"), "text/event-stream")) {
		exchange_refuse(x, MHD_HTTP_NOT_ACCEPTABLE, MCP_INVALID_REQUEST,
				"what GET gets is text/event-stream");
	} else if (x->server->stream_count >= HTTP_STREAMS_MAX || x->server->stopping) {
		exchange_refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, MCP_INVALID_REQUEST,
				"%d streams are open already", HTTP_STREAMS_MAX);
	} else {
		x->status = MHD_HTTP_OK;
		x->type = "text/event-stream";
		x->stream = x->ping = true;
		x->server->stream_count++;
		exchange_answer(x);
	}
}

static void end_session(struct exchange *x)
{
	if (!x->session) {
		refuse_without_session(x);
		return;
	}
	http_session_end(x->server, x->session);
	x->status = MHD_HTTP_NO_CONTENT;
	exchange_answer(x);
}

static void (*const serve_method[])(struct exchange *x) = {
	[HTTP_POST] = take_message, [HTTP_GET] = open_stream, [HTTP_DELETE] = end_session};

/* What its headers say of the protocol, now that it is known who asks. */
static bool check_headers(struct exchange *x)
{
	const char *revision = exchange_header(x, REVISION_HEADER);
	const char *session = exchange_header(x, OWN_SESSION_HEADER);

	/* Of a message it is looked at together with that. */
	if (revision && !mcp_knows_revision(revision) && x->method != HTTP_POST)
		refuse_revision(x, revision);
	else if (session && !token_is_session(session))
		exchange_refuse(x, MHD_HTTP_BAD_REQUEST, MCP_INVALID_REQUEST,
				OWN_SESSION_HEADER ": this is no id of a session");
	return !x->status && join_session(x);
}

static void serve(struct exchange *x)
{
	if (check_headers(x))
		serve_method[x->method](x);
	/* Whoever set no answer has it on its way, or has been answered. */
	if (x->status && x->suspended)
		exchange_answer(x);
}

/* --- who asks -------------------------------------------------------------------------------- */

static void put_text(char **slot, const json_t *object, const char *key)
{
	mem_replace(slot, json_string_value(json_object_get(object, key)));
}

static void refuse_token(struct exchange *x, const struct error *err)
{
	if (err->code != ERR_DENIED) {
		exchange_refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, MCP_INVALID_REQUEST, "%s",
				err->message);
		return;
	}
	x->challenge = "Bearer realm=\"belfry\", error=\"invalid_token\"";
	exchange_refuse(x, MHD_HTTP_UNAUTHORIZED, MCP_INVALID_REQUEST, "%s; %s", err->message,
			err->hint);
}

static void on_token_checked(struct ask *ask)
{
	struct exchange *x = ask->data;

	if (x->connection && ask->result) {
		put_text(&x->token, ask->result, "id");
		put_text(&x->owner, ask->result, "user");
		put_text(&x->token_session, ask->result, "session");
		x->link->trusted = true;
		serve(x);
	} else if (x->connection) {
		refuse_token(x, &ask->err);
		exchange_answer(x);
	}
	exchange_unask(x);
}

void http_mcp_begin(struct exchange *x)
{
	const char *token = http_bearer(exchange_header(x, "Authorization"));
	char hash[SHA256_HEX_MAX];
	struct ask *ask;

	sha256_hex(token, strlen(token), hash);
	ask = ask_new("token check", json_pack("{s:s}", "hash", hash));
	ask->on_done = on_token_checked;
	ask->data = x;
	x->asks++;
	turn_add_ask(x->server->turn, ask);
}
