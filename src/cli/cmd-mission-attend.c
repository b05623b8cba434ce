/*
 * cmd-mission-attend.c: an agent in this terminal.
 * A process says who it is, the daemon commits that and answers with the order, and then that
 * process is the wrapper of the run: it needs no daemon to finish well, and writes how it ended.
 * The daemon sees that it has gone and reads that. The one that the person has started stays above it and
 * keeps what a wrapper that was killed leaves. A live agent is the same in a window of tmux, where the wrapper
 * was started by the daemon instead of a person, and tmux is what keeps.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/agent.h"
#include "cli/observe.h"
#include "cli/place.h"
#include "cli/start.h"
#include "schedule/duration.h"

#define EXIT_NOT_SUCCESS 1
#define EXIT_SIGNAL 128 /* and its number */
#define LINGER_MS 800
#define LAST_LINES 6 /* of the screen of a live agent that failed */

/*
 * A wrapper kills everything below it when its agent has ended. A daemon that this process started
 * would be below it, so somebody else starts it and goes away. What went wrong is told by whoever
 * asks next.
 */
static void start_daemon_apart(const struct home *h)
{
	pid_t pid;

	if (start_is_forbidden())
		return;
	pid = fork();
	if (pid == 0) {
		struct client *client = NULL;
		struct error unused = {0};
		bool started;

		_exit(start_connect(h, &client, &started, &unused) < 0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static int put_process(json_t *args, struct error *err)
{
	struct process_id self;
	int r = process_identify(getpid(), &self, err);

	if (r < 0)
		return r;
	json_put_int(args, "pid", self.pid);
	json_put_int(args, "pid_start", self.start);
	json_put_text(args, "boot", self.boot);
	return 0;
}

static int ask_order(const struct cli *c, const char *request, const json_t *args, json_t **ret,
		     struct order **ret_order, struct error *err)
{
	AUTO(json_decref) json_t *asked = json_copy((json_t *)(uintptr_t)args);
	AUTO(session_free) struct session *s = NULL;
	const char *order;
	int r = put_process(asked, err);

	if (r < 0)
		return r;
	start_daemon_apart(c->home);
	if ((r = session_open(c->home, c->zone, true, &s, err)) < 0 ||
	    (r = session_ask(s, request, asked, ret, err)) < 0)
		return r;
	order = view_text(*ret, "order");
	r = order_parse(order, strlen(order), ret_order, err);
	return r < 0 ? error_prefix(err, "the daemon's order cannot be read") : 0;
}

/*
 * Whether `mission resume` has a conversation to go on with. A client that chose its name may have
 * told it by its hooks: then the daemon knows, as soon as it has seen the wrapper's end; it looks when it is
 * asked. We may ask: what is below a keeper is nobody, but not the keeper.
 */
static bool can_go_on(const struct cli *c, const char *id, const struct order *o,
		      const struct end *end)
{
	AUTO_OBSERVER struct observer ask = {c->home, c->zone, NULL};
	AUTO(json_decref) json_t *args = observer_args("mission", id), *m = NULL;
	struct error none = {0};

	if (o->session || end->session)
		return true;
	if (o->adapter->session == SESSION_NONE)
		return false;
	return observer_ask(&ask, "mission show", args, &m, &none) > 0 &&
	       json_is_true(json_object_get(m, "conversation"));
}

static void say_end(const struct cli *c, const json_t *mission, const struct order *o,
		    const struct end *end)
{
	const char *id = view_text(mission, "id");
	char took[DURATION_TEXT_MAX] = "0s";

	if (c->json) {
		AUTO(json_decref)
		json_t *object = json_pack("{s:s, s:s, s:i}", "id", id, "ending", end->reason,
					   "exit_code", end->exit_code);

		cli_write_json(object);
	}
	if (end->started_at != USEC_NONE)
		duration_format_short(end->finished_at - end->started_at, took);
	fprintf(stderr, "%s: %s, took %s; ", id, end->reason, took);
	if (can_go_on(c, id, o, end))
		fprintf(stderr, "to go on: belfry mission resume %s\n", id);
	else
		fprintf(stderr, "its client did not tell us the name of its conversation, so only "
				"the client itself can go on with it\n");
	if (end->error) {
		AUTO_BUF struct buf text = {0};

		visible_block(&text, end->error, "  ");
		fprintf(stderr, "  %s\n", buf_text(&text));
	}
}

/* How the run of an order ended, whose wrapper said `status`; the caller releases it. */
static int read_end(const struct place *place, const struct order *o, int status, struct end *ret,
		    struct error *err)
{
	AUTO(free)
	char *folder = mem_printf("%s/%s/runs/%" PRId64, place->missions, o->mission, o->number);

	if (status == 0 && end_read(folder, ret, err) == 0)
		return 0;
	error_set(err, ERR_SYSTEM, "mission '%s' could not be run", o->mission);
	return error_hint(err, "belfry mission show %s", o->mission);
}

static int carry_out(const struct cli *c, const struct order *o, struct end *ret, struct error *err)
{
	AUTO_PLACE struct place place = {0};
	int r = place_find(c, &place, err);

	if (r < 0)
		return r;
	return read_end(&place, o, wrapper_run(o, &place.for_wrapper, -1), ret, err);
}

static bool is_success(const struct end *end)
{
	return strcmp(end->reason, "success") == 0;
}

/* A program on a terminal is told as an argument, or by the person: its input is the keyboard. */
static void say_untold(const struct order *o)
{
	const struct adapter_values v = {.prompt = o->prompt, .instructions = o->instructions};
	AUTO(free) char *prompt = adapter_prompt(o->adapter, o->use, &v);
	AUTO_BUF struct buf text = {0};

	if (!*prompt || adapter_takes_prompt(o->adapter, o->use))
		return;
	visible_block(&text, prompt, "  ");
	fprintf(stderr,
		"belfry: its command has no {prompt}, so it is not told this; type it yourself:\n  "
		"%s\n",
		buf_text(&text));
}

/* --- the keeper ------------------------------------------------------------------------------- */

/*
 * An agent can kill its wrapper, and what it leaves must not fall to whoever takes the person's own processes.
 * So the process that the person has started forks the wrapper and is a subreaper above it. By its name and the
 * folder it stays in the daemon sees that what is below is not the person (caller-process.c). It takes both on
 * when the wrapper has registered, for nobody can below a keeper, and before the agent is started.
 */
static volatile pid_t kept;

/* The wrapper first says its error, which is plain memory, and the daemon's answer; then it waits at its gate. */
static _Noreturn void become_wrapper(const struct cli *c, const char *request, const json_t *args,
				     const struct wrapper_place *place, int fd)
{
	json_t *mission = NULL;
	struct order *order = NULL;
	struct error err = {0};
	char *text = NULL;
	int r = ask_order(c, request, args, &mission, &order, &err);

	if (r == 0) {
		err = (struct error){0};
		text = json_dumps(mission, JSON_COMPACT);
	}
	if (fd_write_all(fd, &err, sizeof(err)) < 0 ||
	    (text && fd_write_all(fd, text, strlen(text)) < 0) || shutdown(fd, SHUT_WR) < 0 ||
	    !text)
		_exit(EXIT_NOT_SUCCESS);
	_exit(wrapper_run(order, place, fd));
}

static pid_t fork_wrapper(const struct cli *c, const char *request, const json_t *args,
			  const struct wrapper_place *place, int *ret, struct error *err)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set_errno(err, errno, "cannot make a pair of sockets");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		become_wrapper(c, request, args, place, ends[1]);
	}
	close(ends[1]);
	*ret = ends[0];
	return pid < 0 ? error_set_errno(err, errno, "cannot start a process") : pid;
}

/* Returns 1, 0 when the wrapper died before it said anything, or its error. */
static int hear_order(int fd, json_t **ret, struct order **ret_order, struct error *err)
{
	AUTO_BUF struct buf told = {0};
	char chunk[16384];
	const char *order;
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno != EINTR)
			break;
		if (n > 0)
			buf_add(&told, chunk, (size_t)n);
	}
	if (told.len < sizeof(*err))
		return 0;
	memcpy(err, told.data, sizeof(*err));
	if (err->code < 0)
		return err->code;
	*ret = json_loadb(told.data + sizeof(*err), told.len - sizeof(*err), 0, NULL);
	order = view_text(*ret, "order");
	return order_parse(order, strlen(order), ret_order, err) < 0 ? err->code : 1;
}

