/*
 * test-edit.c: changes of config.yml keep everything that was not asked to change.
 * Rows show the whole file before and after. The property test makes random changes of hand-written
 * files and compares, by a dump of every value and by the comments, with what should be there.
 */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/edit.h"
#include "config/yaml.h"

#define SETTINGS_MAX 4

static size_t count_settings(const struct edit_setting *list)
{
	size_t count = 0;

	while (count < SETTINGS_MAX && list[count].key)
		count++;
	return count;
}

/* clang-format off */
static const struct add_case {
	const char *name, *before;
	struct edit_setting settings[SETTINGS_MAX];
	const char *after;
} add_cases[] = {
	{"A5 add to no file", "", {{"schedule", "0 9 * * *", false}, {"prompt", "p", false}},
	 "crons:\n  new:\n    schedule: 0 9 * * *\n    prompt: p\n"},
	{"A5 add after comments alone", "# mine\n", {{"prompt", "p", false}},
	 "# mine\n\ncrons:\n  new:\n    prompt: p\n"},
	{"A5 add the section", "timezone: UTC   # here\n", {{"prompt", "p", false}},
	 "timezone: UTC   # here\n\ncrons:\n  new:\n    prompt: p\n"},
	{"N22 add the section before the end of the document", "timezone: UTC\n...\n# more\n", {{"prompt", "p", false}},
	 "timezone: UTC\n\ncrons:\n  new:\n    prompt: p\n...\n# more\n"},
	{"A5 add the section after a blank line", "timezone: UTC\n\n", {{"prompt", "p", false}},
	 "timezone: UTC\n\ncrons:\n  new:\n    prompt: p\n"},
	{"A5 add the section to a file without a last newline", "timezone: UTC", {{"prompt", "p", false}},
	 "timezone: UTC\n\ncrons:\n  new:\n    prompt: p\n"},
	{"A5 add the section, indented as the file is", "agents:\n    a:\n        command: [x]\n",
	 {{"prompt", "p", false}},
	 "agents:\n    a:\n        command: [x]\n\ncrons:\n    new:\n        prompt: p\n"},
	{"A5 add the section inside brackets", "{timezone: UTC}\n", {{"prompt", "p", false}},
	 "{timezone: UTC, crons: {new: {prompt: p}}}\n"},
	{"A5 add the section inside empty brackets", "{}", {{"prompt", "p", false}},
	 "{crons: {new: {prompt: p}}}"},
	{"A5 add below an empty section", "crons:  # none yet\n# end\n", {{"prompt", "p", false}},
	 "crons:  # none yet\n  new:\n    prompt: p\n# end\n"},
	{"A5 add to a section of nothing", "crons: ~  # none\ntimezone: UTC\n", {{"prompt", "p", false}},
	 "crons:  # none\n  new:\n    prompt: p\ntimezone: UTC\n"},
	{"A5 add to null", "crons: null\n", {{"prompt", "p", false}}, "crons:\n  new:\n    prompt: p\n"},
	{"A5 add to empty brackets", "crons: {}\nagents:\n    a:\n", {{"prompt", "p", false}},
	 "crons:\n    new:\n        prompt: p\nagents:\n    a:\n"},
	{"A5 add to empty brackets with a comment", "crons: { # soon\n  }\n", {{"prompt", "p", false}},
	 "crons: {new: {prompt: p} # soon\n  }\n"},
	{"A5 add to an empty section without a newline", "crons:", {{"prompt", "p", false}},
	 "crons:\n  new:\n    prompt: p\n"},
	{"A5 add after the last", "crons:\n  maxConcurrent: 5\n  a:\n    prompt: x # why\n# end\n",
	 {{"prompt", "p", false}},
	 "crons:\n  maxConcurrent: 5\n  a:\n    prompt: x # why\n  new:\n    prompt: p\n# end\n"},
	{"A5 add after maxConcurrent", "crons:\n  maxConcurrent: 5\n", {{"prompt", "p", false}},
	 "crons:\n  maxConcurrent: 5\n  new:\n    prompt: p\n"},
	{"A5 add with a blank line, as there are",
	 "crons:\n  a:\n    prompt: x\n\n  # two\n  b:\n    prompt: y\n\nagents:\n",
	 {{"prompt", "p", false}},
	 "crons:\n  a:\n    prompt: x\n\n  # two\n  b:\n    prompt: y\n\n  new:\n    prompt: p\n\nagents:\n"},
	{"A5 add after the last one's own comment", "crons:\n  a:\n    prompt: x\n    # git: y\n  # z\n",
	 {{"prompt", "p", false}},
	 "crons:\n  a:\n    prompt: x\n    # git: y\n  new:\n    prompt: p\n  # z\n"},
	{"A5 add after a block without a last newline", "crons:\n  a:\n    prompt: |\n      x",
	 {{"prompt", "p", false}},
	 "crons:\n  a:\n    prompt: |\n      x\n  new:\n    prompt: p\n"},
	{"A5 add after a block that keeps its newlines", "crons:\n  a:\n    prompt: |+\n      x\n\n\n",
	 {{"prompt", "p", false}},
	 "crons:\n  a:\n    prompt: |+\n      x\n\n\n  new:\n    prompt: p\n"},
	{"A5 add the section after a block that keeps its newlines", "store: |+\n  x\n",
	 {{"prompt", "p", false}}, "store: |+\n  x\ncrons:\n  new:\n    prompt: p\n"},
	{"A5 add to brackets", "crons: {a: {prompt: x}} # all\n", {{"prompt", "p, q", false}, {"retention", "3", true}},
	 "crons: {a: {prompt: x}, new: {prompt: \"p, q\", retention: 3}} # all\n"},
	{"A5 add to brackets in lines", "crons: {\n  a: {prompt: x},\n  }\n", {{"prompt", "p", false}},
	 "crons: {\n  a: {prompt: x}, new: {prompt: p},\n  }\n"},
	{"A5 add after one in brackets", "crons:\n  a: {prompt: x}\n", {{"prompt", "p", false}},
	 "crons:\n  a: {prompt: x}\n  new:\n    prompt: p\n"},
	{"A5 add with four spaces", "crons:\n    a:\n        prompt: x\n", {{"prompt", "p\nq", false}},
	 "crons:\n    a:\n        prompt: x\n    new:\n        prompt: |-\n            p\n            q\n"},
	{"A5 add with crlf", "crons:\r\n  a:\r\n    prompt: x\r\n", {{"prompt", "p\nq\n", false}},
	 "crons:\r\n  a:\r\n    prompt: x\r\n  new:\r\n    prompt: |\r\n      p\r\n      q\r\n"},
	{"A5 add after a byte order mark", "\xef\xbb\xbf" "crons:\n", {{"prompt", "p", false}},
	 "\xef\xbb\xbf" "crons:\n  new:\n    prompt: p\n"},
	{"A5 add without settings", "crons:\n", {{"prompt", NULL, false}}, "crons:\n  new: {}\n"},
	{"A5 add beside anchors", "crons:\n  a: &a {prompt: x}\n  b: *a\n", {{"prompt", "p", false}},
	 "crons:\n  a: &a {prompt: x}\n  b: *a\n  new:\n    prompt: p\n"},
	{"A5 add a list and a truth", "crons:\n",
	 {{"retry_on", "[failure, lost]", true}, {"enabled", "false", true}},
	 "crons:\n  new:\n    retry_on: [failure, lost]\n    enabled: false\n"},
};

