/*
 * wrapper-end.c: how a run ended, in words.
 * Why we ended it comes before what it did: an agent that exits with 0 when it is interrupted has not
 * succeeded. Without a cause of ours, the exit status and what the adapter reads in the output decide.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/presence.h"
#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

#define ERROR_TEXT_MAX ((size_t)2048)
#define MARK_MAX ((size_t)100)

/* clang-format off */
static const struct {
	const char *reason, *error;
} causes[] = {
	[CAUSE_TIMEOUT]  = {"timeout",         "its time limit passed"},
	[CAUSE_KILLED]   = {"killed",          "it was asked to end"},
	[CAUSE_SHUTDOWN] = {"daemon_shutdown", "the daemon was stopped"},
};
/* clang-format on */

static void set_reason(struct end *e, const char *word)
{
	snprintf(e->reason, sizeof(e->reason), "%s", word);
}

static void add_line(struct buf *text, const char *line)
{
	if (!*line)
		return;
	if (text->len)
		buf_add_char(text, '\n');
	buf_add_str(text, line);
}

static char *error_words(const struct child *c)
{
	AUTO_BUF struct buf said = {0};
	const char *start;
	char *clean;

	ring_newest(&c->said[1], ERROR_TEXT_MAX, &said);
	start = buf_text(&said);
	/* What was cut in the middle of a line is told from the next one on, if there is one. */
	if (c->said[1].total > ERROR_TEXT_MAX && strchr(start, '\n'))
		start = strchr(start, '\n') + 1;
	clean = text_clean_output(start, said.len - (size_t)(start - buf_text(&said)));
	clean[text_fit(clean, ERROR_TEXT_MAX)] = '\0';
	return clean;
}

/* What it did by itself. */
static void describe_status(const struct child *c, const char *agents_error, struct buf *text)
{
	AUTO(free) char *said = error_words(c);
	char line[80];

	if (!c->gone)
		add_line(text, "it could not be ended");
	else if (WIFSIGNALED(c->status)) {
		snprintf(line, sizeof(line), "ended by signal %d (%s)", WTERMSIG(c->status),
			 strsignal(WTERMSIG(c->status)));
		add_line(text, line);
	}
	add_line(text, agents_error ? agents_error : said);
	if (text->len == 0) {
		snprintf(line, sizeof(line), "exit status %d", WEXITSTATUS(c->status));
		add_line(text, line);
	}
}

static char *describe(const struct child *c, const char *agents_error)
{
	AUTO_BUF struct buf text = {0};

	if (c->cause != CAUSE_NONE)
		add_line(&text, causes[c->cause].error);
	else
		describe_status(c, agents_error, &text);
	if (c->left) {
		AUTO(free)
		char *line = mem_printf("%zu of its processes could not be ended", c->left);

		add_line(&text, line);
	}
	return buf_steal(&text);
}

/*
 * All of the answer, on disk before the end that speaks of it. Only the folder's entry is left to be
 * synced, and syncing the end, which came after it, does that.
 */
static int write_answer(const char *folder, const char *answer, bool durable, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/answer.md", folder);
	AUTO_CLOSE int fd = file_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, err);

	if (fd < 0)
		return err->code;
	if (fd_write_all(fd, answer, strlen(answer)) < 0 || (durable && fdatasync(fd) < 0))
		return error_set_errno(err, errno, "cannot write '%s'", path);
	return 0;
}

/* A full disk takes our logs first: the end of a run is worth more than its output. */
static bool make_room(const char *folder, const struct error *err)
{
	return (err->os_errno == ENOSPC || err->os_errno == EDQUOT) && run_log_make_room(folder);
}

static int put_end(struct wrapper *w, const struct end *e, const char *answer, struct error *err)
{
	/* A daemon that watches commits the end in a moment: the run waits for the disk once. */
	bool durable = !wrapper_is_watched(w);
	int r;

	/* All output is in it by now. */
	run_log_close(w->log);
	w->log = NULL;
	while (answer && write_answer(w->folder, answer, durable, err) < 0)
		if (!make_room(w->folder, err)) {
			log_warning("run '%s': %s", w->run, err->message);
			break;
		}
	do
		r = end_write(w->folder, e, durable, err);
	while (r < 0 && make_room(w->folder, err));
	if (r < 0 && e->answer) {
		/* How it ended is worth more than what it said, which is in its log. */
		struct end without = *e;

		without.answer = NULL;
		r = end_write(w->folder, &without, durable, err);
	}
	return r;
}

/*
 * Whether a file of its hooks' journal tells since then of a prompt, and next of work on that: another hook may have
 * blocked it.
 */
