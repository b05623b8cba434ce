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
 * What is typed into it, and when, is in live-offer.c.
 */
#include "engine/live.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/change.h"
#include "engine/inbox.h"
#include "engine/internal.h"
#include "engine/mission.h"
#include "schedule/duration.h"

#define CANCEL_BATCH 256
#define REMOVED "its agent was removed"

/* --- the row ------------------------------------------------------------------------------ */

static bool is_present(const struct live *l)
{
	return l && l->state != PRESENCE_GONE;
}

static bool has_host(const struct live *l)
{
	return l->started_at != USEC_NONE;
}

int live_is_present(struct engine *e, const char *agent, bool *ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_find(e->db, agent, &l, err);

	*ret = is_present(l);
	return rc;
}

int live_hears(struct engine *e, int64_t mission, bool *ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_of_mission(e->db, mission, &l, err);

	*ret = is_present(l);
	return rc;
}

void live_touch(struct engine *e)
{
	e->live_stale = true;
}

static struct live *new_row(const char *agent, usec_t now)
{
	struct live *l = mem_zalloc(sizeof(*l));

	l->agent = mem_strdup(agent);
	l->state = PRESENCE_GONE;
	l->evidence = mem_strdup("");
	l->created_at = l->since = now;
	l->idle_at = l->started_at = l->ended_at = USEC_NONE;
	return l;
}

static void set_state(struct live *l, enum presence state, const char *evidence, usec_t since)
{
	l->state = state;
	l->since = since;
	l->idle_at = state == PRESENCE_IDLE ? since : USEC_NONE;
	mem_replace(&l->evidence, evidence);
}

/* Whoever waits for what it does is told by that, too. */
static int save(struct engine *e, const struct live *l, usec_t now, struct error *err)
{
	int rc = live_put(e->db, l, err);

	live_touch(e);
	return rc < 0 ? rc : idle_changed(e, l, now, err);
}

/* The row of an agent that is there, or ERR_CONFLICT. */
static int need_present(struct engine *e, const char *agent, struct live **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0)
		return rc;
	if (!is_present(l)) {
		error_set(err, ERR_CONFLICT, "agent '%s' has no session%s%s", agent,
			  l && l->end_reason ? ": " : "", l && l->end_reason ? l->end_reason : "");
		return error_hint(err, "belfry agent start %s", agent);
	}
	*ret = steal_ptr(&l);
	return 0;
}

/* The mission of a row; *ret is NULL when there is none, or that is gone. */
static int load_mission(struct engine *e, const struct live *l, struct mission **ret,
			struct error *err)
{
	int rc = l->mission ? mission_get(e->db, l->mission, ret, err) : 0;

	if (rc == ERR_NOT_FOUND || (rc >= 0 && *ret && (*ret)->phase == PHASE_REMOVING)) {
		mission_free(steal_ptr(ret));
		return 0;
	}
	return rc;
}

/* --- jobs --------------------------------------------------------------------------------- */

/* One that is in the configuration no more is still watched, as any program would be. */
static struct adapter *adapter_of(const struct engine *e, const char *agent)
{
	struct error unknown = {0};
	const struct config_agent *found = config_agent(e->config, agent, &unknown);

	return found && found->adapter ? adapter_copy(found->adapter) : adapter_built_in("command");
}

struct job *live_job(struct engine *e, enum job_kind kind, const struct live *l,
		     const struct mission *m)
{
	struct job *job = mem_zalloc(sizeof(*job));

	job->kind = kind;
	job->live = mem_zalloc(sizeof(*job->live));
	job->live->agent = mem_strdup(l->agent);
	job->live->pane = mem_strdup(l->pane);
	job->live->mission = mem_strdup(m ? m->id : NULL);
	job->live->adapter = adapter_of(e, l->agent);
	return job;
}

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
static int find_agent(struct engine *e, const struct live *l, const char *role,
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
	int rc = fresh ? 0 : load_mission(e, l, &m, err);

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
	set_state(l, PRESENCE_STARTING, "its window is being opened", now);
	l->wanted = true;
	l->again = false;
	l->started_at = l->ended_at = USEC_NONE;
	mem_replace(&l->pane, NULL);
	mem_replace(&l->end_reason, NULL);
	if ((rc = save(e, l, now, err)) < 0 || (rc = replies_to_queue(e, m, now, err)) < 0)
		return rc;
	engine_add_job(e, live_job(e, JOB_OPEN, l, m));
	return 0;
}

