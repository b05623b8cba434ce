/* json.c: jansson with our errors, and setters that cannot fail quietly. */
#include "base/json.h"

#include <assert.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * A tree of JSON is some hundred small pieces of a few sizes, which come and go together: more than the
 * allocator keeps at hand, so that it begins to sort and to join them, which costs as much as the rest of an
 * answer. Those that were given back are kept here for the next tree, up to a bound. They are the allocator's
 * own pieces, so that a text of jansson's may be freed like any other.
 */
#define PIECE_MAX 128
#define PIECE_STEP 16
#define PIECES_KEPT 256

struct piece {
	struct piece *next;
};

static _Thread_local struct pieces {
	struct piece *first;
	size_t count;
} pieces[PIECE_MAX / PIECE_STEP + 1];

static void *take_piece(size_t size)
{
	size_t steps = (size + PIECE_STEP - 1) / PIECE_STEP;
	struct piece *piece;

	if (size > PIECE_MAX)
		return malloc(size);
	if (!(piece = pieces[steps].first))
		return malloc(steps * PIECE_STEP);
	pieces[steps].first = piece->next;
	pieces[steps].count--;
	return piece;
}

static void give_piece(void *data)
{
	size_t steps = data ? malloc_usable_size(data) / PIECE_STEP : 0;
	struct piece *piece = data;

	if (!steps || steps > PIECE_MAX / PIECE_STEP || pieces[steps].count == PIECES_KEPT) {
		free(data);
		return;
	}
	piece->next = pieces[steps].first;
	pieces[steps].first = piece;
	pieces[steps].count++;
}

/* Not where the allocator itself is looked after: it is to see every use of what was freed. */
__attribute__((constructor)) static void keep_pieces(void)
{
#ifndef __SANITIZE_ADDRESS__
	json_set_alloc_funcs(take_piece, give_piece);
#else
	(void)take_piece, (void)give_piece;
#endif
}

/* --- reading ------------------------------------------------------------------------------ */

#define EACH(byte) ((byte) * (UINT64_MAX / 0xff)) /* eight of them in one number */

/* Whether one of eight bytes may have to be escaped; false also for all that are beyond ASCII. */
static bool has_special(const char *text)
{
	uint64_t x, quote, slash;

	memcpy(&x, text, sizeof(x));
	quote = x ^ EACH('"');
	slash = x ^ EACH('\\');
	return (((x - EACH(0x20)) & ~x) | ((quote - EACH(1)) & ~quote) |
		((slash - EACH(1)) & ~slash)) &
	       EACH(0x80);
}

/* How many bytes from here on stand for themselves. */
static size_t plain_run(const char *text, size_t len)
{
	size_t i = 0;

	while (i + 8 <= len && !has_special(text + i))
		i += 8;
	for (; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c == '"' || c == '\\')
			break;
	}
	return i;
}

/*
 * What nearly every text is made of is read here, at a third of what jansson needs, which takes each byte by
 * a call. Where something is wrong or rare (a fraction, \\u, a key twice) NULL is returned, and jansson reads
 * the text from its beginning: it has the last word, and the words for what is wrong.
 */
#define DEPTH_MAX 64
#define DIGITS_MAX 18
#define KEY_MAX 128

struct reader {
	const char *at, *end;
};

static json_t *read_value(struct reader *r, int depth);

/* The next byte that is no blank; '\0' at the end. */
static char next_of(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	return r->at < r->end ? *r->at : '\0';
}

static bool take(struct reader *r, char c)
{
	if (next_of(r) != c)
		return false;
	r->at++;
	return true;
}

/* "a\nb": the run behind the quote is known to end at a backslash. */
static json_t *read_escaped(struct reader *r)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	AUTO_BUF struct buf text = {0};

	for (;;) {
		size_t run = plain_run(r->at, (size_t)(r->end - r->at));
		const char *found;

		buf_add(&text, r->at, run);
		r->at += run;
		if (r->at < r->end && *r->at == '"') {
			r->at++;
			return json_stringn(text.data, text.len);
		}
		if (r->end - r->at < 2 || *r->at != '\\' || !r->at[1] ||
		    !(found = strchr(from, r->at[1])))
			return NULL;
		buf_add_char(&text, to[found - from]);
		r->at += 2;
	}
}

static json_t *read_string(struct reader *r)
{
	const char *start = ++r->at;
	size_t run = plain_run(start, (size_t)(r->end - start));

	if (start + run == r->end || start[run] != '"')
		return read_escaped(r);
	r->at = start + run + 1;
	return json_stringn(start, run);
}

