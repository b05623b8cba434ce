/*
 * http-server.c: HTTP on loopback, inside of the daemon's one thread.
 * libmicrohttpd reads and writes, but never waits: its epoll descriptor is one more that our loop
 * watches, and it runs when that is readable. We accept for it, so that 127.0.0.1 and ::1 share one
 * server, and so that nobody is accepted while there is no room: whoever comes then waits in the
 * kernel's queue.
 *
 * Every connection has an instant until which it must have got on: a request has to arrive within a
 * minute of its beginning, however slowly it trickles, and its answer be fetched in the same time. What
 * has not is shut. Nothing is polled for that: one timer is set to the nearest of these instants.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "daemon/http-parts.h"
#include "daemon/watchdog.h"

#define ACCEPT_AT_ONCE 16
#define BACKLOG 128
#define CONNECTION_MEMORY ((size_t)32 * 1024) /* of which its headers have a part */
#define READ_MS ((uint64_t)60 * 1000)
#define FRESH_MS ((uint64_t)1000)
#define HEAD_MS ((uint64_t)5 * 1000) /* until a connection has said what it wants */

/* --- the loop -------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer);
static void on_client(uv_poll_t *poll, int status, int events);

static uint64_t nearest(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Wake at the nearest instant at which there is something to do; the library may have some left. */
static void arm(struct http_server *s)
{
	uint64_t at = 0, now = uv_now(s->loop);
	MHD_UNSIGNED_LONG_LONG rest = 0;

	for (const struct http_link *l = s->links; l; l = l->next)
		at = nearest(at, l->deadline);
	for (const struct exchange *x = s->exchanges; x; x = x->next)
		at = nearest(at, x->stream && x->suspended ? x->ping_at : 0);
	if (s->lib->MHD_get_timeout(s->daemon, &rest) == MHD_YES)
		at = nearest(at, now + rest);
	if (at)
		uv_timer_start(&s->timer, on_timer, at > now ? at - now : 0, 0);
	else
		uv_timer_stop(&s->timer);
}

/*
 * Whose place may be taken: the oldest that keeps us waiting and has shown no good token, else the oldest that
 * rests between two requests. One that has just come is about to speak, and is the last choice. NULL: none.
 */
static struct http_link *find_idler(const struct http_server *s)
{
	struct http_link *silent = NULL, *resting = NULL, *fresh = NULL;
	uint64_t now = uv_now(s->loop);

	for (struct http_link *l = s->links; l; l = l->next) { /* newest first */
		if (!l->reading || (l->trusted && !l->between))
			continue;
		if (l->trusted)
			resting = l;
		else if (now - l->since < FRESH_MS)
			fresh = l;
		else
			silent = l;
	}
	return silent ? silent : resting ? resting : fresh;
}

/*
 * When it is full, whoever only holds a place gives way: else anybody on this machine could take them all, in
 * silence. Nobody is accepted while all of them have work.
 */
static bool make_room(struct http_server *s)
{
	struct http_link *idler = s->link_count < HTTP_CONNECTIONS_MAX ? NULL : find_idler(s);

	if (idler) {
		shutdown(idler->fd, SHUT_RDWR);
		idler->reading = false;
		s->lib->MHD_run(s->daemon);
	}
	return s->link_count < HTTP_CONNECTIONS_MAX;
}

static void set_accepting(struct http_server *s)
{
	bool room = !s->stopping && (s->link_count < HTTP_CONNECTIONS_MAX || find_idler(s));

	if (room == s->accepting)
		return;
	s->accepting = room;
	for (size_t i = 0; i < s->listener_count; i++) {
		if (room)
			uv_poll_start(&s->listeners[i], UV_READABLE, on_client);
		else
			uv_poll_stop(&s->listeners[i]);
	}
}

/*
 * An end that came together with the last bytes is not noticed by the library: it takes a short read for
 * all there is, and no further event tells it otherwise. Shutting our side too is one.
 */