static int start(struct engine *e, struct live *l, const char *role, bool fresh, usec_t now,
		 struct error *err)
{
	const struct config_agent *agent = NULL;
	int rc = find_agent(e, l, role, &agent, err);

	if (rc < 0)
		return rc;
	if (role) {
		mem_replace(&l->role, role);
		e->seed_stale = true; /* its reminders are for this agent now */
	}
	return begin(e, l, agent, fresh, now, err);
}

/* The role that it was to have, or had, is its own no more. */
static void bind_as_row(struct engine *e, const char *agent, const char *role)
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
		*ret = new_row(agent, now);
	return rc;
}

int engine_live_start(struct engine *e, const char *agent, const char *role, bool fresh, usec_t now,
		      struct live **ret, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	int rc = find_or_new(e, agent, now, &l, err);

	if (rc < 0)
		return rc;
	if (is_present(l))
		return refuse_second(l, err);
	l->starts = 0;
	rc = start(e, l, role, fresh, now, err);
	if (rc >= 0)
		*ret = steal_ptr(&l);
	else if (role)
		bind_as_row(e, agent, l->role);
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

	if (rc < 0 || is_present(l))
		return rc;
	if (l->starts >= LIVE_STARTS_MAX)
		return start_refused(
			e, l, r, "it was started again and again, and never became idle", now, err);
	l->starts++;
	rc = start(e, l, NULL, false, now, &why);
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
	int rc = need_present(e, agent, &l, err);

	if (rc < 0 || (rc = load_mission(e, l, &m, err)) < 0)
		return rc;
	if (has_host(l))
		return refuse_second(l, err);
	if (!m)
		return error_set(err, ERR_CONFLICT, "the mission of agent '%s' has been removed",
				 agent);
	rc = run_attach(e, m, host, NULL, now, &order, err);
	if (rc < 0)
		return rc;
	set_state(l, PRESENCE_STARTING, "its process was started", now);
	l->started_at = now;
	l->again = false;
	if ((rc = save(e, l, now, err)) < 0 || (rc = live_instruct(e, l, m, now, err)) < 0)
		return rc;
	*ret = steal_ptr(&order);
	return 0;
}

/* --- the end ------------------------------------------------------------------------------ */

static int tell(struct engine *e, const struct live *l, const struct mission *m, usec_t now,
		struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free)
	char *text =
		mem_printf("The session of '%s' is gone: %s\n\nWhat is for it waits until it is "
			   "there again: belfry agent start %s",
			   l->agent, l->end_reason, l->agent);
	int rc = m ? engine_thread_of_mission(e, m, now, &t, err)
		   : engine_thread_of_agent(e, l->agent, now, &t, err);

	return rc < 0 ? rc : inbox_say(e, t, text, now, err);
}

/* It is there no more, whatever brought that about. */
static int gone(struct engine *e, struct live *l, const struct mission *m, const char *reason,
		bool unexpected, usec_t now, struct error *err)
{
	int rc;

	engine_add_job(e, live_job(e, JOB_CLOSE, l, m));
	set_state(l, PRESENCE_GONE, reason, now);
	mem_replace(&l->end_reason, reason);
	mem_replace(&l->pane, NULL);
	l->wanted &= unexpected;
	l->again = false;
	l->ended_at = now;
	e->heads_stale = true; /* its deliver command, if it has one, takes over */
	if ((rc = save(e, l, now, err)) < 0 || (rc = live_put_back(e, l, now, err)) < 0)
		return rc;
	return unexpected ? tell(e, l, m, now, err) : 0;
}

