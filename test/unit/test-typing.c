/*
 * test-typing.c: live agents as the daemon sees them, in a real tmux. The agent is this program
 * itself, which is what the daemon starts in a window: `… wrapper host NAME` (see play()). It has an
 * input line, takes bracketed pastes, and writes down what it got. The engine is a list of what it
 * was told.
 */
#include "tmux-fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "daemon/live.h"
#include "engine/live.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MISSION "mis-aaaaaa"
#define LAG_MS 600

/* --- the agent ---------------------------------------------------------------------------- */

/* Of its name: "mute" shows nothing of what is typed, "hook" has hooks, "back" puts an interrupted
 * prompt back into its input line, "late" takes the first Enter behind a paste for a line of it, "deaf"
 * every Enter, "menu" asks something until y is typed, "lag" draws what is typed a while later, and in
 * "front" or "behind" the first paste somebody types, too. The title of "turn" says that it works, always;
 * "rollout" writes what it got into a file as Codex does. "nap" is a plain program that reads nothing
 * until there is a file "awake". "fold" shows a word for a
 * longer paste. Those who have hooks are "hook", and "sworn", whose hooks say nothing. */
static struct {
	struct buf line, prompt;
	bool busy, mute, hook, back, pasting, late, deaf, menu, lag, front, behind, turn, pasted;
	int rollout; /* its descriptor; 0: none */
	bool fold;
	size_t from, shown; /* the paste begins there; so much of the line is shown as it is */
} me;

static void write_down(const char *name, const char *what, const char *text)
{
	FILE *f = fopen(name, "a");

	fprintf(f, "%s%s\n", what, text);
	fclose(f);
}

static void hook(const char *event)
{
	const char *id = strstr(buf_text(&me.prompt), "m-");
	AUTO(free)
	char *line =
		mem_printf("{\"event\":\"%s\",\"means\":\"%s\",\"at\":%lld,\"message\":\"%.10s\"}",
			   event, strcmp(event, "Stop") == 0 ? "stopped" : "prompt",
			   (long long)clock_now(), id ? id : "m-");

	if (me.hook)
		write_down("missions/" MISSION "/events", "", line);
}

static void write_entry(const char *text)
{
	time_t now = time(NULL) + 1; /* not before it was typed: there are no parts of a second */
	char at[32];

	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	dprintf(me.rollout,
		"{\"timestamp\":\"%s\",\"type\":\"response_item\",\"payload\":{\"type\":"
		"\"message\","
		"\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"%s\"}]}}\n",
		at, text);
}

/* Meanwhile its title turns. */
static void await_key(void)
{
	for (int i = 0; me.turn && poll(&(struct pollfd){.events = POLLIN}, 1, 100) == 0; i++) {
		printf("\033]2;%c esc to interrupt\a", "|/-"[i % 3]);
		fflush(stdout);
	}
}

static void draw(void)
{
	if (me.menu)
		printf("\r\033[K* 1. Yes, do it");
	else if (me.shown && me.shown < me.line.len)
		printf("\r\033[K> %.*s[Pasted Text: 9 lines]", (int)me.shown, buf_text(&me.line));
	else
		printf("\r\033[K> %s", me.mute ? "" : buf_text(&me.line));
	fflush(stdout);
}

static void submit(void)
{
	if (!me.line.len)
		return;
	if (!me.mute)
		printf("\r\033[K* %s\r\n", buf_text(&me.line));
	buf_clear(&me.prompt);
	buf_add(&me.prompt, me.line.data, me.line.len);
	buf_clear(&me.line);
	write_down("record", "", buf_text(&me.prompt));
	if (me.rollout)
		write_entry(buf_text(&me.prompt));
	hook("UserPromptSubmit");
	if (strstr(me.prompt.data, "EXIT"))
		exit(3);
	me.busy = strstr(me.prompt.data, "WORK") != NULL;
	if (me.busy)
		printf("esc to interrupt\r\n");
	else
		hook("Stop");
}

static void interrupt(void)
{
	write_down("record", "^C ", me.busy ? "busy" : "idle");
	if (!me.busy)
		return;
	me.busy = false;
	printf("\033[2J\033[H");
	if (me.back)
		buf_add(&me.line, me.prompt.data, me.prompt.len);
}

static void back(void)
{
	if (me.line.len)
		me.line.data[--me.line.len] = '\0';
}

static void take_key(char c)
{
	if (me.menu) {
		me.menu = c != 'y';
		if (c != 'y')
			write_down("record", "answer ", c == '\r' ? "Enter" : "text");
	} else if (c == 3)
		interrupt();
	else if (c == '\r' && !me.pasting && (me.deaf || (me.late && me.pasted))) {
		me.pasted = false;
		buf_add_char(&me.line, ' ');
	} else if (c == 21)
		buf_clear(&me.line);
	else if (c == 11)
		; /* takes what is behind the cursor, which is at the end */
	else if (c == 127)
		back();
	else if (c == '\r' && !me.pasting)
		submit();
	else
		buf_add_char(&me.line, c == '\n' ? '/' : c);
}

