/*
 * run.c: one process of a mission. The start is gated, so that no crash can run an attempt twice:
 *
 *	begin     the row of the run is committed, then a wrapper is wished for (JOB_START)
 *	started   the wrapper waits at its gate; its process is committed; then the gate opens
 *	ended     it left an end, or nothing at all: then what it left behind is killed (JOB_SWEEP)
 *	          before anything else happens in its place
 *
 * After a crash an open run without a process provably never ran and is started again as the same
 * attempt; one with a process is looked for (JOB_ADOPT).
 */
#include "engine/internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/mission.h"
#include "store/agent-session.h"

#define OVERDUE_MARGIN USEC_PER_MINUTE
#define PID_MAX 256

/* --- the order ---------------------------------------------------------------------------- */

static struct order_source *copy_source(const struct config_source *s)
{
	struct order_source *copy = mem_zalloc(sizeof(*copy));

	copy->name = mem_strdup(s->name);
	copy->origin = mem_strdup(s->origin);
	copy->is_git = s->is_git;
	return copy;
}

static int add_sources(const struct engine *e, const struct mission *m,
		       const struct config_agent *agent, struct order *o, struct error *err)
{
	const struct config_source *s;

	if (agent->template) {
		s = config_template(e->config, agent->template);
		if (!s)
			return error_set(err, ERR_INVALID, "unknown agent template '%s'",
					 agent->template);
		o->template = copy_source(s);
	}
	if (m->git) {
		s = config_repo(e->config, m->git);
		if (!s)
			return error_set(err, ERR_INVALID, "unknown repository '%s'", m->git);
		o->git = copy_source(s);
	}
	return 0;
}

static int find_agent(const struct engine *e, const struct mission *m,
		      const struct config_agent **ret, struct error *err)
{
	*ret = *m->agent ? config_agent(e->config, m->agent, err)
			 : config_default_agent(e->config, err);
	if (!*ret)
		return err->code;
	if (!(*ret)->adapter)
		return error_set(err, ERR_INVALID, "agent '%s' cannot run: it has no adapter",
				 (*ret)->name);
	return 0;
}

/* Before there is a run: one that fails at once would change a mission for the worse. */
int run_check_use(const struct engine *e, const struct mission *m, enum adapter_use use,
		  struct error *err)
{
	const struct config_agent *agent;
	int rc = find_agent(e, m, &agent, err);

	if (rc < 0 || (agent->adapter->templates[use] && agent->adapter->templates[use][0]))
		return rc;
	error_set(err, ERR_CONFLICT, "agent '%s' cannot %s: its adapter '%s' has no '%s'",
		  agent->name,
		  use == USE_RESUME		  ? "go on with a conversation"
		  : use == USE_RESUME_INTERACTIVE ? "go on with a conversation on a terminal"
						  : "be run on a terminal",
		  agent->adapter->name, adapter_use_words[use]);
	if (use == USE_RESUME_INTERACTIVE)
		return error_hint(err,
				  "without one: belfry mission resume %s PROMPT; or give it "
				  "one under 'adapters:' in config.yml",
				  m->id);
	return error_hint(err, "give it one under 'adapters:' in config.yml");
}

static enum adapter_use use_of(const struct mission *m, enum run_kind kind)
{
	if (kind == RUN_INTERACTIVE)
		return m->runs > 1 ? USE_RESUME_INTERACTIVE : USE_INTERACTIVE;
	return kind == RUN_RESUME ? USE_RESUME : USE_HEADLESS;
}

/* A new conversation for every attempt: agents refuse an id that was used before. */
static void choose_session(struct mission *m, const struct adapter *adapter, enum adapter_use use)
{
	char fresh[ADAPTER_SESSION_MAX];

	if (use == USE_RESUME || use == USE_RESUME_INTERACTIVE)
		return;
	mem_replace(&m->session, NULL);
	if (adapter->session != SESSION_CHOSEN)
		return;
	adapter_new_session(fresh);
	mem_replace(&m->session, fresh);
}

