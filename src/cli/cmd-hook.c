/*
 * cmd-hook.c: `belfry hook EVENT`, called by an agent in the middle of its work.
 *
 * In a mission, one line is appended to the journal of that, which needs nobody. Then the daemon is asked what
 * the session is to be told; without one, the store itself, as any command would. What there is to tell is
 * printed by one write, and only then confirmed: a hook that was killed before has told nothing, and the
 * session is told again (engine/hook.c).
 *
 * The agent waits for it, so no daemon is started, no configuration is read where one runs, and a watchdog
 * ends it; a daemon that let one run into that, and has not moved since, is not asked again for a minute. It fails open: whatever is wrong, it prints nothing and its status is 0, for a client would take
 * anything else as an objection to what it was about to do. Where Belfry was never used it leaves no trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "agent/presence.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/claim.h"
#include "cli/cli.h"
#include "cli/hook-shape.h"
#include "cli/launcher.h"
#include "cli/silence.h"
#include "config/config.h"
#include "config/home.h"
#include "setup/record.h"

#define INPUT_WAIT USEC_PER_SEC /* a standard input that does not end is no hook's */
#define WATCHDOG_SECONDS 2	/* HOOK_GRACE of the engine is longer */
#define SILENT_SECONDS 60	/* so long a daemon that did not answer is left alone */
#define PROMPT_MAX 8192		/* bytes that patterns look at */
#define STORE_SQLITE "sqlite:"

struct hook {
	const struct hook_shape *shape;
	const char *told;  /* the event, as the client calls it */
	const char *event; /* as Claude Code does */
	struct buf input;
	json_t *json; /* what the client gives to its hooks; NULL: nothing that can be read */
	struct home *home;
};

static bool is_debugged(void)
{
	const char *debug = getenv("BELFRY_HOOK_DEBUG");

	return debug && strcmp(debug, "1") == 0;
}

static void complain(const char *event, const struct error *err)
{
	if (is_debugged())
		fprintf(stderr, "belfry: hook %s: %s%s%s\n", event, err->message,
			*err->hint ? "; " : "", err->hint);
}

/* --- bounds ------------------------------------------------------------------------------- */

struct mark {
	pid_t pid;		 /* the daemon that did not answer; 0: none is asked */
	unsigned long long naps; /* silence_naps() of it at that time */
};

/* While the daemon is asked: the file that will say that it did not answer. */
static char mark_path[PATH_MAX];
static struct mark mark;

static void on_alarm(int signal)
{
	int fd = -1;

	(void)signal;
	if (mark.pid) {
		mark.naps = silence_naps(mark.pid);
		fd = open(mark_path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0600);
	}
	if (fd >= 0 && write(fd, &mark, sizeof(mark)) < 0)
		unlink(mark_path);
	_exit(0);
}

/* Whether this daemon kept a hook waiting in the last minute, and has done nothing since. */
static bool is_silent(pid_t daemon)
{
	AUTO_CLOSE int fd = open(mark_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct mark last = {0};
	struct stat st;
	time_t age;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	age = time(NULL) - st.st_mtime;
	if (age >= 0 && age < SILENT_SECONDS && read(fd, &last, sizeof(last)) == sizeof(last) &&
	    last.pid == daemon && last.naps == silence_naps(daemon))
		return true;
	unlink(mark_path);
	return false;
}

/* From now on a timeout is the daemon's fault. ERR_UNAVAILABLE when it is known not to answer. */
static int expect_answer(const struct home *home, pid_t daemon, struct error *err)
{
	int len = snprintf(mark_path, sizeof(mark_path), "%s/hook.silent", home->runtime_dir);

	if (len < 0 || (size_t)len >= sizeof(mark_path))
		return 0;
	if (is_silent(daemon))
		return error_set(err, ERR_UNAVAILABLE,
				 "the daemon (process %d) did not answer within the last minute",
				 (int)daemon);
	mark.pid = daemon;
	return 0;
}

/* BELFRY_HOOK_SECONDS: a machine that is very busy, as one that runs tests, may need longer. */
static int watchdog_seconds(void)
{
	const char *text = getenv("BELFRY_HOOK_SECONDS");
	long seconds = text ? strtol(text, NULL, 10) : 0;

	return seconds >= 1 && seconds <= 60 ? (int)seconds : WATCHDOG_SECONDS;
}

/* Nothing that hangs, or talks, may be the agent's trouble. */
static void guard(void)
{
	struct sigaction act = {.sa_handler = on_alarm};
	const struct itimerval limit = {.it_value = {.tv_sec = watchdog_seconds()}};
	sigset_t alarms;
	int null;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigaction(SIGALRM, &act, NULL);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	setitimer(ITIMER_REAL, &limit, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (is_debugged())
		return;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDERR_FILENO);
		close(null);
	}
}