/*
 * To end the run well is the wrapper's. Keys that signal reach it by its group; a terminal that is gone is told
 * to the first process of its session alone, and that may be us.
 */
static void pass_on(int number)
{
	if (kept > 0 && (number == SIGTERM || getsid(0) == getpid()))
		kill(kept, number);
}

static int become_keeper(const struct home *h, pid_t wrapper, struct error *err)
{
	static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
	struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};

	if (chdir(h->runtime_dir) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ||
	    prctl(PR_SET_NAME, KEEPER_NAME) < 0)
		return error_set_errno(err, errno, "cannot keep a run from '%s'", h->runtime_dir);
	kept = wrapper;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	return 0;
}

/* When the wrapper is stopped (Ctrl-Z) so are we: the shell waits for us. */
static int wait_wrapper(pid_t pid)
{
	int status = 0;

	for (;;) {
		pid_t got = waitpid(pid, &status, WUNTRACED);

		if (got < 0 && errno != EINTR)
			return status;
		if (got == pid && !WIFSTOPPED(status))
			return status;
		if (got != pid)
			continue;
		signal(SIGTSTP, SIG_DFL);
		raise(SIGTSTP);
		signal(SIGTSTP, SIG_IGN);
		kill(pid, SIGCONT);
	}
}

/* Of a wrapper that was killed; a shell that has the terminal again keeps it. */
static void take_terminal_back(const struct termios *settings)
{
	pid_t group = tcgetpgrp(STDIN_FILENO);

	if (group != getpgrp() && (group <= 0 || kill(-group, 0) == 0 || errno != ESRCH))
		return;
	tcsetpgrp(STDIN_FILENO, getpgrp());
	tcsetattr(STDIN_FILENO, TCSADRAIN, settings);
}