static void somebody_types(bool *once)
{
	if (*once)
		buf_add_str(&me.line, "half a thought");
	*once = false;
}

static void take_keys(const char *bytes, ssize_t n)
{
	for (ssize_t i = 0; i < n; i++) {
		bool paste = n - i >= 6 && strncmp(bytes + i, "\033[20", 4) == 0;

		if (paste) {
			me.pasting = bytes[i + 4] == '0';
			me.pasted = true;
			if (me.pasting)
				me.from = me.line.len;
			else if (me.fold && me.line.len > me.from + 30)
				me.shown = me.from;
			somebody_types(me.pasting ? &me.front : &me.behind);
			i += 5;
		} else {
			take_key(bytes[i]);
		}
	}
}

static int nap(void)
{
	char line[1000];

	printf("$ ");
	fflush(stdout);
	while (access("awake", F_OK) != 0)
		poll(NULL, 0, 50);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		write_down("record", "", line);
	}
	return 0;
}

static int play(const char *name)
{
	struct termios raw;
	char bytes[65536];
	ssize_t n;

	me.mute = strstr(name, "mute");
	me.hook = strstr(name, "hook");
	me.back = strstr(name, "back");
	me.late = strstr(name, "late");
	me.deaf = strstr(name, "deaf");
	me.menu = strstr(name, "menu");
	me.lag = strstr(name, "lag");
	me.front = strstr(name, "front");
	me.behind = strstr(name, "behind");
	me.turn = strstr(name, "turn");
	me.fold = strstr(name, "fold");
	if (strstr(name, "rollout"))
		me.rollout = open("sessions/1/rollout-1.jsonl", O_RDWR | O_CREAT | O_APPEND, 0600);
	if (strstr(name, "nap"))
		return nap();
	tcgetattr(0, &raw);
	cfmakeraw(&raw);
	tcsetattr(0, TCSANOW, &raw);
	printf("\033[?2004h");
	draw();
	await_key();
	while ((n = read(0, bytes, sizeof(bytes))) > 0) {
		take_keys(bytes, n);
		if (!me.lag || poll(&(struct pollfd){.events = POLLIN}, 1, LAG_MS) == 0)
			draw();
		await_key();
	}
	return 0;
}

/* --- the engine --------------------------------------------------------------------------- */

static struct lives *l;
static struct buf told; /* one line for each thing */
static bool wanted;

void job_free(struct job *job)
{
	struct job_live *live = job->live;

	free(live->agent);
	free(live->pane);
	free(live->mission);
	adapter_free(live->adapter);
	free(live->message);
	free(live->text);
	free(live->file);
	free(live);
	free(job->input);
	free(job->directory);
	free(job);
}

int engine_live_opened(struct engine *e, const char *agent, const char *pane, usec_t now,
		       struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s opened %s\n", agent, pane);
	return 0;
}

int engine_live_lost(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s lost: %s\n", agent, why);
	return 0;
}

int engine_live_seen(struct engine *e, const char *agent, enum presence state, const char *evidence,
		     usec_t since, usec_t now, struct error *err)
{
	static const char *const words[] = {"starting", "idle", "busy", "blocked", "gone"};

	(void)e, (void)err, (void)evidence;
	assert_true(since <= now);
	buf_printf(&told, "%s is %s\n", agent, words[state]);
	return 0;
}

int engine_live_stranger(struct engine *e, const char *agent, usec_t now, struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s is a stranger\n", agent);
	return 0;
}

int engine_live_asks(struct engine *e, const char *agent, const char *screen, usec_t now,
		     struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s asks: %s\n", agent, screen);
	return 0;
}

int engine_live_returned(struct engine *e, const char *agent, const char *message, usec_t now,
			 struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s returned %s\n", agent, message);
	return 0;
}

int engine_live_taken(struct engine *e, const char *agent, const char *message, usec_t now,
		      struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s took up %s\n", agent, message);
	return 0;
}

int engine_live_untaken(struct engine *e, const char *agent, const char *message, const char *why,
			usec_t now, struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s did not take up %s: %s\n", agent, message, why);
	return 0;
}

int engine_live_session(struct engine *e, const char *agent, const char *session, usec_t now,
			struct error *err)
{
	(void)e, (void)now, (void)err;
	buf_printf(&told, "%s is in %s\n", agent, session);
	return 0;
}

int engine_job_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	(void)e, (void)now, (void)err;
	assert_int_equal(end->kind, JOB_TYPE);
	buf_printf(&told, "typed %d: %s\n", (int)end->key,
		   end->start_error ? end->start_error : "delivered");
	return 0;
}

static void on_input(void *data)
{
	(void)data;
	wanted = true;
}

