/*
 * Adapters: the words that start an agent, what is read from its output, and a conversation that
 * goes on, with an agent that keeps one.
 */
#include "rows.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/adapter.h"
#include "agent/presence.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#define UUID "0e9b7a3c-1f22-4c0d-9d8e-7a6b5c4d3e2f"

static char *join(char **argv)
{
	struct buf line = {0};

	for (size_t i = 0; argv[i]; i++) {
		buf_add_str(&line, i ? "|" : "");
		buf_add_str(&line, argv[i]);
	}
	return buf_steal(&line);
}

static void free_argv(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}
DEFINE_AUTO(char *, free_argv)

/* clang-format off */
#define IN_ARGV true
#define ON_STDIN false
/* What an agent may do without being asked: write to the person. */
#define CLAUDE_MAY "--allowedTools|Bash(belfry message send:*)"
#define GEMINI_MAY "--policy=/m/may.toml"
static const struct argv_case {
	const char *name, *adapter;
	enum adapter_use use;
	const char *prompt, *session;
	const char *args[3];
	const char *want; /* "!…" is an error's message */
	bool in_argv;
	const char *hooks;
} argv_cases[] = {
	{"claude", "claude", USE_HEADLESS, "hi", UUID, {NULL},
	 "claude|-p|--output-format|json|" CLAUDE_MAY "|--session-id|" UUID, ON_STDIN},
	{"A21: what a person allows is allowed as well", "claude", USE_HEADLESS, "hi", UUID,
	 {"--allowedTools", "Edit"},
	 "claude|-p|--output-format|json|" CLAUDE_MAY "|--session-id|" UUID "|--allowedTools|Edit", ON_STDIN},
	{"claude goes on", "claude", USE_RESUME, "hi", UUID, {"--model", "opus"},
	 "claude|-p|--output-format|json|" CLAUDE_MAY "|--resume|" UUID "|--model|opus", ON_STDIN},
	{"claude on a terminal", "claude", USE_INTERACTIVE, "-hi", UUID, {"--model", "opus"},
	 "claude|" CLAUDE_MAY "|--session-id|" UUID "|--model|opus|--|-hi", IN_ARGV},
	{"without a prompt its word is left out", "claude", USE_RESUME_INTERACTIVE, "", UUID, {NULL},
	 "claude|" CLAUDE_MAY "|--resume|" UUID "|--", IN_ARGV},
	{"no prompt at all", "claude", USE_RESUME_INTERACTIVE, NULL, UUID, {NULL},
	 "claude|" CLAUDE_MAY "|--resume|" UUID "|--", IN_ARGV},
	{"H15: claude with its hooks", "claude", USE_INTERACTIVE, "hi", UUID, {"--settings", "own.json"},
	 "claude|" CLAUDE_MAY "|--settings=/m/hooks.json|--session-id|" UUID "|--settings|own.json|--|hi", IN_ARGV, "/m/hooks.json"},
	{"H15: claude goes on with its hooks", "claude", USE_RESUME_INTERACTIVE, NULL, UUID, {NULL},
	 "claude|" CLAUDE_MAY "|--settings=/m/hooks.json|--resume|" UUID "|--", IN_ARGV, "/m/hooks.json"},
	{"no hooks where nobody watches", "claude", USE_HEADLESS, "hi", UUID, {NULL},
	 "claude|-p|--output-format|json|" CLAUDE_MAY "|--session-id|" UUID, ON_STDIN, "/m/hooks.json"},
	{"codex", "codex", USE_HEADLESS, "hi", NULL, {"--sandbox", "read-only"},
	 "codex|exec|--json|--skip-git-repo-check|--sandbox|read-only|-", ON_STDIN},
	{"codex goes on", "codex", USE_RESUME, "hi", "th_1", {NULL},
	 "codex|exec|--json|--skip-git-repo-check|resume|th_1|-", ON_STDIN},
	{"gemini", "gemini", USE_HEADLESS, "hi", UUID, {NULL}, "gemini|" GEMINI_MAY "|-o|json|--session-id|" UUID, ON_STDIN},
	{"N4 what a person allows of Gemini is no list that ours shortens", "gemini", USE_HEADLESS, "hi", UUID,
	 {"--approval-mode", "yolo"}, "gemini|" GEMINI_MAY "|-o|json|--session-id|" UUID "|--approval-mode|yolo", ON_STDIN},
	{"N1 Gemini on a terminal gets its prompt", "gemini", USE_INTERACTIVE, "-hi", UUID, {NULL},
	 "gemini|--session-id|" UUID "|--prompt-interactive=-hi", IN_ARGV},
	{"N1 Gemini goes on, on a terminal", "gemini", USE_RESUME_INTERACTIVE, "hi", UUID, {NULL},
	 "gemini|-r|" UUID "|--prompt-interactive=hi", IN_ARGV},
	{"N1 Gemini goes on without a prompt", "gemini", USE_RESUME_INTERACTIVE, NULL, UUID, {NULL},
	 "gemini|-r|" UUID, IN_ARGV},
	{"gemini goes on", "gemini", USE_RESUME, "hi", "s1", {NULL}, "gemini|" GEMINI_MAY "|-o|json|-r|s1", ON_STDIN},
	{"opencode goes on", "opencode", USE_RESUME, "hi", "ses_1", {NULL},
	 "opencode|run|--format|json|--session|ses_1", ON_STDIN},
	{"a prompt inside a word", "opencode", USE_INTERACTIVE, "a b", NULL, {NULL},
	 "opencode|--prompt=a b", IN_ARGV},
	{"what was put in is not looked at again", "opencode", USE_RESUME_INTERACTIVE,
	 "{session} {prompt} {args} $(id) \"'", "s1", {"{prompt}", "{session}"},
	 "opencode|--session|s1|{prompt}|{session}|--prompt={session} {prompt} {args} $(id) \"'", IN_ARGV},
	{"no session", "claude", USE_HEADLESS, "hi", NULL, {NULL},
	 "!adapter 'claude': 'headless' needs a session", 0},
	{"a session that is an option", "claude", USE_RESUME, "hi", "--continue", {NULL},
	 "!adapter 'claude': 'resume' needs a session", 0},
	{"a command has no template of its own", "command", USE_HEADLESS, "hi", NULL, {NULL},
	 "!adapter 'command' has no 'headless'", 0},
};
/* clang-format on */
static void test_argv(void **state)
{
	const struct argv_case *c = *state;
	AUTO(adapter_free) struct adapter *a = adapter_built_in(c->adapter);
	AUTO(free_argv) char **argv = NULL;
	AUTO(free) char *got = NULL;
	struct adapter_values v = {c->prompt, c->session, (char *const *)(uintptr_t)c->args,
				   .hooks = c->hooks, .may = "/m/may.toml"};
	struct error err = {0};
	bool in_argv = !c->in_argv;

	if (adapter_argv(a, c->use, &v, &argv, &in_argv, &err) < 0) {
		assert_int_equal(err.code, ERR_INVALID);
		assert_int_equal(c->want[0], '!');
		assert_string_equal(err.message, c->want + 1);
		return;
	}
	got = join(argv);
	assert_string_equal(got, c->want);
	assert_int_equal(in_argv, c->in_argv);
}

