#pragma once
/*
 * A struct and a JSON object, by one table: what is written is what is read and what is freed, so a
 * field cannot be forgotten on one of the ways. Every field of the table is a key of the object,
 * null when there is nothing; a missing key (unless it is new) and an unknown one are errors that
 * name it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json.h"

enum field_type {
	FIELD_TEXT,	/* char *, never NULL */
	FIELD_TEXT_OPT, /* char * or NULL */
	FIELD_CHARS,	/* char [size] */
	FIELD_LIST,	/* char **, ends with NULL; NULL: none. An empty one is none */
	FIELD_BOOL,	/* bool */
	FIELD_INT,	/* int, from `least` to INT_MAX */
	FIELD_INT64,	/* int64_t, from `least` */
	FIELD_INSTANT,	/* usec_t; USEC_NONE is null */
	FIELD_WORD,	/* an enum, as one of `words` */
	FIELD_OBJECT,	/* a struct of its own, never NULL: `fields`, `size` */
	FIELD_OBJECT_OPT,
};

struct field {
	const char *name; /* NULL ends the table */
	enum field_type type;
	size_t offset;
	int64_t least;
	size_t size;
	const char *const *words; /* ends with NULL */
	const struct field *fields;
	bool is_new; /* who wrote it may be older than the field: then it is as if it were zero */
};

json_t *fields_write(const struct field *table, const void *from); /* a new object */

/* `to` is zeroed memory. On failure nothing is left in it. */
int fields_read(const struct field *table, const json_t *object, void *to, struct error *err);
void fields_fini(const struct field *table, void *of);
