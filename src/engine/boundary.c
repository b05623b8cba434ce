/*
 * boundary.c: what an agent sets for its own session.
 *
 *	set ──▶ waiting ──due, at a hook──────────▶ offered ──next event──▶ delivered
 *	           │                                   (hook.c)
 *	           ├───due by time, session hosted──▶ queued ──typed──▶ delivered
 *	           ├───due, with nothing to say─────▶ passed
 *	           └───taken back───────────────────▶ cleared
 *
 * Calls are counted by the session's row, so that a boundary is a number to reach and needs no upkeep of its
 * own. Minutes are an instant. In a session that Belfry hosts that instant wakes the daemon (`host`), and the
 * block is typed like any message; in others nobody can be told before their next prompt. A hosted session
 * that is gone by then is told when it comes back: without a host the row waits for its hooks, and what had
 * been queued but not typed is taken back, for the agent may begin another conversation, which never set it.
 */
#include "engine/boundary.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "engine/internal.h"
#include "engine/live-parts.h"

#define DUE_BATCH 64

/* --- words -------------------------------------------------------------------------------- */

bool boundary_speaks(const struct boundary_row *b)
{
	return b->message || b->lessons || b->step;
}

static void add_lessons(const char *lessons, struct buf *out)
{
	AUTO(json_decref) json_t *list = lessons ? json_loads(lessons, 0, NULL) : NULL;
	const json_t *lesson;
	size_t i;

	if (!json_array_size(list))
		return;
	buf_add_str(out, "\n\nLessons to read:");
	json_array_foreach(list, i, lesson)
	{
		buf_printf(out, "\n  - call get_lesson(\"%s\")", json_string_value(lesson));
	}
}

char *engine_boundary_text(const struct boundary_row *b)
{
	struct buf out = {0};

	buf_printf(&out, "🔔 REMINDER YOU SET FOR YOURSELF (%s)", b->id);
	if (b->message)
		buf_printf(&out, "\n\nMessage: %s", b->message);
	if (b->step)
		buf_printf(&out, "\n\nWorkflow step to do now:\n  - call get_workflow_step(\"%s\")",
			   b->step);
	add_lessons(b->lessons, &out);
	if (b->note)
		buf_printf(&out, "\n\nYour note: %s", b->note);
	return buf_steal(&out);
}

/* --- set ---------------------------------------------------------------------------------- */

struct agent_session *session_new(const char *id, const char *owner, usec_t now)
{
	struct agent_session *s = mem_zalloc(sizeof(*s));

	s->id = mem_strdup(id);
	s->owner = mem_strdup(owner);
	s->created_at = s->seen_at = now;
	s->ended_at = USEC_NONE;
	return s;
}

int session_host(struct engine *e, int64_t mission, char **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = mission ? live_of_mission(e->db, mission, &l, err) : 0;

	if (rc >= 0)
		*ret = live_row_present(l) ? mem_strdup(l->agent) : NULL;
	return rc;
}

static int refuse_soon(struct error *err)
{
	error_set(err, ERR_INVALID, "a boundary needs at least one call, or more than 0 minutes");
	return error_hint(err,
			  "give --suppress-for-calls (1 or more), --suppress-for-minutes, or both");
}

static int check_when(const struct boundary_row *b, usec_t now, struct error *err)
{
	bool calls = b->due_call != -1, time = b->due_at != USEC_NONE;

	if ((!calls && !time) || (calls && b->due_call < 1) || (time && b->due_at <= now))
		return refuse_soon(err);
	if (calls && b->due_call > BOUNDARY_CALLS_MAX)
		return error_set(err, ERR_INVALID,
				 "a boundary holds for at most %d calls, not %lld",
				 BOUNDARY_CALLS_MAX, (long long)b->due_call);
	if (time && b->due_at - now > BOUNDARY_MINUTES_MAX * USEC_PER_MINUTE)
		return error_set(err, ERR_INVALID, "a boundary holds for at most %d minutes",
				 BOUNDARY_MINUTES_MAX);
	return 0;
}

static int check_length(const char *what, const char *text, size_t most, struct error *err)
{
	if (!text || strlen(text) <= most)
		return 0;
	error_set(err, ERR_INVALID, "the %s is %zu bytes long, and may have %zu", what,
		  strlen(text), most);
	return error_hint(err, "a lesson has room for more: name it in --lesson-ids");
}

static int check_texts(const struct boundary_row *b, struct error *err)
{
	int rc = check_length("message", b->message, BOUNDARY_MESSAGE_MAX, err);

	if (rc >= 0)
		rc = check_length("note", b->note, BOUNDARY_NOTE_MAX, err);
	return rc < 0 ? rc : check_length("workflow step", b->step, BOUNDARY_NAME_MAX, err);
}

static int check_room(struct engine *e, const char *session, const char *owner, struct error *err)
{
	AUTO_BOUNDARIES struct boundary_row_list pending = {0};
	int rc = boundary_pending_by(e->db, session, owner, &pending, err);

	if (rc < 0 || pending.count < BOUNDARY_PENDING_MAX)
		return rc;
	error_set(err, ERR_CONFLICT, "%zu boundaries are pending in this session already",
		  pending.count);
	return error_hint(err, "belfry boundary clear --session %.64s", session);
}

/* Its row; a new one is of the mission whose run names it. */
static int find_session(struct engine *e, const struct boundary_row *b, int64_t mission, usec_t now,
			struct agent_session **ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc = agent_session_find(e->db, b->session, b->owner, &s, err);

	if (rc < 0)
		return rc;
	if (!s) {
		s = session_new(b->session, b->owner, now);
		s->mission = mission;
		rc = agent_session_put(e->db, s, err);
	}
	if (rc >= 0)
		*ret = steal_ptr(&s);
	return rc;
}

