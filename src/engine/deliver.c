/*
 * deliver.c: from the queue to an agent, one at a time, by the first of these that it has:
 *
 *	a session         what it may be told by what it does is typed (live-offer.c); attempt_at is
 *	                  only the back-off of a message that nobody could be seen to get
 *	a deliver command the head of its line has an attempt_at, the rest wait behind it
 *	neither           it waits until somebody takes it, or a hook of a session that Belfry does not host
 *	                  does (hook-tell.c); everything for `me` waits, too
 *
 *	queued ──attempt_at comes──▶ offered ──exit 0──▶ delivered, the next becomes head
 *	   ▲                            │
 *	   └──── back-off ◀── failed ───┴── attempts used up ──▶ failed, the next becomes head
 *
 * `offered` is committed before the child starts. A crash after that offers the message again under
 * the same id, so hand-over is at least once and the receiver can tell.
 */
#include "engine/change.h"
#include "engine/inbox.h"
#include "engine/internal.h"
#include "engine/trust.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/random.h"

#define BACKOFF_FIRST (1 * USEC_PER_SEC)
#define BACKOFF_FACTOR 4
#define BACKOFF_MAX (5 * USEC_PER_MINUTE)
#define OFFER_BATCH 64

enum transport { TRANSPORT_NOBODY, TRANSPORT_COMMAND, TRANSPORT_LIVE };

static const struct config_agent *command_agent(const struct engine *e, const char *name)
{
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(e->config, name, &unknown);

	return agent && agent->deliver ? agent : NULL;
}

bool deliver_has_command(const struct engine *e, const char *agent)
{
	return command_agent(e, agent) != NULL;
}

static int find_transport(struct engine *e, const char *agent, enum transport *ret,
			  struct error *err)
{
	bool present = false;
	int rc = live_is_present(e, agent, &present, err);

	*ret = present			 ? TRANSPORT_LIVE
	       : command_agent(e, agent) ? TRANSPORT_COMMAND
					 : TRANSPORT_NOBODY;
	return rc;
}

int deliver_has_no_way(struct engine *e, const char *agent, bool *ret, struct error *err)
{
	enum transport by = TRANSPORT_COMMAND;
	int rc = find_transport(e, agent, &by, err);

	*ret = rc >= 0 && by == TRANSPORT_NOBODY;
	return rc;
}

/* For the person: what else is for `me` is in the inbox too. */
static bool is_mine(const struct message *m)
{
	return strcmp(m->agent, "me") == 0;
}

/* Whether what is queued now is the head of a command's line at once. */
static int becomes_head(struct engine *e, const char *agent, bool *ret, struct error *err)
{
	enum transport by;
	bool has_head = true;
	int rc;

	*ret = false;
	/* A line that may lack its head gets it in dispatch: older messages go first. */
	if (e->heads_stale || !command_agent(e, agent))
		return 0;
	if ((rc = find_transport(e, agent, &by, err)) < 0 || by != TRANSPORT_COMMAND ||
	    (rc = queue_has_head(e->db, agent, &has_head, err)) < 0)
		return rc;
	*ret = !has_head;
	return 0;
}

/* Into the line of its agent: what is left to fill in is the same for every message. */
static int enqueue(struct engine *e, struct message *m, usec_t now, struct error *err)
{
	bool head = false;
	int rc = becomes_head(e, m->agent, &head, err);

	if (rc < 0)
		return rc;
	m->state = DELIVERY_QUEUED;
	m->queued_at = now;
	m->attempt_at = head ? now : USEC_NONE;
	m->offered_at = m->done_at = USEC_NONE;
	if (!is_mine(m))
		live_touch(e);
	return queue_insert(e->db, m, err);
}

/* --- what waits collapses ----------------------------------------------------------------- */

#define LOOK_BACK 4 /* slots before this one: skipped ones may lie between two fires */

/*
 * Whether it waits because nobody is there, or nobody could be reached, and not just for its turn: how
 * long that may take depends on the way it goes.
 */
static int is_stuck(struct engine *e, const struct message *m, usec_t now, bool *ret,
		    struct error *err)
{
	static const usec_t patience[] = {
		[TRANSPORT_NOBODY] = 0,
		[TRANSPORT_COMMAND] = USEC_PER_MINUTE,
		[TRANSPORT_LIVE] = USEC_PER_HOUR, /* it may be busy, or ask the person something */
	};
	enum transport by = TRANSPORT_NOBODY;
	int rc = find_transport(e, m->agent, &by, err);

