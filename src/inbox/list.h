#pragma once
/* The list of threads: what list.c, list-load.c and list-draw.c share. */
#include "inbox/parts.h"

struct list {
	struct face *f;
	bool archived;	      /* shown is what was put away */
	json_t *asking;	      /* those that wait for an answer, all of them: they come first */
	json_t *threads;      /* all that were loaded, newest first */
	json_t *more;	      /* where the next page begins; NULL: there is none */
	int64_t unread, asks; /* of all threads */
	bool loaded;	      /* at least once */
	json_t **shown;	      /* those that fit the filter; borrowed */
	size_t shown_count;
	struct choice choice;
	bool landed; /* on a question, by the answer to the one before it: no key chose it */
	struct entry filter; /* what is typed */
	bool filtering;	     /* keys go there */
	/* the chosen thread's last messages */
	json_t *peeked, *peeked_of; /* the messages, and the thread as it was when asked */
};
void list_fini(struct list *l);

const json_t *list_chosen(const struct list *l);  /* or NULL */
void list_choose(struct list *l, const char *id); /* if it is there */
/* Ask for the newest page and put it over what is there. The chosen thread stays the chosen one. */
void list_load(struct list *l);
void list_update(struct list *l, const char *id); /* the same, and this one */
void list_load_more(struct list *l);		  /* the page behind, if there is one */
void list_load_all(struct list *l);		  /* as far as it makes sense to filter them */
/* The next that has `key` above 0, behind the chosen one and then from the top; false: none has. */
bool list_choose_next(struct list *l, const char *key);
json_t *list_shown(const struct list *l); /* the threads on the list, for: */
/*
 * After thread `id` was read: it is the chosen one. But one that was answered is below the questions
 * now: then the place stays where it was, at the next question. Returns whether that is chosen.
 */
bool list_come_back(struct list *l, const json_t *before, const char *id);
void list_filter(struct list *l); /* after the filter was changed */
void list_peek(struct list *l);	  /* the chosen one's last messages, if they are not there */

void list_draw(struct list *l);
extern const struct face_hint list_hints[], list_archived_hints[];
