#pragma once
/* What hook.c (an event: counted, settled) and hook-tell.c (what the session is told) share. */
#include "engine/boundary.h"
#include "engine/internal.h"

struct telling {
	struct engine *e;
	const struct hook_event *event;
	usec_t now;
	struct agent_session *session;
	struct boundary_row_list bounds; /* pending in the session */
	struct message_list offered;	 /* to the session, of the queue of its agent */
	usec_t offer;			 /* offered_at of what is told now: of no other event */
	bool confirm;			 /* something told has to be confirmed */
	struct buf text;
	size_t size; /* of the text, as JSON writes it */
	bool block;
};

/* Whether a hook got it that did not print it, and will not any more. */
bool telling_was_dropped(const struct telling *t, usec_t offered_at, bool printed);
/* What the event brings into the conversation, by the table of events. */
int telling_tell(struct telling *t, struct error *err);