static json_t *read_integer(struct reader *r)
{
	bool minus = *r->at == '-';
	const char *start = r->at += minus;
	int64_t value = 0;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && r->at - start < DIGITS_MAX)
		value = value * 10 + (*r->at++ - '0');
	if (r->at == start || (*start == '0' && r->at - start > 1) || r->at == r->end ||
	    !strchr(",]} \n\t\r", *r->at))
		return NULL;
	return json_integer(minus ? -value : value);
}

static json_t *read_word(struct reader *r, const char *word, json_t *value)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return NULL;
	r->at += len;
	return value;
}

/* A key and its value, into the object. */
static bool read_member(struct reader *r, int depth, json_t *object)
{
	char key[KEY_MAX];
	size_t before = json_object_size(object), len;
	json_t *value;

	if (next_of(r) != '"')
		return false;
	r->at++;
	len = plain_run(r->at, (size_t)(r->end - r->at));
	if (len >= sizeof(key) || r->at + len == r->end || r->at[len] != '"')
		return false;
	memcpy(key, r->at, len);
	key[len] = '\0';
	r->at += len + 1;
	if (!take(r, ':') || !(value = read_value(r, depth)))
		return false;
	return json_object_set_new(object, key, value) == 0 && json_object_size(object) > before;
}

static json_t *read_object(struct reader *r, int depth)
{
	AUTO(json_decref) json_t *object = json_object();

	r->at++;
	if (take(r, '}'))
		return json_incref(object);
	do
		if (!read_member(r, depth, object))
			return NULL;
	while (take(r, ','));
	return take(r, '}') ? json_incref(object) : NULL;
}

static json_t *read_array(struct reader *r, int depth)
{
	AUTO(json_decref) json_t *array = json_array();

	r->at++;
	if (take(r, ']'))
		return json_incref(array);
	do
		/* It takes the value also when it refuses it. */
		if (json_array_append_new(array, read_value(r, depth)) < 0)
			return NULL;
	while (take(r, ','));
	return take(r, ']') ? json_incref(array) : NULL;
}

static json_t *read_value(struct reader *r, int depth)
{
	switch (next_of(r)) {
	case '{':
		return depth < DEPTH_MAX ? read_object(r, depth + 1) : NULL;
	case '[':
		return depth < DEPTH_MAX ? read_array(r, depth + 1) : NULL;
	case '"':
		return read_string(r);
	case 't':
		return read_word(r, "true", json_true());
	case 'f':
		return read_word(r, "false", json_false());
	case 'n':
		return read_word(r, "null", json_null());
	default:
		return r->at < r->end ? read_integer(r) : NULL;
	}
}

static json_t *read_common(const char *text, size_t len)
{
	struct reader r = {.at = text, .end = text + len};
	AUTO(json_decref) json_t *value = read_value(&r, 0);

	return value && next_of(&r) == '\0' && r.at == r.end ? json_incref(value) : NULL;
}

int json_parse(const char *text, size_t len, json_t **ret, struct error *err)
{
	json_t *value = read_common(text, len);
	json_error_t why;

	if (!value)
		value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (!value)
		return error_set(err, ERR_INVALID, "bad JSON at line %d, column %d: %s", why.line,
				 why.column, why.text);
	*ret = value;
	return 0;
}

/* --- writing ------------------------------------------------------------------------------ */

/* The text of a number with a fraction: jansson's, which reads back as the same number. */
static int add_piece(const char *piece, size_t len, void *data)
{
	buf_add(data, piece, len);
	return 0;
}

