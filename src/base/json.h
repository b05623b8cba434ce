#pragma once
/*
 * JSON by jansson, with errors in our words. Getters borrow; a missing or null key leaves *ret
 * untouched and answers 0, a value of the wrong type is an error that names the key.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"

DEFINE_AUTO(json_t, json_decref)

/* Parse one whole document; trailing text, duplicate keys, NUL and bad UTF-8 are errors. */
int json_parse(const char *text, size_t len, json_t **ret, struct error *err);

/* Compact text, owned by the caller. */
char *json_text(const json_t *value);
/* The same, at the end of a buffer. */
void json_add(const json_t *value, struct buf *out);
/* For people: a line for each value, two blanks for each around it, and for `depth` more. */
void json_add_indented(const json_t *value, int depth, struct buf *out);

int json_get_text(const json_t *object, const char *key, const char **ret, struct error *err);
int json_get_int(const json_t *object, const char *key, int64_t *ret, struct error *err);
int json_get_bool(const json_t *object, const char *key, bool *ret, struct error *err);

/* Set a key; NULL text sets null. The object is not to be NULL. */
void json_put_text(json_t *object, const char *key, const char *text);
void json_put_int(json_t *object, const char *key, int64_t value);
void json_put_bool(json_t *object, const char *key, bool value);
void json_put(json_t *object, const char *key, json_t *stolen);
