/*
 * mission.c: what becomes of a mission, from the fire that ordered it to its end.
 *
 *	fire ──▶ behind ──the one before it ended──▶ waiting ──its turn (line.c)──▶ starting ──▶ running
 *	                                               ▲                                         │
 *	                                               └── back-off ◀── failed, attempts left ───┤
 *	                                                                            ended ◀──────┘
 * The slot that ordered it is `running` all the while and ends with it: ran, failed, cancelled, or
 * missed when its turn did not come in time. Whatever ends it, the next of the same reminder moves
 * up, and retention archives what is too old.
 */
#include "engine/mission.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/random.h"
#include "engine/change.h"
#include "engine/internal.h"
#include "engine/trust.h"
#include "schedule/duration.h"
#include "store/trouble.h"

#define BACKOFF_MAX USEC_PER_HOUR

/* clang-format off */
static const struct policy door_defaults[] = {
	/*                  overlap                   limit                                  attempts retry on             back-off                        wait                            keep                pause after */
	[DOOR_REMINDER]  = {.overlap = OVERLAP_SKIP,  .time_limit = CONFIG_TIME_LIMIT_DEFAULT, .max_attempts = 1, .retry_on = RETRY_ALL, .backoff = 30 * USEC_PER_SEC, .wait_limit = USEC_PER_HOUR, .retention = 0,  .pause_after = 5},
	[DOOR_CRON]      = {.overlap = OVERLAP_SKIP,  .time_limit = CONFIG_TIME_LIMIT_DEFAULT, .max_attempts = 1, .retry_on = RETRY_ALL, .backoff = 30 * USEC_PER_SEC, .wait_limit = USEC_PER_HOUR, .retention = 0,  .pause_after = 5},
	[DOOR_TASK]      = {.overlap = OVERLAP_ALLOW, .time_limit = CONFIG_TIME_LIMIT_DEFAULT, .max_attempts = 3, .retry_on = RETRY_ALL, .backoff = 30 * USEC_PER_SEC, .wait_limit = 0,             .retention = 0,  .pause_after = 0},
	/* One every half hour: the newest ten are worth a look. */
	[DOOR_HEARTBEAT] = {.overlap = OVERLAP_SKIP,  .time_limit = CONFIG_TIME_LIMIT_DEFAULT, .max_attempts = 1, .retry_on = RETRY_ALL, .backoff = 30 * USEC_PER_SEC, .wait_limit = USEC_PER_HOUR, .retention = 10, .pause_after = 5},
	[DOOR_HAND]      = {.overlap = OVERLAP_ALLOW, .time_limit = CONFIG_TIME_LIMIT_DEFAULT, .max_attempts = 1, .retry_on = RETRY_ALL, .backoff = 30 * USEC_PER_SEC, .wait_limit = 0,             .retention = 0,  .pause_after = 0},
};
/* clang-format on */

void engine_policy_defaults(const struct engine *e, enum door door, const char *agent,
			    struct policy *ret)
{
	struct error unknown = {0};
	const struct config_agent *found = agent && *agent
						   ? config_agent(e->config, agent, &unknown)
						   : config_default_agent(e->config, &unknown);

	*ret = door_defaults[door];
	ret->door = door;
	if (found && found->time_limit)
		ret->time_limit = found->time_limit;
}

/* --- making one --------------------------------------------------------------------------- */

/* Somebody who can run, and a repository that is known: refused while its author still listens. */
static int check_references(const struct engine *e, const char *agent, const char *git,
			    struct error *err)
{
	const struct config_agent *found = config_agent(e->config, agent, err);

