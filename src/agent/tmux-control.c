/*
 * tmux-control.c: the lines of tmux's control mode.
 * Of notifications only the beginning is kept: %output carries whatever an agent shows, however
 * much, and all we want to know is that it did. In an answer a line is the end of it only when time,
 * number and flags are those of its beginning, so that a screen that shows such lines ends nothing.
 */
#include "agent/tmux-control.h"

#include <stdlib.h>
#include <string.h>

#define NOTICE_MAX 256 /* bytes of a notification that are read */

/* clang-format off */
static const struct notice {
	const char *word;
	enum tmux_item_kind kind;
} notices[] = {
	{"%output",                TMUX_OUTPUT},
	{"%extended-output",       TMUX_OUTPUT},
	{"%layout-change",         TMUX_CHANGED},
	{"%window-close",          TMUX_CHANGED},
	{"%unlinked-window-close", TMUX_CHANGED},
	{"%exit",                  TMUX_EXIT},
};
/* clang-format on */

/* What follows the word and one space; NULL when the line begins with another one. */
static const char *after_word(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0 || (line[len] && line[len] != ' '))
		return NULL;
	return line + len + (line[len] == ' ');
}

static bool begin_answer(struct tmux_reader *r, const char *line)
{
	const char *guard = after_word(line, "%begin");
	size_t len = guard ? strlen(guard) : 0;

	if (!len || len >= sizeof(r->guard))
		return false;
	memcpy(r->guard, guard, len + 1);
	buf_clear(&r->answer);
	return true;
}

static bool is_ours(const char *guard)
{
	const char *flags = strrchr(guard, ' ');

	return flags && (strtol(flags + 1, NULL, 10) & 1);
}

static bool is_guard(const struct tmux_reader *r, const char *line, const char *word)
{
	const char *guard = after_word(line, word);

	return guard && strcmp(guard, r->guard) == 0;
}

static void read_notice(struct tmux_reader *r, char *line, tmux_on_item *on_item, void *data)
{
	if (begin_answer(r, line))
		return;
	for (size_t i = 0; i < sizeof(notices) / sizeof(notices[0]); i++) {
		const char *text = after_word(line, notices[i].word);
		struct tmux_item item = {.kind = notices[i].kind, .text = text};

		if (!text)
			continue;
		/* "%output %3 …": the pane is a word, and without one it is none. */
		if (item.kind == TMUX_OUTPUT)
			line[(text - line) + (ptrdiff_t)strcspn(text, " ")] = '\0';
		item.len = strlen(text);
		if (item.kind != TMUX_OUTPUT || text[0] == '%')
			on_item(&item, data);
		return;
	}
}

static void read_answer(struct tmux_reader *r, const char *line, size_t len, tmux_on_item *on_item,
			void *data)
{
	struct tmux_item item = {.kind = TMUX_ANSWER, .ours = is_ours(r->guard)};

	item.failed = is_guard(r, line, "%error");
	if (!item.failed && !is_guard(r, line, "%end")) {
		if (r->answer.len + len < TMUX_ANSWER_MAX) {
			buf_add(&r->answer, line, len);
			buf_add_char(&r->answer, '\n');
		}
		return;
	}
	if (r->answer.len)
		r->answer.data[--r->answer.len] = '\0';
	r->guard[0] = '\0';
	item.text = buf_text(&r->answer);
	item.len = r->answer.len;
	on_item(&item, data);
	buf_fini(&r->answer); /* it may have been large */
}

static void read_line(struct tmux_reader *r, tmux_on_item *on_item, void *data)
{
	if (!r->line.len)
		buf_add(&r->line, "", 0);
	if (r->guard[0])
		read_answer(r, buf_text(&r->line), r->line.len, on_item, data);
	else if (r->line.len)
		read_notice(r, r->line.data, on_item, data);
	buf_clear(&r->line);
}

void tmux_reader_feed(struct tmux_reader *r, const char *bytes, size_t len, tmux_on_item *on_item,
		      void *data)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		size_t part = end ? (size_t)(end - bytes) : len;
		size_t max = r->guard[0] ? TMUX_ANSWER_MAX : NOTICE_MAX;
		size_t room = r->line.len < max ? max - r->line.len : 0;

		buf_add(&r->line, bytes, part < room ? part : room);
		if (!end)
			return;
		read_line(r, on_item, data);
		bytes += part + 1;
		len -= part + 1;
	}
}

void tmux_reader_fini(struct tmux_reader *r)
{
	buf_fini(&r->line);
	buf_fini(&r->answer);
}

void tmux_quote(struct buf *b, const char *word)
{
	buf_add_char(b, '\'');
	for (; *word; word++)
		switch (*word) {
		case '\'':
			buf_add_str(b, "'\"'\"'");
			break;
		case '\n':
			buf_add_str(b, "'\"\\n\"'");
			break;
		case '\r':
			buf_add_str(b, "'\"\\r\"'");
			break;
		case '\377': /* which its parser takes for the end of the line */
			buf_add_str(b, "'\"\\377\"'");
			break;
		default:
			buf_add_char(b, *word);
		}
	buf_add_char(b, '\'');
}

bool tmux_version_ok(const char *text)
{
	const char *p = strpbrk(text, "0123456789");
	char *end;
	long major, minor;

	/* OpenBSD has that of its own day; one without a number was built from its newest source. */
	if (!p || strstr(text, "openbsd") || strstr(text, "master"))
		return strncmp(text, "tmux ", 5) == 0;
	major = strtol(p, &end, 10);
	minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	return major > 3 || (major == 3 && minor >= 2);
}
