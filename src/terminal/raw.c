/*
 * raw.c: see raw.h.
 * What was typed before a question stays for it, as on any terminal. A terminal that can only write
 * lines is not asked to mark pastes: it would show the words that ask for it.
 */
#include "terminal/raw.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "terminal/keys.h"

static struct input input = {.lines = true};
static struct termios saved;
static struct sigaction saved_term, saved_hup;
static volatile sig_atomic_t is_raw;

static bool marks_pastes(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0;
}

/* Also called while the program is being ended: nothing but system calls, and getenv(). */
static void restore(void)
{
	if (!is_raw)
		return;
	is_raw = 0;
	if (marks_pastes())
		fd_write_all(1, KEYS_LEAVE_PASTES, strlen(KEYS_LEAVE_PASTES));
	tcsetattr(0, TCSANOW, &saved);
}

static void on_fatal(int signal)
{
	restore();
	raise(signal); /* SA_RESETHAND: the default action follows */
}

int raw_begin(void)
{
	struct sigaction act = {.sa_handler = on_fatal, .sa_flags = SA_RESETHAND | SA_NODEFER};
	struct termios raw;

	if (tcgetattr(0, &saved) < 0)
		return -1;
	raw = saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	sigaction(SIGTERM, &act, &saved_term);
	sigaction(SIGHUP, &act, &saved_hup);
	is_raw = 1;
	if (tcsetattr(0, TCSADRAIN, &raw) < 0) {
		raw_end();
		return -1;
	}
	if (marks_pastes())
		fd_write_all(1, KEYS_MARK_PASTES, strlen(KEYS_MARK_PASTES));
	return 0;
}

void raw_end(void)
{
	if (!is_raw)
		return;
	restore();
	sigaction(SIGTERM, &saved_term, NULL);
	sigaction(SIGHUP, &saved_hup, NULL);
}

int raw_key(void)
{
	int key = input_take(&input, false);

	while (key == KEY_NONE) {
		struct pollfd fd = {.fd = 0, .events = POLLIN};
		int patience = input_patience(&input);
		int n = poll(&fd, 1, patience ? patience : -1);

		if (n < 0)
			return errno == EINTR ? KEY_NONE : KEY_ENDED;
		if (n > 0 && input_read(&input) <= 0)
			return KEY_ENDED;
		key = input_take(&input, n == 0);
	}
	return key;
}

const char *raw_pasted(void)
{
	return buf_text(&input.paste);
}
