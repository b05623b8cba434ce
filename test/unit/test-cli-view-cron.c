/* test-cli-view-cron.c: crons, tasks and the board as people see them, at several widths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "base/text.h"
#include "cli/view.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
#define CRON(name, more) \
	"{\"name\":\"" name "\",\"schedule\":\"0 9 * * *\",\"describe\":\"at 9:00 AM every day\",\"agent\":\"builder\"," \
	"\"tz\":\"Europe/Berlin\",\"tz_source\":\"config\",\"description\":\"Check all repositories\",\"prompt\":\"Check them\"," \
	"\"overlap\":\"skip\",\"timeout\":\"1h\",\"max_attempts\":1,\"catchup\":\"skip\"," more "}"
#define OK_CRON CRON("daily-git-sync", "\"enabled\":true,\"status\":\"success\"," \
	"\"last_run\":{\"at\":\"2026-11-15T09:00:02+01:00\",\"status\":\"success\"},\"next_run\":\"2026-11-16T09:00:00+01:00\"," \
	"\"next\":[\"2026-11-16T09:00:00+01:00\",\"2026-11-17T09:00:00+01:00\"]")
#define BAD_CRON CRON("broken", "\"enabled\":true,\"status\":\"invalid\",\"problem\":\"/home/me/config.yml:18:22: bad hour '25'\"")
#define PAUSED_CRON CRON("flaky", "\"enabled\":true,\"status\":\"paused\",\"paused\":true,\"pause_reason\":\"5 failures in a row\"")
#define OFF_CRON CRON("off", "\"enabled\":false,\"status\":null,\"next\":[]")

static const struct list_case {
	const char *name, *request;
	size_t width;
	bool verbose;
	const char *items;
	const char *want;
} lists[] = {
	{"A7 cron ls", "cron ls", 80, false, "[" OK_CRON "," BAD_CRON "," PAUSED_CRON "," OFF_CRON "]",
	 "NAME            SCHEDULE   ENABLED  LAST RUN          STATUS   NEXT RUN\n"
	 "daily-git-sync  0 9 * * *  yes      2026-11-15 09:00  success  2026-11-16 09:00\n"
	 "broken          0 9 * * *  yes      -                 invalid  -\n"
	 "  config.yml:18:22: bad hour '25'\n"
	 "flaky           0 9 * * *  yes      -                 paused   -\n"
	 "  5 failures in a row; go on with: belfry cron enable flaky\n"
	 "off             0 9 * * *  no       -                 -        -\n"},
	{"A7 cron ls -v at 80", "cron ls", 80, true, "[" OK_CRON "]",
	 "NAME            SCHEDULE   ENABLED  LAST RUN          STATUS   NEXT RUN\n"
	 "daily-git-sync  0 9 * * *  yes      2026-11-15 09:00  success  2026-11-16 09:00\n"
	 "  builder: Check all repositories\n"},
	{"A7 cron ls -v at 140", "cron ls", 140, true, "[" OK_CRON "]",
	 "NAME            SCHEDULE   ENABLED  LAST RUN          STATUS   NEXT RUN          AGENT    DESCRIPTION\n"
	 "daily-git-sync  0 9 * * *  yes      2026-11-15 09:00  success  2026-11-16 09:00  builder  Check all repositories\n"},
	{"A18 cron history", "cron history", 80, false,
	 "[{\"started\":\"2026-11-15T09:00:02+01:00\",\"took_us\":62000000,\"status\":\"failed\",\"attempt\":2,\"max_attempts\":3,"
	 "\"exit_code\":1,\"cost\":0.1234,\"mission\":\"mis-k3f9x2\",\"reason\":\"exit status 1\"},"
	 "{\"started\":\"2026-11-14T09:00:00+01:00\",\"status\":\"killed\",\"took_us\":5,\"attempt\":1,\"max_attempts\":3,\"signal\":9,\"mission\":\"mis-aaaaaa\"},"
	 "{\"started\":\"2026-11-13T09:00:00+01:00\",\"status\":\"missed\",\"reason\":\"no daemon was running\",\"occurrences\":3,\"first\":\"2026-11-11T09:00:00+01:00\"},"
	 "{\"started\":\"2026-11-12T09:00:00+01:00\",\"status\":\"success\",\"kind\":\"resume\",\"took_us\":1000000,\"exit_code\":0,\"mission\":\"mis-bbbbbb\"}]",
	 "STARTED            TOOK  STATUS   ATTEMPT   EXIT   COST  MISSION\n"
	 "2026-11-15 09:00  1m 2s  failed       2/3      1  $0.12  mis-k3f9x2\n"
	 "  exit status 1\n"
	 "2026-11-14 09:00    5us  killed       1/3  sig 9      -  mis-aaaaaa\n"
	 "2026-11-13 09:00      -  missed         -      -      -  -\n"
	 "  no daemon was running; 3 occurrences since 2026-11-11 09:00\n"
	 "2026-11-12 09:00     1s  success   resume      0      -  mis-bbbbbb\n"},
	{"B1 B10 N11 task list, in the reader's zone", "task list", 80, false,
	 "[{\"id\":\"r-k3f9x2\",\"fire_at\":\"2026-02-04T15:15:00-08:00\",\"tz\":\"America/Los_Angeles\",\"status\":\"failed\","
	 "\"attempts\":3,\"max_attempts\":3,\"agent\":\"builder\",\"prompt\":\"Say\\nhello to everybody who is here\",\"last_error\":\"exit status 1\"}]",
	 "ID        FIRE AT                   STATUS  ATTEMPTS  AGENT    PROMPT\n"
	 "r-k3f9x2  Feb 5, 2026 12:15 AM CET  failed       3/3  builder  Say hello to eve…\n"
	 "  exit status 1\n"},
	{"B9 board show", "board show", 80, false,
	 "[{\"agent\":\"builder\",\"status\":\"reviewing\",\"detail\":\"three\\nleft\",\"at\":\"2026-11-15T19:50:00+01:00\"}]",
	 "AGENT    STATUS     SINCE    DETAIL\n"
	 "builder  reviewing  10m ago  three left\n"},
};

static const struct view_case {
	const char *name, *request, *json, *want;
} views[] = {
	{"A5 cron add", "cron add", OK_CRON,
	 "daily-git-sync  at 9:00 AM every day, Europe/Berlin\n"
	 "  Nov 16, 2026 9:00 AM CET, in 13h\n"
	 "  Nov 17, 2026 9:00 AM CET, in 1d 13h\n"},
	{"A6 cron disable", "cron disable", OFF_CRON, "off  at 9:00 AM every day, Europe/Berlin; disabled\n"},
	{"A6 cron rm", "cron rm", "{\"name\":\"off\",\"removed\":true}", "off  removed; its missions stay: belfry mission ls\n"},
	{"A6 cron run", "cron run", "{\"name\":\"off\",\"mission\":\"mis-1\",\"phase\":\"waiting\",\"reason\":\"in line\"}",
	 "mis-1  off, run now; its schedule stays\n  watch it: belfry mission logs mis-1 -f\n"},
	{"A7 cron show", "cron show", OK_CRON,
	 "daily-git-sync  Check all repositories\n"
	 "  agent      builder\n"
	 "  schedule   at 9:00 AM every day (0 9 * * *)\n"
	 "  zone       Europe/Berlin (config)\n"
	 "  enabled    yes\n"
	 "  last run   success, Nov 15, 2026 9:00:02 AM CET, 10h 59m ago\n"
	 "  overlap    skip; time limit 1h\n"
	 "  attempts   1\n"
	 "  catch-up   skip\n"
	 "\n"
	 "  Check them\n"
	 "\n"
	 "next:\n"
	 "  Nov 16, 2026 9:00 AM CET, in 13h\n"
	 "  Nov 17, 2026 9:00 AM CET, in 1d 13h\n"},
	{"B2 task add", "task add", "{\"id\":\"r-1\",\"understood\":\"once at Nov 16\",\"agent\":\"builder\",\"status\":\"pending\"}",
	 "r-1  once at Nov 16; run by builder\n"},
	{"B2 task cancel", "task cancel", "{\"id\":\"r-1\",\"status\":\"cancelled\"}", "r-1  cancelled\n"},
	{"B1 task show", "task show",
	 "{\"id\":\"r-1\",\"name\":\"x\",\"status\":\"failed\",\"fire_at\":\"2026-11-15T19:00:00+01:00\",\"tz\":\"Europe/Berlin\","
	 "\"agent\":\"builder\",\"attempts\":3,\"max_attempts\":3,\"timeout\":null,\"last_error\":\"it \\u001b[2Jfailed\",\"mission\":\"mis-1\",\"prompt\":\"a\\nb\"}",
	 "r-1  x\n"
	 "  status     failed\n"
	 "  fire at    Nov 15, 2026 7:00 PM CET, 1h ago\n"
	 "  agent      builder\n"
	 "  attempts   3/3\n"
	 "  time limit none\n"
	 "  last error it ^[[2Jfailed\n"
	 "  mission    mis-1; its answer: belfry mission show mis-1\n"
	 "\n"
	 "  a\n"
	 "  b\n"},
	{"B9 board set", "board set", "{\"agent\":\"builder\",\"status\":\"busy\",\"detail\":\"with x\"}", "builder  busy: with x\n"},
	{"B9 board clear", "board clear", "{\"agent\":\"builder\",\"status\":null}", "builder  is off the board\n"},
	{"H2 reminder show of one that runs", "reminder show",
	 "{\"id\":\"r-1\",\"name\":\"x\",\"agent\":\"builder\",\"status\":\"active\",\"describe\":\"every hour\",\"tz\":\"UTC\",\"tz_source\":\"item\","
	 "\"priority\":\"idle\",\"fire_count\":0,\"source\":\"cli\",\"message\":\"m\","
	 "\"policy\":{\"door\":\"reminder\",\"overlap\":\"skip\",\"timeout\":\"5m\",\"max_attempts\":2}}",
	 "r-1  x\n"
	 "  agent      builder\n"
	 "  status     active\n"
	 "  schedule   every hour\n"
	 "  zone       UTC (item)\n"
	 "  action     runs the agent; overlap skip, time limit 5m, 2 attempts\n"
	 "  priority   idle\n"
	 "  fired      0 times\n"
	 "  source     cli\n"
	 "\n"
	 "  m\n"},
};
/* clang-format on */

