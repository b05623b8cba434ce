/*
 * tui-agent.c: an interactive agent on a terminal, whose script is what is typed into it.
 *
 * It stands for the terminal programs that Belfry types into, as far as those can be seen: lines
 * that scroll, a line with what it does, and "> " with what is typed. Enter submits. What is
 * submitted while it works waits, and is taken next. It records exactly what it got, one JSON line
 * each, before it does anything about it, so that a test can say what arrived and how often.
 *
 * Directives in a prompt, each at the beginning of a word, done in their order:
 *	WORK:2s     busy, with a spinner and "esc to interrupt"
 *	SILENT:2s   busy, and nothing is shown
 *	FREEZE:2s   the same, and its terminal is not read either
 *	ASK:WHAT    "Allow WHAT? [y/n]" until y, n or Ctrl-C, however long (to the line's end, or ;;)
 *	RUN:CMD     by the shell, its output is shown and recorded (likewise)
 *	SAY:TEXT    (likewise)
 *	NOECHO      from now on nothing is shown of what is typed or was; ECHO: again
 *	DIE:paste   it is killed when the next paste begins; DIE:enter: at the next Enter
 *	EXIT:3      now, with that status
 *	CRASH       SIGKILL
 *
 * Keys: Ctrl-C while it works or asks interrupts, and ends nothing; with --return the prompt comes
 * back into the line. Ctrl-C twice within half a minute while idle: exit 0. Ctrl-U clears the line,
 * Ctrl-D on an empty one: exit 0. Cursor and function keys are passed over. A paste is one text with
 * its line ends; while a permission is asked for, a paste and Enter are lost, and recorded as stray.
 *
 * Record ($TUI_RECORD): {"at": µs, "pid":, "event": …} with start (session, resumed, prompt,
 * instructions), prompt (text), done, interrupted, ctrl-c (state: idle, typed, busy, asking), answer (to,
 * allowed), stray (text), ran (command, status, output), resize (columns, lines), hook (a failed
 * one), exit (status, why).
 *
 * Options: --no-paste, --no-echo, --return, --title (it shows what it does), --start-delay 1s,
 * --session-id NAME (refused when there is one), --resume NAME (refused when there is none),
 * --settings FILE (claude's: its hooks are called), --append-system-prompt TEXT, -p (no terminal: the
 * prompt is on standard input, is recorded as "headless", and that is all), -- PROMPT.
 * Environment: TUI_RECORD, TUI_HOOK (a command that is called with the event behind it, and claude's
 * JSON on standard input), TUI_HOME (conversations are kept there, NAME.jsonl).
 *
 * It stands on nothing of Belfry's.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tui.h"

#define AGAIN_MS 30000 /* within this, a second Ctrl-C ends an idle one */
#define WAITING_MAX 1000

static struct {
	bool no_paste, back, title, resume, headless;
	int64_t start_delay;
	const char *instructions, *prompt;
} option;

static struct {
	struct text input, paste;
	bool pasting;
	char sequence[32]; /* an escape sequence that is not whole yet */
	size_t sequence_len;
	struct text waiting[WAITING_MAX]; /* submitted while it worked */
	size_t waiting_count;
	int64_t ctrl_c_at; /* 0: not lately */
} keys;

static volatile sig_atomic_t ended_by, resized;

/* --- small things ------------------------------------------------------------------------- */

void die(const char *fmt, ...)
{
	va_list ap;

	screen_close();
	va_start(ap, fmt);
	vdprintf(STDERR_FILENO, fmt, ap);
	va_end(ap);
	_exit(1);
}

void write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
}

void text_add(struct text *t, const char *bytes, size_t len)
{
	t->data = realloc(t->data, t->len + len + 1);
	if (!t->data)
		die("out of memory\n");
	if (len)
		memcpy(t->data + t->len, bytes, len);
	t->len += len;
	t->data[t->len] = '\0';
}

