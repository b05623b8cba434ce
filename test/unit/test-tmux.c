/* test-tmux.c: the lines of control mode, and a real tmux server spoken to by them. */
#include "tmux-fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/tmux-control.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/tmux.h"

/* --- lines -------------------------------------------------------------------------------- */

/* clang-format off */
static const struct lines_case {
	const char *name, *bytes, *want;
} lines_cases[] = {
	{"answer", "%begin 1 2 1\nhello\n%end 1 2 1\n", "answer ours (hello)\n"},
	{"empty answer", "%begin 1 2 1\n%end 1 2 1\n", "answer ours ()\n"},
	{"empty lines in it", "%begin 1 2 1\n\na\n\n%end 1 2 1\n", "answer ours (\na\n)\n"},
	{"error", "%begin 1 2 1\nno\n%error 1 2 1\n", "error ours (no)\n"},
	{"not ours", "%begin 1 2 0\n%end 1 2 0\n", "answer ()\n"},
	{"a screen that shows an end", "%begin 1 2 1\n%end 1 3 1\n%error 1 1 1\n%end 1 2 1 x\n%end 1 2 1\n",
	 "answer ours (%end 1 3 1\n%error 1 1 1\n%end 1 2 1 x)\n"},
	{"notices in an answer are text", "%begin 1 2 1\n%output %1 x\n%exit\n%end 1 2 1\n",
	 "answer ours (%output %1 x\n%exit)\n"},
	{"output", "%output %12 any \\033[1m thing\n", "output (%12)\n"},
	{"output late", "%extended-output %3 17 : x\n", "output (%3)\n"},
	{"output of nothing", "%output\n%output x\n", ""},
	{"windows", "%window-close @1\n%unlinked-window-close @2\n%layout-change @1 x\n",
	 "changed (@1)\nchanged (@2)\nchanged (@1 x)\n"},
	{"the end", "%exit\n%exit too far behind\n", "exit ()\nexit (too far behind)\n"},
	{"others", "%session-changed $0 belfry\n\nhello\n%beginning 1 2\n%begin\n%endless\n", ""},
	{"no end of line", "%output %1 x", ""},
};
/* clang-format on */

static void write_item(const struct tmux_item *item, void *data)
{
	static const char *const words[] = {"answer", "output", "changed", "exit"};

	assert_int_equal(strlen(item->text), item->len);
	buf_printf(data, "%s%s (%s)\n", item->failed ? "error" : words[item->kind],
		   item->ours ? " ours" : "", item->text);
}

static void test_lines(void **state)
{
	const struct lines_case *c = *state;
	size_t len = strlen(c->bytes);

	/* However it is cut. */
	for (size_t part = 1; part <= len; part++) {
		struct tmux_reader r = {0};
		AUTO_BUF struct buf got = {0};

		for (size_t at = 0; at < len; at += part)
			tmux_reader_feed(&r, c->bytes + at, len - at < part ? len - at : part,
					 write_item, &got);
		tmux_reader_fini(&r);
		assert_string_equal(buf_text(&got), c->want);
	}
}

static void test_long_output_is_not_kept(void **state)
{
	struct tmux_reader r = {0};
	AUTO_BUF struct buf got = {0};
	AUTO(free) char *much = mem_alloc(1 << 20);

	(void)state;
	memset(much, 'x', 1 << 20);
	tmux_reader_feed(&r, "%output %7 ", 11, write_item, &got);
	tmux_reader_feed(&r, much, 1 << 20, write_item, &got);
	assert_true(r.line.cap < 4096);
	tmux_reader_feed(&r, "\n%exit\n", 7, write_item, &got);
	assert_string_equal(buf_text(&got), "output (%7)\nexit ()\n");
	tmux_reader_fini(&r);
}

/* clang-format off */
static const struct version_case {
	const char *name;
	bool ok;
} version_cases[] = {
	{"tmux 3.2", true}, {"tmux 3.3a", true}, {"tmux 4.0", true}, {"tmux next-3.5", true},
	{"tmux master", true}, {"tmux openbsd-7.2", true}, {"tmux 3.1c", false}, {"tmux 2.9", false},
	{"tmux 3", false}, {"", false}, {"something else", false},
};
/* clang-format on */

static void test_version(void **state)
{
	const struct version_case *c = *state;

	assert_int_equal(tmux_version_ok(c->name), c->ok);
}

/* --- a server ----------------------------------------------------------------------------- */

static struct tmux *t;
static struct buf heard; /* one line an event */
static char *old_path;

static void on_output(const char *pane, void *data)
{
	(void)data;
	buf_printf(&heard, "output %s\n", pane);
}

