/*
 * hook.c: an event of a session: counted, and what was offered to the session before it is settled.
 *
 * A client tells nobody what it did with the output of a hook. So what a hook is given is `offered`; when the
 * hook has written it all it is `printed`; and the next event of the same session shows that the conversation
 * went on with it: delivered. What was not printed is offered again, under the same id:
 *
 *	waiting, queued ──an event tells it──▶ offered ──printed──▶ ──the next event──▶ delivered
 *	                                          └── not printed: at a later event, again
 *
 * A prompt may be blocked by another hook, and is taken out of the conversation when its turn is ended before the
 * model has said anything: what was told with it is gone, too. So that is delivered at the first sign of its turn:
 * a tool, its end, a further prompt that the client gives to the same turn (typed while it works), or what
 * its transcript has of the model since. Where the session ends or has another prompt before that, or its transcript
 * says that a hook blocked it, it was not told, and is told again.
 *
 * Several hooks of one session may run at once. What is younger than HOOK_GRACE may still be printed, so
 * nobody else is given it until then; and every offer has an instant of its own, by which its hook confirms
 * that offer and no other.
 *
 * A message of the queue is offered to one session only. It goes back when that session ends, or is not heard
 * of for a while, without its hook having printed it.
 */
#include "engine/hook-parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SEEN_EVERY (1 * USEC_PER_MINUTE) /* how stale `seen_at` may become: it costs a write */
#define SILENCE (10 * USEC_PER_MINUTE)
#define SWEEP_BATCH 1000
#define TOLD_MOST 5 /* so often in vain */
#define IN_VAIN                                                                                    \
	"told by a hook, but no turn began with it: another hook may block the prompts of its "    \
	"session"

/* --- the session -------------------------------------------------------------------------- */

/* Keeps what is known when nothing was told. Returns whether it changed. */
static bool keep_text(char **slot, const char *text)
{
	if (!text || !*text || (*slot && strcmp(*slot, text) == 0))
		return false;
	mem_replace(slot, text);
	return true;
}

static bool keep_number(int64_t *slot, int64_t number)
{
	if (!number || *slot == number)
		return false;
	*slot = number;
	return true;
}

static bool same_folder(const char *a, const char *b)
{
	size_t len = strlen(a), other = strlen(b);

	while (len > 1 && a[len - 1] == '/')
		len--;
	while (other > 1 && b[other - 1] == '/')
		other--;
	return len == other && strncmp(a, b, len) == 0;
}

/* Of a session that nobody named an agent for: the one that works in its folder, if only one does. */
static const char *agent_of_folder(const struct config *c, const char *folder)
{
	const char *found = NULL;

	for (size_t i = 0; folder && i < c->agent_count; i++) {
		if (!c->agents[i].directory || !same_folder(c->agents[i].directory, folder))
			continue;
		if (found)
			return NULL;
		found = c->agents[i].name;
	}
	return found;
}

static int load_session(struct telling *t, bool *ret_new, struct error *err)
{
	int rc = agent_session_find(t->e->db, t->event->session, t->event->owner, &t->session, err);

	*ret_new = rc >= 0 && !t->session;
	if (*ret_new) {
		t->session = session_new(t->event->session, t->event->owner, t->now);
		t->session->mission = t->event->mission;
	}
	return rc;
}

static bool note_facts(struct telling *t)
{
	const struct hook_event *ev = t->event;
	struct agent_session *s = t->session;
	bool changed = keep_text(&s->directory, ev->directory);

	changed |= keep_text(&s->transcript, ev->transcript);
	changed |= keep_number(&s->pid, ev->pid);
	changed |= keep_number(&s->pid_start, ev->pid_start);
	changed |= keep_text(&s->boot, ev->boot);
	changed |= keep_text(&s->agent,
			     ev->agent ? ev->agent : agent_of_folder(t->e->config, s->directory));
	return changed;
}

/* Returns whether the row changed. */
static bool note_event(struct telling *t)
{
	bool ends = strcmp(t->event->name, "SessionEnd") == 0, changed = note_facts(t);
	struct agent_session *s = t->session;

	changed |= (s->ended_at != USEC_NONE) != ends;
	s->ended_at = ends ? t->now : USEC_NONE;
	if (strcmp(t->event->name, "UserPromptSubmit") != 0)
		return changed;
	s->calls++;
	telling_remember(t);
	return true;
}

