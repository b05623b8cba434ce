/*
 * live-unsent.c: what stands unsent in the line of a program whose input line no pattern knows.
 *
 * Its screen alone does not say what is prompt and what was typed, so nothing is typed there unless nobody else
 * can have typed since the line was last known to be empty. That is known by three witnesses:
 *
 *	clients   each terminal that shows a window leaves a mark at its pane (tmux-set.c), also while no daemon
 *	          runs, and tmux knows when somebody last pressed a key in it
 *	the row   where the cursor stands it shows the same as when the agent came to rest with an empty line
 *	our mark  what we typed without Enter, or pasted back, and what we have sent, is written at the pane: a daemon
 *	          that begins again finds there how far the one before it came, also behind what it types first
 *
 * When one of them has doubts, the terminal is asked. As long as that edits lines itself, as for a plain program,
 * its key for "show me this line again" (Ctrl-R, VREPRINT) prints exactly what is not sent yet, and changes
 * nothing. A program that edits by itself has its own keys: there only the row can tell.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "daemon/live-parts.h"

#define TYPED "typed "
#define SENT "sent " /* also behind what is typed: those before it, the newest first */
#define SENT_MAX 16
#define FUTURE 5   /* seconds */
#define CARET 0x40 /* a control character is shown as '^' and the one so much above it */

bool unsent_is_unknown(const struct watched *w)
{
	return !w->adapter->live.input;
}

/* --- the mark ----------------------------------------------------------------------------- */

static void set_mark(struct watched *w, const char *value)
{
	AUTO(free) char *copy = mem_strdup(value);
	char *words[] = {(char[]){"set-option"},
			 (char[]){"-p"},
			 (char[]){"-t"},
			 w->pane,
			 (char[]){UNSENT_MARK},
			 copy,
			 NULL};

	if (!unsent_is_unknown(w))
		return;
	mem_replace(&w->left, value);
	tmux_ask(w->l->tmux, words, NULL, NULL);
}

static bool is_typed(const struct watched *w)
{
	return w->left && strncmp(w->left, TYPED, strlen(TYPED)) == 0;
}

/* "sent m-3 m-2 m-1", "typed m-3 sent m-2 m-1". */
static const char *sent_list(const struct watched *w)
{
	const char *at = w->left ? strstr(w->left, SENT) : NULL;

	return at ? at + strlen(SENT) : "";
}

/* The newest of them, with the blank before each; a daemon that begins again asks for no others. */
static char *sent_before(const struct watched *w, int most)
{
	const char *list = sent_list(w), *end = list;

	while (*end && most-- > 0)
		end += 1 + strcspn(end + 1, " ");
	return end > list ? mem_printf(" %.*s", (int)(end - list), list) : mem_strdup("");
}

void unsent_mark_typed(struct watched *w, const char *what)
{
	AUTO(free) char *before = sent_before(w, SENT_MAX);
	AUTO(free)
	char *value = *before ? mem_printf(TYPED "%s sent%s", what, before)
			      : mem_printf(TYPED "%s", what);

	set_mark(w, value);
}

void unsent_mark_sent(struct watched *w, const char *message)
{
	AUTO(free) char *before = sent_before(w, SENT_MAX - 1);
	AUTO(free) char *value = mem_printf(SENT "%s%s", message, before);

	set_mark(w, value);
	unsent_is_empty(w);
}

