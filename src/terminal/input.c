/*
 * input.c: keys, and what is none: a paste.
 * What somebody copied is text, and must never be obeyed: "every" would put threads away. A terminal
 * that was asked to puts marks around it. One that cannot sends it as if it was typed, but at once,
 * while fingers send one key at a time: so what comes along with something else is a paste, and so
 * is what follows it within a moment. A key that is held down, and keys that are no characters, come
 * several at once, too, when the program is slow; those are harmless to obey.
 */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "terminal/keys.h"

#define PASTE_BEGIN "\033[200~"
#define PASTE_END "\033[201~"
#define PASTE_MS 1000 /* one whose end has not come by then ends there */
#define HEAP_MS 30    /* one without marks ends when nothing came for so long */
#define ESCAPE_MS 50  /* an Esc that nothing follows within this is the key itself */
#define ALONE_MS 10   /* a character that nothing follows within this came alone */

void input_fini(struct input *in)
{
	buf_fini(&in->paste);
}

void input_feed(struct input *in, const char *bytes, size_t len)
{
	size_t room = sizeof(in->pending) - in->len;

	len = len < room ? len : room;
	memcpy(in->pending + in->len, bytes, len);
	in->len += len;
}

ssize_t input_read(struct input *in)
{
	char bytes[sizeof(in->pending)];
	ssize_t n = read(0, bytes, sizeof(in->pending) - in->len);

	if (n > 0)
		input_feed(in, bytes, (size_t)n);
	return n;
}

static void drop(struct input *in, size_t used)
{
	in->len -= used;
	memmove(in->pending, in->pending + used, in->len);
}

static bool begins_paste(const char *bytes, size_t len)
{
	return len >= strlen(PASTE_BEGIN) && memcmp(bytes, PASTE_BEGIN, strlen(PASTE_BEGIN)) == 0;
}

/* --- what came together --- */

struct heap {
	size_t keys;
	int first;
	bool differ, character, behind_enter;
};

static void look_at(struct heap *h, const struct input *in)
{
	bool enter = false;
	size_t used;

	for (size_t at = 0; at < in->len; at += used) {
		int key = key_decode(in->pending + at, in->len - at, false, &used);

		if (!used || begins_paste(in->pending + at, in->len - at))
			break;
		if (!h->keys++)
			h->first = key;
		h->differ |= key != h->first;
		h->character |= key < KEY_NONE;
		h->behind_enter |= enter;
		enter |= key == KEY_ENTER;
	}
}

static bool is_paste(const struct input *in, const struct heap *h)
{
	return h->differ && (in->lines ? h->behind_enter : h->character);
}

/* All of it, until it was quiet for a moment. */
static int take_heap(struct input *in, bool all)
{
	size_t at = 0, used;

	for (; at < in->len; at += used) {
		int key = key_decode(in->pending + at, in->len - at, all, &used);

		if (!used)
			break;
		if (key == KEY_ENTER || key == KEY_TAB)
			key = key == KEY_ENTER ? '\n' : '\t';
		if (key < KEY_NONE)
			key_edit(&in->paste, key, INPUT_PASTE_MAX);
	}
	drop(in, at);
	if (!all)
		return KEY_NONE;
	in->way = INPUT_KEYS;
	return KEY_PASTE;
}

/* --- between marks --- */

static bool is_control(const char *text, size_t len)
{
	unsigned char c = (unsigned char)*text;

	return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f ||
	       (c == 0xc2 && len > 1 && (unsigned char)text[1] < 0xa0);
}

/* Terminals send Enter for the end of a line. */
static void clean(struct buf *text)
{
	size_t to = 0;

	text_mend_utf8(text->data, text->len);
	for (size_t at = 0; at < text->len; at++) {
		char c = text->data[at];

		if (c == '\r' && at + 1 < text->len && text->data[at + 1] == '\n')
			continue;
		if (c == '\r')
			text->data[to++] = '\n';
		else if (!is_control(text->data + at, text->len - at))
			text->data[to++] = c;
		else if ((unsigned char)c == 0xc2)
			at++;
	}
	text->len = to;
	if (text->data)
		text->data[to] = '\0';
}

/* The mark may come in pieces: what could be its beginning is left for the next look. */
static int take_marked(struct input *in, bool all)
{
	size_t mark = strlen(PASTE_END), len = in->len;
	const char *end = memmem(in->pending, in->len, PASTE_END, mark);

	if (end)
		len = (size_t)(end - in->pending);
	else if (!all)
		len = in->len >= mark ? in->len - mark + 1 : 0;
	if (in->paste.len < INPUT_PASTE_MAX)
		buf_add(&in->paste, in->pending, len);
	drop(in, len + (end ? mark : 0));
	if (!end && !all)
		return KEY_NONE;
	in->way = INPUT_KEYS;
	clean(&in->paste);
	return KEY_PASTE;
}

/* --- one by one --- */

static int take_key(struct input *in, const struct heap *h, bool all)
{
	size_t used = 0;
	int key;

	/* More of it may be on its way. */
	if (!in->lines && !all && h->keys == 1 && h->character)
		return KEY_NONE;
	key = key_decode(in->pending, in->len, all, &used);
	drop(in, used);
	return key;
}

int input_take(struct input *in, bool all)
{
	struct heap h = {0};

	if (in->way == INPUT_KEYS && !in->len)
		return KEY_NONE;
	if (in->way == INPUT_KEYS) {
		look_at(&h, in);
		if (begins_paste(in->pending, in->len)) {
			in->way = INPUT_MARKED;
			drop(in, strlen(PASTE_BEGIN));
		} else if (is_paste(in, &h)) {
			in->way = INPUT_HEAP;
			all = false;
		}
		if (in->way != INPUT_KEYS)
			buf_clear(&in->paste);
	}
	if (in->way == INPUT_MARKED)
		return take_marked(in, all);
	return in->way == INPUT_HEAP ? take_heap(in, all) : take_key(in, &h, all);
}

int input_patience(const struct input *in)
{
	if (in->way != INPUT_KEYS)
		return in->way == INPUT_MARKED ? PASTE_MS : HEAP_MS;
	if (!in->len)
		return 0;
	return (unsigned char)in->pending[0] >= 0x20 && (unsigned char)in->pending[0] < 0x80
		       ? ALONE_MS
		       : ESCAPE_MS;
}
