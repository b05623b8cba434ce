/*
 * mission-bench.c: what missions are measured with, and their raw limits.
 *
 *	mission-bench add SOCKET COUNT FIRST STEP AGENT   reminders that run AGENT, due at FIRST,
 *	                                                  FIRST + STEP …, seconds since 1970; each
 *	                                                  tells its agent the instant it is due
 *	mission-bench late FOLDER COUNT STEP COMMAND…     the raw limit of a start: a timerfd, twice
 *	                                                  a page and fdatasync, posix_spawn; the
 *	                                                  command gets the instant as its input
 *	mission-bench stamps FILE                         p50 and p99 in µs of what bench-agent wrote,
 *	                                                  and how many there were
 *	mission-bench spawn COUNT PARALLEL COMMAND…       starts a second, so many at a time
 */
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define PAGE 4096
#define REPLY_MAX 65536
#define SAMPLES_MAX 10000

/* --- add ---------------------------------------------------------------------------------- */

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		die("mission-bench: '%s' cannot be used", path);
	strcpy(address.sun_path, path);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		die("mission-bench: cannot connect to '%s'", path);
	return fd;
}

static void add_one(int fd, double due, const char *agent)
{
	char line[512], reply[REPLY_MAX], text[32];
	int64_t micros = llround(due * 1e6);
	time_t seconds = (time_t)(micros / 1000000);
	size_t len = 0;
	int size;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime(&seconds));
	size = snprintf(
		line, sizeof(line),
		"{\"request\":\"reminder add\",\"args\":{\"agent\":\"%s\",\"message\":\"%lld\","
		"\"at\":\"%s.%06dZ\",\"tz\":\"UTC\",\"run\":true}}\n",
		agent, (long long)micros, text, (int)(micros % 1000000));
	if (send(fd, line, (size_t)size, MSG_NOSIGNAL) != size)
		die("mission-bench: cannot send");
	do {
		ssize_t n = recv(fd, reply + len, sizeof(reply) - 1 - len, 0);

		if (n <= 0)
			die("mission-bench: the daemon went away");
		len += (size_t)n;
	} while (reply[len - 1] != '\n' && len < sizeof(reply) - 1);
	reply[len] = '\0';
	if (!strstr(reply, "\"ok\": true") && !strstr(reply, "\"ok\":true"))
		die("mission-bench: %s", reply);
}

static void add(const char *path, size_t count, double first, double step, const char *agent)
{
	int fd = connect_to(path);

	for (size_t i = 0; i < count; i++)
		add_one(fd, first + (double)i * step, agent);
	close(fd);
}

/* --- raw starts --------------------------------------------------------------------------- */

static pid_t spawn(char *const *command, int input)
{
	posix_spawn_file_actions_t files;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	if (input >= 0)
		posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	else
		posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, command[0], &files, NULL, command, environ) != 0)
		die("mission-bench: cannot start '%s'", command[0]);
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

static void await_timer(int timer, double due)
{
	struct itimerspec at = {.it_value.tv_sec = (time_t)due};
	uint64_t expirations;

	at.it_value.tv_nsec = (long)((due - (double)at.it_value.tv_sec) * 1e9);
	if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL) < 0 ||
	    read(timer, &expirations, sizeof(expirations)) < 0)
		die("mission-bench: no timer");
}

static void put_page(int file)
{
	char page[PAGE] = {1};

	if (write(file, page, sizeof(page)) != sizeof(page) || fdatasync(file) < 0)
		die("mission-bench: this folder cannot be written");
}

static void late_once(int timer, int file, double step, char *const *command)
{
	double due = seconds_of(CLOCK_REALTIME) + step;
	int input = memfd_create("due", MFD_CLOEXEC);

	dprintf(input, "%.0f\n", due * 1e6);
	lseek(input, 0, SEEK_SET);
	await_timer(timer, due);
	put_page(file);
	put_page(file);
	waitpid(spawn(command, input), NULL, 0);
	close(input);
}

static void late(const char *folder, size_t count, double step, char *const *command)
{
	char path[PAGE];
	int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC), file;

	snprintf(path, sizeof(path), "%s/raw-start", folder);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (timer < 0 || file < 0)
		die("mission-bench: '%s' cannot be written", path);
	for (size_t i = 0; i < count; i++)
		late_once(timer, file, step, command);
	unlink(path);
}

static void spawn_many(size_t count, size_t parallel, char *const *command)
{
	double begin = seconds_of(CLOCK_MONOTONIC);
	size_t begun = 0, running = 0;

	while (begun < count || running) {
		if (begun < count && running < parallel) {
			spawn(command, -1);
			begun++;
			running++;
		} else if (waitpid(-1, NULL, 0) > 0) {
			running--;
		}
	}
	printf("%.0f\n", (double)count / (seconds_of(CLOCK_MONOTONIC) - begin));
}

/* --- stamps ------------------------------------------------------------------------------- */

static void stamps(const char *path)
{
	static double late_by[SAMPLES_MAX];
	FILE *file = fopen(path, "re");
	double due, began;
	size_t count = 0;

	/* NOLINTNEXTLINE(cert-err34-c): bench-agent wrote it */
	while (file && count < SAMPLES_MAX && fscanf(file, "%lf %lf", &due, &began) == 2)
		late_by[count++] = began - due;
	if (!count)
		die("mission-bench: nothing was started");
	printf("%.1f %.1f %zu\n", percentile(late_by, count, 50), percentile(late_by, count, 99),
	       count);
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc == 7 && strcmp(argv[1], "add") == 0)
		add(argv[2], strtoul(argv[3], NULL, 10), atof(argv[4]), atof(argv[5]), argv[6]);
	else if (argc > 5 && strcmp(argv[1], "late") == 0)
		late(argv[2], strtoul(argv[3], NULL, 10), atof(argv[4]), argv + 5);
	else if (argc == 3 && strcmp(argv[1], "stamps") == 0)
		stamps(argv[2]);
	else if (argc > 4 && strcmp(argv[1], "spawn") == 0)
		spawn_many(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), argv + 4);
	else
		die("usage: mission-bench add|late|stamps|spawn …");
	return 0;
}
