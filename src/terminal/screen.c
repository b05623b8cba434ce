/*
 * screen.c: the whole terminal.
 * Drawn on the alternate screen, line by line over what was there, so nothing flickers. Signals
 * arrive as a descriptor and Ctrl-C as a key, so there is one way out, and it puts everything back:
 * the screen, the cursor, line wrap and the keyboard. What ends a program without asking, abort()
 * and its like, is caught just for that and goes on.
 */
#include "terminal/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#define LINES_DEFAULT 24
#define COLUMNS_DEFAULT 80

#define ENTER "\033[?1049h\033[?25l\033[?7l" KEYS_MARK_PASTES
#define LEAVE "\033[0m" KEYS_LEAVE_PASTES "\033[?7h\033[?25h\033[?1049l"

static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP};
static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct screen {
	struct termios keys; /* as they were */
	sigset_t signals;    /* as they were */
	int signal_fd;
	bool entered;	     /* the terminal is ours just now */
	bool resized, ended; /* to be told */
	int ended_by;	     /* a signal; 0: none */
	bool interrupted;    /* to be told, as Ctrl-C */
	struct input input;
	struct buf drawn; /* what is on the screen; empty: unknown */
};

static struct screen *current; /* for whoever ends the program without asking */
static struct sigaction fatal_before[COUNT(fatal)];

bool screen_is_possible(void)
{
	const char *term = getenv("TERM");

	return isatty(0) && isatty(1) && term && *term && strcmp(term, "dumb") != 0;
}

void screen_size(const struct screen *s, size_t *ret_lines, size_t *ret_columns)
{
	struct winsize size = {0};

	(void)s;
	if (ioctl(1, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){0};
	*ret_lines = size.ws_row ? size.ws_row : LINES_DEFAULT;
	*ret_columns = size.ws_col ? size.ws_col : COLUMNS_DEFAULT;
}

/* --- in and out --- */

static int enter(struct screen *s, struct error *err)
{
	struct termios keys = s->keys;

	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	keys.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	keys.c_cc[VMIN] = 0;
	keys.c_cc[VTIME] = 0;
	if (tcsetattr(0, TCSANOW, &keys) < 0)
		return error_set_errno(err, errno, "cannot change the terminal's settings");
	fd_write_all(1, ENTER, strlen(ENTER));
	buf_clear(&s->drawn);
	s->entered = true;
	return 0;
}

/* Also called while the program is being ended: nothing but system calls. */
static void leave(struct screen *s)
{
	if (!s->entered)
		return;
	s->entered = false;
	fd_write_all(1, LEAVE, strlen(LEAVE));
	tcsetattr(0, TCSANOW, &s->keys);
}

static void block_signals(struct screen *s)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < COUNT(taken); i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, s->entered ? NULL : &s->signals);
	if (s->signal_fd < 0)
		s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A fault comes again when this returns and finds its old effect; what was sent is sent again. */
static void on_fatal(int sig, siginfo_t *info, void *unused)
{
	(void)unused;
	if (current)
		leave(current);
	for (size_t i = 0; i < COUNT(fatal); i++)
		if (fatal[i] == sig)
			sigaction(sig, &fatal_before[i], NULL);
	if (info->si_code <= 0)
		raise(sig);
}

static void on_exit_leave(void)
{
	if (current)
		leave(current);
}

static void guard(struct screen *s)
{
	struct sigaction act = {.sa_sigaction = on_fatal, .sa_flags = SA_NODEFER | SA_SIGINFO};
	static bool at_exit;

	current = s;
	for (size_t i = 0; i < COUNT(fatal); i++)
		sigaction(fatal[i], &act, &fatal_before[i]);
	if (!at_exit)
		at_exit = atexit(on_exit_leave) == 0;
}

static void unguard(void)
{
	current = NULL;
	for (size_t i = 0; i < COUNT(fatal); i++)
		sigaction(fatal[i], &fatal_before[i], NULL);
}

int screen_open(struct screen **ret, struct error *err)
{
	struct screen *s = mem_zalloc(sizeof(*s));
	int r;

	s->signal_fd = -1;
	block_signals(s);
	if (s->signal_fd < 0)
		r = error_set_errno(err, errno, "cannot listen for signals");
	else if (tcgetattr(0, &s->keys) < 0)
		r = error_set_errno(err, errno, "cannot read the terminal's settings");
	else
		r = enter(s, err);
	if (r < 0) {
		screen_close(s);
		return r;
	}
	guard(s);
	*ret = s;
	return 0;
}

