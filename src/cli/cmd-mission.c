/*
 * cmd-mission.c: missions from the command line: where the prompt comes from, who has the terminal,
 * and waiting for the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/observe.h"

#define POLL_FIRST_MS 20
#define POLL_MOST_MS 400
#define GONE_MOST (10 * USEC_PER_SEC) /* how long a restart of the daemon may take */
#define ANSWER_MAX ((size_t)64 * 1024 * 1024)
#define EXIT_NOT_SUCCESS 1

/* --- waiting --- */

static bool is_over(const json_t *mission)
{
	return strcmp(view_text(mission, "phase"), "ended") == 0;
}

static int daemon_is_gone(const char *mission, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE, "the daemon is gone, and mission '%s' has not ended",
		  mission);
	return error_hint(err, "belfry daemon start; then: belfry mission show %s", mission);
}

/* What it waits for, at a terminal, each time that it is something else. */
static void say_why(const json_t *m, char **told)
{
	const char *why =
		strcmp(view_text(m, "phase"), "running") == 0 ? "" : view_text(m, "reason");
	AUTO_BUF struct buf line = {0};

	if (is_over(m) || !isatty(2) || strcmp(why, *told ? *told : "") == 0)
		return;
	mem_replace(told, why);
	if (!*why)
		return;
	visible_line(&line, why);
	fprintf(stderr, "%s is %s: %s\n", view_text(m, "id"), view_text(m, "state"),
		buf_text(&line));
}

/* Look until it has ended, at growing intervals; a restart of the daemon is waited out. */
static int wait_until_over(const struct cli *c, const char *mission, json_t **ret,
			   struct error *err)
{
	AUTO_OBSERVER struct observer o = {c->home, c->zone, NULL};
	AUTO(json_decref) json_t *args = observer_args("mission", mission);
	AUTO(free) char *told = NULL;
	usec_t seen = clock_monotonic();

	for (int ms = POLL_FIRST_MS;; ms = ms * 2 > POLL_MOST_MS ? POLL_MOST_MS : ms * 2) {
		AUTO(json_decref) json_t *m = NULL;
		int r = observer_ask(&o, "mission show", args, &m, err);

		if (r < 0)
			return r;
		if (r > 0) {
			seen = clock_monotonic();
			say_why(m, &told);
		}
		if (r > 0 && is_over(m)) {
			*ret = json_incref(m);
			return 0;
		}
		if (clock_monotonic() - seen > GONE_MOST)
			return daemon_is_gone(mission, err);
		observer_pause(ms);
	}
}

/* All of the answer is in the run's folder; the store has the beginning of a long one. */
static void read_answer(const json_t *m, struct buf *ret)
{
	const json_t *runs = json_object_get(m, "runs");
	size_t count = json_array_size(runs);
	const char *folder = view_text(json_array_get(runs, count ? count - 1 : 0), "folder");
	AUTO(free) char *path = mem_printf("%s/answer.md", folder);
	struct error none = {0};

	if (!*view_text(m, "answer"))
		return;
	if (file_read(path, ANSWER_MAX, ret, &none) < 0) {
		buf_clear(ret);
		buf_add_str(ret, view_text(m, "answer"));
		fprintf(stderr, "warning: this may be a part of the answer: %s\n", none.message);
	}
}

static void print_answer(const struct cli *c, const json_t *m)
{
	AUTO_BUF struct buf text = {0}, out = {0};

	read_answer(m, &text);
	if (c->style.terminal)
		visible_block(&out, buf_text(&text), "");
	else
		buf_add(&out, buf_text(&text), text.len);
	if (out.len && out.data[out.len - 1] != '\n')
		buf_add_char(&out, '\n');
	cli_write(&out);
}

static void say_failure(const json_t *m)
{
	AUTO(free) char *reason = mem_strdup(view_text(m, "reason"));
	AUTO_BUF struct buf line = {0};

	/* It may be what the agent wrote last, with the end of its line. */
	for (size_t len = strlen(reason); len && strchr(" \t\r\n", reason[len - 1]); len--)
		reason[len - 1] = '\0';
	buf_printf(&line, "belfry: mission '%s' ended: ", view_text(m, "id"));
	visible_line(&line, view_text(m, "state"));
	if (*reason && strcmp(reason, view_text(m, "state")) != 0) {
		buf_add_str(&line, ", ");
		visible_block(&line, reason, "  ");
	}
	fprintf(stderr, "%s\nhint: belfry mission logs %s\n", buf_text(&line), view_text(m, "id"));
}

/* It ended well, and could not do all that it wanted to. */
static void say_denied(const json_t *m)
{
	const json_t *runs = json_object_get(m, "runs");
	size_t count = json_array_size(runs);
	AUTO_BUF struct buf line = {0};

	visible_line(&line, view_text(json_array_get(runs, count ? count - 1 : 0), "denied"));
	fprintf(stderr, "belfry: mission '%s': %s\n", view_text(m, "id"), buf_text(&line));
}

int mission_await(const struct cli *c, const char *mission, struct error *err)
{
	AUTO(json_decref) json_t *m = NULL;
	int r = wait_until_over(c, mission, &m, err);
	bool success;

	if (r < 0)
		return r;
	success = strcmp(view_text(m, "outcome"), "success") == 0;
	if (c->json)
		cli_write_json(m);
	else
		print_answer(c, m);
	fflush(stdout);
	if (!success)
		say_failure(m);
	else if (view_int(m, "denied"))
		say_denied(m);
	return success ? 0 : EXIT_NOT_SUCCESS;
}