static void take_turn(void)
{
	struct error err = {0};

	if (!wanted)
		return;
	wanted = false;
	assert_int_equal(lives_decide(l, NULL, clock_now(), &err), 0);
	lives_committed(l);
}

/* --- the test ----------------------------------------------------------------------------- */

static const char *awaited;

static bool was_told(void)
{
	take_turn();
	return strstr(buf_text(&told), awaited) != NULL;
}

static void wait_told(const char *text)
{
	awaited = text;
	scene_wait(was_told, text);
}

/* The last time that `text` was told, NULL: never. */
static const char *last_told(const char *text)
{
	const char *found = NULL;

	for (const char *at = buf_text(&told); (at = strstr(at, text)); at++)
		found = at;
	return found;
}

static int had;

/* At once, or when it is seen to work on it: what comes first depends on the machine. */
static const char *last_had(void)
{
	AUTO(free) char *at_once = mem_printf("typed %d: delivered\n", had);
	AUTO(free) char *taken_up = mem_printf(" took up m-%08d\n", had);
	const char *found = last_told(at_once), *later = last_told(taken_up);

	return found && (!later || found > later) ? found : later;
}

static bool has_it(void)
{
	take_turn();
	return last_had();
}

static void wait_has(int message)
{
	had = message;
	scene_wait(has_it, "it has the message");
}

static bool was_told_behind(void)
{
	const char *at;

	take_turn();
	at = last_had();
	return at && strstr(at, awaited);
}

/* Not "from now on": on a slow machine both are told at once. */
static void wait_has_and(int message, const char *text)
{
	had = message;
	awaited = text;
	scene_wait(was_told_behind, text);
}

static bool was_recorded(void)
{
	AUTO(free) char *text = scene_file("record");

	take_turn();
	return strstr(text, awaited) != NULL;
}

static void wait_recorded(const char *text)
{
	awaited = text;
	scene_wait(was_recorded, text);
}

static void check_record(const char *want)
{
	AUTO(free) char *text = scene_file("record");

	assert_string_equal(text, want);
}

static void start_daemon(void)
{
	struct home h = {.runtime_dir = scene.folder, .state_dir = scene.folder};

	l = lives_new(&scene.loop, &h, 022, on_input, NULL);
}

static void stop_daemon(void)
{
	lives_close(l);
	scene_drain();
	lives_free(l);
	l = NULL;
	wanted = false;
}

static void finish(void)
{
	if (l)
		stop_daemon();
}

static void explain(void)
{
	AUTO(free) char *record = scene_file("record");
	AUTO(free) char *windows = scene_tmux("list-windows -a -F '#{window_name}'");

	print_error("told:\n%srecorded:\n%s", buf_text(&told), record);
	for (char *name = strtok(windows, "\n"); name; name = strtok(NULL, "\n")) {
		AUTO(free) char *screen = scene_tmux("capture-pane -p -t %s", name);

		print_error("screen of %s:\n%s", name, screen);
	}
}

static int setup(void **state)
{
	AUTO(free) char *folder = NULL;

	(void)state;
	scene_open(false);
	scene_explain = explain;
	folder = mem_printf("mkdir -p %s/missions/" MISSION " %s/sessions/1", scene.folder,
			    scene.folder);
	assert_int_equal(system(folder), 0);
	start_daemon();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scene_close(finish);
	buf_fini(&told);
	return 0;
}

static struct job *new_job(enum job_kind kind, const char *agent)
{
	struct job *job = mem_zalloc(sizeof(*job));

	job->kind = kind;
	job->live = mem_zalloc(sizeof(*job->live));
	job->live->agent = mem_strdup(agent);
	job->live->mission = mem_strdup(MISSION);
	job->live->adapter = adapter_built_in("command");
	mem_replace(&job->live->adapter->live.busy, "esc to interrupt");
	/* What shows nothing has no input line that could be known. */
	if (strstr(agent, "hook") || strstr(agent, "sworn"))
		mem_replace(&job->live->adapter->live.hooks, "claude");
	if (!strstr(agent, "mute") && !strstr(agent, "nap"))
		mem_replace(&job->live->adapter->live.input, "^> ?(.*)$");
	if (!strstr(agent, "frail"))
		job->live->adapter->live.interrupt = "\003";
	job->live->adapter->live.whole = strstr(agent, "fold");
	if (strstr(agent, "rollout"))
		job->live->adapter->live.holds = "*/sessions/*/rollout-*.jsonl";
	job->live->adapter->live.quiet = 300 * USEC_PER_MSEC;
	job->directory = mem_strdup(scene.folder);
	return job;
}

static void wish(enum job_kind kind, const char *agent)
{
	lives_carry_out(l, new_job(kind, agent));
}

static void start_agent(const char *agent)
{
	AUTO(free) char *idle = mem_printf("%s is idle\n", agent);

	wish(JOB_OPEN, agent);
	wait_told(idle);
}

