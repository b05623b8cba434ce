/*
 * live-line.c: what was typed while an agent worked stands in a line that its client keeps, and is lost with
 * it. So it is watched until it was taken up, by the first of these:
 *
 *	transcript   it has an entry with the message: of the person, or taken in while a tool ran (Claude Code).
 *	             That it was put into the line has an entry, too, and that one is no proof. Where it is its
 *	             hooks say; Codex holds it open
 *	idle         the agent has been idle for a while, and it is not in the input line: a client takes
 *	             up what is in its line before it rests. A program of which no more is known than what it
 *	             shows must have read what was typed: none of it waits in its terminal
 *
 * A hook is no proof here: Claude Code 2.1.325 tells of a prompt when it is put into the line, and not again.
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
#include "daemon/live-parts.h"
#include "schedule/instant.h"

#define RESTS (1500 * USEC_PER_MSEC) /* idle for so long: between two turns it looks idle, too */
#define UNREAD_AGAIN USEC_PER_SEC
#define MARK "[belfry "
#define READ_MAX ((off_t)4 * 1024 * 1024)

/* --- the line ----------------------------------------------------------------------------- */

void line_expect(struct watched *w)
{
	struct stat st;

	if (!w->lined_count)
		w->lined_from = w->transcript && stat(w->transcript, &st) == 0 ? st.st_size : 0;
}

void line_remove(struct watched *w, const char *message)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->lined_count; i++)
		if (strcmp(w->lined[i].id, message) != 0)
			w->lined[kept++] = w->lined[i];
	w->lined_count = kept;
}

void line_add(struct watched *w, const char *message, usec_t at)
{
	struct live_lined *all = mem_zalloc((w->lined_count + 1) * sizeof(*all));

	line_remove(w, message);
	if (w->lined_count)
		memcpy(all, w->lined, w->lined_count * sizeof(*all));
	snprintf(all[w->lined_count].id, sizeof(all->id), "%s", message);
	all[w->lined_count++].at = at;
	free(w->lined);
	w->lined = all;
}

void line_set(struct watched *w, const struct job_live *from)
{
	line_end(w);
	for (size_t i = 0; i < from->lined_count; i++)
		line_add(w, from->lined[i].id, from->lined[i].at);
}

void line_end(struct watched *w)
{
	free(steal_ptr(&w->lined));
	w->lined_count = 0;
	w->lined_from = 0;
}

static void taken(struct watched *w, const char *message)
{
	char id[sizeof(w->lined->id)];

	snprintf(id, sizeof(id), "%s", message);
	line_remove(w, id);
	live_say_taken(w, id);
}

/* --- by its transcript -------------------------------------------------------------------- */

static const char *text_at(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* What the person said, by an entry that shows that the model is told it; NULL: it is another one. */
static const char *said_by(const json_t *entry)
{
	const json_t *attachment = json_object_get(entry, "attachment");
	const json_t *content = json_object_get(json_object_get(entry, "message"), "content");
	const char *type = text_at(entry, "type"), *kind = text_at(attachment, "type");
	const json_t *payload = json_object_get(entry, "payload"); /* Codex's */
	const char *role = text_at(payload, "role");

	if (type && strcmp(type, "attachment") == 0)
		return kind && strcmp(kind, "queued_command") == 0 ? text_at(attachment, "prompt")
								   : NULL;
	if (type && strcmp(type, "response_item") == 0)
		return role && strcmp(role, "user") == 0
			       ? text_at(json_array_get(json_object_get(payload, "content"), 0),
					 "text")
			       : NULL;
	if (!type || strcmp(type, "user") != 0)
		return NULL;
	return json_is_array(content) ? text_at(json_array_get(content, 0), "text")
				      : json_string_value(content);
}

static void read_entry(struct watched *w, const char *line, size_t len)
{
	AUTO(json_decref) json_t *entry = NULL;
	struct error err = {0};
	const char *said, *when;
	usec_t at = 0;

	if (!memmem(line, len, MARK, strlen(MARK)) || json_parse(line, len, &entry, &err) < 0 ||
	    !(said = said_by(entry)) || !(when = text_at(entry, "timestamp")) ||
	    instant_parse(when, zone_utc(), &at, &err) < 0)
		return;
	said += strspn(said, " \t\r\n");
	if (strncmp(said, MARK, strlen(MARK)) != 0)
		return;
	said += strlen(MARK);
	for (size_t i = 0; i < w->lined_count; i++) {
		size_t id = strlen(w->lined[i].id);

		if (strncmp(said, w->lined[i].id, id) == 0 && strchr(" ]", said[id]) &&
		    at >= w->lined[i].at) {
			taken(w, w->lined[i].id);
			return;
		}
	}
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

/* Its agent names the file: it may be anything. */
static void read_transcript(struct watched *w)
{
	AUTO_CLOSE int fd = -1;
	AUTO(free) char *bytes = NULL;
	struct stat st;
	off_t left;
	ssize_t n;

	if (!w->transcript && w->adapter->live.holds && w->pid > 0)
		w->transcript = tree_open_file(w->pid, w->adapter->live.holds);
	if (w->transcript)
		fd = open(w->transcript, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	if (st.st_size < w->lined_from)
		w->lined_from = 0;
	left = st.st_size - w->lined_from;
	if (left <= 0)
		return;
	if (left > READ_MAX) {
		w->lined_from = st.st_size - READ_MAX;
		left = READ_MAX;
	}
	bytes = mem_alloc((size_t)left);
	n = pread(fd, bytes, (size_t)left, w->lined_from);
	if (n > 0)
		read_entries(w, bytes, (size_t)n);
}

/* --- by its rest -------------------------------------------------------------------------- */

/* An interrupt of a person's may have put it back there. */
static bool is_in_input(const struct watched *w)
{
	return w->look.typed && strstr(w->look.typed, MARK "m-");
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

static usec_t rests_at(const struct watched *w)
{
	usec_t at = w->verdict.since;

	for (size_t i = 0; i < w->lined_count; i++)
		at = w->lined[i].at > at ? w->lined[i].at : at;
	/* The hand-over itself takes its time. */
	if (w->facts.delivered_at != USEC_NONE && w->facts.delivered_at > at)
		at = w->facts.delivered_at;
	return (at > w->facts.now ? w->facts.now : at) + RESTS;
}

usec_t line_judge(struct watched *w)
{
	bool has_screen = w->adapter->live.input || w->adapter->live.busy;
	usec_t at;

	read_transcript(w);
	if (!w->lined_count || w->typing || w->verdict.is != IS_IDLE)
		return USEC_NONE;
	at = rests_at(w);
	if (w->facts.now < at)
		return at;
	if (has_screen && (w->facts.look_at == USEC_NONE || w->facts.look_at < at)) {
		watch_look(w, 0); /* which leads to the next verdict */
		return USEC_NONE;
	}
	if (w->look.look == LOOK_BUSY || w->look.look == LOOK_BLOCKED || is_in_input(w) ||
	    (w->adapter->live.input && !w->look.typed))
		return USEC_NONE;
	if (unsent_is_unknown(w) && line_is_unread(w))
		return w->facts.now + UNREAD_AGAIN;
	while (w->lined_count)
		taken(w, w->lined[0].id);
	return USEC_NONE;
}