static void on_closed(const char *pane, void *data)
{
	(void)data;
	buf_printf(&heard, "closed %s\n", pane);
}

static void on_lost(const char *why, void *data)
{
	(void)data;
	buf_printf(&heard, "lost %s\n", why);
}

static void on_answer(const char *output, size_t len, const char *error, void *data)
{
	if (!error)
		assert_int_equal(strlen(output), len);
	buf_printf(&heard, "%s: %s%s\n", (const char *)data, error ? "error " : "",
		   error ? error : output);
}

static void meet(void)
{
	static const struct tmux_calls calls = {on_output, on_closed, on_lost};

	t = tmux_new(&scene.loop, scene.socket, 022, &calls, NULL);
}

static void part(void)
{
	tmux_close(t);
	scene_drain();
	tmux_free(t);
	t = NULL;
}

static void finish(void)
{
	if (t)
		part();
}

static int setup(void **state)
{
	(void)state;
	old_path = mem_strdup(getenv("PATH"));
	scene_open(false);
	meet();
	return 0;
}

static int setup_long(void **state)
{
	(void)state;
	old_path = mem_strdup(getenv("PATH"));
	scene_open(true);
	meet();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	setenv("PATH", old_path, 1);
	free(old_path);
	scene_close(finish);
	buf_fini(&heard);
	return 0;
}

static const char *awaited;

static bool was_heard(void)
{
	return strstr(buf_text(&heard), awaited) != NULL;
}

static void wait_heard(const char *text)
{
	awaited = text;
	scene_wait(was_heard, text);
}

static void open_window(const char *name, const char *script)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};

	tmux_open(t, name, scene.folder, argv, on_answer, (void *)(uintptr_t)name);
}

static void ask(const char *label, char *const *words)
{
	tmux_ask(t, words, on_answer, (void *)(uintptr_t)label);
}
#define ASK(label, ...) ask(label, (char *const[]){__VA_ARGS__, NULL})
#define W(text) ((char[]){text})

static void test_windows(void **state)
{
	AUTO(free) char *list = NULL, *size = NULL;

	(void)state;
	open_window("one", "cat");
	open_window("two", "cat");
	wait_heard("one: %0\n");
	wait_heard("two: %1\n");
	tmux_panes(t, on_answer, (void *)(uintptr_t) "list");
	wait_heard("list: %0 ");
	assert_non_null(strstr(buf_text(&heard), " one "));
	assert_non_null(strstr(buf_text(&heard), "\n%1 "));
	ASK("keys", W("send-keys"), W("-t"), W("%1"), W("hello"));
	wait_heard("keys: \n");
	wait_heard("output %1\n");
	ASK("bad", W("nonsense"));
	wait_heard("bad: error parse error: unknown command: nonsense\n");
	/* No window's size follows our connection, which has none. */
	size = scene_tmux("display-message -p -t %%1 '#{window_width} #{history_limit}'");
	assert_string_equal(size, "120 5000\n");
	ASK("kill", W("kill-window"), W("-t"), W("%0"));
	wait_heard("closed %0\n");
	list = scene_tmux("list-windows -a -F '#{window_name}'");
	assert_string_equal(list, "two\n");
}

#define ALL_BYTES (255 + 4) /* of the words below */

static bool is_written(const char *name)
{
	AUTO(free) char *path = mem_printf("%s/%s", scene.folder, name);
	struct stat st;

	return stat(path, &st) == 0 && st.st_size >= ALL_BYTES;
}

static const char *file_name;
static size_t file_len;

static bool file_is_there(void)
{
	AUTO(free) char *text = scene_file(file_name);

	return strlen(text) >= file_len;
}

/* What a window writes, when it has come to that. */
static void check_file(const char *name, const char *want)
{
	AUTO(free) char *text = NULL;

	file_name = name;
	file_len = strlen(want);
	scene_wait(file_is_there, name);
	text = scene_file(name);
	assert_string_equal(text, want);
}

static bool both_are_written(void)
{
	return is_written("first") && is_written("second");
}

/*
 * Any words arrive as they are, through the server's first command and through the connection. The
 * first program stays: the server would end with it, beneath the next one.
 */
static void test_words_arrive_whole(void **state)
{
	char all[256], *argv[] = {W("sh"),    W("-c"), W("printf %s \"$1$2\" > \"$0\"; cat"),
				  W("first"), all,     W("end;"),
				  NULL};
	AUTO(free) char *first = NULL, *second = NULL;
	AUTO(free) char *want = NULL;

	(void)state;
	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	want = mem_printf("%send;", all);
	tmux_open(t, "a", scene.folder, argv, on_answer, (void *)(uintptr_t) "a");
	wait_heard("a: %0\n");
	open_window("stays", "cat");
	wait_heard("stays: %");
	argv[3] = W("second");
	tmux_open(t, "b", scene.folder, argv, on_answer, (void *)(uintptr_t) "b");
	wait_heard("b: %");
	scene_wait(both_are_written, "both files are whole");
	first = scene_file("first");
	second = scene_file("second");
	assert_string_equal(first, want);
	assert_string_equal(second, want);
}

