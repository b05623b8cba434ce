/*
 * watch.c: the terminal while something is watched.
 * Drawn on the alternate screen, line by line over what was there, so nothing flickers. Signals
 * arrive as a descriptor and Ctrl-C as a key, so there is one way out, and it puts everything back:
 * the screen, the cursor, line wrap and the keyboard.
 */
#include "terminal/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/file.h"

#define LOOK_EVERY (250 * USEC_PER_MSEC)
#define DRAW_EVERY USEC_PER_SEC /* durations on the picture grow */
#define LINES_DEFAULT 24
#define CTRL_C 3
#define CTRL_D 4

#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

struct screen {
	struct termios keys; /* as they were */
	sigset_t signals;    /* as they were */
	int signal_fd;
	int ended_by; /* a signal; 0: none */
};

static size_t lines_of_terminal(void)
{
	struct winsize size;

	if (ioctl(1, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return LINES_DEFAULT;
	return size.ws_row;
}

static int screen_enter(struct screen *s, struct error *err)
{
	struct termios keys;
	sigset_t taken;

	/* SIGTSTP too: a stopped watcher would leave its screen to the shell. */
	sigemptyset(&taken);
	for (const int *sig = (const int[]){SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, 0};
	     *sig; sig++)
		sigaddset(&taken, *sig);
	if (tcgetattr(0, &s->keys) < 0)
		return error_set_errno(err, errno, "cannot read the terminal's settings");
	sigprocmask(SIG_BLOCK, &taken, &s->signals);
	s->signal_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	keys = s->keys;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
	keys.c_cc[VMIN] = 0;
	keys.c_cc[VTIME] = 0;
	if (s->signal_fd < 0 || tcsetattr(0, TCSANOW, &keys) < 0) {
		sigprocmask(SIG_SETMASK, &s->signals, NULL);
		return error_set_errno(err, errno, "cannot change the terminal's settings");
	}
	fd_write_all(1, ENTER, strlen(ENTER));
	return 0;
}

static void screen_leave(struct screen *s)
{
	fd_write_all(1, LEAVE, strlen(LEAVE));
	tcsetattr(0, TCSANOW, &s->keys);
	close(s->signal_fd);
	/* Whoever sent a signal expects that we end by it. */
	if (s->ended_by)
		raise(s->ended_by);
	sigprocmask(SIG_SETMASK, &s->signals, NULL);
}

/*
 * Each line over its predecessor, which is wiped before and not after: behind a line as wide as the
 * terminal the cursor still stands on its last character.
 */
static void draw(const struct watch *w)
{
	AUTO_BUF struct buf picture = {0}, out = {0};
	struct style style = style_of(1);
	size_t lines = lines_of_terminal(), line = 0;

	w->draw(w->data, &style, lines, &picture);
	buf_add_str(&out, "\033[H");
	for (const char *p = buf_text(&picture); *p && line < lines; line++) {
		size_t len = strcspn(p, "\n");

		buf_add_str(&out, line ? "\n\033[K" : "\033[K");
		buf_add(&out, p, len);
		p += len + (p[len] == '\n');
	}
	if (line < lines)
		buf_add_str(&out, "\n\033[J");
	fd_write_all(1, out.data, out.len);
}

/* Whether the person wants to leave. A terminal that is gone ends it too. */
static bool read_keys(void)
{
	char keys[64];
	ssize_t n = read(0, keys, sizeof(keys));

	for (ssize_t i = 0; i < n; i++)
		if (keys[i] == 'q' || keys[i] == 'Q' || keys[i] == CTRL_C || keys[i] == CTRL_D)
			return true;
	return n < 0 && errno != EINTR && errno != EAGAIN;
}

/* Whether it is a signal to end by; a new size only wants a new picture. */
static bool read_signals(struct screen *s, bool *resized)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			*resized = true;
		else if (info.ssi_signo == SIGINT)
			return true;
		else if (info.ssi_signo != SIGTSTP)
			s->ended_by = (int)info.ssi_signo;
	}
	return s->ended_by != 0;
}

/* Until something happens or it is time to look again. Returns whether to leave. */
static bool rest(struct screen *s, bool *resized)
{
	struct pollfd fds[] = {{0, POLLIN, 0}, {s->signal_fd, POLLIN, 0}};

	if (poll(fds, 2, (int)(LOOK_EVERY / USEC_PER_MSEC)) <= 0)
		return false;
	if (fds[1].revents && read_signals(s, resized))
		return true;
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return fds[0].revents && read_keys();
}

static int loop(const struct watch *w, struct screen *s, struct error *err)
{
	usec_t drawn = 0;

	for (;;) {
		bool resized = false;
		int news = w->look(w->data, lines_of_terminal(), err);

		if (news < 0)
			return news;
		if (news || clock_monotonic() - drawn >= DRAW_EVERY) {
			draw(w);
			drawn = clock_monotonic();
		}
		if (rest(s, &resized))
			return 0;
		if (resized)
			drawn = 0;
	}
}

int watch_run(const struct watch *w, struct error *err)
{
	const char *term = getenv("TERM");
	struct screen s = {0};
	int r;

	if (!isatty(0) || !isatty(1) || !term || !*term || strcmp(term, "dumb") == 0) {
		error_set(err, ERR_INVALID, "--watch needs a terminal");
		return error_hint(err, "leave out --watch; --json is for programs");
	}
	r = screen_enter(&s, err);
	if (r < 0)
		return r;
	r = loop(w, &s, err);
	screen_leave(&s);
	return r;
}