/* Message m-0000000KEY; `text` is what follows its name. */
static struct job *new_typing(const char *agent, int key, const char *text)
{
	struct job *job = new_job(JOB_TYPE, agent);

	job->key = key;
	job->live->message = mem_printf("m-%08d", key);
	job->live->text = mem_printf("[belfry m-%08d] %s", key, text);
	return job;
}

static void type(const char *agent, int key, const char *text)
{
	lives_carry_out(l, new_typing(agent, key, text));
}

static void type_again(const char *agent, int key, const char *text)
{
	struct job *job = new_typing(agent, key, text);

	job->live->again = true;
	lives_carry_out(l, job);
}

static void interrupt_with(const char *agent, int key, const char *text)
{
	struct job *job = new_typing(agent, key, text);

	job->live->interrupt = true;
	lives_carry_out(l, job);
}

static void work(const char *agent)
{
	AUTO(free) char *busy = mem_printf("%s is busy\n", agent);

	free(scene_tmux("send-keys -t %s WORK Enter", agent));
	wait_told(busy);
}

static void test_typed_once(void **state)
{
	(void)state;
	start_agent("one");
	type("one", 1, "hello; it's #{me} ~ $HOME \"x\" é");
	wait_has(1);
	type("one", 2, "two\nlines\nand a\ttab");
	wait_has(2);
	check_record("[belfry m-00000001] hello; it's #{me} ~ $HOME \"x\" é\n"
		     "[belfry m-00000002] two/lines/and a\ttab\n");
}

static bool shows_first(void)
{
	AUTO(free) char *screen = scene_tmux("capture-pane -p -t one");

	take_turn();
	return strstr(screen, "> [belfry m-00000001] hello") != NULL;
}

/* Its time is up when it comes to itself, and what it waited for is there. */
static void test_held_up_daemon_looks_again(void **state)
{
	(void)state;
	start_agent("one");
	type("one", 1, "hello");
	WAIT(shows_first);
	sleep(6); /* the loop does not run: more than a paste has to be shown */
	wait_has(1);
	check_record("[belfry m-00000001] hello\n");
}

/* The mark stays in sight, since it is pasted by itself. */
static void test_long_one_is_pasted_whole(void **state)
{
	(void)state;
	start_agent("fold");
	type("fold", 1, "a text\nthat is too long\nto be shown as it is");
	wait_has(1);
	check_record("[belfry m-00000001] a text/that is too long/to be shown as it is\n");
}

static void test_busy_gets_normal_ones(void **state)
{
	(void)state;
	start_agent("one");
	work("one");
	type("one", 1, "and then WORK on");
	wait_told("typed 1: " LIVE_IN_LINE "\n");
	check_record("WORK\n[belfry m-00000001] and then WORK on\n");
	assert_null(strstr(buf_text(&told), "took up"));
	free(scene_tmux("send-keys -t one C-c"));
	wait_told("one took up m-00000001\n");
}

/* It works on, but its own record has what it got. */
static void test_record_is_proof(void **state)
{
	(void)state;
	start_agent("rollout");
	work("rollout");
	type("rollout", 1, "and then WORK on");
	wait_told("typed 1: " LIVE_IN_LINE "\n");
	wait_told("rollout took up m-00000001\n");
	check_record("WORK\n[belfry m-00000001] and then WORK on\n");
}

/* A title that turns, and nothing else changes: it rests, and has what it got. */
static void test_title_is_no_proof(void **state)
{
	(void)state;
	setenv("BELFRY_TITLE_MS", "1500", 1);
	start_agent("turn");
	type("turn", 1, "hello");
	wait_told("typed 1: ");
	if (strstr(buf_text(&told), "typed 1: " LIVE_IN_LINE))
		wait_told("turn took up m-00000001\n");
	check_record("[belfry m-00000001] hello\n");
	unsetenv("BELFRY_TITLE_MS");
}

static void test_interrupt(void **state)
{
	(void)state;
	start_agent("one");
	work("one");
	interrupt_with("one", 1, "stop that");
	wait_has(1);
	check_record("WORK\n^C busy\n[belfry m-00000001] stop that\n");
}

/* The prompt that was interrupted returns to its input line, and is not sent with the message. */
static void test_interrupted_prompt_comes_back(void **state)
{
	(void)state;
	start_agent("back");
	work("back");
	interrupt_with("back", 1, "stop that");
	wait_has(1);
	check_record("WORK\n^C busy\n[belfry m-00000001] stop that\n");
}

/* A message that an interrupt brought back into the input line is in the conversation no more. */
static void test_interrupted_message_is_told(void **state)
{
	(void)state;
	start_agent("back");
	type("back", 1, "WORK first");
	wait_has(1);
	wait_told("back is busy\n");
	interrupt_with("back", 2, "urgent");
	wait_told("back returned m-00000001\n");
	wait_has(2);
	check_record("[belfry m-00000001] WORK first\n^C busy\n[belfry m-00000002] urgent\n");
}

