/*
 * Orders and ends through their JSON and back, and processes that are who they were.
 */
#include "rows.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/order.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

static char home[] = "/tmp/order-unit-XXXXXX";

/* Every field, none of them as nothing would be. */
static const char whole[] =
	"{\"mission\":\"mis-k3f9x2\",\"number\":3,\"interactive\":true,"
	"\"adapter\":{\"name\":\"mine\",\"headless\":[\"mine\",\"-p\"],\"resume\":[\"mine\",\"{"
	"session}\"],"
	"\"interactive\":[\"i\"],\"resume_interactive\":[\"ri\"],\"session\":\"read\",\"output\":"
	"\"lines\","
	"\"session_path\":\"s\",\"answer_path\":\"a\",\"error_path\":\"e\",\"cost_path\":\"c\","
	"\"cost_total\":true,\"denials_path\":null,\"denial_line\":null,\"may\":null,\"may_"
	"beside\":null,\"instructions\":[\"--role\",\"{instructions}\"],\"hooks\":\"claude\"}"
	","
	"\"use\":\"resume\",\"args\":[\"--model\",\"\"],\"prompt\":\"do it\","
	"\"instructions\":\"Be kind.\",\"session\":\"s1\","
	"\"environment\":[\"CI=1\",\"EMPTY=\"],\"secrets\":[\"op\",\"run\",\"--\"],\"directory\":"
	"\"/src\","
	"\"template\":{\"name\":\"one\",\"origin\":\"/t/one\",\"is_git\":false},"
	"\"git\":{\"name\":\"github.com/me/lib\",\"origin\":\"https://github.com/me/"
	"lib\",\"is_git\":true},"
	"\"time_limit\":3600000000,\"grace\":30000000}";

static const char least[] =
	"{\"mission\":\"m\",\"number\":1,\"interactive\":false,"
	"\"adapter\":{\"name\":\"command\",\"headless\":null,\"resume\":null,\"interactive\":null,"
	"\"resume_interactive\":null,\"session\":\"none\",\"output\":\"text\",\"session_path\":"
	"null,"
	"\"answer_path\":null,\"error_path\":null,\"cost_path\":null,\"cost_total\":false,"
	"\"denials_path\":null,\"denial_line\":null,\"may\":null,\"may_beside\":null,"
	"\"instructions\":null,\"hooks\":null},"
	"\"use\":\"headless\",\"args\":null,\"prompt\":\"\",\"instructions\":null,"
	"\"session\":null,\"environment\":null,"
	"\"secrets\":null,\"directory\":null,\"template\":null,\"git\":null,\"time_limit\":0,"
	"\"grace\":0}";

static void test_round_trip(void **state)
{
	const char *text = *state;
	AUTO(order_free) struct order *o = NULL;
	AUTO(free) char *again = NULL;
	struct error err = {0};

	if (order_parse(text, strlen(text), &o, &err) < 0)
		fail_msg("%s", err.message);
	again = order_format(o);
	assert_string_equal(again, text);
}

static void test_values(void **state)
{
	AUTO(order_free) struct order *o = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(order_parse(whole, strlen(whole), &o, &err), 0);
	assert_int_equal(o->number, 3);
	assert_true(o->interactive);
	assert_int_equal(o->use, USE_RESUME);
	assert_int_equal(o->adapter->session, SESSION_READ);
	assert_int_equal(o->adapter->output, OUTPUT_LINES);
	assert_string_equal(o->adapter->templates[USE_RESUME_INTERACTIVE][0], "ri");
	assert_string_equal(o->args[1], "");
	assert_null(o->args[2]);
	assert_true(o->git->is_git);
	assert_false(o->template->is_git);
	assert_int_equal(o->time_limit, USEC_PER_HOUR);
	assert_int_equal(o->grace, RUN_GRACE);
}

