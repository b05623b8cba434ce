#pragma once
/*
 * What the files of HTTP share: http-server.c has the server, http-exchange.c one request and its answer,
 * http-mcp.c what it means.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/buf.h"
#include "base/json.h"
#include "daemon/http-library.h"
#include "daemon/turn.h"
#include "mcp/mcp.h"

#define HTTP_CONNECTIONS_MAX 64
#define HTTP_STREAMS_MAX 48 /* so that there is always room for a request */
#define HTTP_SESSIONS_MAX 256
#define HTTP_BODIES_MAX ((size_t)16 * 1024 * 1024) /* of all requests that are being read */
#define HTTP_PATH "/mcp"
#define HTTP_SESSION_ID_MAX 33 /* 128 bits in hexadecimal */

/* A session of the protocol, from initialize to DELETE, or until it is the oldest of too many. */
struct http_session {
	struct http_session *next;
	char id[HTTP_SESSION_ID_MAX];
	char *token; /* the id of the token it was begun with */
	struct mcp *mcp;
	unsigned refs; /* the list's, and one for each request and stream in it */
	bool ended;
};

/* A connection: when it has to have got on. */
struct http_link {
	struct http_link *next;
	int fd;
	uint64_t since;	   /* by uv_now(): when it connected */
	uint64_t deadline; /* by uv_now(); 0: none, it is our turn */
	bool reading;	   /* it is the client's turn: a request is to come, or to go on */
	bool between;	   /* of the next one nothing has come yet */
	bool trusted;	   /* a token was accepted on it */
};

/* A listening server; a change of the port makes another one. */
struct http_server {
	const struct http_library *lib;
	struct MHD_Daemon *daemon; /* NULL once it was stopped */
	uv_loop_t *loop;
	struct turn *turn;
	int port;
	uint64_t read_ms; /* for a request to arrive, or an answer to be fetched */
	uint64_t head_ms; /* until a new connection has said what it wants */
	int listener_fds[2];
	uv_poll_t epoll, listeners[2];
	uv_timer_t timer; /* the nearest deadline, or work that is left */
	size_t listener_count;
	bool accepting;
	bool stopping; /* no more requests on any connection */
	struct http_link *links;
	size_t link_count;
	struct exchange *exchanges;
	size_t stream_count, body_bytes;
	struct http_session *sessions; /* the one that was used last is first */
	size_t session_count;
	unsigned refs; /* its handles, its exchanges, and its owner's */
};
/* Listen on this port of loopback, 0 for any. */
int http_server_start(uv_loop_t *loop, struct turn *turn, int port, struct http_server **ret,
		      struct error *err);
/* Accept nothing more, end the streams; requests that were read are still answered. */
void http_server_drain(struct http_server *s);
bool http_server_is_busy(const struct http_server *s);
/* Close every connection; the owner's reference goes. */
void http_server_stop(struct http_server *s);
void http_server_unref(struct http_server *s);
/* A connection was resumed: the library has no way to notice that by itself. */
void http_server_poke(struct http_server *s);

enum http_method { HTTP_POST, HTTP_GET, HTTP_DELETE };

/* One request, from its first header to the last byte of its answer. */
struct exchange {
	struct exchange *next;
	struct http_server *server;
	struct http_link *link;
	struct MHD_Connection *connection; /* NULL: the client has gone, or has its answer */
	enum http_method method;
	struct buf body;
	bool begun;	/* it is whole, and on its way through turns */
	bool suspended; /* the connection waits for us */
	size_t asks;	/* in a turn */
	size_t errands; /* of them, what its calls asked for */

	/* who asks: from the token, once that was looked up */
	char *token, *owner, *token_session;
	/* and in which session of the protocol */
	struct http_session *session;
	struct mcp *alone; /* without one: a first message, or one that needs none */
	struct mcp_call *calls;
	size_t call_count;
	bool batch;

	/* the answer; status 0: not yet */
	unsigned status;
	struct buf answer;
	const char *type;		       /* of the answer */
	const char *allow;		       /* the header of that name */
	const char *challenge;		       /* WWW-Authenticate */
	char new_session[HTTP_SESSION_ID_MAX]; /* Mcp-Session-Id, "" for none */

	/* a stream of events, which lasts */
	bool stream, ping, ended;
	uint64_t ping_at; /* by uv_now() */
};

/* --- http-exchange.c --------------------------------------------------------------------- */

/* libmicrohttpd's: a request comes in parts; and it is over. */
enum MHD_Result exchange_on_part(void *cls, struct MHD_Connection *connection, const char *url,
				 const char *method, const char *version, const char *upload,
				 size_t *upload_len, void **state);
void exchange_on_over(void *cls, struct MHD_Connection *connection, void **state,
		      enum MHD_RequestTerminationCode code);

const char *exchange_header(const struct exchange *x, const char *name);
/* Its answer is this problem, as a JSON-RPC error. */
void exchange_refuse(struct exchange *x, unsigned status, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The answer is there: the connection goes on. */
void exchange_answer(struct exchange *x);
/* One of its requests came out of its turn: frees it when nobody is left who knows it. */
void exchange_unask(struct exchange *x);
void exchange_ping(struct exchange *x);
void exchange_end_stream(struct exchange *x);
/* Let the library have back every connection that waits for us. */
void exchange_release_all(struct http_server *s);

/* --- http-mcp.c -------------------------------------------------------------------------- */

/* The request is whole: find out who asks, then what, and answer. The connection is suspended. */
void http_mcp_begin(struct exchange *x);
/* What it holds of sessions and calls goes. */
void http_mcp_fini(struct exchange *x);
void http_session_end(struct http_server *s, struct http_session *session);
/* All of a token, which was taken back. */
void http_sessions_end(struct http_server *s, const char *token);
