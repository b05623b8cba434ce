#pragma once
/*
 * What comes from a keyboard: keys one by one, or text that was pasted, which is no keys. A terminal
 * marks what is pasted where it was asked to (KEYS_MARK_PASTES). Where it does not, a paste is known by
 * its bytes, which come together: see input_take().
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

#define KEYS_MARK_PASTES "\033[?2004h"
#define KEYS_LEAVE_PASTES "\033[?2004l"

/* Characters are their code points. */
enum key {
	KEY_NONE = 0x110000, /* nothing within the time */
	KEY_RESIZED,
	KEY_ENDED, /* a signal, or the terminal is gone: leave */
	KEY_UP,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_ENTER,
	KEY_ESCAPE,
	KEY_BACKSPACE,
	KEY_TAB,
	KEY_CTRL_C,
	KEY_CTRL_D,
	KEY_CTRL_L,
	KEY_CTRL_U,
	KEY_CTRL_W,
	KEY_CTRL_Z,
	KEY_PASTE, /* something was pasted: it is text, and no keys */
	KEY_OTHER, /* something we do not know */
};

/*
 * Bytes as the first key in them, *used of which belong to it. KEY_NONE and 0 used: they may be the
 * beginning of one, and more have to come; `all` says that none will.
 */
int key_decode(const char *bytes, size_t len, bool all, size_t *used);

/* What a key does to a line that is typed: characters, Backspace, Ctrl-U, Ctrl-W. Whether it did. */
bool key_edit(struct buf *line, int key, size_t most);

#define INPUT_PASTE_MAX ((size_t)1024 * 1024) /* bytes that are kept of a paste */

struct input {
	bool lines; /* what is typed are lines; else each key does something by itself */
	char pending[4096];
	size_t len;
	enum { INPUT_KEYS, INPUT_MARKED, INPUT_HEAP } way; /* the last two: in a paste */
	struct buf paste;				   /* the last one */
};
void input_fini(struct input *in);
void input_feed(struct input *in, const char *bytes, size_t len); /* as much as there is room */
/* Take what standard input has. Returns as read(2). */
ssize_t input_read(struct input *in);
/*
 * The next key; KEY_NONE when more may have to come: then it is asked again when something came, or,
 * with `all`, when nothing did for input_patience(). KEY_PASTE: the text is in `paste`, with '\n' at
 * the end of lines, and without other control characters than tabs.
 * Unmarked, this is a paste: several keys at once, unless all are the same one, which is held down, or
 * none is a character; and where lines are typed, a line end that something else comes along behind.
 */
int input_take(struct input *in, bool all);
int input_patience(const struct input *in); /* milliseconds; 0: nothing has begun */