	/* What may have been heard keeps its words: they were handed over under its id. */
	*ret = m->state == DELIVERY_QUEUED && !m->session && !m->attempts &&
	       m->offered_at == USEC_NONE &&
	       (by == TRANSPORT_NOBODY || now - m->queued_at > patience[by]);
	return rc;
}

/* The fire before this one, when its message still waits; *ret and *ret_slot NULL when it does not. */
static int find_waiting(struct engine *e, const struct reminder *r, const struct slot *slot,
			usec_t now, struct message **ret, struct slot **ret_slot, struct error *err)
{
	AUTO_SLOTS struct slot_list page = {0};
	AUTO(message_free) struct message *m = NULL;
	bool stuck = false;
	size_t i = 0;
	int rc = slot_list(e->db, r->key, slot->key, LOOK_BACK, &page, err);

	while (rc >= 0 && i < page.count && page.items[i]->outcome != OUTCOME_FIRED)
		i++;
	if (rc < 0 || i == page.count)
		return rc;
	rc = queue_of_slot(e->db, page.items[i]->key, &m, err);
	if (rc < 0 || !m || strcmp(m->agent, r->agent) != 0)
		return rc;
	rc = is_stuck(e, m, now, &stuck, err);
	if (rc < 0 || !stuck)
		return rc;
	*ret = steal_ptr(&m);
	*ret_slot = steal_ptr(&page.items[i]);
	return 0;
}

/* "(123 earlier ones waited for 'bob' too, from … to …)" */
static char *collapsed_words(const struct engine *e, const struct reminder *r,
			     const struct message *m, usec_t last, char *stolen_body)
{
	const struct zone *zone = context_zone(e, r);
	char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
	AUTO(free) char *body = stolen_body;

	instant_format_long(m->earlier_at, zone, from);
	instant_format_long(last, zone, to);
	if (m->earlier == 1)
		return mem_printf("%s\n\n(1 earlier one waited for '%s' too, from %s)", body,
				  r->agent, from);
	return mem_printf("%s\n\n(%lld earlier ones waited for '%s' too, from %s to %s)", body,
			  (long long)m->earlier, r->agent, from, to);
}

/*
 * A weekend of equal messages is one to whoever comes back: the new one stands where the old one did.
 * Returns 1 when it does. Whoever asked for all occurrences (catch-up `all`), or for one by hand,
 * gets each.
 */
static int take_place(struct engine *e, const struct reminder *r, const struct slot *slot,
		      usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	AUTO(slot_free) struct slot *before = NULL;
	AUTO(free) char *was = NULL;
	int rc;

	if (strcmp(r->agent, "me") == 0 || r->catchup == CATCHUP_ALL || slot->generation == 0)
		return 0;
	rc = find_waiting(e, r, slot, now, &m, &before, err);
	if (rc < 0 || !m)
		return rc;
	was = steal_ptr(&before->reason);
	before->reason = mem_printf("%s; nobody had got it when the next one took its place", was);
	if (m->earlier++ == 0)
		m->earlier_at = before->nominal;
	m->slot = slot->key;
	m->priority = r->priority;
	free(m->body);
	m->body = collapsed_words(e, r, m, before->nominal, words_message(r, slot, now));
	if ((rc = slot_update(e->db, before, err)) < 0 || (rc = queue_replace(e->db, m, err)) < 0)
		return rc;
	live_touch(e);
	return 1;
}

int deliver_enqueue(struct engine *e, const struct reminder *r, const struct slot *slot, usec_t now,
		    struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	int rc = take_place(e, r, slot, now, err);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	m = mem_zalloc(sizeof(*m));
	m->slot = slot->key;
	m->reminder = r->key;
	m->owner = mem_strdup(r->owner);
	m->agent = mem_strdup(r->agent);
	m->body = words_message(r, slot, now);
	m->priority = r->priority;
	rc = enqueue(e, m, now, err);
	return rc < 0 || !is_mine(m) ? rc : inbox_add_queued(e, r, NULL, NULL, m, now, err);
}

int deliver_notice(struct engine *e, const struct reminder *r, const struct mission *mission,
		   const char *title, const char *text, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = mem_zalloc(sizeof(*m));
	int rc;

	m->reminder = r ? r->key : 0;
	m->agent = mem_strdup("me");
	m->body = mem_strdup(text);
	m->priority = PRIORITY_NORMAL;
	rc = enqueue(e, m, now, err);
	return rc < 0 ? rc : inbox_add_queued(e, r, mission, title, m, now, err);
}

