/* test-daemon.c: the daemon with requests, turns and children; test-missions.c has wrappers. */
#include "daemon-fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "daemon/address.h"
#include "daemon/local.h"

/* --- lines -------------------------------------------------------------------------------- */

/* clang-format off */
static const struct line_case {
	const char *name, *line, *code, *message;
} line_cases[] = {
	{"line: a request",         "{\"request\":\"echo\",\"args\":{\"a\":1}}", "", ""},
	{"line: without arguments", "{\"request\":\"echo\"}", "", ""},
	{"line: null arguments",    "{\"request\":\"echo\",\"args\":null,\"zone\":null}", "", ""},
	{"line: pure",              "{\"request\":\"pure\"}", "", ""},
	{"line: not JSON",          "hello", "invalid", "bad JSON at line 1"},
	{"line: empty",             "", "invalid", "bad JSON at line 1"},
	{"line: not an object",     "[1]", "invalid", "a request must be a JSON object"},
	{"line: no request",        "{\"args\":{}}", "invalid", "'request' is missing"},
	{"line: request no text",   "{\"request\":7}", "invalid", "'request' must be a string"},
	{"line: args no object",    "{\"request\":\"echo\",\"args\":[]}", "invalid", "'args' must be an object"},
	{"line: zone no text",      "{\"request\":\"echo\",\"zone\":1}", "invalid", "'zone' must be a string"},
	{"line: unknown",           "{\"request\":\"ehco\"}", "not_found", "there is no request 'ehco'"},
	{"line: local",             "{\"request\":\"doctor\"}", "invalid", "'doctor' is not a request to the daemon"},
	{"line: bad UTF-8",         "{\"request\":\"\xff\xfe\"}", "invalid", "bad JSON at line 1"},
	{"line: cut UTF-8",         "{\"request\":\"äääääääääääääääääääääääääääääääääääääääääääääää\"}", "not_found", "there is no request"},
	{"line: control bytes",     "\001\002\377\376", "invalid", "bad JSON at line 1"},
	{"line: deep",              "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "invalid", "bad JSON at line 1"},
};
/* clang-format on */

static void test_line(void **state)
{
	const struct line_case *c = *state;
	AUTO_CLOSE int fd = dial();
	AUTO(json_decref) json_t *reply = NULL;

	say(fd, c->line);
	say(fd, "\n");
	reply = hear_json(fd);
	assert_string_equal(code_of(reply), c->code);
	if (strncmp(message_of(reply), c->message, strlen(c->message)) != 0)
		fail_msg("'%s' is not '%s'", message_of(reply), c->message);
	/* Whatever it was, the connection goes on. */
	say(fd, "{\"request\":\"echo\"}\n");
	assert_true(is_ok(hear_json(fd)));
}

static void test_nearest(void **state)
{
	AUTO(json_decref) json_t *reply = ask("{\"request\":\"ehco\"}");

	(void)state;
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(reply, "error"), "hint")),
		"did you mean 'echo'?");
}

static void test_caller(void **state)
{
	AUTO(json_decref)
	json_t *reply =
		ask("{\"request\":\"echo\",\"zone\":\"Asia/Tokyo\",\"args\":{\"k\":\"v\"}}");
	json_t *result = json_object_get(reply, "result");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(result, "zone")), "Asia/Tokyo");
	assert_string_equal(json_string_value(json_object_get(result, "k")), "v");
	assert_non_null(json_string_value(json_object_get(result, "user")));
	assert_true(json_is_true(json_object_get(result, "scheduler_running")));
}

static void test_pipelining(void **state)
{
	AUTO_CLOSE int fd = dial();
	AUTO_BUF struct buf lines = {0};

	(void)state;
	/* More than one turn takes from a connection; every tenth line is no request. */
	for (int i = 0; i < 500; i++)
		if (i % 10 == 9)
			buf_add_str(&lines, "nonsense\n");
		else
			buf_printf(&lines, "{\"request\":\"echo\",\"args\":{\"n\":%d}}\n", i);
	say(fd, buf_text(&lines));
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < 500; i++) {
		AUTO(json_decref) json_t *reply = hear_json(fd);
		json_t *n = json_object_get(json_object_get(reply, "result"), "n");

		if (i % 10 == 9)
			assert_string_equal(code_of(reply), "invalid");
		else
			assert_int_equal(json_integer_value(n), i);
	}
	assert_null(hear(fd));
}

static void test_partial_line(void **state)
{
	static const char line[] = "{\"request\":\"echo\",\"args\":{\"n\":5}}\n";
	AUTO_CLOSE int fd = dial();
	char piece[2] = "";

	(void)state;
	for (size_t i = 0; line[i]; i++) {
		piece[0] = line[i];
		say(fd, piece);
		if (i % 8 == 0)
			nap(1);
	}
	assert_true(is_ok(hear_json(fd)));
}

static void test_large_line(void **state)
{
	size_t len = 7 * 1024 * 1024;
	AUTO(free) char *text = mem_alloc(len + 1);
	AUTO(json_decref) json_t *reply = NULL;

	(void)state;
	memset(text, 'a', len);
	text[len] = '\0';
	reply = ask("{\"request\":\"echo\",\"args\":{\"t\":\"%s\"}}", text);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(reply, "result"), "t")), text);
}

