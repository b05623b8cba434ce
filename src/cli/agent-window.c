/*
 * agent-window.c: the window of a live agent, seen from the command line.
 * The daemon has its own connection to the private tmux server; a person's client is another one,
 * and needs no daemon. A window is found by the name of its agent, never by a target that tmux
 * would have to interpret: names may have dots, which would divide it.
 */
#include "cli/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/wrapper.h"
#include "base/mem.h"
#include "terminal/program.h"

#define SESSION "=belfry" /* exactly that one */
#define VIEW "view-"	  /* and the process that made it */
#define WORDS_MAX 32
#define ANSWER_MS 10000
#define TEXT_MOST ((size_t)64 * 1024 * 1024)

void agent_window_fini(struct agent_window *w)
{
	free(w->id);
	free(w->pane);
	*w = (struct agent_window){0};
}

static int need_tmux(struct error *err)
{
	if (program_is_installed("tmux"))
		return 0;
	error_set(err, ERR_UNAVAILABLE, "tmux is not installed: live agents run in it");
	return error_hint(err, "install it, version 3.2 or later: apt-get install tmux");
}

/*
 * Turn this process into `tmux -S SOCKET WORDS...`. A socket whose path has no room in an address
 * is reached by its name, from its folder.
 */
static void become_tmux(const struct home *h, const char *const *words)
{
	AUTO(free) char *socket = home_tmux_socket(h);
	const char *argv[WORDS_MAX + 4] = {"tmux", "-S", socket};
	char *slash = strrchr(socket, '/');

	if (strlen(socket) >= sizeof(((struct sockaddr_un *)NULL)->sun_path)) {
		*slash = '\0';
		if (chdir(socket) < 0)
			return;
		argv[2] = slash + 1;
	}
	for (size_t i = 0; i < WORDS_MAX && words[i]; i++)
		argv[i + 3] = words[i];
	/* Of a tmux that this command was typed in: not the one that is meant. */
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
	execvp(argv[0], (char *const *)(uintptr_t)argv);
}

static _Noreturn void answer_into(int fd, const struct home *h, const char *const *words)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0 && dup2(null, 0) >= 0 && dup2(fd, 1) >= 0 && dup2(fd, 2) >= 0)
		become_tmux(h, words);
	_exit(127);
}

/* Everything until the end. Whether it came in time: a server that is stopped must not hang us. */
static bool read_answer(int fd, struct buf *ret)
{
	usec_t until = clock_monotonic() + ANSWER_MS * USEC_PER_MSEC;

	while (ret->len < TEXT_MOST) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		usec_t left = until - clock_monotonic();
		char chunk[16384];
		ssize_t n;

		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)(left / USEC_PER_MSEC) + 1) <= 0)
			continue;
		n = read(fd, chunk, sizeof(chunk));
		if (n == 0)
			return true;
		if (n > 0)
			buf_add(ret, chunk, (size_t)n);
		else if (errno != EINTR)
			return false;
	}
	return false;
}

/* Run one command. Returns 1 when it succeeded, 0 when it did not; *ret is what it printed. */
static int ask_tmux(const struct home *h, const char *const *words, struct buf *ret,
		    struct error *err)
{
	int ends[2], status = 0, r = need_tmux(err);
	bool answered;
	pid_t pid;

	if (r < 0)
		return r;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set_errno(err, errno, "cannot make a pipe");
	pid = fork();
	if (pid == 0)
		answer_into(ends[1], h, words);
	close(ends[1]);
	answered = pid > 0 && read_answer(ends[0], ret);
	close(ends[0]);
	if (pid > 0 && !answered)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (answered)
		return WIFEXITED(status) && WEXITSTATUS(status) == 0;
	error_set(err, ERR_UNAVAILABLE, "the tmux server of live agents does not answer");
	return error_hint(err, "belfry agent ls says what is known of them");
}

int agent_tmux_version(const struct home *h, char **ret, struct error *err)
{
	static const char *const words[] = {"-V", NULL};
	AUTO_BUF struct buf text = {0};
	AUTO(free) char *line = NULL;
	int r = ask_tmux(h, words, &text, err);

	if (r < 0)
		return r;
	line = mem_strndup(buf_text(&text), strcspn(buf_text(&text), "\n"));
	if (r == 0) {
		error_set(err, ERR_UNAVAILABLE, "'tmux -V' failed: %s", line);
		return error_hint(err, "install tmux 3.2 or later");
	}
	*ret = steal_ptr(&line);
	return 0;
}