void screen_close(struct screen *s)
{
	sigset_t signals;
	int ended_by;

	if (!s)
		return;
	leave(s);
	if (current == s)
		unguard();
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	buf_fini(&s->drawn);
	input_fini(&s->input);
	signals = s->signals;
	ended_by = s->ended_by;
	free(s);
	/* Whoever sent a signal expects that we end by it. */
	if (ended_by)
		raise(ended_by);
	sigprocmask(SIG_SETMASK, &signals, NULL);
}

void screen_pause(struct screen *s)
{
	leave(s);
	sigprocmask(SIG_SETMASK, &s->signals, NULL);
}

static void come_back(struct screen *s)
{
	struct error err = {0};

	block_signals(s);
	s->resized = true;
	/* A terminal that cannot be had again has gone. */
	if (enter(s, &err) < 0)
		s->ended = true;
}

void screen_resume(struct screen *s)
{
	if (s->entered)
		return;
	/* Keys that were meant for the child and came too late are not for us. */
	tcflush(0, TCIFLUSH);
	s->input.len = 0;
	come_back(s);
}

/* Ctrl-Z: the shell has the terminal until it lets us go on. Without one, nothing happens. */
static void suspend(struct screen *s)
{
	struct sigaction stop = {.sa_handler = SIG_DFL}, before;

	screen_pause(s);
	sigaction(SIGTSTP, &stop, &before);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &before, NULL);
	come_back(s);
}

/* --- pictures --- */

/*
 * Each line is wiped before it is written and not after: behind a line as wide as the terminal the
 * cursor still stands on its last character.
 */
void screen_draw(struct screen *s, const struct buf *picture)
{
	AUTO_BUF struct buf out = {0};
	size_t lines, columns, line = 0;

	screen_size(s, &lines, &columns);
	buf_add_str(&out, "\033[H");
	for (const char *p = buf_text(picture); *p && line < lines; line++) {
		size_t len = strcspn(p, "\n");

		buf_add_str(&out, line ? "\n\033[K" : "\033[K");
		buf_add(&out, p, len);
		p += len + (p[len] == '\n');
	}
	if (line < lines)
		buf_add_str(&out, line ? "\n\033[J" : "\033[J");
	if (!s->entered ||
	    (out.len == s->drawn.len && memcmp(out.data, s->drawn.data, out.len) == 0))
		return;
	fd_write_all(1, out.data, out.len);
	buf_fini(&s->drawn);
	s->drawn = (struct buf){out.data, out.len, out.cap};
	out = (struct buf){0};
}

/* --- keys --- */

static void read_signals(struct screen *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			s->resized = true;
			break;
		case SIGTSTP:
			suspend(s);
			break;
		case SIGINT:
			s->interrupted = true; /* as the key does */
			break;
		default:
			s->ended_by = (int)info.ssi_signo;
			s->ended = true;
		}
	}
}

static void read_keys(struct screen *s)
{
	if (input_read(&s->input) < 0 && errno != EINTR && errno != EAGAIN)
		s->ended = true;
}

/* Until something comes, at most so long. Returns 0 when nothing did. */
static int rest(struct screen *s, int timeout_ms)
{
	struct pollfd fds[] = {{0, POLLIN, 0}, {s->signal_fd, POLLIN, 0}};

	if (poll(fds, 2, timeout_ms) <= 0)
		return 0;
	if (fds[1].revents)
		read_signals(s);
	if (fds[0].revents & POLLIN)
		read_keys(s);
	else if (fds[0].revents)
		s->ended = true; /* the terminal is gone */
	return 1;
}

const char *screen_pasted(const struct screen *s)
{
	return buf_text(&s->input.paste);
}

static int next_key(struct screen *s)
{
	int key = input_take(&s->input, false);

	while (key == KEY_NONE && input_patience(&s->input) && !s->ended)
		key = input_take(&s->input, rest(s, input_patience(&s->input)) == 0);
	if (s->interrupted || key == KEY_CTRL_D)
		key = KEY_CTRL_C;
	s->interrupted = false;
	if (key == KEY_CTRL_L)
		buf_clear(&s->drawn); /* somebody else wrote over it */
	if (key == KEY_CTRL_Z)
		suspend(s);
	return key == KEY_CTRL_L || key == KEY_CTRL_Z ? KEY_RESIZED : key;
}

int screen_key(struct screen *s, int timeout_ms)
{
	usec_t until = clock_monotonic() + timeout_ms * USEC_PER_MSEC;

	for (;;) {
		usec_t left = until - clock_monotonic();
		int key = s->ended ? KEY_ENDED : next_key(s);

		if (key == KEY_NONE && s->resized) {
			s->resized = false;
			buf_clear(&s->drawn);
			return KEY_RESIZED;
		}
		if (key != KEY_NONE)
			return key;
		if (left <= 0)
			return KEY_NONE;
		rest(s, (int)((left + USEC_PER_MSEC - 1) / USEC_PER_MSEC));
	}
}
