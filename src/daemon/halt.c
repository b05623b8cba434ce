/*
 * halt.c: the handler that outlives every loop.
 * libuv's own goes with the last handle of a loop, and leaves the default action until the next loop has one: a
 * signal between the two would kill us. So a handler of ours writes the number into a pipe; a loop polls it,
 * and what no loop has read stays there.
 */
#include "daemon/halt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static struct {
	int ends[2];
	pid_t pid; /* whose handler it is; 0: nobody's yet */
	volatile sig_atomic_t asked, attended;
} h = {.ends = {-1, -1}};

/* A child that has not executed its program yet is asked for itself, and the pipe is not its own. */
static void end_child(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void on_halt(int number)
{
	static const char again[] = "belfry: a second signal: stopped at once\n";
	const char byte = (char)number;
	int saved = errno;

	if (getpid() != h.pid) {
		end_child(number);
		return;
	}
	if (h.asked && !h.attended) {
		(void)!write(STDERR_FILENO, again, sizeof(again) - 1);
		_exit(EXIT_FAILURE);
	}
	h.asked = true;
	/* A full pipe has more of them than anybody needs. */
	(void)!write(h.ends[1], &byte, 1);
	errno = saved;
}

void halt_keep(void)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGQUIT};
	struct sigaction action = {.sa_handler = on_halt, .sa_flags = SA_RESTART};

	if (h.pid)
		return;
	if (pipe2(h.ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		log_warning("a signal will end this daemon at once: %s", strerror(errno));
		return;
	}
	h.pid = getpid();
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

int halt_fd(void)
{
	return h.ends[0];
}

int halt_take(void)
{
	char byte = 0;

	return h.ends[0] >= 0 && read(h.ends[0], &byte, 1) == 1 ? byte : 0;
}

bool halt_is_asked(void)
{
	return h.asked;
}

void halt_attend(bool attended)
{
	h.attended = attended;
}
