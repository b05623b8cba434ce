/*
 * jsonc.c: reading JSON with comments into a tree that knows its places.
 * Strict where clients are: strings, numbers and words are those of JSON; but comments, a comma before a
 * closing bracket and a byte order mark are taken. Texts are UTF-8, since JSON is.
 */
#include "setup/jsonc.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

struct reader {
	const char *text;
	size_t len, at;
	int depth;
	struct error *err;
};

/* Where a byte is, as an editor shows it: columns are characters. */
static int wrong(struct reader *r, size_t at, const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < at && i < r->len; i++) {
		unsigned char c = (unsigned char)r->text[i];

		if (c == '\n') {
			line++;
			column = 1;
		} else if ((c & 0xc0) != 0x80 && !(i == 0 && c == 0xef)) {
			column++;
		}
	}
	return error_set(r->err, ERR_INVALID, "line %zu, column %zu: %s", line, column, what);
}

static bool starts(const struct reader *r, const char *word)
{
	size_t len = strlen(word);

	return r->len - r->at >= len && memcmp(r->text + r->at, word, len) == 0;
}

/* Space and comments. */
static int skip(struct reader *r)
{
	for (;;) {
		while (r->at < r->len && strchr(" \t\r\n", r->text[r->at]) && r->text[r->at])
			r->at++;
		if (starts(r, "//")) {
			while (r->at < r->len && r->text[r->at] != '\n')
				r->at++;
		} else if (starts(r, "/*")) {
			const char *end = memmem(r->text + r->at + 2, r->len - r->at - 2, "*/", 2);

			if (!end)
				return wrong(r, r->at, "a comment that does not end");
			r->at = (size_t)(end - r->text) + 2;
		} else {
			return 0;
		}
	}
}

static int hex4(const struct reader *r, size_t at)
{
	int value = 0;

	if (r->len - at < 4)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		const char *digits = "0123456789abcdef", *p;
		char c = r->text[i];

		p = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
		if (!p)
			return -1;
		value = value * 16 + (int)(p - digits);
	}
	return value;
}

