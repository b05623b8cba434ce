/*
 * tui-record.c: what tui-agent leaves behind: its record, its conversation, and what its hooks are
 * told. Every line is one write at the end of its file, so that nobody ever reads half of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tui.h"

struct told told;

static int64_t wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void append(const char *path, json_t *stolen)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char *line = json_dumps(stolen, JSON_COMPACT);
	struct text out = {0};

	if (fd < 0 || !line)
		die("cannot write '%s': %s\n", path, strerror(errno));
	text_add(&out, line, strlen(line));
	text_add(&out, "\n", 1);
	write_all(fd, out.data, out.len);
	close(fd);
	free(line);
	text_clear(&out);
	json_decref(stolen);
}

json_t *record_text(const char *bytes, size_t len)
{
	json_t *text = json_stringn(bytes ? bytes : "", len);
	struct text hex = {0};
	char digits[3];

	if (text)
		return text;
	for (size_t i = 0; i < len; i++) {
		snprintf(digits, sizeof(digits), "%02x", (unsigned char)bytes[i]);
		text_add(&hex, digits, 2);
	}
	text = json_pack("{s:s}", "hex", hex.data);
	text_clear(&hex);
	return text;
}

void record(const char *event, const char *fmt, ...)
{
	json_t *line, *more;
	va_list ap;

	if (!told.record)
		return;
	line = json_pack("{s:I, s:s, s:i}", "at", (json_int_t)wall_us(), "event", event, "pid",
			 (int)getpid());
	va_start(ap, fmt);
	more = json_vpack_ex(NULL, 0, fmt, ap);
	va_end(ap);
	if (!line || !more)
		die("tui-agent: '%s' cannot be recorded\n", event);
	json_object_update(line, more);
	json_decref(more);
	append(told.record, line);
}

/* --- the conversation --------------------------------------------------------------------- */

void conversation_open(bool resume)
{
	struct stat st;

	if (!told.session || !told.folder)
		return;
	mkdir(told.folder, 0700);
	snprintf(told.transcript, sizeof(told.transcript), "%s/%s.jsonl", told.folder,
		 told.session);
	if (resume && stat(told.transcript, &st) < 0)
		die("No conversation found with session ID: %s\n", told.session);
	if (!resume && stat(told.transcript, &st) == 0)
		die("Error: Session ID %s is already in use.\n", told.session);
	if (!resume)
		conversation_add("system", "begun", 5);
}

void conversation_add(const char *role, const char *bytes, size_t len)
{
	if (told.transcript[0])
		append(told.transcript,
		       json_pack("{s:s, s:o}", "role", role, "content", record_text(bytes, len)));
}

/* --- hooks -------------------------------------------------------------------------------- */

/* The shell gets the event as JSON on its standard input; what it prints is nothing to us. */
static void run_hook(const char *command, const char *input)
{
	int in[2], status = 0;
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		die("tui-agent: a hook cannot be started: %s\n", strerror(errno));
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		dup2(in[0], STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	write_all(in[1], input, strlen(input));
	close(in[1]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		record("hook", "{s:s, s:i}", "command", command, "status", status);
}

/* As in claude's settings: hooks.EVENT[].hooks[].command */
static void run_settings(const char *event, const char *input)
{
	json_t *settings = json_load_file(told.settings, 0, NULL), *group, *hook;
	const char *command;
	size_t i, j;

	if (!settings)
		die("tui-agent: '%s' are no settings\n", told.settings);
	json_array_foreach(json_object_get(json_object_get(settings, "hooks"), event), i, group)
		json_array_foreach(json_object_get(group, "hooks"), j, hook)
	{
		command = json_string_value(json_object_get(hook, "command"));
		if (command)
			run_hook(command, input);
	}
	json_decref(settings);
}

void hook_tell(const char *event, json_t *more)
{
	char cwd[4096] = "", command[4096];
	json_t *o;
	char *input;

	if (!told.settings && !told.hook) {
		json_decref(more);
		return;
	}
	o = json_pack("{s:s, s:s, s:s, s:s}", "session_id", told.session ? told.session : "",
		      "transcript_path", told.transcript, "cwd",
		      getcwd(cwd, sizeof(cwd)) ? cwd : "", "hook_event_name", event);
	json_object_update(o, more);
	json_decref(more);
	input = json_dumps(o, JSON_COMPACT);
	json_decref(o);
	if (!input)
		die("tui-agent: '%s' cannot be told\n", event);
	if (told.settings)
		run_settings(event, input);
	if (told.hook) {
		snprintf(command, sizeof(command), "%s %s", told.hook, event);
		run_hook(command, input);
	}
	free(input);
}

void prompt_tell(const char *bytes, size_t len)
{
	hook_tell("UserPromptSubmit", json_pack("{s:o}", "prompt", record_text(bytes, len)));
}