/* Where a mission came from; both stay NULL when that is gone. */
static int load_origin(struct engine *e, const struct mission *m, struct reminder **ret_reminder,
		       struct slot **ret_slot, struct error *err)
{
	int rc = 0;

	if (m->reminder)
		rc = reminder_get(e->db, m->reminder, ret_reminder, err);
	if ((rc >= 0 || rc == ERR_NOT_FOUND) && m->slot)
		rc = slot_get(e->db, m->slot, ret_slot, err);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

static int fill_texts(struct engine *e, const struct mission *m, const struct run *run,
		      const struct config_agent *agent, usec_t now, struct order *o,
		      struct error *err)
{
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(slot_free) struct slot *slot = NULL;
	int rc = load_origin(e, m, &r, &slot, err);

	if (rc < 0)
		return rc;
	o->environment = words_run_environment(agent, r, slot, m, e->config->inherit);
	if (run->kind == RUN_ATTEMPT)
		return context_prompt(e, m, r, now, &o->prompt, err);
	o->prompt = mem_strdup(run->prompt ? run->prompt : "");
	return 0;
}

static int make_order(struct engine *e, struct mission *m, const struct run *run, usec_t now,
		      struct order *o, struct error *err)
{
	const struct config_agent *agent;
	int rc = find_agent(e, m, &agent, err);

	if (rc < 0)
		return rc;
	o->mission = mem_strdup(m->id);
	o->number = run->number;
	o->interactive = run->kind == RUN_INTERACTIVE;
	o->adapter = adapter_copy(agent->adapter);
	o->use = use_of(m, run->kind);
	choose_session(m, agent->adapter, o->use);
	o->session = mem_strdup(m->session);
	o->args = mem_strdup_list((const char *const *)agent->args);
	o->secrets = mem_strdup_list((const char *const *)agent->secrets);
	o->directory = mem_strdup(agent->directory);
	o->instructions = mem_strdup(agent->instructions);
	o->time_limit = o->interactive ? 0 : m->time_limit;
	o->grace = RUN_GRACE;
	rc = add_sources(e, m, agent, o, err);
	return rc < 0 ? rc : fill_texts(e, m, run, agent, now, o, err);
}

int run_order(struct engine *e, struct mission *m, const struct run *run, usec_t now, char **ret,
	      struct error *err)
{
	AUTO(order_free) struct order *o = mem_zalloc(sizeof(*o));
	int rc = make_order(e, m, run, now, o, err);

	if (rc >= 0)
		*ret = order_format(o);
	return rc;
}

/* --- jobs --------------------------------------------------------------------------------- */

static struct job *new_job(enum job_kind kind, const struct mission *m, const struct run *run)
{
	struct job *job = mem_zalloc(sizeof(*job));

	job->kind = kind;
	job->key = run->key;
	job->run = mem_printf("%s/%lld", m->id, (long long)run->number);
	job->interactive = run->kind == RUN_INTERACTIVE;
	return job;
}

static void add_start_job(struct engine *e, const struct mission *m, const struct run *run,
			  char *stolen_order)
{
	struct job *job = new_job(JOB_START, m, run);

	job->input = stolen_order;
	engine_add_job(e, job);
}

static void add_adopt_job(struct engine *e, const struct mission *m, const struct run *run)
{
	struct job *job = new_job(JOB_ADOPT, m, run);

	job->process.pid = (pid_t)run->pid;
	job->process.start = run->pid_start;
	snprintf(job->process.boot, sizeof(job->process.boot), "%s", run->boot ? run->boot : "");
	engine_add_job(e, job);
}

int run_stop(struct engine *e, const struct mission *m, int signal, struct error *err)
{
	AUTO(run_free) struct run *run = NULL;
	struct job *job;
	int rc = run_last(e->db, m->key, &run, err);

	/* One that has no process yet is told at its gate. */
	if (rc < 0 || !run || run->finished_at != USEC_NONE || !run->pid)
		return rc;
	job = new_job(JOB_STOP, m, run);
	job->signal = signal;
	engine_add_job(e, job);
	return 0;
}

/* --- begin -------------------------------------------------------------------------------- */

static int write_slot_started(struct engine *e, const struct mission *m, struct error *err)
{
	AUTO(slot_free) struct slot *slot = NULL;
	AUTO(free) char *reason = mem_printf("runs as mission %s", m->id);

	if (!m->slot)
		return 0;
	if (slot_get(e->db, m->slot, &slot, err) < 0)
		return err->code == ERR_NOT_FOUND ? 0 : err->code;
	slot->attempts = m->attempts;
	mem_replace(&slot->reason, reason);
	return slot_update(e->db, slot, err);
}

static struct run *new_run(struct mission *m, enum run_kind kind, const char *prompt, usec_t now)
{
	struct run *run = mem_zalloc(sizeof(*run));

