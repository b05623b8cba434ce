/*
 * live-journal.c: what the hooks of an agent wrote into missions/ID/events.
 * It is read from its beginning when an agent is found, so that what was said while no daemon ran
 * counts, and then on from where it ended, whenever the kernel says that it grew. The folder is
 * watched, not the file: that may not be there yet, and becomes events.1 when it has grown long.
 *
 * The agent itself can write there, so the file may be anything: a pipe that nobody writes to, a link
 * to what never ends, a terabyte of nothing. None of them may hold up the daemon.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/live-parts.h"

#define NAME "events"
#define OLD_NAME "events.1"
#define PART ((size_t)64 * 1024)
#define LINE_MAX_BYTES PART
#define JOURNAL_MAX ((off_t)4 * 1024 * 1024) /* a hook begins a new one at 1 MB */

static char *path_of(const struct watched *w, const char *name)
{
	return mem_printf("%s/%s/%s", w->l->missions, w->mission, name);
}

static void take(struct watched *w, struct event *e)
{
	w->has_hooks = true;
	if (e->event == EVENT_PROMPT && e->message[0])
		typing_heard(w, e->message);
	if (e->event == EVENT_NONE ||
	    (w->facts.started_at != USEC_NONE && e->at < w->facts.started_at - USEC_PER_SEC))
		return; /* of a session before this one */
	line_heard(w, e);
	presence_hear(&w->facts, e);
	if (e->transcript && (!w->transcript || strcmp(w->transcript, e->transcript) != 0)) {
		mem_replace(&w->transcript, e->transcript);
		w->lined_from = 0;
		w->tells = false;
	}
	if (w->adapter->session == SESSION_READ && e->session[0] &&
	    strcmp(w->session, e->session) != 0) {
		memcpy(w->session, e->session, sizeof(w->session));
		live_say_session(w, w->session);
	}
	/* After each: a turn that began and ended in between is the end of an idleness. */
	watch_heard(w);
}

static void read_line(struct watched *w, const char *line, size_t len)
{
	struct event e = {0};
	struct error err = {0};

	/* A damaged line is passed over: the next one is as good. */
	if (len && event_parse(line, len, &e, &err) == 0)
		take(w, &e);
	event_fini(&e);
}

static void read_lines(struct watched *w, const char *bytes, size_t len)
{
	const char *end;

	while ((end = memchr(bytes, '\n', len))) {
		size_t part = (size_t)(end - bytes);

		buf_add(&w->journal_rest, bytes, part);
		read_line(w, w->journal_rest.data, w->journal_rest.len);
		buf_clear(&w->journal_rest);
		bytes += part + 1;
		len -= part + 1;
	}
	if (w->journal_rest.len + len <= LINE_MAX_BYTES)
		buf_add(&w->journal_rest, bytes, len);
}

/* Only the last of one that is far too long; and no more than it had when it was opened. */
static void read_rest(struct watched *w, int fd, off_t size)
{
	AUTO(free) char *bytes = mem_alloc(PART);
	ssize_t n;

	if (size < w->journal_at) { /* somebody has emptied it */
		w->journal_at = 0;
		buf_clear(&w->journal_rest);
	}
	if (size - w->journal_at > JOURNAL_MAX) {
		w->journal_at = size - JOURNAL_MAX;
		buf_clear(&w->journal_rest);
	}
	while (w->journal_at < size && (n = pread(fd, bytes, PART, w->journal_at)) > 0) {
		w->journal_at += n;
		read_lines(w, bytes, (size_t)n);
	}
}

/* -1 when there is none, or it is no plain file. */
static int open_file(const struct watched *w, const char *name, struct stat *ret)
{
	AUTO(free) char *path = path_of(w, name);
	struct error none = {0};
	AUTO_CLOSE int fd = file_open(path, O_RDONLY | O_NOFOLLOW, &none);

	if (fd < 0 || fstat(fd, ret) < 0)
		return -1;
	return steal_fd(&fd);
}

