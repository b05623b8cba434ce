/*
 * http-exchange.c: one request of HTTP, from its first header to the last byte of its answer.
 * libmicrohttpd calls with the headers, then with each part of the body, then once more when all is
 * there. What the headers alone decide (who may talk to us at all, path, method, length) is decided at
 * once; the connection is then suspended while the request goes through its turns, and resumed when
 * there is an answer, upon which the library calls a last time to fetch it.
 *
 * A client may vanish at any moment. The library tells that it has; the exchange lives on until its
 * turns are over, and what they did is done, exactly once. A refusal waits for the body to be over:
 * a connection that is closed with unread bytes in it is reset, and the client would not see why.
 *
 * A stream of events is an answer that does not end: suspended as long as there is nothing to tell,
 * which is but for a comment now and then, so that whatever is in between does not take it for dead.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "daemon/http-check.h"
#include "daemon/http-parts.h"

#define READ_IN_VAIN_MAX (4 * MCP_MESSAGE_MAX)
#define LINK_IDLE_MS ((uint64_t)5 * 60 * 1000) /* between two requests of somebody we know */
#define PING_MS ((uint64_t)25 * 1000)
#define STREAM_BLOCK 1024

static const char *const method_names[] = {
	[HTTP_POST] = "POST", [HTTP_GET] = "GET", [HTTP_DELETE] = "DELETE"};
#define METHOD_COUNT (sizeof(method_names) / sizeof(method_names[0]))

/* --- life ------------------------------------------------------------------------------------ */

static struct exchange *exchange_new(struct http_server *s, struct MHD_Connection *connection)
{
	struct exchange *x = mem_zalloc(sizeof(*x));

	x->server = s;
	x->connection = connection;
	x->link = s->lib->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
			  ->socket_context;
	x->next = s->exchanges;
	s->exchanges = x;
	s->refs++;
	return x;
}

/* Its body is of no more use; what all bodies may take together is counted. */
static void drop_body(struct exchange *x)
{
	x->server->body_bytes -= x->body.len;
	buf_fini(&x->body);
}

static void maybe_free(struct exchange *x)
{
	struct http_server *s = x->server;

	if (x->connection || x->asks)
		return;
	for (struct exchange **slot = &s->exchanges; *slot; slot = &(*slot)->next) {
		if (*slot != x)
			continue;
		*slot = x->next;
		break;
	}
	drop_body(x);
	http_mcp_fini(x);
	buf_fini(&x->answer);
	free(x->token);
	free(x->owner);
	free(x->token_session);
	free(x);
	http_server_unref(s);
}

void exchange_unask(struct exchange *x)
{
	x->asks--;
	maybe_free(x);
}

void exchange_on_over(void *cls, struct MHD_Connection *connection, void **state,
		      enum MHD_RequestTerminationCode code)
{
	struct exchange *x = *state;

	(void)cls;
	(void)connection;
	(void)code;
	*state = NULL;
	if (!x)
		return;
	if (x->stream)
		x->server->stream_count--;
	if (x->link) {
		uint64_t rest = x->link->trusted ? LINK_IDLE_MS : x->server->read_ms;

		x->link->deadline = uv_now(x->server->loop) + rest;
		x->link->reading = x->link->between = true;
	}
	x->link = NULL;
	x->connection = NULL;
	maybe_free(x);
}

/* --- waiting --------------------------------------------------------------------------------- */

static void suspend(struct exchange *x)
{
	x->suspended = true;
	x->server->lib->MHD_suspend_connection(x->connection);
}

static void resume(struct exchange *x)
{
	if (!x->suspended || !x->connection)
		return;
	x->suspended = false;
	x->server->lib->MHD_resume_connection(x->connection);
	http_server_poke(x->server);
}

void exchange_release_all(struct http_server *s)
{
	for (struct exchange *x = s->exchanges; x; x = x->next)
		resume(x);
}

/* --- the answer ------------------------------------------------------------------------------ */

