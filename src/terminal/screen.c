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
#define ESCAPE_MS 50 /* an Esc that nothing follows within this is the key itself */
#define CTRL_L 12
#define CTRL_Z 26

/* 2004: what is pasted comes between two marks, and is not taken for keys. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[?2004h"
#define LEAVE "\033[0m\033[?2004l\033[?7h\033[?25h\033[?1049l"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"
#define PASTE_MS 1000		      /* one whose end has not come by then ends there */
#define PASTE_MAX ((size_t)64 * 1024) /* bytes that are kept of one */

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
	char pending[256];   /* keys that were read and not asked for yet */
	size_t pending_len;
	struct buf drawn; /* what is on the screen; empty: unknown */
	struct buf paste; /* what was pasted last */
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
	buf_fini(&s->paste);
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
	s->pending_len = 0;
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
			if (s->pending_len < sizeof(s->pending))
				s->pending[s->pending_len++] = 3; /* as the key does */
			break;
		default:
			s->ended_by = (int)info.ssi_signo;
			s->ended = true;
		}
	}
}

static void read_keys(struct screen *s)
{
	ssize_t n = read(0, s->pending + s->pending_len, sizeof(s->pending) - s->pending_len);

	if (n > 0)
		s->pending_len += (size_t)n;
	else if (n < 0 && errno != EINTR && errno != EAGAIN)
		s->ended = true;
}

/* Until something comes, at most so long. */
static void rest(struct screen *s, int timeout_ms)
{
	struct pollfd fds[] = {{0, POLLIN, 0}, {s->signal_fd, POLLIN, 0}};

	if (poll(fds, 2, timeout_ms) <= 0)
		return;
	if (fds[1].revents)
		read_signals(s);
	if (fds[0].revents & POLLIN)
		read_keys(s);
	else if (fds[0].revents)
		s->ended = true; /* the terminal is gone */
}

static void drop_pending(struct screen *s, size_t used)
{
	s->pending_len -= used;
	memmove(s->pending, s->pending + used, s->pending_len);
}

/*
 * All up to the mark that ends a paste. The mark may come in pieces, so what could be its beginning
 * is left for the next look.
 */
static void read_paste(struct screen *s)
{
	size_t mark = strlen(PASTE_END);
	const char *end = NULL;

	buf_clear(&s->paste);
	while (!end) {
		size_t before, text;

		end = memmem(s->pending, s->pending_len, PASTE_END, mark);
		text = end			? (size_t)(end - s->pending)
		       : s->pending_len >= mark ? s->pending_len - mark + 1
						: 0;
		if (s->paste.len < PASTE_MAX)
			buf_add(&s->paste, s->pending, text);
		drop_pending(s, text + (end ? mark : 0));
		if (end)
			break;
		before = s->pending_len;
		rest(s, PASTE_MS);
		if (s->pending_len == before || s->ended) {
			s->pending_len = 0; /* it was part of the paste, too */
			break;
		}
	}
	text_mend_utf8(s->paste.data, s->paste.len);
}

const char *screen_pasted(const struct screen *s)
{
	return buf_text(&s->paste);
}

/* The first of the pending keys; KEY_NONE when there is no whole one. */
static int take_key(struct screen *s, bool all)
{
	size_t used = 0;
	int key;

	if (!s->pending_len)
		return KEY_NONE;
	key = screen_decode(s->pending, s->pending_len, all, &used);
	if (used == strlen(PASTE_BEGIN) && memcmp(s->pending, PASTE_BEGIN, used) == 0) {
		drop_pending(s, used);
		read_paste(s);
		return KEY_PASTE;
	}
	if (used == 1 && s->pending[0] == CTRL_Z)
		key = CTRL_Z;
	if (used == 1 && s->pending[0] == CTRL_L)
		key = KEY_RESIZED;
	drop_pending(s, used);
	return key;
}

static int next_key(struct screen *s)
{
	int key = take_key(s, s->pending_len == sizeof(s->pending));

	if (key == KEY_NONE && s->pending_len) {
		rest(s, ESCAPE_MS);
		key = take_key(s, true);
	}
	if (key == KEY_RESIZED)
		buf_clear(&s->drawn); /* Ctrl-L: somebody else wrote over it */
	if (key != CTRL_Z)
		return key;
	suspend(s);
	return KEY_RESIZED;
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
