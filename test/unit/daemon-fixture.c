/* daemon-fixture.c: the daemon under test, in a process of its own, and its client. */
#include "daemon-fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "agent/wrapper.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/daemon.h"

struct fixture fx;

/* --- a daemon to talk to ------------------------------------------------------------------ */

static void run_daemon(int ready)
{
	struct error err = {0};
	int log = open("daemon.log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	int r;

	dup2(log, STDERR_FILENO);
	r = daemon_run(fx.home, &(struct daemon_wish){.ready_fd = ready}, &err);
	if (r < 0)
		dprintf(STDERR_FILENO, "%s\n%s\n", err.message, err.hint);
	home_free(fx.home);
	exit(r < 0 ? error_exit_status((enum error_code)r) : 0);
}

/* Answers whether it became ready. */
bool start_daemon(void)
{
	int ready[2];
	char byte;
	ssize_t n;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	fx.pid = fork();
	if (fx.pid == 0) {
		close(ready[0]);
		run_daemon(ready[1]);
	}
	close(ready[1]);
	n = read(ready[0], &byte, 1);
	close(ready[0]);
	return n == 1;
}

int wait_daemon(void)
{
	int status = -1;

	assert_int_equal(waitpid(fx.pid, &status, 0), fx.pid);
	fx.pid = 0;
	return status;
}

void show_log(void)
{
	AUTO_BUF struct buf log = {0};
	struct error err = {0};

	if (file_read("daemon.log", 1 << 20, &log, &err) == 0)
		fprintf(stderr, "%s", buf_text(&log));
}

void stop_daemon(int number)
{
	int status;

	assert_int_equal(kill(fx.pid, number), 0);
	status = wait_daemon();
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		show_log();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(access(fx.home->socket, F_OK), -1);
}

bool log_has(const char *text)
{
	AUTO_BUF struct buf log = {0};
	struct error err = {0};

	assert_int_equal(file_read("daemon.log", 1 << 20, &log, &err), 0);
	return strstr(buf_text(&log), text) != NULL;
}

size_t log_count(const char *text)
{
	AUTO_BUF struct buf log = {0};
	struct error err = {0};
	size_t count = 0;

	assert_int_equal(file_read("daemon.log", 1 << 20, &log, &err), 0);
	for (const char *p = buf_text(&log); (p = strstr(p, text)); p++)
		count++;
	return count;
}

int setup_home(void **state)
{
	struct error err = {0};

	(void)state;
	strcpy(fx.folder, "/tmp/belfry-daemon-XXXXXX");
	if (!mkdtemp(fx.folder) || chdir(fx.folder) < 0)
		return -1;
	setenv("BELFRY_HOME", fx.folder, 1);
	return home_find(&fx.home, &err);
}

int setup(void **state)
{
	if (setup_home(state) < 0 || !start_daemon()) {
		show_log();
		return -1;
	}
	return 0;
}

int teardown(void **state)
{
	AUTO(free) char *command = mem_printf("rm -rf '%s'", fx.folder);

	(void)state;
	if (fx.pid) {
		kill(fx.pid, SIGKILL);
		wait_daemon();
	}
	home_free(fx.home);
	fx.home = NULL;
	return chdir("/") < 0 || system(command) != 0;
}

/* --- a client ----------------------------------------------------------------------------- */

int dial(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	/* Relative to the home we are in: also a long path is short here. */
	strcpy(address.sun_path, "belfry.sock");
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

void say(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		assert_true(n > 0);
		text += n;
		len -= (size_t)n;
	}
}

/* One line without its newline, or NULL at the end. What follows it stays in the socket. */
char *hear(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	struct buf line = {0};

	for (;;) {
		char chunk[65536], *end;
		ssize_t n;

		if (poll(&pfd, 1, PATIENCE_MS) != 1)
			fail_msg("no reply");
		n = recv(fd, chunk, sizeof(chunk), MSG_PEEK);
		if (n <= 0) {
			buf_fini(&line);
			return NULL;
		}
		end = memchr(chunk, '\n', (size_t)n);
		n = recv(fd, chunk, end ? (size_t)(end - chunk) + 1 : (size_t)n, 0);
		buf_add(&line, chunk, (size_t)n - (end != NULL));
		if (end)
			return buf_steal(&line);
	}
}

json_t *hear_json(int fd)
{
	AUTO(free) char *line = hear(fd);
	struct error err = {0};
	json_t *value = NULL;

	if (!line)
		fail_msg("connection closed");
	if (json_parse(line, strlen(line), &value, &err) < 0)
		fail_msg("%s: '%s'", err.message, line);
	return value;
}

/* The reply to one line on a connection of its own. */
json_t *ask(const char *fmt, ...)
{
	AUTO_CLOSE int fd = dial();
	char *line;
	json_t *reply;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&line, fmt, ap) >= 0);
	va_end(ap);
	say(fd, line);
	say(fd, "\n");
	free(line);
	reply = hear_json(fd);
	return reply;
}

