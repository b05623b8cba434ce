/*
 * line.c: who starts when. Missions that wait stand in one line, by the instant they were due, and
 * start as long as fewer than maxConcurrent run (of all, and of their agent). One that waits longer
 * than it may is given up and told as missed; a wrapper that outlives its own time limit by far has
 * failed itself and is killed from here.
 *
 * The line is looked at only when something changed or its next instant has come, so that fires of
 * plain messages pay nothing for it.
 */
#include "engine/internal.h"

#include <limits.h>
#include <signal.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/mission.h"
#include "schedule/duration.h"

#define START_BATCH 64
#define LOOK_MOST 1000
#define OVERDUE_AGAIN USEC_PER_MINUTE

/* Unless its reminder is gone, and with it who would miss it. */
static int tell_missed(struct engine *e, const struct mission *m, usec_t now, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(slot_free) struct slot *slot = NULL;
	int rc = m->reminder && m->slot ? reminder_get(e->db, m->reminder, &r, err) : 0;

	if (rc >= 0 && r)
		rc = slot_get(e->db, m->slot, &slot, err);
	if (rc < 0)
		return rc == ERR_NOT_FOUND ? 0 : rc;
	return slot ? inbox_missed(e, r, slot, now, err) : 0;
}

static int give_up(struct engine *e, struct mission *m, usec_t now, struct error *err)
{
	AUTO(free) char *reason = NULL;
	char span[DURATION_TEXT_MAX];
	int rc;

	duration_format_short(now - m->created_at, span);
	reason = mem_printf("waited %s %s, and its deadline passed", span,
			    m->phase == PHASE_BEHIND ? "for the one before it" : "in line");
	rc = mission_conclude(e, m, OUTCOME_MISSED, reason, now, err);
	return rc < 0 ? rc : tell_missed(e, m, now, err);
}

static int expire(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MISSIONS struct mission_list late = {0};
	int rc = mission_expired(e->db, now, START_BATCH, &late, err);

	for (size_t i = 0; rc >= 0 && i < late.count; i++)
		rc = give_up(e, late.items[i], now, err);
	return rc;
}

static int kill_one(struct engine *e, struct run *run, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	int rc = mission_get(e->db, run->mission, &m, err);
	/*
	 * Seen long after its time: the machine slept or the clock was set, and its wrapper, which
	 * counts seconds that passed, may be well within its limit.
	 */
	bool jumped = now - run->overdue_at > OVERDUE_AGAIN;

	if (rc < 0)
		return rc;
	run->overdue_at = jumped ? run_overdue_after(m, now) : now + OVERDUE_AGAIN;
	rc = run_update(e->db, run, err);
	if (rc < 0 || jumped)
		return rc;
	log_warning("the wrapper of mission '%s' did not end in time: killed", m->id);
	return run_stop(e, m, SIGKILL, err);
}

static int kill_overdue(struct engine *e, usec_t now, struct error *err)
{
	AUTO_RUNS struct run_list late = {0};
	int rc = run_overdue(e->db, now, &late, err);

	for (size_t i = 0; rc >= 0 && i < late.count; i++)
		rc = kill_one(e, late.items[i], now, err);
	return rc;
}

/*
 * Nobody waits longer than the back-off of the attempt before, so whoever is to wait longer was told
 * so by a clock that has been set back since.
 */
static int mend_waits(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MISSIONS struct mission_list waiting = {0};
	int rc = mission_in_phase(e->db, PHASE_WAITING, &waiting, err);

	for (size_t i = 0; rc >= 0 && i < waiting.count; i++) {
		struct mission *m = waiting.items[i];
		usec_t latest = now + (m->attempts ? mission_backoff(m) : 0);

		if (m->ready_at <= latest)
			continue;
		m->ready_at = latest;
		rc = mission_update(e->db, m, err);
	}
	if (rc >= 0)
		e->waits_stale = false;
	return rc;
}

/* Whether its agent may have one more at work. */
static int has_room(struct engine *e, const struct mission *m, bool *ret, struct error *err)
{
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(e->config, m->agent, &unknown);
	int64_t running = 0;
	int rc = 0;

	if (agent && agent->max_concurrent)
		rc = mission_count_running(e->db, m->agent, &running, err);
	*ret = !agent || !agent->max_concurrent || running < agent->max_concurrent;
	return rc;
}

/* How many stand before it. */
static int count_before(struct engine *e, const struct mission *m, usec_t now, size_t *ret,
			struct error *err)
{
	AUTO_MISSIONS struct mission_list ready = {0};
	int rc = mission_ready(e->db, now, LOOK_MOST, &ready, err);