	run->mission = m->key;
	run->number = ++m->runs;
	run->attempt = kind == RUN_ATTEMPT ? ++m->attempts : 0;
	run->kind = kind;
	run->prompt = mem_strdup(prompt);
	run->begun_at = now;
	run->started_at = run->finished_at = run->overdue_at = USEC_NONE;
	run->exit_code = -1;
	run->cost = -1;
	return run;
}

static void open_mission(struct mission *m, enum phase phase, usec_t now)
{
	m->phase = phase;
	m->wait_until = USEC_NONE;
	m->ended_at = USEC_NONE;
	if (m->started_at == USEC_NONE)
		m->started_at = now;
	m->denied = 0;
	mem_replace(&m->reason, NULL);
	mem_replace(&m->stop_reason, NULL);
}

/* An attempt begins a new conversation, in which nobody has answered yet. */
static int carry_replies(struct engine *e, const struct mission *m, const struct run *run,
			 struct error *err)
{
	return run->kind == RUN_ATTEMPT ? 0 : replies_offer(e, m, run, err);
}

/* A reference that has gone bad since: a recorded run that failed, not a silence. */
static int fail_at_once(struct engine *e, struct mission *m, struct run *run, usec_t now,
			const struct error *why, struct error *err)
{
	int rc;

	run->ending = ENDING_ERROR;
	run->error = mem_strdup(why->message);
	run->started_at = run->finished_at = now;
	if ((rc = run_insert(e->db, run, err)) < 0 || (rc = carry_replies(e, m, run, err)) < 0)
		return rc;
	return mission_attempt_ended(e, m, run, now, err);
}

int run_begin(struct engine *e, struct mission *m, enum run_kind kind, const char *prompt,
	      usec_t now, struct error *err)
{
	AUTO(run_free) struct run *run = new_run(m, kind, prompt, now);
	AUTO(free) char *order = NULL;
	struct error why = {0};
	int rc;

	open_mission(m, PHASE_STARTING, now);
	rc = run_order(e, m, run, now, &order, &why);
	if (rc == ERR_INVALID || rc == ERR_NOT_FOUND)
		return fail_at_once(e, m, run, now, &why, err);
	if (rc < 0) {
		*err = why;
		return rc;
	}
	if ((rc = run_insert(e->db, run, err)) < 0 || (rc = mission_update(e->db, m, err)) < 0 ||
	    (rc = carry_replies(e, m, run, err)) < 0 ||
	    (rc = kind == RUN_ATTEMPT ? write_slot_started(e, m, err) : 0) < 0)
		return rc;
	add_start_job(e, m, run, steal_ptr(&order));
	return 0;
}

static void set_process(struct run *run, const struct process_id *process)
{
	run->pid = process->pid;
	run->pid_start = process->start;
	mem_replace(&run->boot, process->boot);
}

int run_attach(struct engine *e, struct mission *m, const struct process_id *caller,
	       const char *prompt, usec_t now, char **ret, struct error *err)
{
	AUTO(run_free) struct run *run = NULL;
	AUTO(free) char *order = NULL;
	AUTO(free) char *text = NULL;
	int rc;

	if (m->phase != PHASE_ENDED) {
		error_set(err, ERR_CONFLICT, "cannot go on with mission '%s': it is %s", m->id,
			  phase_word(m->phase));
		return error_hint(err, "wait for its end, or: belfry mission stop %s", m->id);
	}
	if (m->runs && !m->session) {
		error_set(err, ERR_CONFLICT, "mission '%s' has no conversation to go on with",
			  m->id);
		return error_hint(err,
				  "its agent told no session id; begin with: belfry mission new");
	}
	if ((rc = run_check_use(e, m, m->runs ? USE_RESUME_INTERACTIVE : USE_INTERACTIVE, err)) <
		    0 ||
	    (rc = replies_prompt(e, m, prompt, &text, err)) < 0)
		return rc;
	run = new_run(m, RUN_INTERACTIVE, text, now);
	open_mission(m, PHASE_RUNNING, now);
	run->started_at = now;
	set_process(run, caller);
	if ((rc = run_order(e, m, run, now, &order, err)) < 0 ||
	    (rc = run_insert(e->db, run, err)) < 0 || (rc = carry_replies(e, m, run, err)) < 0 ||
	    (rc = mission_update(e->db, m, err)) < 0)
		return rc;
	add_adopt_job(e, m, run);
	*ret = steal_ptr(&order);
	return 0;
}

int engine_mission_attach(struct engine *e, struct mission *m, const struct process_id *caller,
			  const char *prompt, usec_t now, char **ret, struct error *err)
{
	int rc = replies_from_queue(e, m, now, err);

	return rc < 0 ? rc : run_attach(e, m, caller, prompt, now, ret, err);
}

/* --- started ------------------------------------------------------------------------------ */

static int load_open(struct engine *e, int64_t key, struct run **ret_run,
		     struct mission **ret_mission, struct error *err)
{
	AUTO(run_free) struct run *run = NULL;
	int rc = run_get(e->db, key, &run, err);

