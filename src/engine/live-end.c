/*
 * live-end.c: how sessions end: by themselves, because somebody asked for it, with their window, or with
 * their agent. Whatever brings it about, live_gone() is the one place where a row becomes `gone`: what was
 * being typed is queued again, and an end that nobody asked for is told. A restart is an end after
 * which the row begins again.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/change.h"
#include "engine/declared.h"
#include "engine/inbox.h"
#include "engine/internal.h"
#include "engine/live-parts.h"
#include "engine/mission.h"

#define CANCEL_BATCH 256
#define REMOVED "its agent was removed"

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
int live_gone(struct engine *e, struct live *l, const struct mission *m, const char *reason,
	      bool unexpected, usec_t now, struct error *err)
{
	int rc;

	engine_add_job(e, live_job(e, JOB_CLOSE, l, m));
	live_row_set(l, PRESENCE_GONE, reason, now);
	mem_replace(&l->end_reason, reason);
	mem_replace(&l->pane, NULL);
	l->wanted &= unexpected;
	l->again = false;
	l->told_at = USEC_NONE;
	l->ended_at = now;
	e->heads_stale = true; /* its deliver command, if it has one, takes over */
	if ((rc = live_row_save(e, l, now, err)) < 0 || (rc = live_put_back(e, l, now, err)) < 0 ||
	    (rc = boundary_host_gone(e, l->agent, now, err)) < 0)
		return rc;
	return unexpected ? tell(e, l, m, now, err) : 0;
}

/*
 * Who leaves an agent at its window does so on purpose, and need not be told. But what comes for it later waits
 * for ever: that is told, once.
 */
int live_tell_left(struct engine *e, usec_t now, struct error *err)
{
	AUTO_LIVES struct live_list left = {0};
	int rc = live_list_left(e->db, &left, err);

	for (size_t i = 0; rc >= 0 && i < left.count; i++) {
		AUTO(mission_free) struct mission *m = NULL;
		struct live *l = left.items[i];
		bool stuck = false;

		if (!l->end_reason || strcmp(l->end_reason, LIVE_ENDED_ITSELF) != 0)
			continue;
		if ((rc = deliver_has_no_way(e, l->agent, &stuck, err)) < 0 || !stuck)
			continue;
		l->told_at = now;
		if ((rc = live_put(e->db, l, err)) >= 0 &&
		    (rc = live_load_mission(e, l, &m, err)) >= 0)
			rc = tell(e, l, m, now, err);
	}
	return rc < 0 ? rc : 0;
}

/* How it ended, for people. */
static char *end_words(const struct live *l, const struct mission *m, const struct run *run)
{
	if (m->stop_reason)
		return mem_strdup(m->stop_reason);
	if (run->ending == ENDING_SUCCESS)
		return mem_strdup(LIVE_ENDED_ITSELF);
	if (l->end_reason) /* its window was lost before */
		return mem_strdup(l->end_reason);
	/* Nobody here asked it. What ends a window ends what is in it. */
	if (run->ending == ENDING_KILLED)
		return mem_strdup("its window was closed, tmux ended, or somebody killed it");
	if (run->signal)
		return mem_printf("ended by signal %d (%s)", (int)run->signal,
				  strsignal((int)run->signal));
	if (run->error)
		return mem_strdup(run->error);
	return mem_printf("exit status %d", (int)run->exit_code);
}

/*
 * An agent that cannot go on with its conversation says so and ends, before anybody saw it up. It
 * would do so for ever: so it begins a new one, at once, and the person is told. That one is the first
 * run of its mission, which ends for good when it fails, too.
 */
static bool cannot_go_on(const struct live *l, const struct mission *m, const struct run *run)
{
	return l->state == PRESENCE_STARTING && run->number > 1 && !m->stop_reason &&
	       run->ending == ENDING_ERROR && !run->signal;
}

static int start_again(struct engine *e, struct live *l, const struct mission *m, bool fresh,
		       usec_t now, struct error *err)
{
	struct error why = {0};
	int rc;

	engine_add_job(e, live_job(e, JOB_CLOSE, l, m));
	if ((rc = live_put_back(e, l, now, err)) < 0 ||
	    (rc = boundary_host_gone(e, l->agent, now, err)) < 0)
		return rc;
	rc = live_begin(e, l, NULL, fresh, now, &why);
	if (rc == ERR_INVALID || rc == ERR_NOT_FOUND || rc == ERR_CONFLICT)
		return live_gone(e, l, m, why.message, true, now, err);
	if (rc < 0)
		*err = why;
	return rc;
}

static int begin_anew(struct engine *e, struct live *l, const struct mission *m, const char *reason,
		      usec_t now, struct error *err)
{
	AUTO(thread_free) struct thread *t = NULL;
	AUTO(free)
	char *text = mem_printf(
		"'%s' could not go on with its conversation, and begins a new conversation: "
		"it does not know what it was told before.\n\nIt said: %s",
		l->agent, reason);
	int rc = engine_thread_of_mission(e, m, now, &t, err);

	if (rc < 0 || (rc = inbox_say(e, t, text, now, err)) < 0)
		return rc;
	l->mission = 0;
	return start_again(e, l, m, true, now, err);
}

