/*
 * ask.c: one question after another, in plain lines: the terminal edits them, so there is nothing
 * to restore. An interrupt only ends the read; whoever asked cleans up and says what happened.
 */
#include "terminal/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "terminal/editor.h"

#define LINE_BYTES_MAX ((size_t)64 * 1024)
#define EDITED_MAX ((size_t)1024 * 1024)

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

bool ask_is_possible(void)
{
	return isatty(0) && isatty(1);
}

void ask_begin(void)
{
	/* Without SA_RESTART: the read that waits for an answer ends. */
	struct sigaction act = {.sa_handler = on_interrupt};

	interrupted = 0;
	sigaction(SIGINT, &act, NULL);
}

bool ask_was_interrupted(void)
{
	return interrupted;
}

/* One line of standard input. Byte by byte: what follows belongs to the next question. */
static int read_line(struct buf *line)
{
	char c;

	for (;;) {
		ssize_t n = interrupted ? -1 : read(0, &c, 1);

		if (n < 0 && errno == EINTR && !interrupted)
			continue;
		if (n <= 0)
			return ASK_CANCELLED;
		if (c == '\n')
			return 0;
		if (line->len < LINE_BYTES_MAX && c != '\0')
			buf_add_char(line, c);
	}
}

static char *trimmed(const char *text)
{
	size_t len;

	text += strspn(text, " \t\r");
	len = strlen(text);
	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	return mem_strndup(text, len);
}

/* Arrow keys and the like, typed at a plain line, become characters nobody meant. */
static bool is_clean(const char *text)
{
	if (!text_find_control(text) && text_is_utf8(text, strlen(text)))
		return true;
	puts("  that line has keys in it that are not text; please type it again");
	return false;
}

int ask_line(const char *question, const char *shown, char **ret)
{
	for (;;) {
		AUTO_BUF struct buf line = {0};
		AUTO(free) char *text = NULL;

		printf(shown ? "%s [%s]: " : "%s: ", question, shown);
		fflush(stdout);
		if (read_line(&line) != 0) {
			putchar('\n');
			return ASK_CANCELLED;
		}
		text = trimmed(buf_text(&line));
		if (!is_clean(text))
			continue;
		*ret = steal_ptr(&text);
		return 0;
	}
}

int ask_lines(struct buf *ret)
{
	for (;;) {
		AUTO_BUF struct buf line = {0};
		AUTO(free) char *shown = NULL;

		fflush(stdout);
		if (read_line(&line) != 0) {
			putchar('\n');
			return ASK_CANCELLED;
		}
		shown = trimmed(buf_text(&line));
		if (strcmp(shown, ".") == 0)
			return 0;
		if (!is_clean(shown))
			continue;
		buf_printf(ret, "%s\n", buf_text(&line));
	}
}

int ask_yes(const char *question, bool otherwise, bool *ret)
{
	for (;;) {
		AUTO(free) char *text = NULL;

		if (ask_line(question, otherwise ? "Y/n" : "y/N", &text) != 0)
			return ASK_CANCELLED;
		*ret = *text ? strcasecmp(text, "y") == 0 || strcasecmp(text, "yes") == 0
			     : otherwise;
		if (*ret || !*text || strcasecmp(text, "n") == 0 || strcasecmp(text, "no") == 0)
			return 0;
		puts("  yes or no?");
	}
}

/* --- the editor --- */

int ask_editor(struct buf *text, const char *suffix, struct error *err)
{
	const char *folder = getenv("TMPDIR");
	AUTO(free)
	char *path = mem_printf("%s/belfry-XXXXXX%s", folder && *folder ? folder : "/tmp", suffix);
	int fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC), r;

	if (fd < 0)
		return error_set_errno(err, errno, "cannot make a file for the editor");
	r = fd_write_all(fd, buf_text(text), text->len);
	close(fd);
	if (r < 0)
		r = error_set_errno(err, errno, "cannot write '%s'", path);
	else
		r = editor_run(path, err);
	if (r < 0)
		error_prefix(err, "nothing was changed");
	if (r == 0) {
		buf_clear(text);
		r = file_read(path, EDITED_MAX, text, err);
	}
	unlink(path);
	if (r == 0 && !text_is_utf8(buf_text(text), text->len)) {
		error_set(err, ERR_INVALID, "what the editor left is not valid UTF-8 text");
		r = error_hint(err, "nothing was changed");
	}
	return r;
}
