/*
 * tui-turn.c: tui-agent obeys a prompt, one directive after the other; see tui-agent.c for them.
 * Nothing here waits, but for hooks and FREEZE: the loop comes back at an instant, with a
 * command's output, or with an answer.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui.h"

#define STEPS_MAX 32
#define SPIN_MS 100
#define GROW_TURNS 5 /* of the spinner, then the conversation grows */

/* clang-format off */
enum step_kind {
	STEP_WORK, STEP_SILENT, STEP_FREEZE, STEP_ASK, STEP_RUN, STEP_EXIT, STEP_CRASH, STEP_NOECHO,
	STEP_ECHO, STEP_DIE, STEP_SAY
};
static const struct word {
	const char *word;
	enum step_kind kind;
	bool to_end; /* its text ends with the line or at ";;", not with the word */
} words[] = {
	{"WORK:",   STEP_WORK,   false},
	{"SILENT:", STEP_SILENT, false},
	{"FREEZE:", STEP_FREEZE, false},
	{"ASK:",    STEP_ASK,    true},
	{"RUN:",    STEP_RUN,    true},
	{"SAY:",    STEP_SAY,    true},
	{"EXIT:",   STEP_EXIT,   false},
	{"CRASH",   STEP_CRASH,  false},
	{"NOECHO",  STEP_NOECHO, false},
	{"ECHO",    STEP_ECHO,   false},
	{"DIE:",    STEP_DIE,    false},
};
/* clang-format on */

struct step {
	enum step_kind kind;
	char text[4096];
};

struct turn turn = {.output = -1};
static struct step steps[STEPS_MAX];
static size_t step_count, step_next;
static pid_t command_pid;
static struct text command_output;
static int spins;

/* --- reading ------------------------------------------------------------------------------ */

static size_t argument_len(const char *text, bool to_end)
{
	const char *end;
	size_t len = to_end ? strcspn(text, "\r\n") : strcspn(text, " \t\r\n");

	if (to_end && (end = strstr(text, ";;")) && (size_t)(end - text) < len)
		len = (size_t)(end - text);
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

/* Reads a directive at the beginning of `text`: how many bytes it has, 0 when there is none. */
static size_t read_step(const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const struct word *w = &words[i];
		size_t name = strlen(w->word), len;

		if (strncmp(text, w->word, name) != 0 || step_count == STEPS_MAX)
			continue;
		len = argument_len(text + name, w->to_end);
		if (text[name - 1] != ':' && len)
			continue; /* a longer word that only begins so */
		steps[step_count].kind = w->kind;
		snprintf(steps[step_count].text, sizeof(steps[0].text), "%.*s", (int)len,
			 text + name);
		step_count++;
		return name + len;
	}
	return 0;
}

static void read_steps(const char *text)
{
	const char *at = text;
	size_t used;

	step_count = step_next = 0;
	while (*at) {
		used = at == text || isspace((unsigned char)at[-1]) ? read_step(at) : 0;
		at += used ? used : 1;
	}
}

/* "2s", "300ms", "2" */
static int64_t milliseconds(const char *text)
{
	char *unit;
	double value = strtod(text, &unit);

	return (int64_t)(strcmp(unit, "ms") == 0 ? value : value * 1000);
}

/* --- doing -------------------------------------------------------------------------------- */

