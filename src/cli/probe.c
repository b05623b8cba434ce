/*
 * probe.c: is the condition of a new reminder already true?
 * "Remind me until the build is green" on a green build completes at its first check and never
 * says a word, which looks like a reminder that was lost. So whoever adds one is told, and the one
 * to ask is the command line: it may wait a moment, the daemon's loop may not. The answer is only a
 * warning. Whatever keeps it from being found out (no configuration, no folder, no time) is the
 * business of the first real check, which records it.
 */
#include "cli/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/path.h"

#define PROBE_USEC (5 * USEC_PER_SEC)

struct probe {
	const char *command;
	const char *directory;
	char *const *environment; /* the agent's; may be NULL */
	const char *agent, *id, *name;
};

/* In the child. A command that outlived a Ctrl-C of ours would be nobody's. */
static _Noreturn void become_condition(const struct probe *p)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (char *const *v = p->environment; v && *v; v++)
		putenv(*v);
	setenv("BELFRY_AGENT", p->agent, 1);
	setenv("BELFRY_ATTEMPT", "1", 1);
	setenv("BELFRY_REMINDER_ID", p->id, 1);
	setenv("BELFRY_REMINDER_NAME", p->name, 1);
	if (dup2(null, 0) >= 0 && dup2(null, 1) >= 0 && dup2(null, 2) >= 0 &&
	    chdir(p->directory) == 0)
		execl("/bin/sh", "sh", "-c", p->command, (char *)NULL);
	_exit(127);
}

static void wait_end(int pidfd)
{
	usec_t deadline = clock_monotonic() + PROBE_USEC;
	usec_t left;

	while ((left = deadline - clock_monotonic()) > 0) {
		struct pollfd end = {pidfd, POLLIN, 0};

		if (poll(&end, 1, (int)(left / USEC_PER_MSEC) + 1) > 0 || errno != EINTR)
			return;
	}
}

/* It ends, or its time does; either way nothing of its process group is left. */
static bool is_true(const struct probe *p)
{
	AUTO_CLOSE int pidfd = -1;
	int status = -1;
	pid_t pid = fork();

	if (pid < 0)
		return false;
	if (pid == 0)
		become_condition(p);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd >= 0)
		wait_end(pidfd);
	/* Not reaped yet, so the number is still its own. */
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool ask(const struct home *home, const json_t *reminder, const char *command)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(free) char *own = NULL;
	struct error ignored = {0};
	const struct config_agent *agent;
	struct probe p = {.command = command,
			  .agent = text_of(reminder, "agent"),
			  .id = text_of(reminder, "id"),
			  .name = text_of(reminder, "name")};

	if (config_load(home->config_file, &config, &ignored) < 0 || path_home(&own, &ignored) < 0)
		return false;
	agent = config_agent(config, p.agent, &ignored);
	if (!agent)
		return false;
	p.directory = agent->directory ? agent->directory : own;
	p.environment = agent->environment;
	return is_true(&p);
}

void probe_condition(const struct home *home, json_t *reminder)
{
	const json_t *condition = json_object_get(reminder, "condition");
	const char *command = text_of(condition, "command");
	json_t *warnings = json_object_get(reminder, "warnings");

	if (!*command || strcmp(text_of(condition, "mode"), "until") != 0)
		return;
	if (json_is_array(warnings) && ask(home, reminder, command))
		json_array_append_new(warnings,
				      json_string("the condition is already true: the first check "
						  "will complete it, and it will never fire"));
}
