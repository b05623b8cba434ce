/*
 * client.c: asking the daemon.
 * The socket's address has room for 107 bytes of path; homes may be deeper. The folder is opened,
 * and the socket reached through /proc/self/fd/N, whose path is always short.
 *
 * Nobody waits for ever: a daemon that does not answer, and is not at work (silence.h), is given up after some
 * seconds, any other after two minutes.
 */
#include "cli/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/claim.h"
#include "cli/holder.h"
#include "cli/silence.h"
#include "config/config.h"

#define STATUS_SECONDS 5
#define ANSWER_SECONDS 120
#define PATIENCE_MS                                                                                \
	8000 /* for a daemon that sleeps: whoever waits hears of it within ten seconds */
#define FIRST_LOOK_MS 1000
#define LOOK_MS 250
#define HIDDEN_USEC USEC_PER_SEC /* a daemon makes a socket that was removed again at once */
#define HIDDEN_PAUSE_NS (20 * 1000 * 1000)
#define REPLY_MAX ((size_t)64 * 1024 * 1024)
#define READ_SIZE ((size_t)64 * 1024)

struct client {
	int fd;
	struct buf in;
	size_t scanned; /* bytes of `in` known to hold no newline */
	bool lost;
	bool unanswered;     /* something was sent whole, and its answer did not come */
	bool again, earlier; /* of the last answer: see ask.h */
	char *since;	     /* likewise; NULL: the store is there */
	bool takes_long;     /* what was asked last, by its nature */
	int answer_seconds;  /* how long an answer is waited for */
	int patience_ms;     /* and how long one of a daemon that sleeps */
	json_t *claim;	     /* who asks; NULL: the person at the command line */
	const struct home *home;
};

/* The folder of the socket and its address. Returns 1, 0 when there is no such folder. */
static int find_address(const char *path, int *ret_folder, struct sockaddr_un *ret,
			struct error *err)
{
	const char *slash = strrchr(path, '/');
	AUTO(free) char *folder = mem_strndup(path, (size_t)(slash - path) + 1);
	AUTO_CLOSE int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int len;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0)
		return error_set_errno(err, errno, "cannot open folder '%s'", folder);
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	len = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", fd, slash + 1);
	if (len < 0 || (size_t)len >= sizeof(ret->sun_path))
		return error_set(err, ERR_INVALID, "the name of the socket '%s' is too long", path);
	*ret_folder = steal_fd(&fd);
	return 1;
}

/*
 * What we say is for our own daemon. Root's may be trusted, it could read everything anyway; and root itself may ask
 * the daemon of whoever's home it named, but nobody else who listens there.
 */
static int check_daemon(const struct home *h, int fd, int folder, struct error *err)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || fstat(folder, &st) < 0)
		return error_set_errno(err, errno, "cannot tell who serves '%s'", h->socket);
	if (peer.uid == geteuid() || peer.uid == 0 || (geteuid() == 0 && peer.uid == st.st_uid))
		return 0;
	error_set(err, ERR_DENIED,
		  "'%s' is served by user %u (process %d), not by you (%u): nothing was sent to it",
		  h->socket, (unsigned)peer.uid, (int)peer.pid, (unsigned)geteuid());
	return error_hint(err, "use a home of your own: BELFRY_HOME names it, or unset that");
}

/* Whoever has the lock serves; that its socket is gone is no word on whether it runs. */
static int refuse_hidden(const struct home *h, pid_t pid, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE,
		  "the daemon (process %d) runs, but cannot be asked: its socket '%s' is not there",
		  (int)pid, h->socket);
	return error_hint(err, "it looks for it every minute; else 'belfry daemon stop', then "
			       "'belfry daemon start'");
}