static const struct set_case {
	const char *name, *before;
	struct edit_setting settings[SETTINGS_MAX];
	const char *after;
} set_cases[] = {
	{"A5 set a value, keep its comment", "crons:\n  c:\n    enabled: true   # for now\n    prompt: p\n",
	 {{"enabled", "false", true}}, "crons:\n  c:\n    enabled: false   # for now\n    prompt: p\n"},
	{"A5 set what is not there", "crons:\n  c:\n    prompt: p # q\n\n  d:\n    prompt: r\n",
	 {{"enabled", "false", true}},
	 "crons:\n  c:\n    prompt: p # q\n    enabled: false\n\n  d:\n    prompt: r\n"},
	{"A5 set at the end of a file without a newline", "crons:\n  c:\n    prompt: p",
	 {{"enabled", "false", true}}, "crons:\n  c:\n    prompt: p\n    enabled: false\n"},
	{"A5 set the same value", "crons:\n  c:\n    prompt: 'p'\n", {{"prompt", "p", false}},
	 "crons:\n  c:\n    prompt: p\n"},
	{"A5 set a quoted value", "crons:\n  c:\n    schedule: \"0 9 * * *\" # nine\n",
	 {{"schedule", "* * * * *", false}}, "crons:\n  c:\n    schedule: \"* * * * *\" # nine\n"},
	{"A5 set a value over lines", "crons:\n  c:\n    prompt: one\n      two # end\n    git: g\n",
	 {{"prompt", "p", false}}, "crons:\n  c:\n    prompt: p # end\n    git: g\n"},
	{"A5 set a block", "crons:\n  c:\n    prompt: | # long\n      one\n\n      two\n\n    git: g\n",
	 {{"prompt", "p", false}}, "crons:\n  c:\n    prompt: p # long\n\n    git: g\n"},
	{"A5 set a block to a block", "crons:\n  c:\n    prompt: >-\n      one\n      two\n    git: g\n",
	 {{"prompt", "a\nb\n", false}},
	 "crons:\n  c:\n    prompt: |\n      a\n      b\n    git: g\n"},
	{"A5 set a line to a block, keep its comment", "crons:\n  c:\n    prompt: one # why\n    git: g\n",
	 {{"prompt", "a\n\nb", false}},
	 "crons:\n  c:\n    prompt: |- # why\n      a\n\n      b\n    git: g\n"},
	{"A5 set nothing to something", "crons:\n  c:\n    prompt:  # what?\n    git: g\n",
	 {{"prompt", "a", false}}, "crons:\n  c:\n    prompt: a  # what?\n    git: g\n"},
	{"A5 set a list", "crons:\n  c:\n    retry_on:  # when\n      - lost\n      - failure\n    git: g\n",
	 {{"retry_on", "none", false}}, "crons:\n  c:\n    retry_on: none  # when\n    git: g\n"},
	{"A5 set a list in brackets", "crons:\n  c:\n    retry_on: [lost,\n      failure] # x\n    git: g\n",
	 {{"retry_on", "[timeout]", true}}, "crons:\n  c:\n    retry_on: [timeout] # x\n    git: g\n"},
	{"A5 set several", "crons:\n  c:\n    prompt: p\n    git: g\n    timeout: 1h\n",
	 {{"timeout", "2h", false}, {"git", NULL, false}, {"overlap", "queue", false}},
	 "crons:\n  c:\n    prompt: p\n    timeout: 2h\n    overlap: queue\n"},
	{"A5 take a setting away", "crons:\n  c:\n    # about git\n    git: g # x\n    prompt: p\n",
	 {{"git", NULL, false}}, "crons:\n  c:\n    # about git\n    prompt: p\n"},
	{"A5 take a block away", "crons:\n  c:\n    git: g\n    prompt: |\n      a\n      b\n  d: {}\n",
	 {{"prompt", NULL, false}}, "crons:\n  c:\n    git: g\n  d: {}\n"},
	{"A5 take the last setting away", "crons:\n  c: # x\n    git: g\n", {{"git", NULL, false}},
	 "crons:\n  c: {} # x\n"},
	{"A5 take away what is not there", "crons:\n  c:\n    git: g\n", {{"prompt", NULL, false}},
	 "crons:\n  c:\n    git: g\n"},
	{"A5 set in brackets", "crons:\n  c: {prompt: p, git: g} # x\n",
	 {{"prompt", "a: b", false}, {"timeout", "1h", false}},
	 "crons:\n  c: {prompt: \"a: b\", git: g, timeout: 1h} # x\n"},
	{"A5 set lines in brackets", "crons: {c: {prompt: p}}", {{"prompt", "a\nb", false}},
	 "crons: {c: {prompt: \"a\\nb\"}}"},
	{"A5 take the first of brackets away", "crons: {c: {prompt: p, git: g}}", {{"prompt", NULL, false}},
	 "crons: {c: {git: g}}"},
	{"A5 take the last of brackets away", "crons: {c: {prompt: p, git: g, }}", {{"git", NULL, false}},
	 "crons: {c: {prompt: p, }}"},
	{"A5 set in empty brackets", "crons:\n  c: {}\n", {{"prompt", "p", false}},
	 "crons:\n  c: {prompt: p}\n"},
	{"A5 set a cron of nothing", "crons:\n  c:\n  d: {}\n", {{"prompt", "p", false}},
	 "crons:\n  c:\n    prompt: p\n  d: {}\n"},
	{"A5 set with crlf", "crons:\r\n  c:\r\n    prompt: p # q\r\n    git: g\r\n",
	 {{"prompt", "a\nb", false}, {"timeout", "1h", false}},
	 "crons:\r\n  c:\r\n    prompt: |- # q\r\n      a\r\n      b\r\n    git: g\r\n    timeout: 1h\r\n"},
	{"A5 set a cron with a quoted name", "crons:\n  \"c\":\n    prompt: p\n", {{"prompt", "q", false}},
	 "crons:\n  \"c\":\n    prompt: q\n"},
	{"A5 set beside anchors", "x: &a {prompt: x}\ncrons:\n  b: *a\n  c:\n    prompt: p\n",
	 {{"prompt", "q", false}}, "x: &a {prompt: x}\ncrons:\n  b: *a\n  c:\n    prompt: q\n"},
	{"A5 set nothing", "crons: {c: {prompt: p}}", {{NULL}}, "crons: {c: {prompt: p}}"},
};

