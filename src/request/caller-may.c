/*
 * caller-may.c: what a caller may ask at all. The rows say it themselves:
 *
 *	a tool             the trust that it needs, by whichever door
 *	REQUEST_ADMIN      the person at the command line; no run, no tool: what is set up, what they answer,
 *	                   what they have read and put away
 *	REQUEST_OWN        other users too, from inner trust on: they meet only what is theirs
 *	REQUEST_HOOK       the hooks of any user's client
 *	REQUEST_WINDOW     the process in a window that Belfry opens for a live agent
 *	REQUEST_ANYBODY    all: it tells a caller of itself
 *	anything else      the person and what works for them: it knows nothing of users
 *
 * So a row that says nothing is closed to others. Below are the checks of what a row is about: a run may
 * do more to what is its own than to what is not. doc/decisions/0006-callers.md has the whole list.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/order.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/boundary.h"
#include "engine/declared.h"
#include "engine/inbox.h"
#include "engine/preview.h"
#include "request/caller.h"
#include "schedule/schedule.h"
#include "store/live.h"
#include "store/mission.h"
#include "store/policy.h"
#include "store/reminder.h"
#include "store/thread.h"

#define OWN_TRUST TRUST_INNER /* what other users need for REQUEST_OWN */
#define WHO_MAX 160
#define TOLD_BYTES_MAX 8192 /* of what something said, in a notice */

static const char *what(const struct request_row *row)
{
	return row->tool ? row->tool->name : row->name;
}

static const char *who(const struct caller *c, char ret[WHO_MAX])
{
	if (c->mission)
		snprintf(ret, WHO_MAX, "mission '%s' of user '%s'", c->mission, c->user);
	else
		snprintf(ret, WHO_MAX, "%suser '%s'", c->lent ? "a command run for " : "", c->user);
	return ret;
}

static int need(const struct caller *c, const struct request_row *row, enum trust least,
		struct error *err)
{
	char asks[WHO_MAX];

	if (c->trust >= least)
		return 0;
	error_set(err, ERR_DENIED, "'%s' needs %s trust, and %s has %s trust", what(row),
		  least == TRUST_FULL	 ? "full"
		  : least == TRUST_INNER ? "inner or full"
					 : trust_word(least),
		  who(c, asks), trust_word(c->trust));
	if (c->mission)
		return error_hint(err, "a run has no more trust than what ordered it had, and its "
				       "user has now ('users' in config.yml)");
	return error_hint(err,
			  "the person at this machine can give it: '%.64s: {trust: %s}' under "
			  "'users' in config.yml",
			  c->user, trust_word(least));
}

static int hint_admin(const struct caller *c, struct error *err)
{
	return error_hint(err, c->mission ? "write to them: belfry message send, with --ask for an "
					    "answer; they run it outside of any mission"
					  : "ask the person at this machine, who can run it");
}

static int refuse_admin(const struct caller *c, const struct request_row *row, struct error *err)
{
	char asks[WHO_MAX];

	error_set(err, ERR_DENIED,
		  "%s may not '%s': no trust is enough, it is for the person alone", who(c, asks),
		  what(row));
	return hint_admin(c, err);
}

static int refuse_shared(const struct caller *c, const struct request_row *row, struct error *err)
{
	char asks[WHO_MAX];

	error_set(err, ERR_DENIED,
		  "%s may not '%s': it shows or changes what is not theirs alone, "
		  "and no trust is enough",
		  who(c, asks), what(row));
	return error_hint(err,
			  "their own: belfry reminder list, belfry task list, belfry mission ls");
}

/* Who it was decides what it may, and that can be said no more. */
static int refuse_gone(const struct request_row *row, struct error *err)
{
	error_set(err, ERR_DENIED,
		  "'%s' is refused: the process that asked has ended, and it may have been "
		  "part of a run",
		  what(row));
	return error_hint(err, "a program that asks has to wait for its answer");
}

/* Who asks cannot be seen, and would not be let in on trust. Nothing is wrong with whoever asks. */
static int refuse_blind(const struct request_row *row, int os_errno, struct error *err)
{
	error_set(err, ERR_UNAVAILABLE, "'%s' is refused: the daemon cannot see who asks: %s",
		  what(row), strerror(os_errno));
	return error_hint(err, os_errno == ENOMEM ? "free some memory and try again"
						  : "'belfry doctor' says how many files the "
						    "daemon has open, and may have");
}

