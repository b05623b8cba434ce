/* test-cli-view.c: results as people see them, at a fixed moment in a fixed zone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "cli/view.h"

/* clang-format off */
#define REMINDER \
	"\"id\":\"r-k3f9x2\",\"name\":\"check-ci\",\"agent\":\"builder\",\"message\":\"Look at CI\\nand say\"," \
	"\"priority\":\"idle\",\"status\":\"active\",\"schedule\":{\"cron\":\"0 9 * * 1-5\"},\"label\":\"cron 0 9 * * 1-5\"," \
	"\"describe\":\"at 9:00 AM on weekdays\",\"tz\":\"Europe/Berlin\",\"tz_source\":\"config\"," \
	"\"next_fire\":\"2026-11-16T09:00:00+01:00\",\"condition\":null,\"count\":null,\"until\":null," \
	"\"catchup\":\"once\",\"start_deadline\":null,\"jitter\":null,\"source\":\"cli\"," \
	"\"created_at\":\"2026-11-15T19:00:00+01:00\",\"last_fired_at\":null,\"fire_count\":0," \
	"\"ended_at\":null,\"end_reason\":null"

static const struct view_case {
	const char *name, *request, *json, *want;
	bool terminal;
} cases[] = {
	{"H21 add says what was understood", "reminder add",
	 "{" REMINDER ",\"understood\":\"at 9:00 AM on weekdays; next at Nov 16, 2026 9:00 AM CET (+01:00), in 13h\"}",
	 "r-k3f9x2  at 9:00 AM on weekdays; next at Nov 16, 2026 9:00 AM CET (+01:00), in 13h\n"},
	{"H2 show", "reminder show", "{" REMINDER ",\"last\":null}",
	 "r-k3f9x2  check-ci\n"
	 "  agent      builder\n"
	 "  status     active\n"
	 "  schedule   at 9:00 AM on weekdays (cron 0 9 * * 1-5)\n"
	 "  zone       Europe/Berlin (config)\n"
	 "  next fire  Nov 16, 2026 9:00 AM CET, in 13h\n"
	 "  priority   idle\n"
	 "  catch-up   once\n"
	 "  fired      0 times\n"
	 "  created    Nov 15, 2026 7:00 PM CET, 1h ago\n"
	 "  source     cli\n"
	 "\n"
	 "  Look at CI\n"
	 "  and say\n"},
	{"H8 H14 why", "why",
	 "{\"reminder\":{" REMINDER "},\"slots\":["
	 "{\"nominal\":\"2026-11-15T18:00:00+01:00\",\"occurrences\":1,\"outcome\":\"fired\",\"reason\":\"fired\","
	 "\"lateness_us\":1200000000,\"missed_before\":3,\"attempts\":0,\"verdict\":null,"
	 "\"message\":{\"id\":\"m-1\",\"state\":\"failed\",\"attempts\":5,\"last_error\":\"exit status 1\"}},"
	 "{\"nominal\":\"2026-11-14T09:00:00+01:00\",\"occurrences\":1,\"outcome\":\"failed\",\"reason\":\"condition failed\","
	 "\"lateness_us\":0,\"missed_before\":0,\"attempts\":2,\"verdict\":\"error\",\"verdict_detail\":\"exit status 127\\nsh: \\u001b[1mnope\"},"
	 "{\"nominal\":\"2026-11-13T09:00:00+01:00\",\"first_nominal\":\"2026-11-11T09:00:00+01:00\",\"occurrences\":3,"
	 "\"more\":true,\"outcome\":\"missed\",\"reason\":\"no daemon was running\"}],"
	 "\"next\":[\"2026-11-16T09:00:00+01:00\",\"2026-11-17T09:00:30+01:00\"]}",
	 "r-k3f9x2  check-ci for builder\n"
	 "at 9:00 AM on weekdays, Europe/Berlin; active, fired 0 times\n"
	 "\n"
	 "  6:00 PM               fired     20m late; 3 missed before\n"
	 "      message m-1: failed after 5 attempts, last error: exit status 1\n"
	 "  yesterday 9:00 AM     failed    condition failed; checked 2 times\n"
	 "      condition: error, exit status 127\n"
	 "        sh: ^[[1mnope\n"
	 "  Nov 13 9:00 AM        missed    no daemon was running; at least 3 occurrences since Nov 11 9:00 AM\n"
	 "\n"
	 "next:\n"
	 "  Nov 16, 2026 9:00 AM CET, in 13h\n"
	 "  Nov 17, 2026 9:00:30 AM CET, in 1d 13h\n"},
	{"why of a paused one", "why",
	 "{\"reminder\":{\"id\":\"r-1\",\"agent\":\"me\",\"message\":\"x\",\"tz\":\"UTC\",\"describe\":\"every hour\",\"status\":\"paused\",\"fire_count\":1},"
	 "\"slots\":[],\"next\":[]}",
	 "r-1  \"x\" for me\n"
	 "every hour, UTC; paused, fired once\n"
	 "\n"
	 "  nothing has been due yet\n"
	 "\n"
	 "next: nothing, it is not active\n"},
	{"B10 next", "next",
	 "{\"zone\":\"America/New_York\",\"describe\":\"at 2:30 AM every day\",\"fires\":[\"2026-11-16T02:30:00-05:00\"]}",
	 "at 2:30 AM every day, America/New_York\n  Nov 16, 2026 2:30 AM EST, in 12h 30m\n"},
	{"next of never", "next", "{\"zone\":\"UTC\",\"describe\":\"never\",\"fires\":[]}", "never, UTC\n  never\n"},
	{"simulate", "simulate",
	 "{\"from\":\"2026-11-15T20:00:00+01:00\",\"to\":\"2026-11-16T20:00:00+01:00\",\"fires\":[{\"at\":\"2026-11-16T09:00:00+01:00\",\"id\":\"r-k3f9x2\",\"name\":\"check-ci\",\"agent\":\"builder\"}]}",
	 "AT                        ID        NAME      AGENT\n"
	 "Nov 16, 2026 9:00 AM CET  r-k3f9x2  check-ci  builder\n"
	 "1 fire from Nov 15, 2026 8:00 PM CET to Nov 16, 2026 8:00 PM CET\n"},
	{"status", "status",
	 "{\"running\":true,\"pid\":42,\"version\":\"0.1.0\",\"uptime_s\":7500,\"home\":\"/h\",\"store\":\"sqlite\",\"zone\":\"Europe/Berlin\",\"zone_source\":\"system\","
	 "\"reminders\":{\"active\":3,\"paused\":1,\"completed\":0,\"cancelled\":0},"
	 "\"next_fire\":{\"id\":\"r-1\",\"name\":null,\"agent\":\"me\",\"at\":\"2026-11-15T21:00:00+01:00\"},\"queues\":[{\"agent\":\"me\",\"queued\":2}],\"config_error\":null}",
	 "running  belfry 0.1.0, pid 42, up 2h 5m\n"
	 "  home       /h\n"
	 "  store      sqlite\n"
	 "  zone       Europe/Berlin (system)\n"
	 "  reminders  3 active, 1 paused\n"
	 "  next fire  Nov 15, 2026 9:00 PM CET, in 1h: r-1 for me\n"
	 "  queued     2 for me\n"},
	{"queue take by a program", "queue take",
	 "{\"id\":\"m-1\",\"agent\":\"me\",\"body\":\"tick\\ttock\",\"reminder\":\"r-1\"}", "tick\ttock\n"},
	{"queue take by a person", "queue take",
	 "{\"id\":\"m-1\",\"agent\":\"me\",\"body\":\"tick\\u001b[2J\\n\",\"reminder\":\"r-1\",\"queued_at\":\"2026-11-15T19:00:00+01:00\"}",
	 "m-1 from r-1, queued 7:00 PM\ntick^[[2J\n", true},
	{"a result nobody knows", "some request", "{\"count\":3,\"text\":\"a\\nb\"}",
	 "  count      3\n  text       a\n             b\n"},
};
static const struct list_case {
	const char *name, *request, *item, *want;
	bool one_agent;
} list_cases[] = {
	{"H22 list of all agents", "reminder list", "{" REMINDER "}",
	 "ID        NAME      AGENT    SCHEDULE          NEXT FIRE         STATUS  FIRES\n"
	 "r-k3f9x2  check-ci  builder  cron 0 9 * * 1-5  tomorrow 9:00 AM  active      0\n", false},
	{"H22 list of one agent", "reminder list", "{" REMINDER "}",
	 "ID        NAME      SCHEDULE          NEXT FIRE         STATUS  FIRES\n"
	 "r-k3f9x2  check-ci  cron 0 9 * * 1-5  tomorrow 9:00 AM  active      0\n", true},
	{"H22 without a name or a next fire", "reminder list",
	 "{\"id\":\"r-1\",\"name\":null,\"message\":\"stand\\nup\",\"agent\":\"me\",\"label\":\"once\",\"next_fire\":null,\"status\":\"completed\",\"fire_count\":1}",
	 "ID   NAME        AGENT  SCHEDULE  NEXT FIRE  STATUS     FIRES\n"
	 "r-1  \"stand up\"  me     once      -          completed      1\n", false},
	{"queue list", "queue list",
	 "{\"id\":\"m-1\",\"agent\":\"me\",\"priority\":\"idle\",\"state\":\"queued\",\"body\":\"a\\nb\",\"queued_at\":\"2026-11-15T19:00:00+01:00\",\"attempts\":0}",
	 "ID   AGENT  PRIORITY  STATE   QUEUED   TRIES  TEXT\n"
	 "m-1  me     idle      queued  7:00 PM      0  a b\n", false},
	{"agent list", "agent list",
	 "{\"name\":\"builder\",\"deliver\":\"command\",\"command\":[\"notify\",\"-x\"],\"directory\":\"/src\",\"queued\":1,\"reminders\":2}",
	 "NAME     DELIVERY   DIRECTORY  REMINDERS  QUEUED\n"
	 "builder  notify -x  /src               2       1\n", false},
};
/* clang-format on */

