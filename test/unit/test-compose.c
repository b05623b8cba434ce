/* test-compose.c: the text a person answers in, what is taken out of it, and the draft. */
#include "rows.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "inbox/inbox.h"

/* clang-format off */
#define MARK "<!-- Write your reply above this line. What is below is not sent; an empty reply sends nothing. -->\n"
#define RULE "<!-- ---------------------------------------------------------------------- -->\n"
#define NEWEST "Shall I deploy the new version to production now?\n- yes\n- no\n- ask again\n"
#define OLDEST "ok\n"
#define HISTORY "\n[2026-01-15 09:02] builder:\n" NEWEST "\n[2026-01-15 09:00] You:\n" OLDEST
#define GIVEN "\n" MARK RULE HISTORY "\n\n\n\n\n"

#define THREAD "\"thread\":{\"id\":\"mis-k3f9x2\",\"agent\":\"builder\"}"
#define SHOWN \
	"{" THREAD ",\"messages\":[" \
	"{\"seq\":1,\"sender\":\"person\",\"author\":\"root\",\"at\":\"2026-01-15T09:00:00Z\",\"text\":\"ok\",\"whole\":true}," \
	"{\"seq\":2,\"sender\":\"agent\",\"author\":\"builder\",\"at\":\"2026-01-15T09:02:59Z\",\"whole\":true," \
	"\"text\":\"Shall I deploy the new version to production now?\\n- yes\\n- no\\n- ask again\"}]}"

static const struct template_case {
	const char *name, *shown, *draft, *want;
} template_cases[] = {
	{"A24: an empty line, the line, and the messages, newest first", SHOWN, NULL, GIVEN},
	{"A24: a draft stands above the line", SHOWN, "half of\nan answer", "half of\nan answer" GIVEN},
	{"A24: titles and attachments are named, Belfry too",
	 "{" THREAD ",\"messages\":[{\"sender\":\"belfry\",\"author\":null,\"at\":\"2026-01-15T09:00:00Z\",\"title\":\"T\",\"text\":\"x\\n\","
	 "\"attachments\":[{\"name\":\"a.txt\",\"size\":3,\"file\":\"/f\"}]}]}", NULL,
	 "\n" MARK RULE "\n[2026-01-15 09:00] Belfry:\n**T**\nx\n(attached: a.txt)\n\n\n\n\n\n"},
	{"A24: control characters of a message are shown, not written",
	 "{" THREAD ",\"messages\":[{\"sender\":\"agent\",\"author\":\"b\\u001b[1m\",\"at\":\"2026-01-15T09:00:00Z\","
	 "\"text\":\"\\u001b]0;x\\u0007y\\u202ez\\r\\nvim: set x:\"}]}", NULL,
	 "\n" MARK RULE "\n[2026-01-15 09:00] b^[[1m:\n^[]0;x^Gy<U+202E>z^M\nvim: set x:\n\n\n\n\n\n"},
	{"A24: a message that is not whole says where the rest is",
	 "{" THREAD ",\"messages\":[{\"sender\":\"agent\",\"author\":\"b\",\"at\":\"2026-01-15T09:00:00Z\",\"text\":\"x\",\"whole\":false,\"file\":\"/s/1.md\"}]}",
	 NULL, "\n" MARK RULE "\n[2026-01-15 09:00] b:\nx\n(the rest is in /s/1.md)\n\n\n\n\n\n"},
	{"the question that is answered stands first, and once",
	 "{" THREAD ",\"question\":{\"seq\":2,\"sender\":\"agent\",\"author\":\"b\",\"at\":\"2026-01-15T09:00:00Z\",\"text\":\"x\"},"
	 "\"messages\":[{\"seq\":1,\"sender\":\"agent\",\"author\":\"b\",\"at\":\"2026-01-15T09:00:00Z\",\"text\":\"w\"},"
	 "{\"seq\":2,\"sender\":\"agent\",\"author\":\"b\",\"at\":\"2026-01-15T09:00:00Z\",\"text\":\"x\"},"
	 "{\"seq\":3,\"sender\":\"agent\",\"author\":\"b\",\"at\":\"2026-01-15T09:00:00Z\",\"text\":\"y\"}]}",
	 NULL, "\n" MARK RULE "\n[2026-01-15 09:00] b:\nx\n\n[2026-01-15 09:00] b:\ny\n\n[2026-01-15 09:00] b:\nw\n\n\n\n\n\n"},
	{"A24: a thread without messages", "{" THREAD ",\"messages\":[]}", NULL, "\n" MARK RULE "\n\n\n\n\n"},
};

