/*
 * test-setup.c: texts of clients, changed and changed back.
 * Rows show the whole file before and after. Each change is also taken back by its steps, which must give the
 * very bytes, and taken out by its meaning, which must leave all the others.
 */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "setup/diff.h"
#include "setup/draft.h"
#include "setup/jsonc.h"
#include "setup/toml.h"

static json_t *json_of(const char *text)
{
	struct error err = {0};
	json_t *value = NULL;

	if (json_parse(text, strlen(text), &value, &err) < 0)
		fail_msg("%s: %s", text, err.message);
	return value;
}

static void assert_text(const struct draft *d, const char *want)
{
	assert_string_equal(buf_text(&d->text), want);
	assert_int_equal(d->text.len, strlen(want));
}

/* By the steps alone, as an undo does. */
static void assert_reverts(const struct draft *d, const char *before)
{
	AUTO(json_decref) json_t *steps = draft_steps(d);
	AUTO_DRAFT struct draft back;

	draft_init(&back, buf_text(&d->text), d->text.len);
	assert_true(draft_revert(&back, steps));
	assert_text(&back, before);
}

/* clang-format off */
static const struct come_case {
	const char *name, *before;
	const char *path[4];
	const char *value;
	bool append;
	const char *after;
} come_cases[] = {
	{"json: no file", "", {"a", "b"}, "1", false, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n"},
	{"json: a file of space", "\n \n", {"a"}, "1", false, "\n \n{\n  \"a\": 1\n}\n"},
	{"json: a file of a comment without its end", "// mine", {"a"}, "1", false, "// mine\n{\n  \"a\": 1\n}\n"},
	{"json: only a byte order mark", "\xef\xbb\xbf", {"a"}, "1", false, "\xef\xbb\xbf{\n  \"a\": 1\n}\n"},
	{"json: empty braces", "{}", {"a"}, "1", false, "{\n  \"a\": 1\n}"},
	{"json: empty braces over lines", "{\n}\n", {"a"}, "1", false, "{\n  \"a\": 1\n}\n"},
	{"json: empty braces with a comment", "{ // none\n}\n", {"a"}, "1", false, "{ // none\n  \"a\": 1\n}\n"},
	{"json: behind the last", "{\n  \"x\": 1\n}\n", {"a"}, "2", false, "{\n  \"x\": 1,\n  \"a\": 2\n}\n"},
	{"json: behind the last one's comment", "{\n  \"x\": 1 // one\n  // end\n}\n", {"a"}, "2", false,
	 "{\n  \"x\": 1, // one\n  \"a\": 2\n  // end\n}\n"},
	{"json: behind two comments", "{\n  \"x\": 1 /* a */ /* b */\n}\n", {"a"}, "2", false,
	 "{\n  \"x\": 1, /* a */ /* b */\n  \"a\": 2\n}\n"},
	{"json: a trailing comma stays one", "{\n  \"x\": 1,\n}\n", {"a"}, "2", false, "{\n  \"x\": 1,\n  \"a\": 2,\n}\n"},
	{"json: a trailing comma and a comment", "{\n  \"x\": 1, // one\n}\n", {"a"}, "2", false,
	 "{\n  \"x\": 1, // one\n  \"a\": 2,\n}\n"},
	{"json: tabs", "{\n\t\"x\": {\n\t\t\"y\": 1\n\t}\n}", {"x", "a"}, "{\"b\": 1}", false,
	 "{\n\t\"x\": {\n\t\t\"y\": 1,\n\t\t\"a\": {\n\t\t\t\"b\": 1\n\t\t}\n\t}\n}"},
	{"json: four spaces", "{\n    \"x\": {}\n}", {"x", "a"}, "{\"b\": 1}", false,
	 "{\n    \"x\": {\n        \"a\": {\n            \"b\": 1\n        }\n    }\n}"},
	{"json: crlf", "{\r\n  \"x\": 1\r\n}\r\n", {"a"}, "{\"b\": 1}", false,
	 "{\r\n  \"x\": 1,\r\n  \"a\": {\r\n    \"b\": 1\r\n  }\r\n}\r\n"},
	{"json: crlf and a comment", "{\r\n  \"x\": 1 // one\r\n}\r\n", {"a"}, "2", false,
	 "{\r\n  \"x\": 1, // one\r\n  \"a\": 2\r\n}\r\n"},
	{"json: behind a byte order mark", "\xef\xbb\xbf{\n  \"x\": 1\n}\n", {"a"}, "2", false,
	 "\xef\xbb\xbf{\n  \"x\": 1,\n  \"a\": 2\n}\n"},
	{"json: one line", "{\"x\": 1}\n", {"a"}, "{\"b\": [1, 2]}", false, "{\"x\": 1, \"a\": {\"b\": [1, 2]}}\n"},
	{"json: one tight line", "{\"x\":1}", {"a"}, "{\"b\": 1}", false, "{\"x\":1,\"a\":{\"b\":1}}"},
	{"json: one line, empty inside", "{\"x\":{}}", {"x", "a"}, "1", false, "{\"x\":{\"a\":1}}"},
	{"json: one line, a comment inside empty braces", "{\"x\": { // c\n}}", {"x", "a"}, "1", false, "{\"x\": {\"a\": 1 // c\n}}"},
	{"json: into a list in one line", "{\n  \"p\": {\n    \"allow\": [\"x\"]\n  }\n}\n", {"p", "allow"}, "\"y\"", true,
	 "{\n  \"p\": {\n    \"allow\": [\"x\", \"y\"]\n  }\n}\n"},
	{"json: into a list over lines", "{\n  \"p\": [\n    \"x\"\n  ]\n}\n", {"p"}, "\"y\"", true,
	 "{\n  \"p\": [\n    \"x\",\n    \"y\"\n  ]\n}\n"},
	{"json: into an empty list", "{\n  \"p\": []\n}\n", {"p"}, "\"y\"", true, "{\n  \"p\": [\n    \"y\"\n  ]\n}\n"},
	{"json: into a list that is not there", "{\n  \"x\": 1\n}\n", {"p", "allow"}, "\"y\"", true,
	 "{\n  \"x\": 1,\n  \"p\": {\n    \"allow\": [\"y\"]\n  }\n}\n"},
	{"json: a key by its escapes", "{\n  \"\\u0070\": []\n}\n", {"p"}, "1", true, "{\n  \"\\u0070\": [\n    1\n  ]\n}\n"},
	{"json: numbers stay as they are written", "{\"n\": [1.0, 1e400, 0.1000, -0], \"x\": 12345678901234567890123}", {"a"}, "1", false,
	 "{\"n\": [1.0, 1e400, 0.1000, -0], \"x\": 12345678901234567890123, \"a\": 1}"},
	{"json: brackets and comments in strings", "{\n  \"x\": \"} // /* ]\"\n}\n", {"a"}, "1", false,
	 "{\n  \"x\": \"} // /* ]\",\n  \"a\": 1\n}\n"},
	{"json: keys elsewhere that are there twice", "{\"x\": {\"d\": 1, \"d\": 2}}", {"a"}, "1", false,
	 "{\"x\": {\"d\": 1, \"d\": 2}, \"a\": 1}"},
};

static const struct refuse_case {
	const char *name, *before, *message;
} refuse_cases[] = {
	{"json: broken", "{\n  \"a\": 1,\n  \"b\" 2\n}", "line 3, column 7: a colon is expected"},
	{"json: an end missing", "{\"a\": [1, 2", "line 1, column 12: a comma or a closing bracket is expected"},
	{"json: more behind the end", "{} x", "line 1, column 4: something follows the end"},
	{"json: two commas", "{\"a\": [1,,2]}", "line 1, column 10: no value can be read here"},
	{"json: a lonely comma", "{,}", "line 1, column 2: a name in quotation marks is expected"},
	{"json: a string without its end", "{\"a\": \"b\n\"}", "line 1, column 9: a line end or control character inside a string"},
	{"json: a comment without its end", "{} /* x", "line 1, column 4: a comment that does not end"},
	{"json: a bad escape", "{\"a\": \"\\x\"}", "line 1, column 8: a backslash before something that it cannot stand before"},
	{"json: half a number", "[1.]", "line 1, column 2: no value can be read here"},
	{"json: a word", "{\"a\": nil}", "line 1, column 7: no value can be read here"},
	{"json: no UTF-8", "{\"a\": \"\xff\"}", "it is not UTF-8"},
	{"json: columns are characters", "{\"ä\": nil}", "line 1, column 7: no value can be read here"},
	{"json: a list is no object", "[]", "it is not an object"},
	{"json: a text in the way", "{\"k\": \"x\"}", "'k' is not an object"},
	{"json: null in the way", "{\"k\": null}", "'k' is not an object"},
	{"json: twice there", "{\"k\": {}, \"k\": {}}", "'k' is there twice"},
	{"json: there already", "{\"k\": {\"l\": 1}}", "'l' is there already"},
};

static const struct go_case {
	const char *name, *before, *path, *item, *after; /* item: its key, or the text of a list's */
} go_cases[] = {
	{"json: the only one goes", "{\n  \"a\": 1\n}\n", NULL, "a", "{}\n"},
	{"json: the first goes", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", NULL, "a", "{\n  \"b\": 2\n}\n"},
	{"json: one in the middle goes", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", NULL, "b", "{\n  \"a\": 1,\n  \"c\": 3\n}\n"},
	{"json: the last goes, and its comma", "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n", NULL, "b", "{\n  \"a\": 1 // one\n}\n"},
	{"json: the last with a trailing comma", "{\n  \"a\": 1,\n  \"b\": 2,\n}\n", NULL, "b", "{\n  \"a\": 1,\n}\n"},
	{"json: others' comments stay", "{\n  // a\n  \"a\": 1, // one\n  // b\n  \"b\": 2 // two\n}\n", NULL, "b",
	 "{\n  // a\n  \"a\": 1 // one\n  // b // two\n}\n"},
	{"json: behind a comment in the last line", "{\"l\": [1, // one\n  \"x\"]}", "l", "x", "{\"l\": [1 // one\n  ]}"},
	{"json: in one line, the first", "{\"a\": 1, \"b\": 2}", NULL, "a", "{\"b\": 2}"},
	{"json: in one line, the last", "{\"a\": 1, \"b\": 2}", NULL, "b", "{\"a\": 1}"},
	{"json: in one line, the middle", "{\"l\": [\"x\", \"y\", \"z\"]}", "l", "y", "{\"l\": [\"x\", \"z\"]}"},
	{"json: crlf goes with its line", "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n", NULL, "b", "{\r\n  \"a\": 1\r\n}\r\n"},
};

#define TABLE "[mcp_servers.belfry]\ncommand = \"/b/belfry\"\nargs = [\"mcp\"]\nenv_vars = [\"BELFRY_HOME\", \"BELFRY_CONFIG_DIR\", " \
	"\"BELFRY_STATE_DIR\", \"BELFRY_RUNTIME_DIR\", \"BELFRY_STORE\", \"BELFRY_USER\", \"BELFRY_MISSION_ID\", \"BELFRY_AGENT\", " \
	"\"BELFRY_SESSION\", \"XDG_CONFIG_HOME\", \"XDG_STATE_HOME\", \"XDG_RUNTIME_DIR\"]\ndefault_tools_approval_mode = \"approve\"\n"
static const struct toml_case {
	const char *name, *before, *after, *removed; /* removed: by its meaning; NULL: as before */
} toml_cases[] = {
	{"toml: no file", "", TABLE, NULL},
	{"toml: at the end", "model = \"x\" # mine\n", "model = \"x\" # mine\n\n" TABLE, NULL},
	{"toml: without a last line end", "model = \"x\"", "model = \"x\"\n\n" TABLE, "model = \"x\"\n"},
	{"toml: beside another server", "[mcp_servers.x]\ncommand = \"x\"\n", "[mcp_servers.x]\ncommand = \"x\"\n\n" TABLE, NULL},
	{"toml: brackets inside strings", "a = \"\"\"\n[mcp_servers.belfry]\n\"\"\"\nb = '''\n[[x\n'''\n",
	 "a = \"\"\"\n[mcp_servers.belfry]\n\"\"\"\nb = '''\n[[x\n'''\n\n" TABLE, NULL},
	{"toml: values of all kinds", "a = [1, [2, 3], # x\n  {b = 1, \"c d\" = 'e'},\n]\nt = 1979-05-27 07:32:00Z\nf = -1.5e+3\n[[l]]\nx.y.'z' = true\n",
	 "a = [1, [2, 3], # x\n  {b = 1, \"c d\" = 'e'},\n]\nt = 1979-05-27 07:32:00Z\nf = -1.5e+3\n[[l]]\nx.y.'z' = true\n\n" TABLE, NULL},
	{"toml: a new place, the rest of it stays",
	 "[mcp_servers.belfry] # mine\ncommand = '/old/belfry' # here\nargs = [\"mcp\", \"--user\", \"al\"]\n\n[mcp_servers.belfry.env]\nA = \"1\"\n\n[z]\n",
	 "[mcp_servers.belfry] # mine\ncommand = \"/b/belfry\" # here\nargs = [\"mcp\", \"--user\", \"al\"]\n\n[mcp_servers.belfry.env]\nA = \"1\"\n\n[z]\n",
	 "\n[z]\n"},
	{"toml: a foreign one", "[mcp_servers.belfry]\nurl = \"http://x\"\n[z]\na = 1\n", "[z]\na = 1\n\n" TABLE, "[z]\na = 1\n"},
	{"toml: as it should be", "# x\n\n" TABLE, "# x\n\n" TABLE, "# x\n"},
};

static const struct toml_refuse {
	const char *name, *before, *message;
} toml_refuses[] = {
	{"toml: broken", "a = 1\nb = = 2\n", "line 2, column 5: a value is expected"},
	{"toml: two in a line", "a = 1 b = 2\n", "line 1, column 7: the line should end here"},
	{"toml: a string without its end", "a = \"x\n", "line 1, column 5: a string that does not end"},
	{"toml: a list without its end", "a = [1\n", "line 1, column 5: a list that does not end"},
	{"toml: a table without its end", "[a\n", "line 1, column 3: ']' is expected"},
	{"toml: an inline table", "mcp_servers = {x = {command = \"x\"}}\n", "'mcp_servers' is written as one value"},
	{"toml: inline below the section", "[mcp_servers]\nbelfry = {command = \"x\"}\n", "'mcp_servers.belfry' is not a table of its own"},
	{"toml: dotted", "mcp_servers.belfry.command = \"x\"\n", "'mcp_servers.belfry' is not a table of its own"},
	{"toml: a list of tables", "[[mcp_servers]]\n", "'mcp_servers' is a list of tables"},
	{"toml: twice", "[mcp_servers.belfry]\n[mcp_servers.belfry]\n", "'mcp_servers.belfry' is there twice"},
};

static const struct diff_case {
	const char *name, *old, *new, *want;
} diff_cases[] = {
	{"diff: the same", "a\n", "a\n", ""},
	{"diff: a new file", "", "a\nb\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
	{"diff: a file that goes", "a\n", "", "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
	{"diff: a line in the middle", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
	 "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
	{"diff: two places", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\ny\n",
	 "--- f\n+++ f\n@@ -1,3 +1,4 @@\n+x\n 1\n 2\n 3\n@@ -8,3 +9,4 @@\n 8\n 9\n 10\n+y\n"},
	{"diff: no last line end", "a", "a\n", "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
};
/* clang-format on */

static void test_come(void **state)
{
	const struct come_case *c = *state;
	AUTO(json_decref) json_t *value = json_of(c->value);
	AUTO_DRAFT struct draft d;
	struct error err = {0};
	int r;

	draft_init(&d, c->before, strlen(c->before));
	r = c->append ? jsonc_append(&d, c->path, value, &err)
		      : jsonc_add(&d, c->path, value, &err);
	if (r < 0)
		fail_msg("%s", err.message);
	assert_text(&d, c->after);
	assert_reverts(&d, c->before);
}

static void test_refuse(void **state)
{
	static const char *const path[] = {"k", "l", NULL};
	const struct refuse_case *c = *state;
	AUTO(json_decref) json_t *value = json_integer(1);
	AUTO_DRAFT struct draft d;
	struct error err = {0};

	draft_init(&d, c->before, strlen(c->before));
	assert_true(jsonc_add(&d, path, value, &err) < 0);
	assert_string_equal(err.message, c->message);
	assert_text(&d, c->before);
}

static void test_deep(void **state)
{
	static const char *const path[] = {"k", NULL};
	AUTO(json_decref) json_t *value = json_integer(1);
	AUTO_BUF struct buf text = {0};
	AUTO_DRAFT struct draft d;
	struct error err = {0};

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_add_char(&text, '[');
	draft_init(&d, buf_text(&text), text.len);
	assert_true(jsonc_add(&d, path, value, &err) < 0);
	assert_string_equal(err.message, "line 1, column 201: brackets inside brackets, too deep");
}

static void test_go(void **state)
{
	const struct go_case *c = *state;
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	AUTO_DRAFT struct draft d;
	struct error err = {0};
	const struct jsonc_node *in;
	size_t i = 0;

	draft_init(&d, c->before, strlen(c->before));
	assert_int_equal(jsonc_parse(c->before, strlen(c->before), &root, &err), 0);
	in = c->path ? jsonc_get(root, c->path) : root;
	while (i < in->count && !(in->items[i]->key ? strcmp(in->items[i]->key, c->item) == 0
						    : jsonc_is(in->items[i], c->item)))
		i++;
	assert_true(i < in->count);
	if (jsonc_remove(&d, in, i, &err) < 0)
		fail_msg("%s", err.message);
	assert_text(&d, c->after);
	assert_reverts(&d, c->before);
}

static void test_toml(void **state)
{
	const struct toml_case *c = *state;
	AUTO_DRAFT struct draft d;
	struct error err = {0};
	size_t steps;

	draft_init(&d, c->before, strlen(c->before));
	if (toml_set(&d, "/b/belfry", true, &err) < 0)
		fail_msg("%s", err.message);
	assert_text(&d, c->after);
	assert_reverts(&d, c->before);
	steps = d.count;
	assert_int_equal(toml_set(&d, "/b/belfry", true, &err), 0);
	assert_int_equal(d.count, steps); /* nothing twice */
	assert_int_equal(toml_remove(&d, &err), 0);
	assert_text(&d, c->removed ? c->removed : c->before);
}

static void test_toml_refuse(void **state)
{
	const struct toml_refuse *c = *state;
	AUTO_DRAFT struct draft d;
	struct error err = {0};

	draft_init(&d, c->before, strlen(c->before));
	assert_true(toml_set(&d, "/b/belfry", true, &err) < 0);
	assert_string_equal(err.message, c->message);
	assert_text(&d, c->before);
}

static void test_diff(void **state)
{
	const struct diff_case *c = *state;
	AUTO_BUF struct buf out = {0};

	diff_print(&out, "f", c->old, strlen(c->old), c->new, strlen(c->new));
	assert_string_equal(buf_text(&out), c->want);
}

/* Steps of another text, or of nobody: refused, and the text stays. */
static void test_strange_steps(void **state)
{
	static const char *const bad[] = {
		"[[9, \"\", 1]]", "[[0, \"\", 99]]", "[[0, 1, 1]]", "[[-1, \"\", 1]]", "[1]",
		"[[0]]"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		AUTO(json_decref) json_t *steps = json_of(bad[i]);
		AUTO_DRAFT struct draft d;

		draft_init(&d, "abc", 3);
		assert_false(draft_revert(&d, steps));
		assert_text(&d, "abc");
	}
}

/* What is no text is refused; and steps are bytes, whatever they are. */
static void test_nul(void **state)
{
	static const char text[] = "# a\0b\n";
	static const char *const path[] = {"k", NULL};
	AUTO(json_decref) json_t *value = json_integer(1);
	AUTO_DRAFT struct draft d;
	struct error err = {0};

	(void)state;
	draft_init(&d, text, sizeof(text) - 1);
	assert_true(toml_set(&d, "/b/belfry", true, &err) < 0);
	assert_string_equal(err.message, "it has a NUL byte, so it is no text");
	assert_true(jsonc_add(&d, path, value, &err) < 0);
	assert_string_equal(err.message, "it has a NUL byte, so it is no text");
	draft_replace(&d, 0, d.text.len, "x", 1);
	draft_rewind(&d, 0);
	assert_int_equal(d.text.len, sizeof(text) - 1);
	assert_memory_equal(d.text.data, text, sizeof(text) - 1);
}

int main(void)
{
	add_table(test_come, come_cases);
	add_table(test_refuse, refuse_cases);
	add_row("json: too deep", test_deep, NULL);
	add_row("a NUL byte", test_nul, NULL);
	add_table(test_go, go_cases);
	add_table(test_toml, toml_cases);
	add_table(test_toml_refuse, toml_refuses);
	add_table(test_diff, diff_cases);
	add_row("steps that cannot be", test_strange_steps, NULL);
	return run_rows("setup");
}