static void test_oversized_line(void **state)
{
	AUTO_CLOSE int fd = dial();
	AUTO(free) char *text = mem_alloc(9 << 20);
	AUTO(json_decref) json_t *reply = NULL;

	(void)state;
	memset(text, 'a', 9 << 20);
	/* It may stop listening in the middle. */
	for (ssize_t sent = 0, n = 1; sent < 9 << 20 && n > 0; sent += n)
		n = send(fd, text, (9 << 20) - (size_t)sent, MSG_NOSIGNAL);
	reply = hear_json(fd);
	assert_string_equal(code_of(reply), "invalid");
	assert_null(hear(fd));
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
}

static void test_vanishing(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++) {
		int fd = dial();

		say(fd,
		    "{\"request\":\"save\"}\n{\"request\":\"big\",\"args\":{\"bytes\":300000}}\n");
		if (i % 2)
			say(fd, "{\"request\":\"sa");
		close(fd);
	}
	wait_state("saved", 60);
}

static void test_unread_replies(void **state)
{
	AUTO_CLOSE int fd = dial();

	(void)state;
	for (int i = 0; i < 40; i++)
		say(fd, "{\"request\":\"big\",\"args\":{\"bytes\":4000000}}\n");
	for (int i = 0; i < 6000 && !log_has("does not read its replies"); i++)
		nap(10);
	assert_true(log_has("does not read its replies"));
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
}

static void test_too_many(void **state)
{
	int fds[257];
	AUTO(json_decref) json_t *reply = NULL;

	(void)state;
	for (int i = 0; i < 257; i++)
		fds[i] = dial();
	reply = hear_json(fds[256]);
	assert_string_equal(code_of(reply), "unavailable");
	say(fds[0], "{\"request\":\"echo\"}\n");
	assert_true(is_ok(hear_json(fds[0])));
	for (int i = 0; i < 257; i++)
		close(fds[i]);
	/* It sees them go in its own time. */
	for (int i = 0; i < 6000 && !is_ok(ask("{\"request\":\"echo\"}")); i++)
		nap(10);
	for (int i = 0; i < 100; i++)
		assert_true(is_ok(ask("{\"request\":\"echo\"}")));
}

