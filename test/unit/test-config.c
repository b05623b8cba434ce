/*
 * test-config.c: config.yml, good and bad.
 * A good text is compared by a dump of what was read, a bad one by the whole message and hint: the
 * place in the file is a promise.
 */
#include "rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"
#include "schedule/duration.h"

#define DEFAULTS "retention=12w6d\nme timeout=30s attempts=5\n"

/* clang-format off */
static const struct good_case {
	const char *name, *text, *want;
} good_cases[] = {
	{"empty", "", DEFAULTS},
	{"comments only", "# nothing\n\n# yet\n", DEFAULTS},
	{"document marks", "---\n...\n", DEFAULTS},
	{"an empty mapping", "{}", DEFAULTS},
	{"B10 timezone", "timezone: Europe/Berlin\n", "timezone=Europe/Berlin\n" DEFAULTS},
	{"quoted, and with crlf", "timezone: 'Europe/Berlin'\r\nretention: \"1d\"\r\n",
	 "timezone=Europe/Berlin\nretention=1d\nme timeout=30s attempts=5\n"},
	{"byte order mark", "\xef\xbb\xbf" "timezone: UTC\n", "timezone=UTC\n" DEFAULTS},
	{"store postgres", "store: postgres://belfry@db/belfry\n",
	 "store=postgres://belfry@db/belfry\n" DEFAULTS},
	{"store postgresql", "store: 'postgresql:///x?host=/run'\n",
	 "store=postgresql:///x?host=/run\n" DEFAULTS},
	{"store sqlite", "store: sqlite:/var/b.db\n", "store=sqlite:/var/b.db\n" DEFAULTS},
	{"store path under the config's folder", "store: data//b.db\n",
	 "store=sqlite:/etc/belfry/data/b.db\n" DEFAULTS},
	{"store under home", "store: sqlite:~/b.db\n", "store=sqlite:/home/ann/b.db\n" DEFAULTS},
	{"store in memory", "store: 'sqlite::memory:'\n", "store=sqlite::memory:\n" DEFAULTS},
	{"the header's example",
	 "timezone: Europe/Berlin\n"
	 "store: postgres://belfry@db/belfry      # default: sqlite in the state folder\n"
	 "retention: 90d                          # how long ended history is kept\n"
	 "agents:\n"
	 "  builder:\n"
	 "    directory: ~/src/app\n"
	 "    environment: {CI: \"1\"}\n"
	 "    deliver:\n"
	 "      command: [notify, --from, belfry]\n"
	 "      timeout: 30s\n"
	 "      attempts: 5\n",
	 "timezone=Europe/Berlin\nstore=postgres://belfry@db/belfry\n" DEFAULTS
	 "builder directory=/home/ann/src/app environment=[CI=1] "
	 "deliver=[notify][--from][belfry] timeout=30s attempts=5\n"},
	{"empty mappings are fine", "agents:\n  a:\n  b: {}\n  c: {environment: {}, deliver: }\n",
	 DEFAULTS "a timeout=30s attempts=5\nb timeout=30s attempts=5\nc timeout=30s attempts=5\n"},
	{"no agents", "agents:\n", DEFAULTS},
	{"me can be declared, and stays first",
	 "agents:\n  zed:\n  me: {directory: /tmp, deliver: {command: [cat]}}\n",
	 "retention=12w6d\nme directory=/tmp deliver=[cat] timeout=30s attempts=5\n"
	 "zed timeout=30s attempts=5\n"},
	{"directory ~", "agents: {a: {directory: \"~\"}}",
	 DEFAULTS "a directory=/home/ann timeout=30s attempts=5\n"},
	{"directory ~/", "agents: {a: {directory: ~/}}",
	 DEFAULTS "a directory=/home/ann timeout=30s attempts=5\n"},
	{"directory .", "agents: {a: {directory: .}}",
	 DEFAULTS "a directory=/etc/belfry timeout=30s attempts=5\n"},
	{"directory relative", "agents: {a: {directory: ../x/./y/}}",
	 DEFAULTS "a directory=/etc/belfry/../x/y timeout=30s attempts=5\n"},
	{"directory /", "agents: {a: {directory: //}}",
	 DEFAULTS "a directory=/ timeout=30s attempts=5\n"},
	{"values keep their text",
	 "agents:\n  a:\n    environment:\n      N: 007\n      B: yes\n      F: 1.50\n"
	 "      E: \"\"\n      Q: 'it''s'\n      _x1: a=b\n      T: \"null\"\n"
	 "      M: |\n        one\n        two\n",
	 DEFAULTS "a environment=[N=007][B=yes][F=1.50][E=][Q=it's][_x1=a=b][T=null][M=one\ntwo\n] "
	 "timeout=30s attempts=5\n"},
	{"limits of timeout and attempts",
	 "agents:\n  a: {deliver: {command: [x], timeout: 1s, attempts: 1}}\n"
	 "  b: {deliver: {command: [x], timeout: 60m, attempts: 20}}\n",
	 DEFAULTS "a deliver=[x] timeout=1s attempts=1\nb deliver=[x] timeout=1h attempts=20\n"},
	{"numbers in a command are texts", "agents: {a: {deliver: {command: [sleep, 1, true]}}}",
	 DEFAULTS "a deliver=[sleep][1][true] timeout=30s attempts=5\n"},
	{"aliases", "agents:\n  a: &one {directory: /x}\n  b: *one\n",
	 DEFAULTS "a directory=/x timeout=30s attempts=5\nb directory=/x timeout=30s attempts=5\n"},
	{"merge keys, own keys win",
	 "agents:\n  a: &one\n    directory: /x\n    deliver: {command: [c]}\n"
	 "  b:\n    <<: *one\n    directory: /y\n",
	 DEFAULTS "a directory=/x deliver=[c] timeout=30s attempts=5\n"
	 "b directory=/y deliver=[c] timeout=30s attempts=5\n"},
	{"merge of several, the first wins",
	 "agents:\n  a: &a {directory: /a}\n  b: &b {directory: /b, environment: {E: 1}}\n"
	 "  c: {<<: [*a, *b]}\n",
	 DEFAULTS "a directory=/a timeout=30s attempts=5\n"
	 "b directory=/b environment=[E=1] timeout=30s attempts=5\n"
	 "c directory=/a environment=[E=1] timeout=30s attempts=5\n"},
};