/* One byte below the kernel's bound is an argument; at the bound it is an error, and not execve's. */
static void test_long_prompt(void **state)
{
	AUTO(adapter_free) struct adapter *a = adapter_built_in("claude");
	AUTO(free) char *prompt = mem_zalloc(131073);
	struct adapter_values v = {prompt, UUID, NULL};
	struct error err = {0};
	bool in_argv;

	(void)state;
	memset(prompt, 'x', 131071);
	{
		AUTO(free_argv) char **argv = NULL;

		assert_int_equal(adapter_argv(a, USE_INTERACTIVE, &v, &argv, &in_argv, &err), 0);
	}
	prompt[131071] = 'x';
	{
		AUTO(free_argv) char **argv = NULL;

		assert_int_equal(adapter_argv(a, USE_INTERACTIVE, &v, &argv, &in_argv, &err),
				 ERR_INVALID);
		assert_null(argv);
		assert_string_equal(err.message,
				    "adapter 'claude': an argument of 131072 bytes is too long");
		/* Standard input has no such bound. */
		assert_int_equal(adapter_argv(a, USE_HEADLESS, &v, &argv, &in_argv, &err), 0);
		assert_false(in_argv);
	}
}

static void test_command(void **state)
{
	char *plain[] = {(char *)"my agent", (char *)"--quick", (char *)"{args}", NULL};
	char *talks[] = {(char *)"bot", (char *)"--name={session}", NULL};
	char *args[] = {(char *)"-v", NULL};
	AUTO(adapter_free) struct adapter *a = adapter_of_command(plain);
	AUTO(adapter_free) struct adapter *b = adapter_of_command(talks);
	AUTO(adapter_free) struct adapter *copy = adapter_copy(b);
	AUTO(free_argv) char **argv = NULL, **again = NULL;
	AUTO(free) char *line = NULL, *second = NULL;
	struct error err = {0};
	bool in_argv;

	(void)state;
	assert_int_equal(a->session, SESSION_NONE);
	assert_null(a->templates[USE_RESUME]);
	assert_int_equal(adapter_argv(a, USE_HEADLESS, &(struct adapter_values){.args = args},
				      &argv, &in_argv, &err),
			 0);
	line = join(argv);
	assert_string_equal(line, "my agent|--quick|-v");

	assert_int_equal(b->session, SESSION_CHOSEN);
	assert_int_equal(copy->session, SESSION_CHOSEN);
	assert_int_equal(adapter_argv(copy, USE_RESUME, &(struct adapter_values){.session = "s1"},
				      &again, &in_argv, &err),
			 0);
	second = join(again);
	assert_string_equal(second, "bot|--name=s1");
	/* H15: any program can be a live agent. */
	assert_string_equal(a->templates[USE_INTERACTIVE][1], "--quick");
	assert_null(a->templates[USE_RESUME_INTERACTIVE]);
	assert_string_equal(copy->templates[USE_RESUME_INTERACTIVE][1], "--name={session}");
	assert_int_equal(copy->live.quiet, 2 * USEC_PER_SEC);
	assert_false(copy->live.paste);
}

