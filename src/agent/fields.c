/* fields.c: structs to JSON and back by a table. */
#include "agent/fields.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *write_list(char *const *list)
{
	json_t *array;

	if (!list)
		return json_null();
	array = json_array();
	for (; *list; list++)
		json_array_append_new(array, json_string(*list));
	return array;
}

static json_t *write_field(const struct field *f, const void *at)
{
	const void *object;

	switch (f->type) {
	case FIELD_TEXT:
	case FIELD_TEXT_OPT:
		return text_or_null(*(char *const *)at);
	case FIELD_CHARS:
		return json_string(at);
	case FIELD_LIST:
		return write_list(*(char **const *)at);
	case FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case FIELD_INT:
		return json_integer(*(const int *)at);
	case FIELD_INT64:
		return json_integer(*(const int64_t *)at);
	case FIELD_INSTANT:
		return *(const usec_t *)at == USEC_NONE ? json_null()
							: json_integer(*(const usec_t *)at);
	case FIELD_WORD:
		return json_string(f->words[*(const int *)at]);
	case FIELD_OBJECT:
	case FIELD_OBJECT_OPT:
		object = *(void *const *)at;
		return object ? fields_write(f->fields, object) : json_null();
	}
	return NULL;
}

json_t *fields_write(const struct field *table, const void *from)
{
	json_t *object = json_object();

	for (const struct field *f = table; f->name; f++)
		json_put(object, f->name, write_field(f, (const char *)from + f->offset));
	return object;
}

static void free_field(const struct field *f, void *at)
{
	void **slot = at;

	switch (f->type) {
	case FIELD_TEXT:
	case FIELD_TEXT_OPT:
		free(*slot);
		*slot = NULL;
		break;
	case FIELD_LIST:
		mem_free_list(*slot);
		*slot = NULL;
		break;
	case FIELD_OBJECT:
	case FIELD_OBJECT_OPT:
		if (*slot)
			fields_fini(f->fields, *slot);
		free(*slot);
		*slot = NULL;
		break;
	default:
		break;
	}
}

void fields_fini(const struct field *table, void *of)
{
	for (const struct field *f = table; f->name; f++)
		free_field(f, (char *)of + f->offset);
}

static int wrong(const struct field *f, const char *want, struct error *err)
{
	return error_set(err, ERR_INVALID, "'%s' must be %s", f->name, want);
}

static int read_list(const struct field *f, const json_t *value, char ***ret, struct error *err)
{
	size_t count = json_array_size(value), i;
	const json_t *one;

	if (!json_is_array(value))
		return wrong(f, "a list of texts", err);
	json_array_foreach(value, i,
			   one) if (!json_is_string(one)) return wrong(f, "a list of texts", err);
	if (count == 0)
		return 0;
	*ret = mem_array(count + 1, sizeof(**ret));
	json_array_foreach(value, i, one)(*ret)[i] = mem_strdup(json_string_value(one));
	return 0;
}

static int read_number(const struct field *f, const json_t *value, int64_t *ret, struct error *err)
{
	bool whole = json_is_integer(value);

	if (whole && json_integer_value(value) < f->least)
		return error_set(err, ERR_INVALID, "'%s' must be at least %" PRId64, f->name,
				 f->least);
	if (!whole || (f->type == FIELD_INT && json_integer_value(value) > INT_MAX))
		return wrong(f, "a whole number", err);
	*ret = json_integer_value(value);
	return 0;
}

static int read_chars(const struct field *f, const json_t *value, char *ret, struct error *err)
{
	if (!json_is_string(value) || json_string_length(value) >= f->size)
		return wrong(f, "a short text", err);
	memcpy(ret, json_string_value(value), json_string_length(value) + 1);
	return 0;
}

static int read_word(const struct field *f, const json_t *value, int *ret, struct error *err)
{
	const char *word = json_string_value(value);

	for (int i = 0; word && f->words[i]; i++) {
		if (strcmp(f->words[i], word) == 0) {
			*ret = i;
			return 0;
		}
	}
	return wrong(f, "one of its words", err);
}

static int read_object(const struct field *f, const json_t *value, void **ret, struct error *err)
{
	void *object;
	int r;

	if (!json_is_object(value))
		return wrong(f, "an object", err);
	object = mem_zalloc(f->size);
	r = fields_read(f->fields, value, object, err);
	if (r < 0) {
		free(object);
		return error_prefix(err, "'%s'", f->name);
	}
	*ret = object;
	return 0;
}

static int read_field(const struct field *f, const json_t *value, void *at, struct error *err)
{
	int64_t number;
	int r;

	switch (f->type) {
	case FIELD_TEXT:
	case FIELD_TEXT_OPT:
		if (!json_is_string(value))
			return wrong(f, "a text", err);
		*(char **)at = mem_strndup(json_string_value(value), json_string_length(value));
		return 0;
	case FIELD_CHARS:
		return read_chars(f, value, at, err);
	case FIELD_LIST:
		return read_list(f, value, at, err);
	case FIELD_BOOL:
		if (!json_is_boolean(value))
			return wrong(f, "true or false", err);
		*(bool *)at = json_is_true(value);
		return 0;
	case FIELD_INT:
		r = read_number(f, value, &number, err);
		if (r == 0)
			*(int *)at = (int)number;
		return r;
	case FIELD_INT64:
	case FIELD_INSTANT:
		return read_number(f, value, at, err);
	case FIELD_WORD:
		return read_word(f, value, at, err);
	case FIELD_OBJECT:
	case FIELD_OBJECT_OPT:
		return read_object(f, value, at, err);
	}
	return wrong(f, "of a known type", err);
}

/* null stands for "nothing" where nothing is allowed. */
static bool may_be_null(const struct field *f)
{
	return f->type == FIELD_TEXT_OPT || f->type == FIELD_LIST || f->type == FIELD_INSTANT ||
	       f->type == FIELD_OBJECT_OPT;
}

static int read_all(const struct field *table, const json_t *object, void *to, struct error *err)
{
	for (const struct field *f = table; f->name; f++) {
		const json_t *value = json_object_get(object, f->name);
		void *at = (char *)to + f->offset;
		int r = 0;

		if (!value && f->is_new)
			continue;
		if (!value)
			return error_set(err, ERR_INVALID, "'%s' is missing", f->name);
		if (!json_is_null(value) || !may_be_null(f))
			r = read_field(f, value, at, err);
		else if (f->type == FIELD_INSTANT)
			*(usec_t *)at = USEC_NONE;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Only asked when the object has more keys than the table, so that the search is short. */
static int name_unknown(const struct field *table, const json_t *object, struct error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		const struct field *f = table;

		while (f->name && strcmp(f->name, key) != 0)
			f++;
		if (!f->name)
			return error_set(err, ERR_INVALID, "unknown field '%.100s'", key);
	}
	return 0;
}

int fields_read(const struct field *table, const json_t *object, void *to, struct error *err)
{
	size_t count = 0;
	int r;

	if (!json_is_object(object))
		return error_set(err, ERR_INVALID, "an object is wanted");
	r = read_all(table, object, to, err);
	while (table[count].name)
		count++;
	if (r == 0 && json_object_size(object) > count)
		r = name_unknown(table, object, err);
	if (r < 0)
		fields_fini(table, to);
	return r;
}