/* The prompt is the person's words: everything JSON can carry comes out as it went in. */
static void test_prompt(void **state)
{
	AUTO(order_free) struct order *o = NULL, *back = NULL;
	AUTO_BUF struct buf prompt = {0};
	AUTO(free) char *text = NULL, *piece = NULL;
	struct error err = {0};

	(void)state;
	for (char c = 1; c > 0; c++)
		buf_add_char(&prompt, c);
	/* Ends of the UTF-8 ranges, what JavaScript cannot have in a literal, and a byte order mark. */
	buf_add_str(&prompt,
		    "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"
		    "\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\\u0000 $(id) `id` {prompt}\r\n");
	piece = mem_strdup(prompt.data);
	while (prompt.len < 1u << 20)
		buf_add_str(&prompt, piece);
	assert_int_equal(order_parse(least, strlen(least), &o, &err), 0);
	mem_replace(&o->prompt, prompt.data);
	text = order_format(o);
	if (order_parse(text, strlen(text), &back, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(strlen(back->prompt), prompt.len);
	assert_memory_equal(back->prompt, prompt.data, prompt.len);
}

static void refused(const json_t *order, const char *want)
{
	AUTO(order_free) struct order *o = NULL;
	AUTO(free) char *text = json_text(order);
	struct error err = {0};

	assert_int_equal(order_parse(text, strlen(text), &o, &err), ERR_INVALID);
	assert_null(o);
	assert_string_equal(err.message, want);
}

/* One key after another taken away, on every level; then one too many. */
static void each_key(const json_t *order, json_t *of, const char *where)
{
	AUTO(json_decref) json_t *keys = json_copy(of);
	AUTO(free) char *unknown = mem_printf("order: %sunknown field 'colour'", where);
	const char *key;
	json_t *value;

	json_object_foreach(keys, key, value)
	{
		AUTO(free) char *want = mem_printf("order: %s'%s' is missing", where, key);
		AUTO(free) char *inner = mem_printf("'%s': ", key);

		json_object_del(of, key);
		refused(order, want);
		json_object_set(of, key, value);
		if (json_is_object(value))
			each_key(order, value, inner);
	}
	json_object_set_new(of, "colour", json_null());
	refused(order, unknown);
	json_object_del(of, "colour");
}

static void test_missing(void **state)
{
	AUTO(json_decref) json_t *order = json_loads(whole, 0, NULL);

	(void)state;
	each_key(order, order, "");
}

/* clang-format off */
static const struct bad_case {
	const char *name, *key, *value, *want;
} bad_cases[] = {
	{"bad: a mission that is a path",  "mission",     "\"../x\"",        "order: 'mission': '../x' is no id"},
	{"bad: no mission",                "mission",     "null",            "order: 'mission' must be a text"},
	{"bad: run 0",                     "number",      "0",               "order: 'number' must be at least 1"},
	{"bad: a number as text",          "number",      "\"1\"",           "order: 'number' must be a whole number"},
	{"bad: yes",                       "interactive", "\"yes\"",         "order: 'interactive' must be true or false"},
	{"bad: adapter by name",           "adapter",     "\"claude\"",      "order: 'adapter' must be an object"},
	{"bad: no adapter",                "adapter",     "null",            "order: 'adapter' must be an object"},
	{"bad: use",                       "use",         "\"later\"",       "order: 'use' must be one of its words"},
	{"bad: args as a line",            "args",        "\"-a -b\"",       "order: 'args' must be a list of texts"},
	{"bad: a number among args",       "args",        "[\"a\",1]",       "order: 'args' must be a list of texts"},
	{"bad: no prompt",                 "prompt",      "null",            "order: 'prompt' must be a text"},
	{"bad: a session as an option",    "session",     "\"-c\"",          "order: 'session': '-c' is none"},
	{"bad: environment",               "environment", "[\"A=1\",\"=2\"]","order: 'environment': '=2' is no NAME=VALUE"},
	{"bad: directory",                 "directory",   "\"src\"",         "order: 'directory': 'src' is not absolute"},
	{"bad: a source that climbs",      "git",         "{\"name\":\"a/../../b\",\"origin\":\"/x\",\"is_git\":true}",
	 "order: 'git': 'a/../../b' cannot be copied to a folder of a mission"},
	{"bad: a source from the root",    "template",    "{\"name\":\"/etc\",\"origin\":\"/x\",\"is_git\":true}",
	 "order: 'template': '/etc' cannot be copied to a folder of a mission"},
	{"bad: a source without a name",   "git",         "{\"name\":\"\",\"origin\":\"/x\",\"is_git\":true}",
	 "order: 'git': '' cannot be copied to a folder of a mission"},
	{"bad: a source without origin",   "git",         "{\"name\":\"x\",\"origin\":\"\",\"is_git\":true}",
	 "order: 'git': 'x' cannot be copied to a folder of a mission"},
	{"bad: a negative limit",          "time_limit",  "-1",              "order: 'time_limit' must be at least 0"},
	{"bad: a broken number",           "grace",       "1.5",             "order: 'grace' must be a whole number"},
};
/* clang-format on */
static void test_bad(void **state)
{
	const struct bad_case *c = *state;
	AUTO(json_decref) json_t *order = json_loads(whole, 0, NULL);

	json_object_set_new(order, c->key, json_loads(c->value, JSON_DECODE_ANY, NULL));
	refused(order, c->want);
}

static void test_too_large(void **state)
{
	AUTO(order_free) struct order *o = NULL;
	AUTO(free) char *text = mem_alloc(ORDER_MAX + 1);
	struct error err = {0};

	(void)state;
	/* White space after an order is fine, until there is too much of everything. */
	memset(text, ' ', ORDER_MAX + 1);
	memcpy(text, least, strlen(least));
	assert_int_equal(order_parse(text, ORDER_MAX + 1, &o, &err), ERR_INVALID);
	assert_string_equal(err.message, "order: larger than 16777216 bytes");
	assert_int_equal(order_parse(text, ORDER_MAX, &o, &err), 0);
}

/* ---- ends ---- */

static void same_text(const char *got, const char *want)
{
	if (!got || !want)
		assert_ptr_equal(got, want);
	else
		assert_string_equal(got, want);
}

static void test_end(void **state)
{
	struct end e = {.reason = "daemon_shutdown",
			.exit_code = -1,
			.signal = 9,
			.started_at = 1700000000000000,
			.finished_at = 1700000001000000,
			.answer = (char *)"done",
			.error = (char *)"why",
			.session = (char *)"s1",
			.cost = 12500};
	struct end got = {0};
	struct error err = {0};
	struct stat st;
	AUTO(free) char *path = mem_printf("%s/end.json", home);

	(void)state;
	unlink(path);
	assert_int_equal(end_read(home, &got, &err), ERR_NOT_FOUND);
	if (end_write(home, &e, true, &err) < 0 || end_read(home, &got, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(got.reason, e.reason);
	assert_int_equal(got.exit_code, -1);
	assert_int_equal(got.signal, 9);
	assert_int_equal(got.started_at, e.started_at);
	assert_int_equal(got.finished_at, e.finished_at);
	same_text(got.answer, "done");
	same_text(got.error, "why");
	same_text(got.session, "s1");
	assert_int_equal(got.cost, 12500);
	end_fini(&got);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);

	e = (struct end){.reason = "not_started",
			 .exit_code = -1,
			 .started_at = USEC_NONE,
			 .finished_at = 1,
			 .cost = -1};
	assert_int_equal(end_write(home, &e, true, &err), 0);
	assert_int_equal(end_read(home, &got, &err), 0);
	assert_true(got.started_at == USEC_NONE);
	assert_null(got.answer);
	assert_null(got.error);
	assert_null(got.session);
	assert_int_equal(got.cost, -1);
	end_fini(&got);
}

/* The last words of an agent may be anything; its end is not lost over them. */
static void test_end_texts(void **state)
{
	AUTO_BUF struct buf answer = {0};
	struct end e = {.reason = "error",
			.finished_at = 1,
			.cost = -1,
			.error = (char *)"\xff\x1b[31mboom",
			.session = (char *)"--evil"};
	struct end got = {0};
	struct error err = {0};

	(void)state;
	buf_add_str(&answer, "a");
	while (answer.len < 2 * END_ANSWER_MAX)
		buf_add_str(&answer, "\xe2\x82\xac");
	e.answer = answer.data;
	if (end_write(home, &e, true, &err) < 0 || end_read(home, &got, &err) < 0)
		fail_msg("%s", err.message);
	/* 1 + 3 n bytes: the largest whole number of characters that fits. */
	assert_int_equal(strlen(got.answer), 1 + (END_ANSWER_MAX - 1) / 3 * 3);
	same_text(got.error, "??[31mboom");
	assert_null(got.session);
	end_fini(&got);
	snprintf(e.reason, sizeof(e.reason), "bored");
	assert_int_equal(end_write(home, &e, true, &err), ERR_INVALID);
}

/* clang-format off */
static const struct bad_end_case {
	const char *name, *text;
} bad_end_cases[] = {
	{"end: empty",          ""},
	{"end: cut",            "{\"reason\":\"success\""},
	{"end: a list",         "[]"},
	{"end: a field short",  "{\"reason\":\"success\"}"},
	{"end: a long reason",  "{\"reason\":\"successsuccesssuccess\",\"exit_code\":0,\"signal\":0,\"started_at\":1,\"finished_at\":1,\"answer\":null,\"error\":null,\"session\":null,\"cost\":-1}"},
	{"end: a new reason",   "{\"reason\":\"bored\",\"exit_code\":0,\"signal\":0,\"started_at\":1,\"finished_at\":1,\"answer\":\"x\",\"error\":\"y\",\"session\":null,\"cost\":-1}"},
	{"end: a huge status",  "{\"reason\":\"error\",\"exit_code\":99999999999,\"signal\":0,\"started_at\":1,\"finished_at\":1,\"answer\":\"x\",\"error\":null,\"session\":null,\"cost\":-1}"},
};
/* clang-format on */
static void test_bad_end(void **state)
{
	const struct bad_end_case *c = *state;
	AUTO(free) char *path = mem_printf("%s/end.json", home);
	struct end got = {.reason = "untouched"};
	struct error err = {0};

	assert_int_equal(file_write(path, c->text, strlen(c->text), &err), 0);
	assert_int_equal(end_read(home, &got, &err), ERR_INVALID);
	assert_string_equal(got.reason, "untouched");
	assert_non_null(strstr(err.message, path));
}

/* ---- processes ---- */

static pid_t start_sleeper(void)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	return child;
}

static bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 2000) == 1;
}

