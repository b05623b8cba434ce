/*
 * events.c: what an agent's hooks tell, in a file that needs no daemon.
 * A hook has milliseconds and may be one of several at once, so it appends one line with one write and is
 * done. The file is bounded by whoever finds it too long: the lock and a second look at its inode make
 * that one process, and nothing that was written is lost by it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/presence.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#define TRANSCRIPT_MAX 4096
#define OPENS_MAX 5 /* others rename the file at the same time */

static const char *const meanings[] = {
	[EVENT_NONE] = "nothing",    [EVENT_STARTED] = "started", [EVENT_PROMPT] = "prompt",
	[EVENT_WORKING] = "working", [EVENT_ASKING] = "asking",	  [EVENT_WAITING] = "waiting",
	[EVENT_STOPPED] = "stopped", [EVENT_ENDED] = "ended",
};

/*
 * Claude Code, measured with 2.1.325. A Notification means what its type says. The end of a subagent
 * is no event: the agent itself may be at work or not.
 */
static const struct {
	const char *name;
	enum presence_event event;
} names[] = {
	{"SessionStart", EVENT_STARTED},     {"UserPromptSubmit", EVENT_PROMPT},
	{"PreToolUse", EVENT_WORKING},	     {"PostToolUse", EVENT_WORKING},
	{"PermissionRequest", EVENT_ASKING}, {"Notification", EVENT_NONE},
	{"PreCompact", EVENT_WORKING},	     {"Stop", EVENT_STOPPED},
	{"StopFailure", EVENT_STOPPED},	     {"SessionEnd", EVENT_ENDED},
};
static const struct {
	const char *type;
	enum presence_event event;
} notifications[] = {
	{"permission_prompt", EVENT_ASKING},
	{"elicitation_dialog", EVENT_ASKING},
	{"idle_prompt", EVENT_WAITING},
};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

void event_fini(struct event *e)
{
	free(e->transcript);
	e->transcript = NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* "[belfry m-k3f9x2ab] …" or "[belfry m-k3f9x2ab from …] …" at the beginning, else nothing. */
static void read_message(const char *prompt, char *ret, size_t size)
{
	static const char mark[] = "[belfry ";
	size_t len;

	prompt += strspn(prompt, " \t\r\n");
	if (strncmp(prompt, mark, sizeof(mark) - 1) != 0)
		return;
	prompt += sizeof(mark) - 1;
	if (strncmp(prompt, "m-", 2) != 0)
		return;
	len = 2 + strspn(prompt + 2, "abcdefghijklmnopqrstuvwxyz0123456789");
	if (len > 2 && len < size && (prompt[len] == ']' || prompt[len] == ' ')) {
		memcpy(ret, prompt, len);
		ret[len] = '\0';
	}
}

static void read_session(const char *session, struct event *e)
{
	if (*session && strlen(session) < sizeof(e->session) && adapter_session_ok(session))
		snprintf(e->session, sizeof(e->session), "%s", session);
}

static void read_transcript(const char *path, struct event *e)
{
	if (*path == '/' && strlen(path) < TRANSCRIPT_MAX)
		e->transcript = mem_strdup(path);
}

static void read_details(const json_t *object, struct event *e)
{
	const char *type = text_of(object, "notification_type");

	if (strcmp(e->name, "Notification") == 0)
		for (size_t i = 0; i < COUNT_OF(notifications); i++)
			if (strcmp(notifications[i].type, type) == 0)
				e->event = notifications[i].event;
	/* The conversation begins again in the middle of its work. */
	if (e->event == EVENT_STARTED && strcmp(text_of(object, "source"), "compact") == 0)
		e->event = EVENT_WORKING;
	if (e->event == EVENT_PROMPT)
		read_message(text_of(object, "prompt"), e->message, sizeof(e->message));
	read_session(text_of(object, "session_id"), e);
	read_transcript(text_of(object, "transcript_path"), e);
}

int event_read_hook(const char *name, const char *json, size_t len, usec_t now, struct event *ret,
		    struct error *err)
{
	AUTO(json_decref) json_t *object = NULL;
	struct error unused = {0};
	size_t i = 0;

	while (i < COUNT_OF(names) && strcmp(names[i].name, name) != 0)
		i++;
	if (i == COUNT_OF(names)) {
		error_set(err, ERR_INVALID, "no event '%.100s'", name);
		return error_hint(err, "those of Claude Code, as UserPromptSubmit, Stop");
	}
	*ret = (struct event){.event = names[i].event, .at = now};
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (len <= EVENT_HOOK_MAX && json_parse(json, len, &object, &unused) == 0)
		read_details(object, ret);
	return 0;
}

/* --- the file --------------------------------------------------------------------------------- */

static char *format(const struct event *e)
{
	AUTO(json_decref) json_t *o = json_object();
	AUTO(free) char *text = NULL;

	json_put_text(o, "event", e->name);
	json_put_text(o, "means", meanings[e->event]);
	json_put_int(o, "at", e->at);
	if (*e->session)
		json_put_text(o, "session", e->session);
	if (e->transcript)
		json_put_text(o, "transcript", e->transcript);
	if (*e->message)
		json_put_text(o, "message", e->message);
	text = json_text(o);
	return mem_printf("%s\n", text);
}

/* 1: that is the file of this path, and short enough; 0: open it again. */
static int file_is_good(int fd, const char *path, const char *older)
{
	struct stat open_one, named;

	if (fstat(fd, &open_one) < 0 || open_one.st_size < EVENTS_MAX)
		return 1;
	/* Somebody else is at it: a little longer does no harm. */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 1;
	if (stat(path, &named) < 0 || named.st_ino != open_one.st_ino ||
	    named.st_dev != open_one.st_dev)
		return 0;
	return rename(path, older) < 0;
}

static int open_file(const char *folder, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/" EVENTS_FILE, folder);
	AUTO(free) char *older = mem_printf("%s/" EVENTS_FILE ".1", folder);

	for (int i = 0; i < OPENS_MAX; i++) {
		int fd = file_open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, err);

		if (fd == ERR_NOT_FOUND)
			return error_set(err, ERR_NOT_FOUND, "no folder '%s'", folder);
		if (fd < 0)
			return fd;
		if (file_is_good(fd, path, older))
			return fd;
		close(fd);
	}
	return error_set(err, ERR_UNAVAILABLE, "'%s' is always another file", path);
}