static const struct extract_case {
	const char *name, *text, *want, *error; /* error: what it names; then want is the draft */
	bool given_unknown;
} extract_cases[] = {
	{"A24: what is above the line", "yes\n" MARK RULE HISTORY, "yes"},
	{"A24: nothing was written", GIVEN, ""},
	{"A24: only blanks were written", " \t\r\n\n \n" MARK RULE HISTORY, ""},
	{"A24: an empty file", "", ""},
	{"I28 only a comment was written", "<!-- later -->\n" MARK RULE HISTORY, ""},
	{"I28 two comments, and nothing else", " <!-- a -->\n<!-- b\n -->\n\n" MARK RULE HISTORY, ""},
	{"I28 a comment beside words is theirs", "yes <!-- I think -->\n" MARK RULE HISTORY, "yes <!-- I think -->"},
	{"A24: several lines, blank ones around them go", "\n\n  a\n\nb  \n\n\n" MARK RULE HISTORY, "  a\n\nb"},
	{"A24: CRLF becomes LF", "a\r\nb\r\n" MARK RULE "x\r\n", "a\nb"},
	{"A24: a lone carriage return is left to be seen", "a\rb\n" MARK, "a\rb"},
	{"A24: a byte order mark is not a part of it", "\xef\xbb\xbfyes\n" MARK, "yes"},
	{"A24: no newline at the end", "yes", "yes"},
	{"A24: the line was wrapped", "yes\n<!-- Write your reply\nabove this line. What is\nbelow is not\nsent -->\n" RULE HISTORY, "yes"},
	{"A24: the line was wrapped behind its first sign", "yes\n<!--\nWrite\nyour reply above this line. -->\n" HISTORY, "yes"},
	{"A24: the line was indented", "yes\n\t   <!-- Write your reply above this line. -->\n" HISTORY, "yes"},
	{"A24: the line was quoted and wrapped", "yes\n> <!-- Write your\n> reply above this line. -->\n" HISTORY, "yes"},
	{"A24: the line was joined to the answer", "yes, go on <!-- Write your reply above this line. What is below -->\n" HISTORY, "yes, go on"},
	{"A24: the line lost its comment signs", "yes\n-- write your reply above this line. What\n" HISTORY, "yes"},
	{"A24: the words of the line inside of a sentence are the person's", "I do not see \"Write your reply above this line\"\n" MARK HISTORY,
	 "I do not see \"Write your reply above this line\""},
	{"A24: only the rule is left", "yes\n" RULE HISTORY, "yes"},
	{"A24: a comment of the person's own is kept", "yes <!-- not sure -->\n<!-- --- -->\n" MARK HISTORY, "yes <!-- not sure -->\n<!-- --- -->"},
	{"A24: unclosed code above the line does not hide it", "```\nyes\n" MARK RULE HISTORY, "```\nyes"},
	{"A24: a line in a message does not count before ours", "yes\n" MARK RULE "\n[2026-01-15 09:02] b:\n" MARK "x\n", "yes"},
	{"A24: the line was deleted, the messages were not", "yes\n" HISTORY, "yes"},
	{"A24: the line and the first name were deleted", "yes\n" NEWEST "\n[2026-01-15 09:00] You:\n" OLDEST,
	 "yes", "messages are among the text"},
	{"A24: the line was deleted, and the last messages", "yes\n\n[2026-01-15 09:02] builder:\n" NEWEST,
	 "yes", "messages are among the text"},
	{"A24: everything was deleted first", "yes, deploy it", "yes, deploy it"},
	{"A24: an answer that ends as the oldest message does", "it is\nok\n", "it is\nok"},
	{"A24: one short line of a message is the person's", "- yes\n", "- yes"},
	{"A24: short lines of a message in a row are not", "fine\n- yes\n- no\n- ask again\n", "fine", "messages are among the text"},
	{"A24: answers between the lines of a message, without the line",
	 "[2026-01-15 09:02] builder:\nShall I deploy the new version to production now?\nyes, now\n", "yes, now", "messages are among the text"},
	{"A24: what the person quotes is sent", "> Shall I deploy the new version to production now?\n\nyes\n",
	 "> Shall I deploy the new version to production now?\n\nyes"},
	{"A24: written below the line", "\n" MARK RULE "of course\n" HISTORY, "of course", "below it"},
	{"A24: written at the very end", GIVEN "of course\n", "of course", "below it"},
	{"A24: messages that were wrapped anew are not new", "\n" MARK RULE "\n[2026-01-15 09:02] builder:\nShall I deploy\n  the new version to\nproduction now?\n", ""},
	{"A24: messages that were deleted are not missed", "\n" MARK, ""},
	{"A24: an old draft is what is above its line", "half\n" MARK RULE "\n[2025-01-01 09:02] b:\nold\n", "half", NULL, true},
	{"A24: an old draft without its line ends before a name", "half\n\n[2025-01-01 09:02] b:\nold\n", "half", NULL, true},
	{"A24: times that are no names of messages", "at [2025-01-01 09:02] b:\n[2025-1-1 09:02] b:\n[2025-01-01 09:02] b\n",
	 "at [2025-01-01 09:02] b:\n[2025-1-1 09:02] b:\n[2025-01-01 09:02] b", NULL, true},
};