bool is_ok(json_t *stolen)
{
	bool ok = json_is_true(json_object_get(stolen, "ok"));

	json_decref(stolen);
	return ok;
}

/* The code of an error reply; "" when it is none. */
const char *code_of(const json_t *reply)
{
	const char *code =
		json_string_value(json_object_get(json_object_get(reply, "error"), "code"));

	return code ? code : "";
}

const char *message_of(const json_t *reply)
{
	const char *text =
		json_string_value(json_object_get(json_object_get(reply, "error"), "message"));

	return text ? text : "";
}

json_t *state_now(void)
{
	AUTO(json_decref) json_t *reply = ask("{\"request\":\"state\"}");
	json_t *result = json_object_get(reply, "result");

	if (!result)
		fail_msg("state: %s", message_of(reply));
	return json_incref(result);
}

int64_t state_int(const char *name)
{
	AUTO(json_decref) json_t *state = state_now();

	return json_integer_value(json_object_get(state, name));
}

void nap(int ms)
{
	poll(NULL, 0, ms);
}

static char daemon_activity(void)
{
	AUTO(free) char *path = mem_printf("/proc/%d/stat", (int)fx.pid);
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	const char *p;

	assert_int_equal(file_read(path, 4096, &text, &err), 0);
	p = strrchr(buf_text(&text), ')');
	return p && p[1] ? p[2] : '?';
}

/* Until it has nothing to do: seen asleep several times in a row. */
void wait_asleep(void)
{
	usec_t until = clock_monotonic() + PATIENCE_MS * USEC_PER_MSEC;

	for (int seen = 0; seen < 5; nap(2)) {
		seen = daemon_activity() == 'S' ? seen + 1 : 0;
		if (clock_monotonic() > until)
			fail_msg("the daemon never sleeps");
	}
}

void wait_state(const char *name, int64_t least)
{
	usec_t until = clock_monotonic() + PATIENCE_MS * USEC_PER_MSEC;

	while (state_int(name) < least) {
		if (clock_monotonic() > until)
			fail_msg("'%s' never reached %lld", name, (long long)least);
		nap(10);
	}
}

json_t *wait_item(const char *list, int64_t key)
{
	usec_t until = clock_monotonic() + PATIENCE_MS * USEC_PER_MSEC;

	for (;; nap(10)) {
		AUTO(json_decref) json_t *state = state_now();
		json_t *items = json_object_get(state, list), *item;
		size_t i;

		json_array_foreach(items, i, item)
		{
			if (json_integer_value(json_object_get(item, "key")) == key)
				return json_incref(item);
		}
		if (clock_monotonic() > until)
			fail_msg("'%s' never had %lld", list, (long long)key);
	}
}

json_t *wait_end(int64_t key)
{
	return wait_item("ends", key);
}

void start_job(int64_t key, const char *rest)
{
	assert_true(is_ok(
		ask("{\"request\":\"job\",\"args\":{\"key\":%lld,%s}}", (long long)key, rest)));
}

int64_t end_int(const json_t *end, const char *name)
{
	return json_integer_value(json_object_get(end, name));
}

const char *end_text(const json_t *end, const char *name)
{
	const char *text = json_string_value(json_object_get(end, name));

	return text ? text : "(none)";
}

void break_step(const char *step, int count, const char *code)
{
	assert_true(is_ok(ask("{\"request\":\"break\",\"args\":{\"step\":\"%s\",\"count\":%d,"
			      "\"code\":\"%s\"}}",
			      step, count, code)));
}

bool runs(const char *marker)
{
	AUTO(free) char *command = mem_printf("pgrep -f '[s]leep %s' > /dev/null", marker);

	return system(command) == 0;
}

void write_config(const char *text)
{
	struct error err = {0};

	assert_int_equal(file_write(fx.home->config_file, text, strlen(text), &err), 0);
}

int run_wrapper(char **argv)
{
	AUTO(free) char *missions = mem_printf("%s/missions", getenv("BELFRY_HOME"));
	AUTO(free) char *repos = mem_printf("%s/repos", getenv("BELFRY_HOME"));
	const struct wrapper_place place = {missions, repos};

	if (strcmp(argv[2], "nursery") == 0)
		return nursery_main(atoi(argv[4]), &place);
	return strcmp(argv[2], "sweep") == 0 ? wrapper_sweep(missions, argv[3]) : 2;
}
