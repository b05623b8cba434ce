/*
 * live-line.c: what was typed is not yet in the conversation. What came while an agent worked stands in a line that
 * its client keeps, and is lost with it. What came while it rested may be blocked by a hook of the person's, and is
 * taken out again when the turn is ended before the model has said anything. So each is watched until it was
 * taken up, by the first of these:
 *
 *	transcript   it has an entry with the message, on which an entry of the model or of the person hangs (Claude
 *	             Code: a prompt that was taken out has none; the next prompt hangs on what was before it); or one
 *	             that says that it was taken in while a tool ran. That it was put into the line has an entry,
 *	             too, and that one is no proof. Where it is its hooks say; Codex holds it open
 *	hooks        typed while it rested: a tool, a question or the end of a turn comes before the next prompt
 *	busy         the same, where no transcript tells: it works on the screen. That it shows the prompt is no
 *	             proof: opencode does so two seconds before it asks its model, and forgets it when it is killed
 *	idle         the agent has been idle for a while, and it is not in the input line: a client takes
 *	             up what is in its line before it rests. A program of which no more is known than what it
 *	             shows must have read what was typed: none of it waits in its terminal
 *	terminal     of such a program, where the terminal edits the line: it was read from there, also at work
 *
 * Where a transcript or hooks would have told, an agent that rests has not taken it up. Nor has one whose transcript
 * says that a hook blocked it.
 *
 * The hook of the prompt itself is no proof: Claude Code 2.1.325 tells of a prompt when it is put into the line, and
 * not again; and it runs all hooks, also when one of them blocks the prompt.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/wrapper-parts.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "daemon/live-parts.h"
#include "schedule/instant.h"

#define RESTS (1500 * USEC_PER_MSEC) /* idle for so long: between two turns it looks idle, too */
#define UNREAD_AGAIN USEC_PER_SEC
#define INPUT_ALONE (5 * USEC_PER_SEC) /* so long what came back into its input line stays there */
#define INPUT_WATCHED (60 * USEC_PER_SEC)
#define BUSY_IS_SIGN                                                                               \
	(500 * USEC_PER_MSEC) /* hooks of a prompt that will be blocked take a moment, too */
#define TURN_UNSEEN                                                                                \
	(10 * USEC_PER_SEC) /* who has not begun by then was too quick to be seen at work */
#define MARK "[belfry "
#define BLOCKED "UserPromptSubmit operation blocked by hook"
#define ORIGINAL "Original prompt: "
#define WHY_MAX 200
#define READ_MAX ((off_t)4 * 1024 * 1024)
#define PEEK_MAX ((off_t)64 * 1024)

/* --- the line ----------------------------------------------------------------------------- */

void line_remove(struct watched *w, const char *message)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->lined_count; i++)
		if (strcmp(w->lined[i].id, message) != 0)
			w->lined[kept++] = w->lined[i];
	w->lined_count = kept;
}

void line_add(struct watched *w, const char *message, usec_t at, bool at_rest)
{
	struct lined *one;

	line_remove(w, message);
	w->lined = mem_grow(w->lined, w->lined_count + 1, sizeof(*w->lined));
	one = &w->lined[w->lined_count++];
	*one = (struct lined){
		.at = at, .added = clock_now(), .at_rest = at_rest, .was_at_rest = at_rest};
	snprintf(one->id, sizeof(one->id), "%s", message);
}

void line_set(struct watched *w, const struct job_live *from)
{
	line_end(w);
	for (size_t i = 0; i < from->lined_count; i++)
		line_add(w, from->lined[i].id, from->lined[i].at, false);
}

void line_end(struct watched *w)
{
	free(steal_ptr(&w->lined));
	w->lined_count = 0;
	w->lined_from = 0;
}

void line_interrupted(struct watched *w)
{
	for (size_t i = 0; i < w->lined_count; i++)
		w->lined[i].interrupted = true;
}

static void taken(struct watched *w, const char *message)
{
	char id[sizeof(w->lined->id)];

	snprintf(id, sizeof(id), "%s", message);
	line_remove(w, id);
	live_say_taken(w, id);
}

/* An interrupt of ours is nobody's failure; whatever else keeps it out may do so again. */
static void untaken(struct watched *w, const struct lined *one, const char *why)
{
	struct lined gone = *one;

	line_remove(w, gone.id);
	if (gone.interrupted && !why)
		live_say_returned(w, gone.id);
	else
		live_say_untaken(w, gone.id,
				 why ? why
				 : gone.tip[0]
					 ? "its client took it out of the conversation before its "
					   "model answered"
					 : "its client got it, and its conversation does not have "
					   "it: a hook of its own may have blocked it");
}