/* What an editor does, in shell with the file as $1, and what becomes of it. */
#define EDIT(line) "edit() { " line "; }; edit"
static const struct edit_case {
	const char *name;
	const char *draft;  /* what an answer before left; NULL: nothing */
	const char *editor;
	int want;	    /* what compose_reply returns */
	const char *answer; /* what is sent, or what the error names */
	const char *left;   /* the draft afterwards; NULL: there is none */
} edit_cases[] = {
	{"A24: an answer is written", NULL, EDIT("sed -i 1s/^/yes/ \"$1\""), 1, "yes", "yes"},
	{"A24: an editor with arguments", NULL, "sed -i 1s/^/yes/", 1, "yes", "yes"},
	{"A24: an editor with a variable in front", NULL, "X=yes sh -c 'sed -i \"1s/^/$X/\" \"$1\"' x", 1, "yes", "yes"},
	{"A24: nothing is written", NULL, "true", 0, "", NULL},
	{"A24: blanks are written", NULL, EDIT("sed -i 's/^$/   /' \"$1\""), 0, "", NULL},
	{"A24: the file is deleted", NULL, "rm", 0, "", NULL},
	{"A24: the editor fails, nothing was written", NULL, "false", ERR_SYSTEM, "exit status 1", ""},
	{"A24: the editor fails, what was written stays", NULL, EDIT("sed -i 1s/^/half/ \"$1\"; exit 3"), ERR_SYSTEM, "drafts/mis-k3f9x2.md", "half"},
	{"A24: the editor is killed, what was written stays", NULL, EDIT("sed -i 1s/^/half/ \"$1\"; kill -9 $$"), ERR_SYSTEM, "signal 9", "half"},
	{"A24: the editor is not there", NULL, "/no/such/editor", ERR_SYSTEM, "exit status 127", ""},
	{"A24: a draft is gone on with", "half", EDIT("sed -i '1s/$/ done/' \"$1\""), 1, "half done", "half done"},
	{"A24: a draft is saved as it is", "half", EDIT("cp \"$1\" \"$1.new\"; mv \"$1.new\" \"$1\""), 1, "half", "half"},
	{"A24: a draft is looked at only", "half", "true", ERR_CONFLICT, "was not saved", "half"},
	{"A24: a draft is emptied", "half", EDIT(": > \"$1\""), 0, "", NULL},
	{"A24: written below the line, found above it the next time", NULL, EDIT("echo of course >> \"$1\""), ERR_INVALID, "below it", "of course"},
	{"A24: not UTF-8", NULL, EDIT("printf 'a\\377b' > \"$1\""), ERR_INVALID, "not valid UTF-8", "a?b"},
	{"A24: a NUL", NULL, EDIT("printf 'a\\000b' > \"$1\""), ERR_INVALID, "not valid UTF-8", "a"},
};
/* clang-format on */

static json_t *parsed(const char *text)
{
	struct error err = {0};
	json_t *value = NULL;

	if (json_parse(text, strlen(text), &value, &err) < 0)
		fail_msg("%s", err.message);
	return value;
}

