/*
 * hook-tell.c: what an event brings into a conversation.
 *
 *	UserPromptSubmit  the session's own boundaries that are due, oldest first; what people answered it; what
 *	                  is queued for its agent; what the prompt matches in config.yml, unless a boundary of
 *	                  the session still waits
 *	PostToolUse       what people answered, what is queued as an interrupt, in the middle of a turn
 *	Stop              the same, as the reason to go on, unless the session goes on for such a reason already
 *	SessionStart      what is pending, queued and upcoming, in a few lines; also after compaction
 *
 * What is queued is told by hooks only where nothing else tells it: a session that Belfry hosts is typed to,
 * and an agent with a deliver command has that (deliver.c).
 *
 * An answer is made of whole items and bounded, since clients cut longer ones. What has no room is not offered:
 * it waits for the next event.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "engine/hook-parts.h"
#include "engine/trust.h"
#include "schedule/duration.h"
#include "store/upcoming.h"

#define MESSAGES_MAX 5	/* a prompt has room for */
#define BODY_MAX 5000	/* bytes of a message; the rest can be looked up */
#define PROMPT_MAX 8192 /* bytes that patterns look at */
#define UPCOMING_MAX 5
#define UPCOMING_SPAN USEC_PER_DAY
#define EXCERPT_MAX 160
#define COUNTED_MAX 100

/* --- an answer of whole items ------------------------------------------------------------- */

/* As JSON writes it. */
static size_t size_of(const char *text)
{
	size_t size = 0;

	for (; *text; text++)
		size += *text == '"' || *text == '\\' || *text == '\n' || *text == '\t' ? 2
			: (unsigned char)*text < ' ' || *text == 0x7f			? 6
											: 1;
	return size;
}

static bool add_item(struct telling *t, const char *item)
{
	const char *gap = t->text.len ? "\n\n" : "";
	size_t size = size_of(gap) + size_of(item);

	if (t->size + size >= HOOK_TEXT_MAX)
		return false;
	buf_add_str(&t->text, gap);
	buf_add_str(&t->text, item);
	t->size += size;
	return true;
}

/* --- boundaries --------------------------------------------------------------------------- */

static bool is_to_tell(const struct telling *t, const struct boundary_row *b)
{
	if (b->state == BOUNDARY_OFFERED)
		return telling_was_dropped(t, b->offered_at, b->printed);
	return b->state == BOUNDARY_WAITING && boundary_is_due(b, t->session->calls, t->now);
}

static int tell_boundaries(struct telling *t, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < t->bounds.count; i++) {
		struct boundary_row *b = t->bounds.items[i];
		AUTO(free) char *text = NULL;

		if (!is_to_tell(t, b))
			continue;
		text = engine_boundary_text(b);
		if (!add_item(t, text))
			return 0; /* those after it are younger */
		b->offered_at = t->offer;
		t->confirm = true;
		rc = boundary_set_state(t->e, b, BOUNDARY_OFFERED, t->now, err);
	}
	return rc;
}

/* --- what people answered it -------------------------------------------------------------- */

/* Until there is room for it. Returns whether something had to go. */
static bool shorten(char *body)
{
	size_t len = strlen(body), kept = len;

	while (size_of(body) > BODY_MAX) {
		kept = text_fit(body, kept > BODY_MAX ? BODY_MAX : kept * 3 / 4);
		body[kept] = '\0';
	}
	return kept < len;
}

static int words_of_reply(const struct telling *t, const struct mail *m, char **ret,
			  struct error *err)
{
	AUTO(free) char *body = NULL;
	AUTO(free) char *more = NULL;
	int rc = replies_text(t->e, m, &body, err);

	if (rc < 0)
		return rc;
	more = shorten(body) ? mem_printf("…\n(All of it: call inbox_replies with since=%lld)",
					  (long long)m->seq - 1)
			     : mem_strdup("");
	*ret = mem_printf("[belfry thread %s, message %lld] %s: %s%s", t->thread->id,
			  (long long)m->seq, m->author ? m->author : "Belfry", body, more);
	return 0;
}

static int tell_replies(struct telling *t, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < t->replies.count; i++) {
		struct mail *m = t->replies.items[i];
		AUTO(free) char *text = NULL;

		/* What stands in a queue, too, comes from there. */
		if (m->queue || !pull_is_open(m, t->now))
			continue;
		if ((rc = words_of_reply(t, m, &text, err)) < 0)
			return rc;
		if (!add_item(t, text))
			return 0; /* those after it are younger */
		t->confirm = true;
		rc = pull_take(t->e, m, t->offer, t->now, err);
	}
	return rc < 0 ? rc : 0;
}

/* --- the queue of its agent --------------------------------------------------------------- */

static char *words_of(const struct message *m)
{
	AUTO(free) char *clean = text_clean(m->body, strlen(m->body));
	/* What an agent wrote must not look like a word of the person, or of ours. */
	AUTO(free) char *body = m->sender ? text_indent(clean) : steal_ptr(&clean);
	AUTO(free)
	char *more = shorten(body) ? mem_printf("…\n(All of it: belfry queue show %s)", m->id)
				   : mem_strdup("");

	return mem_printf("[belfry %s%s%s] %s%s", m->id, m->sender ? " from " : "",
			  m->sender ? m->sender : "", body, more);
}

