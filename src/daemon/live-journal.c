/*
 * live-journal.c: what the hooks of an agent wrote into missions/ID/events.
 * It is read from its beginning when an agent is found, so that what was said while no daemon ran
 * counts, and then on from where it ended, whenever the kernel says that it grew. The folder is
 * watched, not the file: that may not be there yet, and becomes events.1 when it has grown long.
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
#define JOURNAL_MAX ((size_t)4 * 1024 * 1024) /* a hook begins a new one at 1 MB */

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
	presence_hear(&w->facts, e);
	if (e->transcript)
		mem_replace(&w->transcript, e->transcript);
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

static void read_rest(struct watched *w, int fd)
{
	AUTO(free) char *bytes = mem_alloc(PART);
	ssize_t n;

	while ((n = pread(fd, bytes, PART, w->journal_at)) > 0) {
		w->journal_at += n;
		read_lines(w, bytes, (size_t)n);
	}
}

static int open_file(const struct watched *w, const char *name, ino_t *ret)
{
	AUTO(free) char *path = path_of(w, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0)
		*ret = st.st_ino;
	return fd;
}

/* The one we were in has become the old one: what was written to it at the last is in there. */
static void finish_old(struct watched *w)
{
	ino_t file = 0;
	AUTO_CLOSE int fd = open_file(w, OLD_NAME, &file);

	if (fd >= 0 && file == w->journal_file)
		read_rest(w, fd);
	w->journal_at = 0;
	buf_clear(&w->journal_rest);
}

static void read_journal(struct watched *w)
{
	ino_t file = 0;
	AUTO_CLOSE int fd = open_file(w, NAME, &file);

	if (fd < 0)
		return;
	if (w->journal_file && w->journal_file != file)
		finish_old(w);
	w->journal_file = file;
	read_rest(w, fd);
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

static bool line_has(const char *line, size_t len, const char *message)
{
	struct event e = {0};
	struct error err = {0};
	bool has = event_parse(line, len, &e, &err) == 0 && e.event == EVENT_PROMPT &&
		   strcmp(e.message, message) == 0;

	event_fini(&e);
	return has;
}

static bool file_has(const struct watched *w, const char *name, const char *message)
{
	AUTO(free) char *path = path_of(w, name);
	AUTO_BUF struct buf text = {0};
	struct error err = {0};

	if (file_read(path, JOURNAL_MAX, &text, &err) < 0)
		return false;
	for (const char *line = buf_text(&text); *line;) {
		size_t len = strcspn(line, "\n");

		if (memmem(line, len, message, strlen(message)) && line_has(line, len, message))
			return true;
		line += len + (line[len] == '\n');
	}
	return false;
}

bool journal_has(const struct watched *w, const char *message)
{
	return w->mission && (file_has(w, NAME, message) || file_has(w, OLD_NAME, message));
}