static const struct remove_case {
	const char *name, *before, *after;
} remove_cases[] = {
	{"A5 remove one of three, with its comments",
	 "crons:\n  a:\n    prompt: x\n\n  # about c\n  # more\n  c:\n    prompt: y\n    # git: z\n\n  b:\n    prompt: z\n",
	 "crons:\n  a:\n    prompt: x\n\n  b:\n    prompt: z\n"},
	{"A5 remove, a comment apart stays", "crons:\n  a: {}\n  # of all\n\n  c: {}\n  # end\n",
	 "crons:\n  a: {}\n  # of all\n\n  # end\n"},
	{"A5 remove the first", "crons: # all\n  c:\n    prompt: x\n\n  b: {}\n",
	 "crons: # all\n  b: {}\n"},
	{"A5 remove the last of the file", "crons:\n  a: {}\n\n  c:\n    prompt: x\n",
	 "crons:\n  a: {}\n"},
	{"A5 remove the last, before another section", "crons:\n  a: {}\n\n  c: {}\n\ntimezone: UTC\n",
	 "crons:\n  a: {}\n\ntimezone: UTC\n"},
	{"A5 remove the only one", "crons:\n  c:\n    prompt: x\n\ntimezone: UTC\n",
	 "crons:\n\ntimezone: UTC\n"},
	{"A5 remove all but maxConcurrent", "crons:\n  maxConcurrent: 3\n  c: {}\n",
	 "crons:\n  maxConcurrent: 3\n"},
	{"A5 remove from the end without a newline", "crons:\n  a: {}\n  c: {}", "crons:\n  a: {}\n"},
	{"A5 remove after a block that keeps its newlines",
	 "crons:\n  a:\n    prompt: |+\n      x\n\n\n  c: {}\n", "crons:\n  a:\n    prompt: |+\n      x\n\n\n"},
	{"A5 remove one in brackets", "crons: {a: {}, c: {prompt: x}, b: {}}\n", "crons: {a: {}, b: {}}\n"},
	{"A5 remove the last in brackets", "crons: {a: {}, c: {prompt: x}}\n", "crons: {a: {}}\n"},
	{"A5 remove the only one in brackets", "crons: {c: {prompt: x}}\n", "crons: {}\n"},
	{"A5 remove one of nothing", "crons:\n  c:\n  a: {}\n", "crons:\n  a: {}\n"},
	{"A5 remove one with a block",
	 "crons:\n  c:\n    prompt: |\n      # not a comment\n      x\n  a: {}\n", "crons:\n  a: {}\n"},
	{"A5 remove beside a text that looks like a comment",
	 "crons:\n  a:\n    prompt: \"x\n     # y\"\n  c: {}\n", "crons:\n  a:\n    prompt: \"x\n     # y\"\n"},
	{"A5 remove with crlf", "crons:\r\n  # x\r\n  c:\r\n    prompt: x\r\n  a: {}\r\n",
	 "crons:\r\n  a: {}\r\n"},
};