static void test_template(void **state)
{
	const struct template_case *c = *state;
	AUTO(json_decref) json_t *shown = parsed(c->shown);
	AUTO_BUF struct buf out = {0};

	compose_template(shown, zone_utc(), c->draft, &out);
	assert_string_equal(buf_text(&out), c->want);
}

/* The last 20 messages, 8 KiB of each, never half a character. */
static void test_template_bounds(void **state)
{
	AUTO(json_decref) json_t *shown = json_object();
	AUTO_BUF struct buf text = {0}, out = {0};
	json_t *messages = json_array();
	size_t headings = 0;

	(void)state;
	while (text.len < (size_t)60 * 1024)
		buf_add_str(&text, "€");
	for (int i = 0; i < 50; i++) {
		json_t *m = json_object();

		json_put_text(m, "sender", "agent");
		json_put_text(m, "at", "2026-01-15T09:00:00Z");
		json_put_text(m, "text", buf_text(&text));
		json_array_append_new(messages, m);
	}
	json_put(shown, "messages", messages);
	compose_template(shown, zone_utc(), NULL, &out);
	for (const char *p = buf_text(&out); (p = strstr(p, "[2026-")); p++)
		headings++;
	assert_int_equal(headings, 20);
	assert_in_range(out.len, 20 * 8000, 20 * 8300);
	assert_non_null(strstr(buf_text(&out), "€\n(the rest is in the inbox)\n"));
}

static void test_extract(void **state)
{
	const struct extract_case *c = *state;
	AUTO_BUF struct buf out = {0};
	struct error err = {0};
	int r = compose_extract(c->text, c->given_unknown ? NULL : GIVEN, &out, &err);

	assert_string_equal(buf_text(&out), c->want);
	assert_int_equal(r, c->error ? ERR_INVALID : 0);
	if (c->error && !strstr(err.message, c->error))
		fail_msg("no '%s' in '%s'", c->error, err.message);
	if (c->error)
		assert_true(*err.hint);
}

/* A home of its own, with nobody to ask. */
static struct home *new_home(char *folder)
{
	struct home *home = NULL;
	struct error err = {0};

	assert_non_null(mkdtemp(folder));
	setenv("BELFRY_HOME", folder, 1);
	if (home_find(&home, &err) < 0 || home_prepare(home, &err) < 0)
		fail_msg("%s", err.message);
	return home;
}

static void remove_home(const char *folder)
{
	AUTO(free) char *line = mem_printf("rm -rf '%s'", folder);

	assert_int_equal(system(line), 0);
}

static void leave_draft(const struct home *home, const char *text)
{
	AUTO(free) char *path = mem_printf("%s/drafts", home->state_dir);
	AUTO(free) char *file = mem_printf("%s/mis-k3f9x2.md", path);
	struct error err = {0};

	if (dir_make_private(path, &err) < 0 || file_write(file, text, strlen(text), &err) < 0)
		fail_msg("%s", err.message);
}

static void check_left(const struct cli *cli, const char *want)
{
	AUTO(free) char *path = mem_printf("%s/drafts/mis-k3f9x2.md", cli->home->state_dir);
	AUTO_BUF struct buf file = {0}, text = {0};
	struct error err = {0};
	struct stat st;

	assert_int_equal(compose_has_draft(cli, "mis-k3f9x2", 0), want && *want);
	if (!want) {
		assert_int_equal(access(path, F_OK), -1);
		return;
	}
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	setenv("EDITOR", "false", 1); /* what the next answer begins with */
	AUTO(json_decref) json_t *shown = parsed(SHOWN);
	assert_int_equal(compose_reply(cli, shown, &text, &err), ERR_SYSTEM);
	assert_int_equal(file_read(path, 1 << 20, &file, &err), 0);
	AUTO(free) char *all = mem_printf("%s%s", want, GIVEN);
	assert_string_equal(buf_text(&file), all);
}