/* Of a run, but of which? */
static int refuse_stray(const struct request_row *row, struct error *err)
{
	error_set(err, ERR_DENIED,
		  "'%s' is refused: the process that asked was left over by a run or a command of "
		  "Belfry's, or started by its tmux, and nobody knows whose it is",
		  what(row));
	return error_hint(err, "a run asks while its wrapper runs; a person asks from a shell of "
			       "their own, outside of Belfry's windows; if a run has lowered that "
			       "shell's limit of file locks (ulimit -x), from a new login");
}

static int refuse_unknown(const struct caller_process *p, const struct request_row *row,
			  struct error *err)
{
	if (p && p->blind)
		return refuse_blind(row, p->blind, err);
	return p && p->gone ? refuse_gone(row, err) : refuse_stray(row, err);
}

/* What Belfry's tmux starts in a window is a stray until it is a wrapper: only it can become one by this. */
static bool is_window(const struct caller *c)
{
	return c->process && c->process->window && !c->process->gone && !c->process->blind;
}

static int refuse_window(const struct request_row *row, struct error *err)
{
	error_set(err, ERR_DENIED,
		  "'%s' is for the process that Belfry starts in a window of its tmux", what(row));
	return error_hint(err, "belfry agent start AGENT opens that window");
}

int caller_may(const struct caller *c, const struct request_row *row, struct error *err)
{
	bool person = caller_is_person(c);

	if (row->flags & REQUEST_WINDOW)
		return is_window(c) ? 0 : refuse_window(row, err);
	if (c->unknown && !(row->flags & (REQUEST_HOOK | REQUEST_PURE)))
		return refuse_unknown(c->process, row, err);
	if (row->tool)
		return need(c, row, row->tool->trust, err);
	if (row->flags & REQUEST_ADMIN)
		return person && !caller_is_run(c) && c->surface == SURFACE_CLI
			       ? 0
			       : refuse_admin(c, row, err);
	if (person || (row->flags & (REQUEST_PURE | REQUEST_ANYBODY)) ||
	    ((row->flags & REQUEST_HOOK) && c->surface == SURFACE_HOOK))
		return 0;
	return row->flags & REQUEST_OWN ? need(c, row, OWN_TRUST, err) : refuse_shared(c, row, err);
}

/* --- what a run may do to what is not its own --- */

static bool is_own_agent(const struct caller *c, const char *agent)
{
	return c->agent && agent && strcmp(c->agent, agent) == 0;
}

int caller_check_agent(const struct request *rq, const char *agent, struct error *err)
{
	const struct caller *c = &rq->caller;

	if (!caller_is_run(c) || c->trust == TRUST_FULL || !agent || is_own_agent(c, agent))
		return 0;
	error_set(err, ERR_DENIED,
		  "a run of user '%s' has %s trust: it may act for its own agent '%s', not "
		  "for '%s'",
		  c->user, trust_word(c->trust), c->agent ? c->agent : "", agent);
	return error_hint(err, "full trust ('users' in config.yml) is needed for other agents");
}

/* --- what the person has made, and a run changes: they would look for it in vain, or find it in other words --- */

static bool is_persons(const char *owner, bool by_run)
{
	return !by_run && (!owner || strcmp(owner, "me") == 0);
}

/* `what` is "reminder 'x'", `was` how it was until now, `look` the command that shows what it is like now. */
static int tell_person(const struct request *rq, const char *what, const char *verb,
		       const char *was, const char *look, struct error *err)
{
	char asks[WHO_MAX];
	AUTO(free)
	char *text = mem_printf("Your %s is changed by %s: %s. Until now %s\n\nWhat became of it: "
				"belfry %s",
				what, who(&rq->caller, asks), verb, was, look);

	return engine_tell(rq->engine, text, rq->now, err);
}

/* "it said:" and the text, of which a notice has the beginning. */
static char *quoted(const char *before, const char *text)
{
	size_t len = text_fit(text, TOLD_BYTES_MAX);

	return mem_printf("%s\n\n> %.*s%s", before, (int)len, text, text[len] ? " …" : "");
}