enum { ADD, SET, REMOVE };
static const struct refuse_case {
	const char *name, *before;
	int what;
	const char *cron, *value, *message, *hint;
	int code;
} refuse_cases[] = {
	{"A5 add one that is there", "crons: {c: {}}", ADD, "c", "x", "cron 'c' is there already", "", ERR_CONFLICT},
	{"A5 set one that is not there", "crons: {a: {}}", SET, "c", "x", "no cron 'c'", "", ERR_NOT_FOUND},
	{"A5 set one without a section", "", SET, "c", "x", "no cron 'c'", "", ERR_NOT_FOUND},
	{"A5 remove one that is not there", "crons:\n", REMOVE, "c", NULL, "no cron 'c'", "", ERR_NOT_FOUND},
	{"A5 maxConcurrent is not a cron", "crons: {maxConcurrent: 3}", REMOVE, "maxConcurrent", NULL,
	 "'maxConcurrent' is not a name for a cron", "", ERR_INVALID},
	{"A5 a name with a newline", "", ADD, "a\033b", "x", NULL, "", ERR_INVALID},
	{"A5 a value with a control character", "", ADD, "a", "x\033y", "'prompt' has a control character", "",
	 ERR_INVALID},
	{"A5 a value with a carriage return", "", ADD, "a", "x\ry", "'prompt' has a control character", "",
	 ERR_INVALID},
	{"A5 a file that is broken", "crons: {", ADD, "a", "x", NULL, NULL, ERR_INVALID},
	{"A5 a file that is a list", "- a\n", ADD, "a", "x",
	 "cannot change cron 'a' by command: the file is not a mapping", "edit config.yml by hand", ERR_INVALID},
	{"A5 crons that are a list", "crons: [a]\n", ADD, "a", "x",
	 "cannot change cron 'a' by command: 'crons' is not a mapping", "edit config.yml by hand", ERR_INVALID},
	{"A5 a cron that is an alias", "crons:\n  a: &a {prompt: x}\n  c: *a\n", SET, "c", "y",
	 "cannot change cron 'c' by command: it has anchors or aliases", "edit config.yml by hand", ERR_INVALID},
	{"A5 a cron that others are", "crons:\n  c: &a {prompt: x}\n  a: *a\n", REMOVE, "c", NULL,
	 "cannot change cron 'c' by command: it has anchors or aliases", "edit config.yml by hand", ERR_INVALID},
	{"A5 a cron that is merged", "crons:\n  a: &a {prompt: x}\n  c:\n    <<: *a\n", SET, "c", "y",
	 "cannot change cron 'c' by command: it has anchors or aliases", "edit config.yml by hand", ERR_INVALID},
	{"A5 crons that are anchored", "crons: &a\n  c: {}\nx: *a\n", ADD, "d", "y",
	 "cannot change cron 'd' by command: 'crons' has anchors or aliases", "edit config.yml by hand", ERR_INVALID},
	{"A5 a text that keeps the last newline it does not have", "store: |+\n  x", ADD, "d", "y",
	 "cannot change cron 'd' by command: the file is written in a way that is not understood here",
	 "edit config.yml by hand", ERR_INVALID},
	{"A5 an explicit key", "crons:\n  ? c\n  : {prompt: x}\n", REMOVE, "c", NULL,
	 "cannot change cron 'c' by command: it does not begin its line", "edit config.yml by hand", ERR_INVALID},
};