static void test_process(void **state)
{
	pid_t child = start_sleeper();
	struct process_id id, other;
	struct error err = {0};
	int fd;

	(void)state;
	assert_int_equal(process_identify(child, &id, &err), 0);
	assert_int_equal(id.pid, child);
	assert_true(id.start > 0);
	assert_int_equal(strlen(id.boot), 36);
	assert_true(process_lives(&id));
	fd = process_open(&id);
	assert_true(fd >= 0);

	/* The same number, another process: given out again, or before a reboot. */
	other = id;
	other.start++;
	assert_false(process_lives(&other));
	assert_int_equal(process_open(&other), -1);
	other = id;
	other.boot[0] ^= 1;
	assert_false(process_lives(&other));

	/* Ended and not waited for: a zombie is gone. */
	kill(child, SIGKILL);
	assert_true(readable(fd));
	assert_false(process_lives(&id));
	assert_int_equal(process_open(&id), -1);
	assert_int_equal(process_identify(child, &other, &err), 0);
	waitpid(child, NULL, 0);
	assert_false(process_lives(&id));
	assert_int_equal(process_identify(child, &other, &err), ERR_NOT_FOUND);
	close(fd);
}

static void test_boot(void **state)
{
	struct process_id id;
	struct error err = {0};

	(void)state;
	setenv("BELFRY_BOOT_ID", "another-boot", 1);
	assert_int_equal(process_identify(getpid(), &id, &err), 0);
	assert_string_equal(id.boot, "another-boot");
	assert_true(process_lives(&id));
	unsetenv("BELFRY_BOOT_ID");
	assert_false(process_lives(&id));
	id = (struct process_id){0};
	assert_false(process_lives(&id));
	id.pid = -1;
	assert_false(process_lives(&id));
}