static char *when_of(const struct reminder *r)
{
	AUTO(schedule_free) struct schedule *s = NULL;
	AUTO(free) char *words = NULL;
	struct error unreadable = {0};

	if (engine_schedule(r, &s, &unreadable) == 0)
		words = schedule_describe(s);
	return mem_printf("for '%s', %s, %s", r->agent, words ? words : r->schedule, r->zone);
}

static int tell_of_reminder(const struct request *rq, const struct reminder *r, const char *verb,
			    struct error *err)
{
	AUTO(policy_free) struct policy *p = NULL;
	AUTO(free) char *when = when_of(r), *said = quoted("it said:", r->message), *was = NULL;
	AUTO(free) char *what = NULL, *look = mem_printf("reminder show %s", r->id);
	int rc = r->action == ACTION_RUN ? policy_get(engine_db(rq->engine), r->key, &p, err) : 0;

	if (rc < 0 && rc != ERR_NOT_FOUND)
		return rc;
	what = mem_printf("%s '%s'", p && p->door == DOOR_TASK ? "task" : "reminder",
			  r->name ? r->name : r->id);
	was = mem_printf("%s\n\nIt was %s.", said, when);
	return tell_person(rq, what, verb, was, look, err);
}

static bool is_verb(const char *verb, const char *a, const char *b)
{
	return strcmp(verb, a) == 0 || strcmp(verb, b) == 0;
}

/* An agent that is told to look at a condition closes what told it so. */
static bool is_meant(const struct caller *c, const struct reminder *r, const char *verb)
{
	return r->condition_kind == CONDITION_PROMPT && is_verb(verb, "complete", "report") &&
	       is_own_agent(c, r->agent);
}

/* What a file declares is the person's alone, as `cron disable` is. To run it once is no more than `cron run`. */
static int check_declared(const struct request *rq, const struct reminder *r, const char *verb,
			  struct error *err)
{
	const struct caller *c = &rq->caller;
	struct declared d;
	char asks[WHO_MAX];
	int rc = engine_declared(rq->engine, r, &d, err);

	if (rc < 0 || d.as == DECLARED_NOT || strcmp(verb, "run") == 0)
		return rc;
	error_set(err, ERR_DENIED,
		  "%s may not %s '%s', which a file declares: no trust is enough, it is for the "
		  "person alone",
		  who(c, asks), verb, r->name ? r->name : r->id);
	return hint_admin(c, err);
}

/* What its conversation made before it was a run's is its own, too. */
static int is_own(const struct request *rq, const struct reminder *r, bool *ret, struct error *err)
{
	int64_t mission = rq->caller.mission_key;

	*ret = mission && r->made_by == mission && !r->persons;
	if (*ret || !mission || !r->session)
		return 0;
	return engine_session_is_of(rq->engine, r->session, NULL, mission, ret, err);
}

int caller_check_reminder(const struct request *rq, const struct reminder *r, const char *verb,
			  struct error *err)
{
	bool own = false;
	int rc;

	if (!caller_is_run(&rq->caller) || is_meant(&rq->caller, r, verb))
		return 0;
	if ((rc = check_declared(rq, r, verb, err)) < 0 || (rc = is_own(rq, r, &own, err)) < 0 ||
	    own || (rc = caller_check_agent(rq, r->agent, err)) < 0)
		return rc;
	/* Run once it stays what it is, and `why` says by whom. */
	if (!is_persons(r->owner, r->made_by && !r->persons) || strcmp(verb, "run") == 0)
		return 0;
	return tell_of_reminder(rq, r, verb, err);
}