/* How it ended, for people. */
static char *end_words(const struct live *l, const struct mission *m, const struct run *run)
{
	if (m->stop_reason)
		return mem_strdup(m->stop_reason);
	if (run->ending == ENDING_SUCCESS)
		return mem_strdup("it ended by itself");
	if (l->end_reason) /* its window was lost before */
		return mem_strdup(l->end_reason);
	if (run->signal)
		return mem_printf("ended by signal %d (%s)", (int)run->signal,
				  strsignal((int)run->signal));
	if (run->error)
		return mem_strdup(run->error);
	return mem_printf("exit status %d", (int)run->exit_code);
}

/*
 * An agent that cannot go on with its conversation says so and ends, before anybody saw it up. It
 * would do so for ever: the next start begins a new one.
 */
static bool cannot_go_on(const struct live *l, const struct mission *m, const struct run *run)
{
	return l->state == PRESENCE_STARTING && run->number > 1 && !m->stop_reason &&
	       run->ending == ENDING_ERROR && !run->signal;
}

static int start_again(struct engine *e, struct live *l, const struct mission *m, usec_t now,
		       struct error *err)
{
	struct error why = {0};
	int rc;

	engine_add_job(e, live_job(e, JOB_CLOSE, l, m));
	if ((rc = live_put_back(e, l, now, err)) < 0)
		return rc;
	rc = start(e, l, NULL, false, now, &why);
	if (rc == ERR_INVALID || rc == ERR_NOT_FOUND || rc == ERR_CONFLICT)
		return gone(e, l, m, why.message, true, now, err);
	if (rc < 0)
		*err = why;
	return rc;
}

int live_run_ended(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		   struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(free) char *reason = NULL;
	bool stopped = m->stop_reason || run->ending == ENDING_SUCCESS;
	int rc = run->kind == RUN_INTERACTIVE ? live_of_mission(e->db, m->key, &l, err) : 0;

	if (rc < 0 || !is_present(l) || !has_host(l))
		return rc;
	if (l->again)
		return start_again(e, l, m, now, err);
	reason = end_words(l, m, run);
	if (cannot_go_on(l, m, run))
		l->mission = 0;
	return gone(e, l, m, reason, !stopped, now, err);
}

int engine_live_stop(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int rc = need_present(e, agent, &l, err);

	if (rc < 0 || (rc = load_mission(e, l, &m, err)) < 0)
		return rc;
	if (!has_host(l) || !m || m->phase == PHASE_ENDED)
		return gone(e, l, m, why, false, now, err);
	l->wanted = l->again = false;
	rc = save(e, l, now, err);
	return rc < 0 ? rc : engine_mission_stop(e, m, why, now, err);
}

int engine_live_restart(struct engine *e, const char *agent, usec_t now, struct live **ret,
			struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	const struct config_agent *found = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0)
		return rc;
	if (!is_present(l))
		return engine_live_start(e, agent, NULL, false, now, ret, err);
	if ((rc = find_agent(e, l, NULL, &found, err)) < 0 ||
	    (rc = load_mission(e, l, &m, err)) < 0)
		return rc;
	l->wanted = true;
	if (has_host(l)) {
		l->again = true;
		if (m && (rc = engine_mission_stop(e, m, "it is being restarted", now, err)) < 0)
			return rc;
	}
	rc = save(e, l, now, err);
	if (rc >= 0)
		*ret = steal_ptr(&l);
	return rc;
}

/* --- remove ------------------------------------------------------------------------------- */

static int cancel_reminders(struct engine *e, const char *agent, usec_t now, int64_t *ret,
			    struct error *err)
{
	struct reminder_filter filter = {.agent = agent, .limit = CANCEL_BATCH};
	bool more = true;
	int rc = 0;

	while (rc >= 0 && more) {
		AUTO_REMINDERS struct reminder_list page = {0};

		rc = reminder_list(e->db, &filter, &page, err);
		for (size_t i = 0; rc >= 0 && i < page.count; i++, ++*ret) {
			filter.after = page.items[i]->key;
			rc = engine_cancel(e, page.items[i], now, REMOVED, err);
		}
		more = page.count == CANCEL_BATCH;
	}
	return rc;
}