static const struct style plain = {false, false, 80};

static struct view view_at(struct buf *out)
{
	struct view v = {.style = &plain, .out = out};
	struct error err = {0};

	assert_int_equal(zone_get("Europe/Berlin", &v.zone, &err), 0);
	assert_int_equal(instant_parse("2026-11-15T20:00:00+01:00", v.zone, &v.now, &err), 0);
	return v;
}

static json_t *parse(const char *text)
{
	struct error err = {0};
	json_t *value = NULL;

	if (json_parse(text, strlen(text), &value, &err) < 0)
		fail_msg("%s", err.message);
	return value;
}

static void test_view(void **state)
{
	const struct view_case *c = *state;
	AUTO(json_decref) json_t *result = parse(c->json);
	AUTO_BUF struct buf out = {0};
	struct view v = view_at(&out);
	struct style style = *v.style;

	style.terminal = c->terminal;
	v.style = &style;
	view_of(c->request)(&v, result);
	assert_string_equal(buf_text(&out), c->want);
}

static void test_list(void **state)
{
	const struct list_case *c = *state;
	AUTO(json_decref) json_t *item = parse(c->item);
	AUTO(table_free) struct table *t = NULL;
	AUTO_BUF struct buf out = {0};
	struct view v = view_at(&out);
	const struct view_list *list;

	v.one_agent = c->one_agent;
	list = view_list_of(&v, c->request);
	assert_non_null(list);
	t = table_new(list->columns, list->column_count);
	list->add(&v, item, t);
	assert_int_equal(table_rows(t), 1);
	table_print(t, v.style, &out);
	assert_string_equal(buf_text(&out), c->want);
}

/* Results of a newer or broken daemon may lack anything: no printer may fall over. */
static void test_holes(void **state)
{
	static const char *const holes[] = {"{}", "null", "[]", "{\"slots\":[null,1,{}]}",
					    "{\"fires\":[null,{}],\"reminder\":7}"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t j = 0; j < sizeof(holes) / sizeof(holes[0]); j++) {
			AUTO(json_decref) json_t *result = parse(holes[j]);
			AUTO_BUF struct buf out = {0};
			struct view v = view_at(&out);

			view_of(cases[i].request)(&v, result);
			assert_true(out.len > 0 || json_object_size(result) == 0);
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