/* The name of a program is its own choice, brackets, spaces and numbers included. */
static void test_odd_name(void **state)
{
	struct process_id plain, odd;
	struct error err = {0};
	FILE *name = fopen("/proc/self/comm", "w");

	(void)state;
	assert_non_null(name);
	assert_int_equal(process_identify(getpid(), &plain, &err), 0);
	fputs(") R 1 2 3 (x", name);
	fclose(name);
	assert_int_equal(process_identify(getpid(), &odd, &err), 0);
	assert_int_equal(odd.start, plain.start);
}

/* Without a descriptor to look with, a living process is not held for dead. */
static void test_no_descriptors(void **state)
{
	struct rlimit old, none;
	struct process_id id;
	struct error err = {0};
	bool lives;
	int fd;

	(void)state;
	assert_int_equal(process_identify(getpid(), &id, &err), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){0, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	fd = process_open(&id);
	lives = process_lives(&id);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(fd, -1);
	assert_true(lives);
}

int main(void)
{
	AUTO(free) char *clean = NULL;
	int failed;

	if (!mkdtemp(home))
		return 1;
	add_row("every field there and back", test_round_trip, whole);
	add_row("as little as there may be", test_round_trip, least);
	add_row("the values arrive", test_values, NULL);
	add_row("A15: the prompt byte for byte", test_prompt, NULL);
	add_row("a missing field is named, and an unknown one", test_missing, NULL);
	add_table(test_bad, bad_cases);
	add_row("too large", test_too_large, NULL);
	add_row("A16, A18: an end there and back", test_end, NULL);
	add_row("A16: an end takes any text", test_end_texts, NULL);
	add_table(test_bad_end, bad_end_cases);
	add_row("A13: the very process", test_process, NULL);
	add_row("A13: another boot", test_boot, NULL);
	add_row("A13: a program with an odd name", test_odd_name, NULL);
	add_row("A13: no descriptor left", test_no_descriptors, NULL);
	failed = run_rows("order");
	clean = mem_printf("rm -rf %s", home);
	return system(clean) != 0 || failed;
}
