/*
 * mcp-bench.c: clients of MCP, each with one call under way, which sends the next when it was answered.
 *
 *	mcp-bench stdio SECONDS CALL COMMAND…                    `belfry mcp`, by its standard input and output
 *	mcp-bench http SECONDS CALL URL TOKEN CONNECTIONS        POST to http://127.0.0.1:PORT/mcp, kept alive
 *
 * CALL is the params of a tools/call. Prints calls a second, and their p50 and p99 in µs.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define CLIENTS_MAX 64
#define SAMPLES_MAX 2000000
#define REPLY_MAX (256 * 1024)
#define REQUEST_MAX 8192

static const char hello[] =
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
	"\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}"
	"}";
static const char ready[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

static double samples[SAMPLES_MAX];
static size_t sample_count;

struct client {
	int in, out;
	char reply[REPLY_MAX + 1];
	size_t len;
	double asked_at;
};
static struct client clients[CLIENTS_MAX];

static void put(struct client *c, const char *text)
{
	size_t len = strlen(text), done = 0;

	c->len = 0;
	while (done < len) {
		ssize_t n = write(c->out, text + done, len - done);

		if (n <= 0)
			die("mcp-bench: cannot send");
		done += (size_t)n;
	}
}

/* All of it is there: a line, or a head and as many bytes as it says. */
static bool is_whole(const struct client *c, bool http)
{
	const char *body, *length;

	if (!http)
		return c->len && c->reply[c->len - 1] == '\n';
	body = strstr(c->reply, "\r\n\r\n");
	length = strcasestr(c->reply, "content-length:");
	if (!body)
		return false;
	if (!length || length > body)
		return strncmp(c->reply, "HTTP/1.1 202", 12) == 0;
	return c->len >= (size_t)(body + 4 - c->reply) + strtoul(length + 15, NULL, 10);
}

/* Returns whether it is all there now. */
static bool take(struct client *c, bool http)
{
	ssize_t n = read(c->in, c->reply + c->len, REPLY_MAX - c->len);

	if (n <= 0)
		die("mcp-bench: it went away, or its answer is too long");
	c->len += (size_t)n;
	c->reply[c->len] = '\0';
	return is_whole(c, http);
}

static void take_all(struct client *c, bool http)
{
	while (!take(c, http))
		;
}

static void send_call(struct client *c, const char *request)
{
	c->asked_at = seconds_of(CLOCK_MONOTONIC);
	put(c, request);
}

static void note_answer(const struct client *c)
{
	if (strstr(c->reply, "\"isError\":true") || !strstr(c->reply, "\"result\""))
		die("mcp-bench: %s", c->reply);
	if (sample_count < SAMPLES_MAX)
		samples[sample_count++] = seconds_of(CLOCK_MONOTONIC) - c->asked_at;
}

static void call_for(size_t count, double limit, const char *request, bool http)
{
	struct pollfd polls[CLIENTS_MAX];
	double begin = seconds_of(CLOCK_MONOTONIC), took;

	for (size_t i = 0; i < count; i++) {
		polls[i] = (struct pollfd){.fd = clients[i].in, .events = POLLIN};
		send_call(&clients[i], request);
	}
	while ((took = seconds_of(CLOCK_MONOTONIC) - begin) < limit) {
		poll(polls, count, 1000);
		for (size_t i = 0; i < count; i++) {
			if (!polls[i].revents || !take(&clients[i], http))
				continue;
			note_answer(&clients[i]);
			send_call(&clients[i], request);
		}
	}
	printf("%.0f %.1f %.1f\n", (double)sample_count / took,
	       percentile(samples, sample_count, 50) * 1e6,
	       percentile(samples, sample_count, 99) * 1e6);
}

static void make_call(char *ret, const char *params)
{
	snprintf(ret, REQUEST_MAX,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":%s}", params);
}

/* --- stdio -------------------------------------------------------------------------------- */

static pid_t start(char *const *command, struct client *c)
{
	posix_spawn_file_actions_t ends;
	int to[2], from[2];
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		die("mcp-bench: no pipe");
	posix_spawn_file_actions_init(&ends);
	posix_spawn_file_actions_adddup2(&ends, to[0], 0);
	posix_spawn_file_actions_adddup2(&ends, from[1], 1);
	if (posix_spawnp(&pid, command[0], &ends, NULL, command, environ) != 0)
		die("mcp-bench: cannot start '%s'", command[0]);
	close(to[0]);
	close(from[1]);
	c->out = to[1];
	c->in = from[0];
	return pid;
}

static void bench_stdio(double limit, const char *params, char *const *command)
{
	static char request[REQUEST_MAX + 1];
	struct client *c = &clients[0];
	pid_t pid = start(command, c);

	make_call(request, params);
	strcat(request, "\n");
	put(c, hello);
	put(c, "\n");
	take_all(c, false);
	put(c, ready);
	put(c, "\n");
	call_for(1, limit, request, false);
	take_all(c, false);
	close(c->out);
	waitpid(pid, NULL, 0);
}

/* --- HTTP --------------------------------------------------------------------------------- */

static void make_post(char *ret, size_t size, int port, const char *token, const char *session,
		      const char *body)
{
	snprintf(ret, size,
		 "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
		 "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
		 "MCP-Protocol-Version: 2025-06-18\r\n%s%s%sContent-Length: %zu\r\n\r\n%s",
		 port, token, *session ? "Mcp-Session-Id: " : "", session, *session ? "\r\n" : "",
		 strlen(body), body);
}

static void open_connection(struct client *c, int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		die("mcp-bench: cannot connect to port %d", port);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->in = c->out = fd;
}

/* The session that the first one begins is that of all: so does a client with several calls under way. */
static void greet(struct client *c, int port, const char *token, char *ret, size_t size)
{
	char request[REQUEST_MAX];
	const char *found;

	make_post(request, sizeof(request), port, token, "", hello);
	put(c, request);
	take_all(c, true);
	found = strcasestr(c->reply, "mcp-session-id: ");
	if (!found)
		die("mcp-bench: no session: %s", c->reply);
	found += strlen("mcp-session-id: ");
	snprintf(ret, size, "%.*s", (int)strcspn(found, "\r\n"), found);
	make_post(request, sizeof(request), port, token, ret, ready);
	put(c, request);
	take_all(c, true);
}

static void bench_http(double limit, const char *params, const char *url, const char *token,
		       size_t count)
{
	static char body[REQUEST_MAX], request[2 * REQUEST_MAX];
	const char *colon = strrchr(url, ':');
	char session[256];
	int port = colon ? (int)strtol(colon + 1, NULL, 10) : 0;

	if (!port || count < 1 || count > CLIENTS_MAX)
		die("mcp-bench: '%s' has no port, or there are more than %d connections", url,
		    CLIENTS_MAX);
	for (size_t i = 0; i < count; i++)
		open_connection(&clients[i], port);
	greet(&clients[0], port, token, session, sizeof(session));
	make_call(body, params);
	make_post(request, sizeof(request), port, token, session, body);
	call_for(count, limit, request, true);
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (argc > 4 && strcmp(argv[1], "stdio") == 0)
		bench_stdio(strtod(argv[2], NULL), argv[3], argv + 4);
	else if (argc == 7 && strcmp(argv[1], "http") == 0)
		bench_http(strtod(argv[2], NULL), argv[3], argv[4], argv[5],
			   strtoul(argv[6], NULL, 10));
	else
		die("usage: mcp-bench stdio|http …");
	return 0;
}
