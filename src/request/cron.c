/* cron.c: look at crons, run one by hand, and what became of their fires. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/change.h"
#include "engine/mission.h"
#include "engine/seed.h"
#include "request/caller.h"
#include "request/cron-file.h"
#include "request/json-cron.h"
#include "request/rows.h"
#include "schedule/zone.h"
#include "store/slot.h"

#define SHOW_FIRES 5
#define HISTORY_DEFAULT 20
#define HISTORY_MAX 1000

#define CRON_ARG                                                                                   \
	{                                                                                          \
		"name", 0, ARG_CRON, "NAME", "which cron", NULL, true, true                        \
	}

static int exec_ls(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const struct config *config = engine_config(rq->engine);
	AUTO(json_decref) json_t *rows = json_array();

	(void)args;
	for (size_t i = 0; i < config->cron_count; i++) {
		json_t *row = NULL;
		int rc = json_cron(rq, config, &config->crons[i], 1, &row, err);

		if (rc < 0)
			return rc;
		json_array_append_new(rows, row);
	}
	*ret = json_object();
	json_put(*ret, "crons", json_incref(rows));
	return 0;
}

const struct request_row cron_ls_row = {
	.name = "cron ls",
	.summary = "list the crons of config.yml, how each last went and when it runs next",
	.args = (const struct request_arg[]){{"verbose", 'v', ARG_FLAG, NULL,
					      "agent and description too", NULL, false, false},
					     {0}},
	.flags = REQUEST_READS,
	.exec = exec_ls,
};

/* The cron as the configuration in force has it; ERR_NOT_FOUND with the nearest name. */
static const struct config_cron *find(const struct request *rq, const char *name, struct error *err)
{
	struct config *config = (struct config *)(uintptr_t)engine_config(rq->engine);
	const struct cron_file in_force = {.before = config};

	return cron_file_find(&in_force, name, err) < 0 ? NULL : config_cron(config, name);
}

static int exec_show(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	const struct config_cron *c = find(rq, name, err);
	AUTO_CRON_FILE struct cron_file f = {0};
	AUTO_BUF struct buf block = {0};
	struct error unread = {0};
	int rc;

	if (!c)
		return err->code;
	if ((rc = json_cron(rq, engine_config(rq->engine), c, SHOW_FIRES, ret, err)) < 0)
		return rc;
	/* For an editor. A file that was broken meanwhile is told by whoever wants to change it. */
	if (cron_file_read(&f, engine_config(rq->engine)->path, &unread) == 0)
		cron_file_block(&f, name, &block, &unread);
	json_put_text(*ret, "yaml", block.len ? buf_text(&block) : NULL);
	return 0;
}

const struct request_row cron_show_row = {
	.name = "cron show",
	.summary = "show everything about one cron",
	.args = (const struct request_arg[]){CRON_ARG, {0}},
	.flags = REQUEST_READS,
	.exec = exec_show,
};

/* --- run --- */

/* Its reminder; one that was declared while no daemon ran gets it now. */
static int find_reminder(const struct request *rq, const struct config_cron *c,
			 struct reminder **ret, struct error *err)
{
	int rc = policy_find(engine_db(rq->engine), DOOR_CRON, c->name, ret, err);

	if (rc < 0 || *ret)
		return rc;
	rc = engine_seed_cron(rq->engine, c, rq->now, err);
	return rc < 0 ? rc : engine_find_cron(rq->engine, c->name, ret, err);
}

static int exec_run(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	const struct config_cron *c = find(rq, name, err);
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(free) char *why = caller_did(&rq->caller, "run");
	int rc;

	if (!c)
		return err->code;
	if (c->problem) {
		error_set(err, ERR_INVALID, "cron '%s' cannot run: %s", name, c->problem);
		return error_hint(err, "mend it: belfry cron edit %s", name);
	}
	if ((rc = find_reminder(rq, c, &r, err)) < 0 ||
	    (rc = caller_check_agent(rq, r->agent, err)) < 0 ||
	    (rc = engine_run(rq->engine, r, rq->now, why, err)) < 0 ||
	    (rc = cron_mission(engine_db(rq->engine), name, &m, err)) < 0)
		return rc;
	/* The configuration in force is what it was started from, so its references are there. */
	if (!m || m->created_at < rq->now) {
		error_set(err, ERR_CONFLICT, "cron '%s' could not be run", name);
		return error_hint(err, "see: belfry cron show %s", name);
	}
	*ret = json_object();
	json_put_text(*ret, "name", name);
	json_put_text(*ret, "mission", m->id);
	json_put_text(*ret, "phase", phase_word(m->phase));
	json_put_text(*ret, "reason", m->reason);
	json_put_bool(*ret, "scheduler_running", rq->scheduler_running);
	return 0;
}