static const struct bad_case {
	const char *name, *text, *message, *hint;
} bad_cases[] = {
	/* what does not belong */
	{"unknown key", "# a\ntiemzone: UTC\n", "2:1: unknown key 'tiemzone'",
	 "did you mean 'timezone'?"},
	{"unknown key, far from any", "zzzzzz: 1\n", "1:1: unknown key 'zzzzzz'",
	 "keys here: timezone, store, retention, agents"},
	{"unknown key of an agent", "agents:\n  a:\n    dierctory: /\n",
	 "3:5: unknown key 'dierctory'", "did you mean 'directory'?"},
	{"unknown key of deliver", "agents: {a: {deliver: {command: [x], attempt: 2}}}",
	 "1:38: unknown key 'attempt'", "did you mean 'attempts'?"},
	{"keys are exact", "Timezone: UTC\n", "1:1: unknown key 'Timezone'",
	 "did you mean 'timezone'?"},
	{"unknown key after wide characters", "agents: {a: {environment: {X: \"äöü\"}, y: 1}}",
	 "1:39: unknown key 'y'", "keys here: directory, environment, deliver"},
	{"duplicate key", "timezone: UTC\nretention: 1d\ntimezone: UTC\n",
	 "3:1: duplicate key 'timezone'", "it stands in line 1 already; keep one of them"},
	{"duplicate, quoted", "agents:\n  a:\n  \"a\":\n", "3:3: duplicate key 'a'",
	 "it stands in line 2 already; keep one of them"},
	{"the first duplicate is named", "b: 1\na: 1\na: 1\nb: 1\n", "3:1: duplicate key 'a'",
	 "it stands in line 2 already; keep one of them"},
	{"duplicate variable", "agents: {a: {environment: {X: 1, X: 2}}}",
	 "1:34: duplicate key 'X'", "it stands in line 1 already; keep one of them"},
	{"a key that is a list", "[a]: 1\n", "1:1: a key must be a text", "expected 'key: value'"},
	{"an empty key", ": 1\n", "1:1: a key must be a text", "expected 'key: value'"},

	/* kinds */
	{"the whole is a list", "- timezone\n", "1:1: a configuration is a mapping",
	 "expected 'key: value', as in 'timezone: Europe/Berlin'"},
	{"the whole is a text", "\nhello\n", "2:1: a configuration is a mapping",
	 "expected 'key: value', as in 'timezone: Europe/Berlin'"},
	{"text wanted, list given", "timezone: [UTC]\n", "1:11: 'timezone' needs a text, not a list",
	 ""},
	{"text wanted, nothing given", "store:\nretention: 1d\n",
	 "1:1: 'store' needs a text, not nothing", ""},
	{"text wanted, null given", "store: ~\n", "1:1: 'store' needs a text, not nothing", ""},
	{"mapping wanted, text given", "agents: builder\n",
	 "1:9: 'agents' needs a mapping, not a text", ""},
	{"mapping wanted, list given", "agents:\n  - builder\n",
	 "2:3: 'agents' needs a mapping, not a list", ""},
	{"an agent that is a text", "agents:\n  a: \"x\"\n",
	 "2:6: 'a' needs a mapping, not a text", ""},
	{"list wanted, text given", "agents: {a: {deliver: {command: notify me}}}",
	 "1:33: 'command' needs a list, not a text", ""},

	/* values */
	{"B10 a zone mistyped", "timezone: Europe/Berlni\n",
	 "1:11: unknown time zone 'Europe/Berlni'", "did you mean 'Europe/Berlin'?"},
	{"B10 no such zone", "timezone: Mars/Olympus\n", "1:11: unknown time zone ", NULL},
	{"zone out of its folder", "timezone: ../../etc/passwd\n", "1:11: ", NULL},
	{"zone empty", "timezone: ''\n", "1:11: ", NULL},
	{"bad duration", "retention: soon\n", "1:12: ", NULL},
	{"bare number", "retention: 90\n", "1:12: ", NULL},
	{"retention too short", "retention: 23h\n", "1:12: '23h' is shorter than 1d", ""},
	{"store of another kind", "store: mysql://root:secret@h/x\n",
	 "1:8: cannot keep a store in 'mysql://'",
	 "a store is 'sqlite:PATH', a path, or 'postgres://...'"},
	{"store without a path", "store: 'sqlite:'\n", "1:8: an empty path", ""},
	{"agent name", "agents:\n  my agent:\n", "2:3: 'my agent' is not a name for an agent",
	 "1 to 64 letters, digits, '.', '_' and '-', beginning with a letter, a digit or '_'"},
	{"agent name, path", "agents:\n  ../x:\n", "2:3: '../x' is not a name for an agent",
	 "1 to 64 letters, digits, '.', '_' and '-', beginning with a letter, a digit or '_'"},
	{"directory empty", "agents: {a: {directory: ''}}", "1:25: an empty path", ""},
	{"directory of another person", "agents: {a: {directory: ~bob/x}}",
	 "1:25: cannot expand '~bob/x'", "only '~/' is known; write the folder out, or './~...'"},
	{"variable with a dash", "agents: {a: {environment: {A-B: 1}}}",
	 "1:28: 'A-B' is not a name for an environment variable",
	 "letters, digits and '_', not beginning with a digit"},
	{"variable with a digit first", "agents: {a: {environment: {1A: 1}}}",
	 "1:28: '1A' is not a name for an environment variable",
	 "letters, digits and '_', not beginning with a digit"},
	{"variable empty", "agents: {a: {environment: {'': 1}}}",
	 "1:28: '' is not a name for an environment variable",
	 "letters, digits and '_', not beginning with a digit"},
	{"variable of belfry", "agents:\n  a:\n    environment:\n      BELFRY_HOME: /x\n",
	 "4:7: 'BELFRY_HOME' cannot be set here",
	 "variables that begin with BELFRY_ are belfry's own"},
	{"variable without value", "agents:\n  a:\n    environment:\n      X:\n",
	 "4:7: 'X' has no value", "write \"\" for an empty one"},
	{"variable with a list", "agents: {a: {environment: {X: [1]}}}",
	 "1:31: 'X' needs a text, not a list", ""},
	{"deliver without command", "agents:\n  b:\n    deliver:\n      timeout: 5s\n",
	 "4:7: 'deliver' of agent 'b' has no command",
	 "add 'command: [PROGRAM, ARGUMENT...]', or leave 'deliver' out"},
	{"command empty", "agents: {a: {deliver: {command: []}}}",
	 "1:33: 'command' is an empty list", "the program and its arguments: [notify, --from, belfry]"},
	{"command of nothing", "agents: {a: {deliver: {command: ['', x]}}}",
	 "1:34: 'command' names no program", ""},
	{"command with a list inside", "agents: {a: {deliver: {command: [x, [y]]}}}",
	 "1:37: 'command' is a list of texts", ""},
	{"command with nothing inside", "agents: {a: {deliver: {command: [x, ~]}}}",
	 "1:37: 'command' is a list of texts", ""},
	{"timeout too short", "agents: {a: {deliver: {command: [x], timeout: 999ms}}}",
	 "1:47: '999ms' is shorter than 1s", ""},
	{"timeout too long", "agents: {a: {deliver: {command: [x], timeout: 61m}}}",
	 "1:47: '61m' is longer than 1h", ""},
	{"attempts zero", "agents: {a: {deliver: {command: [x], attempts: 0}}}",
	 "1:48: 'attempts' runs from 1 to 20, not '0'", ""},
	{"attempts many", "agents: {a: {deliver: {command: [x], attempts: 99999999999999999999}}}",
	 "1:48: 'attempts' runs from 1 to 20, not '99999999999999999999'", ""},
	{"attempts negative", "agents: {a: {deliver: {command: [x], attempts: -1}}}",
	 "1:48: 'attempts' needs a whole number, not '-1'", ""},
	{"attempts with a tail", "agents: {a: {deliver: {command: [x], attempts: 5x}}}",
	 "1:48: 'attempts' needs a whole number, not '5x'", ""},

	/* YAML itself */
	{"wrong bracket", "timezone: UTC\nagents: {x: [1, 2}\n", "2:18: mismatched flow mapping end",
	 "expected ',' or ']' for the '[' of line 2, column 13"},
	{"open bracket", "agents: {a: {\n", "2:1: did not find expected node content",
	 "expected ',' or '}' for the '{' of line 1, column 13"},
	{"tab", "agents:\n\ta:\n", "2:1: tab character may not be used as indentation",
	 "indent with spaces"},
	{"open quote", "store: 'x\n", "1:9: single-quoted scalar without closing quote",
	 "expected the same quote at the end of the text"},
	{"bad escape", "store: \"a\\q\"\n", "1:10: invalid escape 'q' in double-quoted string",
	 "in double quotes a backslash is written \\\\"},
	{"two colons", "store: a: b\n", "1:9: invalid nested block mapping on the same line",
	 "put a text that holds ': ' in quotes"},
	{"reserved sign", "store: @x\n", "1:8: plain scalar cannot start with '@'",
	 "put the text in quotes"},
	{"crooked indentation", "agents:\n    a:\n  b:\n", "3:3: invalid indentation in mapping",
	 "keys of one mapping begin in the same column"},
	{"a list that ends in a key", "- a\nb: c\n", "2:1: invalid scalar at the end of block sequence",
	 "expected '- item' in column 1, as in line 1"},
	{"another version", "%YAML 3.0\n---\ntimezone: UTC\n", "1:1: this is not YAML",
	 "expected 'key: value'"},
	{"second document", "timezone: UTC\n---\nretention: 1d\n",
	 "2:1: a second document; one file is one configuration", ""},
	{"tag", "timezone: !zone UTC\n", "1:17: tags ('!...') have no meaning here", ""},
	{"unknown alias", "store: *here\n", "1:8: unknown alias '*here'",
	 "name it before with '&here', or quote the text"},
	{"an alias of itself", "agents: &a {x: *a}\n", "1:16: unknown alias '*a'",
	 "name it before with '&a', or quote the text"},
	{"merge of a text", "agents: {a: {<<: x}}\n", "1:18: '<<' merges mappings only", ""},
	{"not utf-8", "timezone: UTC\nstore: /\xff\n", "2:1: this line is not UTF-8", ""},
	{"control character", "store: \"\033[2J\"\n", "1:1: a control character in this line", ""},
	{"escaped control character", "store: \"\\e[2J\"\n", "1:8: a control character in a text", ""},
	{"escaped nul", "store: \"/x\\0y\"\n", "1:8: a control character in a text", ""},
	{"deep", "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n", "1:35: nested too deeply", ""},
};
/* clang-format on */

