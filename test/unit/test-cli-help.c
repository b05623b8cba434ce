/* test-cli-help.c: help, manual and completion, all from one table of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli-rows.h"
#include "cli/args.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "cli/manual.h"

static const struct style plain = {false, false, 80};

static void help(const struct request_row *row, const char *group, struct buf *out)
{
	AUTO_COMMAND struct command c = {.row = row, .group = mem_strdup(group), .help = true};

	help_print(sample_rows, &c, &plain, out);
}

/* clang-format off */
static const char add_help[] =
	"usage: belfry reminder add AGENT --message TEXT [FLAGS]\n"
	"\n"
	"remind an agent of something\n"
	"\n"
	"Exactly one schedule is given. It is read in the zone of the reminder.\n"
	"\n"
	"A second paragraph, e.g. about times:\n"
	"\n"
	"  .dotted example 'quoted' \\ back\n"
	"  next line\n"
	"\n"
	"and an end.\n"
	"\n"
	"arguments\n"
	"  AGENT                    who is reminded\n"
	"\n"
	"flags\n"
	"  -m, --message TEXT       what the agent is told; '-' reads standard input\n"
	"                           (required)\n"
	"      --note TEXT          a second text\n"
	"      --at TIME            once, at a point in time\n"
	"  -n, --count N            at most so many fires\n"
	"      --priority PRIORITY  how urgent it is; one of interrupt, normal,\n"
	"                           idle-first, idle\n"
	"      --start-deadline DURATION\n"
	"                           how late a fire may still begin, after which it is\n"
	"                           missed and told as such\n"
	"      --now                also fire at once\n"
	"  -v, --verbose            say more\n"
	"      --json               print the result as JSON\n"
	"  -h, --help               show this help\n"
	"\n"
	"examples\n"
	"  belfry reminder add me -m 'stand up' --at 3pm  # once\n";
static const char group_help[] =
	"usage: belfry reminder COMMAND [ARGUMENTS] [FLAGS]\n"
	"\n"
	"messages to an agent or to you, at their time, or once something is true\n"
	"\n"
	"commands\n"
	"  reminder add   remind an agent of something\n"
	"  reminder list  show reminders\n"
	"\n"
	"'belfry reminder COMMAND --help' says more about each.\n";
/* clang-format on */

static void test_command_help(void **state)
{
	AUTO_BUF struct buf out = {0};

	(void)state;
	help(&sample_add, "reminder add", &out);
	assert_string_equal(buf_text(&out), add_help);
}

static void test_group_help(void **state)
{
	AUTO_BUF struct buf out = {0};

	(void)state;
	help(NULL, "reminder", &out);
	assert_string_equal(buf_text(&out), group_help);
}

