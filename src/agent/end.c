/*
 * end.c: how a run ended, as a file beside its log.
 * Whoever wrote it is gone when it is read, so it is whole or absent, and it takes any text: the
 * last words of a dying agent are no reason to lose its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/fields.h"
#include "agent/order.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#define END_FILE_MAX ((size_t)1 << 20)
#define ERROR_MAX ((size_t)4096)
#define RESERVED ((off_t)64 * 1024) /* an end without an answer fits, whatever its texts */

/* clang-format off */
#define END(member) offsetof(struct end, member)
static const struct field end_fields[] = {
	{"reason",      FIELD_CHARS,    END(reason), .size = sizeof(((struct end *)NULL)->reason)},
	{"exit_code",   FIELD_INT,      END(exit_code), .least = -1},
	{"signal",      FIELD_INT,      END(signal)},
	{"started_at",  FIELD_INSTANT,  END(started_at)},
	{"finished_at", FIELD_INSTANT,  END(finished_at)},
	{"answer",      FIELD_TEXT_OPT, END(answer)},
	{"error",       FIELD_TEXT_OPT, END(error)},
	{"session",     FIELD_TEXT_OPT, END(session)},
	{"cost",        FIELD_INT64,    END(cost), .least = -1},
	{"denied",      FIELD_INT64,    END(denied), .is_new = true},
	{"denied_calls", FIELD_TEXT_OPT, END(denied_calls), .is_new = true},
	{"told",        FIELD_BOOL,     END(told), .is_new = true},
	{NULL},
};
/* clang-format on */

static const char *const reasons[] = {"success", "error",	    "timeout",
				      "killed",	 "daemon_shutdown", "not_started"};

static bool is_reason(const char *word)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reasons[i], word) == 0)
			return true;
	return false;
}

void end_fini(struct end *e)
{
	fields_fini(end_fields, e);
}

/* Clean, and at most `max` bytes; NULL stays NULL. */
static char *short_text(const char *text, size_t max)
{
	char *clean = text ? text_clean(text, strlen(text)) : NULL;

	if (clean)
		clean[text_fit(clean, max)] = '\0';
	return clean;
}

void end_reserve(const char *folder)
{
	AUTO(free) char *path = mem_printf("%s/end.json.new", folder);
	struct error none = {0};
	AUTO_CLOSE int fd = file_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW, &none);

	/* Without it the end is written as long as there is room. */
	if (fd >= 0)
		(void)posix_fallocate(fd, 0, RESERVED);
}

/*
 * Into the room that was reserved, therefore not truncated before. Renamed, then synced: what is synced then is
 * also the name, so a run waits for the disk once and not twice. A power failure in between may leave a name
 * without its bytes; whoever reads that finds no end in it, and the run is as lost as without the name.
 */
static int put_file(const char *path, const struct buf *text, bool durable, struct error *err)
{
	AUTO(free) char *fresh = mem_printf("%s.new", path);
	AUTO_CLOSE int fd = file_open(fresh, O_WRONLY | O_CREAT | O_NOFOLLOW, err);

	if (fd < 0)
		return err->code;
	if (fd_write_all(fd, text->data, text->len) < 0 || ftruncate(fd, (off_t)text->len) < 0 ||
	    rename(fresh, path) < 0 || (durable && fsync(fd) < 0))
		return error_set_errno(err, errno, "cannot write '%s'", path);
	return 0;
}

int end_write(const char *folder, const struct end *e, bool durable, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/end.json", folder);
	AUTO(free) char *answer = short_text(e->answer, END_ANSWER_MAX);
	AUTO(free) char *error = short_text(e->error, ERROR_MAX);
	AUTO(free) char *denied_calls = short_text(e->denied_calls, ERROR_MAX);
	AUTO(json_decref) json_t *object = NULL;
	AUTO_BUF struct buf text = {0};
	struct end safe = *e;

	if (!is_reason(e->reason))
		return error_set(err, ERR_INVALID, "'%.20s' is no reason for an end", e->reason);
	safe.answer = answer;
	safe.error = error;
	safe.denied_calls = denied_calls;
	if (safe.session && !adapter_session_ok(safe.session))
		safe.session = NULL;
	object = fields_write(end_fields, &safe);
	json_add(object, &text);
	buf_add_char(&text, '\n');
	return put_file(path, &text, durable, err);
}

int end_read(const char *folder, struct end *ret, struct error *err)
{
	AUTO(free) char *path = mem_printf("%s/end.json", folder);
	AUTO(json_decref) json_t *object = NULL;
	AUTO_BUF struct buf text = {0};
	struct end e = {0};
	int r = file_read(path, END_FILE_MAX, &text, err);

	if (r < 0)
		return r;
	if (json_parse(text.data, text.len, &object, err) < 0 ||
	    fields_read(end_fields, object, &e, err) < 0)
		return error_prefix(err, "'%s'", path);
	if (!is_reason(e.reason)) {
		error_set(err, ERR_INVALID, "'%s': '%s' is no reason for an end", path, e.reason);
		end_fini(&e);
		return err->code;
	}
	*ret = e;
	return 0;
}
