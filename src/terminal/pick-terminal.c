/*
 * pick-terminal.c: a picker on a terminal.
 * fzf where it is installed and works, since whoever has it knows its keys; else our own, drawn
 * below the cursor and wiped when it is done; else, on a terminal that can only write lines, a list
 * with numbers. Raw mode is on only while the picker is: a signal that ends the program in between
 * restores the terminal first.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "terminal/ask.h"
#include "terminal/pick.h"

#define ROWS_MOST 10
#define ESCAPE_MS 50 /* an Esc that nothing follows within this is the key itself */
#define FZF_NOTHING 1
#define FZF_CANCELLED 130
#define PICK_UNUSABLE (-1)

/* --- fzf --- */

static _Noreturn void become_fzf(const char *title, int in, int out)
{
	AUTO(free) char *prompt = mem_printf("--prompt=%s> ", title);

	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0)
		execlp("fzf", "fzf", prompt, "--height=~40%", "--layout=reverse", "--with-nth=2..",
		       "--delimiter=\t", "--no-multi", (char *)NULL);
	_exit(127);
}

/* "3<TAB>name  about": the number says which, whatever the text looks like. */
static void write_items(int fd, const struct pick_item *items, size_t count)
{
	AUTO_BUF struct buf all = {0};

	for (size_t i = 0; i < count; i++) {
		buf_printf(&all, "%zu\t", i);
		visible_line(&all, items[i].name);
		buf_add_str(&all, "  ");
		visible_line(&all, items[i].about ? items[i].about : "");
		buf_add_char(&all, '\n');
	}
	/* One that ends early has its reasons; its exit status tells them. */
	if (fd_write_all(fd, all.data, all.len) < 0)
		return;
}

static int fzf_answer(int status, const char *line, size_t count, size_t *ret)
{
	char *end;
	unsigned long index;

	if (!WIFEXITED(status))
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT ? ASK_CANCELLED
									 : PICK_UNUSABLE;
	if (WEXITSTATUS(status) == FZF_NOTHING || WEXITSTATUS(status) == FZF_CANCELLED)
		return ASK_CANCELLED;
	index = strtoul(line, &end, 10);
	if (WEXITSTATUS(status) != 0 || end == line || *end != '\t' || index >= count)
		return PICK_UNUSABLE;
	*ret = index;
	return 0;
}

static bool is_installed(const char *program)
{
	const char *path = getenv("PATH");

	for (const char *p = path; p && *p;) {
		size_t len = strcspn(p, ":");
		AUTO(free) char *file = mem_printf("%.*s/%s", (int)len, p, program);

		if (len && access(file, X_OK) == 0)
			return true;
		p += len + (p[len] == ':');
	}
	return false;
}

static int pick_by_fzf(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_pipe;
	int in[2], out[2], status = 0;
	char line[32] = "";
	ssize_t n;
	pid_t pid;

	if (!is_installed("fzf") || pipe2(in, O_CLOEXEC) < 0)
		return PICK_UNUSABLE;
	if (pipe2(out, O_CLOEXEC) < 0) {
		close(in[0]);
		close(in[1]);
		return PICK_UNUSABLE;
	}
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGPIPE, &ignore, &old_pipe);
	pid = fork();
	if (pid == 0)
		become_fzf(title, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	if (pid > 0)
		write_items(in[1], items, count);
	close(in[1]);
	n = read(out[0], line, sizeof(line) - 1);
	line[n > 0 ? n : 0] = '\0';
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(out[0]);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
	return pid > 0 ? fzf_answer(status, line, count, ret) : PICK_UNUSABLE;
}

/* --- our own --- */

static struct termios saved;
static volatile sig_atomic_t is_raw;

static void restore(void)
{
	if (!is_raw)
		return;
	is_raw = 0;
	tcsetattr(0, TCSANOW, &saved);
}

static void on_fatal(int signal)
{
	restore();
	raise(signal); /* SA_RESETHAND: the default action follows */
}

static int make_raw(void)
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
	is_raw = 1;
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	return tcsetattr(0, TCSAFLUSH, &raw);
}