	if (!found)
		return err->code;
	if (!found->adapter) {
		const struct config_role *role = config_role(e->config, agent, err);

		error_set(err, ERR_INVALID, "agent '%s' cannot run: it has no adapter", agent);
		if (role && role->problem)
			return error_hint(err, "its role is skipped: %s", role->problem);
		return error_hint(err, "give it 'adapter: claude' or 'command: [...]' in %s",
				  e->config->path);
	}
	if (git && !config_repo(e->config, git)) {
		error_set(err, ERR_INVALID, "unknown repository '%s'", git);
		return error_hint(err, "add it to 'syncedRepos' in %s", e->config->path);
	}
	return 0;
}

static void mission_init(struct mission *m, enum phase phase, usec_t now)
{
	m->phase = phase;
	m->ready_at = now;
	m->created_at = now;
	m->wait_until = m->started_at = m->ended_at = m->archived_at = USEC_NONE;
}

static void take_policy(struct mission *m, const struct policy *p)
{
	m->door = p->door;
	m->git = mem_strdup(p->git);
	m->time_limit = p->time_limit;
	m->max_attempts = p->max_attempts;
	m->retry_on = p->retry_on;
	m->backoff = p->backoff;
}

/*
 * The bound on its wait: what was asked for counts from when it was due, as in due.c, the default
 * from now. At that very instant it may still start.
 */
static usec_t wait_until(const struct reminder *r, const struct policy *p, const struct slot *slot,
			 usec_t now)
{
	usec_t left = r->start_deadline - slot->lateness;

	if (r->start_deadline)
		return now + (left > 0 ? left : 0) + 1;
	return p->wait_limit ? now + p->wait_limit + 1 : USEC_NONE;
}

/* Who runs it is decided here, so that the line knows whose place it takes. */
static const char *agent_of(const struct engine *e, const struct reminder *r)
{
	struct error none = {0};
	const struct config_agent *agent =
		*r->agent ? NULL : config_default_agent(e->config, &none);

	return agent ? agent->name : r->agent;
}

static int order(struct engine *e, const struct reminder *r, const struct policy *p,
		 const struct slot *slot, enum phase phase, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = mem_zalloc(sizeof(*m));

	mission_init(m, phase, now);
	take_policy(m, p);
	m->reminder = r->key;
	m->slot = slot->key;
	m->origin = mem_strdup(r->name ? r->name : r->id);
	m->agent = mem_strdup(agent_of(e, r));
	m->prompt = p->door == DOOR_REMINDER ? words_message(r, slot, now) : mem_strdup(r->message);
	m->nominal = slot->nominal;
	/* One that was only just made may say nothing of an owner: the person, who is trusted. */
	m->owner = mem_strdup(r->owner);
	if (r->owner)
		m->trust = trust_least(r->trust, trust_in(e->config, r->owner));
	/* Somebody who runs it by hand waits for it. */
	m->wait_until = slot->generation ? wait_until(r, p, slot, now) : USEC_NONE;
	e->line_stale = true;
	return mission_insert(e->db, m, err);
}

/* --- overlap ------------------------------------------------------------------------------ */

