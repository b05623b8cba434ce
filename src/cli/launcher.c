/*
 * launcher.c: the client that started this process.
 * Clients start their servers and hooks by a shell as often as not, and the shell need not be replaced by what
 * it runs. So shells are passed over, by their names, up to the first process that is none.
 */
#include "cli/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS_MAX 8 /* shells in shells */
#define NAME_MAX_LEN 16
#define STAT_MAX 1024

static const char *const shells[] = {"sh",  "bash", "dash", "zsh",     "fish", "ksh",  "mksh",
				     "ash", "csh",  "tcsh", "busybox", "nu",   "xonsh"};

static bool is_shell(const char *name)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(shells[i], name) == 0)
			return true;
	return false;
}

/* "42 (the name) S 7 …": a name may hold brackets and blanks, so its end is the last bracket. */
static bool look_at(pid_t pid, char *ret_name, pid_t *ret_parent)
{
	char path[32], text[STAT_MAX], *open, *close;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || strlen(close) < 4)
		return false;
	*close = '\0';
	snprintf(ret_name, NAME_MAX_LEN, "%s", open + 1);
	*ret_parent = (pid_t)strtol(close + 4, NULL, 10);
	return true;
}

bool launcher_find(struct process_id *ret)
{
	pid_t pid = getppid();
	struct error err = {0};

	for (int i = 0; i < STEPS_MAX && pid > 1; i++) {
		char name[NAME_MAX_LEN];
		pid_t parent = 0;

		if (!look_at(pid, name, &parent))
			return false;
		if (!is_shell(name))
			return process_identify(pid, ret, &err) == 0;
		pid = parent;
	}
	return false;
}
