/* program.c: see program.h. */
#include "terminal/program.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

bool program_is_installed(const char *name)
{
	const char *path = getenv("PATH");

	for (const char *p = path; p && *p;) {
		size_t len = strcspn(p, ":");
		AUTO(free) char *file = mem_printf("%.*s/%s", (int)len, p, name);

		if (len && access(file, X_OK) == 0)
			return true;
		p += len + (p[len] == ':');
	}
	return false;
}

char *program_self(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return mem_strdup(n > 0 && access(path, X_OK) == 0 ? path : "belfry");
}

static _Noreturn void become(const char *const *argv)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

int program_run(const char *const *argv)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
	int status = -1;
	pid_t pid;

	fflush(stdout);
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	pid = fork();
	if (pid == 0)
		become(argv);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	return status;
}
