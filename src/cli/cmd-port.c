/*
 * cmd-port.c: reminders out of and into the store, one JSON object a line.
 * An import is one batch: rows travel in groups, a few groups ahead of their answers, and stay
 * invisible until the commit; a mistake in any line, or Ctrl-C, takes all of them back. After the
 * commit the daemon shows them in steps, so that it goes on firing meanwhile; we wait for the last.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/lines.h"

#define GROUP_ROWS 1000
#define GROUP_BYTES ((size_t)4 * 1024 * 1024) /* the daemon's limit on a line is 8 MiB */
#define STATUS_MS 50
#define PROGRESS_USEC (200 * USEC_PER_MSEC)
#define EXIT_INTERRUPTED 130

/* --- export --- */

static int on_export_page(const json_t *result, void *data, struct error *err)
{
	const json_t *items = json_object_get(result, "reminders");

	(void)data;
	(void)err;
	for (size_t i = 0; i < json_array_size(items); i++) {
		AUTO(free) char *line = json_text(json_array_get(items, i));

		puts(line);
	}
	return 0;
}

int cmd_export(const struct cli *c, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(json_decref) json_t *args = json_object();
	json_t *agent = json_object_get(c->args, "agent");
	int r = session_open(c->home, c->zone, true, &s, err);

	if (r < 0)
		return r;
	if (agent)
		json_put(args, "agent", json_incref(agent));
	json_put_bool(args, "all", json_is_true(json_object_get(c->args, "all")));
	json_put_bool(args, "full", true);
	return session_ask_pages(s, "reminder list", args, on_export_page, NULL, err);
}

/* --- import --- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

struct import {
	struct session *session;
	int64_t batch;
	json_t *rows; /* the group being gathered */
	size_t bytes, first_line;
	size_t in_flight;
	int64_t count; /* rows the store has taken */
	int64_t skipped, replaced;
	bool if_absent, replace;
	usec_t started, shown;
	bool progress; /* somebody looks at stderr */
};

static void show_progress(struct import *im, bool last)
{
	usec_t now = clock_monotonic();
	double seconds = (double)(now - im->started) / USEC_PER_SEC;

	if (!im->progress || (!last && now - im->shown < PROGRESS_USEC))
		return;
	im->shown = now;
	if (last)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "\r\033[K%" PRId64 " reminders, %.0f a second", im->count,
			seconds > 0 ? (double)im->count / seconds : 0);
}

static int ask_batch(struct import *im, const char *request, json_t **ret, struct error *err)
{
	AUTO(json_decref) json_t *args = json_object();

	json_put_int(args, "batch", im->batch);
	return session_ask(im->session, request, args, ret, err);
}

static int receive_group(struct import *im, struct error *err)
{
	AUTO(json_decref) json_t *result = NULL;
	int r;

	im->in_flight--;
	r = session_receive(im->session, &result, err);
	if (r == 0) {
		im->count += view_int(result, "count");
		im->skipped += view_int(result, "skipped");
		im->replaced += view_int(result, "replaced");
	}
	show_progress(im, false);
	return r;
}

static int send_group(struct import *im, struct error *err)
{
	AUTO(json_decref) json_t *args = json_object();
	int r;

	if (json_array_size(im->rows) == 0)
		return 0;
	if (im->in_flight == SESSION_IN_FLIGHT && (r = receive_group(im, err)) < 0)
		return r;
	json_put_int(args, "batch", im->batch);
	json_put_int(args, "first_line", (int64_t)im->first_line);
	json_put(args, "rows", im->rows);
	json_put_bool(args, "if_absent", im->if_absent);
	json_put_bool(args, "replace", im->replace);
	im->rows = json_array();
	im->bytes = 0;
	r = session_send(im->session, "import rows", args, err);
	if (r == 0)
		im->in_flight++;
	return r;
}

static int interruption(struct error *err)
{
	return error_set(err, ERR_CONFLICT, "interrupted: nothing was imported");
}

/*
 * A group's lines are told by number as first_line + position, so a blank line ends a group: the
 * numbers stay right.
 */
static int add_line(struct import *im, const char *text, size_t len, size_t number,
		    struct error *err)
{
	size_t held = json_array_size(im->rows);
	json_t *row = NULL;
	int r = json_parse(text, len, &row, err);

