#pragma once
/* What the files of edit.h share: changes of a text, and values as YAML writes them. */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "config/edit.h"
#include "config/yaml.h"

/* Changes of one text, each of bytes that no other one touches; made all at once. */
#define PATCH_MAX 8
struct splice {
	size_t at, cut;
	struct buf put;
};
struct patch {
	const char *text;
	size_t len;
	const char *eol;		  /* the text's own line end */
	struct splice splices[PATCH_MAX]; /* by place; the last one catches what is out of bounds */
	size_t count;
	bool bad;
};
void patch_init(struct patch *p, const char *text, size_t len);
void patch_fini(struct patch *p);
#define AUTO_PATCH __attribute__((cleanup(patch_fini)))
/*
 * Cut bytes, and a buffer for what stands there instead, good until the next call. Several at one
 * place stay in order.
 */
struct buf *patch_cut(struct patch *p, size_t at, size_t cut);
/* A buffer for whole lines at the begin of a line, or at the end of the text, which may lack one. */
struct buf *patch_lines(struct patch *p, size_t at);
/* False when two changes touch the same bytes, or bytes that are not there. */
bool patch_apply(const struct patch *p, struct buf *ret);

/* Lines of a text: where the one of a byte begins, and where the next one does. */
size_t line_begin(const struct patch *p, size_t at);
size_t edit_next_line(const struct patch *p, size_t at);
/* Spaces before the first sign of a line; *ret_first is that sign, '\n' of a blank line. */
size_t line_indent(const struct patch *p, size_t line, char *ret_first);

/* How values are written. */
struct writing {
	const char *eol;
	bool flow;	     /* inside brackets */
	bool quotes;	     /* double quotes in any case */
	size_t indent, step; /* columns of the keys, and of what belongs to them */
};
/* A text in one line where it can be: plain or in double quotes. */
void write_text(struct buf *out, const char *text, const struct writing *w);
/* A setting's value: *head follows "key: ", and *body is the lines after that one. */
void write_value(const struct edit_setting *setting, const struct writing *w, struct buf *head,
		 struct buf *body);

/* What is asked for: SET has one setting. */
enum edit_what { EDIT_ADD, EDIT_SET, EDIT_REMOVE };
struct edit_section {
	const char *key, *noun; /* "crons", "cron" */
};
struct edit_wish {
	const struct edit_section *section;
	enum edit_what what;
	const char *name;
	const struct edit_setting *settings;
	size_t count;
};
/* Where the pair of a key is in a mapping, and whether there is one; NULL and others have none. */
size_t edit_find(const struct yaml_node *map, const char *name);
bool edit_has(const struct yaml_node *map, size_t at);
bool edit_is_right(const struct yaml_node *old, const struct yaml_node *new,
		   const struct edit_wish *wish);