/* Texts that must come back as they are, and how they are written. */
static const struct text_case {
	const char *name, *text, *written; /* NULL: anyhow */
} text_cases[] = {
	{"A5 plain", "Check all repositories", "Check all repositories"},
	{"A5 plain with marks", "it's \"so\" - a:b (x) & c\\d", "it's \"so\" - a:b (x) & c\\d"},
	{"A5 plain in another script", "grüße, 世界", "grüße, 世界"},
	{"A5 url", "https://x.org/a#b", "https://x.org/a#b"},
	{"A5 empty", "", "\"\""},
	{"A5 colon and space", "a: b", "\"a: b\""},
	{"A5 colon at the end", "a:", "\"a:\""},
	{"A5 hash", "a #b", "\"a #b\""},
	{"A5 spaces around", " a ", "\" a \""},
	{"A5 a tab", "a\tb", "\"a\\tb\""},
	{"A5 star", "*/5 * * * *", "\"*/5 * * * *\""},
	{"A5 quote first", "'a'", "\"'a'\""},
	{"A5 double quote first", "\"a\"", "\"\\\"a\\\"\""},
	{"A5 bracket first", "{session}", "\"{session}\""},
	{"A5 dash", "- a", "\"- a\""},
	{"A5 question", "? a", "\"? a\""},
	{"A5 percent and at", "%a @b", "\"%a @b\""},
	{"A5 truth", "true", "\"true\""},
	{"A5 nothing's word", "Null", "\"Null\""},
	{"A5 number", "1.5e3", "\"1.5e3\""},
	{"A5 date", "2026-01-01", "\"2026-01-01\""},
	{"A5 duration", "1h30m", "1h30m"},
	{"A5 schedule", "0 9 * * *", "0 9 * * *"},
	{"A5 line separators", "a\xe2\x80\xa8" "b\xef\xbb\xbf" "c\xc2\xa0", "\"a\\Lb\\uFEFFc\\_\""},
	{"A5 two lines", "a\nb", "|-\n      a\n      b"},
	{"A5 two lines and an end", "a\nb\n", "|\n      a\n      b"},
	{"A5 more ends", "a\n\n\n", "|+\n      a\n\n"},
	{"A5 one line and an end", "a\n", "|\n      a"},
	{"A5 a blank line inside", "a\n\nb", "|-\n      a\n\n      b"},
	{"A5 begins with spaces", "  a\nb", "|2-\n        a\n      b"},
	{"A5 begins with a newline", "\na\n", "|\n\n      a"},
	{"A5 begins with a newline and spaces", "\n  a\n b\n", "|2\n\n        a\n       b"},
	{"A5 begins with a tab", "\ta\nb", NULL},
	{"A5 only newlines", "\n\n", "\"\\n\\n\""},
	{"A5 one newline", "\n", "\"\\n\""},
	{"A5 a line of spaces", "a\n  \nb", "\"a\\n  \\nb\""},
	{"A5 a line of spaces at the end", "a\n  ", "\"a\\n  \""},
	{"A5 spaces at the ends of lines", "a  \nb \n", "|\n      a  \n      b "},
	{"A5 looks like yaml", "---\na: [b\n# c\n...\n- d", "|-\n      ---\n      a: [b\n      # c\n      ...\n      - d"},
	{"A5 line separators in lines", "a\n\xe2\x80\xa8" "b\n", "\"a\\n\\Lb\\n\""},
};
/* clang-format on */

static void expect(const struct buf *got, const char *want)
{
	assert_string_equal(buf_text(got), want);
}

