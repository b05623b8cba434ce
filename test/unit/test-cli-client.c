/*
 * test-cli-client.c: asking a daemon that answers, refuses, dawdles or dies; and reading lines.
 * The daemon is a thread that reads one request after another and sends what its script says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/client.h"
#include "cli/lines.h"

/* --- a daemon made of a script --- */

struct fake {
	char folder[400]; /* deeper than an address can say */
	struct home home;
	int listener;
	pthread_t thread;
	bool joined;
	const char *const *script; /* one text a request, NULL: hang up */
	struct buf heard;
};

static void *serve(void *data)
{
	struct fake *f = data;
	AUTO_CLOSE int fd = accept(f->listener, NULL, NULL);
	FILE *in = fdopen(dup(fd), "r");
	char *line = NULL;
	size_t cap = 0;

	for (size_t i = 0; f->script[i] && getline(&line, &cap, in) > 0; i++) {
		buf_add_str(&f->heard, line);
		/* byte by byte: an answer may arrive in any pieces */
		for (const char *p = f->script[i]; *p; p++)
			send(fd, p, 1, MSG_NOSIGNAL);
	}
	free(line);
	fclose(in);
	return NULL;
}

static void fake_start(struct fake *f, const char *const *script)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	AUTO_CLOSE int folder = -1;

	*f = (struct fake){.script = script};
	strcpy(f->folder, "/tmp/belfry-client-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	for (int i = 0; i < 4; i++) {
		strcat(f->folder, "/a-folder-that-makes-the-path-of-the-socket-rather-long");
		assert_int_equal(mkdir(f->folder, 0700), 0);
	}
	f->home.socket = mem_printf("%s/belfry.sock", f->folder);
	f->home.lock_file = mem_printf("%s/belfry.lock", f->folder);
	assert_true(strlen(f->home.socket) > 107);
	folder = open(f->folder, O_PATH | O_CLOEXEC);
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/belfry.sock",
		 folder);
	f->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(f->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(f->listener, 4), 0);
	assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
}

static void fake_join(struct fake *f)
{
	if (!f->joined)
		pthread_join(f->thread, NULL);
	f->joined = true;
}

static void fake_end(struct fake *f)
{
	fake_join(f);
	close(f->listener);
	unlink(f->home.socket);
	for (int i = 0; i < 5; i++) {
		rmdir(f->folder);
		*strrchr(f->folder, '/') = '\0';
	}
	free(f->home.socket);
	free(f->home.lock_file);
	buf_fini(&f->heard);
}

/* What the kernel says of whoever listens is decided when they begin to. */
static void listen_as(struct fake *f, uid_t uid)
{
	assert_int_equal(seteuid(uid), 0);
	assert_int_equal(listen(f->listener, 4), 0);
	assert_int_equal(seteuid(0), 0);
}

static int connect_as(const struct fake *f, uid_t uid, struct error *err)
{
	AUTO(client_free) struct client *c = NULL;
	int r;

	assert_int_equal(seteuid(uid), 0);
	r = client_connect(&f->home, &c, err);
	assert_int_equal(seteuid(0), 0);
	return r;
}

static void test_A10_foreign_socket(void **state)
{
	static const char *const script[] = {NULL};
	enum { OTHER = 4711, THIRD = 4712 };
	struct error err = {0};
	struct fake f;
	char part[sizeof(f.folder)];

	(void)state;
	if (geteuid() != 0)
		skip();
	fake_start(&f, script);
	for (strcpy(part, f.folder); strcmp(part, "/tmp") != 0; *strrchr(part, '/') = '\0')
		assert_int_equal(chmod(part, 0755), 0);
	assert_int_equal(chmod(f.home.socket, 0777), 0);
	listen_as(&f, OTHER);
	assert_int_equal(connect_as(&f, OTHER, &err), 1);
	/* root's folder, another's socket */
	assert_int_equal(connect_as(&f, 0, &err), ERR_DENIED);
	assert_non_null(strstr(err.message, "is served by user 4711"));
	assert_non_null(strstr(err.message, "not by you (0): nothing was sent to it"));
	/* the home of that user: root chose it, nobody else may have */
	assert_int_equal(chown(f.folder, OTHER, (gid_t)-1), 0);
	assert_int_equal(connect_as(&f, 0, &err), 1);
	assert_int_equal(connect_as(&f, THIRD, &err), ERR_DENIED);
	listen_as(&f, 0);
	assert_int_equal(connect_as(&f, THIRD, &err), 1);
	fake_end(&f);
}