const struct request_row cron_run_row = {
	.name = "cron run",
	.summary = "run a cron once, now, also a disabled one; its schedule stays",
	.details = "The answer is the mission's id: `belfry mission show ID`, `belfry cron logs "
		   "NAME -f`.",
	.args = (const struct request_arg[]){CRON_ARG, {0}},
	.flags = REQUEST_WRITES,
	.exec = exec_run,
};

/* --- history --- */

struct history {
	struct db *db;
	const struct zone *zone;
	json_t *rows; /* each with its time as "at_us", by which they are sorted */
};

static void put_span(json_t *o, usec_t from, usec_t to)
{
	bool known = from != USEC_NONE && to != USEC_NONE;

	json_put(o, "took", known ? json_duration(to - from) : json_null());
	json_put(o, "took_us", known ? json_integer(to - from) : json_null());
}

static void add_row(struct history *h, json_t *row, usec_t at)
{
	json_put_int(row, "at_us", at);
	json_array_append_new(h->rows, row);
}

static void add_run(struct history *h, const struct mission *m, const struct run *run)
{
	json_t *row = json_object();
	usec_t at = run->started_at != USEC_NONE ? run->started_at : run->begun_at;
	bool open = run->finished_at == USEC_NONE;

	json_put(row, "started", json_instant(at, h->zone));
	put_span(row, at, run->finished_at);
	json_put_text(row, "status",
		      open			    ? "running"
		      : run->ending == ENDING_ERROR ? "failed"
						    : ending_word(run->ending));
	json_put_text(row, "kind", run_kind_word(run->kind));
	json_put(row, "attempt", run->attempt ? json_integer(run->attempt) : json_null());
	json_put_int(row, "max_attempts", m->max_attempts);
	json_put(row, "exit_code",
		 !open && run->exit_code >= 0 ? json_integer(run->exit_code) : json_null());
	json_put(row, "signal", run->signal ? json_integer(run->signal) : json_null());
	json_put(row, "cost", run->cost >= 0 ? json_real((double)run->cost / 1e6) : json_null());
	json_put_text(row, "mission", m->id);
	json_put_int(row, "run", run->number);
	json_put_text(row, "reason", run->error);
	add_row(h, row, at);
}

/* A mission that has not begun, or never did, is one line of its own. */
static int add_mission(struct history *h, const struct mission *m, struct error *err)
{
	AUTO_RUNS struct run_list runs = {0};
	const char *status = NULL;
	json_t *row;
	int rc = run_list(h->db, m->key, &runs, err);

	for (size_t i = 0; rc >= 0 && i < runs.count; i++)
		add_run(h, m, runs.items[i]);
	if (rc < 0 || (runs.count && m->phase != PHASE_WAITING))
		return rc < 0 ? rc : 0;
	if ((rc = mission_status(h->db, m, &status, err)) < 0)
		return rc;
	row = json_object();
	json_put(row, "started",
		 json_instant(m->ready_at > m->nominal ? m->ready_at : m->nominal, h->zone));
	json_put_text(row, "status", status);
	json_put_text(row, "mission", m->id);
	json_put_text(row, "reason", m->reason);
	add_row(h, row, m->ready_at > m->nominal ? m->ready_at : m->nominal);
	return 0;
}

/* Occurrences that started nothing: skipped, missed, failed before there was a mission. */
static int add_slot(struct history *h, const struct slot *slot, struct error *err)
{
	AUTO(mission_free) struct mission *m = NULL;
	json_t *row;
	int rc;

	if (slot->outcome == OUTCOME_CHECKING || slot->outcome == OUTCOME_RUNNING ||
	    slot->outcome == OUTCOME_RAN)
		return 0;
	rc = mission_of_slot(h->db, slot->key, &m, err);
	if (rc < 0 || m)
		return rc < 0 ? rc : 0;
	row = json_object();
	json_put(row, "started", json_instant(slot->nominal, h->zone));
	json_put_text(row, "status", outcome_word(slot->outcome));
	json_put_text(row, "reason", slot->reason);
	json_put_int(row, "occurrences", slot->occurrences);
	json_put_bool(row, "more", slot->more);
	json_put(row, "first", json_instant(slot->first_nominal, h->zone));
	add_row(h, row, slot->nominal);
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	json_int_t one = json_integer_value(json_object_get(*(json_t *const *)a, "at_us"));
	json_int_t other = json_integer_value(json_object_get(*(json_t *const *)b, "at_us"));

	return one < other ? 1 : one > other ? -1 : 0;
}

/* The newest `limit` of the rows, in order. */
static json_t *newest(json_t *rows, size_t limit)
{
	size_t count = json_array_size(rows);
	json_t **items = mem_array(count + 1, sizeof(*items)), *sorted = json_array();

	for (size_t i = 0; i < count; i++)
		items[i] = json_array_get(rows, i);
	qsort(items, count, sizeof(*items), newest_first);
	for (size_t i = 0; i < count && i < limit; i++) {
		json_array_append(sorted, items[i]);
		json_object_del(items[i], "at_us");
	}
	free(items);
	return sorted;
}