static bool file_tells_prompt(const char *path, usec_t since)
{
	bool prompted = false;
	AUTO_BUF struct buf text = {0};
	struct error none = {0};

	if (file_read(path, 2 * (size_t)EVENTS_MAX, &text, &none) < 0)
		return false;
	for (const char *line = buf_text(&text); *line;) {
		size_t len = strcspn(line, "\n");
		struct event event = {0};
		bool is_own = event_parse(line, len, &event, &none) == 0 && event.at >= since;

		event_fini(&event);
		if (is_own && prompted &&
		    (event.event == EVENT_WORKING || event.event == EVENT_ASKING ||
		     event.event == EVENT_STOPPED))
			return true;
		if (is_own && prompted && event.event == EVENT_PROMPT)
			return false;
		prompted |= is_own && event.event == EVENT_PROMPT;
		line += len + (line[len] == '\n');
	}
	return false;
}

static bool was_told(const struct wrapper *w, usec_t since)
{
	AUTO(free) char *path = mem_printf("%s/" EVENTS_FILE, w->mission);
	AUTO(free) char *older = mem_printf("%s.1", path);

	return file_tells_prompt(path, since) || file_tells_prompt(older, since);
}

static char *with_mark(const char *text, size_t missing, const char *where)
{
	return mem_printf(END_ANSWER_CUT "%zu bytes before this are %s]\n%s", missing, where, text);
}

/*
 * An agent that just prints says last what came of it: of a long answer the end is kept, from a new
 * line on. Others answer in one piece, whose beginning is kept.
 */
static char *short_answer(const struct wrapper *w, const char *answer)
{
	size_t len = answer ? strlen(answer) : 0;
	const char *start, *line;

	if (w->order->adapter->output != OUTPUT_TEXT || len <= END_ANSWER_MAX)
		return mem_strdup(answer);
	start = answer + len - (END_ANSWER_MAX - MARK_MAX);
	line = strchr(start, '\n');
	if (line && line[1])
		start = line + 1;
	while ((*start & 0xc0) == 0x80)
		start++;
	return with_mark(start, (size_t)(start - answer), "in answer.md");
}

/* More than could be held is in the log alone, if at all, and the answer says so where it begins. */
static void mark_lost(const struct ring *said, char **text)
{
	char *marked;

	if (!*text || said->total <= said->size)
		return;
	marked = with_mark(*text, said->total - said->size, "left out; see the log");
	free(*text);
	*text = marked;
}

/* What passed by while it ran, and what stands at the end of it. */
static void read_said(const struct wrapper *w, const struct child *c, struct adapter_reading *ret)
{
	AUTO_BUF struct buf output = {0}, errors = {0};
	const struct adapter_denials *heard = &c->heard.denials;

	ring_newest(&c->said[0], SIZE_MAX, &output);
	ring_newest(&c->said[1], SIZE_MAX, &errors);
	adapter_read_both(w->order->adapter,
			  &(struct adapter_said){buf_text(&output), buf_text(&errors), output.len,
						 errors.len},
			  ret);
	if (w->order->adapter->output == OUTPUT_TEXT) {
		mark_lost(&c->said[0], &ret->answer);
		mark_lost(&c->said[0], &ret->raw);
	}
	if (!ret->session)
		ret->session = mem_strdup(c->heard.session);
	ret->denials.count += heard->count;
	if (heard->calls.len)
		buf_printf(&ret->denials.calls, "%s%s", ret->denials.calls.len ? ", " : "",
			   buf_text(&heard->calls));
}

int wrapper_write_end(struct wrapper *w, const struct child *c, usec_t started_at,
		      struct error *err)
{
	struct adapter_reading said = {.cost = -1};
	struct end e = {.exit_code = -1, .started_at = started_at, .finished_at = clock_now()};
	int r;

	if (w->order->interactive)
		e.told = was_told(w, started_at);
	else
		read_said(w, c, &said);
	if (c->gone && WIFEXITED(c->status))
		e.exit_code = WEXITSTATUS(c->status);
	if (c->gone && WIFSIGNALED(c->status))
		e.signal = WTERMSIG(c->status);
	if (c->cause != CAUSE_NONE)
		set_reason(&e, causes[c->cause].reason);
	else
		set_reason(&e, e.exit_code == 0 && !said.error ? "success" : "error");
	if (strcmp(e.reason, "success") != 0)
		e.error = describe(c, said.error);
	e.answer = short_answer(w, said.answer);
	e.session = mem_strdup(said.session);
	e.cost = said.cost;
	e.denied = said.denials.count;
	if (e.denied)
		e.denied_calls = mem_strdup(buf_text(&said.denials.calls));
	r = put_end(w, &e, said.raw, err);
	end_fini(&e);
	adapter_reading_fini(&said);
	return r;
}

int wrapper_write_failure(struct wrapper *w, const struct error *why, struct error *err)
{
	struct end e = {
		.exit_code = -1, .started_at = USEC_NONE, .finished_at = clock_now(), .cost = -1};
	int r;

	set_reason(&e, w->asked != CAUSE_NONE ? causes[w->asked].reason : "error");
	e.error = *why->hint ? mem_printf("%s (%s)", why->message, why->hint)
			     : mem_strdup(why->message);
	if (w->log)
		run_log_note(w->log, "%s", e.error);
	r = put_end(w, &e, NULL, err);
	end_fini(&e);
	return r;
}