	if (rc == ERR_NOT_FOUND || (rc >= 0 && run->finished_at != USEC_NONE))
		return 0;
	if (rc >= 0)
		rc = mission_get(e->db, run->mission, ret_mission, err);
	if (rc < 0)
		return rc;
	*ret_run = steal_ptr(&run);
	return 1;
}

/* Stopped before it began. */
static int end_unbegun(struct engine *e, struct mission *m, struct run *run, usec_t now,
		       struct error *err)
{
	int rc;

	run->ending = ENDING_KILLED;
	run->finished_at = now;
	rc = run_update(e->db, run, err);
	return rc < 0 ? rc : mission_attempt_ended(e, m, run, now, err);
}

usec_t run_overdue_after(const struct mission *m, usec_t now)
{
	return m->time_limit ? now + m->time_limit + RUN_GRACE + OVERDUE_MARGIN : USEC_NONE;
}

int engine_run_started(struct engine *e, usec_t now, const struct run_start *start,
		       struct error *err)
{
	AUTO(run_free) struct run *run = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int rc = load_open(e, start->run, &run, &m, err);

	if (rc <= 0)
		return rc;
	if (run->pid)
		return 0; /* another wrapper has it */
	if (m->stop_reason) {
		rc = end_unbegun(e, m, run, now, err);
		return rc < 0 ? rc : 0;
	}
	set_process(run, &start->process);
	run->started_at = now;
	run->overdue_at = run_overdue_after(m, now);
	m->phase = PHASE_RUNNING;
	if ((rc = run_update(e->db, run, err)) < 0 || (rc = mission_update(e->db, m, err)) < 0)
		return rc;
	/* Only a bound on a wrapper that fails itself: when it matters, it matters by minutes. */
	if (run->overdue_at != USEC_NONE)
		e->line_at = usec_earlier(e->line_at, run->overdue_at);
	return 1;
}

/* --- ended -------------------------------------------------------------------------------- */

/* "3 tool calls were denied: Bash(make test), …"; NULL when there were none. */
static char *denied_words(const struct end *end)
{
	const char *calls = end->denied_calls ? end->denied_calls : "";

	if (end->denied <= 0)
		return NULL;
	if (end->denied == 1)
		return mem_printf("a tool call was denied: %s", calls);
	return mem_printf("%lld tool calls were denied: %s", (long long)end->denied, calls);
}

static void take_end(struct run *run, const struct end *end, usec_t now)
{
	int ending = ending_of(end->reason);

	run->ending = ending > ENDING_NONE ? (enum ending)ending : ENDING_ERROR;
	run->exit_code = end->exit_code;
	run->signal = end->signal;
	if (end->started_at != USEC_NONE)
		run->started_at = end->started_at;
	run->finished_at = now;
	/* By its own clock, unless that was set while it ran. */
	if (end->finished_at >= run->started_at && end->finished_at <= now)
		run->finished_at = end->finished_at;
	mem_replace(&run->answer, end->answer);
	mem_replace(&run->error, end->error);
	mem_replace(&run->session, end->session);
	run->cost = end->cost;
	free(run->denied);
	run->denied = denied_words(end);
	run->told = end->told;
}

/* By what it was ended, where the wrapper knows only that it was. */
static void name_stopper(const struct mission *m, struct run *run)
{
	AUTO(free) char *words = NULL;

	if (run->ending != ENDING_KILLED || !m->stop_reason)
		return;
	words = mem_printf("it was asked to end: %s", m->stop_reason);
	mem_replace(&run->error, words);
}

/*
 * A client that chose the name of its conversation, and has our hooks, told it by them. One that tells the name of
 * a session in other hands is not believed: it would be resumed as this mission's.
 */
static int learn_session(struct engine *e, const struct mission *m, struct run *run,
			 struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	bool own = true;
	int rc;

	if (run->session && (rc = session_may_be(e, m, run->session, &own, err)) < 0)
		return rc;
	if (!own)
		mem_replace(&run->session, NULL);
	if (run->session || m->session || run->kind != RUN_INTERACTIVE)
		return 0;
	rc = agent_session_of_mission(e->db, m->key, run->begun_at, &s, err);
	if (rc >= 0 && s && adapter_session_ok(s->id))
		mem_replace(&run->session, s->id);
	return rc;
}

/*
 * Some agents tell what the whole conversation has cost so far; then earlier runs of the same one
 * have been paid for already.
 */
static int subtract_earlier(struct engine *e, const struct mission *m, struct run *run,
			    struct error *err)
{
	const struct config_agent *agent = NULL;
	AUTO_RUNS struct run_list earlier = {0};
	struct error unknown = {0};
	int rc;