/* A pattern that does not compile would never match, and nobody would notice. */
static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; adapter_names[i]; i++) {
		AUTO(adapter_free) struct adapter *built_in = adapter_built_in(adapter_names[i]);
		AUTO(adapter_free) struct adapter *a = adapter_copy(built_in);
		const char *patterns[] = {a->live.busy, a->live.blocked, a->live.input,
					  a->denial_line};
		struct error err = {0};

		for (size_t n = 0; n < COUNT_OF(patterns); n++)
			if (patterns[n] && look_check(patterns[n], &err) < 0)
				fail_msg("%s: %s", a->name, err.message);
		assert_true(a->live.quiet > 0);
	}
}

/* A turn of Gemini's that is stopped was never said, also by what turns a question down. */
static void test_forgets(void **state)
{
	AUTO(adapter_free) struct adapter *gemini = adapter_built_in("gemini");
	AUTO(adapter_free) struct adapter *codex = adapter_built_in("codex");

	(void)state;
	assert_null(gemini->live.interrupt);
	assert_true(gemini->live.forgets);
	assert_null(gemini->live.decline);
	assert_string_equal(codex->live.interrupt, "\033");
	assert_false(codex->live.forgets);
}

/* Every name has a row, every row reads back through its words, and sessions are UUIDs. */
static void test_words(void **state)
{
	char one[ADAPTER_SESSION_MAX], two[ADAPTER_SESSION_MAX];

	(void)state;
	for (size_t i = 0; adapter_names[i]; i++) {
		AUTO(adapter_free) struct adapter *a = adapter_built_in(adapter_names[i]);

		assert_non_null(a);
		assert_string_equal(a->name, adapter_names[i]);
		assert_int_equal(adapter_session_of(adapter_session_word(a->session)), a->session);
		assert_int_equal(adapter_output_of(adapter_output_word(a->output)), a->output);
	}
	assert_null(adapter_built_in("clod"));
	assert_int_equal(adapter_session_of("maybe"), -1);
	assert_int_equal(adapter_output_of(""), -1);
	for (int i = 0; i < 1000; i++) {
		adapter_new_session(one);
		adapter_new_session(two);
		assert_int_equal(strlen(one), 36);
		assert_int_equal(one[14], '4');
		assert_non_null(strchr("89ab", one[19]));
		assert_int_equal(strspn(one, "0123456789abcdef-"), 36);
		assert_string_not_equal(one, two);
	}
}

