#pragma once
/* One thread on the screen: what thread.c, thread-load.c, thread-draw.c and thread-act.c share. */
#include "inbox/parts.h"

/* A message and its lines, which are made when they are needed first and again for a new width. */
struct piece {
	json_t *message;
	int64_t seq;
	struct buf text;
	size_t lines, width; /* width 0: not made yet */
	size_t head;	     /* the line of it that says who and when */
	size_t first;	     /* the line of the thread it begins with */
};

/*
 * Of a long thread a window is loaded: pieces without a hole, older and newer ones when one comes
 * near them.
 */
struct reading {
	struct face *f;
	const char *id;
	json_t *thread; /* as the daemon told it last */
	struct piece *pieces;
	size_t count;
	bool older; /* there may be some before the window */
	struct scroll scroll;
	int64_t top_seq; /* the place: a message, and how many lines of it are above the screen */
	size_t top_offset;
	size_t at;	    /* the piece that is the current one */
	int64_t fresh_from; /* the first that was unread when it was opened; 0: none was */
	int64_t seen;	    /* the newest one that was on the screen */
	bool lost;	    /* there is no such thread any more */
	usec_t place;	    /* among threads, newest first: when it was opened */
	char *next;	    /* the thread that is read next; NULL: back */
};
void reading_fini(struct reading *r);
int64_t reading_total(const struct reading *r); /* the number of the thread's last message */
struct piece *reading_piece(const struct reading *r, int64_t seq); /* NULL: it is not loaded */

/* The window around a message, or around the first unread one (0). False: noted why not. */
bool reading_open(struct reading *r, int64_t seq);
/* Look whether something is new, and take it in. */
void reading_refresh(struct reading *r);
void reading_load_older(struct reading *r);
void reading_load_newer(struct reading *r);
void reading_load_ends(struct reading *r, bool newest); /* a window at the end, or the beginning */
/* Everything that is loaded was read. */
void reading_mark(struct reading *r);

/* Give every piece its lines for the width, and find the place again: the message at the top. */
void reading_layout(struct reading *r);
void reading_keep_place(struct reading *r); /* after it was scrolled */
void reading_draw(struct reading *r);
extern const struct face_hint thread_hints[];

/* What a person does with it. */
void reading_reply(struct reading *r, bool all); /* all: each open question, not just this one */
/* The next message that waits for an answer becomes the current one; false: none does. */
bool reading_next_question(struct reading *r);
void reading_attach(struct reading *r);
void reading_page(struct reading *r); /* the current message in the pager */