int deliver_send(struct engine *e, const char *agent, const char *sender, const char *text,
		 enum priority priority, usec_t now, struct message **ret, struct error *err)
{
	AUTO(message_free) struct message *m = mem_zalloc(sizeof(*m));
	int rc;

	m->agent = mem_strdup(agent);
	m->sender = mem_strdup(sender);
	m->body = mem_strdup(text);
	m->priority = priority;
	rc = enqueue(e, m, now, err);
	if (rc >= 0)
		*ret = steal_ptr(&m);
	return rc;
}

/* The next message of an agent's line comes to its front. */
static int promote(struct engine *e, const char *agent, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	enum transport by;
	int rc = find_transport(e, agent, &by, err);

	if (by == TRANSPORT_LIVE)
		live_touch(e);
	if (rc < 0 || by != TRANSPORT_COMMAND)
		return rc;
	rc = queue_head(e->db, agent, &m, err);
	if (rc < 0 || !m)
		return rc;
	m->attempt_at = now;
	return queue_update(e->db, m, err);
}

int engine_take(struct engine *e, const char *agent, usec_t now, struct message **ret,
		struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	bool was_head;
	int rc = queue_head(e->db, agent, &m, err);

	if (rc < 0)
		return rc;
	if (!m)
		return error_set(err, ERR_NOT_FOUND, "nothing is queued for '%s'", agent);
	was_head = m->attempt_at != USEC_NONE;
	m->state = DELIVERY_DELIVERED;
	m->attempt_at = USEC_NONE;
	m->done_at = now;
	m->attempts++;
	rc = queue_update(e->db, m, err);
	if (rc >= 0)
		rc = inbox_taken(e, m, now, err);
	if (rc >= 0 && was_head)
		rc = promote(e, agent, now, err);
	if (rc >= 0)
		*ret = steal_ptr(&m);
	return rc;
}

int deliver_read(struct engine *e, struct message *m, usec_t now, struct error *err)
{
	int rc;

	if (m->state == DELIVERY_DELIVERED || m->state == DELIVERY_FAILED)
		return 1;
	if (m->state != DELIVERY_QUEUED || command_agent(e, m->agent))
		return 0;
	m->state = DELIVERY_DELIVERED;
	m->done_at = now;
	m->attempts++;
	rc = queue_update(e->db, m, err);
	return rc < 0 ? rc : 1;
}

/* What a message says about where it came from; both stay NULL when that is gone. */
static int load_origin(struct engine *e, const struct message *m, struct reminder **ret_reminder,
		       struct slot **ret_slot, struct error *err)
{
	int rc = 0;

	if (m->reminder)
		rc = reminder_get(e->db, m->reminder, ret_reminder, err);
	if (rc >= 0 && m->slot)
		rc = slot_get(e->db, m->slot, ret_slot, err);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* Where a message came from, as far as that is still there; each NULL when there is none, or it is gone. */
struct origin {
	struct reminder *reminder;
	struct slot *slot;
	struct mail *mail; /* its row of the inbox */
	struct thread *thread;
	struct mission *mission; /* of that thread */
};

static void origin_fini(struct origin *o)
{
	reminder_free(o->reminder);
	slot_free(o->slot);
	mail_free(o->mail);
	thread_free(o->thread);
	mission_free(o->mission);
}
#define AUTO_ORIGIN __attribute__((cleanup(origin_fini)))

static int find_origin(struct engine *e, const struct message *m, struct origin *ret,
		       struct error *err)
{
	int rc = load_origin(e, m, &ret->reminder, &ret->slot, err);

	if (rc < 0 || (rc = inbox_linked(e, m, &ret->mail, &ret->thread, err)) < 0 ||
	    !ret->thread || !ret->thread->mission)
		return rc;
	rc = mission_get(e->db, ret->thread->mission, &ret->mission, err);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* How far the least trusted of those is whose words are in it. */
static enum trust trust_of_words(struct engine *e, const struct message *m, const struct origin *o)
{
	AUTO(free) char *owner = o->thread ? engine_session_owner(o->thread) : NULL;
	enum trust trust = trust_in(e->config, m->owner ? m->owner : "me");