static void notice_ends(struct http_server *s)
{
	char byte;

	for (struct http_link *l = s->links; l; l = l->next)
		if (l->reading && recv(l->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
			shutdown(l->fd, SHUT_RDWR);
}

static void run(struct http_server *s)
{
	if (!s->daemon)
		return;
	watchdog_at("reading HTTP", NULL);
	s->lib->MHD_run(s->daemon);
	notice_ends(s);
	set_accepting(s);
	arm(s);
}

static void on_epoll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	run(poll->data);
}

static void on_timer(uv_timer_t *timer)
{
	struct http_server *s = timer->data;
	uint64_t now = uv_now(s->loop);

	for (struct http_link *l = s->links; l; l = l->next) {
		if (!l->deadline || l->deadline > now)
			continue;
		/* The library finds it at its end, and closes it. */
		shutdown(l->fd, SHUT_RDWR);
		l->deadline = 0;
	}
	for (struct exchange *x = s->exchanges; x; x = x->next)
		if (x->stream && x->suspended && x->ping_at <= now)
			exchange_ping(x);
	run(s);
}

void http_server_poke(struct http_server *s)
{
	uv_timer_start(&s->timer, on_timer, 0, 0);
}

static void on_client(uv_poll_t *poll, int status, int events)
{
	struct http_server *s = poll->data;
	int listener = -1;

	(void)status;
	(void)events;
	if (uv_fileno((const uv_handle_t *)poll, &listener) < 0)
		return;
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		struct sockaddr_storage from = {0};
		socklen_t len = sizeof(from);
		int fd;

		if (s->link_count >= HTTP_CONNECTIONS_MAX && !find_idler(s))
			break;
		fd = accept4(listener, (struct sockaddr *)&from, &len,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			break;
		/* On failure it has closed the descriptor. */
		if (make_room(s))
			s->lib->MHD_add_connection(s->daemon, fd, (const struct sockaddr *)&from,
						   len);
		else
			close(fd);
	}
	run(s);
}

/* --- connections ----------------------------------------------------------------------------- */

static void begin_link(struct http_server *s, struct MHD_Connection *connection, void **context)
{
	struct http_link *l = mem_zalloc(sizeof(*l));

	l->fd = s->lib->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
			->connect_fd;
	l->deadline = uv_now(s->loop) + (s->read_ms < s->head_ms ? s->read_ms : s->head_ms);
	l->since = uv_now(s->loop);
	l->reading = l->between = true;
	l->next = s->links;
	s->links = l;
	s->link_count++;
	*context = l;
}

static void end_link(struct http_server *s, struct http_link *l)
{
	for (struct http_link **slot = &s->links; *slot; slot = &(*slot)->next) {
		if (*slot != l)
			continue;
		*slot = l->next;
		s->link_count--;
		break;
	}
	free(l);
}

static void on_link(void *cls, struct MHD_Connection *connection, void **context,
		    enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		begin_link(cls, connection, context);
	else
		end_link(cls, *context);
}

__attribute__((format(printf, 2, 0))) static void on_log(void *cls, const char *fmt, va_list ap)
{
	char text[256];

	(void)cls;
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	log_debug("http: %s", text);
}

/* --- a server -------------------------------------------------------------------------------- */

void http_server_unref(struct http_server *s)
{
	if (--s->refs)
		return;
	free(s);
}

static void on_handle_closed(uv_handle_t *handle)
{
	http_server_unref(handle->data);
}

static int listen_at(const struct sockaddr *address, socklen_t len, struct error *err)
{
	AUTO_CLOSE int fd =
		socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int yes = 1;

	if (fd < 0)
		return error_set_errno(err, errno, "cannot make a socket");
	/* A port that was ours a moment ago is free. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (address->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	if (bind(fd, address, len) < 0 || listen(fd, BACKLOG) < 0)
		return error_set_errno(err, errno, "cannot listen");
	return steal_fd(&fd);
}

static int listen_on_ipv4(struct http_server *s, int port, struct error *err)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(address);
	int fd = listen_at((const struct sockaddr *)&address, len, err);

	if (fd < 0) {
		error_prefix(err, "http: port %d", port);
		return error_hint(err, "choose another http port in config.yml, or 0 for any");
	}
	getsockname(fd, (struct sockaddr *)&address, &len);
	s->port = ntohs(address.sin_port);
	s->listener_fds[s->listener_count++] = fd;
	return 0;
}

/* "localhost" may mean this one first. Where it cannot be had, clients go on to the other. */
static void listen_on_ipv6(struct http_server *s)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6,
				       .sin6_port = htons((uint16_t)s->port),
				       .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct error err = {0};
	int fd = listen_at((const struct sockaddr *)&address, sizeof(address), &err);

	if (fd >= 0)
		s->listener_fds[s->listener_count++] = fd;
	else if (err.os_errno == EADDRINUSE)
		log_warning("http: port %d of ::1 is somebody else's; use 127.0.0.1, not localhost",
			    s->port);
}

static struct MHD_Daemon *start_library(struct http_server *s)
{
	return s->lib->MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME |
			MHD_USE_ERROR_LOG,
		0, NULL, NULL, exchange_on_part, s, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
		MHD_OPTION_NOTIFY_COMPLETED, exchange_on_over, s, MHD_OPTION_NOTIFY_CONNECTION,
		on_link, s, MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT,
		1, MHD_OPTION_END);
}