static void test_frail_gets_no_ctrl_c(void **state)
{
	(void)state;
	start_agent("frail");
	work("frail");
	interrupt_with("frail", 1, "stop that");
	wait_told("typed 1: " LIVE_IN_LINE "\n");
	check_record("WORK\n[belfry m-00000001] stop that\n");
}

/* There is no input line: what is typed, and Enter above all, would be an answer. */
static void test_nothing_is_typed_into_a_menu(void **state)
{
	(void)state;
	wish(JOB_OPEN, "menu");
	wait_told("menu opened %0\n");
	scene_run_for(500);
	type("menu", 1, "hello");
	scene_run_for(2000);
	take_turn();
	check_record("");
	assert_null(strstr(buf_text(&told), "typed 1"));
	free(scene_tmux("send-keys -t menu y"));
	wait_has(1);
	check_record("[belfry m-00000001] hello\n");
}

/* Nothing is known of its screen, and it does not show what is typed: Enter would say yes to it. */
static void test_no_enter_where_nothing_is_shown(void **state)
{
	AUTO(free) char *record = NULL;

	(void)state;
	start_agent("mute-menu");
	type("mute-menu", 1, "hello");
	wait_told("typed 1: not sent: its screen does not show what is typed\n");
	record = scene_file("record");
	assert_non_null(strstr(record, "answer text\n"));
	assert_null(strstr(record, "answer Enter"));
}

/* What the terminal has shown nobody has read yet. */
static void test_echo_is_no_proof(void **state)
{
	AUTO(free) char *awake = mem_printf("touch %s/awake", scene.folder);

	(void)state;
	start_agent("nap");
	type("nap", 1, "hello");
	wait_told("typed 1: " LIVE_IN_LINE "\n");
	scene_run_for(2500);
	take_turn();
	check_record("");
	assert_null(strstr(buf_text(&told), "took up"));
	assert_int_equal(system(awake), 0);
	wait_told("nap took up m-00000001\n");
	check_record("[belfry m-00000001] hello\n");
	type("nap", 2, "again");
	wait_recorded("[belfry m-00000002] again\n");
	wait_told("typed 2: ");
	if (!strstr(buf_text(&told), "typed 2: delivered\n"))
		wait_told("nap took up m-00000002\n");
}

static void test_enter_is_pressed_again(void **state)
{
	(void)state;
	start_agent("late");
	type("late", 1, "hello");
	wait_has(1);
	check_record("[belfry m-00000001] hello \n");
}

static bool line_is_empty(void)
{
	AUTO(free) char *screen = scene_tmux("capture-pane -p -t deaf");

	take_turn();
	return strncmp(screen, ">\n", 2) == 0;
}

static void test_what_stays_in_the_line_is_not_delivered(void **state)
{
	(void)state;
	start_agent("deaf");
	setenv("BELFRY_CONFIRM_MS", "2500", 1);
	type("deaf", 1, "hello");
	wait_told("typed 1: not confirmed: it is in the input line, and Enter does not send it\n");
	unsetenv("BELFRY_CONFIRM_MS");
	WAIT(line_is_empty);
	check_record("");
}

static void test_idle_gets_no_ctrl_c(void **state)
{
	(void)state;
	start_agent("one");
	interrupt_with("one", 1, "now");
	wait_has(1);
	check_record("[belfry m-00000001] now\n");
}

static const char *drafter = "one";

static bool shows_draft(void)
{
	AUTO(free) char *screen = scene_tmux("capture-pane -p -t %s", drafter);

	take_turn();
	return strstr(screen, "> half a thought\n") != NULL;
}

/* What somebody began to type is waited for, then kept: it comes back after the message. */
static void test_draft_is_kept(void **state)
{
	(void)state;
	start_agent("one");
	free(scene_tmux("send-keys -t one 'half a thought'"));
	WAIT(shows_draft);
	type("one", 1, "hello");
	wait_has(1);
	WAIT(shows_draft);
	check_record("[belfry m-00000001] hello\n");
}

/* The draft that came back is not on the screen yet when the next message is typed. */
static void test_draft_that_returns_is_not_sent(void **state)
{
	(void)state;
	drafter = "lag";
	start_agent("lag");
	free(scene_tmux("send-keys -t lag 'half a thought'"));
	WAIT(shows_draft);
	type("lag", 1, "hello");
	wait_has(1);
	type("lag", 2, "again");
	wait_has(2);
	WAIT(shows_draft);
	check_record("[belfry m-00000001] hello\n[belfry m-00000002] again\n");
	drafter = "one";
}