/* Returns 1 when it was told, 0 when there is no room. */
static int tell_message(struct telling *t, struct message *m, struct error *err)
{
	AUTO(free) char *text = words_of(m);
	int rc;

	if (!add_item(t, text))
		return 0;
	m->state = DELIVERY_OFFERED;
	m->offered_at = t->offer;
	m->attempt_at = USEC_NONE;
	m->attempts++;
	m->printed = false;
	mem_replace(&m->session, t->session->id);
	t->confirm = true;
	rc = queue_update(t->e->db, m, err);
	return rc < 0 ? rc : 1;
}

/* What was written for one user's agents is not told in a session of another, whatever their trust. */
static bool is_for_owner(const struct telling *t, const struct message *m)
{
	return strcmp(m->owner ? m->owner : "me", t->event->owner) == 0;
}

/* What this session was given before and did not get. */
static int tell_again(struct telling *t, enum priority lowest, int *left, struct error *err)
{
	int rc = 1;

	for (size_t i = 0; rc > 0 && *left && i < t->offered.count; i++) {
		struct message *m = t->offered.items[i];

		if (m->state != DELIVERY_OFFERED || m->priority > lowest || !is_for_owner(t, m) ||
		    !telling_was_dropped(t, m->offered_at, m->printed))
			continue;
		rc = tell_message(t, m, err);
		--*left;
	}
	return rc;
}

static int tell_new(struct telling *t, enum priority lowest, int *left, struct error *err)
{
	int rc = 1;

	while (rc > 0 && *left) {
		AUTO(message_free) struct message *m = NULL;

		rc = queue_head_for(t->e->db, t->session->agent, t->event->owner, lowest, &m, err);
		if (rc < 0 || !m)
			return rc;
		rc = tell_message(t, m, err);
		--*left;
	}
	return rc;
}

/* Whether hooks are the way to its agent. What is queued for that is no matter of users who are hardly trusted. */
static int is_reached_by_hooks(struct telling *t, bool *ret, struct error *err)
{
	const char *agent = t->session->agent;

	*ret = false;
	if (!agent || t->session->mission || strcmp(agent, "me") == 0 ||
	    trust_in(t->e->config, t->event->owner) < TRUST_INNER)
		return 0;
	return deliver_has_no_way(t->e, agent, ret, err);
}

/* At least as urgent as that. */
static int tell_messages(struct telling *t, enum priority lowest, struct error *err)
{
	int left = MESSAGES_MAX, rc;
	bool reached = false;

	if ((rc = is_reached_by_hooks(t, &reached, err)) < 0 || !reached)
		return rc;
	rc = tell_again(t, lowest, &left, err);
	if (rc > 0)
		rc = tell_new(t, lowest, &left, err);
	return rc < 0 ? rc : 0;
}

/* --- patterns ----------------------------------------------------------------------------- */

static bool is_suppressed(const struct telling *t)
{
	for (size_t i = 0; i < t->bounds.count; i++)
		if (t->bounds.items[i]->state == BOUNDARY_WAITING)
			return true;
	return false;
}

static bool is_for(const struct config_pattern *p, const char *agent)
{
	return !p->agent || (agent && strcmp(p->agent, agent) == 0);
}

static void tell_patterns(struct telling *t)
{
	const struct config *c = t->e->config;
	AUTO(free) char *prompt = NULL;

	if (!t->event->prompt || !c->pattern_count || is_suppressed(t))
		return;
	prompt = mem_strndup(t->event->prompt, text_fit(t->event->prompt, PROMPT_MAX));
	for (size_t i = 0; i < c->pattern_count; i++) {
		AUTO(free) char *text = NULL;

		if (!is_for(&c->patterns[i], t->session->agent) ||
		    !config_pattern_matches(&c->patterns[i], prompt))
			continue;
		text = mem_printf("Reminder: %s", c->patterns[i].say);
		add_item(t, text);
	}
}

/* --- the beginning of a session ----------------------------------------------------------- */

static void put_until(const struct telling *t, const struct boundary_row *b, struct buf *out)
{
	int64_t left = b->due_call - t->session->calls;
	char at[INSTANT_TEXT_MAX];

	if (b->due_call != -1 && left > 1)
		buf_printf(out, "in %lld prompts", (long long)left);
	else if (b->due_call != -1)
		buf_add_str(out, "at the next prompt");
	if (b->due_at == USEC_NONE)
		return;
	instant_format_near(b->due_at, t->now, context_zone(t->e, NULL), at);
	buf_printf(out, "%s%s", b->due_call != -1 ? " or at " : "at ", at);
}

/* That it is pending, and until when: what it says comes when it is due. */
static void list_boundaries(const struct telling *t, struct buf *out)
{
	for (size_t i = 0; i < t->bounds.count; i++) {
		const struct boundary_row *b = t->bounds.items[i];

		if (b->ended_at != USEC_NONE || b->state != BOUNDARY_WAITING)
			continue;
		buf_add_str(out, boundary_speaks(b)
					 ? "\n- a reminder you set for yourself, due "
					 : "\n- you hold other reminders back; that ends ");
		put_until(t, b, out);
	}
}

