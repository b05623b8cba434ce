/*
 * keys.c: what a terminal sends, as keys.
 * A key is a character, or a sequence that begins with Esc; Esc itself is a sequence nothing
 * follows. Terminals disagree about the sequences of a few keys, so the table has them all. One it
 * does not have is taken whole, so that its letters are not mistaken for keys.
 */
#include "terminal/keys.h"

#include <string.h>

#include "base/text.h"

#define ESC '\033'
#define SEQUENCE_MAX 32 /* bytes; whatever is longer is none */

/* clang-format off */
static const struct {
	const char *bytes; /* behind the Esc */
	int key;
} sequences[] = {
	{"[A", KEY_UP},      {"OA", KEY_UP},      {"[B", KEY_DOWN},  {"OB", KEY_DOWN},
	{"[C", KEY_RIGHT},   {"OC", KEY_RIGHT},   {"[D", KEY_LEFT},  {"OD", KEY_LEFT},
	{"[H", KEY_HOME},    {"OH", KEY_HOME},    {"[F", KEY_END},   {"OF", KEY_END},
	{"[1~", KEY_HOME},   {"[7~", KEY_HOME},   {"[4~", KEY_END},  {"[8~", KEY_END},
	{"[5~", KEY_PAGE_UP}, {"[6~", KEY_PAGE_DOWN}, {"OM", KEY_ENTER},
};

static const struct {
	unsigned char byte;
	int key;
} controls[] = {
	{'\r', KEY_ENTER},     {'\n', KEY_ENTER}, {'\t', KEY_TAB},
	{0x7f, KEY_BACKSPACE}, {'\b', KEY_BACKSPACE},
	{3, KEY_CTRL_C},       {4, KEY_CTRL_D},     {12, KEY_CTRL_L},
	{21, KEY_CTRL_U},      {23, KEY_CTRL_W},    {26, KEY_CTRL_Z},
	{2, KEY_PAGE_UP},      {6, KEY_PAGE_DOWN}, /* Ctrl-B and Ctrl-F, as pagers have them */
	{16, KEY_UP},          {14, KEY_DOWN},     /* Ctrl-P and Ctrl-N */
};
/* clang-format on */

static int key_of_control(unsigned char byte)
{
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		if (controls[i].byte == byte)
			return controls[i].key;
	return KEY_OTHER;
}

static int key_of_sequence(const char *bytes, size_t len)
{
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (strlen(sequences[i].bytes) == len &&
		    memcmp(sequences[i].bytes, bytes, len) == 0)
			return sequences[i].key;
	return KEY_OTHER;
}

/* The length of the sequence with its Esc; 0 while its end has not come. */
static size_t sequence_len(const char *bytes, size_t len)
{
	size_t n = 2;

	if (len < 2)
		return 0;
	if (bytes[1] != '[' && bytes[1] != 'O')
		return 2; /* Alt and a key */
	while (n < len && n < SEQUENCE_MAX && (unsigned char)bytes[n] < 0x40)
		n++;
	if (n == SEQUENCE_MAX)
		return n;
	return n < len ? n + 1 : 0;
}

static int decode_escape(const char *bytes, size_t len, bool all, size_t *used)
{
	size_t n = sequence_len(bytes, len);

	/* Esc and then Esc again, or a key pressed twice in a hurry: the first one counts. */
	if (len >= 2 && bytes[1] == ESC)
		n = 1;
	if (!n && !all) {
		*used = 0;
		return KEY_NONE;
	}
	*used = n ? n : len;
	if (*used == 1)
		return KEY_ESCAPE;
	return key_of_sequence(bytes + 1, *used - 1);
}

static int decode_character(const unsigned char *p, size_t len, bool all, size_t *used)
{
	size_t need = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	int c = p[0] & (0xff >> (need + 1));

	if (len < need && !all && p[0] >= 0xc2) {
		*used = 0;
		return KEY_NONE;
	}
	*used = 1;
	if (len < need || !text_is_utf8((const char *)p, need))
		return KEY_OTHER;
	for (size_t i = 1; i < need; i++)
		c = c << 6 | (p[i] & 0x3f);
	*used = need;
	return c >= 0xa0 ? c : KEY_OTHER;
}

int key_decode(const char *bytes, size_t len, bool all, size_t *used)
{
	unsigned char first = (unsigned char)bytes[0];

	if (first == ESC)
		return decode_escape(bytes, len, all, used);
	if (first >= 0x80)
		return decode_character((const unsigned char *)bytes, len, all, used);
	*used = 1;
	return first < 0x20 || first == 0x7f ? key_of_control(first) : first;
}

/* --- a line that is typed --- */

static void cut(struct buf *line, size_t len)
{
	if (!line->data)
		return;
	line->len = len;
	line->data[len] = '\0';
}

static void cut_word(struct buf *line)
{
	size_t len = line->len;

	while (len && line->data[len - 1] == ' ')
		len--;
	while (len && line->data[len - 1] != ' ')
		len--;
	cut(line, len);
}

static void add_character(struct buf *line, unsigned int c, size_t most)
{
	char bytes[4];
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = len; i-- > 1; c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(len == 1 ? c : (0xf0U << (4 - len) & 0xff) | c);
	if (line->len + len <= most)
		buf_add(line, bytes, len);
}

bool key_edit(struct buf *line, int key, size_t most)
{
	if (key == KEY_BACKSPACE)
		cut(line, line->len ? text_fit(line->data, line->len - 1) : 0);
	else if (key == KEY_CTRL_U)
		cut(line, 0);
	else if (key == KEY_CTRL_W)
		cut_word(line);
	else if (key < KEY_NONE)
		add_character(line, (unsigned int)key, most);
	else
		return false;
	return true;
}