	for (*ret = 0; rc >= 0 && *ret < ready.count; ++*ret)
		if (ready.items[*ret]->key == m->key)
			break;
	return rc;
}

int engine_line_words(struct engine *e, const struct mission *m, usec_t now, char **ret,
		      struct error *err)
{
	struct error unknown = {0};
	const struct config_agent *agent = config_agent(e->config, m->agent, &unknown);
	int64_t all = 0, own = 0, most = agent ? agent->max_concurrent : 0;
	size_t before = 0;
	int rc;

	*ret = NULL;
	if (m->phase == PHASE_BEHIND)
		*ret = mem_strdup("the one before it has not ended");
	if (m->phase != PHASE_WAITING || m->ready_at > now)
		return 0;
	if ((rc = mission_count_running(e->db, NULL, &all, err)) < 0 ||
	    (rc = most ? mission_count_running(e->db, m->agent, &own, err) : 0) < 0 ||
	    (rc = count_before(e, m, now, &before, err)) < 0)
		return rc;
	if (most && own >= most)
		*ret = mem_printf("%lld of %lld of agent '%s' running, %zu before it",
				  (long long)own, (long long)most, m->agent, before);
	else if (all >= e->config->max_concurrent)
		*ret = mem_printf("%lld of %lld running, %zu before it", (long long)all,
				  (long long)e->config->max_concurrent, before);
	return 0;
}

/* Those of the list that fit, in its order. */
static int start_fitting(struct engine *e, const struct mission_list *ready, int64_t *room,
			 size_t *started, usec_t now, struct error *err)
{
	const char *full = NULL; /* whose agent was found busy last: mostly the next one's too */
	int rc = 0;

	for (size_t i = 0; rc >= 0 && *room > 0 && i < ready->count; i++) {
		struct mission *m = ready->items[i];
		bool fits = !full || strcmp(full, m->agent) != 0;

		if (fits)
			rc = has_room(e, m, &fits, err);
		if (!fits)
			full = m->agent;
		if (rc < 0 || !fits)
			continue;
		rc = run_begin(e, m, RUN_ATTEMPT, NULL, now, err);
		/* A run that failed at once left its place. */
		*room -= m->phase == PHASE_STARTING;
		++*started;
	}
	return rc;
}

static int start_some(struct engine *e, usec_t now, struct error *err)
{
	int64_t running = 0, room;
	size_t started = 0;
	bool more = true;
	int rc = mission_count_running(e->db, NULL, &running, err);

	room = e->config->max_concurrent - running;
	/* Further and further down the line: all in front may be of agents that are busy. */
	for (int limit = START_BATCH; rc >= 0 && room > 0 && more && !started; limit *= 8) {
		AUTO_MISSIONS struct mission_list ready = {0};

		rc = mission_ready(e->db, now, limit, &ready, err);
		more = ready.count == (size_t)limit && limit < INT_MAX / 8;
		if (rc >= 0)
			rc = start_fitting(e, &ready, &room, &started, now, err);
	}
	/* A run that failed at once may have made others ready: that is not forgotten here. */
	if (room > 0 && started && more)
		e->line_stale = true;
	return rc;
}

/* When to look again if nothing happens. For those that are ready, only an end makes room. */
static int find_next(struct engine *e, usec_t now, struct error *err)
{
	usec_t ready = USEC_NONE, until = USEC_NONE, overdue = USEC_NONE;
	int rc;

	if ((rc = mission_next(e->db, now, &ready, &until, err)) < 0 ||
	    (rc = run_next_overdue(e->db, &overdue, err)) < 0)
		return rc;
	e->line_at = usec_earlier(usec_earlier(ready, until), overdue);
	return 0;
}

int line_advance(struct engine *e, usec_t now, struct error *err)
{
	int rc;

	if (!e->line_stale && !e->waits_stale && (e->line_at == USEC_NONE || now < e->line_at))
		return 0;
	e->line_stale = false;
	if ((rc = e->waits_stale ? mend_waits(e, now, err) : 0) < 0 ||
	    (rc = expire(e, now, err)) < 0 || (rc = kill_overdue(e, now, err)) < 0 ||
	    (rc = start_some(e, now, err)) < 0)
		return rc;
	return find_next(e, now, err);
}

int line_next(struct engine *e, usec_t now, usec_t *ret, struct error *err)
{
	(void)err;
	*ret = e->line_stale || e->waits_stale ? now : e->line_at;
	return 0;
}