static void test_private_socket(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(fx.home->socket, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* --- the turn ----------------------------------------------------------------------------- */

static void test_shared_commit(void **state)
{
	int fds[50];
	int64_t syncs;

	(void)state;
	for (int i = 0; i < 50; i++)
		fds[i] = dial();
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
	/* All of it is readable when the daemon goes on: one poll, one turn, one commit. */
	kill(fx.pid, SIGSTOP);
	for (int i = 0; i < 200; i++)
		say(fds[i % 50], "{\"request\":\"save\"}\n");
	kill(fx.pid, SIGCONT);
	for (int i = 0; i < 200; i++)
		assert_true(is_ok(hear_json(fds[i % 50])));
	for (int i = 0; i < 50; i++)
		close(fds[i]);
	assert_int_equal(state_int("saved"), 200);
	syncs = state_int("syncs");
	if (syncs > 3)
		fail_msg("200 requests took %lld commits", (long long)syncs);
}

static void test_reads_do_not_write(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		assert_true(is_ok(ask("{\"request\":\"echo\"}")));
	assert_int_equal(state_int("syncs"), 0);
}

static void test_failing_request_is_alone(void **state)
{
	AUTO_CLOSE int fd = dial();

	(void)state;
	say(fd,
	    "{\"request\":\"save\"}\n{\"request\":\"save-and-fail\"}\n{\"request\":\"save\"}\n");
	assert_true(is_ok(hear_json(fd)));
	assert_false(is_ok(hear_json(fd)));
	assert_true(is_ok(hear_json(fd)));
	assert_int_equal(state_int("saved"), 2);
	assert_int_equal(state_int("rollbacks"), 0);
}

/* A read that breaks the transaction, or a request that cannot be undone, costs only itself. */
static void blame_case(const char *step, const char *request)
{
	AUTO_CLOSE int fd = dial();

	break_step(step, 1, "system");
	kill(fx.pid, SIGSTOP);
	say(fd, "{\"request\":\"save\"}\n");
	say(fd, request);
	say(fd, "{\"request\":\"save\"}\n");
	kill(fx.pid, SIGCONT);
	assert_true(is_ok(hear_json(fd)));
	assert_false(is_ok(hear_json(fd)));
	assert_true(is_ok(hear_json(fd)));
	assert_int_equal(state_int("saved"), 2);
	assert_int_equal(state_int("rollbacks"), 1);
}

static void test_blamed_read(void **state)
{
	(void)state;
	blame_case("read", "{\"request\":\"read\"}\n");
}

static void test_blamed_write(void **state)
{
	(void)state;
	blame_case("rollback_to", "{\"request\":\"save-and-fail\"}\n");
}

static void test_late_failure(void **state)
{
	(void)state;
	break_step("release", 1, "conflict");
	assert_false(is_ok(ask("{\"request\":\"save\"}")));
	assert_true(is_ok(ask("{\"request\":\"save\"}")));
	assert_int_equal(state_int("saved"), 1);
}

static void test_cut_connection(void **state)
{
	(void)state;
	/* Nobody notices: reopened at once, the request goes again. */
	break_step("begin", 1, "unavailable");
	assert_true(is_ok(ask("{\"request\":\"save\"}")));
	assert_int_equal(state_int("saved"), 1);
	assert_int_equal(state_int("opens"), 2);
	assert_int_equal(state_int("recovers"), 1);
}

static void test_failed_commit(void **state)
{
	AUTO(json_decref) json_t *reply = NULL;

	(void)state;
	break_step("commit", 1, "unavailable");
	reply = ask("{\"request\":\"save\"}");
	assert_string_equal(code_of(reply), "unavailable");
	/* Nobody knows whether it was done; whoever asks again finds out. */
	assert_true(json_is_true(json_object_get(reply, "again")));
	/* What it wished for may be durable: recovered, as no child runs. */
	wait_state("recovers", 2);
	assert_int_equal(state_int("saved"), 0);
	assert_true(is_ok(ask("{\"request\":\"save\"}")));
}

static void test_commit_fails_while_a_child_runs(void **state)
{
	AUTO(json_decref) json_t *end = NULL;
	struct error err = {0};
	AUTO(free)
	char *job = mem_printf("\"argv\":[\"sh\",\"-c\",\"until test -e go; do sleep 0.05; "
			       "done\"],\"directory\":\"%s\"",
			       fx.folder);

	(void)state;
	start_job(1, job);
	break_step("commit", 1, "unavailable");
	assert_false(is_ok(ask("{\"request\":\"save\"}")));
	assert_int_equal(state_int("recovers"), 1);
	assert_int_equal(file_write("go", "", 0, &err), 0);
	end = wait_end(1);
	assert_int_equal(end_int(end, "exit_status"), 0);
	wait_state("recovers", 2);
}

static void test_store_away(void **state)
{
	AUTO_CLOSE int fd = dial();
	AUTO(json_decref) json_t *reply = NULL;
	usec_t start = clock_monotonic();
	int64_t saved = 1;

	(void)state;
	/* Cut, and not to be had again: by the failing turn, at once, and after 1 s. */
	say(fd, "{\"request\":\"break\",\"args\":{\"step\":\"open\",\"count\":3,"
		"\"code\":\"unavailable\"}}\n");
	assert_true(is_ok(hear_json(fd)));
	break_step("begin", 1, "unavailable");
	reply = ask("{\"request\":\"save\"}");
	assert_string_equal(code_of(reply), "unavailable");
	/* While it rests, the answer comes at once, and is the reason. */
	for (int i = 0; i < 20; i++) {
		AUTO(json_decref) json_t *again = ask("{\"request\":\"save\"}");

		/* Unless the questions took longer than its rests. */
		if (clock_monotonic() - start > 3 * USEC_PER_SEC && !*code_of(again)) {
			saved++;
			break;
		}
		assert_string_equal(code_of(again), "unavailable");
		assert_string_equal(message_of(again), "the open broke");
	}
	for (int i = 0; i < 6000 && !log_has("the store is open again"); i++)
		nap(10);
	assert_true(is_ok(ask("{\"request\":\"save\"}")));
	assert_int_equal(state_int("saved"), saved);
	assert_int_equal(state_int("opens"), 2);
	assert_int_equal(log_count("the open broke"), 1);
	assert_true(clock_monotonic() - start > 2 * USEC_PER_SEC);
}

static void test_ruined(void **state)
{
	AUTO(json_decref) json_t *reply = NULL;
	int status;

	(void)state;
	break_step("begin", 5, "system");
	reply = ask("{\"request\":\"save\"}");
	assert_string_equal(code_of(reply), "system");
	status = wait_daemon();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), error_exit_status(ERR_SYSTEM));
	assert_int_equal(access(fx.home->socket, F_OK), -1);
}

static void test_engine_in_trouble(void **state)
{
	(void)state;
	/* The engine fails again and again: requests are served all the same, and it does not spin.
	 */
	break_step("fire", 1000, "system");
	assert_true(is_ok(ask("{\"request\":\"save\"}")));
	assert_true(is_ok(ask("{\"request\":\"due\",\"args\":{\"count\":1}}")));
	assert_int_equal(state_int("fired"), 0);
	nap(300);
	if (state_int("begins") > 30)
		fail_msg("%lld turns in 0.3 s", (long long)state_int("begins"));
	break_step("fire", 0, "system");
	wait_state("fired", 1);
	assert_int_equal(log_count("the fire broke"), 1);
	assert_true(log_has("the store works again"));
}

