#pragma once
/*
 * Choosing one of a list by typing a part of it. The picker itself knows no terminal: keys in,
 * lines out. pick() gives it one, or fzf where that works, or plain numbers where lines are all
 * there is.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "terminal/style.h"

struct pick_item {
	const char *name;
	const char *about; /* shown beside it; NULL: nothing */
};

enum pick_state { PICK_OPEN, PICK_CHOSEN, PICK_CANCELLED };

struct picker {
	const struct pick_item *items;
	size_t count;
	struct buf filter;
	size_t *matches; /* indices of those that fit, best first */
	size_t match_count;
	size_t at; /* the one that Enter chooses */
};
void picker_init(struct picker *p, const struct pick_item *items, size_t count);
void picker_fini(struct picker *p);
enum pick_state picker_key(struct picker *p, int key);
void picker_paste(struct picker *p, const char *text); /* its first line */
/* Lines "> filter" and up to `rows` matches, each at most style->width wide. */
void picker_draw(const struct picker *p, const struct style *style, const char *title, size_t rows,
		 struct buf *out);
/* How well a name fits what was typed: its characters in this order; -1 when it does not. */
int pick_score(const char *filter, const char *name);

/* Returns 0 and sets *ret, or ASK_CANCELLED. There is at least one item. */
int pick(const char *title, const struct pick_item *items, size_t count, size_t *ret);