/* clang-format off */
#define NONE NULL
static const struct read_case {
	const char *name, *adapter, *output;
	const char *answer, *session, *error;
	int64_t cost;
} read_cases[] = {
	{"claude", "claude", "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"session_id\":\"" UUID "\","
	 "\"result\":\"done\",\"total_cost_usd\":0.0125}\n", "done", UUID, NONE, 12500},
	{"is_error is trusted, not subtype", "claude",
	 "{\"subtype\":\"success\",\"is_error\":true,\"result\":\"API Error: 400\"}", "API Error: 400", NONE, "API Error: 400", -1},
	{"R2: a prompt that a hook blocked is no success", "claude",
	 "{\"subtype\":\"success\",\"is_error\":false,\"num_turns\":0,\"result\":\"UserPromptSubmit operation blocked by hook: no\"}",
	 "UserPromptSubmit operation blocked by hook: no", NONE, "UserPromptSubmit operation blocked by hook: no", -1},
	{"an error without a word", "claude", "{\"is_error\":true}", NONE, NONE,
	 "the agent reported an error, without a word", -1},
	{"an error that is null", "claude", "{\"is_error\":null,\"result\":\"x\"}", "x", NONE, NONE, -1},
	{"an empty answer is none", "claude", "{\"result\":\" \\n\"}", NONE, NONE, NONE, -1},
	{"an answer of another type is none", "claude", "{\"result\":{\"a\":1},\"is_error\":false}", NONE, NONE, NONE, -1},
	{"text before it", "claude", "Warning: {old} config {\"a\"\n{\"result\":\"x\"}\n", "x", NONE, NONE, -1},
	{"text on its line", "claude", "\033[?25l{{\"result\":\"x\"}", "x", NONE, NONE, -1},
	{"text after it", "claude", "{\"result\":\"x\"} bye {now}", "x", NONE, NONE, -1},
	{"several: the last that says anything", "claude",
	 "{\"result\":\"a\",\"session_id\":\"s1\"}{\"result\":\"b\"} {\"level\":\"debug\"}", "b", NONE, NONE, -1},
	{"an array of objects counts", "claude", "[{\"result\":\"x\"}]", "x", NONE, NONE, -1},
	{"what is inside a broken object does not count", "claude",
	 "{\"a\":{\"result\":\"fake\"},nonsense", NONE, NONE, "{\"a\":{\"result\":\"fake\"},nonsense", -1},
	{"a cut object does not count", "claude", "{\"usage\":{\"result\":\"fake\"},\"result\":\"real", NONE, NONE,
	 "{\"usage\":{\"result\":\"fake\"},\"result\":\"real", -1},
	{"no JSON at all", "claude", "Execution error\n", NONE, NONE, "Execution error", -1},
	{"nothing at all", "claude", "", NONE, NONE, NONE, -1},
	{"white space alone", "claude", " \n\n", NONE, NONE, NONE, -1},
	{"not UTF-8", "claude", "\xff{\"result\":\"a\xc3(b\"}", "a?(b", NONE, NONE, -1},
	{"half a character, escaped", "claude", "{\"x\":\"\\ud83d\",\"result\":\"\\ud83d\\ude00 \\ude00 \\\\ud83d\"}",
	 "\xf0\x9f\x98\x80 \xef\xbf\xbd \\ud83d", NONE, NONE, -1},
	{"control characters, escaped", "claude", "{\"result\":\"a\\u001b[2Jb\\u0000c\\r\\nd\\te\\u009bf\"}",
	 "a?[2Jb?c\nd\te?f", NONE, NONE, -1},
	{"a number beyond 64 bits elsewhere", "claude", "{\"n\":99999999999999999999999,\"result\":\"x\"}", "x", NONE, NONE, -1},
	{"a number beyond all", "claude", "{\"n\":1e999,\"result\":\"x\"}", NONE, NONE, "{\"n\":1e999,\"result\":\"x\"}", -1},
	{"a session that would be an option", "claude", "{\"session_id\":\"--resume\",\"result\":\"x\"}", "x", NONE, NONE, -1},
	{"a session with a space", "claude", "{\"session_id\":\"a b\",\"result\":\"x\"}", "x", NONE, NONE, -1},
	{"a session that is empty", "claude", "{\"session_id\":\"\",\"result\":\"x\"}", "x", NONE, NONE, -1},
	{"a session with a NUL", "claude", "{\"session_id\":\"a\\u0000b\",\"result\":\"x\"}", "x", NONE, NONE, -1},
	{"cost, rounded", "claude", "{\"total_cost_usd\":0.0000015}", NONE, NONE, NONE, 2},
	{"cost, whole", "claude", "{\"total_cost_usd\":3}", NONE, NONE, NONE, 3000000},
	{"cost, none", "claude", "{\"total_cost_usd\":0}", NONE, NONE, NONE, 0},
	{"cost, negative", "claude", "{\"total_cost_usd\":-0.5}", NONE, NONE, NONE, -1},
	{"cost, a text", "claude", "{\"total_cost_usd\":\"0.5\"}", NONE, NONE, NONE, -1},
	{"cost, absurd", "claude", "{\"total_cost_usd\":1e300}", NONE, NONE, NONE, -1},

	{"codex", "codex",
	 "{\"type\":\"thread.started\",\"thread_id\":\"0199\"}\n{\"type\":\"turn.started\"}\n"
	 "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"first\"}}\n"
	 "{\"type\":\"item.completed\",\"item\":{\"type\":\"command_execution\",\"text\":\"ls\"}}\n"
	 "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"last\"}}\n"
	 "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1}}\n", "last", "0199", NONE, -1},
	{"codex fails", "codex", "{\"type\":\"error\",\"message\":\"reconnecting 1/5\"}\n"
	 "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no quota\"}}\n", NONE, NONE, "no quota", -1},
	{"a lost connection that came back", "codex", "{\"type\":\"error\",\"message\":\"reconnecting 1/5\"}\n"
	 "{\"item\":{\"type\":\"agent_message\",\"text\":\"x\"}}", "x", NONE, NONE, -1},
	{"lines that are none", "codex", "warning {\n{\"item\":{\"type\":\"agent_message\",\"text\":\"x\"}}\n"
	 "oops {\"item\":{\"type\":\"agent_message\",\"text\":\"fake\"}}\n{\"item\":{\"type\":\"agent_message\",\"text\":\"cut",
	 "x", NONE, NONE, -1},
	{"the filter is not the value", "codex", "{\"type\":\"agent_message\",\"item\":{\"text\":\"x\"}}", NONE, NONE, NONE, -1},
	{"no lines of JSON", "codex", "codex: not logged in\n", NONE, NONE, "codex: not logged in", -1},
	{"gemini", "gemini", "{\n  \"session_id\": \"s1\",\n  \"response\": \"hello\",\n  \"stats\": {}\n}\n", "hello", "s1", NONE, -1},
	{"gemini fails", "gemini", "{\"error\":{\"type\":\"ApiError\",\"message\":\"429\",\"code\":1}}", NONE, NONE, "429", -1},
	{"F7 gemini fails in colour", "gemini", "{\"error\":{\"message\":\"\\u001b[31mno \\u001b[1;4mquota\\u001b[0m\\u001b[?25h\"}}", NONE, NONE, "no quota", -1},
	{"F7 no JSON, but colours and a title", "gemini", "\033]0;title\a\033[38;5;9mnot\033[m logged in\033(B\n", NONE, NONE, "not logged in", -1},
	{"F7 a sequence that has no end", "gemini", "a\033[31\nb\033]0;title\nc\033", NONE, NONE, "a\nb\nc", -1},
	{"opencode", "opencode", "{\"type\":\"step_start\",\"sessionID\":\"ses_1\",\"part\":{\"type\":\"step-start\"}}\n"
	 "{\"type\":\"text\",\"sessionID\":\"ses_1\",\"part\":{\"type\":\"text\",\"text\":\"hello\"}}\n"
	 "{\"type\":\"step_finish\",\"sessionID\":\"ses_1\",\"part\":{\"reason\":\"stop\",\"cost\":0.1}}\n", "hello", "ses_1", NONE, -1},
	{"opencode fails", "opencode", "{\"type\":\"error\",\"sessionID\":\"ses_1\",\"error\":{\"name\":\"X\",\"data\":{\"message\":\"bad key\"}}}\n",
	 NONE, "ses_1", "bad key", -1},
	{"text", "command", " \n a {\"result\":\"x\"}\r\nb\033[0m\xff\xe2\x82\xac \n", "a {\"result\":\"x\"}\nb?[0m?\xe2\x82\xac", NONE, NONE, -1},
	{"no text", "command", "\n", NONE, NONE, NONE, -1},
};
/* clang-format on */
static void same_text(const char *got, const char *want)
{
	if (!got || !want)
		assert_ptr_equal(got, want);
	else
		assert_string_equal(got, want);
}

