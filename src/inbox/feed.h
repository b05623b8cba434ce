#pragma once
/* The threads as fzf gets them: what feed.c (their lines) and fzf.c (the way there) share. */
#include "inbox/inbox.h"

/* What makes a line of a list fit what is typed: the list and the filter must agree on it. */
#define FEED_ARGS                                                                                  \
	"--ansi", "--delimiter=\t", "--with-nth=2..", "--nth=1,3", "--tabstop=1", "--exact",       \
		"--header-lines=2", "--no-sort", "--no-tac"

struct feed {
	const struct cli *c;
	char *folder;	  /* of the two pipes */
	int told;	  /* what fzf tells us; read and write, so that it never ends */
	int rows;	  /* the pipe the next reload waits at, held open */
	bool asked;	  /* Ctrl-R: a list is wanted, also one without news */
	char at[32];	  /* the thread under the cursor */
	char query[200];  /* what is typed */
	char *note;	  /* what was done last, above the list; NULL: nothing */
	json_t *look;	  /* the newest threads when we looked last */
	json_t *all;	  /* all of them, newest first; questions before */
	char **shown;	  /* ids of the lines that fit what is typed, in their order */
	struct buf lines; /* the list that fzf has, or will have as soon as it asks for one */
	bool fresh;	  /* it does not have it yet */
	usec_t looked;
	usec_t heard; /* when the person did something last */
	bool follows; /* it is new enough to be kept up to date */
	bool chained; /* a reload waits at all times; else only after a key that changes something */
	bool placed;  /* the cursor is where it is to begin: what keys say is meant */
	bool again;   /* it was ended to be begun anew, with the news */
	char sure[32];	  /* said twice, this one is put away with its questions */
	json_t *put_away; /* threads, the last at the end */
};

/* Ask again. What is new becomes lines, and `fresh`; the thread under the cursor keeps its line. */
int feed_look(struct feed *f, struct error *err);
/* What is typed may have changed: which lines fit it now. */
void feed_see(struct feed *f);
/* Another note, and the lines anew. NULL takes it away. */
void feed_note(struct feed *f, const char *note);
/* The thread as it is in the list, or NULL; borrowed. */
const json_t *feed_thread(const struct feed *f, const char *id);
/*
 * Where the cursor belongs in `now`, which ends with NULL: at thread `id`, else at the nearest that was
 * below it `before`, else above. NULL when none of them is there.
 */
const char *feed_place(char *const *before, const char *id, char *const *now);
/* This one is the first line, for a list whose cursor begins there. */
void feed_lead(struct feed *f, const char *id);
/* Which of them it is; their count where it is none. `ids` may be NULL. */
size_t feed_index(char *const *ids, const char *id);
void feed_fini(struct feed *f); /* all but the pipes */