static void dump_list(struct buf *b, const char *name, char *const *texts)
{
	if (!texts)
		return;
	buf_printf(b, " %s=", name);
	for (; *texts; texts++)
		buf_printf(b, "[%s]", *texts);
}

static void dump_agent(struct buf *b, const struct config_agent *a)
{
	char timeout[DURATION_TEXT_MAX];

	duration_format(a->deliver_timeout, timeout);
	buf_add_str(b, a->name);
	if (a->directory)
		buf_printf(b, " directory=%s", a->directory);
	dump_list(b, "environment", a->environment);
	dump_list(b, "deliver", a->deliver);
	buf_printf(b, " timeout=%s attempts=%d\n", timeout, a->deliver_attempts);
}

static void dump(struct buf *b, const struct config *c)
{
	char retention[DURATION_TEXT_MAX];

	if (c->timezone)
		buf_printf(b, "timezone=%s\n", c->timezone);
	if (c->store)
		buf_printf(b, "store=%s\n", c->store);
	duration_format(c->retention, retention);
	buf_printf(b, "retention=%s\n", retention);
	for (size_t i = 0; i < c->agent_count; i++)
		dump_agent(b, &c->agents[i]);
}

static void test_good(void **state)
{
	const struct good_case *g = *state;
	AUTO(config_free) struct config *c = NULL;
	AUTO_BUF struct buf b = {0};
	struct error err = {0};

	if (config_parse(g->text, strlen(g->text), "/etc/belfry/config.yml", &c, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	dump(&b, c);
	assert_string_equal(buf_text(&b), g->want);
}

/* Parse a text that is wrong, with stderr in a file: nothing may be printed there. */
static int parse_quietly(const char *text, size_t len, struct error *err)
{
	FILE *printed = tmpfile();
	struct config *c = NULL;
	int saved = dup(STDERR_FILENO), r;

	assert_non_null(printed);
	dup2(fileno(printed), STDERR_FILENO);
	r = config_parse(text, len, "config.yml", &c, err);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(lseek(fileno(printed), 0, SEEK_END), 0);
	fclose(printed);
	assert_null(c);
	return r;
}

static void test_bad(void **state)
{
	const struct bad_case *bad = *state;
	AUTO(free) char *want = mem_printf("config.yml:%s", bad->message);
	struct error err = {0};

	assert_int_equal(parse_quietly(bad->text, strlen(bad->text), &err), ERR_INVALID);
	/* Without a hint to compare, the words are another's: the place is ours. */
	if (!bad->hint) {
		assert_true(strlen(err.message) > strlen(want));
		err.message[strlen(want)] = '\0';
	}
	assert_string_equal(err.message, want);
	if (bad->hint)
		assert_string_equal(err.hint, bad->hint);
}

static void test_nul(void **state)
{
	static const char text[] = "timezone: UTC\nretention: 1d\0\n";
	struct error err = {0};

	(void)state;
	assert_int_equal(parse_quietly(text, sizeof(text) - 1, &err), ERR_INVALID);
	assert_string_equal(err.message, "config.yml:2:1: a control character in this line");
}

/* Texts that would cost much if they were taken at their word. */
static void test_bombs(void **state)
{
	AUTO_BUF struct buf laughs = {0}, merges = {0}, keys = {0};
	struct error err = {0};

	(void)state;
	buf_add_str(&laughs, "a0: &a0 [x, x]\n");
	for (int i = 1; i < 40; i++)
		buf_printf(&laughs, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1);
	assert_int_equal(parse_quietly(laughs.data, laughs.len, &err), ERR_INVALID);
	assert_string_equal(err.message, "config.yml:1:1: unknown key 'a0'");

	buf_add_str(&merges, "m: &m {");
	for (int i = 0; i < 5000; i++)
		buf_printf(&merges, "k%d: 1, ", i);
	buf_add_str(&merges, "}\n");
	for (int i = 0; i < 5000; i++)
		buf_printf(&merges, "n%d: {<<: *m}\n", i);
	assert_int_equal(parse_quietly(merges.data, merges.len, &err), ERR_INVALID);
	assert_non_null(strstr(err.message, "too much is merged with '<<'"));

	for (int i = 0; i < 60000; i++)
		buf_printf(&keys, "k%d: 1\n", i);
	assert_int_equal(parse_quietly(keys.data, keys.len, &err), ERR_INVALID);
	assert_non_null(strstr(err.message, "too much in one file"));
}

static void test_too_large(void **state)
{
	AUTO_BUF struct buf b = {0};
	struct error err = {0};

	(void)state;
	while (b.len <= 1024 * 1024)
		buf_add_str(&b, "# a comment\n");
	assert_int_equal(parse_quietly(b.data, b.len, &err), ERR_INVALID);
	assert_string_equal(err.message, "'config.yml' is larger than 1048576 bytes");
}

static void test_load(void **state)
{
	char folder[] = "/tmp/test-config.XXXXXX";
	AUTO(free) char *path = NULL;
	AUTO(config_free) struct config *missing = NULL, *c = NULL;
	struct error err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = mem_printf("%s/config.yml", folder);
	assert_int_equal(config_load(path, &missing, &err), 0);
	assert_string_equal(missing->path, path);
	assert_int_equal(missing->agent_count, 1);
	assert_int_equal(missing->retention, 90 * USEC_PER_DAY);

	assert_int_equal(file_write(path, "agents: {a: {directory: x}}\n", 28, &err), 0);
	assert_int_equal(config_load(path, &c, &err), 0);
	assert_int_equal(c->agent_count, 2);
	assert_memory_equal(c->agents[1].directory, folder, strlen(folder));
	assert_string_equal(c->agents[1].directory + strlen(folder), "/x");
	unlink(path);
	assert_int_equal(config_load(folder, &c, &err), ERR_SYSTEM); /* a folder */
	rmdir(folder);
}

static void test_agent(void **state)
{
	static const char text[] = "agents: {builder: , reviewer: }";
	AUTO(config_free) struct config *c = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(config_parse(text, strlen(text), "/c/config.yml", &c, &err), 0);
	assert_string_equal(config_agent(c, "me", &err)->name, "me");
	assert_string_equal(config_agent(c, "reviewer", &err)->name, "reviewer");
	assert_null(config_agent(c, "bulider", &err));
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_string_equal(err.message, "no agent 'bulider'");
	assert_string_equal(err.hint,
			    "did you mean 'builder'? agents are declared in '/c/config.yml'");
	assert_null(config_agent(c, "tester", &err));
	assert_string_equal(err.hint, "declare it under 'agents:' in '/c/config.yml'");
}

int main(void)
{
	setenv("HOME", "/home/ann", 1);
	add_table(test_good, good_cases);
	add_table(test_bad, bad_cases);
	add_row("a NUL byte", test_nul, NULL);
	add_row("texts that blow up", test_bombs, NULL);
	add_row("a file that is too large", test_too_large, NULL);
	add_row("from a file, and without one", test_load, NULL);
	add_row("agents by name", test_agent, NULL);
	return run_rows("config");
}