int event_append(const char *folder, const struct event *e, struct error *err)
{
	AUTO(free) char *line = format(e);
	AUTO_CLOSE int fd = open_file(folder, err);
	size_t len = strlen(line);

	if (fd < 0)
		return err->code;
	if (write(fd, line, len) != (ssize_t)len)
		return error_set_errno(err, errno ? errno : ENOSPC,
				       "cannot write '%s/" EVENTS_FILE "'", folder);
	return 0;
}

static int read_meaning(const json_t *object, enum presence_event *ret, struct error *err)
{
	const char *word = text_of(object, "means");

	for (size_t i = 0; i < COUNT_OF(meanings); i++) {
		if (strcmp(meanings[i], word) == 0) {
			*ret = (enum presence_event)i;
			return 0;
		}
	}
	return error_set(err, ERR_INVALID, "'means' is no meaning");
}

int event_parse(const char *line, size_t len, struct event *ret, struct error *err)
{
	AUTO(json_decref) json_t *object = NULL;
	enum presence_event event = EVENT_NONE;
	const char *name, *message;
	json_int_t at;
	int r = json_parse(line, len, &object, err);

	if (r == 0)
		r = read_meaning(object, &event, err);
	if (r < 0)
		return error_set(err, ERR_INVALID, "a damaged line of " EVENTS_FILE);
	name = text_of(object, "event");
	message = text_of(object, "message");
	at = json_integer_value(json_object_get(object, "at"));
	if (!*name || strlen(name) >= sizeof(ret->name) || at <= 0 ||
	    strlen(message) >= sizeof(ret->message))
		return error_set(err, ERR_INVALID, "a damaged line of " EVENTS_FILE);
	*ret = (struct event){.event = event, .at = at};
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	snprintf(ret->message, sizeof(ret->message), "%s", message);
	read_session(text_of(object, "session"), ret);
	read_transcript(text_of(object, "transcript"), ret);
	return 0;
}
