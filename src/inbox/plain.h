#pragma once
/* The inbox in lines and questions: what plain.c (the list) and plain-thread.c share. */
#include "inbox/inbox.h"

struct plain {
	const struct cli *c;
	struct style style;
	bool asks_only; /* only threads that wait for an answer */
	bool unread_only;
	bool archived;	 /* what was put away */
	json_t *threads; /* as they are numbered */
	char *more;	 /* where the next page begins; "" when there is none */
	char *put_away;	 /* the thread that was put away last; "" when none was */
};

struct view plain_view(const struct plain *p, struct buf *out); /* without colours */
/* What went wrong is said, and the next question asked. */
void plain_say_error(const struct error *err);
/* Returns 0 and the answer, or says why there is none. `args` is released. */
int plain_ask(const struct plain *p, const char *request, json_t *args, json_t **ret);
const char *plain_s(int64_t count); /* "s", unless it is one */

/*
 * A thread, until the person goes back. `thread` is it in a list, or NULL. ASK_CANCELLED when the
 * person wants to leave altogether.
 */
int plain_thread(struct plain *p, const json_t *thread, const char *id);