/* A disk without room: reading works, and a turn that has nothing to write commits. */
static void test_full_disk(void **state)
{
	static const char mend[] = "{\"request\":\"break\",\"args\":{\"step\":\"sync\","
				   "\"count\":0,\"code\":\"unavailable\"}}";

	(void)state;
	break_step("sync", 1000, "unavailable");
	(void)is_ok(ask("{\"request\":\"due\",\"args\":{\"count\":1}}"));
	(void)is_ok(ask("{\"request\":\"echo\"}"));
	nap(400);
	assert_int_equal(log_count("the sync broke"), 1);
	assert_int_equal(log_count("the store works again"), 0);
	(void)is_ok(ask("%s", mend));
	wait_state("fired", 1);
	if (state_int("begins") > 40)
		fail_msg("%lld turns in 0.4 s", (long long)state_int("begins"));
	assert_int_equal(log_count("the sync broke"), 1);
	assert_int_equal(log_count("the store works again"), 1);
}

/* The engine rests for seconds; a request that is served shows that it need not. */
static void test_request_ends_the_rest(void **state)
{
	usec_t start;

	(void)state;
	break_step("fire", 4, "unavailable");
	assert_true(is_ok(ask("{\"request\":\"due\",\"args\":{\"count\":1}}")));
	/* Two have failed by now and a pause of 1 s has begun: two more requests, two more tries. */
	start = clock_monotonic();
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
	wait_state("fired", 1);
	if (clock_monotonic() - start > 900 * USEC_PER_MSEC)
		fail_msg("it rested all the same");
	assert_int_equal(log_count("the store works again"), 1);
}

static void test_end_is_kept(void **state)
{
	AUTO(json_decref) json_t *end = NULL;
	AUTO(json_decref) json_t *now = NULL;

	(void)state;
	break_step("ended", 3, "system");
	start_job(7, "\"argv\":[\"true\"]");
	end = wait_end(7);
	assert_int_equal(end_int(end, "exit_status"), 0);
	nap(100);
	now = state_now();
	assert_int_equal(json_array_size(json_object_get(now, "ends")), 1);
}

static void test_job_of_a_lost_turn(void **state)
{
	AUTO(json_decref) json_t *now = NULL;

	(void)state;
	/* The turn with the wish rolls back and goes again: one job, not two. */
	break_step("dispatch", 1, "system");
	start_job(9, "\"argv\":[\"true\"]");
	json_decref(wait_end(9));
	nap(100);
	now = state_now();
	assert_int_equal(json_array_size(json_object_get(now, "ends")), 1);
}

static void test_wake(void **state)
{
	usec_t start = clock_monotonic();
	int64_t lateness, fired;

	(void)state;
	assert_true(is_ok(ask("{\"request\":\"wake\",\"args\":{\"in_ms\":300}}")));
	nap(150);
	fired = state_int("fired");
	if (clock_monotonic() - start < 300 * USEC_PER_MSEC)
		assert_int_equal(fired, 0);
	wait_state("fired", 1);
	lateness = state_int("lateness");
	assert_true(lateness >= 0);
}

static void test_wake_in_the_past(void **state)
{
	(void)state;
	assert_true(is_ok(ask("{\"request\":\"wake\",\"args\":{\"in_ms\":-5000}}")));
	wait_state("fired", 1);
}

static void test_many_batches(void **state)
{
	(void)state;
	assert_true(is_ok(ask("{\"request\":\"due\",\"args\":{\"count\":50}}")));
	wait_state("fired", 50);
}

static void test_idle(void **state)
{
	int64_t before, after;

	(void)state;
	nap(50);
	wait_asleep();
	before = state_int("begins");
	nap(700);
	after = state_int("begins");
	assert_int_equal(after, before + 1);
}

/* --- imports ------------------------------------------------------------------------------ */

static void test_import_left(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, "{\"request\":\"import begin\"}\n");
	assert_true(is_ok(hear_json(fd)));
	assert_int_equal(state_int("aborted"), 0);
	close(fd);
	wait_state("aborted", 1);
}

static void test_import_left_unheard(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, "{\"request\":\"import begin\"}\n");
	close(fd);
	wait_state("aborted", 1);
}

static void test_import_kept(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, "{\"request\":\"import begin\"}\n"
		"{\"request\":\"import commit\",\"args\":{\"batch\":1}}\n");
	assert_true(is_ok(hear_json(fd)));
	assert_true(is_ok(hear_json(fd)));
	close(fd);
	nap(100);
	assert_int_equal(state_int("aborted"), 0);
}