static size_t rows_for(void)
{
	struct winsize size;

	if (ioctl(1, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return ROWS_MOST;
	if (size.ws_row < 5)
		return 2;
	return size.ws_row - 3U < ROWS_MOST ? size.ws_row - 3U : ROWS_MOST;
}

/* Wipe what was drawn before and draw anew; the cursor stands behind the filter. */
static void show(const struct picker *p, const char *title)
{
	struct style style = style_of(1);
	AUTO_BUF struct buf screen = {0}, out = {0};
	size_t lines = 0, column;

	picker_draw(p, &style, title, rows_for(), &screen);
	for (const char *c = buf_text(&screen); *c; c++)
		lines += *c == '\n';
	column = strcspn(buf_text(&screen), "\n");
	buf_add_str(&out, "\r\033[J");
	for (const char *c = buf_text(&screen); *c; c++)
		*c == '\n' ? buf_add_str(&out, "\r\n") : buf_add_char(&out, *c);
	buf_printf(&out, "\033[%zuA\r", lines);
	/* Characters are not columns: write the line again to stand at its end. */
	buf_add(&out, buf_text(&screen), column);
	if (fd_write_all(1, out.data, out.len) < 0)
		return;
}

/* More bytes that are already there, or come at once: a key may be several. */
static size_t read_keys(char *bytes, size_t room)
{
	struct pollfd more = {.fd = 0, .events = POLLIN};
	ssize_t n = read(0, bytes, room);
	size_t len = n > 0 ? (size_t)n : 0;

	while (len == 1 && bytes[0] == '\033' && poll(&more, 1, ESCAPE_MS) > 0) {
		n = read(0, bytes + len, room - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return n < 0 && errno == EINTR ? SIZE_MAX : len;
}

static enum pick_state feed(struct picker *p, const char *bytes, size_t len)
{
	enum pick_state state = PICK_OPEN;

	for (size_t i = 0, used; i < len && state == PICK_OPEN; i += used) {
		int key = pick_decode(bytes + i, len - i, &used);

		state = picker_key(p, key);
	}
	return state;
}

static int pick_raw(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	enum pick_state state = PICK_OPEN;
	struct picker p;

	fflush(stdout);
	if (make_raw() < 0) {
		is_raw = 0;
		return PICK_UNUSABLE;
	}
	picker_init(&p, items, count);
	while (state == PICK_OPEN) {
		char bytes[64];
		size_t len;

		show(&p, title);
		len = read_keys(bytes, sizeof(bytes));
		if (len == SIZE_MAX)
			continue; /* the window changed, for example */
		state = len ? feed(&p, bytes, len) : PICK_CANCELLED;
	}
	if (state == PICK_CHOSEN)
		*ret = p.matches[p.at];
	picker_fini(&p);
	restore();
	fputs("\r\033[J", stdout);
	printf("%s: %s\n", title, state == PICK_CHOSEN ? items[*ret].name : "");
	return state == PICK_CHOSEN ? 0 : ASK_CANCELLED;
}

/* --- numbers --- */

static int pick_number(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	for (size_t i = 0; i < count; i++) {
		AUTO_BUF struct buf line = {0};

		visible_line(&line, items[i].name);
		buf_add_str(&line, items[i].about && *items[i].about ? "  " : "");
		visible_line(&line, items[i].about ? items[i].about : "");
		printf("  %zu  %s\n", i + 1, buf_text(&line));
	}
	for (;;) {
		AUTO(free) char *text = NULL;
		unsigned long number;
		char *end;

		if (ask_line(title, count == 1 ? "1" : NULL, &text) != 0)
			return ASK_CANCELLED;
		number = *text || count > 1 ? strtoul(text, &end, 10) : (end = text, 1);
		for (size_t i = 0; i < count; i++)
			if (strcmp(items[i].name, text) == 0 || (!*end && number == i + 1)) {
				*ret = i;
				return 0;
			}
		printf("  a number from 1 to %zu, or a name\n", count);
	}
}

int pick(const char *title, const struct pick_item *items, size_t count, size_t *ret)
{
	const char *term = getenv("TERM");
	int r = PICK_UNUSABLE;

	if (term && *term && strcmp(term, "dumb") != 0) {
		r = pick_by_fzf(title, items, count, ret);
		if (r == PICK_UNUSABLE)
			r = pick_raw(title, items, count, ret);
	}
	return r == PICK_UNUSABLE ? pick_number(title, items, count, ret) : r;
}