/* As much as there is, and is allowed; what is longer is told by its name alone. */
static void read_input(struct buf *ret)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	usec_t end = clock_monotonic() + INPUT_WAIT;

	if (isatty(STDIN_FILENO))
		return;
	while (ret->len <= EVENT_HOOK_MAX) {
		usec_t left = end - clock_monotonic();
		ssize_t n;

		if (left <= 0 || poll(&in, 1, (int)(left / USEC_PER_MSEC) + 1) <= 0)
			return;
		buf_reserve(ret, 64 * 1024);
		n = read(STDIN_FILENO, ret->data + ret->len, 64 * 1024);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		ret->len += (size_t)n;
	}
}

/*
 * In a session that Belfry hosts the client has our hooks by its settings. Those of a plugin tell nothing that is
 * new, only later: what it does now might be taken for what it did before.
 */
static bool is_told_by_others(void)
{
	const char *plugin = getenv("CLAUDE_PLUGIN_ROOT"), *hooks = getenv("BELFRY_HOOKS");
	const char *mission = getenv("BELFRY_MISSION_ID");

	return plugin && *plugin && mission && *mission && hooks && strcmp(hooks, "settings") == 0;
}

/* --- the journal of a mission ------------------------------------------------------------- */

static int note(const struct hook *h, struct error *err)
{
	AUTO(free) char *folder = NULL;
	const char *mission = getenv("BELFRY_MISSION_ID");
	struct event e = {0};
	int r;

	if (!mission || !*mission)
		return 0;
	if (strncmp(mission, "mis-", 4) != 0 || !text_is_name(mission))
		return error_set(err, ERR_NOT_FOUND, "BELFRY_MISSION_ID names no mission");
	r = event_read_hook(h->event, buf_text(&h->input), h->input.len, clock_now(), &e, err);
	if (r == 0 && e.event != EVENT_NONE) {
		folder = mem_printf("%s/missions/%s", h->home->state_dir, mission);
		r = event_append(folder, &e, err);
	}
	event_fini(&e);
	return r;
}

/* --- asking ------------------------------------------------------------------------------- */

/*
 * Without a daemon: whether there is a store at all. None is made for a hook, unless a person has set a client
 * up: then the first prompt counts, and a tool that is called in it knows the session.
 */
static bool has_store(const struct home *home)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(free) char *url = NULL;
	struct error err = {0};

	if (access(home->database, F_OK) == 0 || record_is_there(home->state_dir))
		return true;
	if ((access(home->config_file, F_OK) < 0 && !getenv("BELFRY_STORE")) ||
	    config_load(home->config_file, &config, &err) < 0)
		return false;
	url = home_store_url(home, config);
	return strncmp(url, STORE_SQLITE, strlen(STORE_SQLITE)) != 0 ||
	       access(url + strlen(STORE_SQLITE), F_OK) == 0;
}

static int open_session(const struct hook *h, const char *id, struct session **ret,
			struct error *err)
{
	AUTO(client_free) struct client *running = NULL;
	json_t *claim;
	int r = client_connect(h->home, &running, err);

	if (r < 0)
		return r;
	if (!running && !has_store(h->home))
		return error_set(err, ERR_NOT_FOUND, "Belfry has no store here");
	if (running && (r = expect_answer(h->home, client_pid(running), err)) < 0)
		return r;
	if ((r = session_open(h->home, NULL, false, ret, err)) < 0)
		return r;
	claim = claim_make("hook");
	json_put_text(claim, "session", id);
	session_claim(*ret, claim);
	return 0;
}

static void put_text(json_t *args, const char *key, const struct hook *h, const char *field)
{
	const char *text = json_string_value(json_object_get(h->json, field));

	if (text)
		json_put_text(args, key, text);
}

/* What the client calls this event: others of the same turn may share a prompt, but no use of a tool. */
static const char *id_of(const struct hook *h)
{
	static const char *const names[] = {"prompt_id", "turn_id"};
	const char *id = json_string_value(json_object_get(h->json, "tool_use_id"));

	if (id || strstr(h->event, "ToolUse"))
		return id;
	for (size_t i = 0; !id && i < sizeof(names) / sizeof(names[0]); i++)
		id = json_string_value(json_object_get(h->json, names[i]));
	return id;
}

/* The client's process, which its MCP server knows it by, too. */
static void put_process(json_t *args)
{
	const char *named = getenv("CLAUDE_PID");
	long pid = named ? strtol(named, NULL, 10) : 0;
	struct process_id id;
	struct error err = {0};

	if (!(pid > 1 && process_identify((pid_t)pid, &id, &err) == 0) && !launcher_find(&id))
		return;
	json_put_int(args, "pid", id.pid);
	json_put_int(args, "pid_start", id.start);
	json_put_text(args, "boot", id.boot);
}

static void put_turn(json_t *args, const struct hook *h)
{
	usec_t replied = 0, blocked = 0;

	/* Not in the middle of a turn: there are many of these, and they tell enough. */
	if (strstr(h->event, "ToolUse"))
		return;
	hook_turn_read(json_string_value(json_object_get(h->json, "transcript_path")), &replied,
		       &blocked);
	json_put_int(args, "replied_at", replied);
	json_put_int(args, "blocked_at", blocked);
}