bool unsent_was_sent(const struct watched *w, const char *message)
{
	const char *at = sent_list(w);
	size_t len = strlen(message);

	for (; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strncmp(at, message, len) == 0 && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/* --- who can have typed ------------------------------------------------------------------- */

void unsent_is_empty(struct watched *w)
{
	if (is_typed(w)) {
		AUTO(free) char *before = sent_before(w, SENT_MAX);
		AUTO(free) char *value = mem_printf("%s%s", *before ? "sent" : "", before);

		set_mark(w, value);
	}
	w->empty = true;
	mem_replace(&w->empty_views, w->views ? w->views : "");
	w->empty_viewers = w->viewers;
	w->empty_key_at = w->key_at;
	mem_replace(&w->rest, NULL);
	w->rest_wanted = true;
}

bool unsent_has_keys(const struct watched *w)
{
	const char *views = w->views ? w->views : "";

	if (!w->empty)
		return *views || w->viewers;
	return strcmp(views, w->empty_views) != 0 || w->viewers != w->empty_viewers ||
	       w->key_at != w->empty_key_at;
}

bool unsent_is_moving(const struct watched *w)
{
	int64_t now = clock_now() / USEC_PER_SEC;

	/* Of the far future is what was before the clock was set back. */
	return w->key_at >= now && w->key_at < now + FUTURE;
}

/* While it works it shows anything; what goes on behind the prompt was typed all the same. */
static bool is_row_other(const struct watched *w)
{
	AUTO(free) char *row = unsent_row(w);

	if (!w->rest || strcmp(w->rest, row) == 0)
		return false;
	return w->verdict.is == IS_IDLE ||
	       (*w->rest && strncmp(w->rest, row, strlen(w->rest)) == 0);
}

bool unsent_is_doubtful(const struct watched *w)
{
	return unsent_has_keys(w) || is_typed(w) || is_row_other(w);
}

void unsent_rests(struct watched *w)
{
	bool looked = w->facts.look_at != USEC_NONE && w->facts.look_at >= w->facts.output_at &&
		      w->facts.look_at >= w->verdict.since;

	if (!w->rest_wanted || !unsent_is_unknown(w) || w->typing || w->verdict.is != IS_IDLE)
		return;
	if (!looked) {
		watch_look(w, 0); /* which leads to the next verdict */
		return;
	}
	w->rest_wanted = false;
	if (!unsent_is_doubtful(w))
		w->rest = unsent_row(w);
}

void unsent_fini(struct watched *w)
{
	free(steal_ptr(&w->left));
	free(steal_ptr(&w->views));
	free(steal_ptr(&w->empty_views));
	free(steal_ptr(&w->rest));
	w->empty = false;
	w->rest_wanted = true;
	w->viewers = 0;
	w->key_at = 0;
}

/* --- what is shown ------------------------------------------------------------------------ */

/* One line of the plain screen; *ret is its first byte, and its length is returned. */
static size_t line_at(const char *plain, int row, const char **ret)
{
	for (; row > 0 && *plain; row--) {
		plain += strcspn(plain, "\n");
		plain += *plain == '\n';
	}
	*ret = plain;
	return strcspn(plain, "\n");
}

/* Blanks at its end are not in a capture: those before the cursor were typed, or printed. */
static void add_line(struct buf *out, const char *plain, int row, int columns)
{
	const char *line;
	size_t len = line_at(plain, row, &line);
	AUTO(free) char *text = mem_strndup(line, len);

	buf_add_str(out, text);
	for (size_t width = text_width(text); width < (size_t)columns; width++)
		buf_add_char(out, ' ');
}

/* It goes on in the next one, since there was no room. */
static bool is_full(const struct watched *w, const char *plain, int row)
{
	const char *line;
	size_t len = line_at(plain, row, &line);
	AUTO(free) char *text = mem_strndup(line, len);

	return w->width > 0 && text_width(text) >= (size_t)w->width;
}

static char *read_rows(const struct watched *w, const char *plain, int first)
{
	struct buf out = {0};

	for (int row = first; row <= w->screen_row; row++)
		add_line(&out, plain, row, row < w->screen_row ? w->width : w->cursor_x);
	buf_add_str(&out, "");
	return buf_steal(&out);
}

char *unsent_row(const struct watched *w)
{
	AUTO(free) char *plain = look_plain(w->screen ? w->screen : "");
	int first = w->screen_row;

	while (first > 0 && is_full(w, plain, first - 1))
		first--;
	return read_rows(w, plain, first);
}

/* --- the terminal is asked ---------------------------------------------------------------- */

static bool get_mode(const struct watched *w, struct termios *ret)
{
	AUTO_CLOSE int fd =
		w->tty ? open(w->tty, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;

	return fd >= 0 && tcgetattr(fd, ret) == 0;
}

bool unsent_terminal_edits(const struct watched *w)
{
	struct termios mode;

	return get_mode(w, &mode) && (mode.c_lflag & ICANON);
}

char unsent_kill_key(const struct watched *w)
{
	struct termios mode;

	return get_mode(w, &mode) && (mode.c_lflag & ICANON) ? (char)mode.c_cc[VKILL] : 0;
}

char unsent_show_key(const struct watched *w)
{
	const tcflag_t needed = ICANON | ECHO | ECHOCTL | IEXTEN;
	struct termios mode;

	if (!get_mode(w, &mode) || (mode.c_lflag & needed) != needed)
		return 0;
	return iscntrl(mode.c_cc[VREPRINT]) && mode.c_cc[VREPRINT] != 0x7f
		       ? (char)mode.c_cc[VREPRINT]
		       : 0;
}

char *unsent_shown(const struct watched *w, char key)
{
	AUTO(free) char *plain = look_plain(w->screen ? w->screen : "");
	const char mark[] = {'^', (char)(key + CARET), '\0'};

	for (int row = w->screen_row - 1; row >= 0; row--) {
		const char *line;
		size_t len = line_at(plain, row, &line);

		if (len >= 2 && memcmp(line + len - 2, mark, 2) == 0)
			return read_rows(w, plain, row + 1);
		if (!is_full(w, plain, row))
			break;
	}
	return NULL;
}