/* --- children ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct job_case {
	const char *name, *job;
	int exit_status, signal;
	bool timed_out;
	const char *start_error, *tail;
} job_cases[] = {
	{"H8 job: true",        "\"argv\":[\"true\"]", 0, 0, false, "(none)", ""},
	{"H8 job: false",       "\"argv\":[\"sh\",\"-c\",\"exit 7\"]", 7, 0, false, "(none)", ""},
	{"H8 job: stderr",      "\"argv\":[\"sh\",\"-c\",\"echo out; echo oops >&2; exit 3\"]", 3, 0, false, "(none)", "oops"},
	{"H8 job: /dev/stderr", "\"argv\":[\"sh\",\"-c\",\"echo oops > /dev/stderr\"]", 0, 0, false, "(none)", "oops"},
	{"H8 job: unclean stderr", "\"argv\":[\"sh\",\"-c\",\"printf '\\\\033[2J\\\\377x\\\\ny' >&2\"]", 0, 0, false, "(none)", "?[2J?x\ny"},
	{"H8 job: signal",      "\"argv\":[\"sh\",\"-c\",\"kill -9 $$\"]", 0, 9, false, "(none)", ""},
	{"H8 job: no command",  "\"argv\":[\"no-such-command\"]", 0, 0, false, "cannot start 'no-such-command': No such file or directory", ""},
	{"H8 job: no folder",   "\"argv\":[\"true\"],\"directory\":\"/no/such\"", 0, 0, false, "cannot enter folder '/no/such': No such file or directory", ""},
	{"H8 job: no program",  "\"argv\":[\"/etc/passwd\"]", 0, 0, false, "cannot start '/etc/passwd': Permission denied", ""},
	{"H8 job: folder",      "\"argv\":[\"sh\",\"-c\",\"pwd >&2\"],\"directory\":\"/usr\"", 0, 0, false, "(none)", "/usr"},
	{"H8 job: home folder", "\"argv\":[\"sh\",\"-c\",\"test \\\"$(pwd -P)\\\" = \\\"$(cd; pwd -P)\\\"\"]", 0, 0, false, "(none)", ""},
	{"H8 job: environment", "\"argv\":[\"sh\",\"-c\",\"echo $A,$PATH >&2\"],\"environment\":[\"A=1\",\"PATH=/bin:/usr/bin\"]", 0, 0, false, "(none)", "1,/bin:/usr/bin"},
	{"H8 job: no input",    "\"argv\":[\"sh\",\"-c\",\"wc -c >&2\"]", 0, 0, false, "(none)", "0"},
	{"H8 job: input",       "\"argv\":[\"sh\",\"-c\",\"cat >&2\"],\"input\":\"hello\"", 0, 0, false, "(none)", "hello"},
	{"H8 job: own session", "\"argv\":[\"sh\",\"-c\",\"test $(ps -o sid= -p $$) = $$\"]", 0, 0, false, "(none)", ""},
	{"H8 job: dispositions","\"argv\":[\"sh\",\"-c\",\"x=$(sed -n 's/SigIgn:.//p' /proc/self/status); echo $((0x$x & 0x7fffffff)) >&2\"]", 0, 0, false, "(none)", "0"},
	{"H8 job: check limit", "\"argv\":[\"sh\",\"-c\",\"trap : TERM; while :; do sleep 1; done\"],\"limit_ms\":200", 0, 9, true, "(none)", ""},
	{"H8 job: polite end",  "\"kind\":\"deliver\",\"argv\":[\"sh\",\"-c\",\"trap 'echo bye >&2; exit 5' TERM; sleep 60 & wait\"],\"limit_ms\":200", 5, 0, true, "(none)", "bye"},
	{"H8 job: stubborn",    "\"kind\":\"deliver\",\"argv\":[\"sh\",\"-c\",\"trap '' TERM; while :; do sleep 0.1; done\"],\"limit_ms\":200", 0, 9, true, "(none)", ""},
	{"H8 job: background holds stderr", "\"argv\":[\"sh\",\"-c\",\"sleep 60 & echo first >&2\"]", 0, 0, false, "(none)", "first"},
	{"H8 job: chatty",      "\"argv\":[\"sh\",\"-c\",\"yes 0123456789 | head -c 3000000 >&2; echo end >&2\"]", 0, 0, false, "(none)", NULL},
};
/* clang-format on */

static void test_job(void **state)
{
	const struct job_case *c = *state;
	AUTO(json_decref) json_t *end = NULL;

	start_job(1, c->job);
	end = wait_end(1);
	if (c->timed_out && end_int(end, "signal") == SIGTERM) {
		/* Its time was up before it had set its trap. */
		AUTO(free) char *job = mem_printf("%s0", c->job);

		json_decref(end);
		start_job(2, job);
		end = wait_end(2);
	}
	assert_string_equal(end_text(end, "start_error"), c->start_error);
	assert_int_equal(end_int(end, "signal"), c->signal);
	assert_int_equal(end_int(end, "exit_status"), c->exit_status);
	assert_int_equal(json_is_true(json_object_get(end, "timed_out")), c->timed_out);
	if (c->tail) {
		assert_string_equal(end_text(end, "tail"), c->tail);
		return;
	}
	assert_in_range(strlen(end_text(end, "tail")), 2000, 2048);
	assert_string_equal(end_text(end, "tail") + strlen(end_text(end, "tail")) - 3, "end");
}

static void test_group_is_killed(void **state)
{
	(void)state;
	start_job(1, "\"argv\":[\"sh\",\"-c\",\"sleep 98.7651 & sleep 98.7651 & exit 0\"]");
	json_decref(wait_end(1));
	for (int i = 0; i < 6000 && runs("98.7651"); i++)
		nap(10);
	assert_false(runs("98.7651"));
}