void text_clear(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}

int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void agent_exit(int status, const char *why)
{
	hook_tell("SessionEnd", json_pack("{s:s}", "reason", "prompt_input_exit"));
	record("exit", "{s:i, s:s}", "status", status, "why", why);
	screen_close();
	_exit(status);
}

/* --- what is typed ------------------------------------------------------------------------ */

static void take_waiting(void)
{
	struct text next;

	while (turn.state == TURN_IDLE && keys.waiting_count) {
		next = keys.waiting[0];
		memmove(keys.waiting, keys.waiting + 1, --keys.waiting_count * sizeof(next));
		turn_begin(next.data, next.len);
		text_clear(&next);
	}
}

static void on_enter(void)
{
	if (turn.die_at == 'e')
		raise(SIGKILL);
	if (turn.state == TURN_ASKING) {
		record("stray", "{s:s}", "text", "\r");
		return;
	}
	if (!keys.input.len)
		return;
	if (keys.waiting_count == WAITING_MAX)
		die("tui-agent: more than %d messages wait\n", WAITING_MAX);
	/* As Claude Code does: at Enter, also when it is taken only later. */
	prompt_tell(keys.input.data, keys.input.len);
	keys.waiting[keys.waiting_count++] = keys.input;
	keys.input = (struct text){0};
}

static void on_ctrl_c(void)
{
	static const char *const states[] = {"idle", "busy", "asking"};
	int64_t now = now_ms();
	bool again = keys.ctrl_c_at && now - keys.ctrl_c_at < AGAIN_MS;

	record("ctrl-c", "{s:s}", "state",
	       turn.state == TURN_IDLE && keys.input.len ? "typed" : states[turn.state]);
	if (turn.state != TURN_IDLE) {
		turn_interrupt();
		if (option.back && !keys.input.len)
			text_add(&keys.input, turn.prompt.data, turn.prompt.len);
		return;
	}
	if (again)
		agent_exit(0, "Ctrl-C twice");
	text_clear(&keys.input);
	keys.ctrl_c_at = now;
}

static void on_end_of_paste(void)
{
	keys.pasting = false;
	if (turn.state == TURN_ASKING)
		record("stray", "{s:o}", "text", record_text(keys.paste.data, keys.paste.len));
	else
		text_add(&keys.input, keys.paste.data ? keys.paste.data : "", keys.paste.len);
	text_clear(&keys.paste);
}

static void delete_last(void)
{
	struct text *t = &keys.input;

	while (t->len && ((unsigned char)t->data[--t->len] & 0xc0) == 0x80)
		;
	if (t->data)
		t->data[t->len] = '\0';
}

/* As Claude Code does it: back to the beginning of the line, and there, over the end of the one above. */
static void delete_line(void)
{
	struct text *t = &keys.input;

	if (t->len && t->data[t->len - 1] == '\n')
		t->len--;
	else
		while (t->len && t->data[t->len - 1] != '\n')
			t->len--;
	if (t->data)
		t->data[t->len] = '\0';
}

static void on_key(char c)
{
	if (c == 3)
		on_ctrl_c();
	else if (c == '\r' || c == '\n')
		on_enter();
	else if (turn.state == TURN_ASKING && (c == 'y' || c == 'n'))
		turn_answer(c == 'y');
	else if (turn.state == TURN_ASKING)
		record("stray", "{s:o}", "text", record_text(&c, 1));
	else if (c == 21)
		delete_line();
	else if (c == 4 && !keys.input.len && turn.state == TURN_IDLE)
		agent_exit(0, "Ctrl-D");
	else if (c == 8 || c == 127)
		delete_last();
	else
		text_add(&keys.input, &c, 1);
}