const char *exchange_header(const struct exchange *x, const char *name)
{
	return x->server->lib->MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

void exchange_refuse(struct exchange *x, unsigned status, int code, const char *fmt, ...)
{
	AUTO(json_decref) json_t *reply = NULL;
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	reply = mcp_error(NULL, (enum mcp_code)code, message, NULL);
	buf_clear(&x->answer);
	json_add(reply, &x->answer);
	x->status = status;
	x->type = "application/json";
}

void exchange_answer(struct exchange *x)
{
	resume(x);
}

static ssize_t read_stream(void *cls, uint64_t at, char *buf, size_t max)
{
	static const struct buf comment = {.data = (char *)": belfry\n\n", .len = 10};
	struct exchange *x = cls;

	if (x->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (x->ping && max >= comment.len) {
		x->ping = false;
		x->ping_at = uv_now(x->server->loop) + PING_MS;
		memcpy(buf, comment.data, comment.len);
		return (ssize_t)comment.len;
	}
	(void)at;
	suspend(x);
	return 0;
}

void exchange_ping(struct exchange *x)
{
	x->ping = true;
	resume(x);
}

void exchange_end_stream(struct exchange *x)
{
	x->ended = true;
	resume(x);
}

static struct MHD_Response *make_response(struct exchange *x)
{
	const struct http_library *lib = x->server->lib;
	size_t len = x->answer.len;

	if (x->stream)
		return lib->MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK,
							      read_stream, x, NULL);
	return lib->MHD_create_response_from_buffer(len, buf_steal(&x->answer),
						    MHD_RESPMEM_MUST_FREE);
}

static void add_headers(const struct exchange *x, struct MHD_Response *response)
{
	const struct {
		const char *name, *value;
	} headers[] = {
		{"Content-Type", x->type},
		{"Allow", x->allow},
		{"WWW-Authenticate", x->challenge},
		{"Mcp-Session-Id", *x->new_session ? x->new_session : NULL},
		{"Cache-Control", "no-store"},
		{"X-Content-Type-Options", "nosniff"},
		{"Connection", x->server->stopping ? "close" : NULL},
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (headers[i].value)
			x->server->lib->MHD_add_response_header(response, headers[i].name,
								headers[i].value);
}

static enum MHD_Result send_answer(struct exchange *x)
{
	const struct http_library *lib = x->server->lib;
	struct MHD_Response *response = make_response(x);
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	add_headers(x, response);
	x->link->deadline = x->stream ? 0 : uv_now(x->server->loop) + x->server->read_ms;
	x->link->reading = false;
	r = lib->MHD_queue_response(x->connection, x->status, response);
	lib->MHD_destroy_response(response);
	return r;
}

/* --- what the headers decide ----------------------------------------------------------------- */

/* There may be several of a name; each has to pass. */
static enum MHD_Result check_local(void *cls, enum MHD_ValueKind kind, const char *name,
				   const char *value)
{
	const char **wrong = cls;

	(void)kind;
	if ((strcasecmp(name, "Host") == 0 && !http_host_is_local(value)) ||
	    (strcasecmp(name, "Origin") == 0 && !http_origin_is_local(value))) {
		*wrong = name;
		return MHD_NO;
	}
	return MHD_YES;
}

static bool find_method(struct exchange *x, const char *method)
{
	for (size_t i = 0; i < METHOD_COUNT; i++) {
		if (strcmp(method, method_names[i]) != 0)
			continue;
		x->method = (enum http_method)i;
		return true;
	}
	return false;
}

static bool is_longer(const struct exchange *x, size_t limit)
{
	const char *length = exchange_header(x, "Content-Length");

	/* More digits than the limit has are refused unread. */
	return length && (strlen(length) > 9 || strtoul(length, NULL, 10) > limit);
}

static void refuse_length(struct exchange *x)
{
	exchange_refuse(x, MHD_HTTP_CONTENT_TOO_LARGE, MCP_INVALID_REQUEST,
			"a message may have %zu bytes", MCP_MESSAGE_MAX);
}

static void check_head(struct exchange *x, const char *url, const char *method)
{
	const char *wrong = NULL;

	x->server->lib->MHD_get_connection_values(x->connection, MHD_HEADER_KIND, check_local,
						  &wrong);
	if (x->server->stopping) {
		exchange_refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, MCP_INVALID_REQUEST,
				"the daemon is stopping");
	} else if (wrong || !exchange_header(x, "Host")) {
		exchange_refuse(x, MHD_HTTP_FORBIDDEN, MCP_INVALID_REQUEST,
				"the header %s names another machine than this one",
				wrong ? wrong : "Host");
	} else if (strcmp(url, HTTP_PATH) != 0) {
		exchange_refuse(x, MHD_HTTP_NOT_FOUND, MCP_INVALID_REQUEST,
				"there is nothing here; MCP is at " HTTP_PATH);
	} else if (!find_method(x, method)) {
		x->allow = "GET, POST, DELETE";
		exchange_refuse(x, MHD_HTTP_METHOD_NOT_ALLOWED, MCP_INVALID_REQUEST,
				"use POST, GET or DELETE here");
	} else if (!http_bearer(exchange_header(x, "Authorization"))) {
		x->challenge = "Bearer realm=\"belfry\"";
		exchange_refuse(x, MHD_HTTP_UNAUTHORIZED, MCP_INVALID_REQUEST,
				"a token is needed: 'Authorization: Bearer TOKEN'; "
				"'belfry token add' makes one");
	} else if (is_longer(x, MCP_MESSAGE_MAX)) {
		refuse_length(x);
	}
}

/* Whether a refusal can leave at once: no body follows, or the client waits for our word before it. */
static bool has_no_body(const struct exchange *x)
{
	const char *length = exchange_header(x, "Content-Length");

	return exchange_header(x, "Expect") ||
	       (!exchange_header(x, "Transfer-Encoding") && (!length || strcmp(length, "0") == 0));
}

/* --- the parts ------------------------------------------------------------------------------- */

static enum MHD_Result take_head(struct exchange *x, const char *url, const char *method)
{
	check_head(x, url, method);
	x->link->deadline = uv_now(x->server->loop) + x->server->read_ms;
	x->link->between = false;
	/*
	 * A client that is hung up on while it sends may never read why, so what it sends is read to its end; but
	 * not what is announced to be endless.
	 */
	if (x->status && (has_no_body(x) || is_longer(x, READ_IN_VAIN_MAX)))
		return send_answer(x);
	return MHD_YES;
}

static void take_body(struct exchange *x, const char *bytes, size_t len)
{
	if (x->status)
		return;
	if (x->body.len + len > MCP_MESSAGE_MAX) {
		refuse_length(x);
	} else if (x->server->body_bytes + len > HTTP_BODIES_MAX) {
		exchange_refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, MCP_INVALID_REQUEST,
				"too much is being sent at once; try again");
	} else {
		buf_add(&x->body, bytes, len);
		x->server->body_bytes += len;
		return;
	}
	drop_body(x);
}

static enum MHD_Result begin(struct exchange *x)
{
	x->begun = true;
	x->link->deadline = 0;
	x->link->reading = false;
	suspend(x);
	http_mcp_begin(x);
	return MHD_YES;
}

enum MHD_Result exchange_on_part(void *cls, struct MHD_Connection *connection, const char *url,
				 const char *method, const char *version, const char *upload,
				 size_t *upload_len, void **state)
{
	struct exchange *x = *state;

	(void)version;
	if (!x) {
		*state = x = exchange_new(cls, connection);
		return take_head(x, url, method);
	}
	if (*upload_len) {
		take_body(x, upload, *upload_len);
		*upload_len = 0;
		return MHD_YES;
	}
	if (x->status)
		return send_answer(x);
	return x->begun ? MHD_YES : begin(x);
}