static int connect_once(const struct home *h, struct client **ret, struct error *err)
{
	AUTO_CLOSE int folder = -1, fd = -1;
	struct sockaddr_un address;
	int r = find_address(h->socket, &folder, &address, err);

	if (r <= 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_set_errno(err, errno, "cannot create a socket");
	/* A daemon that accepts nobody any more has a full line at its door. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = PATIENCE_MS / 1000},
		   sizeof(struct timeval));
	while ((r = connect(fd, (const struct sockaddr *)&address, sizeof(address))) < 0 &&
	       errno == EINTR)
		;
	if (r < 0 && (errno == ENOENT || errno == ECONNREFUSED))
		return 0;
	if (r < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
		error_set(err, ERR_UNAVAILABLE, "the daemon at '%s' lets nobody in", h->socket);
		return error_hint(err, "its process number is in '%s'; kill -KILL ends it",
				  h->lock_file);
	}
	if (r < 0)
		return error_set_errno(err, errno, "cannot connect to the daemon at '%s'",
				       h->socket);
	if ((r = check_daemon(h, fd, folder, err)) < 0)
		return r;
	*ret = mem_zalloc(sizeof(**ret));
	(*ret)->claim = claim_make("cli");
	(*ret)->answer_seconds = ANSWER_SECONDS;
	(*ret)->patience_ms = PATIENCE_MS;
	(*ret)->home = h;
	(*ret)->fd = steal_fd(&fd);
	return 1;
}

int client_connect(const struct home *h, struct client **ret, struct error *err)
{
	const struct timespec pause = {.tv_nsec = HIDDEN_PAUSE_NS};
	usec_t until = clock_monotonic() + HIDDEN_USEC;
	pid_t pid = 0;

	for (;;) {
		int r = connect_once(h, ret, err);

		if (r != 0 || holder_look(h, &pid) != HOLDER_SERVES)
			return r;
		if (clock_monotonic() >= until)
			return refuse_hidden(h, pid, err);
		nanosleep(&pause, NULL);
	}
}

void client_limit(struct client *c, int seconds)
{
	c->answer_seconds = seconds;
	if (c->patience_ms > seconds * 1000)
		c->patience_ms = seconds * 1000;
}

void client_patience(struct client *c, int ms)
{
	c->patience_ms = ms;
}

void client_free(struct client *c)
{
	if (!c)
		return;
	close(c->fd);
	buf_fini(&c->in);
	json_decref(c->claim);
	free(c->since);
	free(c);
}

void client_claim(struct client *c, json_t *claim)
{
	json_decref(c->claim);
	c->claim = claim;
}

pid_t client_pid(const struct client *c)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return 0;
	return peer.pid;
}

bool client_was_lost(const struct client *c)
{
	return c->lost;
}

bool client_is_unsure(const struct client *c)
{
	return c->unanswered;
}

bool client_may_ask_again(const struct client *c)
{
	return c->lost || c->again;
}

const char *client_store_away_since(const struct client *c)
{
	return c->since;
}

bool client_is_earlier(const struct client *c)
{
	return c->earlier;
}

bool client_is_usable(const struct client *c)
{
	char byte;
	ssize_t n;

	if (c->lost || c->unanswered || c->in.len)
		return false;
	n = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static int lost(struct client *c, struct error *err)
{
	c->lost = true;
	error_set(err, ERR_UNAVAILABLE, "the daemon went away before it answered");
	return error_hint(err, "see what happened with 'belfry daemon status' and its log");
}

static int broken(struct client *c, int os_errno, const char *what, struct error *err)
{
	if (os_errno == EPIPE || os_errno == ECONNRESET)
		return lost(c, err);
	error_set_errno(err, os_errno, "cannot %s the daemon", what);
	return err->code = ERR_UNAVAILABLE;
}

/* The daemon is well: it waits for its server, and goes on when that answers. */
static int refuse_waiting(const struct client *c, int pid, struct error *err)
{
	AUTO(config_free) struct config *config = NULL;
	struct error unreadable = {0};
	AUTO(free) char *url = NULL, *shown = NULL;

	(void)config_load(c->home->config_file, &config, &unreadable);
	url = home_store_url(c->home, config);
	shown = text_store_shown(url);
	error_set(err, ERR_UNAVAILABLE,
		  "store '%s' does not answer: the daemon (process %d) waits for it", shown, pid);
	return error_hint(err,
			  "see that the PostgreSQL server runs, and that nobody holds a lock on "
			  "its tables; the daemon goes on when it answers");
}

/* `waits`: it was seen to wait for its store, though perhaps not just now, between two tries. */
static int refuse_silence(const struct client *c, enum silence_kind kind, bool waits,
			  struct error *err)
{
	int pid = (int)client_pid(c);

	if (kind != SILENCE_STOPPED && waits)
		return refuse_waiting(c, pid, err);
	if (kind == SILENCE_BUSY) {
		error_set(err, ERR_UNAVAILABLE, "the daemon did not answer within %d seconds",
			  c->answer_seconds);
		return error_hint(err, "it is very busy: 'belfry daemon status', and its log");
	}
	error_set(err, ERR_UNAVAILABLE, "the daemon (process %d) does not answer%s", pid,
		  kind == SILENCE_STOPPED ? ": it is stopped" : "");
	if (kind == SILENCE_STOPPED)
		return error_hint(err, "let it go on with 'kill -CONT %d'", pid);
	return error_hint(
		err,
		"'belfry doctor' says whether its store answers; 'kill -KILL %d' ends it, and "
		"nothing saved is lost",
		pid);
}

/* Wait until the socket can be read or written. */
static int await(struct client *c, short events, struct error *err)
{
	struct pollfd wait = {c->fd, events, 0};
	struct silence silence;
	bool waits = false;
	int ms = FIRST_LOOK_MS < c->patience_ms ? FIRST_LOOK_MS : c->patience_ms;
	int r = poll(&wait, 1, ms);

	/* Most of the time that was all, and no process is looked at. */
	if (r > 0)
		return 0;
	silence = silence_begin(client_pid(c));
	silence.began -= ms * USEC_PER_MSEC;
	silence.alive_at -= ms * USEC_PER_MSEC;
	for (;;) {
		usec_t patience = (c->takes_long ? c->answer_seconds * USEC_PER_SEC
						 : c->patience_ms * USEC_PER_MSEC);
		enum silence_kind kind = silence_look(&silence, patience);

		waits = waits || holder_waits_for_store(client_pid(c));
		if (kind != SILENCE_BUSY ||
		    clock_monotonic() - silence.began >= c->answer_seconds * USEC_PER_SEC)
			return refuse_silence(c, kind, waits, err);
		r = poll(&wait, 1, LOOK_MS);
		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return broken(c, errno, "wait for", err);
	}
}

/* One that refuses us says why and hangs up, whether we have asked already or not. */
static bool has_said_something(const struct client *c)
{
	char byte;

	return c->in.len || recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
}

static int send_all(struct client *c, const char *bytes, size_t len, struct error *err)
{
	while (len) {
		ssize_t n = send(c->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			if (await(c, POLLOUT, err) < 0)
				return err->code;
			continue;
		}
		if (n < 0 && errno == EPIPE && has_said_something(c))
			return 0;
		if (n < 0)
			return broken(c, errno, "write to", err);
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Requests whose turn may last, while the daemon waits for its database. */
static bool is_long(const char *request)
{
	return strncmp(request, "import ", 7) == 0 || strcmp(request, "store check") == 0;
}

/* Only where the environment names one: else the daemon's is meant, whichever that is. */
static void put_store(const struct client *c, json_t *line)
{
	const char *named = getenv("BELFRY_STORE");
	AUTO(free) char *url = named && *named ? home_store_url(c->home, NULL) : NULL;
	AUTO(free) char *shown = url ? text_store_shown(url) : NULL;

	if (shown)
		json_put_text(line, "store", shown);
}

int client_send_once(struct client *c, const char *id, const char *request, const json_t *args,
		     const char *zone, struct error *err)
{
	AUTO(json_decref) json_t *line = json_object();
	AUTO(free) char *text = NULL;
	size_t len;

	json_put_text(line, "request", request);
	json_put(line, "args", args ? json_incref((json_t *)(uintptr_t)args) : json_object());
	json_put_text(line, "zone", zone);
	if (c->claim)
		json_put(line, "caller", json_incref(c->claim));
	if (id)
		json_put_text(line, "id", id);
	put_store(c, line);
	c->takes_long = is_long(request);
	text = json_text(line);
	/* The newline goes out with the line, in the place of its NUL: one wake-up of the daemon.
	 */
	len = strlen(text);
	text[len] = '\n';
	return send_all(c, text, len + 1, err);
}

int client_send(struct client *c, const char *request, const json_t *args, const char *zone,
		struct error *err)
{
	return client_send_once(c, NULL, request, args, zone, err);
}

/* Returns the length of the next line, without its newline, which is complete in c->in. */
static int receive_line(struct client *c, size_t *ret_len, struct error *err)
{
	for (;;) {
		const char *end =
			c->in.len ? memchr(c->in.data + c->scanned, '\n', c->in.len - c->scanned)
				  : NULL;
		ssize_t n;

		if (end) {
			*ret_len = (size_t)(end - c->in.data);
			c->scanned = 0;
			return 0;
		}
		c->scanned = c->in.len;
		if (c->in.len > REPLY_MAX)
			return error_set(err, ERR_UNAVAILABLE, "the daemon's answer is too long");
		buf_reserve(&c->in, READ_SIZE);
		if (await(c, POLLIN, err) < 0)
			return err->code;
		n = recv(c->fd, c->in.data + c->in.len, READ_SIZE, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
			continue;
		if (n < 0)
			return broken(c, errno, "read from", err);
		if (n == 0)
			return lost(c, err);
		c->in.len += (size_t)n;
	}
}

static int read_error(struct client *c, const json_t *reply, struct error *err)
{
	const json_t *e = json_object_get(reply, "error");
	const char *code = json_string_value(json_object_get(e, "code"));
	const char *message = json_string_value(json_object_get(e, "message"));
	const char *hint = json_string_value(json_object_get(e, "hint"));

	mem_replace(&c->since, json_string_value(json_object_get(e, "since")));
	error_set(err, code ? error_code_of(code) : ERR_SYSTEM, "%s",
		  message ? message : "the daemon gave an answer that cannot be understood");
	return error_hint(err, "%s", hint ? hint : "");
}

int client_receive(struct client *c, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *reply = NULL;
	json_t *result;
	size_t len = 0;
	int r = receive_line(c, &len, err);

	c->unanswered = r < 0;
	c->again = c->earlier = false;
	mem_replace(&c->since, NULL);
	if (r == 0) {
		r = json_parse(c->in.data, len, &reply, err);
		if (r < 0)
			error_prefix(err, "the daemon's answer");
		buf_drop_front(&c->in, len + 1);
	}
	if (r < 0)
		return r;
	c->again = json_is_true(json_object_get(reply, "again"));
	c->earlier = json_is_true(json_object_get(reply, "earlier"));
	if (!json_is_true(json_object_get(reply, "ok")))
		return read_error(c, reply, err);
	result = json_object_get(reply, "result");
	*ret = result ? json_incref(result) : json_null();
	return 0;
}

json_t *client_status(const struct home *h, const char *zone)
{
	AUTO(client_free) struct client *c = NULL;
	AUTO(json_decref) json_t *args = json_object();
	json_t *result = NULL;
	struct error err = {0};

	if (client_connect(h, &c, &err) <= 0)
		return NULL;
	client_limit(c, STATUS_SECONDS);
	if (client_send(c, "status", args, zone, &err) < 0 || client_receive(c, &result, &err) < 0)
		return NULL;
	return result;
}