/* Somebody types in the very moment: Enter would send both. */
static void test_typed_together(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		drafter = i ? "behind" : "front";
		start_agent(drafter);
		type(drafter, i, "hello");
		wait_has((int)i);
		WAIT(shows_draft);
	}
	check_record("[belfry m-00000000] hello\n[belfry m-00000001] hello\n");
	drafter = "one";
}

static bool shows_longer_draft(void)
{
	AUTO(free) char *screen = scene_tmux("capture-pane -p -t one");

	take_turn();
	return strstr(screen, "> half a thought or two\n") != NULL;
}

/* It is the draft that is yielded to, for its time, and not again for each message behind it. */
static void test_draft_is_yielded_to_once(void **state)
{
	bool quick = false;
	int n = 1;

	(void)state;
	start_agent("one");
	free(scene_tmux("send-keys -t one 'half a thought'"));
	WAIT(shows_draft);
	type("one", n, "hello");
	wait_has(1);
	/* None can be so quick that waits for the draft; a slow machine may need a second try. */
	while (!quick && n < 6) {
		AUTO(free) char *end = mem_printf("typed %d: delivered\n", ++n);
		usec_t began;

		WAIT(shows_draft);
		began = clock_monotonic();
		type("one", n, "more");
		wait_told(end);
		quick = clock_monotonic() - began < 3 * USEC_PER_SEC;
	}
	assert_true(quick);
	/* Once somebody types on, it is another. */
	WAIT(shows_draft);
	free(scene_tmux("send-keys -t one ' or two'"));
	WAIT(shows_longer_draft);
	buf_clear(&told);
	type("one", ++n, "last");
	scene_run_for(1500);
	take_turn();
	assert_null(strstr(buf_text(&told), "typed"));
}

static void test_waits_for_a_person(void **state)
{
	(void)state;
	start_agent("one");
	free(scene_tmux("send-keys -t one 'half a thought'"));
	WAIT(shows_draft);
	type("one", 1, "hello");
	scene_run_for(500);
	take_turn();
	assert_null(strstr(buf_text(&told), "typed 1"));
	free(scene_tmux("send-keys -t one Enter"));
	wait_has(1);
	check_record("half a thought\n[belfry m-00000001] hello\n");
}

static void test_gives_way(void **state)
{
	(void)state;
	start_agent("one");
	free(scene_tmux("send-keys -t one 'half a thought'"));
	WAIT(shows_draft);
	type("one", 1, "hello");
	scene_run_for(500);
	wish(JOB_YIELD, "one");
	wait_told("typed 1: not typed: a more urgent one goes first\n");
	interrupt_with("one", 2, "urgent");
	wait_has(2);
	WAIT(shows_draft);
	check_record("[belfry m-00000002] urgent\n");
}

/* A person who has scrolled up is no keyboard to us. */
static void test_scrolled_up(void **state)
{
	AUTO(free) char *mode = NULL;

	(void)state;
	start_agent("one");
	free(scene_tmux("copy-mode -t one"));
	type("one", 1, "hello");
	wait_has(1);
	check_record("[belfry m-00000001] hello\n");
	mode = scene_tmux("display-message -p -t one '#{pane_in_mode}'");
	assert_string_equal(mode, "1\n");
}

static bool shows_second(void)
{
	AUTO(free) char *screen = scene_tmux("capture-pane -p -t one");

	take_turn();
	return strstr(screen, "> [belfry m-00000002] second") != NULL;
}

static void test_again_is_looked_for(void **state)
{
	(void)state;
	start_agent("one");
	type("one", 1, "first");
	/* One that has just got a message counts as busy for a moment: it has to be over each time. */
	wait_has_and(1, "one is idle\n");
	buf_clear(&told);
	type_again("one", 1, "first");
	wait_has_and(1, "one is idle\n");
	/* Typed, and no Enter yet: the daemon died in between. */
	free(scene_tmux("send-keys -t one -l '[belfry m-00000002] second'"));
	WAIT(shows_second);
	type_again("one", 2, "second");
	wait_has_and(2, "one is idle\n");
	type_again("one", 3, "third");
	wait_has(3);
	check_record("[belfry m-00000001] first\n[belfry m-00000002] second\n"
		     "[belfry m-00000003] third\n");
}

static void test_hook_is_proof(void **state)
{
	(void)state;
	start_agent("mute-hook");
	type("mute-hook", 1, "hello");
	wait_told("typed 1: " LIVE_IN_LINE "\n");
	/* R2: that of the prompt is none: what came of it is. */
	wait_told("mute-hook took up m-00000001\n");
	/* What it said while nobody listened counts, too. */
	stop_daemon();
	buf_clear(&told);
	start_daemon();
	wish(JOB_WATCH, "mute-hook");
	wait_told("mute-hook opened %0\n");
	wait_told("mute-hook is idle\n");
	type_again("mute-hook", 1, "hello");
	wait_has(1);
	check_record("[belfry m-00000001] hello\n");
}