static void test_large_input(void **state)
{
	size_t len = 5 * 1024 * 1024;
	AUTO(free) char *text = mem_alloc(len + 1);
	AUTO(free) char *job = NULL;
	AUTO(json_decref) json_t *read_all = NULL;
	AUTO(json_decref) json_t *read_none = NULL;

	(void)state;
	memset(text, 'z', len);
	text[len] = '\0';
	job = mem_printf("\"argv\":[\"sh\",\"-c\",\"wc -c >&2\"],\"input\":\"%s\"", text);
	start_job(1, job);
	read_all = wait_end(1);
	assert_string_equal(end_text(read_all, "tail"), "5242880");
	free(job);
	job = mem_printf("\"argv\":[\"true\"],\"input\":\"%s\"", text);
	start_job(2, job);
	read_none = wait_end(2);
	assert_int_equal(end_int(read_none, "exit_status"), 0);
}

static void test_many_jobs(void **state)
{
	AUTO_CLOSE int fd = dial();

	(void)state;
	/* 80 of them, 32 at a time: each says how many run beside it. */
	for (int i = 1; i <= 80; i++) {
		AUTO_BUF struct buf line = {0};

		buf_printf(&line,
			   "{\"request\":\"job\",\"args\":{\"key\":%d,\"argv\":[\"sh\",\"-c\","
			   "\"touch run.$$; ls | grep -c ^run >&2; sleep 0.1; rm run.$$\"],"
			   "\"directory\":\"%s\"}}\n",
			   i, fx.folder);
		say(fd, buf_text(&line));
		assert_true(is_ok(hear_json(fd)));
	}
	for (int i = 1; i <= 80; i++) {
		AUTO(json_decref) json_t *end = wait_end(i);

		assert_int_equal(end_int(end, "exit_status"), 0);
		assert_in_range(atoi(end_text(end, "tail")), 1, 32);
	}
}

static void test_umask(void **state)
{
	AUTO(json_decref) json_t *end = NULL;

	(void)state;
	start_job(1, "\"argv\":[\"sh\",\"-c\",\"umask >&2\"]");
	end = wait_end(1);
	assert_string_equal(end_text(end, "tail"), "0022");
}

/* --- start and stop ----------------------------------------------------------------------- */

static void test_stop_signal(void **state)
{
	(void)state;
	stop_daemon(SIGTERM);
	assert_true(log_has("started: process"));
	assert_true(log_has("stopped"));
	assert_true(start_daemon());
	stop_daemon(SIGINT);
}

static void test_hangup(void **state)
{
	(void)state;
	kill(fx.pid, SIGHUP);
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
}

static void test_stop_request(void **state)
{
	AUTO(json_decref) json_t *reply = ask("{\"request\":\"daemon halt\"}");
	int status;

	(void)state;
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(reply, "result"), "pid")),
		fx.pid);
	status = wait_daemon();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_second_daemon(void **state)
{
	pid_t first = fx.pid;
	char want[128];
	int status;

	(void)state;
	assert_false(start_daemon());
	status = wait_daemon();
	fx.pid = first;
	assert_int_equal(WEXITSTATUS(status), error_exit_status(ERR_CONFLICT));
	snprintf(want, sizeof(want), "another daemon (pid %d) already serves '%s'", (int)first,
		 fx.folder);
	assert_true(log_has(want));
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
}

static void test_killed(void **state)
{
	(void)state;
	kill(fx.pid, SIGKILL);
	wait_daemon();
	/* The socket of the dead one is in the way, its lock is not. */
	assert_int_equal(access(fx.home->socket, F_OK), 0);
	assert_true(start_daemon());
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
}

/* Holds lock and socket like a daemon, and is killed while a child of it has not come to exec. */
static _Noreturn void die_while_spawning(void)
{
	struct error err = {0};
	pid_t owner = 0;
	int lock = -1, listener = -1;

	if (file_lock(fx.home->lock_file, &lock, &owner, &err) < 0 ||
	    address_bind(fx.home->socket, &listener, &err) < 0 || listen(listener, 5) < 0)
		_exit(1);
	if (fork() == 0) {
		nap(500);
		_exit(0);
	}
	raise(SIGKILL);
	_exit(1);
}

static void test_killed_while_spawning(void **state)
{
	pid_t dying = fork();
	siginfo_t end = {0};

	(void)state;
	if (dying == 0)
		die_while_spawning();
	/* Nobody has asked for its end when the next one starts. */
	assert_int_equal(waitid(P_PID, (id_t)dying, &end, WEXITED | WNOWAIT), 0);
	assert_int_equal(end.si_status, SIGKILL);
	assert_true(start_daemon());
	waitpid(dying, NULL, 0);
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
}

static void test_not_a_socket(void **state)
{
	struct error err = {0};

	(void)state;
	stop_daemon(SIGTERM);
	assert_int_equal(file_write(fx.home->socket, "precious", 8, &err), 0);
	assert_false(start_daemon());
	wait_daemon();
	assert_true(log_has("is in the way of the control socket"));
	assert_int_equal(access(fx.home->socket, F_OK), 0);
}

static void test_stop_waits(void **state)
{
	AUTO(free)
	char *job = mem_printf("\"kind\":\"deliver\",\"argv\":[\"sh\",\"-c\","
			       "\"sleep 0.5; touch done\"],\"directory\":\"%s\"",
			       fx.folder);

	(void)state;
	start_job(1, job);
	stop_daemon(SIGTERM);
	assert_int_equal(access("done", F_OK), 0);
}

