/*
 * live.c: sessions, from the start that somebody asks for to their end.
 *
 *	start ──▶ starting ──opened, host──▶ starting with a run ──seen──▶ idle, busy, blocked
 *	   ▲          │ no host in time               │                        │
 *	   │          ▼                               ▼  its run has ended     ▼
 *	   └─again── gone ◀───────────────────────────┴────────────────────────┘
 *
 * A session is an interactive run of a mission, so it begins and ends with that: the process in the
 * window is recorded before it does anything, and a mission has one open run at most, so no agent
 * runs twice. The row is only what is known of it; what a crash left half-way is found by it. While
 * there is no host, `started_at` is USEC_NONE; a run that began earlier is not the session's.
 *
 * How it ends is in live-end.c; what is typed into it, and when, in live-offer.c.
 */
#include "engine/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/inbox.h"
#include "engine/internal.h"
#include "engine/live-parts.h"
#include "engine/mission.h"
#include "store/boundary.h"

/* --- start -------------------------------------------------------------------------------- */

static int refuse_second(const struct live *l, struct error *err)
{
	if (!l->wanted) {
		error_set(err, ERR_CONFLICT, "the session of agent '%s' is still ending", l->agent);
		return error_hint(err, "belfry agent restart %s", l->agent);
	}
	error_set(err, ERR_CONFLICT, "agent '%s' has a session: it is %s", l->agent,
		  presence_word(l->state));
	return error_hint(err, "belfry agent attach %s", l->agent);
}

static int unknown_agent(const struct engine *e, struct error *err)
{
	if (err->code == ERR_NOT_FOUND && e->config->role_count &&
	    !strstr(err->hint, "did you mean"))
		error_hint(err, "say what it is with --role, or declare it in '%s'",
			   e->config->path);
	return err->code;
}

/* Who it is: by the configuration, or by the role it is or was given. */
int live_find_agent(struct engine *e, const struct live *l, const char *role,
		    const struct config_agent **ret, struct error *err)
{
	int rc = role ? config_bind(e->config, l->agent, role, err) : 0;

	if (rc < 0)
		return rc;
	*ret = config_agent(e->config, l->agent, err);
	if (!*ret && !role && l->role && config_bind(e->config, l->agent, l->role, err) >= 0)
		*ret = config_agent(e->config, l->agent, err);
	if (!*ret)
		return unknown_agent(e, err);
	*err = (struct error){0};
	if ((*ret)->adapter && (*ret)->adapter->templates[USE_INTERACTIVE])
		return 0;
	error_set(err, ERR_INVALID, "agent '%s' cannot be started: %s", l->agent,
		  (*ret)->adapter ? "its adapter has no 'interactive'" : "it has no adapter");
	return error_hint(err, "give it 'adapter: claude' or 'command: [...]' in %s",
			  e->config->path);
}

static bool can_go_on(const struct mission *m, const struct config_agent *agent)
{
	if (m->phase != PHASE_ENDED || strcmp(m->agent, agent->name) != 0)
		return false;
	return !m->runs || (m->session && agent->adapter->templates[USE_RESUME_INTERACTIVE]);
}

static int new_mission(struct engine *e, const struct config_agent *agent, usec_t now,
		       struct mission **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = mem_zalloc(sizeof(*m));
	struct policy usual = {0};
	int rc;

	engine_policy_defaults(e, DOOR_HAND, agent->name, &usual);
	m->agent = mem_strdup(agent->name);
	m->prompt = mem_printf("live session of %s", agent->name);
	m->time_limit = usual.time_limit;
	m->max_attempts = usual.max_attempts;
	m->retry_on = usual.retry_on;
	m->backoff = usual.backoff;
	rc = engine_mission_prepare(e, m, now, err);
	if (rc >= 0)
		*ret = steal_ptr(&m);
	return rc;
}

/* The conversation it had, when it can be gone on with, or a new one. */
static int choose_mission(struct engine *e, struct live *l, const struct config_agent *agent,
			  bool fresh, usec_t now, struct mission **ret, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = fresh ? 0 : live_load_mission(e, l, &m, err);

	if (rc >= 0 && (!m || !can_go_on(m, agent))) {
		mission_free(steal_ptr(&m));
		rc = new_mission(e, agent, now, &m, err);
	}
	if (rc < 0)
		return rc;
	l->mission = m->key;
	*ret = steal_ptr(&m);
	return 0;
}