static void test_read(void **state)
{
	const struct read_case *c = *state;
	AUTO(adapter_free) struct adapter *a = adapter_built_in(c->adapter);
	/* Of the very size, so that the address sanitizer sees a read past the end. */
	size_t len = strlen(c->output);
	AUTO(free) char *exact = mem_alloc(len ? len : 1);
	struct adapter_reading got;

	memcpy(exact, c->output, len);
	adapter_read(a, exact, len, &got);
	same_text(got.answer, c->answer);
	same_text(got.session, c->session);
	same_text(got.error, c->error);
	assert_int_equal(got.cost, c->cost);
	adapter_reading_fini(&got);
	assert_null(got.answer);
}

/* clang-format off */
#define OPENCODE_CALL(state) \
	"{\"type\":\"tool_use\",\"timestamp\":1,\"sessionID\":\"ses_1\",\"part\":{\"type\":\"tool\",\"tool\":\"bash\"," \
	"\"callID\":\"c1\",\"state\":{" state "}}}\n"
/* As the real programs said it: Claude Code 2.1.325, Gemini CLI 0.61.0, opencode 1.18.33, Codex 0.166.0. */
static const struct heard_case {
	const char *name, *adapter, *output, *errors;
	int64_t denied;
	const char *calls, *session, *error;
} heard_cases[] = {
	{"N6 Claude's denials", "claude",
	 "{\"permission_denials\":[{\"tool_name\":\"Bash\",\"tool_use_id\":\"t\",\"tool_input\":{\"command\":\"make test\","
	 "\"description\":\"stub\"}},{\"tool_name\":\"Edit\",\"tool_input\":{\"file_path\":\"/a\"}},{\"tool_name\":\"X\"}],"
	 "\"is_error\":false,\"session_id\":\"s1\",\"result\":\"done\"}", "", 3, "Bash(make test), Edit(/a), X", "s1", NULL},
	{"N6 Claude was denied nothing", "claude", "{\"permission_denials\":[],\"session_id\":\"s1\",\"result\":\"done\"}", "",
	 0, NULL, "s1", NULL},
	{"N6 Gemini's denials", "gemini", "{\n  \"session_id\": \"s1\",\n  \"response\": \"done\"\n}",
	 "Ripgrep is not available. Falling back to GrepTool.\n"
	 "Error executing tool run_shell_command: Tool execution denied by policy.\n"
	 "Error executing tool write_file: Tool \"write_file\" not found.\n", 1, "run_shell_command", "s1", NULL},
	{"N6 opencode's denials", "opencode",
	 OPENCODE_CALL("\"status\":\"error\",\"input\":{\"command\":\"touch x\"},\"error\":\"The user has specified a rule which prevents you\"")
	 OPENCODE_CALL("\"status\":\"error\",\"input\":{\"command\":\"rm x\"},\"error\":\"The user rejected permission to use this\"")
	 OPENCODE_CALL("\"status\":\"completed\",\"input\":{\"command\":\"echo \\\"error\\\":\\\"The user rejected permission\"}"),
	 "", 2, "bash, bash", "ses_1", NULL},
	{"N12 Gemini tells its failure on standard error", "gemini", "",
	 "Error when talking to Gemini API _ApiError: {\"type\":\"error\",\"error\":{\"code\":400,\"message\":\"first\"}}\n"
	 "    at async retryWithBackoff (file:///x.js:308039:23) {\n  status: 400\n}\n"
	 "{\n  \"session_id\": \"s2\",\n  \"error\": {\n    \"type\": \"Error\",\n    \"message\": "
	 "\"{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"code\\\":400,\\\"message\\\":\\\"stub error 400\\\"}}\",\n"
	 "    \"code\": 400\n  }\n}\n", 0, NULL, "s2", "stub error 400"},
	{"N12 words on standard error are no answer", "gemini", "", "{\"response\":\"x\"}", 0, NULL, NULL, NULL},
	{"N2 Codex tells its thread first", "codex",
	 "{\"type\":\"thread.started\",\"thread_id\":\"01a1ec18\"}\n{\"type\":\"turn.started\"}\n", "", 0, NULL, "01a1ec18", NULL},
};
/* clang-format on */
/* In pieces of any size, as a pipe has them. */
static void test_heard(void **state)
{
	const struct heard_case *c = *state;
	AUTO(adapter_free) struct adapter *a = adapter_built_in(c->adapter);
	struct adapter_said said = {c->output, c->errors, strlen(c->output), strlen(c->errors)};
	struct adapter_reading got;

	adapter_read_both(a, &said, &got);
	for (size_t piece = 1; piece < 200; piece += 66) {
		const char *texts[] = {c->output, c->errors};
		struct adapter_hearing h;

		adapter_hearing_init(&h, a);
		for (int i = 0; i < 2; i++)
			for (size_t at = 0, len = strlen(texts[i]); at < len; at += piece)
				adapter_hear(&h, a, i, texts[i] + at,
					     len - at < piece ? len - at : piece);
		assert_int_equal(got.denials.count + h.denials.count, c->denied);
		same_text(c->denied ? buf_text(got.denials.count ? &got.denials.calls
								 : &h.denials.calls)
				    : NULL,
			  c->calls);
		if (a->output == OUTPUT_LINES)
			same_text(h.session, c->session);
		adapter_hearing_fini(&h);
	}
	same_text(got.session, c->session);
	same_text(got.error, c->error);
	adapter_reading_fini(&got);
}