int engine_boundary_set(struct engine *e, struct boundary_row *b, int64_t mission, usec_t now,
			struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc = check_when(b, now, err);

	if (rc < 0 || (rc = check_texts(b, err)) < 0 ||
	    (rc = check_room(e, b->session, b->owner, err)) < 0 ||
	    (rc = find_session(e, b, mission, now, &s, err)) < 0)
		return rc;
	free(steal_ptr(&b->host));
	if ((rc = session_host(e, s->mission, &b->host, err)) < 0)
		return rc;
	b->set_call = s->calls;
	if (b->due_call != -1)
		b->due_call += s->calls;
	b->state = BOUNDARY_WAITING;
	b->printed = false;
	b->queue = 0;
	b->created_at = b->updated_at = now;
	b->offered_at = b->ended_at = USEC_NONE;
	return boundary_insert(e->db, b, err);
}

/* --- its end ------------------------------------------------------------------------------ */

bool boundary_is_due(const struct boundary_row *b, int64_t calls, usec_t now)
{
	return (b->due_call != -1 && calls >= b->due_call) ||
	       (b->due_at != USEC_NONE && now >= b->due_at);
}

int boundary_set_state(struct engine *e, struct boundary_row *b, enum boundary state, usec_t now,
		       struct error *err)
{
	b->state = state;
	b->updated_at = now;
	if (state == BOUNDARY_DELIVERED || state == BOUNDARY_PASSED || state == BOUNDARY_CLEARED)
		b->ended_at = now;
	return boundary_update(e->db, b, err);
}

/* What was printed has been told, and what is queued is on its way: neither can be taken back. */
int engine_boundary_clear(struct engine *e, const char *session, const char *owner, usec_t now,
			  int64_t *ret, struct error *err)
{
	AUTO_BOUNDARIES struct boundary_row_list pending = {0};
	int rc = boundary_pending_by(e->db, session, owner, &pending, err);

	*ret = 0;
	for (size_t i = 0; rc >= 0 && i < pending.count; i++) {
		struct boundary_row *b = pending.items[i];

		if (b->printed || b->state == BOUNDARY_QUEUED)
			continue;
		rc = boundary_set_state(e, b, BOUNDARY_CLEARED, now, err);
		++*ret;
	}
	return rc;
}

/* --- time, in hosted sessions ------------------------------------------------------------- */

/* Whether its session is the one that its host has now: another conversation did not set it. */
static int is_hosted(struct engine *e, const struct boundary_row *b, bool *ret, struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	AUTO(free) char *host = NULL;
	int rc = agent_session_find(e->db, b->session, b->owner, &s, err);

	if (rc >= 0 && s && s->ended_at == USEC_NONE)
		rc = session_host(e, s->mission, &host, err);
	*ret = host && strcmp(host, b->host) == 0;
	return rc;
}

static int tell_host(struct engine *e, struct boundary_row *b, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	AUTO(free) char *text = engine_boundary_text(b);
	int rc = deliver_send(e, b->host, NULL, text, PRIORITY_NORMAL, now, &m, err);

	if (rc < 0)
		return rc;
	b->queue = m->key;
	return boundary_set_state(e, b, BOUNDARY_QUEUED, now, err);
}

static int time_passed(struct engine *e, struct boundary_row *b, usec_t now, struct error *err)
{
	bool hosted = false;
	int rc;

	if (!boundary_speaks(b))
		return boundary_set_state(e, b, BOUNDARY_PASSED, now, err);
	if ((rc = is_hosted(e, b, &hosted, err)) < 0)
		return rc;
	if (hosted)
		return tell_host(e, b, now, err);
	free(steal_ptr(&b->host));
	return boundary_set_state(e, b, BOUNDARY_WAITING, now, err);
}

int boundary_dispatch(struct engine *e, usec_t now, struct error *err)
{
	AUTO_BOUNDARIES struct boundary_row_list due = {0};
	int rc = boundary_due(e->db, now, DUE_BATCH, &due, err);

	for (size_t i = 0; rc >= 0 && i < due.count; i++)
		rc = time_passed(e, due.items[i], now, err);
	return rc;
}

/* --- the end of a hosted session ---------------------------------------------------------- */

int boundary_withdraw(struct engine *e, struct boundary_row *b, usec_t now, struct error *err)
{
	AUTO(message_free) struct message *m = NULL;
	int rc = queue_get(e->db, b->queue, &m, err);

	if (rc < 0 || m->state != DELIVERY_QUEUED)
		return rc == ERR_NOT_FOUND ? 0 : rc;
	m->state = DELIVERY_FAILED;
	m->attempt_at = USEC_NONE;
	m->done_at = now;
	mem_replace(&m->last_error, "the conversation that set it is gone; it is told when that "
				    "comes back");
	if ((rc = queue_update(e->db, m, err)) < 0)
		return rc;
	b->queue = 0;
	free(steal_ptr(&b->host));
	return boundary_set_state(e, b, BOUNDARY_WAITING, now, err);
}

int boundary_host_gone(struct engine *e, const char *agent, usec_t now, struct error *err)
{
	AUTO_BOUNDARIES struct boundary_row_list queued = {0};
	int rc = boundary_queued(e->db, agent, &queued, err);

	for (size_t i = 0; rc >= 0 && i < queued.count; i++)
		rc = boundary_withdraw(e, queued.items[i], now, err);
	return rc;
}