/* Lets the wrapper begin, and returns how it ended when nothing is left below us. */
static int keep(pid_t wrapper, int *gate)
{
	struct termios settings;
	bool has_settings = tcgetattr(STDIN_FILENO, &settings) == 0;
	int status;

	(void)!send(*gate, "", 1, MSG_NOSIGNAL); /* it may be gone */
	close(steal_fd(gate));
	status = wait_wrapper(wrapper);
	kept = 0;
	wrapper_end_below();
	if (WIFSIGNALED(status) && has_settings)
		take_terminal_back(&settings);
	/* What the run has put into the terminal as if it was typed is not the person's. */
	if (has_settings && tcgetpgrp(STDIN_FILENO) == getpgrp())
		tcflush(STDIN_FILENO, TCIFLUSH);
	return status;
}

/* It has not begun: keys that signal end both of us, as ever. */
static int died_early(int status, struct error *err)
{
	if (WIFSIGNALED(status))
		raise(WTERMSIG(status));
	return error_set(err, ERR_SYSTEM, "the process that was to run the agent has died");
}

static int say_killed(const struct order *o, int number)
{
	fprintf(stderr, "belfry: the wrapper of %s was killed (%s), and its agent with it\n",
		o->mission, strsignal(number));
	return EXIT_SIGNAL + number;
}

