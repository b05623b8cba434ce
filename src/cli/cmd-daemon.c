/* cmd-daemon.c: the daemon in the foreground and in the background, and whether it runs. */
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/holder.h"
#include "cli/launcher.h"
#include "cli/start.h"
#include "config/config.h"
#include "daemon/daemon.h"

#define STOP_QUIET_MS 2000
#define STOP_TIMEOUT_MS 90000 /* more than a daemon takes that has to kill its missions */
#define START_ANSWER_SECONDS 8
#define BEGIN_USEC (2 * USEC_PER_SEC)
#define EXIT_NOT_RUNNING 3 /* as init scripts answer */

static bool has_flag(const struct cli *c, const char *name)
{
	return json_is_true(json_object_get(c->args, name));
}

int cmd_daemon_run(const struct cli *c, struct error *err)
{
	int64_t ready_fd = -1;
	int r = json_get_int(c->args, "ready_fd", &ready_fd, err);

	if (r < 0)
		return r;
	if (ready_fd < -1 || ready_fd > 1 << 20)
		return error_set(err, ERR_INVALID, "--ready-fd is no file descriptor");
	/* Nothing that whoever started us has left open is for what we start: it would hold a pipe, or a lock. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	return daemon_run(c->home,
			  &(struct daemon_wish){(int)ready_fd, has_flag(c, "take_over"),
						has_flag(c, "fresh"), has_flag(c, "switch_store")},
			  err);
}

static void say(const struct cli *c, const json_t *result, const char *words, pid_t pid)
{
	if (c->json)
		cli_write_json(result);
	else if (pid)
		printf("%s (pid %d)\n", words, (int)pid);
	else
		printf("%s\n", words);
}

/*
 * The kernel lets us in at the door of one that is stopped or hangs, too: only an answer counts, be it
 * that its store is away.
 */
static int hear(struct client *client, struct error *err)
{
	AUTO(json_decref) json_t *status = NULL;
	struct error why = {0};
	int r;

	client_limit(client, START_ANSWER_SECONDS);
	r = client_send(client, "status", NULL, NULL, &why);
	if (r == 0)
		r = client_receive(client, &status, &why);
	if (r == 0 || !(client_was_lost(client) || client_is_unsure(client)))
		return 0;
	*err = why;
	return r;
}

/* Of a file that is the store; all zero where there is none. */
static void look_at_store(const struct cli *c, struct stat *ret)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO(free) char *url = NULL;
	struct error none = {0};

	(void)config_load(c->home->config_file, &config, &none);
	url = home_store_url(c->home, config);
	if (strncmp(url, "sqlite:", 7) != 0 || stat(url + 7, ret) < 0)
		*ret = (struct stat){0};
}

/* Whoever starts it hears at once what it does not obey. */
static void warn_mistake(const struct cli *c)
{
	AUTO(config_free) struct config *config = NULL;
	AUTO_BUF struct buf line = {0};
	struct error err = {0};

	if (config_load(c->home->config_file, &config, &err) == 0)
		return;
	visible_line(&line, err.message);
	fprintf(stderr, "belfry: warning: %s: the daemon uses the settings from before it\n",
		buf_text(&line));
}

static void pick_options(const struct cli *c, const char *ret[START_OPTIONS_MAX + 1])
{
	static const struct {
		const char *flag, *option;
	} rows[START_OPTIONS_MAX] = {{"take_over", "--take-over"},
				     {"fresh", "--fresh"},
				     {"switch_store", "--switch-store"}};
	int n = 0;

	for (int i = 0; i < START_OPTIONS_MAX; i++)
		if (has_flag(c, rows[i].flag))
			ret[n++] = rows[i].option;
	ret[n] = NULL;
}

