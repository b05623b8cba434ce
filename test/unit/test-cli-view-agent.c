/* test-cli-view-agent.c: agents, and what was done about them, as people see them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "cli/view.h"

/* clang-format off */
#define AGENT(state, more) "{\"name\":\"builder\",\"state\":" state ",\"queued\":2,\"adapter\":\"claude\"," \
	"\"deliver\":\"queue\",\"since\":\"2026-11-15T18:57:00.9Z\"" more "}"
#define SENT(priority, agent) "{\"message\":{\"id\":\"m-1\",\"agent\":\"builder\",\"priority\":\"" priority "\"," \
	"\"state\":\"queued\"},\"agent\":" agent "}"

static const struct list_case {
	const char *name, *item, *want;
	bool verbose, colour;
} list_cases[] = {
	{"one that works", AGENT("\"busy\"", ",\"evidence\":\"hook PreToolUse 2s ago\",\"role\":\"fixer\""),
	 "NAME     STATE   SINCE  EVIDENCE                QUEUED  ROLE   ADAPTER\n"
	 "builder  busy   2m 59s  hook PreToolUse 2s ago       2  fixer  claude\n", false, false},
	{"one without a session", "{\"name\":\"me\",\"state\":null,\"since\":null,\"queued\":0}",
	 "NAME  STATE  SINCE  EVIDENCE  QUEUED  ROLE  ADAPTER\n"
	 "me    -          -  -              0  -     -\n", false, false},
	{"one that has ended: why", AGENT("\"gone\"", ",\"evidence\":\"hook Stop\",\"end_reason\":\"exit status 3\""),
	 "NAME     STATE   SINCE  EVIDENCE       QUEUED  ROLE  ADAPTER\n"
	 "builder  gone   2m 59s  exit status 3       2  -     claude\n", false, false},
	{"a clock that was set back", AGENT("\"idle\"", ",\"since\":\"2026-11-15T20:00:00Z\""),
	 "NAME     STATE  SINCE  EVIDENCE  QUEUED  ROLE  ADAPTER\n"
	 "builder  idle      0s  -              2  -     claude\n", false, false},
	{"evidence obeys nobody", "{\"name\":\"a\\u001bb\",\"state\":\"idle\",\"evidence\":\"x\\u001b[31m\",\"queued\":0}",
	 "NAME  STATE  SINCE  EVIDENCE  QUEUED  ROLE  ADAPTER\n"
	 "a^[b  idle       -  x^[[31m        0  -     -\n", false, false},
	{"a missed one is red", "{\"name\":\"a\",\"state\":\"gone\",\"wanted\":true,\"queued\":0}",
	 "\033[1mNAME\033[0m  \033[1mSTATE\033[0m  \033[1mSINCE\033[0m  \033[1mEVIDENCE\033[0m  \033[1mQUEUED\033[0m  \033[1mROLE\033[0m  \033[1mADAPTER\033[0m\n"
	 "a     \033[31mgone\033[0m       -  \033[2m-\033[0m              0  -     -\n", false, true},
	{"how it is run and reached", "{\"name\":\"builder\",\"deliver\":\"command\",\"command\":[\"notify\",\"-x\"],\"directory\":\"/src\",\"queued\":1,\"reminders\":2,\"adapter\":\"claude\",\"interrupt\":\"key\",\"can_run\":true}",
	 "NAME     RUNS BY  DELIVERY   DIRECTORY  REMINDERS  QUEUED\n"
	 "builder  claude   notify -x  /src               2       1\n", true, false},
};