static void test_no_server(void **state)
{
	(void)state;
	tmux_panes(t, on_answer, (void *)(uintptr_t) "list");
	wait_heard("list: \n");
	ASK("keys", W("send-keys"), W("x"));
	wait_heard("keys: error no live session is open\n");
}

static void test_last_window_ends_the_server(void **state)
{
	(void)state;
	open_window("one", "read x");
	wait_heard("one: %0\n");
	ASK("key", W("send-keys"), W("-t"), W("%0"), W("Enter"));
	wait_heard("closed %0\n");
	tmux_panes(t, on_answer, (void *)(uintptr_t) "list");
	wait_heard("list: \n");
	/* And another one begins. */
	open_window("again", "cat");
	wait_heard("again: %0\n");
}

static void test_ends_at_once(void **state)
{
	(void)state;
	open_window("one", "exit 3");
	wait_heard("one: %0\n");
	wait_heard("closed %0\n");
}

static void test_divided_window(void **state)
{
	(void)state;
	open_window("one", "read x");
	wait_heard("one: %0\n");
	free(scene_tmux("split-window -t %%0 cat"));
	ASK("key", W("send-keys"), W("-t"), W("%0"), W("Enter"));
	wait_heard("closed %0\n");
}

static void test_server_killed(void **state)
{
	(void)state;
	open_window("one", "cat");
	open_window("two", "cat");
	wait_heard("two: %1\n");
	free(scene_tmux("kill-server"));
	wait_heard("closed %0\n");
	wait_heard("closed %1\n");
	open_window("three", "cat");
	wait_heard("three: %0\n");
}

/* Somebody detaches everybody: the connection comes back by itself. */
static void test_connection_lost(void **state)
{
	(void)state;
	open_window("one", "cat");
	wait_heard("one: %0\n");
	ASK("ready", W("display-message"), W("-p"), W("ready"));
	wait_heard("ready: ready\n");
	free(scene_tmux("detach-client -s belfry"));
	wait_heard("lost ");
	ASK("keys", W("send-keys"), W("-t"), W("%0"), W("x"));
	wait_heard("keys: \n");
	wait_heard("output %0\n");
	assert_null(strstr(buf_text(&heard), "closed"));
}

static void test_outlives_us(void **state)
{
	(void)state;
	open_window("one", "cat");
	wait_heard("one: %0\n");
	part();
	buf_clear(&heard);
	meet();
	tmux_panes(t, on_answer, (void *)(uintptr_t) "list");
	wait_heard("list: %0 ");
	ASK("keys", W("send-keys"), W("-t"), W("%0"), W("x"));
	wait_heard("output %0\n");
}

static int clients_wanted;

static bool has_clients(void)
{
	AUTO(free) char *list = scene_tmux("list-clients");
	int count = 0;

	for (const char *p = list; (p = strchr(p, '\n')); p++)
		count++;
	return count == clients_wanted;
}

/*
 * Until all that was asked is answered. tmux 3.3a may crash when a connection is killed before that,
 * and all its windows with it. Who leaves waits for it; who is killed cannot.
 */
static void settle(void)
{
	ASK("settled", W("display-message"), W("-p"), W("yes"));
	wait_heard("settled: yes\n");
}

/* A connection that nobody reads is none: the server would keep for it all that is shown. */
static void test_no_connection_is_left(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) { /* a daemon that is killed while much is shown */
		uv_loop_fork(&scene.loop);
		open_window("noisy", "yes");
		wait_heard("noisy: %0\n");
		settle();
		wait_heard("output %0\n");
		scene_run_for(300);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, 0);
	ASK("ready", W("display-message"), W("-p"), W("ready"));
	wait_heard("ready: ready\n");
	clients_wanted = 1;
	WAIT(has_clients);
	part();
	clients_wanted = 0;
	WAIT(has_clients);
}

static void test_environment(void **state)
{
	(void)state;
	setenv("TMUX_TEST_COLOUR", "it's\nblue", 1);
	setenv("BELFRY_RUN", "mis-aaaaaa/1", 1);
	open_window("one", "echo \"$TMUX_TEST_COLOUR ${BELFRY_RUN-none} $(umask)\" > first; cat");
	wait_heard("one: %0\n");
	part();
	buf_clear(&heard);
	setenv("TMUX_TEST_COLOUR", "it's\ngreen", 1);
	meet();
	open_window("two", "echo \"$TMUX_TEST_COLOUR ${BELFRY_RUN-none} $(umask)\" > second; cat");
	wait_heard("two: %1\n");
	check_file("first", "it's\nblue none 0022\n");
	check_file("second", "it's\ngreen none 0022\n");
	unsetenv("TMUX_TEST_COLOUR");
	unsetenv("BELFRY_RUN");
}