	if (run->cost <= 0 || run->kind == RUN_ATTEMPT || !run->session ||
	    find_agent(e, m, &agent, &unknown) < 0 || !agent->adapter->cost_total)
		return 0;
	rc = run_list(e->db, m->key, &earlier, err);
	for (size_t i = 0; rc >= 0 && i < earlier.count; i++) {
		const struct run *old = earlier.items[i];

		if (old->key != run->key && old->cost > 0 && old->session &&
		    strcmp(old->session, run->session) == 0)
			run->cost -= old->cost < run->cost ? old->cost : run->cost;
	}
	return rc;
}

static int finish_run(struct engine *e, struct mission *m, struct run *run, usec_t now,
		      struct error *err)
{
	int rc;

	if ((rc = learn_session(e, m, run, err)) < 0 || (rc = subtract_earlier(e, m, run, err)) < 0)
		return rc;
	if (run->session)
		mem_replace(&m->session, run->session);
	if (run->cost > 0)
		m->cost += run->cost;
	run->overdue_at = USEC_NONE;
	rc = run_update(e->db, run, err);
	return rc < 0 ? rc : mission_attempt_ended(e, m, run, now, err);
}

static int fail_run(struct engine *e, struct mission *m, struct run *run, enum ending ending,
		    const char *error, usec_t now, struct error *err)
{
	run->ending = ending;
	mem_replace(&run->error, error);
	if (run->started_at == USEC_NONE)
		run->started_at = now;
	run->finished_at = now;
	return finish_run(e, m, run, now, err);
}

/* It provably never ran: the same attempt begins again. */
static int begin_again(struct engine *e, struct mission *m, struct run *run, usec_t now,
		       struct error *err)
{
	AUTO(free) char *order = NULL;
	struct error why = {0};
	int rc;