static void test_answers(void **state)
{
	static const char *const script[] = {"{\"ok\":true,\"result\":{\"n\":1}}\n",
					     "{\"ok\":false,\"error\":{\"code\":\"conflict\","
					     "\"message\":\"no\",\"hint\":\"try\"}}\n",
					     "{\"ok\":true,\"result\":2}\n", NULL};
	AUTO(client_free) struct client *c = NULL;
	AUTO(json_decref)
	json_t *args = json_pack("{s:s}", "agent", "me"), *one = NULL, *two = NULL;
	struct error err = {0};
	struct fake f;

	(void)state;
	fake_start(&f, script);
	assert_int_equal(client_connect(&f.home, &c, &err), 1);
	assert_int_equal(client_pid(c), getpid());
	/* three in flight, answered in order */
	assert_int_equal(client_send(c, "reminder list", args, "Europe/Berlin", &err), 0);
	assert_int_equal(client_send(c, "status", NULL, NULL, &err), 0);
	assert_int_equal(client_send(c, "status", NULL, NULL, &err), 0);
	assert_int_equal(client_receive(c, &one, &err), 0);
	assert_int_equal(json_integer_value(json_object_get(one, "n")), 1);
	assert_int_equal(client_receive(c, &two, &err), ERR_CONFLICT);
	assert_string_equal(err.message, "no");
	assert_string_equal(err.hint, "try");
	assert_false(client_was_lost(c));
	assert_int_equal(client_receive(c, &two, &err), 0);
	assert_int_equal(json_integer_value(two), 2);
	fake_join(&f);
	assert_string_equal(buf_text(&f.heard),
			    "{\"request\":\"reminder list\",\"args\":{\"agent\":\"me\"},"
			    "\"zone\":\"Europe/Berlin\"}\n"
			    "{\"request\":\"status\",\"args\":{},\"zone\":null}\n"
			    "{\"request\":\"status\",\"args\":{},\"zone\":null}\n");
	fake_end(&f);
}

/* clang-format off */
static const struct bad_case {
	const char *name;
	const char *const script[2];
	enum error_code code;
	const char *message;
	bool lost;
} bad_cases[] = {
	{"hangs up at once", {NULL}, ERR_UNAVAILABLE, "the daemon went away before it answered", true},
	{"hangs up in the middle", {"{\"ok\":tr", NULL}, ERR_UNAVAILABLE, "the daemon went away before it answered", true},
	{"answers nonsense", {"hello\n", NULL}, ERR_INVALID, "the daemon's answer: bad JSON at line 1, column 5: invalid token near 'hello'", false},
	{"answers an array", {"[]\n", NULL}, ERR_SYSTEM, "the daemon gave an answer that cannot be understood", false},
	{"an error of an unknown kind", {"{\"ok\":false,\"error\":{\"code\":\"odd\",\"message\":\"m\"}}\n", NULL}, ERR_SYSTEM, "m", false},
};
/* clang-format on */

static void test_bad(void **state)
{
	const struct bad_case *bad = *state;
	AUTO(client_free) struct client *c = NULL;
	json_t *result = NULL;
	struct error err = {0};
	struct fake f;
	int r;

	fake_start(&f, bad->script);
	assert_int_equal(client_connect(&f.home, &c, &err), 1);
	r = client_send(c, "status", NULL, NULL, &err);
	if (r == 0)
		r = client_receive(c, &result, &err);
	assert_int_equal(r, bad->code);
	assert_string_equal(err.message, bad->message);
	assert_int_equal(client_was_lost(c), bad->lost);
	assert_null(result);
	fake_end(&f);
}