static void list_replies(const struct telling *t, struct buf *out)
{
	size_t count = 0;

	for (size_t i = 0; i < t->replies.count; i++)
		count += !t->replies.items[i]->queue && pull_is_open(t->replies.items[i], t->now);
	if (count)
		buf_printf(out,
			   "\n- %zu answer%s of people to what you wrote, which come%s with the "
			   "next prompt",
			   count, count == 1 ? "" : "s", count == 1 ? "s" : "");
}

static int list_queued(struct telling *t, struct buf *out, struct error *err)
{
	const char *agent = t->session->agent;
	bool reached = false;
	int64_t count = 0;
	int rc = is_reached_by_hooks(t, &reached, err);

	if (rc < 0 || !reached ||
	    (rc = queue_waiting(t->e->db, agent, t->event->owner, COUNTED_MAX, &count, err)) < 0)
		return rc;
	if (count)
		buf_printf(out,
			   "\n- %lld%s message%s for agent '%s' %s queued, and will come with "
			   "the next prompts",
			   (long long)count, count == COUNTED_MAX ? " or more" : "",
			   count == 1 ? "" : "s", agent, count == 1 ? "is" : "are");
	return 0;
}

/* What a run has set under the name of this session is told here only if that is its conversation. */
static int is_anothers(struct telling *t, const struct reminder *r, bool *ret, struct error *err)
{
	const struct agent_session *s = t->session;
	bool own = false;
	int rc;

	*ret = false;
	if (!r->made_by || !r->session || strcmp(r->session, s->id) != 0 ||
	    (s->agent && strcmp(r->agent, s->agent) == 0))
		return 0;
	rc = engine_session_is_of(t->e, s->id, s, r->made_by, &own, err);
	*ret = !own;
	return rc;
}

static int list_upcoming(struct telling *t, struct buf *out, struct error *err)
{
	const struct upcoming_filter filter = {.agent = t->session->agent,
					       .session = t->session->id,
					       .owner = t->session->owner,
					       .until = t->now + UPCOMING_SPAN,
					       .limit = UPCOMING_MAX};
	AUTO_REMINDERS struct reminder_list list = {0};
	int rc = upcoming_list(t->e->db, &filter, &list, err);

	for (size_t i = 0; rc >= 0 && i < list.count; i++) {
		const struct reminder *r = list.items[i];
		AUTO(free) char *gist = excerpt_text(r->name, r->message, EXCERPT_MAX);
		char at[INSTANT_TEXT_MAX];
		bool anothers = false;

		/* A cron is a mission of its own: nothing of it comes to this session. */
		if (r->action == ACTION_RUN || (rc = is_anothers(t, r, &anothers, err)) < 0 ||
		    anothers)
			continue;
		instant_format_near(r->due_at, t->now, context_zone(t->e, r), at);
		buf_printf(out, "\n- %s %s: %s",
			   r->due_at <= t->now ? "due since" : "reminder, due", at, gist);
	}
	return rc;
}

static int tell_start(struct telling *t, struct error *err)
{
	AUTO_BUF struct buf out = {0};
	AUTO(free) char *text = NULL;
	int rc;

	list_boundaries(t, &out);
	list_replies(t, &out);
	if ((rc = list_queued(t, &out, err)) < 0 || (rc = list_upcoming(t, &out, err)) < 0)
		return rc;
	if (!out.len)
		return 0;
	/* A hundred boundaries are more than a summary. */
	if (size_of(buf_text(&out)) > BODY_MAX)
		shorten(out.data);
	text = mem_printf("Belfry has for this session (each comes by itself when it is due):%s",
			  buf_text(&out));
	add_item(t, text);
	return 0;
}

/* --- events ------------------------------------------------------------------------------- */

static int tell_prompt(struct telling *t, struct error *err)
{
	int rc = tell_boundaries(t, err);

	if (rc < 0 || (rc = tell_replies(t, err)) < 0 ||
	    (rc = tell_messages(t, PRIORITY_IDLE, err)) < 0)
		return rc;
	tell_patterns(t);
	return 0;
}

static int tell_urgent(struct telling *t, struct error *err)
{
	int rc = tell_replies(t, err);

	return rc < 0 ? rc : tell_messages(t, PRIORITY_INTERRUPT, err);
}

static int tell_stop(struct telling *t, struct error *err)
{
	if (t->event->stop_hook_active)
		return 0;
	t->block = true;
	return tell_urgent(t, err);
}

static const struct {
	const char *event;
	int (*tell)(struct telling *t, struct error *err);
} events[] = {
	{"UserPromptSubmit", tell_prompt},
	{"PostToolUse", tell_urgent},
	{"Stop", tell_stop},
	{"SessionStart", tell_start},
};

int telling_tell(struct telling *t, struct error *err)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strcmp(events[i].event, t->event->name) == 0)
			return events[i].tell(t, err);
	return 0;
}
