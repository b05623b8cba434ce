/* json.c: jansson with our errors, and setters that cannot fail quietly. */
#include "base/json.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

int json_parse(const char *text, size_t len, json_t **ret, struct error *err)
{
	json_error_t why;
	json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);

	if (!value)
		return error_set(err, ERR_INVALID, "bad JSON at line %d, column %d: %s", why.line,
				 why.column, why.text);
	*ret = value;
	return 0;
}

static int add_piece(const char *piece, size_t len, void *data)
{
	buf_add(data, piece, len);
	return 0;
}

/* Straight into the buffer: json_dumps() would copy a page of a list twice more. */
void json_add(const json_t *value, struct buf *out)
{
	int rc = json_dump_callback(value, add_piece, out, JSON_COMPACT | JSON_ENCODE_ANY);

	assert(rc == 0);
	(void)rc;
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