/* Returns 1 while its process lives: a row that is gone could not keep a second one from starting. */
static int end_for_removal(struct engine *e, struct live *l, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = load_mission(e, l, &m, err);

	if (rc < 0)
		return rc;
	if (!has_host(l) || !m || m->phase == PHASE_ENDED)
		return gone(e, l, m, REMOVED, false, now, err);
	if (m->stop_reason && !l->wanted && !l->again)
		return 1; /* it was told already */
	l->wanted = l->again = false;
	if ((rc = save(e, l, now, err)) < 0 ||
	    (rc = engine_mission_stop(e, m, REMOVED, now, err)) < 0)
		return rc;
	return 1;
}

int engine_live_remove(struct engine *e, const char *agent, bool with_reminders, usec_t now,
		       int64_t *ret_count, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	struct error unknown = {0};
	int rc = live_find(e->db, agent, &l, err);

	*ret_count = 0;
	if (rc < 0)
		return rc;
	if (!l) {
		error_set(err, ERR_NOT_FOUND, "agent '%s' never had a session", agent);
		return error_hint(err, "belfry agent list");
	}
	if (is_present(l) && (rc = end_for_removal(e, l, now, err)) != 0)
		return rc;
	if ((rc = with_reminders ? cancel_reminders(e, agent, now, ret_count, err) : 0) < 0 ||
	    (rc = live_delete(e->db, agent, err)) < 0)
		return rc;
	bind_as_row(e, agent, NULL);
	/* Started anew one day, it is a new one, which gets the reminders of its role. */
	return with_reminders && !config_agent(e->config, agent, &unknown)
		       ? seed_forget(e, agent, err)
		       : 0;
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
	if (!is_present(l)) {
		close_stranger(e, agent, pane);
		return 0;
	}
	mem_replace(&l->pane, pane);
	mem_replace(&l->end_reason, NULL);
	if (!has_host(l)) {
		set_state(l, PRESENCE_STARTING, "its window is open", now);
		l->again = false;
	}
	return save(e, l, now, err);
}

int engine_live_lost(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0 || !is_present(l) || (rc = load_mission(e, l, &m, err)) < 0)
		return rc;
	if (has_host(l) && m && m->phase != PHASE_ENDED) {
		/* Its end is the session's; it may have come already, and be told by this turn. */
		mem_replace(&l->pane, NULL);
		mem_replace(&l->evidence, why);
		mem_replace(&l->end_reason, why);
		rc = save(e, l, now, err);
		return rc < 0 ? rc : run_stop(e, m, SIGTERM, err);
	}
	if (l->again)
		return start_again(e, l, m, now, err);
	return gone(e, l, m, why, true, now, err);
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

	if (rc < 0 || !is_present(l) || !has_host(l) || state == PRESENCE_GONE)
		return rc;
	since = since > now ? now : since;
	if (is_stale(l, state, since))
		return 0;
	set_state(l, state, evidence, since);
	if (state == PRESENCE_IDLE)
		l->starts = 0;
	return save(e, l, now, err);
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
		if (rc >= 0 && (rc = load_mission(e, l, &m, err)) >= 0)
			rc = gone(e, l, m, "nothing came up in its window within 30s", true, now,
				  err);
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
	return rc < 0 ? rc : live_offer(e, now, err);
}

int live_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)err;
	/* A start that was given up leaves a line that its deliver command has to take over. */
	*ret = e->live_stale || e->heads_stale ? now : e->live_at;
	return 0;
}

/* Until somebody has found its window, nothing is typed. */
static int look_for(struct engine *e, struct live *l, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = load_mission(e, l, &m, err);

	if (rc < 0)
		return rc;
	engine_add_job(e, live_job(e, JOB_WATCH, l, m));
	mem_replace(&l->pane, NULL);
	if (!has_host(l)) {
		l->since = now;
		l->again = true;
	}
	return live_put(e->db, l, err);
}

int live_recover(struct engine *e, usec_t now, struct error *err)
{
	AUTO_LIVES struct live_list all = {0};
	int rc = live_list(e->db, false, &all, err);

	for (size_t i = 0; rc >= 0 && i < all.count; i++) {
		rc = is_present(all.items[i]) ? look_for(e, all.items[i], now, err) : 0;
		if (rc >= 0)
			rc = idle_changed(e, all.items[i], now, err);
	}
	live_touch(e);
	return rc;
}
