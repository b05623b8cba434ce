/* test-cli-args.c: what is typed, and what is understood or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli-rows.h"
#include "cli/args.h"

#define WORDS_MAX 12

/* clang-format off */
static const struct args_case {
	const char *name;
	const char *words[WORDS_MAX]; /* after "belfry" */
	const char *input;            /* standard input */
	const char *row;              /* NULL: none */
	const char *want;             /* arguments as JSON, or the error's message */
	const char *hint;             /* NULL: no error is expected */
} cases[] = {
	{"H20 long flag, next word", {"reminder", "add", "me", "--message", "hi"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"hi\"}", NULL},
	{"H20 long flag, equals", {"reminder", "add", "me", "--message=a=b"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"a=b\"}", NULL},
	{"H20 letter", {"reminder", "add", "me", "-m", "hi"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"hi\"}", NULL},
	{"letter with value joined", {"reminder", "add", "me", "-mhi", "-n5"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"hi\",\"count\":5}", NULL},
	{"letters together", {"reminder", "add", "me", "-vmhi"}, NULL, "reminder add", "{\"agent\":\"me\",\"verbose\":true,\"message\":\"hi\"}", NULL},
	{"flags before operands", {"reminder", "add", "-m", "hi", "me"}, NULL, "reminder add", "{\"message\":\"hi\",\"agent\":\"me\"}", NULL},
	{"-- ends flags", {"reminder", "list", "--", "--all"}, NULL, "reminder list", "{\"agent\":\"--all\"}", NULL},
	{"a value may look like a flag", {"reminder", "add", "me", "-m", "--json"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"--json\"}", NULL},
	{"empty value", {"reminder", "add", "me", "--message="}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"\"}", NULL},
	{"dash becomes underscore", {"reminder", "add", "me", "-mx", "--start-deadline", "5m"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"x\",\"start_deadline\":\"5m\"}", NULL},
	{"flag twice is once", {"reminder", "list", "-a", "--all"}, NULL, "reminder list", "{\"all\":true}", NULL},
	{"choice", {"reminder", "add", "me", "-mx", "--priority", "idle"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"x\",\"priority\":\"idle\"}", NULL},
	{"negative number", {"reminder", "add", "me", "-mx", "--count=-3"}, NULL, "reminder add", "{\"agent\":\"me\",\"message\":\"x\",\"count\":-3}", NULL},
	{"one word command", {"why", "r-1"}, NULL, "why", "{\"reminder\":\"r-1\"}", NULL},
	{"no arguments at all", {"status"}, NULL, "status", "{}", NULL},
	{"hidden commands can be called", {"import", "begin"}, NULL, "import begin", "{}", NULL},
	{"H20 body from standard input", {"reminder", "add", "me", "-m", "-"}, "one\ntwo\n", "reminder add", "{\"agent\":\"me\",\"message\":\"one\\ntwo\\n\"}", NULL},
	{"empty standard input", {"reminder", "add", "me", "-m", "-"}, "", "reminder add", "{\"agent\":\"me\",\"message\":\"\"}", NULL},
	{"A19: a body of any size is left on standard input", {"inbox", "reply", "t", "-"}, "not read here", "inbox reply", "{\"thread\":\"t\",\"body\":\"-\"}", NULL},
	{"A19: files, each with its flag", {"inbox", "reply", "t", "--attach", "a", "--attach=b c"}, NULL, "inbox reply", "{\"thread\":\"t\",\"attach\":[\"a\",\"b c\"]}", NULL},
	{"A22: words, one by one", {"inbox", "search", "deploy", "-a", "\"rate limit\"", "--", "-x"}, NULL, "inbox search", "{\"words\":\"deploy \\\"rate limit\\\" -x\",\"all\":true}", NULL},
	{"A22: one word", {"inbox", "search", "deploy"}, NULL, "inbox search", "{\"words\":\"deploy\"}", NULL},
	{"A22: no words", {"inbox", "search"}, NULL, "inbox search", "WORDS is missing", "usage: belfry inbox search WORDS... [FLAGS]"},
	{"A22: a word that is no text", {"inbox", "search", "a", "\xff"}, NULL, "inbox search", "the value of WORDS is not valid UTF-8", ""},
	{"A19: a file twice is two files", {"inbox", "reply", "t", "--attach", "a", "--attach", "a"}, NULL, "inbox reply", "{\"thread\":\"t\",\"attach\":[\"a\",\"a\"]}", NULL},
	{"- as an operand", {"reminder", "list", "-"}, NULL, "reminder list", "{\"agent\":\"-\"}", NULL},

	{"unknown command", {"remider", "add"}, NULL, NULL, "unknown command 'remider'", "did you mean 'reminder'?"},
	{"unknown command of a group", {"reminder", "ad"}, NULL, NULL, "unknown command 'reminder ad'", "did you mean 'reminder add'?"},
	{"the beginning of a command", {"rem"}, NULL, NULL, "unknown command 'rem'", "did you mean 'reminder'?"},
	{"far from every command", {"frobnicate"}, NULL, NULL, "unknown command 'frobnicate'", "'belfry help' lists the commands"},
	{"I9 no far guess", {"stir"}, NULL, NULL, "unknown command 'stir'", "'belfry help' lists the commands"},
	{"I9 another word for the same", {"stat"}, NULL, NULL, "unknown command 'stat'", "did you mean 'status'?"},
	{"I9 in a group, what there is", {"reminder", "frob"}, NULL, NULL, "unknown command 'reminder frob'", "one of: add, list"},
	{"hint: a short word that begins with another letter is another word", {"askk"}, NULL, NULL, "unknown command 'askk'", "'belfry help' lists the commands"},
	{"I9 another word in a group", {"reminder", "create"}, NULL, NULL, "unknown command 'reminder create'", "did you mean 'reminder add'?"},
	{"I15 ls is list", {"reminder", "ls", "me", "-a"}, NULL, "reminder list", "{\"agent\":\"me\",\"all\":true}", NULL},
	{"a group alone", {"reminder"}, NULL, NULL, "'reminder' needs a command after it", "one of: add, list"},
	{"unknown flag, near one", {"reminder", "add", "me", "--mesage", "x"}, NULL, "reminder add", "unknown flag '--mesage' for 'reminder add'", "did you mean '--message'?"},
	{"a unique prefix is not enough", {"reminder", "add", "me", "--mess", "x"}, NULL, "reminder add", "unknown flag '--mess' for 'reminder add'", "did you mean '--message'?"},
	{"an operand's name is no flag", {"reminder", "add", "--agent", "me"}, NULL, "reminder add", "unknown flag '--agent' for 'reminder add'", ""},
	{"unknown letter", {"reminder", "list", "-z"}, NULL, "reminder list", "unknown flag '-z' for 'reminder list'", "usage: belfry reminder list [AGENT] [FLAGS]"},
	{"flag before the command", {"--all", "reminder", "list"}, NULL, NULL, "unknown flag '--all'", "flags of a command stand after it: 'belfry COMMAND --all'"},
	{"missing value", {"reminder", "add", "me", "--message"}, NULL, "reminder add", "--message needs a value: TEXT", "usage: belfry reminder add AGENT --message TEXT [FLAGS]"},
	{"missing value of a letter", {"reminder", "add", "me", "-m"}, NULL, "reminder add", "-m needs a value: TEXT", "usage: belfry reminder add AGENT --message TEXT [FLAGS]"},
	{"value for a flag that has none", {"reminder", "list", "--all=yes"}, NULL, "reminder list", "'--all' takes no value", ""},
	{"missing operand", {"reminder", "add", "-m", "x"}, NULL, "reminder add", "AGENT is missing", "usage: belfry reminder add AGENT --message TEXT [FLAGS]"},
	{"H20 missing message", {"reminder", "add", "me"}, NULL, "reminder add", "--message is missing", "usage: belfry reminder add AGENT --message TEXT [FLAGS]"},
	{"one operand too many", {"why", "a", "b"}, NULL, "why", "unexpected argument 'b' for 'why'", "usage: belfry why ID"},
	{"given twice", {"reminder", "add", "me", "-mx", "-my"}, NULL, "reminder add", "--message is given twice", "usage: belfry reminder add AGENT --message TEXT [FLAGS]"},
	{"not a number", {"reminder", "add", "me", "-mx", "-n", "5x"}, NULL, "reminder add", "--count takes a whole number, not '5x'", ""},
	{"empty number", {"reminder", "add", "me", "-mx", "--count="}, NULL, "reminder add", "--count is empty", ""},
	{"number with a blank", {"reminder", "add", "me", "-mx", "-n", " 5"}, NULL, "reminder add", "--count takes a whole number, not ' 5'", ""},
	{"number too large", {"reminder", "add", "me", "-mx", "-n", "99999999999999999999"}, NULL, "reminder add", "the number '99999999999999999999' of --count is too large", ""},
	{"H5 bad choice, near one", {"reminder", "add", "me", "-mx", "--priority", "norml"}, NULL, "reminder add", "--priority cannot be 'norml'", "did you mean 'normal'?"},
	{"H5 bad choice", {"reminder", "add", "me", "-mx", "--priority", "xyzzy"}, NULL, "reminder add", "--priority cannot be 'xyzzy'", "one of: interrupt normal idle-first idle"},
	{"not UTF-8 in a flag", {"reminder", "add", "me", "-m", "a\xff"}, NULL, "reminder add", "the value of --message is not valid UTF-8", ""},
	{"not UTF-8 in an operand", {"why", "a\xc0\x80"}, NULL, "why", "the value of ID is not valid UTF-8", ""},
	{"not UTF-8 on standard input", {"reminder", "add", "me", "-m", "-"}, "\xff", "reminder add", "--message: standard input is not valid UTF-8 text", ""},
	{"standard input twice", {"reminder", "add", "me", "-m", "-", "--note", "-"}, "x", "reminder add", "only one of --message and --note can be read from standard input", ""},
};
/* clang-format on */

static size_t word_list(const char *const *words, char **argv)
{
	size_t count = 0;

	argv[count++] = mem_strdup("belfry");
	for (size_t i = 0; i < WORDS_MAX && words[i]; i++)
		argv[count++] = mem_strdup(words[i]);
	return count;
}

static int parse(const char *const *words, int input_fd, struct command *ret, struct error *err)
{
	char *argv[WORDS_MAX + 1];
	size_t count = word_list(words, argv);
	int r = args_parse(sample_rows, (int)count, argv, input_fd, ret, err);

	for (size_t i = 0; i < count; i++)
		free(argv[i]);
	return r;
}

static int input_of(const char *text, size_t len)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, len), (ssize_t)len);
	close(fds[1]);
	return fds[0];
}

static void test_args(void **state)
{
	const struct args_case *c = *state;
	AUTO_CLOSE int input = c->input ? input_of(c->input, strlen(c->input)) : -1;
	AUTO_COMMAND struct command got = {0};
	struct error err = {0};
	int r = parse(c->words, input, &got, &err);

	if (c->row)
		assert_string_equal(got.row->name, c->row);
	else
		assert_null(got.row);
	if (c->hint) {
		assert_int_equal(r, ERR_INVALID);
		assert_string_equal(err.message, c->want);
		if (*c->hint)
			assert_string_equal(err.hint, c->hint);
	} else {
		AUTO(free) char *text = NULL;

		if (r < 0)
			fail_msg("%s", err.message);
		text = json_text(got.args);
		assert_string_equal(text, c->want);
	}
}

/* clang-format off */
static const struct ask_case {
	const char *name;
	const char *words[WORDS_MAX];
	const char *row, *group; /* what help is about */
	bool json, help, version;
} ask_cases[] = {
	{"nothing", {NULL}, NULL, "", false, false, false},
	{"--help", {"--help"}, NULL, "", false, true, false},
	{"help", {"help"}, NULL, "", false, true, false},
	{"--version", {"--version"}, NULL, "", false, false, true},
	{"I15 -V", {"-V"}, NULL, "", false, false, true},
	{"I15 version", {"version"}, NULL, "", false, false, true},
	{"I9 group help", {"reminder", "help"}, NULL, "reminder", false, true, false},
	{"I15 help of another word", {"help", "reminder", "ls"}, "reminder list", "reminder list", false, true, false},
	{"group --help", {"reminder", "--help"}, NULL, "reminder", false, true, false},
	{"help group", {"help", "reminder"}, NULL, "reminder", false, true, false},
	{"command --help needs nothing else", {"reminder", "add", "--help"}, "reminder add", "reminder add", false, true, false},
	{"command -h", {"reminder", "add", "-h"}, "reminder add", "reminder add", false, true, false},
	{"help command", {"help", "reminder", "add"}, "reminder add", "reminder add", false, true, false},
	{"--json in front", {"--json", "status"}, "status", "status", true, false, false},
	{"--json behind", {"status", "--json"}, "status", "status", true, false, false},
};
/* clang-format on */

static void test_ask(void **state)
{
	const struct ask_case *c = *state;
	AUTO_COMMAND struct command got = {0};
	struct error err = {0};

	assert_int_equal(parse(c->words, -1, &got, &err), 0);
	assert_int_equal(c->row != NULL, got.row != NULL);
	if (c->row)
		assert_string_equal(got.row->name, c->row);
	assert_string_equal(got.group, c->group);
	assert_int_equal(got.json, c->json);
	assert_int_equal(got.help, c->help);
	assert_int_equal(got.version, c->version);
}

/* A mistake is told as JSON when JSON was asked for, wherever the flag stands. */
static void test_json_of_errors(void **state)
{
	const char *const words[WORDS_MAX] = {"reminder", "add", "--mesage", "x", "--json"};
	AUTO_COMMAND struct command got = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(parse(words, -1, &got, &err), ERR_INVALID);
	assert_true(got.json);
}

/* One byte more than the limit is refused; the limit itself is not. */
static void test_body_limit(void **state)
{
	const char *const words[WORDS_MAX] = {"reminder", "add", "me", "-m", "-"};
	char path[] = "/tmp/belfry-body-XXXXXX";
	AUTO_CLOSE int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	for (size_t over = 0; over < 2; over++) {
		AUTO(free) char *text = mem_alloc(ARGS_BODY_MAX + over);
		AUTO_COMMAND struct command got = {0};
		struct error err = {0};

		memset(text, 'x', ARGS_BODY_MAX + over);
		assert_int_equal(pwrite(fd, text, ARGS_BODY_MAX + over, 0), ARGS_BODY_MAX + over);
		lseek(fd, 0, SEEK_SET);
		assert_int_equal(parse(words, fd, &got, &err), over ? ERR_INVALID : 0);
		if (over)
			assert_string_equal(err.message,
					    "--message: standard input is larger than 1 MiB");
	}
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(cases) + COUNT(ask_cases) + 2] = {
		cmocka_unit_test(test_json_of_errors),
		cmocka_unit_test(test_body_limit),
	};
	size_t n = 2;

	for (size_t i = 0; i < COUNT(cases); i++)
		tests[n++] = (struct CMUnitTest){cases[i].name, test_args, NULL, NULL,
						 (void *)(uintptr_t)&cases[i]};
	for (size_t i = 0; i < COUNT(ask_cases); i++)
		tests[n++] = (struct CMUnitTest){ask_cases[i].name, test_ask, NULL, NULL,
						 (void *)(uintptr_t)&ask_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