/* Whether its occurrence is still undecided; one that a person goes on with was decided before. */
static int is_owed(struct engine *e, const struct mission *m, bool *ret, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	int rc = m->slot ? slot_get(e->db, m->slot, &slot, err) : 0;

	*ret = slot && slot->outcome == OUTCOME_RUNNING;
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

/* Missions of a reminder that are not over, oldest first: those that overlap is about. */
static int list_owed(struct engine *e, int64_t reminder, struct mission_list *ret,
		     struct error *err)
{
	int rc = mission_open_of(e->db, reminder, ret, err);
	size_t kept = 0;

	for (size_t i = 0; rc >= 0 && i < ret->count; i++) {
		struct mission *m = steal_ptr(&ret->items[i]);
		bool owed = false;

		rc = is_owed(e, m, &owed, err);
		if (owed)
			ret->items[kept++] = m;
		else
			mission_free(m);
	}
	if (rc >= 0)
		ret->count = kept;
	return rc;
}

static const struct mission *first_behind(const struct mission_list *open)
{
	for (size_t i = 0; i < open->count; i++)
		if (open->items[i]->phase == PHASE_BEHIND)
			return open->items[i];
	return NULL;
}

static int replace_open(struct engine *e, struct mission_list *open, usec_t now,
			enum phase *ret_phase, struct error *err)
{
	for (size_t i = 0; i < open->count; i++) {
		int rc = engine_mission_stop(e, open->items[i], "replaced by the next occurrence",
					     now, err);

		if (rc < 0)
			return rc;
		if (open->items[i]->phase != PHASE_ENDED)
			*ret_phase = PHASE_BEHIND;
	}
	return 0;
}

/* *ret_refusal is why the fire does not happen; NULL: it does, and begins in *ret_phase. */
static int overlap(struct engine *e, const struct policy *p, struct mission_list *open, usec_t now,
		   enum phase *ret_phase, char **ret_refusal, struct error *err)
{
	const char *first = open->count ? open->items[0]->id : "";

	*ret_phase = PHASE_WAITING;
	if (!open->count || p->overlap == OVERLAP_ALLOW)
		return 0;
	if (p->overlap == OVERLAP_REPLACE)
		return replace_open(e, open, now, ret_phase, err);
	if (p->overlap == OVERLAP_SKIP)
		*ret_refusal = mem_printf("the one before it was still going (mission %s)", first);
	else if (first_behind(open))
		*ret_refusal =
			mem_printf("one was waiting already (mission %s)", first_behind(open)->id);
	*ret_phase = PHASE_BEHIND;
	return 0;
}

/* --- firing ------------------------------------------------------------------------------- */

static int load_policy(struct engine *e, const struct reminder *r, struct policy **ret,
		       struct error *err)
{
	int rc = policy_get(e->db, r->key, ret, err);

	if (rc != ERR_NOT_FOUND)
		return rc;
	/* A row that lacks its policy must not stop the others. */
	*ret = mem_zalloc(sizeof(**ret));
	engine_policy_defaults(e, DOOR_REMINDER, r->agent, *ret);
	(*ret)->reminder = r->key;
	return 0;
}

static int skip(struct engine *e, struct slot *slot, usec_t now, char *stolen_reason,
		struct error *err)
{
	slot->outcome = OUTCOME_SKIPPED;
	slot->decided_at = now;
	free(slot->reason);
	slot->reason = stolen_reason;
	return gate_write(e, slot, err);
}

static void open_slot(struct slot *slot, enum phase phase, usec_t now)
{
	slot->outcome = OUTCOME_RUNNING;
	slot->ordered = true;
	slot->decided_at = now;
	mem_replace(&slot->reason, phase == PHASE_BEHIND ? "waits for the one before it to end"
							 : "waits for its turn");
}

int mission_fire(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
		 struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	AUTO_MISSIONS struct mission_list open = {0};
	enum phase phase;
	char *refusal = NULL;
	int rc;

	if ((rc = load_policy(e, r, &p, err)) < 0 || (rc = list_owed(e, r->key, &open, err)) < 0 ||
	    (rc = overlap(e, p, &open, now, &phase, &refusal, err)) < 0)
		return rc;
	if (refusal)
		return skip(e, slot, now, refusal, err);
	open_slot(slot, phase, now);
	rc = gate_write(e, slot, err);
	if (rc < 0)
		return rc;
	gate_count(r, now);
	return order(e, r, p, slot, phase, now, err);
}

int mission_run_by_hand(struct engine *e, struct reminder *r, struct slot *slot, usec_t now,
			struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	int rc = load_policy(e, r, &p, err);

	return rc < 0 ? rc : order(e, r, p, slot, PHASE_WAITING, now, err);
}

int engine_add_run(struct engine *e, struct reminder *r, struct policy *p, usec_t now,
		   bool fire_now, struct error *err)
{
	int rc = *r->agent ? check_references(e, r->agent, p->git, err) : 0;

	if (rc < 0)
		return rc;
	r->action = ACTION_RUN;
	/* Its policy has to be there before its first fire. */
	rc = engine_add(e, r, now, false, err);
	if (rc < 0)
		return rc;
	p->reminder = r->key;
	rc = policy_insert(e->db, p, err);
	return rc < 0 || !fire_now ? rc : engine_fire_now(e, r, now, err);
}

/* --- ending ------------------------------------------------------------------------------- */

static int end_slot(struct engine *e, const struct mission *m, enum outcome outcome,
		    const char *reason, usec_t now, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;

	if (!m->slot)
		return 0;
	if (slot_get(e->db, m->slot, &slot, err) < 0)
		return err->code == ERR_NOT_FOUND ? 0 : err->code;
	slot->outcome = outcome;
	slot->decided_at = now;
	slot->attempts = m->attempts;
	mem_replace(&slot->reason, reason);
	return slot_update(e->db, slot, err);
}

/* The next of the same reminder moves up when nothing is in front of it any more. */
static int promote(struct engine *e, int64_t reminder, usec_t now, struct error *err)
{
	AUTO_MISSIONS struct mission_list open = {0};
	int rc = reminder ? list_owed(e, reminder, &open, err) : 0;

	if (rc < 0 || !open.count || open.items[0]->phase != PHASE_BEHIND)
		return rc;
	for (size_t i = 1; i < open.count; i++)
		if (open.items[i]->phase != PHASE_BEHIND)
			return 0;
	open.items[0]->phase = PHASE_WAITING;
	open.items[0]->ready_at = now;
	e->line_stale = true;
	return mission_update(e->db, open.items[0], err);
}

static int archive_surplus(struct engine *e, const struct policy *p, usec_t now, struct error *err)
{
	AUTO_MISSIONS struct mission_list old = {0};
	int rc = p->retention ? mission_surplus(e->db, p->reminder, p->retention, &old, err) : 0;

	for (size_t i = 0; rc >= 0 && i < old.count; i++) {
		old.items[i]->archived_at = now;
		rc = mission_update(e->db, old.items[i], err);
	}
	return rc;
}

/* "cron 'nightly'", for people. What another mission ordered is called by its own name. */
static char *whose(const struct mission *m)
{
	return m->origin && m->door != DOOR_HAND
		       ? mem_printf("%s '%s'", door_word(m->door), m->origin)
		       : mem_printf("mission %s", m->id);
}

/* The last failure brings the raw text to the person: what was to be done is not lost. */
static int tell_failure(struct engine *e, const struct reminder *r, const struct mission *m,
			const char *reason, usec_t now, struct error *err)
{
	AUTO(free) char *name = whose(m);
	AUTO(free)
	char *text = mem_printf("%s failed: %s\n\nIt was mission %s of agent '%s', attempt %lld of "
				"%lld; see: belfry mission show %s\n\nWhat it was to do:\n\n%s",
				name, reason, m->id, m->agent, (long long)m->attempts,
				(long long)m->max_attempts, m->id, m->prompt);

	return deliver_notice(e, r, m, "it failed", text, now, err);
}

static int pause_failing(struct engine *e, struct reminder *r, const struct policy *p, usec_t now,
			 struct error *err)
{
	AUTO(free) char *reason = NULL;
	AUTO(free) char *text = NULL;
	const char *name = r->name ? r->name : r->id;
	int rc;

	if (!p->pause_after || p->failures < p->pause_after || r->status != STATUS_ACTIVE)
		return 0;
	reason = p->failures == 1 ? mem_strdup(TROUBLE_PAUSED "a failure")
				  : mem_printf(TROUBLE_PAUSED "%lld failures in a row",
					       (long long)p->failures);
	text = mem_printf("%s '%s' is %s.\n\nWhen it is mended, let it go on with: belfry %s %s",
			  door_word(p->door), name, reason,
			  p->door == DOOR_CRON ? "cron enable" : "reminder resume", name);
	log_warning("%s '%s' is %s", door_word(p->door), name, reason);
	rc = engine_hold(e, r, reason, now, err);
	return rc < 0 ? rc : deliver_notice(e, r, NULL, "it is paused", text, now, err);
}

/* Its slot is of generation 0: see engine_run(). */
static int was_by_hand(struct engine *e, const struct mission *m, bool *ret, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	int rc = m->slot ? slot_get(e->db, m->slot, &slot, err) : 0;

	*ret = slot && slot->generation == 0;
	return rc < 0 && rc != ERR_NOT_FOUND ? rc : 0;
}

static int count_result(struct engine *e, const struct mission *m, struct policy *p, bool failed,
			const char *reason, usec_t now, struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	bool by_hand = false;
	int rc;

	if (!failed && !p->failures)
		return 0;
	if ((rc = was_by_hand(e, m, &by_hand, err)) < 0)
		return rc;
	/* Whoever runs it by hand sees how it goes: a try of theirs must not pause what the clock runs. */
	if (!failed || !by_hand) {
		p->failures = failed ? p->failures + 1 : 0;
		rc = policy_update(e->db, p, err);
	}
	if (rc < 0 || !failed)
		return rc;
	if ((rc = reminder_get(e->db, m->reminder, &r, err)) < 0 ||
	    (rc = tell_failure(e, r, m, reason, now, err)) < 0 || by_hand)
		return rc;
	return pause_failing(e, r, p, now, err);
}

/* What the end of one of its missions means to a reminder. */
static int tell_reminder(struct engine *e, const struct mission *m, enum outcome outcome,
			 const char *reason, usec_t now, struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	int rc;

	rc = m->reminder ? policy_get(e->db, m->reminder, &p, err) : ERR_NOT_FOUND;
	if (rc == ERR_NOT_FOUND) /* by hand, or its reminder is gone */
		return outcome == OUTCOME_FAILED ? tell_failure(e, NULL, m, reason, now, err) : 0;
	if (rc < 0)
		return rc;
	if (outcome == OUTCOME_RAN || outcome == OUTCOME_FAILED) {
		rc = count_result(e, m, p, outcome == OUTCOME_FAILED, reason, now, err);
		if (rc < 0)
			return rc;
	}
	return archive_surplus(e, p, now, err);
}

static int finish(struct engine *e, struct mission *m, const char *reason, usec_t now,
		  struct error *err)
{
	m->phase = PHASE_ENDED;
	if (m->ended_at == USEC_NONE) /* it ended without a run */
		m->ended_at = now;
	m->wait_until = USEC_NONE;
	mem_replace(&m->reason, reason);
	e->line_stale = true;
	e->inbox_stale = true;
	return mission_update(e->db, m, err);
}

int mission_conclude(struct engine *e, struct mission *m, enum outcome outcome, const char *reason,
		     usec_t now, struct error *err)
{
	int rc;

	if ((rc = finish(e, m, reason, now, err)) < 0 ||
	    (rc = end_slot(e, m, outcome, reason, now, err)) < 0 ||
	    (rc = tell_reminder(e, m, outcome, reason, now, err)) < 0)
		return rc;
	if (outcome == OUTCOME_FAILED && (rc = replies_announce_failed(e, m, now, err)) < 0)
		return rc;
	return promote(e, m->reminder, now, err);
}

/* --- attempts ----------------------------------------------------------------------------- */

static const int retry_bits[] = {
	[ENDING_ERROR] = RETRY_FAILURE,
	[ENDING_TIMEOUT] = RETRY_TIMEOUT,
	[ENDING_ORPHANED] = RETRY_LOST,
	[ENDING_DAEMON_SHUTDOWN] = RETRY_LOST,
};

static bool may_retry(const struct mission *m, enum ending ending)
{
	return m->attempts < m->max_attempts && (m->retry_on & retry_bits[ending]);
}

usec_t mission_backoff(const struct mission *m)
{
	usec_t wait = m->backoff;

	for (int64_t i = 1; i < m->attempts && wait < BACKOFF_MAX; i++)
		wait *= 2;
	if (wait > BACKOFF_MAX)
		wait = BACKOFF_MAX;
	/* Up to a tenth more, the same for everybody who asks. */
	if (wait >= 10)
		wait += (usec_t)(hash_bytes(m->id, strlen(m->id), (uint64_t)m->attempts) %
				 (uint64_t)(wait / 10));
	return wait;
}

/* How a run ended, for people. */
static char *run_words(const struct mission *m, const struct run *run)
{
	char span[DURATION_TEXT_MAX];

	/* What came of it in the end is in the run; why it ended is that somebody stopped it. */
	if (m->stop_reason && run->ending != ENDING_SUCCESS)
		return mem_strdup(m->stop_reason);
	switch (run->ending) {
	case ENDING_SUCCESS:
		if (run->finished_at < run->started_at)
			return mem_strdup("ran; the clock was set back meanwhile");
		duration_format_short(run->finished_at - run->started_at, span);
		return mem_printf("ran for %s%s%s", span, run->denied ? "; " : "",
				  run->denied ? run->denied : "");
	case ENDING_TIMEOUT:
		/* Its agent never began: then what took so long is worth knowing. */
		if (run->exit_code < 0 && !run->signal && run->error)
			return mem_strdup(run->error);
		duration_format_short(m->time_limit, span);
		return mem_printf("no end within %s, so it was ended", span);
	case ENDING_KILLED:
		return mem_strdup("its wrapper was told to end (SIGTERM)");
	case ENDING_DAEMON_SHUTDOWN:
		return mem_strdup("the daemon was stopped while it ran");
	default:
		return mem_strdup(run->error ? run->error : "it failed without a word");
	}
}

static int retry(struct engine *e, struct mission *m, const char *why, usec_t now,
		 struct error *err)
{
	AUTO(free) char *reason = NULL;
	usec_t wait = mission_backoff(m);
	char span[DURATION_TEXT_MAX];
	int rc;

	duration_format_short(wait, span);
	reason = mem_printf("attempt %lld of %lld failed: %s; the next one follows after %s",
			    (long long)m->attempts, (long long)m->max_attempts, why, span);
	m->phase = PHASE_WAITING;
	m->ready_at = now + wait;
	mem_replace(&m->reason, reason);
	e->line_stale = true;
	rc = mission_update(e->db, m, err);
	return rc < 0 ? rc : end_slot(e, m, OUTCOME_RUNNING, reason, now, err);
}

/*
 * It ended well and could not do what it wanted: the person is told once, and again when other calls
 * are denied. Of a mission by hand its author looks at it.
 */
static int tell_denied(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		       struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(free) char *name = NULL, *text = NULL;
	int rc = m->reminder ? policy_get(e->db, m->reminder, &p, err) : ERR_NOT_FOUND;

	if (rc < 0)
		return rc == ERR_NOT_FOUND ? 0 : rc;
	if (strcmp(p->denied ? p->denied : "", run->denied ? run->denied : "") == 0)
		return 0;
	mem_replace(&p->denied, run->denied);
	rc = policy_update(e->db, p, err);
	if (rc < 0 || !run->denied || (rc = reminder_get(e->db, m->reminder, &r, err)) < 0)
		return rc == ERR_NOT_FOUND ? 0 : rc;
	name = whose(m);
	text = mem_printf("%s ran, but %s\n\nIt was mission %s of agent '%s'. What an agent may do "
			  "without being asked is said by its `args` in config.yml, or by the "
			  "settings of its client.\n\nYou are told again when this changes; see: "
			  "belfry mission show %s",
			  name, run->denied, m->id, m->agent, m->id);
	return deliver_notice(e, r, m, "tool calls were denied", text, now, err);
}

int mission_attempt_ended(struct engine *e, struct mission *m, const struct run *run, usec_t now,
			  struct error *err)
{
	AUTO(free) char *why = run_words(m, run);
	bool stopped = run->ending == ENDING_KILLED || m->stop_reason;
	int rc;

	m->outcome = run->ending;
	m->ended_at = run->finished_at; /* we may have heard of it much later */
	if (run->kind != RUN_ATTEMPT) {
		/* Its slot ended long ago; whoever went on with it looks at the mission. */
		if ((rc = finish(e, m, why, now, err)) < 0 ||
		    (rc = replies_settle(e, m, run, now, err)) < 0 ||
		    (rc = live_run_ended(e, m, run, now, err)) < 0)
			return rc;
		return promote(e, m->reminder, now, err);
	}
	/* An attempt carries no replies, but may have asked for some. */
	if ((rc = replies_settle(e, m, run, now, err)) < 0)
		return rc;
	if (run->ending == ENDING_SUCCESS) {
		if ((rc = tell_denied(e, m, run, now, err)) < 0)
			return rc;
		rc = replies_announce(e, m, run, now, err);
		return rc < 0 ? rc : mission_conclude(e, m, OUTCOME_RAN, why, now, err);
	}
	if (stopped)
		return mission_conclude(e, m, OUTCOME_CANCELLED, why, now, err);
	if (may_retry(m, run->ending)) {
		m->ended_at = USEC_NONE;
		return retry(e, m, why, now, err);
	}
	return mission_conclude(e, m, OUTCOME_FAILED, why, now, err);
}

/* --- what people ask for ------------------------------------------------------------------ */

static int refuse(const struct mission *m, const char *verb, const char *hint, struct error *err)
{
	error_set(err, ERR_CONFLICT, "cannot %s mission '%s': it is %s", verb, m->id,
		  phase_word(m->phase));
	return error_hint(err, "%s", hint);
}

static int insert_by_hand(struct engine *e, struct mission *m, enum phase phase, usec_t now,
			  struct error *err)
{
	int rc = check_references(e, m->agent, m->git, err);

	if (rc < 0)
		return rc;
	mission_init(m, phase, now);
	m->door = DOOR_HAND;
	m->nominal = now;
	e->line_stale = true;
	return mission_insert(e->db, m, err);
}

int engine_mission_new(struct engine *e, struct mission *m, usec_t now, struct error *err)
{
	return insert_by_hand(e, m, PHASE_WAITING, now, err);
}

int engine_mission_prepare(struct engine *e, struct mission *m, usec_t now, struct error *err)
{
	int rc = insert_by_hand(e, m, PHASE_ENDED, now, err);

	return rc < 0 ? rc : finish(e, m, "not begun yet", now, err);
}

bool engine_may_ask(const struct engine *e, const char *agent)
{
	struct error unknown = {0};
	const struct config_agent *found = config_agent(e->config, agent, &unknown);

	return !found || !found->adapter || found->adapter->session != SESSION_NONE;
}

int mission_check_resume(const struct engine *e, const struct mission *m, bool ended,
			 struct error *err)
{
	int rc = check_references(e, m->agent, NULL, err);

	if (rc < 0 || !ended)
		return rc;
	if (m->session)
		return run_check_use(e, m, USE_RESUME, err);
	error_set(err, ERR_CONFLICT, "mission '%s' has no conversation to go on with", m->id);
	return error_hint(err, "its agent told no session id; begin with: belfry mission new");
}

int engine_mission_resume(struct engine *e, struct mission *m, const char *prompt, usec_t now,
			  struct error *err)
{
	AUTO(free) char *text = NULL;
	int rc;

	if (m->phase != PHASE_ENDED)
		return refuse(m, "resume", "wait for its end, or: belfry mission stop", err);
	if ((rc = mission_check_resume(e, m, true, err)) < 0 ||
	    (rc = replies_from_queue(e, m, now, err)) < 0 ||
	    (rc = replies_prompt(e, m, prompt, &text, err)) < 0)
		return rc;
	if (!text) {
		error_set(err, ERR_INVALID, "the prompt is empty, and no reply waits for '%s'",
			  m->id);
		return error_hint(err, "say how it is to go on");
	}
	return run_begin(e, m, RUN_RESUME, text, now, err);
}

int engine_mission_stop(struct engine *e, struct mission *m, const char *why, usec_t now,
			struct error *err)
{
	int rc = replies_hold(e, m, err);

	if (rc < 0)
		return rc;
	switch (m->phase) {
	case PHASE_BEHIND:
	case PHASE_WAITING:
		m->outcome =
			ENDING_KILLED; /* also between two attempts: nobody calls that a failure */
		return mission_conclude(e, m, OUTCOME_CANCELLED, why, now, err);
	case PHASE_STARTING:
	case PHASE_RUNNING:
		if (!m->stop_reason)
			mem_replace(&m->stop_reason, why);
		rc = mission_update(e->db, m, err);
		return rc < 0 ? rc : run_stop(e, m, SIGTERM, err);
	default:
		return refuse(m, "stop", "see how it ended: belfry mission show", err);
	}
}

int engine_mission_archive(struct engine *e, struct mission *m, bool archived, usec_t now,
			   struct error *err)
{
	if (m->phase != PHASE_ENDED)
		return refuse(m, "archive", "wait for its end, or: belfry mission stop", err);
	m->archived_at = archived ? now : USEC_NONE;
	return mission_update(e->db, m, err);
}

/* --- removing ----------------------------------------------------------------------------- */

static void add_remove_job(struct engine *e, const struct mission *m)
{
	struct job *job = mem_zalloc(sizeof(*job));

	job->kind = JOB_REMOVE;
	job->key = m->key;
	job->run = mem_strdup(m->id);
	engine_add_job(e, job);
}

int engine_mission_remove(struct engine *e, struct mission *m, usec_t now, struct error *err)
{
	if (m->phase != PHASE_ENDED)
		return refuse(m, "remove", "stop it first: belfry mission stop", err);
	m->phase = PHASE_REMOVING;
	m->archived_at = now;
	add_remove_job(e, m);
	return mission_update(e->db, m, err);
}

int mission_removed(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *words = NULL;

	if (mission_get(e->db, end->key, &m, err) < 0)
		return err->code == ERR_NOT_FOUND ? 0 : err->code;
	if (job_succeeded(end))
		return mission_delete(e->db, m->key, err);
	words = job_end_words(end, 0);
	log_warning("the folder of mission '%s' could not be removed: %s", m->id, words);
	mem_replace(&m->reason, "its folder could not be removed");
	m->phase = PHASE_ENDED;
	m->ended_at = now; /* retention tries again when its time has passed again */
	return mission_update(e->db, m, err);
}

int mission_prune(struct engine *e, usec_t before, int limit, usec_t now, int64_t *ret,
		  struct error *err)
{
	AUTO_MISSIONS struct mission_list old = {0};
	int rc = mission_old(e->db, before, limit, &old, err);

	for (size_t i = 0; rc >= 0 && i < old.count; i++)
		rc = engine_mission_remove(e, old.items[i], now, err);
	*ret = (int64_t)old.count;
	return rc;
}

int mission_recover(struct engine *e, usec_t now, struct error *err)
{
	AUTO_MISSIONS struct mission_list removing = {0};
	int rc = mission_in_phase(e->db, PHASE_REMOVING, &removing, err);

	for (size_t i = 0; rc >= 0 && i < removing.count; i++)
		add_remove_job(e, removing.items[i]);
	e->line_stale = true;
	e->waits_stale = true;
	return rc < 0 ? rc : run_recover(e, now, err);
}