int mission_attend(const struct cli *c, const char *request, const json_t *args, struct error *err)
{
	AUTO(json_decref) json_t *mission = NULL;
	AUTO(order_free) struct order *order = NULL;
	AUTO_PLACE struct place place = {0};
	AUTO_CLOSE int gate = -1;
	struct end end = {0};
	bool success;
	pid_t wrapper;
	int status, r = place_find(c, &place, err);

	if (r < 0 ||
	    (r = wrapper = fork_wrapper(c, request, args, &place.for_wrapper, &gate, err)) < 0)
		return r;
	r = hear_order(gate, &mission, &order, err);
	if (r > 0 && become_keeper(c->home, wrapper, err) < 0)
		r = err->code;
	if (r <= 0) {
		close(steal_fd(&gate)); /* it ends, and nothing was begun */
		status = wait_wrapper(wrapper);
		return r < 0 ? r : died_early(status, err);
	}
	say_untold(order);
	status = keep(wrapper, &gate);
	if (WIFSIGNALED(status))
		return say_killed(order, WTERMSIG(status));
	r = read_end(&place, order, WEXITSTATUS(status), &end, err);
	if (r < 0)
		return r;
	success = is_success(&end);
	say_end(c, mission, order, &end);
	end_fini(&end);
	return success ? 0 : EXIT_NOT_SUCCESS;
}

/* --- in the window of a live agent ---------------------------------------------------------- */

/*
 * The window closes with this process: whoever looks at it gets a moment to read. A longer one could
 * be taken for an agent that waits to be told something.
 */
static void say_refusal(const char *agent, const struct error *why)
{
	AUTO_BUF struct buf text = {0};

	buf_printf(&text, "belfry: %s cannot be started: ", agent);
	visible_block(&text, why->message, "  ");
	fprintf(stderr, "%s\n", buf_text(&text));
	observer_pause(LINGER_MS);
}

/* The last lines of a screen that are not empty. */
static char *last_words(const char *screen)
{
	AUTO_BUF struct buf words = {0};
	AUTO(free) char *text = mem_strdup(screen);
	char *lines[LAST_LINES], *save = NULL;
	size_t count = 0;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (l[strspn(l, " ")])
			lines[count++ % LAST_LINES] = l;
	for (size_t i = count > LAST_LINES ? count - LAST_LINES : 0; i < count; i++)
		buf_printf(&words, "%s%s", words.len ? " | " : "",
			   lines[i % LAST_LINES] + strspn(lines[i % LAST_LINES], " "));
	return words.len ? buf_steal(&words) : NULL;
}

/* Its window closes with us, and what it said there would be gone: it becomes a part of its end. */
static void keep_screen(const struct cli *c, const struct order *o, char *pane, struct end *end)
{
	const struct agent_window w = {.pane = pane};
	AUTO(free) char *folder = NULL, *words = NULL, *error = NULL;
	AUTO_BUF struct buf screen = {0};
	AUTO_PLACE struct place place = {0};
	struct error err = {0};

	if (!pane || strcmp(end->reason, "error") != 0 || end->signal ||
	    agent_window_text(c->home, &w, 0, &screen, &err) < 0 ||
	    !(words = last_words(buf_text(&screen))) || place_find(c, &place, &err) < 0)
		return;
	folder = mem_printf("%s/%s/runs/%" PRId64, place.missions, o->mission, o->number);
	error = end->error ? mem_strdup(end->error) : mem_printf("exit status %d", end->exit_code);
	free(end->error);
	end->error = mem_printf("%s; its screen showed: %s", error, words);
	end_write(folder, end, true, &err);
}

static int host(const struct cli *c, const char *agent, struct end *ret, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("agent", agent), *mission = NULL;
	AUTO(order_free) struct order *order = NULL;
	AUTO(free) char *pane = mem_strdup(getenv("TMUX_PANE"));
	int r = ask_order(c, "live host", args, &mission, &order, err);

	if (r < 0)
		return r;
	/* A tmux that the agent calls is to be one of its own, not the one that it runs in. */
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
	r = carry_out(c, order, ret, err);
	if (r == 0)
		keep_screen(c, order, pane, ret);
	return r;
}

int mission_host(const struct cli *c, const char *agent, struct error *err)
{
	struct end end = {0};
	bool success;

	if (host(c, agent, &end, err) < 0) {
		say_refusal(agent, err);
		return error_exit_status(err->code);
	}
	success = is_success(&end);
	end_fini(&end);
	return success ? 0 : EXIT_NOT_SUCCESS;
}
