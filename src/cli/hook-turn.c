/*
 * hook-turn.c: what a transcript tells of the last turns. A client has no hook for a prompt that another hook blocked, nor
 * for a turn that its person ended: then the next event is another prompt, in both cases, and only the transcript
 * knows whether the model got the one before. Measured with Claude Code 2.1.325.
 *
 * A hook has no time: of a long file only the end is read. The file is the client's word, and may be anything.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/hook-shape.h"
#include "schedule/instant.h"

#define TAIL_MAX ((off_t)256 * 1024)

static char *read_tail(const char *path, size_t *ret_len)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	AUTO(free) char *bytes = NULL;
	struct stat st;
	off_t from;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return NULL;
	from = st.st_size > TAIL_MAX ? st.st_size - TAIL_MAX : 0;
	bytes = mem_alloc((size_t)(st.st_size - from));
	n = pread(fd, bytes, (size_t)(st.st_size - from), from);
	if (n <= 0)
		return NULL;
	*ret_len = (size_t)n;
	return steal_ptr(&bytes);
}

static bool begins(const json_t *text, const char *with)
{
	return json_is_string(text) && strncmp(json_string_value(text), with, strlen(with)) == 0;
}

/* A turn that was ended after its model had begun leaves such an entry, whatever else. */
static bool is_reply(const json_t *entry)
{
	const json_t *content = json_object_get(json_object_get(entry, "message"), "content");

	if (json_is_true(json_object_get(entry, "isSidechain")))
		return false;
	return begins(json_object_get(entry, "type"), "assistant") ||
	       begins(json_object_get(json_array_get(content, 0), "text"), "[Request interrupted");
}

static bool is_blocked(const json_t *entry)
{
	return begins(json_object_get(entry, "type"), "system") &&
	       begins(json_object_get(entry, "content"),
		      "UserPromptSubmit operation blocked by hook");
}

static void read_entry(const char *line, size_t len, usec_t *replied, usec_t *blocked)
{
	AUTO(json_decref) json_t *entry = NULL;
	struct error none = {0};
	const char *when;
	usec_t at = 0;

	if (json_parse(line, len, &entry, &none) < 0 ||
	    !(when = json_string_value(json_object_get(entry, "timestamp"))) ||
	    instant_parse(when, zone_utc(), &at, &none) < 0)
		return;
	if (!*replied && is_reply(entry))
		*replied = at;
	if (!*blocked && is_blocked(entry))
		*blocked = at;
}

void hook_turn_read(const char *transcript, usec_t *ret_replied, usec_t *ret_blocked)
{
	size_t len = 0;
	AUTO(free) char *bytes = transcript ? read_tail(transcript, &len) : NULL;

	*ret_replied = *ret_blocked = 0;
	/* From its end on; what has no beginning here is no JSON. */
	while (len && !(*ret_replied && *ret_blocked)) {
		const char *end = memrchr(bytes, '\n', len - 1);
		size_t begin = end ? (size_t)(end - bytes) + 1 : 0;

		read_entry(bytes + begin, len - begin, ret_replied, ret_blocked);
		len = begin;
	}
}