static int gather(struct history *h, const char *name, const struct reminder *r, int limit,
		  struct error *err)
{
	AUTO_MISSIONS struct mission_list missions = {0};
	AUTO_SLOTS struct slot_list slots = {0};
	const struct mission_filter filter = {
		.origin = name, .door = DOOR_CRON, .archived = true, .limit = limit};
	int rc = mission_list(h->db, &filter, &missions, err);

	for (size_t i = 0; rc >= 0 && i < missions.count; i++)
		rc = add_mission(h, missions.items[i], err);
	if (rc >= 0 && r)
		rc = slot_list(h->db, r->key, 0, limit, &slots, err);
	for (size_t i = 0; rc >= 0 && i < slots.count; i++)
		rc = add_slot(h, slots.items[i], err);
	return rc < 0 ? rc : 0;
}

/* The reminder behind a cron; of one that was removed, the one its newest mission came from. */
static int history_reminder(struct db *db, const char *name, const struct mission *m,
			    struct reminder **ret, struct error *err)
{
	int rc = policy_find(db, DOOR_CRON, name, ret, err);

	if (rc < 0 || *ret || !m || !m->reminder)
		return rc;
	rc = reminder_get(db, m->reminder, ret, err);
	return rc == ERR_NOT_FOUND ? 0 : rc;
}

static int read_limit(const json_t *args, int64_t *ret, struct error *err)
{
	int rc = json_get_int(args, "limit", ret, err);

	if (rc < 0 || (*ret >= 1 && *ret <= HISTORY_MAX))
		return rc;
	error_set(err, ERR_INVALID, "--limit %lld is outside 1 to %d", (long long)*ret,
		  HISTORY_MAX);
	return error_hint(err, "older ones: belfry mission ls --all, belfry why REMINDER");
}

static int exec_history(const struct request *rq, const json_t *args, json_t **ret,
			struct error *err)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	AUTO(reminder_free) struct reminder *r = NULL;
	AUTO(mission_free) struct mission *m = NULL;
	AUTO(json_decref) json_t *rows = json_array();
	struct history h = {.db = engine_db(rq->engine), .rows = rows};
	int64_t limit = HISTORY_DEFAULT;
	int rc;

	if ((rc = read_limit(args, &limit, err)) < 0 ||
	    (rc = cron_mission(h.db, name, &m, err)) < 0 ||
	    (rc = history_reminder(h.db, name, m, &r, err)) < 0)
		return rc;
	h.zone = r ? reminder_zone(r) : zone_of_machine(&(const char *){NULL});
	if ((rc = gather(&h, name, r, (int)limit, err)) < 0)
		return rc;
	/* One that was removed still has its missions; one that never was has nothing. */
	if (!json_array_size(rows) && !find(rq, name, err))
		return err->code;
	*ret = json_object();
	json_put_text(*ret, "name", name);
	json_put_text(*ret, "mission", m ? m->id : NULL);
	json_put(*ret, "runs", newest(rows, (size_t)limit));
	return 0;
}

const struct request_row cron_history_row = {
	.name = "cron history",
	.summary = "tell what became of a cron's fires, newest first",
	.details = "Each run is a line: when it started, how long it took, how it ended, which "
		   "attempt it was, its exit status and cost, and its mission. Occurrences that "
		   "did not run (skipped, missed) are lines of their own, with the reason.",
	.args = (const struct request_arg[]){CRON_ARG,
					     {"limit", 'n', ARG_INT, "N",
					      "how many lines (default 20)", NULL, false, false},
					     {0}},
	.flags = REQUEST_READS,
	.exec = exec_history,
};

const struct request_row cron_logs_row = {
	.name = "cron logs",
	.summary = "print the log of a cron's newest mission",
	.args = (const struct request_arg[]){CRON_ARG,
					     {"follow", 'f', ARG_FLAG, NULL,
					      "go on until it has ended", NULL, false, false},
					     {0}},
	.flags = REQUEST_READS | REQUEST_LOCAL,
};

/* --- for whoever asks questions --- */

static int exec_defaults(const struct request *rq, const json_t *args, json_t **ret,
			 struct error *err)
{
	const char *agent = NULL;
	struct policy p = {0};
	int rc = json_get_text(args, "agent", &agent, err);

	if (rc < 0)
		return rc;
	engine_policy_defaults(rq->engine, DOOR_CRON, agent, &p);
	*ret = json_policy(&p);
	return 0;
}

const struct request_row cron_defaults_row = {
	.name = "cron defaults",
	.summary = "what a cron of an agent is like when nothing is said",
	.args =
		(const struct request_arg[]){
			{"agent", 0, ARG_AGENT, "AGENT", NULL, NULL, true, false}, {0}},
	.flags = REQUEST_READS | REQUEST_HIDDEN,
	.exec = exec_defaults,
};