/* A line without an end costs a bounded room, and the next line is heard. */
static void test_heard_long(void **state)
{
	AUTO(adapter_free) struct adapter *a = adapter_built_in("codex");
	const char *line = "\n{\"type\":\"thread.started\",\"thread_id\":\"t1\"}\n";
	struct adapter_hearing h;
	char block[4096];

	(void)state;
	memset(block, 'x', sizeof(block));
	adapter_hearing_init(&h, a);
	for (int i = 0; i < 100; i++)
		assert_false(adapter_hear(&h, a, HEAR_OUTPUT, block, sizeof(block)));
	assert_true(h.lines[HEAR_OUTPUT].len <= HEAR_LINE_MAX);
	assert_true(adapter_hear(&h, a, HEAR_OUTPUT, line, strlen(line)));
	assert_string_equal(h.session, "t1");
	assert_false(adapter_hear(&h, a, HEAR_OUTPUT, line, strlen(line)));
	adapter_hearing_fini(&h);
}

/* The file has what was said; what is stored and shown is clean. */
static void test_raw(void **state)
{
	AUTO(adapter_free) struct adapter *a = adapter_built_in("command");
	static const char output[] = "\na\033[1mb\0c\n";
	struct adapter_reading got;

	(void)state;
	adapter_read(a, output, sizeof(output) - 1, &got);
	assert_string_equal(got.answer, "a?[1mb?c");
	assert_string_equal(got.raw, "a\033[1mb?c");
	adapter_reading_fini(&got);
}

/* clang-format off */
static const struct path_case {
	const char *name, *path, *object, *want;
} path_cases[] = {
	{"path: plain",            "a",            "{\"a\":\"x\"}", "x"},
	{"path: nested",           "a.b.c",        "{\"a\":{\"b\":{\"c\":\"x\"}}}", "x"},
	{"path: an array's",       "a.1.b",        "{\"a\":[0,{\"b\":\"x\"}]}", "x"},
	{"path: beyond an array",  "a.2",          "{\"a\":[\"x\"]}", NULL},
	{"path: no number",        "a.b",          "{\"a\":[\"x\"]}", NULL},
	{"path: through a text",   "a.b",          "{\"a\":\"x\"}", NULL},
	{"path: a filter",         "t=r:a",        "{\"t\":\"r\",\"a\":\"x\"}", "x"},
	{"path: it does not fit",  "t=r:a",        "{\"t\":\"rr\",\"a\":\"x\"}", NULL},
	{"path: it is not there",  "t=r:a",        "{\"a\":\"x\"}", NULL},
	{"path: a nested filter",  "i.t=r:i.a",    "{\"i\":{\"t\":\"r\",\"a\":\"x\"}}", "x"},
	{"path: a value with dots","t=r.s:a",      "{\"t\":\"r.s\",\"a\":\"x\"}", "x"},
	{"path: a colon and no filter", "a:b",     "{\"a:b\":\"x\"}", "x"},
};
/* clang-format on */
static void test_path(void **state)
{
	const struct path_case *c = *state;
	AUTO(adapter_free) struct adapter *a = adapter_built_in("claude");
	struct adapter_reading got;

	mem_replace(&a->answer_path, c->path);
	adapter_read(a, c->object, strlen(c->object), &got);
	same_text(got.answer, c->want);
	adapter_reading_fini(&got);
}

/*
 * Output that is large or made to cost: one pass each, so megabytes are milliseconds. Where the
 * search went back after every failure these took minutes.
 */