/* Of cursor keys and the like only the ends of a paste mean something. */
static void on_sequence(void)
{
	if (strcmp(keys.sequence, "\033[200~") == 0) {
		if (turn.die_at == 'p')
			raise(SIGKILL);
		keys.pasting = true;
	} else if (strcmp(keys.sequence, "\033[201~") == 0 && keys.pasting) {
		on_end_of_paste();
	}
}

/* ESC [ … final, ESC O final, ESC character. */
static bool sequence_is_whole(void)
{
	char last = keys.sequence[keys.sequence_len - 1];

	if (keys.sequence_len == sizeof(keys.sequence) - 1)
		return true;
	if (keys.sequence_len == 2)
		return last != '[' && last != 'O';
	return keys.sequence_len > 2 && last >= 0x40 && last <= 0x7e;
}

static void in_sequence(char c)
{
	keys.sequence[keys.sequence_len++] = c;
	keys.sequence[keys.sequence_len] = '\0';
	if (!sequence_is_whole())
		return;
	on_sequence();
	keys.sequence_len = 0;
}

/* Everything in a paste is text, but the end of it; a terminal sends line ends as CR. */
static void in_paste(char c)
{
	static const char end[] = "\033[201~";
	size_t end_len = sizeof(end) - 1;

	if (c == '\r')
		c = '\n';
	text_add(&keys.paste, &c, 1);
	if (keys.paste.len < end_len ||
	    memcmp(keys.paste.data + keys.paste.len - end_len, end, end_len) != 0)
		return;
	keys.paste.len -= end_len;
	keys.paste.data[keys.paste.len] = '\0';
	on_end_of_paste();
}

static void on_input(void)
{
	char chunk[4096];
	ssize_t n = read(STDIN_FILENO, chunk, sizeof(chunk));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		agent_exit(0, "end of input");
	if (turn.die_at == 'p' && option.no_paste)
		raise(SIGKILL);
	for (ssize_t i = 0; i < n; i++) {
		if (keys.pasting)
			in_paste(chunk[i]);
		else if (keys.sequence_len || chunk[i] == '\033')
			in_sequence(chunk[i]);
		else
			on_key(chunk[i]);
		take_waiting();
	}
}

/* --- the loop ----------------------------------------------------------------------------- */

static void on_signal(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else
		ended_by = number;
}

static void handle_signals(sigset_t *ret_outside)
{
	struct sigaction action = {.sa_handler = on_signal};
	static const int numbers[] = {SIGTERM, SIGHUP, SIGWINCH};
	sigset_t ours;

	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		sigaction(numbers[i], &action, NULL);
		sigaddset(&ours, numbers[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	/* They come only while we wait. */
	sigprocmask(SIG_BLOCK, &ours, ret_outside);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigdelset(ret_outside, numbers[i]);
}

static void after_signals(void)
{
	unsigned columns, lines;

	if (ended_by)
		agent_exit(128 + ended_by, ended_by == SIGHUP ? "SIGHUP" : "SIGTERM");
	if (resized) {
		resized = 0;
		screen_size(&columns, &lines);
		record("resize", "{s:i, s:i}", "columns", (int)columns, "lines", (int)lines);
		screen_resized();
	}
}

static void draw(void)
{
	struct screen_look look = {
		.queued = keys.waiting_count, .input = &keys.input, .echo = !turn.no_echo};

	if (turn.silent)
		return;
	if (turn.status[0])
		look.status = turn.status;
	else if (keys.ctrl_c_at)
		look.status = "Press Ctrl-C again to exit";
	screen_draw(&look);
}

/* The next instant at which something happens by itself; 0: none. */
static int64_t next_instant(void)
{
	int64_t instants[] = {turn.until, turn.spin_at,
			      keys.ctrl_c_at ? keys.ctrl_c_at + AGAIN_MS : 0};
	int64_t next = 0;

	for (size_t i = 0; i < 3; i++)
		if (instants[i] && (!next || instants[i] < next))
			next = instants[i];
	return next;
}

static void wait_and_act(const sigset_t *outside)
{
	struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
			       {.fd = turn.output, .events = POLLIN}};
	int64_t next = next_instant(), left = next - now_ms();
	struct timespec wait = {0};
	int n;

	if (left > 0)
		wait = (struct timespec){left / 1000, left % 1000 * 1000000};
	n = ppoll(fds, 2, next ? &wait : NULL, outside);
	after_signals();
	if (keys.ctrl_c_at && now_ms() >= keys.ctrl_c_at + AGAIN_MS)
		keys.ctrl_c_at = 0;
	if (n > 0 && fds[0].revents)
		on_input();
	if (n > 0 && fds[1].revents && turn.output == fds[1].fd)
		turn_on_output();
	turn_on_time();
	take_waiting();
}

static void be_interactive(void)
{
	sigset_t outside;

	handle_signals(&outside);
	screen_open(!option.no_paste, option.title);
	if (option.start_delay)
		usleep((useconds_t)(option.start_delay * 1000));
	hook_tell("SessionStart",
		  json_pack("{s:s}", "source", option.resume ? "resume" : "startup"));
	screen_print("", "tui-agent", 9);
	if (option.prompt && *option.prompt) {
		prompt_tell(option.prompt, strlen(option.prompt));
		turn_begin(option.prompt, strlen(option.prompt));
	}
	for (;;) {
		draw();
		wait_and_act(&outside);
	}
}

static void be_headless(void)
{
	struct text prompt = {0};
	char chunk[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, chunk, sizeof(chunk))) > 0)
		text_add(&prompt, chunk, (size_t)n);
	record("headless", "{s:o}", "text", record_text(prompt.data, prompt.len));
	conversation_add("user", prompt.data, prompt.len);
	puts("Done.");
}

