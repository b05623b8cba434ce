/*
 * launcher.c: the client that started this process.
 * Clients start their servers and hooks by a shell as often as not, and the shell need not be replaced by what
 * it runs. So shells are passed over, up to the first process that is none.
 */
#include "cli/launcher.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS_MAX 8 /* shells in shells */
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

/* By the program's file: a process that runs a script is named for the script. */
static bool runs_shell(pid_t pid)
{
	char link[32], path[PATH_MAX];
	const char *slash;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	slash = strrchr(path, '/');
	return is_shell(slash ? slash + 1 : path);
}

/* "42 (the name) S 7 …": a name may hold brackets and blanks, so its end is the last bracket. 0: unknown. */
static pid_t parent_of(pid_t pid)
{
	char path[32], text[STAT_MAX];
	const char *end;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = '\0';
	end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

bool launcher_find(struct process_id *ret)
{
	pid_t pid = getppid();
	struct error err = {0};

	for (int i = 0; i < STEPS_MAX && pid > 1; i++) {
		if (!runs_shell(pid))
			return process_identify(pid, ret, &err) == 0;
		pid = parent_of(pid);
	}
	return false;
}
