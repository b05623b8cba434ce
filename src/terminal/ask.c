/*
 * ask.c: one question after another, in plain lines. Keys are echoed here and not by the terminal,
 * since it would not know a paste from an answer: what is pasted is text, and a line end in it does
 * not answer anything. An interrupt only ends the line; whoever asked cleans up and says what happened.
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
#include "terminal/keys.h"
#include "terminal/raw.h"

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

/* --- a line --- */

struct line {
	const char *question; /* stands before it */
	struct buf text;
	bool pasted;	   /* some of it was */
	struct buf *above; /* where whole lines of a paste go; NULL: they are refused */
};
enum { LINE_OPEN, LINE_DONE, LINE_CANCELLED, LINE_REFUSED };

static size_t shown_width(const struct buf *text)
{
	AUTO_BUF struct buf shown = {0};

	visible_line(&shown, buf_text(text));
	return text_width(buf_text(&shown));
}

/* What is new behind the first `from` bytes, or wipe the columns of what is not there any more. */
static void echo(const struct line *l, size_t from, size_t columns)
{
	AUTO_BUF struct buf shown = {0};

	if (l->text.len >= from)
		visible_line(&shown, buf_text(&l->text) + from);
	else
		for (size_t left = shown_width(&l->text); left < columns; left++)
			buf_add_str(&shown, "\b \b");
	fputs(buf_text(&shown), stdout);
	fflush(stdout);
}

static void edit_line(struct line *l, int key)
{
	size_t len = l->text.len;
	size_t columns = key < KEY_NONE || key == KEY_TAB ? 0 : shown_width(&l->text);

	if (key_edit(&l->text, key == KEY_TAB ? '\t' : key, LINE_BYTES_MAX))
		echo(l, len, columns);
	l->pasted = l->pasted && l->text.len;
}

static void add_text(struct line *l, const char *text, size_t count)
{
	size_t len = l->text.len, room = LINE_BYTES_MAX - len;

	buf_add(&l->text, text, count < room ? count : text_fit(text, room));
	echo(l, len, 0);
	l->pasted = l->pasted || count;
}

/* Lines are text where text is written. Anywhere else each would be an answer nobody has typed. */
static bool take_paste(struct line *l, const char *text)
{
	const char *end;

	if ((!l->above && strchr(text, '\n')) || strlen(text) >= INPUT_PASTE_MAX) {
		puts(l->above ? "\n  that paste is too long; nothing of it was taken"
			      : "\n  pasted lines are not taken for answers; nothing was done");
		return false;
	}
	for (; (end = strchr(text, '\n')); text = end + 1) {
		add_text(l, text, (size_t)(end - text));
		putchar('\n');
		buf_printf(l->above, "%s\n", buf_text(&l->text));
		buf_clear(&l->text);
		l->pasted = false;
	}
	add_text(l, text, strlen(text));
	return true;
}

/* The shell has the terminal until it lets us go on. */
static void suspend(const struct line *l)
{
	raw_end();
	raise(SIGTSTP);
	raw_begin();
	fputs(l->question, stdout);
	echo(l, 0, 0);
}

/* What the key did: LINE_OPEN, or how it ended. */
static int line_key(struct line *l, int key)
{
	if (key == KEY_CTRL_C)
		interrupted = 1;
	if (interrupted || key == KEY_ENDED || (key == KEY_CTRL_D && !l->text.len))
		return LINE_CANCELLED;
	if (key == KEY_ENTER)
		return LINE_DONE;
	if (key == KEY_PASTE && !take_paste(l, raw_pasted()))
		return LINE_REFUSED;
	if (key == KEY_CTRL_Z)
		suspend(l);
	else
		edit_line(l, key);
	return LINE_OPEN;
}

static int read_line(struct line *l)
{
	int state = LINE_OPEN;

	/* Before the question: who answers it at once must find the terminal ready. */
	raw_begin();
	fputs(l->question, stdout);
	fflush(stdout);
	while (state == LINE_OPEN)
		state = line_key(l, interrupted ? KEY_CTRL_C : raw_key());
	raw_end();
	if (state != LINE_REFUSED)
		putchar('\n');
	fflush(stdout);
	return state;
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

int ask_line(const char *question, const char *shown, char **ret)
{
	AUTO(free)
	char *whole =
		shown ? mem_printf("%s [%s]: ", question, shown) : mem_printf("%s: ", question);
	int state = LINE_REFUSED;

	while (state == LINE_REFUSED) {
		struct line l = {.question = whole};

		state = read_line(&l);
		if (state == LINE_DONE)
			*ret = trimmed(buf_text(&l.text));
		buf_fini(&l.text);
	}
	return state == LINE_DONE ? 0 : ASK_CANCELLED;
}

int ask_lines(struct buf *ret)
{
	bool more = true;
	int state = LINE_DONE;

	while (more && state != LINE_CANCELLED) {
		struct line l = {.question = "", .above = ret};
		AUTO(free) char *text = NULL;

		state = read_line(&l);
		text = trimmed(buf_text(&l.text));
		more = l.pasted || strcmp(text, ".") != 0;
		if (state == LINE_DONE && more)
			buf_printf(ret, "%s\n", buf_text(&l.text));
		buf_fini(&l.text);
	}
	return state == LINE_CANCELLED ? ASK_CANCELLED : 0;
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