static const struct view_case {
	const char *name, *request, *json, *want;
} cases[] = {
	{"started", "agent start", AGENT("\"idle\"", ""), "builder is idle; to see it: belfry agent attach builder\n"},
	{"started, and asks", "agent start", AGENT("\"blocked\"", ""),
	 "builder is blocked: it asks something; to see it: belfry agent attach builder\n"},
	{"started, and silent", "agent start", AGENT("\"starting\"", ""),
	 "builder is starting: its window is open, and it has shown nothing yet; to see it: belfry agent attach builder\n"},
	{"stopped", "agent stop", AGENT("\"gone\"", ",\"mission\":\"mis-1\""),
	 "builder is stopped; to start it again: belfry agent start builder\n  2 messages wait for it\n"},
	{"stopped, one message waits", "agent stop", "{\"name\":\"builder\",\"state\":\"gone\",\"queued\":1}",
	 "builder is stopped; to start it again: belfry agent start builder\n  1 message waits for it\n"},
	{"restarted", "agent restart", AGENT("\"idle\"", ""), "builder is idle; to see it: belfry agent attach builder\n"},
	{"H11 removed", "agent rm", "{\"name\":\"builder\",\"cancelled\":0,\"kept\":0}", "builder is removed\n"},
	{"H11 removed, its reminders stay", "agent rm", "{\"name\":\"builder\",\"cancelled\":0,\"kept\":3}",
	 "builder is removed; 3 reminders for it stay: belfry reminder list builder\n"},
	{"H11 removed with its reminders", "agent rm", "{\"name\":\"builder\",\"cancelled\":2,\"kept\":0}",
	 "builder is removed; 2 reminders for it are cancelled\n"},
	{"H5 sent to one that is idle", "agent send", SENT("idle", AGENT("\"idle\"", "")), "m-1  builder is idle: it is told now\n"},
	{"H5 interrupt of one that works", "agent send", SENT("interrupt", AGENT("\"busy\"", "")),
	 "m-1  builder is busy: it is interrupted, and told now\n"},
	{"H5 normal to one that works", "agent send", SENT("normal", AGENT("\"busy\"", "")),
	 "m-1  builder is busy: it is told now, and takes it up when it comes to it\n"},
	{"H5 idle-first to one that works", "agent send", SENT("idle-first", AGENT("\"busy\"", "")),
	 "m-1  builder is busy: it is told when it is idle\n"},
	{"H5 interrupt of one that asks", "agent send", SENT("interrupt", AGENT("\"blocked\"", "")),
	 "m-1  builder asks something: it is interrupted where that is safe, and told then\n"},
	{"H5 normal to one that asks", "agent send", SENT("normal", AGENT("\"blocked\"", "")),
	 "m-1  builder asks something: it is told once somebody has answered that\n"},
	{"F10 interrupt of one that works and would forget", "agent send", SENT("interrupt", "{\"state\":\"busy\",\"interrupt\":\"forgets\"}"),
	 "m-1  builder is busy, and is not interrupted: it would forget what it was told. It is told now, and takes it up after "
	 "what it is doing\n"},
	{"F10 interrupt of one that asks and would forget", "agent send", SENT("interrupt", "{\"state\":\"blocked\",\"interrupt\":\"forgets\"}"),
	 "m-1  builder asks something, which is not turned down: it would forget what it was told. It is told once somebody has "
	 "answered that\n"},
	{"H5 interrupt of one that starts", "agent send", SENT("interrupt", AGENT("\"starting\"", "")),
	 "m-1  builder is starting: it is told when it is ready\n"},
	{"H5 sent to one that is gone", "agent send", SENT("normal", AGENT("\"gone\"", "")),
	 "m-1  builder has no session: it waits until 'belfry agent start builder', or for one of yours in its folder that has Belfry's hooks\n"},
	{"H5 sent to one that has a command", "agent send", SENT("normal", "{\"state\":null,\"deliver\":\"command\"}"),
	 "m-1  the deliver command of builder gets it\n"},
	{"H5 sent to the person", "agent send", SENT("normal", "{\"state\":null,\"deliver\":\"inbox\"}"),
	 "m-1  it is in the inbox: belfry inbox\n"},
	{"N41 sent without a daemon", "agent send",
	 "{\"message\":{\"id\":\"m-1\",\"agent\":\"builder\",\"priority\":\"normal\",\"scheduler_running\":false},\"agent\":" AGENT("\"idle\"", "") "}",
	 "m-1  builder is told once a daemon runs\n"},
	{"H5 sent, and told already", "agent send", "{\"message\":{\"id\":\"m-1\",\"state\":\"delivered\"}}", "m-1  delivered\n"},
	{"H5 sent to nobody that is known", "agent send", "{\"message\":{\"id\":\"m-1\",\"state\":\"queued\"}}", "m-1  queued\n"},
};
/* clang-format on */

static struct view view_at(const struct style *style, struct buf *out)
{
	struct view v = {.style = style, .out = out};
	struct error err = {0};

	assert_int_equal(zone_get("Europe/Berlin", &v.zone, &err), 0);
	assert_int_equal(instant_parse("2026-11-15T20:00:00+01:00", v.zone, &v.now, &err), 0);
	return v;
}

static json_t *parse(const char *text)
{
	/* jansson itself: a row of the table may say a key twice, and the last one counts */
	json_t *value = json_loads(text, 0, NULL);

	if (!value)
		fail_msg("no JSON: %s", text);
	return value;
}

static void test_list(void **state)
{
	const struct list_case *c = *state;
	const struct style style = {false, c->colour, 100};
	AUTO(json_decref) json_t *item = parse(c->item);
	AUTO(table_free) struct table *t = NULL;
	AUTO_BUF struct buf out = {0};
	struct view v = view_at(&style, &out);
	const struct view_list *list;

	v.verbose = c->verbose;
	list = view_list_of(&v, "agent ls");
	assert_ptr_equal(list, view_list_of(&v, "agent list"));
	t = table_new(list->columns, list->column_count);
	list->add(&v, item, t);
	table_print(t, v.style, &out);
	assert_string_equal(buf_text(&out), c->want);
}

static void test_view(void **state)
{
	const struct view_case *c = *state;
	const struct style style = {false, false, 80};
	AUTO(json_decref) json_t *result = parse(c->json);
	AUTO_BUF struct buf out = {0};
	struct view v = view_at(&style, &out);

	view_of(c->request)(&v, result);
	assert_string_equal(buf_text(&out), c->want);
}

/* Results of a newer or broken daemon may lack anything: no printer may fall over. */
static void test_holes(void **state)
{
	static const char *const holes[] = {"{}", "[]", "{\"message\":7,\"agent\":[]}",
					    "{\"name\":1,\"state\":{},\"kept\":\"x\"}"};
	const struct style style = {false, false, 80};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t j = 0; j < sizeof(holes) / sizeof(holes[0]); j++) {
			AUTO(json_decref) json_t *result = parse(holes[j]);
			AUTO_BUF struct buf out = {0};
			struct view v = view_at(&style, &out);

			view_of(cases[i].request)(&v, result);
			assert_true(out.len > 0);
		}
	}
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(cases) + COUNT(list_cases) + 1] = {
		cmocka_unit_test(test_holes),
	};
	size_t n = 1;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(cases); i++)
		tests[n++] = (struct CMUnitTest){cases[i].name, test_view, NULL, NULL,
						 (void *)(uintptr_t)&cases[i]};
	for (size_t i = 0; i < COUNT(list_cases); i++)
		tests[n++] = (struct CMUnitTest){list_cases[i].name, test_list, NULL, NULL,
						 (void *)(uintptr_t)&list_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
