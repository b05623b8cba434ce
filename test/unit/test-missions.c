/*
 * test-missions.c: the daemon and the wrappers of missions. Nursery and wrappers are the real ones:
 * the daemon starts them by executing its own program, which is this one (see main()). The engine
 * is that of fake/. Every process of a run inherits BELFRY_HOME, by which a test finds them all.
 */
#include "daemon-fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/wrapper.h"
#include "base/file.h"
#include "base/mem.h"
#include "engine/engine.h"

#define MANY 200

/* --- what there is ------------------------------------------------------------------------ */

/* Whether a process was started with our BELFRY_HOME: nursery, wrappers, agents. */
static bool is_of_home(const char *pid)
{
	AUTO(free) char *path = mem_printf("/proc/%s/environ", pid);
	AUTO(free) char *home = mem_printf("BELFRY_HOME=%s", fx.folder);
	AUTO_BUF struct buf text = {0};
	struct error err = {0};

	return file_read(path, 1 << 20, &text, &err) == 0 && text.len &&
	       memmem(text.data, text.len, home, strlen(home) + 1);
}

static pid_t parent_of(const char *pid)
{
	AUTO(free) char *path = mem_printf("/proc/%s/stat", pid);
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	int parent = 0;
	const char *p;

	if (file_read(path, 4096, &text, &err) == 0 && (p = strrchr(buf_text(&text), ')')))
		sscanf(p + 1, " %*c %d", &parent);
	return parent;
}

static bool is_process(const struct dirent *entry)
{
	return entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_of_home(entry->d_name);
}

/* How many there are; *ret_child is the last one whose parent is `parent`. */
static size_t count_processes(pid_t parent, pid_t *ret_child)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(dir))) {
		if (!is_process(entry))
			continue;
		count++;
		if (ret_child && parent_of(entry->d_name) == parent)
			*ret_child = (pid_t)atoi(entry->d_name);
	}
	closedir(dir);
	return count;
}

static bool nothing_left(void)
{
	return count_processes(0, NULL) == 0;
}

static bool was_started(void)
{
	return count_processes(0, NULL) >= 2;
}

static pid_t child_of(pid_t parent)
{
	pid_t child = 0;

	count_processes(parent, &child);
	assert_true(child > 0);
	return child;
}

static void kill_daemon(void)
{
	kill(fx.pid, SIGKILL);
	wait_daemon();
}

static void wait_until(bool (*is_so)(void), const char *what)
{
	usec_t until = clock_monotonic() + PATIENCE_MS * USEC_PER_MSEC;

	while (!is_so()) {
		if (clock_monotonic() > until)
			fail_msg("never so: %s", what);
		nap(10);
	}
}
#define WAIT_UNTIL(f) wait_until(f, #f)

/* A test that failed may have left some behind. */
static int teardown_all(void **state)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;

	if (fx.pid)
		kill_daemon();
	while ((entry = readdir(dir)))
		if (is_process(entry))
			kill((pid_t)atoi(entry->d_name), SIGKILL);
	closedir(dir);
	return teardown(state);
}

static bool file_exists(const char *name)
{
	return access(name, F_OK) == 0;
}

static bool has_marker(void)
{
	return file_exists("ran");
}

static int64_t marker_size(void)
{
	struct stat st;

	return stat("ran", &st) < 0 ? -1 : st.st_size;
}

static bool has_end(void)
{
	return file_exists("missions/mis-000001/runs/1/end.json");
}

static bool never_got_a_folder(void)
{
	return !file_exists("missions/mis-000001/runs/1/pid");
}

static size_t list_size(const char *list)
{
	AUTO(json_decref) json_t *now = state_now();

	return json_array_size(json_object_get(now, list));
}

/* --- what a test does --------------------------------------------------------------------- */