static json_t *parse(const char *text)
{
	struct error err = {0};
	json_t *value = NULL;

	if (json_parse(text, strlen(text), &value, &err) < 0)
		fail_msg("%s: %s", err.message, text);
	return value;
}

static struct view view_at(struct style *style, struct buf *out)
{
	struct view v = {.style = style, .out = out};
	struct error err = {0};

	assert_int_equal(zone_get("Europe/Berlin", &v.zone, &err), 0);
	assert_int_equal(instant_parse("2026-11-15T20:00:00", v.zone, &v.now, &err), 0);
	return v;
}

static size_t widest_line(const char *text)
{
	size_t most = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[512] = "";

		memcpy(line, text, len < sizeof(line) ? len : sizeof(line) - 1);
		most = text_width(line) > most ? text_width(line) : most;
		text += len + (text[len] == '\n');
	}
	return most;
}

static void test_list(void **state)
{
	const struct list_case *c = *state;
	AUTO(json_decref) json_t *items = parse(c->items);
	AUTO(table_free) struct table *t = NULL;
	AUTO_BUF struct buf out = {0};
	struct style style = {true, false, c->width};
	struct view v = view_at(&style, &out);
	const struct view_list *list;

	v.verbose = c->verbose;
	list = view_list_of(&v, c->request);
	assert_non_null(list);
	t = table_new(list->columns, list->column_count);
	for (size_t i = 0; i < json_array_size(items); i++)
		list->add(&v, json_array_get(items, i), t);
	table_print(t, &style, &out);
	assert_string_equal(buf_text(&out), c->want);
	assert_true(widest_line(buf_text(&out)) <= c->width);
}