int cmd_daemon_start(const struct cli *c, struct error *err)
{
	AUTO(client_free) struct client *client = NULL;
	AUTO(json_decref) json_t *result = json_object();
	bool started = false;
	struct stat before = {0}, after = {0};
	const char *options[START_OPTIONS_MAX + 1];
	int r;

	pick_options(c, options);
	look_at_store(c, &before);
	r = start_connect_as(c->home, options, &client, &started, err);

	if (r == 0 && !started)
		r = hear(client, err);
	/* One that was just ending. */
	if (r < 0 && client && client_was_lost(client)) {
		client_free(steal_ptr(&client));
		r = start_connect_as(c->home, options, &client, &started, err);
	}
	if (r < 0)
		return r;
	if (!started && options[0]) {
		error_set(err, ERR_CONFLICT,
			  "a daemon is running already (pid %d): %s changed nothing",
			  (int)client_pid(client), options[0]);
		return error_hint(err, "belfry daemon stop, then the same command again");
	}
	look_at_store(c, &after);
	if (has_flag(c, "fresh") && before.st_size > 0 && before.st_ino == after.st_ino)
		fputs("belfry: warning: --fresh changed nothing: the database is there, and is "
		      "used as it is\n",
		      stderr);
	warn_mistake(c);
	json_put_bool(result, "started", started);
	json_put_int(result, "pid", client_pid(client));
	say(c, result, started ? "the daemon is started" : "a daemon is running already",
	    client_pid(client));
	return 0;
}

/* The request is hidden under a name of its own where the table keeps the command's for us. */
static const char *stop_request(void)
{
	return request_find("daemon halt") ? "daemon halt" : "daemon stop";
}

/*
 * A daemon that refuses all connections, has no socket, or cannot tell who asks while its store is away, still
 * hears signals. A run may not stop it, this way neither. Returns 1, or 0 when there is none.
 */
static int signal_stop(const struct cli *c, pid_t *ret_pid, struct error *err)
{
	AUTO(free) char *mission = launcher_mission();
	bool leave = json_is_true(json_object_get(c->args, "leave_missions"));

	switch (holder_look(c->home, ret_pid)) {
	case HOLDER_NONE:
		return 0;
	case HOLDER_STOPS: /* a second signal would end its missions at once */
		return 1;
	case HOLDER_STARTS:
	case HOLDER_SERVES:
		break;
	}
	if (mission || getenv("BELFRY_MISSION_ID"))
		return error_set(err, ERR_DENIED, "a run cannot stop the daemon");
	return holder_signal(c->home, leave ? SIGQUIT : SIGTERM, ret_pid, err);
}

/* It has the home and could not be asked. `why` is what asking it said, which stands when there is none. */
static int stop_unasked(const struct cli *c, pid_t *ret_pid, const struct error *why,
			struct error *err)
{
	int r = signal_stop(c, ret_pid, err);

	if (!why->code || (r != 0 && r != ERR_DENIED))
		return r;
	*err = *why;
	return err->code;
}

static int ask_stop(struct client *client, const json_t *args, pid_t *ret_pid,
		    int64_t *ret_missions, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	pid_t pid = client_pid(client);
	int r = client_send(client, stop_request(), args, NULL, err);

	if (r == 0)
		r = client_receive(client, &result, err);
	/* Going away is what it was asked for. */
	if (r < 0 && !client_was_lost(client))
		return r;
	*ret_pid = pid ? pid : (pid_t)view_int(result, "pid");
	*ret_missions = view_int(result, "missions");
	return 0;
}

/* What it is at is the name of its process; what it waits for in there, its log tells. */
static int explain_wait(const struct home *h, pid_t pid, struct error *err)
{
	pid_t holder = 0;
	enum holder state = holder_look(h, &holder);
	const char *known = "";

	if (holder_waits_for_store(pid))
		known = "it waits for the server that has its store; ";
	else if (state == HOLDER_STARTS && holder == pid)
		known = "it is still opening its store, and stops after that; ";
	return error_hint(err, "%slook at its log: %s", known, h->log_file);
}

static int wait_stopped(const struct home *h, pid_t pid, int64_t missions, struct error *err)
{
	int r;

	if (start_wait_gone(pid, STOP_QUIET_MS, err) == 0)
		return 0;
	if (missions)
		fprintf(stderr, "waiting for %lld mission%s to end\n", (long long)missions,
			missions == 1 ? "" : "s");
	r = start_wait_gone(pid, STOP_TIMEOUT_MS, err);
	return r < 0 ? explain_wait(h, pid, err) : 0;
}

