/*
 * take.c: a message that somebody takes with `queue take`, who has to print it before it counts as delivered.
 *
 *	queued ──offered──▶ offered ──printed──▶ delivered
 *	   ▲                   │
 *	   └─ not printed, or not heard of in TAKE_GRACE
 *
 * It is offered as hooks offer (hook.c), to a session with a name that no other take has. The sweep of those puts
 * back what nobody settles.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "engine/change.h"
#include "engine/inbox.h"
#include "engine/internal.h"

#define PREFIX "queue take "
#define NAME_RANDOM 12
#define TAKE_GRACE (30 * USEC_PER_SEC)

bool take_is_offer(const struct message *m)
{
	return m->session && strncmp(m->session, PREFIX, strlen(PREFIX)) == 0;
}

usec_t take_ends_at(const struct message *m, usec_t now)
{
	/* An instant that is still to come was written by a clock that has been set back. */
	return m->offered_at > now ? now : m->offered_at + TAKE_GRACE;
}

/*
 * Without a daemon nobody sweeps: what an earlier take left is put back by the next. *ret: how many of the agent's
 * somebody else has been handed just now.
 */
static int put_back_stale(struct engine *e, const char *agent, usec_t now, size_t *ret,
			  struct error *err)
{
	AUTO_MESSAGES struct message_list open = {0};
	int rc = queue_unprinted(e->db, INT32_MAX, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		struct message *m = open.items[i];

		if (!take_is_offer(m))
			continue;
		if (take_ends_at(m, now) <= now)
			rc = hook_put_back(e, m, now, err);
		else
			*ret += strcmp(m->agent, agent) == 0;
	}
	return rc;
}

static int refuse_none(const char *agent, size_t offered, struct error *err)
{
	error_set(err, ERR_NOT_FOUND, "nothing is queued for '%s'", agent);
	if (!offered)
		return err->code;
	error_set(err, ERR_NOT_FOUND,
		  "nothing else is queued for '%s': %zu message%s being taken just now", agent,
		  offered, offered == 1 ? " is" : "s are");
	return error_hint(err, "what is not printed comes back within %d seconds",
			  (int)(TAKE_GRACE / USEC_PER_SEC));
}

/* Of very many the newest: an older taker has to print again what went back. */
static void note_offer(struct engine *e, int64_t message, const char *name)
{
	struct take_offer *o = &e->takes[e->take_count++ % TAKES_KEPT];

	o->message = message;
	snprintf(o->name, sizeof(o->name), "%s", name);
}

static bool was_offered(const struct engine *e, int64_t message, const char *name)
{
	for (size_t i = 0; i < TAKES_KEPT; i++)
		if (e->takes[i].message == message && strcmp(e->takes[i].name, name) == 0)
			return true;
	return false;
}

int engine_take_offer(struct engine *e, const char *agent, const char *owner, usec_t now,
		      struct message **ret, char ret_name[static TAKE_NAME_MAX], struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	size_t offered = 0;
	int rc = put_back_stale(e, agent, now, &offered, err);

	if (rc >= 0)
		rc = owner ? queue_head_for(e->db, agent, owner, PRIORITY_IDLE, &m, err)
			   : queue_head(e->db, agent, &m, err);
	if (rc < 0)
		return rc;
	if (!m)
		return refuse_none(agent, owner ? 0 : offered,
				   err); /* those of others are not theirs to see */
	random_id(PREFIX, NAME_RANDOM, ret_name);
	m->state = DELIVERY_OFFERED;
	m->attempt_at = USEC_NONE;
	m->offered_at = now;
	m->attempts++;
	m->printed = false;
	mem_replace(&m->session, ret_name);
	/* The line may have lost its head, and the sweep has something to wait for. */
	e->heads_stale = e->hooks_stale = true;
	rc = queue_update(e->db, m, err);
	if (rc < 0)
		return rc;
	note_offer(e, m->key, ret_name);
	*ret = steal_ptr(&m);
	return 0;
}

/*
 * Only by whom it was handed to, who alone knows the name of that. Also one that has gone back meanwhile, to the
 * line it came from: its text has left, whole.
 */
int engine_take_settle(struct engine *e, const char *id, const char *name, bool printed, usec_t now,
		       struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	int rc = queue_find(e->db, id, &m, err);
	bool ours;

	if (rc < 0)
		return rc;
	ours = m->state == DELIVERY_OFFERED && m->session && strcmp(m->session, name) == 0;
	if (!ours && !(printed && m->state == DELIVERY_QUEUED && was_offered(e, m->key, name)))
		return 0;
	if (!printed)
		return hook_put_back(e, m, now, err);
	m->state = DELIVERY_DELIVERED;
	m->attempt_at = USEC_NONE;
	m->done_at = now;
	m->printed = true;
	e->heads_stale = true;
	rc = queue_update(e->db, m, err);
	return rc < 0 ? rc : inbox_taken(e, m, now, err);
}
