/*
 * pull.c: replies that an agent asks for itself, rather than getting them with a resume or typed.
 *
 *	waiting ──it asks──▶ offered ──it is heard of again──▶ delivered
 *	   ▲                    │
 *	   └── its run failed ──┘
 *
 * `offered` without a run that carries it is one of these: the answer to a call may be lost on its way.
 * A session that Belfry does not host is told by its hooks, too, as if it had asked (hook-tell.c): then
 * `unprinted_at` says which hook has it, until that has printed it. One that did not will not, after a while,
 * and the next who asks gets it.
 *
 * What a resume carries already, or what is being typed at this moment, is not told a second time.
 */
#include "engine/inbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/boundary.h"
#include "engine/internal.h"

static bool is_pulled(const struct mail *m)
{
	return m->reply == HANDOVER_OFFERED && !m->carrier && !m->queue &&
	       m->unprinted_at == USEC_NONE;
}

bool pull_is_open(const struct mail *m, usec_t now)
{
	usec_t at = m->unprinted_at;

	if (m->reply == HANDOVER_WAITING)
		return true;
	/* An instant that is still to come was written by a clock that has been set back. */
	return m->reply == HANDOVER_OFFERED && at != USEC_NONE &&
	       (at > now || now - at >= HOOK_GRACE);
}

static int settle(struct engine *e, struct thread *t, enum handover to, struct error *err)
{
	AUTO_MAILS struct mail_list list = {0};
	bool changed = false;
	int rc = t->waiting ? mail_undelivered(e->db, t->key, &list, err) : 0;

	for (size_t i = 0; rc >= 0 && i < list.count; i++) {
		struct mail *m = list.items[i];

		if (!is_pulled(m))
			continue;
		m->reply = to;
		t->waiting -= to == HANDOVER_DELIVERED;
		changed = true;
		rc = mail_update(e->db, m, err);
	}
	return rc < 0 || !changed ? rc : thread_update(e->db, t, err);
}

int engine_replies_got(struct engine *e, struct thread *t, struct error *err)
{
	return settle(e, t, HANDOVER_DELIVERED, err);
}

int pull_settle(struct engine *e, struct thread *t, bool success, struct error *err)
{
	return settle(e, t, success ? HANDOVER_DELIVERED : HANDOVER_WAITING, err);
}

int pull_take(struct engine *e, struct mail *m, usec_t offer, usec_t now, struct error *err)
{
	int rc = 0;

	if (!pull_is_open(m, now))
		return 0;
	if (m->queue)
		rc = replies_withdraw(e, m, "the agent asked for it", now, err);
	if (rc < 0 || m->queue)
		return rc;
	m->reply = HANDOVER_OFFERED;
	m->carrier = 0;
	m->unprinted_at = offer;
	rc = mail_update(e->db, m, err);
	return rc < 0 ? rc : 1;
}

static void keep(struct mail_list *list, struct mail *m)
{
	list->items = mem_grow(list->items, list->count + 1, sizeof(struct mail *));
	list->items[list->count++] = m;
}

int engine_replies_pull(struct engine *e, struct thread *t, size_t limit, size_t bytes, usec_t now,
			struct mail_list *ret, bool *ret_more, struct error *err)
{
	AUTO_MAILS struct mail_list list = {0};
	size_t total = 0;
	int rc = t->waiting ? mail_undelivered(e->db, t->key, &list, err) : 0;

	*ret_more = false;
	for (size_t i = 0; rc >= 0 && i < list.count; i++) {
		struct mail *m = list.items[i];

		total += strlen(m->text);
		if (ret->count && (ret->count >= limit || total > bytes)) {
			*ret_more = true;
			return 0;
		}
		rc = pull_take(e, m, USEC_NONE, now, err);
		if (rc > 0)
			keep(ret, steal_ptr(&list.items[i]));
	}
	return rc < 0 ? rc : 0;
}

int pull_printed(struct engine *e, const struct thread *t, usec_t offer, struct error *err)
{
	AUTO_MAILS struct mail_list list = {0};
	int rc = t->waiting ? mail_undelivered(e->db, t->key, &list, err) : 0;

	for (size_t i = 0; rc >= 0 && i < list.count; i++) {
		if (list.items[i]->unprinted_at != offer)
			continue;
		list.items[i]->unprinted_at = USEC_NONE;
		rc = mail_update(e->db, list.items[i], err);
	}
	return rc;
}
