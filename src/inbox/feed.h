#pragma once
/* The threads as fzf gets them: what feed.c (their lines) and fzf.c (the way there) share. */
#include "inbox/inbox.h"

struct feed {
	const struct cli *c;
	char *folder;	  /* of the two pipes */
	int told;	  /* what fzf tells us; read and write, so that it never ends */
	int rows;	  /* the pipe the next reload waits at, held open */
	bool asked;	  /* Ctrl-R: a list is wanted, also one without news */
	char at[32];	  /* the thread under the cursor */
	json_t *look;	  /* the newest threads when we looked last */
	char **ids;	  /* of the lines fzf has, in their order */
	struct buf lines; /* the list that fzf has, or will have as soon as it asks for one */
	bool fresh;	  /* it does not have it yet */
	usec_t looked;
};

/* Ask again. What is new becomes lines, and `fresh`; the thread under the cursor keeps its line. */
int feed_look(struct feed *f, struct error *err);
/* Which of them it is; their count where it is none. `ids` may be NULL. */
size_t feed_index(char *const *ids, const char *id);
void feed_fini(struct feed *f); /* all but the pipes */