	if (r == 0 && !json_is_object(row)) {
		json_decref(row);
		r = error_set(err, ERR_INVALID, "not a JSON object");
	}
	if (r < 0)
		return error_prefix(err, "line %zu", number);
	if (held == GROUP_ROWS || im->bytes + len > GROUP_BYTES ||
	    (held && im->first_line + held != number)) {
		r = send_group(im, err);
		held = 0;
	}
	if (!held)
		im->first_line = number;
	json_array_append_new(im->rows, row);
	im->bytes += len;
	return r;
}

static int send_all(struct import *im, struct lines *lines, struct error *err)
{
	const char *text;
	size_t len;
	int r;

	while ((r = lines_next(lines, &text, &len, err)) > 0) {
		r = interrupted ? interruption(err)
				: add_line(im, text, len, lines_number(lines), err);
		if (r < 0)
			return r;
	}
	if (r == 0)
		r = send_group(im, err);
	while (r == 0 && im->in_flight)
		r = receive_group(im, err);
	return r == 0 && interrupted ? interruption(err) : r;
}

/* Whatever was answered on the way does not matter any more; the first error does. */
static void take_back(struct import *im)
{
	AUTO(json_decref) json_t *result = NULL;
	struct error ignored = {0};

	while (im->in_flight)
		if (receive_group(im, &ignored) == ERR_UNAVAILABLE)
			return;
	ask_batch(im, "import abort", &result, &ignored);
}

static int wait_shown(struct import *im, struct error *err)
{
	const struct timespec pause = {0, STATUS_MS * 1000000L};

	while (!interrupted) {
		AUTO(json_decref) json_t *result = NULL;
		int r = ask_batch(im, "import status", &result, err);

		if (r < 0 || view_int(result, "remaining") == 0)
			return r;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int run_import(struct import *im, struct lines *lines, struct error *err)
{
	AUTO(json_decref) json_t *begun = NULL, *done = NULL;
	AUTO(json_decref) json_t *none = json_object();
	int r = session_ask(im->session, "import begin", none, &begun, err);

	if (r < 0)
		return r;
	im->batch = view_int(begun, "batch");
	r = send_all(im, lines, err);
	if (r == 0)
		r = ask_batch(im, "import commit", &done, err);
	if (r < 0) {
		show_progress(im, true);
		take_back(im);
		return r;
	}
	r = wait_shown(im, err);
	show_progress(im, true);
	return r;
}

static void catch_interrupts(void)
{
	/* Without SA_RESTART: a read of the terminal ends, so that it can be told. */
	struct sigaction act = {.sa_handler = on_interrupt};

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
}

static void say_imported(const struct cli *c, const struct import *im)
{
	AUTO(json_decref) json_t *result = json_object();

	json_put_int(result, "imported", im->count);
	json_put_int(result, "skipped", im->skipped);
	json_put_int(result, "replaced", im->replaced);
	if (c->json) {
		cli_write_json(result);
		return;
	}
	printf("imported %" PRId64 " reminder%s in %.1f s", im->count, im->count == 1 ? "" : "s",
	       (double)(clock_monotonic() - im->started) / USEC_PER_SEC);
	if (im->replaced)
		printf("; %" PRId64 " changed", im->replaced);
	if (im->skipped)
		printf("; %" PRId64 " skipped, being there already", im->skipped);
	putchar('\n');
}

int cmd_import(const struct cli *c, struct error *err)
{
	AUTO(session_free) struct session *s = NULL;
	AUTO(lines_free) struct lines *lines = NULL;
	struct import im = {.started = clock_monotonic(), .progress = style_of(2).terminal};
	int r;

	im.if_absent = json_is_true(json_object_get(c->args, "if_absent"));
	im.replace = json_is_true(json_object_get(c->args, "replace"));
	if (im.if_absent && im.replace) {
		error_set(err, ERR_INVALID, "--if-absent and --replace contradict each other");
		return error_hint(err, "--if-absent skips what is there, --replace changes it");
	}
	r = lines_open(view_text(c->args, "file"), &lines, err);
	if (r == 0)
		r = session_open(c->home, c->zone, true, &s, err);
	if (r < 0)
		return r;
	catch_interrupts();
	im.session = s;
	im.rows = json_array();
	r = run_import(&im, lines, err);
	json_decref(im.rows);
	if (r < 0 && interrupted) {
		fprintf(stderr, "belfry: %s\n", err->message);
		return EXIT_INTERRUPTED;
	}
	if (r < 0)
		return r;
	say_imported(c, &im);
	session_warn(s);
	return 0;
}