/* Of a turn, and not only of its prompt. */
static bool is_sign(const char *event)
{
	static const char *const signs[] = {"PreToolUse", "PostToolUse", "PermissionRequest",
					    "PreCompact", "Stop",	 "StopFailure"};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strcmp(signs[i], event) == 0)
			return true;
	return false;
}

static int write_session(struct telling *t, bool changed, struct error *err)
{
	struct agent_session *s = t->session;

	if (s->mission && is_sign(t->event->name)) {
		int rc = replies_heard(t->e, s->mission, t->event->blocked_at, err);

		if (rc < 0)
			return rc;
	}
	if (!changed && t->now >= s->seen_at && t->now - s->seen_at < SEEN_EVERY)
		return 0;
	s->seen_at = t->now;
	return agent_session_put(t->e->db, s, err);
}

/* --- what was offered before -------------------------------------------------------------- */

enum fate { OPEN, PROVED, DROPPED };

/* What becomes of what was printed at that instant. */
static enum fate fate_of(const struct telling *t, usec_t offered_at)
{
	const struct hook_event *ev = t->event;

	if (offered_at != t->turn)
		return PROVED;
	if (ev->blocked_at >= offered_at)
		return DROPPED;
	if (is_sign(ev->name) || t->same_turn || ev->replied_at >= offered_at)
		return PROVED;
	return strcmp(ev->name, "UserPromptSubmit") == 0 || strncmp(ev->name, "Session", 7) == 0
		       ? DROPPED
		       : OPEN;
}

bool telling_was_dropped(const struct telling *t, usec_t offered_at, bool printed)
{
	/* An instant that is still to come was written by a clock that has been set back. */
	return !printed && (offered_at > t->now || t->now - offered_at >= HOOK_GRACE);
}

/* Whoever typed it knows when it has arrived. */
static int settle_queued(struct telling *t, struct boundary_row *b, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	int rc = queue_get(t->e->db, b->queue, &m, err);

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	if (m && (m->state == DELIVERY_QUEUED || m->state == DELIVERY_OFFERED))
		return 0;
	return boundary_set_state(t->e, b, BOUNDARY_DELIVERED, t->now, err);
}

/* The session has a host again, or another one, or none. */
static int settle_host(struct telling *t, struct boundary_row *b, const char *host,
		       struct error *err)
{
	if (!host || (b->host && strcmp(b->host, host) == 0))
		return 0;
	mem_replace(&b->host, host);
	return boundary_set_state(t->e, b, BOUNDARY_WAITING, t->now, err);
}

static int settle_offered(struct telling *t, struct boundary_row *b, struct error *err)
{
	enum fate fate = b->printed ? fate_of(t, b->offered_at) : OPEN;

	if (fate == OPEN)
		return 0;
	if (fate == DROPPED)
		b->printed = false;
	return boundary_set_state(t->e, b, fate == PROVED ? BOUNDARY_DELIVERED : BOUNDARY_WAITING,
				  t->now, err);
}

static int settle_boundary(struct telling *t, struct boundary_row *b, const char *host,
			   struct error *err)
{
	if (b->state == BOUNDARY_QUEUED && t->session->ended_at != USEC_NONE)
		return boundary_withdraw(t->e, b, t->now, err);
	if (b->state == BOUNDARY_QUEUED)
		return settle_queued(t, b, err);
	if (b->state == BOUNDARY_OFFERED)
		return settle_offered(t, b, err);
	if (!boundary_speaks(b) && boundary_is_due(b, t->session->calls, t->now))
		return boundary_set_state(t->e, b, BOUNDARY_PASSED, t->now, err);
	return settle_host(t, b, host, err);
}

static int settle_boundaries(struct telling *t, struct error *err)
{
	AUTO(free) char *host = NULL;
	int rc = boundary_pending_by(t->e->db, t->session->id, t->event->owner, &t->bounds, err);

	if (rc < 0 || !t->bounds.count)
		return rc;
	if (t->session->ended_at == USEC_NONE)
		rc = session_host(t->e, t->session->mission, &host, err);
	for (size_t i = 0; rc >= 0 && i < t->bounds.count; i++)
		rc = settle_boundary(t, t->bounds.items[i], host, err);
	return rc;
}

/* Back into the line of its agent, for whichever way that has now. */
int hook_put_back(struct engine *e, struct message *m, usec_t now, struct error *err)
{
	m->state = DELIVERY_QUEUED;
	m->attempt_at = now;
	if (m->attempts)
		m->attempts--; /* nobody has failed to get it */
	mem_replace(&m->session, NULL);
	live_touch(e);
	return queue_update(e->db, m, err);
}