/* One that shows nothing, beside others, who do not wait for it. */
/* What an agent may have put where its hooks write. A daemon that is held up by it is ended. */
static void test_journal_is_no_file(void **state)
{
	static const char *const commands[] = {"mkfifo", "ln -s /dev/zero", "truncate -s 1T",
					       "mkdir"};
	AUTO(free) char *file = mem_printf("%s/missions/" MISSION "/events", scene.folder);

	(void)state;
	alarm(400);
	for (size_t i = 0; i < COUNT(commands); i++) {
		AUTO(free) char *agent = mem_printf("a%zu", i);
		AUTO(free) char *command = mem_printf("rm -rf %s; %s %s", file, commands[i], file);

		assert_int_equal(system(command), 0);
		start_agent(agent);
		type_again(agent, (int)i, "hello");
		wait_has((int)i);
	}
	alarm(0);
}

static void test_journal_is_emptied(void **state)
{
	AUTO(free) char *file = mem_printf("%s/missions/" MISSION "/events", scene.folder);

	(void)state;
	start_agent("mute-hook");
	type("mute-hook", 1, "a long one, so that what comes next is shorter than this");
	wait_told("mute-hook took up m-00000001\n");
	assert_int_equal(truncate(file, 0), 0);
	type("mute-hook", 2, "x");
	wait_told("mute-hook took up m-00000002\n");
}

static void test_unconfirmed(void **state)
{
	(void)state;
	start_agent("mute-sworn");
	start_agent("one");
	start_agent("two");
	type("one", 2, "hello");
	type("two", 3, "hello");
	type("mute-sworn", 1, "hello");
	wait_has(2);
	wait_has(3);
	/* Only now: the others have all the time they need. */
	setenv("BELFRY_CONFIRM_MS", "3000", 1);
	wait_told("typed 1: not confirmed: ");
	unsetenv("BELFRY_CONFIRM_MS");
}

static void test_dies_meanwhile(void **state)
{
	(void)state;
	start_agent("mute-sworn");
	start_agent("other");
	type("mute-sworn", 1, "EXIT");
	wait_told("typed 1: the session ended\n");
	wait_told("mute-sworn lost: its window was closed\n");
	type("mute-sworn", 2, "are you there");
	wait_told("typed 2: the session ended\n");
	type("other", 3, "still here");
	wait_has(3);
}

static void test_server_is_killed(void **state)
{
	(void)state;
	start_agent("mute-sworn");
	start_agent("one");
	type("mute-sworn", 1, "hello");
	wait_recorded("hello");
	free(scene_tmux("kill-server"));
	wait_told("mute-sworn lost: ");
	wait_told("one lost: ");
	wait_told("typed 1: ");
	assert_null(strstr(buf_text(&told), "typed 1: delivered"));
	buf_clear(&told);
	start_agent("one");
}

static void test_found_again(void **state)
{
	AUTO(free) char *list = NULL;

	(void)state;
	start_agent("one");
	start_agent("two");
	stop_daemon();
	buf_clear(&told);
	free(scene_tmux("kill-window -t two"));
	start_daemon();
	wish(JOB_WATCH, "one");
	wish(JOB_WATCH, "two");
	wait_told("one opened %0\n");
	wait_told("two lost: its window is there no more\n");
	wait_told("one is idle\n");
	/* It was opened, and the daemon died before it could say so. */
	stop_daemon();
	buf_clear(&told);
	start_daemon();
	wish(JOB_OPEN, "one");
	wait_told("one opened %0\n");
	list = scene_tmux("list-windows -a -F '#{window_name}'");
	assert_string_equal(list, "one\n");
	type("one", 1, "hello");
	wait_has(1);
}

/* What is being typed is let go of: it is asked for again, and is there once. */
static void test_forgotten(void **state)
{
	(void)state;
	start_agent("one");
	type("one", 1, "hello");
	wait_recorded("hello");
	lives_forget(l);
	type_again("one", 1, "hello");
	wait_has(1);
	check_record("[belfry m-00000001] hello\n");
}

static bool one_window(void)
{
	AUTO(free) char *list = scene_tmux("list-windows -a -F '#{window_name}'");

	take_turn();
	return strcmp(list, "two\n") == 0;
}

static void test_closed_by_us(void **state)
{
	(void)state;
	start_agent("one");
	start_agent("two");
	wish(JOB_CLOSE, "one");
	WAIT(one_window);
	scene_run_for(600);
	take_turn();
	assert_null(strstr(buf_text(&told), "lost"));
	start_agent("one");
}

