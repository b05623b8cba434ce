#pragma once
/*
 * As much of JSON Schema as the outputs of tools use: type, enum, properties, required,
 * additionalProperties, items. A word it does not know fails the test: nothing goes unchecked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/json.h"

static inline bool schema_is(const json_t *value, const char *type)
{
	if (strcmp(type, "object") == 0)
		return json_is_object(value);
	if (strcmp(type, "array") == 0)
		return json_is_array(value);
	if (strcmp(type, "string") == 0)
		return json_is_string(value);
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value);
	if (strcmp(type, "number") == 0)
		return json_is_number(value);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(value);
	if (strcmp(type, "null") == 0)
		return json_is_null(value);
	fail_msg("schema: unknown type '%s'", type);
	return false;
}

static inline bool schema_has_type(const json_t *value, const json_t *type)
{
	size_t i;
	json_t *one;

	if (json_is_string(type))
		return schema_is(value, json_string_value(type));
	json_array_foreach(type, i, one)
	{
		if (schema_is(value, json_string_value(one)))
			return true;
	}
	return false;
}

static inline bool schema_in(const json_t *value, const json_t *list)
{
	size_t i;
	json_t *one;

	json_array_foreach(list, i, one)
	{
		if (json_equal(value, one))
			return true;
	}
	return false;
}

static inline void schema_check(const json_t *schema, const json_t *value, const char *where);

static inline void schema_check_object(const json_t *schema, const json_t *value, const char *where)
{
	json_t *properties = json_object_get(schema, "properties"), *one;
	const char *key;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)value, key, one)
	{
		const json_t *of_key = json_object_get(properties, key);

		if (!of_key)
			fail_msg("schema: '%s' has '%s', which is not in its schema", where, key);
		schema_check(of_key, one, key);
	}
	json_array_foreach(json_object_get(schema, "required"), i, one)
	{
		if (!json_object_get(value, json_string_value(one)))
			fail_msg("schema: '%s' lacks '%s'", where, json_string_value(one));
		if (!json_object_get(properties, json_string_value(one)))
			fail_msg("schema: '%s' requires '%s', which has no property", where,
				 json_string_value(one));
	}
	/* Every answer has all of its keys, so that a reader need not guess. */
	assert_int_equal(json_object_size(properties),
			 json_array_size(json_object_get(schema, "required")));
	assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
}

static inline void schema_check(const json_t *schema, const json_t *value, const char *where)
{
	static const char known[] =
		" type enum properties required additionalProperties items description ";
	const char *key;
	json_t *one;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)schema, key, one)
	{
		if (!strstr(known, key))
			fail_msg("schema: unknown word '%s'", key);
	}
	if (!schema_has_type(value, json_object_get(schema, "type")))
		fail_msg("schema: '%s' is of another type", where);
	if (json_object_get(schema, "enum") && !schema_in(value, json_object_get(schema, "enum")))
		fail_msg("schema: '%s' is none of those there are", where);
	if (json_is_object(value))
		schema_check_object(schema, value, where);
	json_array_foreach(value, i, one)
	{
		schema_check(json_object_get(schema, "items"), one, where);
	}
}