/* The row says that it starts, and a window is wished for. */
static int begin(struct engine *e, struct live *l, const struct config_agent *agent, bool fresh,
		 usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = choose_mission(e, l, agent, fresh, now, &m, err);

	if (rc < 0)
		return rc;
	live_row_set(l, PRESENCE_STARTING, "its window is being opened", now);
	l->wanted = true;
	l->again = false;
	l->started_at = l->ended_at = USEC_NONE;
	mem_replace(&l->pane, NULL);
	mem_replace(&l->end_reason, NULL);
	if ((rc = live_row_save(e, l, now, err)) < 0 ||
	    (rc = replies_to_queue(e, m, now, err)) < 0 ||
	    (rc = boundary_set_host(e->db, m->key, l->agent, now, err)) < 0)
		return rc;
	engine_add_job(e, live_job(e, JOB_OPEN, l, m));
	return 0;
}

int live_begin(struct engine *e, struct live *l, const char *role, bool fresh, usec_t now,
	       struct error *err)
{
	const struct config_agent *agent = NULL;
	int rc = live_find_agent(e, l, role, &agent, err);

	if (rc < 0)
		return rc;
	if (role) {
		mem_replace(&l->role, role);
		e->seed_stale = true; /* its reminders are for this agent now */
	}
	return begin(e, l, agent, fresh, now, err);
}

void live_bind_as_row(struct engine *e, const char *agent, const char *role)
{
	struct error why = {0};

	config_unbind(e->config, agent);
	if (role && config_bind(e->config, agent, role, &why) < 0)
		log_debug("agent '%s': %s", agent, why.message);
	e->seed_stale = true; /* its role may have had reminders */
}

/* The name becomes that of a window, and is typed in front of messages. */
static int check_name(const char *agent, struct error *err)
{
	if (strcmp(agent, "me") == 0) {
		error_set(err, ERR_INVALID, "'me' is the person, not an agent");
		return error_hint(err, "belfry agent ls lists the agents");
	}
	if (text_is_name(agent))
		return 0;
	error_set(err, ERR_INVALID, "'%s' is not a name for an agent", agent);
	return error_hint(err, "1 to 64 letters, digits, '.', '_' and '-', "
			       "beginning with a letter, a digit or '_'");
}

static int find_or_new(struct engine *e, const char *agent, usec_t now, struct live **ret,
		       struct error *err)
{
	int rc = check_name(agent, err);

	if (rc >= 0)
		rc = live_find(e->db, agent, ret, err);
	if (rc >= 0 && !*ret)
		*ret = live_row_new(agent, now);
	return rc;
}

int engine_live_start(struct engine *e, const char *agent, const char *role, bool fresh, usec_t now,
		      struct live **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = find_or_new(e, agent, now, &l, err);

	if (rc < 0)
		return rc;
	if (live_row_present(l))
		return refuse_second(l, err);
	l->starts = 0;
	rc = live_begin(e, l, role, fresh, now, err);
	if (rc >= 0)
		*ret = steal_ptr(&l);
	else if (role)
		live_bind_as_row(e, agent, l->role);
	return rc;
}

/* --- by itself ---------------------------------------------------------------------------- */

/* It was not started; the person is told when that is news. */
static int start_refused(struct engine *e, struct live *l, const struct reminder *r,
			 const char *why, usec_t now, struct error *err)
{
	AUTO(free) char *text = NULL;
	bool told = l->end_reason && strcmp(l->end_reason, why) == 0;
	int rc;

	mem_replace(&l->end_reason, why);
	rc = live_put(e->db, l, err);
	if (rc < 0 || told)
		return rc;
	text = mem_printf("Agent '%s' was to be started for this, and was not: %s\n\nWhat is for "
			  "it waits in its queue.",
			  l->agent, why);
	return deliver_notice(e, r, NULL, "its agent was not started", text, now, err);
}