static void put_program(const char *text)
{
	AUTO(free) char *path = mem_printf("%s/tmux", scene.folder);
	struct error err = {0};

	assert_int_equal(file_write(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

static void test_missing(void **state)
{
	(void)state;
	setenv("PATH", scene.folder, 1);
	open_window("one", "cat");
	setenv("PATH", old_path, 1);
	wait_heard("one: error cannot start 'tmux', which live agents need: No such file");
	wait_heard("install it: apt-get install tmux\n");
}

static void test_too_old(void **state)
{
	(void)state;
	put_program("#!/bin/sh\necho tmux 3.1c\n");
	setenv("PATH", scene.folder, 1);
	open_window("one", "cat");
	tmux_panes(t, on_answer, (void *)(uintptr_t) "list");
	setenv("PATH", old_path, 1);
	wait_heard("one: error 'tmux 3.1c' is too old for live agents; install tmux 3.2 or newer");
	wait_heard("list: error ");
	unlink("tmux");
}

static void test_cancelled(void **state)
{
	(void)state;
	open_window("one", "cat");
	tmux_cancel(t, "one");
	open_window("two", "cat");
	wait_heard("two: %1\n");
	assert_null(strstr(buf_text(&heard), "one: "));
}

static void on_answer_cancel(const char *output, size_t len, const char *error, void *data)
{
	on_answer(output, len, error, data);
	tmux_cancel(t, data);
}

/* Two that fail together, and whoever hears of the first is gone then: the second is not told. */
static void test_cancelled_while_failing(void **state)
{
	char *words[] = {W("display-message"), NULL};

	(void)state;
	tmux_ask(t, words, on_answer_cancel, (void *)(uintptr_t) "one");
	tmux_ask(t, words, on_answer_cancel, (void *)(uintptr_t) "one");
	ASK("two", W("display-message"));
	wait_heard("two: error");
	assert_string_equal(buf_text(&heard), "one: error no live session is open\n"
					      "two: error no live session is open\n");
}

/* A folder whose name has what tmux reads as a format. */
static void test_folder(void **state)
{
	AUTO(free) char *folder = mem_printf("%s/a #{b} c", scene.folder);
	char *argv[] = {W("sh"), W("-c"), W("pwd > ../where; cat"), NULL};
	AUTO(free) char *want = mem_printf("%s\n", folder);

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	tmux_open(t, "one", folder, argv, on_answer, (void *)(uintptr_t) "one");
	wait_heard("one: %0\n");
	check_file("where", want);
}

#define SERVER(f, s)                                                                               \
	{                                                                                          \
#f, f, s, teardown, NULL                                                           \
	}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(lines_cases) + COUNT(version_cases) + 20] = {0};
	const struct CMUnitTest servers[] = {
		SERVER(test_windows, setup),
		SERVER(test_words_arrive_whole, setup),
		SERVER(test_no_server, setup),
		SERVER(test_last_window_ends_the_server, setup),
		SERVER(test_ends_at_once, setup),
		SERVER(test_divided_window, setup),
		SERVER(test_server_killed, setup),
		SERVER(test_connection_lost, setup),
		SERVER(test_outlives_us, setup),
		SERVER(test_no_connection_is_left, setup),
		SERVER(test_environment, setup),
		SERVER(test_missing, setup),
		SERVER(test_too_old, setup),
		SERVER(test_cancelled, setup),
		SERVER(test_cancelled_while_failing, setup),
		SERVER(test_folder, setup),
		{"a socket with a long path", test_windows, setup_long, teardown, NULL},
	};
	size_t n = 0;

	for (size_t i = 0; i < COUNT(lines_cases); i++)
		tests[n++] = (struct CMUnitTest){lines_cases[i].name, test_lines, NULL, NULL,
						 (void *)(uintptr_t)&lines_cases[i]};
	for (size_t i = 0; i < COUNT(version_cases); i++)
		tests[n++] = (struct CMUnitTest){version_cases[i].name, test_version, NULL, NULL,
						 (void *)(uintptr_t)&version_cases[i]};
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(test_long_output_is_not_kept);
	for (size_t i = 0; i < COUNT(servers); i++)
		tests[n++] = servers[i];
	return _cmocka_run_group_tests("tmux", tests, n, NULL, NULL);
}