/* "@2 %3 builder": the window of that name. The pane is the one the row names, if there are two. */
static bool read_window(char *line, const char *name, const char *pane, struct agent_window *ret)
{
	char *save = NULL, *id = strtok_r(line, " ", &save), *of = strtok_r(NULL, " ", &save);

	if (!of || strcmp(save, name) != 0 || (ret->id && strcmp(of, pane) != 0))
		return false;
	agent_window_fini(ret);
	*ret = (struct agent_window){mem_strdup(id), mem_strdup(of)};
	return true;
}

int agent_window_find(const struct home *h, const json_t *row, struct agent_window *ret,
		      struct error *err)
{
	static const char *const words[] = {
		"list-panes", "-s", "-t", SESSION, "-F", "#{window_id} #{pane_id} #{window_name}",
		NULL};
	AUTO_BUF struct buf text = {0};
	const char *name = view_text(row, "name");
	char *save = NULL;
	int r = ask_tmux(h, words, &text, err);

	if (r < 0)
		return r;
	if (r > 0 && text.len)
		for (char *l = strtok_r(text.data, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
			read_window(l, name, view_text(row, "pane"), ret);
	if (ret->id)
		return 0;
	if (strcmp(view_text(row, "state"), "starting") == 0) {
		error_set(err, ERR_UNAVAILABLE, "the window of '%s' is not open yet", name);
		return error_hint(err, "it is starting; try again in a moment");
	}
	error_set(err, ERR_UNAVAILABLE, "the window of '%s' is not there", name);
	return error_hint(err, "it may just have ended: belfry agent ls");
}

int agent_window_text(const struct home *h, const struct agent_window *w, int64_t above,
		      struct buf *ret, struct error *err)
{
	AUTO(free) char *from = mem_printf("-%" PRId64, above);
	const char *const words[] = {"capture-pane",	  "-p", "-t", w->pane, above ? "-S" : NULL,
				     above ? from : NULL, NULL};
	int r = ask_tmux(h, words, ret, err);

	if (r == 0) {
		AUTO_BUF struct buf why = {0};

		visible_line(&why, buf_text(ret));
		return error_set(err, ERR_UNAVAILABLE, "its window cannot be read: %s",
				 buf_text(&why));
	}
	while (r > 0 && ret->len && ret->data[ret->len - 1] == '\n')
		ret->data[--ret->len] = '\0';
	return r < 0 ? r : 0;
}

/* A client that is suspended suspends us, too: the shell has to notice. */
static int wait_client(pid_t pid)
{
	int status = 0;

	for (;;) {
		if (waitpid(pid, &status, WUNTRACED) < 0 && errno != EINTR)
			return EXIT_FAILURE;
		if (WIFSTOPPED(status))
			raise(SIGSTOP);
		else if (WIFEXITED(status) || WIFSIGNALED(status))
			return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
	}
}

static int refuse_terminal(const char *why, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE, "this terminal cannot show a window: %s", why);
	return error_hint(err, "'belfry agent peek' prints what it shows");
}

static int need_terminal(struct error *err)
{
	const char *term = getenv("TERM");
	AUTO(free) char *why = mem_printf("TERM is '%s'", term ? term : "");

	if (term && *term && strcmp(term, "dumb") != 0 && strcmp(term, "unknown") != 0)
		return 0;
	return refuse_terminal(why, err);
}

/*
 * What a client that failed wrote. Of terminals tmux knows more than we do, but names nothing that
 * one could do. It has ended, so there is nothing to wait for.
 */
static int tell_failure(int fd, int status, struct error *err)
{
	AUTO_BUF struct buf line = {0};
	char words[512] = "";
	ssize_t n = read(fd, words, sizeof(words) - 1);

	if (n <= 0)
		return status;
	words[strcspn(words, "\n")] = '\0';
	visible_line(&line, words);
	if (strstr(words, "terminal"))
		return refuse_terminal(buf_text(&line), err);
	fprintf(stderr, "%s\n", buf_text(&line));
	return status;
}

/*
 * The window stays as small as the last terminal that showed it; what it shows is then cut for
 * everybody, until somebody larger comes. When nobody looks any more it has its usual size again.
 */
static void restore_size(const struct home *h, const struct agent_window *w)
{
	const char *const ask[] = {
		"display-message", "-p", "-t", w->pane, "#{window_active_clients_list}", NULL};
	const char *const resize[] = {
		"resize-window", "-t", w->id, "-x", "120", "-y",	  "40", ";",
		"set-option",	 "-w", "-u",  "-t", w->id, "window-size", NULL};
	AUTO_BUF struct buf text = {0};
	struct error unused = {0};

	if (ask_tmux(h, ask, &text, &unused) <= 0 || strstr(buf_text(&text), "/dev/"))
		return;
	buf_clear(&text);
	ask_tmux(h, resize, &text, &unused);
}

/*
 * Each terminal has a session of its own, a view, and whoever made it ends it. tmux would do that by
 * destroy-unattached, but then tmux 3.3a dies, with all agents, when two people leave at the same moment.
 */
static void end_view(const struct home *h, const char *view)
{
	AUTO(free) char *target = mem_printf("=%s", view);
	const char *const words[] = {"kill-session", "-t", target, NULL};
	AUTO_BUF struct buf text = {0};
	struct error unused = {0};

	ask_tmux(h, words, &text, &unused);
}

/* Those whose maker was killed, and that nobody looks at. */
static void end_left_views(const struct home *h)
{
	static const char *const words[] = {"list-sessions", "-F",
					    "#{session_attached} #{session_name}", NULL};
	static const char mark[] = "0 " VIEW;
	AUTO_BUF struct buf text = {0};
	struct error unused = {0};
	char *save = NULL;

	if (ask_tmux(h, words, &text, &unused) <= 0 || !text.len)
		return;
	for (char *l = strtok_r(text.data, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		pid_t maker = strncmp(l, mark, strlen(mark)) == 0
				      ? (pid_t)strtol(l + strlen(mark), NULL, 10)
				      : 0;

		if (maker > 0 && kill(maker, 0) < 0 && errno == ESRCH)
			end_view(h, l + strlen("0 "));
	}
}

int agent_window_attach(const struct home *h, const struct agent_window *w, bool read_only,
			struct error *err)
{
	AUTO(free) char *view = mem_printf(VIEW "%ld", (long)getpid());
	AUTO(free) char *target = mem_printf("%s:%s", view, w->id);
	/* Whoever only looks does not decide how large it is. */
	const char *const words[] = {"new-session", "-f", read_only ? "read-only,ignore-size" : "",
				     "-t", SESSION, "-s", view, ";", "set-option", "status-right",
				     /* Of two, the one around it hears the keys first. */
				     getenv("TMUX") ? " leave it running: Ctrl-b Ctrl-b d "
						    : " leave it running: Ctrl-b d ",
				     ";", "select-window", "-t", target, NULL};
	AUTO_CLOSE int told = -1, tell = -1;
	int ends[2], r = need_tmux(err);
	pid_t pid;

	if (r < 0 || (r = need_terminal(err)) < 0)
		return r;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return error_set_errno(err, errno, "cannot make a pipe");
	told = ends[0];
	tell = ends[1];
	end_left_views(h);
	/*
	 * Whoever reaches the server can have our client start a program (detach-client -E). It stays below us,
	 * goes with us, and by the folder we are in the daemon sees that it is not the person: caller-process.c.
	 */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || chdir(h->runtime_dir) < 0)
		return error_set_errno(err, errno, "cannot look at it from '%s'", h->runtime_dir);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return error_set_errno(err, errno, "cannot start tmux");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (dup2(tell, 2) >= 0)
			become_tmux(h, words);
		_exit(127);
	}
	/* A terminal that is closed ends the client: then the rest is still done. */
	signal(SIGHUP, SIG_IGN);
	r = wait_client(pid);
	wrapper_end_below();
	end_view(h, view);
	if (!read_only)
		restore_size(h, w);
	signal(SIGHUP, SIG_DFL);
	return r ? tell_failure(told, r, err) : 0;
}
