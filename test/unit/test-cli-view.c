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

#define MISSION \
	"\"id\":\"mis-1\",\"agent\":\"builder\",\"door\":\"cron\",\"origin\":\"nightly\",\"prompt\":\"Check\\nall\"," \
	"\"git\":\"github.com/me/app\",\"session\":\"5e0e\",\"reminder\":\"r-1\",\"timeout\":\"1h\",\"attempts\":1,\"max_attempts\":3," \
	"\"created_at\":\"2026-11-15T17:59:00Z\",\"started_at\":\"2026-11-15T18:00:00Z\",\"run_started_at\":\"2026-11-15T18:56:00Z\"," \
	"\"cost_usd\":1.5,\"folder\":\"/s/missions/mis-1\""

static const struct view_case {
	const char *name, *request, *json, *want;
	bool terminal;
} cases[] = {
	{"H21 add says what was understood", "reminder add",
	 "{" REMINDER ",\"understood\":\"at 9:00 AM on weekdays; next at Nov 16, 2026 9:00 AM CET (+01:00), in 13h\"}",
	 "r-k3f9x2  at 9:00 AM on weekdays; next at Nov 16, 2026 9:00 AM CET (+01:00), in 13h\n"},
	{"T25 a store that is sound", "store check", "{\"wrong\":\"\"}", "the store opens and is sound\n"},
	{"T25 a store that is not", "store check", "{\"wrong\":\"row 7 missing from index a\\nwrong # of entries\"}",
	 "the store is damaged:\n"
	 "  row 7 missing from index a\n"
	 "  wrong # of entries\n"
	 "save what can be read with 'belfry reminder export', then restore a backup\n"},
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
	{"N55 status tells whose zone it is", "status",
	 "{\"running\":true,\"pid\":42,\"version\":\"0.1.0\",\"uptime_s\":60,\"store\":\"sqlite\",\"zone\":\"UTC\",\"zone_source\":\"TZ\","
	 "\"your_zone\":\"Asia/Kolkata\",\"your_zone_source\":\"user\",\"reminders\":{},\"queues\":[]}",
	 "running  belfry 0.1.0, pid 42, up 1m\n"
	 "  store      sqlite\n"
	 "  zone       UTC (TZ) of the daemon; yours is Asia/Kolkata (user)\n"
	 "  reminders  none\n"
	 "  next fire  none\n"
	 "  queued     none\n"},
	{"JO48 status tells the store, and that another one is set", "status",
	 "{\"running\":true,\"pid\":42,\"version\":\"0.1.0\",\"uptime_s\":60,\"store\":\"sqlite\",\"store_at\":\"/a.db\",\"store_configured\":\"postgres://h/b\","
	 "\"zone\":\"UTC\",\"zone_source\":\"system\",\"reminders\":{},\"queues\":[]}",
	 "running  belfry 0.1.0, pid 42, up 1m\n"
	 "  store      /a.db\n"
	 "             another store is set now: postgres://h/b (to use it: belfry daemon stop, then belfry daemon start --switch-store)\n"
	 "  zone       UTC (system)\n"
	 "  reminders  none\n"
	 "  next fire  none\n"
	 "  queued     none\n"},
	{"A18 status counts missions", "status",
	 "{\"running\":true,\"pid\":42,\"version\":\"0.1.0\",\"uptime_s\":60,\"store\":\"sqlite\",\"zone\":\"UTC\",\"zone_source\":\"system\","
	 "\"reminders\":{},\"queues\":[],\"missions\":{\"running\":3,\"max_concurrent\":10,\"waiting\":2}}",
	 "running  belfry 0.1.0, pid 42, up 1m\n"
	 "  store      sqlite\n"
	 "  zone       UTC (system)\n"
	 "  reminders  none\n"
	 "  next fire  none\n"
	 "  queued     none\n"
	 "  missions   3 of 10 running, 2 waiting\n"},
	{"H26 why of one that waits for idleness, and of a fallback", "why",
	 "{\"reminder\":{\"id\":\"r-1\",\"name\":\"next\",\"agent\":\"builder\",\"tz\":\"UTC\",\"schedule\":{\"idle\":\"5m\"},\"describe\":\"when idle for 5m\",\"status\":\"active\",\"fire_count\":1},"
	 "\"slots\":[{\"nominal\":\"2026-11-15T18:00:00Z\",\"occurrences\":1,\"outcome\":\"ran\",\"reason\":\"ran for 3s\",\"attempts\":1,"
	 "\"note\":\"its agent had no session: run as mission mis-2\",\"mission\":{\"id\":\"mis-2\",\"state\":\"success\",\"attempts\":1}}],\"next\":[]}",
	 "r-1  next for builder\n"
	 "when idle for 5m; active, fired once\n"
	 "\n"
	 "  6:00 PM               ran       ran for 3s; its agent had no session: run as mission mis-2\n"
	 "      mission mis-2: success\n"
	 "\n"
	 "next: when its agent has been idle for 5m\n"},
	{"A10 why names the mission, and nothing twice", "why",
	 "{\"reminder\":{\"id\":\"r-1\",\"name\":\"nightly\",\"agent\":\"builder\",\"tz\":\"UTC\",\"describe\":\"every hour\",\"status\":\"active\",\"fire_count\":2},"
	 "\"slots\":[{\"nominal\":\"2026-11-15T18:00:00Z\",\"occurrences\":1,\"outcome\":\"running\",\"reason\":\"runs as mission mis-2\",\"attempts\":1,"
	 "\"mission\":{\"id\":\"mis-2\",\"state\":\"running\",\"attempts\":1}},"
	 "{\"nominal\":\"2026-11-15T17:00:00Z\",\"occurrences\":1,\"outcome\":\"failed\",\"reason\":\"exit status 2\",\"attempts\":3,"
	 "\"mission\":{\"id\":\"mis-1\",\"state\":\"error\",\"attempts\":3}}],\"next\":[]}",
	 "r-1  nightly for builder\n"
	 "every hour, UTC; active, fired 2 times\n"
	 "\n"
	 "  6:00 PM               running\n"
	 "      mission mis-2: running\n"
	 "  5:00 PM               failed    exit status 2\n"
	 "      mission mis-1: error after 3 attempts\n"
	 "\n"
	 "next: nothing more is due\n"},
	{"A26 a new mission and where its log is", "mission new",
	 "{\"id\":\"mis-1\",\"state\":\"waiting\",\"reason\":\"10 of 10 \\u001b run\",\"log\":\"/s/missions/mis-1/runs/1/output.log\"}",
	 "mis-1  waiting: 10 of 10 ^[ run\n"
	 "  log        /s/missions/mis-1/runs/1/output.log\n"},
	{"A26 archived", "mission archive", "{\"id\":\"mis-1\",\"state\":\"success\",\"archived_at\":\"2026-11-15T19:00:00Z\"}",
	 "mis-1  success, archived\n"},
	{"A26 removed", "mission rm", "{\"id\":\"mis-1\",\"removed\":true}", "mis-1  removed\n"},
	{"A26 not removed yet", "mission rm", "{\"id\":\"mis-1\",\"removed\":false}",
	 "mis-1  is being stopped; remove it once it has ended\n"},
	{"A18 A26 show: all runs, errors, answer", "mission show", "{" MISSION ",\"state\":\"running\",\"phase\":\"running\",\"reason\":\"running\","
	 "\"answer\":\"half\\u001b[2J\\nof it\",\"runs\":["
	 "{\"number\":1,\"kind\":\"attempt\",\"attempt\":1,\"prompt\":null,\"started_at\":\"2026-11-15T18:00:00Z\",\"finished_at\":\"2026-11-15T18:00:03Z\","
	 "\"ending\":\"error\",\"exit_code\":2,\"signal\":null,\"error\":\"no server\\nat all\",\"cost_usd\":0.004},"
	 "{\"number\":2,\"kind\":\"resume\",\"attempt\":0,\"prompt\":\"go on\",\"started_at\":\"2026-11-15T18:56:00Z\",\"finished_at\":null,"
	 "\"ending\":null,\"exit_code\":null,\"heartbeat_at\":\"2026-11-15T18:59:48Z\"}]}",
	 "mis-1  builder, cron nightly\n"
	 "  state      running 4m\n"
	 "  heartbeat  12s ago\n"
	 "  created    Nov 15, 2026 6:59 PM CET, 1h 1m ago\n"
	 "  started    Nov 15, 2026 7:00 PM CET, 1h ago\n"
	 "  cost       $1.50\n"
	 "  time limit 1h a run\n"
	 "  attempts   1 of 3\n"
	 "  reminder   r-1\n"
	 "  repository github.com/me/app\n"
	 "  session    5e0e\n"
	 "  folder     /s/missions/mis-1\n"
	 "\n"
	 "prompt:\n"
	 "  Check\n"
	 "  all\n"
	 "\n"
	 "runs:\n"
	 "   1  attempt 1, 7:00 PM: error, exit status 2, took 3s, $0.0040\n"
	 "      no server\n"
	 "      at all\n"
	 "   2  resume, 7:56 PM: open\n"
	 "      > go on\n"
	 "\n"
	 "answer:\n"
	 "  half^[[2J\n"
	 "  of it\n"},
	{"A11 show says why it waits", "mission show",
	 "{\"id\":\"mis-1\",\"agent\":\"builder\",\"door\":\"hand\",\"state\":\"waiting\",\"phase\":\"waiting\",\"reason\":\"attempt 1 of 3 failed\","
	 "\"ready_at\":\"2026-11-15T19:00:30Z\",\"wait_until\":\"2026-11-15T20:00:00Z\",\"prompt\":\"x\",\"attempts\":1,\"max_attempts\":3,\"runs\":[]}",
	 "mis-1  builder, by hand\n"
	 "  state      waiting: attempt 1 of 3 failed\n"
	 "  not before Nov 15, 2026 8:00:30 PM CET, in 30s\n"
	 "  gives up   Nov 15, 2026 9:00 PM CET, in 1h\n"
	 "  time limit none\n"
	 "  attempts   1 of 3\n"
	 "\n"
	 "prompt:\n"
	 "  x\n"},
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
	{"H26 H22 one that waits for idleness", "reminder list",
	 "{\"id\":\"r-1\",\"name\":\"next\",\"agent\":\"bob\",\"label\":\"idle 5m\",\"next_fire\":null,\"next_when\":\"when idle\",\"status\":\"active\",\"fire_count\":1}",
	 "ID   NAME  AGENT  SCHEDULE  NEXT FIRE  STATUS  FIRES\n"
	 "r-1  next  bob    idle 5m   when idle  active      1\n", false},
	{"queue list", "queue list",
	 "{\"id\":\"m-1\",\"agent\":\"me\",\"priority\":\"idle\",\"state\":\"queued\",\"body\":\"a\\nb\",\"queued_at\":\"2026-11-15T19:00:00+01:00\",\"attempts\":0}",
	 "ID   AGENT  PRIORITY  STATE   QUEUED   TRIES  TEXT\n"
	 "m-1  me     idle      queued  7:00 PM      0  a b\n", false},
	{"A26 N19 mission ls of a running one, with its time as in cron ls", "mission ls", "{" MISSION ",\"state\":\"running\"}",
	 "ID     AGENT    FROM     STATE       STARTED  TOOK   COST  PROMPT\n"
	 "mis-1  builder  nightly  running 4m  19:56       -  $1.50  Check all\n", false},
	{"A26 mission ls of one that ended yesterday", "mission ls",
	 "{\"id\":\"mis-1\",\"agent\":\"builder\",\"door\":\"hand\",\"state\":\"timeout\",\"prompt\":\" \\n x\","
	 "\"run_started_at\":\"2026-11-14T08:00:07Z\",\"ended_at\":\"2026-11-14T09:00:08Z\",\"cost_usd\":null}",
	 "ID     AGENT    FROM     STATE    STARTED           TOOK  COST  PROMPT\n"
	 "mis-1  builder  by hand  timeout  2026-11-14 09:00    1h     -  x\n", false},
	{"N6 mission ls marks what was denied", "mission ls",
	 "{\"id\":\"mis-1\",\"agent\":\"builder\",\"door\":\"hand\",\"state\":\"success\",\"prompt\":\"x\",\"denied\":3}",
	 "ID     AGENT    FROM     STATE              STARTED  TOOK  COST  PROMPT\n"
	 "mis-1  builder  by hand  success, 3 denied  -           -     -  x\n", false},
	{"N18 mission ls of one that waits for an answer", "mission ls",
	 "{\"id\":\"mis-1\",\"agent\":\"builder\",\"door\":\"hand\",\"state\":\"success\",\"prompt\":\"x\",\"asks\":1}",
	 "ID     AGENT    FROM     STATE  STARTED  TOOK  COST  PROMPT\n"
	 "mis-1  builder  by hand  asks   -           -     -  x\n", false},
	{"N17 mission ls of one whose time is up", "mission ls",
	 "{\"id\":\"mis-1\",\"agent\":\"builder\",\"door\":\"hand\",\"state\":\"running\",\"prompt\":\"x\",\"limit_at\":\"2026-11-14T08:00:07Z\"}",
	 "ID     AGENT    FROM     STATE            STARTED  TOOK  COST  PROMPT\n"
	 "mis-1  builder  by hand  ending: timeout  -           -     -  x\n", false},
	{"A11 mission ls of one in line", "mission ls",
	 "{\"id\":\"mis-1\",\"agent\":\"builder\",\"door\":\"heartbeat\",\"origin\":\"builder\",\"state\":\"behind\",\"prompt\":\"\"}",
	 "ID     AGENT    FROM       STATE   STARTED  TOOK  COST  PROMPT\n"
	 "mis-1  builder  heartbeat  behind  -           -     -\n", false},
	{"reminder list marks crons", "reminder list",
	 "{\"id\":\"r-1\",\"name\":\"nightly\",\"agent\":\"builder\",\"label\":\"cron 0 9 * * *\",\"tz\":\"UTC\",\"status\":\"active\",\"fire_count\":0,\"action\":\"run\",\"door\":\"cron\"}",
	 "ID   NAME            AGENT    SCHEDULE        NEXT FIRE  STATUS  FIRES\n"
	 "r-1  [cron] nightly  builder  cron 0 9 * * *  -          active      0\n", false},
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