/* --- asking --- */

static bool flag(const struct cli *c, const char *name)
{
	return json_is_true(json_object_get(c->args, name));
}

/* Whoever waits at a terminal is told what for, and that leaving does no harm. */
static void say_waiting(const struct cli *c, const json_t *m)
{
	if (c->style.terminal && isatty(2))
		fprintf(stderr, "%s is %s; Ctrl-C stops waiting, not the mission\n",
			view_text(m, "id"), view_text(m, "state"));
}

static int ask_headless(const struct cli *c, const json_t *args, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *m = NULL;
	int r = session_open(c->home, c->zone, true, &s, err);

	if (r == 0)
		r = session_ask(s, c->row->name, args, &m, err);
	if (r < 0)
		return r;
	if (!flag(c, "wait")) {
		cli_print(c, c->row->name, m);
		session_warn(s);
		return 0;
	}
	session_free(steal_ptr(&s));
	say_waiting(c, m);
	return mission_await(c, view_text(m, "id"), err);
}

static bool has_terminal(void)
{
	return isatty(0) && isatty(1);
}

static int refuse_wait(const struct cli *c, struct error *err)
{
	if (!flag(c, "wait"))
		return 0;
	error_set(err, ERR_INVALID, "--wait is for a mission that runs by itself");
	return error_hint(err, "give a prompt and leave out --interactive");
}

/* A prompt that was not typed comes down a pipe. */
static int pipe_prompt(json_t *args, struct error *err)
{
	AUTO_BUF struct buf text = {0};
	int r;

	if (json_object_get(args, "prompt"))
		return 0;
	if (isatty(0)) {
		error_set(err, ERR_INVALID, "PROMPT is missing");
		return error_hint(err, "say what it is to do, or use --interactive");
	}
	r = args_read_text(0, "PROMPT", &text, err);
	if (r == 0)
		json_put(args, "prompt", json_stringn(buf_text(&text), text.len));
	return r;
}

int cmd_mission_new(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args);
	const char *agent = json_string_value(json_object_get(args, "agent"));
	int r;

	if (!flag(c, "interactive")) {
		r = pipe_prompt(args, err);
		return r < 0 ? r : ask_headless(c, args, err);
	}
	r = refuse_wait(c, err);
	if (r < 0)
		return r;
	if (!has_terminal()) {
		error_set(err, ERR_INVALID, "--interactive needs a terminal");
		return error_hint(err, "without one: belfry mission new %s PROMPT", agent);
	}
	return mission_attend(c, c->row->name, args, err);
}

/* Whether replies wait for it: those are prompt enough. Returns 1 or 0. */
static int replies_wait(const struct cli *c, const char *mission, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *args = observer_args("mission", mission), *m = NULL;
	int r = session_open(c->home, c->zone, true, &s, err);

	if (r == 0)
		r = session_ask(s, "mission show", args, &m, err);
	if (r < 0)
		return r == ERR_NOT_FOUND ? 0 : r;
	return view_int(json_object_get(m, "thread"), "waiting") > 0;
}

int cmd_mission_resume(const struct cli *c, struct error *err)
{
	const char *mission = json_string_value(json_object_get(c->args, "mission"));
	int r = json_object_get(c->args, "prompt") != NULL;

	if (!r && (flag(c, "wait") || !has_terminal()))
		r = replies_wait(c, mission, err);
	if (r < 0)
		return r;
	if (r > 0)
		return ask_headless(c, c->args, err);
	r = refuse_wait(c, err);
	if (r < 0)
		return r;
	if (!has_terminal()) {
		error_set(err, ERR_INVALID, "without a prompt the agent needs a terminal");
		return error_hint(err, "belfry mission resume %s PROMPT, or - to read it", mission);
	}
	return mission_attend(c, c->row->name, c->args, err);
}

/* --- rm --- */

static int ask_remove(const struct cli *c, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	int r = session_open(c->home, c->zone, true, &s, err);

	return r < 0 ? r : session_ask(s, c->row->name, args, ret, err);
}

/* What runs is stopped by the first request, and removed by a second, once it has ended. */
static int remove_stopped(const struct cli *c, json_t *args, json_t **m, struct error *err)
{
	AUTO(json_decref) json_t *ended = NULL, *gone = NULL;
	int r;

	if (json_is_true(json_object_get(*m, "removed")))
		return 0;
	json_put_text(args, "mission", view_text(*m, "id"));
	r = wait_until_over(c, view_text(*m, "id"), &ended, err);
	if (r == 0)
		r = ask_remove(c, args, &gone, err);
	if (r == 0) {
		json_decref(*m);
		*m = steal_ptr(&gone);
	}
	return r;
}

int cmd_mission_remove(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *m = NULL;
	AUTO(json_decref) json_t *args = json_copy((json_t *)(uintptr_t)c->args);
	json_t *many;
	int r = ask_remove(c, args, &m, err);

	if (r < 0 && cli_may_force(c, err, "Delete it all the same")) {
		json_put_bool(args, "force", true);
		r = ask_remove(c, args, &m, err);
	}
	many = json_object_get(m, "results");
	for (size_t i = 0; r == 0 && i < json_array_size(many); i++) {
		json_t *one = json_incref(json_array_get(many, i));

		r = remove_stopped(c, args, &one, err);
		json_array_set_new(many, i, one);
	}
	if (r == 0 && !many)
		r = remove_stopped(c, args, &m, err);
	if (r == 0)
		cli_print(c, c->row->name, m);
	return r;
}
