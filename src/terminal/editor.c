/*
 * editor.c: the one way to start an editor.
 * The variable may hold arguments or a whole shell line, as it may for git, so a shell reads it; the
 * file's name is an argument of that shell and never part of the line. Keys that interrupt are the
 * editor's while it has the terminal.
 */
#include "terminal/editor.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>

#include "base/mem.h"
#include "terminal/program.h"

#define SHELL_SIGNALLED 128 /* what a shell adds to the signal that ended its command */

/* In the order they are preferred: the first is what Debian lets people choose. */
static const char *const usual[] = {"sensible-editor", "editor", "vim", "vi", "nano", NULL};

static const char *editor_command(void)
{
	static const char *const names[] = {"VISUAL", "EDITOR"};

	for (size_t i = 0; i < 2; i++) {
		const char *value = getenv(names[i]);

		if (value && value[strspn(value, " \t")])
			return value;
	}
	for (size_t i = 0; usual[i]; i++)
		if (program_is_installed(usual[i]))
			return usual[i];
	return NULL;
}

static int failed(const char *command, int status, struct error *err)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : SHELL_SIGNALLED + WTERMSIG(status);

	if (code > SHELL_SIGNALLED)
		error_set(err, ERR_SYSTEM, "the editor '%s' was ended by signal %d", command,
			  code - SHELL_SIGNALLED);
	else
		error_set(err, ERR_SYSTEM, "the editor '%s' failed (exit status %d)", command,
			  code);
	return error_hint(err, "set VISUAL or EDITOR to an editor that works");
}

int editor_run(const char *path, struct error *err)
{
	const char *command = editor_command();
	struct termios keys;
	bool is_terminal = tcgetattr(0, &keys) == 0;
	AUTO(free) char *line = mem_printf("%s \"$@\"", command ? command : "");
	int status;

	if (!command) {
		error_set(err, ERR_SYSTEM, "there is no editor for '%s'", path);
		return error_hint(err, "set VISUAL or EDITOR to the one you use");
	}
	status = program_run((const char *const[]){"/bin/sh", "-c", line, "sh", path, NULL});
	if (status < 0)
		return error_set_errno(err, errno, "cannot start the editor '%s'", command);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	/* One that was killed had no time to do it. */
	if (is_terminal)
		tcsetattr(0, TCSADRAIN, &keys);
	return failed(command, status, err);
}