int live_run_ended(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		   struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(free) char *reason = NULL;
	bool stopped = m->stop_reason || run->ending == ENDING_SUCCESS;
	int rc = run->kind == RUN_INTERACTIVE ? live_of_mission(e->db, m->key, &l, err) : 0;

	if (rc < 0 || !live_row_present(l) || !live_row_hosted(l))
		return rc;
	if (l->again)
		return start_again(e, l, m, false, now, err);
	reason = end_words(l, m, run);
	if (cannot_go_on(l, m, run) && l->wanted)
		return begin_anew(e, l, m, reason, now, err);
	return live_gone(e, l, m, reason, !stopped, now, err);
}

int engine_live_stop(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int rc = live_need(e, agent, &l, err);

	if (rc < 0 || (rc = live_load_mission(e, l, &m, err)) < 0)
		return rc;
	if (!live_row_hosted(l) || !m || m->phase == PHASE_ENDED)
		return live_gone(e, l, m, why, false, now, err);
	l->wanted = l->again = false;
	rc = live_row_save(e, l, now, err);
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
	if (!live_row_present(l))
		return engine_live_start(e, agent, NULL, false, now, ret, err);
	if ((rc = live_find_agent(e, l, NULL, &found, err)) < 0 ||
	    (rc = live_load_mission(e, l, &m, err)) < 0)
		return rc;
	l->wanted = true;
	if (live_row_hosted(l)) {
		l->again = true;
		if (m && (rc = engine_mission_stop(e, m, "it is being restarted", now, err)) < 0)
			return rc;
	}
	rc = live_row_save(e, l, now, err);
	if (rc >= 0)
		*ret = steal_ptr(&l);
	return rc;
}

/* --- remove ------------------------------------------------------------------------------- */

/* What files declare goes with its declaration: for an agent of theirs, and every cron. */
static int stays_declared(struct engine *e, const struct reminder *r, bool *ret, struct error *err)
{
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(e->config, r->agent, &unknown);
	struct declared d;
	int rc = engine_declared(e, r, &d, err);

	if (rc >= 0)
		*ret = d.as == DECLARED_CRON ||
		       (d.as != DECLARED_NOT && agent && agent->bound == BOUND_NOT);
	return rc;
}

static int cancel_reminders(struct engine *e, const char *agent, usec_t now, int64_t *ret,
			    struct error *err)
{
	struct reminder_filter filter = {.agent = agent, .limit = CANCEL_BATCH};
	bool more = true;
	int rc = 0;

	while (rc >= 0 && more) {
		AUTO_REMINDERS struct reminder_list page = {0};

		rc = reminder_list(e->db, &filter, &page, err);
		for (size_t i = 0; rc >= 0 && i < page.count; i++) {
			bool stays = false;

			filter.after = page.items[i]->key;
			rc = stays_declared(e, page.items[i], &stays, err);
			if (rc < 0 || stays)
				continue;
			rc = engine_cancel(e, page.items[i], now, REMOVED, err);
			++*ret;
		}
		more = page.count == CANCEL_BATCH;
	}
	return rc;
}

/* Returns 1 while its process lives: a row that is gone could not keep a second one from starting. */
static int end_for_removal(struct engine *e, struct live *l, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = live_load_mission(e, l, &m, err);

	if (rc < 0)
		return rc;
	if (!live_row_hosted(l) || !m || m->phase == PHASE_ENDED)
		return live_gone(e, l, m, REMOVED, false, now, err);
	if (m->stop_reason && !l->wanted && !l->again)
		return 1; /* it was told already */
	l->wanted = l->again = false;
	if ((rc = live_row_save(e, l, now, err)) < 0 ||
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
	if (live_row_present(l) && (rc = end_for_removal(e, l, now, err)) != 0)
		return rc;
	if ((rc = with_reminders ? cancel_reminders(e, agent, now, ret_count, err) : 0) < 0 ||
	    (rc = live_delete(e->db, agent, err)) < 0)
		return rc;
	live_bind_as_row(e, agent, NULL);
	/* Started anew one day, it is a new one, which gets the reminders of its role. */
	return with_reminders && !config_agent(e->config, agent, &unknown)
		       ? seed_forget(e, agent, err)
		       : 0;
}

/* --- its window --------------------------------------------------------------------------- */

int engine_live_lost(struct engine *e, const char *agent, const char *why, usec_t now,
		     struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int rc = live_find(e->db, agent, &l, err);

	if (rc < 0 || !live_row_present(l) || (rc = live_load_mission(e, l, &m, err)) < 0)
		return rc;
	if (live_row_hosted(l) && m && m->phase != PHASE_ENDED) {
		/* Its end is the session's; it may have come already, and be told by this turn. */
		mem_replace(&l->pane, NULL);
		mem_replace(&l->evidence, why);
		mem_replace(&l->end_reason, why);
		rc = live_row_save(e, l, now, err);
		return rc < 0 ? rc : run_stop(e, m, SIGTERM, err);
	}
	if (l->again)
		return start_again(e, l, m, false, now, err);
	return live_gone(e, l, m, why, true, now, err);
}

/* Its session is of a store that was put back since: nothing of it is known, and nothing is typed into it. */
int engine_live_stranger(struct engine *e, const char *agent, usec_t now, struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(free) char *name = mem_printf("window:%s", agent);
	AUTO(free)
	char *what = mem_printf("'%s' has a session that the store does not know", agent);
	AUTO(free)
	char *text = mem_printf("It was open when an older store was put back. It goes on, but is "
				"told nothing.\n\nTo see it: belfry agent attach %s\nTo end it, "
				"and begin a new one: belfry agent start %s",
				agent, agent);
	int rc = live_find(e->db, agent, &l, err);

	return rc < 0 || live_row_present(l) ? rc
					     : trouble_tell(e, name, NULL, what, text, now, err);
}