/* --- by its transcript -------------------------------------------------------------------- */

static const char *text_at(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static bool is_type(const json_t *entry, const char *type)
{
	return strcmp(text_at(entry, "type"), type) == 0;
}

/* What the person said, by an entry that shows that the model is told it; "": it is another one. */
static const char *said_by(const json_t *entry)
{
	const json_t *attachment = json_object_get(entry, "attachment");
	const json_t *content = json_object_get(json_object_get(entry, "message"), "content");
	const json_t *payload = json_object_get(entry, "payload"); /* Codex's */

	if (is_type(entry, "attachment"))
		return is_type(attachment, "queued_command") ? text_at(attachment, "prompt") : "";
	if (is_type(entry, "response_item"))
		return strcmp(text_at(payload, "role"), "user") == 0
			       ? text_at(json_array_get(json_object_get(payload, "content"), 0),
					 "text")
			       : "";
	if (!is_type(entry, "user"))
		return "";
	return json_is_array(content) ? text_at(json_array_get(content, 0), "text")
				      : text_at(json_object_get(entry, "message"), "content");
}

/* Of those in the line, the one that a text begins with. */
static struct lined *find_said(struct watched *w, const json_t *entry, const char *said)
{
	struct error err = {0};
	usec_t at = 0;

	said += strspn(said, " \t\r\n");
	if (strncmp(said, MARK, strlen(MARK)) != 0 ||
	    instant_parse(text_at(entry, "timestamp"), zone_utc(), &at, &err) < 0)
		return NULL;
	said += strlen(MARK);
	for (size_t i = 0; i < w->lined_count; i++) {
		size_t id = strlen(w->lined[i].id);

		if (strncmp(said, w->lined[i].id, id) == 0 && strchr(" ]", said[id]) &&
		    at >= w->lined[i].at)
			return &w->lined[i];
	}
	return NULL;
}

/* "UserPromptSubmit operation blocked by hook:\n[COMMAND]: WHY\n\nOriginal prompt: [belfry m-…" */
static void read_blocked(struct watched *w, const json_t *entry)
{
	const char *text = text_at(entry, "content"), *at = strstr(text, ORIGINAL MARK), *end = at;
	struct lined *one = NULL;
	AUTO(free) char *why = NULL, *clean = NULL;

	if (!at || strncmp(text, BLOCKED, strlen(BLOCKED)) != 0 ||
	    !(one = find_said(w, entry, at + strlen(ORIGINAL))))
		return;
	text += strlen(BLOCKED);
	text += strspn(text, ": \n");
	while (end > text && strchr(" \n", end[-1]))
		end--;
	clean = text_clean(text, end > text ? (size_t)(end - text) : 0);
	clean[text_fit(clean, WHY_MAX)] = '\0';
	why = mem_printf("a hook of its client blocked it: %s", clean);
	untaken(w, one, why);
}

/* What hangs on a prompt shows that it stays, unless that is only what the client adds to it. */
static void read_next(struct watched *w, const json_t *entry)
{
	const char *parent = text_at(entry, "parentUuid"), *own = text_at(entry, "uuid");

	for (size_t i = 0; *parent && i < w->lined_count; i++) {
		struct lined *one = &w->lined[i];

		if (strcmp(one->tip, parent) != 0)
			continue;
		if (is_type(entry, "assistant") || is_type(entry, "user"))
			taken(w, one->id);
		else
			snprintf(one->tip, sizeof(one->tip), "%s", own);
		return;
	}
}

static bool is_worth_reading(const struct watched *w, const char *line, size_t len)
{
	if (memmem(line, len, MARK, strlen(MARK)))
		return true;
	for (size_t i = 0; i < w->lined_count; i++)
		if (w->lined[i].tip[0] &&
		    memmem(line, len, w->lined[i].tip, strlen(w->lined[i].tip)))
			return true;
	return false;
}

static void read_entry(struct watched *w, const char *line, size_t len)
{
	static const char chain[] = "\"parentUuid\":";
	AUTO(json_decref) json_t *entry = NULL;
	struct error err = {0};
	struct lined *one;
	const char *uuid;

	w->tells |= memmem(line, len, chain, strlen(chain)) != NULL;
	if (!is_worth_reading(w, line, len) || json_parse(line, len, &entry, &err) < 0)
		return;
	read_next(w, entry);
	if (is_type(entry, "system"))
		read_blocked(w, entry);
	if (!(one = find_said(w, entry, said_by(entry))))
		return;
	uuid = text_at(entry, "uuid");
	if (is_type(entry, "user") && *uuid && strlen(uuid) < sizeof(one->tip))
		memcpy(one->tip, uuid, strlen(uuid) + 1);
	else
		taken(w, one->id);
}

/* Whole lines only: the last may not have its end yet. */
static void read_entries(struct watched *w, const char *bytes, size_t len)
{
	const char *end;

	while (w->lined_count && (end = memchr(bytes, '\n', len))) {
		size_t part = (size_t)(end - bytes) + 1;

		read_entry(w, bytes, part - 1);
		w->lined_from += (off_t)part;
		bytes += part;
		len -= part;
	}
	if (len >= (size_t)READ_MAX) /* one that is far too long is passed over */
		w->lined_from += (off_t)len;
}

/* Its agent names the file: it may be anything. Returns what it has from there on, as far as that is read at once. */
static char *read_from(const struct watched *w, off_t *from, off_t most, size_t *ret_len)
{
	AUTO_CLOSE int fd =
		w->transcript ? open(w->transcript, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	AUTO(free) char *bytes = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	if (st.st_size < *from)
		*from = 0;
	if (st.st_size - *from > most)
		*from = st.st_size - most;
	if (st.st_size == *from)
		return NULL;
	bytes = mem_alloc((size_t)(st.st_size - *from));
	n = pread(fd, bytes, (size_t)(st.st_size - *from), *from);
	*ret_len = n > 0 ? (size_t)n : 0;
	return n > 0 ? steal_ptr(&bytes) : NULL;
}

static void read_transcript(struct watched *w)
{
	AUTO(free) char *bytes = NULL;
	size_t len = 0;

	if (!w->transcript && w->adapter->live.holds && w->pid > 0)
		w->transcript = tree_open_file(w->pid, w->adapter->live.holds);
	if ((bytes = read_from(w, &w->lined_from, READ_MAX, &len)))
		read_entries(w, bytes, len);
}

/* What was typed before may have its entry anywhere. */
void line_expect(struct watched *w, bool again)
{
	static const char chain[] = "\"parentUuid\":";
	AUTO(free) char *bytes = NULL;
	size_t len = 0;
	off_t from = 0;

	bytes = read_from(w, &from, PEEK_MAX, &len);
	w->tells |= bytes && memmem(bytes, len, chain, strlen(chain));
	if (again)
		w->lined_from = 0;
	else if (!w->lined_count)
		w->lined_from = bytes ? from + (off_t)len : 0;
}

void line_closed(struct watched *w)
{
	if (w->lined_count)
		read_transcript(w);
	for (size_t i = w->lined_count; i > 0; i--)
		if (w->lined[i - 1].tip[0])
			taken(w, w->lined[i - 1].id);
}

/* --- by its hooks, or its work ------------------------------------------------------------ */

/* Another prompt: in the midst of a turn, that turn is; else it ended, and nothing was seen of it. */
static void heard_prompt(struct watched *w, const struct event *e)
{
	bool at_rest = w->verdict.is == IS_IDLE;

	for (size_t i = 0; i < w->lined_count; i++)
		if (strcmp(w->lined[i].id, e->message) == 0)
			at_rest = w->lined[i].at_rest;
	for (size_t i = w->lined_count; i > 0; i--) {
		struct lined *one = &w->lined[i - 1];

		if (!one->at_rest || strcmp(one->id, e->message) == 0 || e->at < one->added)
			continue;
		if (at_rest)
			one->at_rest = false;
		else if (!w->tells)
			taken(w, one->id);
	}
}

void line_heard(struct watched *w, const struct event *e)
{
	if (e->event == EVENT_PROMPT)
		heard_prompt(w, e);
	if (e->event != EVENT_WORKING && e->event != EVENT_ASKING && e->event != EVENT_STOPPED)
		return;
	for (size_t i = w->lined_count; i > 0; i--)
		if (w->lined[i - 1].at_rest)
			taken(w, w->lined[i - 1].id);
}

/* Where nothing else would tell it. A transcript that is still to be written may be one that tells. */
static void see_work(struct watched *w)
{
	off_t from = 0;
	size_t len = 0;
	AUTO(free) char *bytes = NULL;

	if (w->tells || w->look.look != LOOK_BUSY || w->facts.look_at == USEC_NONE)
		return;
	bytes = read_from(w, &from, 1, &len);
	if (w->transcript && !bytes)
		return;
	for (size_t i = w->lined_count; i > 0; i--)
		if (w->lined[i - 1].at_rest &&
		    w->facts.look_at - w->lined[i - 1].added > BUSY_IS_SIGN)
			taken(w, w->lined[i - 1].id);
}

/* --- by its rest -------------------------------------------------------------------------- */

/* An interrupt of a person's may have put it back there, or a hook that blocked it while its agent worked. */
static bool is_in_input(const struct watched *w)
{
	return w->look.typed && strstr(w->look.typed, MARK "m-");
}

/* A person who looks at it may still send it; nobody else does. Returns until when that is waited for. */
static usec_t leave_input(struct watched *w, usec_t rested_at)
{
	usec_t at = rested_at + (w->is_watched ? INPUT_WATCHED : INPUT_ALONE);

	if (w->facts.now < at)
		return at;
	for (size_t i = w->lined_count; i > 0; i--) {
		AUTO(free) char *mark = mem_printf(MARK "%s", w->lined[i - 1].id);

		if (strstr(w->look.typed, mark))
			untaken(w, &w->lined[i - 1], NULL);
	}
	return USEC_NONE;
}

bool line_is_blind(const struct watched *w)
{
	return !w->adapter->live.input && !w->adapter->live.hooks && !w->has_hooks;
}

bool line_is_unread(const struct watched *w)
{
	AUTO_CLOSE int fd =
		w->tty ? open(w->tty, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
	int count = 0;

	/* A terminal that cannot be asked has not said that it was read. */
	return fd < 0 || ioctl(fd, FIONREAD, &count) < 0 || count > 0;
}

/*
 * A terminal that edits its line itself gives it to the program whole, and once: what was read is read, whatever
 * the program does with it. Returns when to look again.
 */
static usec_t look_at_terminal(struct watched *w)
{
	usec_t youngest = 0;

	if (w->typing || w->tells || !line_is_blind(w) || !unsent_terminal_edits(w))
		return USEC_NONE;
	for (size_t i = 0; i < w->lined_count; i++)
		youngest = w->lined[i].added > youngest ? w->lined[i].added : youngest;
	/* What tmux was given is on its way. */
	if (w->facts.now >= youngest && w->facts.now < youngest + READ_LEAST)
		return youngest + READ_LEAST;
	if (line_is_unread(w))
		return w->facts.now + UNREAD_AGAIN;
	while (w->lined_count)
		taken(w, w->lined[0].id);
	return USEC_NONE;
}

static usec_t rests_at(const struct watched *w)
{
	usec_t at = w->verdict.since;

	for (size_t i = 0; i < w->lined_count; i++)
		at = w->lined[i].added > at ? w->lined[i].added : at;
	/* The hand-over itself takes its time. */
	if (w->facts.delivered_at != USEC_NONE && w->facts.delivered_at > at)
		at = w->facts.delivered_at;
	return (at > w->facts.now ? w->facts.now : at) + RESTS;
}

usec_t line_judge(struct watched *w)
{
	bool has_screen = w->adapter->live.input || w->adapter->live.busy;
	usec_t at, read_at;

	read_transcript(w);
	see_work(w);
	read_at = look_at_terminal(w);
	if (!w->lined_count || w->typing || w->verdict.is != IS_IDLE)
		return read_at;
	at = rests_at(w);
	if (w->facts.now < at)
		return read_at != USEC_NONE && read_at < at ? read_at : at;
	if (has_screen && (w->facts.look_at == USEC_NONE || w->facts.look_at < at)) {
		watch_look(w, 0); /* which leads to the next verdict */
		return USEC_NONE;
	}
	if (w->look.look == LOOK_BUSY || w->look.look == LOOK_BLOCKED ||
	    (w->adapter->live.input && !w->look.typed))
		return USEC_NONE;
	if (is_in_input(w))
		return w->has_hooks || w->adapter->live.early ? leave_input(w, at) : USEC_NONE;
	if (unsent_is_unknown(w) && line_is_unread(w))
		return w->facts.now + UNREAD_AGAIN;
	while (w->lined_count) {
		const struct lined *one = &w->lined[0];

		if (w->tells || (one->was_at_rest && w->has_hooks) || one->tip[0])
			untaken(w, one, NULL);
		else if (one->was_at_rest && w->facts.now < one->added + TURN_UNSEEN)
			return one->added + TURN_UNSEEN;
		else
			taken(w, one->id);
	}
	return USEC_NONE;
}
