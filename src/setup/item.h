#pragma once
/* One thing of a plan in one text: whether it is there, putting it in, taking it out. */
#include "setup/client.h"
#include "setup/draft.h"

enum item_state {
	STATE_ABSENT,
	STATE_SAME,    /* as it should be */
	STATE_OURS,    /* Belfry's, of another place */
	STATE_FOREIGN, /* something else is where it should be */
	STATE_NEEDLESS,
};
/* What the text says about the member at `path`, by its name or by a pattern: "allow", "ask", "deny". The caller
 * frees. NULL: nothing. */
char *item_word(const char *const *path, const struct buf *text);
int item_look(const struct plan *p, const struct item *i, const struct buf *text,
	      enum item_state *ret, struct error *err);
/* Put in, or brought up to date. A foreign one is replaced. */
int item_put(const struct plan *p, const struct item *i, struct draft *d, struct error *err);
/*
 * Taken out, if it is Belfry's. Containers that have nothing in them then go as well: those that `made`
 * (a list of "outer" and "outer.inner") names, or any when it is NULL.
 */
int item_take(const struct plan *p, const struct item *i, const json_t *made, struct draft *d,
	      struct error *err);
/* Which containers on its path are not there: appended to `made`. */
void item_missing(const struct item *i, const struct buf *text, json_t *made);