/* Half a pair is kept as it is: only compared, never written. */
static void add_char(struct buf *out, unsigned c)
{
	if (c < 0x80) {
		buf_add_char(out, (char)c);
	} else if (c < 0x800) {
		buf_add_char(out, (char)(0xc0 | c >> 6));
		buf_add_char(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_add_char(out, (char)(0xe0 | c >> 12));
		buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_add_char(out, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_add_char(out, (char)(0xf0 | c >> 18));
		buf_add_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_add_char(out, (char)(0x80 | (c & 0x3f)));
	}
}

/* At a backslash. */
static int read_escape(struct reader *r, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = r->at + 1 < r->len ? r->text[r->at + 1] : '\0';
	const char *p = c ? strchr(from, c) : NULL;
	int first, second;

	if (p) {
		buf_add_char(out, to[p - from]);
		r->at += 2;
		return 0;
	}
	first = c == 'u' ? hex4(r, r->at + 2) : -1;
	if (first < 0)
		return wrong(r, r->at, "a backslash before something that it cannot stand before");
	r->at += 6;
	if (first >= 0xd800 && first < 0xdc00 && starts(r, "\\u")) {
		second = hex4(r, r->at + 2);
		if (second >= 0xdc00 && second < 0xe000) {
			r->at += 6;
			first = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
		}
	}
	add_char(out, (unsigned)first);
	return 0;
}

/* At a quotation mark. */
static int read_string(struct reader *r, char **ret, size_t *ret_len)
{
	AUTO_BUF struct buf out = {0};
	size_t begin = r->at++;
	int rc = 0;

	while (r->at < r->len && r->text[r->at] != '"') {
		if ((unsigned char)r->text[r->at] < 0x20)
			return wrong(r, r->at, "a line end or control character inside a string");
		if (r->text[r->at] == '\\')
			rc = read_escape(r, &out);
		else
			buf_add_char(&out, r->text[r->at++]);
		if (rc < 0)
			return rc;
	}
	if (r->at == r->len)
		return wrong(r, begin, "a string that does not end");
	r->at++;
	*ret_len = out.len;
	*ret = buf_steal(&out);
	return 0;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_number(const char *s)
{
	size_t n;

	s += *s == '-';
	n = strspn(s, "0123456789");
	if (n == 0 || (n > 1 && *s == '0'))
		return false;
	s += n;
	if (*s == '.') {
		n = strspn(++s, "0123456789");
		if (n == 0)
			return false;
		s += n;
	}
	if (*s == 'e' || *s == 'E') {
		s += s[1] == '+' || s[1] == '-' ? 2 : 1;
		n = strspn(s, "0123456789");
		if (n == 0)
			return false;
		s += n;
	}
	return !*s;
}

static int read_word(struct reader *r, struct jsonc_node *n)
{
	size_t begin = r->at;

	while (r->at < r->len && r->text[r->at] && !strchr(" \t\r\n,:[]{}\"/", r->text[r->at]))
		r->at++;
	n->kind = JSONC_OTHER;
	n->text = mem_strndup(r->text + begin, r->at - begin);
	n->text_len = r->at - begin;
	if (strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0 ||
	    strcmp(n->text, "null") == 0 || is_number(n->text))
		return 0;
	return wrong(r, begin,
		     r->at == r->len && begin == r->at ? "the text ends too early"
						       : "no value can be read here");
}

static int read_value(struct reader *r, struct jsonc_node *n);

static struct jsonc_node *add_item(struct jsonc_node *in)
{
	if (in->count == in->room) {
		in->room = in->room ? in->room * 2 : 4;
		in->items = mem_grow(in->items, in->room, sizeof(*in->items));
	}
	in->items[in->count] = mem_zalloc(sizeof(struct jsonc_node));
	in->items[in->count]->comma = JSONC_NOWHERE;
	return in->items[in->count++];
}

static int read_item(struct reader *r, struct jsonc_node *in)
{
	struct jsonc_node *item = add_item(in);
	int rc;

	item->start = r->at;
	if (in->kind == JSONC_OBJECT) {
		if (r->at == r->len || r->text[r->at] != '"')
			return wrong(r, r->at, "a name in quotation marks is expected");
		rc = read_string(r, &item->key, &item->key_len);
		if (rc < 0 || (rc = skip(r)) < 0)
			return rc;
		if (r->at == r->len || r->text[r->at] != ':')
			return wrong(r, r->at, "a colon is expected");
		r->at++;
		if ((rc = skip(r)) < 0)
			return rc;
	}
	return read_value(r, item);
}

/* At its opening bracket. */
static int read_items(struct reader *r, struct jsonc_node *n)
{
	char close = n->kind == JSONC_OBJECT ? '}' : ']';
	int rc;

	if (++r->depth > JSONC_DEPTH_MAX)
		return wrong(r, r->at, "brackets inside brackets, too deep");
	for (r->at++;;) {
		if ((rc = skip(r)) < 0)
			return rc;
		if (r->at < r->len && r->text[r->at] == close)
			break;
		if (n->count && n->items[n->count - 1]->comma == JSONC_NOWHERE)
			return wrong(r, r->at, "a comma or a closing bracket is expected");
		if ((rc = read_item(r, n)) < 0 || (rc = skip(r)) < 0)
			return rc;
		if (r->at < r->len && r->text[r->at] == ',')
			n->items[n->count - 1]->comma = r->at++;
	}
	r->at++;
	r->depth--;
	return 0;
}

static int read_value(struct reader *r, struct jsonc_node *n)
{
	char c = r->at < r->len ? r->text[r->at] : '\0';
	int rc;

	n->begin = r->at;
	if (c == '{' || c == '[') {
		n->kind = c == '{' ? JSONC_OBJECT : JSONC_ARRAY;
		rc = read_items(r, n);
	} else if (c == '"') {
		n->kind = JSONC_STRING;
		rc = read_string(r, &n->text, &n->text_len);
	} else {
		rc = read_word(r, n);
	}
	n->end = r->at;
	return rc;
}

int jsonc_parse(const char *text, size_t len, struct jsonc_node **ret, struct error *err)
{
	struct reader r = {.text = text ? text : "", .len = len, .err = err};
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	int rc;

	*ret = NULL;
	if (!text_is_utf8(r.text, len))
		return error_set(err, ERR_INVALID, "it is not UTF-8");
	if (memchr(r.text, '\0', len))
		return error_set(err, ERR_INVALID, "it has a NUL byte, so it is no text");
	if (starts(&r, "\xef\xbb\xbf"))
		r.at = 3;
	if ((rc = skip(&r)) < 0 || r.at == len)
		return rc;
	root = mem_zalloc(sizeof(*root));
	root->start = r.at;
	root->comma = JSONC_NOWHERE;
	if ((rc = read_value(&r, root)) < 0 || (rc = skip(&r)) < 0)
		return rc;
	if (r.at < len)
		return wrong(&r, r.at, "something follows the end");
	*ret = steal_ptr(&root);
	return 0;
}

void jsonc_free(struct jsonc_node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->count; i++)
		jsonc_free(n->items[i]);
	free(n->items);
	free(n->key);
	free(n->text);
	free(n);
}

struct jsonc_node *jsonc_get(const struct jsonc_node *object, const char *key)
{
	size_t len = strlen(key);

	if (!object || object->kind != JSONC_OBJECT)
		return NULL;
	for (size_t i = 0; i < object->count; i++)
		if (object->items[i]->key_len == len &&
		    memcmp(object->items[i]->key, key, len) == 0)
			return object->items[i];
	return NULL;
}

bool jsonc_is(const struct jsonc_node *n, const char *text)
{
	return n && n->kind == JSONC_STRING && n->text_len == strlen(text) &&
	       memcmp(n->text, text, n->text_len) == 0;
}

/* "name" of a key that is there for the second time is told as another name, which no text can have. */
static void put_member(json_t *object, const struct jsonc_node *item)
{
	AUTO_BUF struct buf key = {0};
	int again = 1;

	buf_add(&key, item->key, item->key_len);
	while (json_object_getn(object, buf_text(&key), key.len)) {
		key.len = item->key_len;
		buf_printf(&key, "\xff%d", again++);
	}
	json_object_setn_new_nocheck(object, buf_text(&key), key.len, jsonc_value(item));
}

json_t *jsonc_value(const struct jsonc_node *n)
{
	AUTO_BUF struct buf word = {0};
	json_t *value;

	switch (n->kind) {
	case JSONC_STRING:
		return json_stringn_nocheck(n->text, n->text_len);
	case JSONC_OTHER:
		buf_printf(&word, "\xff%s", n->text); /* no string begins so */
		return json_stringn_nocheck(buf_text(&word), word.len);
	default:
		break;
	}
	value = n->kind == JSONC_OBJECT ? json_object() : json_array();
	for (size_t i = 0; i < n->count; i++) {
		if (n->kind == JSONC_OBJECT)
			put_member(value, n->items[i]);
		else
			json_array_append_new(value, jsonc_value(n->items[i]));
	}
	return value;
}
