#pragma once
/*
 * JSON as people write it into settings: comments, trailing commas and a byte order mark are fine. A tree
 * that remembers where everything stood, and changes of the text that touch nothing else.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/json.h"
#include "setup/draft.h"

#define JSONC_DEPTH_MAX 200
#define JSONC_NOWHERE ((size_t)-1)

enum jsonc_kind { JSONC_OBJECT, JSONC_ARRAY, JSONC_STRING, JSONC_OTHER };
struct jsonc_node {
	enum jsonc_kind kind;
	size_t start;	   /* of its key, in an object; else of itself */
	size_t begin, end; /* of the value */
	size_t comma;	   /* behind it; JSONC_NOWHERE: none */
	char *key;	   /* decoded; NULL: not in an object */
	char *text;	   /* JSONC_STRING: decoded; JSONC_OTHER: as written */
	size_t key_len, text_len;
	struct jsonc_node **items;
	size_t count, room;
};

/* The whole text. NULL and 0: there is nothing in it. ERR_INVALID: "line 3, column 5: …". */
int jsonc_parse(const char *text, size_t len, struct jsonc_node **ret, struct error *err);
void jsonc_free(struct jsonc_node *n);
DEFINE_AUTO(struct jsonc_node, jsonc_free)

/* The member of an object; NULL: there is none. */
struct jsonc_node *jsonc_get(const struct jsonc_node *object, const char *key);
/* Whether it is that string. */
bool jsonc_is(const struct jsonc_node *n, const char *text);
/* Its value. Numbers and words are told as written; of a key that is there twice both are. */
json_t *jsonc_value(const struct jsonc_node *n);

/*
 * Changes of a draft. A path is keys from the root, ending with NULL; objects on it that are missing are
 * made. What stands in the way (a path through something else than an object, a key that is there
 * twice) is ERR_CONFLICT. After each the text is parsed again, and says what it should.
 */
/* A member that is not there yet. */
int jsonc_add(struct draft *d, const char *const *path, const json_t *value, struct error *err);
/* An item at the end of the array at `path`, which is made when it is missing. */
int jsonc_append(struct draft *d, const char *const *path, const json_t *value, struct error *err);
/* The value of a node of jsonc_parse() of this very text becomes another. */
int jsonc_replace(struct draft *d, const struct jsonc_node *n, const json_t *value,
		  struct error *err);
/* Item `i` of an object or an array of this very text goes. */
int jsonc_remove(struct draft *d, const struct jsonc_node *in, size_t i, struct error *err);