static char *order_of(int64_t key, const char *script)
{
	char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char *)script, NULL};
	AUTO(free) char *mission = mem_printf("mis-%06d", (int)key);
	struct adapter shell = {
		.name = (char[]){"command"}, .templates = {argv}, .output = OUTPUT_TEXT};
	const struct order o = {.mission = mission,
				.number = 1,
				.adapter = &shell,
				.prompt = (char[]){""},
				.directory = fx.folder,
				.grace = 30 * USEC_PER_SEC};

	return order_format(&o);
}

/* The line that asks for a start. */
static char *start_line(int64_t key, const char *script, bool again)
{
	AUTO(free) char *order = order_of(key, script);
	AUTO(json_decref)
	json_t *request = json_pack("{s:s, s:{s:I, s:s, s:b}}", "request", "start", "args", "key",
				    (json_int_t)key, "order", order, "again", again);

	return json_dumps(request, JSON_COMPACT);
}

static void start_run(int64_t key, const char *script)
{
	AUTO(free) char *line = start_line(key, script, false);

	assert_true(is_ok(ask("%s", line)));
}

static void adopt_run(const json_t *start, bool interactive)
{
	assert_true(is_ok(ask("{\"request\":\"adopt\",\"args\":{\"key\":%lld,\"pid\":%lld,"
			      "\"start\":%lld,\"boot\":\"%s\",\"interactive\":%s}}",
			      (long long)end_int(start, "key"), (long long)end_int(start, "pid"),
			      (long long)end_int(start, "start"), end_text(start, "boot"),
			      interactive ? "true" : "false")));
}