int cmd_daemon_stop(const struct cli *c, struct error *err)
{
	AUTO(client_free) struct client *client = NULL;
	AUTO(json_decref) json_t *result = json_object();
	struct error why = {0};
	int64_t missions = 0;
	pid_t pid = 0;
	int r = client_connect(c->home, &client, &why);

	if (r > 0 && (r = ask_stop(client, c->args, &pid, &missions, &why)) == 0)
		r = 1;
	/*
	 * Whatever else is wrong with it, it can be stopped. One that was asked and does not answer has its reasons: it
	 * is named, not signalled.
	 */
	if (r == 0 || (r < 0 && r != ERR_DENIED && !(client && client_is_unsure(client))))
		r = stop_unasked(c, &pid, &why, err);
	else if (r < 0)
		*err = why;
	client_free(steal_ptr(&client));
	if (r > 0)
		r = wait_stopped(c->home, pid, missions, err);
	if (r < 0)
		return r;
	json_put_bool(result, "stopped", pid > 0);
	json_put(result, "pid", pid ? json_integer(pid) : json_null());
	say(c, result, pid ? "the daemon is stopped" : "no daemon is running", pid);
	return 0;
}

/* One that begins is soon to be asked; of one that begins or ends for long, that is its status. */
static int find_running(const struct cli *c, struct client **ret, enum holder *ret_holder,
			pid_t *ret_pid, struct error *err)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000000L};
	usec_t until = clock_monotonic() + BEGIN_USEC;
	int r;

	for (;;) {
		r = client_connect(c->home, ret, err);
		if (r != 0)
			return r;
		*ret_holder = holder_look(c->home, ret_pid);
		if (*ret_holder == HOLDER_NONE || *ret_holder == HOLDER_STOPS ||
		    clock_monotonic() >= until)
			return 0;
		nanosleep(&pause, NULL);
	}
}

static const char *unready(enum holder holder)
{
	if (holder == HOLDER_STOPS)
		return "it is stopping: nothing fires any more";
	return holder == HOLDER_STARTS ? "it is starting: nothing fires yet" : NULL;
}

int cmd_daemon_status(const struct cli *c, struct error *err)
{
	AUTO(client_free) struct client *client = NULL;
	AUTO(json_decref) json_t *result = json_object(), *status = NULL;
	enum holder holder = HOLDER_NONE;
	const char *trouble;
	bool troubled = false;
	pid_t pid = 0;
	int r = find_running(c, &client, &holder, &pid, err);

	if (r > 0 && (r = client_send(client, "status", NULL, NULL, err)) == 0) {
		r = client_receive(client, &status, err);
		if (r == ERR_CONFLICT) /* it has another store than we name */
			return r;
		/* It answers, and what it says is that its store does not. */
		troubled = r < 0 && !client_was_lost(client) && !client_is_unsure(client);
		if (r == 0 || troubled)
			r = 1;
	}
	if (r < 0)
		return r;
	if (client)
		pid = client_pid(client);
	trouble = troubled ? err->message : NULL;
	if (status && *view_text(status, "trouble"))
		trouble = view_text(status, "trouble");
	json_put_text(result, "trouble", trouble ? trouble : unready(holder));
	json_put_bool(result, "running", client || pid);
	json_put(result, "pid", pid ? json_integer(pid) : json_null());
	json_put(result, "uptime_s",
		 status ? json_integer(view_int(status, "uptime_s")) : json_null());
	say(c, result, client || pid ? "the daemon is running" : "no daemon is running", pid);
	if (unready(holder) && !c->json)
		printf("but %s\n", unready(holder));
	if (trouble && !c->json)
		printf("but nothing fires: %s\n", trouble);
	if (client || pid)
		return trouble ? error_exit_status(ERR_UNAVAILABLE) : 0;
	return EXIT_NOT_RUNNING;
}