/* Less than the grace of deliveries takes: of three, as late is the machine now and then. */
static void check_quick_stop(void (*stop)(void))
{
	usec_t start, took = 0;

	for (int i = 0; i < 3; i++) {
		start = clock_monotonic();
		stop();
		took = clock_monotonic() - start;
		if (took < 4 * USEC_PER_SEC)
			return;
		assert_true(start_daemon());
	}
	fail_msg("it took %lld µs to stop", (long long)took);
}

static void stop_amid_condition(void)
{
	start_job(1, "\"argv\":[\"sleep\",\"97.6541\"]");
	stop_daemon(SIGTERM);
	assert_false(runs("97.6541"));
}

static void test_stop_kills_conditions(void **state)
{
	(void)state;
	check_quick_stop(stop_amid_condition);
}

static void test_stop_does_not_wait_for_ever(void **state)
{
	(void)state;
	start_job(1, "\"kind\":\"deliver\",\"argv\":[\"sleep\",\"96.5431\"],\"limit_ms\":60000");
	stop_daemon(SIGTERM);
	assert_false(runs("96.5431"));
}

static void stop_with_two_signals(void)
{
	start_job(1, "\"kind\":\"deliver\",\"argv\":[\"sleep\",\"95.4321\"],\"limit_ms\":60000");
	kill(fx.pid, SIGTERM);
	for (int i = 0; i < 6000 && access(fx.home->socket, F_OK) == 0; i++)
		nap(10);
	stop_daemon(SIGTERM);
}

static void test_stop_twice(void **state)
{
	(void)state;
	check_quick_stop(stop_with_two_signals);
	for (int i = 0; i < 6000 && runs("95.4321"); i++)
		nap(10);
	assert_false(runs("95.4321"));
}

static void test_bad_config_refused(void **state)
{
	(void)state;
	write_config("timezone: Mars/Olympus\n");
	assert_false(start_daemon());
	wait_daemon();
	assert_true(log_has("config.yml:1:11"));
}

static const char *config_error_now(void)
{
	static char text[512];
	AUTO(json_decref) json_t *reply = ask("{\"request\":\"echo\"}");
	const char *error = json_string_value(
		json_object_get(json_object_get(reply, "result"), "config_error"));

	snprintf(text, sizeof(text), "%s", error ? error : "");
	return text;
}

static void test_config_reload(void **state)
{
	(void)state;
	assert_string_equal(config_error_now(), "");
	write_config("timezone: Europe/Berlin\n");
	assert_string_equal(config_error_now(), "");
	assert_true(log_has("read again"));
	write_config("tiemzone: Europe/Berlin\n");
	assert_non_null(strstr(config_error_now(), "unknown key 'tiemzone'"));
	assert_non_null(strstr(config_error_now(), "unknown key 'tiemzone'"));
	assert_int_equal(log_count("unknown key 'tiemzone'"), 1);
	/* N35: one that is absent may be so for a moment only: it is believed two seconds later. */
	unlink(fx.home->config_file);
	assert_non_null(strstr(config_error_now(), "unknown key 'tiemzone'"));
	for (int i = 0; i < 200 && *config_error_now(); i++)
		nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
	assert_string_equal(config_error_now(), "");
}

static void test_long_path(void **state)
{
	AUTO(free) char *deep = mem_printf("%s/%0120d", fx.folder, 7);
	struct error err = {0};

	(void)state;
	home_free(fx.home);
	setenv("BELFRY_HOME", deep, 1);
	assert_int_equal(home_find(&fx.home, &err), 0);
	assert_int_equal(home_prepare(fx.home, &err), 0);
	assert_int_equal(chdir(deep), 0);
	assert_true(strlen(fx.home->socket) > 107);
	assert_true(start_daemon());
	assert_true(is_ok(ask("{\"request\":\"echo\"}")));
	kill(fx.pid, SIGKILL);
	wait_daemon();
	assert_true(start_daemon());
	stop_daemon(SIGTERM);
}

/* --- without a daemon --------------------------------------------------------------------- */

static int local_run(const struct home *h, const struct request_row *row, const json_t *args,
		     const char *zone, json_t **ret, struct error *err)
{
	AUTO(local_close) struct local *l = NULL;
	int r = local_open(h, &l, err);

	const struct local_question q = {.row = row, .args = args, .zone = zone};

	return r < 0 ? r : local_ask(l, &q, ret, &(bool){false}, err);
}

static void test_local(void **state)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(
		local_run(fx.home, request_find("echo"), NULL, "Asia/Tokyo", &result, &err), 0);
	assert_true(json_is_false(json_object_get(result, "scheduler_running")));
	assert_string_equal(json_string_value(json_object_get(result, "zone")), "Asia/Tokyo");
	/* It left: a daemon may start. */
	assert_true(start_daemon());
}

static void test_local_error(void **state)
{
	json_t *result = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(
		local_run(fx.home, request_find("save-and-fail"), NULL, NULL, &result, &err),
		ERR_CONFLICT);
	assert_string_equal(err.message, "failed as it should");
	assert_null(result);
}

