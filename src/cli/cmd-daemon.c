/* cmd-daemon.c: the daemon in the foreground and in the background, and whether it runs. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/start.h"
#include "daemon/daemon.h"

#define STOP_QUIET_MS 2000
#define STOP_TIMEOUT_MS 90000 /* more than a daemon takes that has to kill its missions */
#define EXIT_NOT_RUNNING 3    /* as init scripts answer */

int cmd_daemon_run(const struct cli *c, struct error *err)
{
	int64_t ready_fd = -1;
	int r = json_get_int(c->args, "ready_fd", &ready_fd, err);

	if (r < 0)
		return r;
	if (ready_fd < -1 || ready_fd > 1 << 20)
		return error_set(err, ERR_INVALID, "--ready-fd is no file descriptor");
	return daemon_run(c->home, (int)ready_fd, err);
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

int cmd_daemon_start(const struct cli *c, struct error *err)
{
	AUTO(client_free) struct client *client = NULL;
	AUTO(json_decref) json_t *result = json_object();
	bool started = false;
	int r = start_connect(c->home, &client, &started, err);

	if (r < 0)
		return r;
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

static int wait_stopped(pid_t pid, int64_t missions, struct error *err)
{
	if (start_wait_gone(pid, STOP_QUIET_MS, err) == 0)
		return 0;
	if (missions)
		fprintf(stderr, "waiting for %lld mission%s to end\n", (long long)missions,
			missions == 1 ? "" : "s");
	return start_wait_gone(pid, STOP_TIMEOUT_MS, err);
}

int cmd_daemon_stop(const struct cli *c, struct error *err)
{
	AUTO(client_free) struct client *client = NULL;
	AUTO(json_decref) json_t *result = json_object();
	int64_t missions = 0;
	pid_t pid = 0;
	int r = client_connect(c->home, &client, err);

	if (r < 0)
		return r;
	json_put_bool(result, "stopped", r > 0);
	if (r > 0) {
		r = ask_stop(client, c->args, &pid, &missions, err);
		client_free(steal_ptr(&client));
		if (r == 0)
			r = wait_stopped(pid, missions, err);
		if (r < 0)
			return r;
	}
	json_put(result, "pid", pid ? json_integer(pid) : json_null());
	say(c, result, pid ? "the daemon is stopped" : "no daemon is running", pid);
	return 0;
}

int cmd_daemon_status(const struct cli *c, struct error *err)
{
	AUTO(client_free) struct client *client = NULL;
	AUTO(json_decref) json_t *result = json_object(), *status = NULL;
	int r = client_connect(c->home, &client, err);

	if (r > 0 && (r = client_send(client, "status", NULL, NULL, err)) == 0) {
		r = client_receive(client, &status, err);
		if (r == 0)
			r = 1;
	}
	if (r < 0)
		return r;
	json_put_bool(result, "running", r > 0);
	json_put(result, "pid", r ? json_integer(client_pid(client)) : json_null());
	json_put(result, "uptime_s", r ? json_integer(view_int(status, "uptime_s")) : json_null());
	say(c, result, r ? "the daemon is running" : "no daemon is running",
	    r ? client_pid(client) : 0);
	return r ? 0 : EXIT_NOT_RUNNING;
}