int live_start_for(struct engine *e, const struct reminder *r, usec_t now, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	struct error why = {0};
	int rc = find_or_new(e, r->agent, now, &l, err);

	if (rc < 0 || live_row_present(l))
		return rc;
	if (l->starts >= LIVE_STARTS_MAX)
		return start_refused(
			e, l, r, "it was started again and again, and never became idle", now, err);
	l->starts++;
	rc = live_begin(e, l, NULL, false, now, &why);
	if (rc == ERR_INVALID || rc == ERR_NOT_FOUND || rc == ERR_CONFLICT)
		return start_refused(e, l, r, why.message, now, err);
	if (rc < 0)
		*err = why;
	return rc;
}

/* --- host --------------------------------------------------------------------------------- */

int engine_live_host(struct engine *e, const char *agent, const struct process_id *host, usec_t now,
		     char **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *order = NULL;
	int rc = live_need(e, agent, &l, err);

	if (rc < 0 || (rc = live_load_mission(e, l, &m, err)) < 0)
		return rc;
	if (live_row_hosted(l))
		return refuse_second(l, err);
	if (!m)
		return error_set(err, ERR_CONFLICT, "the mission of agent '%s' has been removed",
				 agent);
	rc = run_attach(e, m, host, NULL, now, &order, err);
	if (rc < 0)
		return rc;
	live_row_set(l, PRESENCE_STARTING, "its process was started", now);
	l->started_at = now;
	l->again = false;
	if ((rc = live_row_save(e, l, now, err)) < 0 || (rc = live_instruct(e, l, m, now, err)) < 0)
		return rc;
	*ret = steal_ptr(&order);
	return 0;
}

/* --- what the daemon saw ------------------------------------------------------------------ */

static void close_stranger(struct engine *e, const char *agent, const char *pane)
{
	struct live nobody = {.agent = (char *)(uintptr_t)agent, .pane = (char *)(uintptr_t)pane};

	engine_add_job(e, live_job(e, JOB_CLOSE, &nobody, NULL));
}

int engine_live_opened(struct engine *e, const char *agent, const char *pane, usec_t now,
		       struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0)
		return rc;
	if (!live_row_present(l)) {
		close_stranger(e, agent, pane);
		return 0;
	}
	mem_replace(&l->pane, pane);
	mem_replace(&l->end_reason, NULL);
	if (!live_row_hosted(l)) {
		live_row_set(l, PRESENCE_STARTING, "its window is open", now);
		l->again = false;
	}
	return live_row_save(e, l, now, err);
}

/* What was typed a moment ago may not have shown yet: only newer idleness counts. */
static bool is_stale(const struct live *l, enum presence state, usec_t since)
{
	return state == PRESENCE_IDLE && l->state == PRESENCE_BUSY && since < l->since &&
	       strncmp(l->evidence, LIVE_GOT, strlen(LIVE_GOT)) == 0;
}

int engine_live_seen(struct engine *e, const char *agent, enum presence state, const char *evidence,
		     usec_t since, usec_t now, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0 || !live_row_present(l) || !live_row_hosted(l) || state == PRESENCE_GONE)
		return rc;
	since = since > now ? now : since;
	if (is_stale(l, state, since))
		return 0;
	live_row_set(l, state, evidence, since);
	if (state == PRESENCE_IDLE)
		l->starts = 0;
	if (state == PRESENCE_IDLE || state == PRESENCE_BUSY)
		l->told_at = USEC_NONE;
	return live_row_save(e, l, now, err);
}

int engine_live_asks(struct engine *e, const char *agent, const char *screen, usec_t now,
		     struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free) char *text = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0 || !live_row_present(l) || l->state != PRESENCE_BLOCKED ||
	    (l->told_at != USEC_NONE && now >= l->told_at && now < l->told_at + LIVE_TOLD_AGAIN))
		return rc;
	text = mem_printf("'%s' waits for an answer on its screen. What is for it waits until it "
			  "has one: belfry agent attach %s\n\n```\n%s\n```",
			  agent, agent, screen);
	l->told_at = now;
	if ((rc = live_put(e->db, l, err)) < 0 || (rc = live_load_mission(e, l, &m, err)) < 0 ||
	    (rc = m ? engine_thread_of_mission(e, m, now, &t, err)
		    : engine_thread_of_agent(e, agent, now, &t, err)) < 0)
		return rc;
	return inbox_say(e, t, text, now, err);
}