static void watch(struct http_server *s)
{
	int epoll = s->lib->MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;

	uv_timer_init(s->loop, &s->timer);
	uv_poll_init(s->loop, &s->epoll, epoll);
	s->timer.data = s->epoll.data = s;
	uv_poll_start(&s->epoll, UV_READABLE, on_epoll);
	s->refs += 2;
	for (size_t i = 0; i < s->listener_count; i++, s->refs++) {
		uv_poll_init(s->loop, &s->listeners[i], s->listener_fds[i]);
		s->listeners[i].data = s;
	}
	set_accepting(s);
}

/*
 * For tests: BELFRY_HTTP_READ_MS, since they have no minute, and BELFRY_HTTP_HEAD_MS, by which they tell who gave
 * way from whose time was up, on any machine.
 */
static uint64_t time_of(const char *variable, uint64_t usual)
{
	const char *text = getenv(variable);
	unsigned long ms = text ? strtoul(text, NULL, 10) : 0;

	return ms > 0 && ms < READ_MS ? ms : usual;
}

int http_server_start(uv_loop_t *loop, struct turn *turn, int port, struct http_server **ret,
		      struct error *err)
{
	struct http_server *s = mem_zalloc(sizeof(*s));
	int r;

	s->loop = loop;
	s->turn = turn;
	s->refs = 1;
	s->read_ms = time_of("BELFRY_HTTP_READ_MS", READ_MS);
	s->head_ms = time_of("BELFRY_HTTP_HEAD_MS", HEAD_MS);
	if ((r = http_library_load(&s->lib, err)) < 0 || (r = listen_on_ipv4(s, port, err)) < 0) {
		free(s);
		return r;
	}
	listen_on_ipv6(s);
	s->daemon = start_library(s);
	if (!s->daemon) {
		for (size_t i = 0; i < s->listener_count; i++)
			close(s->listener_fds[i]);
		free(s);
		return error_set(err, ERR_SYSTEM, "http: the library does not start");
	}
	watch(s);
	*ret = s;
	return 0;
}

void http_server_drain(struct http_server *s)
{
	s->stopping = true;
	set_accepting(s);
	for (struct exchange *x = s->exchanges; x; x = x->next)
		if (x->stream)
			exchange_end_stream(x);
}

bool http_server_is_busy(const struct http_server *s)
{
	for (const struct exchange *x = s->exchanges; x; x = x->next)
		if (x->begun && x->connection)
			return true;
	return false;
}

void http_server_stop(struct http_server *s)
{
	struct MHD_Daemon *daemon = s->daemon;

	s->stopping = true;
	set_accepting(s);
	/* The library ends only what does not wait for us; what is in a turn goes on without its client. */
	exchange_release_all(s);
	uv_close((uv_handle_t *)&s->timer, on_handle_closed);
	uv_close((uv_handle_t *)&s->epoll, on_handle_closed);
	for (size_t i = 0; i < s->listener_count; i++) {
		uv_close((uv_handle_t *)&s->listeners[i], on_handle_closed);
		close(s->listener_fds[i]);
	}
	s->daemon = NULL;
	s->lib->MHD_stop_daemon(daemon);
	while (s->sessions)
		http_session_end(s, s->sessions);
	http_server_unref(s);
}