static void test_local_beside_a_daemon(void **state)
{
	json_t *result = NULL;
	struct error err = {0};
	char want[128];

	(void)state;
	assert_true(start_daemon());
	assert_int_equal(local_run(fx.home, request_find("echo"), NULL, NULL, &result, &err),
			 ERR_CONFLICT);
	snprintf(want, sizeof(want), "process %d is using '%s'", (int)fx.pid, fx.folder);
	assert_string_equal(err.message, want);
}

static void test_daemon_waits_for_local(void **state)
{
	struct local *l = NULL;
	struct error err = {0};
	pid_t holder;

	(void)state;
	assert_int_equal(local_open(fx.home, &l, &err), 0);
	holder = fork();
	if (holder == 0) {
		/* The lock is shared with this copy until both are gone. */
		nap(500);
		_exit(0);
	}
	local_close(l);
	assert_true(start_daemon());
	waitpid(holder, NULL, 0);
}

/* clang-format off */
static const struct CMUnitTest single_tests[] = {
	WITH("line: nearest request", test_nearest),
	WITH("line: caller", test_caller),
	WITH("line: pipelined, in order", test_pipelining),
	WITH("line: in pieces", test_partial_line),
	WITH("line: 7 MiB", test_large_line),
	WITH("line: oversized", test_oversized_line),
	WITH("client: vanishes", test_vanishing),
	WITH("client: never reads", test_unread_replies),
	WITH("client: one too many", test_too_many),
	WITH("socket: private", test_private_socket),
	WITH("turn: 200 requests share a commit", test_shared_commit),
	WITH("turn: reads do not write", test_reads_do_not_write),
	WITH("turn: a failing request is undone alone", test_failing_request_is_alone),
	WITH("turn: a read that breaks the transaction", test_blamed_read),
	WITH("turn: a request that cannot be undone", test_blamed_write),
	WITH("turn: a request that fails late", test_late_failure),
	WITH("turn: a cut connection goes unnoticed", test_cut_connection),
	WITH("K17 turn: a failed commit leaves open what it did", test_failed_commit),
	WITH("turn: a failed commit while a child runs", test_commit_fails_while_a_child_runs),
	WITH("turn: the store is away", test_store_away),
	WITH("turn: a ruined store ends it", test_ruined),
	WITH("turn: the engine in trouble", test_engine_in_trouble),
	WITH("K3 turn: a full disk neither spins nor fills the log", test_full_disk),
	WITH("K18 turn: a request that is served ends the rest", test_request_ends_the_rest),
	WITH("turn: an end is kept", test_end_is_kept),
	WITH("turn: a job of a lost turn", test_job_of_a_lost_turn),
	WITH("turn: wakes", test_wake),
	WITH("turn: wakes for the past", test_wake_in_the_past),
	WITH("turn: many batches", test_many_batches),
	WITH("turn: sleeps", test_idle),
	WITH("import: left open", test_import_left),
	WITH("import: left before the reply", test_import_left_unheard),
	WITH("import: committed", test_import_kept),
	WITH("job: its group is killed", test_group_is_killed),
	WITH("job: large input", test_large_input),
	WITH("job: 80, 32 at a time", test_many_jobs),
	WITH("job: the person's umask", test_umask),
	WITH("stop: signals", test_stop_signal),
	WITH("stop: not by a hangup", test_hangup),
	WITH("stop: request", test_stop_request),
	WITH("stop: waits for deliveries", test_stop_waits),
	WITH("stop: kills conditions", test_stop_kills_conditions),
	WITH("stop: not for ever", test_stop_does_not_wait_for_ever),
	WITH("stop: twice", test_stop_twice),
	WITH("start: second daemon", test_second_daemon),
	WITH("start: after kill -9", test_killed),
	WITHOUT("start: after kill -9 amid a spawn", test_killed_while_spawning),
	WITH("start: a file in the way", test_not_a_socket),
	WITHOUT("start: bad configuration", test_bad_config_refused),
	WITHOUT("start: long path", test_long_path),
	WITH("config: followed", test_config_reload),
	WITHOUT("H18 local: a request", test_local),
	WITHOUT("H18 local: an error", test_local_error),
	WITHOUT("H18 local: beside a daemon", test_local_beside_a_daemon),
	WITHOUT("H18 local: a daemon waits for it", test_daemon_waits_for_local),
};
/* clang-format on */

int main(int argc, char **argv)
{
	struct CMUnitTest tests[COUNT(single_tests) + COUNT(line_cases) + COUNT(job_cases)];
	size_t n = 0;

	if (argc > 3 && strcmp(argv[1], "wrapper") == 0)
		return run_wrapper(argv);
	umask(022);
	for (size_t i = 0; i < COUNT(line_cases); i++)
		tests[n++] = (struct CMUnitTest){line_cases[i].name, test_line, setup, teardown,
						 (void *)&line_cases[i]};
	for (size_t i = 0; i < COUNT(job_cases); i++)
		tests[n++] = (struct CMUnitTest){job_cases[i].name, test_job, setup, teardown,
						 (void *)&job_cases[i]};
	for (size_t i = 0; i < COUNT(single_tests); i++)
		tests[n++] = single_tests[i];
	return _cmocka_run_group_tests("daemon", tests, n, NULL, NULL);
}