int engine_live_session(struct engine *e, const char *agent, const char *session, usec_t now,
			struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	bool own = true;
	int rc = live_find(e->db, agent, &l, err);

	(void)now;
	if (rc < 0 || !live_row_present(l) || (rc = live_load_mission(e, l, &m, err)) < 0 || !m ||
	    !adapter_session_ok(session) || (m->session && strcmp(m->session, session) == 0) ||
	    (rc = session_may_be(e, m, session, &own, err)) < 0 || !own)
		return rc;
	mem_replace(&m->session, session);
	return mission_update(e->db, m, err);
}

/* --- time and crashes --------------------------------------------------------------------- */

/* Starts whose host did not come; when the next one is given up. */
static int give_up(struct engine *e, usec_t now, struct error *err)
{
	AUTO_LIVES struct live_list starting = {0};
	int rc = live_list_starting(e->db, &starting, err);

	e->live_at = USEC_NONE;
	for (size_t i = 0; rc >= 0 && i < starting.count; i++) {
		struct live *l = starting.items[i];
		AUTO(mission_free) struct mission *m = NULL;

		if (l->since > now) { /* the clock was set back */
			l->since = now;
			rc = live_put(e->db, l, err);
		}
		if (now < l->since + LIVE_HOST_WAIT) {
			e->live_at = usec_earlier(e->live_at, l->since + LIVE_HOST_WAIT);
			continue;
		}
		if (rc >= 0 && (rc = live_load_mission(e, l, &m, err)) >= 0)
			rc = live_gone(e, l, m, "nothing came up in its window within 30s", true,
				       now, err);
	}
	return rc;
}

int live_dispatch(struct engine *e, usec_t now, struct error *err)
{
	bool due = e->live_at != USEC_NONE && e->live_at <= now;
	int rc;

	if (!e->live_stale && !due)
		return 0;
	rc = give_up(e, now, err);
	e->live_stale = false;
	if (rc >= 0)
		rc = live_tell_left(e, now, err);
	return rc < 0 ? rc : live_offer(e, now, err);
}

int live_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)err;
	/* A start that was given up leaves a line that its deliver command has to take over. */
	*ret = e->live_stale || e->heads_stale ? now : e->live_at;
	return 0;
}

static void tell_line(struct job_live *to, const struct message_list *line)
{
	to->lined = mem_zalloc((line->count + 1) * sizeof(*to->lined));
	to->lined_count = line->count;
	for (size_t i = 0; i < line->count; i++) {
		memcpy(to->lined[i].id, line->items[i]->id, sizeof(to->lined[i].id));
		/* Also of an offer before the last one, which was not known to have arrived. */
		to->lined[i].at =
			line->items[i]->returned_at == USEC_NONE ? 0 : line->items[i]->returned_at;
	}
}

/* Until somebody has found its window, nothing is typed. */
static int look_for(struct engine *e, struct live *l, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO_MESSAGES struct message_list line = {0};
	struct job *job;
	int rc = live_load_mission(e, l, &m, err);

	if (rc < 0 || (rc = engine_live_line(e, l->agent, &line, err)) < 0)
		return rc;
	job = live_job(e, JOB_WATCH, l, m);
	tell_line(job->live, &line);
	engine_add_job(e, job);
	mem_replace(&l->pane, NULL);
	if (!live_row_hosted(l)) {
		l->since = now;
		l->again = true;
	}
	return live_put(e->db, l, err);
}

int live_abandon(struct engine *e, const char *why, usec_t now, struct error *err)
{
	AUTO_LIVES struct live_list all = {0};
	int rc = live_list(e->db, false, &all, err);

	for (size_t i = 0; rc >= 0 && i < all.count; i++)
		if (live_row_present(all.items[i]))
			rc = live_gone(e, all.items[i], NULL, why, false, now, err);
	return rc;
}

int live_recover(struct engine *e, usec_t now, struct error *err)
{
	AUTO_LIVES struct live_list all = {0};
	int rc = live_list(e->db, false, &all, err);

	for (size_t i = 0; rc >= 0 && i < all.count; i++) {
		rc = live_row_present(all.items[i]) ? look_for(e, all.items[i], now, err) : 0;
		if (rc >= 0)
			rc = idle_changed(e, all.items[i], now, err);
	}
	live_touch(e);
	return rc;
}
