/*
 * socket-bench.c: clients of the control socket.
 *
 *	socket-bench add SOCKET CLIENTS SECONDS   adds a second, and their p50 and p99 in µs
 *	socket-bench rate SOCKET CLIENTS SECONDS REQUEST   the same of one request
 *	socket-bench ask SOCKET COUNT REQUEST     p50 and p99 of one request, in µs
 *	socket-bench start SOCKET COMMAND…        milliseconds from exec until the first answer
 *
 * Every client has one request under way and sends the next when it was answered, as programs that
 * wait for their reminder to be saved do.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define CLIENTS_MAX 1024
#define SAMPLES_MAX 2000000
#define REPLY_MAX 65536
#define START_SECONDS 30

static double samples[SAMPLES_MAX];
static size_t sample_count;

struct client {
	int fd;
	double asked_at;
};

static int try_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		die("socket-bench: '%s' cannot be used", path);
	strcpy(address.sun_path, path);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void ask(struct client *c, const char *line)
{
	size_t len = strlen(line);

	c->asked_at = seconds_of(CLOCK_MONOTONIC);
	if (send(c->fd, line, len, MSG_NOSIGNAL) != (ssize_t)len)
		die("socket-bench: cannot send");
}

static void take_answer(struct client *c)
{
	static char reply[REPLY_MAX];
	size_t len = 0;

	do {
		ssize_t n = recv(c->fd, reply + len, sizeof(reply) - 1 - len, 0);

		if (n <= 0)
			die("socket-bench: the daemon went away");
		len += (size_t)n;
		if (len == sizeof(reply) - 1)
			die("socket-bench: the answer is too long");
	} while (reply[len - 1] != '\n');
	reply[len] = '\0';
	if (!strstr(reply, "\"ok\": true") && !strstr(reply, "\"ok\":true"))
		die("socket-bench: %s", reply);
	if (sample_count < SAMPLES_MAX)
		samples[sample_count++] = seconds_of(CLOCK_MONOTONIC) - c->asked_at;
}

static const char *repeated; /* asked instead of that, when it is given */

static void ask_to_add(struct client *c)
{
	static const char format[] =
		"{\"request\":\"reminder add\",\"args\":{\"agent\":\"me\",\"message\":\"look at "
		"number %d\",\"cron\":\"%d %d * * 1-5\",\"tz\":\"Europe/Berlin\"}}\n";
	static int number;
	char line[1024];

	if (repeated) {
		snprintf(line, sizeof(line), "%s\n", repeated);
		ask(c, line);
		return;
	}

	number++;
	snprintf(line, sizeof(line), format, number, number % 60, number / 60 % 24);
	ask(c, line);
}

static void print_percentiles(void)
{
	printf("%.1f %.1f\n", percentile(samples, sample_count, 50) * 1e6,
	       percentile(samples, sample_count, 99) * 1e6);
}

static int watch_clients(struct client *clients, size_t count, const char *path)
{
	int poll = epoll_create1(EPOLL_CLOEXEC);

	for (size_t i = 0; i < count; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};

		clients[i].fd = try_connect(path);
		if (clients[i].fd < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].fd, &event) < 0)
			die("socket-bench: cannot connect to '%s'", path);
	}
	return poll;
}

static void bench_add(const char *path, size_t count, double limit)
{
	static struct client clients[CLIENTS_MAX];
	struct epoll_event events[CLIENTS_MAX];
	double begin, took;
	int poll;

	if (count > CLIENTS_MAX)
		die("socket-bench: at most %d clients", CLIENTS_MAX);
	poll = watch_clients(clients, count, path);
	begin = seconds_of(CLOCK_MONOTONIC);
	for (size_t i = 0; i < count; i++)
		ask_to_add(&clients[i]);
	while ((took = seconds_of(CLOCK_MONOTONIC) - begin) < limit) {
		int ready = epoll_wait(poll, events, CLIENTS_MAX, 1000);

		for (int i = 0; i < ready; i++) {
			take_answer(events[i].data.ptr);
			ask_to_add(events[i].data.ptr);
		}
	}
	printf("%.0f ", (double)sample_count / took);
	print_percentiles();
}

static void bench_ask(const char *path, size_t count, const char *request)
{
	struct client c = {.fd = try_connect(path)};
	char line[1024];

	snprintf(line, sizeof(line), "%s\n", request);
	if (c.fd < 0)
		die("socket-bench: cannot connect to '%s'", path);
	for (size_t i = 0; i < count; i++) {
		ask(&c, line);
		take_answer(&c);
	}
	print_percentiles();
}

static void bench_start(const char *path, char *const *command)
{
	static const char line[] = "{\"request\":\"daemon status\"}\n";
	double begin = seconds_of(CLOCK_MONOTONIC), took = 0;
	const struct timespec pause = {.tv_nsec = 200000};
	struct client c = {.fd = -1};
	char one;
	pid_t pid;

	if (posix_spawnp(&pid, command[0], NULL, NULL, command, environ) != 0)
		die("socket-bench: cannot start '%s'", command[0]);
	while (c.fd < 0 && took < START_SECONDS) {
		c.fd = try_connect(path);
		if (c.fd < 0)
			nanosleep(&pause, NULL);
		took = seconds_of(CLOCK_MONOTONIC) - begin;
	}
	if (c.fd < 0)
		die("socket-bench: no daemon after %d s", START_SECONDS);
	/* Any line it answers will do, an error as well. */
	ask(&c, line);
	if (recv(c.fd, &one, 1, 0) != 1)
		die("socket-bench: the daemon does not answer");
	printf("%.1f %d\n", (seconds_of(CLOCK_MONOTONIC) - begin) * 1e3, (int)pid);
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "add") == 0)
		bench_add(argv[2], strtoul(argv[3], NULL, 10), atof(argv[4]));
	else if (argc == 6 && strcmp(argv[1], "rate") == 0) {
		repeated = argv[5];
		bench_add(argv[2], strtoul(argv[3], NULL, 10), atof(argv[4]));
	} else if (argc == 5 && strcmp(argv[1], "ask") == 0)
		bench_ask(argv[2], strtoul(argv[3], NULL, 10), argv[4]);
	else if (argc > 3 && strcmp(argv[1], "start") == 0)
		bench_start(argv[2], argv + 3);
	else
		die("usage: socket-bench add|rate|ask|start …");
	return 0;
}