static void test_edit(void **state)
{
	const struct edit_case *c = *state;
	char folder[] = "/tmp/belfry-compose-XXXXXX";
	AUTO(home_free) struct home *home = new_home(folder);
	AUTO(json_decref) json_t *args = json_object(), *shown = parsed(SHOWN);
	struct cli cli = {.args = args, .home = home, .zone = "UTC"};
	AUTO_BUF struct buf answer = {0};
	struct error err = {0};

	unsetenv("VISUAL");
	setenv("EDITOR", c->editor, 1);
	if (c->draft)
		leave_draft(home, c->draft);
	assert_int_equal(compose_reply(&cli, shown, &answer, &err), c->want);
	if (c->want < 0 && !strstr(err.message, c->answer))
		fail_msg("no '%s' in '%s'", c->answer, err.message);
	if (c->want < 0)
		assert_true(*err.hint);
	else
		assert_string_equal(buf_text(&answer), c->answer);
	check_left(&cli, c->left);
	compose_sent(&cli, "mis-k3f9x2", 0);
	check_left(&cli, NULL);
	remove_home(folder);
}

/* The second one is told who has it, and takes nothing from the first. */
static void test_two_at_once(void **state)
{
	char folder[] = "/tmp/belfry-compose-XXXXXX", pid[16];
	AUTO(home_free) struct home *home = new_home(folder);
	AUTO(json_decref) json_t *args = json_object(), *shown = parsed(SHOWN);
	struct cli cli = {.args = args, .home = home, .zone = "UTC"};
	AUTO(free) char *path = mem_printf("%s/drafts/mis-k3f9x2.lock", folder);
	AUTO(free) char *folder_path = mem_printf("%s/drafts", folder);
	AUTO_BUF struct buf answer = {0};
	struct error err = {0};
	pid_t owner;
	int fd = -1;

	(void)state;
	setenv("EDITOR", "sed -i 1s/^/yes/", 1);
	assert_int_equal(dir_make_private(folder_path, &err), 0);
	assert_int_equal(file_lock(path, &fd, &owner, &err), 0);
	assert_int_equal(compose_reply(&cli, shown, &answer, &err), ERR_CONFLICT);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	assert_non_null(strstr(err.message, "'mis-k3f9x2' is being written already"));
	assert_non_null(strstr(err.message, pid));
	close(fd);
	assert_int_equal(compose_reply(&cli, shown, &answer, &err), 1);
	/* Until it was sent nobody else begins one. */
	assert_int_equal(file_lock(path, &fd, &owner, &err), ERR_CONFLICT);
	compose_sent(&cli, "mis-k3f9x2", 0);
	assert_int_equal(file_lock(path, &fd, &owner, &err), 0);
	close(fd);
	remove_home(folder);
}

/* VISUAL before EDITOR; without either one that is installed; none is told. */
static void test_which_editor(void **state)
{
	char folder[] = "/tmp/belfry-compose-XXXXXX";
	AUTO(home_free) struct home *home = new_home(folder);
	AUTO(json_decref) json_t *args = json_object(), *shown = parsed(SHOWN);
	struct cli cli = {.args = args, .home = home, .zone = "UTC"};
	AUTO(free) char *path = mem_strdup(getenv("PATH"));
	AUTO(free) char *nano = mem_printf("%s/nano", folder);
	AUTO_BUF struct buf answer = {0};
	struct error err = {0};

	(void)state;
	setenv("VISUAL", "sed -i 1s/^/visual/", 1);
	setenv("EDITOR", "sed -i 1s/^/editor/", 1);
	assert_int_equal(compose_reply(&cli, shown, &answer, &err), 1);
	assert_string_equal(buf_text(&answer), "visual");
	compose_sent(&cli, "mis-k3f9x2", 0);
	unsetenv("VISUAL");
	setenv("EDITOR", " ", 1);
	setenv("PATH", folder, 1);
	assert_int_equal(compose_reply(&cli, shown, &answer, &err), ERR_SYSTEM);
	assert_non_null(strstr(err.message, "there is no editor"));
	assert_int_equal(symlink("/usr/bin/true", nano), 0);
	buf_clear(&answer);
	assert_int_equal(compose_reply(&cli, shown, &answer, &err), 0);
	setenv("PATH", path, 1);
	remove_home(folder);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	add_table(test_template, template_cases);
	add_row("A24: the text is bounded", test_template_bounds, NULL);
	add_table(test_extract, extract_cases);
	add_table(test_edit, edit_cases);
	add_row("A24: two answers to one thread at once", test_two_at_once, NULL);
	add_row("A24: which editor", test_which_editor, NULL);
	return run_rows("compose");
}