	if (m->stop_reason)
		return end_unbegun(e, m, run, now, err);
	if (run->kind == RUN_INTERACTIVE) /* whoever sat there has gone */
		return fail_run(e, m, run, ENDING_ORPHANED, "it ended before it began", now, err);
	rc = run_order(e, m, run, now, &order, &why);
	if (rc == ERR_INVALID || rc == ERR_NOT_FOUND)
		return fail_run(e, m, run, ENDING_ERROR, why.message, now, err);
	if (rc < 0) {
		*err = why;
		return rc;
	}
	run->pid = run->pid_start = 0;
	run->started_at = run->overdue_at = USEC_NONE;
	m->phase = PHASE_STARTING;
	if ((rc = run_update(e->db, run, err)) < 0 || (rc = mission_update(e->db, m, err)) < 0)
		return rc;
	add_start_job(e, m, run, steal_ptr(&order));
	return 0;
}

int engine_run_ended(struct engine *e, usec_t now, const struct run_end *end, struct error *err)
{
	AUTO(run_free) struct run *run = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	int rc = load_open(e, end->run, &run, &m, err);

	if (rc <= 0)
		return rc;
	if (end->start_error)
		return fail_run(e, m, run, ENDING_ERROR, end->start_error, now, err);
	if (end->never_ran || (end->end && strcmp(end->end->reason, "not_started") == 0))
		return begin_again(e, m, run, now, err);
	if (end->end) {
		take_end(run, end->end, now);
		name_stopper(m, run);
		m->denied = end->end->denied;
		return finish_run(e, m, run, now, err);
	}
	/* Its processes may still be there; nothing takes its place before they are gone. */
	engine_add_job(e, new_job(JOB_SWEEP, m, run));
	if (!end->shutdown && !end->session)
		return 0;
	/* Known only now: another daemon may come to hear of the sweep. */
	if (end->shutdown)
		run->ending = ENDING_DAEMON_SHUTDOWN;
	if (end->session)
		mem_replace(&run->session, end->session);
	return run_update(e->db, run, err);
}

static enum ending ending_of_lost(const struct mission *m, const struct run *run)
{
	if (m->stop_reason)
		return ENDING_KILLED;
	return run->ending == ENDING_NONE ? ENDING_ORPHANED : run->ending;
}

int run_swept(struct engine *e, usec_t now, const struct job_end *end, struct error *err)
{
	AUTO(run_free) struct run *run = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *words = NULL;
	enum ending ending;
	int rc = load_open(e, end->key, &run, &m, err);

	if (rc <= 0)
		return rc;
	if (!job_succeeded(end)) {
		words = job_end_words(end, 0);
		log_warning("not all of mission '%s' is gone: %s", m->id, words);
	}
	ending = ending_of_lost(m, run);
	return fail_run(e, m, run, ending,
			ending == ENDING_DAEMON_SHUTDOWN
				? "it did not end when the daemon was stopped, and was killed"
				: "its wrapper was killed, or the machine went down",
			now, err);
}

/* --- after a crash ------------------------------------------------------------------------ */

int run_abandon(struct engine *e, const char *why, struct buf *ret_names, usec_t now,
		struct error *err)
{
	AUTO_RUNS struct run_list open = {0};
	int rc = run_open(e->db, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		AUTO(mission_free) struct mission *m = NULL;

		rc = mission_get(e->db, open.items[i]->mission, &m, err);
		if (rc < 0)
			break;
		/* Nobody asked for its end, but nothing takes its place either. */
		mem_replace(&m->stop_reason, why);
		buf_printf(ret_names, "%s%s", ret_names->len ? ", " : "", m->id);
		rc = fail_run(e, m, open.items[i], ENDING_ORPHANED,
			      "whether it still runs there is not known", now, err);
	}
	return rc;
}

static char *run_file(const struct engine *e, const struct mission *m, int64_t number,
		      const char *name)
{
	return mem_printf("%s/missions/%s/runs/%lld/%s", e->state_dir ? e->state_dir : "", m->id,
			  (long long)number, name);
}

/* A wrapper notes its process before it starts the agent. */
static bool read_process(const struct engine *e, const struct mission *m, int64_t number,
			 struct process_id *ret)
{
	AUTO(free) char *path = run_file(e, m, number, "pid");
	AUTO_BUF struct buf text = {0};
	struct error none = {0};
	long long start = 0;
	int pid = 0;