/* Every command that is not hidden is listed, and no line is wider than the terminal. */
static void test_program_help(void **state)
{
	AUTO_BUF struct buf out = {0};
	char *save = NULL;

	(void)state;
	help(NULL, "", &out);
	for (size_t i = 0; sample_rows[i]; i++) {
		AUTO(free) char *line = mem_printf("\n  %s ", sample_rows[i]->name);

		assert_int_equal(strstr(buf_text(&out), line) != NULL,
				 !(sample_rows[i]->flags & REQUEST_HIDDEN));
	}
	for (char *l = strtok_r(out.data, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		assert_true(text_width(l) <= 80);
}

/* --- the manual --- */

/* Lint must find nothing at all; rows hold dots, quotes and backslashes in the worst places. */
static void lint(const char *group)
{
	AUTO_BUF struct buf page = {0};
	char path[] = "/tmp/belfry-man-XXXXXX", line[512];
	AUTO_CLOSE int fd = mkstemp(path);
	AUTO(free) char *command = mem_printf("mandoc -Tlint %s 2>&1", path);
	FILE *pipe;

	assert_true(fd >= 0);
	manual_page(sample_rows, group, "November 15, 2026", &page);
	assert_int_equal(write(fd, page.data, page.len), (ssize_t)page.len);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	if (fgets(line, sizeof(line), pipe))
		fail_msg("%s", line);
	assert_int_equal(pclose(pipe), 0);
	unlink(path);
}

static void test_manual_lint(void **state)
{
	(void)state;
	lint("");
	lint("reminder");
}

static void test_manual_text(void **state)
{
	AUTO_BUF struct buf page = {0};

	(void)state;
	manual_page(sample_rows, "reminder", "November 15, 2026", &page);
	assert_non_null(strstr(buf_text(&page), ".Dt BELFRY-REMINDER 1\n"));
	assert_non_null(strstr(buf_text(&page), ".It Fl m , Fl \\-message Ar TEXT\n"));
	/* a dot at the beginning of a line would be a command */
	assert_non_null(
		strstr(buf_text(&page), "\n\\&.dotted example \\(aqquoted\\(aq \\e back\n"));
	assert_null(strstr(buf_text(&page), "import begin"));
}

/* --- completion --- */

#define WORDS_MAX 8
/* clang-format off */
static const struct complete_case {
	const char *name;
	const char *words[WORDS_MAX]; /* the last is being typed */
	const char *want;             /* the words offered, each followed by a blank */
	const char *wants;            /* the argument whose values the machine knows, or NULL */
} complete_cases[] = {
	{"commands", {""}, "help reminder why status ", NULL},
	{"beginning of a command", {"re"}, "reminder ", NULL},
	{"commands of a group", {"reminder", ""}, "add list ", NULL},
	{"hidden ones are not offered", {"imp"}, "", NULL},
	{"after help", {"help", "reminder", "a"}, "add ", NULL},
	{"an operand", {"reminder", "add", ""}, "", "agent"},
	{"no second operand", {"reminder", "add", "me", ""}, "", NULL},
	{"flags", {"reminder", "add", "me", "--no"}, "--note --now ", NULL},
	{"common flags", {"status", "--j"}, "--json ", NULL},
	{"choices", {"reminder", "add", "me", "--priority", "id"}, "idle-first idle ", NULL},
	{"choices behind =", {"reminder", "add", "--priority=no"}, "--priority=normal ", NULL},
	{"choices as bash splits them", {"reminder", "add", "--priority", "=", "no"}, "normal ", NULL},
	{"right after bash's =", {"reminder", "add", "--priority", "="}, "interrupt normal idle-first idle ", NULL},
	{"a value is no operand", {"reminder", "add", "-m", "text", ""}, "", "agent"},
	{"a value of the machine", {"why", ""}, "", "reminder"},
	{"operands after --", {"reminder", "add", "--", ""}, "", "agent"},
	{"nothing after an unknown command", {"bogus", ""}, "", NULL},
};
/* clang-format on */

static void test_complete(void **state)
{
	const struct complete_case *c = *state;
	AUTO_COMPLETION struct completion got = {0};
	AUTO_BUF struct buf words = {0};
	size_t count = 0;
	char *save = NULL;

	while (count < WORDS_MAX && c->words[count])
		count++;
	complete_words(sample_rows, c->words, count, &got);
	for (char *l = strtok_r(got.out.data ? got.out.data : (char[]){""}, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save))
		buf_printf(&words, "%.*s ", (int)strcspn(l, "\t"), l);
	assert_string_equal(buf_text(&words), c->want);
	assert_int_equal(c->wants != NULL, got.wants != NULL);
	if (c->wants)
		assert_string_equal(got.wants->name, c->wants);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(complete_cases) + 5] = {
		cmocka_unit_test(test_command_help), cmocka_unit_test(test_group_help),
		cmocka_unit_test(test_program_help), cmocka_unit_test(test_manual_lint),
		cmocka_unit_test(test_manual_text),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(complete_cases); i++)
		tests[5 + i] = (struct CMUnitTest){complete_cases[i].name, test_complete, NULL,
						   NULL, (void *)(uintptr_t)&complete_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
