/*
 * check.c: does it work? Asked the way a client asks.
 * The server is started and greeted over pipes, a hook is called with an event as clients write them. Each
 * is a child with a limit of time, alone in its process group, and nothing of it is left afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/presence.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/mem.h"
#include "setup/setup.h"

#define LIMIT (30 * USEC_PER_SEC)
#define GRACE (1 * USEC_PER_SEC)
#define OUTPUT_MAX ((size_t)4 * 1024 * 1024)

/* A child with its standard streams in our hands. */
struct child {
	pid_t pid;
	int in, out, errors;
	struct buf output;
	usec_t deadline;
	int status; /* of waitpid(), once it has been waited for */
};

static _Noreturn void become(const char *const *argv, int in, int out, int errors)
{
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Whatever asks for the setup, this is not its doing. */
	unsetenv("BELFRY_MISSION_ID");
	if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(errors, 2) >= 0)
		execv(argv[0], (char *const *)(uintptr_t)argv);
	fprintf(stderr, "%s\n", strerror(errno));
	_exit(127);
}

static int child_start(struct child *c, const char *const *argv, struct error *err)
{
	AUTO_CLOSE int in = -1;
	AUTO_CLOSE int out = -1;
	int pair[2];

	*c = (struct child){.pid = -1, .in = -1, .out = -1, .deadline = clock_monotonic() + LIMIT};
	c->errors = memfd_create("errors", MFD_CLOEXEC);
	if (pipe2(pair, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot make a pipe");
	in = pair[0];
	c->in = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot make a pipe");
	c->out = pair[0];
	out = pair[1];
	c->pid = fork();
	if (c->pid < 0)
		return error_set_errno(err, errno, "cannot start '%s'", argv[0]);
	if (c->pid == 0)
		become(argv, in, out, c->errors);
	return 0;
}

static void child_write(struct child *c, const char *text)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	size_t len = strlen(text);

	/* One that has ended already is seen by its missing answer. */
	sigaction(SIGPIPE, &ignore, &old);
	while (len) {
		ssize_t n = write(c->in, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text += n;
		len -= (size_t)n;
	}
	sigaction(SIGPIPE, &old, NULL);
}

static void child_close(struct child *c)
{
	if (c->in >= 0)
		close(c->in);
	c->in = -1;
}

/* Some more output. False: it has ended, or there is no time left. */
static bool child_read(struct child *c)
{
	struct pollfd out = {.fd = c->out, .events = POLLIN};
	usec_t left = c->deadline - clock_monotonic();
	ssize_t n;

	if (left <= 0 || c->output.len > OUTPUT_MAX)
		return false;
	n = poll(&out, 1, (int)(left / USEC_PER_MSEC) + 1);
	if (n < 0)
		return errno == EINTR;
	if (n == 0)
		return false;
	buf_reserve(&c->output, 65536);
	n = read(c->out, c->output.data + c->output.len, 65536);
	if (n < 0)
		return errno == EINTR;
	c->output.len += (size_t)n;
	return n > 0;
}

/* Waited for until its time is up, then killed with all it started. */
static void child_end(struct child *c)
{
	child_close(c);
	if (c->pid > 0) {
		siginfo_t info = {0};

		while (clock_monotonic() < c->deadline &&
		       waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
		       info.si_pid == 0)
			usleep(2000);
		kill(-c->pid, SIGKILL);
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
			;
	}
	c->pid = -1;
}

static void child_fini(struct child *c)
{
	child_end(c);
	if (c->out >= 0)
		close(c->out);
	if (c->errors >= 0)
		close(c->errors);
	buf_fini(&c->output);
}
#define AUTO_CHILD __attribute__((cleanup(child_fini)))

/* The last line that it wrote about its troubles; "" when it wrote none. */
static void last_words(const struct child *c, char *ret, size_t max)
{
	char text[4096] = "", *line;
	off_t size = lseek(c->errors, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;

	if (size <= 0 || pread(c->errors, text, sizeof(text) - 1, from) <= 0)
		text[0] = '\0';
	for (size_t len = strlen(text); len && strchr(" \r\n", text[len - 1]); len--)
		text[len - 1] = '\0';
	line = strrchr(text, '\n');
	snprintf(ret, max, "%s", line ? line + 1 : text);
}

/* Findings */

static void found(json_t *list, const char *name, bool ok, char *detail, char *hint)
{
	json_t *o = json_object(), *text = json_string(detail);

	json_put_text(o, "name", name);
	json_put_bool(o, "ok", ok);
	json_put(o, "detail", text ? text : json_string("(no text)"));
	json_put_text(o, "hint", hint);
	json_array_append_new(list, o);
	free(detail);
	free(hint);
}

static void failed(json_t *list, const char *name, const struct child *c, const char *what)
{
	char words[300];

	last_words(c, words, sizeof(words));
	found(list, name, false, mem_printf("%s%s%s", what, *words ? ": " : "", words),
	      mem_strdup("belfry doctor"));
}

/* The line that answers request `id`; NULL: not there yet. */
static json_t *answer_in(const struct buf *output, json_int_t id)
{
	const char *p = buf_text(output), *end = p + output->len;

	for (const char *newline; p < end && (newline = memchr(p, '\n', (size_t)(end - p)));
	     p = newline + 1) {
		struct error ignored = {0};
		json_t *message = NULL;

		if (json_parse(p, (size_t)(newline - p), &message, &ignored) == 0 &&
		    json_integer_value(json_object_get(message, "id")) == id)
			return message;
		json_decref(message);
	}
	return NULL;
}

static json_t *child_answer(struct child *c, json_int_t id)
{
	json_t *answer = answer_in(&c->output, id);

	while (!answer && child_read(c))
		answer = answer_in(&c->output, id);
	return answer;
}

static void check_server(json_t *list, const struct client *client, const char *program)
{
	const char *const argv[] = {program, "mcp", NULL};
	AUTO(free)
	char *first =
		mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
			   "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
			   "\"name\":\"%s\",\"version\":\"" BELFRY_VERSION "\"}}}\n",
			   client->mcp_name);
	AUTO_CHILD struct child c;
	AUTO(json_decref) json_t *hello = NULL, *tools = NULL;
	struct error err = {0};
	size_t count;

	if (child_start(&c, argv, &err) < 0) {
		found(list, "server", false, mem_strdup(err.message), NULL);
		return;
	}
	child_write(&c, first);
	hello = child_answer(&c, 1);
	if (hello)
		child_write(&c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
				"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n");
	tools = hello ? child_answer(&c, 2) : NULL;
	count = json_array_size(json_object_get(json_object_get(tools, "result"), "tools"));
	c.deadline = clock_monotonic() + GRACE; /* all is said; how it ends does not matter */
	child_end(&c);
	if (!json_is_object(json_object_get(hello, "result")))
		failed(list, "server", &c, "'belfry mcp' did not answer as an MCP server");
	else if (count == 0)
		failed(list, "server", &c, "'belfry mcp' has no tools");
	else
		found(list, "server", true,
		      mem_printf("'belfry mcp' answers with %zu tool%s", count,
				 count == 1 ? "" : "s"),
		      NULL);
}

/* What the client's shell would run, with what the client would tell it. True: it ended well. */
static bool call_hook(struct child *c, const char *command, const char *event, struct error *err)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	AUTO(free)
	char *input = mem_printf("{\"session_id\":\"belfry-setup\",\"transcript_path\":\"\","
				 "\"cwd\":\"/\",\"hook_event_name\":\"%s\",\"source\":\"startup\","
				 "\"reason\":\"other\"}",
				 event);

	if (child_start(c, argv, err) < 0)
		return false;
	child_write(c, input);
	child_close(c);
	while (child_read(c))
		;
	child_end(c);
	return WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;
}

/* The session begins and ends, so that nothing of it is waited for. */
static void check_hook(json_t *list, const struct client *client, const char *program)
{
	static const char *const events[] = {"SessionStart", "SessionEnd"};

	for (size_t i = 0; i < 2; i++) {
		AUTO_CHILD struct child c = {.pid = -1, .in = -1, .out = -1, .errors = -1};
		AUTO_BUF struct buf command = {0};
		AUTO(json_decref) json_t *output = NULL;
		struct error err = {0};

		hooks_command(&command, program, events[i]);
		buf_add_str(&command, client->hook_flags);
		if (!call_hook(&c, buf_text(&command), events[i], &err)) {
			failed(list, "hook", &c, *err.message ? err.message : "the hook failed");
			return;
		}
		if (c.output.len &&
		    json_parse(buf_text(&c.output), c.output.len, &output, &err) < 0) {
			failed(list, "hook", &c, "the hook printed something that is no JSON");
			return;
		}
	}
	found(list, "hook", true, mem_strdup("hooks are answered"), NULL);
}

char *setup_client_path(const struct client *client)
{
	const char *path = getenv("PATH");
	AUTO(free) char *all = mem_strdup(path ? path : "");
	char *rest = all, *folder;

	while ((folder = strsep(&rest, ":"))) {
		AUTO(free) char *file = mem_printf("%s/%s", folder, client->program);

		if (*folder == '/' && access(file, X_OK) == 0)
			return steal_ptr(&file);
	}
	return NULL;
}

static void check_client(json_t *list, const struct client *client)
{
	AUTO(free) char *file = setup_client_path(client);

	if (file) {
		found(list, "client", true, mem_printf("%s is '%s'", client->title, file), NULL);
		return;
	}
	found(list, "client", false,
	      mem_printf("'%s' is not in your PATH: is %s installed?", client->program,
			 client->title),
	      mem_printf("install %s; what was set up waits for it", client->title));
}

json_t *setup_check(const struct client *client, const char *program)
{
	json_t *list = json_array();

	check_server(list, client, program);
	if (client->has_hooks)
		check_hook(list, client, program);
	check_client(list, client);
	return list;
}
