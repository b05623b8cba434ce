/* text.c: UTF-8, control characters, cleaning, names, near misses and widths. */
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/mem.h"

#define NAME_MAX_LEN 64
#define NEAREST_WORD_MAX 63

#define JOINER 0x200d

size_t text_decode(const char *text, size_t len, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)text;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t need = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t c = p[0];

	if (need == 0 || p[0] > 0xf4 || need > len)
		return 0;
	if (need > 1)
		c &= 0xffu >> (need + 1);
	for (size_t i = 1; i < need; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[need] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return need;
}

bool text_is_utf8(const char *text, size_t len)
{
	const char *p = text;
	uint32_t c;

	while (len) {
		size_t n = text_decode(p, len, &c);

		if (!n)
			return false;
		p += n;
		len -= n;
	}
	return true;
}

const char *text_find_control(const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if ((*p < 0x20 && *p != '\t' && *p != '\n') || *p == 0x7f)
			return (const char *)p;
		/* C1 controls: some terminals obey them as escape sequences */
		if (*p == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f)
			return (const char *)p;
	}
	return NULL;
}

static bool is_control(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c <= 0x9f);
}

static void trim(struct buf *text)
{
	size_t start = strspn(buf_text(text), " \t\n");

	buf_drop_front(text, start);
	while (text->len && strchr(" \t\n", text->data[text->len - 1]))
		text->data[--text->len] = '\0';
}

char *text_clean(const char *bytes, size_t len)
{
	const char *p = bytes;
	struct buf text = {0};
	uint32_t c;

	while (len) {
		size_t n = text_decode(p, len, &c);

		if (n == 0 || is_control(c)) {
			if (*p != '\r' || len < 2 || p[1] != '\n')
				buf_add_char(&text, '?');
			n = n ? n : 1;
		} else {
			buf_add(&text, p, n);
		}
		p += n;
		len -= n;
	}
	trim(&text);
	return buf_steal(&text);
}

static bool is_in(const char *p, const char *end, char first, char last)
{
	return p < end && *p >= first && *p <= last;
}

/* Behind the escape sequence that begins at `p`, or behind as much of it as there is. */
static const char *behind_escape(const char *p, const char *end)
{
	if (++p == end)
		return p;
	if (*p && strchr("]PX^_", *p)) { /* a title, a link */
		while (p < end && *p != '\a' && *p != '\n' && *p != '\x1b')
			p++;
		if (is_in(p, end, '\a', '\a'))
			return p + 1;
		return end - p > 1 && *p == '\x1b' && p[1] == '\\' ? p + 2 : p;
	}
	if (*p == '[')
		for (p++; is_in(p, end, ' ', '?'); p++)
			; /* parameters */
	else
		for (; is_in(p, end, ' ', '/'); p++)
			; /* a character set */
	return is_in(p, end, '0', '~') ? p + 1 : p;
}

char *text_clean_output(const char *bytes, size_t len)
{
	const char *p = bytes, *end = bytes + len, *escape;
	AUTO_BUF struct buf plain = {0};

	while (p < end && (escape = memchr(p, '\x1b', (size_t)(end - p)))) {
		buf_add(&plain, p, (size_t)(escape - p));
		p = behind_escape(escape, end);
	}
	buf_add(&plain, p, (size_t)(end - p));
	return text_clean(buf_text(&plain), plain.len);
}

char *text_clean_block(const char *bytes, size_t len)
{
	AUTO(free) char *clean = NULL;
	struct buf text = {0};
	size_t line = 0, i = 0;

	for (; i < len && bytes[i] && strchr(" \t\r\n", bytes[i]); i++)
		if (bytes[i] == '\n')
			line = i + 1;
	clean = text_clean(bytes + i, len - i);
	if (i < len)
		buf_add(&text, bytes + line, strspn(bytes + line, " \t"));
	buf_add_str(&text, clean);
	return buf_steal(&text);
}

