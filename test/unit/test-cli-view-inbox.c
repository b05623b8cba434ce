/* test-cli-view-inbox.c: threads and messages as people see them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "base/text.h"
#include "cli/view.h"

/* clang-format off */
#define THREAD(more) "{\"id\":\"mis-1\",\"title\":\"nightly\",\"agent\":\"builder\",\"messages\":3,\"preview\":\"All *is* well\"," \
	"\"last_at\":\"2026-11-15T18:00:00Z\"," more "}"
#define MISSION(state, resumable) "\"mission\":{\"id\":\"mis-1\",\"state\":\"" state "\",\"resumable\":" resumable "}"
#define MAIL(more) "{\"thread\":\"mis-1\",\"seq\":2,\"sender\":\"agent\",\"author\":\"builder\",\"at\":\"2026-11-15T18:00:00Z\"," \
	"\"whole\":true," more "}"

static const struct view_case {
	const char *name, *request, *json, *want;
	bool colour;
} cases[] = {
	{"A22: an empty inbox", "inbox list", "{\"threads\":[],\"more\":null}",
	 "nothing in the inbox; agents write into it: belfry message send\n"},
	{"A22: the list", "inbox list",
	 "{\"threads\":[" THREAD("\"unread\":2,\"asks\":1") "," THREAD("\"unread\":3") "," THREAD("\"asks\":1") "," THREAD("\"archived\":true") "],\"more\":null}",
	 "                  THREAD  ABOUT    LAST              PREVIEW\n"
	 "[asks, 2 unread]  mis-1   nightly  2026-11-15 19:00  \"All *is* well\"\n"
	 "[3 unread]        mis-1   nightly  2026-11-15 19:00  \"All *is* well\"\n"
	 "[asks]            mis-1   nightly  2026-11-15 19:00  \"All *is* well\"\n"
	 "[archived]        mis-1   nightly  2026-11-15 19:00  \"All *is* well\"\n"},
	{"I5 there is more, and how to get it", "inbox list", "{\"threads\":[" THREAD("\"unread\":0") "],\"more\":\"1-2\"}",
	 "  THREAD  ABOUT    LAST              PREVIEW\n"
	 "  mis-1   nightly  2026-11-15 19:00  \"All *is* well\"\n"
	 "the newest 1; there are more: a larger --limit, or --after 1-2\n"},
	{"I19 an archived thread is marked, whatever else it is", "inbox list",
	 "{\"threads\":[" THREAD("\"unread\":2,\"asks\":1,\"archived\":true") "],\"more\":null}",
	 "                            THREAD  ABOUT    LAST              PREVIEW\n"
	 "[asks, 2 unread, archived]  mis-1   nightly  2026-11-15 19:00  \"All *is* well\"\n"},
	{"I3 nothing here, but a question somewhere", "inbox list", "{\"threads\":[],\"asks\":1,\"more\":null}",
	 "nothing here; questions wait for an answer: belfry inbox list --asks\n"},
	{"A22: previews obey nobody", "inbox list",
	 "{\"threads\":[{\"id\":\"thr-1\",\"title\":\"a\\u001b[31mb\",\"preview\":\"x\\u202ey\\n\"}],\"more\":null}",
	 "  THREAD  ABOUT     LAST  PREVIEW\n"
	 "  thr-1   a^[[31mb  -     \"x<U+202E>y^J\"\n"},
	{"A22: found", "inbox search",
	 "{\"messages\":[" MAIL("\"snippet\":\"the Deploy failed\"") "],\"words\":[\"deploy\"],\"more\":null}",
	 "mis-1 #2  2026-11-15 19:00  builder  the Deploy failed\n"},
	{"A22: found, in bold", "inbox search",
	 "{\"messages\":[" MAIL("\"snippet\":\"the Deploy failed\"") "],\"words\":[\"deploy\",\"f\"],\"more\":\"7\"}",
	 "mis-1 #2  2026-11-15 19:00  builder  the \033[1mDeploy\033[0m \033[1mf\033[0mailed\n"
	 "\033[2mthe newest 1; there are more: a larger --limit, or --after 7\n\033[0m", true},
	{"A22: nothing found", "inbox search", "{\"messages\":[],\"words\":[\"x\"],\"more\":null}",
	 "nothing found; archived threads are looked at with --all\n"},
	{"A19: sent", "message send", "{\"thread\":" THREAD(MISSION("running", "true")) ",\"message\":" MAIL("\"ask\":null") "}",
	 "sent: message 2 in mis-1\n"},
	{"A21: asked", "message send", "{\"thread\":" THREAD(MISSION("running", "true")) ",\"message\":" MAIL("\"ask\":\"open\",\"attachments\":[{},{}]") "}",
	 "sent: message 2 in mis-1, with 2 files\nend your run: the answer resumes this conversation\n"},
	{"A21: asked outside of a mission", "message send", "{\"thread\":" THREAD("\"mission\":null") ",\"message\":" MAIL("\"ask\":\"open\"") "}",
	 "sent: message 2 in mis-1\nthe answer comes into your queue\n"},
	{"A25: answered, later", "inbox reply", "{\"thread\":" THREAD(MISSION("success", "true")) ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  the agent gets it with the next resume: belfry mission resume mis-1\n"},
	{"F16 answered to a live agent", "inbox reply", "{\"session\":\"idle\",\"thread\":" THREAD(MISSION("running", "true")) ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  it is typed into the session of builder\n"},
	{"A25: answered, now", "inbox reply", "{\"thread\":" THREAD("\"wanted\":true," MISSION("success", "true")) ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  the mission goes on now\n"},
	{"I25 answered without a daemon", "inbox reply", "{\"scheduler_running\":false,\"thread\":" THREAD("\"wanted\":true," MISSION("success", "true")) ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  the mission goes on with it once a daemon runs\n"},
	{"I12 answered, and others are open", "inbox reply", "{\"thread\":" THREAD("\"wanted\":true,\"asks\":2," MISSION("success", "true")) ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  the mission goes on now\n  still open in this thread: 2 questions\n"},
	{"A25: answered while it runs", "inbox reply", "{\"thread\":" THREAD("\"wanted\":true," MISSION("running", "false")) ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  the mission goes on with it as soon as its run has ended\n"},
	{"N59 A25: answered in vain", "inbox reply", "{\"thread\":" THREAD("\"wanted\":true," MISSION("error", "false")) ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "kept, not sent: message 2 in mis-1\n  the agent cannot be told: its mission has no conversation to go on with\n"},
	{"A25: answered to an agent", "inbox reply", "{\"thread\":" THREAD("\"mission\":null") ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  queued for builder\n"},
	{"N46 answered to an agent that was removed", "inbox reply", "{\"agent\":{\"state\":null,\"adapter\":\"claude\"},\"thread\":" THREAD("\"mission\":null") ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  queued for builder; builder has no session: it waits until 'belfry agent start builder', or for one of yours in its folder that has Belfry's hooks\n"},
	{"N41 answered to an agent without a daemon", "inbox reply", "{\"agent\":{\"state\":\"idle\"},\"scheduler_running\":false,\"thread\":" THREAD("\"mission\":null") ",\"message\":" MAIL("\"reply\":\"waiting\"") "}",
	 "sent: message 2 in mis-1\n  queued for builder, which is told once a daemon runs\n"},
	{"A23: read", "inbox read", "{\"thread\":" THREAD("\"unread\":0") "}", "mis-1  read\n"},
	{"A23: unread", "inbox unread", "{\"thread\":" THREAD("\"unread\":3") "}", "mis-1  3 unread\n"},
	{"A23: archived", "inbox archive", "{\"thread\":" THREAD("\"archived\":true,\"unread\":3") "}", "mis-1  archived\n"},
	{"A22: status tells of the inbox", "status", "{\"running\":false,\"store\":\"sqlite\",\"zone\":\"UTC\",\"zone_source\":\"TZ\",\"inbox\":{\"unread\":3,\"asks\":2}}",
	 "no daemon is running: nothing fires (belfry daemon start)\n"
	 "  store      sqlite\n"
	 "  zone       UTC (TZ)\n"
	 "  reminders  none\n"
	 "  next fire  none\n"
	 "  queued     none\n"
	 "  inbox      3 unread, 2 questions\n"},
};

static const struct mail_case {
	const char *name, *json, *want;
} mail_cases[] = {
	{"A23: of an agent", MAIL("\"title\":\"Re\\u001bport\",\"text\":\"# Done\\n\\n- \\u202ea\""),
	 "[2026-11-15 19:00] builder: Re^[port\n    # Done\n\n    - <U+202E>a\n"},
	{"A23: of the person, waiting", "{\"thread\":\"mis-1\",\"sender\":\"person\",\"author\":\"root\",\"text\":\"yes\",\"whole\":true,\"reply\":\"waiting\"}",
	 "[-] You:\n    yes\n  waiting: goes with the next resume\n"},
	{"A23: of the person, in a queue", "{\"thread\":\"thr-1\",\"sender\":\"person\",\"text\":\"yes\",\"whole\":true,\"reply\":\"waiting\"}",
	 "[-] You:\n    yes\n  waiting in the agent's queue\n"},
	{"A23: of the person, delivered", "{\"thread\":\"mis-1\",\"sender\":\"person\",\"text\":\"yes\",\"whole\":true,\"reply\":\"delivered\"}",
	 "[-] You:\n    yes\n  delivered\n"},
	{"A23: of Belfry", "{\"sender\":\"belfry\",\"author\":null,\"text\":\"paused\",\"whole\":true}", "[-] Belfry:\n    paused\n"},
	{"A21: a question", MAIL("\"text\":\"Deploy?\",\"ask\":\"open\",\"ask_until\":\"2026-11-15T21:00:00Z\",\"ask_default\":\"no\""),
	 "[2026-11-15 19:00] builder:\n  #2 asks, and waits for an answer until 10:00 PM; then the answer is: no\n    Deploy?\n"},
	{"A21: an answered one", MAIL("\"text\":\"Deploy?\",\"ask\":\"answered\""),
	 "[2026-11-15 19:00] builder:\n  asked, and was answered\n    Deploy?\n"},
	{"I12 an answered one says by which message", MAIL("\"text\":\"Deploy?\",\"ask\":\"answered\",\"answered_by\":5"),
	 "[2026-11-15 19:00] builder:\n  asked, and was answered (message 5)\n    Deploy?\n"},
	{"A21: one that nobody answered", MAIL("\"text\":\"Deploy?\",\"ask\":\"expired\",\"ask_default\":\"no\""),
	 "[2026-11-15 19:00] builder:\n  asked, and nobody answered in time; the default was: no\n    Deploy?\n"},
	{"A19: attachments", "{\"sender\":\"agent\",\"author\":\"b\",\"text\":\"x\",\"whole\":true,\"attachments\":[{\"name\":\"a\",\"size\":1,\"file\":\"/s/a\"},{\"name\":\"b\",\"size\":25000000,\"file\":\"/s/b\"}]}",
	 "[-] b:\n    x\n  attached: a (1 byte), /s/a\n  attached: b (25.0 MB), /s/b\n"},
	{"A19: only the beginning", "{\"thread\":\"mis-1\",\"seq\":4,\"sender\":\"agent\",\"author\":\"b\",\"text\":\"x\",\"whole\":false,\"size\":70000,\"file\":\"/s/4.md\"}",
	 "[-] b:\n    x\n  … the beginning of 70.0 kB; all of it: belfry inbox show mis-1 --message 4\n"},
};
/* clang-format on */

static struct view view_at(struct buf *out, const struct style *style)
{
	struct view v = {.style = style, .out = out};
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
		fail_msg("%s: %s", err.message, text);
	return value;
}

static void test_view(void **state)
{
	const struct view_case *c = *state;
	const struct style style = {c->colour, c->colour, 80};
	AUTO(json_decref) json_t *result = parse(c->json);
	AUTO_BUF struct buf out = {0};
	struct view v = view_at(&out, &style);

	view_of(c->request)(&v, result);
	assert_string_equal(buf_text(&out), c->want);
}

static void test_mail(void **state)
{
	const struct mail_case *c = *state;
	const struct style style = {false, false, 80};
	AUTO(json_decref) json_t *mail = parse(c->json);
	AUTO_BUF struct buf out = {0};
	struct view v = view_at(&out, &style);

	view_mail(&v, mail);
	assert_string_equal(buf_text(&out), c->want);
}

/* What does not fit is left out or cut: no line of a list is wider than its terminal. */
static void test_narrow(void **state)
{
	const struct style style = {.terminal = true, .width = 40};
	AUTO(json_decref)
	json_t *result = parse("{\"threads\":[" THREAD(
		"\"unread\":120,\"asks\":1,\"archived\":true") "],\"more\":null}");
	AUTO_BUF struct buf out = {0};
	struct view v = view_at(&out, &style);
	char *rest, *line;

	(void)state;
	view_of("inbox list")(&v, result);
	for (line = strtok_r(out.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (text_width(line) > 40)
			fail_msg("wider than the terminal: '%s'", line);
}

/* Results of a newer or broken daemon may lack anything: no printer may fall over. */
static void test_holes(void **state)
{
	static const char *const holes[] = {
		"{}", "null", "[]",
		"{\"threads\":[null,1,{}],\"messages\":[null,{}],\"words\":[7]}",
		"{\"thread\":7,\"message\":[],\"mission\":{}}"};
	const struct style style = {true, true, 20};

	(void)state;
	for (size_t i = 0; i < sizeof(holes) / sizeof(holes[0]); i++) {
		AUTO(json_decref) json_t *result = parse(holes[i]);
		AUTO_BUF struct buf out = {0};
		struct view v = view_at(&out, &style);

		for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++)
			view_of(cases[j].request)(&v, result);
		view_mail(&v, result);
		view_thread_head(&v, result);
		assert_true(out.len > 0);
	}
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(cases) + COUNT(mail_cases) + 2] = {
		cmocka_unit_test(test_holes),
	};
	size_t n = 1;

	tests[n++] =
		(struct CMUnitTest){"I29 a list fits forty columns", test_narrow, NULL, NULL, NULL};

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(cases); i++)
		tests[n++] = (struct CMUnitTest){cases[i].name, test_view, NULL, NULL,
						 (void *)(uintptr_t)&cases[i]};
	for (size_t i = 0; i < COUNT(mail_cases); i++)
		tests[n++] = (struct CMUnitTest){mail_cases[i].name, test_mail, NULL, NULL,
						 (void *)(uintptr_t)&mail_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