static void start_command(const char *command)
{
	int out[2];

	hook_tell("PreToolUse", json_pack("{s:s, s:{s:s}, s:s}", "tool_name", "Bash", "tool_input",
					  "command", command, "tool_use_id", "tui"));
	if (pipe2(out, O_CLOEXEC) < 0 || (command_pid = fork()) < 0)
		die("tui-agent: '%s' cannot be run: %s\n", command, strerror(errno));
	if (command_pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		setpgid(0, 0);
		dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	turn.output = out[0];
	screen_print("$ ", command, strlen(command));
}

/* Returns the status as a shell tells it. */
static int end_command(void)
{
	int status = 0;

	while (waitpid(command_pid, &status, 0) < 0 && errno == EINTR)
		;
	close(turn.output);
	turn.output = -1;
	command_pid = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void freeze(int64_t ms)
{
	int64_t until = now_ms() + ms;

	while (now_ms() < until)
		usleep(10000);
}

static void spin(void)
{
	static const char *const frames[] = {"-", "\\", "|", "/"};

	snprintf(turn.status, sizeof(turn.status), "%s Working (esc to interrupt)",
		 frames[spins % 4]);
	turn.spin_at = now_ms() + SPIN_MS;
	if (spins++ % GROW_TURNS == 0)
		conversation_add("assistant", "working", 7);
}

/* Returns false when the step is over at once. */
static bool begin_step(const struct step *s)
{
	switch (s->kind) {
	case STEP_WORK:
		spin();
		turn.until = now_ms() + milliseconds(s->text);
		return true;
	case STEP_SILENT:
		turn.silent = true;
		turn.until = now_ms() + milliseconds(s->text);
		return true;
	case STEP_ASK:
		turn.state = TURN_ASKING;
		snprintf(turn.status, sizeof(turn.status), "Allow %.200s? [y/n]", s->text);
		screen_title(false);
		hook_tell("PermissionRequest", json_pack("{s:s, s:{s:s}}", "tool_name", "Bash",
							 "tool_input", "command", s->text));
		return true;
	case STEP_RUN:
		spin();
		start_command(s->text);
		return true;
	case STEP_FREEZE:
		freeze(milliseconds(s->text));
		return false;
	case STEP_EXIT:
		agent_exit((int)strtol(s->text, NULL, 10), "told to");
	case STEP_CRASH:
		raise(SIGKILL);
		return false;
	case STEP_NOECHO:
	case STEP_ECHO:
		turn.no_echo = s->kind == STEP_NOECHO;
		return false;
	case STEP_DIE:
		turn.die_at = s->text[0];
		return false;
	case STEP_SAY:
		screen_print("", s->text, strlen(s->text));
		return false;
	}
	return false;
}

static void end_turn(void)
{
	static const char words_said[] = "Done.";

	turn.state = TURN_IDLE;
	conversation_add("assistant", words_said, sizeof(words_said) - 1);
	screen_print("", words_said, sizeof(words_said) - 1);
	screen_title(false);
	hook_tell("Stop", json_pack("{s:b, s:s}", "stop_hook_active", 0, "last_assistant_message",
				    words_said));
	record("done", "{}");
}

static void go_on(void)
{
	turn.state = TURN_BUSY;
	while (step_next < step_count) {
		turn.status[0] = '\0';
		turn.until = turn.spin_at = 0;
		turn.silent = false;
		if (begin_step(&steps[step_next++]))
			return;
	}
	turn.status[0] = '\0';
	turn.until = turn.spin_at = 0;
	turn.silent = false;
	end_turn();
}

void turn_begin(const char *bytes, size_t len)
{
	text_clear(&turn.prompt);
	text_add(&turn.prompt, bytes, len);
	record("prompt", "{s:o}", "text", record_text(bytes, len));
	conversation_add("user", bytes, len);
	if (!turn.no_echo)
		screen_print("> ", bytes, len);
	turn.state = TURN_BUSY;
	screen_title(true);
	read_steps(turn.prompt.data);
	go_on();
}

void turn_on_time(void)
{
	int64_t now = now_ms();

	if (turn.until && now >= turn.until)
		go_on();
	else if (turn.spin_at && now >= turn.spin_at)
		spin();
}

void turn_on_output(void)
{
	char chunk[4096];
	ssize_t n = read(turn.output, chunk, sizeof(chunk));
	int status;

	if (n > 0) {
		text_add(&command_output, chunk, (size_t)n);
		screen_print("", chunk, (size_t)(chunk[n - 1] == '\n' ? n - 1 : n));
		return;
	}
	if (n < 0 && errno == EINTR)
		return;
	status = end_command();
	record("ran", "{s:s, s:i, s:o}", "command", steps[step_next - 1].text, "status", status,
	       "output", record_text(command_output.data, command_output.len));
	text_clear(&command_output);
	hook_tell("PostToolUse", json_pack("{s:s, s:s, s:i}", "tool_name", "Bash", "tool_use_id",
					   "tui", "duration_ms", 1));
	go_on();
}

void turn_answer(bool allowed)
{
	record("answer", "{s:s, s:b}", "to", steps[step_next - 1].text, "allowed", allowed);
	screen_print("", allowed ? "Allowed." : "Refused.", allowed ? 8 : 8);
	screen_title(true);
	if (allowed)
		hook_tell("PostToolUse",
			  json_pack("{s:s, s:s}", "tool_name", "Bash", "tool_use_id", "tui"));
	go_on();
}

void turn_interrupt(void)
{
	if (command_pid) {
		kill(-command_pid, SIGKILL);
		end_command();
		text_clear(&command_output);
	}
	step_next = step_count;
	turn.status[0] = '\0';
	turn.until = turn.spin_at = 0;
	turn.silent = false;
	turn.state = TURN_IDLE;
	record("interrupted", "{}");
	screen_print("", "Interrupted.", 12);
	screen_title(false);
}