char *text_one_line(const char *text)
{
	size_t len = strlen(text);
	struct buf line = {0};
	uint32_t c;

	while (len) {
		size_t n = text_decode(text, len, &c);
		bool gap =
			n == 0 || c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029;

		n = n ? n : 1;
		if (!gap)
			buf_add(&line, text, n);
		else if (line.len && line.data[line.len - 1] != ' ')
			buf_add_char(&line, ' ');
		text += n;
		len -= n;
	}
	trim(&line);
	return buf_steal(&line);
}

char *text_indent(const char *text)
{
	struct buf out = {0};

	for (; *text; text++) {
		buf_add_char(&out, *text);
		if (*text == '\n' && text[1] && text[1] != '\n')
			buf_add_str(&out, "  ");
	}
	return buf_steal(&out);
}

void text_mend_utf8(char *text, size_t len)
{
	uint32_t c;

	while (len) {
		size_t n = text_decode(text, len, &c);

		if (n == 0) {
			*text = '?';
			n = 1;
		}
		text += n;
		len -= n;
	}
}

size_t text_fit(const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);

	if (len <= max)
		return len;
	while (max && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

bool text_is_name(const char *text)
{
	size_t len = strlen(text);

	if (len == 0 || len > NAME_MAX_LEN || text[0] == '.' || text[0] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i]))
			return false;
	return true;
}

bool text_has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	while (*words) {
		size_t n = strcspn(words, " ");

		if (n && n == len && memcmp(words, word, n) == 0)
			return true;
		words += n;
		words += strspn(words, " ");
	}
	return false;
}

size_t text_distance(const char *a, const char *b)
{
	size_t rows[3][NEAREST_WORD_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > NEAREST_WORD_MAX || lb > NEAREST_WORD_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			int ca = tolower((unsigned char)a[i - 1]),
			    cb = tolower((unsigned char)b[j - 1]);
			size_t best = up[j - 1] + (ca != cb);

			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]) && up2[j - 2] + 1 < best)
				best = up2[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[la % 3][lb];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
	const char *best = NULL;
	size_t best_distance = strlen(word) / 3 + 2;

	for (size_t i = 0; i < count; i++) {
		size_t d = text_distance(word, candidates[i]);

		if (d < best_distance) {
			best_distance = d;
			best = candidates[i];
		}
	}
	return best;
}

/* Whether a character is drawn with the one before it. A joiner needs something that it joins. */
static bool is_joined(uint32_t c, uint32_t before, bool joins)
{
	return wcwidth((wchar_t)c) == 0 || (before == JOINER && joins);
}

size_t text_cluster(const char *text, size_t len, size_t *ret_width)
{
	uint32_t base = 0, before, c;
	size_t n, m;
	int w;

	/* Most text is plain. */
	*ret_width = 1;
	if (len > 1 && text[0] >= 0x20 && text[0] < 0x7f && !(text[1] & 0x80))
		return 1;
	*ret_width = 0;
	if (!len)
		return 0;
	n = text_decode(text, len, &base);
	w = n ? wcwidth((wchar_t)base) : 1;
	n = n ? n : 1;
	*ret_width = w > 0 ? (size_t)w : 0;
	before = base;
	while (n < len && (text[n] & 0x80) && (m = text_decode(text + n, len - n, &c)) &&
	       is_joined(c, before, base >= 0x80 && w > 0)) {
		before = c;
		n += m;
	}
	return n;
}

size_t text_width(const char *text)
{
	size_t len = strlen(text), width = 0, w;

	while (len) {
		size_t n = text_cluster(text, len, &w);

		width += w;
		text += n;
		len -= n;
	}
	return width;
}

char *text_store_shown(const char *url)
{
	const char *host = strstr(url, "://"), *at;

	if (strncmp(url, "sqlite:", strlen("sqlite:")) == 0)
		return mem_strdup(url + strlen("sqlite:"));
	/* Misspelt, it has a password in it like any other. */
	if (!host)
		return mem_strdup("of an unknown kind");
	host += strlen("://");
	at = strrchr(host, '@');
	host = at ? at + 1 : host;
	return mem_printf("postgres://%.*s", (int)strcspn(host, "?"), host);
}