static void test_long_body_is_a_file(void **state)
{
	struct job *job = new_typing("one", 1, "Read it");
	AUTO(free) char *body = NULL;
	AUTO(free) char *path = mem_printf("%s/missions/" MISSION "/inbox/m.md", scene.folder);
	struct stat st;

	(void)state;
	job->live->file = mem_strdup("m.md");
	job->input = mem_strdup("all of\nit");
	start_agent("one");
	lives_carry_out(l, job);
	wait_has(1);
	body = scene_file("missions/" MISSION "/inbox/m.md");
	assert_string_equal(body, "all of\nit");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* Where a link leads is not made private, and nothing is written there. */
static void test_inbox_is_a_link(void **state)
{
	struct job *job = new_typing("one", 1, "Read it");
	AUTO(free) char *other = mem_printf("%s/other", scene.folder);
	AUTO(free) char *inbox = mem_printf("%s/missions/" MISSION "/inbox", scene.folder);
	struct stat st;

	(void)state;
	job->live->file = mem_strdup("m.md");
	job->input = mem_strdup("all of\nit");
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(chmod(other, 0755), 0);
	assert_int_equal(symlink(other, inbox), 0);
	start_agent("one");
	lives_carry_out(l, job);
	wait_told("inbox' is not a folder\n");
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_int_equal(rmdir(other), 0); /* it is empty */
}

static bool sleeps(void)
{
	take_turn();
	uv_run(&scene.loop, UV_RUN_NOWAIT);
	return uv_backend_timeout(&scene.loop) == -1;
}

/* Who is idle is not looked at: no timer is set, nothing but a descriptor can wake us. */
static void test_idle_agents_cost_nothing(void **state)
{
	(void)state;
	start_agent("one");
	start_agent("two");
	type("one", 1, "hello");
	wait_has(1);
	WAIT(sleeps);
}

static void test_tmux_is_missing(void **state)
{
	AUTO(free) char *path = mem_strdup(getenv("PATH"));

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	wish(JOB_OPEN, "one");
	wish(JOB_WATCH, "two");
	setenv("PATH", path, 1);
	wait_told("one lost: cannot start 'tmux', which live agents need: No such file or "
		  "directory; install it: apt-get install tmux\n");
	/* What may be there is not given up for that. */
	assert_null(strstr(buf_text(&told), "two lost"));
}

#define T(name, f)                                                                                 \
	{                                                                                          \
		name, f, setup, teardown, NULL                                                     \
	}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T("H16: what is typed arrives whole, and once", test_typed_once),
		T("a daemon that was held up looks again", test_held_up_daemon_looks_again),
		T("F12 a long one is pasted whole", test_long_one_is_pasted_whole),
		T("H5 L2 F1 a busy agent gets it, too, and has it when it rests",
		  test_busy_gets_normal_ones),
		T("F11 its own record is proof", test_record_is_proof),
		T("F11 a title alone is no proof of work", test_title_is_no_proof),
		T("H5: an interrupt is one Ctrl-C", test_interrupt),
		T("H5: an interrupted prompt comes back", test_interrupted_prompt_comes_back),
		T("H5: no Ctrl-C to an idle agent", test_idle_gets_no_ctrl_c),
		T("L5 an interrupted message is told", test_interrupted_message_is_told),
		T("L4 L16 no Ctrl-C where that ends it", test_frail_gets_no_ctrl_c),
		T("L1 nothing is typed into a menu", test_nothing_is_typed_into_a_menu),
		T("A15 no Enter where nothing is shown", test_no_enter_where_nothing_is_shown),
		T("F15 the echo of a terminal is no proof", test_echo_is_no_proof),
		T("L2 Enter is pressed again", test_enter_is_pressed_again),
		T("L2 L3 what stays in the line is not delivered",
		  test_what_stays_in_the_line_is_not_delivered),
		T("L6 what waits gives way, and the draft stays", test_gives_way),
		T("a draft is kept", test_draft_is_kept),
		T("F9 a draft that returns is not sent", test_draft_that_returns_is_not_sent),
		T("F9 what is typed in the same moment is not sent", test_typed_together),
		T("F5 a draft is yielded to once, not for each message",
		  test_draft_is_yielded_to_once),
		T("a person is waited for", test_waits_for_a_person),
		T("a person has scrolled up", test_scrolled_up),
		T("H16: again, but once", test_again_is_looked_for),
		T("H16: a hook is proof", test_hook_is_proof),
		T("a journal that is no file", test_journal_is_no_file),
		T("a journal that is emptied", test_journal_is_emptied),
		T("unconfirmed", test_unconfirmed),
		T("dies meanwhile", test_dies_meanwhile),
		T("server is killed", test_server_is_killed),
		T("found again", test_found_again),
		T("H16: forgotten and asked again", test_forgotten),
		T("closed by us", test_closed_by_us),
		T("a long body is a file", test_long_body_is_a_file),
		T("an inbox that is a link", test_inbox_is_a_link),
		T("idle agents cost nothing", test_idle_agents_cost_nothing),
		T("tmux is missing", test_tmux_is_missing),
	};

	if (argc == 4 && strcmp(argv[1], "wrapper") == 0)
		return play(argv[3]);
	if (argc == 2)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