static int64_t read_delay(const char *text)
{
	char *unit;
	double value = strtod(text, &unit);

	return (int64_t)(strcmp(unit, "ms") == 0 ? value : value * 1000);
}

/* Options with a value end a loop of their own: returns false when it is none of them. */
static bool read_value(const char *name, const char *value)
{
	if (strcmp(name, "--session-id") == 0)
		told.session = value;
	else if (strcmp(name, "--resume") == 0)
		told.session = value, option.resume = true;
	else if (strcmp(name, "--settings") == 0)
		told.settings = value;
	else if (strcmp(name, "--append-system-prompt") == 0)
		option.instructions = value;
	else if (strcmp(name, "--start-delay") == 0)
		option.start_delay = read_delay(value);
	else
		return false;
	return true;
}

static bool read_flag(const char *name)
{
	if (strcmp(name, "--no-paste") == 0)
		option.no_paste = true;
	else if (strcmp(name, "--no-echo") == 0)
		turn.no_echo = true;
	else if (strcmp(name, "--return") == 0)
		option.back = true;
	else if (strcmp(name, "--title") == 0)
		option.title = true;
	else if (strcmp(name, "-p") == 0)
		option.headless = true;
	else
		return false;
	return true;
}

static void read_options(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			option.prompt = argv[i + 1];
			return;
		}
		if (read_flag(argv[i]))
			continue;
		if (argv[i][0] == '-' && i + 1 < argc && read_value(argv[i], argv[i + 1]))
			i++;
		else if (argv[i][0] != '-')
			option.prompt = argv[i];
		else
			die("tui-agent: unknown option '%s'\n", argv[i]);
	}
}

int main(int argc, char **argv)
{
	told.record = getenv("TUI_RECORD");
	told.hook = getenv("TUI_HOOK");
	told.folder = getenv("TUI_HOME");
	read_options(argc, argv);
	conversation_open(option.resume);
	record("start", "{s:s?, s:b, s:s?, s:s?}", "session", told.session, "resumed",
	       option.resume, "prompt", option.prompt, "instructions", option.instructions);
	if (option.headless)
		be_headless();
	else
		be_interactive();
	return 0;
}