/* The one we were in has become the old one: what was written to it at the last is in there. */
static void finish_old(struct watched *w)
{
	struct stat st;
	AUTO_CLOSE int fd = open_file(w, OLD_NAME, &st);

	if (fd >= 0 && st.st_ino == w->journal_file)
		read_rest(w, fd, st.st_size);
	w->journal_at = 0;
	buf_clear(&w->journal_rest);
}

static void read_journal(struct watched *w)
{
	struct stat st;
	AUTO_CLOSE int fd = open_file(w, NAME, &st);

	if (fd < 0)
		return;
	if (w->journal_file && w->journal_file != st.st_ino)
		finish_old(w);
	w->journal_file = st.st_ino;
	read_rest(w, fd, st.st_size);
}

static void on_event(uv_fs_event_t *follower, const char *name, int events, int status)
{
	struct watched *w = follower->data;

	(void)events;
	if (status < 0 || w->stage != THERE || (name && strcmp(name, NAME) != 0))
		return;
	read_journal(w);
	watch_judge(w);
}

void journal_follow(struct watched *w)
{
	AUTO(free) char *folder = NULL;

	if (!w->mission || w->following)
		return;
	folder = mem_printf("%s/%s", w->l->missions, w->mission);
	/* First follow, then read: nothing falls between. No folder yet: it is tried again. */
	w->following = uv_fs_event_start(&w->follower, on_event, folder, 0) == 0;
	read_journal(w);
}

void journal_end(struct watched *w)
{
	uv_fs_event_stop(&w->follower);
	w->following = false;
	w->journal_at = 0;
	w->journal_file = 0;
	buf_clear(&w->journal_rest);
}

/* What a line adds to what is known of the message. */
static enum journal_of line_says(const char *line, size_t len, const char *message, usec_t since,
				 enum journal_of known)
{
	struct event e = {0};
	struct error err = {0};
	bool is_one = event_parse(line, len, &e, &err) == 0 && e.at >= since;

	event_fini(&e);
	if (is_one && e.event == EVENT_PROMPT)
		return strcmp(e.message, message) == 0 ? JOURNAL_PROMPT
		       : known == JOURNAL_PROMPT       ? JOURNAL_PASSED
						       : known;
	if (is_one && known == JOURNAL_PROMPT &&
	    (e.event == EVENT_WORKING || e.event == EVENT_ASKING || e.event == EVENT_STOPPED))
		return JOURNAL_TURN;
	return known;
}

static enum journal_of text_says(const char *text, const char *message, usec_t since)
{
	enum journal_of known = JOURNAL_NOTHING;

	for (const char *line = text; *line && known != JOURNAL_TURN;) {
		size_t len = strcspn(line, "\n");

		known = line_says(line, len, message, since, known);
		line += len + (line[len] == '\n');
	}
	return known;
}

static enum journal_of file_says(const struct watched *w, const char *name, const char *message,
				 usec_t since)
{
	struct stat st;
	AUTO_CLOSE int fd = open_file(w, name, &st);
	AUTO_BUF struct buf text = {0};
	off_t at = fd < 0 || st.st_size < JOURNAL_MAX ? 0 : st.st_size - JOURNAL_MAX;
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && text.len < (size_t)JOURNAL_MAX) {
		buf_reserve(&text, PART);
		n = pread(fd, text.data + text.len, PART, at + (off_t)text.len);
		text.len += n > 0 ? (size_t)n : 0;
	}
	return text_says(buf_text(&text), message, since);
}

enum journal_of journal_says(const struct watched *w, const char *message, usec_t since)
{
	enum journal_of says = JOURNAL_NOTHING;

	if (w->mission)
		says = file_says(w, NAME, message, since);
	if (w->mission && !says)
		says = file_says(w, OLD_NAME, message, since);
	return says;
}