	if (file_read(path, PID_MAX, &text, &none) < 0)
		return false;
	/* NOLINTNEXTLINE(cert-err34-c): a wrapper of ours wrote it */
	if (sscanf(buf_text(&text), "%d %lld %39s", &pid, &start, ret->boot) != 3)
		return false;
	ret->pid = pid;
	ret->start = start;
	return true;
}

/* It had no process yet. With the one it got since it is looked for like any other, and its end is found. */
static int find_process(struct engine *e, struct run *run, usec_t now, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	struct process_id process = {0};
	int rc = mission_get(e->db, run->mission, &m, err);

	if (rc < 0 || run->pid || !read_process(e, m, run->number, &process))
		return rc;
	set_process(run, &process);
	run->started_at = now;
	m->phase = PHASE_RUNNING;
	rc = run_update(e->db, run, err);
	return rc < 0 ? rc : mission_update(e->db, m, err);
}

static int end_if_begun(struct engine *e, struct mission *m, const char *why, struct buf *ret_names,
			usec_t now, struct error *err)
{
	struct process_id process = {0};

	if (!read_process(e, m, m->runs + 1, &process))
		return 0;
	buf_printf(ret_names, "%s%s", ret_names->len ? ", " : "", m->id);
	m->runs++; /* the folder is there; another run gets another one */
	m->outcome = ENDING_ORPHANED;
	return mission_conclude(e, m, OUTCOME_CANCELLED, why, now, err);
}

int run_find_since(struct engine *e, const char *why, struct buf *ret_names, usec_t now,
		   struct error *err)
{
	static const enum phase phases[] = {PHASE_WAITING, PHASE_BEHIND};
	AUTO_RUNS struct run_list open = {0};
	int rc = run_open(e->db, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++)
		rc = find_process(e, open.items[i], now, err);
	for (size_t p = 0; rc >= 0 && p < sizeof(phases) / sizeof(phases[0]); p++) {
		AUTO_MISSIONS struct mission_list waiting = {0};

		rc = mission_in_phase(e->db, phases[p], &waiting, err);
		for (size_t i = 0; rc >= 0 && i < waiting.count; i++)
			rc = end_if_begun(e, waiting.items[i], why, ret_names, now, err);
	}
	return rc;
}

int run_recover(struct engine *e, usec_t now, struct error *err)
{
	AUTO_RUNS struct run_list open = {0};
	int rc = run_open(e->db, &open, err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++) {
		AUTO(mission_free) struct mission *m = NULL;

		rc = mission_get(e->db, open.items[i]->mission, &m, err);
		if (rc < 0)
			break;
		if (!open.items[i]->pid) {
			rc = begin_again(e, m, open.items[i], now, err);
			continue;
		}
		add_adopt_job(e, m, open.items[i]);
		/* Stopped while nobody could tell it. */
		if (m->stop_reason)
			rc = run_stop(e, m, SIGTERM, err);
	}
	return rc;
}