static void test_view(void **state)
{
	const struct view_case *c = *state;
	AUTO(json_decref) json_t *result = parse(c->json);
	AUTO_BUF struct buf out = {0};
	struct style style = {false, false, 80};
	struct view v = view_at(&style, &out);

	view_of(c->request)(&v, result);
	assert_string_equal(buf_text(&out), c->want);
}

/* Results of a newer or broken daemon may lack anything: no printer may fall over. */
static void test_holes(void **state)
{
	static const char *const holes[] = {"{}", "null", "[]",
					    "{\"next\":[null,1],\"last_run\":7}"};

	(void)state;
	for (size_t j = 0; j < COUNT(holes); j++) {
		AUTO(json_decref) json_t *result = parse(holes[j]);
		struct style style = {true, false, 80};

		for (size_t i = 0; i < COUNT(views); i++) {
			AUTO_BUF struct buf out = {0};
			struct view v = view_at(&style, &out);

			view_of(views[i].request)(&v, result);
		}
		for (size_t i = 0; i < COUNT(lists); i++) {
			AUTO_BUF struct buf out = {0};
			struct view v = view_at(&style, &out);
			const struct view_list *list = view_list_of(&v, lists[i].request);
			AUTO(table_free)
			struct table *t = table_new(list->columns, list->column_count);

			list->add(&v, result, t);
			table_print(t, &style, &out);
			assert_int_equal(table_rows(t), 1);
		}
	}
}

int main(void)
{
	struct CMUnitTest tests[COUNT(lists) + COUNT(views) + 1] = {cmocka_unit_test(test_holes)};
	size_t n = 1;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(lists); i++)
		tests[n++] = (struct CMUnitTest){lists[i].name, test_list, NULL, NULL,
						 (void *)(uintptr_t)&lists[i]};
	for (size_t i = 0; i < COUNT(views); i++)
		tests[n++] = (struct CMUnitTest){views[i].name, test_view, NULL, NULL,
						 (void *)(uintptr_t)&views[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
