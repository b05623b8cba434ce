/*
 * live-line.c: what was typed into a session at work stands in the client's own line, and nobody has read it. What was
 * typed into one that rests may be blocked by a hook of the person's, or taken back by an interrupt.
 *
 *	offered ──typed──▶ offered, in its line ──taken up──▶ delivered
 *	                        │
 *	   queued ◀── its session ended first, or it was not taken up: that counts as a failure
 *
 * The client's line ends with its process, so only what was taken up is delivered. In the row it is an offer to a
 * session whose name says so, as a take is (take.c), printed and not settled: those of an agent are found by that
 * name, the next one can be offered, and a daemon that begins again finds them as they were.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/internal.h"
#include "engine/live-parts.h"

#define PREFIX "typed into " /* no client names a session so: it has blanks */
#define LEFT "its session ended before it was seen to take this up; it may know it already"

static char *name_of(const char *agent)
{
	return mem_printf(PREFIX "%s", agent);
}

bool engine_live_in_line(const struct message *m)
{
	return m->state == DELIVERY_OFFERED && m->session &&
	       strncmp(m->session, PREFIX, strlen(PREFIX)) == 0;
}

int live_line_join(struct engine *e, struct message *m, struct error *err)
{
	free(m->session);
	m->session = name_of(m->agent);
	m->printed = true;
	return queue_update(e->db, m, err);
}

void live_line_leave(struct message *m)
{
	mem_replace(&m->session, NULL);
	m->printed = false;
}

int engine_live_line(struct engine *e, const char *agent, struct message_list *ret,
		     struct error *err)
{
	AUTO(free) char *name = name_of(agent);

	return queue_offered_to_session(e->db, name, NULL, ret, err);
}

int live_line_put_back(struct engine *e, const char *agent, usec_t now, struct error *err)
{
	AUTO_MESSAGES struct message_list line = {0};
	int rc = engine_live_line(e, agent, &line, err);

	for (size_t i = 0; rc >= 0 && i < line.count; i++) {
		struct message *m = line.items[i];

		live_line_leave(m);
		/* What hooks said of it was that it is in the line: that counts no more. */
		m->returned_at = now;
		if (m->attempts && !(m->last_error && strcmp(m->last_error, LEFT) == 0))
			m->attempts--; /* the first time is nobody's failure */
		rc = deliver_settle(e, m, LEFT, LIVE_OFFERS_MAX, now, err);
	}
	return rc;
}

/* That it was taken up may be heard of after the end of its session. */
static bool has_just_left(const struct message *m)
{
	return m->state == DELIVERY_QUEUED && m->last_error && strcmp(m->last_error, LEFT) == 0;
}

int engine_live_taken(struct engine *e, const char *agent, const char *message, usec_t now,
		      struct error *err)
{
	AUTO(message_free) struct message *m = NULL;

	if (queue_find(e->db, message, &m, err) < 0)
		return err->code == ERR_NOT_FOUND || err->code == ERR_CONFLICT ? 0 : err->code;
	if (strcmp(m->agent, agent) != 0 || !(engine_live_in_line(m) || has_just_left(m)))
		return 0;
	if (has_just_left(m)) {
		m->attempts++;
		m->attempt_at = USEC_NONE;
	}
	mem_replace(&m->last_error, NULL);
	live_line_leave(m);
	return deliver_settle(e, m, NULL, LIVE_OFFERS_MAX, now, err);
}

int engine_live_untaken(struct engine *e, const char *agent, const char *message, const char *why,
			usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;

	if (queue_find(e->db, message, &m, err) < 0)
		return err->code == ERR_NOT_FOUND || err->code == ERR_CONFLICT ? 0 : err->code;
	if (strcmp(m->agent, agent) != 0 || !engine_live_in_line(m))
		return 0;
	live_line_leave(m);
	/* It is typed as if for the first time: what hooks and screen said of it counts no more. */
	m->offered_at = USEC_NONE;
	m->returned_at = now;
	live_touch(e);
	return deliver_settle(e, m, why, LIVE_OFFERS_MAX, now, err);
}