/* It was printed, and nobody has read it: this session is told again, or, when it has ended, another one. */
static int drop_message(struct telling *t, struct message *m, struct error *err)
{
	m->printed = false;
	if (m->attempts >= TOLD_MOST)
		return deliver_settle(t->e, m, IN_VAIN, TOLD_MOST, t->now, err);
	mem_replace(&m->last_error, IN_VAIN);
	if (t->session->ended_at != USEC_NONE) {
		m->attempts++; /* it is one, whatever is thought of those that were not printed */
		return hook_put_back(t->e, m, t->now, err);
	}
	m->offered_at = INSTANT_MIN; /* no hook is about to print it */
	return queue_update(t->e->db, m, err);
}

static int settle_message(struct telling *t, struct message *m, struct error *err)
{
	enum fate fate = m->printed ? fate_of(t, m->offered_at) : OPEN;

	if (fate == DROPPED)
		return drop_message(t, m, err);
	if (fate == PROVED) {
		mem_replace(&m->last_error, NULL);
		return deliver_settle(t->e, m, NULL, INT64_MAX, t->now, err);
	}
	return m->printed || t->session->ended_at == USEC_NONE
		       ? 0
		       : hook_put_back(t->e, m, t->now, err);
}

static int settle_messages(struct telling *t, struct error *err)
{
	int rc = queue_offered_to_session(t->e->db, t->session->id, t->event->owner, &t->offered,
					  err);

	for (size_t i = 0; rc >= 0 && i < t->offered.count; i++)
		rc = settle_message(t, t->offered.items[i], err);
	return rc;
}

/* The thread of its mission. What waits there goes with a resume or is typed (replies.c), not by hooks. */
static int settle_mission(struct telling *t, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(thread_free) struct thread *thread = NULL;
	AUTO(free) char *place = NULL;
	int rc = mission_get(t->e->db, t->session->mission, &m, err);

	if (rc < 0)
		return rc == ERR_NOT_FOUND ? 0 : rc;
	place = mem_printf("mission:%s", m->id);
	rc = thread_at(t->e->db, place, &thread, err);
	return rc < 0 || !thread ? rc : engine_replies_got(t->e, thread, err);
}

/* What the agent asked for itself (inbox_replies), or was told by a hook, it went on with. */
static int settle_replies(struct telling *t, struct error *err)
{
	enum fate fate = t->turn == USEC_NONE ? PROVED : fate_of(t, t->turn);
	int rc;

	if (t->session->mission)
		return settle_mission(t, err);
	rc = engine_find_session(t->e, t->event->owner, t->session->id, &t->thread, err);
	if (rc < 0 || !t->thread ||
	    (rc = fate == OPEN ? 0 : pull_settle(t->e, t->thread, fate == PROVED, err)) < 0)
		return rc;
	return t->thread->waiting ? mail_undelivered(t->e->db, t->thread->key, &t->replies, err)
				  : 0;
}

static void later_than(usec_t *offer, usec_t offered_at)
{
	if (offered_at != USEC_NONE && offered_at >= *offer)
		*offer = offered_at + 1;
}

static void choose_offer(struct telling *t)
{
	t->offer = t->now;
	for (size_t i = 0; i < t->bounds.count; i++)
		later_than(&t->offer, t->bounds.items[i]->offered_at);
	for (size_t i = 0; i < t->offered.count; i++)
		later_than(&t->offer, t->offered.items[i]->offered_at);
	for (size_t i = 0; i < t->replies.count; i++)
		later_than(&t->offer, t->replies.items[i]->unprinted_at);
}

/* --- an event ----------------------------------------------------------------------------- */

static int hear(struct telling *t, struct error *err)
{
	bool changed = false, own = false;
	int64_t before;
	int rc = load_session(t, &changed, err);

	if (rc < 0)
		return rc;
	before = t->session->mission;
	telling_read_turn(t);
	if ((rc = telling_take_over(t, &own, err)) < 0 || !own || telling_is_repeated(t))
		return rc;
	changed |= note_event(t) || t->session->mission != before;
	if ((rc = settle_boundaries(t, err)) < 0 || (rc = settle_messages(t, err)) < 0 ||
	    (rc = settle_replies(t, err)) < 0)
		return rc;
	if (t->turn != USEC_NONE && fate_of(t, t->turn) != OPEN) {
		telling_note_turn(t, false);
		changed = true;
	}
	choose_offer(t);
	if ((rc = telling_tell(t, err)) < 0)
		return rc;
	if (t->text.len && strcmp(t->event->name, "UserPromptSubmit") != 0) {
		telling_remember(t);
		changed = true;
	} else if (t->confirm) {
		telling_note_turn(t, true);
	}
	return write_session(t, changed, err);
}