/* It listens, and sleeps. */
static pid_t start_sleeper(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int ready[2];
	pid_t pid;
	char byte;

	strcpy(address.sun_path, path);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		    listen(fd, 4) == 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void test_silent(void **state)
{
	char folder[] = "/tmp/belfry-client-XXXXXX";
	AUTO(free) char *path = mem_printf("%s/belfry.sock", mkdtemp(folder)), *want = NULL;
	AUTO(client_free) struct client *c = NULL;
	pid_t pid = start_sleeper(path);
	json_t *result = NULL;
	struct error err = {0};

	(void)state;
	want = mem_printf("the daemon (process %d) does not answer", (int)pid);
	assert_int_equal(client_connect(&(struct home){.socket = path}, &c, &err), 1);
	client_patience(c, 300);
	assert_int_equal(client_send(c, "status", NULL, NULL, &err), 0);
	assert_int_equal(client_receive(c, &result, &err), ERR_UNAVAILABLE);
	assert_string_equal(err.message, want);
	assert_true(*err.hint);
	assert_true(client_is_unsure(c));
	assert_false(client_may_ask_again(c));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(path);
	rmdir(folder);
}

/* No folder, no socket, and a socket nobody listens to: all are "nobody", none is an error. */
static void test_nobody(void **state)
{
	static const char *const script[] = {NULL};
	AUTO(client_free) struct client *c = NULL, *first = NULL;
	struct error err = {0};
	struct home nowhere = {.socket = (char[]){"/nonexistent/belfry.sock"},
			       .lock_file = (char[]){"/nonexistent/belfry.lock"}};
	struct fake f;

	(void)state;
	assert_int_equal(client_connect(&nowhere, &c, &err), 0);
	fake_start(&f, script);
	assert_int_equal(client_connect(&f.home, &first, &err), 1);
	fake_join(&f);
	close(f.listener);
	assert_int_equal(client_connect(&f.home, &c, &err), 0);
	unlink(f.home.socket);
	assert_int_equal(client_connect(&f.home, &c, &err), 0);
	f.listener = -1;
	fake_end(&f);
	assert_null(c);
}

/* --- lines --- */

static struct lines *lines_of(const char *text, size_t len)
{
	char path[] = "/tmp/belfry-lines-XXXXXX";
	AUTO_CLOSE int fd = mkstemp(path);
	struct lines *l = NULL;
	struct error err = {0};

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	assert_int_equal(lines_open(path, &l, &err), 0);
	unlink(path);
	return l;
}

/* clang-format off */
static const struct lines_case {
	const char *name, *text, *want; /* "number:line|" for each */
} lines_cases[] = {
	{"empty file", "", ""},
	{"lines", "a\nb\n", "1:a|2:b|"},
	{"no newline at the end", "a\nb", "1:a|2:b|"},
	{"blank lines are skipped and counted", "\n \t\r\na\n\n\nb\n\n", "3:a|6:b|"},
};
/* clang-format on */

static void test_lines(void **state)
{
	const struct lines_case *c = *state;
	AUTO(lines_free) struct lines *l = lines_of(c->text, strlen(c->text));
	AUTO_BUF struct buf got = {0};
	struct error err = {0};
	const char *text;
	size_t len;

	while (lines_next(l, &text, &len, &err) > 0)
		buf_printf(&got, "%zu:%.*s|", lines_number(l), (int)len, text);
	assert_string_equal(buf_text(&got), c->want);
}

static void test_line_limit(void **state)
{
	(void)state;
	for (size_t over = 0; over < 2; over++) {
		AUTO_BUF struct buf text = {0};
		AUTO(lines_free) struct lines *l = NULL;
		struct error err = {0};
		const char *line;
		size_t len;

		buf_add_str(&text, "first\n");
		for (size_t i = 0; i < LINE_MAX_LEN + over; i++)
			buf_add_char(&text, 'x');
		buf_add_char(&text, '\n');
		l = lines_of(text.data, text.len);
		assert_int_equal(lines_next(l, &line, &len, &err), 1);
		assert_int_equal(lines_next(l, &line, &len, &err), over ? ERR_INVALID : 1);
		if (over)
			assert_non_null(strstr(err.message, "line 2 is longer than 1 MiB"));
		else
			assert_int_equal(len, LINE_MAX_LEN);
	}
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(bad_cases) + COUNT(lines_cases) + 4] = {
		{"K19 a daemon that sleeps and does not answer is given up", test_silent, NULL,
		 NULL, NULL},
		cmocka_unit_test(test_A10_foreign_socket),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_line_limit),
	};
	size_t n = 4;

	for (size_t i = 0; i < COUNT(bad_cases); i++)
		tests[n++] = (struct CMUnitTest){bad_cases[i].name, test_bad, NULL, NULL,
						 (void *)(uintptr_t)&bad_cases[i]};
	for (size_t i = 0; i < COUNT(lines_cases); i++)
		tests[n++] = (struct CMUnitTest){lines_cases[i].name, test_lines, NULL, NULL,
						 (void *)(uintptr_t)&lines_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