static const struct large_case {
	const char *name, *piece, *end, *adapter;
	size_t times;
	bool answer;
} large_cases[] = {
	{"large: brackets", "{", "", "claude", 4u << 20, false},
	{"large: text, then the result", "some {text}\n", "{\"result\":\"x\"}", "claude", 200000,
	 true},
	{"large: open objects", "{\"a\":", "", "claude", 1u << 20, false},
	{"large: open arrays, then rubbish", "{\"a\":[1,", "x", "claude", 2000, false},
	{"large: deep, and closed nowhere", "[{\"result\":\"fake\",\"b\":", "", "claude", 300000,
	 false},
	{"large: whole objects", "{\"a\":1}", "{\"result\":\"x\"}", "claude", 200000, true},
	{"large: broken escapes", "\\ud83d", "", "claude", 1u << 20, false},
	{"large: lines", "{\"item\":{\"type\":\"agent_message\",\"text\":\"x\"}}\n", "", "codex",
	 50000, true},
	{"large: text output", "\xff\x1bwords\n", "", "command", 1u << 20, true},
};
static void test_large(void **state)
{
	const struct large_case *c = *state;
	AUTO(adapter_free) struct adapter *a = adapter_built_in(c->adapter);
	AUTO_BUF struct buf output = {0};
	struct adapter_reading got;

	for (size_t i = 0; i < c->times; i++)
		buf_add_str(&output, c->piece);
	buf_add_str(&output, c->end);
	adapter_read(a, output.data, output.len, &got);
	assert_int_equal(got.answer != NULL, c->answer);
	if (got.error)
		assert_true(strlen(got.error) <= 2048);
	adapter_reading_fini(&got);
}

/* ---- with a program that keeps conversations ---- */

static char home[] = "/tmp/adapter-unit-XXXXXX";

static const char *agent_path(void)
{
	const char *path = getenv("TEST_AGENT");

	if (!path)
		fail_msg("TEST_AGENT names no program");
	return path;
}

