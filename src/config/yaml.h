#pragma once
/*
 * YAML as a small tree that remembers where everything stood, so that whoever reads it can point at
 * the place. One document, of plain texts, lists and mappings; aliases and merge keys ("<<") are
 * resolved; duplicate keys, tags, control characters and bad UTF-8 are refused here.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/error.h"

enum yaml_kind { YAML_EMPTY, YAML_TEXT, YAML_LIST, YAML_MAP };
enum yaml_style {
	YAML_PLAIN,
	YAML_QUOTED,
	YAML_BLOCK, /* a text after '|' or '>'; a list or mapping by indentation */
	YAML_FLOW,  /* a list or mapping in brackets */
};

struct yaml_node {
	enum yaml_kind kind;
	enum yaml_style style;
	bool anchored; /* it has a name that aliases may refer to */
	bool merged;   /* a mapping that had "<<" */
	/*
	 * Its bytes in the text, brackets and quotes included. A text after '|' or '>' begins with
	 * that sign and ends behind its last line. Both 0: nothing is written there.
	 */
	size_t begin, end;
	int line, column;	  /* from 1, in characters */
	char *text;		  /* YAML_TEXT */
	struct yaml_node **items; /* a list's items; a mapping's key, value, key, value, … */
	size_t count;		  /* of `items`: twice the keys of a mapping */
	size_t room;		  /* of `items`, while the tree is built */
};

struct yaml;

/*
 * Parse a whole text. Failure: ERR_INVALID, its message begins "PATH:LINE:COLUMN: ", and nothing
 * is printed. Nothing but comments gives a root of YAML_EMPTY.
 */
int yaml_parse(const char *text, size_t len, const char *path, struct yaml **ret,
	       struct error *err);
const struct yaml_node *yaml_root(const struct yaml *y);
void yaml_free(struct yaml *y);
DEFINE_AUTO(struct yaml, yaml_free)