static void test_add(void **state)
{
	const struct add_case *row = *state;
	AUTO_BUF struct buf out = {0};
	struct error err = {0};

	if (edit_cron_add(row->before, strlen(row->before), "new", row->settings,
			  count_settings(row->settings), &out, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	expect(&out, row->after);
}

static void test_set(void **state)
{
	const struct set_case *row = *state;
	AUTO_BUF struct buf out = {0};
	struct error err = {0};

	if (edit_cron_set(row->before, strlen(row->before), "c", row->settings,
			  count_settings(row->settings), &out, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	expect(&out, row->after);
}

static void test_remove(void **state)
{
	const struct remove_case *row = *state;
	AUTO_BUF struct buf out = {0};
	struct error err = {0};

	if (edit_cron_remove(row->before, strlen(row->before), "c", &out, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	expect(&out, row->after);
}

static int run(int what, const char *text, const char *cron, const struct edit_setting *s,
	       size_t count, struct buf *out, struct error *err)
{
	if (what == ADD)
		return edit_cron_add(text, strlen(text), cron, s, count, out, err);
	if (what == SET)
		return edit_cron_set(text, strlen(text), cron, s, count, out, err);
	return edit_cron_remove(text, strlen(text), cron, out, err);
}

static void test_refuse(void **state)
{
	const struct refuse_case *row = *state;
	struct edit_setting s = {"prompt", row->value, false};
	AUTO_BUF struct buf out = {0};
	struct error err = {0};

	assert_int_equal(run(row->what, row->before, row->cron, &s, 1, &out, &err), row->code);
	if (row->message)
		assert_string_equal(err.message, row->message);
	if (row->hint)
		assert_string_equal(err.hint, row->hint);
	assert_int_equal(out.len, 0);
}

/* The prompt of cron `c` as the configuration reads it. */
static void expect_prompt(const char *text, size_t len, const char *want)
{
	AUTO(config_free) struct config *c = NULL;
	struct error err = {0};

	if (config_parse(text, len, "/c/config.yml", &c, &err) < 0)
		fail_msg("%s\n%s", err.message, text);
	assert_non_null(config_cron(c, "c"));
	assert_string_equal(config_cron(c, "c")->prompt, want);
}

static void test_text(void **state)
{
	static const char *const files[] = {
		"crons:\n  c:\n    git: g\n    prompt: old # x\n    timeout: 1h\n",
		"crons:\n  c:\n    prompt: |+\n      old\n\n\n    timeout: 1h\n",
		"crons: {c: {prompt: old, timeout: 1h}}\n",
		"crons:\r\n  c:\r\n    prompt: old",
	};
	const struct text_case *row = *state;
	struct edit_setting s = {"prompt", row->text, false};
	AUTO(free) char *want = NULL;
	AUTO_BUF struct buf first = {0};
	struct error err = {0};

	if (edit_cron_add("", 0, "c", &s, 1, &first, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	expect_prompt(buf_text(&first), first.len, row->text);
	if (row->written) {
		want = mem_printf("crons:\n  c:\n    prompt: %s\n", row->written);
		expect(&first, want);
	}
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		AUTO_BUF struct buf out = {0};

		if (edit_cron_set(files[i], strlen(files[i]), "c", &s, 1, &out, &err) < 0)
			fail_msg("%zu: %s (%s)", i, err.message, err.hint);
		expect_prompt(buf_text(&out), out.len, row->text);
	}
}

/* Any change of any of these files, again and again */

static const char *const files[] = {
	"",
	"# only a comment",
	"timezone: UTC",
	"---\n# start\ncrons:\n",
	"# the head\n\ntimezone: Europe/Berlin # zone\n\ncrons:\n  maxConcurrent: 5  # many\n\n"
	"  # the first\n  one:\n    description: \"Check\"\n    schedule: '0 9 * * *'\n"
	"    prompt: |\n      Look.\n\n        Deeper.\n    # git: no\n    retention: 7 # weeks\n\n"
	"  two: {schedule: \"0 10 * * 1\", prompt: \"a, b\", enabled: false}\n\n"
	"  # the third\n  three:\n    prompt: >+\n      folded\n      text\n\n    retry_on:\n"
	"      - lost   # why\n      - failure\n\n# the tail\nagents:\n  a:\n    command: [x]\n",
	"agents:\n    a: {command: [x]}\n\ncrons:\n    one:\n        prompt: x\n        git: y # "
	"z\n"
	"    # between\n    two:\n        prompt: \"over\n            lines\"\n        timeout: "
	"1h\n",
	"crons: {maxConcurrent: 3, one: {prompt: x, git: y}, two: {}, three: {schedule: 0 9 * * "
	"*}} # all\n",
	"{timezone: UTC, crons: {one: {prompt: 'it''s'}}, agents: {}}\n",
	"crons:\r\n  one:\r\n    prompt: |-\r\n      a\r\n      b\r\n  # c\r\n  two:\r\n    git: "
	"g\r\n",
	"crons:\n  one:\n  two:\n    prompt:\n    git: ~\n  three: {prompt: , git}\ntimezone: UTC",
	"crons:\n  one:\n    prompt: |\n      no end",
	"crons:\n  one:\n    prompt: >-\n      no end\n      ",
	"\xef\xbb\xbf"
	"crons:\n   one:\n      prompt: x\n\n\n   two:\n      prompt: y\n\n\n\n",
};
static const char *const cron_names[] = {"one", "two", "three", "four", "5", "true", "a-b"};
static const char *const keys[] = {"prompt", "git", "schedule", "timeout", "description"};
static const struct edit_setting plains[] = {
	{NULL, "5", true}, {NULL, "false", true}, {NULL, "[lost, failure]", true}};

static unsigned long random_state = 1;

static size_t pick(size_t below)
{
	random_state = random_state * 6364136223846793005UL + 1442695040888963407UL;
	return (random_state >> 33) % below;
}

/* A text of pieces that mean something to YAML. */
static char *random_text(void)
{
	static const char *const pieces[] = {
		"a",   "b ",  " ",    "\n", "\n\n", ": ", " #",
		"#",   "- ",  "'",    "\"", "\\",   "{",  "}",
		"[",   "]",   ",",    "*",  "&",    "!",  "|",
		">",   "%",   "@",    "`",  "\t",   "ä",  "\xe2\x80\xa8",
		"---", "...", "null", "~",  "0",    "9",  "=",
		"<<"};
	AUTO_BUF struct buf b = {0};

	for (size_t n = pick(8); n > 0; n--)
		buf_add_str(&b, pieces[pick(COUNT_OF(pieces))]);
	return buf_steal(&b);
}

/* Every value by its path, a line each, but those below `but` ("crons/one/"). */
static void dump_node(struct buf *out, const struct yaml_node *node, const char *path,
		      const char *but)
{
	if (but && strncmp(path, but, strlen(but)) == 0)
		return;
	if (node->kind == YAML_TEXT)
		buf_printf(out, "%s=%s\n", path, node->text);
	/* An empty mapping and nothing mean the same on the way to a cron. */
	if (node->kind == YAML_EMPTY && strncmp(path, "crons/", 6) == 0 && strchr(path + 6, '/') &&
	    strchr(path + 6, '/')[1])
		buf_printf(out, "%s is empty\n", path);
	for (size_t i = 0; i < node->count; i += node->kind == YAML_MAP ? 2 : 1) {
		bool map = node->kind == YAML_MAP;
		AUTO(free)
		char *inner = map ? mem_printf("%s%s/", path, node->items[i]->text)
				  : mem_printf("%s%zu/", path, i);

		dump_node(out, map ? node->items[i + 1] : node->items[i], inner, but);
	}
}

static void dump_file(const char *text, size_t len, const char *but, struct buf *out)
{
	AUTO(yaml_free) struct yaml *y = NULL;
	struct error err = {0};

	if (yaml_parse(text, len, "f", &y, &err) < 0)
		fail_msg("%s\n%s", err.message, text);
	dump_node(out, yaml_root(y), "", but);
}

/* What the file says at a path, or NULL. */
static const struct yaml_node *lookup(const struct yaml *y, const char *cron, const char *key)
{
	const char *const path[] = {"crons", cron, key};
	const struct yaml_node *node = yaml_root(y);

	for (size_t k = 0; k < 3 && path[k]; k++) {
		size_t i = 0;

		while (i < node->count && strcmp(node->items[i]->text, path[k]) != 0)
			i += 2;
		if (node->kind != YAML_MAP || i >= node->count)
			return NULL;
		node = node->items[i + 1];
	}
	return node;
}

static void expect_setting(const char *text, size_t len, const char *cron,
			   const struct edit_setting *s)
{
	AUTO(yaml_free) struct yaml *y = NULL;
	struct error err = {0};
	const struct yaml_node *node;

	assert_int_equal(yaml_parse(text, len, "f", &y, &err), 0);
	node = lookup(y, cron, s->key);
	if (!s->value) {
		assert_null(node);
	} else if (s->plain && s->value[0] == '[') {
		assert_int_equal(node->kind, YAML_LIST);
		assert_int_equal(node->count, 2);
	} else {
		assert_non_null(node);
		assert_int_equal(node->kind, YAML_TEXT);
		assert_string_equal(node->text, s->value);
	}
}

/* Each line that is a comment alone is still there, in order. */
static void expect_comments(const char *before, const char *after, const char *story)
{
	while (*before) {
		size_t len = strcspn(before, "\n");
		size_t blank = strspn(before, " ");

		if (before[blank] == '#' && blank < len) {
			AUTO(free) char *line = mem_strndup(before, len);
			const char *found = strstr(after, line);

			if (!found)
				fail_msg("lost '%s' by %s", line, story);
			after = found + len;
		}
		before += len + (before[len] == '\n');
	}
}

/* One random change; the text becomes the new one. Returns whether it was made. */
static bool change(struct buf *text)
{
	const char *cron = cron_names[pick(COUNT_OF(cron_names))],
		   *key = keys[pick(COUNT_OF(keys))];
	AUTO(free) char *value = random_text(), *but = NULL, *story = NULL;
	struct edit_setting s = {key, pick(6) ? value : NULL, false};
	AUTO_BUF struct buf out = {0}, old = {0}, new = {0};
	struct error err = {0};
	int what = (int)pick(3), r;

	if (pick(5) == 0) {
		s = plains[pick(COUNT_OF(plains))];
		s.key = key;
	}
	r = run(what, buf_text(text), cron, &s, 1, &out, &err);
	if (r == ERR_CONFLICT || r == ERR_NOT_FOUND)
		return false;
	story = mem_printf("%d of '%s' %s='%s' on\n%s\ngives\n%s\n(%s)", what, cron, key,
			   s.value ? s.value : "(none)", buf_text(text), buf_text(&out),
			   err.message);
	if (r < 0)
		fail_msg("refused: %s", story);
	but = what == SET ? mem_printf("crons/%s/%s/", cron, key) : mem_printf("crons/%s/", cron);
	dump_file(buf_text(text), text->len, but, &old);
	dump_file(buf_text(&out), out.len, but, &new);
	if (strcmp(buf_text(&old), buf_text(&new)) != 0)
		fail_msg("changed more: %s", story);
	if (what != REMOVE)
		expect_setting(buf_text(&out), out.len, cron, &s);
	else
		assert_null(strstr(buf_text(&new), but));
	if (what == ADD)
		expect_comments(buf_text(text), buf_text(&out), story);
	buf_clear(text);
	buf_add(text, buf_text(&out), out.len);
	return true;
}

static void test_random(void **state)
{
	size_t made = 0;

	(void)state;
	for (int round = 0; round < 40; round++) {
		for (size_t f = 0; f < COUNT_OF(files); f++) {
			AUTO_BUF struct buf text = {0};

			buf_add_str(&text, files[f]);
			for (int i = 0; i < 12; i++)
				made += change(&text);
		}
	}
	assert_true(made > 2000);
}

/* Added and removed again, a file is what it was. */
static void test_there_and_back(void **state)
{
	struct edit_setting s[] = {{"schedule", "0 9 * * *", false}, {"prompt", "a\nb\n", false}};

	(void)state;
	for (size_t f = 0; f < COUNT_OF(files); f++) {
		AUTO_BUF struct buf with = {0}, without = {0}, old = {0}, new = {0};
		struct error err = {0};

		assert_int_equal(
			edit_cron_add(files[f], strlen(files[f]), "new", s, 2, &with, &err), 0);
		assert_int_equal(edit_cron_remove(buf_text(&with), with.len, "new", &without, &err),
				 0);
		dump_file(files[f], strlen(files[f]), NULL, &old);
		dump_file(buf_text(&without), without.len, NULL, &new);
		assert_string_equal(buf_text(&old), buf_text(&new));
		expect_comments(files[f], buf_text(&without), "there and back");
	}
}

/* A section like that of crons. */
static void test_agents(void **state)
{
	static const struct edit_setting adapter = {"adapter", "claude", false};
	static const char before[] = "# mine\nagents:\n  bob: {directory: /x} # his\ncrons:\n";
	static const char after[] = "# mine\nagents:\n  bob: {directory: /x} # his\n  claude:\n"
				    "    adapter: claude\ncrons:\n";
	AUTO_BUF struct buf out = {0}, back = {0}, none = {0}, twice = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(edit_agent_add(before, strlen(before), "claude", &adapter, 1, &out, &err),
			 0);
	assert_string_equal(buf_text(&out), after);
	assert_int_equal(edit_agent_add(after, strlen(after), "claude", &adapter, 1, &twice, &err),
			 ERR_CONFLICT);
	assert_string_equal(err.message, "agent 'claude' is there already");
	assert_int_equal(edit_agent_remove(after, strlen(after), "claude", &back, &err), 0);
	assert_string_equal(buf_text(&back), before);
	assert_int_equal(edit_agent_remove(before, strlen(before), "eve", &none, &err),
			 ERR_NOT_FOUND);
	assert_string_equal(err.message, "no agent 'eve'");
}

int main(void)
{
	add_table(test_add, add_cases);
	add_table(test_set, set_cases);
	add_table(test_remove, remove_cases);
	add_table(test_refuse, refuse_cases);
	add_table(test_text, text_cases);
	add_row("A5 any change of any file", test_random, NULL);
	add_row("A5 there and back", test_there_and_back, NULL);
	add_row("agents as crons", test_agents, NULL);
	return run_rows("edit");
}