/* Run words with a prompt on standard input; the output is added, the wait status returned. */
static int run(char **argv, const char *prompt, struct buf *output)
{
	int in[2], out[2], status;
	pid_t child;
	ssize_t n;
	char chunk[4096];

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	child = fork();
	if (child == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	assert_int_equal(fd_write_all(in[1], prompt, strlen(prompt)), 0);
	close(in[1]);
	while ((n = read(out[0], chunk, sizeof(chunk))) > 0)
		buf_add(output, chunk, (size_t)n);
	close(out[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* The claude row itself, with the stand-in as its program. */
static struct adapter *stand_in(void)
{
	struct adapter *a = adapter_built_in("claude");

	for (int use = 0; use < USE_COUNT; use++)
		mem_replace(&a->templates[use][0], agent_path());
	return a;
}

static int talk(enum adapter_use use, const char *session, const char *prompt,
		struct adapter_reading *ret)
{
	AUTO(adapter_free) struct adapter *a = stand_in();
	AUTO(free_argv) char **argv = NULL;
	AUTO_BUF struct buf output = {0};
	struct adapter_values v = {prompt, session, NULL};
	struct error err = {0};
	bool in_argv;
	int status;

	assert_int_equal(adapter_argv(a, use, &v, &argv, &in_argv, &err), 0);
	status = run(argv, in_argv ? "" : prompt, &output);
	adapter_read(a, buf_text(&output), output.len, ret);
	return status;
}

static void test_conversation(void **state)
{
	char session[ADAPTER_SESSION_MAX], other[ADAPTER_SESSION_MAX];
	struct adapter_reading got;

	(void)state;
	adapter_new_session(session);
	adapter_new_session(other);
	assert_int_equal(talk(USE_HEADLESS, session, "the word is owl", &got), 0);
	assert_string_equal(got.answer, "echo: the word is owl");
	assert_string_equal(got.session, session);
	assert_int_equal(got.cost, 12500);
	adapter_reading_fini(&got);

	assert_int_equal(talk(USE_HEADLESS, other, "another one", &got), 0);
	adapter_reading_fini(&got);

	/* It goes on: the first turn is known, the other conversation's is not. */
	assert_int_equal(talk(USE_RESUME, session, "recall", &got), 0);
	assert_string_equal(got.answer, "turn 1: the word is owl\nturn 2: recall");
	assert_string_equal(got.session, session);
	adapter_reading_fini(&got);

	assert_int_equal(talk(USE_RESUME_INTERACTIVE, session, "recall", &got), 0);
	adapter_reading_fini(&got);
	assert_int_equal(talk(USE_RESUME, session, "recall", &got), 0);
	assert_string_equal(got.answer, "turn 1: the word is owl\nturn 2: recall\nturn 3: recall\n"
					"turn 4: recall");
	adapter_reading_fini(&got);
}

/* A name is used once, and an unknown one is not continued: silently starting anew would be worse. */
static void test_refused(void **state)
{
	char session[ADAPTER_SESSION_MAX];
	struct adapter_reading got;

	(void)state;
	adapter_new_session(session);
	assert_int_equal(WEXITSTATUS(talk(USE_RESUME, session, "say hi", &got)), 1);
	assert_null(got.answer);
	adapter_reading_fini(&got);
	assert_int_equal(talk(USE_HEADLESS, session, "say hi", &got), 0);
	adapter_reading_fini(&got);
	assert_int_equal(WEXITSTATUS(talk(USE_HEADLESS, session, "say hi", &got)), 1);
	assert_null(got.answer);
	adapter_reading_fini(&got);
}

/* clang-format off */
static const struct end_case {
	const char *name, *prompt;
	int exit_code, signal;
	const char *answer, *error;
} end_cases[] = {
	{"ends: status 0 and is_error",  "fail no model\nexit 0", 0, 0, "no model", "no model"},
	{"ends: fail",                   "fail no model",         1, 0, "no model", "no model"},
	{"ends: a status",               "say x\nexit 3",         3, 0, "x", "x"},
	{"ends: SIGINT is status 0, and no success", "raw ready\nsleep 30", 0, SIGINT, NULL, "ready\nExecution error"},
	{"ends: SIGTERM",                "raw ready\nsleep 30", 143, SIGTERM, NULL, "ready"},
	{"ends: SIGHUP",                 "raw ready\nsleep 30", 129, SIGHUP, NULL, "ready"},
	{"ends: deaf to SIGTERM",        "ignore TERM\nraw ready\nsleep 0.2\nsay x", 0, SIGTERM, "x", NULL},
};
/* clang-format on */

/* Send a signal once the agent said "ready". */
static void run_signalled(char **argv, const struct end_case *c, struct buf *output, int *status)
{
	int out[2];
	pid_t child;
	ssize_t n;
	char chunk[4096];

	assert_int_equal(pipe(out), 0);
	child = fork();
	if (child == 0) {
		dup2(out[1], 1);
		close(out[0]), close(out[1]);
		execv(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	while ((n = read(out[0], chunk, sizeof(chunk))) > 0) {
		buf_add(output, chunk, (size_t)n);
		if (c->signal && output->len == 6)
			kill(child, c->signal);
	}
	close(out[0]);
	assert_int_equal(waitpid(child, status, 0), child);
}

static void test_end(void **state)
{
	const struct end_case *c = *state;
	AUTO(adapter_free) struct adapter *a = stand_in();
	char *argv[] = {(char *)(uintptr_t)agent_path(), (char *)"-p",
			(char *)"--output-format",	 (char *)"json",
			(char *)(uintptr_t)c->prompt,	 NULL};
	AUTO_BUF struct buf output = {0};
	struct adapter_reading got;
	int status = 0;

	run_signalled(argv, c, &output, &status);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), c->exit_code);
	adapter_read(a, buf_text(&output), output.len, &got);
	same_text(got.answer, c->answer);
	same_text(got.error, c->error);
	adapter_reading_fini(&got);
}

/* A prompt of a megabyte, with everything a shell would touch, arrives byte for byte. */
static void test_whole_prompt(void **state)
{
	AUTO_BUF struct buf prompt = {0};
	AUTO(free) char *want = NULL;
	AUTO_BUF struct buf sum = {0};
	char *cksum[] = {(char *)"/bin/sh", (char *)"-c", (char *)"cksum", NULL};
	char session[ADAPTER_SESSION_MAX];
	struct adapter_reading got;

	(void)state;
	buf_add_str(&prompt, "prompt\nexit 0\n");
	while (prompt.len < 1u << 20)
		buf_add_str(&prompt, "$(id) `id` \"'\\ \t{session} \xe2\x82\xac\x01\r\n");
	assert_int_equal(run(cksum, prompt.data, &sum), 0);
	adapter_new_session(session);
	assert_int_equal(talk(USE_HEADLESS, session, prompt.data, &got), 0);
	want = mem_printf("prompt %.*s", (int)strcspn(sum.data, "\n"), sum.data);
	assert_string_equal(got.answer, want);
	adapter_reading_fini(&got);
}

int main(void)
{
	AUTO(free) char *clean = NULL;
	int failed;

	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(home))
		return 1;
	setenv("TEST_AGENT_HOME", home, 1);
	add_table(test_argv, argv_cases);
	add_row("a prompt too long for an argument", test_long_prompt, NULL);
	add_row("an agent's own command", test_command, NULL);
	add_row("H15: patterns of the built-in adapters", test_patterns, NULL);
	add_row("F10 who would forget is not interrupted", test_forgets, NULL);
	add_row("names, words and sessions", test_words, NULL);
	add_table(test_read, read_cases);
	add_table(test_path, path_cases);
	add_table(test_heard, heard_cases);
	add_row("N2 a line without an end is passed over", test_heard_long, NULL);
	add_row("N24 control characters stay in the answer's file", test_raw, NULL);
	add_table(test_large, large_cases);
	add_row("A1: a headless run is continued later", test_conversation, NULL);
	add_row("A26: a conversation is refused rather than mistaken", test_refused, NULL);
	add_table(test_end, end_cases);
	add_row("A15: the prompt arrives byte for byte on standard input", test_whole_prompt, NULL);
	failed = run_rows("adapter");
	clean = mem_printf("rm -rf %s", home);
	return system(clean) != 0 || failed;
}
