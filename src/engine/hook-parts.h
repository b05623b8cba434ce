#pragma once
/*
 * What hook.c (an event: counted, settled), hand.c (is it of that session?), hook-once.c (is it a new one?) and
 * hook-tell.c (what the session is told) share.
 */
#include "engine/boundary.h"
#include "engine/inbox.h"
#include "engine/internal.h"

struct telling {
	struct engine *e;
	const struct hook_event *event;
	usec_t now;
	struct agent_session *session;
	struct boundary_row_list bounds; /* pending in the session */
	struct message_list offered;	 /* to the session, of the queue of its agent */
	struct thread *thread;	  /* where people answer it; NULL: it never wrote, or is hosted */
	struct mail_list replies; /* there, that it does not have yet */
	usec_t offer;		  /* offered_at of what is told now: of no other event */
	bool confirm;		  /* something told has to be confirmed */
	usec_t turn;	/* `offer` of what was told with a prompt, and is not settled; USEC_NONE */
	bool same_turn; /* that prompt was of the turn that this event is of */
	struct buf text;
	size_t size; /* of the text, as JSON writes it */
	bool block;
};

/*
 * Whether whoever tells the event speaks of a session of their own, which may change hands by that (hand.c). The
 * session's row is still to be written.
 */
int telling_take_over(struct telling *t, bool *ret, struct error *err);
/* Whether a hook got it that did not print it, and will not any more. */
bool telling_was_dropped(const struct telling *t, usec_t offered_at, bool printed);
/* Whether it is the event that another hook has told already. */
bool telling_is_repeated(const struct telling *t);
/* So that it is known again; the session's row is still to be written. */
void telling_remember(struct telling *t);
/* With which prompt something was told last: `turn` and `same_turn`. */
void telling_read_turn(struct telling *t);
/* That it was with this one (set), or is settled; the session's row is still to be written. */
void telling_note_turn(struct telling *t, bool set);
/* What the event brings into the conversation, by the table of events. */
int telling_tell(struct telling *t, struct error *err);
