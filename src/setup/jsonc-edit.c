/*
 * jsonc-edit.c: members and items that come into a JSON text and go again, and nothing else.
 * What comes in looks like what is there: the line ends, the indentation, all in one line where the
 * file is. It stands behind the last item and that one's comment; the only other byte that is ever
 * added is the comma which that item lacks. What goes takes its line and its comma along. Whether that
 * was right is never assumed: the new text is read again and must say what was asked for.
 */
#include <string.h>

#include "base/mem.h"
#include "setup/jsonc.h"

#define UNIT_MAX 16

/* How the file is written. */
struct look {
	const char *eol;
	char unit[UNIT_MAX + 1]; /* of indentation */
	bool one_line, tight;	 /* {"a":1} */
};

/* Lines */

static bool has_mark(const struct buf *text)
{
	return text->len >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0;
}

static size_t line_begin(const struct buf *text, size_t at)
{
	while (at > 0 && text->data[at - 1] != '\n')
		at--;
	return at == 0 && has_mark(text) ? 3 : at;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool begins_line(const struct buf *text, size_t at)
{
	size_t i = line_begin(text, at);

	while (i < at && is_blank(text->data[i]))
		i++;
	return i >= at;
}

/* What the line of a byte begins with; the caller frees. */
static char *indent_at(const struct buf *text, size_t at)
{
	size_t begin = line_begin(text, at), end = begin;

	while (end < text->len && is_blank(text->data[end]))
		end++;
	return mem_strndup(text->data + begin, end - begin);
}

/* Behind the comments that follow in the same line. */
static size_t skip_remarks(const struct buf *text, size_t at)
{
	size_t end = at;

	for (;;) {
		const char *p, *close;

		while (at < text->len && is_blank(text->data[at]))
			at++;
		p = text->data + at;
		if (text->len - at < 2 || p[0] != '/')
			return end;
		if (p[1] == '/') {
			const char *newline = memchr(p, '\n', text->len - at);

			end = newline ? (size_t)(newline - text->data) : text->len;
			return end > at && text->data[end - 1] == '\r' ? end - 1 : end;
		}
		close = p[1] == '*' ? memmem(p + 2, text->len - at - 2, "*/", 2) : NULL;
		if (!close || memchr(p, '\n', (size_t)(close - p)))
			return end;
		at = end = (size_t)(close - text->data) + 2;
	}
}

/* The look of the file */

/* The first items that are further in than what they are in say how far that is. */
static bool find_unit(const struct buf *text, const struct jsonc_node *n, char *ret)
{
	if (n->count && begins_line(text, n->items[0]->start)) {
		AUTO(free) char *outer = indent_at(text, n->begin);
		AUTO(free) char *inner = indent_at(text, n->items[0]->start);
		size_t len = strlen(outer), more = strlen(inner);

		if (more > len && more - len <= UNIT_MAX && strncmp(inner, outer, len) == 0) {
			memcpy(ret, inner + len, more - len + 1);
			return true;
		}
	}
	for (size_t i = 0; i < n->count; i++)
		if (find_unit(text, n->items[i], ret))
			return true;
	return false;
}

static struct look look_at(const struct buf *text, const struct jsonc_node *root)
{
	struct look look = {.eol = "\n", .unit = "  "};
	const char *newline = memchr(buf_text(text), '\n', text->len);
	const struct jsonc_node *first = root && root->count ? root->items[0] : NULL;

	if (newline && newline > text->data && newline[-1] == '\r')
		look.eol = "\r\n";
	if (root)
		find_unit(text, root, look.unit);
	look.one_line = first && !begins_line(text, first->start);
	look.tight = look.one_line && first->key && text->data[first->begin - 1] == ':';
	return look;
}

/* Writing */

static bool is_flat(const json_t *array)
{
	for (size_t i = 0; i < json_array_size(array); i++)
		if (json_is_object(json_array_get(array, i)) ||
		    json_is_array(json_array_get(array, i)))
			return false;
	return true;
}

static void write_short(struct buf *out, const json_t *value, bool tight)
{
	AUTO(free) char *text = json_dumps(value, JSON_ENCODE_ANY | (tight ? JSON_COMPACT : 0));

	buf_add_str(out, text ? text : "null");
}

static void write_key(struct buf *out, const char *key, const struct look *look)
{
	AUTO(json_decref) json_t *text = json_string(key);

	write_short(out, text, true);
	buf_add_str(out, look->tight ? ":" : ": ");
}

static void write_value(struct buf *out, const json_t *value, const struct look *look,
			const char *indent)
{
	AUTO(free) char *inner = mem_printf("%s%s", indent, look->unit);
	bool object = json_is_object(value), first = true;
	const char *key;
	json_t *item;
	size_t i;

	if (look->one_line || (!object && (!json_is_array(value) || is_flat(value))) ||
	    (object && json_object_size(value) == 0)) {
		write_short(out, value, look->tight);
		return;
	}
	buf_add_char(out, object ? '{' : '[');
	if (object) {
		json_object_foreach((json_t *)(uintptr_t)value, key, item)
		{
			buf_printf(out, "%s%s%s", first ? "" : ",", look->eol, inner);
			write_key(out, key, look);
			write_value(out, item, look, inner);
			first = false;
		}
	}
	json_array_foreach(value, i, item)
	{
		buf_printf(out, "%s%s%s", i ? "," : "", look->eol, inner);
		write_value(out, item, look, inner);
	}
	buf_printf(out, "%s%s%c", look->eol, indent, object ? '}' : ']');
}

static void write_item(struct buf *out, const char *key, const json_t *value,
		       const struct look *look, const char *indent)
{
	if (key)
		write_key(out, key, look);
	write_value(out, value, look, indent);
}

/* Coming in */

static void put(struct draft *d, size_t at, const char *text)
{
	draft_replace(d, at, 0, text, strlen(text));
}

/* Into brackets with nothing but space and comments between them. */
static void insert_first(struct draft *d, const struct jsonc_node *in, const char *key,
			 const json_t *value, const struct look *look)
{
	AUTO(free) char *outer = indent_at(&d->text, in->begin);
	AUTO(free) char *inner = mem_printf("%s%s", outer, look->unit);
	size_t at = look->one_line ? in->begin + 1 : skip_remarks(&d->text, in->begin + 1);
	AUTO_BUF struct buf out = {0};

	if (!look->one_line)
		buf_printf(&out, "%s%s", look->eol, inner);
	write_item(&out, key, value, look, inner);
	if (!look->one_line && !memchr(d->text.data + at, '\n', in->end - at))
		buf_printf(&out, "%s%s", look->eol, outer);
	put(d, at, buf_text(&out));
}

static void insert_last(struct draft *d, const struct jsonc_node *in, const char *key,
			const json_t *value, const struct look *look)
{
	const struct jsonc_node *last = in->items[in->count - 1];
	bool lines = begins_line(&d->text, last->start);
	bool comma = last->comma != JSONC_NOWHERE;
	size_t behind = comma ? last->comma + 1 : last->end, at = behind;
	AUTO(free) char *indent = indent_at(&d->text, last->start);
	struct look own = *look;
	AUTO_BUF struct buf out = {0};

	own.one_line = !lines;
	if (lines) {
		at = skip_remarks(&d->text, behind);
		buf_printf(&out, "%s%s", look->eol, indent);
	} else if (!look->tight) {
		buf_add_char(&out, ' ');
	}
	write_item(&out, key, value, &own, indent);
	if (comma)
		buf_add_char(&out, ',');
	put(d, at, buf_text(&out));
	if (!comma)
		put(d, last->end, ",");
}

static void insert(struct draft *d, const struct jsonc_node *in, const char *key,
		   const json_t *value, const struct look *look)
{
	if (in->count)
		insert_last(d, in, key, value, look);
	else
		insert_first(d, in, key, value, look);
}

/* Net */

static json_t *normal(const json_t *value)
{
	AUTO(free) char *text = json_text(value);
	AUTO(jsonc_free) struct jsonc_node *n = NULL;
	struct error err = {0};

	return jsonc_parse(text, strlen(text), &n, &err) < 0 || !n ? json_null() : jsonc_value(n);
}

/* The text says what is expected, or is again what it was after `count` steps. */
static int check(struct draft *d, size_t count, const json_t *expected, struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	AUTO(json_decref) json_t *value = NULL;
	struct error ignored = {0};

	if (jsonc_parse(buf_text(&d->text), d->text.len, &root, &ignored) == 0 && root)
		value = jsonc_value(root);
	if (value && json_equal(value, expected))
		return 0;
	draft_rewind(d, count);
	error_set(err, ERR_INVALID, "it is written in a way that is not understood here");
	return error_hint(err, "edit it by hand");
}

/* The value of a node inside the value of the root; borrowed. */
static bool locate(const struct jsonc_node *n, json_t *value, const struct jsonc_node *what,
		   json_t **ret)
{
	if (n == what) {
		*ret = value;
		return true;
	}
	/* Only where it can be: keys that are there twice are refused before. */
	for (size_t i = 0; i < n->count; i++) {
		const struct jsonc_node *item = n->items[i];
		json_t *inner = n->kind == JSONC_OBJECT
					? json_object_getn(value, item->key, item->key_len)
					: json_array_get(value, i);

		if (item->begin <= what->begin && what->end <= item->end)
			return locate(item, inner, what, ret);
	}
	return false;
}

/* Paths */

static int in_the_way(struct error *err, const char *key, const char *what)
{
	error_set(err, ERR_CONFLICT, "'%s' %s", key, what);
	return error_hint(err, "change that by hand, then try again");
}

static int get_once(const struct jsonc_node *in, const char *key, struct jsonc_node **ret,
		    struct error *err)
{
	size_t seen = 0, len = strlen(key);

	for (size_t i = 0; i < in->count; i++)
		seen += in->items[i]->key_len == len && memcmp(in->items[i]->key, key, len) == 0;
	if (seen > 1)
		return in_the_way(err, key, "is there twice");
	*ret = jsonc_get(in, key);
	return 0;
}

/* A root is there, an object. */
static int get_root(struct draft *d, struct jsonc_node **ret, struct error *err)
{
	struct look look;
	AUTO_BUF struct buf out = {0};
	int r = jsonc_parse(buf_text(&d->text), d->text.len, ret, err);

	if (r < 0)
		return r;
	if (*ret) {
		if ((*ret)->kind == JSONC_OBJECT)
			return 0;
		jsonc_free(steal_ptr(ret));
		error_set(err, ERR_CONFLICT, "it is not an object");
		return error_hint(err, "it has to begin with '{'");
	}
	look = look_at(&d->text, NULL);
	if (!begins_line(&d->text, d->text.len))
		buf_add_str(&out, look.eol);
	buf_printf(&out, "{}%s", look.eol);
	put(d, d->text.len, buf_text(&out));
	return jsonc_parse(buf_text(&d->text), d->text.len, ret, err);
}

/* What is still missing of a path, around the value. */
static json_t *wrap(const char *const *missing, json_t *value)
{
	json_t *outer;

	if (!*missing)
		return value;
	outer = json_object();
	json_put(outer, *missing, wrap(missing + 1, value));
	return outer;
}

/* `path` leads to where `value` is to be: the array's end, or the member itself. */
static int come_in(struct draft *d, const char *const *path, json_t *value, bool array,
		   struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	AUTO(json_decref) json_t *stolen = value, *expected = NULL, *new = NULL;
	size_t count = d->count;
	struct jsonc_node *n, *next = NULL;
	struct look look;
	const char *key = NULL;
	json_t *at = NULL;
	int r = get_root(d, &root, err);

	for (n = root; r == 0 && *path; n = next, path++) {
		if (n->kind != JSONC_OBJECT)
			r = in_the_way(err, n->key, "is not an object");
		else
			r = get_once(n, *path, &next, err);
		if (r < 0 || !next)
			break;
	}
	if (r == 0 && !*path && (!array || n->kind != JSONC_ARRAY))
		r = in_the_way(err, n->key ? n->key : "it",
			       array ? "is not a list" : "is there already");
	if (r < 0) {
		draft_rewind(d, count);
		return r;
	}
	key = *path;
	if (key && array)
		stolen = json_pack("[o]", stolen);
	if (key)
		stolen = wrap(path + 1, stolen);
	look = look_at(&d->text, root);
	expected = jsonc_value(root);
	new = normal(stolen);
	if (locate(root, expected, n, &at) && key)
		json_object_set(at, key, new);
	else
		json_array_append(at, new);
	insert(d, n, key, stolen, &look);
	return check(d, count, expected, err);
}

int jsonc_add(struct draft *d, const char *const *path, const json_t *value, struct error *err)
{
	return come_in(d, path, json_deep_copy(value), false, err);
}

int jsonc_append(struct draft *d, const char *const *path, const json_t *value, struct error *err)
{
	return come_in(d, path, json_deep_copy(value), true, err);
}

/* Changing, going */

int jsonc_replace(struct draft *d, const struct jsonc_node *n, const json_t *value,
		  struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL, *now = NULL;
	AUTO(free) char *indent = indent_at(&d->text, n->start);
	AUTO_BUF struct buf out = {0};
	struct look look;
	size_t count = d->count;
	int r = jsonc_parse(buf_text(&d->text), d->text.len, &root, err);

	if (r < 0)
		return r;
	look = look_at(&d->text, root);
	look.one_line = look.one_line || !begins_line(&d->text, n->start);
	write_value(&out, value, &look, indent);
	draft_replace(d, n->begin, n->end - n->begin, buf_text(&out), out.len);
	/* A value in the place of another, between the same bytes: it only has to be whole. */
	r = jsonc_parse(buf_text(&d->text), d->text.len, &now, err);
	if (r < 0)
		draft_rewind(d, count);
	return r;
}

/* The line end and the space before an item, or only the space where it shares a line. */
static size_t space_before(const struct buf *text, size_t at)
{
	size_t i = at;

	while (i > 0 && is_blank(text->data[i - 1]))
		i--;
	if (i > 0 && text->data[i - 1] == '\n') {
		i--;
		if (i > 0 && text->data[i - 1] == '\r')
			i--;
	}
	return i;
}

/* Nothing between brackets but space: they close up. */
static void close_up(struct draft *d, size_t open)
{
	size_t end = open + 1;

	while (end < d->text.len && strchr(" \t\r\n", d->text.data[end]))
		end++;
	if (end < d->text.len && strchr("]}", d->text.data[end]) && end > open + 1)
		draft_replace(d, open + 1, end - open - 1, "", 0);
}

/* `space`: the line end before it goes as well, unless that is what ends a comment. */
static void go(struct draft *d, const struct jsonc_node *in, size_t i, bool space)
{
	const struct jsonc_node *item = in->items[i];
	size_t from = space ? space_before(&d->text, item->start) : item->start;
	size_t comma = item->comma;

	/* In one line the first one has no space of its own before it, but the next one has. */
	if (i == 0 && in->count > 1 && !begins_line(&d->text, item->start)) {
		size_t to = comma + 1;

		while (to < in->items[1]->start && is_blank(d->text.data[to]))
			to++;
		draft_replace(d, comma, to - comma, "", 0);
		from = item->start;
	} else if (comma != JSONC_NOWHERE) {
		draft_replace(d, comma, 1, "", 0);
	}
	draft_replace(d, from, item->end - from, "", 0);
	if (comma == JSONC_NOWHERE && i > 0)
		draft_replace(d, in->items[i - 1]->comma, 1, "", 0);
	if (in->count == 1)
		close_up(d, in->begin);
}

int jsonc_remove(struct draft *d, const struct jsonc_node *in, size_t i, struct error *err)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	AUTO(json_decref) json_t *expected = NULL;
	const struct jsonc_node *item = in->items[i];
	struct jsonc_node *same = NULL;
	size_t count = d->count;
	json_t *at = NULL;
	int r = jsonc_parse(buf_text(&d->text), d->text.len, &root, err);

	if (r < 0 || (item->key && (r = get_once(in, item->key, &same, err)) < 0))
		return r;
	expected = jsonc_value(root);
	/* `in` is of another tree of this text: found by its place. */
	for (same = root; same && same->begin != in->begin;) {
		struct jsonc_node *next = NULL;

		for (size_t k = 0; k < same->count && !next; k++)
			if (same->items[k]->begin <= in->begin && in->end <= same->items[k]->end)
				next = same->items[k];
		same = next;
	}
	if (!same || !locate(root, expected, same, &at))
		return error_set(err, ERR_INVALID, "it is not the text that was read");
	if (in->kind == JSONC_OBJECT)
		json_object_deln(at, item->key, item->key_len);
	else
		json_array_remove(at, i);
	go(d, in, i, true);
	if (check(d, count, expected, err) == 0)
		return 0;
	go(d, in, i, false);
	return check(d, count, expected, err);
}
