/*
 * config-watch.c: an inotify descriptor on config.yml, on the folder it is in, and on the roles there.
 * The folder tells when the file appears, is renamed into place (as editors do) or goes; the file
 * itself, when it is written through a symbolic link from elsewhere. A folder that does not exist
 * is waited for in the nearest one that does. Only ends of writes are asked for, never the writes:
 * with BELFRY_HOME the database is in the same folder, and a commit must not wake us.
 */
#include "daemon/config-watch.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#define FOLDER_EVENTS                                                                              \
	(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |   \
	 IN_MOVE_SELF | IN_ONLYDIR)
#define ROLES_EVENTS (FOLDER_EVENTS | IN_ATTRIB) /* whoever may write one may not be obeyed */
#define FILE_EVENTS (IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
#define EVENTS_SIZE 8192

struct config_watch {
	uv_poll_t poll;
	int fd;
	char *file;
	int folder_mark, file_mark; /* inotify's names of what is watched; -1: nothing */
	char *awaited;		    /* in that folder: the file, or the folder on the way to it */
	char *roles;		    /* the folder of roles */
	int roles_mark;
	config_watch_on_change *on_change;
	void *data;
};

static void move_mark(struct config_watch *w, int *mark, int to)
{
	if (*mark >= 0 && *mark != to)
		inotify_rm_watch(w->fd, *mark);
	*mark = to;
}

/* The nearest folder there is; `awaited` is the name in it that leads on to the file. */
static void watch_folder(struct config_watch *w)
{
	AUTO(free) char *path = mem_strdup(w->file);
	size_t len = strlen(path);
	int mark = -1;

	while (mark < 0 && len > 1) {
		char *slash = strrchr(path, '/');

		mem_replace(&w->awaited, slash + 1);
		len = slash == path ? 1 : (size_t)(slash - path);
		path[len] = '\0';
		mark = inotify_add_watch(w->fd, path, FOLDER_EVENTS);
	}
	move_mark(w, &w->folder_mark, mark);
}

/* Watching what is watched already changes nothing, so this is right at any time. */
static void watch(struct config_watch *w)
{
	int before;

	/* Twice the same: a nearer folder that came before we watched this one would be missed. */
	do {
		before = w->folder_mark;
		watch_folder(w);
	} while (w->folder_mark != before);
	move_mark(w, &w->file_mark, inotify_add_watch(w->fd, w->file, FILE_EVENTS));
	move_mark(w, &w->roles_mark, inotify_add_watch(w->fd, w->roles, ROLES_EVENTS));
}

/* A file that was just created is whole when it is closed; a link to one, and what is no file, is whole at once. */
static bool is_begun(const char *path, const struct inotify_event *event)
{
	struct stat st;

	return (event->mask & IN_CREATE) && !(event->mask & IN_ISDIR) && lstat(path, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

/* Editors put files of their own beside; which of the names are roles is the configuration's rule. */
static bool is_role(const struct config_watch *w, const struct inotify_event *event)
{
	AUTO(free) char *path = mem_printf("%s/%s", w->roles, event->name);

	return event->name[0] != '.' && !is_begun(path, event);
}

static bool matters(const struct config_watch *w, const struct inotify_event *event)
{
	if (event->mask & IN_IGNORED)
		return false;
	if (!event->len)
		return true;
	if (event->wd == w->roles_mark)
		return is_role(w, event);
	return strcmp(event->name, strrchr(w->roles, '/') + 1) == 0 ||
	       (strcmp(event->name, w->awaited) == 0 && !is_begun(w->file, event));
}

static void on_events(uv_poll_t *poll, int status, int events)
{
	struct config_watch *w = poll->data;
	_Alignas(struct inotify_event) char bytes[EVENTS_SIZE];
	ssize_t n = read(w->fd, bytes, sizeof(bytes));
	bool changed = false;

	(void)status;
	(void)events;
	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *event = (const void *)(bytes + at);

		changed |= matters(w, event);
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	if (!changed)
		return;
	watch(w);
	w->on_change(w->data);
}

struct config_watch *config_watch_new(uv_loop_t *loop, const struct home *h,
				      config_watch_on_change *on_change, void *data)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct config_watch *w;

	if (fd < 0) {
		log_warning("changes of config.yml are noticed late: %s", strerror(errno));
		return NULL;
	}
	w = mem_zalloc(sizeof(*w));
	w->fd = fd;
	w->file = mem_strdup(h->config_file);
	w->roles = mem_printf("%s/roles", h->config_dir);
	w->folder_mark = w->file_mark = w->roles_mark = -1;
	w->on_change = on_change;
	w->data = data;
	watch(w);
	uv_poll_init(loop, &w->poll, fd);
	w->poll.data = w;
	uv_poll_start(&w->poll, UV_READABLE, on_events);
	return w;
}

static void on_closed(uv_handle_t *handle)
{
	struct config_watch *w = handle->data;

	close(w->fd);
	free(w->file);
	free(w->awaited);
	free(w->roles);
	free(w);
}

void config_watch_close(struct config_watch *w)
{
	if (w)
		uv_close((uv_handle_t *)&w->poll, on_closed);
}