/* Whoever made the reminder has made what that ordered. */
static int maker_of(const struct request *rq, const struct mission *m, int64_t *ret,
		    struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	int rc = m->reminder ? reminder_get(engine_db(rq->engine), m->reminder, &r, err) : 0;

	*ret = r ? (r->persons ? 0 : r->made_by) : m->made_by;
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

static int tell_of_mission(const struct request *rq, const struct mission *m, const char *verb,
			   struct error *err)
{
	AUTO(free) char *what = mem_printf("mission '%s' of agent '%s'", m->id, m->agent);
	AUTO(free) char *was = quoted("it had to do:", m->prompt);
	AUTO(free) char *look = mem_printf("mission show %s", m->id);
	int64_t maker = 0;
	int rc;

	if (!caller_is_run(&rq->caller) || m->key == rq->caller.mission_key)
		return 0;
	rc = maker_of(rq, m, &maker, err);
	return rc < 0 || !is_persons(m->owner, maker) ? rc
						      : tell_person(rq, what, verb, was, look, err);
}

int caller_check_stop(const struct request *rq, const struct mission *m, struct error *err)
{
	int rc = caller_check_agent(rq, m->agent, err);

	return rc < 0 ? rc : tell_of_mission(rq, m, "stop", err);
}

int caller_check_live(const struct request *rq, const char *agent, const char *verb,
		      struct error *err)
{
	AUTO(live_free) struct live *l = NULL;
	AUTO(free) char *what = mem_printf("agent '%s'", agent), *was = NULL;
	int rc = caller_check_agent(rq, agent, err);

	if (rc < 0 || !caller_is_run(&rq->caller) ||
	    (rc = live_find(engine_db(rq->engine), agent, &l, err)) < 0 || !l ||
	    (l->mission && l->mission == rq->caller.mission_key))
		return rc;
	was = mem_printf("it was %s.", presence_word(l->state));
	return tell_person(rq, what, verb, was, "agent ls", err);
}

/* A prompt would be taken for the answer: that is the person's to give. */
int caller_check_resume(const struct request *rq, const struct mission *m, struct error *err)
{
	int64_t unread = 0, asks = 0;
	char who_asks[WHO_MAX];
	int rc = caller_check_agent(rq, m->agent, err);

	if (rc < 0 || !caller_is_run(&rq->caller) ||
	    (rc = thread_counts_of_mission(engine_db(rq->engine), m->key, &unread, &asks, err)) < 0)
		return rc;
	if (!asks)
		return tell_of_mission(rq, m, "resume", err);
	error_set(err, ERR_DENIED,
		  "%s may not go on with mission '%s': it waits for the person's answer",
		  who(&rq->caller, who_asks), m->id);
	return error_hint(err, "the person answers: belfry inbox reply %s", m->id);
}

int caller_check_voice(const struct request *rq, const char *agent, struct error *err)
{
	const struct caller *c = &rq->caller;
	char asks[WHO_MAX];

	if (!caller_is_run(c) || is_own_agent(c, agent))
		return 0;
	if (c->agent)
		error_set(err, ERR_DENIED, "%s works as agent '%s': it may not do this for '%s'",
			  who(c, asks), c->agent, agent);
	else
		error_set(err, ERR_DENIED, "%s works as no agent: it may not do this for '%s'",
			  who(c, asks), agent);
	return error_hint(err,
			  "its own: --agent %s; to tell another agent something: belfry "
			  "agent send",
			  c->agent ? c->agent : "AGENT");
}

int caller_check_mission(const struct request *rq, const struct mission *m, struct error *err)
{
	const struct caller *c = &rq->caller;
	char asks[WHO_MAX];

	bool ordered = c->mission_key && m->made_by == c->mission_key && m->key != c->mission_key;

	if (!caller_is_run(c) || ordered)
		return 0;
	error_set(err, ERR_DENIED,
		  "%s may put away missions that it has ordered, and '%s' is not one", who(c, asks),
		  m->id);
	return error_hint(err, "the person puts it away; tell them: belfry message send");
}

/* A wrapper is what a run is known by: whoever could name another would make that a run, or the person. */
int caller_attends(const struct request *rq, const json_t *args, struct process_id *ret,
		   struct error *err)
{
	const struct caller *c = &rq->caller;
	char asks[WHO_MAX];
	int64_t pid = 0;
	int rc = json_get_int(args, "pid", &pid, err);

	if (rc < 0 || (!pid && !json_object_get(args, "boot")))
		return rc;
	if (caller_is_run(c) && !is_window(c)) {
		error_set(err, ERR_DENIED, "%s has no terminal of the person's to give to an agent",
			  who(c, asks));
		return error_hint(err, "without one: belfry mission new AGENT PROMPT");
	}
	if (caller_process_name(c->process, ret) && ret->pid == pid)
		return 1;
	error_set(err, ERR_DENIED, "process %lld did not ask this itself", (long long)pid);
	return error_hint(err, "the process that asks is the one that hosts the agent");
}