static void let_go(void)
{
	AUTO_CLOSE int fd = open("go", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
}

#define UNTIL_GO "until test -e go; do sleep 0.02; done; echo done"

/* A run that waits for the file "go", let through its gate; answers its start. */
static json_t *start_waiting(void)
{
	json_t *start;

	start_run(1, "touch ran; " UNTIL_GO);
	start = wait_item("starts", 1);
	WAIT_UNTIL(has_marker);
	return start;
}

static void check_end(const char *reason, const char *answer)
{
	AUTO(json_decref) json_t *end = wait_item("run_ends", 1);

	assert_string_equal(end_text(end, "reason"), reason);
	if (answer)
		assert_string_equal(end_text(end, "answer"), answer);
	assert_string_equal(end_text(end, "start_error"), "(none)");
	assert_true(json_is_false(json_object_get(end, "never_ran")));
}

/* --- start -------------------------------------------------------------------------------- */

static void test_run(void **state)
{
	AUTO(json_decref) json_t *start = NULL;

	(void)state;
	start_run(1, "echo hello");
	check_end("success", "hello");
	start = wait_item("starts", 1);
	assert_true(end_int(start, "pid") > 0);
	assert_int_equal(state_int("missions"), 0);
}

/* The daemon's own is 077; see main() for the one it was started with. */
static void test_umask(void **state)
{
	(void)state;
	start_run(1, "umask");
	check_end("success", "0022");
}

/* What the nursery is started with is not theirs. */
static void test_environment(void **state)
{
	(void)state;
	start_run(1, "echo ${LD_BIND_NOW-none} $BELFRY_RUN");
	check_end("success", "none mis-000001/1");
}

static void test_committed_first(void **state)
{
	(void)state;
	/* The process cannot be recorded: at once, and again until it can. */
	break_step("started", 1000, "system");
	start_run(1, "printf x >> ran");
	WAIT_UNTIL(was_started);
	for (int i = 0; i < 6000 && !log_has("the started broke"); i++)
		nap(10);
	assert_true(log_has("the started broke"));
	assert_true(never_got_a_folder());
	assert_false(has_marker());
	break_step("started", 0, "system");
	check_end("success", NULL);
	assert_int_equal(marker_size(), 1);
}

static void test_unwanted(void **state)
{
	(void)state;
	assert_true(is_ok(ask("{\"request\":\"unwanted\"}")));
	start_run(1, "touch ran");
	json_decref(wait_item("starts", 1));
	stop_daemon(SIGTERM);
	WAIT_UNTIL(nothing_left);
	assert_true(never_got_a_folder());
	assert_false(has_marker());
}

static void test_killed_at_the_gate(void **state)
{
	(void)state;
	break_step("started", 1000, "system");
	start_run(1, "touch ran");
	WAIT_UNTIL(was_started);
	kill_daemon();
	WAIT_UNTIL(nothing_left);
	assert_true(never_got_a_folder());
	assert_false(has_marker());
}

/* Told as a failed attempt, which has its back-off: started again at once, it would go on for ever. */
static void test_wrapper_dies_at_the_gate(void **state)
{
	AUTO(json_decref) json_t *end = NULL;

	(void)state;
	break_step("started", 1000, "system");
	start_run(1, "touch ran");
	WAIT_UNTIL(was_started);
	assert_int_equal(kill(child_of(child_of(fx.pid)), SIGKILL), 0);
	break_step("started", 0, "system");
	end = wait_item("run_ends", 1);
	assert_non_null(strstr(end_text(end, "start_error"), "ended before it began"));
	assert_false(has_marker());
}

static bool commit_broke(void)
{
	return log_has("the commit broke");
}

/* The commit that records the process fails: dropped, recovered, started once more, run once. */
static void test_failed_commit(void **state)
{
	AUTO(free) char *line = start_line(1, "printf x >> ran; echo hello", true);
	AUTO(json_decref) json_t *now = NULL;
	const json_t *starts;
	AUTO_CLOSE int fd = dial();

	(void)state;
	kill(fx.pid, SIGSTOP);
	say(fd, "{\"request\":\"break\",\"args\":{\"step\":\"commit\",\"count\":1,"
		"\"code\":\"unavailable\"}}\n");
	say(fd, line);
	say(fd, "\n");
	kill(fx.pid, SIGCONT);
	assert_true(is_ok(hear_json(fd)));
	assert_true(is_ok(hear_json(fd)));
	/* Nobody asks before it happened: it must not be the commit of that question. */
	WAIT_UNTIL(commit_broke);
	wait_state("recovers", 2);
	check_end("success", "hello");
	assert_int_equal(marker_size(), 1);
	assert_int_equal(list_size("run_ends"), 1);
	/* Another process: what waited at its gate when the commit failed was not let go. */
	now = state_now();
	starts = json_object_get(now, "starts");
	assert_true(json_array_size(starts) >= 2);
	assert_int_not_equal(end_int(json_array_get(starts, 0), "pid"),
			     end_int(json_array_get(starts, json_array_size(starts) - 1), "pid"));
}

static void test_nursery_dies(void **state)
{
	AUTO(json_decref) json_t *first = start_waiting();
	AUTO(json_decref) json_t *end = NULL;

	(void)state;
	assert_int_equal(kill(child_of(fx.pid), SIGKILL), 0);
	start_run(2, "echo second");
	end = wait_item("run_ends", 2);
	assert_string_equal(end_text(end, "answer"), "second");
	let_go();
	check_end("success", "done");
}

static size_t count_files(void)
{
	AUTO(free) char *path = mem_printf("/proc/%d/fd", (int)fx.pid);
	DIR *dir = opendir(path);
	size_t count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void test_many(void **state)
{
	size_t files;

	(void)state;
	/* Opening a pipe without a writer waits for one: for all of them at the same moment. */
	assert_int_equal(mkfifo("go", 0600), 0);
	start_run(1, "echo hello");
	check_end("success", "hello");
	files = count_files();
	for (int i = 1; i <= MANY; i++)
		start_run(1000 + i, "cat go; echo done");
	wait_state("missions", MANY);
	assert_true(count_files() > MANY);
	close(open("go", O_RDWR));
	for (usec_t until = clock_monotonic() + 2 * PATIENCE_MS * USEC_PER_MSEC;
	     list_size("run_ends") < MANY + 1 && clock_monotonic() < until;) {
		/* Whoever opened it after we closed it waits for the next writer. */
		AUTO_CLOSE int fd = open("go", O_WRONLY | O_NONBLOCK | O_CLOEXEC);

		nap(20);
	}
	assert_int_equal(list_size("run_ends"), MANY + 1);
	for (int i = 0; i < 6000 && count_files() > files; i++)
		nap(10);
	assert_true(count_files() <= files);
}

/* --- adoption ----------------------------------------------------------------------------- */

static void test_adopt_alive(void **state)
{
	AUTO(json_decref) json_t *start = start_waiting();

	(void)state;
	kill_daemon();
	assert_true(start_daemon());
	adopt_run(start, false);
	adopt_run(start, false);
	wait_state("missions", 1);
	let_go();
	check_end("success", "done");
	WAIT_UNTIL(nothing_left);
	assert_int_equal(list_size("run_ends"), 1);
}

static void test_adopt_ended(void **state)
{
	AUTO(json_decref) json_t *start = start_waiting();

	(void)state;
	kill_daemon();
	let_go();
	WAIT_UNTIL(has_end);
	WAIT_UNTIL(nothing_left);
	assert_true(start_daemon());
	adopt_run(start, false);
	check_end("success", "done");
}

/* A process that is gone, and nothing in its folder: did it run? */
static bool never_ran(const char *boot)
{
	AUTO(json_decref)
	json_t *gone =
		json_pack("{s:i, s:i, s:i, s:s}", "key", 1, "pid", 1, "start", 1, "boot", boot);
	AUTO(json_decref) json_t *end = NULL;

	adopt_run(gone, false);
	end = wait_item("run_ends", 1);
	assert_string_equal(end_text(end, "reason"), "(none)");
	return json_is_true(json_object_get(end, "never_ran"));
}

static void test_this_boot(void **state)
{
	struct process_id self;
	struct error err = {0};

	(void)state;
	assert_int_equal(process_identify(getpid(), &self, &err), 0);
	assert_true(never_ran(self.boot));
}

/* The power failed while its end was written: that is none. */
static void test_torn_end(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(dir_make_private("missions/mis-000001/runs/1", &err), 0);
	assert_int_equal(file_write("missions/mis-000001/runs/1/end.json", "", 0, &err), 0);
	assert_false(never_ran("00000000-0000-0000-0000-000000000000"));
}

/* The pid file is not synced, so after a power failure nobody knows. To run it again might be twice. */
static void test_other_boot(void **state)
{
	(void)state;
	assert_false(never_ran("00000000-0000-0000-0000-000000000000"));
}

static void test_wrapper_killed(void **state)
{
	AUTO(json_decref) json_t *start = NULL;
	AUTO(json_decref) json_t *end = NULL;
	AUTO(json_decref) json_t *sweep = NULL;

	(void)state;
	start_run(1, "setsid sleep 93.12341 & touch ran; sleep 60");
	start = wait_item("starts", 1);
	WAIT_UNTIL(has_marker);
	assert_int_equal(kill((pid_t)end_int(start, "pid"), SIGKILL), 0);
	end = wait_item("run_ends", 1);
	assert_string_equal(end_text(end, "reason"), "(none)");
	assert_true(json_is_false(json_object_get(end, "never_ran")));
	sweep = wait_end(1);
	assert_int_equal(end_int(sweep, "kind"), JOB_SWEEP);
	assert_int_equal(end_int(sweep, "exit_status"), 0);
	assert_false(runs("93.12341"));
}

static void test_end_is_kept(void **state)
{
	(void)state;
	break_step("run_ended", 3, "system");
	start_run(1, "echo hello");
	check_end("success", "hello");
	assert_int_equal(list_size("run_ends"), 1);
}

/* --- stop --------------------------------------------------------------------------------- */

static void test_stop_run(void **state)
{
	json_decref(start_waiting());
	(void)state;
	assert_true(is_ok(
		ask("{\"request\":\"stop run\",\"args\":{\"key\":1,\"signal\":%d}}", SIGTERM)));
	check_end("killed", NULL);
	assert_true(is_ok(
		ask("{\"request\":\"stop run\",\"args\":{\"key\":77,\"signal\":%d}}", SIGTERM)));
}

static void test_stop_daemon(void **state)
{
	struct end end = {0};
	struct error err = {0};

	(void)state;
	start_run(1, "trap 'echo bye; exit 0' INT; touch ran; while :; do sleep 0.02; done");
	WAIT_UNTIL(has_marker);
	stop_daemon(SIGTERM);
	WAIT_UNTIL(nothing_left);
	assert_int_equal(end_read("missions/mis-000001/runs/1", &end, &err), 0);
	assert_string_equal(end.reason, "daemon_shutdown");
	end_fini(&end);
	/* It heard of it before it ended. */
	assert_true(log_has("run 1 ended: daemon_shutdown"));
}

static void test_nothing_fires_while_stopping(void **state)
{
	AUTO_BUF struct buf log = {0};
	struct error err = {0};
	const char *stopping;

	(void)state;
	start_run(1, "trap 'touch interrupted; " UNTIL_GO "; exit 0' INT; touch ran; " UNTIL_GO);
	WAIT_UNTIL(has_marker);
	assert_true(is_ok(ask("{\"request\":\"wake\",\"args\":{\"in_ms\":200}}")));
	kill(fx.pid, SIGTERM);
	nap(500);
	let_go();
	assert_int_equal(WEXITSTATUS(wait_daemon()), 0);
	assert_true(log_has("run 1 ended: daemon_shutdown"));
	/* It may have been due before the signal came, but not fire after it. */
	assert_int_equal(file_read("daemon.log", 1 << 20, &log, &err), 0);
	stopping = strstr(buf_text(&log), "stopping");
	assert_non_null(stopping);
	assert_null(strstr(stopping, "fired"));
}

static struct process_id gated;

static bool gated_is_gone(void)
{
	return !process_lives(&gated);
}

static void test_stop_drops_what_is_gated(void **state)
{
	AUTO(json_decref) json_t *first = NULL;
	struct error err = {0};

	(void)state;
	start_run(1, "trap 'touch told; " UNTIL_GO "; exit 0' INT; touch ran; " UNTIL_GO);
	first = wait_item("starts", 1);
	WAIT_UNTIL(has_marker);
	break_step("started", 1000, "system");
	start_run(2, "touch second");
	for (gated.pid = 0; !gated.pid || gated.pid == (pid_t)end_int(first, "pid"); nap(5))
		gated.pid = child_of(child_of(fx.pid));
	assert_int_equal(process_identify(gated.pid, &gated, &err), 0);
	kill(fx.pid, SIGTERM);
	WAIT_UNTIL(gated_is_gone);
	assert_int_equal(waitpid(fx.pid, NULL, WNOHANG), 0);
	let_go();
	assert_int_equal(WEXITSTATUS(wait_daemon()), 0);
	assert_false(file_exists("second"));
	assert_false(file_exists("missions/mis-000002/runs/1/pid"));
}

/* A wrapper that cannot end by itself: it is stopped. */
static void freeze(void)
{
	AUTO(json_decref) json_t *start = start_waiting();

	assert_int_equal(kill((pid_t)end_int(start, "pid"), SIGSTOP), 0);
}

static void test_stop_grace(void **state)
{
	(void)state;
	setenv("BELFRY_STOP_GRACE_MS", "300", 1);
	assert_true(start_daemon());
	unsetenv("BELFRY_STOP_GRACE_MS");
	freeze();
	stop_daemon(SIGTERM);
	assert_true(log_has("run mis-000001/1 does not end: killed"));
	assert_true(log_has("run 1 ended: nothing"));
	assert_true(log_has("swept 1"));
	WAIT_UNTIL(nothing_left);
}

static void test_stop_twice(void **state)
{
	usec_t start;

	(void)state;
	freeze();
	start = clock_monotonic();
	kill(fx.pid, SIGINT);
	for (int i = 0; i < 6000 && access(fx.home->socket, F_OK) == 0; i++)
		nap(10);
	stop_daemon(SIGINT);
	/* The grace of missions is a minute. */
	assert_true(clock_monotonic() - start < 50 * USEC_PER_SEC);
	WAIT_UNTIL(nothing_left);
}

static void test_leave(void **state)
{
	AUTO(json_decref) json_t *start = start_waiting();

	(void)state;
	assert_true(is_ok(ask("{\"request\":\"daemon halt\",\"args\":{\"leave_missions\":true}}")));
	assert_int_equal(WEXITSTATUS(wait_daemon()), 0);
	assert_true(start_daemon());
	adopt_run(start, false);
	wait_state("missions", 1);
	let_go();
	check_end("success", "done");
}

static void test_interactive_is_left(void **state)
{
	pid_t person = fork();
	struct process_id id = {0};
	struct error err = {0};
	AUTO(json_decref) json_t *start = NULL;

	(void)state;
	if (person == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	assert_int_equal(process_identify(person, &id, &err), 0);
	start = json_pack("{s:i, s:i, s:I, s:s}", "key", 1, "pid", (int)person, "start",
			  (json_int_t)id.start, "boot", id.boot);
	adopt_run(start, true);
	assert_int_equal(state_int("missions"), 0);
	stop_daemon(SIGTERM);
	assert_true(process_lives(&id));
	kill(person, SIGKILL);
	waitpid(person, NULL, 0);
}

/* --- config.yml --------------------------------------------------------------------------- */

static bool was_read_again(void)
{
	return log_has("read again");
}

static bool was_read_twice(void)
{
	return log_count("read again") >= 2;
}

static bool was_refused(void)
{
	return log_has("unknown key 'tiemzone'");
}

static void write_in_place(const char *path, const char *text)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

/* Nobody asks for anything in these: only the kernel's word makes the daemon look. */
static void test_config_noticed(void **state)
{
	(void)state;
	write_config("timezone: Europe/Berlin\n");
	WAIT_UNTIL(was_read_again);
	write_in_place(fx.home->config_file, "tiemzone: Europe/Berlin\n");
	WAIT_UNTIL(was_refused);
	assert_int_equal(unlink(fx.home->config_file), 0);
	WAIT_UNTIL(was_read_twice);
}

static void test_config_behind_a_link(void **state)
{
	(void)state;
	assert_int_equal(mkdir("dotfiles", 0700), 0);
	write_in_place("dotfiles/own.yml", "timezone: Europe/Berlin\n");
	assert_int_equal(symlink("dotfiles/own.yml", fx.home->config_file), 0);
	WAIT_UNTIL(was_read_again);
	write_in_place("dotfiles/own.yml", "tiemzone: Europe/Berlin\n");
	WAIT_UNTIL(was_refused);
}

static void test_config_folder_comes_later(void **state)
{
	AUTO(free) char *file = mem_printf("%s/a/b/config.yml", fx.folder);

	(void)state;
	mem_replace(&fx.home->config_file, file);
	assert_true(start_daemon());
	assert_int_equal(system("mkdir a && mkdir a/b"), 0);
	write_in_place(file, "timezone: Europe/Berlin\n");
	WAIT_UNTIL(was_read_again);
	/* All of it goes, which is a change as well, and comes again. */
	assert_int_equal(system("rm -r a"), 0);
	WAIT_UNTIL(was_read_twice);
	assert_int_equal(system("mkdir -p a/b"), 0);
	write_in_place(file, "tiemzone: Europe/Berlin\n");
	WAIT_UNTIL(was_refused);
}

/* --- other writers ------------------------------------------------------------------------ */

/* Tell the daemon's store that somebody wrote; answers how many turns that took. */
static int64_t turns_of_notice(int fd, char notice)
{
	int64_t before = state_int("begins"), looks = state_int("looks");
	int left = 1;

	assert_int_equal(write(fd, &notice, 1), 1);
	for (int i = 0; i < PATIENCE_MS && left; i++) {
		nap(1);
		assert_int_equal(ioctl(fd, FIONREAD, &left), 0);
	}
	nap(50);
	wait_asleep(); /* or our question and what it does now were one turn */
	/* The three questions are turns of their own. */
	before = state_int("begins") - before - 2;
	assert_int_equal(state_int("looks"), looks + 1);
	return before;
}

static void test_notices(void **state)
{
	AUTO_CLOSE int fd = -1;

	(void)state;
	assert_int_equal(mkfifo("notices", 0600), 0);
	fd = open("notices", O_RDWR | O_CLOEXEC);
	assert_true(start_daemon());
	assert_int_equal(turns_of_notice(fd, 'x'), 1);
	assert_int_equal(turns_of_notice(fd, 'o'), 0);
	/* One that cannot be asked costs a turn, and is asked again after it. */
	assert_int_equal(turns_of_notice(fd, 'e'), 1);
	assert_int_equal(turns_of_notice(fd, 'x'), 1);
}

/* A store that is opened again has a descriptor of its own. */
static void test_notices_of_a_new_store(void **state)
{
	AUTO_CLOSE int fd = -1;

	(void)state;
	assert_int_equal(mkfifo("notices", 0600), 0);
	fd = open("notices", O_RDWR | O_CLOEXEC);
	assert_true(start_daemon());
	break_step("begin", 1, "unavailable");
	assert_true(is_ok(ask("{\"request\":\"save\"}")));
	assert_int_equal(state_int("opens"), 2);
	assert_int_equal(turns_of_notice(fd, 'x'), 1);
}

/* clang-format off */
static const struct CMUnitTest tests[] = {
	WITH("A15 run: started, watched, collected", test_run),
	WITH("A15 run: with the person's umask", test_umask),
	WITH("A15 run: with the person's environment", test_environment),
	WITH("A10 run: its process is committed before the agent runs", test_committed_first),
	WITH("A10 run: not wanted any more", test_unwanted),
	WITH("A13 run: the daemon is killed before the gate opens", test_killed_at_the_gate),
	WITH("A10 run: its wrapper dies at the gate", test_wrapper_dies_at_the_gate),
	WITH("A10 run: the commit that records it fails", test_failed_commit),
	WITH("run: the nursery is killed", test_nursery_dies),
	WITH("run: 200 at once", test_many),
	WITH("A13 adopt: one that lives", test_adopt_alive),
	WITH("A13 adopt: one that ended meanwhile", test_adopt_ended),
	WITH("A13 adopt: one that did not come to start its agent", test_this_boot),
	WITH("A13 adopt: one of another boot is lost, not unbegun", test_other_boot),
	WITH("A13 adopt: one of another boot, with an end that is none", test_torn_end),
	WITH("A13 run: its wrapper is killed", test_wrapper_killed),
	WITH("A18 run: its end is kept", test_end_is_kept),
	WITH("A18 stop: a run", test_stop_run),
	WITH("A14 stop: missions are asked to end", test_stop_daemon),
	WITH("A14 stop: what waits at its gate is dropped", test_stop_drops_what_is_gated),
	WITH("A14 stop: nothing fires meanwhile", test_nothing_fires_while_stopping),
	WITHOUT("A14 stop: missions that do not end are killed and swept", test_stop_grace),
	WITH("A14 stop: twice", test_stop_twice),
	WITH("A14 stop: leave missions", test_leave),
	WITH("A14 stop: a person's own run is left alone", test_interactive_is_left),
	WITHOUT("B1 notices: of others, and not of ours", test_notices),
	WITHOUT("B1 notices: of a store that was opened again", test_notices_of_a_new_store),
	WITH("H17 config: a change is noticed", test_config_noticed),
	WITH("H17 config: behind a symbolic link", test_config_behind_a_link),
	WITHOUT("H17 config: in a folder that comes later", test_config_folder_comes_later),
};
/* clang-format on */

int main(int argc, char **argv)
{
	struct CMUnitTest own[COUNT(tests)];

	for (size_t i = 0; i < COUNT(tests); i++) {
		own[i] = tests[i];
		own[i].teardown_func = teardown_all;
	}
	if (argc > 3 && strcmp(argv[1], "wrapper") == 0)
		return run_wrapper(argv);
	umask(022);
	return cmocka_run_group_tests_name("missions", own, NULL, NULL);
}