int engine_hook(struct engine *e, const struct hook_event *event, usec_t now,
		struct hook_answer *ret, struct error *err)
{
	struct telling t = {.e = e, .event = event, .now = now};
	int rc = hear(&t, err);

	*ret = (struct hook_answer){.offer = USEC_NONE};
	if (rc >= 0 && t.text.len) {
		ret->context = buf_steal(&t.text);
		ret->block = t.block;
		ret->offer = t.confirm ? t.offer : USEC_NONE;
		e->hooks_stale |= t.confirm;
	}
	buf_fini(&t.text);
	boundary_row_list_fini(&t.bounds);
	message_list_fini(&t.offered);
	mail_list_fini(&t.replies);
	thread_free(t.thread);
	agent_session_free(t.session);
	return rc < 0 ? rc : 0;
}

static int replies_printed(struct engine *e, const char *owner, const char *session, usec_t offer,
			   struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	int rc = engine_find_session(e, owner, session, &t, err);

	return rc < 0 || !t ? rc : pull_printed(e, t, offer, err);
}

/* What a session was offered is confirmed by those in whose hands it is. */
static int may_confirm(struct engine *e, const struct hook_event *ev, bool *ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc = agent_session_find(e->db, ev->session, ev->owner, &s, err);

	*ret = s && !ev->stray && s->mission == ev->mission;
	return rc;
}

int engine_hook_printed(struct engine *e, const struct hook_event *event, usec_t offer, usec_t now,
			struct error *err)
{
	AUTO_BOUNDARIES struct boundary_row_list bounds = {0};
	AUTO_MESSAGES struct message_list offered = {0};
	const char *session = event->session, *owner = event->owner;
	bool own = false;
	int rc = may_confirm(e, event, &own, err);

	if (rc < 0 || !own)
		return rc;
	rc = boundary_pending_by(e->db, session, owner, &bounds, err);
	for (size_t i = 0; rc >= 0 && i < bounds.count; i++) {
		struct boundary_row *b = bounds.items[i];

		if (b->state != BOUNDARY_OFFERED || b->offered_at != offer)
			continue;
		b->printed = true;
		rc = boundary_set_state(e, b, BOUNDARY_OFFERED, now, err);
	}
	if (rc >= 0)
		rc = queue_offered_to_session(e->db, session, owner, &offered, err);
	for (size_t i = 0; rc >= 0 && i < offered.count; i++) {
		if (offered.items[i]->offered_at != offer)
			continue;
		offered.items[i]->printed = true;
		rc = queue_update(e->db, offered.items[i], err);
	}
	return rc < 0 ? rc : replies_printed(e, owner, session, offer, err);
}

/* --- sessions that are not heard of any more ---------------------------------------------- */

/* When it is given up; INSTANT_MIN: at once. */
static int silent_at(struct engine *e, const struct message *m, usec_t now, usec_t *ret,
		     struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc;

	if (take_is_offer(m)) {
		*ret = take_ends_at(m, now);
		return 0;
	}
	rc = agent_session_find(e->db, m->session, m->owner ? m->owner : "me", &s, err);
	if (rc < 0)
		return rc;
	if (!s || s->ended_at != USEC_NONE || m->offered_at > now + SEEN_EVERY)
		*ret = INSTANT_MIN;
	else
		*ret = (s->seen_at > m->offered_at ? s->seen_at : m->offered_at) + SILENCE;
	return 0;
}

int hook_dispatch(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MESSAGES struct message_list open = {0};
	int rc;

	if (!e->hooks_stale && (e->hooks_at == USEC_NONE || e->hooks_at > now))
		return 0;
	rc = queue_unprinted(e->db, SWEEP_BATCH, &open, err);
	e->hooks_stale = false;
	e->hooks_at = USEC_NONE;
	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		usec_t at = USEC_NONE;

		rc = silent_at(e, open.items[i], now, &at, err);
		if (rc >= 0 && at <= now)
			rc = hook_put_back(e, open.items[i], now, err);
		else if (rc >= 0)
			e->hooks_at = usec_earlier(e->hooks_at, at);
	}
	return rc;
}

int hook_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	usec_t due = USEC_NONE;
	int rc = boundary_next_due(e->db, &due, err);

	*ret = usec_earlier(due, e->hooks_stale ? now : e->hooks_at);
	return rc;
}