	if (o->reminder)
		trust = trust_least(trust, o->reminder->trust);
	if (o->mission)
		trust = trust_least(trust, o->mission->trust);
	return owner ? trust_least(trust, trust_in(e->config, owner)) : trust;
}

/* What tells the person themselves reads for them. */
static void set_whose(struct engine *e, struct job *job, const struct message *m,
		      const struct origin *o)
{
	const char *owner = o->reminder ? o->reminder->owner : m->owner;

	job->whose = (struct job_for){.user = mem_strdup(is_mine(m) || !owner ? "me" : owner),
				      .trust = trust_of_words(e, m, o)};
	if (o->reminder && !is_mine(m))
		job->whose.mission = o->reminder->made_by;
}

static int offer_to_command(struct engine *e, struct message *m, usec_t now, struct error *err)
{
	const struct config_agent *agent = command_agent(e, m->agent);
	AUTO_ORIGIN struct origin o = {0};
	struct job *job;
	int rc = find_origin(e, m, &o, err);

	if (rc < 0)
		return rc;
	m->state = DELIVERY_OFFERED;
	m->offered_at = now;
	m->attempts++;
	job = mem_zalloc(sizeof(*job));
	job->kind = JOB_DELIVER;
	job->key = m->key;
	job->argv = mem_strdup_list((const char *const *)agent->deliver);
	job->environment = words_environment(agent, o.reminder, o.slot, m);
	if (is_mine(m))
		words_add_mail(&job->environment, m, o.mail, o.thread);
	job->directory = mem_strdup(agent->directory);
	job->input = mem_strdup(m->body);
	job->time_limit = agent->deliver_timeout;
	set_whose(e, job, m, &o);
	engine_add_job(e, job);
	return 0;
}

/* Its time has come. */
static int offer(struct engine *e, struct message *m, usec_t now, struct error *err)
{
	enum transport by;
	int rc = find_transport(e, m->agent, &by, err);

	if (rc < 0)
		return rc;
	m->attempt_at = USEC_NONE;
	if (by == TRANSPORT_COMMAND)
		rc = offer_to_command(e, m, now, err);
	if (by == TRANSPORT_LIVE)
		live_touch(e); /* when it may be told depends on what it does */
	return rc < 0 ? rc : queue_update(e->db, m, err);
}

static usec_t backoff(const struct message *m)
{
	usec_t wait = BACKOFF_FIRST;

	for (int64_t i = 1; i < m->attempts && wait < BACKOFF_MAX; i++)
		wait *= BACKOFF_FACTOR;
	if (wait > BACKOFF_MAX)
		wait = BACKOFF_MAX;
	/* Up to a tenth more, the same for everybody who asks. */
	return wait + (usec_t)(hash_bytes(m->id, strlen(m->id), (uint64_t)m->attempts) %
			       (uint64_t)(wait / 10));
}

/*
 * Nobody will hand it over any more: its text goes to the person. What was for the person is in the
 * inbox already, and answers of theirs are told in their own thread.
 */
static int tell_failure(struct engine *e, const struct message *m, usec_t now, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(slot_free) struct slot *slot = NULL;
	AUTO(free) char *from = m->sender ? mem_printf(" from '%s'", m->sender) : mem_strdup("");
	AUTO(free) char *text = NULL;
	int rc = load_origin(e, m, &r, &slot, err);

	if (rc < 0)
		return rc;
	text = mem_printf("A message%s for '%s' could not be handed over, after %lld attempt%s: "
			  "%s\n\nWhat it says:\n\n%s",
			  from, m->agent, (long long)m->attempts, m->attempts == 1 ? "" : "s",
			  m->last_error, m->body);
	return deliver_notice(e, r, NULL, "it was not delivered", text, now, err);
}

static void record_failure(struct message *m, const char *why, int64_t most, usec_t now)
{
	mem_replace(&m->last_error, why);
	if (m->attempts < most) {
		m->state = DELIVERY_QUEUED;
		m->attempt_at = now + backoff(m);
		return;
	}
	m->state = DELIVERY_FAILED;
	m->done_at = now;
	log_warning("message '%s' for '%s' failed after %d attempts: %s", m->id, m->agent,
		    (int)m->attempts, m->last_error);
}

int deliver_settle(struct engine *e, struct message *m, const char *why, int64_t most, usec_t now,
		   struct error *err)
{
	int rc;