static json_t *event_args(const struct hook *h, const char *session)
{
	const char *prompt = json_string_value(json_object_get(h->json, "prompt")), *id = id_of(h);
	json_t *args = json_object();

	json_put_text(args, "event", h->event);
	json_put_text(args, "session", session);
	if (id)
		json_put_text(args, "id", id);
	put_text(args, "directory", h, "cwd");
	put_text(args, "transcript", h, "transcript_path");
	put_text(args, "source", h, "source");
	if (prompt)
		json_put(args, "prompt", json_stringn(prompt, text_fit(prompt, PROMPT_MAX)));
	if (json_is_true(json_object_get(h->json, "stop_hook_active")))
		json_put_bool(args, "stop_hook_active", true);
	put_process(args);
	put_turn(args, h);
	return args;
}

/* --- telling ------------------------------------------------------------------------------ */

static int print(const struct hook *h, const char *text, bool block, struct error *err)
{
	AUTO(json_decref) json_t *answer = hook_shape_answer(h->shape, h->told, text, block);
	AUTO(free) char *line = answer ? json_text(answer) : NULL;
	size_t len = line ? strlen(line) : 0, done = 0;

	if (!line)
		return error_set(err, ERR_INVALID, "the event's name is no UTF-8");
	line[len++] = '\n'; /* in the place of its NUL */
	while (done < len) {
		ssize_t n = write(STDOUT_FILENO, line + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, errno, "cannot write to standard output");
		done += (size_t)n;
	}
	return 0;
}

static int confirm(struct session *s, const char *session, const json_t *offer, struct error *err)
{
	AUTO(json_decref) json_t *args = json_object(), *none = NULL;

	if (!json_is_integer(offer))
		return 0;
	json_put_text(args, "session", session);
	json_put_int(args, "offer", json_integer_value(offer));
	return session_ask(s, "hook printed", args, &none, err);
}

static int ask(const struct hook *h, struct error *err)
{
	const char *session = json_string_value(json_object_get(h->json, "session_id")), *text;
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *args = NULL, *answer = NULL;
	int r;

	if (!session || !*session)
		return error_set(err, ERR_INVALID, "standard input has no JSON with a session_id");
	if ((r = open_session(h, session, &s, err)) < 0)
		return r;
	args = event_args(h, session);
	if ((r = session_ask(s, "hook event", args, &answer, err)) < 0)
		return r;
	mark.pid = 0;
	text = json_string_value(json_object_get(answer, "context"));
	if (!text)
		return 0;
	r = print(h, text, json_is_true(json_object_get(answer, "block")), err);
	return r < 0 ? r : confirm(s, session, json_object_get(answer, "offer"), err);
}

/* --- the command -------------------------------------------------------------------------- */

static int run(struct hook *h, const char *client, struct error *err)
{
	struct error unreadable = {0};
	int r;

	h->shape = hook_shape_of(client);
	if (!h->shape)
		return error_set(err, ERR_INVALID, "no client '%.64s'", client);
	h->event = hook_shape_event(h->shape, h->told);
	if ((r = home_find(&h->home, err)) < 0)
		return r;
	read_input(&h->input);
	if (note(h, err) < 0) {
		complain(h->told, err);
		*err = (struct error){0};
	}
	if (h->input.len <= EVENT_HOOK_MAX)
		json_parse(buf_text(&h->input), h->input.len, &h->json, &unreadable);
	return ask(h, err);
}

int hook_main(const char *event, const char *client)
{
	struct hook h = {.told = event};
	struct error err = {0};

	guard();
	if (is_told_by_others())
		return 0;
	if (run(&h, client ? client : "claude", &err) < 0)
		complain(event, &err);
	buf_fini(&h.input);
	json_decref(h.json);
	home_free(h.home);
	return 0;
}

bool hook_forgives(int argc, char **argv, const struct error *err)
{
	if (argc < 2 || strcmp(argv[1], "hook") != 0 || isatty(STDIN_FILENO))
		return false;
	complain(argc > 2 ? argv[2] : "", err);
	return true;
}

bool hook_read_args(int argc, char **argv, const char **ret_event, const char **ret_client)
{
	static const char option[] = "--client";

	*ret_event = *ret_client = NULL;
	for (int i = 0; i < argc; i++) {
		bool is_option = strncmp(argv[i], option, strlen(option)) == 0;

		if (is_option && argv[i][strlen(option)] == '=')
			*ret_client = argv[i] + strlen(option) + 1;
		else if (is_option && !argv[i][strlen(option)] && i + 1 < argc)
			*ret_client = argv[++i];
		else if (argv[i][0] == '-' || *ret_event)
			return false;
		else
			*ret_event = argv[i];
	}
	return *ret_event != NULL;
}

int cmd_hook(const struct cli *c, struct error *err)
{
	const char *event = NULL, *client = NULL;
	int r;

	if ((r = json_get_text(c->args, "event", &event, err)) < 0 ||
	    (r = json_get_text(c->args, "client", &client, err)) < 0)
		return r;
	return hook_main(event, client);
}
