/*
 * launcher.c: the client that started this process.
 * Clients start their servers and hooks by a shell as often as not, and the shell need not be replaced by what
 * it runs. So shells are passed over, up to the first process that is none.
 */
#include "cli/launcher.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define STEPS_MAX 8 /* shells in shells */
#define ABOVE_MAX 1024
#define ENVIRONMENT_MAX ((size_t)8 * 1024 * 1024) /* the kernel allows less */
#define RUN "BELFRY_RUN="

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

bool launcher_find(struct process_id *ret)
{
	pid_t pid = getppid();
	struct error err = {0};
	int64_t start;

	for (int i = 0; i < STEPS_MAX && pid > 1; i++) {
		if (!runs_shell(pid))
			return process_identify(pid, ret, &err) == 0;
		if (process_parent(pid, &pid, &start) < 0)
			return false;
	}
	return false;
}

/* What a process changes of its environment later is not seen there; what its children get is. */
static char *mission_of(pid_t pid)
{
	AUTO_BUF struct buf text = {0};
	struct error unreadable = {0};
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	if (file_read(path, ENVIRONMENT_MAX, &text, &unreadable) < 0)
		return NULL;
	for (const char *p = text.data; p && p < text.data + text.len; p += strlen(p) + 1)
		if (strncmp(p, RUN, strlen(RUN)) == 0 && p[strlen(RUN)])
			return mem_strndup(p + strlen(RUN), strcspn(p + strlen(RUN), "/"));
	return NULL;
}

char *launcher_mission(void)
{
	pid_t pid = getpid();
	char *found = NULL;
	int64_t start;

	for (int i = 0; !found && i < ABOVE_MAX && pid > 0; i++) {
		found = mission_of(pid);
		if (process_parent(pid, &pid, &start) < 0)
			break;
	}
	return found;
}