	if (why) {
		record_failure(m, why, most, now);
	} else {
		m->state = DELIVERY_DELIVERED;
		m->done_at = now;
	}
	rc = queue_update(e->db, m, err);
	if (rc < 0 || m->state == DELIVERY_QUEUED)
		return rc;
	rc = inbox_handed(e, m, now, err);
	if (rc == 0 && m->state == DELIVERY_FAILED)
		rc = tell_failure(e, m, now, err);
	return rc < 0 ? rc : promote(e, m->agent, now, err);
}

int deliver_ended(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	AUTO(free) char *why = NULL;
	const struct config_agent *agent;

	if (queue_get(e->db, end->key, &m, err) < 0)
		return err->code == ERR_NOT_FOUND ? 0 : err->code;
	if (m->state != DELIVERY_OFFERED)
		return 0;
	agent = command_agent(e, m->agent);
	if (!job_succeeded(end))
		why = job_end_words(end, agent ? agent->deliver_timeout : 0);
	/* Its command was taken out of the configuration meanwhile: then it waits. */
	return deliver_settle(e, m, why, agent ? agent->deliver_attempts : INT64_MAX, now, err);
}

int deliver_recover(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MESSAGES struct message_list open = {0};
	int rc = queue_list_offered(e->db, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		struct message *m = open.items[i];
		enum transport by = TRANSPORT_NOBODY;

		/* Hooks need no process of ours: what they were given is still with them. */
		if (m->session)
			continue;
		rc = find_transport(e, m->agent, &by, err);
		m->state = DELIVERY_QUEUED;
		m->attempt_at = now;
		/* Nobody has failed to get it: whoever types it looks first whether it is there. */
		if (by == TRANSPORT_LIVE && m->attempts)
			m->attempts--;
		if (rc >= 0)
			rc = queue_update(e->db, m, err);
	}
	return rc;
}

/* Every agent with a command and a line gets a head: lines may have grown while it had none. */
static int mend_heads(struct engine *e, usec_t now, struct error *err)
{
	for (size_t i = 0; i < e->config->agent_count; i++) {
		const struct config_agent *agent = &e->config->agents[i];
		bool has_head = false;
		int rc;

		if (!agent->deliver)
			continue;
		rc = queue_has_head(e->db, agent->name, &has_head, err);
		if (rc >= 0 && !has_head)
			rc = promote(e, agent->name, now, err);
		if (rc < 0)
			return rc;
	}
	e->heads_stale = false;
	return 0;
}

/*
 * No back-off is longer than the longest, so an attempt further away was planned by a clock that
 * has been set back since. Few rows: only heads of lines have an attempt.
 */
static int mend_attempts(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MESSAGES struct message_list heads = {0};
	int rc = queue_due(e->db, INSTANT_MAX, INT_MAX, &heads, err);

	for (size_t i = 0; rc >= 0 && i < heads.count; i++) {
		if (heads.items[i]->attempt_at <= now + 2 * BACKOFF_MAX)
			continue;
		heads.items[i]->attempt_at = now;
		rc = queue_update(e->db, heads.items[i], err);
	}
	return rc;
}

static int mend(struct engine *e, usec_t now, struct error *err)
{
	int rc = mend_attempts(e, now, err);

	return rc < 0 ? rc : mend_heads(e, now, err);
}

/* An agent that wrote too much was refused: it has heard, and now the person does. */
static int tell_loop(struct engine *e, usec_t now, struct error *err)
{
	AUTO(free) char *who = steal_ptr(&e->looped_who);
	AUTO(free) char *text = steal_ptr(&e->looped);

	return text ? trouble_tell(e, who, NULL, "an agent writes without end", text, now, err) : 0;
}

int engine_dispatch(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MESSAGES struct message_list due = {0};
	bool back = now < e->dispatched_at;
	int rc = e->heads_stale || back ? mend(e, now, err) : 0;

	e->dispatched_at = now;
	e->waits_stale |= back;
	e->asks_stale |= back;
	e->live_stale |= back;
	e->hooks_stale |= back;
	if (rc >= 0)
		rc = queue_due(e->db, now, OFFER_BATCH, &due, err);
	for (size_t i = 0; rc >= 0 && i < due.count; i++)
		rc = offer(e, due.items[i], now, err);
	if (rc < 0 || (rc = tell_loop(e, now, err)) < 0 ||
	    (rc = boundary_dispatch(e, now, err)) < 0 || (rc = check_dispatch(e, now, err)) < 0 ||
	    (rc = hook_dispatch(e, now, err)) < 0 || (rc = live_dispatch(e, now, err)) < 0 ||
	    (rc = line_advance(e, now, err)) < 0)
		return rc;
	return inbox_dispatch(e, now, err);
}
