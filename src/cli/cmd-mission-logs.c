/*
 * cmd-mission-logs.c: what an agent wrote, and what it goes on writing.
 * The daemon says where the run's folder is; the files are read here, so that a log of any size
 * costs the daemon nothing. A run has ended when its end.json is there, or, when its wrapper was
 * killed and left none, when the daemon says so.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/order.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/log-reader.h"
#include "cli/observe.h"
#include "schedule/duration.h"

#define CHUNK ((size_t)64 * 1024)
#define POLL_MS 200
#define ASK_EVERY 5 /* polls */

/* --- onto the terminal --- */

/* A terminal gets nothing raw: bytes wait here until they are whole characters. */
struct shown {
	bool terminal;
	bool in_line; /* the last line has no end yet */
	bool any;
	struct buf held;
};

/* How many bytes at the end begin a character whose rest has not arrived. */
static size_t unfinished(const char *bytes, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char c = (unsigned char)bytes[len - back];
		size_t need = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

		if (c >= 0xc0)
			return need > back ? back : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

/* Text up to each NUL, which no text function sees past. */
static void add_visible_bytes(struct buf *out, const char *bytes, size_t len)
{
	const char *end = bytes + len;

	while (bytes < end) {
		visible_block(out, bytes, "");
		bytes += strlen(bytes);
		if (bytes < end) {
			buf_add_str(out, "^@");
			bytes++;
		}
	}
}

static void show(struct shown *s, const char *bytes, size_t len, bool last)
{
	AUTO_BUF struct buf out = {0}, whole = {0};
	size_t keep;

	if (len) {
		s->in_line = bytes[len - 1] != '\n';
		s->any = true;
	}
	if (!s->terminal) {
		fwrite(bytes, 1, len, stdout);
		return;
	}
	buf_add(&s->held, bytes, len);
	keep = last ? 0 : unfinished(s->held.data, s->held.len);
	buf_add(&whole, s->held.data, s->held.len - keep);
	add_visible_bytes(&out, buf_text(&whole), whole.len);
	buf_drop_front(&s->held, whole.len);
	cli_write(&out);
}

/* Everything there is so far. */
static int drain(struct log_reader *log, struct shown *s, struct error *err)
{
	AUTO(free) char *chunk = mem_alloc(CHUNK);
	ssize_t n;

	while ((n = log_reader_read(log, chunk, CHUNK)) > 0)
		show(s, chunk, (size_t)n, false);
	fflush(stdout);
	return n < 0 ? error_set_errno(err, errno, "cannot read the log") : 0;
}

/* --- which run --- */

static const json_t *find_run(const json_t *mission, int64_t number)
{
	const json_t *runs = json_object_get(mission, "runs");
	size_t count = json_array_size(runs);

	if (!number)
		return count ? json_array_get(runs, count - 1) : NULL;
	for (size_t i = 0; i < count; i++)
		if (view_int(json_array_get(runs, i), "number") == number)
			return json_array_get(runs, i);
	return NULL;
}

static int no_such_run(const json_t *mission, int64_t number, struct error *err)
{
	size_t count = json_array_size(json_object_get(mission, "runs"));
	const char *id = view_text(mission, "id");

	if (!count) {
		error_set(err, ERR_NOT_FOUND, "mission '%s' has not run: it is %s", id,
			  view_text(mission, "state"));
		return error_hint(err, "belfry mission logs %s -f waits for it", id);
	}
	error_set(err, ERR_NOT_FOUND, "mission '%s' has no run %" PRId64, id, number);
	return error_hint(err, count == 1 ? "it has one run, 1" : "its runs are 1 to %zu", count);
}

struct follow {
	const struct cli *c;
	struct observer observer;
	json_t *mission; /* as last seen */
	const char *id;
};

static void follow_fini(struct follow *f)
{
	json_decref(f->mission);
	observer_fini(&f->observer);
}

/* Returns as observer_ask(). */
static int look(struct follow *f, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("mission", f->id), *seen = NULL;
	int r = observer_ask(&f->observer, "mission show", args, &seen, err);

	if (r > 0) {
		json_decref(f->mission);
		f->mission = json_incref(seen);
	}
	return r;
}

/* A mission in line has no run yet; a person who follows it means the one to come. */
static int await_run(struct follow *f, const json_t **ret, struct error *err)
{
	while (!(*ret = find_run(f->mission, 0))) {
		if (strcmp(view_text(f->mission, "phase"), "ended") == 0)
			return no_such_run(f->mission, 0, err);
		observer_pause(POLL_MS);
		if (look(f, err) < 0)
			return err->code;
	}
	return 0;
}

/* --- the end --- */

static void say_end(const struct follow *f, int64_t number, const char *reason, int64_t code,
		    usec_t took)
{
	AUTO_BUF struct buf line = {0};
	char span[DURATION_TEXT_MAX];

	buf_printf(&line, "belfry: %s, run %" PRId64 ": ", view_text(f->mission, "id"), number);
	visible_line(&line, reason);
	if (code >= 0)
		buf_printf(&line, ", exit status %" PRId64, code);
	if (took >= 0) {
		duration_format_short(took, span);
		buf_printf(&line, ", took %s", span);
	}
	fprintf(stderr, "%s\n", buf_text(&line));
}

/* Whether the run is over; *ret is what it left, zeroed when it left nothing. */
static bool has_ended(struct follow *f, int64_t number, int polls, struct end *ret)
{
	const json_t *run = find_run(f->mission, number);
	struct error none = {0};

	if (end_read(view_text(run, "folder"), ret, &none) == 0)
		return true;
	*ret = (struct end){0};
	if (polls % ASK_EVERY != 0)
		return false;
	/* Also true when the mission has been removed. */
	if (look(f, &none) < 0 && none.code == ERR_NOT_FOUND)
		return true;
	return view_instant(find_run(f->mission, number), "finished_at") != USEC_NONE;
}

static int follow_run(struct follow *f, struct log_reader *log, struct shown *s, int64_t number,
		      struct error *err)
{
	struct end end = {0};
	bool ended = false;
	int r = 0;

	for (int polls = 0; !ended && r == 0; polls++) {
		/* Looked for before the last drain: what was written before the end is not missed. */
		ended = has_ended(f, number, polls, &end);
		r = drain(log, s, err);
		if (!ended && r == 0)
			observer_pause(POLL_MS);
	}
	show(s, "", 0, true);
	if (s->terminal && s->in_line)
		putchar('\n');
	fflush(stdout);
	if (r == 0 && *end.reason)
		say_end(f, number, end.reason, end.exit_code,
			end.started_at == USEC_NONE ? -1 : end.finished_at - end.started_at);
	else if (r == 0)
		say_end(f, number, view_text(find_run(f->mission, number), "ending"), -1, -1);
	end_fini(&end);
	return r;
}

/* --- the command --- */

static int ask_mission(struct follow *f, struct error *err)
{
	AUTO(json_decref) json_t *args = observer_args("mission", f->id);
	AUTO(session_free) struct session *s = NULL;
	int r = session_open(f->c->home, f->c->zone, true, &s, err);

	return r < 0 ? r : session_ask(s, "mission show", args, &f->mission, err);
}

static int no_log(const json_t *mission, const json_t *run, struct error *err)
{
	bool interactive = strcmp(view_text(run, "kind"), "interactive") == 0;

	error_set(err, ERR_NOT_FOUND, "run %" PRId64 " of mission '%s' has no log%s",
		  view_int(run, "number"), view_text(mission, "id"),
		  interactive ? ": it had a terminal"
			      : ": it was given up on a full disk, or deleted");
	return error_hint(err, "belfry mission show %s", view_text(mission, "id"));
}

static int print_json(const json_t *run)
{
	AUTO(json_decref) json_t *o = json_copy((json_t *)(uintptr_t)run);

	json_put(o, "files", log_reader_files(view_text(run, "folder")));
	cli_write_json(o);
	return 0;
}

static int print_run(struct follow *f, const json_t *run, bool follow, int64_t lines,
		     struct error *err)
{
	AUTO(log_reader_free) struct log_reader *log = log_reader_new(view_text(run, "folder"));
	struct shown s = {.terminal = f->c->style.terminal};
	int64_t number = view_int(run, "number");
	bool open = view_instant(run, "finished_at") == USEC_NONE;
	int r;

	if (!log_reader_exists(view_text(run, "folder")) &&
	    (!open || strcmp(view_text(run, "kind"), "interactive") == 0))
		return no_log(f->mission, run, err);
	if (lines >= 0)
		log_reader_begin_at(log, lines);
	if (follow) {
		r = follow_run(f, log, &s, number, err);
	} else {
		r = drain(log, &s, err);
		show(&s, "", 0, true);
		if (r == 0 && !s.any && lines != 0)
			fprintf(stderr, "run %" PRId64 " of mission '%s' %s\n", number, f->id,
				open ? "has printed nothing yet" : "printed nothing");
	}
	buf_fini(&s.held);
	return r;
}

int mission_logs(const struct cli *c, const char *mission, bool follow, int64_t number,
		 int64_t lines, struct error *err)
{
	__attribute__((cleanup(follow_fini))) struct follow f = {
		.c = c, .observer = {c->home, c->zone, NULL}, .id = mission};
	const json_t *run;
	int r = ask_mission(&f, err);

	if (r < 0)
		return r;
	run = find_run(f.mission, number);
	if (!run && follow && !number)
		r = await_run(&f, &run, err);
	else if (!run)
		r = no_such_run(f.mission, number, err);
	if (r < 0)
		return r;
	return c->json ? print_json(run) : print_run(&f, run, follow, lines, err);
}

int cmd_mission_logs(const struct cli *c, struct error *err)
{
	const char *mission = json_string_value(json_object_get(c->args, "mission"));
	bool follow = json_is_true(json_object_get(c->args, "follow"));
	int64_t run = 0, lines = -1;
	int r;

	if ((r = json_get_int(c->args, "run", &run, err)) < 0 ||
	    (r = json_get_int(c->args, "lines", &lines, err)) < 0)
		return r;
	if (json_object_get(c->args, "lines") && lines < 0)
		return error_set(err, ERR_INVALID, "--lines cannot be %" PRId64, lines);
	if (json_object_get(c->args, "run") && run < 1) {
		error_set(err, ERR_INVALID, "--run cannot be %" PRId64, run);
		return error_hint(err, "runs are counted from 1");
	}
	if (follow && c->json) {
		error_set(err, ERR_INVALID, "--json and --follow do not go together");
		return error_hint(err, "--json names the files; they can be followed from there");
	}
	return mission_logs(c, mission, follow, run, lines, err);
}
