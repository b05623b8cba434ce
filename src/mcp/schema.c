/*
 * schema.c: the arguments of a row and its answer as JSON Schema, for the client that checks them and the
 * model that reads them. What a time or an agent is, is read by the request itself: here it is a string.
 */
#include <string.h>

#include "base/mem.h"
#include "mcp/parts.h"

/* "start-deadline" is the key "start_deadline". */
static char *key_of(const struct request_arg *arg)
{
	char *key = mem_strdup(arg->name);

	for (char *p = key; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return key;
}

static json_t *words_of(const char *choices)
{
	json_t *words = json_array();

	for (const char *p = choices; *p;) {
		size_t len = strcspn(p, " ");

		if (len)
			json_array_append_new(words, json_stringn(p, len));
		p += len + (p[len] == ' ');
	}
	return words;
}

static const char *type_of(enum request_arg_type type)
{
	switch (type) {
	case ARG_FLAG:
		return "boolean";
	case ARG_INT:
		return "integer";
	case ARG_FILES:
		return "array";
	default:
		return "string";
	}
}

/* "a, b", or ["a", "b"]: models write either. */
static void put_list_types(json_t *p)
{
	json_put(p, "anyOf",
		 json_pack("[{s:s},{s:s,s:{s:s}}]", "type", "string", "type", "array", "items",
			   "type", "string"));
}

static json_t *property_of(const struct request_arg *arg)
{
	json_t *p = json_object();

	/* Without help it is checked by the request alone, and may be anything. */
	if (!arg->help)
		return p;
	if (arg->type == ARG_LIST)
		put_list_types(p);
	else
		json_put_text(p, "type", type_of(arg->type));
	json_put_text(p, "description", arg->help);
	if (arg->type == ARG_CHOICE)
		json_put(p, "enum", words_of(arg->choices));
	if (arg->type == ARG_FILES)
		json_put(p, "items", json_pack("{s:s}", "type", "string"));
	return p;
}

json_t *schema_of(const struct request_row *row)
{
	json_t *schema = json_object(), *properties = json_object(), *required = json_array();

	for (const struct request_arg *arg = row->args; arg->name; arg++) {
		AUTO(free) char *key = NULL;

		if (arg->for_people)
			continue;
		key = key_of(arg);
		json_put(properties, key, property_of(arg));
		if (arg->required)
			json_array_append_new(required, json_string(key));
	}
	json_put_text(schema, "type", "object");
	json_put(schema, "properties", properties);
	if (json_array_size(required))
		json_put(schema, "required", required);
	else
		json_decref(required);
	json_put_bool(schema, "additionalProperties", false);
	return schema;
}

json_t *schema_of_answer(const struct request_tool *tool)
{
	json_t *schema = NULL, *properties, *required;
	struct error err = {0};

	if (!tool->output || json_parse(tool->output, strlen(tool->output), &schema, &err) < 0)
		return NULL;
	properties = json_object_get(schema, "properties");
	if (json_object_get(properties, "summary"))
		return schema;
	json_put(properties, "summary",
		 json_pack("{s:s,s:s}", "type", "string", "description",
			   "the same in words; what is long is cut here"));
	required = json_object_get(schema, "required");
	if (!required)
		json_put(schema, "required", required = json_array());
	json_array_append_new(required, json_string("summary"));
	return schema;
}