static void add_escaped(unsigned char c, struct buf *out)
{
	static const char plain[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	if (c == '"' || c == '\\')
		buf_printf(out, "\\%c", c);
	else if (c < sizeof(plain) && plain[c])
		buf_printf(out, "\\%c", plain[c]);
	else
		buf_printf(out, "\\u%04X", c);
}

static void add_string(const char *text, size_t len, struct buf *out)
{
	size_t run;

	buf_reserve(out, len + 2);
	buf_add_char(out, '"');
	for (; (run = plain_run(text, len)) < len; text += run + 1, len -= run + 1) {
		buf_add(out, text, run);
		add_escaped((unsigned char)text[run], out);
	}
	buf_add(out, text, len);
	buf_add_char(out, '"');
}

static void add_integer(int64_t value, struct buf *out)
{
	char digits[24], *p = digits + sizeof(digits);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--p = '-';
	buf_add(out, p, (size_t)(digits + sizeof(digits) - p));
}

/* A line for each value, moved in by two blanks for each value around it; COMPACT: all in one. */
#define COMPACT (-1)

static void add_value(const json_t *value, int depth, struct buf *out);

static int inside(int depth)
{
	return depth == COMPACT ? COMPACT : depth + 1;
}

static void add_break(int depth, struct buf *out)
{
	if (depth == COMPACT)
		return;
	buf_add_char(out, '\n');
	for (int i = 0; i < depth; i++)
		buf_add(out, "  ", 2);
}

static void add_members(const json_t *object, int depth, struct buf *out)
{
	char before = '{';

	/* What iterates does not change it; jansson's names for that want it writable all the same. */
	for (void *i = json_object_iter((json_t *)object); i;
	     i = json_object_iter_next((json_t *)object, i)) {
		const char *key = json_object_iter_key(i);

		buf_add_char(out, before);
		add_break(inside(depth), out);
		add_string(key, strlen(key), out);
		buf_add(out, ": ", depth == COMPACT ? 1 : 2);
		add_value(json_object_iter_value(i), inside(depth), out);
		before = ',';
	}
	if (before == '{')
		buf_add_char(out, '{');
	else
		add_break(depth, out);
	buf_add_char(out, '}');
}

static void add_items(const json_t *array, int depth, struct buf *out)
{
	size_t count = json_array_size(array);

	buf_add_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_char(out, ',');
		add_break(inside(depth), out);
		add_value(json_array_get(array, i), inside(depth), out);
	}
	if (count)
		add_break(depth, out);
	buf_add_char(out, ']');
}

/*
 * As json_dumps() writes it, at a fifth of the cost: that one looks for cycles, which nothing here
 * can have, and hands over every comma by a call. An answer is mostly this.
 */
static void add_value(const json_t *value, int depth, struct buf *out)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		add_members(value, depth, out);
		break;
	case JSON_ARRAY:
		add_items(value, depth, out);
		break;
	case JSON_STRING:
		add_string(json_string_value(value), json_string_length(value), out);
		break;
	case JSON_INTEGER:
		add_integer(json_integer_value(value), out);
		break;
	case JSON_REAL:
		json_dump_callback(value, add_piece, out, JSON_ENCODE_ANY);
		break;
	case JSON_TRUE:
		buf_add_str(out, "true");
		break;
	case JSON_FALSE:
		buf_add_str(out, "false");
		break;
	case JSON_NULL:
		buf_add_str(out, "null");
		break;
	}
}

void json_add(const json_t *value, struct buf *out)
{
	add_value(value, COMPACT, out);
}

void json_add_indented(const json_t *value, int depth, struct buf *out)
{
	add_value(value, depth, out);
}

char *json_text(const json_t *value)
{
	struct buf text = {0};

	json_add(value, &text);
	return buf_steal(&text);
}

static int wrong_type(const char *key, const char *want, struct error *err)
{
	return error_set(err, ERR_INVALID, "'%s' must be %s", key, want);
}

int json_get_text(const json_t *object, const char *key, const char **ret, struct error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return wrong_type(key, "a string", err);
	*ret = json_string_value(value);
	return 0;
}

int json_get_int(const json_t *object, const char *key, int64_t *ret, struct error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_integer(value))
		return wrong_type(key, "a whole number", err);
	*ret = json_integer_value(value);
	return 0;
}

int json_get_bool(const json_t *object, const char *key, bool *ret, struct error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_boolean(value))
		return wrong_type(key, "true or false", err);
	*ret = json_is_true(value);
	return 0;
}

void json_put(json_t *object, const char *key, json_t *stolen)
{
	/* The key is ours, so it is not looked at again. */
	int rc = json_object_set_new_nocheck(object, key, stolen);

	/* Fails only for NULL: a text that is not UTF-8, which never gets past the edge. */
	assert(rc == 0);
	(void)rc;
}

void json_put_text(json_t *object, const char *key, const char *text)
{
	json_put(object, key, text ? json_string(text) : json_null());
}

void json_put_int(json_t *object, const char *key, int64_t value)
{
	json_put(object, key, json_integer(value));
}

void json_put_bool(json_t *object, const char *key, bool value)
{
	json_put(object, key, json_boolean(value));
}
